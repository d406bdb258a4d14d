/* One request at a time (for a game): the work of a request runs in a thread of its own, which waits where it
   asks for progress once the caller's budget is used up, and goes on from there in the caller's next frame.
   Budgets change when something is found out, never what. */
#include "reach/reach_run.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef enum work { NOTHING, ROADMAP, ACTION } work;

struct hf_reach_session {
    hf_reach_runner runner;
    hf_reach_options options;
    hf_reach_result result;
    work work; /* what there is to do */
    hf_action action;
    pthread_t thread;
    bool running; /* the thread is there */
    bool ended;   /* and has done its work; by the runner's mutex */
    hf_status status;
    hf_error error;
};
typedef struct hf_reach_session session;

/* The runner is the first member. */
static session* of(hf_reacher* reacher) { return (session*)(void*)reacher; }

hf_status hf_reach_begin(const hf_scenario* scenario, const hf_reach_options* options, hf_reacher** reacher,
                         hf_error* error) {
    HF_REQUIRE(error, scenario && options && reacher);
    *reacher = NULL;
    hf_status status = hf_options_check(hf_reach_option_table(), options, error);
    if (status != HF_OK) return status;
    if (scenario->kind != HF_SCENARIO_REACH)
        return hf_fail(error, HF_ERROR_FORMAT, scenario->path, 0, "kind", "is not \"reach\"");
    session* s = hf_alloc(1, sizeof *s);
    if (!s) return hf_fail_memory(error, scenario->path);
    s->options = *options;
    s->runner.scenario = scenario;
    s->runner.options = &s->options;
    s->runner.result = &s->result;
    s->work = ROADMAP;
    pthread_mutex_init(&s->runner.mutex, NULL);
    pthread_cond_init(&s->runner.rested, NULL);
    pthread_cond_init(&s->runner.budget, NULL);
    status = hf_reach_runner_create(&s->runner, error);
    if (status == HF_OK && options->roadmap)
        status = hf_reach_roadmap_fits(&s->runner, options->roadmap, error);
    if (status == HF_OK)
        *reacher = &s->runner;
    else
        hf_reach_end(&s->runner, NULL, NULL);
    return status;
}

void hf_reach_watch(hf_reacher* reacher, hf_progress_fn progress, void* user) {
    if (!reacher) return;
    reacher->progress = progress;
    reacher->user = user;
}

static bool is_busy(const session* s) { return s->work != NOTHING; }

hf_status hf_reach_request(hf_reacher* reacher, const hf_action* action, hf_error* error) {
    HF_REQUIRE(error, reacher && action);
    session* s = of(reacher);
    if (is_busy(s))
        return hf_fail(error, HF_ERROR_ARGUMENT, reacher->scenario->path, 0, "request",
                       "the one before is not done");
    if (s->status != HF_OK)
        return hf_fail(error, HF_ERROR_ARGUMENT, reacher->scenario->path, 0, "request",
                       "an earlier one failed: %s", s->error.message);
    s->action = *action;
    s->work = ACTION;
    return HF_OK;
}

static void do_work(session* s) {
    hf_reach_runner* r = &s->runner;
    if (s->work == ROADMAP)
        s->status = hf_reach_runner_begin(r, &s->error);
    else
        s->status = hf_fail_status(&s->error, hf_reach_runner_act(r, &s->action), r->scenario->path);
}

static void* thread_main(void* user) {
    session* s = user;
    do_work(s);
    pthread_mutex_lock(&s->runner.mutex);
    s->ended = true;
    pthread_cond_signal(&s->runner.rested);
    pthread_mutex_unlock(&s->runner.mutex);
    return NULL;
}

/* Lets the thread work up to a time; true when it has ended. */
static bool let_work(session* s, double until_s) {
    hf_reach_runner* r = &s->runner;
    pthread_mutex_lock(&r->mutex);
    r->deadline_s = until_s;
    pthread_cond_broadcast(&r->budget);
    // some of its threads may wait for others that wait for budget
    while (!s->ended && (r->waiting == 0 || hf_now_s() < r->deadline_s))
        pthread_cond_wait(&r->rested, &r->mutex);
    bool ended = s->ended;
    pthread_mutex_unlock(&r->mutex);
    if (!ended) return false;
    pthread_join(s->thread, NULL);
    s->running = s->ended = false;
    r->deadline_s = INFINITY;
    return true;
}

hf_status hf_reach_continue(hf_reacher* reacher, double budget_s, bool* done, hf_error* error) {
    HF_REQUIRE(error, reacher && done);
    session* s = of(reacher);
    *done = !is_busy(s);
    if (*done) return HF_OK;
    if (!(budget_s > 0))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "budget_s", "%g must be above 0", budget_s);
    double until_s = hf_now_s() + budget_s;
    if (!s->running && isinf(budget_s)) {
        do_work(s);
        *done = true;
    } else {
        if (!s->running) {
            reacher->deadline_s = until_s;
            if (pthread_create(&s->thread, NULL, thread_main, s) != 0) {
                reacher->deadline_s = INFINITY;
                return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, NULL, "no thread could be started");
            }
            s->running = true;
        }
        *done = let_work(s, until_s);
    }
    if (!*done) return HF_OK;
    s->work = NOTHING;
    if (s->status != HF_OK && error) *error = s->error;
    return s->status;
}

const hf_reach_action_result* hf_reach_answer(const hf_reacher* reacher) {
    if (!reacher || reacher->result->action_count == 0 || is_busy(of((hf_reacher*)(uintptr_t)reacher)))
        return NULL;
    return &reacher->result->actions[reacher->result->action_count - 1];
}

const hf_schedule* hf_reach_schedule(const hf_reacher* reacher) {
    if (!reacher || is_busy(of((hf_reacher*)(uintptr_t)reacher))) return NULL;
    return reacher->result->schedule;
}

static void stop(session* s) {
    if (!s->running) return;
    pthread_mutex_lock(&s->runner.mutex);
    s->runner.stopped = true;
    pthread_mutex_unlock(&s->runner.mutex);
    let_work(s, INFINITY);
}

hf_status hf_reach_end(hf_reacher* reacher, hf_reach_result* result, hf_error* error) {
    HF_REQUIRE(error, reacher);
    session* s = of(reacher);
    hf_status status = s->status;
    stop(s);
    if (result) memset(result, 0, sizeof *result);
    if (result && status == HF_OK && s->result.schedule && s->result.schedule->knot_count)
        status = hf_reach_runner_realise(&s->runner, error);
    if (result && status == HF_OK)
        *result = s->result;
    else
        hf_reach_result_free(&s->result);
    hf_reach_runner_destroy(&s->runner);
    pthread_mutex_destroy(&s->runner.mutex);
    pthread_cond_destroy(&s->runner.rested);
    pthread_cond_destroy(&s->runner.budget);
    hf_free(s);
    return status;
}

hf_status hf_reach_run(const hf_scenario* scenario, const hf_reach_options* options, hf_progress_fn progress,
                       void* user, hf_reach_result* result, hf_error* error) {
    HF_REQUIRE(error, scenario && options && result);
    memset(result, 0, sizeof *result);
    if (scenario->kind != HF_SCENARIO_REACH || scenario->action_count == 0)
        return hf_fail(error, HF_ERROR_FORMAT, scenario->path, 0, "actions", "there are none");
    hf_reacher* r;
    hf_status status = hf_reach_begin(scenario, options, &r, error);
    if (status != HF_OK) return status;
    hf_reach_watch(r, progress, user);
    r->leaves_start = scenario->actions[0].kind == HF_ACTION_STEP;
    bool done;
    status = hf_reach_continue(r, INFINITY, &done, error);
    for (int i = 0; i < scenario->action_count && status == HF_OK && r->result->outcome == HF_FOUND; i++) {
        r->next = i + 1 < scenario->action_count ? &scenario->actions[i + 1] : NULL;
        status = hf_reach_request(r, &scenario->actions[i], error);
        if (status == HF_OK) status = hf_reach_continue(r, INFINITY, &done, error);
    }
    hf_status ended = hf_reach_end(r, status == HF_OK ? result : NULL, status == HF_OK ? error : NULL);
    return status == HF_OK ? ended : status;
}
