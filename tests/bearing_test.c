/* Patches drawn in to where an effector's own joints bear the body's weight. */
#include "test.h"

#include "balance/bearing.h"

#include <holdfast/holdfast.h>

typedef struct fixture {
    hf_creature* creature;
    const hf_creature_view* view;
} fixture;

static fixture load(void) {
    fixture f = {0};
    hf_load_options o = hf_load_options_default();
    assert_int_equal(hf_creature_load("data/creatures/human.creature.json", &o, &f.creature, NULL), HF_OK);
    f.view = hf_creature_get(f.creature);
    return f;
}

static int frame_named(const hf_limb* limb, const char* name) {
    for (int i = 0; i < limb->contact_count; i++)
        if (strcmp(limb->contacts[i].name, name) == 0) return i;
    fail();
    return -1;
}

/* The frame's patch flat on the ground, its link at the origin but for a turn that lays the patch down. */
static hf_support lay_down(const fixture* f, const char* limb, const char* name, double least_share) {
    hf_hold hold = {.limb = hf_creature_find_limb(f->creature, limb), .normal = {0, 0, 1}};
    const hf_limb* l = &f->view->limbs[hold.limb];
    hold.frame = frame_named(l, name);
    const hf_contact_frame* c = &l->contacts[hold.frame];
    hf_anchor anchor = {.rotation = hf_quat_between(c->normal, hf_v3(0, 0, -1)), .flat = true};
    hold.point = anchor.point = hf_rotate(anchor.rotation, c->offset);
    bool upright = fabs(c->normal.z) > 0.5; // its sides run along x and y of the link, else along x and z
    hf_support s = {.corner_count = 4, .normal = hold.normal, .friction = 0.5};
    for (int i = 0; i < 4; i++) {
        double a = (i & 1 ? 0.5 : -0.5) * c->patch[0], b = (i & 2 ? 0.5 : -0.5) * c->patch[1];
        hf_vec3 off = upright ? hf_v3(a, b, 0) : hf_v3(a, 0, b);
        s.corners[i] = hf_add(hold.point, hf_rotate(anchor.rotation, off));
    }
    hf_support_spare_joints(f->creature, &hold, &anchor, least_share, &s);
    return s;
}

/* A toe's joint of 30 N m bears a person of 75 kg 4.08 cm beyond its axis; its patch goes on to 6.5 cm. */
static void toes_bear_as_far_as_their_joint(void** state) {
    (void)state;
    fixture f = load();
    hf_support s = lay_down(&f, "left_leg", "tiptoe", 0.5);
    const hf_joint* toe = &f.view->joints[hf_creature_find_joint(f.creature, "l_toe")];
    double most = toe->max_effort / (f.view->mass * HF_GRAVITY_M_S2), low = INFINITY, high = -INFINITY;
    assert_int_equal(s.corner_count, 4);
    for (int i = 0; i < 4; i++) {
        low = fmin(low, s.corners[i].x), high = fmax(high, s.corners[i].x);
        assert_near(fabs(s.corners[i].y), 0.04, 1e-9);
    }
    assert_near(low, 0.015, 1e-9);
    assert_near(high, most, 1e-9);
    hf_creature_free(f.creature);
}

/* Ankles bear the body on the whole sole. */
static void soles_stay(void** state) {
    (void)state;
    fixture f = load();
    hf_support s = lay_down(&f, "right_leg", "sole", 0.5);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 4; i++) low = fmin(low, s.corners[i].x), high = fmax(high, s.corners[i].x);
    assert_near(low, -0.06, 1e-9);
    assert_near(high, 0.13, 1e-9);
    hf_creature_free(f.creature);
}

/* A wrist of 15 N m bears a fifth of the body on fingers: as a share is asked for, they bear nothing, or an
   edge of 2 mm next to the wrist. */
static void fingers_bear_next_to_nothing(void** state) {
    (void)state;
    fixture f = load();
    assert_int_equal(lay_down(&f, "left_arm", "fingers", 0.5).corner_count, 0);
    hf_support s = lay_down(&f, "left_arm", "fingers", 0);
    assert_int_equal(s.corner_count, 4);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 4; i++)
        low = fmin(low, hf_hypot(s.corners[i].y, 0)), high = fmax(high, hf_hypot(s.corners[i].y, 0));
    assert_true(high - low <= 0.002 + 1e-9);
    hf_creature_free(f.creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toes_bear_as_far_as_their_joint),
        cmocka_unit_test(soles_stay),
        cmocka_unit_test(fingers_bear_next_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
