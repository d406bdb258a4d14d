/* Morton order of points, and the linear octree over blocks of eight in that order. */
#ifndef HF_CONTACT_SAMPLE_INDEX_H
#define HF_CONTACT_SAMPLE_INDEX_H

#include "contact/sample_file.h"

/* A point with its place before sorting. */
typedef struct hf_morton {
    uint32_t code, index;
} hf_morton;

/* Ten bits a axis, interleaved; per = 1024 / size of the box along each axis, 0 where it is flat. */
uint32_t hf_morton_code(const float point[3], const float low[3], const float per[3]);
/* Stable ascending sort by code; scratch has room for count. */
void hf_morton_sort(hf_morton* items, hf_morton* scratch, size_t count);

/* Fills the nodes of a block whose points stand. */
void hf_sample_index_fill(hf_sample_block* block);

#endif
