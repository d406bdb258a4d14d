/* Curves of the centre of mass: the pendulum's pressure point, taken here from the places alone, is in its
   region at every knot; what no pendulum can do is said to be outside. */
#include "balance/com_curve.h"
#include "test.h"

#include <math.h>

enum { STEPS = 60 };
static const double STEP_S = 1 / 30.0, HEIGHT_M = 0.9;

static hf_pressure_region box(double x, double y, double half_x, double half_y) {
    return (hf_pressure_region){4,
                                {{x - half_x, y - half_y},
                                 {x + half_x, y - half_y},
                                 {x + half_x, y + half_y},
                                 {x - half_x, y + half_y}}};
}

/* Where a pendulum presses that is there at three moments. */
static double pressed(const double (*p)[2], int k, int x) {
    int before = k > 0 ? k - 1 : 0, after = k < STEPS ? k + 1 : STEPS;
    double a = (p[after][x] - 2 * p[k][x] + p[before][x]) / (STEP_S * STEP_S);
    return p[k][x] - HEIGHT_M / 9.81 * a;
}

/* From the middle of two feet to over the place of a step, on one foot between the two: `swing` knots. */
static double find(int swing, double offset_m, double (*places)[2], const hf_pressure_region** region) {
    static hf_pressure_region both, one, after;
    static double offset[STEPS + 1][2], wish[STEPS + 1][2];
    both = box(0, 0, 0.1, 0.13), one = box(0, -0.085, 0.1, 0.04), after = box(0.2, 0, 0.3, 0.13);
    int lift = (STEPS - swing) / 2, land = lift + swing;
    for (int k = 0; k <= STEPS; k++) {
        region[k] = k < lift ? &both : k <= land ? &one : &after;
        offset[k][0] = offset_m, offset[k][1] = 0;
        wish[k][0] = 0.2 * k / STEPS, wish[k][1] = 0;
    }
    static double height[STEPS + 1];
    for (int k = 0; k <= STEPS; k++) height[k] = HEIGHT_M;
    hf_com_curve c = {STEPS, STEP_S, height, {0, 0, 0}, {0.2, 0, 0}, region, offset, wish, 1};
    hf_workspace* workspace = NULL;
    double outside;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    assert_int_equal(hf_com_curve_find(&c, workspace, places, &outside), HF_OK);
    hf_workspace_free(workspace);
    return outside;
}

static void pressure_stays_in_its_regions(void** state) {
    (void)state;
    double places[STEPS + 1][2];
    const hf_pressure_region* region[STEPS + 1];
    for (int i = 0; i < 2; i++) {
        double offset = 0.02 * i;
        assert_true(find(16, offset, places, region) < 1e-3);
        for (int k = 0; k <= STEPS; k++)
            for (int x = 0; x < 2; x++) {
                double at = pressed((const double(*)[2])places, k, x) + (x == 0 ? offset : 0);
                assert_true(at > region[k]->corners[0][x] - 1e-3);
                assert_true(at < region[k]->corners[2][x] + 1e-3);
            }
        assert_near(places[0][0], 0, 1e-12);
        assert_near(places[STEPS][0], 0.2, 1e-12);
        assert_near(places[STEPS][1], 0, 1e-12);
    }
}

/* Two seconds on one foot from rest over a place that the foot is not under: with w = sqrt(g / h) = 3.3 / s
   the body falls away by cosh 6.6, so that no acceleration within the foot brings it back. */
static void what_cannot_be_is_outside(void** state) {
    (void)state;
    double places[STEPS + 1][2];
    const hf_pressure_region* region[STEPS + 1];
    assert_true(find(STEPS, 0, places, region) > 0.02);
}

/* Drawn together by a share, every corner is that share nearer to the middle, which stays. */
static void regions_are_drawn_together(void** state) {
    (void)state;
    hf_pressure_region whole = {.count = 4, .corners = {{0, 0}, {4, 0}, {4, 2}, {0, 2}}}, inner;
    hf_pressure_region_inward(&whole, 0.25, &inner);
    assert_int_equal(inner.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(inner.corners[i][0] - 2, 0.75 * (whole.corners[i][0] - 2), 1e-12);
        assert_near(inner.corners[i][1] - 1, 0.75 * (whole.corners[i][1] - 1), 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_stays_in_its_regions),
        cmocka_unit_test(what_cannot_be_is_outside),
        cmocka_unit_test(regions_are_drawn_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
