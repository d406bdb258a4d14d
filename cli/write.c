/* The three files of a solved motion: STEM.motion.json, STEM.glb, STEM.png. */
#include "command.h"

#include <stdlib.h>

hf_status write_motion(const loaded_motion* m, const char* stem, const int* frames, int count, hf_vec3 task,
                       const options* o, progress* p, hf_error* error) {
    char* motion = make_text("%s.motion.json", stem);
    char* glb = make_text("%s.glb", stem);
    char* png = make_text("%s.png", stem);
    hf_export_options e = hf_export_options_default();
    e.scene = m->scene;
    hf_status status = motion && glb && png ? HF_OK : HF_ERROR_MEMORY;
    if (status != HF_OK) set_error(error, status);
    if (status == HF_OK) status = save_motion(m, motion, o, error);
    if (status == HF_OK) status = hf_motion_export(m->motion, m->creature, &e, glb, error);
    if (status == HF_OK) status = draw_motion(m, o, frames, count, task, png, p, error);
    if (p->interrupted || p->timed_out) note(o, "stopped early: the picture is not finished");
    free(motion);
    free(glb);
    free(png);
    if (status == HF_OK) note(o, "wrote %s.motion.json, .glb, .png", stem);
    return status;
}
