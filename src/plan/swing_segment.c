/* Swings of a plan: one limb from its old hold to the next, or to no hold, while the others keep theirs and
   the body stays balanced on them. */
#include "plan/segment.h"

#include "base/workspace.h"
#include "schedule/lift.h"

#include <string.h>

/* Of the limb's length: how high a limb is lifted before it goes over. */
static const double LIFT_SHARE = 0.05;

/* Rows off (or onto) a hold of a pose, `aside` of straight; false where the limb cannot. */
static bool lift(hf_planner* p, const hf_hold* hold, const hf_pose* at, hf_vec3 aside, double* rows,
                 bool* scrapes) {
    double height = LIFT_SHARE * p->view->limbs[hold->limb].length;
    hf_lift one = {hold, at, hf_add(hf_scale(hold->normal, height), aside)};
    bool lifts = false;
    if (hf_lift_find(p->creature, &one, p->workspace, p->links, rows, &lifts, scrapes) != HF_OK)
        p->out_of_memory = true;
    return lifts && !p->out_of_memory;
}

/* The limb a little off its contact, without scraping; false where it cannot. */
static bool lifted(hf_planner* p, const hf_plan_hold* hold, hf_pose* pose) {
    size_t row = (size_t)p->view->q_count;
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    double* q = hf_workspace_take(p->workspace, HF_LIFT_KNOTS * row, sizeof *q);
    bool scrapes = false, good = q && lift(p, &hold->at, pose, hf_v3(0, 0, 0), q, &scrapes) && !scrapes;
    if (!q) p->out_of_memory = true;
    if (good) memcpy(pose->q, q + (HF_LIFT_KNOTS - 1) * row, sizeof(double) * row);
    hf_workspace_end(p->workspace, mark);
    return good;
}

bool hf_segment_lifts(hf_planner* p, const hf_plan_hold* hold, const hf_pose* at) {
    // a limb without joints leaves with the body
    if (p->view->limbs[hold->at.limb].joint_count == 0) return true;
    hf_pose end = {at->root, p->q_i};
    memcpy(end.q, at->q, sizeof(double) * (size_t)p->view->q_count);
    return lifted(p, hold, &end);
}

static void add_knot(hf_segment* s, hf_transform root, const double* q) {
    s->roots[s->knot_count] = root;
    memcpy(hf_segment_q(s, s->knot_count++), q, sizeof(double) * (size_t)s->planner->view->q_count);
}

/* A swing to be made. */
typedef struct swing {
    int limb, frame, goal_frame;
    hf_hold leave, arrive;
    const hf_pose *from, *to;
} swing;

/* Swings are tried with lifts straight up where those are free, then with lifts that keep away from what is
   in the way (a toe before a riser has no other way), then with odd curves; so many shapes of curves each. */
typedef enum pass { STRAIGHT, ASIDE, ODD, PASSES } pass;
static const int TRIES[PASSES] = {3, 3, 14};
static const double ASIDE_SHARE = 0.03; /* of the limb's length */
/* Ways off a surface, in the order they are tried: straight, back from where the limb goes, to both sides,
   and far back. */
enum { LIFT_WAYS = 5 };

static hf_vec3 contact_point(hf_planner* p, int limb, int frame, const hf_pose* pose) {
    const hf_contact_frame* f = &p->view->limbs[limb].contacts[frame];
    hf_forward(p->creature, pose, p->links);
    return hf_apply(p->links[f->link], f->offset);
}

/* The part of a way along a surface; zero where that is too short to say where to. */
static hf_vec3 along_surface(hf_vec3 way, hf_vec3 normal, double length) {
    hf_vec3 along = hf_sub(way, hf_scale(normal, hf_dot(way, normal)));
    return hf_length(along) > 1e-3 * length ? along : hf_v3(0, 0, 0);
}

/* How far aside of straight off a surface, where the limb goes that way along it. */
static hf_vec3 aside_of(int number, hf_vec3 along, hf_vec3 normal, double length) {
    if (number == 0 || !(hf_length(along) > 0)) return hf_v3(0, 0, 0);
    along = hf_scale(hf_normalize(along), ASIDE_SHARE * length);
    hf_vec3 across = hf_cross(normal, along);
    hf_vec3 sides[LIFT_WAYS - 1] = {hf_neg(along), across, hf_neg(across), hf_scale(along, -3)};
    return sides[number - 1];
}

/* Is the limb free there, whatever the rest of the body does? */
static bool limb_is_free(hf_planner* p, int limb, const hf_pose* at) {
    hf_collision_query c = hf_collision_query_default();
    c.limb = limb;
    hf_forward(p->creature, at, p->links);
    return !hf_collides(p->creature, p->placement, p->links, &c, NULL);
}

/* The first lift that ends free, from the way `first` on, else that one. */
static int free_lift(hf_planner* p, const swing* w, bool arrives, int first, hf_vec3 way, double* out) {
    hf_hold end = arrives ? w->arrive : w->leave;
    const hf_pose* at = arrives ? w->to : w->from;
    double length = p->view->limbs[w->limb].length;
    hf_vec3 along = along_surface(way, end.normal, length);
    end.limb = w->limb, end.frame = arrives ? w->goal_frame : w->frame;
    // without a way along the surface all lifts are the same
    int last = hf_length(along) > 0 ? LIFT_WAYS : first;
    bool scrapes = false, lifts = false;
    for (int k = first; k <= last && !p->out_of_memory; k++) {
        hf_vec3 aside = aside_of(k < LIFT_WAYS ? k : first, along, end.normal, length);
        lifts = lift(p, &end, at, aside, out, &scrapes);
        hf_pose top = {at->root, out + (size_t)(HF_LIFT_KNOTS - 1) * (size_t)p->view->q_count};
        if (lifts && limb_is_free(p, w->limb, &top)) break;
    }
    return lifts ? HF_LIFT_KNOTS : 0;
}

/* Knots off the old surface with the body still, over to the new one, and down with the body still. */
static bool make_swing_knots(hf_segment* s, const swing* w, pass which, double* lifts) {
    hf_planner* p = s->planner;
    size_t row = (size_t)p->view->q_count;
    double* downs = lifts + (size_t)HF_LIFT_KNOTS * row;
    hf_vec3 way =
        hf_sub(contact_point(p, w->limb, w->goal_frame, w->to), contact_point(p, w->limb, w->frame, w->from));
    int up = 0, down = 0;
    s->knot_count = 0;
    if (w->leave.object >= 0) up = free_lift(p, w, false, which == ASIDE, way, lifts);
    if (w->arrive.object >= 0) down = free_lift(p, w, true, which == ASIDE, way, downs);
    hf_hold held[HF_MAX_HOLDS];
    for (int i = 0; i < s->hold_count; i++) held[i] = s->holds[i].at;
    hf_hold nowhere = {.object = -1};
    hf_swing_limb one = {w->limb, w->goal_frame, up ? nowhere : w->leave, down ? nowhere : w->arrive};
    one.start.normal = w->leave.normal, one.goal.normal = w->arrive.normal;
    hf_swing_query q = {.from = {w->from->root, up ? lifts + (size_t)(up - 1) * row : w->from->q},
                        .to = {w->to->root, down ? downs + (size_t)(down - 1) * row : w->to->q},
                        .limb_count = 1,
                        .limbs = &one,
                        .hold_count = s->hold_count,
                        .holds = held,
                        .clearance = p->clearance,
                        .options = hf_swing_options_default()};
    q.options.max_tries = TRIES[which];
    q.options.step_m = hf_collision_query_default().step_m; // frames are tested more finely later
    if (!p->out_of_memory && hf_swing_find(p->creature, p->placement, &q, p->workspace, p->swing) != HF_OK)
        p->out_of_memory = true;
    if (p->out_of_memory || p->swing->outcome != HF_FOUND) return false;
    if (up) add_knot(s, w->from->root, w->from->q);
    for (int i = 0; i + 1 < up; i++) add_knot(s, w->from->root, lifts + (size_t)i * row);
    for (int i = 0; i < p->swing->knot_count; i++)
        add_knot(s, p->swing->roots[i], p->swing->q + (size_t)i * row);
    for (int i = down - 2; i >= 0; i--) add_knot(s, w->to->root, downs + (size_t)i * row);
    if (down) add_knot(s, w->to->root, w->to->q);
    return true;
}

/* The limb from one pose to the other, all others holding. */
static bool make_swing(hf_planner* p, const hf_plan_hold* holds, int count, const swing* w,
                       const hf_stance* stance, int node) {
    enum { ROOM = HF_SWING_KNOTS + 2 * HF_LIFT_KNOTS + 2 };
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    hf_segment s = {.planner = p,
                    .holds = holds,
                    .hold_count = count,
                    .limb = w->limb,
                    .stance = stance,
                    .node = node,
                    .from = w->from};
    double* lifts =
        hf_workspace_take(p->workspace, 2 * HF_LIFT_KNOTS * (size_t)p->view->q_count, sizeof *lifts);
    if (!hf_segment_room(&s, ROOM) || !lifts) p->out_of_memory = true;
    bool good = false, odd = false;
    for (pass which = STRAIGHT; which < PASSES && !good && !p->out_of_memory; which++) {
        if (which == ODD && !odd) break;
        bool found = make_swing_knots(&s, w, which, lifts);
        // another curve helps where a curve was to blame
        if (which == STRAIGHT)
            odd = !found && (p->swing->why == HF_SWING_COLLIDES || p->swing->why == HF_SWING_RANGE);
        good = found && hf_segment_finish(&s, true);
    }
    hf_workspace_end(p->workspace, mark);
    return good;
}

bool hf_segment_swing(hf_planner* p, const hf_plan_hold* holds, int count, const hf_plan_hold* old,
                      const hf_plan_hold* next, const hf_stance* stance, int node, const hf_pose* from,
                      const hf_pose* to) {
    swing w = {.limb = next->at.limb,
               .frame = old ? old->at.frame : next->at.frame,
               .goal_frame = next->at.frame,
               .leave = {.object = -1},
               .arrive = next->at,
               .from = from,
               .to = to};
    if (old) w.leave = old->at;
    return make_swing(p, holds, count, &w, stance, node);
}

/* A limb without joints leaves when the body does: from now on it holds nothing. */
static bool stays_behind(hf_planner* p, const hf_stance* stance, int node, const hf_pose* at) {
    hf_vec3 com = hf_segment_com(p, at);
    double margin = hf_stance_margin(stance, com);
    if (margin < p->options->margin_m) return false;
    if (!hf_frames_add(&p->frames, at, node, -1)) p->out_of_memory = true;
    return !p->out_of_memory;
}

enum { FREE_TURNS = 4 };

bool hf_segment_free(hf_planner* p, const hf_plan_hold* holds, int count, const hf_plan_hold* old,
                     const hf_stance* stance, int node, const hf_pose* from) {
    hf_pose to = {from->root, p->q_b};
    const hf_limb* limb = &p->view->limbs[old->at.limb];
    swing w = {.limb = old->at.limb,
               .frame = old->at.frame,
               .goal_frame = old->at.frame,
               .leave = old->at,
               .arrive = {.object = -1},
               .from = from,
               .to = &to};
    if (limb->joint_count == 0) return stays_behind(p, stance, node, from);
    // to the rest posture, half of the way there, another free one, or just off
    for (int turn = 0; turn < FREE_TURNS && !p->out_of_memory; turn++) {
        memcpy(to.q, from->q, sizeof(double) * (size_t)p->view->q_count);
        for (int k = 0; k < limb->joint_count && turn < 3; k++) {
            const hf_joint* j = &p->view->joints[limb->joints[k]];
            for (int i = j->q_index; i < j->q_index + j->q_count && j->q_count == 1; i++)
                to.q[i] += (p->view->rest[i] - to.q[i]) * (turn == 1 ? 0.5 : 1);
        }
        hf_pose_follow(p->creature, to.q);
        hf_collision hit;
        if (turn == 2 && !hf_spares_clear(p, holds, count, -1, NULL, &to, &hit)) continue;
        if (turn == 3 && !lifted(p, old, &to)) continue;
        if (hf_holds_collide(p, holds, count, -1, &to, &hit)) continue;
        if (make_swing(p, holds, count, &w, stance, node)) return true;
    }
    return false;
}
