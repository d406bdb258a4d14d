/* Spherical polygons as limits of a bone's direction (reaching-2003 section 4). The polygon need not be
   convex; which side is inside is said by the mean of the corners. */
#include "model/swing_polygon.h"
#include <stddef.h>

static double angle_between(hf_vec3 a, hf_vec3 b) {
    return hf_atan2(hf_length(hf_cross(a, b)), hf_dot(a, b));
}

static hf_vec3 corner_mean(const hf_vec3* corners, int count) {
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 0; i < count; i++) sum = hf_add(sum, corners[i]);
    return hf_normalize(sum);
}

/* Does the arc m-x (normal n = m x x) pass through the edge a-b? A corner on the plane counts as above it, so
   that two edges that share it are not both counted. */
static bool arc_crosses(hf_vec3 m, hf_vec3 x, hf_vec3 n, hf_vec3 a, hf_vec3 b) {
    double height_a = hf_dot(n, a), height_b = hf_dot(n, b);
    if ((height_a >= 0) == (height_b >= 0)) return false;
    hf_vec3 p = hf_add(hf_scale(a, fabs(height_b)), hf_scale(b, fabs(height_a)));
    return hf_dot(hf_cross(m, p), n) >= 0 && hf_dot(hf_cross(p, x), n) > 0;
}

/* Even number of edges between the mean and the direction. Opposite to the mean the arc is undefined: any
   detour will do. */
bool hf_swing_inside(const hf_vec3* corners, int count, hf_vec3 direction) {
    hf_vec3 mean = corner_mean(corners, count);
    hf_vec3 stops[3] = {mean, direction, direction};
    int stop_count = 2;
    if (hf_dot(mean, direction) < -0.99) {
        hf_vec3 side = fabs(mean.x) < 0.6 ? hf_v3(1, 0, 0) : hf_v3(0, 1, 0);
        stops[1] = hf_normalize(hf_cross(mean, hf_add(side, hf_v3(0.0123, 0.0271, 0.0317))));
        stop_count = 3;
    }
    bool inside = true;
    for (int s = 0; s + 1 < stop_count; s++) {
        hf_vec3 n = hf_cross(stops[s], stops[s + 1]);
        for (int i = 0; i < count; i++)
            if (arc_crosses(stops[s], stops[s + 1], n, corners[i], corners[(i + 1) % count]))
                inside = !inside;
    }
    return inside;
}

double hf_swing_edge_distance(const hf_vec3* corners, int count, hf_vec3 direction, hf_vec3* nearest) {
    double best = INFINITY;
    for (int i = 0; i < count; i++) {
        hf_vec3 a = corners[i], b = corners[(i + 1) % count];
        double d = angle_between(direction, a);
        hf_vec3 point = a;
        /* The foot of the direction on the edge's great circle, if it lies on the edge. */
        hf_vec3 n = hf_normalize(hf_cross(a, b));
        hf_vec3 foot = hf_normalize(hf_sub(direction, hf_scale(n, hf_dot(n, direction))));
        if (hf_dot(hf_cross(a, foot), n) > 0 && hf_dot(hf_cross(foot, b), n) > 0) {
            d = angle_between(direction, foot);
            point = foot;
        }
        if (d < best) {
            best = d;
            if (nearest) *nearest = point;
        }
    }
    return best;
}

typedef struct search {
    const hf_vec3* corners;
    int count;
    double best;
    int budget;
} search;

/* Spherical triangles in four parts; one that cannot beat the best is left. Distance to the edges changes by
   no more than the angle moved. */
static void search_triangle(search* s, hf_vec3 a, hf_vec3 b, hf_vec3 c) {
    hf_vec3 middle = hf_normalize(hf_add(a, hf_add(b, c)));
    double radius = fmax(angle_between(middle, a), fmax(angle_between(middle, b), angle_between(middle, c)));
    double d = hf_swing_edge_distance(s->corners, s->count, middle, NULL);
    if (!hf_swing_inside(s->corners, s->count, middle)) d = -d;
    if (d > s->best) s->best = d;
    if (d + radius <= s->best + 1e-4 || s->budget-- <= 0) return;
    hf_vec3 ab = hf_normalize(hf_add(a, b)), bc = hf_normalize(hf_add(b, c)), ca = hf_normalize(hf_add(c, a));
    search_triangle(s, ab, bc, ca);
    search_triangle(s, a, ab, ca);
    search_triangle(s, b, bc, ab);
    search_triangle(s, c, ca, bc);
}

double hf_swing_inradius(const hf_vec3* corners, int count) {
    search s = {corners, count, 0, 200000};
    for (int i = 0; i < 8; i++)
        search_triangle(&s, hf_v3(i & 1 ? 1 : -1, 0, 0), hf_v3(0, i & 2 ? 1 : -1, 0),
                        hf_v3(0, 0, i & 4 ? 1 : -1));
    return s.best;
}
