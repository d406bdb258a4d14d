/* Exact penetration depth by brute force: the Minkowski difference of two convex shapes is the hull of all
   differences of their corners, and the depth is the distance of the origin from its nearest face. Round
   shapes are their segment or point with a margin. */
#ifndef HF_TESTS_DEPTH_ORACLE_H
#define HF_TESTS_DEPTH_ORACLE_H

#include "geom/hull.h"
#include "test.h"

enum { ORACLE_CORNERS = 128 };

static int oracle_corners(const hf_shape* s, hf_transform pose, hf_vec3 out[ORACLE_CORNERS]) {
    int count = 0;
    if (s->kind == HF_SHAPE_HULL)
        for (int i = 0; i < s->vertex_count; i++)
            out[count++] = hf_v3((double)s->vertices[3 * i], (double)s->vertices[3 * i + 1],
                                 (double)s->vertices[3 * i + 2]);
    else if (s->kind == HF_SHAPE_BOX)
        for (int i = 0; i < 8; i++)
            out[count++] = hf_v3((i & 1 ? 1 : -1) * s->half_size.x, (i & 2 ? 1 : -1) * s->half_size.y,
                                 (i & 4 ? 1 : -1) * s->half_size.z);
    else
        for (int i = 0; i < (s->kind == HF_SHAPE_CAPSULE ? 2 : 1); i++)
            out[count++] = hf_v3(0, 0, s->kind == HF_SHAPE_CAPSULE ? (i ? 1 : -1) * s->half_length : 0);
    assert_true(count <= ORACLE_CORNERS);
    for (int i = 0; i < count; i++) out[i] = hf_apply(pose, out[i]);
    return count;
}

static double oracle_margin(const hf_shape* s) {
    return s->kind == HF_SHAPE_SPHERE || s->kind == HF_SHAPE_CAPSULE ? s->radius : 0;
}

/* Depth (m) of shapes whose cores meet, and the unit way that parts them when the first moves along it. Where
   only the margins meet the depth is what they overlap, and where nothing does it is minus the distance; then
   there is no way. */
static double oracle_depth(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                           hf_vec3* way) {
    static hf_vec3 ca[ORACLE_CORNERS], cb[ORACLE_CORNERS];
    static float points[3 * ORACLE_CORNERS * ORACLE_CORNERS];
    double margins = oracle_margin(a) + oracle_margin(b);
    hf_shape core_a = *a, core_b = *b;
    core_a.radius = core_b.radius = 0;
    double apart = hf_shape_distance(&core_a, pose_a, &core_b, pose_b);
    *way = hf_v3(0, 0, 0);
    if (apart > 0) return margins - apart;
    int na = oracle_corners(a, pose_a, ca), nb = oracle_corners(b, pose_b, cb);
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++) {
            hf_vec3 d = hf_sub(cb[k], ca[i]);
            float* p = points + 3 * (i * nb + k);
            p[0] = (float)d.x, p[1] = (float)d.y, p[2] = (float)d.z;
        }
    hf_mesh hull;
    assert_int_equal(hf_hull_build(points, na * nb, &hull, NULL), HF_OK);
    double least = INFINITY;
    for (int t = 0; t < hull.triangle_count; t++) {
        hf_vec3 v[3];
        for (int k = 0; k < 3; k++) {
            const float* p = hull.vertices + 3 * hull.indices[3 * t + k];
            v[k] = hf_v3((double)p[0], (double)p[1], (double)p[2]);
        }
        hf_vec3 n = hf_cross(hf_sub(v[1], v[0]), hf_sub(v[2], v[0]));
        if (!(hf_length(n) > 1e-12)) continue;
        n = hf_normalize(n);
        if (hf_dot(n, v[0]) < least) least = hf_dot(n, v[0]), *way = n;
    }
    hf_mesh_free(&hull);
    return margins + least;
}

#endif
