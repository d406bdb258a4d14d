/* Resampling for export, and the choice of the writer by the file's ending. */
#include "io/motion_track.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/rig_write.h"

/* More numbers than this make no file that anybody could open. */
static const double MAX_NUMBERS = 5e7;

static void track_free(hf_track* track) {
    hf_free(track->times);
    hf_free(track->roots);
    hf_free(track->q);
    *track = (hf_track){0};
}

static void sample(const hf_motion* motion, const hf_creature* creature, hf_track* track, double step_s) {
    double start = motion->frames[0].time_s, end = motion->frames[motion->frame_count - 1].time_s;
    int frame = 0;
    for (int i = 0; i < track->count; i++) {
        double time = fmin(start + i * step_s, end);
        /* Frames meet samples up to rounding of their times. */
        while (frame + 1 < motion->frame_count && motion->frames[frame].time_s < time - 1e-6 * step_s)
            frame++;
        if (fabs(motion->frames[frame].time_s - time) < 1e-6 * step_s) time = motion->frames[frame].time_s;
        hf_pose pose = {.q = track->q + (size_t)i * (size_t)track->q_count};
        hf_motion_pose(motion, creature, time, &pose);
        hf_pose_follow(creature, pose.q);
        track->times[i] = time;
        track->roots[i] = pose.root;
    }
}

/* Frames a second of a motion, whose frames have equal distances; a single frame has the rate of files. */
static double own_rate(const hf_motion* motion) {
    const double usual = 30;
    double step_s = motion->frame_count > 1 ? motion->frames[1].time_s - motion->frames[0].time_s : 0;
    return step_s > 0 ? 1 / step_s : usual;
}

/* Checks that the motion fits the creature and the scene, then samples it; the last sample holds the
   last pose. Frames that fall on a sample keep their bits. */
static hf_status track_make(const hf_motion* motion, const hf_creature* creature,
                            const hf_export_options* options, const char* path, hf_track* track,
                            hf_error* error) {
    *track = (hf_track){0};
    hf_status status = hf_motion_validate(motion, creature, options->scene, error);
    if (status != HF_OK) return status;
    double fps = options->fps == 0 ? own_rate(motion) : options->fps;
    if (!(fps >= 0.01 && fps <= 10000))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "fps",
                       "%g frames per second: 0.01 to 10000 are written", fps);
    if (motion->frame_count == 0)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "frames", "the motion has no frames");
    double duration = motion->frames[motion->frame_count - 1].time_s - motion->frames[0].time_s;
    double count = ceil(duration * fps - 1e-4) + 1;
    int width = motion->q_count + 8 * hf_creature_get(creature)->link_count;
    if (!(count * width <= MAX_NUMBERS))
        return hf_fail(error, HF_ERROR_LIMIT, path, 0, "frames", "%g s at %g frames per second is too much",
                       duration, fps);
    track->count = (int)count;
    track->q_count = motion->q_count;
    track->fps = fps;
    track->times = hf_alloc((size_t)track->count, sizeof *track->times);
    track->roots = hf_alloc((size_t)track->count, sizeof *track->roots);
    track->q = hf_alloc((size_t)track->count * (size_t)track->q_count, sizeof *track->q);
    if (!track->times || !track->roots || !track->q) {
        track_free(track);
        return hf_fail_memory(error, path);
    }
    sample(motion, creature, track, 1 / fps);
    return HF_OK;
}

hf_export_options hf_export_options_default(void) {
    hf_export_options options = {0};
    return options;
}

/* Each kind of rig comes back as its own kind of file. */
static hf_status write_rig(const hf_creature* creature, const hf_track* track, const hf_rig_source* rig,
                           const char* path, hf_error* error) {
    bool bvh = hf_text_ends(rig->path, ".bvh");
    bool gltf = hf_text_ends(rig->path, ".glb") || hf_text_ends(rig->path, ".gltf");
    if (!bvh && !gltf)
        return hf_fail(error, HF_ERROR_ARGUMENT, rig->path, 0, NULL,
                       "is no rig: .bvh, .glb or .gltf is expected");
    if (!hf_text_ends(path, bvh ? ".bvh" : ".glb"))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "a motion goes back into %s as %s", rig->path,
                       bvh ? ".bvh" : ".glb");
    return bvh ? hf_bvh_rig_write(creature, track, rig, path, error)
               : hf_gltf_rig_write(creature, track, rig, path, error);
}

hf_status hf_motion_export(const hf_motion* motion, const hf_creature* creature,
                           const hf_export_options* options, const char* path, hf_error* error) {
    HF_REQUIRE(error, motion && creature && path);
    hf_export_options defaults = hf_export_options_default();
    if (!options) options = &defaults;
    bool glb = hf_text_ends(path, ".glb"), bvh = hf_text_ends(path, ".bvh");
    if (hf_text_ends(path, ".csv"))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "motions are written as .glb or .bvh; tables are made with hf_trajectory_make and "
                       "written with hf_trajectory_save");
    if (!glb && !bvh)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "motions are written as .glb or .bvh, told by the name's ending");
    hf_track track;
    hf_status status = track_make(motion, creature, options, path, &track, error);
    if (status != HF_OK) return status;
    hf_rig_source rig = {options->rig, options->rig_unit_m};
    if (rig.path)
        status = write_rig(creature, &track, &rig, path, error);
    else if (glb)
        status = hf_glb_write(motion, creature, &track, options->scene, path, error);
    else
        status = hf_bvh_write(creature, &track, path, error);
    track_free(&track);
    return status;
}
