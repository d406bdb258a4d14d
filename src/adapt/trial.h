/* The frames of a bend as a schedule, and what is wrong with them that was not wrong before. */
#ifndef HF_ADAPT_TRIAL_H
#define HF_ADAPT_TRIAL_H

#include "adapt/bend.h"

/* The schedule of frames first to last, with times from 0 and the holds by the phases' plans. */
hf_status hf_bend_schedule(const hf_bend* bend, int first, int last, unsigned claims, hf_schedule** schedule);
/* Realises the frames that differ from the opened motion, and those beside an object that changed, and lists
   the faults that the opened motion does not have in these frames. *dynamic: the frames keep the claim of
   contact forces, where the opened motion has it. */
hf_status hf_trial_run(hf_bend* bend, hf_realise_result* result, bool* dynamic);
/* Does where objects are depend on the time and on what was done before? */
bool hf_trial_has_history(const hf_bend* bend);

#endif
