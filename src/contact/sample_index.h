/* Morton order of points, and the linear octree over blocks of eight in that order. */
#ifndef HF_CONTACT_SAMPLE_INDEX_H
#define HF_CONTACT_SAMPLE_INDEX_H

#include "contact/sample_file.h"

/* A point with its place before sorting. */
typedef struct hf_morton {
    uint32_t code, index;
} hf_morton;

/* 1024 / size of a box along each axis, 0 where it is flat. */
void hf_morton_scale(const float low[3], const float high[3], float per[3]);
/* Ten bits an axis, interleaved; low and per are those of the box. */
uint32_t hf_morton_code(const float point[3], const float low[3], const float per[3]);
/* Stable ascending sort by code; scratch has room for count. */
void hf_morton_sort(hf_morton* items, hf_morton* scratch, size_t count);

/* Fills the nodes of a block whose points stand. */
void hf_sample_index_fill(hf_sample_block* block);

#endif
