/* Standing poses: the root over the ground at the height of the standing posture, then lower and lower until
   all walking limbs find ground under them and hold the body in balance, or as many as can. Where that fails
   the body is turned with the plane through the ground under its limbs, and then raised over the highest of
   that ground. */
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
static const double FARTHEST_M = 1e7;       /* from the origin, as starts and goals may be */
static const double LEAST_UP = 0.5;         /* of a ground's normal: steeper surfaces are walls */
static const double LEAST_TILT_RAD = 0.017; /* ground that is level within a degree turns no body */

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

/* The ground under the walking limbs with the root over x, y. */
typedef struct ground_shape {
    double at_root;       /* z below the root */
    double low, high;     /* least and greatest z under a limb */
    double at_plane;      /* z below the root of the plane through what is under the limbs */
    hf_vec3 plane_normal; /* upwards */
} ground_shape;

/* The plane through points of which the first is the middle one, by least squares; level where the points do
   not determine it. */
static void fit_plane(const hf_vec3* points, int count, hf_vec3 middle, ground_shape* g) {
    double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    for (int i = 0; i < count; i++) {
        hf_vec3 d = hf_sub(points[i], middle);
        xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y, xz += d.x * d.z, yz += d.y * d.z;
    }
    double det = xx * yy - xy * xy, a = 0, b = 0;
    // feet in a line leave the tilt across it open
    if (det > 1e-6 * xx * yy) a = (xz * yy - yz * xy) / det, b = (yz * xx - xz * xy) / det;
    g->plane_normal = hf_normalize(hf_v3(-a, -b, 1));
    g->at_plane = middle.z;
}

static bool find_grounds(const hf_plan_world* w, hf_transform root, ground_shape* g) {
    hf_vec3 points[HF_MAX_HOLDS], sum = {0};
    int count = 0;
    bool any = false;
    g->low = g->high = g->at_root;
    for (int l = 0; l < w->view->limb_count; l++) {
        const hf_plan_limb* m = &w->model->limbs[l];
        if (!m->walks || w->view->limbs[l].joint_count == 0) continue;
        hf_vec3 foot = hf_apply(root, m->rest_in_root);
        any = true;
        if (count == HF_MAX_HOLDS || !find_ground(w, foot.x, foot.y, g->at_root + w->model->tall, &foot.z) ||
            !(g->at_root - foot.z < w->model->tall))
            continue;
        g->low = fmin(g->low, foot.z), g->high = fmax(g->high, foot.z);
        sum = hf_add(sum, foot);
        points[count++] = foot;
    }
    hf_vec3 middle = count ? hf_scale(sum, 1.0 / count) : hf_v3(0, 0, g->at_root);
    fit_plane(points, count, middle, g);
    // the plane below the root, which need not be in the middle of the limbs
    hf_vec3 n = g->plane_normal;
    g->at_plane -= (n.x * (root.position.x - middle.x) + n.y * (root.position.y - middle.y)) / n.z;
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

/* Whether every walking limb holds in the first node of the tree. */
static bool all_hold(const hf_planner* p) {
    const hf_plan_world* w = &p->world;
    const hf_plan_node* n = &p->tree.nodes[0];
    for (int l = 0; l < w->view->limb_count; l++)
        if (w->model->limbs[l].walks && w->view->limbs[l].joint_count > 0 &&
            hf_limb_idle(w, n->holds, n->hold_count, l))
            return false;
    return true;
}

/* The first node of the tree as the answer, where it stands on more limbs than the answer so far. */
static hf_status take_stand(hf_planner* p, double ground, hf_stand_result* r) {
    const hf_plan_node* n = &p->tree.nodes[0];
    if (r->outcome == HF_FOUND && n->hold_count <= r->state.contact_count) return HF_OK;
    hf_stand_result_free(r);
    const hf_stance* stance = hf_stance_borrow_whole(p, n->holds, n->hold_count);
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

/* Why no pose was a stand: that of the first one tried. */
typedef struct refusal {
    bool known;
    hf_plan_why why;
    hf_collision first; /* where it collides in the posture in which it would stand */
    double least_m;     /* from the place to where the body would be balanced; infinite: nowhere */
} refusal;

/* The root over the place with this turn, from the height `top` down to `bottom`. True where every walking
   limb holds; a stance of fewer limbs becomes the answer, too, until one of more limbs is found. */
static bool stand_between(hf_planner* p, hf_transform root, double top, double bottom, double ground,
                          refusal* no, hf_stand_result* r) {
    hf_plan_world* w = &p->world;
    hf_vec3 place = root.position;
    for (int i = 0; i < HEIGHTS && hf_plan_ok(p); i++) {
        double z = top - LOWER_STEP * i * w->model->tall;
        if (z < bottom) break;
        root.position = hf_v3(place.x, place.y, z);
        for (int k = 0; k < 2 && hf_plan_ok(p); k++) {
            hf_plan_why now = HF_PLAN_START_UNBALANCED;
            bool stands = stand_over(p, root, &now);
            if (!no->known) no->known = true, no->why = now, no->first = p->tools.hit;
            if (!stands) break;
            hf_vec3 off = hf_sub(p->tree.nodes[0].pose.root.position, place);
            double off_m = hf_hypot(off.x, off.y);
            if (off_m <= w->options->goal_tolerance_m) {
                if (!hf_plan_note(p, take_stand(p, ground, r))) return false;
                if (all_hold(p)) return true;
                break;
            }
            no->least_m = fmin(no->least_m, off_m);
            // the body shifts to be in balance: once more, from as far to the other side
            root.position = hf_v3(place.x - off.x, place.y - off.y, z);
        }
    }
    return false;
}

static void say_refusal(const hf_plan_world* w, hf_vec3 place, double level, const refusal* no,
                        hf_stand_result* r) {
    char pair[160] = "";
    if (isfinite(no->least_m)) {
        snprintf(r->why, sizeof r->why,
                 "at %g %g, on the ground at %.2f m, the body is balanced %.0f mm beside the place, farther "
                 "than goal_tolerance_m",
                 place.x, place.y, level, 1000 * no->least_m);
        return;
    }
    if (no->why == HF_PLAN_START_COLLIDES)
        hf_plan_pair_text(w, &no->first, pair, sizeof pair);
    else
        say_points(w, pair, sizeof pair);
    snprintf(r->why, sizeof r->why, "at %g %g, on the ground at %.2f m, %s%s", place.x, place.y, level,
             no->why == HF_PLAN_START_COLLIDES ? "the body collides" : "no stance holds the body", pair);
}

static hf_status stand_in(hf_planner* p, double x, double y, double yaw, hf_stand_result* r, bool* all) {
    hf_plan_world* w = &p->world;
    ground_shape g;
    hf_transform root = {hf_v3(x, y, 0), hf_quat_axis_angle(hf_v3(0, 0, 1), yaw - w->view->facing)};
    if (!find_ground(w, x, y, top_of(w->scene, w->placement) + 1, &g.at_root)) {
        snprintf(r->why, sizeof r->why, "at %g %g there is no surface below that allows contact", x, y);
        return HF_OK;
    }
    if (!find_grounds(w, root, &g)) {
        snprintf(r->why, sizeof r->why, "the creature has no limb that walks");
        return HF_OK;
    }
    double height = ball_of(w) + w->model->rest_height, low = g.low + height;
    refusal no = {.why = HF_PLAN_START_UNBALANCED, .least_m = INFINITY};
    bool stands = stand_between(p, root, low, -INFINITY, g.at_root, &no, r);
    double tilt = hf_acos(fmin(1, g.plane_normal.z));
    if (!stands && tilt > LEAST_TILT_RAD && tilt <= w->view->guide.tilt_max) {
        hf_transform turned = root;
        turned.rotation = hf_quat_mul(hf_quat_between(hf_v3(0, 0, 1), g.plane_normal), root.rotation);
        stands =
            stand_between(p, turned, g.at_plane + height / g.plane_normal.z, -INFINITY, g.at_root, &no, r);
    }
    *all = stands || stand_between(p, root, g.high + height, low, g.at_root, &no, r);
    if (r->outcome != HF_FOUND && !r->why[0]) say_refusal(w, hf_v3(x, y, 0), g.at_root, &no, r);
    return p->tools.status;
}

/* Stands there, on more limbs than the answer so far; `all` where every walking limb holds. */
static hf_status stand(hf_planner* p, double x, double y, double yaw, hf_stand_result* r, bool* all) {
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    *all = false;
    hf_status status = stand_in(p, x, y, yaw, r, all);
    hf_workspace_end(p->tools.workspace, mark);
    return status;
}

/* Along X, or in the first of the headings beside it in which every walking limb holds: an eighth of a turn
   to the left, to the right, a quarter to the left and so on; else in the one with the most limbs. The reason
   is that of the first. */
static hf_status stand_anyhow(hf_planner* p, double x, double y, hf_stand_result* r) {
    bool all = false;
    hf_status status = stand(p, x, y, 0, r, &all);
    for (int i = 1; i < 8 && status == HF_OK && !all; i++)
        status = stand(p, x, y, (i % 2 ? 1 : -1) * ((i + 1) / 2) * M_PI / 4, r, &all);
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
    bool all;
    if (status == HF_OK)
        status = isnan(yaw) ? stand_anyhow(&p, x, y, result) : stand(&p, x, y, yaw, result, &all);
    p.own_guide = NULL;
    hf_planner_end(&p);
    if (status == HF_OK) return HF_OK;
    hf_stand_result_free(result);
    return hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
}

static hf_status stand_state(hf_scenario* s, const char* which, hf_scenario_state* state,
                             const hf_plan_model* model, const hf_plan_options* options, hf_error* error) {
    if (!state->pose.q || !state->stands) return HF_OK;
    hf_transform place = state->pose.root;
    hf_vec3 ahead = hf_rotate(place.rotation, hf_v3(1, 0, 0)), at = place.position;
    bool any_heading = state->any_heading;
    double yaw = any_heading ? NAN : hf_atan2(ahead.y, ahead.x);
    hf_stand_result r;
    hf_error why = {0};
    hf_status status = hf_stand(model, s->scene, at.x, at.y, yaw, options, &r, &why);
    if (status != HF_OK) return hf_fail(error, status, s->path, 0, which, "%s", why.message);
    if (r.outcome != HF_FOUND) return hf_fail(error, HF_ERROR_FORMAT, s->path, 0, which, "%s", r.why);
    hf_free(state->pose.q);
    hf_free(state->contacts);
    *state = r.state;
    state->placed = true, state->place = place, state->any_heading = any_heading;
    return HF_OK;
}

hf_status hf_scenario_stand(hf_scenario* s, const hf_plan_model* model, const hf_plan_options* options,
                            hf_error* error) {
    HF_REQUIRE(error, s && model && options);
    hf_status status = stand_state(s, "start.at", &s->start, model, options, error);
    return status == HF_OK ? stand_state(s, "goal.at", &s->goal, model, options, error) : status;
}
