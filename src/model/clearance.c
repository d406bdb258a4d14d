/* Collision tests that remember distances. Two bodies, or a body and the scene, that were so far apart at
   some pose are free at every pose to which they have moved less than that: a ball around each says how far
   its points can have moved. What is too near to be known is tested as ever. */
#include "model/tolerance.h"
#include "model/clearance.h"
#include "base/error.h"

#include "base/memory.h"
#include "geom/convex.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/scene.h"

#include <math.h>

/* Distances that are asked about, m: between bodies, and from the scene first the one, then the other. */
static const double PAIR_REACH = 0.05, SCENE_REACH[] = {0.06, 0.015};
enum { SCENE_REACHES = 2 };
/* How far beyond the ball around a body the scene is looked for, m: a body that nothing is near needs no
   other test for long. */
static const double BALL_REACH = 0.3;
/* A body that is near the scene stays there for some tests. */
enum { PATIENCE = 8 };
/* So many more pairs than before whose gaps are used up let a pose be kept anew. */
enum { MORE_STALE = 16 };
static const double ROUNDING = 1e-7; /* m */
static const double FAR = 1;         /* m: no room is larger */

/* Free by `gap` while one was there in the frame of the other; `depth` of an overlap counts as free, and of
   an overlap with one object of the scene that is touched: none where that depth is 0. */
typedef struct known {
    hf_transform there;
    double gap, depth;
    hf_object_depth touched;
} known;

/* What every test of a pair reads; the rest is apart, so that all pairs fit into the nearest cache. */
typedef struct body_pair {
    int a, b;
    double gap; /* at the pose that is kept */
} body_pair;

/* What a move asks of a pair. */
typedef struct pair_left {
    int common;  /* the link nearest to both that moves both */
    bool apart;  /* the two cannot meet on the move that is tested, by the pose that is known */
    double left; /* of the gap at the pose tested last; infinite where nobody asked */
} pair_left;

/* What every test of a pair reads and writes of its bodies. */
typedef struct body_way {
    double way;         /* from the pose that is kept, of no point more */
    double room;        /* to the scene, at the pose tested last */
    bool wanted, asked; /* belongs to the query's limb; is among those asked about */
    bool apart;         /* cannot meet the scene on the move that is tested, by the pose that is known */
    bool met;           /* may meet the scene or another body there */
    double ahead;       /* on the move that is looked at, no point goes farther from where it ends */
    hf_vec3 centre;     /* of the ball around it, at that end */
} body_way;

typedef struct body_room {
    hf_transform there; /* of its link, at the pose that is kept */
    double gap;         /* to the scene, there */
    known known;        /* of the scene */
    int patience;
} body_room;

struct hf_clearance {
    int body_count, pair_count;
    body_room* bodies;
    body_way* ways; /* the same bodies */
    body_pair* pairs;
    known* known;                  /* of the same pairs */
    pair_left* lefts;              /* the same */
    int stale;                     /* pairs without a gap when the pose was kept */
    const hf_clear_pose* pose;     /* near which moves begin, may be NULL */
    int *open_bodies, *open_pairs; /* what may meet something on the move that is tested; else all */
    int open_body_count, open_pair_count;
};

/* The last link that is on the way from the root to both bodies. Links come after their parents. */
static int common_link(const hf_creature* creature, int a, int b) {
    const hf_creature_view* v = &creature->view;
    int x = v->bodies[a].link, y = v->bodies[b].link;
    while (x != y) *(x > y ? &x : &y) = v->links[x > y ? x : y].parent_link;
    return x;
}

hf_status hf_clearance_create(const hf_creature* creature, hf_clearance** clearance) {
    HF_REQUIRE(NULL, creature && clearance);
    size_t n = (size_t)creature->view.body_count;
    hf_clearance* c = *clearance = hf_alloc(1, sizeof *c);
    if (!c) return HF_ERROR_MEMORY;
    c->body_count = creature->view.body_count;
    for (int a = 0; a < c->body_count; a++)
        for (int b = a + 1; b < c->body_count; b++) c->pair_count += hf_pair_bit(creature, a, b);
    c->bodies = hf_alloc(n + 1, sizeof *c->bodies);
    c->ways = hf_alloc(n + 1, sizeof *c->ways);
    c->pairs = hf_alloc((size_t)c->pair_count + 1, sizeof *c->pairs);
    c->known = hf_alloc((size_t)c->pair_count + 1, sizeof *c->known);
    c->lefts = hf_alloc((size_t)c->pair_count + 1, sizeof *c->lefts);
    c->open_bodies = hf_alloc(n + 1, sizeof *c->open_bodies);
    c->open_pairs = hf_alloc((size_t)c->pair_count + 1, sizeof *c->open_pairs);
    if (!c->bodies || !c->ways || !c->pairs || !c->known || !c->lefts || !c->open_bodies || !c->open_pairs) {
        hf_clearance_free(c);
        *clearance = NULL;
        return HF_ERROR_MEMORY;
    }
    int count = 0;
    for (int a = 0; a < c->body_count; a++)
        for (int b = a + 1; b < c->body_count; b++)
            if (hf_pair_bit(creature, a, b)) {
                c->lefts[count].common = common_link(creature, a, b);
                c->pairs[count++] = (body_pair){.a = a, .b = b};
            }
    hf_clearance_know(c, NULL);
    return HF_OK;
}

void hf_clearance_forget(hf_clearance* c) {
    for (int i = 0; i < c->body_count; i++) c->bodies[i] = (body_room){0}, c->ways[i] = (body_way){0};
    for (int i = 0; i < c->pair_count; i++) c->pairs[i].gap = 0, c->known[i] = (known){0};
    c->stale = 0;
}

void hf_clearance_free(hf_clearance* c) {
    if (!c) return;
    hf_free(c->bodies);
    hf_free(c->ways);
    hf_free(c->pairs);
    hf_free(c->known);
    hf_free(c->lefts);
    hf_free(c->open_bodies);
    hf_free(c->open_pairs);
    hf_free(c);
}

/* How far a point of the ball in a frame can have moved, at most. */
static double moved(const hf_transform* there, const hf_body_bound* ball, const hf_transform* here) {
    hf_quat q = here->rotation, p = there->rotation;
    double w = q.w - p.w, x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
    // the chord of a turn is no longer than that
    double turn = 2 * sqrt(w * w + x * x + y * y + z * z);
    double shift = hf_distance(hf_apply(*here, ball->centre), hf_apply(*there, ball->centre));
    return ROUNDING + shift + turn * ball->radius;
}

/* What is left of the gap with the frame of a ball here; no more than nothing when that is not known. */
static double left_of(const known* k, const hf_body_bound* ball, const hf_transform* here) {
    return k->gap > 0 ? k->gap - moved(&k->there, ball, here) : 0;
}

static hf_transform body_pose(const hf_creature* c, const hf_transform* links, int body) {
    const hf_body* b = &c->view.bodies[body];
    return hf_compose(links[b->link], b->in_link);
}

/* ---- a move ---- */

/* How far a point of a body goes in the frame of a link before it, at most. */
static double pace(const hf_creature* creature, const hf_link_pace* paces, int body, int before) {
    const hf_link_pace *x = &paces[creature->view.bodies[body].link], *y = &paces[before];
    return x->shift - y->shift - y->turn * (x->arm - y->arm) +
           (x->turn - y->turn) * creature->bounds[body].reach;
}

/* How far the points of bodies are from where a move ends, at most: by their speeds, or by the chord from its
   start and how far they can bow out of that (move_collision.c). */
static void look_ahead(const hf_creature* creature, hf_clearance* c, const hf_transform* from,
                       const hf_transform* to, const hf_link_pace* paces) {
    for (int i = 0; i < c->body_count; i++) {
        int link = creature->view.bodies[i].link;
        const hf_body_bound* ball = &creature->bounds[i];
        double way = paces[link].shift + paces[link].turn * ball->reach;
        double chord = moved(&from[link], ball, &to[link]) + 3.0 / 8 * paces[link].turn * way;
        c->ways[i].ahead = chord < way ? chord : way;
        c->ways[i].centre = hf_apply(to[link], ball->centre);
    }
}

/* Can two bodies not meet on the move? */
static bool stays_apart(const hf_creature* creature, const hf_clearance* c, int index,
                        const hf_link_pace* paces) {
    const body_pair* pair = &c->pairs[index];
    const body_way *a = &c->ways[pair->a], *b = &c->ways[pair->b];
    int common = c->lefts[index].common;
    double nearer = a->ahead + b->ahead;
    if (c->lefts[index].left > nearer) return true;
    double balls = hf_distance(a->centre, b->centre) - creature->bounds[pair->a].radius -
                   creature->bounds[pair->b].radius - ROUNDING;
    if (balls > nearer) return true;
    double left = balls > c->lefts[index].left ? balls : c->lefts[index].left;
    return left > pace(creature, paces, pair->a, common) + pace(creature, paces, pair->b, common);
}

void hf_clearance_roomy(const hf_creature* creature, hf_clearance* c, const hf_transform* from,
                        const hf_transform* to, const hf_link_pace* paces, bool self, uint8_t* roomy) {
    look_ahead(creature, c, from, to, paces);
    for (int i = 0; i < c->body_count; i++) roomy[i] = c->ways[i].room > c->ways[i].ahead;
    for (int i = 0; i < c->pair_count && self; i++) {
        const body_pair* pair = &c->pairs[i];
        if ((roomy[pair->a] || roomy[pair->b]) && !stays_apart(creature, c, i, paces))
            roomy[pair->a] = roomy[pair->b] = false;
    }
}

/* ---- a pose that is known ---- */

/* Lists what is not apart. */
static void list_open(hf_clearance* c) {
    c->open_body_count = c->open_pair_count = 0;
    for (int i = 0; i < c->body_count; i++) c->ways[i].met = !c->ways[i].apart, c->ways[i].room = FAR;
    for (int i = 0; i < c->pair_count; i++) {
        c->lefts[i].left = INFINITY;
        if (c->lefts[i].apart) continue;
        c->open_pairs[c->open_pair_count++] = i;
        c->ways[c->pairs[i].a].met = c->ways[c->pairs[i].b].met = true;
    }
    for (int i = 0; i < c->body_count; i++)
        if (c->ways[i].met) c->open_bodies[c->open_body_count++] = i;
}

void hf_clearance_know(hf_clearance* c, const hf_clear_pose* pose) {
    c->pose = pose;
    for (int i = 0; i < c->body_count; i++) c->ways[i].apart = false;
    for (int i = 0; i < c->pair_count; i++) c->lefts[i].apart = false;
    list_open(c);
}

/* What is left between the bodies of a pair of what the pose that is known has, at the begin of a move. */
static double pair_room(const hf_creature* creature, const hf_clearance* c, int index,
                        const hf_transform* links) {
    const body_pair* pair = &c->pairs[index];
    const body_way *a = &c->ways[pair->a], *b = &c->ways[pair->b];
    const hf_transform* was = c->pose->links;
    double room = (double)c->pose->pairs[index], left = room - a->way - b->way;
    if (!(room > 0) || left > a->ahead + b->ahead) return left;
    int x = creature->view.bodies[pair->a].link, y = creature->view.bodies[pair->b].link;
    hf_transform there = hf_compose(hf_inverse(was[x]), was[y]),
                 now = hf_compose(hf_inverse(links[x]), links[y]);
    return fmax(left, room - moved(&there, &creature->bounds[pair->b], &now));
}

bool hf_clearance_recall(const hf_creature* creature, hf_clearance* c, const hf_transform* from,
                         const hf_transform* to, const hf_link_pace* paces, bool self, double* relative) {
    if (!c->pose) return false;
    look_ahead(creature, c, to, from, paces);
    for (int i = 0; i < c->body_count; i++) {
        body_way* body = &c->ways[i];
        int link = creature->view.bodies[i].link;
        body->way = moved(&c->pose->links[link], &creature->bounds[i], &from[link]);
        body->apart = (double)c->pose->scene[i] - body->way > body->ahead;
        relative[i] = body->apart ? 0 : INFINITY;
    }
    for (int i = 0; i < c->pair_count && self; i++) {
        const body_pair* pair = &c->pairs[i];
        c->lefts[i].left = pair_room(creature, c, i, from);
        c->lefts[i].apart = stays_apart(creature, c, i, paces);
        if (c->lefts[i].apart) continue;
        int common = c->lefts[i].common;
        double pace_of = pace(creature, paces, pair->a, common) + pace(creature, paces, pair->b, common);
        relative[pair->a] = fmax(relative[pair->a], pace_of);
        relative[pair->b] = fmax(relative[pair->b], pace_of);
    }
    list_open(c);
    return true;
}

/* ---- against itself ---- */

/* What is left between two bodies that may be near each other, 0 when they only do not collide. */
static bool pair_collides(const hf_creature* creature, const hf_transform* links, double depth,
                          const body_pair* pair, known* pair_known, double* left, hf_collision* hit) {
    const hf_body *x = &creature->view.bodies[pair->a], *y = &creature->view.bodies[pair->b];
    const hf_body_bound *s = &creature->bounds[pair->a], *t = &creature->bounds[pair->b];
    hf_transform there = hf_compose(hf_inverse(links[x->link]), links[y->link]);
    *left = hf_distance(s->centre, hf_apply(there, t->centre)) - s->radius - t->radius;
    if (*left > PAIR_REACH) return false;
    *left = left_of(pair_known, t, &there);
    if (*left > 0) return false;
    pair_known->there = there;
    pair_known->gap = *left = hf_convex_distance(&x->shape, body_pose(creature, links, pair->a), &y->shape,
                                                 body_pose(creature, links, pair->b), PAIR_REACH);
    return !(*left > 0) && hf_bodies_collide(creature, links, depth, pair->a, pair->b, hit);
}

static bool self_collides(const hf_creature* creature, hf_clearance* c, const hf_transform* links,
                          double depth, int* stale, hf_collision* hit) {
    for (int k = 0; k < c->open_pair_count; k++) {
        int i = c->open_pairs[k];
        const body_pair* pair = &c->pairs[i];
        body_way *a = &c->ways[pair->a], *b = &c->ways[pair->b];
        c->lefts[i].left = INFINITY;
        if ((!a->wanted && !b->wanted) || (!a->asked && !b->asked)) continue;
        double left = pair->gap - a->way - b->way;
        if (!(left > 0)) {
            ++*stale;
            if (pair_collides(creature, links, depth, pair, &c->known[i], &left, hit)) return true;
        }
        c->lefts[i].left = left;
    }
    return false;
}

/* ---- against the scene ---- */

static bool overlaps(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                     int body, double depth) {
    return hf_placement_overlap_by(placement, &creature->view.bodies[body].shape,
                                   body_pose(creature, links, body), depth, NULL, 0, NULL);
}

/* From the ball around a body to the nearest surface, no more than BALL_REACH. */
static double ball_gap(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                       int body) {
    const hf_body_bound* ball = &creature->bounds[body];
    hf_vec3 centre = hf_apply(links[creature->view.bodies[body].link], ball->centre);
    double far = ball->radius + BALL_REACH;
    hf_surface near;
    double distance = hf_placement_closest(placement, centre, far, &near) ? near.distance : far;
    return distance - ball->radius - ROUNDING;
}

/* Is no surface so near, nor the body within something? */
static bool is_clear(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                     int body, double reach) {
    const hf_shape* shape = &creature->view.bodies[body].shape;
    return !hf_placement_meets_by(placement, shape, body_pose(creature, links, body), -reach, NULL, 0,
                                  NULL) &&
           !overlaps(creature, placement, links, body, 0);
}

/* Does the query allow what is known of a body to count as free? */
static bool allows(const hf_creature* creature, const hf_collision_query* query, int body, const known* k,
                   double allowed) {
    if (k->depth > allowed) return false;
    if (!(k->touched.depth > 0)) return true;
    hf_object_depth depths[HF_MAX_TOUCHES];
    int count = hf_touched_depths(creature, query, body, depths);
    for (int i = 0; i < count; i++)
        if (depths[i].object == k->touched.object) return depths[i].depth >= k->touched.depth;
    return false;
}

/* A body that touches one object, a foot that stands, stays there: it overlaps that object by less than half
   of what the touch allows, and no other one is so near. */
static bool is_touching(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                        const hf_collision_query* query, int body, known* k) {
    hf_object_depth depths[HF_MAX_TOUCHES];
    const hf_shape* shape = &creature->view.bodies[body].shape;
    if (hf_touched_depths(creature, query, body, depths) != 1 || !isfinite(depths[0].depth)) return false;
    hf_transform pose = body_pose(creature, links, body);
    hf_object_depth half = {depths[0].object, depths[0].depth / 2};
    if (hf_placement_meets_by(placement, shape, pose, -half.depth, &half, 1, NULL) ||
        hf_placement_overlap_by(placement, shape, pose, 0, &half, 1, NULL))
        return false;
    *k = (known){links[creature->view.bodies[body].link], half.depth, 0, depths[0]};
    return half.depth > 0;
}

static bool body_collides(const hf_creature* creature, const hf_placement* placement, hf_clearance* c,
                          const hf_transform* links, const hf_collision_query* query, int index,
                          hf_collision* hit) {
    body_room* body = &c->bodies[index];
    const hf_transform* link = &links[creature->view.bodies[index].link];
    double left = body->gap - c->ways[index].way;
    double allowed = hf_depth_for(query->depth_m, creature->bounds[index].thickness, HF_THIN_M);
    if (!(left > 0) && allows(creature, query, index, &body->known, allowed))
        left = left_of(&body->known, &creature->bounds[index], link);
    if (!(left > 0) && body->patience-- <= 0) {
        double depth = 0;
        left = ball_gap(creature, placement, links, index);
        if (left <= SCENE_REACH[0] || overlaps(creature, placement, links, index, 0)) left = 0;
        for (int i = 0; i < SCENE_REACHES && left == 0; i++)
            if (is_clear(creature, placement, links, index, SCENE_REACH[i])) left = SCENE_REACH[i];
        // a body that stands on something overlaps it by less than half of what is allowed, and stays there
        if (left == 0 && !overlaps(creature, placement, links, index, allowed / 2))
            left = allowed / 2, depth = allowed;
        body->known = (known){*link, left, depth, {-1, 0}};
        if (left == 0 && is_touching(creature, placement, links, query, index, &body->known))
            left = body->known.gap;
        body->patience = left > 0 ? 0 : PATIENCE;
    }
    if (!(left > 0) && hf_scene_collides(creature, placement, links, query, index, hit)) return true;
    c->ways[index].room = left;
    return false;
}

/* ---- measuring a pose ---- */

int hf_clearance_pairs(const hf_clearance* c) { return c->pair_count; }

/* A number that is no larger, and none below 0. */
static float room_of(double gap) { return gap > 0 ? (float)(gap * (1 - 1e-6)) : 0; }

static double scene_gap(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                        int body) {
    double gap = ball_gap(creature, placement, links, body);
    if (overlaps(creature, placement, links, body, 0)) return 0;
    for (int i = 0; i < SCENE_REACHES && gap < SCENE_REACH[i]; i++)
        if (is_clear(creature, placement, links, body, SCENE_REACH[i])) return SCENE_REACH[i];
    return gap;
}

void hf_clearance_measure(const hf_creature* creature, const hf_clearance* c, const hf_placement* placement,
                          const hf_transform* links, float* scene, float* pairs) {
    for (int i = 0; i < c->body_count; i++) scene[i] = room_of(scene_gap(creature, placement, links, i));
    for (int i = 0; i < c->pair_count; i++) {
        const body_pair* pair = &c->pairs[i];
        const hf_body *x = &creature->view.bodies[pair->a], *y = &creature->view.bodies[pair->b];
        const hf_body_bound *s = &creature->bounds[pair->a], *t = &creature->bounds[pair->b];
        hf_vec3 a = hf_apply(links[x->link], s->centre), b = hf_apply(links[y->link], t->centre);
        double gap = hf_distance(a, b) - s->radius - t->radius - ROUNDING;
        if (gap <= PAIR_REACH)
            gap = hf_convex_distance(&x->shape, body_pose(creature, links, pair->a), &y->shape,
                                     body_pose(creature, links, pair->b), PAIR_REACH);
        pairs[i] = room_of(gap);
    }
}

/* ---- all of it ---- */

/* Keeps this pose, with what is left of the gaps here. */
static void keep(const hf_creature* creature, hf_clearance* c, const hf_transform* links) {
    c->stale = 0;
    for (int i = 0; i < c->body_count; i++)
        c->ways[i].way =
            moved(&c->bodies[i].there, &creature->bounds[i], &links[creature->view.bodies[i].link]);
    for (int i = 0; i < c->pair_count; i++) {
        body_pair* pair = &c->pairs[i];
        const body_way *a = &c->ways[pair->a], *b = &c->ways[pair->b];
        const hf_body_bound *s = &creature->bounds[pair->a], *t = &creature->bounds[pair->b];
        hf_transform x = links[creature->view.bodies[pair->a].link],
                     y = links[creature->view.bodies[pair->b].link];
        double apart = hf_distance(hf_apply(x, s->centre), hf_apply(y, t->centre)) - s->radius - t->radius;
        pair->gap = fmax(pair->gap - a->way - b->way, apart - ROUNDING);
        if (pair->gap < PAIR_REACH) {
            hf_transform there = hf_compose(hf_inverse(x), y);
            pair->gap = fmax(pair->gap, left_of(&c->known[i], t, &there));
        }
        c->stale += !(pair->gap > 0);
    }
    for (int i = 0; i < c->body_count; i++) {
        body_room* body = &c->bodies[i];
        body->there = links[creature->view.bodies[i].link];
        bool always = !(body->known.depth > 0 || body->known.touched.depth > 0); // whatever a query allows
        double left = !always ? 0 : left_of(&body->known, &creature->bounds[i], &body->there);
        body->gap = fmax(body->gap - c->ways[i].way, left);
        c->ways[i].way = 0;
    }
}

bool hf_clearance_collides(const hf_creature* creature, const hf_placement* placement,
                           const hf_transform* links, const hf_collision_query* query, const uint8_t* some,
                           hf_collision* hit) {
    hf_clearance* c = query->clearance;
    int stale = 0;
    for (int k = 0; k < c->open_body_count; k++) {
        int i = c->open_bodies[k];
        body_way* body = &c->ways[i];
        int link = creature->view.bodies[i].link;
        body->way = moved(&c->bodies[i].there, &creature->bounds[i], &links[link]);
        body->room = FAR;
        body->wanted = hf_link_in_limb(creature, link, query->limb);
        body->asked = !some || some[i];
    }
    bool hits = query->self && self_collides(creature, c, links, query->depth_m, &stale, hit);
    for (int k = 0; k < c->open_body_count && query->scene && placement && !hits; k++) {
        const body_way* body = &c->ways[c->open_bodies[k]];
        hits = body->wanted && body->asked && !body->apart &&
               body_collides(creature, placement, c, links, query, c->open_bodies[k], hit);
    }
    if (stale > c->stale + MORE_STALE) keep(creature, c, links);
    return hits;
}
