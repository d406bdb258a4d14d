/* The turn R = Ra(u) Rb(v) Rc(w) about three different axes a, b, c. With s = 1 where they follow each other
   in the order x, y, z, x and s = -1 else, the entries of R are
   R[a][c] = s sin v, R[b][c] = -s sin u cos v, R[c][c] = cos u cos v, R[a][b] = -s cos v sin w,
   R[a][a] = cos v cos w. */
#include "io/euler.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
/* Cosine of the middle angle below which the outer two turn about one line. */
static const double LOCKED = 1e-9;

static void nearest(const double angles[3], const double before[3], double degrees[3], double* distance) {
    *distance = 0;
    for (int k = 0; k < 3; k++) {
        double plain = angles[k] * 180 / PI;
        degrees[k] = plain + 360 * round((before[k] - plain) / 360);
        *distance += (degrees[k] - before[k]) * (degrees[k] - before[k]);
    }
}

void hf_euler_degrees(hf_quat turn, const int axes[3], double degrees[3]) {
    const int a = axes[0], b = axes[1], c = axes[2];
    const double s = (b - a + 3) % 3 == 1 ? 1 : -1;
    hf_mat3 m = hf_quat_matrix(turn);
    double(*r)[3] = (double(*)[3])m.m;
    double sine = fmin(fmax(s * r[a][c], -1), 1), cosine = hf_hypot(r[a][a], r[a][b]);
    double one[3] = {0, hf_atan2(sine, cosine), 0};
    if (cosine > LOCKED) {
        one[0] = hf_atan2(-s * r[b][c], r[c][c]);
        one[2] = hf_atan2(-s * r[a][b], r[a][a]);
    } else {
        /* Only the sum or difference of the outer angles counts: the first keeps its value. */
        double sin_u, cos_u, sum = hf_atan2(s * r[c][b], r[b][b]);
        one[0] = degrees[0] * PI / 180;
        sin_u = hf_sin(one[0]), cos_u = hf_cos(one[0]);
        double sin_sum = hf_sin(sum), cos_sum = hf_cos(sum);
        double side = s * sine > 0 ? 1 : -1;
        /* R[b][b] = cos(u + side w), s R[c][b] = sin(u + side w). */
        one[2] = side * hf_atan2(sin_sum * cos_u - cos_sum * sin_u, cos_sum * cos_u + sin_sum * sin_u);
    }
    const double other[3] = {one[0] + PI, PI - one[1], one[2] + PI};
    double found[2][3], distance[2];
    nearest(one, degrees, found[0], &distance[0]);
    nearest(other, degrees, found[1], &distance[1]);
    memcpy(degrees, found[distance[1] < distance[0]], 3 * sizeof *degrees);
}
