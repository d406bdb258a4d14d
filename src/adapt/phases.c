/* Contact phases of a clip (contact-repositioning-2016 4.2.2, method 9): an effector touches while it is near
   a surface and slow. Joints of captures lie some centimetres inside the body, and captures float and sink:
   how far a joint is from the surface when it touches is found from the capture itself, as the distance at
   which most of its slow frames are, and the tolerance grows with how much that distance varies. */
#include "adapt/phases.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Width of the band of distances in which a touching joint is looked for, m. */
static const double BAND_M = 0.02;
/* Joints lie at most this many times as deep in the body as the creature's contact, and so much more, m:
   people wear shoes, and captures are no better. */
static const double DEPTHS = 2, MORE_M = 0.02;
/* Parts of a leg's and an arm's length that an ankle and a knuckle lie deep in a body, at most: what counts
   for robots whose contacts are at their ankles. */
static const double FOOT_SHARE = 0.18, HAND_SHARE = 0.06;
/* Grounds of captures are not level, and feet float and sink by up to this much, m, for a while: the distance
   at which a foot touches follows its slow frames within FLOAT_S, of which the part LOWEST is lower: the
   lowest of all would be lower by the noise. A slow foot that is higher hovers. */
static const double FLOAT_M = 0.04, FLOAT_S = 0.5, LOWEST = 0.1;
/* A surface that an effector touches faces it: cosine of the angle between, at least. */
static const double FACING = 0.5;
/* An effector that has drifted farther since its phase began touches anew, m. */
static const double DRIFT_M = 0.05;
enum { NEAR = 64 };

/* A joint of the clip that can touch. */
typedef enum probe_kind {
    PROBE_TOE,
    PROBE_ANKLE,
    PROBE_HAND,
    PROBE_MIDDLE_LEG,
    PROBE_MIDDLE_ARM,
    PROBE_SEAT
} probe_kind;
enum { PROBE_KINDS = 6, MAX_PROBES = 2 * (2 + 1 + 1) + 2 + 1 };

typedef struct probe {
    probe_kind kind;
    int role, joint, limb;
    double cap_m; /* farther surfaces are not looked at */
    float *distance, *speed;
    float* floats; /* how much farther than usual a touching joint is, m */
    int16_t* object;
    uint8_t* touches;
} probe;

typedef struct finder {
    const hf_phase_finder* in;
    int frames, reach; /* reach: frames on either side over which a speed is measured */
    int probe_count;
    probe probes[MAX_PROBES];
    double depth[PROBE_KINDS], tolerance[PROBE_KINDS]; /* m; depth below 0: nothing of the kind touches */
    double slow;                                       /* speed below which an effector can touch, m/s */
    hf_vec3* path;                                     /* of one probe */
} finder;

/* ---- where things are ---- */

hf_quat hf_clip_link_turn(const hf_phase_finder* f, int joint, int link) {
    hf_quat turned = hf_quat_mul(f->clip->now[joint].rotation, hf_quat_conj(f->clip->rest[joint].rotation));
    return hf_quat_mul(hf_quat_mul(turned, f->clip->facing), f->creature->rest[link].rotation);
}

static const hf_contact_frame* contact_of(const hf_phase_finder* f, int limb, int frame) {
    return &hf_creature_get(f->creature->creature)->limbs[limb].contacts[frame];
}

hf_vec3 hf_clip_contact_point(const hf_phase_finder* f, int role, int frame, double depth_m) {
    const hf_clip_limb* limb = &f->clip->limbs[role];
    const hf_creature_limb* own = &f->creature->limbs[role];
    const hf_contact_frame* c = contact_of(f, own->limb, frame);
    if (!hf_role_is_leg(role)) return f->clip->now[limb->tip >= 0 ? limb->tip : limb->lower].position;
    hf_vec3 at =
        hf_sub(hf_apply(f->creature->rest[c->link], c->offset), f->creature->rest[own->lower.link].position);
    at = hf_v3(at.x / f->scale, at.y / f->scale, -depth_m);
    hf_quat turned =
        hf_quat_mul(f->clip->now[limb->lower].rotation, hf_quat_conj(f->clip->rest[limb->lower].rotation));
    return hf_add(f->clip->now[limb->lower].position, hf_rotate(hf_quat_mul(turned, f->clip->facing), at));
}

/* Which way the sole faces: down at rest. */
static hf_vec3 sole_way(const finder* f, const probe* p) {
    int joint = f->in->clip->limbs[p->role].lower;
    hf_quat turned =
        hf_quat_mul(f->in->clip->now[joint].rotation, hf_quat_conj(f->in->clip->rest[joint].rotation));
    return hf_rotate(turned, hf_v3(0, 0, -1));
}

/* The nearest surface that allows contact and faces `way` (no direction: any); inside a solid the distance is
   negative. */
static bool nearest_surface(const hf_phase_finder* f, hf_vec3 point, double cap_m, const hf_vec3* way,
                            hf_surface* best) {
    hf_surface near[NEAR];
    const hf_scene* scene = hf_placement_scene(f->placement);
    int count = hf_placement_within(f->placement, point, cap_m, near, NEAR);
    bool found = false;
    for (int i = 0; i < count && i < NEAR; i++) {
        if (!hf_scene_object(scene, near[i].object).contact) continue;
        if (way && hf_dot(near[i].normal, *way) > -FACING) continue;
        if (hf_dot(hf_sub(point, near[i].point), near[i].normal) < 0) near[i].distance = -near[i].distance;
        if (found && fabs(near[i].distance) >= fabs(best->distance)) continue;
        *best = near[i];
        found = true;
    }
    return found;
}

/* ---- probes ---- */

/* How deep a landmark lies over the contact of its limb. Round feet stand under their ankles. */
static double contact_depth(const finder* f, int limb, const hf_mark* from, bool leg) {
    const hf_creature_body* b = f->in->creature;
    const hf_contact_frame* c = contact_of(f->in, limb, 0);
    hf_vec3 at = hf_sub(hf_apply(b->rest[c->link], c->offset), b->rest[from->link].position);
    if (c->ball > 0) return c->ball + (leg ? fabs(at.z) : 0);
    return fabs(hf_dot(at, hf_rotate(b->rest[c->link].rotation, c->normal)));
}

static hf_status add_probe(finder* f, probe_kind kind, int role, int joint, int limb, double depth_m) {
    if (joint < 0 || limb < 0) return HF_OK;
    probe* p = &f->probes[f->probe_count++];
    size_t n = (size_t)f->frames;
    *p = (probe){.kind = kind, .role = role, .joint = joint, .limb = limb};
    double size = role < 0 ? 0 : hf_clip_limb_length(f->in->clip, role);
    double least = kind <= PROBE_ANKLE ? FOOT_SHARE * size : kind == PROBE_HAND ? HAND_SHARE * size : 0;
    bool middle = kind == PROBE_MIDDLE_LEG || kind == PROBE_MIDDLE_ARM;
    p->cap_m = fmax(least, (middle ? 1 : DEPTHS) * depth_m / f->in->scale) + MORE_M;
    p->distance = hf_alloc(n, sizeof *p->distance);
    p->speed = hf_alloc(n, sizeof *p->speed);
    p->floats = hf_alloc(n, sizeof *p->floats);
    p->object = hf_alloc(n, sizeof *p->object);
    p->touches = hf_alloc(n, sizeof *p->touches);
    return p->distance && p->speed && p->floats && p->object && p->touches ? HF_OK : HF_ERROR_MEMORY;
}

static hf_status add_probes(finder* f) {
    hf_status status = HF_OK;
    for (int role = 0; role < HF_MAX_MARKED && status == HF_OK; role++) {
        const hf_clip_limb* c = &f->in->clip->limbs[role];
        const hf_creature_limb* l = &f->in->creature->limbs[role];
        if (!c->there) continue;
        bool leg = hf_role_is_leg(role);
        double depth = contact_depth(f, l->limb, &l->lower, leg);
        if (leg) status = add_probe(f, PROBE_TOE, role, c->tip, l->limb, depth);
        if (status == HF_OK)
            status = add_probe(f, leg ? PROBE_ANKLE : PROBE_HAND, role, leg || c->tip < 0 ? c->lower : c->tip,
                               l->limb, depth);
        if (status == HF_OK && l->middle_limb >= 0)
            status = add_probe(f, leg ? PROBE_MIDDLE_LEG : PROBE_MIDDLE_ARM, role, c->middle, l->middle_limb,
                               contact_depth(f, l->middle_limb, &l->middle, false));
    }
    hf_mark root = {0};
    int seat = f->in->creature->seat;
    if (status == HF_OK && seat >= 0)
        status = add_probe(f, PROBE_SEAT, -1, f->in->clip->root, seat, contact_depth(f, seat, &root, false));
    return status;
}

static void measure_frame(finder* f, int frame) {
    hf_clip_body_set(f->in->clip, frame);
    hf_placement_set_time(f->in->placement, frame * f->in->clip->clip->frame_time_s);
    for (int i = 0; i < f->probe_count; i++) {
        probe* p = &f->probes[i];
        hf_vec3 point = f->in->clip->now[p->joint].position, way;
        bool foot = p->kind == PROBE_TOE || p->kind == PROBE_ANKLE;
        if (foot) way = sole_way(f, p);
        hf_surface s;
        bool near = nearest_surface(f->in, point, p->cap_m, foot ? &way : NULL, &s);
        p->distance[frame] = near ? (float)s.distance : INFINITY;
        p->object[frame] = near ? (int16_t)s.object : -1;
    }
}

/* Speeds of all probes about each frame. */
static void measure_speeds(finder* f) {
    double dt = f->in->clip->clip->frame_time_s;
    for (int i = 0; i < f->probe_count; i++) {
        probe* p = &f->probes[i];
        for (int k = 0; k < f->frames; k++) {
            hf_clip_body_set(f->in->clip, k);
            f->path[k] = f->in->clip->now[p->joint].position;
        }
        for (int k = 0; k < f->frames; k++) {
            int a = k - f->reach < 0 ? 0 : k - f->reach,
                b = k + f->reach < f->frames ? k + f->reach : f->frames - 1;
            p->speed[k] = (float)(hf_distance(f->path[a], f->path[b]) / ((b - a) * dt));
        }
    }
}

/* ---- how deep joints lie ---- */

/* Feet of a noisy capture that stand are as fast as its noise: STILL of the frames are of standing feet, and
   an effector touches at up to NOISE times their speed, but never faster than SLOW_MOST, m/s. */
static const double STILL = 0.1, NOISE = 2.5, SLOW_MOST = 0.15;

static int by_size(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

/* A speed that differs from the default one is the user's, and stays as it is. */
static hf_status find_slow(finder* f) {
    f->slow = f->in->options->contact_speed;
    if (f->slow != hf_retarget_options_default().contact_speed) return HF_OK;
    float* all = hf_alloc((size_t)(4 * f->frames), sizeof *all);
    int count = 0;
    if (!all) return HF_ERROR_MEMORY;
    for (int i = 0; i < f->probe_count; i++)
        for (int k = 0; k < f->frames && f->probes[i].kind <= PROBE_ANKLE; k++)
            all[count++] = f->probes[i].speed[k];
    qsort(all, (size_t)count, sizeof *all, by_size);
    double still = count ? (double)all[(int)(STILL * count)] : 0;
    f->slow = fmax(f->slow, fmin(NOISE * still, SLOW_MOST));
    hf_free(all);
    return HF_OK;
}

/* The band of distances that holds most of the slow frames of a kind's probes: its middle and spread. */
static hf_status find_depth(finder* f, probe_kind kind) {
    float* all = hf_alloc((size_t)(2 * f->frames), sizeof *all);
    if (!all) return HF_ERROR_MEMORY;
    int count = 0, most = 0, at = 0;
    for (int i = 0; i < f->probe_count; i++)
        for (int k = 0; k < f->frames && f->probes[i].kind == kind; k++)
            if ((double)f->probes[i].speed[k] < f->slow && isfinite(f->probes[i].distance[k]))
                all[count++] = f->probes[i].distance[k];
    qsort(all, (size_t)count, sizeof *all, by_size);
    for (int a = 0, b = 0; a < count; a++) {
        while (b < count && (double)(all[b] - all[a]) <= BAND_M) b++;
        if (b - a > most) most = b - a, at = a;
    }
    bool enough = most * f->in->clip->clip->frame_time_s >= f->in->options->shortest_s;
    f->depth[kind] = enough ? (double)all[at + most / 2] : -1;
    double spread = enough ? 0.5 * (double)(all[at + 9 * most / 10] - all[at + most / 10]) : 0;
    f->tolerance[kind] = fmax(f->in->options->contact_m, 2 * spread);
    hf_free(all);
    return HF_OK;
}

/* ---- when they touch ---- */

static probe* find_probe(finder* f, probe_kind kind, int role) {
    for (int i = 0; i < f->probe_count; i++)
        if (f->probes[i].kind == kind && f->probes[i].role == role) return &f->probes[i];
    return NULL;
}

/* The joint that tells how a foot floats: toes stay down when the heel rises. */
static probe* foot_probe(finder* f, int role) {
    probe* toe = find_probe(f, PROBE_TOE, role);
    return toe ? toe : find_probe(f, PROBE_ANKLE, role);
}

/* How much higher than usual a foot is in the slow frames about each frame. */
static void measure_floats(const finder* f, probe* p, float* some) {
    int around = (int)(FLOAT_S / f->in->clip->clip->frame_time_s);
    double usual = f->depth[p->kind];
    for (int frame = 0; frame < f->frames && usual >= 0; frame++) {
        int count = 0;
        for (int k = frame - around < 0 ? 0 : frame - around; k <= frame + around && k < f->frames; k++)
            if ((double)p->speed[k] < f->slow && isfinite(p->distance[k])) some[count++] = p->distance[k];
        qsort(some, (size_t)count, sizeof *some, by_size);
        double low = count ? (double)some[(int)(LOWEST * count)] - usual : 0;
        p->floats[frame] = (float)fmin(fmax(low, -FLOAT_M), FLOAT_M);
    }
}

/* Does the other foot leave this one to carry the body, or float as high? */
static bool carries(const finder* f, const probe* p, const probe* other, int frame) {
    double higher = (double)other->distance[frame] - f->depth[other->kind];
    return (double)other->speed[frame] >= f->slow ||
           higher >= (double)p->floats[frame] - f->tolerance[other->kind];
}

/* A foot beside one that stands lower does not float but hovers: over each run of frames in which it could
   touch, a foot floats at most as high as where it carries the body for the time of a phase. */
static void bound_floats(const finder* f, probe* p, const probe* other, float* most) {
    int shortest = (int)(f->in->options->shortest_s / f->in->clip->clip->frame_time_s) + 1;
    for (int k = 0; k < f->frames;) {
        int first = k, run = 0;
        float highest = 0;
        for (; k < f->frames && (double)p->speed[k] < 2 * f->slow; k++) {
            run = carries(f, p, other, k) ? run + 1 : 0;
            if (run >= shortest) highest = fmaxf(highest, p->floats[k]);
        }
        for (int i = first; i < k; i++) most[i] = highest;
        if (k < f->frames) most[k++] = 0;
    }
}

/* Both feet are measured before either is bounded. */
static hf_status find_floats(finder* f) {
    float* scratch[2] = {hf_alloc((size_t)f->frames, sizeof(float)),
                         hf_alloc((size_t)f->frames, sizeof(float))};
    hf_status status = scratch[0] && scratch[1] ? HF_OK : HF_ERROR_MEMORY;
    probe* feet[2] = {foot_probe(f, HF_LEFT_LEG), foot_probe(f, HF_RIGHT_LEG)};
    for (int i = 0; i < 2 && status == HF_OK; i++)
        if (feet[i]) measure_floats(f, feet[i], scratch[0]);
    for (int i = 0; i < 2 && status == HF_OK; i++)
        if (feet[0] && feet[1]) bound_floats(f, feet[i], feet[1 - i], scratch[i]);
    for (int i = 0; i < 2 && status == HF_OK; i++)
        for (int k = 0; k < f->frames && feet[0] && feet[1]; k++)
            feet[i]->floats[k] = fminf(feet[i]->floats[k], scratch[i][k]);
    for (int i = 0; i < 2 && status == HF_OK; i++) {
        probe* ankle = feet[i] ? find_probe(f, PROBE_ANKLE, feet[i]->role) : NULL;
        if (ankle && ankle != feet[i])
            memcpy(ankle->floats, feet[i]->floats, (size_t)f->frames * sizeof *ankle->floats);
    }
    hf_free(scratch[0]);
    hf_free(scratch[1]);
    return status;
}

static void find_touches(finder* f, probe* p) {
    double depth = f->depth[p->kind], near = f->tolerance[p->kind];
    bool touches = false;
    for (int k = 0; k < f->frames; k++) {
        double beyond = (double)(p->distance[k] - p->floats[k]) - depth, factor = touches ? 2 : 1;
        touches = depth >= 0 && beyond < factor * near && (double)p->speed[k] < factor * f->slow;
        p->touches[k] = touches;
    }
    /* The same backwards, so that a phase begins as early as it ends late. */
    touches = false;
    for (int k = f->frames - 1; k >= 0; k--) {
        double beyond = (double)(p->distance[k] - p->floats[k]) - depth;
        touches = p->touches[k] || (touches && beyond < 2 * near && (double)p->speed[k] < 2 * f->slow);
        p->touches[k] = touches;
    }
}

/* Fills short gaps, then removes short runs. */
static void clean(uint8_t* on, int count, int shortest) {
    for (int value = 1; value >= 0; value--)
        for (int k = 0; k < count;) {
            int end = k;
            while (end < count && on[end] == on[k]) end++;
            bool inner = k > 0 && end < count;
            if (on[k] != value && end - k < shortest && (inner || value == 0))
                memset(on + k, value, (size_t)(end - k));
            k = end;
        }
}

/* ---- phases ---- */

static hf_status add_phase(const finder* f, hf_phases* out, const probe* p, int frame, int first, int last) {
    if (!HF_GROW(out->items, out->capacity, out->count)) return HF_ERROR_MEMORY;
    double dt = f->in->clip->clip->frame_time_s;
    hf_phase* to = &out->items[out->count++];
    *to = (hf_phase){.limb = p->limb, .frame = frame, .object = -1, .first = first, .last = last};
    to->from_s = first * dt, to->to_s = last * dt;
    return HF_OK;
}

/* The point of the clip that touches for a phase, in the frame that is set. */
static hf_vec3 touching_point(const finder* f, const probe* p, int frame) {
    bool foot = p->kind == PROBE_TOE || p->kind == PROBE_ANKLE;
    if (foot && frame == 0)
        return hf_clip_contact_point(f->in, p->role, frame, fmax(0, f->depth[PROBE_ANKLE]));
    return f->in->clip->now[p->joint].position;
}

/* Puts the phase onto the surface that the effector touches in the middle of it; false when there is none. */
static bool place_phase(const finder* f, const probe* p, hf_phase* phase) {
    int middle = (phase->first + phase->last) / 2, step = (phase->last - phase->first) / 8 + 1;
    hf_vec3 sum = hf_v3(0, 0, 0), way = sum;
    int count = 0;
    for (int k = phase->first; k <= phase->last; k += step, count++) {
        hf_clip_body_set(f->in->clip, k);
        sum = hf_add(sum, touching_point(f, p, phase->frame));
    }
    hf_clip_body_set(f->in->clip, middle);
    hf_placement_set_time(f->in->placement, middle * f->in->clip->clip->frame_time_s);
    bool foot = p->kind == PROBE_TOE || p->kind == PROBE_ANKLE;
    if (foot) way = sole_way(f, p);
    hf_surface s;
    hf_vec3 point = hf_scale(sum, 1.0 / count);
    if (!nearest_surface(f->in, point, 2 * p->cap_m, foot ? &way : NULL, &s)) return false;
    phase->object = s.object;
    phase->point = s.point, phase->normal = s.normal;
    /* The part of the way along the surface: what a capture floats or sinks by is no move. */
    hf_vec3 off = hf_sub(s.point, point);
    phase->moved_m = hf_length(hf_sub(off, hf_scale(s.normal, hf_dot(off, s.normal))));
    return true;
}

/* A run of touching frames becomes one phase, or several where the effector drifts away. */
static hf_status split_run(finder* f, hf_phases* out, const probe* p, int frame, int first, int last) {
    int shortest = (int)(f->in->options->shortest_s / f->in->clip->clip->frame_time_s) + 1;
    for (int a = first; a <= last;) {
        hf_clip_body_set(f->in->clip, a);
        hf_vec3 from = touching_point(f, p, frame);
        int b = a;
        for (; b < last; b++) {
            hf_clip_body_set(f->in->clip, b + 1);
            if (hf_distance(touching_point(f, p, frame), from) > DRIFT_M) break;
        }
        /* Between two phases of one run the effector needs time to go from one place to the next. */
        int end = b < last ? b - shortest : b;
        if (end - a >= shortest || (a == first && b == last)) {
            hf_status status = add_phase(f, out, p, frame, a, end);
            if (status != HF_OK) return status;
            if (!place_phase(f, p, &out->items[out->count - 1])) out->count--;
        }
        a = b + 1;
    }
    return HF_OK;
}

/* The frame for a foot that stands on its toes: on a link beyond the effector; -1 where there is none. */
static int toe_frame(const finder* f, int limb) {
    const hf_limb* l = &hf_creature_get(f->in->creature->creature)->limbs[limb];
    for (int i = 0; i < l->contact_count; i++)
        if (l->contacts[i].link != l->effector_link) return i;
    return -1;
}

/* Runs of frames in which `on` has this value. */
static hf_status add_runs(finder* f, hf_phases* out, const probe* p, int frame, const uint8_t* on,
                          int value) {
    hf_status status = HF_OK;
    for (int k = 0; k < f->frames && status == HF_OK;) {
        int end = k;
        while (end < f->frames && on[end] == on[k]) end++;
        if (on[k] == value) status = split_run(f, out, p, frame, k, end - 1);
        k = end;
    }
    return status;
}

/* A foot touches with toe or heel; where it has a frame for the toes alone, the two take turns. */
static hf_status add_foot(finder* f, hf_phases* out, int role, int shortest) {
    probe *toe = find_probe(f, PROBE_TOE, role), *ankle = find_probe(f, PROBE_ANKLE, role);
    if (!ankle) return HF_OK;
    int tip = toe ? toe_frame(f, ankle->limb) : -1;
    for (int k = 0; k < f->frames; k++) {
        bool flat = ankle->touches[k], on = flat || (toe && toe->touches[k]);
        ankle->touches[k] = on ? (flat || tip < 0 ? 1 : 2) : 0;
    }
    /* Short changes between sole and toes are none. */
    for (int k = 0; k < f->frames && tip >= 0;) {
        int end = k;
        while (end < f->frames && ankle->touches[end] == ankle->touches[k]) end++;
        int before = k > 0 ? ankle->touches[k - 1] : 0, after = end < f->frames ? ankle->touches[end] : 0;
        if (ankle->touches[k] && end - k < shortest && (before || after))
            memset(ankle->touches + k, before ? before : after, (size_t)(end - k));
        k = end;
    }
    hf_status status = add_runs(f, out, ankle, 0, ankle->touches, 1);
    if (status == HF_OK && tip >= 0) status = add_runs(f, out, toe, tip, ankle->touches, 2);
    return status;
}

static int by_time(const void* a, const void* b) {
    const hf_phase *x = a, *y = b;
    return x->first != y->first ? x->first - y->first : x->limb - y->limb;
}

static hf_status collect(finder* f, hf_phases* out) {
    int shortest = (int)(f->in->options->shortest_s / f->in->clip->clip->frame_time_s) + 1;
    hf_status status = find_floats(f);
    for (int i = 0; i < f->probe_count && status == HF_OK; i++) {
        find_touches(f, &f->probes[i]);
        clean(f->probes[i].touches, f->frames, shortest);
    }
    for (int role = 0; role <= HF_RIGHT_LEG && status == HF_OK; role++)
        status = add_foot(f, out, role, shortest);
    for (int i = 0; i < f->probe_count && status == HF_OK; i++)
        if (f->probes[i].kind > PROBE_ANKLE)
            status = add_runs(f, out, &f->probes[i], 0, f->probes[i].touches, 1);
    if (out->count) qsort(out->items, (size_t)out->count, sizeof *out->items, by_time);
    return status;
}

hf_status hf_phases_find(const hf_phase_finder* in, hf_phases* phases, double depths[HF_MAX_MARKED]) {
    finder f = {.in = in, .frames = in->clip->frame_count};
    f.reach = hf_clip_speed_reach(in->clip->clip);
    if (f.reach < 1) f.reach = 1;
    f.path = hf_alloc((size_t)f.frames, sizeof *f.path);
    hf_status status = f.path ? add_probes(&f) : HF_ERROR_MEMORY;
    for (int k = 0; k < f.frames && status == HF_OK; k++) measure_frame(&f, k);
    if (status == HF_OK) measure_speeds(&f);
    if (status == HF_OK) status = find_slow(&f);
    for (int kind = 0; kind < PROBE_KINDS && status == HF_OK; kind++)
        status = find_depth(&f, (probe_kind)kind);
    if (status == HF_OK) status = collect(&f, phases);
    for (int role = 0; role < HF_MAX_MARKED; role++)
        depths[role] = fmax(0, f.depth[hf_role_is_leg(role) ? PROBE_ANKLE : PROBE_HAND]);
    for (int i = 0; i < f.probe_count; i++) {
        hf_free(f.probes[i].distance);
        hf_free(f.probes[i].speed);
        hf_free(f.probes[i].floats);
        hf_free(f.probes[i].object);
        hf_free(f.probes[i].touches);
    }
    hf_free(f.path);
    return status;
}
