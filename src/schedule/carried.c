#include "schedule/carried.h"

#include "balance/stance.h"
#include "model/creature.h"
#include "model/hold.h"
#include "model/scene.h"
#include "model/tolerance.h"

static bool corner_inside(const hf_object_shape* s, const hf_placement* placement, hf_transform pose) {
    for (int i = 0; i < s->corner_count; i++)
        if (hf_placement_inside(placement, hf_apply(pose, s->corners[i]), NULL)) return true;
    return false;
}

bool hf_carried_collides(const hf_object_shape* s, hf_placement* placement, int object) {
    hf_allowance allowed = {.depth = HF_FRAME_DEPTH_M, .touched_object = -1};
    hf_transform pose = hf_placement_pose(placement, object);
    hf_placement_enable(placement, object, false);
    bool hit = corner_inside(s, placement, pose);
    for (int i = 0; i < s->count && !hit; i++)
        hit = s->convex[i] && hf_placement_overlap(placement, &s->shapes[i], pose, &allowed, NULL);
    hf_placement_enable(placement, object, true);
    return hit;
}

static bool presses(const hf_hold* holds, int count, int which) {
    for (int i = 0; i < count; i++)
        if (hf_holds_press(&holds[which], &holds[i])) return true;
    return false;
}

/* Are there forces that bear the weight, and is no limb's push larger than its max_force? */
static bool pushes_bear(const hf_stance* stance, const hf_support* supports, int count, hf_vec3 middle) {
    hf_vec3 forces[HF_STANCE_SUPPORTS * HF_SUPPORT_CORNERS], none = {0, 0, 0};
    const hf_vec3* f = forces;
    if (!hf_stance_forces(stance, hf_support_hanging(supports, count, middle), none, none, forces))
        return false;
    for (int i = 0; i < count; i++) {
        double push = 0;
        for (int c = 0; c < supports[i].corner_count; c++) push += hf_dot(*f++, supports[i].normal);
        if (push > supports[i].max_force) return false;
    }
    return true;
}

hf_status hf_carried_borne(const hf_creature* creature, const hf_placement* placement,
                           const hf_transform* links, const hf_hold* holds, int count, int object,
                           hf_stance* stance, hf_workspace* workspace, bool* borne) {
    hf_object_view o = hf_scene_object(hf_placement_scene(placement), object);
    hf_support supports[HF_STANCE_SUPPORTS];
    int pressing = 0;
    *borne = true;
    for (int i = 0; i < count && pressing < HF_STANCE_SUPPORTS; i++) {
        if (holds[i].object != object || !presses(holds, count, i)) continue;
        const hf_contact_frame* f = &creature->view.limbs[holds[i].limb].contacts[holds[i].frame];
        hf_support_press(creature, placement, &holds[i], links[f->link], &supports[pressing++]);
    }
    if (pressing == 0 || !(o.mass_kg > 0)) return HF_OK;
    hf_status status = hf_stance_build(stance, supports, pressing, o.mass_kg, NULL, workspace);
    if (status != HF_OK) return status;
    hf_vec3 middle = hf_apply(hf_placement_pose(placement, object),
                              hf_object_middle(hf_placement_scene(placement), object));
    *borne = pushes_bear(stance, supports, pressing, middle);
    return HF_OK;
}
