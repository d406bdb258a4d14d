/* Motions and clips with everything they name. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hf_status load_motion(const char* path, const options* o, loaded_motion* out, hf_error* error) {
    memset(out, 0, sizeof *out);
    hf_load_options l = load_options(o);
    hf_status status = hf_motion_load(path, &out->motion, error);
    const char* creature = o->creature ? o->creature : status == HF_OK ? out->motion->creature : NULL;
    const char* scenario = o->scenario ? o->scenario : status == HF_OK ? out->motion->scenario : NULL;
    if (status == HF_OK) status = hf_creature_load(creature, &l, &out->creature, error);
    if (status == HF_OK && scenario) status = hf_scenario_load(scenario, &l, &out->scenario, error);
    if (status != HF_OK) {
        free_motion(out);
        return status;
    }
    if (out->scenario) out->scene = out->scenario->scene;
    warn_all(o, hf_creature_get(out->creature)->warnings);
    return HF_OK;
}

hf_status load_clip(const char* path, const options* o, loaded_motion* out, hf_error* error) {
    memset(out, 0, sizeof *out);
    hf_load_options l = load_options(o);
    hf_clip* clip = NULL;
    hf_status status = hf_clip_load(path, o->unit_m, &clip, error);
    if (status == HF_OK) {
        warn_all(o, (hf_strings){clip->warning_count, (const char* const*)clip->warnings});
        l.unit_m = clip->unit_m;
        status = hf_creature_load(path, &l, &out->creature, error);
    }
    if (status == HF_OK) status = hf_clip_motion(clip, out->creature, &out->motion, error);
    hf_clip_free(clip);
    if (status != HF_OK) free_motion(out);
    return status;
}

hf_status make_still(loaded_motion* m, const hf_pose* pose, hf_error* error) {
    hf_status status = hf_motion_create(m->creature, m->scene, &m->motion);
    if (status == HF_OK && !hf_motion_add(m->motion, 0, pose)) status = HF_ERROR_MEMORY;
    if (status != HF_OK) *error = (hf_error){.status = status, .message = "out of memory"};
    return status;
}

hf_status load_rest(const char* path, const options* o, loaded_motion* m, hf_error* error) {
    hf_load_options l = load_options(o);
    hf_status status = hf_creature_load(path, &l, &m->creature, error);
    if (status != HF_OK) return status;
    const hf_creature_view* c = hf_creature_get(m->creature);
    warn_all(o, c->warnings);
    hf_pose pose = {hf_transform_identity(), calloc((size_t)c->q_count + 1, sizeof(double))};
    if (pose.q)
        hf_pose_rest(m->creature, &pose);
    else
        *error = (hf_error){.status = status = HF_ERROR_MEMORY, .message = "out of memory"};
    if (status == HF_OK) status = make_still(m, &pose, error);
    free(pose.q);
    return status;
}

void free_motion(loaded_motion* m) {
    hf_motion_free(m->motion);
    hf_creature_free(m->creature);
    hf_scenario_free(m->scenario);
    memset(m, 0, sizeof *m);
}
