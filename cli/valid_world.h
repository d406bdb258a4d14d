/* Everything that random contact queries are asked about: creatures, scenes, sample sets. */
#ifndef HF_CLI_VALID_WORLD_H
#define HF_CLI_VALID_WORLD_H

#include "command.h"

#include <pthread.h>

enum { VALID_SIZES = 3 }; /* how many sizes of sample sets there are */

typedef struct valid_creature {
    char* name;
    bool others; /* not shipped */
    hf_creature* creature;
    int limb_count;
    int* limbs;          /* those that can be asked for a contact */
    hf_samples**** sets; /* by limb, size, contact frame; built when first asked for */
} valid_creature;

typedef struct valid_scene {
    char* name;
    bool others;
    hf_scenario* scenario; /* NULL: a mesh file alone */
    hf_scene* scene;
    hf_placement* placement;
    int triangle_count;
    double* areas; /* of the triangles of all objects, summed up */
    bool grips;    /* some object can be gripped */
} valid_scene;

typedef struct valid_world {
    int creature_count, scene_count;
    valid_creature* creatures;
    valid_scene* scenes;
    pthread_mutex_t building; /* of sample sets */
} valid_world;

/* Shipped creatures and the scenes of shipped contact scenarios; with a folder also robots and rigs of
   FOLDER/robots and FOLDER/gltf and the meshes of FOLDER/scenes. */
hf_status valid_world_load(const options* o, const char* folder, valid_world* world, hf_error* error);
void valid_world_free(valid_world* world);
/* One set for each contact frame of a limb, for any thread; NULL and the error when it cannot be built. */
const hf_samples* const* valid_world_sets(valid_world* world, int creature, int limb, int size,
                                          hf_error* error);

#endif
