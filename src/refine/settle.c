/* Limbs of frames onto their holds, without jumps. */
#include "refine/settle.h"

#include "base/ease.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/tolerance.h"
#include "refine/ends.h"
#include "refine/pose_spline.h"
#include "refine/ways.h"

#include <math.h>
#include <string.h>

/* Frames between two in which a held limb is solved for: what it is off changes slowly. */
enum { STRIDE = 4 };

/* What a limb is off at most, rad or m: with more it has come to another of its solutions, which would be a
 * jump.
 */
static const double OTHER = 0.05;

typedef struct settling {
    const hf_creature* creature;
    const hf_held* held;
    hf_workspace* workspace;
    hf_schedule* schedule;
    double* off; /* of each frame: what is added to each value */
    int* hold;   /* of each frame: the hold of the limb at hand, -1 */
    double* q;
    hf_transform* links;
} settling;

static double* off_of(const settling* s, int frame) {
    return s->off + (size_t)frame * (size_t)s->schedule->q_count;
}

static void list_holds(const settling* s, int limb) {
    const hf_schedule* t = s->schedule;
    for (int k = 0; k < t->knot_count; k++) s->hold[k] = -1;
    for (int i = 0; i < t->hold_count; i++) {
        if (t->holds[i].hold.limb != limb) continue;
        int last = (int)round(t->holds[i].to_s * t->rate);
        for (int k = (int)round(t->holds[i].from_s * t->rate); k <= last && k < t->knot_count; k++)
            s->hold[k] = i;
    }
}

/* What a held limb is off in a frame, solved for near what it was off before. */
static hf_status solve(settling* s, int limb, int frame, int before) {
    const hf_schedule* t = s->schedule;
    const hf_held* h = &s->held[s->hold[frame]];
    hf_pose pose = {t->knots[frame].root, s->q};
    double* off = off_of(s, frame);
    for (int i = 0; i < t->q_count; i++) {
        bool own = hf_limb_owns(s->creature, limb, i);
        s->q[i] = t->knots[frame].q[i] + (own ? before >= 0 ? off_of(s, before)[i] : 0 : off[i]);
    }
    bool kept;
    hf_vec3 miss;
    hf_forward(s->creature, &pose, s->links);
    hf_status status =
        hf_held_keep(s->creature, h, HF_KEEP_EXACT, s->workspace, s->links, s->q, &kept, &miss);
    double off_m = 0, off_rad = 0;
    hf_forward(s->creature, &pose, s->links);
    if (!kept) hf_anchor_error(s->creature, &h->world, &h->anchor, s->links, &off_m, &off_rad);
    // out of reach by more than a motion may be: as before, and the fault is found where frames are tested
    bool near = off_m <= HF_SLIP_M && off_rad <= HF_SLIP_RAD;
    for (int i = 0; i < t->q_count; i++)
        near &= fabs(s->q[i] - t->knots[frame].q[i]) < OTHER || !hf_limb_owns(s->creature, limb, i);
    for (int i = 0; i < t->q_count; i++) {
        if (!hf_limb_owns(s->creature, limb, i)) continue;
        off[i] = near ? s->q[i] - t->knots[frame].q[i] : before >= 0 ? off_of(s, before)[i] : 0;
    }
    return status;
}

/* Fills the frames between two; a frame of -1 or behind the last has nothing to add. */
static void fill(settling* s, int limb, int from, int to, bool eases) {
    for (int k = from + 1; k < to; k++)
        for (int i = 0; i < s->schedule->q_count; i++) {
            if (!hf_limb_owns(s->creature, limb, i)) continue;
            double u = (double)(k - from) / (to - from), e = eases ? hf_ease(u) : u;
            double a = from >= 0 ? off_of(s, from)[i] : 0;
            double b = to < s->schedule->knot_count ? off_of(s, to)[i] : 0;
            // a value that another limb holds by now stays there
            if (!eases || off_of(s, k)[i] == 0) off_of(s, k)[i] = a + e * (b - a);
        }
}

static hf_status settle_limb(settling* s, int limb) {
    hf_status status = HF_OK;
    int count = s->schedule->knot_count, last = -1;
    list_holds(s, limb);
    for (int k = 0; k < count && status == HF_OK; k++) {
        if (s->hold[k] < 0) continue;
        bool on = last >= 0 && s->hold[last] == s->hold[k];
        bool ends = k + 1 == count || s->hold[k + 1] != s->hold[k];
        if (on && !ends && k - last < STRIDE) continue;
        // the ends of a motion are what is before and behind it
        if (k > 0 && k + 1 < count) status = solve(s, limb, k, on ? last : -1);
        fill(s, limb, last, k, !on);
        last = k;
    }
    if (last >= 0) fill(s, limb, last, count, true);
    return status;
}

hf_status hf_settle_holds(const hf_creature* creature, const hf_held* held, hf_workspace* w,
                          hf_schedule* schedule) {
    size_t n = (size_t)schedule->knot_count, q = (size_t)schedule->q_count;
    hf_workspace_mark mark = hf_workspace_begin(w);
    settling s = {.creature = creature,
                  .held = held,
                  .workspace = w,
                  .schedule = schedule,
                  .off = hf_workspace_take(w, n * q + 1, sizeof(double)),
                  .hold = hf_workspace_take(w, n, sizeof(int)),
                  .q = hf_workspace_take(w, q + 1, sizeof(double)),
                  .links = hf_workspace_take(w, (size_t)creature->view.link_count, sizeof *s.links)};
    hf_status status = s.off && s.hold && s.q && s.links ? HF_OK : HF_ERROR_MEMORY;
    if (s.off) memset(s.off, 0, sizeof(double) * n * q);
    for (int l = creature->view.limb_count - 1; l >= 0 && status == HF_OK; l--)
        if (creature->view.limbs[l].joint_count) status = settle_limb(&s, l);
    for (size_t k = 0; k < n && status == HF_OK; k++)
        for (size_t i = 0; i < q; i++) schedule->knots[k].q[i] += s.off[k * q + i];
    for (size_t k = 0; k < n && status == HF_OK; k++) hf_pose_keep_limits(creature, schedule->knots[k].q);
    hf_workspace_end(w, mark);
    return status;
}
