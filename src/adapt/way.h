/* Level 3: another way of the root where neither bending nor other contacts help (contact-repositioning-2016
   section 7). */
#ifndef HF_ADAPT_WAY_H
#define HF_ADAPT_WAY_H

#include "adapt/bend.h"

#include <holdfast/guide.h>

/* Looks for a way of the root about the frames with faults, near the opened one, where the trunk is free and
   the limbs reach something (C_reach), and puts it into bend->way. *found: there is one that differs. */
hf_status hf_way_find(hf_bend* bend, const hf_guide_model* model, const hf_realise_result* faults,
                      uint64_t seed, bool* found);

#endif
