/* Where a motion wants the creature to be at a moment, in MuJoCo's layout. */
#ifndef HF_PLAYBACK_TARGET_H
#define HF_PLAYBACK_TARGET_H

#include <holdfast/holdfast.h>
#include <mujoco/mujoco.h>

typedef struct target {
    const hf_creature* creature;
    const mjModel* model;
    hf_trajectory* rows;        /* one for each step of the simulation */
    mjData* data;               /* bodies where the row wants them, with their speeds */
    double *qpos, *qvel, *qacc; /* of the row that was asked for last. Unlike MuJoCo's, the turn of the root
                                   and its acceleration (qvel[3..5], qacc[3..5]) are in the world's axes */
    hf_vec3 com, com_speed, com_rate; /* m, m/s, m/s2 */
    hf_vec3 momentum_turn, moment;    /* angular momentum about the centre of mass, and its derivative */
} target;

void target_make(target* t, const hf_motion* motion, const hf_creature* creature, const mjModel* model,
                 double step_s);
void target_free(target* t);
/* Speed that the row wants of a point that is fixed in a body, given where it is now. */
hf_vec3 target_point_speed(const target* t, int body, const mjData* now, const double point[3]);
/* Row of a step; the last one for all steps after it. */
void target_at(target* t, int row);

#endif
