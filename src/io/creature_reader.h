/* Readers that fill a creature draft. On failure the draft is still the caller's to free. */
#ifndef HF_IO_CREATURE_READER_H
#define HF_IO_CREATURE_READER_H

#include "model/creature_draft.h"

/* options may be NULL everywhere. */
hf_status hf_urdf_read(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                       hf_error* error);

#endif
