/* holdfast contact with a path: a sequence of contacts along it, as a motion. */
#include "contact_job.h"

#include <stdio.h>
#include <stdlib.h>

/* The limbs of the first task, or all. */
static hf_status list_limbs(contact_job* job, int* limbs, int* count, hf_error* error) {
    const hf_scenario* s = job->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    const hf_task* task = s->task_count ? &s->tasks[0] : NULL;
    *count = 0;
    for (int i = 0; task && i < task->limb_count; i++) limbs[(*count)++] = task->limbs[i].limb;
    hf_status status = HF_OK;
    bool any = false;
    for (int l = 0; l < c->limb_count && status == HF_OK; l++) {
        bool wanted = *count == 0;
        for (int i = 0; i < *count; i++) wanted |= limbs[i] == l;
        if (!wanted || !c->limbs[l].use || !c->limbs[l].joint_count || !c->limbs[l].contact_count) continue;
        status = contact_job_samples(job, l, error);
        any = true;
    }
    return any || status != HF_OK ? status : contact_job_no_walker(job, error);
}

static hf_status find_sequence(contact_job* job, const int* limbs, int limb_count, hf_course* course,
                               hf_sequence_result* result) {
    const hf_scenario* s = job->scenario;
    hf_sequence_query q = hf_sequence_query_default();
    q.options = job->wishes.sequence;
    q.swing = job->wishes.swing;
    q.start = s->start.pose;
    q.contacts = job->held;
    q.contact_count = job->held_count;
    q.path = s->root_path;
    q.path_count = s->path_count;
    q.limbs = limbs;
    q.limb_count = limb_count;
    q.samples = (const hf_samples* const* const*)job->samples;
    q.epsilon_m = job->wishes.query.epsilon_m;
    contact_job_weights(job, q.weights);
    contact_job_begin(job);
    hf_status status = hf_sequence_find(s->creature, job->placement, &q, job->workspace, progress_report,
                                        &job->progress, course, result);
    contact_job_end(job);
    return status;
}

static void say(const contact_job* job, const hf_sequence_result* r, const loaded_motion* m) {
    const hf_creature_view* c = hf_creature_get(job->scenario->creature);
    const hf_motion* motion = m->motion;
    double seconds = motion ? motion->frames[motion->frame_count - 1].time_s : 0;
    const char* limb = r->limb >= 0 ? c->limbs[r->limb].name : "";
    if (job->o->json) {
        print_json(json_pack("{s:s,s:s,s:s,s:f,s:i,s:i,s:i,s:f}", "outcome", hf_outcome_text(r->outcome),
                             "why", hf_sequence_why_text(r->why), "limb", limb, "reached", r->reached,
                             "phases", r->phases, "swings", r->swings, "queries", r->queries, "duration_s",
                             seconds));
        return;
    }
    printf("%s: %.0f %% of the path, %d swings in %d phases, %.1f s", hf_outcome_text(r->outcome),
           100 * r->reached, r->swings, r->phases, seconds);
    if (r->outcome != HF_FOUND) printf("; %s%s%s", hf_sequence_why_text(r->why), limb[0] ? ": " : "", limb);
    printf("\n");
}

static hf_status write_sequence(const contact_job* job, const loaded_motion* m, hf_error* error) {
    int frames[PATH_PANELS];
    for (int i = 0; i < PATH_PANELS; i++) frames[i] = i * (m->motion->frame_count - 1) / (PATH_PANELS - 1);
    return contact_job_write(job, job->scenario->name, m, frames, PATH_PANELS, hf_v3(0, 0, 0), error);
}

int follow_path(hf_scenario* s, const options* o) {
    contact_job job;
    hf_error error = {0};
    hf_sequence_result result = {.limb = -1};
    loaded_motion m = {.creature = s->creature, .scenario = s, .scene = s->scene};
    hf_course* course = NULL;
    int limb_count = 0, *limbs = calloc((size_t)hf_creature_get(s->creature)->limb_count + 1, sizeof *limbs);
    bool every = true;
    hf_status status = contact_job_create(&job, s, o);
    if (!limbs) status = HF_ERROR_MEMORY;
    if (status == HF_OK) {
        contact_job_hold(&job);
        status = list_limbs(&job, limbs, &limb_count, &error);
    }
    if (status == HF_OK) status = contact_job_check_score(&job, true, &error);
    if (status == HF_OK) status = hf_course_create(s->creature, &course);
    if (status == HF_OK) status = find_sequence(&job, limbs, limb_count, course, &result);
    if (status == HF_OK && hf_course_count(course))
        status = contact_job_frames(&job, course, result.outcome, &m, &every);
    if (result.outcome == HF_FOUND && !every) result.outcome = HF_PARTIAL;
    if (status == HF_OK) say(&job, &result, &m);
    if (status == HF_OK && o->output && m.motion) status = write_sequence(&job, &m, &error);
    if (status != HF_OK && error.status != status) fail_while(&error, status, s->path, "following the path");
    int code = status != HF_OK              ? fail_with(&error)
               : result.outcome == HF_FOUND ? EXIT_DONE
                                            : EXIT_NO_SOLUTION;
    hf_motion_free(m.motion);
    hf_schedule_free(m.schedule);
    hf_course_free(course);
    free(limbs);
    contact_job_free(&job);
    return code;
}
