/* The contact frame of a limb that no file gives one: on the surface of the effector's bodies, at its far
   end, looking out of the creature. The bodies are taken together: the largest flat side of their common hull
   that looks outwards is a patch, a round body at the end is its own ball, a rounded end is a ball that
   encloses it, any other end is its farthest point. A leg with too few joints to lay a sole flat that ends in
   a narrow stub rolls over the stub's rim: its frame is a ball, too. */
#include "model/limb_plan.h"
#include "geom/hull.h"

#include <math.h>
#include <stdlib.h>

/* Corners that touch together with a side's plane, and facets' corners that belong to one side, m. */
static const double TOUCH_DEPTH = 5e-4, FLAT_DEPTH = 2e-3;
/* Facets turned by less than 3 degrees make one side; a side turned by more than 45 from outwards is none. */
static const double FLAT_COS = 0.9986, OUTWARD_COS = 0.7;
/* Share of the hull's shadow that a flat side has at least: a facet of a round hull has a tenth at most. */
static const double FLAT_SHARE = 0.25;
/* A leg whose effector is not this far below its first joint, and whose effector does not look down either,
   is level: 20 degrees. */
static const double LEVEL_COS = -0.34;
static const double ROUNDING = 1e-6;  /* m: corners are in single precision */
static const double PARALLEL = 1e-4;  /* rad: an edge turned by less bounds one size alone */
static const double BALL_ROOM = 1e-3; /* m: the capsule stays off what the ball about its end touches */
static const double MIN_PATCH = 0.01; /* m: narrower sides are no patches */
/* How far the end may stay above its ball's lowest point, of the radius. */
static const double BALL_FLOAT = 0.15;
/* A ball over a flat stub floats by that share where its centre is 0.85 / sqrt(1 - 0.85^2) of the rim's
   radius above the stub. The largest such ball, of the leg's length: a person's heel is twice as wide. */
static const double STUB_RISE = 1.614, STUB = 0.08;
/* The same of a creature on three legs or more, which has no other foot to stand on: the ball over the widest
   stub that is no sole, whose corners are sqrt(2) STUB and whose ball is sqrt(1 + 1.614^2) times that. */
static const double WIDE_STUB = 0.215;
/* A person's foot and the height of the ankle over its sole, of the leg's length from hip to ankle (Drillis
   and Contini: 0.152, 0.055 and 0.039 of a stature whose leg has 0.491); the heel's share of the foot behind
   it. */
static const double FOOT_LENGTH = 0.31, FOOT_WIDTH = 0.11, ANKLE_HEIGHT = 0.08, HEEL = 0.25;
enum { SOLE_JOINTS = 5 }; /* that lay a sole flat at a place */
enum { BALL_RINGS = 8, BALL_ROUNDS = 100, PATCH_STEPS = 200 };

static hf_vec3 body_centre(const hf_body* body) {
    hf_vec3 mean = {0};
    for (int i = 0; i < body->shape.vertex_count; i++) {
        mean = hf_add(mean,
                      hf_scale(hf_vertex(body->shape.vertices, (size_t)i), 1.0 / body->shape.vertex_count));
    }
    return hf_apply(body->in_link, mean);
}

/* Away from the limb's last joint that is not on the spot to the middle of the effector's bodies, in the
   effector link's frame. */
static hf_vec3 away(const hf_build* b, int effector) {
    hf_transform link = b->rest_links[effector];
    hf_vec3 centre = hf_v3(0, 0, 0);
    const hf_link* l = &b->links[effector];
    for (int i = 0; i < l->body_count; i++)
        centre = hf_add(centre, hf_scale(body_centre(&b->bodies[l->first_body + i]), 1.0 / l->body_count));
    hf_vec3 world = hf_apply(link, centre);
    for (int k = effector; k >= 0; k = b->links[k].parent_link) {
        hf_vec3 d = hf_sub(world, b->rest_links[k].position);
        bool moves = k == 0 || hf_joint_moves(&b->joints[b->links[k].joint]);
        if (moves && hf_length(d) > 0.01) return hf_unrotate(link.rotation, hf_normalize(d));
    }
    return hf_v3(0, 0, -1);
}

/* Where the limb's end looks, in the effector link's frame: legs down, others away from their last joint, and
   so do legs that are stretched out level at rest. */
static hf_vec3 outward(const hf_build* b, const hf_limb_plan* limb) {
    hf_vec3 last = away(b, limb->effector);
    hf_vec3 along = hf_sub(b->rest_links[limb->effector].position, b->rest_links[limb->root].position);
    bool down = along.z < LEVEL_COS * hf_length(along) ||
                hf_rotate(b->rest_links[limb->effector].rotation, last).z < LEVEL_COS;
    if (limb->kind != HF_LIMB_LEG || !down) return last;
    return hf_unrotate(b->rest_links[limb->effector].rotation, hf_v3(0, 0, -1));
}

static double component(hf_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static hf_vec3 unit_axis(int axis) { return hf_v3(axis == 0, axis == 1, axis == 2); }

static int main_axis(hf_vec3 v) {
    return fabs(v.x) >= fabs(v.y) && fabs(v.x) >= fabs(v.z) ? 0 : fabs(v.y) >= fabs(v.z) ? 1 : 2;
}

/* ------------------------------------------------------------------------------------ points of bodies */

typedef struct point {
    float at[3];
} point;

typedef struct cloud {
    point* points; /* in the effector link */
    int count, capacity;
    hf_vec3 out;      /* where the limb's end looks */
    hf_vec3 round_at; /* the centre of the ball of a sphere or capsule that reaches farthest there, and its */
    double round;     /* radius, m; 0: there is none */
} cloud;

static bool add_point(cloud* c, hf_vec3 p) {
    if (!HF_GROW(c->points, c->capacity, c->count)) return false;
    c->points[c->count++] = (point){{(float)p.x, (float)p.y, (float)p.z}};
    return true;
}

/* A net of points on a ball. */
static bool add_ball(cloud* c, hf_vec3 centre, double radius) {
    double farther = hf_dot(hf_sub(centre, c->round_at), c->out) + radius - c->round;
    if (!(c->round > 0) || farther > 0) c->round_at = centre, c->round = radius;
    for (int i = 0; i <= BALL_RINGS; i++)
        for (int k = 0; k < 2 * BALL_RINGS; k++) {
            double rise = M_PI * i / BALL_RINGS, turn = M_PI * k / BALL_RINGS;
            hf_vec3 d = hf_v3(hf_sin(rise) * hf_cos(turn), hf_sin(rise) * hf_sin(turn), hf_cos(rise));
            if (!add_point(c, hf_add(centre, hf_scale(d, radius)))) return false;
        }
    return true;
}

static bool add_box(cloud* c, hf_transform at, hf_vec3 half) {
    for (int i = 0; i < 8; i++) {
        hf_vec3 p = hf_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        if (!add_point(c, hf_apply(at, p))) return false;
    }
    return true;
}

/* The surface of a body, `at` in the effector link. */
static bool add_body(cloud* c, const hf_shape* s, hf_transform at) {
    bool good = true;
    if (s->kind == HF_SHAPE_BOX) return add_box(c, at, s->half_size);
    for (int i = 0; i < s->vertex_count && s->kind == HF_SHAPE_HULL && good; i++) {
        good = add_point(c, hf_apply(at, hf_vertex(s->vertices, (size_t)i)));
    }
    if (s->kind == HF_SHAPE_SPHERE) good = add_ball(c, at.position, s->radius);
    for (int end = -1; end <= 1 && s->kind == HF_SHAPE_CAPSULE && good; end += 2)
        good = add_ball(c, hf_apply(at, hf_v3(0, 0, end * s->half_length)), s->radius);
    return good;
}

/* The bodies of the effector and of links that are fixed to it. */
static bool collect(const hf_build* b, int effector, cloud* c, const hf_body** only) {
    int bodies = 0;
    for (int l = effector; l < b->creature->view.link_count; l++) {
        int k = l;
        while (k > effector && !hf_joint_moves(&b->joints[b->links[k].joint])) k = b->links[k].parent_link;
        if (k != effector) continue;
        hf_transform in_effector = hf_compose(hf_inverse(b->rest_links[effector]), b->rest_links[l]);
        for (int i = b->links[l].first_body; i < b->links[l].first_body + b->links[l].body_count; i++) {
            const hf_body* body = &b->bodies[i];
            *only = bodies++ == 0 && l == effector ? body : NULL;
            if (!add_body(c, &body->shape, hf_compose(in_effector, body->in_link))) return false;
        }
    }
    return true;
}

static hf_vec3 point_of(const float* points, int i) {
    const float* p = points + 3 * (size_t)i;
    return hf_v3(p[0], p[1], p[2]);
}

/* ------------------------------------------------------------------------------------------- flat sides */

/* Twice the area of a triangle of the hull times its unit normal. */
static hf_vec3 facet(const hf_mesh* hull, int t) {
    const uint32_t* k = hull->indices + 3 * (size_t)t;
    hf_vec3 a = point_of(hull->vertices, (int)k[0]);
    return hf_cross(hf_sub(point_of(hull->vertices, (int)k[1]), a),
                    hf_sub(point_of(hull->vertices, (int)k[2]), a));
}

/* The sum of the facets that lie in one plane with facet t; they are marked. */
static hf_vec3 side_of(const hf_mesh* hull, int t, bool* done) {
    hf_vec3 n = hf_normalize(facet(hull, t)), sum = {0};
    double level = hf_dot(point_of(hull->vertices, (int)hull->indices[3 * (size_t)t]), n);
    for (int i = 0; i < hull->triangle_count; i++) {
        hf_vec3 f = facet(hull, i), corner = point_of(hull->vertices, (int)hull->indices[3 * (size_t)i]);
        if (hf_dot(f, n) < FLAT_COS * hf_length(f) || fabs(hf_dot(corner, n) - level) > FLAT_DEPTH) continue;
        sum = hf_add(sum, f);
        done[i] = true;
    }
    done[t] = true;
    return sum;
}

/* The largest facet that looks outwards and belongs to no side yet, -1 for none; `left` is the area of all of
   them. */
static int next_facet(const hf_mesh* hull, hf_vec3 out, const bool* done, double* left) {
    int best = -1;
    double most = 0;
    *left = 0;
    for (int t = 0; t < hull->triangle_count; t++) {
        hf_vec3 f = facet(hull, t);
        double area = hf_length(f);
        if (done[t] || !(area > 0) || hf_dot(f, out) < OUTWARD_COS * area) continue;
        *left += area;
        if (area > most) most = area, best = t;
    }
    return best;
}

/* The direction of the largest flat side that looks outwards; false where the end is round or pointed. */
static bool find_side(const hf_mesh* hull, hf_vec3 out, bool* done, hf_vec3* normal) {
    double most = 0, shadow = 0, left;
    for (int t; (t = next_facet(hull, out, done, &left)) >= 0 && left > most;) {
        hf_vec3 sum = side_of(hull, t, done);
        if (hf_length(sum) > most) most = hf_length(sum), *normal = hf_normalize(sum);
    }
    for (int t = 0; t < hull->triangle_count && most > 0; t++)
        shadow += fmax(0, hf_dot(facet(hull, t), *normal));
    return most > 0 && most >= FLAT_SHARE * shadow;
}

/* A place in the plane of a side: coordinates along the patch's two sides. */
typedef struct spot {
    double u, v;
} spot;

static int by_place(const void* a, const void* b) {
    const spot *x = a, *y = b;
    if (x->u != y->u) return x->u < y->u ? -1 : 1;
    return x->v != y->v ? (x->v < y->v ? -1 : 1) : 0;
}

static double turn(spot a, spot b, spot c) { return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u); }

/* The convex outline of the spots, counter-clockwise (Andrew's monotone chain). `out` has room for twice as
   many. */
static int outline(spot* spots, int count, spot* out) {
    qsort(spots, (size_t)count, sizeof *spots, by_place);
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        int least = n + 1;
        for (int i = 0; i < count; i++) {
            spot s = spots[pass ? count - 1 - i : i];
            while (n > least && turn(out[n - 2], out[n - 1], s) <= 0) n--;
            out[n++] = s;
        }
        n--; /* The last one is the first of the other chain. */
    }
    return n;
}

/* The largest rectangle about the middle that the outline holds: half sizes. Each edge of the outline bounds
   the second size for a given first one. */
static void inscribe(const spot* line, int count, spot middle, double widest, double half[2]) {
    half[0] = half[1] = 0;
    for (int i = 1; i <= PATCH_STEPS; i++) {
        double a = widest * i / PATCH_STEPS, b = INFINITY;
        for (int k = 0; k < count; k++) {
            spot from = line[k], to = line[(k + 1) % count];
            double x = to.v - from.v, y = from.u - to.u; /* outwards */
            double room = x * (from.u - middle.u) + y * (from.v - middle.v) - a * fabs(x);
            double length = sqrt(x * x + y * y);
            if (room < -ROUNDING * length) b = 0;
            if (fabs(y) > PARALLEL * length) b = fmin(b, fmax(room, 0) / fabs(y));
        }
        if (isfinite(b) && a * b > half[0] * half[1]) half[0] = a, half[1] = b;
    }
}

/* The directions of a patch: the link's axes beside the one nearest to the normal, laid into the plane. */
static void patch_sides(hf_vec3 normal, hf_vec3 sides[2]) {
    for (int k = 0, next = 0; k < 3; k++)
        if (k != main_axis(normal))
            sides[next++] = hf_normalize(hf_sub(unit_axis(k), hf_scale(normal, component(normal, k))));
}

/* The patch on a flat side: the largest rectangle about the middle of the side's outline. */
static bool side_contact(const hf_mesh* hull, hf_vec3 normal, spot* spots, hf_contact_frame* frame) {
    hf_vec3 side[2], low = {INFINITY, INFINITY, 0}, high = {-INFINITY, -INFINITY, 0};
    double far = -INFINITY, half[2];
    int count = 0;
    patch_sides(normal, side);
    double skew = hf_dot(side[0], side[1]), scale = 1 / (1 - skew * skew);
    for (int i = 0; i < hull->vertex_count; i++) far = fmax(far, hf_dot(point_of(hull->vertices, i), normal));
    for (int i = 0; i < hull->vertex_count; i++) {
        hf_vec3 p = point_of(hull->vertices, i);
        if (hf_dot(p, normal) < far - TOUCH_DEPTH) continue;
        double x = hf_dot(p, side[0]), y = hf_dot(p, side[1]);
        spot s = {(x - skew * y) * scale, (y - skew * x) * scale};
        spots[count++] = s;
        low = hf_v3(fmin(low.x, s.u), fmin(low.y, s.v), 0);
        high = hf_v3(fmax(high.x, s.u), fmax(high.y, s.v), 0);
    }
    spot middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
    int corners = outline(spots, count, spots + hull->vertex_count);
    inscribe(spots + hull->vertex_count, corners, middle, (high.x - low.x) / 2, half);
    if (fmin(half[0], half[1]) < MIN_PATCH / 2) return false;
    frame->normal = normal;
    frame->offset =
        hf_add(hf_scale(normal, far), hf_add(hf_scale(side[0], middle.u), hf_scale(side[1], middle.v)));
    frame->patch[0] = 2 * half[0], frame->patch[1] = 2 * half[1];
    return true;
}

/* ------------------------------------------------------------------------------------------ round ends */

/* The ball about the points within `depth` of the end: a step towards the farthest point, shorter from round
   to round (Badoiu and Clarkson). */
static double enclose(const hf_mesh* hull, hf_vec3 out, double far, double depth, hf_vec3* centre) {
    double radius = 0;
    bool begun = false;
    for (int round = 0; round < BALL_ROUNDS; round++) {
        hf_vec3 farthest = *centre;
        radius = 0;
        for (int i = 0; i < hull->vertex_count; i++) {
            hf_vec3 p = point_of(hull->vertices, i);
            if (hf_dot(p, out) < far - depth) continue;
            if (!begun) farthest = *centre = p, begun = true;
            if (hf_distance(p, *centre) > radius) radius = hf_distance(p, *centre), farthest = p;
        }
        if (round + 1 < BALL_ROUNDS)
            *centre = hf_add(*centre, hf_scale(hf_sub(farthest, *centre), 1.0 / (round + 2)));
    }
    return radius;
}

/* Raises the centre of the ball about the end until the end hardly floats in the ball; returns its radius. */
static double raise_ball(const hf_mesh* hull, hf_vec3 out, double far, double depth, hf_vec3* centre) {
    double rise = 0, radius = 0;
    for (int i = 0; i < hull->vertex_count; i++) {
        hf_vec3 p = hf_sub(point_of(hull->vertices, i), *centre);
        double along = hf_dot(p, out), aside = hf_length(hf_sub(p, hf_scale(out, along)));
        if (along + hf_dot(*centre, out) >= far - depth) rise = fmax(rise, STUB_RISE * aside - along);
    }
    *centre = hf_sub(*centre, hf_scale(out, rise));
    for (int i = 0; i < hull->vertex_count; i++) {
        hf_vec3 p = point_of(hull->vertices, i);
        if (hf_dot(p, out) >= far - depth) radius = fmax(radius, hf_distance(p, *centre));
    }
    return radius;
}

/* How far the hull reaches along a direction, and how far it begins. */
static void extent(const hf_mesh* hull, hf_vec3 out, double* near, double* far) {
    *near = INFINITY, *far = -INFINITY;
    for (int i = 0; i < hull->vertex_count; i++) {
        double along = hf_dot(point_of(hull->vertices, i), out);
        *far = fmax(*far, along), *near = fmin(*near, along);
    }
}

/* A ball about the end as deep as the ball is large; false where the end floats in it or is a point. With
   `most` > 0 an end that floats gets the ball that lets it roll over its rim, if its radius is no more. */
static bool ball_contact(const hf_mesh* hull, hf_vec3 out, double most, hf_contact_frame* frame) {
    double far, near;
    extent(hull, out, &near, &far);
    hf_vec3 centre = {0};
    double depth = far - near, radius = enclose(hull, out, far, depth, &centre);
    for (int i = 0; i < BALL_RINGS && radius < depth; i++) {
        depth = radius;
        radius = enclose(hull, out, far, depth, &centre);
    }
    double floats = radius - (far - hf_dot(centre, out));
    if (most > 0 && floats > BALL_FLOAT * radius) {
        radius = raise_ball(hull, out, far, depth, &centre);
        if (radius > most) return false;
        floats = 0;
    }
    if (!(radius >= MIN_PATCH / 2) || floats > BALL_FLOAT * radius) return false;
    frame->offset = centre;
    frame->ball = radius;
    return true;
}

/* The farthest point, in the middle where several are as far. */
static void point_contact(const hf_mesh* hull, hf_vec3 out, hf_contact_frame* frame) {
    hf_vec3 sum = {0};
    double far = -INFINITY;
    int count = 0;
    for (int i = 0; i < hull->vertex_count; i++) far = fmax(far, hf_dot(point_of(hull->vertices, i), out));
    for (int i = 0; i < hull->vertex_count; i++) {
        hf_vec3 p = point_of(hull->vertices, i);
        if (hf_dot(p, out) < far - FLAT_DEPTH) continue;
        sum = hf_add(sum, p);
        count++;
    }
    hf_vec3 centre = hf_scale(sum, 1.0 / count);
    frame->offset = hf_add(centre, hf_scale(out, far - hf_dot(centre, out)));
}

/* A leg that cannot lay a sole flat: its length from the first joint to the last, m (0: another limb), the
   direction of its end, and whether it is one of two. */
typedef struct stub_leg {
    double leg;
    hf_vec3 away;
    bool two;
} stub_leg;

static hf_status hull_contact(hf_build* b, const hf_mesh* hull, hf_vec3 out, const stub_leg* stub,
                              hf_contact_frame* frame) {
    bool* done = hf_build_scratch(b, (size_t)hull->triangle_count, sizeof *done);
    spot* spots = hf_build_scratch(b, 3 * (size_t)hull->vertex_count, sizeof *spots);
    if (!done || !spots) return hf_build_fail_memory(b);
    hf_vec3 side = out;
    hf_contact_frame round = *frame;
    bool flat = find_side(hull, out, done, &side) && side_contact(hull, side, spots, frame);
    double near, far;
    extent(hull, stub->away, &near, &far);
    double long_as = stub->two ? stub->leg : stub->leg + far; // what a sole is compared with
    bool narrow = stub->leg > 0 && (!flat || fmax(frame->patch[0], frame->patch[1]) < 2 * STUB * long_as);
    if (flat && !narrow) return HF_OK;
    double most = (stub->two ? STUB : WIDE_STUB) * (stub->leg + far);
    if (ball_contact(hull, out, 0, &round) || (narrow && ball_contact(hull, stub->away, most, &round)))
        *frame = round;
    else if (!flat)
        point_contact(hull, out, frame);
    return HF_OK;
}

/* Does the end consist of one ball, in which everything is that lies farther out than its centre? That ball
   is exact, however small; the net of points on it is not. */
static bool ends_in_ball(const cloud* c) {
    for (int i = 0; i < c->count; i++) {
        hf_vec3 off = hf_sub(point_of(c->points[i].at, 0), c->round_at);
        if (hf_dot(off, c->out) > 0 && hf_length(off) > c->round + ROUNDING) return false;
    }
    return c->round > 0;
}

/* A capsule that stands ends in a ball; one that lies touches with its side. */
static void capsule_contact(const hf_body* body, hf_vec3 out, hf_contact_frame* frame) {
    hf_vec3 axis = hf_rotate(body->in_link.rotation, hf_v3(0, 0, 1));
    double along = hf_dot(axis, out);
    if (fabs(along) < 0.5) {
        frame->normal = hf_normalize(hf_sub(out, hf_scale(axis, along)));
        frame->offset = hf_add(body->in_link.position, hf_scale(frame->normal, body->shape.radius));
        return;
    }
    frame->ball = body->shape.radius;
    frame->offset = hf_add(body->in_link.position,
                           hf_scale(axis, along > 0 ? body->shape.half_length : -body->shape.half_length));
}

static int joints_of(const hf_build* b, const hf_limb_plan* limb) {
    int count = 0;
    for (int l = limb->effector; l >= limb->root && l > 0; l = b->links[l].parent_link)
        count += hf_joint_free(&b->joints[b->links[l].joint]);
    return count;
}

/* From the first joint to the last, slides as long as they get, m. */
static double length_of(const hf_build* b, const hf_limb_plan* limb) {
    double length = 0;
    for (int l = limb->effector; l > limb->root; l = b->links[l].parent_link) {
        const hf_joint* j = &b->joints[b->links[l].joint];
        length += hf_length(j->origin.position);
        if (j->type == HF_JOINT_PRISMATIC) length += fmax(fabs(j->lower), fabs(j->upper));
    }
    return length;
}

/* One ball or capsule is exact as it is, and so is a ball at the end of several bodies; all other bodies are
   taken by their common hull. */
static hf_status body_contact(hf_build* b, const hf_body* only, const cloud* c, hf_vec3 out,
                              const stub_leg* stub, hf_contact_frame* frame) {
    if (only && only->shape.kind == HF_SHAPE_SPHERE) {
        frame->offset = only->in_link.position;
        frame->ball = only->shape.radius;
        return HF_OK;
    }
    if (only && only->shape.kind == HF_SHAPE_CAPSULE) {
        capsule_contact(only, out, frame);
        return HF_OK;
    }
    if (ends_in_ball(c)) {
        frame->offset = c->round_at;
        frame->ball = c->round;
        return HF_OK;
    }
    hf_mesh hull = {0};
    hf_error why = {0};
    hf_status status = hf_hull_build(c->points[0].at, c->count, &hull, &why);
    if (status == HF_ERROR_FORMAT) return HF_OK; /* without volume: the link's origin */
    if (status == HF_OK) status = hull_contact(b, &hull, out, stub, frame);
    hf_mesh_free(&hull);
    return status == HF_ERROR_MEMORY ? hf_build_fail_memory(b) : status;
}

/* ------------------------------------------------------------------------------------------- no bodies */

/* The foot of a creature on two legs: a person's, by the leg's length from hip to ankle, its heel behind the
   ankle and its toes where the creature looks. */
static hf_status sole_contact(hf_build* b, const hf_limb_plan* limb, hf_vec3 out, hf_contact_frame* frame) {
    hf_transform ankle = b->rest_links[limb->effector];
    double leg = length_of(b, limb), facing = b->creature->view.facing,
           size[2] = {FOOT_LENGTH * leg, FOOT_WIDTH * leg};
    hf_vec3 ahead = hf_unrotate(ankle.rotation, hf_v3(hf_cos(facing), hf_sin(facing), 0)), sides[2];
    patch_sides(out, sides);
    bool first = fabs(hf_dot(sides[0], ahead)) >= fabs(hf_dot(sides[1], ahead));
    frame->patch[0] = size[!first], frame->patch[1] = size[first];
    frame->offset = hf_add(hf_scale(out, ANKLE_HEIGHT * leg), hf_scale(ahead, (0.5 - HEEL) * size[0]));
    return hf_build_warn(b, "%s ends in link \"%s\", which has no geometry: it gets a sole of %.0f x %.0f mm",
                         limb->name, b->links[limb->effector].name, size[0] * 1000, size[1] * 1000);
}

/* The link before the end of a limb; wrists of several joints at one place have links without length between.
 */
static int link_before(const hf_build* b, const hf_limb_plan* limb) {
    int link = limb->effector, before = b->links[link].parent_link;
    while (before > limb->root && b->links[before].body_count == 0 &&
           hf_length(b->joints[b->links[link].joint].origin.position) < MIN_PATCH)
        link = before, before = b->links[link].parent_link;
    return before;
}

/* An end without a body: the sole of a leg that can lay one flat; else the round end of the capsule that was
   made up for the link before it; else the link's origin. */
static hf_status bare_contact(hf_build* b, const hf_limb_plan* limb, int legs, hf_vec3 out,
                              hf_contact_frame* frame) {
    int before = link_before(b, limb);
    if (limb->kind == HF_LIMB_LEG && legs == 2 && joints_of(b, limb) >= SOLE_JOINTS)
        return sole_contact(b, limb, out, frame);
    for (int i = 0; before >= 0 && i < b->links[before].body_count && b->gap_body[before]; i++)
        frame->ball = b->bodies[b->links[before].first_body + i].shape.radius + BALL_ROOM;
    return HF_OK;
}

hf_status hf_default_contact(hf_build* b, const hf_limb_plan* limb, int legs, hf_contact_frame* frame) {
    hf_vec3 out = outward(b, limb);
    const hf_body* only = NULL;
    cloud c = {.out = out};
    frame->link = limb->effector;
    frame->normal = out;
    bool lays = limb->kind != HF_LIMB_LEG || joints_of(b, limb) >= SOLE_JOINTS;
    stub_leg stub = {lays ? 0 : length_of(b, limb), away(b, limb->effector), legs == 2};
    hf_status status = collect(b, limb->effector, &c, &only) ? HF_OK : hf_build_fail_memory(b);
    if (status == HF_OK)
        status = c.count > 0 ? body_contact(b, only, &c, out, &stub, frame)
                             : bare_contact(b, limb, legs, out, frame);
    hf_free(c.points);
    bool flat = frame->patch[0] > 0;
    frame->name = limb->kind == HF_LIMB_LEG   ? (flat ? "sole" : "foot")
                  : limb->kind == HF_LIMB_ARM ? "hand"
                                              : "tip";
    return status;
}
