/* Contact queries (efort-2014-journal sections 3 and 5): candidates, scores, then one after the other until
   enough of them are finished exactly and free of collision: by score, but what looks hopeless last. */
#include "contact/contact_finish.h"
#include "contact/contact_score.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "contact/target.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Default epsilon as a share of the limb's length. */
static const double EPSILON_SHARE = 0.03;
static const double LEAST_EPSILON_M = 0.001;
/* Samples whose contact normal is farther than this from against the surface's wait until no other gives a
   contact: what the solver makes of them has little to do with what was scored. */
static const double FACING_COSINE = 0.17; /* 80 degrees */
/* Where this many candidates failed close to each other, the others there wait until no other place
   gives a contact: neighbours mostly fail alike. */
enum { PLACE_FAILURES = 2, MAX_PLACES = 400 };
static const double PLACE_SIZE = 2; /* in epsilons */
/* A sample whose upper limb lies deeper than this in the scene waits, too; in epsilons. */
static const double BLOCKED_SHARE = 0.4;
/* Sparse sets: epsilon is doubled up to this often until a contact is found. */
enum { WIDENINGS = 4 };
enum { MAX_CONTACTS = 1000, MAX_TESTS = 10000000 };

hf_contact_query hf_contact_query_default(void) {
    hf_contact_query q = {.direction = {0, 0, 1},
                          .count = 1,
                          .apart_m = 0.05,
                          .max_tilt_rad = 3.14159265358979323846,
                          .max_angle_rad = 1,
                          .max_tests = 1000};
    q.pose.root = hf_transform_identity();
    q.weights[HF_TERM_EFFORT] = 1;
    return q;
}

const char* hf_contact_why_text(hf_contact_why why) {
    static const char* const texts[] = {
        "as many as asked for",        "no surface within reach",     "all colliding",
        "none can be touched exactly", "another contact excludes it", "the tests were used up",
        "fewer are that far apart"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

/* ---- answers ---- */

hf_status hf_contact_answer_create(const hf_creature* creature, int capacity, hf_contact_answer** answer) {
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
    a->candidates = a->tested = a->colliding = a->unfinished = a->contact_count = 0;
    a->epsilon_m = 0;
}

/* ---- what is refused ---- */

static bool in_range(double value, double low, double high) { return value >= low && value <= high; }

static bool good_numbers(const hf_creature* c, const hf_contact_query* q) {
    bool good = hf_finite_transform(q->pose.root) && hf_finite3(q->direction);
    good = good && hf_length(q->direction) > 0 && isfinite(hf_length(q->direction));
    good = good && in_range(q->epsilon_m, 0, 1e3) && in_range(q->apart_m, 0, 1e9);
    good = good && in_range(q->min_size_m, 0, 1e3) && in_range(q->max_tilt_rad, 0, 3.2);
    good = good && in_range(q->max_angle_rad, 0, 3.2) && in_range(q->max_tests, 1, MAX_TESTS);
    good = good && in_range(q->count, 1, MAX_CONTACTS) && (unsigned)q->role <= HF_ROLE_GRIP && q->pose.q;
    good = good && q->touch_count >= 0 && (q->touches || q->touch_count == 0);
    for (int i = 0; good && i < HF_TERM_COUNT; i++) good = in_range(q->weights[i], 0, 1e6);
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
        const hf_sample_key* key = &samples[i]->block->key;
        int frame = limb->contact_count > 0 ? i : -1;
        if (key->creature != c->hash || key->limb != q->limb || key->contact != frame)
            return HF_ERROR_ARGUMENT;
    }
    return HF_OK;
}

/* ---- one search ---- */

typedef struct search {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_contact_query* query;
    hf_workspace* workspace;
    hf_contact_answer* answer;
    const hf_limb* limb;
    int scorer_count;
    hf_contact_scorer* scorers; /* one for each set in use */
    hf_contact_finisher finisher;
    double epsilon;
    bool patient; /* places that failed are passed over for now */
    int looks;    /* candidates looked at */
    int place_count;
    struct {
        hf_vec3 point, normal;
        int set, failures;
    } places[MAX_PLACES];
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
    // a limb of no length is its effector alone
    double length = s->limb->length > 1e-3 ? s->limb->length : 1e-3;
    *to = (hf_contact_scorer){.creature = s->creature,
                              .query = s->query,
                              .samples = samples,
                              .set = set,
                              .ball = contact ? contact->ball : 0,
                              .near = {.placement = s->placement, .base = base, .use = use},
                              .free_grip = free_grip,
                              .length = length,
                              .direction = hf_unrotate(base.rotation, hf_normalize(s->query->direction)),
                              .up = hf_unrotate(base.rotation, hf_v3(0, 0, 1)),
                              .effector = hf_unapply(base, at),
                              .q = q};
}

static hf_status prepare(search* s, const hf_samples* const* samples) {
    const hf_creature_view* view = &s->creature->view;
    const hf_contact_query* query = s->query;
    size_t q_count = (size_t)view->q_count + 1, sets = (size_t)set_count(s->limb);
    hf_contact_finisher* f = &s->finisher;
    *f = (hf_contact_finisher){.creature = s->creature, .placement = s->placement, .query = query};
    f->links = hf_workspace_take(s->workspace, (size_t)view->link_count, sizeof *f->links);
    f->touches = hf_workspace_take(s->workspace, (size_t)query->touch_count + 1, sizeof *f->touches);
    f->q = hf_workspace_take(s->workspace, q_count, sizeof *f->q);
    f->posture = hf_workspace_take(s->workspace, q_count, sizeof *f->posture);
    s->scorers = hf_workspace_take(s->workspace, sets, sizeof *s->scorers);
    bool *use, *free_grip;
    hf_status status = choose_objects(s, &use, &free_grip);
    if (status != HF_OK || !f->links || !f->touches || !f->q || !f->posture || !s->scorers)
        return HF_ERROR_MEMORY;
    hf_forward(s->creature, &query->pose, f->links);
    f->base = f->links[s->limb->base_link];
    f->use = use;
    // what this limb held it lets go
    for (int i = 0; i < query->touch_count; i++)
        if (query->touches[i].limb != query->limb) f->touches[f->touch_count++] = query->touches[i];
    memcpy(f->posture, query->pose.q, sizeof(double) * (size_t)view->q_count);
    for (int i = 0; i < (int)sets; i++)
        if (samples[i]) {
            set_scorer(s, samples[i], i, use, free_grip, f->posture, &s->scorers[s->scorer_count]);
            s->scorers[s->scorer_count].set = s->scorer_count;
            s->scorer_count++;
        }
    return HF_OK;
}

/* Is there a contact of the answer nearer than the least distance? */
static bool too_near(const search* s, hf_vec3 point) {
    for (int i = 0; i < s->answer->contact_count; i++)
        if (hf_distance(point, s->answer->contacts[i].point) < s->query->apart_m) return true;
    return false;
}

/* The place of failures that a surface belongs to, or -1. */
static int place_of(const search* s, int set, const hf_surface* at) {
    for (int i = 0; i < s->place_count; i++)
        if (s->places[i].set == set && hf_dot(s->places[i].normal, at->normal) > 0.9 &&
            hf_distance(s->places[i].point, at->point) < PLACE_SIZE * s->epsilon)
            return i;
    return -1;
}

static void note_failure(search* s, int set, const hf_surface* at) {
    int place = place_of(s, set, at);
    if (place < 0 && s->place_count == MAX_PLACES) return;
    if (place < 0) {
        place = s->place_count++;
        s->places[place].point = at->point;
        s->places[place].normal = at->normal;
        s->places[place].set = set;
        s->places[place].failures = 0;
    }
    s->places[place].failures++;
}

static void accept(search* s, const hf_contact* contact) {
    hf_contact_answer* a = s->answer;
    double* q = a->q + (size_t)a->contact_count * (size_t)a->q_count;
    memcpy(q, s->finisher.q, sizeof(double) * (size_t)a->q_count);
    a->contacts[a->contact_count] = *contact;
    a->contacts[a->contact_count++].q = q;
}

/* The budget counts work: thirty looks are as much as a test. */
static bool exhausted(const search* s) { return s->answer->tested + s->looks / 30 >= s->query->max_tests; }

/* The best choice that is left: finished and tested, passed over, or put back when its bound was too high. */
static hf_status try_next(search* s, hf_contact_choice* heap, int* count) {
    hf_contact_choice top = hf_choices_pop(heap, count);
    const hf_contact_scorer* scorer = &s->scorers[top.set];
    s->looks++;
    hf_contact contact = {0};
    hf_surface surface;
    bool any;
    hf_status status = hf_contact_resolve(scorer, (int)top.sample, s->workspace, &surface, contact.terms,
                                          &contact.score, &any);
    if (status != HF_OK || !any) return status;
    if (!top.exact && *count && contact.score < heap[0].score) {
        top.score = contact.score;
        top.exact = true;
        hf_choices_push(heap, count, top);
        return HF_OK;
    }
    if (too_near(s, surface.point)) return HF_OK;
    int place = s->patient ? place_of(s, top.set, &surface) : -1;
    bool hopeless = place >= 0 && s->places[place].failures >= PLACE_FAILURES;
    if (s->patient && !hopeless)
        hopeless =
            hf_contact_blocked(&s->finisher, scorer->samples, (int)top.sample, BLOCKED_SHARE * s->epsilon);
    if (hopeless) return HF_OK;
    hf_finish finish;
    s->answer->tested++;
    status =
        hf_contact_finish(&s->finisher, scorer->samples, (int)top.sample, scorer->samples->block->key.contact,
                          &surface, s->workspace, &contact, &finish);
    if (status != HF_OK) return status;
    s->answer->unfinished += finish == HF_FINISH_INEXACT;
    s->answer->colliding += finish == HF_FINISH_COLLIDES;
    if (finish == HF_FINISH_VALID) {
        contact.terms[HF_TERM_COMFORT] = hf_contact_comfort(scorer, (int)top.sample);
        accept(s, &contact);
    } else
        note_failure(s, top.set, &surface);
    return HF_OK;
}

/* What is within one epsilon: samples that face their surface, or all of them; patiently, or all the same. */
static hf_status search_within(search* s, double epsilon, bool facing, bool patient) {
    hf_contact_choice* heap = NULL;
    int count = 0, near = 0;
    hf_status status = HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(s->workspace);
    for (int i = 0; i < s->scorer_count && status == HF_OK; i++) {
        // a ball's sample is its centre: near when its skin is, or when it is under it
        s->scorers[i].near.epsilon = epsilon + s->scorers[i].ball;
        bool any_angle = !facing || s->scorers[i].ball > 0 || s->query->role == HF_ROLE_GRIP ||
                         s->scorers[i].samples->block->key.contact < 0;
        s->scorers[i].facing = any_angle ? -2 : FACING_COSINE;
        status = hf_contact_collect(&s->scorers[i], s->workspace, &heap, &count, &near);
    }
    s->answer->epsilon_m = epsilon;
    s->answer->candidates = near;
    s->epsilon = epsilon;
    s->patient = patient;
    s->place_count = 0;
    if (count) hf_choices_heap(heap, count);
    while (status == HF_OK && count && s->answer->contact_count < s->query->count && !exhausted(s))
        status = try_next(s, heap, &count);
    hf_workspace_end(s->workspace, mark);
    return status;
}

/* A small set must not mean an empty answer: epsilon is widened, and the solver pulls what is nearest onto
   the surface. What was passed over on the way is tried in the end. */
static hf_status search_all(search* s) {
    hf_contact_answer* a = s->answer;
    const hf_contact_query* q = s->query;
    double first = q->epsilon_m > 0 ? q->epsilon_m : fmax(EPSILON_SHARE * s->limb->length, LEAST_EPSILON_M);
    double nearest = 0; /* the first epsilon with candidates */
    hf_status status = HF_OK;
    for (int i = 0; i < 2 * (WIDENINGS + 1) && status == HF_OK && !a->contact_count; i++) {
        double epsilon = first * (1 << i / 2);
        if (exhausted(s) || (i % 2 && nearest == 0)) continue;
        status = search_within(s, epsilon, i % 2 == 0, true);
        if (a->candidates && nearest == 0) nearest = epsilon;
    }
    if (status == HF_OK && !a->contact_count && nearest > 0 && !exhausted(s))
        status = search_within(s, nearest, false, false);
    return status;
}

static void conclude(const search* s) {
    hf_contact_answer* a = s->answer;
    const hf_contact_query* q = s->query;
    bool ended = exhausted(s);
    if (a->contact_count == q->count)
        a->outcome = HF_FOUND, a->why = HF_CONTACT_ALL;
    else if (a->contact_count)
        a->outcome = HF_PARTIAL, a->why = ended ? HF_CONTACT_TESTS_EXHAUSTED : HF_CONTACT_FEWER;
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
    hf_workspace_end(workspace, mark);
    if (status == HF_OK)
        conclude(&s);
    else
        clear(answer);
    return status;
}

/* ---- several limbs ---- */

hf_status hf_contact_find_all(const hf_creature* creature, const hf_samples* const* const* samples,
                              const hf_placement* placement, const hf_contact_query* queries, int count,
                              hf_workspace* workspace, hf_contact_answer* const* answers, double* q) {
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
    hf_touch* touches = hf_workspace_take(workspace, (size_t)most + (size_t)count, sizeof *touches);
    hf_touch* made = hf_workspace_take(workspace, (size_t)count, sizeof *made);
    hf_status status = now && touches && made ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) memcpy(now, queries[0].pose.q, bytes);
    int made_count = 0;
    for (int i = 0; i < count && status == HF_OK; i++) {
        // what held before, but for limbs that were given a contact since, and those contacts
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
        made[made_count++] = (hf_touch){best->limb, best->object, best->grip};
    }
    if (status == HF_OK && q) memcpy(q, now, bytes);
    for (int i = 0; i < count && status != HF_OK; i++) clear(answers[i]);
    hf_workspace_end(workspace, mark);
    return status;
}
