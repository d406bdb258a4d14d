/* Sample sets of the human's nine-joint arm, and candidates in a room of 100 triangles and at a rough wall of
   26,000, against a plain pointer octree over the same samples and against one tree query for each sample.
   Every answer is compared with the peers'. */
#include "bench.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/workspace.h"
#include "contact/candidates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 100000, POSES = 12, ROUNDS = 7, LEAF = 16, WALL_SIDE = 115 };

static void stop(const char* why) {
    fprintf(stderr, "bench samples: %s\n", why);
    exit(3);
}

static void* take(size_t count, size_t size) {
    void* p = hf_alloc(count, size);
    if (!p) stop("out of memory");
    return p;
}

/* ---- the peer: an octree as it is usually written ---- */

typedef struct octant {
    hf_vec3 center;
    double half;
    struct octant* child[8];
    int count, room;
    int* samples; /* of a leaf */
} octant;

typedef struct octree {
    octant* root;
    const hf_vec3* points;
} octree;

static octant* octant_make(hf_vec3 center, double half) {
    octant* o = take(1, sizeof *o);
    o->center = center, o->half = half;
    return o;
}

static int octant_of(const octant* o, hf_vec3 p) {
    return (p.x > o->center.x) | (p.y > o->center.y) << 1 | (p.z > o->center.z) << 2;
}

static void octant_add(const octree* t, octant* o, int sample, int depth) {
    if (!o->child[0]) {
        if (o->count < LEAF || depth > 20) {
            if (o->count == o->room) {
                o->room = o->room ? 2 * o->room : LEAF;
                o->samples = hf_resize(o->samples, (size_t)o->room, sizeof *o->samples);
                if (!o->samples) stop("out of memory");
            }
            o->samples[o->count++] = sample;
            return;
        }
        double h = o->half / 2;
        for (int i = 0; i < 8; i++)
            o->child[i] =
                octant_make(hf_add(o->center, hf_v3(i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h)), h);
        for (int i = 0; i < o->count; i++)
            octant_add(t, o->child[octant_of(o, t->points[o->samples[i]])], o->samples[i], depth + 1);
        hf_free(o->samples);
        o->samples = NULL, o->count = o->room = 0;
    }
    octant_add(t, o->child[octant_of(o, t->points[sample])], sample, depth + 1);
}

static void octant_free(octant* o) {
    if (!o) return;
    for (int i = 0; i < 8; i++) octant_free(o->child[i]);
    hf_free(o->samples);
    hf_free(o);
}

/* A triangle with its box grown by epsilon and its plane. */
typedef struct probe {
    hf_triangle t;
    hf_vec3 low, high, normal;
    double offset, epsilon;
    bool* near;
    int* found;
} probe;

static void octant_ask(const octree* t, const octant* o, const probe* p) {
    double h = o->half;
    if (o->center.x + h < p->low.x || o->center.x - h > p->high.x || o->center.y + h < p->low.y ||
        o->center.y - h > p->high.y || o->center.z + h < p->low.z || o->center.z - h > p->high.z)
        return;
    double size = h * (fabs(p->normal.x) + fabs(p->normal.y) + fabs(p->normal.z));
    if (fabs(hf_dot(p->normal, o->center) - p->offset) > size + p->epsilon) return;
    if (o->child[0]) {
        for (int i = 0; i < 8; i++) octant_ask(t, o->child[i], p);
        return;
    }
    for (int i = 0; i < o->count; i++) {
        hf_vec3 x = t->points[o->samples[i]], nearest;
        if (p->near[o->samples[i]] || fabs(hf_dot(p->normal, x) - p->offset) > p->epsilon) continue;
        if (hf_triangle_point(&p->t, x, &nearest) > p->epsilon * p->epsilon) continue;
        p->near[o->samples[i]] = true;
        ++*p->found;
    }
}

static int octree_ask(const octree* t, const hf_scene* scene, hf_transform base, double epsilon, bool* near) {
    int found = 0;
    memset(near, 0, SAMPLES);
    probe p = {.epsilon = epsilon, .near = near, .found = &found};
    const hf_mesh* m = &scene->objects[0].mesh;
    for (int i = 0; i < m->triangle_count; i++) {
        p.t = hf_triangle_of(m, i);
        for (int k = 0; k < 3; k++) p.t.v[k] = hf_unapply(base, p.t.v[k]);
        hf_vec3 *v = p.t.v, e = hf_v3(epsilon, epsilon, epsilon);
        p.low = hf_sub(hf_v3(fmin(v[0].x, fmin(v[1].x, v[2].x)), fmin(v[0].y, fmin(v[1].y, v[2].y)),
                             fmin(v[0].z, fmin(v[1].z, v[2].z))),
                       e);
        p.high = hf_add(hf_v3(fmax(v[0].x, fmax(v[1].x, v[2].x)), fmax(v[0].y, fmax(v[1].y, v[2].y)),
                              fmax(v[0].z, fmax(v[1].z, v[2].z))),
                        e);
        p.normal = hf_triangle_normal(&p.t);
        p.offset = hf_dot(p.normal, v[0]);
        octant_ask(t, t->root, &p);
    }
    return found;
}

/* ---- scenes, one object each ---- */

typedef struct mesh {
    float v[3 * 40000];
    uint32_t t[3 * 80000];
    int vertex_count, triangle_count;
} mesh;

static void add_box(mesh* m, hf_vec3 low, hf_vec3 high, bool inwards) {
    static const uint8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    uint32_t first = (uint32_t)m->vertex_count;
    for (int i = 0; i < 8; i++) {
        float* v = m->v + 3 * m->vertex_count++;
        v[0] = (float)(i & 1 ? high.x : low.x), v[1] = (float)(i & 2 ? high.y : low.y);
        v[2] = (float)(i & 4 ? high.z : low.z);
    }
    for (int f = 0; f < 12; f++) {
        uint32_t* t = m->t + 3 * m->triangle_count++;
        for (int k = 0; k < 3; k++) t[inwards ? 2 - k : k] = first + faces[f][k];
    }
}

/* Walls, table, cupboard, shelf, chair and boxes, and a ramp of four triangles: 100. */
static void make_room(mesh* m) {
    add_box(m, hf_v3(-2, -1.5, 0), hf_v3(2, 1.5, 2.5), true);
    add_box(m, hf_v3(0.3, -0.4, 0.7), hf_v3(1.1, 1.2, 0.75), false);
    add_box(m, hf_v3(-1.9, -1.4, 0), hf_v3(-1.3, 0.2, 1.9), false);
    add_box(m, hf_v3(-1, 1.2, 1.1), hf_v3(0.6, 1.5, 1.15), false);
    add_box(m, hf_v3(0.2, -1.2, 0), hf_v3(0.7, -0.7, 0.45), false);
    add_box(m, hf_v3(0.2, -1.25, 0.45), hf_v3(0.7, -1.2, 1), false);
    add_box(m, hf_v3(1.4, -1.4, 0), hf_v3(1.9, -0.6, 1.2), false);
    add_box(m, hf_v3(-0.9, -1.4, 1), hf_v3(0, -1.2, 1.5), false);
    const float ramp[6][3] = {{1.3f, 0.4f, 0},    {1.9f, 0.4f, 0.6f}, {1.3f, 1.4f, 0},
                              {1.9f, 1.4f, 0.6f}, {1.9f, 0.4f, 0},    {1.9f, 1.4f, 0}};
    static const uint8_t faces[4][3] = {{0, 1, 2}, {1, 3, 2}, {0, 4, 1}, {2, 3, 5}};
    for (int f = 0; f < 4; f++, m->triangle_count++)
        for (int k = 0; k < 3; k++) m->t[3 * m->triangle_count + k] = (uint32_t)m->vertex_count + faces[f][k];
    memcpy(m->v + 3 * m->vertex_count, ramp, sizeof ramp);
    m->vertex_count += 6;
}

/* Rock: 4 by 4 m across the x axis. */
static void make_wall(mesh* m) {
    hf_random r = hf_random_start(1, 0, 0);
    for (int i = 0; i < WALL_SIDE * WALL_SIDE; i++) {
        double y = 4.0 * (i % WALL_SIDE) / (WALL_SIDE - 1) - 2,
               z = 4.0 * (i / WALL_SIDE) / (WALL_SIDE - 1) - 2;
        double x = 0.12 * sin(3 * y + 1) * cos(4 * z) + 0.05 * sin(11 * y) * sin(9 * z + 2);
        float* v = m->v + 3 * m->vertex_count++;
        v[0] = (float)(x + hf_random_between(&r, 0, 0.01)), v[1] = (float)y, v[2] = (float)z;
    }
    for (uint32_t i = 0; i < WALL_SIDE * WALL_SIDE; i++) {
        if (i % WALL_SIDE == WALL_SIDE - 1 || i / WALL_SIDE == WALL_SIDE - 1) continue;
        const uint32_t q[6] = {i, i + WALL_SIDE, i + 1, i + 1, i + WALL_SIDE, i + WALL_SIDE + 1};
        memcpy(m->t + 3 * m->triangle_count, q, sizeof q);
        m->triangle_count += 2;
    }
}

static hf_placement* place(const mesh* m, hf_scene** scene) {
    hf_object_def def = hf_object_def_default();
    hf_placement* placement;
    def.name = "scene";
    def.mesh = (hf_mesh){.vertices = (float*)m->v,
                         .vertex_count = m->vertex_count,
                         .indices = (uint32_t*)m->t,
                         .triangle_count = m->triangle_count};
    if (hf_scene_build(&def, 1, scene, NULL) != HF_OK || hf_placement_create(*scene, &placement) != HF_OK)
        stop("scene");
    return placement;
}

/* ---- measurements ---- */

typedef struct setting {
    const hf_samples* samples;
    hf_vec3* points;
    octree tree;
    hf_workspace* workspace;
    double epsilon;
    bool* near;
} setting;

/* Candidates of one pose, the least of several rounds in seconds. */
static double time_ours(setting* s, const hf_candidate_query* q, int* found) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        hf_candidates c;
        double start = bench_now();
        hf_workspace_mark mark = hf_workspace_begin(s->workspace);
        if (hf_candidates_find(s->samples, q, s->workspace, &c) != HF_OK) stop("candidates");
        hf_workspace_end(s->workspace, mark);
        best = fmin(best, bench_now() - start);
        *found = c.sample_count;
    }
    return best;
}

static double time_octree(setting* s, const hf_candidate_query* q, int* found) {
    double best = 1e9;
    for (int round = 0; round < 3; round++) {
        double start = bench_now();
        *found = octree_ask(&s->tree, q->placement->scene, q->base, q->epsilon, s->near);
        best = fmin(best, bench_now() - start);
    }
    return best;
}

static double time_queries(setting* s, const hf_candidate_query* q, int* found) {
    double start = bench_now();
    int count = hf_samples_get(s->samples).count;
    hf_surface surface;
    *found = 0;
    for (int i = 0; i < count; i++)
        *found += hf_placement_closest(q->placement, hf_apply(q->base, s->points[i]), q->epsilon, &surface);
    return bench_now() - start;
}

static hf_transform pose_in_room(int i) {
    hf_random r = hf_random_start(2, 0, (uint64_t)i);
    hf_vec3 p = hf_v3(hf_random_between(&r, -1.2, 1.2), hf_random_between(&r, -1, 1),
                      hf_random_between(&r, 0.5, 1.4));
    return (hf_transform){p, hf_quat_axis_angle(hf_v3(0, 0, 1), hf_random_between(&r, -3, 3))};
}

static hf_transform pose_at_wall(int i) {
    hf_random r = hf_random_start(3, 0, (uint64_t)i);
    hf_vec3 p =
        hf_v3(-hf_random_between(&r, 0.3, 0.6), hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1));
    return (hf_transform){p, hf_quat_axis_angle(hf_v3(0, 0, 1), hf_random_between(&r, -0.5, 0.5))};
}

static void measure(setting* s, const mesh* m, hf_transform (*pose)(int), bool room) {
    hf_scene* scene;
    hf_placement* placement = place(m, &scene);
    hf_grids* grids;
    double start = bench_now();
    if (hf_grids_build(scene, s->epsilon, false, 1, &grids, NULL) != HF_OK) stop("grids");
    double building = bench_now() - start, ours = 0, walk = 0, octrees = 0, queries = 0, total = 0;
    for (int i = 0; i < POSES; i++) {
        hf_candidate_query q = {
            .placement = placement, .grids = grids, .base = pose(i), .epsilon = s->epsilon};
        int a, b, c, d = 0;
        ours += time_ours(s, &q, &a) / POSES;
        q.no_grids = true;
        walk += time_ours(s, &q, &b) / POSES;
        octrees += time_octree(s, &q, &c) / POSES;
        if (room || i < 2) queries += time_queries(s, &q, &d) / (room ? POSES : 2);
        if (a != b || abs(a - c) > 1 || ((room || i < 2) && a != d)) stop("the peers find other candidates");
        total += (double)a / POSES;
    }
    if (room) {
        bench_row("candidates, 100 triangles, N = 100,000", ours * 1e6, "us", "octree", octrees * 1e6, 5);
        bench_row("candidates, 100 triangles, N = 100,000", ours * 1e6, "us", "per sample", queries * 1e6,
                  20);
        bench_row("candidates found, 100 triangles", total, "", "", total, 0);
    } else {
        bench_row("candidates, 26,000 triangles, N = 100,000", ours * 1e6, "us", "octree", octrees * 1e6, 4);
        bench_row("candidates, 26,000 triangles, N = 100,000", ours * 1e6, "us", "per sample", queries * 1e6,
                  0);
        bench_row("candidates, 26,000 triangles, N = 100,000", ours * 1e6, "us", "walk", walk * 1e6, 0);
        bench_row("candidates found, 26,000 triangles", total, "", "", total, 0);
        bench_row("distance grid of 26,000 triangles", building * 1e3, "ms", "limit", 1000, 0);
    }
    hf_grids_free(grids);
    hf_placement_free(placement);
    hf_scene_free(scene);
}

static hf_samples* measure_generation(const hf_creature* human, int limb) {
    hf_sample_options o = hf_sample_options_default();
    hf_samples* samples = NULL;
    double best = 1e9;
    o.count = SAMPLES, o.threads = 1;
    for (int round = 0; round < ROUNDS; round++) {
        hf_samples_free(samples);
        double start = bench_now();
        if (hf_samples_build(human, limb, &o, &samples, NULL) != HF_OK) stop("samples");
        best = fmin(best, bench_now() - start);
    }
    hf_samples_view v = hf_samples_get(samples);
    bench_row("100,000 samples of the 9-joint arm with index", best * 1e3, "ms", "limit", 40, 1);
    bench_row("bytes of a sample with index", (double)v.byte_count / v.count, "B", "limit", 120, 1);
    return samples;
}

/* Other sizes of sets, for information: ours alone. */
static void measure_sizes(setting* s, const hf_creature* human, int limb, const mesh* m,
                          hf_transform (*pose)(int), const char* scene_name) {
    static const int counts[3] = {1000, 10000, 1000000};
    hf_scene* scene;
    hf_placement* placement = place(m, &scene);
    if (hf_scene_prepare(scene, s->epsilon, 1, NULL) != HF_OK) stop("grids");
    for (int k = 0; k < 3; k++) {
        hf_sample_options o = hf_sample_options_default();
        hf_samples* samples;
        o.count = counts[k], o.threads = 1;
        if (hf_samples_build(human, limb, &o, &samples, NULL) != HF_OK) stop("samples");
        setting other = *s;
        other.samples = samples;
        double ours = 0, total = 0;
        for (int i = 0; i < POSES; i++) {
            hf_candidate_query q = {.placement = placement, .base = pose(i), .epsilon = s->epsilon};
            int found;
            ours += time_ours(&other, &q, &found) / POSES;
            total += (double)found / POSES;
        }
        char name[96];
        snprintf(name, sizeof name, "candidates, %s, N = %d", scene_name, counts[k]);
        bench_row(name, ours * 1e6, "us", "found", total, 0);
        hf_samples_free(samples);
    }
    hf_placement_free(placement);
    hf_scene_free(scene);
}

/* ---- task-oriented sampling ---- */

/* Best effort score of any candidate: L f_T (v . n), method section 4. */
static double best_score(setting* s, const hf_samples* samples, const hf_candidate_query* q, hf_vec3 v,
                         double length) {
    hf_candidates c;
    hf_workspace_mark mark = hf_workspace_begin(s->workspace);
    if (hf_candidates_find(samples, q, s->workspace, &c) != HF_OK) stop("candidates");
    const float* score = hf_samples_get(samples).score;
    double best = 0, guard = 0.05 * length;
    for (int h = 0; h < c.hit_count; h++) {
        const float* n = c.triangles[c.hits[h].item].normal;
        double factor = v.x * (double)n[0] + v.y * (double)n[1] + v.z * (double)n[2];
        for (int lane = 0; lane < 8; lane++) {
            if (!(c.hits[h].lanes >> lane & 1)) continue;
            double g[6];
            for (int k = 0; k < 6; k++)
                g[k] =
                    (double)hf_sample_value(score, HF_SAMPLE_SCORE_ROWS, (int)c.hits[h].block * 8 + lane, k);
            double square = v.x * v.x * g[0] + v.y * v.y * g[1] + v.z * v.z * g[2] +
                            2 * (v.x * v.y * g[3] + v.x * v.z * g[4] + v.y * v.z * g[5]);
            best = fmax(best, length * factor / sqrt(square + guard * guard));
        }
    }
    hf_workspace_end(s->workspace, mark);
    return best;
}

/* Mean over places in the room and three directions each. */
static double mean_score(setting* s, const hf_creature* human, int limb, hf_placement* placement, int count,
                         double share) {
    double sum = 0, length = hf_creature_get(human)->limbs[limb].length;
    for (int i = 0; i < 3 * 4 * POSES; i++) {
        hf_random r = hf_random_start(9, 0, (uint64_t)(i / 3));
        double angle = hf_random_between(&r, -3, 3);
        hf_vec3 ahead = hf_v3(cos(angle), sin(angle), 0);
        hf_candidate_query q = {
            .placement = placement, .base = pose_in_room(i / 3), .epsilon = 0.03 * length};
        hf_vec3 v = hf_unrotate(q.base.rotation, i % 3 == 0   ? hf_v3(0, 0, 1)
                                                 : i % 3 == 1 ? ahead
                                                              : hf_neg(ahead));
        hf_sample_options o = hf_sample_options_default();
        o.count = count, o.threads = 1, o.task_share = share, o.task = v;
        hf_samples* samples;
        if (hf_samples_build(human, limb, &o, &samples, NULL) != HF_OK) stop("samples");
        sum += best_score(s, samples, &q, v, length);
        hf_samples_free(samples);
    }
    return sum / (3 * 4 * POSES);
}

static void measure_tasks(setting* s, const hf_creature* human, const mesh* room) {
    hf_scene* scene;
    hf_placement* placement = place(room, &scene);
    static const char* const limbs[2] = {"left_arm", "left_leg"};
    for (int i = 0; i < 2; i++) {
        int limb = hf_creature_find_limb(human, limbs[i]);
        char name[96];
        snprintf(name, sizeof name, "best effort, %s, N = 10,000, half for the task", limbs[i]);
        double ours = mean_score(s, human, limb, placement, 10000, 0.5);
        bench_row_higher(name, ours, "", "N = 10,000", mean_score(s, human, limb, placement, 10000, 0), 1.05);
        bench_row_higher(name, ours, "", "N = 20,000", mean_score(s, human, limb, placement, 20000, 0), 1);
    }
    hf_placement_free(placement);
    hf_scene_free(scene);
}

void bench_samples(void) {
    hf_creature* human;
    setting s = {0};
    if (hf_creature_load(bench_path("data/creatures/human.creature.json"), NULL, &human, NULL) != HF_OK)
        stop("human");
    int limb = hf_creature_find_limb(human, "left_arm");
    s.samples = measure_generation(human, limb);
    s.epsilon = 0.03 * hf_creature_get(human)->limbs[limb].length;
    s.near = take(SAMPLES, sizeof *s.near);
    s.points = take(SAMPLES, sizeof *s.points);
    hf_samples_view v = hf_samples_get(s.samples);
    s.tree = (octree){octant_make(hf_v3(0, 0, 0), 1.5), s.points};
    for (int i = 0; i < v.count; i++) {
        s.points[i] =
            hf_v3((double)hf_sample_value(v.point, 3, i, 0), (double)hf_sample_value(v.point, 3, i, 1),
                  (double)hf_sample_value(v.point, 3, i, 2));
        octant_add(&s.tree, s.tree.root, i, 0);
    }
    if (hf_workspace_create(&s.workspace) != HF_OK) stop("out of memory");
    mesh* m = take(1, sizeof *m);
    make_room(m);
    measure(&s, m, pose_in_room, true);
    measure_sizes(&s, human, limb, m, pose_in_room, "100 triangles");
    measure_tasks(&s, human, m);
    memset(m, 0, sizeof *m);
    make_wall(m);
    measure(&s, m, pose_at_wall, false);
    measure_sizes(&s, human, limb, m, pose_at_wall, "26,000 triangles");
    hf_free(m);
    octant_free(s.tree.root);
    hf_workspace_free(s.workspace);
    hf_free(s.near);
    hf_free(s.points);
    hf_samples_free((hf_samples*)s.samples);
    hf_creature_free(human);
}
