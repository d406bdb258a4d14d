/* Schedules as data: knots in time and the holds that last between them. */
#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"

#include <holdfast/schedule.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A hold whose point moved less between two knots is the same, m: rounding through an object's frame. */
static const double SAME_M = 1e-6;
/* Times of knots and holds that are nearer to each other are the same, s: rounding of frames / rate. */
static const double SAME_S = 1e-9;
/* Longer motions do not fit a motion file (128 MiB); holds of one limb are compared pair by pair. */
enum { MAX_FRAMES = 1000000, MAX_HOLDS = 20000 };

hf_status hf_schedule_create(const hf_creature* creature, double rate, hf_schedule** schedule) {
    HF_REQUIRE(NULL, creature && schedule);
    hf_schedule* s = *schedule = hf_alloc(1, sizeof *s);
    if (!s) return HF_ERROR_MEMORY;
    s->q_count = creature->view.q_count;
    s->rate = rate;
    s->claims = HF_CLAIM_ALL;
    s->outcome = hf_copy_text(hf_outcome_text(HF_FOUND));
    if (s->outcome) return HF_OK;
    hf_schedule_free(s);
    *schedule = NULL;
    return HF_ERROR_MEMORY;
}

void hf_schedule_free(hf_schedule* s) {
    if (!s) return;
    hf_schedule_cut(s, 0);
    hf_free(s->creature);
    hf_free(s->scenario);
    hf_free(s->outcome);
    hf_free(s->holds);
    hf_free(s->knots);
    hf_free(s);
}

static bool same_hold(const hf_hold* a, const hf_hold* b) {
    return a->limb == b->limb && a->frame == b->frame && a->object == b->object && a->grip == b->grip &&
           hf_distance(a->point, b->point) <= SAME_M;
}

/* Lets a hold of the knot before go on, or begins the hold. */
static bool add_hold(hf_schedule* s, const hf_hold* hold, double before_s, double time_s) {
    for (int i = s->hold_count - 1; i >= 0; i--)
        if (s->holds[i].to_s == before_s && same_hold(&s->holds[i].hold, hold)) {
            s->holds[i].to_s = time_s;
            return true;
        }
    if (!HF_GROW(s->holds, s->hold_capacity, s->hold_count)) return false;
    s->holds[s->hold_count++] = (hf_schedule_hold){*hold, time_s, time_s};
    return true;
}

hf_status hf_schedule_add(hf_schedule* s, const hf_placement* placement, double time_s, const hf_pose* pose,
                          const hf_hold* holds, int hold_count, bool stance) {
    HF_REQUIRE(NULL, s && pose && (pose->q || !s->q_count) && (holds || hold_count <= 0) &&
                         (placement || hold_count <= 0));
    double before_s = s->knot_count ? s->knots[s->knot_count - 1].time_s : -INFINITY;
    if (!HF_GROW(s->knots, s->knot_capacity, s->knot_count)) return HF_ERROR_MEMORY;
    double* q = hf_alloc((size_t)s->q_count + 1, sizeof *q);
    if (!q) return HF_ERROR_MEMORY;
    if (s->q_count) memcpy(q, pose->q, sizeof *q * (size_t)s->q_count);
    s->knots[s->knot_count++] = (hf_knot){time_s, pose->root, q, stance};
    for (int i = 0; i < hold_count; i++) {
        hf_hold local = holds[i];
        if (local.object >= 0) local = hf_hold_in_object(local, hf_placement_pose(placement, local.object));
        if (!add_hold(s, &local, before_s, time_s)) return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

void hf_schedule_cut(hf_schedule* s, int count) {
    double last_s = count > 0 && count <= s->knot_count ? s->knots[count - 1].time_s : -INFINITY;
    for (int i = count; i < s->knot_count; i++) hf_free(s->knots[i].q);
    if (s->knot_count > count) s->knot_count = count;
    int kept = 0;
    for (int i = 0; i < s->hold_count; i++) {
        if (s->holds[i].from_s > last_s) continue;
        s->holds[kept] = s->holds[i];
        s->holds[kept].to_s = fmin(s->holds[kept].to_s, last_s);
        kept++;
    }
    s->hold_count = kept;
}

/* ---- validity ---- */

static hf_status refuse(hf_error* error, const char* what, int index, const char* why) {
    char field[40];
    snprintf(field, sizeof field, "%s[%d]", what, index);
    return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "%s", why);
}

static const char* knot_fault(const hf_schedule* s, int i) {
    const hf_knot* k = &s->knots[i];
    const double root[7] = {k->root.position.x, k->root.position.y, k->root.position.z, k->root.rotation.w,
                            k->root.rotation.x, k->root.rotation.y, k->root.rotation.z};
    for (int n = 0; n < 7; n++)
        if (!isfinite(root[n])) return "the root is not finite";
    for (int n = 0; n < s->q_count; n++)
        if (!isfinite(k->q[n])) return "a joint value is not finite";
    if (i == 0 && k->time_s != 0) return "the first time is not 0";
    if (!(i == 0 || k->time_s > s->knots[i - 1].time_s) || !isfinite(k->time_s)) return "times do not ascend";
    return NULL;
}

static const char* hold_fault(const hf_schedule* s, int i, const hf_creature_view* v, const hf_scene* scene) {
    const hf_schedule_hold* h = &s->holds[i];
    if (h->hold.limb < 0 || h->hold.limb >= v->limb_count) return "no such limb";
    if (h->hold.frame < 0 || h->hold.frame >= hf_limb_frame_count(&v->limbs[h->hold.limb]))
        return "no such contact frame";
    if (h->hold.object >= 0 && !scene) return "it names an object, and there is no scene";
    if (h->hold.object < -1 || (scene && h->hold.object >= hf_scene_object_count(scene)))
        return "no such object";
    if (!(h->from_s >= 0) || !isfinite(h->to_s)) return "a time is negative or not finite";
    if (!(h->to_s >= h->from_s)) return "it ends before it begins";
    if (!isfinite(hf_length(h->hold.point)) || !(hf_length(h->hold.normal) > 0.99) ||
        !(hf_length(h->hold.normal) < 1.01))
        return "its point is not finite or its normal has not length 1";
    for (int k = 0; k < i; k++)
        if (s->holds[k].hold.limb == h->hold.limb && s->holds[k].from_s <= h->to_s &&
            h->from_s <= s->holds[k].to_s)
            return "its limb holds something else at the same time";
    if (h->from_s > s->knots[s->knot_count - 1].time_s + SAME_S) return "it begins after the last knot";
    return NULL;
}

hf_status hf_schedule_validate(const hf_schedule* s, const hf_creature* creature, const hf_scene* scene,
                               hf_error* error) {
    HF_REQUIRE(error, s && creature);
    const hf_creature_view* v = &creature->view;
    if (s->q_count != v->q_count)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL,
                       "the schedule has %d joint values, the creature %d", s->q_count, v->q_count);
    if ((s->claims & (HF_CLAIM_BALANCE | HF_CLAIM_DYNAMIC)) && !(v->mass > 0))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "claims",
                       "balance is claimed, and the creature has no mass");
    if (s->knot_count < 1) return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "there is no knot");
    if (!(s->rate >= 1) || !(s->rate <= 1000))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "rate", "%g is outside 1 to 1000 frames a second",
                       s->rate);
    for (int i = 0; i < s->knot_count; i++) {
        const char* why = knot_fault(s, i);
        if (why) return refuse(error, "knots", i, why);
    }
    if (s->knots[s->knot_count - 1].time_s * s->rate > MAX_FRAMES || s->hold_count > MAX_HOLDS)
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, NULL, "more than %d frames or %d holds", MAX_FRAMES,
                       MAX_HOLDS);
    for (int i = 0; i < s->hold_count; i++) {
        const char* why = hold_fault(s, i, v, scene);
        if (why) return refuse(error, "holds", i, why);
    }
    return HF_OK;
}
