/* Where the joints of a rig are in the values of the creature that was made from it. */
#include "base/error.h"
#include "io/rig.h"

static hf_status find_joint(const hf_creature* creature, const char* name, const char* path, int* q_index,
                            hf_error* error) {
    int joint = hf_creature_find_joint(creature, name);
    if (joint < 0 || hf_creature_get(creature)->joints[joint].q_count != 1)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "the creature was not made from this file: it has no joint \"%s\"", name);
    *q_index = hf_creature_get(creature)->joints[joint].q_index;
    return HF_OK;
}

hf_status hf_rig_map_joints(const hf_rig* rig, const hf_creature* creature, hf_rig_map* map,
                            hf_error* error) {
    hf_status status = HF_OK;
    char name[200];
    for (int i = 1; i < rig->joint_count && status == HF_OK; i++) {
        const hf_rig_joint* joint = &rig->joints[i];
        for (int k = 0; k < joint->turn_count && !joint->tip && status == HF_OK; k++) {
            hf_rig_turn_name(joint, k, name);
            status = find_joint(creature, name, rig->path, &map[i].turns[k], error);
        }
        for (int k = 0; k < 3 && joint->slides && status == HF_OK; k++) {
            hf_rig_slide_name(joint, k, name);
            status = find_joint(creature, name, rig->path, &map[i].slides[k], error);
        }
    }
    return status;
}
