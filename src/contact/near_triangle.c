#include "contact/near_triangle.h"

#include <math.h>
#include <string.h>

/* Twice the area over the longest edge squared: at most the sine of the smallest angle. Under this one floats
   are of no use. Above it, a point that rounding puts inside the two edges of a sharp corner may be this many
   times farther out than the rounding, over the sine. */
static const double THIN = 1e-3, SHARP = 0.4;

static void store(float out[3], hf_vec3 v) { out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z; }

static double least3(const double c[3]) {
    double low = c[0] < c[1] ? c[0] : c[1];
    return low < c[2] ? low : c[2];
}

static double most3(const double c[3]) {
    double high = c[0] > c[1] ? c[0] : c[1];
    return high > c[2] ? high : c[2];
}

static void set_box(hf_near_triangle* near, const hf_triangle* t) {
    for (int k = 0; k < 3; k++) {
        double c[3];
        for (int i = 0; i < 3; i++) c[i] = k == 0 ? t->v[i].x : k == 1 ? t->v[i].y : t->v[i].z;
        double low = least3(c), high = most3(c), center = (double)(float)((low + high) / 2);
        near->center[k] = (float)center;
        double half = high - center > center - low ? high - center : center - low;
        near->half[k] = (float)(half + HF_FLOAT_ROUNDING * (half + fabs(center)));
    }
}

void hf_near_triangle_set(hf_near_triangle* near, const hf_triangle* t, double reach, double slack) {
    memset(near, 0, sizeof *near);
    set_box(near, t);
    hf_vec3 edge[3] = {hf_sub(t->v[1], t->v[0]), hf_sub(t->v[2], t->v[1]), hf_sub(t->v[0], t->v[2])};
    double length[3] = {hf_length(edge[0]), hf_length(edge[1]), hf_length(edge[2])};
    hf_vec3 n = hf_cross(edge[0], hf_neg(edge[2]));
    double longest = most3(length), area = hf_length(n);
    double sharp = longest > 0 ? area / (longest * longest) : 0;
    near->exact = !(sharp > THIN);
    near->doubt =
        (float)(HF_FLOAT_ROUNDING * reach * (near->exact || sharp > SHARP ? 1 : SHARP / sharp) + slack);
    if (near->exact) return;
    n = hf_scale(n, 1 / area);
    store(near->normal, n);
    for (int k = 0; k < 3; k++) near->normal_size[k] = fabsf(near->normal[k]);
    near->offset = (float)hf_dot(n, t->v[0]);
    for (int i = 0; i < 3; i++) {
        hf_vec3 a = t->v[i], b = t->v[(i + 1) % 3];
        hf_vec3 e = hf_scale(edge[i], 1 / length[i]), m = hf_cross(e, n);
        store(near->along[i], e);
        store(near->out[i], m);
        for (int k = 0; k < 3; k++) near->out_size[i][k] = fabsf(near->out[i][k]);
        near->start[i] = (float)hf_dot(e, a), near->end[i] = (float)hf_dot(e, b);
        near->side[i] = (float)hf_dot(m, a);
    }
}
