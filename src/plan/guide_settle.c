/* A guide knows that limbs can reach something, not where the body stands well: it rises straight over
   stairs. Here each of its poses is moved along the limbs' rest direction until the walking limbs meet what
   is under them as they do at rest, smoothly along the way, where the reachability condition still holds. */
#include "plan/planner.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEAREST = 0.3, FARTHEST = 1.8; /* of a limb's rest length: what counts as under it */
static const double MOST = 0.6;                    /* of that length: the largest shift */
static const double BENT = 0.985;                  /* limbs a little bent reach further */
static const double STRETCHED = 0.15;              /* of it: more than a limb stretches */
enum { WINDOW = 5, STEPS = 8 };                    /* poses on either side that are averaged; tries */

/* How far along its rest direction a limb's rest contact is from a surface; false when none is under it. */
static bool gap_under(const hf_planner* p, const hf_plan_limb* l, hf_transform root, hf_vec3* along,
                      double* gap) {
    hf_vec3 base = hf_apply(root, l->anchor_in_root), foot = hf_apply(root, l->rest_in_root);
    double length = hf_distance(base, foot);
    hf_vec3 way = hf_scale(hf_sub(foot, base), length > 1e-9 ? 1 / length : 0);
    hf_surface hit;
    if (length < 1e-9 || !hf_placement_ray(p->placement, base, way, FARTHEST * length, &hit)) return false;
    double at = hf_distance(base, hit.point);
    if (at < NEAREST * length || !hf_scene_object(p->scene, hit.object).contact) return false;
    *along = hf_scale(way, 1);
    *gap = fmax(-MOST * length, fmin(MOST * length, at - BENT * length));
    return true;
}

/* The shift that one pose wants: that of its most stretched walking limb, so that all reach. */
static bool wanted_shift(const hf_planner* p, hf_transform root, hf_vec3* shift) {
    double most = -INFINITY;
    int count = 0;
    for (int i = 0; i < p->model->limb_count; i++) {
        hf_vec3 along;
        double gap;
        const hf_plan_limb* l = &p->model->limbs[i];
        // a body that bends over still stands on what is under it
        if (!l->walks ||
            (!gap_under(p, l, hf_root_upright(root), &along, &gap) && !gap_under(p, l, root, &along, &gap)))
            continue;
        count++;
        if (gap > most) most = gap, *shift = hf_scale(along, gap);
    }
    return count > 0;
}

/* Does the body stand there: is there something under a walking limb that it reaches? */
static bool stands(const hf_planner* p, hf_transform root) {
    for (int i = 0; i < p->model->limb_count; i++) {
        const hf_plan_limb* l = &p->model->limbs[i];
        hf_vec3 along;
        double gap, length = hf_distance(l->anchor_in_root, l->rest_in_root);
        if (!l->walks) continue;
        if (gap_under(p, l, hf_root_upright(root), &along, &gap) && gap < STRETCHED * length) return true;
        if (gap_under(p, l, root, &along, &gap) && gap < STRETCHED * length) return true;
    }
    return false;
}

bool hf_guide_settle(hf_planner* p, hf_transform* guide, int count, double* standing) {
    hf_vec3* shifts = hf_alloc((size_t)count, sizeof *shifts);
    bool* known = hf_alloc((size_t)count, sizeof *known);
    hf_transform* moved = hf_alloc((size_t)count, sizeof *moved);
    bool good = shifts && known && moved;
    for (int i = 0; good && i < count; i++) known[i] = wanted_shift(p, guide[i], &shifts[i]);
    // both ends stay
    for (int i = 0; good && i < count; i++) {
        hf_vec3 sum = {0, 0, 0};
        double weight = 0;
        for (int k = -WINDOW; k <= WINDOW; k++) {
            int at = i + k < 0 ? 0 : i + k >= count ? count - 1 : i + k;
            bool end = at == 0 || at == count - 1;
            double w = WINDOW + 1 - abs(k);
            if (known[at] && !end) sum = hf_add(sum, hf_scale(shifts[at], w));
            if (known[at] || end) weight += w;
        }
        moved[i] = guide[i];
        if (weight > 0 && i > 0 && i < count - 1)
            moved[i].position = hf_add(guide[i].position, hf_scale(sum, 1 / weight));
        // as far as the condition holds
        for (int step = STEPS;
             step > 0 && hf_guide_test(p->model->guide, p->placement, moved[i]).fault != HF_GUIDE_FINE;
             step--)
            moved[i].position = hf_lerp(guide[i].position, moved[i].position, (step - 1.0) / STEPS);
    }
    int held = 0;
    for (int i = 0; good && i < count; i++) held += stands(p, moved[i]);
    *standing = count > 0 ? (double)held / count : 0;
    if (good) memcpy(guide, moved, sizeof *moved * (size_t)count);
    hf_free(shifts);
    hf_free(known);
    hf_free(moved);
    return good;
}
