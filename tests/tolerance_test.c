/* Whatever is made is stricter than what is checked, in every tolerance. */
#include "check/tolerance.h"
#include "model/tolerance.h"
#include "test.h"

#include <holdfast/collision.h>
#include <holdfast/plan.h>

static void makers_are_stricter_than_the_check(void** state) {
    (void)state;
    const struct {
        const char* what;
        double made, checked;
    } rows[] = {
        {"depth", HF_DEPTH_M, CHECK_DEPTH_M},
        {"depth with touch", HF_TOUCH_DEPTH_M, CHECK_TOUCH_DEPTH_M},
        {"depth of thin bodies", HF_FRAME_DEPTH_M / HF_THIN_M, CHECK_DEPTH_SHARE},
        {"their depth with touch", HF_FRAME_TOUCH_DEPTH_M / HF_THICK_M, CHECK_DEPTH_SHARE},
        {"contact", HF_CONTACT_M, CHECK_HOLD_M},
        {"contact's angle", HF_CONTACT_RAD, CHECK_HOLD_RAD},
        {"hold", HF_HELD_M, CHECK_HOLD_M},
        {"hold's angle", HF_HELD_RAD, CHECK_HOLD_RAD},
        {"live hold", HF_LIVE_HELD_M, CHECK_HOLD_M},
        {"live hold's angle", HF_LIVE_HELD_RAD, CHECK_HOLD_RAD},
        {"slip", HF_SLIP_M, CHECK_HOLD_M},
        {"slip's angle", HF_SLIP_RAD, CHECK_HOLD_RAD},
        {"slip between frames", HF_SLIP_BETWEEN_M, CHECK_BETWEEN * CHECK_HOLD_M},
        {"its angle", HF_SLIP_BETWEEN_RAD, CHECK_BETWEEN * CHECK_HOLD_RAD},
        {"flatness", HF_FLAT_RAD, CHECK_FLAT_RAD},
        {"flatness that need not stay as it is", -HF_LEVEL_RAD, -CHECK_FLAT_RAD},
        {"range of motion", HF_ROM_RAD, CHECK_ROM_RAD},
        {"range of motion between", HF_ROM_BETWEEN_RAD, CHECK_ROM_RAD},
        {"limits", HF_LIMIT, CHECK_LIMIT},
        {"speed", HF_SPEED_SHARE, CHECK_SPEED_SHARE},
        {"live speed", HF_LIVE_SPEED_SHARE, 1 + CHECK_SPEED_SHARE},
        {"balance margin", -HF_MARGIN_M, -CHECK_MARGIN_M},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(rows[i].made < rows[i].checked)) fail_msg("%s is not stricter than the check", rows[i].what);
}

static void what_is_made_first_is_strictest(void** state) {
    (void)state;
    assert_true(HF_CONTACT_M < HF_HELD_M && HF_HELD_M < HF_SLIP_M && HF_SLIP_M < HF_SLIP_BETWEEN_M);
    assert_true(HF_CONTACT_RAD < HF_HELD_RAD && HF_HELD_RAD < HF_SLIP_RAD &&
                HF_SLIP_RAD < HF_SLIP_BETWEEN_RAD);
    assert_true(HF_LIVE_HELD_M < HF_SLIP_M && HF_LIVE_HELD_RAD <= HF_SLIP_RAD);
    assert_true(HF_ROM_RAD < HF_ROM_BETWEEN_RAD);
}

static void defaults_are_the_makers(void** state) {
    (void)state;
    assert_true(hf_collision_query_default().depth_m == HF_DEPTH_M);
    assert_true(hf_collision_query_default().touched_depth_m == HF_TOUCH_DEPTH_M);
    assert_true(hf_allowance_default().depth == HF_DEPTH_M);
    assert_true(hf_allowance_default().touched_depth == HF_TOUCH_DEPTH_M);
    assert_true(hf_plan_options_default().margin_m == HF_MARGIN_M);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makers_are_stricter_than_the_check),
        cmocka_unit_test(what_is_made_first_is_strictest),
        cmocka_unit_test(defaults_are_the_makers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
