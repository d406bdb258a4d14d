/* A clip in an edited scene: its contact phases go with the surfaces that they touch, the ends of its limbs
   with the surfaces near them, and its trunk with what its limbs hold. The retargeting then works in the
   edited scene alone. */
#include "adapt/relation.h"
#include "adapt/retarget.h"
#include "base/memory.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

/* A surface that a phase goes with still faces as it did: cosine of the angle between, at least. */
static const double FACING = 0.5;
/* PARTS: of a move along a surface, of which as many are made as the surface allows. */
enum { NEAR = 64, PARTS = 8 };

typedef struct carrier {
    hf_clip_body* clip;
    const hf_scene *from, *to;
    hf_scene *only_changed, *only_same; /* of the clip's scene: objects that edits change, and the others */
    hf_placement *changed, *same, *edited; /* of these two, and of the edited scene */
    hf_phase* phases;                      /* where they go */
    hf_vec3* by;                           /* how far each phase goes, m */
    hf_vec3* shifts;                       /* as in hf_clip_body */
    hf_vec3* track;                        /* one part's shifts */
} carrier;

/* ---- the two halves of the scene ---- */

static bool is_changed(const carrier* c, int object) {
    const hf_object *a = &c->from->objects[object], *b = &c->to->objects[object];
    return a->owners != b->owners || a->key_count != b->key_count ||
           memcmp(&a->start, &b->start, sizeof a->start) != 0 ||
           (a->key_count && memcmp(a->keys, b->keys, sizeof *a->keys * (size_t)a->key_count) != 0);
}

/* The clip's scene without those objects that edits change, or without the others. */
static hf_status make_half(const carrier* c, bool changed, hf_scene** half, hf_placement** placement) {
    hf_scene_edit* edits = hf_alloc((size_t)c->from->count + 1, sizeof *edits);
    int count = 0;
    if (!edits) return HF_ERROR_MEMORY;
    for (int i = 0; i < c->from->count; i++)
        if (is_changed(c, i) != changed) {
            edits[count] = hf_scene_edit_of(c->from->objects[i].name);
            edits[count++].remove = true;
        }
    hf_status status = hf_scene_change(c->from, edits, count, half, NULL);
    hf_free(edits);
    return status == HF_OK ? hf_placement_create(*half, placement) : status;
}

static void set_frame(carrier* c, int frame) {
    double time_s = frame * c->clip->clip->frame_time_s;
    hf_clip_body_set(c->clip, frame);
    hf_placement_set_time(c->changed, time_s);
    hf_placement_set_time(c->same, time_s);
    hf_placement_set_time(c->edited, time_s);
}

/* ---- where points go ---- */

/* How far and by which turn an edit takes a point of a changed surface; false where the object has no surface
   any more. */
static bool follow_surface(const carrier* c, const hf_surface* at, hf_vec3* shift, hf_quat* turn) {
    hf_transform was = hf_object_pose(c->changed, at->object), is = hf_object_pose(c->edited, at->object);
    hf_vec3 local = hf_unapply(was, at->point);
    if (!hf_surface_follow(c->from, c->to, at->object, at->triangle, &local, turn)) return false;
    *shift = hf_sub(hf_apply(is, local), at->point);
    *turn = hf_quat_mul(hf_quat_mul(is.rotation, *turn), hf_quat_conj(was.rotation));
    return true;
}

/* Where the nearest changed surface within a distance takes a point, and how near it is: 1 at it, 0 that far
   away. An unchanged surface that is nearer holds the point back across itself, not along itself: who steps
   up to a box that is moved steps up to where it is now. */
static hf_vec3 pull_at(const carrier* c, hf_vec3 point, double far_m, double* nearness) {
    hf_vec3 shift = hf_v3(0, 0, 0);
    hf_quat turn;
    hf_surface near, still;
    *nearness = 0;
    if (!hf_placement_closest(c->changed, point, far_m, &near) || !follow_surface(c, &near, &shift, &turn))
        return hf_v3(0, 0, 0);
    *nearness = 1 - near.distance / far_m;
    if (!hf_placement_closest(c->same, point, far_m, &still)) return shift;
    double a = near.distance * near.distance, b = still.distance * still.distance;
    double share = a > 0 ? a / (a + b) : 0;
    return hf_sub(shift, hf_scale(still.normal, share * hf_dot(shift, still.normal)));
}

/* A point that nothing else leads: changed surfaces count up to the clip's height away. */
static hf_vec3 shift_at(const carrier* c, hf_vec3 point) {
    double nearness;
    hf_vec3 pull = pull_at(c, point, c->clip->clip->height_m, &nearness);
    return hf_scale(pull, nearness);
}

/* ---- phases ---- */

/* The surface of the object at a point of the edited scene that faces most like this. */
static bool find_surface(const hf_placement* placement, hf_vec3 point, int object, hf_vec3* normal) {
    hf_surface near[NEAR];
    int count = hf_placement_within(placement, point, HF_CONTACT_M, near, NEAR);
    double most = FACING;
    hf_vec3 like = *normal;
    for (int i = 0; i < count && i < NEAR; i++)
        if (near[i].object == object && hf_dot(near[i].normal, like) > most)
            most = hf_dot(near[i].normal, like), *normal = near[i].normal;
    return most > FACING;
}

/* The middle of all that is held while this phase lasts: what is held at once goes together, because boxes
   may grow and the body does not. */
static hf_vec3 stance_middle(const hf_phases* phases, const hf_phase* p) {
    int count = 0;
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 0; i < phases->count; i++) {
        const hf_phase* o = &phases->items[i];
        if (o->first <= p->last && p->first <= o->last) sum = hf_add(sum, o->point), count++;
    }
    return hf_scale(sum, 1.0 / count);
}

/* Moves a phase along its surface by this much, or by a part of it where the surface of its object ends. */
static void move_along(const carrier* c, hf_phase* p, hf_vec3 by) {
    hf_vec3 along = hf_sub(by, hf_scale(p->normal, hf_dot(by, p->normal)));
    for (int part = PARTS; part > 0; part--) {
        hf_vec3 to = hf_add(p->point, hf_scale(along, (double)part / PARTS)), normal = p->normal;
        if (!find_surface(c->edited, to, p->object, &normal)) continue;
        p->point = to, p->normal = normal;
        return;
    }
}

/* A phase on a changed object goes with the surface under it, and along that with the middle of the stance;
   one on another object along that alone. False where the surface is gone. */
static bool carry_phase(carrier* c, const hf_phases* phases, int i) {
    hf_phase* p = &c->phases[i];
    hf_vec3 was = p->point, middle = stance_middle(phases, &phases->items[i]), own, all;
    hf_surface near;
    hf_quat turn;
    set_frame(c, (p->first + p->last) / 2);
    if (is_changed(c, p->object)) {
        if (!hf_placement_closest(c->changed, p->point, HF_CONTACT_M, &near) ||
            !follow_surface(c, &near, &own, &turn))
            return false;
        p->point = hf_add(p->point, own), p->normal = hf_rotate(turn, p->normal);
        if (!find_surface(c->edited, p->point, p->object, &p->normal)) return false;
        if (hf_placement_closest(c->changed, middle, c->clip->clip->height_m, &near) &&
            follow_surface(c, &near, &all, &turn))
            move_along(c, p, hf_sub(all, own));
    } else
        move_along(c, p, shift_at(c, middle));
    c->by[i] = hf_sub(p->point, was);
    return true;
}

/* ---- the path ---- */

static hf_vec3* shift_of(const carrier* c, int frame, int part) {
    return &c->shifts[(size_t)frame * HF_PARTS + (size_t)part];
}

/* What the trunk goes with in a frame that is set: the mean of what is held. */
static hf_vec3 trunk_shift(const carrier* c, int frame, int count) {
    hf_vec3 held = hf_v3(0, 0, 0);
    int holds = 0;
    for (int i = 0; i < count; i++)
        if (c->phases[i].first <= frame && frame <= c->phases[i].last) held = hf_add(held, c->by[i]), holds++;
    return holds ? hf_scale(held, 1.0 / holds) : shift_at(c, c->clip->now[c->clip->root].position);
}

/* Ends of limbs go with the trunk, the more with changed surfaces the nearer they are to them. */
static void shift_frame(carrier* c, int frame, int count) {
    set_frame(c, frame);
    hf_vec3 trunk = trunk_shift(c, frame, count);
    *shift_of(c, frame, HF_TRUNK) = trunk;
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        const hf_clip_limb* l = &c->clip->limbs[role];
        if (!l->there) continue;
        hf_vec3 end = c->clip->now[l->tip >= 0 ? l->tip : l->lower].position;
        double nearness;
        hf_vec3 pull = pull_at(c, end, hf_clip_limb_length(c->clip, role), &nearness);
        *shift_of(c, frame, role) = hf_lerp(trunk, pull, nearness);
    }
}

/* While limbs hold they go with what they hold. */
static void shift_holds(carrier* c, const hf_retarget_work* w, int count) {
    for (int i = 0; i < count; i++) {
        int role = hf_retarget_role(&w->creature, c->phases[i].limb);
        for (int f = c->phases[i].first; f <= c->phases[i].last && role >= 0; f++)
            *shift_of(c, f, role) = c->by[i];
    }
}

/* The mean over the time of a lead about each frame: the path bends as gently as limbs go to their holds. */
static void ease(carrier* c, int part) {
    int frames = c->clip->frame_count, around = (int)(0.5 * HF_LEAD_S / c->clip->clip->frame_time_s);
    for (int f = 0; f < frames; f++) c->track[f] = *shift_of(c, f, part);
    for (int f = 0; f < frames; f++) {
        hf_vec3 sum = hf_v3(0, 0, 0);
        int first = f > around ? f - around : 0, last = f + around < frames ? f + around : frames - 1;
        for (int k = first; k <= last; k++) sum = hf_add(sum, c->track[k]);
        *shift_of(c, f, part) = hf_scale(sum, 1.0 / (last - first + 1));
    }
}

static void shift_path(carrier* c, const hf_retarget_work* w, int count) {
    for (int f = 0; f < c->clip->frame_count; f++) shift_frame(c, f, count);
    shift_holds(c, w, count);
    for (int part = 0; part <= HF_TRUNK; part++) ease(c, part);
    for (int f = 0; f < c->clip->frame_count; f++)
        for (int role = 0; role < HF_MAX_MARKED; role++)
            *shift_of(c, f, HF_MIDDLES + role) =
                hf_lerp(*shift_of(c, f, role), *shift_of(c, f, HF_TRUNK), 0.5);
}

/* Which shift each joint goes by: parents come first. */
static hf_status list_parts(hf_clip_body* b) {
    int count = b->clip->joint_count;
    b->parts = hf_alloc((size_t)count, sizeof *b->parts);
    if (!b->parts) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        int parent = b->clip->joints[i].parent;
        b->parts[i] = parent >= 0 ? b->parts[parent] : HF_TRUNK;
        for (int role = 0; role < HF_MAX_MARKED; role++) {
            if (!b->limbs[role].there) continue;
            if (i == b->limbs[role].middle) b->parts[i] = (int8_t)(HF_MIDDLES + role);
            if (i == b->limbs[role].lower) b->parts[i] = (int8_t)role;
        }
    }
    return HF_OK;
}

/* ---- the whole ---- */

static hf_status make_carrier(carrier* c, const hf_phases* phases) {
    size_t frames = (size_t)c->clip->frame_count, count = (size_t)phases->count;
    c->phases = hf_alloc(count + 1, sizeof *c->phases);
    c->by = hf_alloc(count + 1, sizeof *c->by);
    c->shifts = hf_alloc(frames * HF_PARTS, sizeof *c->shifts);
    c->track = hf_alloc(frames, sizeof *c->track);
    if (!c->phases || !c->by || !c->shifts || !c->track) return HF_ERROR_MEMORY;
    if (count) memcpy(c->phases, phases->items, count * sizeof *c->phases);
    hf_status status = make_half(c, true, &c->only_changed, &c->changed);
    if (status == HF_OK) status = make_half(c, false, &c->only_same, &c->same);
    return status == HF_OK ? hf_placement_create(c->to, &c->edited) : status;
}

static void free_carrier(carrier* c) {
    hf_placement_free(c->changed);
    hf_placement_free(c->same);
    hf_placement_free(c->edited);
    hf_scene_free(c->only_changed);
    hf_scene_free(c->only_same);
    hf_free(c->phases);
    hf_free(c->by);
    hf_free(c->shifts);
    hf_free(c->track);
}

/* The work goes on in the edited scene, with what the carrier made. */
static hf_status hand_over(carrier* c, hf_retarget_work* w, hf_phases* phases) {
    hf_status status = list_parts(c->clip);
    if (status != HF_OK) return status;
    if (phases->count) memcpy(phases->items, c->phases, sizeof *c->phases * (size_t)phases->count);
    hf_placement_free(w->finder.placement);
    w->finder.placement = c->edited, c->edited = NULL;
    w->clip.shifts = c->shifts, c->shifts = NULL;
    return HF_OK;
}

hf_status hf_retarget_carry(hf_retarget_work* w, const hf_scene* from, const hf_scene* to, hf_phases* phases,
                            bool* carried) {
    carrier c = {.clip = &w->clip, .from = from, .to = to};
    hf_status status = make_carrier(&c, phases);
    *carried = status == HF_OK;
    for (int i = 0; i < phases->count && *carried; i++) *carried = carry_phase(&c, phases, i);
    if (*carried) {
        shift_path(&c, w, phases->count);
        status = hand_over(&c, w, phases);
    }
    free_carrier(&c);
    return status;
}
