/* The contact frame of a limb that no file gives one: on the surface of the effector's body, at its far end,
   looking out of the creature. Round ends become balls, flat ends patches. */
#include "model/limb_plan.h"

#include <math.h>

static const double FLAT_DEPTH = 2e-3;      /* m, of a hull's end that counts as flat */
static const double MIN_PATCH = 0.01;       /* m, smaller ends are points */
static const double ALIGNED = 0.9962;       /* cos 5 deg */
static const double HULL_PATCH_SHARE = 0.9; /* of the flat end's bounds: its corners are often cut */

static hf_vec3 body_centre(const hf_body* body) {
    hf_vec3 mean = {0};
    for (int i = 0; i < body->shape.vertex_count; i++) {
        const float* p = body->shape.vertices + 3 * (size_t)i;
        mean = hf_add(mean, hf_scale(hf_v3(p[0], p[1], p[2]), 1.0 / body->shape.vertex_count));
    }
    return hf_apply(body->in_link, mean);
}

/* Where the limb's end looks, in the effector link's frame: legs down, others away from their last joint. */
static hf_vec3 outward(const hf_build* b, const hf_limb_plan* limb) {
    hf_transform link = b->rest_links[limb->effector];
    if (limb->kind == HF_LIMB_LEG) return hf_unrotate(link.rotation, hf_v3(0, 0, -1));
    /* The centre of its bodies as seen from the nearest joint that is not on the spot. */
    hf_vec3 centre = hf_v3(0, 0, 0);
    const hf_link* l = &b->links[limb->effector];
    for (int i = 0; i < l->body_count; i++)
        centre = hf_add(centre, hf_scale(body_centre(&b->bodies[l->first_body + i]), 1.0 / l->body_count));
    hf_vec3 world = hf_apply(link, centre);
    for (int k = limb->effector; k >= 0; k = b->links[k].parent_link) {
        hf_vec3 d = hf_sub(world, b->rest_links[k].position);
        bool moves = k == 0 || hf_joint_moves(&b->joints[b->links[k].joint]);
        if (moves && hf_length(d) > 0.01) return hf_unrotate(link.rotation, hf_normalize(d));
    }
    return hf_v3(0, 0, -1);
}

static double component(hf_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static hf_vec3 unit_axis(int axis, double sign) {
    return hf_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

static int main_axis(hf_vec3 v) {
    return fabs(v.x) >= fabs(v.y) && fabs(v.x) >= fabs(v.z) ? 0 : fabs(v.y) >= fabs(v.z) ? 1 : 2;
}

/* The face that looks out most, and its sizes if it lies along the link's axes. */
static void box_contact(const hf_body* body, hf_vec3 out, hf_contact_frame* frame) {
    hf_vec3 local = hf_unrotate(body->in_link.rotation, out);
    int axis = main_axis(local);
    double sign = component(local, axis) >= 0 ? 1 : -1;
    frame->normal = hf_rotate(body->in_link.rotation, unit_axis(axis, sign));
    frame->offset =
        hf_add(body->in_link.position, hf_scale(frame->normal, component(body->shape.half_size, axis)));
    int normal_axis = main_axis(frame->normal), next = 0;
    double patch[2] = {0};
    for (int link_axis = 0; link_axis < 3; link_axis++) {
        if (link_axis == normal_axis) continue;
        hf_vec3 in_body = hf_unrotate(body->in_link.rotation, unit_axis(link_axis, 1));
        int side = main_axis(in_body);
        if (fabs(component(in_body, side)) < ALIGNED || side == axis) return;
        patch[next++] = 2 * component(body->shape.half_size, side);
    }
    frame->patch[0] = patch[0], frame->patch[1] = patch[1];
}

static void capsule_contact(const hf_body* body, hf_vec3 out, hf_contact_frame* frame) {
    hf_vec3 axis = hf_rotate(body->in_link.rotation, hf_v3(0, 0, 1));
    double along = hf_dot(axis, out);
    if (fabs(along) < 0.5) {
        /* Lying: its side touches. */
        hf_vec3 side = hf_normalize(hf_sub(out, hf_scale(axis, along)));
        frame->normal = side;
        frame->offset = hf_add(body->in_link.position, hf_scale(side, body->shape.radius));
        return;
    }
    frame->ball = body->shape.radius;
    frame->offset = hf_add(body->in_link.position,
                           hf_scale(axis, along > 0 ? body->shape.half_length : -body->shape.half_length));
}

/* The flat end of a hull that looks along an axis of the link is a patch; else its farthest point. */
static void hull_contact(const hf_body* body, hf_vec3 out, hf_contact_frame* frame) {
    int axis = main_axis(out);
    bool aligned = fabs(component(out, axis)) >= ALIGNED;
    if (aligned) out = unit_axis(axis, component(out, axis) > 0 ? 1 : -1);
    double far = hf_body_support(body, out), low[3], high[3];
    hf_vec3 mean = {0};
    int count = 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < body->shape.vertex_count; i++) {
        const float* v = body->shape.vertices + 3 * (size_t)i;
        hf_vec3 p = hf_apply(body->in_link, hf_v3(v[0], v[1], v[2]));
        if (hf_dot(p, out) < far - FLAT_DEPTH) continue;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], component(p, k));
            high[k] = fmax(high[k], component(p, k));
        }
        mean = hf_add(mean, p);
        count++;
    }
    hf_vec3 centre = hf_scale(mean, 1.0 / count);
    if (aligned) centre = hf_v3((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
    frame->normal = out;
    frame->offset = hf_add(centre, hf_scale(out, far - hf_dot(centre, out)));
    if (!aligned) return;
    double patch[2];
    for (int k = 0, next = 0; k < 3; k++)
        if (k != axis) patch[next++] = HULL_PATCH_SHARE * (high[k] - low[k]);
    if (patch[0] >= MIN_PATCH && patch[1] >= MIN_PATCH)
        frame->patch[0] = patch[0], frame->patch[1] = patch[1];
}

hf_status hf_default_contact(hf_build* b, const hf_limb_plan* limb, hf_contact_frame* frame) {
    const hf_link* link = &b->links[limb->effector];
    hf_vec3 out = outward(b, limb);
    const hf_body* best = NULL;
    double far = -INFINITY;
    for (int i = link->first_body; i < link->first_body + link->body_count; i++) {
        double reach = hf_body_support(&b->bodies[i], out);
        if (reach > far + 1e-6) best = &b->bodies[i], far = reach;
    }
    frame->link = limb->effector;
    frame->normal = out;
    if (best && best->shape.kind == HF_SHAPE_SPHERE) {
        frame->offset = best->in_link.position;
        frame->ball = best->shape.radius;
    } else if (best && best->shape.kind == HF_SHAPE_CAPSULE) {
        capsule_contact(best, out, frame);
    } else if (best && best->shape.kind == HF_SHAPE_BOX) {
        box_contact(best, out, frame);
    } else if (best) {
        hull_contact(best, out, frame);
    }
    bool flat = frame->patch[0] > 0;
    frame->name = limb->kind == HF_LIMB_LEG   ? (flat ? "sole" : "foot")
                  : limb->kind == HF_LIMB_ARM ? "hand"
                                              : "tip";
    return HF_OK;
}
