/* Every geometric query against plain loops in double over random scenes, at each instruction set. */
#include "triangle_oracles.h"
#include "base/memory.h"
#include "base/random.h"
#include "geom/tree.h"
#include "model/scene.h"

#include <stdlib.h>

/* Answers may differ from the oracle's where a distance is this near to its threshold, m. */
#define NEAR 1e-6

/* ---- random worlds ---- */

typedef struct world {
    hf_scene* scene;
    hf_placement* placement;
    int count;       /* triangles of all objects */
    hf_vec3 (*v)[3]; /* where they are in the world */
    int *object, *triangle;
} world;

static hf_vec3 random_point(hf_random* r, double size) {
    double x = hf_random_between(r, -size, size), y = hf_random_between(r, -size, size);
    return hf_v3(x, y, hf_random_between(r, -size, size));
}

static hf_vec3 random_unit(hf_random* r) {
    for (;;) {
        hf_vec3 p = random_point(r, 1);
        double l = hf_length(p);
        if (l > 0.1 && l < 1) return hf_scale(p, 1 / l);
    }
}

static hf_transform random_pose(hf_random* r, double size) {
    hf_transform t = {random_point(r, size), hf_quat_axis_angle(random_unit(r), hf_random_between(r, 0, 3))};
    return t;
}

/* A growing mesh. */
typedef struct draft {
    float vertices[3 * 6000];
    uint32_t indices[3 * 6000];
    int vertex_count, triangle_count;
} draft;

static void add_vertex(draft* d, hf_vec3 p) {
    float* v = d->vertices + 3 * d->vertex_count++;
    v[0] = (float)p.x, v[1] = (float)p.y, v[2] = (float)p.z;
}

static void add_triangle(draft* d, hf_vec3 a, hf_vec3 b, hf_vec3 c) {
    for (int k = 0; k < 3; k++) d->indices[3 * d->triangle_count + k] = (uint32_t)(d->vertex_count + k);
    d->triangle_count++;
    add_vertex(d, a), add_vertex(d, b), add_vertex(d, c);
}

static void add_box(draft* d, hf_vec3 center, hf_vec3 half, bool inward) {
    static const uint32_t face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int base = d->vertex_count;
    for (int i = 0; i < 8; i++)
        add_vertex(d, hf_add(center, hf_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                           i & 4 ? half.z : -half.z)));
    for (int i = 0; i < 12; i++, d->triangle_count++)
        for (int k = 0; k < 3; k++)
            d->indices[3 * d->triangle_count + k] = (uint32_t)base + face[i][inward ? 2 - k : k];
}

/* Ordinary, tiny, huge, degenerate and repeated triangles, and closed boxes. */
static void fill_draft(draft* d, hf_random* r, int count) {
    d->vertex_count = d->triangle_count = 0;
    for (int i = 0; i < count; i++) {
        hf_vec3 p = random_point(r, 1.5), a = random_point(r, 0.3), b = random_point(r, 0.3);
        switch (hf_random_bits(r) % 16) {
        case 0: // a point, a segment, three in a line
            add_triangle(d, p, p, p);
            break;
        case 1:
            add_triangle(d, p, hf_add(p, a), p);
            break;
        case 2:
            add_triangle(d, p, hf_add(p, a), hf_add(p, hf_scale(a, 0.4)));
            break;
        case 3: // tiny
            add_triangle(d, p, hf_add(p, hf_scale(a, 1e-5)), hf_add(p, hf_scale(b, 1e-5)));
            break;
        case 4: // the same twice
            add_triangle(d, p, hf_add(p, a), hf_add(p, b));
            add_triangle(d, p, hf_add(p, a), hf_add(p, b));
            break;
        case 5: // a sliver
            add_triangle(d, p, hf_add(p, hf_scale(a, 5)),
                         hf_add(p, hf_add(hf_scale(a, 3), hf_scale(b, 1e-5))));
            break;
        case 6:
            add_box(d, p, hf_v3(fabs(a.x) + 0.02, fabs(a.y) + 0.02, fabs(a.z) + 0.02), false);
            break;
        default:
            add_triangle(d, p, hf_add(p, a), hf_add(p, b));
        }
    }
    // one huge triangle under everything, and one that passes through
    add_triangle(d, hf_v3(-1e6, -1e6, -1.6), hf_v3(1e6, -1e6, -1.6), hf_v3(0, 1e6, -1.6));
    add_triangle(d, hf_v3(-1e3, 0.5, -1e3), hf_v3(1e3, 0.3, -1e3), hf_v3(3, 0.4, 1e3));
}

static void collect(world* w) {
    w->count = 0;
    for (int o = 0; o < hf_scene_object_count(w->scene); o++) {
        hf_object_view view = hf_scene_object(w->scene, o);
        hf_transform pose = hf_placement_pose(w->placement, o);
        for (int t = 0; t < view.mesh.triangle_count; t++, w->count++) {
            for (int k = 0; k < 3; k++) {
                const float* p = view.mesh.vertices + 3 * view.mesh.indices[3 * t + k];
                w->v[w->count][k] = hf_apply(pose, hf_v3((double)p[0], (double)p[1], (double)p[2]));
            }
            w->object[w->count] = o, w->triangle[w->count] = t;
        }
    }
}

static world make_world(uint64_t seed, int objects, int triangles) {
    hf_random r = hf_random_start(seed, 0, 0);
    world w = {0};
    draft* drafts = malloc((size_t)objects * sizeof *drafts);
    hf_object_def* defs = malloc((size_t)objects * sizeof *defs);
    char(*names)[16] = malloc((size_t)objects * sizeof *names);
    int total = 0;
    for (int i = 0; i < objects; i++) {
        fill_draft(&drafts[i], &r, triangles);
        snprintf(names[i], sizeof names[i], "object%d", i);
        defs[i] = hf_object_def_default();
        defs[i].name = names[i];
        defs[i].mesh = (hf_mesh){drafts[i].vertex_count, drafts[i].triangle_count, drafts[i].vertices,
                                 drafts[i].indices};
        defs[i].start = i ? random_pose(&r, 0.5) : hf_transform_identity();
        total += drafts[i].triangle_count;
    }
    hf_error error;
    assert_int_equal(hf_scene_build(defs, objects, &w.scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    w.v = malloc((size_t)total * sizeof *w.v);
    w.object = malloc((size_t)total * sizeof(int));
    w.triangle = malloc((size_t)total * sizeof(int));
    collect(&w);
    free(drafts);
    free(defs);
    free(names);
    return w;
}

static void free_world(world* w) {
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
    free(w->v);
    free(w->object);
    free(w->triangle);
}

/* Winding number of each outward piece, by angles. `far`: no surface within NEAR of the point. */
static bool oracle_inside(const world* w, hf_vec3 p, int only_object, bool* far) {
    bool inside = false;
    *far = true;
    for (int i = 0; i < w->count;) {
        int o = w->object[i];
        hf_object_view view = hf_scene_object(w->scene, o);
        double* sum = calloc((size_t)view.piece_count + 1, sizeof *sum);
        for (; i < w->count && w->object[i] == o; i++) {
            int piece = view.piece_of[w->triangle[i]];
            if (view.solidity[piece] <= 0) continue;
            sum[piece] += solid_angle(p, w->v[i]);
            if (point_triangle(p, w->v[i]) < NEAR) *far = false;
        }
        for (int k = 0; k < view.piece_count; k++)
            inside |= sum[k] > 6 && (only_object < 0 || only_object == o);
        free(sum);
    }
    return inside;
}

/* ---- shapes ---- */

static float prism_vertices[64 * 3];
static uint32_t prism_faces[124 * 3];
static float octahedron_vertices[6 * 3];
static const uint32_t octahedron_faces[8 * 3] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                                 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

static hf_shape prism_shape(double radius, double half) {
    hf_shape s = {.kind = HF_SHAPE_HULL, .vertex_count = 64, .face_count = 124};
    for (int i = 0; i < 32; i++) {
        double a = 2 * 3.14159265358979323846 * i / 32;
        for (int top = 0; top < 2; top++) {
            float* v = prism_vertices + 3 * (i + 32 * top);
            v[0] = (float)(radius * cos(a)), v[1] = (float)(radius * sin(a)),
            v[2] = (float)(top ? half : -half);
        }
    }
    uint32_t* f = prism_faces;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t j = (i + 1) % 32;
        *f++ = i, *f++ = j, *f++ = j + 32;
        *f++ = i, *f++ = j + 32, *f++ = i + 32;
        if (i == 0 || i == 31) continue;
        *f++ = 0, *f++ = j, *f++ = i;
        *f++ = 32, *f++ = i + 32, *f++ = j + 32;
    }
    s.vertices = prism_vertices, s.faces = prism_faces;
    return s;
}

static hf_shape octahedron_shape(hf_random* r) {
    hf_shape s = {.kind = HF_SHAPE_HULL, .vertex_count = 6, .face_count = 8};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            octahedron_vertices[3 * i + k] =
                i / 2 == k ? (float)((i % 2 ? -1 : 1) * hf_random_between(r, 0.1, 0.4)) : 0;
    s.vertices = octahedron_vertices, s.faces = octahedron_faces;
    return s;
}

static hf_shape random_shape(hf_random* r, int kind) {
    if (kind == 3) return prism_shape(hf_random_between(r, 0.02, 0.3), hf_random_between(r, 0.02, 0.4));
    if (kind == 4) return octahedron_shape(r);
    hf_shape s = {.kind = (hf_shape_kind)kind};
    s.radius = hf_random_between(r, 0.02, 0.3);
    s.half_length = hf_random_between(r, 0, 0.4);
    s.half_size = hf_v3(hf_random_between(r, 0.01, 0.3), hf_random_between(r, 0.01, 0.3),
                        hf_random_between(r, 0.01, 0.3));
    return s;
}

static const char* const shape_names[5] = {"sphere", "capsule", "box", "prism", "octahedron"};

/* Does the triangle meet the shape less `depth` all around? +1 yes, -1 no, 0 too near to say. */
static int meets_less(const hf_shape* s, hf_transform pose, double depth, const hf_vec3 v[3]) {
    hf_vec3 local[3];
    for (int k = 0; k < 3; k++) local[k] = hf_unapply(pose, v[k]);
    if (s->kind == HF_SHAPE_SPHERE || s->kind == HF_SHAPE_CAPSULE) {
        double l = s->kind == HF_SHAPE_CAPSULE ? s->half_length : 0;
        double over = s->radius - segment_triangle(hf_v3(0, 0, -l), hf_v3(0, 0, l), local) - depth;
        return fabs(over) < NEAR ? 0 : over > 0 ? 1 : -1;
    }
    if (s->kind == HF_SHAPE_BOX) {
        double h[3] = {s->half_size.x - depth, s->half_size.y - depth, s->half_size.z - depth};
        if (h[0] < 0 || h[1] < 0 || h[2] < 0) return -1; // nothing of it is left
        double gap = box_triangle_gap(h, local);
        return fabs(gap) < NEAR ? 0 : gap < 0 ? 1 : -1;
    }
    bool more = clip_hull(s, depth - NEAR, local), less = clip_hull(s, depth + NEAR, local);
    return more != less ? 0 : more ? 1 : -1;
}

/* Is the shape deeper in the triangle than `depth`? +1 yes, -1 no, 0 not to be said here. A triangle that
   meets the shape less the depth is deep; one that meets only the rest of a box or hull may be, at a corner:
   the exact depth is the business of depth_test. */
static int oracle_deep(const hf_shape* s, hf_transform pose, double depth, const hf_vec3 v[3]) {
    bool round = s->kind == HF_SHAPE_SPHERE || s->kind == HF_SHAPE_CAPSULE;
    int less = meets_less(s, pose, depth, v);
    if (round || less >= 0 || !(depth > 0)) return less;
    return meets_less(s, pose, 0, v) < 0 ? -1 : 0;
}

static void each_level(world* w, void (*check)(world*, hf_random*)) {
    for (hf_cpu level = HF_CPU_BASELINE; level < HF_CPU_COUNT; level++) {
        if (!hf_placement_use(w->placement, level)) continue;
        hf_random r = hf_random_start(99, (uint32_t)level, 0);
        check(w, &r);
    }
}

/* ---- tests ---- */

static void check_overlap(world* w, hf_random* r) {
    int hits = 0, misses = 0;
    for (int n = 0; n < 400; n++) {
        int kind = n % 5;
        hf_shape s = random_shape(r, kind);
        hf_transform pose = random_pose(r, n % 3 ? 1.8 : 3);
        hf_allowance a = hf_allowance_default();
        if (n % 7 == 0) a.depth = 0;
        if (n % 4 == 0) a.touched_object = 1, a.touched_depth = n % 8 ? INFINITY : 0.05;
        bool sure = false, unsure = false;
        for (int i = 0; i < w->count && !sure; i++) {
            double depth = w->object[i] == a.touched_object ? a.touched_depth : a.depth;
            int deep = isinf(depth) ? -1 : oracle_deep(&s, pose, depth, w->v[i]);
            sure |= deep > 0, unsure |= deep == 0;
        }
        hf_surface hit = {.object = -1, .triangle = -1};
        bool answer = hf_placement_overlap(w->placement, &s, pose, &a, &hit);
        assert_true(answer == hf_placement_overlap(w->placement, &s, pose, &a, NULL));
        if (!sure && !unsure) {
            // no surface is met: only the inside of a solid is left
            bool far;
            hf_vec3 p = pose.position;
            bool inside = false;
            for (int o = 0; o < hf_scene_object_count(w->scene); o++)
                if (o != a.touched_object || !isinf(a.touched_depth)) inside |= oracle_inside(w, p, o, &far);
            sure = inside, unsure = !far;
        }
        if (answer)
            assert_true(hit.object >= 0 && hit.triangle >= 0 && fabs(hf_length(hit.normal) - 1) < 1e-9);
        if (unsure && !sure) continue;
        if (answer != sure)
            fail_msg("%s %d: overlap says %d, the oracle %d", shape_names[kind], n, answer, sure);
        hits += answer, misses += !answer;
    }
    assert_true(hits > 50 && misses > 50);
}

static void overlap_equals_brute_force(void** state) {
    (void)state;
    world w = make_world(1, 3, 40);
    each_level(&w, check_overlap);
    free_world(&w);
}

static void check_distance(world* w, hf_random* r) {
    int found = 0;
    for (int n = 0; n < 100; n++) {
        int kind = n % 5;
        hf_shape s = random_shape(r, kind == 3 ? 4 : kind);
        hf_transform pose = random_pose(r, 2.5);
        double best = INFINITY, limit = n % 3 ? 10 : 0.2;
        for (int i = 0; i < w->count; i++) {
            hf_vec3 local[3];
            for (int k = 0; k < 3; k++) local[k] = hf_unapply(pose, w->v[i][k]);
            double d = INFINITY;
            if (s.kind == HF_SHAPE_SPHERE || s.kind == HF_SHAPE_CAPSULE) {
                double l = s.kind == HF_SHAPE_CAPSULE ? s.half_length : 0;
                d = fmax(0, segment_triangle(hf_v3(0, 0, -l), hf_v3(0, 0, l), local) - s.radius);
            } else {
                // the box's or hull's own faces, and whether the triangle is inside
                hf_vec3 h = s.half_size;
                draft box = {.vertex_count = 0};
                if (s.kind == HF_SHAPE_BOX) add_box(&box, hf_v3(0, 0, 0), h, false);
                hf_shape hull = s;
                if (s.kind == HF_SHAPE_BOX)
                    hull.vertices = box.vertices, hull.faces = box.indices, hull.face_count = 12;
                if (clip_hull(&hull, 0, local)) d = 0;
                for (int f = 0; f < hull.face_count && d > 0; f++) {
                    hf_vec3 face[3];
                    for (int k = 0; k < 3; k++) {
                        const float* x = hull.vertices + 3 * hull.faces[3 * f + k];
                        face[k] = hf_v3((double)x[0], (double)x[1], (double)x[2]);
                    }
                    d = fmin(d, triangle_triangle(local, face));
                }
            }
            best = fmin(best, d);
        }
        hf_surface out;
        bool any = hf_placement_distance(w->placement, &s, pose, limit, &out);
        if (fabs(best - limit) > NEAR && any != (best <= limit))
            fail_msg("%s %d: found %d within %g, the oracle's distance is %.9g", shape_names[kind], n, any,
                     limit, best);
        if (!any) continue;
        found++;
        if (fabs(out.distance - best) > NEAR)
            fail_msg("%s %d: distance %.9g, the oracle's %.9g", shape_names[kind], n, out.distance, best);
        // the point is on the triangle it names
        for (int i = 0; i < w->count; i++)
            if (w->object[i] == out.object && w->triangle[i] == out.triangle)
                assert_true(point_triangle(out.point, w->v[i]) < NEAR);
    }
    assert_true(found > 30);
}

static void distance_equals_brute_force(void** state) {
    (void)state;
    world w = make_world(2, 2, 12);
    each_level(&w, check_distance);
    free_world(&w);
}

static void check_points(world* w, hf_random* r) {
    for (int n = 0; n < 300; n++) {
        hf_vec3 p = random_point(r, 2);
        double best = INFINITY, limit = n % 3 ? INFINITY : 0.1, reach = hf_random_between(r, 0, 0.5);
        int expected = 0, border = 0;
        hf_surface list[64];
        int count = hf_placement_within(w->placement, p, reach, list, 64), next = 0;
        for (int i = 0; i < w->count; i++) {
            double d = point_triangle(p, w->v[i]);
            best = fmin(best, d);
            expected += d <= reach, border += fabs(d - reach) < NEAR;
            // the list holds exactly these, in order
            bool listed = next < count && next < 64 && list[next].object == w->object[i] &&
                          list[next].triangle == w->triangle[i];
            if (listed) {
                assert_near(list[next].distance, d, NEAR);
                assert_near(hf_distance(list[next].point, p), d, NEAR);
                next++;
            } else if (d < reach - NEAR && next < 64)
                fail_msg("triangle %d of object %d at %g is not within %g", w->triangle[i], w->object[i], d,
                         reach);
        }
        assert_true(abs(count - expected) <= border);
        assert_int_equal(next, count < 64 ? count : 64);
        hf_surface one[1], out;
        assert_int_equal(hf_placement_within(w->placement, p, reach, one, 1), count);
        if (count) assert_true(one[0].object == list[0].object && one[0].triangle == list[0].triangle);
        assert_int_equal(hf_placement_within(w->placement, p, reach, NULL, 0), count);

        bool any = hf_placement_closest(w->placement, p, limit, &out);
        if (fabs(best - limit) > NEAR) assert_true(any == (best <= limit));
        if (!any) continue;
        assert_near(out.distance, best, NEAR);
        assert_near(hf_distance(out.point, p), best, NEAR);
        assert_near(hf_length(out.normal), 1, 1e-9);
    }
}

static void points_equal_brute_force(void** state) {
    (void)state;
    world w = make_world(3, 3, 120);
    each_level(&w, check_points);
    free_world(&w);
}

static void check_rays(world* w, hf_random* r) {
    int hits = 0;
    hf_vec3 origin[8], direction[8];
    double reach[8];
    hf_surface single[8];
    bool single_hit[8];
    for (int n = 0; n < 2000; n++) {
        hf_vec3 o = random_point(r, 2.5), d = random_unit(r);
        if (n % 5 == 0) d = n % 2 ? hf_v3(0, 0, -1) : hf_v3(1, 0, 0);
        double limit = n % 3 ? INFINITY : 1.0, best = INFINITY;
        int object = -1;
        bool unsure = false;
        for (int i = 0; i < w->count; i++) {
            double t = 0;
            if (!ray_triangle(o, d, w->v[i], &t, &unsure) || t < -NEAR) continue;
            if (fabs(t) < NEAR || fabs(t - limit) < NEAR) unsure = true;
            if (t < best && t <= limit) best = t, object = w->object[i];
        }
        hf_surface out;
        bool any = hf_placement_ray(w->placement, o, d, limit, &out);
        origin[n % 8] = o, direction[n % 8] = d, reach[n % 8] = limit, single_hit[n % 8] = any;
        if (any) single[n % 8] = out;
        assert_true(any == hf_placement_occluded(w->placement, o, d, limit));
        if (!unsure) {
            assert_true(any == (best < INFINITY));
            hits += any;
            if (any) {
                assert_near(out.distance, best, 1e-6 * (1 + best));
                assert_near(hf_distance(out.point, hf_add(o, hf_scale(d, best))), 0, 1e-6 * (1 + best));
                assert_true(out.object == object || fabs(out.distance - best) < NEAR);
            }
        }
        // packets say the same as single rays
        if (n % 8 != 7) continue;
        bool packet_hit[8];
        hf_surface packet[8];
        hf_placement_ray8(w->placement, origin, direction, reach, packet_hit, packet);
        for (int i = 0; i < 8; i++) {
            assert_true(packet_hit[i] == single_hit[i]);
            if (packet_hit[i])
                assert_true(packet[i].triangle == single[i].triangle &&
                            packet[i].object == single[i].object && packet[i].distance == single[i].distance);
        }
    }
    assert_true(hits > 500);
}

static void rays_equal_brute_force(void** state) {
    (void)state;
    world w = make_world(4, 3, 120);
    each_level(&w, check_rays);
    free_world(&w);
}

static void check_inside(world* w, hf_random* r) {
    int in = 0;
    for (int n = 0; n < 1500; n++) {
        hf_vec3 p = random_point(r, 1.5);
        bool far;
        bool expected = oracle_inside(w, p, -1, &far);
        int object = -1;
        bool answer = hf_placement_inside(w->placement, p, &object);
        if (!far) continue;
        if (answer != expected) fail_msg("point %d: inside says %d, the oracle %d", n, answer, expected);
        in += answer;
        if (answer) assert_true(oracle_inside(w, p, object, &far));
    }
    assert_true(in > 20);
}

static void inside_equals_winding_numbers(void** state) {
    (void)state;
    world w = make_world(5, 3, 120);
    each_level(&w, check_inside);
    free_world(&w);
}

/* Objects moved many times, some taken out: the upper tree follows. */
static void moving_objects_are_found(void** state) {
    (void)state;
    enum { COUNT = 300 };
    draft* box = calloc(1, sizeof *box);
    add_box(box, hf_v3(0, 0, 0), hf_v3(0.1, 0.2, 0.05), false);
    static char names[COUNT][8];
    hf_object_def defs[COUNT];
    hf_random r = hf_random_start(6, 0, 0);
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        defs[i] = hf_object_def_default();
        defs[i].name = names[i];
        if (i != 17) // one is empty and never hit
            defs[i].mesh = (hf_mesh){box->vertex_count, box->triangle_count, box->vertices, box->indices};
        defs[i].start = random_pose(&r, 3);
    }
    world w = {0};
    hf_error error;
    assert_int_equal(hf_scene_build(defs, COUNT, &w.scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    w.v = malloc((size_t)COUNT * 12 * sizeof *w.v);
    w.object = malloc((size_t)COUNT * 12 * sizeof(int));
    w.triangle = malloc((size_t)COUNT * 12 * sizeof(int));
    bool enabled[COUNT];
    for (int i = 0; i < COUNT; i++) enabled[i] = true;
    for (int round = 0; round < 40; round++) {
        for (int k = 0; k < 60; k++) {
            int i = (int)(hf_random_bits(&r) % COUNT);
            hf_transform pose = random_pose(&r, round % 10 == 9 ? 50 : 3);
            hf_placement_move(w.placement, i, pose);
            assert_near(hf_distance(hf_placement_pose(w.placement, i).position, pose.position), 0, 0);
            i = (int)(hf_random_bits(&r) % COUNT);
            enabled[i] = hf_random_bits(&r) % 4 != 0;
            hf_placement_enable(w.placement, i, enabled[i]);
        }
        collect(&w);
        for (int n = 0; n < 20; n++) {
            hf_vec3 p = random_point(&r, 3);
            double best = INFINITY;
            for (int i = 0; i < w.count; i++)
                if (enabled[w.object[i]]) best = fmin(best, point_triangle(p, w.v[i]));
            hf_surface out;
            assert_true(hf_placement_closest(w.placement, p, INFINITY, &out));
            assert_near(out.distance, best, NEAR);
            assert_true(enabled[out.object]);
            hf_shape ball = {.kind = HF_SHAPE_SPHERE, .radius = best + 0.001};
            hf_allowance none = {0, -1, 0};
            hf_transform pose = {p, hf_quat_identity()};
            assert_true(hf_placement_overlap(w.placement, &ball, pose, &none, NULL));
            ball.radius = best - 0.001;
            bool inside = hf_placement_inside(w.placement, p, NULL);
            if (ball.radius > 0)
                assert_true(hf_placement_overlap(w.placement, &ball, pose, &none, NULL) == inside);
        }
    }
    free_world(&w);
    free(box);
}

/* All instruction sets give the same answers to the last bit. */
static void levels_agree_exactly(void** state) {
    (void)state;
    world w = make_world(7, 2, 600);
    if (hf_cpu_best() == HF_CPU_BASELINE) {
        print_message("this machine has one level\n");
        free_world(&w);
        skip();
    }
    hf_random r = hf_random_start(8, 0, 0);
    for (int n = 0; n < 3000; n++) {
        hf_shape s = random_shape(&r, n % 5);
        hf_transform pose = random_pose(&r, 2);
        hf_vec3 d = random_unit(&r);
        hf_allowance a = hf_allowance_default();
        hf_surface base[4], here[4];
        bool base_hit[4];
        for (hf_cpu level = HF_CPU_BASELINE; level <= hf_cpu_best(); level++) {
            memset(here, 0, sizeof here);
            assert_true(hf_placement_use(w.placement, level));
            bool hit[4] = {hf_placement_overlap(w.placement, &s, pose, &a, &here[0]),
                           hf_placement_ray(w.placement, pose.position, d, INFINITY, &here[1]),
                           hf_placement_closest(w.placement, pose.position, INFINITY, &here[2]),
                           n % 5 < 3 && hf_placement_distance(w.placement, &s, pose, 1, &here[3])};
            if (level == HF_CPU_BASELINE) {
                memcpy(base, here, sizeof base);
                memcpy(base_hit, hit, sizeof hit);
            }
            assert_memory_equal(hit, base_hit, sizeof hit);
            for (int i = 0; i < 4; i++) {
                assert_int_equal(here[i].object, base[i].object);
                assert_int_equal(here[i].triangle, base[i].triangle);
                assert_true(here[i].distance == base[i].distance);
                assert_true(hf_distance(here[i].point, base[i].point) == 0);
            }
        }
    }
    free_world(&w);
}

/* A copy of the block elsewhere in memory gives the same answers. */
static void trees_are_relocatable_blocks(void** state) {
    (void)state;
    world w = make_world(9, 1, 500);
    const hf_tree* t = w.scene->objects[0].tree;
    hf_tree* copy = hf_alloc_aligned(t->byte_count, 1);
    memcpy(copy, t, t->byte_count);
    // every triangle once
    int* seen = calloc(t->triangle_count, sizeof *seen);
    for (uint32_t i = 0; i < t->leaf_count; i++)
        for (int lane = 0; lane < 8; lane++) {
            uint32_t id = hf_tree_leaves(t)[i].id[lane];
            if (id != HF_TREE_NONE) seen[id]++;
        }
    for (uint32_t i = 0; i < t->triangle_count; i++) assert_int_equal(seen[i], 1);
    free(seen);
    const hf_tree_kernel* kernel = hf_tree_kernel_for(HF_CPU_BASELINE);
    hf_random r = hf_random_start(10, 0, 0);
    for (int n = 0; n < 200; n++) {
        hf_vec3 p = random_point(&r, 2), q = random_point(&r, 2);
        assert_int_equal(kernel->capsule(t, p, q, 0.05), kernel->capsule(copy, p, q, 0.05));
    }
    hf_free(copy);
    free_world(&w);
}

/* Everything at one place, and along a line with growing steps: depth stays bounded. */
static void odd_distributions_build(void** state) {
    (void)state;
    enum { COUNT = 5000 };
    draft* d = calloc(1, sizeof *d);
    for (int i = 0; i < COUNT / 3; i++) {
        hf_vec3 p = hf_v3(1, 2, 3);
        if (i >= 800) p = hf_v3(pow(1.02, i - 800) - 1, 0, 0);
        add_triangle(d, p, hf_add(p, hf_v3(0.01, 0, 0)), hf_add(p, hf_v3(0, 0.01, 0)));
    }
    hf_mesh mesh = {d->vertex_count, d->triangle_count, d->vertices, d->indices};
    hf_tree* tree;
    assert_int_equal(hf_tree_build(&mesh, &tree), HF_OK);
    assert_true(tree->depth < HF_TREE_DEPTH);
    const hf_tree_kernel* kernel = hf_tree_kernel_for(HF_CPU_BASELINE);
    hf_vec3 p = hf_v3(1, 2, 3.05);
    assert_true(kernel->capsule(tree, p, p, 0.051) != HF_TREE_NONE);
    assert_true(kernel->capsule(tree, p, p, 0.049) == HF_TREE_NONE);
    hf_free(tree);
    mesh.triangle_count = 0;
    assert_int_equal(hf_tree_build(&mesh, &tree), HF_OK);
    assert_true(kernel->capsule(tree, p, p, 100) == HF_TREE_NONE);
    hf_free(tree);
    free(d);
}

/* Threshold sweeps: capsules grown until they touch agree with the exact distance within NEAR. */
static void capsules_near_the_threshold_are_exact(void** state) {
    (void)state;
    world w = make_world(11, 1, 300);
    hf_random r = hf_random_start(12, 0, 0);
    hf_allowance none = {0, -1, 0};
    for (int n = 0; n < 300; n++) {
        hf_transform pose = random_pose(&r, 1.5);
        hf_shape s = {.kind = HF_SHAPE_CAPSULE, .half_length = hf_random_between(&r, 0, 0.3)};
        hf_vec3 e = hf_rotate(pose.rotation, hf_v3(0, 0, s.half_length));
        double best = INFINITY;
        for (int i = 0; i < w.count; i++)
            best = fmin(best, segment_triangle(hf_sub(pose.position, e), hf_add(pose.position, e), w.v[i]));
        bool inside = hf_placement_inside(w.placement, pose.position, NULL);
        if (best < 2 * NEAR) continue;
        s.radius = best + NEAR;
        assert_true(hf_placement_overlap(w.placement, &s, pose, &none, NULL));
        s.radius = best - NEAR;
        assert_true(hf_placement_overlap(w.placement, &s, pose, &none, NULL) == inside);
    }
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlap_equals_brute_force),
        cmocka_unit_test(distance_equals_brute_force),
        cmocka_unit_test(points_equal_brute_force),
        cmocka_unit_test(rays_equal_brute_force),
        cmocka_unit_test(inside_equals_winding_numbers),
        cmocka_unit_test(moving_objects_are_found),
        cmocka_unit_test(levels_agree_exactly),
        cmocka_unit_test(trees_are_relocatable_blocks),
        cmocka_unit_test(odd_distributions_build),
        cmocka_unit_test(capsules_near_the_threshold_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
