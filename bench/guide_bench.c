/* Guide paths: a box trunk through a window and under a bar against OMPL's RRTConnect with FCL, roadmaps of
   shipped scenarios, and how often a free trunk means a free whole pose. */
#include "bench.h"
#include "peer_ompl.h"
#include "../tests/guide_scenes.h"
#include "base/random.h"

#include <holdfast/holdfast.h>

#include <math.h>
#include <string.h>

enum {
    SEEDS = 100,
    ROADMAP_SEEDS = 20,
    PROPERTY_POSES = 1000,
    PROPERTY_SAMPLES = 10000,
    PROPERTY_DRAWS = 40000,
    MAX_LIMBS = 64
};
static const double MARGIN = 0.01; /* m, of the bounds around the scene */
static const double PEER_LIMIT_S = 60;

static void stop(const char* why) {
    fprintf(stderr, "bench guide: %s\n", why);
    exit(3);
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* ---- against OMPL ---- */

/* The same triangles as one mesh. */
static peer_ompl* peer_of(const hf_scene* scene) {
    static float vertices[SCENE_BOXES * 24];
    static unsigned indices[SCENE_BOXES * 36];
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int v = 0, t = 0;
    for (int o = 0; o < hf_scene_object_count(scene); o++) {
        hf_mesh mesh = hf_scene_object(scene, o).mesh;
        for (int i = 0; i < 3 * mesh.triangle_count; i++) indices[3 * t + i] = (unsigned)v + mesh.indices[i];
        for (int i = 0; i < 3 * mesh.vertex_count; i++) {
            vertices[3 * v + i] = mesh.vertices[i];
            low[i % 3] = fmin(low[i % 3], (double)mesh.vertices[i]);
            high[i % 3] = fmax(high[i % 3], (double)mesh.vertices[i]);
        }
        v += mesh.vertex_count, t += mesh.triangle_count;
    }
    for (int k = 0; k < 3; k++) low[k] -= MARGIN, high[k] += MARGIN;
    hf_vec3 half = trunk_box().half_size;
    return peer_ompl_build(vertices, v, indices, t, (double[]){half.x, half.y, half.z}, low, high);
}

/* Both sides search, neither smooths. */
static void compare(const char* name, box_scene boxes) {
    static double ours[SEEDS], theirs[SEEDS];
    int solved = 0, peer_solved = 0;
    hf_scene* scene = scene_of(&boxes);
    hf_placement* placement;
    hf_workspace* workspace;
    hf_guide_model* model;
    hf_shape box = trunk_box();
    if (hf_placement_create(scene, &placement) != HF_OK || hf_workspace_create(&workspace) != HF_OK ||
        hf_guide_model_create_plain(&box, hf_transform_identity(), &model, NULL) != HF_OK)
        stop("the scene cannot be made");
    peer_ompl* peer = peer_of(scene);
    hf_guide_path path = {0};
    hf_transform start = {{-1, 0, 0.5}, {1, 0, 0, 0}}, goal = {{1, 0, 0.5}, {1, 0, 0, 0}};
    for (int i = 0; i < SEEDS; i++) {
        hf_guide_options o = hf_guide_options_default();
        o.seed = (uint64_t)i, o.margin_m = MARGIN, o.smooth = false;
        o.max_samples = 1000000, o.max_tests = 100000000;
        double before = bench_now();
        if (hf_guide_find(model, placement, start, goal, &o, workspace, &path) != HF_OK)
            stop("a query failed");
        ours[i] = (bench_now() - before) * 1e3;
        solved += path.outcome == HF_FOUND;
        double time = peer_ompl_solve(peer, (double[]){-1, 0, 0.5, 1, 0, 0, 0},
                                      (double[]){1, 0, 0.5, 1, 0, 0, 0}, PEER_LIMIT_S, NULL);
        peer_solved += time >= 0;
        theirs[i] = (time >= 0 ? time : PEER_LIMIT_S) * 1e3;
    }
    qsort(ours, SEEDS, sizeof *ours, ascending);
    qsort(theirs, SEEDS, sizeof *theirs, ascending);
    static const struct {
        const char* name;
        int at;
        double goal;
    } rows[] = {{"lower quartile", SEEDS / 4, 0},
                {"median of 100 seeds", SEEDS / 2, 3},
                {"upper quartile", SEEDS * 3 / 4, 0}};
    char text[96];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "guide %s: %s", name, rows[i].name);
        bench_row(text, ours[rows[i].at], "ms", "OMPL", theirs[rows[i].at], rows[i].goal);
    }
    snprintf(text, sizeof text, "guide %s: solved of 100", name);
    bench_row_higher(text, solved, "", "limit", SEEDS, 1);
    snprintf(text, sizeof text, "guide %s: solved of 100, beside the peer", name);
    bench_row_higher(text, solved, "", "OMPL", peer_solved, 0);
    peer_ompl_free(peer);
    hf_guide_path_free(&path);
    hf_guide_model_free(model);
    hf_workspace_free(workspace);
    hf_placement_free(placement);
    hf_scene_free(scene);
}

/* ---- roadmaps ---- */

typedef struct stage {
    hf_scenario* scenario;
    hf_placement* placement;
    hf_guide_model* model;
} stage;

static stage stage_of(const char* name) {
    stage s;
    char path[256];
    hf_error error;
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    hf_guide_model_options o = hf_guide_model_options_default();
    if (hf_scenario_load(bench_path(path), NULL, &s.scenario, &error) != HF_OK ||
        hf_placement_create(s.scenario->scene, &s.placement) != HF_OK ||
        hf_guide_model_create(s.scenario->creature, &o, &s.model, &error) != HF_OK)
        stop(error.message);
    return s;
}

static void stage_free(stage* s) {
    hf_guide_model_free(s->model);
    hf_placement_free(s->placement);
    hf_scenario_free(s->scenario);
}

/* Trunk and reach volumes included: all that is made before the first query. */
static void roadmap_time(const char* name) {
    double before = bench_now();
    stage s = stage_of(name);
    hf_roadmap* roadmap;
    hf_roadmap_options o = hf_roadmap_options_default();
    if (hf_roadmap_build(s.model, s.placement, &o, &roadmap, NULL) != HF_OK) stop("no roadmap");
    char text[96];
    snprintf(text, sizeof text, "roadmap of %s, offline in all", name);
    bench_row(text, bench_now() - before, "s", "limit", 2, 1);
    hf_roadmap_free(roadmap);
    stage_free(&s);
}

/* The median time of a guide from the scenario's start to its goal, ms; by the trees without a roadmap. */
static double guide_time(const stage* s, const hf_roadmap* roadmap, hf_workspace* workspace,
                         hf_guide_path* path) {
    static double times[ROADMAP_SEEDS];
    hf_transform start = s->scenario->start.pose.root, goal = s->scenario->goal.pose.root;
    for (int i = 0; i < ROADMAP_SEEDS; i++) {
        hf_guide_options o = hf_guide_options_default();
        o.seed = (uint64_t)i + 1;
        double before = bench_now();
        hf_status status =
            roadmap ? hf_guide_find_on(roadmap, s->model, s->placement, start, goal, &o, workspace, path)
                    : hf_guide_find(s->model, s->placement, start, goal, &o, workspace, path);
        times[i] = (bench_now() - before) * 1e3;
        if (status != HF_OK || path->outcome != HF_FOUND) stop("no guide");
    }
    qsort(times, ROADMAP_SEEDS, sizeof *times, ascending);
    return times[ROADMAP_SEEDS / 2];
}

/* Guides by a roadmap that keeps the last guide of the trees, and by one that keeps none. */
static void roadmap_guides(const char* name) {
    stage s = stage_of(name);
    hf_workspace* workspace;
    if (hf_workspace_create(&workspace) != HF_OK) stop("out of memory");
    hf_guide_path path = {0}, other = {0};
    double trees = guide_time(&s, NULL, workspace, &path);
    for (int kept = 1; kept >= 0; kept--) {
        hf_roadmap_options o = hf_roadmap_options_default();
        o.guide = kept ? &path : NULL;
        hf_roadmap* roadmap;
        if (hf_roadmap_build(s.model, s.placement, &o, &roadmap, NULL) != HF_OK) stop("no roadmap");
        char text[96];
        snprintf(text, sizeof text, "guide of %s by a roadmap%s", name, kept ? " that keeps it" : "");
        bench_row(text, guide_time(&s, roadmap, workspace, &other), "ms", "trees", trees, kept);
        hf_roadmap_free(roadmap);
    }
    hf_guide_path_free(&path);
    hf_guide_path_free(&other);
    hf_workspace_free(workspace);
    stage_free(&s);
}

/* ---- the trunk property ---- */

/* Limbs that are moved one after the other; one that shares joints with an earlier one is not moved again. */
static bool shares_joints(const hf_creature_view* v, int limb, const int* limbs, int count) {
    for (int i = 0; i < count; i++)
        if (v->limbs[limbs[i]].root_link == v->limbs[limb].root_link) return true;
    return false;
}

typedef struct property {
    const hf_creature* creature;
    const hf_creature_view* view;
    int limb_count;
    int limbs[MAX_LIMBS];
    hf_samples* sets[MAX_LIMBS];
    hf_pose pose;
    hf_transform* links;
} property;

static void property_start(property* p, const hf_creature* creature) {
    p->creature = creature, p->view = hf_creature_get(creature), p->limb_count = 0;
    hf_sample_options o = hf_sample_options_default();
    o.count = PROPERTY_SAMPLES;
    for (int i = 0; i < p->view->limb_count && p->limb_count < MAX_LIMBS; i++) {
        const hf_limb* limb = &p->view->limbs[i];
        if (!limb->use || limb->joint_count == 0 || shares_joints(p->view, i, p->limbs, p->limb_count))
            continue;
        if (hf_samples_build(creature, i, &o, &p->sets[p->limb_count], NULL) != HF_OK) stop("no samples");
        p->limbs[p->limb_count++] = i;
    }
    p->pose.q = malloc(sizeof(double) * (size_t)p->view->q_count);
    p->links = malloc(sizeof(hf_transform) * (size_t)p->view->link_count);
}

static void property_end(property* p) {
    for (int i = 0; i < p->limb_count; i++) hf_samples_free(p->sets[i]);
    free(p->pose.q);
    free(p->links);
}

/* Any posture of a limb inside its limits; sample sets leave out the straight and the folded ones. */
static void draw_posture(property* p, const hf_limb* limb, int index) {
    hf_random r = hf_random_start(89, (uint32_t)limb->root_link, (uint64_t)index);
    for (int j = 0; j < limb->joint_count; j++) {
        const hf_joint* joint = &p->view->joints[limb->joints[j]];
        double low = fmax(joint->lower, -M_PI), high = fmin(joint->upper, M_PI);
        if (joint->q_count == 1) p->pose.q[joint->q_index] = hf_random_between(&r, low, high);
    }
    hf_pose_follow(p->creature, p->pose.q);
}

/* Each limb takes its first posture that collides with nothing: rest, samples, any. */
static bool has_free_pose(property* p, const hf_placement* placement, hf_transform root) {
    hf_pose_rest(p->creature, &p->pose);
    p->pose.root = root;
    hf_collision_query whole = hf_collision_query_default();
    hf_forward(p->creature, &p->pose, p->links);
    for (int i = 0; i < p->limb_count; i++) {
        const hf_limb* limb = &p->view->limbs[p->limbs[i]];
        hf_collision_query query = whole;
        query.limb = p->limbs[i];
        bool bad = hf_collides(p->creature, placement, p->links, &query, NULL);
        int samples = hf_samples_get(p->sets[i]).count;
        for (int k = 0; k < samples + PROPERTY_DRAWS && bad; k++) {
            // samples stand in the order of space: far ones one after the other
            if (k < samples)
                hf_samples_pose(p->creature, p->sets[i], (int)((long)k * 617 % samples), p->pose.q);
            else
                draw_posture(p, limb, k);
            if (!hf_pose_within_rom(p->creature, p->pose.q, 0)) continue;
            hf_forward_from(p->creature, limb->root_link, p->pose.q, p->links);
            bad = hf_collides(p->creature, placement, p->links, &query, NULL);
        }
        if (bad) return false;
    }
    return !hf_collides(p->creature, placement, p->links, &whole, NULL);
}

/* Roots about the scene's surfaces where the trunk is free and something is within reach. */
static void trunk_property(const char* const* names, int count) {
    int poses = 0, good = 0;
    for (int n = 0; n < count; n++) {
        stage s = stage_of(names[n]);
        property p;
        property_start(&p, s.scenario->creature);
        hf_vec3 low = s.scenario->start.pose.root.position, high = low,
                goal = s.scenario->goal.pose.root.position;
        low = hf_v3(fmin(low.x, goal.x) - 1, fmin(low.y, goal.y) - 1, fmin(low.z, goal.z) - 1);
        high = hf_v3(fmax(high.x, goal.x) + 1, fmax(high.y, goal.y) + 1, fmax(high.z, goal.z) + 1);
        int mine = 0, mine_good = 0;
        for (int i = 0; mine < PROPERTY_POSES && i < 200000; i++) {
            hf_random r = hf_random_start(88, (uint32_t)n, (uint64_t)i);
            hf_transform root;
            root.position = hf_v3(hf_random_between(&r, low.x, high.x), hf_random_between(&r, low.y, high.y),
                                  hf_random_between(&r, low.z, high.z));
            double way = hf_random_between(&r, -M_PI, M_PI);
            hf_quat lean = hf_quat_axis_angle(hf_v3(cos(way), sin(way), 0), hf_random_between(&r, 0, M_PI));
            root.rotation =
                hf_quat_mul(lean, hf_quat_axis_angle(hf_v3(0, 0, 1), hf_random_between(&r, -M_PI, M_PI)));
            hf_guide_state state = hf_guide_test(s.model, s.placement, root);
            if (state.fault == HF_GUIDE_TRUNK || state.fault == HF_GUIDE_TILT || !state.reach) continue;
            mine++;
            mine_good += has_free_pose(&p, s.placement, root);
        }
        char text[96];
        snprintf(text, sizeof text, "trunk free, whole pose free: %s", names[n]);
        bench_row_higher(text, (double)mine_good / (mine ? mine : 1), "", "limit", 0.99, 0);
        poses += mine, good += mine_good;
        property_end(&p);
        stage_free(&s);
    }
    bench_row_higher("trunk free, whole pose free: share over all scenes", (double)good / (poses ? poses : 1),
                     "", "limit", 0.99, 1);
}

void bench_guide(void) {
    compare("through a window of 0.7 m", window_scene(0.7));
    compare("under a bar with a gap of 0.55 m", bar_scene(0.55));
    roadmap_time("truck-crawl");
    roadmap_time("climb");
    roadmap_time("crawl-under");
    roadmap_guides("truck-crawl");
    roadmap_guides("race");
    roadmap_guides("insect-truck");
    static const char* const names[] = {"truck-crawl", "climb", "crawl-under", "rubble"};
    trunk_property(names, 4);
}
