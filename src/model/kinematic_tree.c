/* The precomputed tree: nodes with resolved mimic joints, segments with joined inertia, a depth-first
   order for the links beyond a link. */
#include "model/kinematic_tree.h"

#include "base/assert.h"
#include "model/creature.h"

void hf_plane_directions(hf_vec3 axis, hf_vec3* first, hf_vec3* second) {
    hf_quat turn = hf_quat_between(hf_v3(0, 0, 1), axis);
    *first = hf_rotate(turn, hf_v3(1, 0, 0));
    *second = hf_rotate(turn, hf_v3(0, 1, 0));
}

static hf_motion motion_of(hf_joint_type type) {
    switch (type) {
    case HF_JOINT_REVOLUTE:
    case HF_JOINT_CONTINUOUS:
        return HF_MOVE_TURN;
    case HF_JOINT_PRISMATIC:
        return HF_MOVE_SLIDE;
    case HF_JOINT_FLOATING:
        return HF_MOVE_FLOAT;
    case HF_JOINT_PLANAR:
        return HF_MOVE_PLANE;
    default:
        return HF_MOVE_FIXED;
    }
}

/* Walks up a chain of mimic joints to the joint that has a value of its own. A chain that ends in no
   such joint (the loader refuses those) leaves a constant. */
static void resolve_mimic(const hf_creature_view* view, int joint, hf_node* node) {
    node->multiplier = 1, node->offset = 0;
    int master = joint;
    for (int steps = 0; view->joints[master].mimic >= 0; steps++) {
        const hf_joint* j = &view->joints[master];
        node->offset += node->multiplier * j->offset;
        node->multiplier *= j->multiplier;
        master = j->mimic;
        if (steps == view->joint_count || view->joints[master].q_count != 1) {
            node->multiplier = 0;
            node->q = view->joints[joint].q_index, node->v = -1;
            return;
        }
    }
    node->q = view->joints[master].q_index;
    node->v = view->joints[master].v_index;
}

static void fill_nodes(const hf_creature_view* view, hf_node* nodes) {
    for (int l = 0; l < view->link_count; l++) {
        hf_node* n = &nodes[l];
        int joint = view->links[l].joint;
        *n = (hf_node){.origin = hf_transform_identity(), .parent = view->links[l].parent_link, .v = -1};
        HF_ASSERT(n->parent < l);
        if (joint < 0) continue;
        n->origin = view->joints[joint].origin;
        hf_quat r = n->origin.rotation;
        n->turned = r.w != 1 || r.x != 0 || r.y != 0 || r.z != 0;
        n->axis = view->joints[joint].axis;
        n->motion = motion_of(view->joints[joint].type);
        if (n->motion != HF_MOVE_FIXED) resolve_mimic(view, joint, n);
    }
}

/* Adds a link's inertia, shifted to the segment's frame. */
static void add_inertia(hf_segment* s, const hf_link* link, hf_transform in_segment) {
    hf_mat3 r = hf_quat_matrix(in_segment.rotation);
    hf_vec3 c = hf_apply(in_segment, link->com);
    const double* i = link->inertia;
    const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    double turned[9];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) sum += r.m[3 * a + k] * full[3 * k + l] * r.m[3 * b + l];
            turned[3 * a + b] = sum;
        }
    double m = link->mass;
    s->mass += m;
    s->moment = hf_add(s->moment, hf_scale(c, m));
    s->inertia[0] += turned[0] + m * (c.y * c.y + c.z * c.z);
    s->inertia[1] += turned[4] + m * (c.x * c.x + c.z * c.z);
    s->inertia[2] += turned[8] + m * (c.x * c.x + c.y * c.y);
    s->inertia[3] += turned[1] - m * c.x * c.y;
    s->inertia[4] += turned[2] - m * c.x * c.z;
    s->inertia[5] += turned[5] - m * c.y * c.z;
}

/* The coordinate that an axis runs along, -1 where it is oblique. */
static int main_axis(hf_vec3 axis) {
    const double a[3] = {axis.x, axis.y, axis.z};
    for (int i = 0; i < 3; i++)
        if (fabs(a[i]) == 1 && a[(i + 1) % 3] == 0 && a[(i + 2) % 3] == 0) return i;
    return -1;
}

/* owner[l]: segment of a link; in_owner[l]: the link's pose in its frame. */
static int fill_segments(const hf_creature_view* view, const hf_node* nodes, hf_segment* segments, int* owner,
                         hf_transform* in_owner) {
    int count = 0;
    for (int l = 0; l < view->link_count; l++) {
        const hf_node* n = &nodes[l];
        hf_transform joint_frame = n->origin;
        if (n->parent >= 0) joint_frame = hf_compose(in_owner[n->parent], n->origin);
        if (n->parent >= 0 && n->motion == HF_MOVE_FIXED) {
            owner[l] = owner[n->parent];
            in_owner[l] = joint_frame;
        } else {
            segments[count] = (hf_segment){.rotation = hf_quat_matrix(joint_frame.rotation),
                                           .position = joint_frame.position,
                                           .axis = n->axis,
                                           .multiplier = n->multiplier,
                                           .offset = n->offset,
                                           .motion = n->motion,
                                           .main_axis = main_axis(n->axis),
                                           .parent = n->parent >= 0 ? owner[n->parent] : -1,
                                           .q = n->q,
                                           .v = n->v,
                                           .link = l};
            owner[l] = count++;
            in_owner[l] = hf_transform_identity();
        }
        add_inertia(&segments[owner[l]], &view->links[l], in_owner[l]);
    }
    return count;
}

/* Depth-first order without recursion: with subtree sizes known, each link takes the next free place
   behind its parent. `next` is scratch. */
static void fill_order(const hf_node* nodes, int count, int* order, int* place, int* total, int* next) {
    for (int l = 0; l < count; l++) total[l] = 1;
    for (int l = count - 1; l > 0; l--) total[nodes[l].parent] += total[l];
    for (int l = 0; l < count; l++) {
        place[l] = l == 0 ? 0 : next[nodes[l].parent];
        if (l > 0) next[nodes[l].parent] += total[l];
        next[l] = place[l] + 1;
        order[place[l]] = l;
    }
}

static int fill_followers(const hf_creature_view* view, const hf_node* nodes, hf_follower* followers) {
    int count = 0;
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        if (joint->mimic < 0 || joint->q_count != 1) continue;
        const hf_node* n = &nodes[joint->child_link];
        followers[count++] = (hf_follower){joint->q_index, n->q, n->multiplier, n->offset};
    }
    return count;
}

hf_status hf_kinematic_tree_build(hf_creature* creature) {
    const hf_creature_view* view = &creature->view;
    size_t links = (size_t)view->link_count, joints = (size_t)view->joint_count;
    hf_arena* arena = &creature->arena;
    hf_kinematic_tree* tree = hf_arena_alloc(arena, 1, sizeof *tree);
    hf_node* nodes = hf_arena_alloc(arena, links, sizeof *nodes);
    hf_segment* segments = hf_arena_alloc(arena, links, sizeof *segments);
    hf_follower* followers = hf_arena_alloc(arena, joints, sizeof *followers);
    int* order = hf_arena_alloc(arena, links, sizeof *order);
    int* place = hf_arena_alloc(arena, links, sizeof *place);
    int* total = hf_arena_alloc(arena, links, sizeof *total);
    int* scratch = hf_alloc(links, sizeof *scratch);
    hf_transform* in_owner = hf_alloc(links, sizeof *in_owner);
    hf_status status = HF_ERROR_MEMORY;
    if (tree && nodes && segments && followers && order && place && total && scratch && in_owner) {
        fill_nodes(view, nodes);
        tree->node_count = view->link_count, tree->nodes = nodes;
        tree->segment_count = fill_segments(view, nodes, segments, scratch, in_owner);
        tree->segments = segments;
        tree->follower_count = fill_followers(view, nodes, followers);
        tree->followers = followers;
        fill_order(nodes, view->link_count, order, place, total, scratch);
        tree->order = order, tree->place = place, tree->link_total = total;
        for (int s = 0; s < tree->segment_count; s++) tree->mass += segments[s].mass;
        creature->tree = tree;
        status = HF_OK;
    }
    hf_free(scratch);
    hf_free(in_owner);
    return status;
}
