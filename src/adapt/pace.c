/* The pace of a clip on a creature: where the clip's root goes or turns faster than the creature may, or the
   creature's joints would have to, its time is stretched. Everything that follows sees a clip of the same
   rate with a few frames more. */
#include "adapt/landmarks.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Share of the speed limits that the clip's own root may ask for: the creature's differs from it. */
static const double SHARE = 0.8;
/* Time over which a speed is measured, s: shorter than a step, longer than noise. */
static const double SPEED_S = 0.05;
/* Time over which the stretch of speeds is eased, s. */
static const double EASE_S = 0.15;

int hf_clip_speed_reach(const hf_clip* clip) { return (int)(0.5 * SPEED_S / clip->frame_time_s); }

/* How many times too fast the root is from one frame to a later one. */
static double haste(hf_clip_body* b, const hf_body_limits* most, int from, int to) {
    double time_s = (to - from) * b->clip->frame_time_s;
    if (to <= from) return 1;
    hf_clip_forward(b->clip, from, b->now);
    hf_transform before = b->now[b->root];
    hf_clip_forward(b->clip, to, b->now);
    hf_transform root = b->now[b->root];
    double speed = hf_distance(root.position, before.position) / time_s;
    double turn = hf_quat_angle(root.rotation, before.rotation) / time_s;
    return fmax(1, fmax(speed / (SHARE * most->root_speed), turn / (SHARE * most->root_turn)));
}

/* The same about each frame from `first` on, over SPEED_S: from one frame to the next the noise of a capture
   of many frames a second counts for more than the motion. */
static void measure(hf_clip_body* b, const hf_body_limits* most, int first, double* stretch) {
    int last = b->clip->frame_count - 1, reach = hf_clip_speed_reach(b->clip);
    for (int f = 0; f <= last; f++) {
        int from = f - 1 - reach > first ? f - 1 - reach : first, to = f + reach < last ? f + reach : last;
        stretch[f] = f > first ? haste(b, most, from, to) : 1;
    }
}

/* Libraries of captures put the pose without rotations before the first frame: a jump at more than LEAP times
   the limits that the motion then does not repeat. */
int hf_clip_body_first(hf_clip_body* b, const hf_body_limits* most) {
    static const double LEAP = 5;
    if (b->clip->frame_count < 4) return 0;
    return haste(b, most, 0, 1) >= LEAP && haste(b, most, 1, 2) < LEAP;
}

/* The mean over some frames on either side of the largest over the same. */
static void ease(double* x, double* scratch, int count, int around) {
    for (int pass = 0; pass < 2; pass++) {
        memcpy(scratch, x, sizeof *x * (size_t)count);
        for (int i = 0; i < count; i++) {
            double most = 1, sum = 0;
            int n = 0;
            for (int k = i - around; k <= i + around; k++)
                if (k >= 0 && k < count) most = fmax(most, scratch[k]), sum += scratch[k], n++;
            x[i] = pass ? sum / n : most;
        }
    }
}

hf_status hf_clip_body_pace(hf_clip_body* b, const hf_body_limits* most, const double* demand,
                            hf_error* error) {
    int count = b->clip->frame_count, around = (int)(EASE_S / b->clip->frame_time_s) + 1;
    double *stretch = hf_alloc((size_t)count, sizeof *stretch),
           *scratch = hf_alloc((size_t)count, sizeof *scratch);
    hf_status status = stretch && scratch ? HF_OK : hf_fail_memory(error, b->clip->path);
    double total = 0;
    int first = 0;
    if (status == HF_OK) {
        first = hf_clip_body_first(b, most);
        measure(b, most, first, stretch);
        for (int f = first + 1; f < count && demand; f++) stretch[f] = fmax(stretch[f], demand[f] / SHARE);
        ease(stretch, scratch, count, around);
        for (int f = first + 1; f < count; f++) total += stretch[f];
        b->frame_count = (int)ceil(total - 1e-9) + 1;
        b->at = hf_alloc((size_t)b->frame_count, sizeof *b->at);
        if (!b->at) status = hf_fail_memory(error, b->clip->path);
    }
    double passed = 0; /* output frames until clip frame f */
    for (int f = first + 1, k = 0; f < count && status == HF_OK; f++) {
        for (; k < b->frame_count && k <= passed + stretch[f] + 1e-9; k++)
            b->at[k] = fmin(f - 1 + fmax(0, k - passed) / stretch[f], count - 1);
        passed += stretch[f];
        if (f == count - 1)
            for (; k < b->frame_count; k++) b->at[k] = count - 1;
    }
    hf_free(stretch);
    hf_free(scratch);
    return status;
}

/* Shifts all joints as an edited scene does, between a frame of the clip and the next. */
static void shift_joints(hf_clip_body* b, int frame, double share) {
    int next = frame + 1 < b->clip->frame_count ? frame + 1 : frame;
    const hf_vec3 *from = b->shifts + (size_t)frame * HF_PARTS, *to = b->shifts + (size_t)next * HF_PARTS;
    for (int i = 0; i < b->clip->joint_count; i++)
        b->now[i].position = hf_add(b->now[i].position, hf_lerp(from[b->parts[i]], to[b->parts[i]], share));
}

void hf_clip_body_set(hf_clip_body* b, int frame) {
    double at = b->at ? b->at[frame] : frame;
    int first = (int)floor(at), count = b->clip->joint_count;
    double share = at - first;
    hf_clip_forward(b->clip, first, b->now);
    if (share >= 1e-9 && first + 1 < b->clip->frame_count) {
        hf_clip_forward(b->clip, first + 1, b->after);
        for (int i = 0; i < count; i++)
            b->now[i] = (hf_transform){hf_lerp(b->now[i].position, b->after[i].position, share),
                                       hf_quat_slerp(b->now[i].rotation, b->after[i].rotation, share)};
    }
    if (b->shifts) shift_joints(b, first, share);
}
