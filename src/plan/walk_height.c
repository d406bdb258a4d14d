/* The height of the root along a walk over uneven ground: smooth, as near to the wished height as may be, and
   between the floors and ceilings that the limbs ask for. A leg that pushes off behind the body wants the
   root low, a foot flat under the body wants it high, so that the root goes up and down with every step as a
   person's does. One quadratic program with bounds: least sum of squared differences from the wish and of
   squared second differences, by relaxation of one knot after the other. */
#include "plan/walk.h"

#include <math.h>

/* The time over which the height is smooth, in units of the pendulum's own time, which is 0.3 s for a person.
   Waves shorter than 2 pi of it, as those of single steps, cost more than they bring near to the wish: floors
   and ceilings alone ask for them. */
static const double SMOOTH_TIME = 1.5;
/* Over-relaxation, and when it ends, m: a tenth of the step in which floors and ceilings are found. */
static const double OVER = 1.6, ENOUGH_M = 1e-4;
enum { SWEEPS = 400 };

/* A height; before the first and behind the last knot it is theirs. */
static double height_at(const hf_walk* w, int k) {
    return w->wished[k < 0 ? 0 : k < w->last ? k : w->last].position.z;
}

/* Where one knot would be by its wish and its neighbours, without bounds. */
static double best_at(const hf_walk* w, int k, double stiff) {
    double near = height_at(w, k - 1) + height_at(w, k + 1), far = height_at(w, k - 2) + height_at(w, k + 2);
    double wish = w->level.wish[k] - w->level.crouch;
    return (wish + stiff * (4 * near - far)) / (1 + 6 * stiff);
}

void hf_walk_heights(hf_walk* w) {
    double length = SMOOTH_TIME * sqrt(w->height / HF_GRAVITY_M_S2) * w->planner->world.options->rate;
    double stiff = length * length * length * length, most = INFINITY;
    for (int k = 0; k <= w->last; k++) w->wished[k].position.z = w->level.wish[k];
    for (int i = 0; i < SWEEPS && most > ENOUGH_M; i++) {
        most = 0;
        for (int k = 1; k < w->last; k++) {
            double *z = &w->wished[k].position.z, old = *z;
            double next = old + OVER * (best_at(w, k, stiff) - old);
            // a ceiling that no limb asked for is the crouch of the whole walk, which its ends do not have
            double ceiling = w->level.ceiling[k] < w->level.wish[k] - w->level.crouch - HF_SKIN
                                 ? w->level.ceiling[k]
                                 : INFINITY;
            *z = fmax(fmin(next, ceiling), w->level.floor[k]);
            most = fmax(most, fabs(*z - old));
        }
    }
}
