/* What is asked of a limb: the role of its contact in a task, or a target to reach. */
#ifndef HOLDFAST_TASK_H
#define HOLDFAST_TASK_H

#include <holdfast/kinematics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With v the direction in which the task moves things and n the surface's normal, out of the object: */
typedef enum hf_role {
    HF_ROLE_SUPPORT, /* the surface pushes the body along v: factor v . n */
    HF_ROLE_ACT,     /* the limb pushes the object along v: factor -v . n */
    HF_ROLE_GRIP     /* on objects flagged so, by limbs that can: |v . n|, or 1 where the object has no
                        dominant normal (a rope) */
} hf_role;
HF_API const char* hf_role_text(hf_role role);
/* By name; -1 when there is none. */
HF_API int hf_role_find(const char* name);

/* For a ball contact, NORMAL puts the ball's centre one radius above `point` and leaves the angle free; the
   other kinds put the centre on `point`. */
typedef enum hf_target_kind {
    HF_TARGET_POSITION, /* the contact point on `point` */
    HF_TARGET_NORMAL,   /* and the contact's normal against the surface `normal` */
    HF_TARGET_POSE      /* the contact point on `point`, the effector link at `rotation` */
} hf_target_kind;

/* Targets that the whole-body solver takes at once. Its work grows with the cube of their number: a step with
   so many takes a tenth of a second. */
enum { HF_MAX_TARGETS = 128 };

typedef struct hf_target {
    hf_target_kind kind;
    int limb;
    int contact; /* index into hf_limb.contacts; -1: the effector link's origin */
    hf_vec3 point;
    hf_vec3 normal;   /* unit, out of the surface (HF_TARGET_NORMAL) */
    hf_quat rotation; /* world orientation of the effector link (HF_TARGET_POSE) */
    bool held;        /* whole-body solver: hard, above every other task */
} hf_target;

#ifdef __cplusplus
}
#endif
#endif
