/* The layers of one moment: the creature, marks for contacts and task, reach volumes. */
#ifndef HF_RENDER_FIGURE_H
#define HF_RENDER_FIGURE_H

#include "render/layer.h"

#include <holdfast/render.h>

/* The creature in its pose, limbs tinted. */
hf_status hf_figure_add_creature(hf_layer* layer, const hf_picture_moment* moment);
/* Contact points with their normals, and the task's arrow above the creature. `size`: its height, m. */
hf_status hf_figure_add_marks(hf_layer* layer, const hf_picture_moment* moment, const hf_layer* creature,
                              hf_vec3 task, double size);

/* Reach volumes of a creature, found once for all panels of a page. */
typedef struct hf_figure_reach {
    const hf_creature* creature; /* whose they are, or NULL */
    hf_mesh* hulls;              /* by limb; empty where none is drawn */
} hf_figure_reach;

/* One convex hull for each limb in use; `reach` keeps the hulls for the next moment of the same creature. */
hf_status hf_figure_add_reach(hf_layer* layer, const hf_picture_moment* moment, hf_figure_reach* reach);
void hf_figure_reach_free(hf_figure_reach* reach);

#endif
