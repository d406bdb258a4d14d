/* A motion of a creature that a BVH file made, written as that file was: the inverse of hf_clip_motion. */
#include "io/rig_write.h"
#include "base/error.h"
#include "io/euler.h"
#include "io/rig.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct writer {
    const hf_creature* creature;
    const hf_clip* clip; /* as it was */
    const hf_rig* rig;
    hf_rig_map* map;
    int mover;            /* the root joint or the nearest one above it that has position channels */
    hf_transform handles; /* of the joints above the root, as the first frame has them */
    double* values;       /* track->count rows of channel_count */
} writer;

static double* channels_of(const writer* w, int joint, int frame) {
    return w->values + (size_t)frame * (size_t)w->clip->channel_count + w->clip->joints[joint].first_channel;
}

/* The pose of a joint from the top of the file, as the first frame has it. */
static hf_transform first_pose(const hf_clip* clip, int joint) {
    hf_transform pose = hf_transform_identity();
    for (; joint >= 0; joint = clip->joints[joint].parent)
        pose = hf_compose(hf_clip_joint_pose(clip, joint, clip->frame_count ? 0 : -1), pose);
    return pose;
}

static bool shifts(const hf_clip* clip, int joint) {
    for (int i = 0; i < clip->joints[joint].channel_count; i++)
        if (clip->joints[joint].channels[i] < 3) return true;
    return false;
}

static hf_status find_mover(writer* w, hf_error* error) {
    const hf_clip* clip = w->clip;
    int root = w->rig->joints[0].source;
    w->handles = first_pose(clip, clip->joints[root].parent);
    for (w->mover = root; w->mover >= 0 && !shifts(clip, w->mover);) w->mover = clip->joints[w->mover].parent;
    return w->mover >= 0 ? HF_OK
                         : hf_fail(error, HF_ERROR_FORMAT, clip->path, 0, clip->joints[root].name,
                                   "has no position channels, so the motion cannot be written with it");
}

static void put_position(const hf_clip* clip, int joint, hf_vec3 position, double* values) {
    const double p[3] = {position.x, position.y, position.z};
    for (int i = 0; i < clip->joints[joint].channel_count; i++)
        if (clip->joints[joint].channels[i] < 3) values[i] = p[clip->joints[joint].channels[i]];
}

/* The angle channels of a joint: their axes and where the first one stands. They follow each other. */
static int angle_channels(const hf_clip_joint* joint, int axes[3], int* first) {
    int count = 0;
    for (int i = 0; i < joint->channel_count; i++) {
        if (joint->channels[i] < 3) continue;
        if (count == 0) *first = i;
        axes[count++] = joint->channels[i] - 3;
    }
    return count;
}

static hf_status put_root(const writer* w, hf_transform root, int frame, hf_error* error) {
    const hf_clip* clip = w->clip;
    int joint = w->rig->joints[0].source, axes[3], first = 0;
    hf_quat turn = hf_clip_world_turn(clip);
    hf_transform pose = {hf_scale(hf_unrotate(turn, root.position), 1 / clip->unit_m),
                         hf_quat_mul(hf_quat_mul(hf_quat_conj(turn), root.rotation), w->rig->to_link)};
    /* The joint that has position channels goes as far as the root is from where it was in the first frame.
     */
    hf_transform above = first_pose(clip, clip->joints[w->mover].parent);
    hf_vec3 shift = hf_sub(pose.position, first_pose(clip, joint).position);
    hf_vec3 from = hf_clip_joint_pose(clip, w->mover, clip->frame_count ? 0 : -1).position;
    put_position(clip, w->mover, hf_add(from, hf_unrotate(above.rotation, shift)),
                 channels_of(w, w->mover, frame));
    bool three = angle_channels(&clip->joints[joint], axes, &first) == 3 && axes[0] != axes[1] &&
                 axes[1] != axes[2] && axes[0] != axes[2];
    if (!three)
        return hf_fail(error, HF_ERROR_FORMAT, clip->path, 0, clip->joints[joint].name,
                       "needs three angles about different axes to be written with a motion");
    double* values = channels_of(w, joint, frame) + first;
    if (frame > 0) memcpy(values, channels_of(w, joint, frame - 1) + first, 3 * sizeof *values);
    hf_euler_degrees(hf_quat_mul(hf_quat_conj(w->handles.rotation), pose.rotation), axes, values);
    return HF_OK;
}

static void put_joint(const writer* w, int index, const double* q, int frame) {
    const hf_rig_joint* joint = &w->rig->joints[index];
    const hf_clip_joint* j = &w->clip->joints[joint->source];
    double* values = channels_of(w, joint->source, frame);
    for (int i = 0, k = 0; i < j->channel_count; i++)
        if (j->channels[i] >= 3) values[i] = q[w->map[index].turns[k++]] * 180 / PI;
    if (!joint->slides) return;
    hf_vec3 shift = hf_v3(q[w->map[index].slides[0]], q[w->map[index].slides[1]], q[w->map[index].slides[2]]);
    shift = hf_scale(hf_unrotate(w->rig->to_link, shift), 1 / w->clip->unit_m);
    put_position(w->clip, joint->source,
                 hf_add(hf_clip_joint_pose(w->clip, joint->source, 0).position, shift), values);
}

static hf_status put_frames(const writer* w, const hf_track* track, hf_error* error) {
    hf_status status = HF_OK;
    size_t width = (size_t)w->clip->channel_count;
    for (int f = 0; f < track->count && status == HF_OK; f++) {
        /* Channels that nothing moves stay as the first frame has them. */
        if (w->clip->frame_count)
            memcpy(w->values + (size_t)f * width, w->clip->values, width * sizeof(double));
        const double* q = track->q + (size_t)f * (size_t)track->q_count;
        status = put_root(w, track->roots[f], f, error);
        for (int i = 1; i < w->rig->joint_count; i++)
            if (!w->rig->joints[i].tip) put_joint(w, i, q, f);
    }
    return status;
}

static hf_status write_clip(writer* w, const hf_track* track, const char* path, hf_error* error) {
    w->map = hf_alloc((size_t)w->rig->joint_count, sizeof *w->map);
    w->values = hf_alloc((size_t)track->count * (size_t)w->clip->channel_count, sizeof *w->values);
    if (!w->map || !w->values) return hf_fail_memory(error, path);
    hf_status status = hf_rig_map_joints(w->rig, w->creature, w->map, error);
    if (status == HF_OK) status = find_mover(w, error);
    if (status == HF_OK) status = put_frames(w, track, error);
    hf_clip out = *w->clip;
    out.frame_count = track->count;
    out.frame_time_s = 1 / track->fps;
    out.values = w->values;
    return status == HF_OK ? hf_clip_save(&out, path, error) : status;
}

hf_status hf_bvh_rig_write(const hf_creature* creature, const hf_track* track, const hf_rig_source* rig,
                           const char* path, hf_error* error) {
    hf_clip* clip;
    hf_rig joints;
    hf_status status = hf_clip_load(rig->path, rig->unit_m, &clip, error);
    if (status != HF_OK) return status;
    status = hf_bvh_rig(clip, &joints, error);
    if (status == HF_OK) {
        writer w = {.creature = creature, .clip = clip, .rig = &joints};
        status = write_clip(&w, track, path, error);
        hf_free(w.map);
        hf_free(w.values);
        hf_rig_free(&joints);
    }
    hf_clip_free(clip);
    return status;
}
