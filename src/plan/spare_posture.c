/* Postures for limbs without contact: where one is in the way of something it takes the nearest free sample
   (method section 7) of a short list, dense about the rest posture and sparse far from it. */
#include "plan/planner.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Two spares differ by this share of their distance from rest, and by no less than this (rad). */
static const double SPREAD = 0.6, LEAST_APART = 0.3;

/* ---- the list ---- */

typedef struct ranked {
    double distance;
    int sample;
} ranked;

static int by_distance(const void* a, const void* b) {
    const ranked *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->sample - y->sample;
}

static double apart(const hf_samples_view* s, int a, int b) {
    double sum = 0;
    for (int k = 0; k < s->joint_count; k++) {
        double d = (double)hf_sample_value(s->theta, s->joint_count, a, k) -
                   (double)hf_sample_value(s->theta, s->joint_count, b, k);
        sum += d * d;
    }
    return sqrt(sum);
}

static double from_rest(const hf_creature_view* view, const hf_samples_view* s, int sample) {
    const hf_limb* limb = &view->limbs[s->limb];
    double sum = 0;
    for (int k = 0; k < s->joint_count; k++) {
        double d = (double)hf_sample_value(s->theta, s->joint_count, sample, k) -
                   view->rest[view->joints[limb->joints[k]].q_index];
        sum += d * d;
    }
    return sqrt(sum);
}

bool hf_spares_choose(hf_plan_model* m, int limb) {
    hf_plan_limb* to = &m->limbs[limb];
    if (to->set_count == 0) return true;
    hf_samples_view s = hf_samples_get(to->sets[0]);
    ranked* all = hf_alloc((size_t)s.count + 1, sizeof *all);
    if (!all) return false;
    for (int i = 0; i < s.count; i++) all[i] = (ranked){from_rest(hf_creature_get(m->creature), &s, i), i};
    qsort(all, (size_t)s.count, sizeof *all, by_distance);
    for (int i = 0; i < s.count && s.joint_count > 0 && to->spare_count < HF_MAX_SPARES; i++) {
        bool new = true;
        for (int k = 0; k < to->spare_count && new; k++)
            new = apart(&s, all[i].sample, to->spares[k]) >= fmax(LEAST_APART, SPREAD * all[i].distance);
        if (new) to->spares[to->spare_count++] = all[i].sample;
    }
    hf_free(all);
    return true;
}

/* ---- their use ---- */

/* A limb that moves the body, by which it may be taken elsewhere: without contact, or more joints than its
   hold needs (*hold, else -1). -1 when there is none. */
static int limb_of(const hf_plan_world* w, const hf_plan_hold* holds, int count, int body, int* hold) {
    *hold = -1;
    if (body < 0) return -1;
    for (int link = w->view->bodies[body].link; link >= 0; link = w->view->links[link].parent_link) {
        int limb = -1;
        for (int l = 0; l < w->view->limb_count; l++) {
            if (w->view->limbs[l].root_link != link || w->model->limbs[l].spare_count == 0) continue;
            if (limb < 0) limb = l;
            if (hf_holds_find(holds, count, l) < 0) continue;
            *hold = hf_holds_find(holds, count, l);
            return hf_hold_is_loose(w, &holds[*hold]) ? l : -1;
        }
        if (limb >= 0) return limb;
    }
    return -1;
}

/* The first posture of the limb that is free, the rest of the body as p->tools.links has it. A limb that
   holds is solved from there. */
static bool clear_limb(hf_planner* p, const hf_collision_query* whole, int limb, const hf_plan_hold* hold,
                       const double* seen, hf_pose* pose) {
    const hf_plan_limb* l = &p->world.model->limbs[limb];
    hf_collision_query q = *whole;
    q.limb = limb;
    for (int i = seen ? -2 : -1; i < l->spare_count && hf_plan_ok(p); i++) {
        if (i < 0)
            hf_limb_copy(&p->world, limb, i == -2 ? seen : p->world.home, pose->q);
        else
            hf_samples_pose(p->world.creature, l->sets[0], l->spares[i], pose->q);
        hf_pose_follow(p->world.creature, pose->q);
        if (hold && !hf_hold_solve(p, hold, pose)) continue;
        hf_forward_from(p->world.creature, p->world.view->limbs[limb].root_link, pose->q, p->tools.links);
        if (!hf_plan_collides(p, &q, NULL)) return true;
    }
    return false;
}

bool hf_spares_clear(hf_planner* p, const hf_plan_hold* holds, int count, int skip, const double* seen,
                     hf_pose* pose, hf_collision* hit) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(holds, count, skip, touches);
    hf_forward(p->world.creature, pose, p->tools.links);
    for (int round = 0; round < p->world.view->limb_count; round++) {
        if (!hf_plan_collides(p, &q, hit)) return true;
        int hold, limb = limb_of(&p->world, holds, count, hit->body, &hold);
        if (limb < 0) limb = limb_of(&p->world, holds, count, hit->other_body, &hold);
        if (limb < 0 || !clear_limb(p, &q, limb, hold < 0 ? NULL : &holds[hold], seen, pose)) return false;
    }
    return false;
}
