/* How near joints come to their effort limits, against the moments that statics gives. */
#include "test_file.h"

#include "refine/strain.h"

static const double TOE_NM = 20, TOE_M = 0.1, BODY_KG = 30, FOOT_KG = 0.5;
static const double BODY_M = 0.13, FOOT_M = 0.02; /* centres of mass ahead of the ankle */

static const char urdf[] =
    "<robot name='tiptoe'><link name='body'><inertial><origin xyz='0.13 0 0'/><mass value='30'/><inertia "
    "ixx='1' "
    "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='foot'><inertial><origin "
    "xyz='0.02 0 "
    "-0.04'/><mass value='0.5'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>"
    "<link name='toe'><inertial><origin xyz='0.04 0 0'/><mass value='0.2'/><inertia ixx='.01' iyy='.01' "
    "izz='.01' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='ankle' type='revolute'><parent "
    "link='body'/><child "
    "link='foot'/><origin xyz='0 0 -0.5'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='9' "
    "effort='900'/></joint><joint name='toe_joint' type='revolute'><parent link='foot'/><child "
    "link='toe'/><origin "
    "xyz='0.1 0 -0.08'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='9' "
    "effort='20'/></joint></robot>";
static const char json[] =
    "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"tiptoe\", \"urdf\": \"tiptoe.urdf\", "
    "\"limbs\": "
    "[ { \"name\": \"leg\", \"root\": \"foot\", \"effector\": \"foot\", \"contact\": [ { \"name\": \"sole\", "
    "\"offset\": [0, 0, -0.1], \"normal\": [0, 0, -1], \"patch\": [0.1, 0.08] }, { \"name\": \"tiptoe\", "
    "\"link\": "
    "\"toe\", \"offset\": [0.04, 0, -0.02], \"normal\": [0, 0, -1], \"patch\": [0.08, 0.08] } ] } ] }";

enum { FRAMES = 7 };

/* A body at rest on its toes alone: their joint bears the moment of all that stands above it about its axis,
   wherever the ground presses on the toes. */
static void toes_bear_what_stands_on_them(void** state) {
    (void)state;
    hf_creature* c = NULL;
    hf_workspace* workspace = NULL;
    hf_schedule* s = NULL;
    hf_error e = {0};
    write_file("tiptoe.urdf", urdf);
    write_file("tiptoe.creature.json", json);
    if (hf_creature_load(test_path("tiptoe.creature.json"), NULL, &c, &e) != HF_OK) fail_msg("%s", e.message);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    assert_int_equal(hf_schedule_create(c, 30, &s), HF_OK);
    const hf_limb* leg = &hf_creature_get(c)->limbs[0];
    int tiptoe = strcmp(leg->contacts[0].name, "tiptoe") == 0 ? 0 : 1;
    assert_string_equal(leg->contacts[tiptoe].name, "tiptoe");
    hf_held held = {.world = {.limb = 0, .frame = tiptoe, .point = {0.14, 0, 0}, .normal = {0, 0, 1}}};
    held.support =
        (hf_support){.corner_count = 4,
                     .corners = {{0.1, 0.04, 0}, {0.1, -0.04, 0}, {0.18, -0.04, 0}, {0.18, 0.04, 0}},
                     .normal = {0, 0, 1},
                     .friction = 0.8};
    double q[2] = {0, 0};
    hf_motion_frame frames[FRAMES];
    for (int i = 0; i < FRAMES; i++)
        frames[i] = (hf_motion_frame){.time_s = i / 30.0, .root = hf_transform_identity(), .q = q},
        frames[i].root.position.z = 0.6;
    hf_motion motion = {.frame_count = FRAMES, .frames = frames};
    hf_schedule_hold hold = {.hold = held.world, .from_s = 0, .to_s = frames[FRAMES - 1].time_s};
    hf_schedule made = *s;
    made.hold_count = 1, made.holds = &hold;
    hf_strain strain = {c, &motion, &made, &held, workspace};
    double moment = HF_GRAVITY_M_S2 * (BODY_KG * (BODY_M - TOE_M) + FOOT_KG * (FOOT_M - TOE_M));
    // a moment of half a thousandth of the weight times a metre may be missing: 1.8 % of this one
    bool bears;
    assert_int_equal(hf_strain_bears(&strain, FRAMES / 2, 1.01 * moment / TOE_NM, &bears), HF_OK);
    assert_true(bears);
    assert_int_equal(hf_strain_bears(&strain, FRAMES / 2, 0.97 * moment / TOE_NM, &bears), HF_OK);
    assert_false(bears);
    hf_schedule_free(s);
    hf_workspace_free(workspace);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(toes_bear_what_stands_on_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
