/* Places of a limb without joints (a seat): the whole body goes there with it. Points of the surfaces around
   where the body would be if the phase were not held are tried in frames of the phase: do the limbs that
   hold there still get to their holds, and is the body free? */
#include "adapt/cuts.h"
#include "adapt/places.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/solve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points are looked for as far sideways, above and below, m, so far apart, on surfaces that are so much alike
   in their normals (cosine of 15 degrees). */
static const double WIDE_M = 0.3, HIGH_M = 0.35, STEP_M = 0.05, ALIKE = 0.966;
/* Points in a column, and frames of the phase that are tried. */
enum { LAYERS = 4, FRAMES = 3 };
/* Bodies that are as deep in something make a frame half as good, m. */
static const double DEEP_M = 0.02;
/* A place this far from where the body would be is as good as a nearer one that is good for so much less of
   the phase: share for each m. */
static const double FAR_SHARE = 0.5;

typedef struct seat_search {
    hf_places* places;
    hf_bend* bend;
    int phase, limb, frame; /* frame: of the contact */
    hf_vec3 wish, normal;   /* where the contact would be, and the surface's normal in the opened motion */
    hf_transform link;      /* of the contact, as it would lie where the phase's object went */
    hf_transform* links;
    double* q;
    hf_hold* touches;
    hf_cuts cuts;
} seat_search;

static int middle_of(const hf_source_phase* p) { return (p->first + p->last) / 2; }

/* What the contact of the opened motion would have without the phase. */
static void find_wish(seat_search* x) {
    hf_bend* b = x->bend;
    const hf_source* s = b->source;
    const hf_source_phase* p = &s->phases[x->phase];
    const hf_contact_frame* c = &s->creature->view.limbs[x->limb].contacts[x->frame];
    int middle = middle_of(p);
    hf_transform was = hf_source_tip(s, middle, x->limb);
    hf_transform now = hf_compose(b->roots[middle], hf_compose(hf_inverse(s->roots[middle]), was));
    x->wish = hf_apply(now, c->offset);
    x->normal = hf_rotate(p->object.rotation, p->hold.normal);
    hf_phase_plan plan = b->phases[x->phase];
    hf_bend_plan(b, x->phase);
    x->link = hf_bend_link(b, x->phase, middle);
    b->phases[x->phase] = plan;
}

/* Does the body of a link collide because of the seat? Limbs that hold nothing can still go elsewhere. */
static bool matters(const seat_search* x, int link, int f) {
    int limb = link < 0 ? -1 : hf_link_limb(x->bend->source->creature, link);
    return limb < 0 || hf_bend_holds(x->bend, f, limb) >= 0;
}

/* How deep bodies are in the scene and in each other, in all, m. */
static hf_status depth_of(seat_search* x, const hf_collision_query* query, int f, double* depth) {
    hf_bend* b = x->bend;
    x->cuts.count = 0;
    *depth = 0;
    hf_status status = hf_cuts_find(b->source->creature, b->placement, x->links, query, 0, 0, 0, &x->cuts);
    for (int i = 0; i < x->cuts.count && status == HF_OK; i++) {
        const hf_cut* c = &x->cuts.items[i];
        hf_vec3 other = c->against < 0 ? c->other : hf_apply(x->links[c->against], c->other);
        hf_vec3 off = hf_sub(hf_apply(x->links[c->link], c->at), other);
        if (matters(x, c->link, f) && matters(x, c->against, f))
            *depth += fmax(0, c->least - hf_dot(c->normal, off));
    }
    return status;
}

/* How good a frame is with the body on its new seat, 0 to 1: how many of the limbs that hold get to their
   holds, and how free the body is then. */
static hf_status try_frame(seat_search* x, int f, double* good) {
    hf_bend* b = x->bend;
    const hf_source* s = b->source;
    const hf_creature_view* v = &s->creature->view;
    hf_transform seat = hf_bend_link(b, x->phase, f), was = hf_source_tip(s, f, x->limb);
    hf_pose pose = {hf_compose(seat, hf_compose(hf_inverse(was), s->roots[f])), x->q};
    hf_collision_query query = hf_collision_query_default();
    hf_status status = HF_OK;
    int reached = 1, all = 1;
    memcpy(x->q, b->q + (size_t)f * (size_t)s->q_count, sizeof *x->q * (size_t)s->q_count);
    hf_placement_set_time(b->placement, f / s->schedule->rate);
    hf_forward(s->creature, &pose, x->links);
    for (int limb = 0; limb < s->limb_count && status == HF_OK; limb++) {
        int p = hf_bend_holds(b, f, limb);
        if (p < 0) continue;
        x->touches[query.touch_count++] =
            hf_hold_in_world(b->phases[p].hold, hf_object_pose(b->placement, b->phases[p].hold.object));
        if (v->limbs[limb].joint_count == 0) continue;
        hf_target target = hf_bend_target(b, f, limb);
        hf_solve_options o = hf_solve_options_default();
        o.max_starts = 2;
        o.posture = s->q + (size_t)f * (size_t)s->q_count;
        hf_solve_result r;
        status = hf_limb_solve(s->creature, &x->links[v->limbs[limb].base_link], &target, &o, b->workspace,
                               x->q, &r);
        reached += r.position_error_m <= HF_HELD_M && r.angle_error_rad <= HF_HELD_RAD, all++;
    }
    query.touches = x->touches;
    hf_forward(s->creature, &pose, x->links);
    double depth = 0;
    if (status == HF_OK) status = depth_of(x, &query, f, &depth);
    *good = (double)reached / all / (1 + depth / DEEP_M);
    return status;
}

/* The mean over some frames of the phase. */
static hf_status try_frames(seat_search* x, hf_place* place) {
    const hf_source_phase* p = &x->bend->source->phases[x->phase];
    hf_phase_plan plan = x->bend->phases[x->phase], *now = &x->bend->phases[x->phase];
    hf_status status = HF_OK;
    double sum = 0, good;
    now->mode = HF_PHASE_ELSEWHERE;
    now->hold = place->hold, now->local = place->local, now->first = place->first, now->last = place->last;
    for (int i = 0; i < FRAMES && status == HF_OK; i++) {
        status = try_frame(x, p->first + (2 * i + 1) * (p->last - p->first) / (2 * FRAMES), &good);
        sum += good;
    }
    *now = plan;
    hf_placement_set_time(x->bend->placement, middle_of(p) / x->bend->source->schedule->rate);
    place->h2 = sum / FRAMES;
    return status;
}

static hf_status add_place(seat_search* x, const hf_surface* at) {
    hf_bend* b = x->bend;
    hf_places* list = x->places;
    const hf_source_phase* p = &b->source->phases[x->phase];
    const hf_contact_frame* c = &b->source->creature->view.limbs[x->limb].contacts[x->frame];
    hf_transform object = hf_object_pose(b->placement, at->object);
    hf_hold hold = {x->limb, x->frame, at->object, false, at->point, at->normal};
    hf_quat own = x->link.rotation;
    hf_transform link = {
        .rotation = hf_quat_mul(hf_quat_between(hf_rotate(own, c->normal), hf_neg(at->normal)), own)};
    link.position =
        hf_sub(hf_add(at->point, hf_scale(at->normal, c->ball)), hf_rotate(link.rotation, c->offset));
    hf_place place = {.hold = hf_hold_in_object(hold, object),
                      .local = hf_compose(hf_inverse(object), link),
                      .first = p->first,
                      .last = p->last,
                      .h1 = 1}; // the same body bears on the same contact
    hf_status status = try_frames(x, &place);
    place.score = place.h2 - FAR_SHARE * hf_distance(x->wish, at->point);
    if (status != HF_OK) return status;
    if (!HF_GROW(list->items, list->capacity, list->count)) return HF_ERROR_MEMORY;
    list->items[list->count++] = place;
    return HF_OK;
}

/* Surfaces of one column, from above. */
static hf_status add_column(seat_search* x, hf_vec3 foot) {
    const hf_scene* scene = hf_placement_scene(x->bend->placement);
    hf_vec3 down = hf_neg(x->normal), from = hf_add(foot, hf_scale(x->normal, HIGH_M));
    double left = 2 * HIGH_M;
    hf_status status = HF_OK;
    hf_surface hit;
    for (int i = 0; i < LAYERS && status == HF_OK; i++) {
        if (!hf_placement_ray(x->bend->placement, from, down, left, &hit)) break;
        bool contact = hf_scene_object(scene, hit.object).contact;
        if (contact && hf_dot(hit.normal, x->normal) > ALIKE) status = add_place(x, &hit);
        double gone = hf_dot(hf_sub(hit.point, from), down) + HF_TOUCH_M;
        from = hf_add(from, hf_scale(down, gone)), left -= gone;
    }
    return status;
}

static hf_status add_columns(seat_search* x) {
    int steps = (int)(WIDE_M / STEP_M);
    hf_vec3 along = fabs(x->normal.x) < 0.9 ? hf_v3(1, 0, 0) : hf_v3(0, 1, 0);
    hf_vec3 side = hf_normalize(hf_cross(x->normal, along)), front = hf_cross(x->normal, side);
    hf_status status = HF_OK;
    for (int i = -steps; i <= steps && status == HF_OK; i++)
        for (int k = -steps; k <= steps && status == HF_OK; k++) {
            if (i * i + k * k > steps * steps || !hf_workspace_goes_on_often(x->bend->workspace)) continue;
            hf_vec3 off = hf_add(hf_scale(side, i * STEP_M), hf_scale(front, k * STEP_M));
            status = add_column(x, hf_add(x->wish, off));
        }
    return status;
}

hf_status hf_seat_places_find(hf_places* places, hf_bend* b, int phase) {
    const hf_source* s = b->source;
    const hf_creature_view* v = &s->creature->view;
    const hf_hold* hold = &s->phases[phase].hold;
    seat_search x = {.places = places, .bend = b, .phase = phase, .limb = hold->limb, .frame = hold->frame};
    hf_workspace_mark mark = hf_workspace_begin(b->workspace);
    x.links = hf_workspace_take(b->workspace, (size_t)v->link_count, sizeof *x.links);
    x.q = hf_workspace_take(b->workspace, (size_t)s->q_count + 1, sizeof *x.q);
    x.touches = hf_workspace_take(b->workspace, (size_t)v->limb_count + 1, sizeof *x.touches);
    hf_status status = x.links && x.q && x.touches ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        hf_placement_set_time(b->placement, middle_of(&s->phases[phase]) / s->schedule->rate);
        find_wish(&x);
        status = add_columns(&x);
    }
    hf_free(x.cuts.items);
    hf_workspace_end(b->workspace, mark);
    return status;
}
