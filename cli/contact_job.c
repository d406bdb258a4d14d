/* The contact queries of a scenario's tasks: what holds at the start, the sample sets, one limb after the
   other. */
#include "contact_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool contact_wishes_read(const options* o, const hf_scenario* s, contact_wishes* w) {
    *w = (contact_wishes){hf_contact_query_default(), hf_sequence_options_default(),
                          hf_swing_options_default(), hf_course_options_default()};
    w->query.epsilon_m = s->epsilon_m;
    return apply_settings(o, s, "contact", &w->query) && apply_settings(o, s, "sequence", &w->sequence) &&
           apply_settings(o, s, "swing", &w->swing) && apply_settings(o, s, "course", &w->course);
}

hf_status contact_job_create(contact_job* job, hf_scenario* s, const options* o) {
    *job = (contact_job){.scenario = s, .o = o};
    if (!contact_wishes_read(o, s, &job->wishes)) return HF_ERROR_ARGUMENT;
    const hf_creature_view* c = hf_creature_get(s->creature);
    size_t limbs = (size_t)c->limb_count + 1, held = (size_t)s->start.contact_count + 1;
    job->links = calloc((size_t)c->link_count, sizeof *job->links);
    job->samples = calloc(limbs, sizeof *job->samples);
    job->held = calloc(held, sizeof *job->held);
    job->touches = calloc(limbs + held, sizeof *job->touches);
    job->limbs = calloc(limbs, sizeof *job->limbs);
    job->q = calloc((size_t)c->q_count + 1, sizeof *job->q);
    if (!job->links || !job->samples || !job->held || !job->touches || !job->limbs || !job->q)
        return HF_ERROR_MEMORY;
    hf_status status = hf_placement_create(s->scene, &job->placement);
    return status == HF_OK ? hf_workspace_create(&job->workspace) : status;
}

static void clear_task(contact_job* job) {
    for (int i = 0; i < job->limb_count; i++) hf_contact_answer_free(job->limbs[i].answer);
    job->limb_count = job->touch_count = 0;
}

void contact_job_free(contact_job* job) {
    const hf_creature_view* c = hf_creature_get(job->scenario->creature);
    if (job->limbs) clear_task(job);
    for (int i = 0; job->samples && !job->borrows_samples && i < c->limb_count; i++) {
        for (int k = 0; job->samples[i] && k < c->limbs[i].contact_count; k++)
            hf_samples_free(job->samples[i][k]);
        free(job->samples[i]);
    }
    free(job->links);
    if (!job->borrows_samples) free(job->samples);
    free(job->held);
    free(job->touches);
    free(job->limbs);
    free(job->q);
    hf_placement_free(job->placement);
    hf_workspace_free(job->workspace);
}

void contact_job_share(contact_job* to, const contact_job* from) {
    free(to->samples);
    to->samples = from->samples;
    to->borrows_samples = true;
    memcpy(to->held, from->held, sizeof *to->held * (size_t)from->held_count);
    to->held_count = from->held_count;
}

/* ---- what holds at the start ---- */

/* A start that collides is told: limbs that do not move would collide in every answer. */
static void tell_overlap(const contact_job* job) {
    const hf_scenario* s = job->scenario;
    hf_collision_query query = hf_collision_query_default();
    hf_overlap overlap;
    char text[400];
    query.touches = job->held;
    query.touch_count = job->held_count;
    if (hf_overlap_find(s->creature, job->placement, &s->start.pose, &query, job->links, &overlap))
        note(job->o, "%s: the start collides: %s", s->path,
             hf_overlap_text(s->creature, s->scene, &overlap, text, sizeof text));
}

void contact_job_hold(contact_job* job) {
    const hf_scenario* s = job->scenario;
    hf_forward(s->creature, &s->start.pose, job->links);
    for (int i = 0; i < s->start.contact_count; i++) {
        const hf_hold* wanted = &s->start.contacts[i];
        hf_hold* held = &job->held[job->held_count];
        if (hf_hold_find(s->creature, job->placement, job->links, wanted->limb, HF_TOUCH_M, held) &&
            (wanted->object < 0 || held->object == wanted->object))
            job->held_count++;
        else
            note(job->o, "%s: limb \"%s\" is not on a surface at the start: it holds nothing", s->path,
                 hf_creature_get(s->creature)->limbs[wanted->limb].name);
    }
    tell_overlap(job);
}

/* ---- the query of one limb ---- */

hf_status contact_job_samples(contact_job* job, int limb, hf_error* error) {
    const hf_scenario* s = job->scenario;
    const hf_limb* l = &hf_creature_get(s->creature)->limbs[limb];
    if (job->samples[limb]) return HF_OK;
    job->samples[limb] = calloc((size_t)l->contact_count + 1, sizeof *job->samples[limb]);
    hf_status status = job->samples[limb] ? HF_OK : HF_ERROR_MEMORY;
    if (status != HF_OK) set_error(error, status);
    hf_sample_options so = hf_sample_options_default();
    so.count = job->o->count ? job->o->count : s->samples;
    so.seed = job->o->seed >= 0 ? (uint64_t)job->o->seed : s->seed;
    so.threads = job->o->threads;
    for (int i = 0; i < l->contact_count && status == HF_OK; i++) {
        so.contact = i;
        hf_samples** to = &job->samples[limb][i];
        hf_error notice = {0};
        char text[1400];
        status = job->o->cache ? hf_samples_open(s->creature, limb, &so, job->o->cache, to, &notice, error)
                               : hf_samples_build(s->creature, limb, &so, to, error);
        if (notice.status != HF_OK) note(job->o, "%s", hf_error_text(&notice, text, sizeof text));
    }
    return status;
}

hf_status contact_job_no_walker(const contact_job* job, hf_error* error) {
    *error = (hf_error){.status = HF_ERROR_ARGUMENT};
    snprintf(error->file, sizeof error->file, "%s", job->scenario->path);
    snprintf(
        error->message, sizeof error->message,
        "no limb of creature \"%.100s\" that the task moves has joints and a contact frame, so that none "
        "can go from contact to contact",
        hf_creature_get(job->scenario->creature)->name);
    return error->status;
}

void contact_job_weights(const contact_job* job, double* weights) {
    const hf_scenario* s = job->scenario;
    if (job->weights || s->weight_count) memset(weights, 0, sizeof *weights * HF_TERM_COUNT);
    for (int i = 0; i < HF_TERM_COUNT && job->weights; i++) weights[i] = job->weights[i];
    for (int i = 0; i < s->weight_count && !job->weights; i++) {
        int term = hf_term_find(s->weights[i].term);
        if (term >= 0) weights[term] = s->weights[i].weight;
    }
}

hf_status contact_job_check_score(const contact_job* job, bool path, hf_error* error) {
    const hf_scenario* s = job->scenario;
    for (int i = 0; i < s->weight_count && !job->weights; i++) {
        int term = hf_term_find(s->weights[i].term);
        bool filled = term >= 0 && term != HF_TERM_BALANCE && (path || term != HF_TERM_DURATION);
        if (filled || s->weights[i].weight == 0) continue;
        *error = (hf_error){.status = HF_ERROR_ARGUMENT};
        snprintf(error->file, sizeof error->file, "%s", s->path);
        snprintf(error->field, sizeof error->field, "options.score");
        snprintf(error->message, sizeof error->message, "nothing fills the term \"%s\" in %s",
                 s->weights[i].term, path ? "a sequence along a path" : "a contact query without a path");
        return error->status;
    }
    return HF_OK;
}

hf_contact_query contact_job_query(const contact_job* job, const limb_job* l) {
    const hf_scenario* s = job->scenario;
    hf_contact_query query = job->wishes.query;
    query.pose = (hf_pose){s->start.pose.root, job->q};
    query.limb = l->task.limb;
    query.role = l->task.role;
    query.direction = l->task.direction;
    query.count = job->o->choices ? job->o->choices : 1;
    query.touches = job->touches;
    query.touch_count = job->touch_count;
    contact_job_weights(job, query.weights);
    return query;
}

/* A limb that cannot grip is not asked to. */
static hf_status check_grip(const contact_job* job, const hf_contact_query* query, hf_error* error) {
    const hf_limb* limb = &hf_creature_get(job->scenario->creature)->limbs[query->limb];
    if (query->role != HF_ROLE_GRIP || limb->grip) return HF_OK;
    *error = (hf_error){.status = HF_ERROR_ARGUMENT};
    snprintf(error->file, sizeof error->file, "%s", job->scenario->path);
    snprintf(error->field, sizeof error->field, "task");
    snprintf(error->message, sizeof error->message,
             "limb \"%.100s\" cannot grip: its creature file has no \"grip\": true for it", limb->name);
    return error->status;
}

/* A query for one contact leaves samples with lower scores uncounted. The same query for two, which may test
   only one, counts all samples within the epsilon that the answer was found with. */
static hf_status count_candidates(contact_job* job, hf_contact_query query, hf_contact_answer* answer) {
    const hf_creature* creature = job->scenario->creature;
    if (query.count > 1 || answer->outcome != HF_FOUND) return HF_OK;
    query.count = 2;
    query.max_tests = 1;
    query.epsilon_m = answer->epsilon_m;
    hf_contact_answer* all = NULL;
    hf_status status = hf_contact_answer_create(creature, query.count, &all);
    if (status == HF_OK)
        status = hf_contact_find(creature, (const hf_samples* const*)job->samples[query.limb], job->placement,
                                 &query, job->workspace, all);
    if (status == HF_OK) answer->candidates = all->candidates;
    hf_contact_answer_free(all);
    return status;
}

static hf_status find_limb(contact_job* job, limb_job* l, hf_error* error) {
    const hf_scenario* s = job->scenario;
    hf_contact_query query = contact_job_query(job, l);
    hf_status status = contact_job_check_score(job, false, error);
    if (status == HF_OK) status = check_grip(job, &query, error);
    if (status == HF_OK) status = contact_job_samples(job, query.limb, error);
    if (status != HF_OK) return status;
    const hf_samples* const* sets = (const hf_samples* const*)job->samples[query.limb];
    status = hf_contact_answer_create(s->creature, query.count, &l->answer);
    // once to let the workspace grow, once to take the time; what a stopped query found is not asked for
    // again
    for (int i = 0; i < 2 && status == HF_OK && (i == 0 || !contact_job_stopped(job)); i++) {
        double start = now_s();
        status = hf_contact_find(s->creature, sets, job->placement, &query, job->workspace, l->answer);
        l->time_us = 1e6 * (now_s() - start);
    }
    if (status == HF_OK && !contact_job_stopped(job)) status = count_candidates(job, query, l->answer);
    char work[160];
    snprintf(work, sizeof work, "the query of limb \"%.100s\" as %s",
             hf_creature_get(s->creature)->limbs[query.limb].name, hf_role_text(query.role));
    return status == HF_OK ? HF_OK : fail_while(error, status, s->path, work);
}

/* ---- one task ---- */

bool contact_job_has(const contact_job* job, int limb) {
    for (int i = 0; i < job->limb_count; i++)
        if (job->limbs[i].task.limb == limb) return true;
    return false;
}

/* The task's limbs in their order; without any, all that can move to a contact and are free to. */
static void list_limbs(contact_job* job, const hf_task* task, int only) {
    const hf_creature_view* c = hf_creature_get(job->scenario->creature);
    for (int i = 0; i < task->limb_count; i++)
        if ((only < 0 || task->limbs[i].limb == only) && !contact_job_has(job, task->limbs[i].limb))
            job->limbs[job->limb_count++].task = task->limbs[i];
    for (int i = 0; i < c->limb_count && !task->limb_count; i++) {
        const hf_limb* l = &c->limbs[i];
        bool blocked = !l->use || l->joint_count == 0 || l->contact_count == 0 || (only >= 0 && i != only);
        for (int k = 0; k < l->exclude_count; k++) blocked |= contact_job_has(job, l->excludes[k]);
        for (int k = 0; k < job->held_count; k++) blocked |= job->held[k].limb == i;
        if (!blocked)
            job->limbs[job->limb_count++].task = (hf_task_limb){i, HF_ROLE_SUPPORT, task->direction};
    }
}

/* A task that moves nothing is not done. */
static hf_status no_limb(const contact_job* job, const hf_task* task, int only, hf_error* error) {
    const hf_scenario* s = job->scenario;
    *error = (hf_error){.status = HF_ERROR_ARGUMENT};
    snprintf(error->file, sizeof error->file, "%s", s->path);
    snprintf(error->field, sizeof error->field, "%.40s%stask", task->name, task->name[0] ? ": " : "");
    if (only >= 0)
        snprintf(error->message, sizeof error->message, "limb \"%.100s\" is none of those that it moves",
                 hf_creature_get(s->creature)->limbs[only].name);
    else
        snprintf(error->message, sizeof error->message, "no limb is free to move to a contact");
    return error->status;
}

static hf_status begin_task(contact_job* job, const hf_task* task, int only, hf_error* error) {
    clear_task(job);
    memset(job->limbs, 0, sizeof *job->limbs * (size_t)hf_creature_get(job->scenario->creature)->limb_count);
    list_limbs(job, task, only);
    return job->limb_count ? HF_OK : no_limb(job, task, only, error);
}

hf_status contact_job_prepare(contact_job* job, int only, hf_error* error) {
    const hf_scenario* s = job->scenario;
    hf_status status = HF_OK;
    for (int i = 0; i < s->task_count && status == HF_OK; i++) {
        status = begin_task(job, &s->tasks[i], only, error);
        for (int k = 0; k < job->limb_count && status == HF_OK; k++)
            status = contact_job_samples(job, job->limbs[k].task.limb, error);
    }
    return status;
}

void contact_job_begin(contact_job* job) {
    limit_hand_over(job->o);
    job->progress = progress_start(job->o);
    hf_workspace_watch(job->workspace, progress_report, &job->progress);
}

void contact_job_end(contact_job* job) {
    hf_workspace_watch(job->workspace, NULL, NULL);
    progress_end(&job->progress);
    limit_end();
}

bool contact_job_stopped(const contact_job* job) {
    return job->progress.interrupted || job->progress.timed_out;
}

hf_status contact_job_solve(contact_job* job, const hf_task* task, int only, hf_error* error) {
    const hf_scenario* s = job->scenario;
    hf_status begun = begin_task(job, task, only, error);
    if (begun != HF_OK) return begun;
    size_t bytes = sizeof(double) * (size_t)hf_creature_get(s->creature)->q_count;
    memcpy(job->q, s->start.pose.q, bytes);
    for (int i = 0; i < job->held_count; i++)
        if (!contact_job_has(job, job->held[i].limb))
            job->touches[job->touch_count++] = (hf_hold){
                .limb = job->held[i].limb, .object = job->held[i].object, .grip = job->held[i].grip};
    hf_status status = HF_OK;
    for (int i = 0; i < job->limb_count && status == HF_OK; i++) {
        status = find_limb(job, &job->limbs[i], error);
        if (status != HF_OK || !job->limbs[i].answer->contact_count) continue;
        // what this limb does counts for the next
        const hf_contact* best = &job->limbs[i].answer->contacts[0];
        memcpy(job->q, best->q, bytes);
        job->touches[job->touch_count++] = best->hold;
    }
    return status;
}

hf_outcome contact_job_outcome(const contact_job* job) {
    int found = 0;
    for (int i = 0; i < job->limb_count; i++) found += job->limbs[i].answer->contact_count > 0;
    return found == job->limb_count ? HF_FOUND : found ? HF_PARTIAL : HF_NONE;
}

/* ---- as JSON ---- */

static json_t* contact_json(const contact_job* job, const hf_contact* k) {
    const hf_scenario* s = job->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    const hf_limb* limb = &c->limbs[k->hold.limb];
    json_t *terms = json_object(), *q = json_object();
    for (int i = 0; i < HF_TERM_COUNT; i++)
        json_object_set_new(terms, hf_term_text((hf_term)i), json_real(k->terms[i]));
    for (int i = 0; i < limb->joint_count; i++) {
        const hf_joint* j = &c->joints[limb->joints[i]];
        json_t* value = json_array();
        for (int v = 0; v < j->q_count; v++) json_array_append_new(value, json_real(k->q[j->q_index + v]));
        json_object_set_new(q, j->name, j->q_count == 1 ? json_real(k->q[j->q_index]) : json_incref(value));
        json_decref(value);
    }
    return json_pack("{s:s,s:o,s:o,s:s,s:i,s:b,s:f,s:o,s:o}", "frame",
                     k->hold.frame >= 0 ? limb->contacts[k->hold.frame].name : "", "point",
                     json_vec3(k->hold.point), "normal", json_vec3(k->hold.normal), "object",
                     hf_scene_object(s->scene, k->hold.object).name, "triangle", k->triangle, "grip",
                     k->hold.grip, "score", k->score, "terms", terms, "q", q);
}

void contact_job_json(const contact_job* job, const hf_task* task, json_t* list) {
    const hf_creature_view* c = hf_creature_get(job->scenario->creature);
    for (int i = 0; i < job->limb_count; i++) {
        const limb_job* l = &job->limbs[i];
        const hf_contact_answer* a = l->answer;
        json_t* contacts = json_array();
        for (int k = 0; k < a->contact_count; k++)
            json_array_append_new(contacts, contact_json(job, &a->contacts[k]));
        json_t* one =
            json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:f,s:f,s:o}", "limb", c->limbs[l->task.limb].name,
                      "role", hf_role_text(l->task.role), "outcome", hf_outcome_text(a->outcome), "why",
                      hf_contact_why_text(a->why), "candidates", a->candidates, "tested", a->tested,
                      "colliding", a->colliding, "unfinished", a->unfinished, "epsilon_m", a->epsilon_m,
                      "time_us", l->time_us, "contacts", contacts);
        if (task->name[0]) json_object_set_new(one, "task", json_string(task->name));
        json_array_append_new(list, one);
    }
}
