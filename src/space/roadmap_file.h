/* The block of a roadmap, in memory and in its file alike: a header, then arrays at their offsets. Nodes are
   poses of a root, or rows of any other space. */
#ifndef HF_SPACE_ROADMAP_FILE_H
#define HF_SPACE_ROADMAP_FILE_H

#include "space/space_graph.h"

#include <holdfast/guide.h>

#define HF_ROADMAP_MAGIC 0x50414d44414f5248ull /* "HROADMAP" */
#define HF_ROADMAP_VERSION 3u
#define HF_ROADMAP_MAX_NODES 1000000
#define HF_FARTHEST_M 1e7 /* from the origin: as far as scenarios go */
#define HF_ROADMAP_MAX_WIDTH 1024

/* What a roadmap was made from. No padding: compared byte by byte. */
typedef struct hf_roadmap_key {
    uint64_t model;     /* trunk, reach volumes, which limbs are asked for; of postures: creature and stand */
    uint64_t scene;     /* triangles and flags of its objects */
    uint64_t placement; /* where they stand */
    uint64_t options;   /* that postures were drawn and joined with; 0 for poses of a root */
} hf_roadmap_key;

typedef struct hf_roadmap_block {
    uint64_t magic;
    uint32_t version, header_bytes;
    uint64_t byte_count;
    uint64_t checksum; /* of the whole block with this field 0; made when it is written */
    hf_roadmap_key key;
    double step, metric; /* of its options; 0 for postures */
    int32_t outcome;
    int32_t node_count, edge_count, component_count;
    int32_t guide_count; /* poses of the guide that is kept, 0 for none */
    int32_t width;       /* doubles of a node */
    int32_t edge_width;  /* floats that are kept with each edge, 0 for poses of a root */
    int32_t unused;      /* 0 */
    int64_t samples, tests;
    uint64_t node_offset, edge_offset, guide_offset, edge_row_offset;
} hf_roadmap_block;

static inline double* hf_roadmap_rows(const hf_roadmap_block* b) {
    return (double*)(void*)((char*)(uintptr_t)b + b->node_offset);
}
static inline hf_roadmap_edge* hf_roadmap_edges(const hf_roadmap_block* b) {
    return (hf_roadmap_edge*)(void*)((char*)(uintptr_t)b + b->edge_offset);
}
static inline hf_transform* hf_roadmap_guide(const hf_roadmap_block* b) {
    return (hf_transform*)(void*)((char*)(uintptr_t)b + b->guide_offset);
}

static inline float* hf_roadmap_edge_rows(const hf_roadmap_block* b) {
    return (float*)(void*)((char*)(uintptr_t)b + b->edge_row_offset);
}

/* Fills offsets and byte_count from the counts; false when there are too many. */
bool hf_roadmap_block_layout(hf_roadmap_block* block);
uint64_t hf_roadmap_block_checksum(const hf_roadmap_block* block);
/* A finite position of a size that squares, and a unit quaternion. */
bool hf_pose_is_placed(const hf_transform* pose);
/* Is this a whole and well-formed block? Fills error with why not. */
hf_status hf_roadmap_block_check(const hf_roadmap_block* block, size_t byte_count, const char* path,
                                 hf_error* error);
/* Adds the nodes and edges of a block to an empty graph of its width. */
hf_status hf_roadmap_graph(const hf_roadmap_block* block, const hf_space* space, hf_space_graph* graph);
hf_status hf_roadmap_file_write(const hf_roadmap_block* block, const char* path, hf_error* error);

#endif
