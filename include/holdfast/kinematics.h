/* Poses, forward kinematics, Jacobians, centre of mass, inverse dynamics. All double, all exact for
   any joint type; mimic joints follow their master whatever their own value in q says. */
#ifndef HOLDFAST_KINEMATICS_H
#define HOLDFAST_KINEMATICS_H

#include <holdfast/creature.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the root is and all joint values (hf_creature_view.q_count of them, caller's memory). */
typedef struct hf_pose {
    hf_transform root;
    double* q;
} hf_pose;

/* Fills q with the rest posture, mimic joints followed, and puts the root at the world's origin. */
HF_API void hf_pose_rest(const hf_creature* creature, hf_pose* pose);
/* Writes the followed values of mimic joints into q. */
HF_API void hf_pose_follow(const hf_creature* creature, double* q);
/* Poses between a (0) and b (1): slerp for orientations, straight for the rest. out may be a or b. */
HF_API void hf_pose_between(const hf_creature* creature, const hf_pose* a, const hf_pose* b, double t,
                            hf_pose* out);
/* out = pose moved by v (v_count speeds) for a time of dt. out may be pose. */
HF_API void hf_pose_integrate(const hf_creature* creature, const hf_pose* pose, const double* v, double dt,
                              hf_pose* out);
/* v (v_count) that takes a to b in a time of 1; turns go the shortest way, joint values straight. */
HF_API void hf_pose_difference(const hf_creature* creature, const hf_pose* a, const hf_pose* b, double* v);

/* World pose of every link (link_count of them). */
HF_API void hf_forward(const hf_creature* creature, const hf_pose* pose, hf_transform* links);
/* The same for the links from one limb's root to its effector and contact frames alone, given the world pose
   of its base link in links. */
HF_API void hf_forward_limb(const hf_creature* creature, int limb, const double* q, hf_transform* links);
/* The same for a link and every link beyond it, given the world pose of its parent (of itself when it is the
   root) in links: a limb with its fingers from hf_limb.root_link. */
HF_API void hf_forward_from(const hf_creature* creature, int link, const double* q, hf_transform* links);

/* Jacobian of a world point fixed in the limb's effector link over the limb's joints, world axes, row-major;
   3 rows: linear; 6 rows: linear then angular. Columns follow hf_limb.joints (their v_counts); mimic joints
   of the limb count for their master's column. */
HF_API void hf_limb_jacobian(const hf_creature* creature, int limb, const hf_transform* links, hf_vec3 point,
                             int rows, double* jacobian);
/* The same over all v_count speeds, for a world point fixed in any link. */
HF_API void hf_point_jacobian(const hf_creature* creature, const hf_transform* links, int link, hf_vec3 point,
                              int rows, double* jacobian);
/* J J^T of a 3-row Jacobian: xx yy zz xy xz yz. */
HF_API void hf_jacobian_gram(const double* jacobian, int columns, double gram[6]);

HF_API hf_vec3 hf_com(const hf_creature* creature, const hf_transform* links);
/* 3 x v_count, row-major. */
HF_API void hf_com_jacobian(const hf_creature* creature, const hf_transform* links, double* jacobian);

/* Recursive Newton-Euler: the generalised forces (v_count; the root's six are the force and the torque
   about the root link's origin, world axes) that give these accelerations under gravity. acceleration
   and velocity may be NULL for zero. */
HF_API hf_status hf_inverse_dynamics(const hf_creature* creature, const hf_pose* pose, const double* velocity,
                                     const double* acceleration, hf_vec3 gravity, hf_workspace* workspace,
                                     double* force);

/* Batch over structure-of-arrays floats: for `count` samples of one limb, joint values
   theta[j * stride + i], give effector point, contact normal and J J^T in the limb's root frame.
   Outputs use the same stride; normal and gram may be NULL. The limb's joints must each have one value
   (else HF_ERROR_ARGUMENT) and be at most 256 (else HF_ERROR_LIMIT). Angles beyond 200 rad lose precision.
   contact -1 means the effector link's origin with the link's Z axis as normal. A joint in the chain that is
   not the limb's (it follows one elsewhere, or leads to a contact beyond the effector) keeps its rest value.
   The same answers on every machine. */
typedef struct hf_batch {
    int count, stride;  /* stride >= count, a multiple of 16; arrays 64-byte aligned; rows are computed and
                           overwritten up to the next multiple of 16 of count */
    const float* theta; /* joint_count rows */
    float* point;       /* 3 rows */
    float* normal;      /* 3 rows or NULL */
    float* gram;        /* 6 rows xx yy zz xy xz yz, or NULL */
} hf_batch;
HF_API hf_status hf_limb_batch(const hf_creature* creature, int limb, int contact, const hf_batch* batch);

#ifdef __cplusplus
}
#endif
#endif
