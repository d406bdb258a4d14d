/* What fuzzers of files about scenes share: a scene of one triangle, and a file in memory. */
#ifndef HF_FUZZ_SMALL_WORLD_H
#define HF_FUZZ_SMALL_WORLD_H

#include <holdfast/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A triangle 2 m wide whose third corner is at `top`, the others at `bottom`, m. */
static inline hf_scene* fuzz_triangle(float bottom, float top) {
    float v[9] = {-1, -1, bottom, 1, -1, bottom, 0, 1, top};
    uint32_t t[3] = {0, 1, 2};
    hf_object_def def = hf_object_def_default();
    hf_scene* scene = NULL;
    def.name = "t";
    def.mesh = (hf_mesh){.vertices = v, .vertex_count = 3, .indices = t, .triangle_count = 1};
    if (hf_scene_build(&def, 1, &scene, NULL) != HF_OK) abort();
    return scene;
}

typedef struct fuzz_memory {
    int file;
    char path[64];
} fuzz_memory;

static inline fuzz_memory fuzz_memory_open(const char* name) {
    fuzz_memory m = {.file = memfd_create(name, MFD_CLOEXEC)};
    if (m.file < 0) abort();
    snprintf(m.path, sizeof m.path, "/proc/self/fd/%d", m.file);
    return m;
}

static inline void fuzz_memory_fill(const fuzz_memory* m, const uint8_t* data, size_t size) {
    if (ftruncate(m->file, 0) != 0 || pwrite(m->file, data, size, 0) != (ssize_t)size) abort();
}

#endif
