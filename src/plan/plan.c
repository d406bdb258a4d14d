/* Plans: guide, stances, frames (thesis-2015 chapters 6 and 7). */
#include "base/clock.h"
#include "plan/walk.h"
#include "plan/family.h"
#include "plan/planner.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/workspace.h"
#include "model/tolerance.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(hf_plan_options, name)
static const hf_option items[] = {
    {"samples", HF_OPTION_COUNT, FIELD(samples), 100, 1000000, 10000, "",
     "postures in each limb's sample set"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992, 1, "", "of samples and guide"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 1024, 0, "",
     "0: all cores; the plan does not depend on it"},
    {"rate", HF_OPTION_REAL, FIELD(rate), 10, 240, 30, "1/s", "frames a second"},
    {"trunk_scale", HF_OPTION_REAL, FIELD(trunk_scale), 0, 1.5, 0, "",
     "of the guide's trunk; 0: the creature's"},
    {"margin_m", HF_OPTION_REAL, FIELD(margin_m), HF_FRAME_MARGIN_M, 1, HF_MARGIN_M, "m",
     "least balance margin of a frame"},
    {"horizon", HF_OPTION_COUNT, FIELD(horizon), 1, 1000, 24, "",
     "guide poses that a contact's duration counts"},
    {"effort", HF_OPTION_REAL, FIELD(effort), 0, 1000, 0.02, "",
     "weight of a contact's effort, a term that reaches 20"},
    {"duration", HF_OPTION_REAL, FIELD(duration), 0, 1000, 2, "", "weight of how long it lasts"},
    {"balance", HF_OPTION_REAL, FIELD(balance), 0, 1000, 1, "", "weight of the margin it gives"},
    {"comfort", HF_OPTION_REAL, FIELD(comfort), 0, 1000, 0.3, "", "weight of the posture's comfort"},
    {"room", HF_OPTION_REAL, FIELD(room), 0, 1000, 0.6, "", "weight of the free room about it"},
    {"max_work", HF_OPTION_COUNT, FIELD(max_work), 1, 1000000000, 4000, "",
     "contact changes tried on a guide, and on all when another is begun"},
    {"guides", HF_OPTION_COUNT, FIELD(guides), 1, 1000, 12, "", "guides tried"},
    {"patience", HF_OPTION_COUNT, FIELD(patience), 1, 1000000, 100, "",
     "contact changes tried on the first guide without going farther along it, and as many more on each "
     "other one"},
    {"draws", HF_OPTION_COUNT, FIELD(draws), 1, 10000, 32, "",
     "random bodies tried for a stance where the solver finds none"},
    {"tries", HF_OPTION_COUNT, FIELD(tries), 1, 100, 6, "",
     "alternatives tried for one contact change before the search goes elsewhere"},
    {"simplify", HF_OPTION_COUNT, FIELD(simplify), 0, 1000, 4, "",
     "contact changes made again for each stance of a plan that is found, to need fewer of them"},
    {"still", HF_OPTION_FLAG, FIELD(still), 0, 1, 0, "",
     "1: every frame is balanced at rest, also where the creature could walk balanced in motion"},
    {"walk_stride", HF_OPTION_REAL, FIELD(walk_stride), 0.1, 4, 1.5, "",
     "leg lengths of the longest stride of a walk that is tried"},
    {"walk_slowest", HF_OPTION_REAL, FIELD(walk_slowest), 1, 10, 2.4, "",
     "slowest pace of a walk that is tried, in times of a swing's natural one"},
    {"walk_crouch", HF_OPTION_REAL, FIELD(walk_crouch), 0, 0.5, 0.135, "",
     "how much lower a walking body is tried than its legs make it, of its centre of mass's height"},
    {"walk_aim_m", HF_OPTION_REAL, FIELD(walk_aim_m), 0, 1, 0.02, "m",
     "how far inside the contacts the pressure of a walk is aimed at"},
    {"walk_knots", HF_OPTION_COUNT, FIELD(walk_knots), 0, 1000000000, 60000, "",
     "poses solved for walks on the first guide, and a half, a third and so on of that on others"},
    {"goal_tolerance_m", HF_OPTION_REAL, FIELD(goal_tolerance_m), 0, 10, 0.05, "m",
     "how far the root may end from the goal's"},
    {"goal_tolerance_rad", HF_OPTION_REAL, FIELD(goal_tolerance_rad), 0, 4, 0.1, "rad",
     "how far the root may end turned from the goal's, and joints of a whole goal from theirs"},
};
#undef FIELD

hf_option_table hf_plan_option_table(void) { return (hf_option_table){sizeof items / sizeof *items, items}; }

hf_plan_options hf_plan_options_default(void) {
    hf_plan_options o;
    memset(&o, 0, sizeof o);
    hf_options_default(hf_plan_option_table(), &o);
    o.guide = hf_guide_options_default();
    return o;
}

const char* hf_plan_why_text(hf_plan_why why) {
    static const char* const texts[] = {"arrived",
                                        "the start collides",
                                        "no stance holds the body at the start",
                                        "no path of the root was found",
                                        "no contact leads on",
                                        "the work was used up",
                                        "cancelled"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

void hf_plan_result_free(hf_plan_result* r) {
    if (!r) return;
    hf_motion_free(r->motion);
    hf_schedule_free(r->schedule);
    memset(r, 0, sizeof *r);
}

/* ---- the schedule ---- */

/* A knot of the store becomes one of the schedule with the holds of its stance, but for the limb that swings.
 */
static hf_status add_knot(const hf_planner* p, hf_schedule* s, int i, int before) {
    const hf_plan_knot *f = &p->tree.knots.items[i], *last = before < 0 ? NULL : &p->tree.knots.items[before];
    const hf_plan_node* n = &p->tree.nodes[f->node];
    hf_pose pose = hf_knots_pose(&p->tree.knots, i);
    hf_hold holds[HF_MAX_HOLDS];
    int count = 0;
    for (int h = 0; h < n->hold_count; h++)
        if (n->holds[h].at.limb != f->swing) holds[count++] = n->holds[h].at;
    bool stance = !last || (f->swing < 0 && (last->node != f->node || last->swing >= 0));
    return hf_schedule_add(s, p->world.placement, s->knot_count / s->rate, &pose, holds, count, stance);
}

/* The knots of one stance; backwards where the plan was found from its goal. */
static hf_status add_stance(hf_planner* p, int node, int* before, hf_plan_result* r) {
    const hf_plan_node* n = &p->tree.nodes[node];
    int count = n->end_knot - n->first_knot;
    hf_status status = HF_OK;
    for (int k = 0; k < count && status == HF_OK; k++) {
        int i = p->world.backwards ? n->end_knot - 1 - k : n->first_knot + k;
        status = add_knot(p, r->schedule, i, *before);
        if (status == HF_OK) r->stances += r->schedule->knots[r->schedule->knot_count - 1].stance;
        *before = i;
    }
    return status;
}

/* The knots of all stances on the way to the last one. */
static hf_status make_schedule(hf_planner* p, int last, hf_plan_result* r) {
    hf_schedule_free(r->schedule);
    r->stances = 0;
    hf_status status = hf_schedule_create(p->world.creature, p->world.options->rate, &r->schedule);
    if (status == HF_OK) r->schedule->claims = HF_CLAIM_ALL | HF_CLAIM_DYNAMIC;
    // each node learns who comes after it
    int next = -1, before = -1;
    for (int n = last; n >= 0; n = p->tree.nodes[n].parent) {
        p->tree.nodes[n].option = next, next = n;
        if (status == HF_OK && p->tree.nodes[n].pace != HF_PLAN_AT_REST)
            r->schedule->claims &= ~(unsigned)HF_CLAIM_BALANCE;
    }
    if (p->world.backwards)
        for (int n = last; n >= 0 && status == HF_OK; n = p->tree.nodes[n].parent)
            status = add_stance(p, n, &before, r);
    else
        for (int n = next; n >= 0 && status == HF_OK; n = p->tree.nodes[n].option)
            status = add_stance(p, n, &before, r);
    return status;
}

/* ---- the guide ---- */

/* Times the tests of the attempt's guides so far: a detour that is so much harder to find is rather not
 * there.
 */
enum { DETOUR_TESTS = 10 };
/* Of the effort of a straight way with half a creature height on top: no more is easy. */
static const double EASY = 1.2;

static double apart(const hf_transform* a, const hf_transform* b, double radius) {
    return hf_distance(a->position, b->position) + radius * hf_quat_angle(a->rotation, b->rotation);
}

/* The poses in even steps, small against the creature; NULL when memory is out. */
static hf_transform* spread_poses(const hf_planner* p, const hf_transform* poses, int pose_count,
                                  int* spread_count) {
    double step = HF_GUIDE_STEP * p->world.view->height,
           radius = hf_guide_model_radius(p->world.model->guide), length = 0;
    for (int i = 1; i < pose_count; i++) length += apart(&poses[i], &poses[i - 1], radius);
    int count = pose_count > 1 ? 2 + (int)(length / step) : 1;
    hf_transform* spread = hf_alloc((size_t)count, sizeof *spread);
    if (!spread) return NULL;
    double done = 0;
    int n = 0;
    spread[n++] = poses[0];
    for (int i = 1; i < pose_count; i++) {
        hf_transform a = poses[i - 1], b = poses[i];
        double piece = apart(&a, &b, radius);
        while (n < count - 1 && length * n / (count - 1) <= done + piece && piece > 0) {
            double t = (length * n / (count - 1) - done) / piece;
            spread[n++] =
                (hf_transform){hf_lerp(a.position, b.position, t), hf_quat_slerp(a.rotation, b.rotation, t)};
        }
        done += piece;
    }
    while (n < count) spread[n++] = poses[pose_count - 1];
    *spread_count = count;
    return spread;
}

/* The path as the body likes to go along it, in even steps. */
static bool spread_guide(hf_planner* p, const hf_guide_path* path, hf_guide_effort* effort) {
    int count = 0;
    hf_transform* even = spread_poses(p, path->poses, path->pose_count, &count);
    bool good = even && hf_guide_settle(&p->world, even, count, effort);
    hf_free(p->own_guide);
    p->own_guide = good ? spread_poses(p, even, count, &p->world.guide_count) : NULL;
    p->world.guide = p->own_guide;
    hf_free(even);
    return p->own_guide != NULL;
}

/* A pose of start or goal that collides: both bodies, the depth and the free height. */
static bool say_overlap(hf_planner* p, const char* lead, const hf_pose* pose, const hf_plan_node* holds,
                        hf_plan_result* r) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query query = hf_collision_query_default();
    hf_overlap overlap;
    query.touches = touches;
    query.touch_count = holds ? hf_holds_touches(holds->holds, holds->hold_count, -1, touches) : 0;
    if (!hf_overlap_find(p->world.creature, p->world.placement, pose, &query, p->tools.links, &overlap))
        return false;
    char text[400];
    snprintf(r->where, sizeof r->where, "%s%s", lead,
             hf_overlap_text(p->world.creature, p->world.scene, &overlap, text, sizeof text));
    r->block = (hf_plan_block){.limb = -1, .object = -1, .collides = true, .hit = overlap.pair};
    return true;
}

/* How far below a root the scene is. */
static void say_height(const hf_planner* p, hf_vec3 at, char* text, size_t size) {
    hf_surface hit;
    if (hf_placement_ray(p->world.placement, at, hf_v3(0, 0, -1), 1e9, &hit))
        snprintf(text, size, "; the surface below is %.2f m lower than the root", hit.distance);
    else
        snprintf(text, size, "; there is no surface below");
}

/* Why there is no guide, and where it ended. A goal that is only a root has the rest posture, in which limbs
   may well collide: it is looked at only where the trunk is not free. */
static void say_guide(hf_planner* p, const hf_plan_query* q, const hf_guide_path* path, hf_plan_result* r) {
    bool at_goal = path->stop == HF_GUIDE_BAD_GOAL;
    const char* what = hf_guide_stop_text(path->stop);
    r->block = (hf_plan_block){.limb = -1, .has_place = true, .object = -1};
    if (!at_goal && path->stop != HF_GUIDE_BAD_START) {
        hf_vec3 a = path->start_side.position, b = path->goal_side.position;
        r->block.point = a;
        snprintf(r->where, sizeof r->where,
                 "%lld samples left a gap of %.2f m from %.2f %.2f %.2f to %.2f %.2f %.2f",
                 (long long)path->samples, path->gap, a.x, a.y, a.z, b.x, b.y, b.z);
        return;
    }
    const hf_pose* pose = at_goal ? &q->goal->pose : &q->start->pose;
    hf_guide_fault fault = at_goal ? path->goal_fault : path->start_fault;
    r->block.point = pose->root.position;
    if (fault == HF_GUIDE_TRUNK && say_overlap(p, at_goal ? "the goal is not free: " : "", pose, NULL, r))
        return;
    char height[80] = "";
    if (fault == HF_GUIDE_REACH) say_height(p, pose->root.position, height, sizeof height);
    snprintf(r->where, sizeof r->where, "%s at %.2f %.2f %.2f: %s%s", what, pose->root.position.x,
             pose->root.position.y, pose->root.position.z, hf_guide_fault_text(fault), height);
}

static hf_status find_guide(hf_planner* p, const hf_plan_query* q, hf_transform start, int number,
                            hf_guide_path* path, hf_plan_result* r, bool* found) {
    hf_guide_options o = hf_plan_guide_options(&p->world);
    o.seed = p->world.options->seed + 1000003u * (uint64_t)number;
    int64_t most = DETOUR_TESTS * p->progress.guide_tests;
    if (p->world.barred_count > 0 && most < o.max_tests) o.max_tests = (int)most;
    double begin = hf_now_s();
    // further attempts need other guides than the roadmap's
    const hf_plan_world* w = &p->world;
    hf_transform goal = q->goal->pose.root;
    hf_status status =
        q->roadmap && w->attempt == 0 && w->barred_count == 0
            ? hf_guide_find_on(q->roadmap, w->model->guide, w->placement, start, goal, &o, p->tools.workspace,
                               path)
            : hf_guide_find(w->model->guide, w->placement, start, goal, &o, p->tools.workspace, path);
    r->guide_s += hf_now_s() - begin;
    *found = status == HF_OK && path->outcome == HF_FOUND;
    if (status == HF_OK && path->outcome == HF_CANCELLED) p->progress.cancelled = true;
    r->guide_length_m = path->length_m;
    if (path->tests > p->progress.guide_tests) p->progress.guide_tests = path->tests;
    if (status == HF_OK && !*found) say_guide(p, q, path, r);
    return status;
}

/* The reachability condition lets a guide go where a body stands badly, or the long way round. Of a few
   guides the first that is nearly as easy as a straight walk, or the easiest; each keeps away from where
   those before it are hardest. */
hf_status hf_plan_choose_guide(hf_planner* p, const hf_plan_query* q, hf_transform start, int choice,
                               hf_plan_result* r, bool* found) {
    hf_status status = HF_OK;
    hf_guide_path path = {0};
    hf_transform* best = NULL;
    int best_count = 0;
    double least = INFINITY;
    double straight = hf_distance(start.position, q->goal->pose.root.position);
    double easy = EASY * (straight + p->world.view->height / 2) / p->world.view->height;
    int barred_count = p->world.barred_count;
    for (int i = 0; i < choice && status == HF_OK && least >= easy && !p->progress.cancelled; i++) {
        hf_guide_effort effort = {0};
        status = find_guide(p, q, start, p->world.attempt * HF_GUIDE_CHOICE + i, &path, r, found);
        if (status != HF_OK || !*found) break;
        if (!spread_guide(p, &path, &effort)) status = HF_ERROR_MEMORY;
        for (int k = 0; k < effort.hard_count && status == HF_OK; k++)
            if (!hf_plan_bar(&p->world, effort.hard[k])) status = HF_ERROR_MEMORY;
        if (status != HF_OK || effort.total >= least) continue;
        hf_free(best);
        best = p->own_guide, best_count = p->world.guide_count;
        p->own_guide = NULL;
        least = effort.total;
    }
    p->world.barred_count = barred_count;
    *found = best != NULL;
    if (best) r->where[0] = 0; // what a later guide failed at is not the plan's reason
    if (best) {
        hf_free(p->own_guide);
        p->world.guide = p->own_guide = best;
        p->world.guide_count = best_count;
    }
    hf_guide_path_free(&path);
    return status;
}

/* ---- the whole ---- */

static double guide_length(const hf_plan_world* w) {
    double length = 0;
    for (int i = 1; i < w->guide_count; i++)
        length += hf_distance(w->guide[i].position, w->guide[i - 1].position);
    return length;
}

static double share_of_way(const hf_planner* p) {
    return p->world.guide_count > 1
               ? (double)p->tree.nodes[p->tree.farthest].guide_index / (p->world.guide_count - 1)
               : 0;
}

/* The only limb that can hold, -1 where there are more. */
static int lone_limb(const hf_plan_world* w) {
    int found = -1;
    for (int l = 0; l < w->view->limb_count; l++) {
        if (!w->model->limbs[l].used) continue;
        if (found >= 0) return -1;
        found = l;
    }
    return found;
}

static void say_where(const hf_planner* p, hf_plan_result* r) {
    hf_vec3 at = p->world.guide[p->tree.nodes[p->tree.farthest].guide_index].position;
    char block[480] = "";
    int lone = lone_limb(&p->world);
    r->block = p->tree.block;
    if (lone >= 0)
        snprintf(block, sizeof block, "%.60s is the only limb: nothing holds the body while it moves",
                 p->world.view->limbs[lone].name);
    if (r->block.kind != HF_PLAN_NO_OBSTACLE) hf_plan_block_text(&p->world, &r->block, block, sizeof block);
    snprintf(r->where, sizeof r->where,
             "%s%sthe body got to %.2f %.2f %.2f, %.0f %% of the way, after %d stance%s", block,
             block[0] ? "; " : "", at.x, at.y, at.z, 100 * r->reached, r->stances,
             r->stances == 1 ? "" : "s");
}

/* Why there is no stance at the start. */
static void say_start(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    const hf_plan_node* n = &p->tree.nodes[0];
    bool whole = q->start->whole;
    if (hf_workspace_cancelled(p->tools.workspace)) {
        p->progress.cancelled = true; // whether there is a stance is not known
        return;
    }
    if (r->why == HF_PLAN_START_COLLIDES &&
        say_overlap(p, "", whole ? &n->pose : &q->start->pose, whole ? n : NULL, r))
        return;
    int limb = p->tree.block.limb; // that should hold and touches nothing
    if (limb >= 0) {
        snprintf(r->where, sizeof r->where, "contacts of the start: %.60s is on no surface",
                 p->world.view->limbs[limb].name);
        r->block = p->tree.block;
        return;
    }
    char names[300] = "", height[80];
    int left = 0;
    say_height(p, q->start->pose.root.position, height, sizeof height);
    for (int i = 0; i < n->hold_count; i++)
        hf_text_list_add(names, sizeof names, p->world.view->limbs[n->holds[i].at.limb].name, &left);
    if (n->hold_count)
        snprintf(r->where, sizeof r->where, "%s cannot hold it with a balance margin of %g mm", names,
                 p->world.options->margin_m * 1000);
    else
        snprintf(r->where, sizeof r->where, "no limb can touch a surface%s", height);
}

/* Begins a tree at the start. */
static bool begin(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    p->tree.knots.count = p->tree.node_count = p->tree.node_index = p->tree.farthest = 0;
    p->tree.block = (hf_plan_block){.limb = -1, .object = -1};
    p->tree.walk_knots = hf_walk_budget(&p->world);
    p->tree.barred_count = 0;
    if (!hf_plan_begin(p, q->start, &p->tree.nodes[0], &r->why)) {
        say_start(p, q, r);
        return false;
    }
    p->tree.nodes[0].option = p->tree.nodes[0].found = p->tree.nodes[0].blocked = 0,
    p->tree.nodes[0].worth = 0;
    p->tree.node_count = 1;
    return true;
}

/* Can the limbs that a whole goal names hold there? Where one touches nothing the search would be in vain. */
static bool goal_holds(hf_planner* p, const hf_scenario_state* goal, hf_plan_result* r) {
    if (!goal->whole || goal->contact_count == 0) return true;
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    if (pose.q) hf_pose_copy(&p->world, &goal->pose, &pose);
    int count = pose.q ? hf_plan_contacts(p, goal, &pose, holds) : 0;
    hf_workspace_end(p->tools.workspace, mark);
    if (count >= 0) return true;
    r->why = HF_PLAN_NO_CONTACT;
    r->block = (hf_plan_block){.kind = HF_PLAN_NO_ARRIVAL, .limb = -1 - count, .object = -1};
    snprintf(r->where, sizeof r->where,
             "contacts of the goal: %.60s is on no surface, or cannot hold it there",
             p->world.view->limbs[-1 - count].name);
    return false;
}

/* Is the search at an end on this guide, but not with its work? */
static bool is_stuck(const hf_planner* p, hf_plan_why why) {
    return why == HF_PLAN_NO_CONTACT ||
           (why == HF_PLAN_WORK_ENDED && hf_plan_ok(p) && p->progress.work < p->world.options->max_work);
}

/* Keeps the motion to the farthest stance where it goes farther than the one that is kept. */
static hf_status keep_farthest(hf_planner* p, hf_plan_result* r) {
    if (r->schedule && share_of_way(p) < r->reached) return HF_OK;
    r->reached = share_of_way(p);
    hf_status status = make_schedule(p, p->tree.farthest, r);
    say_where(p, r);
    return status;
}

/* A detour; the words of the result stay those of what is kept. */
static bool detour(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    char where[sizeof r->where];
    hf_plan_block block = r->block;
    memcpy(where, r->where, sizeof where);
    bool found = hf_plan_detour(p, q, r);
    memcpy(r->where, where, sizeof where);
    r->block = block;
    return found;
}

/* Searches along the guide; where that leads no farther, along others that part from it there, as long as the
   body then goes on by more than contacts look ahead. Each attempt may be in vain once more than the one
   before. */
static hf_plan_why search_on(hf_planner* p, const hf_plan_query* q, hf_plan_result* r, int patience) {
    int vain = 0, from = 0;
    hf_plan_why why;
    if (p->world.attempt % 2 == 0 && !hf_plan_legs(p, q, r, patience)) return r->why;
    for (;;) {
        why = hf_plan_search(p, q->goal, patience);
        if (!is_stuck(p, why) || q->guide_count > 0) return why;
        bool went_on = p->tree.nodes[p->tree.farthest].guide_index > from + p->world.options->horizon;
        vain = went_on ? 0 : vain + 1;
        if (vain > p->world.attempt || !hf_plan_note(p, keep_farthest(p, r))) return why;
        if (!detour(p, q, r)) return why;
        from = p->tree.nodes[p->tree.farthest].guide_index;
    }
}

/* Stances along the guide; the schedule is the whole one, or as far as the search went. */
static hf_status plan_along(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    int patience =
        q->guide_count > 0 ? p->world.options->max_work : p->world.options->patience * (1 + p->world.attempt);
    hf_spots_forget(&p->world);
    bool begun = begin(p, q, r);
    if (begun && !goal_holds(p, q->goal, r)) return make_schedule(p, 0, r);
    if (begun) r->why = search_on(p, q, r, patience);
    if (!hf_plan_ok(p)) return p->tools.status;
    if (!begun) return HF_OK;
    bool done = r->why == HF_PLAN_DONE;
    if (p->own_guide) r->guide_length_m = guide_length(&p->world);
    if (!done) return keep_farthest(p, r);
    r->reached = 1, r->where[0] = 0, r->block = (hf_plan_block){0};
    if (!hf_plan_simplify(p)) return p->tools.status;
    return make_schedule(p, p->tree.node_index, r);
}

/* Without a guide: the motion is the start's stance alone, or the start itself says why there is none. */
static hf_status plan_start(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    p->world.guide = &q->start->pose.root, p->world.guide_count = 1;
    r->why = HF_PLAN_NO_GUIDE;
    hf_spots_forget(&p->world);
    bool begun = begin(p, q, r);
    if (begun) r->why = HF_PLAN_NO_GUIDE;
    if (!hf_plan_ok(p)) return p->tools.status;
    return begun ? make_schedule(p, 0, r) : HF_OK;
}

/* Seconds of processor time that a plan without a guide takes after it was cancelled to find the stance of
   its start, so that there is something to keep. */
static const double START_S = 0.1;

static double processor_s(void) { return hf_clock_s(CLOCK_THREAD_CPUTIME_ID); }

static bool is_before(void* user, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    return processor_s() < *(const double*)user;
}

static void grant_start(hf_planner* p, double* until_s) {
    *until_s = processor_s() + START_S;
    hf_workspace_watch(p->tools.workspace, is_before, until_s);
}

static hf_status attempt(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    bool found = true;
    double until_s;
    hf_status status = HF_OK;
    p->world.barred_count = 0;
    p->progress.guide_tests = 0;
    if (q->guide_count > 0)
        p->world.guide = q->guide, p->world.guide_count = q->guide_count;
    else
        status = hf_plan_choose_guide(p, q, q->start->pose.root, HF_GUIDE_CHOICE, r, &found);
    if (status == HF_OK && !found && p->progress.cancelled) grant_start(p, &until_s);
    if (status == HF_OK) status = found ? plan_along(p, q, r) : plan_start(p, q, r);
    if (p->progress.cancelled && r->why != HF_PLAN_DONE) r->why = HF_PLAN_CANCELLED;
    r->work = p->progress.work;
    return status;
}

/* ---- backwards ---- */

/* How exactly a plan that was found from its goal begins where it shall, m and rad: contacts are held within
   a millimetre, which turns the joints of short limbs by about so much. */
static const double SAME_M = 2e-3, SAME_RAD = 0.02;

/* Is the last stance the start, so that the way there can be played backwards from it? */
static bool is_at(const hf_planner* p, const hf_pose* start) {
    const hf_pose* end = &p->tree.nodes[p->tree.node_index].pose;
    const hf_creature_view* v = p->world.view;
    if (hf_distance(end->root.position, start->root.position) > SAME_M ||
        hf_quat_angle(end->root.rotation, start->root.rotation) > SAME_RAD)
        return false;
    for (int i = 0; i < v->q_count; i++)
        if (fabs(end->q[i] - start->q[i]) > SAME_RAD) return false;
    return true;
}

/* Searches from the goal to the start and plays that backwards: what every frame keeps (holds, clearance,
   speeds, balance at rest and in motion) does not depend on the direction of time, and what is hard to come
   to may be easy to leave. A way that does not arrive is of no use. */
static hf_status attempt_backwards(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    hf_scenario_state end = *q->start;
    hf_plan_query back = *q;
    end.placed = false; // all of its contacts count
    back.start = q->goal, back.goal = &end, back.roadmap = NULL;
    p->world.backwards = true;
    hf_status status = attempt(p, &back, r);
    p->world.backwards = false;
    if (status != HF_OK || (r->why == HF_PLAN_DONE && is_at(p, &q->start->pose))) return status;
    hf_schedule_free(r->schedule);
    r->schedule = NULL, r->reached = 0, r->stances = 0;
    // reasons and places of the search from the goal say nothing of the start
    if (r->why != HF_PLAN_CANCELLED && r->why != HF_PLAN_WORK_ENDED && r->why != HF_PLAN_NO_GUIDE)
        r->why = HF_PLAN_NO_CONTACT;
    r->where[0] = '\0';
    r->block = (hf_plan_block){.limb = -1, .object = -1};
    return status;
}

/* Does a limb without joints hold, so that the root stays where it is? */
static bool is_seated(const hf_planner* p, const hf_scenario_state* state) {
    for (int i = 0; i < state->contact_count; i++)
        if (p->world.view->limbs[state->contacts[i].limb].joint_count == 0) return true;
    return false;
}

/* Every third attempt goes backwards. A seat is easier to leave than to find: where the body sits at one end
   only, attempts begin there, but for every third one where that is the goal. */
static bool goes_backwards(const hf_planner* p, const hf_plan_query* q) {
    enum { EVERY = 3 };
    if (q->forwards || q->guide_count > 0 || !q->start->whole || !q->goal->whole) return false;
    bool third = p->world.attempt % EVERY == EVERY - 1, sits = is_seated(p, q->goal);
    if (sits == is_seated(p, q->start)) return third;
    return sits && !third;
}

hf_status hf_plan_attempt(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    return goes_backwards(p, q) ? attempt_backwards(p, q, r) : attempt(p, q, r);
}
