/* Where a query's limb could not lay its contact frame flat: candidates beside such places mostly fail alike,
   and each costs a whole solve. */
#ifndef HF_CONTACT_TILT_MEMORY_H
#define HF_CONTACT_TILT_MEMORY_H

#include <holdfast/scene.h>

enum { HF_TILT_CELLS = 1024 }; /* cells that share a number are taken for one, which costs little */

/* Cells of the surfaces, by triangle and place. */
typedef struct hf_tilt_memory {
    double cell_m;
    uint8_t tilted[HF_TILT_CELLS];  /* failures */
    uint16_t passed[HF_TILT_CELLS]; /* candidates that came after enough of them */
} hf_tilt_memory;

void hf_tilt_memory_clear(hf_tilt_memory* memory, double limb_length_m);
/* A contact at this place could not be laid flat, and its effector collided. */
void hf_tilt_memory_add(hf_tilt_memory* memory, const hf_surface* surface);
/* Should a candidate at this place be passed over? Where four failed, only the first, second, fourth, eighth
   ... of those that follow are tried. */
bool hf_tilt_memory_skips(hf_tilt_memory* memory, const hf_surface* surface);

#endif
