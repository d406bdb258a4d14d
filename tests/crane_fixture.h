/* A crane over a floor slab, for motions with one known fault each. CRANE_FILE names its files: test programs
   run side by side. */
#ifndef HF_TESTS_CRANE_FIXTURE_H
#define HF_TESTS_CRANE_FIXTURE_H

#include "test_file.h"
#include <holdfast/holdfast.h>

/* A creature of one box trunk and one two-bone arm, over a floor slab. */
static const char urdf[] =
    "<robot name='crane'>"
    "<link name='trunk'><inertial><mass value='10'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>"
    "<collision><geometry><box size='0.4 0.4 0.2'/></geometry></collision></link>"
    "<link name='upper'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>"
    "<collision><origin xyz='0.25 0 0' rpy='0 1.5707963267948966 0'/><geometry><capsule radius='0.05' "
    "length='0.3'/></geometry></collision></link>"
    "<link name='lower'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>"
    "<collision><origin xyz='0.25 0 0' rpy='0 1.5707963267948966 0'/><geometry><capsule radius='0.05' "
    "length='0.3'/></geometry></collision></link>"
    "<joint name='shoulder' type='revolute'><parent link='trunk'/><child link='upper'/><origin xyz='0.25 0 "
    "0'/>"
    "<axis xyz='0 1 0'/><limit lower='-2.5' upper='2.5' velocity='2' effort='10'/></joint>"
    "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/><origin xyz='0.5 0 0'/>"
    "<axis xyz='0 1 0'/><limit lower='-3.1' upper='3.1' velocity='2' effort='10'/></joint>"
    "</robot>";
static const char creature_json[] =
    "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"crane\", \"urdf\": \"" CRANE_FILE
    ".urdf\","
    " \"limbs\": [ { \"name\": \"arm\", \"root\": \"upper\", \"effector\": \"lower\","
    "  \"contact\": { \"name\": \"tip\", %s }, \"grip\": %s } ],"
    " \"limits\": { \"root_speed\": 1, \"root_turn\": 1 } }";

#define CRANE_TIP "\"offset\": [0.45, 0, 0], \"normal\": [1, 0, 0]"

typedef struct fixture {
    hf_creature* creature;
    hf_scene* scene;
    hf_motion* motion;
    hf_check_report report;
} fixture;

static inline void slab(float x, float y, float top, float bottom, float* v, uint32_t* f) {
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int k = 0; k < 8; k++) {
        v[3 * k] = (k & 1) ? x : -x;
        v[3 * k + 1] = (k & 2) ? y : -y;
        v[3 * k + 2] = (k & 4) ? top : bottom;
    }
    memcpy(f, faces, sizeof faces);
}

/* `tip` holds the contact frame's keys beside its name; what the floor has is the caller's but for its shape.
 */
static inline void set_up_with(fixture* x, const char* tip, bool grip, hf_object_def floor) {
    char json[900];
    snprintf(json, sizeof json, creature_json, tip, grip ? "true" : "false");
    write_file(CRANE_FILE ".urdf", urdf);
    const char* path = write_file(CRANE_FILE ".creature.json", json);
    hf_error e;
    if (hf_creature_load(path, NULL, &x->creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    float v[24];
    uint32_t f[36];
    slab(5, 5, 0, -0.5f, v, f);
    floor.name = "floor";
    floor.mesh = (hf_mesh){8, 12, v, f};
    assert_int_equal(hf_scene_build(&floor, 1, &x->scene, &e), HF_OK);
    assert_int_equal(hf_motion_create(x->creature, x->scene, &x->motion), HF_OK);
    x->motion->claims = HF_CLAIM_ALL & ~(unsigned)HF_CLAIM_BALANCE;
}

static inline void set_up(fixture* x) { set_up_with(x, CRANE_TIP, false, hf_object_def_default()); }

static inline void tear_down(fixture* x) {
    hf_check_report_free(&x->report);
    hf_motion_free(x->motion);
    hf_scene_free(x->scene);
    hf_creature_free(x->creature);
}

static inline hf_motion_frame* frame(fixture* x, double t, double height, double shoulder, double elbow) {
    double q[2] = {shoulder, elbow};
    hf_pose pose = {{{0, 0, height}, {1, 0, 0, 0}}, q};
    hf_motion_frame* f = hf_motion_add(x->motion, t, &pose);
    assert_non_null(f);
    return f;
}

static inline void judge(fixture* x) {
    hf_error e;
    hf_check_report_free(&x->report);
    assert_int_equal(hf_check_motion(x->motion, x->creature, x->scene, 2, NULL, NULL, &x->report, &e), HF_OK);
}

/* Arm straight down from a trunk at 0.95 m: the tip is on the floor. */
static inline void hold(fixture* x, hf_motion_frame* f, double px) {
    hf_hold c = {.limb = 0, .frame = 0, .object = 0, .point = {px, 0, 0}, .normal = {0, 0, 1}};
    assert_int_equal(hf_motion_add_contact(x->motion, f, &c), HF_OK);
}

#endif
