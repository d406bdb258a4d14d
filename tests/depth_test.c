/* The depth at which a body counts as colliding, against exact penetration depth: an independent measurement
   must agree within a tenth of a millimetre. */
#include "base/random.h"
#include "depth_oracle.h"

static const double AGREE_M = 1e-4;
/* Of the cases, one in so many is enough for the sanitizers, which judge memory. */
enum { ONE_IN = SANITIZED ? 10 : 1 };

static hf_vec3 direction(hf_random* r) {
    for (;;) {
        hf_vec3 d =
            hf_v3(hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1));
        double l = hf_length(d);
        if (l > 0.1 && l < 1) return hf_scale(d, 1 / l);
    }
}

static hf_transform turned(hf_random* r, double far) {
    hf_transform t = {hf_scale(direction(r), hf_random_between(r, 0, far)), hf_quat_identity()};
    // every other one stands along the axes, as feet and holds mostly do
    if (hf_random_bits(r) % 2) t.rotation = hf_quat_axis_angle(direction(r), hf_random_between(r, 0, 3));
    return t;
}

static hf_shape hull_of(hf_random* r, hf_mesh* storage) {
    for (;;) {
        float points[3 * 24];
        int count = 4 + (int)(hf_random_bits(r) % 20);
        hf_vec3 size = hf_v3(hf_random_between(r, 0.02, 0.1), hf_random_between(r, 0.02, 0.1),
                             hf_random_between(r, 0.02, 0.1));
        for (int i = 0; i < count; i++) {
            hf_vec3 p = direction(r);
            points[3 * i] = (float)(p.x * size.x), points[3 * i + 1] = (float)(p.y * size.y);
            points[3 * i + 2] = (float)(p.z * size.z);
        }
        if (hf_hull_build(points, count, storage, NULL) == HF_OK) break;
    }
    return (hf_shape){.kind = HF_SHAPE_HULL,
                      .vertex_count = storage->vertex_count,
                      .face_count = storage->triangle_count,
                      .vertices = storage->vertices,
                      .faces = storage->indices};
}

/* As large as feet, hands and shins are. */
static hf_shape random_shape(hf_random* r, int kind, hf_mesh* storage) {
    *storage = (hf_mesh){0};
    if (kind == HF_SHAPE_HULL) return hull_of(r, storage);
    hf_shape s = {.kind = (hf_shape_kind)kind};
    s.radius = hf_random_between(r, 0.01, 0.06);
    s.half_length = hf_random_between(r, 0.01, 0.2);
    s.half_size = hf_v3(hf_random_between(r, 0.008, 0.1), hf_random_between(r, 0.008, 0.1),
                        hf_random_between(r, 0.008, 0.1));
    return s;
}

/* Moves the first shape until its depth in the second is about `wish`; returns what it is then. */
static double sink(hf_random* r, const hf_shape* a, hf_transform* ta, const hf_shape* b, hf_transform tb,
                   double wish) {
    hf_vec3 way, d = direction(r);
    double depth = 0;
    ta->position = tb.position;
    for (double far = 0.5, step = 0.5; step > 1e-6; step /= 2) {
        ta->position = hf_add(tb.position, hf_scale(d, far));
        depth = oracle_depth(a, *ta, b, tb, &way);
        far += depth > wish ? step / 2 : -step / 2;
    }
    return depth;
}

/* What disagrees is counted and the worst is told. */
typedef struct tally {
    int yes, no, wrong;
    double worst;
} tally;

static void judge(tally* t, bool answer, double depth, double allowed, const char* what, int round) {
    double off = answer ? allowed - depth : depth - allowed;
    answer ? t->yes++ : t->no++;
    t->worst = fmax(t->worst, off);
    if (off <= AGREE_M) return;
    t->wrong++;
    print_message("%s %d: %.3f mm deep, %.3f mm allowed, said %s\n", what, round, depth * 1e3, allowed * 1e3,
                  answer ? "deeper" : "not deeper");
}

static double allowed_of(hf_random* r) {
    static const double depths[] = {0.0008, 0.001, 0.0024, 0.003};
    return depths[hf_random_bits(r) % 4];
}

static void shapes_agree_with_exact_depth(void** state) {
    (void)state;
    tally t = {0};
    for (int round = 0; round < 4000 / ONE_IN; round++) {
        hf_random r = hf_random_start(11, 0, (uint64_t)round);
        hf_mesh ma, mb;
        hf_shape a = random_shape(&r, round % 4, &ma), b = random_shape(&r, round / 4 % 4, &mb);
        hf_transform ta = turned(&r, 0.1), tb = turned(&r, 0.1);
        double allowed = allowed_of(&r);
        double depth = sink(&r, &a, &ta, &b, tb, allowed * hf_random_between(&r, 0.5, 2));
        bool answer = hf_shape_overlap(&a, ta, &b, tb, allowed);
        judge(&t, answer, depth, allowed, "shapes", round);
        hf_mesh_free(&ma);
        hf_mesh_free(&mb);
    }
    print_message("shapes: %d deeper, %d not, off by %.4f mm at most\n", t.yes, t.no, t.worst * 1e3);
    assert_int_equal(t.wrong, 0);
    assert_true(t.yes > 500 / ONE_IN && t.no > 500 / ONE_IN);
}

/* A scene of one object. */
typedef struct stage {
    hf_scene* scene;
    hf_placement* placement;
} stage;

static stage stage_of(const hf_mesh* mesh, hf_transform pose) {
    stage s;
    hf_object_def def = hf_object_def_default();
    def.name = "piece", def.mesh = *mesh, def.start = pose;
    assert_int_equal(hf_scene_build(&def, 1, &s.scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(s.scene, &s.placement), HF_OK);
    return s;
}

static void stage_free(stage* s) {
    hf_placement_free(s->placement);
    hf_scene_free(s->scene);
}

static void convex_pieces_agree_with_exact_depth(void** state) {
    (void)state;
    tally t = {0};
    for (int round = 0; round < 6000 / ONE_IN; round++) {
        hf_random r = hf_random_start(12, 0, (uint64_t)round);
        hf_mesh ma, mb, piece;
        hf_shape a = random_shape(&r, round % 4, &ma), b = random_shape(&r, 2 + round / 4 % 2, &mb);
        hf_transform ta = turned(&r, 0.1), tb = turned(&r, 0.1);
        double allowed = allowed_of(&r);
        assert_int_equal(hf_shape_mesh(&b, 8, &piece), HF_OK);
        stage s = stage_of(&piece, tb);
        double depth = sink(&r, &a, &ta, &b, tb, allowed * hf_random_between(&r, 0.5, 2));
        hf_allowance all = {allowed, -1, 0};
        bool answer = hf_placement_overlap(s.placement, &a, ta, &all, NULL);
        judge(&t, answer, depth, allowed, "pieces", round);
        stage_free(&s);
        hf_mesh_free(&ma);
        hf_mesh_free(&mb);
        hf_mesh_free(&piece);
    }
    print_message("pieces: %d deeper, %d not, off by %.4f mm at most\n", t.yes, t.no, t.worst * 1e3);
    assert_int_equal(t.wrong, 0);
    assert_true(t.yes > 500 / ONE_IN && t.no > 500 / ONE_IN);
}

/* ---- a piece that is not convex: stairs of two steps, with inner and outer edges ---- */

static const float profile[8][2] = {{-0.2f, -0.1f}, {0.2f, -0.1f}, {0.2f, 0.1f},   {0.1f, 0.1f},
                                    {0.1f, 0.04f},  {0, 0.04f},    {0.0f, -0.02f}, {-0.2f, -0.02f}};

static hf_mesh stairs(void) {
    static float vertices[3 * 16];
    static uint32_t indices[3 * 28];
    // the profile without its inner corners, in triangles
    static const uint32_t caps[6][3] = {{0, 1, 6}, {0, 6, 7}, {1, 4, 6}, {4, 5, 6}, {1, 2, 4}, {2, 3, 4}};
    uint32_t n = 0;
    for (int i = 0; i < 16; i++) {
        vertices[3 * i] = profile[i % 8][0], vertices[3 * i + 1] = i < 8 ? -0.15f : 0.15f;
        vertices[3 * i + 2] = profile[i % 8][1];
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            indices[3 * n + (uint32_t)k] = caps[i][k];
            indices[3 * (n + 1) + (uint32_t)k] = 8 + caps[i][2 - k];
            n += k == 2 ? 2 : 0;
        }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t j = (i + 1) % 8, side[6] = {i, i + 8, j, j, i + 8, j + 8};
        memcpy(indices + 3 * n, side, sizeof side);
        n += 2;
    }
    return (hf_mesh){.vertex_count = 16, .triangle_count = 28, .vertices = vertices, .indices = indices};
}

static bool is_free(const hf_mesh* mesh, const stage* s, const hf_shape* a, hf_transform pose,
                    hf_vec3 shift) {
    pose.position = hf_add(pose.position, shift);
    for (int t = 0; t < mesh->triangle_count; t++) {
        float corners[9];
        for (int k = 0; k < 3; k++)
            memcpy(corners + 3 * k, mesh->vertices + 3 * mesh->indices[3 * t + k], 3 * sizeof *corners);
        static const uint32_t sides[6] = {0, 1, 2, 0, 2, 1};
        hf_shape flat = {.kind = HF_SHAPE_HULL, .vertex_count = 3, .face_count = 2, .faces = sides};
        flat.vertices = corners;
        if (!(hf_shape_distance(a, pose, &flat, hf_transform_identity()) > 0)) return false;
    }
    hf_vec3 some = pose.position; // a point of the body
    if (a->kind == HF_SHAPE_HULL)
        some = hf_apply(pose, hf_v3((double)a->vertices[0], (double)a->vertices[1], (double)a->vertices[2]));
    return !hf_placement_inside(s->placement, some, NULL);
}

/* Does some translation of this length free the body? Directions 5 degrees apart, by a spiral. */
static bool some_way_out(const hf_mesh* mesh, const stage* s, const hf_shape* a, hf_transform pose,
                         double length) {
    enum { WAYS = 1500 };
    for (int i = 0; i < WAYS; i++) {
        double z = 1 - (2 * i + 1.0) / WAYS, r = sqrt(1 - z * z), turn = 2.399963229728653 * i;
        hf_vec3 d = hf_v3(r * cos(turn), r * sin(turn), z);
        if (is_free(mesh, s, a, pose, hf_scale(d, length))) return true;
    }
    return false;
}

static void other_pieces_agree_with_the_least_way_out(void** state) {
    (void)state;
    hf_mesh mesh = stairs();
    stage s = stage_of(&mesh, hf_transform_identity());
    assert_true(hf_placement_inside(s.placement, hf_v3(0.15, 0, 0), NULL));
    int yes = 0, no = 0, wrong = 0;
    for (int round = 0; round < 200 / ONE_IN; round++) {
        hf_random r = hf_random_start(13, 0, (uint64_t)round);
        hf_mesh ma;
        hf_shape a = random_shape(&r, 2 + round % 2, &ma);
        hf_transform pose = turned(&r, 0);
        hf_vec3 aim = hf_v3(hf_random_between(&r, -0.2, 0.2), hf_random_between(&r, -0.15, 0.15), 0);
        hf_vec3 d = hf_normalize(hf_v3(hf_random_between(&r, -1, 0.3), hf_random_between(&r, -0.5, 0.5), 1));
        double low = 0, high = 1, allowed = allowed_of(&r);
        while (high - low > 1e-6) {
            double middle = 0.5 * (low + high);
            pose.position = hf_add(aim, hf_scale(d, middle));
            *(is_free(&mesh, &s, &a, pose, hf_v3(0, 0, 0)) ? &high : &low) = middle;
        }
        pose.position = hf_add(aim, hf_scale(d, high - allowed * hf_random_between(&r, 0.6, 2.5)));
        hf_allowance all = {allowed, -1, 0};
        bool answer = hf_placement_overlap(s.placement, &a, pose, &all, NULL);
        bool shallow = some_way_out(&mesh, &s, &a, pose, allowed - AGREE_M);
        bool deep = !shallow && !some_way_out(&mesh, &s, &a, pose, allowed) &&
                    !some_way_out(&mesh, &s, &a, pose, allowed + AGREE_M);
        if ((shallow && answer) || (deep && !answer)) {
            wrong++;
            print_message("stairs %d: %.3f mm allowed, said %s\n", round, allowed * 1e3,
                          answer ? "deeper" : "not deeper");
        }
        yes += deep, no += shallow;
        hf_mesh_free(&ma);
    }
    print_message("stairs: %d deeper, %d not, %d wrong\n", yes, no, wrong);
    assert_int_equal(wrong, 0);
    assert_true(yes > 40 / ONE_IN && no > 40 / ONE_IN);
    stage_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_agree_with_exact_depth),
        cmocka_unit_test(convex_pieces_agree_with_exact_depth),
        cmocka_unit_test(other_pieces_agree_with_the_least_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
