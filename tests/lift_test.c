/* Lifts: limbs that leave a surface while the body stays still, against forward kinematics. */
#include "test.h"
#include "schedule/lift.h"

enum { Q_MAX = 128, LINK_MAX = 128 };

typedef struct fixture {
    hf_creature* creature;
    const hf_creature_view* c;
    hf_workspace* workspace;
    hf_transform links[LINK_MAX];
    double q[Q_MAX], rows[HF_LIFT_KNOTS * Q_MAX];
} fixture;

static void set_up(fixture* f) {
    memset(f, 0, sizeof *f);
    f->creature = shipped_creature("human");
    f->c = hf_creature_get(f->creature);
    assert_in_range(f->c->q_count, 1, Q_MAX);
    assert_in_range(f->c->link_count, 1, LINK_MAX);
    assert_int_equal(hf_workspace_create(&f->workspace), HF_OK);
}

static void tear_down(fixture* f) {
    hf_workspace_free(f->workspace);
    hf_creature_free(f->creature);
}

static int limb_named(const fixture* f, const char* name) {
    for (int l = 0; l < f->c->limb_count; l++)
        if (strcmp(f->c->limbs[l].name, name) == 0) return l;
    fail_msg("no limb %s", name);
    return -1;
}

static void set_joint(fixture* f, const char* name, double value) {
    for (int j = 0; j < f->c->joint_count; j++)
        if (strcmp(f->c->joints[j].name, name) == 0) f->q[f->c->joints[j].q_index] = value;
}

/* Lifts the left knee by 2 cm from level ground below it, the body upright and its thigh so far forwards. */
static bool lift_knee(fixture* f, double thigh_rad, hf_hold* hold) {
    hf_pose pose = {hf_transform_identity(), f->q};
    hf_pose_rest(f->creature, &pose);
    set_joint(f, "l_hip_y", thigh_rad);
    set_joint(f, "l_knee", 2);
    *hold = (hf_hold){.limb = limb_named(f, "left_knee"), .normal = {0, 0, 1}};
    const hf_contact_frame* frame = &f->c->limbs[hold->limb].contacts[0];
    assert_true(frame->ball > 0);
    hf_forward(f->creature, &pose, f->links);
    hf_vec3 centre = hf_apply(f->links[frame->link], frame->offset);
    hold->point = hf_sub(centre, hf_v3(0, 0, frame->ball));
    hf_lift lift = {hold, &pose, hf_v3(0, 0, 0.02)};
    bool lifts = false, scrapes = true;
    assert_int_equal(hf_lift_find(f->creature, &lift, f->workspace, f->links, f->rows, &lifts, &scrapes),
                     HF_OK);
    if (lifts) assert_false(scrapes);
    return lifts;
}

/* The centre of the knee's ball over the ground in a row, in radii of the ball. */
static double height_in(fixture* f, const hf_hold* hold, const double* row) {
    const hf_contact_frame* frame = &f->c->limbs[hold->limb].contacts[0];
    hf_pose pose = {hf_transform_identity(), (double*)(uintptr_t)row};
    hf_forward(f->creature, &pose, f->links);
    return hf_apply(f->links[frame->link], frame->offset).z - hold->point.z - frame->ball;
}

/* A knee is as far from its hip as the thigh is long, and cannot go straight up. It leaves the ground on its
   circle: higher from knot to knot, by a share of the way that the incline of the thigh allows (its cosine
   squared is what a step along the circle keeps of a way straight up). */
static void test_knee_leaves_on_its_circle(void** state) {
    (void)state;
    fixture f;
    hf_hold hold;
    set_up(&f);
    for (double thigh = 0.7; thigh < 1.5; thigh += 0.2) {
        assert_true(lift_knee(&f, thigh, &hold));
        double before = 0, share = hf_sin(thigh) * hf_sin(thigh);
        for (int i = 0; i < HF_LIFT_KNOTS; i++) {
            double height = height_in(&f, &hold, f.rows + (size_t)i * (size_t)f.c->q_count);
            assert_true(height > before);
            before = height;
        }
        assert_true(before > 0.8 * share * 0.02 && before < 0.0201);
    }
    tear_down(&f);
}

/* Under an upright thigh the knee stays on the ground whatever the hip does a little. */
static void test_knee_under_its_hip_stays(void** state) {
    (void)state;
    fixture f;
    hf_hold hold;
    set_up(&f);
    assert_false(lift_knee(&f, 0, &hold));
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_knee_leaves_on_its_circle),
                                       cmocka_unit_test(test_knee_under_its_hip_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
