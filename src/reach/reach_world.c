/* Postures of a control layer as a space: mean distance of joints, limits, balance, collisions. */
#include "reach/reach_world.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"
#include "reach/free_arm.h"

#include <holdfast/rom.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A way is cut into pieces on which no point of the distance moves farther, m: on each the straight move of
   the pose is tested, which a curved one leaves by a fifth of a millimetre. What hands carry is tested at the
   ends of pieces alone, which are shorter then. */
static const double PIECE_M = 0.03, LOADED_PIECE_M = 0.01;
/* Of frames and between them, m. What passes an edge is deeper between two tests than at them, a sharp corner
   by up to half of the step, and the check tests elsewhere: both together stay below its millimetre. */
static const double FRAME_DEPTH_M = HF_FRAME_DEPTH_M / 2, FRAME_STEP_M = HF_STEP_M / 2;
/* Of what is carried in what it stands on, m: rounding of hands and meshes. */
static const double LOAD_DEPTH_M = 2e-4;

hf_status hf_reach_worker_create(const hf_reach_world* world, hf_workspace* workspace,
                                 hf_reach_worker** worker) {
    const hf_creature_view* v = &world->creature->view;
    hf_reach_worker* w = hf_alloc(1, sizeof *w);
    *worker = w;
    if (!w) return HF_ERROR_MEMORY;
    w->world = world;
    w->workspace = workspace;
    w->without = -1;
    w->links = hf_alloc((size_t)v->link_count, sizeof *w->links);
    w->pose.q = hf_alloc((size_t)v->q_count + 1, sizeof(double));
    w->before.q = hf_alloc((size_t)v->q_count + 1, sizeof(double));
    w->jacobian = hf_alloc(9 * (size_t)v->v_count, sizeof *w->jacobian);
    w->swept = hf_alloc((size_t)world->sweep.group_count + 1, sizeof *w->swept);
    w->links_before = hf_alloc((size_t)v->link_count, sizeof *w->links_before);
    w->bends = hf_alloc((size_t)v->link_count, sizeof *w->bends);
    if (!w->links_before || !w->bends || !w->links || !w->pose.q || !w->before.q || !w->jacobian || !w->swept)
        return HF_ERROR_MEMORY;
    hf_status status = hf_stance_create(&w->press);
    return status == HF_OK ? hf_clearance_create(world->creature, &w->clearance) : status;
}

void hf_reach_worker_free(hf_reach_worker* w) {
    if (!w) return;
    hf_clearance_free(w->clearance);
    hf_stance_free(w->press);
    hf_free(w->links);
    hf_free(w->jacobian);
    hf_free(w->swept);
    hf_free(w->links_before);
    hf_free(w->bends);
    hf_free(w->pose.q);
    hf_free(w->before.q);
    hf_free(w);
}

void hf_reach_worker_forget(hf_reach_worker* w) { hf_clearance_forget(w->clearance); }

/* ---- states ---- */

/* The head of a frame looks where it does now. The rest of the pose is as if it looked ahead: hands would not
   be where they were found if the pelvis went against the weight of the head. */
static void turn_head(hf_reach_worker* w) {
    const hf_reach_world* world = w->world;
    if (!world->gazes) return;
    for (int k = 0; k < world->gaze.joint_count; k++)
        w->pose.q[world->creature->view.joints[world->gaze.joints[k]].q_index] = world->head[k];
    if (world->gaze.joint_count)
        hf_forward_from(world->creature, world->gaze.first_link, w->pose.q, w->links);
}

bool hf_reach_state(hf_reach_worker* w, const double* controls, double* state) {
    if (state != controls) memcpy(state, controls, sizeof(double) * HF_CONTROL_COUNT);
    if (w->posed != w->world->version || memcmp(w->posed_controls, controls, sizeof w->posed_controls) != 0) {
        w->kept = hf_control_pose(w->world->layer, &w->world->stand, controls, &w->pose, w->links);
        turn_head(w);
        w->posed = w->world->version;
        memcpy(w->posed_controls, controls, sizeof w->posed_controls);
    }
    hf_control_points(w->world->layer, w->links, (hf_vec3*)(void*)(state + HF_CONTROL_COUNT));
    return w->kept;
}

static double mean_distance(const double* a, const double* b, int without) {
    const hf_vec3 *p = hf_reach_points(a), *q = hf_reach_points(b);
    double sum = 0;
    int count = 0;
    for (int i = 0; i < HF_CONTROL_POINTS; i++) {
        if (without >= 0 && i >= HF_TRUNK_POINTS && (i - HF_TRUNK_POINTS) / HF_ARM_POINTS == without)
            continue;
        sum += hf_distance(p[i], q[i]);
        count++;
    }
    return sum / count;
}

static double distance(const void* user, const double* a, const double* b, double enough) {
    (void)user, (void)enough;
    return mean_distance(a, b, -1);
}

/* Motions near the rest posture cost less: the shares of its ends' distances from it, for what is between. */
static double cost(const void* user, const double* a, const double* b, double enough) {
    const hf_reach_worker* w = user;
    (void)enough;
    double far =
        (mean_distance(a, w->world->rest, w->without) + mean_distance(b, w->world->rest, w->without)) / 2;
    double k = w->world->options->rest_cost,
           arm = 0.4; /* m: mean distance of joints of a posture that reaches far */
    return mean_distance(a, b, w->without) * (k + (1 - k) * fmin(1, far / arm));
}

static void between(const void* user, const double* a, const double* b, double t, double* state) {
    double controls[HF_CONTROL_COUNT];
    for (int k = 0; k < HF_CONTROL_COUNT; k++) controls[k] = a[k] + t * (b[k] - a[k]);
    hf_reach_state((hf_reach_worker*)(uintptr_t)user, controls, state);
}

/* ---- validity of the pose in the worker ---- */

static bool fail(hf_reach_worker* w, const char* why) {
    w->why = why;
    return false;
}

hf_transform hf_reach_load_pose(const hf_reach_worker* w, const hf_reach_load* load) {
    int link = w->world->creature->view.limbs[load->limb].effector_link;
    return hf_compose(w->links[link], load->in_hand);
}

/* The load that a rider is on. */
static const hf_reach_load* load_under(const hf_reach_world* w, const hf_reach_rider* rider) {
    int i = 0;
    while (i + 1 < w->load_count && w->loads[i].object != rider->on) i++;
    return &w->loads[i];
}

hf_transform hf_reach_rider_pose(const hf_reach_worker* w, const hf_reach_rider* rider) {
    return hf_compose(hf_reach_load_pose(w, load_under(w->world, rider)), rider->in_load);
}

bool hf_reach_rides(const hf_reach_world* w, int object) {
    for (int i = 0; i < w->rider_count; i++)
        if (w->riders[i].object == object) return true;
    return false;
}

/* The mass of a thing at a pose, added to a sum of masses and of their moments. */
static void add_mass(double mass, hf_transform at, hf_vec3 com, double* sum, hf_vec3* moment) {
    *moment = hf_add(*moment, hf_scale(hf_apply(at, com), mass));
    *sum += mass;
}

static bool balanced(const hf_reach_worker* w) {
    double mass = w->world->creature->view.mass;
    hf_vec3 com = hf_scale(hf_com(w->world->creature, w->links), mass);
    for (int i = 0; i < w->world->load_count; i++) {
        const hf_reach_load* l = &w->world->loads[i];
        add_mass(l->mass, hf_reach_load_pose(w, l), l->com, &mass, &com);
    }
    for (int i = 0; i < w->world->rider_count; i++) {
        const hf_reach_rider* o = &w->world->riders[i];
        add_mass(o->mass, hf_reach_rider_pose(w, o), o->com, &mass, &com);
    }
    return hf_stance_margin(w->world->stance, hf_scale(com, 1 / mass)) >= w->world->options->margin_m;
}

static bool is_upright(const hf_reach_worker* w, const hf_reach_load* load, hf_vec3 up) {
    hf_vec3 now = hf_rotate(hf_reach_load_pose(w, load).rotation, up);
    return now.z >= hf_cos(w->world->options->upright_rad);
}

static bool upright(const hf_reach_worker* w) {
    for (int i = 0; i < w->world->load_count; i++)
        if (w->world->loads[i].upright && !is_upright(w, &w->world->loads[i], hf_v3(0, 0, 1))) return false;
    for (int i = 0; i < w->world->rider_count; i++)
        if (!is_upright(w, load_under(w->world, &w->world->riders[i]), w->world->riders[i].up)) return false;
    return true;
}

static bool presses(hf_reach_worker* w) {
    for (int i = 0; i < w->world->load_count; i++)
        if (w->world->loads[i].pressed &&
            !hf_reach_presses(w, &w->world->loads[i], hf_reach_load_pose(w, &w->world->loads[i])))
            return false;
    return true;
}

/* Which joint of the pose in the worker is beyond its limits; joints with one value have some. */
static const char* say_limit(hf_reach_worker* w) {
    const hf_creature_view* v = &w->world->creature->view;
    int j = 0;
    while (j + 1 < v->joint_count &&
           (v->joints[j].q_count != 1 || (w->pose.q[v->joints[j].q_index] >= v->joints[j].lower - HF_LIMIT &&
                                          w->pose.q[v->joints[j].q_index] <= v->joints[j].upper + HF_LIMIT)))
        j++;
    snprintf(w->text, sizeof w->text, "joint \"%.60s\" would be beyond its limit", v->joints[j].name);
    return w->text;
}

/* Limits, range of motion, balance of the pose in the worker. */
static bool holds(hf_reach_worker* w) {
    if (w->world->scene_only) return true;
    if (!hf_pose_within_limits(w->world->creature, w->pose.q, HF_LIMIT)) return fail(w, say_limit(w));
    if (!hf_pose_within_rom(w->world->creature, w->pose.q, HF_ROM_RAD))
        return fail(w, "a joint group is outside its range of motion");
    if (!balanced(w)) return fail(w, "the body loses its balance");
    if (!upright(w)) return fail(w, "what it carries tilts");
    return presses(w) || fail(w, "the palms cannot press hard enough to bear what they carry");
}

static bool say_load(hf_reach_worker* w, const hf_reach_load* load, int object, const char* other) {
    w->met[load->limb == w->world->layer->arms[HF_LEFT] ? HF_LEFT : HF_RIGHT] = true;
    snprintf(w->text, sizeof w->text, "carried \"%.40s\" meets \"%.40s\"",
             hf_scene_object(hf_placement_scene(w->world->placement), object).name, other);
    w->why = w->text;
    return true;
}

/* Does what a hand carries, the load or what rides on it, meet the scene, or is the body deeper in it? */
static bool thing_collides(hf_reach_worker* w, const hf_reach_load* load, int object, const hf_shape* shapes,
                           int count, hf_transform at, double depth_m) {
    const hf_creature* c = w->world->creature;
    hf_allowance allowed = {.depth = LOAD_DEPTH_M, .touched_object = -1};
    for (int i = 0; i < count; i++) {
        hf_surface hit;
        double room = w->world->load_room_m;
        if ((room > 0 && hf_placement_distance(w->world->placement, &shapes[i], at, room, &hit)) ||
            hf_placement_overlap(w->world->placement, &shapes[i], at, &allowed, &hit))
            return say_load(w, load, object,
                            hf_scene_object(hf_placement_scene(w->world->placement), hit.object).name);
        for (int b = 0; b < c->view.body_count; b++) {
            const hf_body* body = &c->view.bodies[b];
            if (hf_effector_has(c, load->limb, body->link) ||
                (load->second >= 0 && hf_effector_has(c, load->second, body->link)))
                continue;
            hf_transform bone = hf_compose(w->links[body->link], body->in_link);
            if (hf_shape_overlap(&shapes[i], at, &body->shape, bone, depth_m))
                return say_load(w, load, object, c->view.links[body->link].name);
        }
    }
    return false;
}

/* The body may be no deeper in what is carried than in the scene, or it could not leave it when it lets go.
 */
static bool loads_collide(hf_reach_worker* w, double depth_m) {
    for (int i = 0; i < w->world->load_count; i++) {
        const hf_reach_load* l = &w->world->loads[i];
        if (thing_collides(w, l, l->object, l->shapes, l->shape_count, hf_reach_load_pose(w, l), depth_m))
            return true;
    }
    for (int i = 0; i < w->world->rider_count; i++) {
        const hf_reach_rider* o = &w->world->riders[i];
        if (thing_collides(w, load_under(w->world, o), o->object, o->shapes, o->shape_count,
                           hf_reach_rider_pose(w, o), depth_m))
            return true;
    }
    return false;
}

/* Which two things meet. */
static const char* say_hit(hf_reach_worker* w) {
    const hf_creature_view* v = &w->world->creature->view;
    const hf_collision* h = &w->hit;
    const char* other =
        h->other_body >= 0 ? v->links[v->bodies[h->other_body].link].name
                           : hf_scene_object(hf_placement_scene(w->world->placement), h->surface.object).name;
    for (int side = 0; side < 2 && w->world->load_count; side++)
        w->met[side] |= hf_free_arm_has(w->world, (hf_side)side, h->body) ||
                        hf_free_arm_has(w->world, (hf_side)side, h->other_body);
    snprintf(w->text, sizeof w->text, "\"%.40s\" meets \"%.40s\"", v->links[v->bodies[h->body].link].name,
             other);
    return w->text;
}

static hf_collision_query query_of(hf_reach_worker* w, hf_hold* touches) {
    hf_collision_query q = hf_collision_query_default();
    int n = 0;
    for (int i = 0; i < 2; i++) touches[n++] = w->world->stand.feet[i];
    for (int i = 0; i < w->world->touch_count; i++) touches[n++] = w->world->touches[i];
    q.touches = touches;
    q.touch_count = n;
    q.clearance = w->clearance;
    // frames cut corners, and have what a frame allows for that; a hand that is about to hold an object does
    // not hold it yet, and may be no deeper in it than in anything else
    q.depth_m = 0;
    q.touched_depth_m = HF_DEPTH_M;
    q.self = !w->world->scene_only;
    return q;
}

bool hf_reach_holds(hf_reach_worker* w, const double* state) {
    double scratch[HF_REACH_WIDTH];
    w->tests++;
    if (!hf_reach_state(w, state, scratch)) return fail(w, "the legs do not reach the feet");
    return holds(w);
}

/* Collisions of the pose in the worker. */
static bool is_free(hf_reach_worker* w) {
    hf_hold touches[8];
    hf_collision_query q = query_of(w, touches);
    if (hf_collides(w->world->creature, w->world->placement, w->links, &q, &w->hit))
        return fail(w, say_hit(w));
    return !loads_collide(w, 0);
}

bool hf_reach_valid(hf_reach_worker* w, const double* state) {
    return hf_reach_holds(w, state) && is_free(w);
}

static bool valid(void* user, const double* state) { return hf_reach_valid(user, state); }

/* ---- ways ---- */

static int pieces_of(const hf_reach_worker* w, const double* a, const double* b) {
    const hf_vec3 *p = hf_reach_points(a), *q = hf_reach_points(b);
    double most = fabs(a[HF_CONTROL_LEGS] - b[HF_CONTROL_LEGS]);
    for (int i = 0; i < HF_CONTROL_POINTS; i++) most = fmax(most, hf_distance(p[i], q[i]));
    // points may come back to where they were while joints turn: no joint turns far on one piece
    for (int k = 0; k < HF_CONTROL_LEGS; k++) most = fmax(most, fabs(a[k] - b[k]) * 0.2);
    double n = ceil(most / (w->world->load_count ? LOADED_PIECE_M : PIECE_M));
    return n < 1 ? 1 : n > 1000 ? 1000 : (int)n;
}

static void keep_pose(hf_reach_worker* w) {
    hf_pose t = w->before;
    w->before = w->pose;
    w->pose = t;
    memcpy(w->links_before, w->links, sizeof *w->links * (size_t)w->world->creature->view.link_count);
    w->posed = 0;
}

/* One piece, from the pose before to the state at t. */
static hf_status piece_passes(hf_reach_worker* w, const double* a, const double* b, double t, bool* passes) {
    double state[HF_REACH_WIDTH];
    hf_hold touches[8];
    hf_collision_query q = query_of(w, touches);
    q.begun = true;
    double controls[HF_CONTROL_COUNT];
    for (int k = 0; k < HF_CONTROL_COUNT; k++) controls[k] = a[k] + t * (b[k] - a[k]);
    w->tests++;
    bool collides = false;
    *passes = hf_reach_state(w, controls, state) && (t == 1 || holds(w));
    if (!*passes) return HF_OK;
    if (!w->unswept) hf_body_sweep_add(&w->world->sweep, w->links_before, w->links, w->bends, w->swept);
    hf_status status = hf_move_collides(w->world->creature, w->world->placement, &w->before, &w->pose, &q,
                                        w->workspace, &collides, &w->hit);
    if (collides) w->why = say_hit(w);
    *passes = !collides && !(w->world->load_count && t < 1 && loads_collide(w, 0));
    keep_pose(w);
    return status;
}

static hf_status passes(void* user, const double* a, const double* b, bool* good) {
    hf_reach_worker* w = user;
    int n = pieces_of(w, a, b);
    double state[HF_REACH_WIDTH], middle[HF_REACH_WIDTH];
    hf_status status = HF_OK;
    *good = true;
    if (n > 2) {
        between(w, a, b, 0.5, middle);
        *good = hf_reach_valid(w, middle);
    }
    if (*good) *good = hf_reach_state(w, a, state);
    hf_body_sweep_start(&w->world->sweep, w->swept);
    keep_pose(w);
    for (int i = 1; i <= n && *good && status == HF_OK; i++) {
        if (!hf_workspace_goes_on_often(w->workspace)) *good = false;
        if (*good) status = piece_passes(w, a, b, i == n ? 1 : (double)i / n, good);
    }
    return status;
}

/* What is carried, on the straight way from a frame to the pose in the worker. */
static bool loads_pass(hf_reach_worker* w, const hf_pose* from) {
    const hf_creature* c = w->world->creature;
    double way = 0;
    if (!w->world->load_count) return true;
    for (int k = 0; k < w->world->load_count; k++) {
        int link = c->view.limbs[w->world->loads[k].limb].effector_link;
        hf_vec3 now = w->links[link].position;
        hf_forward(c, from, w->links);
        way = fmax(way, hf_distance(now, w->links[link].position));
        hf_forward(c, &w->pose, w->links);
    }
    bool good = true;
    // the far side of an object in a hand goes about twice as far as the hand
    int n = 1 + (int)(2 * way / HF_STEP_M);
    for (int i = 1; i <= n && good; i++) {
        hf_pose_between(c, from, &w->pose, (double)i / n, &w->before);
        hf_forward(c, &w->before, w->links);
        good = !loads_collide(w, FRAME_DEPTH_M);
    }
    hf_forward(c, &w->pose, w->links);
    return good;
}

bool hf_reach_frames_pass(hf_reach_worker* w, const hf_pose* from) {
    hf_hold touches[8];
    hf_collision_query q = query_of(w, touches);
    q.depth_m = FRAME_DEPTH_M;
    q.touched_depth_m = HF_FRAME_DEPTH_M;
    q.step_m = FRAME_STEP_M;
    bool collides = true;
    if (!holds(w)) return false;
    if (hf_move_collides(w->world->creature, w->world->placement, from, &w->pose, &q, w->workspace, &collides,
                         &w->hit) != HF_OK ||
        collides)
        return fail(w, say_hit(w));
    return loads_pass(w, from);
}

/* One step of the tree's length towards another state. */
static hf_status extend(void* user, const double* from, const double* to, int round, double* state,
                        hf_space_step* step) {
    hf_reach_worker* w = user;
    (void)round;
    double d = mean_distance(from, to, -1), t = d > 0 ? w->world->options->step_m / d : 1;
    *step = HF_SPACE_TRAPPED;
    if (t >= 1)
        memcpy(state, to, sizeof(double) * HF_REACH_WIDTH);
    else
        between(w, from, to, t, state);
    bool good = hf_reach_valid(w, state);
    hf_status status = good ? passes(w, from, state, &good) : HF_OK;
    if (status == HF_OK && good) *step = t >= 1 ? HF_SPACE_REACHED : HF_SPACE_ADVANCED;
    return status;
}

hf_space hf_reach_space(hf_reach_worker* w) {
    return (hf_space){.width = HF_REACH_WIDTH,
                      .user = w,
                      .distance = distance,
                      .between = between,
                      .valid = valid,
                      .passes = passes,
                      .draw = hf_reach_draw,
                      .extend = extend};
}

hf_space hf_reach_cost_space(hf_reach_worker* w) {
    hf_space s = hf_reach_space(w);
    s.distance = cost;
    return s;
}
