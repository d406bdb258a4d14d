#include "balance/bearing.h"

#include <math.h>

/* An effector's own joints are the first above its contact and those that turn at the same place to this
   share of the limb's length (an ankle's two axes, a wrist's): other joints' levers change with the posture.
 */
static const double SAME_PLACE = 0.05;

/* What is left of a patch across an axis at least, m. */
static const double LEAST_M = 0.002;

static bool is_turning(const hf_joint* j) {
    return j->type == HF_JOINT_REVOLUTE || j->type == HF_JOINT_CONTINUOUS;
}

/* The torque of a joint at `place` against a force of 1 along the normal at a point. */
static double lever_of(hf_vec3 point, hf_vec3 place, hf_vec3 axis, hf_vec3 normal) {
    return hf_dot(axis, hf_cross(hf_sub(point, place), normal));
}

/* The point nearest to a corner at which a lever is no more than `most`, on the way to another corner. */
static hf_vec3 drawn_in(const hf_support* s, const double* levers, int corner, double most) {
    hf_vec3 at = s->corners[corner];
    double nearest = INFINITY;
    for (int i = 0; i < s->corner_count; i++) {
        if (levers[i] > most) continue;
        double share = (most - levers[i]) / (levers[corner] - levers[i]);
        hf_vec3 point = hf_lerp(s->corners[i], s->corners[corner], share);
        double way = hf_distance(point, s->corners[corner]);
        if (way < nearest) nearest = way, at = point;
    }
    return at;
}

/* Brings the levers about one side of an axis within `most`, with which the joint bears the weight. */
static void spare_joint(hf_support* s, hf_vec3 place, hf_vec3 axis, double most, double least_share) {
    hf_support drawn = *s;
    double levers[HF_SUPPORT_CORNERS];
    double least = INFINITY;
    for (int i = 0; i < s->corner_count; i++) {
        levers[i] = lever_of(s->corners[i], place, axis, s->normal);
        least = fmin(least, levers[i]);
    }
    if (least_share * least > most) drawn.corner_count = 0;
    most = fmax(most, least + LEAST_M);
    for (int i = 0; i < drawn.corner_count; i++)
        if (levers[i] > most) drawn.corners[i] = drawn_in(s, levers, i, most);
    *s = drawn;
}

void hf_support_spare_joints(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                             double least_share, hf_support* support) {
    const hf_creature_view* v = hf_creature_get(creature);
    const hf_limb* limb = &v->limbs[hold->limb];
    double weight = v->mass * HF_GRAVITY_M_S2;
    if (support->grip || support->corner_count < 2 || hold->frame < 0 || !(weight > 0)) return;
    const hf_contact_frame* frame = &limb->contacts[hold->frame];
    hf_transform link = {hf_sub(anchor->point, hf_rotate(anchor->rotation, frame->offset)), anchor->rotation};
    hf_vec3 first = link.position;
    bool found = false;
    for (int l = frame->link; l >= 0 && v->links[l].joint >= 0; l = v->links[l].parent_link) {
        const hf_joint* joint = &v->joints[v->links[l].joint];
        if (joint->type != HF_JOINT_FIXED) {
            if (found && hf_distance(first, link.position) > SAME_PLACE * limb->length) return;
            if (!is_turning(joint)) return;
            if (!found) first = link.position, found = true;
            hf_vec3 axis = hf_rotate(link.rotation, joint->axis);
            double most = joint->max_effort / weight;
            if (isfinite(most) && most > 0) {
                spare_joint(support, link.position, axis, most, least_share);
                spare_joint(support, link.position, hf_neg(axis), most, least_share);
            }
        }
        link = hf_compose(link, hf_inverse(joint->origin)); // the joints between are taken as at zero
    }
}
