#include "geom/tree.h"

#include "base/hash.h"

HF_KERNEL_CHOICE(hf_tree_kernel)

/* Offset and count of an array inside the block. */
static bool inside_block(const hf_tree* t, uint64_t offset, uint64_t count, uint64_t size, uint64_t align) {
    return offset % align == 0 && offset >= sizeof *t && offset <= t->byte_count &&
           count <= (t->byte_count - offset) / size;
}

/* Children stand behind their parent, leaves and triangles exist. */
static bool links_hold(const hf_tree* t) {
    const hf_tree_node* nodes = hf_tree_nodes(t);
    const hf_tree_leaf* leaves = hf_tree_leaves(t);
    for (uint32_t i = 0; i < t->node_count; i++)
        for (int s = 0; s < 8; s++) {
            uint32_t child = nodes[i].child[s];
            if (child == HF_TREE_NONE) continue;
            if (child & HF_TREE_LEAF ? (child & ~HF_TREE_LEAF) >= t->leaf_count
                                     : child <= i || child >= t->node_count)
                return false;
        }
    for (uint32_t i = 0; i < t->leaf_count; i++)
        for (int lane = 0; lane < 8; lane++)
            if (leaves[i].id[lane] != HF_TREE_NONE && leaves[i].id[lane] >= t->triangle_count) return false;
    return true;
}

/* Longest way down, with a stack of one path. */
static bool depth_holds(const hf_tree* t) {
    uint32_t node[HF_TREE_DEPTH + 1];
    int slot[HF_TREE_DEPTH + 1], top = 0;
    const hf_tree_node* nodes = hf_tree_nodes(t);
    if (t->node_count == 0) return true;
    node[0] = 0, slot[0] = 0;
    for (uint64_t steps = 0; top >= 0; steps++) {
        if (steps > 16 * (uint64_t)t->node_count + 16) return false; // shared children
        if (slot[top] == 8) {
            top--;
            continue;
        }
        uint32_t child = nodes[node[top]].child[slot[top]++];
        if (child & HF_TREE_LEAF) continue;
        if (top + 1 >= HF_TREE_DEPTH) return false;
        node[++top] = child, slot[top] = 0;
    }
    return true;
}

bool hf_tree_check(const void* block, size_t byte_count) {
    const hf_tree* t = block;
    if (byte_count < sizeof *t || (uintptr_t)block % 64 != 0) return false;
    if (t->magic != HF_TREE_MAGIC || t->version != HF_TREE_VERSION || t->byte_count != byte_count)
        return false;
    if (!inside_block(t, t->node_offset, t->node_count, sizeof(hf_tree_node), 32)) return false;
    if (!inside_block(t, t->leaf_offset, t->leaf_count, sizeof(hf_tree_leaf), 32)) return false;
    uint64_t h = hf_hash_bytes(HF_HASH_START, hf_tree_nodes(t), t->node_count * sizeof(hf_tree_node));
    h = hf_hash_bytes(h, hf_tree_leaves(t), t->leaf_count * sizeof(hf_tree_leaf));
    return h == t->checksum && links_hold(t) && depth_holds(t);
}
