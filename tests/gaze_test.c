/* Heads that look at what hands do. */
#include "test.h"

#include "model/creature.h"
#include "model/scene.h"
#include "solve/gaze.h"

#include <stdlib.h>

static double off_rad(const hf_gaze* g, const hf_transform* links, hf_vec3 point) {
    hf_vec3 now = hf_rotate(links[g->head].rotation, g->axis);
    return hf_acos(fmin(1, hf_dot(now, hf_normalize(hf_sub(point, links[g->head].position)))));
}

/* A human's head is found with its four joints. Whatever point it turns to, it looks no farther past it than
   before, no joint leaves its limits, nothing but neck and head moves, and points in front are looked at but
   for the eyes. */
static void test_turns(void** state) {
    (void)state;
    static const double EYES = 0.2;
    hf_creature* c = NULL;
    assert_int_equal(hf_creature_load(HF_SOURCE_DIR "/data/creatures/human.creature.json", NULL, &c, NULL),
                     HF_OK);
    const hf_creature_view* v = hf_creature_get(c);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    double* q = calloc((size_t)v->q_count + 1, sizeof *q);
    hf_pose pose = {hf_transform_identity(), q};
    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++)
            for (int z = -2; z <= 2; z++) {
                hf_vec3 point = hf_v3(0.11 + x * 0.4, y * 0.4, 0.6 + z * 0.4);
                memcpy(q, v->rest, sizeof(double) * (size_t)v->q_count);
                hf_forward(c, &pose, links);
                hf_gaze g = hf_gaze_find(c, links, hf_v3(1, 0, 0));
                assert_string_equal(v->links[g.head].name, "head");
                assert_int_equal(g.joint_count, 4);
                double before = off_rad(&g, links, point);
                hf_gaze_turn(c, &g, point, EYES, q, links);
                assert_true(off_rad(&g, links, point) <= before + 1e-9);
                assert_true(hf_pose_within_limits(c, q, 1e-9));
                if (x == 2 && abs(y) <= 1 && z <= 0 && z >= -1)
                    assert_true(off_rad(&g, links, point) < EYES + 0.02);
                for (int i = 0; i < v->q_count; i++) {
                    bool own = false;
                    for (int k = 0; k < g.joint_count; k++) own |= v->joints[g.joints[k]].q_index == i;
                    if (!own) assert_true(q[i] == v->rest[i]);
                }
            }
    free(q);
    free(links);
    hf_creature_free(c);
}

/* While the glass is taken the head looks at it, but for what the eyes do and the limits of the neck keep. */
static void test_looks_at_work(void** state) {
    (void)state;
    hf_error error = {0};
    hf_scenario* s = NULL;
    assert_int_equal(
        hf_scenario_load(HF_SOURCE_DIR "/data/scenarios/relocate.scenario.json", NULL, &s, &error), HF_OK);
    hf_plan_options p = hf_plan_options_default();
    p.samples = 100;
    hf_plan_model* model = NULL;
    assert_int_equal(hf_plan_model_create(s->creature, &p, &model, &error), HF_OK);
    assert_int_equal(hf_scenario_stand(s, model, &p, &error), HF_OK);
    hf_plan_model_free(model);
    hf_reach_options o = hf_reach_options_default();
    o.nodes = 200;
    hf_reach_result r = {0};
    assert_int_equal(hf_reach_run(s, &o, NULL, NULL, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    const hf_creature_view* v = hf_creature_get(s->creature);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_forward(s->creature, &s->start.pose, links);
    hf_gaze g = hf_gaze_find(s->creature, links, hf_rotate(s->start.pose.root.rotation, hf_v3(1, 0, 0)));
    int frame = 0;
    while (frame < r.motion->frame_count && !r.motion->frames[frame].object_count) frame++;
    assert_true(frame < r.motion->frame_count);
    const hf_motion_frame* f = &r.motion->frames[frame];
    hf_vec3 point = f->objects[0].pose.position;
    double at_start = off_rad(&g, links, point);
    hf_forward(s->creature, &(hf_pose){f->root, f->q}, links);
    assert_true(off_rad(&g, links, point) < o.eyes_rad + 0.1);
    assert_true(at_start > o.eyes_rad + 0.1); // it looked ahead before
    free(links);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns), cmocka_unit_test(test_looks_at_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
