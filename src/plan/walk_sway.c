/* Legs whose ankles do not roll: over two flat feet their hips cannot go sideways, and over one they stay
   where the foot is. The body brings its mass over the foot that stands by leaning to that side from the
   hips, and the soles give way to it by the little that a hold allows (hf_limb_yields). */
#include "plan/walk.h"

#include "model/creature.h"
#include "solve/keep.h"

#include <math.h>

/* How far a body leans at most, rad: by 0.3 rad two hips are nearer to each other by a twentieth of their
   distance, which soles can still give way to. Of the height of the legs, how high the mass that leans is
   over the hips at least, as leaning is of no use to a body that is all legs. */
static const double MOST_SWAY = 0.35, LEAST_ARM = 0.06;

/* Does the link belong to a limb that walks? */
static bool is_of_leg(const hf_plan_world* w, int link) {
    for (int l = 0; l < w->view->limb_count; l++)
        if (w->model->limbs[l].walks && w->view->limbs[l].joint_count > 0 &&
            hf_link_in_limb(w->creature, link, l))
            return true;
    return false;
}

void hf_walk_sway_find(hf_walk* w) {
    hf_planner* p = w->planner;
    const hf_plan_world* world = &p->world;
    double hips = 0, moment = 0, legs = 0;
    w->sway.stiff = w->node->hold_count == 2;
    for (int i = 0; i < w->node->hold_count; i++) {
        const hf_plan_hold* h = &w->node->holds[i];
        const hf_plan_limb* limb = &world->model->limbs[h->at.limb];
        w->sway.stiff = w->sway.stiff && hf_limb_yields(world->creature, &h->at);
        hips += hf_apply(w->from.root, limb->anchor_in_root).z / w->node->hold_count;
        legs += (limb->anchor_in_root.z - limb->rest_in_root.z) / w->node->hold_count;
    }
    w->sway.aside_m = 0;
    hf_forward(world->creature, &w->from, p->tools.links);
    for (int l = 0; l < world->view->link_count && w->sway.stiff; l++)
        if (!is_of_leg(world, l))
            moment += world->view->links[l].mass *
                      (hf_apply(p->tools.links[l], world->view->links[l].com).z - hips);
    if (w->sway.stiff && moment > LEAST_ARM * legs * world->view->mass)
        w->sway.aside_m = moment / world->view->mass;
}

/* To the left of the root at a knot, level. */
static hf_vec3 left_at(const hf_walk* w, int k) {
    double facing = w->planner->world.view->facing;
    hf_vec3 left = hf_rotate(w->wished[k].rotation, hf_v3(-hf_sin(facing), hf_cos(facing), 0));
    return hf_v3(left.x, left.y, 0);
}

/* How far the root leans to the left at a knot, rad. */
static double lean_at(const hf_walk* w, int k) {
    if (!(w->sway.aside_m > 0)) return 0;
    hf_vec3 off =
        hf_v3(w->press.place[k][0] - w->press.wish[k][0], w->press.place[k][1] - w->press.wish[k][1], 0);
    double lean = hf_dot(off, left_at(w, k)) / w->sway.aside_m, share = lean * lean / (MOST_SWAY * MOST_SWAY);
    return lean / sqrt(sqrt(1 + share * share));
}

hf_quat hf_walk_sway_at(const hf_walk* w, int k) {
    double facing = w->planner->world.view->facing;
    return hf_quat_axis_angle(hf_v3(hf_cos(facing), hf_sin(facing), 0), -lean_at(w, k));
}

hf_vec3 hf_walk_swayed(const hf_walk* w, int k) {
    return hf_scale(left_at(w, k), w->sway.aside_m * lean_at(w, k));
}
