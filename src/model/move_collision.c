/* A creature along the straight move between two poses. The move is halved again and again until no point
   of a body can be further than a step (a centimetre) from where it was tested.

   Speeds are over the whole move (its time runs from 0 to 1). A link turns no faster than W, the sum of the
   turning rates above it, and a point of a body moves no faster than S + W * reach, S the same bound for the
   link's origin. Within a piece of length h a point strays from its place at the start by no more than h
   times that speed; and by no more than the chord between the piece's ends plus h^2 / 8 times its largest
   acceleration, which is at most 3 W times the speed (each joint's axis turns with rate <= W, and the arm
   from it to the point grows with rate <= twice the speed). The second bound is the sharper one for short
   pieces: it knows how the pose really is. */
#include "base/assert.h"
#include "base/error.h"
#include "base/workspace.h"
#include "model/body_bounds.h"
#include "model/clearance.h"
#include "model/creature.h"

#include <holdfast/collision.h>
#include <string.h>

/* A move longer than 2^24 steps is refused. Link poses of the first levels are kept: they are the ends of
   the pieces of all later ones. */
enum { MAX_LEVELS = 24, KEPT_LEVELS = 5, KEPT = (1 << KEPT_LEVELS) + 1 };

/* A body that moves no farther within a piece is tested at its ends. */
static const double STILL_M = 2e-4;

typedef struct mover {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_collision_query* query;
    const hf_pose *from, *to;
    hf_pose pose;
    hf_workspace* workspace;
    hf_transform* kept[KEPT];            /* link poses at even times; NULL: not known yet */
    hf_transform *left, *right, *middle; /* the same of later levels: ends of a piece and between */
    hf_link_pace* rates;                 /* by link, over the move */
    hf_collision* hit;
    double step;      /* m */
    double* relative; /* by body, over the move: how far it goes against what it may meet (clearance.h) */
    uint8_t* roomy;   /* by body: nothing is so near that the move could meet it */
    uint8_t* moving;  /* by body: within the piece at hand it moves, and not where nothing is near */
} mover;

static double largest(double a, double b) { return fmax(fabs(a), fabs(b)); }

/* How fast a joint turns and shifts its child, and how far the child's origin is from the parent's at most.
 */
static void joint_rate(const hf_joint* j, const double* a, const double* b, double* turn, double* shift,
                       double* arm) {
    a += j->q_index, b += j->q_index;
    *turn = *shift = 0;
    *arm = hf_length(j->origin.position);
    switch (j->type) {
    case HF_JOINT_FIXED:
        break;
    case HF_JOINT_REVOLUTE:
    case HF_JOINT_CONTINUOUS:
        *turn = fabs(b[0] - a[0]);
        break;
    case HF_JOINT_PRISMATIC:
        *shift = fabs(b[0] - a[0]);
        *arm += largest(a[0], b[0]);
        break;
    case HF_JOINT_PLANAR:
        *shift = hf_hypot(b[0] - a[0], b[1] - a[1]);
        *turn = fabs(b[2] - a[2]);
        *arm += hf_hypot(largest(a[0], b[0]), largest(a[1], b[1]));
        break;
    case HF_JOINT_FLOATING: {
        hf_vec3 p = hf_v3(a[0], a[1], a[2]), q = hf_v3(b[0], b[1], b[2]);
        hf_quat u = {a[3], a[4], a[5], a[6]}, v = {b[3], b[4], b[5], b[6]};
        *shift = hf_distance(p, q);
        *turn = hf_quat_angle(hf_quat_normalize(u), hf_quat_normalize(v));
        *arm += fmax(hf_length(p), hf_length(q));
        break;
    }
    }
}

/* Rates of every link, from poses whose mimic joints have followed. */
static void fill_rates(mover* m, const double* a, const double* b) {
    const hf_creature_view* v = &m->creature->view;
    m->rates[0].turn = hf_quat_angle(m->from->root.rotation, m->to->root.rotation);
    m->rates[0].arm = 0;
    m->rates[0].shift = hf_distance(m->from->root.position, m->to->root.position);
    for (int i = 1; i < v->link_count; i++) {
        double turn, shift, arm;
        joint_rate(&v->joints[v->links[i].joint], a, b, &turn, &shift, &arm);
        hf_link_pace parent = m->rates[v->links[i].parent_link];
        m->rates[i].turn = parent.turn + turn;
        m->rates[i].shift = parent.shift + parent.turn * arm + shift;
        m->rates[i].arm = parent.arm + arm;
    }
}

/* Can what is asked for change where this body is? Against the scene, only bodies of the limb. */
static bool matters(const mover* m, int body) {
    return !m->query || m->query->self ||
           hf_link_in_limb(m->creature, m->creature->view.bodies[body].link, m->query->limb);
}

static double body_speed(const mover* m, int body) {
    hf_link_pace r = m->rates[m->creature->view.bodies[body].link];
    return r.shift + r.turn * m->creature->bounds[body].reach;
}

static double body_step(const mover* m, int body) {
    const hf_collision_query* q = m->query;
    bool fine = q && q->fine_limb >= 0 &&
                hf_link_in_limb(m->creature, m->creature->view.bodies[body].link, q->fine_limb);
    double step = fine && q->fine_m < m->step ? q->fine_m : m->step;
    return hf_body_step(&m->creature->bounds[body], step, q ? q->depth_m : 0);
}

/* Can a point of a body stray too far within the piece of length h between two poses? */
static bool body_strays(const mover* m, int body, double h, const hf_transform* left,
                        const hf_transform* right) {
    if (m->roomy[body] || !(m->relative[body] > 0)) return false;
    double path = h * body_speed(m, body), step = body_step(m, body);
    if (path <= step || !matters(m, body)) return false;
    if (m->relative[body] < INFINITY) return h * m->relative[body] > step;
    int link = m->creature->view.bodies[body].link;
    double bow = 3.0 / 8 * h * m->rates[link].turn * path;
    if (bow > step) return true;
    hf_transform a = left[link], b = right[link];
    const hf_body_bound* bound = &m->creature->bounds[body];
    double shift = hf_distance(hf_apply(a, bound->centre), hf_apply(b, bound->centre));
    double turn = 2 * hf_sin(hf_quat_angle(a.rotation, b.rotation) / 2);
    return shift + turn * bound->radius + bow > step;
}

static bool piece_is_long(const mover* m, double h, const hf_transform* left, const hf_transform* right) {
    for (int i = 0; i < m->creature->view.body_count; i++)
        if (body_strays(m, i, h, left, right)) return true;
    return false;
}

/* Within a piece, those that may meet something and do not stand still. */
static const uint8_t* find_moving(mover* m, double h) {
    for (int i = 0; i < m->creature->view.body_count; i++)
        m->moving[i] = !m->roomy[i] && h * fmin(body_speed(m, i), m->relative[i]) > STILL_M;
    return m->moving;
}

/* Link poses at a time of a level, its number on that level given: those kept, or in the scratch. */
static const hf_transform* links_at(mover* m, int level, size_t number, hf_transform* scratch) {
    hf_transform* links = scratch;
    if (level <= KEPT_LEVELS) {
        hf_transform** kept = &m->kept[number << (KEPT_LEVELS - level)];
        if (*kept) return *kept;
        *kept = hf_workspace_take(m->workspace, (size_t)m->creature->view.link_count, sizeof *links);
        if (*kept) links = *kept;
    }
    hf_pose_between(m->creature, m->from, m->to, (double)number / (double)((size_t)1 << level), &m->pose);
    hf_forward(m->creature, &m->pose, links);
    return links;
}

/* `some` says which bodies are to be tested, NULL for all. A move that nobody wants any more is not free. */
static bool collides_at(mover* m, int level, size_t number, const uint8_t* some) {
    if (!hf_workspace_goes_on_often(m->workspace)) {
        if (m->hit) *m->hit = (hf_collision){0};
        return true;
    }
    const hf_transform* links = links_at(m, level, number, m->middle);
    bool hits = some && m->query && m->query->clearance
                    ? hf_clearance_collides(m->creature, m->placement, links, m->query, some, m->hit)
                    : hf_collides(m->creature, m->placement, links, m->query, m->hit);
    if (hits && m->hit) m->hit->fraction = (double)number / (double)((size_t)1 << level);
    return hits;
}

/* Pieces of one level that were long at all levels before, one bit each. */
static bool test_level(mover* m, int level, const uint8_t* open, uint8_t* next, bool* any) {
    size_t count = (size_t)1 << level;
    double h = 1 / (double)count;
    *any = false;
    for (size_t i = 0; i < count; i++) {
        if (!(open[i / 8] >> (i % 8) & 1)) continue;
        const hf_transform *left = links_at(m, level, i, m->left),
                           *right = links_at(m, level, i + 1, m->right);
        if (!piece_is_long(m, h, left, right)) continue;
        if (collides_at(m, level + 1, 2 * i + 1, find_moving(m, h))) return true;
        next[2 * i / 8] |= (uint8_t)(3 << (2 * i % 8));
        *any = true;
    }
    return false;
}

static hf_status take_memory(mover* m) {
    hf_workspace* w = m->workspace;
    size_t links = (size_t)m->creature->view.link_count, bodies = (size_t)m->creature->view.body_count;
    m->pose.q = hf_workspace_take(w, (size_t)m->creature->view.q_count, sizeof(double));
    m->left = hf_workspace_take(w, links, sizeof *m->left);
    m->right = hf_workspace_take(w, links, sizeof *m->right);
    m->middle = hf_workspace_take(w, links, sizeof *m->middle);
    m->rates = hf_workspace_take(w, links, sizeof *m->rates);
    m->relative = hf_workspace_take(w, bodies + 1, sizeof *m->relative);
    m->roomy = hf_workspace_take(w, bodies + 1, 1);
    m->moving = hf_workspace_take(w, bodies + 1, 1);
    return m->pose.q && m->left && m->right && m->middle && m->rates && m->relative && m->roomy && m->moving
               ? HF_OK
               : HF_ERROR_MEMORY;
}

/* Levels after which every piece is short by its speeds alone, -1 when the move is too long or not finite. */
static hf_status count_levels(mover* m, int* levels) {
    size_t n = (size_t)m->creature->view.q_count;
    double* first = hf_workspace_take(m->workspace, n, sizeof *first);
    if (!first) return HF_ERROR_MEMORY;
    hf_pose_between(m->creature, m->from, m->to, 0, &m->pose);
    if (n > 0) memcpy(first, m->pose.q, n * sizeof *first);
    hf_pose_between(m->creature, m->from, m->to, 1, &m->pose);
    fill_rates(m, first, m->pose.q);
    double speed = 0; /* in steps */
    for (int i = 0; i < m->creature->view.body_count; i++) {
        double s = body_speed(m, i);
        if (!isfinite(s)) return HF_ERROR_ARGUMENT;
        if (matters(m, i)) speed = fmax(speed, s / body_step(m, i));
    }
    for (*levels = 0; speed > 1; (*levels)++) {
        if (*levels == MAX_LEVELS) return HF_ERROR_LIMIT;
        speed /= 2;
    }
    return HF_OK;
}

/* After the move's end has been tested: bodies that have room there for the whole move; false when all that
   are quick do. */
static bool find_roomy(mover* m) {
    const hf_creature_view* v = &m->creature->view;
    bool open = false;
    memset(m->roomy, 0, (size_t)v->body_count);
    if (m->query && m->query->clearance)
        hf_clearance_roomy(m->creature, m->query->clearance, links_at(m, 0, 0, m->left),
                           links_at(m, 0, 1, m->right), m->rates, m->query->self, m->roomy);
    for (int i = 0; i < v->body_count; i++)
        open |= !m->roomy[i] && body_speed(m, i) > body_step(m, i) && matters(m, i);
    return open;
}

/* By the pose that is known, can no body meet anything on the move? */
static bool is_apart(mover* m) {
    const hf_collision_query* q = m->query;
    int count = m->creature->view.body_count;
    for (int i = 0; i < count; i++) m->relative[i] = INFINITY;
    if (!q || !q->clearance ||
        !hf_clearance_recall(m->creature, q->clearance, links_at(m, 0, 0, m->left),
                             links_at(m, 0, 1, m->right), m->rates, q->self, m->relative))
        return false;
    bool all = true;
    for (int i = 0; i < count; i++) all &= m->relative[i] == 0;
    return all;
}

static hf_status test_move(mover* m, bool* collides) {
    int levels;
    hf_status status = take_memory(m);
    if (status == HF_OK) status = count_levels(m, &levels);
    if (status != HF_OK) return status;
    if (is_apart(m)) return HF_OK;
    *collides = (!(m->query && m->query->begun) && collides_at(m, 0, 0, NULL)) || collides_at(m, 0, 1, NULL);
    size_t bytes = ((size_t)1 << levels) / 8 + 1;
    uint8_t *open = hf_workspace_take(m->workspace, bytes, 1),
            *next = hf_workspace_take(m->workspace, bytes, 1);
    if (!open || !next) return HF_ERROR_MEMORY;
    open[0] = 1;
    bool any = !*collides && find_roomy(m);
    for (int level = 0; level < levels && any && !*collides; level++) {
        memset(next, 0, ((size_t)2 << level) / 8 + 1 < bytes ? ((size_t)2 << level) / 8 + 1 : bytes);
        *collides = test_level(m, level, open, next, &any);
        uint8_t* swap = open;
        open = next, next = swap;
    }
    return HF_OK;
}

hf_status hf_move_collides(const hf_creature* creature, const hf_placement* placement, const hf_pose* from,
                           const hf_pose* to, const hf_collision_query* query, hf_workspace* workspace,
                           bool* collides, hf_collision* hit) {
    HF_REQUIRE(NULL, creature && from && to && workspace && collides &&
                         ((from->q && to->q) || !creature->view.q_count));
    HF_ASSERT(creature->bounds && creature->tree);
    *collides = false;
    mover m = {.creature = creature,
               .placement = placement,
               .query = query,
               .from = from,
               .to = to,
               .workspace = workspace,
               .hit = hit};
    m.step = query ? query->step_m : hf_collision_query_default().step_m;
    HF_ASSERT(m.step > 0);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_status status = test_move(&m, collides);
    hf_workspace_end(workspace, mark);
    return status;
}
