/* A motion that says "found" ends at its scenario's goal: the root's place and orientation; of a goal that is
   given whole also its posture and its contacts. */
#include "check/check.h"
#include "check/tolerance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double ROUNDING = 1e-6; /* of files, m and rad */

__attribute__((format(printf, 3, 4))) static void missed(const check_job* job, hf_check_report* report,
                                                         const char* format, ...) {
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    report->goal_violations++;
    check_problem(report, job->motion->frame_count - 1, CHECK_EVERY_CLAIM,
                  "the motion says \"found\", but %s", what);
}

/* What the scenario allows its plan to miss the goal by, where it says so. */
static double tolerance_of(const hf_scenario* s, const char* name, double usual) {
    for (int i = 0; i < s->option_count; i++)
        if (strcmp(s->options[i].table, "plan") == 0 && strcmp(s->options[i].name, name) == 0)
            usual = s->options[i].value;
    return usual + ROUNDING;
}

/* Joints of the motion are those of the goal, value by value. */
static bool same_joints(const hf_creature_view* a, const hf_creature_view* b) {
    if (a->joint_count != b->joint_count || a->q_count != b->q_count) return false;
    for (int j = 0; j < a->joint_count; j++)
        if (strcmp(a->joints[j].name, b->joints[j].name) != 0) return false;
    return true;
}

static void judge_posture(const check_job* job, const hf_scenario* s, double allowed,
                          hf_check_report* report) {
    const hf_creature_view* c = s->creature ? hf_creature_get(s->creature) : job->c;
    const double* q = job->motion->frames[job->motion->frame_count - 1].q;
    if (!same_joints(c, job->c)) {
        missed(job, report, "the goal's posture is another creature's");
        return;
    }
    double most = 0;
    int worst = 0;
    for (int j = 0; j < c->joint_count; j++) {
        if (c->joints[j].q_count != 1) continue;
        double off = fabs(q[c->joints[j].q_index] - s->goal.pose.q[c->joints[j].q_index]);
        if (off > most) most = off, worst = j;
    }
    if (most > allowed)
        missed(job, report, "its joint \"%.60s\" ends %.3f from the goal's", c->joints[worst].name, most);
}

/* Every limb that the goal has in contact is, and at the goal's point where it gives one. */
static void judge_contacts(const check_job* job, const hf_scenario* s, double allowed,
                           hf_check_report* report) {
    const hf_creature_view* c = s->creature ? hf_creature_get(s->creature) : job->c;
    const hf_motion_frame* last = &job->motion->frames[job->motion->frame_count - 1];
    for (int i = 0; i < s->goal.contact_count; i++) {
        const hf_hold *wanted = &s->goal.contacts[i], *found = NULL;
        const char* limb = c->limbs[wanted->limb].name;
        for (int k = 0; k < last->contact_count; k++)
            if (strcmp(job->motion->limbs[last->contacts[k].limb].name, limb) == 0)
                found = &last->contacts[k];
        bool given = hf_length(wanted->normal) > 0;
        if (!found)
            missed(job, report, "its limb \"%.60s\" ends without contact", limb);
        else if (given && hf_distance(found->point, wanted->point) > allowed)
            missed(job, report, "its limb \"%.60s\" touches %.1f mm from the goal's point", limb,
                   hf_distance(found->point, wanted->point) * 1000);
    }
}

void check_goal(const check_job* job, const hf_scenario* s, hf_check_report* report) {
    if (!s->goal.pose.q || strcmp(job->motion->outcome, hf_outcome_text(HF_FOUND)) != 0) return;
    hf_transform end = job->motion->frames[job->motion->frame_count - 1].root, goal = s->goal.pose.root;
    double place = tolerance_of(s, "goal_tolerance_m", CHECK_GOAL_M);
    double turn = tolerance_of(s, "goal_tolerance_rad", CHECK_GOAL_RAD);
    bool by_place = s->goal.stands || s->goal.placed;
    double off = hf_distance(end.position, goal.position);
    double turned = hf_quat_angle(end.rotation, goal.rotation);
    if (by_place) { /* a place on the ground: the height and the posture were the plan's to find */
        if (s->goal.placed) goal = s->goal.place;
        double facing = s->creature ? hf_creature_get(s->creature)->facing : job->c->facing;
        hf_vec3 ahead = hf_rotate(end.rotation, hf_v3(hf_cos(facing), hf_sin(facing), 0)),
                wanted = hf_rotate(goal.rotation, hf_v3(1, 0, 0));
        off = hf_hypot(end.position.x - goal.position.x, end.position.y - goal.position.y);
        turned =
            fabs(hf_atan2(ahead.x * wanted.y - ahead.y * wanted.x, ahead.x * wanted.x + ahead.y * wanted.y));
    }
    if (by_place && s->goal.any_heading) turned = 0; /* a place without a heading is reached in any */
    if (by_place && job->motion->frames[job->motion->frame_count - 1].contact_count == 0)
        missed(job, report, "it stands on nothing");
    if (off > place) missed(job, report, "its root ends %.1f mm from the goal's", off * 1000);
    if (turned > turn) missed(job, report, "its root ends turned %.3f rad from the goal's", turned);
    if (s->goal.whole && !s->goal.placed) judge_posture(job, s, turn, report);
    if (s->goal.whole && !s->goal.placed) judge_contacts(job, s, place, report);
}
