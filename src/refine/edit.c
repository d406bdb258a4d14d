/* An edited schedule beside the refined one that it was made from: hold by hold. Limbs go to holds that were
   moved as they went to where they were, shifted. */
#include "refine/edit.h"

#include "base/ease.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "schedule/held.h"

#include <holdfast/kinematics.h>
#include <holdfast/solve.h>

#include <math.h>
#include <string.h>

static const double SAME_M = 1e-6; /* of points and normals of a hold: rounding of files */

bool hf_edit_fits(const hf_schedule* edited, const hf_schedule* last) {
    if (edited->hold_count != last->hold_count || edited->q_count != last->q_count) return false;
    for (int i = 0; i < edited->hold_count; i++) {
        const hf_hold *a = &edited->holds[i].hold, *b = &last->holds[i].hold;
        if (a->limb != b->limb || a->frame != b->frame || a->grip != b->grip) return false;
    }
    return true;
}

static bool is_same_hold(const hf_hold* a, const hf_hold* b) {
    return a->object == b->object && hf_distance(a->point, b->point) <= SAME_M &&
           hf_distance(a->normal, b->normal) <= SAME_M;
}

bool hf_edit_keeps(const hf_schedule* edited, const hf_schedule* last, double from_s, double to_s) {
    for (int i = 0; i < edited->hold_count; i++) {
        const hf_schedule_hold *a = &edited->holds[i], *b = &last->holds[i];
        if (a->to_s < from_s - HF_SAME_S || a->from_s > to_s + HF_SAME_S) continue;
        if (!is_same_hold(&a->hold, &b->hold)) return false;
    }
    return true;
}

/* ---- bent poses ---- */

/* A limb without a hold before or behind comes and goes within so long, s. */
static const double EASE_S = 0.5;
/* A hold that is nearer to where its limb stands than this was not moved, m. */
static const double STANDS_M = 1e-5;
/* The limb solver ends nearer than this: what is left looks like an acceleration. */
static const double ASKED_M = 1e-6, ASKED_RAD = 1e-5;

typedef struct bending {
    const hf_creature* creature;
    const hf_schedule* edited;
    hf_workspace* workspace;
    hf_transform* links;
    hf_knot* knots;
} bending;

/* The limb's way to a hold and away from it: from where the one before ends to where the next begins. */
static void find_way(const hf_schedule* s, int hold, double* from_s, double* to_s) {
    const hf_schedule_hold* h = &s->holds[hold];
    *from_s = h->from_s - EASE_S, *to_s = h->to_s + EASE_S;
    for (int i = 0; i < s->hold_count; i++) {
        const hf_schedule_hold* other = &s->holds[i];
        if (i == hold || other->hold.limb != h->hold.limb) continue;
        if (other->to_s <= h->from_s) *from_s = fmax(*from_s, other->to_s);
        if (other->from_s >= h->to_s) *to_s = fmin(*to_s, other->from_s);
    }
}

/* Of a hold's shift, what the limb has at a time. */
static double share_at(const hf_schedule_hold* h, double from_s, double to_s, double t) {
    if (t < h->from_s - HF_SAME_S) return t > from_s ? hf_ease((t - from_s) / (h->from_s - from_s)) : 0;
    if (t > h->to_s + HF_SAME_S) return t < to_s ? hf_ease((to_s - t) / (to_s - h->to_s)) : 0;
    return 1;
}

static hf_status shift_limb(const bending* b, int limb, hf_vec3 shift, hf_knot* knot) {
    const hf_limb* l = &b->creature->view.limbs[limb];
    hf_forward(b->creature, &(hf_pose){knot->root, knot->q}, b->links);
    hf_target t = {.kind = HF_TARGET_POSE,
                   .limb = limb,
                   .contact = -1,
                   .point = hf_add(b->links[l->effector_link].position, shift),
                   .rotation = b->links[l->effector_link].rotation};
    hf_solve_options s = hf_solve_options_default();
    hf_solve_result r;
    s.max_starts = 1, s.near_start = true, s.posture = knot->q;
    s.tolerance_m = ASKED_M, s.tolerance_rad = ASKED_RAD;
    return hf_limb_solve(b->creature, &b->links[l->base_link], &t, &s, b->workspace, knot->q, &r);
}

/* By how much a hold is beside where its limb stands as it begins. */
static hf_vec3 find_shift(const bending* b, const hf_placement* placement, int hold) {
    const hf_schedule_hold* h = &b->edited->holds[hold];
    int k = 0;
    while (k + 1 < b->edited->knot_count && b->edited->knots[k].time_s < h->from_s - HF_SAME_S) k++;
    const hf_knot* knot = &b->edited->knots[k];
    hf_held held;
    hf_forward(b->creature, &(hf_pose){knot->root, knot->q}, b->links);
    hf_held_begin(b->creature, placement, &h->hold, b->links, &held);
    const hf_contact_frame* f = &b->creature->view.limbs[h->hold.limb].contacts[h->hold.frame];
    return hf_sub(held.anchor.point, hf_apply(b->links[f->link], f->offset));
}

static hf_status bend_to(const bending* b, const hf_placement* placement, int hold) {
    const hf_schedule_hold* h = &b->edited->holds[hold];
    hf_vec3 shift = find_shift(b, placement, hold);
    double from_s, to_s;
    hf_status status = HF_OK;
    if (hf_length(shift) < STANDS_M || b->creature->view.limbs[h->hold.limb].joint_count == 0) return HF_OK;
    find_way(b->edited, hold, &from_s, &to_s);
    for (int k = 0; k < b->edited->knot_count && status == HF_OK; k++) {
        double share = share_at(h, from_s, to_s, b->knots[k].time_s);
        if (share > 0) status = shift_limb(b, h->hold.limb, hf_scale(shift, share), &b->knots[k]);
    }
    return status;
}

hf_status hf_edit_bend(const hf_creature* creature, const hf_placement* placement, const hf_schedule* edited,
                       const hf_schedule* last, hf_workspace* w, hf_knot** knots) {
    size_t n = (size_t)edited->knot_count, q = (size_t)edited->q_count;
    bending b = {.creature = creature, .edited = edited, .workspace = w};
    b.knots = hf_workspace_take(w, n, sizeof *b.knots);
    b.links = hf_workspace_take(w, (size_t)creature->view.link_count, sizeof *b.links);
    double* values = hf_workspace_take(w, n * q + 1, sizeof *values);
    hf_status status = b.knots && b.links && values ? HF_OK : HF_ERROR_MEMORY;
    for (size_t k = 0; k < n && status == HF_OK; k++) {
        b.knots[k] = edited->knots[k];
        b.knots[k].q = memcpy(values + k * q, edited->knots[k].q, q * sizeof *values);
    }
    for (int i = 0; i < edited->hold_count && status == HF_OK; i++)
        if (!is_same_hold(&edited->holds[i].hold, &last->holds[i].hold)) status = bend_to(&b, placement, i);
    if (status == HF_OK) *knots = b.knots;
    return status;
}
