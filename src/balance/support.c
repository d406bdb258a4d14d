/* Where a contact bears: the rules for patches, points, balls and grips. */
#include "balance/stance.h"

#include "base/assert.h"

#include <math.h>

static const double FLAT_COS = 0.99939082701909576; /* of 2 degrees: beyond it a patch bears at its edge */
static const double UNDER_M = 0.005;                /* how far under a corner surface must lie */
static const double BESIDE_M = 0.0005; /* what lies this far beside is still under it: rounding */
static const double EDGE_M = 0.001;    /* corners of a tilted patch this near in height touch together */
static const double SAME_M = 1e-6;
/* What two points hold hangs between them: its middle is in the upright plane through the points but for what
   hands and meshes are exact to, m. A check allows 10 mm. */
static const double HANG_M = 0.003;
enum {
    DRAW_STEPS = 6, /* halvings of a corner's way to the contact point: about 2 mm of a foot */
    NEARBY = 64     /* triangles under a corner that are looked at one by one */
};

/* Does an object bear? Movable ones do not; where limbs press an object (-1: none), it alone does. */
static bool carries(const hf_placement* placement, int object, int pressed) {
    hf_object_view view = hf_scene_object(hf_placement_scene(placement), object);
    return view.contact && (pressed >= 0 ? object == pressed : !view.movable);
}

/* Is there surface under the point that may be used? */
static bool has_surface(const hf_placement* placement, hf_vec3 point, hf_vec3 normal, int pressed) {
    hf_surface near[NEARBY];
    int count = hf_placement_within(placement, point, UNDER_M, near, NEARBY);
    for (int i = 0; i < count && i < NEARBY; i++) {
        hf_vec3 off = hf_sub(near[i].point, point);
        hf_vec3 beside = hf_sub(off, hf_scale(normal, hf_dot(off, normal)));
        if (hf_length(beside) <= BESIDE_M && carries(placement, near[i].object, pressed)) return true;
    }
    if (count <= NEARBY) return false;
    hf_vec3 above = hf_add(point, hf_scale(normal, UNDER_M));
    return hf_placement_ray(placement, above, hf_neg(normal), 2 * UNDER_M, near) &&
           carries(placement, near[0].object, pressed);
}

static hf_vec3 axis_of(int k) { return hf_v3(k == 0, k == 1, k == 2); }

/* Corners of the patch in the world: sizes run along the link's two axes beside the one nearest to the
   normal, laid into the plane of the patch. Two for a patch without width, none for a point. */
static int patch_corners(const hf_contact_frame* frame, hf_transform link, hf_vec3 corners[4]) {
    hf_vec3 n = hf_normalize(frame->normal), sides[2];
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int out = x >= y && x >= z ? 0 : y >= z ? 1 : 2, next = 0, count = 0;
    for (int k = 0; k < 3; k++) {
        if (k == out) continue;
        hf_vec3 flat = hf_normalize(hf_sub(axis_of(k), hf_scale(n, hf_dot(axis_of(k), n))));
        sides[next] = hf_scale(flat, frame->patch[next] / 2);
        next++;
    }
    if (!(frame->patch[0] > 0 || frame->patch[1] > 0)) return 0;
    for (int i = -1; i <= 1; i += 2)
        for (int j = -1; j <= 1; j += 2) {
            if ((frame->patch[0] == 0 && i > 0) || (frame->patch[1] == 0 && j > 0)) continue;
            hf_vec3 at = hf_add(frame->offset, hf_add(hf_scale(sides[0], i), hf_scale(sides[1], i * j)));
            corners[count++] = hf_apply(link, at);
        }
    return count;
}

/* Keeps the corners that lie lowest over the surface. */
static int keep_lowest(hf_vec3* corners, int count, hf_vec3 normal) {
    double lowest = INFINITY;
    for (int i = 0; i < count; i++) lowest = fmin(lowest, hf_dot(corners[i], normal));
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (hf_dot(corners[i], normal) <= lowest + EDGE_M) corners[kept++] = corners[i];
    return kept;
}

/* The farthest point from the contact towards the corner that has surface under it. */
static hf_vec3 draw_in(const hf_placement* placement, hf_vec3 contact, hf_vec3 corner, hf_vec3 normal,
                       int pressed) {
    if (has_surface(placement, corner, normal, pressed)) return corner;
    double with = 0, without = 1;
    for (int step = 0; step < DRAW_STEPS; step++) {
        double t = (with + without) / 2;
        if (has_surface(placement, hf_lerp(contact, corner, t), normal, pressed))
            with = t;
        else
            without = t;
    }
    return hf_lerp(contact, corner, with);
}

static void add_corner(hf_support* s, hf_vec3 corner) {
    for (int i = 0; i < s->corner_count; i++)
        if (hf_distance(s->corners[i], corner) < SAME_M) return;
    s->corners[s->corner_count++] = corner;
}

static void find(const hf_creature* creature, const hf_placement* placement, const hf_hold* contact,
                 hf_transform link, int pressed, hf_support* support) {
    const hf_creature_view* view = hf_creature_get(creature);
    HF_ASSERT(contact->limb >= 0 && contact->limb < view->limb_count);
    const hf_limb* limb = &view->limbs[contact->limb];
    HF_ASSERT(contact->frame < hf_limb_frame_count(limb));
    *support = (hf_support){.normal = contact->normal,
                            .friction = hf_object_def_default().friction,
                            .grip = contact->grip,
                            .max_force = limb->max_force};
    if (contact->object >= 0) {
        hf_object_view object = hf_scene_object(hf_placement_scene(placement), contact->object);
        support->friction = object.friction;
        if (!carries(placement, contact->object, pressed)) return;
    }
    hf_vec3 corners[4];
    int count = 0;
    if (contact->frame >= 0 && !(limb->contacts[contact->frame].ball > 0)) {
        const hf_contact_frame* frame = &limb->contacts[contact->frame];
        count = patch_corners(frame, link, corners);
        double against = -hf_dot(hf_rotate(link.rotation, hf_normalize(frame->normal)), contact->normal);
        if (!contact->grip && against < FLAT_COS) count = keep_lowest(corners, count, contact->normal);
    }
    if (count == 0) add_corner(support, contact->point);
    for (int i = 0; i < count; i++)
        add_corner(support, contact->grip
                                ? corners[i]
                                : draw_in(placement, contact->point, corners[i], contact->normal, pressed));
}

void hf_support_find(const hf_creature* creature, const hf_placement* placement, const hf_hold* contact,
                     hf_transform link, hf_support* support) {
    find(creature, placement, contact, link, -1, support);
}

void hf_support_press(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                      hf_transform link, hf_support* support) {
    hf_hold touch = *hold;
    touch.grip = false;
    find(creature, placement, &touch, link, hold->object, support);
    support->normal = hf_neg(support->normal);
    support->friction *= HF_FRICTION_SHARE;
}

hf_vec3 hf_support_hanging(const hf_support* supports, int count, hf_vec3 com) {
    if (count != 2 || supports[0].corner_count != 1 || supports[1].corner_count != 1) return com;
    hf_vec3 from = supports[0].corners[0], axis = hf_sub(supports[1].corners[0], from);
    hf_vec3 aside = hf_normalize(hf_cross(axis, hf_v3(0, 0, 1)));
    double off = hf_dot(hf_sub(com, from), aside);
    return fabs(off) <= HANG_M ? hf_sub(com, hf_scale(aside, off)) : com;
}

void hf_support_plan(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                     hf_transform link, hf_support* support) {
    hf_support_find(creature, placement, hold, link, support);
    support->friction *= HF_FRICTION_SHARE;
    if (!hold->grip || support->corner_count == 0) return;
    support->corner_count = 1;
    support->corners[0] = hold->point;
}
