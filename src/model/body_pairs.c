/* Which pairs of bodies are tested for self-collision: all but those of one link, of a link and its
   parent, those the SRDF disables, and those that touch in the rest posture (reaching-2003, section 4). */
#include "model/creature_build.h"
#include <holdfast/scene.h>

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
            const float* p = s->vertices + 3 * (size_t)i;
            most = fmax(most, hf_length(hf_v3(p[0], p[1], p[2])));
        }
    }
    return most;
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
    hf_transform* at = hf_build_scratch(b, count, sizeof *at);
    double* radius = hf_build_scratch(b, count, sizeof *radius);
    if (!c->pairs || !at || !radius) return hf_build_fail_memory(b);
    for (int i = 0; i < v->body_count; i++) {
        at[i] = hf_compose(b->rest_links[v->bodies[i].link], v->bodies[i].in_link);
        radius[i] = bound(&v->bodies[i].shape);
    }
    for (int i = 0; i < v->body_count; i++) {
        for (int k = i + 1; k < v->body_count; k++) {
            int one = v->bodies[i].link, two = v->bodies[k].link;
            if (one == two || v->links[one].parent_link == two || v->links[two].parent_link == one) continue;
            size_t bit = (size_t)one * links + (size_t)two;
            if (disabled[bit / 32] >> (bit % 32) & 1) continue;
            bool near = hf_distance(at[i].position, at[k].position) <= radius[i] + radius[k];
            if (near && hf_shape_distance(&v->bodies[i].shape, at[i], &v->bodies[k].shape, at[k]) <= 0)
                continue;
            set_pair(c, i, k);
        }
    }
    return HF_OK;
}
