/* Stances of a schedule's phases. */
#include "refine/stance_list.h"

#include "balance/bearing.h"
#include "balance/stance.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <string.h>

static hf_status begin_holds(const hf_creature* c, const hf_placement* placement, const hf_schedule* s,
                             hf_pose_spline* spline, hf_workspace* w, hf_stance_list* list) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_pose pose = {.q = hf_workspace_take(w, (size_t)c->view.q_count + 1, sizeof(double))};
    hf_transform* links = hf_workspace_take(w, (size_t)c->view.link_count, sizeof *links);
    hf_status status = pose.q && links ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < s->hold_count && status == HF_OK; i++) {
        hf_pose_spline_at(spline, s->holds[i].from_s, &pose);
        hf_forward(c, &pose, links);
        hf_held_begin(c, placement, &s->holds[i].hold, links, &list->held[i]);
    }
    hf_workspace_end(w, mark);
    return status;
}

/* Many patches have more halfspaces than are worth keeping. Their middles alone have few, and what the
   middles bear the patches bear, too. False when there is no patch. */
static bool shrink_patches(hf_support* supports, int count) {
    bool any = false;
    for (int i = 0; i < count; i++) {
        hf_support* s = &supports[i];
        if (s->corner_count < 2 || s->grip) continue;
        hf_vec3 sum = {0, 0, 0};
        for (int k = 0; k < s->corner_count; k++) sum = hf_add(sum, s->corners[k]);
        s->corners[0] = hf_scale(sum, 1.0 / s->corner_count);
        s->corner_count = 1;
        any = true;
    }
    return any;
}

/* ---- the store ---- */

typedef struct stored_stance {
    int count, holds[HF_STANCE_SUPPORTS]; /* of the whole schedule, in the order of the schedule */
    hf_stance* stance;
} stored_stance;

struct hf_stance_store {
    int count, capacity;
    stored_stance* items;
    bool* spares; /* of each hold of the whole schedule: its patch counts as far as the effector's own joints
                     bear the body */
};

static hf_stance* look_up(const hf_stance_store* store, const int* holds, int count) {
    for (int i = 0; i < store->count; i++)
        if (store->items[i].count == count &&
            memcmp(store->items[i].holds, holds, sizeof *holds * (size_t)count) == 0)
            return store->items[i].stance;
    return NULL;
}

static hf_status build(const hf_creature* c, hf_support* supports, int count, hf_workspace* w,
                       hf_stance** stance) {
    hf_stance_options o = hf_stance_options_default();
    o.polytope = true;
    hf_status status = hf_stance_create(stance);
    if (status == HF_OK) status = hf_stance_build(*stance, supports, count, c->view.mass, &o, w);
    if (status != HF_OK || (*stance)->polytope.known || !shrink_patches(supports, count)) return status;
    return hf_stance_build(*stance, supports, count, c->view.mass, &o, w);
}

static hf_support support_of(const hf_creature* c, const hf_held* held, bool spares) {
    hf_support s = held->support;
    if (spares) hf_support_spare_joints(c, &held->world, &held->anchor, 0, &s);
    return s;
}

hf_status hf_stance_list_find(const hf_creature* c, const hf_stance_list* list, const int* hold_of,
                              const int* holds, int count, hf_workspace* w, hf_stance** stance) {
    hf_stance_store* store = list->store;
    stored_stance s = {.count = count};
    hf_support supports[HF_STANCE_SUPPORTS];
    for (int i = 0; i < count; i++) {
        s.holds[i] = hold_of ? hold_of[holds[i]] : holds[i];
        supports[i] = support_of(c, &list->held[holds[i]], store->spares[s.holds[i]]);
    }
    *stance = look_up(store, s.holds, count);
    if (*stance) return HF_OK;
    if (!HF_GROW(store->items, store->capacity, store->count)) return HF_ERROR_MEMORY;
    hf_status status = build(c, supports, count, w, &s.stance);
    store->items[store->count++] = s;
    *stance = s.stance;
    return status;
}

/* ---- lists ---- */

/* The holds that last at a time; more than a stance may have count one too many. */
static int holds_at(const hf_schedule* s, double time_s, int holds[HF_STANCE_SUPPORTS]) {
    int count = 0;
    for (int i = 0; i < s->hold_count && count <= HF_STANCE_SUPPORTS; i++) {
        if (s->holds[i].from_s > time_s || s->holds[i].to_s < time_s) continue;
        if (count < HF_STANCE_SUPPORTS) holds[count] = i;
        count++;
    }
    return count;
}

/* The stance of the holds that last in the middle of a phase. */
static hf_status add_stance(const hf_creature* c, const hf_schedule* s, const int* hold_of, double middle_s,
                            hf_stance_list* list, hf_workspace* w) {
    int holds[HF_STANCE_SUPPORTS], count = holds_at(s, middle_s, holds);
    if (count > HF_STANCE_SUPPORTS) return HF_ERROR_LIMIT;
    for (int i = 0; i < count; i++)
        list->limbs[(size_t)list->count * (size_t)list->limb_count + (size_t)s->holds[holds[i]].hold.limb] =
            1;
    list->bearing[list->count] = count;
    return hf_stance_list_find(c, list, hold_of, holds, count, w, &list->stances[list->count++]);
}

static hf_status list_stances(const hf_creature* c, const hf_schedule* s, const int* hold_of,
                              const hf_parts* phases, hf_workspace* w, hf_stance_list* list) {
    size_t n = (size_t)phases->count, limbs = (size_t)c->view.limb_count;
    list->bearing = hf_workspace_take(w, n, sizeof *list->bearing);
    list->limbs = hf_workspace_take(w, n * limbs + 1, 1);
    list->stances = hf_workspace_take(w, n + 1, sizeof *list->stances);
    if (!list->bearing || !list->limbs || !list->stances) return HF_ERROR_MEMORY;
    memset(list->limbs, 0, n * limbs);
    hf_status status = HF_OK;
    for (int i = 0; i < phases->count && status == HF_OK; i++)
        status = add_stance(c, s, hold_of, (phases->items[i].from_s + phases->items[i].to_s) / 2, list, w);
    return status;
}

/* Given poses of a phase that are asked whether joints bear them, at even steps of its time. */
enum { ASKED = 5 };

/* Is the body at rest held in a phase's given poses on patches that spare the joints? */
static hf_status is_spared(const hf_creature* c, const hf_schedule* s, hf_pose_spline* spline,
                           const hf_part* phase, const hf_stance_list* list, hf_workspace* w) {
    int holds[HF_STANCE_SUPPORTS], count = holds_at(s, (phase->from_s + phase->to_s) / 2, holds);
    hf_support supports[HF_STANCE_SUPPORTS];
    hf_stance* stance = hf_workspace_take(w, 1, sizeof *stance);
    hf_pose pose = {.q = hf_workspace_take(w, (size_t)c->view.q_count + 1, sizeof(double))};
    hf_transform* links = hf_workspace_take(w, (size_t)c->view.link_count, sizeof *links);
    if (!stance || !pose.q || !links) return HF_ERROR_MEMORY;
    if (count > HF_STANCE_SUPPORTS) return HF_ERROR_LIMIT;
    stance->polytope = (hf_wrench_polytope){0};
    for (int i = 0; i < count; i++) supports[i] = support_of(c, &list->held[holds[i]], true);
    hf_status status = hf_stance_build(stance, supports, count, c->view.mass, NULL, w);
    bool spared = true;
    for (int i = 0; i < ASKED && spared && status == HF_OK; i++) {
        hf_pose_spline_at(spline, phase->from_s + (phase->to_s - phase->from_s) * i / (ASKED - 1), &pose);
        hf_forward(c, &pose, links);
        spared = hf_stance_margin(stance, hf_com(c, links)) >= 0;
    }
    for (int i = 0; i < count && !spared; i++) list->store->spares[holds[i]] = false;
    return status;
}

/* Patches spare the joints but for those on which a given pose, or the body in motion, needs the whole. */
static hf_status choose_spared(const hf_creature* c, const hf_schedule* s, hf_pose_spline* spline,
                               const hf_parts* phases, hf_workspace* w, hf_stance_list* list) {
    hf_status status = HF_OK;
    list->store->spares = hf_alloc((size_t)s->hold_count + 1, sizeof(bool));
    if (!list->store->spares) return HF_ERROR_MEMORY;
    for (int i = 0; i < s->hold_count; i++) list->store->spares[i] = true;
    for (int p = 0; p < phases->count && status == HF_OK; p++) {
        hf_workspace_mark mark = hf_workspace_begin(w);
        status = is_spared(c, s, spline, &phases->items[p], list, w);
        hf_workspace_end(w, mark);
    }
    return status;
}

hf_status hf_stance_list_make(const hf_creature* c, const hf_placement* placement, const hf_schedule* s,
                              hf_pose_spline* spline, const hf_parts* phases, hf_workspace* w,
                              hf_stance_list* list) {
    *list = (hf_stance_list){.hold_count = s->hold_count, .limb_count = c->view.limb_count};
    list->held = hf_workspace_take(w, (size_t)s->hold_count + 1, sizeof *list->held);
    list->store = hf_alloc(1, sizeof *list->store);
    if (!list->held || !list->store) return HF_ERROR_MEMORY;
    hf_status status = begin_holds(c, placement, s, spline, w, list);
    if (status == HF_OK) status = choose_spared(c, s, spline, phases, w, list);
    return status == HF_OK ? list_stances(c, s, NULL, phases, w, list) : status;
}

hf_status hf_stance_list_again(const hf_creature* c, const hf_stance_list* known, const int* hold_of,
                               const hf_schedule* s, const hf_parts* phases, hf_workspace* w,
                               hf_stance_list* list) {
    *list = (hf_stance_list){.hold_count = known->hold_count,
                             .limb_count = known->limb_count,
                             .held = known->held,
                             .store = known->store};
    return list_stances(c, s, hold_of, phases, w, list);
}

void hf_stance_list_free(hf_stance_list* list) {
    hf_stance_store* store = list->store;
    for (int i = 0; store && i < store->count; i++) hf_stance_free(store->items[i].stance);
    if (store) hf_free(store->items), hf_free(store->spares);
    hf_free(store);
    *list = (hf_stance_list){0};
}

int hf_stance_list_at(const hf_stance_list* list, const hf_parts* phases, double refined_s, double early_s) {
    int best = hf_parts_at(phases, refined_s);
    const int beside[2] = {hf_parts_at(phases, refined_s - early_s),
                           hf_parts_at(phases, refined_s + early_s)};
    for (int i = 0; i < 2; i++)
        if (list->bearing[beside[i]] < list->bearing[best]) best = beside[i];
    return best;
}
