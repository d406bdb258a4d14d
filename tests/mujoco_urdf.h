/* A creature's own URDF as MuJoCo can take it: without shapes and mimic, with a free root. MuJoCo then reads
   origins, axes and inertials by itself, so that our reader is judged too. */
#ifndef HF_TESTS_MUJOCO_URDF_H
#define HF_TESTS_MUJOCO_URDF_H

#include <holdfast/holdfast.h>

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts every piece from `open` to `close` out of the text. */
static inline void mujoco_cut(char* text, const char* open, const char* close) {
    for (char* at = text; (at = strstr(at, open));) {
        char* end = strstr(at, close);
        if (!end) return;
        memmove(at, end + strlen(close), strlen(end + strlen(close)) + 1);
    }
}

/* Cuts elements that may end in "/>" or in their own closing tag. */
static inline void mujoco_cut_element(char* text, const char* name) {
    char open[64], close[64];
    snprintf(open, sizeof open, "<%s", name);
    snprintf(close, sizeof close, "</%s>", name);
    for (char* at = text; (at = strstr(at, open));) {
        char after = at[strlen(open)];
        char* tag = strchr(at, '>');
        if (!tag) return;
        if (after != ' ' && after != '>' && after != '/' && after != '\n' && after != '\t') {
            at = tag;
            continue;
        }
        char* end = tag[-1] == '/' ? tag + 1 : strstr(at, close);
        if (!end) return;
        if (tag[-1] != '/') end += strlen(close);
        memmove(at, end, strlen(end) + 1);
    }
}

/* Takes out the joint that moves `link`, the link above it, and so on: roots that our loader absorbs. */
static inline void mujoco_cut_above(char* text, const char* link) {
    char child[600], parent[512];
    snprintf(child, sizeof child, "<child link=\"%s\"", link);
    for (char* at; (at = strstr(text, child));) {
        char *start = at, *end = strstr(at, "</joint>");
        while (start > text && strncmp(start, "<joint", 6) != 0) start--;
        char* above = strstr(start, "<parent link=\"");
        if (!end || !above || sscanf(above, "<parent link=\"%511[^\"]", parent) != 1) return;
        memmove(start, end + 8, strlen(end + 8) + 1);
        char open[600];
        snprintf(open, sizeof open, "<link name=\"%s\"", parent);
        char* element = strstr(text, open);
        char* tag = element ? strchr(element, '>') : NULL;
        if (!tag) return;
        end = tag[-1] == '/' ? tag + 1 : strstr(tag, "</link>") + 7;
        memmove(element, end, strlen(end) + 1);
        snprintf(child, sizeof child, "<child link=\"%s\"", parent);
    }
}

static inline char* mujoco_read(const char* path) {
    FILE* f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char* text = calloc((size_t)size + 1, 1);
    size_t got = text ? fread(text, 1, (size_t)size, f) : 0;
    fclose(f);
    if (got != (size_t)size) {
        free(text);
        return NULL;
    }
    return text;
}

/* Loads the creature's URDF into MuJoCo by way of the file `temporary`. NULL with a message on failure. */
static inline mjModel* mujoco_load(const hf_creature* creature, const char* temporary, char* message,
                                   int message_size) {
    const hf_creature_view* view = hf_creature_get(creature);
    char* text = mujoco_read(view->urdf_path);
    char* robot = text ? strstr(text, "<robot") : NULL;
    char* inside = robot ? strchr(robot, '>') : NULL;
    FILE* f = inside ? fopen(temporary, "wb") : NULL;
    if (!f) {
        snprintf(message, (size_t)message_size, "%s or %s cannot be opened", view->urdf_path, temporary);
        free(text);
        return NULL;
    }
    mujoco_cut(text, "<!--", "-->");
    static const char* const unwanted[] = {
        "collision", "visual", "mimic", "transmission", "gazebo", "material", "safety_controller", "limit"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) mujoco_cut_element(text, unwanted[i]);
    mujoco_cut_above(text, view->links[0].name);
    inside = strchr(strstr(text, "<robot"), '>') + 1;
    fprintf(f,
            "<robot name='oracle'><mujoco><compiler fusestatic='false' discardvisual='true' strippath='true' "
            "balanceinertia='false' inertiafromgeom='false'/></mujoco>"
            "<link name='world'/><joint name='free root' type='floating'><parent link='world'/>"
            "<child link='%s'/></joint>%s",
            view->links[0].name, inside);
    fclose(f);
    free(text);
    mjModel* model = mj_loadXML(temporary, NULL, message, message_size);
    if (model) model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE;
    return model;
}

/* MuJoCo's free joint has its angular speeds in the body's axes, ours in the world's. */
static inline void mujoco_set(const hf_creature* creature, const mjModel* m, mjData* d, const hf_pose* pose,
                              const double* v, const double* a) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_quat q = pose->root.rotation;
    const double root[7] = {
        pose->root.position.x, pose->root.position.y, pose->root.position.z, q.w, q.x, q.y, q.z};
    memcpy(d->qpos, root, sizeof root);
    const double* from[2] = {v, a};
    double* to[2] = {d->qvel, d->qacc};
    for (int k = 0; k < 2; k++) {
        hf_vec3 turn = hf_unrotate(q, hf_v3(from[k][3], from[k][4], from[k][5]));
        memcpy(to[k], from[k], 3 * sizeof(double));
        to[k][3] = turn.x, to[k][4] = turn.y, to[k][5] = turn.z;
    }
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        if (joint->q_count != 1) continue;
        int id = mj_name2id(m, mjOBJ_JOINT, joint->name);
        double scale = joint->mimic >= 0 ? joint->multiplier : 1;
        int speed = joint->mimic >= 0 ? view->joints[joint->mimic].v_index : joint->v_index;
        d->qpos[m->jnt_qposadr[id]] = pose->q[joint->q_index];
        d->qvel[m->jnt_dofadr[id]] = scale * v[speed];
        d->qacc[m->jnt_dofadr[id]] = scale * a[speed];
    }
}

/* MuJoCo's generalised forces in our layout: a follower's add to its master's. */
static inline void mujoco_forces(const hf_creature* creature, const mjModel* m, const hf_pose* pose,
                                 const double* theirs, double* ours) {
    const hf_creature_view* view = hf_creature_get(creature);
    memset(ours, 0, (size_t)view->v_count * sizeof *ours);
    memcpy(ours, theirs, 3 * sizeof *ours);
    hf_vec3 torque = hf_rotate(pose->root.rotation, hf_v3(theirs[3], theirs[4], theirs[5]));
    ours[3] = torque.x, ours[4] = torque.y, ours[5] = torque.z;
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        if (joint->q_count != 1) continue;
        double force = theirs[m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, joint->name)]];
        if (joint->mimic >= 0)
            ours[view->joints[joint->mimic].v_index] += joint->multiplier * force;
        else
            ours[joint->v_index] += force;
    }
}

#endif
