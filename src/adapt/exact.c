/* Clips that are a motion of the creature already: what they hold stays as it is. */
#include "adapt/retarget.h"
#include "base/memory.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <string.h>

/* A clip of the creature's own skeleton that keeps so many of its frames in contact exactly is left as it is.
 */
static const double EXACT_SHARE = 0.9;

/* The frames of a clip on the creature that its own skeleton makes, as they are; false where it is another
 * one's. */
static bool copy_frames(hf_retarget_work* w) {
    hf_motion* motion = NULL;
    if (hf_clip_motion(w->clip.clip, w->creature.creature, &motion, NULL) != HF_OK) return false;
    bool same = motion->frame_count == w->frames;
    size_t bytes = sizeof(double) * (size_t)w->creature.creature->view.q_count;
    for (int f = 0; f < w->frames && same; f++) {
        w->schedule->knots[f].root = motion->frames[f].root;
        memcpy(w->schedule->knots[f].q, motion->frames[f].q, bytes);
    }
    hf_motion_free(motion);
    return same;
}

/* Counts the frames of the phase in which the limb stays where its first frame has it; the hold is there, if
   that is on the surface. */
static void measure_exact(hf_retarget_work* w, hf_held_phase* h) {
    hf_phase* p = h->phase;
    hf_follower* t = &w->follower;
    const hf_contact_frame* c = hf_held_contact(w, p);
    hf_hold hold = {p->limb, p->frame, p->object, false, p->point, p->normal};
    for (int f = p->first; f <= p->last; f++) {
        hf_pose pose = {w->schedule->knots[f].root, w->schedule->knots[f].q};
        hf_forward(t->creature, &pose, t->links);
        if (f == p->first) {
            h->anchor = hf_hold_anchor(t->creature, &hold, t->links);
            p->point = hold.point = hf_sub(h->anchor.point, hf_scale(p->normal, c->ball));
            h->anchor.flat = hf_anchor_lies_flat(t->creature, &hold, &h->anchor);
        }
        double off_m, off_rad;
        hf_anchor_error(t->creature, &hold, &h->anchor, t->links, &off_m, &off_rad);
        h->kept[f - p->first] =
            off_m <= HF_SLIP_M && off_rad <= HF_SLIP_RAD && hf_retarget_touches(w, p->point, p->object);
        h->held += h->kept[f - p->first];
    }
}

/* Frames without a contact stay where none of them is at fault: nothing else tells a motion of the creature
   from one that is too fast for its limits. */
static hf_status test_frames(hf_retarget_work* w, bool* good) {
    hf_realise_result judged = {0};
    hf_status status = hf_retarget_judge(w, hf_placement_scene(w->finder.placement), &judged);
    *good = judged.fault_count == 0;
    hf_realise_result_free(&judged);
    return status;
}

/* Is the clip a motion of this creature that keeps its contacts already? Then it is left as it is, and its
   phases are those of the motion. */
hf_status hf_retarget_exact(hf_retarget_work* w, hf_phases* phases, bool* exact) {
    *exact = false;
    if (!copy_frames(w)) return HF_OK;
    hf_phase* was = hf_alloc((size_t)phases->count, sizeof *was);
    if (!was) return HF_ERROR_MEMORY;
    if (phases->count) memcpy(was, phases->items, sizeof *was * (size_t)phases->count);
    int held = 0, all = 0;
    for (int i = 0; i < w->held_count; i++) {
        measure_exact(w, &w->held[i]);
        held += w->held[i].held;
        all += w->held[i].phase->last - w->held[i].phase->first + 1;
    }
    *exact = held >= EXACT_SHARE * all;
    hf_status status = all == 0 ? test_frames(w, exact) : HF_OK;
    for (int i = 0; i < w->held_count; i++) {
        hf_phase* p = w->held[i].phase;
        if (!*exact || !w->held[i].held) *p = was[p - phases->items];
    }
    hf_free(was);
    return status;
}
