/* What files leave open: bounds, speeds, the rest posture (docs/formats.md). */
#include "model/creature_build.h"
#include "base/error.h"
#include <holdfast/kinematics.h>

#include <math.h>
#include <stdio.h>

/* Where the files are silent. */
static const double ROOT_SPEED = 1.5;        /* m/s */
static const double ROOT_TURN = 2.0;         /* rad/s */
static const double ROOT_ACCELERATION = 3.0; /* m/s2 */
static const double JOINT_SPEED = 6.0;       /* rad/s */
static const double SLIDE_SPEED = 1.0;       /* m/s */
static const double JOINT_ACCELERATION = 30; /* rad/s2 */
static const double SLIDE_RANGE = 1.0;       /* m, each way */

/* ----------------------------------------------------------------------------------------- limits */

static double given_or(double value, double fallback) { return value > 0 ? value : fallback; }

static hf_status joint_bounds(hf_build* b, hf_joint* j, const hf_draft_joint* in) {
    j->lower = -INFINITY, j->upper = INFINITY;
    if (j->type == HF_JOINT_FIXED) {
        j->lower = j->upper = 0;
    } else if (j->type == HF_JOINT_REVOLUTE || j->type == HF_JOINT_PRISMATIC) {
        if (in->has_bounds) {
            j->lower = fmin(fmax(in->lower, -HF_MAX_NUMBER), HF_MAX_NUMBER);
            j->upper = fmin(fmax(in->upper, -HF_MAX_NUMBER), HF_MAX_NUMBER);
        } else if (j->type == HF_JOINT_REVOLUTE) {
            j->type = HF_JOINT_CONTINUOUS;
            return hf_build_warn(b, "joint \"%s\": a revolute joint without bounds turns freely", j->name);
        } else {
            j->lower = -SLIDE_RANGE, j->upper = SLIDE_RANGE;
            return hf_build_warn(b, "joint \"%s\": a prismatic joint without bounds gets %g m each way",
                                 j->name, SLIDE_RANGE);
        }
    }
    return HF_OK;
}

hf_status hf_build_limits(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    const hf_body_limits* in = &b->draft->limits;
    v->limits = (hf_body_limits){given_or(in->root_speed, ROOT_SPEED), given_or(in->root_turn, ROOT_TURN),
                                 given_or(in->root_acceleration, ROOT_ACCELERATION),
                                 given_or(in->joint_speed, JOINT_SPEED),
                                 given_or(in->joint_acceleration, JOINT_ACCELERATION)};
    for (int i = 0; i < v->joint_count; i++) {
        hf_joint* j = &b->joints[i];
        const hf_draft_joint* from = &b->draft->joints[b->draft_of_joint[i]];
        hf_status status = joint_bounds(b, j, from);
        if (status != HF_OK) return status;
        bool slides = j->type == HF_JOINT_PRISMATIC;
        j->max_speed = given_or(from->velocity, slides ? SLIDE_SPEED : v->limits.joint_speed);
        j->max_acceleration = v->limits.joint_acceleration;
        j->max_effort = given_or(from->effort, INFINITY);
    }
    return HF_OK;
}

/* ------------------------------------------------------------------------------------------- rest */

static hf_status fail_rest(hf_build* b, const char* joint, const char* why) {
    char field[160];
    snprintf(field, sizeof field, "rest.%.140s", joint);
    return hf_fail(b->error, HF_ERROR_FORMAT, b->draft->path, 0, field, "%s", why);
}

static hf_status unknown_rest(hf_build* b, const char* joint) {
    const hf_creature_view* v = &b->creature->view;
    const char** names = hf_build_scratch(b, (size_t)v->joint_count, sizeof *names);
    if (!names) return hf_build_fail_memory(b);
    for (int i = 0; i < v->joint_count; i++) names[i] = v->joints[i].name;
    const char* near = hf_nearest_word(joint, names, v->joint_count);
    char why[200] = "there is no joint of this name";
    if (near) snprintf(why, sizeof why, "there is no joint of this name; did you mean \"%.120s\"?", near);
    return fail_rest(b, joint, why);
}

static hf_status set_rest(hf_build* b, const hf_draft_value* value) {
    int at = hf_build_find_joint(b, value->joint);
    if (at < 0) return unknown_rest(b, value->joint);
    const hf_joint* j = &b->joints[at];
    if (j->mimic >= 0) {
        char why[200];
        snprintf(why, sizeof why, "this joint follows \"%.120s\", which is the one to give",
                 b->joints[j->mimic].name);
        return fail_rest(b, value->joint, why);
    }
    if (value->count != j->q_count) {
        char why[80];
        snprintf(why, sizeof why, "%d values are given, this joint has %d", value->count, j->q_count);
        return fail_rest(b, value->joint, why);
    }
    for (int i = 0; i < j->q_count; i++) b->rest[j->q_index + i] = value->values[i];
    if (j->q_count == 1 && (value->values[0] < j->lower || value->values[0] > j->upper)) {
        char why[120];
        snprintf(why, sizeof why, "%g is outside the joint's limits %g and %g", value->values[0], j->lower,
                 j->upper);
        return fail_rest(b, value->joint, why);
    }
    if (j->type == HF_JOINT_FLOATING) {
        double* q = b->rest + j->q_index + 3;
        hf_quat r = {q[0], q[1], q[2], q[3]};
        double length = sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
        if (!(fabs(length - 1) < 0.01)) return fail_rest(b, value->joint, "a unit quaternion is expected");
        r = hf_quat_normalize(r);
        q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
    }
    return HF_OK;
}

/* Names under which SRDF files keep a standing posture. */
static const char* const STANDING[] = {"half_sitting", "standing", "stand", "home"};
/* And a posture at rest that says nothing of how the knees are bent. */
static const char REST[] = "rest";

/* Puts the values of one state, which may be told group by group, into the rest posture; joints that the tree
   does not have (a virtual root) do not count, and values beyond a joint's limits end there. Returns how many
   joints it names. */
static int take_state(hf_build* b, const char* name, double* rest, int* beyond) {
    const hf_creature_draft* d = b->draft;
    int used = 0;
    for (int i = 0; i < d->states_count; i++) {
        if (strcmp(d->states[i].name, name) != 0) continue;
        for (int k = 0; k < d->states[i].value_count; k++) {
            const hf_draft_value* value = &d->states[i].values[k];
            int at = hf_build_find_joint(b, value->joint);
            if (at < 0 || value->count != 1 || b->joints[at].q_count != 1) continue;
            const hf_joint* j = &b->joints[at];
            double q = fmin(fmax(value->values[0], j->lower), j->upper);
            *beyond += q != value->values[0];
            if (rest) rest[j->q_index] = q;
            used++;
        }
    }
    return used;
}

/* The standing posture of the SRDF: the state that names most joints. It says how the creature stands where
   it names a quarter of them; a gripper's "home" does not. */
static hf_status rest_from_srdf(hf_build* b) {
    const char* best = NULL;
    int most = 0, beyond = 0, joints = 0;
    for (size_t i = 0; i < sizeof STANDING / sizeof STANDING[0]; i++) {
        int used = take_state(b, STANDING[i], NULL, &beyond);
        if (used > most) most = used, best = STANDING[i];
    }
    for (int i = 0; i < b->creature->view.joint_count; i++) joints += hf_joint_free(&b->joints[i]);
    b->creature->rest_given = best && 4 * most >= joints;
    if (!best && take_state(b, REST, NULL, &beyond) > 0) best = REST;
    beyond = 0;
    if (best) take_state(b, best, b->rest, &beyond);
    if (beyond == 0) return HF_OK;
    return hf_build_warn(b, "the SRDF's posture \"%s\" leaves the limits of %d joint%s and is cut there",
                         best, beyond, beyond == 1 ? "" : "s");
}

/* All joints at 0, or at the limit nearest to it; then what the creature file says, or where no creature file
   gives a rest posture, the standing posture of the SRDF. */
hf_status hf_build_rest(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    b->rest = hf_build_keep(b, (size_t)v->q_count, sizeof *b->rest);
    b->rest_links = hf_build_scratch(b, (size_t)v->link_count, sizeof *b->rest_links);
    b->neutral_links = hf_build_scratch(b, (size_t)v->link_count, sizeof *b->neutral_links);
    if (!b->rest || !b->rest_links || !b->neutral_links) return hf_build_fail_memory(b);
    v->rest = b->rest;
    for (int i = 0; i < v->joint_count; i++) {
        const hf_joint* j = &v->joints[i];
        if (j->type == HF_JOINT_FLOATING)
            b->rest[j->q_index + 3] = 1;
        else if (j->q_count == 1)
            b->rest[j->q_index] = fmin(fmax(0, j->lower), j->upper);
    }
    hf_pose pose = {hf_transform_identity(), b->rest};
    hf_pose_follow(b->creature, b->rest);
    hf_forward(b->creature, &pose, b->neutral_links);
    b->creature->rest_given = b->draft->rest_count > 0;
    if (b->draft->rest_count == 0) {
        hf_status status = rest_from_srdf(b);
        if (status != HF_OK) return status;
    }
    for (int i = 0; i < b->draft->rest_count; i++) {
        hf_status status = set_rest(b, &b->draft->rest[i]);
        if (status != HF_OK) return status;
    }
    hf_pose_follow(b->creature, b->rest);
    hf_forward(b->creature, &pose, b->rest_links);
    return HF_OK;
}
