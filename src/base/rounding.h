/* Guards against rounding, for numbers that have no other meaning. */
#ifndef HF_BASE_ROUNDING_H
#define HF_BASE_ROUNDING_H

/* Sums and products of doubles near 1 are wrong by less than this, and nothing that counts differs by so
   little. */
#define HF_ROUNDING 1e-9
/* A length, m, a share, or a part of a unit vector this small is none: files have about seven digits. */
#define HF_NEGLIGIBLE 1e-6
#define HF_NEGLIGIBLE_SQUARE 1e-12

#endif
