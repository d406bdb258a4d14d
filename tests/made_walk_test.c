/* Walks of robots that nobody prepared: bipeds with wide soles or with thighs right under the pelvis, and
   hexapods, by the independent check. */
#include "creature_files.h"
#include "guide_scenes.h"
#include "made_biped.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const hf_vec3 floor_box[1][2] = {{{-3, -3, -0.2}, {9, 3, 0}}};
static char text[60000];

/* A walk of `way` metres straight ahead: landings, time, how far the root goes up and down, and how many
   limbs are off the ground at once at most. */
typedef struct outcome {
    int steps, most_off;
    double time_s, rise;
} outcome;

static bool holds(const hf_motion_frame* f, int limb) {
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return true;
    return false;
}

static outcome measure(const hf_motion* m, int walking) {
    outcome o = {.time_s = m->frames[m->frame_count - 1].time_s};
    double low = INFINITY, high = -INFINITY;
    for (int f = 0; f < m->frame_count; f++) {
        double z = m->frames[f].root.position.z;
        low = fmin(low, z), high = fmax(high, z);
        int off = walking - m->frames[f].contact_count;
        o.most_off = off > o.most_off ? off : o.most_off;
        for (int l = 0; f > 0 && l < m->limb_count; l++)
            o.steps += holds(&m->frames[f], l) && !holds(&m->frames[f - 1], l);
    }
    o.rise = high - low;
    return o;
}

static outcome walk(const hf_creature* creature, double way, int walking) {
    hf_plan_options options = hf_plan_options_default();
    hf_plan_model* model;
    hf_error error = {0};
    hf_scene* scene = scene_of_boxes(floor_box, 1);
    options.threads = 1;
    assert_int_equal(hf_plan_model_create(creature, &options, &model, &error), HF_OK);
    hf_stand_result from, to;
    assert_int_equal(hf_stand(model, scene, 0, 0, 0, &options, &from, &error), HF_OK);
    assert_int_equal(hf_stand(model, scene, way, 0, 0, &options, &to, &error), HF_OK);
    assert_int_equal(from.state.contact_count, walking);
    hf_scenario_state goal = {.pose = to.state.pose};
    hf_plan_query q = {.start = &from.state, .goal = &goal};
    hf_plan_result r;
    assert_int_equal(hf_plan_find(model, scene, &q, &options, NULL, NULL, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_check_report report;
    assert_int_equal(hf_check_motion(r.motion, creature, scene, 1, NULL, NULL, &report, NULL), HF_OK);
    for (int i = 0; i < report.problem_count; i++)
        print_message("frame %d: %s\n", report.problems[i].frame, report.problems[i].what);
    assert_true(report.valid);
    assert_true(r.motion->claims & HF_CLAIM_ONE_LIMB);
    outcome o = measure(r.motion, walking);
    hf_check_report_free(&report);
    hf_plan_result_free(&r);
    hf_stand_result_free(&from);
    hf_stand_result_free(&to);
    hf_plan_model_free(model);
    hf_scene_free(scene);
    return o;
}

static hf_creature* load(void) { return must_load(write_file("made.urdf", text)); }

/* Legs of 0.82 m: 2 m are at most 1.5 x 2 x 2 / (1.5 x 0.82) = 4.9 steps and, as a walk begins and ends with
   a shorter step, two more; at rest each takes 1.4 s and more. Soles 3 cm apart cannot be put nearer to each
   other by a third of their distance. */
static void bipeds_stride(void** state) {
    (void)state;
    made_biped_text(&(made_biped){0.08, 0.1, 0.17, false}, text);
    hf_creature* c = load();
    outcome o = walk(c, 2, 2);
    assert_true(o.steps <= 7);
    assert_true(o.time_s < 1.0 * o.steps);
    assert_true(o.rise < 0.1);
    hf_creature_free(c);
}

/* Two flat feet on ankles that do not roll keep the hips where they are: the body leans over the foot that
   stands instead. Its hips are 0.1 m from the middle, so that no sole of 6 cm is below the middle of the body
   at any time. */
static void stiff_ankles_lean(void** state) {
    (void)state;
    made_biped_text(&(made_biped){0.08, 0.1, 0.06, true}, text);
    hf_creature* c = load();
    outcome o = walk(c, 2, 2);
    assert_true(o.steps <= 7);
    assert_true(o.time_s < 1.0 * o.steps);
    assert_true(o.rise < 0.1);
    hf_creature_free(c);
}

static char* add_insect_leg(char* s, const char* name, double x, double side, double turn) {
    static const char bone[] = "<inertial><origin xyz='0.06 0 0'/><mass value='0.3'/><inertia ixx='1e-3' "
                               "iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial>";
    s += sprintf(s,
                 "<link name='%s_coxa'>%s</link><link name='%s_femur'>%s<collision><origin xyz='0.12 0 0' "
                 "rpy='0 1.5708 0'/><geometry><cylinder radius='0.02' length='0.16'/></geometry></collision>"
                 "</link><link name='%s_tibia'>%s<collision><origin xyz='0.35 0 0'/><geometry><sphere "
                 "radius='0.02'/></geometry></collision></link>",
                 name, bone, name, bone, name, bone);
    s += sprintf(s,
                 "<joint name='%s_1' type='revolute'><parent link='body'/><child link='%s_coxa'/><origin "
                 "xyz='%g %g 0' rpy='0 0 %g'/><axis xyz='0 0 1'/><limit lower='-0.8' upper='0.8' effort='90' "
                 "velocity='6'/></joint>",
                 name, name, x, side * 0.2, side * turn);
    return s + sprintf(s,
                       "<joint name='%s_2' type='revolute'><parent link='%s_coxa'/><child link='%s_femur'/>"
                       "<origin xyz='0.1 0 0'/><axis xyz='0 1 0'/><limit lower='-1.4' upper='1.4' "
                       "effort='90' velocity='6'/></joint><joint name='%s_3' type='revolute'><parent "
                       "link='%s_femur'/><child link='%s_tibia'/><origin xyz='0.25 0 0' rpy='0 1.3 0'/><axis "
                       "xyz='0 1 0'/><limit lower='-1.2' upper='1.2' effort='90' velocity='6'/></joint>",
                       name, name, name, name, name, name);
}

/* Three of six legs swing together, the other three hold the body, and no two of them change in one frame: on
   2 m at most 6 x 2 / 0.7 = 17 steps and a turn of all legs to begin and to end with. */
static void a_hexapod_goes_by_threes(void** state) {
    (void)state;
    char* s =
        text + sprintf(text, "<robot name='made'><link name='body'><inertial><mass value='20'/><inertia "
                             "ixx='0.3' iyy='0.8' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
                             "<collision><geometry><box size='0.7 0.36 0.15'/></geometry></collision>"
                             "</link>");
    s = add_insect_leg(s, "left_front", 0.35, 1, 0.9);
    s = add_insect_leg(s, "left_middle", 0, 1, 1.57);
    s = add_insect_leg(s, "left_rear", -0.35, 1, 2.24);
    s = add_insect_leg(s, "right_front", 0.35, -1, 0.9);
    s = add_insect_leg(s, "right_middle", 0, -1, 1.57);
    s = add_insect_leg(s, "right_rear", -0.35, -1, 2.24);
    sprintf(s, "</robot>");
    hf_creature* c = load();
    assert_int_equal(hf_creature_get(c)->gait_count, 2);
    outcome o = walk(c, 2, 6);
    assert_int_equal(o.most_off, 3);
    assert_true(o.steps <= 17 + 6);
    hf_creature_free(c);
}

/* One leg of a quadruped with eight joints: thigh and shin of 0.25 m on two pitch joints, a ball at its end.
 */
static char* add_plane_leg(char* s, const char* name, double x, double y) {
    static const char bone[] =
        "<inertial><origin xyz='0 0 -0.12'/><mass value='0.5'/><inertia ixx='3e-3' "
        "iyy='3e-3' izz='3e-4' ixy='0' ixz='0' iyz='0'/></inertial><collision><origin "
        "xyz='0 0 -0.12'/><geometry><box size='0.04 0.03 0.17'/></geometry></collision>";
    s += sprintf(s,
                 "<link name='%s_thigh'>%s</link><link name='%s_shin'>%s<collision><origin xyz='0 0 -0.25'/>"
                 "<geometry><sphere radius='0.02'/></geometry></collision></link>",
                 name, bone, name, bone);
    return s + sprintf(s,
                       "<joint name='%s_1' type='revolute'><parent link='body'/><child link='%s_thigh'/>"
                       "<origin xyz='%g %g 0'/><axis xyz='0 1 0'/><limit lower='-1.8' upper='2.6' "
                       "effort='60' velocity='20'/></joint><joint name='%s_2' type='revolute'><parent "
                       "link='%s_thigh'/><child link='%s_shin'/><origin xyz='0 0 -0.25'/><axis xyz='0 1 0'/>"
                       "<limit lower='-2.6' upper='-0.1' effort='60' velocity='20'/></joint>",
                       name, name, x, y, name, name, name);
}

/* Legs of two joints that turn about one axis keep the body from going sideways. On 2 m such a body takes at
   most 1.5 x 4 x 2 / (1.5 x 0.5) = 16 steps and, as a walk begins and ends with shorter ones, one more of
   each leg; at rest each takes over a second. */
static void legs_in_planes_walk(void** state) {
    (void)state;
    char* s =
        text + sprintf(text, "<robot name='made'><link name='body'><inertial><mass value='12'/><inertia "
                             "ixx='0.2' iyy='0.4' izz='0.5' ixy='0' ixz='0' iyz='0'/></inertial>"
                             "<collision><geometry><box size='0.6 0.2 0.12'/></geometry></collision>"
                             "</link>");
    s = add_plane_leg(s, "left_front", 0.25, 0.15);
    s = add_plane_leg(s, "right_front", 0.25, -0.15);
    s = add_plane_leg(s, "left_rear", -0.25, 0.15);
    s = add_plane_leg(s, "right_rear", -0.25, -0.15);
    sprintf(s, "</robot>");
    hf_creature* c = load();
    outcome o = walk(c, 2, 4);
    assert_int_equal(o.most_off, 1);
    assert_true(o.steps <= 16 + 4);
    assert_true(o.time_s < 0.6 * o.steps);
    hf_creature_free(c);
}

/* Four limbs that are stretched out level in the neutral posture and that no name calls arms or legs walk,
   and what is in the rear is no ear. */
static void level_limbs_walk(void** state) {
    (void)state;
    static const char* const names[] = {"front_left", "front_right", "rear_left", "rear_right"};
    char* s =
        text + sprintf(text, "<robot name='made'><link name='body'><inertial><mass value='9'/></inertial>"
                             "<collision><geometry><box size='0.5 0.25 0.1'/></geometry></collision>"
                             "</link>");
    for (int i = 0; i < 4; i++)
        s += sprintf(s,
                     "<link name='%s_upper'/><link name='%s_lower'><collision><origin xyz='0.25 0 0'/>"
                     "<geometry><sphere radius='0.02'/></geometry></collision></link>"
                     "<joint name='a%d' type='revolute'><parent link='body'/><child link='%s_upper'/><origin "
                     "xyz='%g %g 0' rpy='0 0 %g'/><axis xyz='0 0 1'/><limit lower='-1' upper='1'/></joint>"
                     "<joint name='b%d' type='revolute'><parent link='%s_upper'/><child link='%s_lower'/>"
                     "<origin xyz='0.25 0 0'/><axis xyz='0 1 0'/><limit lower='-2' upper='2'/></joint>",
                     names[i], names[i], i, names[i], i < 2 ? 0.22 : -0.22, i % 2 ? -0.15 : 0.15,
                     i % 2 ? -1.5708 : 1.5708, i, names[i], names[i]);
    sprintf(s, "</robot>");
    hf_creature* c = load();
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->limb_count, 4);
    assert_int_equal(v->gait_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(v->limbs[i].use);
        assert_non_null(strstr(v->limbs[i].name, "leg"));
    }
    hf_creature_free(c);
}

/* A leg whose last long link reaches down to its toe, as a bird's: the toe is its foot. */
static void a_toe_behind_a_shin_is_a_foot(void** state) {
    (void)state;
    static const char* const names[] = {"thigh", "shin", "tarsus", "toe"};
    static const double lengths[] = {0.3, 0.4, 0.4, 0.05};
    char* s =
        text + sprintf(text, "<robot name='made'><link name='body'><inertial><mass value='9'/></inertial>"
                             "<collision><geometry><box size='0.2 0.2 0.1'/></geometry></collision>"
                             "</link>");
    for (int i = 0; i < 8; i++) {
        const char* way = i < 4 ? "left" : "right";
        int k = i % 4;
        s += sprintf(s,
                     "<link name='%s_%s'><inertial><mass value='1'/></inertial><collision><origin xyz='0 0 "
                     "%g'/><geometry><box size='%s %g'/></geometry></collision></link><joint name='%s_%d' "
                     "type='revolute'><parent link='%s%s%s'/><child link='%s_%s'/><origin xyz='0 %g %g'/>"
                     "<axis xyz='0 1 0'/><limit lower='-1' upper='1'/></joint>",
                     way, names[k], -lengths[k] / 2 - 0.01, k == 3 ? "0.18 0.05" : "0.04 0.04", lengths[k],
                     way, k, k ? way : "body", k ? "_" : "", k ? names[k - 1] : "", way, names[k],
                     k       ? 0
                     : i < 4 ? 0.13
                             : -0.13,
                     k ? -lengths[k - 1] : 0);
    }
    sprintf(s, "</robot>");
    hf_creature* c = load();
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->limb_count, 2);
    for (int l = 0; l < 2; l++) assert_non_null(strstr(v->links[v->limbs[l].effector_link].name, "toe"));
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bipeds_stride),
        cmocka_unit_test(stiff_ankles_lean),
        cmocka_unit_test(a_hexapod_goes_by_threes),
        cmocka_unit_test(legs_in_planes_walk),
        cmocka_unit_test(level_limbs_walk),
        cmocka_unit_test(a_toe_behind_a_shin_is_a_foot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
