/* Creatures the benchmarks share. */
#ifndef HF_BENCH_ARM_H
#define HF_BENCH_ARM_H

#include <holdfast/holdfast.h>

/* Ends the program with the reason when the file cannot be loaded. */
hf_creature* bench_load(const char* path);
/* The human with one limb: the right arm without its clavicle, seven joints. */
hf_creature* bench_load_arm(void);

#endif
