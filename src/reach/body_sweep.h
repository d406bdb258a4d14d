/* Boxes around what the parts of a body pass through on a way: what a moved object can touch is told by them
   without making a pose. */
#ifndef HF_REACH_BODY_SWEEP_H
#define HF_REACH_BODY_SWEEP_H

#include "geom/tree.h"
#include "reach/control_layer.h"

#include <holdfast/scene.h>

/* All collision bodies of one link, as a box in the link's frame. */
typedef struct hf_sweep_part {
    int link;
    int group; /* the box that it counts for: one for each link, a hand with its fingers is one */
    hf_vec3 centre, half;
} hf_sweep_part;

typedef struct hf_body_sweep {
    int part_count, group_count;
    hf_sweep_part* parts;
} hf_body_sweep;

hf_status hf_body_sweep_create(const hf_control_layer* layer, hf_body_sweep* sweep);
void hf_body_sweep_free(hf_body_sweep* sweep);
/* group_count boxes: empty ones, and with a pose added. */
void hf_body_sweep_start(const hf_body_sweep* sweep, hf_box* boxes);
void hf_body_sweep_add(const hf_body_sweep* sweep, const hf_transform* links, hf_box* boxes);
/* May a body that passed through these boxes have touched the objects of a placement? */
bool hf_body_sweep_meets(const hf_body_sweep* sweep, const hf_box* boxes, const hf_placement* placement);

#endif
