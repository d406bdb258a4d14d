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
    double reach; /* of its farthest point from the link's origin, m */
} hf_sweep_part;

typedef struct hf_body_sweep {
    int part_count, group_count;
    hf_sweep_part* parts;
    const hf_creature_view* view;
} hf_body_sweep;

/* How a link moves between two poses, at most. */
typedef struct hf_sweep_bend {
    double turn; /* rad */
    double bend; /* second derivative of its origin's place over the share of the way, m */
} hf_sweep_bend;

hf_status hf_body_sweep_create(const hf_control_layer* layer, hf_body_sweep* sweep);
void hf_body_sweep_free(hf_body_sweep* sweep);
/* group_count boxes: empty ones, and with all places on the straight move between two poses added. bends:
   scratch, one for each link. */
void hf_body_sweep_start(const hf_body_sweep* sweep, hf_box* boxes);
void hf_body_sweep_add(const hf_body_sweep* sweep, const hf_transform* from, const hf_transform* to,
                       hf_sweep_bend* bends, hf_box* boxes);
/* May a body that passed through these boxes have touched the objects of a placement? */
bool hf_body_sweep_meets(const hf_body_sweep* sweep, const hf_box* boxes, const hf_placement* placement);

#endif
