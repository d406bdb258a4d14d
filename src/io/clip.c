/* Clips of any file: which reader, which unit, which frames; poses of their joints. */
#include "base/error.h"
#include "base/memory.h"
#include "io/bvh.h"
#include "io/gltf_clip.h"
#include "io/positions.h"

#include <limits.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

hf_quat hf_clip_joint_turn(const hf_clip* clip, int joint, int frame) {
    const hf_clip_joint* j = &clip->joints[joint];
    hf_quat turn = hf_quat_identity();
    if (frame < 0) return turn;
    const double* values = clip->values + (size_t)frame * (size_t)clip->channel_count + j->first_channel;
    for (int i = 0; i < j->channel_count; i++) {
        if (j->channels[i] < 3) continue;
        int axis = j->channels[i] - 3;
        hf_vec3 unit = hf_v3(axis == 0, axis == 1, axis == 2);
        turn = hf_quat_mul(turn, hf_quat_axis_angle(unit, remainder(values[i], 360) * degree));
    }
    return turn;
}

hf_transform hf_clip_joint_pose(const hf_clip* clip, int joint, int frame) {
    const hf_clip_joint* j = &clip->joints[joint];
    double p[3] = {j->offset.x, j->offset.y, j->offset.z};
    if (frame >= 0) {
        const double* values = clip->values + (size_t)frame * (size_t)clip->channel_count + j->first_channel;
        for (int i = 0; i < j->channel_count; i++)
            if (j->channels[i] < 3) p[j->channels[i]] = values[i];
    }
    hf_transform pose = {hf_v3(p[0], p[1], p[2]), hf_clip_joint_turn(clip, joint, frame)};
    return pose;
}

hf_quat hf_clip_world_turn(const hf_clip* clip) {
    const double h = 0.70710678118654752440;
    hf_quat turn = {h, h, 0, 0};
    return clip->z_up ? hf_quat_identity() : turn;
}

void hf_clip_forward(const hf_clip* clip, int frame, hf_transform* joints) {
    hf_quat turn = hf_clip_world_turn(clip);
    for (int i = 0; i < clip->joint_count; i++) {
        hf_transform local = hf_clip_joint_pose(clip, i, frame);
        local.position = hf_scale(local.position, clip->unit_m);
        hf_transform parent =
            clip->joints[i].parent >= 0 ? joints[clip->joints[i].parent] : (hf_transform){{0, 0, 0}, turn};
        joints[i] = hf_compose(parent, local);
    }
}

bool hf_clip_is_gltf(const char* path) { return hf_text_ends(path, ".glb") || hf_text_ends(path, ".gltf"); }

/* Extents along y and z in one pose, and the root's height over the lowest joint, in file units. */
typedef struct extents {
    double y, z, root_y, root_z;
} extents;

static extents measure(const hf_clip* clip, int frame, hf_transform* poses) {
    hf_vec3 low = {0}, high = {0};
    for (int i = 0; i < clip->joint_count; i++) {
        hf_transform local = hf_clip_joint_pose(clip, i, frame);
        int parent = clip->joints[i].parent;
        poses[i] = parent < 0 ? local : hf_compose(poses[parent], local);
        hf_vec3 p = poses[i].position;
        low = i ? hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)) : p;
        high = i ? hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)) : p;
    }
    hf_vec3 root = poses[0].position;
    extents e = {high.y - low.y, high.z - low.z, root.y - low.y, root.z - low.z};
    return e;
}

/* A unit that is given and this many times the guessed one, or as small a part of it, is likely a mistake. */
static const double ODD_UNIT = 5;

static double nearest_unit(double height) {
    /* Metre, millimetre, centimetre, inch, and 1 / 0.45 inch: the unit of the CMU library. */
    static const double units[] = {1, 0.001, 0.01, 0.0254, 0.0254 / 0.45};
    double best = 1, best_ratio = INFINITY;
    for (int i = 0; i < 5; i++) {
        double ratio = fmax(height * units[i] / 1.7, 1.7 / (height * units[i]));
        if (ratio < best_ratio) {
            best_ratio = ratio;
            best = units[i];
        }
    }
    return best;
}

/* Chooses the unit that makes the skeleton about as tall as a person, and tells. */
static hf_status find_unit(hf_clip* c, const hf_clip_options* options, hf_lines* warnings, hf_error* error) {
    double unit_m = options->unit_m > 0 ? options->unit_m : c->unit_m; /* glTF files know theirs */
    hf_transform* poses = hf_alloc((size_t)c->joint_count, sizeof *poses);
    if (!poses) return hf_fail_memory(error, c->path);
    extents rest = measure(c, -1, poses), first = c->frame_count ? measure(c, 0, poses) : rest;
    double root_z = poses[0].position.z;
    hf_free(poses);
    bool stands = rest.z > 2.5 * rest.y && first.z > 2.5 * first.y;
    bool fitted = hf_text_ends(c->path, ".npy") || hf_text_ends(c->path, ".csv") || hf_clip_is_gltf(c->path);
    if (!fitted) /* others know it */
        c->z_up = stands && root_z > 0.3 * first.z && root_z < 1.2 * first.z;
    if (options->up) c->z_up = options->up == 'z';
    double height = c->z_up ? fmax(fmax(rest.z, first.z), 2 * fmax(rest.root_z, first.root_z))
                            : fmax(fmax(rest.y, first.y), 2 * fmax(rest.root_y, first.root_y));
    if (!(height > 1e-9)) {
        if (unit_m <= 0)
            return hf_fail(error, HF_ERROR_FORMAT, c->path, 0, NULL,
                           "the skeleton has no height to guess the unit from; give the unit");
        height = 0;
    }
    c->unit_guessed = unit_m <= 0;
    c->unit_m = c->unit_guessed ? nearest_unit(height) : unit_m;
    c->height_m = height * c->unit_m;
    c->fit_m *= c->unit_m;
    bool noted = true;
    if (c->z_up && !options->up) noted = hf_lines_add(warnings, "the skeleton stands along Z: read as Z up");
    if (noted && c->unit_guessed)
        noted = hf_lines_add(warnings, "unit guessed: 1 file unit = %.4g m, skeleton %.2f m tall", c->unit_m,
                             c->height_m);
    double guess = height > 0 ? nearest_unit(height) : 0;
    if (noted && !c->unit_guessed && guess > 0 &&
        (c->unit_m > ODD_UNIT * guess || c->unit_m * ODD_UNIT < guess))
        noted = hf_lines_add(warnings,
                             "a unit of %g m makes the skeleton %.4g m tall; %.4g m would make it %.2f m",
                             c->unit_m, c->height_m, guess, height * guess);
    return noted ? HF_OK : hf_fail_memory(error, c->path);
}

hf_clip_options hf_clip_options_default(void) { return (hf_clip_options){.number = -1, .to = -1}; }

/* Keeps the frames from first to last. */
static hf_status cut(hf_clip* c, const hf_clip_options* o, hf_error* error) {
    int last = o->to < 0 ? c->frame_count - 1 : o->to;
    if (o->from == 0 && last == c->frame_count - 1) return HF_OK;
    if (o->from < 0 || last < o->from || last >= c->frame_count)
        return hf_fail(error, HF_ERROR_ARGUMENT, c->path, 0, NULL,
                       "frames %d to %d are asked for, the clip has frames 0 to %d", o->from, last,
                       c->frame_count - 1);
    size_t row = (size_t)c->channel_count;
    c->frame_count = last - o->from + 1;
    memmove(c->values, c->values + row * (size_t)o->from, sizeof(double) * row * (size_t)c->frame_count);
    return HF_OK;
}

static hf_status read_clip(const char* path, const hf_clip_options* options, hf_clip** clip,
                           hf_lines* warnings, hf_error* error) {
    bool table = hf_text_ends(path, ".npy") || hf_text_ends(path, ".csv");
    bool gltf = hf_clip_is_gltf(path);
    if ((options->clip || options->number > 0) && !gltf)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "holds one clip without a name: only glTF files have several to choose from");
    if (gltf) return hf_gltf_clip_read(path, options, clip, warnings, error);
    if (!table) return hf_bvh_read(path, clip, warnings, error);
    hf_positions positions;
    hf_status status = hf_positions_read(path, options, &positions, error);
    if (status != HF_OK) return status;
    status = hf_positions_fit(path, &positions, options, clip, warnings, error);
    hf_positions_free(&positions);
    return status;
}

static hf_status check_options(const char* path, const hf_clip_options* o, hf_error* error) {
    if (!(o->unit_m >= 0 && o->unit_m <= 1e6))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "a unit of %g m is no unit", o->unit_m);
    if (!(o->rate >= 0 && o->rate <= 1e6))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "a rate of %g frames a second is no rate",
                       o->rate);
    return HF_OK;
}

hf_status hf_clip_open(const char* path, const hf_clip_options* options, hf_clip** clip, hf_error* error) {
    HF_REQUIRE(error, path && options && clip);
    *clip = NULL;
    hf_status status = check_options(path, options, error);
    if (status != HF_OK) return status;
    hf_lines warnings = {0};
    hf_clip* c = NULL;
    status = read_clip(path, options, &c, &warnings, error);
    if (status == HF_OK && !(c->path = hf_copy_text(path))) status = hf_fail_memory(error, path);
    if (status == HF_OK && options->rate > 0 && !hf_clip_is_gltf(path)) c->frame_time_s = 1 / options->rate;
    if (status == HF_OK) status = find_unit(c, options, &warnings, error);
    if (status == HF_OK) status = cut(c, options, error);
    if (status == HF_OK) {
        if (!c->clip_count) c->clip_count = 1;
        c->warning_count = warnings.count;
        c->warnings = warnings.items;
        *clip = c;
    } else {
        hf_lines_free(&warnings);
        hf_clip_free(c);
    }
    return status;
}

hf_status hf_clip_count(const char* path, int* count, hf_error* error) {
    HF_REQUIRE(error, path && count);
    *count = 1;
    return hf_clip_is_gltf(path) ? hf_gltf_clip_count(path, count, error) : HF_OK;
}

hf_status hf_clip_load(const char* path, double unit_m, hf_clip** clip, hf_error* error) {
    hf_clip_options options = hf_clip_options_default();
    options.unit_m = unit_m;
    return hf_clip_open(path, &options, clip, error);
}

void hf_clip_free(hf_clip* clip) {
    if (!clip) return;
    for (int i = 0; i < clip->joint_count; i++) hf_free(clip->joints[i].name);
    for (int i = 0; i < clip->warning_count; i++) hf_free(clip->warnings[i]);
    hf_free(clip->warnings);
    hf_free(clip->joints);
    hf_free(clip->values);
    hf_free(clip->path);
    hf_free(clip->name);
    hf_free(clip);
}
