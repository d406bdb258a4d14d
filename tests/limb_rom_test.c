/* The limb solver in ranges of motion: whole turns, and what limb and trunk share. */
#include "test_file.h"
#include <holdfast/rom.h>

/* Whole turns of a continuous joint follow the start only where its region allows them. */
static void whole_turns_stay_in_the_region(void** state) {
    (void)state;
#define LINK(name)                                                                                           \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "     \
    "iyz='0'/></inertial></link>"
#define TURN(name, parent, child)                                                                            \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child                \
    "'/><origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint>"
    write_file("turns.urdf", "<robot name='turns'>" LINK("a") LINK("b") LINK("c") TURN("p", "a", "b")
                                 TURN("q", "b", "c") "</robot>");
    write_file("turns.rom.json",
               "{ \"pieces\": [ { \"A\": [[1,0],[-1,0],[0,1],[0,-1]], \"b\": [1,1,1,1] } ] }");
    const char* path = write_file(
        "turns.creature.json",
        "{ \"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"turns.urdf\","
        " \"limbs\": [ { \"name\": \"arm\", \"root\": \"b\", \"effector\": \"c\", \"contact\": { \"name\":"
        " \"tip\", \"offset\": [0.3, 0, 0], \"normal\": [1, 0, 0] } } ],"
        " \"rom\": [ { \"joints\": [\"p\", \"q\"], \"region\": \"turns.rom.json\" } ] }");
    hf_creature* creature;
    hf_error e;
    if (hf_creature_load(path, NULL, &creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    hf_workspace* w;
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    hf_transform base = hf_transform_identity();
    hf_target t = {.kind = HF_TARGET_POSITION};
    t.point = hf_v3(0.3 + 0.3 * cos(0.4) + 0.3 * cos(0.9), 0.3 * sin(0.4) + 0.3 * sin(0.9), 0);
    hf_solve_options o = hf_solve_options_default();
    for (int rom = 0; rom < 2; rom++) {
        double q[2] = {7, -6};
        hf_solve_result result;
        o.use_rom = rom;
        assert_int_equal(hf_limb_solve(creature, &base, &t, &o, w, q, &result), HF_OK);
        assert_int_equal(result.outcome, HF_FOUND);
        if (rom) assert_true(hf_pose_within_rom(creature, q, 1e-6));
        if (!rom) assert_true(fabs(q[0] - 7) < 3.15 && fabs(q[1] + 6) < 3.15);
    }
    hf_workspace_free(w);
    hf_creature_free(creature);
}

/* A region over the waist and the shoulder, of which the limb moves the shoulder alone: what it cannot keep
   it does not call a find. */
static void a_region_shared_with_the_trunk_is_told(void** state) {
    (void)state;
    char urdf[1100], rom[1100], creature[1100];
    snprintf(urdf, sizeof urdf, "%s/waist.urdf", test_folder());
    snprintf(rom, sizeof rom, "%s/waist.rom.json", test_folder());
    snprintf(creature, sizeof creature, "%s/waist.creature.json", test_folder());
    FILE* f = fopen(urdf, "w");
    assert_non_null(f);
    fputs(
        "<robot name='w'><link name='hips'/><link name='chest'/><link name='arm'/><link name='hand'/>"
        "<joint name='waist' type='revolute'><parent link='hips'/><child link='chest'/><axis xyz='0 0 1'/>"
        "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
        "<joint name='shoulder' type='revolute'><parent link='chest'/><child link='arm'/><axis xyz='0 0 1'/>"
        "<limit lower='-1.5' upper='1.5' velocity='1' effort='1'/></joint>"
        "<joint name='wrist' type='fixed'><parent link='arm'/><child link='hand'/><origin xyz='0.4 0 "
        "0'/></joint></robot>",
        f);
    fclose(f);
    f = fopen(rom, "w");
    fputs("{\"joints\": [\"waist\", \"shoulder\"], \"pieces\": [{\"A\": [[1,1],[1,0],[-1,0],[0,1],[0,-1]],"
          " \"b\": [0.5,1,1,1.5,1.5]}]}",
          f);
    fclose(f);
    f = fopen(creature, "w");
    fputs("{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"waist.urdf\", \"trunk\": "
          "[\"hips\", \"chest\"],"
          " \"limbs\": [{\"name\": \"arm\", \"root\": \"arm\", \"effector\": \"hand\", \"contact\": "
          "{\"name\": \"tip\","
          " \"offset\": [0.1,0,0], \"normal\": [1,0,0]}}],"
          " \"rom\": [{\"joints\": [\"waist\", \"shoulder\"], \"region\": \"waist.rom.json\"}]}",
          f);
    fclose(f);
    hf_creature* c;
    hf_error e;
    if (hf_creature_load(creature, NULL, &c, &e) != HF_OK) fail_msg("%s %s %s", e.file, e.field, e.message);
    hf_workspace* w;
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    const hf_creature_view* v = hf_creature_get(c);
    hf_solve_options o = hf_solve_options_default();
    hf_solve_result result;
    hf_pose pose = {hf_transform_identity(), (double[2]){0.4, 0}};
    hf_transform links[4];
    hf_forward(c, &pose, links);
    assert_int_equal(v->limb_count, 1);
    for (int far = 0; far < 2; far++) {
        double turn = 0.4 + (far ? 0.6 : 0.05);
        hf_target t = {.kind = HF_TARGET_POSITION, .point = {0.5 * cos(turn), 0.5 * sin(turn), 0}};
        double q[2] = {0.4, 0};
        assert_int_equal(hf_limb_solve(c, &links[v->limbs[0].base_link], &t, &o, w, q, &result), HF_OK);
        assert_int_equal(result.outcome == HF_FOUND, !far);
        if (far) assert_int_equal(result.stop, HF_STOP_RANGE);
    }
    hf_workspace_free(w);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_turns_stay_in_the_region),
        cmocka_unit_test(a_region_shared_with_the_trunk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
