/* Motion files: what is read can be written, and reads back to the same file. */
#include "path_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const char* path = fuzz_file(data, size, ".motion.json");
    hf_error error = {0};
    hf_motion *motion = NULL, *again = NULL;
    hf_status status = hf_motion_load(path, &motion, &error);
    fuzz_check_failure(status, &error, motion);
    if (motion) {
        char back[300];
        snprintf(back, sizeof back, "%s.back.json", path);
        status = hf_motion_save(motion, back, &error);
        /* Sums of huge numbers may leave the finite ones; nothing else may fail. */
        if (status != HF_OK && status != HF_ERROR_ARGUMENT) abort();
        if (status == HF_OK) {
            if (hf_motion_load(back, &again, &error) != HF_OK) abort();
            if (again->frame_count != motion->frame_count || again->q_count != motion->q_count) abort();
            for (int f = 0; f < motion->frame_count; f++)
                for (int i = 0; i < motion->q_count; i++)
                    if (motion->frames[f].q[i] != again->frames[f].q[i]) abort();
        }
        unlink(back);
    }
    hf_motion_free(motion);
    hf_motion_free(again);
    unlink(path);
    return 0;
}
