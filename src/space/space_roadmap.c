/* Visibility roadmaps (thesis-2015 Algorithm 4 with its line 12 the right way round: the first guard seen is
   remembered, one of another component connects the two). States are drawn and looked around from in batches
   by all threads, each by its number alone; what they saw is merged in the order of the numbers, so that the
   roadmap does not depend on how many threads there were. */
#include "space/space_roadmap.h"

#include "base/parallel.h"
#include "base/random.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    BATCH = 64,          /* states, whatever the number of threads */
    MAX_SEEN = 16,       /* components one state can connect */
    MAX_LOOKS = 40,      /* guards that a state looks for, nearest first */
    COMPONENT_LOOKS = 8, /* of them in one component */
    STREAM = 0x40ae,     /* of the chances, and of those of a second look */
};

/* A way from a drawn state to a guard. */
typedef struct sight {
    int guard;
    double mark;
} sight;

/* What a state saw of the guards there were when its batch began. */
typedef struct draw {
    hf_status status;
    bool drawn;
    double* state;
    int seen;
    sight sights[MAX_SEEN];
} draw;

typedef struct growth {
    const hf_space_roadmap_options* options;
    const hf_space* spaces; /* one for each worker */
    hf_space_roadmap* out;
    bool* guard;   /* of each node */
    int64_t first; /* number of the batch's first state */
    draw* batch;
    int tries;
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

static int component_of(const growth* g, int node) { return hf_space_graph_component(&g->out->graph, node); }

/* Is a guard of this component already among the sights? */
static bool is_seen(const growth* g, const draw* d, int component) {
    for (int i = 0; i < d->seen; i++)
        if (component_of(g, d->sights[i].guard) == component) return true;
    return false;
}

/* Adds sights of guards from `from` on, the nearest first, one for each component. */
static void look_around(const growth* g, const hf_space* space, draw* d, hf_random random, int from) {
    const hf_space_graph* graph = &g->out->graph;
    chosen c = {g, from};
    int guards[MAX_LOOKS], looks[MAX_LOOKS], components[MAX_LOOKS], known = 0;
    int count = hf_space_nearest(&graph->nodes, space, d->state, is_chosen, &c, MAX_LOOKS, guards);
    for (int i = 0; i < count && d->seen < MAX_SEEN; i++) {
        int component = component_of(g, guards[i]), k = 0;
        double mark, chance = hf_random_unit(&random);
        if (is_seen(g, d, component)) continue;
        while (k < known && components[k] != component) k++;
        if (k == known) components[known] = component, looks[known++] = 0;
        if (looks[k]++ >= COMPONENT_LOOKS) continue;
        if (space->join(space->user, d->state, hf_space_graph_node(graph, guards[i]), chance, &mark))
            d->sights[d->seen++] = (sight){guards[i], mark};
    }
}

/* One state of the batch: drawn, and looked around from. Reads the graph only. */
static void draw_one(void* context, int index, int worker) {
    growth* g = context;
    const hf_space* space = &g->spaces[worker];
    draw* d = &g->batch[index];
    int64_t number = g->first + index;
    d->seen = 0, d->drawn = false;
    d->status = space->draw(space->user, number, d->state, &d->drawn);
    if (d->status != HF_OK || !d->drawn) return;
    look_around(g, space, d, hf_random_start(g->options->seed, STREAM, (uint64_t)number), 0);
}

/* Guards that came after the batch began, and sights of components that have since become one. */
static void look_again(growth* g, draw* d, int64_t number, int old_count) {
    int total = d->seen;
    d->seen = 0;
    for (int i = 0; i < total; i++) {
        sight s = d->sights[i];
        if (!is_seen(g, d, component_of(g, s.guard))) d->sights[d->seen++] = s;
    }
    hf_random random = hf_random_start(g->options->seed, STREAM + 1, (uint64_t)number);
    look_around(g, &g->spaces[0], d, random, old_count);
}

static hf_status add_node(growth* g, const draw* d) {
    hf_space_graph* graph = &g->out->graph;
    hf_status status = hf_space_graph_add(graph, &g->spaces[0], d->state);
    if (status != HF_OK) return status;
    int node = hf_space_graph_count(graph) - 1;
    g->guard[node] = d->seen == 0;
    for (int i = 0; i < d->seen && status == HF_OK; i++)
        status = hf_space_graph_join(graph, node, d->sights[i].guard, d->sights[i].mark);
    return status;
}

/* A state that sees no guard becomes one, a state that sees two components connects them. */
static hf_status merge_batch(growth* g, int count) {
    hf_space_graph* graph = &g->out->graph;
    int old_count = hf_space_graph_count(graph);
    hf_status status = HF_OK;
    for (int i = 0; i < count && status == HF_OK; i++) {
        draw* d = &g->batch[i];
        status = d->status;
        if (status == HF_OK && d->drawn) look_again(g, d, g->first + i, old_count);
        bool adds = status == HF_OK && d->drawn && d->seen != 1;
        if (adds) status = add_node(g, d);
        g->out->samples++;
        g->tries = adds ? 0 : g->tries + 1;
        if (g->tries >= g->options->tries || hf_space_graph_count(graph) >= g->options->max_nodes) break;
    }
    return status;
}

static hf_status grow(growth* g) {
    const hf_space_roadmap_options* o = g->options;
    hf_space_roadmap* r = g->out;
    hf_status status = HF_OK;
    r->outcome = HF_BUDGET;
    while (status == HF_OK && r->samples < o->max_samples && hf_space_graph_count(&r->graph) < o->max_nodes) {
        int64_t left = o->max_samples - r->samples;
        int count = left < BATCH ? (int)left : BATCH;
        g->first = r->samples;
        hf_parallel(o->threads, count, draw_one, g);
        // states drawn after the caller stopped the search may be invalid
        if (o->progress && !o->progress(o->user, -1, "")) {
            r->outcome = HF_CANCELLED;
            break;
        }
        status = merge_batch(g, count);
        if (g->tries >= o->tries) {
            r->outcome = HF_FOUND;
            break;
        }
        double done = fmax((double)r->samples / o->max_samples, (double)g->tries / o->tries);
        if (o->progress && !o->progress(o->user, done, "roadmap")) {
            r->outcome = HF_CANCELLED;
            break;
        }
    }
    return status;
}

hf_status hf_space_roadmap_grow(hf_space_roadmap* r, const hf_space* spaces,
                                const hf_space_roadmap_options* options, hf_workspace* workspace) {
    size_t width = (size_t)spaces[0].width;
    *r = (hf_space_roadmap){.graph = hf_space_graph_start(spaces[0].width, workspace)};
    growth g = {.options = options, .spaces = spaces, .out = r};
    g.guard = hf_workspace_take(workspace, (size_t)options->max_nodes + 1, sizeof *g.guard);
    g.batch = hf_workspace_take(workspace, BATCH, sizeof *g.batch);
    double* states = hf_workspace_take(workspace, BATCH * width, sizeof *states);
    if (!g.guard || !g.batch || !states) return HF_ERROR_MEMORY;
    memset(g.batch, 0, BATCH * sizeof *g.batch);
    for (int i = 0; i < BATCH; i++) g.batch[i].state = states + (size_t)i * width;
    return grow(&g);
}
