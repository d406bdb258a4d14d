/* Sample sets (efort-2014-journal section 3.1, thesis-2015 section 5.4): draw, measure, drop what is nearly
   singular, sort, index. Chunks of postures are worked on by any number of threads and land at places that
   their indices decide. */
#include "contact/sample_set.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/option_table.h"
#include "base/parallel.h"
#include "contact/sample_task.h"
#include "model/limb_batch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Share of the set's largest manipulability under which a posture is dropped (thesis-2015 section 5.4.1). */
static const float LEAST_MANIPULABILITY = 0.05f;
/* A largest manipulability under this share of trace(J J^T)^(rank/2) is rounding: the limb cannot leave a
   plane or line, and nothing is dropped. */
static const float FLAT = 1e-3f;
enum { MEASURES = HF_SAMPLE_POINT_ROWS + HF_SAMPLE_SCORE_ROWS };

#define FIELD(name) offsetof(hf_sample_options, name)
static const hf_option option_items[] = {
    {"count", HF_OPTION_COUNT, FIELD(count), 1, 50000000, 10000, "", "postures drawn for each limb"},
    {"contact", HF_OPTION_COUNT, FIELD(contact), -1, 255, 0, "",
     "contact frame of the limb; -1 is the effector's origin"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992.0, 1, "", "of the random postures"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 64, 0, "", "workers; 0 for all cores"},
    {"task_share", HF_OPTION_REAL, FIELD(task_share), 0, 0.9, 0, "",
     "share of the postures drawn around those good for the task"},
};

HF_OPTIONS(hf_sample, option_items)

hf_status hf_sample_key_make(const hf_creature* creature, int limb, const hf_sample_options* options,
                             hf_sample_key* key, hf_error* error) {
    const hf_creature_view* v = hf_creature_get(creature);
    memset(key, 0, sizeof *key);
    if (limb < 0 || limb >= v->limb_count)
        return hf_fail(error, HF_ERROR_ARGUMENT, v->path, 0, NULL, "has no limb %d", limb);
    hf_status status = hf_options_check(hf_sample_option_table(), options, error);
    if (status != HF_OK) return status;
    const hf_limb* l = &v->limbs[limb];
    int contact = l->contact_count == 0 && options->contact == 0 ? -1 : options->contact;
    if (contact >= l->contact_count)
        return hf_fail(error, HF_ERROR_ARGUMENT, v->path, 0, l->name, "has no contact frame %d", contact);
    key->creature = hf_creature_hash(creature);
    key->seed = options->seed;
    key->limb = limb, key->contact = contact, key->count = options->count;
    if (options->task_share == 0 || l->joint_count == 0) return HF_OK;
    double length = hf_length(options->task);
    if (!(length > 0) || !isfinite(length))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "task", "is not a direction");
    key->task_count = (int32_t)(options->task_share * options->count);
    hf_vec3 task = hf_scale(options->task, 1 / length);
    key->task[0] = task.x, key->task[1] = task.y, key->task[2] = task.z;
    return HF_OK;
}

/* ---- drawing and measuring, chunk by chunk ---- */

/* What a worker needs; rows HF_DRAW_CHUNK apart. */
typedef struct bench {
    hf_draw_scratch scratch;
    _Alignas(64) uint32_t index[HF_DRAW_CHUNK];
    _Alignas(64) float rows[MEASURES][HF_DRAW_CHUNK]; /* point, then score rows */
    uint8_t bad[HF_DRAW_CHUNK], inside[HF_DRAW_CHUNK];
    _Alignas(64) float theta[]; /* joint_count rows, and as many for postures drawn anew */
} bench;

typedef struct job {
    const hf_creature* creature;
    const hf_draw_kernel* kernel;
    hf_cpu cpu;
    hf_draw_plan plan, source; /* the limb's own, and the one it mirrors */
    bool mirrored;
    float* signs;
    hf_batch_program program;
    int count, joint_count, record; /* numbers of one posture: measures, then joint values */
    float* records;                 /* count of them; manipulability is NaN where none was found */
    bench** benches;                /* of each worker */
    int first, end;                 /* the postures being drawn */
    hf_task_parents parents;        /* that they are drawn around; none for the first part of the set */
} job;

/* The partner's postures mirrored; own ones where those break the limb's limits. */
static void draw_mirrored(const job* j, bench* b, int count) {
    hf_draw(&j->source, j->kernel, b->index, count, &b->scratch, b->theta, b->bad);
    for (int i = 0; i < j->joint_count; i++)
        for (int k = 0; k < count; k++) b->theta[i * HF_DRAW_CHUNK + k] *= j->signs[i];
    hf_draw_test(&j->plan, j->kernel, b->theta, count, &b->scratch, b->inside);
    int left = 0;
    uint32_t anew[HF_DRAW_CHUNK];
    int place[HF_DRAW_CHUNK];
    for (int k = 0; k < count; k++)
        if (!b->inside[k] || b->bad[k]) anew[left] = b->index[k], place[left++] = k;
    if (!left) return;
    float* theta = b->theta + (size_t)j->joint_count * HF_DRAW_CHUNK;
    hf_draw(&j->plan, j->kernel, anew, left, &b->scratch, theta, b->inside);
    for (int k = 0; k < left; k++) {
        b->bad[place[k]] = b->inside[k];
        for (int i = 0; i < j->joint_count; i++)
            b->theta[i * HF_DRAW_CHUNK + place[k]] = theta[i * HF_DRAW_CHUNK + k];
    }
}

static void do_chunk(void* context, int chunk, int worker) {
    const job* j = context;
    bench* b = j->benches[worker];
    int first = j->first + chunk * HF_DRAW_CHUNK;
    int count = j->end - first < HF_DRAW_CHUNK ? j->end - first : HF_DRAW_CHUNK;
    for (int k = 0; k < count; k++) b->index[k] = (uint32_t)(first + k);
    memset(b->bad, 0, sizeof b->bad);
    if (j->parents.count)
        hf_task_draw(&j->plan, j->kernel, &j->parents, b->index, count, &b->scratch, b->theta);
    else if (j->mirrored)
        draw_mirrored(j, b, count);
    else
        hf_draw(&j->plan, j->kernel, b->index, count, &b->scratch, b->theta, b->bad);
    hf_batch batch = {.count = count,
                      .stride = HF_DRAW_CHUNK,
                      .theta = b->theta,
                      .point = b->rows[0],
                      .normal = b->rows[HF_SAMPLE_POINT_ROWS + HF_SAMPLE_NORMAL_ROW],
                      .gram = b->rows[HF_SAMPLE_POINT_ROWS]};
    hf_batch_run(j->cpu, &j->program, &batch);
    int rank = j->joint_count < 3 ? j->joint_count : 3;
    float* w = b->rows[HF_SAMPLE_POINT_ROWS + HF_SAMPLE_MANIPULABILITY_ROW];
    j->kernel->manipulability(b->rows[HF_SAMPLE_POINT_ROWS], rank, count, w);
    // one record for each posture: the sort then moves whole cache lines
    float* out = j->records + (size_t)first * (size_t)j->record;
    for (int k = 0; k < count; k++, out += j->record) {
        for (int r = 0; r < MEASURES; r++) out[r] = b->rows[r][k];
        for (int i = 0; i < j->joint_count; i++) out[MEASURES + i] = b->theta[i * HF_DRAW_CHUNK + k];
        if (b->bad[k]) out[MEASURES - 1] = NAN;
    }
}

/* ---- keeping, sorting, storing ---- */

/* Indices of the postures worth keeping, and the box of their points. */
static size_t keep(const job* j, hf_morton* items, float low[3], float high[3], float* most) {
    float largest = 0, trace = 0;
    size_t n = (size_t)j->record, kept = 0;
    for (int i = 0; i < j->count; i++) {
        const float* r = j->records + (size_t)i * n;
        if (!(r[MEASURES - 1] >= 0)) continue;
        largest = fmaxf(largest, r[MEASURES - 1]);
        trace = fmaxf(trace, r[3] + r[4] + r[5]);
    }
    int rank = j->joint_count < 3 ? j->joint_count : 3;
    float size = sqrtf(trace), flat = FLAT;
    for (int i = 0; i < rank; i++) flat *= size;
    float least = largest > flat ? LEAST_MANIPULABILITY * largest : 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < j->count; i++) {
        const float* r = j->records + (size_t)i * n;
        if (!(r[MEASURES - 1] >= least)) continue;
        for (int k = 0; k < 3; k++) {
            low[k] = r[k] < low[k] ? r[k] : low[k];
            high[k] = r[k] > high[k] ? r[k] : high[k];
        }
        items[kept++].index = (uint32_t)i;
    }
    *most = largest;
    return kept;
}

static void sort(const job* j, hf_morton* items, size_t count, const float low[3], const float high[3]) {
    float per[3];
    hf_morton_scale(low, high, per);
    for (size_t i = 0; i < count; i++)
        items[i].code = hf_morton_code(j->records + (size_t)items[i].index * (size_t)j->record, low, per);
    hf_morton_sort(items, items + j->count, count);
}

/* Rows of one array in blocks of eight; the last block repeats the last posture. */
static void store(const job* j, const hf_morton* items, hf_sample_block* block) {
    float *point = (float*)hf_sample_points(block), *score = (float*)hf_sample_scores(block);
    float* theta = (float*)hf_sample_thetas(block);
    for (uint32_t i = 0; i < block->block_count * 8; i++) {
        uint32_t from = i < block->sample_count ? i : block->sample_count - 1;
        const float* r = j->records + (size_t)items[from].index * (size_t)j->record;
        if (from + 8 < block->sample_count)
            __builtin_prefetch(j->records + (size_t)items[from + 8].index * (size_t)j->record);
        size_t b = i / 8, lane = i % 8;
        for (size_t k = 0; k < HF_SAMPLE_POINT_ROWS; k++)
            point[(b * HF_SAMPLE_POINT_ROWS + k) * 8 + lane] = r[k];
        r += HF_SAMPLE_POINT_ROWS;
        for (size_t k = 0; k < HF_SAMPLE_SCORE_ROWS; k++)
            score[(b * HF_SAMPLE_SCORE_ROWS + k) * 8 + lane] = r[k];
        r += HF_SAMPLE_SCORE_ROWS;
        for (size_t k = 0; k < block->joint_count; k++) theta[(b * block->joint_count + k) * 8 + lane] = r[k];
    }
}

static hf_status make_block(const job* j, const hf_sample_key* key, hf_sample_block** out, hf_error* error) {
    const char* path = j->creature->view.path;
    hf_morton* items = hf_alloc(2 * (size_t)j->count, sizeof *items);
    if (!items) return hf_fail_memory(error, path);
    hf_sample_block head = {.magic = HF_SAMPLE_MAGIC, .version = HF_SAMPLE_VERSION, .key = *key};
    float most;
    size_t kept = keep(j, items, head.low, head.high, &most);
    head.header_bytes = sizeof head;
    head.joint_count = (uint32_t)j->joint_count;
    head.sample_count = (uint32_t)kept;
    head.max_manipulability = (double)most;
    hf_status status = HF_OK;
    if (kept == 0)
        status = hf_fail(error, HF_ERROR_ARGUMENT, path, 0, j->creature->view.limbs[key->limb].name,
                         "no posture inside limits and range of motion was found");
    else if (!hf_sample_block_layout(&head))
        status = hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "too many samples");
    if (status == HF_OK && !(*out = hf_alloc_aligned(head.byte_count, 1)))
        status = hf_fail_memory(error, path);
    if (status == HF_OK) {
        **out = head;
        sort(j, items, kept, head.low, head.high);
        store(j, items, *out);
        hf_sample_index_fill(*out);
    }
    hf_free(items);
    return status;
}

/* ---- the whole ---- */

/* A limb without joints has one posture. */
static hf_status prepare(job* j, int limb, const hf_sample_key* key, int threads, hf_error* error) {
    const hf_creature_view* v = &j->creature->view;
    const hf_limb* l = &v->limbs[limb];
    j->count = l->joint_count ? key->count : 1;
    j->joint_count = l->joint_count;
    j->record = MEASURES + l->joint_count;
    hf_status status = hf_batch_compile(j->creature, limb, key->contact, &j->program);
    if (status != HF_OK)
        return hf_fail(error, status, v->path, 0, l->name,
                       "has joints of a kind or number that cannot be sampled");
    status = hf_draw_plan_make(j->creature, limb, key->seed, &j->plan, error);
    if (status != HF_OK) return status;
    j->signs = hf_alloc((size_t)l->joint_count, sizeof *j->signs);
    // of two limbs that mirror each other the first is drawn
    status = j->signs ? hf_mirror_signs(j->creature, limb, j->signs, &j->mirrored) : HF_ERROR_MEMORY;
    if (status != HF_OK) return hf_fail_status(error, status, v->path);
    if (j->mirrored && v->limbs[l->mirror_of].mirror_of == limb && limb < l->mirror_of) j->mirrored = false;
    if (j->mirrored) status = hf_draw_plan_make(j->creature, l->mirror_of, key->seed, &j->source, error);
    if (status != HF_OK) return status;
    int workers = hf_parallel_workers(threads);
    j->records = hf_resize(NULL, (size_t)j->count * (size_t)j->record, sizeof *j->records);
    j->benches = hf_alloc((size_t)workers, sizeof *j->benches);
    if (!j->records || !j->benches) return hf_fail_memory(error, v->path);
    size_t theta_bytes = 2 * (size_t)l->joint_count * HF_DRAW_CHUNK * sizeof(float);
    for (int w = 0; w < workers; w++) {
        bench* b = j->benches[w] = hf_alloc_aligned(sizeof(bench) + theta_bytes, 1);
        if (b) b->scratch.q = hf_alloc((size_t)v->q_count, sizeof *b->scratch.q);
        if (!b || !b->scratch.q) return hf_fail_memory(error, v->path);
        memcpy(b->scratch.q, v->rest, (size_t)v->q_count * sizeof *b->scratch.q);
    }
    return HF_OK;
}

static void clean(job* j, int threads) {
    for (int w = 0; j->benches && w < hf_parallel_workers(threads); w++) {
        if (j->benches[w]) hf_free(j->benches[w]->scratch.q);
        hf_free(j->benches[w]);
    }
    hf_free(j->benches);
    hf_free(j->parents.parents);
    hf_free(j->records);
    hf_free(j->signs);
    hf_draw_plan_free(&j->plan);
    hf_draw_plan_free(&j->source);
}

static void draw_range(job* j, int first, int end, int threads) {
    j->first = first, j->end = end;
    hf_parallel(threads, (end - first + HF_DRAW_CHUNK - 1) / HF_DRAW_CHUNK, do_chunk, j);
}

/* All postures; a task's share of them after the rest, which it depends on. */
static hf_status draw_all(job* j, const hf_sample_key* key, int threads, hf_error* error) {
    int even = j->count - key->task_count;
    draw_range(j, 0, even, threads);
    if (key->task_count == 0) return HF_OK;
    j->parents = (hf_task_parents){.theta = j->records + MEASURES, .record = j->record};
    hf_status status = hf_task_choose(j->records, j->record, MEASURES - 1, even, key->task, &j->parents);
    if (status != HF_OK) return hf_fail_status(error, status, NULL);
    draw_range(j, even, j->count, threads);
    return HF_OK;
}

hf_status hf_samples_build_on(hf_cpu cpu, const hf_creature* creature, int limb,
                              const hf_sample_options* options, hf_samples** samples, hf_error* error) {
    *samples = NULL;
    hf_sample_key key;
    hf_status status = hf_sample_key_make(creature, limb, options, &key, error);
    if (status != HF_OK) return status;
    job j = {.creature = creature, .kernel = hf_draw_kernel_for(cpu), .cpu = cpu};
    hf_sample_block* block = NULL;
    status = prepare(&j, limb, &key, options->threads, error);
    if (status == HF_OK) status = draw_all(&j, &key, options->threads, error);
    if (status == HF_OK) status = make_block(&j, &key, &block, error);
    clean(&j, options->threads);
    if (status == HF_OK && !(*samples = hf_alloc(1, sizeof **samples))) status = hf_fail_memory(error, NULL);
    if (status == HF_OK)
        **samples = (hf_samples){.block = block};
    else
        hf_free(block);
    return status;
}

hf_status hf_samples_build(const hf_creature* creature, int limb, const hf_sample_options* options,
                           hf_samples** samples, hf_error* error) {
    HF_REQUIRE(error, creature && options && samples);
    return hf_samples_build_on(hf_cpu_best(), creature, limb, options, samples, error);
}

bool hf_samples_belong(const hf_samples* samples, const hf_creature* creature, int limb, int frame) {
    const hf_sample_key* key = &samples->block->key;
    return key->creature == creature->hash && key->limb == limb && key->contact == frame;
}

void hf_samples_free(hf_samples* samples) {
    if (!samples) return;
    if (samples->mapped)
        hf_sample_file_unmap(samples->block, samples->block->byte_count);
    else
        hf_free(samples->block);
    hf_free(samples);
}

/* ---- reading ---- */

hf_samples_view hf_samples_get(const hf_samples* samples) {
    const hf_sample_block* b = samples->block;
    hf_samples_view view = {.limb = b->key.limb,
                            .contact = b->key.contact,
                            .drawn = b->key.count,
                            .count = (int)b->sample_count,
                            .joint_count = (int)b->joint_count,
                            .theta = hf_sample_thetas(b),
                            .point = hf_sample_points(b),
                            .score = hf_sample_scores(b),
                            .max_manipulability = b->max_manipulability,
                            .byte_count = b->byte_count,
                            .mapped = samples->mapped,
                            .kept = samples->kept};
    memcpy(view.low, b->low, sizeof view.low);
    memcpy(view.high, b->high, sizeof view.high);
    return view;
}

void hf_samples_pose(const hf_creature* creature, const hf_samples* samples, int sample, double* q) {
    const hf_sample_block* b = samples->block;
    HF_ASSERT(sample >= 0 && (uint32_t)sample < b->sample_count);
    HF_ASSERT(b->key.creature == hf_creature_hash(creature));
    const hf_creature_view* v = hf_creature_get(creature);
    const hf_limb* l = &v->limbs[b->key.limb];
    for (int i = 0; i < l->joint_count; i++)
        q[v->joints[l->joints[i]].q_index] =
            (double)hf_sample_value(hf_sample_thetas(b), l->joint_count, sample, i);
    hf_pose_follow(creature, q);
}

hf_transform hf_limb_base(const hf_creature* creature, int limb, const hf_transform* links) {
    const hf_limb* l = &hf_creature_get(creature)->limbs[limb];
    return hf_compose(links[l->base_link], l->base);
}
