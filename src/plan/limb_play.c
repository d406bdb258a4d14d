/* The play of a body over its limbs: how far it goes, upright and lowered as limbs fold, while all that walk
   keep the contacts on which it stands. Bodies on legs that reach out far have more of it than their height
   tells. */
#include "plan/plan_model.h"

#include <math.h>

enum { DIRECTIONS = 8, STEPS = 48, LOWERINGS = 8 };
static const double MOST_LOWER = 0.4; /* of the limb's length at rest: how far the body is lowered for it */

static bool has(const hf_volume* v, hf_vec3 x) {
    for (int i = 0; i < v->plane_count; i++) {
        const double* n = v->planes + 4 * i;
        if (n[0] * x.x + n[1] * x.y + n[2] * x.z > n[3]) return false;
    }
    return true;
}

/* How far the root goes in a direction until the limb would leave its contact at every height, by its reach
   volume: at most twice as far as the limb is long. */
static double play_towards(const hf_plan_limb* l, hf_vec3 way) {
    double length = hf_distance(l->anchor_in_root, l->rest_in_root), step = length / STEPS;
    for (int i = 1; i <= 2 * STEPS; i++) {
        bool kept = false;
        for (int h = 0; h < LOWERINGS && !kept; h++) {
            hf_vec3 x = hf_sub(l->rest_in_root, hf_scale(way, i * step));
            x.z += MOST_LOWER * length * h / (LOWERINGS - 1);
            kept = has(&l->volume, x);
        }
        if (!kept) return (i - 1) * step;
    }
    return 2 * length;
}

double hf_limbs_play(const hf_plan_model* m) {
    const hf_creature_view* view = hf_creature_get(m->creature);
    double sum = 0;
    for (int l = 0; l < m->limb_count; l++)
        if (m->limbs[l].walks && m->limbs[l].used && !(view->limbs[l].contacts[0].ball > 0)) return 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        double angle = 2 * M_PI * d / DIRECTIONS, least = INFINITY;
        hf_vec3 way = hf_v3(hf_cos(angle), hf_sin(angle), 0);
        for (int l = 0; l < m->limb_count; l++)
            if (m->limbs[l].walks && m->limbs[l].used && m->limbs[l].volume.plane_count > 0)
                least = fmin(least, play_towards(&m->limbs[l], way));
        if (!isfinite(least)) return 0;
        sum += least / DIRECTIONS;
    }
    return sum;
}
