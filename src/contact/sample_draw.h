/* Drawing postures of a limb inside its limits and regions, many at a time. */
#ifndef HF_CONTACT_SAMPLE_DRAW_H
#define HF_CONTACT_SAMPLE_DRAW_H

#include "base/cpu.h"
#include "base/memory.h"
#include "model/rom.h"

enum {
    HF_DRAW_CHUNK = 1024,    /* postures drawn together: their rows stay in the nearest cache */
    HF_DRAW_LANES = 16,      /* arrays are filled up to a multiple of this */
    HF_DRAW_ATTEMPTS = 1024, /* per posture and region before it is given up */
    HF_DRAW_BLOCKS = 0x10000 /* of random words between two regions */
};

/* A region of the range of motion as the kernel wants it. */
typedef struct hf_draw_region {
    int rom;
    int joint_count;
    int row[HF_MAX_ROM_JOINTS]; /* of theta, -1 for a joint of the group that is not the limb's */
    float lower[HF_MAX_ROM_JOINTS], upper[HF_MAX_ROM_JOINTS];
    int piece_count; /* 0: a swing polygon, tested one posture at a time */
    int* plane_end;  /* of each piece */
    float* planes;   /* joint_count + 1 numbers each: normal, and b less the rounding of floats */
} hf_draw_region;

typedef struct hf_draw_plan {
    const hf_creature* creature;
    int joint_count;
    uint64_t seed;
    uint32_t stream;
    float *lower, *upper; /* of each joint, rounded inwards */
    bool* in_region;
    int region_count;
    hf_draw_region* regions;
    hf_arena arena;
} hf_draw_plan;

/* Fails with HF_ERROR_ARGUMENT on a joint with several values. Free it in any case. */
hf_status hf_draw_plan_make(const hf_creature* creature, int limb, uint64_t seed, hf_draw_plan* plan,
                            hf_error* error);
void hf_draw_plan_free(hf_draw_plan* plan);
/* Signs that turn the joint values of a limb's mirror partner into its own (see model/mirror.c). False when
   the two do not pair. */
hf_status hf_mirror_signs(const hf_creature* creature, int limb, float* signs, bool* pairs);

/* Memory of one worker. */
typedef struct hf_draw_scratch {
    _Alignas(64) uint32_t words[4][HF_DRAW_CHUNK];
    _Alignas(64) float values[HF_MAX_ROM_JOINTS][HF_DRAW_CHUNK];
    _Alignas(64) uint32_t index[HF_DRAW_CHUNK];
    uint8_t inside[HF_DRAW_CHUNK];
    int active[HF_DRAW_CHUNK];
    double* q; /* a whole pose, for swing polygons */
} hf_draw_scratch;

/* The loops, once for each instruction set; all give the same answers. Counts are filled up to
   HF_DRAW_LANES. */
typedef struct hf_draw_kernel {
    /* Four rows (HF_DRAW_CHUNK apart) of hf_random_words for each index. */
    void (*words)(uint64_t seed, uint32_t stream, const uint32_t* index, uint32_t block, int count,
                  uint32_t* out);
    /* Words spread evenly over [lower, upper]. */
    void (*between)(const uint32_t* words, int count, float lower, float upper, float* out);
    /* Which columns of values (rows HF_DRAW_CHUNK apart) are in a piece of the region. */
    void (*inside)(const hf_draw_region* region, const float* values, int count, uint8_t* inside);
    /* Product of the `rank` largest singular values of J, from J J^T (six rows HF_DRAW_CHUNK apart). */
    void (*manipulability)(const float* gram, int rank, int count, float* out);
} hf_draw_kernel;
/* NULL where this machine cannot run it. */
const hf_draw_kernel* hf_draw_kernel_for(hf_cpu cpu);

/* Draws the postures with these indices (count <= HF_DRAW_CHUNK) into rows of theta HF_DRAW_CHUNK apart;
   bad[i] is set where no posture was found. */
void hf_draw(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const uint32_t* index, int count,
             hf_draw_scratch* scratch, float* theta, uint8_t* bad);
/* Sets inside[i] for the postures within limits and regions. */
void hf_draw_test(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const float* theta, int count,
                  hf_draw_scratch* scratch, uint8_t* inside);

#endif
