/* Distances and meetings of triangles in plain double: their own arithmetic, no code of the library but
 * vectors. */
#ifndef HF_TESTS_TRIANGLE_ORACLES_H
#define HF_TESTS_TRIANGLE_ORACLES_H

#include "test.h"

static double point_segment(hf_vec3 p, hf_vec3 a, hf_vec3 b) {
    hf_vec3 d = hf_sub(b, a);
    double l = hf_dot(d, d), t = l > 0 ? hf_dot(hf_sub(p, a), d) / l : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hf_distance(p, hf_add(a, hf_scale(d, t)));
}

/* Normal equations of the plane's foot, else the nearest side. */
static double point_triangle(hf_vec3 p, const hf_vec3 v[3]) {
    double best =
        fmin(point_segment(p, v[0], v[1]), fmin(point_segment(p, v[1], v[2]), point_segment(p, v[2], v[0])));
    hf_vec3 e = hf_sub(v[1], v[0]), f = hf_sub(v[2], v[0]), r = hf_sub(p, v[0]);
    double ee = hf_dot(e, e), ef = hf_dot(e, f), ff = hf_dot(f, f), re = hf_dot(r, e), rf = hf_dot(r, f);
    double det = ee * ff - ef * ef;
    if (det <= 1e-14 * ee * ff) return best;
    double s = (ff * re - ef * rf) / det, t = (ee * rf - ef * re) / det;
    if (s < 0 || t < 0 || s + t > 1) return best;
    return fmin(best, hf_distance(p, hf_add(v[0], hf_add(hf_scale(e, s), hf_scale(f, t)))));
}

/* The distance along a segment is convex: halve the interval in thirds. */
static double segment_triangle(hf_vec3 p, hf_vec3 q, const hf_vec3 v[3]) {
    double low = 0, high = 1;
    if (hf_distance(p, q) == 0) return point_triangle(p, v);
    for (int i = 0; i < 70; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (point_triangle(hf_lerp(p, q, a), v) < point_triangle(hf_lerp(p, q, b), v))
            high = b;
        else
            low = a;
    }
    double ends = fmin(point_triangle(p, v), point_triangle(q, v));
    return fmin(ends, point_triangle(hf_lerp(p, q, 0.5 * (low + high)), v));
}

static double triangle_triangle(const hf_vec3 a[3], const hf_vec3 b[3]) {
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        best = fmin(best, segment_triangle(a[k], a[(k + 1) % 3], b));
        best = fmin(best, segment_triangle(b[k], b[(k + 1) % 3], a));
    }
    return best;
}

/* Ray by Moeller and Trumbore; false also when a border is too near to say (unsure is set). */
static bool ray_triangle(hf_vec3 o, hf_vec3 d, const hf_vec3 v[3], double* t, bool* unsure) {
    hf_vec3 e = hf_sub(v[1], v[0]), f = hf_sub(v[2], v[0]), p = hf_cross(d, f);
    double det = hf_dot(e, p), size = hf_length(e) * hf_length(f);
    if (size == 0) return false;
    hf_vec3 s = hf_sub(o, v[0]), q = hf_cross(s, e);
    double u = hf_dot(s, p), w = hf_dot(d, q);
    if (det < 0) u = -u, w = -w;
    double m = fabs(det), slack = 1e-9 * (size + hf_length(s) * (hf_length(e) + hf_length(f)));
    if (u < -slack || w < -slack || u + w > m + slack) return false;
    if (u < slack || w < slack || u + w > m - slack || m < 1e-6 * size) {
        *unsure = true;
        return false;
    }
    *t = hf_dot(f, q) / det;
    return true;
}

static double solid_angle(hf_vec3 p, const hf_vec3 v[3]) {
    hf_vec3 a = hf_normalize(hf_sub(v[0], p)), b = hf_normalize(hf_sub(v[1], p)),
            c = hf_normalize(hf_sub(v[2], p));
    return 2 * atan2(hf_dot(a, hf_cross(b, c)), 1 + hf_dot(a, b) + hf_dot(b, c) + hf_dot(c, a));
}

/* Separating axes of a box about the origin: positive where some axis keeps them apart by that much. */
static double box_triangle_gap(const double h[3], const hf_vec3 v[3]) {
    double gap = -INFINITY;
    hf_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    hf_vec3 axes[13];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        axes[n++] = unit[i];
        for (int k = 0; k < 3; k++) axes[n++] = hf_cross(unit[i], hf_sub(v[(k + 1) % 3], v[k]));
    }
    axes[n++] = hf_cross(hf_sub(v[1], v[0]), hf_sub(v[2], v[0]));
    for (int i = 0; i < n; i++) {
        double l = hf_length(axes[i]);
        if (l < 1e-12) continue;
        hf_vec3 a = hf_scale(axes[i], 1 / l);
        double x = hf_dot(a, v[0]), y = hf_dot(a, v[1]), z = hf_dot(a, v[2]);
        double reach = fabs(a.x) * h[0] + fabs(a.y) * h[1] + fabs(a.z) * h[2];
        gap = fmax(gap, fmax(fmin(x, fmin(y, z)) - reach, -fmax(x, fmax(y, z)) - reach));
    }
    return gap;
}

/* Clips the triangle by the hull's planes moved inwards; is anything left? */
static bool clip_hull(const hf_shape* s, double depth, const hf_vec3 v[3]) {
    hf_vec3 poly[512], next[512];
    int n = 3;
    for (int i = 0; i < 3; i++) poly[i] = v[i];
    for (int f = 0; f < s->face_count && n; f++) {
        hf_vec3 c[3];
        for (int k = 0; k < 3; k++) {
            const float* x = s->vertices + 3 * s->faces[3 * f + k];
            c[k] = hf_v3((double)x[0], (double)x[1], (double)x[2]);
        }
        hf_vec3 normal = hf_normalize(hf_cross(hf_sub(c[1], c[0]), hf_sub(c[2], c[0])));
        int m = 0;
        for (int i = 0; i < n; i++) {
            hf_vec3 a = poly[i], b = poly[(i + 1) % n];
            double da = hf_dot(normal, hf_sub(a, c[0])) + depth, db = hf_dot(normal, hf_sub(b, c[0])) + depth;
            if (da <= 0) next[m++] = a;
            if ((da < 0 && db > 0) || (da > 0 && db < 0)) next[m++] = hf_lerp(a, b, da / (da - db));
        }
        n = m;
        for (int i = 0; i < n; i++) poly[i] = next[i];
    }
    return n > 0;
}

#endif
