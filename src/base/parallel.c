#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_WORKERS = 64 };

typedef struct job {
    atomic_int next;
    int count;
    hf_work_fn work;
    void* context;
} job;

typedef struct worker {
    job* job;
    int index;
    pthread_t thread;
} worker;

static void run(job* j, int w) {
    for (;;) {
        int i = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (i >= j->count) return;
        j->work(j->context, i, w);
    }
}

static void* thread_main(void* argument) {
    worker* w = argument;
    run(w->job, w->index);
    return NULL;
}

int hf_parallel_workers(int threads) {
    if (threads <= 0) threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return threads < 1 ? 1 : threads > MAX_WORKERS ? MAX_WORKERS : threads;
}

void hf_parallel(int threads, int count, hf_work_fn work, void* context) {
    int wanted = hf_parallel_workers(threads), started = 1;
    if (wanted > count) wanted = count;
    job j = {.count = count, .work = work, .context = context};
    worker workers[MAX_WORKERS];
    for (; started < wanted; started++) {
        workers[started] = (worker){.job = &j, .index = started};
        if (pthread_create(&workers[started].thread, NULL, thread_main, &workers[started]) != 0) break;
    }
    run(&j, 0);
    for (int i = 1; i < started; i++) pthread_join(workers[i].thread, NULL);
}
