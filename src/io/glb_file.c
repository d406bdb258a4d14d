/* The container of binary glTF 2.0: a header, the JSON, the buffer, further chunks. */
#include "io/glb_file.h"
#include "base/error.h"

uint32_t hf_glb_u32(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_chunk(hf_bytes* file, const hf_bytes* data, uint32_t kind) {
    hf_bytes_u32(file, (uint32_t)data->size);
    hf_bytes_u32(file, kind);
    hf_bytes_add(file, data->data, data->size);
    file->failed |= data->failed;
}

hf_status hf_glb_save(hf_bytes* json, hf_bytes* bin, const hf_bytes* chunks, const char* path,
                      hf_error* error) {
    hf_bytes_align(json, ' ');
    hf_bytes_align(bin, 0);
    size_t total = 12 + 8 + json->size + (bin->size ? 8 + bin->size : 0) + chunks->size;
    if (total > UINT32_MAX) return hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "a GLB ends at 4 GiB");
    hf_bytes file = {0};
    hf_bytes_text(&file, "glTF");
    hf_bytes_u32(&file, 2);
    hf_bytes_u32(&file, (uint32_t)total);
    put_chunk(&file, json, HF_GLB_JSON);
    if (bin->size) put_chunk(&file, bin, HF_GLB_BIN);
    hf_bytes_add(&file, chunks->data, chunks->size);
    file.failed |= chunks->failed || bin->failed;
    hf_status status = hf_bytes_save(&file, path, error);
    hf_bytes_free(&file);
    return status;
}
