/* Eigenvectors of symmetric 3x3 matrices by Jacobi's rotations, and the nearest rotation of any matrix. */
#include "adapt/rotation.h"

#include <math.h>

enum { SWEEPS = 12 }; /* of Jacobi's method at most: it converges quadratically */
/* What is left beside the diagonal no longer counts against it. */
static const double NOTHING = 1e-17;

static bool is_diagonal(double a[3][3]) {
    double most = fmax(fabs(a[0][0]), fmax(fabs(a[1][1]), fabs(a[2][2])));
    return fmax(fabs(a[0][1]), fmax(fabs(a[0][2]), fabs(a[1][2]))) <= NOTHING * most;
}

void hf_symmetric_eigen(const double m[6], double values[3], hf_vec3 vectors[3]) {
    double a[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS && !is_diagonal(a); sweep++)
        for (int k = 0; k < 3; k++) {
            int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
            if (a[p][q] == 0) continue;
            double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
            double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
            double c = 1 / sqrt(t * t + 1), s = t * c;
            for (int i = 0; i < 3; i++) {
                double x = a[i][p], y = a[i][q];
                a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
            }
            for (int i = 0; i < 3; i++) {
                double x = a[p][i], y = a[q][i];
                a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
            }
            for (int i = 0; i < 3; i++) {
                double x = v[i][p], y = v[i][q];
                v[i][p] = c * x - s * y, v[i][q] = s * x + c * y;
            }
        }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++)
        for (int k = i + 1; k < 3; k++)
            if (a[order[k]][order[k]] > a[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[k], order[k] = swap;
            }
    for (int i = 0; i < 3; i++) {
        int o = order[i];
        values[i] = a[o][o];
        vectors[i] = hf_v3(v[0][o], v[1][o], v[2][o]);
    }
}

static hf_quat quat_of(hf_vec3 x, hf_vec3 y, hf_vec3 z) {
    // columns of the matrix; the largest of the four squares keeps the root away from 0
    double t[4] = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z};
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[most]) most = i;
    hf_quat q;
    if (most == 0)
        q = (hf_quat){t[0], y.z - z.y, z.x - x.z, x.y - y.x};
    else if (most == 1)
        q = (hf_quat){y.z - z.y, t[1], x.y + y.x, z.x + x.z};
    else if (most == 2)
        q = (hf_quat){z.x - x.z, x.y + y.x, t[2], y.z + z.y};
    else
        q = (hf_quat){x.y - y.x, z.x + x.z, y.z + z.y, t[3]};
    return hf_quat_normalize(q);
}

hf_quat hf_rotation_nearest(const double m[9]) {
    // M = U S V^T: V from M^T M, U = M V S^-1; the third axes by cross products, so that both turn right
    double g[6] = {0};
    for (int i = 0; i < 3; i++) {
        const double* r = m + 3 * i;
        g[0] += r[0] * r[0], g[1] += r[1] * r[1], g[2] += r[2] * r[2];
        g[3] += r[0] * r[1], g[4] += r[0] * r[2], g[5] += r[1] * r[2];
    }
    double values[3];
    hf_vec3 v[3], u[3];
    hf_symmetric_eigen(g, values, v);
    hf_mat3 matrix;
    for (int i = 0; i < 9; i++) matrix.m[i] = m[i];
    if (!(values[0] > 1e-24)) return hf_quat_identity();
    v[2] = hf_cross(v[0], v[1]);
    u[0] = hf_normalize(hf_mat3_mul(&matrix, v[0]));
    u[1] = hf_mat3_mul(&matrix, v[1]);
    u[1] = hf_sub(u[1], hf_scale(u[0], hf_dot(u[0], u[1])));
    // of a matrix of rank one any turn about its axis is as near: take the least
    if (!(hf_length(u[1]) > 1e-9 * sqrt(values[0]))) return hf_quat_between(v[0], u[0]);
    u[1] = hf_normalize(u[1]);
    u[2] = hf_cross(u[0], u[1]);
    return quat_of(hf_add(hf_add(hf_scale(u[0], v[0].x), hf_scale(u[1], v[1].x)), hf_scale(u[2], v[2].x)),
                   hf_add(hf_add(hf_scale(u[0], v[0].y), hf_scale(u[1], v[1].y)), hf_scale(u[2], v[2].y)),
                   hf_add(hf_add(hf_scale(u[0], v[0].z), hf_scale(u[1], v[1].z)), hf_scale(u[2], v[2].z)));
}
