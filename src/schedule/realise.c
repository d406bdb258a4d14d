/* From schedule to motion: frames at a fixed rate between the knots, each limb that holds put back exactly
   onto its hold, and a look for faults at every frame and on the straight way to the next one. */
#include "base/memory.h"
#include "base/error.h"
#include "base/workspace.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/hold.h"
#include "model/scene.h"
#include "schedule/carried.h"
#include "schedule/frames.h"
#include "schedule/held.h"
#include "schedule/realise_near.h"
#include "solve/keep.h"

#include <holdfast/balance.h>
#include <holdfast/rom.h>
#include <holdfast/schedule.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times that differ by less are the same, s. */
static const double SAME_S = 1e-9;
enum { MAX_NEAR = 64 }; /* surfaces looked at where a hold begins */

const char* hf_frame_fault_text(hf_frame_fault_kind kind) {
    static const char* const texts[] = {"collides",
                                        "leaves its range of motion",
                                        "does not keep its hold",
                                        "is too fast",
                                        "is not balanced",
                                        "has no contact forces for its accelerations",
                                        "is outside its joint limits",
                                        "holds no surface",
                                        "changes with another limb",
                                        "carries an object into another one",
                                        "presses an object and cannot bear it"};
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown";
}

hf_realise_options hf_realise_options_default(void) { return (hf_realise_options){.test = true}; }

void hf_realise_result_free(hf_realise_result* r) {
    if (!r) return;
    hf_free(r->faults);
    memset(r, 0, sizeof *r);
}

/* A hold that lasts now. */
typedef struct held {
    int index; /* into the schedule's holds */
    int begun; /* the first frame with it */
    hf_hold world;
    hf_anchor local, anchor; /* in the object's frame, and in the world now */
    hf_support support;
    int carried;          /* the object that rides on the limb, -1 for none */
    hf_transform in_link; /* where it rides, in the frame of the contact frame's link */
} held;

/* What an object does in the frame that was made last. */
typedef struct going {
    bool carried;            /* a limb takes it along */
    int on;                  /* the carried object that it rides on, -1 for none */
    hf_transform in_carrier; /* where it rides */
} going;

typedef struct realiser {
    const hf_creature* creature;
    const hf_scene* scene;
    const hf_schedule* schedule;
    hf_workspace* workspace;
    hf_placement* placement;
    hf_clearance* clearance;
    const hf_clear_pose* poses; /* of each frame, near it; may be NULL */
    double step_m;              /* no body goes farther untested while objects move */
    bool moves;                 /* an object has keys or is carried */
    hf_motion* motion;
    hf_realise_result* result;
    hf_transform *links, *others;
    double *q, *between;
    held* now;
    int now_count;
    hf_hold* touches;
    hf_support* supports;
    hf_stance* stance;
    hf_object_shape* shapes; /* of each object; made where a limb takes it along, or it may ride on one */
    going* going;            /* of each object */
    bool *held, *rides;      /* scratch, of each object */
    hf_stance* pressing;     /* of what limbs press */
    int knot;
} realiser;

/* ---- faults ---- */

static hf_status note(realiser* r, hf_frame_fault_kind kind, int frame, int limb, const hf_collision* hit) {
    hf_realise_result* out = r->result;
    for (int i = out->fault_count - 1; i >= 0 && out->faults[i].frame >= frame; i--)
        if (out->faults[i].kind == kind && out->faults[i].frame == frame) return HF_OK;
    if (!HF_GROW(out->faults, out->fault_capacity, out->fault_count)) return HF_ERROR_MEMORY;
    out->faults[out->fault_count] = (hf_frame_fault){.kind = kind, .frame = frame, .limb = limb};
    if (hit) out->faults[out->fault_count].collision = *hit;
    out->fault_count++;
    return HF_OK;
}

/* ---- one frame ---- */

static hf_pose knot_pose(const hf_schedule* s, int i) { return (hf_pose){s->knots[i].root, s->knots[i].q}; }

/* The pose of the schedule at a time that does not go back: a knot's exactly, or straight between two. */
static bool pose_at(realiser* r, double time_s, hf_pose* pose) {
    const hf_schedule* s = r->schedule;
    while (r->knot + 1 < s->knot_count && s->knots[r->knot + 1].time_s <= time_s + SAME_S) r->knot++;
    hf_pose a = knot_pose(s, r->knot);
    bool on_knot = fabs(s->knots[r->knot].time_s - time_s) <= SAME_S || r->knot + 1 == s->knot_count;
    pose->q = r->q;
    if (on_knot) {
        pose->root = a.root;
        memcpy(pose->q, a.q, sizeof(double) * (size_t)s->q_count);
        return true;
    }
    hf_pose b = knot_pose(s, r->knot + 1);
    double from_s = s->knots[r->knot].time_s, to_s = s->knots[r->knot + 1].time_s;
    hf_pose_between(r->creature, &a, &b, (time_s - from_s) / (to_s - from_s), pose);
    return false;
}

static bool lasts(const hf_schedule_hold* h, double time_s) {
    return h->from_s <= time_s + SAME_S && h->to_s >= time_s - SAME_S;
}

/* Is the hold one by which an object goes with the limb? A movable one that no keys move does, while it is
   gripped, or pressed between two limbs. */
static bool takes_along(const realiser* r, const hf_schedule_hold* h, double time_s) {
    if (h->hold.object < 0 || hf_scene_object(r->scene, h->hold.object).key_count > 0) return false;
    for (int i = 0; i < r->schedule->hold_count; i++) {
        const hf_schedule_hold* other = &r->schedule->holds[i];
        bool together =
            isnan(time_s) ? other->from_s <= h->to_s && other->to_s >= h->from_s : lasts(other, time_s);
        if ((together || other == h) && hf_hold_takes_along(r->scene, &h->hold, &other->hold)) return true;
    }
    return false;
}

static void begin(realiser* r, int index, int frame, const hf_transform* links, held* h) {
    const hf_hold* hold = &r->schedule->holds[index].hold;
    hf_transform object = hf_object_pose(r->placement, hold->object);
    hf_held now;
    hf_held_begin(r->creature, r->placement, hold, links, &now);
    *h = (held){.index = index,
                .begun = frame,
                .world = now.world,
                .anchor = now.anchor,
                .local = hf_anchor_in(hf_inverse(object), now.anchor),
                .support = now.support};
    hf_transform link = {.rotation = now.anchor.rotation};
    const hf_contact_frame* f = &r->creature->view.limbs[hold->limb].contacts[hold->frame];
    link.position = hf_sub(now.anchor.point, hf_rotate(link.rotation, f->offset));
    h->in_link = hf_compose(hf_inverse(link), object);
}

/* Puts what hands carry where the hands of this pose are. Of two hands at one object the first carries it. */
static void move_carried(realiser* r, const hf_pose* pose, double time_s) {
    bool any = false;
    for (int i = 0; i < r->now_count; i++) {
        const hf_schedule_hold* s = &r->schedule->holds[r->now[i].index];
        r->now[i].carried = lasts(s, time_s) && takes_along(r, s, time_s) ? s->hold.object : -1;
        any |= r->now[i].carried >= 0;
    }
    if (any) hf_forward(r->creature, pose, r->links);
    for (int i = 0; i < r->now_count; i++) {
        const held* h = &r->now[i];
        bool first = h->carried >= 0;
        for (int k = 0; k < i && first; k++) first = r->now[k].carried != h->carried;
        const hf_contact_frame* f = &r->creature->view.limbs[h->world.limb].contacts[h->world.frame];
        if (first) hf_placement_move(r->placement, h->carried, hf_compose(r->links[f->link], h->in_link));
    }
    for (int i = 0; any && i < hf_scene_object_count(r->scene); i++)
        if (r->going[i].on >= 0)
            hf_placement_move(
                r->placement, i,
                hf_compose(hf_placement_pose(r->placement, r->going[i].on), r->going[i].in_carrier));
}

/* What rests on an object when limbs take it goes along as long as they carry it. */
static hf_status list_riders(realiser* r) {
    int count = r->moves ? hf_scene_object_count(r->scene) : 0;
    hf_status status = HF_OK;
    memset(r->held, 0, sizeof *r->held * (size_t)count);
    for (int i = 0; i < r->now_count; i++)
        if (r->now[i].carried >= 0) r->held[r->now[i].carried] = true;
    for (int i = 0; i < count; i++)
        if (r->going[i].on >= 0 && (r->held[i] || !r->held[r->going[i].on])) r->going[i].on = -1;
    for (int i = 0; i < count && status == HF_OK; i++) {
        bool begins = r->held[i] && !r->going[i].carried;
        r->going[i].carried = r->held[i];
        if (begins) status = hf_object_riders(r->placement, i, r->held, r->shapes, r->rides, NULL);
        hf_transform back = hf_inverse(hf_object_pose(r->placement, i));
        for (int k = 0; begins && k < count && status == HF_OK; k++)
            if (r->rides[k])
                r->going[k].on = i,
                r->going[k].in_carrier = hf_compose(back, hf_placement_pose(r->placement, k));
    }
    return status;
}

/* The holds that last at a time, those of the frame before first; true when they changed. */
static bool list_holds(realiser* r, int frame, double time_s, const hf_pose* pose) {
    const hf_schedule* s = r->schedule;
    int kept = 0, before = r->now_count;
    for (int i = 0; i < r->now_count; i++)
        if (s->holds[r->now[i].index].to_s >= time_s - SAME_S) r->now[kept++] = r->now[i];
    bool changed = kept != before;
    for (int i = 0; i < kept; i++) {
        held* h = &r->now[i];
        hf_transform object = hf_object_pose(r->placement, h->world.object);
        if (r->moves) h->anchor = hf_anchor_in(object, h->local);
        if (r->moves) h->world = hf_hold_in_world(s->holds[h->index].hold, object);
    }
    r->now_count = kept;
    for (int i = 0; i < s->hold_count; i++) {
        bool begins = lasts(&s->holds[i], time_s);
        for (int k = 0; k < kept && begins; k++) begins = r->now[k].index != i;
        if (!begins) continue;
        if (!changed || r->now_count == kept) hf_forward(r->creature, pose, r->links);
        begin(r, i, frame, r->links, &r->now[r->now_count++]);
        changed = true;
    }
    for (int i = 0; i < r->now_count; i++) {
        const hf_schedule_hold* h = &s->holds[r->now[i].index];
        r->now[i].carried = takes_along(r, h, time_s) ? h->hold.object : -1;
    }
    return changed;
}

/* Puts limbs that are farther from their hold than a lost one back onto their anchors. Producers keep their
   own frames within HF_HELD_M of an anchor that may itself be HF_HELD_M from the first frame's, which is
   less. */
static hf_status rehold(realiser* r, int frame, bool test, hf_pose* pose) {
    hf_forward(r->creature, pose, r->links);
    for (int i = 0; i < r->now_count; i++) {
        const held* h = &r->now[i];
        double off_m, off_rad;
        hf_anchor_error(r->creature, &h->world, &h->anchor, r->links, &off_m, &off_rad);
        if (off_m <= HF_SLIP_M && off_rad <= HF_SLIP_RAD) continue;
        bool kept;
        hf_vec3 miss;
        hf_status status = hf_hold_keep(r->creature, &h->world, &h->anchor, HF_KEEP_EXACT, r->workspace,
                                        r->links, pose->q, &kept, &miss);
        if (status != HF_OK) return status;
        hf_forward(r->creature, pose, r->links);
        hf_anchor_error(r->creature, &h->world, &h->anchor, r->links, &off_m, &off_rad);
        if (test && (off_m > HF_SLIP_M || off_rad > HF_SLIP_RAD))
            status = note(r, HF_FAULT_SLIPS, frame, h->world.limb, NULL);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

/* Does a limb take the object along, or does it ride on what one does? */
static bool goes(const realiser* r, int object) {
    return r->going[object].carried || r->going[object].on >= 0;
}

static hf_status write_frame(realiser* r, double time_s, const hf_pose* pose, bool stance) {
    hf_motion_frame* f = hf_motion_add(r->motion, time_s, pose);
    if (!f) return HF_ERROR_MEMORY;
    f->stance = stance;
    hf_status status = HF_OK;
    for (int limb = 0; limb < r->creature->view.limb_count; limb++)
        for (int i = 0; i < r->now_count && status == HF_OK; i++)
            if (r->now[i].world.limb == limb) status = hf_motion_add_contact(r->motion, f, &r->now[i].world);
    for (int object = 0; r->moves && object < hf_scene_object_count(r->scene) && status == HF_OK; object++) {
        if (!goes(r, object)) continue;
        int name = hf_motion_object_index(r->motion, hf_scene_object(r->scene, object).name);
        status = name < 0 ? HF_ERROR_MEMORY
                          : hf_motion_add_object(r->motion, f, name, hf_placement_pose(r->placement, object));
    }
    return status;
}

/* The centre of mass of the creature, of what its hands carry and of what rides on that, each in the middle
   of its box. */
static hf_vec3 loaded_com(const realiser* r) {
    double mass = r->creature->view.mass;
    hf_vec3 com = hf_scale(hf_com(r->creature, r->links), mass);
    for (int object = 0; r->moves && object < hf_scene_object_count(r->scene); object++) {
        if (!goes(r, object)) continue;
        double load = hf_scene_object(r->scene, object).mass_kg;
        hf_vec3 middle =
            hf_apply(hf_placement_pose(r->placement, object), hf_object_middle(r->scene, object));
        com = hf_add(com, hf_scale(middle, load));
        mass += load;
    }
    return hf_scale(com, mass > 0 ? 1 / mass : 1);
}

/* The static margin of the frame that was written last; r->links are its links. */
static hf_status weigh(realiser* r, bool changed, bool test, int frame) {
    if (!(r->schedule->claims & (HF_CLAIM_BALANCE | HF_CLAIM_DYNAMIC))) return HF_OK;
    hf_status status = HF_OK;
    if (changed || r->moves) {
        for (int i = 0; i < r->now_count; i++) r->supports[i] = r->now[i].support;
        status =
            hf_stance_build(r->stance, r->supports, r->now_count, r->creature->view.mass, NULL, r->workspace);
        if (status != HF_OK) return status;
    }
    double margin = hf_stance_margin(r->stance, loaded_com(r));
    r->motion->frames[frame].balance = margin;
    return test && margin < HF_FRAME_MARGIN_M && r->schedule->claims & HF_CLAIM_BALANCE
               ? note(r, HF_FAULT_BALANCE, frame, -1, NULL)
               : HF_OK;
}

/* Do limbs bear what they press in the frame that was written last? r->links are its links. */
static hf_status look_at_pressed(realiser* r, int frame) {
    const hf_motion_frame* f = &r->motion->frames[frame];
    hf_status status = HF_OK;
    bool borne = true;
    for (int i = 0; i < r->now_count; i++) r->touches[i] = r->now[i].world;
    for (int i = 0; i < f->object_count && status == HF_OK && borne; i++) {
        int object = hf_scene_find(r->scene, r->motion->objects[f->objects[i].object]);
        status = hf_carried_borne(r->creature, r->placement, r->links, r->touches, r->now_count, object,
                                  r->pressing, r->workspace, &borne);
    }
    return status == HF_OK && !borne ? note(r, HF_FAULT_PRESSED, frame, -1, NULL) : status;
}

/* Do the contacts of the frame before the last bear its inertial wrench? The stance is still that frame's. As
   a check does, the first two and the last two frames are left out. */
static hf_status push(realiser* r, int frame, int count) {
    if (frame < 2 || frame > count - 3 || !(r->schedule->claims & HF_CLAIM_DYNAMIC)) return HF_OK;
    const hf_motion_frame* f = &r->motion->frames[frame];
    hf_pose before = {f[-1].root, f[-1].q}, here = {f->root, f->q}, after = {f[1].root, f[1].q};
    hf_frame_wrench w;
    hf_status status =
        hf_frames_wrench(r->creature, r->schedule->rate, &before, &here, &after, r->workspace, &w);
    if (status != HF_OK || hf_stance_holds(r->stance, w.com, w.acceleration, w.momentum_rate)) return status;
    return note(r, HF_FAULT_DYNAMIC, frame, -1, NULL);
}

/* ---- between two frames ---- */

/* Contacts of a frame and of the next one may overlap what they touch. */
static int list_touches(realiser* r, int frame) {
    int count = 0;
    for (int f = frame; f <= frame + 1 && f < r->motion->frame_count; f++)
        for (int i = 0; i < r->motion->frames[f].contact_count; i++)
            if (r->motion->frames[f].contacts[i].object >= 0)
                r->touches[count++] = r->motion->frames[f].contacts[i];
    return count;
}

/* How many of them are of the frame itself. */
static int touching(const hf_motion* m, int frame) {
    int count = 0;
    for (int i = 0; i < m->frames[frame].contact_count; i++)
        count += m->frames[frame].contacts[i].object >= 0;
    return count;
}

/* Most moments of one frame that are judged where objects move. */
enum { MAX_MOMENTS = 1000 };

static double radius_of(const hf_object_view* o) {
    double radius = 0;
    for (int i = 0; i < o->mesh.vertex_count; i++) {
        radius = fmax(radius, hf_length(hf_vertex(o->mesh.vertices, (size_t)i)));
    }
    return radius;
}

/* How far the keys of an object move its farthest point between two times, if its fastest part lasted all the
   time. */
static double keyed_travel(const realiser* r, int object, double from_s, double to_s) {
    hf_object_view o = hf_scene_object(r->scene, object);
    double fastest = 0;
    for (int k = 1; k < o.key_count; k++) {
        const hf_key *a = &o.keys[k - 1], *b = &o.keys[k];
        if (b->time_s <= from_s || a->time_s >= to_s) continue;
        double way = hf_distance(a->pose.position, b->pose.position);
        double angle = hf_quat_angle(a->pose.rotation, b->pose.rotation);
        way += angle > 0 ? angle * radius_of(&o) : 0;
        fastest = fmax(fastest, way / (b->time_s - a->time_s));
    }
    return fastest * (to_s - from_s);
}

/* How far the farthest point of an object goes to where the next frame names it; the placement is the frame's
   own. */
static double named_travel(const realiser* r, const hf_motion_object* next) {
    int object = hf_scene_find(r->scene, r->motion->objects[next->object]);
    if (object < 0) return 0;
    hf_object_view o = hf_scene_object(r->scene, object);
    hf_transform from = hf_placement_pose(r->placement, object);
    double angle = hf_quat_angle(from.rotation, next->pose.rotation);
    return hf_distance(from.position, next->pose.position) + (angle > 0 ? angle * radius_of(&o) : 0);
}

/* How far points of objects go from a frame to the next one; the placement is the frame's. */
static double object_travel(const realiser* r, int frame) {
    const hf_motion_frame *f = &r->motion->frames[frame], *g = f + 1;
    double most = 0;
    for (int i = 0; i < g->object_count; i++) most = fmax(most, named_travel(r, &g->objects[i]));
    for (int i = 0; i < hf_scene_object_count(r->scene); i++)
        most = fmax(most, keyed_travel(r, i, f->time_s, g->time_s));
    return most;
}

/* The longest way of a point of a body from one pose to another. */
static double body_travel(realiser* r, const hf_pose* a, const hf_pose* b) {
    const hf_creature_view* v = &r->creature->view;
    double most = 0;
    hf_forward(r->creature, a, r->links);
    hf_forward(r->creature, b, r->others);
    for (int i = 0; i < v->body_count; i++) {
        const hf_body_bound* bound = &r->creature->bounds[i];
        hf_transform from = r->links[v->bodies[i].link], to = r->others[v->bodies[i].link];
        double way = hf_distance(hf_apply(from, bound->centre), hf_apply(to, bound->centre));
        most = fmax(most, way + bound->radius * hf_quat_angle(from.rotation, to.rotation));
    }
    return most;
}

/* From a frame on to the next one, so many moments are judged, each with the objects where they are then,
   that nothing goes farther against an object from one to the next than in a check. */
static bool collides_on_the_way(realiser* r, int frame, const hf_pose* a, const hf_pose* b, double travel,
                                const hf_collision_query* way, hf_collision* hit) {
    const hf_motion* m = r->motion;
    hf_collision_query query = *way;
    double from_s = m->frames[frame].time_s, to_s = m->frames[frame + 1].time_s;
    double wanted = fmin(fmax(1, ceil(travel / r->step_m)), MAX_MOMENTS);
    int moments = (int)wanted;
    hf_pose pose = {.q = r->between};
    for (int i = 0; i < moments; i++) {
        double t = (double)i / moments;
        hf_motion_place_at(m, from_s + t * (to_s - from_s), r->placement);
        hf_pose_between(r->creature, a, b, t, &pose);
        hf_forward(r->creature, &pose, r->links);
        // in the frame itself what touches from the next one on does not touch yet; its contacts come first
        query.touch_count = i > 0 ? way->touch_count : touching(m, frame);
        if (hf_collides(r->creature, r->placement, r->links, &query, hit)) return true;
    }
    return false;
}

/* What limbs carry in the next frame against all other objects, as often on the way there as in a check. The
   first frame is on no way, and tested by itself. */
static bool carried_collides(realiser* r, int frame, double travel) {
    const hf_motion_frame *f = &r->motion->frames[frame], *g = frame + 1 < r->motion->frame_count ? f + 1 : f;
    int moments = (int)fmin(fmax(1, ceil(travel / HF_STEP_M)), MAX_MOMENTS);
    bool hit = false;
    for (int i = frame > 0; i <= moments && !hit; i++) {
        hf_motion_place_at(r->motion, f->time_s + (g->time_s - f->time_s) * i / moments, r->placement);
        for (int k = 0; k < g->object_count && !hit; k++) {
            int object = hf_scene_find(r->scene, r->motion->objects[g->objects[k].object]);
            hit = object >= 0 && hf_carried_collides(&r->shapes[object], r->placement, object);
        }
    }
    return hit;
}

static hf_status look_for_collision(realiser* r, int frame) {
    const hf_motion_frame *f = &r->motion->frames[frame], *g = frame + 1 < r->motion->frame_count ? f + 1 : f;
    hf_pose a = {f->root, f->q}, b = {g->root, g->q};
    hf_collision_query query = hf_collision_query_default();
    query.touches = r->touches;
    query.touch_count = list_touches(r, frame);
    query.depth_m = HF_FRAME_DEPTH_M;
    query.touched_depth_m = HF_FRAME_TOUCH_DEPTH_M;
    query.step_m = HF_STEP_M;
    query.clearance = r->moves ? NULL : r->clearance;
    hf_clearance_know(r->clearance, r->poses ? &r->poses[frame] : NULL);
    hf_collision hit;
    bool collides = false;
    hf_status status = HF_OK;
    double bodies = r->moves && g > f ? body_travel(r, &a, &b) : 0;
    if (r->moves) hf_motion_place(r->motion, frame, r->placement);
    double objects = r->moves && g > f ? object_travel(r, frame) : 0;
    if (objects > 0)
        collides = collides_on_the_way(r, frame, &a, &b, bodies + objects, &query, &hit);
    else
        status = hf_move_collides(r->creature, r->placement, &a, &b, &query, r->workspace, &collides, &hit);
    if (status == HF_OK && collides) status = note(r, HF_FAULT_COLLIDES, frame, -1, &hit);
    if (status == HF_OK && (g > f || frame == 0) && g->object_count && carried_collides(r, frame, objects))
        status = note(r, HF_FAULT_CARRIED, frame, -1, NULL);
    return status;
}

/* The way from the frame before to the one that was written last, whose holds are r->now. */
static hf_status look_between(realiser* r, int frame) {
    const hf_motion_frame *f = &r->motion->frames[frame - 1], *g = &r->motion->frames[frame];
    hf_pose a = {f->root, f->q}, b = {g->root, g->q}, middle = {.q = r->between};
    hf_status status = HF_OK;
    if (hf_frames_speed(r->creature, r->schedule->rate, &a, &b) > HF_FRAME_SPEED)
        status = note(r, HF_FAULT_SPEED, frame - 1, -1, NULL);
    if (status != HF_OK || r->moves) return status;
    hf_pose_between(r->creature, &a, &b, 0.5, &middle);
    hf_forward(r->creature, &middle, r->links);
    for (int i = 0; i < r->now_count && status == HF_OK; i++)
        if (r->now[i].begun < frame &&
            !hf_frames_keep(r->creature, &r->now[i].world, &r->now[i].anchor, r->links))
            status = note(r, HF_FAULT_SLIPS, frame - 1, r->now[i].world.limb, NULL);
    return status;
}

/* ---- the whole ---- */

/* The last frame is at the last knot or, where that is between two frames, at the next one. */
static int frame_count_of(const hf_schedule* s) {
    return (int)ceil(s->knots[s->knot_count - 1].time_s * s->rate - SAME_S * s->rate) + 1;
}

/* Has the object of a hold a surface where the hold begins, and does it allow contact? */
static bool on_surface(const realiser* r, const hf_hold* h) {
    hf_surface near[MAX_NEAR];
    if (h->object < 0) return true;
    if (!hf_scene_object(r->scene, h->object).contact) return false;
    int n = hf_placement_within(r->placement, h->point, HF_TOUCH_M, near, MAX_NEAR);
    for (int i = 0; i < n && i < MAX_NEAR; i++)
        if (near[i].object == h->object) return true;
    return n > MAX_NEAR;
}

static bool has_limb(const hf_motion_frame* f, const hf_hold* h) {
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == h->limb) return true;
    return false;
}

/* Holds that begin with a frame are on their surfaces, and no second limb's hold begins or ends there. */
static hf_status look_at_change(realiser* r, int frame) {
    hf_status status = HF_OK;
    int changes = 0;
    const hf_motion_frame* now = &r->motion->frames[frame];
    for (int i = 0; i < r->now_count && status == HF_OK; i++) {
        if (r->now[i].begun != frame) continue;
        changes++;
        if (!on_surface(r, &r->now[i].world))
            status = note(r, HF_FAULT_SURFACE, frame, r->now[i].world.limb, NULL);
    }
    for (int i = 0; frame > 0 && i < now[-1].contact_count; i++)
        changes += !has_limb(now, &now[-1].contacts[i]);
    if (status == HF_OK && frame > 0 && changes > 1 && r->schedule->claims & HF_CLAIM_ONE_LIMB)
        status = note(r, HF_FAULT_ONE_LIMB, frame, -1, NULL);
    return status;
}

static hf_status make_frames(realiser* r, bool test) {
    const hf_schedule* s = r->schedule;
    hf_status status = HF_OK;
    int count = frame_count_of(s);
    for (int i = 0; i < count && status == HF_OK; i++) {
        double time_s = i / s->rate, at_s = fmin(time_s, s->knots[s->knot_count - 1].time_s);
        hf_pose pose;
        if (r->moves) hf_placement_set_time(r->placement, time_s);
        bool on_knot = pose_at(r, at_s, &pose);
        hf_frames_keep_range(r->creature, pose.q);
        move_carried(r, &pose, at_s);
        bool changed = list_holds(r, i, at_s, &pose) || i == 0;
        status = list_riders(r);
        if (status == HF_OK) status = rehold(r, i, test, &pose);
        if (status == HF_OK) status = write_frame(r, time_s, &pose, on_knot && s->knots[r->knot].stance);
        if (status == HF_OK && test && changed) status = look_at_change(r, i);
        if (status == HF_OK && test) status = push(r, i - 1, count);
        if (status == HF_OK) {
            hf_forward(r->creature, &pose, r->links);
            status = weigh(r, changed, test, i);
            if (status == HF_OK && test) status = look_at_pressed(r, i);
        }
        if (status == HF_OK && test && !hf_pose_within_limits(r->creature, pose.q, HF_LIMIT))
            status = note(r, HF_FAULT_LIMITS, i, -1, NULL);
        if (status == HF_OK && test && !hf_pose_within_rom(r->creature, pose.q, HF_ROM_BETWEEN_RAD))
            status = note(r, HF_FAULT_RANGE, i, -1, NULL);
        if (status == HF_OK && test && i > 0) status = look_between(r, i);
    }
    for (int i = 0; i < count && status == HF_OK && test; i++) status = look_for_collision(r, i);
    return status;
}

static hf_status copy_names(realiser* r) {
    hf_motion* m = r->motion;
    const hf_schedule* s = r->schedule;
    m->claims = s->claims;
    char* outcome = hf_copy_text(s->outcome);
    char* scenario = s->scenario ? hf_copy_text(s->scenario) : NULL;
    if (!outcome || (s->scenario && !scenario)) {
        hf_free(outcome);
        hf_free(scenario);
        return HF_ERROR_MEMORY;
    }
    hf_free(m->outcome);
    m->outcome = outcome;
    m->scenario = scenario;
    return HF_OK;
}

static int by_frame(const void* a, const void* b) {
    const hf_frame_fault *x = a, *y = b;
    return x->frame != y->frame ? x->frame - y->frame : (int)x->kind - (int)y->kind;
}

/* The motion claims only what it keeps. */
static void drop_claims(realiser* r) {
    static const unsigned broken[] = {HF_CLAIM_COLLISION, HF_CLAIM_ROM,      HF_CLAIM_CONTACTS,
                                      HF_CLAIM_SPEED,     HF_CLAIM_BALANCE,  HF_CLAIM_DYNAMIC,
                                      HF_CLAIM_LIMITS,    HF_CLAIM_CONTACTS, HF_CLAIM_ONE_LIMB,
                                      HF_CLAIM_COLLISION, HF_CLAIM_CONTACTS};
    r->result->outcome = r->result->fault_count ? HF_PARTIAL : HF_FOUND;
    if (r->result->fault_count)
        qsort(r->result->faults, (size_t)r->result->fault_count, sizeof *r->result->faults, by_frame);
    for (int i = 0; i < r->result->fault_count; i++) r->motion->claims &= ~broken[r->result->faults[i].kind];
}

/* The shapes of what limbs take along. */
static hf_status make_shapes(realiser* r) {
    int count = r->scene ? hf_scene_object_count(r->scene) : 0;
    hf_status status = HF_OK;
    r->shapes = hf_alloc((size_t)count + 1, sizeof *r->shapes);
    r->going = hf_workspace_take(r->workspace, (size_t)count + 1, sizeof *r->going);
    r->held = hf_workspace_take(r->workspace, (size_t)count + 1, sizeof *r->held);
    r->rides = hf_workspace_take(r->workspace, (size_t)count + 1, sizeof *r->rides);
    if (!r->shapes || !r->going || !r->held || !r->rides) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) r->going[i] = (going){.on = -1};
    for (int i = 0; i < r->schedule->hold_count && status == HF_OK; i++) {
        const hf_schedule_hold* h = &r->schedule->holds[i];
        if (takes_along(r, h, NAN) && !r->shapes[h->hold.object].made)
            status = hf_object_shape_make(r->scene, h->hold.object, &r->shapes[h->hold.object], NULL);
    }
    return status;
}

static void free_shapes(realiser* r) {
    int count = r->scene && r->shapes ? hf_scene_object_count(r->scene) : 0;
    for (int i = 0; i < count; i++) hf_object_shape_free(&r->shapes[i]);
    hf_free(r->shapes);
}

static hf_status take_memory(realiser* r) {
    const hf_creature_view* v = &r->creature->view;
    hf_workspace* w = r->workspace;
    size_t q = (size_t)v->q_count + 1, limbs = (size_t)v->limb_count + 1;
    r->links = hf_workspace_take(w, (size_t)v->link_count, sizeof *r->links);
    r->others = hf_workspace_take(w, (size_t)v->link_count, sizeof *r->others);
    r->q = hf_workspace_take(w, q, sizeof *r->q);
    r->between = hf_workspace_take(w, q, sizeof *r->between);
    r->now = hf_workspace_take(w, limbs, sizeof *r->now);
    r->touches = hf_workspace_take(w, 2 * limbs, sizeof *r->touches);
    r->supports = hf_workspace_take(w, limbs, sizeof *r->supports);
    if (!r->links || !r->others || !r->q || !r->between || !r->now || !r->touches || !r->supports)
        return HF_ERROR_MEMORY;
    r->moves = hf_scene_moves(r->scene);
    for (int i = 0; i < r->schedule->hold_count; i++) r->moves |= takes_along(r, &r->schedule->holds[i], NAN);
    hf_status status = make_shapes(r);
    if (status == HF_OK) status = hf_placement_create(r->scene, &r->placement);
    if (status == HF_OK) status = hf_clearance_create(r->creature, &r->clearance);
    r->step_m = HF_STEP_M;
    for (int i = 0; i < r->creature->view.body_count; i++)
        r->step_m = hf_body_step(&r->creature->bounds[i], r->step_m, HF_FRAME_DEPTH_M);
    if (status == HF_OK) status = hf_stance_create(&r->stance);
    if (status == HF_OK && r->moves) status = hf_stance_create(&r->pressing);
    return status == HF_OK ? hf_motion_create(r->creature, r->scene, &r->motion) : status;
}

hf_status hf_realise_near(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                          const hf_clear_pose* poses, const hf_realise_options* options,
                          hf_workspace* workspace, hf_motion** motion, hf_realise_result* result) {
    HF_REQUIRE(NULL, creature && schedule && options && workspace && motion && result);
    *motion = NULL;
    result->fault_count = 0;
    result->outcome = HF_NONE;
    hf_status status = hf_schedule_validate(schedule, creature, scene, NULL);
    if (status != HF_OK) return status;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    realiser r = {.creature = creature,
                  .scene = scene,
                  .schedule = schedule,
                  .workspace = workspace,
                  .poses = poses,
                  .result = result};
    status = take_memory(&r);
    if (status == HF_OK) status = copy_names(&r);
    if (status == HF_OK) status = make_frames(&r, options->test);
    if (status == HF_OK) drop_claims(&r);
    free_shapes(&r);
    hf_placement_free(r.placement);
    hf_clearance_free(r.clearance);
    hf_stance_free(r.stance);
    hf_stance_free(r.pressing);
    hf_workspace_end(workspace, mark);
    if (status == HF_OK)
        *motion = r.motion;
    else
        hf_motion_free(r.motion);
    return status;
}

hf_status hf_realise(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                     const hf_realise_options* options, hf_workspace* workspace, hf_motion** motion,
                     hf_realise_result* result) {
    return hf_realise_near(creature, scene, schedule, NULL, options, workspace, motion, result);
}
