/* Probabilistic inverse kinematics (reaching-2003 section 7): starts come from the roadmap, each descends to
   the target with arm, spine and legs together, and random changes of the start escape what that ends in. A
   damped Newton descent does in about ten steps what the paper's random steps do in thousands. */
#include "reach/hand_solve.h"

#include "base/linear.h"
#include "base/random.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "reach/free_arm.h"

#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

enum {
    STREAM = 0x1ac5,
    ROWS = 12,       /* of two hands: shift and turn */
    ITERATIONS = 25, /* of one descent */
    ENOUGH = 3,      /* valid postures, of which the nearest one is taken */
    MAX_SEEDS = 64,
    EASES = 4, /* of each group of a posture that was found towards the rest posture */
    FEW = 6    /* nodes from which an arm is tried alone */
};
/* A hand is at its target when no farther: a tenth of what a contact may be off. */
static const double HAND_M = 5e-5, HAND_RAD = 5e-4;
/* Of that, where a task asks for it: a door whose far edge is 1 m from its handle would be off its hinge by
   0.5 mm there, half of what a check allows a contact to be off. So it is 5 um, for a step or two more: near
   a target a descent is nearly Newton's. */
static const double EXACT = 0.01;
/* How much of a descent spine and legs take, against 1 of an arm: they help where the arm ends. */
static const double SPINE = 0.15, LEGS = 0.05, CLAVICLE = 0.3;
static const double DAMPING = 1e-4;     /* of a step, m2: an arm that is straight does not turn wildly */
static const double LEVER_M = 0.3;      /* a turn counts as the shift of a point so far away */
static const double SLOW = 0.85;        /* a descent that twice leaves so much of what is lacking is stuck */
static const double MOST = 0.35;        /* rad or m of a control in one step */
static const double SAME_ARM_RAD = 0.1; /* two ways to turn an arm that differ by less are one */
/* Of the way to the rest posture that a posture is drawn at once. Each draw that does not hold halves it, as
   a bisection does; draws that all hold (EASES of them) leave a sixteenth of the way. */
static const double EASE = 0.5;
static const double LEAST_EASE = 0.01; /* rad or m of a control: less is no gain that can be seen */

/* ---- what is lacking ---- */

static void lack_of(const hf_reach_worker* w, const hf_target* t, double e[6]) {
    const hf_limb* limb = &w->world->creature->view.limbs[t->limb];
    const hf_contact_frame* f = t->contact >= 0 ? &limb->contacts[t->contact] : NULL;
    hf_transform link = w->links[f ? f->link : limb->effector_link];
    hf_vec3 shift = hf_sub(t->point, f ? hf_apply(link, f->offset) : link.position), turn = {0, 0, 0};
    if (t->kind == HF_TARGET_POSE) turn = hf_quat_log(hf_quat_mul(t->rotation, hf_quat_conj(link.rotation)));
    if (t->kind == HF_TARGET_NORMAL && f)
        turn = hf_quat_log(hf_quat_between(hf_rotate(link.rotation, f->normal), hf_neg(t->normal)));
    e[0] = shift.x, e[1] = shift.y, e[2] = shift.z;
    e[3] = LEVER_M * turn.x, e[4] = LEVER_M * turn.y, e[5] = LEVER_M * turn.z;
}

static bool lacks(hf_reach_worker* w, const hf_hand_task* task, const double* controls, double* e) {
    double state[HF_REACH_WIDTH];
    bool kept = hf_reach_state(w, controls, state);
    for (int i = 0; i < task->count; i++) lack_of(w, &task->targets[i], e + 6 * i);
    return kept;
}

static double length3(const double* e) { return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]); }

static double size_of(const double* e, int rows) {
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += e[i] * e[i];
    return sqrt(sum);
}

static bool is_there(const hf_hand_task* task, const double* e) {
    double near = task->exact ? EXACT : 1;
    for (int i = 0; i < task->count; i++)
        if (length3(e + 6 * i) > near * HAND_M || length3(e + 6 * i + 3) > near * LEVER_M * HAND_RAD)
            return false;
    return true;
}

/* ---- descent ---- */

/* The weight of a control for this task: 0 for those of an arm that is not asked for. */
static double weight_of(const hf_reach_worker* w, const hf_hand_task* task, int control) {
    const hf_control_layer* l = w->world->layer;
    if (control == HF_CONTROL_LEGS) return task->stay >= 1 ? 0 : LEGS;
    if (l->controls[control].part_count == 0) return 0;
    if (control >= HF_CONTROL_SPINE) return task->stay >= 2 ? 0 : SPINE;
    for (int i = 0; i < task->count; i++)
        if (task->targets[i].limb == l->arms[control / HF_CONTROL_ARM])
            return control % HF_CONTROL_ARM < HF_ARM_SHOULDER ? CLAVICLE : 1;
    return 0;
}

/* Takes the part along a direction out of three rows. */
static void project_out(double* rows, hf_vec3 n) {
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        double *x = rows + k, *y = x + HF_CONTROL_COUNT, *z = y + HF_CONTROL_COUNT;
        double along = *x * n.x + *y * n.y + *z * n.z;
        *x -= along * n.x, *y -= along * n.y, *z -= along * n.z;
    }
}

/* The column of a control in a matrix over speeds: its joints and, with them, the pelvis, which moves so that
   the centre of mass stays (the part that the legs' own mass takes in that is left out). */
static double entry(const hf_reach_worker* w, const double* row, const double* pelvis, int control) {
    const hf_control_layer* l = w->world->layer;
    double sum = row[0] * pelvis[0] + row[1] * pelvis[1];
    if (control == HF_CONTROL_LEGS) {
        hf_vec3 y = hf_rotate(w->world->stand.root.rotation, hf_v3(0, l->pitch, 0));
        return sum - row[2] + row[3] * y.x + row[4] * y.y + row[5] * y.z;
    }
    for (int i = 0; i < l->controls[control].part_count; i++) {
        const hf_control_part* p = &l->parts[control][i];
        sum += p->share * row[w->world->creature->view.joints[p->joint].v_index];
    }
    return sum;
}

/* How the pelvis goes with each control: against the centre of mass. */
static void pelvis_of(const hf_reach_worker* w, int control, double pelvis[2]) {
    const hf_control_layer* l = w->world->layer;
    int n = w->world->creature->view.v_count;
    const double* com = w->jacobian + 6 * n;
    hf_vec3 y = hf_rotate(w->world->stand.root.rotation, hf_v3(0, l->pitch, 0));
    for (int x = 0; x < 2; x++) {
        const double* row = com + x * n;
        pelvis[x] = control == HF_CONTROL_LEGS ? -(row[3] * y.x + row[4] * y.y + row[5] * y.z) : 0;
    }
    for (int i = 0; i < l->controls[control].part_count; i++) {
        const hf_control_part* p = &l->parts[control][i];
        int column = w->world->creature->view.joints[p->joint].v_index;
        for (int x = 0; x < 2; x++) pelvis[x] -= p->share * com[x * n + column];
    }
}

/* The links in the worker are those of the controls. */
static void jacobian_of(hf_reach_worker* w, const hf_hand_task* task, const double* weight,
                        double* jacobian) {
    const hf_creature* c = w->world->creature;
    int n = c->view.v_count;
    hf_com_jacobian(c, w->links, w->jacobian + 6 * n);
    for (int i = 0; i < task->count; i++) {
        const hf_target* t = &task->targets[i];
        const hf_limb* limb = &c->view.limbs[t->limb];
        const hf_contact_frame* f = t->contact >= 0 ? &limb->contacts[t->contact] : NULL;
        int link = f ? f->link : limb->effector_link;
        hf_vec3 point = f ? hf_apply(w->links[link], f->offset) : w->links[link].position;
        hf_point_jacobian(c, w->links, link, point, 6, w->jacobian);
        double* to = jacobian + 6 * i * HF_CONTROL_COUNT;
        for (int k = 0; k < HF_CONTROL_COUNT; k++) {
            double pelvis[2];
            pelvis_of(w, k, pelvis);
            for (int r = 0; r < 6; r++) {
                double lever = r < 3 ? 1 : t->kind == HF_TARGET_POSITION ? 0 : LEVER_M;
                to[r * HF_CONTROL_COUNT + k] =
                    weight[k] == 0 ? 0 : lever * entry(w, w->jacobian + r * n, pelvis, k);
            }
        }
        if (t->kind == HF_TARGET_NORMAL) project_out(to + 3 * HF_CONTROL_COUNT, t->normal);
    }
}

/* step = W J^T (J W J^T + damping)^-1 e */
static bool find_step(const double* jacobian, const double* weight, int rows, const double* e, double* step) {
    double a[ROWS * ROWS], inverse[ROWS], y[ROWS];
    double damping = DAMPING * fmin(1, size_of(e, rows) * 10) + 1e-9;
    for (int r = 0; r < rows; r++)
        for (int s = 0; s <= r; s++) {
            double sum = r == s ? damping : 0;
            for (int k = 0; k < HF_CONTROL_COUNT; k++)
                sum += weight[k] * jacobian[r * HF_CONTROL_COUNT + k] * jacobian[s * HF_CONTROL_COUNT + k];
            a[ROWS * r + s] = sum;
        }
    memcpy(y, e, sizeof(double) * (size_t)rows);
    if (!hf_cholesky(a, rows, ROWS, inverse)) return false;
    hf_cholesky_solve(a, rows, ROWS, inverse, y);
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        step[k] = 0;
        for (int r = 0; r < rows; r++) step[k] += weight[k] * jacobian[r * HF_CONTROL_COUNT + k] * y[r];
    }
    return true;
}

void hf_hand_keep_range(hf_reach_worker* w, double* controls) {
    const hf_control_layer* l = w->world->layer;
    const hf_creature_view* v = &w->world->creature->view;
    for (int k = 0; k < HF_CONTROL_COUNT; k++)
        controls[k] = fmin(l->controls[k].high, fmax(l->controls[k].low, controls[k]));
    double* q = w->before.q;
    memcpy(q, w->world->stand.q, sizeof(double) * (size_t)v->q_count);
    for (int k = 0; k < HF_CONTROL_SPINE; k++)
        if (l->controls[k].part_count) q[v->joints[l->parts[k][0].joint].q_index] = controls[k];
    for (int r = 0; r < v->rom_count; r++)
        if (!hf_rom_contains(w->world->creature, r, q, 0)) hf_rom_project(w->world->creature, r, q);
    for (int k = 0; k < HF_CONTROL_SPINE; k++)
        if (l->controls[k].part_count)
            controls[k] = fmin(l->controls[k].high,
                               fmax(l->controls[k].low, q[v->joints[l->parts[k][0].joint].q_index]));
}

/* Controls that saturate are left out of the next step. */
static void leave_out_ends(const hf_reach_worker* w, const double* controls, const double* step,
                           double* weight) {
    const hf_control* c = w->world->layer->controls;
    for (int k = 0; k < HF_CONTROL_COUNT; k++)
        if ((controls[k] >= c[k].high && step[k] > 0) || (controls[k] <= c[k].low && step[k] < 0))
            weight[k] = 0;
}

/* From the controls to the targets; returns how far it ends from them (m), 0 when there. */
static double descend(hf_reach_worker* w, const hf_hand_task* task, double* controls) {
    int rows = 6 * task->count;
    double e[ROWS], jacobian[ROWS * HF_CONTROL_COUNT], weight[HF_CONTROL_COUNT], step[HF_CONTROL_COUNT];
    hf_hand_keep_range(w, controls);
    lacks(w, task, controls, e);
    double best = size_of(e, rows);
    int slow = 0;
    for (int i = 0; i < ITERATIONS && !is_there(task, e); i++) {
        for (int k = 0; k < HF_CONTROL_COUNT; k++) weight[k] = weight_of(w, task, k);
        lacks(w, task, controls, e);
        jacobian_of(w, task, weight, jacobian);
        if (!find_step(jacobian, weight, rows, e, step)) break;
        leave_out_ends(w, controls, step, weight);
        if (!find_step(jacobian, weight, rows, e, step)) break;
        double most = 0, x[HF_CONTROL_COUNT], f[ROWS], now = INFINITY;
        for (int k = 0; k < HF_CONTROL_COUNT; k++) most = fmax(most, fabs(step[k]));
        double share = most > MOST ? MOST / most : 1;
        for (int half = 0; half < 4; half++, share /= 2) {
            for (int k = 0; k < HF_CONTROL_COUNT; k++) x[k] = controls[k] + share * step[k];
            hf_hand_keep_range(w, x);
            lacks(w, task, x, f);
            now = size_of(f, rows);
            if (now < best) break;
        }
        slow = now > best * SLOW ? slow + 1 : 0;
        if (!(now < best * 0.999) || slow > 1) break;
        best = now;
        memcpy(controls, x, sizeof x);
        memcpy(e, f, sizeof e);
    }
    return is_there(task, e) ? 0 : best;
}

bool hf_hand_follow(hf_reach_worker* w, const hf_hand_task* task, const double* from, double* state) {
    double controls[HF_CONTROL_COUNT];
    memcpy(controls, from, sizeof controls);
    for (int k = 0; k < HF_CONTROL_COUNT && task->toward; k++)
        controls[k] += task->drawn * (task->toward[k] - controls[k]);
    if (descend(w, task, controls) > 0) return false;
    return hf_reach_state(w, controls, state);
}

/* ---- starts ---- */

static hf_side side_of(const hf_reach_worker* w, const hf_target* target) {
    return target->limb == w->world->layer->arms[HF_LEFT] ? HF_LEFT : HF_RIGHT;
}

/* How far a state's hand is from its target. */
static double hand_off(const hf_reach_worker* w, const hf_target* target, const double* state) {
    const hf_vec3* hand = hf_reach_arm_points(state, side_of(w, target)) + HF_HAND_POINTS;
    return hf_distance(hf_lerp(hand[0], hand[1], 0.5), target->point);
}

/* The nodes whose hand is nearest to the target, nearest first. */
static int nearest_seeds(const hf_reach_roadmap* r, const hf_reach_worker* w, const hf_target* target,
                         int* seeds) {
    double off[MAX_SEEDS];
    int count = 0, most = w->world->options->seeds;
    for (int n = 0; n < hf_space_graph_count(&r->graph); n++) {
        double d = hand_off(w, target, hf_space_graph_node(&r->graph, n));
        int at = count;
        while (at > 0 && off[at - 1] > d) at--;
        if (at >= most) continue;
        int last = count < most ? count++ : most - 1;
        for (int i = last; i > at; i--) off[i] = off[i - 1], seeds[i] = seeds[i - 1];
        off[at] = d, seeds[at] = n;
    }
    return count;
}

typedef struct solving {
    hf_reach_roadmap* roadmap;
    hf_reach_worker* worker;
    const hf_hand_task* task;
    const double* from;
    int seed_count, seeds[2][MAX_SEEDS]; /* of each target: nodes of the roadmap */
    hf_hand_answer* answer;
    int valid;
    double best; /* distance of the kept posture from where the body is */
} solving;

typedef enum arm_use { ASKED, LOADED, FREE } arm_use;

/* What an arm does: the task asks for its hand, it carries something, or nothing. */
static arm_use use_of(const solving* s, hf_side side) {
    const hf_reach_world* w = s->worker->world;
    int limb = w->layer->arms[side];
    for (int i = 0; i < s->task->count; i++)
        if (s->task->targets[i].limb == limb) return ASKED;
    for (int i = 0; i < w->load_count; i++)
        if (w->loads[i].limb == limb || w->loads[i].second == limb) return LOADED;
    return FREE;
}

/* Discomfort that the distance from the rest posture does not tell: knees that are bent, a trunk that leans
   aside or turns where it could bend forwards, elbows above their shoulders, hands beyond the middle of the
   body. m */
static double discomfort(const hf_reach_world* w, const double* state) {
    const hf_reach_options* o = w->options;
    double aside = fabs(state[HF_CONTROL_SPINE + 1]) + fabs(state[HF_CONTROL_SPINE + 2]);
    double raised = 0, crossed = 0;
    for (int side = 0; side < 2; side++) {
        const hf_vec3* arm = hf_reach_arm_points(state, (hf_side)side);
        double left = hf_unapply(w->stand.root, arm[HF_WRIST_POINT]).y;
        raised += fmax(0, arm[HF_ELBOW_POINT].z - arm[HF_SHOULDER_POINT].z);
        crossed += fmax(0, side == HF_RIGHT ? left : -left);
    }
    return o->crouch_cost * state[HF_CONTROL_LEGS] + o->aside_cost * aside + o->elbow_cost * raised +
           o->cross_cost * crossed;
}

/* A posture costs what it is away from the rest posture, a little what it is away from here, and discomfort.
 */
static double price(const solving* s, const double* state) {
    hf_space space = hf_reach_space(s->worker);
    const hf_reach_world* w = s->worker->world;
    double away = space.distance(space.user, state, s->from, INFINITY);
    return space.distance(space.user, state, w->rest, INFINITY) + w->options->away_cost * away +
           discomfort(w, state);
}

/* Arms that are not asked for: one that carries something stays as it is, the other ones hang by a share (see
   hf_free_arm_hang). */
static void relax_free_arms(const solving* s, double share, double* controls) {
    for (int side = 0; side < 2; side++) {
        int first = hf_control_first((hf_side)side), kind = use_of(s, (hf_side)side);
        if (kind == LOADED) memcpy(controls + first, s->from + first, sizeof(double) * HF_CONTROL_ARM);
        if (kind == FREE) hf_free_arm_hang(s->worker, (hf_side)side, share, controls);
    }
}

/* Did the last posture fail because a free arm met something? */
static bool free_arm_meets(const solving* s) {
    const hf_collision* hit = &s->worker->hit;
    for (int side = 0; side < 2; side++)
        if (use_of(s, (hf_side)side) == FREE &&
            (hf_free_arm_has(s->worker->world, (hf_side)side, hit->body) ||
             hf_free_arm_has(s->worker->world, (hf_side)side, hit->other_body)))
            return true;
    return false;
}

/* The posture at the targets that the controls lead to, free arms relaxed as far as nothing is in their way:
   they hang, hang halfway or go along with the trunk. Returns how far the hands end from the targets (m), 0
   when there; *valid when the posture holds. */
static double settle(solving* s, double* controls, double* state, bool* valid) {
    static const double SHARES[] = {1, 0.5, 0};
    double off = descend(s->worker, s->task, controls);
    *valid = false;
    for (int i = 0; i < (int)(sizeof SHARES / sizeof *SHARES) && off == 0 && !*valid; i++) {
        double relaxed[HF_CONTROL_COUNT];
        memcpy(relaxed, controls, sizeof relaxed);
        // free arms hang by the trunk as it is now, which moves the hands by little
        relax_free_arms(s, SHARES[i], relaxed);
        off = descend(s->worker, s->task, relaxed);
        s->worker->hit.body = s->worker->hit.other_body = -1;
        *valid = off == 0 && hf_reach_state(s->worker, relaxed, state) && hf_reach_valid(s->worker, state);
        if (*valid || !free_arm_meets(s)) break;
    }
    return off;
}

static void try_start(solving* s, const double* start) {
    double controls[HF_CONTROL_COUNT], state[HF_REACH_WIDTH];
    bool valid;
    memcpy(controls, start, sizeof controls);
    relax_free_arms(s, 0, controls);
    s->answer->tried++;
    double off = settle(s, controls, state, &valid);
    s->answer->off_m = fmin(s->answer->off_m, off);
    if (!valid) {
        if (off == 0) s->answer->why = s->worker->why;
        return;
    }
    double d = price(s, state);
    s->valid++;
    if (s->answer->found && d >= s->best) return;
    s->best = s->answer->price = d;
    s->answer->found = true;
    memcpy(s->answer->state, state, sizeof state);
}

/* A node near the target. Most postures of the roadmap have one hand far out: the arm of a second target
   comes from a node near that one. */
static void take_seed(const solving* s, int i, double* controls) {
    const hf_space_graph* g = &s->roadmap->graph;
    memcpy(controls, hf_space_graph_node(g, s->seeds[0][i]), sizeof(double) * HF_CONTROL_COUNT);
    for (int t = 1; t < s->task->count; t++) {
        int first = hf_control_first(side_of(s->worker, &s->task->targets[t]));
        memcpy(controls + first, hf_space_graph_node(g, s->seeds[t][i]) + first,
               sizeof(double) * HF_CONTROL_ARM);
    }
}

/* A node near the target with some of its controls drawn anew. */
static void try_random(solving* s, uint64_t seed, int n) {
    hf_random r = hf_random_start(seed, STREAM, (uint64_t)n);
    const hf_control_layer* l = s->worker->world->layer;
    double controls[HF_CONTROL_COUNT];
    memcpy(controls, s->from, sizeof controls);
    if (s->seed_count && n % 4) take_seed(s, (int)(hf_random_unit(&r) * s->seed_count), controls);
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        bool changes = hf_random_unit(&r) < 0.5;
        double x = hf_random_between(&r, l->controls[k].low, l->controls[k].high), share = hf_random_unit(&r);
        if (changes && weight_of(s->worker, s->task, k) > 0) controls[k] += share * (x - controls[k]);
    }
    try_start(s, controls);
}

/* From the rest posture and a few nodes, with what stays as it is at rest. */
static void try_still(solving* s) {
    const double* rest = s->worker->world->rest;
    try_start(s, rest);
    int first = s->task->stay == 2 ? HF_CONTROL_SPINE : HF_CONTROL_LEGS;
    for (int i = 0; i < s->seed_count && i < FEW && s->valid < 1; i++) {
        double controls[HF_CONTROL_COUNT];
        take_seed(s, i, controls);
        memcpy(controls + first, rest + first, sizeof(double) * (size_t)(HF_CONTROL_COUNT - first));
        try_start(s, controls);
    }
}

/* Two hands: each arm as it comes to its own target alone, with the body at rest or as either of them has it.
   An arm that finds its way round the object alone does so for both, where starts that are drawn for both
   would have to be right for both at once. *reaches false: a hand does not get there by itself, whatever it
   meets. */
static hf_status try_each_hand(solving* s, uint64_t seed, bool* reaches) {
    double bodies[3][HF_CONTROL_COUNT];
    memcpy(bodies[2], s->worker->world->rest, sizeof bodies[2]);
    hf_hand_answer one[2];
    for (int t = 0; t < 2; t++) {
        hf_hand_task task = {.count = 1,
                             .targets = {s->task->targets[t]},
                             .tries = s->task->tries,
                             .as_found = s->task->as_found};
        hf_status status = hf_hand_solve(s->roadmap, s->worker, &task, s->from, seed, &one[t]);
        s->answer->tried += one[t].tried;
        *reaches = status == HF_OK && one[t].off_m == 0;
        if (!one[t].found) s->answer->off_m = one[t].off_m, s->answer->why = one[t].why;
        if (status != HF_OK || !one[t].found) return status;
        memcpy(bodies[t], one[t].state, sizeof bodies[t]);
    }
    for (int b = 2; b >= 0; b--) {
        for (int t = 0; t < 2; t++) {
            int first = hf_control_first(side_of(s->worker, &s->task->targets[t]));
            memcpy(bodies[b] + first, one[t].state + first, sizeof(double) * HF_CONTROL_ARM);
        }
        try_start(s, bodies[b]);
    }
    return HF_OK;
}

/* Controls that a posture is drawn back by together: all, legs, the trunk's lean aside and turn, the spine,
   arms. First and one past the last. */
static const int eased[][2] = {{0, HF_CONTROL_COUNT},
                               {HF_CONTROL_LEGS, HF_CONTROL_COUNT},
                               {HF_CONTROL_SPINE + 1, HF_CONTROL_LEGS},
                               {HF_CONTROL_SPINE, HF_CONTROL_LEGS},
                               {0, HF_CONTROL_SPINE}};
enum { EASED = sizeof eased / sizeof *eased };

/* One draw of a group towards the rest posture, hands where they are; true when that holds and costs less. */
static bool ease_group(solving* s, const int group[2], double share) {
    const double* rest = s->worker->world->rest;
    double controls[HF_CONTROL_COUNT], state[HF_REACH_WIDTH], most = 0;
    memcpy(controls, s->answer->state, sizeof controls);
    for (int k = group[0]; k < group[1]; k++) {
        if (weight_of(s->worker, s->task, k) == 0) continue;
        most = fmax(most, fabs(rest[k] - controls[k]));
        controls[k] += share * (rest[k] - controls[k]);
    }
    bool good = false;
    if (most * share > LEAST_EASE) settle(s, controls, state, &good);
    if (!good || price(s, state) >= s->best) return false;
    s->best = s->answer->price = price(s, state);
    memcpy(s->answer->state, state, sizeof state);
    return true;
}

/* Draws the posture that was found towards the rest posture while its hands stay, group by group, as long as
   that holds and is more comfortable: starts are far away from it, and a squat that brings hands to a table
   is valid. */
static void ease(solving* s) {
    double shares[EASED];
    for (int g = 0; g < EASED; g++) shares[g] = EASE;
    for (int n = 0; n < EASES; n++)
        for (int g = 0; g < EASED; g++)
            if (!ease_group(s, eased[g], shares[g])) shares[g] /= 2;
}

/* The start of an arm by its number: as at rest, as in nodes whose hand is near, and with the upper arm to
   all sides and twisted both ways, so that the elbow comes from below, from outside and from above. False:
   there are no more. */
static bool start_arm(const solving* s, int t, int number, double* controls) {
    enum { NEAR = 3, SWINGS = 3, TWISTS = 2 };
    int first = hf_control_first(side_of(s->worker, &s->task->targets[t]));
    const hf_control* shoulder = s->worker->world->layer->controls + first + HF_ARM_SHOULDER;
    const double* like = s->worker->world->rest;
    int grid = number - 1 - NEAR;
    if (number >= 1 && number <= NEAR && number <= s->seed_count)
        like = hf_space_graph_node(&s->roadmap->graph, s->seeds[t][number - 1]);
    memcpy(controls + first, like + first, sizeof(double) * HF_CONTROL_ARM);
    if (grid < 0) return true;
    double at[HF_ARM_SHOULDER_JOINTS] = {(grid % SWINGS + 1.0) / (SWINGS + 1),
                                         (grid / SWINGS % SWINGS + 1.0) / (SWINGS + 1),
                                         (grid / (SWINGS * SWINGS) + 1.0) / (TWISTS + 1)};
    for (int n = 0; n < HF_ARM_SHOULDER_JOINTS; n++)
        controls[first + HF_ARM_SHOULDER + n] =
            shoulder[n].low + at[n] * (shoulder[n].high - shoulder[n].low);
    return grid < SWINGS * SWINGS * TWISTS;
}

enum { MOST_ARMS = 4 }; /* ways to turn one arm to its target that are looked at together */

/* Ways to turn one arm to its target with the rest of the body as it is in the controls. */
static int list_arms(const solving* s, int t, const double* body, double arms[MOST_ARMS][HF_CONTROL_ARM]) {
    int first = hf_control_first(side_of(s->worker, &s->task->targets[t])), count = 0;
    hf_hand_task one = {.count = 1, .targets = {s->task->targets[t]}, .stay = 2};
    double controls[HF_CONTROL_COUNT];
    memcpy(controls, body, sizeof controls);
    for (int i = 0; count < MOST_ARMS && start_arm(s, t, i, controls); i++) {
        if (descend(s->worker, &one, controls) > 0) continue;
        bool known = false;
        for (int k = 0; k < count && !known; k++) {
            double most = 0;
            for (int n = 0; n < HF_CONTROL_ARM; n++)
                most = fmax(most, fabs(arms[k][n] - controls[first + n]));
            known = most < SAME_ARM_RAD;
        }
        if (!known) memcpy(arms[count++], controls + first, sizeof arms[0]);
    }
    return count;
}

/* Two hands: the trunk bent forwards and the legs bent by a few shares of their ranges, the least first, and
   each arm turned alone in a few ways. People bend so to what both hands take, and starts that are drawn
   seldom have a trunk and elbows that suit both arms. */
static void try_bodies(solving* s) {
    enum { SHARES = 4, SQUATS = 3 };
    const hf_control* c = s->worker->world->layer->controls;
    const double* rest = s->worker->world->rest;
    for (int body = 0; body < SHARES * SQUATS && !s->valid; body++) {
        double bend = (double)(body % SHARES) / SHARES, squat = (double)(body / SHARES) / SQUATS;
        double controls[HF_CONTROL_COUNT], arms[2][MOST_ARMS][HF_CONTROL_ARM];
        memcpy(controls, rest, sizeof controls);
        controls[HF_CONTROL_SPINE] += bend * (c[HF_CONTROL_SPINE].high - rest[HF_CONTROL_SPINE]);
        controls[HF_CONTROL_LEGS] += squat * (c[HF_CONTROL_LEGS].high - rest[HF_CONTROL_LEGS]);
        int count[2] = {list_arms(s, 0, controls, arms[0]), 0};
        if (count[0]) count[1] = list_arms(s, 1, controls, arms[1]);
        for (int i = 0; i < count[0] * count[1] && !s->valid; i++) {
            for (int t = 0; t < 2; t++)
                memcpy(controls + hf_control_first(side_of(s->worker, &s->task->targets[t])),
                       arms[t][t ? i / count[0] : i % count[0]], sizeof arms[0][0]);
            try_start(s, controls);
        }
    }
}

static hf_status search(solving* s, uint64_t seed) {
    hf_reach_worker* w = s->worker;
    const hf_hand_task* task = s->task;
    for (int t = 0; t < task->count; t++)
        s->seed_count = nearest_seeds(s->roadmap, w, &task->targets[t], s->seeds[t]);
    if (task->count == 2) {
        bool reaches = false;
        hf_status status = try_each_hand(s, seed, &reaches);
        if (status == HF_OK && reaches && !s->valid && !task->as_found) try_bodies(s);
        if (status != HF_OK || !reaches || s->valid) return status;
    }
    // most targets are within reach of an arm, most others of arm and back: the rest stays as it is at rest
    for (int stay = 2; stay >= 1 && task->other == 0; stay--) {
        hf_hand_task some = *task;
        some.stay = stay;
        s->task = &some;
        try_still(s);
        s->task = task;
        if (s->valid) return HF_OK;
    }
    if (task->other == 0) {
        try_start(s, w->world->rest);
        try_start(s, s->from);
    }
    for (int i = 0; i < s->seed_count && s->valid < ENOUGH && (task->tries || i < FEW) && task->other < 2 &&
                    hf_workspace_goes_on(w->workspace);
         i++) {
        double controls[HF_CONTROL_COUNT];
        take_seed(s, i, controls);
        try_start(s, controls);
    }
    for (int n = 0; n < task->tries && s->valid < 1 && hf_workspace_goes_on(w->workspace); n++)
        try_random(s, seed, n);
    return HF_OK;
}

hf_status hf_hand_solve(hf_reach_roadmap* r, hf_reach_worker* w, const hf_hand_task* task, const double* from,
                        uint64_t seed, hf_hand_answer* answer) {
    *answer = (hf_hand_answer){.off_m = INFINITY};
    solving s = {.roadmap = r, .worker = w, .task = task, .from = from, .answer = answer};
    hf_status status = search(&s, seed);
    if (status == HF_OK && answer->found && !task->as_found) ease(&s);
    return status;
}

/* How a hand is turned in the postures of the roadmap whose hand is nearest to a point. */
int hf_hand_turns(hf_reach_roadmap* r, hf_reach_worker* w, int limb, hf_vec3 point, hf_quat* turns,
                  int most) {
    int seeds[MAX_SEEDS];
    int count = nearest_seeds(r, w, &(hf_target){.limb = limb, .point = point}, seeds);
    if (count > most) count = most;
    for (int i = 0; i < count; i++) {
        double state[HF_REACH_WIDTH];
        hf_reach_state(w, hf_space_graph_node(&r->graph, seeds[i]), state);
        turns[i] = w->links[w->world->creature->view.limbs[limb].effector_link].rotation;
    }
    return count;
}
