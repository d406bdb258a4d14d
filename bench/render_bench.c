/* A picture of a person on 26,000 triangles of hills, 1280 x 720 pixels with four rays each. */
#include "bench.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 114, REPEATS = 3 };

static hf_mesh hills(void) {
    hf_mesh m = {(SIDE + 1) * (SIDE + 1), SIDE * SIDE * 2, NULL, NULL};
    m.vertices = malloc((size_t)m.vertex_count * 3 * sizeof(float));
    m.indices = malloc((size_t)m.triangle_count * 3 * sizeof(uint32_t));
    if (!m.vertices || !m.indices) abort();
    for (int i = 0; i < m.vertex_count; i++) {
        double x = (i % (SIDE + 1) - SIDE / 2) * 0.08, y = (double)(i / (SIDE + 1) - SIDE / 2) * 0.08;
        m.vertices[3 * i] = (float)x, m.vertices[3 * i + 1] = (float)y;
        m.vertices[3 * i + 2] =
            (float)(-1.1 + 0.15 * sin(2.1 * x) * cos(1.7 * y) + 0.04 * sin(9 * x + 7 * y));
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        uint32_t a = (uint32_t)(i / SIDE * (SIDE + 1) + i % SIDE), row = SIDE + 1;
        const uint32_t quad[6] = {a, a + 1, a + row + 1, a, a + row + 1, a + row};
        for (int k = 0; k < 6; k++) m.indices[6 * i + k] = quad[k];
    }
    return m;
}

void bench_render(void) {
    hf_creature* creature = NULL;
    hf_scene* scene = NULL;
    hf_placement* placement = NULL;
    hf_object_def def = hf_object_def_default();
    def.name = "hills";
    def.mesh = hills();
    def.start = hf_transform_identity();
    if (hf_creature_load(bench_path("data/creatures/human.creature.json"), NULL, &creature, NULL) != HF_OK ||
        hf_scene_build(&def, 1, &scene, NULL) != HF_OK || hf_placement_create(scene, &placement) != HF_OK) {
        fprintf(stderr, "render: the human or the hills cannot be loaded\n");
        exit(3);
    }
    hf_pose pose = {.q = calloc((size_t)hf_creature_get(creature)->q_count + 1, sizeof(double))};
    hf_pose_rest(creature, &pose);
    hf_picture_moment moment = {.creature = creature, .pose = &pose, .placement = placement};
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        hf_picture picture;
        double start = bench_now();
        if (hf_render(&moment, 1, NULL, NULL, NULL, &picture, NULL) != HF_OK) exit(4);
        best = fmin(best, bench_now() - start);
        hf_picture_free(&picture);
    }
    bench_row("render 1280x720, 26k triangles", best, "s", "limit", 2, 1);
    free(pose.q);
    free(def.mesh.vertices);
    free(def.mesh.indices);
    hf_placement_free(placement);
    hf_scene_free(scene);
    hf_creature_free(creature);
}
