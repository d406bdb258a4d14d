/* The schedule that a motion keeps. */
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <holdfast/refine.h>

#include <math.h>
#include <string.h>

/* The hold of a frame in the creature's and the scene's indices; false when a name is not known. */
static bool translate(const hf_motion* m, const hf_creature* c, const hf_scene* scene, const hf_hold* in,
                      hf_hold* out) {
    *out = *in;
    out->limb = hf_creature_find_limb(c, m->limbs[in->limb].name);
    out->object = in->object < 0 ? -1 : hf_scene_find(scene, m->objects[in->object]);
    const hf_limb* limb = out->limb >= 0 ? &c->view.limbs[out->limb] : NULL;
    const char* frame = in->frame >= 0 ? m->limbs[in->limb].frames[in->frame].name : NULL;
    out->frame = -1;
    for (int i = 0; limb && frame && i < hf_limb_frame_count(limb); i++)
        if (strcmp(limb->contacts[i].name, frame) == 0) out->frame = i;
    return limb && out->frame >= 0 && (in->object < 0 || out->object >= 0);
}

static hf_status add_frame(const hf_motion* m, int i, const hf_creature* c, const hf_scene* scene,
                           hf_placement* placement, hf_hold* holds, hf_schedule* s, hf_error* error) {
    const hf_motion_frame* f = &m->frames[i];
    for (int k = 0; k < f->contact_count; k++)
        if (!translate(m, c, scene, &f->contacts[k], &holds[k]))
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL,
                           "frame %d: a contact's limb, frame or object is not the creature's or the scene's",
                           i);
    hf_motion_place(m, i, placement);
    hf_pose pose = {f->root, f->q};
    hf_status status = hf_schedule_add(s, placement, f->time_s - m->frames[0].time_s, &pose, holds,
                                       f->contact_count, f->stance);
    return status == HF_OK ? HF_OK : hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
}

/* Frames a second: the mean over the motion, to the nearest whole number where that is near. */
static double rate_of(const hf_motion* m) {
    double took = m->frames[m->frame_count - 1].time_s - m->frames[0].time_s;
    double rate = took > 0 ? (m->frame_count - 1) / took : 30;
    return fabs(rate - round(rate)) < 1e-3 * rate ? round(rate) : rate;
}

hf_status hf_schedule_of_motion(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                                hf_schedule** schedule, hf_error* error) {
    HF_REQUIRE(error, motion && creature && schedule);
    *schedule = NULL;
    hf_status status = hf_motion_validate(motion, creature, scene, error);
    if (status != HF_OK) return status;
    if (motion->frame_count < 1)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "the motion has no frame");
    hf_placement* placement = NULL;
    hf_hold* holds = hf_alloc((size_t)motion->limb_count + 1, sizeof *holds);
    status = holds ? hf_placement_create(scene, &placement) : HF_ERROR_MEMORY;
    if (status == HF_OK) status = hf_schedule_create(creature, rate_of(motion), schedule);
    if (status != HF_OK) hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
    for (int i = 0; i < motion->frame_count && status == HF_OK; i++)
        status = add_frame(motion, i, creature, scene, placement, holds, *schedule, error);
    if (status == HF_OK) (*schedule)->claims = motion->claims;
    hf_free(holds);
    hf_placement_free(placement);
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*schedule);
    *schedule = NULL;
    return status;
}
