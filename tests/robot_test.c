/* Robots as their files are: traits of published robots and clips in small files of our own. A base chain of
   six joints, massless sole frames, feet without geometry, small round feet, legs of two joints, arms that
   must not walk, files that look along Y, skeletons whose rest posture does not stand; and what cannot walk
   says why. */
#include "creature_files.h"

#include <math.h>
#include <stdarg.h>

/* ---- writing files ---- */

typedef struct text {
    char all[40000];
    size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void put(text* t, const char* format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(t->all + t->length, sizeof t->all - t->length, format, list);
    va_end(list);
    assert_true(n >= 0 && t->length + (size_t)n < sizeof t->all);
    t->length += (size_t)n;
}

/* A link with mass (kg, 0 for a frame) and geometry ("" for none). */
static void put_link(text* t, const char* name, double mass, const char* geometry) {
    put(t, "<link name=\"%s\">", name);
    if (mass > 0)
        put(t, "<inertial><mass value=\"%g\"/><inertia ixx=\"%g\" iyy=\"%g\" izz=\"%g\"/></inertial>", mass,
            mass / 100, mass / 100, mass / 100);
    if (geometry[0]) put(t, "<collision>%s</collision>", geometry);
    put(t, "</link>\n");
}

static void put_joint(text* t, const char* type, const char* parent, const char* child, hf_vec3 at,
                      const char* axis, double lower, double upper) {
    put(t, "<joint name=\"%s_joint\" type=\"%s\"><parent link=\"%s\"/><child link=\"%s\"/>", child, type,
        parent, child);
    put(t, "<origin xyz=\"%g %g %g\"/><axis xyz=\"%s\"/>", at.x, at.y, at.z, axis);
    put(t, "<limit lower=\"%g\" upper=\"%g\" velocity=\"5\" effort=\"200\"/></joint>\n", lower, upper);
}

static const char BONE[] =
    "<origin xyz=\"0 0 -0.17\"/><geometry><capsule radius=\"0.04\" length=\"0.22\"/></geometry>";
static const char FOOT[] = "<origin xyz=\"0.03 0 -0.06\"/><geometry><box size=\"0.22 0.1 0.04\"/></geometry>";

/* A leg of six joints; its foot has the geometry that is given, and, where it has one, a sole frame that is
   only a name. */
static void put_leg(text* t, const char* side, double y, const char* foot) {
    static const char* const parts[] = {"hip_yaw", "hip_roll", "thigh", "shin", "ankle", "foot"};
    static const char* const axes[] = {"0 0 1", "1 0 0", "0 1 0", "0 1 0", "0 1 0", "1 0 0"};
    static const double lower[] = {-0.5, -0.5, -2, 0, -1, -0.5}, upper[] = {0.5, 0.5, 1, 2.2, 1, 0.5};
    char name[64], above[64] = "pelvis";
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "%s_%s", side, parts[i]);
        put_link(t, name, i == 2 || i == 3 ? 2 : 0.5, i == 2 || i == 3 ? BONE : i == 5 ? foot : "");
        hf_vec3 at = i == 0 ? hf_v3(0, y, -0.08) : hf_v3(0, 0, i == 3 || i == 4 ? -0.34 : 0);
        put_joint(t, "revolute", above, name, at, axes[i], lower[i], upper[i]);
        snprintf(above, sizeof above, "%s", name);
    }
    if (!foot[0]) return;
    snprintf(name, sizeof name, "%s_sole", side);
    put_link(t, name, 0, "");
    put(t, "<joint name=\"%s_joint\" type=\"fixed\"><parent link=\"%s\"/><child link=\"%s\"/>", name, above,
        name);
    put(t, "<origin xyz=\"0 0 -0.08\"/></joint>\n");
}

static void put_arm(text* t, const char* side, double y) {
    char upper[64], lower[64];
    snprintf(upper, sizeof upper, "%s_upper_arm", side), snprintf(lower, sizeof lower, "%s_forearm", side);
    put_link(t, upper, 1, BONE);
    put_joint(t, "revolute", "pelvis", upper, hf_v3(0, y, 0.45), "0 1 0", -2, 2);
    put_link(t, lower, 1, BONE);
    put_joint(t, "revolute", upper, lower, hf_v3(0, 0, -0.34), "0 1 0", -2, 0.5);
}

/* A humanoid behind a base chain. */
static void put_humanoid(text* t, const char* foot, bool chain) {
    static const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1", "1 0 0", "0 1 0", "0 0 1"};
    t->length = 0;
    put(t, "<robot name=\"walker\">\n");
    char above[16] = "world", name[16];
    if (chain) put_link(t, "world", 0, "");
    for (int i = 0; i < 6 && chain; i++) {
        snprintf(name, sizeof name, i == 5 ? "pelvis" : "base_%d", i);
        if (i < 5) put_link(t, name, 0, "");
        put_joint(t, i < 3 ? "prismatic" : "revolute", above, name, hf_v3(0, 0, 0), axes[i], -10, 10);
        snprintf(above, sizeof above, "%s", name);
    }
    put_link(t, "pelvis", 12, "<origin xyz=\"0 0 0.2\"/><geometry><box size=\"0.2 0.2 0.5\"/></geometry>");
    put_leg(t, "left", 0.12, foot), put_leg(t, "right", -0.12, foot);
    put_arm(t, "left", 0.25), put_arm(t, "right", -0.25);
    put(t, "</robot>\n");
}

/* Legs of two joints in planes along Y, where the robot looks; feet as given. */
static void put_crawler(text* t, const char* foot) {
    static const char* const legs[] = {"FL", "FR", "BL", "BR"};
    t->length = 0;
    put(t, "<robot name=\"crawler\">\n");
    put_link(t, "trunk", 3, "<geometry><box size=\"0.2 0.4 0.05\"/></geometry>");
    for (int i = 0; i < 4; i++) {
        char upper[16], lower[16];
        hf_vec3 at = {i % 2 ? 0.13 : -0.13, i < 2 ? 0.2 : -0.2, 0};
        snprintf(upper, sizeof upper, "%s_upper", legs[i]), snprintf(lower, sizeof lower, "%s_foot", legs[i]);
        put_link(
            t, upper, 0.2,
            "<origin xyz=\"0 0 -0.08\"/><geometry><capsule radius=\"0.02\" length=\"0.12\"/></geometry>");
        put_joint(t, "revolute", "trunk", upper, at, "1 0 0", -10, 10);
        put_link(t, lower, 0.1, foot);
        put_joint(t, "revolute", upper, lower, hf_v3(0, 0, -0.16), "1 0 0", -10, 10);
    }
    put(t, "</robot>\n");
}

/* Four legs of three joints; the knees cannot be stretched, as those of many dogs of metal: the feet of the
   neutral posture are 0.16 m ahead of the hips. */
static void put_dog(text* t, const char* foot) {
    static const char* const legs[] = {"FL", "FR", "RL", "RR"};
    t->length = 0;
    put(t, "<robot name=\"dog\">\n");
    put_link(t, "trunk", 7, "<geometry><box size=\"0.36 0.1 0.1\"/></geometry>");
    for (int i = 0; i < 4; i++) {
        char hip[16], thigh[16], calf[16];
        double side = i % 2 ? -1 : 1;
        snprintf(hip, sizeof hip, "%s_hip", legs[i]), snprintf(thigh, sizeof thigh, "%s_thigh", legs[i]);
        snprintf(calf, sizeof calf, "%s_calf", legs[i]);
        put_link(t, hip, 0, "");
        put_joint(t, "revolute", "trunk", hip, hf_v3(i < 2 ? 0.2 : -0.2, 0.05 * side, 0), "1 0 0", -1, 1);
        put_link(t, thigh, 0.5,
                 "<origin xyz=\"0 0 -0.1\"/><geometry><box size=\"0.03 0.03 0.2\"/></geometry>");
        put_joint(t, "revolute", hip, thigh, hf_v3(0, 0.09 * side, 0), "0 1 0", -1.5, 3.4);
        put_link(t, calf, 0.1, foot);
        put_joint(t, "revolute", thigh, calf, hf_v3(0, 0, -0.21), "0 1 0", -2.7, -0.84);
    }
    put(t, "</robot>\n");
}

/* ---- standing and going ---- */

static hf_scene* flat_floor(void) {
    hf_shape shape = {.kind = HF_SHAPE_BOX, .half_size = {5, 5, 0.5}};
    hf_object_def def = hf_object_def_default();
    hf_mesh mesh;
    hf_scene* scene;
    hf_error error = {0};
    assert_int_equal(hf_shape_mesh(&shape, 8, &mesh), HF_OK);
    def.name = "floor", def.mesh = mesh, def.start.position = hf_v3(0, 0, -0.5);
    assert_int_equal(hf_scene_build(&def, 1, &scene, &error), HF_OK);
    hf_mesh_free(&mesh);
    return scene;
}

static hf_plan_options few_samples(void) {
    hf_plan_options o = hf_plan_options_default();
    o.samples = 300;
    o.threads = 1;
    return o;
}

static hf_stand_result stand_at(const hf_creature* creature, const hf_scene* scene, double x) {
    hf_plan_options o = few_samples();
    hf_plan_model* model;
    hf_stand_result r;
    hf_error error = {0};
    assert_int_equal(hf_plan_model_create(creature, &o, &model, &error), HF_OK);
    assert_int_equal(hf_stand(model, scene, x, 0, 0, &o, &r, &error), HF_OK);
    hf_plan_model_free(model);
    return r;
}

/* A plan from standing at the origin to standing at x is found, and the independent check calls it valid. */
static void must_go(const hf_creature* creature, double x) {
    hf_scene* scene = flat_floor();
    hf_stand_result start = stand_at(creature, scene, 0), goal = stand_at(creature, scene, x);
    assert_int_equal(start.outcome, HF_FOUND);
    assert_int_equal(goal.outcome, HF_FOUND);
    goal.state.placed = true;
    hf_plan_options o = few_samples();
    hf_plan_model* model;
    hf_plan_result plan;
    hf_error error = {0};
    assert_int_equal(hf_plan_model_create(creature, &o, &model, &error), HF_OK);
    hf_plan_query query = {.start = &start.state, .goal = &goal.state};
    if (hf_plan_find(model, scene, &query, &o, NULL, NULL, &plan, &error) != HF_OK)
        fail_msg("%s", error.message);
    if (plan.outcome != HF_FOUND) fail_msg("%s", plan.where);
    hf_check_report judged;
    assert_int_equal(hf_check_motion(plan.motion, creature, scene, 1, NULL, NULL, &judged, &error), HF_OK);
    if (!judged.valid) fail_msg("%s", judged.problem_count ? judged.problems[0].what : "not valid");
    hf_check_report_free(&judged);
    hf_plan_result_free(&plan);
    hf_plan_model_free(model);
    hf_stand_result_free(&start), hf_stand_result_free(&goal);
    hf_scene_free(scene);
}

/* ---- traits ---- */

/* The body's weight and its feet are the same on both sides and, but for the bent legs, before and behind: it
   stands over their middle, so that the nearest edge of what holds it is half as far as the feet are apart,
   0.14 m. And it goes. */
static void bent_legs_stand_under_the_body(void** state) {
    (void)state;
    static text t;
    put_dog(&t, "<origin xyz=\"0 0 -0.21\"/><geometry><sphere radius=\"0.02\"/></geometry>");
    hf_creature* c = load_text("dog.urdf", t.all);
    hf_scene* scene = flat_floor();
    hf_stand_result r = stand_at(c, scene, 0);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_near(r.margin_m, 0.14, 0.01);
    hf_stand_result_free(&r);
    hf_scene_free(scene);
    must_go(c, 0.6);
    hf_creature_free(c);
}

/* A leg of three joints cannot lay its end flat: it rolls over the rim of a narrow one, whose radius a is 8
   mm. The ball through the rim whose lowest point is 0.15 of its radius r under the end has r = a / sqrt(1 -
   0.85^2). A wide end stays a sole. */
static void stubs_are_rolled_over(void** state) {
    (void)state;
    static text t;
    put_dog(&t, "<origin xyz=\"0 0 -0.1\"/><geometry><cylinder radius=\"0.008\" length=\"0.2\"/></geometry>");
    hf_creature* c = load_text("stub.urdf", t.all);
    const hf_creature_view* v = hf_creature_get(c);
    for (int l = 0; l < v->limb_count; l++) {
        const hf_contact_frame* f = &v->limbs[l].contacts[0];
        assert_near(f->patch[0], 0, 0);
        assert_near(f->ball, 0.008 / sqrt(1 - 0.85 * 0.85), 3e-4);
        // the leg leans at rest, so that the rim's lowest point is the ball's within its float
        assert_true(fabs(hf_length(f->offset) + f->ball - 0.2) < 0.008);
    }
    must_go(c, 0.5);
    hf_creature_free(c);
    put_dog(&t, "<origin xyz=\"0 0 -0.1\"/><geometry><box size=\"0.1 0.06 0.2\"/></geometry>");
    c = load_text("wide.urdf", t.all);
    assert_true(hf_creature_get(c)->limbs[0].contacts[0].patch[0] > 0.05);
    hf_creature_free(c);
}

/* The six joints before the pelvis say where the robot is: the root's pose does. Sole frames have no body,
   the feet are soles of their boxes, arms do not walk, and the robot goes. */
static void base_chains_are_absorbed(void** state) {
    (void)state;
    static text t;
    put_humanoid(&t, FOOT, true);
    hf_creature* c = load_text("chain.urdf", t.all);
    const hf_creature_view* v = hf_creature_get(c);
    assert_string_equal(v->links[0].name, "pelvis");
    assert_int_equal(hf_creature_find_joint(c, "base_0_joint"), -1);
    assert_int_equal(hf_creature_find_joint(c, "pelvis_joint"), -1);
    assert_int_equal(v->q_count, 16);
    assert_int_equal(link_of(c, "left_sole")->body_count, 0);
    assert_int_equal(v->gait_count, 2);
    for (int i = 0; i < 2; i++) {
        const hf_limb* leg = limb_of(c, i ? "right_leg" : "left_leg");
        assert_near(leg->contacts[0].patch[0], 0.22, 1e-3);
        assert_near(leg->contacts[0].patch[1], 0.1, 1e-3);
        assert_true(v->gait_limbs[i] == (int)(leg - v->limbs));
    }
    must_go(c, 0.4);
    hf_creature_free(c);
    // without a chain the same robot has the same joints
    put_humanoid(&t, FOOT, false);
    c = load_text("nochain.urdf", t.all);
    assert_int_equal(hf_creature_get(c)->q_count, 16);
    hf_creature_free(c);
}

/* A chain of which a link weighs something is a machine, not a base. */
static void heavy_chains_stay(void** state) {
    (void)state;
    static text t;
    put_humanoid(&t, FOOT, true);
    char* at = strstr(t.all, "<link name=\"base_2\">");
    assert_non_null(at);
    static text heavy;
    heavy.length = 0;
    put(&heavy, "%.*s<link name=\"base_2\"><inertial><mass value=\"1\"/></inertial>%s", (int)(at - t.all),
        t.all, at + strlen("<link name=\"base_2\">"));
    hf_creature* c = load_text("heavy.urdf", heavy.all);
    assert_true(hf_creature_find_joint(c, "base_0_joint") >= 0);
    hf_creature_free(c);
}

/* Feet of a humanoid without geometry: soles of a person's proportions, on which it goes. */
static void bare_feet_get_soles(void** state) {
    (void)state;
    static text t;
    put_humanoid(&t, "", true);
    hf_creature* c = load_text("bare.urdf", t.all);
    assert_int_equal(warnings_with(c, "it gets a sole"), 2);
    const hf_contact_frame* left = &limb_of(c, "left_leg")->contacts[0];
    const hf_contact_frame* right = &limb_of(c, "right_leg")->contacts[0];
    // 0.31 and 0.11 of a leg of 0.68 m
    assert_near(left->patch[0], 0.2108, 1e-4);
    assert_near(left->patch[1], 0.0748, 1e-4);
    assert_near(left->normal.z, -1, 1e-9);
    assert_true(left->offset.x > 0 && left->offset.z < -0.04);
    for (int i = 0; i < 2; i++) assert_near(left->patch[i], right->patch[i], 1e-12);
    must_go(c, 0.3);
    hf_creature_free(c);
}

/* A small round foot of a mesh: a ball that encloses it, and hardly more. */
static void round_feet_are_enclosed(void** state) {
    (void)state;
    enum { RINGS = 8, SIDES = 12 };
    const double radius = 0.02;
    static text mesh, t;
    mesh.length = 0;
    for (int i = 0; i <= RINGS; i++)
        for (int k = 0; k < SIDES; k++) {
            double rise = M_PI * i / RINGS, turn = 2 * M_PI * k / SIDES;
            put(&mesh, "v %.9g %.9g %.9g\n", radius * sin(rise) * cos(turn), radius * sin(rise) * sin(turn),
                -0.16 + radius * cos(rise));
        }
    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k < SIDES; k++) {
            int a = i * SIDES + k + 1, b = i * SIDES + (k + 1) % SIDES + 1;
            put(&mesh, "f %d %d %d\nf %d %d %d\n", a, a + SIDES, b, b, a + SIDES, b + SIDES);
        }
    write_file("round.obj", mesh.all);
    put_crawler(&t, "<geometry><mesh filename=\"round.obj\"/></geometry>");
    hf_creature* c = load_text("round.urdf", t.all);
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->limb_count, 4);
    for (int l = 0; l < 4; l++) {
        const hf_contact_frame* f = &v->limbs[l].contacts[0];
        const hf_body* body = &v->bodies[v->links[f->link].first_body];
        assert_true(f->ball >= radius - 1e-5 && f->ball < 1.05 * radius);
        for (int i = 0; i < body->shape.vertex_count; i++) {
            const float* p = body->shape.vertices + 3 * i;
            hf_vec3 at = hf_apply(body->in_link, hf_v3((double)p[0], (double)p[1], (double)p[2]));
            // the half that can touch
            if (at.z < f->offset.z) assert_true(hf_distance(at, f->offset) < f->ball + 1e-6);
        }
    }
    hf_creature_free(c);
}

/* Legs of two joints that turn without end: the file looks along Y, the knees of all legs point the same way,
   less than a turn from rest, and the robot goes straight ahead. */
static void crawlers_look_where_their_legs_say(void** state) {
    (void)state;
    static text t;
    put_crawler(&t, "<origin xyz=\"0 0 -0.16\"/><geometry><sphere radius=\"0.02\"/></geometry>");
    hf_creature* c = load_text("crawler.urdf", t.all);
    const hf_creature_view* v = hf_creature_get(c);
    assert_near(v->facing, M_PI / 2, 1e-12);
    hf_scene* scene = flat_floor();
    hf_stand_result r = stand_at(c, scene, 0);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_vec3 ahead = hf_rotate(r.state.pose.root.rotation, hf_v3(0, 1, 0));
    assert_near(ahead.x, 1, 1e-9);
    for (int j = 0; j < v->joint_count; j++) {
        double q = r.state.pose.q[v->joints[j].q_index];
        assert_true(fabs(q) < M_PI / 2);
        assert_near(q, r.state.pose.q[v->joints[j % 2].q_index], 1e-3);
    }
    hf_stand_result_free(&r);
    hf_scene_free(scene);
    hf_creature_free(c);
}

/* What animators pull is no limb. */
static void handles_are_no_limbs(void** state) {
    (void)state;
    static text t;
    put_humanoid(&t, FOOT, true);
    t.length -= strlen("</robot>\n");
    static const char* const names[] = {"IK_foot.L", "PoleTarget_knee.R", "hand_ctrl_L"};
    for (int i = 0; i < 3; i++) {
        put_link(&t, names[i], 0.1, "<geometry><box size=\"0.1 0.1 0.1\"/></geometry>");
        put_joint(&t, "revolute", "pelvis", names[i], hf_v3(0.4, i - 1, -0.7), "0 1 0", -1, 1);
    }
    put(&t, "</robot>\n");
    hf_creature* c = load_text("handles.urdf", t.all);
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->gait_count, 2);
    int used = 0;
    for (int l = 0; l < v->limb_count; l++) used += v->limbs[l].use;
    assert_int_equal(used, 4);
    hf_creature_free(c);
}

/* A skeleton all of whose bones lie along one axis; the clip's second frame stands: legs turned down by half
 * a turn. */
static void clips_say_how_their_skeleton_stands(void** state) {
    (void)state;
    static text t;
    t.length = 0;
    put(&t, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
            "Xrotation Yrotation\n");
    for (int i = 0; i < 2; i++) {
        const char* side = i ? "Right" : "Left";
        put(&t, "JOINT %sUpLeg\n{\nOFFSET %g 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", side,
            i ? -0.9 : 0.9);
        put(&t, "JOINT %sLeg\n{\nOFFSET 0 4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", side);
        put(&t, "JOINT %sFoot\n{\nOFFSET 0 4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", side);
        put(&t, "End Site\n{\nOFFSET 0 1.5 0\n}\n}\n}\n}\n");
    }
    put(&t, "JOINT Spine\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Head\n{\nOFFSET 0 "
            "5 0\n"
            "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 2 0\n}\n}\n}\n}\n");
    put(&t, "MOTION\nFrames: 2\nFrame Time: 0.1\n");
    for (int frame = 0; frame < 2; frame++) {
        put(&t, "0 8 0 0 0 0");
        for (int leg = 0; leg < 2; leg++) put(&t, " %d 0 0 0 0 0 0 %d 0", frame ? 180 : 0, frame ? 60 : 0);
        put(&t, " 0 0 0 0 0 0\n");
    }
    const char* path = write_file("axis.bvh", t.all);
    hf_load_options options = hf_load_options_default();
    options.unit_m = 0.1;
    hf_creature* c;
    hf_error error = {0};
    if (hf_creature_load(path, &options, &c, &error) != HF_OK) fail_msg("%s", error.message);
    const hf_creature_view* v = hf_creature_get(c);
    assert_near(fabs(v->rest[joint_of(c, "LeftUpLeg_x")->q_index]), M_PI, 1e-6);
    assert_true(v->height > 1.6 && v->height < 1.9); // 0.875 m of legs and feet, 0.8 m above
    for (int i = 0; i < 2; i++) {
        const hf_limb* leg = limb_of(c, i ? "right_leg" : "left_leg");
        const double* patch = leg->contacts[0].patch; // a foot of 0.15 m with its heel, and its width
        assert_true(fmax(patch[0], patch[1]) > 0.15 && fmin(patch[0], patch[1]) > 0.03);
    }
    // the URDF that is written for it stands the same way
    const char* urdf = test_path("axis.urdf");
    assert_int_equal(hf_creature_write_urdf(c, urdf, &error), HF_OK);
    hf_creature* again = must_load(urdf);
    for (int i = 0; i < v->q_count; i++) assert_near(hf_creature_get(again)->rest[i], v->rest[i], 1e-9);
    hf_creature_free(again);
    hf_scene* scene = flat_floor();
    hf_stand_result r = stand_at(c, scene, 0);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.why);
    assert_true(r.height_m > 0.75 && r.height_m < 0.95);
    hf_stand_result_free(&r);
    hf_scene_free(scene);
    hf_creature_free(c);
}

/* ---- what cannot walk ---- */

static void nothing_to_stand_on_is_said(void** state) {
    (void)state;
    hf_plan_options o = few_samples();
    hf_plan_model* model = NULL;
    hf_error error = {0};
    hf_creature* c = load_text(
        "empty.urdf", "<robot name=\"e\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" "
                      "type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0 0 -1\"/>"
                      "<limit lower=\"-1\" upper=\"1\"/></joint></robot>");
    assert_int_equal(hf_plan_model_create(c, &o, &model, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "no link has geometry"));
    assert_non_null(strstr(error.file, "empty.urdf"));
    hf_creature_free(c);
}

/* The words of a plan that is not found. */
static void must_say(const hf_creature* c, const hf_scenario_state* start, const hf_scenario_state* goal,
                     const char* words) {
    hf_scene* scene = flat_floor();
    hf_plan_options o = few_samples();
    hf_plan_model* model;
    hf_plan_result plan;
    hf_error error = {0};
    o.guides = 1;
    assert_int_equal(hf_plan_model_create(c, &o, &model, &error), HF_OK);
    hf_plan_query query = {.start = start, .goal = goal};
    assert_int_equal(hf_plan_find(model, scene, &query, &o, NULL, NULL, &plan, &error), HF_OK);
    assert_int_not_equal(plan.outcome, HF_FOUND);
    if (!strstr(plan.where, words)) fail_msg("\"%s\" does not say \"%s\"", plan.where, words);
    hf_plan_result_free(&plan);
    hf_plan_model_free(model);
    hf_scene_free(scene);
}

static void one_leg_cannot_step(void** state) {
    (void)state;
    static text t;
    t.length = 0;
    put(&t, "<robot name=\"hopper\">\n");
    put_link(&t, "pelvis", 5, "<geometry><box size=\"0.15 0.15 0.15\"/></geometry>");
    put_leg(&t, "left", 0, FOOT);
    put(&t, "</robot>\n");
    hf_creature* c = load_text("hopper.urdf", t.all);
    hf_scene* scene = flat_floor();
    hf_stand_result start = stand_at(c, scene, 0), goal = stand_at(c, scene, 1);
    assert_int_equal(start.outcome, HF_FOUND);
    must_say(c, &start.state, &goal.state,
             "left_leg is the only limb: nothing holds the body while it moves");
    hf_stand_result_free(&start), hf_stand_result_free(&goal);
    hf_scene_free(scene);
    hf_creature_free(c);
}

static void heights_are_said(void** state) {
    (void)state;
    static text t;
    put_humanoid(&t, FOOT, true);
    hf_creature* c = load_text("high.urdf", t.all);
    hf_scene* scene = flat_floor();
    hf_stand_result on = stand_at(c, scene, 0);
    assert_int_equal(on.outcome, HF_FOUND);
    hf_scenario_state high = {.pose = {on.state.pose.root, on.state.pose.q}};
    high.pose.root.position = hf_v3(1, 0, on.state.pose.root.position.z + 5);
    char words[100];
    snprintf(words, sizeof words, "the surface below is %.2f m lower than the root",
             high.pose.root.position.z);
    must_say(c, &on.state, &high, words); // a goal in the air
    must_say(c, &high, &on.state, words); // a start 5 m above the floor
    hf_stand_result_free(&on);
    hf_scene_free(scene);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_chains_are_absorbed),
        cmocka_unit_test(heavy_chains_stay),
        cmocka_unit_test(bare_feet_get_soles),
        cmocka_unit_test(round_feet_are_enclosed),
        cmocka_unit_test(bent_legs_stand_under_the_body),
        cmocka_unit_test(stubs_are_rolled_over),
        cmocka_unit_test(crawlers_look_where_their_legs_say),
        cmocka_unit_test(handles_are_no_limbs),
        cmocka_unit_test(clips_say_how_their_skeleton_stands),
        cmocka_unit_test(nothing_to_stand_on_is_said),
        cmocka_unit_test(one_leg_cannot_step),
        cmocka_unit_test(heights_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
