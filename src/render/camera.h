/* A pinhole camera and how it is fitted to points. */
#ifndef HF_RENDER_CAMERA_H
#define HF_RENDER_CAMERA_H

#include <holdfast/math.h>
#include <stdbool.h>

typedef struct hf_camera {
    hf_vec3 eye, forward, right, up; /* unit axes */
    double tan_x, tan_y;             /* half the view at distance 1 */
} hf_camera;

/* Looks at `focus` from `distance` away, standing at azimuth and elevation (rad). */
hf_camera hf_camera_at(hf_vec3 focus, double distance, double azimuth, double elevation, double aspect);
/* The same direction, from where all points just fit, with a margin. False when there is no point. */
bool hf_camera_fit(const hf_vec3* points, int count, double azimuth, double elevation, double aspect,
                   hf_camera* camera);
/* Unit direction through (x, y) in [-1, 1], y up. */
hf_vec3 hf_camera_ray(const hf_camera* camera, double x, double y);

#endif
