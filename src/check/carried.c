/* What hands carry: a movable object that a limb grips, or that limbs press between them, and what lies on
   it. Its pieces are judged as the creature's bodies are, against every other object. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <stdio.h>
#include <string.h>

static const double ALLOWED_M = CHECK_DEPTH_M;
static const double ROUNDING_M = 1e-6; /* triangles are floats */

/* A convex piece as a hull whose triangles share their corners. */
static hf_status build_body(const check_object* o, const check_piece* p, check_body* out) {
    float* vertices = hf_alloc((size_t)p->count * 9, sizeof *vertices);
    uint32_t* faces = hf_alloc((size_t)p->count * 3, sizeof *faces);
    int n = 0;
    if (vertices && faces)
        for (int k = 0; k < 3 * p->count; k++) {
            const double* at = o->triangles + 9 * (size_t)p->first + 3 * (size_t)k;
            int same = 0;
            while (same < n &&
                   ((double)vertices[3 * same] != at[0] || (double)vertices[3 * same + 1] != at[1] ||
                    (double)vertices[3 * same + 2] != at[2]))
                same++;
            for (int i = 0; i < 3 && same == n; i++) vertices[3 * n + i] = (float)at[i];
            n += same == n;
            faces[k] = (uint32_t)same;
        }
    hf_body body = {.link = -1, .in_link = hf_transform_identity()};
    body.shape = (hf_shape){.kind = HF_SHAPE_HULL,
                            .vertex_count = n,
                            .face_count = p->count,
                            .vertices = vertices,
                            .faces = faces};
    hf_status status = vertices && faces ? check_body_build(&body, ALLOWED_M, out) : HF_ERROR_MEMORY;
    hf_free(vertices);
    hf_free(faces);
    return status;
}

/* The corners of a piece that is not convex, drawn towards the middle of its box by what is allowed. */
static void add_corners(const check_object* o, const check_piece* p, check_load* out) {
    for (int k = 0; k < 3 * p->count; k++) {
        const double* at = o->triangles + 9 * (size_t)p->first + 3 * (size_t)k;
        double* to = out->corners + 3 * (size_t)out->corner_count++;
        for (int i = 0; i < 3; i++) {
            double middle = (p->low[i] + p->high[i]) / 2, way = middle - at[i];
            to[i] = at[i] + (way < 0 ? -1 : 1) * fmin(2 * ALLOWED_M, fabs(way));
        }
    }
}

static void set_middle(const check_object* o, check_load* out) {
    double size[3] = {0};
    for (int i = 0; i < 3 && o->piece_count; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int p = 0; p < o->piece_count; p++)
            low = fmin(low, o->pieces[p].low[i]), high = fmax(high, o->pieces[p].high[i]);
        out->middle[i] = (low + high) / 2;
        size[i] = high - low;
    }
    for (int i = 0; i < 3; i++) {
        double a = size[(i + 1) % 3], b = size[(i + 2) % 3];
        out->inertia[i] = (a * a + b * b) / 12;
    }
}

hf_status check_load_build(const check_object* o, check_load* out) {
    hf_status status = HF_OK;
    out->bodies = hf_alloc((size_t)o->piece_count + 1, sizeof *out->bodies);
    out->corners = hf_alloc((size_t)o->triangle_count * 9 + 1, sizeof *out->corners);
    if (!out->bodies || !out->corners) return HF_ERROR_MEMORY;
    for (int p = 0; p < o->piece_count && status == HF_OK; p++) {
        const check_piece* piece = &o->pieces[p];
        if (piece->closed && piece->convex) {
            status = build_body(o, piece, &out->bodies[out->body_count]);
            out->body_count += status == HF_OK;
        } else {
            add_corners(o, piece, out);
        }
    }
    set_middle(o, out);
    return status;
}

void check_load_free(check_load* load) {
    for (int i = 0; i < load->body_count; i++) check_body_free(&load->bodies[i]);
    hf_free(load->bodies);
    hf_free(load->corners);
    memset(load, 0, sizeof *load);
}

static bool grips(const check_job* job, const hf_hold* k, int object) {
    int limb = job->limb_of[k->limb];
    return job->views[object].movable && k->grip && k->object >= 0 && job->object_of[k->object] == object &&
           limb >= 0 && job->c->limbs[limb].grip;
}

int check_hand_link(const check_job* job, int frame, const hf_hold* k, int object) {
    if (!grips(job, k, object) && !check_presses(job, frame, k, object)) return -1;
    return hf_creature_find_link(job->creature, job->motion->limbs[k->limb].frames[k->frame].link);
}

static bool is_held(const check_job* job, int frame, int object) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    for (int i = 0; i < f->contact_count; i++)
        if (check_hand_link(job, frame, &f->contacts[i], object) >= 0) return true;
    return false;
}

static bool is_named(const check_job* job, int frame, int object) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    for (int i = 0; i < f->object_count; i++)
        if (job->object_of[f->objects[i].object] == object) return true;
    return false;
}

/* Has the load the object at the same place in two frames, but for the rounding of files? */
static bool keeps(const check_job* job, int load, int object, int a, int b) {
    static const double SAME = 1e-6; // m, and of entries of rotations
    check_frame at[2];
    for (int i = 0; i < 2; i++) {
        check_frame l = check_frame_of(check_object_at(job, load, i ? b : a, 0));
        check_frame o = check_frame_of(check_object_at(job, object, i ? b : a, 0));
        at[i] = check_frame_seen_from(&l, &o);
    }
    bool same = true;
    for (int i = 0; i < 9; i++) same = same && fabs(at[0].r[i] - at[1].r[i]) <= SAME;
    for (int i = 0; i < 3; i++) same = same && fabs(at[0].p[i] - at[1].p[i]) <= SAME;
    return same;
}

/* Does the object lie on one that limbs hold? The motion names it in the frame, and in the next frame or the
   one before it is where it was, seen from what is held. */
static bool rides(const check_job* job, int frame, int object) {
    if (!job->views[object].movable || job->views[object].key_count || !is_named(job, frame, object))
        return false;
    for (int load = 0; load < job->object_count; load++) {
        if (load == object || !is_held(job, frame, load)) continue;
        int other = frame > 0 && is_held(job, frame - 1, load) ? frame - 1 : frame + 1;
        if (other < job->motion->frame_count && is_named(job, other, object) && is_held(job, other, load) &&
            keeps(job, load, object, frame, other))
            return true;
    }
    return false;
}

bool check_is_carried(const check_job* job, int frame, int object) {
    return is_held(job, frame, object) || rides(job, frame, object);
}

static void note(const check_job* job, int load, int object, double depth, check_frame_report* r) {
    if (!r->scene || depth > r->depth)
        snprintf(r->scene_what, sizeof r->scene_what, "carried \"%.60s\" is %.2f mm in \"%.60s\"",
                 job->views[load].name, depth * 1000, job->views[object].name);
    r->scene = true;
    r->depth = fmax(r->depth, depth);
}

static void load_object(const check_job* job, int load, int object, const check_frame* objects,
                        check_near* near, check_frame_report* r) {
    const check_load* l = &job->loads[load];
    check_frame at = check_frame_seen_from(&objects[object], &objects[load]);
    for (int b = 0; b < l->body_count; b++) {
        double enough = check_body_allowed(&l->bodies[b], ALLOWED_M) + ROUNDING_M;
        if (!check_object_near(&l->bodies[b], &at, &job->objects[object])) continue;
        double depth = check_object_depth(&l->bodies[b], &at, &job->objects[object], enough, true, near);
        r->failed = r->failed || isnan(depth);
        if (depth > enough) note(job, load, object, depth, r);
    }
    for (int k = 0; k < l->corner_count; k++) {
        double p[3];
        check_frame_point(&at, l->corners + 3 * (size_t)k, p);
        if (check_object_inside(&job->objects[object], p)) note(job, load, object, ALLOWED_M, r);
    }
}

void check_carried(const check_job* job, int frame, const check_frame* objects, check_near* near,
                   check_frame_report* r) {
    for (int load = 0; load < job->object_count; load++) {
        bool next = frame + 1 < job->motion->frame_count && check_is_carried(job, frame + 1, load);
        if (!next && !check_is_carried(job, frame, load)) continue;
        for (int o = 0; o < job->object_count; o++)
            if (o != load) load_object(job, load, o, objects, near, r);
    }
}
