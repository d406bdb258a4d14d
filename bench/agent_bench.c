/* Agents on the bookshelf, each with a stick of its own that somebody plays with: the times of 10,000 frames,
   the largest step of a joint as a share of its limit, and the same answers over 1, 2 and 4 threads. Times
   are those of the thread's own processor time, so that other programs do not count. */
#include "bench.h"
#include "../tests/speed_share.h"
#include "base/hash.h"
#include "base/random.h"

#include <holdfast/holdfast.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AGENTS = 4, FRAMES = 10000 };

static void stop(const char* why) {
    fprintf(stderr, "bench agent: %s\n", why);
    exit(3);
}

typedef struct world {
    hf_scenario* s;
    const hf_creature_view* c;
    hf_placement* placement;
    const hf_samples* const** sets;
} world;

static void open_world(world* w) {
    hf_error e;
    if (hf_scenario_load(bench_path("data/scenarios/bookshelf.scenario.json"), NULL, &w->s, &e) != HF_OK)
        stop(e.message);
    w->c = hf_creature_get(w->s->creature);
    w->sets = calloc((size_t)w->c->limb_count, sizeof *w->sets);
    for (int i = 0; i < w->c->limb_count; i++) {
        hf_sample_options o = hf_sample_options_default();
        hf_samples** row = calloc((size_t)w->c->limbs[i].contact_count + 1, sizeof *row);
        if (hf_samples_build(w->s->creature, i, &o, &row[0], &e) != HF_OK) stop(e.message);
        w->sets[i] = (const hf_samples* const*)row;
    }
    if (hf_placement_create(w->s->scene, &w->placement) != HF_OK) stop("no memory");
}

static void close_world(world* w) {
    for (int i = 0; i < w->c->limb_count; i++) {
        hf_samples_free((hf_samples*)w->sets[i][0]);
        free((void*)w->sets[i]);
    }
    free(w->sets);
    hf_placement_free(w->placement);
    hf_scenario_free(w->s);
}

typedef struct player {
    const world* w;
    int index, frames;
    uint64_t hash;
    double share; /* largest step of a joint or the root, of what its limit allows */
    double way;   /* m */
    double* us;   /* of each frame */
} player;

static double thread_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Another direction every second; one in five is a rest. */
static void turn_stick(hf_random* r, int frame, hf_agent_input* in) {
    if (frame % 60) return;
    double angle = hf_random_between(r, 0, 6.2831853), speed = hf_random_between(r, 0, 0.6);
    bool rest = hf_random_between(r, 0, 1) < 0.2;
    in->turn_rad_s = rest ? 0 : hf_random_between(r, -1.5, 1.5);
    in->velocity = rest ? hf_v3(0, 0, 0) : hf_v3(speed * cos(angle), speed * sin(angle), 0);
}

static void play(player* p) {
    const world* w = p->w;
    size_t bytes = sizeof(double) * (size_t)w->c->q_count;
    hf_agent* agent;
    if (hf_agent_create(w->s->creature, w->sets, NULL, &agent) != HF_OK) stop("no agent");
    if (hf_agent_place(agent, w->placement, &w->s->start.pose) != HF_OK) stop("not placed");
    hf_random r = hf_random_start(3, (uint32_t)p->index, 0);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    hf_pose last = {w->s->start.pose.root, malloc(bytes)};
    memcpy(last.q, w->s->start.pose.q, bytes);
    p->hash = HF_HASH_START;
    p->share = p->way = 0;
    for (int f = 0; f < p->frames; f++) {
        turn_stick(&r, f, &in);
        double start = thread_us();
        if (hf_agent_step(agent, w->placement, &in, &out) != HF_OK || !out.valid) stop("a step failed");
        p->us[f] = thread_us() - start;
        p->hash = hf_hash_bytes(p->hash, &out.pose.root, sizeof out.pose.root);
        p->hash = hf_hash_bytes(p->hash, out.pose.q, bytes);
        p->share = fmax(p->share, speed_share(w->c, &last, &out.pose, in.dt_s));
        p->way += hf_distance(last.root.position, out.pose.root.position);
        last.root = out.pose.root;
        memcpy(last.q, out.pose.q, bytes);
    }
    free(last.q);
    hf_agent_free(agent);
}

/* A thread plays every `stride`-th agent. */
typedef struct worker {
    player* players;
    int first, stride;
} worker;

static void* work(void* user) {
    worker* k = user;
    for (int i = k->first; i < AGENTS; i += k->stride) play(&k->players[i]);
    return NULL;
}

static uint64_t play_all(player* players, int threads) {
    pthread_t ids[AGENTS];
    worker workers[AGENTS];
    for (int i = 0; i < threads; i++) {
        workers[i] = (worker){players, i, threads};
        if (pthread_create(&ids[i], NULL, work, &workers[i])) stop("no thread");
    }
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    uint64_t hash = HF_HASH_START;
    for (int i = 0; i < AGENTS; i++) hash = hf_hash_bytes(hash, &players[i].hash, sizeof hash);
    return hash;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

void bench_agent(void) {
    world w;
    open_world(&w);
    double* us = calloc(FRAMES, sizeof *us);
    player long_one = {.w = &w, .index = AGENTS, .frames = FRAMES, .us = us};
    play(&long_one);
    qsort(us, FRAMES, sizeof *us, ascending);
    double sum = 0, p99 = us[(int)(0.99 * (FRAMES - 1))], worst = us[FRAMES - 1];
    for (int i = 0; i < FRAMES; i++) sum += us[i];

    int frames = FRAMES / AGENTS, same = 0;
    player players[AGENTS];
    for (int i = 0; i < AGENTS; i++)
        players[i] = (player){.w = &w, .index = i, .frames = frames, .us = us + (size_t)i * (size_t)frames};
    uint64_t one = play_all(players, 1);
    for (int threads = 2; threads <= AGENTS; threads *= 2) same += play_all(players, threads) == one;
    double share = long_one.share;
    for (int i = 0; i < AGENTS; i++) share = fmax(share, players[i].share);

    bench_row("agent on bookshelf, mean of a frame", sum / FRAMES / 1000, "ms", "", 0, 0);
    bench_row("agent on bookshelf, 99th percentile of 10,000 frames", p99 / 1000, "ms", "limit", 2, 1);
    bench_row("agent on bookshelf, worst frame", worst / 1000, "ms", "", 0, 0);
    bench_row("agent on bookshelf, largest step of its limit", share, "", "limit", 1, 1);
    bench_row("agent on bookshelf, way in 10,000 frames", long_one.way, "m", "", 0, 0);
    bench_row_higher("agent, same hash over 2 and 4 threads as over 1", same, "of 2", "limit", 2, 1);
    free(us);
    close_world(&w);
}
