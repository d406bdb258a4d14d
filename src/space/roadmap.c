/* Visibility roadmaps (thesis-2015 Algorithm 4 with its line 12 the right way round: the first guard seen is
   remembered, one of another component connects the two). Poses are drawn and looked around from in batches
   by all threads, each by its number alone; what they saw is merged in the order of the numbers, so that the
   roadmap does not depend on how many threads there were. */
#include "space/roadmap.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/workspace.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    BATCH = 64,          /* poses, whatever the number of threads */
    MAX_SEEN = 16,       /* components one pose can connect */
    MAX_LOOKS = 40,      /* guards that a pose looks for, nearest first */
    COMPONENT_LOOKS = 8, /* of them in one component */
    STREAM = 0x40ad,     /* of the poses */
};

#define FIELD(name) offsetof(hf_roadmap_options, name)
static const hf_option roadmap_items[] = {
    {"tries", HF_OPTION_COUNT, FIELD(tries), 1, 1e6, 100, "", "poses in a row that add nothing end it"},
    {"max_samples", HF_OPTION_COUNT, FIELD(max_samples), 1, 1e8, 5000, "", "poses drawn"},
    {"max_nodes", HF_OPTION_COUNT, FIELD(max_nodes), 1, HF_ROADMAP_MAX_NODES, 4000, "", "nodes kept"},
    {"step", HF_OPTION_REAL, FIELD(step), 0.01, 0.5, 0.1, "",
     "no point of the trunk moves further untested; share of the trunk's radius"},
    {"metric", HF_OPTION_REAL, FIELD(metric), 0, 1, 0.5, "", "share of shift against turn in distances"},
    {"triangle_share", HF_OPTION_REAL, FIELD(triangle_share), 0, 1, 0.7, "",
     "samples that start at triangles drawn evenly; the rest by area"},
    {"margin_m", HF_OPTION_REAL, FIELD(margin_m), 0, 1000, 0, "m",
     "how far around the scene is searched; 0: as far as the creature reaches"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992.0, 1, "", "of what is drawn"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 1024, 0, "", "0: all cores"},
};

hf_option_table hf_roadmap_option_table(void) {
    return (hf_option_table){sizeof roadmap_items / sizeof *roadmap_items, roadmap_items};
}

hf_roadmap_options hf_roadmap_options_default(void) {
    hf_roadmap_options options;
    memset(&options, 0, sizeof options);
    hf_options_default(hf_roadmap_option_table(), &options);
    return options;
}

/* ---- what it is made from ---- */

static uint64_t hash_transform(uint64_t h, const hf_transform* t) {
    const double n[7] = {t->position.x, t->position.y, t->position.z, t->rotation.w,
                         t->rotation.x, t->rotation.y, t->rotation.z};
    for (int i = 0; i < 7; i++) h = hf_hash_double(h, n[i]);
    return h;
}

uint64_t hf_roadmap_placement_hash(const hf_placement* placement) {
    uint64_t h = hf_hash_int(HF_HASH_START, placement->scene->count);
    for (int i = 0; i < placement->scene->count; i++) {
        h = hash_transform(h, &placement->objects[i].pose);
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

hf_roadmap_key hf_roadmap_key_make(const hf_guide_model* model, const hf_placement* placement,
                                   const hf_roadmap_options* o) {
    uint64_t h = HF_HASH_START;
    const double numbers[] = {o->tries,  o->max_samples,    o->max_nodes, o->step,
                              o->metric, o->triangle_share, o->margin_m};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) h = hf_hash_double(h, numbers[i]);
    h = hf_hash_int(h, (int64_t)o->seed);
    return (hf_roadmap_key){model->hash, scene_hash(placement->scene), hf_roadmap_placement_hash(placement),
                            hf_hash_int(h, o->posture != NULL)};
}

/* ---- growth ---- */

/* A way from a drawn pose to a guard. */
typedef struct sight {
    int guard;
    double turn;
} sight;

/* What a pose saw of the guards there were when its batch began. */
typedef struct draw {
    bool holds;
    hf_transform pose;
    int seen;
    sight sights[MAX_SEEN];
    int64_t tests;
} draw;

typedef struct growth {
    const hf_roadmap_options* options;
    hf_root_space* spaces; /* one for each worker */
    hf_root_graph graph;
    bool* guard;     /* of each node */
    double* posture; /* of each node, then one to fill */
    int64_t first;   /* number of the batch's first pose */
    draw batch[BATCH];
    int tries;
    int64_t samples, tests;
    hf_outcome outcome;
} growth;

/* Guards from node `from` on. */
typedef struct chosen {
    const growth* g;
    int from;
} chosen;

static bool is_chosen(const void* user, int node) {
    const chosen* c = user;
    return node >= c->from && c->g->guard[node];
}

/* Is a guard of this component already among the sights? */
static bool is_seen(const growth* g, const draw* d, int component) {
    for (int i = 0; i < d->seen; i++)
        if (hf_root_graph_component(&g->graph, d->sights[i].guard) == component) return true;
    return false;
}

/* Adds sights of guards from `from` on, the nearest first, one for each component. */
static void look_around(const growth* g, hf_root_space* space, draw* d, hf_random* random, int from) {
    chosen c = {g, from};
    int guards[MAX_LOOKS], looks[MAX_LOOKS], components[MAX_LOOKS], known = 0;
    int count = hf_root_graph_nearest(&g->graph, space, &d->pose, is_chosen, &c, MAX_LOOKS, guards);
    for (int i = 0; i < count && d->seen < MAX_SEEN; i++) {
        int component = hf_root_graph_component(&g->graph, guards[i]), k = 0;
        double turn, s = hf_random_unit(random);
        if (is_seen(g, d, component)) continue;
        while (k < known && components[k] != component) k++;
        if (k == known) components[known] = component, looks[known++] = 0;
        if (looks[k]++ >= COMPONENT_LOOKS) continue;
        if (hf_root_local(space, &d->pose, &g->graph.pose[guards[i]], s, &turn))
            d->sights[d->seen++] = (sight){guards[i], turn};
    }
}

/* One pose of the batch: drawn, and looked around from. Reads the graph only. */
static void draw_one(void* context, int index, int worker) {
    growth* g = context;
    hf_root_space* space = &g->spaces[worker];
    draw* d = &g->batch[index];
    int64_t before = space->tests;
    hf_random random = hf_random_start(g->options->seed, STREAM, (uint64_t)(g->first + index));
    d->seen = 0;
    d->holds = hf_root_sample(space, &random, &d->pose);
    if (d->holds) look_around(g, space, d, &random, 0);
    d->tests = space->tests - before;
}

/* Guards that came after the batch began, and sights of components that have since become one. */
static void look_again(growth* g, draw* d, int64_t number, int old_count) {
    int total = d->seen;
    d->seen = 0;
    for (int i = 0; i < total; i++) {
        sight s = d->sights[i];
        if (!is_seen(g, d, hf_root_graph_component(&g->graph, s.guard))) d->sights[d->seen++] = s;
    }
    hf_random random = hf_random_start(g->options->seed, STREAM + 1, (uint64_t)number);
    look_around(g, &g->spaces[0], d, &random, old_count);
}

static hf_status add_node(growth* g, const draw* d, bool* added) {
    const hf_roadmap_options* o = g->options;
    *added = false;
    double* posture = g->posture + (size_t)g->graph.node_count * (size_t)o->posture_count;
    if (o->posture && !o->posture(o->posture_user, &d->pose, posture)) return HF_OK;
    int node = hf_root_graph_add(&g->graph, &d->pose);
    if (node < 0) return HF_ERROR_MEMORY;
    g->guard[node] = d->seen == 0;
    for (int i = 0; i < d->seen; i++)
        if (!hf_root_graph_join(&g->graph, node, d->sights[i].guard, d->sights[i].turn))
            return HF_ERROR_MEMORY;
    *added = true;
    return HF_OK;
}

/* A pose that sees no guard becomes one, a pose that sees two components connects them. */
static hf_status merge_batch(growth* g, int count) {
    int old_count = g->graph.node_count;
    for (int i = 0; i < count; i++) {
        draw* d = &g->batch[i];
        bool added = false;
        int64_t before = g->spaces[0].tests;
        if (d->holds) {
            look_again(g, d, g->first + i, old_count);
            hf_status status = d->seen == 1 ? HF_OK : add_node(g, d, &added);
            if (status != HF_OK) return status;
        }
        g->samples++;
        g->tests += d->tests + g->spaces[0].tests - before;
        g->tries = added ? 0 : g->tries + 1;
        if (g->tries >= g->options->tries || g->graph.node_count >= g->options->max_nodes) break;
    }
    return HF_OK;
}

static hf_status grow(growth* g) {
    const hf_roadmap_options* o = g->options;
    hf_status status = HF_OK;
    g->outcome = HF_BUDGET;
    while (status == HF_OK && g->samples < o->max_samples && g->graph.node_count < o->max_nodes) {
        int64_t left = o->max_samples - g->samples;
        int count = left < BATCH ? (int)left : BATCH;
        g->first = g->samples;
        hf_parallel(o->threads, count, draw_one, g);
        status = merge_batch(g, count);
        if (g->tries >= o->tries) {
            g->outcome = HF_FOUND;
            break;
        }
        double done = fmax((double)g->samples / o->max_samples, (double)g->tries / o->tries);
        if (o->progress && !o->progress(o->user, done, "roadmap")) {
            g->outcome = HF_CANCELLED;
            break;
        }
    }
    return status;
}

/* ---- the block ---- */

static hf_status make_block(const growth* g, const hf_roadmap_key* key, hf_roadmap** roadmap) {
    const hf_root_graph* graph = &g->graph;
    hf_roadmap_block header;
    memset(&header, 0, sizeof header);
    header.magic = HF_ROADMAP_MAGIC, header.version = HF_ROADMAP_VERSION;
    header.header_bytes = sizeof header;
    header.key = *key;
    header.step_m = g->spaces[0].step_m, header.metric = g->options->metric;
    header.outcome = g->outcome;
    header.node_count = graph->node_count, header.edge_count = graph->edge_count;
    header.component_count = hf_root_graph_components(graph);
    header.posture_count = g->options->posture ? g->options->posture_count : 0;
    header.samples = g->samples, header.tests = g->tests;
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
    size_t nodes = (size_t)graph->node_count, edges = (size_t)graph->edge_count;
    if (nodes) memcpy(hf_roadmap_nodes(block), graph->pose, sizeof *graph->pose * nodes);
    if (edges) memcpy(hf_roadmap_edges(block), graph->edge, sizeof *graph->edge * edges);
    size_t values = nodes * (size_t)header.posture_count;
    if (values) memcpy(hf_roadmap_postures(block), g->posture, sizeof(double) * values);
    return HF_OK;
}

static hf_status check_options(const hf_roadmap_options* o, hf_error* error) {
    hf_status status = hf_options_check(hf_roadmap_option_table(), o, error);
    if (status == HF_OK && o->posture && (o->posture_count < 0 || o->posture_count > 1 << 16))
        status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "posture_count", "%d is outside 0 to 65536",
                         o->posture_count);
    return status;
}

/* Everything the growth needs, from one workspace. */
static hf_status prepare(growth* g, const hf_guide_model* model, const hf_placement* placement,
                         hf_guide_surfaces* surfaces, hf_workspace* workspace) {
    const hf_roadmap_options* o = g->options;
    hf_guide_options like = hf_guide_options_default();
    like.step = o->step, like.metric = o->metric, like.triangle_share = o->triangle_share;
    int workers = hf_parallel_workers(o->threads);
    size_t values = o->posture ? (size_t)o->posture_count : 0, nodes = (size_t)o->max_nodes;
    g->graph.workspace = workspace;
    g->spaces = hf_workspace_take(workspace, (size_t)workers, sizeof *g->spaces);
    g->guard = hf_workspace_take(workspace, nodes + 1, sizeof *g->guard);
    g->posture = hf_workspace_take(workspace, (nodes + 1) * values + 1, sizeof *g->posture);
    if (!g->spaces || !g->guard || !g->posture) return HF_ERROR_MEMORY;
    hf_status status = hf_guide_surfaces_fill(surfaces, model, placement, workspace);
    for (int i = 0; i < workers && status == HF_OK; i++) {
        hf_root_space_start(&g->spaces[i], model, placement, surfaces, &like);
        hf_root_space_bound(&g->spaces[i], NULL, 0, o->margin_m);
    }
    return status;
}

hf_status hf_roadmap_build(const hf_guide_model* model, const hf_placement* placement,
                           const hf_roadmap_options* options, hf_roadmap** roadmap, hf_error* error) {
    HF_ASSERT(model && placement && options && roadmap);
    *roadmap = NULL;
    hf_status status = check_options(options, error);
    if (status != HF_OK) return status;
    hf_workspace* workspace = NULL;
    growth* g = hf_alloc(1, sizeof *g);
    status = g ? hf_workspace_create(&workspace) : HF_ERROR_MEMORY;
    hf_guide_surfaces surfaces;
    if (status == HF_OK) {
        g->options = options;
        status = prepare(g, model, placement, &surfaces, workspace);
    }
    if (status == HF_OK) status = grow(g);
    if (status == HF_OK) {
        hf_roadmap_key key = hf_roadmap_key_make(model, placement, options);
        status = make_block(g, &key, roadmap);
    }
    hf_free(g);
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
                             .posture_count = b->posture_count,
                             .nodes = hf_roadmap_nodes(b),
                             .edges = hf_roadmap_edges(b),
                             .postures = hf_roadmap_postures(b),
                             .samples = b->samples,
                             .tests = b->tests};
}

uint64_t hf_roadmap_hash(const hf_roadmap* roadmap) { return hf_roadmap_block_checksum(roadmap->block); }

hf_status hf_roadmap_save(const hf_roadmap* roadmap, const char* path, hf_error* error) {
    return hf_roadmap_file_write(roadmap->block, path, error);
}

hf_status hf_roadmap_load(const hf_guide_model* model, const hf_placement* placement,
                          const hf_roadmap_options* options, const char* path, hf_roadmap** roadmap,
                          hf_error* error) {
    *roadmap = NULL;
    hf_status status = check_options(options, error);
    char* bytes = NULL;
    size_t size = 0;
    if (status == HF_OK) status = hf_file_read(path, &bytes, &size, error);
    if (status != HF_OK) return status;
    // aligned for the numbers in it
    hf_roadmap_block* block = hf_alloc_aligned(size + 1, 1);
    *roadmap = hf_alloc(1, sizeof **roadmap);
    if (block && *roadmap) {
        memcpy(block, bytes, size);
        hf_roadmap_key key = hf_roadmap_key_make(model, placement, options);
        status = hf_roadmap_block_check(block, size, &key, options->posture ? options->posture_count : 0,
                                        path, error);
        if (status == HF_OK &&
            (block->step_m != options->step * model->radius || block->metric != options->metric))
            status = hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL, "was made with other options");
    } else {
        status = hf_fail_memory(error, path);
    }
    hf_free(bytes);
    if (status == HF_OK) {
        block->checksum = 0; // as built
        (*roadmap)->block = block;
        return HF_OK;
    }
    hf_free(block);
    hf_free(*roadmap);
    *roadmap = NULL;
    return status;
}
