/* Spots: points of the scene near a guide where a limb could touch, spread evenly over every face that has
   room above it. Contact queries ask which postures happen to be near a surface; spots are the surfaces
   themselves, so that a hold of a few centimetres is never missed. */
#include "plan/planner.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "geom/triangle.h"

#include <math.h>
#include <string.h>

static const double SPACING = 0.025;  /* creature heights between two spots of a face */
static const double SAME_FACE = 0.95; /* cosine */
enum { MAX_SPOTS = 16384, MAX_CENTRES = 256, TABLE = 4 * MAX_SPOTS };

typedef struct spotting {
    hf_planner* planner;
    double spacing, radius; /* radius: how far from the root a limb may touch */
    int centre_count;
    hf_vec3 centres[MAX_CENTRES]; /* of the guide */
    int* table;                   /* of spots by cell, -1 where empty */
} spotting;

/* A unit vector across a unit vector: level where that is well defined. */
static hf_vec3 tangent(hf_vec3 n) {
    return hf_normalize(hf_cross(fabs(n.z) < 0.9 ? hf_v3(0, 0, 1) : hf_v3(0, 1, 0), n));
}

/* ---- one spot ---- */

static uint32_t cell_of(const spotting* s, hf_vec3 x) {
    double size = s->spacing / 2;
    uint32_t a = (uint32_t)(int64_t)floor(x.x / size), b = (uint32_t)(int64_t)floor(x.y / size),
             c = (uint32_t)(int64_t)floor(x.z / size);
    uint32_t h = a * 73856093u ^ b * 19349663u ^ c * 83492791u;
    return (h ^ h >> 15) % TABLE;
}

static bool is_near(const spotting* s, hf_vec3 x) {
    for (int i = 0; i < s->centre_count; i++)
        if (hf_distance(s->centres[i], x) <= s->radius) return true;
    return false;
}

/* False when there is no room for more. */
static bool add(spotting* s, const hf_spot* spot) {
    hf_planner* p = s->planner;
    uint32_t at = cell_of(s, spot->point);
    while (s->table[at] >= 0) {
        const hf_spot* o = &p->world.spots[s->table[at]];
        if (hf_distance(o->point, spot->point) < s->spacing / 2 &&
            hf_dot(o->normal, spot->normal) > SAME_FACE)
            return true;
        at = (at + 1) % TABLE;
    }
    hf_vec3 above = hf_add(spot->point, hf_scale(spot->normal, HF_SKIN * p->world.model->size));
    // what lies under a thing that stands on it touches nothing
    if (!is_near(s, spot->point) ||
        hf_placement_occluded(p->world.placement, above, spot->normal,
                              HF_SMALL_SHIFT * p->world.model->size) ||
        hf_placement_inside(p->world.placement, above, NULL))
        return true;
    if (p->world.spot_count == MAX_SPOTS) return false;
    s->table[at] = p->world.spot_count;
    p->world.spots[p->world.spot_count++] = *spot;
    return true;
}

/* ---- one triangle ---- */

/* Both sides of a face that bounds no solid. */
static bool add_sides(spotting* s, const hf_surface* t, hf_vec3 point, bool open) {
    hf_spot spot = {point, t->normal, t->object, -1};
    if (!add(s, &spot)) return false;
    spot.normal = hf_neg(t->normal);
    return !open || add(s, &spot);
}

/* The middle of its longest side, which is the middle of a rectangle that was cut in two; its own middle;
   and a grid that all faces of the plane share. */
static bool add_triangle(spotting* s, const hf_surface* t, hf_vec3 centre) {
    hf_planner* p = s->planner;
    hf_object_view o = hf_scene_object(p->world.scene, t->object);
    bool open = o.solidity[o.piece_of[t->triangle]] == 0;
    hf_triangle local = hf_triangle_of(&o.mesh, t->triangle);
    hf_vec3 v[3];
    for (int i = 0; i < 3; i++) v[i] = hf_apply(hf_placement_pose(p->world.placement, t->object), local.v[i]);
    int longest = 0;
    for (int i = 1; i < 3; i++)
        if (hf_distance(v[i], v[(i + 1) % 3]) > hf_distance(v[longest], v[(longest + 1) % 3])) longest = i;
    hf_vec3 side = hf_lerp(v[longest], v[(longest + 1) % 3], 0.5);
    hf_vec3 middle = hf_scale(hf_add(v[0], hf_add(v[1], v[2])), 1.0 / 3);
    if (!add_sides(s, t, side, open) || !add_sides(s, t, middle, open)) return false;
    hf_vec3 n = t->normal, u = tangent(n), w = hf_cross(n, u);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, c[2];
    c[0] = hf_dot(centre, u), c[1] = hf_dot(centre, w);
    for (int i = 0; i < 3; i++) {
        double x[2] = {hf_dot(v[i], u), hf_dot(v[i], w)};
        for (int k = 0; k < 2; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
    for (int k = 0; k < 2; k++)
        low[k] = fmax(low[k], c[k] - s->radius), high[k] = fmin(high[k], c[k] + s->radius);
    double lift = hf_dot(v[0], n);
    for (double a = ceil(low[0] / s->spacing); a * s->spacing <= high[0]; a++)
        for (double b = ceil(low[1] / s->spacing); b * s->spacing <= high[1]; b++) {
            hf_vec3 x =
                hf_add(hf_scale(n, lift), hf_add(hf_scale(u, a * s->spacing), hf_scale(w, b * s->spacing)));
            bool inside = true;
            for (int i = 0; i < 3 && inside; i++)
                inside = hf_dot(n, hf_cross(hf_sub(v[(i + 1) % 3], v[i]), hf_sub(x, v[i]))) *
                             hf_dot(n, hf_cross(hf_sub(v[1], v[0]), hf_sub(v[2], v[0]))) >=
                         0;
            if (inside && !add_sides(s, t, x, open)) return false;
        }
    return true;
}

/* ---- the scene ---- */

static bool add_around(spotting* s, hf_vec3 centre, bool* room) {
    hf_planner* p = s->planner;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    int count = hf_placement_within(p->world.placement, centre, s->radius, NULL, 0);
    hf_surface* near = hf_workspace_take(p->tools.workspace, (size_t)count + 1, sizeof *near);
    bool good = near != NULL;
    if (good) hf_placement_within(p->world.placement, centre, s->radius, near, count);
    for (int i = 0; good && i < count && *room && hf_workspace_goes_on_often(p->tools.workspace); i++) {
        hf_object_view o = hf_scene_object(p->world.scene, near[i].object);
        if (o.contact && !o.movable) *room = add_triangle(s, &near[i], centre);
    }
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}

static void find_centres(spotting* s) {
    const hf_planner* p = s->planner;
    double apart = s->radius / 2;
    for (int i = p->world.spots_from; i <= p->world.spots_to; i++) {
        hf_vec3 x = p->world.guide[i].position;
        bool far = s->centre_count == 0 || hf_distance(x, s->centres[s->centre_count - 1]) > apart;
        if ((far || i == p->world.spots_to) && s->centre_count < MAX_CENTRES)
            s->centres[s->centre_count++] = x;
    }
}

/* Horizons of the guide behind and ahead of a stance that its spots are found for, and those ahead that it
   asks about: contacts look two of them ahead. */
enum { BEHIND = 1, AHEAD = 5, ASKED = 2 };

static bool find_spots(hf_planner* p, int index) {
    int behind = index - BEHIND * p->world.options->horizon;
    p->world.spots_from = behind > 0 ? behind : 0;
    p->world.spots_to = hf_guide_ahead(&p->world, index, AHEAD * p->world.options->horizon);
    spotting s = {.planner = p, .spacing = SPACING * p->world.model->size};
    for (int l = 0; l < p->world.view->limb_count; l++)
        if (p->world.model->limbs[l].used)
            s.radius = fmax(s.radius, hf_length(p->world.model->limbs[l].anchor_in_root) +
                                          p->world.view->limbs[l].length);
    find_centres(&s);
    if (!p->world.spots) p->world.spots = hf_alloc(MAX_SPOTS, sizeof *p->world.spots);
    s.table = hf_alloc(TABLE, sizeof *s.table);
    bool good = p->world.spots && s.table, room = false;
    while (good && !room) {
        room = true;
        p->world.spot_count = 0;
        memset(s.table, 0xff, sizeof *s.table * TABLE);
        for (int i = 0; i < s.centre_count && good && room && hf_workspace_goes_on(p->tools.workspace); i++)
            good = add_around(&s, s.centres[i], &room);
        s.spacing *= 2;
    }
    hf_free(s.table);
    return good || hf_plan_note(p, HF_ERROR_MEMORY);
}

void hf_spots_forget(hf_plan_world* w) { w->spot_count = 0, w->spots_from = w->spots_to = -1; }

bool hf_spots_cover(hf_planner* p, int index) {
    hf_plan_world* w = &p->world;
    int horizon = w->options->horizon, last = w->guide_count - 1;
    bool covered = (w->spots_from == 0 || index >= w->spots_from) &&
                   (w->spots_to == last || index + ASKED * horizon <= w->spots_to);
    return covered || find_spots(p, index);
}

double hf_spot_room(const hf_plan_world* w, hf_spot* s) {
    enum { WAYS = 8 };
    if (s->room >= 0) return s->room;
    double circle = HF_LARGE_SHIFT * w->model->size, least = circle;
    hf_vec3 u = tangent(s->normal), v = hf_cross(s->normal, u);
    hf_vec3 above = hf_add(s->point, hf_scale(s->normal, HF_SMALL_SHIFT * w->model->size));
    for (int i = 0; i < WAYS; i++) {
        double angle = 2 * M_PI * i / WAYS;
        hf_vec3 way = hf_add(hf_scale(u, hf_cos(angle)), hf_scale(v, hf_sin(angle)));
        hf_surface hit;
        if (hf_placement_ray(w->placement, above, way, least, &hit)) least = fmin(least, hit.distance);
    }
    return s->room = least / circle;
}
