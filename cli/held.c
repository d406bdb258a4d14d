/* Contacts of a scenario's start, as targets that are held while the others are reached. */
#include "command.h"

#include <stdlib.h>

static bool has_target(const hf_scenario* s, int limb) {
    for (int i = 0; i < s->target_count; i++)
        if (s->targets[i].limb == limb) return true;
    return false;
}

/* A contact without a point is wherever the limb is now: an effector keeps its whole pose, a round foot
   stands on the surface under it. */
static hf_target held_where_it_is(const hf_scenario* s, int limb, const hf_placement* placement,
                                  const hf_transform* links) {
    const hf_limb* l = &hf_creature_get(s->creature)->limbs[limb];
    hf_target t = {
        .kind = HF_TARGET_POSE, .limb = limb, .contact = l->contact_count > 0 ? 0 : -1, .held = true};
    const hf_contact_frame* frame = l->contact_count > 0 ? &l->contacts[0] : NULL;
    int link = frame ? frame->link : l->effector_link;
    t.point = hf_apply(links[link], frame ? frame->offset : hf_v3(0, 0, 0));
    t.rotation = links[link].rotation;
    hf_hold under;
    if (!frame || !(frame->ball > 0)) return t;
    t.kind = HF_TARGET_POSITION;
    if (hf_hold_find(s->creature, placement, links, limb, HF_NAMED_TOUCH_M, &under) && under.frame == 0) {
        t.kind = HF_TARGET_NORMAL;
        t.normal = under.normal;
        t.point = under.point;
    }
    return t;
}

bool hold_start_contacts(hf_scenario* s) {
    const hf_creature_view* c = hf_creature_get(s->creature);
    hf_target* more =
        realloc(s->targets, sizeof *more * (size_t)(s->target_count + s->start.contact_count + 1));
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    hf_placement* placement = NULL;
    if (more) s->targets = more;
    bool good = more && links && hf_placement_create(s->scene, &placement) == HF_OK;
    if (good) hf_forward(s->creature, &s->start.pose, links);
    int given = s->target_count;
    for (int i = 0; good && i < s->start.contact_count; i++) {
        const hf_hold* k = &s->start.contacts[i];
        if (has_target(s, k->limb)) continue;
        hf_target t = held_where_it_is(s, k->limb, placement, links);
        if (hf_length(k->normal) > 0) t.kind = HF_TARGET_NORMAL, t.point = k->point, t.normal = k->normal;
        s->targets[given++] = t;
    }
    if (good) s->target_count = given;
    hf_placement_free(placement);
    free(links);
    return good;
}
