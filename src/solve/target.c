#include "solve/target.h"
#include "base/rounding.h"

#include <math.h>

bool hf_finite3(hf_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool finite_turn(hf_quat q) {
    double l = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return isfinite(l) && l > HF_NEGLIGIBLE_SQUARE;
}

bool hf_finite_transform(hf_transform t) { return hf_finite3(t.position) && finite_turn(t.rotation); }

hf_status hf_goal_make(const hf_creature_view* view, const hf_target* target, hf_goal* goal) {
    if (target->limb < 0 || target->limb >= view->limb_count) return HF_ERROR_ARGUMENT;
    const hf_limb* limb = &view->limbs[target->limb];
    if (target->contact < -1 || target->contact >= hf_limb_frame_count(limb)) return HF_ERROR_ARGUMENT;
    if (!hf_finite3(target->point)) return HF_ERROR_ARGUMENT;
    *goal =
        (hf_goal){.link = limb->effector_link, .rows = 3, .point = target->point, .rotation = {1, 0, 0, 0}};
    goal->own_normal = hf_v3(0, 0, 1);
    const hf_contact_frame* frame = target->contact >= 0 ? &limb->contacts[target->contact] : NULL;
    if (frame) goal->link = frame->link, goal->offset = frame->offset, goal->own_normal = frame->normal;
    switch (target->kind) {
    case HF_TARGET_POSITION:
        return HF_OK;
    case HF_TARGET_NORMAL: {
        double length = hf_length(target->normal);
        if (!isfinite(length) || length < HF_NEGLIGIBLE) return HF_ERROR_ARGUMENT;
        hf_vec3 n = hf_scale(target->normal, 1 / length);
        goal->normal = hf_neg(n);
        /* A ball touches in any direction: its centre stands one radius above the surface. */
        if (frame && frame->ball > 0)
            goal->point = hf_add(goal->point, hf_scale(n, frame->ball));
        else
            goal->rows = 5;
        return HF_OK;
    }
    case HF_TARGET_POSE:
        if (!finite_turn(target->rotation)) return HF_ERROR_ARGUMENT;
        goal->rotation = hf_quat_normalize(target->rotation);
        goal->rows = 6;
        return HF_OK;
    }
    return HF_ERROR_ARGUMENT;
}

/* Half a turn: about the axis that the matrix to * from^T keeps, a column of it plus one. */
static hf_vec3 half_turn(const double* from, const double* to) {
    double best = 0;
    hf_vec3 axis = {0, 0, 1};
    for (int c = 0; c < 3; c++) {
        double column[3];
        for (int r = 0; r < 3; r++)
            column[r] = to[3 * r] * from[3 * c] + to[3 * r + 1] * from[3 * c + 1] +
                        to[3 * r + 2] * from[3 * c + 2] + (r == c);
        hf_vec3 v = {column[0], column[1], column[2]};
        double length = hf_length(v);
        if (length > best) best = length, axis = hf_scale(v, 1 / length);
    }
    return hf_scale(axis, 2);
}

hf_vec3 hf_turn_error(const double* from, const double* to) {
    hf_vec3 twice_sine = {0, 0, 0};
    double trace = 0;
    for (int c = 0; c < 3; c++) {
        hf_vec3 a = {from[c], from[3 + c], from[6 + c]}, b = {to[c], to[3 + c], to[6 + c]};
        twice_sine = hf_add(twice_sine, hf_cross(a, b));
        trace += hf_dot(a, b);
    }
    /* 1 + trace is (2 cos)^2 of half the angle. */
    return 1 + trace > HF_NEGLIGIBLE_SQUARE ? hf_scale(twice_sine, 1 / sqrt(1 + trace)) : half_turn(from, to);
}
