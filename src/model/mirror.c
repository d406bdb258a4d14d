/* Is one limb the mirror image of another about the root's XZ plane? Joints pair by order. Mirrored, a turn
   about axis b is a turn about (-bx, by, -bz), and a shift along b one along (bx, -by, bz); comparing that
   with the limb's own axis gives the joint's sign, and random poses tell whether the effectors agree. */
#include "model/limb_plan.h"
#include "base/random.h"
#include <holdfast/kinematics.h>

#include <math.h>

enum { TRIALS = 16 };
static const double POSITION_SLACK = 1e-3; /* m */
static const double AXIS_SLACK = 1e-3;

static hf_vec3 mirrored(hf_vec3 p) { return hf_v3(p.x, -p.y, p.z); }

/* All joints at 0; quaternions at identity. */
static void zero_pose(const hf_build* b, double* q) {
    const hf_creature_view* v = &b->creature->view;
    memset(q, 0, (size_t)v->q_count * sizeof *q);
    for (int i = 0; i < v->joint_count; i++)
        if (v->joints[i].type == HF_JOINT_FLOATING) q[v->joints[i].q_index + 3] = 1;
}

static bool joint_signs(const hf_build* b, const hf_limb* limb, const hf_limb* other,
                        const hf_transform* links, double* signs) {
    for (int i = 0; i < limb->joint_count; i++) {
        const hf_joint *mine = &b->joints[limb->joints[i]], *theirs = &b->joints[other->joints[i]];
        bool slides = mine->type == HF_JOINT_PRISMATIC;
        if (mine->q_count != 1 || theirs->q_count != 1) return false;
        if (slides != (theirs->type == HF_JOINT_PRISMATIC)) return false;
        hf_vec3 a = hf_rotate(links[mine->child_link].rotation, mine->axis);
        hf_vec3 c = mirrored(hf_rotate(links[theirs->child_link].rotation, theirs->axis));
        double along = hf_dot(a, slides ? c : hf_neg(c));
        if (fabs(along) < 1 - AXIS_SLACK) return false;
        signs[i] = along > 0 ? 1 : -1;
    }
    return true;
}

hf_status hf_limb_mirrors(hf_build* b, const hf_limb* limb, const hf_limb* other, bool* mirrors) {
    const hf_creature_view* v = &b->creature->view;
    *mirrors = false;
    if (limb->joint_count != other->joint_count) return HF_OK;
    double* q = hf_build_scratch(b, (size_t)v->q_count, sizeof *q);
    double* signs = hf_build_scratch(b, (size_t)limb->joint_count, sizeof *signs);
    hf_transform* links = hf_build_scratch(b, (size_t)v->link_count, sizeof *links);
    if (!q || !signs || !links) return hf_build_fail_memory(b);
    hf_pose pose = {hf_transform_identity(), q};
    zero_pose(b, q);
    hf_forward(b->creature, &pose, links);
    if (!joint_signs(b, limb, other, links, signs)) return HF_OK;
    for (int trial = 0; trial < TRIALS; trial++) {
        hf_random random = hf_random_start(1, 0x6d69, (uint64_t)trial);
        for (int i = 0; i < limb->joint_count; i++) {
            const hf_joint *mine = &b->joints[limb->joints[i]], *theirs = &b->joints[other->joints[i]];
            double value =
                trial == 0 ? 0 : hf_random_between(&random, fmax(theirs->lower, -2), fmin(theirs->upper, 2));
            q[theirs->q_index] = value;
            q[mine->q_index] = signs[i] * value;
        }
        hf_forward(b->creature, &pose, links);
        hf_vec3 image = mirrored(links[other->effector_link].position);
        if (!(hf_distance(image, links[limb->effector_link].position) <= POSITION_SLACK)) return HF_OK;
    }
    *mirrors = true;
    return HF_OK;
}

hf_status hf_mirror_contact(hf_build* b, const hf_contact_frame* from, int link, hf_contact_frame* to) {
    const hf_creature_view* v = &b->creature->view;
    double* q = hf_build_scratch(b, (size_t)v->q_count, sizeof *q);
    hf_transform* links = hf_build_scratch(b, (size_t)v->link_count, sizeof *links);
    if (!q || !links) return hf_build_fail_memory(b);
    hf_pose pose = {hf_transform_identity(), q};
    zero_pose(b, q);
    hf_forward(b->creature, &pose, links);
    hf_transform there = links[from->link], here = links[link];
    *to = *from;
    to->link = link;
    to->offset = hf_unapply(here, mirrored(hf_apply(there, from->offset)));
    to->normal = hf_unrotate(here.rotation, mirrored(hf_rotate(there.rotation, from->normal)));
    /* Each of the patch's two axes takes the size of the axis it is the image of. */
    hf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double sizes[3] = {0}, n[3] = {fabs(from->normal.x), fabs(from->normal.y), fabs(from->normal.z)};
    double m[3] = {fabs(to->normal.x), fabs(to->normal.y), fabs(to->normal.z)};
    int out_from = n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
    int out_to = m[0] >= m[1] && m[0] >= m[2] ? 0 : m[1] >= m[2] ? 1 : 2;
    for (int k = 0, next = 0; k < 3; k++)
        if (k != out_from) sizes[k] = from->patch[next++];
    for (int k = 0, next = 0; k < 3; k++) {
        if (k == out_to) continue;
        hf_vec3 image = hf_unrotate(there.rotation, mirrored(hf_rotate(here.rotation, axes[k])));
        double best = -1;
        for (int i = 0; i < 3; i++) {
            double along = fabs(i == 0 ? image.x : i == 1 ? image.y : image.z);
            if (i != out_from && along > best) best = along, to->patch[next] = sizes[i];
        }
        next++;
    }
    return HF_OK;
}
