/* What a target asks of the link it is about: checked once, the same for both solvers. */
#ifndef HF_SOLVE_TARGET_H
#define HF_SOLVE_TARGET_H

#include <holdfast/solve.h>

typedef struct hf_goal {
    int link;           /* that carries the touching point */
    hf_vec3 offset;     /* the point (a ball's centre) in the link */
    hf_vec3 own_normal; /* the contact's normal in the link */
    int rows;           /* 3: position, 5: and normal, 6: and orientation */
    hf_vec3 point;      /* wanted, world */
    hf_vec3 normal;     /* wanted for the contact's own normal, world: against the surface's */
    hf_quat rotation;   /* wanted for the link, world */
} hf_goal;

/* HF_ERROR_ARGUMENT when an index is out of range, a number is not finite, or a direction is zero. */
hf_status hf_goal_make(const hf_creature_view* view, const hf_target* target, hf_goal* goal);

bool hf_finite3(hf_vec3 v);
bool hf_finite_transform(hf_transform t);

/* A vector along the rotation that takes `from` to `to` (row-major matrices): twice the sine of half
   the angle long, so that small errors are rotation vectors to third order and none vanishes at pi. */
hf_vec3 hf_turn_error(const double* from, const double* to);
/* The same between two unit vectors; `side` is used where they are opposite. */
static inline hf_vec3 hf_normal_error(hf_vec3 from, hf_vec3 to, hf_vec3 side) {
    double room = (1 + hf_dot(from, to)) / 2; /* squared cosine of half the angle */
    return room > 1e-12 ? hf_scale(hf_cross(from, to), 1 / sqrt(room)) : hf_scale(side, 2);
}
/* The angle behind such a vector's squared length. */
static inline double hf_error_angle(double length2) {
    double half = sqrt(length2) / 2;
    return 2 * hf_asin(half < 1 ? half : 1);
}

/* Two unit directions across n. */
static inline void hf_tangents(hf_vec3 n, hf_vec3 tangent[2]) {
    tangent[0] = hf_normalize(hf_cross(n, fabs(n.x) < 0.6 ? hf_v3(1, 0, 0) : hf_v3(0, 1, 0)));
    tangent[1] = hf_cross(n, tangent[0]);
}

#endif
