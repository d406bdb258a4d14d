/* Clipping of the small convex regions that time scaling works with. */
#include "refine/pace_region.h"

#include <math.h>

/* A corner whose distance from a line is this share of the numbers that it is the difference of is on it. */
static const double ON_LINE = 1e-12;

hf_pace_region hf_pace_region_box(double most_u, double most_x) {
    return (hf_pace_region){.count = 4, .u = {-most_u, most_u, most_u, -most_u}, .x = {0, 0, most_x, most_x}};
}

static void remove_corner(hf_pace_region* r, int at) {
    for (int i = at; i + 1 < r->count; i++) r->u[i] = r->u[i + 1], r->x[i] = r->x[i + 1];
    r->count--;
}

/* Leaves out the corner whose triangle with its neighbours is smallest: the region gets smaller by it. */
static void remove_smallest(hf_pace_region* r) {
    double smallest = INFINITY;
    int at = 0;
    for (int i = 0; i < r->count; i++) {
        int p = (i + r->count - 1) % r->count, n = (i + 1) % r->count;
        double area =
            fabs((r->u[i] - r->u[p]) * (r->x[n] - r->x[p]) - (r->x[i] - r->x[p]) * (r->u[n] - r->u[p]));
        if (area < smallest) smallest = area, at = i;
    }
    remove_corner(r, at);
}

void hf_pace_region_cut(hf_pace_region* r, double a, double b, double c) {
    double over[HF_PACE_CORNERS];
    bool outside = false;
    for (int i = 0; i < r->count; i++) {
        over[i] = a * r->u[i] + b * r->x[i] - c;
        // a corner on the line stays, whatever rounding says: regions may be as thin as a line
        if (fabs(over[i]) <= ON_LINE * (fabs(a * r->u[i]) + fabs(b * r->x[i]) + fabs(c))) over[i] = 0;
        outside |= over[i] > 0;
    }
    if (!outside) return;
    hf_pace_region out;
    out.count = 0;
    for (int i = 0; i < r->count; i++) {
        int n = (i + 1) % r->count;
        if (over[i] <= 0) out.u[out.count] = r->u[i], out.x[out.count++] = r->x[i];
        if ((over[i] < 0 && over[n] > 0) || (over[i] > 0 && over[n] < 0)) {
            double t = over[i] / (over[i] - over[n]);
            out.u[out.count] = r->u[i] + t * (r->u[n] - r->u[i]);
            out.x[out.count++] = r->x[i] + t * (r->x[n] - r->x[i]);
        }
    }
    // a cut adds one corner at most: room for it is left
    if (out.count == HF_PACE_CORNERS - 1) remove_smallest(&out);
    *r = out;
}

void hf_pace_region_span(const hf_pace_region* r, double a, double b, double* least, double* most) {
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; i < r->count; i++) {
        double value = a * r->u[i] + b * r->x[i];
        *least = fmin(*least, value), *most = fmax(*most, value);
    }
}

bool hf_pace_region_across(const hf_pace_region* r, double x, double* least, double* most) {
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; i < r->count; i++) {
        int n = (i + 1) % r->count;
        double low = fmin(r->x[i], r->x[n]), high = fmax(r->x[i], r->x[n]);
        if (x < low || x > high) continue;
        double t = high > low ? (x - r->x[i]) / (r->x[n] - r->x[i]) : 0;
        double u = r->u[i] + t * (r->u[n] - r->u[i]);
        *least = fmin(*least, fmin(u, high > low ? u : r->u[n]));
        *most = fmax(*most, fmax(u, high > low ? u : r->u[n]));
    }
    return *least <= *most;
}
