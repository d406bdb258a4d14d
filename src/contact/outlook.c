/* How long a contact could last, and how well the body would stand with it (thesis-2015 section 7.1). Where
   the thesis asks whether a contact is in the largest sphere inside the reach volume, this asks the volume;
   where it asks whether the body is balanced, this asks by how much. */
#include <holdfast/outlook.h>

#include <math.h>

static const double ENOUGH_M = 0.05; /* a margin that leaves nothing to wish for */

static hf_vec3 vertex(const hf_mesh* m, uint32_t i) {
    const float* v = m->vertices + 3 * (size_t)i;
    return hf_v3((double)v[0], (double)v[1], (double)v[2]);
}

/* Behind every face of a convex hull with outward faces? */
static bool inside(const hf_mesh* hull, hf_vec3 p) {
    for (int t = 0; t < hull->triangle_count; t++) {
        const uint32_t* i = hull->indices + 3 * (size_t)t;
        hf_vec3 a = vertex(hull, i[0]);
        hf_vec3 n = hf_cross(hf_sub(vertex(hull, i[1]), a), hf_sub(vertex(hull, i[2]), a));
        if (hf_dot(n, hf_sub(p, a)) > 0) return false;
    }
    return hull->triangle_count > 0;
}

double hf_outlook_duration(const hf_outlook* o, int frame, hf_transform root, hf_transform base,
                           hf_vec3 point) {
    const hf_mesh* hull = o->reach ? o->reach[frame > 0 ? frame : 0] : NULL;
    if (!hull || o->root_count < 1) return 0;
    hf_transform in_root = hf_compose(hf_inverse(root), base);
    int held = 0;
    while (held < o->root_count && inside(hull, hf_unapply(hf_compose(o->roots[held], in_root), point)))
        held++;
    return (double)held / o->root_count;
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
