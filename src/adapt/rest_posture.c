/* How a clip's skeleton stands. Most files have it in the posture without rotations; some libraries lay all
   bones along one axis there (LaFAN1 along X, exports of some rigs along Y). Their skeleton stands in those
   frames of the clip in which it is tallest, and of these the one that moves least: feet are flat on the
   ground then. */
#include "adapt/landmarks.h"

#include <math.h>

/* A posture without rotations stands where its root is at least this part as high above the lowest joint as
   in any frame: raised arms do not count. */
static const double STANDS = 0.85;
/* Frames at least this part as tall as the tallest one stand. */
static const double TALL = 0.95;
/* Frames that are looked at, at most. */
enum { LOOKS = 1000 };

static double lowest_of(const hf_clip* clip, const hf_transform* joints) {
    double low = INFINITY;
    for (int i = 0; i < clip->joint_count; i++) low = fmin(low, joints[i].position.z);
    return low;
}

double hf_clip_height(const hf_clip* clip, const hf_transform* joints) {
    double high = -INFINITY;
    for (int i = 0; i < clip->joint_count; i++) high = fmax(high, joints[i].position.z);
    return high - lowest_of(clip, joints);
}

static double root_height(const hf_clip_body* b, const hf_transform* joints) {
    return joints[b->root].position.z - lowest_of(b->clip, joints);
}

/* Squared ways of all joints from a frame to the next. */
static double motion_at(hf_clip_body* b, int frame) {
    double sum = 0;
    int next = frame + 1 < b->clip->frame_count ? frame + 1 : frame - 1;
    hf_clip_forward(b->clip, frame, b->now);
    hf_clip_forward(b->clip, next, b->after);
    for (int i = 0; i < b->clip->joint_count; i++) {
        hf_vec3 way = hf_sub(b->after[i].position, b->now[i].position);
        sum += hf_dot(way, way);
    }
    return sum;
}

void hf_clip_rest(hf_clip_body* b) {
    const hf_clip* clip = b->clip;
    int step = 1 + clip->frame_count / LOOKS, best = -1;
    double tallest = 0, highest = 0, least = INFINITY;
    hf_clip_forward(clip, -1, b->rest);
    for (int f = 0; f < clip->frame_count; f += step) {
        hf_clip_forward(clip, f, b->now);
        tallest = fmax(tallest, hf_clip_height(clip, b->now));
        highest = fmax(highest, root_height(b, b->now));
    }
    if (clip->frame_count < 2 || root_height(b, b->rest) >= STANDS * highest) return;
    for (int f = 0; f < clip->frame_count; f += step) {
        double motion = motion_at(b, f);
        if (hf_clip_height(clip, b->now) >= TALL * tallest && motion < least) least = motion, best = f;
    }
    hf_clip_forward(clip, best, b->rest);
}
