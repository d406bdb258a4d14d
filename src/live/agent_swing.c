/* The way of a limb from one contact to the next (efort-2014-journal section 3.3): a Bezier curve that leaves
   along the old surface's normal and arrives along the new one's, kept in the frame of the object it goes to.
 */
#include "live/agent.h"
#include "base/ease.h"

#include <holdfast/swing.h>
#include <math.h>

static const double RAISE = 0.7; /* how much higher each new start of a swing is, in lifts */

static void start_here(hf_agent* a, int limb, const hf_placement* placement, hf_vec3 normal) {
    agent_limb* l = &a->limbs[limb];
    hf_transform object = hf_object_pose(placement, l->at.hold.object);
    hf_forward(a->creature, &a->pose, a->links);
    hf_anchor now = hf_anchor_in(hf_inverse(object), hf_hold_anchor(a->creature, &l->at.hold, a->links));
    l->swing.from = now.point;
    l->swing.from_normal = hf_unrotate(object.rotation, normal);
    l->swing.from_rotation = now.rotation;
    l->swing.phase = l->swing.waited = 0;
    l->swing.stuck = 0;
}

void hf_agent_swing_begin(hf_agent* a, int limb, const agent_place* to, const hf_placement* placement) {
    agent_limb* l = &a->limbs[limb];
    hf_vec3 normal = hf_agent_up(a);
    l->swing = (agent_swing){.left = l->at, .lifting = l->mode == AGENT_HELD};
    if (l->swing.lifting)
        normal = hf_rotate(hf_object_pose(placement, l->at.hold.object).rotation, l->at.hold.normal);
    l->at = *to;
    l->mode = AGENT_SWING;
    start_here(a, limb, placement, normal);
}

void hf_agent_swing_again(hf_agent* a, int limb, const hf_placement* placement) {
    agent_limb* l = &a->limbs[limb];
    l->swing.raise += RAISE;
    l->swing.restarts++;
    // up, and away from what was in the way
    start_here(a, limb, placement, hf_normalize(hf_add(hf_agent_up(a), l->swing.away)));
    l->swing.away = hf_v3(0, 0, 0);
}

void hf_agent_swing_at(const hf_agent* a, int limb, const hf_placement* placement, double phase,
                       hf_vec3* point, hf_quat* rotation) {
    const agent_limb* l = &a->limbs[limb];
    hf_transform object = hf_object_pose(placement, l->at.hold.object);
    hf_vec3 goal = l->at.anchor.point, way = hf_sub(goal, l->swing.from);
    // where one end lies higher than the other, the curve rises above the higher one
    double lift = l->lift * (1 + l->swing.raise);
    hf_swing_shape shape = {.leave_m = lift + fmax(0, hf_dot(way, l->swing.from_normal)),
                            .arrive_m = lift + fmax(0, -hf_dot(way, l->at.hold.normal))};
    hf_swing_curve curve =
        hf_swing_curve_make(l->swing.from, l->swing.from_normal, goal, l->at.hold.normal, shape);
    double s = hf_ease_cubic(phase);
    *point = hf_apply(object, hf_swing_curve_point(&curve, s));
    // a foot turns while it is in the air
    hf_quat turned = hf_quat_slerp(l->swing.from_rotation, l->at.anchor.rotation, hf_swing_turned(s));
    *rotation = hf_quat_mul(object.rotation, turned);
}
