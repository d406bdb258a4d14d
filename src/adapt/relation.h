/* Relationship descriptors (contact-repositioning-2016 section 4.1): points on the scene's surfaces, and for
   each frame and particle of the body how much each point counts for it (appendix A1). */
#ifndef HF_ADAPT_RELATION_H
#define HF_ADAPT_RELATION_H

#include "adapt/source.h"

typedef struct hf_descriptor {
    int object, triangle;
    hf_vec3 local, normal; /* in the object's frame */
} hf_descriptor;

typedef struct hf_relation_weight {
    int descriptor;
    float weight; /* of equation 26 */
} hf_relation_weight;

typedef struct hf_relation {
    const hf_source* source;
    int count, capacity;
    hf_descriptor* descriptors;
    int* start; /* [frame * particle_count + particle], and one behind the last: into weights */
    int weight_count, weight_capacity;
    hf_relation_weight* weights;
    float* affinity;     /* [frame * particle_count + particle]: sum of the weights of equation 24 */
    float* near_m;       /* the same: distance to the nearest point (r1 of equation 25) */
    int key_count;       /* 1: no object of the opened scene moves; else one pose for each frame */
    hf_transform* poses; /* [key * object_count + object] of the opened scene */
} hf_relation;
hf_status hf_relation_make(const hf_source* source, double spacing_m, hf_workspace* workspace,
                           hf_relation* relation);
void hf_relation_free(hf_relation* relation);
static inline hf_transform hf_relation_pose(const hf_relation* r, int frame, int object) {
    int objects = hf_scene_object_count(r->source->scene);
    return r->poses[(size_t)(r->key_count > 1 ? frame : 0) * (size_t)objects + (size_t)object];
}

/* Where the descriptors are in an edited scene. */
typedef struct hf_moved_descriptor {
    bool moves;
    hf_vec3 local; /* in the edited object's frame */
    hf_quat turn;  /* of the surface there, object's frame to object's frame */
} hf_moved_descriptor;

typedef struct hf_moved_relation {
    const hf_scene* scene;
    int key_count;                 /* as above, of the edited scene */
    hf_transform* poses;           /* of those objects that the opened scene has */
    bool* changed;                 /* of each object of the opened scene */
    hf_moved_descriptor* items;    /* what counts */
    hf_moved_descriptor* surfaces; /* the same as the surfaces alone have them */
} hf_moved_relation;
hf_status hf_relation_move(const hf_relation* relation, const hf_scene* scene, hf_moved_relation* moved);
/* The descriptors as the surfaces alone have them again. */
void hf_moved_relation_reset(const hf_relation* relation, hf_moved_relation* moved);
void hf_moved_relation_free(hf_moved_relation* moved);
static inline hf_transform hf_moved_pose(const hf_moved_relation* m, int frame, int object, int objects) {
    return m->poses[(size_t)(m->key_count > 1 ? frame : 0) * (size_t)objects + (size_t)object];
}
/* A point of an object's surface in the edited scene, in the edited object's frame; false when the object has
   no surface any more. turn (may be NULL) as above. */
bool hf_surface_follow(const hf_scene* from, const hf_scene* to, int object, int triangle, hf_vec3* local,
                       hf_quat* turn);

/* The weighted sum of equation 1 less where the particle was: how far it should go. False, and 0, when
   nothing that counts for it moved. */
bool hf_relation_shift(const hf_relation* relation, const hf_moved_relation* moved, int frame, int particle,
                       hf_vec3* shift);

#endif
