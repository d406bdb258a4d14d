/* Clearance of a pose path: how far bodies are from the scene and from each other, signed, along the axis
   between the points that are nearest. Its slope is that of the two bodies' farthest points along the axis,
   as the axis itself is where the distance does not change to the first order. */
#include "refine/pose_cost.h"

#include "geom/convex.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/scene.h"

#include <math.h>
#include <string.h>

/* Distance that bodies should keep, m, and what counts as one in a residual, m. */
static const double MARGIN_M = 0.01, COUNTS_M = 0.002;
/* Samples from a hold after which a limb's effector is as far as other bodies. */
enum { AWAY = 3 };
/* Cores of shapes nearer to each other than this have no axis of their own, m. */
static const double NO_WAY_M = 1e-9;

typedef struct gap {
    hf_vec3 axis;  /* unit, towards the body */
    hf_vec3 point; /* the body's point that is farthest against the axis */
    hf_vec3 other; /* the other body's, or the surface's */
    double distance;
    /* Where the axis goes through the middles of the bodies' balls it turns with them: by so much the
       distance changes as the one middle moves against the other; else zero. */
    hf_vec3 turns;
} gap;

static hf_vec3 farthest(const hf_shape* s, hf_transform pose, hf_vec3 out) {
    hf_vec3 d = hf_unrotate(pose.rotation, out), p = {0, 0, 0};
    double far = -INFINITY;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
        p = hf_scale(d, s->radius);
        break;
    case HF_SHAPE_CAPSULE:
        p = hf_add(hf_scale(d, s->radius), hf_v3(0, 0, d.z < 0 ? -s->half_length : s->half_length));
        break;
    case HF_SHAPE_BOX:
        p = hf_v3(copysign(s->half_size.x, d.x), copysign(s->half_size.y, d.y),
                  copysign(s->half_size.z, d.z));
        break;
    case HF_SHAPE_HULL:
        for (int i = 0; i < s->vertex_count; i++) {
            hf_vec3 v = hf_vertex(s->vertices, (size_t)i);
            double along = hf_dot(v, d);
            if (along > far) far = along, p = v;
        }
    }
    return hf_apply(pose, p);
}

static hf_transform body_pose(const hf_costing* c, int body) {
    const hf_body* b = &c->t->creature->view.bodies[body];
    return hf_compose(c->links[b->link], b->in_link);
}

static hf_vec3 ball_of(const hf_costing* c, int body) {
    return hf_apply(c->links[c->t->creature->view.bodies[body].link], c->t->creature->bounds[body].centre);
}

/* The axis from a point to a shape; false where the point is in the shape. */
static bool find_axis(const hf_shape* shape, hf_transform pose, hf_vec3 point, hf_vec3* axis) {
    const hf_shape dot = {.kind = HF_SHAPE_SPHERE};
    double margin = shape->kind == HF_SHAPE_SPHERE || shape->kind == HF_SHAPE_CAPSULE ? shape->radius : 0;
    hf_convex_way(shape, pose, &dot, (hf_transform){point, {1, 0, 0, 0}}, INFINITY, axis);
    double length = hf_length(*axis);
    if (length <= margin || length < NO_WAY_M) return false;
    *axis = hf_scale(*axis, 1 / length);
    return true;
}

/* The nearest surface to a body that is within the margin. Where the body meets it, the axis is that from the
   surface to the middle of the body's ball, out of solid matter. */
static bool find_scene(const hf_costing* c, int body, double margin, gap* g) {
    const hf_shape* shape = &c->t->creature->view.bodies[body].shape;
    hf_transform pose = body_pose(c, body);
    hf_surface near;
    if (!hf_placement_distance(c->t->placement, shape, pose, margin, &near)) return false;
    if (near.distance <= 0 || !find_axis(shape, pose, near.point, &g->axis)) {
        hf_vec3 ball = ball_of(c, body);
        if (!hf_placement_closest(c->t->placement, ball, c->t->creature->bounds[body].radius + margin, &near))
            return false;
        hf_vec3 out = hf_sub(ball, near.point);
        double length = hf_length(out);
        bool inside = hf_placement_inside(c->t->placement, ball, NULL);
        g->axis = length < NO_WAY_M ? near.normal : hf_scale(out, (inside ? -1 : 1) / length);
    }
    g->point = farthest(shape, pose, hf_neg(g->axis));
    g->distance = hf_dot(g->axis, hf_sub(g->point, near.point));
    return g->distance < margin;
}

/* Adds how a point of a body goes along a direction. */
static void add_slopes(const hf_costing* c, int body, hf_vec3 point, hf_vec3 along, double size) {
    hf_point_jacobian(c->t->creature, c->links, c->t->creature->view.bodies[body].link, point, 3,
                      c->jacobian);
    for (int i = 0; i < c->n; i++)
        c->row[i] += size * (along.x * c->jacobian[i] + along.y * c->jacobian[c->n + i] +
                             along.z * c->jacobian[2 * c->n + i]);
}

/* One residual: the body's point goes along the axis, the other body's point, if there is one, against it. */
static void add_gap(const hf_costing* c, hf_cost_sink* s, int k, double margin, int body, int other,
                    const gap* g) {
    memset(c->row, 0, sizeof(double) * (size_t)c->n);
    if (s->gradient) {
        add_slopes(c, body, g->point, g->axis, -1 / COUNTS_M);
        if (other >= 0) add_slopes(c, other, g->other, g->axis, 1 / COUNTS_M);
        if (hf_dot(g->turns, g->turns) > 0) {
            add_slopes(c, body, ball_of(c, body), g->turns, -1 / COUNTS_M);
            add_slopes(c, other, ball_of(c, other), g->turns, 1 / COUNTS_M);
        }
    }
    hf_cost_add(c, s, (margin - g->distance) / COUNTS_M, k, c->row, 1);
}

static void add_pair(const hf_costing* c, hf_cost_sink* s, int k, int a, int b) {
    const hf_creature* creature = c->t->creature;
    const hf_body* bodies = creature->view.bodies;
    hf_vec3 between = hf_sub(ball_of(c, a), ball_of(c, b)), way;
    double balls = creature->bounds[a].radius + creature->bounds[b].radius + MARGIN_M;
    if (hf_dot(between, between) > balls * balls) return;
    hf_transform pose_a = body_pose(c, a), pose_b = body_pose(c, b);
    double d = hf_convex_way(&bodies[a].shape, pose_a, &bodies[b].shape, pose_b, MARGIN_M, &way);
    bool meets = d <= 0 || hf_length(way) < NO_WAY_M;
    if (meets) way = between;
    if (d > MARGIN_M || hf_length(way) < NO_WAY_M) return;
    gap g = {.axis = hf_normalize(way)};
    g.point = farthest(&bodies[a].shape, pose_a, hf_neg(g.axis));
    g.other = farthest(&bodies[b].shape, pose_b, g.axis);
    hf_vec3 apart = hf_sub(g.point, g.other);
    g.distance = hf_dot(g.axis, apart);
    if (meets) g.turns = hf_scale(hf_sub(apart, hf_scale(g.axis, g.distance)), 1 / hf_length(way));
    if (g.distance < MARGIN_M) add_gap(c, s, k, MARGIN_M, a, b, &g);
}

/* Does a limb that holds in a sample touch with this body? */
static bool touches(const hf_costing* c, int k, int link) {
    for (int l = 0; l < c->t->creature->view.limb_count; l++)
        if (hf_cost_hold(c->t, k, l) >= 0 && hf_effector_has(c->t->creature, l, link)) return true;
    return false;
}

/* What a body keeps to the scene: an effector less the nearer its limb is to a hold, as it comes from there
   or goes there. */
static double margin_of(const hf_costing* c, int k, int link) {
    double margin = MARGIN_M;
    for (int l = 0; l < c->t->creature->view.limb_count; l++) {
        if (!hf_effector_has(c->t->creature, l, link)) continue;
        int steps = 0;
        for (; steps < AWAY; steps++)
            if ((k >= steps && hf_cost_hold(c->t, k - steps, l) >= 0) ||
                (k + steps < c->t->count && hf_cost_hold(c->t, k + steps, l) >= 0))
                break;
        margin = fmin(margin, MARGIN_M * steps * steps / (AWAY * AWAY));
    }
    return margin;
}

static void add_sample(const hf_costing* c, hf_cost_sink* s, int k) {
    const hf_creature* creature = c->t->creature;
    for (int a = 0; a < creature->view.body_count; a++) {
        int link = creature->view.bodies[a].link;
        gap g = {.turns = {0, 0, 0}};
        double margin = margin_of(c, k, link);
        if (!touches(c, k, link) && find_scene(c, a, margin, &g)) add_gap(c, s, k, margin, a, -1, &g);
        for (int b = a + 1; b < creature->view.body_count; b++)
            if (hf_pair_bit(creature, a, b)) add_pair(c, s, k, a, b);
    }
}

hf_status hf_cost_clearance(const hf_costing* c, hf_cost_sink* s) {
    for (int k = 0; k < c->t->count && c->t->placement; k++) {
        hf_pose pose = hf_cost_pose(c->t, k);
        hf_forward(c->t->creature, &pose, c->links);
        add_sample(c, s, k);
    }
    return HF_OK;
}
