/* Random stances of every kind that makes balance hard to decide, and their wrenches as plain arithmetic: the
   columns are made here again, so that a mistake in the library's does not repeat itself in its oracles. */
#ifndef HF_TESTS_STANCE_FIXTURE_H
#define HF_TESTS_STANCE_FIXTURE_H

#include "base/random.h"
#include <holdfast/holdfast.h>

#include <math.h>
#include <string.h>

typedef enum stance_kind {
    STANCE_FLOOR,     /* patches on one level */
    STANCE_LEVELS,    /* patches on level ground of several heights */
    STANCE_SLOPES,    /* patches on anything */
    STANCE_POINTS,    /* points on anything */
    STANCE_LINE,      /* points of one line on the floor */
    STANCE_ONE_POINT, /* a single one */
    STANCE_ONE_PATCH,
    STANCE_WALLS,   /* opposing walls, too slippery or not */
    STANCE_GRIPS,   /* grips alone */
    STANCE_CLIMB,   /* grips above, edges below */
    STANCE_SMOOTH,  /* no friction */
    STANCE_NOTHING, /* a wall alone, or nothing at all */
    STANCE_NEARLY,  /* patches on one level but for errors from 1 mm down to rounding */
    STANCE_KINDS
} stance_kind;

typedef struct random_stance {
    int count;
    hf_support supports[8];
    double mass;
} random_stance;

static inline hf_vec3 random_unit(hf_random* r) {
    double z = hf_random_between(r, -1, 1), a = hf_random_between(r, 0, 6.283185307), s = sqrt(1 - z * z);
    return hf_v3(s * cos(a), s * sin(a), z);
}

/* A patch with this normal, turned about it at random. */
static inline hf_support random_patch(hf_random* r, hf_vec3 at, hf_vec3 normal, double friction) {
    hf_support s = {.normal = normal, .friction = friction, .corner_count = 4};
    hf_quat turn = hf_quat_mul(hf_quat_between(hf_v3(0, 0, 1), normal),
                               hf_quat_axis_angle(hf_v3(0, 0, 1), hf_random_between(r, -3, 3)));
    double a = hf_random_between(r, 0.02, 0.13), b = hf_random_between(r, 0.02, 0.06);
    const hf_vec3 local[4] = {{a, b, 0}, {-a, b, 0}, {-a, -b, 0}, {a, -b, 0}};
    for (int i = 0; i < 4; i++) s.corners[i] = hf_add(at, hf_rotate(turn, local[i]));
    return s;
}

static inline hf_support random_point_support(hf_vec3 at, hf_vec3 normal, double friction) {
    return (hf_support){.normal = normal, .friction = friction, .corner_count = 1, .corners = {at}};
}

static inline hf_support random_grip(hf_random* r, hf_vec3 at) {
    hf_support s = random_patch(r, at, random_unit(r), 0);
    if (hf_random_unit(r) < 0.3) s.corner_count = 1;
    s.grip = true;
    s.max_force = hf_random_between(r, 50, 900);
    return s;
}

static inline random_stance random_stance_of(stance_kind kind, hf_random* r) {
    random_stance s = {.count = 1 + (int)(4 * hf_random_unit(r)), .mass = hf_random_between(r, 2, 90)};
    double friction = hf_random_between(r, 0.2, 1);
    hf_vec3 up = {0, 0, 1};
    if (kind == STANCE_ONE_POINT || kind == STANCE_ONE_PATCH) s.count = 1;
    if (kind == STANCE_WALLS && s.count < 2) s.count = 2;
    if (kind == STANCE_NOTHING) s.count = (int)(2 * hf_random_unit(r));
    for (int i = 0; i < s.count; i++) {
        hf_vec3 at = {hf_random_between(r, -0.6, 0.6), hf_random_between(r, -0.6, 0.6),
                      hf_random_between(r, 0, 1)};
        hf_vec3 tilted = hf_normalize(hf_add(up, hf_scale(random_unit(r), hf_random_between(r, 0, 1.4))));
        double side = i % 2 ? 1 : -1;
        switch (kind) {
        case STANCE_FLOOR:
        case STANCE_ONE_PATCH:
            at.z = 0;
            s.supports[i] = random_patch(r, at, up, friction);
            break;
        case STANCE_LEVELS:
            s.supports[i] = random_patch(r, at, up, friction);
            break;
        case STANCE_SLOPES:
            s.supports[i] = random_patch(r, at, tilted, friction);
            break;
        case STANCE_POINTS:
            s.supports[i] = random_point_support(at, tilted, friction);
            break;
        case STANCE_LINE:
            s.supports[i] = random_point_support(hf_v3(0.3 + at.x, 0.1 + 2 * at.x, 0), up, friction);
            break;
        case STANCE_ONE_POINT:
            s.supports[i] = random_point_support(at, tilted, friction);
            break;
        case STANCE_WALLS:
            at.x = 0.5 * side;
            s.supports[i] = random_patch(r, at, hf_v3(-side, 0, 0), friction);
            break;
        case STANCE_GRIPS:
            s.supports[i] = random_grip(r, at);
            break;
        case STANCE_CLIMB:
            at.x = 0, at.z += i < 2 ? 1 : 0;
            s.supports[i] = i < 2 ? random_grip(r, at) : random_patch(r, at, tilted, friction);
            if (i >= 2) s.supports[i].corner_count = 2;
            break;
        case STANCE_NEARLY: {
            at.z = 0;
            double error = pow(10, hf_random_between(r, -13, -3));
            hf_vec3 normal = hf_normalize(hf_add(up, hf_scale(random_unit(r), error)));
            s.supports[i] = random_patch(r, at, normal, friction);
            for (int k = 0; k < 4; k++)
                s.supports[i].corners[k] = hf_add(s.supports[i].corners[k], hf_scale(random_unit(r), error));
            break;
        }
        case STANCE_SMOOTH:
            s.supports[i] = random_patch(r, at, i ? tilted : up, 0);
            break;
        default:
            s.supports[i] = random_patch(r, at, hf_v3(1, 0, 0), friction);
        }
    }
    return s;
}

/* Forces of the model as columns: force and moment about the world's origin, for one newton along the normal
   or, of a grip, along each of its four diagonals with its limits of +-limit. */
enum { STANCE_COLUMNS = 8 * 4 * 8 };
typedef struct stance_columns {
    int count;
    double w[STANCE_COLUMNS][6];
    double limit[STANCE_COLUMNS]; /* 0: no negative values, no upper limit */
} stance_columns;

static inline void stance_column(stance_columns* c, hf_vec3 at, hf_vec3 f, double limit) {
    hf_vec3 m = hf_cross(at, f);
    const double w[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
    memcpy(c->w[c->count], w, sizeof w);
    c->limit[c->count++] = limit;
}

static inline stance_columns stance_columns_of(const random_stance* s, int edges) {
    stance_columns c = {0};
    for (int i = 0; i < s->count; i++) {
        const hf_support* u = &s->supports[i];
        /* The first edge lies in the vertical plane of the normal, upwards; on level ground towards +X. */
        hf_vec3 n = u->normal, up = fabs(n.z) > 0.999 ? hf_v3(1, 0, 0) : hf_v3(0, 0, 1);
        hf_vec3 across = hf_normalize(hf_cross(n, up)), first = hf_cross(across, n);
        for (int k = 0; k < u->corner_count; k++) {
            for (int e = 0; !u->grip && e < edges; e++) {
                hf_vec3 t = hf_rotate(hf_quat_axis_angle(n, e * 6.283185307179586 / edges), first);
                stance_column(&c, u->corners[k], hf_add(n, hf_scale(t, u->friction)), 0);
            }
            for (int d = 0; u->grip && d < 4; d++)
                stance_column(&c, u->corners[k], hf_v3(d & 1 ? 1 : -1, d & 2 ? 1 : -1, 1),
                              u->max_force / u->corner_count / 4);
        }
    }
    return c;
}

#endif
