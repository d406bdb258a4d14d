/* As many floats as the instruction set takes at once, for kernels whose lanes are independent samples. */
#ifndef HF_BASE_LANES_H
#define HF_BASE_LANES_H

#include <stdint.h>

#if defined(__AVX512F__)
enum { WIDTH = 16 };
#elif defined(__AVX2__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif
typedef float vec __attribute__((vector_size(WIDTH * 4)));
typedef int32_t bits __attribute__((vector_size(WIDTH * 4)));

#endif
