/* Arms that hang. Animators' skeletons and many robots' files hold their arms level or half raised at rest,
   which says how they were modelled and not how they stand. A limb at the side of the body that could touch,
   does not walk and is raised is turned about its shoulder until its end hangs below it, as near to the body
   as it is free. A straight elbow is then bent a little ahead. Nothing else of the limb changes, so that
   hands stay as they were modelled. */
#include "plan/planner.h"

#include "model/creature.h"

#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

/* From straight down to the first long bone, rad: relaxed arms are within 0.2 of it, those of an A pose begin
   at 0.6. */
static const double RAISED = 0.5;
/* Outwards from straight down, rad: where a limb is tried, from the nearest on, up to where it would look
   raised again; and how much farther out than the nearest free one it hangs: 3 cm at the hand of a person,
   for the thighs that pass it. */
static const double OUTWARDS[] = {0, 0.08, 0.16, 0.24, 0.32};
static const double ROOM = 0.06;
static const double HANGS = 0.15; /* rad that the end may be off the way in which it is to hang: less than two
                                     steps outwards */
static const double ELBOW = 0.3;  /* rad that an elbow is bent at least, as a relaxed person's is */
static const double ACROSS = 0.7; /* cosine: an elbow that bends ahead turns about the lateral axis, within 45
                                     degrees */
static const double SHOULDER = 0.25; /* of the limb's length: joints so near the pivot turn the limb; an elbow
                                        is farther */
static const double COLLAR = 0.4;    /* of the limb's length: bones of a collar before the shoulder */
static const double TOO_SHORT = 0.1; /* of a limb's length: an axis this near to the limb does not turn it */
static const double ABOVE_GROUND = 1.1; /* lengths of the limb that its shoulder is above the feet, so that
                                           its end clears the ground */
/* Sweeps over the joints of a shoulder. */
enum { SWEEPS = 12, OUTWARD_COUNT = sizeof OUTWARDS / sizeof *OUTWARDS };

typedef struct arm {
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_limb* limb;
    int index;
    double* q;
    hf_transform* links;
    hf_vec3 pivot; /* in the root's axes, as all that follows */
    int first;     /* joint of the limb, the first at the pivot */
    double length; /* from the pivot to the end of the limb */
} arm;

static hf_vec3 place_of(const arm* a, int k) {
    return a->links[a->view->joints[a->limb->joints[k]].child_link].position;
}

static hf_vec3 end_of(const arm* a) {
    const hf_contact_frame* f = &a->limb->contacts[0];
    return hf_apply(a->links[f->link], f->offset);
}

static hf_vec3 lateral(const arm* a) { return hf_v3(-hf_sin(a->view->facing), hf_cos(a->view->facing), 0); }

static void move(const arm* a) {
    hf_pose_follow(a->creature, a->q);
    hf_forward_from(a->creature, a->limb->root_link, a->q, a->links);
}

static bool is_hinge(const hf_joint* j) {
    return j->type == HF_JOINT_REVOLUTE || j->type == HF_JOINT_CONTINUOUS;
}

/* Turns every joint of the shoulder in turn so that the end of the limb comes nearest to the way, again and
   again. True where it gets there. */
static bool aim(const arm* a, hf_vec3 way) {
    for (int i = 0; i < SWEEPS; i++) {
        for (int k = a->first; k < a->limb->joint_count; k++) {
            const hf_joint* j = &a->view->joints[a->limb->joints[k]];
            if (!is_hinge(j) || hf_distance(place_of(a, k), a->pivot) > SHOULDER * a->length) continue;
            hf_vec3 axis = hf_rotate(a->links[j->child_link].rotation, j->axis);
            hf_vec3 now = hf_sub(end_of(a), place_of(a, k)), want = hf_scale(way, a->length);
            now = hf_sub(now, hf_scale(axis, hf_dot(now, axis)));
            want = hf_sub(want, hf_scale(axis, hf_dot(want, axis)));
            if (fmin(hf_length(now), hf_length(want)) < TOO_SHORT * a->length) continue;
            double turn = hf_atan2(hf_dot(axis, hf_cross(now, want)), hf_dot(now, want));
            double* q = &a->q[j->q_index];
            *q = fmin(j->upper, fmax(j->lower, *q + turn));
            move(a);
        }
    }
    hf_vec3 out = hf_normalize(hf_sub(end_of(a), a->pivot));
    return hf_acos(fmin(1, hf_dot(out, way))) < HANGS;
}

/* Bends an elbow that is straight, so that the hand comes ahead. */
static void bend_elbow(const arm* a) {
    int knee = hf_knee_find(a->view, a->links, a->index);
    if (knee <= a->first) return;
    const hf_joint* j = &a->view->joints[a->limb->joints[knee]];
    hf_vec3 axis = hf_rotate(a->links[j->child_link].rotation, j->axis), elbow = place_of(a, knee);
    hf_vec3 upper = hf_normalize(hf_sub(elbow, a->pivot)), lower = hf_normalize(hf_sub(end_of(a), elbow));
    double bent = hf_acos(fmin(1, hf_dot(upper, lower)));
    double across = hf_dot(axis, lateral(a));
    if (bent >= ELBOW || fabs(across) < ACROSS) return;
    // a turn about the axis to the left takes what hangs back
    double* q = &a->q[j->q_index];
    *q = fmin(j->upper, fmax(j->lower, *q + (across > 0 ? -1 : 1) * (ELBOW - bent)));
    move(a);
}

static bool is_free(const arm* a) {
    hf_collision_query query = hf_collision_query_default();
    query.limb = a->index, query.scene = false;
    return !hf_collides(a->creature, NULL, a->links, &query, NULL) &&
           hf_pose_within_rom(a->creature, a->q, 0);
}

/* The limb hangs so far out, the rest of it as it was given. */
static bool hang(const arm* a, double side, double outwards, const double* given) {
    hf_vec3 out = hf_scale(lateral(a), side * hf_sin(outwards));
    for (int k = 0; k < a->limb->joint_count; k++) {
        const hf_joint* j = &a->view->joints[a->limb->joints[k]];
        memcpy(a->q + j->q_index, given + j->q_index, sizeof(double) * (size_t)j->q_count);
    }
    move(a);
    if (!aim(a, hf_add(out, hf_v3(0, 0, -hf_cos(outwards))))) return false;
    bend_elbow(a);
    return is_free(a);
}

/* The limb about the joint `first`, if that can be its shoulder: at a side of the body, high enough above the
   ground, the limb raised from there. */
static bool is_shoulder(arm* a, int first, double ground, double* side) {
    a->first = first;
    a->pivot = place_of(a, first);
    a->length = hf_distance(end_of(a), a->pivot);
    int next = first;
    while (next < a->limb->joint_count - 1 &&
           hf_distance(place_of(a, next), a->pivot) <= SHOULDER * a->length)
        next++;
    double left = hf_dot(a->pivot, lateral(a));
    *side = left > 0 ? 1 : -1;
    hf_vec3 bone = hf_sub(place_of(a, next), a->pivot);
    if (hf_length(bone) <= SHOULDER * a->length) bone = hf_sub(end_of(a), a->pivot); // no elbow
    return fabs(left) > TOO_SHORT * a->length && a->pivot.z - ground > ABOVE_GROUND * a->length &&
           hf_acos(fmax(-1, fmin(1, -bone.z / hf_length(bone)))) > RAISED;
}

static bool hang_about(arm* a, double side, const double* given) {
    for (int i = 0; i < OUTWARD_COUNT; i++)
        if (hang(a, side, OUTWARDS[i], given))
            return hang(a, side, OUTWARDS[i] + ROOM, given) || hang(a, side, OUTWARDS[i], given);
    return false;
}

/* The first shoulder of the limb about which it can hang; as given where there is none. */
static void hang_limb(arm* a, double ground, const double* given) {
    double whole = hf_distance(end_of(a), place_of(a, 0)), side;
    bool hangs = false;
    for (int k = 0; k < a->limb->joint_count && !hangs; k++) {
        hf_vec3 at = place_of(a, k);
        bool known = k > 0 && hf_distance(at, place_of(a, k - 1)) < TOO_SHORT * whole;
        if (known || hf_distance(at, place_of(a, 0)) > COLLAR * whole) continue;
        hangs = is_shoulder(a, k, ground, &side) && hang_about(a, side, given);
        if (!hangs) memcpy(a->q, given, sizeof(double) * (size_t)a->view->q_count), move(a);
    }
}

bool hf_arms_hang(const hf_creature* creature, const hf_plan_limb* limbs, hf_workspace* workspace,
                  double* q) {
    const hf_creature_view* v = hf_creature_get(creature);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_transform* links = hf_workspace_take(workspace, (size_t)v->link_count, sizeof *links);
    double* given = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof *given);
    if (links && given) hf_forward(creature, &(hf_pose){hf_transform_identity(), q}, links);
    double ground = INFINITY;
    for (int l = 0; links && given && l < v->limb_count; l++)
        if (limbs[l].walks && v->limbs[l].joint_count > 0) {
            const hf_contact_frame* f = v->limbs[l].contacts;
            ground = fmin(ground, hf_apply(links[f->link], f->offset).z - f->ball);
        }
    for (int l = 0; isfinite(ground) && l < v->limb_count; l++) {
        if (!limbs[l].used || limbs[l].walks || v->limbs[l].joint_count == 0) continue;
        memcpy(given, q, sizeof(double) * (size_t)v->q_count);
        arm a = {creature, v, &v->limbs[l], l, q, links, {0, 0, 0}, 0, 0};
        hang_limb(&a, ground, given);
    }
    hf_workspace_end(workspace, mark);
    return links && given;
}
