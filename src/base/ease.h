/* The two curves from rest to rest. */
#ifndef HF_BASE_EASE_H
#define HF_BASE_EASE_H

/* From 0 to 1 with the least jerk: no speed and no acceleration at the ends (Flash and Hogan 1985). Held
   outside of [0, 1]. */
static inline double hf_ease(double u) {
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return u * u * u * (10 + u * (6 * u - 15));
}

/* The same where accelerations may jump: for weights, and for live swings, which are quicker so. */
static inline double hf_ease_cubic(double u) {
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return u * u * (3 - 2 * u);
}

#endif
