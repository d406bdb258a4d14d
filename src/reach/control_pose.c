/* From controls to the pose of the whole body, feet fixed, and the derivative of that map. */
#include "reach/control_layer.h"

#include "base/error.h"
#include "base/linear.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

enum {
    SHIFTS =
        2, /* of the pelvis to where the centre of mass stays: a leg's own mass leaves 2 % of the first */
    ITERATIONS = 40 /* of a leg: from standing to a deep squat needs about ten */
};
/* Newton steps of a leg before each shift: what they leave moves the centre of mass by less than a tenth of a
   millimetre, and their number is fixed, so that the pose is a smooth function of the controls. */
static const int STEPS[SHIFTS] = {2, 1};
/* A leg is on its foot when no farther from it: a tenth of what a hold may be off. */
static const double FOOT_M = 1e-5, FOOT_RAD = 1e-4;
/* Newton ends when it is so near: rounding. */
static const double NEAR = 1e-9;
static const double DAMPING = 1e-8;  /* m2: keeps a stretched leg finite */
static const double MOST_TURN = 0.3; /* rad of a joint in one iteration: Newton's model holds no farther */

void hf_control_rest(const hf_control_layer* c, const hf_control_stand* stand,
                     double controls[HF_CONTROL_COUNT]) {
    const hf_creature_view* v = &c->creature->view;
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        bool arm = k < HF_CONTROL_SPINE && c->controls[k].part_count;
        controls[k] = arm ? stand->q[v->joints[c->parts[k][0].joint].q_index] : 0;
    }
}

/* Arms and spine. */
static void turn_joints(const hf_control_layer* c, const double* controls, double* q) {
    const hf_creature_view* v = &c->creature->view;
    for (int k = 0; k < HF_CONTROL_LEGS; k++)
        for (int i = 0; i < c->controls[k].part_count; i++) {
            const hf_control_part* p = &c->parts[k][i];
            double* to = &q[v->joints[p->joint].q_index];
            *to = k < HF_CONTROL_SPINE ? controls[k] : *to + p->share * controls[k];
        }
    hf_pose_follow(c->creature, q);
}

/* ---- legs ---- */

/* What a foot link lacks: shift and turn in the world. */
static void foot_error(hf_transform want, hf_transform now, double e[6]) {
    hf_vec3 shift = hf_sub(want.position, now.position);
    hf_vec3 turn = hf_quat_log(hf_quat_mul(want.rotation, hf_quat_conj(now.rotation)));
    e[0] = shift.x, e[1] = shift.y, e[2] = shift.z, e[3] = turn.x, e[4] = turn.y, e[5] = turn.z;
}

static double size_of(const double* e) { return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]); }

/* step = J^T (J J^T + damping)^-1 e */
static bool newton_step(const double* jacobian, int n, const double e[6], double* step) {
    double a[36], inverse[6], y[6];
    for (int r = 0; r < 6; r++)
        for (int s = 0; s <= r; s++) {
            double sum = r == s ? DAMPING : 0;
            for (int k = 0; k < n; k++) sum += jacobian[r * n + k] * jacobian[s * n + k];
            a[6 * r + s] = sum;
        }
    memcpy(y, e, sizeof y);
    if (!hf_cholesky(a, 6, 6, inverse)) return false;
    hf_cholesky_solve(a, 6, 6, inverse, y);
    for (int k = 0; k < n; k++) {
        step[k] = 0;
        for (int r = 0; r < 6; r++) step[k] += jacobian[r * n + k] * y[r];
    }
    return true;
}

/* Turns the joints of a leg until its foot is where it stands, or by so many steps of Newton's. */
static bool keep_foot(const hf_control_layer* c, int limb, hf_transform want, int steps, hf_transform* links,
                      double* q) {
    const hf_creature_view* v = &c->creature->view;
    const hf_limb* leg = &v->limbs[limb];
    int n = leg->joint_count;
    double jacobian[6 * HF_CONTROL_LEG_JOINTS], step[HF_CONTROL_LEG_JOINTS], e[6] = {0};
    if (n > HF_CONTROL_LEG_JOINTS) return false;
    for (int i = 0; i < (steps ? steps : ITERATIONS); i++) {
        hf_forward_limb(c->creature, limb, q, links);
        foot_error(want, links[leg->effector_link], e);
        if (size_of(e) < NEAR && size_of(e + 3) < NEAR) break;
        hf_limb_jacobian(c->creature, limb, links, links[leg->effector_link].position, 6, jacobian);
        if (!newton_step(jacobian, n, e, step)) return false;
        double most = 0;
        for (int k = 0; k < n; k++) most = fmax(most, fabs(step[k]));
        double share = most > MOST_TURN ? MOST_TURN / most : 1;
        for (int k = 0; k < n; k++) q[v->joints[leg->joints[k]].q_index] += share * step[k];
    }
    hf_forward_from(c->creature, leg->root_link, q, links);
    return steps || (size_of(e) <= FOOT_M && size_of(e + 3) <= FOOT_RAD);
}

/* Joint values of the legs where the pelvis is so much lower, between those that were solved before. */
static void guess_legs(const hf_control_layer* c, const hf_control_stand* s, double lowered, double* q) {
    const hf_creature_view* v = &c->creature->view;
    int most = s->level_count - 1;
    if (most < 1) return;
    double at = fmin(most, fmax(0, lowered / s->level_m));
    int i = at < most ? (int)at : most - 1;
    for (int side = 0; side < 2; side++) {
        const hf_limb* leg = &v->limbs[c->legs[side]];
        const double *a = s->legs[i][side], *b = s->legs[i + 1][side];
        for (int k = 0; k < leg->joint_count && k < HF_CONTROL_LEG_JOINTS; k++)
            q[v->joints[leg->joints[k]].q_index] = a[k] + (at - i) * (b[k] - a[k]);
    }
}

/* ---- the pelvis ---- */

/* A leg that stands bent may stretch so far, as a share of its longest: near that a knee turns
   quickly for little. */
static const double STRETCH = 0.97;
/* A leg that a limit of its knee keeps from bending stays longer by that, m. */
static const double SPARE_M = 1e-4;

/* Of the joints of a leg the knee: the one that is far from both ends. */
static int knee_of(const hf_creature_view* v, const hf_limb* leg, const hf_transform* links) {
    hf_vec3 hip = links[v->joints[leg->joints[0]].child_link].position,
            foot = links[leg->effector_link].position;
    double most = -1;
    int knee = 0;
    for (int k = 0; k < leg->joint_count; k++) {
        hf_vec3 at = links[v->joints[leg->joints[k]].child_link].position;
        double lever = fmin(hf_distance(hip, at), hf_distance(foot, at));
        if (lever > most) most = lever, knee = k;
    }
    return knee;
}

/* The hip of a leg, which is the last joint before the knee, and how far the foot can be from it while the
   knee turns from one of its limits to the other. links are those of the stand. */
static void measure_leg(const hf_control_layer* c, int side, const hf_transform* links, const double* q,
                        hf_control_stand* stand) {
    enum { LOOKS = 64 };
    const hf_creature_view* v = &c->creature->view;
    const hf_limb* leg = &v->limbs[c->legs[side]];
    int knee = knee_of(v, leg, links);
    const hf_joint* j = &v->joints[leg->joints[knee]];
    hf_transform shank = links[j->child_link];
    hf_vec3 hip = links[v->joints[leg->joints[knee > 0 ? knee - 1 : 0]].child_link].position,
            ankle = links[v->joints[leg->joints[leg->joint_count - 1]].child_link].position;
    double now = hf_distance(hip, ankle), least = now, most = now;
    // one way it bends further; the other way it becomes straight, and bends the wrong way after that
    for (int end = 0; end < 2 && j->type == HF_JOINT_REVOLUTE; end++) {
        double range = (end ? j->upper : j->lower) - q[j->q_index], before = now;
        for (int i = 1; i <= LOOKS; i++) {
            hf_quat by = hf_quat_axis_angle(hf_rotate(shank.rotation, j->axis), range * i / LOOKS);
            double far =
                hf_distance(hip, hf_add(shank.position, hf_rotate(by, hf_sub(ankle, shank.position))));
            if (far < before && before > now) break;
            least = fmin(least, far), most = fmax(most, far), before = far;
        }
    }
    stand->hip[side] = hf_sub(hip, stand->root.position);
    stand->ankle[side] = ankle;
    stand->short_m[side] = fmin(now, least + SPARE_M);
    stand->leg_m[side] = fmax(now, STRETCH * most);
}

void hf_control_stand_set(const hf_control_layer* c, const hf_pose* pose, hf_transform* links,
                          hf_control_stand* stand) {
    hf_forward(c->creature, pose, links);
    stand->root = pose->root;
    stand->q = pose->q;
    stand->com = hf_com(c->creature, links);
    stand->level_count = 0;
    for (int side = 0; side < 2; side++) {
        stand->foot[side] = links[c->creature->view.limbs[c->legs[side]].effector_link];
        measure_leg(c, side, links, pose->q, stand);
    }
}

/* The height of the root, at this place, with which a leg is so long. hip: from the root. */
static double root_height(hf_vec3 hip, hf_vec3 ankle, hf_vec3 root, double leg_m) {
    double dx = root.x + hip.x - ankle.x, dy = root.y + hip.y - ankle.y;
    return ankle.z + sqrt(fmax(leg_m * leg_m - dx * dx - dy * dy, 0)) - hip.z;
}

/* The nearest height of the root, at this place, with which no leg is shorter than it can be and, before all,
   none longer. hips: from the root. */
static double keep_height(const hf_control_stand* s, const hf_vec3 hips[2], hf_vec3 root, double height) {
    for (int side = 0; side < 2; side++)
        height = fmax(height, root_height(hips[side], s->ankle[side], root, s->short_m[side]));
    for (int side = 0; side < 2; side++)
        height = fmin(height, root_height(hips[side], s->ankle[side], root, s->leg_m[side]));
    return height;
}

/* Moves the root and all links with it. */
static void shift(const hf_control_layer* c, hf_vec3 by, hf_pose* pose, hf_transform* links) {
    pose->root.position = hf_add(pose->root.position, by);
    for (int l = 0; l < c->creature->view.link_count; l++) links[l].position = hf_add(links[l].position, by);
}

bool hf_control_pose(const hf_control_layer* c, const hf_control_stand* stand,
                     const double controls[HF_CONTROL_COUNT], hf_pose* pose, hf_transform* links) {
    memcpy(pose->q, stand->q, sizeof(double) * (size_t)c->creature->view.q_count);
    turn_joints(c, controls, pose->q);
    pose->root = stand->root;
    double pitch = c->pitch * controls[HF_CONTROL_LEGS];
    pose->root.rotation = hf_quat_mul(stand->root.rotation, hf_quat_axis_angle(hf_v3(0, 1, 0), pitch));
    hf_quat turn = hf_quat_mul(pose->root.rotation, hf_quat_conj(stand->root.rotation));
    hf_vec3 hips[2] = {hf_rotate(turn, stand->hip[0]), hf_rotate(turn, stand->hip[1])};
    hf_forward(c->creature, pose, links);
    bool kept = true;
    hf_vec3 by = {0, 0, 0};
    for (int i = 0; i <= SHIFTS && kept; i++) {
        hf_vec3 to = hf_add(pose->root.position, by);
        to.z = keep_height(stand, hips, to, stand->root.position.z - controls[HF_CONTROL_LEGS]);
        shift(c, hf_sub(to, pose->root.position), pose, links);
        if (i == 0) guess_legs(c, stand, stand->root.position.z - to.z, pose->q);
        int steps = i < SHIFTS && stand->level_count ? STEPS[i] : 0;
        for (int side = 0; side < 2 && kept; side++)
            kept = keep_foot(c, c->legs[side], stand->foot[side], steps, links, pose->q);
        by = hf_sub(stand->com, hf_com(c->creature, links));
        by.z = 0;
    }
    return kept;
}

void hf_control_stand_learn(const hf_control_layer* c, hf_pose* pose, hf_transform* links,
                            hf_control_stand* stand) {
    const hf_creature_view* v = &c->creature->view;
    hf_control_stand plain = *stand;
    double controls[HF_CONTROL_COUNT];
    plain.level_count = 0;
    hf_control_rest(c, stand, controls);
    stand->level_m = c->controls[HF_CONTROL_LEGS].high / (HF_CONTROL_LEVELS - 1);
    for (int i = 0; i < HF_CONTROL_LEVELS && stand->level_m > 0; i++) {
        controls[HF_CONTROL_LEGS] = i * stand->level_m;
        if (!hf_control_pose(c, &plain, controls, pose, links)) break;
        for (int side = 0; side < 2; side++) {
            const hf_limb* leg = &v->limbs[c->legs[side]];
            for (int k = 0; k < leg->joint_count; k++)
                stand->legs[i][side][k] = pose->q[v->joints[leg->joints[k]].q_index];
        }
        stand->level_count = i + 1;
    }
}

/* ---- derivative ---- */

/* By central differences of the map over 1e-5: legs hold to 1e-9, so that four digits are right. */
hf_status hf_control_derivative(const hf_control_layer* c, const hf_control_stand* stand,
                                const double controls[HF_CONTROL_COUNT], hf_workspace* workspace,
                                double* derivative) {
    static const double STEP = 1e-5;
    HF_REQUIRE(NULL, c && stand && controls && workspace && derivative);
    const hf_creature_view* v = &c->creature->view;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_transform* links = hf_workspace_take(workspace, (size_t)v->link_count, sizeof *links);
    hf_pose a = {.q = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof(double))};
    hf_pose b = {.q = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof(double))};
    double* speed = hf_workspace_take(workspace, (size_t)v->v_count, sizeof *speed);
    hf_status status = links && a.q && b.q && speed ? HF_OK : HF_ERROR_MEMORY;
    for (int k = 0; k < HF_CONTROL_COUNT && status == HF_OK; k++) {
        double x[HF_CONTROL_COUNT];
        memcpy(x, controls, sizeof x);
        x[k] = controls[k] - STEP;
        hf_control_pose(c, stand, x, &a, links);
        x[k] = controls[k] + STEP;
        hf_control_pose(c, stand, x, &b, links);
        hf_pose_difference(c->creature, &a, &b, speed);
        for (int r = 0; r < v->v_count; r++) derivative[r * HF_CONTROL_COUNT + k] = speed[r] / (2 * STEP);
    }
    hf_workspace_end(workspace, mark);
    return status;
}
