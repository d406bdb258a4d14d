/* Random postures that are of use for reaching (reaching-2003 section 4): regular ones, with arms anywhere
   and little else, and those that reach far, with the spine, the clavicle and the legs helping one arm. */
#include "reach/reach_world.h"

#include "base/random.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

enum {
    STREAM = 0x4eac,
    TRIES = 40,   /* arms drawn until one is inside its range of motion */
    CLAVICLES = 4 /* drawn for the one that carries the shoulder farthest */
};
/* Of a spine's and the legs' range in a regular posture, and of an elbow's in one that reaches far. */
static const double LITTLE = 0.1, LITTLE_ELBOW = 0.15;

static double draw_in(const hf_control_layer* l, int control, hf_random* r) {
    hf_control c = l->controls[control];
    return hf_random_between(r, c.low, c.high);
}

static void draw_arm(const hf_reach_world* w, hf_side side, bool far, hf_random* r, double* controls) {
    int first = hf_control_first(side);
    for (int k = 2; k < HF_CONTROL_ARM; k++) controls[first + k] = draw_in(w->layer, first + k, r);
    if (!far) return;
    hf_control elbow = w->layer->controls[first + HF_ARM_ELBOW];
    double bent = hf_random_between(r, -LITTLE_ELBOW, LITTLE_ELBOW) * (elbow.high - elbow.low);
    controls[first + HF_ARM_ELBOW] = fmin(elbow.high, fmax(elbow.low, w->straight[side] + bent));
}

/* Draws an arm until limits and range of motion hold. */
static bool draw_possible(hf_reach_worker* w, hf_side side, bool far, hf_random* r, double* controls) {
    const hf_creature* c = w->world->creature;
    for (int i = 0; i < TRIES; i++) {
        draw_arm(w->world, side, far, r, controls);
        w->posed = 0;
        memcpy(w->pose.q, w->world->stand.q, sizeof(double) * (size_t)c->view.q_count);
        for (int k = 0; k < HF_CONTROL_SPINE; k++)
            if (w->world->layer->controls[k].part_count)
                w->pose.q[c->view.joints[w->world->layer->parts[k][0].joint].q_index] = controls[k];
        if (hf_pose_within_rom(c, w->pose.q, HF_ROM_RAD)) return true;
    }
    return false;
}

static void draw_spine(const hf_reach_world* w, hf_random* r, double* controls) {
    for (int k = HF_CONTROL_SPINE; k <= HF_CONTROL_LEGS; k++) controls[k] = LITTLE * draw_in(w->layer, k, r);
}

/* Where the arm points, from its shoulder, with the creature's forward as X. */
static hf_vec3 arm_direction(hf_reach_worker* w, hf_side side, const double* controls) {
    double state[HF_REACH_WIDTH];
    hf_reach_state(w, controls, state);
    const hf_vec3* p = hf_reach_arm_points(state, side);
    hf_vec3 way = hf_sub(p[HF_WRIST_POINT], p[HF_SHOULDER_POINT]);
    return hf_normalize(hf_unrotate(w->world->stand.root.rotation, way));
}

/* The clavicle of some drawn ones that brings the shoulder farthest along the arm. */
static void couple_clavicle(hf_reach_worker* w, hf_side side, hf_vec3 way, hf_random* r, double* controls) {
    int first = hf_control_first(side);
    double best = -INFINITY, kept[2] = {controls[first], controls[first + 1]};
    hf_vec3 world_way = hf_rotate(w->world->stand.root.rotation, way);
    for (int i = 0; i < CLAVICLES; i++) {
        double state[HF_REACH_WIDTH];
        for (int k = 0; k < 2; k++) controls[first + k] = draw_in(w->world->layer, first + k, r);
        hf_reach_state(w, controls, state);
        double gain = hf_dot(world_way, hf_reach_arm_points(state, side)[HF_SHOULDER_POINT]);
        if (gain > best) best = gain, kept[0] = controls[first], kept[1] = controls[first + 1];
    }
    controls[first] = kept[0], controls[first + 1] = kept[1];
}

static double part_of(hf_control c, double share) { return share > 0 ? share * c.high : -share * c.low; }

/* The spine bends to where the arm points; legs bend when it points down. */
static void couple_trunk(const hf_reach_world* w, hf_vec3 way, hf_random* r, double* controls) {
    const hf_control* c = w->layer->controls;
    double much = hf_random_unit(r), low = hf_random_unit(r), turn = hf_random_unit(r);
    double forward = fmax(way.x, 0) * 0.6 + fmax(-way.z, 0) * 0.6;
    controls[HF_CONTROL_SPINE] =
        part_of(c[HF_CONTROL_SPINE], much * fmin(1, forward) + fmin(way.x, 0) * 0.5 * much);
    // a positive roll bends to the right, a positive twist turns to the left
    controls[HF_CONTROL_SPINE + 1] = part_of(c[HF_CONTROL_SPINE + 1], -way.y * much);
    controls[HF_CONTROL_SPINE + 2] = part_of(c[HF_CONTROL_SPINE + 2], (2 * turn - 1));
    controls[HF_CONTROL_LEGS] = c[HF_CONTROL_LEGS].high * low * fmax(0, -way.z);
}

hf_status hf_reach_draw(void* user, int64_t index, double* state, bool* drawn) {
    hf_reach_worker* w = user;
    const hf_reach_options* o = w->world->options;
    hf_random r = hf_random_start(o->seed, STREAM, (uint64_t)index);
    double controls[HF_CONTROL_COUNT];
    memcpy(controls, w->world->rest, sizeof controls);
    bool regular = hf_random_unit(&r) < o->regular_share;
    hf_side side = hf_random_unit(&r) < o->right_share ? HF_RIGHT : HF_LEFT;
    *drawn = draw_possible(w, side, !regular, &r, controls);
    if (regular && *drawn) *drawn = draw_possible(w, !side, false, &r, controls);
    draw_spine(w->world, &r, controls);
    if (*drawn && !regular) {
        hf_vec3 way = arm_direction(w, side, controls);
        couple_clavicle(w, side, way, &r, controls);
        couple_trunk(w->world, way, &r, controls);
    }
    if (*drawn) *drawn = hf_reach_state(w, controls, state);
    return HF_OK;
}
