/* How long a contact could last, and how well the body would stand with it (thesis-2015 section 7.1). Where
   the thesis asks whether a contact is in the largest sphere inside the reach volume, this asks the volume;
   where it asks whether the body is balanced, this asks by how much. */
#include "contact/score_terms.h"
#include "base/error.h"

#include <math.h>

static const double ENOUGH_M = 0.05; /* a larger margin does not raise the term */

/* A face with a unit normal that points outwards; a face without area holds everything. */
static hf_plane face_of(const hf_mesh* hull, int triangle) {
    hf_triangle t = hf_triangle_of(hull, triangle);
    hf_vec3 n = hf_normalize(hf_cross(hf_sub(t.v[1], t.v[0]), hf_sub(t.v[2], t.v[0])));
    return (hf_plane){n, hf_dot(n, t.v[0])};
}

/* The distance to the nearest face, below 0 outside. */
static double depth_in(const hf_reach* reach, hf_vec3 p) {
    double least = reach->hull->triangle_count > 0 ? INFINITY : -1;
    for (int t = 0; t < reach->hull->triangle_count && least >= 0; t++) {
        hf_plane face = reach->faces ? reach->faces[t] : face_of(reach->hull, t);
        double depth = face.offset - hf_dot(face.normal, p);
        if (depth < least) least = depth;
    }
    return least;
}

void hf_reach_fill(hf_reach* reach, hf_plane* faces) {
    const hf_mesh* hull = reach->hull;
    hf_vec3 sum = {0, 0, 0};
    for (int t = 0; t < hull->triangle_count; t++) faces[t] = face_of(hull, t);
    for (int i = 0; i < hull->vertex_count; i++) sum = hf_add(sum, hf_vertex(hull->vertices, (size_t)i));
    reach->faces = faces;
    reach->middle = hull->vertex_count > 0 ? hf_scale(sum, 1.0 / hull->vertex_count) : sum;
    reach->free_m = depth_in(reach, reach->middle);
}

/* Around a point known to be inside, all is inside up to its distance from the nearest face: most root poses
   need no test of all faces. */
double hf_reach_lasts(const hf_reach* reach, const hf_outlook* o, hf_transform root, hf_transform base,
                      hf_vec3 point) {
    hf_transform in_root = hf_compose(hf_inverse(root), base);
    hf_vec3 known = reach->middle;
    double free_m = reach->free_m;
    int held = 0;
    for (; held < o->root_count; held++) {
        hf_vec3 p = hf_unapply(hf_compose(o->roots[held], in_root), point);
        if (hf_distance(p, known) < free_m) continue;
        double depth = depth_in(reach, p);
        if (depth < 0) break;
        known = p, free_m = depth;
    }
    return (double)held / o->root_count;
}

hf_status hf_outlook_balance(const hf_outlook* o, const hf_support* support, hf_workspace* workspace,
                             double* balance) {
    HF_REQUIRE(NULL, o && support && workspace && balance);
    *balance = 0;
    if (!o->stance) return HF_OK;
    double margin;
    hf_status status = hf_stance_margin_with(o->stance, support, o->com, workspace, &margin);
    if (status == HF_OK) *balance = fmax(-1, fmin(1, margin / ENOUGH_M));
    return status;
}
