/* Balls that push (adapt/push.h). */
#include "adapt/push.h"
#include "base/memory.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

enum { MAX_GRID = 6 };               /* balls along one axis of a body */
static const double DEEP_M = 0.15;   /* farther inside of a solid a ball does not find its way out */
static const double SLACK_M = 0.002; /* beyond what overlaps at rest */
/* By which an effector may be in what it touches, m: less than the depth that is allowed without a touch, so
   that it may let go. */
static const double TOUCH_M = 0.0005;
enum { MAX_NEAR = 128 }; /* balls of one body */

/* Centre and half sizes of a shape in its own frame. */
static void measure(const hf_shape* s, hf_vec3* middle, double half[3]) {
    *middle = hf_v3(0, 0, 0);
    for (int k = 0; k < 3; k++) half[k] = s->radius;
    if (s->kind == HF_SHAPE_CAPSULE) half[2] += s->half_length;
    if (s->kind == HF_SHAPE_BOX) half[0] = s->half_size.x, half[1] = s->half_size.y, half[2] = s->half_size.z;
    if (s->kind != HF_SHAPE_HULL) return;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < s->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            double x = (double)s->vertices[3 * i + k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
        }
    for (int k = 0; k < 3; k++) half[k] = 0.5 * (high[k] - low[k]);
    *middle = hf_v3(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
}

static int grid(double half, double r) {
    int n = r > 0 ? (int)ceil((half - r) / r - 1e-9) + 1 : 1;
    return n < 1 ? 1 : n > MAX_GRID ? MAX_GRID : n;
}

/* Fills the box about a body with balls as thick as its thinnest side. */
static int fill_body(const hf_body* b, hf_push_ball* balls) {
    hf_vec3 middle;
    double half[3], r;
    measure(&b->shape, &middle, half);
    r = fmin(half[0], fmin(half[1], half[2]));
    int n[3] = {grid(half[0], r), grid(half[1], r), grid(half[2], r)}, count = 0;
    for (int x = 0; x < n[0]; x++)
        for (int y = 0; y < n[1]; y++)
            for (int z = 0; z < n[2]; z++) {
                const int at[3] = {x, y, z};
                double p[3];
                for (int k = 0; k < 3; k++)
                    p[k] = n[k] > 1 ? (half[k] - r) * (2.0 * at[k] / (n[k] - 1) - 1) : 0;
                hf_vec3 local = hf_add(middle, hf_v3(p[0], p[1], p[2]));
                if (balls) balls[count] = (hf_push_ball){hf_apply(b->in_link, local), r};
                count++;
            }
    return count;
}

static hf_push_ball ball_about(const hf_body* b) {
    hf_vec3 middle;
    double half[3];
    measure(&b->shape, &middle, half);
    double r = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    return (hf_push_ball){hf_apply(b->in_link, middle), r};
}

/* ---- two bodies ---- */

/* Puts all balls where the links are. */
static void place_balls(const hf_push* p, const hf_transform* links) {
    const hf_creature_view* v = &p->creature->view;
    for (int b = 0; b < v->body_count; b++)
        for (int i = p->first[b]; i < p->first[b + 1]; i++)
            p->placed[i] = hf_apply(links[v->bodies[b].link], p->balls[i].center);
}

/* The deepest overlap of two bodies' placed balls; the way from b to a and the point between. */
static double deepest(const hf_push* p, int a, int b, hf_vec3* way, hf_vec3* point) {
    double most = -INFINITY;
    for (int i = p->first[a]; i < p->first[a + 1]; i++)
        for (int j = p->first[b]; j < p->first[b + 1]; j++) {
            hf_vec3 x = p->placed[i], y = p->placed[j];
            double apart = hf_distance(x, y), depth = p->balls[i].radius + p->balls[j].radius - apart;
            if (depth <= most || apart < 1e-6) continue;
            most = depth;
            *way = hf_normalize(hf_sub(x, y));
            *point = hf_lerp(x, y, 0.5);
        }
    return most;
}

static bool apart(const hf_push* p, const hf_transform* links, int a, int b, double room) {
    const hf_creature_view* v = &p->creature->view;
    hf_vec3 x = hf_apply(links[v->bodies[a].link], p->all[a].center);
    hf_vec3 y = hf_apply(links[v->bodies[b].link], p->all[b].center);
    return hf_distance(x, y) > p->all[a].radius + p->all[b].radius + room;
}

static hf_status list_pairs(hf_push* p, const hf_transform* rest) {
    int count = p->creature->view.body_count;
    place_balls(p, rest);
    for (int pass = 0; pass < 2; pass++) {
        p->pair_count = 0;
        for (int a = 0; a < count; a++)
            for (int b = 0; b < a; b++) {
                if (!hf_creature_pair_enabled(p->creature, a, b)) continue;
                if (pass) {
                    hf_vec3 way, point;
                    p->pairs[2 * p->pair_count] = a, p->pairs[2 * p->pair_count + 1] = b;
                    p->slack[p->pair_count] = fmax(0, deepest(p, a, b, &way, &point) + SLACK_M);
                }
                p->pair_count++;
            }
        if (pass) break;
        p->pairs = hf_alloc(2 * (size_t)p->pair_count, sizeof *p->pairs);
        p->slack = hf_alloc((size_t)p->pair_count, sizeof *p->slack);
        if (!p->pairs || !p->slack) return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

hf_status hf_push_make(const hf_creature_body* body, hf_push* p) {
    const hf_creature_view* v = hf_creature_get(body->creature);
    *p = (hf_push){.creature = body->creature};
    p->first = hf_alloc((size_t)v->body_count + 1, sizeof *p->first);
    p->all = hf_alloc((size_t)v->body_count, sizeof *p->all);
    hf_status status = p->first && p->all ? HF_OK : HF_ERROR_MEMORY;
    for (int b = 0; b < v->body_count && status == HF_OK; b++)
        p->first[b + 1] = p->first[b] + fill_body(&v->bodies[b], NULL);
    if (status == HF_OK) p->balls = hf_alloc((size_t)p->first[v->body_count], sizeof *p->balls);
    if (status == HF_OK) p->placed = hf_alloc((size_t)p->first[v->body_count], sizeof *p->placed);
    if (!p->balls || !p->placed) status = HF_ERROR_MEMORY;
    for (int b = 0; b < v->body_count && status == HF_OK; b++) {
        fill_body(&v->bodies[b], p->balls + p->first[b]);
        p->all[b] = ball_about(&v->bodies[b]);
    }
    if (status == HF_OK) status = list_pairs(p, body->rest);
    if (status != HF_OK) hf_push_free(p);
    return status;
}

void hf_push_free(hf_push* p) {
    hf_free(p->balls);
    hf_free(p->placed);
    hf_free(p->first);
    hf_free(p->all);
    hf_free(p->pairs);
    hf_free(p->slack);
    memset(p, 0, sizeof *p);
}

/* ---- pushes ---- */

/* The touch of this object by the limb whose effector a body belongs to; NULL: none. */
static const hf_push_touch* touch_of(const hf_push* p, int body, const hf_push_touch* touches, int count,
                                     int object) {
    int link = p->creature->view.bodies[body].link;
    for (int i = 0; i < count; i++)
        if (touches[i].object == object && hf_effector_has(p->creature, touches[i].limb, link))
            return &touches[i];
    return NULL;
}

/* A ball near a surface. */
typedef struct near_ball {
    hf_vec3 center, way; /* way: out of what is nearest */
    double out;          /* how far along it the ball must go */
    bool inside;
    double reach; /* radius and room */
} near_ball;

/* How far a ball must go along a direction to be free. */
static double way_out(const hf_placement* placement, const near_ball* b, hf_vec3 d) {
    double along = hf_dot(b->way, d);
    if (!b->inside) return along > 0.1 ? fmin(b->out / along, b->out + b->reach) : b->out + b->reach;
    hf_surface s;
    return hf_placement_ray(placement, b->center, d, DEEP_M, &s) ? s.distance + b->reach : 2 * DEEP_M;
}

static int list_balls(const hf_push* p, const hf_placement* placement, int body, const hf_push_touch* touches,
                      int touch_count, double room, double more, near_ball* near) {
    int count = 0;
    for (int i = p->first[body]; i < p->first[body + 1] && count < MAX_NEAR; i++) {
        hf_vec3 c = p->placed[i];
        double reach = p->balls[i].radius + room;
        hf_surface s;
        if (!hf_placement_closest(placement, c, fmax(reach, DEEP_M), &s)) continue;
        const hf_push_touch* touch = touch_of(p, body, touches, touch_count, s.object);
        if (touch) reach = p->balls[i].radius - TOUCH_M + (touch->flat ? 0 : more);
        hf_vec3 d = hf_sub(c, s.point);
        bool inside = hf_dot(d, s.normal) < 0 && hf_placement_inside(placement, c, NULL);
        double out = inside ? reach + s.distance : reach - s.distance;
        if (out <= 0) continue;
        hf_vec3 way = inside ? s.normal : s.distance > 1e-6 ? hf_scale(d, 1 / s.distance) : s.normal;
        near[count++] = (near_ball){c, way, out, inside, reach};
    }
    return count;
}

/* Pushes all balls of a body that are in the way into one direction: the one along which the body is free
   soonest. Each ball for itself would leave a thigh that lies across an edge to both sides at once. */
static bool push_body(const hf_push* p, hf_follower* t, const hf_placement* placement, int body,
                      const hf_push_touch* touches, int touch_count, double room, double more,
                      double weight) {
    near_ball near[MAX_NEAR];
    int count = list_balls(p, placement, body, touches, touch_count, room, more, near), chosen = -1;
    double best = INFINITY;
    for (int i = 0; i < count; i++) {
        double most = 0;
        for (int k = 0; k < count && most < best; k++)
            most = fmax(most, way_out(placement, &near[k], near[i].way));
        if (most < best) best = most, chosen = i;
    }
    if (chosen < 0) return false;
    int link = p->creature->view.bodies[body].link;
    for (int i = 0; i < count; i++) {
        double by = way_out(placement, &near[i], near[chosen].way);
        hf_follow_push(t, link, -1, near[i].center, near[chosen].way, fmin(by, best), weight);
    }
    return true;
}

static bool near_scene(const hf_push* p, const hf_follower* t, const hf_placement* placement, int body,
                       double room) {
    hf_surface s;
    hf_vec3 c = hf_apply(t->links[p->creature->view.bodies[body].link], p->all[body].center);
    return hf_placement_closest(placement, c, p->all[body].radius + room, &s);
}

int hf_push_add(const hf_push* p, hf_follower* t, const hf_placement* placement, const hf_push_touch* touches,
                int touch_count, double clearance_m, const float* more, double weight) {
    const hf_creature_view* v = &p->creature->view;
    int count = 0;
    place_balls(p, t->links);
    for (int b = 0; b < v->body_count; b++) {
        double extra = (double)more[b], room = clearance_m + extra;
        if (near_scene(p, t, placement, b, room))
            count += push_body(p, t, placement, b, touches, touch_count, room, extra, weight);
    }
    for (int i = 0; i < p->pair_count; i++) {
        int a = p->pairs[2 * i], b = p->pairs[2 * i + 1];
        double extra = (double)fmaxf(more[a], more[b]), room = clearance_m + extra;
        hf_vec3 way, point;
        if (apart(p, t->links, a, b, room)) continue;
        double depth = deepest(p, a, b, &way, &point) + room - p->slack[i];
        if (depth <= 0) continue;
        hf_follow_push(t, v->bodies[a].link, v->bodies[b].link, point, way, depth, weight);
        count++;
    }
    return count;
}
