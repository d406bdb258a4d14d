/* The head looks at a point: damped Newton steps of the joints of neck and head, J^T (J J^T + damping)^-1 e,
   with the turn e that is lacking. */
#include "solve/gaze.h"

#include "base/linear.h"
#include "model/creature.h"

#include <math.h>

enum { ITERATIONS = 12 };
static const double DAMPING = 0.02;  /* a head that looks along the axis of a joint does not turn wildly */
static const double NEAR_RAD = 0.01; /* of what is lacking: less cannot be seen */
static const double LIMIT_SHARE =
    0.9; /* of the range of a joint on either side: nobody looks at the very end */

/* Does the link move a limb that is used, or is it part of one? */
static bool is_of_limb(const hf_creature_view* v, int link) {
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb* limb = &v->limbs[i];
        if (!limb->use) continue;
        for (int l = limb->effector_link; l >= 0; l = v->links[l].parent_link)
            if (l == link) return true;
        // fingers and toes
        for (int l = link; l >= 0; l = v->links[l].parent_link)
            if (l == limb->effector_link && limb->joint_count > 0) return true;
    }
    return false;
}

hf_gaze hf_gaze_find(const hf_creature* creature, const hf_transform* links, hf_vec3 forward) {
    const hf_creature_view* v = &creature->view;
    hf_gaze g = {.head = -1, .first_link = -1};
    for (int l = 1; l < v->link_count; l++)
        if (!is_of_limb(v, l) && links[l].position.z > links[0].position.z &&
            (g.head < 0 || links[l].position.z >= links[g.head].position.z))
            g.head = l;
    int chain[HF_GAZE_JOINTS];
    for (int l = g.head; l > 0 && !is_of_limb(v, l); l = v->links[l].parent_link) {
        const hf_joint* j = &v->joints[v->links[l].joint];
        if (j->type != HF_JOINT_REVOLUTE || j->mimic >= 0 || g.joint_count == HF_GAZE_JOINTS) continue;
        chain[g.joint_count++] = v->links[l].joint;
        g.first_link = l;
    }
    for (int i = 0; i < g.joint_count; i++) g.joints[i] = chain[g.joint_count - 1 - i];
    if (g.joint_count == 0) return (hf_gaze){.head = -1, .first_link = -1};
    g.axis = hf_unrotate(links[g.head].rotation, hf_normalize(forward));
    return g;
}

/* The turn from where the head looks to the point, less what the eyes do. */
static hf_vec3 lacking(const hf_gaze* g, const hf_transform* links, hf_vec3 point, double eyes_rad) {
    hf_vec3 to = hf_sub(point, links[g->head].position), now = hf_rotate(links[g->head].rotation, g->axis);
    if (!(hf_length(to) > 0)) return (hf_vec3){0, 0, 0};
    hf_vec3 turn = hf_quat_log(hf_quat_between(now, hf_normalize(to)));
    double angle = hf_length(turn);
    return angle > eyes_rad ? hf_scale(turn, 1 - eyes_rad / angle) : (hf_vec3){0, 0, 0};
}

/* One step; joints that stand at their end are left out. */
static bool step(const hf_creature* c, const hf_gaze* g, const hf_transform* links, hf_vec3 lack, double* q) {
    const hf_creature_view* v = &c->view;
    hf_vec3 axes[HF_GAZE_JOINTS];
    double a[9], inverse[3], y[3] = {lack.x, lack.y, lack.z};
    for (int k = 0; k < g->joint_count; k++) {
        const hf_joint* j = &v->joints[g->joints[k]];
        double middle = (j->lower + j->upper) / 2, half = LIMIT_SHARE * (j->upper - j->lower) / 2;
        axes[k] = hf_rotate(links[j->child_link].rotation, j->axis);
        double way = hf_dot(axes[k], lack), at = q[j->q_index] - middle;
        if ((at >= half && way > 0) || (at <= -half && way < 0)) axes[k] = (hf_vec3){0, 0, 0};
    }
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            a[3 * r + s] = r == s ? DAMPING : 0;
            for (int k = 0; k < g->joint_count; k++) {
                double x[3] = {axes[k].x, axes[k].y, axes[k].z};
                a[3 * r + s] += x[r] * x[s];
            }
        }
    if (!hf_cholesky(a, 3, 3, inverse)) return false;
    hf_cholesky_solve(a, 3, 3, inverse, y);
    for (int k = 0; k < g->joint_count; k++) {
        const hf_joint* j = &v->joints[g->joints[k]];
        double middle = (j->lower + j->upper) / 2, half = LIMIT_SHARE * (j->upper - j->lower) / 2;
        double by = hf_dot(axes[k], hf_v3(y[0], y[1], y[2])), to = q[j->q_index] + by;
        // a joint that stands beyond that share at rest stays there
        if (by > 0) q[j->q_index] = fmax(q[j->q_index], fmin(middle + half, to));
        if (by < 0) q[j->q_index] = fmin(q[j->q_index], fmax(middle - half, to));
    }
    return true;
}

void hf_gaze_turn(const hf_creature* c, const hf_gaze* g, hf_vec3 point, double eyes_rad, double* q,
                  hf_transform* links) {
    for (int i = 0; i < ITERATIONS && g->joint_count; i++) {
        hf_forward_from(c, g->first_link, q, links);
        hf_vec3 lack = lacking(g, links, point, eyes_rad);
        if (hf_length(lack) < NEAR_RAD || !step(c, g, links, lack, q)) break;
    }
    if (g->joint_count) hf_forward_from(c, g->first_link, q, links);
}
