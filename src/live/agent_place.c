/* Where an agent's limb goes next. A contact query (efort-2014-journal section 5) from where the body will be
   in the middle of the limb's stance chooses the surface; on it the foothold slides towards the limb's place
   under the body, so that small sample sets give even steps, too. */
#include "live/agent.h"

#include <math.h>
#include <string.h>

static const double FLAT_RAD = 0.03;     /* patches must lie on their surface, to hold it */
static const double EXACT_M = 1e-4;      /* as contact queries */
static const double SAME_FACE = 0.996;   /* cosine up to which two normals are one surface */
static const double ON_SURFACE_M = 1e-4; /* a point that slid along a plane is still on the surface */
static const double APART_SHARE =
    0.5; /* of the distance between two limbs at rest that their contacts keep */
enum { ITERATIONS = 30 };

/* Middle of the next stance, less far ahead after each query that found nothing. */
static double look_ahead(const hf_agent* a, const agent_limb* l) {
    int others = a->group_count > 1 ? a->group_count - 1 : 1;
    double whole = l->swing_s * (1 + 0.5 * others), speed = hf_length(a->velocity);
    double least = speed > HF_AGENT_MOVING_M_S ? 0.5 * l->half_stride / speed : 0;
    whole = fmin(fmax(whole, least), speed > HF_AGENT_MOVING_M_S ? 2 * l->half_stride / speed : whole);
    return whole * (1 - (double)(l->tries % HF_AGENT_LOOKS) / (HF_AGENT_LOOKS - 1));
}

/* What a query found, as a place on the object; q is the pose at the predicted root. */
static void read_place(hf_agent* a, const hf_placement* placement, const hf_contact* k,
                       const hf_transform* root, const double* q, agent_place* place) {
    const hf_contact_frame* f = &a->view->limbs[k->limb].contacts[k->frame];
    size_t q_count = (size_t)a->view->q_count;
    double* goal = a->goals + (size_t)k->limb * q_count;
    memcpy(goal, q, sizeof(double) * q_count);
    hf_pose pose = {*root, goal};
    hf_transform object = hf_placement_pose(placement, k->object);
    hf_forward(a->creature, &pose, a->links);
    *place = (agent_place){.object = k->object,
                           .frame = k->frame,
                           .point = hf_unapply(object, k->point),
                           .normal = hf_unrotate(object.rotation, k->normal),
                           .centre = hf_unapply(object, hf_add(k->point, hf_scale(k->normal, f->ball))),
                           .rotation = hf_quat_mul(hf_quat_conj(object.rotation), a->links[f->link].rotation),
                           .flat = (f->patch[0] > 0 || f->patch[1] > 0) && k->angle_error_rad <= FLAT_RAD};
    hf_forward(a->creature, &a->pose, a->links);
}

static bool is_patch(const hf_contact_frame* f) { return f->patch[0] > 0 || f->patch[1] > 0; }

/* The same surface at another point: is it there, and can the limb touch it from its relaxed posture? Then
   query_q is the pose, and the contact is changed. */
static hf_status touch_at(hf_agent* a, const hf_placement* placement, const hf_transform* root, hf_vec3 point,
                          hf_contact* k, bool* good) {
    const hf_contact_frame* f = &a->view->limbs[k->limb].contacts[k->frame];
    hf_surface s;
    *good = false;
    if (!hf_placement_closest(placement, point, ON_SURFACE_M, &s) || s.object != k->object) return HF_OK;
    if (fabs(hf_dot(s.normal, k->normal)) < SAME_FACE) return HF_OK;
    hf_agent_take_limb(a, k->limb, a->relaxed, a->query_q);
    hf_pose pose = {*root, a->query_q};
    hf_forward(a->creature, &pose, a->links);
    hf_target target = {.kind = HF_TARGET_NORMAL, .limb = k->limb, .contact = k->frame, .point = s.point};
    target.normal = k->normal;
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.max_iterations = ITERATIONS;
    o.posture = a->relaxed;
    hf_solve_result r;
    hf_transform base = a->links[a->view->limbs[k->limb].base_link];
    hf_status status = hf_limb_solve(a->creature, &base, &target, &o, a->workspace, a->query_q, &r);
    if (status != HF_OK || r.stop == HF_STOP_RANGE || !(r.position_error_m <= EXACT_M)) return status;
    if (is_patch(f) && r.angle_error_rad > FLAT_RAD) return HF_OK;
    // the limb at its new place, with what it touches there
    hf_forward_from(a->creature, a->view->limbs[k->limb].root_link, a->query_q, a->links);
    a->touches[a->touch_count] = (hf_touch){k->limb, k->object, false};
    hf_collision_query query = hf_collision_query_default();
    query.touches = a->touches;
    query.touch_count = a->touch_count + 1;
    query.limb = k->limb;
    if (hf_collides(a->creature, placement, a->links, &query, NULL)) return HF_OK;
    k->point = s.point;
    k->angle_error_rad = r.angle_error_rad;
    *good = true;
    return HF_OK;
}

/* Slides the contact on its surface: all the way to under the limb's place, or half, or not at all. What the
   query found stands when none of them can be touched. */
static hf_status slide(hf_agent* a, const hf_placement* placement, const hf_transform* root,
                       agent_place* place) {
    hf_contact k = a->answer->contacts[0];
    hf_vec3 home = hf_apply(*root, a->limbs[k.limb].home), off = hf_sub(home, k.point);
    hf_vec3 way = hf_sub(off, hf_scale(k.normal, hf_dot(off, k.normal))), first = k.point;
    memcpy(a->query_q, k.q, sizeof(double) * (size_t)a->view->q_count);
    bool good = false;
    hf_status status = HF_OK;
    for (int i = 2; i >= 0 && !good && status == HF_OK; i--)
        status = touch_at(a, placement, root, hf_add(first, hf_scale(way, i / 2.0)), &k, &good);
    if (status == HF_OK) read_place(a, placement, &k, root, good ? a->query_q : k.q, place);
    return status;
}

/* Is the place too near to where another limb stands, so that the two would be in each other's way? */
static bool crowded(const hf_agent* a, const hf_placement* placement, int limb, const agent_place* place) {
    hf_vec3 at = hf_apply(hf_placement_pose(placement, place->object), place->point);
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* other = &a->limbs[i];
        if (i == limb || (other->mode != AGENT_HELD && other->mode != AGENT_SWING)) continue;
        hf_vec3 there = hf_apply(hf_placement_pose(placement, other->at.object), other->at.point);
        if (hf_distance(at, there) < APART_SHARE * hf_distance(a->limbs[limb].home, other->home)) return true;
    }
    return false;
}

static void set_query(hf_agent* a, const hf_agent_input* in, int limb, hf_transform root,
                      hf_contact_query* query) {
    memcpy(a->query_q, a->pose.q, sizeof(double) * (size_t)a->view->q_count);
    hf_agent_take_limb(a, limb, a->relaxed, a->query_q);
    // what this limb holds it lets go
    a->touch_count = 0;
    for (int i = 0; i < a->view->limb_count; i++)
        if (a->limbs[i].mode == AGENT_HELD && i != limb)
            a->touches[a->touch_count++] = (hf_touch){i, a->limbs[i].at.object, false};
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
        if (a->by_limb[limb][i] && is_patch(&l->contacts[i])) query->max_angle_rad = FLAT_RAD;
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
    if (!a->answer->contact_count || a->answer->contacts[0].frame < 0) return HF_OK;
    status = slide(a, placement, &root, place);
    *found = status == HF_OK && !crowded(a, placement, limb, place);
    return status;
}
