/* Motions and their files: exact round trips, strict reading, placements, tables. */
#include "odd_creature.h"
#include "test_file.h"

#include <stdlib.h>
#include <unistd.h>

static hf_motion* load(const char* path) {
    hf_motion* motion = NULL;
    hf_error error = {0};
    if (hf_motion_load(path, &motion, &error) != HF_OK) {
        char text[1400];
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    }
    return motion;
}

static void save(const hf_motion* motion, const char* path) {
    hf_error error = {0};
    if (hf_motion_save(motion, path, &error) != HF_OK) fail_msg("%s", error.message);
}

static void assert_same_bits(const void* a, const void* b, size_t size) { assert_memory_equal(a, b, size); }

/* Every number, name and flag; unused contact frames do not have to be there. */
static void assert_same_motion(const hf_motion* a, const hf_motion* b) {
    assert_string_equal(a->outcome, b->outcome);
    assert_int_equal(a->claims, b->claims);
    assert_int_equal(a->joint_count, b->joint_count);
    assert_int_equal(a->q_count, b->q_count);
    assert_int_equal(a->limb_count, b->limb_count);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->stat_count, b->stat_count);
    for (int i = 0; i < a->joint_count; i++) assert_string_equal(a->joints[i], b->joints[i]);
    for (int i = 0; i < a->limb_count; i++) assert_string_equal(a->limbs[i].name, b->limbs[i].name);
    for (int i = 0; i < a->stat_count; i++) {
        assert_string_equal(a->stats[i].name, b->stats[i].name);
        assert_same_bits(&a->stats[i].value, &b->stats[i].value, sizeof(double));
    }
    for (int f = 0; f < a->frame_count; f++) {
        const hf_motion_frame *x = &a->frames[f], *y = &b->frames[f];
        assert_same_bits(&x->time_s, &y->time_s, sizeof(double));
        assert_same_bits(&x->root, &y->root, sizeof x->root);
        assert_same_bits(x->q, y->q, (size_t)a->q_count * sizeof(double));
        assert_int_equal(isnan(x->balance), isnan(y->balance));
        if (!isnan(x->balance)) assert_same_bits(&x->balance, &y->balance, sizeof(double));
        assert_int_equal(x->stance, y->stance);
        assert_int_equal(x->contact_count, y->contact_count);
        assert_int_equal(x->object_count, y->object_count);
        for (int i = 0; i < x->object_count; i++) {
            assert_string_equal(a->objects[x->objects[i].object], b->objects[y->objects[i].object]);
            assert_same_bits(&x->objects[i].pose, &y->objects[i].pose, sizeof x->objects[i].pose);
        }
        for (int i = 0; i < x->contact_count; i++) {
            const hf_hold *c = &x->contacts[i], *d = &y->contacts[i];
            assert_int_equal(c->limb, d->limb);
            const hf_motion_contact_frame *p = &a->limbs[c->limb].frames[c->frame],
                                          *q = &b->limbs[d->limb].frames[d->frame];
            assert_string_equal(p->name, q->name);
            assert_string_equal(p->link, q->link);
            assert_same_bits(&p->offset, &q->offset, sizeof p->offset);
            assert_same_bits(p->patch, q->patch, sizeof p->patch);
            assert_int_equal(c->grip, d->grip);
            assert_same_bits(&c->point, &d->point, sizeof c->point);
            assert_same_bits(&c->normal, &d->normal, sizeof c->normal);
            assert_int_equal(c->object < 0, d->object < 0);
            if (c->object >= 0) assert_string_equal(a->objects[c->object], b->objects[d->object]);
        }
    }
}

#define LIMBS                                                                                                \
    "\"limbs\": [\"left_leg\", \"right_arm\"], \"contact_frames\": { \"left_leg\": [ { \"name\": \"sole\","  \
    " \"link\": \"l_foot\", \"offset\": [0.05, 0, -0.1], \"normal\": [0, 0, -1], \"patch\": [0.1, 0.25] },"  \
    " { \"name\": \"toe\", \"link\": \"l_toe\", \"offset\": [0, 0, 0], \"normal\": [1, 0, 0], \"ball\": "    \
    "0.01"                                                                                                   \
    " } ] }, "
#define TOP "{ \"format\": \"holdfast-motion\", \"version\": 1, \"creature\": \"../a/b.urdf\", "
#define FRAME(t) "{ \"t\": " #t ", \"root\": [1,2,3, 1,0,0,0], \"q\": [0.5, -0.25] }"
#define JOINTS "\"joints\": [\"a\", \"b\"], "

static const char whole_file[] =
    TOP "\"scenario\": \"climb.scenario.json\", \"outcome\": \"partial\", \"claims\": [\"limits\", "
        "\"one-limb\", \"dynamic\"], " JOINTS LIMBS
        "\"frames\": [ { \"t\": 0, \"root\": [1,2,3, 0,1,0,0], \"q\": [0.5, -0.25], \"stance\": true,"
        " \"contacts\": [ { \"limb\": \"left_leg\", \"frame\": \"toe\", \"point\": [0.1, 0.2, 0.3],"
        " \"normal\": [0, 0, 1], \"object\": \"room\", \"grip\": true } ],"
        " \"objects\": { \"can\": [1, 1, 1, 1, 0, 0, 0] }, \"balance\": -0.03 },"
        " " FRAME(0.1) " ], \"stats\": { \"time_s\": 1.5 } }";

static void test_fields(void** state) {
    (void)state;
    hf_motion* m = load(write_file("whole.motion.json", whole_file));
    assert_string_equal(m->outcome, "partial");
    assert_int_equal(m->claims, HF_CLAIM_LIMITS | HF_CLAIM_ONE_LIMB | HF_CLAIM_DYNAMIC);
    assert_int_equal(m->joint_count, 2);
    assert_int_equal(m->q_count, 2);
    assert_string_equal(m->joints[1], "b");
    assert_int_equal(m->limb_count, 2);
    assert_int_equal(m->limbs[0].frame_count, 2);
    assert_near(m->limbs[0].frames[0].patch[1], 0.25, 0);
    assert_near(m->limbs[0].frames[1].ball, 0.01, 0);
    const hf_motion_frame* f = &m->frames[0];
    assert_true(f->stance);
    assert_near(f->balance, -0.03, 0);
    assert_near(f->root.rotation.x, 1, 0);
    assert_int_equal(f->contact_count, 1);
    assert_int_equal(f->contacts[0].frame, 1);
    assert_true(f->contacts[0].grip);
    assert_string_equal(m->objects[f->contacts[0].object], "room");
    assert_string_equal(m->objects[f->objects[0].object], "can");
    assert_false(m->frames[1].stance);
    assert_true(isnan(m->frames[1].balance));
    assert_near(m->stats[0].value, 1.5, 0);
    /* Paths in the file are seen from the file's folder. */
    char expected[1200];
    snprintf(expected, sizeof expected, "%s/../a/b.urdf", test_folder());
    assert_string_equal(m->creature, expected);
    save(m, test_path("again.motion.json"));
    hf_motion* again = load(test_path("again.motion.json"));
    assert_same_motion(m, again);
    /* Written elsewhere, the same file is named from there. */
    char deeper[1100];
    snprintf(deeper, sizeof deeper, "%s/deeper", test_folder());
    mkdir(deeper, 0777);
    save(m, test_path("deeper/again.motion.json"));
    FILE* file = fopen(test_path("deeper/again.motion.json"), "rb");
    char text[400] = "";
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "\"creature\": \"../../a/b.urdf\""));
    hf_motion_free(again);
    hf_motion_free(m);
}

static void test_claims_default(void** state) {
    (void)state;
    hf_motion* m = load(write_file("claims.motion.json", TOP JOINTS "\"frames\": [ " FRAME(0) " ] }"));
    assert_int_equal(m->claims, HF_CLAIM_ALL);
    assert_string_equal(m->outcome, "found");
    assert_null(m->scenario);
    hf_motion_free(m);
    m = load(write_file("claims.motion.json", TOP JOINTS "\"claims\": [], \"frames\": [ " FRAME(0) " ] }"));
    assert_int_equal(m->claims, 0);
    hf_motion_free(m);
}

/* Random poses of a creature with every joint type come back to the last bit. */
static void test_round_trip(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    const hf_creature_view* view = hf_creature_get(creature);
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    assert_int_equal(motion->q_count, view->q_count);
    assert_int_equal(motion->joint_count, 7);
    double q[32];
    assert_true(view->q_count <= 32);
    hf_pose pose = {.q = q};
    hf_random random = hf_random_start(7, 1, 0);
    for (int i = 0; i < 50; i++) {
        random_pose(creature, &random, &pose);
        hf_motion_frame* frame = hf_motion_add(motion, i / 30.0, &pose);
        assert_non_null(frame);
        frame->stance = i % 7 == 0;
        if (i % 3 == 0) frame->balance = hf_random_unit(&random) / 3;
        int can = hf_motion_object_index(motion, "a \"can\" \\ \n of \xc3\xa9");
        hf_transform place = {pose.root.position, random_quat(&random)};
        if (i % 5 == 0) assert_int_equal(hf_motion_add_object(motion, frame, can, place), HF_OK);
    }
    assert_int_equal(hf_motion_set_stat(motion, "seconds", 1.0 / 3), HF_OK);
    assert_int_equal(hf_motion_set_stat(motion, "bad", NAN), HF_ERROR_ARGUMENT);
    save(motion, test_path("round.motion.json"));
    hf_motion* back = load(test_path("round.motion.json"));
    assert_same_motion(motion, back);
    hf_error error = {0};
    assert_int_equal(hf_motion_validate(back, creature, NULL, &error), HF_OK);
    /* What cannot be read back is not written. */
    motion->frames[3].q[0] = INFINITY;
    assert_int_equal(hf_motion_save(motion, test_path("never.motion.json"), &error), HF_ERROR_ARGUMENT);
    motion->frames[3].q[0] = 1e300;
    assert_int_equal(hf_motion_save(motion, test_path("never.motion.json"), &error), HF_ERROR_ARGUMENT);
    assert_int_equal(access(test_path("never.motion.json"), 0), -1);
    hf_motion_free(motion);
    hf_motion_free(back);
    hf_creature_free(creature);
}

static void test_refused(void** state) {
    (void)state;
#define GOOD "\"frames\": [ " FRAME(0) " ]"
#define CONTACT(text)                                                                                        \
    TOP JOINTS LIMBS                                                                                         \
        "\"frames\": [ { \"t\": 0, \"root\": [1,2,3, 1,0,0,0], \"q\": [0, 0], \"contacts\": [ " text         \
        " ] } ] }"
    const struct {
        const char *text, *field, *says;
    } cases[] = {
        {"{ \"format\": \"holdfast-motion\", \"version\": 1, " JOINTS GOOD " }", "",
         "\"creature\" is missing"},
        {"{ \"format\": \"holdfast-scene\", \"version\": 1 }", "format", "holdfast-motion"},
        {"{ \"format\": \"holdfast-motion\", \"version\": 2 }", "version", "reads 1"},
        {TOP JOINTS "\"frame\": [], " GOOD " }", "", "did you mean \"frames\""},
        {TOP GOOD " }", "", "\"joints\" is missing"},
        {TOP JOINTS "\"stats\": {} }", "", "\"frames\" is missing"},
        {TOP JOINTS "\"frames\": [] }", "frames", "at least one"},
        {TOP "\"joints\": [\"a\", \"a\"], " GOOD " }", "joints", "twice"},
        {TOP "\"joints\": [\"a\", 3], " GOOD " }", "joints", "texts"},
        {TOP "\"joints\": [\"a\", \"b\", \"c\"], " GOOD " }", "frames[0]", "2 values for 3 joints"},
        {TOP JOINTS "\"frames\": [ " FRAME(1) ", " FRAME(1) " ] }", "frames[1]", "not after 1"},
        {TOP JOINTS "\"frames\": [ " FRAME(1) ", " FRAME(0.5) " ] }", "frames[1]", "not after 1"},
        {TOP JOINTS "\"frames\": [ " FRAME(1e300) " ] }", "frames[0]", "1e+300 is out of range"},
        {TOP JOINTS "\"frames\": [ { \"t\": 0, \"root\": [1e300,2,3,1,0,0,0], \"q\": [0,0] } ] }",
         "frames[0].root", "out of range"},
        {TOP JOINTS "\"frames\": [ { \"t\": 0, \"root\": [1,2,3,1,0,0,0], \"q\": [0,-1e300] } ] }",
         "frames[0]", "out of range"},
        {CONTACT(
             "{ \"limb\": \"left_leg\", \"frame\": \"toe\", \"point\": [0,0,1e300], \"normal\": [0,0,1] }"),
         "frames[0].contacts[0]", "out of range"},
        {TOP JOINTS "\"frames\": [ " FRAME(0) ", { \"t\": 1, \"root\": [1,2,3,1,0,0,0], \"q\": [1] } ] }",
         "frames[1]", "1 values, 2 are expected"},
        {TOP JOINTS "\"frames\": [ " FRAME(1e999) " ] }", "", "not valid JSON"},
        {TOP JOINTS "\"frames\": [ { \"t\": 0, \"root\": [1,2,3,1,0,0], \"q\": [0,0] } ] }", "frames[0].root",
         "7 numbers"},
        {TOP JOINTS "\"frames\": [ { \"t\": 0, \"root\": [1,2,3,1,1,0,0], \"q\": [0,0] } ] }",
         "frames[0].root", "unit quaternion"},
        {TOP JOINTS
         "\"frames\": [ { \"t\": 0, \"root\": [1,2,3,1,0,0,0], \"q\": [0,0], \"stnace\": true } ] }",
         "frames[0]", "did you mean \"stance\""},
        {TOP JOINTS "\"claims\": [\"balanec\"], " GOOD " }", "claims", "did you mean \"balance\""},
        {TOP JOINTS "\"outcome\": \"foud\", " GOOD " }", "outcome", "did you mean \"found\""},
        {TOP JOINTS "\"stats\": { \"a\": \"b\" }, " GOOD " }", "stats", "number"},
        {TOP JOINTS "\"limbs\": [\"x\"], \"contact_frames\": { \"y\": [] }, " GOOD " }", "contact_frames",
         "\"y\""},
        {CONTACT("{ \"limb\": \"left_lag\", \"frame\": \"toe\", \"point\": [0,0,0], \"normal\": [0,0,1] }"),
         "frames[0].contacts[0]", "did you mean \"left_leg\""},
        {CONTACT("{ \"limb\": \"left_leg\", \"frame\": \"heel\", \"point\": [0,0,0], \"normal\": [0,0,1] }"),
         "frames[0].contacts[0]", "\"heel\""},
        {CONTACT("{ \"limb\": \"left_leg\", \"point\": [0,0,0], \"normal\": [0,0,1] }"),
         "frames[0].contacts[0]", "\"frame\" is missing"},
        {CONTACT("{ \"limb\": \"left_leg\", \"frame\": \"toe\", \"point\": [0,0], \"normal\": [0,0,1] }"),
         "frames[0].contacts[0].point", "3 numbers"},
        {CONTACT("{ \"limb\": \"left_leg\", \"frame\": \"toe\", \"point\": [0,0,0], \"normal\": [0,0,2] }"),
         "frames[0].contacts[0]", "unit vector"},
        {CONTACT("{ \"limb\": \"left_leg\", \"frame\": \"toe\", \"point\": [0,0,0], \"normal\": [0,0,1] },"
                 "{ \"limb\": \"left_leg\", \"frame\": \"sole\", \"point\": [0,0,0], \"normal\": [0,0,1] }"),
         "frames[0].contacts[1]", "two contacts"},
        {"[]", "", "object"},
        {"\xff\xfe", "", "not valid JSON"},
        {"", "", "not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hf_motion* motion = (hf_motion*)1;
        hf_error error = {0};
        hf_status status = hf_motion_load(write_file("bad.motion.json", cases[i].text), &motion, &error);
        assert_int_equal(status, HF_ERROR_FORMAT);
        assert_null(motion);
        if (!strstr(error.message, cases[i].says) || strcmp(error.field, cases[i].field) != 0)
            fail_msg("case %zu: %s: %s", i, error.field, error.message);
    }
    /* Any cut of a good file is refused. */
    for (size_t n = 0; n + 1 < sizeof whole_file - 1; n += 3) {
        char text[sizeof whole_file];
        memcpy(text, whole_file, n);
        text[n] = 0;
        hf_motion* motion;
        hf_error error;
        assert_int_equal(hf_motion_load(write_file("cut.motion.json", text), &motion, &error),
                         HF_ERROR_FORMAT);
        assert_null(motion);
    }
}

/* A motion that does not fit its creature is named. */
static void test_validate(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    double q[32] = {0};
    hf_pose pose = {hf_transform_identity(), q};
    hf_pose_rest(creature, &pose);
    hf_motion* motion;
    hf_error error = {0};
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    assert_non_null(hf_motion_add(motion, 0, &pose));
    assert_int_equal(hf_motion_validate(motion, creature, NULL, &error), HF_OK);
    char* kept = motion->joints[1];
    motion->joints[1] = (char*)"elbo";
    assert_int_equal(hf_motion_validate(motion, creature, NULL, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "\"elbo\""));
    motion->joints[1] = kept;
    motion->joint_count--;
    assert_int_equal(hf_motion_validate(motion, creature, NULL, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "missing"));
    motion->joint_count++;
    /* The kite's orientation. */
    int string = hf_creature_find_joint(creature, "string");
    motion->frames[0].q[hf_creature_get(creature)->joints[string].q_index + 3] = 2;
    assert_int_equal(hf_motion_validate(motion, creature, NULL, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "string"));
    hf_motion_free(motion);
    hf_creature_free(creature);
}

static hf_mesh one_triangle(float* vertices, uint32_t* indices) {
    const float v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t i[3] = {0, 1, 2};
    memcpy(vertices, v, sizeof v);
    memcpy(indices, i, sizeof i);
    hf_mesh mesh = {3, 1, vertices, indices};
    return mesh;
}

static double x_of(const hf_placement* placement, int object) {
    return hf_placement_pose(placement, object).position.x;
}

/* As last named, else by keys, else at the start; between frames on the way to the next name. */
static void test_place(void** state) {
    (void)state;
    float vertices[9];
    uint32_t indices[3];
    hf_key keys[2] = {{0, hf_transform_identity()}, {10, hf_transform_identity()}};
    keys[1].pose.position.x = 100;
    hf_object_def objects[3] = {hf_object_def_default(), hf_object_def_default(), hf_object_def_default()};
    const char* names[3] = {"still", "keyed", "named"};
    for (int i = 0; i < 3; i++) {
        objects[i].name = names[i];
        objects[i].mesh = one_triangle(vertices, indices);
        objects[i].start.position.x = -1 - i;
        objects[i].movable = i > 0;
    }
    objects[1].keys = keys;
    objects[1].key_count = 2;
    hf_scene* scene;
    hf_placement* placement;
    hf_error error = {0};
    assert_int_equal(hf_scene_build(objects, 3, &scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_creature* creature = load_odd_creature();
    double q[32] = {0};
    hf_pose pose = {hf_transform_identity(), q};
    hf_pose_rest(creature, &pose);
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
    for (int i = 0; i < 6; i++) assert_non_null(hf_motion_add(motion, i, &pose));
    hf_transform at = hf_transform_identity();
    at.position.x = 5;
    assert_int_equal(hf_motion_add_object(motion, &motion->frames[2], 2, at), HF_OK);
    at.position.x = 7;
    assert_int_equal(hf_motion_add_object(motion, &motion->frames[4], 1, at), HF_OK);
    const double expected[6][3] = {{-1, 0, -3}, {-1, 10, -3}, {-1, 20, 5},
                                   {-1, 30, 5}, {-1, 7, 5},   {-1, 7, 5}};
    /* Any order of frames: a placement keeps nothing of the frame before. */
    const int order[6] = {5, 0, 3, 4, 1, 2};
    for (int i = 0; i < 6; i++) {
        hf_motion_place(motion, order[i], placement);
        for (int o = 0; o < 3; o++) assert_near(x_of(placement, o), expected[order[i]][o], 1e-12);
    }
    hf_motion_place_at(motion, 1.5, placement);
    assert_near(x_of(placement, 1), 15, 1e-12);
    assert_near(x_of(placement, 2), (-3 + 5) / 2.0, 1e-12);
    hf_motion_place_at(motion, 99, placement);
    assert_near(x_of(placement, 1), 7, 1e-12);
    assert_int_equal(hf_motion_validate(motion, creature, scene, &error), HF_OK);
    /* What cannot be moved may be named where it is, and nowhere else. */
    assert_int_equal(hf_motion_add_object(motion, &motion->frames[3], 0, objects[0].start), HF_OK);
    assert_int_equal(hf_motion_validate(motion, creature, scene, &error), HF_OK);
    motion->frames[3].objects[0].pose.position.x = 3;
    assert_int_equal(hf_motion_validate(motion, creature, scene, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "not movable"));
    motion->frames[3].objects[0].pose.position.x = -1;
    assert_true(hf_motion_object_index(motion, "ghost") >= 0);
    assert_int_equal(hf_motion_validate(motion, creature, scene, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "ghost"));
    hf_motion_free(motion);
    hf_placement_free(placement);
    hf_scene_free(scene);
    hf_creature_free(creature);
}

/* What cannot be written is refused with its reason; other rates lie between the frames. */
static void test_export(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    double q[32];
    hf_pose pose = {.q = q};
    hf_motion* motion;
    hf_error error = {0};
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    hf_random random = hf_random_start(3, 2, 0);
    for (int i = 0; i < 10; i++) {
        random_pose(creature, &random, &pose);
        assert_non_null(hf_motion_add(motion, 2 + i / 30.0, &pose));
    }
    hf_export_options options = hf_export_options_default();
    options.fps = 45;
    assert_int_equal(hf_motion_export(motion, creature, &options, test_path("moves.bvh"), &error), HF_OK);
    FILE* file = fopen(test_path("moves.bvh"), "r");
    char line[4000];
    int frames = -1;
    while (fgets(line, sizeof line, file)) sscanf(line, "Frames: %d", &frames);
    fclose(file);
    /* 0.3 s at 45 a second: 13.5 steps, the last one holds the last pose. */
    assert_int_equal(frames, 15);
    /* .csv is the table of hf_trajectory_save, which has more columns than poses. */
    assert_int_equal(hf_motion_export(motion, creature, NULL, "x.csv", &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "hf_trajectory_save"));
    options.fps = -1;
    assert_int_equal(hf_motion_export(motion, creature, &options, "x.bvh", &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_motion_export(motion, creature, NULL, "x.fbx", &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_motion_export(motion, creature, NULL, "no/such/folder/x.bvh", &error), HF_ERROR_FILE);
    motion->frames[9].time_s = 1e18;
    assert_int_equal(hf_motion_export(motion, creature, NULL, "x.bvh", &error), HF_ERROR_LIMIT);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

/* Poses on frames are the frames'; between them hf_pose_between's; outside held. */
static void test_pose(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    int n = hf_creature_get(creature)->q_count;
    double a[32], b[32], c[32], d[32];
    hf_pose from = {.q = a}, to = {.q = b}, got = {.q = c}, expected = {.q = d};
    hf_random random = hf_random_start(5, 2, 0);
    random_pose(creature, &random, &from);
    random_pose(creature, &random, &to);
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    assert_non_null(hf_motion_add(motion, 1, &from));
    assert_non_null(hf_motion_add(motion, 3, &to));
    const double times[] = {0, 1, 3, 9};
    for (int i = 0; i < 4; i++) {
        hf_motion_pose(motion, creature, times[i], &got);
        assert_memory_equal(got.q, i < 2 ? a : b, (size_t)n * sizeof(double));
    }
    hf_motion_pose(motion, creature, 1.5, &got);
    hf_pose_between(creature, &from, &to, 0.25, &expected);
    for (int i = 0; i < n; i++) assert_near(got.q[i], expected.q[i], 1e-15);
    assert_near(hf_distance(got.root.position, expected.root.position), 0, 1e-15);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

/* The numbers of a .npy file of doubles, whose header says what the format and the shape ask for. */
static void read_npy(const char* stem, const char* name, int rows, int cols, double* data) {
    char path[300], shape[60];
    unsigned char head[128] = {0};
    snprintf(path, sizeof path, "%s.%s.npy", stem, name);
    snprintf(shape, sizeof shape, "'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d)", rows, cols);
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(head, 1, 10, f), 10);
    assert_memory_equal(head, "\x93NUMPY\x01\x00", 8);
    size_t length = head[8] + 256u * head[9];
    assert_true(length < sizeof head && (10 + length) % 64 == 0);
    assert_int_equal(fread(head, 1, length, f), length);
    assert_int_equal(head[length - 1], '\n');
    head[length - 1] = 0;
    assert_non_null(strstr((const char*)head, shape));
    assert_int_equal(fread(data, sizeof *data, (size_t)(rows * cols) + 1, f), rows * cols);
    fclose(f);
}

/* Arrays hold what the frames hold, to the last bit. */
static void test_arrays(void** state) {
    (void)state;
    hf_error error = {0};
    hf_creature* creature = NULL;
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &error), HF_OK);
    const hf_creature_view* view = hf_creature_get(creature);
    hf_motion* motion = NULL;
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    double q[2][200];
    hf_random random = hf_random_start(5, 3, 0);
    for (int i = 0; i < 2; i++) {
        hf_pose pose = {.q = q[i]};
        random_pose(creature, &random, &pose);
        assert_non_null(hf_motion_add(motion, 0.5 + i, &pose));
    }
    int object = hf_motion_object_index(motion, "rock"), limbs = motion->limb_count;
    hf_hold hold = {.limb = 1, .frame = 0, .object = object, .grip = true};
    hold.point = hf_v3(1, 2, 3), hold.normal = hf_v3(0, 0, 1);
    assert_int_equal(hf_motion_add_contact(motion, &motion->frames[1], &hold), HF_OK);
    char stem[300];
    snprintf(stem, sizeof stem, "%s", test_path("arrays"));
    assert_int_equal(hf_motion_save_arrays(NULL, stem, &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_motion_save_arrays(motion, "no/such/folder", &error), HF_ERROR_FILE);
    assert_int_equal(hf_motion_save_arrays(motion, stem, &error), HF_OK);
    double data[500];
    read_npy(stem, "root", 2, 8, data);
    assert_true(data[0] == 0.5 && data[8] == 1.5 && data[9] == motion->frames[1].root.position.x);
    assert_true(data[12] == motion->frames[1].root.rotation.w);
    read_npy(stem, "joints", 2, view->q_count, data);
    assert_memory_equal(data + view->q_count, q[1], sizeof(double) * (size_t)view->q_count);
    read_npy(stem, "contacts", 2, 9 * limbs, data);
    const double none[] = {0, -1, -1, 0, 0, 0, 0, 0, 0}, held[] = {2, 0, object, 1, 2, 3, 0, 0, 1};
    for (int i = 0; i < 2 * limbs; i++)
        for (int k = 0; k < 9; k++) assert_true(data[9 * i + k] == (i == limbs + 1 ? held : none)[k]);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),     cmocka_unit_test(test_claims_default),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_validate),   cmocka_unit_test(test_place),
        cmocka_unit_test(test_export),     cmocka_unit_test(test_pose),
        cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
