/* Standing poses: every shipped creature on flat ground, the human on a step; places where nothing
   stands; starts and goals of scenarios that are only a place. */
#include "base/random.h"
#include "box_object.h"
#include "creature_files.h"

#include <math.h>
#include <stdlib.h>

static hf_scene* build(hf_object_def* objects, int count) {
    hf_scene* scene;
    hf_error error = {0};
    if (hf_scene_build(objects, count, &scene, &error) != HF_OK) fail_msg("%s", error.message);
    return scene;
}

static hf_scene* flat_floor(void) {
    hf_mesh mesh;
    hf_object_def floor = box_object("floor", hf_v3(-5, -5, -1), hf_v3(5, 5, 0), &mesh);
    hf_scene* scene = build(&floor, 1);
    hf_mesh_free(&mesh);
    return scene;
}

static hf_plan_options few_samples(void) {
    hf_plan_options o = hf_plan_options_default();
    o.samples = 100;
    o.threads = 1;
    return o;
}

static hf_stand_result stand(const hf_creature* creature, const hf_scene* scene, double x, double y,
                             double yaw) {
    hf_plan_options o = few_samples();
    hf_plan_model* model;
    hf_stand_result r;
    hf_error error = {0};
    assert_int_equal(hf_plan_model_create(creature, &o, &model, &error), HF_OK);
    if (hf_stand(model, scene, x, y, yaw, &o, &r, &error) != HF_OK) fail_msg("%s", error.message);
    hf_plan_model_free(model);
    return r;
}

/* As the independent check judges a motion of one frame. */
static void must_be_valid(const hf_creature* creature, const hf_scene* scene, const hf_stand_result* r) {
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
    hf_motion_frame* frame = hf_motion_add(motion, 0, &r->state.pose);
    assert_non_null(frame);
    for (int i = 0; i < r->state.contact_count; i++)
        assert_int_equal(hf_motion_add_contact(motion, frame, &r->state.contacts[i]), HF_OK);
    hf_check_report report;
    hf_error error = {0};
    if (hf_check_motion(motion, creature, scene, 1, NULL, NULL, &report, &error) != HF_OK)
        fail_msg("%s", error.message);
    if (!report.valid) fail_msg("%s", report.problem_count ? report.problems[0].what : "not valid");
    hf_check_report_free(&report);
    hf_motion_free(motion);
}

static void shipped_creatures_stand(void** state) {
    (void)state;
    static const struct {
        const char* name;
        int legs;
    } cases[] = {{"human", 2}, {"quadruped", 4}, {"insect", 6}, {"spider", 8}, {"climber", 2}};
    hf_scene* scene = flat_floor();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c = shipped_creature(cases[i].name);
        hf_stand_result r = stand(c, scene, 1, -2, 0.7);
        if (r.outcome != HF_FOUND) fail_msg("%s: %s", cases[i].name, r.why);
        assert_true(r.state.contact_count >= cases[i].legs);
        assert_true(r.margin_m >= 0.006);
        assert_near(r.state.pose.root.position.x, 1, 0.1);
        assert_near(r.state.pose.root.position.y, -2, 0.1);
        /* It looks where it was told to. */
        hf_vec3 ahead = hf_rotate(r.state.pose.root.rotation, hf_v3(1, 0, 0));
        assert_near(atan2(ahead.y, ahead.x), 0.7, 0.1);
        must_be_valid(c, scene, &r);
        hf_stand_result_free(&r);
        hf_creature_free(c);
    }
    hf_scene_free(scene);
}

/* One foot on a step of 15 cm: the other leg is longer by that. */
static void feet_find_a_step(void** state) {
    (void)state;
    hf_mesh meshes[2];
    hf_object_def objects[2] = {box_object("floor", hf_v3(-5, -5, -1), hf_v3(5, 5, 0), &meshes[0]),
                                box_object("step", hf_v3(-0.5, 0, 0), hf_v3(0.5, 0.5, 0.15), &meshes[1])};
    hf_scene* scene = build(objects, 2);
    hf_creature* c = shipped_creature("human");
    hf_stand_result r = stand(c, scene, 0, 0, 0);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < r.state.contact_count; i++) {
        low = fmin(low, r.state.contacts[i].point.z);
        high = fmax(high, r.state.contacts[i].point.z);
    }
    assert_near(low, 0, 1e-3);
    assert_near(high, 0.15, 1e-3);
    must_be_valid(c, scene, &r);
    hf_stand_result_free(&r);
    hf_creature_free(c);
    hf_scene_free(scene);
    for (int i = 0; i < 2; i++) hf_mesh_free(&meshes[i]);
}

/* The upper of two floors counts; one that allows no contact does not. */
static void the_highest_floor_counts(void** state) {
    (void)state;
    hf_mesh meshes[2];
    hf_object_def objects[2] = {box_object("floor", hf_v3(-5, -5, -1), hf_v3(5, 5, 0), &meshes[0]),
                                box_object("table", hf_v3(-2, -2, 2.5), hf_v3(2, 2, 3), &meshes[1])};
    hf_creature* c = shipped_creature("human");
    for (int allowed = 0; allowed < 2; allowed++) {
        objects[1].contact = allowed;
        hf_scene* scene = build(objects, 2);
        hf_stand_result r = stand(c, scene, 0, 0, 0);
        if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
        assert_near(r.state.contacts[0].point.z, allowed ? 3 : 0, 1e-3);
        hf_stand_result_free(&r);
        hf_scene_free(scene);
    }
    hf_creature_free(c);
    for (int i = 0; i < 2; i++) hf_mesh_free(&meshes[i]);
}

/* No ground, and no room: each says so. */
static void places_without_a_stand(void** state) {
    (void)state;
    hf_mesh meshes[2];
    hf_object_def objects[2] = {box_object("floor", hf_v3(-5, -5, -1), hf_v3(5, 5, 0), &meshes[0]),
                                box_object("ceiling", hf_v3(-5, -5, 0.3), hf_v3(5, 5, 0.5), &meshes[1])};
    objects[1].contact = false;
    hf_scene* scene = build(objects, 2);
    hf_creature* c = shipped_creature("human");
    hf_stand_result r = stand(c, scene, 40, 0, 0);
    assert_int_equal(r.outcome, HF_NONE);
    assert_non_null(strstr(r.why, "no surface"));
    hf_stand_result_free(&r);
    r = stand(c, scene, 0, 0, 0);
    assert_int_equal(r.outcome, HF_NONE);
    assert_non_null(strstr(r.why, "at 0 0"));
    hf_stand_result_free(&r);
    hf_creature_free(c);
    hf_scene_free(scene);
    for (int i = 0; i < 2; i++) hf_mesh_free(&meshes[i]);
}

#define SCENARIO(start)                                                                                      \
    "{\"format\": \"holdfast-scenario\", \"version\": 1, \"kind\": \"plan\", \"creature\": \"%s\","          \
    "\"scene\": [{\"name\": \"floor\", \"mesh\": \"stand-floor.obj\"}], \"start\": " start                   \
    ", \"goal\": {\"at\": [1, 0]}}"

/* A place is a start, and what does not go with a place is refused. */
static void scenarios_start_at_a_place(void** state) {
    (void)state;
    write_file("stand-floor.obj", "v -5 -5 0\nv 5 -5 0\nv 5 5 0\nv -5 5 0\nf 1 2 3\nf 1 3 4\n");
    char text[2000];
    snprintf(text, sizeof text, SCENARIO("{\"at\": [0.5, 0.25, 1.5]}"),
             data_path("data/creatures/quadruped.creature.json"));
    hf_scenario* s;
    hf_error error = {0};
    if (hf_scenario_load(write_file("stand.scenario.json", text), NULL, &s, &error) != HF_OK)
        fail_msg("%s", error.message);
    assert_true(s->start.stands && s->goal.stands);
    hf_plan_options o = few_samples();
    hf_plan_model* model;
    assert_int_equal(hf_plan_model_create(s->creature, &o, &model, &error), HF_OK);
    if (hf_scenario_stand(s, model, &o, &error) != HF_OK) fail_msg("%s", error.message);
    assert_false(s->start.stands || s->goal.stands);
    assert_true(s->start.whole && s->start.contact_count == 4);
    assert_near(s->start.pose.root.position.x, 0.5, 0.05);
    assert_near(s->goal.pose.root.position.x, 1, 0.05);
    hf_plan_model_free(model);
    hf_scenario_free(s);
    static const char* const wrong[] = {SCENARIO("{\"at\": [0]}"), SCENARIO("{\"at\": \"here\"}"),
                                        SCENARIO("{\"at\": [0, 0], \"joints\": {}}")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, wrong[i], data_path("data/creatures/quadruped.creature.json"));
        assert_int_equal(hf_scenario_load(write_file("stand.scenario.json", text), NULL, &s, &error),
                         HF_ERROR_FORMAT);
        assert_string_equal(error.field, "start.at");
    }
}

/* A goal that is a place is reached where the root stands over the place, at whatever height. */
static void a_place_is_a_goal(void** state) {
    (void)state;
    write_file("stand-floor.obj", "v -5 -5 0\nv 5 -5 0\nv 5 5 0\nv -5 5 0\nf 1 2 3\nf 1 3 4\n");
    char text[2000];
    snprintf(text, sizeof text, SCENARIO("{\"at\": [0.6, 0]}"),
             data_path("data/creatures/quadruped.creature.json"));
    const char* path = write_file("place.scenario.json", text);
    hf_scenario *s, *as_written;
    hf_error error = {0};
    if (hf_scenario_load(path, NULL, &s, &error) != HF_OK) fail_msg("%s", error.message);
    if (hf_scenario_load(path, NULL, &as_written, &error) != HF_OK) fail_msg("%s", error.message);
    hf_plan_options o = few_samples();
    o.samples = 1000;
    hf_plan_model* model;
    hf_plan_result r;
    assert_int_equal(hf_plan_model_create(s->creature, &o, &model, &error), HF_OK);
    assert_int_equal(hf_scenario_stand(s, model, &o, &error), HF_OK);
    hf_plan_query q = {.start = &s->start, .goal = &s->goal};
    assert_int_equal(hf_plan_find(model, s->scene, &q, &o, NULL, NULL, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        hf_check_report report;
        if (elsewhere) as_written->goal.pose.root.position.y = 0.3;
        assert_int_equal(hf_check_scenario(r.motion, s->creature, as_written, 1, NULL, NULL, &report, &error),
                         HF_OK);
        assert_int_equal(report.goal_violations, elsewhere);
        hf_check_report_free(&report);
    }
    /* The scenario whose goal was found is judged by the same place. */
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        hf_check_report report;
        s->goal.place.position.y += elsewhere ? 0.3 : 0;
        assert_int_equal(hf_check_scenario(r.motion, s->creature, s, 1, NULL, NULL, &report, &error), HF_OK);
        assert_int_equal(report.goal_violations, elsewhere);
        hf_check_report_free(&report);
    }
    s->goal.place.position.y -= 0.3;
    /* A heading counts where the file gives one. */
    hf_check_report report;
    as_written->goal.pose.root.position.y = 0;
    as_written->goal.pose.root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), 1);
    for (int given = 0; given < 2; given++) {
        as_written->goal.any_heading = !given;
        assert_int_equal(hf_check_scenario(r.motion, s->creature, as_written, 1, NULL, NULL, &report, &error),
                         HF_OK);
        assert_int_equal(report.goal_violations, given);
        hf_check_report_free(&report);
    }
    as_written->goal.any_heading = true;
    /* Nobody stands at a place without contact. */
    r.motion->frames[r.motion->frame_count - 1].contact_count = 0;
    assert_int_equal(hf_check_scenario(r.motion, s->creature, as_written, 1, NULL, NULL, &report, &error),
                     HF_OK);
    assert_int_equal(report.goal_violations, 1);
    hf_check_report_free(&report);
    hf_plan_result_free(&r);
    /* What is farther from the place that was asked for than the tolerance is not there, however near it is
       to the pose that was found. */
    s->goal.place.position.x += 2 * o.goal_tolerance_m;
    o.patience = 5, o.max_work = 50;
    assert_int_equal(hf_plan_find(model, s->scene, &q, &o, NULL, NULL, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_PARTIAL);
    hf_plan_result_free(&r);
    hf_plan_model_free(model);
    hf_scenario_free(as_written);
    hf_scenario_free(s);
}

/* A slope of 8 degrees under a body that keeps low, and a box under it: the body turns with the slope, and is
   raised over the box. */
static void low_bodies_stand_on_uneven_ground(void** state) {
    (void)state;
    const float rise = (float)(4 * tan(0.14));
    float v[] = {-2, -2, 0, 2, -2, rise, 2, 2, rise, -2, 2, 0};
    uint32_t t[] = {0, 1, 2, 0, 2, 3};
    hf_mesh floor, box;
    hf_object_def slope = hf_object_def_default();
    slope.name = "slope";
    slope.mesh = (hf_mesh){.vertex_count = 4, .triangle_count = 2, .vertices = v, .indices = t};
    hf_object_def objects[2] = {box_object("floor", hf_v3(-5, -5, -1), hf_v3(5, 5, 0), &floor),
                                box_object("box", hf_v3(-0.1, -0.07, 0), hf_v3(0.1, 0.07, 0.12), &box)};
    hf_scene* scenes[2] = {build(&slope, 1), build(objects, 2)};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            hf_creature* c = shipped_creature(i ? "spider" : "insect");
            hf_stand_result r = stand(c, scenes[k], 0, 0, 0.6);
            if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
            must_be_valid(c, scenes[k], &r);
            hf_stand_result_free(&r);
            hf_creature_free(c);
        }
    for (int k = 0; k < 2; k++) hf_scene_free(scenes[k]);
    hf_mesh_free(&floor);
    hf_mesh_free(&box);
}

/* A steep roof over the place, and its flat underside, are no ground: the floor below is. */
static void undersides_are_no_ground(void** state) {
    (void)state;
    static float roof[] = {-1, -1, 3, 1, -1, 3, 1, 1, 3, -1, 1, 3, 0, 0, 6};
    static uint32_t sides[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    hf_mesh floor;
    hf_object_def objects[2] = {box_object("floor", hf_v3(-5, -5, -1), hf_v3(5, 5, 0), &floor),
                                hf_object_def_default()};
    objects[1].name = "roof";
    objects[1].mesh = (hf_mesh){.vertex_count = 5, .triangle_count = 6, .vertices = roof, .indices = sides};
    hf_scene* scene = build(objects, 2);
    hf_creature* c = shipped_creature("human");
    hf_stand_result r = stand(c, scene, 0.2, 0.1, 0);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
    assert_near(r.state.contacts[0].point.z, 0, 1e-3);
    hf_stand_result_free(&r);
    hf_creature_free(c);
    hf_scene_free(scene);
    hf_mesh_free(&floor);
}

/* Robots and rigs that nobody here prepared. */
static void others_stand(void** state) {
    (void)state;
    static const struct {
        const char* file;
        int legs;
    } cases[] = {{"robots/g1_description/g1_custom_collision_29dof.urdf", 2},
                 {"robots/anymal_b_simple_description/robots/anymal.urdf", 4},
                 {"robots/quadruped_description/urdf/quadruped.urdf", 4},
                 {"gltf/Fox.glb", 4},
                 {"gltf/RiggedFigure.glb", 2},
                 {"motions/pirouette.bvh", 2}};
    if (!third_party(cases[0].file)) skip();
    hf_scene* scene = flat_floor();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char* path = third_party(cases[i].file);
        assert_non_null(path);
        hf_creature* c = must_load(path);
        hf_stand_result r = stand(c, scene, 0, 0, 0);
        if (r.outcome != HF_FOUND) fail_msg("%s: %s", cases[i].file, r.why);
        assert_int_equal(r.state.contact_count, cases[i].legs);
        must_be_valid(c, scene, &r);
        hf_stand_result_free(&r);
        hf_creature_free(c);
    }
    hf_scene_free(scene);
}

/* On a ledge beside a wall, with no room for the quadruped's trunk across it: along X there is no stand, and
   without a heading the quadruped stands along the ledge. */
static void without_a_heading_one_is_found(void** state) {
    (void)state;
    hf_creature* creature = shipped_creature("quadruped");
    hf_mesh ledge_mesh, wall_mesh;
    hf_object_def objects[2] = {box_object("ledge", hf_v3(-0.3, -3, -1), hf_v3(0.3, 3, 0), &ledge_mesh),
                                box_object("wall", hf_v3(0.3, -3, -1), hf_v3(1, 3, 3), &wall_mesh)};
    hf_scene* scene = build(objects, 2);
    hf_stand_result along_x = stand(creature, scene, 0, 0, 0), any = stand(creature, scene, 0, 0, NAN);
    assert_int_equal(along_x.outcome, HF_NONE);
    assert_int_equal(any.outcome, HF_FOUND);
    must_be_valid(creature, scene, &any);
    hf_vec3 ahead = hf_rotate(any.state.pose.root.rotation, hf_v3(1, 0, 0));
    assert_true(fabs(ahead.y) > 0.99);
    hf_stand_result_free(&along_x);
    hf_stand_result_free(&any);
    hf_scene_free(scene);
    hf_mesh_free(&ledge_mesh);
    hf_mesh_free(&wall_mesh);
    hf_creature_free(creature);
}

/* Ground of cells of 0.25 m whose corners are up to 6 cm high or low. */
static hf_scene* rough_ground(uint32_t seed) {
    enum { CELLS = 8, SIDE = CELLS + 1 };
    float at[SIDE * SIDE * 3];
    uint32_t triangles[CELLS * CELLS * 6], *t = triangles;
    hf_random random = hf_random_start(seed, 0, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        at[3 * i] = 0.25f * (float)(i % SIDE - CELLS / 2);
        at[3 * i + 1] = 0.25f * (float)(i / SIDE - CELLS / 2);
        at[3 * i + 2] = (float)(0.12 * hf_random_unit(&random) - 0.06);
    }
    for (int i = 0; i < CELLS * CELLS; i++) {
        uint32_t a = (uint32_t)(i / CELLS * SIDE + i % CELLS), c = a + SIDE;
        *t++ = a, *t++ = a + 1, *t++ = c, *t++ = a + 1, *t++ = c + 1, *t++ = c;
    }
    hf_object_def ground = hf_object_def_default();
    ground.name = "ground";
    ground.mesh = (hf_mesh){.vertices = at,
                            .vertex_count = SIDE * SIDE,
                            .indices = triangles,
                            .triangle_count = CELLS * CELLS * 2};
    return build(&ground, 1);
}

/* Both feet find ground there in one heading or another. */
static void both_feet_stand_on_rough_ground(void** state) {
    (void)state;
    hf_creature* creature = shipped_creature("human");
    for (uint32_t seed = 1; seed <= 2; seed++) {
        hf_scene* scene = rough_ground(seed);
        hf_stand_result r = stand(creature, scene, 0, 0, NAN);
        if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
        assert_int_equal(r.state.contact_count, 2);
        must_be_valid(creature, scene, &r);
        hf_stand_result_free(&r);
        hf_scene_free(scene);
    }
    hf_creature_free(creature);
}

/* One leg of a made robot: a hip, a thigh and a shank of 0.2 m along `way`, in which the leg is stretched in
   the neutral posture; the shank carries `tip`. */
typedef struct made_leg {
    const char *name, *at, *first_axis, *turn;
    const char* way; /* in the leg's frame, 0.2 m long */
    const char* tip;
} made_leg;

static char* add_leg(char* s, const made_leg* g) {
    static const char bone[] = "<inertial><mass value='0.2'/></inertial><collision><geometry><sphere "
                               "radius='0.015'/></geometry></collision>";
    return s +
           sprintf(
               s,
               "<link name='%s_hip'>%s</link><link name='%s_thigh'>%s</link><link name='%s_shank'>%s%s</link>"
               "<joint name='%s_1' type='revolute'><parent link='body'/><child link='%s_hip'/><origin "
               "xyz='%s' "
               "rpy='0 0 %s'/><axis xyz='%s'/><limit lower='-1' upper='1'/></joint>"
               "<joint name='%s_2' type='revolute'><parent link='%s_hip'/><child link='%s_thigh'/><axis "
               "xyz='0 1 "
               "0'/><limit lower='-1.6' upper='1.6'/></joint>"
               "<joint name='%s_3' type='revolute'><parent link='%s_thigh'/><child link='%s_shank'/><origin "
               "xyz='%s'/><axis xyz='0 1 0'/><limit lower='-2.5' upper='2.5'/></joint>",
               g->name, bone, g->name, bone, g->name, bone, g->tip, g->name, g->name, g->at, g->turn,
               g->first_axis, g->name, g->name, g->name, g->name, g->name, g->name, g->way);
}

/* The body of a made robot; with `root` on a frame `root` lower, beside another frame. */
static hf_creature* made_robot_on(const char* root, const made_leg* legs, int count) {
    static char text[20000];
    char* s = text +
              sprintf(text, "<robot name='made'><link name='body'><inertial><mass value='3'/></inertial>"
                            "<collision><geometry><box size='0.2 0.14 0.06'/></geometry></collision></link>");
    if (root)
        s += sprintf(s,
                     "<link name='ground_frame'/><link name='scanner'/><joint name='g' type='fixed'><parent "
                     "link='ground_frame'/><child link='body'/><origin xyz='0 0 %s'/></joint><joint name='s' "
                     "type='fixed'><parent link='ground_frame'/><child link='scanner'/></joint>",
                     root);
    for (int i = 0; i < count; i++) s = add_leg(s, &legs[i]);
    sprintf(s, "</robot>");
    write_file("made.urdf", text);
    return must_load(test_path("made.urdf"));
}

static hf_creature* made_robot(const made_leg* legs, int count) { return made_robot_on(NULL, legs, count); }

/* Stands as the check judges, the body off the ground by more than half a shank, on as many legs. */
static void must_stand_high(const made_leg* legs, int count) {
    hf_creature* c = made_robot(legs, count);
    hf_scene* scene = flat_floor();
    hf_stand_result r = stand(c, scene, 0, 0, 0);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
    assert_int_equal(r.state.contact_count, count);
    assert_true(r.height_m - 0.03 > 0.1);
    must_be_valid(c, scene, &r);
    hf_stand_result_free(&r);
    hf_scene_free(scene);
    hf_creature_free(c);
}

#define TIP(at, shape) "<collision><origin xyz='" at "'/><geometry>" shape "</geometry></collision>"

/* Robots whose neutral posture has all legs stretched out level, as that of many hexapods: they stand on the
   ends of their legs, whatever shape those have. */
static void level_legs_are_put_below_the_body(void** state) {
    (void)state;
    static const char* const tips[] = {TIP("0.2 0 0", "<sphere radius='0.012'/>"),
                                       TIP("0.1 0 0", "<box size='0.2 0.03 0.03'/>")};
    for (int i = 0; i < 2; i++) {
        const made_leg legs[] = {{"fl_leg", "0.1 0.07 0", "0 0 1", "0.8", "0.2 0 0", tips[i]},
                                 {"ml_leg", "0 0.07 0", "0 0 1", "1.5708", "0.2 0 0", tips[i]},
                                 {"rl_leg", "-0.1 0.07 0", "0 0 1", "2.3", "0.2 0 0", tips[i]},
                                 {"fr_leg", "0.1 -0.07 0", "0 0 1", "-0.8", "0.2 0 0", tips[i]},
                                 {"mr_leg", "0 -0.07 0", "0 0 1", "-1.5708", "0.2 0 0", tips[i]},
                                 {"rr_leg", "-0.1 -0.07 0", "0 0 1", "-2.3", "0.2 0 0", tips[i]}};
        must_stand_high(legs, 6);
    }
}

/* Legs of three joints cannot lay a pad flat, however wide the pad is: they stand on its rim. */
static void pads_of_legs_with_three_joints_roll(void** state) {
    (void)state;
    static const char* const pads[] = {TIP("0 0 -0.2", "<box size='0.015 0.015 0.01'/>"),
                                       TIP("0 0 -0.2", "<box size='0.03 0.03 0.01'/>"),
                                       TIP("0 0 -0.2", "<box size='0.06 0.05 0.01'/>")};
    for (int i = 0; i < 3; i++) {
        const made_leg legs[] = {{"fl_leg", "0.1 0.07 0", "1 0 0", "0", "0 0 -0.2", pads[i]},
                                 {"fr_leg", "0.1 -0.07 0", "1 0 0", "0", "0 0 -0.2", pads[i]},
                                 {"rl_leg", "-0.1 0.07 0", "1 0 0", "0", "0 0 -0.2", pads[i]},
                                 {"rr_leg", "-0.1 -0.07 0", "1 0 0", "0", "0 0 -0.2", pads[i]}};
        must_stand_high(legs, 4);
        hf_creature* c = made_robot(legs, 4);
        /* The ball holds every corner of the pad. */
        const hf_contact_frame* f = hf_creature_get(c)->limbs[0].contacts;
        double half[] = {i == 0 ? 0.0075 : i == 1 ? 0.015 : 0.03, i == 0 ? 0.0075 : i == 1 ? 0.015 : 0.025};
        assert_true(f->ball > 0);
        for (int k = 0; k < 4; k++) {
            hf_vec3 corner = hf_v3(k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], -0.205);
            assert_true(hf_distance(corner, f->offset) <= f->ball + 1e-6);
        }
        hf_creature_free(c);
    }
}

/* A root that is on the ground between the feet, or below the ground, stands as one in the body does. */
static void roots_outside_the_body_stand(void** state) {
    (void)state;
    static const char ball[] = TIP("0 0 -0.2", "<sphere radius='0.02'/>");
    static const char* const heights[] = {NULL, "0.42", "0.6"};
    const made_leg legs[] = {{"fl_leg", "0.1 0.07 0", "1 0 0", "0", "0 0 -0.2", ball},
                             {"fr_leg", "0.1 -0.07 0", "1 0 0", "0", "0 0 -0.2", ball},
                             {"rl_leg", "-0.1 0.07 0", "1 0 0", "0", "0 0 -0.2", ball},
                             {"rr_leg", "-0.1 -0.07 0", "1 0 0", "0", "0 0 -0.2", ball}};
    double first = 0;
    for (int i = 0; i < 3; i++) {
        hf_creature* c = made_robot_on(heights[i], legs, 4);
        hf_scene* scene = flat_floor();
        hf_stand_result r = stand(c, scene, 0, 0, 0);
        if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
        double body = r.height_m + (heights[i] ? atof(heights[i]) : 0);
        if (i == 0) first = body;
        assert_near(body, first, 1e-3);
        must_be_valid(c, scene, &r);
        hf_stand_result_free(&r);
        hf_scene_free(scene);
        hf_creature_free(c);
    }
}

/* Two feet that touch in a point each hold no body at rest, wherever they are: the reason says so. */
static void two_points_are_refused(void** state) {
    (void)state;
    static const char ball[] = TIP("0 0 -0.2", "<sphere radius='0.02'/>");
    const made_leg legs[] = {{"left_leg", "0 0.07 0", "1 0 0", "0", "0 0 -0.2", ball},
                             {"right_leg", "0 -0.07 0", "1 0 0", "0", "0 0 -0.2", ball}};
    hf_creature* c = made_robot(legs, 2);
    hf_scene* scene = flat_floor();
    hf_stand_result r = stand(c, scene, 0, 0, 0);
    assert_int_equal(r.outcome, HF_NONE);
    assert_non_null(strstr(r.why, "2 limbs that touch in a point"));
    hf_stand_result_free(&r);
    hf_scene_free(scene);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_creatures_stand),
        cmocka_unit_test(feet_find_a_step),
        cmocka_unit_test(the_highest_floor_counts),
        cmocka_unit_test(places_without_a_stand),
        cmocka_unit_test(scenarios_start_at_a_place),
        cmocka_unit_test(a_place_is_a_goal),
        cmocka_unit_test(undersides_are_no_ground),
        cmocka_unit_test(low_bodies_stand_on_uneven_ground),
        cmocka_unit_test(others_stand),
        cmocka_unit_test(without_a_heading_one_is_found),
        cmocka_unit_test(both_feet_stand_on_rough_ground),
        cmocka_unit_test(level_legs_are_put_below_the_body),
        cmocka_unit_test(pads_of_legs_with_three_joints_roll),
        cmocka_unit_test(two_points_are_refused),
        cmocka_unit_test(roots_outside_the_body_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
