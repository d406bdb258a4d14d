/* The compact chain of one limb. */
#include "solve/limb_chain.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

static void mat3_product(const double* restrict a, const double* restrict b, double* restrict out) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

/* Orthonormal frame whose z is the axis (Duff et al. 2017, no square root). */
static void frame_of_axis(hf_vec3 a, double* m) {
    double sign = copysign(1.0, a.z), s = -1.0 / (sign + a.z), t = a.x * a.y * s;
    double frame[9] = {
        1 + sign * a.x * a.x * s, t, a.x, sign * t, sign + a.y * a.y * s, a.y, -sign * a.x, -a.y, a.z};
    memcpy(m, frame, sizeof frame);
}

static void transpose3(const double* m, double* out) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out[3 * c + r] = m[3 * r + c];
}

/* A rigid transform as a matrix that grows joint by joint. */
typedef struct placing {
    double rotation[9], position[3];
} placing;

static const placing no_placing = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static void place_after(placing* a, const double* rotation, hf_vec3 p) {
    double product[9];
    for (int r = 0; r < 3; r++)
        a->position[r] +=
            a->rotation[3 * r] * p.x + a->rotation[3 * r + 1] * p.y + a->rotation[3 * r + 2] * p.z;
    mat3_product(a->rotation, rotation, product);
    memcpy(a->rotation, product, sizeof product);
}

static void place_transform(placing* a, hf_transform t) {
    hf_mat3 m = hf_quat_matrix(t.rotation);
    place_after(a, m.m, t.position);
}

/* A joint that nothing moves here, at the value it has (`several`: its own values in q). */
static void place_constant(placing* a, const hf_joint* j, double value, const double* several) {
    if (j->type == HF_JOINT_REVOLUTE || j->type == HF_JOINT_CONTINUOUS) {
        place_transform(a, (hf_transform){{0, 0, 0}, hf_quat_axis_angle(j->axis, value)});
    } else if (j->type == HF_JOINT_PRISMATIC) {
        place_transform(a, (hf_transform){hf_scale(j->axis, value), {1, 0, 0, 0}});
    } else if (j->type == HF_JOINT_FLOATING) {
        hf_quat r = hf_quat_normalize((hf_quat){several[3], several[4], several[5], several[6]});
        place_transform(a, (hf_transform){{several[0], several[1], several[2]}, r});
    } else if (j->type == HF_JOINT_PLANAR) {
        hf_quat r = hf_quat_between(hf_v3(0, 0, 1), j->axis);
        hf_vec3 shift = hf_rotate(r, hf_v3(several[0], several[1], 0));
        place_transform(a, (hf_transform){shift, hf_quat_axis_angle(j->axis, several[2])});
    }
}

/* The joints that move the touching point: the limb's, and those of a toe or finger that touches. */
typedef struct own_joints {
    int count;
    int* items;
} own_joints;

static int place_of(const own_joints* own, int joint) {
    for (int i = 0; i < own->count; i++)
        if (own->items[i] == joint) return i;
    return -1;
}

/* path: joints from the touching link inwards. */
static void list_own(const hf_creature_view* v, const hf_limb* limb, const int* path, int path_count,
                     bool bends, own_joints* own) {
    for (int i = 0; i < limb->joint_count; i++) own->items[own->count++] = limb->joints[i];
    for (int k = path_count - 1; k >= 0 && bends && limb->joint_count > 0; k--)
        if (v->joints[path[k]].v_count > 0 && place_of(own, path[k]) < 0) own->items[own->count++] = path[k];
}

/* A mimic joint narrows what its master may take. */
static void narrow_by_mimic(const hf_creature_view* v, const own_joints* own, int joint, const int* columns,
                            hf_limb_chain* chain) {
    int master;
    double low, high;
    if (!hf_mimic_range(v, joint, &master, &low, &high) || place_of(own, master) < 0) return;
    int c = columns[place_of(own, master)];
    low = fmax(low, chain->lower[c]), high = fmin(high, chain->upper[c]);
    if (low <= high) chain->lower[c] = low, chain->upper[c] = high;
    chain->wraps[c] = false;
}

/* The joints give values and columns, in their order. */
static void list_columns(const hf_creature_view* v, const own_joints* own, int* values, int* columns,
                         hf_limb_chain* chain) {
    for (int i = 0; i < own->count; i++) {
        const hf_joint* j = &v->joints[own->items[i]];
        values[i] = chain->value_count, columns[i] = chain->column_count;
        for (int k = 0; k < j->q_count; k++) chain->q_index[chain->value_count++] = j->q_index + k;
        for (int k = 0; k < j->v_count; k++) {
            int c = chain->column_count++;
            chain->lower[c] = j->v_count == 1 ? j->lower : -INFINITY;
            chain->upper[c] = j->v_count == 1 ? j->upper : INFINITY;
            chain->column_value[c] = k < 3 ? values[i] + k : -1;
            chain->wraps[c] = hf_joint_turns_round(j);
        }
        if (j->v_count != 1) chain->plain = false;
    }
    for (int j = 0; j < v->joint_count; j++)
        if (v->joints[j].mimic >= 0) narrow_by_mimic(v, own, j, columns, chain);
}

/* How far a moving joint can carry what lies behind it. */
static double travel_of(const hf_joint* j, double multiplier, double offset, double lower, double upper) {
    if (j->type == HF_JOINT_PLANAR || j->type == HF_JOINT_FLOATING) return INFINITY;
    if (j->type != HF_JOINT_PRISMATIC) return 0;
    return fmax(fabs(multiplier * lower + offset), fabs(multiplier * upper + offset));
}

static void add_step(hf_limb_chain* chain, placing* pending, const hf_joint* j, int value, int column,
                     double multiplier, double offset) {
    double align[9], back[9];
    hf_chain_step* step = &chain->steps[chain->step_count++];
    if (j->type == HF_JOINT_FLOATING) {
        memcpy(align, no_placing.rotation, sizeof align);
    } else if (j->type == HF_JOINT_PLANAR) {
        /* The plane's two directions are X and Y turned the shortest way that takes Z to the axis. */
        hf_mat3 m = hf_quat_matrix(hf_quat_between(hf_v3(0, 0, 1), j->axis));
        memcpy(align, m.m, sizeof align);
    } else {
        frame_of_axis(j->axis, align);
    }
    mat3_product(pending->rotation, align, step->rotation);
    memcpy(step->position, pending->position, sizeof step->position);
    step->kind = j->type == HF_JOINT_PRISMATIC  ? HF_CHAIN_SLIDE
                 : j->type == HF_JOINT_PLANAR   ? HF_CHAIN_PLANAR
                 : j->type == HF_JOINT_FLOATING ? HF_CHAIN_FLOATING
                                                : HF_CHAIN_TURN;
    step->value = value, step->column = column;
    step->multiplier = multiplier, step->offset = offset;
    /* What follows is given in the joint's own axes again. */
    *pending = no_placing;
    transpose3(align, back);
    memcpy(pending->rotation, back, sizeof back);
    double p[3] = {step->position[0], step->position[1], step->position[2]};
    if (chain->step_count == 1)
        chain->anchor = hf_v3(p[0], p[1], p[2]);
    else
        chain->reach += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

static void walk(const hf_creature_view* v, const own_joints* own, const int* path, int path_count,
                 const int* values, const int* columns, const double* q, hf_limb_chain* chain,
                 placing* pending) {
    for (int k = path_count - 1; k >= 0; k--) {
        const hf_joint* j = &v->joints[path[k]];
        double multiplier, offset;
        int master = hf_joint_master(v, path[k], &multiplier, &offset), place = place_of(own, master);
        place_transform(pending, j->origin);
        if (j->type == HF_JOINT_FIXED) continue;
        if (place < 0) {
            place_constant(pending, j, multiplier * q[v->joints[master].q_index] + offset, q + j->q_index);
            continue;
        }
        if (master != path[k]) chain->shared = true;
        int c = columns[place];
        chain->reach += travel_of(j, multiplier, offset, chain->lower[c], chain->upper[c]);
        add_step(chain, pending, j, values[place], c, multiplier, offset);
    }
}

hf_status hf_limb_chain_build(const hf_creature* creature, int limb_index, int contact, bool bends,
                              const double* q, hf_workspace* workspace, hf_limb_chain* chain) {
    const hf_creature_view* v = &creature->view;
    const hf_limb* limb = &v->limbs[limb_index];
    memset(chain, 0, sizeof *chain);
    chain->plain = true;

    /* Joints from the touching link up to the base link. */
    int end = contact >= 0 ? limb->contacts[contact].link : limb->effector_link, path_count = 0;
    for (int l = end; l != limb->base_link && v->links[l].joint >= 0; l = v->links[l].parent_link)
        path_count++;
    int* path = hf_workspace_take(workspace, (size_t)path_count + 1, sizeof(int));
    own_joints own = {
        .items = hf_workspace_take(workspace, (size_t)(limb->joint_count + path_count) + 1, sizeof(int))};
    if (!path || !own.items) return HF_ERROR_MEMORY;
    int n = 0;
    for (int l = end; l != limb->base_link && v->links[l].joint >= 0; l = v->links[l].parent_link)
        path[n++] = v->links[l].joint;
    list_own(v, limb, path, path_count, bends, &own);
    int room = 1, columns_room = 1;
    for (int i = 0; i < own.count; i++) {
        room += v->joints[own.items[i]].q_count;
        columns_room += v->joints[own.items[i]].v_count;
    }
    size_t joints = (size_t)(own.count + 1);
    int* values = hf_workspace_take(workspace, joints * 2, sizeof(int));
    chain->q_index = hf_workspace_take(workspace, (size_t)room, sizeof(int));
    chain->column_value = hf_workspace_take(workspace, (size_t)columns_room, sizeof(int));
    chain->wraps = hf_workspace_take(workspace, (size_t)columns_room, sizeof(bool));
    chain->lower = hf_workspace_take(workspace, (size_t)columns_room * 2, sizeof(double));
    chain->steps = hf_workspace_take(workspace, (size_t)path_count + 1, sizeof *chain->steps);
    if (!values || !chain->q_index || !chain->column_value || !chain->wraps || !chain->lower || !chain->steps)
        return HF_ERROR_MEMORY;
    chain->upper = chain->lower + columns_room;

    list_columns(v, &own, values, values + joints, chain);
    placing pending = no_placing;
    walk(v, &own, path, path_count, values, values + joints, q, chain, &pending);
    if (chain->step_count != chain->column_count) chain->shared = true; /* a column may have no step */
    hf_vec3 offset = contact >= 0 ? limb->contacts[contact].offset : hf_v3(0, 0, 0);
    place_after(&pending, no_placing.rotation, offset);
    memcpy(chain->tip_rotation, pending.rotation, sizeof pending.rotation);
    memcpy(chain->tip_position, pending.position, sizeof pending.position);
    const double* t = pending.position;
    if (chain->step_count == 0)
        chain->anchor = hf_v3(t[0], t[1], t[2]);
    else
        chain->reach += sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    return HF_OK;
}

hf_status hf_chain_state_make(const hf_limb_chain* chain, hf_workspace* workspace, hf_chain_state* state) {
    memset(state, 0, sizeof *state);
    state->x = hf_workspace_take(workspace, (size_t)chain->value_count + 1, sizeof(double));
    state->frames = hf_workspace_take(workspace, (size_t)chain->step_count + 1, sizeof *state->frames);
    return state->x && state->frames ? HF_OK : HF_ERROR_MEMORY;
}

static inline hf_vec3 mix3(hf_vec3 a, double s, hf_vec3 b, double t, hf_vec3 c, double u) {
    return hf_v3(a.x * s + b.x * t + c.x * u, a.y * s + b.y * t + c.y * u, a.z * s + b.z * t + c.z * u);
}

/* The first two axes x, y of a frame, turned about its third. */
static inline void turn_axes(hf_vec3 x, hf_vec3 y, double angle, hf_chain_frame* f) {
    hf_sine_cosine t = hf_sincos(angle);
    f->x = hf_add(hf_scale(x, t.cosine), hf_scale(y, t.sine));
    f->y = hf_sub(hf_scale(y, t.cosine), hf_scale(x, t.sine));
}

/* Three free values, or a whole transform. */
static void move_frame(const hf_chain_step* step, const double* values, hf_chain_frame* f) {
    hf_chain_frame g = *f;
    f->p = hf_add(f->p, step->kind == HF_CHAIN_PLANAR
                            ? hf_add(hf_scale(g.x, values[0]), hf_scale(g.y, values[1]))
                            : mix3(g.x, values[0], g.y, values[1], g.z, values[2]));
    if (step->kind == HF_CHAIN_PLANAR) {
        turn_axes(g.x, g.y, values[2], f);
        return;
    }
    hf_mat3 m = hf_quat_matrix(hf_quat_normalize((hf_quat){values[3], values[4], values[5], values[6]}));
    f->x = mix3(g.x, m.m[0], g.y, m.m[3], g.z, m.m[6]);
    f->y = mix3(g.x, m.m[1], g.y, m.m[4], g.z, m.m[7]);
    f->z = mix3(g.x, m.m[2], g.y, m.m[5], g.z, m.m[8]);
}

void hf_chain_forward(const hf_limb_chain* chain, hf_chain_state* state) {
    hf_chain_frame f = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    for (int i = 0; i < chain->step_count; i++) {
        const hf_chain_step* step = &chain->steps[i];
        const double *m = step->rotation, *p = step->position;
        f.p = hf_add(f.p, mix3(f.x, p[0], f.y, p[1], f.z, p[2]));
        hf_vec3 x = mix3(f.x, m[0], f.y, m[3], f.z, m[6]), y = mix3(f.x, m[1], f.y, m[4], f.z, m[7]);
        f.z = mix3(f.x, m[2], f.y, m[5], f.z, m[8]);
        f.x = x, f.y = y;
        state->frames[i] = f;
        double value = step->multiplier * state->x[step->value] + step->offset;
        if (step->kind == HF_CHAIN_TURN) {
            turn_axes(x, y, value, &f);
        } else if (step->kind == HF_CHAIN_SLIDE) {
            f.p = hf_add(f.p, hf_scale(f.z, value));
        } else {
            move_frame(step, state->x + step->value, &f);
        }
    }
    const double *m = chain->tip_rotation, *p = chain->tip_position;
    state->tip = hf_add(f.p, mix3(f.x, p[0], f.y, p[1], f.z, p[2]));
    for (int c = 0; c < 3; c++) {
        hf_vec3 column = mix3(f.x, m[c], f.y, m[3 + c], f.z, m[6 + c]);
        state->rotation[c] = column.x, state->rotation[3 + c] = column.y, state->rotation[6 + c] = column.z;
    }
}

static inline void add_column(double* j, double scale, hf_vec3 linear, hf_vec3 angular) {
    j[0] += scale * linear.x, j[1] += scale * linear.y, j[2] += scale * linear.z;
    j[3] += scale * angular.x, j[4] += scale * angular.y, j[5] += scale * angular.z;
}

static void add_many(const hf_chain_step* step, const hf_chain_state* state, const hf_chain_frame* f,
                     double* j) {
    hf_vec3 none = {0, 0, 0}, axes[3] = {f->x, f->y, f->z};
    int slides = step->kind == HF_CHAIN_PLANAR ? 2 : 3, first = step->kind == HF_CHAIN_PLANAR ? 2 : 0;
    const double* v = state->x + step->value;
    hf_vec3 centre = hf_add(f->p, hf_add(hf_scale(f->x, v[0]), hf_scale(f->y, v[1])));
    if (step->kind == HF_CHAIN_FLOATING) centre = hf_add(centre, hf_scale(f->z, v[2]));
    for (int k = 0; k < slides; k++) add_column(j + k * HF_CHAIN_STRIDE, 1, axes[k], none);
    for (int k = first; k < 3; k++)
        add_column(j + (slides + k - first) * HF_CHAIN_STRIDE, 1,
                   hf_cross(axes[k], hf_sub(state->tip, centre)), axes[k]);
}

void hf_chain_jacobian(const hf_limb_chain* chain, const hf_chain_state* state, double* jacobian) {
    /* Each joint of a plain chain fills its own column at once. */
    if (chain->plain && !chain->shared) {
        for (int i = 0; i < chain->step_count; i++) {
            const hf_chain_frame* f = &state->frames[i];
            double* j = jacobian + chain->steps[i].column * HF_CHAIN_STRIDE;
            bool turn = chain->steps[i].kind == HF_CHAIN_TURN;
            hf_vec3 linear = turn ? hf_cross(f->z, hf_sub(state->tip, f->p)) : f->z;
            hf_vec3 angular = turn ? f->z : hf_v3(0, 0, 0);
            j[0] = linear.x, j[1] = linear.y, j[2] = linear.z;
            j[3] = angular.x, j[4] = angular.y, j[5] = angular.z;
        }
        return;
    }
    memset(jacobian, 0, sizeof(double) * HF_CHAIN_STRIDE * (size_t)chain->column_count);
    for (int i = 0; i < chain->step_count; i++) {
        const hf_chain_step* step = &chain->steps[i];
        const hf_chain_frame* f = &state->frames[i];
        double* j = jacobian + step->column * HF_CHAIN_STRIDE;
        if (step->kind == HF_CHAIN_TURN)
            add_column(j, step->multiplier, hf_cross(f->z, hf_sub(state->tip, f->p)), f->z);
        else if (step->kind == HF_CHAIN_SLIDE)
            add_column(j, step->multiplier, f->z, hf_v3(0, 0, 0));
        else
            add_many(step, state, f, j);
    }
}

/* The seven values of a floating joint take six speeds, in the joint's frame. */
static void turn_floating(const double* x, const double* step, double* out) {
    hf_vec3 w = {step[3], step[4], step[5]};
    double angle = hf_length(w);
    hf_quat turn = hf_quat_axis_angle(hf_normalize(w), angle);
    hf_quat q = hf_quat_normalize(hf_quat_mul(turn, (hf_quat){x[3], x[4], x[5], x[6]}));
    for (int k = 0; k < 3; k++) out[k] = x[k] + step[k];
    out[3] = q.w, out[4] = q.x, out[5] = q.y, out[6] = q.z;
}

void hf_chain_move(const hf_limb_chain* chain, const double* x, const double* step, double* out) {
    if (chain->plain) {
        for (int c = 0; c < chain->column_count; c++) {
            double value = x[c] + step[c];
            value = value > chain->upper[c] ? chain->upper[c] : value;
            out[c] = value < chain->lower[c] ? chain->lower[c] : value;
        }
        return;
    }
    if (out != x) memcpy(out, x, sizeof(double) * (size_t)chain->value_count);
    for (int i = 0; i < chain->step_count; i++) {
        const hf_chain_step* s = &chain->steps[i];
        if (s->kind == HF_CHAIN_FLOATING) {
            turn_floating(x + s->value, step + s->column, out + s->value);
        } else if (s->kind == HF_CHAIN_PLANAR) {
            for (int k = 0; k < 3; k++) out[s->value + k] = x[s->value + k] + step[s->column + k];
        } else if (s->multiplier == 1 && s->offset == 0) {
            double value = x[s->value] + step[s->column];
            out[s->value] = fmin(fmax(value, chain->lower[s->column]), chain->upper[s->column]);
        }
    }
}

void hf_chain_clamp(const hf_limb_chain* chain, double* x) {
    for (int c = 0; c < chain->column_count; c++) {
        if (chain->column_value[c] < 0) continue;
        double* value = &x[chain->column_value[c]];
        *value = fmin(fmax(*value, chain->lower[c]), chain->upper[c]);
    }
}
