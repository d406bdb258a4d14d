/* Attempts at a plan, each with a guide of its own. The next one begins when the one before is in trouble,
   and as many run at once as there are threads; the first in their order that arrives is the answer, so that
   it is the same for any number of threads. */
#include "plan/planner.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <pthread.h>
#include <string.h>

typedef struct contest contest;

typedef struct attempt {
    contest* contest;
    hf_planner planner;
    hf_plan_result result;
    hf_status status;
} attempt;

struct contest {
    const hf_plan_query* query;
    hf_progress_fn progress;
    void* user;
    pthread_mutex_t mutex; /* of what follows, and of calls of progress */
    pthread_cond_t changed;
    int last;        /* the first attempt that is known to end it all */
    int wanted;      /* the last one that should run by now */
    double farthest; /* share of the way that was reported */
    bool cancelled;
    int count;
    attempt* attempts; /* those of one round */
};

/* Called by every attempt: those behind the last one give up. */
static bool relay(void* user, double fraction, const char* stage) {
    const attempt* a = user;
    contest* c = a->contest;
    pthread_mutex_lock(&c->mutex);
    if (fraction > c->farthest) c->farthest = fraction;
    if (c->progress && !c->cancelled && !c->progress(c->user, c->farthest, stage)) c->cancelled = true;
    bool goes_on = !c->cancelled && a->planner.world.attempt < c->last;
    // a question from inside the work says nothing new of the attempt
    if (fraction < 0 && !c->cancelled) {
        pthread_mutex_unlock(&c->mutex);
        return goes_on;
    }
    if (a->planner.progress.stalled > a->planner.world.options->patience / 5 &&
        c->wanted <= a->planner.world.attempt)
        c->wanted = a->planner.world.attempt + 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    return goes_on;
}

/* Is it of no use to try another guide? */
static bool is_final(const hf_plan_result* r, const hf_plan_query* q) {
    return q->guide_count > 0 || r->why == HF_PLAN_DONE || r->why == HF_PLAN_NO_GUIDE ||
           r->why == HF_PLAN_START_COLLIDES || r->why == HF_PLAN_START_UNBALANCED;
}

/* Waits until the attempt should run; false when it need not. */
static bool is_wanted(contest* c, int number) {
    pthread_mutex_lock(&c->mutex);
    while (c->wanted < number && !c->cancelled && number < c->last) pthread_cond_wait(&c->changed, &c->mutex);
    bool wanted = !c->cancelled && number < c->last;
    pthread_mutex_unlock(&c->mutex);
    return wanted;
}

/* Takes the attempt's result into account as soon as it is known. */
static void run(void* context, int index, int worker) {
    (void)worker;
    contest* c = context;
    attempt* a = &c->attempts[index];
    hf_planner* p = &a->planner;
    p->progress.work = p->progress.stalled = 0;
    p->progress.cancelled = false;
    hf_workspace_watch(p->tools.workspace, relay, a);
    hf_clearance_forget(p->tools.clearance);
    a->status = HF_OK;
    a->result.why = HF_PLAN_CANCELLED;
    if (is_wanted(c, p->world.attempt)) a->status = hf_plan_attempt(p, c->query, &a->result);
    pthread_mutex_lock(&c->mutex);
    bool ends = a->status != HF_OK || is_final(&a->result, c->query) ||
                p->progress.work >= p->world.options->max_work;
    if (ends && p->world.attempt < c->last) c->last = p->world.attempt;
    if (c->wanted <= p->world.attempt) c->wanted = p->world.attempt + 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

/* The better of two: the one that arrived or went farther; what is left over is freed. */
static void keep(hf_plan_result* best, hf_plan_result* next) {
    bool done = next->why == HF_PLAN_DONE;
    bool better = done || !best->schedule || (next->schedule && next->reached > best->reached);
    int work = best->work + next->work;
    if (better) {
        hf_plan_result_free(best);
        *best = *next;
        memset(next, 0, sizeof *next);
    } else {
        hf_plan_result_free(next);
    }
    best->work = work;
}

/* The results of a round in their order; true when that was the last. */
static bool judge(contest* c, int count, const hf_plan_options* o, hf_plan_result* best, hf_status* status) {
    bool last = false;
    for (int i = 0; i < count; i++) {
        hf_plan_result* r = &c->attempts[i].result;
        if (!last && *status == HF_OK) {
            *status = c->attempts[i].status;
            last = is_final(r, c->query) || best->work + r->work >= o->max_work;
            keep(best, r);
        }
        hf_plan_result_free(r);
    }
    return last || c->cancelled || *status != HF_OK;
}

static bool any_grip(const hf_scene* scene) {
    for (int i = 0; i < hf_scene_object_count(scene); i++)
        if (hf_scene_object(scene, i).grip) return true;
    return false;
}

static hf_outcome outcome_of(const hf_plan_result* r) {
    if (r->why == HF_PLAN_DONE) return HF_FOUND;
    if (r->why == HF_PLAN_CANCELLED) return HF_CANCELLED;
    if (r->schedule && r->stances > 1) return HF_PARTIAL;
    return r->why == HF_PLAN_WORK_ENDED ? HF_BUDGET : HF_NONE;
}

/* Rounds of attempts until one arrives or none is left. */
static hf_status hold_rounds(contest* c, const hf_plan_options* o, hf_plan_result* best) {
    hf_status status = HF_OK;
    bool last = false;
    for (int first = 0; first < o->guides && status == HF_OK && !last; first += c->count) {
        int count = o->guides - first < c->count ? o->guides - first : c->count;
        for (int i = 0; i < count; i++) c->attempts[i].planner.world.attempt = first + i;
        c->wanted = first;
        hf_parallel(c->count, count, run, c);
        last = judge(c, count, o, best, &status);
    }
    if (c->cancelled && best->why != HF_PLAN_DONE) best->why = HF_PLAN_CANCELLED;
    return status;
}

/* The motion of the schedule, whose frames the segments have tested. */
static hf_status realise(const hf_creature* creature, const hf_scene* scene, hf_plan_result* r) {
    hf_workspace* workspace = NULL;
    hf_realise_result told = {0};
    hf_realise_options options = {.test = false};
    hf_free(r->schedule->outcome);
    r->schedule->outcome = hf_copy_text(hf_outcome_text(r->outcome));
    hf_status status = r->schedule->outcome ? hf_workspace_create(&workspace) : HF_ERROR_MEMORY;
    if (status == HF_OK)
        status = hf_realise(creature, scene, r->schedule, &options, workspace, &r->motion, &told);
    hf_realise_result_free(&told);
    hf_workspace_free(workspace);
    return status;
}

/* Plans are made in scenes that stand still. */
static hf_status check_scene(const hf_scene* scene, hf_error* error) {
    for (int k = 0; k < hf_scene_object_count(scene); k++)
        if (hf_scene_object(scene, k).key_count > 1)
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "scene",
                           "object \"%.60s\" moves by keys; plans are made in scenes that stand still",
                           hf_scene_object(scene, k).name);
    return HF_OK;
}

static hf_status begin_attempt(contest* c, attempt* a, const hf_plan_model* model, const hf_scene* scene,
                               const hf_plan_options* options) {
    a->contest = c;
    a->planner = (hf_planner){.world = {.model = model,
                                        .scene = scene,
                                        .options = options,
                                        .has_grips = any_grip(scene),
                                        .still = options->still,
                                        .progress = relay,
                                        .user = a},
                              .start_q = c->query->start->pose.q,
                              .goal_q = c->query->goal->pose.q,
                              .progress = {.report = relay, .user = a}};
    return hf_planner_begin(&a->planner);
}

/* `misfit` says why the roadmap cannot be used, where that is the reason. */
static hf_status fail(hf_status status, const hf_error* misfit, hf_error* error) {
    const char* why =
        misfit->status != HF_OK       ? misfit->message
        : status == HF_ERROR_LIMIT    ? "start and goal are too far apart, or a stance has too many contacts"
        : status == HF_ERROR_ARGUMENT ? "a number of start, goal or guide is not finite or too far away"
                                      : hf_status_text(status);
    return hf_fail(error, status, NULL, 0, misfit->status != HF_OK ? "roadmap" : NULL, "%s", why);
}

hf_status hf_plan_find(const hf_plan_model* model, const hf_scene* scene, const hf_plan_query* query,
                       const hf_plan_options* options, hf_progress_fn progress, void* user,
                       hf_plan_result* result, hf_error* error) {
    HF_REQUIRE(error, model && scene && query && options && result && query->start && query->goal &&
                          query->start->pose.q && query->goal->pose.q &&
                          (query->guide || query->guide_count <= 0));
    memset(result, 0, sizeof *result);
    hf_status status = hf_options_check(hf_plan_option_table(), options, error);
    if (status == HF_OK) status = hf_options_check(hf_guide_option_table(), &options->guide, error);
    if (status == HF_OK) status = check_scene(scene, error);
    if (status != HF_OK) return status;
    double start = hf_now_s();
    contest c = {.query = query, .progress = progress, .user = user, .last = options->guides};
    // more at once than there are cores would only keep the first ones waiting
    int most = query->guide_count > 0 ? 1 : options->guides, cores = hf_parallel_workers(0);
    c.count = hf_parallel_workers(options->threads);
    if (c.count > cores) c.count = cores;
    if (c.count > most) c.count = most;
    c.attempts = hf_alloc((size_t)c.count, sizeof *c.attempts);
    if (!c.attempts) return hf_fail(error, HF_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
    pthread_mutex_init(&c.mutex, NULL);
    pthread_cond_init(&c.changed, NULL);
    for (int i = 0; i < c.count && status == HF_OK; i++)
        status = begin_attempt(&c, &c.attempts[i], model, scene, options);
    hf_error misfit = {0};
    if (status == HF_OK && query->roadmap)
        status =
            hf_roadmap_fits(query->roadmap, model->guide, c.attempts[0].planner.world.placement, &misfit);
    if (status == HF_OK) status = hold_rounds(&c, options, result);
    for (int i = 0; i < c.count; i++)
        if (c.attempts[i].contest) hf_planner_end(&c.attempts[i].planner);
    hf_free(c.attempts);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.mutex);
    result->contact_s = hf_now_s() - start - result->guide_s;
    result->outcome = outcome_of(result);
    if (result->schedule && status == HF_OK) status = realise(model->creature, scene, result);
    if (status == HF_OK) return HF_OK;
    hf_plan_result_free(result);
    return fail(status, &misfit, error);
}
