/* The whole-body solver on the shipped human, on short-legged robots and on small chains: every error is
   measured again by forward kinematics, apart from the solver. */
#include "allocation_count.h"
#include "chain_creature.h"
#include <holdfast/rom.h>

#include <stdlib.h>
#include <unistd.h>

enum { MAX_Q = 256, MAX_LINKS = 256, MAX_TARGETS = 8 };

typedef struct body {
    hf_creature* creature;
    const hf_creature_view* view;
    hf_workspace* workspace;
    double q[MAX_Q];
    hf_pose pose;
} body;

static bool open_body(body* b, const char* path) {
    hf_error error;
    char text[1200];
    memset(b, 0, sizeof *b);
    if (!path) return false;
    if (hf_creature_load(path, NULL, &b->creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    b->view = hf_creature_get(b->creature);
    assert_true(b->view->q_count <= MAX_Q && b->view->link_count <= MAX_LINKS);
    assert_int_equal(hf_workspace_create(&b->workspace), HF_OK);
    b->pose.q = b->q;
    hf_pose_rest(b->creature, &b->pose);
    return true;
}

static void close_body(body* b) {
    hf_workspace_free(b->workspace);
    hf_creature_free(b->creature);
}

static const char* human(void) { return data_path("data/creatures/human.creature.json"); }

static int limb_named(const body* b, const char* name) {
    int limb = hf_creature_find_limb(b->creature, name);
    if (limb < 0) fail_msg("no limb %s", name);
    return limb;
}

/* Where the limb's first contact is now. */
static hf_target target_here(body* b, int limb, hf_target_kind kind, bool held) {
    hf_transform links[MAX_LINKS];
    const hf_limb* l = &b->view->limbs[limb];
    hf_forward(b->creature, &b->pose, links);
    assert_true(l->contact_count > 0);
    const hf_contact_frame* c = &l->contacts[0];
    hf_transform at = links[c->link];
    hf_target t = {.kind = kind, .limb = limb, .contact = 0, .held = held, .rotation = at.rotation};
    t.point = hf_apply(at, c->offset);
    t.normal = hf_neg(hf_rotate(at.rotation, c->normal));
    if (c->ball > 0 && kind == HF_TARGET_NORMAL) t.point = hf_sub(t.point, hf_scale(t.normal, c->ball));
    return t;
}

static void measure(body* b, const hf_target* t, double* metres, double* radians) {
    hf_transform links[MAX_LINKS];
    hf_forward(b->creature, &b->pose, links);
    const hf_contact_frame* c = &b->view->limbs[t->limb].contacts[t->contact];
    hf_transform at = links[c->link];
    hf_vec3 n = hf_rotate(at.rotation, c->normal), w = hf_neg(t->normal), point = t->point;
    bool ball = c->ball > 0 && t->kind == HF_TARGET_NORMAL;
    if (ball) point = hf_add(point, hf_scale(t->normal, c->ball));
    *metres = hf_distance(hf_apply(at, c->offset), point);
    *radians = 0;
    if (t->kind == HF_TARGET_POSE) *radians = hf_quat_angle(at.rotation, t->rotation);
    if (t->kind == HF_TARGET_NORMAL && !ball) *radians = atan2(hf_length(hf_cross(n, w)), hf_dot(n, w));
}

/* Solves, and checks that what the solver says of its errors is true and that limits hold. */
static hf_solve_result solve(body* b, const hf_target* targets, int count, const hf_body_solve_options* o,
                             double* errors) {
    double memory[2 * MAX_TARGETS], *e = errors ? errors : memory, worst_m = 0, worst_rad = 0;
    hf_solve_result result;
    assert_int_equal(hf_body_solve(b->creature, targets, count, o, b->workspace, &b->pose, e, &result),
                     HF_OK);
    bool all = true;
    for (int g = 0; g < count; g++) {
        double metres, radians;
        measure(b, &targets[g], &metres, &radians);
        assert_near(metres, e[2 * g], 1e-9);
        assert_near(radians, e[2 * g + 1], 1e-7);
        worst_m = fmax(worst_m, metres), worst_rad = fmax(worst_rad, radians);
        all &= metres <= o->solve.tolerance_m + 1e-12 && radians <= o->solve.tolerance_rad + 1e-9;
    }
    assert_near(result.position_error_m, worst_m, 1e-9);
    assert_near(result.angle_error_rad, worst_rad, 1e-7);
    assert_int_equal(result.stop == HF_STOP_REACHED, all);
    assert_int_equal(result.outcome == HF_FOUND, all);
    assert_within_limits(b->view, b->q);
    assert_near(
        hf_length(hf_v3(b->pose.root.rotation.x, b->pose.root.rotation.y, b->pose.root.rotation.z)) *
                hf_length(hf_v3(b->pose.root.rotation.x, b->pose.root.rotation.y, b->pose.root.rotation.z)) +
            b->pose.root.rotation.w * b->pose.root.rotation.w,
        1, 1e-12);
    return result;
}

/* A random pose around the rest, `spread` of the way to uniform. */
static void random_pose(body* b, hf_random* r, double spread, bool rom) {
    hf_pose_rest(b->creature, &b->pose);
    for (int j = 0; j < b->view->joint_count; j++) {
        const hf_joint* joint = &b->view->joints[j];
        if (joint->q_count != 1 || joint->mimic >= 0) continue;
        double low = isfinite(joint->lower) ? joint->lower : -3,
               high = isfinite(joint->upper) ? joint->upper : 3;
        b->q[joint->q_index] += spread * (hf_random_between(r, low, high) - b->q[joint->q_index]);
    }
    for (int i = 0; i < b->view->rom_count && rom; i++) hf_rom_project(b->creature, i, b->q);
    hf_pose_follow(b->creature, b->q);
    for (int k = 0; k < 3; k++) (&b->pose.root.position.x)[k] = hf_random_between(r, -0.3, 0.3);
    b->pose.root.rotation = hf_quat_rpy(hf_random_between(r, -0.5, 0.5), hf_random_between(r, -0.5, 0.5),
                                        hf_random_between(r, -0.5, 0.5));
}

/* ---- reaching ---- */

static void four_limbs_reach_what_a_pose_can(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    const char* names[4] = {"left_leg", "right_leg", "left_arm", "right_arm"};
    int reached = 0, total = 0;
    for (int i = 0; i < 60; i++, total++) {
        hf_random r = hf_random_start(20, 0, (uint64_t)i);
        bool rom = i % 2;
        random_pose(&b, &r, 0.7, rom);
        hf_target targets[4];
        for (int k = 0; k < 4; k++)
            targets[k] = target_here(&b, limb_named(&b, names[k]), (hf_target_kind)(i % 3), k < 2);
        hf_pose_rest(b.creature, &b.pose);
        hf_body_solve_options o = hf_body_solve_options_default();
        o.solve.use_rom = rom;
        hf_solve_result result = solve(&b, targets, 4, &o, NULL);
        reached += result.stop == HF_STOP_REACHED;
        if (rom) assert_true(hf_pose_within_rom(b.creature, b.q, 1e-6));
    }
    if (reached < total * 0.95) fail_msg("%d of %d", reached, total);
    close_body(&b);
}

/* All feet of the shipped animals stand where a pose puts them, half of them held. */
static void animals_stand_on_all_feet(void** state) {
    (void)state;
    const char* files[3] = {"data/creatures/insect.creature.json", "data/creatures/spider.creature.json",
                            "data/creatures/quadruped.creature.json"};
    for (int f = 0; f < 3; f++) {
        body b;
        open_body(&b, data_path(files[f]));
        int reached = 0;
        for (int i = 0; i < 40; i++) {
            hf_random r = hf_random_start(24, (uint32_t)f, (uint64_t)i);
            random_pose(&b, &r, 0.4, true);
            hf_target targets[MAX_TARGETS];
            int count = 0;
            for (int l = 0; l < b.view->limb_count && count < MAX_TARGETS; l++)
                if (b.view->limbs[l].use && b.view->limbs[l].joint_count > 0)
                    targets[count] = target_here(&b, l, (hf_target_kind)(i % 2), count % 2), count++;
            assert_true(count >= 4);
            hf_pose_rest(b.creature, &b.pose);
            hf_body_solve_options o = hf_body_solve_options_default();
            reached += solve(&b, targets, count, &o, NULL).stop == HF_STOP_REACHED;
        }
        if (reached < 39) fail_msg("%s: %d of 40", files[f], reached);
        close_body(&b);
    }
}

/* Legs of two and three joints hold their feet only through the root. */
static void short_legs_hold_through_the_root(void** state) {
    (void)state;
    const char* files[2] = {"robots/quadruped_description/urdf/quadruped.urdf",
                            "robots/anymal_b_simple_description/robots/anymal.urdf"};
    for (int f = 0; f < 2; f++) {
        body b;
        const char* path = third_party(files[f]);
        if (!path) skip();
        open_body(&b, path);
        assert_int_equal(b.view->limb_count, 4);
        int reached = 0;
        for (int i = 0; i < 50; i++) {
            hf_random r = hf_random_start(21, (uint32_t)f, (uint64_t)i);
            random_pose(&b, &r, 0.3, false);
            hf_target targets[4];
            for (int k = 0; k < 4; k++) targets[k] = target_here(&b, k, HF_TARGET_POSITION, true);
            hf_pose_rest(b.creature, &b.pose);
            hf_body_solve_options o = hf_body_solve_options_default();
            reached += solve(&b, targets, 4, &o, NULL).stop == HF_STOP_REACHED;
        }
        if (reached < 48) fail_msg("%s: %d of 50", files[f], reached);
        close_body(&b);
    }
}

/* ---- priorities ---- */

static void held_feet_stay_while_a_hand_cannot_arrive(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    hf_body_solve_options o = hf_body_solve_options_default();
    double last = 0;
    for (int i = 0; i < 6; i++) {
        hf_pose_rest(b.creature, &b.pose);
        hf_target targets[3] = {target_here(&b, limb_named(&b, "left_leg"), HF_TARGET_POSE, true),
                                target_here(&b, limb_named(&b, "right_leg"), HF_TARGET_POSE, true),
                                target_here(&b, limb_named(&b, "right_arm"), HF_TARGET_POSITION, false)};
        targets[2].point = hf_add(targets[0].point, hf_v3(2.2 + 0.4 * i, -0.3, 1.2));
        double errors[6];
        hf_solve_result result = solve(&b, targets, 3, &o, errors);
        assert_int_equal(result.outcome, HF_PARTIAL);
        assert_int_equal(result.worst_target, 2);
        assert_true(errors[0] <= 1e-4 && errors[2] <= 1e-4);
        assert_true(errors[1] <= 1e-3 && errors[3] <= 1e-3);
        /* Each 0.4 m further costs 0.4 m, less what turning towards it gains; a local optimum may cost a
         * little. */
        if (i > 0) assert_true(errors[4] > last + 0.3 && errors[4] < last + 0.5);
        last = errors[4];
        if (i == 5) assert_int_equal(result.stop, HF_STOP_OUT_OF_REACH);
    }
    close_body(&b);
}

static void guide_moves_the_root_and_feet_stay(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    for (int i = 0; i < 10; i++) {
        hf_random r = hf_random_start(22, 0, (uint64_t)i);
        hf_pose_rest(b.creature, &b.pose);
        hf_target targets[2] = {target_here(&b, limb_named(&b, "left_leg"), HF_TARGET_POSE, true),
                                target_here(&b, limb_named(&b, "right_leg"), HF_TARGET_POSE, true)};
        hf_transform guide = b.pose.root;
        double down = hf_random_between(&r, 0.02, 0.08), side = hf_random_between(&r, -0.04, 0.04);
        guide.position = hf_add(guide.position, hf_v3(side, side / 2, -down));
        hf_body_solve_options o = hf_body_solve_options_default();
        o.guide = &guide;
        double errors[4];
        hf_solve_result result = solve(&b, targets, 2, &o, errors);
        assert_int_equal(result.stop, HF_STOP_REACHED);
        assert_true(errors[0] <= 1e-4 && errors[2] <= 1e-4);
        assert_true(hf_distance(b.pose.root.position, guide.position) < 0.005);
    }
    close_body(&b);
}

typedef struct balance_wish {
    hf_vec3 com;
    int calls;
} balance_wish;

static double wish_com(void* user, hf_vec3 com, hf_vec3* shift) {
    balance_wish* wish = user;
    wish->calls++;
    *shift = hf_v3(wish->com.x - com.x, wish->com.y - com.y, 0);
    return 0.05 - hf_length(*shift);
}

static hf_vec3 com_of(body* b) {
    hf_transform links[MAX_LINKS];
    hf_forward(b->creature, &b->pose, links);
    return hf_com(b->creature, links);
}

/* Balance beats the guide, held feet beat both. */
static void balance_stands_above_the_guide(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    for (int with_guide = 0; with_guide < 2; with_guide++) {
        hf_pose_rest(b.creature, &b.pose);
        hf_target targets[2] = {target_here(&b, limb_named(&b, "left_leg"), HF_TARGET_POSE, true),
                                target_here(&b, limb_named(&b, "right_leg"), HF_TARGET_POSE, true)};
        balance_wish wish = {.com = hf_add(com_of(&b), hf_v3(0.05, 0.04, 0))};
        hf_transform guide = b.pose.root;
        guide.position = hf_add(guide.position, hf_v3(-0.1, -0.05, -0.1));
        hf_body_solve_options o = hf_body_solve_options_default();
        o.balance = wish_com;
        o.balance_user = &wish;
        o.guide = with_guide ? &guide : NULL;
        double errors[4];
        hf_solve_result result = solve(&b, targets, 2, &o, errors);
        hf_vec3 com = com_of(&b);
        assert_int_equal(result.stop, HF_STOP_REACHED);
        assert_true(wish.calls > 0);
        assert_true(hypot(com.x - wish.com.x, com.y - wish.com.y) < 0.01);
    }
    close_body(&b);
}

/* ---- promises ---- */

static void only_what_targets_need_moves(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    hf_target t = target_here(&b, limb_named(&b, "right_arm"), HF_TARGET_POSITION, false);
    t.point = hf_add(t.point, hf_v3(0.2, 0.05, 0.15));
    hf_body_solve_options o = hf_body_solve_options_default();
    o.move_root = false;
    b.pose.root.position = hf_v3(0.013, 0.021, -0.007);
    double before[MAX_Q];
    memcpy(before, b.q, sizeof before);
    hf_transform root = b.pose.root;
    assert_int_equal(solve(&b, &t, 1, &o, NULL).stop, HF_STOP_REACHED);
    assert_memory_equal(&root, &b.pose.root, sizeof root);
    const hf_limb* leg = &b.view->limbs[limb_named(&b, "left_leg")];
    for (int i = 0; i < leg->joint_count; i++) {
        int q = b.view->joints[leg->joints[i]].q_index;
        assert_true(b.q[q] == before[q]);
    }
    assert_true(memcmp(before, b.q, sizeof before) != 0);
    close_body(&b);
}

static void equal_seeds_give_equal_poses(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    double first[MAX_Q];
    hf_transform root = hf_transform_identity();
    for (int run = 0; run < 2; run++) {
        hf_pose_rest(b.creature, &b.pose);
        hf_target targets[2] = {target_here(&b, limb_named(&b, "left_leg"), HF_TARGET_POSE, true),
                                target_here(&b, limb_named(&b, "right_arm"), HF_TARGET_POSE, false)};
        targets[1].point = hf_add(targets[1].point, hf_v3(1.5, 0, 1)); /* all starts are used */
        hf_body_solve_options o = hf_body_solve_options_default();
        solve(&b, targets, 2, &o, NULL);
        if (run == 1) {
            assert_memory_equal(first, b.q, sizeof(double) * (size_t)b.view->q_count);
            assert_memory_equal(&root, &b.pose.root, sizeof root);
        }
        memcpy(first, b.q, sizeof first);
        root = b.pose.root;
    }
    close_body(&b);
}

static void a_warm_workspace_takes_no_heap(void** state) {
    (void)state;
    if (!COUNTS_MEMORY) skip();
    body b;
    open_body(&b, human());
    for (int i = 0; i < 4; i++) {
        hf_pose_rest(b.creature, &b.pose);
        hf_target targets[2] = {target_here(&b, limb_named(&b, "left_leg"), HF_TARGET_NORMAL, true),
                                target_here(&b, limb_named(&b, "right_arm"), HF_TARGET_NORMAL, false)};
        targets[1].point = hf_add(targets[1].point, hf_v3(i % 2 ? 1.5 : 0.2, 0, 0.1));
        hf_body_solve_options o = hf_body_solve_options_default();
        hf_solve_result result;
        int before = allocations;
        hf_body_solve(b.creature, targets, 2, &o, b.workspace, &b.pose, NULL, &result);
        if (i > 1) assert_int_equal(allocations, before);
    }
    close_body(&b);
}

static void a_chain_agrees_with_the_limb_solver(void** state) {
    (void)state;
    chain_creature c;
    chain_joint joints[3] = {
        {.type = "revolute", .axis = {0, 0, 1}, .lower = -2, .upper = 2},
        {.type = "revolute", .xyz = {0.3, 0, 0}, .axis = {0, 0, 1}, .lower = 0.1, .upper = 2.4},
        {.type = "revolute", .xyz = {0.25, 0, 0}, .axis = {0, 1, 0}, .lower = -1, .upper = 1},
    };
    chain_open(&c, joints, 3, hf_v3(0.2, 0, 0), hf_v3(1, 0, 0));
    hf_random r = hf_random_start(23, 0, 0);
    for (int i = 0; i < 100; i++) {
        hf_target t = {.kind = HF_TARGET_POSITION, .held = true};
        t.point = hf_v3(hf_random_between(&r, -0.9, 0.9), hf_random_between(&r, -0.9, 0.9),
                        hf_random_between(&r, -0.3, 0.3));
        double q[3] = {0.1, 0.5, 0.1}, limb_q[3] = {0.1, 0.5, 0.1};
        hf_body_solve_options o = hf_body_solve_options_default();
        o.move_root = false;
        hf_pose pose = {hf_transform_identity(), q};
        hf_solve_result body_result, limb_result;
        assert_int_equal(hf_body_solve(c.creature, &t, 1, &o, c.workspace, &pose, NULL, &body_result), HF_OK);
        assert_int_equal(
            hf_limb_solve(c.creature, &pose.root, &t, &o.solve, c.workspace, limb_q, &limb_result), HF_OK);
        assert_near(body_result.position_error_m, limb_result.position_error_m, 2e-3);
        assert_int_equal(body_result.stop == HF_STOP_OUT_OF_REACH, limb_result.stop == HF_STOP_OUT_OF_REACH);
        assert_int_equal(body_result.stop == HF_STOP_REACHED, limb_result.stop == HF_STOP_REACHED);
    }
    chain_close(&c);
}

static void wrong_arguments_are_refused(void** state) {
    (void)state;
    body b;
    open_body(&b, human());
    hf_target good = target_here(&b, limb_named(&b, "left_leg"), HF_TARGET_NORMAL, true), t;
    hf_body_solve_options fine = hf_body_solve_options_default(), o;
    hf_solve_result result;
    hf_transform guide = {{NAN, 0, 0}, {1, 0, 0, 0}};
#define REFUSED(target, count, options)                                                                      \
    assert_int_equal(hf_body_solve(b.creature, target, count, options, b.workspace, &b.pose, NULL, &result), \
                     HF_ERROR_ARGUMENT)
    t = good, t.point.x = NAN;
    REFUSED(&t, 1, &fine);
    t = good, t.normal = hf_v3(0, 0, 0);
    REFUSED(&t, 1, &fine);
    t = good, t.limb = b.view->limb_count;
    REFUSED(&t, 1, &fine);
    REFUSED(&good, -1, &fine);
    o = fine, o.guide = &guide;
    REFUSED(&good, 1, &o);
    o = fine, o.guide_weight = -1;
    REFUSED(&good, 1, &o);
    o = fine, o.solve.tolerance_m = 0;
    REFUSED(&good, 1, &o);
    b.pose.root.position.y = INFINITY;
    REFUSED(&good, 1, &fine);
    b.pose.root.position.y = 0;
    b.q[3] = NAN;
    REFUSED(&good, 1, &fine);
#undef REFUSED
    hf_pose_rest(b.creature, &b.pose);
    assert_int_equal(hf_body_solve(b.creature, NULL, 0, &fine, b.workspace, &b.pose, NULL, &result), HF_OK);
    assert_int_equal(result.outcome, HF_FOUND); /* nothing asked, nothing missed */
    close_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_limbs_reach_what_a_pose_can),
        cmocka_unit_test(animals_stand_on_all_feet),
        cmocka_unit_test(short_legs_hold_through_the_root),
        cmocka_unit_test(held_feet_stay_while_a_hand_cannot_arrive),
        cmocka_unit_test(guide_moves_the_root_and_feet_stay),
        cmocka_unit_test(balance_stands_above_the_guide),
        cmocka_unit_test(only_what_targets_need_moves),
        cmocka_unit_test(equal_seeds_give_equal_poses),
        cmocka_unit_test(a_warm_workspace_takes_no_heap),
        cmocka_unit_test(a_chain_agrees_with_the_limb_solver),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
