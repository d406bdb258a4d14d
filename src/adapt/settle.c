/* Limbs that hold are put exactly onto their holds once their frames stand: the solver of a frame leaves each
   within what a check allows, at another place in the next frame, and viewers see that as sliding. */
#include "adapt/retarget.h"
#include "model/creature.h"
#include "solve/keep.h"

#include <string.h>

/* Limbs this near to where they are held stay, m and rad: at 120 frames a second two frames that differ by
   twice as much slide at half of the 1 cm/s that others measure. */
static const double EXACT_M = 2e-5, EXACT_RAD = 5e-4;

static hf_status settle_frame(hf_retarget_work* w, const hf_held_phase* h, int frame) {
    const hf_creature* c = w->creature.creature;
    hf_follower* t = &w->follower;
    hf_knot* knot = &w->schedule->knots[frame];
    hf_hold hold = {.limb = h->phase->limb, .frame = h->phase->frame, .object = h->phase->object};
    hold.point = h->phase->point, hold.normal = h->phase->normal;
    hf_pose pose = {knot->root, t->next.q};
    size_t bytes = sizeof(double) * (size_t)c->view.q_count;
    double was_m, was_rad, off_m, off_rad;
    bool kept;
    hf_vec3 miss;
    memcpy(t->next.q, knot->q, bytes);
    hf_forward(c, &pose, t->links);
    hf_anchor_error(c, &hold, &h->anchor, t->links, &was_m, &was_rad);
    if (was_m <= EXACT_M && was_rad <= EXACT_RAD) return HF_OK;
    hf_status status =
        hf_hold_keep(c, &hold, &h->anchor, HF_KEEP_EXACT, w->workspace, t->links, pose.q, &kept, &miss);
    hf_forward(c, &pose, t->links);
    hf_anchor_error(c, &hold, &h->anchor, t->links, &off_m, &off_rad);
    bool better = (off_m < was_m && off_rad <= fmax(was_rad, EXACT_RAD)) ||
                  (off_rad < was_rad && off_m <= fmax(was_m, EXACT_M));
    if (status == HF_OK && better) memcpy(knot->q, pose.q, bytes);
    return status;
}

hf_status hf_retarget_settle(hf_retarget_work* w) {
    hf_status status = HF_OK;
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* h = &w->held[i];
        int last = h->phase->last < w->schedule->knot_count ? h->phase->last : w->schedule->knot_count - 1;
        for (int f = h->phase->first; f <= last && !h->dropped && h->frozen && status == HF_OK; f++)
            if (h->kept[f - h->phase->first]) status = settle_frame(w, h, f);
    }
    return status;
}
