/* Limbs from the tree alone (docs/formats.md). Links that are fixed to each other count as one group. The
   trunk joins all groups that branch into limbs; each chain from it to its end is a limb; what branches off
   beyond (fingers, toes, sensors) is short against the chain that carries it and belongs to its effector. */
#include "model/limb_plan.h"

#include <math.h>

/* Branches this short against the chain that carries them are fingers, against their siblings sensors. */
static const double FINGER_SHARE = 0.5;
static const double SIDE_SHARE = 0.15;
static const double GROUND_SLACK = 0.02; /* m, between a foot's and its toe's lowest points */
/* Of the length from a leg's first joint to its foot's: the same where no name says toe; the longest toe; and
   the longest foot, which is longer than a person's (0.31) and shorter than a shin (0.45). */
static const double TOE_SLACK = 0.02, TOE_SHARE = 0.2, FOOT_SHARE = 0.38;

static const char DIGITS[] =
    "finger thumb toe pinky claw nail eye jaw ear eyelid lip tongue index middle ring";

typedef struct groups {
    int* top;      /* by link: the link whose joint moves its group */
    double* reach; /* by group: how far anything beyond its origin is, along the chain */
    int* branches; /* by group: chains that go on from it */
    bool* dropped; /* by group: belongs to the group above, as a finger or a sensor */
    bool* ends;    /* by group: what lies beyond are fingers */
    bool* trunk;   /* by group */
} groups;

/* Farthest point of a link's bodies from a world point at rest; 0 when it has none of its own. */
static double link_extent(const hf_build* b, int link, hf_vec3 from) {
    const hf_link* l = &b->links[link];
    double far = 0;
    for (int i = l->first_body; i < l->first_body + l->body_count && !b->gap_body[link]; i++) {
        const hf_body* body = &b->bodies[i];
        hf_transform t = hf_compose(b->rest_links[link], body->in_link);
        hf_vec3 local = hf_unapply(t, from);
        const hf_shape* s = &body->shape;
        switch (s->kind) {
        case HF_SHAPE_SPHERE:
            far = fmax(far, hf_length(local) + s->radius);
            break;
        case HF_SHAPE_CAPSULE:
            local.z = fabs(local.z) + s->half_length;
            far = fmax(far, hf_length(local) + s->radius);
            break;
        case HF_SHAPE_BOX:
            far = fmax(far, hf_length(hf_v3(fabs(local.x) + s->half_size.x, fabs(local.y) + s->half_size.y,
                                            fabs(local.z) + s->half_size.z)));
            break;
        case HF_SHAPE_HULL:
            for (int k = 0; k < s->vertex_count; k++) {
                far = fmax(far, hf_distance(local, hf_vertex(s->vertices, (size_t)k)));
            }
        }
    }
    return far;
}

static bool is_group(const groups* g, int link) { return g->top[link] == link; }

/* The group that carries a group; -1 for the root's. */
static int carrier(const hf_build* b, const groups* g, int group) {
    int parent = b->links[group].parent_link;
    return parent < 0 ? -1 : g->top[parent];
}

static double step(const hf_build* b, int from, int to) {
    return hf_distance(b->rest_links[from].position, b->rest_links[to].position);
}

static bool measure_groups(hf_build* b, groups* g) {
    int count = b->creature->view.link_count;
    g->top = hf_build_scratch(b, (size_t)count, sizeof *g->top);
    g->reach = hf_build_scratch(b, (size_t)count, sizeof *g->reach);
    g->branches = hf_build_scratch(b, (size_t)count, sizeof *g->branches);
    g->dropped = hf_build_scratch(b, (size_t)count, sizeof *g->dropped);
    g->ends = hf_build_scratch(b, (size_t)count, sizeof *g->ends);
    g->trunk = hf_build_scratch(b, (size_t)count, sizeof *g->trunk);
    if (!g->top || !g->reach || !g->branches || !g->dropped || !g->ends || !g->trunk) return false;
    for (int l = 0; l < count; l++) {
        bool moves = l == 0 || hf_joint_moves(&b->joints[b->links[l].joint]);
        g->top[l] = moves ? l : g->top[b->links[l].parent_link];
    }
    /* Children come after their parents, so one pass from the end sees each group complete. */
    for (int l = count - 1; l >= 0; l--) {
        int t = g->top[l];
        hf_vec3 origin = b->rest_links[t].position;
        double own = fmax(link_extent(b, l, origin), hf_distance(origin, b->rest_links[l].position));
        g->reach[t] = fmax(g->reach[t], own);
        int above = is_group(g, l) ? carrier(b, g, l) : -1;
        if (above < 0) continue;
        g->reach[above] = fmax(g->reach[above], step(b, above, l) + g->reach[l]);
        g->branches[above]++;
    }
    return true;
}

/* Sensors and the like on the side of a chain: far shorter than the chain that goes on. */
static void drop_sides(const hf_build* b, groups* g) {
    int count = b->creature->view.link_count;
    for (int l = 1; l < count; l++) {
        int above = is_group(g, l) ? carrier(b, g, l) : 0;
        if (above == 0 || g->branches[above] < 2) continue;
        double longest = 0, own = step(b, above, l) + g->reach[l];
        for (int k = above + 1; k < count; k++)
            if (is_group(g, k) && carrier(b, g, k) == above && !g->dropped[k])
                longest = fmax(longest, step(b, above, k) + g->reach[k]);
        if (own > SIDE_SHARE * longest) continue;
        g->dropped[l] = true;
        g->branches[above]--;
    }
}

/* Where a chain splits into branches that are short against it, they are fingers. */
static void drop_fingers(const hf_build* b, groups* g, double* along) {
    int count = b->creature->view.link_count;
    for (int l = 0; l < count; l++) {
        if (!is_group(g, l)) continue;
        int above = carrier(b, g, l);
        if (above >= 0 && (g->ends[above] || g->dropped[above])) g->dropped[l] = true;
        if (g->dropped[l]) continue;
        /* along: from the last group that branches, or the root, to this one. */
        if (above >= 0) along[l] = step(b, above, l) + (g->branches[above] > 1 ? 0 : along[above]);
        if (above < 0 || g->branches[l] < 2) continue;
        double longest = 0;
        bool digits = true;
        for (int k = l + 1; k < count; k++) {
            if (!is_group(g, k) || carrier(b, g, k) != l || g->dropped[k]) continue;
            longest = fmax(longest, step(b, l, k) + g->reach[k]);
            digits &= hf_name_has(b->links[k].name, DIGITS);
        }
        g->ends[l] = digits || longest <= FINGER_SHARE * along[l];
    }
}

/* Every group from the root to each one that still branches. */
static void mark_trunk(const hf_build* b, groups* g) {
    g->trunk[0] = true;
    for (int l = b->creature->view.link_count - 1; l > 0; l--)
        if (is_group(g, l) && !g->dropped[l] && !g->ends[l] && g->branches[l] > 1)
            for (int k = l; k >= 0; k = carrier(b, g, k)) g->trunk[k] = true;
}

/* The chain's only continuation, -1 at its end. */
static int next_group(const hf_build* b, const groups* g, int group) {
    if (g->ends[group]) return -1;
    for (int k = group + 1; k < b->creature->view.link_count; k++)
        if (is_group(g, k) && carrier(b, g, k) == group && !g->dropped[k]) return k;
    return -1;
}

/* The link of the last group that touches things: where fingers are mounted; else of the links with a shape
   of their own one that is named so, and the one that reaches farthest. */
static int effector_of(const hf_build* b, const groups* g, int group, bool* grip) {
    int best = group, count = b->creature->view.link_count;
    double far = link_extent(b, group, b->rest_links[group].position);
    bool named = false;
    *grip = g->ends[group];
    for (int k = group + 1; k < count && g->ends[group]; k++)
        if (is_group(g, k) && carrier(b, g, k) == group) return b->links[k].parent_link;
    for (int k = group + 1; k < count; k++) {
        if (g->top[k] != group || hf_name_has(b->links[k].name, "camera sensor imu lidar optical")) continue;
        double extent = link_extent(b, k, b->rest_links[group].position);
        bool says = hf_name_has(b->links[k].name, "ee tool tip foot hand gripper palm sole effector contact");
        if (extent > 0 && (says != named ? says : extent > far + 1e-6)) best = k, far = extent, named = says;
    }
    return best;
}

/* How far down a group's own bodies reach in the neutral posture; of all groups from `first` on where `all`.
 */
static double lowest_of(const hf_build* b, const groups* g, int first, bool all) {
    double down = -INFINITY;
    for (int l = first; l < b->creature->view.link_count; l++)
        if (g->top[l] == first || (all && hf_build_below(b, l, first)))
            down = fmax(down, hf_link_support(b, l, b->neutral_links[l], hf_v3(0, 0, -1)));
    return down;
}

/* The length of a leg from its first joint to that of a group, and how far that group's own bodies reach. */
static double leg_length(const hf_build* b, const groups* g, int first, int last) {
    double leg = 0;
    for (int k = last; k != first; k = carrier(b, g, k)) leg += step(b, carrier(b, g, k), k);
    return leg;
}

static double own_extent(const hf_build* b, const groups* g, int group) {
    double own = 0;
    for (int l = group; l < b->creature->view.link_count; l++)
        if (g->top[l] == group) own = fmax(own, link_extent(b, l, b->rest_links[group].position));
    return own;
}

/* Without a name that says so: a toe is the short end of a leg behind a short link that stands on the ground
   as it does, far below the leg's first joint. */
static bool is_toe(const hf_build* b, const groups* g, int first, int last, int next) {
    double leg = leg_length(b, g, first, last), own = own_extent(b, g, last);
    double foot = lowest_of(b, g, last, false), slack = TOE_SLACK * leg;
    double below = b->neutral_links[first].position.z - b->neutral_links[last].position.z;
    return own > 0 && below >= leg / 2 && own <= FOOT_SHARE * leg && g->reach[next] <= TOE_SHARE * leg &&
           foot >= lowest_of(b, g, next, true) - slack && foot >= lowest_of(b, g, 0, true) - slack;
}

/* A toe is beyond a foot that stands on the ground as it does; some feet are called toes, those behind a link
   as long as a shin. */
static bool beyond_effector(const hf_build* b, const groups* g, int first, int last, int next) {
    if (hf_name_has(b->links[next].name, "finger thumb")) return true;
    if (!hf_name_has(b->links[next].name, "toe toes claw")) return is_toe(b, g, first, last, next);
    if (hf_name_has(b->links[last].name, "foot paw hand")) return true;
    return lowest_of(b, g, last, false) > lowest_of(b, g, next, false) - GROUND_SLACK &&
           own_extent(b, g, last) <= FOOT_SHARE * leg_length(b, g, first, last);
}

/* Follows the chain to its end; a last toe or finger is left to the effector before it. */
static void follow_chain(const hf_build* b, const groups* g, int first, hf_limb_plan* limb) {
    int last = first;
    for (int k = next_group(b, g, first); k >= 0 && !beyond_effector(b, g, first, last, k);
         k = next_group(b, g, k))
        last = k;
    limb->root = first;
    limb->effector = effector_of(b, g, last, &limb->grip);
}

static bool has_free_joint(const hf_build* b, const hf_limb_plan* limb) {
    for (int l = limb->effector; l >= limb->root && l > 0; l = b->links[l].parent_link)
        if (hf_joint_free(&b->joints[b->links[l].joint])) return true;
    return false;
}

hf_status hf_limbs_find(hf_build* b, hf_limb_plans* plans) {
    int count = b->creature->view.link_count;
    groups g;
    double* along = hf_build_scratch(b, (size_t)count, sizeof *along);
    plans->items = hf_build_scratch(b, HF_MAX_LIMBS, sizeof *plans->items);
    plans->trunk = hf_build_scratch(b, (size_t)count, sizeof *plans->trunk);
    if (!along || !plans->items || !plans->trunk || !measure_groups(b, &g)) return hf_build_fail_memory(b);
    drop_sides(b, &g);
    drop_fingers(b, &g, along);
    mark_trunk(b, &g);
    bool over = false;
    plans->count = 0;
    for (int l = 0; l < count; l++) {
        plans->trunk[l] = g.trunk[g.top[l]];
        if (l == 0 || !is_group(&g, l) || g.trunk[l] || g.dropped[l] || !g.trunk[carrier(b, &g, l)]) continue;
        if (plans->count == HF_MAX_LIMBS) {
            over = true;
            continue;
        }
        hf_limb_plan* limb = &plans->items[plans->count];
        follow_chain(b, &g, l, limb);
        limb->use = true;
        plans->count += has_free_joint(b, limb);
    }
    if (over && hf_build_warn(b, "more than %d limbs: the others are left out", HF_MAX_LIMBS) != HF_OK)
        return HF_ERROR_MEMORY;
    hf_status status = hf_limbs_name(b, plans);
    if (status == HF_OK) status = hf_limbs_name_by_group(b, plans);
    return status;
}
