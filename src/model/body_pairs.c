/* Which pairs of bodies are tested for self-collision: all but those of one link, of a link and its
   parent, those the SRDF or a skeleton's draft disables, and those that touch in the rest posture
   (reaching-2003, section 4). */
#include "model/creature_build.h"

static void set_pair(hf_creature* c, int a, int b) {
    size_t count = (size_t)c->view.body_count;
    size_t one = (size_t)a * count + (size_t)b, two = (size_t)b * count + (size_t)a;
    c->pairs[one / 32] |= 1u << (one % 32);
    c->pairs[two / 32] |= 1u << (two % 32);
}

/* Radius around the body's own origin. */
static double bound(const hf_shape* s) {
    double most = 0;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
        return s->radius;
    case HF_SHAPE_CAPSULE:
        return s->radius + s->half_length;
    case HF_SHAPE_BOX:
        return hf_length(s->half_size);
    case HF_SHAPE_HULL:
        for (int i = 0; i < s->vertex_count; i++) {
            most = fmax(most, hf_length(hf_vertex(s->vertices, (size_t)i)));
        }
    }
    return most;
}

static hf_vec3 corner(const hf_shape* s, uint32_t index) { return hf_vertex(s->vertices, (size_t)index); }

/* Radius of a ball around the body's own origin that lies in it; 0 when the origin is outside. */
static double inner(const hf_shape* s) {
    double least = INFINITY;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
    case HF_SHAPE_CAPSULE:
        return s->radius;
    case HF_SHAPE_BOX:
        return fmin(s->half_size.x, fmin(s->half_size.y, s->half_size.z));
    case HF_SHAPE_HULL:
        for (int f = 0; f < s->face_count; f++) {
            hf_vec3 a = corner(s, s->faces[3 * f]);
            hf_vec3 ab = hf_sub(corner(s, s->faces[3 * f + 1]), a);
            hf_vec3 ac = hf_sub(corner(s, s->faces[3 * f + 2]), a);
            least = fmin(least, hf_dot(hf_normalize(hf_cross(ab, ac)), a));
        }
        /* A hair less, for the rounding of the corners. */
        return fmax(0, least * (1 - 1e-5));
    }
    return 0;
}

/* A body at rest, with balls around and inside it. */
typedef struct rest_body {
    const hf_shape* shape;
    hf_transform at;
    double outer, inner;
} rest_body;

static bool touch(const rest_body* a, const rest_body* b) {
    double distance = hf_distance(a->at.position, b->at.position);
    if (distance > a->outer + b->outer) return false;
    if (distance < a->inner + b->inner) return true;
    return hf_shape_distance(a->shape, a->at, b->shape, b->at) <= 0;
}

/* Links that the SRDF takes apart, as bits of a table over links. */
static hf_status disabled_links(hf_build* b, uint32_t** table) {
    const hf_creature_draft* d = b->draft;
    size_t links = (size_t)b->creature->view.link_count;
    *table = hf_build_scratch(b, (links * links + 31) / 32, sizeof **table);
    if (!*table) return hf_build_fail_memory(b);
    for (int i = 0; i < d->disabled_count; i++) {
        int one = hf_build_find_link(b, d->disabled[i].a), two = hf_build_find_link(b, d->disabled[i].b);
        if (one < 0 || two < 0) continue;
        size_t x = (size_t)one * links + (size_t)two, y = (size_t)two * links + (size_t)one;
        (*table)[x / 32] |= 1u << (x % 32);
        (*table)[y / 32] |= 1u << (y % 32);
    }
    return HF_OK;
}

hf_status hf_build_pairs(hf_build* b) {
    hf_creature* c = b->creature;
    const hf_creature_view* v = &c->view;
    size_t count = (size_t)v->body_count, links = (size_t)v->link_count;
    uint32_t* disabled;
    hf_status status = disabled_links(b, &disabled);
    if (status != HF_OK) return status;
    c->pairs = hf_build_keep(b, (count * count + 31) / 32, sizeof *c->pairs);
    rest_body* rest = hf_build_scratch(b, count, sizeof *rest);
    if (!c->pairs || !rest) return hf_build_fail_memory(b);
    for (int i = 0; i < v->body_count; i++) {
        const hf_body* body = &v->bodies[i];
        rest[i] = (rest_body){&body->shape, hf_compose(b->rest_links[body->link], body->in_link),
                              bound(&body->shape), inner(&body->shape)};
    }
    for (int i = 0; i < v->body_count; i++) {
        for (int k = i + 1; k < v->body_count; k++) {
            int one = v->bodies[i].link, two = v->bodies[k].link;
            if (one == two || v->links[one].parent_link == two || v->links[two].parent_link == one) continue;
            size_t bit = (size_t)one * links + (size_t)two;
            if (disabled[bit / 32] >> (bit % 32) & 1) continue;
            if (!touch(&rest[i], &rest[k])) set_pair(c, i, k);
        }
    }
    return HF_OK;
}

bool hf_links_apart(const hf_creature* creature, int a, int b) {
    const hf_link *x = &creature->view.links[a], *y = &creature->view.links[b];
    for (int i = x->first_body; i < x->first_body + x->body_count; i++)
        for (int k = y->first_body; k < y->first_body + y->body_count; k++)
            if (hf_pair_bit(creature, i, k)) return false;
    return x->body_count > 0 && y->body_count > 0;
}
