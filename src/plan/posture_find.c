/* A stance on level ground: a root is drawn within the height and tilt that the family allows, each limb gets
   a place on the ground within its reach, and the whole-body solver takes the body there, first anyhow, then
   in balance on what bears. Of all tries that are balanced, free of collision and within every range of
   motion the cheapest is kept. */
#include "plan/posture_find.h"

#include "base/random.h"
#include "base/workspace.h"
#include "model/rom.h"
#include "model/tolerance.h"
#include "solve/keep.h"
#include <holdfast/collision.h>
#include <holdfast/solve.h>

#include <math.h>
#include <string.h>

/* A limb is asked to reach no farther than this share of its length, so that its joints stay bent. */
static const double REACH = 0.9;
/* Places to the side of a limb's first joint, as shares of what it reaches level: a little inwards, more
   outwards. */
static const double INWARDS = -0.2, OUTWARDS = 0.5;
/* rad: the solver may turn the root so much farther than the family has it, or to the side. */
static const double ANGLE_SLACK = 0.1;
/* How far a later try is from the best one: creature heights, and half as many radians. */
static const double NEARBY = 0.05;

/* One try. */
typedef struct attempt {
    const hf_posture_ground* ground;
    const hf_posture_ask* ask;
    hf_workspace* workspace;
    hf_random random;
    hf_pose pose;
    hf_transform* links;
    hf_stance* stance;
    hf_target targets[HF_POSTURE_HOLDS];
    hf_status status;
} attempt;

static bool is_fine(attempt* a, hf_status status) {
    if (a->status == HF_OK) a->status = status;
    return a->status == HF_OK;
}

static const hf_limb* limb_at(const attempt* a, int i) { return &a->ground->view->limbs[a->ask->limbs[i]]; }

static bool grips(const attempt* a) { return a->ask->family == HF_POSTURE_HANG; }

static hf_vec3 base_of(const attempt* a, int i) {
    const hf_limb* l = limb_at(a, i);
    return hf_apply(a->links[l->base_link], l->base.position);
}

/* The earlier limb of the stance that stands as this one on the other side of the body; -1: none. */
static int partner_of(const attempt* a, int i) {
    hf_vec3 own = hf_unapply(a->pose.root, base_of(a, i));
    for (int k = 0; k < i; k++) {
        hf_vec3 other = hf_unapply(a->pose.root, base_of(a, k));
        other.y = -other.y;
        if (limb_at(a, k)->joint_count == limb_at(a, i)->joint_count &&
            hf_distance(own, other) < 0.01 * a->ground->view->height)
            return k;
    }
    return -1;
}

/* Where the limb touches: drawn about its first joint, the same on both sides of the body. */
static void choose_place(attempt* a, int i, int number, double (*drawn)[3]) {
    const hf_limb* l = limb_at(a, i);
    hf_target* t = &a->targets[i];
    hf_vec3 base = base_of(a, i);
    int partner = partner_of(a, i);
    for (int k = 0; k < 3; k++) drawn[i][k] = partner >= 0 ? drawn[partner][k] : hf_random_unit(&a->random);
    if (number == 0) drawn[i][2] = 0;
    *t = (hf_target){.kind = grips(a) ? HF_TARGET_POSITION : HF_TARGET_NORMAL,
                     .limb = a->ask->limbs[i],
                     .contact = (int)(drawn[i][2] * l->contact_count),
                     .normal = {0, 0, 1}};
    const hf_contact_frame* f = &l->contacts[t->contact];
    hf_vec3 now = hf_apply(a->links[f->link], f->offset);
    if (l->joint_count == 0) {
        t->point = now;
        return;
    }
    double drop = grips(a) ? 0 : fmax(0, base.z), most = REACH * l->length;
    double level = most > drop ? sqrt(most * most - drop * drop) : 0, side = base.y < 0 ? -1 : 1;
    double ahead = level * (2 * drawn[i][0] - 1);
    double out = level * (INWARDS + (OUTWARDS - INWARDS) * drawn[i][1]);
    t->point = hf_v3(base.x + ahead, base.y + side * out, 0);
    if (grips(a)) t->point = hf_v3(base.x, base.y, base.z + most * (0.5 + 0.5 * drawn[i][0]));
    if (number == 0 && !grips(a)) t->point = hf_v3(now.x, now.y, 0);
}

/* Near the best so far: its root a little lower, its places a little elsewhere, its frames the same. */
static void choose_near(attempt* a, const hf_posture* best) {
    const hf_posture_ground* g = a->ground;
    double size = NEARBY * g->view->height;
    double lower = hf_random_between(&a->random, -size / 2, size),
           turn = hf_random_between(&a->random, -2 * NEARBY, 2 * NEARBY);
    a->pose.root = best->pose.root;
    a->pose.root.position.z -= lower;
    a->pose.root.rotation = hf_quat_mul(a->pose.root.rotation, hf_quat_axis_angle(hf_v3(0, 1, 0), turn));
    memcpy(a->pose.q, best->pose.q, sizeof(double) * (size_t)g->view->q_count);
    hf_forward(g->creature, &a->pose, a->links);
    hf_vec3 by[HF_POSTURE_HOLDS];
    for (int i = 0; i < a->ask->count; i++) {
        const hf_hold* h = &best->holds[i];
        int partner = partner_of(a, i);
        // one after the other: the order of arguments is the compiler's
        double y = hf_random_between(&a->random, -size, size), x = hf_random_between(&a->random, -size, size);
        by[i] = hf_v3(x, y, 0);
        // limbs that bear on the way to another posture stay where the body stands: a step less to take
        if (a->ask->toward && a->ask->bears[i]) by[i] = hf_v3(0, 0, 0);
        if (partner >= 0) by[i] = hf_v3(by[partner].x, -by[partner].y, 0);
        a->targets[i] = (hf_target){.kind = grips(a) ? HF_TARGET_POSITION : HF_TARGET_NORMAL,
                                    .limb = h->limb,
                                    .contact = h->frame,
                                    .point = hf_add(h->point, by[i]),
                                    .normal = h->normal};
        if (limb_at(a, i)->joint_count == 0) a->targets[i].point.z -= lower;
    }
}

/* On the way to the posture `toward`: limbs that bear as the body stands, the others a drawn share of the way
   from beside those to where that posture has them, root and joints between both. */
static void choose_between(attempt* a) {
    const hf_posture_ground* g = a->ground;
    const hf_posture* to = a->ask->toward;
    double share = hf_random_unit(&a->random), bend = hf_random_unit(&a->random);
    hf_pose stand = {{hf_v3(0, 0, g->rest_height), hf_quat_identity()}, a->pose.q};
    memcpy(a->pose.q, g->standing, sizeof(double) * (size_t)g->view->q_count);
    hf_forward(g->creature, &stand, a->links);
    hf_vec3 feet = {0, 0, 0}, their = {0, 0, 0};
    int bearing = 0;
    for (int i = 0; i < a->ask->count; i++) {
        const hf_contact_frame* f = limb_at(a, i)->contacts;
        hf_vec3 now = hf_apply(a->links[f->link], f->offset);
        a->targets[i] = (hf_target){.kind = HF_TARGET_NORMAL,
                                    .limb = a->ask->limbs[i],
                                    .contact = a->ask->bears[i] ? 0 : to->holds[i].frame,
                                    .point = {now.x, now.y, to->holds[i].point.z},
                                    .normal = {0, 0, 1}};
        if (!a->ask->bears[i]) continue;
        feet = hf_add(feet, a->targets[i].point), their = hf_add(their, to->holds[i].point);
        bearing++;
    }
    feet = hf_scale(feet, 1.0 / bearing), their = hf_scale(their, 1.0 / bearing);
    for (int i = 0; i < a->ask->count; i++)
        if (!a->ask->bears[i]) {
            hf_vec3 there = hf_add(feet, hf_sub(to->holds[i].point, their));
            a->targets[i].point.x += share * (there.x - a->targets[i].point.x);
            a->targets[i].point.y = there.y;
        }
    hf_pose_between(g->creature, &stand, &to->pose, bend, &a->pose);
    a->pose.root.position.x = feet.x;
    hf_forward(g->creature, &a->pose, a->links);
}

/* The root within what the family allows, the joints as the body stands. */
static void choose_root(attempt* a, int number) {
    const hf_posture_ask* ask = a->ask;
    const hf_posture_ground* g = a->ground;
    bool first = number == 0;
    double tilt = first ? ask->tilt[0] : hf_random_between(&a->random, ask->tilt[0], ask->tilt[1]);
    double high = first ? ask->height[1] : hf_random_between(&a->random, ask->height[0], ask->height[1]);
    a->pose.root =
        (hf_transform){hf_v3(0, 0, high * g->rest_height), hf_quat_axis_angle(hf_v3(0, 1, 0), tilt)};
    memcpy(a->pose.q, g->standing, sizeof(double) * (size_t)g->view->q_count);
    hf_forward(g->creature, &a->pose, a->links);
    for (int i = 0; i < ask->count; i++) {
        const hf_limb* l = limb_at(a, i);
        if (l->joint_count > 0) continue;
        // a seat is put onto its drawn height
        double seat = g->rest_height * hf_random_between(&a->random, ask->seat[0], ask->seat[1]);
        hf_vec3 at = hf_apply(a->links[l->contacts[0].link], l->contacts[0].offset);
        a->pose.root.position.z += seat - at.z;
    }
    hf_forward(g->creature, &a->pose, a->links);
}

static bool solve(attempt* a, const hf_stance* stance, double margin) {
    hf_body_solve_options o = hf_body_solve_options_default();
    hf_stance_wish balance = {stance, margin};
    hf_transform wish = a->pose.root;
    o.guide = &wish;
    if (stance) o.balance = hf_stance_balance, o.balance_user = &balance;
    o.move_free = false;
    o.solve.max_starts = 1;
    o.solve.max_iterations = 40;
    o.solve.posture = a->ground->standing;
    hf_solve_result r;
    for (int i = 0; i < a->ask->count; i++) hf_limb_loosen(a->ground->creature, a->ask->limbs[i], a->pose.q);
    return is_fine(a, hf_body_solve(a->ground->creature, a->targets, a->ask->count, &o, a->workspace,
                                    &a->pose, NULL, &r)) &&
           r.outcome == HF_FOUND;
}

static hf_hold hold_at(const attempt* a, int i) {
    const hf_target* t = &a->targets[i];
    return (hf_hold){.limb = t->limb,
                     .frame = t->contact,
                     .object = limb_at(a, i)->joint_count == 0 || grips(a) ? -1 : 0,
                     .grip = grips(a),
                     .point = t->point,
                     .normal = t->normal};
}

/* A grip bears with the four corners of its patch, which lie along the link's axes. */
static void add_grip(const attempt* a, int i, hf_support* s) {
    const hf_contact_frame* f = &limb_at(a, i)->contacts[a->targets[i].contact];
    hf_quat turn = a->links[f->link].rotation;
    hf_vec3 n = hf_v3(fabs(f->normal.x), fabs(f->normal.y), fabs(f->normal.z));
    bool x = n.x >= n.y && n.x >= n.z, y = !x && n.y >= n.z;
    hf_vec3 u = hf_rotate(turn, x ? hf_v3(0, 1, 0) : hf_v3(1, 0, 0)),
            v = hf_rotate(turn, x || y ? hf_v3(0, 0, 1) : hf_v3(0, 1, 0));
    if (!(f->patch[0] > 0 && f->patch[1] > 0)) return;
    s->corner_count = 4;
    for (int k = 0; k < 4; k++)
        s->corners[k] = hf_add(a->targets[i].point, hf_add(hf_scale(u, (k & 1 ? 0.5 : -0.5) * f->patch[0]),
                                                           hf_scale(v, (k & 2 ? 0.5 : -0.5) * f->patch[1])));
}

/* How one contact bears. The ground is under those that have joints; a seat and a grip have no object. */
static hf_support support_at(const attempt* a, int i) {
    const hf_limb* l = limb_at(a, i);
    hf_hold h = hold_at(a, i);
    hf_support s = {.corner_count = 1,
                    .corners = {h.point},
                    .normal = h.normal,
                    .friction = hf_object_def_default().friction,
                    .grip = h.grip,
                    .max_force = l->max_force};
    if (h.grip) add_grip(a, i, &s);
    if (h.object == 0)
        hf_support_plan(a->ground->creature, a->ground->placement, &h, a->links[l->contacts[h.frame].link],
                        &s);
    return s;
}

/* What bears, with the links where they are. */
static bool build_stance(attempt* a) {
    hf_support supports[HF_POSTURE_HOLDS];
    int count = 0;
    hf_forward(a->ground->creature, &a->pose, a->links);
    for (int i = 0; i < a->ask->count; i++)
        if (a->ask->bears[i]) supports[count++] = support_at(a, i);
    return is_fine(a, hf_stance_build(a->stance, supports, count, a->ground->view->mass, NULL, a->workspace));
}

static bool is_free(attempt* a) {
    hf_hold touches[HF_POSTURE_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    for (int i = 0; i < a->ask->count; i++) {
        touches[q.touch_count] = hold_at(a, i);
        if (touches[q.touch_count].object == 0) q.touch_count++;
    }
    q.touches = touches;
    q.scene = !grips(a);
    return !hf_collides(a->ground->creature, a->ground->placement, a->links, &q, NULL);
}

/* Are all joint groups inside their regions? The solver keeps those of its limbs, not those of idle ones. */
static bool is_in_range(attempt* a) {
    const hf_creature_view* v = a->ground->view;
    for (int j = 0; j < v->joint_count; j++) {
        double value = a->pose.q[v->joints[j].q_index];
        if (v->joints[j].q_count == 1 &&
            (value < v->joints[j].lower - HF_LIMIT || value > v->joints[j].upper + HF_LIMIT))
            return false;
    }
    for (int r = 0; r < v->rom_count; r++) {
        hf_rom_memory none = {.triangle = -1};
        if (hf_rom_keep(a->ground->creature, r, HF_ROM_RAD, &none, a->pose.q)) return false;
    }
    return true;
}

/* One try, near `best` where there is one: the pose, its links and its margin; false where it does not hold.
 */
static bool make(attempt* a, int number, const hf_posture* best, double* margin) {
    double drawn[HF_POSTURE_HOLDS][3];
    double wanted = a->ground->options->margin_m;
    if (best)
        choose_near(a, best);
    else if (a->ask->toward)
        choose_between(a);
    else {
        choose_root(a, number);
        for (int i = 0; i < a->ask->count; i++) choose_place(a, i, number, drawn);
    }
    if (!solve(a, NULL, 0) || !build_stance(a)) return false;
    if (hf_stance_margin(a->stance, hf_com(a->ground->creature, a->links)) < wanted &&
        (!solve(a, a->stance, 2 * wanted) || !build_stance(a)))
        return false;
    *margin = hf_stance_margin(a->stance, hf_com(a->ground->creature, a->links));
    return *margin >= wanted && is_in_range(a) && is_free(a);
}

/* Is the root as far forwards as the family has it, and neither farther nor to the side? */
static bool is_tilted_well(const hf_posture_ask* ask, const hf_posture* p) {
    hf_vec3 up = hf_unrotate(p->pose.root.rotation, hf_v3(0, 0, 1));
    return p->tilt_rad >= ask->tilt[0] - ANGLE_SLACK && p->tilt_rad <= ask->tilt[1] + ANGLE_SLACK &&
           fabs(up.y) < hf_sin(ANGLE_SLACK);
}

/* Limb lengths: how much higher the root is than in the posture `toward`, and how far on average limbs that
   do not bear are from where that posture has them, seen from those that bear. Height counts twice: from a
   low body all limbs reach farther. */
static double distance_toward(const attempt* a, const hf_posture* p) {
    const hf_posture_ask* ask = a->ask;
    hf_vec3 off = {0, 0, 0};
    double touching = 0, longest = 0;
    int bearing = 0;
    for (int i = 0; i < ask->count; i++) {
        longest = fmax(longest, limb_at(a, i)->length);
        if (ask->bears[i])
            off = hf_add(off, hf_sub(ask->toward->holds[i].point, p->holds[i].point)), bearing++;
    }
    off = hf_scale(off, 1.0 / bearing);
    for (int i = 0; i < ask->count; i++)
        if (!ask->bears[i])
            touching += hf_distance(ask->toward->holds[i].point, hf_add(p->holds[i].point, off));
    double higher = fabs(p->pose.root.position.z - ask->toward->pose.root.position.z);
    return (touching / (ask->count - bearing) + 2 * higher) / longest;
}

/* The posture with its root over the origin. */
static void keep(const attempt* a, double margin, hf_posture* to) {
    const hf_posture_ground* g = a->ground;
    hf_vec3 off = hf_v3(-a->pose.root.position.x, -a->pose.root.position.y, 0);
    to->family = a->ask->family;
    to->pose.root = a->pose.root;
    to->pose.root.position = hf_add(a->pose.root.position, off);
    memcpy(to->pose.q, a->pose.q, sizeof(double) * (size_t)g->view->q_count);
    to->hold_count = a->ask->count;
    for (int i = 0; i < a->ask->count; i++) {
        to->holds[i] = hold_at(a, i);
        to->holds[i].point = hf_add(to->holds[i].point, off);
    }
    to->margin_m = margin;
    for (int i = 0; i < g->view->link_count; i++) a->links[i].position = hf_add(a->links[i].position, off);
    hf_posture_measure(g, a->links, to);
    if (a->ask->toward) to->cost += distance_toward(a, to);
}

static void copy(const hf_posture_ground* g, const hf_posture* from, hf_posture* to) {
    double* own = to->pose.q;
    memcpy(own, from->pose.q, sizeof(double) * (size_t)g->view->q_count);
    *to = *from;
    to->pose.q = own;
}

/* Keeps the posture for each room that it fits into and where it is the cheapest; while none fits, the
 * lowest.
 */
static void compare(const attempt* a, const hf_posture* next, hf_posture* to, bool* found) {
    for (int r = 0; r < a->ask->room_count; r++) {
        bool fits = next->high.z <= a->ask->rooms[r] * a->ground->view->height, first = !(to[r].high.z > 0);
        bool better = fits ? !found[r] || next->cost < to[r].cost : !found[r] && next->high.z < to[r].high.z;
        if (!better && !first) continue;
        copy(a->ground, next, &to[r]);
        found[r] = fits;
    }
}

/* What a later try begins with: what is kept for one room after the other. */
static const hf_posture* choose_best(const hf_posture_ask* ask, int number, const hf_posture* to) {
    int r = number % ask->room_count;
    return to[r].high.z > 0 ? &to[r] : NULL;
}

static void try_all(attempt* a, uint32_t stream, hf_posture* next, hf_posture* to, bool* found) {
    const hf_posture_options* o = a->ground->options;
    for (int i = 0; i < o->draws && a->status == HF_OK && hf_workspace_goes_on(a->workspace); i++) {
        double margin;
        a->random = hf_random_start(o->seed, stream, (uint64_t)i);
        // the second half of the tries mends what the first half has found
        const hf_posture* best = 2 * i >= o->draws ? choose_best(a->ask, i, to) : NULL;
        if (!make(a, i, best, &margin)) continue;
        keep(a, margin, next);
        if (is_tilted_well(a->ask, next)) compare(a, next, to, found);
        if (a->ask->family == HF_POSTURE_STAND && found[0]) return; // the nearest to the standing posture
    }
}

hf_status hf_posture_find(const hf_posture_ground* g, const hf_posture_ask* ask, uint32_t stream,
                          hf_workspace* workspace, hf_posture* to, bool* found) {
    attempt a = {.ground = g, .ask = ask, .workspace = workspace};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    size_t q = (size_t)g->view->q_count + 1;
    a.pose.q = hf_workspace_take(workspace, q, sizeof(double));
    hf_posture next = {.pose.q = hf_workspace_take(workspace, q, sizeof(double))};
    a.links = hf_workspace_take(workspace, (size_t)g->view->link_count, sizeof *a.links);
    is_fine(&a, hf_stance_create(&a.stance));
    if (!a.pose.q || !next.pose.q || !a.links) is_fine(&a, HF_ERROR_MEMORY);
    if (a.status == HF_OK) try_all(&a, stream, &next, to, found);
    hf_stance_free(a.stance);
    hf_workspace_end(workspace, mark);
    return a.status;
}
