/* Offers: grasps that a posture was found for. They are looked at a few at a time and taken in order, the
   best first. */
#include "reach/transfer.h"

#include "base/workspace.h"

static bool is_better(const hf_reach_offer* a, const hf_reach_offer* b) {
    return a->ends != b->ends ? a->ends : a->price < b->price;
}

void hf_reach_offer_add(hf_reach_offers* o, const hf_reach_offer* offer) {
    bool full = o->count == HF_REACH_OFFERS;
    if (full && !is_better(offer, &o->items[HF_REACH_OFFERS - 1])) return;
    int at = full ? HF_REACH_OFFERS - 1 : o->count++;
    for (; at > 0 && is_better(offer, &o->items[at - 1]); at--) o->items[at] = o->items[at - 1];
    o->items[at] = *offer;
}

hf_status hf_reach_look(hf_reach_runner* r, const hf_hand_grasp* g, int tries, int index,
                        hf_hand_answer* answer) {
    hf_hand_task task = {.count = 1, .targets = {hf_reach_hand_target(r, g)}, .tries = tries};
    hf_reach_allow_touch(r, &g->hold);
    hf_reach_shape_hand(r, g->hold.limb, g->open);
    hf_status status = hf_hand_solve(r->roadmap, r->stage.worker, &task, r->stage.state,
                                     r->options->seed + (uint64_t)index, answer);
    hf_reach_shape_hand(r, g->hold.limb, g->open ? r->open_q : NULL);
    hf_reach_forbid_touches(r);
    return status;
}

hf_status hf_reach_try(const hf_reach_taking* with, const hf_reach_takers* t, bool quick,
                       hf_hand_answer* answer, bool* done) {
    hf_reach_runner* r = with->runner;
    hf_reach_offers o = {0};
    hf_status status = HF_OK;
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < t->grasps[i]->count && status == HF_OK && !*done; k++) {
            bool last = i + 1 == t->count && k + 1 == t->grasps[i]->count;
            int tries = quick ? 0 : 1 + r->options->tries / t->grasps[i]->count;
            if (!hf_workspace_goes_on(r->stage.worker->workspace)) return status;
            hf_reach_offer offer = {.grasp = &t->grasps[i]->items[k]};
            status = with->look(with, &offer, tries, answer);
            if (status == HF_OK && answer->found) hf_reach_offer_add(&o, &offer);
            if (o.count < HF_REACH_OFFERS && !last) continue;
            for (int n = 0; n < o.count && status == HF_OK && !*done; n++) {
                if (with->left && (*with->left)-- <= 0) return status;
                status = with->take(with, &o.items[n], tries, answer, done);
            }
            o.count = 0;
        }
    return status;
}

hf_status hf_reach_look_there(hf_reach_runner* r, const hf_hand_grasp* g, hf_transform there, int index,
                              hf_hand_answer* answer) {
    int object = g->hold.object;
    hf_transform here = hf_placement_pose(r->world.placement, object);
    hf_placement_move(r->world.placement, object, there);
    hf_reach_crew_forget(&r->crew);
    hf_status status = hf_reach_look(r, g, 0, index, answer);
    hf_placement_move(r->world.placement, object, here);
    hf_reach_crew_forget(&r->crew);
    return status;
}
