/* Force actuation profiles (contact-repositioning-2016 equations 3 to 8 and 11; method section 9). */
#include "adapt/profile.h"

#include "adapt/rotation.h"
#include "contact/score_terms.h"
#include "model/creature.h"

#include <math.h>

static void gram_of(const hf_profile_query* q, double gram[6]) {
    const hf_limb* limb = &q->creature->view.limbs[q->limb];
    int columns = 0;
    for (int i = 0; i < limb->joint_count; i++) columns += q->creature->view.joints[limb->joints[i]].v_count;
    hf_limb_jacobian(q->creature, q->limb, q->links, q->point, 3, q->jacobian);
    hf_jacobian_gram(q->jacobian, columns, gram);
}

/* Equation 8 along any direction; singular directions are guarded as in the effort term. */
static double force_along(const hf_profile_query* q, const double g[6], hf_vec3 u) {
    double length = hf_terms_length(&q->creature->view.limbs[q->limb]);
    double form = u.x * u.x * g[0] + u.y * u.y * g[1] + u.z * u.z * g[2] +
                  2 * (u.x * u.y * g[3] + u.x * u.z * g[4] + u.y * u.z * g[5]);
    return q->friction * hf_dot(q->normal, u) / sqrt(fmax(form, 0) + hf_terms_guard(length));
}

hf_profile hf_profile_of(const hf_profile_query* q) {
    double gram[6], values[3];
    hf_profile p;
    gram_of(q, gram);
    hf_symmetric_eigen(gram, values, p.axes);
    for (int i = 0; i < 3; i++) {
        if (hf_dot(p.axes[i], q->normal) < 0) p.axes[i] = hf_neg(p.axes[i]);
        p.forces[i] = force_along(q, gram, p.axes[i]);
    }
    return p;
}

double hf_profile_likeness(const hf_profile* p, const hf_profile_query* q) {
    double gram[6], sum = 0, squares = 0;
    gram_of(q, gram);
    for (int i = 0; i < 3; i++) {
        sum += p->forces[i] * force_along(q, gram, p->axes[i]);
        squares += p->forces[i] * p->forces[i];
    }
    return squares > 0 ? sum / squares : 0;
}
