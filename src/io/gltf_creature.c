/* The skin of a glTF file as the draft of a creature. */
#include "base/error.h"
#include "io/gltf_clip.h"
#include "io/skeleton.h"

hf_status hf_gltf_read_creature(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                                hf_error* error) {
    hf_gltf_rig rig;
    hf_status status = hf_gltf_rig_widened(path, options->unit_m, &rig, error);
    if (status != HF_OK) return status;
    for (int i = 0; i < rig.warnings.count && status == HF_OK; i++)
        if (!hf_lines_add(&draft->warnings, "%s", rig.warnings.items[i]))
            status = hf_fail_memory(error, path);
    if (status == HF_OK) status = hf_rig_draft(&rig.rig, draft, error);
    hf_gltf_rig_free(&rig);
    return status;
}
