/* Where the objects of the scene are: where the motion last named them, else by their keys, else at their
   start. An object with keys that is not movable goes by them whatever the motion says. An object that is not
   movable may only be named where its keys or its start put it. */
#include "check/check.h"

static const double PLACE_M = 1e-6; /* rounding of files */
static const double PLACE_RAD = 1e-6;

/* Where an object's keys (or its start) put it at a time. */
static hf_transform keyed(const hf_object_view* v, double time_s) {
    if (!v->key_count) return v->start;
    if (time_s <= v->keys[0].time_s) return v->keys[0].pose;
    for (int k = 1; k < v->key_count; k++) {
        const hf_key *a = &v->keys[k - 1], *b = &v->keys[k];
        if (time_s > b->time_s) continue;
        double s = (time_s - a->time_s) / (b->time_s - a->time_s);
        return (hf_transform){hf_lerp(a->pose.position, b->pose.position, s),
                              hf_quat_slerp(a->pose.rotation, b->pose.rotation, s)};
    }
    return v->keys[v->key_count - 1].pose;
}

hf_transform check_object_at(const check_job* job, int object, int frame, double fraction) {
    const hf_motion* m = job->motion;
    hf_transform a = job->placed[(size_t)frame * (size_t)job->object_count + (size_t)object];
    if (!(fraction > 0) || frame + 1 >= m->frame_count) return a;
    size_t next = (size_t)(frame + 1) * (size_t)job->object_count + (size_t)object;
    double since = m->frames[frame].time_s, until = m->frames[frame + 1].time_s;
    if (!job->named[next]) return keyed(&job->views[object], since + fraction * (until - since));
    hf_transform b = job->placed[next];
    return (hf_transform){hf_lerp(a.position, b.position, fraction),
                          hf_quat_slerp(a.rotation, b.rotation, fraction)};
}

static size_t cell(const check_job* job, int frame, int object) {
    return (size_t)frame * (size_t)job->object_count + (size_t)object;
}

/* As the scene or an earlier frame has it, before this frame names any. */
static void place_unnamed(check_job* job, int frame) {
    for (int o = 0; o < job->object_count; o++) {
        bool before = frame && job->named[cell(job, frame - 1, o)];
        job->named[cell(job, frame, o)] = before;
        job->placed[cell(job, frame, o)] = before ? job->placed[cell(job, frame - 1, o)]
                                                  : keyed(&job->views[o], job->motion->frames[frame].time_s);
    }
}

static void place_named(check_job* job, int frame, const hf_motion_object* named, hf_check_report* report) {
    int o = job->object_of[named->object];
    if (o < 0) {
        if (job->scene)
            check_problem(report, frame, CHECK_EVERY_CLAIM, "the scene has no object \"%.60s\"",
                          job->motion->objects[named->object]);
        return;
    }
    hf_transform stands = keyed(&job->views[o], job->motion->frames[frame].time_s);
    bool elsewhere = hf_distance(stands.position, named->pose.position) > PLACE_M ||
                     hf_quat_angle(stands.rotation, named->pose.rotation) > PLACE_RAD;
    if (elsewhere && !job->views[o].movable)
        check_problem(report, frame, CHECK_EVERY_CLAIM, "\"%.60s\" is moved but is not movable",
                      job->views[o].name);
    if (job->views[o].key_count && !job->views[o].movable) return;
    job->placed[cell(job, frame, o)] = named->pose;
    job->named[cell(job, frame, o)] = true;
}

void check_place_objects(check_job* job, hf_check_report* report) {
    for (int f = 0; f < job->motion->frame_count; f++) {
        place_unnamed(job, f);
        for (int i = 0; i < job->motion->frames[f].object_count; i++)
            place_named(job, f, &job->motion->frames[f].objects[i], report);
    }
}
