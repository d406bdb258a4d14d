/* holdfast contact --compare: the contacts of each task scored by effort beside those scored by the closest
   distance alone (efort-2014-journal section 5.3, figures 8, 11 and 14). Both sides start from the same pose
   with the same samples, and each limb counts for the next one of its own side. */
#include "contact_job.h"

#include <stdio.h>
#include <stdlib.h>

enum { EFFORT, DISTANCE };
static const hf_term terms[SIDES] = {HF_TERM_EFFORT, HF_TERM_DISTANCE};

/* ---- as text ---- */

static void say_side(const contact_job* job, int limb, const char* title, const char* side) {
    const hf_scenario* s = job->scenario;
    const hf_limb* l = &hf_creature_get(s->creature)->limbs[job->limbs[limb].task.limb];
    const hf_contact_answer* a = job->limbs[limb].answer;
    printf("%-14s by %-9s", title, side);
    if (!a->contact_count) {
        printf("none: %s\n", hf_contact_why_text(a->why));
        return;
    }
    const hf_contact* k = &a->contacts[0];
    printf("%s %s at %.3f %.3f %.3f, normal %.2f %.2f %.2f, effort %.3f, %.2f m away\n",
           k->hold.frame >= 0 ? l->contacts[k->hold.frame].name : "effector",
           hf_scene_object(s->scene, k->hold.object).name, k->hold.point.x, k->hold.point.y, k->hold.point.z,
           k->hold.normal.x, k->hold.normal.y, k->hold.normal.z, k->terms[HF_TERM_EFFORT],
           -k->terms[HF_TERM_DISTANCE] * l->length);
}

static double total_effort(const contact_job* job) {
    double sum = 0;
    for (int i = 0; i < job->limb_count; i++)
        if (job->limbs[i].answer->contact_count)
            sum += job->limbs[i].answer->contacts[0].terms[HF_TERM_EFFORT];
    return sum;
}

static void say_text(const contact_job* jobs, const hf_task* task) {
    const hf_creature_view* c = hf_creature_get(jobs[EFFORT].scenario->creature);
    if (task->name[0]) printf("%s:\n", task->name);
    for (int i = 0; i < jobs[EFFORT].limb_count; i++)
        for (int side = 0; side < SIDES; side++)
            say_side(&jobs[side], i, side ? "" : c->limbs[jobs[side].limbs[i].task.limb].name,
                     hf_term_text(terms[side]));
    printf("all limbs: effort %.3f by effort, %.3f by distance\n", total_effort(&jobs[EFFORT]),
           total_effort(&jobs[DISTANCE]));
}

/* ---- as a picture ---- */

/* One side as a panel; the contacts go to the caller's memory. */
static hf_picture_moment panel_of(const contact_job* job, const hf_pose* pose, hf_picture_contact* contacts) {
    hf_picture_moment m = {
        .creature = job->scenario->creature, .pose = pose, .placement = job->placement, .contacts = contacts};
    for (int i = 0; i < job->held_count; i++)
        if (!contact_job_has(job, job->held[i].limb))
            contacts[m.contact_count++] =
                (hf_picture_contact){job->held[i].limb, job->held[i].point, job->held[i].normal};
    for (int i = 0; i < job->limb_count; i++) {
        if (!job->limbs[i].answer->contact_count) continue;
        const hf_contact* k = &job->limbs[i].answer->contacts[0];
        contacts[m.contact_count++] = (hf_picture_contact){k->hold.limb, k->hold.point, k->hold.normal};
    }
    return m;
}

static hf_status draw_task(const contact_job* jobs, const hf_task* task, hf_error* error) {
    const hf_scenario* s = jobs[EFFORT].scenario;
    const options* o = jobs[EFFORT].o;
    hf_picture_options wishes;
    picture_options(o, &wishes);
    wishes.task = task->direction;
    wishes.columns = SIDES;
    hf_picture_moment moments[SIDES];
    hf_pose poses[SIDES];
    hf_picture_contact* contacts[SIDES] = {0};
    hf_picture picture = {0};
    char labels[SIDES][64];
    char* path = make_text("%s/%s%s%s-compare.png", o->output, s->name, task->name[0] ? "-" : "", task->name);
    bool room = path != NULL;
    for (int i = 0; i < SIDES && room; i++) {
        poses[i] = (hf_pose){s->start.pose.root, jobs[i].q};
        contacts[i] = calloc((size_t)(jobs[i].held_count + jobs[i].limb_count) + 1, sizeof **contacts);
        if (!contacts[i]) {
            room = false;
            break;
        }
        moments[i] = panel_of(&jobs[i], &poses[i], contacts[i]);
        snprintf(labels[i], sizeof labels[i], "by %s: effort %.2f", hf_term_text(terms[i]),
                 total_effort(&jobs[i]));
        moments[i].label = labels[i];
    }
    hf_status status = room ? HF_OK : HF_ERROR_MEMORY;
    if (!room) set_error(error, status);
    progress p = progress_start(o);
    if (status == HF_OK) status = hf_render(moments, SIDES, &wishes, progress_report, &p, &picture, error);
    progress_end(&p);
    if (status == HF_OK) status = hf_picture_save(&picture, path, error);
    if (status == HF_OK) note(o, "wrote %s", path);
    hf_picture_free(&picture);
    for (int i = 0; i < SIDES; i++) free(contacts[i]);
    free(path);
    return status;
}

/* ---- both sides of all tasks ---- */

static hf_status compare_task(contact_job* jobs, const hf_task* task, int only, json_t** lists,
                              hf_error* error) {
    const options* o = jobs[EFFORT].o;
    hf_status status = HF_OK;
    for (int i = 0; i < SIDES && status == HF_OK; i++) {
        contact_job_begin(&jobs[i]);
        status = contact_job_solve(&jobs[i], task, only, error);
        contact_job_end(&jobs[i]);
        if (status == HF_OK && o->json) contact_job_json(&jobs[i], task, lists[i]);
    }
    if (status == HF_OK && !o->json) say_text(jobs, task);
    return status == HF_OK && o->output ? draw_task(jobs, task, error) : status;
}

int compare_scores(hf_scenario* s, const options* o, int only) {
    static const double weights[SIDES][HF_TERM_COUNT] = {{[HF_TERM_EFFORT] = 1}, {[HF_TERM_DISTANCE] = 1}};
    contact_job jobs[SIDES] = {0};
    json_t* lists[SIDES] = {json_array(), json_array()};
    hf_error error = {0};
    hf_status status = HF_OK;
    int found[SIDES] = {0}, none[SIDES] = {0};
    for (int i = 0; i < SIDES; i++) {
        hf_status created = contact_job_create(&jobs[i], s, o);
        if (status == HF_OK) status = lists[i] ? created : HF_ERROR_MEMORY;
        jobs[i].weights = weights[i];
    }
    if (status == HF_OK) {
        contact_job_hold(&jobs[EFFORT]);
        contact_job_share(&jobs[DISTANCE], &jobs[EFFORT]);
        status = contact_job_prepare(&jobs[EFFORT], only, &error);
    }
    for (int i = 0; i < s->task_count && status == HF_OK; i++) {
        status = compare_task(jobs, &s->tasks[i], only, lists, &error);
        for (int k = 0; k < SIDES && status == HF_OK; k++) {
            found[k] += contact_job_outcome(&jobs[k]) == HF_FOUND;
            none[k] += contact_job_outcome(&jobs[k]) == HF_NONE;
        }
    }
    hf_outcome outcomes[SIDES];
    for (int i = 0; i < SIDES; i++)
        outcomes[i] = found[i] == s->task_count ? HF_FOUND : none[i] == s->task_count ? HF_NONE : HF_PARTIAL;
    bool every = outcomes[EFFORT] == HF_FOUND && outcomes[DISTANCE] == HF_FOUND;
    if (status != HF_OK && error.status != status) fail_while(&error, status, s->path, "comparing contacts");
    int code = status != HF_OK ? fail_with(&error) : every ? EXIT_DONE : EXIT_NO_SOLUTION;
    if (o->json && status == HF_OK) {
        json_t* both = json_object();
        json_object_set_new(both, "outcome", json_string(hf_outcome_text(every ? HF_FOUND : HF_PARTIAL)));
        for (int i = 0; i < SIDES; i++)
            json_object_set_new(
                both, hf_term_text(terms[i]),
                json_pack("{s:s,s:O}", "outcome", hf_outcome_text(outcomes[i]), "limbs", lists[i]));
        print_json(both);
    }
    for (int i = SIDES - 1; i >= 0; i--) {
        contact_job_free(&jobs[i]);
        json_decref(lists[i]);
    }
    return code;
}
