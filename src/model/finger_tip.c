/* Contact frames of finger tips: the round end of the last body of each finger of a limb that grips. They
   stand behind the limb's other contact frames; a hand that pinches something holds it with one, and no query
   looks for places for them. */
#include "model/limb_plan.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TIPS = 8 };

/* Is the link the last one of a chain beyond the effector whose joints turn? */
static bool ends_finger(const hf_build* b, const hf_limb* limb, int link) {
    if (link == limb->effector_link || b->first_child[link] != b->first_child[link + 1]) return false;
    if (!hf_build_below(b, link, limb->effector_link)) return false;
    bool moves = false;
    for (int l = link; l != limb->effector_link; l = b->links[l].parent_link)
        moves |= b->joints[b->links[l].joint].type == HF_JOINT_REVOLUTE;
    return moves;
}

/* The ball at the far end of the link's round bodies; false where there is none. */
static bool find_ball(const hf_build* b, int link, hf_contact_frame* tip) {
    double far = 0;
    for (int i = 0; i < b->links[link].body_count; i++) {
        const hf_body* body = &b->bodies[b->links[link].first_body + i];
        if (body->shape.kind != HF_SHAPE_CAPSULE && body->shape.kind != HF_SHAPE_SPHERE) continue;
        for (int side = -1; side <= 1; side += 2) {
            double along = body->shape.kind == HF_SHAPE_CAPSULE ? side * body->shape.half_length : 0;
            hf_vec3 centre = hf_apply(body->in_link, hf_v3(0, 0, along));
            if (hf_length(centre) <= far) continue;
            far = hf_length(centre);
            *tip = (hf_contact_frame){
                .link = link, .offset = centre, .normal = hf_normalize(centre), .ball = body->shape.radius};
        }
    }
    return far > 0;
}

hf_status hf_finger_tips_add(hf_build* b, hf_limb* limb) {
    hf_contact_frame tips[MOST_TIPS];
    int count = 0, links = b->creature->view.link_count;
    for (int l = 0; l < links && count < MOST_TIPS && limb->grip; l++)
        if (ends_finger(b, limb, l) && find_ball(b, l, &tips[count])) count++;
    if (count == 0) return HF_OK;
    int own = limb->contact_count;
    hf_contact_frame* frames = hf_build_keep(b, (size_t)(own + count), sizeof *frames);
    if (!frames) return hf_build_fail_memory(b);
    if (own) memcpy(frames, limb->contacts, sizeof *frames * (size_t)own);
    for (int i = 0; i < count; i++) {
        char name[160];
        snprintf(name, sizeof name, "tip of %.120s", b->links[tips[i].link].name);
        tips[i].name = hf_arena_text(&b->creature->arena, name);
        if (!tips[i].name) return hf_build_fail_memory(b);
        frames[own + i] = tips[i];
    }
    limb->contacts = frames;
    limb->tip_count = count;
    return HF_OK;
}
