/* Root poses: distance, the reachability condition, and ways between two of them (thesis-2015 sections 6.1.2
   and 6.2.3). Orientations are quaternions and slerp, in testing as in playing. */
#include "space/root_space.h"

#include "base/assert.h"

#include <math.h>

void hf_root_space_start(hf_root_space* space, const hf_guide_model* model, const hf_placement* placement,
                         const hf_guide_surfaces* surfaces, const hf_guide_options* options) {
    space->model = model, space->placement = placement, space->surfaces = surfaces;
    space->metric = options->metric;
    space->step_m = options->step * model->radius;
    space->triangle_share = options->triangle_share;
    space->low = hf_v3(-INFINITY, -INFINITY, -INFINITY);
    space->high = hf_v3(INFINITY, INFINITY, INFINITY);
    space->barred = options->barred, space->barred_count = options->barred_count;
    space->barred_m = options->barred_m;
    space->headed = false;
    space->tests = 0;
    space->progress = options->progress, space->user = options->user;
    space->stop = &space->own_stop;
    atomic_init(space->stop, false);
    for (int i = 0; i < HF_GUIDE_LIMBS; i++) space->met[i] = (hf_met){-1, -1};
}

/* ---- distances ---- */

double hf_root_distance(const hf_root_space* space, const hf_transform* a, const hf_transform* b) {
    return space->metric * hf_distance(a->position, b->position) +
           (1 - space->metric) * space->model->radius * hf_quat_angle(a->rotation, b->rotation);
}

double hf_root_sweep(const hf_root_space* space, const hf_transform* a, const hf_transform* b) {
    return hf_distance(a->position, b->position) +
           space->model->radius * hf_quat_angle(a->rotation, b->rotation);
}

hf_transform hf_root_between(const hf_transform* a, const hf_transform* b, double t) {
    return (hf_transform){hf_lerp(a->position, b->position, t),
                          hf_quat_normalize(hf_quat_slerp(a->rotation, b->rotation, t))};
}

/* ---- the reachability condition ---- */

static double tilt_of(const hf_transform* root) {
    double up = hf_rotate(root->rotation, hf_v3(0, 0, 1)).z;
    return hf_acos(fmin(1, fmax(-1, up)));
}

/* Bodies bend forwards (X) further than to the sides and backwards. */
static bool leans_too_far(const hf_guide_model* m, const hf_transform* root, double tilt) {
    if (tilt > m->tilt_max_rad) return true;
    if (tilt <= m->tilt_side_rad) return false;
    hf_vec3 up = hf_unrotate(root->rotation, hf_v3(0, 0, 1));
    return hf_hypot(up.y, fmax(0, up.x)) > hf_sin(fmin(M_PI / 2, m->tilt_side_rad));
}

static bool trunk_meets(const hf_guide_model* m, const hf_placement* placement, const hf_transform* root) {
    for (int i = 0; i < m->trunk_count; i++)
        if (hf_placement_overlap_ready(placement, &m->trunk[i].ready, hf_compose(*root, m->trunk[i].in_root)))
            return true;
    return false;
}

static bool limb_reaches(const hf_guide_model* m, const hf_placement* placement, const hf_transform* root,
                         int limb, hf_met* met) {
    return hf_placement_reach_ready(placement, &m->reach[limb].ready, *root, met);
}

/* Limbs that exclude one that counts do not count beside it. */
static int count_together(const hf_guide_model* m, uint64_t reach) {
    int count = 0;
    for (uint64_t left = reach; left; left &= left - 1) {
        int limb = __builtin_ctzll(left);
        left &= ~(m->excludes[limb] & ~((uint64_t)1 << limb));
        count++;
    }
    return count;
}

static uint64_t wanted(const hf_guide_model* m, double tilt) {
    return tilt <= m->tilt_rad ? m->upright : m->bent;
}

/* Do the limbs wanted at this tilt, and enough of all, reach something? */
static bool reaches(hf_root_space* space, const hf_transform* root, double tilt) {
    const hf_guide_model* m = space->model;
    uint64_t must = wanted(m, tilt), reach = must;
    for (uint64_t left = must; left; left &= left - 1) {
        int limb = __builtin_ctzll(left);
        if (!limb_reaches(m, space->placement, root, limb, &space->met[limb])) return false;
    }
    if (count_together(m, reach) >= m->any) return true;
    for (uint64_t left = m->limbs & ~must; left; left &= left - 1) {
        int limb = __builtin_ctzll(left);
        if (!limb_reaches(m, space->placement, root, limb, &space->met[limb])) continue;
        reach |= (uint64_t)1 << limb;
        if (count_together(m, reach) >= m->any) return true;
    }
    return false;
}

static bool in_bounds(const hf_root_space* space, hf_vec3 p) {
    return p.x >= space->low.x && p.x <= space->high.x && p.y >= space->low.y && p.y <= space->high.y &&
           p.z >= space->low.z && p.z <= space->high.z;
}

static bool is_barred(const hf_root_space* space, const hf_transform* root) {
    for (int i = 0; i < space->barred_count; i++) {
        const hf_transform* bar = &space->barred[i];
        // most are too far away already without the angle, which costs more
        if (space->metric * hf_distance(root->position, bar->position) < space->barred_m &&
            hf_root_distance(space, root, bar) < space->barred_m)
            return true;
    }
    return false;
}

bool hf_root_stopped(const hf_root_space* space) {
    return atomic_load_explicit(space->stop, memory_order_relaxed);
}

/* Shall another test take place? Asks once in eight tests. */
static bool goes_on(hf_root_space* space) {
    bool asks = space->tests++ % 8 == 0 && space->progress && !hf_root_stopped(space);
    if (asks && !space->progress(space->user, -1, ""))
        atomic_store_explicit(space->stop, true, memory_order_relaxed);
    return !hf_root_stopped(space);
}

hf_guide_fault hf_root_test(hf_root_space* space, const hf_transform* root) {
    const hf_guide_model* m = space->model;
    if (!goes_on(space)) return HF_GUIDE_OUTSIDE;
    if (!in_bounds(space, root->position)) return HF_GUIDE_OUTSIDE;
    if (is_barred(space, root)) return HF_GUIDE_BARRED;
    double tilt = m->bounded ? tilt_of(root) : 0;
    if (m->bounded && leans_too_far(m, root, tilt)) return HF_GUIDE_TILT;
    if (trunk_meets(m, space->placement, root)) return HF_GUIDE_TRUNK;
    if (m->bounded && !reaches(space, root, tilt)) return HF_GUIDE_REACH;
    return HF_GUIDE_FINE;
}

bool hf_root_holds(hf_root_space* space, const hf_transform* root) {
    return hf_root_test(space, root) == HF_GUIDE_FINE;
}

bool hf_root_core_free(hf_root_space* space, const hf_transform* root) {
    const hf_guide_model* m = space->model;
    // as deep as the effector of a contact may be
    hf_allowance allowance = hf_allowance_default();
    allowance.depth = allowance.touched_depth;
    if (!goes_on(space)) return false;
    for (int i = 0; i < m->core_count; i++)
        if (hf_placement_overlap(space->placement, &m->core[i].shape, hf_compose(*root, m->core[i].in_root),
                                 &allowance, NULL))
            return false;
    return m->core_count > 0;
}

hf_guide_state hf_guide_test(const hf_guide_model* m, const hf_placement* placement, hf_transform root) {
    HF_ASSERT(m && placement);
    hf_guide_state state = {.tilt_rad = tilt_of(&root)};
    if (m->bounded && leans_too_far(m, &root, state.tilt_rad)) state.fault = HF_GUIDE_TILT;
    if (trunk_meets(m, placement, &root)) {
        if (!state.fault) state.fault = HF_GUIDE_TRUNK;
        return state;
    }
    for (uint64_t left = m->limbs; left; left &= left - 1) {
        int limb = __builtin_ctzll(left);
        hf_met met = {-1, -1};
        if (limb_reaches(m, placement, &root, limb, &met)) state.reach |= (uint64_t)1 << limb;
    }
    uint64_t must = wanted(m, state.tilt_rad);
    bool enough = (state.reach & must) == must && count_together(m, state.reach) >= m->any;
    if (m->bounded && !state.fault && !enough) state.fault = HF_GUIDE_REACH;
    return state;
}

/* ---- ways ---- */

int hf_root_steps(const hf_root_space* space, const hf_transform* a, const hf_transform* b) {
    double steps = ceil(hf_root_sweep(space, a, b) / space->step_m);
    return steps < 1 ? 1 : steps > HF_ROOT_MAX_STEPS ? HF_ROOT_MAX_STEPS : (int)steps;
}

/* Tests the middle of the way first, then the quarters: a bad way is mostly bad in its middle. */
bool hf_root_straight(hf_root_space* space, const hf_transform* a, const hf_transform* b) {
    int steps = hf_root_steps(space, a, b), stride = 1;
    while (stride < steps) stride *= 2;
    for (stride /= 2; stride >= 1; stride /= 2)
        for (int i = stride; i < steps; i += 2 * stride) {
            hf_transform at = hf_root_between(a, b, (double)i / steps);
            if (!hf_root_holds(space, &at)) return false;
        }
    return true;
}

bool hf_root_local(hf_root_space* space, const hf_transform* a, const hf_transform* b, double s,
                   double* turn) {
    *turn = -1;
    if (hf_root_straight(space, a, b)) return true;
    hf_vec3 x = hf_lerp(a->position, b->position, s);
    hf_transform before = {x, a->rotation}, after = {x, b->rotation};
    if (!hf_root_holds(space, &before) || !hf_root_holds(space, &after)) return false;
    if (!hf_root_straight(space, &before, &after)) return false;
    if (!hf_root_straight(space, a, &before) || !hf_root_straight(space, &after, b)) return false;
    *turn = s;
    return true;
}

bool hf_root_extend(hf_root_space* space, const hf_transform* a, const hf_transform* b, hf_transform* reached,
                    bool* moved) {
    int steps = hf_root_steps(space, a, b);
    *reached = *a, *moved = false;
    for (int i = 1; i <= steps; i++) {
        hf_transform at = i == steps ? *b : hf_root_between(a, b, (double)i / steps);
        if (!hf_root_holds(space, &at)) return false;
        *reached = at, *moved = true;
    }
    return true;
}
