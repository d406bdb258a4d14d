/* Which links touch when a limb touches: its effector, and the fingers and toes beyond it. A link beyond that
   another limb moves, or that belongs to the trunk, does not: the foot is no part of a knee's contact, nor
   the legs of a seat's. */
#include "model/creature.h"

/* Links that a limb's joints move or that the trunk holds. */
static bool is_claimed(const hf_creature_view* v, int link) {
    for (int i = 0; i < v->trunk_count; i++)
        if (v->trunk[i] == link) return true;
    for (int l = 0; l < v->limb_count; l++)
        for (int k = 0; k < v->limbs[l].joint_count; k++)
            if (v->limbs[l].joints[k] == v->links[link].joint) return true;
    return false;
}

hf_status hf_effectors_build(hf_creature* c) {
    const hf_creature_view* v = &c->view;
    bool* claimed = hf_alloc((size_t)v->link_count, sizeof *claimed);
    bool* has = hf_arena_alloc(&c->arena, (size_t)v->limb_count * (size_t)v->link_count, sizeof *has);
    if (!claimed || !has) {
        hf_free(claimed);
        return HF_ERROR_MEMORY;
    }
    for (int i = 0; i < v->link_count; i++) claimed[i] = is_claimed(v, i);
    for (int l = 0; l < v->limb_count; l++) {
        bool* row = has + (size_t)l * (size_t)v->link_count;
        row[v->limbs[l].effector_link] = true;
        /* Parents come first, so one pass reaches everything beyond. */
        for (int i = v->limbs[l].effector_link + 1; i < v->link_count; i++)
            row[i] = row[v->links[i].parent_link] && !claimed[i];
    }
    hf_free(claimed);
    c->effectors = has;
    return HF_OK;
}
