/* Distances that are known from poses tested before. */
#ifndef HF_MODEL_CLEARANCE_H
#define HF_MODEL_CLEARANCE_H

#include "model/scene.h"

#include <holdfast/collision.h>

/* hf_collides with the query's clearance; `some` says of each body whether it is asked about, NULL: all are.
 */
bool hf_clearance_collides(const hf_creature* creature, const hf_placement* placement,
                           const hf_transform* links, const hf_collision_query* query, const uint8_t* some,
                           hf_collision* hit);
/* How far a link goes on a move, at most: it turns by `turn` rad, its origin shifts by `shift` m, and the
   origins of the links from the root to it are `arm` m apart, one after the other. */
typedef struct hf_link_pace {
    double turn, shift, arm;
} hf_link_pace;
/* Bodies that meet nothing on a move to the pose that was tested last, with all bodies asked about: the scene
   and each other body are farther away than the two can come nearer to each other. from, to: links at the
   ends of the move; self: were bodies tested against each other? */
void hf_clearance_roomy(const hf_creature* creature, hf_clearance* clearance, const hf_transform* from,
                        const hf_transform* to, const hf_link_pace* paces, bool self, uint8_t* roomy);
/* Objects that one body may touch at once; further ones count as not touched. */
enum { HF_MAX_TOUCHES = 64 };
/* How deep the touches of a query allow a body to be in which objects; returns their number (collision.c). */
int hf_touched_depths(const hf_creature* creature, const hf_collision_query* query, int body,
                      hf_object_depth depths[HF_MAX_TOUCHES]);
/* One body against the scene (collision.c). */
bool hf_scene_collides(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                       const hf_collision_query* query, int body, hf_collision* hit);
/* Two bodies against each other, `depth` m of overlap allowed (collision.c). */
bool hf_bodies_collide(const hf_creature* creature, const hf_transform* links, double depth, int a, int b,
                       hf_collision* hit);

#endif
