/* Refining: time scaling against closed forms and finite differences, and what cannot be refined. */
#include "test.h"
#include "creature_fixture.h"

#include "refine/com_course.h"
#include "refine/pace_region.h"
#include "refine/parts.h"
#include "refine/pose_spline.h"
#include "refine/time_scaling.h"

#include <holdfast/refine.h>

/* ---- regions ---- */

static void cuts_keep_what_meets_every_halfplane(void** state) {
    (void)state;
    hf_pace_region r = hf_pace_region_box(10, 4);
    const double rows[3][3] = {{1, 1, 3}, {-1, 2, 5}, {0.5, -1, 1}};
    for (int i = 0; i < 3; i++) hf_pace_region_cut(&r, rows[i][0], rows[i][1], rows[i][2]);
    // brute force: a grid point is inside the region exactly when it meets the rows and the box
    for (int i = 0; i <= 60; i++)
        for (int k = 0; k <= 40; k++) {
            double u = -10 + i / 3.0, x = k / 10.0, low, high;
            bool meets = true;
            for (int n = 0; n < 3; n++) meets &= rows[n][0] * u + rows[n][1] * x <= rows[n][2] + 1e-9;
            bool inside = hf_pace_region_across(&r, x, &low, &high) && u >= low - 1e-9 && u <= high + 1e-9;
            assert_int_equal(inside, meets);
        }
    hf_pace_region_cut(&r, 0, 1, -1);
    assert_int_equal(r.count, 0);
}

/* ---- time scaling ---- */

enum { POINTS = 201 };

/* A slider of one joint on a path of one metre. */
typedef struct line {
    hf_creature* creature;
    hf_workspace* workspace;
    hf_transform roots[POINTS];
    double *q, time_s[POINTS], speed[POINTS];
    hf_scaling_path path;
    hf_scaling scaling;
} line;

static void line_make(line* l) {
    const char* urdf =
        "<robot name='slider'><link name='base'><inertial><mass value='1'/><inertia ixx='1' "
        "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='car'><inertial>"
        "<mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "</link><joint name='slide' type='prismatic'><parent link='base'/><child link='car'/>"
        "<axis xyz='1 0 0'/><limit lower='-5' upper='5' velocity='1.5' effort='1000'/></joint>"
        "</robot>";
    l->creature = load_text("slider.urdf", urdf);
    assert_int_equal(hf_workspace_create(&l->workspace), HF_OK);
    int n = hf_creature_get(l->creature)->q_count;
    l->q = calloc((size_t)n * POINTS, sizeof(double));
    for (int i = 0; i < POINTS; i++) {
        l->roots[i] = hf_transform_identity();
        l->q[i * n] = (double)i / (POINTS - 1);
    }
    l->path = (hf_scaling_path){
        .creature = l->creature, .count = POINTS, .step = 1.0 / (POINTS - 1), .roots = l->roots, .q = l->q};
    l->scaling = (hf_scaling){.time_s = l->time_s, .speed = l->speed};
}

static void line_free(line* l) {
    hf_creature_free(l->creature);
    hf_workspace_free(l->workspace);
    free(l->q);
}

/* From rest to rest over one metre with acceleration a and speed v at most: sqrt(4 / a) while the peak
   sqrt(a) is under v, else 1 / v + v / a. */
static double fastest_s(double a, double v) { return sqrt(a) <= v ? sqrt(4 / a) : 1 / v + v / a; }

static void a_line_is_passed_in_the_time_of_the_closed_form(void** state) {
    (void)state;
    line l;
    line_make(&l);
    const hf_joint* joint = &hf_creature_get(l.creature)->joints[0];
    const double shares[3][2] = {{1, 0.01}, {1, 0.1}, {0.2, 1}};
    for (int i = 0; i < 3; i++) {
        hf_scaling_shares s = {shares[i][0], shares[i][1], 1};
        assert_int_equal(hf_scaling_find(&l.path, &s, l.workspace, &l.scaling), HF_OK);
        assert_int_equal(l.scaling.block, HF_SCALING_FREE);
        double wanted = fastest_s(joint->max_acceleration * s.acceleration, joint->max_speed * s.speed);
        // the two end steps know half of their speed: a step of time at most
        assert_true(fabs(l.scaling.duration_s - wanted) < 0.02 * wanted);
    }
    line_free(&l);
}

/* Speeds and accelerations by differences over the times that were found. */
static void times_keep_speeds_and_accelerations(void** state) {
    (void)state;
    line l;
    line_make(&l);
    const hf_joint* joint = &hf_creature_get(l.creature)->joints[0];
    int n = hf_creature_get(l.creature)->q_count;
    for (int i = 0; i < POINTS; i++) l.q[i * n] = sin(3.0 * i / (POINTS - 1)); // turns back on its way
    hf_scaling_shares s = {0.5, 0.05, 1};
    assert_int_equal(hf_scaling_find(&l.path, &s, l.workspace, &l.scaling), HF_OK);
    assert_int_equal(l.scaling.block, HF_SCALING_FREE);
    double fastest = 0, hardest = 0;
    for (int i = 2; i + 2 < POINTS; i++) {
        double before = l.time_s[i] - l.time_s[i - 1], after = l.time_s[i + 1] - l.time_s[i];
        double in = (l.q[i * n] - l.q[(i - 1) * n]) / before, out = (l.q[(i + 1) * n] - l.q[i * n]) / after;
        fastest = fmax(fastest, fabs(out));
        hardest = fmax(hardest, fabs(out - in) / (before + after) * 2);
    }
    assert_true(fastest <= joint->max_speed * 0.5 * 1.01);
    assert_true(hardest <= joint->max_acceleration * 0.05 * 1.05);
    // it is tight: some moment is at a limit
    assert_true(fastest > joint->max_speed * 0.5 * 0.98 || hardest > joint->max_acceleration * 0.05 * 0.95);
    line_free(&l);
}

static void a_body_that_nothing_bears_cannot_be_timed(void** state) {
    (void)state;
    line l;
    line_make(&l);
    hf_stance* none;
    assert_int_equal(hf_stance_create(&none), HF_OK);
    hf_stance_options o = hf_stance_options_default();
    o.polytope = true;
    assert_int_equal(hf_stance_build(none, NULL, 0, 3, &o, l.workspace), HF_OK);
    const hf_stance* stances[POINTS];
    for (int i = 0; i < POINTS; i++) stances[i] = i > 50 && i < 60 ? none : NULL;
    l.path.stances = stances;
    hf_scaling_shares s = {1, 1, 1};
    assert_int_equal(hf_scaling_find(&l.path, &s, l.workspace, &l.scaling), HF_OK);
    assert_int_equal(l.scaling.block, HF_SCALING_WRENCH);
    assert_true(l.scaling.block_at > 50 && l.scaling.block_at < 60);
    hf_stance_free(none);
    line_free(&l);
}

/* ---- curves ---- */

static void a_spline_meets_its_poses_and_rests_at_its_ends(void** state) {
    (void)state;
    line l;
    line_make(&l);
    enum { KNOTS = 6 };
    double times[KNOTS] = {0, 0.1, 0.3, 0.35, 0.6, 1}, q[KNOTS] = {0, 0.2, -0.1, 0.4, 0.5, 0.3};
    hf_knot knots[KNOTS];
    for (int i = 0; i < KNOTS; i++) {
        knots[i] = (hf_knot){.time_s = times[i], .root = hf_transform_identity(), .q = &q[i]};
        knots[i].root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), 0.3 * i);
    }
    hf_pose_spline s;
    hf_schedule through = {.knots = knots, .knot_count = KNOTS};
    assert_int_equal(hf_pose_spline_of(l.creature, &through, l.workspace, &s), HF_OK);
    double value, before, after;
    hf_pose at = {.q = &value};
    for (int i = 0; i < KNOTS; i++) {
        hf_pose_spline_at(&s, times[i], &at);
        assert_true(fabs(value - q[i]) < 1e-12);
        assert_true(hf_quat_angle(at.root.rotation, knots[i].root.rotation) < 1e-9);
    }
    const double h = 1e-4;
    hf_pose_spline_at(&s, h, &at);
    assert_true(fabs(value - q[0]) / h < 0.05); // at rest in the beginning: of second order
    // first and second derivatives are the same on both sides of a knot
    for (int i = 1; i + 1 < KNOTS; i++) {
        double v[5];
        for (int k = 0; k < 5; k++) {
            hf_pose_spline_at(&s, times[i] + (k - 2) * h, &at);
            v[k] = value;
        }
        before = (v[0] - 2 * v[1] + v[2]) / h / h, after = (v[2] - 2 * v[3] + v[4]) / h / h;
        assert_true(fabs(before - after) < 0.02 * (1 + fabs(before)));
    }
    line_free(&l);
}

static void progress_begins_and_ends_and_never_goes_back(void** state) {
    (void)state;
    hf_part p = {0};
    for (int k = 0; k <= HF_PACE; k++) p.pace[k] = pow((double)k / HF_PACE, 2);
    double last = 0;
    assert_true(fabs(hf_part_progress(&p, 0)) < 1e-12 && fabs(hf_part_progress(&p, 1) - 1) < 1e-12);
    for (int i = 0; i <= 1000; i++) {
        double now = hf_part_progress(&p, i / 1000.0);
        assert_true(now >= last - 1e-12);
        last = now;
    }
}

/* ---- the centre of mass ---- */

/* Two feet a step apart, lifted one after the other: the way must keep the wrenches of the foot that stands.
 */
static void a_way_is_borne_by_the_foot_that_stands(void** state) {
    (void)state;
    enum { COUNT = 90 };
    hf_workspace* w;
    hf_stance* stances[3];
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    const double mass = 60, side = 0.12;
    hf_support feet[2];
    for (int f = 0; f < 2; f++) {
        double y = f ? side : -side;
        feet[f] = (hf_support){.corner_count = 4, .normal = {0, 0, 1}, .friction = 0.5};
        for (int c = 0; c < 4; c++)
            feet[f].corners[c] = hf_v3(c & 1 ? 0.1 : -0.1, y + (c & 2 ? 0.04 : -0.04), 0);
    }
    hf_stance_options o = hf_stance_options_default();
    o.polytope = true;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hf_stance_create(&stances[i]), HF_OK);
        assert_int_equal(hf_stance_build(stances[i], i == 1 ? feet + 1 : feet, i == 2 ? 2 : 1, mass, &o, w),
                         HF_OK);
    }
    const hf_stance* at[COUNT];
    hf_vec3 wish[COUNT], turn[COUNT], place[COUNT];
    double weights[COUNT], margin[COUNT], outside[COUNT];
    for (int k = 0; k < COUNT; k++) {
        at[k] = k >= 25 && k < 40 ? stances[0] : k >= 50 && k < 65 ? stances[1] : stances[2];
        wish[k] = hf_v3(0, 0, 0.9), turn[k] = hf_v3(0, 0, 0);
        weights[k] = 100, margin[k] = 0.005;
    }
    hf_com_course c = {COUNT, 1.0 / 30, at, wish, turn, margin, weights, NULL};
    assert_int_equal(hf_com_course_find(&c, w, place, outside), HF_OK);
    for (int k = 1; k + 1 < COUNT; k++) {
        hf_vec3 a = hf_scale(hf_add(hf_sub(place[k + 1], place[k]), hf_sub(place[k - 1], place[k])), 900);
        assert_true(outside[k] <= 1e-3);
        // the force program, which the way does not use, agrees
        if (outside[k] < -1e-6) assert_true(hf_stance_forces(at[k], place[k], a, turn[k], NULL));
    }
    // it sways to one foot and then to the other, and is at rest in the middle in the end
    assert_true(place[32].y < -0.03 && place[57].y > 0.03 && fabs(place[COUNT - 1].y) < 1e-9);
    for (int i = 0; i < 3; i++) hf_stance_free(stances[i]);
    hf_workspace_free(w);
}

/* ---- what cannot be refined ---- */

static hf_refine_why refuse(const hf_creature* creature, const hf_schedule* s) {
    hf_workspace* w;
    hf_refine_result r = {0};
    hf_error error;
    hf_refine_options o = hf_refine_options_default();
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    assert_int_equal(hf_refine(creature, NULL, s, &o, w, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_NONE);
    assert_null(r.motion);
    hf_refine_why why = r.why;
    hf_refine_result_free(&r);
    hf_workspace_free(w);
    return why;
}

static void each_refusal_has_its_reason(void** state) {
    (void)state;
    line l;
    line_make(&l);
    hf_schedule* s;
    double q = 0;
    hf_pose pose = {hf_transform_identity(), &q};
    assert_int_equal(hf_schedule_create(l.creature, 30, &s), HF_OK);
    s->claims = HF_CLAIM_LIMITS;
    assert_int_equal(hf_schedule_add(s, NULL, 0, &pose, NULL, 0, true), HF_OK);
    assert_int_equal(refuse(l.creature, s), HF_REFINE_ONE_FRAME);
    q = 0.1;
    assert_int_equal(hf_schedule_add(s, NULL, 1, &pose, NULL, 0, false), HF_OK);
    assert_int_equal(refuse(l.creature, s), HF_REFINE_NO_CONTACTS);
    for (int i = 0; i <= HF_REFINE_CANCELLED; i++) assert_true(strlen(hf_refine_why_text(i)) > 5);

    hf_workspace* w = l.workspace;
    hf_refine_result r = {0};
    hf_error error = {0};
    hf_refine_options o = hf_refine_options_default();
    assert_int_equal(hf_refine(NULL, NULL, s, &o, w, &r, &error), HF_ERROR_ARGUMENT);
    o.rate = 5;
    assert_int_equal(hf_refine(l.creature, NULL, s, &o, w, &r, &error), HF_ERROR_ARGUMENT);
    assert_string_equal(error.field, "rate");
    o = hf_refine_options_default();
    s->q_count = 7; // of another creature
    assert_int_equal(hf_refine(l.creature, NULL, s, &o, w, &r, &error), HF_ERROR_ARGUMENT);
    s->q_count = 1;
    hf_schedule_free(s);
    line_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_keep_what_meets_every_halfplane),
        cmocka_unit_test(a_line_is_passed_in_the_time_of_the_closed_form),
        cmocka_unit_test(times_keep_speeds_and_accelerations),
        cmocka_unit_test(a_body_that_nothing_bears_cannot_be_timed),
        cmocka_unit_test(a_spline_meets_its_poses_and_rests_at_its_ends),
        cmocka_unit_test(progress_begins_and_ends_and_never_goes_back),
        cmocka_unit_test(a_way_is_borne_by_the_foot_that_stands),
        cmocka_unit_test(each_refusal_has_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
