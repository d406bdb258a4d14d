/* A clip as a motion of the creature that its own file makes. */
#include "base/error.h"
#include "io/gltf_clip.h"

/* World pose of the root link: the clip's joint in metres and Z up, its axes turned to the link's. */
static hf_transform root_pose(const hf_clip* clip, const hf_rig* rig, int frame) {
    hf_transform pose = hf_transform_identity();
    for (int i = rig->joints[0].source; i >= 0; i = clip->joints[i].parent)
        pose = hf_compose(hf_clip_joint_pose(clip, i, frame), pose);
    hf_quat turn = hf_clip_world_turn(clip);
    hf_transform root = {hf_scale(hf_rotate(turn, pose.position), clip->unit_m),
                         hf_quat_mul(hf_quat_mul(turn, pose.rotation), hf_quat_conj(rig->to_link))};
    root.rotation = hf_quat_normalize(root.rotation);
    return root;
}

static void fill_pose(const hf_clip* clip, const hf_rig* rig, const hf_rig_map* map, int frame,
                      hf_pose* pose) {
    pose->root = root_pose(clip, rig, frame);
    for (int i = 1; i < rig->joint_count; i++) {
        const hf_rig_joint* joint = &rig->joints[i];
        if (joint->tip) continue;
        /* q still holds the frame before: the angles stay near it. */
        double angles[3] = {0};
        for (int k = 0; k < joint->turn_count; k++) angles[k] = pose->q[map[i].turns[k]];
        if (hf_clip_is_gltf(clip->path))
            hf_gltf_angles(clip, rig, i, frame, angles);
        else if (joint->turn_count)
            hf_bvh_angles(clip, joint->source, frame, angles);
        for (int k = 0; k < joint->turn_count; k++) pose->q[map[i].turns[k]] = angles[k];
        if (!joint->slides) continue;
        hf_vec3 from = hf_clip_joint_pose(clip, joint->source, 0).position;
        hf_vec3 shift = hf_sub(hf_clip_joint_pose(clip, joint->source, frame).position, from);
        shift = hf_scale(hf_rotate(rig->to_link, shift), clip->unit_m);
        const double v[3] = {shift.x, shift.y, shift.z};
        for (int k = 0; k < 3; k++) pose->q[map[i].slides[k]] = v[k];
    }
}

hf_status hf_clip_motion(const hf_clip* clip, const hf_creature* creature, hf_motion** motion,
                         hf_error* error) {
    HF_REQUIRE(error, clip && creature && motion);
    *motion = NULL;
    if (clip->frame_count == 0)
        return hf_fail(error, HF_ERROR_FORMAT, clip->path, 0, NULL, "the clip has no frames");
    hf_rig rig;
    hf_status status =
        hf_clip_is_gltf(clip->path) ? hf_gltf_clip_rig(clip, &rig, error) : hf_bvh_rig(clip, &rig, error);
    if (status != HF_OK) return status;
    hf_rig_map* map = hf_alloc((size_t)rig.joint_count, sizeof *map);
    double* q = hf_alloc((size_t)hf_creature_get(creature)->q_count, sizeof *q);
    hf_motion* made = NULL;
    if (!map || !q || hf_motion_create(creature, NULL, &made) != HF_OK)
        status = hf_fail_memory(error, clip->path);
    if (status == HF_OK) status = hf_rig_map_joints(&rig, creature, map, error);
    hf_pose pose = {hf_transform_identity(), q};
    for (int f = 0; f < clip->frame_count && status == HF_OK; f++) {
        fill_pose(clip, &rig, map, f, &pose);
        if (!hf_motion_add(made, f * clip->frame_time_s, &pose)) status = hf_fail_memory(error, clip->path);
    }
    hf_free(map);
    hf_free(q);
    hf_rig_free(&rig);
    if (status == HF_OK) {
        /* A recorded motion promises nothing about a scene or about balance. */
        made->claims = HF_CLAIM_LIMITS;
        *motion = made;
    } else {
        hf_motion_free(made);
    }
    return status;
}
