/* How a clip's skeleton stands. Most files have it in the posture without rotations; some libraries lay all
   bones along one axis there (LaFAN1 along X, exports of some rigs along Y). Their skeleton stands in those
   frames of the clip in which it is tallest, and of these the one that moves least. In one frame of a walk a
   foot swings and the pelvis is turned, so that the turns of trunk and feet are then taken from many frames:
   of the trunk those in which the body is tall, of a foot those in which the foot is slowest and therefore
   flat on the ground. */
#include "adapt/landmarks.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* A posture without rotations stands where its root is at least this part as high above the lowest joint as
   in any frame: raised arms do not count. */
static const double STANDS = 0.85;
/* Frames at least this part as tall as the tallest one stand. */
static const double TALL = 0.95;
/* Part of a clip's frames in which feet are taken to be flat: less than feet stand in a walk. */
static const double STILL = 0.2;
/* A foot stands where its shank is so steep: cosine of the angle to the vertical. Who kneels or crawls has
   feet that rest on their insteps. */
static const double STEEP = 0.8;
/* A foot that stands in the clip so far from how it is in the file's own posture, rad, is flat as it stands:
   rigs point their toes at rest, by 20 degrees in the CMU library. Less may be the slope of the ground. */
static const double POINTED_RAD = 0.1;
/* Frames that are looked at, at most, and those that a turn is taken from. */
enum { LOOKS = 1000, VOTES = 120 };

double hf_clip_lowest(const hf_clip* clip, const hf_transform* joints) {
    double low = INFINITY;
    for (int i = 0; i < clip->joint_count; i++) low = fmin(low, joints[i].position.z);
    return low;
}

double hf_clip_height(const hf_clip* clip, const hf_transform* joints) {
    double high = -INFINITY;
    for (int i = 0; i < clip->joint_count; i++) high = fmax(high, joints[i].position.z);
    return high - hf_clip_lowest(clip, joints);
}

static double root_height(const hf_clip_body* b, const hf_transform* joints) {
    return joints[b->root].position.z - hf_clip_lowest(b->clip, joints);
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

/* ---- turns of many frames ---- */

/* A frame and how much it moves, or how low it is. */
typedef struct vote {
    double cost;
    int frame;
} vote;

static int by_cost(const void* a, const void* b) {
    const vote *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost) : x->frame - y->frame;
}

hf_vec3 hf_clip_left(const hf_clip_body* b, const hf_transform* joints) {
    hf_vec3 sum = {0, 0, 0};
    for (int role = 0; role < HF_MAX_MARKED; role += 2)
        if (b->limbs[role].there && b->limbs[role + 1].there)
            sum = hf_add(sum, hf_sub(joints[b->limbs[role].upper].position,
                                     joints[b->limbs[role + 1].upper].position));
    return hf_v3(sum.x, sum.y, 0);
}

/* The turn of a joint in a frame, with the body turned about the vertical as at rest. */
static hf_quat facing_turn(hf_clip_body* b, int frame, int joint) {
    hf_clip_forward(b->clip, frame, b->now);
    hf_vec3 now = hf_clip_left(b, b->now), rest = hf_clip_left(b, b->rest);
    double by = hf_atan2(rest.y, rest.x) - hf_atan2(now.y, now.x);
    return hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 0, 1), by), b->now[joint].rotation);
}

/* Of the turns of a joint in these frames the one that is nearest to all others. */
static hf_quat middle_turn(hf_clip_body* b, int joint, const vote* votes, int count) {
    hf_quat turns[VOTES];
    double least = INFINITY;
    int n = count < VOTES ? count : VOTES, best = 0;
    for (int i = 0; i < n; i++) turns[i] = facing_turn(b, votes[(int64_t)i * count / n].frame, joint);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n && sum < least; k++) sum += hf_quat_angle(turns[i], turns[k]);
        if (sum < least) least = sum, best = i;
    }
    return turns[best];
}

static bool is_steep(const hf_clip_limb* leg, const hf_transform* joints) {
    hf_vec3 shank = hf_sub(joints[leg->middle].position, joints[leg->lower].position);
    return shank.z > STEEP * hf_length(shank);
}

/* The frames in which a foot moves least of all those that are looked at, where its shank is steep. */
static int list_still(hf_clip_body* b, const hf_clip_limb* leg, vote* votes) {
    int frames = b->clip->frame_count, step = 1 + frames / LOOKS, looks = 0, count = 0;
    int reach = hf_clip_speed_reach(b->clip) > 0 ? hf_clip_speed_reach(b->clip) : 1;
    for (int f = reach; f + reach < frames; f += step, looks++) {
        hf_clip_forward(b->clip, f - reach, b->now);
        hf_clip_forward(b->clip, f + reach, b->after);
        double way_m = hf_distance(b->now[leg->lower].position, b->after[leg->lower].position);
        if (is_steep(leg, b->now) && is_steep(leg, b->after)) votes[count++] = (vote){way_m, f};
    }
    qsort(votes, (size_t)count, sizeof *votes, by_cost);
    return count < STILL * looks ? count : (int)ceil(STILL * looks);
}

static int list_tall(hf_clip_body* b, vote* votes) {
    int step = 1 + b->clip->frame_count / LOOKS, count = 0, tall = 0;
    for (int f = 0; f < b->clip->frame_count; f += step) {
        hf_clip_forward(b->clip, f, b->now);
        votes[count++] = (vote){-hf_clip_height(b->clip, b->now), f};
    }
    qsort(votes, (size_t)count, sizeof *votes, by_cost);
    while (tall < count && -votes[tall].cost >= TALL * -votes[0].cost) tall++;
    return tall;
}

hf_status hf_clip_stand(hf_clip_body* b) {
    if (b->clip->frame_count < 4 || !(hf_length(hf_clip_left(b, b->rest)) > 0)) return HF_OK;
    vote* votes = hf_alloc((size_t)b->clip->frame_count, sizeof *votes);
    if (!votes) return HF_ERROR_MEMORY;
    bool framed = b->framed || b->clip->fit_m > 0; /* positions have no other posture than those of frames */
    for (int role = 0; role <= HF_RIGHT_LEG; role++) {
        int ankle = b->limbs[role].lower;
        if (!b->limbs[role].there) continue;
        int count = list_still(b, &b->limbs[role], votes);
        if (count == 0) continue;
        hf_quat flat = middle_turn(b, ankle, votes, count);
        hf_vec3 sole = hf_rotate(hf_quat_mul(flat, hf_quat_conj(b->rest[ankle].rotation)), hf_v3(0, 0, 1));
        if (framed || hf_acos(sole.z) > POINTED_RAD) b->rest[ankle].rotation = flat;
    }
    const int trunk[2] = {b->root, b->chest};
    int count = framed ? list_tall(b, votes) : 0;
    for (int i = 0; i < 2 && count > 0; i++)
        b->rest[trunk[i]].rotation = middle_turn(b, trunk[i], votes, count);
    hf_free(votes);
    return HF_OK;
}

/* ---- the posture ---- */

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
    b->framed = true;
}
