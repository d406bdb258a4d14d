/* The inside of a sample set. */
#ifndef HF_CONTACT_SAMPLE_SET_H
#define HF_CONTACT_SAMPLE_SET_H

#include "base/cpu.h"
#include "contact/sample_index.h"
#include <holdfast/samples.h>

struct hf_samples {
    hf_sample_block* block;
    bool mapped, kept; /* from a file; in one, that it is from or was written to */
};

/* What a set of these options is made from, and the contact frame it really uses. */
hf_status hf_sample_key_make(const hf_creature* creature, int limb, const hf_sample_options* options,
                             hf_sample_key* key, hf_error* error);
/* Is it a set of this creature, limb and contact frame (-1 for a limb without any)? */
bool hf_samples_belong(const hf_samples* samples, const hf_creature* creature, int limb, int frame);
/* hf_samples_build on one build of the kernels, which the machine must be able to run. */
hf_status hf_samples_build_on(hf_cpu cpu, const hf_creature* creature, int limb,
                              const hf_sample_options* options, hf_samples** samples, hf_error* error);

#endif
