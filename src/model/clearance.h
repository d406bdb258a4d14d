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
/* How far the body was from everything at the pose tested last, at least and where it was free, m. */
double hf_clearance_room(const hf_clearance* clearance, int body);
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
