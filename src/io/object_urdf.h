/* Objects that open, from URDF: a door, a drawer or a lid on what it is hung in. */
#ifndef HF_IO_OBJECT_URDF_H
#define HF_IO_OBJECT_URDF_H

#include "base/text.h"
#include <holdfast/creature.h>
#include <holdfast/scenario.h>

/* What the links on both sides of the one hinge or slide are made of. */
typedef struct hf_object_urdf {
    hf_mesh still;          /* in the root link's frame */
    hf_mesh moving;         /* in the frame of the joint's child link */
    hf_transform moving_at; /* that frame in the root link's, with the joint at 0 */
    char* moving_name;      /* the joint's child link */
    hf_reach_object joint;  /* its kind, axis, range and handle, in the moving frame */
} hf_object_urdf;

/* Adds the reader's warnings, each with file and place. Zeroed after a failure. */
hf_status hf_object_urdf_read(const char* path, const hf_load_options* options, hf_object_urdf* out,
                              hf_lines* warnings, hf_error* error);
void hf_object_urdf_free(hf_object_urdf* object);

#endif
