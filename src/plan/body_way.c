/* Ways of the body around what is in its way, all holds kept: a pair of trees on the manifold of the holds
   (after Berenson, Srinivasa and Kuffner 2011, "Task space regions", CBiRRT). A state is the root with the
   joints of trunk and limbs without contact; limbs that hold are solved at every step, balance and collision
   are tested there. What joins the two ends is cut short and becomes one move after the other. */
#include "plan/planner.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

/* One step: no further than this. */
static const double STEP_SHIFT = 0.025;                  /* creature heights */
static const double STEP_TURN = 0.08, STEP_JOINT = 0.15; /* rad */
enum { STEPS = 300, ATTEMPTS = 2, GIVING_WAY = 5, LONGEST_TRY = 8, BEYOND = 5, WAY_STREAM = 0x7761 };
static const double ON_GUIDE = 0.4;
static const double MOST_SHIFT = 0.35;    /* of a target, creature heights */
static const double LEAST_PROGRESS = 0.2; /* of a step that the holds have bent */
/* More balance than frames need: moves between two states have a little less than both. */
static const double EXTRA = 1.05, AIM = 2;

typedef struct way {
    hf_planner* planner;
    const hf_plan_hold* holds;
    int hold_count;
    const hf_stance* stance;
    bool* solved; /* of each joint: a limb that holds moves it */
    int node_count;
    hf_transform* roots;
    double* q;
    int *parents, *trees;
    int steps;                 /* taken so far */
    int guide_low, guide_span; /* poses of the guide about the two ends */
    hf_pose target, next, before;
} way;

static hf_pose node_pose(const way* w, int i) {
    return (hf_pose){w->roots[i], w->q + (size_t)i * (size_t)w->planner->view->q_count};
}

static void copy_pose(const way* w, const hf_pose* from, hf_pose* to) {
    to->root = from->root;
    memcpy(to->q, from->q, sizeof(double) * (size_t)w->planner->view->q_count);
}

static int add_node(way* w, const hf_pose* pose, int parent, int tree) {
    int i = w->node_count++;
    hf_pose to = node_pose(w, i);
    copy_pose(w, pose, &to);
    w->roots[i] = pose->root;
    w->parents[i] = parent;
    w->trees[i] = tree;
    return i;
}

/* How far two states are apart, in steps. */
static double steps_apart(const way* w, const hf_pose* a, const hf_pose* b) {
    const hf_creature_view* v = w->planner->view;
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
    const hf_creature_view* v = w->planner->view;
    for (int h = 0; h < w->hold_count; h++) {
        if (hf_hold_is_loose(w->planner, &w->holds[h])) continue;
        const hf_limb* limb = &v->limbs[w->holds[h].at.limb];
        for (int k = 0; k < limb->joint_count; k++) {
            const hf_joint* j = &v->joints[limb->joints[k]];
            memcpy(q + j->q_index, before + j->q_index, sizeof(double) * (size_t)j->q_count);
        }
    }
    hf_pose_follow(w->planner->creature, q);
}

/* As a move does it: the root gives way where a limb would be overstretched, but not for balance. */
static bool keep(way* w, hf_pose* pose) {
    hf_planner* p = w->planner;
    hf_vec3 pull;
    for (int round = 0; round < GIVING_WAY; round++) {
        if (hf_holds_keep(p, w->holds, w->hold_count, -1, pose, &pull)) {
            hf_forward(p->creature, pose, p->links);
            return hf_stance_margin(w->stance, hf_com(p->creature, p->links)) >= p->options->margin_m;
        }
        pose->root.position = hf_add(pose->root.position, hf_scale(pull, 1.2));
    }
    return false;
}

static bool is_free(way* w, const hf_pose* a, const hf_pose* b) {
    hf_planner* p = w->planner;
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(w->holds, w->hold_count, -1, touches);
    q.clearance = p->clearance;
    bool collides = true;
    if (hf_move_collides(p->creature, p->placement, a, b, &q, p->workspace, &collides, NULL) != HF_OK)
        p->out_of_memory = true;
    return !collides;
}

/* From one pose towards another, into w->next. */
static bool step(way* w, const hf_pose* from, const hf_pose* to, double part, bool straight) {
    hf_planner* p = w->planner;
    double margin = p->options->margin_m;
    hf_collision hit;
    w->steps++;
    hf_pose_between(p->creature, from, to, part, &w->next);
    start_limbs(w, straight ? w->before.q : from->q, w->next.q);
    bool kept = straight ? keep(w, &w->next)
                         : hf_body_settle(p, w->holds, w->hold_count, w->stance, EXTRA * margin, AIM * margin,
                                          &w->next);
    if (!kept || hf_holds_collide(p, w->holds, w->hold_count, -1, &w->next, &hit)) return false;
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

/* ---- trees ---- */

static int nearest(const way* w, const hf_pose* to, int tree) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < w->node_count; i++) {
        if (w->trees[i] != tree) continue;
        hf_pose at = node_pose(w, i);
        double d = steps_apart(w, &at, to);
        if (d < least) least = d, best = i;
    }
    return best;
}

/* Grows one tree from its node `at` towards a pose, a step at a time. Returns the last node; *there when the
   pose is reached. */
static int grow(way* w, int at, const hf_pose* to, int most, bool* there) {
    *there = false;
    for (int i = 0; i < most && w->steps < STEPS && !w->planner->out_of_memory; i++) {
        hf_pose from = node_pose(w, at);
        double apart = steps_apart(w, &from, to);
        if (!step(w, &from, to, apart > 1 ? 1 / apart : 1, false)) break;
        double left = steps_apart(w, &w->next, to);
        bool arrived = left < 1e-6;
        if (!arrived && left > apart - LEAST_PROGRESS) break;
        at = add_node(w, &w->next, at, w->trees[at]);
        if (arrived) {
            *there = true;
            break;
        }
    }
    return at;
}

/* Somewhere between the ends and around them; limbs without contact as at either end, at rest, or as any
   spare. */
static void draw_target(way* w, hf_random* random, const hf_pose* from, const hf_pose* to) {
    hf_planner* p = w->planner;
    hf_pose* t = &w->target;
    hf_pose_between(p->creature, from, to, hf_random_unit(random), t);
    // the guide knows where the trunk has room
    if (hf_random_unit(random) < ON_GUIDE)
        t->root = p->guide[w->guide_low + (int)(hf_random_unit(random) * w->guide_span)];
    t->root = hf_compose(t->root, hf_body_shift(p, random, MOST_SHIFT * hf_random_unit(random)));
    if (hf_random_unit(random) < 0.5) hf_body_bend(p, random, hf_random_unit(random), t->q);
    for (int l = 0; l < p->view->limb_count; l++) {
        const hf_limb* limb = &p->view->limbs[l];
        const hf_plan_limb* m = &p->model->limbs[l];
        double chance = hf_random_unit(random);
        if (m->spare_count == 0 || chance > 0.5 || !hf_limb_idle(p, w->holds, w->hold_count, l)) continue;
        if (chance < 0.25) {
            int any = (int)(hf_random_unit(random) * m->spare_count);
            hf_samples_pose(p->creature, m->sets[0], m->spares[any], t->q);
        } else
            for (int k = 0; k < limb->joint_count; k++) {
                const hf_joint* j = &p->view->joints[limb->joints[k]];
                memcpy(t->q + j->q_index, p->home + j->q_index, sizeof(double) * (size_t)j->q_count);
            }
    }
    hf_pose_follow(p->creature, t->q);
}

static int nearest_on_guide(const hf_planner* p, hf_vec3 at) {
    int best = 0;
    for (int i = 1; i < p->guide_count; i++)
        if (hf_distance(p->guide[i].position, at) < hf_distance(p->guide[best].position, at)) best = i;
    return best;
}

static void find_guide(way* w, const hf_pose* from, const hf_pose* to) {
    const hf_planner* p = w->planner;
    int a = nearest_on_guide(p, from->root.position), b = nearest_on_guide(p, to->root.position);
    int low = (a < b ? a : b) - BEYOND, high = (a < b ? b : a) + BEYOND;
    w->guide_low = low > 0 ? low : 0;
    w->guide_span = (high < p->guide_count ? high : p->guide_count - 1) - w->guide_low + 1;
}

/* Two nodes of the two trees that are the same state; false when the steps have ended. */
static bool join(way* w, uint32_t stream, const hf_pose* from, const hf_pose* to, int ends[2]) {
    hf_random random = hf_body_draws(w->planner, stream);
    w->node_count = w->steps = 0;
    add_node(w, from, -1, 0);
    add_node(w, to, -1, 1);
    for (int turn = 0; w->steps < STEPS && !w->planner->out_of_memory; turn++) {
        int tree = turn % 2;
        bool there;
        // first straight to the other end
        if (turn < 2)
            copy_pose(w, tree ? from : to, &w->target);
        else
            draw_target(w, &random, from, to);
        int before = w->steps, start = nearest(w, &w->target, tree);
        int last = grow(w, start, &w->target, LONGEST_TRY, &there);
        if (w->steps == before) w->steps++;
        if (last == start) continue;
        hf_pose reached = node_pose(w, last);
        int other = grow(w, nearest(w, &reached, !tree), &reached, STEPS, &there);
        if (!there) continue;
        ends[tree] = last, ends[!tree] = other;
        return true;
    }
    return false;
}

/* ---- the way ---- */

/* Nodes from the first end to the last. */
static int list_nodes(const way* w, const int ends[2], int* nodes) {
    int n = 0, count;
    for (int i = ends[0]; i >= 0; i = w->parents[i]) nodes[n++] = i;
    for (int i = 0; i < n / 2; i++) {
        int swap = nodes[i];
        nodes[i] = nodes[n - 1 - i], nodes[n - 1 - i] = swap;
    }
    count = n;
    for (int i = w->parents[ends[1]]; i >= 0; i = w->parents[i]) nodes[count++] = i;
    return count;
}

/* Leaves out what a straight move can pass by. */
static int cut_short(way* w, int* nodes, int count) {
    int kept = 1;
    for (int at = 0; at < count - 1 && !w->planner->out_of_memory;) {
        int gap = count - 1 - at;
        hf_pose from = node_pose(w, nodes[at]);
        for (; gap > 1; gap = (gap + 1) / 2) {
            hf_pose to = node_pose(w, nodes[at + gap]);
            if (is_straight(w, &from, &to)) break;
            if (gap == 2) {
                gap = 1;
                break;
            }
        }
        at += gap;
        nodes[kept++] = nodes[at];
    }
    return kept;
}

/* One move after the other, each from where the last one came to. The last may end a little beside its goal,
   where limbs that hold would be overstretched. */
static bool append(way* w, int node, const hf_pose* from, const int* nodes, int count) {
    hf_planner* p = w->planner;
    int first = p->frames.count;
    copy_pose(w, from, &w->target);
    for (int i = 1; i < count; i++) {
        hf_pose to = node_pose(w, nodes[i]);
        // limbs that hold may come there in another way than the other tree has them: as they come
        if (!is_straight(w, &w->target, &to) ||
            !hf_segment_move(p, w->holds, w->hold_count, w->stance, node, &w->target, &w->next)) {
            p->frames.count = first;
            return false;
        }
        hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
        copy_pose(w, &last, &w->target);
    }
    return true;
}

static bool take_memory(way* w, int** list) {
    hf_workspace* ws = w->planner->workspace;
    size_t n = 2 + STEPS, q = (size_t)w->planner->view->q_count + 1;
    w->solved = hf_workspace_take(ws, (size_t)w->planner->view->joint_count + 1, sizeof *w->solved);
    w->roots = hf_workspace_take(ws, n, sizeof *w->roots);
    w->q = hf_workspace_take(ws, n * q, sizeof *w->q);
    w->parents = hf_workspace_take(ws, n, sizeof *w->parents);
    w->trees = hf_workspace_take(ws, n, sizeof *w->trees);
    *list = hf_workspace_take(ws, n, sizeof **list);
    w->target.q = hf_workspace_take(ws, q, sizeof(double));
    w->next.q = hf_workspace_take(ws, q, sizeof(double));
    w->before.q = hf_workspace_take(ws, q, sizeof(double));
    return w->solved && w->roots && w->q && w->parents && w->trees && *list && w->target.q && w->next.q &&
           w->before.q;
}

bool hf_body_way(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                 const hf_pose* from, const hf_pose* to) {
    way w = {.planner = p, .holds = holds, .hold_count = count, .stance = stance};
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    int* nodes;
    bool good = false;
    if (!take_memory(&w, &nodes))
        p->out_of_memory = true;
    else {
        memset(w.solved, 0, sizeof *w.solved * (size_t)p->view->joint_count);
        for (int h = 0; h < count; h++) {
            const hf_limb* limb = &p->view->limbs[holds[h].at.limb];
            for (int k = 0; k < limb->joint_count; k++) w.solved[limb->joints[k]] = true;
        }
        find_guide(&w, from, to);
        for (uint32_t i = 0; i < ATTEMPTS && !good && !p->out_of_memory; i++) {
            int ends[2];
            p->work++;
            if (!join(&w, WAY_STREAM + i, from, to, ends)) break;
            int n = list_nodes(&w, ends, nodes);
            n = cut_short(&w, nodes, n);
            // straight has been tried and fails for what is not seen here
            if (n <= 2) break;
            good = append(&w, node, from, nodes, n);
        }
    }
    hf_workspace_end(p->workspace, mark);
    return good;
}
