/* The smooth curve of a motion (hf_trajectory_make), row by row in MuJoCo's layout. */
#include "target.h"

#include "stop.h"

#include <stdlib.h>
#include <string.h>

void target_make(target* t, const hf_motion* motion, const hf_creature* creature, const mjModel* model,
                 double step_s) {
    hf_workspace* workspace = NULL;
    hf_error error = {0};
    hf_trajectory_options options = hf_trajectory_options_default();
    options.rate = 1 / step_s;
    *t = (target){.creature = creature, .model = model};
    if (hf_workspace_create(&workspace) != HF_OK) stop("out of memory");
    stop_unless(hf_trajectory_make(motion, creature, NULL, &options, workspace, &t->rows, &error), &error);
    hf_workspace_free(workspace);
    t->qpos = calloc((size_t)model->nq, sizeof(double));
    t->qvel = calloc((size_t)model->nv, sizeof(double));
    t->qacc = calloc((size_t)model->nv, sizeof(double));
    t->data = mj_makeData(model);
    if (!t->qpos || !t->qvel || !t->qacc || !t->data) stop("out of memory");
}

void target_free(target* t) {
    hf_trajectory_free(t->rows);
    mj_deleteData(t->data);
    free(t->qpos), free(t->qvel), free(t->qacc);
    *t = (target){0};
}

/* A follower goes as fast as what it follows times its multiplier. */
static double followed(const hf_creature_view* c, const hf_joint* joint, const double* speeds) {
    double scale = 1;
    for (; joint->mimic >= 0; joint = &c->joints[joint->mimic]) scale *= joint->multiplier;
    return scale * speeds[joint->v_index];
}

/* Bodies and their speeds; MuJoCo's turn of the root is in its own axes. */
static void place_bodies(target* t) {
    double back[4];
    mju_copy(t->data->qpos, t->qpos, t->model->nq);
    mju_copy(t->data->qvel, t->qvel, t->model->nv);
    mju_negQuat(back, t->qpos + 3);
    mju_rotVecQuat(t->data->qvel + 3, t->qvel + 3, back);
    mj_kinematics(t->model, t->data);
    mj_comPos(t->model, t->data);
    mj_comVel(t->model, t->data);
}

static hf_vec3 three(const double* v) { return hf_v3(v[0], v[1], v[2]); }

/* Columns: time, root (place and quaternion), joints, speeds, accelerations, centre of mass with speed and
   acceleration, momentum and angular momentum, force and moment of the whole wrench. */
void target_at(target* t, int row) {
    const hf_creature_view* c = hf_creature_get(t->creature);
    if (row >= t->rows->row_count) row = t->rows->row_count - 1;
    const double* values = t->rows->values + (size_t)row * (size_t)t->rows->column_count;
    const double *q = values + 8, *v = q + c->q_count, *a = v + c->v_count, *whole = a + c->v_count;
    memcpy(t->qpos, values + 1, 7 * sizeof(double));
    memcpy(t->qvel, v, 6 * sizeof(double));
    memcpy(t->qacc, a, 6 * sizeof(double));
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        if (joint->q_count != 1) continue;
        int id = mj_name2id(t->model, mjOBJ_JOINT, joint->name), dof = t->model->jnt_dofadr[id];
        t->qpos[t->model->jnt_qposadr[id]] = q[joint->q_index];
        t->qvel[dof] = followed(c, joint, v);
        t->qacc[dof] = followed(c, joint, a);
    }
    t->com = three(whole), t->com_speed = three(whole + 3), t->com_rate = three(whole + 6);
    t->momentum_turn = three(whole + 12), t->moment = three(whole + 18);
    place_bodies(t);
}

hf_vec3 target_point_speed(const target* t, int body, const mjData* now, const double point[3]) {
    double off[3], in_body[3], at[3];
    mju_sub3(off, point, now->xpos + 3 * body);
    mju_rotVecMatT(in_body, off, now->xmat + 9 * body);
    mju_rotVecMat(at, in_body, t->data->xmat + 9 * body);
    mju_addTo3(at, t->data->xpos + 3 * body);
    hf_vec3 arm = hf_sub(three(at), three(t->data->subtree_com + 3 * t->model->body_rootid[body]));
    const double* speed = t->data->cvel + 6 * body;
    return hf_add(three(speed + 3), hf_cross(three(speed), arm));
}
