/* Stack-like scratch memory: take inside a query, give back to a mark at its end. */
#ifndef HF_BASE_WORKSPACE_H
#define HF_BASE_WORKSPACE_H

#include <holdfast/base.h>

typedef struct hf_workspace_mark {
    int block;
    size_t used;
} hf_workspace_mark;

/* Asks who watches the workspace; false, now and from then on, when the work shall end with what it has, or
   when the allowed work is spent. */
bool hf_workspace_goes_on(hf_workspace* workspace);
/* Work may be spent until this much is spent in all; INFINITY, as at first: any. Returns what was allowed
   before. Work is counted by those who do it and not by a clock, so that it ends at the same place on every
   machine. */
double hf_workspace_allow(hf_workspace* workspace, double spent);
void hf_workspace_spend(hf_workspace* workspace, double work);
double hf_workspace_spent(const hf_workspace* workspace);
/* Was the work cancelled, or is the allowed work spent? */
bool hf_workspace_stopped(const hf_workspace* workspace);
/* Was the work cancelled at the last question? Then what was tested since has no meaning. */
bool hf_workspace_cancelled(const hf_workspace* workspace);
/* The same for loops whose rounds take microseconds: asks once in eight calls. */
bool hf_workspace_goes_on_often(hf_workspace* workspace);

hf_workspace_mark hf_workspace_begin(hf_workspace* workspace);
/* 64-byte aligned, not zeroed; NULL when memory is out. Heap is used only until the workspace has
   grown to what its queries need: hf_workspace_end joins the blocks that a query had to add. */
void* hf_workspace_take(hf_workspace* workspace, size_t count, size_t size);
void hf_workspace_end(hf_workspace* workspace, hf_workspace_mark mark);

#endif
