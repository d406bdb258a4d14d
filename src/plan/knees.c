/* Knees stay bent to the side to which they are bent in the standing posture. A leg whose knee comes to be
   straight, or bends to the other side where its joint lets it, is as long as before with two postures: the
   solver stays in the wrong one, and no way leads from one to the other with the foot on the ground. */
#include "plan/planner.h"

#include "base/memory.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* How far a knee is bent at least, rad: the leg is then shorter by a thousandth, and a radian of the knee
   still makes it shorter by a fortieth of its length. */
static const double LEAST_BEND = 0.1;
static const double SAME_PLACE_M = 1e-4;

static hf_vec3 axis_of(const hf_creature_view* v, const hf_transform* links, int joint) {
    return hf_rotate(links[v->joints[joint].child_link].rotation, v->joints[joint].axis);
}

static hf_vec3 foot_of(const hf_creature_view* v, const hf_transform* links, int limb) {
    const hf_contact_frame* f = &v->limbs[limb].contacts[0];
    return hf_apply(links[f->link], f->offset);
}

static hf_vec3 anchor_of(const hf_creature_view* v, const hf_transform* links, int limb) {
    return hf_apply(links[v->limbs[limb].base_link], v->limbs[limb].base.position);
}

int hf_knee_find(const hf_creature_view* v, const hf_transform* links, int limb) {
    const hf_limb* l = &v->limbs[limb];
    hf_vec3 aside = hf_rotate(links[0].rotation, hf_v3(-hf_sin(v->facing), hf_cos(v->facing), 0));
    hf_vec3 anchor = anchor_of(v, links, limb), foot = foot_of(v, links, limb);
    int knee = -1;
    double far = SAME_PLACE_M, most = 0;
    for (int k = 1; k < l->joint_count; k++) {
        const hf_joint* j = &v->joints[l->joints[k]];
        hf_vec3 at = links[j->child_link].position;
        double near = fmin(hf_distance(at, anchor), hf_distance(at, foot));
        double across = fabs(hf_dot(axis_of(v, links, l->joints[k]), aside));
        if ((j->type != HF_JOINT_REVOLUTE && j->type != HF_JOINT_CONTINUOUS) || near < far - SAME_PLACE_M)
            continue;
        if (near > far + SAME_PLACE_M || across > most) far = near, most = across, knee = k;
    }
    return knee;
}

double hf_knee_bend(const hf_creature_view* v, const hf_transform* links, int limb, int knee) {
    const hf_limb* l = &v->limbs[limb];
    int joint = l->joints[knee], last = l->joints[l->joint_count - 1];
    hf_vec3 at = links[v->joints[joint].child_link].position, axis = axis_of(v, links, joint);
    hf_vec3 end = links[v->joints[last].child_link].position;
    if (hf_distance(end, at) < SAME_PLACE_M) end = foot_of(v, links, limb);
    hf_vec3 upper = hf_sub(at, anchor_of(v, links, limb)), lower = hf_sub(end, at);
    upper = hf_sub(upper, hf_scale(axis, hf_dot(upper, axis)));
    lower = hf_sub(lower, hf_scale(axis, hf_dot(lower, axis)));
    return hf_atan2(hf_dot(axis, hf_cross(upper, lower)), hf_dot(upper, lower));
}

/* Narrows the joint's range to one side of straight; postures that are given stay within it. */
static void narrow(hf_joint* j, double straight, double side, const double* const* given, int count) {
    double near = straight + side * LEAST_BEND, far = straight + side * (M_PI - LEAST_BEND);
    double low = fmax(j->lower, fmin(near, far)), high = fmin(j->upper, fmax(near, far));
    for (int i = 0; i < count; i++) {
        if (!given[i]) continue;
        low = fmin(low, given[i][j->q_index]), high = fmax(high, given[i][j->q_index]);
    }
    if (low < high) j->lower = fmax(low, j->lower), j->upper = fmin(high, j->upper);
}

/* Is a knee that is bent so far bent to the side to which it can bend farther? Else it may need the other. */
static bool is_main_side(const hf_joint* j, double straight, double bend) {
    double up = fmin(j->upper - straight, M_PI), down = fmin(straight - j->lower, M_PI);
    return fabs(bend) >= LEAST_BEND && (bend > 0 ? up >= down : down >= up);
}

static void narrow_all(const hf_plan_model* m, const hf_creature_view* v, const hf_transform* links,
                       const double* const* given, int count, hf_joint* joints) {
    for (int l = 0; l < v->limb_count; l++) {
        int knee = m->limbs[l].walks && v->limbs[l].joint_count > 0 ? hf_knee_find(v, links, l) : -1;
        if (knee < 0) continue;
        hf_joint* j = &joints[v->limbs[l].joints[knee]];
        double bend = hf_knee_bend(v, links, l, knee);
        if (j->mimic >= 0 || !is_main_side(j, m->standing[j->q_index] - bend, bend)) continue;
        narrow(j, m->standing[j->q_index] - bend, bend > 0 ? 1 : -1, given, count);
    }
}

hf_status hf_knees_narrow(const hf_plan_model* m, const double* start, const double* goal,
                          hf_creature** narrowed) {
    const hf_creature_view* v = hf_creature_get(m->creature);
    const double* given[] = {m->standing, m->bent_q, start, goal};
    hf_creature* c = *narrowed = hf_alloc(1, sizeof *c);
    hf_joint* joints = hf_alloc((size_t)v->joint_count + 1, sizeof *joints);
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    if (c) *c = *m->creature, c->view.joints = joints;
    bool good = c && joints && links;
    if (good) {
        hf_forward(m->creature, &(hf_pose){hf_transform_identity(), m->standing}, links);
        memcpy(joints, v->joints, sizeof *joints * (size_t)v->joint_count);
        narrow_all(m, v, links, given, sizeof given / sizeof *given, joints);
    }
    hf_free(links);
    if (!c) hf_free(joints);
    return good ? HF_OK : HF_ERROR_MEMORY;
}

void hf_knees_free(hf_creature* narrowed) {
    if (!narrowed) return;
    hf_free((void*)narrowed->view.joints);
    hf_free(narrowed);
}
