/* A creature file beside a small walker; the same bytes serve as the region file it may name. */
#include "creature_fuzz.h"
#include "walker.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const char region[] = "{\"swing_polygon\": [[0,1,-1],[1,0,-1],[-1,0,-1]], \"twist\": [-1, 1]}";
    fuzz_write("walker.urdf", WALKER, sizeof WALKER - 1);
    fuzz_write("swing.rom.json", region, sizeof region - 1);
    fuzz_write("fuzz.rom.json", data, size);
    fuzz_write("fuzz.creature.json", data, size);
    fuzz_load("fuzz.creature.json");
    /* The bytes as a region, in a creature that is right. */
    static const char frame[] =
        "{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"walker.urdf\", \"rom\": "
        "[{\"joints\": [\"lh\", \"lk\"], \"region\": \"fuzz.rom.json\"}]}";
    fuzz_write("frame.creature.json", frame, sizeof frame - 1);
    fuzz_load("frame.creature.json");
    return 0;
}
