/* A URDF with one hinge or slide as two objects. Links that fixed joints hold together are one object; the
   handle is a moving link with "handle" in its name: the middle of its geometry or, without one, its origin.
 */
#include "io/object_urdf.h"

#include "base/error.h"
#include "base/memory.h"
#include "geom/hull.h"
#include "io/creature_reader.h"

#include <holdfast/math.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUND = 32 }; /* corners of what is round */

/* Where a link is: in the root link's frame, or in that of the moving link. */
typedef struct seat {
    const hf_draft_joint* above; /* that the link hangs on, NULL for the root */
    int parent;                  /* the link on the other side of it */
    bool moving;
    hf_transform at;
} seat;

typedef struct object_reader {
    const char* path;
    hf_creature_draft* draft;
    const hf_draft_joint* opens; /* the one joint that moves */
    seat* seats;                 /* of each link */
    hf_object_urdf* out;
    hf_error* error;
} object_reader;

static hf_status fail_joint(const object_reader* r, const hf_draft_joint* j, const char* why) {
    char field[160];
    snprintf(field, sizeof field, "joint \"%.120s\"", j->name);
    return hf_fail(r->error, HF_ERROR_FORMAT, r->path, j->line, field, "%s", why);
}

/* ---- the joint ---- */

static hf_status find_joint(object_reader* r) {
    for (int i = 0; i < r->draft->joints_count; i++) {
        const hf_draft_joint* j = &r->draft->joints[i];
        if (j->type == HF_JOINT_FIXED) continue;
        if (r->opens)
            return fail_joint(r, j, "is a second joint that moves, an object has one hinge or slide");
        r->opens = j;
    }
    if (r->opens) return HF_OK;
    return hf_fail(r->error, HF_ERROR_FORMAT, r->path, 0, NULL,
                   "no joint moves, an object has one hinge (revolute) or slide (prismatic)");
}

static hf_status read_joint(object_reader* r) {
    const hf_draft_joint* j = r->opens;
    hf_reach_object* to = &r->out->joint;
    if (j->type == HF_JOINT_CONTINUOUS)
        return fail_joint(r, j, "is continuous and has no limits, a hinge is revolute with lower and upper");
    if (j->type != HF_JOINT_REVOLUTE && j->type != HF_JOINT_PRISMATIC)
        return fail_joint(r, j, "is neither a hinge (revolute) nor a slide (prismatic)");
    if (j->mimic) return fail_joint(r, j, "follows another joint, which an object does not have");
    if (!j->has_bounds) return fail_joint(r, j, "has no limits lower and upper");
    if (!(j->lower <= 0 && j->upper >= 0))
        return fail_joint(r, j, "its limits do not hold 0, where the object starts");
    to->joint = j->type == HF_JOINT_REVOLUTE ? HF_OBJECT_HINGE : HF_OBJECT_SLIDE;
    to->axis = j->axis;
    to->range[0] = j->lower, to->range[1] = j->upper;
    r->out->moving_name = hf_copy_text(j->child);
    return r->out->moving_name ? HF_OK : hf_fail_memory(r->error, r->path);
}

/* ---- the tree ---- */

static int link_of(const object_reader* r, const char* name) {
    for (int i = 0; i < r->draft->links_count; i++)
        if (strcmp(r->draft->links[i].name, name) == 0) return i;
    return -1;
}

static hf_status hang_links(const object_reader* r) {
    for (int i = 0; i < r->draft->joints_count; i++) {
        const hf_draft_joint* j = &r->draft->joints[i];
        int parent = link_of(r, j->parent), child = link_of(r, j->child);
        if (parent < 0 || child < 0) return fail_joint(r, j, "its parent or child is no link of the file");
        if (r->seats[child].above) return fail_joint(r, j, "its child hangs on another joint already");
        r->seats[child].above = j;
        r->seats[child].parent = parent;
    }
    return HF_OK;
}

/* From a link up to the root; *root is the link on top of all. */
static hf_status find_seat(const object_reader* r, int link, int* root) {
    seat* s = &r->seats[link];
    s->at = hf_transform_identity();
    *root = link;
    for (int i = 0; i < r->draft->links_count; i++) {
        const hf_draft_joint* j = r->seats[*root].above;
        if (!j) return HF_OK;
        s->moving |= j == r->opens;
        s->at = hf_compose(j->origin, s->at);
        *root = r->seats[*root].parent;
    }
    return fail_joint(r, s->above, "hangs on itself");
}

static hf_status find_seats(object_reader* r) {
    int first = -1;
    hf_status status = hang_links(r);
    for (int i = 0; i < r->draft->links_count && status == HF_OK; i++) {
        int root;
        status = find_seat(r, i, &root);
        if (status == HF_OK && first >= 0 && root != first)
            status = hf_fail(r->error, HF_ERROR_FORMAT, r->path, r->draft->links[root].line, NULL,
                             "links \"%.60s\" and \"%.60s\" hang on no joint, all but one must",
                             r->draft->links[first].name, r->draft->links[root].name);
        first = root;
    }
    if (status != HF_OK) return status;
    r->out->moving_at = r->seats[link_of(r, r->opens->child)].at;
    hf_transform back = hf_inverse(r->out->moving_at);
    for (int i = 0; i < r->draft->links_count; i++)
        if (r->seats[i].moving) r->seats[i].at = hf_compose(back, r->seats[i].at);
    return HF_OK;
}

/* ---- geometry ---- */

/* A prism around the cylinder: its flat sides touch the round one. */
static hf_status cylinder_mesh(const hf_shape* s, hf_mesh* mesh, hf_error* error) {
    float points[6 * ROUND], *p = points;
    const double pi = 3.141592653589793;
    double corner = s->radius / hf_cos(pi / ROUND);
    for (int i = 0; i < 2 * ROUND; i++, p += 3) {
        p[0] = (float)(corner * hf_cos(2 * pi * (i / 2) / ROUND));
        p[1] = (float)(corner * hf_sin(2 * pi * (i / 2) / ROUND));
        p[2] = (float)(i % 2 ? s->half_length : -s->half_length);
    }
    return hf_hull_build(points, 2 * ROUND, mesh, error);
}

/* Are all points within HF_MAX_NUMBER? */
static bool is_near(const hf_mesh* m, hf_transform at) {
    for (int i = 0; i < m->vertex_count; i++) {
        const float* p = m->vertices + 3 * (size_t)i;
        if (!(hf_length(hf_apply(at, hf_v3(p[0], p[1], p[2]))) <= HF_MAX_NUMBER)) return false;
    }
    return true;
}

/* Appends `part`, moved, to the mesh. */
static bool append(hf_mesh* to, const hf_mesh* part, hf_transform at) {
    size_t vertices = (size_t)to->vertex_count + (size_t)part->vertex_count;
    size_t triangles = (size_t)to->triangle_count + (size_t)part->triangle_count;
    float* v = hf_resize(to->vertices, 3 * vertices, sizeof *v);
    if (v) to->vertices = v;
    uint32_t* t = v ? hf_resize(to->indices, 3 * triangles, sizeof *t) : NULL;
    if (!t) return false;
    to->indices = t;
    for (int i = 0; i < part->vertex_count; i++) {
        const float* p = part->vertices + 3 * (size_t)i;
        hf_vec3 q = hf_apply(at, hf_v3(p[0], p[1], p[2]));
        float* out = v + 3 * ((size_t)to->vertex_count + (size_t)i);
        out[0] = (float)q.x, out[1] = (float)q.y, out[2] = (float)q.z;
    }
    for (size_t i = 0; i < 3 * (size_t)part->triangle_count; i++)
        t[3 * (size_t)to->triangle_count + i] = part->indices[i] + (uint32_t)to->vertex_count;
    to->vertex_count = (int)vertices;
    to->triangle_count = (int)triangles;
    return true;
}

static hf_status add_shape(object_reader* r, const hf_draft_shape* s, hf_mesh* to) {
    hf_mesh own = {0};
    hf_status status = HF_OK;
    if (s->is_mesh && s->mesh.triangle_count == 0)
        return hf_fail(r->error, HF_ERROR_FILE, r->path, s->line, NULL,
                       "link \"%.60s\": the mesh \"%.200s\" is not found or cannot be used",
                       r->draft->links[s->link].name, s->source);
    if (s->is_cylinder)
        status = cylinder_mesh(&s->shape, &own, r->error);
    else if (!s->is_mesh)
        status = hf_fail_status(r->error, hf_shape_mesh(&s->shape, ROUND, &own), r->path);
    const hf_mesh* part = s->is_mesh ? &s->mesh : &own;
    hf_transform at = hf_compose(r->seats[s->link].at, s->in_link);
    if (status == HF_OK && !is_near(part, at))
        status = hf_fail(r->error, HF_ERROR_FORMAT, r->path, s->line, NULL,
                         "link \"%.60s\": the geometry is more than %g m away", r->draft->links[s->link].name,
                         HF_MAX_NUMBER);
    if (status == HF_OK && !append(to, part, at)) status = hf_fail_memory(r->error, r->path);
    hf_mesh_free(&own);
    return status;
}

static bool has_collision(const hf_creature_draft* d, int link) {
    for (int i = 0; i < d->shapes_count; i++)
        if (d->shapes[i].link == link && !d->shapes[i].visual) return true;
    return false;
}

/* The collision geometry of a link or, where it has none, the visual one. */
static hf_status add_link(object_reader* r, int link, hf_mesh* to) {
    bool visual = !has_collision(r->draft, link);
    hf_status status = HF_OK;
    for (int i = 0; i < r->draft->shapes_count && status == HF_OK; i++)
        if (r->draft->shapes[i].link == link && r->draft->shapes[i].visual == visual)
            status = add_shape(r, &r->draft->shapes[i], to);
    return status;
}

/* The middle of the box about the moving mesh from a vertex on. */
static hf_vec3 middle_from(const hf_mesh* m, int first) {
    hf_vec3 low = {INFINITY, INFINITY, INFINITY}, high = hf_neg(low);
    for (int i = first; i < m->vertex_count; i++) {
        const float* p = m->vertices + 3 * (size_t)i;
        low = hf_v3(fmin(low.x, p[0]), fmin(low.y, p[1]), fmin(low.z, p[2]));
        high = hf_v3(fmax(high.x, p[0]), fmax(high.y, p[1]), fmax(high.z, p[2]));
    }
    return hf_lerp(low, high, 0.5);
}

static hf_status fill_meshes(object_reader* r) {
    hf_status status = HF_OK;
    hf_mesh* moving = &r->out->moving;
    for (int i = 0; i < r->draft->links_count && status == HF_OK; i++) {
        bool moves = r->seats[i].moving;
        int before = moving->vertex_count;
        status = add_link(r, i, moves ? moving : &r->out->still);
        bool handle = moves && strstr(r->draft->links[i].name, "handle");
        if (status != HF_OK || !handle) continue;
        if (r->out->joint.has_handle)
            return hf_fail(r->error, HF_ERROR_FORMAT, r->path, r->draft->links[i].line, NULL,
                           "link \"%.60s\" is a second handle", r->draft->links[i].name);
        r->out->joint.has_handle = true;
        bool shaped = moving->vertex_count > before;
        r->out->joint.handle = shaped ? middle_from(moving, before) : r->seats[i].at.position;
    }
    if (status == HF_OK && moving->triangle_count == 0)
        return fail_joint(r, r->opens, "what it moves has no geometry");
    if (status == HF_OK && !(hf_length(r->out->moving_at.position) <= HF_MAX_NUMBER))
        return fail_joint(r, r->opens, "is too far from the root");
    return status;
}

/* ---- the whole ---- */

static bool keep_warnings(const hf_creature_draft* d, hf_lines* to) {
    bool kept = true;
    for (int i = 0; i < d->warnings.count && kept; i++) kept = hf_lines_add(to, "%s", d->warnings.items[i]);
    return kept;
}

hf_status hf_object_urdf_read(const char* path, const hf_load_options* options, hf_object_urdf* out,
                              hf_lines* warnings, hf_error* error) {
    hf_creature_draft draft = {0};
    object_reader r = {.path = path, .draft = &draft, .out = out, .error = error};
    *out = (hf_object_urdf){0};
    hf_status status = hf_urdf_read(path, options, &draft, error);
    r.seats = hf_alloc((size_t)draft.links_count + 1, sizeof *r.seats);
    if (status == HF_OK && !r.seats) status = hf_fail_memory(error, path);
    if (status == HF_OK) status = find_joint(&r);
    if (status == HF_OK) status = read_joint(&r);
    if (status == HF_OK) status = find_seats(&r);
    if (status == HF_OK) status = fill_meshes(&r);
    if (status == HF_OK && !keep_warnings(&draft, warnings)) status = hf_fail_memory(error, path);
    hf_free(r.seats);
    hf_creature_draft_free(&draft);
    if (status != HF_OK) hf_object_urdf_free(out);
    return status;
}

void hf_object_urdf_free(hf_object_urdf* o) {
    hf_mesh_free(&o->still);
    hf_mesh_free(&o->moving);
    hf_free(o->moving_name);
    memset(o, 0, sizeof *o);
}
