/* What an edit of a refined schedule has changed. */
#ifndef HF_REFINE_EDIT_H
#define HF_REFINE_EDIT_H

#include "refine/parts.h"

/* Do both schedules have the same holds of the same limbs in the same order, points and normals aside? */
bool hf_edit_fits(const hf_schedule* edited, const hf_schedule* last);
/* Between two times of the edited schedule: is every hold where it was? Then only times can differ. */
bool hf_edit_keeps(const hf_schedule* edited, const hf_schedule* last, double from_s, double to_s);
/* The knots of an edited schedule, bent so that limbs reach holds that were moved: by the whole shift while a
   limb holds, eased over its ways to the hold and away from it. The body stays. The memory is the
   workspace's. */
hf_status hf_edit_bend(const hf_creature* creature, const hf_placement* placement, const hf_schedule* edited,
                       const hf_schedule* last, hf_workspace* workspace, hf_knot** knots);

#endif
