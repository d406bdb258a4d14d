/* Poses of a stance where there is little room, and ways between them. */
#include "guide_scenes.h"
#include "test.h"
#include "plan/planner.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- a planner that stands somewhere ---- */

typedef struct world {
    hf_creature* creature;
    hf_plan_model* model;
    hf_plan_options options;
    hf_scene* scene;
    hf_transform guide;
    hf_planner p;
    const hf_stance* stance; /* of the holds */
    int hold_count;
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_pose pose; /* upright with these holds */
} world;

static double* take_q(const hf_planner* p) {
    double* q = calloc((size_t)p->world.view->q_count + 1, sizeof *q);
    assert_non_null(q);
    return q;
}

/* The creature at rest at `root`, holding on with the limbs named. */
static void stand(world* w, const char* creature, hf_vec3 root, const hf_vec3 (*boxes)[2], int box_count,
                  const char* const* limbs, int limb_count) {
    memset(w, 0, sizeof *w);
    hf_error error = {0};
    w->options = hf_plan_options_default();
    w->options.samples = 2000;
    assert_int_equal(hf_creature_load(data_path(creature), NULL, &w->creature, &error), HF_OK);
    assert_int_equal(hf_plan_model_create(w->creature, &w->options, &w->model, &error), HF_OK);
    w->scene = scene_of_boxes(boxes, box_count);
    hf_planner* p = &w->p;
    p->world.model = w->model, p->world.creature = w->creature, p->world.view = hf_creature_get(w->creature);
    p->world.scene = w->scene, p->world.options = &w->options;
    p->world.guide = &w->guide, p->world.guide_count = 1;
    assert_int_equal(hf_planner_begin(p), HF_OK);
    memcpy(p->world.home, p->world.view->rest, sizeof(double) * (size_t)p->world.view->q_count);
    w->pose.q = take_q(p);
    hf_pose_rest(w->creature, &w->pose);
    w->guide.position = w->pose.root.position = root;
    w->guide.rotation = hf_quat_identity();
    hf_hold contacts[8] = {0};
    for (int i = 0; i < limb_count; i++)
        contacts[i] = (hf_hold){.limb = hf_creature_find_limb(w->creature, limbs[i]), .object = -1};
    hf_scenario_state state = {.pose = w->pose, .contacts = contacts, .contact_count = limb_count};
    w->hold_count = hf_plan_contacts(p, &state, &w->pose, w->holds);
    assert_int_equal(w->hold_count, limb_count);
    w->stance = hf_stance_borrow(p, w->holds, w->hold_count, -1);
    assert_non_null(w->stance);
}

static void leave(world* w) {
    hf_planner* p = &w->p;
    hf_planner_end(p);
    free(w->pose.q);
    hf_scene_free(w->scene);
    hf_plan_model_free(w->model);
    hf_creature_free(w->creature);
}

static bool collides(world* w, const hf_pose* pose) {
    hf_collision hit;
    return hf_holds_collide(&w->p, w->holds, w->hold_count, pose, &hit);
}

/* Keeps the holds, free, balanced. */
static void assert_pose(world* w, const hf_pose* pose, double margin) {
    hf_planner* p = &w->p;
    assert_false(collides(w, pose));
    hf_forward(p->world.creature, pose, p->tools.links);
    assert_true(hf_stance_margin(w->stance, hf_com(p->world.creature, p->tools.links)) >= margin);
    for (int i = 0; i < w->hold_count; i++) {
        const hf_contact_frame* f = &p->world.view->limbs[w->holds[i].at.limb].contacts[w->holds[i].at.frame];
        assert_true(hf_distance(hf_apply(p->tools.links[f->link], f->offset), w->holds[i].anchor.point) <
                    1e-3);
        if (w->holds[i].anchor.flat)
            assert_true(hf_quat_angle(p->tools.links[f->link].rotation, w->holds[i].anchor.rotation) < 0.01);
    }
    for (int j = 0; j < p->world.view->joint_count; j++) {
        const hf_joint* joint = &p->world.view->joints[j];
        if (joint->q_count != 1) continue;
        assert_true(pose->q[joint->q_index] >= joint->lower - 1e-9);
        assert_true(pose->q[joint->q_index] <= joint->upper + 1e-9);
    }
}

/* Every knot of a way holds. */
static void assert_knots(world* w, const hf_pose* from, const hf_pose* to) {
    hf_knot_store* f = &w->p.tree.knots;
    assert_true(f->count > 2);
    for (int i = 0; i < f->count; i++) {
        hf_pose pose = hf_knots_pose(f, i);
        assert_pose(w, &pose, w->options.margin_m);
    }
    assert_true(hf_distance(f->items[0].root.position, from->root.position) < 1e-3);
    assert_true(hf_distance(f->items[f->count - 1].root.position, to->root.position) < 1e-3);
}

static const char* const FEET[] = {"left_leg", "right_leg"};
static const double STANDING = 0.9424186; /* the human's root over its soles */

/* ---- poses ---- */

/* A wall where the arm hangs: the arm gives way, the body stays. */
static void test_arm_at_wall(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {3, 3, 0}}, {{-1, 0.25, 0.2}, {1, 0.4, 2}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 2, FEET, 2);
    assert_true(collides(&w, &w.pose));
    assert_true(hf_stance_pose(&w.p, w.holds, w.hold_count, w.stance, 0.01, w.guide, NULL, &w.pose));
    assert_pose(&w, &w.pose, 0.01);
    assert_true(hf_distance(w.pose.root.position, w.guide.position) < 0.03);
    leave(&w);
}

/* No room for the head where the body is wished: the nearest that has it. */
static void test_low_ceiling(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {3, 3, 0}}, {{-1, -1, 1.45}, {1, 1, 1.6}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 2, FEET, 2);
    assert_true(collides(&w, &w.pose));
    assert_true(hf_stance_pose(&w.p, w.holds, w.hold_count, w.stance, 0.01, w.guide, NULL, &w.pose));
    assert_pose(&w, &w.pose, 0.01);
    leave(&w);
}

/* A wish at which both feet stay and the body is free and balanced is met exactly. */
static void test_good_wish_is_met(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[1][2] = {{{-3, -3, -0.2}, {3, 3, 0}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 1, FEET, 2);
    hf_transform wish = w.pose.root;
    wish.position = hf_add(wish.position, hf_v3(0.01, 0.03, -0.05));
    assert_true(hf_stance_pose_easy(&w.p, w.holds, w.hold_count, w.stance, 0.009, wish, NULL, &w.pose));
    assert_pose(&w, &w.pose, 0.009);
    assert_true(hf_distance(w.pose.root.position, wish.position) < 1e-9);
    leave(&w);
}

/* A stance is known where limbs and places are those of one in the tree, about as far along the guide. */
static void test_known_stance(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[1][2] = {{{-3, -3, -0.2}, {3, 3, 0}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 1, FEET, 2);
    hf_plan_node* n = &w.p.tree.nodes[0];
    int far = 2 * hf_guide_stride(&w.p.world);
    assert_false(hf_plan_is_known(&w.p, w.holds, 2, 0));
    n->hold_count = 2, n->guide_index = 0, w.p.tree.node_count = 1;
    memcpy(n->holds, w.holds, 2 * sizeof *w.holds);
    assert_true(hf_plan_is_known(&w.p, w.holds, 2, 0));
    assert_true(hf_plan_is_known(&w.p, w.holds, 2, 1));
    assert_false(hf_plan_is_known(&w.p, w.holds, 2, far));
    assert_false(hf_plan_is_known(&w.p, w.holds, 1, 0));
    w.holds[0].at.point.x += 0.1;
    assert_false(hf_plan_is_known(&w.p, w.holds, 2, 0));
    leave(&w);
}

/* The worth of a new stance whose first foot is so many limb lengths aside. */
static double worth_aside(world* w, double aside) {
    hf_plan_node* n = &w->p.tree.nodes[w->p.tree.node_count];
    n->hold_count = 2, n->guide_index = 0, n->last_limb = w->holds[0].at.limb;
    memcpy(n->holds, w->holds, 2 * sizeof *w->holds);
    n->holds[0].at.point.x += aside * w->p.world.view->limbs[n->last_limb].length;
    hf_plan_adopt(&w->p, HF_PLAN_AT_REST);
    return n->worth;
}

/* What was tried in vain from a stance makes new ones worth less that are like it: half as much at the same
   places, nothing from a large shift on. */
static void test_learns_from_alike(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[1][2] = {{{-3, -3, -0.2}, {3, 3, 0}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 1, FEET, 2);
    w.p.tree.node_count = 0;
    double promised = worth_aside(&w, 0);
    w.p.tree.nodes[0].worth -= 10;
    assert_float_equal(worth_aside(&w, 10 * HF_LARGE_SHIFT), promised, 1e-9);
    assert_float_equal(worth_aside(&w, -HF_LARGE_SHIFT), promised, 1e-9);
    assert_float_equal(worth_aside(&w, HF_LARGE_SHIFT / 2), promised - 2.5, 1e-9);
    assert_float_equal(worth_aside(&w, 0), promised - 5, 1e-9);
    leave(&w);
}

/* Wished to lean and to be lower, where it would fall: it gives way, but does not stand up on straight legs.
 */
static void test_leans_with_bent_legs(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[1][2] = {{{-3, -3, -0.2}, {3, 3, 0}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 1, FEET, 2);
    hf_pose upright = {w.pose.root, take_q(&w.p)};
    memcpy(upright.q, w.pose.q, sizeof(double) * (size_t)w.p.world.view->q_count);
    hf_transform wish = {hf_v3(-0.044, 0, 0.854), hf_quat_axis_angle(hf_v3(0, 1, 0), 1.02)};
    assert_true(hf_stance_pose_easy(&w.p, w.holds, w.hold_count, w.stance, 0.009, wish, NULL, &w.pose));
    assert_pose(&w, &w.pose, 0.009);
    assert_true(w.pose.root.position.z - wish.position.z < 0.03);
    assert_true(hf_segment_move(&w.p, w.holds, w.hold_count, w.stance, 0, &upright, &w.pose));
    assert_knots(&w, &upright, &w.pose);
    free(upright.q);
    leave(&w);
}

/* The same question has the same answer. */
static void test_same_again(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {3, 3, 0}}, {{-1, -1, 1.5}, {1, 1, 1.6}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 2, FEET, 2);
    hf_pose other = {w.pose.root, take_q(&w.p)};
    memcpy(other.q, w.pose.q, sizeof(double) * (size_t)w.p.world.view->q_count);
    assert_true(hf_stance_pose(&w.p, w.holds, w.hold_count, w.stance, 0.01, w.guide, NULL, &w.pose));
    assert_true(hf_stance_pose(&w.p, w.holds, w.hold_count, w.stance, 0.01, w.guide, NULL, &other));
    assert_memory_equal(other.q, w.pose.q, sizeof(double) * (size_t)w.p.world.view->q_count);
    free(other.q);
    leave(&w);
}

/* ---- ways ---- */

/* From upright in front of a beam to bent under it: straight would bump the head. */
static void test_under_beam(void** state) {
    (void)state;
    world w;
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {3, 3, 0}}, {{0.2, -1, 1.28}, {0.45, 1, 1.5}}};
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 2, FEET, 2);
    assert_pose(&w, &w.pose, w.options.margin_m);
    hf_pose bent = {w.pose.root, take_q(&w.p)};
    memcpy(bent.q, w.pose.q, sizeof(double) * (size_t)w.p.world.view->q_count);
    hf_transform wish = {hf_v3(-0.2, 0, 0.6), hf_quat_axis_angle(hf_v3(0, 1, 0), 0.9)};
    assert_true(hf_stance_pose(&w.p, w.holds, w.hold_count, w.stance, 0.01, wish, NULL, &bent));
    assert_false(hf_segment_move(&w.p, w.holds, w.hold_count, w.stance, 0, &w.pose, &bent));
    assert_int_equal(w.p.tree.knots.count, 0);
    assert_true(hf_body_way(&w.p, w.holds, w.hold_count, w.stance, 0, &w.pose, &bent));
    assert_knots(&w, &w.pose, &bent);
    // and back
    w.p.tree.knots.count = 0;
    assert_true(hf_body_way(&w.p, w.holds, w.hold_count, w.stance, 0, &bent, &w.pose));
    assert_knots(&w, &bent, &w.pose);
    free(bent.q);
    leave(&w);
}

/* A block stands on the floor and is no part of it: the floor goes on below. */
static void test_nothing_under_block(void** state) {
    (void)state;
    static const hf_vec3 boxes[][2] = {{{-2, -2, -0.1}, {2, 2, 0}}, {{0.3, -0.4, 0}, {1, 0.4, 0.5}}};
    world w;
    stand(&w, "data/creatures/human.creature.json", hf_v3(0, 0, STANDING), boxes, 2, FEET, 2);
    hf_spots_forget(&w.p.world);
    assert_true(hf_spots_cover(&w.p, 0));
    int on_block = 0;
    for (int i = 0; i < w.p.world.spot_count; i++) {
        hf_vec3 x = w.p.world.spots[i].point;
        bool under = x.x > 0.301 && x.x < 0.999 && fabs(x.y) < 0.399;
        assert_false(under && x.z > -0.05 && x.z < 0.499);
        on_block += under;
    }
    assert_true(on_block > 20);
    leave(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_wish_is_met),    cmocka_unit_test(test_known_stance),
        cmocka_unit_test(test_learns_from_alike),   cmocka_unit_test(test_arm_at_wall),
        cmocka_unit_test(test_low_ceiling),         cmocka_unit_test(test_leans_with_bent_legs),
        cmocka_unit_test(test_same_again),          cmocka_unit_test(test_under_beam),
        cmocka_unit_test(test_nothing_under_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
