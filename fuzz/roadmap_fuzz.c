/* Roadmap files: the input as a file, and as a block whose checksum and key were made to hold. What is
   accepted is asked for a way. */
#include "small_world.h"

#include "base/memory.h"
#include "space/roadmap.h"

#include <string.h>

static hf_guide_model* model;
static hf_scene* scene;
static hf_placement* placement;
static hf_workspace* workspace;
static hf_guide_path way;
static fuzz_memory file;

/* A small box above one triangle. */
static void prepare(void) {
    hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {0.1, 0.1, 0.1}};
    if (hf_guide_model_create_plain(&box, hf_transform_identity(), &model, NULL) != HF_OK) abort();
    scene = fuzz_triangle(0, 0);
    if (hf_placement_create(scene, &placement) != HF_OK) abort();
    if (hf_workspace_create(&workspace) != HF_OK) abort();
    file = fuzz_memory_open("roadmap");
}

/* A way along it has poses and ends where it was asked to. */
static void use(const hf_roadmap* r) {
    hf_guide_options o = hf_guide_options_default();
    o.max_samples = 4, o.max_tests = 2000, o.shortcuts = 2;
    hf_transform start = {{-0.5, 0, 0.3}, {1, 0, 0, 0}}, goal = {{0.5, 0, 0.3}, {1, 0, 0, 0}};
    if (hf_guide_find_on(r, model, placement, start, goal, &o, workspace, &way) != HF_OK) abort();
    if (way.outcome == HF_FOUND && (way.pose_count < 2 || way.poses[way.pose_count - 1].position.x != 0.5))
        abort();
}

static void try_file(const uint8_t* data, size_t size) {
    fuzz_memory_fill(&file, data, size);
    hf_roadmap* r = NULL;
    hf_error error = {0};
    hf_status status = hf_roadmap_load(file.path, &r, &error);
    if (status != HF_OK && (r || error.status != status || !error.message[0])) abort();
    if (status == HF_OK && hf_roadmap_fits(r, model, placement, NULL) == HF_OK) use(r);
    hf_roadmap_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!model) prepare();
    try_file(data, size);
    // behind key and checksum
    if (size < sizeof(hf_roadmap_block)) return 0;
    hf_roadmap_block* block = hf_alloc_aligned(size, 1);
    if (!block) return 0;
    memcpy(block, data, size);
    block->key = hf_roadmap_key_make(model->hash, placement);
    if (block->byte_count == size) {
        block->checksum = hf_roadmap_block_checksum(block);
        try_file((const uint8_t*)block, size);
    }
    hf_free(block);
    return 0;
}
