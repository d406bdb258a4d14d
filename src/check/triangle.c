/* Distances to a triangle and clipping of a triangle by planes. */
#include "check/check.h"

#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void sub(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}
static double distance(const double a[3], const double b[3]) {
    double d[3];
    sub(a, b, d);
    return sqrt(dot(d, d));
}
static double clamp01(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

static double point_segment(const double p[3], const double a[3], const double b[3], double nearest[3]) {
    double d[3], e[3];
    sub(b, a, d);
    sub(p, a, e);
    double l = dot(d, d), t = l > 0 ? clamp01(dot(e, d) / l) : 0;
    for (int i = 0; i < 3; i++) nearest[i] = a[i] + t * d[i];
    return distance(p, nearest);
}

/* Nearest points of two segments: the interior critical point when it exists, else an end of one. */
static double segment_segment(const double a[3], const double b[3], const double c[3], const double d[3],
                              double on_cd[3]) {
    double u[3], v[3], w[3], best, near[3];
    sub(b, a, u);
    sub(d, c, v);
    sub(a, c, w);
    best = point_segment(a, c, d, on_cd);
    double other = point_segment(b, c, d, near);
    if (other < best) best = other, memcpy(on_cd, near, sizeof near);
    other = point_segment(c, a, b, near);
    if (other < best) best = other, memcpy(on_cd, c, sizeof near);
    other = point_segment(d, a, b, near);
    if (other < best) best = other, memcpy(on_cd, d, sizeof near);
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
    if (det > 1e-14 * uu * vv) {
        double s = (uv * dot(v, w) - vv * dot(u, w)) / det, t = (uu * dot(v, w) - uv * dot(u, w)) / det;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            double p[3], q[3];
            for (int i = 0; i < 3; i++) p[i] = a[i] + s * u[i], q[i] = c[i] + t * v[i];
            other = distance(p, q);
            if (other < best) best = other, memcpy(on_cd, q, sizeof q);
        }
    }
    return best;
}

/* Is the point's foot on the triangle's plane inside the triangle? False for degenerate triangles. */
static bool foot_inside(const double p[3], const double tri[9], double foot[3]) {
    double u[3], v[3], w[3];
    sub(tri + 3, tri, u);
    sub(tri + 6, tri, v);
    sub(p, tri, w);
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v);
    double det = uu * vv - uv * uv;
    if (!(det > 1e-14 * uu * vv)) return false;
    double s = (wu * vv - wv * uv) / det, t = (wv * uu - wu * uv) / det;
    if (s < 0 || t < 0 || s + t > 1) return false;
    for (int i = 0; i < 3; i++) foot[i] = tri[i] + s * u[i] + t * v[i];
    return true;
}

double check_point_triangle(const double p[3], const double tri[9], double nearest[3]) {
    if (foot_inside(p, tri, nearest)) return distance(p, nearest);
    double best = INFINITY;
    for (int e = 0; e < 3; e++) {
        double near[3], d = point_segment(p, tri + 3 * e, tri + 3 * ((e + 1) % 3), near);
        if (d < best) best = d, memcpy(nearest, near, sizeof near);
    }
    return best;
}

/* Where the segment passes through the triangle, if it does. */
static bool pierces(const double a[3], const double b[3], const double tri[9], double at[3]) {
    double u[3], v[3], n[3], da[3], db[3];
    sub(tri + 3, tri, u);
    sub(tri + 6, tri, v);
    n[0] = u[1] * v[2] - u[2] * v[1], n[1] = u[2] * v[0] - u[0] * v[2], n[2] = u[0] * v[1] - u[1] * v[0];
    sub(a, tri, da);
    sub(b, tri, db);
    double sa = dot(n, da), sb = dot(n, db);
    if ((sa > 0) == (sb > 0) || sa == sb) return false;
    double t = sa / (sa - sb), p[3];
    for (int i = 0; i < 3; i++) p[i] = a[i] + t * (b[i] - a[i]);
    return foot_inside(p, tri, at);
}

double check_segment_triangle(const double a[3], const double b[3], const double tri[9], double nearest[3]) {
    if (pierces(a, b, tri, nearest)) return 0;
    double best = check_point_triangle(a, tri, nearest), near[3];
    double d = check_point_triangle(b, tri, near);
    if (d < best) best = d, memcpy(nearest, near, sizeof near);
    for (int e = 0; e < 3; e++) {
        d = segment_segment(a, b, tri + 3 * e, tri + 3 * ((e + 1) % 3), near);
        if (d < best) best = d, memcpy(nearest, near, sizeof near);
    }
    return best;
}

/* Sutherland-Hodgman: the polygon only loses corners to a plane, and gains at most one each time. */
bool check_triangle_meets_planes(const double tri[9], const double* planes, int count, double depth) {
    enum { MAX_CORNERS = 512 };
    double polygon[MAX_CORNERS][3], next[MAX_CORNERS][3];
    int corners = 3;
    memcpy(polygon, tri, 9 * sizeof(double));
    for (int k = 0; k < count && corners; k++) {
        const double* n = planes + 4 * k;
        double limit = n[3] - depth;
        int kept = 0;
        for (int i = 0; i < corners; i++) {
            const double *a = polygon[i], *b = polygon[(i + 1) % corners];
            double ha = dot(n, a) - limit, hb = dot(n, b) - limit;
            if (ha <= 0 && kept < MAX_CORNERS) memcpy(next[kept++], a, sizeof next[0]);
            if ((ha < 0 && hb > 0) || (ha > 0 && hb < 0)) {
                double t = ha / (ha - hb);
                if (kept < MAX_CORNERS) {
                    for (int j = 0; j < 3; j++) next[kept][j] = a[j] + t * (b[j] - a[j]);
                    kept++;
                }
            }
        }
        corners = kept;
        memcpy(polygon, next, sizeof polygon[0] * (size_t)corners);
    }
    return corners > 0;
}
