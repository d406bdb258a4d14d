/* Contact queries (efort-2014-journal sections 3 and 5): candidates and their scores, then one after the
   other, best first: the limb as sampled must be free, what is brought exactly onto the surface must be free
   again, and the best that are make the answer. */
#include "contact/contact_finish.h"
#include "base/error.h"
#include "contact/contact_pool.h"
#include "contact/contact_score.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "solve/target.h"
#include "model/creature.h"
#include <holdfast/outlook.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Default epsilon as a share of the limb's length. */
static const double EPSILON_SHARE = 0.03;
static const double LEAST_EPSILON_M = 0.001;
/* How far a limb may overlap as sampled, in epsilons: the finish moves it by about that. */
static const double SLACK_SHARE = 0.2;
/* Sparse sets: epsilon is doubled up to this often until a contact is found. */
enum { WIDENINGS = 4 };
/* Candidates looked at that are as much work as one that is finished. */
enum { LOOKS_A_TEST = 10 };
/* In a large set thousands of the best samples may all be blocked by the same thing. After so many of them
   half of the rest is passed over, and again: what is left is as even as a smaller set. */
enum { THIN_AFTER = 250 };
/* Most queries accept one of the first few candidates: so many are tried singly, then so many together, and
   eight at a time only after that. */
enum { SINGLY = 1, FIRST = 4 };
enum { MAX_CONTACTS = 1000 };
static const double MOST_WEIGHT = 1e6; /* of a term: scores stay far from the end of floats */

#define FIELD(name) offsetof(hf_contact_query, name)
static const hf_option items[] = {
    {"epsilon_m", HF_OPTION_REAL, FIELD(epsilon_m), 0, 1e3, 0, "m",
     "how near a sample must be to a surface; 0: 0.03 limb lengths"},
    {"count", HF_OPTION_COUNT, FIELD(count), 1, MAX_CONTACTS, 1, "", "contacts wanted"},
    {"apart_m", HF_OPTION_REAL, FIELD(apart_m), 0, 1e9, 0, "m",
     "least distance between two of them; 0: 0.15, or a quarter of the limb's length where that is less"},
    {"min_size_m", HF_OPTION_REAL, FIELD(min_size_m), 0, 1e3, 0, "m",
     "how far across a surface must go on under the contact"},
    {"max_tilt_rad", HF_OPTION_REAL, FIELD(max_tilt_rad), 0, 3.2, 3.14159265358979323846, "rad",
     "largest angle of a surface's normal from up"},
    {"max_angle_rad", HF_OPTION_REAL, FIELD(max_angle_rad), 0, 3.2, 1, "rad",
     "how far the contact's normal may be from against the surface's"},
    {"max_tests", HF_OPTION_COUNT, FIELD(max_tests), 1, 10000000, 600, "", "candidates finished at most"},
};
#undef FIELD

hf_option_table hf_contact_option_table(void) { return HF_OPTION_TABLE(items); }

hf_contact_query hf_contact_query_default(void) {
    hf_contact_query q = {.direction = {0, 0, 1}};
    hf_options_default(hf_contact_option_table(), &q);
    q.pose.root = hf_transform_identity();
    q.weights[HF_TERM_EFFORT] = 1;
    return q;
}

const char* hf_contact_why_text(hf_contact_why why) {
    static const char* const texts[] = {
        "as many as asked for",        "no surface within reach",     "all colliding",
        "none can be touched exactly", "another contact excludes it", "the tests were used up",
        "fewer are that far apart",    "stopped before the end"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

/* ---- answers ---- */

hf_status hf_contact_answer_create(const hf_creature* creature, int capacity, hf_contact_answer** answer) {
    HF_REQUIRE(NULL, creature && answer);
    *answer = NULL;
    if (capacity < 1 || capacity > MAX_CONTACTS) return HF_ERROR_ARGUMENT;
    hf_contact_answer* a = hf_alloc(1, sizeof *a);
    if (!a) return HF_ERROR_MEMORY;
    a->contact_capacity = capacity;
    a->q_count = creature->view.q_count;
    a->contacts = hf_alloc((size_t)capacity, sizeof *a->contacts);
    a->q = hf_alloc((size_t)capacity * (size_t)a->q_count, sizeof *a->q);
    if (!a->contacts || !a->q) {
        hf_contact_answer_free(a);
        return HF_ERROR_MEMORY;
    }
    *answer = a;
    return HF_OK;
}

void hf_contact_answer_free(hf_contact_answer* answer) {
    if (!answer) return;
    hf_free(answer->contacts);
    hf_free(answer->q);
    hf_free(answer);
}

static void clear(hf_contact_answer* a) {
    a->outcome = HF_NONE;
    a->why = HF_CONTACT_OUT_OF_REACH;
    a->candidates = a->looked = a->blocked = 0;
    a->tested = a->colliding = a->unfinished = a->valid = a->contact_count = 0;
    a->epsilon_m = 0;
}

/* ---- what is refused ---- */

static bool in_range(double value, double low, double high) { return value >= low && value <= high; }

static bool good_numbers(const hf_creature* c, const hf_contact_query* q) {
    bool good = hf_finite_transform(q->pose.root) && hf_finite3(q->direction);
    good = good && (!q->wish || hf_finite3(*q->wish));
    good = good && hf_length(q->direction) > 0 && isfinite(hf_length(q->direction));
    good = good && hf_options_check(hf_contact_option_table(), q, NULL) == HF_OK;
    good = good && (unsigned)q->role <= HF_ROLE_GRIP && q->pose.q;
    good = good && q->touch_count >= 0 && (q->touches || q->touch_count == 0);
    const hf_outlook* o = q->outlook;
    good = good && (!o || (hf_finite3(o->com) && o->root_count >= 0 && (o->roots || o->root_count == 0)));
    for (int i = 0; good && o && i < o->root_count; i++) good = hf_finite_transform(o->roots[i]);
    for (int i = 0; good && i < HF_TERM_COUNT; i++) good = in_range(q->weights[i], 0, MOST_WEIGHT);
    good = good && hf_terms_missing(q->weights, o) < 0;
    for (int i = 0; good && i < c->view.q_count; i++) good = isfinite(q->pose.q[i]);
    return good;
}

static int set_count(const hf_limb* limb) { return limb->contact_count > 0 ? limb->contact_count : 1; }

static hf_status check(const hf_creature* c, const hf_samples* const* samples, const hf_placement* placement,
                       const hf_contact_query* q, const hf_contact_answer* a) {
    if (!good_numbers(c, q) || q->limb < 0 || q->limb >= c->view.limb_count) return HF_ERROR_ARGUMENT;
    if (a->contact_capacity < q->count || a->q_count != c->view.q_count) return HF_ERROR_ARGUMENT;
    const hf_limb* limb = &c->view.limbs[q->limb];
    if (q->role == HF_ROLE_GRIP && !limb->grip) return HF_ERROR_ARGUMENT;
    if (!samples || !placement) return HF_ERROR_ARGUMENT;
    for (int i = 0; i < q->touch_count; i++)
        if (q->touches[i].limb < 0 || q->touches[i].limb >= c->view.limb_count) return HF_ERROR_ARGUMENT;
    // sets of this creature and limb, each of its own contact frame
    for (int i = 0; i < set_count(limb); i++) {
        if (!samples[i]) continue;
        if (!hf_samples_belong(samples[i], c, q->limb, limb->contact_count > 0 ? i : -1))
            return HF_ERROR_ARGUMENT;
    }
    return HF_OK;
}

/* ---- one search ---- */

/* What one walk over the candidates within an epsilon leaves out. */
typedef struct pass {
    double epsilon;
    double tried; /* surfaces up to this far were tried before with the same samples */
    hf_surface_kind kind;
    bool unhelpful; /* of any kind but those that help: they were tried */
    bool blocked;   /* only samples that are not free as sampled: the others were tried */
} pass;

typedef struct search {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_contact_query* query;
    hf_workspace* workspace;
    hf_contact_answer* answer;
    const hf_limb* limb;
    int scorer_count;
    hf_contact_scorer* scorers; /* one for each set in use */
    const hf_samples** sets;    /* of each scorer */
    hf_contact_finisher finisher;
    double slack_m;   /* how far a limb may overlap as sampled */
    double* jacobian; /* of a finished posture */
    hf_contact_pool pool;
    hf_choice_list list; /* of this pass */
    int hidden;          /* blocked in this pass */
    int skipped;         /* passed over after an approach, in this pass */
    bool thick;          /* no candidate is passed over: every one is wanted */
    bool again;          /* this pass repeats one: what is blocked was counted there */
    bool cancelled;
} search;

/* Which objects may be used, and which grips hold alike in every direction. */
static hf_status choose_objects(search* s, bool** use, bool** free_grip) {
    const hf_scene* scene = s->placement->scene;
    *use = hf_workspace_take(s->workspace, (size_t)scene->count + 1, sizeof(bool));
    *free_grip = hf_workspace_take(s->workspace, (size_t)scene->count + 1, sizeof(bool));
    if (!*use || !*free_grip) return HF_ERROR_MEMORY;
    for (int i = 0; i < scene->count; i++) {
        const hf_object* o = &scene->objects[i];
        bool grips = s->query->role == HF_ROLE_GRIP;
        (*use)[i] = o->contact && (!grips || o->grip);
        (*free_grip)[i] = grips && (*use)[i] && hf_contact_free_grip(o);
    }
    return HF_OK;
}

static void set_scorer(search* s, const hf_samples* samples, int set, const bool* use, const bool* free_grip,
                       double* q, hf_contact_scorer* to) {
    int frame = samples->block->key.contact;
    const hf_contact_frame* contact = frame >= 0 ? &s->limb->contacts[frame] : NULL;
    hf_transform base = hf_limb_base(s->creature, s->query->limb, s->finisher.links);
    hf_transform link = s->finisher.links[contact ? contact->link : s->limb->effector_link];
    hf_vec3 at = hf_apply(link, contact ? contact->offset : hf_v3(0, 0, 0));
    if (s->query->wish) at = *s->query->wish;
    *to = (hf_contact_scorer){.creature = s->creature,
                              .query = s->query,
                              .samples = samples,
                              .set = set,
                              .ball = contact ? contact->ball : 0,
                              .near = {.placement = s->placement, .base = base, .use = use},
                              .free_grip = free_grip,
                              .length = hf_terms_length(s->limb),
                              .direction = hf_unrotate(base.rotation, hf_normalize(s->query->direction)),
                              .up = hf_unrotate(base.rotation, hf_v3(0, 0, 1)),
                              .effector = hf_unapply(base, at),
                              .q = q};
}

/* The reach volume of a scorer's frame. */
static hf_status set_reach(search* s, hf_contact_scorer* scorer) {
    const hf_outlook* o = s->query->outlook;
    int frame = scorer->samples->block->key.contact;
    hf_reach* reach = &scorer->reach;
    reach->hull = o && o->reach ? o->reach[frame > 0 ? frame : 0] : NULL;
    if (!reach->hull) return HF_OK;
    hf_plane* faces = hf_workspace_take(s->workspace, (size_t)reach->hull->triangle_count + 1, sizeof *faces);
    if (!faces) return HF_ERROR_MEMORY;
    hf_reach_fill(reach, faces);
    return HF_OK;
}

static hf_status prepare(search* s, const hf_samples* const* samples) {
    size_t sets = (size_t)set_count(s->limb), columns = (size_t)s->creature->view.v_count;
    s->scorers = hf_workspace_take(s->workspace, sets, sizeof *s->scorers);
    s->sets = hf_workspace_take(s->workspace, sets, sizeof *s->sets);
    s->jacobian = hf_workspace_take(s->workspace, 3 * columns + 3, sizeof *s->jacobian);
    bool *use, *free_grip;
    hf_status status = choose_objects(s, &use, &free_grip);
    if (status != HF_OK) return status;
    if (!s->scorers || !s->sets || !s->jacobian) return HF_ERROR_MEMORY;
    status = hf_contact_pool_make(s->creature, s->query, s->workspace, &s->pool);
    if (status != HF_OK) return status;
    status = hf_contact_finisher_make(s->creature, s->placement, s->query, samples, use, s->workspace,
                                      &s->finisher);
    for (int i = 0; i < (int)sets && status == HF_OK; i++)
        if (hf_contact_frame_asked(s->limb, samples, i)) {
            int set = s->scorer_count++;
            s->sets[set] = samples[i];
            set_scorer(s, samples[i], set, use, free_grip, s->finisher.posture, &s->scorers[set]);
            status = set_reach(s, &s->scorers[set]);
        }
    return status;
}

/* The answer's terms are those of the posture it carries, not of the sample. */
static hf_status finished_terms(search* s, const hf_contact_scorer* scorer, double factor,
                                hf_contact* contact) {
    const hf_limb* limb = s->limb;
    int link = contact->hold.frame >= 0 ? limb->contacts[contact->hold.frame].link : limb->effector_link;
    hf_vec3 offset = contact->hold.frame >= 0 ? limb->contacts[contact->hold.frame].offset : hf_v3(0, 0, 0);
    hf_touching_limb touching = {.creature = s->creature,
                                 .limb = s->query->limb,
                                 .links = s->finisher.links,
                                 .q = s->finisher.q,
                                 .at = hf_apply(s->finisher.links[link], offset),
                                 .direction = hf_normalize(s->query->direction),
                                 .factor = factor,
                                 .jacobian = s->jacobian};
    double *terms = contact->terms, manipulability, most = scorer->samples->block->max_manipulability;
    hf_terms_of_posture(&touching, terms, &manipulability);
    terms[HF_TERM_MANIPULABILITY] = most > 0 ? manipulability / most : 0;
    terms[HF_TERM_DISTANCE] =
        -hf_distance(hf_unapply(scorer->near.base, touching.at), scorer->effector) / scorer->length;
    hf_status status = HF_OK;
    if (s->query->outlook) {
        hf_support support;
        hf_support_find(s->creature, s->placement, &contact->hold, s->finisher.links[link], &support);
        status = hf_contact_outlook(scorer, &support, contact->hold.point, true, s->workspace, terms);
    }
    contact->score = hf_terms_weigh(s->query->weights, terms);
    return status;
}

/* The first contact ends all passing over, and what was passed over has its turn: up to there a query for
   several contacts goes as one for a single contact. */
static void accept(search* s, const hf_contact* contact) {
    hf_contact_pool_add(&s->pool, contact, s->finisher.q);
    hf_choices_restore(&s->list);
    s->thick = true;
}

/* Is max_tests used up? */
static bool is_spent(const search* s) {
    return s->answer->tested + s->answer->looked / LOOKS_A_TEST >= s->query->max_tests;
}

/* The same, or has the callback that watches the workspace ended the query? */
static bool exhausted(search* s) {
    s->cancelled = s->cancelled || !hf_workspace_goes_on(s->workspace);
    return s->cancelled || is_spent(s);
}

/* A choice with the surface it is for, once that is found. */
typedef struct candidate {
    hf_contact_choice choice;
    bool resolved;
    int hidden_before; /* blocked candidates since the one before, which are not counted yet */
    hf_surface surface;
    double factor, score;
} candidate;

static const hf_contact_scorer* scorer_of(const search* s, const candidate* c) {
    return &s->scorers[c->choice.set];
}

static int frame_of(const search* s, const candidate* c) {
    return scorer_of(s, c)->samples->block->key.contact;
}

/* Brings a candidate onto its surface and tests it, unless the look at it was the last work allowed. */
static hf_status finish(search* s, const candidate* c) {
    if (is_spent(s)) return HF_OK;
    const hf_contact_scorer* scorer = scorer_of(s, c);
    hf_contact contact = {.sample_score = c->score};
    hf_finish end;
    s->answer->tested++;
    hf_status status = hf_contact_finish(&s->finisher, scorer->samples, (int)c->choice.sample, frame_of(s, c),
                                         &c->surface, s->slack_m, &contact, &end);
    if (status != HF_OK) return status;
    s->answer->unfinished += end == HF_FINISH_INEXACT;
    s->answer->colliding += end == HF_FINISH_COLLIDES || end == HF_FINISH_TILTED;
    s->answer->valid += end == HF_FINISH_VALID;
    if (end != HF_FINISH_VALID) return HF_OK;
    status = finished_terms(s, scorer, c->factor, &contact);
    if (status == HF_OK) accept(s, &contact);
    return status;
}

/* Does a pass take a choice with this surface? Surfaces that an earlier pass tried are left out. */
static bool is_for(const pass* p, const hf_contact_scorer* scorer, const hf_surface* surface, double factor) {
    return !(p->tried > 0 && surface->distance <= p->tried + scorer->ball) && !(p->unhelpful && factor > 0);
}

/* Counts a look at a candidate as sampled. Of the rest half is passed over after so many that are blocked. */
static void count_look(search* s, const pass* p, bool clear) {
    s->answer->looked++;
    s->answer->blocked += !clear && !p->blocked;
    s->hidden += !clear;
    if (s->hidden < THIN_AFTER || s->thick || p->blocked) return;
    hf_choices_thin(&s->list);
    s->hidden = 0;
}

/* Is a candidate free as sampled? What is in its way is remembered. */
static bool look(search* s, const pass* p, const candidate* c) {
    bool clear = hf_contact_clear(&s->finisher.clearance, scorer_of(s, c)->samples, (int)c->choice.sample,
                                  frame_of(s, c), &c->surface, s->slack_m);
    if (!clear && s->finisher.has_lanes)
        hf_limb_lanes_remember(s->finisher.lanes, &s->finisher.clearance, s->slack_m);
    count_look(s, p, clear);
    return clear;
}

static bool has_answer(const search* s) { return s->query->count == 1 && s->pool.count > 0; }

/* Finds the surface of a choice. *ready is false where there is none for this pass, and where the choice's
   bound was higher than the next one's: the choice is put back then. */
static hf_status resolve(search* s, const pass* p, candidate* c, bool* ready) {
    hf_contact_choice choice = c->choice;
    bool any, exact;
    float next = choice.exact ? -INFINITY : hf_choices_best(&s->list);
    *ready = false;
    hf_status status = hf_contact_resolve(&s->scorers[choice.set], &choice, next, s->workspace, &c->surface,
                                          &c->factor, &c->score, &exact, &any);
    if (status != HF_OK || !any) return status;
    if (!choice.exact && (float)c->score < next) {
        choice.score = (float)c->score;
        choice.exact = exact;
        hf_choices_return(&s->list, choice);
        return HF_OK;
    }
    *ready = c->resolved = is_for(p, &s->scorers[choice.set], &c->surface, c->factor);
    return HF_OK;
}

/* The next candidates, best first, up to `wanted`. Where a pass takes every surface, the surfaces of choices
   with exact scores are found later: most are blocked whatever the surface is. */
static hf_status next_candidates(search* s, const pass* p, int wanted, candidate* c, int* count) {
    bool takes_all = !(p->tried > 0) && !p->unhelpful;
    hf_status status = HF_OK;
    *count = 0;
    while (status == HF_OK && *count < wanted && !exhausted(s) &&
           hf_choices_next(&s->list, &c[*count].choice)) {
        bool ready = takes_all && c[*count].choice.exact;
        c[*count].resolved = false;
        if (!ready) status = resolve(s, p, &c[*count], &ready);
        *count += ready;
    }
    return status;
}

/* ---- eight candidates at a time ---- */

/* Candidates that wait for the next approach, best first. */
typedef struct waiting {
    int count;
    int hidden;      /* blocked candidates behind the last of them */
    bool approached; /* some were */
    candidate items[2 * HF_LANES];
} waiting;

static void count_blocked(search* s, const pass* p, int count) {
    while (count-- > 0 && !is_spent(s)) count_look(s, p, false);
}

/* Is a candidate worth finishing once floats brought it near its surface? It must be free there, and as
   sampled. What is in its way is remembered. */
static bool look_approached(search* s, const candidate* c, int lane) {
    hf_contact_clearance* k = &s->finisher.clearance;
    int frame = frame_of(s, c);
    bool clear =
        hf_contact_approached(&s->finisher, lane, frame, &c->surface, s->slack_m) &&
        hf_contact_clear(k, scorer_of(s, c)->samples, (int)c->choice.sample, frame, &c->surface, s->slack_m);
    if (!clear) hf_limb_lanes_remember(s->finisher.lanes, k, s->slack_m);
    return clear;
}

/* Finishes a candidate that was approached and is free, and passes over any other. When none is passed over
   any more, the candidate is tried as it was sampled. */
static hf_status try_approached(search* s, const pass* p, const candidate* c, int lane, bool blocked) {
    count_blocked(s, p, c->hidden_before);
    if (is_spent(s)) return HF_OK;
    if (s->thick) return look(s, p, c) ? finish(s, c) : HF_OK;
    if (!blocked && look_approached(s, c, lane)) {
        count_look(s, p, true);
        return finish(s, c);
    }
    s->skipped++;
    hf_choices_pass(&s->list, c->choice);
    return HF_OK;
}

/* Brings the first candidates that wait near their surfaces and tries them. */
static hf_status approach(search* s, const pass* p, waiting* w) {
    hf_limb_lanes* lanes = s->finisher.lanes;
    int count = w->count < HF_LANES ? w->count : HF_LANES;
    for (int i = 0; i < count; i++) {
        const candidate* c = &w->items[i];
        hf_limb_lanes_load(lanes, i, scorer_of(s, c)->samples, (int)c->choice.sample);
        hf_contact_aim(&s->finisher, i, frame_of(s, c), &c->surface);
    }
    hf_limb_lanes_fill(lanes, count);
    hf_limb_lanes_solve(lanes);
    unsigned blocked = hf_limb_lanes_blocked(lanes);
    hf_status status = HF_OK;
    for (int i = 0; i < count && status == HF_OK && !has_answer(s) && !exhausted(s); i++)
        status = try_approached(s, p, &w->items[i], i, blocked >> i & 1);
    w->count -= count, w->approached = true;
    memmove(w->items, w->items + count, sizeof *w->items * (size_t)w->count);
    return status;
}

/* Bits of the candidates that are blocked as sampled by what blocked others before. */
static unsigned blocked_lanes(search* s, hf_limb_lanes* lanes, const candidate* c, int count) {
    if (!count) return 0;
    for (int i = 0; i < count; i++)
        hf_limb_lanes_load(lanes, i, scorer_of(s, &c[i])->samples, (int)c[i].choice.sample);
    hf_limb_lanes_fill(lanes, count);
    return hf_limb_lanes_blocked(lanes);
}

/* Lets the next candidates wait, but for those that are blocked; *count is how many there were. */
static hf_status gather(search* s, const pass* p, hf_limb_lanes* lanes, waiting* w, int* count) {
    candidate c[HF_LANES];
    hf_status status = next_candidates(s, p, w->approached ? HF_LANES : FIRST, c, count);
    unsigned blocked = blocked_lanes(s, lanes, c, *count);
    for (int i = 0; i < *count && status == HF_OK && !exhausted(s); i++) {
        bool ready = c[i].resolved;
        if (blocked >> i & 1) {
            w->hidden += !s->again;
            continue;
        }
        if (!ready) status = resolve(s, p, &c[i], &ready);
        if (!ready) continue;
        w->items[w->count] = c[i];
        w->items[w->count++].hidden_before = w->hidden;
        w->hidden = 0;
    }
    return status;
}

/* Tries the candidates that come next, eight at a time. The first approach does not wait for all lanes to be
   full, because most queries accept one of the first few candidates. */
static hf_status try_batch(search* s, const pass* p, hf_limb_lanes* lanes, waiting* w, bool* any) {
    int count;
    hf_status status = gather(s, p, lanes, w, &count);
    int enough = count && w->approached ? HF_LANES : 1;
    while (status == HF_OK && w->count >= enough && !has_answer(s)) status = approach(s, p, w);
    if (w->count == 0) count_blocked(s, p, w->hidden), w->hidden = 0;
    *any = count > 0;
    return status;
}

/* Tries the best candidate that is left. */
static hf_status try_one(search* s, const pass* p, bool* any) {
    candidate c;
    int count;
    hf_status status = next_candidates(s, p, 1, &c, &count);
    *any = count > 0;
    if (status != HF_OK || !count) return status;
    bool ready = c.resolved;
    if (!ready) status = resolve(s, p, &c, &ready);
    if (status != HF_OK || !ready) return status;
    return look(s, p, &c) != p->blocked ? finish(s, &c) : HF_OK;
}

/* Sets with the same epsilon share what the first of them gathers. */
static void share_gathered(search* s, int scorer) {
    hf_candidate_query* near = &s->scorers[scorer].near;
    near->others = s->sets, near->other_count = s->scorer_count;
    near->gathered = NULL;
    for (int i = 0; i < scorer && !near->gathered; i++)
        if (s->scorers[i].near.epsilon == near->epsilon) near->gathered = &s->scorers[i].found;
}

/* All candidates of a pass, and room for those put aside. */
static hf_status collect(search* s, const pass* p) {
    s->list = (hf_choice_list){.scorers = s->scorers};
    hf_status status = HF_OK;
    for (int i = 0; i < s->scorer_count && status == HF_OK; i++) {
        // the sample of a ball is its centre, which may lie one radius farther from the surface
        s->scorers[i].near.epsilon = p->epsilon + s->scorers[i].ball;
        s->scorers[i].kind = p->kind;
        share_gathered(s, i);
        status = hf_contact_collect(&s->scorers[i], s->workspace, &s->list);
    }
    s->answer->epsilon_m = p->epsilon;
    if (status != HF_OK || s->query->count == 1) return status;
    s->cancelled = !hf_choices_open(&s->list, s->workspace) || s->cancelled;
    s->list.aside = hf_workspace_take(s->workspace, (size_t)s->list.count + 1, sizeof *s->list.aside);
    return s->list.aside ? HF_OK : HF_ERROR_MEMORY;
}

static hf_status search_within(search* s, const pass* p) {
    s->hidden = 0, s->skipped = 0;
    hf_workspace_mark mark = hf_workspace_begin(s->workspace);
    hf_status status = collect(s, p);
    hf_limb_lanes* lanes = NULL;
    waiting w;
    w.count = w.hidden = 0, w.approached = false;
    bool any = true;
    for (int tried = 0; status == HF_OK && any && !has_answer(s) && !exhausted(s); tried++) {
        if (tried == SINGLY && !p->blocked) lanes = hf_contact_finisher_lanes(&s->finisher);
        status = lanes ? try_batch(s, p, lanes, &w, &any) : try_one(s, p, &any);
    }
    s->answer->candidates = s->list.sample_count;
    hf_workspace_end(s->workspace, mark);
    return status;
}

/* The same without passing over any candidate. */
static hf_status search_all_within(search* s, const pass* p) {
    s->thick = s->again = true;
    hf_status status = search_within(s, p);
    s->thick = s->pool.count > 0, s->again = false;
    return status;
}

static bool has_passed_over(const search* s) { return s->list.thin || s->skipped; }

/* Surfaces of one kind, with ever wider epsilons. */
typedef struct widening {
    pass next;
    int left;       /* epsilons not tried yet */
    double nearest; /* the first one with candidates, 0: none yet */
    pass thinned;   /* the last one in which candidates were passed over */
    bool has_thinned;
} widening;

/* A small set must not mean an empty answer: epsilon is widened, and the solver pulls what is nearest onto
   the surface. Goes on at once after epsilons without candidates. */
static hf_status search_wider(search* s, widening* w) {
    hf_contact_answer* a = s->answer;
    hf_status status = HF_OK;
    while (w->left > 0 && status == HF_OK && !s->pool.count && !exhausted(s)) {
        status = search_within(s, &w->next);
        if (a->candidates && w->nearest == 0) w->nearest = w->next.epsilon;
        if (has_passed_over(s)) w->thinned = w->next, w->has_thinned = true;
        w->next.tried = w->next.epsilon;
        w->next.epsilon *= 2;
        w->left--;
        if (a->candidates) break;
    }
    return status;
}

/* Where the factor alone decides, surfaces that do not help the task come after those that do, and are not
   even looked for before. A support that would push against the task by less than its friction comes after
   both: a limb on the floor may push the body along a direction just below the horizontal. */
enum { HELPFUL, ANY, AGAINST, KINDS };

static void list_kinds(const search* s, double epsilon, widening kinds[KINDS]) {
    const hf_contact_query* q = s->query;
    bool by_factor = hf_contact_by_factor(q), pushes = hf_contact_pushes(q) && q->role == HF_ROLE_SUPPORT;
    const int all = WIDENINGS + 1;
    kinds[HELPFUL] =
        (widening){.next = {.epsilon = epsilon, .kind = HF_SURFACE_HELPFUL}, .left = by_factor ? all : 0};
    kinds[ANY] =
        (widening){.next = {.epsilon = epsilon, .kind = HF_SURFACE_ANY, .unhelpful = by_factor}, .left = all};
    kinds[AGAINST] =
        (widening){.next = {.epsilon = epsilon, .kind = HF_SURFACE_AGAINST}, .left = pushes ? all : 0};
}

/* Tries the candidates that were passed over, where no kind of surface gave a contact. */
static hf_status search_thinned(search* s, widening kinds[KINDS]) {
    hf_status status = HF_OK;
    for (int i = 0; i < KINDS && status == HF_OK && !s->pool.count && !exhausted(s); i++) {
        if (kinds[i].has_thinned) status = search_all_within(s, &kinds[i].thinned);
        kinds[i].has_thinned = false;
    }
    return status;
}

/* At last finishes the samples that collide as they were sampled: the solver may move them free. */
static hf_status search_blocked(search* s, widening kinds[KINDS]) {
    hf_status status = HF_OK;
    for (int i = 0; i < KINDS && status == HF_OK && !s->pool.count && !exhausted(s); i++) {
        kinds[i].next.epsilon = kinds[i].nearest;
        kinds[i].next.tried = 0;
        kinds[i].next.blocked = true;
        if (kinds[i].nearest > 0) status = search_within(s, &kinds[i].next);
    }
    return status;
}

static hf_status search_all(search* s) {
    const hf_contact_query* q = s->query;
    double first = q->epsilon_m > 0 ? q->epsilon_m : fmax(EPSILON_SHARE * s->limb->length, LEAST_EPSILON_M);
    widening kinds[KINDS];
    list_kinds(s, first, kinds);
    s->slack_m = SLACK_SHARE * first;
    hf_status status = HF_OK;
    for (int round = 0; round <= WIDENINGS && status == HF_OK; round++) {
        for (int i = 0; i < KINDS && status == HF_OK; i++) status = search_wider(s, &kinds[i]);
        if (status == HF_OK) status = search_thinned(s, kinds);
    }
    // fewer contacts than wanted: add surfaces that do not help the task, within the same epsilon
    if (status == HF_OK && kinds[ANY].next.unhelpful && s->pool.count && s->pool.chosen_count < q->count &&
        !exhausted(s) && kinds[ANY].left > WIDENINGS)
        status = search_within(
            s, &(pass){.epsilon = s->answer->epsilon_m, .kind = HF_SURFACE_ANY, .unhelpful = true});
    return status == HF_OK ? search_blocked(s, kinds) : status;
}

static void conclude(search* s) {
    hf_contact_answer* a = s->answer;
    const hf_contact_query* q = s->query;
    bool ended = exhausted(s);
    hf_contact_pool_read(&s->pool, a);
    if (a->contact_count == q->count)
        a->outcome = HF_FOUND, a->why = HF_CONTACT_ALL;
    else if (a->contact_count)
        a->outcome = HF_PARTIAL, a->why = s->cancelled ? HF_CONTACT_CANCELLED
                                          : ended      ? HF_CONTACT_TESTS_EXHAUSTED
                                                       : HF_CONTACT_FEWER;
    else if (s->cancelled)
        a->outcome = HF_CANCELLED, a->why = HF_CONTACT_CANCELLED;
    else if (ended)
        a->outcome = HF_BUDGET, a->why = HF_CONTACT_TESTS_EXHAUSTED;
    else if (a->candidates == 0)
        a->why = HF_CONTACT_OUT_OF_REACH;
    else
        a->why = a->colliding ? HF_CONTACT_ALL_COLLIDING : HF_CONTACT_NONE_EXACT;
}

static bool excluded(const search* s) {
    for (int i = 0; i < s->query->touch_count; i++)
        for (int k = 0; k < s->limb->exclude_count; k++)
            if (s->query->touches[i].limb == s->limb->excludes[k]) return true;
    return false;
}

hf_status hf_contact_find(const hf_creature* creature, const hf_samples* const* samples,
                          const hf_placement* placement, const hf_contact_query* query,
                          hf_workspace* workspace, hf_contact_answer* answer) {
    HF_REQUIRE(NULL, creature && query && workspace && answer);
    clear(answer);
    hf_status status = check(creature, samples, placement, query, answer);
    if (status != HF_OK) return status;
    search s = {.creature = creature,
                .placement = placement,
                .query = query,
                .workspace = workspace,
                .answer = answer,
                .limb = &creature->view.limbs[query->limb]};
    if (excluded(&s)) {
        answer->why = HF_CONTACT_EXCLUDED;
        return HF_OK;
    }
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    status = prepare(&s, samples);
    if (status == HF_OK) status = search_all(&s);
    if (status == HF_OK)
        conclude(&s);
    else
        clear(answer);
    hf_workspace_end(workspace, mark);
    return status;
}

/* ---- several limbs ---- */

hf_status hf_contact_find_all(const hf_creature* creature, const hf_samples* const* const* samples,
                              const hf_placement* placement, const hf_contact_query* queries, int count,
                              hf_workspace* workspace, hf_contact_answer* const* answers, double* q) {
    HF_REQUIRE(NULL, creature && samples && placement && queries && workspace && answers);
    for (int i = 0; i < count; i++) clear(answers[i]);
    if (count < 1 || !queries[0].pose.q) return HF_ERROR_ARGUMENT;
    int most = 0;
    for (int i = 0; i < count; i++) {
        if (queries[i].touch_count < 0) return HF_ERROR_ARGUMENT;
        most = queries[i].touch_count > most ? queries[i].touch_count : most;
    }
    size_t bytes = sizeof(double) * (size_t)creature->view.q_count;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    double* now = hf_workspace_take(workspace, (size_t)creature->view.q_count + 1, sizeof *now);
    hf_hold* touches = hf_workspace_take(workspace, (size_t)most + (size_t)count, sizeof *touches);
    hf_hold* made = hf_workspace_take(workspace, (size_t)count, sizeof *made);
    hf_status status = now && touches && made ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) memcpy(now, queries[0].pose.q, bytes);
    int made_count = 0;
    for (int i = 0; i < count && status == HF_OK; i++) {
        // touches of this query: the given ones of limbs that have no new contact yet, and all new contacts
        hf_contact_query one = queries[i];
        one.pose = (hf_pose){queries[0].pose.root, now};
        one.touches = touches;
        one.touch_count = 0;
        for (int k = 0; k < queries[i].touch_count; k++) {
            bool moved = false;
            for (int m = 0; m < made_count; m++) moved |= made[m].limb == queries[i].touches[k].limb;
            if (!moved) touches[one.touch_count++] = queries[i].touches[k];
        }
        for (int m = 0; m < made_count; m++) touches[one.touch_count++] = made[m];
        status = hf_contact_find(creature, samples[i], placement, &one, workspace, answers[i]);
        if (status != HF_OK || !answers[i]->contact_count) continue;
        const hf_contact* best = &answers[i]->contacts[0];
        memcpy(now, best->q, bytes);
        made[made_count++] = best->hold;
    }
    if (status == HF_OK && q) memcpy(q, now, bytes);
    for (int i = 0; i < count && status != HF_OK; i++) clear(answers[i]);
    hf_workspace_end(workspace, mark);
    return status;
}
