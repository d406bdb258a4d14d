/* Noise of captured positions: white noise of some millimetres, as estimates from video and depth cameras
   have, makes feet that stand faster than feet that step. Third differences tell how large the noise is,
   where frames follow each other so fast that the motion's own jerk is less; where it is plain, every joint
   follows the parabola through the positions about each frame (Savitzky and Golay, 1964). */
#include "base/error.h"
#include "base/memory.h"
#include "io/positions.h"

#include <math.h>
#include <stdlib.h>

/* Noise below this part of the body's size is left alone: 2 mm of a person. */
static const double QUIET_SHARE = 0.0012;
/* Half of the time over which a parabola is laid, s: shorter than the swing of a foot. */
static const double HALF_S = 0.07;
/* Third differences grow with the cube of the time between frames: at 15 frames a second those of a walk are
   as large as a noise of 2 mm, at 25 a fifth of that. Clips with more time between frames are left alone, s.
 */
static const double MOST_FRAME_S = 0.0401; /* 25 frames a second, with times written to a tenth of 1 ms */
/* Fewer frames do not tell how large the noise is. */
enum { LEAST_FRAMES = 8 };
/* The median of the sizes of third differences over the standard deviation of the noise: 0.6745 sqrt(20). */
static const double MEDIAN_OF_THIRD = 3.0165;

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Standard deviation of a coordinate's noise, over all joints; 0 for clips that are too short or of too few
 * frames a second to tell. */
static hf_status find_noise(const hf_positions* p, double* noise) {
    size_t row = 3 * (size_t)p->joint_count, count = 0;
    *noise = 0;
    if (p->frame_count < LEAST_FRAMES || p->frame_time_s > MOST_FRAME_S) return HF_OK;
    double* sizes = hf_alloc(row * (size_t)(p->frame_count - 3), sizeof *sizes);
    if (!sizes) return HF_ERROR_MEMORY;
    for (size_t f = 0; f + 3 < (size_t)p->frame_count; f++)
        for (size_t i = 0; i < row; i++) {
            const double* v = p->values + f * row + i;
            sizes[count++] = fabs(v[3 * row] - 3 * v[2 * row] + 3 * v[row] - v[0]);
        }
    qsort(sizes, count, sizeof *sizes, by_size);
    *noise = sizes[count / 2] / MEDIAN_OF_THIRD;
    hf_free(sizes);
    return HF_OK;
}

/* Value at 0 of the parabola of least squares through the values at -before .. after, a row apart. */
static double parabola(const double* v, size_t row, int before, int after) {
    double n = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
    for (int k = -before; k <= after; k++) {
        double t = k, y = v[(ptrdiff_t)row * k];
        n += 1, s1 += t, s2 += t * t, s3 += t * t * t, s4 += t * t * t * t;
        y0 += y, y1 += t * y, y2 += t * t * y;
    }
    double c0 = s2 * s4 - s3 * s3, c1 = s2 * s3 - s1 * s4, c2 = s1 * s3 - s2 * s2;
    return (c0 * y0 + c1 * y1 + c2 * y2) / (n * c0 + s1 * c1 + s2 * c2);
}

hf_status hf_positions_smooth(const char* path, hf_positions* p, double size, hf_lines* warnings,
                              hf_error* error) {
    double noise;
    int half = (int)ceil(HALF_S / p->frame_time_s), last = p->frame_count - 1;
    hf_status status = find_noise(p, &noise);
    if (status != HF_OK) return hf_fail_memory(error, path);
    if (!(noise > QUIET_SHARE * size) || last < 2 * half) return HF_OK;
    size_t row = 3 * (size_t)p->joint_count;
    double* smooth = hf_alloc(row * (size_t)p->frame_count, sizeof *smooth);
    bool told =
        smooth && hf_lines_add(warnings, "positions have a noise of %.2g file units: smoothed over %.2f s",
                               noise, (2 * half + 1) * p->frame_time_s);
    if (!told) {
        hf_free(smooth);
        return hf_fail_memory(error, path);
    }
    for (int f = 0; f <= last; f++)
        for (size_t i = 0; i < row; i++)
            smooth[(size_t)f * row + i] = parabola(p->values + (size_t)f * row + i, row, f < half ? f : half,
                                                   last - f < half ? last - f : half);
    hf_free(p->values);
    p->values = smooth;
    return HF_OK;
}
