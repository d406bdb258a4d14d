#include "base/workspace.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

enum { MAX_BLOCKS = 48, FIRST_BLOCK = 65536 };

typedef struct block {
    unsigned char* bytes;
    size_t size, used;
} block;

struct hf_workspace {
    block blocks[MAX_BLOCKS];
    int count;
    int depth;
    hf_progress_fn progress; /* asked whether the work shall go on; may be NULL */
    void* user;
    bool cancelled;        /* it said no */
    unsigned calls;        /* of hf_workspace_goes_on_often */
    double spent, allowed; /* work */
};

hf_status hf_workspace_create(hf_workspace** workspace) {
    HF_REQUIRE(NULL, workspace);
    *workspace = hf_alloc(1, sizeof **workspace);
    if (*workspace) (*workspace)->allowed = INFINITY;
    return *workspace ? HF_OK : HF_ERROR_MEMORY;
}

void hf_workspace_free(hf_workspace* workspace) {
    if (!workspace) return;
    for (int i = 0; i < workspace->count; i++) hf_free(workspace->blocks[i].bytes);
    hf_free(workspace);
}

void hf_workspace_watch(hf_workspace* workspace, hf_progress_fn progress, void* user) {
    workspace->progress = progress;
    workspace->user = user;
    workspace->cancelled = false;
}

bool hf_workspace_goes_on(hf_workspace* w) {
    if (w->progress && !w->cancelled) w->cancelled = !w->progress(w->user, -1, "");
    return !hf_workspace_stopped(w);
}

double hf_workspace_allow(hf_workspace* w, double spent) {
    double before = w->allowed;
    w->allowed = spent;
    return before;
}

void hf_workspace_spend(hf_workspace* w, double work) { w->spent += work; }

double hf_workspace_spent(const hf_workspace* w) { return w->spent; }

bool hf_workspace_stopped(const hf_workspace* w) { return w->cancelled || w->spent >= w->allowed; }

bool hf_workspace_cancelled(const hf_workspace* w) { return w->cancelled; }

bool hf_workspace_goes_on_often(hf_workspace* w) {
    return ++w->calls % 8 ? !hf_workspace_stopped(w) : hf_workspace_goes_on(w);
}

hf_workspace_mark hf_workspace_begin(hf_workspace* w) {
    w->depth++;
    hf_workspace_mark mark = {w->count - 1, w->count ? w->blocks[w->count - 1].used : 0};
    return mark;
}

void* hf_workspace_take(hf_workspace* w, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4) return NULL;
    bytes = (bytes + 63) / 64 * 64;
    block* b = w->count ? &w->blocks[w->count - 1] : NULL;
    if (!b || b->size - b->used < bytes) {
        if (w->count == MAX_BLOCKS) return NULL;
        size_t room = b ? b->size * 2 : FIRST_BLOCK;
        if (room < bytes) room = bytes;
        unsigned char* p = hf_alloc_scratch(room);
        if (!p) return NULL;
        b = &w->blocks[w->count++];
        *b = (block){p, room, 0};
    }
    void* p = b->bytes + b->used;
    b->used += bytes;
    return p;
}

/* Between queries the blocks become one, large enough for all of them; if that fails they stay. */
static void join_blocks(block* blocks, int* count) {
    size_t total = 0;
    for (int i = 0; i < *count; i++) total += blocks[i].size;
    unsigned char* p = hf_alloc_scratch(total);
    if (!p) return;
    for (int i = 0; i < *count; i++) hf_free(blocks[i].bytes);
    blocks[0] = (block){p, total, 0};
    *count = 1;
}

void hf_workspace_end(hf_workspace* w, hf_workspace_mark mark) {
    w->depth--;
    if (w->depth == 0) {
        if (w->count > 1) join_blocks(w->blocks, &w->count);
        for (int i = 0; i < w->count; i++) w->blocks[i].used = 0;
        return;
    }
    /* Inside an outer query, blocks added after the mark stay reserved until the outermost end. */
    if (mark.block == w->count - 1 && mark.block >= 0) w->blocks[mark.block].used = mark.used;
}
