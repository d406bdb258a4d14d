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
    double height = LIFT_SHARE * p->world.view->limbs[hold->limb].length;
    hf_lift one = {hold, at, hf_add(hf_scale(hold->normal, height), aside)};
    bool lifts = false;
    return hf_plan_note(p, hf_lift_find(p->world.creature, &one, p->tools.workspace, p->tools.links, rows,
                                        &lifts, scrapes)) &&
           lifts;
}

/* Can the limb get a little off its contact without scraping? q, where wanted, is its posture then. */
static bool lifts_off(hf_planner* p, const hf_plan_hold* hold, const hf_pose* at, double* q) {
    size_t row = (size_t)p->world.view->q_count;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    double* rows = hf_workspace_take(p->tools.workspace, HF_LIFT_KNOTS * row, sizeof *rows);
    if (!rows) hf_plan_note(p, HF_ERROR_MEMORY);
    bool scrapes = false, good = rows && lift(p, &hold->at, at, hf_v3(0, 0, 0), rows, &scrapes) && !scrapes;
    if (good && q) memcpy(q, rows + (HF_LIFT_KNOTS - 1) * row, sizeof(double) * row);
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}

bool hf_segment_lifts(hf_planner* p, const hf_plan_hold* hold, const hf_pose* at) {
    // a limb without joints leaves with the body
    return p->world.view->limbs[hold->at.limb].joint_count == 0 || lifts_off(p, hold, at, NULL);
}

static void add_waypoint(hf_segment* s, hf_transform root, const double* q) {
    s->roots[s->way_count] = root;
    memcpy(hf_segment_q(s, s->way_count++), q, sizeof(double) * (size_t)s->planner->world.view->q_count);
}

/* A swing to be made. */
typedef struct swing {
    int limb, frame, goal_frame;
    hf_hold leave, arrive;
    const hf_pose *from, *to;
} swing;

/* Swings are tried with lifts straight up where those are free, then with lifts that keep away from what is
   in the way (a toe before a riser has no other way), with few shapes of curves; then with many shapes. */
typedef enum pass { STRAIGHT, ASIDE, ODD, PASSES } pass;
enum { FEW_CURVES = 3 };
/* Ways off a surface, in the order they are tried: straight, back from where the limb goes, to both sides,
   and far back. */
enum { LIFT_WAYS = 5 };

static hf_vec3 contact_point(hf_planner* p, int limb, int frame, const hf_pose* pose) {
    const hf_contact_frame* f = &p->world.view->limbs[limb].contacts[frame];
    hf_forward(p->world.creature, pose, p->tools.links);
    return hf_apply(p->tools.links[f->link], f->offset);
}

static hf_vec3 along_surface(hf_vec3 way, hf_vec3 normal) {
    return hf_sub(way, hf_scale(normal, hf_dot(way, normal)));
}

/* How far aside of straight off a surface, where the limb goes that way along it. */
static hf_vec3 aside_of(int number, hf_vec3 along, hf_vec3 normal, double length) {
    if (number == 0 || !(hf_length(along) > 0)) return hf_v3(0, 0, 0);
    along = hf_scale(hf_normalize(along), LIFT_SHARE * length);
    hf_vec3 across = hf_cross(normal, along);
    hf_vec3 sides[LIFT_WAYS - 1] = {hf_neg(along), across, hf_neg(across), hf_scale(along, -2)};
    return sides[number - 1];
}

/* Is the limb free there, whatever the rest of the body does? */
static bool limb_is_free(hf_planner* p, int limb, const hf_pose* at) {
    hf_collision_query c = hf_collision_query_default();
    c.limb = limb;
    hf_forward(p->world.creature, at, p->tools.links);
    return !hf_plan_collides(p, &c, NULL);
}

/* The first lift that ends free, from the way `first` on, else that one. */
static int free_lift(hf_planner* p, const swing* w, bool arrives, int first, hf_vec3 way, double* out) {
    hf_hold end = arrives ? w->arrive : w->leave;
    const hf_pose* at = arrives ? w->to : w->from;
    double length = p->world.view->limbs[w->limb].length;
    hf_vec3 along = along_surface(way, end.normal);
    end.limb = w->limb, end.frame = arrives ? w->goal_frame : w->frame;
    // without a way along the surface all lifts are the same
    int last = hf_length(along) > 0 ? LIFT_WAYS : first;
    bool scrapes = false, lifts = false;
    for (int k = first; k <= last && hf_plan_ok(p); k++) {
        hf_vec3 aside = aside_of(k < LIFT_WAYS ? k : first, along, end.normal, length);
        lifts = lift(p, &end, at, aside, out, &scrapes);
        hf_pose top = {at->root, out + (size_t)(HF_LIFT_KNOTS - 1) * (size_t)p->world.view->q_count};
        if (lifts && limb_is_free(p, w->limb, &top)) break;
    }
    return lifts ? HF_LIFT_KNOTS : 0;
}

/* Waypoints off the old surface with the body still, over to the new one, and down with the body still. */
static bool make_waypoints(hf_segment* s, const swing* w, pass which, double* lifts) {
    hf_planner* p = s->planner;
    size_t row = (size_t)p->world.view->q_count;
    double* downs = lifts + (size_t)HF_LIFT_KNOTS * row;
    hf_vec3 way =
        hf_sub(contact_point(p, w->limb, w->goal_frame, w->to), contact_point(p, w->limb, w->frame, w->from));
    int up = 0, down = 0;
    s->way_count = 0;
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
                        .clearance = p->tools.clearance,
                        .options = hf_swing_options_default()};
    if (which != ODD) q.options.max_tries = FEW_CURVES;
    q.options.step_m = hf_collision_query_default().step_m; // frames are tested more finely later
    if (!hf_plan_ok(p) ||
        !hf_plan_note(p, hf_swing_find(p->world.creature, p->world.placement, &q, p->tools.workspace,
                                       p->tools.swing)) ||
        p->tools.swing->outcome != HF_FOUND)
        return false;
    if (up) add_waypoint(s, w->from->root, w->from->q);
    for (int i = 0; i + 1 < up; i++) add_waypoint(s, w->from->root, lifts + (size_t)i * row);
    for (int i = 0; i < p->tools.swing->knot_count; i++)
        add_waypoint(s, p->tools.swing->roots[i], p->tools.swing->q + (size_t)i * row);
    for (int i = down - 2; i >= 0; i--) add_waypoint(s, w->to->root, downs + (size_t)i * row);
    if (down) add_waypoint(s, w->to->root, w->to->q);
    return true;
}

/* The limb from one pose to the other, all others holding. */
static bool make_swing(hf_planner* p, const hf_plan_hold* holds, int count, const swing* w,
                       const hf_stance* stance, int node) {
    enum { ROOM = HF_SWING_KNOTS + 2 * HF_LIFT_KNOTS + 2 };
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_segment s = {.planner = p,
                    .holds = holds,
                    .hold_count = count,
                    .limb = w->limb,
                    .stance = stance,
                    .node = node,
                    .from = w->from};
    double* lifts = hf_workspace_take(p->tools.workspace, 2 * HF_LIFT_KNOTS * (size_t)p->world.view->q_count,
                                      sizeof *lifts);
    if (!hf_segment_room(&s, ROOM) || !lifts) hf_plan_note(p, HF_ERROR_MEMORY);
    bool good = false, odd = false;
    for (pass which = STRAIGHT; which < PASSES && !good && hf_plan_ok(p); which++) {
        if (which == ODD && !odd) break;
        bool found = make_waypoints(&s, w, which, lifts);
        // another curve helps where a curve was to blame
        if (which == STRAIGHT)
            odd =
                !found && (p->tools.swing->why == HF_SWING_COLLIDES || p->tools.swing->why == HF_SWING_RANGE);
        if (!found && p->tools.swing->why == HF_SWING_COLLIDES) hf_plan_hit(p, &p->tools.swing->collision);
        good = found && hf_segment_finish(&s, true);
    }
    hf_workspace_end(p->tools.workspace, mark);
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
    return hf_stance_margin(stance, hf_com_at(p, at)) >= p->world.options->margin_m &&
           hf_plan_note(p, hf_knots_add(&p->tree.knots, at, node, -1));
}

/* Free postures for a limb that lets go, in the order in which they are tried. */
typedef enum freedom { AT_REST, HALF_WAY_TO_REST, SPARE_POSTURE, JUST_OFF, FREEDOMS } freedom;

/* The pose with the limb in such a posture; false where it has none or collides. */
static bool free_posture(hf_planner* p, const hf_plan_hold* holds, int count, const hf_plan_hold* old,
                         freedom how, const hf_pose* from, hf_pose* to) {
    const hf_plan_world* w = &p->world;
    const hf_limb* limb = &w->view->limbs[old->at.limb];
    hf_pose_copy(w, from, to);
    for (int k = 0; k < limb->joint_count && how != JUST_OFF; k++) {
        const hf_joint* j = &w->view->joints[limb->joints[k]];
        if (j->q_count != 1) continue;
        to->q[j->q_index] += (w->home[j->q_index] - to->q[j->q_index]) / (how == HALF_WAY_TO_REST ? 2 : 1);
    }
    hf_pose_follow(w->creature, to->q);
    hf_collision hit;
    if (how == SPARE_POSTURE && !hf_spares_clear(p, holds, count, -1, NULL, to, &hit)) return false;
    if (how == JUST_OFF && !lifts_off(p, old, from, to->q)) return false;
    return !hf_holds_collide(p, holds, count, to, &hit);
}

bool hf_segment_free(hf_planner* p, const hf_plan_hold* holds, int count, const hf_plan_hold* old,
                     const hf_stance* stance, int node, const hf_pose* from) {
    if (p->world.view->limbs[old->at.limb].joint_count == 0) return stays_behind(p, stance, node, from);
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose to = hf_take_pose(p);
    swing w = {.limb = old->at.limb,
               .frame = old->at.frame,
               .goal_frame = old->at.frame,
               .leave = old->at,
               .arrive = {.object = -1},
               .from = from,
               .to = &to};
    bool freed = false;
    for (freedom how = AT_REST; how < FREEDOMS && hf_plan_ok(p) && !freed; how++)
        freed = free_posture(p, holds, count, old, how, from, &to) &&
                make_swing(p, holds, count, &w, stance, node);
    hf_workspace_end(p->tools.workspace, mark);
    return freed;
}
