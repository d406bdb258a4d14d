/* A change without a swing: the limb's contact goes over to a frame on a toe that lies where it is, while the
   others carry the body, so that its heel may rise from then on. */
#include "plan/step.h"

#include "base/workspace.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>


/* Does the frame lie on what the limb touches already, or on something else beside it? */
static bool find_rolled(hf_planner* p, const hf_plan_hold* old, int frame, const hf_pose* pose,
                        hf_plan_hold* next) {
    const hf_contact_frame* f = &p->world.view->limbs[old->at.limb].contacts[frame];
    hf_forward(p->world.creature, pose, p->tools.links);
    hf_vec3 at = hf_apply(p->tools.links[f->link], f->offset);
    hf_vec3 way = hf_rotate(p->tools.links[f->link].rotation, f->normal);
    double gap = HF_SKIN * p->world.view->height;
    hf_surface hit;
    if (hf_dot(way, old->at.normal) > -cos(HF_HELD_RAD)) return false;
    if (!hf_placement_ray(p->world.placement, hf_sub(at, hf_scale(way, gap)), way, 2 * gap, &hit))
        return false;
    hf_vec3 normal = hf_dot(hit.normal, way) > 0 ? hf_neg(hit.normal) : hit.normal;
    if (hf_dot(normal, way) > -cos(HF_HELD_RAD) || !hf_scene_object(p->world.scene, hit.object).contact)
        return false;
    hf_hold c = {old->at.limb, frame, hit.object, false, hit.point, normal};
    hf_hold_make(p, &c, pose, next);
    next->overlaps = old->overlaps;
    next->maker = old->maker;
    return next->support.corner_count > 2;
}

/* The frame of another link of the effector that lies where the limb is; -1 when none does. */
static int rolled_frame(hf_planner* p, const hf_plan_node* node, const hf_plan_hold* old,
                        hf_plan_hold* next) {
    const hf_limb* l = &p->world.view->limbs[old->at.limb];
    for (int f = 0; f < l->contact_count; f++)
        if (l->contacts[f].link != l->contacts[old->at.frame].link &&
            l->contacts[f].link != l->effector_link && find_rolled(p, old, f, &node->pose, next))
            return f;
    return -1;
}

/* The body to where the others carry it; there the toe must still lie, as the sole was held on the way. */
static bool roll(hf_planner* p, const hf_plan_node* node, const hf_plan_hold* old, hf_pose* pose,
                 hf_pose* scratch, int* index, hf_plan_hold* next) {
    int frame = rolled_frame(p, node, old, next);
    if (frame < 0) return false;
    const hf_stance *all_carry = hf_stance_borrow(p, node->holds, node->hold_count, -1),
                    *rest_carry = hf_stance_borrow(p, node->holds, node->hold_count, old->at.limb);
    bool rolled = all_carry && rest_carry && hf_step_departure(p, node, NULL, rest_carry, 0, index, pose) &&
                  hf_step_move_body(p, node, all_carry, *index, pose, scratch) &&
                  hf_stance_margin(rest_carry, hf_com_at(p, pose)) >= p->world.options->margin_m &&
                  find_rolled(p, old, frame, pose, next);
    hf_stance_return(p, rest_carry);
    hf_stance_return(p, all_carry);
    return rolled && hf_plan_note(p, hf_knots_add(&p->tree.knots, pose, p->tree.node_count, -1));
}

bool hf_step_roll(hf_planner* p, const hf_plan_node* node, int limb, hf_plan_node* child) {
    int own = hf_holds_find(node->holds, node->hold_count, limb), first = p->tree.knots.count, index;
    hf_plan_hold next;
    p->progress.work++;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p), scratch = hf_take_pose(p);
    bool rolled = hf_plan_ok(p) && roll(p, node, &node->holds[own], &pose, &scratch, &index, &next);
    if (rolled) {
        hf_hold_span(&p->world, index, &next);
        hf_hold_tighten(p, index, &pose, &next);
        hf_step_fill(p, node->holds, node->hold_count, limb, index, child);
        child->holds[own] = next;
        child->first_knot = first;
    } else {
        p->tree.knots.count = first;
    }
    hf_workspace_end(p->tools.workspace, mark);
    return rolled;
}
