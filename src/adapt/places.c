/* Candidates of new contacts: contact queries at the middle of the phase, in the order of h = w h1 + (1 - w)
   h2 (contact-repositioning-2016 equations 11 to 14). A likeness over 1 (more force than the original needs)
   counts as 1. */
#include "adapt/places.h"

#include "adapt/profile.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/samples.h>
#include <holdfast/solve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates are this share of the limb's length apart: enough of them to see every surface within reach. */
static const double APART_SHARE = 0.08;
/* Places of a limb without joints are so far apart, m. */
static const double SEATS_APART_M = 0.08;
/* Candidates that a query finishes at most. */
enum { MAX_TESTS = 400 };

/* ---- what a limb can do ---- */

static void free_limb(hf_limb_places* l) {
    for (int i = 0; i < l->frame_count; i++) {
        if (l->samples) hf_samples_free(l->samples[i]);
        if (l->reach) hf_reach_shell_free(l->reach[i]);
    }
    hf_free(l->samples);
    hf_free(l->reach);
    memset(l, 0, sizeof *l);
}

void hf_places_free(hf_places* p, const hf_creature* creature) {
    for (int i = 0; p->samples && i < creature->view.limb_count; i++) free_limb(&p->samples[i]);
    hf_free(p->samples);
    hf_contact_answer_free(p->answer);
    hf_free(p->items);
    memset(p, 0, sizeof *p);
}

static hf_status make_limb(hf_limb_places* l, const hf_creature* c, int limb, const hf_adapt_options* o) {
    int n = c->view.limbs[limb].contact_count;
    l->frame_count = n;
    l->samples = hf_alloc((size_t)n + 1, sizeof *l->samples);
    l->reach = hf_alloc((size_t)n + 1, sizeof *l->reach);
    hf_status status = l->samples && l->reach ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < n && status == HF_OK; i++) {
        hf_sample_options so = hf_sample_options_default();
        so.count = o->samples, so.contact = i, so.seed = o->seed;
        status = hf_samples_build(c, limb, &so, &l->samples[i], NULL);
        if (status == HF_OK) status = hf_reach_shell_create(c, limb, i, &l->reach[i], NULL);
    }
    l->made = status == HF_OK;
    return status;
}

/* ---- durations ---- */

/* The share of the phase in which the reach shell holds the point (equation 12); the trunk's joints stay as
   in the middle. All of the phase is tried: the limb solver then says which frames about the middle remain.
 */
static void window_of(const hf_bend* b, const hf_limb_places* l, const hf_hold* hold, int phase, int middle,
                      hf_transform base, hf_place* place) {
    const hf_source_phase* p = &b->source->phases[phase];
    hf_transform in_root = hf_compose(hf_inverse(b->roots[middle]), base);
    int held = 0;
    for (int f = p->first; f <= p->last; f++)
        held += hf_reach_shell_holds(l->reach[hold->frame],
                                     hf_unapply(hf_compose(b->roots[f], in_root), hold->point));
    place->first = p->first, place->last = p->last;
    place->h2 = (double)held / (p->last - p->first + 1);
}

/* ---- candidates ---- */

typedef struct search {
    hf_places* places;
    hf_bend* bend;
    const hf_adapt_options* options;
    int phase, middle, limb;
    hf_transform *was, *links; /* links of the opened posture, and scratch */
    double *jacobian, *q;
    hf_hold* touches;
    int touch_count;
    hf_profile original;
} search;

static double friction_of(const hf_scene* scene, int object) {
    return object >= 0 ? hf_scene_object(scene, object).friction : 0.5;
}

static void find_profile(search* x) {
    const hf_source* s = x->bend->source;
    const hf_source_phase* p = &s->phases[x->phase];
    hf_pose pose = hf_source_pose(s, x->middle);
    hf_forward(s->creature, &pose, x->was);
    hf_transform object = p->hold.object >= 0 ? hf_relation_pose(x->bend->relation, x->middle, p->hold.object)
                                              : hf_transform_identity();
    hf_hold world = hf_hold_in_world(p->hold, object);
    hf_profile_query q = {s->creature, x->limb,      x->was,
                          world.point, world.normal, friction_of(s->scene, p->hold.object),
                          x->jacobian};
    x->original = hf_profile_of(&q);
}

/* A patch keeps the heading of the opened motion where the limb can: its link is turned the least way onto
   the surface. */
static hf_status turn_least(search* x, const hf_contact* c) {
    hf_bend* b = x->bend;
    const hf_source* s = b->source;
    const hf_limb* l = &s->creature->view.limbs[x->limb];
    const hf_contact_frame* f = &l->contacts[c->hold.frame];
    memcpy(x->q, c->q, sizeof *x->q * (size_t)s->q_count);
    hf_pose pose = {b->roots[x->middle], x->q};
    hf_forward(s->creature, &pose, x->links);
    if (c->hold.grip || f->ball > 0 || !(f->patch[0] > 0 || f->patch[1] > 0)) return HF_OK;
    hf_quat was = x->was[f->link].rotation;
    hf_quat to = hf_quat_mul(hf_quat_between(hf_rotate(was, f->normal), hf_neg(c->hold.normal)), was);
    hf_target target = {.kind = HF_TARGET_POSE,
                        .limb = x->limb,
                        .contact = c->hold.frame,
                        .point = c->hold.point,
                        .normal = c->hold.normal,
                        .rotation = to,
                        .held = true};
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 4;
    o.posture = s->q + (size_t)x->middle * (size_t)s->q_count;
    hf_solve_result r;
    hf_status status =
        hf_limb_solve(s->creature, &x->links[l->base_link], &target, &o, b->workspace, x->q, &r);
    if (status != HF_OK) return status;
    hf_forward(s->creature, &pose, x->links);
    hf_collision_query query = hf_collision_query_default();
    x->touches[x->touch_count] = c->hold;
    query.touches = x->touches, query.touch_count = x->touch_count + 1, query.limb = x->limb;
    bool good = r.outcome == HF_FOUND && !hf_collides(s->creature, b->placement, x->links, &query, NULL);
    if (good) return HF_OK;
    memcpy(x->q, c->q, sizeof *x->q * (size_t)s->q_count);
    hf_forward(s->creature, &pose, x->links);
    return HF_OK;
}

static hf_status add_place(search* x, const hf_contact* c) {
    hf_places* p = x->places;
    hf_bend* b = x->bend;
    const hf_source* s = b->source;
    if (!HF_GROW(p->items, p->capacity, p->count)) return HF_ERROR_MEMORY;
    hf_status status = turn_least(x, c);
    if (status != HF_OK) return status;
    hf_place* place = &p->items[p->count++];
    hf_transform object = hf_object_pose(b->placement, c->hold.object);
    hf_transform link = x->links[s->creature->view.limbs[x->limb].contacts[c->hold.frame].link];
    hf_profile_query q = {s->creature,   x->limb,        x->links,
                          c->hold.point, c->hold.normal, friction_of(b->scene, c->hold.object),
                          x->jacobian};
    *place =
        (hf_place){.hold = hf_hold_in_object(c->hold, object), .local = hf_compose(hf_inverse(object), link)};
    place->h1 = hf_profile_likeness(&x->original, &q);
    window_of(b, &p->samples[x->limb], &c->hold, x->phase, x->middle,
              hf_limb_base(s->creature, x->limb, x->links), place);
    place->score = x->options->weight * fmin(place->h1, 1) + (1 - x->options->weight) * place->h2;
    return HF_OK;
}

static int by_score(const void* a, const void* b) {
    const hf_place *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return memcmp(&x->hold.point, &y->hold.point, sizeof x->hold.point);
}

/* Candidates that a limb grips or stands on. */
static hf_status ask(search* x, hf_role role, hf_contact_why* why) {
    hf_bend* b = x->bend;
    const hf_source* s = b->source;
    hf_places* p = x->places;
    const hf_source_phase* phase = &s->phases[x->phase];
    hf_contact_query q = hf_contact_query_default();
    q.pose = (hf_pose){b->roots[x->middle], b->q + (size_t)x->middle * (size_t)s->q_count};
    q.limb = x->limb;
    q.role = role;
    // the force that the original contact gave most of comes out of its surface; who leans is held up
    q.direction = phase->hold.grip && role == HF_ROLE_SUPPORT
                      ? hf_v3(0, 0, 1)
                      : hf_rotate(phase->object.rotation, phase->hold.normal);
    q.count = x->options->candidates;
    q.apart_m = APART_SHARE * s->creature->view.limbs[x->limb].length;
    q.max_tests = MAX_TESTS;
    q.touches = x->touches, q.touch_count = x->touch_count;
    hf_status status = hf_contact_find(s->creature, (const hf_samples* const*)p->samples[x->limb].samples,
                                       b->placement, &q, b->workspace, p->answer);
    *why = p->answer->why;
    for (int i = 0; i < p->answer->contact_count && status == HF_OK; i++)
        status = add_place(x, &p->answer->contacts[i]);
    if (p->count > 0) qsort(p->items, (size_t)p->count, sizeof *p->items, by_score);
    return status;
}

/* Of the places of a seat, best first, those that are SEATS_APART_M from all better ones. */
static void keep_apart(hf_places* p, int most) {
    int kept = 0;
    if (p->count > 0) qsort(p->items, (size_t)p->count, sizeof *p->items, by_score);
    for (int i = 0; i < p->count && kept < most; i++) {
        bool apart = true;
        for (int k = 0; k < kept && apart; k++)
            apart = p->items[k].hold.object != p->items[i].hold.object ||
                    hf_distance(p->items[k].hold.point, p->items[i].hold.point) >= SEATS_APART_M;
        if (apart) p->items[kept++] = p->items[i];
    }
    p->count = kept;
}

static void list_touches(search* x) {
    const hf_bend* b = x->bend;
    for (int limb = 0; limb < b->source->limb_count; limb++) {
        int p = hf_bend_holds(b, x->middle, limb);
        if (p < 0 || limb == x->limb) continue;
        x->touches[x->touch_count++] =
            hf_hold_in_world(b->phases[p].hold, hf_object_pose(b->placement, b->phases[p].hold.object));
    }
}

hf_status hf_places_find(hf_places* places, hf_bend* b, const hf_adapt_options* options, int phase,
                         hf_contact_why* why) {
    const hf_source* s = b->source;
    const hf_creature_view* v = &s->creature->view;
    search x = {.places = places,
                .bend = b,
                .options = options,
                .phase = phase,
                .limb = s->phases[phase].hold.limb,
                .middle = (s->phases[phase].first + s->phases[phase].last) / 2};
    places->count = 0;
    *why = HF_CONTACT_OUT_OF_REACH;
    hf_status status = HF_OK;
    if (v->limbs[x.limb].joint_count == 0) {
        status = hf_seat_places_find(places, b, phase);
        keep_apart(places, options->candidates);
        return status;
    }
    if (!places->samples[x.limb].made) {
        free_limb(&places->samples[x.limb]);
        status = make_limb(&places->samples[x.limb], s->creature, x.limb, options);
    }
    if (status == HF_OK && !places->answer)
        status = hf_contact_answer_create(s->creature, options->candidates, &places->answer);
    hf_workspace_mark mark = hf_workspace_begin(b->workspace);
    x.was = hf_workspace_take(b->workspace, (size_t)v->link_count, sizeof *x.was);
    x.links = hf_workspace_take(b->workspace, (size_t)v->link_count, sizeof *x.links);
    x.jacobian = hf_workspace_take(b->workspace, 3 * (size_t)v->v_count, sizeof *x.jacobian);
    x.q = hf_workspace_take(b->workspace, (size_t)s->q_count + 1, sizeof *x.q);
    x.touches = hf_workspace_take(b->workspace, (size_t)v->limb_count + 1, sizeof *x.touches);
    if (status == HF_OK && !(x.was && x.links && x.jacobian && x.q && x.touches)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) {
        hf_placement_set_time(b->placement, x.middle / s->schedule->rate);
        list_touches(&x);
        find_profile(&x);
        bool grip = s->phases[phase].hold.grip;
        status = ask(&x, grip ? HF_ROLE_GRIP : HF_ROLE_SUPPORT, why);
        // a hand that finds nothing to grip leans on something
        if (status == HF_OK && grip && places->count == 0) status = ask(&x, HF_ROLE_SUPPORT, why);
    }
    hf_workspace_end(b->workspace, mark);
    return status;
}

/* ---- blame ---- */

static bool differs(const hf_bend* b, int phase) {
    const hf_source_phase* p = &b->source->phases[phase];
    return b->phases[phase].mode != HF_PHASE_HELD ||
           (p->hold.object >= 0 && b->moved->changed[p->hold.object]);
}

/* Frames of a phase with the swings before and after it. */
static bool about(const hf_bend* b, int phase, int frame) {
    const hf_source* s = b->source;
    const hf_source_phase* p = &s->phases[phase];
    int n = s->limb_count, limb = p->hold.limb;
    if (frame >= p->first && frame <= p->last) return true;
    int step = frame < p->first ? 1 : -1;
    for (int f = frame; f != (step > 0 ? p->first : p->last); f += step)
        if (s->phase_at[f * n + limb] >= 0) return false;
    return true;
}

bool hf_places_blames(const hf_bend* b, const hf_frame_fault* f, int phase) {
    const hf_source_phase* p = &b->source->phases[phase];
    bool inside = f->frame >= p->first - 1 && f->frame <= p->last;
    int limb = p->hold.limb;
    if (hf_source_between(p)) return false;
    // who sits goes where the seat is, with all limbs
    if (b->source->creature->view.limbs[limb].joint_count == 0 && f->kind != HF_FAULT_SPEED)
        return inside && (differs(b, phase) || f->limb == limb);
    switch (f->kind) {
    case HF_FAULT_SLIPS:
    case HF_FAULT_SURFACE:
        return inside && f->limb == limb;
    case HF_FAULT_COLLIDES: {
        const hf_body* bodies = b->source->creature->view.bodies;
        int one = hf_link_limb(b->source->creature, bodies[f->collision.body].link);
        int other = f->collision.other_body < 0
                        ? -1
                        : hf_link_limb(b->source->creature, bodies[f->collision.other_body].link);
        return (one == limb || other == limb) && about(b, phase, f->frame) && (inside || differs(b, phase));
    }
    case HF_FAULT_SPEED:
        return false; // more time heals it
    case HF_FAULT_BALANCE:
        return inside && differs(b, phase);
    default:
        return about(b, phase, f->frame) && differs(b, phase);
    }
}
