#include "mesh_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_mesh(hf_obj_read, data, size);
    return 0;
}
