/* Legs that swing turn the body about Z, and a foot alone can hold little of that by friction. A person's
   arms swing against it: all joints of limbs that do not walk take part by how much angular momentum they
   give. */
#include "plan/walk.h"

#include "base/ease.h"
#include "base/workspace.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

static const double MOST_RAD = 0.5;   /* that a joint swings to one side */
static const double TRUNK_COST = 10;  /* of turning the trunk and the head, of turning a limb */
static const double RETURN_S = 0.5;   /* time in which limbs that swing come back to where they were */
enum { SMOOTHINGS = 4 };              /* passes of a filter, as knots' turning has spikes */
static const double SMALL_RAD = 1e-3; /* step of finite differences */

/* What a radian of the joint costs: nothing is infinite for those of limbs that walk. */
static double cost_of(const hf_plan_world* w, int joint) {
    bool free = false,
         turns = w->view->joints[joint].type == HF_JOINT_REVOLUTE && w->view->joints[joint].mimic < 0;
    for (int l = 0; l < w->view->limb_count; l++)
        for (int k = 0; k < w->view->limbs[l].joint_count; k++) {
            if (w->view->limbs[l].joints[k] != joint) continue;
            if (w->model->limbs[l].walks) return INFINITY;
            free = true;
        }
    bool bends = hf_length(w->model->bend_axis[joint]) > 0;
    return !turns ? INFINITY : free ? 1 : bends ? TRUNK_COST : INFINITY;
}

/* Angular momentum about Z of a joint's unit speed: of a body that begins to move by that joint alone. */
static bool find_momentum(hf_walk* w, int index, hf_pose* moved, double* momentum) {
    hf_planner* p = w->planner;
    hf_frame_wrench f;
    hf_pose_copy(&p->world, &w->from, moved);
    moved->q[index] += SMALL_RAD;
    // at one frame a second speed and change of speed are the same number
    bool good = hf_plan_note(
        p, hf_frames_wrench(p->world.creature, 1, &w->from, &w->from, moved, p->tools.workspace, &f));
    *momentum = good ? f.momentum_rate.z / SMALL_RAD : 0;
    return good;
}

bool hf_walk_counter_find(hf_walk* w) {
    hf_planner* p = w->planner;
    const hf_creature_view* v = p->world.view;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose moved = hf_take_pose(p);
    double sum = 0;
    memset(w->counter.joints, 0, sizeof *w->counter.joints * (size_t)v->q_count);
    for (int j = 0; j < v->joint_count && hf_plan_ok(p); j++) {
        double* momentum = &w->counter.joints[v->joints[j].q_index];
        double cost = cost_of(&p->world, j);
        if (!isfinite(cost) || !find_momentum(w, v->joints[j].q_index, &moved, momentum)) continue;
        sum += *momentum * *momentum / cost;
        *momentum /= cost;
    }
    for (int i = 0; i < v->q_count && sum > 0; i++) w->counter.joints[i] /= sum;
    hf_workspace_end(p->tools.workspace, mark);
    return hf_plan_ok(p);
}

/* The mean of each value and its neighbours, which count half; the first and the last one stay. */
static void smooth(double* values, int last) {
    double before = values[0];
    for (int k = 1; k < last; k++) {
        double own = values[k];
        values[k] = (before + 2 * own + values[k + 1]) / 4;
        before = own;
    }
}

/* The limbs make up for the angular momentum of all else; they come back in time, and come to rest in the
   end. */
void hf_walk_counter_learn(hf_walk* w) {
    double step_s = 1 / w->planner->world.options->rate, whole = 0, now = 0, most = 0, largest = 0;
    double* more = w->counter.turning;
    int land = w->steps.all[w->steps.count - 1].land;
    for (int k = 0; k <= w->last; k++) {
        whole += w->counter.turning[k] * step_s;
        now -= (whole + now / RETURN_S) * step_s;
        more[k] = now;
    }
    for (int i = 0; i < SMOOTHINGS; i++) smooth(more, w->last);
    for (int k = 0; k <= w->last; k++) {
        w->counter.share[k] += more[k] * hf_ease(fmin(1, (double)(w->last - k) / (w->last - land)));
        most = fmax(most, fabs(w->counter.share[k]));
    }
    for (int i = 0; i < w->planner->world.view->q_count; i++)
        largest = fmax(largest, fabs(w->counter.joints[i]));
    if (most * largest <= MOST_RAD) return;
    for (int k = 0; k <= w->last; k++) w->counter.share[k] *= MOST_RAD / (most * largest);
}
