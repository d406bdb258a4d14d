/* Sample files: the input as a file, and as a block whose checksum was made to hold. What is accepted is
   walked whole. */
#include "small_world.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "contact/candidates.h"
#include <holdfast/holdfast.h>

#include <string.h>

static hf_creature* creature;
static hf_scene* scene;
static hf_placement* placement;
static hf_workspace* workspace;
static fuzz_memory file;

static void prepare(void) {
    const char* urdf =
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><joint name='j' type='revolute'>"
        "<parent link='a'/><child link='b'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "
        "velocity='1'/></joint><joint name='k' type='revolute'><parent link='b'/><child link='c'/>"
        "<origin xyz='0 0 -0.3'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' "
        "velocity='1'/></joint></robot>";
    char name[] = "/tmp/holdfast-fuzz-XXXXXX.urdf";
    int f = mkstemps(name, 5);
    if (f < 0 || write(f, urdf, strlen(urdf)) < 0) abort();
    close(f);
    if (hf_creature_load(name, NULL, &creature, NULL) != HF_OK) abort();
    unlink(name);
    if (hf_creature_get(creature)->limb_count < 1) abort();
    scene = fuzz_triangle(-0.4f, -0.3f);
    if (hf_placement_create(scene, &placement) != HF_OK) abort();
    if (hf_workspace_create(&workspace) != HF_OK) abort();
    file = fuzz_memory_open("samples");
}

/* Everything in it can be read. */
static void use(const hf_samples* s) {
    hf_samples_view v = hf_samples_get(s);
    double q[8] = {0};
    for (int i = 0; i < v.count; i++) hf_samples_pose(creature, s, i, q);
    hf_candidate_query query = {.placement = placement, .base = hf_transform_identity(), .epsilon = 0.1};
    hf_candidates c;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    if (hf_candidates_find(s, &query, workspace, &c) != HF_OK || c.sample_count > v.count) abort();
    hf_workspace_end(workspace, mark);
}

static void try_file(const uint8_t* data, size_t size, const hf_sample_options* o) {
    fuzz_memory_fill(&file, data, size);
    hf_samples* s = NULL;
    hf_error error = {0};
    hf_status status = hf_samples_load(creature, 0, o, file.path, &s, &error);
    if (status != HF_OK && (s || error.status != status || !error.message[0])) abort();
    if (status == HF_OK) use(s);
    hf_samples_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!creature) prepare();
    hf_sample_options o = hf_sample_options_default();
    o.count = 64;
    try_file(data, size, &o);
    // behind the checksum
    if (size < sizeof(hf_sample_block)) return 0;
    hf_sample_block* block = hf_alloc_aligned(size, 1);
    if (!block) return 0;
    memcpy(block, data, size);
    hf_sample_key_make(creature, 0, &o, &block->key, NULL);
    if (block->byte_count == size) {
        block->checksum = hf_sample_block_checksum(block);
        try_file((const uint8_t*)block, size, &o);
    }
    hf_free(block);
    return 0;
}
