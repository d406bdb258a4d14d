/* Legs whose joints all turn about one direction, as of a quadruped with eight joints: they move in planes,
   and over feet that hold the body cannot go sideways at all. Its centre of mass stays where the middle of
   its feet has it across, so that it presses on the ground along a line; only along that line is it moved
   into what the limbs that stand can hold. */
#include "plan/walk.h"

#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Joints whose axes differ by less turn about one direction, rad. */
static const double PARALLEL_RAD = 0.02;

/* Do all joints of the limb turn about one direction, and does its foot not turn the limb by itself? */
static bool is_plane(const hf_planner* p, const hf_plan_hold* h) {
    const hf_creature_view* v = p->world.view;
    const hf_limb* limb = &v->limbs[h->at.limb];
    hf_vec3 first = {0, 0, 0};
    bool plane = limb->joint_count > 0 && h->at.frame < limb->contact_count;
    for (int k = 0; k < limb->joint_count && plane; k++) {
        const hf_joint* j = &v->joints[limb->joints[k]];
        bool turns = j->type == HF_JOINT_REVOLUTE || j->type == HF_JOINT_CONTINUOUS;
        hf_vec3 axis = hf_rotate(p->tools.links[j->child_link].rotation, j->axis);
        if (k == 0) first = axis;
        plane = turns && hf_length(hf_cross(first, axis)) < hf_sin(PARALLEL_RAD);
    }
    return plane;
}

void hf_walk_line_find(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_forward(p->world.creature, &w->from, p->tools.links);
    w->line.planar = w->node->hold_count > 0;
    for (int i = 0; i < w->node->hold_count; i++)
        w->line.planar = w->line.planar && is_plane(p, &w->node->holds[i]);
}

/* The part of a line through `at` along `way` that is in the region: two corners. False where there is none.
 */
static bool cut(const hf_pressure_region* r, const double at[2], const double way[2],
                hf_pressure_region* out) {
    double first = -INFINITY, last = INFINITY;
    for (int i = 0; i < r->count; i++) {
        const double *a = r->corners[i], *b = r->corners[(i + 1) % r->count];
        double dx = b[0] - a[0], dy = b[1] - a[1];
        double in = dx * (at[1] - a[1]) - dy * (at[0] - a[0]), more = dx * way[1] - dy * way[0];
        if (more > 0)
            first = fmax(first, -in / more);
        else if (more < 0)
            last = fmin(last, -in / more);
        else if (in < 0)
            return false;
    }
    out->count = 2;
    for (int x = 0; x < 2; x++)
        out->corners[0][x] = at[x] + first * way[x], out->corners[1][x] = at[x] + last * way[x];
    return first <= last && isfinite(first) && isfinite(last);
}

bool hf_walk_lines(hf_walk* w) {
    double facing = w->planner->world.view->facing;
    bool good = true;
    for (int k = 0; k <= w->last && good; k++) {
        hf_vec3 ahead = hf_rotate(w->wished[k].rotation, hf_v3(hf_cos(facing), hf_sin(facing), 0));
        double at[2] = {w->press.wish[k][0] + w->press.learnt[k][0],
                        w->press.wish[k][1] + w->press.learnt[k][1]};
        good = cut(w->press.region[k], at, (double[]){ahead.x, ahead.y}, &w->line.regions[k]);
        w->press.region[k] = &w->line.regions[k];
    }
    return good;
}
