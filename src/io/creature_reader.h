/* Readers that fill a creature draft. On failure the draft is still the caller's to free. */
#ifndef HF_IO_CREATURE_READER_H
#define HF_IO_CREATURE_READER_H

#include "model/creature_draft.h"

hf_status hf_urdf_read(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                       hf_error* error);
hf_status hf_srdf_read(const char* path, hf_creature_draft* draft, hf_error* error);
hf_status hf_creature_file_read(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                                hf_error* error);
/* Adds one region to the draft. joints may be NULL: then the file must name them. */
hf_status hf_rom_file_read(const char* path, char** joints, int joint_count, hf_creature_draft* draft,
                           hf_error* error);

/* Links and joints from a URDF, BVH or glTF file, by its ending. */
hf_status hf_creature_read_body(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                                hf_error* error);
/* Reads the SRDF that belongs to a URDF, if there is one: the same name beside it or in ../srdf. */
hf_status hf_srdf_read_beside(const char* urdf_path, hf_creature_draft* draft, hf_error* error);

#endif
