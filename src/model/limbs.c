/* The creature's limbs: those a creature file names, else those that were found; their joints, contact
   frames, lengths, what they exclude, the trunk, gait and guide. */
#include "model/limb_plan.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>

static const double MAX_FORCE = 600;       /* N */
static const double LEGGED_TILT_MAX = 1.2; /* rad, as the human of method section 6 */

static hf_status fail_limb(hf_build* b, const char* limb, const char* why, const char* name) {
    char field[160];
    snprintf(field, sizeof field, "limb \"%.120s\"", limb);
    return hf_fail(b->error, HF_ERROR_FORMAT, b->draft->path, 0, field, why, name);
}

/* A name that should be a limb's: its index, or a failure that suggests the nearest. */
static hf_status find_limb(hf_build* b, const char* field, const char* name, int* index) {
    const hf_creature_view* v = &b->creature->view;
    const char* words[HF_MAX_LIMBS];
    *index = hf_creature_find_limb(b->creature, name);
    if (*index >= 0) return HF_OK;
    for (int i = 0; i < v->limb_count; i++) words[i] = v->limbs[i].name;
    const char* near = hf_nearest_word(name, words, v->limb_count);
    return hf_fail(b->error, HF_ERROR_FORMAT, b->draft->path, 0, field,
                   near ? "there is no limb \"%.80s\"; did you mean \"%.80s\"?"
                        : "there is no limb \"%.80s\"",
                   name, near);
}

/* ------------------------------------------------------------------------------------------- plans */

/* A limb of the creature file. Without a root it starts below the trunk; without an effector it is one of
   those that were found. */
static hf_status plan_given(hf_build* b, const hf_draft_limb* in, const hf_limb_plans* found,
                            hf_limb_plan* out) {
    *out = (hf_limb_plan){.name = in->name, .use = true, .given = in, .root = -1, .kind = HF_LIMB_OTHER};
    for (int i = 0; i < found->count; i++) {
        if (strcmp(found->items[i].name, in->name) != 0) continue;
        out->root = found->items[i].root;
        out->effector = found->items[i].effector;
        out->grip = found->items[i].grip;
    }
    if (!in->effector && out->root < 0)
        return fail_limb(b, in->name, "has no \"effector\", and no limb of this name is found%s", "");
    if (in->effector) {
        out->effector = hf_build_find_link(b, in->effector);
        out->grip = false;
        if (out->effector < 0) return fail_limb(b, in->name, "there is no link \"%.120s\"", in->effector);
        out->root = in->root ? hf_build_find_link(b, in->root) : out->effector;
        if (out->root < 0) return fail_limb(b, in->name, "there is no link \"%.120s\"", in->root);
        while (!in->root && out->root > 0 && !found->trunk[b->links[out->root].parent_link])
            out->root = b->links[out->root].parent_link;
        if (!hf_build_below(b, out->effector, out->root))
            return fail_limb(b, in->name, "its effector is not beyond its root \"%.120s\"", in->root);
    }
    /* The kind of the found limb it lies on, for default contact frames. */
    for (int i = 0; i < found->count; i++)
        if (hf_build_below(b, out->effector, found->items[i].root)) out->kind = found->items[i].kind;
    if (in->has_use) out->use = in->use;
    if (in->has_grip) out->grip = in->grip;
    return HF_OK;
}

static hf_status plan_limbs(hf_build* b, hf_limb_plans* found, hf_limb_plans* plans) {
    const hf_creature_draft* d = b->draft;
    *plans = *found;
    if (!d->limbs_given) return HF_OK;
    plans->items = hf_build_scratch(b, (size_t)d->limbs_count, sizeof *plans->items);
    if (!plans->items) return hf_build_fail_memory(b);
    plans->count = d->limbs_count;
    for (int i = 0; i < d->limbs_count; i++) {
        hf_status status = plan_given(b, &d->limbs[i], found, &plans->items[i]);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

/* ------------------------------------------------------------------------------------------ joints */

/* Free joints from the one that moves the root to the effector's; none when both are one link. */
static hf_status fill_joints(hf_build* b, const hf_limb_plan* plan, hf_limb* limb) {
    int count = 0, at = 0;
    limb->root_link = plan->root;
    limb->effector_link = plan->effector;
    limb->base_link = plan->effector;
    limb->base = hf_transform_identity();
    if (plan->root == plan->effector && plan->given && plan->given->root) return HF_OK;
    for (int l = plan->effector; l >= plan->root && l > 0; l = b->links[l].parent_link)
        count += hf_joint_free(&b->joints[b->links[l].joint]);
    if (count == 0) return HF_OK;
    int* joints = hf_build_keep(b, (size_t)count, sizeof *joints);
    if (!joints) return hf_build_fail_memory(b);
    at = count;
    for (int l = plan->effector; l >= plan->root && l > 0; l = b->links[l].parent_link)
        if (hf_joint_free(&b->joints[b->links[l].joint])) joints[--at] = b->links[l].joint;
    limb->joints = joints;
    limb->joint_count = count;
    limb->base_link = b->joints[joints[0]].parent_link;
    limb->base = b->joints[joints[0]].origin;
    return HF_OK;
}

/* Toes and fingers as they are at rest. */
static double contact_reach(const hf_build* b, const hf_limb* limb, hf_transform effector) {
    double far = 0;
    for (int i = 0; i < limb->contact_count; i++) {
        const hf_contact_frame* f = &limb->contacts[i];
        hf_vec3 at = f->offset;
        if (f->link != limb->effector_link)
            at = hf_unapply(b->rest_links[limb->effector_link], hf_apply(b->rest_links[f->link], at));
        far = fmax(far, hf_length(hf_apply(effector, at)));
    }
    return far;
}

/* From the first joint over all the others to the farthest contact frame, as if straightened. */
static void measure_length(const hf_build* b, hf_limb* limb) {
    hf_transform next = hf_transform_identity(); /* the effector, then the last joint passed, in link l */
    bool passed = false;
    limb->length = limb->joint_count ? 0 : contact_reach(b, limb, next);
    for (int l = limb->effector_link; l > 0 && limb->joint_count; l = b->links[l].parent_link) {
        const hf_joint* j = &b->joints[b->links[l].joint];
        if (!hf_joint_moves(j)) {
            next = hf_compose(j->origin, next);
            continue;
        }
        limb->length += passed ? hf_length(next.position) : contact_reach(b, limb, next);
        if (j->type == HF_JOINT_PRISMATIC) limb->length += fmax(fabs(j->lower), fabs(j->upper));
        next = j->origin;
        passed = true;
        if (b->links[l].joint == limb->joints[0]) return;
    }
}

/* ---------------------------------------------------------------------------------------- contacts */

/* A frame may be on a toe or finger: on a link beyond the effector that no limb moves. */
static hf_status find_contact_link(hf_build* b, const hf_draft_contact* c, const hf_limb* limb, int* link) {
    const hf_creature_view* v = &b->creature->view;
    *link = c->link ? hf_build_find_link(b, c->link) : limb->effector_link;
    if (*link < 0) return fail_limb(b, limb->name, "there is no link \"%.120s\"", c->link);
    bool beyond = hf_build_below(b, *link, limb->effector_link);
    for (int l = *link; beyond && l != limb->effector_link; l = b->links[l].parent_link)
        for (int i = 0; i < v->limb_count; i++)
            for (int k = 0; k < v->limbs[i].joint_count; k++)
                beyond = beyond && v->limbs[i].joints[k] != b->links[l].joint;
    if (!beyond)
        return fail_limb(b, limb->name, "link \"%.120s\" of a contact frame is no part of its effector",
                         c->link);
    return HF_OK;
}

static hf_status copy_contacts(hf_build* b, const hf_draft_limb* in, hf_limb* limb) {
    hf_contact_frame* frames = hf_build_keep(b, (size_t)in->contact_count, sizeof *frames);
    if (!frames) return hf_build_fail_memory(b);
    for (int i = 0; i < in->contact_count; i++) {
        const hf_draft_contact* c = &in->contacts[i];
        if (!(hf_length(c->offset) + c->patch[0] + c->patch[1] + c->ball <= HF_MAX_NUMBER))
            return fail_limb(b, in->name, "contact frame \"%.80s\" is out of range", c->name);
        int link;
        hf_status status = find_contact_link(b, c, limb, &link);
        if (status != HF_OK) return status;
        frames[i] = (hf_contact_frame){.link = link,
                                       .offset = c->offset,
                                       .normal = c->normal,
                                       .patch = {c->patch[0], c->patch[1]},
                                       .ball = c->ball};
        frames[i].name = hf_arena_text(&b->creature->arena, c->name);
        if (!frames[i].name) return hf_build_fail_memory(b);
    }
    limb->contacts = frames;
    limb->contact_count = in->contact_count;
    return HF_OK;
}

static int count_legs(const hf_limb_plans* plans) {
    int legs = 0;
    for (int i = 0; i < plans->count; i++) legs += plans->items[i].kind == HF_LIMB_LEG;
    return legs;
}

static hf_status default_contacts(hf_build* b, const hf_limb_plan* plan, int legs, hf_limb* limb) {
    hf_contact_frame* frame = hf_build_keep(b, 1, sizeof *frame);
    if (!frame) return hf_build_fail_memory(b);
    limb->contacts = frame;
    limb->contact_count = 1;
    return hf_default_contact(b, plan, legs, frame);
}

/* A mirrored limb without contact frames of its own has the other's, mirrored. */
static hf_status mirror_contacts(hf_build* b, const hf_limb* other, hf_limb* limb) {
    hf_contact_frame* frames = hf_build_keep(b, (size_t)other->contact_count, sizeof *frames);
    if (!frames) return hf_build_fail_memory(b);
    for (int i = 0; i < other->contact_count; i++) {
        if (other->contacts[i].link != other->effector_link)
            return fail_limb(
                b, limb->name,
                "needs contact frames of its own: \"%.80s\" of the mirrored limb is beyond the effector",
                other->contacts[i].name);
        hf_status status = hf_mirror_contact(b, &other->contacts[i], limb->effector_link, &frames[i]);
        if (status != HF_OK) return status;
    }
    limb->contacts = frames;
    limb->contact_count = other->contact_count;
    return HF_OK;
}

static hf_status apply_mirrors(hf_build* b, const hf_limb_plans* plans, hf_limb* limbs) {
    for (int i = 0; i < plans->count; i++) {
        const hf_draft_limb* given = plans->items[i].given;
        limbs[i].mirror_of = -1;
        if (!given || !given->mirror_of) continue;
        char field[160];
        snprintf(field, sizeof field, "limb \"%.120s\"", limbs[i].name);
        int other;
        hf_status status = find_limb(b, field, given->mirror_of, &other);
        if (status != HF_OK) return status;
        bool mirrors = false;
        if (other != i) status = hf_limb_mirrors(b, &limbs[i], &limbs[other], &mirrors);
        if (status != HF_OK) return status;
        if (!mirrors)
            return fail_limb(b, limbs[i].name,
                             "does not move as the mirror image of \"%.120s\" about the root's XZ plane",
                             given->mirror_of);
        limbs[i].mirror_of = other;
    }
    return HF_OK;
}

static hf_status fill_contacts(hf_build* b, const hf_limb_plans* plans, hf_limb* limbs) {
    hf_status status = HF_OK;
    for (int i = 0; i < plans->count && status == HF_OK; i++) {
        const hf_draft_limb* given = plans->items[i].given;
        if (given && given->contact_count > 0)
            status = copy_contacts(b, given, &limbs[i]);
        else if (limbs[i].mirror_of < 0)
            status = default_contacts(b, &plans->items[i], count_legs(plans), &limbs[i]);
    }
    for (int i = 0; i < plans->count && status == HF_OK; i++) {
        if (limbs[i].contact_count > 0) continue;
        const hf_limb* other = &limbs[limbs[i].mirror_of];
        status = other->contact_count > 0
                     ? mirror_contacts(b, other, &limbs[i])
                     : default_contacts(b, &plans->items[i], count_legs(plans), &limbs[i]);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------- excludes */

static bool share_joints(const hf_limb* a, const hf_limb* c) {
    for (int i = 0; i < a->joint_count; i++)
        for (int k = 0; k < c->joint_count; k++)
            if (a->joints[i] == c->joints[k]) return true;
    return false;
}

/* What a file says, and limbs that share joints; always both ways. */
static hf_status fill_excludes(hf_build* b, const hf_limb_plans* plans, hf_limb* limbs) {
    size_t count = (size_t)plans->count;
    bool* table = hf_build_scratch(b, count * count, sizeof *table);
    if (!table) return hf_build_fail_memory(b);
    for (int i = 0; i < plans->count; i++) {
        const hf_draft_limb* given = plans->items[i].given;
        for (int k = 0; given && k < given->exclude_count; k++) {
            char field[160];
            int other;
            snprintf(field, sizeof field, "limb \"%.120s\"", limbs[i].name);
            hf_status status = find_limb(b, field, given->excludes[k], &other);
            if (status != HF_OK) return status;
            if (other == i) return fail_limb(b, limbs[i].name, "excludes itself%s", "");
            table[(size_t)i * count + (size_t)other] = table[(size_t)other * count + (size_t)i] = true;
        }
        for (int k = 0; k < i; k++)
            if (share_joints(&limbs[i], &limbs[k]))
                table[(size_t)i * count + (size_t)k] = table[(size_t)k * count + (size_t)i] = true;
    }
    for (int i = 0; i < plans->count; i++) {
        int* excludes = hf_build_keep(b, count, sizeof *excludes);
        if (!excludes) return hf_build_fail_memory(b);
        for (int k = 0; k < plans->count; k++)
            if (table[(size_t)i * count + (size_t)k]) excludes[limbs[i].exclude_count++] = k;
        limbs[i].excludes = excludes;
    }
    return HF_OK;
}

/* ----------------------------------------------------------------------------------- trunk and more */

/* Without a file's word: what was found, or the links from the root to where the given limbs start. */
static void mark_given_trunk(const hf_build* b, bool* trunk) {
    const hf_creature_view* v = &b->creature->view;
    memset(trunk, 0, (size_t)v->link_count * sizeof *trunk);
    trunk[0] = true;
    for (int i = 0; i < v->limb_count; i++)
        for (int l = v->limbs[i].joint_count ? v->limbs[i].base_link : 0; l > 0; l = v->links[l].parent_link)
            trunk[l] = true;
    /* What hangs fixed on the trunk is part of it; what a limb moves is not. */
    for (int l = 1; l < v->link_count; l++)
        trunk[l] |= trunk[v->links[l].parent_link] && !hf_joint_moves(&v->joints[v->links[l].joint]);
    for (int i = 0; i < v->limb_count; i++)
        for (int k = 0; k < v->limbs[i].joint_count; k++)
            trunk[v->joints[v->limbs[i].joints[k]].child_link] = false;
    for (int l = 1; l < v->link_count; l++) trunk[l] &= trunk[v->links[l].parent_link];
}

static hf_status fill_trunk(hf_build* b, hf_limb_plans* plans) {
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    if (d->limbs_given) mark_given_trunk(b, plans->trunk);
    for (int i = 0; i < d->trunk_count; i++) {
        int link = hf_build_find_link(b, d->trunk[i]);
        if (i == 0) memset(plans->trunk, 0, (size_t)v->link_count * sizeof *plans->trunk);
        if (link < 0)
            return hf_fail(b->error, HF_ERROR_FORMAT, d->path, 0, "trunk", "there is no link \"%.120s\"",
                           d->trunk[i]);
        plans->trunk[link] = true;
    }
    int* trunk = hf_build_keep(b, (size_t)v->link_count, sizeof *trunk);
    if (!trunk) return hf_build_fail_memory(b);
    v->trunk = trunk;
    for (int l = 0; l < v->link_count; l++)
        if (plans->trunk[l]) trunk[v->trunk_count++] = l;
    return HF_OK;
}

static hf_status limb_indices(hf_build* b, const char* field, char** names, int count, const int** out) {
    int* indices = hf_build_keep(b, (size_t)count, sizeof *indices);
    if (!indices) return hf_build_fail_memory(b);
    for (int i = 0; i < count; i++) {
        hf_status status = find_limb(b, field, names[i], &indices[i]);
        if (status != HF_OK) return status;
    }
    *out = indices;
    return HF_OK;
}

/* With so many legs two groups take turns, in which no two legs are neighbours: the others still hold the
   body in three places. */
enum { GROUPED_LEGS = 6 };

/* Which of two groups a leg is in: neighbours on one side, and those on both sides, are in different ones. */
static int group_of(const hf_build* b, const int* legs, int count, int leg) {
    const hf_creature_view* v = &b->creature->view;
    hf_vec3 ahead = hf_v3(hf_cos(v->facing), hf_sin(v->facing), 0), left = hf_v3(-ahead.y, ahead.x, 0);
    hf_vec3 own = b->neutral_links[v->limbs[leg].root_link].position;
    int before = 0;
    for (int i = 0; i < count; i++) {
        hf_vec3 at = b->neutral_links[v->limbs[legs[i]].root_link].position;
        before += hf_dot(at, left) * hf_dot(own, left) > 0 && hf_dot(at, ahead) > hf_dot(own, ahead);
    }
    return (before + (hf_dot(own, left) > 0)) % 2;
}

/* Where no file names a gait, the legs that were found walk, one after the other or in two groups. */
static hf_status gait_of_legs(hf_build* b, const hf_limb_plans* plans) {
    hf_creature_view* v = &b->creature->view;
    int* limbs = hf_build_keep(b, (size_t)plans->count, sizeof *limbs);
    int* legs = hf_build_scratch(b, (size_t)plans->count, sizeof *legs);
    int* sizes = hf_build_keep(b, (size_t)plans->count, sizeof *sizes);
    int count = 0, placed = 0;
    if (!limbs || !legs || !sizes) return hf_build_fail_memory(b);
    v->gait_limbs = limbs, v->gait_sizes = sizes;
    for (int i = 0; i < plans->count; i++)
        if (plans->items[i].use && plans->items[i].kind == HF_LIMB_LEG && v->limbs[i].joint_count > 0)
            legs[count++] = i;
    for (int g = 0; g < 2 && count >= GROUPED_LEGS; g++)
        for (int i = 0; i < count; i++)
            if (group_of(b, legs, count, legs[i]) == g) limbs[placed++] = legs[i], sizes[g]++;
    v->gait_count = count >= GROUPED_LEGS ? 2 : count;
    for (int i = 0; i < count && count < GROUPED_LEGS; i++) limbs[i] = legs[i], sizes[i] = 1;
    return HF_OK;
}

static hf_status fill_gait(hf_build* b, const hf_limb_plans* plans) {
    const hf_creature_draft* d = b->draft;
    if (d->gait_count == 0 && !d->limbs_given) return gait_of_legs(b, plans);
    hf_creature_view* v = &b->creature->view;
    size_t total = 0;
    for (int i = 0; i < d->gait_count; i++) total += (size_t)d->gait_sizes[i];
    int* limbs = hf_build_keep(b, total, sizeof *limbs);
    v->gait_sizes = hf_arena_copy(&b->creature->arena, d->gait_sizes, (size_t)d->gait_count, sizeof(int));
    if (!limbs || !v->gait_sizes) return hf_build_fail_memory(b);
    v->gait_limbs = limbs;
    for (int i = 0; i < d->gait_count; i++)
        for (int k = 0; k < d->gait_sizes[i]; k++) {
            hf_status status = find_limb(b, "gait", d->gait[i][k], limbs++);
            if (status != HF_OK) return status;
        }
    v->gait_count = d->gait_count;
    return HF_OK;
}

/* A creature that walks on legs it was not given in a file stays upright; others may turn any way. */
static double default_tilt_max(const hf_build* b) {
    return !b->draft->limbs_given && b->creature->view.gait_count > 0 ? LEGGED_TILT_MAX : M_PI;
}

static hf_status fill_guide(hf_build* b) {
    const hf_creature_draft* d = b->draft;
    hf_guide* g = &b->creature->view.guide;
    g->tilt = d->guide_tilt > 0 ? d->guide_tilt : 0.6;
    g->tilt_max = d->guide_tilt_max > 0 ? d->guide_tilt_max : default_tilt_max(b);
    g->tilt_side = d->guide_tilt_side > 0 ? d->guide_tilt_side : g->tilt_max;
    g->trunk_scale = d->guide_trunk_scale > 0 ? d->guide_trunk_scale : 1.2;
    g->any = d->has_guide ? d->guide_any : 1;
    g->upright_count = d->guide_upright_count;
    g->bent_count = d->guide_bent_count;
    hf_status status =
        limb_indices(b, "guide.upright", d->guide_upright, d->guide_upright_count, &g->upright);
    if (status == HF_OK) status = limb_indices(b, "guide.bent", d->guide_bent, d->guide_bent_count, &g->bent);
    return status;
}

hf_status hf_build_limbs(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    hf_limb_plans found = {0}, plans = {0};
    hf_status status = hf_limbs_find(b, &found);
    if (status == HF_OK) status = plan_limbs(b, &found, &plans);
    if (status != HF_OK) return status;
    hf_limb* limbs = hf_build_keep(b, (size_t)plans.count, sizeof *limbs);
    if (!limbs) return hf_build_fail_memory(b);
    v->limbs = limbs;
    v->limb_count = plans.count;
    for (int i = 0; i < plans.count; i++) {
        const hf_limb_plan* plan = &plans.items[i];
        limbs[i].name = hf_arena_text(&b->creature->arena, plan->name);
        if (!limbs[i].name) {
            v->limb_count = i;
            return hf_build_fail_memory(b);
        }
        limbs[i].use = plan->use;
        limbs[i].grip = plan->grip;
        limbs[i].max_force = plan->given && plan->given->max_force > 0 ? plan->given->max_force : MAX_FORCE;
        status = fill_joints(b, plan, &limbs[i]);
        if (status != HF_OK) return status;
    }
    status = apply_mirrors(b, &plans, limbs);
    if (status == HF_OK) status = fill_contacts(b, &plans, limbs);
    for (int i = 0; i < plans.count && status == HF_OK; i++) status = hf_finger_tips_add(b, &limbs[i]);
    if (status == HF_OK) status = fill_excludes(b, &plans, limbs);
    if (status == HF_OK) status = fill_trunk(b, &plans);
    if (status == HF_OK) status = fill_gait(b, &plans);
    if (status == HF_OK) status = fill_guide(b);
    for (int i = 0; i < plans.count && status == HF_OK; i++) measure_length(b, &limbs[i]);
    return status;
}
