/* Workers of an editor, each with a workspace of its own: independent parts of an update run at the same
   time. What comes out does not depend on their number. */
#ifndef HF_ADAPT_CREW_H
#define HF_ADAPT_CREW_H

#include <holdfast/base.h>

#include "base/parallel.h"

#include <pthread.h>

typedef struct hf_crew {
    int count; /* of workers */
    hf_workspace** workspaces;
    hf_workspace* asked; /* who watches this one says whether the work goes on */
    pthread_mutex_t asking;
} hf_crew;

/* threads: as for hf_parallel_workers. */
hf_status hf_crew_make(int threads, hf_crew* crew);
void hf_crew_free(hf_crew* crew);
/* Calls work for every index; the work goes on as long as who watches the workspace lets it. A worker uses
   hf_crew_workspace of its own number. */
void hf_crew_work(hf_crew* crew, hf_workspace* workspace, int count, hf_work_fn work, void* context);
static inline hf_workspace* hf_crew_workspace(const hf_crew* crew, int worker) {
    return crew->count > 1 ? crew->workspaces[worker] : crew->asked;
}

#endif
