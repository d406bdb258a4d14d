/* Forward kinematics of the whole creature, of one limb, of what lies beyond a link; centre of mass. */
#include <holdfast/kinematics.h>

#include "base/assert.h"
#include "model/creature.h"
#include "model/kinematic_tree.h"

/* World pose of a link from its parent's and the joint values. Inlined by force: a third of the time. */
static inline __attribute__((always_inline)) hf_transform
move_link(const hf_node* n, const hf_transform* parent, const double* q) {
    hf_transform t = {hf_add(parent->position, hf_rotate(parent->rotation, n->origin.position)),
                      parent->rotation};
    if (n->turned) t.rotation = hf_quat_mul(t.rotation, n->origin.rotation);
    switch (n->motion) {
    case HF_MOVE_TURN: {
        double angle = n->multiplier * q[n->q] + n->offset;
        if (angle == 0) break; // most joints of hands and spine, most of the time
        t.rotation = hf_quat_mul(t.rotation, hf_quat_axis_angle(n->axis, angle));
        break;
    }
    case HF_MOVE_SLIDE: {
        hf_vec3 shift = hf_scale(n->axis, n->multiplier * q[n->q] + n->offset);
        t.position = hf_add(t.position, hf_rotate(t.rotation, shift));
        break;
    }
    case HF_MOVE_FLOAT: {
        const double* v = &q[n->q];
        hf_quat turn = hf_quat_normalize((hf_quat){v[3], v[4], v[5], v[6]});
        t = hf_compose(t, (hf_transform){{v[0], v[1], v[2]}, turn});
        break;
    }
    case HF_MOVE_PLANE: {
        const double* v = &q[n->q];
        hf_vec3 first, second;
        hf_plane_directions(n->axis, &first, &second);
        hf_vec3 shift = hf_add(hf_scale(first, v[0]), hf_scale(second, v[1]));
        t = hf_compose(t, (hf_transform){shift, hf_quat_axis_angle(n->axis, v[2])});
        break;
    }
    default:
        break;
    }
    return t;
}

void hf_forward(const hf_creature* creature, const hf_pose* pose, hf_transform* links) {
    const hf_kinematic_tree* tree = creature->tree;
    links[0] = pose->root;
    for (int l = 1; l < tree->node_count; l++)
        links[l] = move_link(&tree->nodes[l], &links[tree->nodes[l].parent], pose->q);
}

void hf_forward_from(const hf_creature* creature, int link, const double* q, hf_transform* links) {
    const hf_kinematic_tree* tree = creature->tree;
    HF_ASSERT(link >= 0 && link < tree->node_count);
    const int* order = &tree->order[tree->place[link]];
    for (int i = link == 0; i < tree->link_total[link]; i++)
        links[order[i]] = move_link(&tree->nodes[order[i]], &links[tree->nodes[order[i]].parent], q);
}

/* Links from `base` (left out) to `link`, from the base outwards. Long chains are done a piece at a time, so
   that the stack stays small. */
static void forward_chain(const hf_kinematic_tree* tree, int base, int link, const double* q,
                          hf_transform* links) {
    enum { PIECE = 64 };
    int chain[PIECE];
    while (link != base) {
        /* The PIECE links nearest to the base of what is left. */
        int count = 0, l = link;
        for (; l != base && l > 0; l = tree->nodes[l].parent) chain[count++ % PIECE] = l;
        int piece = count < PIECE ? count : PIECE;
        for (int i = 0; i < piece; i++) {
            l = chain[(count - 1 - i) % PIECE];
            links[l] = move_link(&tree->nodes[l], &links[tree->nodes[l].parent], q);
        }
        if (piece == count) return;
        base = l;
    }
}

void hf_forward_limb(const hf_creature* creature, int limb, const double* q, hf_transform* links) {
    HF_ASSERT(limb >= 0 && limb < creature->view.limb_count);
    const hf_limb* l = &creature->view.limbs[limb];
    forward_chain(creature->tree, l->base_link, l->effector_link, q, links);
    for (int i = 0; i < l->contact_count; i++)
        forward_chain(creature->tree, l->effector_link, l->contacts[i].link, q, links);
}

hf_vec3 hf_com(const hf_creature* creature, const hf_transform* links) {
    const hf_kinematic_tree* tree = creature->tree;
    hf_vec3 sum = {0, 0, 0};
    for (int i = 0; i < tree->segment_count; i++) {
        const hf_segment* s = &tree->segments[i];
        const hf_transform* t = &links[s->link];
        sum = hf_add(sum, hf_add(hf_scale(t->position, s->mass), hf_rotate(t->rotation, s->moment)));
    }
    /* A creature without mass has its centre at the root. */
    return tree->mass > 0 ? hf_scale(sum, 1 / tree->mass) : links[0].position;
}
