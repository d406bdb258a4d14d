/* Paths of straight ways between states, made shorter. */
#ifndef HF_SPACE_SPACE_SHORTCUT_H
#define HF_SPACE_SPACE_SHORTCUT_H

#include "space/space.h"

/* Takes out states that a straight way can skip, the farthest first (thesis-2015 Algorithm 6). With `halving`
   the next try after a failure skips half as many, for spaces where a test costs much. Calls passes. */
hf_status hf_space_path_prune(const hf_space* space, hf_space_rows* path, bool halving);
/* Joins two random places of the path by a straight way, `tries` times. The last states of both ends stay.
   Calls distance, between, valid and passes. */
hf_status hf_space_path_shorten(const hf_space* space, hf_space_rows* path, uint64_t seed, int tries);

#endif
