/* A clip onto another body: its bones' directions, its feet's and hands' paths and its contact phases as
   wishes and holds of the creature, frame by frame, each from where the one before ended. What the realiser
   finds at fault gets more room in the next round; what cannot be held is moved, shortened or dropped, and
   told. */
#include "adapt/retarget.h"
#include "adapt/clear.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"
#include "schedule/frames.h"
#include "solve/keep.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const double FIRM = 3; /* times as heavy are holds in the second half of the iterations */
/* A phase that is held in so many of its frames is kept; a hold this far from where the clip touches is
 * moved, m. */
static const double KEPT_SHARE = 0.98, MOVED_M = 0.02;
/* Faults in fewer frames, as a share, are no reason for another round. */
static const double FEW = 0.005;
/* Faults in more frames, as a share, get more room before they are cleared, while a round leaves less than
   the second share of them. */
static const double SOME = 0.06, PROGRESS = 0.8;
/* Times that frames are cleared with fewer holds. */
enum { CLEARINGS = 4 };
/* Limbs so near their holds are left there; within what the realiser leaves alone. */
static const double NEAR_M = 0.8 * HF_SLIP_M, NEAR_RAD = 0.8 * HF_SLIP_RAD;
/* A creature that its speed limits hold back is again where it should be after this time, s. */
static const double CATCH_UP_S = 0.1;
enum { FIRST_ITERATIONS = 100, EXTRA_ITERATIONS = 4 };
static const double SETTLED = 1e-4; /* steps smaller than this end a frame, rad or m */

#define FIELD(name) offsetof(hf_retarget_options, name)
static const hf_option items[] = {
    {"contact_m", HF_OPTION_REAL, FIELD(contact_m), 0.001, 0.1, 0.01, "m",
     "how far an effector may be from where it usually touches"},
    {"contact_speed", HF_OPTION_REAL, FIELD(contact_speed), 0.005, 1, 0.06, "m/s",
     "how fast a touching effector may be"},
    {"shortest_s", HF_OPTION_REAL, FIELD(shortest_s), 0, 2, 0.1, "s", "shorter phases and gaps are none"},
    {"clearance_m", HF_OPTION_REAL, FIELD(clearance_m), 0, 0.1, 0.004, "m",
     "by which bodies stay clear of the scene and of each other"},
    {"rounds", HF_OPTION_COUNT, FIELD(rounds), 0, 50, 5, "",
     "times that frames at fault are solved again, with more room"},
    {"iterations", HF_OPTION_COUNT, FIELD(iterations), 1, 50, 6, "", "of the solver in each frame"},
    {"scale_scene", HF_OPTION_FLAG, FIELD(scale_scene), 0, 1, 0, "",
     "the clip's path is scaled with the creature's legs"},
};

HF_OPTIONS(hf_retarget, items)

/* ---- one pass over all frames ---- */

/* The orientation of a patch that the clip does not tell is the one it arrives with, laid flat. */
static void freeze(hf_retarget_work* w, hf_held_phase* h) {
    const hf_contact_frame* c = hf_held_contact(w, h->phase);
    hf_quat now = w->follower.links[c->link].rotation;
    hf_quat flat = hf_quat_between(hf_rotate(now, c->normal), hf_neg(h->phase->normal));
    h->anchor.rotation = hf_quat_normalize(hf_quat_mul(flat, now));
    h->frozen = true;
    if (h->phase->frame == 0 || !h->foot) return;
    /* Toes stay where the foot before had them, if there is surface. */
    hf_vec3 at = hf_apply(w->follower.links[c->link], c->offset);
    at = hf_sub(at, hf_scale(h->phase->normal, hf_dot(hf_sub(at, h->phase->point), h->phase->normal)));
    if (hf_retarget_touches(w, at, h->phase->object)) h->anchor.point = h->phase->point = at;
}

/* Puts the limb exactly onto its hold; where it cannot, the limb stays as it was. */
static hf_status keep_hold(hf_retarget_work* w, hf_held_phase* h, int frame) {
    hf_follower* t = &w->follower;
    const hf_creature* c = w->creature.creature;
    hf_hold hold = {.limb = h->phase->limb, .frame = h->phase->frame, .object = h->phase->object};
    hold.point = h->phase->point, hold.normal = h->phase->normal;
    hf_forward(c, &t->pose, t->links);
    if (!h->frozen) freeze(w, h);
    size_t bytes = sizeof(double) * (size_t)c->view.q_count;
    memcpy(t->next.q, t->pose.q, bytes);
    double off_m, off_rad;
    bool kept = false;
    hf_vec3 miss = {0};
    hf_status status = HF_OK;
    hf_anchor_error(c, &hold, &h->anchor, t->links, &off_m, &off_rad);
    if (off_m > NEAR_M || off_rad > NEAR_RAD) {
        status = hf_hold_keep(c, &hold, &h->anchor, HF_KEEP_EXACT, w->workspace, t->links, t->pose.q, &kept,
                              &miss);
        hf_forward(c, &t->pose, t->links);
        hf_anchor_error(c, &hold, &h->anchor, t->links, &off_m, &off_rad);
    }
    bool slow =
        !t->has_before || t->unhurried || hf_frames_speed(c, t->rate, &t->before, &t->pose) <= HF_FRAME_SPEED;
    kept = off_m <= HF_SLIP_M && off_rad <= HF_SLIP_RAD && slow;
    h->held += kept;
    h->missed += !kept, h->measured += !kept;
    h->kept[frame - h->phase->first] = kept;
    if (kept || status != HF_OK) return status;
    memcpy(t->pose.q, t->next.q, bytes);
    hf_forward(c, &t->pose, t->links);
    const hf_contact_frame* f = hf_held_contact(w, h->phase);
    h->reached = hf_add(h->reached, hf_apply(t->links[f->link], f->offset));
    h->off_m += hf_distance(hf_apply(t->links[f->link], f->offset), h->anchor.point);
    return HF_OK;
}

/* Are all limbs within NEAR_M and NEAR_RAD of their holds? */
static bool all_near(hf_retarget_work* w, int frame) {
    hf_follower* t = &w->follower;
    hf_forward(t->creature, &t->pose, t->links);
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        if (!hf_held_lasts(h, frame)) continue;
        if (!h->frozen) freeze(w, h);
        double off_m, off_rad;
        hf_hold hold = {.limb = h->phase->limb, .frame = h->phase->frame, .object = h->phase->object};
        hf_anchor_error(t->creature, &hold, &h->anchor, t->links, &off_m, &off_rad);
        if (off_m > NEAR_M || off_rad > NEAR_RAD) return false;
    }
    return true;
}

static hf_status solve_frame(hf_retarget_work* w, int frame) {
    hf_follower* t = &w->follower;
    hf_clip_body_set(&w->clip, frame);
    hf_placement_set_time(w->finder.placement, frame * w->clip.clip->frame_time_s);
    t->has_before = frame > w->begin;
    if (frame <= w->begin) {
        hf_pose_rest(t->creature, &t->pose);
        t->pose.root.position = w->clip.now[w->clip.root].position;
        t->pose.root.rotation = hf_clip_link_turn(&w->finder, w->clip.root, 0);
    }
    hf_follow_begin(t);
    if (frame < w->begin + 2) memset(t->drift, 0, sizeof *t->drift * (size_t)t->v_count);
    int iterations = frame <= w->begin ? FIRST_ITERATIONS : w->options->iterations;
    for (int i = 0; i < iterations; i++) {
        hf_retarget_wish(w, frame, i < iterations / 2 ? 1 : FIRM);
        if (hf_follow_step(t) < SETTLED && i >= iterations / 2) break;
    }
    for (int i = 0; i < EXTRA_ITERATIONS && !all_near(w, frame); i++) {
        hf_retarget_wish(w, frame, FIRM * FIRM);
        hf_follow_step(t);
    }
    hf_status status = HF_OK;
    for (int i = 0; i < w->held_count && status == HF_OK; i++)
        if (hf_held_lasts(&w->held[i], frame)) status = keep_hold(w, &w->held[i], frame);
    hf_knot* knot = &w->schedule->knots[frame];
    hf_pose was = {knot->root, knot->q};
    hf_pose_difference(t->creature, &was, &t->pose, t->gone);
    w->changed = 0;
    for (int i = 0; i < t->v_count; i++) w->changed = fmax(w->changed, fabs(t->gone[i]));
    knot->root = t->pose.root;
    memcpy(knot->q, t->pose.q, sizeof(double) * (size_t)t->creature->view.q_count);
    return status;
}

/* Leaves a frame as the round before made it. */
static void pass_frame(hf_retarget_work* w, int frame) {
    hf_follower* t = &w->follower;
    const hf_knot* knot = &w->schedule->knots[frame];
    size_t bytes = sizeof(double) * (size_t)t->creature->view.q_count;
    t->before.root = t->pose.root, t->pose.root = knot->root;
    memcpy(t->before.q, t->pose.q, bytes);
    memcpy(t->pose.q, knot->q, bytes);
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        if (!hf_held_lasts(h, frame)) continue;
        bool kept = h->kept[frame - h->phase->first];
        h->held += kept, h->missed += !kept;
    }
}

/* The work ends at a frame. What the round before made of this and later frames stays; only holds that moved
   since are not reached there. */
static void keep_rest(hf_retarget_work* w, int frame, int round) {
    w->cancelled = true;
    // frames of a stretched clip are those of the pass before it until they are solved
    if (round == 0 && !w->clip.at) hf_schedule_cut(w->schedule, frame > 0 ? frame : 1);
    for (int i = 0; i < w->held_count && round == 1; i++) {
        const hf_phase* p = w->held[i].phase;
        int first = frame > p->first ? frame : p->first;
        if (p->moved_m > 0 && first <= p->last)
            memset(w->held[i].kept + (first - p->first), 0, (size_t)(p->last - first + 1));
    }
}

void hf_retarget_again(hf_retarget_work* w, int first, int last, double around_s) {
    int around = (int)(around_s / w->clip.clip->frame_time_s) + 1;
    for (int f = first - around; f <= last + around; f++)
        if (f >= 0 && f < w->frames) w->again[f] = true;
}

/* Counts begin anew. A limb that arrives anew at a hold finds the orientation of its contact again, and is
   solved as long as it holds. */
static void begin_round(hf_retarget_work* w) {
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        h->held = h->missed = h->measured = 0;
        h->off_m = 0;
        h->reached = hf_v3(0, 0, 0);
        if (!h->dropped && w->again[h->first]) {
            hf_retarget_again(w, h->first, h->last, 0);
            h->anchored = false;
        }
        for (int f = h->phase->first; f <= h->phase->last; f++)
            if (!hf_held_lasts(h, f)) h->kept[f - h->phase->first] = false;
    }
    hf_retarget_paths(w);
}

/* Solves the frames that are marked, and those after them until the motion is again what it was. */
static hf_status solve_frames(hf_retarget_work* w, int round) {
    hf_status status = HF_OK;
    begin_round(w);
    bool same = true; /* as the round before left the frame before */
    for (int f = 0; f < w->frames && status == HF_OK; f++) {
        if (!hf_workspace_goes_on(w->workspace)) {
            keep_rest(w, f, round);
            return HF_OK;
        }
        if (w->again[f] || !same) {
            status = solve_frame(w, f);
            same = !w->again[f] && w->changed < SETTLED;
        } else
            pass_frame(w, f);
        w->again[f] = false;
    }
    return status;
}

/* ---- the schedule ---- */

static int shortest_frames(const hf_retarget_work* w) {
    return (int)(w->options->shortest_s / w->clip.clip->frame_time_s) + 1;
}

static hf_schedule_hold hold_of(hf_retarget_work* w, const hf_held_phase* h, int first, int last) {
    double dt = w->clip.clip->frame_time_s;
    const hf_phase* p = h->phase;
    hf_hold hold = {p->limb, p->frame, p->object, false, p->point, p->normal};
    hf_placement_set_time(w->finder.placement, p->first * dt);
    hold = hf_hold_in_object(hold, hf_object_pose(w->finder.placement, p->object));
    return (hf_schedule_hold){hold, first * dt, last * dt};
}

/* Does another hold of the limb begin with the next frame? One frame between them is free: a hold is kept
   until the frame after its last one, unless the limb lets go. */
static bool is_followed(const hf_retarget_work* w, const hf_held_phase* h, int last) {
    for (int i = 0; i < w->held_count; i++)
        if (&w->held[i] != h && !w->held[i].dropped && w->held[i].phase->limb == h->phase->limb &&
            w->held[i].phase->first == last + 1)
            return true;
    return false;
}

hf_status hf_retarget_holds(hf_retarget_work* w) {
    hf_schedule* s = w->schedule;
    s->hold_count = 0;
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        int count = h->phase->last - h->phase->first + 1, shortest = shortest_frames(w);
        h->held = 0;
        for (int k = 0; k < count && !h->dropped;) {
            int end = k;
            while (end < count && h->kept[end] == h->kept[k]) end++;
            bool there = h->phase->first + end - 1 < s->knot_count;
            if (h->kept[k] && there && (end - k >= shortest || end - k == count)) {
                int first = h->phase->first + k, last = h->phase->first + end - 1;
                last -= is_followed(w, h, last);
                if (!HF_GROW(s->holds, s->hold_capacity, s->hold_count)) return HF_ERROR_MEMORY;
                if (!HF_GROW(w->anchors, w->anchor_capacity, s->hold_count)) return HF_ERROR_MEMORY;
                // a run of one frame before another hold leaves nothing to hold
                if (last >= first) w->anchors[s->hold_count] = h->anchor;
                if (last >= first) s->holds[s->hold_count++] = hold_of(w, h, first, last);
                if (last >= first) h->held += end - k;
            }
            k = end;
        }
    }
    return HF_OK;
}

static hf_status make_knots(hf_retarget_work* w) {
    double rate = 1 / w->clip.clip->frame_time_s;
    hf_status status = hf_schedule_create(w->creature.creature, rate, &w->schedule);
    for (int f = 0; f < w->frames && status == HF_OK; f++)
        status = hf_schedule_add(w->schedule, w->finder.placement, f * w->clip.clip->frame_time_s,
                                 &w->follower.pose, NULL, 0, f == 0);
    if (status == HF_OK)
        w->schedule->claims =
            HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_COLLISION | HF_CLAIM_CONTACTS | HF_CLAIM_SPEED;
    return status;
}

/* ---- the whole ---- */

int hf_retarget_role(const hf_creature_body* b, int limb) {
    for (int role = 0; role < HF_MAX_MARKED; role++)
        if (b->limbs[role].limb == limb || (b->limbs[role].limb >= 0 && b->limbs[role].middle_limb == limb))
            return role;
    return -1;
}

/* A knee that touches while its own foot does is left to the foot: the two share joints, and no stance has
 * both. */
static bool is_excluded(const hf_retarget_work* w, const hf_phases* phases, const hf_phase* p) {
    const hf_limb* l = &w->creature.creature->view.limbs[p->limb];
    int role = hf_retarget_role(&w->creature, p->limb);
    if (role < 0 || w->creature.limbs[role].limb == p->limb) return false;
    for (int i = 0; i < phases->count; i++)
        for (int k = 0; k < l->exclude_count; k++)
            if (phases->items[i].limb == l->excludes[k] && phases->items[i].first <= p->last &&
                phases->items[i].last >= p->first)
                return true;
    return false;
}

static hf_status list_held(hf_retarget_work* w, hf_phases* phases) {
    w->held = hf_alloc((size_t)phases->count, sizeof *w->held);
    if (!w->held) return HF_ERROR_MEMORY;
    for (int i = 0; i < phases->count; i++) {
        hf_phase* p = &phases->items[i];
        if (is_excluded(w, phases, p)) {
            p->fate = HF_RETARGET_DROPPED;
            snprintf(p->why, sizeof p->why, "another contact of the same limb holds meanwhile");
            continue;
        }
        hf_held_phase* h = &w->held[w->held_count++];
        *h = (hf_held_phase){
            .phase = p, .first = p->first, .last = p->last, .role = hf_retarget_role(&w->creature, p->limb)};
        bool main_limb = h->role >= 0 && w->creature.limbs[h->role].limb == p->limb;
        const hf_clip_limb* c = h->role >= 0 ? &w->clip.limbs[h->role] : NULL;
        h->joint = !c ? w->clip.root : !main_limb ? c->middle : c->tip >= 0 ? c->tip : c->lower;
        h->kept = hf_alloc((size_t)(p->last - p->first + 1), 1);
        h->best_kept = hf_alloc((size_t)(p->last - p->first + 1), 1);
        if (!h->kept || !h->best_kept) return HF_ERROR_MEMORY;
        h->foot = h->role >= 0 && hf_role_is_leg(h->role) && w->creature.limbs[h->role].limb == p->limb;
    }
    return HF_OK;
}

static void tell_fates(hf_retarget_work* w) {
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        hf_phase* p = h->phase;
        int count = p->last - p->first + 1;
        p->held_share = (double)h->held / count;
        if (!p->why[0] && h->held < count)
            snprintf(p->why, sizeof p->why, "the limb cannot hold in %d of %d frames", count - h->held,
                     count);
        p->fate = h->held == 0                 ? HF_RETARGET_FAILED
                  : p->moved_m > MOVED_M       ? HF_RETARGET_MOVED
                  : p->held_share < KEPT_SHARE ? HF_RETARGET_BENT
                                               : HF_RETARGET_KEPT;
        if (p->fate == HF_RETARGET_KEPT) p->why[0] = 0;
    }
}

hf_status hf_retarget_judge(hf_retarget_work* w, const hf_scene* scene, hf_realise_result* judged) {
    hf_realise_options test = hf_realise_options_default();
    hf_motion* motion = NULL;
    hf_status status = hf_retarget_holds(w);
    if (status == HF_OK)
        status = hf_realise(w->creature.creature, scene, w->schedule, &test, w->workspace, &motion, judged);
    hf_motion_free(motion);
    return status;
}

/* Clears the frames that are at fault, and judges again. Objects that move are left to the rounds. */
static hf_status clear(hf_retarget_work* w, const hf_scene* scene, hf_realise_result* judged) {
    hf_clear_job job = {.creature = w->creature.creature,
                        .scene = scene,
                        .placement = w->finder.placement,
                        .schedule = w->schedule,
                        .workspace = w->workspace,
                        .anchors = w->anchors};
    if (judged->fault_count == 0 || hf_scene_moves(scene)) return HF_OK;
    int left = 0;
    hf_status status = hf_clear_faults(&job, judged, &left);
    return status == HF_OK ? hf_retarget_judge(w, scene, judged) : status;
}

/* One round: solves, puts limbs exactly onto their holds, lets the realiser judge and clears what is at
   fault. *again: holds moved or were given up, and the frames are not those that were judged. *before: faults
   of the round before as it was solved. */
static hf_status solve_round(hf_retarget_work* w, const hf_scene* scene, int round, hf_realise_result* judged,
                             int* before, bool* again) {
    hf_status status = solve_frames(w, round);
    if (status == HF_OK && !w->cancelled) status = hf_retarget_settle(w);
    if (status == HF_OK && !w->cancelled) status = hf_retarget_judge(w, scene, judged);
    // what was judged after the work was cancelled has no meaning: the frames stay as they are
    if (status == HF_OK && !w->cancelled && hf_workspace_cancelled(w->workspace)) keep_rest(w, 0, round + 1);
    if (status != HF_OK || w->cancelled) return status;
    *again = hf_mend_holds(w, round);
    // another round with more room costs less than clearing many frames, as long as rounds help
    int faults = judged->fault_count;
    bool helps = round < w->options->rounds && faults < PROGRESS * *before && faults > SOME * w->frames;
    *before = faults;
    return *again || helps ? HF_OK : clear(w, scene, judged);
}

/* Limbs let go near the ends of their holds where their bodies collide, and the frames are cleared again. */
static hf_status clear_freed(hf_retarget_work* w, const hf_scene* scene) {
    hf_realise_result judged = {0};
    hf_status status = hf_retarget_judge(w, scene, &judged);
    for (int i = 0; i < CLEARINGS && status == HF_OK && judged.fault_count; i++) {
        if (hf_workspace_cancelled(w->workspace) || !hf_mend_let_go(w, &judged)) break;
        status = hf_retarget_judge(w, scene, &judged);
        if (status == HF_OK) status = clear(w, scene, &judged);
    }
    hf_realise_result_free(&judged);
    return status;
}

/* Solves, lets the realiser judge, mends, and solves again; the round with the fewest faults is taken, when
   the work is cancelled too. Then limbs let go for what is at fault, and the rest gets detours. */
static hf_status solve_rounds(hf_retarget_work* w, const hf_scene* scene, hf_phases* phases) {
    hf_realise_result judged = {0};
    hf_status status = HF_OK;
    int before = INT_MAX;
    w->best.faults = INT_MAX;
    for (int round = 0; status == HF_OK; round++) {
        bool again = false;
        status = solve_round(w, scene, round, &judged, &before, &again);
        if (status != HF_OK || w->cancelled) break;
        // holds that are given up or moved are not those that were judged
        bool better = judged.fault_count < w->best.faults && !again;
        bool cleared = judged.fault_count < before;
        if (better) hf_best_keep(w, phases, judged.fault_count);
        if (cleared && !better && !again) break; // more room no longer helps
        if (round >= w->options->rounds || (judged.fault_count <= FEW * w->frames && !again)) break;
        if (!hf_mend_collisions(w, &judged) && !again) break;
    }
    if (status == HF_OK && w->best.faults < INT_MAX) hf_best_take(w, phases);
    if (status == HF_OK && !w->cancelled && w->best.faults < INT_MAX) status = clear_freed(w, scene);
    hf_realise_result_free(&judged);
    if (status != HF_OK) return status;
    if (w->cancelled) return hf_retarget_holds(w);
    status = hf_retarget_detours(w, scene, phases);
    if (status == HF_OK && !w->cancelled) status = hf_retarget_regain(w, scene);
    return status == HF_OK && !w->cancelled ? hf_retarget_steady(w, scene) : status;
}

/* How many times faster than its limits the creature would have to be to follow the clip as fast as it is, in
   each frame, over the time in which it can catch up. */
static hf_status find_demand(hf_retarget_work* w, double** demand) {
    hf_status status = HF_OK;
    int around = (int)(CATCH_UP_S / 2 / w->clip.clip->frame_time_s) + 1;
    int first = hf_clip_body_first(&w->clip, &hf_creature_get(w->creature.creature)->limits);
    for (int i = 0; i < w->held_count; i++)
        if (w->held[i].first < first) w->held[i].first = first;
    w->begin = first, w->follower.unhurried = true;
    *demand = hf_alloc((size_t)w->frames, sizeof **demand);
    status = *demand ? solve_frames(w, 0) : HF_ERROR_MEMORY;
    w->begin = 0, w->follower.unhurried = false;
    for (int f = 0; f < w->schedule->knot_count && status == HF_OK; f++) {
        int from = f - around > first ? f - around : first, to = f + around;
        if (to >= w->schedule->knot_count) to = w->schedule->knot_count - 1;
        if (to <= from) continue;
        hf_pose a = {w->schedule->knots[from].root, w->schedule->knots[from].q};
        hf_pose b = {w->schedule->knots[to].root, w->schedule->knots[to].q};
        (*demand)[f] = hf_frames_speed(w->creature.creature, w->follower.rate / (to - from), &a, &b);
    }
    return status;
}

/* What there is for each frame. */
static hf_status make_frames(hf_retarget_work* w, const hf_phases* phases) {
    w->frames = w->clip.frame_count;
    size_t frames = (size_t)w->frames;
    w->best.roots = hf_alloc(frames, sizeof *w->best.roots);
    w->best.q = hf_alloc(frames * (size_t)w->creature.creature->view.q_count + 1, sizeof *w->best.q);
    w->best.phases = hf_alloc((size_t)phases->count + 1, sizeof *w->best.phases);
    if (!w->best.roots || !w->best.q || !w->best.phases) return HF_ERROR_MEMORY;
    w->more = hf_alloc((size_t)w->frames * (size_t)w->body_count, sizeof *w->more);
    w->wishes = hf_alloc((size_t)w->frames * HF_MAX_MARKED, sizeof *w->wishes);
    w->again = hf_alloc((size_t)w->frames, sizeof *w->again);
    if (!w->more || !w->wishes || !w->again) return HF_ERROR_MEMORY;
    hf_retarget_again(w, 0, w->frames - 1, 0);
    return make_knots(w);
}

static void free_frames(hf_retarget_work* w) {
    hf_free(w->more);
    hf_free(w->wishes);
    hf_free(w->again);
    for (int i = 0; i < w->held_count; i++) {
        hf_free(w->held[i].kept);
        hf_free(w->held[i].best_kept);
    }
    hf_free(w->held);
    hf_free(w->best.roots);
    hf_free(w->best.q);
    hf_free(w->best.phases);
    w->best = (hf_best_round){0};
    w->more = NULL, w->wishes = NULL, w->again = NULL, w->held = NULL, w->held_count = 0;
}

/* Is the clip's root farther from every object than the clip is tall, in all frames? */
static bool is_apart(hf_retarget_work* w) {
    hf_surface near;
    bool apart = hf_scene_object_count(hf_placement_scene(w->finder.placement)) > 0;
    for (int f = 0; f < w->clip.frame_count && apart; f++) {
        hf_clip_body_set(&w->clip, f);
        hf_placement_set_time(w->finder.placement, f * w->clip.clip->frame_time_s);
        apart = !hf_placement_closest(w->finder.placement, w->clip.now[w->clip.root].position,
                                      w->clip.clip->height_m, &near);
    }
    return apart;
}

static hf_status prepare(hf_retarget_work* w, const hf_scene* scene, const hf_joint_link* mapping,
                         int mapping_count, hf_retarget_result* result, hf_error* error) {
    hf_status status = hf_landmarks_match(&w->clip, &w->creature, mapping, mapping_count, error);
    if (status != HF_OK) return status;
    status = hf_landmarks_list(&w->clip, &w->creature, &result->mapping);
    if (status == HF_OK) status = hf_placement_create(scene, &w->finder.placement);
    w->finder.scale = hf_landmarks_scale(&w->clip, &w->creature);
    w->finder.clip = &w->clip, w->finder.creature = &w->creature, w->finder.options = w->options;
    if (status == HF_OK) status = hf_follow_make(&w->creature, 1 / w->clip.clip->frame_time_s, &w->follower);
    if (status == HF_OK) status = hf_push_make(&w->creature, &w->push);
    if (status == HF_OK) status = hf_phases_find(&w->finder, &result->phases, w->depths);
    if (status == HF_OK && result->phases.count == 0 && is_apart(w))
        return hf_fail(
            error, HF_ERROR_ARGUMENT, w->clip.clip->path, 0, NULL,
            "the clip is never within its own height of the scene: are they in one place and unit?");
    w->body_count = w->creature.creature->view.body_count;
    if (status == HF_OK) status = make_frames(w, &result->phases);
    if (status == HF_OK) status = list_held(w, &result->phases);
    return hf_fail_status(error, status, w->clip.clip->path);
}

/* The first frame of the stretched clip that shows this frame of the clip or a later one; the number of its
   frames where there is none. */
static int stretched(const hf_clip_body* c, int frame) {
    int k = 0;
    while (k < c->frame_count && c->at[k] < frame - 1e-9) k++;
    return k;
}

/* The poses of the pass before at their new times. */
static void stretch_knots(hf_retarget_work* w, const hf_schedule* before) {
    for (int f = 0; f < w->frames; f++) {
        int k = (int)w->clip.at[f], next = k + 1 < before->knot_count ? k + 1 : k;
        hf_pose a = {before->knots[k].root, before->knots[k].q};
        hf_pose b = {before->knots[next].root, before->knots[next].q};
        hf_pose to = {.q = w->schedule->knots[f].q};
        hf_pose_between(w->creature.creature, &a, &b, w->clip.at[f] - k, &to);
        w->schedule->knots[f].root = to.root;
    }
}

/* Phases in the frames of the stretched clip. A phase of a leading pose that was left out goes with it. */
static void stretch_phases(const hf_clip_body* c, hf_phases* phases) {
    int count = 0;
    for (int i = 0; i < phases->count; i++) {
        hf_phase p = phases->items[i];
        p.first = stretched(c, p.first), p.last = stretched(c, p.last + 1) - 1;
        p.from_s = p.first * c->clip->frame_time_s, p.to_s = p.last * c->clip->frame_time_s;
        if (p.last >= p.first) phases->items[count++] = p;
    }
    phases->count = count;
}

/* Stretches time where the creature cannot be as fast as the clip. Phases stay those of the clip. */
static hf_status pace(hf_retarget_work* w, hf_phases* phases, hf_error* error) {
    double* demand = NULL;
    hf_status status = hf_fail_status(error, find_demand(w, &demand), w->clip.clip->path);
    if (status == HF_OK && !w->cancelled)
        status = hf_clip_body_pace(&w->clip, &hf_creature_get(w->creature.creature)->limits, demand, error);
    hf_free(demand);
    if (status != HF_OK || w->cancelled) return status;
    stretch_phases(&w->clip, phases);
    hf_schedule* before = w->schedule;
    w->schedule = NULL;
    free_frames(w);
    status = make_frames(w, phases);
    if (status == HF_OK) stretch_knots(w, before);
    hf_schedule_free(before);
    if (status == HF_OK) status = list_held(w, phases);
    return hf_fail_status(error, status, w->clip.clip->path);
}

static void free_work(hf_retarget_work* w) {
    hf_clip_body_free(&w->clip);
    hf_creature_body_free(&w->creature);
    hf_follow_free(&w->follower);
    hf_push_free(&w->push);
    hf_placement_free(w->finder.placement);
    hf_free(w->anchors);
    free_frames(w);
}

hf_status hf_retarget_check(const hf_clip* clip, const hf_creature* creature,
                            const hf_retarget_options* options, hf_error* error) {
    hf_status status = hf_options_check(hf_retarget_option_table(), options, error);
    if (status != HF_OK) return status;
    if (clip->frame_count < 2)
        return hf_fail(error, HF_ERROR_ARGUMENT, clip->path, 0, NULL,
                       "has %s, a motion has at least two frames",
                       clip->frame_count ? "one frame" : "no frames");
    double rate = 1 / clip->frame_time_s;
    if (!(rate >= 1 && rate <= 1000))
        return hf_fail(error, HF_ERROR_ARGUMENT, clip->path, 0, NULL,
                       "%g frames a second are outside 1 to 1000: give the rate", rate);
    double size = clip->height_m / hf_creature_get(creature)->height;
    if (!(size > 0.05 && size < 20))
        return hf_fail(error, HF_ERROR_ARGUMENT, clip->path, 0, NULL,
                       "the clip's skeleton is %.3g m tall and the creature %.3g m: give the clip's unit",
                       clip->height_m, hf_creature_get(creature)->height);
    return HF_OK;
}

static hf_status make_bodies(const hf_clip* clip, const hf_creature* creature, hf_retarget_work* w,
                             hf_error* error) {
    hf_status status = hf_clip_body_make(clip, &w->clip, error);
    return status == HF_OK ? hf_creature_body_make(creature, &w->creature, error) : status;
}

hf_status hf_retarget_scale(const hf_clip* clip, const hf_creature* creature, const hf_joint_link* mapping,
                            int mapping_count, double* scale, hf_error* error) {
    HF_REQUIRE(error, clip && creature && scale && (mapping || !mapping_count));
    hf_retarget_work w = {0};
    hf_status status = make_bodies(clip, creature, &w, error);
    if (status == HF_OK) status = hf_landmarks_match(&w.clip, &w.creature, mapping, mapping_count, error);
    if (status == HF_OK) *scale = hf_landmarks_scale(&w.clip, &w.creature);
    free_work(&w);
    return status;
}

hf_status hf_retarget_edited(const hf_clip* clip, const hf_creature* creature, const hf_scene* scene,
                             const hf_scene* edited, const hf_joint_link* mapping, int mapping_count,
                             const hf_retarget_options* options, hf_workspace* workspace,
                             hf_schedule** schedule, hf_retarget_result* result, hf_error* error) {
    HF_REQUIRE(error, clip && creature && scene && edited && options && workspace && schedule && result);
    HF_REQUIRE(error, mapping || !mapping_count);
    *schedule = NULL;
    hf_retarget_result_free(result);
    result->edited = false;
    hf_status status = hf_retarget_check(clip, creature, options, error);
    if (status == HF_OK)
        status = hf_retarget_scale(clip, creature, mapping, mapping_count, &result->scale, error);
    if (status != HF_OK) return status;
    hf_clip scaled = *clip;
    if (options->scale_scene) scaled.unit_m *= result->scale;
    hf_retarget_work w = {.options = options, .workspace = workspace};
    status = make_bodies(&scaled, creature, &w, error);
    if (status == HF_OK) status = prepare(&w, scene, mapping, mapping_count, result, error);
    bool exact = false, own = status == HF_OK && !options->scale_scene;
    if (own) status = hf_fail_status(error, hf_retarget_exact(&w, &result->phases, &exact), clip->path);
    if (status == HF_OK && !exact && edited != scene)
        status = hf_fail_status(error, hf_retarget_carry(&w, scene, edited, &result->phases, &result->edited),
                                clip->path);
    if (status == HF_OK && !exact) status = pace(&w, &result->phases, error);
    if (status == HF_OK) {
        status = exact || w.cancelled ? hf_retarget_holds(&w)
                                      : solve_rounds(&w, result->edited ? edited : scene, &result->phases);
        tell_fates(&w);
        result->cancelled = w.cancelled;
        status = hf_fail_status(error, status, clip->path);
    }
    if (status == HF_OK)
        *schedule = w.schedule;
    else
        hf_schedule_free(w.schedule);
    free_work(&w);
    return status;
}

hf_status hf_retarget(const hf_clip* clip, const hf_creature* creature, const hf_scene* scene,
                      const hf_joint_link* mapping, int mapping_count, const hf_retarget_options* options,
                      hf_workspace* workspace, hf_schedule** schedule, hf_retarget_result* result,
                      hf_error* error) {
    return hf_retarget_edited(clip, creature, scene, scene, mapping, mapping_count, options, workspace,
                              schedule, result, error);
}
