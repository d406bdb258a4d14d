/* Holds: put into the world, found in a posture, anchored to where the limb's link must stay. */
#include "model/hold.h"

#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <math.h>

/* Cosine of the largest angle between a contact frame and the surface that it touches. */
static const double FACING = 0.9;
/* Two frames of a limb whose gaps differ by less than this touch alike, m. */
static const double SAME_GAP_M = 1e-3;
enum { MAX_SURFACES = 256 }; /* looked at for one contact frame; where more are near, only nearer ones */

hf_hold hf_hold_in_world(hf_hold hold, hf_transform object) {
    hold.point = hf_apply(object, hold.point);
    hold.normal = hf_rotate(object.rotation, hold.normal);
    return hold;
}

hf_hold hf_hold_in_object(hf_hold hold, hf_transform object) {
    hold.point = hf_unapply(object, hold.point);
    hold.normal = hf_unrotate(object.rotation, hold.normal);
    return hold;
}

/* ---- what goes with limbs ---- */

bool hf_holds_press(const hf_hold* a, const hf_hold* b) {
    return a->object >= 0 && a->object == b->object && a->limb != b->limb && !a->grip && !b->grip &&
           hf_dot(a->normal, b->normal) < 0;
}

bool hf_hold_takes_along(const hf_scene* scene, const hf_hold* hold, const hf_hold* other) {
    if (!scene || hold->object < 0 || !hf_scene_object(scene, hold->object).movable) return false;
    return hold->grip || hf_holds_press(hold, other);
}

/* ---- anchors ---- */

typedef struct tip {
    int link;
    hf_vec3 offset;
    bool patch;
} tip;

static tip tip_of(const hf_creature* c, const hf_hold* h) {
    const hf_limb* limb = &c->view.limbs[h->limb];
    if (h->frame < 0) return (tip){.link = limb->effector_link};
    const hf_contact_frame* f = &limb->contacts[h->frame];
    return (tip){f->link, f->offset, !(f->ball > 0) && (f->patch[0] > 0 || f->patch[1] > 0)};
}

hf_anchor hf_hold_anchor(const hf_creature* c, const hf_hold* h, const hf_transform* links) {
    tip t = tip_of(c, h);
    return (hf_anchor){hf_apply(links[t.link], t.offset), links[t.link].rotation, t.patch && !h->grip};
}

hf_anchor hf_anchor_in(hf_transform frame, hf_anchor a) {
    a.point = hf_apply(frame, a.point);
    a.rotation = hf_quat_mul(frame.rotation, a.rotation);
    return a;
}

bool hf_anchor_lies_flat(const hf_creature* c, const hf_hold* h, const hf_anchor* a) {
    if (!a->flat) return false;
    hf_vec3 own = hf_rotate(a->rotation, c->view.limbs[h->limb].contacts[h->frame].normal);
    return -hf_dot(own, h->normal) > hf_cos(HF_LEVEL_RAD);
}

void hf_anchor_error(const hf_creature* c, const hf_hold* h, const hf_anchor* a, const hf_transform* links,
                     double* off_m, double* off_rad) {
    tip t = tip_of(c, h);
    *off_m = hf_distance(hf_apply(links[t.link], t.offset), a->point);
    *off_rad = a->flat ? hf_quat_angle(links[t.link].rotation, a->rotation) : 0;
}

/* ---- what a posture touches ---- */

/* Does its object allow contact, and has its triangle an area? */
static bool can_be_touched(const hf_scene* scene, const hf_surface* s) {
    const hf_object* o = &scene->objects[s->object];
    hf_triangle t = hf_triangle_of(&o->mesh, s->triangle);
    return o->contact && hf_triangle_height(&t) > HF_NO_HEIGHT_M;
}

/* The surface as a contact frame at `at` sees it, whose own normal turned round is `out`: the normal to the
   frame's side, and whether the frame can touch with it. */
static bool faces(const hf_scene* scene, const hf_contact_frame* f, hf_vec3 at, hf_vec3 out,
                  const hf_surface* s, hf_vec3* normal) {
    hf_object_view o = hf_scene_object(scene, s->object);
    *normal = s->normal;
    if (f->ball > 0) {
        *normal = hf_normalize(hf_sub(at, s->point));
        return true;
    }
    // an open piece has two sides
    if (o.solidity[o.piece_of[s->triangle]] == 0 && hf_dot(*normal, out) < 0) *normal = hf_neg(*normal);
    return hf_dot(*normal, out) > FACING;
}

/* The surfaces about a contact frame that are no farther from its ball (or point) than `within`; where there
   are too many the distance is halved until there are not, and the nearest alone is left in the end. */
static int surfaces_near(const hf_placement* placement, hf_vec3 at, double ball, double within,
                         hf_surface* all) {
    for (; within > SAME_GAP_M / MAX_SURFACES; within /= 2) {
        int n = hf_placement_within(placement, at, ball + within, all, MAX_SURFACES);
        if (n <= MAX_SURFACES) return n;
    }
    return hf_placement_closest(placement, at, ball + within, all);
}

/* The distance of the nearest surface that can be touched. A ball touches where the surface is nearest to its
   centre: the edge of a triangle beside that may be exactly as far away as the ball is large while the ball
   is half a millimetre deep. */
static double nearest_of(const hf_scene* scene, const hf_surface* all, int count) {
    double nearest = INFINITY;
    for (int i = 0; i < count; i++)
        if (can_be_touched(scene, &all[i])) nearest = fmin(nearest, all[i].distance);
    return nearest;
}

bool hf_hold_find(const hf_creature* c, const hf_placement* placement, const hf_transform* links, int limb,
                  double within_m, hf_hold* hold) {
    const hf_scene* scene = hf_placement_scene(placement);
    const hf_limb* l = &c->view.limbs[limb];
    double best = within_m;
    bool found = false;
    for (int f = 0; f < l->contact_count; f++) {
        const hf_contact_frame* frame = &l->contacts[f];
        hf_vec3 at = hf_apply(links[frame->link], frame->offset), normal;
        hf_vec3 out = hf_neg(hf_rotate(links[frame->link].rotation, frame->normal));
        hf_surface all[MAX_SURFACES];
        int n = surfaces_near(placement, at, frame->ball, best, all);
        double farthest = frame->ball > 0 ? nearest_of(scene, all, n) : INFINITY;
        for (int i = 0; i < n; i++) {
            if (all[i].distance > farthest) continue;
            double gap = fabs(all[i].distance - frame->ball);
            if (gap >= best - (found && hold->frame != f ? SAME_GAP_M : 0)) continue;
            if (!can_be_touched(scene, &all[i])) continue;
            if (!faces(scene, frame, at, out, &all[i], &normal)) continue;
            best = gap;
            found = true;
            bool grip = l->grip && hf_scene_object(scene, all[i].object).grip;
            *hold = (hf_hold){limb, f, all[i].object, grip, all[i].point, normal};
        }
    }
    return found;
}
