/* holdfast bench valid: random contact queries over all shipped creatures and contact scenarios, and over
   robots and scenes that others made; every answer is judged by the check module and must be valid. */
#include "bench.h"
#include "valid_query.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_QUERIES = 10000, MAX_THREADS = 64 };

/* What all threads share. */
typedef struct run {
    const options* o;
    valid_world world;
    uint64_t seed;
    int first, count;
    valid_result* results;
    atomic_int next, finished;
    atomic_bool stop;
    hf_error errors[MAX_THREADS];
} run;

typedef struct thread {
    run* run;
    int index;
    progress* progress; /* of the first thread */
} thread;

static void* work(void* argument) {
    thread* t = argument;
    run* r = t->run;
    valid_worker worker = {.world = &r->world, .o = r->o, .draw_to = r->o->query >= 0 ? r->o->output : NULL};
    hf_error* error = &r->errors[t->index];
    hf_status status = hf_workspace_create(&worker.workspace);
    if (status != HF_OK) set_error(error, status);
    int i;
    while (status == HF_OK && !r->stop && (i = r->next++) < r->count) {
        status = valid_query_run(&worker, r->seed, r->first + i, &r->results[i], error);
        r->finished++;
        if (t->progress && !progress_report(t->progress, (double)r->finished / r->count, "queries"))
            r->stop = true;
    }
    if (status == HF_OK)
        *error = (hf_error){0};
    else
        r->stop = true;
    hf_workspace_free(worker.workspace);
    return NULL;
}

/* Runs all queries; the results do not depend on the number of threads. */
static const hf_error* run_all(run* r, int threads, progress* p) {
    pthread_t handles[MAX_THREADS];
    thread workers[MAX_THREADS];
    int started = 1;
    for (int i = 0; i < threads; i++) workers[i] = (thread){r, i, i ? NULL : p};
    for (; started < threads; started++)
        if (pthread_create(&handles[started], NULL, work, &workers[started]) != 0) break;
    work(&workers[0]);
    for (int i = 1; i < started; i++) pthread_join(handles[i], NULL);
    for (int i = 0; i < started; i++)
        if (r->errors[i].status != HF_OK) return &r->errors[i];
    return NULL;
}

/* ---- what is said ---- */

typedef struct counts {
    int queries, limbs, found, contacts, judged, invalid, broken, drawn_again;
    int planted, planted_found;
    int by_role[HF_ROLE_GRIP + 1]; /* answers of a single limb that were judged */
    int why[HF_CONTACT_FEWER + 1]; /* of limbs without a contact */
} counts;

static counts add_up(const run* r, int creature) {
    counts c = {0};
    for (int i = 0; i < r->count; i++) {
        const valid_result* v = &r->results[i];
        if (!v->done || (creature >= 0 && v->creature != creature)) continue;
        c.queries++;
        c.limbs += v->limb_count;
        c.contacts += v->contacts;
        c.judged += v->judged;
        c.invalid += v->invalid;
        c.broken += v->broken;
        if (v->limb_count == 1) c.by_role[v->role] += v->judged;
        c.planted += v->planted;
        c.planted_found += v->planted && v->contacts > 0;
        c.drawn_again += v->drawn_again;
        for (int k = 0; k < v->limb_count; k++)
            if (v->why[k] == HF_CONTACT_ALL)
                c.found++;
            else
                c.why[v->why[k]]++;
    }
    return c;
}

/* The line that asks one query again. */
static char* again(const run* r, int query, const char* folder) {
    return make_text("holdfast bench valid --seed %llu --query %d --data %s", (unsigned long long)r->seed,
                     query, folder ? folder : "none");
}

static char* describe(const run* r, const valid_result* v) {
    const valid_creature* c = &r->world.creatures[v->creature];
    const hf_creature_view* view = hf_creature_get(c->creature);
    return make_text("%s in %s, %s%s as %s", c->name, r->world.scenes[v->scene].name,
                     view->limbs[v->limbs[0]].name, v->limb_count > 1 ? " and others" : "",
                     hf_role_text(v->role));
}

static void say_text(const run* r, const char* folder) {
    counts all = add_up(r, -1);
    int empty = all.limbs - all.found;
    printf("%d queries of %d limbs: %d found a contact, %d did not\n", all.queries, all.limbs, all.found,
           empty);
    for (int i = 1; i <= HF_CONTACT_FEWER; i++)
        if (all.why[i]) printf("  %6d %s\n", all.why[i], hf_contact_why_text((hf_contact_why)i));
    for (int i = 0; i < r->world.creature_count; i++) {
        counts c = add_up(r, i);
        if (c.queries)
            printf("  %-32s %5d queries, %5d answers judged, %d invalid; %d of %d known found\n",
                   r->world.creatures[i].name, c.queries, c.judged, c.invalid, c.planted_found, c.planted);
    }
    printf("where a contact is known to exist, one was found in %d of %d\n", all.planted_found, all.planted);
    printf("poses drawn again, because the creature collided where no limb of the query moves it: %d\n",
           all.drawn_again);
    for (int i = 0; i < r->count; i++) {
        const valid_result* v = &r->results[i];
        bool wrong = v->invalid || v->broken, missed = v->planted && !v->contacts;
        if (!v->done || (!wrong && !missed)) continue;
        char *who = describe(r, v), *line = again(r, r->first + i, folder);
        printf("%s: %s: %s\n  %s\n", wrong ? "wrong" : "missed", who ? who : "",
               wrong ? v->what : hf_contact_why_text(v->why[0]), line ? line : "");
        free(who);
        free(line);
    }
    printf("of one limb alone:");
    for (int i = 0; i <= HF_ROLE_GRIP; i++) printf(" %d %s", all.by_role[i], hf_role_text((hf_role)i));
    printf("\n");
    if (all.broken) printf("%d answers do not keep what else they promise\n", all.broken);
    printf("%d answers judged: %d valid, %d invalid\n", all.judged, all.judged - all.invalid, all.invalid);
}

static json_t* counts_json(const counts* c) {
    json_t* why = json_object();
    for (int i = 1; i <= HF_CONTACT_FEWER; i++)
        if (c->why[i])
            json_object_set_new(why, hf_contact_why_text((hf_contact_why)i), json_integer(c->why[i]));
    return json_pack("{s:i,s:i,s:i,s:i,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "queries", c->queries, "limbs",
                     c->limbs, "found", c->found, "contacts", c->contacts, "empty", why, "judged", c->judged,
                     "valid", c->judged - c->invalid, "invalid", c->invalid, "broken", c->broken, "known",
                     c->planted, "known_found", c->planted_found, "drawn_again", c->drawn_again);
}

static void say_json(const run* r, const char* folder) {
    counts all = add_up(r, -1);
    json_t *object = counts_json(&all), *creatures = json_object(), *problems = json_array();
    for (int i = 0; i < r->world.creature_count; i++) {
        counts c = add_up(r, i);
        json_object_set_new(creatures, r->world.creatures[i].name, counts_json(&c));
    }
    for (int i = 0; i < r->count; i++) {
        if (!r->results[i].invalid && !r->results[i].broken) continue;
        char *who = describe(r, &r->results[i]), *line = again(r, r->first + i, folder);
        json_array_append_new(problems, json_pack("{s:i,s:o,s:s,s:o}", "query", r->first + i, "who",
                                                  json_text(who ? who : ""), "what", r->results[i].what,
                                                  "again", json_text(line ? line : "")));
        free(who);
        free(line);
    }
    json_t* roles = json_object();
    for (int i = 0; i <= HF_ROLE_GRIP; i++)
        json_object_set_new(roles, hf_role_text((hf_role)i), json_integer(all.by_role[i]));
    json_object_set_new(object, "judged_by_role", roles);
    json_object_set_new(object, "seed", json_integer((json_int_t)r->seed));
    json_object_set_new(object, "others", folder ? json_text(folder) : json_null());
    json_object_set_new(object, "scenes", json_integer(r->world.scene_count));
    json_object_set_new(object, "creatures", creatures);
    json_object_set_new(object, "problems", problems);
    print_json(object);
}

/* ---- the command ---- */

/* Where the data of others is: --data, else beside the project; NULL with a note when there is none. */
static char* find_others(const options* o) {
    if (o->data && strcmp(o->data, "none") == 0) return NULL;
    char* folder = o->data ? strdup(o->data) : data_path("../../shared/data/third-party");
    if (!folder)
        note(o, "robots and scenes of others are not there: skipped; --data DIR says where they are");
    return folder;
}

static int measure(run* r, const char* folder) {
    const options* o = r->o;
    int others[2] = {0};
    for (int i = 0; i < r->world.creature_count; i++) others[0] += r->world.creatures[i].others;
    for (int i = 0; i < r->world.scene_count; i++) others[1] += r->world.scenes[i].others;
    note(o, "%d creatures (%d made by others) in %d scenes (%d made by others)", r->world.creature_count,
         others[0], r->world.scene_count, others[1]);
    r->results = calloc((size_t)r->count, sizeof *r->results);
    if (!r->results || !r->world.creature_count || !r->world.scene_count) {
        complain(r->results ? "there is no creature or no contact scenario" : "out of memory");
        return r->results ? EXIT_BAD_INPUT : EXIT_INTERNAL;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = o->threads ? o->threads : cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
    progress p = progress_start(o);
    const hf_error* error = run_all(r, threads, &p);
    progress_end(&p);
    if (error) return fail_with(error);
    if (o->json)
        say_json(r, folder);
    else
        say_text(r, folder);
    if (p.interrupted || p.timed_out)
        complain("stopped after %d of %d queries: %s", (int)r->finished, r->count, progress_stop_text(&p));
    counts all = add_up(r, -1);
    return all.invalid || all.broken || all.queries < r->count ? EXIT_NO_SOLUTION : EXIT_DONE;
}

int bench_valid(const options* o) {
    run r = {.o = o,
             .seed = o->seed >= 0 ? (uint64_t)o->seed : 1,
             .first = o->query >= 0 ? o->query : 0,
             .count = o->query >= 0 ? 1
                      : o->count    ? o->count
                                    : DEFAULT_QUERIES};
    hf_error error;
    if (!picture_fits(o, 1)) return EXIT_USAGE;
    if (o->output && !make_folder(o->output)) return EXIT_BAD_INPUT;
    char* folder = find_others(o);
    int code =
        valid_world_load(o, folder, &r.world, &error) == HF_OK ? measure(&r, folder) : fail_with(&error);
    valid_world_free(&r.world);
    free(r.results);
    free(folder);
    return code;
}
