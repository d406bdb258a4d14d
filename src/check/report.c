/* The report: sets up plain data, judges every frame, sums up. */
#include "check/check.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "check/tolerance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double LIMIT_TOLERANCE = CHECK_LIMIT;       /* rad or m: rounding of files */
static const double ROM_TOLERANCE = CHECK_ROM_RAD;       /* rad */
static const double SPEED_TOLERANCE = CHECK_SPEED_SHARE; /* relative */
static const double STATED_M = CHECK_STATED_M;

enum { MAX_PROBLEMS = 1000 };

void check_problem(hf_check_report* report, int frame, unsigned claim, const char* format, ...) {
    report->broken |= claim;
    if (!report->problems || report->problem_count >= MAX_PROBLEMS) return;
    hf_check_problem* p = &report->problems[report->problem_count++];
    p->frame = frame;
    p->claim = claim;
    va_list args;
    va_start(args, format);
    vsnprintf(p->what, sizeof p->what, format, args);
    va_end(args);
}

static void check_limits(const check_job* job, hf_check_report* report) {
    const hf_creature_view* c = job->c;
    for (int f = 0; f < job->motion->frame_count; f++) {
        const double* q = job->motion->frames[f].q;
        for (int j = 0; j < c->joint_count; j++) {
            const hf_joint* joint = &c->joints[j];
            if (joint->q_count != 1) continue;
            double v = q[joint->q_index], followed = check_joint_value(c, j, q);
            bool out = v < joint->lower - LIMIT_TOLERANCE || v > joint->upper + LIMIT_TOLERANCE;
            bool astray = joint->mimic >= 0 && fabs(v - followed) > LIMIT_TOLERANCE;
            if (!out && !astray) continue;
            report->limit_violations++;
            if (out)
                check_problem(report, f, HF_CLAIM_LIMITS,
                              "joint \"%.60s\" is %.4f, its limits are %.4f to %.4f", joint->name, v,
                              joint->lower, joint->upper);
            else
                check_problem(report, f, HF_CLAIM_LIMITS,
                              "joint \"%.60s\" is %.4f, what it mimics makes it %.4f", joint->name, v,
                              followed);
        }
        for (int r = 0; r < c->rom_count; r++) {
            if (check_rom_holds(c, &c->roms[r], q, ROM_TOLERANCE)) continue;
            report->rom_violations++;
            check_problem(report, f, HF_CLAIM_ROM, "joints from \"%.60s\" on leave their range of motion",
                          c->joints[c->roms[r].joints[0]].name);
        }
    }
}

static void too_fast(hf_check_report* report, int frame, const char* what, double speed, double limit,
                     const char* unit) {
    if (speed <= limit * (1 + SPEED_TOLERANCE)) return;
    report->speed_violations++;
    check_problem(report, frame, HF_CLAIM_SPEED, "%s moves at %.3f %s, its limit is %.3f", what, speed, unit,
                  limit);
}

/* A joint shifts and turns; a floating or planar one does both, and its limit holds for each. */
static void joint_speed(const hf_joint* joint, const double* a, const double* b, double dt, int frame,
                        hf_check_report* report) {
    double shift = 0, turn = 0;
    a += joint->q_index, b += joint->q_index;
    switch (joint->type) {
    case HF_JOINT_FIXED:
        return;
    case HF_JOINT_REVOLUTE:
    case HF_JOINT_CONTINUOUS:
        turn = fabs(b[0] - a[0]);
        break;
    case HF_JOINT_PRISMATIC:
        shift = fabs(b[0] - a[0]);
        break;
    case HF_JOINT_PLANAR:
        shift = hf_hypot(b[0] - a[0], b[1] - a[1]);
        turn = fabs(b[2] - a[2]);
        break;
    case HF_JOINT_FLOATING:
        shift = hf_distance(hf_v3(a[0], a[1], a[2]), hf_v3(b[0], b[1], b[2]));
        turn = hf_quat_angle((hf_quat){a[3], a[4], a[5], a[6]}, (hf_quat){b[3], b[4], b[5], b[6]});
        break;
    }
    char what[80];
    snprintf(what, sizeof what, "joint \"%.60s\"", joint->name);
    too_fast(report, frame, what, shift / dt, joint->max_speed, "m/s");
    too_fast(report, frame, what, turn / dt, joint->max_speed, "rad/s");
}

static void check_speeds(const check_job* job, hf_check_report* report) {
    const hf_creature_view* c = job->c;
    for (int f = 1; f < job->motion->frame_count; f++) {
        const hf_motion_frame *b = &job->motion->frames[f], *a = b - 1;
        double dt = b->time_s - a->time_s;
        too_fast(report, f, "the root", hf_distance(a->root.position, b->root.position) / dt,
                 c->limits.root_speed, "m/s");
        too_fast(report, f, "the root's turn", hf_quat_angle(a->root.rotation, b->root.rotation) / dt,
                 c->limits.root_turn, "rad/s");
        for (int j = 0; j < c->joint_count; j++) joint_speed(&c->joints[j], a->q, b->q, dt, f, report);
    }
}

/* Frames are judged in any order and summed in theirs. */
typedef struct shared_work {
    const check_job* job;
    hf_progress_fn progress;
    void* user;
    bool cancelled;
} shared_work;

static void judge_frame(void* context, int frame, int worker) {
    shared_work* w = context;
    if (__atomic_load_n(&w->cancelled, __ATOMIC_RELAXED)) return;
    check_collisions(w->job, frame, &w->job->reports[frame]);
    check_balance(w->job, frame, &w->job->reports[frame]);
    check_pressed(w->job, frame, &w->job->reports[frame]);
    if (worker == 0 && w->progress &&
        !w->progress(w->user, (double)(frame + 1) / w->job->motion->frame_count, "checking"))
        __atomic_store_n(&w->cancelled, true, __ATOMIC_RELAXED);
}

/* The margin that a frame states is there. It may be more: the check's cones hold those of who made the
 * motion.
 */
static void judge_stated(const check_job* job, int frame, hf_check_report* report) {
    double stated = job->motion->frames[frame].balance, margin = fmax(job->reports[frame].margin, 0);
    if (isnan(stated) || isnan(margin)) return;
    report->balance_error_max_m = fmax(report->balance_error_max_m, stated - margin);
    if (stated - margin <= STATED_M) return;
    report->balance_violations++;
    check_problem(report, frame, HF_CLAIM_BALANCE, "a balance of %.1f mm is stated, it is %.1f mm",
                  stated * 1000, margin * 1000);
}

/* A motion that does not claim balance, at rest or in motion, is told how many frames lack it, and no more.
 */
static void sum_balance(const check_job* job, int frame, hf_check_report* report) {
    const check_frame_report* r = &job->reports[frame];
    report->unbalanced += r->unbalanced;
    report->undynamic += r->undynamic;
    report->missing_force_max = fmax(report->missing_force_max, r->missing_force);
    report->missing_moment_max_m = fmax(report->missing_moment_max_m, r->missing_moment);
    report->stance_violations += r->unheld;
    if (r->unbalanced && (job->motion->claims & HF_CLAIM_BALANCE))
        check_problem(report, frame, HF_CLAIM_BALANCE, "%s", r->balance_what);
    if (r->undynamic && (job->motion->claims & HF_CLAIM_DYNAMIC))
        check_problem(report, frame, HF_CLAIM_DYNAMIC, "%s", r->dynamic_what);
    if (r->unheld) check_problem(report, frame, HF_CLAIM_ONE_LIMB, "%s", r->change_what);
}

static hf_status sum_frames(const check_job* job, hf_check_report* report, hf_error* error) {
    for (int f = 0; f < job->motion->frame_count; f++) {
        const check_frame_report* r = &job->reports[f];
        if (r->failed) return hf_fail_memory(error, NULL);
        report->collisions += r->scene;
        report->self_collisions += r->self;
        report->worst_depth_m = fmax(report->worst_depth_m, r->depth);
        if (r->scene) check_problem(report, f, HF_CLAIM_COLLISION, "%s", r->scene_what);
        if (r->self) check_problem(report, f, HF_CLAIM_COLLISION, "%s", r->self_what);
        report->unjudged_ways += r->too_far;
        if (r->too_far)
            check_problem(
                report, f, HF_CLAIM_COLLISION,
                "collisions cannot be judged between this frame and the next: a body is too thin or "
                "moves too far");
        report->contact_violations += r->unpressed;
        if (r->unpressed) check_problem(report, f, HF_CLAIM_CONTACTS, "%s", r->press_what);
        sum_balance(job, f, report);
        judge_stated(job, f, report);
    }
    return HF_OK;
}

/* Claims that need what is not there; contacts need a scene only where there are any. */
static unsigned claims_unjudged(const hf_motion* m, const hf_creature* creature, const hf_scene* scene) {
    bool touches = false;
    for (int f = 0; f < m->frame_count; f++) touches = touches || m->frames[f].contact_count > 0;
    unsigned contacts = HF_CLAIM_CONTACTS | HF_CLAIM_BALANCE | HF_CLAIM_ONE_LIMB | HF_CLAIM_DYNAMIC;
    if (!creature) return CHECK_EVERY_CLAIM;
    return scene ? 0 : HF_CLAIM_COLLISION | (touches ? contacts : 0);
}

static void say_unjudged(const hf_motion* m, const hf_creature* creature, const hf_scene* scene,
                         hf_check_report* report) {
    char names[120] = "";
    report->unjudged = claims_unjudged(m, creature, scene);
    unsigned claimed = report->unjudged & m->claims;
    for (int i = 0; i < HF_CLAIM_COUNT; i++)
        if (claimed >> i & 1)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? ", " : "",
                     hf_claim_text(i));
    if (claimed)
        check_problem(report, 0, claimed, "claimed and cannot be judged: %s (there is no %s)", names,
                      creature ? "scene" : "creature");
    report->broken = 0; /* nothing is known to be broken */
}

static void say_ignored(const check_job* job, hf_check_report* report) {
    for (int o = 0; o < job->object_count; o++) report->ignored_triangles += job->objects[o].ignored_count;
}

/* All that is judged of the motion as a whole, one after the other. */
static hf_status judge_whole(check_job* job, const hf_scenario* scenario, hf_check_report* report,
                             hf_error* error) {
    report->frames = job->motion->frame_count;
    say_ignored(job, report);
    check_place_objects(job, report);
    check_limits(job, report);
    check_speeds(job, report);
    check_contacts(job, report);
    check_stances(job, report);
    if (scenario) check_goal(job, scenario, report);
    return hf_fail_status(error, check_bearings_build(job), NULL);
}

static hf_status judge_frames(const check_job* job, int threads, hf_progress_fn progress, void* user,
                              hf_check_report* report, hf_error* error) {
    shared_work work = {job, progress, user, false};
    hf_parallel(threads, job->motion->frame_count, judge_frame, &work);
    if (!work.cancelled) return sum_frames(job, report, error);
    report->outcome = HF_CANCELLED;
    return HF_OK;
}

static hf_status judge(check_job* job, const hf_scenario* scenario, int threads, hf_progress_fn progress,
                       void* user, hf_check_report* report, hf_error* error) {
    hf_status status = check_job_open(job, error);
    if (status == HF_OK) status = judge_whole(job, scenario, report, error);
    if (status == HF_OK) status = judge_frames(job, threads, progress, user, report, error);
    check_job_close(job);
    return status;
}

static hf_status check(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                       const hf_scenario* scenario, int threads, hf_progress_fn progress, void* user,
                       hf_check_report* report, hf_error* error) {
    memset(report, 0, sizeof *report);
    report->problems = hf_alloc(MAX_PROBLEMS, sizeof *report->problems);
    if (!report->problems) return hf_fail_memory(error, NULL);
    say_unjudged(motion, creature, scene, report);
    hf_status status = HF_OK;
    if (creature) {
        check_job job = {
            .motion = motion, .creature = creature, .c = hf_creature_get(creature), .scene = scene};
        status = judge(&job, scenario, threads, progress, user, report, error);
    }
    if (status != HF_OK) {
        hf_check_report_free(report);
        return status;
    }
    report->valid = report->outcome == HF_FOUND && !report->goal_violations &&
                    !((report->broken | report->unjudged) & motion->claims);
    return HF_OK;
}

hf_status hf_check_motion(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                          int threads, hf_progress_fn progress, void* user, hf_check_report* report,
                          hf_error* error) {
    HF_REQUIRE(error, motion && report);
    return check(motion, creature, scene, NULL, threads, progress, user, report, error);
}

hf_status hf_check_scenario(const hf_motion* motion, const hf_creature* creature, const hf_scenario* scenario,
                            int threads, hf_progress_fn progress, void* user, hf_check_report* report,
                            hf_error* error) {
    HF_REQUIRE(error, motion && report);
    return check(motion, creature, scenario ? scenario->scene : NULL, scenario, threads, progress, user,
                 report, error);
}

void hf_check_report_free(hf_check_report* report) {
    if (!report) return;
    hf_free(report->problems);
    memset(report, 0, sizeof *report);
}
