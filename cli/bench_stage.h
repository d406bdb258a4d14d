/* A shipped contact scenario made ready for queries from many roots. */
#ifndef HF_CLI_BENCH_STAGE_H
#define HF_CLI_BENCH_STAGE_H

#include "command.h"

typedef struct bench_stage {
    hf_scenario* scenario; /* NULL: not a contact scenario, or one without tasks */
    hf_placement* placement;
    hf_workspace* workspace;
    hf_contact_answer* answer; /* for one contact */
} bench_stage;

/* By its name. To be closed in any case. */
hf_status bench_stage_open(const options* o, const char* name, bench_stage* stage, hf_error* error);
void bench_stage_close(bench_stage* stage);
/* The start, or a place on the path that the root is to take; a little off, and not lower. The same for the
   same round. */
hf_transform bench_stage_root(const bench_stage* stage, int round);
/* What a task asks of a limb; false when nothing. Without a list every limb in use supports. */
bool bench_stage_asks(const bench_stage* stage, const hf_task* task, int limb, hf_task_limb* out);

#endif
