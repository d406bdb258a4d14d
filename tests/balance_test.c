/* Balance: cases with an answer on paper, the rules for patches, forces that add up, no memory in questions.
 */
#include "allocation_count.h"
#include "test.h"
#include "stance_fixture.h"
#define CRANE_FILE "balance-crane"
#include "crane_fixture.h"

static hf_stance* stance;
static hf_workspace* workspace;

static int make(void** state) {
    (void)state;
    return hf_stance_create(&stance) != HF_OK || hf_workspace_create(&workspace) != HF_OK;
}

static int unmake(void** state) {
    (void)state;
    hf_stance_free(stance);
    hf_workspace_free(workspace);
    return 0;
}

static void build(const hf_support* supports, int count, double mass) {
    assert_int_equal(hf_stance_build(stance, supports, count, mass, NULL, workspace), HF_OK);
}

static hf_support level_patch(double x, double y, double z, double half_x, double half_y) {
    return (hf_support){.corner_count = 4,
                        .corners = {{x - half_x, y - half_y, z},
                                    {x + half_x, y - half_y, z},
                                    {x + half_x, y + half_y, z},
                                    {x - half_x, y + half_y, z}},
                        .normal = {0, 0, 1},
                        .friction = 0.5};
}

/* On level ground the region is the corners' convex hull, whatever the friction. */
static void level_ground_has_the_hull(void** state) {
    (void)state;
    hf_support feet[2] = {level_patch(0, 0.1, 0, 0.12, 0.05), level_patch(0, -0.1, 0, 0.12, 0.05)};
    build(feet, 2, 70);
    assert_near(hf_stance_margin(stance, hf_v3(0, 0, 1)), 0.12, 1e-7);
    assert_near(hf_stance_margin(stance, hf_v3(0.1, 0.05, 2)), 0.02, 1e-7);
    assert_near(hf_stance_margin(stance, hf_v3(0.1, 0.14, 2)), 0.01, 1e-7);
    assert_near(hf_stance_margin(stance, hf_v3(0.15, 0, 1)), -0.03, 1e-7);
    assert_near(hf_stance_margin(stance, hf_v3(0.15, 0.19, 1)), -0.05, 1e-7);
    double corners[16];
    assert_int_equal(hf_stance_region(stance, corners, 8), 4);
    /* On one foot, drawn to a triangle: the side at 45 degrees is met straight on. */
    feet[0].corner_count = 3;
    build(feet, 1, 70);
    assert_near(hf_stance_margin(stance, hf_v3(0.1, 0.07, 1)), 0.02, 1e-7);
}

/* One more contact counts as if it had been there from the start. */
static void one_more_contact_is_one_more(void** state) {
    (void)state;
    hf_support feet[2] = {level_patch(0, 0.1, 0, 0.12, 0.05), level_patch(0, -0.1, 0, 0.12, 0.05)};
    double margin;
    build(feet, 1, 70);
    assert_int_equal(hf_stance_margin_with(stance, &feet[1], hf_v3(0.1, 0, 1), workspace, &margin), HF_OK);
    assert_near(margin, 0.02, 1e-7);
    assert_near(hf_stance_margin(stance, hf_v3(0.1, 0, 1)), -0.05, 1e-7);
}

/* One point holds what is right above it, two what is above the line between them. */
static void points_and_lines_have_no_margin(void** state) {
    (void)state;
    hf_support points[2] = {random_point_support(hf_v3(1, 2, 0), hf_v3(0, 0, 1), 0.5),
                            random_point_support(hf_v3(2, 2, 0), hf_v3(0, 0, 1), 0.5)};
    build(points, 1, 10);
    assert_near(hf_stance_margin(stance, hf_v3(1, 2, 5)), 0, 1e-9);
    assert_near(hf_stance_margin(stance, hf_v3(1.3, 2.4, 5)), -0.5, 1e-9);
    build(points, 2, 10);
    assert_near(hf_stance_margin(stance, hf_v3(1.5, 2, 5)), 0, 1e-9);
    assert_near(hf_stance_margin(stance, hf_v3(1.5, 2.1, 5)), -0.1, 1e-9);
    build(points, 0, 10);
    assert_true(hf_stance_margin(stance, hf_v3(0, 0, 0)) == -HF_STANCE_MARGIN_M);
}

/* A slope holds while its angle is within the friction's. */
static void slopes_hold_within_friction(void** state) {
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        double angle = atan(0.5) + (steep ? 0.001 : -0.001);
        hf_support s = random_point_support(hf_v3(0, 0, 0), hf_v3(sin(angle), 0, cos(angle)), 0.5);
        build(&s, 1, 10);
        assert_int_equal(hf_stance_margin(stance, hf_v3(0, 0, 1)) > -1e-6, !steep);
        assert_int_equal(hf_stance_holds(stance, hf_v3(0, 0, 1), hf_v3(0, 0, 0), hf_v3(0, 0, 0)), !steep);
    }
}

/* Two hands pressed against opposing walls carry a body if there is friction at all, wherever it is between
   pushes of any size; smooth walls carry nothing. */
static void walls_hold_by_friction(void** state) {
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        hf_random r = hf_random_start(1, 0, 0);
        hf_support s[2] = {
            random_patch(&r, hf_v3(-0.5, 0, 1), hf_v3(1, 0, 0), smooth ? 0 : 0.3),
            random_patch(&r, hf_v3(0.5, 0, 1), hf_v3(-1, 0, 0), smooth ? 0 : 0.3),
        };
        build(s, 2, 70);
        double margin = hf_stance_margin(stance, hf_v3(0, 0, 0.2));
        assert_true(smooth ? margin == -HF_STANCE_MARGIN_M : margin > 1);
    }
}

/* One hand of 600 N holds 60 kg right under it and no more than that allows. */
static void grips_hold_up_to_their_force(void** state) {
    (void)state;
    hf_support hand = {.corner_count = 1, .corners = {{0.3, 0, 2}}, .grip = true, .max_force = 600};
    build(&hand, 1, 60);
    assert_near(hf_stance_margin(stance, hf_v3(0.3, 0, 1)), 0, 1e-9);
    assert_true(hf_stance_holds(stance, hf_v3(0.3, 0, 1), hf_v3(0, 0, 0.18), hf_v3(0, 0, 0)));
    assert_false(hf_stance_holds(stance, hf_v3(0.3, 0, 1), hf_v3(0, 0, 0.2), hf_v3(0, 0, 0)));
    build(&hand, 1, 62);
    assert_true(hf_stance_margin(stance, hf_v3(0.3, 0, 1)) == -HF_STANCE_MARGIN_M);
    /* With a width of 8 cm across, two corners of 300 N, x = +-4 cm: at x the one carries w (4 - x) / 8 and
       the other w (4 + x) / 8, at most 300 N. */
    hand.corner_count = 2;
    hand.corners[0] = hf_v3(-0.04, 0, 2), hand.corners[1] = hf_v3(0.04, 0, 2);
    build(&hand, 1, 50);
    double corners[8], x = 0.08 * 300 / (50 * HF_GRAVITY_M_S2) - 0.04;
    assert_int_equal(hf_stance_region(stance, corners, 4), 2);
    assert_near(fabs(corners[0]), x, 1e-7);
    assert_near(fabs(corners[2]), x, 1e-7);
}

/* Forward acceleration a shifts the point that must be supported back by h a / g. */
static void accelerations_shift_the_support(void** state) {
    (void)state;
    hf_support foot = level_patch(0, 0, 0, 0.12, 0.05);
    build(&foot, 1, 70);
    for (int far = 0; far < 2; far++) {
        double a = 0.12 * HF_GRAVITY_M_S2 / 0.9 * (far ? 1.001 : 0.999);
        assert_int_equal(hf_stance_holds(stance, hf_v3(0, 0, 0.9), hf_v3(a, 0, 0), hf_v3(0, 0, 0)), !far);
        /* And a change of angular momentum does as much as the moment it needs. */
        double moment = 70 * HF_GRAVITY_M_S2 * 0.05 * (far ? 1.001 : 0.999);
        assert_int_equal(hf_stance_holds(stance, hf_v3(0, 0, 0.9), hf_v3(0, 0, 0), hf_v3(moment, 0, 0)),
                         !far);
        /* Friction is 0.5, and the cone's edges lie along X and Y. */
        a = 0.5 * HF_GRAVITY_M_S2 * (far ? 1.001 : 0.999);
        assert_int_equal(hf_stance_holds(stance, hf_v3(0, 0, 0), hf_v3(a, 0, 0), hf_v3(0, 0, 0)), !far);
    }
}

/* Forces that are handed out lie in their real cones, grips within their force, and sum to what is asked. */
static void forces_add_up(void** state) {
    (void)state;
    int held = 0;
    for (int i = 0; i < 2000; i++) {
        hf_random r = hf_random_start(3, 0, (uint64_t)i);
        random_stance s = random_stance_of((stance_kind)(i % STANCE_KINDS), &r);
        build(s.supports, s.count, s.mass);
        hf_vec3 com = {hf_random_between(&r, -0.3, 0.3), hf_random_between(&r, -0.3, 0.3), 1};
        hf_vec3 a = hf_scale(random_unit(&r), 2), rate = hf_scale(random_unit(&r), 5), forces[32];
        if (!hf_stance_forces(stance, com, a, rate, forces)) continue;
        held++;
        hf_vec3 force = {0, 0, -s.mass * HF_GRAVITY_M_S2}, moment = hf_cross(com, force);
        for (int k = 0, f = 0; k < s.count; k++)
            for (int c = 0; c < s.supports[k].corner_count; c++, f++) {
                const hf_support* u = &s.supports[k];
                force = hf_add(force, forces[f]);
                moment = hf_add(moment, hf_cross(u->corners[c], forces[f]));
                double along = hf_dot(forces[f], u->normal);
                hf_vec3 aside = hf_sub(forces[f], hf_scale(u->normal, along));
                if (u->grip)
                    assert_true(hf_length(forces[f]) <= u->max_force / u->corner_count * (1 + 1e-9));
                else
                    assert_true(hf_length(aside) <= u->friction * along + 1e-6);
            }
        hf_vec3 wanted = hf_scale(a, s.mass);
        assert_near(hf_distance(force, wanted), 0, 1e-5);
        assert_near(hf_distance(moment, hf_add(hf_cross(com, wanted), rate)), 0, 1e-5);
    }
    assert_true(held > 200);
}

#define PATCH_TIP CRANE_TIP ", \"patch\": [0.04, 0.06]"

/* The tip's patch flat on the floor slab, whose edge is at x = 5: 6 cm along X, 4 cm along Y. */
static hf_support patch_at(fixture* x, hf_placement* placement, double at_x, double tilt_x, double tilt_y,
                           bool grip) {
    hf_quat down = hf_quat_axis_angle(hf_v3(0, 1, 0), 1.5707963267948966);
    hf_quat tilt =
        hf_quat_mul(hf_quat_axis_angle(hf_v3(1, 0, 0), tilt_x), hf_quat_axis_angle(hf_v3(0, 1, 0), tilt_y));
    hf_transform link = {{at_x, 0, 0}, hf_quat_mul(tilt, down)};
    link.position = hf_sub(link.position, hf_rotate(link.rotation, hf_v3(0.45, 0, 0)));
    hf_hold contact = {
        .limb = 0, .frame = 0, .object = 0, .grip = grip, .point = {at_x, 0, 0}, .normal = {0, 0, 1}};
    hf_support s;
    hf_support_find(x->creature, placement, &contact, link, &s);
    return s;
}

static void extent(const hf_support* s, double low[2], double high[2]) {
    low[0] = low[1] = INFINITY, high[0] = high[1] = -INFINITY;
    for (int i = 0; i < s->corner_count; i++) {
        low[0] = fmin(low[0], s->corners[i].x), high[0] = fmax(high[0], s->corners[i].x);
        low[1] = fmin(low[1], s->corners[i].y), high[1] = fmax(high[1], s->corners[i].y);
    }
}

static void patches_bear_where_there_is_surface(void** state) {
    (void)state;
    fixture x = {0};
    hf_object_def floor = hf_object_def_default();
    floor.friction = 0.7;
    set_up_with(&x, PATCH_TIP, true, floor);
    hf_placement* placement;
    assert_int_equal(hf_placement_create(x.scene, &placement), HF_OK);
    double low[2], high[2];
    /* All of it. */
    hf_support s = patch_at(&x, placement, 1, 0, 0, false);
    assert_int_equal(s.corner_count, 4);
    assert_true(s.friction == 0.7 && s.max_force == 600 && !s.grip);
    extent(&s, low, high);
    assert_near(low[0], 0.97, 1e-9);
    assert_near(high[0], 1.03, 1e-9);
    assert_near(high[1], 0.02, 1e-9);
    /* 1 cm from the edge: the outer corners are drawn in to it. */
    s = patch_at(&x, placement, 4.99, 0, 0, false);
    assert_int_equal(s.corner_count, 4);
    extent(&s, low, high);
    assert_near(low[0], 4.96, 1e-9);
    assert_true(high[0] <= 5.0006 && high[0] > 4.998);
    /* A grip does not ask what lies under it. */
    s = patch_at(&x, placement, 4.99, 0, 0, true);
    extent(&s, low, high);
    assert_near(high[0], 5.02, 1e-9);
    /* Tilted by 3 degrees about X: the lower edge, which runs along X; about both: one corner. */
    s = patch_at(&x, placement, 1, 0.0524, 0, false);
    assert_int_equal(s.corner_count, 2);
    assert_true(s.corners[0].y < -0.019 && s.corners[1].y < -0.019);
    s = patch_at(&x, placement, 1, 0.0524, 0.0524, false);
    assert_int_equal(s.corner_count, 1);
    assert_true(s.corners[0].y < -0.019 && s.corners[0].x > 1.029);
    /* Within 2 degrees it is flat. */
    s = patch_at(&x, placement, 1, 0.0336, 0, false);
    assert_int_equal(s.corner_count, 4);
    hf_placement_free(placement);
    tear_down(&x);
}

static void movable_objects_support_nobody(void** state) {
    (void)state;
    for (int grip = 0; grip < 2; grip++) {
        fixture x = {0};
        hf_object_def floor = hf_object_def_default();
        floor.movable = true;
        set_up_with(&x, PATCH_TIP, true, floor);
        hf_placement* placement;
        assert_int_equal(hf_placement_create(x.scene, &placement), HF_OK);
        hf_support s = patch_at(&x, placement, 1, 0, 0, grip);
        assert_int_equal(s.corner_count, 0);
        build(&s, 1, 10);
        assert_true(hf_stance_margin(stance, hf_v3(1, 0, 1)) == -HF_STANCE_MARGIN_M);
        hf_placement_free(placement);
        tear_down(&x);
    }
}

/* Bad numbers are refused, and the stance is then one without contacts. */
static void bad_input_is_refused(void** state) {
    (void)state;
    for (int fault = 0; fault < 7; fault++) {
        hf_support s = level_patch(0, 0, 0, 0.1, 0.1);
        double mass = 10;
        int count = 1;
        if (fault == 0) s.corners[2].y = NAN;
        if (fault == 1) s.normal.z = 2;
        if (fault == 2) s.friction = -0.1;
        if (fault == 3) mass = 0;
        if (fault == 4) mass = INFINITY;
        if (fault == 5) s.corner_count = 5;
        if (fault == 6) s.grip = true, s.max_force = NAN;
        assert_int_equal(hf_stance_build(stance, &s, count, mass, NULL, workspace), HF_ERROR_ARGUMENT);
        assert_true(hf_stance_margin(stance, hf_v3(0, 0, 1)) == -HF_STANCE_MARGIN_M);
    }
    hf_support many[HF_STANCE_SUPPORTS + 1] = {{0}};
    assert_int_equal(hf_stance_build(stance, many, HF_STANCE_SUPPORTS + 1, 10, NULL, workspace),
                     HF_ERROR_LIMIT);
    hf_support s = level_patch(0, 0, 0, 0.1, 0.1);
    build(&s, 1, 10);
    assert_true(hf_stance_margin(stance, hf_v3(NAN, 0, 1)) < 0);
    assert_false(hf_stance_holds(stance, hf_v3(0, 0, 1), hf_v3(NAN, 0, 0), hf_v3(0, 0, 0)));
}

/* A wish asks for the nearest place with the margin, or the best there is. */
static void wishes_lead_into_the_region(void** state) {
    (void)state;
    hf_support foot = level_patch(0, 0, 0, 0.12, 0.05);
    build(&foot, 1, 70);
    hf_stance_wish wish = {stance, 0.01};
    hf_vec3 shift;
    assert_near(hf_stance_balance(&wish, hf_v3(0.2, 0.01, 1), &shift), -0.08, 1e-7);
    assert_near(hf_distance(shift, hf_v3(-0.09, 0, 0)), 0, 1e-7);
    assert_near(hf_stance_balance(&wish, hf_v3(0.05, 0.01, 1), &shift), 0.04, 1e-7);
    assert_true(hf_length(shift) == 0);
    wish.margin_m = 0.2; /* more than half its width: the middle line */
    hf_stance_balance(&wish, hf_v3(0, 0.04, 1), &shift);
    assert_near(shift.y, -0.04, 1e-3);
    assert_true(hf_stance_margin(stance, hf_add(hf_v3(0, 0.04, 1), shift)) > 0.049);
}

/* The shipped human stands on both soles and leans 25 cm off to any side: with its feet held, the whole-body
   solver brings it back to a margin of 6 mm and more. */
static void the_body_comes_back_into_balance(void** state) {
    (void)state;
    fixture x = {0};
    hf_error e;
    set_up(&x); /* for its floor */
    hf_creature* human;
    hf_placement* placement;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &human, &e),
                     HF_OK);
    assert_int_equal(hf_placement_create(x.scene, &placement), HF_OK);
    const hf_creature_view* c = hf_creature_get(human);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    hf_pose rest = {.q = calloc((size_t)c->q_count, sizeof(double))};
    hf_pose pose = {.q = calloc((size_t)c->q_count, sizeof(double))};
    hf_pose_rest(human, &rest);
    hf_forward(human, &rest, links);
    /* Soles on the floor. */
    hf_target targets[2];
    hf_support supports[2];
    for (int i = 0; i < 2; i++) {
        int limb = hf_creature_find_limb(human, i ? "right_leg" : "left_leg");
        const hf_contact_frame* sole = &c->limbs[limb].contacts[0];
        if (i == 0) {
            rest.root.position.z -= hf_apply(links[sole->link], sole->offset).z;
            hf_forward(human, &rest, links);
        }
        hf_hold contact = {.limb = limb, .frame = 0, .object = 0, .normal = {0, 0, 1}};
        contact.point = hf_apply(links[sole->link], sole->offset);
        assert_near(contact.point.z, 0, 1e-6);
        hf_support_find(human, placement, &contact, links[sole->link], &supports[i]);
        assert_int_equal(supports[i].corner_count, 4);
        targets[i] = (hf_target){.kind = HF_TARGET_POSE,
                                 .limb = limb,
                                 .contact = 0,
                                 .point = contact.point,
                                 .rotation = links[sole->link].rotation,
                                 .held = true};
    }
    build(supports, 2, c->mass);
    hf_stance_wish wish = {stance, 0.008};
    hf_body_solve_options o = hf_body_solve_options_default();
    o.balance = hf_stance_balance;
    o.balance_user = &wish;
    for (int i = 0; i < 8; i++) {
        pose.root = rest.root;
        memcpy(pose.q, rest.q, sizeof(double) * (size_t)c->q_count);
        double angle = i * 0.785398;
        pose.root.position = hf_add(rest.root.position, hf_v3(0.25 * cos(angle), 0.35 * sin(angle), -0.1));
        hf_forward(human, &pose, links);
        double before = hf_stance_margin(stance, hf_com(human, links));
        hf_solve_result result;
        assert_int_equal(hf_body_solve(human, targets, 2, &o, workspace, &pose, NULL, &result), HF_OK);
        assert_int_equal(result.outcome, HF_FOUND);
        hf_forward(human, &pose, links);
        double after = hf_stance_margin(stance, hf_com(human, links));
        if (!(before < 0 && after >= 0.006))
            fail_msg("side %d: margin %g before, %g after", i, before, after);
    }
    free(pose.q);
    free(rest.q);
    free(links);
    hf_placement_free(placement);
    hf_creature_free(human);
    tear_down(&x);
}

static void questions_and_rebuilding_use_no_heap(void** state) {
    (void)state;
    if (!COUNTS_MEMORY) skip();
    hf_random r = hf_random_start(8, 0, 0);
    random_stance s = random_stance_of(STANCE_CLIMB, &r);
    hf_stance_options options = hf_stance_options_default();
    options.polytope = true;
    assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &options, workspace), HF_OK);
    int before = allocations;
    assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &options, workspace), HF_OK);
    double sum = 0;
    for (int i = 0; i < 100; i++) {
        sum += hf_stance_margin(stance, hf_v3(0.01 * i, 0, 1));
        sum += hf_stance_holds(stance, hf_v3(0.01 * i, 0, 1), hf_v3(0, 0, 0), hf_v3(0, 0, 0));
        sum += hf_stance_forces(stance, hf_v3(0.01 * i, 0, 1), hf_v3(0, 0, 0), hf_v3(0, 0, 0), NULL);
    }
    assert_true(isfinite(sum));
    assert_int_equal(allocations, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_ground_has_the_hull),
        cmocka_unit_test(one_more_contact_is_one_more),
        cmocka_unit_test(points_and_lines_have_no_margin),
        cmocka_unit_test(slopes_hold_within_friction),
        cmocka_unit_test(walls_hold_by_friction),
        cmocka_unit_test(grips_hold_up_to_their_force),
        cmocka_unit_test(accelerations_shift_the_support),
        cmocka_unit_test(forces_add_up),
        cmocka_unit_test(patches_bear_where_there_is_surface),
        cmocka_unit_test(movable_objects_support_nobody),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(wishes_lead_into_the_region),
        cmocka_unit_test(the_body_comes_back_into_balance),
        cmocka_unit_test(questions_and_rebuilding_use_no_heap),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
