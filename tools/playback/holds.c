/* The contacts of a motion's frames, by the creature's limbs, with where each bears. */
#include "holds.h"

#include "stop.h"

#include <stdlib.h>
#include <string.h>

static plan_hold* hold_of(const holds* h, int frame, int limb) {
    return &h->all[(size_t)frame * (size_t)h->limb_count + (size_t)limb];
}

const plan_hold* holds_at(const holds* h, int frame, int limb) { return hold_of(h, frame, limb); }

/* A contact with the creature's limb and contact frame instead of the motion's. */
static hf_hold translate(const holds* h, const hf_hold* in) {
    const hf_motion_limb* named = &h->motion->limbs[in->limb];
    hf_hold out = *in;
    out.limb = hf_creature_find_limb(h->creature, named->name);
    out.frame = -1;
    const hf_limb* limb = &hf_creature_get(h->creature)->limbs[out.limb];
    for (int i = 0; i < hf_limb_frame_count(limb) && in->frame >= 0; i++)
        if (strcmp(limb->contacts[i].name, named->frames[in->frame].name) == 0) out.frame = i;
    return out;
}

static bool same_hold(const hf_hold* a, const hf_hold* b) {
    return a->object == b->object && a->frame == b->frame && a->grip == b->grip &&
           hf_distance(a->point, b->point) <= HF_TOUCH_M;
}

static void add(holds* h, int frame, const hf_hold* hold, const hf_scene* scene,
                const hf_placement* placement, const hf_transform* links) {
    plan_hold *to = hold_of(h, frame, hold->limb), *from = frame ? to - h->limb_count : NULL;
    const hf_limb* limb = &hf_creature_get(h->creature)->limbs[hold->limb];
    *to = (plan_hold){.on = true, .hold = *hold};
    if (from && from->on && same_hold(&from->hold, hold)) {
        from->lasts = true, to->support = from->support;
        return;
    }
    int link = hold->frame >= 0 ? limb->contacts[hold->frame].link : limb->effector_link;
    const char* name = hold->object >= 0 ? h->motion->objects[hold->object] : NULL;
    hf_hold in_scene = *hold;
    in_scene.object = name ? hf_scene_find(scene, name) : -1;
    to->begins = true;
    hf_support_find(h->creature, placement, &in_scene, links[link], &to->support);
}

void holds_make(holds* h, const hf_motion* motion, const hf_creature* creature, const hf_scene* scene) {
    const hf_creature_view* c = hf_creature_get(creature);
    *h = (holds){motion, creature, c->limb_count, NULL};
    h->all = calloc((size_t)motion->frame_count * (size_t)c->limb_count + 1, sizeof *h->all);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    hf_placement* placement = NULL;
    if (!h->all || !links || hf_placement_create(scene, &placement) != HF_OK) stop("out of memory");
    for (int f = 0; f < motion->frame_count; f++) {
        const hf_motion_frame* frame = &motion->frames[f];
        hf_forward(creature, &(hf_pose){frame->root, frame->q}, links);
        for (int i = 0; i < frame->contact_count; i++) {
            hf_hold hold = translate(h, &frame->contacts[i]);
            add(h, f, &hold, scene, placement, links);
        }
    }
    hf_placement_free(placement);
    free(links);
}

void holds_free(holds* h) {
    free(h->all);
    *h = (holds){0};
}

int holds_frame(const holds* h, int frame, double time_s) {
    while (frame + 2 < h->motion->frame_count && h->motion->frames[frame + 1].time_s <= time_s) frame++;
    return frame;
}

bool holds_now(const holds* h, int frame, int limb) {
    const plan_hold* p = holds_at(h, frame, limb);
    if (!p->on) return false;
    return frame + 1 == h->motion->frame_count || holds_at(h, frame + 1, limb)->on;
}

bool holds_near(const holds* h, int frame, int limb, double time_s, double before_s, double after_s) {
    const hf_motion_frame* frames = h->motion->frames;
    for (int f = frame; f >= 0 && frames[f].time_s >= time_s - before_s; f--)
        if (holds_at(h, f, limb)->on) return true;
    for (int f = frame + 1; f < h->motion->frame_count && frames[f].time_s <= time_s + after_s; f++)
        if (holds_at(h, f, limb)->on) return true;
    return false;
}
