/* Ways of the body around what is in its way, all holds kept: the manifold of the holds as a space for the
   common trees (after Berenson, Srinivasa and Kuffner 2011, "Task space regions", CBiRRT). A state is the
   root with all joints; limbs that hold are solved at every step, balance and collision are tested there.
   What joins the two ends is cut short and becomes one move after the other. */
#include "plan/planner.h"

#include "base/workspace.h"
#include "space/space_shortcut.h"
#include "space/space_tree.h"

#include <math.h>
#include <string.h>

/* One step: no further than this. */
static const double STEP_SHIFT = 0.025;                  /* creature heights */
static const double STEP_TURN = 0.08, STEP_JOINT = 0.15; /* rad */
enum { STEPS = 300, ATTEMPTS = 2, GIVING_WAY = 5, LONGEST_TRY = 8, BEYOND = 5, WAY_STREAM = 0x7761 };
static const double ON_GUIDE = 0.4;
static const double MOST_SHIFT = 0.35;    /* of a target, creature heights */
static const double LEAST_PROGRESS = 0.2; /* steps, of a step that the holds have bent */
static const double ARRIVED = 1e-6;       /* steps from a state that count as the state itself */
/* More balance than frames need: moves between two states have a little less than both. */
static const double EXTRA = 1.05, AIM = 2;

typedef struct way {
    hf_planner* planner;
    const hf_plan_hold* holds;
    int hold_count;
    const hf_stance* stance;
    bool* solved;              /* of each joint: a limb that holds moves it */
    int guide_low, guide_span; /* poses of the guide about the two ends */
    const hf_pose *from, *to;
    hf_random random; /* of the states drawn */
    double* ends[2];  /* rows of both */
    hf_pose target, next, before;
} way;

/* A row is the root, then the joint values. */
enum { ROOT_VALUES = sizeof(hf_transform) / sizeof(double) };

static hf_pose pose_of(const double* row) {
    hf_pose pose = {.q = (double*)(uintptr_t)(row + ROOT_VALUES)};
    memcpy(&pose.root, row, sizeof pose.root);
    return pose;
}

static void to_row(const way* w, const hf_pose* pose, double* row) {
    memcpy(row, &pose->root, sizeof pose->root);
    memcpy(row + ROOT_VALUES, pose->q, sizeof(double) * (size_t)w->planner->world.view->q_count);
}

static void copy_pose(const way* w, const hf_pose* from, hf_pose* to) {
    to->root = from->root;
    memcpy(to->q, from->q, sizeof(double) * (size_t)w->planner->world.view->q_count);
}

/* How far two states are apart, in steps. */
static double steps_apart(const way* w, const hf_pose* a, const hf_pose* b) {
    const hf_creature_view* v = w->planner->world.view;
    double n = hf_distance(a->root.position, b->root.position) / (STEP_SHIFT * v->height);
    n = fmax(n, hf_quat_angle(a->root.rotation, b->root.rotation) / STEP_TURN);
    for (int j = 0; j < v->joint_count; j++) {
        if (w->solved[j] || v->joints[j].q_count != 1) continue;
        n = fmax(n, fabs(a->q[v->joints[j].q_index] - b->q[v->joints[j].q_index]) / STEP_JOINT);
    }
    return n;
}

/* ---- steps ---- */

/* Limbs that hold in one way alone go on from where they were, as in a move. */
static void start_limbs(const way* w, const double* before, double* q) {
    const hf_creature_view* v = w->planner->world.view;
    for (int h = 0; h < w->hold_count; h++) {
        if (hf_hold_is_loose(&w->planner->world, &w->holds[h])) continue;
        const hf_limb* limb = &v->limbs[w->holds[h].at.limb];
        for (int k = 0; k < limb->joint_count; k++) {
            const hf_joint* j = &v->joints[limb->joints[k]];
            memcpy(q + j->q_index, before + j->q_index, sizeof(double) * (size_t)j->q_count);
        }
    }
    hf_pose_follow(w->planner->world.creature, q);
}

/* As a move does it: the root gives way where a limb would be overstretched, but not for balance. */
static bool keep(way* w, hf_pose* pose) {
    hf_planner* p = w->planner;
    hf_vec3 pull;
    for (int round = 0; round < GIVING_WAY; round++) {
        if (hf_holds_keep(p, w->holds, w->hold_count, pose, &pull)) {
            hf_forward(p->world.creature, pose, p->tools.links);
            return hf_stance_margin(w->stance, hf_com(p->world.creature, p->tools.links)) >=
                   p->world.options->margin_m;
        }
        hf_pose_give_way(pose, pull);
    }
    return false;
}

static bool is_free(way* w, const hf_pose* a, const hf_pose* b) {
    hf_planner* p = w->planner;
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(w->holds, w->hold_count, -1, touches);
    q.clearance = p->tools.clearance;
    bool collides = true;
    hf_plan_note(p, hf_move_collides(p->world.creature, p->world.placement, a, b, &q, p->tools.workspace,
                                     &collides, NULL));
    return !collides;
}

/* From one pose towards another, into w->next. */
static bool step(way* w, const hf_pose* from, const hf_pose* to, double part, bool straight) {
    hf_planner* p = w->planner;
    double margin = p->world.options->margin_m;
    hf_collision hit;
    hf_pose_between(p->world.creature, from, to, part, &w->next);
    start_limbs(w, straight ? w->before.q : from->q, w->next.q);
    bool kept = straight ? keep(w, &w->next)
                         : hf_body_settle(p, w->holds, w->hold_count, w->stance, EXTRA * margin, AIM * margin,
                                          &w->next);
    if (!kept || hf_holds_collide(p, w->holds, w->hold_count, &w->next, &hit)) return false;
    return is_free(w, straight ? &w->before : from, &w->next);
}

/* Would a move straight from one to the other do? */
static bool is_straight(way* w, const hf_pose* from, const hf_pose* to) {
    int n = 1 + (int)steps_apart(w, from, to);
    copy_pose(w, from, &w->before);
    for (int i = 1; i <= n; i++) {
        if (!step(w, from, to, (double)i / n, true)) return false;
        copy_pose(w, &w->next, &w->before);
    }
    return true;
}

/* ---- the space of the trees ---- */

/* Memory that ran out inside the planner's functions. */
static hf_status status_of(const way* w) { return w->planner->tools.status; }

static double distance(const void* user, const double* a, const double* b, double enough) {
    (void)enough;
    hf_pose x = pose_of(a), y = pose_of(b);
    return steps_apart(user, &x, &y);
}

static hf_status passes(void* user, const double* a, const double* b, bool* good) {
    way* w = user;
    hf_pose from = pose_of(a), to = pose_of(b);
    *good = is_straight(w, &from, &to);
    return status_of(w);
}

/* One step, projected to the holds. A step that the holds bend back is none. */
static hf_status extend(void* user, const double* a, const double* b, int round, double* row,
                        hf_space_step* result) {
    way* w = user;
    (void)round;
    hf_pose from = pose_of(a), to = pose_of(b);
    double apart = steps_apart(w, &from, &to);
    *result = HF_SPACE_TRAPPED;
    if (!step(w, &from, &to, apart > 1 ? 1 / apart : 1, false)) return status_of(w);
    double left = steps_apart(w, &w->next, &to);
    bool arrived = left < ARRIVED;
    if (!arrived && left > apart - LEAST_PROGRESS) return HF_OK;
    to_row(w, &w->next, row);
    *result = arrived ? HF_SPACE_REACHED : HF_SPACE_ADVANCED;
    return HF_OK;
}

/* Somewhere between the ends and around them; limbs without contact as at either end, at rest, or as any
   spare. */
static void draw_target(way* w, hf_random* random) {
    hf_planner* p = w->planner;
    hf_pose* t = &w->target;
    hf_pose_between(p->world.creature, w->from, w->to, hf_random_unit(random), t);
    // the guide knows where the trunk has room
    if (hf_random_unit(random) < ON_GUIDE)
        t->root = p->world.guide[w->guide_low + (int)(hf_random_unit(random) * w->guide_span)];
    t->root = hf_compose(t->root, hf_body_shift(&p->world, random, MOST_SHIFT * hf_random_unit(random)));
    if (hf_random_unit(random) < 0.5) hf_body_bend(&p->world, random, hf_random_unit(random), t->q);
    for (int l = 0; l < p->world.view->limb_count; l++) {
        const hf_limb* limb = &p->world.view->limbs[l];
        const hf_plan_limb* m = &p->world.model->limbs[l];
        double chance = hf_random_unit(random);
        if (m->spare_count == 0 || chance > 0.5 || !hf_limb_idle(&p->world, w->holds, w->hold_count, l))
            continue;
        if (chance < 0.25) {
            int any = (int)(hf_random_unit(random) * m->spare_count);
            hf_samples_pose(p->world.creature, m->sets[0], m->spares[any], t->q);
        } else
            for (int k = 0; k < limb->joint_count; k++) {
                const hf_joint* j = &p->world.view->joints[limb->joints[k]];
                memcpy(t->q + j->q_index, p->world.home + j->q_index, sizeof(double) * (size_t)j->q_count);
            }
    }
    hf_pose_follow(p->world.creature, t->q);
}

/* First straight to the other end from either side, then anything. */
static hf_status draw(void* user, int64_t index, double* row, bool* drawn) {
    way* w = user;
    if (index < 2)
        copy_pose(w, index ? w->from : w->to, &w->target);
    else
        draw_target(w, &w->random);
    to_row(w, &w->target, row);
    *drawn = true;
    return HF_OK;
}

static int nearest_on_guide(const hf_planner* p, hf_vec3 at) {
    int best = 0;
    for (int i = 1; i < p->world.guide_count; i++)
        if (hf_distance(p->world.guide[i].position, at) < hf_distance(p->world.guide[best].position, at))
            best = i;
    return best;
}

static void find_guide(way* w) {
    const hf_planner* p = w->planner;
    int a = nearest_on_guide(p, w->from->root.position), b = nearest_on_guide(p, w->to->root.position);
    int low = (a < b ? a : b) - BEYOND, high = (a < b ? b : a) + BEYOND;
    w->guide_low = low > 0 ? low : 0;
    w->guide_span = (high < p->world.guide_count ? high : p->world.guide_count - 1) - w->guide_low + 1;
}

/* ---- the way ---- */

/* States from one end to the other, as few as straight moves can join; none when the steps have ended. */
static hf_status find_states(way* w, uint32_t stream, hf_space_rows* states) {
    hf_space space = {.width = states->width,
                      .user = w,
                      .distance = distance,
                      .passes = passes,
                      .draw = draw,
                      .extend = extend};
    hf_space_tree_options o = {.longest_try = LONGEST_TRY, .max_extensions = STEPS};
    hf_space_tree tree;
    w->random = hf_body_draws(w->planner, stream);
    hf_status status =
        hf_space_tree_search(&tree, &space, &o, w->ends[0], w->ends[1], w->planner->tools.workspace);
    if (status != HF_OK || !tree.met) return status;
    status = hf_space_tree_way(&tree, states);
    return status == HF_OK ? hf_space_path_prune(&space, states, true) : status;
}

/* One move after the other, each from where the last one came to. The last may end a little beside its goal,
   where limbs that hold would be overstretched. */
static bool append(way* w, int node, const hf_space_rows* states) {
    hf_planner* p = w->planner;
    int first = p->tree.knots.count;
    copy_pose(w, w->from, &w->target);
    for (int i = 1; i < states->count; i++) {
        hf_pose to = pose_of(hf_space_row(states, i));
        // limbs that hold may come there in another way than the other tree has them: as they come
        if (!is_straight(w, &w->target, &to) ||
            !hf_segment_move(p, w->holds, w->hold_count, w->stance, node, &w->target, &w->next)) {
            p->tree.knots.count = first;
            return false;
        }
        hf_pose last = hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
        copy_pose(w, &last, &w->target);
    }
    return true;
}

static bool take_memory(way* w) {
    hf_workspace* ws = w->planner->tools.workspace;
    size_t q = (size_t)w->planner->world.view->q_count + 1;
    w->solved = hf_workspace_take(ws, (size_t)w->planner->world.view->joint_count + 1, sizeof *w->solved);
    w->target.q = hf_workspace_take(ws, q, sizeof(double));
    w->next.q = hf_workspace_take(ws, q, sizeof(double));
    w->before.q = hf_workspace_take(ws, q, sizeof(double));
    w->ends[0] = hf_workspace_take(ws, ROOT_VALUES + q, sizeof(double));
    w->ends[1] = hf_workspace_take(ws, ROOT_VALUES + q, sizeof(double));
    return w->solved && w->target.q && w->next.q && w->before.q && w->ends[0] && w->ends[1];
}

static void prepare(way* w) {
    const hf_creature_view* v = w->planner->world.view;
    memset(w->solved, 0, sizeof *w->solved * (size_t)v->joint_count);
    for (int h = 0; h < w->hold_count; h++) {
        const hf_limb* limb = &v->limbs[w->holds[h].at.limb];
        for (int k = 0; k < limb->joint_count; k++) w->solved[limb->joints[k]] = true;
    }
    find_guide(w);
    to_row(w, w->from, w->ends[0]);
    to_row(w, w->to, w->ends[1]);
}

bool hf_body_way(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                 const hf_pose* from, const hf_pose* to) {
    way w = {.planner = p, .holds = holds, .hold_count = count, .stance = stance, .from = from, .to = to};
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    bool good = false;
    hf_status status = take_memory(&w) ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) prepare(&w);
    for (uint32_t i = 0; i < ATTEMPTS && !good && status == HF_OK; i++) {
        hf_space_rows states = hf_space_rows_start(ROOT_VALUES + p->world.view->q_count, p->tools.workspace);
        p->progress.work++;
        status = find_states(&w, WAY_STREAM + i, &states);
        // a straight way has been tried before and fails for what is not seen here
        if (status != HF_OK || states.count <= 2) break;
        good = append(&w, node, &states);
        status = status_of(&w);
    }
    hf_plan_note(p, status);
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}
