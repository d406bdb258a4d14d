/* Control layers of humanoids, found from their limbs and trunk (reaching-2003 section 4, method section 10).
   Each arm control is the value of one joint: swing and twist of a shoulder in joint order. A direction on
   the sphere would be nearer to the paper, but its way back to the joints of a shoulder is not unique and
   turns infinitely fast where the upper arm lies in the first joint's axis, which is an arm held out to the
   side. */
#include "reach/control_layer.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

static const char* const NAMES[HF_CONTROL_COUNT] = {
    "right_clavicle_1", "right_clavicle_2", "right_shoulder_1", "right_shoulder_2",    "right_shoulder_twist",
    "right_elbow",      "right_forearm",    "right_wrist_1",    "right_wrist_2",       "left_clavicle_1",
    "left_clavicle_2",  "left_shoulder_1",  "left_shoulder_2",  "left_shoulder_twist", "left_elbow",
    "left_forearm",     "left_wrist_1",     "left_wrist_2",     "spine_flexion",       "spine_roll",
    "spine_twist",      "leg_flexion"};
enum {
    LEAST_ARM = 4 /* joints: a shoulder and an elbow */
};
/* The lowest pelvis that is drawn or solved for, as a share of how high the hips are over the feet at rest.
 */
static const double LOWEST_HIPS = 0.45;
/* How far the pelvis tilts forward as it is lowered, rad/m: as people squat. An upright one would need ankles
   that bend farther than people's. */
static const double PITCH = 2.0;

/* ---- limbs ---- */

static bool walks(const hf_creature_view* v, int limb) {
    int total = 0;
    for (int g = 0; g < v->gait_count; g++) total += v->gait_sizes[g];
    for (int i = 0; i < total; i++)
        if (v->gait_limbs[i] == limb) return true;
    return false;
}

static hf_vec3 effector_at(const hf_creature_view* v, const hf_transform* links, int limb) {
    return links[v->limbs[limb].effector_link].position;
}

/* The limb of a side with the most joints, of those that walk or do not; -1 for none. */
static int find_limb(const hf_creature_view* v, const hf_transform* links, hf_side side, bool walking) {
    int best = -1;
    for (int l = 0; l < v->limb_count; l++) {
        double y = effector_at(v, links, l).y;
        bool fits = v->limbs[l].use && walks(v, l) == walking && (side == HF_RIGHT ? y < 0 : y > 0);
        if (fits && v->limbs[l].joint_count >= LEAST_ARM &&
            (best < 0 || v->limbs[l].joint_count > v->limbs[best].joint_count))
            best = l;
    }
    return best;
}

static int joints_of(const hf_creature_view* v, int limb) {
    return limb < 0 ? 0 : v->limbs[limb].joint_count;
}

/* Two arms and two legs, none of them twice. `path`: of the file that is to blame. */
static hf_status test_limbs(const hf_control_layer* c, const char* path, hf_error* error) {
    const hf_creature_view* v = &c->creature->view;
    const int all[4] = {c->arms[0], c->arms[1], c->legs[0], c->legs[1]};
    for (int i = 0; i < 4; i++) {
        const char *name = i % 2 == HF_RIGHT ? "right" : "left", *what = i < 2 ? "arm" : "leg";
        int joints = joints_of(v, all[i]), most = i < 2 ? HF_CONTROL_ARM : HF_CONTROL_LEG_JOINTS;
        if (joints < LEAST_ARM)
            return hf_fail(error, HF_ERROR_FORMAT, path, 0, "control layer",
                           "the creature has no %s %s with at least %d joints", name, what, LEAST_ARM);
        if (joints > most)
            return hf_fail(error, HF_ERROR_FORMAT, path, 0, "control layer",
                           "the %s %s has %d joints, a control layer has %d", name, what, joints, most);
        for (int k = 0; k < i; k++)
            if (all[k] == all[i])
                return hf_fail(error, HF_ERROR_FORMAT, path, 0, "control layer",
                               "limb \"%.60s\" is two of its arms and legs", v->limbs[all[i]].name);
    }
    return HF_OK;
}

static hf_status find_limbs(hf_control_layer* c, const hf_transform* links, hf_control_file* file,
                            hf_error* error) {
    const hf_creature_view* v = &c->creature->view;
    for (int side = 0; side < 2; side++) {
        c->arms[side] = find_limb(v, links, (hf_side)side, false);
        c->legs[side] = find_limb(v, links, (hf_side)side, true);
    }
    if (file && !hf_control_override_limbs(c, file)) return file->json.status;
    return test_limbs(c, file ? file->json.file : v->path, error);
}

/* ---- controls ---- */

static void add_part(hf_control_layer* c, int control, int joint, double share) {
    hf_control* to = &c->controls[control];
    if (to->part_count < HF_CONTROL_MAX_PARTS)
        c->parts[control][to->part_count++] = (hf_control_part){joint, share};
}

static void add_arm(hf_control_layer* c, hf_side side) {
    const hf_limb* arm = &c->creature->view.limbs[c->arms[side]];
    int clavicle = arm->joint_count - (HF_CONTROL_ARM - HF_ARM_SHOULDER);
    int first = HF_ARM_SHOULDER - (clavicle > 0 ? clavicle : 0);
    for (int k = 0; k < arm->joint_count; k++)
        add_part(c, hf_control_first(side) + first + k, arm->joints[k], 1);
}

/* The control of the spine that a joint belongs to, by its axis at rest; *sign: which way round. */
static int spine_control(const hf_creature_view* v, const hf_transform* links, int joint, double* sign) {
    const hf_joint* j = &v->joints[joint];
    hf_vec3 a = hf_rotate(links[j->child_link].rotation, j->axis);
    double size[3] = {fabs(a.y), fabs(a.x), fabs(a.z)}, way[3] = {a.y, a.x, a.z};
    int most = size[0] >= size[1] ? 0 : 1;
    if (size[2] > size[most]) most = 2;
    *sign = way[most] < 0 ? -1 : 1;
    return HF_CONTROL_SPINE + most;
}

/* How far a joint of the spine can bend forward. */
static double room_of(const hf_joint* j, double sign) { return fmax(sign > 0 ? j->upper : -j->lower, 0); }

/* Vertebrae share a flexion as their limits are, which are widest low in the back, and all else evenly. */
static void share_spine(hf_control_layer* c) {
    for (int k = HF_CONTROL_SPINE; k < HF_CONTROL_LEGS; k++) {
        double total = 0;
        bool bends = k == HF_CONTROL_SPINE;
        for (int i = 0; i < c->controls[k].part_count; i++) {
            hf_control_part* p = &c->parts[k][i];
            double room = bends ? room_of(&c->creature->view.joints[p->joint], p->share) : 1;
            total += isfinite(room) ? room : 1;
        }
        for (int i = 0; i < c->controls[k].part_count && total > 0; i++) {
            hf_control_part* p = &c->parts[k][i];
            double room = bends ? room_of(&c->creature->view.joints[p->joint], p->share) : 1;
            p->share *= (isfinite(room) ? room : 1) / total;
        }
    }
}

static void add_spine(hf_control_layer* c, const hf_transform* links) {
    const hf_creature_view* v = &c->creature->view;
    int link = v->limbs[c->arms[HF_RIGHT]].base_link;
    for (; link > 0; link = v->links[link].parent_link) {
        int joint = v->links[link].joint;
        const hf_joint* j = &v->joints[joint];
        if (j->q_count != 1 || j->mimic >= 0 || j->type == HF_JOINT_PRISMATIC) continue;
        double sign;
        int control = spine_control(v, links, joint, &sign);
        add_part(c, control, joint, sign);
    }
    share_spine(c);
}

/* What the limits of a control's joints leave. */
static void set_range(hf_control_layer* c, int control) {
    hf_control* to = &c->controls[control];
    to->low = to->part_count ? -INFINITY : 0, to->high = to->part_count ? INFINITY : 0;
    for (int i = 0; i < to->part_count; i++) {
        const hf_joint* j = &c->creature->view.joints[c->parts[control][i].joint];
        double share = c->parts[control][i].share;
        if (share == 0) continue;
        double a = j->lower / share, b = j->upper / share;
        to->low = fmax(to->low, fmin(a, b)), to->high = fmin(to->high, fmax(a, b));
    }
    // a continuous joint turns once round
    to->low = fmax(to->low, -3.14159265358979323846), to->high = fmin(to->high, 3.14159265358979323846);
}

static void add_legs(hf_control_layer* c, const hf_transform* links) {
    const hf_creature_view* v = &c->creature->view;
    double hips = 0, feet = 0;
    for (int side = 0; side < 2; side++) {
        const hf_limb* leg = &v->limbs[c->legs[side]];
        hips += hf_apply(links[leg->base_link], leg->base.position).z / 2;
        feet += links[leg->effector_link].position.z / 2;
    }
    c->pitch = PITCH;
    c->controls[HF_CONTROL_LEGS].low = 0;
    c->controls[HF_CONTROL_LEGS].high = (1 - LOWEST_HIPS) * fmax(hips - feet, 0);
}

/* ---- points of the distance ---- */

/* A joint's place, fixed in its child link. */
static hf_control_point joint_point(const hf_creature_view* v, int joint) {
    return (hf_control_point){v->joints[joint].child_link, {0, 0, 0}};
}

/* Two points of a hand, to either side of its middle as far as the wrist is: at the first contact frame where
   there is one. */
static void hand_points(const hf_limb* arm, hf_control_point* to) {
    hf_vec3 middle = arm->contact_count ? arm->contacts[0].offset : hf_v3(0, 0, -0.05);
    hf_vec3 normal = arm->contact_count ? arm->contacts[0].normal : hf_v3(0, 1, 0);
    int link = arm->contact_count ? arm->contacts[0].link : arm->effector_link;
    hf_vec3 side = hf_cross(hf_normalize(middle), normal);
    if (!(hf_length(side) > 0.1)) side = hf_cross(hf_v3(1, 0, 0), normal);
    side = hf_scale(hf_normalize(side), fmax(hf_length(middle), 0.03));
    to[0] = (hf_control_point){link, hf_add(middle, side)};
    to[1] = (hf_control_point){link, hf_sub(middle, side)};
}

static void set_points(hf_control_layer* c) {
    const hf_creature_view* v = &c->creature->view;
    int top = v->limbs[c->arms[HF_RIGHT]].base_link, lowest = 0;
    for (int link = top; link > 0; link = v->links[link].parent_link) lowest = link;
    c->points[0] = (hf_control_point){lowest, {0, 0, 0}};
    c->points[1] = (hf_control_point){top, {0, 0, 0}};
    for (int side = 0; side < 2; side++) {
        const hf_limb* arm = &v->limbs[c->arms[side]];
        hf_control_point* to = &c->points[hf_control_first_point((hf_side)side)];
        int clavicle = arm->joint_count - (HF_CONTROL_ARM - HF_ARM_SHOULDER),
            shoulder = clavicle > 0 ? clavicle : 0;
        to[HF_SHOULDER_POINT] = joint_point(v, arm->joints[shoulder]);
        to[HF_ELBOW_POINT] =
            joint_point(v, arm->joints[shoulder + 3 < arm->joint_count ? shoulder + 3 : shoulder]);
        to[HF_WRIST_POINT] = (hf_control_point){arm->effector_link, {0, 0, 0}};
        hand_points(arm, &to[HF_HAND_POINTS]);
    }
}

/* ---- the whole ---- */

static hf_status fill(hf_control_layer* c, const hf_transform* links, hf_control_file* file) {
    for (int k = 0; k < HF_CONTROL_COUNT; k++)
        c->controls[k] = (hf_control){.name = NAMES[k], .parts = c->parts[k]};
    add_arm(c, HF_RIGHT);
    add_arm(c, HF_LEFT);
    add_spine(c, links);
    if (file && !hf_control_override_joints(c, file)) return file->json.status;
    for (int k = 0; k < HF_CONTROL_LEGS; k++) set_range(c, k);
    add_legs(c, links);
    set_points(c);
    return !file || hf_control_override_ranges(c, file) ? HF_OK : file->json.status;
}

/* The layer in memory that is given. */
static hf_status derive(hf_control_layer* c, hf_control_file* file, hf_error* error) {
    const hf_creature_view* v = &c->creature->view;
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    hf_pose rest = {.q = hf_alloc((size_t)v->q_count + 1, sizeof *rest.q)};
    hf_status status = links && rest.q ? HF_OK : hf_fail_memory(error, v->path);
    if (status == HF_OK) {
        hf_pose_rest(c->creature, &rest);
        hf_forward(c->creature, &rest, links);
        status = find_limbs(c, links, file, error);
    }
    if (status == HF_OK) status = fill(c, links, file);
    hf_free(links);
    hf_free(rest.q);
    return status;
}

hf_status hf_control_layer_create(const hf_creature* creature, const char* path, hf_control_layer** layer,
                                  hf_error* error) {
    HF_REQUIRE(error, creature && layer);
    *layer = NULL;
    if (!path) path = creature->view.control_path;
    hf_control_file file = {0};
    hf_control_layer* c = hf_alloc(1, sizeof *c);
    hf_status status = c ? HF_OK : hf_fail_memory(error, creature->view.path);
    if (c) c->creature = creature;
    if (status == HF_OK && path) status = hf_control_file_read(&file, path, NAMES, HF_CONTROL_COUNT, error);
    if (status == HF_OK) status = derive(c, path ? &file : NULL, error);
    hf_control_file_free(&file);
    if (status == HF_OK)
        *layer = c;
    else
        hf_free(c);
    return status;
}

void hf_control_layer_free(hf_control_layer* layer) { hf_free(layer); }

hf_control hf_control_get(const hf_control_layer* c, int control) { return c->controls[control]; }
int hf_control_arm(const hf_control_layer* c, hf_side side) { return c->arms[side]; }
int hf_control_leg(const hf_control_layer* c, hf_side side) { return c->legs[side]; }

void hf_control_points(const hf_control_layer* c, const hf_transform* links,
                       hf_vec3 points[HF_CONTROL_POINTS]) {
    for (int i = 0; i < HF_CONTROL_POINTS; i++)
        points[i] = hf_apply(links[c->points[i].link], c->points[i].offset);
}
