/* How long a contact could last, and how well the body would stand with it (thesis-2015 section 7.1). Where
   the thesis asks whether a contact is in the largest sphere inside the reach volume, this asks the volume;
   where it asks whether the body is balanced, this asks by how much. */
#include "contact/score_terms.h"

#include <math.h>

static const double ENOUGH_M = 0.05; /* a margin that leaves nothing to wish for */

static hf_vec3 vertex(const hf_mesh* m, uint32_t i) {
    const float* v = m->vertices + 3 * (size_t)i;
    return hf_v3((double)v[0], (double)v[1], (double)v[2]);
}

hf_plane hf_outlook_plane(const hf_mesh* hull, int triangle) {
    const uint32_t* i = hull->indices + 3 * (size_t)triangle;
    hf_vec3 a = vertex(hull, i[0]);
    hf_vec3 n = hf_cross(hf_sub(vertex(hull, i[1]), a), hf_sub(vertex(hull, i[2]), a));
    return (hf_plane){n, hf_dot(n, a)};
}

/* Behind every face of a convex hull with outward faces? `planes` may be NULL. */
static bool inside(const hf_mesh* hull, const hf_plane* planes, hf_vec3 p) {
    for (int t = 0; t < hull->triangle_count; t++) {
        hf_plane plane = planes ? planes[t] : hf_outlook_plane(hull, t);
        if (hf_dot(plane.normal, p) > plane.offset) return false;
    }
    return hull->triangle_count > 0;
}

double hf_outlook_lasts(const hf_outlook* o, const hf_mesh* hull, const hf_plane* planes, hf_transform root,
                        hf_transform base, hf_vec3 point) {
    hf_transform in_root = hf_compose(hf_inverse(root), base);
    int held = 0;
    while (held < o->root_count &&
           inside(hull, planes, hf_unapply(hf_compose(o->roots[held], in_root), point)))
        held++;
    return (double)held / o->root_count;
}

double hf_outlook_duration(const hf_outlook* o, int frame, hf_transform root, hf_transform base,
                           hf_vec3 point) {
    const hf_mesh* hull = o->reach ? o->reach[frame > 0 ? frame : 0] : NULL;
    return hull && o->root_count > 0 ? hf_outlook_lasts(o, hull, NULL, root, base, point) : 0;
}

hf_status hf_outlook_balance(const hf_outlook* o, const hf_support* support, hf_workspace* workspace,
                             double* balance) {
    *balance = 0;
    if (!o->stance) return HF_OK;
    double margin;
    hf_status status = hf_stance_margin_with(o->stance, support, o->com, workspace, &margin);
    if (status == HF_OK) *balance = fmax(-1, fmin(1, margin / ENOUGH_M));
    return status;
}
