/* Plans whose middle is on all limbs: what ends between two legs is never called found, and a body comes down
   only on ground that holds it as well as the ground on which coming down was found. */
#include "test.h"
#include "plan/descent.h"

#include <stdlib.h>

enum { PARTS = 5 }; /* of a plan, after each of which it is stopped */

/* ---- the crouch, stopped ---- */

typedef struct crouch {
    hf_scenario* scenario;
    hf_plan_model* model;
    hf_plan_options options;
} crouch;

static int open_crouch(void** state) {
    crouch* c = calloc(1, sizeof *c);
    c->options = hf_plan_options_default();
    const char* path = data_path("data/scenarios/crouch.scenario.json");
    assert_int_equal(hf_scenario_load(path, NULL, &c->scenario, NULL), HF_OK);
    c->options.seed = c->scenario->seed;
    c->options.guides = c->options.threads = 1;
    assert_int_equal(hf_plan_model_create(c->scenario->creature, &c->options, &c->model, NULL), HF_OK);
    *state = c;
    return 0;
}

static int close_crouch(void** state) {
    crouch* c = *state;
    hf_plan_model_free(c->model);
    hf_scenario_free(c->scenario);
    free(c);
    return 0;
}

static hf_plan_result plan(const crouch* c, hf_progress_fn progress, void* user) {
    hf_plan_query q = {.start = &c->scenario->start, .goal = &c->scenario->goal};
    hf_plan_result r;
    assert_int_equal(hf_plan_find(c->model, c->scenario->scene, &q, &c->options, progress, user, &r, NULL),
                     HF_OK);
    return r;
}

/* How far the last root of the motion is from the goal's, m. */
static double off_goal(const crouch* c, const hf_plan_result* r) {
    const hf_motion* m = r->motion;
    return hf_distance(m->frames[m->frame_count - 1].root.position, c->scenario->goal.pose.root.position);
}

/* Found exactly where the motion ends at the goal; else it says how it ended. */
static void assert_honest(const crouch* c, const hf_plan_result* r, hf_plan_why why) {
    if (r->outcome == HF_FOUND) {
        assert_int_equal(r->why, HF_PLAN_DONE);
        assert_true(off_goal(c, r) <= c->options.goal_tolerance_m);
        return;
    }
    assert_int_equal(r->why, why);
    assert_true(r->reached < 1);
    if (r->motion) assert_true(off_goal(c, r) > c->options.goal_tolerance_m);
}

/* Calls of progress before and since contacts are searched, and after how many of the latter it says no. */
typedef struct calls {
    int before, since, most;
} calls;

static bool count_calls(void* user, double fraction, const char* stage) {
    (void)fraction;
    calls* c = user;
    if (c->since == 0 && strcmp(stage, "contacts") != 0) return ++c->before > 0;
    return ++c->since <= c->most;
}

/* Stopped at several moments of its legs, by its caller or by the end of its work. The sanitizers would take
   minutes for it. */
static void stopped_plans_are_not_found(void** state) {
    if (SANITIZED) skip();
    crouch c = *(const crouch*)*state;
    calls all = {.most = 1 << 30};
    hf_plan_result whole = plan(&c, count_calls, &all);
    assert_int_equal(whole.outcome, HF_FOUND);
    assert_honest(&c, &whole, HF_PLAN_DONE);
    for (int part = 1; part < PARTS; part++) {
        calls some = {.most = part * (all.since / PARTS)};
        hf_plan_result r = plan(&c, count_calls, &some);
        assert_honest(&c, &r, HF_PLAN_CANCELLED);
        hf_plan_result_free(&r);
    }
    for (int part = 1; part < PARTS; part++) {
        c.options.max_work = part * whole.work / PARTS;
        hf_plan_result r = plan(&c, NULL, NULL);
        assert_honest(&c, &r, HF_PLAN_WORK_ENDED);
        hf_plan_result_free(&r);
    }
    hf_plan_result_free(&whole);
}

/* ---- descents ---- */

/* Is there a place for the model's descent over the middle of level ground of such an object? */
static bool comes_down(const crouch* c, hf_object_def ground) {
    float corners[] = {-4, -4, 0, 4, -4, 0, 4, 4, 0, -4, 4, 0};
    uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    hf_descent* placed = NULL;
    hf_planner p = {.world = {.model = c->model,
                              .creature = c->scenario->creature,
                              .view = hf_creature_get(c->scenario->creature),
                              .options = &c->options}};
    hf_scene* scene = NULL;
    ground.name = "ground";
    ground.mesh =
        (hf_mesh){.vertex_count = 4, .triangle_count = 2, .vertices = corners, .indices = triangles};
    assert_int_equal(hf_scene_build(&ground, 1, &scene, NULL), HF_OK);
    p.world.scene = scene;
    assert_int_equal(hf_planner_begin(&p), HF_OK);
    bool is_placed = hf_descent_place(&p, c->model->descent, hf_transform_identity(), &placed);
    assert_true(hf_plan_ok(&p));
    hf_descent_free(placed);
    hf_planner_end(&p);
    hf_scene_free(scene);
    return is_placed;
}

/* The descent was found with the friction of an object that names none. A little less does not do, though
   plans count on less of it; nor does what moves away, or what nobody may touch. */
static void ground_of_descents(void** state) {
    crouch c = *(const crouch*)*state;
    hf_object_def ground = hf_object_def_default();
    double friction = ground.friction;
    assert_non_null(c.model->descent);
    assert_true(comes_down(&c, ground));
    ground.friction = 1.04 * friction;
    assert_true(comes_down(&c, ground));
    ground.friction = 0.96 * friction;
    assert_false(comes_down(&c, ground));
    ground = hf_object_def_default(), ground.movable = true;
    assert_false(comes_down(&c, ground));
    ground = hf_object_def_default(), ground.contact = false;
    assert_false(comes_down(&c, ground));
}

static bool count_down(void* user, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    return --*(int*)user > 0;
}

/* The search for a descent asks whether it shall go on, and after a no it asks and finds nothing more. */
static void descents_are_cancelled(void** state) {
    crouch c = *(const crouch*)*state;
    hf_descent* d = NULL;
    int never = 1 << 30, left = never;
    assert_int_equal(hf_descent_find(c.model, &c.options, count_down, &left, &d, NULL), HF_OK);
    assert_non_null(d);
    hf_descent_free(d);
    int asked = never - left;
    assert_true(asked > 4);
    for (int part = 0; part < 4; part++) {
        left = 1 + part * asked / 4;
        assert_int_equal(hf_descent_find(c.model, &c.options, count_down, &left, &d, NULL), HF_OK);
        assert_null(d);
        assert_int_equal(left, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ground_of_descents),
        cmocka_unit_test(descents_are_cancelled),
        cmocka_unit_test(stopped_plans_are_not_found),
    };
    return cmocka_run_group_tests(tests, open_crouch, close_crouch);
}
