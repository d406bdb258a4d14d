/* BVH: as a clip, out and back in again, as a creature, and the clip as that creature's motion. */
#include "path_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const char* path = fuzz_file(data, size, ".bvh");
    hf_error error = {0};
    hf_clip *clip = NULL, *again = NULL;
    hf_status status = hf_clip_load(path, 0, &clip, &error);
    fuzz_check_failure(status, &error, clip);
    if (!clip) return unlink(path), 0;
    /* Whatever was read can be written and read again. */
    char back[300];
    snprintf(back, sizeof back, "%s.back.bvh", path);
    if (hf_clip_save(clip, back, &error) != HF_OK) abort();
    if (hf_clip_load(back, clip->unit_m, &again, &error) != HF_OK) abort();
    size_t values = (size_t)clip->frame_count * (size_t)clip->channel_count;
    for (size_t i = 0; i < values; i++)
        if (again->values[i] != clip->values[i]) abort();
    hf_creature* creature = NULL;
    hf_motion* motion = NULL;
    status = hf_creature_load(path, NULL, &creature, &error);
    fuzz_check_failure(status, &error, creature);
    if (creature) {
        status = hf_clip_motion(clip, creature, &motion, &error);
        fuzz_check_failure(status, &error, motion);
        if (status != HF_OK && clip->frame_count > 0) abort();
    }
    hf_motion_free(motion);
    hf_creature_free(creature);
    hf_clip_free(clip);
    hf_clip_free(again);
    unlink(back);
    unlink(path);
    return 0;
}
