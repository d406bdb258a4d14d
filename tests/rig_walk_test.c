/* Animators' skeletons, which say neither how strong nor how heavy they are and stand in a T at rest: their
   arms hang when they stand, and they walk as bodies that were prepared do, by the independent check. */
#include "creature_files.h"
#include "guide_scenes.h"
#include "plan/plan_model.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const hf_vec3 floor_box[1][2] = {{{-3, -3, -0.2}, {9, 3, 0}}};

static char* put_joint(char* s, const char* kind, const char* name, double x, double y, double z) {
    return s + sprintf(s, "%s %s\n{\nOFFSET %g %g %g\nCHANNELS 3 Zrotation Xrotation Yrotation\n", kind, name,
                       x, y, z);
}

/* A person of 1.7 m in centimetres, Y up, arms level: hips, trunk and head, two legs with a foot of one bone,
   two arms of a collar, an upper arm, a forearm and a hand. Its knees bend about the middle one of three
   angles. */
static const char* write_person(const char* file) {
    static char text[20000];
    char *s = text, name[32];
    s += sprintf(s, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
                    "Zrotation Xrotation Yrotation\n");
    for (int i = 0; i < 2; i++) {
        const char* side = i ? "Right" : "Left";
        double out = i ? -1 : 1;
        const double legs[3][3] = {{9 * out, -4, 0}, {0, -42, 0}, {0, -41, -2}};
        static const char* const of_leg[] = {"UpLeg", "Leg", "Foot"};
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s%s", side, of_leg[k]);
            s = put_joint(s, "JOINT", name, legs[k][0], legs[k][1], legs[k][2]);
        }
        s += sprintf(s, "End Site\n{\nOFFSET 0 -6 15\n}\n}\n}\n}\n");
    }
    s = put_joint(s, "JOINT", "Spine", 0, 12, 0);
    s = put_joint(s, "JOINT", "Chest", 0, 20, 0);
    s = put_joint(s, "JOINT", "Head", 0, 25, 0);
    s += sprintf(s, "End Site\n{\nOFFSET 0 18 0\n}\n}\n");
    for (int i = 0; i < 2; i++) {
        const char* side = i ? "Right" : "Left";
        static const char* const of_arm[] = {"Shoulder", "Arm", "ForeArm", "Hand"};
        const double out[4] = {3, 14, 28, 25};
        for (int k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "%s%s", side, of_arm[k]);
            s = put_joint(s, "JOINT", name, i ? -out[k] : out[k], k == 0 ? 18 : 0, 0);
        }
        s += sprintf(s, "End Site\n{\nOFFSET %d 0 0\n}\n}\n}\n}\n}\n", i ? -15 : 15);
    }
    s += sprintf(s, "}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 93 0");
    for (int i = 0; i < 3 * 18; i++) s += sprintf(s, " 0");
    sprintf(s, "\n");
    return write_file(file, text);
}

static hf_creature* load_person(const char* file) {
    hf_load_options options = hf_load_options_default();
    hf_error error = {0};
    hf_creature* c;
    options.unit_m = 0.01;
    if (hf_creature_load(write_person(file), &options, &c, &error) != HF_OK) fail_msg("%s", error.message);
    return c;
}

static hf_vec3 link_at(const hf_creature* c, const hf_transform* links, const char* name) {
    const hf_creature_view* v = hf_creature_get(c);
    for (int i = 0; i < v->link_count; i++)
        if (strcmp(v->links[i].name, name) == 0) return links[i].position;
    fail_msg("no link %s", name);
    return hf_v3(0, 0, 0);
}

typedef struct task {
    hf_plan_model* model;
    hf_scene* scene;
    hf_plan_options options;
} task;

static task begin(const hf_creature* c) {
    task t = {.scene = scene_of_boxes(floor_box, 1), .options = hf_plan_options_default()};
    hf_error error = {0};
    t.options.threads = 1;
    assert_int_equal(hf_plan_model_create(c, &t.options, &t.model, &error), HF_OK);
    return t;
}

static void end(task* t) {
    hf_plan_model_free(t->model);
    hf_scene_free(t->scene);
}

static hf_stand_result stand(const task* t, double x, double y, double yaw) {
    hf_stand_result r;
    hf_error error = {0};
    assert_int_equal(hf_stand(t->model, t->scene, x, y, yaw, &t->options, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    return r;
}

/* Both hands hang beside the hips, below the shoulders and not across the body, elbows bent a little; collars
   stay level. */
static void assert_hands_hang(const hf_creature* c, const hf_pose* pose) {
    hf_transform links[256];
    assert_true(hf_creature_get(c)->link_count <= 256);
    hf_forward(c, pose, links);
    for (int i = 0; i < 2; i++) {
        const char* side = i ? "Right" : "Left";
        char name[3][32];
        snprintf(name[0], sizeof name[0], "%sArm", side);
        snprintf(name[1], sizeof name[1], "%sForeArm", side);
        snprintf(name[2], sizeof name[2], "%sHand", side);
        hf_vec3 arm = link_at(c, links, name[0]), elbow = link_at(c, links, name[1]),
                hand = link_at(c, links, name[2]);
        double out = i ? -1 : 1;
        assert_true(arm.z - hand.z > 0.48); // of 0.53
        assert_true(out * hand.y > 0.1 && fabs(hand.y - arm.y) < 0.2);
        assert_true(hand.x > elbow.x + 0.02);
        assert_near(fabs(arm.y), 0.17, 0.01);
    }
}

static void raised_arms_hang(void** state) {
    (void)state;
    hf_creature* c = load_person("hanging.bvh");
    task t = begin(c);
    hf_stand_result r = stand(&t, 0, 0, 0);
    assert_hands_hang(c, &r.state.pose);
    // the file's own rest posture stays as it is
    hf_pose rest = {hf_transform_identity(), (double*)hf_creature_get(c)->rest};
    hf_transform links[256];
    hf_forward(c, &rest, links);
    assert_near(link_at(c, links, "LeftHand").y, 0.7, 0.001);
    hf_stand_result_free(&r);
    end(&t);
    hf_creature_free(c);
}

/* The arms of a URDF hang like those of the skeleton that it was written from, whose rest posture has them
   level. */
static void arms_of_a_urdf_hang(void** state) {
    (void)state;
    hf_creature* c = load_person("hanging.bvh");
    const char* urdf = test_path("hanging.urdf");
    hf_error error = {0};
    assert_int_equal(hf_creature_write_urdf(c, urdf, &error), HF_OK);
    hf_creature* again = must_load(urdf);
    task t = begin(again);
    hf_stand_result r = stand(&t, 0, 0, 0);
    assert_hands_hang(again, &r.state.pose);
    hf_stand_result_free(&r);
    end(&t);
    hf_creature_free(again);
    hf_creature_free(c);
}

/* Arms that hang already, found so or as the shipped human has them at rest, stay as they are to the last
   bit. */
static void hanging_arms_stay(void** state) {
    (void)state;
    hf_creature* all[2] = {load_person("hanging.bvh"),
                           must_load(data_path("data/creatures/human.creature.json"))};
    hf_workspace* workspace = NULL;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    for (int i = 0; i < 2; i++) {
        const hf_creature_view* v = hf_creature_get(all[i]);
        task t = begin(all[i]);
        hf_stand_result r = stand(&t, 0, 0, 0);
        double q[512];
        assert_true(v->q_count <= 512);
        memcpy(q, i == 0 ? r.state.pose.q : v->rest, sizeof(double) * (size_t)v->q_count);
        assert_true(hf_arms_hang(all[i], t.model->limbs, workspace, q));
        assert_memory_equal(q, i == 0 ? r.state.pose.q : v->rest, sizeof(double) * (size_t)v->q_count);
        hf_stand_result_free(&r);
        end(&t);
        hf_creature_free(all[i]);
    }
    hf_workspace_free(workspace);
}

/* The two bodies at a joint of three hinges are not tested against each other, also in the URDF and SRDF that
   are written for the skeleton; a shin and the other one are. */
static void neighbours_survive_writing(void** state) {
    (void)state;
    hf_creature* c = load_person("neighbours.bvh");
    const char* urdf = test_path("neighbours.urdf");
    hf_error error = {0};
    assert_int_equal(hf_creature_write_urdf(c, urdf, &error), HF_OK);
    hf_creature* again = must_load(urdf);
    const hf_creature_view *v = hf_creature_get(c), *w = hf_creature_get(again);
    assert_int_equal(v->body_count, w->body_count);
    int shins[2] = {0}, feet[2] = {0};
    for (int i = 0; i < v->body_count; i++) {
        const char* name = v->links[v->bodies[i].link].name;
        assert_string_equal(name, w->links[w->bodies[i].link].name);
        for (int k = 0; k < 2; k++) {
            if (strcmp(name, k ? "RightLeg" : "LeftLeg") == 0) shins[k] = i;
            if (strcmp(name, k ? "RightFoot" : "LeftFoot") == 0) feet[k] = i;
        }
        for (int k = 0; k < i; k++)
            assert_int_equal(hf_creature_pair_enabled(c, i, k), hf_creature_pair_enabled(again, i, k));
    }
    assert_false(hf_creature_pair_enabled(c, shins[0], feet[0]));
    assert_false(hf_creature_pair_enabled(c, shins[1], feet[1]));
    assert_true(hf_creature_pair_enabled(c, shins[0], shins[1]));
    assert_true(hf_creature_pair_enabled(c, shins[0], feet[1]));
    hf_creature_free(again);
    hf_creature_free(c);
}

/* From place to place: landings, time, and how far the root goes up and down, by the check. */
static void must_walk(const hf_creature* c, const task* t, double x, double y, double yaw, int steps,
                      double time_s, double rise) {
    hf_stand_result from = stand(t, 0, 0, 0), to = stand(t, x, y, yaw);
    hf_scenario_state goal = {.pose = to.state.pose};
    hf_plan_query q = {.start = &from.state, .goal = &goal};
    hf_plan_result r;
    hf_error error = {0};
    assert_int_equal(hf_plan_find(t->model, t->scene, &q, &t->options, NULL, NULL, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_check_report report;
    assert_int_equal(hf_check_motion(r.motion, c, t->scene, 1, NULL, NULL, &report, NULL), HF_OK);
    assert_true(report.valid);
    double low = INFINITY, high = -INFINITY;
    int landed = 0;
    for (int f = 0; f < r.motion->frame_count; f++) {
        const hf_motion_frame* now = &r.motion->frames[f];
        low = fmin(low, now->root.position.z), high = fmax(high, now->root.position.z);
        landed += f > 0 && now->contact_count > now[-1].contact_count;
    }
    double took = r.motion->frames[r.motion->frame_count - 1].time_s;
    print_message("%d steps, %.1f s, root within %.3f m\n", landed, took, high - low);
    assert_true(landed <= steps && took <= time_s && high - low <= rise);
    hf_check_report_free(&report);
    hf_plan_result_free(&r);
    hf_stand_result_free(&from);
    hf_stand_result_free(&to);
}

/* Legs of 0.9 m: 3 m are at most 1.5 x 2 x 3 / (1.5 x 0.9) = 6.7 steps, and two more as a walk begins and
   ends with a shorter one. Balanced at rest a step takes 1.5 s. On a quarter turn the knee is still the one
   that bends the leg ahead of the body, so that the body does not sink. */
static void skeletons_walk(void** state) {
    (void)state;
    hf_creature* c = load_person("walking.bvh");
    task t = begin(c);
    must_walk(c, &t, 3, 0, 0, 8, 7, 0.1);
    must_walk(c, &t, 1.5, 0.75, M_PI / 2, 10, 8, 0.1);
    end(&t);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raised_arms_hang),  cmocka_unit_test(arms_of_a_urdf_hang),
        cmocka_unit_test(hanging_arms_stay), cmocka_unit_test(neighbours_survive_writing),
        cmocka_unit_test(skeletons_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
