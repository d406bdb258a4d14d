/* Ways out of overlaps (adapt/cuts.h). The length of a way out along a direction is found by trying: the body
   goes farther until the exact test finds it free. Of bodies of the creature the direction turns to that of
   the nearest points once they are apart, which never makes the way longer (the descent of geom/convex.c). */
#include "adapt/cuts.h"

#include "base/memory.h"
#include "geom/convex.h"
#include "geom/triangle.h"
#include "model/body_bounds.h"
#include "model/clearance.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <math.h>

/* The shortest way that is tried, and the longest: what is deeper is no matter of a small repair, m. */
static const double SHORTEST_M = 5e-4, LONGEST_M = 0.25;
/* So much farther than the shortest way out bodies are apart for certain, m. */
static const double BEYOND_M = 2 * HF_DEPTH_M;
enum { HALVINGS = 8 }; /* of the last doubling, so that the way is a hundredth of itself too long at most */
enum { TURNS = 4 };    /* of the direction between two bodies */
/* Surfaces so near the overlap offer their normals as ways out, m; those that differ less are one. */
static const double AROUND_M = 0.05, SAME = 0.95;
enum { MAX_NEAR = 64, MAX_WAYS = 8 };

typedef struct pair {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_collision_query* query;
    hf_transform* links;
    int body, other; /* other -1: the scene */
} pair;

static hf_transform body_pose(const pair* p, int body) {
    const hf_body* b = &p->creature->view.bodies[body];
    return hf_compose(p->links[b->link], b->in_link);
}

/* Does the body collide once it is moved? */
static bool collides(const pair* p, hf_vec3 by) {
    hf_vec3* at = &p->links[p->creature->view.bodies[p->body].link].position;
    hf_vec3 was = *at;
    *at = hf_add(was, by);
    bool hit = p->other >= 0
                   ? hf_bodies_collide(p->creature, p->links, p->query->depth_m, p->body, p->other, NULL)
                   : hf_scene_collides(p->creature, p->placement, p->links, p->query, p->body, NULL);
    *at = was;
    return hit;
}

/* How far the body must go along a direction until it is free; infinite: farther than LONGEST_M. */
static double way_out(const pair* p, hf_vec3 d) {
    double low = 0, high = SHORTEST_M;
    while (high <= LONGEST_M && collides(p, hf_scale(d, high))) low = high, high *= 2;
    if (high > LONGEST_M) return INFINITY;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (collides(p, hf_scale(d, middle)))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static hf_status add(hf_cuts* cuts, hf_cut cut, int first, int last) {
    for (cut.frame = first; cut.frame <= last; cut.frame++) {
        if (!HF_GROW(cuts->items, cuts->capacity, cuts->count)) return HF_ERROR_MEMORY;
        cuts->items[cuts->count++] = cut;
    }
    return HF_OK;
}

/* ---- in the scene ---- */

/* Normals of the surfaces about a point. */
static int list_ways(const pair* p, const hf_surface* hit, hf_vec3* ways) {
    hf_surface near[MAX_NEAR];
    int n = hf_placement_within(p->placement, hit->point, AROUND_M, near, MAX_NEAR), count = 0;
    ways[count++] = hit->normal;
    for (int i = 0; i < n && i < MAX_NEAR && count < MAX_WAYS; i++) {
        bool known = false;
        for (int k = 0; k < count; k++) known |= hf_dot(ways[k], near[i].normal) > SAME;
        if (!known) ways[count++] = near[i].normal;
    }
    return count;
}

/* A triangle of the scene as a shape in the world. */
static hf_shape triangle_shape(const pair* p, const hf_surface* s, float corners[9]) {
    hf_object_view o = hf_scene_object(hf_placement_scene(p->placement), s->object);
    hf_transform pose = hf_placement_pose(p->placement, s->object);
    hf_triangle t = hf_triangle_of(&o.mesh, s->triangle);
    for (int k = 0; k < 3; k++) t.v[k] = hf_apply(pose, t.v[k]);
    return hf_triangle_shape(&t, corners);
}

/* The way between the nearest points once the body has gone along d, and where they are on the body as it is
   now; false where nothing is near. */
static bool turn_way(const pair* p, hf_vec3 d, double way, hf_vec3* turn, hf_vec3* at) {
    const hf_body* body = &p->creature->view.bodies[p->body];
    hf_transform moved = body_pose(p, p->body);
    float corners[9];
    hf_surface s;
    double beyond = way + BEYOND_M;
    moved.position = hf_add(moved.position, hf_scale(d, beyond));
    if (!hf_placement_distance(p->placement, &body->shape, moved, LONGEST_M, &s)) return false;
    hf_shape flat = triangle_shape(p, &s, corners);
    double apart = hf_convex_way(&body->shape, moved, &flat, hf_transform_identity(), LONGEST_M, turn);
    if (!(apart > 0) || !(hf_length(*turn) > 0)) return false;
    *turn = hf_normalize(*turn);
    *at = hf_sub(hf_add(s.point, hf_scale(*turn, apart)), hf_scale(d, beyond));
    return true;
}

/* The shortest of the ways along the normals of surfaces near by, turned as long as that shortens it. */
static void leave_scene(const pair* p, const hf_surface* hit, double margin_m, hf_cut* cut) {
    hf_vec3 ways[MAX_WAYS], at = hit->point, turn, touched;
    double best = INFINITY;
    int link = p->creature->view.bodies[p->body].link;
    for (int i = 0, n = list_ways(p, hit, ways); i < n; i++) {
        double way = way_out(p, ways[i]);
        if (way < best) best = way, cut->normal = ways[i];
    }
    for (int i = 0; i < TURNS && isfinite(best) && turn_way(p, cut->normal, best, &turn, &touched); i++) {
        double way = way_out(p, turn);
        at = touched;
        if (!(way < best)) break;
        best = way, cut->normal = turn;
    }
    cut->link = link, cut->against = -1;
    cut->at = hf_unapply(p->links[link], at), cut->other = at;
    cut->least = best + margin_m;
}

/* ---- in another body ---- */

/* The point of a body that is farthest along a direction. */
static hf_vec3 farthest(const hf_shape* s, hf_transform pose, hf_vec3 d) {
    hf_vec3 own = hf_rotate(hf_quat_conj(pose.rotation), d), p = {0, 0, 0};
    if (s->kind == HF_SHAPE_BOX)
        p = hf_v3(copysign(s->half_size.x, own.x), copysign(s->half_size.y, own.y),
                  copysign(s->half_size.z, own.z));
    if (s->kind == HF_SHAPE_CAPSULE) p.z = copysign(s->half_length, own.z);
    if (s->kind == HF_SHAPE_CAPSULE || s->kind == HF_SHAPE_SPHERE) p = hf_add(p, hf_scale(own, s->radius));
    double most = -INFINITY;
    for (int i = 0; s->kind == HF_SHAPE_HULL && i < s->vertex_count; i++) {
        hf_vec3 v = hf_vertex(s->vertices, (size_t)i);
        if (hf_dot(v, own) > most) most = hf_dot(v, own), p = v;
    }
    return hf_apply(pose, p);
}

static void leave_body(const pair* p, double margin_m, hf_cut* cut) {
    const hf_creature_view* v = &p->creature->view;
    const hf_body *a = &v->bodies[p->body], *b = &v->bodies[p->other];
    hf_transform pose_a = body_pose(p, p->body), pose_b = body_pose(p, p->other);
    const hf_body_bound *bound_a = &p->creature->bounds[p->body], *bound_b = &p->creature->bounds[p->other];
    hf_vec3 d =
        hf_sub(hf_apply(p->links[a->link], bound_a->centre), hf_apply(p->links[b->link], bound_b->centre));
    double best = INFINITY;
    d = hf_length(d) > 1e-9 ? hf_normalize(d) : hf_v3(0, 0, 1);
    for (int i = 0; i < TURNS; i++) {
        double way = way_out(p, d);
        if (!(way < best)) break;
        best = way, cut->normal = d;
        // a little beyond the depth that is allowed they are apart, and their nearest points give the turn
        hf_transform moved = pose_a;
        moved.position = hf_add(moved.position, hf_scale(d, way + BEYOND_M));
        hf_vec3 turn;
        double apart = hf_convex_way(&a->shape, moved, &b->shape, pose_b, LONGEST_M, &turn);
        if (!(apart > 0) || !(hf_length(turn) > 0)) break;
        d = hf_normalize(turn);
    }
    // the smaller one says where they meet
    bool first = bound_a->radius < bound_b->radius;
    hf_vec3 at =
        first ? farthest(&a->shape, pose_a, hf_neg(cut->normal)) : farthest(&b->shape, pose_b, cut->normal);
    cut->link = a->link, cut->against = b->link;
    cut->at = hf_unapply(p->links[a->link], at), cut->other = hf_unapply(p->links[b->link], at);
    cut->least = best + margin_m;
}

hf_status hf_cuts_find(const hf_creature* creature, const hf_placement* placement, hf_transform* links,
                       const hf_collision_query* query, double margin_m, int first, int last, hf_cuts* cuts) {
    int bodies = creature->view.body_count;
    hf_status status = HF_OK;
    for (int a = 0; a < bodies && status == HF_OK; a++) {
        pair p = {creature, placement, query, links, a, -1};
        hf_collision hit;
        hf_cut cut = {0};
        if (hf_scene_collides(creature, placement, links, query, a, &hit)) {
            leave_scene(&p, &hit.surface, margin_m, &cut);
            if (isfinite(cut.least)) status = add(cuts, cut, first, last);
        }
        for (int b = 0; b < a && status == HF_OK; b++) {
            if (!hf_creature_pair_enabled(creature, a, b)) continue;
            if (!hf_bodies_collide(creature, links, query->depth_m, a, b, NULL)) continue;
            p.other = b;
            leave_body(&p, margin_m, &cut);
            if (isfinite(cut.least)) status = add(cuts, cut, first, last);
        }
    }
    return status;
}

hf_status hf_cuts_balance(hf_vec3 com, hf_vec3 shift, int frame, hf_cuts* cuts) {
    double far = hf_length(shift);
    if (!(far > 0)) return HF_OK;
    hf_cut cut = {.link = HF_CUT_COM, .against = -1, .other = com, .least = far};
    cut.normal = hf_scale(shift, 1 / far);
    return add(cuts, cut, frame, frame);
}
