/* An edited schedule beside the refined one that it was made from: hold by hold. */
#include "refine/edit.h"

#include <holdfast/math.h>

static const double SAME_M = 1e-6; /* of points and normals of a hold: rounding of files */

bool hf_edit_fits(const hf_schedule* edited, const hf_schedule* last) {
    if (edited->hold_count != last->hold_count || edited->q_count != last->q_count) return false;
    for (int i = 0; i < edited->hold_count; i++) {
        const hf_hold *a = &edited->holds[i].hold, *b = &last->holds[i].hold;
        if (a->limb != b->limb || a->frame != b->frame || a->grip != b->grip) return false;
    }
    return true;
}

bool hf_edit_keeps(const hf_schedule* edited, const hf_schedule* last, double from_s, double to_s) {
    for (int i = 0; i < edited->hold_count; i++) {
        const hf_schedule_hold *a = &edited->holds[i], *b = &last->holds[i];
        if (a->to_s < from_s - HF_SAME_S || a->from_s > to_s + HF_SAME_S) continue;
        if (a->hold.object != b->hold.object || hf_distance(a->hold.point, b->hold.point) > SAME_M ||
            hf_distance(a->hold.normal, b->hold.normal) > SAME_M)
            return false;
    }
    return true;
}
