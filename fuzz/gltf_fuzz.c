/* glTF skins as creatures: a .glb or a .gltf by its first bytes. */
#include "path_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const char* path = fuzz_file(data, size, ".glb");
    hf_error error = {0};
    hf_creature* creature = NULL;
    hf_status status = hf_creature_load(path, NULL, &creature, &error);
    fuzz_check_failure(status, &error, creature);
    if (creature && !(hf_creature_get(creature)->mass > 0)) abort();
    hf_creature_free(creature);
    unlink(path);
    return 0;
}
