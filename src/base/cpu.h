/* Which build of a hot kernel this machine can run. All builds give the same answers: they are the
   same source without fused contraction, compiled for three instruction sets. */
#ifndef HF_BASE_CPU_H
#define HF_BASE_CPU_H

typedef enum hf_cpu { HF_CPU_BASELINE, HF_CPU_AVX2, HF_CPU_AVX512, HF_CPU_COUNT } hf_cpu;

static inline hf_cpu hf_cpu_best(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return HF_CPU_AVX512;
    if (__builtin_cpu_supports("avx2")) return HF_CPU_AVX2;
#endif
    return HF_CPU_BASELINE;
}

/* A kernel file `*_kernel.c` is compiled once per instruction set with HF_KERNEL defined to the
   suffix: HF_KERNEL_NAME(f) is f_baseline, f_avx2 or f_avx512. */
#define HF_KERNEL_JOIN2(name, suffix) name##_##suffix
#define HF_KERNEL_JOIN(name, suffix) HF_KERNEL_JOIN2(name, suffix)
#define HF_KERNEL_NAME(name) HF_KERNEL_JOIN(name, HF_KERNEL)

/* Defines KERNEL_for(cpu) for a struct type KERNEL of which each build has one constant, KERNEL_baseline and
   so on; it gives NULL where this machine cannot run that build. */
#ifdef HF_KERNELS_X86
#define HF_KERNEL_CHOICE(kernel)                                                                             \
    extern const kernel kernel##_baseline, kernel##_avx2, kernel##_avx512;                                   \
    const kernel* kernel##_for(hf_cpu cpu) {                                                                 \
        const kernel* const builds[] = {&kernel##_baseline, &kernel##_avx2, &kernel##_avx512};               \
        return cpu <= hf_cpu_best() ? builds[cpu] : 0;                                                       \
    }
#else
#define HF_KERNEL_CHOICE(kernel)                                                                             \
    extern const kernel kernel##_baseline;                                                                   \
    const kernel* kernel##_for(hf_cpu cpu) { return cpu == HF_CPU_BASELINE ? &kernel##_baseline : 0; }
#endif

#endif
