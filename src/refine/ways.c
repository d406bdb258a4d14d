/* Key poses are those at which a hold begins or ends. Between them the shortest way is straight in joint
   values. A limb that swings leaves its old hold along the normal, or aslant, and arrives at the new one in
   the same manner: a cubic Bezier curve in joint values, whose two middle points are where the limb would be
   above its holds. Other forms take the detour that the limb was given, as a sum of half waves. */
#include "refine/ways.h"

#include "base/ease.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "solve/keep.h"
#include <holdfast/solve.h>
#include <holdfast/swing.h>

#include <math.h>
#include <string.h>

enum { FINE = 96 }; /* even parts of a given time, from which even parts of a length are found */

/* The forms: height as a share of the usual one, in which of four directions across the normal it leans, and
   half waves of the given detour; over: as much higher as the higher hold is; traced: in the world as given.
   The lowest is the quickest and free above a plain surface; half of the
   usual height is free of most edges; aslant ones pass what stands beside a hold. A third of the height with
   few waves follows the given way roughly, the last form follows it as it was. */
static const struct {
    double lift;
    int lean, waves;
    bool over, traced;
} forms[HF_FORMS] = {{.lift = 0.2},
                     {.lift = 0.5},
                     {.lift = 1},
                     {.lift = 0.5, .lean = 1},
                     {.lift = 0.5, .lean = 2},
                     {.lift = 0.5, .lean = 3},
                     {.lift = 0.5, .lean = 4},
                     {.lift = 1, .lean = 1},
                     {.lift = 1, .lean = 2},
                     {.lift = 1, .lean = 3},
                     {.lift = 1, .lean = 4},
                     {.lift = 0.5, .over = true},
                     {.lift = 1, .over = true},
                     {.lift = 1.6, .over = true},
                     {.lift = 2.5, .over = true},
                     {.lift = 0.3, .waves = 1},
                     {.lift = 0.3, .waves = 2},
                     {.lift = 0.3, .waves = 5},
                     {.waves = HF_WAVES},
                     {.traced = true}};
static const double BODY_ARM_M = 0.5; /* by which turns of the root count as lengths */

static double* row(double* rows, int k, int width) { return rows + (size_t)k * (size_t)width; }

hf_pose hf_ways_key(const hf_ways* w, int key) {
    return (hf_pose){w->key_roots[key], row(w->keys, key, w->q_count)};
}

static bool holds_in(const hf_ways* w, int limb, int phase) {
    return w->list->limbs[(size_t)phase * (size_t)w->list->limb_count + (size_t)limb];
}

bool hf_limb_owns(const hf_creature* c, int limb, int value) {
    const hf_limb* l = &c->view.limbs[limb];
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &c->view.joints[l->joints[j]];
        if (value >= joint->q_index && value < joint->q_index + joint->q_count) return true;
    }
    return false;
}

static void mark_values(hf_ways* w) {
    for (int i = 0; i < w->q_count; i++) {
        w->of_limb[i] = false;
        for (int l = 0; l < w->list->limb_count; l++)
            for (int p = 0; p < w->phases->count && hf_limb_owns(w->creature, l, i); p++)
                w->of_limb[i] |= holds_in(w, l, p);
    }
}

static void find_keys(hf_ways* w) {
    for (int k = 0; k <= w->phases->count; k++) {
        const hf_part* a = &w->phases->items[k < w->phases->count ? k : k - 1];
        hf_pose pose = {.q = row(w->keys, k, w->q_count)};
        hf_pose_spline_at(w->spline, k < w->phases->count ? a->from_s : a->to_s, &pose);
        w->key_roots[k] = pose.root;
        hf_forward(w->creature, &pose, w->links);
        w->key_coms[k] = hf_com(w->creature, w->links);
    }
}

/* ---- lengths ---- */

/* Given times at even lengths of a way from one time to another. */
static void even_times(double from_s, double to_s, const double lengths[FINE + 1], double times[HF_WAY + 1]) {
    double took = to_s - from_s;
    int k = 0;
    for (int i = 0; i <= HF_WAY; i++) {
        double length = lengths[FINE] * i / HF_WAY;
        while (k + 1 < FINE && lengths[k + 1] < length) k++;
        double step = lengths[k + 1] - lengths[k];
        double u = step > 0 ? fmin(1, fmax(0, (length - lengths[k]) / step)) : 0;
        times[i] = lengths[FINE] > 0 ? from_s + took * (k + u) / FINE : from_s + took * i / HF_WAY;
    }
    times[0] = from_s, times[HF_WAY] = to_s;
}

/* How far the body, or the values of a limb, go from one pose to the next. */
static double length_between(const hf_ways* w, int limb, const hf_pose* a, const hf_pose* b) {
    double sum = 0;
    for (int i = 0; i < w->q_count; i++) {
        double x = b->q[i] - a->q[i];
        if (limb >= 0 ? hf_limb_owns(w->creature, limb, i) : !w->of_limb[i]) sum += x * x;
    }
    if (limb >= 0) return sqrt(sum);
    double turn = hf_quat_angle(a->root.rotation, b->root.rotation);
    hf_vec3 shift = hf_sub(b->root.position, a->root.position);
    return sqrt((sum + turn * turn) * BODY_ARM_M * BODY_ARM_M + hf_dot(shift, shift));
}

static void measure(const hf_ways* w, int limb, double from_s, double to_s, double times[HF_WAY + 1]) {
    double lengths[FINE + 1] = {0};
    hf_pose last = {.q = w->scratch[0]}, now = {.q = w->scratch[1]};
    for (int i = 0; i <= FINE; i++) {
        hf_pose_spline_at(w->spline, from_s + (to_s - from_s) * i / FINE, &now);
        if (i > 0) lengths[i] = lengths[i - 1] + length_between(w, limb, &last, &now);
        hf_pose t = last;
        last = now, now = t;
    }
    even_times(from_s, to_s, lengths, times);
}

void hf_ways_body(const hf_ways* w, int phase, double share, hf_pose* pose) {
    const double* times = w->body_s + (size_t)phase * (HF_WAY + 1);
    double at = fmin(1, fmax(0, share)) * HF_WAY;
    int i = (int)fmin(HF_WAY - 1, at);
    hf_pose_spline_at(w->spline, times[i] + (at - i) * (times[i + 1] - times[i]), pose);
}

/* ---- swings ---- */

int hf_ways_hold(const hf_ways* w, int limb, double time_s, bool ends) {
    for (int i = 0; i < w->given->hold_count; i++) {
        const hf_schedule_hold* h = &w->given->holds[i];
        if ((limb < 0 || h->hold.limb == limb) && fabs((ends ? h->to_s : h->from_s) - time_s) < HF_SAME_S)
            return i;
    }
    return -1;
}

static double begin_of(const hf_ways* w, int phase) {
    return phase < w->phases->count ? w->phases->items[phase].from_s : w->phases->items[phase - 1].to_s;
}

/* Half waves: a detour in few of them bends little, and has none of the corners of the given way. */
static double wave(int n, double gone) { return hf_sin(M_PI * (n + 1) * gone); }

/* The limb's detour from the straight way as a sum of half waves, none at the ends. */
static void find_detour(const hf_ways* w, hf_swing_way* s) {
    double times[HF_WAY + 1];
    const double *from = row(w->keys, s->first, w->q_count), *to = row(w->keys, s->last, w->q_count);
    measure(w, s->limb, begin_of(w, s->first), begin_of(w, s->last), times);
    memset(s->waves, 0, sizeof(double) * HF_WAVES * (size_t)w->q_count);
    for (int i = 1; i < HF_WAY; i++) {
        double u = (double)i / HF_WAY;
        hf_pose given = {.q = w->scratch[0]};
        hf_pose_spline_at(w->spline, times[i], &given);
        for (int k = 0; k < w->q_count; k++)
            for (int n = 0; n < HF_WAVES && hf_limb_owns(w->creature, s->limb, k); n++)
                row(s->waves, n, w->q_count)[k] +=
                    2.0 / HF_WAY * wave(n, u) * (given.q[k] - (1 - u) * from[k] - u * to[k]);
    }
}

bool hf_swing_is_given(const hf_ways* w, const hf_swing_way* s) {
    for (int p = s->first; p < s->last; p++)
        if (w->phases->items[p].as_given) return true;
    return false;
}

double hf_swing_gone(const hf_swing_way* s, double share) {
    double u = fmin(1, fmax(0, share));
    return s->forms[s->form].waves ? hf_ease(u) : hf_ease_cubic(hf_ease_cubic(u));
}

double hf_swing_detour(const hf_ways* w, const hf_swing_way* s, int value, double share) {
    const hf_swing_form* f = &s->forms[s->form];
    double u = fmin(1, fmax(0, share)), x = hf_ease_cubic(u), y = 1 - x;
    double sum = 3 * x * y * (y * f->leave[value] + x * f->arrive[value]);
    for (int n = 0; n < f->waves; n++) sum += row(s->waves, n, w->q_count)[value] * wave(n, hf_ease(u));
    return sum;
}

/* A place above a hold that is farther off than this share of its height is not reached: with less of the
   height a form would be about the next lower one. */
static const double OFF_SHARE = 0.3;

/* A direction across a normal: horizontal, or along x where the normal is upright. */
static hf_vec3 across(hf_vec3 normal) {
    hf_vec3 side = hf_v3(-normal.y, normal.x, 0);
    return hf_length(side) > 0.1 ? hf_normalize(side)
                                 : hf_normalize(hf_sub(hf_v3(1, 0, 0), hf_scale(normal, normal.x)));
}

/* What the limb's values add to those with which it keeps a hold in a key pose when the limb is above it. */
static hf_status raise(const hf_ways* w, const hf_swing_way* s, int hold, int key, double height_m, int lean,
                       double* out, bool* done) {
    memset(out, 0, sizeof(double) * (size_t)w->q_count);
    if (hold < 0 || !(height_m > 0)) return HF_OK;
    const hf_held* h = &w->list->held[hold];
    const hf_limb* limb = &w->creature->view.limbs[s->limb];
    hf_pose key_pose = hf_ways_key(w, key), at = {key_pose.root, w->scratch[0]};
    bool kept = false;
    hf_vec3 miss;
    memcpy(at.q, key_pose.q, sizeof(double) * (size_t)w->q_count);
    hf_forward(w->creature, &at, w->links);
    hf_status status = hf_hold_keep(w->creature, &h->world, &h->anchor, HF_KEEP_SOON, w->workspace, w->links,
                                    at.q, &kept, &miss);
    memcpy(out, at.q, sizeof(double) * (size_t)w->q_count);
    hf_target t = hf_anchor_target(&h->world, &h->anchor);
    if (limb->contacts[h->world.frame].ball > 0) t.kind = HF_TARGET_POSITION;
    hf_vec3 up = h->world.normal, x = across(up), y = hf_cross(up, x);
    if (lean) up = hf_add(up, hf_scale(lean < 3 ? x : y, lean % 2 ? 1 : -1));
    t.point = hf_add(t.point, hf_scale(up, height_m));
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.posture = at.q;
    hf_solve_result r = {0};
    hf_limb_loosen(w->creature, s->limb, at.q);
    hf_forward(w->creature, &at, w->links);
    if (status == HF_OK)
        status = hf_limb_solve(w->creature, &w->links[limb->base_link], &t, &o, w->workspace, at.q, &r);
    *done &= r.position_error_m <= OFF_SHARE * height_m;
    for (int i = 0; i < w->q_count; i++)
        out[i] = hf_limb_owns(w->creature, s->limb, i) ? at.q[i] - out[i] : 0;
    return status;
}

/* How far the limb's values go in a phase. */
static double limb_length(const hf_ways* w, int limb, int p) {
    double sum = 0, from_s = begin_of(w, p), took_s = begin_of(w, p + 1) - from_s;
    hf_pose last = {.q = w->scratch[0]}, now = {.q = w->scratch[1]};
    for (int i = 0; i <= HF_WAY; i++) {
        hf_pose_spline_at(w->spline, from_s + took_s * i / HF_WAY, &now);
        if (i > 0) sum += length_between(w, limb, &last, &now);
        hf_pose t = last;
        last = now, now = t;
    }
    return sum;
}

/* A limb whose values go less far in a phase stays where it is, rad or m: rounding. With more, the limb would
   lose the pose that it begins or ends in. */
static const double IDLE = 1e-6;

/* A limb that was free from the beginning, or stays free, does not move in all of its phases. */
static void trim(const hf_ways* w, int limb, bool from_begin, bool to_end, int* first, int* last) {
    while (from_begin && *first + 1 < *last && limb_length(w, limb, *first) <= IDLE) ++*first;
    while (to_end && *first + 1 < *last && limb_length(w, limb, *last - 1) <= IDLE) --*last;
}

static bool add_swing(hf_ways* w, int limb, int first, int last) {
    hf_swing_way* s = &w->swings[w->swing_count];
    trim(w, limb, first == 0, last == w->phases->count, &first, &last);
    *s = (hf_swing_way){.limb = limb, .first = first, .last = last};
    s->from_hold = hf_ways_hold(w, limb, begin_of(w, first), true);
    s->to_hold = hf_ways_hold(w, limb, begin_of(w, last), false);
    s->waves = hf_workspace_take(w->workspace, HF_WAVES * (size_t)w->q_count + 1, sizeof(double));
    if (!s->waves) return false;
    find_detour(w, s);
    w->swing_count++;
    return true;
}

static bool ever_holds(const hf_ways* w, int limb) {
    bool any = false;
    for (int p = 0; p < w->phases->count; p++) any |= holds_in(w, limb, p);
    return any && w->creature->view.limbs[limb].joint_count > 0;
}

/* The phases through which each limb is free without a break. */
static bool find_swings(hf_ways* w) {
    int count = w->phases->count;
    for (int l = 0; l < w->list->limb_count; l++)
        for (int p = 0, n = 1; p < count && ever_holds(w, l); p += n) {
            for (n = 1; p + n < count && holds_in(w, l, p + n) == holds_in(w, l, p);) n++;
            if (!holds_in(w, l, p) && !add_swing(w, l, p, p + n)) return false;
        }
    return true;
}

/* ---- least times ---- */

/* Rest to rest as fast as speed and acceleration allow. */
static double least_time(double length, double speed, double acceleration) {
    return length < speed * speed / acceleration ? 2 * sqrt(length / acceleration)
                                                 : length / speed + speed / acceleration;
}

/* How long a value of a swing needs with even steps of the swing's time: the largest of its speeds and
   accelerations over their limits. */
static double value_time(const hf_ways* w, const hf_swing_way* s, int k, const hf_joint* joint) {
    double from = row(w->keys, s->first, w->q_count)[k], to = row(w->keys, s->last, w->q_count)[k];
    double before = 0, last = 0, most = 0, step = 1.0 / HF_WAY;
    for (int i = 1; i <= HF_WAY; i++) {
        double u = i * step;
        double now = (to - from) * hf_swing_gone(s, u) + hf_swing_detour(w, s, k, u);
        double speed = fabs(now - last) / step, bend = fabs(now - 2 * last + before) / (step * step);
        most = fmax(most, fmax(speed / joint->max_speed, sqrt(bend / joint->max_acceleration)));
        before = last, last = now;
    }
    return most;
}

static double swing_time(const hf_ways* w, const hf_swing_way* s) {
    const hf_creature_view* v = &w->creature->view;
    double most = 0;
    for (int j = 0; j < v->limbs[s->limb].joint_count; j++) {
        const hf_joint* joint = &v->joints[v->limbs[s->limb].joints[j]];
        for (int k = joint->q_index; k < joint->q_index + joint->q_count; k++)
            most = fmax(most, value_time(w, s, k, joint));
    }
    return most;
}

/* How much higher the new hold is than the old one, along the normals of both. */
static double rise_of(const hf_ways* w, const hf_swing_way* s) {
    const hf_held *from = &w->list->held[s->from_hold], *to = &w->list->held[s->to_hold];
    hf_vec3 up = hf_add(from->world.normal, to->world.normal);
    if (hf_length(up) < 0.1) return 0;
    return hf_dot(hf_sub(to->anchor.point, from->anchor.point), hf_normalize(up));
}

/* Of that height, by which the middle points of a form over an edge are higher: the curve goes through three
   eighths of each. */
static const double OVER = 1.3;

/* The forms of a swing, the quickest first. */
static hf_status find_forms(const hf_ways* w, hf_swing_way* s) {
    size_t n = (size_t)w->q_count;
    hf_status status = HF_OK;
    double way = 0;
    if (s->from_hold >= 0 && s->to_hold >= 0)
        way = hf_distance(w->list->held[s->from_hold].anchor.point, w->list->held[s->to_hold].anchor.point);
    double usual_m = hf_swing_lift(w->creature->view.limbs[s->limb].length, way);
    for (int i = 0; i < HF_FORMS && status == HF_OK; i++) {
        hf_swing_form f = {.leave = hf_workspace_take(w->workspace, 2 * n + 1, sizeof(double)),
                           .waves = forms[i].waves,
                           .over = forms[i].over,
                           .traced = forms[i].traced};
        if (!f.leave) return HF_ERROR_MEMORY;
        f.arrive = f.leave + n;
        bool done = true;
        double height_m = forms[i].lift * usual_m;
        double rise_m = forms[i].over && way > 0 ? OVER * rise_of(w, s) : 0;
        status =
            raise(w, s, s->from_hold, s->first, height_m + fmax(0, rise_m), forms[i].lean, f.leave, &done);
        if (status == HF_OK)
            status =
                raise(w, s, s->to_hold, s->last, height_m + fmax(0, -rise_m), forms[i].lean, f.arrive, &done);
        f.banned = f.unreached = !done;
        s->forms[s->form = i] = f;
        s->forms[i].least_s = f.traced ? begin_of(w, s->last) - begin_of(w, s->first) : swing_time(w, s);
    }
    for (int i = 1; i < HF_FORMS; i++)
        for (int k = i; k > 0 && s->forms[k].least_s < s->forms[k - 1].least_s; k--) {
            hf_swing_form t = s->forms[k];
            s->forms[k] = s->forms[k - 1], s->forms[k - 1] = t;
        }
    hf_swing_choose(s);
    return status;
}

bool hf_swing_choose(hf_swing_way* s) {
    for (s->form = 0; s->form < HF_FORMS; s->form++)
        if (!s->forms[s->form].banned) return true;
    s->form = HF_FORMS - 1;
    return false;
}

static bool swings_in(const hf_ways* w, int phase, int value) {
    for (int i = 0; i < w->swing_count; i++)
        if (w->swings[i].first <= phase && phase < w->swings[i].last &&
            hf_limb_owns(w->creature, w->swings[i].limb, value))
            return true;
    return false;
}

static double body_time(const hf_ways* w, int p) {
    const hf_creature_view* v = &w->creature->view;
    const double *from = row(w->keys, p, w->q_count), *to = row(w->keys, p + 1, w->q_count);
    double fast = v->limits.root_speed, gain = v->limits.root_acceleration;
    double turn = hf_quat_angle(w->key_roots[p + 1].rotation, w->key_roots[p].rotation);
    double most =
        fmax(least_time(hf_distance(w->key_roots[p + 1].position, w->key_roots[p].position), fast, gain),
             least_time(turn, v->limits.root_turn, gain * v->limits.root_turn / fast));
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        for (int k = joint->q_index; k < joint->q_index + joint->q_count; k++)
            if (!swings_in(w, p, k))
                most =
                    fmax(most, least_time(fabs(to[k] - from[k]), joint->max_speed, joint->max_acceleration));
    }
    return most;
}

hf_status hf_ways_make(const hf_creature* creature, const hf_schedule* given, hf_pose_spline* spline,
                       const hf_parts* phases, const hf_stance_list* list, hf_workspace* workspace,
                       hf_ways* w) {
    size_t n = (size_t)creature->view.q_count + 1, count = (size_t)phases->count;
    *w = (hf_ways){.creature = creature,
                   .given = given,
                   .spline = spline,
                   .list = list,
                   .phases = phases,
                   .workspace = workspace,
                   .q_count = creature->view.q_count};
    w->of_limb = hf_workspace_take(workspace, n, sizeof *w->of_limb);
    w->key_roots = hf_workspace_take(workspace, count + 1, sizeof *w->key_roots);
    w->keys = hf_workspace_take(workspace, (count + 1) * n, sizeof(double));
    w->key_coms = hf_workspace_take(workspace, count + 1, sizeof *w->key_coms);
    w->body_s = hf_workspace_take(workspace, count * (HF_WAY + 1), sizeof(double));
    w->least_body_s = hf_workspace_take(workspace, count, sizeof(double));
    w->swings = hf_workspace_take(workspace, count * (size_t)list->limb_count + 1, sizeof *w->swings);
    w->links = hf_workspace_take(workspace, (size_t)creature->view.link_count, sizeof *w->links);
    bool there = w->links && w->key_coms && w->of_limb && w->key_roots && w->keys && w->body_s &&
                 w->least_body_s && w->swings;
    for (int i = 0; i < 2; i++) there &= !!(w->scratch[i] = hf_workspace_take(workspace, n, sizeof(double)));
    if (!there) return HF_ERROR_MEMORY;
    mark_values(w);
    find_keys(w);
    if (!find_swings(w)) return HF_ERROR_MEMORY;
    hf_status status = HF_OK;
    for (int i = 0; i < w->swing_count && status == HF_OK; i++) status = find_forms(w, &w->swings[i]);
    if (status != HF_OK) return status;
    for (int p = 0; p < phases->count; p++) {
        measure(w, -1, begin_of(w, p), begin_of(w, p + 1), w->body_s + (size_t)p * (HF_WAY + 1));
        w->least_body_s[p] = body_time(w, p);
    }
    return HF_OK;
}

/* Wrenches beyond what contacts bear by more than this, body weights times metres, and limbs that are farther
   from their holds than this, m, are not of a motion that is worth a look. */
static const double STRAINED = 0.005, STRAINED_M = 1e-3;

bool hf_swing_is_strained(const hf_ways* ways, const hf_swing_way* s, const hf_part_load* loads) {
    for (int p = s->first > 0 ? s->first - 1 : 0; p <= s->last && p < ways->phases->count; p++)
        if (loads[p].outside > STRAINED || loads[p].lost_m > STRAINED_M) return true;
    return false;
}
