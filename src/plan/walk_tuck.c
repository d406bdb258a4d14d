/* Limbs that do not walk and meet the scene or the body on the way, as arms beside a narrow door or over a
   raised thigh: they take a posture in which they are free there in time, part of the way to one of the spare
   postures of stances, and leave it behind the place. */
#include "plan/walk.h"

#include "base/ease.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* The least time in which a limb takes its posture and leaves it, s: people draw an arm in in about half a
   second. Where joints are slow it is longer, so that they go at most at half of their speed on average. */
static const double RAMP_S = 0.5, SPEED_SHARE = 0.5;

/* Parts of the way to a spare posture that are tried: a third of it often clears a rail or a thigh. */
enum { SHARES = 3 };

/* The limb without contact that moves the body, -1 for none. */
static int limb_of(const hf_walk* w, int body) {
    const hf_creature_view* v = w->planner->world.view;
    for (int l = 0; l < v->limb_count; l++)
        if (v->limbs[l].joint_count > 0 && hf_holds_find(w->node->holds, w->node->hold_count, l) < 0 &&
            hf_link_in_limb(w->planner->world.creature, v->bodies[body].link, l))
            return l;
    return -1;
}

/* Does the limb meet the scene or the body at the knot, in its posture there or in another? */
static bool meets(hf_walk* w, int limb, const double* q, int k) {
    hf_planner* p = w->planner;
    hf_collision_query query = hf_collision_query_default();
    query.limb = limb;
    hf_pose here = hf_walk_pose(w, k);
    hf_pose_copy(&p->world, &here, &w->scratch);
    if (q) hf_limb_copy(&p->world, limb, q, w->scratch.q);
    hf_forward(p->world.creature, &w->scratch, p->tools.links);
    return hf_plan_collides(p, &query, NULL);
}

/* The largest difference between the limb's joints in two postures, as time at half of their speed, s. */
static double time_between(const hf_walk* w, int limb, const double* a, const double* b) {
    const hf_creature_view* v = w->planner->world.view;
    double time = RAMP_S;
    for (int k = 0; k < v->limbs[limb].joint_count; k++) {
        const hf_joint* j = &v->joints[v->limbs[limb].joints[k]];
        time = fmax(time, fabs(a[j->q_index] - b[j->q_index]) / (SPEED_SHARE * j->max_speed));
    }
    return time;
}

/* A posture in which the limb is free at all these knots: the least share of the way to the nearest of its
   spare postures. */
static bool find_posture(hf_walk* w, int limb, int first, int last, double* q) {
    hf_planner* p = w->planner;
    const hf_plan_limb* l = &p->world.model->limbs[limb];
    size_t bytes = sizeof(double) * (size_t)p->world.view->q_count;
    for (int share = 1; share <= SHARES; share++)
        for (int i = 0; i < l->spare_count && hf_plan_ok(p); i++) {
            memcpy(q, w->from.q, bytes);
            hf_samples_pose(p->world.creature, l->sets[0], l->spares[i], q);
            for (int n = 0; n < p->world.view->q_count; n++)
                q[n] = w->from.q[n] + (double)share / SHARES * (q[n] - w->from.q[n]);
            int k = first;
            while (k <= last && !meets(w, limb, q, k)) k++;
            if (k > last) return true;
        }
    return false;
}

/* Draws a limb in from the first to the last knot at which it meets something, these two among them. */
static bool draw_in(hf_walk* w, int limb, int first, int last) {
    hf_planner* p = w->planner;
    hf_walk_tuck* t = &w->tuck.limbs[limb];
    if (t->on) first = t->first < first ? t->first : first, last = t->last > last ? t->last : last;
    first = first > 1 ? first - 1 : first, last = last + 1 < w->last ? last + 1 : last;
    double* q = w->tuck.q + (size_t)limb * (size_t)p->world.view->q_count;
    // a little before and behind, too, where the limb is on its way
    int about = (int)ceil(RAMP_S * p->world.options->rate);
    int from = first > about ? first - about : 0, to = last + about < w->last ? last + about : w->last;
    if (!find_posture(w, limb, from, to, q) && !find_posture(w, limb, first, last, q)) return false;
    int ramp = (int)ceil(time_between(w, limb, q, w->from.q) * p->world.options->rate);
    *t = (hf_walk_tuck){true, first, last, ramp, w->last};
    return true;
}

/* The first and the last knot at which the limb meets something, no farther in than these. */
static void find_meetings(hf_walk* w, int limb, int* first, int* last) {
    for (int k = 1; k < w->last; k++)
        if (meets(w, limb, NULL, k)) *first = k < *first ? k : *first, *last = k > *last ? k : *last;
}

bool hf_walk_tuck_in(hf_walk* w) {
    const hf_collision* hit = &w->planner->tools.hit;
    int limb = limb_of(w, hit->body), first = w->stop, last = w->stop;
    if (limb < 0 && hit->other_body >= 0) limb = limb_of(w, hit->other_body);
    if (limb < 0) return false;
    find_meetings(w, limb, &first, &last);
    return draw_in(w, limb, first, last);
}

void hf_walk_tuck_all(hf_walk* w) {
    const hf_creature_view* v = w->planner->world.view;
    for (int l = 0; l < v->limb_count; l++) {
        int first = w->last, last = 0;
        if (v->limbs[l].joint_count == 0 || hf_holds_find(w->node->holds, w->node->hold_count, l) >= 0)
            continue;
        find_meetings(w, l, &first, &last);
        if (last > 0) draw_in(w, l, first, last);
    }
}

void hf_walk_tuck_time(hf_walk* w) {
    for (int l = 0; l < w->planner->world.view->limb_count; l++) {
        hf_walk_tuck* t = &w->tuck.limbs[l];
        if (!t->on || t->of == w->last) continue;
        t->first = t->first * w->last / t->of, t->last = t->last * w->last / t->of + 1;
        t->of = w->last;
    }
}

void hf_walk_tuck_apply(const hf_walk* w, int k, double* q) {
    const hf_creature_view* v = w->planner->world.view;
    for (int l = 0; l < v->limb_count; l++) {
        const hf_walk_tuck* t = &w->tuck.limbs[l];
        if (!t->on) continue;
        int in = t->first < t->ramp ? t->first : t->ramp;
        // a limb that has no time to come back before the end of the walk stays as it is
        int out = w->last - t->last < t->ramp ? 0 : t->ramp;
        double before = in > 0 ? (double)(k - t->first + in) / in : 1;
        double behind = out > 0 ? (double)(t->last + out - k) / out : 1;
        double u = hf_ease(fmin(fmax(fmin(before, behind), 0), 1));
        const double* row = w->tuck.q + (size_t)l * (size_t)v->q_count;
        for (int i = 0; i < v->limbs[l].joint_count; i++) {
            int at = v->joints[v->limbs[l].joints[i]].q_index;
            q[at] += u * (row[at] - q[at]);
        }
    }
}
