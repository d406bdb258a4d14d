/* Given poses at other rates: to be timed anew, or as they are. */
#include "refine/given_poses.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/ends.h"

#include <math.h>

static const double SAME_FRAME = 1e-6; /* frames: a time this near to a frame is on it */

enum { AT_REST = 2 }; /* samples by which the ends of given poses are repeated, so that they are at rest */

/* A given time when both ends last `rest_s` longer. */
static double rested_time(double t, double end_s, double rest_s) {
    return t <= 0 ? 0 : t >= end_s ? end_s + 2 * rest_s : t + rest_s;
}

/* Puts the limbs that hold at a given time exactly onto their holds: as given they may be a little beside,
   and what one stretch leaves beside the next one would put back at once. */
static hf_status keep_holds(const hf_creature* creature, const hf_stretch* stretch, double time_s,
                            hf_workspace* workspace, hf_transform* links, hf_pose* pose) {
    const hf_schedule* given = stretch->given;
    hf_status status = HF_OK;
    for (int i = 0; i < given->hold_count && status == HF_OK; i++) {
        const hf_held* h = &stretch->list.held[i];
        if (given->holds[i].from_s > time_s || given->holds[i].to_s < time_s) continue;
        bool kept;
        hf_vec3 miss;
        hf_forward(creature, pose, links);
        status = hf_held_keep(creature, h, HF_KEEP_SOON, workspace, links, pose->q, &kept, &miss);
    }
    return status;
}

hf_status hf_given_sample(const hf_creature* creature, const hf_stretch* stretch, hf_pose_spline* spline,
                          double rate, hf_workspace* workspace, hf_parts* own, hf_schedule** out) {
    const hf_schedule* given = stretch->given;
    double end_s = given->knots[given->knot_count - 1].time_s;
    int count = (int)fmax(4, ceil(end_s * rate - 1e-6)) + 1;
    double step_s = end_s / (count - 1), rest_s = AT_REST * step_s;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_pose pose = {.q = hf_workspace_take(workspace, (size_t)given->q_count + 1, sizeof(double))};
    hf_transform* links = hf_workspace_take(workspace, (size_t)creature->view.link_count, sizeof *links);
    hf_status status = pose.q && links ? hf_schedule_create(creature, rate, out) : HF_ERROR_MEMORY;
    for (int i = -AT_REST; i < count + AT_REST && status == HF_OK; i++) {
        double t = fmin(end_s, fmax(0, i * step_s));
        hf_pose_spline_at(spline, t, &pose);
        status = keep_holds(creature, stretch, t, workspace, links, &pose);
        if (status == HF_OK)
            status = hf_schedule_add(*out, NULL, (i + AT_REST) * step_s, &pose, NULL, 0, false);
    }
    for (int i = 0; i < given->hold_count && status == HF_OK; i++) {
        hf_schedule_hold h = given->holds[i];
        h.from_s = rested_time(h.from_s, end_s, rest_s), h.to_s = rested_time(h.to_s, end_s, rest_s);
        if (!HF_GROW((*out)->holds, (*out)->hold_capacity, (*out)->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK) (*out)->holds[(*out)->hold_count++] = h;
    }
    for (int i = 0; i < own->count; i++) {
        hf_part* a = &own->items[i];
        a->from_s = rested_time(a->from_s, end_s, rest_s), a->to_s = rested_time(a->to_s, end_s, rest_s);
        a->took_s = a->to_s - a->from_s;
    }
    hf_parts_add_up(own);
    hf_workspace_end(workspace, mark);
    return status;
}

/* The frame at or behind a time, or at or before it. */
static double frame_behind(double time_s, double rate) {
    return fmax(0, ceil(time_s * rate - SAME_FRAME)) / rate;
}

static double frame_before(double time_s, double rate) { return floor(time_s * rate + SAME_FRAME) / rate; }

hf_status hf_given_again(const hf_creature* creature, const hf_stretch* stretch, hf_pose_spline* spline,
                         double longer, double rate, hf_workspace* workspace, hf_schedule** out) {
    const hf_schedule* given = stretch->given;
    double end_s = given->knots[given->knot_count - 1].time_s, last_s = frame_behind(longer * end_s, rate);
    int frames = (int)round(last_s * rate);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_pose pose = {.q = hf_workspace_take(workspace, (size_t)given->q_count + 1, sizeof(double))};
    hf_status status = pose.q ? hf_schedule_create(creature, rate, out) : HF_ERROR_MEMORY;
    for (int i = 0; i <= frames && status == HF_OK; i++) {
        hf_pose_spline_at(spline, fmin(end_s, i / rate / longer), &pose);
        hf_pose_keep_limits(creature, pose.q);
        status = hf_schedule_add(*out, NULL, i / rate, &pose, NULL, 0, i == 0);
    }
    for (int i = 0; i < given->hold_count && status == HF_OK; i++) {
        hf_schedule_hold h = given->holds[i];
        bool lasts = h.to_s >= end_s;
        h.from_s = frame_behind(longer * h.from_s, rate);
        h.to_s = lasts ? last_s : fmax(h.from_s, frame_before(longer * h.to_s, rate));
        if (!HF_GROW((*out)->holds, (*out)->hold_capacity, (*out)->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK) (*out)->holds[(*out)->hold_count++] = h;
        if (status == HF_OK) (*out)->knots[(int)round(h.from_s * rate)].stance = true;
    }
    hf_workspace_end(workspace, mark);
    return status;
}
