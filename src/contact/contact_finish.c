/* Exact contacts. A sample is only within epsilon of its surface: the limb solver
   brings the contact frame onto it, the normal against the surface's as far as limits and regions allow, and
   what comes out is tested against scene and own body. The papers do neither. */
#include "contact/contact_finish.h"

#include "base/workspace.h"
#include "contact/target.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Half of what the contact is promised to be within, m. */
static const double TOLERANCE_M = 5e-5;
/* Flat enough for a patch not to dig its corners in, rad. */
static const double TOLERANCE_RAD = 2e-3;
/* Work for one sample: it is near already, or the next one will do. */
enum { ITERATIONS = 16, STARTS = 1 };
/* How far under the rim of a contact there must still be surface, m. */
static const double UNDER_M = 0.005;

/* The surface goes on as far as the query asks, in four directions. */
static bool large_enough(const hf_contact_finisher* f, const hf_surface* s) {
    double half = f->query->min_size_m / 2;
    if (!(half > 0)) return true;
    hf_vec3 tangent[2];
    hf_tangents(s->normal, tangent);
    for (int i = 0; i < 4; i++) {
        hf_surface under;
        hf_vec3 p = hf_add(s->point, hf_scale(tangent[i / 2], i % 2 ? half : -half));
        if (!hf_placement_closest(f->placement, p, UNDER_M, &under) || !f->use[under.object]) return false;
    }
    return true;
}

/* Farther away than a limb of turning joints is long? */
static bool out_of_reach(const hf_contact_finisher* f, int frame, hf_vec3 point) {
    const hf_creature_view* view = &f->creature->view;
    const hf_limb* limb = &view->limbs[f->query->limb];
    for (int i = 0; i < limb->joint_count; i++) {
        hf_joint_type type = view->joints[limb->joints[i]].type;
        if (type != HF_JOINT_REVOLUTE && type != HF_JOINT_CONTINUOUS) return false;
    }
    double ball = frame >= 0 ? limb->contacts[frame].ball : 0;
    hf_vec3 anchor = hf_apply(f->base, limb->base.position);
    return hf_distance(anchor, point) > (limb->length + ball) * (1 + 1e-6) + TOLERANCE_M;
}

/* As aligned as the query wants it; a ball and a gripping hand hold at any angle. */
static bool aligned(const hf_contact_finisher* f, int frame, const hf_solve_result* r) {
    const hf_limb* limb = &f->creature->view.limbs[f->query->limb];
    bool free = frame < 0 || limb->contacts[frame].ball > 0 || f->query->role == HF_ROLE_GRIP;
    return free || r->angle_error_rad <= f->query->max_angle_rad;
}

static bool collides(hf_contact_finisher* f, int object) {
    const hf_limb* limb = &f->creature->view.limbs[f->query->limb];
    if (limb->joint_count > 0) hf_forward_from(f->creature, limb->root_link, f->q, f->links);
    hf_collision_query c = hf_collision_query_default();
    f->touches[f->touch_count] = (hf_touch){f->query->limb, object, f->query->role == HF_ROLE_GRIP};
    c.touches = f->touches;
    c.touch_count = f->touch_count + 1;
    c.limb = f->query->limb;
    return hf_collides(f->creature, f->placement, f->links, &c, NULL);
}

static void take_sample(hf_contact_finisher* f, const hf_samples* samples, int sample) {
    memcpy(f->posture, f->query->pose.q, sizeof(double) * (size_t)f->creature->view.q_count);
    hf_samples_pose(f->creature, samples, sample, f->posture);
}

bool hf_contact_blocked(hf_contact_finisher* f, const hf_samples* samples, int sample, double depth) {
    const hf_creature_view* view = &f->creature->view;
    const hf_limb* limb = &view->limbs[f->query->limb];
    if (limb->joint_count == 0) return false;
    take_sample(f, samples, sample);
    hf_forward_limb(f->creature, f->query->limb, f->posture, f->links);
    hf_allowance allowance = hf_allowance_default();
    allowance.depth = depth;
    // from the effector's parent to the limb's root
    for (int link = limb->effector_link; link != limb->root_link;) {
        link = view->links[link].parent_link;
        if (link < 0) break;
        for (int i = 0; i < view->links[link].body_count; i++) {
            const hf_body* body = &view->bodies[view->links[link].first_body + i];
            if (hf_placement_overlap(f->placement, &body->shape, hf_compose(f->links[link], body->in_link),
                                     &allowance, NULL))
                return true;
        }
    }
    return false;
}

hf_status hf_contact_finish(hf_contact_finisher* f, const hf_samples* samples, int sample, int frame,
                            const hf_surface* surface, hf_workspace* workspace, hf_contact* contact,
                            hf_finish* finish) {
    *finish = HF_FINISH_INEXACT;
    if (out_of_reach(f, frame, surface->point) || !large_enough(f, surface)) return HF_OK;
    take_sample(f, samples, sample);
    memcpy(f->q, f->posture, sizeof(double) * (size_t)f->creature->view.q_count);
    // the solver starts from the sample and stays as near to it as the contact leaves room
    hf_target target = {.kind = frame < 0 ? HF_TARGET_POSITION : HF_TARGET_NORMAL,
                        .limb = f->query->limb,
                        .contact = frame,
                        .point = surface->point,
                        .normal = surface->normal};
    hf_solve_options o = hf_solve_options_default();
    o.max_iterations = ITERATIONS;
    o.max_starts = STARTS;
    o.tolerance_m = TOLERANCE_M;
    o.tolerance_rad = TOLERANCE_RAD;
    o.posture = f->posture;
    hf_solve_result r;
    hf_status status = hf_limb_solve(f->creature, &f->base, &target, &o, workspace, f->q, &r);
    if (status != HF_OK || !(r.position_error_m <= TOLERANCE_M) || !aligned(f, frame, &r)) return status;
    *finish = collides(f, surface->object) ? HF_FINISH_COLLIDES : HF_FINISH_VALID;
    contact->limb = f->query->limb;
    contact->frame = frame;
    contact->object = surface->object;
    contact->triangle = surface->triangle;
    contact->grip = f->query->role == HF_ROLE_GRIP;
    contact->point = surface->point;
    contact->normal = surface->normal;
    contact->position_error_m = r.position_error_m;
    contact->angle_error_rad = r.angle_error_rad;
    return HF_OK;
}
