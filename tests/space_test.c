/* The abstract searches over a plane with discs in it, and over any metric: the index against a scan, A*
   against Dijkstra, trees, shortcuts and roadmaps against the discs. */
#include "test.h"
#include "base/random.h"
#include "base/workspace.h"
#include "space/space_roadmap.h"
#include "space/space_shortcut.h"
#include "space/space_tree.h"

#include <math.h>
#include <string.h>

/* ---- a plane with discs ---- */

enum { MAX_DISCS = 16 };

typedef struct plane {
    int width; /* dimensions, 2 where discs count */
    int disc_count;
    double discs[MAX_DISCS][3]; /* x, y, radius */
    double size, step;
    uint64_t seed;
} plane;

static double distance(const void* user, const double* a, const double* b, double enough) {
    const plane* p = user;
    double sum = 0;
    for (int k = 0; k < p->width; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    double d = sqrt(sum);
    // a caller that has enough may be told anything from there on
    return d < enough ? d : enough + 1;
}

static bool is_free(const plane* p, const double* x) {
    for (int i = 0; i < p->disc_count; i++)
        if (hypot(x[0] - p->discs[i][0], x[1] - p->discs[i][1]) < p->discs[i][2]) return false;
    return fabs(x[0]) <= p->size && fabs(x[1]) <= p->size;
}

static bool valid(void* user, const double* x) { return is_free(user, x); }

static void between(const void* user, const double* a, const double* b, double t, double* x) {
    for (int k = 0; k < ((const plane*)user)->width; k++) x[k] = a[k] + t * (b[k] - a[k]);
}

/* Exact: the nearest point of the segment to each disc's middle. */
static bool segment_free(const plane* p, const double* a, const double* b) {
    if (!is_free(p, a) || !is_free(p, b)) return false;
    for (int i = 0; i < p->disc_count; i++) {
        double ux = b[0] - a[0], uy = b[1] - a[1], square = ux * ux + uy * uy;
        double t = square > 0 ? ((p->discs[i][0] - a[0]) * ux + (p->discs[i][1] - a[1]) * uy) / square : 0;
        t = fmin(1, fmax(0, t));
        if (hypot(a[0] + t * ux - p->discs[i][0], a[1] + t * uy - p->discs[i][1]) < p->discs[i][2])
            return false;
    }
    return true;
}

static hf_status passes(void* user, const double* a, const double* b, bool* good) {
    *good = segment_free(user, a, b);
    return HF_OK;
}

static hf_status draw(void* user, int64_t index, double* x, bool* drawn) {
    const plane* p = user;
    hf_random r = hf_random_start(p->seed, 7, (uint64_t)index);
    for (int k = 0; k < p->width; k++) x[k] = hf_random_between(&r, -p->size, p->size);
    *drawn = is_free(p, x);
    return HF_OK;
}

static hf_status extend(void* user, const double* a, const double* b, int round, double* x,
                        hf_space_step* step) {
    const plane* p = user;
    (void)round;
    double d = distance(p, a, b, INFINITY);
    between(p, a, b, d > p->step ? p->step / d : 1, x);
    if (d <= p->step) memcpy(x, b, sizeof *x * (size_t)p->width);
    *step = !segment_free(p, a, x) ? HF_SPACE_TRAPPED : d > p->step ? HF_SPACE_ADVANCED : HF_SPACE_REACHED;
    return HF_OK;
}

static bool join(void* user, const double* a, const double* b, double chance, double* mark) {
    assert_true(chance >= 0 && chance < 1);
    *mark = chance;
    return segment_free(user, a, b);
}

static hf_space space_of(plane* p) {
    return (hf_space){.width = p->width,
                      .user = p,
                      .distance = distance,
                      .between = between,
                      .valid = valid,
                      .passes = passes,
                      .draw = draw,
                      .extend = extend,
                      .join = join};
}

/* A wall of discs across the plane with one gap at y = 4. */
static plane wall(void) {
    plane p = {.width = 2, .size = 5, .step = 0.3, .seed = 3};
    for (int i = 0; i < 14; i++) {
        double* d = p.discs[p.disc_count++];
        d[0] = 0, d[1] = -5 + 0.6 * i, d[2] = 0.4;
    }
    return p;
}

static hf_workspace* workspace(void) {
    static hf_workspace* w;
    if (!w) assert_int_equal(hf_workspace_create(&w), HF_OK);
    return w;
}

/* ---- the nearest ---- */

static bool every_third(const void* user, int state) { return state % 3 == *(const int*)user; }

/* The k nearest by sorting all of them. */
static int brute(const hf_space_states* s, const hf_space* space, const double* to, int rest, int most,
                 int* found) {
    int count = 0;
    static bool taken[4096];
    memset(taken, 0, sizeof taken);
    for (; count < most; count++) {
        int best = -1;
        double least = INFINITY;
        for (int i = 0; i < s->rows.count; i++) {
            if (taken[i] || (rest >= 0 && i % 3 != rest)) continue;
            double d = space->distance(space->user, hf_space_row(&s->rows, i), to, INFINITY);
            if (d < least) least = d, best = i;
        }
        if (best < 0) break;
        taken[best] = true;
        found[count] = best;
    }
    return count;
}

/* Random states, states on a grid (many ties), and states in a row; the index starts at some number of them
   and must agree with the scan and with sorting before and after. */
static void index_equals_brute_force(void** state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        plane p = {.width = kind % 2 ? 5 : 2, .size = 10};
        hf_space space = space_of(&p);
        hf_workspace_mark mark = hf_workspace_begin(workspace());
        hf_space_states s = hf_space_states_start(p.width, workspace());
        for (int i = 0; i < 2600; i++) {
            hf_random r = hf_random_start(11, (uint32_t)kind, (uint64_t)i);
            double x[5], to[5];
            for (int k = 0; k < p.width; k++) {
                x[k] = hf_random_between(&r, -10, 10), to[k] = hf_random_between(&r, -10, 10);
                if (kind / 2 == 1) x[k] = round(x[k] / 3), to[k] = round(to[k] / 3);
                if (kind / 2 == 2) x[k] = 0.01 * i + (k == 1 ? 1 : 0);
            }
            assert_int_equal(hf_space_states_add(&s, &space, x), HF_OK);
            if (i % 7 != 0 && i != 2599) continue;
            int most = i % 2 ? 1 : 5, rest = i % 3, a[64], b[64], c[64];
            bool filtered = i % 5 == 0;
            int n = brute(&s, &space, to, filtered ? rest : -1, most, a);
            bool (*accept)(const void*, int) = filtered ? every_third : NULL;
            assert_int_equal(hf_space_nearest(&s, &space, to, accept, &rest, most, b), n);
            assert_int_equal(hf_space_nearest_scan(&s, &space, to, accept, &rest, most, c), n);
            assert_memory_equal(a, b, sizeof *a * (size_t)n);
            assert_memory_equal(a, c, sizeof *a * (size_t)n);
        }
        assert_int_equal(s.ball_count, s.rows.count); // the index was in use
        hf_workspace_end(workspace(), mark);
    }
}

/* ---- shortest ways ---- */

enum { NODES = 60 };

/* Plain Dijkstra over a matrix. */
static double dijkstra(double length[NODES][NODES], int from, int to) {
    double best[NODES];
    bool done[NODES] = {0};
    for (int i = 0; i < NODES; i++) best[i] = INFINITY;
    best[from] = 0;
    for (int round = 0; round < NODES; round++) {
        int at_node = -1;
        for (int i = 0; i < NODES; i++)
            if (!done[i] && isfinite(best[i]) && (at_node < 0 || best[i] < best[at_node])) at_node = i;
        if (at_node < 0) break;
        done[at_node] = true;
        for (int i = 0; i < NODES; i++) best[i] = fmin(best[i], best[at_node] + length[at_node][i]);
    }
    return best[to];
}

static void astar_equals_dijkstra(void** state) {
    (void)state;
    plane p = {.width = 3, .size = 10};
    hf_space space = space_of(&p);
    int joined = 0, apart = 0;
    for (int trial = 0; trial < 200; trial++) {
        hf_workspace_mark mark = hf_workspace_begin(workspace());
        hf_random r = hf_random_start(9, 4, (uint64_t)trial);
        hf_space_graph g = hf_space_graph_start(p.width, workspace());
        static double length[NODES][NODES];
        for (int i = 0; i < NODES; i++) {
            double x[3] = {hf_random_between(&r, -3, 3), hf_random_between(&r, -3, 3), hf_random_unit(&r)};
            assert_int_equal(hf_space_graph_add(&g, &space, x), HF_OK);
            for (int k = 0; k < NODES; k++) length[i][k] = INFINITY;
        }
        for (int e = 0; e < 70; e++) {
            int a = (int)(hf_random_unit(&r) * NODES), b = (int)(hf_random_unit(&r) * NODES);
            if (a == b) continue;
            assert_int_equal(hf_space_graph_join(&g, a, b, e), HF_OK);
            length[a][b] = length[b][a] =
                distance(&p, hf_space_graph_node(&g, a), hf_space_graph_node(&g, b), INFINITY);
        }
        hf_space_route route;
        assert_int_equal(hf_space_graph_search(&g, &space, 0, 1, INFINITY, &route), HF_OK);
        double expected = dijkstra(length, 0, 1), sum = 0;
        assert_int_equal(route.found, isfinite(expected));
        assert_int_equal(route.found, hf_space_graph_component(&g, 0) == hf_space_graph_component(&g, 1));
        joined += route.found, apart += !route.found;
        // the half-edges lead from 0 to 1 without a gap
        int at = 0;
        for (int i = route.count - 1; i >= 0; i--) {
            assert_int_equal(hf_space_half_start(&g, route.halves[i]), at);
            int next = hf_space_half_end(&g, route.halves[i]);
            sum += length[at][next];
            at = next;
        }
        if (route.found) {
            assert_int_equal(at, 1);
            assert_near(route.length, expected, 1e-9);
            assert_near(sum, expected, 1e-9);
        }
        hf_workspace_end(workspace(), mark);
    }
    assert_true(joined > 50 && apart > 5);
}

/* ---- trees and shortcuts ---- */

static void assert_way(const plane* p, const hf_space_rows* path, const double* start, const double* goal) {
    assert_true(path->count >= 2);
    assert_memory_equal(hf_space_row(path, 0), start, 2 * sizeof *start);
    assert_memory_equal(hf_space_row(path, path->count - 1), goal, 2 * sizeof *goal);
    for (int i = 1; i < path->count; i++)
        assert_true(segment_free(p, hf_space_row(path, i - 1), hf_space_row(path, i)));
}

static double length_of(const plane* p, const hf_space_rows* path) {
    double length = 0;
    for (int i = 1; i < path->count; i++)
        length += distance(p, hf_space_row(path, i - 1), hf_space_row(path, i), INFINITY);
    return length;
}

static void trees_go_through_the_gap(void** state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        plane p = wall();
        p.seed = (uint64_t)k;
        hf_space space = space_of(&p);
        double start[2] = {-4, -4}, goal[2] = {4, -4};
        hf_workspace_mark mark = hf_workspace_begin(workspace());
        hf_space_tree tree;
        hf_space_tree_options o = {.direct = k % 2, .longest_try = k % 3, .max_extensions = 20000};
        assert_int_equal(hf_space_tree_search(&tree, &space, &o, start, goal, workspace()), HF_OK);
        assert_true(tree.met);
        hf_space_rows path = hf_space_rows_start(2, workspace());
        assert_int_equal(hf_space_tree_way(&tree, &path), HF_OK);
        assert_way(&p, &path, start, goal);
        double before = length_of(&p, &path);
        int count = path.count;
        assert_int_equal(hf_space_path_prune(&space, &path, k % 2), HF_OK);
        assert_way(&p, &path, start, goal);
        assert_true(path.count < count);
        assert_int_equal(hf_space_path_shorten(&space, &path, 1, 200), HF_OK);
        assert_way(&p, &path, start, goal);
        // round the corner of the wall at (0, 3.2): never shorter than through the nearest free point
        double least = 2 * hypot(4, 7.2), after = length_of(&p, &path);
        assert_true(after <= before + 1e-9 && after > least - 1e-9 && after < 1.1 * least);
        hf_workspace_end(workspace(), mark);
    }
}

static bool hundred(void* user, int64_t draws) {
    (void)user;
    return draws < 100;
}

/* A closed wall: the budgets end it, and the ends are the two states that came nearest to each other. */
static void no_way_is_said(void** state) {
    (void)state;
    plane p = wall();
    p.discs[p.disc_count][0] = 0, p.discs[p.disc_count][1] = 4.2, p.discs[p.disc_count++][2] = 1.2;
    hf_space space = space_of(&p);
    double start[2] = {-4, -4}, goal[2] = {4, -4};
    for (int k = 0; k < 2; k++) {
        hf_workspace_mark mark = hf_workspace_begin(workspace());
        hf_space_tree tree;
        hf_space_tree_options o = {.max_extensions = k ? 500 : 0, .goes_on = k ? NULL : hundred};
        assert_int_equal(hf_space_tree_search(&tree, &space, &o, start, goal, workspace()), HF_OK);
        assert_true(!tree.met && (k ? tree.extensions == 500 : tree.draws == 100));
        const double *a = hf_space_row(&tree.sides[0].states.rows, tree.ends[0]),
                     *b = hf_space_row(&tree.sides[1].states.rows, tree.ends[1]);
        assert_true(a[0] < 0 && b[0] > 0);
        assert_near(tree.gap, distance(&p, a, b, INFINITY), 1e-12);
        hf_workspace_end(workspace(), mark);
    }
}

/* ---- roadmaps ---- */

/* Edges hold, every free place sees the roadmap, one component joins both sides, threads change nothing. */
static void roadmap_covers_the_plane(void** state) {
    (void)state;
    int edges = 0, nodes = 0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        plane p = wall();
        hf_space spaces[4];
        for (int i = 0; i < 4; i++) spaces[i] = space_of(&p);
        hf_space_roadmap r;
        hf_space_roadmap_options o = {
            .tries = 300, .max_samples = 20000, .max_nodes = 500, .seed = 2, .threads = threads};
        hf_workspace_mark mark = hf_workspace_begin(workspace());
        assert_int_equal(hf_space_roadmap_grow(&r, spaces, &o, workspace()), HF_OK);
        assert_int_equal(r.outcome, HF_FOUND);
        for (int e = 0; e < r.graph.edge_count; e++)
            assert_true(segment_free(&p, hf_space_graph_node(&r.graph, r.graph.edges[e].a),
                                     hf_space_graph_node(&r.graph, r.graph.edges[e].b)));
        // a visibility roadmap has no cycles, and the gap joins all of it
        int count = hf_space_graph_count(&r.graph);
        assert_int_equal(hf_space_graph_components(&r.graph), count - r.graph.edge_count);
        assert_int_equal(hf_space_graph_components(&r.graph), 1);
        int seen = 0, total = 0;
        for (int i = 0; i < 500; i++) {
            double x[2];
            bool drawn, sees = false;
            draw(&p, 1000000 + i, x, &drawn);
            if (!drawn) continue;
            for (int n = 0; n < count && !sees; n++)
                sees = segment_free(&p, x, hf_space_graph_node(&r.graph, n));
            seen += sees, total++;
        }
        assert_true(seen >= 0.98 * total);
        if (threads > 1) assert_true(edges == r.graph.edge_count && nodes == count);
        edges = r.graph.edge_count, nodes = count;
        hf_workspace_end(workspace(), mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_equals_brute_force), cmocka_unit_test(astar_equals_dijkstra),
        cmocka_unit_test(trees_go_through_the_gap), cmocka_unit_test(no_way_is_said),
        cmocka_unit_test(roadmap_covers_the_plane),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hf_workspace_free(workspace());
    return failed;
}
