/* What many tests of one hull ask for, made once: its sides, its box and its middle. */
#include "geom/hull.h"

#include <math.h>

/* A face whose corners are this near to the plane of another that looks the same way belongs to its side, as
   a share of the hull's size. Corners are in single precision. */
static const double SAME_PLANE = 1e-6, SAME_WAY = 0.999;

static hf_vec3 vertex(const hf_shape* s, uint32_t index) { return hf_vertex(s->vertices, (size_t)index); }

hf_plane hf_hull_plane(const hf_shape* s, int face) {
    const uint32_t* f = s->faces + 3 * (size_t)face;
    hf_vec3 a = vertex(s, f[0]), b = vertex(s, f[1]), c = vertex(s, f[2]);
    hf_vec3 n = hf_cross(hf_sub(b, a), hf_sub(c, a));
    double l = hf_length(n);
    if (!(l > 0)) return (hf_plane){{0, 0, 0}, 0};
    n = hf_scale(n, 1 / l);
    return (hf_plane){n, hf_dot(n, a)};
}

void hf_hull_box(const hf_shape* s, hf_vec3* low, hf_vec3* high) {
    *low = hf_v3(INFINITY, INFINITY, INFINITY), *high = hf_neg(*low);
    for (int i = 0; i < s->vertex_count; i++) {
        hf_vec3 v = vertex(s, (uint32_t)i);
        *low = hf_v3(fmin(low->x, v.x), fmin(low->y, v.y), fmin(low->z, v.z));
        *high = hf_v3(fmax(high->x, v.x), fmax(high->y, v.y), fmax(high->z, v.z));
    }
}

hf_vec3 hf_hull_middle(const hf_shape* s, hf_vec3 about) {
    hf_vec3 moment = hf_v3(0, 0, 0);
    double volume = 0;
    for (int f = 0; f < s->face_count; f++) {
        hf_vec3 v[3];
        for (int k = 0; k < 3; k++) v[k] = hf_sub(vertex(s, s->faces[3 * (size_t)f + (size_t)k]), about);
        double six = hf_dot(v[0], hf_cross(v[1], v[2]));
        volume += six;
        moment = hf_add(moment, hf_scale(hf_add(v[0], hf_add(v[1], v[2])), six / 4));
    }
    return volume > 0 ? hf_add(about, hf_scale(moment, 1 / volume)) : about;
}

/* Does the face lie in a plane that is known? */
static bool is_known(const hf_shape* s, int face, const hf_plane* planes, int count, double near) {
    hf_vec3 own = hf_hull_plane(s, face).normal;
    for (int i = 0; i < count; i++) {
        bool same = hf_dot(own, planes[i].normal) > SAME_WAY;
        for (int k = 0; k < 3 && same; k++) {
            hf_vec3 v = vertex(s, s->faces[3 * (size_t)face + (size_t)k]);
            same = fabs(hf_dot(planes[i].normal, v) - planes[i].offset) <= near;
        }
        if (same) return true;
    }
    return false;
}

static double area_of(const hf_shape* s, int face) {
    const uint32_t* f = s->faces + 3 * (size_t)face;
    hf_vec3 a = vertex(s, f[0]);
    return hf_length(hf_cross(hf_sub(vertex(s, f[1]), a), hf_sub(vertex(s, f[2]), a)));
}

/* Large faces come first, as their planes are the most exact: those above the mean, then the others. The
   planes are moved out to the farthest corner, so that nothing of the hull is beyond them. */
void hf_hull_form_fill(const hf_shape* s, hf_plane* planes, struct hf_hull_form* form) {
    *form = (struct hf_hull_form){.planes = planes};
    hf_hull_box(s, &form->low, &form->high);
    form->middle = hf_hull_middle(s, hf_scale(hf_add(form->low, form->high), 0.5));
    double near = SAME_PLANE * hf_distance(form->low, form->high), mean = 0;
    for (int f = 0; f < s->face_count; f++) mean += area_of(s, f) / s->face_count;
    for (int small = 0; small < 2; small++)
        for (int f = 0; f < s->face_count; f++) {
            hf_plane p = hf_hull_plane(s, f);
            if ((area_of(s, f) < mean) != small || !(hf_dot(p.normal, p.normal) > 0)) continue;
            if (is_known(s, f, planes, form->plane_count, near)) continue;
            for (int i = 0; i < s->vertex_count; i++)
                p.offset = fmax(p.offset, hf_dot(p.normal, vertex(s, (uint32_t)i)));
            planes[form->plane_count++] = p;
        }
}
