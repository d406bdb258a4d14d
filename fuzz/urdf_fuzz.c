#include "creature_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_write("fuzz.urdf", data, size);
    fuzz_load("fuzz.urdf");
    return 0;
}
