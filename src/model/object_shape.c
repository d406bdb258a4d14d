#include "model/object_shape.h"

#include "base/error.h"
#include "base/memory.h"
#include "geom/hull.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

/* The corners of one piece. */
static int collect(const hf_object_view* o, int piece, float* points) {
    int n = 0;
    for (int t = 0; t < o->mesh.triangle_count; t++)
        for (int k = 0; k < 3 && o->piece_of[t] == piece; k++, n++)
            memcpy(points + 3 * n, o->mesh.vertices + 3 * o->mesh.indices[3 * t + k], 3 * sizeof *points);
    return n;
}

/* A piece fills its hull when the hull has no more than this share of volume beside it: corners are floats.
 */
static const double HULL_BESIDE = 1e-4;

static hf_vec3 corner_of(const hf_mesh* m, uint32_t i) {
    const float* v = m->vertices + 3 * (size_t)i;
    return hf_v3((double)v[0], (double)v[1], (double)v[2]);
}

/* Volumes are sums over tetrahedra from the mesh's first corner, so that places far away round no worse. */
static double volume_of(const hf_mesh* m) {
    double six = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        hf_vec3 v[3];
        for (int k = 0; k < 3; k++) v[k] = hf_sub(corner_of(m, m->indices[3 * t + k]), corner_of(m, 0));
        six += hf_dot(v[0], hf_cross(v[1], v[2]));
    }
    return six / 6;
}

static bool is_convex(const hf_pieces* p, int piece, const hf_mesh* hull) {
    return p->solidity[piece] != 0 && volume_of(hull) <= fabs(p->volume[piece]) * (1 + HULL_BESIDE);
}

/* Towards the middle, by no more than it is away. */
static double drawn(float at, float low, float high) {
    double way = ((double)low + (double)high) / 2 - (double)at;
    return (double)at + (way < 0 ? -1 : 1) * fmin(2 * HF_FRAME_DEPTH_M, fabs(way));
}

static void add_corners(const hf_pieces* p, int piece, const float* points, int count, hf_object_shape* out) {
    const hf_box* box = &p->box[piece];
    for (int k = 0; k < count; k++) {
        const float* v = points + 3 * (size_t)k;
        out->corners[out->corner_count++] =
            hf_v3(drawn(v[0], box->low[0], box->high[0]), drawn(v[1], box->low[1], box->high[1]),
                  drawn(v[2], box->low[2], box->high[2]));
    }
}

/* One piece; a flat one has no hull. */
static hf_status add_piece(const hf_object* o, int piece, const float* points, int count,
                           hf_object_shape* out, hf_error* error) {
    hf_mesh* hull = &out->hulls[out->count];
    hf_error flat;
    hf_status status = hf_hull_build(points, count, hull, &flat);
    bool convex = status == HF_OK && is_convex(&o->pieces, piece, hull);
    if (!convex) add_corners(&o->pieces, piece, points, count, out);
    if (status == HF_ERROR_FORMAT) return HF_OK;
    if (status != HF_OK) return hf_fail_status(error, status, NULL);
    out->convex[out->count] = convex;
    out->shapes[out->count++] = (hf_shape){.kind = HF_SHAPE_HULL,
                                           .vertex_count = hull->vertex_count,
                                           .face_count = hull->triangle_count,
                                           .vertices = hull->vertices,
                                           .faces = hull->indices};
    return HF_OK;
}

hf_status hf_object_shape_make(const hf_scene* scene, int object, hf_object_shape* out, hf_error* error) {
    hf_object_view o = hf_scene_object(scene, object);
    size_t pieces = (size_t)o.piece_count + 1, corners = (size_t)o.mesh.triangle_count * 3 + 1;
    out->made = true;
    out->shapes = hf_alloc(pieces, sizeof *out->shapes);
    out->hulls = hf_alloc(pieces, sizeof *out->hulls);
    out->convex = hf_alloc(pieces, sizeof *out->convex);
    out->corners = hf_alloc(corners, sizeof *out->corners);
    float* points = hf_alloc(corners * 3, sizeof *points);
    bool good = out->shapes && out->hulls && out->convex && out->corners && points;
    hf_status status = good ? HF_OK : hf_fail_memory(error, NULL);
    for (int p = 0; p < o.piece_count && status == HF_OK; p++)
        status = add_piece(&scene->objects[object], p, points, collect(&o, p, points), out, error);
    hf_free(points);
    return status;
}

void hf_object_shape_free(hf_object_shape* s) {
    for (int i = 0; i < s->count; i++) hf_mesh_free(&s->hulls[i]);
    hf_free(s->shapes);
    hf_free(s->hulls);
    hf_free(s->convex);
    hf_free(s->corners);
    memset(s, 0, sizeof *s);
}

/* ---- what rests on what ---- */

/* An object is borne when it meets something by more than the depth after it went so far down, m. The depth
   is over that of carried objects in what they touch (0.2 mm), so that a wall beside it bears nothing. */
static const double BORNE_M = 0.002, BORNE_DEPTH_M = 0.0005;

bool hf_object_borne(const hf_placement* placement, const hf_shape* shapes, int count, hf_transform at) {
    hf_allowance allowed = {.depth = BORNE_DEPTH_M, .touched_object = -1};
    at.position.z -= BORNE_M;
    for (int i = 0; i < count; i++)
        if (hf_placement_overlap(placement, &shapes[i], at, &allowed, NULL)) return true;
    return false;
}

static bool borne_by(const hf_placement* by, const hf_placement* now, const hf_object_shape* s, int object) {
    return hf_object_borne(by, s->shapes, s->count, hf_placement_pose(now, object));
}

/* A placement of that object alone. */
static hf_status place_alone(const hf_placement* now, int on, hf_placement** alone) {
    hf_status status = hf_placement_create(now->scene, alone);
    for (int i = 0; i < now->scene->count && status == HF_OK; i++) hf_placement_enable(*alone, i, i == on);
    if (status == HF_OK) hf_placement_move(*alone, on, hf_placement_pose(now, on));
    return status;
}

/* Adds what rests on what goes along already, until nothing does. */
static hf_status add_riders(const hf_placement* now, const bool* held, hf_placement* along,
                            hf_object_shape* shapes, bool* rides, int on, hf_error* error) {
    bool grows = true;
    while (grows) {
        grows = false;
        for (int i = 0; i < now->scene->count; i++) {
            hf_object_view o = hf_scene_object(now->scene, i);
            bool may = i != on && !rides[i] && o.movable && o.key_count == 0 && now->objects[i].enabled;
            if (!may || (held && held[i])) continue;
            hf_status status =
                shapes[i].made ? HF_OK : hf_object_shape_make(now->scene, i, &shapes[i], error);
            if (status != HF_OK) return status;
            if (!borne_by(along, now, &shapes[i], i)) continue;
            rides[i] = grows = true;
            hf_placement_move(along, i, hf_placement_pose(now, i));
            hf_placement_enable(along, i, true);
        }
    }
    return HF_OK;
}

/* Takes out what rests on something that stays, until nothing does. */
static void drop_riders(hf_placement* now, int on, const hf_object_shape* shapes, bool* rides) {
    bool was = now->objects[on].enabled, shrinks = true;
    hf_placement_enable(now, on, false);
    for (int i = 0; i < now->scene->count; i++)
        if (rides[i]) hf_placement_enable(now, i, false);
    while (shrinks) {
        shrinks = false;
        for (int i = 0; i < now->scene->count; i++) {
            if (!rides[i] || !borne_by(now, now, &shapes[i], i)) continue;
            rides[i] = false, shrinks = true;
            hf_placement_enable(now, i, true);
        }
    }
    for (int i = 0; i < now->scene->count; i++)
        if (rides[i]) hf_placement_enable(now, i, true);
    hf_placement_enable(now, on, was);
}

hf_status hf_object_riders(hf_placement* placement, int on, const bool* held, hf_object_shape* shapes,
                           bool* rides, hf_error* error) {
    memset(rides, 0, sizeof *rides * (size_t)placement->scene->count);
    hf_placement* along = NULL;
    hf_status status = hf_fail_status(error, place_alone(placement, on, &along), NULL);
    if (status == HF_OK) status = add_riders(placement, held, along, shapes, rides, on, error);
    if (status == HF_OK) drop_riders(placement, on, shapes, rides);
    hf_placement_free(along);
    return status;
}
