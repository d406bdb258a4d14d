/* The library of postures: which stances a creature of these limbs could have, each found by its own
   question, and the poses between standing and the others. Nothing here knows a creature by name: walking
   limbs are the gait's, limbs that exclude them (knees) can take their place, the rest are hands, elbows,
   seats. */
#include "plan/posture_find.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/parallel.h"
#include "plan/plan_model.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ASKS = 16 };
/* Shares of the standing height that a root has in a family, and of a seat. */
static const double LOWEST = 0.2, FOLDED = 0.75, SEAT_LOW = 0.3, SEAT_HIGH = 0.55;
/* Creature heights of room above the ground for which the cheapest squat and crawl is kept. */
static const double ROOMS[2][HF_POSTURE_ROOMS] = {{1, 0.7, 0.55}, {0.5, 0.44, 0.36}};

#define FIELD(name) offsetof(hf_posture_options, name)
static const hf_option items[] = {
    {"families", HF_OPTION_COUNT, FIELD(families), 1, (1 << HF_POSTURE_FAMILIES) - 1,
     (1 << HF_POSTURE_FAMILIES) - 1, "", "that are looked for, one bit each"},
    {"draws", HF_OPTION_COUNT, FIELD(draws), 1, 100000, 96, "", "stances tried for each posture"},
    {"margin_m", HF_OPTION_REAL, FIELD(margin_m), 0, 1, 0.01, "m", "least static balance margin"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992, 1, "", "of the draws"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 1024, 0, "",
     "0: all cores; the library does not depend on it"},
};
#undef FIELD

HF_OPTIONS(hf_posture, items)

const char* hf_posture_family_text(hf_posture_family family) {
    static const char* const texts[] = {"stand", "squat", "crawl", "prone", "supine", "sit", "hang"};
    return (unsigned)family < HF_POSTURE_FAMILIES ? texts[family] : "unknown";
}

/* ---- which limbs ---- */

/* Limbs by what they could do, one bit each. */
typedef struct kinds {
    uint64_t walk, stand_in, others, low_others, seats, grips;
} kinds;

static uint64_t bit(int limb) { return limb < 64 ? (uint64_t)1 << limb : 0; }

static bool excludes(const hf_limb* limb, uint64_t others) {
    for (int i = 0; i < limb->exclude_count; i++)
        if (others & bit(limb->excludes[i])) return true;
    return false;
}

static kinds find_kinds(const hf_creature* creature, const hf_plan_limb* limbs) {
    const hf_creature_view* v = hf_creature_get(creature);
    kinds k = {0};
    for (int l = 0; l < v->limb_count; l++)
        if (limbs[l].used && limbs[l].walks && v->limbs[l].joint_count > 0) k.walk |= bit(l);
    for (int l = 0; l < v->limb_count; l++) {
        const hf_limb* limb = &v->limbs[l];
        if (!limbs[l].used || k.walk & bit(l)) continue;
        if (limb->grip && limb->joint_count > 0) k.grips |= bit(l);
        if (limb->joint_count == 0)
            k.seats |= bit(l);
        else if (excludes(limb, k.walk))
            k.stand_in |= bit(l);
        else if (excludes(limb, k.others))
            k.low_others |= bit(l);
        else
            k.others |= bit(l);
    }
    return k;
}

/* ---- the questions ---- */

typedef struct asks {
    int families; /* that are asked for, one bit each */
    int count;
    hf_posture_ask items[MOST_ASKS];
} asks;

static void add_limbs(hf_posture_ask* ask, uint64_t limbs, uint64_t bears) {
    for (int l = 0; l < 64 && ask->count < HF_POSTURE_HOLDS; l++) {
        if (!(limbs & bit(l))) continue;
        ask->bears[ask->count] = bears & bit(l);
        ask->limbs[ask->count++] = l;
    }
}

static hf_posture_ask* add_ask(asks* a, hf_posture_family family, uint64_t limbs, double tilt_to, double from,
                               double to) {
    if (!limbs || a->count == MOST_ASKS || !(a->families >> family & 1)) return NULL;
    hf_posture_ask* ask = &a->items[a->count++];
    *ask = (hf_posture_ask){.family = family, .tilt = {0, tilt_to}, .height = {from, to}};
    ask->seat[0] = SEAT_LOW, ask->seat[1] = SEAT_HIGH;
    bool folds = family == HF_POSTURE_SQUAT || family == HF_POSTURE_CRAWL;
    ask->room_count = folds ? HF_POSTURE_ROOMS : 1;
    for (int r = 0; r < ask->room_count; r++)
        ask->rooms[r] = folds ? ROOMS[family == HF_POSTURE_CRAWL][r] : INFINITY;
    add_limbs(ask, limbs, limbs);
    return ask;
}

/* On walking limbs or those in their place, and on others, the trunk rather level than upright. */
static void add_crawl(asks* a, uint64_t hind, uint64_t fore, const hf_guide* g) {
    if (!hind || !fore) return;
    hf_posture_ask* ask = add_ask(a, HF_POSTURE_CRAWL, hind | fore, g->tilt_max, LOWEST, FOLDED);
    if (ask) ask->tilt[0] = fmin(fmax(g->tilt, M_PI / 4), g->tilt_max);
}

static void list_asks(const hf_creature_view* v, const kinds* k, asks* a) {
    double bow = fmin(v->guide.tilt, M_PI / 4);
    add_ask(a, HF_POSTURE_STAND, k->walk, 0, FOLDED, 1);
    add_ask(a, HF_POSTURE_SQUAT, k->walk, bow, LOWEST, FOLDED);
    add_crawl(a, k->walk, k->others, &v->guide);
    add_crawl(a, k->stand_in, k->others, &v->guide);
    add_crawl(a, k->stand_in, k->low_others, &v->guide);
    if (k->seats) add_ask(a, HF_POSTURE_SIT, k->seats | k->walk, bow / 2, LOWEST, FOLDED);
    add_ask(a, HF_POSTURE_HANG, k->grips, 0, 1, 1);
}

/* ---- finding them ---- */

typedef struct job {
    hf_posture_ground ground;
    const asks* asks; /* then the two lying postures, where there are `lying` */
    bool lying;
    hf_posture* found; /* HF_POSTURE_ROOMS for each question */
    bool* is_found;
    hf_status* status; /* of each question */
    hf_workspace** workspaces;
} job;

/* Each question draws its own numbers, whatever else is asked: by family, limbs and what bears. */
static uint32_t stream_of(const hf_posture_ask* ask) {
    uint64_t h = hf_hash_int(HF_HASH_START, (int64_t)ask->family);
    for (int i = 0; i < ask->count; i++) h = hf_hash_int(h, 2 * ask->limbs[i] + ask->bears[i]);
    return (uint32_t)(h ^ h >> 32);
}

static void answer(void* context, int index, int worker) {
    job* j = context;
    hf_workspace* w = j->workspaces[worker];
    hf_posture* to = j->found + (size_t)HF_POSTURE_ROOMS * (size_t)index;
    bool* found = j->is_found + (size_t)HF_POSTURE_ROOMS * (size_t)index;
    if (index < j->asks->count)
        j->status[index] = hf_posture_find(&j->ground, &j->asks->items[index],
                                           stream_of(&j->asks->items[index]), w, to, found);
    else
        j->status[index] =
            hf_posture_lie(&j->ground, index == j->asks->count ? HF_POSTURE_PRONE : HF_POSTURE_SUPINE,
                           (uint32_t)(index - j->asks->count), w, to, found);
}

/* All questions, by all threads; the answers stand in the order of the questions. */
static hf_status answer_all(job* j, int threads) {
    int count = j->asks->count + (j->lying ? 2 : 0), workers = hf_parallel_workers(threads);
    hf_status status = HF_OK;
    j->workspaces = hf_alloc((size_t)workers, sizeof(hf_workspace*));
    if (!j->workspaces) return HF_ERROR_MEMORY;
    for (int i = 0; i < workers && status == HF_OK; i++) status = hf_workspace_create(&j->workspaces[i]);
    if (status == HF_OK) hf_parallel(threads, count, answer, j);
    for (int i = 0; i < workers; i++) hf_workspace_free(j->workspaces[i]);
    hf_free(j->workspaces);
    for (int i = 0; i < count && status == HF_OK; i++) status = j->status[i];
    return status;
}

/* ---- the library ---- */

/* Makes room for the answers to `count` questions, each with its joint values. */
static bool take_answers(job* j, int count) {
    size_t q = (size_t)j->ground.view->q_count + 1, answers = (size_t)HF_POSTURE_ROOMS * (size_t)count;
    j->found = hf_alloc(answers, sizeof *j->found);
    j->is_found = hf_alloc(answers, sizeof *j->is_found);
    j->status = hf_alloc((size_t)count, sizeof *j->status);
    bool good = j->found && j->is_found && j->status;
    for (size_t i = 0; i < answers && good; i++) good = (j->found[i].pose.q = hf_alloc(q, sizeof(double)));
    return good;
}

static void free_answers(job* j, int count) {
    for (int i = 0; j->found && i < HF_POSTURE_ROOMS * count; i++) hf_free(j->found[i].pose.q);
    hf_free(j->found);
    hf_free(j->is_found);
    hf_free(j->status);
}

void hf_postures_free(hf_postures* p) {
    if (!p) return;
    for (int i = 0; p->items && i < p->count; i++) hf_free(p->items[i].pose.q);
    for (int i = 0; p->changes && i < p->change_count; i++) hf_free(p->changes[i].at.pose.q);
    hf_free(p->items);
    hf_free(p->changes);
    hf_free(p);
}

/* Moves the answers that were found into the library, in the order of the families. A posture that is the
   cheapest for two rooms is kept once. */
static void keep_answers(job* j, int count, hf_postures* to) {
    for (int f = 0; f < HF_POSTURE_FAMILIES; f++)
        for (int i = 0; i < HF_POSTURE_ROOMS * count; i++) {
            if (!j->is_found[i] || (int)j->found[i].family != f) continue;
            const hf_posture* last = to->count > 0 ? &to->items[to->count - 1] : NULL;
            if (i % HF_POSTURE_ROOMS > 0 && last && last->cost == j->found[i].cost &&
                last->high.z == j->found[i].high.z)
                continue;
            to->items[to->count++] = j->found[i];
            j->found[i].pose.q = NULL;
        }
}

/* Why a family is empty. */
static void say_why(const hf_creature_view* v, const kinds* k, int families, int draws, hf_postures* to) {
    const char* missing[HF_POSTURE_FAMILIES] = {
        [HF_POSTURE_STAND] = k->walk ? NULL : "no limb walks",
        [HF_POSTURE_SQUAT] = k->walk ? NULL : "no limb walks",
        [HF_POSTURE_CRAWL] = k->walk && k->others ? NULL : "there are no limbs beside those that walk",
        [HF_POSTURE_SIT] = k->seats ? NULL : "there is no contact without joints to sit on",
        [HF_POSTURE_HANG] = k->grips ? NULL : "no limb grips",
    };
    for (int f = 0; f < HF_POSTURE_FAMILIES; f++) {
        bool has = false;
        for (int i = 0; i < to->count; i++) has |= (int)to->items[i].family == f;
        if (has) continue;
        if (!(families >> f & 1))
            snprintf(to->why[f], sizeof to->why[f], "not asked for");
        else if (v->body_count == 0)
            snprintf(to->why[f], sizeof to->why[f], "no link has a body");
        else if (!(v->mass > 0))
            snprintf(to->why[f], sizeof to->why[f], "the creature has no mass");
        else if (missing[f])
            snprintf(to->why[f], sizeof to->why[f], "%s", missing[f]);
        else
            snprintf(to->why[f], sizeof to->why[f], "none of %d tries is balanced, free and within limits",
                     draws);
    }
}

/* From standing to postures that hold by more limbs than those that walk: all touch, the walking ones bear.
 */
static void list_changes(const hf_creature_view* v, const kinds* k, const hf_postures* p, asks* a, int* to) {
    uint64_t seen = 0;
    for (int i = 0; i < p->count; i++) {
        const hf_posture* x = &p->items[i];
        uint64_t limbs = 0;
        for (int h = 0; h < x->hold_count; h++) limbs |= bit(x->holds[h].limb);
        if ((limbs & k->walk) != k->walk || limbs == k->walk || x->family == HF_POSTURE_HANG) continue;
        if (seen == limbs) continue; // other rooms of the same stance
        seen = limbs;
        double most = fmin(v->guide.tilt_max, M_PI / 2);
        hf_posture_ask* ask = add_ask(a, x->family, limbs, most, LOWEST, 1);
        if (!ask) return;
        ask->room_count = 1, ask->rooms[0] = INFINITY, ask->toward = x;
        for (int h = 0; h < ask->count; h++) ask->bears[h] = k->walk & bit(ask->limbs[h]);
        to[a->count - 1] = i;
    }
}

static hf_status find_changes(job* j, const kinds* k, hf_postures* p) {
    asks a = {.families = j->ground.options->families};
    int to[MOST_ASKS];
    list_changes(j->ground.view, k, p, &a, to);
    if (a.count == 0 || p->count == 0 || p->items[0].family != HF_POSTURE_STAND) return HF_OK;
    job more = {.ground = j->ground, .asks = &a};
    p->changes = hf_alloc((size_t)a.count, sizeof *p->changes);
    hf_status status = p->changes && take_answers(&more, a.count)
                           ? answer_all(&more, j->ground.options->threads)
                           : HF_ERROR_MEMORY;
    for (int i = 0; i < a.count && status == HF_OK; i++) {
        int first = HF_POSTURE_ROOMS * i;
        if (!more.is_found[first]) continue;
        p->changes[p->change_count++] = (hf_posture_change){0, to[i], more.found[first]};
        more.found[first].pose.q = NULL;
    }
    free_answers(&more, a.count);
    return status;
}

hf_status hf_posture_ground_make(double height, hf_scene** scene, hf_error* error) {
    float s = (float)(4 * fmax(height, 1));
    float corners[] = {-s, -s, 0, s, -s, 0, s, s, 0, -s, s, 0};
    uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    hf_object_def def = hf_object_def_default();
    def.name = "ground";
    def.mesh = (hf_mesh){.vertex_count = 4, .triangle_count = 2, .vertices = corners, .indices = triangles};
    return hf_scene_build(&def, 1, scene, error);
}

/* The standing posture and how high the root is in it. */
static bool find_standing(const hf_creature* creature, hf_plan_limb* limbs, double* q, double* height) {
    const hf_creature_view* v = hf_creature_get(creature);
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    hf_pose rest = {.q = q};
    if (!links) return false;
    hf_pose_rest(creature, &rest);
    hf_forward(creature, &rest, links);
    bool good = hf_standing_find(creature, limbs, links, q);
    if (good) hf_forward(creature, &rest, links);
    *height = 0;
    for (int l = 0; l < v->limb_count && good; l++) {
        const hf_contact_frame* f = v->limbs[l].contacts;
        if (limbs[l].used && limbs[l].walks)
            *height = fmax(*height, f->ball - hf_apply(links[f->link], f->offset).z);
    }
    hf_free(links);
    return good;
}

static hf_status find_all(job* j, const kinds* k, hf_postures* p) {
    int families = j->ground.options->families, lying = 1 << HF_POSTURE_PRONE | 1 << HF_POSTURE_SUPINE;
    asks a = {.families = families};
    const hf_creature_view* v = j->ground.view;
    list_asks(v, k, &a);
    j->asks = &a, j->lying = families & lying;
    int count = a.count + (j->lying ? 2 : 0);
    p->items = hf_alloc((size_t)HF_POSTURE_ROOMS * (size_t)count, sizeof *p->items);
    hf_status status = p->items && take_answers(j, count) ? HF_OK : HF_ERROR_MEMORY;
    bool can = v->body_count > 0 && v->mass > 0;
    if (status == HF_OK && can) status = answer_all(j, j->ground.options->threads);
    if (status == HF_OK) keep_answers(j, count, p);
    free_answers(j, count);
    if (status == HF_OK && can) status = find_changes(j, k, p);
    say_why(v, k, families, j->ground.options->draws, p);
    return status;
}

hf_status hf_creature_postures(const hf_creature* creature, const hf_posture_options* options,
                               hf_postures** postures, hf_error* error) {
    HF_REQUIRE(error, creature && postures);
    hf_posture_options o = options ? *options : hf_posture_options_default();
    *postures = NULL;
    hf_status status = hf_options_check(hf_posture_option_table(), &o, error);
    if (status != HF_OK) return status;
    const hf_creature_view* v = hf_creature_get(creature);
    hf_postures* p = hf_alloc(1, sizeof *p);
    hf_plan_limb* limbs = hf_alloc((size_t)v->limb_count + 1, sizeof *limbs);
    double* standing = hf_alloc((size_t)v->q_count + 1, sizeof *standing);
    hf_scene* scene = NULL;
    hf_placement* placement = NULL;
    job j = {.ground = {.creature = creature, .view = v, .options = &o, .standing = standing}};
    if (!p || !limbs || !standing) status = hf_fail_memory(error, NULL);
    if (status == HF_OK) status = hf_posture_ground_make(v->height, &scene, error);
    if (status == HF_OK) status = hf_fail_status(error, hf_placement_create(scene, &placement), NULL);
    if (status == HF_OK) {
        j.ground.placement = placement;
        hf_plan_limbs_find(creature, limbs);
        if (!find_standing(creature, limbs, standing, &j.ground.rest_height))
            status = hf_fail_memory(error, NULL);
    }
    if (status == HF_OK) {
        kinds k = find_kinds(creature, limbs);
        status = hf_fail_status(error, find_all(&j, &k, p), NULL);
    }
    hf_placement_free(placement);
    hf_scene_free(scene);
    hf_free(standing);
    hf_free(limbs);
    if (status == HF_OK)
        *postures = p;
    else
        hf_postures_free(p);
    return status;
}
