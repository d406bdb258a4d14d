/* A scene for a clip that has none: a floor, steps and seats under the places where its feet and hips rest.
 */
#include "adapt/phases.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels that differ by less are one, m. */
static const double LEVEL_M = 0.05;
/* Half of a step along and across the way of the body, and of a seat, m. */
static const double STEP_ALONG = 0.15, STEP_ACROSS = 0.5, SEAT_HALF = 0.25;
/* Hips that rest below this part of their greatest height over the floor sit. */
static const double SEAT_SHARE = 0.7;
/* The floor reaches so far beyond the clip, m. */
static const double FLOOR_M = 5;

typedef struct rest {
    hf_vec3 at; /* on the surface that it rests on */
    bool seat;
} rest;

typedef struct fitter {
    hf_phase_finder in;
    hf_clip_body clip;
    hf_creature_body creature;
    int count, capacity;
    rest* rests;
    hf_vec3 low, high; /* of the root's way */
} fitter;

static bool add_rest(fitter* f, hf_vec3 at, bool seat) {
    if (!HF_GROW(f->rests, f->capacity, f->count)) return false;
    f->rests[f->count++] = (rest){at, seat};
    return true;
}

/* Runs of frames in which a joint is slow; each gives the mean place, `depth` lower. */
static bool find_rests(fitter* f, int joint, double depth, double below_z, bool seat,
                       const hf_retarget_options* o) {
    int frames = f->clip.clip->frame_count, run = 0;
    double dt = f->clip.clip->frame_time_s;
    hf_vec3 sum = {0}, before = {0};
    for (int k = 0; k <= frames; k++) {
        if (k < frames) hf_clip_body_set(&f->clip, k);
        hf_vec3 now = f->clip.now[joint].position;
        bool slow =
            k < frames && (k == 0 || hf_distance(now, before) / dt < 2 * o->contact_speed) && now.z < below_z;
        before = now;
        if (slow) {
            sum = hf_add(sum, now);
            run++;
            continue;
        }
        hf_vec3 mean = hf_scale(sum, run ? 1.0 / run : 0);
        if (run * dt >= o->shortest_s && !add_rest(f, hf_sub(mean, hf_v3(0, 0, depth)), seat)) return false;
        sum = hf_v3(0, 0, 0), run = 0;
    }
    return true;
}

/* How far a contact is below its landmark at rest, at the clip's size. */
static double depth_of(const fitter* f, int limb, int link) {
    const hf_contact_frame* c = &hf_creature_get(f->creature.creature)->limbs[limb].contacts[0];
    hf_vec3 at = hf_apply(f->creature.rest[c->link], c->offset);
    return (f->creature.rest[link].position.z - at.z) / f->in.scale;
}

static bool find_all(fitter* f, const hf_retarget_options* o) {
    double highest = -INFINITY, lowest = INFINITY;
    f->low = hf_v3(INFINITY, INFINITY, INFINITY), f->high = hf_v3(-INFINITY, -INFINITY, -INFINITY);
    for (int k = 0; k < f->clip.clip->frame_count; k++) {
        hf_clip_body_set(&f->clip, k);
        hf_vec3 p = f->clip.now[f->clip.root].position;
        f->low = hf_v3(fmin(f->low.x, p.x), fmin(f->low.y, p.y), fmin(f->low.z, p.z));
        f->high = hf_v3(fmax(f->high.x, p.x), fmax(f->high.y, p.y), fmax(f->high.z, p.z));
        highest = fmax(highest, p.z);
    }
    for (int role = 0; role <= HF_RIGHT_LEG; role++) {
        if (!f->clip.limbs[role].there) continue;
        const hf_creature_limb* l = &f->creature.limbs[role];
        if (!find_rests(f, f->clip.limbs[role].lower, depth_of(f, l->limb, l->lower.link), INFINITY, false,
                        o))
            return false;
    }
    for (int i = 0; i < f->count; i++) lowest = fmin(lowest, f->rests[i].at.z);
    if (f->count == 0 || f->creature.seat < 0) return true;
    double below = lowest + SEAT_SHARE * (highest - lowest);
    return find_rests(f, f->clip.root, depth_of(f, f->creature.seat, 0), below, true, o);
}

/* ---- boxes ---- */

static hf_status add_box(hf_fitted_scene* s, const char* kind, hf_vec3 low, hf_vec3 high, double heading) {
    if (!HF_GROW(s->boxes, s->capacity, s->count)) return HF_ERROR_MEMORY;
    hf_fitted_box* b = &s->boxes[s->count];
    int number = 1;
    for (int i = 0; i < s->count; i++) number += strncmp(s->boxes[i].name, kind, strlen(kind)) == 0;
    *b = (hf_fitted_box){.low = low, .high = high, .heading = heading};
    snprintf(b->name, sizeof b->name, strcmp(kind, "floor") == 0 ? "%s" : "%s_%d", kind, number);
    s->count++;
    return HF_OK;
}

static int by_height(const void* a, const void* b) {
    double x = ((const rest*)a)->at.z, y = ((const rest*)b)->at.z;
    return (x > y) - (x < y);
}

/* The way that the body goes from its lowest rest to its highest, along the ground. */
static double heading_of(const fitter* f) {
    hf_vec3 way = hf_sub(f->rests[f->count - 1].at, f->rests[0].at);
    return hf_hypot(way.x, way.y) > 0.1 ? hf_atan2(way.y, way.x) : 0;
}

/* One box for all rests from a to b, which are of one level; half of the gap to the next level at most. */
static hf_status add_level(const fitter* f, int a, int b, double floor_z, double heading,
                           hf_fitted_scene* s) {
    hf_vec3 low = hf_v3(INFINITY, INFINITY, 0), high = hf_v3(-INFINITY, -INFINITY, 0);
    hf_quat back = hf_quat_axis_angle(hf_v3(0, 0, 1), -heading);
    double top = 0, along = STEP_ALONG;
    for (int i = a; i < b; i++) {
        hf_vec3 p = hf_rotate(back, f->rests[i].at);
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), 0),
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), 0);
        top += f->rests[i].at.z / (b - a);
    }
    for (int i = 0; i < f->count; i++) {
        hf_vec3 p = hf_rotate(back, f->rests[i].at);
        if (i >= a && i < b) continue;
        double gap = fmax(low.x - p.x, p.x - high.x);
        if (gap > 0.05) along = fmin(along, 0.5 * gap);
    }
    hf_vec3 margin = hf_v3(along, STEP_ACROSS, 0);
    low = hf_sub(low, margin), high = hf_add(high, margin);
    low.z = floor_z, high.z = top;
    return add_box(s, "step", low, high, heading);
}

static hf_status add_seat(const rest* r, double floor_z, hf_fitted_scene* s) {
    hf_vec3 half = hf_v3(SEAT_HALF, SEAT_HALF, 0), low = hf_sub(r->at, half), high = hf_add(r->at, half);
    for (int i = 0; i < s->count; i++) {
        const hf_fitted_box* b = &s->boxes[i];
        bool same = strncmp(b->name, "seat", 4) == 0 && fabs(b->high.z - r->at.z) < LEVEL_M &&
                    b->low.x < high.x && b->high.x > low.x && b->low.y < high.y && b->high.y > low.y;
        if (same) return HF_OK;
    }
    low.z = floor_z, high.z = r->at.z;
    return add_box(s, "seat", low, high, 0);
}

static hf_status make_boxes(fitter* f, hf_fitted_scene* s) {
    int steps = 0;
    for (int i = 0; i < f->count; i++)
        if (!f->rests[i].seat) {
            rest r = f->rests[steps];
            f->rests[steps++] = f->rests[i];
            f->rests[i] = r;
        }
    int all = f->count;
    f->count = steps;
    qsort(f->rests, (size_t)steps, sizeof *f->rests, by_height);
    double floor_z = 0, heading = heading_of(f);
    hf_status status = HF_OK;
    for (int a = 0, level = 0; a < steps && status == HF_OK; level++) {
        int b = a + 1;
        while (b < steps && f->rests[b].at.z - f->rests[b - 1].at.z < LEVEL_M) b++;
        if (level == 0) {
            for (int i = a; i < b; i++) floor_z += f->rests[i].at.z / (b - a);
            hf_vec3 far = hf_v3(FLOOR_M, FLOOR_M, 0), low = hf_sub(f->low, far), high = hf_add(f->high, far);
            low.z = floor_z - 1, high.z = floor_z;
            status = add_box(s, "floor", low, high, 0);
        } else {
            status = add_level(f, a, b, floor_z, heading, s);
        }
        a = b;
    }
    for (int i = steps; i < all && status == HF_OK; i++) status = add_seat(&f->rests[i], floor_z, s);
    return status;
}

void hf_fitted_scene_free(hf_fitted_scene* s) {
    if (!s) return;
    hf_free(s->boxes);
    memset(s, 0, sizeof *s);
}

hf_status hf_scene_fit(const hf_clip* clip, const hf_creature* creature, const hf_joint_link* mapping,
                       int mapping_count, const hf_retarget_options* options, hf_fitted_scene* scene,
                       hf_error* error) {
    HF_REQUIRE(error, clip && creature && options && scene && (mapping || !mapping_count));
    hf_fitted_scene_free(scene);
    fitter f = {0};
    hf_status status = hf_clip_body_make(clip, &f.clip, error);
    if (status == HF_OK) status = hf_creature_body_make(creature, &f.creature, error);
    if (status == HF_OK) status = hf_landmarks_match(&f.clip, &f.creature, mapping, mapping_count, error);
    if (status == HF_OK) {
        f.in.scale = hf_landmarks_scale(&f.clip, &f.creature);
        status = find_all(&f, options) ? make_boxes(&f, scene) : HF_ERROR_MEMORY;
        if (status == HF_OK && scene->count == 0)
            status = hf_fail(error, HF_ERROR_ARGUMENT, clip->path, 0, NULL,
                             "no foot of the clip rests anywhere: no scene can be fitted");
        else
            status = hf_fail_status(error, status, clip->path);
    }
    hf_clip_body_free(&f.clip);
    hf_creature_body_free(&f.creature);
    hf_free(f.rests);
    return status;
}
