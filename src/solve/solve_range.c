/* The last word on a solved pose: a region that a solver could not keep, because it may not move all of its
   joints, makes the pose no find. */
#include "solve/solve_range.h"
#include <holdfast/rom.h>

static const double INSIDE_RAD = 1e-6; /* rounding that still counts as inside */

/* How many of the region's joints the limb moves. */
static int shared_joints(const hf_limb* limb, const hf_rom* rom) {
    int count = 0;
    for (int k = 0; k < rom->joint_count; k++)
        for (int j = 0; j < limb->joint_count; j++) count += limb->joints[j] == rom->joints[k];
    return count;
}

void hf_solve_check_range(const hf_creature* creature, int limb, const double* q, hf_solve_result* result) {
    const hf_creature_view* v = hf_creature_get(creature);
    for (int r = 0; r < v->rom_count && result->outcome == HF_FOUND; r++) {
        if (limb >= 0 && shared_joints(&v->limbs[limb], &v->roms[r]) == 0) continue;
        if (hf_rom_contains(creature, r, q, INSIDE_RAD)) continue;
        result->outcome = HF_PARTIAL;
        result->stop = HF_STOP_RANGE;
    }
}
