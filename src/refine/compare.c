/* The comparison of thesis-2015 sections 7.3 and 8.4: the same optimiser with the same costs and the same
   work begins from the contact plan, or from straight lines between key poses, as ITOMP does. */
#include "base/error.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/hold.h"
#include "refine/ends.h"
#include "refine/pose_cost.h"
#include "refine/stance_list.h"
#include "schedule/frames.h"

#include <holdfast/refine.h>

#include <math.h>
#include <string.h>

static const double RATE = 30;        /* samples a second, in the plan's own times */
static const double MARGIN_M = 0.01;  /* that wrenches keep inside stances, body weights times metres */
static const double STEPS_WORK = 1e6; /* steps of work in one of the option's */
enum { STEPS = 100 };                 /* of the optimiser in one go */
/* Steps that leave more than this share of the cost are the last ones. */
static const double LITTLE = 0.999;

typedef struct comparing {
    const hf_creature* creature;
    const hf_scene* scene;
    const hf_schedule* schedule;
    hf_workspace* workspace;
    hf_stance_list list;
    hf_parts phases;
    hf_pose_path path;
    hf_transform *plan_roots, *wished; /* the plan's body; straight lines */
    double *plan_q, *lines_q;
    double weights[HF_COST_COUNT];
} comparing;

const char* hf_refine_start_text(hf_refine_start start) {
    static const char* const texts[] = {"plan", "lines", "lines, contact variables"};
    return (size_t)start < sizeof texts / sizeof *texts ? texts[start] : "unknown";
}

static bool take(comparing* c) {
    hf_workspace* w = c->workspace;
    hf_pose_path* t = &c->path;
    size_t n = (size_t)t->count, q = n * (size_t)c->creature->view.q_count + 1;
    size_t limbs = n * (size_t)c->creature->view.limb_count + 1;
    c->plan_roots = hf_workspace_take(w, 3 * n, sizeof *c->plan_roots);
    c->plan_q = hf_workspace_take(w, 3 * q, sizeof(double));
    const hf_stance** stances = hf_workspace_take(w, n, sizeof *stances);
    double* margins = hf_workspace_take(w, 2 * n + (size_t)c->schedule->hold_count, sizeof *margins);
    hf_pose_path_target* targets = hf_workspace_take(w, limbs, sizeof *targets);
    int* holds = hf_workspace_take(w, limbs, sizeof *holds);
    if (!c->plan_roots || !c->plan_q || !stances || !margins || !targets || !holds) return false;
    c->wished = c->plan_roots + n, t->roots = c->plan_roots + 2 * n;
    c->lines_q = c->plan_q + q, t->q = c->plan_q + 2 * q;
    // the wishes give the body's way to the effort; nothing else wishes to be as the plan is
    t->wished_roots = c->plan_roots, t->wished_q = c->plan_q;
    t->stances = stances, t->margin_m = margins, t->freedom = margins + n, t->targets = targets;
    t->contact_count = c->schedule->hold_count;
    t->holds = holds, t->held = c->list.held, t->weights = c->weights;
    for (size_t k = 0; k < n; k++) margins[k] = MARGIN_M, margins[n + k] = 1;
    return true;
}

/* The holds of a sample, as targets. */
static void list_holds(comparing* c, int k, double t) {
    const hf_schedule* s = c->schedule;
    const hf_creature_view* v = &c->creature->view;
    int* holds = (int*)(uintptr_t)c->path.holds + (size_t)k * (size_t)v->limb_count;
    hf_pose_path_target* targets = (hf_pose_path_target*)(uintptr_t)c->path.targets;
    for (int l = 0; l < v->limb_count; l++) holds[l] = -1;
    for (int i = 0; i < s->hold_count; i++) {
        int limb = s->holds[i].hold.limb;
        if (s->holds[i].from_s > t + HF_SAME_S || s->holds[i].to_s < t - HF_SAME_S || holds[limb] >= 0)
            continue;
        const hf_held* h = &c->list.held[i];
        const hf_contact_frame* f = &v->limbs[limb].contacts[h->world.frame];
        holds[limb] = i;
        targets[c->path.target_count++] = (hf_pose_path_target){.sample = k,
                                                                .link = f->link,
                                                                .in_link = f->offset,
                                                                .point = h->anchor.point,
                                                                .rotation = h->anchor.rotation,
                                                                .turns = h->anchor.flat,
                                                                .holds = true,
                                                                .hold = i};
    }
}

/* The key poses between which a time lies: those at which a hold begins or ends, and the ends of the motion.
 */
static void find_keys(const hf_schedule* s, double t, double keys[2]) {
    keys[0] = 0, keys[1] = s->knots[s->knot_count - 1].time_s;
    for (int i = 0; i < s->hold_count; i++)
        for (int side = 0; side < 2; side++) {
            double at = side ? s->holds[i].to_s : s->holds[i].from_s;
            if (at <= t && at > keys[0]) keys[0] = at;
            if (at >= t && at < keys[1]) keys[1] = at;
        }
}

static void sample(comparing* c, hf_pose_spline* spline, hf_pose* a, hf_pose* b) {
    hf_pose_path* t = &c->path;
    const hf_stance** stances = (const hf_stance**)(uintptr_t)t->stances;
    size_t q = (size_t)c->creature->view.q_count;
    for (int k = 0; k < t->count; k++) {
        double time_s = k * t->step_s, keys[2];
        hf_pose plan = {.q = c->plan_q + (size_t)k * q}, line = {.q = c->lines_q + (size_t)k * q};
        hf_pose_spline_at(spline, time_s, &plan);
        find_keys(c->schedule, time_s, keys);
        hf_pose_spline_at(spline, keys[0], a);
        hf_pose_spline_at(spline, keys[1], b);
        double share = keys[1] > keys[0] ? (time_s - keys[0]) / (keys[1] - keys[0]) : 0;
        hf_pose_between(c->creature, a, b, share, &line);
        c->plan_roots[k] = plan.root, c->wished[k] = line.root;
        list_holds(c, k, time_s);
        stances[k] = c->list.stances[hf_stance_list_at(&c->list, &c->phases, time_s, t->step_s)];
    }
}

/* Puts joints of all samples into their limits and limbs exactly onto their holds, as every round of a
   refinement does: residuals are small, but not zero. */
static hf_status keep_frames(comparing* c, hf_transform* links) {
    const hf_pose_path* t = &c->path;
    const hf_creature_view* v = &c->creature->view;
    hf_status status = HF_OK;
    for (int k = 0; k < t->count && status == HF_OK; k++) {
        hf_pose pose = {t->roots[k], t->q + (size_t)k * (size_t)v->q_count};
        hf_pose_keep_limits(c->creature, pose.q);
        hf_frames_keep_range(c->creature, pose.q);
        for (int l = 0; l < v->limb_count && status == HF_OK; l++) {
            int hold = hf_cost_hold(t, k, l);
            bool kept;
            hf_vec3 miss;
            if (hold < 0) continue;
            hf_forward(c->creature, &pose, links);
            status = hf_held_keep(c->creature, &t->held[hold], HF_KEEP_EXACT, c->workspace, links, pose.q,
                                  &kept, &miss);
        }
    }
    return status;
}

/* Samples in which the realiser finds no fault, with forces for their accelerations claimed. */
static hf_status count_valid(const comparing* c, int* valid) {
    const hf_pose_path* t = &c->path;
    hf_schedule* made = NULL;
    hf_motion* motion = NULL;
    hf_realise_result faults = {0};
    hf_realise_options o = hf_realise_options_default();
    hf_status status = hf_schedule_create(c->creature, 1 / t->step_s, &made);
    for (int k = 0; k < t->count && status == HF_OK; k++) {
        hf_pose pose = {t->roots[k], t->q + (size_t)k * (size_t)c->creature->view.q_count};
        status = hf_schedule_add(made, NULL, k * t->step_s, &pose, NULL, 0, false);
    }
    for (int i = 0; i < c->schedule->hold_count && status == HF_OK; i++) {
        hf_schedule_hold h = c->schedule->holds[i];
        h.from_s = ceil(h.from_s / t->step_s - HF_SAME_S) * t->step_s;
        h.to_s = fmax(h.from_s, floor(h.to_s / t->step_s + HF_SAME_S) * t->step_s);
        if (!HF_GROW(made->holds, made->hold_capacity, made->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK) made->holds[made->hold_count++] = h;
    }
    if (status == HF_OK) made->claims = HF_CLAIM_DYNAMIC;
    if (status == HF_OK) status = hf_realise(c->creature, c->scene, made, &o, c->workspace, &motion, &faults);
    *valid = t->count;
    for (int i = 0, last = -1; i < faults.fault_count; i++) {
        *valid -= faults.faults[i].frame != last;
        last = faults.faults[i].frame;
    }
    hf_realise_result_free(&faults);
    hf_motion_free(motion);
    hf_schedule_free(made);
    return status;
}

static hf_status run(comparing* c, hf_refine_start start, double work, hf_refine_comparison* out) {
    hf_pose_path* t = &c->path;
    hf_workspace* w = c->workspace;
    double* variables = (double*)(uintptr_t)t->freedom + t->count;
    size_t n = (size_t)t->count, q = n * (size_t)c->creature->view.q_count;
    memcpy(t->roots, start == HF_REFINE_FROM_PLAN ? c->plan_roots : c->wished, n * sizeof *t->roots);
    memcpy(t->q, start == HF_REFINE_FROM_PLAN ? c->plan_q : c->lines_q, q * sizeof(double));
    t->contact = start == HF_REFINE_FROM_LINES_FREE ? variables : NULL;
    for (int i = 0; i < t->contact_count; i++) variables[i] = 1;
    out->frames = t->count;
    hf_transform* links = hf_workspace_take(w, (size_t)c->creature->view.link_count, sizeof *links);
    if (!links) return HF_ERROR_MEMORY;
    hf_status status = count_valid(c, &out->valid[0]);
    double spent = hf_workspace_spent(w);
    hf_workspace_allow(w, spent + work);
    // the optimiser ends behind a step that gains little: it goes on while there is work and any gain
    for (double before = INFINITY; status == HF_OK && hf_workspace_goes_on(w);) {
        double costs[2] = {0, 0};
        status = hf_pose_path_improve(t, STEPS, w, costs);
        if (status != HF_OK) break;
        if (before == INFINITY) out->cost[0] = costs[0];
        out->cost[1] = costs[1];
        if (!(costs[1] < LITTLE * before)) break;
        before = costs[1];
    }
    hf_workspace_allow(w, INFINITY);
    out->work = round(hf_workspace_spent(w) - spent) / STEPS_WORK;
    if (status == HF_OK) status = keep_frames(c, links);
    if (status == HF_OK) status = count_valid(c, &out->valid[1]);
    return status;
}

static hf_status compare(comparing* c, const hf_refine_options* options, hf_refine_comparison* out) {
    hf_workspace* w = c->workspace;
    hf_pose_spline spline;
    size_t q = (size_t)c->creature->view.q_count + 1;
    hf_pose a = {.q = hf_workspace_take(w, 2 * q, sizeof(double))}, b = {.q = a.q + q};
    hf_status status = a.q ? hf_pose_spline_of(c->creature, c->schedule, w, &spline) : HF_ERROR_MEMORY;
    if (status == HF_OK) status = hf_parts_make(c->schedule, w, &c->phases);
    if (status == HF_OK)
        status = hf_stance_list_make(c->creature, c->path.placement, c->schedule, &spline, &c->phases, w,
                                     &c->list);
    double end_s = c->schedule->knots[c->schedule->knot_count - 1].time_s;
    c->path.count = (int)fmax(8, round(end_s * RATE)) + 1;
    c->path.step_s = end_s / (c->path.count - 1);
    if (status == HF_OK && !take(c)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) sample(c, &spline, &a, &b);
    memcpy(c->weights, options->weights, sizeof c->weights);
    c->weights[HF_COST_POSTURE] = 0; // nearness to a start would favour that start
    for (int i = 0; i < HF_REFINE_STARTS && status == HF_OK; i++)
        status = run(c, i, options->work * STEPS_WORK, &out[i]);
    hf_stance_list_free(&c->list);
    return status;
}

hf_status hf_refine_compare(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                            const hf_refine_options* options, hf_workspace* workspace,
                            hf_refine_comparison out[HF_REFINE_STARTS], hf_error* error) {
    HF_REQUIRE(error, creature && schedule && options && workspace && out);
    comparing c = {.creature = creature, .scene = scene, .schedule = schedule, .workspace = workspace};
    hf_placement* placement = NULL;
    memset(out, 0, sizeof *out * HF_REFINE_STARTS);
    hf_status status = hf_options_check(hf_refine_option_table(), options, error);
    if (status == HF_OK) status = hf_schedule_validate(schedule, creature, scene, error);
    if (status != HF_OK) return status;
    if (schedule->knot_count < 2 || schedule->hold_count == 0 || !(creature->view.mass > 0))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL,
                       "a comparison needs a motion of a creature with mass that holds something");
    status = hf_placement_create(scene, &placement);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    c.path = (hf_pose_path){.creature = creature, .placement = placement};
    if (status == HF_OK) status = compare(&c, options, out);
    hf_workspace_end(workspace, mark);
    hf_placement_free(placement);
    return status == HF_OK ? HF_OK : hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
}
