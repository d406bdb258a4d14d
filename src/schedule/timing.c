/* Path-velocity profile under speed and acceleration limits (method section 6 and 7: times over all joints,
   not the root alone). Reachability analysis after Pham and Pham, "A new approach to time-optimal path
   parameterization based on reachability analysis" (2018): with s along the path, x = (ds/dt)^2 and
   u = d2s/dt2, a channel (one joint, the root's shift, its turn) asks |q' u + q'' x| <= A. A backward pass
   finds the largest x from which the rest can still be done, a forward pass takes the largest u that stays
   below it. s is the time that the path takes at full speed, so that the speed limit is x <= 1. */
#include "base/memory.h"
#include "base/rounding.h"
#include "base/error.h"
#include "base/option_table.h"
#include "base/workspace.h"
#include "solve/target.h"
#include "model/creature.h"

#include <holdfast/timing.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* A move this short (seconds at full speed) is no move. */
static const double NO_MOVE_S = 1e-9;
/* The profile is computed at this many places of the path at least, and this often a frame. */
enum { LEAST_PIECES = 128, PIECES_A_FRAME = 4, LEAST_PIECES_A_MOVE = 4, MAX_POINTS = 4000000 };
enum { BISECTIONS = 40 };
/* x is found this exactly; 1 is the square of full speed. */
static const double NEAR_X = 1e-11;

#define FIELD(name) offsetof(hf_timing_options, name)
static const hf_option items[] = {
    {"fps", HF_OPTION_REAL, FIELD(fps), 1, 1000, 30, "1/s", "frames per second"},
    {"speed_share", HF_OPTION_REAL, FIELD(speed_share), 0.01, 1, 1, "", "share of the speed limits to use"},
    {"acceleration_share", HF_OPTION_REAL, FIELD(acceleration_share), 0.01, 1, 1, "",
     "share of the acceleration limits to use"},
};

HF_OPTIONS(hf_timing, items)

/* What has one speed and one acceleration limit: `size` neighbouring numbers of a row. */
typedef struct channel {
    int first, size;
    double speed, acceleration;
} channel;

/* What a channel asks at one place: aa u^2 + 2 ab x u + bb x^2 <= most^2. */
typedef struct demand {
    double aa, ab, bb, most;
} demand;

/* What a bound of the carried point asks there: a u + b x <= most; at both ends of the move, linear between.
 */
typedef struct carry {
    double a[2], b[2], most[2];
} carry;

typedef struct profile {
    const hf_creature* creature;
    const hf_path* path;
    const hf_timing_options* options;
    int channel_count, width;
    channel* channels;
    double* tangent; /* q' of each move: count - 1 rows of width */
    double* bend;    /* q'' at each node: count rows of width */
    double* length;  /* of each move, seconds at full speed */
    double* cap;     /* largest x at each node */
    hf_vec3 *carried_tangent, *carried_bend;
    /* Demands at the place asked for last; many questions in a row are about the same. */
    int move, node, demand_count;
    demand* demands;
    carry* carries;
    double total;
    int point_count;
    hf_timing_point* points; /* speed holds x until the end */
    double* limit;           /* largest x at each point from which the rest can be done */
} profile;

/* ---- channels ---- */

static void add_channel(profile* p, int size, double speed, double acceleration) {
    double v = p->options->speed_share, a = p->options->acceleration_share;
    p->channels[p->channel_count++] = (channel){p->width, size, speed * v, acceleration * a};
    p->width += size;
}

static void list_channels(profile* p) {
    const hf_creature_view* c = &p->creature->view;
    const hf_body_limits* l = &c->limits;
    add_channel(p, 3, l->root_speed, l->root_acceleration);
    add_channel(p, 3, l->root_turn, l->root_turn * l->root_acceleration / l->root_speed);
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        double v = joint->max_speed, a = joint->max_acceleration;
        if (joint->type == HF_JOINT_FLOATING)
            add_channel(p, 3, v, a), add_channel(p, 3, v, a);
        else if (joint->type == HF_JOINT_PLANAR)
            add_channel(p, 2, v, a), add_channel(p, 1, v, a);
        else if (joint->q_count == 1)
            add_channel(p, 1, v, a);
    }
}

static hf_pose node_pose(const profile* p, int node) {
    size_t n = (size_t)p->creature->view.q_count;
    /* only read */
    return (hf_pose){p->path->roots[node], (double*)(uintptr_t)(p->path->q + (size_t)node * n)};
}

/* The move from one node to the next, in the order of the channels. */
static void move_row(const profile* p, int move, double* speeds, double* row) {
    const hf_creature_view* c = &p->creature->view;
    hf_pose a = node_pose(p, move), b = node_pose(p, move + 1);
    hf_pose_difference(p->creature, &a, &b, speeds);
    memcpy(row, speeds, 6 * sizeof *row);
    row += 6;
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        if (joint->mimic >= 0) /* follows without a speed of its own in the layout */
            *row++ = b.q[joint->q_index] - a.q[joint->q_index];
        else
            for (int i = 0; i < joint->v_count; i++) *row++ = speeds[joint->v_index + i];
    }
}

static double square(double x) { return x * x; }

static double norm(const double* v, int size) {
    double sum = 0;
    for (int i = 0; i < size; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* ---- the path ---- */

static bool is_stop(const profile* p, int node) {
    return node == 0 || node == p->path->count - 1 || (p->path->marks && p->path->marks[node] & HF_MARK_STOP);
}

/* Lengths and directions of the moves; false for numbers that are not finite. */
static bool measure_moves(profile* p, double* speeds) {
    for (int m = 0; m + 1 < p->path->count; m++) {
        double *row = p->tangent + (size_t)m * (size_t)p->width, longest = 0;
        move_row(p, m, speeds, row);
        for (int k = 0; k < p->channel_count; k++) {
            const channel* c = &p->channels[k];
            longest = fmax(longest, norm(row + c->first, c->size) / c->speed);
        }
        if (!isfinite(longest)) return false;
        p->length[m] = longest > NO_MOVE_S ? longest : 0;
        p->total += p->length[m];
        for (int i = 0; i < p->width; i++) row[i] = p->length[m] > 0 ? row[i] / longest : 0;
        if (!p->path->bound_count) continue;
        hf_vec3 way = hf_sub(p->path->carried[m + 1], p->path->carried[m]);
        p->carried_tangent[m] = p->length[m] > 0 ? hf_scale(way, 1 / longest) : hf_v3(0, 0, 0);
    }
    return true;
}

static const double* bound_row(const profile* p, int node, int bound) {
    return p->path->bounds + 4 * ((size_t)node * (size_t)p->path->bound_count + (size_t)bound);
}

static double ease(const profile* p, int move) { return p->path->ease ? p->path->ease[move] : 1; }

/* The change of direction at a node as a second derivative, and the speed that a frame leaves for it. */
static void measure_node(profile* p, int node, int before, int after) {
    double* bend = p->bend + (size_t)node * (size_t)p->width;
    const double *in = p->tangent + (size_t)before * (size_t)p->width,
                 *out = p->tangent + (size_t)after * (size_t)p->width;
    double span = (p->length[before] + p->length[after]) / 2, share = fmin(ease(p, before), ease(p, after));
    for (int k = 0; k < p->channel_count; k++) {
        const channel* c = &p->channels[k];
        double turn[3] = {0, 0, 0};
        for (int i = 0; i < c->size; i++) turn[i] = out[c->first + i] - in[c->first + i];
        double size = norm(turn, c->size);
        if (size > 0)
            p->cap[node] = fmin(p->cap[node], square(share * c->acceleration / (p->options->fps * size)));
        for (int i = 0; i < c->size; i++) bend[c->first + i] = turn[i] / span;
    }
    if (!p->path->bound_count) return;
    hf_vec3 turn = hf_sub(p->carried_tangent[after], p->carried_tangent[before]);
    p->carried_bend[node] = hf_scale(turn, 1 / span);
    for (int k = 0; k < p->path->bound_count; k++) {
        const double* n = bound_row(p, node, k);
        double size = hf_dot(hf_v3(n[0], n[1], n[2]), turn);
        if (size > 0) p->cap[node] = fmin(p->cap[node], square(share * n[3] / (p->options->fps * size)));
    }
}

static double pace(const profile* p, int move) { return p->path->pace ? p->path->pace[move] : 1; }

static void measure_nodes(profile* p) {
    memset(p->bend, 0, sizeof *p->bend * (size_t)p->path->count * (size_t)p->width);
    int before = -1; /* the last move of some length */
    for (int n = 0; n < p->path->count; n++) {
        p->cap[n] = is_stop(p, n) ? 0 : 1;
        int after = n;
        while (after + 1 < p->path->count && p->length[after] == 0) after++;
        if (p->cap[n] > 0 && before >= 0 && after + 1 < p->path->count) {
            double share = fmin(pace(p, before), pace(p, after));
            p->cap[n] = share * share;
            measure_node(p, n, before, after);
        }
        if (n + 1 < p->path->count && p->length[n] > 0) before = n;
    }
}

/* ---- points ---- */

static int pieces_of(const profile* p, int move) {
    if (p->length[move] == 0) return 1;
    double piece = fmin(p->total / LEAST_PIECES, 1 / (p->options->fps * PIECES_A_FRAME));
    double count = ceil(p->length[move] / piece);
    return count < LEAST_PIECES_A_MOVE ? LEAST_PIECES_A_MOVE : count < MAX_POINTS ? (int)count : MAX_POINTS;
}

static void place_points(profile* p) {
    int next = 0;
    for (int m = 0; m + 1 < p->path->count; m++) {
        int pieces = pieces_of(p, m);
        for (int i = 0; i < pieces; i++) {
            double share = pace(p, m);
            p->limit[next] = i > 0 ? share * share : p->cap[m];
            p->points[next++] = (hf_timing_point){.at = m + (double)i / pieces};
        }
    }
    p->limit[next] = 0;
    p->points[next++] = (hf_timing_point){.at = p->path->count - 1};
    p->point_count = next;
}

/* Length of the piece after a point. */
static double piece_length(const profile* p, int point) {
    int move = (int)p->points[point].at;
    return (p->points[point + 1].at - p->points[point].at) * p->length[move];
}

/* ---- the passes ---- */

/* Demands on the half of a move beside a node. */
static void fill_demands(profile* p, int move, int node) {
    const double *a = p->tangent + (size_t)move * (size_t)p->width,
                 *b = p->bend + (size_t)node * (size_t)p->width;
    p->move = move, p->node = node, p->demand_count = 0;
    for (int k = 0; k < p->channel_count; k++) {
        const channel* c = &p->channels[k];
        demand d = {.most = ease(p, move) * c->acceleration};
        for (int i = c->first; i < c->first + c->size; i++)
            d.aa += a[i] * a[i], d.ab += a[i] * b[i], d.bb += b[i] * b[i];
        if (isfinite(d.most) && (d.aa != 0 || d.bb != 0)) p->demands[p->demand_count++] = d;
    }
    for (int k = 0; k < p->path->bound_count; k++)
        for (int end = 0; end < 2; end++) {
            const double* n = bound_row(p, move + end, k);
            hf_vec3 normal = hf_v3(n[0], n[1], n[2]);
            p->carries[k].a[end] = hf_dot(normal, p->carried_tangent[move]);
            p->carries[k].b[end] = hf_dot(normal, p->carried_bend[node]);
            p->carries[k].most[end] = ease(p, move) * n[3];
        }
}

static double part(const double ends[2], double t) { return ends[0] + t * (ends[1] - ends[0]); }

/* All u that the limits leave at a point for this x; false when there is none. */
static bool range_of_u(profile* p, int point, double x, double* low, double* high) {
    double at = p->points[point].at;
    int move = (int)at, node = at - move < 0.5 ? move : move + 1;
    if (move != p->move || node != p->node) fill_demands(p, move, node);
    *low = -INFINITY, *high = INFINITY;
    for (int k = 0; k < p->demand_count; k++) {
        double aa = p->demands[k].aa, ab = p->demands[k].ab, bb = p->demands[k].bb, most = p->demands[k].most;
        double room = most * most - bb * x * x;
        if (aa < HF_ROUNDING * HF_ROUNDING) {
            if (room < 0) return false;
            continue;
        }
        double root = ab * x * ab * x + aa * room;
        if (root < 0) return false;
        root = sqrt(root);
        *low = fmax(*low, (-ab * x - root) / aa);
        *high = fmin(*high, (-ab * x + root) / aa);
    }
    for (int k = 0; k < p->path->bound_count; k++) {
        const carry* c = &p->carries[k];
        double a = part(c->a, at - move), room = part(c->most, at - move) - part(c->b, at - move) * x;
        if (fabs(a) < HF_ROUNDING) {
            if (room < 0) return false;
        } else if (a > 0)
            *high = fmin(*high, room / a);
        else
            *low = fmax(*low, room / a);
    }
    return *low <= *high;
}

/* Can the next point be reached from x at this one, at no more than its limit? *over is by how much the
   slowest way there is above that limit, infinite where there is no way. */
static bool can_go_on(profile* p, int point, double x, double* over) {
    double low, high, d = 2 * piece_length(p, point);
    *over = INFINITY;
    if (!range_of_u(p, point, x, &low, &high) || x + d * high < 0) return false;
    *over = x + d * low - p->limit[point + 1];
    return *over <= 0;
}

/* The largest x from which the next point can be reached, between 0 and one from which it cannot: secants
   where both ends say how far off they are, as the way there hardly bends, halves elsewhere. */
static double largest_x(profile* p, int point, double high, double high_over) {
    double low = 0, low_over;
    if (!can_go_on(p, point, low, &low_over)) return 0;
    for (int k = 0; k < BISECTIONS && high - low > NEAR_X && low_over < -NEAR_X; k++) {
        double width = high - low, middle = low + width / 2, over;
        if (k % 4 != 3 && isfinite(high_over) && isfinite(low_over))
            middle = low + fmin(fmax(width * low_over / (low_over - high_over) - NEAR_X / 2, NEAR_X / 4),
                                width - NEAR_X / 4);
        if (can_go_on(p, point, middle, &over))
            low = middle, low_over = over;
        else
            high = middle, high_over = over;
    }
    return low;
}

static void pass_backward(profile* p) {
    for (int i = p->point_count - 2; i >= 0; i--) {
        double over;
        if (!can_go_on(p, i, p->limit[i], &over)) p->limit[i] = largest_x(p, i, p->limit[i], over);
    }
}

static void pass_forward(profile* p) {
    p->points[0].speed = 0;
    for (int i = 0; i + 1 < p->point_count; i++) {
        double low, high, x = p->points[i].speed, next = 0;
        if (range_of_u(p, i, x, &low, &high)) next = x + 2 * piece_length(p, i) * high;
        p->points[i + 1].speed = fmax(0, fmin(next, p->limit[i + 1]));
    }
}

/* ---- times ---- */

/* Slows down the points from `first` to `last` to a whole number of frames after `start`. */
static void fit_frames(profile* p, int first, int last) {
    double start = p->points[first].time_s, taken = p->points[last].time_s - start;
    if (!(taken > 0)) return;
    double frames = ceil(taken * p->options->fps - HF_NEGLIGIBLE), scale = frames / p->options->fps / taken;
    double begin = round(start * p->options->fps);
    for (int i = first; i <= last; i++) p->points[i].time_s = start + (p->points[i].time_s - start) * scale;
    p->points[last].time_s = (begin + frames) / p->options->fps;
    double late = p->points[last].time_s - start - taken;
    for (int i = last + 1; i < p->point_count; i++) p->points[i].time_s += late;
}

static bool marked(const profile* p, double at) {
    int node = (int)at;
    if (node != at) return false;
    return node == p->path->count - 1 || (p->path->marks && p->path->marks[node] != HF_MARK_NONE);
}

static void fill_times(profile* p) {
    double time = 0;
    p->points[0].time_s = 0;
    p->points[0].speed = 0;
    for (int i = 0; i + 1 < p->point_count; i++) {
        double d = piece_length(p, i);
        p->points[i + 1].speed = sqrt(p->points[i + 1].speed);
        if (d > 0) time += 2 * d / (p->points[i].speed + p->points[i + 1].speed);
        p->points[i + 1].time_s = time;
    }
    int first = 0;
    for (int i = 1; i < p->point_count; i++) {
        if (!marked(p, p->points[i].at)) continue;
        fit_frames(p, first, i);
        first = i;
    }
}

/* ---- the call ---- */

static bool sound(const hf_creature* creature, const hf_path* path) {
    size_t n = (size_t)creature->view.q_count * (size_t)(path->count > 0 ? path->count : 0);
    if (path->count < 1) return false;
    for (int i = 0; i < path->count; i++)
        if (!hf_finite_transform(path->roots[i])) return false;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(path->q[i])) return false;
    for (int i = 0; path->pace && i + 1 < path->count; i++)
        if (!(path->pace[i] > 0 && path->pace[i] <= 1)) return false;
    for (int i = 0; path->bound_count && i < path->count; i++)
        if (!hf_finite3(path->carried[i])) return false;
    size_t bounds = (size_t)path->bound_count * (size_t)path->count;
    for (size_t i = 0; i < bounds; i++) {
        const double* b = path->bounds + 4 * i;
        if (!hf_finite3(hf_v3(b[0], b[1], b[2])) || !(b[3] > 0) || !isfinite(b[3])) return false;
    }
    return true;
}

static hf_status prepare(profile* p, hf_workspace* w) {
    const hf_creature_view* c = &p->creature->view;
    size_t nodes = (size_t)p->path->count;
    p->channels = hf_workspace_take(w, 2 + 2 * (size_t)c->joint_count, sizeof *p->channels);
    if (!p->channels) return HF_ERROR_MEMORY;
    list_channels(p);
    double* speeds = hf_workspace_take(w, (size_t)c->v_count, sizeof *speeds);
    p->tangent = hf_workspace_take(w, nodes * (size_t)p->width, sizeof *p->tangent);
    p->bend = hf_workspace_take(w, nodes * (size_t)p->width, sizeof *p->bend);
    p->length = hf_workspace_take(w, nodes, sizeof *p->length);
    p->cap = hf_workspace_take(w, nodes, sizeof *p->cap);
    p->demands = hf_workspace_take(w, (size_t)p->channel_count, sizeof *p->demands);
    p->move = -1;
    if (!p->demands) return HF_ERROR_MEMORY;
    if (p->path->bound_count) {
        p->carries = hf_workspace_take(w, (size_t)p->path->bound_count, sizeof *p->carries);
        p->carried_tangent = hf_workspace_take(w, nodes, sizeof *p->carried_tangent);
        p->carried_bend = hf_workspace_take(w, nodes, sizeof *p->carried_bend);
        if (!p->carries || !p->carried_tangent || !p->carried_bend) return HF_ERROR_MEMORY;
        memset(p->carried_bend, 0, nodes * sizeof *p->carried_bend);
    }
    if (!speeds || !p->tangent || !p->bend || !p->length || !p->cap) return HF_ERROR_MEMORY;
    if (!measure_moves(p, speeds)) return HF_ERROR_ARGUMENT;
    measure_nodes(p);
    return HF_OK;
}

static hf_status make_room(profile* p, hf_workspace* w, hf_timing* timing) {
    double count = 1;
    for (int m = 0; m + 1 < p->path->count; m++) count += pieces_of(p, m);
    if (count > MAX_POINTS) return HF_ERROR_LIMIT;
    if (timing->point_capacity < (int)count) {
        hf_timing_point* more = hf_resize(timing->points, (size_t)count * 2, sizeof *more);
        if (!more) return HF_ERROR_MEMORY;
        timing->points = more;
        timing->point_capacity = (int)count * 2;
    }
    p->points = timing->points;
    p->limit = hf_workspace_take(w, (size_t)count, sizeof *p->limit);
    return p->limit ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_timing_compute(const hf_creature* creature, const hf_path* path,
                            const hf_timing_options* options, hf_workspace* workspace, hf_timing* timing) {
    HF_REQUIRE(NULL, creature && path && options && workspace && timing);
    timing->point_count = timing->frame_count = 0;
    timing->duration_s = 0;
    timing->fps = options->fps;
    hf_status status = hf_options_check(hf_timing_option_table(), options, NULL);
    if (status == HF_OK && !sound(creature, path)) status = HF_ERROR_ARGUMENT;
    if (status != HF_OK) return status;
    profile p = {.creature = creature, .path = path, .options = options};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    status = prepare(&p, workspace);
    if (status == HF_OK) status = make_room(&p, workspace, timing);
    if (status == HF_OK) {
        place_points(&p);
        pass_backward(&p);
        pass_forward(&p);
        fill_times(&p);
        timing->point_count = p.point_count;
        timing->duration_s = p.points[p.point_count - 1].time_s;
        timing->frame_count = (int)round(timing->duration_s * options->fps) + 1;
    }
    hf_workspace_end(workspace, mark);
    return status;
}

hf_status hf_timing_create(hf_timing** timing) {
    HF_REQUIRE(NULL, timing);
    *timing = hf_alloc(1, sizeof **timing);
    return *timing ? HF_OK : HF_ERROR_MEMORY;
}

void hf_timing_free(hf_timing* timing) {
    if (!timing) return;
    hf_free(timing->points);
    hf_free(timing);
}

/* ---- reading ---- */

double hf_timing_at(const hf_timing* timing, double time_s) {
    const hf_timing_point* points = timing->points;
    int low = 0, high = timing->point_count - 1;
    if (high < 0 || time_s <= points[0].time_s) return high < 0 ? 0 : points[0].at;
    if (time_s >= points[high].time_s) return points[high].at;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(points[middle].time_s <= time_s ? &low : &high) = middle;
    }
    const hf_timing_point *a = &points[low], *b = &points[high];
    double r = (time_s - a->time_s) / (b->time_s - a->time_s), sum = a->speed + b->speed;
    double share = sum > 0 ? r * (2 * a->speed + (b->speed - a->speed) * r) / sum : r;
    return a->at + share * (b->at - a->at);
}

double hf_timing_node(const hf_timing* timing, int node) {
    int low = 0, high = timing->point_count - 1;
    if (high < 0) return 0;
    while (low < high) {
        int middle = (low + high) / 2;
        if (timing->points[middle].at < node)
            low = middle + 1;
        else
            high = middle;
    }
    return timing->points[low].time_s;
}

void hf_path_pose(const hf_creature* creature, const hf_path* path, double at, hf_pose* pose) {
    size_t n = (size_t)creature->view.q_count;
    int last = path->count - 1, node = at > 0 ? (int)at : 0;
    if (node > last) node = last;
    int next = node < last ? node + 1 : node;
    hf_pose a = {path->roots[node], (double*)(uintptr_t)(path->q + (size_t)node * n)};
    hf_pose b = {path->roots[next], (double*)(uintptr_t)(path->q + (size_t)next * n)};
    hf_pose_between(creature, &a, &b, at > node && node < last ? at - node : 0, pose);
}
