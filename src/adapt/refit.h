/* Descriptors made to say what a motion with a contact elsewhere does (contact-repositioning-2016 section 6).
 */
#ifndef HF_ADAPT_REFIT_H
#define HF_ADAPT_REFIT_H

#include "adapt/bend.h"

/* Moves and turns the descriptors that count for the limbs of re-positioned phases, as little and as alike as
   may be, until the weighted sums give where these limbs are now. *error_m is the root mean square of what is
   left. */
hf_status hf_relation_refit(const hf_bend* bend, hf_moved_relation* moved, double* error_m);

#endif
