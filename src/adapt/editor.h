/* The inside of the editor, for its levels. */
#ifndef HF_ADAPT_EDITOR_H
#define HF_ADAPT_EDITOR_H

#include "adapt/places.h"
#include "adapt/repair.h"
#include "adapt/trial.h"
#include "adapt/way.h"

struct hf_adapt_editor {
    hf_adapt_options options;
    hf_source source;
    hf_relation relation;
    hf_moved_relation moved;
    hf_bend bend;
    hf_crew crew;
    hf_rooms rooms;
    hf_places places;
    hf_guide_model* guide; /* of level 3, when it is first asked for */
    int passes;            /* of the last update */
    bool dynamic;          /* contact forces are there for the last pass */
    int scene_count, scene_capacity;
    hf_scene** scenes; /* after each edit */
};

/* Deltas, frames, repairs and tests with the phases as planned. */
hf_status hf_adapt_pass(hf_adapt_editor* editor, hf_realise_result* result);
/* The first pass; from level 2 on with places for the phases whose objects have no surface any more. */
hf_status hf_adapt_begin(hf_adapt_editor* editor, hf_realise_result* result);
/* Level 2: looks for new places of the phases that the faults blame, until there are none or all are tried.
 */
hf_status hf_adapt_replace(hf_adapt_editor* editor, hf_realise_result* result);

#endif
