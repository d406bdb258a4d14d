/* Sample sets: drawn inside limits and regions, measured right, the same for every thread and instruction
   set, mirrored, kept in files that are believed only when whole. */
#include "test.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "contact/sample_draw.h"
#include "contact/sample_set.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static hf_creature* human;  /* as shipped */
static hf_creature* region; /* the same body with regions of both kinds */

static hf_creature* load(const char* path) {
    hf_creature* c;
    hf_error error;
    char text[1200];
    if (hf_creature_load(path, NULL, &c, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    return c;
}

static void write_text(const char* name, const char* text, char path[1024]) {
    snprintf(path, 1024, "%s/%s", test_folder(), name);
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Shoulders with two pieces apart from each other, the second three times as large; hips with a polygon. */
static hf_creature* load_with_regions(void) {
    char path[1024], text[4096];
    write_text(
        "two.rom.json",
        "{ \"joints\": [\"a\",\"b\",\"c\"], \"pieces\": ["
        "{ \"A\": [[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]], \"b\": [0.1,0.3,0.2,0.2,0.2,0.2] },"
        "{ \"A\": [[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]], \"b\": [0.9,-0.3,0.2,0.2,0.4,0.2] } "
        "] }",
        path);
    write_text("swing.rom.json",
               "{ \"joints\": [\"a\",\"b\",\"c\"], \"swing_polygon\": "
               "[[0.6,0.5,-1],[0.6,-0.5,-1],[-0.4,-0.5,-1],[-0.4,0.5,-1]], \"twist\": [-0.3,0.4] }",
               path);
    snprintf(
        text, sizeof text,
        "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"regions\","
        "\"urdf\": \"%s\", \"limbs\": ["
        "{ \"name\": \"left_arm\", \"root\": \"l_clavicle\", \"effector\": \"l_hand\", \"contact\": "
        "{ \"offset\": [0,-0.014,-0.055], \"normal\": [0,-1,0] } },"
        "{ \"name\": \"right_arm\", \"root\": \"r_clavicle\", \"effector\": \"r_hand\", \"mirror_of\": "
        "\"left_arm\", \"contact\": { \"offset\": [0,0.014,-0.055], \"normal\": [0,1,0] } },"
        "{ \"name\": \"left_leg\", \"root\": \"l_thigh_a\", \"effector\": \"l_foot\" },"
        "{ \"name\": \"seat\", \"root\": \"pelvis\", \"effector\": \"pelvis\", \"contact\": { \"offset\": "
        "[0,0,-0.1], \"normal\": [0,0,-1] } } ],"
        "\"rom\": [ { \"joints\": [\"l_shoulder_y\",\"l_shoulder_x\",\"l_shoulder_z\"], \"region\": "
        "\"two.rom.json\" },"
        "{ \"joints\": [\"l_hip_y\",\"l_hip_x\",\"l_hip_z\"], \"region\": \"swing.rom.json\" } ] }",
        data_path("data/creatures/human.urdf"));
    write_text("regions.creature.json", text, path);
    return load(path);
}

static hf_samples* build(const hf_creature* c, int limb, int count, int threads) {
    hf_sample_options o = hf_sample_options_default();
    hf_samples* s;
    hf_error error;
    char text[1200];
    o.count = count, o.threads = threads;
    if (hf_samples_build(c, limb, &o, &s, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    return s;
}

static int limb_of(const hf_creature* c, const char* name) {
    int limb = hf_creature_find_limb(c, name);
    assert_true(limb >= 0);
    return limb;
}

static void assert_same_block(const hf_samples* a, const hf_samples* b) {
    assert_true(a->block->byte_count == b->block->byte_count);
    assert_memory_equal(a->block, b->block, a->block->byte_count);
}

/* ---- drawing ---- */

static void test_words(void** state) {
    (void)state;
    static _Alignas(64) uint32_t index[HF_DRAW_CHUNK], out[4][HF_DRAW_CHUNK];
    const uint64_t seed = 0x123456789abcdef0ull;
    for (uint32_t i = 0; i < 48; i++) index[i] = i * 2654435761u;
    for (hf_cpu cpu = 0; cpu < HF_CPU_COUNT; cpu++) {
        const hf_draw_kernel* k = hf_draw_kernel_for(cpu);
        if (!k) continue;
        k->words(seed, 77, index, 0x10003, 48, out[0]);
        for (int i = 0; i < 48; i++) {
            hf_random4 want = hf_random_words(seed, 77, index[i], 0x10003);
            for (int w = 0; w < 4; w++) assert_int_equal(out[w][i], want.v[w]);
        }
    }
}

static void test_threads_and_kernels(void** state) {
    (void)state;
    for (int limb = 0; limb < hf_creature_get(human)->limb_count; limb++) {
        hf_samples* one = build(human, limb, 3000, 1);
        for (int threads = 2; threads <= 4; threads += 2) {
            hf_samples* more = build(human, limb, 3000, threads);
            assert_same_block(one, more);
            hf_samples_free(more);
        }
        hf_samples_free(one);
    }
    hf_sample_options o = hf_sample_options_default();
    for (int limb = 0; limb < hf_creature_get(region)->limb_count; limb++) {
        hf_samples *first, *other;
        assert_int_equal(hf_samples_build_on(HF_CPU_BASELINE, region, limb, &o, &first, NULL), HF_OK);
        for (hf_cpu cpu = HF_CPU_AVX2; cpu <= hf_cpu_best(); cpu++) {
            assert_int_equal(hf_samples_build_on(cpu, region, limb, &o, &other, NULL), HF_OK);
            assert_same_block(first, other);
            hf_samples_free(other);
        }
        hf_samples_free(first);
    }
}

static void test_seeds_differ(void** state) {
    (void)state;
    hf_sample_options o = hf_sample_options_default();
    hf_samples *a, *b;
    o.count = 100;
    assert_int_equal(hf_samples_build(human, 0, &o, &a, NULL), HF_OK);
    o.seed = 2;
    assert_int_equal(hf_samples_build(human, 0, &o, &b, NULL), HF_OK);
    assert_memory_not_equal(hf_sample_thetas(a->block), hf_sample_thetas(b->block), 8 * sizeof(float));
    hf_samples_free(a);
    hf_samples_free(b);
}

/* Every sample inside limits and regions, in double and without tolerance. */
static void test_within_limits(void** state) {
    (void)state;
    const hf_creature* both[2] = {human, region};
    for (int c = 0; c < 2; c++) {
        const hf_creature_view* v = hf_creature_get(both[c]);
        double* q = hf_alloc((size_t)v->q_count, sizeof *q);
        for (int limb = 0; limb < v->limb_count; limb++) {
            hf_samples* s = build(both[c], limb, 2000, 0);
            int count = hf_samples_get(s).count;
            assert_true(count > (v->limbs[limb].joint_count ? 500 : 0));
            memcpy(q, v->rest, (size_t)v->q_count * sizeof *q);
            for (int i = 0; i < count; i++) {
                hf_samples_pose(both[c], s, i, q);
                for (int k = 0; k < v->limbs[limb].joint_count; k++) {
                    const hf_joint* j = &v->joints[v->limbs[limb].joints[k]];
                    assert_true(q[j->q_index] >= j->lower && q[j->q_index] <= j->upper);
                }
                for (int r = 0; r < v->rom_count; r++) assert_true(hf_rom_contains(both[c], r, q, 0));
            }
            hf_samples_free(s);
        }
        hf_free(q);
    }
}

/* The pieces are met in the proportion of their volumes, 16 to 48, and joints outside regions evenly. */
static void test_even(void** state) {
    (void)state;
    enum { CHUNKS = 20 };
    hf_draw_plan plan;
    int limb = limb_of(region, "left_arm"), n = hf_creature_get(region)->limbs[limb].joint_count;
    assert_int_equal(hf_draw_plan_make(region, limb, 5, &plan, NULL), HF_OK);
    hf_draw_scratch* scratch = hf_alloc_aligned(1, sizeof *scratch);
    scratch->q = hf_alloc((size_t)hf_creature_get(region)->q_count, sizeof(double));
    float* theta = hf_alloc_aligned((size_t)n * HF_DRAW_CHUNK, sizeof *theta);
    uint8_t bad[HF_DRAW_CHUNK];
    uint32_t index[HF_DRAW_CHUNK];
    int first = 0, shoulder = plan.regions[0].row[0], low = 0, total = CHUNKS * HF_DRAW_CHUNK;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        for (uint32_t k = 0; k < HF_DRAW_CHUNK; k++) index[k] = (uint32_t)chunk * HF_DRAW_CHUNK + k;
        hf_draw(&plan, hf_draw_kernel_for(hf_cpu_best()), index, HF_DRAW_CHUNK, scratch, theta, bad);
        for (int k = 0; k < HF_DRAW_CHUNK; k++) {
            assert_false(bad[k]);
            first += theta[shoulder * HF_DRAW_CHUNK + k] < 0.2f;
            low += theta[(n - 1) * HF_DRAW_CHUNK + k] < 0.75f * plan.lower[n - 1] + 0.25f * plan.upper[n - 1];
        }
    }
    // volumes 0.4 0.4 0.4 and 0.6 0.4 0.6; five standard deviations
    double share = 0.064 / (0.064 + 0.144);
    assert_near(first, share * total, 5 * sqrt(total * share * (1 - share)));
    assert_near(low, 0.25 * total, 5 * sqrt(total * 0.25 * 0.75));
    hf_free(theta);
    hf_free(scratch->q);
    hf_free(scratch);
    hf_draw_plan_free(&plan);
}

/* ---- measures ---- */

static double product_of_largest(const double g[6], int n) {
    if (n == 0) return 1;
    if (n == 1) return sqrt(g[0] + g[1] + g[2]);
    double a = g[1] * g[2] - g[5] * g[5], b = g[0] * g[2] - g[4] * g[4], c = g[0] * g[1] - g[3] * g[3];
    if (n == 2) return sqrt(a + b + c);
    double det = g[0] * a - g[3] * (g[3] * g[2] - g[5] * g[4]) + g[4] * (g[3] * g[5] - g[1] * g[4]);
    return sqrt(fmax(det, 0));
}

static void check_sample(const hf_creature* c, const hf_samples* s, int i, double* q, hf_transform* links) {
    const hf_creature_view* v = hf_creature_get(c);
    hf_samples_view w = hf_samples_get(s);
    const hf_limb* l = &v->limbs[w.limb];
    hf_samples_pose(c, s, i, q);
    hf_pose pose = {hf_transform_identity(), q};
    hf_forward(c, &pose, links);
    hf_transform base = hf_limb_base(c, w.limb, links);
    hf_contact_frame own = {.link = l->effector_link, .normal = {0, 0, 1}};
    const hf_contact_frame* f = w.contact >= 0 ? &l->contacts[w.contact] : &own;
    hf_vec3 world = hf_apply(links[f->link], f->offset), p = hf_unapply(base, world);
    hf_vec3 n = hf_unrotate(base.rotation, hf_rotate(links[f->link].rotation, f->normal));
    assert_near(hf_sample_value(w.point, 3, i, 0), p.x, 2e-6);
    assert_near(hf_sample_value(w.point, 3, i, 1), p.y, 2e-6);
    assert_near(hf_sample_value(w.point, 3, i, 2), p.z, 2e-6);
    assert_near(hf_sample_value(w.score, 10, i, 6), n.x, 4e-6);
    assert_near(hf_sample_value(w.score, 10, i, 7), n.y, 4e-6);
    assert_near(hf_sample_value(w.score, 10, i, 8), n.z, 4e-6);
    // J in the limb's root frame: rows turned
    double jacobian[3 * 64], turned[3 * 64], gram[6];
    int columns = l->joint_count;
    assert_true(columns <= 64);
    hf_limb_jacobian(c, w.limb, links, world, 3, jacobian);
    for (int k = 0; k < columns; k++) {
        hf_vec3 column =
            hf_unrotate(base.rotation, hf_v3(jacobian[k], jacobian[columns + k], jacobian[2 * columns + k]));
        turned[k] = column.x, turned[columns + k] = column.y, turned[2 * columns + k] = column.z;
    }
    hf_jacobian_gram(turned, columns, gram);
    for (int k = 0; k < 6; k++) assert_near(hf_sample_value(w.score, 10, i, k), gram[k], 1e-5);
    double want = product_of_largest(gram, columns);
    assert_near(hf_sample_value(w.score, 10, i, 9), want, 1e-3 * w.max_manipulability);
    if (columns) assert_true(want >= 0.049 * w.max_manipulability);
}

static void test_measures(void** state) {
    (void)state;
    const hf_creature_view* v = hf_creature_get(human);
    double* q = hf_alloc((size_t)v->q_count, sizeof *q);
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    memcpy(q, v->rest, (size_t)v->q_count * sizeof *q);
    for (int limb = 0; limb < v->limb_count; limb++) {
        hf_samples* s = build(human, limb, 1000, 1);
        for (int i = 0; i < hf_samples_get(s).count; i += 3) check_sample(human, s, i, q, links);
        hf_samples_free(s);
    }
    // a limb without joints, and one without contact frames
    hf_samples* seat = build(region, limb_of(region, "seat"), 1000, 1);
    assert_int_equal(hf_samples_get(seat).count, 1);
    assert_near(hf_sample_value(hf_samples_get(seat).score, 10, 0, 9), 1, 0);
    hf_samples_free(seat);
    hf_free(q);
    hf_free(links);
}

/* All points in the boxes of all levels above them. */
static void test_index_holds(void** state) {
    (void)state;
    const int counts[] = {1, 7, 8, 9, 63, 64, 65, 512, 513, 5000};
    for (size_t t = 0; t < sizeof counts / sizeof *counts; t++) {
        hf_samples* s = build(human, 0, counts[t], 1);
        const hf_sample_block* b = s->block;
        const hf_sample_node* nodes = hf_sample_nodes(b);
        assert_int_equal(b->level_first[b->level_count] - b->level_first[b->level_count - 1], 1);
        for (uint32_t i = 0; i < b->sample_count; i++) {
            uint32_t item = i / 8;
            for (uint32_t level = 0; level < b->level_count; level++, item /= 8) {
                const hf_sample_node* n = &nodes[b->level_first[level] + item / 8];
                for (int k = 0; k < 3; k++) {
                    double x = (double)hf_sample_value(hf_sample_points(b), 3, (int)i, k);
                    assert_true(fabs(x - (double)n->center[k][item % 8]) <= (double)n->half[k][item % 8]);
                }
            }
        }
        hf_samples_free(s);
    }
}

static void test_sort(void** state) {
    (void)state;
    enum { COUNT = 3000 };
    hf_morton items[COUNT], scratch[COUNT];
    hf_random r = hf_random_start(3, 1, 0);
    for (uint32_t i = 0; i < COUNT; i++) items[i] = (hf_morton){hf_random_bits(&r) >> (i % 2 ? 2 : 22), i};
    hf_morton_sort(items, scratch, COUNT);
    for (int i = 1; i < COUNT; i++) {
        assert_true(items[i - 1].code <= items[i].code);
        if (items[i - 1].code == items[i].code) assert_true(items[i - 1].index < items[i].index);
    }
    // bits of three axes take turns
    const float low[3] = {0, 0, 0}, per[3] = {1024, 1024, 1024};
    assert_int_equal(hf_morton_code((float[3]){0.5f, 0, 0}, low, per), 1u << 27);
    assert_int_equal(hf_morton_code((float[3]){0, 0.5f, 0}, low, per), 1u << 28);
    assert_int_equal(hf_morton_code((float[3]){0, 0, 1 / 1024.0f}, low, per), 1u << 2);
}

/* ---- mirrored limbs ---- */

static int by_theta(const void* a, const void* b) { return memcmp(a, b, 4 * sizeof(float)); }

/* The first four joint values of each sample, signed, sorted. */
static float (*thetas_of(const hf_samples* s, const float* signs))[4] {
    hf_samples_view v = hf_samples_get(s);
    float(*out)[4] = hf_alloc((size_t)v.count, sizeof *out);
    for (int i = 0; i < v.count; i++)
        for (int k = 0; k < 4; k++) {
            float x = hf_sample_value(v.theta, v.joint_count, i, k) * (signs ? signs[k] : 1);
            out[i][k] = x == 0 ? 0 : x;
        }
    qsort(out, (size_t)v.count, sizeof *out, by_theta);
    return out;
}

static void test_mirrored(void** state) {
    (void)state;
    int left = limb_of(human, "left_arm"), right = limb_of(human, "right_arm");
    const hf_creature_view* v = hf_creature_get(human);
    assert_int_equal(v->limbs[right].mirror_of, left);
    float signs[64];
    bool pairs;
    assert_int_equal(hf_mirror_signs(human, right, signs, &pairs), HF_OK);
    assert_true(pairs);
    hf_samples *a = build(human, left, 2000, 1), *b = build(human, right, 2000, 1);
    hf_samples_view va = hf_samples_get(a), vb = hf_samples_get(b);
    // the same joint values; rounding may decide otherwise about one at the edge of being dropped
    float(*ta)[4] = thetas_of(a, signs), (*tb)[4] = thetas_of(b, NULL);
    int same = 0;
    for (int i = 0, j = 0; i < va.count && j < vb.count;) {
        int order = by_theta(ta[i], tb[j]);
        same += order == 0;
        i += order <= 0, j += order >= 0;
    }
    assert_true(same >= va.count - 1 && same >= vb.count - 1);
    hf_free(ta);
    hf_free(tb);
    hf_samples_free(a);
    hf_samples_free(b);
    // the region holds for the left shoulder alone: the right arm draws inside its own limits, and mirrors it
    // wherever those allow
    b = build(region, limb_of(region, "right_arm"), 2000, 1);
    hf_samples_view w = hf_samples_get(b);
    assert_int_equal(hf_mirror_signs(region, limb_of(region, "right_arm"), signs, &pairs), HF_OK);
    int mirrored = 0, rom_row = hf_creature_get(region)->roms[0].joints[0], row = 0;
    const hf_limb* l = &hf_creature_get(region)->limbs[limb_of(region, "left_arm")];
    while (l->joints[row] != rom_row) row++;
    for (int i = 0; i < w.count; i++) {
        float x[3];
        for (int k = 0; k < 3; k++)
            x[k] = signs[row + k] * hf_sample_value(w.theta, w.joint_count, i, row + k);
        bool first = x[0] <= 0.1f && x[0] >= -0.3f && fabsf(x[2]) <= 0.2f;
        bool second = x[0] <= 0.9f && x[0] >= 0.3f && x[2] <= 0.4f && x[2] >= -0.2f;
        mirrored += fabsf(x[1]) <= 0.2f && (first || second);
    }
    assert_true(w.count > 1900 && mirrored > 0.9 * w.count);
    hf_samples_free(b);
}

/* ---- tasks ---- */

/* Mean of 1 / sqrt(v^T G v + (0.05 L)^2) over a set. */
static double mean_force(const hf_samples* s, hf_vec3 v, double length) {
    hf_samples_view w = hf_samples_get(s);
    double sum = 0;
    for (int i = 0; i < w.count; i++) {
        double g[6];
        for (int k = 0; k < 6; k++) g[k] = (double)hf_sample_value(w.score, 10, i, k);
        double square = v.x * v.x * g[0] + v.y * v.y * g[1] + v.z * v.z * g[2] +
                        2 * (v.x * v.y * g[3] + v.x * v.z * g[4] + v.y * v.z * g[5]);
        sum += 1 / sqrt(square + 0.0025 * length * length);
    }
    return sum / w.count;
}

static void test_task(void** state) {
    (void)state;
    const hf_vec3 tasks[3] = {{0, 0, 2}, {1, 0, 0}, {-0.3, 0.8, -0.2}};
    hf_sample_options o = hf_sample_options_default();
    o.count = 3000, o.task_share = 0.5;
    for (int t = 0; t < 3; t++)
        for (int limb = 0; limb < 3; limb++) {
            const hf_creature_view* v = hf_creature_get(region);
            hf_samples *plain = build(region, limb, 3000, 1), *one, *four;
            o.task = tasks[t];
            o.threads = 1;
            assert_int_equal(hf_samples_build(region, limb, &o, &one, NULL), HF_OK);
            o.threads = 4;
            assert_int_equal(hf_samples_build(region, limb, &o, &four, NULL), HF_OK);
            assert_same_block(one, four);
            hf_vec3 unit = hf_normalize(tasks[t]);
            double length = v->limbs[limb].length;
            assert_true(mean_force(one, unit, length) > 1.02 * mean_force(plain, unit, length));
            // still inside limits and regions
            double* q = hf_alloc((size_t)v->q_count, sizeof *q);
            memcpy(q, v->rest, (size_t)v->q_count * sizeof *q);
            for (int i = 0; i < hf_samples_get(one).count; i++) {
                hf_samples_pose(region, one, i, q);
                assert_true(hf_pose_within_rom(region, q, 0));
            }
            hf_free(q);
            hf_samples_free(plain);
            hf_samples_free(one);
            hf_samples_free(four);
        }
    // no direction, or none that can be used
    hf_samples* s;
    hf_error error;
    o.task = hf_v3(0, 0, 0);
    assert_int_equal(hf_samples_build(region, 0, &o, &s, &error), HF_ERROR_ARGUMENT);
    o.task = hf_v3(NAN, 0, 1);
    assert_int_equal(hf_samples_build(region, 0, &o, &s, &error), HF_ERROR_ARGUMENT);
    o.task = hf_v3(0, 0, 1), o.task_share = 1;
    assert_int_equal(hf_samples_build(region, 0, &o, &s, &error), HF_ERROR_ARGUMENT);
}

/* ---- files ---- */

static char* read_file(const char* path, size_t* size) {
    char* bytes;
    assert_int_equal(hf_file_read(path, &bytes, size, NULL), HF_OK);
    return bytes;
}

static void write_file(const char* path, const char* bytes, size_t size) {
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void test_file(void** state) {
    (void)state;
    hf_sample_options o = hf_sample_options_default();
    o.count = 300;
    char path[1024];
    snprintf(path, sizeof path, "%s/arm.hfs", test_folder());
    hf_samples *built, *loaded;
    hf_error error;
    assert_int_equal(hf_samples_build(human, 0, &o, &built, NULL), HF_OK);
    assert_int_equal(hf_samples_save(built, path, NULL), HF_OK);
    assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, NULL), HF_OK);
    assert_true(hf_samples_get(loaded).mapped);
    // the same but for the checksum
    assert_true(built->block->byte_count == loaded->block->byte_count);
    size_t head = sizeof(hf_sample_block);
    assert_memory_equal((char*)built->block + head, (char*)loaded->block + head,
                        built->block->byte_count - head);
    hf_samples_free(loaded);
    // of something else
    hf_sample_options other = o;
    other.seed = 9;
    assert_int_equal(hf_samples_load(human, 0, &other, path, &loaded, &error), HF_ERROR_FORMAT);
    assert_null(loaded);
    assert_int_equal(hf_samples_load(human, 1, &o, path, &loaded, &error), HF_ERROR_FORMAT);
    assert_int_equal(hf_samples_load(region, 0, &o, path, &loaded, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "another creature"));
    assert_int_equal(hf_samples_load(human, 0, &o, "/no/such/file", &loaded, &error), HF_ERROR_FILE);
    assert_int_equal(hf_samples_load(human, 0, &o, test_folder(), &loaded, &error), HF_ERROR_FILE);
    // cut short, made longer, any byte of the header or some of the rest changed
    size_t size;
    char* bytes = read_file(path, &size);
    for (size_t cut = 0; cut < size; cut += cut < 300 ? 7 : 1009) {
        write_file(path, bytes, cut);
        assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, &error), HF_ERROR_FORMAT);
    }
    char* longer = hf_alloc(size + 64, 1);
    memcpy(longer, bytes, size);
    write_file(path, longer, size + 64);
    assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, &error), HF_ERROR_FORMAT);
    hf_free(longer);
    for (size_t at = 0; at < size; at += at < head ? 1 : 331) {
        bytes[at] ^= (char)(1 << at % 8);
        write_file(path, bytes, size);
        assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, &error), HF_ERROR_FORMAT);
        bytes[at] ^= (char)(1 << at % 8);
    }
    // a forged one, with a slot too many, that would lead a walk out of the block
    hf_sample_block* forged = (hf_sample_block*)(void*)bytes;
    uint32_t last = forged->level_first[forged->level_count] - 1;
    float* half = (float*)(void*)(bytes + forged->node_offset + last * sizeof(hf_sample_node)) + 24;
    assert_true(half[7] < 0 && half[15] < 0 && half[23] < 0);
    const float fakes[] = {9, -1e-20f, -9}; // in use, empty but near everything, empty but near something
    for (int i = 0; i < 3; i++) {
        half[7] = half[15] = half[23] = fakes[i];
        forged->checksum = hf_sample_block_checksum(forged);
        write_file(path, bytes, size);
        assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, &error), HF_ERROR_FORMAT);
        assert_non_null(strstr(error.message, "index"));
    }
    // and one with a box that leaves out a sample
    half[7] = half[15] = half[23] = -1e30f;
    float* leaf = (float*)(void*)(bytes + forged->node_offset) + 24;
    float was = leaf[0];
    assert_true(was > 0);
    leaf[0] = was / 2;
    forged->checksum = hf_sample_block_checksum(forged);
    write_file(path, bytes, size);
    assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "index"));
    leaf[0] = was;
    forged->checksum = hf_sample_block_checksum(forged);
    write_file(path, bytes, size);
    assert_int_equal(hf_samples_load(human, 0, &o, path, &loaded, &error), HF_OK);
    hf_samples_free(loaded);
    hf_free(bytes);
    hf_samples_free(built);
    remove(path);
}

static void test_cache(void** state) {
    (void)state;
    hf_sample_options o = hf_sample_options_default();
    o.count = 200;
    char folder[1024], path[1200];
    snprintf(folder, sizeof folder, "%s/cache-%ld", test_folder(), (long)getpid());
    snprintf(path, sizeof path, "%s/human-left_arm-0-200-1.hfs", folder);
    hf_samples* s;
    hf_error notice;
    // made, then mapped
    assert_int_equal(hf_samples_open(human, 0, &o, folder, &s, &notice, NULL), HF_OK);
    assert_int_equal(notice.status, HF_OK);
    assert_false(hf_samples_get(s).mapped);
    hf_samples_free(s);
    assert_int_equal(hf_samples_open(human, 0, &o, folder, &s, &notice, NULL), HF_OK);
    assert_int_equal(notice.status, HF_OK);
    assert_true(hf_samples_get(s).mapped);
    hf_samples_free(s);
    // damaged: a notice, a good set, and a good file afterwards
    size_t size;
    char* bytes = read_file(path, &size);
    bytes[size / 2] ^= 4;
    write_file(path, bytes, size);
    hf_free(bytes);
    hf_samples* right = build(human, 0, 200, 1);
    assert_int_equal(hf_samples_open(human, 0, &o, folder, &s, &notice, NULL), HF_OK);
    assert_int_equal(notice.status, HF_ERROR_FORMAT);
    assert_non_null(strstr(notice.message, "built anew"));
    assert_same_block(right, s);
    hf_samples_free(s);
    hf_samples_free(right);
    assert_int_equal(hf_samples_open(human, 0, &o, folder, &s, &notice, NULL), HF_OK);
    assert_true(hf_samples_get(s).mapped && notice.status == HF_OK);
    hf_samples_free(s);
    // a folder that cannot be made costs the file alone
    assert_int_equal(hf_samples_open(human, 0, &o, "/proc/none", &s, &notice, NULL), HF_OK);
    assert_int_equal(notice.status, HF_ERROR_FILE);
    assert_true(hf_samples_get(s).count > 100);
    hf_samples_free(s);
    remove(path);
    rmdir(folder);
}

static void test_bad_input(void** state) {
    (void)state;
    hf_sample_options o = hf_sample_options_default();
    hf_samples* s = (hf_samples*)1;
    hf_error error;
    assert_int_equal(hf_samples_build(human, -1, &o, &s, &error), HF_ERROR_ARGUMENT);
    assert_null(s);
    assert_int_equal(hf_samples_build(human, 99, &o, &s, &error), HF_ERROR_ARGUMENT);
    o.count = 0;
    assert_int_equal(hf_samples_build(human, 0, &o, &s, &error), HF_ERROR_ARGUMENT);
    o.count = 100, o.contact = 7;
    assert_int_equal(hf_samples_build(human, 0, &o, &s, &error), HF_ERROR_ARGUMENT);
    o.contact = -1;
    assert_int_equal(hf_samples_build(human, 0, &o, &s, &error), HF_OK);
    hf_samples_free(s);
    hf_samples_free(NULL);
    if (SANITIZED) return;
    // ten million with too little memory
    struct rlimit old, tight;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    tight = old;
    tight.rlim_cur = 600u << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    o.count = 10000000;
    hf_status status = hf_samples_build(human, 0, &o, &s, &error);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_int_equal(status, HF_ERROR_MEMORY);
    assert_null(s);
}

static int set_up(void** state) {
    (void)state;
    human = load(data_path("data/creatures/human.creature.json"));
    region = load_with_regions();
    return 0;
}

static int tear_down(void** state) {
    (void)state;
    hf_creature_free(human);
    hf_creature_free(region);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),        cmocka_unit_test(test_threads_and_kernels),
        cmocka_unit_test(test_seeds_differ), cmocka_unit_test(test_within_limits),
        cmocka_unit_test(test_even),         cmocka_unit_test(test_measures),
        cmocka_unit_test(test_index_holds),  cmocka_unit_test(test_sort),
        cmocka_unit_test(test_mirrored),     cmocka_unit_test(test_task),
        cmocka_unit_test(test_file),         cmocka_unit_test(test_cache),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
