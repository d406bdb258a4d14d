/* The container of binary glTF 2.0. */
#ifndef HF_IO_GLB_FILE_H
#define HF_IO_GLB_FILE_H

#include "io/byte_buffer.h"

enum { HF_GLB_JSON = 0x4e4f534a, HF_GLB_BIN = 0x004e4942 };

/* The little-endian number at some bytes. */
uint32_t hf_glb_u32(const char* bytes);
/* Writes a document, its buffer and whole further chunks (either may be empty); pads json and bin. */
hf_status hf_glb_save(hf_bytes* json, hf_bytes* bin, const hf_bytes* chunks, const char* path,
                      hf_error* error);

#endif
