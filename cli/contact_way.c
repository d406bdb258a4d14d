/* The way to the contacts of a task: one limb's swing after the other, as a motion. */
#include "contact_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where there is no free way to the best contact: contacts asked for in a round, and rounds. */
enum { CHOICES = 12, ROUNDS = 4, TRIED = 1 + CHOICES * ROUNDS };

/* What the swings share. */
typedef struct way {
    hf_course* course;
    hf_swing* swing;
    double* next_q;
    int hold_count;
    hf_hold* holds; /* at present */
    int tried_count;
    hf_vec3 tried[TRIED]; /* points of contacts to which one limb has no free way */
} way;

static const char* body_name(const hf_scenario* s, int body) {
    const hf_creature_view* c = hf_creature_get(s->creature);
    return c->links[c->bodies[body].link].name;
}

static void note_collision(const contact_job* job, const char* when, const hf_collision* hit) {
    const hf_scenario* s = job->scenario;
    note(job->o, "%s: %s \"%s\" collides with \"%s\"", s->path, when, body_name(s, hit->body),
         hit->other_body >= 0 ? body_name(s, hit->other_body)
                              : hf_scene_object(s->scene, hit->surface.object).name);
}

static int find_contact(const hf_hold* list, int count, int limb) {
    for (int i = 0; i < count; i++)
        if (list[i].limb == limb) return i;
    return -1;
}

/* One limb's swing from where it is to its contact. */
static hf_status swing_limb(contact_job* job, way* w, const hf_contact* goal, bool* there) {
    const hf_scenario* s = job->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    const hf_limb* limb = &c->limbs[goal->hold.limb];
    // only this limb's joints: another one may have stayed behind
    memcpy(w->next_q, job->q, sizeof(double) * (size_t)c->q_count);
    for (int i = 0; i < limb->joint_count; i++) {
        const hf_joint* j = &c->joints[limb->joints[i]];
        memcpy(w->next_q + j->q_index, goal->q + j->q_index, sizeof(double) * (size_t)j->q_count);
    }
    hf_pose_follow(s->creature, w->next_q);
    hf_swing_limb swing = {.limb = goal->hold.limb, .frame = goal->hold.frame, .start.object = -1};
    swing.goal = goal->hold;
    hf_hold* holds = w->holds;
    int old = find_contact(holds, w->hold_count, goal->hold.limb);
    if (old >= 0) swing.start = holds[old];
    hf_swing_query query = {.from = {s->start.pose.root, job->q},
                            .to = {s->start.pose.root, w->next_q},
                            .limb_count = 1,
                            .limbs = &swing,
                            .options = job->wishes.swing};
    hf_status status = hf_swing_find(s->creature, job->placement, &query, job->workspace, w->swing);
    *there = status == HF_OK && w->swing->outcome == HF_FOUND;
    if (!*there) return status;
    // where it stands, then without the old contact on the way, then with the new one
    if (old >= 0) holds[old] = holds[--w->hold_count];
    status = hf_course_add(w->course, &query.from, holds, w->hold_count, HF_MARK_STOP);
    if (status == HF_OK) status = hf_course_add_swing(w->course, w->swing, holds, w->hold_count);
    if (goal->hold.frame >= 0) holds[w->hold_count++] = goal->hold;
    memcpy(job->q, w->next_q, sizeof(double) * (size_t)c->q_count);
    return status;
}

static void note_no_way(const contact_job* job, const way* w, int limb) {
    const hf_scenario* s = job->scenario;
    note(job->o, "%s: no way for \"%s\" to its contact: %s (%d ways tried)", s->path,
         hf_creature_get(s->creature)->limbs[limb].name, hf_swing_why_text(w->swing->why), w->swing->tries);
    if (w->swing->why != HF_SWING_HOLD_LOST && w->swing->why != HF_SWING_RANGE)
        note_collision(job, "there", &w->swing->collision);
}

/* Was a way to this contact looked for before? */
static bool was_tried(const way* w, const hf_contact* k) {
    for (int i = 0; i < w->tried_count; i++)
        if (memcmp(&w->tried[i], &k->hold.point, sizeof k->hold.point) == 0) return true;
    return false;
}

/* The first contact of an answer that the limb has a free way to, and that was not tried before; -1 when
   there is none. */
static hf_status first_in_reach(contact_job* job, way* w, const hf_contact_answer* answer, int* index) {
    hf_status status = HF_OK;
    *index = -1;
    for (int k = 0; k < answer->contact_count && *index < 0 && status == HF_OK; k++) {
        bool there = false;
        if (was_tried(w, &answer->contacts[k]) || w->tried_count == TRIED) continue;
        w->tried[w->tried_count++] = answer->contacts[k].hold.point;
        status = swing_limb(job, w, &answer->contacts[k], &there);
        if (there) *index = k;
    }
    return status;
}

/* The limb's answer is replaced by one whose first contact is the one that the limb swings to. */
static void use_contact(contact_job* job, limb_job* l, hf_contact_answer* answer, int index) {
    hf_contact used = answer->contacts[index];
    int asked = l->answer->contact_capacity;
    memmove(answer->contacts + 1, answer->contacts, sizeof used * (size_t)index);
    answer->contacts[0] = used;
    if (answer->contact_count > asked) answer->contact_count = asked;
    note(job->o, "%s: no free way for \"%s\" to its best contact, another one is taken", job->scenario->path,
         hf_creature_get(job->scenario->creature)->limbs[l->task.limb].name);
    hf_contact_answer_free(l->answer);
    l->answer = answer;
}

/* The best contact that the limb has a free way to, as the others are now. As a query does that finds no
   contact, the distance within which samples count as near a surface is doubled in each round. */
static hf_status take_another(contact_job* job, way* w, limb_job* l, bool* there) {
    const hf_scenario* s = job->scenario;
    hf_contact_answer* answer = NULL;
    hf_contact_query query = contact_job_query(job, l);
    if (query.count < CHOICES) query.count = CHOICES;
    query.epsilon_m = l->answer->epsilon_m;
    job->touch_count = w->hold_count;
    memcpy(job->touches, w->holds, sizeof *w->holds * (size_t)w->hold_count);
    query.touch_count = job->touch_count;
    w->tried_count = 0;
    w->tried[w->tried_count++] = l->answer->contacts[0].hold.point;
    hf_status status = hf_contact_answer_create(s->creature, query.count, &answer);
    int index = -1;
    for (int round = 0; round < ROUNDS && index < 0 && status == HF_OK; round++, query.epsilon_m *= 2) {
        status = hf_contact_find(s->creature, (const hf_samples* const*)job->samples[query.limb],
                                 job->placement, &query, job->workspace, answer);
        if (status == HF_OK) status = first_in_reach(job, w, answer, &index);
    }
    *there = status == HF_OK && index >= 0;
    if (*there)
        use_contact(job, l, answer, index);
    else
        hf_contact_answer_free(answer);
    return status;
}

/* Start pose, one swing after the other, final pose. */
static hf_status make_course(contact_job* job, way* w, bool* every) {
    const hf_scenario* s = job->scenario;
    w->hold_count = job->held_count;
    memcpy(w->holds, job->held, sizeof *w->holds * (size_t)w->hold_count);
    memcpy(job->q, s->start.pose.q, sizeof(double) * (size_t)hf_creature_get(s->creature)->q_count);
    hf_pose pose = {s->start.pose.root, job->q};
    hf_status status = hf_course_add(w->course, &pose, w->holds, w->hold_count, HF_MARK_STOP);
    for (int i = 0; i < job->limb_count && status == HF_OK; i++) {
        limb_job* l = &job->limbs[i];
        bool there;
        if (!l->answer->contact_count) continue;
        status = swing_limb(job, w, &l->answer->contacts[0], &there);
        if (status == HF_OK && !there) status = take_another(job, w, l, &there);
        if (status == HF_OK && !there) note_no_way(job, w, l->task.limb);
        *every &= there;
    }
    if (status == HF_OK) status = hf_course_add(w->course, &pose, w->holds, w->hold_count, HF_MARK_STOP);
    return status;
}

static hf_status open_way(const contact_job* job, way* w) {
    const hf_creature_view* c = hf_creature_get(job->scenario->creature);
    w->next_q = calloc((size_t)c->q_count + 1, sizeof *w->next_q);
    w->holds = calloc((size_t)(job->held_count + c->limb_count + 1), sizeof *w->holds);
    if (!w->next_q || !w->holds) return HF_ERROR_MEMORY;
    hf_status status = hf_swing_create(job->scenario->creature, &w->swing);
    return status == HF_OK ? hf_course_create(job->scenario->creature, &w->course) : status;
}

static void close_way(way* w) {
    hf_course_free(w->course);
    hf_swing_free(w->swing);
    free(w->next_q);
    free(w->holds);
}

/* The first fault in words. */
static void note_fault(const contact_job* job, const hf_frame_fault* f) {
    char when[64];
    snprintf(when, sizeof when, "in frame %d", f->frame);
    if (f->kind == HF_FAULT_COLLIDES)
        note_collision(job, f->frame ? when : "at the start", &f->collision);
    else
        note(job->o, "%s: %s %s%s%s %s", job->scenario->path, when, f->limb >= 0 ? "limb \"" : "the body",
             f->limb >= 0 ? hf_creature_get(job->scenario->creature)->limbs[f->limb].name : "",
             f->limb >= 0 ? "\"" : "", hf_frame_fault_text(f->kind));
}

/* Names scenario and outcome in schedule and motion; what the frames do not keep is not found. */
static hf_status name_motion(const contact_job* job, hf_outcome outcome, loaded_motion* m) {
    char** const texts[] = {&m->schedule->scenario, &m->motion->scenario, &m->schedule->outcome,
                            &m->motion->outcome};
    const char* values[] = {job->scenario->path, job->scenario->path, hf_outcome_text(outcome),
                            hf_outcome_text(outcome)};
    for (int i = 0; i < 4; i++) {
        free(*texts[i]);
        *texts[i] = make_text("%s", values[i]);
        if (!*texts[i]) return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

hf_status contact_job_frames(contact_job* job, const hf_course* course, hf_outcome outcome, loaded_motion* m,
                             bool* every) {
    hf_realise_result result = {0};
    hf_course_options o = job->wishes.course;
    hf_status status = hf_course_realise(course, job->scenario->scene, &o, job->workspace, &m->schedule,
                                         &m->motion, &result);
    bool keeps = status == HF_OK && result.outcome == HF_FOUND;
    if (status == HF_OK && !keeps) note_fault(job, &result.faults[0]);
    if (status == HF_OK) status = name_motion(job, !keeps && outcome == HF_FOUND ? HF_PARTIAL : outcome, m);
    *every &= keeps;
    hf_realise_result_free(&result);
    return status;
}

hf_status contact_job_motion(contact_job* job, loaded_motion* m, bool* every) {
    way w = {0};
    hf_status status = open_way(job, &w);
    if (status == HF_OK) status = make_course(job, &w, every);
    hf_outcome outcome = contact_job_outcome(job);
    if (outcome == HF_FOUND && !*every) outcome = HF_PARTIAL;
    if (status == HF_OK) status = contact_job_frames(job, w.course, outcome, m, every);
    close_way(&w);
    return status;
}
