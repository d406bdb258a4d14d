/* Colours of pictures: linear RGB inside, sRGB in the file. */
#ifndef HF_RENDER_COLOUR_H
#define HF_RENDER_COLOUR_H

#include <math.h>
#include <stdint.h>

typedef struct hf_colour {
    float r, g, b;
} hf_colour;

static inline hf_colour hf_colour_add(hf_colour a, hf_colour b) {
    return (hf_colour){a.r + b.r, a.g + b.g, a.b + b.b};
}
static inline hf_colour hf_colour_scale(hf_colour a, float s) {
    return (hf_colour){a.r * s, a.g * s, a.b * s};
}
static inline hf_colour hf_colour_mul(hf_colour a, hf_colour b) {
    return (hf_colour){a.r * b.r, a.g * b.g, a.b * b.b};
}
static inline hf_colour hf_colour_mix(hf_colour a, hf_colour b, float t) {
    return hf_colour_add(hf_colour_scale(a, 1 - t), hf_colour_scale(b, t));
}

static inline float hf_to_linear(float s) {
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}
/* 0xRRGGBB as in a style sheet. */
static inline hf_colour hf_colour_hex(uint32_t hex) {
    return (hf_colour){hf_to_linear((float)(hex >> 16 & 255) / 255),
                       hf_to_linear((float)(hex >> 8 & 255) / 255), hf_to_linear((float)(hex & 255) / 255)};
}

/* Colours that are told apart, as 0xRRGGBB, by an index. */
static inline uint32_t hf_palette_hex(int index) {
    static const uint32_t palette[] = {0xd1603d, 0x2a8c82, 0xd9a036, 0x4566b0, 0x8a5a9e, 0x5f9a45,
                                       0xc24f7a, 0x3f9cc4, 0xa07040, 0x6b6fc0, 0xb8b03c, 0x4c8f6a};
    int count = (int)(sizeof palette / sizeof *palette);
    return palette[index < 0 ? 0 : index % count];
}
/* Of what is wrong. */
static inline hf_colour hf_mark_colour(void) { return hf_colour_hex(0xe0102e); }
/* One colour for each limb, by its index. */
static inline hf_colour hf_limb_colour(int limb) { return hf_colour_hex(hf_palette_hex(limb)); }

#endif
