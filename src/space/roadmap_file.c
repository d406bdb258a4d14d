/* Roadmaps as files: written whole, read whole, believed only when everything about them holds. */
#include "space/roadmap_file.h"
#include "base/rounding.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "space/root_search.h"

#include <math.h>
#include <string.h>

bool hf_roadmap_block_layout(hf_roadmap_block* b) {
    if (b->node_count < 0 || b->node_count > HF_ROADMAP_MAX_NODES || b->edge_count < 0 ||
        b->edge_count > 64 * HF_ROADMAP_MAX_NODES || b->guide_count < 0 ||
        b->guide_count > HF_ROADMAP_MAX_NODES || b->width < 1 || b->width > HF_ROADMAP_MAX_WIDTH ||
        b->edge_width < 0 || b->edge_width > HF_ROADMAP_MAX_WIDTH)
        return false;
    b->node_offset = sizeof *b;
    b->edge_offset = b->node_offset + (uint64_t)b->node_count * (uint64_t)b->width * sizeof(double);
    b->guide_offset = b->edge_offset + (uint64_t)b->edge_count * sizeof(hf_roadmap_edge);
    b->edge_row_offset = b->guide_offset + (uint64_t)b->guide_count * sizeof(hf_transform);
    b->byte_count = b->edge_row_offset + (uint64_t)b->edge_count * (uint64_t)b->edge_width * sizeof(float);
    return true;
}

uint64_t hf_roadmap_block_checksum(const hf_roadmap_block* block) {
    hf_roadmap_block header = *block;
    header.checksum = 0;
    uint64_t hash = hf_hash_bytes(HF_HASH_START, &header, sizeof header);
    return hf_hash_bytes(hash, (const char*)block + sizeof header, block->byte_count - sizeof header);
}

bool hf_pose_is_placed(const hf_transform* t) {
    const double x[3] = {t->position.x, t->position.y, t->position.z};
    const hf_quat* q = &t->rotation;
    for (int k = 0; k < 3; k++)
        if (!(fabs(x[k]) <= HF_FARTHEST_M)) return false;
    return fabs(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z - 1) < HF_NEGLIGIBLE;
}

static bool nodes_hold(const hf_roadmap_block* b) {
    const double* rows = hf_roadmap_rows(b);
    if (b->width == HF_ROOT_WIDTH) {
        for (int i = 0; i < b->node_count; i++)
            if (!hf_pose_is_placed(hf_root_of(rows + (size_t)i * HF_ROOT_WIDTH))) return false;
        return b->key.options == 0 && b->edge_width == 0;
    }
    for (size_t i = 0; i < (size_t)b->node_count * (size_t)b->width; i++)
        if (!(fabs(rows[i]) <= HF_FARTHEST_M)) return false;
    for (size_t i = 0; i < (size_t)b->edge_count * (size_t)b->edge_width; i++)
        if (!(fabsf(hf_roadmap_edge_rows(b)[i]) <= (float)HF_FARTHEST_M)) return false;
    return b->step == 0 && b->metric == 0 && b->guide_count == 0;
}

static bool options_hold(const hf_roadmap_block* b) {
    hf_roadmap_options like = hf_roadmap_options_default();
    like.step = b->step, like.metric = b->metric;
    return b->width != HF_ROOT_WIDTH || hf_options_check(hf_roadmap_option_table(), &like, NULL) == HF_OK;
}

static bool contents_hold(const hf_roadmap_block* b) {
    if (!nodes_hold(b) || !options_hold(b)) return false;
    for (int i = 0; i < b->guide_count; i++)
        if (!hf_pose_is_placed(&hf_roadmap_guide(b)[i])) return false;
    const hf_roadmap_edge* edges = hf_roadmap_edges(b);
    for (int i = 0; i < b->edge_count; i++) {
        const hf_roadmap_edge* e = &edges[i];
        if (e->a < 0 || e->a >= e->b || e->b >= b->node_count) return false;
        if (!(e->turn == -1 || (e->turn >= 0 && e->turn <= 1))) return false;
    }
    return b->samples >= 0 && b->tests >= 0 && b->unused == 0 && b->component_count >= 0 &&
           b->component_count <= b->node_count &&
           (b->outcome == HF_FOUND || b->outcome == HF_BUDGET || b->outcome == HF_CANCELLED);
}

hf_status hf_roadmap_block_check(const hf_roadmap_block* b, size_t byte_count, const char* path,
                                 hf_error* error) {
    const hf_status bad = HF_ERROR_FORMAT;
    const hf_block_head wanted = {HF_ROADMAP_MAGIC, HF_ROADMAP_VERSION, sizeof *b, 0};
    hf_status status = hf_block_check(b, byte_count, &wanted, "roadmap", path, error);
    if (status != HF_OK) return status;
    // the layout follows from the counts and must be the one that is written there
    hf_roadmap_block laid = *b;
    if (!hf_roadmap_block_layout(&laid) || memcmp(&laid, b, sizeof laid) != 0)
        return hf_fail(error, bad, path, 0, NULL, "its offsets do not hold");
    if (hf_roadmap_block_checksum(b) != b->checksum)
        return hf_fail(error, bad, path, 0, NULL, "is damaged: its checksum does not hold");
    if (!contents_hold(b)) return hf_fail(error, bad, path, 0, NULL, "holds nodes or edges that cannot be");
    return HF_OK;
}

hf_status hf_roadmap_graph(const hf_roadmap_block* b, const hf_space* space, hf_space_graph* graph) {
    const hf_roadmap_edge* edges = hf_roadmap_edges(b);
    hf_status status = HF_OK;
    for (int i = 0; i < b->node_count && status == HF_OK; i++)
        status = hf_space_graph_add(graph, space, hf_roadmap_rows(b) + (size_t)i * (size_t)b->width);
    for (int i = 0; i < b->edge_count && status == HF_OK; i++)
        status = hf_space_graph_join(graph, edges[i].a, edges[i].b, edges[i].turn);
    return status;
}

hf_status hf_roadmap_file_write(const hf_roadmap_block* block, const char* path, hf_error* error) {
    hf_roadmap_block header = *block;
    header.checksum = hf_roadmap_block_checksum(block);
    return hf_block_write(block, (size_t)block->byte_count, &header, sizeof header, path, error);
}
