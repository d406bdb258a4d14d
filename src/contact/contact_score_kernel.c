/* Scores of all candidates, eight samples of a block at a time. Compiled once for each instruction set; lanes
   are independent and nothing is fused, so that all give the same answers. */
#include "contact/contact_score.h"
#include "geom/float8.h"

typedef union lanes8 {
    float8 all;
    float lane[8];
} lanes8;

/* Score of a sample = gain * factor + rest. */
typedef struct block_scores {
    float8 gain, rest;
    const float* normal; /* three rows */
} block_scores;

HF_INLINE8 block_scores score_block(const hf_score_job* job, uint32_t block) {
    const float* j = job->scores + (size_t)block * HF_SAMPLE_SCORE_ROWS * 8;
    const float* f = job->form;
    float8 form = f[0] * f8_load(j) + f[1] * f8_load(j + 8) + f[2] * f8_load(j + 16) +
                  (f[3] * f8_load(j + 24) + f[4] * f8_load(j + 32) + f[5] * f8_load(j + 40));
    float8 lever = f8_sqrt(f8_max(form, f8_all(0)) + job->guard) * job->per_length;
    block_scores s = {job->effort / lever + job->precision * lever,
                      job->manipulability * f8_load(j + HF_SAMPLE_MANIPULABILITY_ROW * 8),
                      j + HF_SAMPLE_NORMAL_ROW * 8};
    if (job->distance > 0) {
        const float *p = job->points + (size_t)block * 24, *e = job->effector;
        float8 x = f8_load(p) - e[0], y = f8_load(p + 8) - e[1], z = f8_load(p + 16) - e[2];
        s.rest -= job->distance * f8_sqrt(x * x + y * y + z * z);
    }
    return s;
}

#define FACES 127.0f /* of a sample that faces a surface straight on: the largest int8_t */

/* How well samples face a surface. */
HF_INLINE8 float8 faces(const hf_surface_factor* f, const float* normal) {
    float8 along = f->normal[0] * f8_load(normal) + f->normal[1] * f8_load(normal + 8) +
                   f->normal[2] * f8_load(normal + 16);
    return f8_max(f8_min(along * -FACES, f8_all(FACES)), f8_all(-FACES));
}

static int kernel_score(const hf_score_job* job, hf_contact_choice* out) {
    static const mask8 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128};
    int count = 0;
    for (int h = 0; h < job->hit_count;) {
        uint32_t block = job->hits[h].block;
        block_scores s = score_block(job, block);
        lanes8 best = {f8_all(-HF_FLOAT_FAR)}, facing = {f8_all(0)};
        unsigned near = 0, several = 0;
        int first = h;
        for (; h < job->hit_count && job->hits[h].block == block; h++) {
            const hf_candidate_hit* hit = &job->hits[h];
            bool object = (hit->item & HF_CANDIDATE_OBJECT) != 0;
            if (!object && !job->factors[hit->item].allowed) continue;
            // which triangle of an object with a grid is near is told later, and no factor is over 1
            float factor = object ? 1 : job->factors[hit->item].factor;
            float8 score = s.gain * factor + s.rest;
            several |= object ? hit->lanes : near & hit->lanes;
            near |= hit->lanes;
            mask8 here = (lane_bit & (int32_t)hit->lanes) != 0;
            float8 faced = object ? f8_all(0) : faces(&job->factors[hit->item], s.normal);
            here &= (score > best.all) | ((score == best.all) & (faced > facing.all));
            best.all = f8_select(here, score, best.all);
            facing.all = f8_select(here, faced, facing.all);
        }
        for (; near; near &= near - 1) {
            int i = __builtin_ctz(near);
            out[count++] = (hf_contact_choice){.score = best.lane[i] + job->most,
                                               .sample = block * 8 + (uint32_t)i,
                                               .hit = (uint32_t)first,
                                               .set = job->set,
                                               .facing = (int8_t)facing.lane[i],
                                               .exact = !(several >> i & 1) && !(job->most > 0),
                                               .single = !(several >> i & 1)};
        }
    }
    return count;
}

/* The highest factor of a leaf's surfaces; false when none is allowed. */
HF_INLINE8 bool best_factor(const hf_score_job* job, const hf_candidate_leaf* leaf, float* factor) {
    bool any = false;
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        uint32_t item = job->leaf_items[i];
        bool object = item >= (uint32_t)job->triangle_count;
        if (!object && !job->factors[item].allowed) continue;
        float here = object ? 1 : job->factors[item].factor;
        if (!any || here > *factor) *factor = here;
        any = true;
    }
    return any;
}

static int kernel_bound(const hf_score_job* job, hf_contact_choice* out) {
    int count = 0;
    for (int i = 0; i < job->leaf_count; i++) {
        float factor = 0;
        if (!best_factor(job, &job->leaves[i], &factor)) continue;
        block_scores s = score_block(job, job->leaves[i].block);
        float8 score = s.gain * factor + s.rest;
        score = f8_max(score, __builtin_shufflevector(score, score, 4, 5, 6, 7, 0, 1, 2, 3));
        score = f8_max(score, __builtin_shufflevector(score, score, 2, 3, 0, 1, 6, 7, 4, 5));
        score = f8_max(score, __builtin_shufflevector(score, score, 1, 0, 3, 2, 5, 4, 7, 6));
        out[count++] = (hf_contact_choice){
            .score = score[0] + job->most, .hit = (uint32_t)i, .set = job->set, .leaf = true};
    }
    return count;
}

extern const hf_score_kernel HF_KERNEL_NAME(hf_score_kernel);
const hf_score_kernel HF_KERNEL_NAME(hf_score_kernel) = {kernel_score, kernel_bound};
