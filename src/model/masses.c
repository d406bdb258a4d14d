/* Masses by volume, for a creature of whose links none has a mass: every body is solid and as dense as water,
   as the bodies of rigs are. A creature of which any link has a mass keeps the masses of its file. */
#include "model/creature_build.h"
#include "base/error.h"

#include <holdfast/mesh.h>

static const double DENSITY = 1000; /* kg/m3 */
enum { ROUND_SIDES = 24 };          /* of the mesh of a round body */

/* Volume, and the integrals of p and of p pT over the volume, about the link's origin. */
typedef struct solid {
    double volume;
    hf_vec3 first;
    double second[6]; /* xx yy zz xy xz yz */
} solid;

static void add_second(double second[6], double share, hf_vec3 a, hf_vec3 b) {
    second[0] += share * a.x * b.x, second[1] += share * a.y * b.y, second[2] += share * a.z * b.z;
    second[3] += share * (a.x * b.y + a.y * b.x) / 2;
    second[4] += share * (a.x * b.z + a.z * b.x) / 2;
    second[5] += share * (a.y * b.z + a.z * b.y) / 2;
}

/* The tetrahedron of the origin and a facet, negative where the facet looks to the origin: its second moments
   are the volume / 20 times (sum of p pT over the corners + s sT), s the sum of the corners. */
static void add_facet(solid* s, hf_vec3 a, hf_vec3 b, hf_vec3 c) {
    double volume = hf_dot(a, hf_cross(b, c)) / 6;
    hf_vec3 sum = hf_add(a, hf_add(b, c));
    s->volume += volume;
    s->first = hf_add(s->first, hf_scale(sum, volume / 4));
    add_second(s->second, volume / 20, a, a);
    add_second(s->second, volume / 20, b, b);
    add_second(s->second, volume / 20, c, c);
    add_second(s->second, volume / 20, sum, sum);
}

static hf_status add_body(const hf_body* body, solid* s) {
    hf_mesh mesh = {0};
    hf_status status = hf_shape_mesh(&body->shape, ROUND_SIDES, &mesh);
    for (int t = 0; t < mesh.triangle_count && status == HF_OK; t++) {
        hf_vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = hf_apply(body->in_link, hf_vertex(mesh.vertices, mesh.indices[3 * (size_t)t + (size_t)k]));
        add_facet(s, p[0], p[1], p[2]);
    }
    hf_mesh_free(&mesh);
    return status;
}

/* Mass, centre and the inertia about the centre. */
static void weigh(const solid* s, hf_link* link) {
    if (!(s->volume > 0)) return;
    hf_vec3 c = hf_scale(s->first, 1 / s->volume);
    double about[6];
    for (int i = 0; i < 6; i++) about[i] = DENSITY * s->second[i];
    link->mass = DENSITY * s->volume;
    link->com = c;
    add_second(about, -link->mass, c, c);
    link->inertia[0] = about[1] + about[2];
    link->inertia[1] = about[0] + about[2];
    link->inertia[2] = about[0] + about[1];
    for (int i = 3; i < 6; i++) link->inertia[i] = -about[i];
}

hf_status hf_build_masses(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    if (v->mass > 0 || v->body_count == 0) return HF_OK;
    for (int l = 0; l < v->link_count; l++) {
        hf_link* link = &b->links[l];
        solid s = {0};
        for (int i = link->first_body; i < link->first_body + link->body_count; i++) {
            hf_status status = add_body(&b->bodies[i], &s);
            if (status != HF_OK) return hf_fail_status(b->error, status, b->file);
        }
        weigh(&s, link);
        v->mass += link->mass;
    }
    return hf_build_warn(b, "no link has a mass: bodies weigh %g kg/m3, %.3g kg in all", DENSITY, v->mass);
}
