/* A small creature with every kind of joint, turned origins and slanted axes, for tests that must hold
   for any. */
#ifndef HF_TESTS_ODD_CREATURE_H
#define HF_TESTS_ODD_CREATURE_H

#include <errno.h>
#include "test.h"
#include "base/random.h"

static const char odd_urdf[] =
    "<robot name='odd'>"
    "<link name='body'><inertial><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' "
    "iyz='0'/>"
    "</inertial><collision><geometry><box size='.3 .2 .1'/></geometry></collision></link>"
    "<link name='upper arm'><collision><origin xyz='.1 0 0' rpy='0 1.5708 0'/><geometry><capsule "
    "radius='.03' "
    "length='.2'/></geometry></collision></link>"
    "<link name='fore:arm'><collision><geometry><sphere radius='.04'/></geometry></collision></link>"
    "<link name='slider'><collision><geometry><box size='.1 .1 .1'/></geometry></collision></link>"
    "<link name='wheel'><collision><geometry><cylinder radius='.05' "
    "length='.02'/></geometry></collision></link>"
    "<link name='sled'><collision><geometry><box size='.1 .05 .02'/></geometry></collision></link>"
    "<link name='kite'><collision><geometry><sphere radius='.02'/></geometry></collision></link>"
    "<link name='badge'><collision><geometry><box size='.01 .02 .03'/></geometry></collision></link>"
    "<link name='echo'><collision><geometry><sphere radius='.03'/></geometry></collision></link>"
    "<joint name='shoulder' type='revolute'><parent link='body'/><child link='upper arm'/>"
    "<origin xyz='.15 .1 0' rpy='.3 -.4 .5'/><axis xyz='1 2 3'/>"
    "<limit lower='-3' upper='3' velocity='5' effort='10'/></joint>"
    "<joint name='elbow' type='continuous'><parent link='upper arm'/><child link='fore:arm'/>"
    "<origin xyz='.2 0 0' rpy='0 .7 0'/><axis xyz='0 1 0'/></joint>"
    "<joint name='slide' type='prismatic'><parent link='body'/><child link='slider'/>"
    "<origin xyz='-.2 0 .1' rpy='1 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' velocity='1' effort='10'/></joint>"
    "<joint name='axle' type='continuous'><parent link='slider'/><child link='wheel'/>"
    "<origin xyz='0 .1 0' rpy='0 0 2'/><axis xyz='0 0 -1'/></joint>"
    "<joint name='drift' type='planar'><parent link='body'/><child link='sled'/>"
    "<origin xyz='0 0 -.2' rpy='.2 .1 0'/><axis xyz='0 0 1'/></joint>"
    "<joint name='string' type='floating'><parent link='fore:arm'/><child link='kite'/>"
    "<origin xyz='0 0 .3' rpy='0 0 1'/></joint>"
    "<joint name='pin' type='fixed'><parent link='body'/><child link='badge'/>"
    "<origin xyz='.15 0 0' rpy='0 1 0'/></joint>"
    "<joint name='copy' type='revolute'><parent link='badge'/><child link='echo'/>"
    "<origin xyz='.1 0 0'/><axis xyz='0 0 1'/><limit lower='-3' upper='3' velocity='5' effort='10'/>"
    "<mimic joint='shoulder' multiplier='-.5' offset='.2'/></joint>"
    "</robot>";

static inline hf_creature* load_odd_creature(void) {
    char path[1024];
    /* Programs that run at the same time keep apart. */
    snprintf(path, sizeof path, "%s/odd-%s.urdf", test_folder(), program_invocation_short_name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(odd_urdf, 1, strlen(odd_urdf), file);
    fclose(file);
    hf_creature* creature = NULL;
    hf_error error = {0};
    if (hf_creature_load(path, NULL, &creature, &error) != HF_OK) fail_msg("%s", error.message);
    return creature;
}

static inline hf_quat random_quat(hf_random* random) {
    hf_quat q = {hf_random_between(random, -1, 1), hf_random_between(random, -1, 1),
                 hf_random_between(random, -1, 1), hf_random_between(random, -1, 1)};
    return hf_quat_normalize(q);
}

/* Any root pose, joints within their limits. */
static inline void random_pose(const hf_creature* creature, hf_random* random, hf_pose* pose) {
    const hf_creature_view* view = hf_creature_get(creature);
    pose->root.position = hf_v3(hf_random_between(random, -2, 2), hf_random_between(random, -2, 2),
                                hf_random_between(random, -2, 2));
    pose->root.rotation = random_quat(random);
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        double* q = pose->q + joint->q_index;
        for (int k = 0; k < joint->q_count; k++) {
            double low = fmax(joint->lower, -3), high = fmin(joint->upper, 3);
            q[k] = hf_random_between(random, low, high);
        }
        if (joint->type == HF_JOINT_FLOATING) {
            hf_quat r = random_quat(random);
            q[3] = r.w, q[4] = r.x, q[5] = r.y, q[6] = r.z;
        }
    }
    hf_pose_follow(creature, pose->q);
}

#endif
