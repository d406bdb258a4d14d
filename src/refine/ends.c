/* The ends of a refined motion are those of the given one. */
#include "refine/ends.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/hold.h"
#include "model/tolerance.h"

#include <math.h>

/* By which a value of the pose may differ, rad or m: limbs are put onto holds that they were given a little
   beside, which changes joints by some thousandths. A check allows a goal to be missed by ten times as many
   rad, five times as many m. */
static const double ENDS_OFF = 0.01;

static bool differs(const hf_creature* c, const hf_knot* a, const hf_knot* b, double* off) {
    hf_pose_difference(c, &(hf_pose){a->root, a->q}, &(hf_pose){b->root, b->q}, off);
    for (int i = 0; i < c->view.v_count; i++)
        if (!(fabs(off[i]) <= ENDS_OFF)) return true;
    return false;
}

static hf_status add_fault(int frame, hf_realise_result* faults) {
    if (!HF_GROW(faults->faults, faults->fault_capacity, faults->fault_count)) return HF_ERROR_MEMORY;
    faults->faults[faults->fault_count++] =
        (hf_frame_fault){.kind = HF_FAULT_SLIPS, .frame = frame, .limb = -1};
    faults->outcome = HF_PARTIAL;
    return HF_OK;
}

hf_status hf_ends_judge(const hf_creature* creature, const hf_schedule* given, const hf_schedule* made,
                        unsigned ends, hf_workspace* w, hf_realise_result* faults) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    double* off = hf_workspace_take(w, (size_t)creature->view.v_count + 1, sizeof *off);
    hf_status status = off ? HF_OK : HF_ERROR_MEMORY;
    const hf_knot* last = &made->knots[made->knot_count - 1];
    if (status == HF_OK && ends & HF_END_FIRST && differs(creature, &given->knots[0], &made->knots[0], off))
        status = add_fault(0, faults);
    if (status == HF_OK && ends & HF_END_LAST &&
        differs(creature, &given->knots[given->knot_count - 1], last, off))
        status = add_fault((int)round(last->time_s * made->rate), faults);
    hf_workspace_end(w, mark);
    return status;
}

/* A limb that is nearer to its hold than this is on it, m and rad: what rounding leaves of a plan's holds, a
   tenth of what counts as kept. */
static const double ON_HOLD_M = 0.1 * HF_HELD_M, ON_HOLD_RAD = 0.1 * HF_HELD_RAD;

hf_status hf_held_keep(const hf_creature* creature, const hf_held* held, hf_keep_care care, hf_workspace* w,
                       hf_transform* links, double* q, bool* kept, hf_vec3* miss) {
    double off_m, off_rad;
    hf_anchor_error(creature, &held->world, &held->anchor, links, &off_m, &off_rad);
    *kept = off_m <= ON_HOLD_M && (held->world.grip || off_rad <= ON_HOLD_RAD);
    if (*kept) return HF_OK;
    return hf_hold_keep(creature, &held->world, &held->anchor, care, w, links, q, kept, miss);
}
