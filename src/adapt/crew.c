/* Workers of an editor (adapt/crew.h). */
#include "adapt/crew.h"

#include "base/memory.h"
#include "base/workspace.h"

#include <string.h>

/* Any worker asks, one at a time. */
static bool ask(void* user, double fraction, const char* stage) {
    hf_crew* c = user;
    (void)fraction, (void)stage;
    pthread_mutex_lock(&c->asking);
    bool on = hf_workspace_goes_on(c->asked);
    pthread_mutex_unlock(&c->asking);
    return on;
}

hf_status hf_crew_make(int threads, hf_crew* c) {
    memset(c, 0, sizeof *c);
    int count = hf_parallel_workers(threads);
    c->workspaces = hf_alloc((size_t)count, sizeof *c->workspaces);
    hf_status status = c->workspaces && pthread_mutex_init(&c->asking, NULL) == 0 ? HF_OK : HF_ERROR_MEMORY;
    if (status != HF_OK) {
        hf_free(c->workspaces);
        c->workspaces = NULL;
        return status;
    }
    for (; c->count < count && status == HF_OK; c->count++)
        status = count > 1 ? hf_workspace_create(&c->workspaces[c->count]) : HF_OK;
    if (status != HF_OK) hf_crew_free(c);
    return status;
}

void hf_crew_free(hf_crew* c) {
    if (!c->workspaces) return;
    for (int i = 0; i < c->count; i++) hf_workspace_free(c->workspaces[i]);
    hf_free(c->workspaces);
    pthread_mutex_destroy(&c->asking);
    memset(c, 0, sizeof *c);
}

void hf_crew_work(hf_crew* c, hf_workspace* workspace, int count, hf_work_fn work, void* context) {
    c->asked = workspace;
    for (int i = 0; i < c->count && c->count > 1; i++) hf_workspace_watch(c->workspaces[i], ask, c);
    hf_parallel(c->count, count, work, context);
}
