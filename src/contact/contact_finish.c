/* Exact contacts. A sample is only within epsilon of its surface: the limb solver
   brings the contact frame onto it, the normal against the surface's as far as limits and regions allow, and
   what comes out is tested against scene and own body. The papers do neither. */
#include "contact/contact_finish.h"

#include "base/workspace.h"
#include "solve/target.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <string.h>

/* The solver is asked for half of the distance that a contact may have from its surface, m. */
static const double TOLERANCE_M = HF_CONTACT_M / 2;
/* Flat enough for a patch not to dig its corners in, rad. */
static const double TOLERANCE_RAD = 2e-3;
/* Steps of the solver for one sample, which starts within epsilon of its surface: a sample that needs more is
   given up for the next one. */
enum { ITERATIONS = 12 };
/* How far under the rim of a contact there must still be surface, m. */
static const double UNDER_M = 0.005;
/* How far a limb that floats brought to its surface may overlap, beyond what a posture may, m: the solver
   moves the limb by less than that yet. */
static const double APPROACH_SLACK_M = 0.001;

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
    return hf_distance(anchor, point) > (limb->length + ball) * (1 + HF_REACH_ROUNDING) + TOLERANCE_M;
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
    if (limb->joint_count > 0 && hf_contact_blocked_again(&f->clearance, c.depth_m)) return true;
    f->touches[f->touch_count] =
        (hf_hold){.limb = f->query->limb, .object = object, .grip = f->query->role == HF_ROLE_GRIP};
    c.touches = f->touches;
    c.touch_count = f->touch_count + 1;
    c.limb = f->query->limb;
    return hf_collides(f->creature, f->placement, f->links, &c, NULL);
}

static int frame_count(const hf_limb* limb) { return limb->contact_count > 0 ? limb->contact_count : 1; }

bool hf_contact_frame_asked(const hf_limb* limb, const hf_samples* const* samples, int frame) {
    bool own = false;
    for (int i = 0; i < limb->contact_count; i++)
        own = own || (samples[i] && limb->contacts[i].link == limb->effector_link);
    return samples[frame] && (!own || limb->contacts[frame].link == limb->effector_link);
}

/* A solver for each contact frame that is asked. */
static hf_status make_solvers(hf_contact_finisher* f, const hf_samples* const* samples,
                              hf_workspace* workspace) {
    const hf_limb* limb = &f->creature->view.limbs[f->query->limb];
    int count = frame_count(limb);
    f->solvers = hf_workspace_take(workspace, (size_t)count, sizeof *f->solvers);
    if (!f->solvers) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        f->solvers[i] = NULL;
        if (!hf_contact_frame_asked(limb, samples, i)) continue;
        f->solvers[i] = hf_workspace_take(workspace, 1, sizeof **f->solvers);
        if (!f->solvers[i]) return HF_ERROR_MEMORY;
        hf_status status = hf_limb_solver_make(f->creature, f->query->limb, limb->contact_count > 0 ? i : -1,
                                               false, f->query->pose.q, true, workspace, f->solvers[i]);
        if (status != HF_OK) return status;
        f->solvers[i]->hesitant = true;
        f->turn_m = f->solvers[i]->problem.turn_scale;
    }
    return HF_OK;
}

hf_status hf_contact_finisher_make(const hf_creature* creature, const hf_placement* placement,
                                   const hf_contact_query* query, const hf_samples* const* samples,
                                   const bool* use, hf_workspace* workspace, hf_contact_finisher* f) {
    const hf_creature_view* view = &creature->view;
    size_t q_count = (size_t)view->q_count + 1;
    *f = (hf_contact_finisher){.creature = creature, .placement = placement, .query = query, .use = use};
    f->links = hf_workspace_take(workspace, (size_t)view->link_count, sizeof *f->links);
    f->touches = hf_workspace_take(workspace, (size_t)query->touch_count + 1, sizeof *f->touches);
    f->q = hf_workspace_take(workspace, q_count, sizeof *f->q);
    f->posture = hf_workspace_take(workspace, q_count, sizeof *f->posture);
    f->lanes = hf_workspace_take(workspace, 1, sizeof *f->lanes);
    if (!f->links || !f->touches || !f->q || !f->posture || !f->lanes) return HF_ERROR_MEMORY;
    hf_forward(creature, &query->pose, f->links);
    f->base = f->links[view->limbs[query->limb].base_link];
    memcpy(f->q, query->pose.q, sizeof(double) * (size_t)view->q_count);
    memcpy(f->posture, query->pose.q, sizeof(double) * (size_t)view->q_count);
    // the limb lets go of its own hold
    for (int i = 0; i < query->touch_count; i++)
        if (query->touches[i].limb != query->limb) f->touches[f->touch_count++] = query->touches[i];
    hf_status status = make_solvers(f, samples, workspace);
    if (status != HF_OK) return status;
    return hf_contact_clearance_make(creature, placement, query, f->links, f->posture, workspace,
                                     &f->clearance);
}

hf_limb_lanes* hf_contact_finisher_lanes(hf_contact_finisher* f) {
    if (!f->has_lanes) hf_limb_lanes_make(&f->clearance, f->solvers, TOLERANCE_M, TOLERANCE_RAD, f->lanes);
    f->has_lanes = true;
    return f->lanes->usable ? f->lanes : NULL;
}

void hf_contact_aim(hf_contact_finisher* f, int lane, int frame, const hf_surface* surface) {
    double ball = f->creature->view.limbs[f->query->limb].contacts[frame].ball;
    hf_vec3 point = hf_add(surface->point, hf_scale(surface->normal, ball));
    hf_limb_lanes_aim(f->lanes, lane, frame, !(ball > 0), point, hf_neg(surface->normal));
}

bool hf_contact_approached(hf_contact_finisher* f, int lane, int frame, const hf_surface* surface,
                           double slack) {
    hf_contact_clearance* k = &f->clearance;
    const hf_lane_values* v = &f->lanes->now;
    const double near2 = 4 * TOLERANCE_M * TOLERANCE_M, flat2 = 4 * TOLERANCE_RAD * TOLERANCE_RAD;
    k->hit.body = -1;
    if ((double)v->placed2[lane] > near2) return false;
    bool flat =
        (double)v->position2[lane] <= near2 && (v->turn_m[lane] <= 0 || (double)v->angle2[lane] <= flat2);
    if (!flat && !k->aligns) return true;
    hf_limb_lanes_read(f->lanes, lane, f->q);
    return hf_contact_blocked(k, f->q, frame, surface, flat, flat ? APPROACH_SLACK_M : slack) == HF_PART_NONE;
}

/* The angle cannot be had: it will stay about as it is. Goes on where the limb fits like that, with the point
   off the surface and on it; else `finish` says why not. */
static bool settle(hf_contact_finisher* f, hf_limb_solver* solver, int frame, const hf_surface* surface,
                   double slack, hf_finish* finish) {
    hf_contact_clearance* k = &f->clearance;
    *finish = HF_FINISH_TILTED;
    if (k->aligns && !hf_contact_effector_clear(k, f->q, frame, surface, slack)) return false;
    *finish = HF_FINISH_INEXACT;
    if (hf_limb_solver_go_on(solver, f->q)) return true;
    if (!hf_limb_solver_place(solver, f->q)) return false;
    hf_clearance_part part =
        k->aligns ? hf_contact_blocked(k, f->q, frame, surface, false, slack) : HF_PART_NONE;
    *finish = part == HF_PART_EFFECTOR ? HF_FINISH_TILTED : HF_FINISH_COLLIDES;
    if (part != HF_PART_NONE) return false;
    hf_limb_solver_settle(solver, f->q);
    *finish = HF_FINISH_INEXACT;
    return true;
}

hf_status hf_contact_finish(hf_contact_finisher* f, const hf_samples* samples, int sample, int frame,
                            const hf_surface* surface, double slack, hf_contact* contact, hf_finish* finish) {
    *finish = HF_FINISH_INEXACT;
    if (out_of_reach(f, frame, surface->point) || !large_enough(f, surface)) return HF_OK;
    hf_samples_pose(f->creature, samples, sample, f->posture);
    memcpy(f->q, f->posture, sizeof(double) * (size_t)f->creature->view.q_count);
    // the solver starts from the sample and stays as near to it as the contact leaves room
    hf_target target = {.kind = frame < 0 ? HF_TARGET_POSITION : HF_TARGET_NORMAL,
                        .limb = f->query->limb,
                        .contact = frame,
                        .point = surface->point,
                        .normal = surface->normal};
    hf_solve_options o = hf_solve_options_default();
    o.max_iterations = ITERATIONS;
    o.near_start = true;
    o.tolerance_m = TOLERANCE_M;
    o.tolerance_rad = TOLERANCE_RAD;
    o.posture = f->posture;
    hf_goal goal;
    hf_solve_result r;
    hf_limb_solver* solver = f->solvers[frame < 0 ? 0 : frame];
    hf_status status = hf_goal_make(&f->creature->view, &target, &goal);
    if (status == HF_OK) status = hf_limb_solver_run(solver, &f->base, &goal, &o, f->q, &r);
    if (status != HF_OK) return status;
    contact->position_error_m = r.position_error_m;
    contact->angle_error_rad = r.angle_error_rad;
    if (r.stop != HF_STOP_REACHED && !settle(f, solver, frame, surface, slack, finish)) return HF_OK;
    if (!(r.position_error_m <= TOLERANCE_M) || !aligned(f, frame, &r)) return HF_OK;
    *finish = collides(f, surface->object) ? HF_FINISH_COLLIDES : HF_FINISH_VALID;
    contact->hold.limb = f->query->limb;
    contact->hold.frame = frame;
    contact->hold.object = surface->object;
    contact->triangle = surface->triangle;
    contact->hold.grip = f->query->role == HF_ROLE_GRIP;
    contact->hold.point = surface->point;
    contact->hold.normal = surface->normal;
    contact->position_error_m = r.position_error_m;
    contact->angle_error_rad = r.angle_error_rad;
    return HF_OK;
}
