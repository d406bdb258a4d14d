/* Batch kinematics of a limb: turns the chain into a list of steps and hands it to the kernel. */
#include "model/limb_batch.h"
#include "base/error.h"

#include "base/assert.h"
#include "model/creature.h"
#include "model/kinematic_tree.h"

/* Entries of an axis under this are rounding of angles like pi/2: far below what floats resolve. */
static const double AXIS_ROUNDING = 1e-9;

/* Row of theta that drives a speed, -1 for none. */
static int row_of(const hf_creature_view* view, const hf_limb* limb, int v) {
    for (int i = 0; i < limb->joint_count && v >= 0; i++)
        if (view->joints[limb->joints[i]].v_index == v) return i;
    return -1;
}

/* Step of a turn about `axis`; a main axis is made positive and takes the sign into the value. */
static void set_turn(hf_batch_step* step, hf_vec3 axis) {
    double a[3] = {axis.x, axis.y, axis.z};
    step->motion = HF_BATCH_TURN_ANY;
    for (int i = 0; i < 3; i++)
        if (fabs(a[(i + 1) % 3]) < AXIS_ROUNDING && fabs(a[(i + 2) % 3]) < AXIS_ROUNDING) {
            step->motion = (hf_batch_motion)(HF_BATCH_TURN_X + i);
            if (a[i] < 0) step->scale = -step->scale, step->offset = -step->offset;
            a[i] = 1, a[(i + 1) % 3] = 0, a[(i + 2) % 3] = 0;
        }
    for (int i = 0; i < 3; i++) step->axis[i] = (float)a[i];
}

static void store(float out[3], hf_vec3 v) { out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z; }

/* The fixed pose of a joint that no row drives, at its rest value. */
static hf_transform rest_motion(const hf_creature_view* view, const hf_node* n) {
    const double* q = &view->rest[n->q];
    hf_transform t = hf_transform_identity();
    if (n->motion == HF_MOVE_TURN) t.rotation = hf_quat_axis_angle(n->axis, n->multiplier * *q + n->offset);
    if (n->motion == HF_MOVE_SLIDE) t.position = hf_scale(n->axis, n->multiplier * *q + n->offset);
    return t;
}

/* Joints that share a row add to one column: give those rows a carry. */
static hf_status share_columns(hf_batch_program* p) {
    for (int i = 0; i < p->step_count; i++) {
        bool shared = false;
        for (int j = 0; j < p->step_count && !shared; j++)
            if (j != i && p->steps[j].row == p->steps[i].row) {
                shared = true;
                if (j < i) p->steps[i].carry = p->steps[j].carry;
            }
        if (shared && p->steps[i].carry < 0) {
            if (p->carry_count == HF_BATCH_MAX_CARRIES) return HF_ERROR_LIMIT;
            p->steps[i].carry = p->carry_count++;
        }
    }
    return HF_OK;
}

/* Links from the limb's base to the contact's link, outwards; -1 when there are too many. */
static int find_chain(const hf_kinematic_tree* tree, const hf_limb* limb, int link, int* chain,
                      int capacity) {
    int count = 0;
    for (int l = link; l > 0 && l != limb->base_link; l = tree->nodes[l].parent) {
        if (count == capacity) return -1;
        chain[count++] = l;
    }
    for (int i = 0; i < count / 2; i++) {
        int other = chain[i];
        chain[i] = chain[count - 1 - i], chain[count - 1 - i] = other;
    }
    return count;
}

hf_status hf_batch_compile(const hf_creature* creature, int limb, int contact, hf_batch_program* program) {
    const hf_creature_view* view = &creature->view;
    const hf_kinematic_tree* tree = creature->tree;
    HF_ASSERT(limb >= 0 && limb < view->limb_count);
    const hf_limb* l = &view->limbs[limb];
    HF_ASSERT(contact >= -1 && contact < l->contact_count);
    program->step_count = program->carry_count = 0;
    int link = contact < 0 ? l->effector_link : l->contacts[contact].link;
    enum { MAX_CHAIN = 1024 };
    int chain[MAX_CHAIN], count = find_chain(tree, l, link, chain, MAX_CHAIN);
    if (count < 0) return HF_ERROR_LIMIT;
    for (int i = 0; i < l->joint_count; i++)
        if (view->joints[l->joints[i]].q_count != 1) return HF_ERROR_ARGUMENT;
    /* Outwards with all angles zero: `at` is the present frame, `joint` the last joint's origin. */
    hf_transform at = hf_inverse(l->base);
    hf_vec3 joint = {0, 0, 0};
    hf_batch_step outwards[HF_BATCH_MAX_STEPS];
    for (int i = 0; i < count; i++) {
        const hf_node* n = &tree->nodes[chain[i]];
        at = hf_compose(at, n->origin);
        if (n->motion == HF_MOVE_FIXED) continue;
        int row = row_of(view, l, n->v);
        if (row < 0) {
            if (n->motion == HF_MOVE_FLOAT || n->motion == HF_MOVE_PLANE) return HF_ERROR_ARGUMENT;
            at = hf_compose(at, rest_motion(view, n));
            continue;
        }
        if (program->step_count == HF_BATCH_MAX_STEPS) return HF_ERROR_LIMIT;
        hf_batch_step* step = &outwards[program->step_count++];
        *step = (hf_batch_step){
            .row = row, .carry = -1, .scale = (float)n->multiplier, .offset = (float)n->offset};
        hf_vec3 axis = hf_rotate(at.rotation, n->axis);
        if (n->motion == HF_MOVE_TURN)
            set_turn(step, axis);
        else
            step->motion = HF_BATCH_SLIDE, store(step->axis, axis);
        store(step->shift, hf_sub(at.position, joint));
        step->plain = step->scale == 1 && step->offset == 0;
        step->shifts = step->shift[0] != 0 || step->shift[1] != 0 || step->shift[2] != 0;
        joint = at.position;
    }
    for (int i = 0; i < program->step_count; i++) program->steps[i] = outwards[program->step_count - 1 - i];
    hf_vec3 offset = contact < 0 ? hf_v3(0, 0, 0) : l->contacts[contact].offset;
    hf_vec3 normal = contact < 0 ? hf_v3(0, 0, 1) : l->contacts[contact].normal;
    store(program->point, hf_sub(hf_apply(at, offset), joint));
    store(program->normal, hf_rotate(at.rotation, normal));
    return share_columns(program);
}

void hf_batch_run(hf_cpu cpu, const hf_batch_program* program, const hf_batch* batch) {
    switch (cpu) {
#ifdef HF_KERNELS_X86
    case HF_CPU_AVX512:
        hf_limb_batch_run_avx512(program, batch);
        return;
    case HF_CPU_AVX2:
        hf_limb_batch_run_avx2(program, batch);
        return;
#endif
    default:
        hf_limb_batch_run_baseline(program, batch);
        return;
    }
}

hf_status hf_limb_batch(const hf_creature* creature, int limb, int contact, const hf_batch* batch) {
    HF_REQUIRE(NULL, creature && batch && batch->theta && batch->point);
    HF_ASSERT(batch->count >= 0 && batch->stride >= batch->count && batch->stride % HF_BATCH_LANES == 0);
    HF_ASSERT(((uintptr_t)batch->theta | (uintptr_t)batch->point | (uintptr_t)batch->normal |
               (uintptr_t)batch->gram) %
                  64 ==
              0);
    hf_batch_program program;
    hf_status status = hf_batch_compile(creature, limb, contact, &program);
    if (status == HF_OK) hf_batch_run(hf_cpu_best(), &program, batch);
    return status;
}
