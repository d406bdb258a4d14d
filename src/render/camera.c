/* A pinhole camera. Fitting: along a fixed direction each side of the view is a plane whose tightest place
   is decided by one point; opposite sides meet where the eye must stand. */
#include "render/camera.h"

/* Half the angle of view, of the smaller side. */
static const double HALF_ANGLE = 0.27;
/* Share of the view that stays free around what is fitted. */
static const double MARGIN = 0.07;

static hf_camera look(double azimuth, double elevation, double aspect) {
    hf_camera c = {0};
    double limit = 1.5; /* straight up has no right hand */
    elevation = fmax(-limit, fmin(limit, elevation));
    hf_vec3 back = hf_v3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation));
    c.forward = hf_neg(back);
    c.right = hf_normalize(hf_cross(c.forward, hf_v3(0, 0, 1)));
    c.up = hf_cross(c.right, c.forward);
    double t = tan(HALF_ANGLE);
    c.tan_x = aspect >= 1 ? t * aspect : t;
    c.tan_y = aspect >= 1 ? t : t / aspect;
    return c;
}

hf_camera hf_camera_at(hf_vec3 focus, double distance, double azimuth, double elevation, double aspect) {
    hf_camera c = look(azimuth, elevation, aspect);
    c.eye = hf_sub(focus, hf_scale(c.forward, distance));
    return c;
}

bool hf_camera_fit(const hf_vec3* points, int count, double azimuth, double elevation, double aspect,
                   hf_camera* camera) {
    hf_camera c = look(azimuth, elevation, aspect);
    double tx = c.tan_x * (1 - MARGIN), ty = c.tan_y * (1 - MARGIN);
    /* A point at (x, y, z) in camera axes about the world's origin is in view from (ex, ey, ez) when
       |x - ex| <= tx (z - ez), and so for y. */
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY, nearest = INFINITY;
    for (int i = 0; i < count; i++) {
        double x = hf_dot(points[i], c.right), y = hf_dot(points[i], c.up), z = hf_dot(points[i], c.forward);
        left = fmin(left, x + tx * z), right = fmax(right, x - tx * z);
        low = fmin(low, y + ty * z), high = fmax(high, y - ty * z);
        nearest = fmin(nearest, z);
    }
    if (count == 0 || !isfinite(left + right + low + high)) return false;
    double ez = fmin((left - right) / (2 * tx), (low - high) / (2 * ty));
    ez = fmin(ez, nearest - 0.05); /* a single point still needs some distance */
    double ex = (left + right) / 2, ey = (low + high) / 2;
    c.eye = hf_add(hf_add(hf_scale(c.right, ex), hf_scale(c.up, ey)), hf_scale(c.forward, ez));
    *camera = c;
    return true;
}

hf_vec3 hf_camera_ray(const hf_camera* c, double x, double y) {
    hf_vec3 d = hf_add(hf_scale(c->right, x * c->tan_x), hf_scale(c->up, y * c->tan_y));
    return hf_normalize(hf_add(c->forward, d));
}
