/* How the body is borne while it moves, frame by frame: the wrench that its frames need against what contacts
   can give, the margin that is left, and the torques of the joints against their effort limits. Speeds and
   accelerations are central differences of the frames. */
#include "check/check.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "check/tolerance.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-6; /* of files */
enum { LEAST_FRAMES = 2 * CHECK_ENDS + 1 };

/* What one frame is judged with. */
typedef struct scratch {
    check_frame* links;
    check_motion* motions;
    double (*wrenches)[6];
    double* torques;
    check_bearing_set set;
} scratch;

static bool scratch_make(const check_job* job, scratch* s) {
    size_t links = (size_t)job->c->link_count;
    s->links = hf_alloc(links, sizeof *s->links);
    s->motions = hf_alloc(links, sizeof *s->motions);
    s->wrenches = hf_alloc(links, sizeof *s->wrenches);
    s->torques = hf_alloc((size_t)job->c->joint_count + 1, sizeof *s->torques);
    s->set.contacts = hf_alloc((size_t)job->motion->limb_count + 1, sizeof *s->set.contacts);
    return s->links && s->motions && s->wrenches && s->torques && s->set.contacts;
}

static void scratch_free(scratch* s) {
    hf_free(s->links);
    hf_free(s->motions);
    hf_free(s->wrenches);
    hf_free(s->torques);
    hf_free((void*)s->set.contacts);
}

/* Forces of contacts, what they miss, and the torques that they leave to the joints. */
static hf_status judge_forces(const check_job* job, const scratch* s, const check_program* p,
                              hf_dynamic_frame* out) {
    double* x = hf_alloc((size_t)p->columns + 1, sizeof *x);
    if (!x) return HF_ERROR_MEMORY;
    hf_status status =
        check_program_nearest(p, CHECK_MISSING + ROUNDING, &out->missing_force, &out->missing_moment_m, x);
    out->borne = fmax(out->missing_force, out->missing_moment_m) <= CHECK_MISSING + ROUNDING;
    out->presses = check_any_pressed(job, s->set.frame);
    if (status == HF_OK && !out->presses)
        status =
            check_strength(job, &s->set, s->links, p, s->torques, x, &out->torque_share, &out->torque_joint);
    hf_free(x);
    return status;
}

static hf_status judge_frame(const check_job* job, int frame, scratch* s, hf_dynamic_frame* out) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    double com[3], wrench[6];
    check_program p;
    s->set.frame = frame, s->set.count = f->contact_count;
    for (int i = 0; i < f->contact_count; i++) s->set.contacts[i] = &f->contacts[i];
    check_com(job, frame, s->links, com);
    check_wrench(job, frame, s->links, com, s->motions, wrench);
    check_link_wrenches(job, frame, s->links, s->motions, s->wrenches);
    check_joint_torques(job->c, s->links, s->wrenches, s->torques);
    hf_status status = check_force_program(job, &s->set, com, wrench, &p);
    if (status == HF_OK) status = judge_forces(job, s, &p, out);
    check_program_free(&p);
    if (status != HF_OK) return status;
    out->judged = true;
    out->margin_m = check_margin(job, &s->set, com, wrench);
    if (out->margin_m < 0) out->margin_m = -fmax(out->missing_force, out->missing_moment_m);
    return isnan(out->margin_m) ? HF_ERROR_MEMORY : HF_OK;
}

/* ---- all frames ---- */

typedef struct dynamic_work {
    const check_job* job;
    hf_dynamic_frame* frames;
    hf_status* statuses; /* of each frame */
    hf_progress_fn progress;
    void* user;
    bool cancelled;
} dynamic_work;

static void judge_one(void* context, int frame, int worker) {
    dynamic_work* w = context;
    const hf_motion* m = w->job->motion;
    hf_dynamic_frame* out = &w->frames[frame];
    *out = (hf_dynamic_frame){.margin_m = NAN, .torque_share = NAN, .torque_joint = -1};
    if (frame < CHECK_ENDS || frame >= m->frame_count - CHECK_ENDS) return;
    if (__atomic_load_n(&w->cancelled, __ATOMIC_RELAXED)) return;
    scratch s = {0};
    w->statuses[frame] = scratch_make(w->job, &s) ? judge_frame(w->job, frame, &s, out) : HF_ERROR_MEMORY;
    scratch_free(&s);
    if (worker == 0 && w->progress &&
        !w->progress(w->user, (double)(frame + 1) / m->frame_count, "judging the motion's forces"))
        __atomic_store_n(&w->cancelled, true, __ATOMIC_RELAXED);
}

/* All frames; of those that could not be judged the first says why, whatever the threads did. */
static hf_status judge_all(dynamic_work* w, int threads) {
    int count = w->job->motion->frame_count;
    hf_status status = HF_OK;
    w->statuses = hf_alloc((size_t)count, sizeof *w->statuses);
    if (!w->statuses) return HF_ERROR_MEMORY;
    hf_parallel(threads, count, judge_one, w);
    for (int f = 0; f < count && status == HF_OK; f++) status = w->statuses[f];
    hf_free(w->statuses);
    return status;
}

static void add_frame(const hf_dynamic_frame* f, int frame, hf_dynamic_report* r) {
    bool strong = !f->presses && !(f->torque_share > 1 + ROUNDING);
    if (!f->judged) return;
    r->judged++;
    r->borne += f->borne;
    r->strong += strong;
    r->presses += f->presses;
    r->feasible += f->borne && strong;
    if (r->margin_frame < 0 || f->margin_m < r->margin_min_m)
        r->margin_min_m = f->margin_m, r->margin_frame = frame;
    if (!isnan(f->torque_share) && (r->torque_frame < 0 || f->torque_share > r->torque_share_max)) {
        r->torque_share_max = f->torque_share;
        r->torque_joint = f->torque_joint, r->torque_frame = frame;
    }
}

/* ---- jerk ---- */

/* The third derivative of the cubic through four values: six times Newton's third divided difference. */
static double third(const double t[4], double v[4]) {
    for (int order = 1; order < 4; order++)
        for (int i = 0; i + order < 4; i++) v[i] = (v[i + 1] - v[i]) / (t[i + order] - t[i]);
    return 6 * v[0];
}

static double mean_jerk(const hf_creature_view* c, const hf_motion* m) {
    double sum = 0;
    long count = 0;
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        bool turns = joint->type == HF_JOINT_REVOLUTE || joint->type == HF_JOINT_CONTINUOUS;
        for (int f = 0; f + 3 < m->frame_count && turns && joint->mimic < 0; f++, count++) {
            double t[4], v[4];
            for (int k = 0; k < 4; k++)
                t[k] = m->frames[f + k].time_s, v[k] = m->frames[f + k].q[joint->q_index];
            double jerk = third(t, v);
            sum += jerk * jerk;
        }
    }
    return count ? sum / (double)count : 0;
}

/* ---- the report ---- */

static hf_status refuse(const hf_motion* m, const hf_creature* creature, hf_error* error) {
    bool touches = false;
    for (int f = 0; f < m->frame_count; f++) touches = touches || m->frames[f].contact_count > 0;
    if (!creature)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "creature",
                       "without a creature there are no masses to judge forces by");
    if (!(hf_creature_get(creature)->mass > 0))
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "creature", "the creature has no mass");
    if (m->frame_count < LEAST_FRAMES)
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                       "there %s %d, and forces in motion need at least %d: accelerations are differences of "
                       "frames",
                       m->frame_count == 1 ? "is" : "are", m->frame_count, LEAST_FRAMES);
    if (!touches)
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                       "no frame has a contact, so there is nothing that could bear the body");
    return HF_OK;
}

static hf_status judge(check_job* job, int threads, hf_progress_fn progress, void* user, hf_dynamic_report* r,
                       hf_error* error) {
    hf_check_report unused = {0};
    check_place_objects(job, &unused);
    hf_status status = hf_fail_status(error, check_bearings_build(job), NULL);
    if (status != HF_OK) return status;
    r->frame_count = job->motion->frame_count;
    r->frames = hf_alloc((size_t)r->frame_count, sizeof *r->frames);
    if (!r->frames) return hf_fail_memory(error, NULL);
    dynamic_work work = {.job = job, .frames = r->frames, .progress = progress, .user = user};
    status = judge_all(&work, threads);
    if (status != HF_OK) return hf_fail_status(error, status, NULL);
    if (work.cancelled) {
        r->outcome = HF_CANCELLED;
        return HF_OK;
    }
    for (int f = 0; f < r->frame_count; f++) add_frame(&r->frames[f], f, r);
    const hf_motion_frame *first = job->motion->frames, *last = first + r->frame_count - 1;
    r->duration_s = last->time_s - first->time_s;
    r->jerk = mean_jerk(job->c, job->motion);
    return HF_OK;
}

static hf_status two_contacts(const hf_motion* m, hf_error* error) {
    for (int f = 0; f < m->frame_count; f++)
        for (int i = 0; i < m->frames[f].contact_count; i++)
            for (int k = 0; k < i; k++)
                if (m->frames[f].contacts[i].limb == m->frames[f].contacts[k].limb)
                    return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                                   "in frame %d limb \"%.60s\" has two contacts", f,
                                   m->limbs[m->frames[f].contacts[i].limb].name);
    return HF_OK;
}

hf_status hf_check_dynamic(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                           int threads, hf_progress_fn progress, void* user, hf_dynamic_report* report,
                           hf_error* error) {
    HF_REQUIRE(error, motion && report);
    *report = (hf_dynamic_report){.margin_frame = -1, .torque_frame = -1, .torque_joint = -1};
    hf_status status = refuse(motion, creature, error);
    if (status != HF_OK) return status;
    check_job job = {.motion = motion, .creature = creature, .c = hf_creature_get(creature), .scene = scene};
    status = check_job_open(&job, error);
    if (status == HF_OK) status = two_contacts(motion, error);
    if (status == HF_OK) status = judge(&job, threads, progress, user, report, error);
    check_job_close(&job);
    if (status != HF_OK) hf_dynamic_report_free(report);
    return status;
}

void hf_dynamic_report_free(hf_dynamic_report* report) {
    if (!report) return;
    hf_free(report->frames);
    memset(report, 0, sizeof *report);
}
