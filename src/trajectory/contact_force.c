/* The smallest contact forces for a wrench b: min 1/2 sum |f_c|^2 + |b - sum G_c f_c|^2 / (2 d), each f_c in
   its friction cone or ball. With the dual l = (b - sum G_c f_c) / d each force is the projection of G_c' l
   onto its set, and l is the least of a smooth convex function of six numbers: 1/2 sum (|g|^2 - |g - P(g)|^2)
   + d/2 |l|^2 - b' l,   g = G_c' l. Newton's method with the derivatives of the projections (Qi and Sun 1993)
   and a line search. */
#include "trajectory/contact_force.h"

#include <math.h>
#include <string.h>

/* d above: what is missing of a wrench that contacts can give is d |l|, about a millionth of the weight. */
static const double SOFTNESS = 1e-6;
static const double ENOUGH = 1e-9;  /* of the gradient, weights */
static const double DESCENT = 1e-4; /* share of the promised descent that a step must give (Armijo) */
static const double LEAST_STEP = 1e-9;
enum { ROUNDS = 100 };

/* A projection and its derivative (symmetric, 3 x 3). */
typedef struct projection {
    hf_vec3 at;
    double d[9];
} projection;

static void add_outer(double d[9], hf_vec3 v, double scale) {
    const double x[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d[3 * i + j] += scale * x[i] * x[j];
}

static void add_unit(double d[9], double scale) { d[0] += scale, d[4] += scale, d[8] += scale; }

static projection onto_ball(hf_vec3 g, double radius) {
    projection p = {.at = g};
    double l = hf_length(g), share = l > radius ? radius / l : 1;
    add_unit(p.d, share);
    if (l <= radius) return p;
    p.at = hf_scale(g, share);
    add_outer(p.d, hf_scale(g, 1 / l), -share);
    return p;
}

static projection onto_cone(hf_vec3 g, hf_vec3 normal, double friction) {
    projection p = {.at = g};
    double up = hf_dot(g, normal);
    hf_vec3 beside = hf_sub(g, hf_scale(normal, up));
    double l = hf_length(beside);
    if (l <= friction * up) {
        add_unit(p.d, 1);
        return p;
    }
    p.at = hf_v3(0, 0, 0);
    if (friction * l <= -up) return p;
    hf_vec3 side = hf_scale(beside, 1 / l), edge = hf_add(normal, hf_scale(side, friction));
    double wide = 1 + friction * friction, along = (up + friction * l) / wide;
    p.at = hf_scale(edge, along);
    add_outer(p.d, edge, 1 / wide);
    add_unit(p.d, along * friction / l);
    add_outer(p.d, normal, -along * friction / l);
    add_outer(p.d, side, -along * friction / l);
    return p;
}

static hf_vec3 pull(const hf_force_corner* c, const double l[6]) {
    return hf_add(hf_v3(l[0], l[1], l[2]), hf_cross(hf_v3(l[3], l[4], l[5]), c->arm));
}

static projection project(const hf_force_corner* c, hf_vec3 g) {
    return c->grip ? onto_ball(g, c->most) : onto_cone(g, c->normal, c->friction);
}

/* The function's value. */
static double value_at(const hf_force_corner* corners, int count, const double b[6], const double l[6]) {
    double value = 0;
    for (int i = 0; i < 6; i++) value += 0.5 * SOFTNESS * l[i] * l[i] - b[i] * l[i];
    for (int c = 0; c < count; c++) {
        hf_vec3 g = pull(&corners[c], l), off = hf_sub(g, project(&corners[c], g).at);
        value += 0.5 * (hf_dot(g, g) - hf_dot(off, off));
    }
    return value;
}

/* G = [1; arm x], six rows and three columns. */
static void columns_of(hf_vec3 r, double g[6][3]) {
    const double rows[6][3] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                               {0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    memcpy(g, rows, sizeof rows);
}

static void add_corner(const hf_force_corner* c, const projection* p, double gradient[6], double h[36]) {
    double g[6][3], gd[6][3];
    const double f[3] = {p->at.x, p->at.y, p->at.z};
    columns_of(c->arm, g);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            gradient[i] += g[i][k] * f[k];
            gd[i][k] = g[i][0] * p->d[k] + g[i][1] * p->d[3 + k] + g[i][2] * p->d[6 + k];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            h[6 * i + j] += gd[i][0] * g[j][0] + gd[i][1] * g[j][1] + gd[i][2] * g[j][2];
}

/* Gradient and second derivatives; fills the corners' forces. */
static void derive(hf_force_corner* corners, int count, const double b[6], const double l[6],
                   double gradient[6], double h[36]) {
    memset(h, 0, 36 * sizeof(double));
    for (int i = 0; i < 6; i++) gradient[i] = SOFTNESS * l[i] - b[i], h[7 * i] = SOFTNESS;
    for (int c = 0; c < count; c++) {
        projection p = project(&corners[c], pull(&corners[c], l));
        corners[c].force = p.at;
        add_corner(&corners[c], &p, gradient, h);
    }
}

/* Solves h x = -gradient by Cholesky's factors; h is positive. */
static void solve(double h[36], const double gradient[6], double x[6]) {
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k < j; k++) h[7 * j] -= h[6 * j + k] * h[6 * j + k];
        h[7 * j] = sqrt(fmax(h[7 * j], 1e-3 * SOFTNESS)); /* not under what rounding leaves of it */
        for (int i = j + 1; i < 6; i++) {
            for (int k = 0; k < j; k++) h[6 * i + j] -= h[6 * i + k] * h[6 * j + k];
            h[6 * i + j] /= h[7 * j];
        }
    }
    for (int i = 0; i < 6; i++) {
        x[i] = -gradient[i];
        for (int k = 0; k < i; k++) x[i] -= h[6 * i + k] * x[k];
        x[i] /= h[7 * i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) x[i] -= h[6 * k + i] * x[k];
        x[i] /= h[7 * i];
    }
}

/* Goes along x as far as the function falls; false when it does not. */
static bool step(const hf_force_corner* corners, int count, const double b[6], const double gradient[6],
                 const double x[6], double l[6]) {
    double before = value_at(corners, count, b, l), promised = 0, to[6];
    for (int i = 0; i < 6; i++) promised += gradient[i] * x[i];
    for (double part = 1; part > LEAST_STEP; part /= 2) {
        for (int i = 0; i < 6; i++) to[i] = l[i] + part * x[i];
        if (value_at(corners, count, b, to) > before + DESCENT * part * promised) continue;
        memcpy(l, to, sizeof to);
        return true;
    }
    return false;
}

void hf_contact_forces(hf_force_corner* corners, int count, const double wrench[6], double dual[6]) {
    double gradient[6], h[36], x[6];
    for (int round = 0; round < ROUNDS; round++) {
        derive(corners, count, wrench, dual, gradient, h);
        double size = 0;
        for (int i = 0; i < 6; i++) size = fmax(size, fabs(gradient[i]));
        if (size <= ENOUGH) return;
        solve(h, gradient, x);
        if (!step(corners, count, wrench, gradient, x, dual)) return;
    }
    derive(corners, count, wrench, dual, gradient, h);
}
