/* Contact queries (efort-2014-journal sections 3 and 5): candidates and their scores, then one after the
   other, best first: the limb as sampled must be free, what is brought exactly onto the surface must be free
   again, and the best that are make the answer. */
#include "contact/contact_finish.h"
#include "base/error.h"
#include "contact/contact_pool.h"
#include "contact/contact_score.h"
#include "contact/tilt_memory.h"

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
enum { MAX_CONTACTS = 1000 };

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
    for (int i = 0; good && i < HF_TERM_COUNT; i++) good = in_range(q->weights[i], 0, 1e6);
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
    hf_choice_list list;      /* of this pass */
    hf_contact_choice* aside; /* passed over, where several contacts are wanted */
    int aside_count;
    int hidden; /* blocked in this pass */
    hf_tilt_memory tilts;
    int skipped;   /* for them, in this pass */
    uint32_t thin; /* samples with one of these bits in their hash are passed over */
    bool thick;    /* none are: every candidate is wanted */
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
    for (int i = 0; i < s->aside_count; i++) hf_choices_return(&s->list, s->aside[i]);
    s->aside_count = 0;
    s->thin = 0, s->thick = true;
}

/* Is max_tests used up, or has the callback that watches the workspace ended the query? */
static bool exhausted(search* s) {
    s->cancelled = s->cancelled || !hf_workspace_goes_on(s->workspace);
    return s->cancelled || s->answer->tested + s->answer->looked / LOOKS_A_TEST >= s->query->max_tests;
}

/* Brought onto the surface and tested. */
static hf_status finish(search* s, const hf_contact_scorer* scorer, const hf_contact_choice* choice,
                        const hf_surface* surface, double factor, double score) {
    const hf_samples* samples = scorer->samples;
    hf_contact contact = {.sample_score = score};
    hf_finish end;
    s->answer->tested++;
    hf_status status = hf_contact_finish(&s->finisher, samples, (int)choice->sample,
                                         samples->block->key.contact, surface, s->slack_m, &contact, &end);
    if (status != HF_OK) return status;
    s->answer->unfinished += end == HF_FINISH_INEXACT;
    s->answer->colliding += end == HF_FINISH_COLLIDES || end == HF_FINISH_TILTED;
    if (end == HF_FINISH_TILTED)
        hf_tilt_memory_add(&s->tilts, surface, contact.position_error_m, contact.angle_error_rad);
    s->answer->valid += end == HF_FINISH_VALID;
    if (end != HF_FINISH_VALID) return HF_OK;
    status = finished_terms(s, scorer, factor, &contact);
    if (status == HF_OK) accept(s, &contact);
    return status;
}

/* Does a pass take a choice with this surface? Surfaces that an earlier pass tried are left out. */
static bool is_for(const pass* p, const hf_contact_scorer* scorer, const hf_surface* surface, double factor) {
    return !(p->tried > 0 && surface->distance <= p->tried + scorer->ball) && !(p->unhelpful && factor > 0);
}

/* Looks at a choice as sampled, and finishes it when it is free. */
static hf_status look(search* s, const pass* p, const hf_contact_choice* choice, const hf_surface* surface,
                      double factor, double score) {
    const hf_contact_scorer* scorer = &s->scorers[choice->set];
    s->answer->looked++;
    bool clear = hf_contact_clear(&s->finisher.clearance, scorer->samples, (int)choice->sample,
                                  scorer->samples->block->key.contact, surface, s->slack_m);
    s->answer->blocked += !clear && !p->blocked;
    s->hidden += !clear;
    if (s->hidden >= THIN_AFTER && !s->thick && !p->blocked) s->thin = 2 * s->thin + 1, s->hidden = 0;
    return clear != p->blocked ? finish(s, scorer, choice, surface, factor, score) : HF_OK;
}

/* Keeps a choice that is passed over, where the query wants several contacts. */
static void put_aside(search* s, hf_contact_choice choice) {
    if (s->query->count > 1) s->aside[s->aside_count++] = choice;
}

/* The best choice that is left: finished and tested, passed over, or put back when its bound was too high. */
static hf_status try_choice(search* s, const pass* p, hf_contact_choice choice) {
    if (choice.sample * 2654435761u >> 12 & s->thin) {
        put_aside(s, choice);
        return HF_OK;
    }
    hf_surface surface;
    double factor, score;
    bool any, exact;
    float next = choice.exact ? -INFINITY : hf_choices_best(&s->list);
    hf_status status = hf_contact_resolve(&s->scorers[choice.set], &choice, next, s->workspace, &surface,
                                          &factor, &score, &exact, &any);
    if (status != HF_OK || !any) return status;
    if (!choice.exact && (float)score < next) {
        choice.score = (float)score;
        choice.exact = exact;
        hf_choices_return(&s->list, choice);
        return HF_OK;
    }
    if (!is_for(p, &s->scorers[choice.set], &surface, factor)) return HF_OK;
    if (!p->blocked && !s->thick && hf_tilt_memory_skips(&s->tilts, &surface)) {
        s->skipped++;
        put_aside(s, choice);
        return HF_OK;
    }
    return look(s, p, &choice, &surface, factor, score);
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
    s->list = (hf_choice_list){0};
    hf_status status = HF_OK;
    for (int i = 0; i < s->scorer_count && status == HF_OK; i++) {
        // the sample of a ball is its centre, which may lie one radius farther from the surface
        s->scorers[i].near.epsilon = p->epsilon + s->scorers[i].ball;
        s->scorers[i].kind = p->kind;
        share_gathered(s, i);
        status = hf_contact_collect(&s->scorers[i], s->workspace, &s->list);
    }
    s->answer->epsilon_m = p->epsilon;
    s->answer->candidates = s->list.count;
    s->aside_count = 0;
    if (status != HF_OK || s->query->count == 1) return status;
    s->aside = hf_workspace_take(s->workspace, (size_t)s->list.count + 1, sizeof *s->aside);
    return s->aside ? HF_OK : HF_ERROR_MEMORY;
}

static hf_status search_within(search* s, const pass* p) {
    s->hidden = 0, s->thin = 0, s->skipped = 0;
    hf_tilt_memory_clear(&s->tilts, s->finisher.turn_m);
    hf_workspace_mark mark = hf_workspace_begin(s->workspace);
    hf_status status = collect(s, p);
    hf_contact_choice next;
    while (status == HF_OK && !(s->query->count == 1 && s->pool.count) && !exhausted(s) &&
           hf_choices_next(&s->list, &next))
        status = try_choice(s, p, next);
    hf_workspace_end(s->workspace, mark);
    return status;
}

/* The same without passing over any candidate. */
static hf_status search_all_within(search* s, const pass* p) {
    s->thick = true;
    hf_status status = search_within(s, p);
    s->thick = s->pool.count > 0;
    return status;
}

static bool has_passed_over(const search* s) { return s->thin || s->skipped; }

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
