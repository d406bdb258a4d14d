/* holdfast contact in a scene whose objects move by keys: an agent lives through the time of the keys, and
   its frames become a motion. It goes where the scenario's path says, whose poses are spread evenly over that
   time; only their place over ground and their heading count, the height is that of what it stands on.
   Without a path it stays. */
#include "contact_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RATE = 30;        /* frames a second */
static const double FOLLOW_S = 0.4;   /* time in which it makes up for what it is behind */
static const double AFTER_S = 1;      /* that it goes on after the last key */
static const double LONGEST_S = 3600; /* of a recording: 108,000 frames, some hundred megabytes of motion */
/* Part of a time limit that frames are recorded in where files are written: to write a frame (motion,
   schedule, GLB) takes up to three times as long as to make it. */
static const double RECORD_SHARE = 0.2;
static const double THERE_M = 0.1; /* so near to the end of its path it has arrived */

bool scene_has_keys(const hf_scene* scene) {
    for (int i = 0; i < hf_scene_object_count(scene); i++)
        if (hf_scene_object(scene, i).key_count > 1) return true;
    return false;
}

static double end_of_keys(const hf_scene* scene) {
    double end = 0;
    for (int i = 0; i < hf_scene_object_count(scene); i++) {
        hf_object_view o = hf_scene_object(scene, i);
        if (o.key_count) end = fmax(end, o.keys[o.key_count - 1].time_s);
    }
    return end;
}

typedef struct life {
    contact_job* job;
    hf_agent* agent;
    loaded_motion m;
    double duration_s, lag_m, worst_us, sum_us;
    int counts[HF_AGENT_HIT + 1];
    bool valid, stopped;
    json_t* events;
} life;

/* Where the path is at a time. */
static hf_transform path_at(const hf_scenario* s, double time_s, double duration_s) {
    if (s->path_count == 0) return s->start.pose.root;
    double at = fmin(1, time_s / duration_s) * (s->path_count - 1);
    int i = (int)fmin(floor(at), s->path_count - 1), next = i + 1 < s->path_count ? i + 1 : i;
    return (hf_transform){hf_lerp(s->root_path[i].position, s->root_path[next].position, at - i),
                          hf_quat_slerp(s->root_path[i].rotation, s->root_path[next].rotation, at - i)};
}

static double heading(hf_quat q) {
    hf_vec3 x = hf_rotate(q, hf_v3(1, 0, 0));
    return hf_atan2(x.y, x.x);
}

static void steer(const life* l, double time_s, const hf_pose* now, hf_agent_input* in) {
    hf_transform to = path_at(l->job->scenario, time_s, l->duration_s);
    hf_vec3 d = hf_sub(to.position, now->root.position);
    in->velocity = hf_scale(hf_v3(d.x, d.y, 0), 1 / FOLLOW_S);
    in->turn_rad_s =
        remainder(heading(to.rotation) - heading(now->root.rotation), 6.28318530717958648) / FOLLOW_S;
}

/* ---- what happens ---- */

static void tell(life* l, double time_s, const hf_agent_output* out) {
    const hf_scenario* s = l->job->scenario;
    for (int i = 0; i < out->event_count; i++) {
        const hf_agent_event* e = &out->events[i];
        const char* limb = e->limb >= 0 ? hf_creature_get(s->creature)->limbs[e->limb].name : "";
        const char* object = e->object >= 0 ? hf_scene_object(s->scene, e->object).name : "";
        l->counts[e->kind]++;
        json_array_append_new(l->events,
                              json_pack("{s:f,s:s,s:s,s:s}", "t", time_s, "what",
                                        hf_agent_event_text(e->kind), "limb", limb, "object", object));
        if (!l->job->o->json && !l->job->o->quiet)
            printf("%6.2f s  %-16s %s%s%s\n", time_s, hf_agent_event_text(e->kind), limb, *object ? ", " : "",
                   object);
    }
}

static hf_status keep(life* l, double time_s, const hf_agent_output* out) {
    l->lag_m = fmax(l->lag_m, out->lag_m);
    l->valid &= out->valid;
    return hf_schedule_add(l->m.schedule, l->job->placement, time_s, &out->pose, out->contacts,
                           out->contact_count, false);
}

/* Is the rest of the time limit needed to write what was recorded? */
static bool must_write(const life* l) {
    const options* o = l->job->o;
    return o->output && o->time_limit_s > 0 && now_s() - limit_started() > RECORD_SHARE * o->time_limit_s;
}

static hf_status live(life* l) {
    hf_placement* placement = l->job->placement;
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out = {0};
    if (l->job->scenario->task_count) in.task = l->job->scenario->tasks[0].direction;
    hf_status status = hf_agent_place(l->agent, placement, &l->job->scenario->start.pose);
    int frames = (int)ceil((l->duration_s + AFTER_S) * RATE);
    for (int i = 0; i <= frames && status == HF_OK; i++) {
        double time_s = i / RATE;
        if (i && (!progress_report(&l->job->progress, (double)i / frames, "living") || must_write(l))) {
            l->stopped = true;
            break;
        }
        hf_placement_set_time(placement, time_s);
        in.dt_s = i ? 1 / RATE : 0;
        if (i) steer(l, time_s, &out.pose, &in);
        double start = now_s();
        status = hf_agent_step(l->agent, placement, &in, &out);
        double us = 1e6 * (now_s() - start);
        l->sum_us += us;
        l->worst_us = fmax(l->worst_us, us);
        if (status != HF_OK) break;
        tell(l, time_s, &out);
        status = keep(l, time_s, &out);
    }
    return status;
}

/* ---- output ---- */

static bool arrived(const life* l) {
    const hf_schedule* s = l->m.schedule;
    hf_transform end = path_at(l->job->scenario, l->duration_s, l->duration_s);
    hf_vec3 d = hf_sub(end.position, s->knots[s->knot_count - 1].root.position);
    return hf_hypot(d.x, d.y) <= THERE_M;
}

static hf_status write_life(const life* l, hf_error* error) {
    int frames[PATH_PANELS];
    for (int i = 0; i < PATH_PANELS; i++) frames[i] = i * (l->m.motion->frame_count - 1) / (PATH_PANELS - 1);
    return contact_job_write(l->job, l->job->scenario->name, &l->m, frames, PATH_PANELS, hf_v3(0, 0, 0),
                             error);
}

static void report(const life* l, hf_outcome outcome) {
    int frames = l->m.motion->frame_count;
    if (l->job->o->json)
        print_json(json_pack("{s:s,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:O}", "outcome", hf_outcome_text(outcome),
                             "frames", frames, "made", l->counts[HF_AGENT_MADE], "lifted",
                             l->counts[HF_AGENT_LIFTED], "broken", l->counts[HF_AGENT_BROKEN], "lag_max_m",
                             l->lag_m, "time_mean_us", l->sum_us / frames, "time_worst_us", l->worst_us,
                             "events", l->events));
    else
        printf("%s: %d frames, %d contacts made, %d broken, at most %.3f m behind, %.0f us a frame, worst "
               "%.0f us\n",
               hf_outcome_text(outcome), frames, l->counts[HF_AGENT_MADE], l->counts[HF_AGENT_BROKEN],
               l->lag_m, l->sum_us / frames, l->worst_us);
}

/* An empty schedule of the scenario; claims are what an agent promises. */
static hf_status begin(life* l, hf_scenario* s) {
    l->m = (loaded_motion){.creature = s->creature, .scenario = s, .scene = s->scene};
    hf_status status = hf_schedule_create(s->creature, RATE, &l->m.schedule);
    if (status != HF_OK) return status;
    l->m.schedule->scenario = strdup(s->path);
    l->m.schedule->claims = HF_CLAIM_ALL & ~(unsigned)(HF_CLAIM_BALANCE | HF_CLAIM_ONE_LIMB);
    return l->m.schedule->scenario ? HF_OK : HF_ERROR_MEMORY;
}

/* The motion of what was recorded; the agent has tested its frames. */
static hf_status realise(life* l) {
    hf_realise_options o = {.test = false};
    hf_realise_result r = {0};
    hf_status status =
        hf_realise(l->m.creature, l->m.scene, l->m.schedule, &o, l->job->workspace, &l->m.motion, &r);
    hf_realise_result_free(&r);
    return status;
}

static hf_status set_outcome(life* l, hf_outcome outcome) {
    char* text = strdup(hf_outcome_text(outcome));
    if (!text) return HF_ERROR_MEMORY;
    free(l->m.schedule->outcome);
    l->m.schedule->outcome = text;
    if (!l->valid) l->m.schedule->claims &= ~(unsigned)HF_CLAIM_COLLISION;
    return HF_OK;
}

/* Keys may last for days, a recording may not. */
static hf_status check_length(const life* l, const hf_scenario* s, hf_error* error) {
    if (l->duration_s <= LONGEST_S) return HF_OK;
    *error = (hf_error){.status = HF_ERROR_LIMIT, .field = "scene"};
    snprintf(error->file, sizeof error->file, "%s", s->path);
    snprintf(error->message, sizeof error->message,
             "the keys of its objects last %g s, a recording has at most %g s", l->duration_s, LONGEST_S);
    return error->status;
}

int live_through(hf_scenario* s, const options* o) {
    contact_job job;
    hf_error error = {0};
    life l = {.job = &job, .valid = true, .duration_s = end_of_keys(s->scene), .events = json_array()};
    hf_status status = contact_job_create(&job, s, o);
    if (status == HF_OK) status = check_length(&l, s, &error);
    if (status == HF_OK) status = begin(&l, s);
    for (int i = 0; i < hf_creature_get(s->creature)->limb_count && status == HF_OK; i++)
        if (hf_creature_get(s->creature)->limbs[i].joint_count) status = contact_job_samples(&job, i, &error);
    if (status == HF_OK)
        status = hf_agent_create(s->creature, (const hf_samples* const* const*)job.samples, NULL, &l.agent);
    if (status == HF_ERROR_ARGUMENT && !l.agent && !error.status) contact_job_no_walker(&job, &error);
    if (status == HF_OK) {
        contact_job_begin(&job);
        hf_agent_watch(l.agent, progress_report, &job.progress);
        status = live(&l);
        contact_job_end(&job);
    }
    hf_outcome outcome = HF_NONE;
    if (l.stopped) note(o, "stopped early: %d of the frames are recorded", l.m.schedule->knot_count);
    if (status == HF_OK) {
        outcome = l.valid && !l.stopped && arrived(&l) ? HF_FOUND : HF_PARTIAL;
        status = set_outcome(&l, outcome);
        if (status == HF_OK) status = realise(&l);
    }
    if (status == HF_OK && o->output) status = write_life(&l, &error);
    if (status == HF_OK) report(&l, outcome);
    int code = status == HF_OK ? outcome == HF_FOUND ? EXIT_DONE : EXIT_NO_SOLUTION : EXIT_BAD_INPUT;
    if (status != HF_OK) {
        if (!error.status) fail_while(&error, status, s->path, "living through the time of the keys");
        code = fail_with(&error);
    }
    json_decref(l.events);
    hf_agent_free(l.agent);
    hf_motion_free(l.m.motion);
    hf_schedule_free(l.m.schedule);
    contact_job_free(&job);
    return code;
}
