/* Everything one panel shows, and the rays through it. */
#ifndef HF_RENDER_STAGE_H
#define HF_RENDER_STAGE_H

#include "render/camera.h"
#include "render/figure.h"

typedef enum hf_layer_kind { HF_LAYER_NONE, HF_LAYER_SCENE, HF_LAYER_FIGURE, HF_LAYER_GROUND } hf_layer_kind;

/* Walls must not hide the creature:
   - from outside, a watertight inward piece (a room modelled as a shell) is seen through, and it throws no
     shadow;
   - where the scene still hides more than half of the creature, it is cut by a plane across the view just
     before the creature: what is nearer is not drawn and throws no shadow, and solids that are cut open show
     their inside in one flat colour. */
typedef struct hf_stage {
    const hf_placement* scene; /* borrowed, may be NULL */
    int marked_object;         /* -1 for none */
    bool has_place;            /* a marked place, which should be seen: */
    hf_vec3 place;
    bool* has_shell;        /* by object */
    hf_colour* colours;     /* by object */
    hf_scene* caster_scene; /* the scene without shells, where it has any */
    hf_placement* casters;
    hf_layer figure, marks, ghosts;
    double size; /* m, the height of what matters: scales marks, occlusion and the ground's grid */
    bool ground;
    double ground_z;
    hf_camera camera;
    double pixel; /* width of a pixel at distance 1 */
    bool cut;
    double cut_depth; /* along camera.forward */
    hf_vec3 light;    /* unit, towards it */
} hf_stage;

/* What the camera sees. */
typedef struct hf_hit {
    hf_layer_kind kind;
    int object;
    double distance;
    hf_vec3 point;
    hf_vec3 face;   /* unit, towards the eye */
    hf_vec3 normal; /* the same, smooth */
    hf_colour colour;
    bool section;      /* the inside of a solid that is cut open */
    hf_colour veil;    /* of marks and reach volumes before or behind it */
    float transparent; /* how much of it the veil leaves */
} hf_hit;

/* What is drawn, with its sizes: enough to find a camera. `reach` keeps reach volumes between stages. */
hf_status hf_stage_fill(hf_stage* stage, const hf_picture_moment* moment, const hf_picture_options* options,
                        hf_figure_reach* reach);
/* Trees for the rays. */
hf_status hf_stage_build(hf_stage* stage);
void hf_stage_free(hf_stage* stage);
/* Points that should be in the picture; freed with hf_free. */
hf_status hf_stage_points(const hf_stage* stage, hf_vec3** points, int* count);
/* How much of the creature the scene hides from a camera, in [0, 1]. */
double hf_stage_hidden(const hf_stage* stage, const hf_camera* camera);
/* Does the scene hide the marked place from a camera? */
bool hf_stage_hides_place(const hf_stage* stage, const hf_camera* camera);
void hf_stage_look(hf_stage* stage, const hf_camera* camera, double azimuth, int panel_width);

/* Eight rays from the eye. */
void hf_stage_trace(const hf_stage* stage, const hf_vec3 directions[8], hf_hit hits[8]);
/* Is anything within `distance` along the unit direction? */
bool hf_stage_occluded(const hf_stage* stage, hf_vec3 from, hf_vec3 direction, double distance);

#endif
