/* Detours: where frames are at fault after all rounds, the way from a good frame before them to a good frame
   after them is found anew by the one swing maker, and takes as long as the speed limits ask for. Limbs that
   hold all the time keep their holds; limbs that are to blame, or whose holds change in between, swing. Where
   no swing is free, the way leads over a pose beside the frames at fault. */
#include "adapt/retarget.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "schedule/frames.h"
#include "solve/keep.h"

#include <holdfast/rom.h>
#include <holdfast/swing.h>

#include <math.h>
#include <string.h>

/* Times between the fault and the ends of its detour that are tried, s: the shortest changes least. */
static const double MARGINS_S[] = {0.05, 0.1, 0.2, 0.4, 0.8};
enum { MARGINS = sizeof MARGINS_S / sizeof *MARGINS_S };
/* Faults nearer to each other have one detour, s; those that are left in the end join others that are left.
 */
static const double JOINED_S[] = {0.1, 0.3};
/* Poses beside the frames at fault that a way may lead over: how many are drawn, and how far the last of them
   are from the motion, root in m and joints in rad. */
enum { VIA_DRAWS = 240, VIA_STREAM = 83, MAX_KNOTS = 2 * HF_SWING_KNOTS };
static const double VIA_M = 0.25, VIA_RAD = 0.8;
enum { VIA_TRIES = 3 }; /* shapes of a swing to or from such a pose: another pose is sooner free */
/* Share of the speed limits that a detour uses: frames fall between the knots of the swing. */
static const double SPEED_SHARE = 0.9;

/* What a detour costs, in frames: those that it adds, those in which a hold is lost, and this share of those
   whose pose it replaces. */
static const double REPLACED = 0.1;

/* A way between two good frames. */
typedef struct way {
    int from, to;           /* the good frames */
    int frames;             /* that the way takes */
    hf_schedule* frames_of; /* its frames, the first is `from`, the last `to` */
    int hold_count;
    hf_hold* holds; /* that last all the time */
    double cost;
} way;

/* Which limbs let go of holds that last: none, those that are no legs, all, which may lose a whole hold. */
typedef enum letting_go { NONE, HANDS, ALL } letting_go;

typedef struct detour {
    hf_retarget_work* work;
    const hf_scene* scene;
    hf_phases* phases;
    const hf_realise_result* judged;
    hf_swing* swing;
    int first, last; /* frames at fault */
    way now, best;
    letting_go lets_go;
    int tried_count; /* ends of ways that were tried */
    int tried[2 * MARGINS * MARGINS][2];
    bool lifts;           /* limbs are lifted at their free ends */
    bool leaves, arrives; /* the swing leaves the holds at `from`, and arrives at those at `to` */
    hf_vec3 out;          /* out of what the first of these frames collides with; 0: nothing */
    int limb_count;
    hf_swing_limb* limbs;
    bool* swings;   /* of each limb */
    int knot_count; /* of the way */
    hf_transform* roots;
    double *q, *way_s; /* way_s: the time of each move */
    double* via;       /* joint values of a pose that the way leads over */
} detour;

static int frame_of(const detour* d, double time_s) {
    return (int)floor(time_s * d->work->schedule->rate + 0.5);
}

/* ---- which limbs ---- */

static bool is_at_fault(const detour* d, int frame) {
    for (int i = 0; i < d->judged->fault_count; i++)
        if (d->judged->faults[i].frame == frame) return true;
    return false;
}

static bool same_hold(const hf_hold* a, const hf_hold* b) {
    return a->limb == b->limb && a->frame == b->frame && a->object == b->object &&
           hf_distance(a->point, b->point) < HF_CONTACT_M;
}

/* Does the hold last all the way? One that is only interrupted on it does. Limbs that let go leave their hold
   and come back. */
static bool lasts(const detour* d, const hf_schedule_hold* h) {
    const hf_schedule* s = d->work->schedule;
    int role = hf_retarget_role(&d->work->creature, h->hold.limb);
    bool leg = role >= 0 && hf_role_is_leg(role), first = false, last = false;
    if (d->lets_go == ALL || (d->lets_go == HANDS && !leg)) return false;
    for (int i = 0; i < s->hold_count; i++) {
        if (!same_hold(&s->holds[i].hold, &h->hold)) continue;
        int begin = frame_of(d, s->holds[i].from_s), end = frame_of(d, s->holds[i].to_s);
        first |= begin <= d->now.from && end >= d->now.from;
        last |= begin <= d->now.to && end >= d->now.to;
    }
    return first && last;
}

/* The whole limb that a link belongs to: the one with most joints; -1: none. */
static int limb_of(const hf_creature_view* v, const hf_creature* creature, int link) {
    int best = -1;
    for (int i = 0; i < v->limb_count; i++)
        if (v->limbs[i].use && v->limbs[i].joint_count > 0 && hf_link_in_limb(creature, link, i) &&
            (best < 0 || v->limbs[i].joint_count > v->limbs[best].joint_count))
            best = i;
    return best;
}

static void blame_body(const detour* d, int body) {
    const hf_creature* c = d->work->creature.creature;
    int limb = body >= 0 ? limb_of(&c->view, c, c->view.bodies[body].link) : -1;
    if (limb >= 0) d->swings[limb] = true;
}

/* Limbs whose bodies are at fault between two frames swing. */
static void blame(detour* d, int from, int to) {
    bool first = true;
    memset(d->swings, 0, sizeof *d->swings * (size_t)d->work->creature.creature->view.limb_count);
    d->out = hf_v3(0, 0, 0);
    for (int i = 0; i < d->judged->fault_count; i++) {
        const hf_frame_fault* f = &d->judged->faults[i];
        if (f->frame < from || f->frame > to || f->kind != HF_FAULT_COLLIDES) continue;
        if (first && f->collision.other_body < 0) d->out = f->collision.surface.normal;
        first = false;
        blame_body(d, f->collision.body);
        blame_body(d, f->collision.other_body);
    }
}

/* Shortens the detour so that no hold of a limb that does not swing changes on it, and a limb that swings
   does so from the end of its hold to the begin of the next one. */
static void shorten(detour* d) {
    const hf_schedule* s = d->work->schedule;
    for (int i = 0; i < s->hold_count; i++) {
        int begin = frame_of(d, s->holds[i].from_s), end = frame_of(d, s->holds[i].to_s);
        int free = d->swings[s->holds[i].hold.limb] ? 0 : 1;
        if (end >= d->now.from && end < d->first) d->now.from = end + free;
        if (begin <= d->now.to && begin > d->last) d->now.to = begin - free;
        if (begin > d->now.from && begin <= d->first && free) d->now.from = begin;
        if (end < d->now.to && end >= d->last && free) d->now.to = end;
    }
}

/* The limbs that hold all the time and those that swing, with what they leave and where they arrive; false
   where a hold would be lost. */
static bool list_limbs(detour* d) {
    const hf_schedule* s = d->work->schedule;
    const hf_creature* c = d->work->creature.creature;
    d->limb_count = d->now.hold_count = 0;
    for (int i = 0; i < s->hold_count; i++) {
        const hf_hold* h = &s->holds[i].hold;
        int begin = frame_of(d, s->holds[i].from_s), end = frame_of(d, s->holds[i].to_s);
        if (end < d->now.from || begin > d->now.to) continue;
        bool all = lasts(d, &s->holds[i]);
        if (begin > d->now.from && end < d->now.to && d->lets_go != ALL && !all) return false;
        if (!all) d->swings[h->limb] = true;
        if (!all || begin > d->now.from) continue;
        d->now.holds[d->now.hold_count++] =
            hf_hold_in_world(*h, hf_object_pose(d->work->finder.placement, h->object));
        // a leg whose knee holds, and a limb that holds, does not swing
        for (int limb = 0; limb < c->view.limb_count; limb++)
            if (hf_link_in_limb(c, c->view.limbs[h->limb].effector_link, limb)) d->swings[limb] = false;
    }
    for (int limb = 0; limb < c->view.limb_count; limb++) {
        if (!d->swings[limb]) continue;
        hf_swing_limb* l = &d->limbs[d->limb_count++];
        *l = (hf_swing_limb){.limb = limb, .start = {.object = -1}, .goal = {.object = -1}};
        for (int i = 0; i < s->hold_count; i++) {
            hf_hold world = s->holds[i].hold;
            if (world.limb != limb) continue;
            world = hf_hold_in_world(world, hf_object_pose(d->work->finder.placement, world.object));
            int begin = frame_of(d, s->holds[i].from_s), end = frame_of(d, s->holds[i].to_s);
            if (d->leaves && begin <= d->now.from && end >= d->now.from)
                l->start = world, l->frame = world.frame;
            if (d->arrives && begin <= d->now.to && end >= d->now.to) l->goal = world, l->frame = world.frame;
        }
        // a free end is lifted, too, on the second try: over an edge, not through it
        hf_vec3 out = l->start.object >= 0 ? l->start.normal : l->goal.object >= 0 ? l->goal.normal : d->out;
        if (d->lifts && l->start.object < 0) l->start.normal = out;
        if (d->lifts && l->goal.object < 0) l->goal.normal = out;
    }
    return true;
}

/* ---- the way ---- */

static hf_pose knot_pose(const hf_schedule* s, int frame) {
    return (hf_pose){s->knots[frame].root, s->knots[frame].q};
}

static hf_pose way_pose(const detour* d, int k) {
    return (hf_pose){d->roots[k], d->q + (size_t)k * (size_t)d->swing->q_count};
}

/* Every move of the way gets the time that its speeds need, and its share of what is left. */
static void time_way(detour* d) {
    int moves = d->knot_count - 1;
    double needed_s = 0, rate = d->work->schedule->rate, given_s = (d->now.to - d->now.from) / rate;
    for (int k = 0; k < moves; k++) {
        hf_pose a = way_pose(d, k), b = way_pose(d, k + 1);
        d->way_s[k] = hf_frames_speed(d->work->creature.creature, 1, &a, &b) / SPEED_SHARE;
        needed_s += d->way_s[k];
    }
    d->now.frames = (int)ceil(fmax(needed_s, given_s) * rate - 1e-6);
    for (int k = 0; k < moves; k++) d->way_s[k] += (d->now.frames / rate - needed_s) / moves;
}

/* Frames of the new way. */
static hf_status sample_way(detour* d) {
    const hf_creature* c = d->work->creature.creature;
    hf_pose pose = {.q = d->work->follower.next.q};
    double rate = d->work->schedule->rate, passed_s = 0;
    hf_status status = hf_schedule_create(c, rate, &d->now.frames_of);
    for (int f = 0, k = 0; f <= d->now.frames && status == HF_OK; f++) {
        while (k + 2 < d->knot_count && passed_s + d->way_s[k] < f / rate) passed_s += d->way_s[k++];
        hf_pose a = way_pose(d, k), b = way_pose(d, k + 1);
        double share = fmin(1, fmax(0, (f / rate - passed_s) / d->way_s[k]));
        if (f == d->now.frames) share = 1;
        hf_pose_between(c, &a, &b, share, &pose);
        status = hf_schedule_add(d->now.frames_of, NULL, f / rate, &pose, NULL, 0, false);
    }
    return status;
}

static hf_status add_hold(detour* d, const hf_hold* hold, double from_s, double to_s) {
    hf_schedule* s = d->now.frames_of;
    if (!HF_GROW(s->holds, s->hold_capacity, s->hold_count)) return HF_ERROR_MEMORY;
    s->holds[s->hold_count++] = (hf_schedule_hold){*hold, from_s, to_s};
    return HF_OK;
}

/* The holds that last on the new way, and those at its ends. */
static hf_status add_holds(detour* d) {
    const hf_schedule* s = d->work->schedule;
    double end_s = d->now.frames / s->rate;
    hf_status status = HF_OK;
    d->now.frames_of->claims = s->claims;
    for (int i = 0; i < s->hold_count && status == HF_OK; i++) {
        const hf_schedule_hold* h = &s->holds[i];
        int begin = frame_of(d, h->from_s), end = frame_of(d, h->to_s);
        bool all = lasts(d, h);
        if (begin <= d->now.from && end >= d->now.from) status = add_hold(d, &h->hold, 0, all ? end_s : 0);
        if (!all && begin <= d->now.to && end >= d->now.to && status == HF_OK)
            status = add_hold(d, &h->hold, end_s, end_s);
    }
    return status;
}

/* Has the new way no fault? */
static hf_status judge_way(detour* d, bool* good) {
    hf_realise_options test = hf_realise_options_default();
    hf_realise_result judged = {0};
    hf_motion* motion = NULL;
    hf_status status = hf_realise(d->work->creature.creature, d->scene, d->now.frames_of, &test,
                                  d->work->workspace, &motion, &judged);
    *good = status == HF_OK && judged.fault_count == 0;
    hf_motion_free(motion);
    hf_realise_result_free(&judged);
    return status;
}

static void append_swing(detour* d) {
    const hf_swing* s = d->swing;
    int skipped = d->knot_count > 0; // the way ends where the swing begins
    size_t n = (size_t)s->q_count;
    memcpy(d->roots + d->knot_count, s->roots + skipped,
           sizeof *s->roots * (size_t)(s->knot_count - skipped));
    memcpy(d->q + (size_t)d->knot_count * n, s->q + (size_t)skipped * n,
           sizeof *s->q * n * (size_t)(s->knot_count - skipped));
    d->knot_count += s->knot_count - skipped;
}

/* A swing of the limbs to blame; where another free limb is in its way, that one swings, too. */
static hf_status find_swing(detour* d, const hf_pose* from, const hf_pose* to, bool* found) {
    hf_swing_query query = {.from = *from,
                            .to = *to,
                            .limbs = d->limbs,
                            .holds = d->now.holds,
                            .options = hf_swing_options_default()};
    hf_status status = HF_OK;
    *found = false;
    if (!d->leaves || !d->arrives) query.options.max_tries = VIA_TRIES;
    for (int before = -1; status == HF_OK && !*found;) {
        if (!list_limbs(d) || d->limb_count == before) break;
        before = query.limb_count = d->limb_count, query.hold_count = d->now.hold_count;
        status = hf_swing_find(d->work->creature.creature, d->work->finder.placement, &query,
                               d->work->workspace, d->swing);
        *found = d->swing->outcome == HF_FOUND;
        if (d->swing->why != HF_SWING_COLLIDES) break;
        blame_body(d, d->swing->collision.body);
        blame_body(d, d->swing->collision.other_body);
    }
    if (*found) append_swing(d);
    return status;
}

/* Frames in which a hold does not last because of the way. */
static int lost_frames(const detour* d) {
    const hf_schedule* s = d->work->schedule;
    int lost = 0;
    for (int i = 0; i < s->hold_count; i++) {
        int begin = frame_of(d, s->holds[i].from_s), end = frame_of(d, s->holds[i].to_s);
        if (begin <= d->now.from) begin = d->now.from + 1;
        if (end >= d->now.to) end = d->now.to - 1;
        if (!lasts(d, &s->holds[i]) && end >= begin) lost += end - begin + 1;
    }
    return lost;
}

/* The frames of a way that was found are the best if they are good and cost less. */
static hf_status take_way(detour* d) {
    bool good = false;
    int replaced = d->now.to - d->now.from;
    time_way(d);
    d->now.cost = d->now.frames - replaced + lost_frames(d) + REPLACED * replaced;
    if (d->now.cost >= d->best.cost) return HF_OK;
    hf_status status = sample_way(d);
    if (status == HF_OK) status = add_holds(d);
    if (status == HF_OK) status = judge_way(d, &good);
    if (good) {
        way was = d->best;
        d->best = d->now, d->now.holds = was.holds, d->now.frames_of = was.frames_of;
    }
    hf_schedule_free(d->now.frames_of);
    d->now.frames_of = NULL;
    return status;
}

/* The way in one swing. */
static hf_status try_way(detour* d) {
    hf_pose from = knot_pose(d->work->schedule, d->now.from), to = knot_pose(d->work->schedule, d->now.to);
    hf_status status = HF_OK;
    bool found = false;
    d->leaves = d->arrives = true;
    for (int lifts = 0; lifts < 2 && status == HF_OK && !found; lifts++) {
        d->lifts = lifts, d->knot_count = 0;
        status = find_swing(d, &from, &to, &found);
    }
    return status == HF_OK && found ? take_way(d) : status;
}

/* A pose beside one of the frames at fault: root, free limbs to blame, or both are elsewhere. */
static hf_pose draw_pose(detour* d, int index) {
    const hf_creature_view* v = &d->work->creature.creature->view;
    hf_random r = hf_random_start(0, VIA_STREAM, (uint64_t)index);
    int frame = d->first + (int)(hf_random_unit(&r) * (d->last - d->first + 1));
    hf_pose at = knot_pose(d->work->schedule, frame), pose = {at.root, d->via};
    double far = (index + 1.0) / VIA_DRAWS, root = index % 3 == 0 ? 0 : far * VIA_M;
    memcpy(pose.q, at.q, sizeof *pose.q * (size_t)v->q_count);
    pose.root.position.x += root * (2 * hf_random_unit(&r) - 1);
    pose.root.position.y += root * (2 * hf_random_unit(&r) - 1);
    pose.root.position.z += root * (2 * hf_random_unit(&r) - 1);
    for (int i = 0; i < d->limb_count && index % 3 != 1; i++) {
        const hf_limb* limb = &v->limbs[d->limbs[i].limb];
        for (int k = 0; k < limb->joint_count; k++) {
            const hf_joint* j = &v->joints[limb->joints[k]];
            double x = pose.q[j->q_index] + far * VIA_RAD * (2 * hf_random_unit(&r) - 1);
            if (j->q_count == 1) pose.q[j->q_index] = fmin(fmax(x, j->lower), j->upper);
        }
    }
    hf_pose_follow(d->work->creature.creature, pose.q);
    hf_frames_keep_range(d->work->creature.creature, pose.q);
    return pose;
}

/* Puts the limbs that hold onto their holds, and tests the pose. */
static hf_status test_pose(detour* d, const hf_pose* pose, bool* good) {
    const hf_creature* c = d->work->creature.creature;
    hf_transform* links = d->work->follower.links;
    hf_pose from = knot_pose(d->work->schedule, d->now.from);
    hf_collision_query query = hf_collision_query_default();
    hf_status status = HF_OK;
    *good = true;
    for (int i = 0; i < d->now.hold_count && *good && status == HF_OK; i++) {
        hf_vec3 miss;
        hf_forward(c, &from, links);
        hf_anchor anchor = hf_hold_anchor(c, &d->now.holds[i], links);
        hf_forward(c, pose, links);
        status = hf_hold_keep(c, &d->now.holds[i], &anchor, HF_KEEP_SOON, d->work->workspace, links, pose->q,
                              good, &miss);
    }
    query.touches = d->now.holds, query.touch_count = d->now.hold_count;
    hf_forward(c, pose, links);
    *good = *good && hf_pose_within_rom(c, pose->q, HF_ROM_RAD) &&
            !hf_collides(c, d->work->finder.placement, links, &query, NULL);
    return status;
}

/* The way in two swings over a pose beside the frames at fault. */
static hf_status try_via(detour* d) {
    hf_pose from = knot_pose(d->work->schedule, d->now.from), to = knot_pose(d->work->schedule, d->now.to);
    hf_status status = HF_OK;
    if (!list_limbs(d)) return HF_OK;
    double cost = d->best.cost;
    for (int i = 0; i < VIA_DRAWS && !(d->best.cost < cost) && status == HF_OK; i++) {
        bool found = false;
        hf_pose via = draw_pose(d, i);
        d->leaves = d->arrives = d->lifts = true;
        status = list_limbs(d) ? test_pose(d, &via, &found) : HF_OK;
        if (status != HF_OK || !found) continue;
        d->arrives = false, d->knot_count = 0;
        status = find_swing(d, &from, &via, &found);
        d->leaves = false, d->arrives = true;
        if (status == HF_OK && found) status = find_swing(d, &via, &to, &found);
        if (status == HF_OK && found) status = take_way(d);
    }
    return status;
}

/* ---- into the motion ---- */

/* Where a frame is in the new motion. */
static int moved(const detour* d, int frame) {
    int given = d->now.to - d->now.from;
    if (frame <= d->now.from) return frame;
    if (frame >= d->now.to) return frame + d->now.frames - given;
    return d->now.from + (int)floor((double)(frame - d->now.from) * d->now.frames / given + 0.5);
}

static bool holds_on(const detour* d, int limb) {
    for (int i = 0; i < d->now.hold_count; i++)
        if (d->now.holds[i].limb == limb) return true;
    return false;
}

/* In which of its new frames a phase is held. */
static hf_status move_kept(const detour* d, hf_held_phase* h) {
    int first = moved(d, h->phase->first), last = moved(d, h->phase->last);
    int more = d->now.frames - (d->now.to - d->now.from);
    uint8_t* kept = hf_alloc((size_t)(last - first + 1), 1);
    if (!kept) return HF_ERROR_MEMORY;
    for (int f = first; f <= last; f++) {
        int was = f <= d->now.from ? f : f >= d->now.from + d->now.frames ? f - more : -1;
        if (was >= h->phase->first && was <= h->phase->last) kept[f - first] = h->kept[was - h->phase->first];
        if (was < 0) kept[f - first] = holds_on(d, h->phase->limb);
    }
    hf_free(h->kept);
    h->kept = kept;
    h->first = moved(d, h->first), h->last = moved(d, h->last);
    return HF_OK;
}

static hf_status move_phases(const detour* d) {
    hf_status status = HF_OK;
    double frame_s = d->work->clip.clip->frame_time_s;
    for (int i = 0; i < d->work->held_count && status == HF_OK; i++) status = move_kept(d, &d->work->held[i]);
    for (int i = 0; i < d->phases->count && status == HF_OK; i++) {
        hf_phase* p = &d->phases->items[i];
        p->first = moved(d, p->first), p->last = moved(d, p->last);
        p->from_s = p->first * frame_s, p->to_s = p->last * frame_s;
    }
    return status;
}

/* The motion with the new way in it. */
static hf_status splice(detour* d) {
    hf_schedule *s = d->work->schedule, *out = NULL;
    hf_status status = hf_schedule_create(d->work->creature.creature, s->rate, &out);
    int more = d->now.frames - (d->now.to - d->now.from), count = s->knot_count + more;
    for (int f = 0; f < count && status == HF_OK; f++) {
        bool inside = f > d->now.from && f < d->now.from + d->now.frames;
        hf_pose pose = inside             ? knot_pose(d->now.frames_of, f - d->now.from)
                       : f <= d->now.from ? knot_pose(s, f)
                                          : knot_pose(s, f - more);
        status = hf_schedule_add(out, NULL, f * d->work->clip.clip->frame_time_s, &pose, NULL, 0, f == 0);
    }
    if (status == HF_OK) status = move_phases(d);
    if (status != HF_OK) {
        hf_schedule_free(out);
        return status;
    }
    out->claims = s->claims;
    d->work->schedule = out, d->work->frames = count;
    hf_schedule_free(s);
    return hf_retarget_holds(d->work);
}

/* ---- all faults ---- */

/* Were the ends of this way tried before? Notes them. */
static bool was_tried(detour* d) {
    for (int i = 0; i < d->tried_count; i++)
        if (d->tried[i][0] == d->now.from && d->tried[i][1] == d->now.to) return true;
    d->tried[d->tried_count][0] = d->now.from, d->tried[d->tried_count++][1] = d->now.to;
    return false;
}

/* One try: so many margins before and after. */
static hf_status try_margins(detour* d, int before, int after, bool whole, bool via) {
    double rate = d->work->schedule->rate;
    d->now.from = d->first - (int)(MARGINS_S[before] * rate) - 1;
    d->now.to = d->last + 2 + (int)(MARGINS_S[after] * rate);
    if (d->now.from < 0 || d->now.to >= d->work->schedule->knot_count) return HF_OK;
    blame(d, d->first, d->last);
    if (whole) shorten(d);
    if (d->now.from >= d->first || d->now.to <= d->last) return HF_OK;
    if (is_at_fault(d, d->now.from) || is_at_fault(d, d->now.to)) return HF_OK;
    if (REPLACED * (d->now.to - d->now.from) >= d->best.cost || was_tried(d)) return HF_OK;
    blame(d, d->now.from, d->now.to);
    return via ? try_via(d) : try_way(d);
}

/* Tries all margins: short ones first, which let the longer ones be left out; over other poses where there is
   nothing else. */
static hf_status try_all(detour* d) {
    hf_status status = HF_OK;
    d->tried_count = 0;
    for (int sum = 0; sum < 2 * MARGINS - 1; sum++)
        for (int k = 0; k <= sum; k++)
            for (int whole = 1; whole >= 0 && k < MARGINS && sum - k < MARGINS && status == HF_OK; whole--)
                if (hf_workspace_goes_on(d->work->workspace))
                    status = try_margins(d, sum - k, k, whole, false);
    bool found = isfinite(d->best.cost);
    d->tried_count = 0;
    for (int k = 0; k < 2 * MARGINS && !found && status == HF_OK; k++)
        if (hf_workspace_goes_on(d->work->workspace)) status = try_margins(d, k / 2, k / 2, k % 2 == 0, true);
    return status;
}

/* The cheapest way; limbs let go only where there is no other. *from: the frame it leaves the motion at. */
static hf_status find_way(detour* d, int* from) {
    hf_status status = HF_OK;
    d->best.cost = INFINITY;
    for (d->lets_go = NONE; d->lets_go <= ALL && !isfinite(d->best.cost) && status == HF_OK; d->lets_go++)
        status = try_all(d);
    if (status != HF_OK || !isfinite(d->best.cost)) return status;
    way was = d->now;
    d->now = d->best, d->best = was;
    *from = d->now.from;
    status = splice(d);
    hf_schedule_free(d->now.frames_of);
    d->now.frames_of = NULL;
    return status;
}

static hf_status find_ways(detour* d, double joined_s) {
    hf_status status = HF_OK;
    int joined = (int)(joined_s * d->work->schedule->rate) + 1;
    // from the end on: frames before a detour stay where they are, and a detour mends those that it replaces
    for (int i = d->judged->fault_count - 1; i >= 0 && status == HF_OK;) {
        d->first = d->last = d->judged->faults[i].frame;
        for (; i >= 0 && d->first - d->judged->faults[i].frame <= joined; i--)
            d->first = d->judged->faults[i].frame;
        int from = d->first;
        status = find_way(d, &from);
        while (i >= 0 && d->judged->faults[i].frame >= from) i--;
    }
    return status;
}

static hf_status take_memory(detour* d) {
    const hf_creature* c = d->work->creature.creature;
    hf_workspace* w = d->work->workspace;
    size_t limbs = (size_t)c->view.limb_count + 1, q = (size_t)c->view.q_count + 1;
    d->limbs = hf_workspace_take(w, limbs, sizeof *d->limbs);
    d->now.holds = hf_workspace_take(w, limbs, sizeof *d->now.holds);
    d->best.holds = hf_workspace_take(w, limbs, sizeof *d->best.holds);
    d->swings = hf_workspace_take(w, limbs, sizeof *d->swings);
    d->way_s = hf_workspace_take(w, MAX_KNOTS, sizeof *d->way_s);
    d->roots = hf_workspace_take(w, MAX_KNOTS, sizeof *d->roots);
    d->q = hf_workspace_take(w, MAX_KNOTS * q, sizeof *d->q);
    d->via = hf_workspace_take(w, q, sizeof *d->via);
    bool all = d->limbs && d->now.holds && d->best.holds && d->swings && d->way_s && d->roots && d->q;
    return all && d->via ? hf_swing_create(c, &d->swing) : HF_ERROR_MEMORY;
}

hf_status hf_retarget_detours(hf_retarget_work* w, const hf_scene* scene, hf_phases* phases) {
    hf_realise_result judged = {0};
    detour d = {.work = w, .scene = scene, .phases = phases, .judged = &judged};
    hf_workspace_mark mark = hf_workspace_begin(w->workspace);
    hf_status status = take_memory(&d);
    for (int i = 0; i < 2 && status == HF_OK && !hf_scene_moves(scene); i++) {
        status = hf_retarget_judge(w, scene, &judged);
        if (status != HF_OK || judged.fault_count == 0 || hf_workspace_cancelled(w->workspace)) break;
        status = find_ways(&d, JOINED_S[i]);
    }
    hf_realise_result_free(&judged);
    hf_schedule_free(d.best.frames_of);
    hf_schedule_free(d.now.frames_of);
    hf_swing_free(d.swing);
    hf_workspace_end(w->workspace, mark);
    w->cancelled |= hf_workspace_cancelled(w->workspace);
    return status == HF_OK ? hf_retarget_holds(w) : status;
}
