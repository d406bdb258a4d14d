/* Level 1 of contact-repositioning-2016 section 5.1. */
#include "adapt/bend.h"

#include "adapt/rotation.h"
#include "base/ease.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/solve.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A limb comes from, and goes back to, the opened motion within so long before its first and after its last
   contact that is elsewhere, s. */
static const double EASE_S = 0.5;
/* Swings and the trunk differ from what the descriptors say by as much, m: so edits far away change nothing.
 */
static const double LITTLE_M = 0.003;
/* A limb that goes with the trunk has a target of its own where it is pushed as far, m. */
static const double YIELD_M = 0.01;
/* The root's way is smoothed over so long, s: the fit of single frames trembles by its tolerance. */
static const double SMOOTH_S = 0.1;
/* Parts of the trunk nearer to a surface than this share of the creature's height go with it, those twice as
   far do not. */
static const double BESIDE_SHARE = 0.125;
/* A contact bears its full share so long after it began and until it ends, s. */
static const double RAMP_S = 0.3;
/* The limb solver ends nearer than this, m and rad: what is left looks like an acceleration. */
static const double ASKED_M = 1e-6, ASKED_RAD = 1e-5;
/* The last part of a swinging limb's length that it gives up only slowly, as a share, so many frames after
   and before it holds; drawn in by more than this, m, it does not get to its target. */
static const double SOFT_SHARE = 0.02, DRAWN_M = 0.03;
enum { LET_GO = 4 };
/* Starts of the solver where a limb is far from its target. */
enum { FAR_STARTS = 6 };

/* ---- memory ---- */

hf_status hf_bend_make(const hf_source* s, const hf_relation* r, hf_workspace* workspace, hf_bend* b) {
    memset(b, 0, sizeof *b);
    b->source = s, b->relation = r, b->workspace = workspace;
    size_t f = (size_t)s->frame_count, limbs = (size_t)s->limb_count;
    b->phases = hf_alloc(2 * (size_t)s->phase_count + 1, sizeof *b->phases); // each may be split
    b->root = hf_alloc(f, sizeof *b->root);
    b->way = hf_alloc(f, sizeof *b->way);
    b->root_push = hf_alloc(f, sizeof *b->root_push);
    b->tips = hf_alloc(f * limbs + 1, sizeof *b->tips);
    b->tip_push = hf_alloc(f * limbs + 1, sizeof *b->tip_push);
    b->rides = hf_alloc(f * limbs + 1, sizeof *b->rides);
    b->touched = hf_alloc(f, sizeof *b->touched);
    b->missed = hf_alloc(f, sizeof *b->missed);
    b->roots = hf_alloc(f, sizeof *b->roots);
    b->q = hf_alloc(f * ((size_t)s->q_count + 1), sizeof *b->q);
    b->loose = hf_alloc(f, sizeof *b->loose);
    b->seat = hf_alloc(f, sizeof *b->seat);
    b->solved = hf_alloc(f * (2 * limbs + 3), sizeof *b->solved);
    b->stale = hf_alloc(f, sizeof *b->stale);
    b->links = hf_alloc((size_t)s->creature->view.link_count, sizeof *b->links);
    b->smooth = hf_alloc(3 * f, sizeof *b->smooth);
    if (b->phases && b->root && b->way && b->root_push && b->tips && b->tip_push && b->touched && b->missed &&
        b->roots && b->q && b->rides && b->loose && b->seat && b->solved && b->stale && b->links && b->smooth)
        return HF_OK;
    hf_bend_free(b);
    return HF_ERROR_MEMORY;
}

void hf_bend_free(hf_bend* b) {
    hf_placement_free(b->placement);
    hf_free(b->phases);
    hf_free(b->root);
    hf_free(b->way);
    hf_free(b->root_push);
    hf_free(b->tips);
    hf_free(b->tip_push);
    hf_free(b->rides);
    hf_free(b->touched);
    hf_free(b->missed);
    hf_free(b->roots);
    hf_free(b->q);
    hf_free(b->loose);
    hf_free(b->seat);
    hf_free(b->solved);
    hf_free(b->stale);
    hf_free(b->links);
    hf_free(b->smooth);
    memset(b, 0, sizeof *b);
}

void hf_bend_plan(hf_bend* b, int phase) {
    const hf_source* s = b->source;
    const hf_source_phase* p = &s->phases[phase];
    hf_phase_plan* plan = &b->phases[phase];
    *plan = (hf_phase_plan){.first = p->first, .last = p->last, .hold = p->hold, .turn = hf_quat_identity()};
    if (hf_source_between(p)) {
        plan->mode = HF_PHASE_RELEASED;
        snprintf(plan->why, sizeof plan->why, "it lies between two frames of the motion");
    }
    if (p->hold.object < 0 || !b->moved->changed[p->hold.object]) return;
    plan->gone =
        !hf_surface_follow(s->scene, b->scene, p->hold.object, p->triangle, &plan->hold.point, &plan->turn);
    plan->hold.normal = hf_rotate(plan->turn, plan->hold.normal);
}

hf_status hf_bend_start(hf_bend* b, const hf_moved_relation* moved, const hf_scene* scene) {
    const hf_source* s = b->source;
    size_t f = (size_t)s->frame_count, tips = f * (size_t)s->limb_count;
    hf_placement_free(b->placement);
    b->placement = NULL;
    b->moved = moved, b->scene = scene;
    memset(b->root, 0, f * sizeof *b->root);
    memset(b->way, 0, f * sizeof *b->way);
    memset(b->root_push, 0, f * sizeof *b->root_push);
    memset(b->tips, 0, tips * sizeof *b->tips);
    memset(b->tip_push, 0, tips * sizeof *b->tip_push);
    memset(b->touched, 0, f * sizeof *b->touched);
    memset(b->missed, 0, f * sizeof *b->missed);
    memset(b->solved, 0, (tips * 2 + 3 * f) * sizeof *b->solved);
    memset(b->stale, 1, f * sizeof *b->stale);
    memcpy(b->roots, s->roots, f * sizeof *b->roots);
    memcpy(b->q, s->q, f * (size_t)s->q_count * sizeof *b->q);
    for (int i = 0; i < s->phase_count; i++) hf_bend_plan(b, i);
    hf_status status = hf_placement_create(scene, &b->placement);
    if (status == HF_OK) hf_rooms_edit(b->rooms, b->placement, moved->changed);
    return status;
}

/* ---- limbs ---- */

int hf_bend_holds(const hf_bend* b, int frame, int limb) {
    int p = b->source->phase_at[frame * b->source->limb_count + limb];
    if (p < 0 || b->phases[p].mode == HF_PHASE_RELEASED) return -1;
    return frame >= b->phases[p].first && frame <= b->phases[p].last ? p : -1;
}

static hf_transform object_now(const hf_bend* b, int frame, int object) {
    int objects = hf_scene_object_count(b->source->scene);
    if (object < 0) return hf_transform_identity();
    // an object that an edit added stands still
    if (object >= objects) return hf_scene_object(b->scene, object).start;
    return hf_moved_pose(b->moved, frame, object, objects);
}

hf_transform hf_bend_link(const hf_bend* b, int phase, int frame) {
    const hf_source_phase* p = &b->source->phases[phase];
    const hf_phase_plan* plan = &b->phases[phase];
    hf_transform now = object_now(b, frame, plan->hold.object);
    if (plan->mode == HF_PHASE_ELSEWHERE) return hf_compose(now, plan->local);
    hf_transform was = hf_source_tip(b->source, frame, p->hold.limb);
    if (p->hold.object < 0 || !b->moved->changed[p->hold.object]) return was;
    // the link rides on the surface, turned about the contact's point
    hf_transform local = hf_compose(hf_inverse(hf_relation_pose(b->relation, frame, p->hold.object)), was);
    hf_vec3 arm = hf_rotate(plan->turn, hf_sub(local.position, p->hold.point));
    return hf_compose(now,
                      (hf_transform){hf_add(plan->hold.point, arm), hf_quat_mul(plan->turn, local.rotation)});
}

static hf_delta delta_between(hf_transform from, hf_transform to) {
    if (memcmp(&from, &to, sizeof from) == 0) return (hf_delta){0};
    return (hf_delta){hf_sub(to.position, from.position),
                      hf_quat_log(hf_quat_mul(to.rotation, hf_quat_conj(from.rotation)))};
}

static hf_delta held_delta(const hf_bend* b, int phase, int frame) {
    int limb = b->source->phases[phase].hold.limb;
    return delta_between(hf_source_tip(b->source, frame, limb), hf_bend_link(b, phase, frame));
}

/* What descriptors say of a particle; by less than a little it stays, so that edits far away leave it alone.
 */
static hf_vec3 free_shift(const hf_bend* b, int particle, int frame) {
    hf_vec3 shift = {0, 0, 0};
    hf_relation_shift(b->relation, b->moved, frame, particle, &shift);
    double size = hf_length(shift);
    return size > LITTLE_M ? hf_scale(shift, 1 - LITTLE_M / size) : hf_v3(0, 0, 0);
}

static hf_delta free_delta(const hf_bend* b, int limb, int frame) {
    return (hf_delta){.shift = free_shift(b, b->source->tip_particle[limb], frame)};
}

/* Frames between two contacts: as the descriptors say, and what the contacts differ from that blended out. */
static void blend_gap(hf_bend* b, int limb, int before, int after) {
    const hf_source* s = b->source;
    int n = s->limb_count, ease_frames = (int)ceil(EASE_S * s->schedule->rate);
    int from = before >= 0 ? before : after - ease_frames,
        to = after < s->frame_count ? after : before + ease_frames;
    hf_delta leave = {0}, arrive = {0};
    if (before >= 0) leave = hf_delta_less(b->tips[before * n + limb], free_delta(b, limb, before));
    if (after < s->frame_count) arrive = hf_delta_less(b->tips[after * n + limb], free_delta(b, limb, after));
    for (int f = before + 1; f < after; f++) {
        double t = hf_ease((double)(f - from) / (to - from));
        hf_delta d = free_delta(b, limb, f);
        if (before >= 0) d = hf_delta_plus(d, leave, 1 - t);
        if (after < s->frame_count) d = hf_delta_plus(d, arrive, t);
        b->tips[f * n + limb] = d;
    }
}

/* Before its first and after its last contact a limb goes with the trunk as it did. */
static void find_rides(hf_bend* b, int limb) {
    const hf_source* s = b->source;
    int first = s->frame_count, last = -1;
    for (int f = 0; f < s->frame_count; f++) {
        if (hf_bend_holds(b, f, limb) < 0) continue;
        if (f < first) first = f;
        last = f;
    }
    double frames = EASE_S * s->schedule->rate;
    for (int f = 0; f < s->frame_count; f++) {
        int away = last < 0 ? s->frame_count : f < first ? first - f : f > last ? f - last : 0;
        b->rides[f * s->limb_count + limb] = hf_ease(away / frames);
    }
}

static void limb_deltas(hf_bend* b, int limb) {
    const hf_source* s = b->source;
    int before = -1;
    for (int f = 0; f <= s->frame_count; f++) {
        int phase = f < s->frame_count ? hf_bend_holds(b, f, limb) : -1;
        if (phase >= 0) b->tips[f * s->limb_count + limb] = held_delta(b, phase, f);
        if (phase < 0 && f < s->frame_count) continue;
        if (f > before + 1) blend_gap(b, limb, before, f);
        before = f;
    }
}

/* ---- the root ---- */

/* A limb without joints that holds (a seat) takes the root along exactly. */
static bool carried(const hf_bend* b, int frame, hf_delta* delta) {
    const hf_source* s = b->source;
    for (int limb = 0; limb < s->limb_count; limb++) {
        if (s->creature->view.limbs[limb].joint_count > 0 || hf_bend_holds(b, frame, limb) < 0) continue;
        hf_transform was = hf_source_tip(s, frame, limb);
        hf_transform now = hf_delta_apply(&b->tips[frame * s->limb_count + limb], was);
        hf_transform root = hf_compose(now, hf_compose(hf_inverse(was), s->roots[frame]));
        *delta = hf_delta_any(&b->tips[frame * s->limb_count + limb]) ? delta_between(s->roots[frame], root)
                                                                      : (hf_delta){0};
        return true;
    }
    return false;
}

/* How much a limb bears in a frame: all of it while it holds, less just after it began and before it ends. */
static double bears(const hf_bend* b, int frame, int limb) {
    int p = hf_bend_holds(b, frame, limb);
    if (p < 0) return 0;
    double ramp = RAMP_S * b->source->schedule->rate;
    const hf_phase_plan* plan = &b->phases[p];
    double in = plan->first == 0 ? 1 : (frame - plan->first + 1) / ramp;
    double out = plan->last == b->source->frame_count - 1 ? 1 : (plan->last - frame + 1) / ramp;
    return hf_ease(fmin(1, fmin(in, out)));
}

/* The limbs that bear carry the trunk along. */
static hf_vec3 carry(const hf_bend* b, int frame) {
    const hf_source* s = b->source;
    hf_vec3 sum = {0, 0, 0};
    double all = 0;
    for (int limb = 0; limb < s->limb_count; limb++) {
        double w = bears(b, frame, limb);
        sum = hf_add(sum, hf_scale(b->tips[frame * s->limb_count + limb].shift, w));
        all += w;
    }
    return all > 0 ? hf_scale(sum, 1 / all) : sum;
}

/* What a fit of one frame needs, of each particle. */
typedef struct fit_scratch {
    hf_vec3* shifts;
    bool* pinned;
    hf_vec3* points; /* three */
} fit_scratch;

/* Parts of the trunk beside a surface go with the surface, those far from all with the limbs that bear. */
static void carry_trunk(const hf_bend* b, int frame, hf_vec3* shifts) {
    const hf_source* s = b->source;
    double beside = BESIDE_SHARE * s->creature->view.height;
    hf_vec3 shift = carry(b, frame);
    for (int p = 0; p < s->particle_count; p++) {
        double near = (double)b->relation->near_m[frame * s->particle_count + p];
        double share = fmax(0, fmin(1, 2 - near / beside));
        shifts[p] = hf_add(hf_scale(shifts[p], share), hf_scale(shift, 1 - share));
    }
}

static bool zero(hf_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static hf_delta root_delta(const hf_bend* b, int frame, const fit_scratch* x) {
    const hf_source* s = b->source;
    bool any = false;
    memset(x->pinned, 0, sizeof *x->pinned * (size_t)s->particle_count);
    for (int p = 0; p < s->particle_count; p++) x->shifts[p] = free_shift(b, p, frame);
    carry_trunk(b, frame, x->shifts);
    for (int p = 0; p < s->particle_count; p++) any |= s->particles[p].trunk && !zero(x->shifts[p]);
    for (int limb = 0; limb < s->limb_count; limb++) {
        int p = s->tip_particle[limb];
        const hf_delta* d = &b->tips[frame * s->limb_count + limb];
        if (!s->acts[limb] || s->particles[p].trunk || b->rides[frame * s->limb_count + limb] == 1) continue;
        hf_vec3 arm =
            hf_sub(s->points[frame * s->particle_count + p], hf_source_tip(s, frame, limb).position);
        x->shifts[p] = hf_add(d->shift, hf_sub(hf_rotate(hf_turn(d->turn), arm), arm));
        x->pinned[p] = true;
        any |= hf_delta_any(d);
    }
    hf_fit_job job = {b->relation, frame, x->shifts, x->pinned, x->points};
    return any ? hf_skeleton_fit(&job) : (hf_delta){0};
}

void hf_bend_smooth(hf_bend* b, hf_vec3* track, double width) {
    enum { STRIDE = sizeof(hf_delta) / sizeof(hf_vec3) };
    int n = b->source->frame_count, reach = (int)ceil(3 * width);
    hf_vec3* out = (hf_vec3*)(void*)b->smooth;
    for (int f = 0; f < n; f++) {
        hf_vec3 sum = {0, 0, 0};
        double all = 0;
        bool any = false;
        for (int k = -reach; k <= reach; k++) {
            int at = f + k < 0 ? 0 : f + k >= n ? n - 1 : f + k;
            hf_vec3 v = track[at * STRIDE];
            // a bell with compact support
            double x = (double)k / (reach + 1), w = (1 - x * x) * (1 - x * x);
            all += w;
            if (v.x == 0 && v.y == 0 && v.z == 0) continue;
            sum = hf_add(sum, hf_scale(v, w));
            any = true;
        }
        out[f] = any ? hf_scale(sum, 1 / all) : hf_v3(0, 0, 0);
    }
    for (int f = 0; f < n; f++) track[f * STRIDE] = out[f];
}

/* Frames beside those in which a seat takes the root along: how free the root is, 0 to 1, and the root there.
 */
static void seat_root(hf_bend* b) {
    int n = b->source->frame_count;
    double ramp = RAMP_S * b->source->schedule->rate;
    for (int f = 0; f < n; f++) b->loose[f] = 1;
    for (int f = 0; f < n; f++) {
        hf_delta seat;
        if (!carried(b, f, &seat)) continue;
        for (int k = f - (int)ramp; k <= f + (int)ramp; k++) {
            double t = hf_ease(fabs((double)(k - f)) / ramp);
            if (k < 0 || k >= n || t >= b->loose[k]) continue;
            // the nearest frame with a seat decides
            b->seat[k] = seat;
            b->loose[k] = t;
        }
    }
    for (int f = 0; f < n; f++) {
        if (b->loose[f] == 1) continue;
        hf_delta d = hf_delta_less(b->root[f], b->seat[f]);
        b->root[f] = hf_delta_plus(b->seat[f], d, b->loose[f]);
    }
}

/* Fits of some frames: one in `step`, and the last. */
typedef struct root_fits {
    hf_bend* bend;
    int step;
    atomic_bool out_of_memory;
} root_fits;

static int fitted_frame(const root_fits* r, int index) {
    int last = r->bend->source->frame_count - 1, frame = index * r->step;
    return frame < last ? frame : last;
}

static void fit_frame(void* context, int index, int worker) {
    root_fits* r = context;
    hf_bend* b = r->bend;
    hf_workspace* w = hf_crew_workspace(b->crew, worker);
    size_t n = (size_t)b->source->particle_count;
    int frame = fitted_frame(r, index);
    if (!hf_workspace_goes_on_often(w)) return;
    hf_workspace_mark at = hf_workspace_begin(w);
    fit_scratch x = {hf_workspace_take(w, n, sizeof *x.shifts), hf_workspace_take(w, n, sizeof *x.pinned),
                     hf_workspace_take(w, 3 * n, sizeof *x.points)};
    if (x.shifts && x.pinned && x.points)
        b->root[frame] = root_delta(b, frame, &x);
    else
        r->out_of_memory = true;
    hf_workspace_end(w, at);
}

/* The skeleton is fitted once in the time over which its way is smoothed, straight ways lie between. */
static hf_status fit_root(hf_bend* b, double width) {
    root_fits r = {.bend = b, .step = (int)fmax(1, width)};
    int last = b->source->frame_count - 1, count = (last + r.step - 1) / r.step + 1;
    hf_crew_work(b->crew, b->workspace, count, fit_frame, &r);
    for (int i = 1; i < count; i++) {
        int before = fitted_frame(&r, i - 1), frame = fitted_frame(&r, i);
        for (int k = before + 1; k < frame; k++) {
            double t = (double)(k - before) / (frame - before);
            b->root[k] = hf_delta_plus(b->root[before], hf_delta_less(b->root[frame], b->root[before]), t);
        }
    }
    return r.out_of_memory ? HF_ERROR_MEMORY : HF_OK;
}

hf_status hf_bend_deltas(hf_bend* b) {
    const hf_source* s = b->source;
    for (int limb = 0; limb < s->limb_count; limb++)
        if (s->acts[limb]) find_rides(b, limb), limb_deltas(b, limb);
    _Static_assert(sizeof(hf_delta) == 2 * sizeof(hf_vec3), "a delta is two vectors");
    double width = SMOOTH_S * s->schedule->rate;
    hf_status status = fit_root(b, width);
    if (status != HF_OK || hf_workspace_cancelled(b->workspace)) return status;
    hf_bend_smooth(b, &b->root[0].shift, width);
    hf_bend_smooth(b, &b->root[0].turn, width);
    seat_root(b);
    return HF_OK;
}

/* ---- frames ---- */

static bool is_touched(const hf_bend* b, int f) {
    const hf_source* s = b->source;
    bool any = hf_delta_any(&b->root[f]) || hf_delta_any(&b->way[f]) || hf_delta_any(&b->root_push[f]);
    for (int limb = 0; limb < s->limb_count && !any; limb++) {
        int at = f * s->limb_count + limb;
        any = (b->rides[at] < 1 && hf_delta_any(&b->tips[at])) || !zero(b->tip_push[at]);
    }
    return any;
}

static void start_joints(const hf_bend* b, int f, int limb, double* q) {
    const hf_source* s = b->source;
    if (f == 0 || !b->touched[f - 1]) return;
    const hf_limb* l = &s->creature->view.limbs[limb];
    const double *before = b->q + (size_t)(f - 1) * (size_t)s->q_count,
                 *was = s->q + (size_t)(f - 1) * (size_t)s->q_count;
    for (int k = 0; k < l->joint_count; k++) {
        const hf_joint* j = &s->creature->view.joints[l->joints[k]];
        // the difference to the opened motion changes slowly
        for (int i = j->q_index; i < j->q_index + j->q_count; i++)
            q[i] = fmax(j->lower, fmin(j->upper, q[i] + before[i] - was[i]));
    }
}

hf_target hf_bend_target(const hf_bend* b, int f, int limb) {
    const hf_source* s = b->source;
    int at = f * s->limb_count + limb, frame = s->tip[at], phase = hf_bend_holds(b, f, limb);
    // a contact that is elsewhere may be one of another contact frame
    if (phase >= 0) frame = b->phases[phase].hold.frame;
    const hf_limb* l = &s->creature->view.limbs[limb];
    const hf_contact_frame* c = frame >= 0 ? &l->contacts[frame] : NULL;
    bool patch = c && !(c->ball > 0) && (c->patch[0] > 0 || c->patch[1] > 0);
    hf_transform to = hf_delta_apply(&b->tips[at], hf_source_tip(s, f, limb));
    to.position = hf_add(to.position, b->tip_push[at]);
    return (hf_target){.kind = patch ? HF_TARGET_POSE : HF_TARGET_POSITION,
                       .limb = limb,
                       .contact = frame,
                       .point = c ? hf_apply(to, c->offset) : to.position,
                       .normal = hf_v3(0, 0, 1),
                       .rotation = to.rotation,
                       .held = phase >= 0};
}

/* The length of the stretched limb, from its base to a link; infinite where a joint slides. */
static double stretched(const hf_bend* b, int limb, int link) {
    const hf_creature_view* v = &b->source->creature->view;
    double sum = 0;
    for (; link > 0 && link != v->limbs[limb].root_link; link = v->links[link].parent_link) {
        const hf_joint* j = &v->joints[v->links[link].joint];
        sum += j->type == HF_JOINT_PRISMATIC ? INFINITY : hf_length(j->origin.position);
    }
    return sum;
}

/* How far a limb has let go in a frame, 0 to 1: it holds nothing for some frames before and after. */
static double let_go(const hf_bend* b, int f, int limb) {
    int n = b->source->frame_count, gap = 1;
    for (; gap < LET_GO; gap++)
        if ((f >= gap && hf_bend_holds(b, f - gap, limb) >= 0) ||
            (f + gap < n && hf_bend_holds(b, f + gap, limb) >= 0))
            break;
    return (double)gap / LET_GO;
}

/* A limb that swings to where it would be stretched further than in the opened motion is held back, the more
   the nearer it comes to its full length: a knee that snaps straight looks like a blow. Returns how far the
   target was drawn in, m. */
static double draw_in(const hf_bend* b, int f, int limb, hf_target* target) {
    const hf_source* s = b->source;
    const hf_limb* l = &s->creature->view.limbs[limb];
    if (target->held || target->kind != HF_TARGET_POSE) return 0;
    const hf_contact_frame* c = &l->contacts[target->contact];
    hf_vec3 base = hf_apply(b->links[l->base_link], l->base.position),
            base_was = hf_apply(s->roots[f], hf_unapply(b->roots[f], base));
    hf_vec3 to = hf_sub(target->point, hf_rotate(target->rotation, c->offset));
    double far = hf_distance(to, base), was = hf_distance(hf_source_tip(s, f, limb).position, base_was),
           full = fmax(was, stretched(b, limb, c->link));
    double free = fmin(full, fmax(was, (1 - SOFT_SHARE) * full)), room = full - free, more = far - free;
    if (!(more > 0)) return 0;
    double drawn = (more - more * room / (more + room)) * let_go(b, f, limb);
    target->point = hf_add(target->point, hf_scale(hf_sub(base, to), drawn / far));
    return drawn;
}

static hf_status solve_limb(hf_bend* b, int f, int limb, double* q, bool* reached) {
    const hf_source* s = b->source;
    const hf_limb* l = &s->creature->view.limbs[limb];
    hf_target target = hf_bend_target(b, f, limb);
    double drawn_m = draw_in(b, f, limb, &target);
    hf_solve_options o = hf_solve_options_default();
    o.tolerance_m = ASKED_M, o.tolerance_rad = ASKED_RAD;
    o.near_start = true, o.max_starts = 1;
    o.posture = s->q + (size_t)f * (size_t)s->q_count;
    hf_solve_result r;
    start_joints(b, f, limb, q);
    hf_status status = hf_limb_solve(s->creature, &b->links[l->base_link], &target, &o, b->workspace, q, &r);
    bool near = r.position_error_m <= HF_HELD_M && r.angle_error_rad <= HF_HELD_RAD;
    // one frame of those that miss is looked at closely, and each in which the limb holds nothing moves on
    bool before = f > 0 && limb < 32 && b->missed[f - 1] >> limb & 1;
    if (status == HF_OK && !near && !before && r.stop != HF_STOP_OUT_OF_REACH) {
        o.near_start = false, o.max_starts = FAR_STARTS;
        status = hf_limb_solve(s->creature, &b->links[l->base_link], &target, &o, b->workspace, q, &r);
        near = r.position_error_m <= HF_HELD_M && r.angle_error_rad <= HF_HELD_RAD;
    }
    *reached = near && drawn_m < DRAWN_M;
    return status;
}

/* Joint values between those for the target and those of the opened motion. */
static void ride_along(const hf_bend* b, int f, int limb, double share, double* q) {
    const hf_source* s = b->source;
    const hf_limb* l = &s->creature->view.limbs[limb];
    const double* was = s->q + (size_t)f * (size_t)s->q_count;
    for (int k = 0; k < l->joint_count; k++) {
        const hf_joint* j = &s->creature->view.joints[l->joints[k]];
        if (j->q_count == 1) q[j->q_index] += share * (was[j->q_index] - q[j->q_index]);
    }
    hf_pose_follow(s->creature, q);
}

static hf_status solve_frame(hf_bend* b, int f) {
    const hf_source* s = b->source;
    double* q = b->q + (size_t)f * (size_t)s->q_count;
    memcpy(q, s->q + (size_t)f * (size_t)s->q_count, sizeof *q * (size_t)s->q_count);
    hf_transform root = hf_delta_apply(&b->root[f], s->roots[f]);
    hf_delta way = hf_delta_plus((hf_delta){0}, b->way[f], b->loose[f]);
    hf_delta push = hf_delta_plus((hf_delta){0}, b->root_push[f], b->loose[f]);
    root = hf_delta_apply(&push, hf_delta_apply(&way, root));
    b->roots[f] = root;
    b->missed[f] = 0;
    hf_pose pose = {root, q};
    hf_forward(s->creature, &pose, b->links);
    hf_status status = HF_OK;
    for (int limb = 0; limb < s->limb_count && status == HF_OK; limb++) {
        if (!s->acts[limb] || s->creature->view.limbs[limb].joint_count == 0) continue;
        // a limb that must get out of the way has a target again
        double pushed_m = hf_length(b->tip_push[f * s->limb_count + limb]);
        double ride = b->rides[f * s->limb_count + limb] * fmax(0, 1 - pushed_m / YIELD_M);
        bool reached;
        if (ride == 1) continue;
        status = solve_limb(b, f, limb, q, &reached);
        if (ride > 0) ride_along(b, f, limb, ride, q);
        if (ride == 0 && !reached && limb < 32) b->missed[f] |= 1u << limb;
    }
    return status;
}

/* Is the frame solved for other deltas than it has now? Keeps those that it has now. */
static bool changed(hf_bend* b, int f) {
    int n = b->source->limb_count;
    size_t row = 2 * (size_t)n + 3, tips = (size_t)n * sizeof *b->tips;
    hf_delta* was = b->solved + (size_t)f * row;
    bool same =
        memcmp(&was[0], &b->root[f], sizeof *was) == 0 && memcmp(&was[1], &b->way[f], sizeof *was) == 0 &&
        memcmp(&was[2], &b->root_push[f], sizeof *was) == 0 && memcmp(&was[3], &b->tips[f * n], tips) == 0 &&
        memcmp(&was[3 + n], &b->tip_push[f * n], (size_t)n * sizeof *b->tip_push) == 0;
    was[0] = b->root[f], was[1] = b->way[f], was[2] = b->root_push[f];
    memcpy(&was[3], &b->tips[f * n], tips);
    memcpy(&was[3 + n], &b->tip_push[f * n], (size_t)n * sizeof *b->tip_push);
    return !same;
}

void hf_bend_forget(hf_bend* b, int f) {
    size_t row = 2 * (size_t)b->source->limb_count + 3;
    memset(b->solved + (size_t)f * row, 0xff, row * sizeof *b->solved); // no delta has these bits
}

void hf_bend_renew(hf_bend* b, int first, int last) {
    for (int f = first > 0 ? first : 0; f <= last && f < b->source->frame_count; f++) b->stale[f] = true;
}

hf_status hf_bend_solve(hf_bend* b) {
    const hf_source* s = b->source;
    hf_status status = HF_OK;
    for (int f = 0; f < s->frame_count && status == HF_OK; f++) {
        if (!changed(b, f)) continue;
        b->stale[f] = true;
        b->touched[f] = is_touched(b, f);
        if (b->touched[f])
            status = solve_frame(b, f);
        else {
            b->roots[f] = s->roots[f];
            b->missed[f] = 0;
            memcpy(b->q + (size_t)f * (size_t)s->q_count, s->q + (size_t)f * (size_t)s->q_count,
                   sizeof *b->q * (size_t)s->q_count);
        }
        if (!hf_workspace_goes_on_often(b->workspace)) return HF_OK;
    }
    return status;
}
