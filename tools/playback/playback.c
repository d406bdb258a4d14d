/* Plays a motion in MuJoCo: playback MOTION FOLDER [--limp | --no-limits]. The creature is written to FOLDER
   as MJCF and stands on blocks at the places that the motion holds; a hand that grips is tied there while it
   does, once it is there. A controller (tracker.c) tracks the motion within the joints' effort limits. Prints
   one JSON object: how much of the motion was tracked before a fall, and which joint was at its limit most
   often. --limp gives no torques at all, so that everything falls; --no-limits lifts the effort limits, which
   tells a motion that is too strong for its joints from one that cannot be balanced. */
#include "holds.h"
#include "stage.h"
#include "stop.h"
#include "target.h"
#include "tracker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEP_S = 0.001; /* of the simulation and the controller: 1 kHz, as robots have it */
/* A root this far from its place, as a share of the creature's height, or turned this far, does not come
   back: a person's hips are then beyond the feet, or the trunk leans by 40 degrees more than it should. */
static const double FALLEN_SHARE = 0.2, FALLEN_RAD = 0.7;

/* MuJoCo would write its warnings to a file in the working folder. */
static void warn(const char* text) { fprintf(stderr, "playback: MuJoCo: %s\n", text); }

typedef struct player {
    hf_motion* motion;
    hf_creature* creature;
    const hf_creature_view* c;
    hf_scenario* scenario;
    holds plan;
    stage world;
    target wanted;
    tracker* tracker;
    bool limp;      /* motors give nothing */
    bool unlimited; /* motors have no limits */
    int frame;
    long steps, torques, torques_cut, unsolved;
    long* at_limit; /* of each motor: steps in which it was the weakest, at its limit */
    double square_sum, root_max_m;
} player;

/* ---- playing ---- */

/* The state of the target, exactly. */
static void set_state(player* p) {
    const target* to = &p->wanted;
    double back[4];
    mju_copy(p->world.data->qpos, to->qpos, p->world.model->nq);
    mju_copy(p->world.data->qvel, to->qvel, p->world.model->nv);
    mju_negQuat(back, to->qpos + 3);
    mju_rotVecQuat(p->world.data->qvel + 3, to->qvel + 3, back);
}

static const char* fallen(const player* p, double* off) {
    const double *now = p->world.data->qpos, *wanted = p->wanted.qpos;
    hf_quat a = {now[3], now[4], now[5], now[6]}, b = {wanted[3], wanted[4], wanted[5], wanted[6]};
    *off = mju_dist3(now, wanted);
    double tilt = hf_quat_angle(a, b);
    if (!isfinite(*off + tilt)) return "the simulation diverged";
    if (*off > FALLEN_SHARE * p->c->height) return "the root is too far from its place";
    return tilt > FALLEN_RAD ? "the root has turned too far" : NULL;
}

/* What holds in a frame, as text. */
static void say_holds(const player* p, char* text, size_t size) {
    text[0] = 0;
    for (int l = 0; l < p->c->limb_count; l++)
        if (holds_now(&p->plan, p->frame, l))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "",
                     p->c->limbs[l].name);
}

static void step(player* p, double time_s) {
    touch touches[STAGE_TOUCHES];
    stage_set(&p->world, p->frame, time_s);
    mj_step1(p->world.model, p->world.data);
    int count = stage_touches(&p->world, p->frame, time_s, touches);
    tracker_limits limits = tracker_step(p->tracker, &p->wanted, touches, count);
    p->torques += limits.torques, p->torques_cut += limits.torques_cut, p->unsolved += !limits.solved;
    if (limits.worst_share >= 1) p->at_limit[limits.worst_joint]++;
    if (p->limp) mju_zero(p->world.data->ctrl, p->world.model->nu);
    mj_step2(p->world.model, p->world.data);
}

/* What was tracked, as one JSON object. */
static void report(const player* p, double start, double end, double reached, const char* why) {
    const mjModel* m = p->world.model;
    char text[400] = "";
    int weakest = 0;
    for (int i = 1; i < m->nu; i++)
        if (p->at_limit[i] > p->at_limit[weakest]) weakest = i;
    bool weak = m->nu > 0 && p->at_limit[weakest] > 0;
    if (why) say_holds(p, text, sizeof text);
    printf("{ \"tracked\": %.4f, \"duration_s\": %.3f, ", why ? (reached - start) / (end - start) : 1,
           end - start);
    if (why)
        printf("\"fell_at_s\": %.3f, ", reached - start);
    else
        printf("\"fell_at_s\": null, ");
    printf("\"why\": \"%s\", \"holds\": \"%s\", \"root_error_mean_m\": %.4f, \"root_error_max_m\": %.4f, ",
           why ? why : "", text, sqrt(p->square_sum / (double)p->steps), p->root_max_m);
    printf("\"saturated_share\": %.5f, \"weakest_joint\": \"%s\", \"weakest_share\": %.4f, \"unsolved\": %ld "
           "}\n",
           p->torques ? (double)p->torques_cut / (double)p->torques : 0,
           weak ? mj_id2name(m, mjOBJ_ACTUATOR, weakest) : "",
           weak ? (double)p->at_limit[weakest] / (double)p->steps : 0, p->unsolved);
}

static void play(player* p) {
    const hf_motion_frame* frames = p->motion->frames;
    double start = frames[0].time_s, end = frames[p->motion->frame_count - 1].time_s, t = start;
    const char* why = NULL;
    for (; t < end && !why; t = start + STEP_S * (double)++p->steps) {
        double off;
        p->frame = holds_frame(&p->plan, p->frame, t);
        target_at(&p->wanted, (int)p->steps);
        if (p->steps == 0) set_state(p), mj_forward(p->world.model, p->world.data);
        why = fallen(p, &off);
        p->square_sum += off * off, p->root_max_m = fmax(p->root_max_m, off);
        step(p, t);
    }
    report(p, start, end, t, why);
}

static void refuse(const player* p) {
    if (p->motion->frame_count < 2) stop("the motion has one frame: there is nothing to play");
    if (!p->scenario) stop("the motion names no scenario: it is not known on what it stands");
    bool touches = false;
    for (int f = 0; f < p->motion->frame_count; f++) {
        touches = touches || p->motion->frames[f].contact_count > 0;
        if (p->motion->frames[f].object_count) stop("objects that move are not played");
    }
    if (!touches) stop("the motion has no contacts: it would only fall");
    for (int o = 0; o < hf_scene_object_count(p->scenario->scene); o++)
        if (hf_scene_object(p->scenario->scene, o).key_count) stop("objects that move are not played");
}

static void load(player* p, const char* path) {
    hf_error error = {0};
    hf_load_options options = hf_load_options_default();
    stop_unless(hf_motion_load(path, &p->motion, &error), &error);
    stop_unless(hf_creature_load(p->motion->creature, &options, &p->creature, &error), &error);
    if (p->motion->scenario)
        stop_unless(hf_scenario_load(p->motion->scenario, &options, &p->scenario, &error), &error);
    refuse(p);
    p->c = hf_creature_get(p->creature);
    const hf_scene* scene = p->scenario->scene;
    stop_unless(hf_motion_validate(p->motion, p->creature, scene, &error), &error);
}

int main(int count, char** words) {
    player p = {0};
    if (count == 4 && strcmp(words[3], "--limp") == 0) p.limp = true, count--;
    if (count == 4 && strcmp(words[3], "--no-limits") == 0) p.unlimited = true, count--;
    if (count != 3) {
        fputs("usage: playback MOTION FOLDER [--limp | --no-limits]\n", stderr);
        return 2;
    }
    mju_user_warning = warn;
    load(&p, words[1]);
    holds_make(&p.plan, p.motion, p.creature, p.scenario->scene);
    stage_make(&p.world, p.creature, &p.plan, words[2], STEP_S);
    target_make(&p.wanted, p.motion, p.creature, p.world.model, STEP_S);
    for (int i = 0; i < p.world.model->nu && p.unlimited; i++) p.world.model->actuator_ctrllimited[i] = 0;
    p.tracker = tracker_make(&p.world);
    p.at_limit = calloc((size_t)p.world.model->nu + 1, sizeof *p.at_limit);
    if (!p.at_limit) stop("out of memory");
    play(&p);
    free(p.at_limit);
    tracker_free(p.tracker);
    target_free(&p.wanted);
    stage_free(&p.world);
    holds_free(&p.plan);
    hf_scenario_free(p.scenario);
    hf_creature_free(p.creature);
    hf_motion_free(p.motion);
    return 0;
}
