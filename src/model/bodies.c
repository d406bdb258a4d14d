/* Collision bodies and visuals. Capsules, boxes and spheres stay, cylinders and meshes become convex hulls; a
   link without collision geometry takes its visual, else bodies are made up (docs/formats.md). */
#include "model/creature_build.h"
#include "base/error.h"
#include "geom/hull.h"

#include <math.h>
#include <stdio.h>

static const double GAP_RADIUS = 0.02;  /* m, of made-up capsules */
static const double FLAT_MARGIN = 1e-3; /* m, given to meshes without volume */
enum { CYLINDER_SIDES = 32 };

/* ----------------------------------------------------------------------------------------- bodies */

/* A prism around the cylinder: its flat sides touch the round one. */
static bool make_cylinder(hf_arena* arena, double radius, double half_length, hf_shape* shape) {
    enum { N = CYLINDER_SIDES };
    float* vertices = hf_arena_alloc(arena, 2 * N * 3, sizeof(float));
    uint32_t* faces = hf_arena_alloc(arena, (4 * N - 4) * 3, sizeof(uint32_t));
    if (!vertices || !faces) return false;
    double corner = radius / hf_cos(M_PI / N);
    for (int i = 0; i < N; i++) {
        double angle = 2 * M_PI * i / N;
        for (int top = 0; top < 2; top++) {
            float* p = vertices + 3 * (i + top * N);
            p[0] = (float)(corner * hf_cos(angle));
            p[1] = (float)(corner * hf_sin(angle));
            p[2] = (float)(top ? half_length : -half_length);
        }
    }
    uint32_t* f = faces;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t k = (i + 1) % N;
        const uint32_t side[6] = {i, k, k + N, i, k + N, i + N};
        memcpy(f, side, sizeof side);
        f += 6;
    }
    for (uint32_t i = 1; i + 1 < N; i++) {
        const uint32_t caps[6] = {0, i + 1, i, N, N + i, N + i + 1};
        memcpy(f, caps, sizeof caps);
        f += 6;
    }
    *shape = (hf_shape){.kind = HF_SHAPE_HULL, .vertices = vertices, .faces = faces};
    shape->vertex_count = 2 * N;
    shape->face_count = 4 * N - 4;
    return true;
}

/* The hull of a cloud without volume: each point becomes six, a millimetre around it. */
static hf_status thick_hull(const hf_mesh* mesh, hf_mesh* hull, hf_error* error) {
    float* points = hf_alloc((size_t)mesh->vertex_count, 18 * sizeof(float));
    if (!points) return HF_ERROR_MEMORY;
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < 6; k++) {
            float* p = points + 18 * (size_t)i + 3 * k;
            memcpy(p, mesh->vertices + 3 * (size_t)i, 3 * sizeof(float));
            p[k / 2] += (float)(k % 2 ? FLAT_MARGIN : -FLAT_MARGIN);
        }
    hf_status status = hf_hull_build(points, 6 * mesh->vertex_count, hull, error);
    hf_free(points);
    return status;
}

static hf_status make_hull(hf_build* b, const char* link, const hf_mesh* mesh, hf_shape* shape, bool* made) {
    hf_mesh hull = {0};
    hf_error why = {0};
    *made = false;
    hf_status status = hf_hull_build(mesh->vertices, mesh->vertex_count, &hull, &why);
    if (status == HF_ERROR_FORMAT) status = thick_hull(mesh, &hull, &why);
    if (status == HF_ERROR_MEMORY) return hf_build_fail_memory(b);
    if (status != HF_OK)
        return hf_build_warn(b, "link \"%s\": a mesh gives no convex hull (%s)", link, why.message);
    hf_arena* arena = &b->creature->arena;
    *shape = (hf_shape){
        .kind = HF_SHAPE_HULL,
        .vertex_count = hull.vertex_count,
        .face_count = hull.triangle_count,
        .vertices = hf_arena_copy(arena, hull.vertices, 3 * (size_t)hull.vertex_count, sizeof *hull.vertices),
        .faces = hf_arena_copy(arena, hull.indices, 3 * (size_t)hull.triangle_count, sizeof *hull.indices)};
    hf_mesh_free(&hull);
    *made = true;
    return shape->vertices && shape->faces ? HF_OK : hf_build_fail_memory(b);
}

/* No size or place of a shape is beyond what is accepted. */
static bool in_range(const hf_draft_shape* s) {
    double far = fmax(hf_length(s->in_link.position), hf_length(s->shape.half_size));
    far = fmax(far, fmax(s->shape.radius, s->shape.half_length));
    for (int i = 0; i < 3 * s->mesh.vertex_count; i++) far = fmax(far, fabs((double)s->mesh.vertices[i]));
    return far <= HF_MAX_NUMBER;
}

static hf_status check_ranges(hf_build* b) {
    for (int i = 0; i < b->draft->shapes_count; i++) {
        const hf_draft_shape* s = &b->draft->shapes[i];
        if (in_range(s)) continue;
        char field[160];
        snprintf(field, sizeof field, "link \"%.120s\"", b->draft->links[s->link].name);
        return hf_fail(b->error, HF_ERROR_FORMAT, b->file, s->line, field,
                       "a shape is larger or farther than %g m", HF_MAX_NUMBER);
    }
    return HF_OK;
}

/* The convex body of a shape of the draft. */
static hf_status make_shape(hf_build* b, const hf_draft_shape* in, hf_shape* shape, bool* made) {
    *made = true;
    if (in->is_mesh) {
        *made = false;
        if (in->mesh.vertex_count == 0) return HF_OK;
        return make_hull(b, b->draft->links[in->link].name, &in->mesh, shape, made);
    }
    if (in->is_cylinder)
        return make_cylinder(&b->creature->arena, in->shape.radius, in->shape.half_length, shape)
                   ? HF_OK
                   : hf_build_fail_memory(b);
    *shape = in->shape;
    if (shape->kind == HF_SHAPE_CAPSULE && shape->half_length == 0) shape->kind = HF_SHAPE_SPHERE;
    return HF_OK;
}

/* Prepares a hull for many tests. */
static bool form_hull(hf_arena* arena, hf_shape* shape) {
    if (shape->kind != HF_SHAPE_HULL) return true;
    hf_plane* planes = hf_arena_alloc(arena, (size_t)shape->face_count, sizeof *planes);
    struct hf_hull_form* form = hf_arena_alloc(arena, 1, sizeof *form);
    if (!planes || !form) return false;
    hf_hull_form_fill(shape, planes, form);
    shape->form = form;
    return true;
}

static void add_body(hf_build* b, int link, hf_transform in_link, hf_shape shape) {
    hf_creature_view* v = &b->creature->view;
    b->bodies[v->body_count++] = (hf_body){link, in_link, shape};
    b->links[link].body_count++;
}

static hf_status add_shapes(hf_build* b, int link, const int* shapes, int count, bool visual) {
    for (int i = 0; i < count; i++) {
        const hf_draft_shape* s = &b->draft->shapes[shapes[i]];
        hf_shape shape = {0};
        bool made = false;
        if (s->visual != visual) continue;
        hf_status status = make_shape(b, s, &shape, &made);
        if (status != HF_OK) return status;
        if (made && !form_hull(&b->creature->arena, &shape)) return hf_build_fail_memory(b);
        if (made) add_body(b, link, s->in_link, shape);
    }
    return HF_OK;
}

/* A link with mass of which nothing is known but where its children are. Frames without mass (soles, sensors,
   tool points) and leaves have no body. */
static void add_gap_bodies(hf_build* b, int link) {
    b->gap_body[link] = true;
    if (!(b->links[link].mass > 0)) return;
    for (int i = b->first_child[link]; i < b->first_child[link + 1]; i++) {
        hf_vec3 to = b->joints[b->links[b->child_links[i]].joint].origin.position;
        double length = hf_length(to);
        if (length <= GAP_RADIUS) continue;
        hf_transform in_link = {hf_scale(to, 0.5), hf_quat_between(hf_v3(0, 0, 1), hf_scale(to, 1 / length))};
        add_body(b, link, in_link,
                 (hf_shape){.kind = HF_SHAPE_CAPSULE, .radius = GAP_RADIUS, .half_length = length / 2});
    }
}

/* "3 links have ...: a, b, c" in one warning, not one for each. */
static hf_status warn_links(hf_build* b, const int* links, int count, const char* what) {
    if (count == 0) return HF_OK;
    char names[600] = "", more[40] = "";
    int left = 0;
    for (int i = 0; i < count; i++) hf_text_list_add(names, sizeof names, b->links[links[i]].name, &left);
    if (left) snprintf(more, sizeof more, " and %d more", left);
    return hf_build_warn(b, "without collision geometry, %s: %s%s", what, names, more);
}

/* Shapes of each final link, in file order: starts[l] .. starts[l + 1] of `sorted`. */
static hf_status sort_shapes(hf_build* b, int** starts, int** sorted) {
    const hf_creature_draft* d = b->draft;
    int links = b->creature->view.link_count;
    *starts = hf_build_scratch(b, (size_t)links + 2, sizeof(int));
    *sorted = hf_build_scratch(b, (size_t)d->shapes_count, sizeof(int));
    if (!*starts || !*sorted) return hf_build_fail_memory(b);
    for (int i = 0; i < d->shapes_count; i++) (*starts)[b->link_of_draft[d->shapes[i].link] + 2]++;
    for (int l = 0; l < links; l++) (*starts)[l + 2] += (*starts)[l + 1];
    for (int i = 0; i < d->shapes_count; i++)
        (*sorted)[(*starts)[b->link_of_draft[d->shapes[i].link] + 1]++] = i;
    return HF_OK;
}

hf_status hf_build_bodies(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    int *starts, *sorted;
    hf_status status = check_ranges(b);
    if (status == HF_OK) status = sort_shapes(b, &starts, &sorted);
    if (status != HF_OK) return status;
    /* A link has its shapes, or at most one made-up body for each child. */
    size_t most = (size_t)b->draft->shapes_count + 2 * (size_t)v->link_count;
    b->bodies = hf_build_keep(b, most, sizeof *b->bodies);
    b->gap_body = hf_build_keep(b, (size_t)v->link_count, sizeof *b->gap_body);
    int* seen = hf_build_scratch(b, (size_t)v->link_count, sizeof(int));
    int* made_up = hf_build_scratch(b, (size_t)v->link_count, sizeof(int));
    int seen_count = 0, made_up_count = 0;
    if (!b->bodies || !b->gap_body || !seen || !made_up) return hf_build_fail_memory(b);
    v->bodies = b->bodies;
    b->creature->gap_links = b->gap_body;
    for (int l = 0; l < v->link_count; l++) {
        hf_link* link = &b->links[l];
        const int* shapes = sorted + starts[l];
        int count = starts[l + 1] - starts[l];
        link->first_body = v->body_count;
        status = add_shapes(b, l, shapes, count, false);
        if (status == HF_OK && link->body_count == 0) {
            status = add_shapes(b, l, shapes, count, true);
            if (link->body_count > 0) seen[seen_count++] = l;
        }
        if (status != HF_OK) return status;
        if (link->body_count == 0) {
            /* A link without length between two joints gets none, and needs no word. */
            add_gap_bodies(b, l);
            if (link->body_count > 0) made_up[made_up_count++] = l;
        }
    }
    status = warn_links(b, seen, seen_count, "the visual one is taken");
    if (status == HF_OK) status = warn_links(b, made_up, made_up_count, "thin capsules are made");
    return status;
}

/* ---------------------------------------------------------------------------------------- visuals */

static hf_status make_visual(hf_build* b, const hf_draft_shape* in, hf_mesh* mesh, bool* made) {
    hf_mesh own = {0};
    const hf_mesh* from = &in->mesh;
    *made = !in->is_mesh || in->mesh.triangle_count > 0;
    if (!*made) return HF_OK;
    hf_shape shape = in->shape;
    if (!in->is_mesh) {
        hf_status status = in->is_cylinder && !make_cylinder(&b->creature->arena, in->shape.radius,
                                                             in->shape.half_length, &shape)
                               ? HF_ERROR_MEMORY
                               : hf_shape_mesh(&shape, 24, &own);
        if (status != HF_OK) return hf_fail_status(b->error, status, b->file);
        from = &own;
    }
    hf_arena* arena = &b->creature->arena;
    *mesh = *from;
    mesh->vertices = hf_arena_copy(arena, from->vertices, 3 * (size_t)from->vertex_count, sizeof(float));
    mesh->indices = hf_arena_copy(arena, from->indices, 3 * (size_t)from->triangle_count, sizeof(uint32_t));
    hf_mesh_free(&own);
    return mesh->vertices && mesh->indices ? HF_OK : hf_build_fail_memory(b);
}

hf_status hf_build_visuals(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    int *starts, *sorted;
    hf_status status = sort_shapes(b, &starts, &sorted);
    if (status != HF_OK) return status;
    b->visuals = hf_build_keep(b, (size_t)b->draft->shapes_count, sizeof *b->visuals);
    if (!b->visuals) return hf_build_fail_memory(b);
    v->visuals = b->visuals;
    for (int l = 0; l < v->link_count; l++) {
        b->links[l].first_visual = v->visual_count;
        for (int i = starts[l]; i < starts[l + 1]; i++) {
            const hf_draft_shape* s = &b->draft->shapes[sorted[i]];
            hf_visual* out = &b->visuals[v->visual_count];
            bool made = false;
            if (!s->visual) continue;
            status = make_visual(b, s, &out->mesh, &made);
            if (status != HF_OK) return status;
            if (!made) continue;
            out->link = l;
            out->in_link = s->in_link;
            memcpy(out->colour, s->colour, sizeof out->colour);
            v->visual_count++;
            b->links[l].visual_count++;
        }
    }
    return HF_OK;
}

double hf_body_support(const hf_body* body, hf_vec3 out) {
    hf_vec3 d = hf_unrotate(body->in_link.rotation, out);
    const hf_shape* s = &body->shape;
    double far = -INFINITY;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
        far = s->radius;
        break;
    case HF_SHAPE_CAPSULE:
        far = s->radius + fabs(d.z) * s->half_length;
        break;
    case HF_SHAPE_BOX:
        far = fabs(d.x) * s->half_size.x + fabs(d.y) * s->half_size.y + fabs(d.z) * s->half_size.z;
        break;
    case HF_SHAPE_HULL:
        for (int i = 0; i < s->vertex_count; i++) {
            const float* p = s->vertices + 3 * (size_t)i;
            far = fmax(far, d.x * p[0] + d.y * p[1] + d.z * p[2]);
        }
    }
    return far + hf_dot(body->in_link.position, out);
}

double hf_link_support(const hf_build* b, int link, hf_transform at, hf_vec3 out) {
    const hf_link* l = &b->links[link];
    double far = -INFINITY;
    for (int i = l->first_body; i < l->first_body + l->body_count; i++)
        far = fmax(far, hf_body_support(&b->bodies[i], hf_unrotate(at.rotation, out)));
    return far + hf_dot(at.position, out);
}
