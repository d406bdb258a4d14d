/* Frames of a way: corners rounded, and one bell-shaped rise and fall of speed from stop to stop, as fast as
   the joints allow. People move a hand so: the speed of least jerk, 30 u^2 (1 - u)^2. */
#include "reach/reach_play.h"

#include "base/ease.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "schedule/frames.h"

#include <holdfast/timing.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SAMPLES = 400, /* along a way */
    MOST_FRAMES = 20000,
    ROUNDINGS = 8, /* of a way's corners, narrower each time */
    ROUNDS = 12    /* of lengthening a duration until limits hold */
};
static const double SAMPLE_S = 0.01; /* between samples of a way, as long as it would take at the limits */
static const double ROUND_S = 0.3;   /* of a way over which a corner is rounded */

/* ---- samples ---- */

typedef struct samples {
    int count;
    double (*rows)[HF_REACH_WIDTH];
} samples;

/* How long two states are apart, s: points move a metre in a second, and no joint is faster than its limit. A
   twist of the forearm moves hardly a point and takes its time all the same. */
static double apart(hf_reach_worker* w, const double* a, const double* b) {
    hf_space s = hf_reach_space(w);
    const hf_control_layer* l = w->world->layer;
    double most = 0;
    for (int k = 0; k < HF_CONTROL_LEGS; k++)
        for (int i = 0; i < l->controls[k].part_count; i++) {
            const hf_control_part* p = &l->parts[k][i];
            double turn = fabs(p->share * (b[k] - a[k]));
            most = fmax(most, turn / w->world->creature->view.joints[p->joint].max_speed);
        }
    return most + s.distance(s.user, a, b, INFINITY);
}

static void at_length(hf_reach_worker* w, const hf_space_rows* way, double length, double* state) {
    hf_space s = hf_reach_space(w);
    for (int i = 0; i + 1 < way->count; i++) {
        double d = apart(w, hf_space_row(way, i), hf_space_row(way, i + 1));
        if (length <= d || i + 2 == way->count) {
            s.between(s.user, hf_space_row(way, i), hf_space_row(way, i + 1), d > 0 ? fmin(1, length / d) : 1,
                      state);
            return;
        }
        length -= d;
    }
    memcpy(state, hf_space_row(way, way->count - 1), sizeof(double) * HF_REACH_WIDTH);
}

/* Means of the controls over a window of its own for each sample, narrower near the ends, which stay. */
static void round_corners(hf_reach_worker* w, const samples* from, const int* windows, samples* to) {
    for (int i = 0; i < from->count; i++) {
        int half = windows[i];
        if (i < half) half = i;
        if (from->count - 1 - i < half) half = from->count - 1 - i;
        double controls[HF_CONTROL_COUNT] = {0}, weight = 0;
        for (int k = -half; k <= half; k++) {
            double share = half + 1 - abs(k);
            weight += share;
            for (int c = 0; c < HF_CONTROL_COUNT; c++) controls[c] += share * from->rows[i + k][c];
        }
        for (int c = 0; c < HF_CONTROL_COUNT; c++) controls[c] /= weight;
        hf_reach_state(w, controls, to->rows[i]);
    }
}

/* Narrows the windows about a sample that does not hold; neighbours differ by one at most, so that the way
   stays smooth. */
static void narrow(int* windows, int count, int at) {
    int most = windows[at] / 2;
    for (int k = 0; k < count; k++) {
        int far = most + abs(k - at);
        if (windows[k] > far) windows[k] = far;
    }
}

/* Narrows windows where samples do not hold, or the way between two of them; true when all do. */
static bool all_pass(hf_reach_worker* w, const samples* s, int* windows) {
    hf_space space = hf_reach_space(w);
    bool all = true;
    for (int i = 1; i < s->count; i++) {
        if (windows[i] == 0 && windows[i - 1] == 0) continue; // as it was, and that held
        bool good = hf_reach_valid(w, s->rows[i]);
        if (good) space.passes(space.user, s->rows[i - 1], s->rows[i], &good);
        if (good) continue;
        narrow(windows, s->count, windows[i] ? i : i - 1);
        all = false;
    }
    return all;
}

/* The way as samples, its corners as round as they can be. */
static hf_status sample(hf_reach_worker* w, const hf_space_rows* way, samples* out) {
    double length = 0;
    for (int i = 0; i + 1 < way->count; i++)
        length += apart(w, hf_space_row(way, i), hf_space_row(way, i + 1));
    int n = 2 + (int)fmin(MOST_SAMPLES, ceil(length / SAMPLE_S));
    samples raw = {n, hf_workspace_take(w->workspace, (size_t)n, sizeof *raw.rows)};
    *out = (samples){n, hf_workspace_take(w->workspace, (size_t)n, sizeof *out->rows)};
    if (!raw.rows || !out->rows) return HF_ERROR_MEMORY;
    for (int i = 0; i < n; i++) at_length(w, way, length * i / (n - 1), raw.rows[i]);
    int* windows = hf_workspace_take(w->workspace, (size_t)n, sizeof *windows);
    if (!windows) return HF_ERROR_MEMORY;
    int most = way->count > 2 ? (int)(ROUND_S / (length / (n - 1) + 1e-9)) : 0;
    for (int i = 0; i < n; i++) windows[i] = most < n / 3 ? most : n / 3;
    for (int round = 0; round < ROUNDINGS; round++) {
        round_corners(w, &raw, windows, out);
        if (all_pass(w, out, windows)) return HF_OK;
    }
    memcpy(out->rows, raw.rows, sizeof *raw.rows * (size_t)n);
    return HF_OK;
}

/* ---- frames ---- */

typedef struct playing {
    hf_reach_stage* stage;
    samples way;
    double* length;          /* of the way up to each sample */
    const double *from, *to; /* the stand's joint values before and after */
    hf_timing* timing;       /* NULL: one bell */
    bool turns;              /* the head, from and to these joint values */
    double head_from[HF_GAZE_JOINTS], head_to[HF_GAZE_JOINTS];
} playing;

/* The pose at a place of the way, counted in samples, with the fingers as far; in the worker. False: it is
   not where it must be. */
static bool pose_at(playing* p, double at, double* state) {
    hf_reach_worker* w = p->stage->worker;
    const samples* s = &p->way;
    int i = (int)fmin(floor(at), s->count - 2);
    double t = at - i, share = at / (s->count - 1);
    double controls[HF_CONTROL_COUNT];
    for (int c = 0; c < HF_CONTROL_COUNT; c++)
        controls[c] = s->rows[i][c] + t * (s->rows[i + 1][c] - s->rows[i][c]);
    int n = w->world->creature->view.q_count;
    if (p->to || p->turns) p->stage->world->version++;
    for (int k = 0; k < p->stage->world->gaze.joint_count && p->turns; k++)
        p->stage->world->head[k] = p->head_from[k] + share * (p->head_to[k] - p->head_from[k]);
    for (int k = 0; k < n && p->to; k++)
        p->stage->world->stand_q[k] = p->from[k] + share * (p->to[k] - p->from[k]);
    const hf_reach_fit* fit = p->stage->fit;
    bool fits = !fit || fit->fit(fit->user, w, controls);
    hf_reach_state(w, controls, state);
    return fits;
}

/* Where the way is in a frame, in samples: by the bell, or by the times that slow down at corners. */
static double place_of(const playing* p, double frame, int frames) {
    double u = fmin(1, fmax(0, frame / frames));
    int last = p->way.count - 1;
    if (p->timing) return fmin(last, hf_timing_at(p->timing, u * p->timing->duration_s));
    double at = hf_ease(u) * p->length[last];
    int i = 0;
    while (i + 1 < last && p->length[i + 1] < at) i++;
    double d = p->length[i + 1] - p->length[i];
    return fmin(last, i + (d > 0 ? (at - p->length[i]) / d : hf_ease(u)));
}

/* The largest share of an acceleration limit that a joint or the root takes between two moves. */
static double acceleration(const hf_creature_view* v, double rate, const hf_pose* a, const hf_pose* b,
                           const hf_pose* c) {
    double most = 0;
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        if (joint->q_count != 1) continue;
        int i = joint->q_index;
        double x = fabs(a->q[i] - 2 * b->q[i] + c->q[i]) * rate * rate;
        most = fmax(most, x / joint->max_acceleration);
    }
    hf_vec3 bend = hf_sub(hf_add(a->root.position, c->root.position), hf_scale(b->root.position, 2));
    return fmax(most, hf_length(bend) * rate * rate / v->limits.root_acceleration);
}

/* How many times too fast a duration of so many frames is. */
static double too_fast(playing* p, int frames, hf_pose poses[3]) {
    hf_reach_worker* w = p->stage->worker;
    const hf_creature* c = w->world->creature;
    const hf_reach_options* o = w->world->options;
    double speed = 0, most = 0, state[HF_REACH_WIDTH];
    for (int i = -1; i <= frames + 1; i++) {
        pose_at(p, place_of(p, i, frames), state);
        hf_pose* now = &poses[(i + 3) % 3];
        now->root = w->pose.root;
        memcpy(now->q, w->pose.q, sizeof(double) * (size_t)c->view.q_count);
        if (i >= 0) speed = fmax(speed, hf_frames_speed(c, o->rate, &poses[(i + 2) % 3], now));
        if (i >= 1)
            most = fmax(most, acceleration(&c->view, o->rate, &poses[(i + 1) % 3], &poses[(i + 2) % 3], now));
    }
    return fmax(speed / o->speed_share, sqrt(most / o->speed_share));
}

static hf_status add_knot(hf_reach_stage* s, bool stance) {
    hf_reach_worker* w = s->worker;
    hf_hold holds[HF_STANCE_SUPPORTS];
    int n = 0;
    for (int i = 0; i < 2; i++) holds[n++] = w->world->stand.feet[i];
    for (int i = 0; i < s->hold_count; i++) holds[n++] = s->holds[i];
    for (int i = 0; i < w->world->load_count; i++) {
        const hf_reach_load* l = &w->world->loads[i];
        hf_transform at = hf_reach_load_pose(w, l);
        hf_placement_move(w->world->placement, l->object, at);
        holds[n++] = hf_hold_in_world(l->hold, at);
        if (l->second >= 0) holds[n++] = hf_hold_in_world(l->second_hold, at);
    }
    for (int i = 0; i < w->world->rider_count; i++)
        hf_placement_move(w->world->placement, w->world->riders[i].object,
                          hf_reach_rider_pose(w, &w->world->riders[i]));
    return hf_schedule_add(s->schedule, w->world->placement, s->frames++ / w->world->options->rate, &w->pose,
                           holds, n, stance);
}

hf_status hf_reach_stay(hf_reach_stage* s, int frames, bool stance) {
    hf_status status = HF_OK;
    hf_reach_gaze(s->world, true);
    hf_reach_state(s->worker, s->state, s->state);
    for (int i = 0; i < frames && status == HF_OK; i++) status = add_knot(s, stance && i == 0);
    hf_reach_gaze(s->world, false);
    return status;
}

static hf_status take_memory(playing* p, hf_pose poses[3]) {
    hf_workspace* w = p->stage->worker->workspace;
    size_t q = (size_t)p->stage->world->creature->view.q_count + 1;
    p->length = hf_workspace_take(w, (size_t)p->way.count, sizeof(double));
    double* from = hf_workspace_take(w, q, sizeof(double));
    for (int i = 0; i < 3; i++) poses[i].q = hf_workspace_take(w, q, sizeof(double));
    if (!p->length || !from || !poses[0].q || !poses[1].q || !poses[2].q) return HF_ERROR_MEMORY;
    memcpy(from, p->stage->world->stand_q, sizeof(double) * (q - 1));
    p->from = from;
    p->length[0] = 0;
    for (int i = 1; i < p->way.count; i++)
        p->length[i] = p->length[i - 1] + apart(p->stage->worker, p->way.rows[i - 1], p->way.rows[i]);
    return HF_OK;
}

/* Do all frames hold, and the ways between them? */
static bool frames_hold(playing* p, int frames, hf_pose poses[3]) {
    hf_reach_worker* w = p->stage->worker;
    double state[HF_REACH_WIDTH];
    bool good = true;
    for (int i = 0; i <= frames && good; i++) {
        good = pose_at(p, place_of(p, i, frames), state);
        if (!good) w->why = "the hand leaves the way of what it moves";
        if (i > 0 && good) good = hf_reach_frames_pass(w, &poses[0]);
        // the next way begins at the last frame, which a fit may have moved into what a frame is allowed
        if (i == frames && good && p->stage->fit) good = hf_reach_valid(w, state);
        poses[0].root = w->pose.root;
        memcpy(poses[0].q, w->pose.q, sizeof(double) * (size_t)w->world->creature->view.q_count);
    }
    return good;
}

/* The least number of frames with which all limits hold. */
static int find_duration(playing* p, hf_pose poses[3]) {
    int frames = (int)(p->stage->world->options->rate / 2);
    for (int i = 0; i < ROUNDS; i++) {
        double share = too_fast(p, frames, poses);
        if (share <= 1 && i > 0) break;
        int more = (int)ceil(frames * fmax(share, 0.2) * (i > 1 ? 1.05 : 1));
        frames = more < 3 ? 3 : more > MOST_FRAMES ? MOST_FRAMES : more;
    }
    return frames;
}

/* Where a corner could not be rounded one bell would be slow all the way for it: the times of hf_timing,
   which slow down there alone, are taken where they are shorter by this. */
static const double BELL_WORTH = 1.3;

static hf_status time_corners(playing* p, int* frames) {
    hf_reach_worker* w = p->stage->worker;
    const hf_creature_view* v = &w->world->creature->view;
    int n = p->way.count;
    hf_transform* roots = hf_workspace_take(w->workspace, (size_t)n, sizeof *roots);
    double* q = hf_workspace_take(w->workspace, (size_t)n * (size_t)v->q_count + 1, sizeof *q);
    double state[HF_REACH_WIDTH];
    if (!roots || !q) return HF_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        pose_at(p, i, state);
        roots[i] = w->pose.root;
        memcpy(q + (size_t)i * (size_t)v->q_count, w->pose.q, sizeof(double) * (size_t)v->q_count);
    }
    hf_path path = {.count = n, .roots = roots, .q = q};
    hf_timing_options o = hf_timing_options_default();
    o.fps = w->world->options->rate;
    o.speed_share = o.acceleration_share = w->world->options->speed_share;
    hf_timing* timing;
    hf_status status = hf_timing_create(&timing);
    if (status == HF_OK) status = hf_timing_compute(w->world->creature, &path, &o, w->workspace, timing);
    if (status == HF_OK && timing->frame_count > 3 && *frames > BELL_WORTH * timing->frame_count)
        p->timing = timing, *frames = timing->frame_count - 1;
    else
        hf_timing_free(timing);
    return status;
}

/* Fingers and head are as they were before. */
static void reset(const playing* p) {
    hf_reach_world* w = p->stage->world;
    w->version++;
    if (p->turns) memcpy(w->head, p->head_from, sizeof w->head);
    memcpy(w->stand_q, p->from, sizeof(double) * (size_t)w->creature->view.q_count);
}

/* Where the head goes on the way: nowhere, to look ahead, or at the focus from the end of the way. False: the
   creature has no head that turns. */
static bool turn_head(playing* p) {
    hf_reach_stage* s = p->stage;
    hf_reach_worker* w = s->worker;
    const hf_gaze* g = &s->world->gaze;
    double state[HF_REACH_WIDTH];
    if (g->head < 0) return false;
    memcpy(p->head_from, s->world->head, sizeof p->head_from);
    memcpy(p->head_to, s->look == HF_LOOK_STAYS ? s->world->head : s->world->ahead, sizeof p->head_to);
    if (s->look != HF_LOOK_AT_FOCUS) return true;
    hf_reach_state(w, p->way.rows[p->way.count - 1], state);
    hf_gaze_turn(w->world->creature, g, s->focus, w->world->options->eyes_rad, w->pose.q, w->links);
    for (int k = 0; k < g->joint_count; k++)
        p->head_to[k] = w->pose.q[w->world->creature->view.joints[g->joints[k]].q_index];
    w->posed = 0;
    return true;
}

/* Finds the times of the way; do all frames hold then? */
static bool try_times(playing* p, hf_pose poses[3], int* frames, hf_status* status) {
    hf_timing_free(p->timing);
    p->timing = NULL;
    *frames = find_duration(p, poses);
    *status = time_corners(p, frames);
    bool good = *status == HF_OK && frames_hold(p, *frames, poses);
    if (*status == HF_OK && !good) reset(p);
    return good;
}

/* The head turns as far as it shall, half as far, or to look ahead, as which the way was tested; whatever
   holds first. */
static bool try_heads(playing* p, hf_pose poses[3], int* frames, hf_status* status) {
    enum { HEADS = 3 };
    const double* ahead = p->stage->world->ahead;
    bool good = false;
    int count = p->turns ? HEADS : 1;
    for (int n = 0; n < count && !good && *status == HF_OK; n++) {
        for (int k = 0; k < HF_GAZE_JOINTS && n > 0; k++)
            p->head_to[k] = n == 1 ? (p->head_to[k] + ahead[k]) / 2 : ahead[k];
        good = try_times(p, poses, frames, status);
    }
    return good;
}

hf_status hf_reach_play(hf_reach_stage* s, const hf_space_rows* way, const double* fingers, bool* good) {
    hf_reach_worker* w = s->worker;
    hf_workspace_mark mark = hf_workspace_begin(w->workspace);
    playing p = {.stage = s, .to = fingers};
    hf_pose poses[3];
    int frames = 0;
    hf_status status = sample(w, way, &p.way);
    if (status == HF_OK) status = take_memory(&p, poses);
    hf_reach_gaze(s->world, true);
    p.turns = status == HF_OK && turn_head(&p);
    *good = status == HF_OK && try_heads(&p, poses, &frames, &status);
    for (int i = 1; i <= frames && *good && status == HF_OK && !s->only_tests; i++) {
        pose_at(&p, place_of(&p, i, frames), s->state);
        status = add_knot(s, i == frames);
    }
    if (s->only_tests && status == HF_OK) reset(&p);
    hf_reach_gaze(s->world, false);
    hf_timing_free(p.timing);
    hf_workspace_end(w->workspace, mark);
    return status;
}

hf_status hf_reach_turn(hf_reach_stage* s, const double* q, bool* good) {
    hf_space_rows still = hf_space_rows_start(HF_REACH_WIDTH, s->worker->workspace);
    hf_workspace_mark mark = hf_workspace_begin(s->worker->workspace);
    hf_status status = hf_space_rows_add(&still, s->state);
    if (status == HF_OK) status = hf_space_rows_add(&still, s->state);
    if (status == HF_OK) status = hf_reach_play(s, &still, q, good);
    hf_workspace_end(s->worker->workspace, mark);
    return status;
}
