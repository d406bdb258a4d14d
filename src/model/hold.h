/* Which holds take their object along. */
#ifndef HF_MODEL_HOLD_H
#define HF_MODEL_HOLD_H

#include <holdfast/hold.h>

/* Do two limbs press one object between them, neither of them gripping it? Both holds are in the same frame:
   the world's or the object's. */
bool hf_holds_press(const hf_hold* a, const hf_hold* b);
/* Does a movable object go with the limb of the hold while the other hold (of the same time and frame; may be
   the hold itself) lasts? It does while it is gripped, or pressed between the two limbs. */
bool hf_hold_takes_along(const hf_scene* scene, const hf_hold* hold, const hf_hold* other);

#endif
