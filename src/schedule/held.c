/* Where a hold of a schedule keeps its limb from the pose on in which it begins. */
#include "schedule/held.h"

#include "model/creature.h"
#include "model/scene.h"

void hf_held_begin(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                   const hf_transform* links, hf_held* held) {
    hf_hold world = hf_hold_in_world(*hold, hf_object_pose(placement, hold->object));
    const hf_contact_frame* f = &creature->view.limbs[hold->limb].contacts[hold->frame];
    hf_anchor a = hf_hold_anchor(creature, &world, links);
    hf_vec3 said = hf_add(world.point, hf_scale(world.normal, f->ball));
    if (hf_distance(a.point, said) > HF_TOUCH_M) {
        a.point = said;
        hf_vec3 own = hf_rotate(a.rotation, f->normal);
        if (a.flat) a.rotation = hf_quat_mul(hf_quat_between(own, hf_neg(world.normal)), a.rotation);
    }
    a.flat = hf_anchor_lies_flat(creature, &world, &a);
    hf_transform link = {.rotation = a.rotation};
    link.position = hf_sub(a.point, hf_rotate(link.rotation, f->offset));
    *held = (hf_held){.world = world, .anchor = a};
    hf_support_plan(creature, placement, &world, link, &held->support);
}
