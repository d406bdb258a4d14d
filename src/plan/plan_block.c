/* What stopped the contact change that came farthest, kept and told. */
#include "plan/planner.h"

#include <stdio.h>

void hf_plan_blocked(hf_planner* p, hf_plan_obstacle kind, int limb, const hf_hold* place) {
    hf_plan_block* b = &p->tree.block;
    if (p->tree.node_index != p->tree.farthest || kind <= b->kind) return;
    if (hf_workspace_cancelled(p->tools.workspace)) return; // what failed may have been cut short
    *b = (hf_plan_block){.kind = kind, .limb = limb, .object = place ? place->object : -1};
    if (place) b->has_place = true, b->point = place->point, b->normal = place->normal;
    b->collides = p->tools.has_hit;
    if (b->collides) b->hit = p->tools.hit;
}

/* The words about the limb and the place between them: lead LIMB middle PLACE tail. */
static const struct words {
    const char *lead, *middle, *tail;
} words[] = {
    [HF_PLAN_CANNOT_LEAVE] = {"", " cannot leave its contact",
                              ": the others do not carry the body, or it cannot lift off"},
    [HF_PLAN_NO_PLACE] = {"", " finds nothing in reach to hold for longer than its contact", ""},
    [HF_PLAN_NO_STANCE] = {"the body finds no balanced and free pose with ", "", ""},
    [HF_PLAN_NO_STEP_ON] = {"no other limb could go on with ", "", ""},
    [HF_PLAN_NO_BODY_WAY] = {"the body finds no way to where ", " could leave for its next contact", ""},
    [HF_PLAN_NO_SWING] = {"", " finds no way to its next contact", ""},
    [HF_PLAN_NO_ARRIVAL] =
        {"the contacts last to the goal, but the body finds no way to its place and posture", "", ""},
};

const char* hf_plan_obstacle_text(hf_plan_obstacle obstacle) {
    static const char* const texts[] = {"none",       "cannot leave",       "no place", "no stance",
                                        "no step on", "no way of the body", "no swing", "no arrival"};
    return (size_t)obstacle < sizeof texts / sizeof *texts ? texts[obstacle] : "unknown";
}

void hf_plan_pair_text(const hf_plan_world* w, const hf_collision* hit, char* text, size_t size) {
    const hf_creature_view* v = w->view;
    snprintf(text, size, "; link \"%.60s\" meets \"%.60s\"", v->links[v->bodies[hit->body].link].name,
             hit->other_body >= 0 ? v->links[v->bodies[hit->other_body].link].name
                                  : hf_scene_object(w->scene, hit->surface.object).name);
}

void hf_plan_block_text(const hf_plan_world* w, const hf_plan_block* b, char* text, size_t size) {
    char place[140] = "", pair[160] = "";
    if (b->has_place)
        snprintf(place, sizeof place, " at %.2f %.2f %.2f on \"%.60s\"", b->point.x, b->point.y, b->point.z,
                 b->object >= 0 ? hf_scene_object(w->scene, b->object).name : "");
    if (b->collides) hf_plan_pair_text(w, &b->hit, pair, sizeof pair);
    snprintf(text, size, "%s%.60s%s%s%s%s", words[b->kind].lead,
             b->limb >= 0 ? w->view->limbs[b->limb].name : "", words[b->kind].middle, place,
             words[b->kind].tail, pair);
}
