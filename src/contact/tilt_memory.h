/* Where a query's limb could not lay its contact frame flat: candidates beside such places mostly fail alike,
   and each costs a whole solve. */
#ifndef HF_CONTACT_TILT_MEMORY_H
#define HF_CONTACT_TILT_MEMORY_H

#include <holdfast/scene.h>

enum { HF_TILT_PLACES = 64 }; /* the last ones count; queries that fail more often than that are rare */

/* A place, and how far from lying flat there the limb stayed. */
typedef struct hf_tilted_place {
    hf_vec3 point, normal;
    double off_m;
    uint32_t passed; /* candidates nearer than that, the one that failed among them */
} hf_tilted_place;

typedef struct hf_tilt_memory {
    double turn_m; /* metres that count as much as a radian */
    int count;     /* of all that were added */
    hf_tilted_place places[HF_TILT_PLACES];
} hf_tilt_memory;

void hf_tilt_memory_clear(hf_tilt_memory* memory, double turn_m);
/* A contact at this place could not be laid flat, and its effector collided. */
void hf_tilt_memory_add(hf_tilt_memory* memory, const hf_surface* surface, double position_error_m,
                        double angle_error_rad);
/* Should a candidate at this place be passed over? The error that the best posture leaves grows or shrinks by
   no more than the target moves and turns: nearer to a place that failed than its error was, only the second,
   fourth, eighth ... candidate is tried, counted from the one that failed, because one solve does not always
   find the best posture. */
bool hf_tilt_memory_skips(hf_tilt_memory* memory, const hf_surface* surface);

#endif
