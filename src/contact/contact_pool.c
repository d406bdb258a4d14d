/* Several answers of a contact query are the best finished ones that keep a distance from each other: of all
   that were finished the best is chosen, then the best of those far enough from it, and so on. Samples come
   in the order of their own scores, which finishing changes: so the choice is made anew with each contact. */
#include "contact/contact_pool.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Least distance where the query names none: two places for a hand or foot, and for short limbs a share of
   their length (method section 4). */
static const double APART_M = 0.15, APART_SHARE = 0.25;
/* Finished contacts kept for each one wanted: those near a better one may be needed when it is displaced. */
enum { KEPT_PER_WANTED = 8 };

hf_status hf_contact_pool_make(const hf_creature* creature, const hf_contact_query* query,
                               hf_workspace* workspace, hf_contact_pool* pool) {
    double length = creature->view.limbs[query->limb].length;
    *pool = (hf_contact_pool){.wanted = query->count,
                              .apart_m =
                                  query->apart_m > 0 ? query->apart_m : fmin(APART_M, APART_SHARE * length),
                              .room = query->count > 1 ? KEPT_PER_WANTED * query->count : 1,
                              .q_count = creature->view.q_count};
    size_t room = (size_t)pool->room, width = (size_t)pool->q_count + 1;
    pool->contacts = hf_workspace_take(workspace, room, sizeof *pool->contacts);
    pool->chosen = hf_workspace_take(workspace, room, sizeof *pool->chosen);
    double* q = hf_workspace_take(workspace, room * width, sizeof *q);
    if (!pool->contacts || !pool->chosen || !q) return HF_ERROR_MEMORY;
    for (size_t i = 0; i < room; i++) pool->contacts[i].q = q + i * width;
    return HF_OK;
}

static bool near_chosen(const hf_contact_pool* p, int before, hf_vec3 point) {
    for (int i = 0; i < before; i++)
        if (p->chosen[i] && hf_distance(point, p->contacts[i].hold.point) < p->apart_m) return true;
    return false;
}

static void choose(hf_contact_pool* p) {
    p->chosen_count = 0;
    for (int i = 0; i < p->count; i++) {
        p->chosen[i] = p->chosen_count < p->wanted && !near_chosen(p, i, p->contacts[i].hold.point);
        p->chosen_count += p->chosen[i];
    }
}

/* The place of a new contact: at the end or, where the pool is full, that of the worst contact that is not
   chosen. */
static int free_place(hf_contact_pool* p) {
    if (p->count < p->room) return p->count++;
    int at = p->count - 1;
    while (at > 0 && p->chosen[at]) at--;
    return at;
}

/* Swaps a place with its neighbour before or behind it. */
static void swap_places(hf_contact_pool* p, int a, int b) {
    hf_contact contact = p->contacts[a];
    bool chosen = p->chosen[a];
    p->contacts[a] = p->contacts[b], p->chosen[a] = p->chosen[b];
    p->contacts[b] = contact, p->chosen[b] = chosen;
}

void hf_contact_pool_add(hf_contact_pool* p, const hf_contact* contact, const double* q) {
    int at = free_place(p);
    double* row = (double*)p->contacts[at].q;
    memcpy(row, q, sizeof *q * (size_t)p->q_count);
    p->contacts[at] = *contact;
    p->contacts[at].q = row;
    p->chosen[at] = false;
    for (; at > 0 && p->contacts[at - 1].score < contact->score; at--) swap_places(p, at, at - 1);
    for (; at + 1 < p->count && p->contacts[at + 1].score > contact->score; at++) swap_places(p, at, at + 1);
    choose(p);
}

void hf_contact_pool_read(const hf_contact_pool* p, hf_contact_answer* a) {
    for (int i = 0; i < p->count; i++) {
        if (!p->chosen[i]) continue;
        double* q = a->q + (size_t)a->contact_count * (size_t)a->q_count;
        memcpy(q, p->contacts[i].q, sizeof *q * (size_t)a->q_count);
        a->contacts[a->contact_count] = p->contacts[i];
        a->contacts[a->contact_count++].q = q;
    }
}
