/* The block of a sample set, in memory and in its file alike: a header, then arrays at their offsets. */
#ifndef HF_CONTACT_SAMPLE_FILE_H
#define HF_CONTACT_SAMPLE_FILE_H

#include <holdfast/base.h>

#define HF_SAMPLE_MAGIC 0x53504d5353464f48ull /* "HOFSSMPS" */
#define HF_SAMPLE_VERSION 1u
enum { HF_SAMPLE_LEVELS = 10, HF_SAMPLE_ALIGN = 64 };
#define HF_SAMPLE_EMPTY (-1e30f) /* half size of a node's slot that holds nothing */

/* What a set was made from. No padding: compared byte by byte. */
typedef struct hf_sample_key {
    uint64_t creature;
    uint64_t seed;
    int32_t limb, contact;
    int32_t count;
    int32_t task_count; /* of them around good ones for the task */
    double task[3];     /* unit, or 0 */
} hf_sample_key;

/* Eight boxes as centre and half size, rounded outwards; [axis][slot]. An empty slot has a negative half. */
typedef struct hf_sample_node {
    float center[3][8];
    float half[3][8];
} __attribute__((aligned(64))) hf_sample_node;

/* Node i of level 0 holds the boxes of blocks 8 i to 8 i + 7 of eight samples, node i of a higher level those
   of nodes 8 i to 8 i + 7 below it; the last level is one node. So nothing points anywhere. */
typedef struct hf_sample_block {
    uint64_t magic;
    uint32_t version, header_bytes;
    uint64_t byte_count;
    uint64_t checksum; /* of the whole block with this field 0; made when it is written */
    hf_sample_key key;
    uint32_t joint_count, sample_count, block_count, level_count;
    uint64_t theta_offset, point_offset, score_offset, node_offset;
    uint32_t level_first[HF_SAMPLE_LEVELS + 2]; /* first node of each level, then their number */
    float low[3], high[3];
    double max_manipulability;
} hf_sample_block;

static inline const hf_sample_node* hf_sample_nodes(const hf_sample_block* b) {
    return (const hf_sample_node*)(const void*)((const char*)b + b->node_offset);
}
static inline const float* hf_sample_points(const hf_sample_block* b) {
    return (const float*)(const void*)((const char*)b + b->point_offset);
}
static inline const float* hf_sample_scores(const hf_sample_block* b) {
    return (const float*)(const void*)((const char*)b + b->score_offset);
}
static inline const float* hf_sample_thetas(const hf_sample_block* b) {
    return (const float*)(const void*)((const char*)b + b->theta_offset);
}

/* Fills counts, offsets and byte_count from joint_count and sample_count; false when there are too many. */
bool hf_sample_block_layout(hf_sample_block* block);
/* Is this a whole and well-formed block made from the key? Fills error with why not. */
hf_status hf_sample_block_check(const hf_sample_block* block, size_t byte_count, const hf_sample_key* key,
                                uint32_t joint_count, const char* path, hf_error* error);

/* What the checksum should be; at least a header, and byte_count bytes, stand there. */
uint64_t hf_sample_block_checksum(const hf_sample_block* block);

/* A file in memory, read only. */
hf_status hf_sample_file_map(const char* path, void** bytes, size_t* byte_count, hf_error* error);
void hf_sample_file_unmap(void* bytes, size_t byte_count);
hf_status hf_sample_file_write(const hf_sample_block* block, const char* path, hf_error* error);

#endif
