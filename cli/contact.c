/* holdfast contact: the limbs of a scenario's task find contacts, one after the other, or say why not. */
#include "contact_job.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- output ---- */

static void say_text(const contact_job* job, const hf_task* task) {
    const hf_scenario* s = job->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    if (task->name[0]) printf("%s:\n", task->name);
    for (int i = 0; i < job->limb_count; i++) {
        const hf_contact_answer* a = job->limbs[i].answer;
        const char* name = c->limbs[job->limbs[i].task.limb].name;
        if (!a->contact_count)
            printf("%-14s none: %s (%d candidates, %d tested, %d colliding, %d not exact)\n", name,
                   hf_contact_why_text(a->why), a->candidates, a->tested, a->colliding, a->unfinished);
        for (int k = 0; k < a->contact_count; k++) {
            const hf_contact* t = &a->contacts[k];
            printf("%-14s %s %s at %.3f %.3f %.3f, normal %.2f %.2f %.2f, score %.3f", k ? "" : name,
                   t->hold.frame >= 0 ? c->limbs[t->hold.limb].contacts[t->hold.frame].name : "effector",
                   hf_scene_object(s->scene, t->hold.object).name, t->hold.point.x, t->hold.point.y,
                   t->hold.point.z, t->hold.normal.x, t->hold.normal.y, t->hold.normal.z, t->score);
            if (k)
                printf("\n");
            else
                printf(" (%d candidates, %d tested, %.0f us)\n", a->candidates, a->tested,
                       job->limbs[i].time_us);
        }
    }
}

hf_status contact_job_write(const contact_job* job, const char* name, const loaded_motion* m,
                            const int* frames, int count, hf_vec3 direction, hf_error* error) {
    char* stem = make_text("%s/%s", job->o->output, name);
    if (!stem) {
        *error = (hf_error){.status = HF_ERROR_MEMORY, .message = "out of memory"};
        return HF_ERROR_MEMORY;
    }
    progress p = progress_start(job->o);
    hf_status status = write_motion(m, stem, frames, count, direction, job->o, &p, error);
    progress_end(&p);
    free(stem);
    return status;
}

static hf_status write_task(const contact_job* job, const hf_task* task, const loaded_motion* m,
                            hf_error* error) {
    int last = m->motion->frame_count - 1;
    char* name = make_text("%s%s%s", job->scenario->name, task->name[0] ? "-" : "", task->name);
    hf_status status = name ? contact_job_write(job, name, m, &last, 1, task->direction, error)
                            : set_error(error, HF_ERROR_MEMORY);
    free(name);
    return status;
}

/* ---- the command ---- */

static int solve(hf_scenario* s, const options* o, int only) {
    contact_job job;
    hf_error error = {0};
    json_t* list = json_array();
    bool every = true, any = false;
    hf_status status = contact_job_create(&job, s, o);
    if (!list) status = HF_ERROR_MEMORY;
    if (status != HF_OK) fail_while(&error, status, s->path, "preparing the queries");
    if (status == HF_OK) contact_job_hold(&job);
    if (status == HF_OK) status = contact_job_prepare(&job, only, &error);
    for (int i = 0; i < s->task_count && status == HF_OK; i++) {
        const hf_task* task = &s->tasks[i];
        contact_job_begin(&job);
        status = contact_job_solve(&job, task, only, &error);
        if (status != HF_OK) {
            contact_job_end(&job);
            break;
        }
        bool moves = o->output && !contact_job_stopped(&job);
        if (contact_job_stopped(&job))
            note(o, "%s: stopped before every contact was found%s", progress_stop_text(&job.progress),
                 o->output ? "; no motion is written" : "");
        // first the way there: a limb may have to take another contact than its best
        loaded_motion m = {.creature = s->creature, .scenario = s, .scene = s->scene};
        bool there = true;
        if (moves) status = contact_job_motion(&job, &m, &there);
        contact_job_end(&job);
        moves = moves && !contact_job_stopped(&job); // the tests of its frames were cut
        if (status != HF_OK) fail_while(&error, status, s->path, "making the motion");
        every &= there && contact_job_outcome(&job) == HF_FOUND;
        any |= contact_job_outcome(&job) != HF_NONE;
        if (o->json)
            contact_job_json(&job, task, list);
        else
            say_text(&job, task);
        if (moves && status == HF_OK) status = write_task(&job, task, &m, &error);
        hf_motion_free(m.motion);
        hf_schedule_free(m.schedule);
    }
    int code = status == HF_OK ? every ? EXIT_DONE : EXIT_NO_SOLUTION
               : error.status  ? fail_with(&error)
                               : EXIT_BAD_INPUT;
    if (o->json && status == HF_OK)
        print_json(json_pack("{s:s,s:O}", "outcome",
                             hf_outcome_text(every ? HF_FOUND
                                             : any ? HF_PARTIAL
                                                   : HF_NONE),
                             "limbs", list));
    json_decref(list);
    contact_job_free(&job);
    return code;
}

int run_contact(const options* o) {
    int code;
    contact_wishes wishes;
    if (o->output && !picture_fits(o, o->compare ? SIDES : 1)) return EXIT_USAGE;
    hf_scenario* s = open_scenario(o, "contact", HF_SCENARIO_CONTACT, &code);
    if (!s) return code;
    int only = -1;
    bool walks = !o->compare && (s->path_count || scene_has_keys(s->scene));
    if (!s->task_count && (o->compare || !s->path_count))
        complain("%s: has no task", s->path);
    else if (o->limb && !named_limb(s->creature, o->limb, &only))
        code = EXIT_BAD_INPUT;
    else if (walks && (o->limb || o->choices))
        complain("%s: has a path or objects that move, --limb and --choices are for the contacts of a task",
                 s->path);
    else if (walks && scene_has_keys(s->scene) && (o->setting_count || s->option_count))
        complain("%s: has objects that move, --set and tables of \"options\" are for tasks and paths",
                 s->path);
    else if (o->output && walks && !picture_fits(o, PATH_PANELS))
        code = EXIT_USAGE;
    else if (contact_wishes_read(o, s, &wishes) && (!o->output || make_output(o)))
        code = o->compare                 ? compare_scores(s, o, only)
               : scene_has_keys(s->scene) ? live_through(s, o)
               : s->path_count            ? follow_path(s, o)
                                          : solve(s, o, only);
    hf_scenario_free(s);
    return code;
}
