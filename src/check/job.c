/* What a judgement works on: the motion is sound and of this creature, bodies and objects are plain data. */
#include "check/check.h"
#include "base/error.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <string.h>

/* The motion must be of this creature before anything can be judged. */
static hf_status same_creature(const hf_motion* m, const hf_creature_view* c, hf_error* error) {
    int movable = 0;
    for (int j = 0; j < c->joint_count; j++) {
        if (c->joints[j].q_count == 0) continue;
        if (movable >= m->joint_count)
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "joints",
                           "the creature's joint \"%.60s\" is missing", c->joints[j].name);
        if (strcmp(m->joints[movable], c->joints[j].name) != 0)
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "joints",
                           "entry %d is \"%.60s\", the creature's joint is \"%.60s\"", movable,
                           m->joints[movable], c->joints[j].name);
        movable++;
    }
    if (movable != m->joint_count)
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "joints", "there are %d, the creature has %d",
                       m->joint_count, movable);
    if (m->q_count != c->q_count)
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                       "poses have %d joint values, the creature's joints take %d", m->q_count, c->q_count);
    return HF_OK;
}

static bool finite_turn(hf_quat q) {
    double l = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return fabs(l - 1) < 0.02;
}

static bool finite3(hf_vec3 v) { return isfinite(v.x + v.y + v.z); }

/* Numbers that compare false with everything would pass every rule below, so they are refused first. */
static bool frame_is_sound(const hf_motion* m, const hf_creature_view* c, int index) {
    const hf_motion_frame* f = &m->frames[index];
    bool good = isfinite(f->time_s) && finite3(f->root.position) && finite_turn(f->root.rotation);
    if (index) good = good && f->time_s > f[-1].time_s;
    for (int i = 0; i < m->q_count; i++) good = good && isfinite(f->q[i]);
    for (int j = 0; j < c->joint_count; j++) {
        const double* q = f->q + c->joints[j].q_index;
        if (c->joints[j].type == HF_JOINT_FLOATING)
            good = good && finite_turn((hf_quat){q[3], q[4], q[5], q[6]});
    }
    for (int i = 0; i < f->contact_count && good; i++) {
        const hf_hold* k = &f->contacts[i];
        good = k->limb >= 0 && k->limb < m->limb_count && k->object >= -1 && k->object < m->object_count &&
               k->frame >= 0 && k->frame < m->limbs[k->limb].frame_count && finite3(k->point) &&
               fabs(hf_length(k->normal) - 1) < 0.01;
    }
    for (int i = 0; i < f->object_count && good; i++) {
        const hf_motion_object* o = &f->objects[i];
        good = o->object >= 0 && o->object < m->object_count && finite3(o->pose.position) &&
               finite_turn(o->pose.rotation);
    }
    return good;
}

static hf_status all_sound(const hf_motion* m, const hf_creature_view* c, hf_error* error) {
    if (m->frame_count < 1)
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames", "a motion has at least one frame");
    for (int f = 0; f < m->frame_count; f++)
        if (!frame_is_sound(m, c, f))
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                           "frame %d has a number that is not finite, a direction or quaternion that is not "
                           "unit, an index out of range, or a time not after the frame before",
                           f);
    return HF_OK;
}

static bool job_arrays(check_job* job) {
    const hf_motion* m = job->motion;
    size_t frames = (size_t)m->frame_count, objects = (size_t)job->object_count;
    job->bodies = hf_alloc((size_t)job->c->body_count, sizeof *job->bodies);
    job->objects = hf_alloc(objects, sizeof *job->objects);
    job->views = hf_alloc(objects, sizeof *job->views);
    job->loads = hf_alloc(objects, sizeof *job->loads);
    job->object_of = hf_alloc((size_t)m->object_count, sizeof(int));
    job->limb_of = hf_alloc((size_t)m->limb_count, sizeof(int));
    job->placed = hf_alloc(frames * objects, sizeof(hf_transform));
    job->named = hf_alloc(frames * objects, sizeof(bool));
    job->reports = hf_alloc(frames, sizeof(check_frame_report));
    return job->bodies && job->objects && job->views && job->loads && job->object_of && job->limb_of &&
           job->placed && job->named && job->reports;
}

static hf_status job_build(check_job* job, hf_error* error) {
    job->object_count = job->scene ? hf_scene_object_count(job->scene) : 0;
    if (!job_arrays(job)) return hf_fail_memory(error, NULL);
    for (int b = 0; b < job->c->body_count; b++) {
        hf_status status = check_body_build(&job->c->bodies[b], CHECK_TOUCH_DEPTH_M, &job->bodies[b]);
        if (status != HF_OK)
            return hf_fail(error, status, NULL, 0, job->c->links[job->c->bodies[b].link].name,
                           "its body cannot be judged");
    }
    for (int o = 0; o < job->object_count; o++) {
        job->views[o] = hf_scene_object(job->scene, o);
        hf_status status = check_object_build(&job->views[o], &job->objects[o]);
        if (status == HF_OK && job->views[o].movable)
            status = check_load_build(&job->objects[o], &job->loads[o]);
        if (status != HF_OK) return hf_fail_status(error, status, NULL);
    }
    for (int i = 0; i < job->motion->object_count; i++)
        job->object_of[i] = job->scene ? hf_scene_find(job->scene, job->motion->objects[i]) : -1;
    for (int i = 0; i < job->motion->limb_count; i++)
        job->limb_of[i] = hf_creature_find_limb(job->creature, job->motion->limbs[i].name);
    return HF_OK;
}

void check_job_close(check_job* job) {
    for (int b = 0; job->bodies && b < job->c->body_count; b++) check_body_free(&job->bodies[b]);
    for (int o = 0; job->objects && o < job->object_count; o++) check_object_free(&job->objects[o]);
    for (int o = 0; job->loads && o < job->object_count; o++) check_load_free(&job->loads[o]);
    hf_free(job->loads);
    hf_free(job->bodies);
    hf_free(job->objects);
    hf_free(job->views);
    hf_free(job->object_of);
    hf_free(job->limb_of);
    hf_free(job->placed);
    hf_free(job->named);
    hf_free(job->reports);
    hf_free(job->bearings);
}

hf_status check_job_open(check_job* job, hf_error* error) {
    hf_status status = same_creature(job->motion, job->c, error);
    if (status == HF_OK) status = all_sound(job->motion, job->c, error);
    return status == HF_OK ? job_build(job, error) : status;
}
