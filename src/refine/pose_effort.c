/* Effort of a pose path (thesis-2015 equations 7.8 and 7.9). A limb k that holds costs c / alpha, c its
   contact variable, where
   alpha = L f_T (v . n) (equation 5.12) says how much force it exerts along the body's way v against a
   surface with normal n: f_T = (v^T J J^T v + guard)^(-1/2), L is the limb's length. The papers' 1 / alpha is
   infinite where alpha is 0 and negative below: here it goes on straight from ALPHA down, so that it stays
   finite and always falls as alpha grows. */
#include "refine/pose_cost.h"

#include "contact/score_terms.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Below this alpha the cost goes on straight. A limb of the human that pushes along its own way has 2. */
static const double ALPHA = 0.5;
/* A body that goes less from sample to sample has no direction, m. */
static const double STANDS_M = 1e-4;

/* The cost h, 1 at ALPHA, and its slope. */
static double cost_of(double alpha, double* slope) {
    if (alpha > ALPHA) {
        *slope = -ALPHA / (alpha * alpha);
        return ALPHA / alpha;
    }
    *slope = -1 / ALPHA;
    return 2 - alpha / ALPHA;
}

static hf_vec3 column_of(const double* rows, int n, int i) {
    return hf_v3(rows[i], rows[n + i], rows[2 * n + i]);
}

/* v . dJ_i / dq_j: of two joints of a chain the one nearer to the root turns the other one's column. Columns
   of the root come first and those of a chain in its order. */
static double bend_of(const double* jacobian, int n, hf_vec3 v, int i, int j) {
    int upper = i < j ? i : j, lower = i < j ? j : i;
    return hf_dot(v, hf_cross(column_of(jacobian + 3 * n, n, upper), column_of(jacobian, n, lower)));
}

/* Fills c->row with the slopes of alpha for each speed. */
static double find_alpha(const hf_costing* c, int limb, hf_vec3 v, double share) {
    const hf_limb* l = &c->t->creature->view.limbs[limb];
    double length = hf_terms_length(l), square = hf_terms_guard(length), *slopes = c->row;
    memset(slopes, 0, sizeof(double) * (size_t)c->n);
    for (int a = 0; a < l->joint_count; a++) {
        const hf_joint* joint = &c->t->creature->view.joints[l->joints[a]];
        for (int i = joint->v_index; i < joint->v_index + joint->v_count; i++) {
            double u = hf_dot(v, column_of(c->jacobian, c->n, i));
            square += u * u;
            for (int j = 0; j < c->n; j++) slopes[j] += u * bend_of(c->jacobian, c->n, v, i, j);
        }
    }
    double force = 1 / sqrt(square);
    for (int j = 0; j < c->n; j++) slopes[j] *= -length * share * force * force * force;
    return length * share * force;
}

static void add_limb(const hf_costing* c, hf_cost_sink* s, int k, int limb, const hf_held* h, hf_vec3 v) {
    const hf_contact_frame* f = &c->t->creature->view.limbs[limb].contacts[h->world.frame];
    hf_vec3 tip = hf_apply(c->links[f->link], f->offset);
    hf_point_jacobian(c->t->creature, c->links, f->link, tip, 6, c->jacobian);
    double cosine = hf_dot(v, h->support.normal), slope;
    // what grips pulls as well as it pushes
    double alpha = find_alpha(c, limb, v, h->support.grip ? fabs(cosine) : cosine);
    double r = sqrt(2 * cost_of(alpha, &slope)),
           size = hf_cost_contact_size(c->t, hf_cost_hold(c->t, k, limb));
    for (int j = 0; j < c->n; j++) c->row[j] *= size * slope / r;
    hf_cost_add(c, s, size * r, k, c->row, 1);
}

hf_status hf_cost_effort(const hf_costing* c, hf_cost_sink* s) {
    const hf_pose_path* t = c->t;
    for (int k = 0; k + 1 < t->count && t->holds; k++) {
        // the body's wished way: the direction of the task does not depend on the poses that are optimised
        hf_vec3 way = hf_sub(t->wished_roots[k + 1].position, t->wished_roots[k].position);
        double length = hf_length(way);
        if (length < STANDS_M) continue;
        hf_pose pose = hf_cost_pose(t, k);
        hf_forward(t->creature, &pose, c->links);
        for (int l = 0; l < t->creature->view.limb_count; l++) {
            int hold = hf_cost_hold(t, k, l);
            if (hold < 0 || t->creature->view.limbs[l].joint_count == 0) continue;
            add_limb(c, s, k, l, &t->held[hold], hf_scale(way, 1 / length));
        }
    }
    return HF_OK;
}
