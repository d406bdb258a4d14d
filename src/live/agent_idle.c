/* Limbs of an agent that do not walk. Each takes the nearest posture of its samples that does not touch the
   walkers, wherever these are in their steps; without one it keeps what it was placed with. */
#include "live/agent.h"

#include <string.h>

/* Postures of the idle limb that are tried, nearest first, and of each walker that they are tried with. */
enum { CHOICES = 96, STEPS = 24 };
/* A walker's postures count up to this far from its place under the body, in half strides. */
static const double STEP_REACH = 1.5;

static const hf_samples* first_set(const hf_agent* a, int limb) {
    for (int k = 0; a->by_limb[limb] && k < a->view->limbs[limb].contact_count; k++)
        if (a->by_limb[limb][k]) return a->by_limb[limb][k];
    return NULL;
}

/* How far a sample is from the limb's relaxed posture. */
static double posture_distance(const hf_agent* a, int limb, const hf_samples_view* s, int sample) {
    const hf_limb* l = &a->view->limbs[limb];
    double sum = 0;
    for (int i = 0; i < l->joint_count; i++) {
        double d = (double)hf_sample_value(s->theta, s->joint_count, sample, i) -
                   a->relaxed[a->view->joints[l->joints[i]].q_index];
        sum += d * d;
    }
    return sum;
}

/* The nearest samples in order; returns how many. */
static int nearest_samples(const hf_agent* a, int limb, const hf_samples* samples, int* out) {
    hf_samples_view s = hf_samples_get(samples);
    double distance[CHOICES];
    int count = 0;
    for (int i = 0; i < s.count; i++) {
        double d = posture_distance(a, limb, &s, i);
        if (count == CHOICES && d >= distance[count - 1]) continue;
        int k = count < CHOICES ? count++ : count - 1;
        for (; k > 0 && distance[k - 1] > d; k--) distance[k] = distance[k - 1], out[k] = out[k - 1];
        distance[k] = d, out[k] = i;
    }
    return count;
}

/* Samples of a walker that are near its place under the body, spread over all of them. */
static int step_samples(const hf_agent* a, int limb, const hf_samples* samples, const hf_transform* base,
                        int* out) {
    hf_samples_view s = hf_samples_get(samples);
    const agent_limb* l = &a->limbs[limb];
    int near = 0, count = 0;
    for (int i = 0; i < s.count; i++) {
        hf_vec3 p = hf_apply(*base, hf_sample_point(s.point, i));
        if (hf_distance(p, l->home.position) > STEP_REACH * l->half_stride) continue;
        // the first ones, and later ones instead of them now and then
        int k = count < STEPS ? count++ : near % (2 * STEPS);
        if (k < STEPS) out[k] = i;
        near++;
    }
    return count;
}

/* Does the idle limb, as it is in next.q, keep clear of a walker in all these postures? */
static bool clear_of(hf_agent* a, int idle, int walker, const hf_samples* samples, const int* steps,
                     int count) {
    hf_collision_query query = hf_collision_query_default();
    query.limb = idle;
    query.scene = false;
    for (int i = -1; i < count; i++) {
        hf_pose_take_limb(a->creature, walker, a->relaxed, a->next.q);
        if (i >= 0) hf_samples_pose(a->creature, samples, steps[i], a->next.q);
        hf_forward(a->creature, &a->next, a->links);
        if (hf_collides(a->creature, NULL, a->links, &query, NULL)) return false;
    }
    hf_pose_take_limb(a->creature, walker, a->relaxed, a->next.q);
    return true;
}

static bool clear_of_all(hf_agent* a, int idle) {
    int steps[STEPS];
    for (int i = 0; i < a->view->limb_count; i++) {
        const hf_samples* samples = first_set(a, i);
        if (a->limbs[i].mode == AGENT_IDLE || !samples) continue;
        hf_forward(a->creature, &a->next, a->links);
        hf_transform base = hf_limb_base(a->creature, i, a->links);
        int count = step_samples(a, i, samples, &base, steps);
        if (!clear_of(a, idle, i, samples, steps, count)) return false;
    }
    return true;
}

static bool shares_joints(const hf_agent* a, int limb) {
    const hf_limb* l = &a->view->limbs[limb];
    for (int i = 0; i < a->view->limb_count; i++) {
        bool taken = i != limb && (a->limbs[i].mode != AGENT_IDLE || a->limbs[i].relaxes);
        if (taken && a->view->limbs[i].root_link == l->root_link) return true;
    }
    return false;
}

static bool single_valued(const hf_agent* a, int limb) {
    const hf_limb* l = &a->view->limbs[limb];
    for (int i = 0; i < l->joint_count; i++)
        if (a->view->joints[l->joints[i]].q_count != 1) return false;
    return true;
}

hf_status hf_agent_relax_idle(hf_agent* a) {
    size_t bytes = sizeof(double) * (size_t)a->view->q_count;
    int choices[CHOICES];
    a->next.root = hf_transform_identity();
    for (int i = 0; i < a->view->limb_count; i++) {
        const hf_samples* samples = first_set(a, i);
        if (a->limbs[i].mode != AGENT_IDLE || !samples || shares_joints(a, i) || !single_valued(a, i))
            continue;
        memcpy(a->next.q, a->relaxed, bytes);
        bool found = clear_of_all(a, i);
        int count = found ? 0 : nearest_samples(a, i, samples, choices);
        for (int k = 0; k < count && !found; k++) {
            memcpy(a->next.q, a->relaxed, bytes);
            hf_samples_pose(a->creature, samples, choices[k], a->next.q);
            found = clear_of_all(a, i);
        }
        if (!found) continue;
        hf_pose_take_limb(a->creature, i, a->next.q, a->relaxed);
        a->limbs[i].relaxes = true;
    }
    return HF_OK;
}
