/* Standing poses: the root over the ground at the height of the standing posture, then lower and lower until
   the walking limbs find ground under them and hold the body in balance. */
#include <holdfast/stand.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "plan/step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Heights of the root that are tried: from the standing posture's down to half of it, 2 % apart. */
static const double LOWER_STEP = 0.02;
enum { HEIGHTS = 26 };
static const double FARTHEST_M = 1e7; /* from the origin, as starts and goals may be */
static const double LEAST_UP = 0.5;   /* of a ground's normal: steeper surfaces are walls */

void hf_stand_result_free(hf_stand_result* r) {
    if (!r) return;
    hf_free(r->state.pose.q);
    hf_free(r->state.contacts);
    memset(r, 0, sizeof *r);
}

/* The highest z of the scene. */
static double top_of(const hf_scene* scene, const hf_placement* placement) {
    double top = -INFINITY;
    for (int i = 0; i < hf_scene_object_count(scene); i++) {
        hf_object_view o = hf_scene_object(scene, i);
        hf_transform at = hf_placement_pose(placement, i);
        for (int k = 0; k < o.mesh.vertex_count; k++) {
            top = fmax(top, hf_apply(at, hf_vertex(o.mesh.vertices, (size_t)k)).z);
        }
    }
    return top;
}

/* The same among surfaces that look up (side 1) or down (-1). */
static bool find_facing(const hf_plan_world* w, double x, double y, double from, double side, double* z) {
    hf_surface hit;
    for (double at = from; hf_placement_ray(w->placement, hf_v3(x, y, at), hf_v3(0, 0, -1), 1e9, &hit);
         at = hit.point.z - HF_SKIN) {
        *z = hit.point.z;
        if (side * hit.normal.z >= LEAST_UP && hf_scene_object(w->scene, hit.object).contact) return true;
    }
    return false;
}

/* The highest surface at x, y below `from` that a foot can stand on. The undersides of solids are none; where
   every surface there looks down, the mesh is turned inside out or open, and its undersides count. */
static bool find_ground(const hf_plan_world* w, double x, double y, double from, double* z) {
    return find_facing(w, x, y, from, 1, z) || find_facing(w, x, y, from, -1, z);
}

/* The lowest ground under the walking limbs with the root over x, y. */
static bool find_level(const hf_plan_world* w, hf_transform root, double ground, double* level) {
    bool any = false;
    *level = ground;
    for (int l = 0; l < w->view->limb_count; l++) {
        const hf_plan_limb* m = &w->model->limbs[l];
        if (!m->walks || w->view->limbs[l].joint_count == 0) continue;
        hf_vec3 foot = hf_apply(root, m->rest_in_root);
        double z;
        any = true;
        if (find_ground(w, foot.x, foot.y, ground + w->model->tall, &z) && ground - z < w->model->tall)
            *level = fmin(*level, z);
    }
    return any;
}

static double ball_of(const hf_plan_world* w) {
    double ball = 0;
    for (int l = 0; l < w->view->limb_count; l++)
        if (w->model->limbs[l].walks) ball = fmax(ball, w->view->limbs[l].contacts[0].ball);
    return ball;
}

/* The pose and contacts of a node as a state of its own. */
static hf_status keep(const hf_planner* p, const hf_plan_node* n, hf_scenario_state* state) {
    size_t q = sizeof(double) * (size_t)p->world.view->q_count;
    state->pose.q = hf_alloc(1, q + sizeof(double));
    state->contacts = hf_alloc((size_t)n->hold_count, sizeof *state->contacts);
    if (!state->pose.q || !state->contacts) return HF_ERROR_MEMORY;
    state->pose.root = n->pose.root;
    memcpy(state->pose.q, n->pose.q, q);
    for (int i = 0; i < n->hold_count; i++) state->contacts[i] = n->holds[i].at;
    state->contact_count = n->hold_count;
    state->whole = true;
    return HF_OK;
}

/* Stands with the root here, or where balance shifts the root to: into the first node of the tree. */
static bool stand_over(hf_planner* p, hf_transform root, hf_plan_why* why) {
    hf_plan_world* w = &p->world;
    hf_pose pose = hf_take_pose(p);
    hf_hold feet[HF_MAX_HOLDS];
    if (!pose.q) return false;
    hf_pose_copy(w, &(hf_pose){root, w->model->standing}, &pose);
    hf_scenario_state state = {.pose = pose, .contacts = feet};
    for (int l = 0; l < w->view->limb_count && state.contact_count < HF_MAX_HOLDS; l++)
        if (w->model->limbs[l].walks && w->view->limbs[l].joint_count > 0 &&
            hf_footing_set(p, l, &pose, NULL))
            feet[state.contact_count++] = (hf_hold){.limb = l, .frame = -1, .object = -1};
    w->guide = &root, w->guide_count = 1;
    hf_spots_forget(w);
    p->tree.knots.count = 0;
    bool stands = hf_plan_begin(p, &state, &p->tree.nodes[0], why);
    w->guide = NULL, w->guide_count = 0;
    return stands;
}

static hf_status take_stand(hf_planner* p, double ground, hf_stand_result* r) {
    const hf_plan_node* n = &p->tree.nodes[0];
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    r->outcome = HF_FOUND;
    r->height_m = n->pose.root.position.z - ground;
    r->margin_m = stance ? hf_stance_margin(stance, hf_com_at(p, &n->pose)) : 0;
    hf_stance_return(p, stance);
    return keep(p, n, &r->state);
}

/* Says where no place can be balanced: fewer than three limbs that touch in a point each. */
static void say_points(const hf_plan_world* w, char* text, size_t size) {
    int count = 0;
    bool points = true;
    for (int l = 0; l < w->view->limb_count; l++) {
        if (!w->model->limbs[l].walks || w->view->limbs[l].joint_count == 0) continue;
        count++;
        for (int c = 0; c < w->view->limbs[l].contact_count; c++)
            points = points && !(w->view->limbs[l].contacts[c].patch[0] > 0);
    }
    if (points && count < 3)
        snprintf(text, size, "; it walks on %d limb%s that touch%s in a point: none is balanced at rest",
                 count, count == 1 ? "" : "s", count == 1 ? "es" : "");
}

static hf_status stand_in(hf_planner* p, double x, double y, double yaw, hf_stand_result* r) {
    hf_plan_world* w = &p->world;
    double top = top_of(w->scene, w->placement), ground, level;
    hf_transform root = {hf_v3(x, y, 0), hf_quat_axis_angle(hf_v3(0, 0, 1), yaw - w->view->facing)};
    if (!find_ground(w, x, y, top + 1, &ground)) {
        snprintf(r->why, sizeof r->why, "at %g %g there is no surface below that allows contact", x, y);
        return HF_OK;
    }
    if (!find_level(w, root, ground, &level)) {
        snprintf(r->why, sizeof r->why, "the creature has no limb that walks");
        return HF_OK;
    }
    hf_plan_why why = HF_PLAN_START_UNBALANCED;
    hf_collision first = {0}; // where it collides in the posture in which it would stand
    double least_m = INFINITY;
    for (int i = 0; i < HEIGHTS && hf_plan_ok(p); i++) {
        hf_vec3 wish =
            hf_v3(x, y, level + ball_of(w) + w->model->rest_height - LOWER_STEP * i * w->model->tall);
        root.position = wish;
        for (int k = 0; k < 2 && hf_plan_ok(p); k++) {
            hf_plan_why now = HF_PLAN_START_UNBALANCED;
            if (!stand_over(p, root, &now)) {
                if (i == 0 && k == 0) why = now, first = p->tools.hit;
                break;
            }
            hf_vec3 off = hf_sub(p->tree.nodes[0].pose.root.position, wish);
            double off_m = hf_hypot(off.x, off.y);
            if (off_m <= w->options->goal_tolerance_m) return take_stand(p, ground, r);
            least_m = fmin(least_m, off_m);
            // the body shifts to be in balance: once more, from as far to the other side
            root.position = hf_v3(x - off.x, y - off.y, wish.z);
        }
    }
    char pair[160] = "";
    if (why == HF_PLAN_START_UNBALANCED) say_points(w, pair, sizeof pair);
    if (why == HF_PLAN_START_COLLIDES) hf_plan_pair_text(w, &first, pair, sizeof pair);
    if (isfinite(least_m))
        snprintf(r->why, sizeof r->why,
                 "at %g %g, on the ground at %.2f m, the body is balanced %.0f mm beside the place, farther "
                 "than goal_tolerance_m",
                 x, y, ground, 1000 * least_m);
    else
        snprintf(r->why, sizeof r->why, "at %g %g, on the ground at %.2f m, %s%s", x, y, ground,
                 why == HF_PLAN_START_COLLIDES ? "the body collides" : "no stance holds the body", pair);
    return p->tools.status;
}

static hf_status stand(hf_planner* p, double x, double y, double yaw, hf_stand_result* r) {
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_status status = stand_in(p, x, y, yaw, r);
    hf_workspace_end(p->tools.workspace, mark);
    return status;
}

/* Along X, or in the first of the headings beside it in which the creature can stand: an eighth of a turn to
   the left, to the right, a quarter to the left and so on. The reason is that of the first. */
static hf_status stand_anyhow(hf_planner* p, double x, double y, hf_stand_result* r) {
    hf_status status = stand(p, x, y, 0, r);
    for (int i = 1; i < 8 && status == HF_OK && r->outcome != HF_FOUND; i++) {
        hf_stand_result other = {.outcome = HF_NONE};
        status = stand(p, x, y, (i % 2 ? 1 : -1) * ((i + 1) / 2) * M_PI / 4, &other);
        if (status != HF_OK || other.outcome == HF_FOUND) *r = other;
    }
    return status;
}

hf_status hf_stand(const hf_plan_model* model, const hf_scene* scene, double x, double y, double yaw,
                   const hf_plan_options* options, hf_stand_result* result, hf_error* error) {
    HF_REQUIRE(error, model && scene && options && result);
    memset(result, 0, sizeof *result);
    result->outcome = HF_NONE;
    hf_status status = hf_options_check(hf_plan_option_table(), options, error);
    if (status != HF_OK) return status;
    if (!(fabs(x) <= FARTHEST_M && fabs(y) <= FARTHEST_M && !isinf(yaw)))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "at",
                       "%g %g is no place within 10,000 km of the origin, or is turned without end", x, y);
    hf_planner p = {.world = {.model = model,
                              .creature = model->creature,
                              .view = hf_creature_get(model->creature),
                              .scene = scene,
                              .options = options}};
    status = hf_planner_begin(&p);
    if (status == HF_OK) status = isnan(yaw) ? stand_anyhow(&p, x, y, result) : stand(&p, x, y, yaw, result);
    p.own_guide = NULL;
    hf_planner_end(&p);
    if (status == HF_OK) return HF_OK;
    hf_stand_result_free(result);
    return hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
}

static hf_status stand_state(hf_scenario* s, const char* which, hf_scenario_state* state,
                             const hf_plan_model* model, const hf_plan_options* options, hf_error* error) {
    if (!state->pose.q || !state->stands) return HF_OK;
    hf_vec3 ahead = hf_rotate(state->pose.root.rotation, hf_v3(1, 0, 0)), at = state->pose.root.position;
    double yaw = state->any_heading ? NAN : hf_atan2(ahead.y, ahead.x);
    hf_stand_result r;
    hf_error why = {0};
    hf_status status = hf_stand(model, s->scene, at.x, at.y, yaw, options, &r, &why);
    if (status != HF_OK) return hf_fail(error, status, s->path, 0, which, "%s", why.message);
    if (r.outcome != HF_FOUND) return hf_fail(error, HF_ERROR_FORMAT, s->path, 0, which, "%s", r.why);
    hf_free(state->pose.q);
    hf_free(state->contacts);
    *state = r.state;
    state->placed = true;
    return HF_OK;
}

hf_status hf_scenario_stand(hf_scenario* s, const hf_plan_model* model, const hf_plan_options* options,
                            hf_error* error) {
    HF_REQUIRE(error, s && model && options);
    hf_status status = stand_state(s, "start.at", &s->start, model, options, error);
    return status == HF_OK ? stand_state(s, "goal.at", &s->goal, model, options, error) : status;
}
