/* Where an agent's limb goes next. A contact query (efort-2014-journal section 5) from where the body will be
   in the middle of the limb's stance chooses the surface; on it the foothold slides towards the limb's place
   under the body, so that small sample sets give even steps, too. */
#include "live/agent.h"
#include "model/tolerance.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

static const double SAME_FACE = 0.996;   /* cosine up to which two normals are one surface */
static const double ON_SURFACE_M = 1e-4; /* a point that slid along a plane is still on the surface */
static const double APART_SHARE =
    0.5; /* of the distance between two limbs at rest that their contacts keep */

/* Middle of the next stance, less far ahead after each query that found nothing. */
static double look_ahead(const hf_agent* a, const agent_limb* l) {
    int others = a->gait.group_count > 1 ? a->gait.group_count - 1 : 1;
    double whole = l->swing_s * (2 + others) / 2, speed = hf_length(a->root.velocity);
    double least = speed > HF_AGENT_MOVING_M_S ? l->half_stride / (2 * speed) : 0;
    whole = fmin(fmax(whole, least), speed > HF_AGENT_MOVING_M_S ? 2 * l->half_stride / speed : whole);
    return whole * (1 - (double)(l->tries % HF_AGENT_LOOKS) / (HF_AGENT_LOOKS - 1));
}

/* What a query found, as a place on the object; q is the pose at the predicted root. */
static void read_place(hf_agent* a, const hf_placement* placement, const hf_contact* k,
                       const hf_transform* root, const double* q, agent_place* place) {
    const hf_contact_frame* f = &a->view->limbs[k->hold.limb].contacts[k->hold.frame];
    size_t q_count = (size_t)a->view->q_count;
    double* goal = a->goals + (size_t)k->hold.limb * q_count;
    memcpy(goal, q, sizeof(double) * q_count);
    hf_pose pose = {*root, goal};
    hf_forward(a->creature, &pose, a->links);
    hf_anchor anchor = hf_hold_anchor(a->creature, &k->hold, a->links);
    anchor.point = hf_add(k->hold.point, hf_scale(k->hold.normal, f->ball));
    anchor.flat = anchor.flat && k->angle_error_rad <= HF_LEVEL_RAD;
    *place = hf_agent_place_on(placement, k->hold, anchor);
    hf_forward(a->creature, &a->pose, a->links);
}

static bool is_patch(const hf_contact_frame* f) { return f->patch[0] > 0 || f->patch[1] > 0; }

/* The same surface at another point: is it there, and can the limb touch it from its relaxed posture? Then
   query_q is the pose, and the contact is changed. */
static hf_status touch_at(hf_agent* a, const hf_placement* placement, const hf_transform* root, hf_vec3 point,
                          hf_contact* k, bool* good) {
    const hf_contact_frame* f = &a->view->limbs[k->hold.limb].contacts[k->hold.frame];
    hf_surface s;
    *good = false;
    if (!hf_placement_closest(placement, point, ON_SURFACE_M, &s) || s.object != k->hold.object) return HF_OK;
    if (fabs(hf_dot(s.normal, k->hold.normal)) < SAME_FACE) return HF_OK;
    hf_pose_take_limb(a->creature, k->hold.limb, a->relaxed, a->query_q);
    hf_pose pose = {*root, a->query_q};
    hf_forward(a->creature, &pose, a->links);
    hf_target target = {
        .kind = HF_TARGET_NORMAL, .limb = k->hold.limb, .contact = k->hold.frame, .point = s.point};
    target.normal = k->hold.normal;
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.max_iterations = HF_NEAR_ITERATIONS;
    o.posture = a->relaxed;
    hf_solve_result r;
    hf_transform base = a->links[a->view->limbs[k->hold.limb].base_link];
    hf_status status = hf_limb_solve(a->creature, &base, &target, &o, a->workspace, a->query_q, &r);
    if (status != HF_OK || r.stop == HF_STOP_RANGE || !(r.position_error_m <= HF_CONTACT_M)) return status;
    if (is_patch(f) && r.angle_error_rad > HF_FLAT_RAD) return HF_OK;
    // the limb at its new place, with what it touches there
    hf_forward_from(a->creature, a->view->limbs[k->hold.limb].root_link, a->query_q, a->links);
    a->touches[a->touch_count] = k->hold;
    hf_collision_query query = hf_collision_query_default();
    query.touches = a->touches;
    query.touch_count = a->touch_count + 1;
    query.limb = k->hold.limb;
    if (hf_collides(a->creature, placement, a->links, &query, NULL)) return HF_OK;
    k->hold.point = s.point;
    k->angle_error_rad = r.angle_error_rad;
    *good = true;
    return HF_OK;
}

/* Slides the contact on its surface: all the way to under the limb's place, or half, or not at all. What the
   query found stands when none of them can be touched. */
static hf_status slide(hf_agent* a, const hf_placement* placement, const hf_transform* root,
                       agent_place* place) {
    hf_contact k = a->answer->contacts[0];
    hf_vec3 home = hf_apply(*root, a->limbs[k.hold.limb].home.position), off = hf_sub(home, k.hold.point);
    hf_vec3 way = hf_sub(off, hf_scale(k.hold.normal, hf_dot(off, k.hold.normal))), first = k.hold.point;
    memcpy(a->query_q, k.q, sizeof(double) * (size_t)a->view->q_count);
    bool good = false;
    hf_status status = HF_OK;
    for (int i = 2; i >= 0 && !good && status == HF_OK; i--)
        status = touch_at(a, placement, root, hf_add(first, hf_scale(way, (double)i / 2)), &k, &good);
    if (status == HF_OK) read_place(a, placement, &k, root, good ? a->query_q : k.q, place);
    return status;
}

/* Is the place too near to where another limb stands, so that the two would be in each other's way? */
static bool crowded(const hf_agent* a, const hf_placement* placement, int limb, const agent_place* place) {
    hf_vec3 at = hf_apply(hf_placement_pose(placement, place->hold.object), place->hold.point);
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* other = &a->limbs[i];
        if (i == limb || (other->mode != AGENT_HELD && other->mode != AGENT_SWING)) continue;
        hf_vec3 there = hf_apply(hf_placement_pose(placement, other->at.hold.object), other->at.hold.point);
        if (hf_distance(at, there) <
            APART_SHARE * hf_distance(a->limbs[limb].home.position, other->home.position))
            return true;
    }
    return false;
}

static void set_query(hf_agent* a, const hf_agent_input* in, int limb, hf_transform root,
                      hf_contact_query* query) {
    memcpy(a->query_q, a->pose.q, sizeof(double) * (size_t)a->view->q_count);
    hf_pose_take_limb(a->creature, limb, a->relaxed, a->query_q);
    // the hold of this limb is left out: the limb lets go of it
    a->touch_count = 0;
    for (int i = 0; i < a->view->limb_count; i++)
        if (a->limbs[i].mode == AGENT_HELD && i != limb) a->touches[a->touch_count++] = a->limbs[i].at.hold;
    *query = hf_contact_query_default();
    query->pose = (hf_pose){root, a->query_q};
    query->limb = limb;
    query->direction = in->task;
    memset(query->weights, 0, sizeof query->weights);
    query->weights[HF_TERM_EFFORT] = a->options.effort_weight;
    query->weights[HF_TERM_DISTANCE] = a->options.distance_weight;
    query->weights[HF_TERM_COMFORT] = a->options.comfort_weight;
    query->max_tests = a->tests_left;
    query->touches = a->touches;
    query->touch_count = a->touch_count;
    const hf_limb* l = &a->view->limbs[limb];
    for (int i = 0; i < l->contact_count; i++)
        if (a->by_limb[limb][i] && is_patch(&l->contacts[i])) query->max_angle_rad = HF_FLAT_RAD;
}

hf_status hf_agent_find_place(hf_agent* a, const hf_placement* placement, const hf_agent_input* in, int limb,
                              agent_place* place, bool* found) {
    *found = false;
    hf_transform root = hf_agent_predict(a, look_ahead(a, &a->limbs[limb]));
    hf_contact_query query;
    set_query(a, in, limb, root, &query);
    hf_status status =
        hf_contact_find(a->creature, a->by_limb[limb], placement, &query, a->workspace, a->answer);
    if (status != HF_OK) return status;
    a->tests_left -= a->answer->tested < a->tests_left ? a->answer->tested : a->tests_left;
    if (!a->answer->contact_count || a->answer->contacts[0].hold.frame < 0) return HF_OK;
    status = slide(a, placement, &root, place);
    *found = status == HF_OK && !crowded(a, placement, limb, place);
    return status;
}
