/* How much room the bodies of the opened motion have in each frame: from the scene, and from each other. What
   an edit moves by less need not be tested. */
#ifndef HF_ADAPT_ROOMS_H
#define HF_ADAPT_ROOMS_H

#include "adapt/source.h"
#include "model/clearance.h"

typedef struct hf_rooms {
    const hf_source* source;
    int pair_count;
    hf_transform* links;  /* [frame * link_count + link] */
    float *scene, *pairs; /* [frame * body_count + body], [frame * pair_count + pair] */
    float* edited;        /* as scene, in the edited one */
    hf_clear_pose* poses; /* of each frame */
} hf_rooms;

hf_status hf_rooms_make(const hf_source* source, hf_workspace* workspace, hf_rooms* rooms);
void hf_rooms_free(hf_rooms* rooms);
/* Takes off what the objects that changed leave. changed: of each object of the opened scene. */
void hf_rooms_edit(hf_rooms* rooms, const hf_placement* edited, const bool* changed);

#endif
