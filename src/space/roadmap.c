/* Roadmaps of root poses: made, kept in one block, checked against what they are used with. */
#include "space/roadmap.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/parallel.h"
#include "base/workspace.h"
#include "space/space_roadmap.h"

#include <stddef.h>
#include <string.h>

enum { STREAM = 0x40ad }; /* of the poses */

#define FIELD(name) offsetof(hf_roadmap_options, name)
static const hf_option roadmap_items[] = {
    {"tries", HF_OPTION_COUNT, FIELD(tries), 1, 1e6, 100, "", "poses in a row that add nothing end it"},
    {"max_samples", HF_OPTION_COUNT, FIELD(max_samples), 1, 1e8, 5000, "", "poses drawn"},
    {"max_nodes", HF_OPTION_COUNT, FIELD(max_nodes), 1, HF_ROADMAP_MAX_NODES, 4000, "", "nodes kept"},
    HF_ROOT_SPACE_OPTIONS(FIELD),
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992.0, 1, "", "of what is drawn"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 1024, 0, "", "0: all cores"},
};

HF_OPTIONS(hf_roadmap, roadmap_items)

/* ---- what it is made from ---- */

static uint64_t placement_hash(const hf_placement* placement) {
    uint64_t h = hf_hash_int(HF_HASH_START, placement->scene->count);
    for (int i = 0; i < placement->scene->count; i++) {
        h = hf_hash_transform(h, &placement->objects[i].pose);
        h = hf_hash_int(h, placement->objects[i].enabled);
    }
    return h;
}

static uint64_t scene_hash(const hf_scene* scene) {
    uint64_t h = hf_hash_int(HF_HASH_START, scene->count);
    for (int i = 0; i < scene->count; i++) {
        const hf_object* o = &scene->objects[i];
        h = hf_hash_int(h, o->contact + 2 * o->movable);
        h = hf_hash_bytes(h, o->mesh.vertices, sizeof(float) * 3 * (size_t)o->mesh.vertex_count);
        h = hf_hash_bytes(h, o->mesh.indices, sizeof(uint32_t) * 3 * (size_t)o->mesh.triangle_count);
    }
    return h;
}

hf_roadmap_key hf_roadmap_key_make(uint64_t model, const hf_placement* placement) {
    return (hf_roadmap_key){model, scene_hash(placement->scene), placement_hash(placement), 0};
}

hf_status hf_roadmap_matches(const hf_roadmap* roadmap, const hf_roadmap_key* want, int width,
                             hf_error* error) {
    const hf_roadmap_block* b = roadmap->block;
    bool postures = b->width != HF_ROOT_WIDTH;
    const char* why = b->width != width && !postures ? "is of poses of a root, not of postures that reach"
                      : b->width != width            ? "is of postures that reach, not of poses of a root"
                      : b->key.model != want->model
                          ? postures ? "is of another creature, control layer or standing pose"
                                     : "is of another creature or trunk"
                      : b->key.scene != want->scene         ? "is of another scene"
                      : b->key.placement != want->placement ? "is of another placement of the scene's objects"
                      : b->key.options != want->options ? "was made with other reach options or another seed"
                                                        : NULL;
    return why ? hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "roadmap", "%s", why) : HF_OK;
}

hf_status hf_roadmap_fits(const hf_roadmap* roadmap, const hf_guide_model* model,
                          const hf_placement* placement, hf_error* error) {
    HF_REQUIRE(error, roadmap && model && placement);
    hf_roadmap_key want = hf_roadmap_key_make(model->hash, placement);
    return hf_roadmap_matches(roadmap, &want, HF_ROOT_WIDTH, error);
}

/* ---- growth ---- */

/* Poses near surfaces where the condition holds. */
static hf_status draw_near_surface(void* user, int64_t index, double* state, bool* drawn) {
    hf_root_search* s = user;
    hf_random random = hf_random_start(s->seed, STREAM, (uint64_t)index);
    *drawn = hf_root_sample(s->space, &random, (hf_transform*)(void*)state);
    return HF_OK;
}

/* One for each thread. */
typedef struct worker {
    hf_root_space space;
    hf_root_search search;
} worker;

typedef struct build {
    const hf_roadmap_options* options;
    int worker_count;
    worker* workers;
    hf_space* spaces;
    hf_guide_surfaces surfaces;
    hf_space_roadmap roadmap;
    const hf_transform* guide; /* poses of the guide to keep */
    int guide_count;
} build;

/* The poses of a guide that was found, without those at its ends where the condition does not hold. */
static void keep_guide(build* b) {
    const hf_guide_path* path = b->options->guide;
    if (!path || path->outcome != HF_FOUND) return;
    b->guide = path->poses + path->start_poses;
    b->guide_count = path->pose_count - path->start_poses - path->goal_poses;
}

static hf_status prepare(build* b, const hf_guide_model* model, const hf_placement* placement,
                         hf_workspace* workspace) {
    const hf_roadmap_options* o = b->options;
    hf_guide_options like = hf_guide_options_default();
    like.step = o->step, like.metric = o->metric, like.triangle_share = o->triangle_share;
    b->worker_count = hf_parallel_workers(o->threads);
    b->workers = hf_workspace_take(workspace, (size_t)b->worker_count, sizeof *b->workers);
    b->spaces = hf_workspace_take(workspace, (size_t)b->worker_count, sizeof *b->spaces);
    if (!b->workers || !b->spaces) return HF_ERROR_MEMORY;
    hf_status status = hf_guide_surfaces_fill(&b->surfaces, model, placement, workspace);
    for (int i = 0; i < b->worker_count && status == HF_OK; i++) {
        worker* w = &b->workers[i];
        hf_root_space_start(&w->space, model, placement, &b->surfaces, &like);
        hf_root_space_bound(&w->space, NULL, 0, o->margin_m);
        // the caller's thread asks, all of them stop
        w->space.stop = b->workers[0].space.stop;
        if (i == 0) w->space.progress = o->progress, w->space.user = o->user;
        w->search = (hf_root_search){.space = &w->space, .seed = o->seed};
        b->spaces[i] = hf_root_search_space(&w->search);
        b->spaces[i].draw = draw_near_surface;
    }
    return status;
}

static hf_status grow(build* b, hf_workspace* workspace) {
    const hf_roadmap_options* o = b->options;
    hf_space_roadmap_options common = {.tries = o->tries,
                                       .max_samples = o->max_samples,
                                       .max_nodes = o->max_nodes,
                                       .seed = o->seed,
                                       .threads = o->threads,
                                       .progress = o->progress,
                                       .user = o->user};
    return hf_space_roadmap_grow(&b->roadmap, b->spaces, &common, workspace);
}

/* ---- the block ---- */

/* From the node of the lower number to the other. */
static hf_roadmap_edge edge_of(const hf_space_edge* e) {
    if (e->a < e->b) return (hf_roadmap_edge){e->a, e->b, e->mark};
    return (hf_roadmap_edge){e->b, e->a, e->mark >= 0 ? 1 - e->mark : e->mark};
}

hf_status hf_roadmap_keep(hf_roadmap_block header, const hf_space_graph* graph, const hf_transform* guide,
                          const float* edge_rows, hf_roadmap** roadmap) {
    header.magic = HF_ROADMAP_MAGIC, header.version = HF_ROADMAP_VERSION;
    header.header_bytes = sizeof header;
    header.width = graph->nodes.rows.width;
    header.node_count = hf_space_graph_count(graph), header.edge_count = graph->edge_count;
    header.component_count = hf_space_graph_components(graph);
    if (!hf_roadmap_block_layout(&header)) return HF_ERROR_LIMIT;
    hf_roadmap_block* block = hf_alloc_aligned((size_t)header.byte_count, 1);
    *roadmap = hf_alloc(1, sizeof **roadmap);
    if (!block || !*roadmap) {
        hf_free(block);
        hf_free(*roadmap);
        *roadmap = NULL;
        return HF_ERROR_MEMORY;
    }
    *block = header;
    (*roadmap)->block = block;
    memcpy(hf_roadmap_rows(block), graph->nodes.rows.values,
           (size_t)(header.edge_offset - header.node_offset));
    for (int i = 0; i < header.edge_count; i++) hf_roadmap_edges(block)[i] = edge_of(&graph->edges[i]);
    if (header.guide_count)
        memcpy(hf_roadmap_guide(block), guide, sizeof *guide * (size_t)header.guide_count);
    if (header.edge_width)
        memcpy(hf_roadmap_edge_rows(block), edge_rows, (size_t)(header.byte_count - header.edge_row_offset));
    return HF_OK;
}

/* Of the header what the graph does not tell. */
static hf_roadmap_block describe(const build* b, hf_roadmap_key key) {
    hf_roadmap_block header = {.key = key,
                               .step = b->options->step,
                               .metric = b->options->metric,
                               .outcome = b->roadmap.outcome,
                               .samples = b->roadmap.samples,
                               .guide_count = b->guide_count};
    for (int i = 0; i < b->worker_count; i++) header.tests += b->workers[i].space.tests;
    return header;
}

hf_status hf_roadmap_build(const hf_guide_model* model, const hf_placement* placement,
                           const hf_roadmap_options* options, hf_roadmap** roadmap, hf_error* error) {
    HF_REQUIRE(error, model && placement && options && roadmap);
    *roadmap = NULL;
    hf_status status = hf_options_check(hf_roadmap_option_table(), options, error);
    if (status != HF_OK) return status;
    hf_workspace* workspace = NULL;
    status = hf_workspace_create(&workspace);
    build b = {.options = options};
    if (status == HF_OK) hf_workspace_begin(workspace); // all of it is given back at once below
    if (status == HF_OK) status = prepare(&b, model, placement, workspace);
    if (status == HF_OK) status = grow(&b, workspace);
    keep_guide(&b);
    if (status == HF_OK)
        status = hf_roadmap_keep(describe(&b, hf_roadmap_key_make(model->hash, placement)), &b.roadmap.graph,
                                 b.guide, NULL, roadmap);
    hf_workspace_free(workspace);
    return status == HF_OK ? HF_OK : hf_fail(error, status, NULL, 0, NULL, "the roadmap cannot be made");
}

void hf_roadmap_free(hf_roadmap* roadmap) {
    if (!roadmap) return;
    hf_free(roadmap->block);
    hf_free(roadmap);
}

hf_roadmap_view hf_roadmap_get(const hf_roadmap* roadmap) {
    const hf_roadmap_block* b = roadmap->block;
    return (hf_roadmap_view){.outcome = (hf_outcome)b->outcome,
                             .node_count = b->node_count,
                             .edge_count = b->edge_count,
                             .component_count = b->component_count,
                             .nodes = b->width == HF_ROOT_WIDTH ? hf_root_of(hf_roadmap_rows(b)) : NULL,
                             .postures = b->width != HF_ROOT_WIDTH,
                             .edges = hf_roadmap_edges(b),
                             .guide_count = b->guide_count,
                             .guide = hf_roadmap_guide(b),
                             .samples = b->samples,
                             .tests = b->tests};
}

uint64_t hf_roadmap_hash(const hf_roadmap* roadmap) { return hf_roadmap_block_checksum(roadmap->block); }

hf_status hf_roadmap_save(const hf_roadmap* roadmap, const char* path, hf_error* error) {
    HF_REQUIRE(error, roadmap && path);
    return hf_roadmap_file_write(roadmap->block, path, error);
}

static hf_status read_block(const char* path, hf_roadmap* roadmap, hf_error* error) {
    char* bytes = NULL;
    size_t size = 0;
    hf_status status = hf_file_read(path, &bytes, &size, error);
    if (status != HF_OK) return status;
    // aligned for the numbers in it
    hf_roadmap_block* block = roadmap->block = hf_alloc_aligned(size + 1, 1);
    status = block ? HF_OK : hf_fail_memory(error, path);
    if (block) memcpy(block, bytes, size);
    hf_free(bytes);
    if (status == HF_OK) status = hf_roadmap_block_check(block, size, path, error);
    if (status == HF_OK) block->checksum = 0; // as built
    return status;
}

hf_status hf_roadmap_load(const char* path, hf_roadmap** roadmap, hf_error* error) {
    HF_REQUIRE(error, path && roadmap);
    *roadmap = hf_alloc(1, sizeof **roadmap);
    if (!*roadmap) return hf_fail_memory(error, path);
    hf_status status = read_block(path, *roadmap, error);
    if (status != HF_OK) {
        hf_roadmap_free(*roadmap);
        *roadmap = NULL;
    }
    return status;
}
