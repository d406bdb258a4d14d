/* Landmarks of clips and creatures (adapt/landmarks.h). A limb of the clip is a chain from the root to a
   leaf; hip, knee and ankle are the ends of its two long bones that follow each other. Limbs lie to the left
   or the right of the root at rest, legs begin at its height or reach down to the ground, arms begin above;
   the front legs of who has four take the place of arms. A creature's limbs are known; its knee is the joint
   with the longest way on both sides, the ball joint before it has up to three joints. Where the creature has
   links of the clip's names, as the clip's own skeleton has, these are the same things. */
#include "adapt/landmarks.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/creature.h"

#include <stdio.h>
#include <string.h>

/* Part of the body's height by which a limb's first joint lies beside the middle, at least. */
static const double SIDE_SHARE = 0.02;
/* Part of the body's height above the root where arms begin. */
static const double ARM_SHARE = 0.1;
/* Part of the body's height above its lowest point where the ends of legs are at rest, at most. */
static const double GROUND_SHARE = 0.25;
/* Front legs begin this part of the body's height farther from the root along the ground than hind legs. */
static const double FRONT_SHARE = 0.3;

/* A creature whose left lies so near +Y looks along +X. */
static const double FACING_RAD = 0.2;

/* Where a limb begins, seen from the root, and how high its end is over the lowest point at rest. */
typedef struct limb_span {
    hf_vec3 from_root;
    double end_m;
} limb_span;

static bool is_leg(limb_span s, double height) {
    return s.from_root.z < ARM_SHARE * height || s.end_m < GROUND_SHARE * height;
}

/* nearest: of all legs' ways from the root along the ground, the least. */
static int role_of(limb_span s, double height, double aside, double nearest) {
    bool front = hf_hypot(s.from_root.x, s.from_root.y) > nearest + FRONT_SHARE * height;
    return (is_leg(s, height) && !front ? HF_LEFT_LEG : HF_LEFT_ARM) + (aside < 0);
}

/* ---- clips ---- */

/* The way to the left at rest, along the ground; BVH figures have it along +X. */
static hf_vec3 leftwards(const hf_clip_body* b) {
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 0; i < b->clip->joint_count; i++) {
        int side = b->clip->joints[i].end_site ? 0 : hf_name_side(b->clip->joints[i].name);
        hf_vec3 d = hf_sub(b->rest[i].position, b->rest[b->root].position);
        sum = hf_add(sum, hf_scale(hf_v3(d.x, d.y, 0), side));
    }
    return hf_length(sum) > 0 ? hf_normalize(sum) : hf_v3(1, 0, 0);
}

static double bone(const hf_clip_body* b, int joint) {
    int parent = b->clip->joints[joint].parent;
    return parent < 0 ? 0 : hf_distance(b->rest[joint].position, b->rest[parent].position);
}

/* The nearest joint above that is some way off: skips joints that coincide. */
static int above(const hf_clip_body* b, int joint) {
    int parent = b->clip->joints[joint].parent;
    while (parent >= 0 && hf_distance(b->rest[joint].position, b->rest[parent].position) < 1e-6)
        parent = b->clip->joints[parent].parent;
    return parent;
}

/* The two long bones of the chain that ends in a leaf. They begin at least `aside` beside the middle: collar
   bones that begin in the middle can be longer than forearms. */
static bool long_bones(const hf_clip_body* b, int leaf, hf_vec3 left, double aside, hf_clip_limb* limb) {
    double best = 0;
    for (int c = leaf; c >= 0; c = b->clip->joints[c].parent) {
        int m = above(b, c), u = m >= 0 ? above(b, m) : -1;
        if (u < 0 || u == b->root) continue;
        if (fabs(hf_dot(hf_sub(b->rest[u].position, b->rest[b->root].position), left)) < aside) continue;
        double shorter = fmin(hf_distance(b->rest[c].position, b->rest[m].position),
                              hf_distance(b->rest[m].position, b->rest[u].position));
        if (shorter > best) best = shorter, *limb = (hf_clip_limb){true, u, m, c, -1, -1, -1};
    }
    return best > 0;
}

static bool descends(const hf_clip* clip, int joint, int from) {
    while (joint >= 0 && joint != from) joint = clip->joints[joint].parent;
    return joint == from;
}

/* The toe, or the knuckle farthest from the wrist, and the knuckles on both sides of the palm. */
static void find_tip(const hf_clip_body* b, bool leg, hf_clip_limb* limb) {
    const hf_clip* clip = b->clip;
    double best = 0;
    for (int i = limb->lower + 1; i < clip->joint_count; i++) {
        if (!descends(clip, i, limb->lower)) continue;
        const char* name = clip->joints[i].name;
        bool child = above(b, i) == limb->lower || (bone(b, i) > 0 && clip->joints[i].parent == limb->lower);
        if (!child) continue;
        if (hf_text_has(name, "thumb")) continue;
        bool first = !strpbrk(name, "23456789");
        if (hf_text_has(name, "index") && first && limb->thumb_side < 0) limb->thumb_side = i;
        if ((hf_text_has(name, "pink") || hf_text_has(name, "little")) && first && limb->far_side < 0)
            limb->far_side = i;
        double length = hf_distance(b->rest[i].position, b->rest[limb->lower].position);
        if ((leg || first) && length > best) best = length, limb->tip = i;
    }
}

/* Where the limb of a leaf begins and ends; false where there is none. */
static bool span_limb(const hf_clip_body* b, int leaf, hf_vec3 left, hf_clip_limb* limb, limb_span* span) {
    double height = hf_clip_height(b->clip, b->rest);
    if (b->clip->joints[leaf].end_site || !long_bones(b, leaf, left, SIDE_SHARE * height, limb)) return false;
    span->from_root = hf_sub(b->rest[limb->upper].position, b->rest[b->root].position);
    span->end_m = b->rest[leaf].position.z - hf_clip_lowest(b->clip, b->rest);
    return true;
}

static void find_clip_limbs(hf_clip_body* b, hf_vec3 left) {
    const hf_clip* clip = b->clip;
    double height = hf_clip_height(clip, b->rest), longest[HF_MAX_MARKED] = {0}, nearest = INFINITY;
    hf_clip_limb limb;
    limb_span s;
    for (int role = 0; role < HF_MAX_MARKED; role++)
        b->limbs[role] = (hf_clip_limb){false, -1, -1, -1, -1, -1, -1};
    for (int i = 0; i < clip->joint_count; i++)
        if (span_limb(b, i, left, &limb, &s) && is_leg(s, height))
            nearest = fmin(nearest, hf_hypot(s.from_root.x, s.from_root.y));
    for (int i = 0; i < clip->joint_count; i++) {
        if (!span_limb(b, i, left, &limb, &s)) continue;
        int role = role_of(s, height, hf_dot(s.from_root, left), nearest);
        double length = fmin(hf_distance(b->rest[limb.upper].position, b->rest[limb.middle].position),
                             hf_distance(b->rest[limb.middle].position, b->rest[limb.lower].position));
        if (length <= longest[role]) continue;
        longest[role] = length;
        b->limbs[role] = limb;
    }
    for (int role = 0; role < HF_MAX_MARKED; role++)
        if (b->limbs[role].there) find_tip(b, hf_role_is_leg(role), &b->limbs[role]);
}

/* The joint that moves both arms; the root where there are none. */
static int find_chest(const hf_clip_body* b) {
    const hf_clip_limb *l = &b->limbs[HF_LEFT_ARM], *r = &b->limbs[HF_RIGHT_ARM];
    if (!l->there || !r->there) return b->root;
    int joint = b->clip->joints[l->upper].parent;
    while (joint >= 0 && !descends(b->clip, r->upper, joint)) joint = b->clip->joints[joint].parent;
    return joint >= 0 ? joint : b->root;
}

/* The first joint with several branches: leading joints only hold the skeleton in its world. */
static int find_root(const hf_clip* clip) {
    for (int i = 0; i < clip->joint_count; i++) {
        int children = 0;
        for (int k = i + 1; k < clip->joint_count; k++)
            children += clip->joints[k].parent == i && !clip->joints[k].end_site;
        if (children > 1) return i;
    }
    return 0;
}

hf_status hf_clip_body_make(const hf_clip* clip, hf_clip_body* b, hf_error* error) {
    *b = (hf_clip_body){.clip = clip, .frame_count = clip->frame_count};
    b->rest = hf_alloc((size_t)clip->joint_count, sizeof *b->rest);
    b->now = hf_alloc((size_t)clip->joint_count, sizeof *b->now);
    b->after = hf_alloc((size_t)clip->joint_count, sizeof *b->after);
    if (!b->rest || !b->now || !b->after) {
        hf_clip_body_free(b);
        return hf_fail_memory(error, clip->path);
    }
    b->root = find_root(clip);
    hf_clip_rest(b);
    hf_vec3 left = leftwards(b);
    find_clip_limbs(b, left);
    /* In a frame of a walk limbs reach ahead and back: hips and shoulders say better where left is. */
    if (hf_length(hf_clip_left(b, b->rest)) > 0) left = hf_clip_left(b, b->rest);
    b->facing = hf_quat_axis_angle(hf_v3(0, 0, 1), hf_atan2(-left.x, left.y));
    b->chest = find_chest(b);
    hf_status status = hf_clip_stand(b);
    if (status != HF_OK) hf_clip_body_free(b);
    return hf_fail_status(error, status, clip->path);
}

void hf_clip_body_free(hf_clip_body* b) {
    hf_free(b->rest);
    hf_free(b->now);
    hf_free(b->after);
    hf_free(b->at);
    hf_free(b->shifts);
    hf_free(b->parts);
    b->rest = b->now = b->after = NULL;
    b->at = NULL, b->shifts = NULL, b->parts = NULL;
}

/* ---- creatures ---- */

bool hf_link_descends(const hf_creature_view* v, int link, int from) {
    while (link >= 0 && link != from) link = v->links[link].parent_link;
    return link == from;
}

/* The limb that ends in a link above this limb's effector and shares its joints; -1: none. */
static int touching_middle(const hf_creature_view* v, int limb) {
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb *a = &v->limbs[i], *b = &v->limbs[limb];
        if (i != limb && a->use && a->joint_count > 0 && a->joint_count < b->joint_count &&
            hf_link_descends(v, b->effector_link, a->effector_link))
            return i;
    }
    return -1;
}

static bool is_middle(const hf_creature_view* v, int limb) {
    for (int i = 0; i < v->limb_count; i++)
        if (i != limb && v->limbs[i].joint_count > v->limbs[limb].joint_count &&
            hf_link_descends(v, v->limbs[i].effector_link, v->limbs[limb].effector_link))
            return true;
    return false;
}

static void mark_limb(const hf_creature_body* b, int limb, hf_creature_limb* to) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    const hf_limb* l = &v->limbs[limb];
    int n = l->joint_count, middle = n > 1 ? 1 : 0, upper = 0;
    double best = 0;
    *to = (hf_creature_limb){.limb = limb, .middle_limb = touching_middle(v, limb)};
    hf_vec3 end = b->rest[v->joints[l->joints[n - 1]].child_link].position;
    for (int j = 1; j + 1 < n; j++) {
        int i = j >= 3 ? j - 3 : 0;
        hf_vec3 a = b->rest[v->joints[l->joints[i]].child_link].position;
        hf_vec3 c = b->rest[v->joints[l->joints[j]].child_link].position;
        double shorter = fmin(hf_distance(a, c), hf_distance(c, end));
        if (shorter > best + 1e-9) best = shorter, middle = j, upper = i;
    }
    to->upper.link = v->joints[l->joints[upper]].child_link;
    to->middle.link = v->joints[l->joints[middle]].child_link;
    to->lower.link = v->joints[l->joints[n - 1]].child_link;
    /* The first joint of those that meet at the end: wrists and ankles have several. */
    for (int j = n - 1; j > middle; j--)
        if (hf_distance(b->rest[v->joints[l->joints[j]].child_link].position, end) < 1e-3)
            to->lower.link = v->joints[l->joints[j]].child_link;
}

/* Turns the rest posture so that what limbs are named left lies at +Y: some robots look elsewhere than along
 * +X. */
static void face_ahead(hf_creature_body* b) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 0; i < v->limb_count; i++) {
        hf_vec3 p = hf_apply(b->rest[v->limbs[i].base_link], v->limbs[i].base.position);
        sum = hf_add(sum, hf_scale(hf_v3(p.x, p.y, 0), hf_name_side(v->limbs[i].name)));
    }
    double angle = hf_length(sum) > 0 ? hf_atan2(sum.x, sum.y) : 0;
    if (fabs(angle) < FACING_RAD) return;
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), angle);
    for (int i = 0; i < v->link_count; i++)
        b->rest[i] = hf_compose((hf_transform){{0, 0, 0}, turn}, b->rest[i]);
}

/* Marks a limb that touches with its end; false for others. */
static bool span_creature_limb(const hf_creature_body* b, int limb, double lowest, hf_creature_limb* marked,
                               limb_span* span) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    const hf_limb* l = &v->limbs[limb];
    if (!l->use || l->joint_count < 2 || l->contact_count == 0 || is_middle(v, limb)) return false;
    mark_limb(b, limb, marked);
    span->from_root = b->rest[marked->upper.link].position;
    span->end_m = b->rest[l->effector_link].position.z - lowest;
    return true;
}

static void find_creature_limbs(hf_creature_body* b) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    double length[HF_MAX_MARKED] = {0}, lowest = INFINITY, nearest = INFINITY;
    hf_creature_limb marked;
    limb_span s;
    for (int role = 0; role < HF_MAX_MARKED; role++) b->limbs[role].limb = -1;
    b->seat = -1;
    for (int i = 0; i < v->link_count; i++) lowest = fmin(lowest, b->rest[i].position.z);
    for (int i = 0; i < v->limb_count; i++)
        if (span_creature_limb(b, i, lowest, &marked, &s) && is_leg(s, v->height))
            nearest = fmin(nearest, hf_hypot(s.from_root.x, s.from_root.y));
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb* l = &v->limbs[i];
        if (l->use && l->joint_count == 0 && l->effector_link == 0) b->seat = i;
        if (!span_creature_limb(b, i, lowest, &marked, &s)) continue;
        /* Collar bones begin in the middle: names tell the side, or knees and elbows do. */
        double side = hf_name_side(l->name) ? hf_name_side(l->name) : b->rest[marked.middle.link].position.y;
        int role = role_of(s, v->height, side, nearest);
        if (l->length <= length[role]) continue;
        length[role] = l->length;
        b->limbs[role] = marked;
    }
}

hf_status hf_creature_body_make(const hf_creature* creature, hf_creature_body* b, hf_error* error) {
    const hf_creature_view* v = hf_creature_get(creature);
    *b = (hf_creature_body){.creature = creature};
    b->rest = hf_alloc((size_t)v->link_count, sizeof *b->rest);
    hf_pose pose = {.q = hf_alloc((size_t)v->q_count + 1, sizeof(double))};
    if (!b->rest || !pose.q) {
        hf_free(pose.q);
        hf_creature_body_free(b);
        return hf_fail_memory(error, v->path);
    }
    hf_pose_rest(creature, &pose);
    hf_forward(creature, &pose, b->rest);
    hf_free(pose.q);
    face_ahead(b);
    find_creature_limbs(b);
    int left = b->limbs[HF_LEFT_ARM].limb, right = b->limbs[HF_RIGHT_ARM].limb;
    if (left >= 0 && right >= 0) {
        b->chest = v->limbs[left].base_link;
        while (b->chest > 0 && !hf_link_descends(v, v->limbs[right].base_link, b->chest))
            b->chest = v->links[b->chest].parent_link;
    }
    return HF_OK;
}

void hf_creature_body_free(hf_creature_body* b) {
    hf_free(b->rest);
    b->rest = NULL;
}

/* ---- both ---- */

static int* clip_marks(hf_clip_limb* l, int k) {
    return k == 0 ? &l->upper : k == 1 ? &l->middle : &l->lower;
}
static hf_mark* creature_marks(hf_creature_limb* l, int k) {
    return k == 0 ? &l->upper : k == 1 ? &l->middle : &l->lower;
}

static int find_clip_joint(const hf_clip* clip, const char* name) {
    for (int i = 0; i < clip->joint_count; i++)
        if (!clip->joints[i].end_site && strcmp(clip->joints[i].name, name) == 0) return i;
    return -1;
}

/* One row of a user's mapping: the landmark that has the joint gets the link, or the landmark that has the
   link gets the joint. An empty link drops the limb. */
static void override(hf_clip_body* clip, hf_creature_body* creature, int joint, int link) {
    for (int role = 0; role < HF_MAX_MARKED; role++)
        for (int k = 0; k < 3; k++) {
            hf_clip_limb* c = &clip->limbs[role];
            hf_creature_limb* l = &creature->limbs[role];
            if (c->there && *clip_marks(c, k) == joint) {
                if (link < 0)
                    c->there = false;
                else
                    creature_marks(l, k)->link = link;
                return;
            }
            if (l->limb >= 0 && link >= 0 && creature_marks(l, k)->link == link) {
                *clip_marks(c, k) = joint;
                c->there = c->upper >= 0 && c->middle >= 0 && c->lower >= 0;
                return;
            }
        }
}

/* Links of the limb with the names of the clip's joints are its landmarks. */
static void match_names(const hf_clip_body* clip, hf_creature_body* creature) {
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        hf_clip_limb c = clip->limbs[role];
        hf_creature_limb* l = &creature->limbs[role];
        int links[3];
        bool same = c.there && l->limb >= 0;
        for (int k = 0; k < 3 && same; k++) {
            links[k] = hf_creature_find_link(creature->creature, clip->clip->joints[*clip_marks(&c, k)].name);
            same = links[k] >= 0 && hf_link_in_limb(creature->creature, links[k], l->limb);
        }
        for (int k = 0; k < 3 && same; k++) creature_marks(l, k)->link = links[k];
    }
}

hf_status hf_landmarks_match(hf_clip_body* clip, hf_creature_body* creature, const hf_joint_link* mapping,
                             int count, hf_error* error) {
    const char* path = clip->clip->path;
    match_names(clip, creature);
    for (int i = 0; i < count; i++) {
        int joint = find_clip_joint(clip->clip, mapping[i].joint);
        int link = mapping[i].link[0] ? hf_creature_find_link(creature->creature, mapping[i].link) : -1;
        if (joint < 0 || (mapping[i].link[0] && link < 0))
            return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "mapping", "there is no %s \"%s\"",
                           joint < 0 ? "joint" : "link", joint < 0 ? mapping[i].joint : mapping[i].link);
        override(clip, creature, joint, link);
    }
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        hf_clip_limb* l = &clip->limbs[role];
        l->tip = l->thumb_side = l->far_side = -1;
        if (l->there) find_tip(clip, hf_role_is_leg(role), l);
    }
    int matched = 0;
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        bool both = clip->limbs[role].there && creature->limbs[role].limb >= 0;
        matched += both;
        if (both) continue;
        clip->limbs[role].there = false;
        creature->limbs[role].limb = -1;
    }
    if (matched) return HF_OK;
    return hf_fail(
        error, HF_ERROR_ARGUMENT, path, 0, NULL,
        "the clip's skeleton has no limb of the creature %s: two legs or arms are looked for, left and "
        "right of the root",
        hf_creature_get(creature->creature)->name);
}

static hf_status list_one(hf_mapping* m, const char* joint, const char* link) {
    if (!HF_GROW(m->items, m->capacity, m->count)) return HF_ERROR_MEMORY;
    hf_joint_link* to = &m->items[m->count++];
    *to = (hf_joint_link){hf_copy_text(joint), hf_copy_text(link)};
    return to->joint && to->link ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_landmarks_list(const hf_clip_body* clip, const hf_creature_body* creature, hf_mapping* mapping) {
    const hf_creature_view* v = hf_creature_get(creature->creature);
    const hf_clip_joint* j = clip->clip->joints;
    hf_status status = list_one(mapping, j[clip->root].name, v->links[0].name);
    if (status == HF_OK && clip->chest != clip->root && creature->chest > 0)
        status = list_one(mapping, j[clip->chest].name, v->links[creature->chest].name);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        hf_clip_limb c = clip->limbs[role];
        hf_creature_limb l = creature->limbs[role];
        for (int k = 0; k < 3 && c.there && status == HF_OK; k++)
            status =
                list_one(mapping, j[*clip_marks(&c, k)].name, v->links[creature_marks(&l, k)->link].name);
    }
    return status;
}

double hf_clip_limb_length(const hf_clip_body* b, int role) {
    const hf_clip_limb* l = &b->limbs[role];
    return hf_distance(b->rest[l->upper].position, b->rest[l->middle].position) +
           hf_distance(b->rest[l->middle].position, b->rest[l->lower].position);
}

static double creature_limb_length(const hf_creature_body* b, int role) {
    const hf_creature_limb* l = &b->limbs[role];
    return hf_distance(b->rest[l->upper.link].position, b->rest[l->middle.link].position) +
           hf_distance(b->rest[l->middle.link].position, b->rest[l->lower.link].position);
}

double hf_landmarks_scale(const hf_clip_body* clip, const hf_creature_body* creature) {
    double theirs = 0, ours = 0;
    for (int pass = 0; pass < 2 && ours == 0; pass++)
        for (int role = 2 * pass; role < 2 * pass + 2; role++)
            if (clip->limbs[role].there) {
                theirs += hf_clip_limb_length(clip, role);
                ours += creature_limb_length(creature, role);
            }
    return theirs > 0 && ours > 0 ? ours / theirs : 1;
}

double hf_creature_body_reach(const hf_creature_body* b, const hf_body* body, hf_vec3 way) {
    hf_transform rest = b->rest[body->link];
    return hf_dot(rest.position, way) + hf_body_support(body, hf_rotate(hf_quat_conj(rest.rotation), way));
}

hf_foot_span hf_creature_foot(const hf_creature_body* b, int limb, hf_vec3 from) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    const hf_limb* l = &v->limbs[limb];
    hf_foot_span s = {INFINITY, -INFINITY, 0};
    for (int i = 0; i < l->contact_count; i++) {
        const hf_contact_frame* c = &l->contacts[i];
        hf_vec3 at = hf_apply(b->rest[c->link], c->offset);
        double half = c->ball > 0 ? c->ball : 0.5 * c->patch[0];
        s.low = fmin(s.low, at.x - from.x - half), s.high = fmax(s.high, at.x - from.x + half);
        s.half_width = fmax(s.half_width, c->ball > 0 ? c->ball : 0.5 * c->patch[1]);
        for (int k = 0; k < v->body_count; k++) {
            if (v->bodies[k].link != c->link) continue;
            s.low = fmin(s.low, -hf_creature_body_reach(b, &v->bodies[k], hf_v3(-1, 0, 0)) - from.x);
            s.high = fmax(s.high, hf_creature_body_reach(b, &v->bodies[k], hf_v3(1, 0, 0)) - from.x);
            s.half_width =
                fmax(s.half_width, hf_creature_body_reach(b, &v->bodies[k], hf_v3(0, 1, 0)) - at.y);
            s.half_width =
                fmax(s.half_width, hf_creature_body_reach(b, &v->bodies[k], hf_v3(0, -1, 0)) + at.y);
        }
    }
    return s;
}
