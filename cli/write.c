/* The files of a solved motion: STEM.motion.json, STEM.glb, STEM.png, and STEM.schedule.json where it has
 * one. */
#include "command.h"

#include <stdlib.h>

int strip_frames(const hf_motion* motion, int frames[STRIP]) {
    int count = motion->frame_count < STRIP ? motion->frame_count : STRIP;
    for (int i = 0; i < count; i++) frames[i] = count > 1 ? i * (motion->frame_count - 1) / (count - 1) : 0;
    return count;
}

hf_status save_schedule(const loaded_motion* m, const char* path, hf_error* error) {
    hf_schedule* s = m->schedule;
    const char* creature = hf_creature_get(m->creature)->path;
    if (!s->creature && creature && !(s->creature = make_text("%s", creature))) {
        *error = (hf_error){.status = HF_ERROR_MEMORY, .message = "out of memory"};
        return HF_ERROR_MEMORY;
    }
    return hf_schedule_save(s, m->creature, m->scene, path, error);
}

hf_status write_motion(const loaded_motion* m, const char* stem, const int* frames, int count, hf_vec3 task,
                       const options* o, progress* p, hf_error* error) {
    char* motion = make_text("%s.motion.json", stem);
    char* schedule = make_text("%s.schedule.json", stem);
    char* glb = make_text("%s.glb", stem);
    char* png = make_text("%s.png", stem);
    hf_export_options e = hf_export_options_default();
    e.scene = m->scene;
    hf_status status = motion && schedule && glb && png ? HF_OK : HF_ERROR_MEMORY;
    if (status != HF_OK) set_error(error, status);
    if (status == HF_OK) status = save_motion(m, motion, o, error);
    if (status == HF_OK && m->schedule) status = save_schedule(m, schedule, error);
    if (status == HF_OK) status = hf_motion_export(m->motion, m->creature, &e, glb, error);
    // a picture that cannot be begun in time is not drawn: holdfast render makes it from the motion
    bool in_time = progress_report(p, 0, "render"), draws = in_time && !o->no_picture;
    if (status == HF_OK && draws) status = draw_motion(m, o, frames, count, task, png, p, error);
    if (p->interrupted || p->timed_out)
        note(o, "stopped early: the picture is not %s", in_time ? "finished" : "drawn");
    free(motion);
    free(schedule);
    free(glb);
    free(png);
    if (status == HF_OK)
        note(o, "wrote %s.motion.json,%s .glb%s", stem, m->schedule ? " .schedule.json," : "",
             draws ? ", .png" : "");
    return status;
}
