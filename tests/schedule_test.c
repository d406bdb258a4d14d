/* Schedules: exact round trips of their files, strict reading, edited ones, timelines. */
#include "test_file.h"

#include <stdlib.h>

/* ---- a human who stands on the ground ---- */

typedef struct world {
    hf_creature* creature;
    hf_scene* scene;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_pose pose;
    hf_hold holds[2]; /* of the left and of the right foot */
} world;

static const char* const legs[] = {"left_leg", "right_leg"};

static void find_holds(world* w) {
    hf_transform* links = calloc((size_t)hf_creature_get(w->creature)->link_count, sizeof *links);
    assert_non_null(links);
    hf_forward(w->creature, &w->pose, links);
    for (int i = 0; i < 2; i++)
        assert_true(hf_hold_find(w->creature, w->placement, links,
                                 hf_creature_find_limb(w->creature, legs[i]), 0.01, &w->holds[i]));
    free(links);
}

static int load_world(void** state) {
    static world w;
    hf_error error = {0};
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &w.creature, &error), HF_OK);
    float v[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    uint32_t t[6] = {0, 1, 2, 0, 2, 3};
    hf_object_def def = hf_object_def_default();
    def.name = "ground";
    def.mesh = (hf_mesh){.vertices = v, .vertex_count = 4, .indices = t, .triangle_count = 2};
    assert_int_equal(hf_scene_build(&def, 1, &w.scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    assert_int_equal(hf_workspace_create(&w.workspace), HF_OK);
    w.pose.q = calloc((size_t)hf_creature_get(w.creature)->q_count, sizeof *w.pose.q);
    assert_non_null(w.pose.q);
    hf_pose_rest(w.creature, &w.pose);
    w.pose.root = (hf_transform){{0, 0, 0.9424}, {1, 0, 0, 0}};
    find_holds(&w);
    *state = &w;
    return 0;
}

static int free_world(void** state) {
    world* w = *state;
    free(w->pose.q);
    hf_workspace_free(w->workspace);
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
    hf_creature_free(w->creature);
    return 0;
}

/* One second on both feet. */
static hf_schedule* stand(const world* w) {
    hf_schedule* s = NULL;
    assert_int_equal(hf_schedule_create(w->creature, 30, &s), HF_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(hf_schedule_add(s, w->placement, i, &w->pose, w->holds, 2, i == 0), HF_OK);
    assert_int_equal(s->hold_count, 2);
    assert_int_equal(s->knot_count, 2);
    return s;
}

/* ---- files ---- */

static double ugly(uint64_t* seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*seed >> 11) / 9007199254740992.0 - 0.5) * 3;
}

/* Fills a schedule with numbers that have all their digits. */
static hf_schedule* ugly_schedule(const world* w) {
    hf_schedule* s = NULL;
    uint64_t seed = 7;
    double q[128], time_s = 0;
    hf_pose pose = {.q = q};
    assert_int_equal(hf_schedule_create(w->creature, 59.94005994005994, &s), HF_OK);
    for (int k = 0; k < 20; k++, time_s += 0.01 + fabs(ugly(&seed))) {
        for (int i = 0; i < s->q_count; i++) q[i] = ugly(&seed);
        pose.root.position = hf_v3(ugly(&seed), ugly(&seed) * 1e-12, ugly(&seed) * 1e6);
        pose.root.rotation = hf_quat_normalize((hf_quat){ugly(&seed), ugly(&seed), ugly(&seed), ugly(&seed)});
        hf_hold holds[2] = {w->holds[0], w->holds[1]};
        for (int i = 0; i < 2; i++) {
            holds[i].point = hf_v3(ugly(&seed), ugly(&seed) * 1e-300, 0);
            holds[i].normal = hf_normalize(hf_v3(ugly(&seed), ugly(&seed), ugly(&seed)));
            holds[i].grip = k % 3 == i;
            holds[i].object = k % 4 ? 0 : -1;
        }
        assert_int_equal(hf_schedule_add(s, w->placement, time_s, &pose, holds, k % 3, k % 5 == 0), HF_OK);
    }
    s->claims = HF_CLAIM_LIMITS | HF_CLAIM_BALANCE;
    return s;
}

static void assert_same(const hf_schedule* a, const hf_schedule* b) {
    assert_string_equal(a->outcome, b->outcome);
    assert_int_equal(a->claims, b->claims);
    assert_memory_equal(&a->rate, &b->rate, sizeof a->rate);
    assert_int_equal(a->hold_count, b->hold_count);
    assert_int_equal(a->knot_count, b->knot_count);
    for (int i = 0; i < a->hold_count; i++) {
        const hf_schedule_hold *x = &a->holds[i], *y = &b->holds[i];
        assert_int_equal(x->hold.limb, y->hold.limb);
        assert_int_equal(x->hold.frame, y->hold.frame);
        assert_int_equal(x->hold.object, y->hold.object);
        assert_int_equal(x->hold.grip, y->hold.grip);
        assert_memory_equal(&x->hold.point, &y->hold.point, sizeof x->hold.point);
        assert_memory_equal(&x->hold.normal, &y->hold.normal, sizeof x->hold.normal);
        assert_memory_equal(&x->from_s, &y->from_s, sizeof x->from_s);
        assert_memory_equal(&x->to_s, &y->to_s, sizeof x->to_s);
    }
    for (int i = 0; i < a->knot_count; i++) {
        const hf_knot *x = &a->knots[i], *y = &b->knots[i];
        assert_memory_equal(&x->time_s, &y->time_s, sizeof x->time_s);
        assert_memory_equal(&x->root, &y->root, sizeof x->root);
        assert_memory_equal(x->q, y->q, sizeof *x->q * (size_t)a->q_count);
        assert_int_equal(x->stance, y->stance);
    }
}

static void test_round_trip(void** state) {
    world* w = *state;
    hf_schedule *s = ugly_schedule(w), *again = NULL;
    hf_error error = {0};
    const char* path = test_path("ugly.schedule.json");
    if (hf_schedule_save(s, w->creature, w->scene, path, &error) != HF_OK) fail_msg("%s", error.message);
    if (hf_schedule_load(path, w->creature, w->scene, &again, &error) != HF_OK)
        fail_msg("%s: %s", error.field, error.message);
    assert_same(s, again);
    hf_schedule_free(s);
    hf_schedule_free(again);
}

/* Paths are relative to the file, and are read back relative to where the program runs. */
static void test_paths(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_error error = {0};
    char *creature = NULL, *scenario = NULL, *package_path = NULL;
    const char* path = test_path("named.schedule.json");
    s->creature = strdup(data_path("data/creatures/human.creature.json"));
    assert_int_equal(hf_schedule_save(s, w->creature, w->scene, path, &error), HF_OK);
    assert_int_equal(hf_schedule_peek(path, &creature, &scenario, &package_path, &error), HF_OK);
    assert_null(scenario);
    assert_null(package_path);
    struct stat a, b;
    assert_int_equal(stat(creature, &a), 0);
    assert_int_equal(stat(s->creature, &b), 0);
    assert_true(a.st_ino == b.st_ino);
    free(creature);
    hf_schedule_free(s);
}

/* ---- what is refused ---- */

#define TOP "{ \"format\": \"holdfast-schedule\", \"version\": 1, "
#define PLACE "\"point\": [0,0,0], \"normal\": [0,0,1], "
#define LEFT "\"limb\": \"left_leg\", \"frame\": \"sole\", "
#define HOLD(inside) "{ " inside " }"
#define KNOTS "\"knots\": [ { \"t\": 0, \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] } ] }"
#define HOLDS(list) TOP "\"holds\": [ " list " ], " KNOTS
#define KNOT(text) TOP "\"holds\": [], \"knots\": [ " text " ] }"

/* Writes a text in which Q stands for the zeros of all joints. */
static const char* write_schedule(const world* w, const char* text) {
    const char* path = test_path("bad.schedule.json");
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    for (const char* c = text; *c; c++) {
        if (*c != 'Q') fputc(*c, file);
        for (int i = 0; *c == 'Q' && i < hf_creature_get(w->creature)->q_count; i++)
            fputs(i ? ", 0" : "0", file);
    }
    fclose(file);
    return path;
}

static void test_bad_files(void** state) {
    world* w = *state;
    static const struct {
        const char *text, *field, *says;
    } cases[] = {
        {HOLDS(HOLD("\"limb\": \"left_lag\", " PLACE "\"from\": 0, \"to\": 1")), "holds[0]",
         "unknown limb \"left_lag\"; did you mean \"left_leg\"?"},
        {HOLDS(HOLD("\"limb\": \"left_leg\", \"frame\": \"heel\", " PLACE "\"from\": 0, \"to\": 1")),
         "holds[0]", "limb \"left_leg\" has no contact frame \"heel\""},
        {HOLDS(HOLD(LEFT "\"object\": \"grund\", " PLACE "\"from\": 0, \"to\": 1")), "holds[0]",
         "the scene has no object \"grund\""},
        {HOLDS(HOLD(LEFT PLACE "\"from\": 0, \"to\": 1") ", " HOLD(LEFT PLACE "\"from\": 1, \"to\": 2")),
         "holds[1]", "its limb holds something else at the same time"},
        {HOLDS(HOLD(LEFT PLACE "\"from\": 2, \"to\": 1")), "holds[0]", "it ends before it begins"},
        {HOLDS(HOLD(LEFT PLACE "\"from\": 100000, \"to\": 100001")), "holds[0]",
         "it begins after the last knot"},
        {HOLDS(HOLD(LEFT PLACE "\"from\": -1, \"to\": 1")), "holds[0]", "a time is negative"},
        {HOLDS(HOLD(LEFT PLACE "\"from\": 0")), "holds[0]", "\"to\" is missing"},
        {HOLDS(HOLD(LEFT PLACE "\"form\": 0, \"to\": 1")), "holds[0]", "did you mean \"from\"?"},
        {HOLDS(HOLD(LEFT "\"point\": [0,0], \"normal\": [0,0,1], \"from\": 0, \"to\": 1")), "holds[0].point",
         "an array of 3 numbers"},
        {HOLDS(HOLD(LEFT "\"point\": [0,0,0], \"normal\": [0,0,2], \"from\": 0, \"to\": 1")), "holds[0]",
         "unit vector"},
        {HOLDS("7"), "holds[0]", "an object is expected"},
        {KNOT("{ \"t\": 0, \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] }, "
              "{ \"t\": 0, \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] }"),
         "knots[1]", "times do not ascend"},
        {KNOT("{ \"t\": 1, \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] }"), "knots[0]",
         "the first time is not 0"},
        {KNOT("{ \"t\": 0, \"root\": [0,0,1,1,0,0,0], \"q\": [ 1, 2 ] }"), "knots[0]", "numbers"},
        {KNOT("{ \"t\": 0, \"root\": [0,0,1,1,0,0], \"q\": [ Q ] }"), "knots[0]", "7"},
        {KNOT("{ \"t\": 0, \"root\": [0,0,1,2,0,0,0], \"q\": [ Q ] }"), "knots[0]", "unit quaternion"},
        {KNOT("{ \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] }"), "knots[0]", "\"t\" is missing"},
        {KNOT(""), "", "there is no knot"},
        {TOP "\"holds\": [] }", "", "\"knots\" is missing"},
        {TOP KNOTS, "", "\"holds\" is missing"},
        {TOP "\"rate\": 0, \"holds\": [], " KNOTS, "rate", "1 to 1000 frames a second"},
        {TOP "\"outcome\": \"good\", \"holds\": [], " KNOTS, "outcome", "unknown outcome"},
        {TOP "\"claims\": [\"beauty\"], \"holds\": [], " KNOTS, "claims", "unknown claim"},
        {"{ \"format\": \"holdfast-motion\", \"version\": 1 }", "format",
         "\"holdfast-schedule\" is expected"},
        {"[]", "", "object"},
        {"", "", "not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_schedule* s = (hf_schedule*)1;
        hf_error error = {0};
        const char* path = write_schedule(w, cases[i].text);
        hf_status status = hf_schedule_load(path, w->creature, w->scene, &s, &error);
        assert_null(s);
        if (status != HF_ERROR_FORMAT || strcmp(error.file, path) != 0 ||
            strcmp(error.field, cases[i].field) != 0 || !strstr(error.message, cases[i].says))
            fail_msg("case %zu: status %d, %s: %s: %s", i, status, error.file, error.field, error.message);
    }
    /* The least file that is right, and one whose motion would be too long. */
    hf_schedule* s = NULL;
    hf_error error = {0};
    assert_int_equal(hf_schedule_load(write_schedule(w, HOLDS("")), w->creature, w->scene, &s, &error),
                     HF_OK);
    assert_near(s->rate, 30, 0);
    hf_schedule_free(s);
    const char* text = KNOT("{ \"t\": 0, \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] }, "
                            "{ \"t\": 1e9, \"root\": [0,0,1,1,0,0,0], \"q\": [ Q ] }");
    assert_int_equal(hf_schedule_load(write_schedule(w, text), w->creature, w->scene, &s, &error),
                     HF_ERROR_LIMIT);
    assert_null(s);
}

/* ---- edited schedules ---- */

static hf_motion* realise(const world* w, const hf_schedule* s, hf_realise_result* result) {
    hf_realise_options o = hf_realise_options_default();
    hf_motion* motion = NULL;
    assert_int_equal(hf_realise(w->creature, w->scene, s, &o, w->workspace, &motion, result), HF_OK);
    return motion;
}

/* How far the sole is from a point at a frame, m. */
static double sole_off(const world* w, const hf_motion* m, int frame, const hf_hold* h) {
    const hf_creature_view* v = hf_creature_get(w->creature);
    const hf_contact_frame* f = &v->limbs[h->limb].contacts[h->frame];
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    assert_non_null(links);
    hf_pose pose = {m->frames[frame].root, m->frames[frame].q};
    hf_forward(w->creature, &pose, links);
    double off = hf_distance(hf_apply(links[f->link], f->offset), h->point);
    free(links);
    return off;
}

static void test_unedited(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_realise_result result = {0};
    hf_motion* m = realise(w, s, &result);
    assert_int_equal(result.outcome, HF_FOUND);
    assert_int_equal(result.fault_count, 0);
    assert_int_equal(m->frame_count, 31);
    assert_int_equal(m->claims, HF_CLAIM_ALL);
    hf_motion_free(m);
    hf_realise_result_free(&result);
    hf_schedule_free(s);
}

/* A foot that was moved by 2 cm in the file stands there; the independent check agrees. */
static void test_moved_foot(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_realise_result result = {0};
    hf_error error = {0};
    s->holds[0].hold.point.x += 0.02;
    hf_hold moved = s->holds[0].hold;
    hf_motion* m = realise(w, s, &result);
    if (result.outcome != HF_FOUND) fail_msg("%s", hf_frame_fault_text(result.faults[0].kind));
    for (int i = 0; i < m->frame_count; i++) {
        assert_near(sole_off(w, m, i, &moved), 0, 1e-6);
        assert_near(sole_off(w, m, i, &w->holds[1]), 0, 5e-4);
    }
    hf_check_report report;
    assert_int_equal(hf_check_motion(m, w->creature, w->scene, 1, NULL, NULL, &report, &error), HF_OK);
    assert_true(report.valid);
    hf_check_report_free(&report);
    hf_motion_free(m);
    hf_realise_result_free(&result);
    hf_schedule_free(s);
}

/* A foot that was moved out of reach is named, and what it breaks is not claimed. */
static void test_foot_out_of_reach(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_realise_result result = {0};
    s->holds[1].hold.point.y -= 3;
    hf_motion* m = realise(w, s, &result);
    assert_int_equal(result.outcome, HF_PARTIAL);
    bool named = false;
    for (int i = 0; i < result.fault_count; i++)
        named |= result.faults[i].kind == HF_FAULT_SLIPS && result.faults[i].frame == 0 &&
                 result.faults[i].limb == w->holds[1].limb;
    assert_true(named);
    assert_false(m->claims & HF_CLAIM_CONTACTS);
    hf_motion_free(m);
    hf_realise_result_free(&result);
    hf_schedule_free(s);
}

static bool has_fault(const hf_realise_result* r, hf_frame_fault_kind kind) {
    for (int i = 0; i < r->fault_count; i++)
        if (r->faults[i].kind == kind) return true;
    return false;
}

/* One second on the left foot, which begins with a tilt; the body with the foot turns by an angle about the
   vertical through its contact. */
static hf_schedule* turn_on_foot(const world* w, double tilt, double turn) {
    hf_schedule* s = NULL;
    hf_vec3 at = w->holds[0].point;
    assert_int_equal(hf_schedule_create(w->creature, 30, &s), HF_OK);
    for (int i = 0; i < 2; i++) {
        hf_quat r = hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 0, 1), i * turn),
                                hf_quat_axis_angle(hf_v3(1, 0, 0), tilt));
        hf_pose pose = w->pose;
        pose.root.position = hf_add(at, hf_rotate(r, hf_sub(pose.root.position, at)));
        pose.root.rotation = hf_quat_mul(r, pose.root.rotation);
        assert_int_equal(hf_schedule_add(s, w->placement, i, &pose, w->holds, 1, i == 0), HF_OK);
    }
    assert_int_equal(s->hold_count, 1);
    s->claims = HF_CLAIM_CONTACTS;
    return s;
}

/* Whatever tilt a sole begins with, one that the check calls flat, too: where the realiser sees no slip, the
   check sees none. */
static void test_tilted_sole_keeps_its_turn(void** state) {
    const world* w = *state;
    for (int i = 0; i <= 25; i++) {
        hf_schedule* s = turn_on_foot(w, i * 0.002, 0.021);
        hf_realise_options o = hf_realise_options_default();
        hf_realise_result r = {0};
        hf_motion* m = NULL;
        hf_check_report report = {0};
        assert_int_equal(hf_realise(w->creature, w->scene, s, &o, w->workspace, &m, &r), HF_OK);
        for (int k = 0; k < r.fault_count; k++) assert_int_not_equal(r.faults[k].kind, HF_FAULT_SLIPS);
        assert_int_equal(hf_check_motion(m, w->creature, w->scene, 1, NULL, NULL, &report, NULL), HF_OK);
        if (report.contact_violations) fail_msg("tilt of %.3f rad: %s", i * 0.002, report.problems[0].what);
        hf_check_report_free(&report);
        hf_realise_result_free(&r);
        hf_motion_free(m);
        hf_schedule_free(s);
    }
}

/* A hold 2 cm above the ground holds nothing, whoever says so. */
static void test_hold_in_the_air(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_realise_result result = {0};
    s->claims &= ~(unsigned)HF_CLAIM_BALANCE;
    s->holds[0].hold.point.z += 0.02;
    hf_motion* m = realise(w, s, &result);
    assert_int_equal(result.outcome, HF_PARTIAL);
    assert_true(has_fault(&result, HF_FAULT_SURFACE));
    assert_false(m->claims & HF_CLAIM_CONTACTS);
    hf_motion_free(m);
    hf_realise_result_free(&result);
    hf_schedule_free(s);
}

/* Both feet let go in one frame: that is no change of one limb. And the last frame keeps what the last knot
   holds, where that knot is between two frames. */
static void test_two_limbs_at_once(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_realise_result result = {0};
    s->claims &= ~(unsigned)HF_CLAIM_BALANCE;
    s->knots[s->knot_count - 1].time_s += 0.02;
    for (int i = 0; i < s->hold_count; i++) s->holds[i].to_s = s->knots[s->knot_count - 1].time_s;
    hf_motion* m = realise(w, s, &result);
    assert_int_equal(result.outcome, HF_FOUND);
    assert_int_equal(m->frame_count, 32);
    assert_int_equal(m->frames[31].contact_count, 2);
    hf_motion_free(m);
    for (int i = 0; i < s->hold_count; i++) s->holds[i].to_s = 0.5;
    m = realise(w, s, &result);
    assert_true(has_fault(&result, HF_FAULT_ONE_LIMB));
    assert_false(m->claims & HF_CLAIM_ONE_LIMB);
    hf_motion_free(m);
    hf_realise_result_free(&result);
    hf_schedule_free(s);
}

/* ---- timelines ---- */

static bool has_colour(const hf_picture* p, uint32_t hex, int y0, int y1) {
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < p->width; x++) {
            const uint8_t* c = p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
            if (c[0] == hex >> 16 && c[1] == (hex >> 8 & 255) && c[2] == (hex & 255)) return true;
        }
    return false;
}

static void test_timeline(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_picture p;
    hf_error error = {0};
    hf_picture_options o = hf_picture_options_default();
    assert_int_equal(hf_render_timeline(s, w->creature, w->scene, NULL, &p, &error), HF_OK);
    assert_int_equal(p.width, o.width);
    assert_true(p.height > 100 && p.height < 400);
    assert_true(has_colour(&p, 0xd1603d, 0, p.height / 2)); /* the first colour of the palette */
    int two_rows = p.height;
    hf_picture_free(&p);
    /* One limb less is one row less. */
    s->hold_count = 1;
    assert_int_equal(hf_render_timeline(s, w->creature, w->scene, NULL, &p, &error), HF_OK);
    assert_true(p.height < two_rows);
    hf_picture_free(&p);
    o.width = 333, o.height = 222;
    assert_int_equal(hf_render_timeline(s, w->creature, w->scene, &o, &p, &error), HF_OK);
    assert_int_equal(p.width, 333);
    assert_int_equal(p.height, 222);
    hf_picture_free(&p);
    /* Nothing that holds, and a single knot. */
    s->hold_count = 0;
    hf_schedule_cut(s, 1);
    assert_int_equal(hf_render_timeline(s, w->creature, NULL, NULL, &p, &error), HF_OK);
    hf_picture_free(&p);
    hf_schedule_free(s);
}

static void test_timeline_refused(void** state) {
    world* w = *state;
    hf_schedule* s = stand(w);
    hf_picture p;
    hf_error error = {0};
    hf_picture_options o = hf_picture_options_default();
    o.width = 40, o.height = 40;
    assert_int_equal(hf_render_timeline(s, w->creature, w->scene, &o, &p, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "2 rows do not fit on 40 x 40 pixels"));
    assert_null(p.rgb);
    o.width = 9000;
    assert_int_equal(hf_render_timeline(s, w->creature, w->scene, &o, &p, &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_render_timeline(s, w->creature, NULL, NULL, &p, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "there is no scene"));
    s->holds[0].hold.limb = -1;
    assert_int_equal(hf_render_timeline(s, w->creature, w->scene, NULL, &p, &error), HF_ERROR_ARGUMENT);
    assert_string_equal(error.field, "holds[0]");
    hf_schedule_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_unedited),
        cmocka_unit_test(test_tilted_sole_keeps_its_turn),
        cmocka_unit_test(test_hold_in_the_air),
        cmocka_unit_test(test_two_limbs_at_once),
        cmocka_unit_test(test_moved_foot),
        cmocka_unit_test(test_foot_out_of_reach),
        cmocka_unit_test(test_timeline),
        cmocka_unit_test(test_timeline_refused),
    };
    return cmocka_run_group_tests(tests, load_world, free_world);
}
