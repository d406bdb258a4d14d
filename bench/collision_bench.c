/* Capsules of the size of human limbs against scenes of triangles, ours and FCL's; what both are told is
   checked against a plain loop over all triangles in double. */
#include "bench.h"
#include "peer_fcl.h"
#include "base/random.h"

#include <holdfast/scene.h>
#include <stdio.h>
#include <stdlib.h>

enum { TESTS = 6000, MAX_BOXES = 2200, POINTS = 2000 };

typedef struct draft {
    float* vertices;
    uint32_t* indices;
    int vertex_count, triangle_count;
} draft;

static void add_box(draft* d, hf_transform pose, hf_vec3 half, bool inward) {
    static const unsigned char face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                              {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                              {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int i = 0; i < 12; i++, d->triangle_count++)
        for (int k = 0; k < 3; k++)
            d->indices[3 * d->triangle_count + k] = (uint32_t)d->vertex_count + face[i][inward ? 2 - k : k];
    for (int i = 0; i < 8; i++, d->vertex_count++) {
        hf_vec3 p = hf_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        p = hf_apply(pose, p);
        float* v = d->vertices + 3 * d->vertex_count;
        v[0] = (float)p.x, v[1] = (float)p.y, v[2] = (float)p.z;
    }
}

static draft draft_make(void) {
    draft d = {.vertices = calloc(24 * MAX_BOXES, sizeof(float)),
               .indices = calloc(36 * MAX_BOXES, sizeof(uint32_t))};
    return d;
}

static hf_transform at(double x, double y, double z) {
    return (hf_transform){hf_v3(x, y, z), hf_quat_identity()};
}

static hf_quat random_turn(hf_random* r) {
    hf_vec3 axis;
    do axis = hf_v3(hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1));
    while (hf_dot(axis, axis) > 1 || hf_dot(axis, axis) < 0.01);
    return hf_quat_axis_angle(hf_normalize(axis), hf_random_between(r, 0, 3.14));
}

/* Rubble: 2,165 blocks of 10 to 50 cm heaped on a slab of 12 m, and the slab: 25,992 triangles. */
static draft make_rubble(void) {
    draft d = draft_make();
    hf_random r = hf_random_start(26, 0, 0);
    add_box(&d, at(0, 0, -0.1), hf_v3(6, 6, 0.1), false);
    for (int i = 0; i < 2165; i++) {
        double x = hf_random_between(&r, -5.8, 5.8), y = hf_random_between(&r, -5.8, 5.8);
        double heap = 0.6 + 0.5 * sin(x) * cos(1.3 * y);
        hf_transform pose = {hf_v3(x, y, heap * hf_random_unit(&r)), random_turn(&r)};
        add_box(&d, pose,
                hf_v3(hf_random_between(&r, 0.05, 0.25), hf_random_between(&r, 0.05, 0.2),
                      hf_random_between(&r, 0.03, 0.15)),
                false);
    }
    return d;
}

/* A room of 5 by 4 m seen from inside, with a table, two chairs, a cupboard, a step and an open lampshade of
   four triangles: 100 triangles. */
static draft make_room(void) {
    draft d = draft_make();
    add_box(&d, at(0, 0, 1.25), hf_v3(2.5, 2, 1.25), true);
    add_box(&d, at(0.5, 0.3, 0.72), hf_v3(0.7, 0.4, 0.02), false);
    add_box(&d, at(0.5, 0.3, 0.35), hf_v3(0.08, 0.08, 0.35), false);
    add_box(&d, at(-0.5, 0.3, 0.44), hf_v3(0.22, 0.22, 0.02), false);
    add_box(&d, at(-0.7, 0.3, 0.7), hf_v3(0.02, 0.22, 0.25), false);
    add_box(&d, at(1.5, 0.3, 0.44), hf_v3(0.22, 0.22, 0.02), false);
    add_box(&d, at(2.2, -1.2, 1.0), hf_v3(0.25, 0.6, 1.0), false);
    add_box(&d, at(-1.8, -1.4, 0.15), hf_v3(0.6, 0.5, 0.15), false);
    static const float shade[5][3] = {
        {0.5f, 0.3f, 2.2f}, {0.2f, 0, 2}, {0.8f, 0, 2}, {0.8f, 0.6f, 2}, {0.2f, 0.6f, 2}};
    for (uint32_t t = 0; t < 4; t++, d.triangle_count++) {
        const uint32_t corner[3] = {0, 1 + t, 1 + (t + 1) % 4};
        for (int k = 0; k < 3; k++)
            d.indices[3 * d.triangle_count + k] = (uint32_t)d.vertex_count + corner[k];
    }
    for (int i = 0; i < 5; i++, d.vertex_count++)
        for (int k = 0; k < 3; k++) d.vertices[3 * d.vertex_count + k] = shade[i][k];
    return d;
}

typedef struct trial {
    hf_shape shape;
    hf_transform pose;
    bool answer; /* ours */
} trial;

typedef struct arena {
    draft d;
    hf_scene* scene;
    hf_placement* placement;
    peer_fcl* peer;
    trial* trials;
} arena;

static bool arena_make(arena* a, draft d) {
    hf_object_def def = hf_object_def_default();
    hf_error error;
    *a = (arena){.d = d, .trials = calloc(TESTS, sizeof(trial))};
    def.name = "scene";
    def.mesh = (hf_mesh){d.vertex_count, d.triangle_count, d.vertices, d.indices};
    if (hf_scene_build(&def, 1, &a->scene, &error) || hf_placement_create(a->scene, &a->placement))
        return false;
    a->peer = peer_fcl_build(d.vertices, d.vertex_count, d.indices, d.triangle_count);
    return true;
}

static void arena_free(arena* a) {
    peer_fcl_free(a->peer);
    hf_placement_free(a->placement);
    hf_scene_free(a->scene);
    free(a->trials);
    free(a->d.vertices);
    free(a->d.indices);
}

/* A third of the capsules collide, a third are within 10 cm of a surface, a third are anywhere free. */
static void choose_trials(arena* a, hf_vec3 low, hf_vec3 high) {
    hf_random r = hf_random_start(7, 1, 0);
    hf_allowance allowance = hf_allowance_default();
    int made[3] = {0, 0, 0};
    for (int n = 0; n < TESTS;) {
        trial t = {.shape = {.kind = HF_SHAPE_CAPSULE}};
        t.shape.radius = hf_random_between(&r, 0.035, 0.08);
        t.shape.half_length = hf_random_between(&r, 0.08, 0.23);
        t.pose.position = hf_v3(hf_random_between(&r, low.x, high.x), hf_random_between(&r, low.y, high.y),
                                hf_random_between(&r, low.z, high.z));
        t.pose.rotation = random_turn(&r);
        bool hit = hf_placement_overlap(a->placement, &t.shape, t.pose, &allowance, NULL);
        int kind = hit ? 0 : hf_placement_distance(a->placement, &t.shape, t.pose, 0.1, NULL) ? 1 : 2;
        if (made[kind] >= TESTS / 3) continue;
        made[kind]++;
        a->trials[n++] = t;
    }
}

static void run_ours(arena* a) {
    hf_allowance allowance = hf_allowance_default();
    for (int i = 0; i < TESTS; i++)
        a->trials[i].answer =
            hf_placement_overlap(a->placement, &a->trials[i].shape, a->trials[i].pose, &allowance, NULL);
}

static int run_peer(const arena* a) {
    int hits = 0;
    for (int i = 0; i < TESTS; i++) {
        const hf_transform* t = &a->trials[i].pose;
        const hf_shape* s = &a->trials[i].shape;
        const double pose[7] = {t->position.x, t->position.y, t->position.z, t->rotation.w,
                                t->rotation.x, t->rotation.y, t->rotation.z};
        hits += peer_fcl_capsule(a->peer, s->radius - hf_allowance_default().depth, s->half_length, pose);
    }
    return hits;
}

/* Microseconds for each capsule: both in turns, each one's best of as many rounds. */
static void time_both(arena* a, double* ours, double* peer) {
    *ours = *peer = INFINITY;
    int hits = 0;
    for (int round = 0; round < 10; round++) {
        double start = bench_now();
        run_ours(a);
        double middle = bench_now();
        hits = run_peer(a);
        *ours = fmin(*ours, (middle - start) / TESTS * 1e6);
        *peer = fmin(*peer, (bench_now() - middle) / TESTS * 1e6);
    }
    fprintf(stderr, "FCL: %d of %d collide\n", hits, TESTS);
}

/* ---- the plain loop ---- */

static hf_vec3 vertex(const draft* d, int triangle, int corner) {
    const float* v = d->vertices + 3 * d->indices[3 * triangle + corner];
    return hf_v3((double)v[0], (double)v[1], (double)v[2]);
}

static double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static double segments(hf_vec3 p, hf_vec3 q, hf_vec3 a, hf_vec3 b) {
    hf_vec3 d = hf_sub(q, p), e = hf_sub(b, a), r = hf_sub(p, a);
    double dd = hf_dot(d, d), ee = hf_dot(e, e), de = hf_dot(d, e), dr = hf_dot(d, r), er = hf_dot(e, r);
    double denominator = dd * ee - de * de;
    double s = denominator > 1e-15 * dd * ee ? clamp01((de * er - dr * ee) / denominator) : 0;
    double t = clamp01((de * s + er) / ee);
    s = clamp01((de * t - dr) / dd);
    return hf_distance(hf_add(p, hf_scale(d, s)), hf_add(a, hf_scale(e, t)));
}

static bool over(hf_vec3 p, const hf_vec3 v[3], hf_vec3 n) {
    for (int k = 0; k < 3; k++)
        if (hf_dot(n, hf_cross(hf_sub(v[(k + 1) % 3], v[k]), hf_sub(p, v[k]))) < 0) return false;
    return true;
}

static double segment_triangle(hf_vec3 p, hf_vec3 q, const hf_vec3 v[3]) {
    hf_vec3 n = hf_normalize(hf_cross(hf_sub(v[1], v[0]), hf_sub(v[2], v[0])));
    double dp = hf_dot(n, hf_sub(p, v[0])), dq = hf_dot(n, hf_sub(q, v[0])), best = INFINITY;
    if (dp * dq < 0 && over(hf_lerp(p, q, dp / (dp - dq)), v, n)) return 0;
    if (over(p, v, n)) best = fabs(dp);
    if (over(q, v, n)) best = fmin(best, fabs(dq));
    for (int k = 0; k < 3; k++) best = fmin(best, segments(p, q, v[k], v[(k + 1) % 3]));
    return best;
}

/* Least distance of the capsule's segment from any triangle, as far as it matters. */
static double plain_distance(const draft* d, hf_vec3 p, hf_vec3 q, double matters) {
    double best = INFINITY;
    hf_vec3 c = hf_lerp(p, q, 0.5);
    double reach = hf_distance(p, q) / 2 + matters;
    for (int t = 0; t < d->triangle_count; t++) {
        hf_vec3 v[3] = {vertex(d, t, 0), vertex(d, t, 1), vertex(d, t, 2)};
        if (fmin(v[0].x, fmin(v[1].x, v[2].x)) > c.x + reach ||
            fmax(v[0].x, fmax(v[1].x, v[2].x)) < c.x - reach ||
            fmin(v[0].y, fmin(v[1].y, v[2].y)) > c.y + reach ||
            fmax(v[0].y, fmax(v[1].y, v[2].y)) < c.y - reach)
            continue;
        best = fmin(best, segment_triangle(p, q, v));
    }
    return best;
}

static double solid_angle(hf_vec3 p, const hf_vec3 w[3]) {
    hf_vec3 a = hf_normalize(hf_sub(w[0], p)), b = hf_normalize(hf_sub(w[1], p)),
            c = hf_normalize(hf_sub(w[2], p));
    return 2 * atan2(hf_dot(a, hf_cross(b, c)), 1 + hf_dot(a, b) + hf_dot(b, c) + hf_dot(c, a));
}

/* Every twelve triangles on eight vertices are a closed box: outward ones hold matter. */
static bool plain_inside(const draft* d, hf_vec3 p) {
    for (int box = 0; 12 * box + 12 <= d->triangle_count; box++) {
        const double x[3] = {p.x, p.y, p.z};
        int below[3] = {0, 0, 0};
        for (int i = 0; i < 24; i++) below[i % 3] += (double)d->vertices[24 * box + i] < x[i % 3];
        if (below[0] % 8 == 0 || below[1] % 8 == 0 || below[2] % 8 == 0) continue; // beside it
        double sum = 0;
        for (int t = 12 * box; t < 12 * box + 12; t++) {
            hf_vec3 v[3] = {vertex(d, t, 0), vertex(d, t, 1), vertex(d, t, 2)};
            sum += solid_angle(p, v);
        }
        if (sum > 6) return true;
    }
    return false;
}

/* Share of capsules on which the plain loop agrees, where the distance is not within 1e-6 m of the limit. */
static double agreement(const arena* a) {
    int agreed = 0, counted = 0;
    for (int i = 0; i < TESTS; i++) {
        const trial* t = &a->trials[i];
        hf_vec3 e = hf_rotate(t->pose.rotation, hf_v3(0, 0, t->shape.half_length));
        double limit = t->shape.radius - hf_allowance_default().depth;
        double d =
            plain_distance(&a->d, hf_sub(t->pose.position, e), hf_add(t->pose.position, e), limit + 0.01);
        if (fabs(d - limit) <= 1e-6) continue;
        bool expected = d < limit || plain_inside(&a->d, t->pose.position);
        counted++, agreed += expected == t->answer;
    }
    fprintf(stderr, "plain loop: %d of %d capsules disagree\n", counted - agreed, counted);
    return agreed == counted ? 100 : 100.0 * agreed / counted;
}

/* First hit of a ray by a plain loop (Moeller and Trumbore 1997). */
static double plain_ray(const draft* m, hf_vec3 o, hf_vec3 d) {
    double best = INFINITY;
    for (int t = 0; t < m->triangle_count; t++) {
        hf_vec3 a = vertex(m, t, 0), e = hf_sub(vertex(m, t, 1), a), f = hf_sub(vertex(m, t, 2), a);
        hf_vec3 p = hf_cross(d, f), s = hf_sub(o, a), q = hf_cross(s, e);
        double per = 1 / hf_dot(e, p), u = hf_dot(s, p) * per, v = hf_dot(d, q) * per;
        if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
        double along = hf_dot(f, q) * per;
        if (along >= 0 && along < best) best = along;
    }
    return best;
}

static void bench_points(const arena* a, hf_vec3 low, hf_vec3 high) {
    hf_random r = hf_random_start(9, 2, 0);
    static hf_vec3 p[POINTS], d[POINTS];
    for (int i = 0; i < POINTS; i++) {
        p[i] = hf_v3(hf_random_between(&r, low.x, high.x), hf_random_between(&r, low.y, high.y),
                     hf_random_between(&r, low.z, high.z));
        d[i] = hf_rotate(random_turn(&r), hf_v3(0, 0, 1));
    }
    double ours = INFINITY, rays = INFINITY, worst = 0;
    hf_surface s;
    static double ours_distance[POINTS];
    for (int round = 0; round < 7; round++) {
        double start = bench_now();
        for (int i = 0; i < POINTS; i++)
            ours_distance[i] = hf_placement_closest(a->placement, p[i], INFINITY, &s) ? s.distance : -1;
        ours = fmin(ours, bench_now() - start);
        start = bench_now();
        for (int i = 0; i < POINTS; i++) hf_placement_ray(a->placement, p[i], d[i], INFINITY, &s);
        rays = fmin(rays, bench_now() - start);
    }
    double start = bench_now();
    for (int i = 0; i < POINTS / 4; i++) {
        const double x[3] = {p[i].x, p[i].y, p[i].z};
        worst = fmax(worst, fabs(peer_fcl_point(a->peer, x) - ours_distance[i]));
    }
    double peer = (bench_now() - start) * 4;
    fprintf(stderr, "closest point: largest difference from FCL %.3g m\n", worst);
    bench_row("closest point of 26k triangles", ours / POINTS * 1e6, "us", "FCL", peer / POINTS * 1e6, 0);
    worst = 0, start = bench_now();
    for (int i = 0; i < POINTS / 20; i++) {
        double plain = plain_ray(&a->d, p[i], d[i]);
        bool hit = hf_placement_ray(a->placement, p[i], d[i], INFINITY, &s);
        worst = fmax(worst, hit ? fabs(s.distance - plain) : plain < INFINITY);
    }
    double loop = (bench_now() - start) * 20;
    fprintf(stderr, "ray: largest difference from the plain loop %.3g m\n", worst);
    bench_row("ray against 26k triangles", rays / POINTS * 1e6, "us", "plain loop", loop / POINTS * 1e6, 0);
}

static void bench_scene(const char* name, draft d, hf_vec3 low, hf_vec3 high, double goal, bool points) {
    arena a;
    if (!arena_make(&a, d)) {
        fprintf(stderr, "%s: the scene cannot be built\n", name);
        return;
    }
    choose_trials(&a, low, high);
    double ours, peer;
    time_both(&a, &ours, &peer);
    bench_row(name, ours, "us", "FCL", peer, goal);
    char text[96];
    snprintf(text, sizeof text, "%s: agree with a plain loop", name);
    bench_row_higher(text, agreement(&a), "%", "limit", 100, 1);
    if (points) bench_points(&a, low, high);
    arena_free(&a);
}

void bench_collision(void) {
    bench_scene("capsule vs 26k triangles", make_rubble(), hf_v3(-5, -5, 0), hf_v3(5, 5, 2), 15, true);
    bench_scene("capsule vs 100 triangles", make_room(), hf_v3(-2.6, -2.1, -0.1), hf_v3(2.6, 2.1, 2.6), 20,
                false);
}
