/* Questions about limbs, poses and the guide that need nothing but the world of a plan. */
#include "plan/plan_world.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

int hf_guide_ahead(const hf_plan_world* w, int index, int ahead) {
    return index + ahead < w->guide_count ? index + ahead : w->guide_count - 1;
}

int hf_guide_stride(const hf_plan_world* w) { return (w->options->horizon + HF_STRIDES - 1) / HF_STRIDES; }

hf_transform hf_root_upright(hf_transform root) {
    hf_vec3 up = hf_rotate(root.rotation, hf_v3(0, 0, 1));
    root.rotation = hf_quat_mul(hf_quat_between(up, hf_v3(0, 0, 1)), root.rotation);
    return root;
}

hf_vec3 hf_limb_ease(const hf_plan_world* w, int limb, hf_transform root) {
    const hf_plan_limb* l = &w->model->limbs[limb];
    const hf_guide* g = &w->view->guide;
    hf_vec3 rest = hf_apply(root, l->rest_in_root);
    if (!w->model->bent_q) return rest;
    double tilt = hf_acos(fmax(-1, fmin(1, hf_rotate(root.rotation, hf_v3(0, 0, 1)).z)));
    double share = fmin(1, fmax(0, (tilt - g->tilt) / (w->model->bent_tilt - g->tilt)));
    return hf_lerp(rest, hf_apply(root, l->bent_in_root), share);
}

bool hf_plan_bar(hf_plan_world* w, hf_transform root) {
    if (!HF_GROW(w->barred, w->barred_capacity, w->barred_count)) return false;
    w->barred[w->barred_count++] = root;
    return true;
}

hf_guide_options hf_plan_guide_options(const hf_plan_world* w) {
    hf_guide_options o = w->options->guide;
    o.barred = w->barred, o.barred_count = w->barred_count;
    o.barred_m = o.metric * HF_LARGE_SHIFT * w->view->height;
    o.progress = w->progress, o.user = w->user;
    return o;
}

void hf_limb_copy(const hf_plan_world* w, int limb, const double* from, double* to) {
    const hf_limb* l = &w->view->limbs[limb];
    for (int k = 0; k < l->joint_count; k++) {
        const hf_joint* j = &w->view->joints[l->joints[k]];
        memcpy(to + j->q_index, from + j->q_index, sizeof(double) * (size_t)j->q_count);
    }
}

void hf_pose_copy(const hf_plan_world* w, const hf_pose* from, hf_pose* to) {
    to->root = from->root;
    memcpy(to->q, from->q, sizeof(double) * (size_t)w->view->q_count);
}

bool hf_limb_may_reach(const hf_plan_world* w, int limb, hf_transform base, const hf_spot* spot, bool grip) {
    const hf_plan_limb* l = &w->model->limbs[limb];
    hf_vec3 x = hf_unapply(base, spot->point), into = hf_unrotate(base.rotation, hf_neg(spot->normal));
    for (int f = 0; f < l->set_count; f++) {
        bool any = grip || w->view->limbs[limb].contacts[f].ball > 0;
        if (hf_reach_map_has(&l->maps[f], x, any ? NULL : &into)) return true;
    }
    return false;
}
