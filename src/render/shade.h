/* From a stage to linear colours. */
#ifndef HF_RENDER_SHADE_H
#define HF_RENDER_SHADE_H

#include "render/stage.h"

/* Shades rows [first, first + count) of a panel of width x height into `out` (count x width colours).
   samples: 1, 4, 9 or 16. The answer does not depend on threads or on how rows are split. */
hf_status hf_shade(const hf_stage* stage, int width, int height, int first, int count, int samples,
                   int threads, hf_colour* out);

#endif
