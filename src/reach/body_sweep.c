/* Boxes along the axes of the world around the bodies of each link, joined over the poses of a way. */
#include "reach/body_sweep.h"

#include "base/memory.h"
#include "model/creature.h"

#include <math.h>

static hf_vec3 least(hf_vec3 a, hf_vec3 b) { return hf_v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static hf_vec3 most(hf_vec3 a, hf_vec3 b) { return hf_v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

/* Half the size along the axes of a frame of a box that is turned in it. */
static hf_vec3 turned_half(hf_quat turn, hf_vec3 half) {
    hf_vec3 x = hf_rotate(turn, hf_v3(half.x, 0, 0)), y = hf_rotate(turn, hf_v3(0, half.y, 0)),
            z = hf_rotate(turn, hf_v3(0, 0, half.z));
    return hf_v3(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                 fabs(x.z) + fabs(y.z) + fabs(z.z));
}

/* A shape's box in its own frame. */
static void shape_box(const hf_shape* s, hf_vec3* low, hf_vec3* high) {
    hf_vec3 half = s->kind == HF_SHAPE_BOX ? s->half_size : hf_v3(s->radius, s->radius, s->radius);
    if (s->kind == HF_SHAPE_CAPSULE) half.z += s->half_length;
    *low = hf_neg(half), *high = half;
    if (s->kind != HF_SHAPE_HULL) return;
    *low = hf_v3(INFINITY, INFINITY, INFINITY), *high = hf_neg(*low);
    for (int i = 0; i < s->vertex_count; i++) {
        const float* v = s->vertices + 3 * (size_t)i;
        hf_vec3 p = hf_v3((double)v[0], (double)v[1], (double)v[2]);
        *low = least(*low, p), *high = most(*high, p);
    }
}

/* The box of a link's bodies in the link's frame; false when it has none. */
static bool link_box(const hf_creature_view* v, int link, hf_sweep_part* part) {
    hf_vec3 low = hf_v3(INFINITY, INFINITY, INFINITY), high = hf_neg(low);
    for (int b = 0; b < v->body_count; b++) {
        const hf_body* body = &v->bodies[b];
        hf_vec3 from, to;
        if (body->link != link) continue;
        shape_box(&body->shape, &from, &to);
        hf_vec3 centre = hf_apply(body->in_link, hf_lerp(from, to, 0.5));
        hf_vec3 half = turned_half(body->in_link.rotation, hf_scale(hf_sub(to, from), 0.5));
        low = least(low, hf_sub(centre, half)), high = most(high, hf_add(centre, half));
    }
    *part = (hf_sweep_part){
        .link = link, .centre = hf_lerp(low, high, 0.5), .half = hf_scale(hf_sub(high, low), 0.5)};
    part->reach = hf_length(part->centre) + hf_length(part->half);
    return low.x <= high.x;
}

hf_status hf_body_sweep_create(const hf_control_layer* layer, hf_body_sweep* sweep) {
    const hf_creature_view* v = &layer->creature->view;
    int hands[2] = {-1, -1};
    *sweep = (hf_body_sweep){.view = v, .parts = hf_alloc((size_t)v->link_count, sizeof *sweep->parts)};
    if (!sweep->parts) return HF_ERROR_MEMORY;
    for (int link = 0; link < v->link_count; link++) {
        hf_sweep_part* part = &sweep->parts[sweep->part_count];
        if (!link_box(v, link, part)) continue;
        int side = hf_effector_has(layer->creature, layer->arms[0], link)   ? 0
                   : hf_effector_has(layer->creature, layer->arms[1], link) ? 1
                                                                            : -1;
        if (side < 0)
            part->group = sweep->group_count++;
        else
            part->group = hands[side] = hands[side] < 0 ? sweep->group_count++ : hands[side];
        sweep->part_count++;
    }
    return HF_OK;
}

void hf_body_sweep_free(hf_body_sweep* sweep) {
    hf_free(sweep->parts);
    *sweep = (hf_body_sweep){0};
}

void hf_body_sweep_start(const hf_body_sweep* sweep, hf_box* boxes) {
    for (int i = 0; i < sweep->group_count; i++) boxes[i] = hf_box_empty();
}

/* Bounds over the straight move between two poses, its time from 0 to 1. A link turns no faster than the sum
   of the turns above it, its rotation has no larger second derivative than the square of that, and what it
   carries along is bent accordingly; joints that slide bend by twice their speed times the turning rate. */
static void find_bends(const hf_body_sweep* sweep, const hf_transform* from, const hf_transform* to,
                       hf_sweep_bend* bends) {
    bends[0] = (hf_sweep_bend){.turn = hf_quat_angle(from[0].rotation, to[0].rotation)};
    for (int i = 1; i < sweep->view->link_count; i++) {
        int p = sweep->view->links[i].parent_link;
        hf_transform a = hf_compose(hf_inverse(from[p]), from[i]), b = hf_compose(hf_inverse(to[p]), to[i]);
        double turn = bends[p].turn, arm = fmax(hf_length(a.position), hf_length(b.position));
        bends[i].turn = turn + hf_quat_angle(a.rotation, b.rotation);
        bends[i].bend = bends[p].bend + turn * turn * arm + 2 * turn * hf_distance(a.position, b.position);
    }
}

static void add_box(const hf_sweep_part* p, const hf_transform* links, double margin, hf_box* to) {
    hf_vec3 c = hf_apply(links[p->link], p->centre), h = turned_half(links[p->link].rotation, p->half);
    h = hf_add(h, hf_v3(margin, margin, margin));
    const double low[3] = {c.x - h.x, c.y - h.y, c.z - h.z}, high[3] = {c.x + h.x, c.y + h.y, c.z + h.z};
    hf_box box;
    for (int k = 0; k < 3; k++) {
        box.low[k] = nextafterf((float)low[k], -INFINITY);
        box.high[k] = nextafterf((float)high[k], INFINITY);
    }
    hf_box_join(to, &box);
}

void hf_body_sweep_add(const hf_body_sweep* sweep, const hf_transform* from, const hf_transform* to,
                       hf_sweep_bend* bends, hf_box* boxes) {
    find_bends(sweep, from, to, bends);
    for (int i = 0; i < sweep->part_count; i++) {
        const hf_sweep_part* p = &sweep->parts[i];
        const hf_sweep_bend* b = &bends[p->link];
        // a point leaves the line between its ends by an eighth of its largest second derivative
        double margin = (b->bend + b->turn * b->turn * p->reach) / 8;
        add_box(p, from, margin, &boxes[p->group]);
        add_box(p, to, margin, &boxes[p->group]);
    }
}

bool hf_body_sweep_meets(const hf_body_sweep* sweep, const hf_box* boxes, const hf_placement* placement) {
    const hf_allowance none = {.touched_object = -1};
    for (int i = 0; i < sweep->group_count; i++) {
        const float *a = boxes[i].low, *b = boxes[i].high;
        hf_transform at = {{((double)a[0] + (double)b[0]) / 2, ((double)a[1] + (double)b[1]) / 2,
                            ((double)a[2] + (double)b[2]) / 2},
                           {1, 0, 0, 0}};
        hf_shape box = {.kind = HF_SHAPE_BOX,
                        .half_size = {((double)b[0] - (double)a[0]) / 2, ((double)b[1] - (double)a[1]) / 2,
                                      ((double)b[2] - (double)a[2]) / 2}};
        if (hf_placement_overlap(placement, &box, at, &none, NULL)) return true;
    }
    return false;
}
