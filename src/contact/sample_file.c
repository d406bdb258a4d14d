/* Sample sets as files: written whole, mapped whole, believed only when everything about them holds. */
#include "contact/sample_file.h"
#include <holdfast/samples.h>

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- layout ---- */

static uint64_t aligned(uint64_t bytes) {
    return (bytes + HF_SAMPLE_ALIGN - 1) / HF_SAMPLE_ALIGN * HF_SAMPLE_ALIGN;
}

bool hf_sample_block_layout(hf_sample_block* b) {
    if (b->sample_count == 0 || b->sample_count > 1u << 28 || b->joint_count > 1u << 12) return false;
    b->block_count = (b->sample_count + 7) / 8;
    uint32_t nodes = 0, level = 0, below = b->block_count;
    memset(b->level_first, 0, sizeof b->level_first);
    do {
        b->level_first[level++] = nodes;
        below = (below + 7) / 8;
        nodes += below;
    } while (below > 1);
    b->level_count = level;
    b->level_first[level] = nodes;
    uint64_t block_bytes = 8 * sizeof(float) * (uint64_t)b->block_count;
    b->node_offset = aligned(sizeof *b);
    b->point_offset = b->node_offset + aligned(nodes * sizeof(hf_sample_node));
    b->score_offset = b->point_offset + aligned(3 * block_bytes);
    b->theta_offset = b->score_offset + aligned(HF_SAMPLE_SCORE_ROWS * block_bytes);
    b->byte_count = b->theta_offset + aligned(b->joint_count * block_bytes);
    return true;
}

/* ---- checks ---- */

/* Four independent lanes of multiply and shift over 8-byte words: as fast as memory, and any changed bit
   changes it. */
uint64_t hf_sample_block_checksum(const hf_sample_block* block) {
    const uint64_t prime = 0x9e3779b97f4a7c15ull;
    uint64_t lane[4] = {1, 2, 3, 4};
    hf_sample_block header = *block;
    header.checksum = 0;
    const char* bytes[2] = {(const char*)&header, (const char*)block + sizeof header};
    const uint64_t sizes[2] = {sizeof header, block->byte_count - sizeof header};
    for (int part = 0; part < 2; part++)
        for (uint64_t i = 0; i < sizes[part]; i += 32) {
            uint64_t word[4] = {0};
            memcpy(word, bytes[part] + i, sizes[part] - i < 32 ? sizes[part] - i : 32);
            for (int k = 0; k < 4; k++) {
                lane[k] = (lane[k] ^ word[k]) * prime;
                lane[k] ^= lane[k] >> 29;
            }
        }
    uint64_t sum = block->byte_count;
    for (int k = 0; k < 4; k++) {
        sum = (sum ^ lane[k]) * prime;
        sum ^= sum >> 32;
    }
    return sum;
}

/* No limb reaches further; floats square it without overflow. */
static const float MOST_M = 1e6f;

/* All numbers from the first node to the end are finite: their exponents are not all ones. */
static bool numbers_hold(const hf_sample_block* b) {
    const char* start = (const char*)b + b->node_offset;
    uint64_t count = (b->byte_count - b->node_offset) / sizeof(uint32_t);
    uint32_t bad = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, start + i * sizeof word, sizeof word);
        bad |= (word & 0x7f800000u) == 0x7f800000u;
    }
    for (int k = 0; k < 3; k++)
        bad |= !(b->low[k] <= b->high[k] && -MOST_M <= b->low[k] && b->high[k] <= MOST_M);
    return !bad && isfinite(b->max_manipulability);
}

/* Does slot `s` of a node hold the interval? In double, where nothing is rounded. */
static bool slot_holds(const hf_sample_node* node, uint32_t s, int axis, double low, double high) {
    double center = (double)node->center[axis][s], half = (double)node->half[axis][s];
    return half >= 0 && half <= (double)MOST_M && center - half <= low && high <= center + half;
}

/* As hf_sample_index_fill leaves a slot behind the last box of a level: near nothing. */
static bool slot_is_empty(const hf_sample_node* node, uint32_t s) {
    bool empty = true;
    for (int k = 0; k < 3; k++)
        empty = empty && node->center[k][s] == 0 && node->half[k][s] == HF_SAMPLE_EMPTY;
    return empty;
}

/* The box of a slot holds what stands below it: the points of a block, or the boxes of a node. */
static bool slot_covers(const hf_sample_block* b, uint32_t level, uint32_t item, const hf_sample_node* node) {
    const float* points = hf_sample_points(b) + (size_t)item * 24;
    const hf_sample_node* below = level ? hf_sample_nodes(b) + b->level_first[level - 1] + item : NULL;
    bool holds = true;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < 8; i++) {
            double center = (double)(below ? below->center[k][i] : points[k * 8 + (int)i]);
            double half = below ? (double)below->half[k][i] : 0;
            holds = holds && fabs(center) <= (double)MOST_M;
            if (half >= 0) holds = holds && slot_holds(node, item % 8, k, center - half, center + half);
        }
    return holds;
}

/* Every box holds what is below it and slots behind the last one of a level are empty, so that a walk finds
   every sample once and never leaves the block. */
static bool index_holds(const hf_sample_block* b) {
    uint32_t items = b->block_count;
    for (uint32_t level = 0; level < b->level_count; level++) {
        const hf_sample_node* nodes = hf_sample_nodes(b) + b->level_first[level];
        uint32_t count = b->level_first[level + 1] - b->level_first[level];
        for (uint32_t i = 0; i < count * 8; i++)
            if (!(i < items ? slot_covers(b, level, i, &nodes[i / 8]) : slot_is_empty(&nodes[i / 8], i % 8)))
                return false;
        items = count;
    }
    return true;
}

hf_status hf_sample_block_check(const hf_sample_block* block, size_t byte_count, const hf_sample_key* key,
                                uint32_t joint_count, const char* path, hf_error* error) {
    const hf_status bad = HF_ERROR_FORMAT;
    const hf_block_head wanted = {HF_SAMPLE_MAGIC, HF_SAMPLE_VERSION, sizeof *block, 0};
    hf_status status = hf_block_check(block, byte_count, &wanted, "sample set", path, error);
    if (status != HF_OK) return status;
    // the layout follows from two numbers and must be the one that is written there
    hf_sample_block laid = *block;
    if (!hf_sample_block_layout(&laid) || memcmp(&laid, block, sizeof laid) != 0)
        return hf_fail(error, bad, path, 0, NULL, "its offsets do not hold");
    if (hf_sample_block_checksum(block) != block->checksum)
        return hf_fail(error, bad, path, 0, NULL, "is damaged: its checksum does not hold");
    if (block->key.creature != key->creature)
        return hf_fail(error, bad, path, 0, NULL, "is of another creature");
    if (memcmp(&block->key, key, sizeof *key) != 0 || block->joint_count != joint_count ||
        block->sample_count > (uint32_t)key->count)
        return hf_fail(error, bad, path, 0, NULL, "is of another limb or made with other options");
    if (!numbers_hold(block))
        return hf_fail(error, bad, path, 0, NULL, "holds numbers that are not finite, or too large");
    if (!index_holds(block)) return hf_fail(error, bad, path, 0, NULL, "its index does not hold");
    return HF_OK;
}

/* ---- files ---- */

static hf_status fail(hf_error* error, const char* path, const char* doing) {
    return hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "cannot be %s: %s", doing, strerror(errno));
}

hf_status hf_sample_file_map(const char* path, void** bytes, size_t* byte_count, hf_error* error) {
    *bytes = NULL;
    *byte_count = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return fail(error, path, "opened");
    struct stat info;
    hf_status status = HF_OK;
    if (fstat(file, &info) != 0)
        status = fail(error, path, "read");
    else if (!S_ISREG(info.st_mode))
        status = hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "is not a regular file");
    else if (info.st_size < (off_t)sizeof(hf_sample_block))
        status = hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL, "is not a sample set");
    if (status == HF_OK) {
        size_t size = (size_t)info.st_size;
        void* map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map == MAP_FAILED)
            status = fail(error, path, "mapped");
        else
            *bytes = map, *byte_count = size;
    }
    close(file);
    return status;
}

void hf_sample_file_unmap(void* bytes, size_t byte_count) {
    if (bytes) munmap(bytes, byte_count);
}

hf_status hf_sample_file_write(const hf_sample_block* block, const char* path, hf_error* error) {
    hf_sample_block header = *block;
    header.checksum = hf_sample_block_checksum(block);
    return hf_block_write(block, (size_t)block->byte_count, &header, sizeof header, path, error);
}
