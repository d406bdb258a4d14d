/* SRDF groups and end effectors: they name the limbs whose joints they hold, and say where a limb ends. */
#include "model/limb_plan.h"

/* A group names a limb when they share at least this part of their joints. */
static const double MIN_SHARE = 0.5;

typedef struct group_set {
    bool* joints;
    int tip; /* the last link of its chain, -1 for none */
    bool known;
} group_set;

static hf_status unknown_link(hf_build* b, int group, const char* name) {
    return hf_build_warn(b, "%s: group \"%s\": there is no link \"%s\"", hf_path_name(b->draft->srdf_path),
                         b->draft->groups[group], name);
}

/* An absorbed root counts as the root; -1 for a link that is not there. */
static int find_base(const hf_build* b, const char* name) {
    int link = hf_build_find_link(b, name);
    if (link >= 0) return link;
    for (int i = 0; i < b->draft->links_count; i++)
        if (strcmp(b->draft->links[i].name, name) == 0) return 0;
    return -1;
}

static hf_status add_chain(hf_build* b, const hf_draft_member* m, group_set* set) {
    int base = find_base(b, m->a), tip = hf_build_find_link(b, m->b);
    if (base < 0 || tip < 0) {
        set->known = false;
        return unknown_link(b, m->group, base < 0 ? m->a : m->b);
    }
    for (int l = tip; l > base; l = b->links[l].parent_link) set->joints[b->links[l].joint] = true;
    set->tip = tip;
    return HF_OK;
}

static hf_status add_member(hf_build* b, const hf_draft_member* m, group_set* set) {
    if (m->kind == HF_MEMBER_CHAIN) return add_chain(b, m, set);
    if (m->kind == HF_MEMBER_JOINT) {
        /* The SRDF may name a virtual joint, which is not in the tree. */
        int joint = hf_build_find_joint(b, m->a);
        if (joint >= 0) set->joints[joint] = true;
        return HF_OK;
    }
    int link = find_base(b, m->a);
    if (link < 0) return unknown_link(b, m->group, m->a);
    if (link > 0) set->joints[b->links[link].joint] = true;
    return HF_OK;
}

/* The joints of a group without its inner groups: one that has inner groups holds several limbs or names
   one that has its own group already. */
static hf_status read_group(hf_build* b, int group, group_set* set) {
    const hf_creature_draft* d = b->draft;
    memset(set->joints, 0, (size_t)b->creature->view.joint_count * sizeof *set->joints);
    set->tip = -1;
    set->known = true;
    for (int i = 0; i < d->members_count; i++) {
        const hf_draft_member* m = &d->members[i];
        if (m->group != group) continue;
        if (m->kind == HF_MEMBER_GROUP) {
            set->known = false;
            continue;
        }
        hf_status status = add_member(b, m, set);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

/* Which found limb a joint belongs to: on its chain, or anywhere beyond its root. */
typedef struct ownership {
    int *inside, *under; /* by joint, -1 for none */
    int* sizes;          /* by limb: free joints on its chain */
} ownership;

static bool read_ownership(hf_build* b, const hf_limb_plans* plans, ownership* o) {
    const hf_creature_view* v = &b->creature->view;
    o->inside = hf_build_scratch(b, (size_t)v->joint_count, sizeof(int));
    o->under = hf_build_scratch(b, (size_t)v->joint_count, sizeof(int));
    o->sizes = hf_build_scratch(b, (size_t)plans->count, sizeof(int));
    if (!o->inside || !o->under || !o->sizes) return false;
    for (int j = 0; j < v->joint_count; j++) o->inside[j] = o->under[j] = -1;
    for (int i = 0; i < plans->count; i++) {
        const hf_limb_plan* p = &plans->items[i];
        o->under[b->links[p->root].joint] = i;
        for (int l = p->effector; l >= p->root && l > 0; l = b->links[l].parent_link) {
            o->inside[b->links[l].joint] = i;
            o->sizes[i] += hf_joint_free(&b->joints[b->links[l].joint]);
        }
    }
    for (int l = 1; l < v->link_count; l++) {
        int joint = b->links[l].joint, above = b->links[l].parent_link;
        if (o->under[joint] < 0 && above > 0) o->under[joint] = o->under[b->links[above].joint];
    }
    return true;
}

/* The one limb that a group's joints belong to, trunk joints and fingers aside, and the share of the limb's
   joints it holds; -1 when it holds joints of several or of none. */
static int limb_of(const hf_build* b, const ownership* o, const group_set* set, double* share) {
    int limb = -1, shared = 0;
    for (int j = 0; j < b->creature->view.joint_count; j++) {
        if (!set->joints[j] || o->under[j] < 0 || !hf_joint_free(&b->joints[j])) continue;
        if (limb >= 0 && o->under[j] != limb) return -1;
        limb = o->under[j];
        shared += o->inside[j] == limb;
    }
    *share = limb >= 0 ? (double)shared / o->sizes[limb] : 0;
    return limb;
}

/* The end effector is mounted on the limb's own end or on something fixed to it. */
static void apply_tips(const hf_build* b, hf_limb_plans* plans) {
    for (int t = 0; t < b->draft->tips_count; t++) {
        int link = hf_build_find_link(b, b->draft->tips[t].link);
        if (link <= 0) continue;
        for (int i = 0; i < plans->count; i++) {
            hf_limb_plan* p = &plans->items[i];
            bool on = hf_build_below(b, link, p->root) &&
                      (hf_build_below(b, p->effector, link) || hf_build_below(b, link, p->effector));
            /* An arm that ends in a named gripper or hand can hold things; a foot cannot. */
            if (on && p->kind == HF_LIMB_ARM) p->grip = true;
            if (on) p->use = true;
        }
    }
}

static bool name_used(const hf_limb_plans* plans, int but, const char* name) {
    for (int i = 0; i < plans->count; i++)
        if (i != but && strcmp(plans->items[i].name, name) == 0) return true;
    return false;
}

hf_status hf_limbs_name_by_group(hf_build* b, hf_limb_plans* plans) {
    const hf_creature_draft* d = b->draft;
    double best[HF_MAX_LIMBS] = {0}, share;
    ownership o;
    group_set set = {hf_build_scratch(b, (size_t)b->creature->view.joint_count, sizeof(bool)), -1, false};
    if (!set.joints || !read_ownership(b, plans, &o)) return hf_build_fail_memory(b);
    for (int g = 0; g < d->groups_count && g < HF_MAX_LIMBS; g++) {
        hf_status status = read_group(b, g, &set);
        if (status != HF_OK) return status;
        int limb = set.known ? limb_of(b, &o, &set, &share) : -1;
        if (limb < 0 || share < MIN_SHARE || share <= best[limb] || name_used(plans, limb, d->groups[g]))
            continue;
        hf_limb_plan* p = &plans->items[limb];
        best[limb] = share;
        p->name = hf_arena_text(&b->creature->arena, d->groups[g]);
        if (!p->name) return hf_build_fail_memory(b);
        /* What a person calls a leg is one, whatever its links are called. */
        if (hf_name_has(p->name, "leg foot paw"))
            p->kind = HF_LIMB_LEG, p->use = true, p->grip = false;
        else if (hf_name_has(p->name, "arm hand manipulator"))
            p->kind = HF_LIMB_ARM, p->use = true;
        /* A chain's tip is the effector if it has a body of its own. */
        bool solid = set.tip >= 0 && !b->gap_body[set.tip] && b->links[set.tip].body_count > 0;
        if (solid && !p->grip && hf_build_below(b, set.tip, p->root)) p->effector = set.tip;
    }
    apply_tips(b, plans);
    return HF_OK;
}
