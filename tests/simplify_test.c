/* Plans that are simplified: changes whose outcome is known are taken out, and what is left holds. */
#include "plan_task.h"
#include "plan/step.h"

/* ---- changes that are known to be in vain ---- */

static const double INSECT_M = 0.1186; /* the insect's root over the ground where it stands */

typedef struct stand {
    hf_creature* creature;
    hf_plan_model* model;
    hf_plan_options options;
    hf_scene* scene;
    hf_transform guide;
    hf_planner p;
} stand;

/* The insect on a floor with all six legs: the first stance of a tree. */
static void begin(stand* s) {
    memset(s, 0, sizeof *s);
    hf_planner* p = &s->p;
    hf_error error = {0};
    const hf_vec3 floor[1][2] = {{{-1, -1, -0.2}, {1, 1, 0}}};
    s->options = hf_plan_options_default();
    s->options.samples = 500;
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/insect.creature.json"), NULL, &s->creature, &error),
        HF_OK);
    assert_int_equal(hf_plan_model_create(s->creature, &s->options, &s->model, &error), HF_OK);
    s->scene = scene_of_boxes(floor, 1);
    s->guide = (hf_transform){hf_v3(0, 0, INSECT_M), hf_quat_identity()};
    p->world.model = s->model, p->world.creature = s->creature, p->world.view = hf_creature_get(s->creature);
    p->world.scene = s->scene, p->world.options = &s->options;
    p->world.guide = &s->guide, p->world.guide_count = 1;
    assert_int_equal(hf_planner_begin(p), HF_OK);
    memcpy(p->world.home, p->world.view->rest, sizeof(double) * (size_t)p->world.view->q_count);
    hf_plan_node* n = &p->tree.nodes[0];
    hf_scenario_state state = {.pose = {s->guide, s->model->standing}};
    hf_plan_why why;
    assert_true(hf_plan_begin(p, &state, n, &why));
    assert_int_equal(n->hold_count, p->world.view->limb_count);
    p->tree.node_count = 1;
}

static void end(stand* s) {
    hf_planner_end(&s->p);
    hf_scene_free(s->scene);
    hf_plan_model_free(s->model);
    hf_creature_free(s->creature);
}

/* The limb steps so far along X from where it held at first. */
static void step(stand* s, int limb, double x) {
    hf_planner* p = &s->p;
    hf_plan_node *n = &p->tree.nodes[p->tree.node_index], *child = &p->tree.nodes[p->tree.node_count];
    const hf_plan_node* first = &p->tree.nodes[0];
    hf_plan_hold to = first->holds[hf_holds_find(first->holds, first->hold_count, limb)];
    hf_vec3 off = hf_v3(x, 0, 0);
    to.at.point = hf_add(to.at.point, off), to.anchor.point = hf_add(to.anchor.point, off);
    for (int i = 0; i < to.support.corner_count; i++)
        to.support.corners[i] = hf_add(to.support.corners[i], off);
    hf_step_wish wish = {.hold = &to, .body = &n->pose, .margin = hf_pose_margin(p)};
    bool blocked;
    assert_true(hf_step_limb(p, n, limb, &wish, false, child, &blocked));
    hf_plan_adopt(p, HF_PLAN_AT_REST);
}

static void let_go(stand* s, int limb) {
    hf_planner* p = &s->p;
    hf_plan_node *n = &p->tree.nodes[p->tree.node_index], *child = &p->tree.nodes[p->tree.node_count];
    hf_step_wish wish = {.body = &n->pose, .margin = hf_pose_margin(p)};
    assert_true(hf_step_release(p, n, limb, &wish, child));
    hf_plan_adopt(p, HF_PLAN_AT_REST);
}

/* Simplifies; the limbs that still change on the way to the last stance, from the last on, one digit each. */
static int limbs_left(stand* s) {
    hf_planner* p = &s->p;
    hf_plan_node last = p->tree.nodes[p->tree.node_index];
    assert_true(hf_plan_simplify(p));
    const hf_plan_node* now = &p->tree.nodes[p->tree.node_index];
    // the last stance is as it was
    assert_int_equal(now->hold_count, last.hold_count);
    for (int i = 0; i < last.hold_count; i++) {
        int own = hf_holds_find(now->holds, now->hold_count, last.holds[i].at.limb);
        assert_true(own >= 0 && hf_distance(now->holds[own].at.point, last.holds[i].at.point) <= 0);
    }
    int left = 0;
    for (int n = p->tree.node_index; n > 0; n = p->tree.nodes[n].parent)
        if (p->tree.nodes[n].last_limb >= 0) left = 10 * left + 1 + p->tree.nodes[n].last_limb;
    return left;
}

/* Two steps one after the other become one. */
static void two_steps_are_one(void** state) {
    (void)state;
    stand s;
    begin(&s);
    step(&s, 0, 0.01);
    step(&s, 0, 0.02);
    assert_int_equal(limbs_left(&s), 1);
    end(&s);
}

/* So do two with a step of another leg between them, which stays. */
static void two_steps_apart_are_one(void** state) {
    (void)state;
    stand s;
    begin(&s);
    step(&s, 0, 0.01);
    step(&s, 3, 0.015);
    step(&s, 0, 0.02);
    int left = limbs_left(&s);
    assert_true(left == 14 || left == 41);
    end(&s);
}

/* A leg that is let go and put back where it was stays there; the one that steps meanwhile steps. */
static void what_is_put_back_stays(void** state) {
    (void)state;
    stand s;
    begin(&s);
    let_go(&s, 1);
    step(&s, 4, 0.015);
    step(&s, 1, 0);
    assert_int_equal(limbs_left(&s), 5);
    end(&s);
}

/* Steps that each leg needs stay; with an option of 0 so do those that none needs. */
static void needed_steps_stay(void** state) {
    (void)state;
    stand s;
    begin(&s);
    step(&s, 0, 0.015);
    step(&s, 3, 0.015);
    assert_int_equal(limbs_left(&s), 41);
    step(&s, 3, 0.02);
    s.options.simplify = 0;
    assert_int_equal(limbs_left(&s), 441);
    end(&s);
}

/* ---- whole plans ---- */

/* A plan that is simplified has no more stances and takes no longer than the same one that is not, begins and
   ends as that does, and holds; for any number of threads. */
static void plans_become_shorter(void** state) {
    (void)state;
    const hf_vec3 boxes[2][2] = {{{-2, -2, -0.2}, {2, 2, 0}}, {{0.2, -1, 0}, {0.6, 1, 0.1}}};
    plan_task k =
        make_task("data/creatures/quadruped.creature.json", hf_v3(-0.3, 0, 0.53), hf_v3(0.3, 0, 0.63));
    set_scene(&k, scene_of_boxes(boxes, 2));
    k.options.still = true, k.options.threads = 1, k.options.simplify = 0;
    find(&k);
    assert_int_equal(k.result.outcome, HF_FOUND);
    hf_plan_result whole = k.result;
    k.result = (hf_plan_result){0};
    k.options.simplify = hf_plan_options_default().simplify;
    find(&k);
    assert_int_equal(k.result.outcome, HF_FOUND);
    assert_valid(&k);
    const hf_motion *a = whole.motion, *b = k.result.motion;
    assert_int_equal(whole.work, k.result.work);
    assert_true(k.result.stances <= whole.stances);
    assert_true(b->frame_count < a->frame_count);
    const hf_motion_frame* ends[] = {&a->frames[0], &b->frames[0], &a->frames[a->frame_count - 1],
                                     last_frame(&k)};
    for (int i = 0; i < 4; i += 2) {
        assert_true(hf_distance(ends[i]->root.position, ends[i + 1]->root.position) < 1e-4);
        for (int q = 0; q < a->q_count; q++) assert_true(fabs(ends[i]->q[q] - ends[i + 1]->q[q]) < 1e-3);
    }
    hf_plan_result_free(&whole);
    if (!SANITIZED) {
        whole = k.result;
        k.result = (hf_plan_result){0};
        k.options.threads = 2;
        find(&k);
        assert_int_equal(k.result.motion->frame_count, whole.motion->frame_count);
        for (int f = 0; f < whole.motion->frame_count; f++)
            assert_memory_equal(k.result.motion->frames[f].q, whole.motion->frames[f].q,
                                sizeof(double) * (size_t)whole.motion->q_count);
        hf_plan_result_free(&whole);
    }
    free_task(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_steps_are_one),      cmocka_unit_test(two_steps_apart_are_one),
        cmocka_unit_test(what_is_put_back_stays), cmocka_unit_test(needed_steps_stay),
        cmocka_unit_test(plans_become_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
