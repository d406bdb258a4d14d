/* Work on indices by several threads. Results must not depend on who does which index. */
#ifndef HF_BASE_PARALLEL_H
#define HF_BASE_PARALLEL_H

/* Calls work(context, index, worker) for every index in [0, count), each once, by up to `threads`
   workers (0: all cores), the caller being worker 0. Falls back to fewer when threads cannot start. */
typedef void (*hf_work_fn)(void* context, int index, int worker);
void hf_parallel(int threads, int count, hf_work_fn work, void* context);
/* How many workers hf_parallel would use for this wish. */
int hf_parallel_workers(int threads);

#endif
