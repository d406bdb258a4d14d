/* Keeping a hold by the limb solver, started from where the limb is. */
#include "solve/keep.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "model/tolerance.h"
#include "solve/limb_problem.h"
#include "solve/target.h"

/* How exactly the solver is asked to keep a hold. What is left over differs from frame to frame and would
   look like an acceleration of the body: 1e-6 m at 30 frames a second is 1e-3 m/s2. */
static const double ASKED_M = 1e-6, ASKED_RAD = 1e-5;
/* A descent that ends farther from a hold is not brought onto it by a second one. */
static const double HOPE_M = 0.03, HOPE_RAD = 0.2;
/* How far a loosened joint is from its limits, rad or m. */
static const double LOOSE = 0.1;
/* How far a patch of a limb that has too few joints for its orientation may turn on its hold, rad: such a
   foot rolls on the edges of its sole with the leg above it. What counts as lost is a little more. */
static const double YIELDS_RAD = 7e-3;

hf_target hf_anchor_target(const hf_hold* h, const hf_anchor* a) {
    return (hf_target){.kind = a->flat ? HF_TARGET_POSE : HF_TARGET_POSITION,
                       .limb = h->limb,
                       .contact = h->frame,
                       .point = a->point,
                       .normal = h->normal,
                       .rotation = a->rotation,
                       .held = true};
}

/* One descent, and a second one from there where the first came near and the care asks for it. A grip turns
   as far as it must. */
static hf_status descend(const hf_creature* c, const hf_target* target, const hf_transform* base, bool turns,
                         hf_keep_care care, hf_solve_options o, hf_workspace* workspace, double* q,
                         hf_solve_result* r) {
    hf_goal goal;
    hf_limb_solver solver;
    o.near_start = true;
    // fingers that pinch something stay closed about it
    bool bends = target->contact < c->view.limbs[target->limb].contact_count;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_status status = hf_goal_make(&c->view, target, &goal);
    if (status == HF_OK)
        status =
            hf_limb_solver_make(c, target->limb, target->contact, bends, q, o.use_rom, workspace, &solver);
    if (status == HF_OK) status = hf_limb_solver_run(&solver, base, &goal, &o, q, r);
    if (status == HF_OK && care == HF_KEEP_EXACT && r->stop != HF_STOP_REACHED &&
        r->position_error_m < HOPE_M && (turns || r->angle_error_rad < HOPE_RAD) &&
        hf_limb_solver_place(&solver, q))
        hf_limb_solver_settle(&solver, q);
    hf_workspace_end(workspace, mark);
    return status;
}

static hf_status solve(const hf_creature* c, const hf_hold* h, const hf_anchor* a, hf_keep_care care,
                       hf_workspace* workspace, const hf_transform* base, double* q, hf_solve_result* r) {
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.max_iterations = HF_NEAR_ITERATIONS;
    o.tolerance_m = ASKED_M;
    o.tolerance_rad = ASKED_RAD;
    o.posture = q;
    hf_target target = hf_anchor_target(h, a);
    // a grip keeps its orientation as far as the limb can
    if (h->grip) target.kind = HF_TARGET_POSE;
    return descend(c, &target, base, h->grip, care, o, workspace, q, r);
}

bool hf_limb_yields(const hf_creature* c, const hf_hold* h) {
    const hf_limb* limb = &c->view.limbs[h->limb];
    int count = limb->joint_count;
    if (h->frame < 0 || limb->contacts[h->frame].ball > 0 || h->frame >= limb->contact_count) return false;
    for (int l = limb->contacts[h->frame].link; l != limb->effector_link; l = c->view.links[l].parent_link)
        count += c->view.joints[c->view.links[l].joint].v_count;
    return count > 3 && count < HF_LIMB_ROWS;
}

hf_status hf_hold_approach(const hf_creature* c, const hf_hold* h, const hf_anchor* a,
                           hf_workspace* workspace, const hf_transform* links, double* q, double* off_m) {
    hf_solve_result r = {0};
    hf_status status =
        solve(c, h, a, HF_KEEP_EXACT, workspace, &links[c->view.limbs[h->limb].base_link], q, &r);
    *off_m = r.position_error_m;
    return status;
}

/* How the limb's root should move for the link to get onto the anchor with the limb as it is. */
static hf_vec3 missing(const hf_creature* c, const hf_hold* h, const hf_anchor* a,
                       const hf_transform* links) {
    const hf_limb* limb = &c->view.limbs[h->limb];
    hf_anchor now = hf_hold_anchor(c, h, links);
    hf_vec3 miss = hf_sub(a->point, now.point);
    if (!a->flat || limb->joint_count == 0) return miss;
    // turned about its contact into the right orientation, the limb has its root elsewhere
    hf_vec3 turn = hf_quat_log(hf_quat_mul(a->rotation, hf_quat_conj(now.rotation)));
    hf_vec3 base = hf_apply(links[limb->base_link], limb->base.position);
    return hf_add(miss, hf_cross(turn, hf_sub(base, a->point)));
}

hf_status hf_hold_keep(const hf_creature* c, const hf_hold* h, const hf_anchor* a, hf_keep_care care,
                       hf_workspace* workspace, hf_transform* links, double* q, bool* kept, hf_vec3* miss) {
    const hf_limb* limb = &c->view.limbs[h->limb];
    hf_solve_result r = {0};
    bool yields = hf_limb_yields(c, h);
    if (yields) care = HF_KEEP_EXACT; // one descent weighs its orientation against its place
    if (limb->joint_count > 0) {
        hf_status status = solve(c, h, a, care, workspace, &links[limb->base_link], q, &r);
        if (status != HF_OK) return status;
    } else {
        hf_anchor_error(c, h, a, links, &r.position_error_m, &r.angle_error_rad);
    }
    double turns = yields ? YIELDS_RAD : HF_HELD_RAD;
    *kept = r.position_error_m <= HF_HELD_M && (h->grip || r.angle_error_rad <= turns);
    if (*kept) return HF_OK;
    if (limb->joint_count > 0) hf_forward_limb(c, h->limb, q, links);
    if (h->frame >= limb->contact_count)
        for (int l = limb->contacts[h->frame].link; l != limb->effector_link;
             l = c->view.links[l].parent_link)
            if (c->view.links[l].parent_link == limb->effector_link) hf_forward_from(c, l, q, links);
    *miss = missing(c, h, a, links);
    return HF_OK;
}

void hf_limb_loosen(const hf_creature* c, int limb, double* q) {
    const double step = LOOSE;
    const hf_limb* l = &c->view.limbs[limb];
    for (int k = 0; k < l->joint_count; k++) {
        const hf_joint* j = &c->view.joints[l->joints[k]];
        if (j->q_count != 1 || !(j->upper - j->lower > 4 * step)) continue;
        q[j->q_index] = fmin(j->upper - step, fmax(j->lower + step, q[j->q_index]));
    }
    hf_pose_follow(c, q);
}
