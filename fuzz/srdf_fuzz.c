/* An SRDF beside a small walker. */
#include "creature_fuzz.h"
#include "walker.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_write("walker.urdf", WALKER, sizeof WALKER - 1);
    fuzz_write("walker.srdf", data, size);
    fuzz_load("walker.urdf");
    return 0;
}
