/* Tables for controllers: the curve passes through frames and its derivatives are its own, momentum and
   wrenches are each other's derivatives, contact forces make up the wrench inside their cones, and files say
   what the table holds. */
#include "creature_fixture.h"
#include "stance_fixture.h"
#include "trajectory/contact_force.h"

#include <jansson.h>

static const double G = 9.81;

static int column_of(const hf_trajectory* t, const char* name) {
    for (int i = 0; i < t->column_count; i++)
        if (strcmp(t->names[i], name) == 0) return i;
    fail_msg("there is no column \"%s\"", name);
    return -1;
}

static double at(const hf_trajectory* t, int row, const char* name) {
    return t->values[(size_t)row * (size_t)t->column_count + (size_t)column_of(t, name)];
}

static hf_trajectory* make(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                           double rate, hf_quaternion_order order) {
    hf_trajectory_options options = {.rate = rate, .quaternion = order};
    hf_workspace* workspace;
    hf_trajectory* t = NULL;
    hf_error e = {0};
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    if (hf_trajectory_make(motion, creature, scene, &options, workspace, &t, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
    hf_workspace_free(workspace);
    return t;
}

/* ---- the curve ---- */

static double cubic(const double c[4], double t) { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }

/* A cubic of every joint of one value, and the root turning evenly about one axis while it flies a cubic. */
static hf_motion* cubic_motion(const hf_creature* creature, int frames, double step_s, double c[][4]) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    hf_random r = hf_random_start(7, 0, 0);
    for (int k = 0; k < view->q_count + 3; k++)
        for (int i = 0; i < 4; i++) c[k][i] = hf_random_between(&r, -1, 1) * (i == 0 ? 1 : 0.5);
    double* q = calloc((size_t)view->q_count + 1, sizeof *q);
    for (int f = 0; f < frames; f++) {
        double t = f * step_s;
        hf_pose pose = {.q = q};
        hf_pose_rest(creature, &pose);
        for (int j = 0; j < view->joint_count; j++)
            if (view->joints[j].q_count == 1)
                q[view->joints[j].q_index] = cubic(c[view->joints[j].q_index], t);
        hf_pose_follow(creature, q);
        double(*root)[4] = c + view->q_count;
        pose.root.position = hf_v3(cubic(root[0], t), cubic(root[1], t), cubic(root[2], t));
        pose.root.rotation = hf_quat_axis_angle(hf_normalize(hf_v3(1, 2, -2)), 0.6 * t);
        assert_non_null(hf_motion_add(motion, t, &pose));
    }
    free(q);
    return motion;
}

static void the_curve_is_the_motion(void** state) {
    (void)state;
    enum { COUNT = 13 };
    hf_creature* creature = load_text("trajectory_joints.urdf", FIXTURE_ALL_JOINTS);
    const hf_creature_view* c = hf_creature_get(creature);
    double k[64][4];
    hf_motion* motion = cubic_motion(creature, COUNT, 0.1, k);
    hf_trajectory* t = make(motion, creature, NULL, 1000, HF_QUATERNION_WXYZ);
    assert_int_equal(t->row_count, 1201);
    assert_int_equal(t->outcome, HF_FOUND);
    assert_true(isnan(t->missing_force_max));
    for (int i = 0; i < t->row_count; i++) {
        double time = i * 1e-3;
        assert_near(at(t, i, "t"), time, 1e-12);
        for (int j = 0; j < c->joint_count; j++) {
            const hf_joint* joint = &c->joints[j];
            const double* p = k[joint->q_index];
            char name[80];
            if (joint->q_count != 1 || joint->mimic >= 0) continue;
            assert_near(at(t, i, joint->name), cubic(p, time), 1e-9);
            snprintf(name, sizeof name, "%s.v", joint->name);
            assert_near(at(t, i, name), p[1] + time * (2 * p[2] + time * 3 * p[3]), 1e-8);
            snprintf(name, sizeof name, "%s.a", joint->name);
            assert_near(at(t, i, name), 2 * p[2] + 6 * time * p[3], 1e-6);
        }
        assert_near(at(t, i, "root_vx"),
                    k[c->q_count][1] + time * (2 * k[c->q_count][2] + time * 3 * k[c->q_count][3]), 1e-8);
        /* 0.6 rad/s about (1, 2, -2) / 3, by a spline of quaternions 0.06 rad apart */
        assert_near(at(t, i, "root_wx"), 0.2, 1e-4);
        assert_near(at(t, i, "root_wy"), 0.4, 1e-4);
        assert_near(at(t, i, "root_wz"), -0.4, 1e-4);
        assert_near(at(t, i, "root_dwx"), 0, 5e-3);
    }
    for (int f = 0; f < COUNT; f++) {
        const hf_motion_frame* frame = &motion->frames[f];
        assert_near(at(t, 100 * f, "t"), frame->time_s, 0);
        assert_near(at(t, 100 * f, "root_z"), frame->root.position.z, 0);
        assert_near(at(t, 100 * f, "turn"),
                    frame->q[c->joints[hf_creature_find_joint(creature, "turn")].q_index], 0);
        assert_near(at(t, 100 * f, "root_qw"), frame->root.rotation.w, 1e-15);
    }
    hf_trajectory_free(t);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

/* Central differences of a column. */
static double slope(const hf_trajectory* t, int row, const char* name) {
    return (at(t, row + 1, name) - at(t, row - 1, name)) * t->rate / 2;
}

static void momentum_belongs_to_the_wrench(void** state) {
    (void)state;
    hf_creature* creature = load_text("trajectory_joints.urdf", FIXTURE_ALL_JOINTS);
    double k[64][4], mass = hf_creature_get(creature)->mass;
    hf_motion* motion = cubic_motion(creature, 13, 0.1, k);
    hf_trajectory* t = make(motion, creature, NULL, 1000, HF_QUATERNION_WXYZ);
    static const char* const names[5][3] = {{"com_x", "com_y", "com_z"},
                                            {"com_vx", "com_vy", "com_vz"},
                                            {"com_ax", "com_ay", "com_az"},
                                            {"angular_x", "angular_y", "angular_z"},
                                            {"wrench_mx", "wrench_my", "wrench_mz"}};
    for (int i = 5; i + 5 < t->row_count; i += 7)
        for (int x = 0; x < 3; x++) {
            assert_near(slope(t, i, names[0][x]), at(t, i, names[1][x]), 1e-4);
            assert_near(slope(t, i, names[1][x]), at(t, i, names[2][x]), 1e-2);
            assert_near(slope(t, i, names[3][x]), at(t, i, names[4][x]), 1e-2);
            const char* const force[3] = {"wrench_fx", "wrench_fy", "wrench_fz"};
            assert_near(at(t, i, force[x]), mass * (at(t, i, names[2][x]) + (x == 2 ? G : 0)),
                        1e-9 * mass * G);
        }
    hf_trajectory_free(t);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

/* ---- forces ---- */

static int corners_of(const random_stance* s, double weight, hf_vec3 com, hf_force_corner* out) {
    int count = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->supports[i].corner_count; k++)
            out[count++] = (hf_force_corner){
                .arm = hf_sub(s->supports[i].corners[k], com),
                .normal = s->supports[i].normal,
                .friction = s->supports[i].friction,
                .grip = s->supports[i].grip,
                .most = s->supports[i].max_force / s->supports[i].corner_count / weight,
            };
    return count;
}

/* Is every force inside its cone, and what is missing of the wrench? */
static double missing_of(const hf_force_corner* c, int count, const double wrench[6]) {
    hf_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        double up = hf_dot(c[i].force, c[i].normal);
        double side = hf_length(hf_sub(c[i].force, hf_scale(c[i].normal, up)));
        if (c[i].grip)
            assert_true(hf_length(c[i].force) <= c[i].most + 1e-12);
        else
            assert_true(side <= c[i].friction * up + 1e-9);
        force = hf_add(force, c[i].force);
        moment = hf_add(moment, hf_cross(c[i].arm, c[i].force));
    }
    hf_vec3 f = hf_sub(hf_v3(wrench[0], wrench[1], wrench[2]), force);
    hf_vec3 m = hf_sub(hf_v3(wrench[3], wrench[4], wrench[5]), moment);
    return sqrt(hf_dot(f, f) + hf_dot(m, m));
}

/* Where a linear program with cones inside has an answer, next to nothing is missing (between slippery walls,
   where only forces of a hundred weights would do, as much as those are worth); where one with cones outside
   has none, something is. */
static void forces_are_found_where_a_program_finds_them(void** state) {
    (void)state;
    hf_workspace* workspace;
    hf_stance* stance;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    hf_stance_options eight = hf_stance_options_default();
    eight.cone_edges = 8;
    int held = 0, lost = 0;
    double worst = 0;
    for (int round = 0; round < 2000; round++) {
        hf_random r = hf_random_start(91, 0, (uint64_t)round);
        random_stance s = random_stance_of((stance_kind)(round % STANCE_KINDS), &r);
        hf_vec3 com = hf_v3(hf_random_between(&r, -0.3, 0.3), hf_random_between(&r, -0.3, 0.3), 0.9),
                none = {0};
        hf_vec3 a = hf_v3(hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1), 0);
        hf_force_corner corners[HF_FORCE_CORNERS];
        double weight = s.mass * G, dual[6] = {0}, wrench[6] = {a.x / G, a.y / G, 1, 0, 0, 0};
        int count = corners_of(&s, weight, com, corners);
        hf_contact_forces(corners, count, wrench, dual);
        double missing = missing_of(corners, count, wrench);
        assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &eight, workspace), HF_OK);
        hf_vec3 theirs[HF_FORCE_CORNERS] = {{0}};
        bool inside = hf_stance_forces(stance, com, a, none, theirs);
        double size = 0; /* of the program's forces, weights */
        for (int k = 0; k < count; k++) size += hf_dot(theirs[k], theirs[k]) / (weight * weight);
        for (int i = 0; i < s.count; i++) s.supports[i].friction /= 0.9238795, s.supports[i].max_force *= 1.8;
        assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &eight, workspace), HF_OK);
        bool outside = hf_stance_forces(stance, com, a, none, NULL);
        if (inside) worst = fmax(worst, missing), held++;
        /* What is missing costs missing^2 / 1e-6, and the whole not more than the program's forces would. */
        if (inside) assert_true(missing <= 1e-3 * sqrt(size) + 1e-6);
        if (!outside) assert_true(missing > 1e-6), lost++;
    }
    print_message("%d hold, %d do not; at most %.2g of the weight is missing of what holds\n", held, lost,
                  worst);
    assert_true(held > 200 && lost > 200);
    hf_stance_free(stance);
    hf_workspace_free(workspace);
}

/* A block on two points 0.3 m before and 0.1 m behind its centre of mass: the lever shares its weight. */
static void a_lever_shares_the_weight(void** state) {
    (void)state;
    hf_force_corner c[2] = {{.arm = {0.3, 0, -0.5}, .normal = {0, 0, 1}, .friction = 0.5},
                            {.arm = {-0.1, 0, -0.5}, .normal = {0, 0, 1}, .friction = 0.5}};
    double wrench[6] = {0, 0, 1, 0, 0, 0}, dual[6] = {0};
    hf_contact_forces(c, 2, wrench, dual);
    assert_near(c[0].force.z, 0.25, 1e-5);
    assert_near(c[1].force.z, 0.75, 1e-5);
    assert_near(c[0].force.x + c[1].force.x, 0, 1e-5);
    /* Beyond the points nothing balances it: it would tip. */
    c[0].arm.x = -0.2;
    memset(dual, 0, sizeof dual);
    hf_contact_forces(c, 2, wrench, dual);
    assert_true(missing_of(c, 2, wrench) > 0.01);
    /* No contact: the whole weight is missing. */
    memset(dual, 0, sizeof dual);
    hf_contact_forces(c, 0, wrench, dual);
    assert_near(missing_of(c, 0, wrench), 1, 1e-12);
}

/* ---- a standing body, and files ---- */

typedef struct standing {
    hf_creature* creature;
    hf_scene* scene;
    hf_motion* motion;
} standing;

static standing make_standing(int frames) {
    standing s = {0};
    hf_error e = {0};
    float corners[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
    hf_object_def floor = hf_object_def_default();
    floor.name = "floor";
    floor.mesh = (hf_mesh){4, 2, corners, halves};
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &s.creature, &e),
                     HF_OK);
    assert_int_equal(hf_scene_build(&floor, 1, &s.scene, NULL), HF_OK);
    assert_int_equal(hf_motion_create(s.creature, s.scene, &s.motion), HF_OK);
    double q[256];
    hf_pose pose = {.q = q};
    hf_pose_rest(s.creature, &pose);
    const hf_creature_view* c = hf_creature_get(s.creature);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    int foot[2] = {hf_creature_find_limb(s.creature, "left_leg"),
                   hf_creature_find_limb(s.creature, "right_leg")};
    hf_forward(s.creature, &pose, links);
    const hf_contact_frame* sole = &c->limbs[foot[0]].contacts[0];
    pose.root.position.z -= hf_apply(links[sole->link], sole->offset).z;
    for (int f = 0; f < frames; f++) {
        hf_motion_frame* frame = hf_motion_add(s.motion, f / 30.0, &pose);
        hf_forward(s.creature, &pose, links);
        for (int k = 0; k < 2; k++) {
            const hf_contact_frame* contact = &c->limbs[foot[k]].contacts[0];
            hf_hold h = {.limb = foot[k], .frame = 0, .object = 0, .normal = {0, 0, 1}};
            h.point = hf_apply(links[contact->link], contact->offset);
            assert_int_equal(hf_motion_add_contact(s.motion, frame, &h), HF_OK);
        }
    }
    free(links);
    return s;
}

static void free_standing(standing* s) {
    hf_motion_free(s->motion);
    hf_scene_free(s->scene);
    hf_creature_free(s->creature);
}

/* The left foot of a standing body that does not move bears on its toes alone from frame 2 to frame 4 and
   with its whole sole before and after: between frames it bears with what is down in both of them, so that
   the weight is borne in every row. */
static void a_foot_bears_while_it_goes_over_to_its_toes(void** state) {
    (void)state;
    standing s = make_standing(8);
    const hf_creature_view* c = hf_creature_get(s.creature);
    int leg = hf_creature_find_limb(s.creature, "left_leg"), toes = 0;
    while (strcmp(c->limbs[leg].contacts[toes].name, "tiptoe") != 0) toes++;
    const hf_contact_frame* toe = &c->limbs[leg].contacts[toes];
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    for (int f = 2; f <= 4; f++) {
        hf_pose pose = {s.motion->frames[f].root, s.motion->frames[f].q};
        hf_forward(s.creature, &pose, links);
        hf_hold h = {.limb = leg, .frame = toes, .object = 0, .normal = {0, 0, 1}};
        h.point = hf_apply(links[toe->link], toe->offset);
        s.motion->frames[f].contact_count = 0;
        assert_int_equal(hf_motion_add_contact(s.motion, &s.motion->frames[f], &h), HF_OK);
        h = (hf_hold){.limb = hf_creature_find_limb(s.creature, "right_leg"), .normal = {0, 0, 1}};
        const hf_contact_frame* sole = &c->limbs[h.limb].contacts[0];
        h.point = hf_apply(links[sole->link], sole->offset);
        assert_int_equal(hf_motion_add_contact(s.motion, &s.motion->frames[f], &h), HF_OK);
    }
    hf_trajectory* t = make(s.motion, s.creature, s.scene, 300, HF_QUATERNION_WXYZ);
    for (int i = 0; i < t->row_count; i++) {
        assert_near(at(t, i, "left_leg.contact"), 1, 0);
        assert_near(at(t, i, "left_leg.fz") + at(t, i, "right_leg.fz"), c->mass * G, 1e-3);
    }
    // ten rows a frame: toes bear from row 11 on, and the sole from row 41 on, since both are down all the
    // time
    double x_sole = at(t, 5, "left_leg.px"), x_toe = at(t, 30, "left_leg.px");
    assert_true(x_toe > x_sole + 0.05);
    assert_near(at(t, 15, "left_leg.px"), x_toe, 1e-9);
    assert_near(at(t, 45, "left_leg.px"), x_sole, 1e-9);
    assert_true(t->missing_force_max < 1e-5 && t->hold_error_max_m < 1e-9);
    hf_trajectory_free(t);
    free(links);
    free_standing(&s);
}

/* Who stands has nothing but its weight on both feet, and the knees bear what statics says. */
static void a_standing_body_rests_on_its_feet(void** state) {
    (void)state;
    for (int frames = 1; frames <= 9; frames += 4) {
        standing s = make_standing(frames);
        const hf_creature_view* c = hf_creature_get(s.creature);
        hf_trajectory* t = make(s.motion, s.creature, s.scene, 250, HF_QUATERNION_XYZW);
        assert_int_equal(t->row_count, (int)ceil((frames - 1) / 30.0 * 250) + 1);
        for (int i = 0; i < t->row_count; i++) {
            double weight = c->mass * G;
            assert_near(at(t, i, "left_leg.fz") + at(t, i, "right_leg.fz"), weight, 1e-3);
            assert_near(at(t, i, "left_leg.contact"), 1, 0);
            assert_near(at(t, i, "wrench_fz"), weight, 1e-6);
            assert_near(at(t, i, "root_vz"), 0, 1e-9);
            assert_near(at(t, i, "l_knee.a"), 0, 1e-6);
            assert_near(at(t, i, "missing_fz"), 0, 1e-2);
        }
        assert_true(t->missing_force_max < 1e-5 && t->missing_moment_max_m < 1e-5);
        assert_true(t->hold_error_max_m < 1e-9);
        assert_int_equal(column_of(t, "root_qx") + 3, column_of(t, "root_qw"));
        hf_trajectory_free(t);
        free_standing(&s);
    }
}

/* A body that flies along X with 2 m/s and 4 m/s2 more each second, upright, with a load in its hand. */
static hf_motion* flying_with_load(const hf_creature* creature, const hf_scene* scene, int frames) {
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
    const hf_creature_view* c = hf_creature_get(creature);
    int hand = hf_creature_find_limb(creature, "left_arm"), load = hf_motion_object_index(motion, "load");
    double q[256];
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    for (int f = 0; f < frames; f++) {
        double t = f / 30.0;
        hf_pose pose = {.q = q};
        hf_pose_rest(creature, &pose);
        pose.root.position.x = 2 * t + 2 * t * t;
        hf_forward(creature, &pose, links);
        hf_motion_frame* frame = hf_motion_add(motion, t, &pose);
        const hf_contact_frame* palm = &c->limbs[hand].contacts[0];
        hf_hold h = {.limb = hand, .object = load, .grip = true, .normal = {0, 0, 1}};
        h.point = hf_apply(links[palm->link], palm->offset);
        assert_int_equal(hf_motion_add_contact(motion, frame, &h), HF_OK);
        hf_transform place = {h.point, {1, 0, 0, 0}};
        assert_int_equal(hf_motion_add_object(motion, frame, load, place), HF_OK);
    }
    free(links);
    return motion;
}

/* Body and load together need their mass times the acceleration, in the first and last row as in all. */
static void a_load_is_carried_from_the_first_row_to_the_last(void** state) {
    (void)state;
    const double load_kg = 3;
    float corners[12] = {-0.05f, -0.05f, -0.05f, 0.05f, -0.05f, -0.05f, 0, 0.05f, -0.05f, 0, 0, 0.05f};
    uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    hf_object_def load = hf_object_def_default();
    hf_creature* creature;
    hf_scene* scene;
    hf_error e = {0};
    load.name = "load", load.movable = true, load.mass_kg = load_kg;
    load.mesh = (hf_mesh){4, 4, corners, faces};
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &e),
                     HF_OK);
    assert_int_equal(hf_scene_build(&load, 1, &scene, &e), HF_OK);
    double mass = hf_creature_get(creature)->mass + load_kg;
    for (int frames = 1; frames <= 10; frames += 9) {
        hf_motion* motion = flying_with_load(creature, scene, frames);
        hf_trajectory* t = make(motion, creature, scene, 1000, HF_QUATERNION_WXYZ);
        assert_int_equal(t->row_count, frames == 1 ? 1 : 301);
        for (int i = 0; i < t->row_count; i++) {
            // second differences over a millisecond round at 1e-9 m/s2 times the size of places
            assert_near(at(t, i, "wrench_fx"), frames == 1 ? 0 : mass * 4, 1e-4);
            assert_near(at(t, i, "wrench_fz"), mass * G, 1e-4);
        }
        hf_trajectory_free(t);
        hf_motion_free(motion);
    }
    hf_scene_free(scene);
    hf_creature_free(creature);
}

/* A palm on a slide along Y. */
#define SLIDE(name, y)                                                                                       \
    "<link name='" name "'/><joint name='" name                                                              \
    "-slide' type='prismatic'><parent link='base'/><child link='" name "'/><origin xyz='0.5 " y              \
    " 0'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='9' effort='900'/></joint>"
#define PALM(name, y)                                                                                        \
    "{ \"name\": \"" name "\", \"root\": \"" name "\", \"effector\": \"" name                                \
    "\", \"contact\": { \"name\": \"palm\", \"offset\": [0, 0, 0], \"normal\": [0, " y ", 0] } }"

static hf_scene* box_between(double kg, double friction) {
    uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    float corners[24];
    for (int i = 0; i < 24; i++) corners[i] = (i / 3) >> (i % 3) & 1 ? 0.1f : -0.1f;
    hf_object_def box = hf_object_def_default();
    box.name = "box", box.movable = true, box.mass_kg = kg, box.friction = friction;
    box.start.position = hf_v3(0.5, 0, 0);
    box.mesh = (hf_mesh){8, 12, corners, faces};
    hf_scene* scene;
    assert_int_equal(hf_scene_build(&box, 1, &scene, NULL), HF_OK);
    return scene;
}

/* Two palms that grip nothing press a box: each bears half of its weight by friction, so it pushes with that
   over the friction (of which plans count on 0.92), and its slide holds against the push. */
static void what_is_pressed_weighs_and_takes_a_squeeze(void** state) {
    (void)state;
    hf_creature_free(load_text("presser.urdf", "<robot name='presser'><link name='base'><inertial><mass "
                                               "value='9'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
                                               "iyz='0'/></inertial></link>" SLIDE("left", "0.1")
                                                   SLIDE("right", "-0.1") "</robot>"));
    hf_creature* creature =
        load_text("presser.creature.json",
                  "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"presser\", \"urdf\": "
                  "\"presser.urdf\", \"limbs\": [ " PALM("left", "-1") ", " PALM("right", "1") " ] }");
    for (double kg = 1; kg <= 5; kg += 4) {
        const double friction = 0.5;
        hf_scene* scene = box_between(kg, friction);
        hf_motion* motion;
        double q[2] = {0, 0}, half = kg * G / 2, push = half / (0.92 * friction);
        hf_pose pose = {.root = hf_transform_identity(), .q = q};
        assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
        hf_motion_frame* f = hf_motion_add(motion, 0, &pose);
        for (int side = 1; side >= -1; side -= 2) {
            hf_hold h = {
                .limb = side < 0, .object = 0, .point = {0.5, 0.1 * side, 0}, .normal = {0, side, 0}};
            assert_int_equal(hf_motion_add_contact(motion, f, &h), HF_OK);
        }
        hf_trajectory* t = make(motion, creature, scene, 0, HF_QUATERNION_WXYZ);
        assert_near(at(t, 0, "wrench_fz"), (9 + kg) * G, 1e-6);
        assert_near(at(t, 0, "wrench_my"), -kg * G * 0.5, 1e-6);
        assert_near(at(t, 0, "left.fy"), push, 1e-3 * push);
        assert_near(at(t, 0, "right.fy"), -push, 1e-3 * push);
        assert_near(at(t, 0, "left.fz"), -half, 1e-3 * half);
        assert_near(at(t, 0, "left-slide.effort"), -push, 1e-3 * push);
        assert_near(at(t, 0, "right-slide.effort"), push, 1e-3 * push);
        hf_trajectory_free(t);
        hf_motion_free(motion);
        hf_scene_free(scene);
    }
    hf_creature_free(creature);
}

/* A limb that touches later on has no place before; the scene has no objects to look one up in. */
static void limbs_off_their_holds_have_no_place(void** state) {
    (void)state;
    hf_creature* creature;
    hf_scene* scene;
    hf_motion* motion;
    hf_error e = {0};
    double q[256];
    hf_pose pose = {.q = q};
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &e),
                     HF_OK);
    assert_int_equal(hf_scene_build(NULL, 0, &scene, &e), HF_OK);
    assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
    hf_pose_rest(creature, &pose);
    hf_hold h = {.limb = hf_creature_find_limb(creature, "left_leg"), .object = -1, .point = {1, 2, 3}};
    h.normal = hf_v3(0, 0, 1);
    for (int f = 0; f < 4; f++) {
        hf_motion_frame* frame = hf_motion_add(motion, f / 30.0, &pose);
        if (f == 3) assert_int_equal(hf_motion_add_contact(motion, frame, &h), HF_OK);
    }
    hf_trajectory* t = make(motion, creature, scene, 30, HF_QUATERNION_WXYZ);
    assert_int_equal(t->row_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(at(t, i, "left_leg.contact"), i == 3, 0);
        assert_near(at(t, i, "left_leg.px"), i == 3 ? 1 : 0, 0);
        assert_near(at(t, i, "left_leg.nz"), i == 3, 0);
    }
    hf_trajectory_free(t);
    hf_motion_free(motion);
    hf_scene_free(scene);
    hf_creature_free(creature);
}

static const char* in_folder(const char* name) {
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    return path;
}

static void files_hold_the_table(void** state) {
    (void)state;
    standing s = make_standing(4);
    hf_error e = {0};
    hf_trajectory* t = make(s.motion, s.creature, s.scene, 0, HF_QUATERNION_WXYZ);
    assert_int_equal(t->row_count, 4);
    assert_int_equal(column_of(t, "root_qw") + 1, column_of(t, "root_qx"));
    size_t count = (size_t)t->row_count * (size_t)t->column_count;
    /* .npy: the header's text begins at byte 10, numbers at a multiple of 64. */
    assert_int_equal(hf_trajectory_save(t, in_folder("table.npy"), &e), HF_OK);
    FILE* f = fopen(in_folder("table.npy"), "rb");
    unsigned char head[10];
    char text[300] = "", expected[100];
    assert_int_equal(fread(head, 1, 10, f), 10);
    assert_memory_equal(head, "\x93NUMPY\x01\x00", 8);
    int size = head[8] + 256 * head[9];
    assert_int_equal((10 + size) % 64, 0);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    snprintf(expected, sizeof expected, "'shape': (%d, %d)", t->row_count, t->column_count);
    assert_non_null(strstr(text, "'descr': '<f8'"));
    assert_non_null(strstr(text, "'fortran_order': False"));
    assert_non_null(strstr(text, expected));
    assert_int_equal(text[size - 1], '\n');
    double* values = calloc(count + 1, sizeof *values);
    assert_int_equal(fread(values, sizeof *values, count + 1, f), count);
    assert_memory_equal(values, t->values, count * sizeof *values);
    fclose(f);
    f = fopen(in_folder("table.columns.txt"), "r");
    for (int i = 0; i < t->column_count; i++) {
        assert_non_null(fgets(text, sizeof text, f));
        text[strcspn(text, "\n")] = 0;
        assert_string_equal(text, t->names[i]);
    }
    assert_null(fgets(text, sizeof text, f));
    fclose(f);
    /* .json and .csv: every number to the last bit. */
    assert_int_equal(hf_trajectory_save(t, in_folder("table.json"), &e), HF_OK);
    json_t* json = json_load_file(in_folder("table.json"), 0, NULL);
    assert_int_equal(json_array_size(json_object_get(json, "columns")), t->column_count);
    for (size_t i = 0; i < count; i++) {
        json_t* row = json_array_get(json_object_get(json, "rows"), i / (size_t)t->column_count);
        assert_near(json_number_value(json_array_get(row, i % (size_t)t->column_count)), t->values[i], 0);
    }
    json_decref(json);
    assert_int_equal(hf_trajectory_save(t, in_folder("table.csv"), &e), HF_OK);
    f = fopen(in_folder("table.csv"), "r");
    int c;
    assert_int_equal(fscanf(f, "%299[^,]", text), 1);
    assert_string_equal(text, "t");
    while ((c = fgetc(f)) != '\n') assert_true(c != EOF);
    for (size_t i = 0; i < count; i++) {
        double value;
        assert_int_equal(fscanf(f, "%lf%*c", &value), 1);
        assert_near(value, t->values[i], 0);
    }
    fclose(f);
    assert_int_equal(hf_trajectory_save(t, "x.txt", &e), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_trajectory_save(t, "no/such/folder/x.npy", &e), HF_ERROR_FILE);
    free(values);
    hf_trajectory_free(t);
    free_standing(&s);
}

static bool never(void* user, double fraction, const char* stage) {
    (void)user, (void)fraction, (void)stage;
    return false;
}

static void what_cannot_be_made_is_refused(void** state) {
    (void)state;
    standing s = make_standing(4);
    hf_workspace* workspace;
    hf_trajectory* t;
    hf_error e = {0};
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_creature* other = load_text("trajectory_joints.urdf", FIXTURE_ALL_JOINTS);
    assert_int_equal(hf_trajectory_make(s.motion, other, s.scene, NULL, workspace, &t, &e), HF_ERROR_FORMAT);
    assert_string_equal(e.field, "joints");
    hf_trajectory_options options = {.rate = 1001};
    assert_int_equal(hf_trajectory_make(s.motion, s.creature, s.scene, &options, workspace, &t, &e),
                     HF_ERROR_ARGUMENT);
    assert_non_null(strstr(e.message, "0.01 to 1000"));
    assert_int_equal(hf_trajectory_make(NULL, s.creature, s.scene, NULL, workspace, &t, &e),
                     HF_ERROR_ARGUMENT);
    hf_workspace_watch(workspace, never, NULL);
    assert_int_equal(hf_trajectory_make(s.motion, s.creature, s.scene, NULL, workspace, &t, &e), HF_OK);
    assert_int_equal(t->outcome, HF_CANCELLED);
    assert_true(t->row_count < 4);
    hf_trajectory_free(t);
    hf_workspace_watch(workspace, NULL, NULL);
    s.motion->frames[3].time_s = 1e18;
    options.rate = 1000;
    assert_int_equal(hf_trajectory_make(s.motion, s.creature, s.scene, &options, workspace, &t, &e),
                     HF_ERROR_LIMIT);
    s.motion->frames[3].time_s = 0;
    assert_int_equal(hf_trajectory_make(s.motion, s.creature, s.scene, &options, workspace, &t, &e),
                     HF_ERROR_FORMAT);
    assert_null(t);
    hf_creature_free(other);
    hf_workspace_free(workspace);
    free_standing(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_is_the_motion),
        cmocka_unit_test(momentum_belongs_to_the_wrench),
        cmocka_unit_test(forces_are_found_where_a_program_finds_them),
        cmocka_unit_test(a_lever_shares_the_weight),
        cmocka_unit_test(a_standing_body_rests_on_its_feet),
        cmocka_unit_test(a_foot_bears_while_it_goes_over_to_its_toes),
        cmocka_unit_test(a_load_is_carried_from_the_first_row_to_the_last),
        cmocka_unit_test(what_is_pressed_weighs_and_takes_a_squeeze),
        cmocka_unit_test(limbs_off_their_holds_have_no_place),
        cmocka_unit_test(files_hold_the_table),
        cmocka_unit_test(what_cannot_be_made_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
