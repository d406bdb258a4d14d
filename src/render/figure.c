/* What is drawn of a moment besides the scene. */
#include "render/figure.h"
#include "base/memory.h"
#include <holdfast/reach.h>

#include <string.h>

static const double PI = 3.14159265358979323846;
enum { SEGMENTS = 40 };

/* ---- creature ---- */

/* The limb a link is drawn with: the longest one in use whose chain, or what hangs on it, has the link. */
static int limb_of(const hf_creature_view* v, int link) {
    int best = -1;
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb* limb = &v->limbs[i];
        if (limb->joint_count == 0 || (best >= 0 && v->limbs[best].joint_count >= limb->joint_count))
            continue;
        int up = link;
        while (up >= 0 && up != limb->root_link) up = v->links[up].parent_link;
        if (up >= 0) best = i;
    }
    return best;
}

/* Trunks are slate; limbs carry their colour, and what the file says shines through a little. */
static hf_colour link_colour(const hf_creature_view* v, int link, const float* own) {
    hf_colour slate = hf_colour_hex(0x8a97a6), colour = slate;
    int limb = limb_of(v, link);
    if (limb >= 0) colour = hf_colour_mix(slate, hf_limb_colour(limb), v->limbs[limb].use ? 0.8f : 0.0f);
    if (own) {
        hf_colour file = {hf_to_linear(fmaxf(0, fminf(1, own[0]))), hf_to_linear(fmaxf(0, fminf(1, own[1]))),
                          hf_to_linear(fmaxf(0, fminf(1, own[2])))};
        colour = hf_colour_mix(colour, file, 0.2f);
    }
    return colour;
}

/* Is the link one of those that are marked: of the limb or what hangs on it, or of a pair that meets? */
static bool is_marked(const hf_creature_view* v, const hf_picture_mark* mark, int link) {
    if (!mark) return false;
    if (link == mark->link || link == mark->other_link) return true;
    if (mark->limb < 0) return false;
    int up = link;
    while (up >= 0 && up != v->limbs[mark->limb].root_link) up = v->links[up].parent_link;
    return up >= 0;
}

static hf_status add_link(hf_layer* layer, const hf_creature_view* v, int index, hf_transform pose,
                          bool marked) {
    const hf_link* link = &v->links[index];
    hf_status status = HF_OK;
    for (int i = 0; i < link->visual_count && status == HF_OK; i++) {
        const hf_visual* visual = &v->visuals[link->first_visual + i];
        status = hf_layer_add(layer, &visual->mesh, hf_compose(pose, visual->in_link),
                              marked ? hf_mark_colour() : link_colour(v, index, visual->colour));
    }
    for (int i = 0; i < link->body_count && link->visual_count == 0 && status == HF_OK; i++) {
        const hf_body* body = &v->bodies[link->first_body + i];
        hf_mesh mesh;
        status = hf_shape_mesh(&body->shape, SEGMENTS, &mesh);
        if (status == HF_OK)
            status = hf_layer_add(layer, &mesh, hf_compose(pose, body->in_link),
                                  marked ? hf_mark_colour() : link_colour(v, index, NULL));
        hf_mesh_free(&mesh);
    }
    return status;
}

hf_status hf_figure_add_creature(hf_layer* layer, const hf_picture_moment* moment) {
    const hf_creature_view* v = hf_creature_get(moment->creature);
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    if (!links) return HF_ERROR_MEMORY;
    hf_forward(moment->creature, moment->pose, links);
    hf_status status = HF_OK;
    for (int i = 0; i < v->link_count && status == HF_OK; i++)
        status = add_link(layer, v, i, links[i], is_marked(v, moment->mark, i));
    hf_free(links);
    return status;
}

/* ---- marks ---- */

/* A profile of (radius, height) pairs turned about Z, closed at both ends where the radius is 0. */
static hf_status lathe(const double (*profile)[2], int count, hf_mesh* mesh) {
    *mesh = (hf_mesh){.vertex_count = count * SEGMENTS, .triangle_count = (count - 1) * SEGMENTS * 2};
    mesh->vertices = hf_alloc((size_t)mesh->vertex_count * 3, sizeof *mesh->vertices);
    mesh->indices = hf_alloc((size_t)mesh->triangle_count * 3, sizeof *mesh->indices);
    if (!mesh->vertices || !mesh->indices) {
        hf_mesh_free(mesh);
        return HF_ERROR_MEMORY;
    }
    float* v = mesh->vertices;
    uint32_t* f = mesh->indices;
    for (int i = 0; i < count; i++)
        for (int s = 0; s < SEGMENTS; s++) {
            double a = 2 * PI * s / SEGMENTS;
            *v++ = (float)(profile[i][0] * cos(a)), *v++ = (float)(profile[i][0] * sin(a));
            *v++ = (float)profile[i][1];
        }
    for (int i = 0; i + 1 < count; i++)
        for (int s = 0; s < SEGMENTS; s++) {
            uint32_t a = (uint32_t)(i * SEGMENTS + s), b = (uint32_t)(i * SEGMENTS + (s + 1) % SEGMENTS);
            const uint32_t quad[6] = {a, b, b + SEGMENTS, a, b + SEGMENTS, a + SEGMENTS};
            memcpy(f, quad, sizeof quad);
            f += 6;
        }
    return HF_OK;
}

/* From `start` along unit `direction`. */
static hf_status add_arrow(hf_layer* layer, hf_vec3 start, hf_vec3 direction, double length, double radius,
                           hf_colour colour) {
    double head = fmin(length * 0.6, radius * 5), neck = length - head;
    const double profile[][2] = {{0, 0}, {radius, 0}, {radius, neck}, {radius * 2.4, neck}, {0, length}};
    hf_mesh mesh;
    hf_status status = lathe(profile, 5, &mesh);
    if (status != HF_OK) return status;
    hf_transform pose = {start, hf_quat_between(hf_v3(0, 0, 1), direction)};
    status = hf_layer_add(layer, &mesh, pose, colour);
    hf_mesh_free(&mesh);
    return status;
}

static hf_status add_ball(hf_layer* layer, hf_vec3 centre, double radius, hf_colour colour) {
    hf_shape ball = {.kind = HF_SHAPE_SPHERE, .radius = radius};
    hf_mesh mesh;
    hf_status status = hf_shape_mesh(&ball, SEGMENTS, &mesh);
    if (status != HF_OK) return status;
    hf_transform pose = {centre, hf_quat_identity()};
    status = hf_layer_add(layer, &mesh, pose, colour);
    hf_mesh_free(&mesh);
    return status;
}

/* An arrow from the limb's effector to the place where it should have gone. */
static hf_status add_way(hf_layer* layer, const hf_picture_moment* moment, const hf_transform* links,
                         double size) {
    const hf_limb* limb = &hf_creature_get(moment->creature)->limbs[moment->mark->limb];
    hf_vec3 from = links[limb->effector_link].position;
    if (limb->contact_count) from = hf_apply(links[limb->contacts[0].link], limb->contacts[0].offset);
    hf_vec3 way = hf_sub(moment->mark->place, from);
    double length = hf_length(way);
    if (!(length > 0.05 * size)) return HF_OK;
    return add_arrow(layer, from, hf_scale(way, 1 / length), length, 0.01 * size, hf_mark_colour());
}

/* What is wrong: a ball and an arrow at a place; a creature whose marked link is inside something solid
   shines through it. */
static hf_status add_wrong(hf_layer* layer, const hf_picture_moment* moment, double size) {
    const hf_picture_mark* mark = moment->mark;
    const hf_creature_view* v = moment->creature ? hf_creature_get(moment->creature) : NULL;
    hf_status status = mark->has_place ? add_ball(layer, mark->place, 0.035 * size, hf_mark_colour()) : HF_OK;
    if (status != HF_OK || !v) return status;
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    if (!links) return HF_ERROR_MEMORY;
    hf_forward(moment->creature, moment->pose, links);
    if (mark->has_place && mark->limb >= 0) status = add_way(layer, moment, links, size);
    bool inside = mark->link >= 0 && moment->placement &&
                  hf_placement_inside(moment->placement, links[mark->link].position, NULL);
    for (int i = 0; i < v->link_count && inside && status == HF_OK; i++)
        status = add_link(layer, v, i, links[i], is_marked(v, mark, i));
    hf_free(links);
    return status;
}

/* Above the creature, its lowest point a little over the top. */
static hf_status add_task(hf_layer* layer, const hf_layer* creature, hf_vec3 task, double size) {
    hf_vec3 d = hf_normalize(task);
    double length = 0.4 * size;
    hf_vec3 middle = creature->centre;
    middle.z = creature->high.z + 0.1 * size + fabs(d.z) * length / 2;
    return add_arrow(layer, hf_sub(middle, hf_scale(d, length / 2)), d, length, 0.016 * size,
                     hf_colour_hex(0xc8102e));
}

hf_status hf_figure_add_marks(hf_layer* layer, const hf_picture_moment* moment, const hf_layer* creature,
                              hf_vec3 task, double size) {
    hf_status status = HF_OK;
    for (int i = 0; i < moment->contact_count && status == HF_OK; i++) {
        const hf_picture_contact* c = &moment->contacts[i];
        hf_colour colour = hf_colour_mix(hf_limb_colour(c->limb), hf_colour_hex(0x000000), 0.15f);
        hf_vec3 n = hf_normalize(c->normal);
        if (!isfinite(hf_dot(c->point, c->point)) || !isfinite(hf_dot(n, n))) continue;
        status = add_ball(layer, c->point, 0.014 * size, colour);
        if (status == HF_OK && hf_dot(n, n) > 0)
            status = add_arrow(layer, c->point, n, 0.13 * size, 0.006 * size, colour);
    }
    if (status == HF_OK && moment->mark) status = add_wrong(layer, moment, size);
    bool arrow = hf_dot(task, task) > 0 && isfinite(hf_dot(task, task)) && creature->count > 0;
    return status == HF_OK && arrow ? add_task(layer, creature, task, size) : status;
}

/* ---- reach volumes ---- */

/* Knees and elbows reach less than the limb they are on. */
static bool shows_reach(const hf_creature_view* v, int limb) {
    return v->limbs[limb].use && limb_of(v, v->limbs[limb].effector_link) == limb;
}

static hf_status find_reach(hf_figure_reach* reach, const hf_creature* creature) {
    const hf_creature_view* v = hf_creature_get(creature);
    hf_figure_reach_free(reach);
    reach->hulls = hf_alloc((size_t)v->limb_count, sizeof *reach->hulls);
    if (!reach->hulls) return HF_ERROR_MEMORY;
    reach->creature = creature;
    hf_status status = HF_OK;
    for (int i = 0; i < v->limb_count && status == HF_OK; i++) {
        if (!shows_reach(v, i)) continue;
        status = hf_reach_volume(creature, i, v->limbs[i].contact_count > 0 ? 0 : -1, &reach->hulls[i], NULL);
        if (status == HF_ERROR_FORMAT) status = HF_OK; /* a limb that moves in a plane encloses nothing */
    }
    if (status != HF_OK) hf_figure_reach_free(reach);
    return status;
}

void hf_figure_reach_free(hf_figure_reach* reach) {
    int count = reach->creature ? hf_creature_get(reach->creature)->limb_count : 0;
    for (int i = 0; i < count; i++) hf_mesh_free(&reach->hulls[i]);
    hf_free(reach->hulls);
    *reach = (hf_figure_reach){0};
}

hf_status hf_figure_add_reach(hf_layer* layer, const hf_picture_moment* moment, hf_figure_reach* reach) {
    const hf_creature_view* v = hf_creature_get(moment->creature);
    hf_status status = reach->creature == moment->creature ? HF_OK : find_reach(reach, moment->creature);
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    if (!links) status = HF_ERROR_MEMORY;
    if (links) hf_forward(moment->creature, moment->pose, links);
    for (int i = 0; i < v->limb_count && status == HF_OK; i++) {
        const hf_limb* limb = &v->limbs[i];
        if (reach->hulls[i].vertex_count > 0)
            status = hf_layer_add(layer, &reach->hulls[i], hf_compose(links[limb->base_link], limb->base),
                                  hf_limb_colour(i));
    }
    hf_free(links);
    return status;
}
