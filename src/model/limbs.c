#include "model/creature_build.h"
hf_status hf_build_limbs(hf_build* b) {
    (void)b;
    return HF_OK;
}
