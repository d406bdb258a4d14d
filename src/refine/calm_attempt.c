/* Calm paths and time scaling in turns: the poses of the quickest motion so far, at even steps of its time,
   become calmer; the new path gets the fastest times that it allows; and so on while that gains anything. */
#include "refine/refinement.h"

#include "base/workspace.h"
#include "base/memory.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Over which the body and a limb on its way are calmed where they are free, s: the body through several
   steps, a limb through most of a swing. After a turn that gains nothing they are shorter by a share, as what
   is very calm may be borne less well; after so many the motion is as quick as it gets. */
static const double BODY_S = 1, LIMB_S = 0.3, SHORTER = 0.5;
enum { VAIN_TURNS = 3 };
static const double POSE_RATE = 30; /* poses a second, in the times of the motion that becomes calmer */
/* Poses at rest at either end: as many as a calm curve begins and ends with. */
enum { AT_REST = 2 };
enum { TRIES = 10 };       /* of a path: each halves how calm it may be where it has faults */
enum { TIMED_TRIES = 5 };  /* of a path without faults whose motion has some */
enum { SLOWER_TRIES = 3 }; /* of the same poses, each with calmer times */
/* What a fault of a frame leaves of the time over which its sample is calmed. */
static const double CUT = 0.2;
/* By which the margin of a phase that is not borne grows. */
static const double MORE_MARGIN = 1.5;
/* A turn that leaves more than this share of the time is in vain. */
static const double WORTH_A_TURN = 0.97;

/* The time in a schedule made of the stretch at which a phase of the stretch begins. */
static double begin_of(const hf_stretch* s, const hf_schedule* made, int phase) {
    double end_s = made->knots[made->knot_count - 1].time_s;
    if (phase == 0) return 0;
    if (phase == s->phases.count) return end_s;
    double given_s = s->phases.items[phase].from_s;
    for (int i = 0; i < s->given->hold_count; i++) {
        const hf_schedule_hold* h = &s->given->holds[i];
        if (fabs(h->from_s - given_s) < HF_SAME_S) return made->holds[i].from_s;
        if (fabs(h->to_s - given_s) < HF_SAME_S) return made->holds[i].to_s;
    }
    return given_s;
}

/* The sample in which each phase begins; behind the last one, the sample in which the motion ends. */
static void count_samples(const hf_refinement* r, const hf_schedule* from) {
    int phases = r->phases->count;
    r->begins[0] = AT_REST;
    for (int p = 0; p < phases; p++) {
        double took_s = begin_of(r->stretch, from, p + 1) - begin_of(r->stretch, from, p);
        r->begins[p + 1] = r->begins[p] + (int)fmax(1, round(took_s * POSE_RATE));
    }
}

/* The hold that a limb keeps at a given time; -1. */
static int hold_at(const hf_schedule* s, int limb, double t) {
    for (int i = 0; i < s->hold_count; i++)
        if (s->holds[i].hold.limb == limb && s->holds[i].from_s <= t + HF_SAME_S &&
            s->holds[i].to_s >= t - HF_SAME_S)
            return i;
    return -1;
}

/* Poses at even steps of each phase of a motion, and what they hold. */
static void sample(const hf_refinement* r, const hf_schedule* from, hf_pose_spline* spline, hf_calm_path* c) {
    const hf_stretch* s = r->stretch;
    int phases = r->phases->count;
    for (int p = 0; p < phases; p++) {
        double began_s = begin_of(s, from, p), ends_s = begin_of(s, from, p + 1);
        const hf_part* a = &r->phases->items[p];
        int n = r->begins[p + 1] - r->begins[p];
        int first = p == 0 ? -AT_REST : 0, last = p + 1 == phases ? n + AT_REST : n;
        for (int i = first; i <= last; i++) {
            double u = fmin(1, fmax(0, (double)i / n));
            int k = r->begins[p] + i;
            hf_pose pose = {.q = c->given_q + (size_t)k * (size_t)c->q_count};
            hf_pose_spline_at(spline, began_s + u * (ends_s - began_s), &pose);
            c->given_roots[k] = pose.root;
            for (int l = 0; l < c->limb_count; l++)
                c->holds[k * c->limb_count + l] = hold_at(s->given, l, a->from_s + u * (a->to_s - a->from_s));
            if (i > 0 || p == 0) c->stances[k][0] = s->list.stances[p];
            c->stances[k][1] = s->list.stances[p];
        }
    }
}

static hf_pose pose_of(const hf_calm_path* c, int k) {
    return (hf_pose){c->roots[k], c->q + (size_t)k * (size_t)c->q_count};
}

/* Adds the poses as control points of the smooth curve near them that goes through them, nearly: each is
   moved against its second difference, by a sixth of it, which is what the curve is off there. */
static hf_status add_poses(const hf_refinement* r, hf_schedule* out) {
    const hf_calm_path* c = r->calm;
    size_t n = (size_t)c->creature->view.v_count;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    double* in = hf_workspace_take(r->workspace, 2 * n + (size_t)c->q_count + 1, sizeof *in);
    hf_status status = in ? HF_OK : HF_ERROR_MEMORY;
    for (int k = 0; k < c->count && status == HF_OK; k++) {
        hf_pose here = pose_of(c, k), moved = {here.root, in + 2 * n};
        double* bend = in + n;
        bool inside = k > 0 && k + 1 < c->count;
        for (int i = -1; i <= 1 && inside; i += 2) {
            hf_pose other = pose_of(c, k + i);
            hf_pose_difference(c->creature, &here, &other, i < 0 ? in : bend);
        }
        for (size_t i = 0; i < n && inside; i++) bend[i] += in[i];
        if (inside) hf_pose_integrate(c->creature, &here, bend, -1.0 / 6, &moved);
        status = hf_schedule_add(out, NULL, k * c->step_s, inside ? &moved : &here, NULL, 0, false);
    }
    hf_workspace_end(r->workspace, mark);
    return status;
}

/* The path as a schedule, and its phases. */
static hf_status write_schedule(const hf_refinement* r, hf_schedule** out, hf_parts* own) {
    const hf_calm_path* c = r->calm;
    const hf_schedule* given = r->stretch->given;
    hf_status status = hf_schedule_create(c->creature, POSE_RATE, out);
    if (status == HF_OK) status = add_poses(r, *out);
    *own = *r->phases;
    own->items = hf_workspace_take(r->workspace, (size_t)own->count, sizeof *own->items);
    if (!own->items) status = HF_ERROR_MEMORY;
    for (int p = 0; p < own->count && status == HF_OK; p++) {
        hf_part* a = &own->items[p];
        *a = r->phases->items[p];
        a->from_s = p ? r->begins[p] * c->step_s : 0;
        a->to_s = (p + 1 < own->count ? r->begins[p + 1] : c->count - 1) * c->step_s;
        a->took_s = a->to_s - a->from_s;
        // the path's own progress: what the time scaling makes of it says where on the path a frame is
        for (int i = 0; i <= HF_PACE; i++) a->pace[i] = (double)i / HF_PACE;
        r->timed[p] = *a;
    }
    for (int i = 0; i < given->hold_count && status == HF_OK; i++) {
        hf_schedule_hold h = given->holds[i];
        double from_s = h.from_s, to_s = h.to_s;
        double end_s = (c->count - 1) * c->step_s;
        h.from_s = from_s < HF_SAME_S ? 0 : end_s, h.to_s = end_s;
        for (int p = 1; p < own->count; p++) {
            if (fabs(r->phases->items[p].from_s - from_s) < HF_SAME_S) h.from_s = own->items[p].from_s;
            if (fabs(r->phases->items[p].from_s - to_s) < HF_SAME_S) h.to_s = own->items[p].from_s;
        }
        if (!HF_GROW((*out)->holds, (*out)->hold_capacity, (*out)->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK) (*out)->holds[(*out)->hold_count++] = h;
    }
    if (status == HF_OK) hf_parts_add_up(own);
    return status;
}

/* The sample nearest to where the motion is after a share of a phase's time. */
static int sample_at(const hf_refinement* r, int phase, double share) {
    const double* pace = r->timed[phase].pace;
    double at = fmin(1, fmax(0, share)) * HF_PACE;
    int i = (int)fmin(HF_PACE - 1, floor(at));
    double gone = pace[i] + (at - i) * (pace[i + 1] - pace[i]);
    return r->begins[phase] + (int)round(gone * (r->begins[phase + 1] - r->begins[phase]));
}

void hf_learn_calm(hf_refinement* r, const hf_schedule* made, const hf_realise_result* faults) {
    r->calm->cut = CUT;
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        double share;
        int p = hf_phase_of_frame(r, made, f->frame, &share);
        int k = sample_at(r, p, share);
        hf_part* a = &r->phases->items[p];
        if (f->kind == HF_FAULT_COLLIDES)
            hf_calm_path_blame_hit(r->calm, &f->collision, k);
        else if (f->limb == HF_STRAINED && hf_calm_path_blame_all(r->calm, k))
            continue;
        else if (f->kind == HF_FAULT_DYNAMIC)
            a->faulty = true;
        else
            hf_calm_path_blame_all(r->calm, k);
    }
    for (int p = 0; p < r->phases->count; p++) {
        hf_part* a = &r->phases->items[p];
        bool beside = (p > 0 && a[-1].faulty) || (p + 1 < r->phases->count && a[1].faulty);
        if (a->faulty) hf_go_slower(a);
        if (a->faulty || beside) a->margin_m *= MORE_MARGIN;
    }
}

/* One path: as calm as it may be, then in its fastest times. */
static hf_status try_path(hf_refinement* r, hf_clearance* clearance) {
    hf_workspace* w = r->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_schedule* poses = NULL;
    hf_parts own;
    int faults = 1;
    hf_status status = HF_OK;
    bool changes = true;
    for (int i = 0; i < TRIES && faults && changes && status == HF_OK && hf_workspace_goes_on(w); i++) {
        status = hf_calm_path_try(r->calm, clearance, w, &faults);
        if (faults) changes = hf_calm_path_follow(r->calm);
    }
    r->valid = false;
    if (status == HF_OK && hf_workspace_goes_on(w)) status = write_schedule(r, &poses, &own);
    if (status == HF_OK && hf_workspace_goes_on(w)) status = hf_calm_down(r, poses, &own, SLOWER_TRIES);
    if (status == HF_OK && r->blocked >= 0)
        hf_calm_path_blame_all(r->calm, (int)round(r->info.block_s / r->calm->step_s));
    hf_calm_path_follow(r->calm);
    hf_schedule_free(poses);
    hf_workspace_end(w, mark);
    return status;
}

/* One turn: the poses of a motion become calmer until they hold in new times. */
static hf_status make_turn(hf_refinement* r, const hf_schedule* from, double calmness,
                           hf_clearance* clearance) {
    hf_workspace* w = r->workspace;
    hf_pose_spline spline;
    hf_status status = hf_pose_spline_of(r->of->creature, from, w, &spline);
    count_samples(r, from);
    hf_calm_path c = {.creature = r->of->creature,
                      .placement = r->of->placement,
                      .count = r->begins[r->phases->count] + AT_REST + 1,
                      .q_count = from->q_count,
                      .limb_count = r->of->creature->view.limb_count,
                      .step_s = 1 / POSE_RATE,
                      .body_s = calmness * BODY_S,
                      .limb_s = calmness * LIMB_S,
                      .held = r->stretch->list.held};
    if (status == HF_OK && !hf_calm_path_take(&c, w)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) sample(r, from, &spline, &c);
    if (status == HF_OK) status = hf_calm_path_begin(&c, w);
    r->calm = &c;
    for (int p = 0; p < r->phases->count; p++) hf_part_begin(&r->phases->items[p]);
    for (int i = 0; i < TIMED_TRIES && !r->valid && status == HF_OK && hf_workspace_goes_on(w); i++)
        status = try_path(r, clearance);
    return status;
}

hf_status hf_attempt_calm(const hf_refining* of, int rounds, hf_stretch* stretch) {
    hf_workspace* w = of->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)stretch->count;
    hf_refinement r = {.of = of, .workspace = w, .stretch = stretch, .phases = &stretch->phases};
    hf_clearance* clearance = NULL;
    r.timed = hf_workspace_take(w, n, sizeof *r.timed);
    r.begins = hf_workspace_take(w, n + 1, sizeof *r.begins);
    hf_status status = r.timed && r.begins ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) status = hf_clearance_create(of->creature, &clearance);
    double calmness = 1;
    for (int i = 0, vain = 0; i < rounds && vain < VAIN_TURNS && status == HF_OK && hf_workspace_goes_on(w);
         i++) {
        hf_workspace_mark turn = hf_workspace_begin(w);
        double before_s = stretch->best_s;
        r.valid = false;
        status = make_turn(&r, stretch->best ? stretch->best : stretch->given, calmness, clearance);
        of->result->rounds++;
        hf_workspace_end(w, turn);
        if (stretch->best_s <= WORTH_A_TURN * before_s) continue;
        vain += stretch->best ? 1 : 2, calmness *= SHORTER;
    }
    hf_clearance_free(clearance);
    hf_workspace_end(w, mark);
    return status;
}
