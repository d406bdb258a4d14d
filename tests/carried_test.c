/* What hands carry and press on a schedule: the realiser and the check find what it meets, at frames and
   between, and whether it is borne. */
#include "test_file.h"

typedef struct world {
    hf_creature* creature;
    hf_scene* scene;
    hf_placement* placement;
    hf_workspace* workspace;
} world;

static hf_motion* realise(const world* w, const hf_schedule* s, hf_realise_result* result) {
    hf_realise_options o = hf_realise_options_default();
    hf_motion* motion = NULL;
    assert_int_equal(hf_realise(w->creature, w->scene, s, &o, w->workspace, &motion, result), HF_OK);
    return motion;
}

/* A hand on a post turns about Z, 0.17 m above it; beside it a mast of 1 cm stands at a distance of 1.5 m and
   0.125 rad to the left of X. */
static const char signaller_urdf[] =
    "<robot name='signaller'><link name='base'><inertial><mass value='9'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box size='0.1 0.1 "
    "0.1'/></geometry></collision>"
    "</link><link name='mast'><collision><geometry><cylinder radius='0.005' length='0.4'/></geometry>"
    "</collision></link><joint name='stay' type='fixed'><parent link='base'/><child link='mast'/>"
    "<origin xyz='1.48829628 0.18701235 0.2'/></joint><link name='hand'><inertial><mass value='1'/><inertia "
    "ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere "
    "radius='0.02'/></geometry></collision></link><joint name='wrist' type='revolute'><parent link='base'/>"
    "<child link='hand'/><origin xyz='0 0 0.17'/><axis xyz='0 0 1'/><limit lower='-2' upper='2' "
    "velocity='9' effort='9'/></joint></robot>";
static const char signaller_json[] =
    "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"signaller\", \"urdf\": "
    "\"signaller.urdf\", \"limbs\": [ { \"name\": \"arm\", \"root\": \"hand\", \"effector\": \"hand\", "
    "\"contact\": { \"name\": \"palm\", \"offset\": [0, 0, 0.02], \"normal\": [0, 0, 1] }, \"grip\": true } "
    "] }";

static const uint32_t box_faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void box_corners(hf_vec3 low, hf_vec3 high, float corners[24]) {
    for (int k = 0; k < 8; k++) {
        corners[3 * k] = (float)(k & 1 ? high.x : low.x);
        corners[3 * k + 1] = (float)(k & 2 ? high.y : low.y);
        corners[3 * k + 2] = (float)(k & 4 ? high.z : low.z);
    }
}

/* A load whose lower side is on the palm and, where its size is not 0, a cube at a place. */
static hf_scene* load_scene(hf_mesh mesh, hf_vec3 at, double size) {
    float corners[24];
    double h = size / 2;
    hf_object_def objects[2] = {hf_object_def_default(), hf_object_def_default()};
    objects[0].name = "load", objects[0].movable = true, objects[0].mass_kg = 1;
    objects[0].start.position = hf_v3(0, 0, 0.2);
    objects[0].mesh = mesh;
    objects[1].name = "cube";
    objects[1].start.position = at;
    box_corners(hf_v3(-h, -h, -h), hf_v3(h, h, h), corners);
    objects[1].mesh = (hf_mesh){8, 12, corners, (uint32_t*)(uintptr_t)box_faces};
    hf_scene* scene = NULL;
    hf_error e = {0};
    if (hf_scene_build(objects, size > 0 ? 2 : 1, &scene, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
    return scene;
}

/* A pole of 2 m x 2 cm x 2 cm along X, and a cube of 2 cm 1.5 m away from the wrist, so far to the left. */
static hf_scene* pole_scene(double size, double angle) {
    float corners[24];
    box_corners(hf_v3(-0.05, -0.01, -0.01), hf_v3(1.95, 0.01, 0.01), corners);
    hf_mesh pole = {8, 12, corners, (uint32_t*)(uintptr_t)box_faces};
    return load_scene(pole, hf_v3(1.5 * hf_cos(angle), 1.5 * hf_sin(angle), 0.2), size);
}

/* The hand grips the load, and the wrist turns by so much in each of so many frames. */
static hf_schedule* turn_schedule(const hf_creature* creature, const hf_scene* scene, double turn,
                                  int frames) {
    hf_schedule* s = NULL;
    hf_placement* placement = NULL;
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    assert_int_equal(hf_schedule_create(creature, 10, &s), HF_OK);
    hf_hold grip = {.limb = 0, .object = 0, .grip = true, .point = {0, 0, 0.19}, .normal = {0, 0, -1}};
    for (int i = 0; i < 2 && i <= frames; i++) {
        double q[1] = {i * frames * turn};
        hf_pose pose = {.root = hf_transform_identity(), .q = q};
        assert_int_equal(hf_schedule_add(s, placement, 0.1 * frames * i, &pose, &grip, 1 - i, false), HF_OK);
    }
    s->holds[0].to_s = 0.1 * frames;
    s->claims = HF_CLAIM_ALL & ~(unsigned)HF_CLAIM_BALANCE;
    hf_placement_free(placement);
    return s;
}

/* How many faults the realiser finds, all of them of one kind, the first in frame *first; *checked collisions
   are the check's. */
static int turn_faults(const hf_creature* creature, const hf_scene* scene, double turn, int frames,
                       hf_frame_fault_kind kind, int* first, int* checked) {
    world w = {.creature = (hf_creature*)(uintptr_t)creature, .scene = (hf_scene*)(uintptr_t)scene};
    hf_realise_result result = {0};
    hf_check_report report = {0};
    assert_int_equal(hf_workspace_create(&w.workspace), HF_OK);
    hf_schedule* s = turn_schedule(creature, scene, turn, frames);
    hf_motion* m = realise(&w, s, &result);
    for (int i = 0; i < result.fault_count; i++) assert_int_equal(result.faults[i].kind, kind);
    assert_int_equal((m->claims & HF_CLAIM_COLLISION) != 0, result.fault_count == 0);
    assert_int_equal(hf_check_motion(m, creature, scene, 1, NULL, NULL, &report, NULL), HF_OK);
    *checked = report.collisions;
    int count = result.fault_count;
    *first = count ? result.faults[0].frame : -1;
    hf_check_report_free(&report);
    hf_realise_result_free(&result);
    hf_motion_free(m);
    hf_schedule_free(s);
    hf_workspace_free(w.workspace);
    return count;
}

static hf_creature* load_signaller(void) {
    hf_creature* creature = NULL;
    hf_error e = {0};
    write_file("signaller.urdf", signaller_urdf);
    write_file("signaller.creature.json", signaller_json);
    if (hf_creature_load(test_path("signaller.creature.json"), NULL, &creature, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
    return creature;
}

/* Turned by 0.1 rad a frame the pole is at the mast between two frames, 3.7 cm from it at the frames' middle
   and ends; the hand itself moves 2 mm. Turned the other way it meets nothing. */
static void test_pole_past_a_mast(void** state) {
    (void)state;
    int checked, first;
    hf_creature* creature = load_signaller();
    hf_scene* scene = pole_scene(0, 0);
    assert_true(turn_faults(creature, scene, 0.1, 8, HF_FAULT_COLLIDES, &first, &checked) > 0);
    assert_true(checked > 0);
    assert_int_equal(turn_faults(creature, scene, -0.1, 8, HF_FAULT_COLLIDES, &first, &checked), 0);
    assert_int_equal(checked, 0);
    hf_scene_free(scene);
    hf_creature_free(creature);
}

/* The pole meets a cube: at the third frame, so on the ways to and from it; between the second and the third;
   in the only frame. */
static void test_carried_into_a_cube(void** state) {
    (void)state;
    static const struct {
        double angle, turn;
        int frames, faults, first;
    } cases[] = {{-0.3, -0.1, 8, 2, 2}, {-0.25, -0.1, 8, 1, 2}, {0, 0, 0, 1, 0}, {0.2, -0.1, 8, 0, -1}};
    hf_creature* creature = load_signaller();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int checked, first;
        hf_scene* scene = pole_scene(0.02, cases[i].angle);
        int faults =
            turn_faults(creature, scene, cases[i].turn, cases[i].frames, HF_FAULT_CARRIED, &first, &checked);
        assert_int_equal(faults, cases[i].faults);
        assert_int_equal(first, cases[i].first);
        assert_int_equal(checked > 0, faults > 0);
        hf_scene_free(scene);
    }
    hf_creature_free(creature);
}

/* A flat sheet of 2 m x 2 cm has no hull: its corners, 1.95 m away, are asked. */
static void test_carried_sheet(void** state) {
    (void)state;
    float v[12] = {-0.05f, -0.01f, -0.01f, 1.95f,  -0.01f, -0.01f,
                   1.95f,  0.01f,  -0.01f, -0.05f, 0.01f,  -0.01f};
    uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
    hf_mesh sheet = {4, 2, v, halves};
    hf_creature* creature = load_signaller();
    for (int met = 0; met < 2; met++) {
        int checked, first;
        double angle = met ? -0.3 : 0.3;
        hf_scene* scene = load_scene(sheet, hf_v3(1.94 * hf_cos(angle), 1.94 * hf_sin(angle), 0.2), 0.06);
        int faults = turn_faults(creature, scene, -0.1, 8, HF_FAULT_CARRIED, &first, &checked);
        assert_int_equal(faults > 0, met);
        assert_int_equal(checked > 0, met);
        hf_scene_free(scene);
    }
    hf_creature_free(creature);
}

/* A cube between the two arms of an angle iron is in its hull, and not in the iron. */
static void test_carried_angle_iron(void** state) {
    (void)state;
    static const float outline[6][2] = {{-0.05f, -0.01f}, {1.95f, -0.01f}, {1.95f, 0.01f},
                                        {0.01f, 0.01f},   {0.01f, 0.8f},   {-0.05f, 0.8f}};
    static const uint32_t caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    float v[36];
    uint32_t faces[60];
    for (int k = 0; k < 12; k++) {
        v[3 * k] = outline[k % 6][0], v[3 * k + 1] = outline[k % 6][1];
        v[3 * k + 2] = k < 6 ? -0.01f : 0.01f;
    }
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t c = 0; c < 3; c++)
            faces[3 * k + c] = caps[k][2 - c], faces[12 + 3 * k + c] = caps[k][c] + 6;
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t next = (k + 1) % 6, side[6] = {k, next, next + 6, k, next + 6, k + 6};
        memcpy(faces + 24 + 6 * k, side, sizeof side);
    }
    hf_mesh iron = {12, 20, v, faces};
    hf_creature* creature = load_signaller();
    hf_scene* scene = load_scene(iron, hf_v3(0.5, 0.3, 0.2), 0.02);
    int checked, first;
    assert_int_equal(turn_faults(creature, scene, 0.001, 4, HF_FAULT_CARRIED, &first, &checked), 0);
    assert_int_equal(checked, 0);
    hf_scene_free(scene);
    hf_creature_free(creature);
}

/* The cube stands far away when the motion is opened and is then moved to where the pole alone passes. */
static void test_edit_in_the_way_of_a_pole(void** state) {
    (void)state;
    hf_creature* creature = load_signaller();
    hf_scene* scene = pole_scene(0.02, 2);
    hf_schedule *s = turn_schedule(creature, scene, -0.1, 8), *adapted = NULL;
    hf_workspace* workspace;
    hf_adapt_editor* editor = NULL;
    hf_adapt_result result = {0};
    hf_error e = {0};
    int carried = 0;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    if (hf_adapt_editor_create(creature, scene, s, NULL, workspace, &editor, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
    char cube[] = "cube";
    hf_scene_edit edit = {.object = cube, .has_position = true, .scale = 1, .friction = 0.5};
    edit.position = hf_v3(1.5 * hf_cos(0.25), -1.5 * hf_sin(0.25), 0.2);
    assert_int_equal(hf_adapt_editor_edit(editor, &edit, 1, &e), HF_OK);
    assert_int_equal(hf_adapt_editor_update(editor, workspace, &adapted, &result), HF_OK);
    for (int i = 0; i < result.realised.fault_count; i++)
        carried += result.realised.faults[i].kind == HF_FAULT_CARRIED;
    assert_int_equal(result.outcome, HF_PARTIAL);
    assert_int_equal(carried, 1);
    hf_schedule_free(adapted);
    hf_adapt_result_free(&result);
    hf_adapt_editor_free(editor);
    hf_workspace_free(workspace);
    hf_schedule_free(s);
    hf_scene_free(scene);
    hf_creature_free(creature);
}

/* ---- what two limbs press ---- */

/* Two palms on slides along Y, which grip nothing, on either side of a box of 20 cm. */
static const char presser_urdf[] =
    "<robot name='presser'><link name='base'><inertial><origin xyz='0 0 0'/><mass value='9'/><inertia "
    "ixx='1' "
    "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere "
    "radius='0.01'/></geometry></collision></link><link name='left'/><link name='right'/>"
    "<joint name='l' type='prismatic'><parent link='base'/><child link='left'/><origin xyz='0.5 0.1 "
    "0'/><axis "
    "xyz='0 1 0'/><limit lower='-1' upper='1' velocity='9' effort='900'/></joint><joint name='r' "
    "type='prismatic'><parent link='base'/><child link='right'/><origin xyz='0.5 -0.1 0'/><axis xyz='0 1 "
    "0'/><limit lower='-1' upper='1' velocity='9' effort='900'/></joint></robot>";
static const char presser_json[] =
    "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"presser\", \"urdf\": "
    "\"presser.urdf\", \"limbs\": [ { \"name\": \"left\", \"root\": \"left\", \"effector\": "
    "\"left\", \"contact\": { \"name\": \"palm\", \"offset\": [0, 0, 0], \"normal\": [0, -1, 0], "
    "\"patch\": [0.05, 0.05] } }, { \"name\": \"right\", \"root\": \"right\", \"effector\": "
    "\"right\", \"contact\": { \"name\": \"palm\", \"offset\": [0, 0, 0], \"normal\": [0, 1, 0], "
    "\"patch\": [0.05, 0.05] } } ] }";

static hf_scene* pressed_scene(double friction) {
    float corners[24];
    hf_object_def box = hf_object_def_default();
    box.name = "box", box.movable = true, box.mass_kg = 2, box.friction = friction;
    box.start.position = hf_v3(0.5, 0, 0);
    box_corners(hf_v3(-0.1, -0.1, -0.1), hf_v3(0.1, 0.1, 0.1), corners);
    box.mesh = (hf_mesh){8, 12, corners, (uint32_t*)(uintptr_t)box_faces};
    hf_scene* scene = NULL;
    assert_int_equal(hf_scene_build(&box, 1, &scene, NULL), HF_OK);
    return scene;
}

/* Half a second in which the base rises by 5 cm with the box. */
static hf_schedule* press_schedule(const world* w) {
    hf_schedule* s = NULL;
    hf_hold palms[2] = {{.limb = 0, .object = 0, .point = {0.5, 0.1, 0}, .normal = {0, 1, 0}},
                        {.limb = 1, .object = 0, .point = {0.5, -0.1, 0}, .normal = {0, -1, 0}}};
    assert_int_equal(hf_schedule_create(w->creature, 10, &s), HF_OK);
    for (int i = 0; i < 2; i++) {
        double q[2] = {0, 0};
        hf_pose pose = {.root = hf_transform_identity(), .q = q};
        pose.root.position.z = 0.05 * i;
        assert_int_equal(hf_schedule_add(s, w->placement, 0.5 * i, &pose, palms, 2 - 2 * i, false), HF_OK);
    }
    for (int i = 0; i < 2; i++) s->holds[i].to_s = 0.5;
    s->claims = HF_CLAIM_CONTACTS | HF_CLAIM_LIMITS;
    return s;
}

/* Palms bear a box by friction, and not by hardly any; the check says the same. What is pressed is carried:
   its motion is not refined. */
static void test_pressed(void** state) {
    (void)state;
    world w = {0};
    hf_error e = {0};
    write_file("presser.urdf", presser_urdf);
    write_file("presser.creature.json", presser_json);
    if (hf_creature_load(test_path("presser.creature.json"), NULL, &w.creature, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
    assert_int_equal(hf_workspace_create(&w.workspace), HF_OK);
    for (int borne = 0; borne < 2; borne++) {
        hf_realise_result result = {0};
        hf_refine_result refined = {0};
        hf_check_report report = {0};
        hf_refine_options o = hf_refine_options_default();
        w.scene = pressed_scene(borne ? 0.5 : 0.01);
        assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
        hf_schedule* s = press_schedule(&w);
        hf_motion* m = realise(&w, s, &result);
        assert_near(m->frames[5].objects[0].pose.position.z, 0.05, 1e-9);
        assert_int_equal(result.fault_count, borne ? 0 : m->frame_count);
        for (int i = 0; i < result.fault_count; i++)
            assert_int_equal(result.faults[i].kind, HF_FAULT_PRESSED);
        assert_int_equal((m->claims & HF_CLAIM_CONTACTS) != 0, borne);
        m->claims = s->claims;
        assert_int_equal(hf_check_motion(m, w.creature, w.scene, 1, NULL, NULL, &report, NULL), HF_OK);
        assert_int_equal(report.valid, borne);
        assert_int_equal(hf_refine(w.creature, w.scene, s, &o, w.workspace, &refined, &e), HF_OK);
        assert_int_equal(refined.why, HF_REFINE_CARRIES);
        hf_refine_result_free(&refined);
        hf_check_report_free(&report);
        hf_realise_result_free(&result);
        hf_motion_free(m);
        hf_schedule_free(s);
        hf_placement_free(w.placement);
        hf_scene_free(w.scene);
    }
    hf_workspace_free(w.workspace);
    hf_creature_free(w.creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pole_past_a_mast),
        cmocka_unit_test(test_carried_into_a_cube),
        cmocka_unit_test(test_carried_sheet),
        cmocka_unit_test(test_carried_angle_iron),
        cmocka_unit_test(test_edit_in_the_way_of_a_pole),
        cmocka_unit_test(test_pressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
