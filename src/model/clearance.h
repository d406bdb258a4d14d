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
/* What is known of a pose: where the links are, and from each body to the scene and between the bodies of
   each pair (in the order of hf_pair_bit) no more than the distance, m; 0 where nothing is known. */
typedef struct hf_clear_pose {
    const hf_transform* links;
    const float *scene, *pairs;
} hf_clear_pose;
int hf_clearance_pairs(const hf_clearance* clearance);
/* Measures a pose, links: hf_forward's. `scene` and `pairs` as above. */
void hf_clearance_measure(const hf_creature* creature, const hf_clearance* clearance,
                          const hf_placement* placement, const hf_transform* links, float* scene,
                          float* pairs);
/* Moves that are tested from now on begin near this pose; NULL: no such pose is known. */
void hf_clearance_know(hf_clearance* clearance, const hf_clear_pose* pose);
/* Before a move is tested, by the pose that is known: bodies that cannot meet the scene on it, and pairs that
   cannot meet, count as free from now on. relative: of each body, how far its points go at most against the
   other bodies that it may meet; infinite where it may meet the scene. False when no pose is known. */
bool hf_clearance_recall(const hf_creature* creature, hf_clearance* clearance, const hf_transform* from,
                         const hf_transform* to, const hf_link_pace* paces, bool self, double* relative);
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
