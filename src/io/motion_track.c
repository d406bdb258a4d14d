/* Resampling for export, and the choice of the writer by the file's ending. */
#include "io/motion_track.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* More numbers than this make no file that anybody could open. */
static const double MAX_NUMBERS = 5e7;

void hf_track_free(hf_track* track) {
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

hf_status hf_track_make(const hf_motion* motion, const hf_creature* creature,
                        const hf_export_options* options, const char* path, hf_track* track,
                        hf_error* error) {
    *track = (hf_track){0};
    hf_status status = hf_motion_validate(motion, creature, options->scene, error);
    if (status != HF_OK) return status;
    if (!(options->fps >= 0.01 && options->fps <= 10000))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "fps",
                       "%g frames per second: 0.01 to 10000 are written", options->fps);
    if (motion->frame_count == 0)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "frames", "the motion has no frames");
    double duration = motion->frames[motion->frame_count - 1].time_s - motion->frames[0].time_s;
    double count = ceil(duration * options->fps - 1e-4) + 1;
    int width = motion->q_count + 8 * hf_creature_get(creature)->link_count;
    if (!(count * width <= MAX_NUMBERS))
        return hf_fail(error, HF_ERROR_LIMIT, path, 0, "frames", "%g s at %g frames per second is too much",
                       duration, options->fps);
    track->count = (int)count;
    track->q_count = motion->q_count;
    track->fps = options->fps;
    track->times = hf_alloc((size_t)track->count, sizeof *track->times);
    track->roots = hf_alloc((size_t)track->count, sizeof *track->roots);
    track->q = hf_alloc((size_t)track->count * (size_t)track->q_count, sizeof *track->q);
    if (!track->times || !track->roots || !track->q) {
        hf_track_free(track);
        return hf_fail_memory(error, path);
    }
    sample(motion, creature, track, 1 / options->fps);
    return HF_OK;
}

hf_export_options hf_export_options_default(void) {
    hf_export_options options = {.fps = 30};
    return options;
}

hf_status hf_motion_export(const hf_motion* motion, const hf_creature* creature,
                           const hf_export_options* options, const char* path, hf_error* error) {
    HF_REQUIRE(error, motion && creature && path);
    hf_export_options defaults = hf_export_options_default();
    if (!options) options = &defaults;
    bool glb = hf_text_ends(path, ".glb"), bvh = hf_text_ends(path, ".bvh"), csv = hf_text_ends(path, ".csv");
    if (!glb && !bvh && !csv)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "motions are written as .glb, .bvh or .csv, told by the name's ending");
    hf_track track;
    hf_status status = hf_track_make(motion, creature, options, path, &track, error);
    if (status != HF_OK) return status;
    if (glb) status = hf_glb_write(motion, creature, &track, options->scene, path, error);
    if (bvh) status = hf_bvh_write(creature, &track, path, error);
    if (csv) status = hf_csv_write(creature, &track, path, error);
    hf_track_free(&track);
    return status;
}
