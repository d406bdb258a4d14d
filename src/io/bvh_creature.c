/* The skeleton of a BVH clip as a rig: angles in the order of the file's channels, limits widened to
   what the clip does, so that the clip is a motion of its own creature. */
#include "io/gltf_clip.h"
#include "base/error.h"
#include "io/skeleton.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
/* Part of the skeleton's height by which a position channel may waver and still count as fixed. */
static const double FIXED_WAVER = 1e-3;

static double wrap_near(double angle, double near) {
    return angle + 2 * PI * round((near - angle) / (2 * PI));
}

/* The same turn has two sets of three angles, each angle known up to full turns: take the nearest. */
void hf_bvh_angles(const hf_clip* clip, int joint, int frame, double angles[3]) {
    const hf_clip_joint* j = &clip->joints[joint];
    const double* values = clip->values + (size_t)frame * (size_t)clip->channel_count + j->first_channel;
    double raw[3] = {0}, other[3], best[3];
    int count = 0;
    for (int i = 0; i < j->channel_count; i++)
        if (j->channels[i] >= 3) raw[count++] = remainder(values[i], 360) * PI / 180;
    double near = 0, far = 0;
    for (int k = 0; k < count; k++) {
        best[k] = wrap_near(raw[k], angles[k]);
        other[k] = wrap_near(k == 1 ? PI - raw[k] : raw[k] + PI, angles[k]);
        near += (best[k] - angles[k]) * (best[k] - angles[k]);
        far += (other[k] - angles[k]) * (other[k] - angles[k]);
    }
    for (int k = 0; k < count; k++) angles[k] = count == 3 && far < near ? other[k] : best[k];
}

/* File axes to the creature's: X ahead, Y left, Z up. BVH figures look along +Z when Y is up, and
   along -Y when Z is up. */
static hf_quat plain_turn(const hf_clip* clip) {
    const double h = 0.70710678118654752440;
    hf_quat y_up = {0.5, 0.5, 0.5, 0.5}, z_up = {h, 0, 0, h};
    return clip->z_up ? z_up : y_up;
}

static hf_vec3 snap(hf_vec3 v) { return hf_v3(round(v.x), round(v.y), round(v.z)); }

/* Where a joint sits in its parent: the offset, or the first frame's channels where they replace it. */
static hf_vec3 rest_offset(const hf_clip* clip, int joint) {
    return hf_clip_joint_pose(clip, joint, clip->frame_count ? 0 : -1).position;
}

/* The clip's range of each position channel around rest, in link axes and metres. */
static void find_slides(const hf_clip* clip, const hf_rig* rig, int frame, hf_rig_joint* joint) {
    hf_vec3 rest = rest_offset(clip, joint->source);
    double widest = 0;
    for (int f = 0; f < clip->frame_count; f++) {
        hf_vec3 p = hf_clip_joint_pose(clip, joint->source, f).position;
        p = hf_scale(hf_rotate(rig->to_link, hf_sub(p, rest)), clip->unit_m);
        const double v[3] = {p.x, p.y, p.z};
        if (f == frame) memcpy(joint->slid, v, sizeof v);
        for (int k = 0; k < 3; k++) {
            joint->slide_lower[k] = fmin(joint->slide_lower[k], v[k] - 1e-9);
            joint->slide_upper[k] = fmax(joint->slide_upper[k], v[k] + 1e-9);
            widest = fmax(widest, fabs(v[k]));
        }
    }
    joint->slides = widest > FIXED_WAVER * fmax(clip->height_m, 1e-3);
}

/* Turns and their limits; `frame` is the one in which the skeleton stands, -1 for none. */
static void find_turns(const hf_clip* clip, const hf_rig* rig, int frame, hf_rig_joint* joint) {
    const hf_clip_joint* j = &clip->joints[joint->source];
    joint->turn_count = 0;
    for (int i = 0; i < j->channel_count; i++) {
        if (j->channels[i] < 3) continue;
        int axis = j->channels[i] - 3;
        joint->turns[joint->turn_count++] =
            snap(hf_rotate(rig->to_link, hf_v3(axis == 0, axis == 1, axis == 2)));
    }
    hf_rig_default_limits(joint);
    double angles[3] = {0};
    for (int f = 0; f < clip->frame_count && joint->turn_count; f++) {
        hf_bvh_angles(clip, joint->source, f, angles);
        if (f == frame) memcpy(joint->turned, angles, sizeof angles);
        for (int k = 0; k < joint->turn_count; k++) {
            joint->lower[k] = fmin(joint->lower[k], angles[k] - 1e-6);
            joint->upper[k] = fmax(joint->upper[k], angles[k] + 1e-6);
        }
    }
}

/* The joint that becomes the root: behind leading joints that have one child and either coincide with
   it or are named like a handle. */
static int body_root(const hf_clip* clip, const int* children, const int* only_child) {
    int root = 0;
    for (;;) {
        int child = only_child[root];
        if (children[root] != 1 || clip->joints[child].end_site || children[child] == 0) return root;
        bool together =
            hf_length(clip->joints[child].offset) < 1e-9 && clip->joints[child].channel_count == 6;
        if (!together && !hf_rig_is_handle(clip->joints[root].name)) return root;
        root = child;
    }
}

static hf_status add_joints(const hf_clip* clip, hf_rig* rig, int* scratch) {
    int n = clip->joint_count, *children = scratch, *only = scratch + n, *rig_of = scratch + 2 * n;
    for (int i = 1; i < n; i++) {
        children[clip->joints[i].parent]++;
        only[clip->joints[i].parent] = i;
    }
    int root = body_root(clip, children, only);
    for (int i = root; i < n; i++) {
        int parent = i == root ? -1 : rig_of[clip->joints[i].parent];
        hf_rig_joint* joint = hf_rig_add(rig, clip->joints[i].name, parent, i);
        if (!joint) return HF_ERROR_MEMORY;
        rig_of[i] = rig->joint_count - 1;
        joint->tip = clip->joints[i].end_site;
        if (i == root) continue;
        hf_vec3 step = hf_scale(hf_rotate(rig->to_link, rest_offset(clip, i)), clip->unit_m);
        joint->position = hf_add(rig->joints[parent].position, step);
    }
    return HF_OK;
}

/* ---- how the skeleton stands ---- */

/* Frames that are looked at, at most. */
enum { MOST_FRAMES = 2000 };
/* A branch at least this long, of the skeleton's size, is a limb of its own. */
static const double LIMB_OF_SIZE = 0.25;
/* How far apart feet are counts less than how high they are. A frame of the clip must be better than the
   posture of the file by this, of the skeleton's size. */
static const double APART = 0.3, BETTER = 0.1;

/* Joints of the rig in one frame of the clip, -1 for the posture of the file; the root upright at the origin.
 */
static void pose_rig(const hf_clip* clip, const hf_rig* rig, int frame, hf_transform* poses) {
    poses[0] = hf_transform_identity();
    for (int i = 1; i < rig->joint_count; i++) {
        const hf_rig_joint* joint = &rig->joints[i];
        hf_transform local = {hf_sub(joint->position, rig->joints[joint->parent].position),
                              hf_quat_identity()};
        if (frame >= 0) {
            hf_transform own = hf_clip_joint_pose(clip, joint->source, frame);
            local.position = hf_scale(hf_rotate(rig->to_link, own.position), clip->unit_m);
            local.rotation = hf_quat_mul(hf_quat_mul(rig->to_link, own.rotation), hf_quat_conj(rig->to_link));
        }
        poses[i] = hf_compose(poses[joint->parent], local);
    }
}

static double tilt_of_root(const hf_clip* clip, const hf_rig* rig, int frame) {
    hf_quat turn = hf_quat_identity();
    if (frame < 0) return 0;
    for (int i = rig->joints[0].source; i >= 0; i = clip->joints[i].parent)
        turn = hf_quat_mul(hf_clip_joint_pose(clip, i, frame).rotation, turn);
    turn = hf_quat_mul(hf_quat_mul(rig->to_link, turn), hf_quat_conj(rig->to_link));
    return hf_acos(fmin(1, fmax(-1, hf_rotate(turn, hf_v3(0, 0, 1)).z)));
}

/* How far along its bones a joint is from where its way to the root meets another joint's way. */
static double own_length(const hf_rig* rig, int joint, int other) {
    double length = 0;
    for (int i = joint; i > 0; i = rig->joints[i].parent) {
        int up = other;
        while (up > i) up = rig->joints[up].parent;
        if (up == i) break;
        length += hf_distance(rig->joints[i].position, rig->joints[rig->joints[i].parent].position);
    }
    return length;
}

/* How far from standing a posture is, in metres: the lowest ends of two limbs not on one level, far apart,
   the root not high above them, or tilted (a radian as much as the skeleton is large). */
static double unlike_standing(const hf_clip* clip, const hf_rig* rig, int frame, double size,
                              hf_transform* poses) {
    pose_rig(clip, rig, frame, poses);
    int low = 0, next = -1;
    for (int i = 0; i < rig->joint_count; i++)
        if (poses[i].position.z < poses[low].position.z) low = i;
    for (int i = 0; i < rig->joint_count; i++)
        if ((next < 0 || poses[i].position.z < poses[next].position.z) &&
            own_length(rig, i, low) > LIMB_OF_SIZE * size && own_length(rig, low, i) > LIMB_OF_SIZE * size)
            next = i;
    if (next < 0) return INFINITY;
    hf_vec3 d = hf_sub(poses[next].position, poses[low].position);
    return d.z + APART * hf_hypot(d.x, d.y) + poses[low].position.z + size * tilt_of_root(clip, rig, frame);
}

/* The size of the skeleton whatever its posture: its longest way from the root along its bones. */
static double size_of(const hf_rig* rig) {
    double size = 0;
    for (int i = 0; i < rig->joint_count; i++) size = fmax(size, own_length(rig, i, 0));
    return size;
}

/* The frame in which the skeleton stands best, -1 where the posture of the file stands about as well. */
static int standing_frame(const hf_clip* clip, const hf_rig* rig, hf_transform* poses) {
    double size = size_of(rig), best = unlike_standing(clip, rig, -1, size, poses) - BETTER * size;
    int step = 1 + clip->frame_count / MOST_FRAMES, found = -1;
    for (int f = 0; f < clip->frame_count; f += step) {
        double unlike = unlike_standing(clip, rig, f, size, poses);
        if (unlike < best) best = unlike, found = f;
    }
    return found;
}

static hf_status stand(const hf_clip* clip, hf_rig* rig, int* frame) {
    hf_transform* poses = hf_alloc((size_t)rig->joint_count, sizeof *poses);
    if (!poses) return HF_ERROR_MEMORY;
    *frame = standing_frame(clip, rig, poses);
    pose_rig(clip, rig, *frame, poses);
    for (int i = 0; i < rig->joint_count; i++) rig->joints[i].standing = poses[i];
    rig->poses = *frame >= 0;
    hf_free(poses);
    return HF_OK;
}

hf_status hf_bvh_rig(const hf_clip* clip, hf_rig* rig, hf_error* error) {
    *rig = (hf_rig){.path = clip->path, .to_link = plain_turn(clip), .unit_m = clip->unit_m};
    int *scratch = hf_alloc(3 * (size_t)clip->joint_count, sizeof *scratch), frame = -1;
    hf_status status = scratch ? add_joints(clip, rig, scratch) : HF_ERROR_MEMORY;
    hf_free(scratch);
    if (status == HF_OK) status = stand(clip, rig, &frame);
    if (status != HF_OK) {
        hf_rig_free(rig);
        return hf_fail_status(error, status, clip->path);
    }
    /* Turn everything so that the creature looks along +X. */
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), hf_rig_facing(rig) * PI / 2);
    rig->to_link = hf_quat_mul(turn, rig->to_link);
    for (int i = 0; i < rig->joint_count; i++) {
        hf_rig_joint* joint = &rig->joints[i];
        joint->position = hf_rotate(turn, joint->position);
        joint->standing.position = hf_rotate(turn, joint->standing.position);
        joint->standing.rotation =
            hf_quat_mul(hf_quat_mul(turn, joint->standing.rotation), hf_quat_conj(turn));
        if (i == 0 || joint->tip) continue;
        find_turns(clip, rig, frame, joint);
        find_slides(clip, rig, frame, joint);
    }
    status = hf_rig_name(rig, error);
    if (status != HF_OK) hf_rig_free(rig);
    return status;
}

static hf_status draft_clip(const hf_clip* clip, hf_creature_draft* draft, hf_error* error) {
    hf_rig rig;
    hf_status status =
        hf_clip_is_gltf(clip->path) ? hf_gltf_clip_rig(clip, &rig, error) : hf_bvh_rig(clip, &rig, error);
    if (status != HF_OK) return status;
    status = hf_rig_draft(&rig, draft, error);
    for (int i = 0; i < clip->warning_count && status == HF_OK; i++)
        if (!hf_lines_add(&draft->warnings, "%s", clip->warnings[i]))
            status = hf_fail_memory(error, clip->path);
    hf_rig_free(&rig);
    return status;
}

hf_status hf_bvh_read_creature(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                               hf_error* error) {
    hf_clip* clip;
    hf_status status = hf_clip_load(path, options->unit_m, &clip, error);
    if (status != HF_OK) return status;
    status = draft_clip(clip, draft, error);
    hf_clip_free(clip);
    return status;
}

hf_status hf_clip_creature(const hf_clip* clip, hf_creature** creature, hf_error* error) {
    HF_REQUIRE(error, clip && creature);
    *creature = NULL;
    hf_creature_draft draft = {0};
    draft.path = hf_arena_text(&draft.arena, clip->path);
    hf_status status = draft.path ? draft_clip(clip, &draft, error) : hf_fail_memory(error, clip->path);
    if (status == HF_OK) status = hf_creature_build(&draft, creature, error);
    hf_creature_draft_free(&draft);
    return status;
}
