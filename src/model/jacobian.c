/* Geometric Jacobians of points and of the centre of mass, world axes. */
#include <holdfast/kinematics.h>

#include "base/assert.h"
#include "model/creature.h"
#include "model/creature_draft.h"
#include "model/kinematic_tree.h"

#include <string.h>

/* A row-major matrix of 3 (linear) or 6 (linear, angular) rows that is being filled. */
typedef struct matrix {
    double* values;
    int rows, columns;
} matrix;

static inline void add_column(matrix m, int column, double scale, hf_vec3 linear, hf_vec3 angular) {
    double* c = &m.values[column];
    size_t n = (size_t)m.columns;
    c[0] += scale * linear.x, c[n] += scale * linear.y, c[2 * n] += scale * linear.z;
    if (m.rows == 6)
        c[3 * n] += scale * angular.x, c[4 * n] += scale * angular.y, c[5 * n] += scale * angular.z;
}

static const hf_vec3 NONE = {0, 0, 0};

/* Three columns of shifts along the axes of `frame`, or of turns about them through `centre`. */
static void add_shifts(matrix m, int column, hf_quat frame, double scale) {
    for (int i = 0; i < 3; i++)
        add_column(m, column + i, scale, hf_rotate(frame, hf_v3(i == 0, i == 1, i == 2)), NONE);
}
static void add_turns(matrix m, int column, hf_quat frame, hf_vec3 arm, double scale) {
    for (int i = 0; i < 3; i++) {
        hf_vec3 axis = hf_rotate(frame, hf_v3(i == 0, i == 1, i == 2));
        add_column(m, column + i, scale, hf_cross(axis, arm), axis);
    }
}

/* How the joint above `link` moves a point fixed beyond it, at first column `column`; `scale` weighs the
   columns. */
static void add_joint(const hf_kinematic_tree* tree, const hf_transform* links, int link, hf_vec3 point,
                      int column, double scale, matrix m) {
    const hf_node* n = &tree->nodes[link];
    const hf_transform* t = &links[link];
    hf_vec3 arm = hf_sub(point, t->position);
    if (n->motion == HF_MOVE_TURN) {
        hf_vec3 axis = hf_rotate(t->rotation, n->axis);
        add_column(m, column, scale * n->multiplier, hf_cross(axis, arm), axis);
    } else if (n->motion == HF_MOVE_SLIDE) {
        add_column(m, column, scale * n->multiplier, hf_rotate(t->rotation, n->axis), NONE);
    } else {
        hf_quat frame = hf_quat_mul(links[n->parent].rotation, n->origin.rotation);
        if (n->motion == HF_MOVE_FLOAT) {
            add_shifts(m, column, frame, scale);
            add_turns(m, column + 3, frame, arm, scale);
        } else {
            hf_vec3 first, second, axis = hf_rotate(frame, n->axis);
            hf_plane_directions(n->axis, &first, &second);
            add_column(m, column, scale, hf_rotate(frame, first), NONE);
            add_column(m, column + 1, scale, hf_rotate(frame, second), NONE);
            add_column(m, column + 2, scale, hf_cross(axis, arm), axis);
        }
    }
}

/* First column of the limb joint that owns this speed, -1 for none. */
static int limb_column(const hf_creature_view* view, const hf_limb* limb, int v) {
    int column = 0;
    for (int i = 0; i < limb->joint_count; i++) {
        const hf_joint* joint = &view->joints[limb->joints[i]];
        if (joint->v_index == v) return column;
        column += joint->v_count;
    }
    return -1;
}

void hf_limb_jacobian(const hf_creature* creature, int limb, const hf_transform* links, hf_vec3 point,
                      int rows, double* jacobian) {
    HF_ASSERT(limb >= 0 && limb < creature->view.limb_count && (rows == 3 || rows == 6));
    const hf_creature_view* view = &creature->view;
    const hf_kinematic_tree* tree = creature->tree;
    const hf_limb* l = &view->limbs[limb];
    int columns = 0;
    for (int i = 0; i < l->joint_count; i++) columns += view->joints[l->joints[i]].v_count;
    matrix m = {jacobian, rows, columns};
    memset(jacobian, 0, (size_t)rows * (size_t)columns * sizeof *jacobian);
    /* From effector to trunk the joints are those of the limb backwards, but for mimic ones. */
    int next = l->joint_count - 1, column = columns;
    for (int link = l->effector_link; link > 0 && link != l->base_link; link = tree->nodes[link].parent) {
        const hf_node* n = &tree->nodes[link];
        if (n->motion == HF_MOVE_FIXED || n->v < 0) continue;
        int at = -1;
        if (next >= 0 && view->links[link].joint == l->joints[next])
            at = column -= view->joints[l->joints[next--]].v_count;
        else
            at = limb_column(view, l, n->v);
        if (at >= 0) add_joint(tree, links, link, point, at, 1, m);
    }
}

/* Adds scale times the Jacobian of a point of `link` over all speeds. */
static void add_point(const hf_kinematic_tree* tree, const hf_transform* links, int link, hf_vec3 point,
                      double scale, matrix m) {
    for (; link > 0; link = tree->nodes[link].parent) {
        const hf_node* n = &tree->nodes[link];
        if (n->motion != HF_MOVE_FIXED && n->v >= 0) add_joint(tree, links, link, point, n->v, scale, m);
    }
    add_shifts(m, 0, hf_quat_identity(), scale);
    add_turns(m, 3, hf_quat_identity(), hf_sub(point, links[0].position), scale);
}

void hf_point_jacobian(const hf_creature* creature, const hf_transform* links, int link, hf_vec3 point,
                       int rows, double* jacobian) {
    HF_ASSERT(link >= 0 && link < creature->view.link_count && (rows == 3 || rows == 6));
    matrix m = {jacobian, rows, creature->view.v_count};
    memset(jacobian, 0, (size_t)rows * (size_t)m.columns * sizeof *jacobian);
    add_point(creature->tree, links, link, point, 1, m);
}

void hf_jacobian_gram(const double* jacobian, int columns, double gram[6]) {
    const double *x = jacobian, *y = x + columns, *z = y + columns;
    memset(gram, 0, 6 * sizeof *gram);
    for (int i = 0; i < columns; i++) {
        gram[0] += x[i] * x[i], gram[1] += y[i] * y[i], gram[2] += z[i] * z[i];
        gram[3] += x[i] * y[i], gram[4] += x[i] * z[i], gram[5] += y[i] * z[i];
    }
}

void hf_com_jacobian(const hf_creature* creature, const hf_transform* links, double* jacobian) {
    const hf_kinematic_tree* tree = creature->tree;
    matrix m = {jacobian, 3, creature->view.v_count};
    memset(jacobian, 0, 3 * (size_t)m.columns * sizeof *jacobian);
    if (!(tree->mass > 0)) {
        add_shifts(m, 0, hf_quat_identity(), 1);
        return;
    }
    /* Mass and moment of everything beyond each segment: a joint moves it as one body. */
    struct {
        double mass;
        hf_vec3 moment;
    } beyond[HF_MAX_LINKS];
    for (int i = 0; i < tree->segment_count; i++) {
        const hf_segment* s = &tree->segments[i];
        const hf_transform* t = &links[s->link];
        beyond[i].mass = s->mass;
        beyond[i].moment = hf_add(hf_scale(t->position, s->mass), hf_rotate(t->rotation, s->moment));
    }
    for (int i = tree->segment_count - 1; i > 0; i--) {
        const hf_segment* s = &tree->segments[i];
        beyond[s->parent].mass += beyond[i].mass;
        beyond[s->parent].moment = hf_add(beyond[s->parent].moment, beyond[i].moment);
        if (!(beyond[i].mass > 0) || s->v < 0) continue;
        hf_vec3 com = hf_scale(beyond[i].moment, 1 / beyond[i].mass);
        add_joint(tree, links, s->link, com, s->v, beyond[i].mass / tree->mass, m);
    }
    add_shifts(m, 0, hf_quat_identity(), 1);
    hf_vec3 com = hf_scale(beyond[0].moment, 1 / tree->mass);
    add_turns(m, 3, hf_quat_identity(), hf_sub(com, links[0].position), 1);
}
