/* Batch kernel: effector point, normal and J J^T of many joint values of one limb, in float.

   The chain is walked from the effector to the trunk. The state is expressed in the frame of the joint that
   is reached: the vector p from its origin to the effector, the normal n, and G = J J^T over the joints
   passed. At a turn about the unit axis a by an angle the column of J is a x p, so that

       p <- R p,   n <- R n,   G <- R G R^T + (a x p)(a x p)^T,   p <- p + shift,

   with the new p in the product. About a main axis R touches two coordinates only, the column has two
   entries, and nothing but twelve registers is carried: no matrix is ever formed. Lanes are independent
   samples and no operation is fused, so that every vector width gives the same answers. */
#include "base/lanes.h"
#include "model/limb_batch.h"

#include <math.h>
#include <stdint.h>

typedef struct vec3 {
    vec x, y, z;
} vec3;
typedef struct symmetric {
    vec xx, yy, zz, xy, xz, yz;
} symmetric;

#define INLINE static inline __attribute__((always_inline))

INLINE vec all(float value) { return (vec){0} + value; }

HF_LANES_SINE_COSINE(sine_cosine, vec, bits)

/* Turns the pair (a, b) by the angle. */
INLINE void turn_pair(vec* a, vec* b, vec s, vec c) {
    vec old = *a;
    *a = c * old - s * *b;
    *b = s * old + c * *b;
}

/* R G R^T about a main axis: a, b the two other directions, o the axis itself. With h = s (aa - bb) + 2 c ab:
   aa - s h, bb + s h, c h - ab. */
INLINE void turn_symmetric(vec* aa, vec* bb, vec* ab, vec* oa, vec* ob, vec s, vec c) {
    vec half = c * *ab;
    vec h = s * (*aa - *bb) + (half + half);
    vec sh = s * h;
    *aa -= sh;
    *bb += sh;
    *ab = c * h - *ab;
    turn_pair(oa, ob, s, c);
}

/* Carries stand apart: they are indexed, the rest lives in registers. */
typedef struct state {
    vec3 p, n;
    symmetric g;
} state;

/* What is to be computed; constants wherever the walk is inlined. */
typedef struct wants {
    bool normal, gram;
    int carries;
} wants;

/* A turn about main axis z of (x, y, z) in cyclic order; other axes by renaming. */
#define TURN_MAIN(x, y, z, xx, yy, xy, xz, yz)                                                               \
    do {                                                                                                     \
        turn_pair(&st->p.x, &st->p.y, s, c);                                                                 \
        if (want.normal) turn_pair(&st->n.x, &st->n.y, s, c);                                                \
        for (int i_ = 0; i_ < want.carries; i_++) turn_pair(&carry[i_].x, &carry[i_].y, s, c);               \
        if (want.gram) {                                                                                     \
            turn_symmetric(&st->g.xx, &st->g.yy, &st->g.xy, &st->g.xz, &st->g.yz, s, c);                     \
            if (want.carries > 0 && step->carry >= 0) {                                                      \
                carry[step->carry].x -= step->scale * st->p.y;                                               \
                carry[step->carry].y += step->scale * st->p.x;                                               \
            } else {                                                                                         \
                st->g.xx += st->p.y * st->p.y;                                                               \
                st->g.yy += st->p.x * st->p.x;                                                               \
                st->g.xy -= st->p.x * st->p.y;                                                               \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

INLINE vec3 matrix_mul(const vec m[9], vec3 v) {
    return (vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                  m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

/* Adds the outer product of a column, or the column itself where several joints share it. */
INLINE void add_column(state* st, vec3* carry, const hf_batch_step* step, wants want, vec3 c) {
    if (want.carries > 0 && step->carry >= 0) {
        carry += step->carry;
        carry->x += step->scale * c.x, carry->y += step->scale * c.y, carry->z += step->scale * c.z;
    } else {
        st->g.xx += c.x * c.x, st->g.yy += c.y * c.y, st->g.zz += c.z * c.z;
        st->g.xy += c.x * c.y, st->g.xz += c.x * c.z, st->g.yz += c.y * c.z;
    }
}

/* A turn about any axis, by its matrix (Rodrigues). */
static __attribute__((noinline)) void turn_any(state* st, vec3* carry, const hf_batch_step* step, wants want,
                                               vec s, vec c) {
    float x = step->axis[0], y = step->axis[1], z = step->axis[2];
    vec k = 1.0f - c;
    const vec m[9] = {c + k * (x * x),     k * (x * y) - s * z, k * (x * z) + s * y,
                      k * (x * y) + s * z, c + k * (y * y),     k * (y * z) - s * x,
                      k * (x * z) - s * y, k * (y * z) + s * x, c + k * (z * z)};
    st->p = matrix_mul(m, st->p);
    if (want.normal) st->n = matrix_mul(m, st->n);
    for (int i = 0; i < want.carries; i++) carry[i] = matrix_mul(m, carry[i]);
    if (!want.gram) return;
    /* Columns of R G, then rows times R^T. */
    symmetric g = st->g;
    vec3 a = matrix_mul(m, (vec3){g.xx, g.xy, g.xz});
    vec3 b = matrix_mul(m, (vec3){g.xy, g.yy, g.yz});
    vec3 d = matrix_mul(m, (vec3){g.xz, g.yz, g.zz});
    vec3 first = matrix_mul(m, (vec3){a.x, b.x, d.x});
    vec3 second = matrix_mul(m, (vec3){a.y, b.y, d.y});
    st->g.xx = first.x, st->g.xy = first.y, st->g.xz = first.z;
    st->g.yy = second.y, st->g.yz = second.z;
    st->g.zz = m[6] * a.z + m[7] * b.z + m[8] * d.z;
    add_column(st, carry, step, want,
               (vec3){y * st->p.z - z * st->p.y, z * st->p.x - x * st->p.z, x * st->p.y - y * st->p.x});
}

INLINE void slide(state* st, vec3* carry, const hf_batch_step* step, wants want, vec value) {
    float x = step->axis[0], y = step->axis[1], z = step->axis[2];
    st->p.x += value * x, st->p.y += value * y, st->p.z += value * z;
    if (want.gram) add_column(st, carry, step, want, (vec3){all(x), all(y), all(z)});
}

/* One joint towards the trunk. */
INLINE void walk_step(state* st, vec3* carry, const hf_batch_step* step, wants want, vec value) {
    vec s, c;
    if (!step->plain) value = value * step->scale + step->offset;
    if (step->motion == HF_BATCH_SLIDE) {
        slide(st, carry, step, want, value);
    } else {
        sine_cosine(value, &s, &c);
        switch (step->motion) {
        case HF_BATCH_TURN_X:
            TURN_MAIN(y, z, x, yy, zz, yz, xy, xz);
            break;
        case HF_BATCH_TURN_Y:
            TURN_MAIN(z, x, y, zz, xx, xz, yz, xy);
            break;
        case HF_BATCH_TURN_Z:
            TURN_MAIN(x, y, z, xx, yy, xy, xz, yz);
            break;
        default: {
            state copy = *st;
            turn_any(&copy, carry, step, want, s, c);
            *st = copy;
        }
        }
    }
    if (step->shifts) st->p.x += step->shift[0], st->p.y += step->shift[1], st->p.z += step->shift[2];
}

INLINE void walk(const hf_batch_program* program, const hf_batch* b, wants want) {
    size_t stride = (size_t)b->stride;
    for (size_t i = 0; i < (size_t)b->count; i += WIDTH) {
        state st;
        vec3 carry[HF_BATCH_MAX_CARRIES];
        st.p = (vec3){all(program->point[0]), all(program->point[1]), all(program->point[2])};
        st.n = (vec3){all(program->normal[0]), all(program->normal[1]), all(program->normal[2])};
        st.g = (symmetric){all(0), all(0), all(0), all(0), all(0), all(0)};
        for (int j = 0; j < want.carries; j++) carry[j] = (vec3){all(0), all(0), all(0)};
        for (int j = 0; j < program->step_count; j++) {
            const hf_batch_step* step = &program->steps[j];
            walk_step(&st, carry, step, want, *(const vec*)&b->theta[(size_t)step->row * stride + i]);
        }
        for (int j = 0; j < want.carries; j++)
            add_column(&st, carry, &(hf_batch_step){.carry = -1}, want, carry[j]);
        *(vec*)&b->point[i] = st.p.x;
        *(vec*)&b->point[stride + i] = st.p.y;
        *(vec*)&b->point[2 * stride + i] = st.p.z;
        if (want.normal) {
            *(vec*)&b->normal[i] = st.n.x;
            *(vec*)&b->normal[stride + i] = st.n.y;
            *(vec*)&b->normal[2 * stride + i] = st.n.z;
        }
        if (want.gram) {
            const vec g[6] = {st.g.xx, st.g.yy, st.g.zz, st.g.xy, st.g.xz, st.g.yz};
            for (size_t j = 0; j < 6; j++) *(vec*)&b->gram[j * stride + i] = g[j];
        }
    }
}

/* One build for each set of wishes, so that what nobody asks for costs nothing. */
void HF_KERNEL_NAME(hf_limb_batch_run)(const hf_batch_program* program, const hf_batch* b) {
    if (!b->gram && !b->normal)
        walk(program, b, (wants){false, false, 0});
    else if (!b->gram)
        walk(program, b, (wants){true, false, 0});
    else if (program->carry_count > 0)
        walk(program, b, (wants){b->normal != NULL, true, program->carry_count});
    else if (!b->normal)
        walk(program, b, (wants){false, true, 0});
    else
        walk(program, b, (wants){true, true, 0});
}
