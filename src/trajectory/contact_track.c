/* Contacts of a motion, frame by frame, with what each bears on. */
#include "trajectory/contact_track.h"

#include "balance/stance.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"

#include <string.h>

/* Where everything is in a frame. */
typedef struct moment {
    hf_transform* links;
    hf_placement* placement; /* NULL without a scene */
} moment;

static hf_track_contact* contact_at(const hf_contact_track* t, int frame, int limb) {
    return &t->contacts[(size_t)frame * (size_t)t->limb_count + (size_t)limb];
}

/* The hold in the creature's and the scene's indices. hf_motion_validate has found all the names. */
static hf_hold translate(const hf_contact_track* t, const hf_hold* in) {
    const hf_motion* m = t->motion;
    hf_hold out = *in;
    out.limb = hf_creature_find_limb(t->creature, m->limbs[in->limb].name);
    out.object = in->object >= 0 ? t->object_of[in->object] : -1;
    const hf_limb* limb = &t->creature->view.limbs[out.limb];
    const char* name = in->frame >= 0 ? m->limbs[in->limb].frames[in->frame].name : "";
    out.frame = -1;
    for (int i = 0; i < hf_limb_frame_count(limb); i++)
        if (strcmp(limb->contacts[i].name, name) == 0) out.frame = i;
    return out;
}

hf_transform hf_track_object(const hf_placement* placement, int object) {
    return placement && object >= 0 ? hf_placement_pose(placement, object) : hf_transform_identity();
}

static hf_transform object_at(const moment* m, int object) { return hf_track_object(m->placement, object); }

hf_vec3 hf_track_place(const hf_contact_track* t, const hf_hold* hold, const hf_transform* links) {
    const hf_limb* limb = &t->creature->view.limbs[hold->limb];
    if (hold->frame < 0) return links[limb->effector_link].position;
    return hf_apply(links[limb->contacts[hold->frame].link], limb->contacts[hold->frame].offset);
}

/* Does the limb hold on to what it held in the frame before? */
static bool same_hold(const hf_hold* a, const hf_hold* b) {
    return a->object == b->object && a->frame == b->frame && a->grip == b->grip &&
           hf_distance(a->point, b->point) <= HF_TOUCH_M;
}

static void move_support(hf_support* s, hf_transform by) {
    for (int c = 0; c < s->corner_count; c++) s->corners[c] = hf_apply(by, s->corners[c]);
    s->normal = hf_rotate(by.rotation, s->normal);
}

static void begin(hf_contact_track* t, const hf_placement* placement, const hf_hold* world,
                  hf_transform object, const hf_transform* links, hf_track_contact* to) {
    to->support = (hf_support){0};
    const hf_limb* limb = &t->creature->view.limbs[world->limb];
    int link = world->frame >= 0 ? limb->contacts[world->frame].link : limb->effector_link;
    to->pushes =
        placement && !world->grip && world->object >= 0 && hf_scene_object(t->scene, world->object).movable;
    if (to->pushes)
        hf_support_press(t->creature, placement, world, links[link], &to->support);
    else if (placement)
        hf_support_find(t->creature, placement, world, links[link], &to->support);
    move_support(&to->support, hf_inverse(object));
}

/* The contact frame of a hold in a frame, seen from the hold's object. */
static hf_vec3 place_in(const hf_contact_track* t, const hf_hold* hold, const hf_transform* links,
                        hf_transform object) {
    return hf_apply(hf_inverse(object), hf_track_place(t, hold, links));
}

/* The limb goes from one contact to another between two frames: which of them is there in both? */
static hf_track_after change(const hf_contact_track* t, const moment* before, const moment* now,
                             const hf_track_contact* from, const hf_track_contact* to) {
    if (from->hold.object != to->hold.object || from->hold.frame == to->hold.frame) return HF_TRACK_ENDS;
    int o = to->hold.object;
    hf_vec3 was = place_in(t, &to->hold, before->links, object_at(before, o));
    hf_vec3 is = place_in(t, &from->hold, now->links, object_at(now, o));
    if (hf_distance(was, to->place) <= HF_TOUCH_M) return HF_TRACK_ROLLS;
    return hf_distance(is, from->place) <= HF_TOUCH_M ? HF_TRACK_STAYS : HF_TRACK_ENDS;
}

static void add_contact(hf_contact_track* t, int frame, const hf_hold* in, const moment* before,
                        const moment* now) {
    hf_hold world = translate(t, in);
    hf_transform object = object_at(now, world.object);
    hf_track_contact *to = contact_at(t, frame, world.limb), *from = frame ? to - t->limb_count : NULL;
    to->on = true;
    to->hold = hf_hold_in_object(world, object);
    to->place = place_in(t, &world, now->links, object);
    if (from && from->on && same_hold(&from->hold, &to->hold)) {
        from->after = HF_TRACK_LASTS, to->support = from->support, to->pushes = from->pushes;
        return;
    }
    begin(t, now->placement, &world, object, now->links, to);
    if (from && from->on) from->after = change(t, before, now, from, to);
}

static void add_frame(hf_contact_track* t, int frame, const moment* before, const moment* now) {
    const hf_motion_frame* f = &t->motion->frames[frame];
    hf_pose pose = {f->root, f->q};
    if (now->placement) hf_motion_place(t->motion, frame, now->placement);
    hf_forward(t->creature, &pose, now->links);
    for (int i = 0; i < f->contact_count; i++) add_contact(t, frame, &f->contacts[i], before, now);
}

hf_status hf_contact_track_make(const hf_motion* m, const hf_creature* creature, const hf_scene* scene,
                                hf_contact_track* t, hf_error* error) {
    *t = (hf_contact_track){m, creature, scene, creature->view.limb_count, NULL, NULL};
    moment at[2] = {{0}}; /* of two frames that follow each other, in turn */
    size_t links = (size_t)creature->view.link_count;
    hf_status status = HF_OK;
    t->contacts = hf_alloc((size_t)m->frame_count * (size_t)t->limb_count + 1, sizeof *t->contacts);
    t->object_of = hf_alloc((size_t)m->object_count + 1, sizeof *t->object_of);
    for (int k = 0; k < 2; k++) at[k].links = hf_alloc(links, sizeof *at[k].links);
    if (!at[0].links || !at[1].links || !t->contacts || !t->object_of) status = HF_ERROR_MEMORY;
    for (int k = 0; k < 2 && status == HF_OK && scene; k++)
        status = hf_placement_create(scene, &at[k].placement);
    for (int i = 0; i < m->object_count && status == HF_OK; i++)
        t->object_of[i] = scene ? hf_scene_find(scene, m->objects[i]) : -1;
    for (int f = 0; f < m->frame_count && status == HF_OK; f++) add_frame(t, f, &at[(f + 1) % 2], &at[f % 2]);
    for (int k = 0; k < 2; k++) {
        hf_placement_free(at[k].placement);
        hf_free(at[k].links);
    }
    if (status != HF_OK) hf_contact_track_free(t);
    return hf_fail_status(error, status, NULL);
}

void hf_contact_track_free(hf_contact_track* t) {
    hf_free(t->contacts);
    hf_free(t->object_of);
    *t = (hf_contact_track){0};
}
