/* Eight postures of one limb: forward kinematics from the trunk outwards, distances of the limb's cores from
   obstacles, and damped least squares onto a point and normal. Compiled once for each instruction set; lanes
   are independent and nothing is fused, so that all give the same answers. */
#include "base/lanes.h"
#include "contact/limb_lanes.h"
#include "geom/segment8.h"

/* Steps of a solve. A sample starts within epsilon: what is not reached by then mostly never is. With eight
   steps the mean score of answers falls by up to 7 % in one of the bench's scenarios, with ten by 0.6 %. */
enum { ITERATIONS = 10, ROWS = 5 };
/* Steps that put the point alone on its surface where point and normal cannot be had together. */
enum { PLACING = 4 };
/* Damping per squared error (Sugihara 2011), and the least, times turn_m^2: above the rounding of floats. */
#define DAMPING 0.5f
#define LEAST_DAMPING 1e-5f
#define LEAST_PIVOT 1e-12f
/* Squared cosine of half the angle under which an error's direction is no longer trusted to grow. */
#define LEAST_ROOM 1e-3f

HF_LANES_SINE_COSINE(sine_cosine, float8, mask8)

/* A frame's position and the columns of its rotation. */
typedef struct frame8 {
    vec8 p, x, y, z;
} frame8;

HF_INLINE8 vec8 mix(const frame8* f, const float* v) {
    return (vec8){f->x.x * v[0] + f->y.x * v[1] + f->z.x * v[2],
                  f->x.y * v[0] + f->y.y * v[1] + f->z.y * v[2],
                  f->x.z * v[0] + f->y.z * v[1] + f->z.z * v[2]};
}

HF_INLINE8 vec8 load3(const float rows[3][HF_LANES]) {
    return (vec8){f8_load(rows[0]), f8_load(rows[1]), f8_load(rows[2])};
}

HF_INLINE8 vec8 mix_lanes(const frame8* f, vec8 v) {
    return v8_add_scaled(v8_add_scaled((vec8){f->x.x * v.x, f->x.y * v.x, f->x.z * v.x}, f->y, v.y), f->z,
                         v.z);
}

HF_INLINE8 vec8 add8(vec8 a, vec8 b) { return (vec8){a.x + b.x, a.y + b.y, a.z + b.z}; }

/* Turns columns a and b about the third: a to b. */
HF_INLINE8 void turn8(vec8* a, vec8* b, float8 s, float8 c) {
    vec8 old = *a;
    *a = (vec8){c * old.x + s * b->x, c * old.y + s * b->y, c * old.z + s * b->z};
    *b = (vec8){c * b->x - s * old.x, c * b->y - s * old.y, c * b->z - s * old.z};
}

/* About any axis, by its matrix (Rodrigues). */
static __attribute__((noinline)) void turn_any(frame8* f, const float* a, float8 s, float8 c) {
    float x = a[0], y = a[1], z = a[2];
    float8 k = 1.0f - c;
    frame8 g = *f;
    f->x = mix_lanes(&g, (vec8){c + k * (x * x), k * (x * y) + s * z, k * (x * z) - s * y});
    f->y = mix_lanes(&g, (vec8){k * (x * y) - s * z, c + k * (y * y), k * (y * z) + s * x});
    f->z = mix_lanes(&g, (vec8){k * (x * z) + s * y, k * (y * z) - s * x, c + k * (z * z)});
}

/* Goes on over one joint; *axis is its direction before it moves. */
HF_INLINE8 void pass_joint(frame8* f, const hf_batch_step* step, float8 x, vec8* axis) {
    if (step->shifts) f->p = add8(f->p, mix(f, step->shift));
    float8 value = step->plain ? x : x * step->scale + step->offset, s, c;
    if (step->motion == HF_BATCH_SLIDE) {
        *axis = mix(f, step->axis);
        f->p = v8_add_scaled(f->p, *axis, value);
        return;
    }
    sine_cosine(value, &s, &c);
    switch (step->motion) {
    case HF_BATCH_TURN_X:
        *axis = f->x;
        turn8(&f->y, &f->z, s, c);
        return;
    case HF_BATCH_TURN_Y:
        *axis = f->y;
        turn8(&f->z, &f->x, s, c);
        return;
    case HF_BATCH_TURN_Z:
        *axis = f->z;
        turn8(&f->x, &f->y, s, c);
        return;
    default:
        *axis = mix(f, step->axis);
        turn_any(f, step->axis, s, c);
        return;
    }
}

HF_INLINE8 frame8 first_frame(void) {
    return (frame8){v8_all(0, 0, 0), v8_all(1, 0, 0), v8_all(0, 1, 0), v8_all(0, 0, 1)};
}

/* ---- blocked ---- */

/* Upper bound of the squared distance of a core from an obstacle. */
HF_INLINE8 float8 core_distance2(const segment8* s, const hf_lane_obstacle* o, float8* extent) {
    vec8 way, v0 = v8_all(o->v[0][0], o->v[0][1], o->v[0][2]),
              v1 = v8_all(o->v[1][0], o->v[1][1], o->v[1][2]);
    vec8 e1 = v8_sub(v1, v0);
    float8 best = f8_all(HF_FLOAT_FAR);
    if (!o->triangle) {
        way = v0;
        offer_edge(s, v0, e1, &best, &way);
        *extent = f8_abs(v0.x) + f8_abs(v0.y) + f8_abs(v0.z) + f8_sqrt(v8_dot(e1, e1)) + s->extent;
        return best;
    }
    vec8 v2 = v8_all(o->v[2][0], o->v[2][1], o->v[2][2]);
    leaf8 l = {v0, v1, v2, e1, v8_sub(v2, v0), v8_sub(v2, v1)};
    plane8 p = plane_of(s, &l);
    *extent = p.extent;
    return upper_bound(s, &l, &p, &way);
}

static unsigned kernel_blocked(hf_limb_lanes* l) {
    segment8 cores[HF_LANE_CORES];
    frame8 f = first_frame();
    vec8 axis;
    for (int i = 0, k = 0; i < l->step_count; i++) {
        pass_joint(&f, &l->steps[i], f8_load(l->now.x[i]), &axis);
        for (; k < l->core_count && l->cores[k].step == i; k++) {
            segment8* s = &cores[k];
            s->p = add8(f.p, mix(&f, l->cores[k].from));
            s->q = add8(f.p, mix(&f, l->cores[k].to));
            s->d = v8_sub(s->q, s->p);
            s->dd = v8_dot(s->d, s->d);
            s->per_dd =
                f8_select(f8_less(f8_all(TINY), s->dd), 1.0f / f8_max(s->dd, f8_all(TINY)), f8_all(0));
            s->extent = l->reach_m;
        }
    }
    int blocked = 0;
    for (int i = 0; i < l->obstacle_count && blocked != 0xff; i++) {
        const hf_lane_obstacle* o = &l->obstacles[i];
        float8 extent, best = core_distance2(&cores[o->core], o, &extent);
        // the ends of a core are sums over the joints: their rounding is a few times that of one distance
        float8 inner = o->within_m - (4 * RELATIVE) * extent;
        int here = m8_bits(f8_less(f8_all(0), inner) & f8_less(best, inner * inner));
        // what blocks others moves forward, so that all lanes are settled sooner
        if (i > 0 && here & ~blocked) {
            hf_lane_obstacle before = l->obstacles[i - 1];
            l->obstacles[i - 1] = l->obstacles[i], l->obstacles[i] = before;
        }
        blocked |= here;
    }
    return (unsigned)blocked;
}

/* ---- solving ---- */

/* The limb at its present values. */
typedef struct measure8 {
    vec8 origin[HF_LANE_STEPS], axis[HF_LANE_STEPS]; /* of each joint */
    vec8 tip;
    float8 error[ROWS];
    float8 position2, angle2;
} measure8;

HF_INLINE8 void measure(const hf_limb_lanes* l, const float8* x, float8 turn, measure8* m) {
    const hf_lane_values* v = &l->now;
    frame8 f = first_frame();
    for (int i = 0; i < l->step_count; i++) {
        pass_joint(&f, &l->steps[i], x[i], &m->axis[i]);
        m->origin[i] = f.p;
    }
    m->tip = add8(f.p, mix_lanes(&f, load3(v->tip_point)));
    vec8 d = v8_sub(load3(v->point), m->tip);
    vec8 n = mix_lanes(&f, load3(v->tip_normal)), wanted = load3(v->normal), w = v8_cross(n, wanted);
    float8 room = f8_max((1.0f + v8_dot(n, wanted)) * 0.5f, f8_all(LEAST_ROOM));
    float8 per = 1.0f / f8_sqrt(room);
    m->error[0] = d.x, m->error[1] = d.y, m->error[2] = d.z;
    m->error[3] = turn * per * v8_dot(w, load3(v->tangent[0]));
    m->error[4] = turn * per * v8_dot(w, load3(v->tangent[1]));
    m->position2 = v8_dot(d, d);
    m->angle2 = v8_dot(w, w) * per * per;
}

/* Column of one joint in the five rows; joints on a limit that the error pushes against are left out. */
HF_INLINE8 void column(const hf_limb_lanes* l, const measure8* m, int i, float8 x, float8 turn_m,
                       float8 j[ROWS]) {
    const hf_batch_step* step = &l->steps[i];
    const hf_lane_values* v = &l->now;
    float8 turn = turn_m * step->scale, zero = f8_all(0);
    vec8 lin =
        step->motion == HF_BATCH_SLIDE ? m->axis[i] : v8_cross(m->axis[i], v8_sub(m->tip, m->origin[i]));
    j[0] = lin.x * step->scale, j[1] = lin.y * step->scale, j[2] = lin.z * step->scale;
    j[3] = step->motion == HF_BATCH_SLIDE ? zero : turn * v8_dot(m->axis[i], load3(v->tangent[0]));
    j[4] = step->motion == HF_BATCH_SLIDE ? zero : turn * v8_dot(m->axis[i], load3(v->tangent[1]));
    float8 along = zero;
    for (int r = 0; r < ROWS; r++) along += j[r] * m->error[r];
    mask8 held = (f8_at_most(f8_all(l->upper[i]), x) & f8_less(zero, along)) |
                 (f8_at_most(x, f8_all(l->lower[i])) & f8_less(along, zero));
    for (int r = 0; r < ROWS; r++) j[r] = f8_select(held, zero, j[r]);
}

/* Solves A y = e in place for a symmetric A, of which the lower half is given. */
HF_INLINE8 void solve_rows(float8 a[ROWS][ROWS], float8 y[ROWS]) {
    float8 inverse[ROWS];
    for (int k = 0; k < ROWS; k++) {
        float8 pivot = a[k][k];
        for (int i = 0; i < k; i++) pivot -= a[k][i] * a[k][i];
        inverse[k] = 1.0f / f8_sqrt(f8_max(pivot, f8_all(LEAST_PIVOT)));
        for (int r = k + 1; r < ROWS; r++) {
            for (int i = 0; i < k; i++) a[r][k] -= a[r][i] * a[k][i];
            a[r][k] *= inverse[k];
        }
    }
    for (int k = 0; k < ROWS; k++) {
        for (int i = 0; i < k; i++) y[k] -= a[k][i] * y[i];
        y[k] *= inverse[k];
    }
    for (int k = ROWS - 1; k >= 0; k--) {
        for (int i = k + 1; i < ROWS; i++) y[k] -= a[i][k] * y[i];
        y[k] *= inverse[k];
    }
}

/* One damped step, within the limits. */
HF_INLINE8 void step_on(const hf_limb_lanes* l, const measure8* m, float8 cost, float8 turn, float8* x) {
    float8 j[HF_LANE_STEPS][ROWS], a[ROWS][ROWS], y[ROWS];
    float scale = (float)l->turn_m;
    float8 damp = DAMPING * cost + LEAST_DAMPING * scale * scale;
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < r; k++) a[r][k] = f8_all(0);
        a[r][r] = damp;
        y[r] = m->error[r];
    }
    for (int i = 0; i < l->step_count; i++) {
        column(l, m, i, x[i], turn, j[i]);
        for (int r = 0; r < ROWS; r++)
            for (int k = 0; k <= r; k++) a[r][k] += j[i][r] * j[i][k];
    }
    solve_rows(a, y);
    for (int i = 0; i < l->step_count; i++) {
        float8 d = f8_all(0);
        for (int r = 0; r < ROWS; r++) d += j[i][r] * y[r];
        x[i] = f8_min(f8_max(x[i] + d, f8_all(l->lower[i])), f8_all(l->upper[i]));
    }
}

/* What a solve has found. */
typedef struct best8 {
    float8 x[HF_LANE_STEPS], cost, position2, angle2;
} best8;

/* Lowers position2 + turn^2 angle2 from best->x on; true when all lanes are near and flat enough. */
HF_INLINE8 mask8 descend(const hf_limb_lanes* l, float8 turn, int iterations, best8* best) {
    float8 x[HF_LANE_STEPS], near2 = f8_all((float)(l->tolerance_m * l->tolerance_m));
    float8 flat2 = f8_all((float)(l->tolerance_rad * l->tolerance_rad));
    for (int i = 0; i < l->step_count; i++) x[i] = best->x[i];
    best->cost = f8_all(HF_FLOAT_FAR);
    for (int k = 0;; k++) {
        measure8 m;
        measure(l, x, turn, &m);
        float8 cost = m.position2 + turn * turn * m.angle2;
        mask8 better = f8_less(cost, best->cost);
        best->cost = f8_select(better, cost, best->cost);
        best->position2 = f8_select(better, m.position2, best->position2);
        best->angle2 = f8_select(better, m.angle2, best->angle2);
        for (int i = 0; i < l->step_count; i++) best->x[i] = f8_select(better, x[i], best->x[i]);
        mask8 there = f8_at_most(best->position2, near2) &
                      (f8_at_most(best->angle2, flat2) | f8_at_most(turn, f8_all(0)));
        if (k == iterations || m8_bits(there) == 0xff) return there;
        step_on(l, &m, cost, turn, x);
    }
}

static void kernel_solve(hf_limb_lanes* l) {
    hf_lane_values* v = &l->now;
    best8 best = {.position2 = f8_all(0), .angle2 = f8_all(0)};
    for (int i = 0; i < l->step_count; i++) best.x[i] = f8_load(v->x[i]);
    mask8 there = descend(l, f8_load(v->turn_m), ITERATIONS, &best);
    *(float8*)v->position2 = best.position2;
    *(float8*)v->angle2 = best.angle2;
    if (m8_bits(there) != 0xff) {
        best8 placed = best;
        descend(l, f8_all(0), PLACING, &placed);
        for (int i = 0; i < l->step_count; i++) best.x[i] = f8_select(there, best.x[i], placed.x[i]);
        best.position2 = f8_select(there, best.position2, placed.position2);
    }
    for (int i = 0; i < l->step_count; i++) *(float8*)v->x[i] = best.x[i];
    *(float8*)v->placed2 = best.position2;
}

extern const hf_lane_kernel HF_KERNEL_NAME(hf_lane_kernel);
const hf_lane_kernel HF_KERNEL_NAME(hf_lane_kernel) = {kernel_blocked, kernel_solve};
