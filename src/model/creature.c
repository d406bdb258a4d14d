/* From a draft to a creature: the order of the steps, and what is asked of a creature afterwards. */
#include "model/creature.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "model/creature_build.h"
#include "model/body_bounds.h"
#include "model/kinematic_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double TALLEST_M = 20; /* a taller creature is one whose file is in other units */

void* hf_build_keep(hf_build* b, size_t count, size_t size) {
    return hf_arena_alloc(&b->creature->arena, count, size);
}

void* hf_build_scratch(hf_build* b, size_t count, size_t size) {
    return hf_arena_alloc(&b->scratch, count, size);
}

hf_status hf_build_fail_memory(hf_build* b) { return hf_fail_memory(b->error, b->file); }

hf_status hf_build_warn(hf_build* b, const char* format, ...) {
    char text[900];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return hf_lines_add(&b->creature->warnings, "%s", text) ? HF_OK : hf_build_fail_memory(b);
}

/* The lines as one text; NULL for none. False when memory is out. */
static bool join_folders(const hf_lines* lines, hf_arena* arena, const char** text) {
    size_t size = 1;
    for (int i = 0; i < lines->count; i++) size += strlen(lines->items[i]) + 1;
    *text = NULL;
    if (lines->count == 0) return true;
    char *joined = hf_arena_alloc(arena, size, 1), *end = joined;
    for (int i = 0; joined && i < lines->count; i++)
        end += snprintf(end, size - (size_t)(end - joined), "%s%s", i ? "\n" : "", lines->items[i]);
    *text = joined;
    return joined;
}

/* Names, paths, and the warnings of the readers. */
static hf_status copy_texts(hf_build* b) {
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    hf_arena* arena = &b->creature->arena;
    const char* path = d->path ? d->path : "";
    v->path = hf_arena_text(arena, path);
    v->urdf_path = d->urdf_path ? hf_arena_text(arena, d->urdf_path) : NULL;
    v->control_path = d->control_path ? hf_arena_text(arena, d->control_path) : NULL;
    if (d->name) {
        v->name = hf_arena_text(arena, d->name);
    } else {
        /* The file's name up to its first point. */
        const char* name = hf_path_name(path);
        size_t length = strcspn(name, ".");
        char* stem = hf_arena_alloc(arena, length + 1, 1);
        if (stem) memcpy(stem, name, length);
        v->name = stem;
    }
    if (!v->path || !v->name || (d->urdf_path && !v->urdf_path) || (d->control_path && !v->control_path))
        return hf_build_fail_memory(b);
    if (!join_folders(&d->package_path, arena, &v->package_path)) return hf_build_fail_memory(b);
    for (int i = 0; i < d->warnings.count; i++)
        if (!hf_lines_add(&b->creature->warnings, "%s", d->warnings.items[i])) return hf_build_fail_memory(b);
    return HF_OK;
}

/* The bodies' extent along Z at rest. */
static hf_status measure_height(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < v->link_count; i++) {
        high = fmax(high, hf_link_support(b, i, b->rest_links[i], hf_v3(0, 0, 1)));
        low = fmin(low, -hf_link_support(b, i, b->rest_links[i], hf_v3(0, 0, -1)));
    }
    v->height = high > low ? high - low : 0;
    if (v->height <= TALLEST_M) return HF_OK;
    return hf_build_warn(b, "it is %.0f m tall: lengths and meshes are in metres, a mesh has a \"scale\"",
                         v->height);
}

/* ------------------------------------------------------------------------------------------- hash */

static uint64_t hash_vec3(uint64_t h, hf_vec3 p) {
    return hf_hash_double(hf_hash_double(hf_hash_double(h, p.x), p.y), p.z);
}

static uint64_t hash_transform(uint64_t h, hf_transform t) {
    h = hash_vec3(hf_hash_double(h, t.rotation.w), hf_v3(t.rotation.x, t.rotation.y, t.rotation.z));
    return hash_vec3(h, t.position);
}

static uint64_t hash_joints(uint64_t h, const hf_creature_view* v) {
    for (int i = 0; i < v->joint_count; i++) {
        const hf_joint* j = &v->joints[i];
        h = hf_hash_int(hf_hash_text(h, j->name), j->type);
        h = hf_hash_int(hf_hash_int(h, j->parent_link), j->child_link);
        h = hash_vec3(hash_transform(h, j->origin), j->axis);
        h = hf_hash_double(hf_hash_double(h, j->lower), j->upper);
        h = hf_hash_double(hf_hash_double(h, j->max_speed), j->max_acceleration);
        h = hf_hash_int(hf_hash_double(h, j->max_effort), j->mimic);
        h = hf_hash_double(hf_hash_double(h, j->multiplier), j->offset);
    }
    return h;
}

static uint64_t hash_bodies(uint64_t h, const hf_creature_view* v) {
    for (int i = 0; i < v->body_count; i++) {
        const hf_body* b = &v->bodies[i];
        const hf_shape* s = &b->shape;
        h = hash_transform(hf_hash_int(hf_hash_int(h, b->link), s->kind), b->in_link);
        h = hash_vec3(hf_hash_double(hf_hash_double(h, s->radius), s->half_length), s->half_size);
        if (s->kind != HF_SHAPE_HULL) continue;
        h = hf_hash_bytes(h, s->vertices, 3 * (size_t)s->vertex_count * sizeof *s->vertices);
        h = hf_hash_bytes(h, s->faces, 3 * (size_t)s->face_count * sizeof *s->faces);
    }
    return h;
}

static uint64_t hash_limbs(uint64_t h, const hf_creature_view* v) {
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb* l = &v->limbs[i];
        h = hf_hash_int(hf_hash_int(hf_hash_text(h, l->name), l->root_link), l->effector_link);
        h = hf_hash_int(hf_hash_int(h, l->use), l->grip);
        h = hf_hash_int(hf_hash_double(h, l->max_force), l->mirror_of);
        for (int k = 0; k < l->joint_count; k++) h = hf_hash_int(h, l->joints[k]);
        for (int k = 0; k < l->exclude_count; k++) h = hf_hash_int(h, l->excludes[k]);
        for (int k = 0; k < l->contact_count; k++) {
            const hf_contact_frame* c = &l->contacts[k];
            h = hash_vec3(hash_vec3(hf_hash_int(hf_hash_text(h, c->name), c->link), c->offset), c->normal);
            h = hf_hash_double(hf_hash_double(hf_hash_double(h, c->patch[0]), c->patch[1]), c->ball);
        }
    }
    return h;
}

static uint64_t hash_roms(uint64_t h, const hf_creature_view* v) {
    for (int i = 0; i < v->rom_count; i++) {
        const hf_rom* r = &v->roms[i];
        for (int k = 0; k < r->joint_count; k++) h = hf_hash_int(h, r->joints[k]);
        for (int p = 0; p < r->piece_count; p++) {
            int numbers = r->pieces[p].plane_count * (r->joint_count + 1);
            h = hf_hash_int(h, numbers);
            for (int k = 0; k < numbers; k++) h = hf_hash_double(h, r->pieces[p].planes[k]);
        }
        for (int k = 0; k < r->corner_count; k++) h = hash_vec3(h, r->corners[k]);
        h = hf_hash_double(hf_hash_double(h, r->twist[0]), r->twist[1]);
    }
    return h;
}

static uint64_t hash_creature(const hf_creature* creature) {
    const hf_creature_view* v = &creature->view;
    uint64_t h = HF_HASH_START;
    for (int i = 0; i < v->link_count; i++) {
        const hf_link* l = &v->links[i];
        h = hf_hash_int(hf_hash_text(h, l->name), l->parent_link);
        h = hash_vec3(hf_hash_double(h, l->mass), l->com);
        for (int k = 0; k < 6; k++) h = hf_hash_double(h, l->inertia[k]);
    }
    h = hash_joints(h, v);
    h = hash_bodies(h, v);
    h = hash_limbs(h, v);
    h = hash_roms(h, v);
    for (int i = 0; i < v->q_count; i++) h = hf_hash_double(h, v->rest[i]);
    size_t bits = (size_t)v->body_count * (size_t)v->body_count;
    h = hf_hash_bytes(h, creature->pairs, (bits + 31) / 32 * sizeof *creature->pairs);
    const double numbers[] = {
        v->limits.root_speed, v->limits.root_turn, v->limits.root_acceleration, v->limits.joint_speed,
        v->guide.tilt,        v->guide.tilt_max,   v->guide.tilt_side,          v->limits.joint_acceleration,
        v->guide.trunk_scale, v->guide.bent_tilt};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) h = hf_hash_double(h, numbers[i]);
    for (int i = 0; i < v->trunk_count; i++) h = hf_hash_int(h, v->trunk[i]);
    int steps = 0;
    for (int i = 0; i < v->gait_count; i++) h = hf_hash_int(h, v->gait_sizes[i]), steps += v->gait_sizes[i];
    for (int i = 0; i < steps; i++) h = hf_hash_int(h, v->gait_limbs[i]);
    for (int i = 0; i < v->guide.upright_count; i++) h = hf_hash_int(h, v->guide.upright[i]);
    for (int i = 0; i < v->guide.bent_count; i++) h = hf_hash_int(h, v->guide.bent[i]);
    for (int i = 0; v->guide.bent_q && i < v->q_count; i++) h = hf_hash_double(h, v->guide.bent_q[i]);
    return hf_hash_int(h, v->guide.any);
}

/* ------------------------------------------------------------------------------------------ build */

static hf_status build(hf_build* b) {
    hf_status status = copy_texts(b);
    if (status == HF_OK) status = hf_build_tree(b);
    if (status == HF_OK) status = hf_build_bodies(b);
    if (status == HF_OK) status = hf_build_masses(b);
    if (status == HF_OK) status = hf_fail_status(b->error, hf_kinematic_tree_build(b->creature), b->file);
    if (status == HF_OK) status = hf_build_limits(b);
    if (status == HF_OK) status = hf_build_rest(b);
    if (status == HF_OK) status = hf_fail_status(b->error, hf_body_bounds_build(b->creature), b->file);
    if (status == HF_OK) status = hf_build_visuals(b);
    if (status == HF_OK) status = hf_build_limbs(b);
    if (status == HF_OK) status = hf_fail_status(b->error, hf_effectors_build(b->creature), b->file);
    if (status == HF_OK) status = hf_build_states(b);
    if (status == HF_OK) status = hf_build_roms(b);
    if (status == HF_OK) status = hf_build_pairs(b);
    if (status != HF_OK) return status;
    status = measure_height(b);
    if (status != HF_OK) return status;
    hf_creature_view* v = &b->creature->view;
    v->warnings.count = b->creature->warnings.count;
    v->warnings.items = (const char* const*)b->creature->warnings.items;
    b->creature->hash = hash_creature(b->creature);
    return HF_OK;
}

hf_status hf_creature_build(const hf_creature_draft* draft, hf_creature** creature, hf_error* error) {
    *creature = NULL;
    hf_build b = {.draft = draft, .error = error, .file = draft->urdf_path ? draft->urdf_path : draft->path};
    b.creature = hf_alloc(1, sizeof *b.creature);
    hf_status status = b.creature ? build(&b) : hf_build_fail_memory(&b);
    hf_arena_free(&b.scratch);
    if (status == HF_OK)
        *creature = b.creature;
    else
        hf_creature_free(b.creature);
    return status;
}

void hf_creature_free(hf_creature* creature) {
    if (!creature) return;
    hf_arena_free(&creature->arena);
    hf_lines_free(&creature->warnings);
    hf_free(creature);
}

/* ---------------------------------------------------------------------------------------- queries */

const hf_creature_view* hf_creature_get(const hf_creature* creature) { return &creature->view; }

int hf_creature_find_link(const hf_creature* creature, const char* name) {
    for (int i = 0; i < creature->view.link_count; i++)
        if (strcmp(creature->view.links[i].name, name) == 0) return i;
    return -1;
}

int hf_creature_find_joint(const hf_creature* creature, const char* name) {
    for (int i = 0; i < creature->view.joint_count; i++)
        if (strcmp(creature->view.joints[i].name, name) == 0) return i;
    return -1;
}

int hf_creature_find_limb(const hf_creature* creature, const char* name) {
    for (int i = 0; i < creature->view.limb_count; i++)
        if (strcmp(creature->view.limbs[i].name, name) == 0) return i;
    return -1;
}

bool hf_creature_pair_enabled(const hf_creature* creature, int body_a, int body_b) {
    HF_ASSERT(body_a >= 0 && body_a < creature->view.body_count);
    HF_ASSERT(body_b >= 0 && body_b < creature->view.body_count);
    return hf_pair_bit(creature, body_a, body_b);
}

uint64_t hf_creature_hash(const hf_creature* creature) { return creature->hash; }
