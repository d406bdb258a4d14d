/* The tree of links: joints find their links, a massless root is absorbed, links are put in an order
   where parents come first, followers find their masters. */
#include "model/creature_build.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------ names */

typedef struct hf_name_entry {
    const char* name;
    int index;
} name_entry;

static int by_name(const void* a, const void* b) {
    const name_entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int find_name(const name_entry* table, int count, const char* name) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(table[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(table[low].name, name) == 0 ? table[low].index : -1;
}

static hf_status fail_at(hf_build* b, int line, const char* kind, const char* name, const char* why,
                         const char* other) {
    char field[160];
    snprintf(field, sizeof field, "%s \"%.120s\"", kind, name);
    return hf_fail(b->error, HF_ERROR_FORMAT, b->file, line, field, why, other);
}

/* Sorted names of links or joints; a name that stands twice is refused. */
static hf_status link_names(hf_build* b, name_entry** table) {
    const hf_creature_draft* d = b->draft;
    *table = hf_build_scratch(b, (size_t)d->links_count, sizeof **table);
    if (!*table) return hf_build_fail_memory(b);
    for (int i = 0; i < d->links_count; i++) (*table)[i] = (name_entry){d->links[i].name, i};
    qsort(*table, (size_t)d->links_count, sizeof **table, by_name);
    for (int i = 1; i < d->links_count; i++)
        if (strcmp((*table)[i].name, (*table)[i - 1].name) == 0)
            return fail_at(b, d->links[(*table)[i].index].line, "link", (*table)[i].name,
                           "this name is used twice%s", "");
    return HF_OK;
}

static hf_status joint_names(hf_build* b, name_entry** table) {
    const hf_creature_draft* d = b->draft;
    *table = hf_build_scratch(b, (size_t)d->joints_count, sizeof **table);
    if (!*table) return hf_build_fail_memory(b);
    for (int i = 0; i < d->joints_count; i++) (*table)[i] = (name_entry){d->joints[i].name, i};
    qsort(*table, (size_t)d->joints_count, sizeof **table, by_name);
    for (int i = 1; i < d->joints_count; i++)
        if (strcmp((*table)[i].name, (*table)[i - 1].name) == 0)
            return fail_at(b, d->joints[(*table)[i].index].line, "joint", (*table)[i].name,
                           "this name is used twice%s", "");
    return HF_OK;
}

/* ------------------------------------------------------------------------------------------- tree */

/* Draft indices of both ends of each joint, the joint above each link, children as lists in file order. */
typedef struct wiring {
    int *parent, *child;           /* by draft joint */
    int* above;                    /* by draft link: its joint, -1 for a root */
    int *first_joint, *next_joint; /* joints below a link: a list in file order */
} wiring;

static hf_status missing_link(hf_build* b, const hf_draft_joint* j, const char* which, const char* name) {
    const hf_creature_draft* d = b->draft;
    const char** words = hf_build_scratch(b, (size_t)d->links_count, sizeof *words);
    if (!words) return hf_build_fail_memory(b);
    for (int i = 0; i < d->links_count; i++) words[i] = d->links[i].name;
    const char* near = hf_nearest_word(name, words, d->links_count);
    char field[160];
    snprintf(field, sizeof field, "joint \"%.120s\"", j->name);
    return hf_fail(b->error, HF_ERROR_FORMAT, b->file, j->line, field,
                   near ? "there is no link \"%.120s\", its %s; did you mean \"%.120s\"?"
                        : "there is no link \"%.120s\", its %s",
                   name, which, near);
}

static hf_status wire(hf_build* b, const name_entry* links, wiring* w) {
    const hf_creature_draft* d = b->draft;
    size_t n = (size_t)d->links_count, m = (size_t)d->joints_count;
    w->parent = hf_build_scratch(b, m, sizeof(int));
    w->child = hf_build_scratch(b, m, sizeof(int));
    w->next_joint = hf_build_scratch(b, m, sizeof(int));
    w->above = hf_build_scratch(b, n, sizeof(int));
    w->first_joint = hf_build_scratch(b, n, sizeof(int));
    if (!w->parent || !w->child || !w->next_joint || !w->above || !w->first_joint)
        return hf_build_fail_memory(b);
    for (int i = 0; i < d->links_count; i++) w->above[i] = w->first_joint[i] = -1;
    for (int i = 0; i < d->joints_count; i++) {
        const hf_draft_joint* j = &d->joints[i];
        w->parent[i] = find_name(links, d->links_count, j->parent);
        w->child[i] = find_name(links, d->links_count, j->child);
        if (w->parent[i] < 0) return missing_link(b, j, "parent", j->parent);
        if (w->child[i] < 0) return missing_link(b, j, "child", j->child);
        if (w->parent[i] == w->child[i])
            return fail_at(b, j->line, "joint", j->name, "joins the link \"%.120s\" to itself", j->parent);
        if (w->above[w->child[i]] >= 0)
            return fail_at(b, j->line, "link", j->child, "is already moved by joint \"%.120s\"",
                           d->joints[w->above[w->child[i]]].name);
        w->above[w->child[i]] = i;
    }
    for (int i = d->joints_count - 1; i >= 0; i--) {
        w->next_joint[i] = w->first_joint[w->parent[i]];
        w->first_joint[w->parent[i]] = i;
    }
    return HF_OK;
}

/* The one link that no joint moves. */
static hf_status find_root(hf_build* b, const wiring* w, int* root) {
    const hf_creature_draft* d = b->draft;
    *root = -1;
    for (int i = 0; i < d->links_count; i++) {
        if (w->above[i] >= 0) continue;
        if (*root >= 0)
            return fail_at(b, d->links[i].line, "link", d->links[i].name,
                           "no joint moves it, nor link \"%.120s\": one root is expected",
                           d->links[*root].name);
        *root = i;
    }
    if (*root < 0)
        return fail_at(b, d->joints[0].line, "joint", d->joints[0].name,
                       "the joints form a cycle, no link is the root%s", "");
    return HF_OK;
}

/* The only joint below a link that weighs nothing and has no shape, -1 for another link. */
static int lone_joint(const hf_build* b, const wiring* w, int link) {
    const hf_creature_draft* d = b->draft;
    int j = w->first_joint[link];
    if (d->links[link].mass > 0 || j < 0 || w->next_joint[j] >= 0) return -1;
    for (int s = 0; s < d->shapes_count; s++)
        if (d->shapes[s].link == link) return -1;
    return j;
}

/* The link below a base chain, which is a floating joint told in single ones: three that slide and three that
   turn, with links between them that are only names; -1 where there is none. */
static int below_base_chain(const hf_build* b, const wiring* w, int root) {
    int slides = 0, turns = 0;
    for (int j = lone_joint(b, w, root); j >= 0; j = lone_joint(b, w, root)) {
        const hf_draft_joint* joint = &b->draft->joints[j];
        slides += joint->type == HF_JOINT_PRISMATIC;
        turns += joint->type == HF_JOINT_REVOLUTE || joint->type == HF_JOINT_CONTINUOUS;
        if (joint->mimic || joint->type == HF_JOINT_FLOATING || joint->type == HF_JOINT_PLANAR) return -1;
        root = w->child[j];
        if (slides == 3 && turns == 3) return root;
    }
    return -1;
}

/* A root that weighs nothing and has no shape, above a single fixed or floating joint or a base chain, only
   says how the creature hangs in the world: the pose's root does that. */
static int absorb_roots(const hf_build* b, const wiring* w, int root, bool* absorbed_joint) {
    for (int end = root, j; (j = lone_joint(b, w, root)) >= 0; root = w->child[j]) {
        hf_joint_type type = b->draft->joints[j].type;
        if (root == end && type != HF_JOINT_FIXED && type != HF_JOINT_FLOATING) {
            end = below_base_chain(b, w, root);
            if (end < 0) return root;
        } else if (root == end)
            end = w->child[j];
        absorbed_joint[j] = true;
    }
    return root;
}

/* Links in preorder, children in file order. */
static hf_status order_links(hf_build* b, const wiring* w, int root, int* count) {
    const hf_creature_draft* d = b->draft;
    int* stack = hf_build_scratch(b, (size_t)d->links_count, sizeof(int));
    int* below = hf_build_scratch(b, (size_t)d->links_count, sizeof(int));
    if (!stack || !below) return hf_build_fail_memory(b);
    int top = 0;
    *count = 0;
    stack[top++] = root;
    while (top > 0) {
        int l = stack[--top], children = 0;
        b->link_of_draft[l] = *count;
        b->draft_of_link[(*count)++] = l;
        for (int j = w->first_joint[l]; j >= 0; j = w->next_joint[j]) below[children++] = w->child[j];
        while (children > 0) stack[top++] = below[--children];
    }
    return HF_OK;
}

/* What the root does not reach hangs in a cycle (absorbed roots aside, which stand above it). */
static hf_status refuse_cycles(hf_build* b, const wiring* w) {
    const hf_creature_draft* d = b->draft;
    for (int i = 0; i < d->joints_count; i++)
        if (b->link_of_draft[w->child[i]] < 0 && b->joint_of_draft[i] >= 0)
            return fail_at(b, d->joints[i].line, "joint", d->joints[i].name,
                           "is part of a cycle of joints that the root does not reach%s", "");
    return HF_OK;
}

static hf_status fill_links(hf_build* b, const wiring* w, int count) {
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    b->links = hf_build_keep(b, (size_t)count, sizeof *b->links);
    b->first_child = hf_build_scratch(b, (size_t)count + 1, sizeof(int));
    b->child_links = hf_build_scratch(b, (size_t)count, sizeof(int));
    if (!b->links || !b->first_child || !b->child_links) return hf_build_fail_memory(b);
    int children = 0;
    for (int i = 0; i < count; i++) {
        int from = b->draft_of_link[i], above = w->above[from];
        const hf_draft_link* in = &d->links[from];
        hf_link* out = &b->links[i];
        out->name = hf_arena_text(&b->creature->arena, in->name);
        if (!out->name) return hf_build_fail_memory(b);
        if (!(in->mass <= HF_MAX_NUMBER) || !(hf_length(in->com) <= HF_MAX_NUMBER))
            return fail_at(b, in->line, "link", in->name, "its mass or centre of mass is out of range%s", "");
        out->joint = i == 0 ? -1 : b->joint_of_draft[above];
        out->parent_link = i == 0 ? -1 : b->link_of_draft[w->parent[above]];
        out->mass = in->mass;
        out->com = in->com;
        memcpy(out->inertia, in->inertia, sizeof out->inertia);
        v->mass += in->mass;
        b->first_child[i] = children;
        for (int j = w->first_joint[from]; j >= 0; j = w->next_joint[j])
            b->child_links[children++] = b->link_of_draft[w->child[j]];
    }
    b->first_child[count] = children;
    v->links = b->links;
    v->link_count = count;
    return HF_OK;
}

/* ----------------------------------------------------------------------------------------- joints */

/* Follows chains of followers to the joint that has a value of its own. */
static hf_status resolve_mimic(hf_build* b, const name_entry* names, int index, hf_joint* out) {
    const hf_creature_draft* d = b->draft;
    const hf_draft_joint* start = &d->joints[index];
    out->mimic = -1;
    if (!start->mimic) return HF_OK;
    if (start->type == HF_JOINT_FIXED || start->type == HF_JOINT_FLOATING || start->type == HF_JOINT_PLANAR)
        return hf_build_warn(b, "joint \"%s\": a joint of this type cannot follow \"%s\"", start->name,
                             start->mimic);
    double multiplier = 1, offset = 0;
    int at = index;
    for (int steps = 0; d->joints[at].mimic; steps++) {
        const hf_draft_joint* j = &d->joints[at];
        if (steps > d->joints_count)
            return fail_at(b, start->line, "joint", start->name,
                           "mimic joints follow each other in a circle%s", "");
        /* q_start = multiplier q_j + offset, and q_j = m q_master + o. */
        offset += multiplier * j->offset;
        multiplier *= j->multiplier;
        at = find_name(names, d->joints_count, j->mimic);
        if (at < 0)
            return fail_at(b, j->line, "joint", j->name, "there is no joint \"%.120s\" to follow", j->mimic);
        hf_joint_type type = d->joints[at].type;
        if (type == HF_JOINT_FIXED || type == HF_JOINT_FLOATING || type == HF_JOINT_PLANAR)
            return fail_at(b, j->line, "joint", j->name,
                           "cannot follow \"%.120s\", which does not have one value", j->mimic);
    }
    out->mimic = b->joint_of_draft[at];
    out->multiplier = multiplier;
    out->offset = offset;
    if (!(fabs(multiplier) <= HF_MAX_NUMBER && fabs(offset) <= HF_MAX_NUMBER))
        return fail_at(b, start->line, "joint", start->name, "its multiplier or offset is out of range%s",
                       "");
    return HF_OK;
}

static hf_status fill_joints(hf_build* b, const wiring* w, const name_entry* names) {
    static const int q_counts[] = {
        [HF_JOINT_FIXED] = 0,     [HF_JOINT_REVOLUTE] = 1, [HF_JOINT_CONTINUOUS] = 1,
        [HF_JOINT_PRISMATIC] = 1, [HF_JOINT_FLOATING] = 7, [HF_JOINT_PLANAR] = 3};
    static const int v_counts[] = {
        [HF_JOINT_FIXED] = 0,     [HF_JOINT_REVOLUTE] = 1, [HF_JOINT_CONTINUOUS] = 1,
        [HF_JOINT_PRISMATIC] = 1, [HF_JOINT_FLOATING] = 6, [HF_JOINT_PLANAR] = 3};
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    int count = 0;
    for (int i = 0; i < d->joints_count; i++) count += b->joint_of_draft[i] >= 0;
    b->joints = hf_build_keep(b, (size_t)count, sizeof *b->joints);
    b->draft_of_joint = hf_build_scratch(b, (size_t)count, sizeof(int));
    if (!b->joints || !b->draft_of_joint) return hf_build_fail_memory(b);
    v->v_count = 6;
    for (int i = 0; i < d->joints_count; i++) {
        int at = b->joint_of_draft[i];
        if (at < 0) continue;
        const hf_draft_joint* in = &d->joints[i];
        hf_joint* out = &b->joints[at];
        b->draft_of_joint[at] = i;
        out->name = hf_arena_text(&b->creature->arena, in->name);
        if (!out->name) return hf_build_fail_memory(b);
        if (!(hf_length(in->origin.position) <= HF_MAX_NUMBER))
            return fail_at(b, in->line, "joint", in->name, "its origin is out of range%s", "");
        out->type = in->type;
        out->parent_link = b->link_of_draft[w->parent[i]];
        out->child_link = b->link_of_draft[w->child[i]];
        out->origin = in->origin;
        out->axis = in->axis;
        hf_status status = resolve_mimic(b, names, i, out);
        if (status != HF_OK) return status;
        out->q_index = v->q_count;
        out->q_count = q_counts[in->type];
        out->v_index = v->v_count;
        out->v_count = out->mimic < 0 ? v_counts[in->type] : 0;
        v->q_count += out->q_count;
        v->v_count += out->v_count;
    }
    v->joints = b->joints;
    v->joint_count = count;
    return HF_OK;
}

/* Joints with parents first: those of the links in their order. */
static hf_status order_joints(hf_build* b) {
    hf_creature_view* v = &b->creature->view;
    int* order = hf_build_keep(b, (size_t)v->joint_count, sizeof(int));
    if (!order) return hf_build_fail_memory(b);
    for (int i = 1; i < v->link_count; i++) order[i - 1] = v->links[i].joint;
    v->joint_order = order;
    return HF_OK;
}

hf_status hf_build_tree(hf_build* b) {
    const hf_creature_draft* d = b->draft;
    if (d->links_count == 0) return hf_fail(b->error, HF_ERROR_FORMAT, b->file, 0, NULL, "has no links");
    if (d->links_count > HF_MAX_LINKS || d->joints_count > HF_MAX_LINKS)
        return hf_fail(b->error, HF_ERROR_LIMIT, b->file, 0, NULL, "more than %d links", HF_MAX_LINKS);
    name_entry *links = NULL, *joints = NULL;
    wiring w;
    int root = -1, count = 0;
    hf_status status = link_names(b, &links);
    if (status == HF_OK) status = joint_names(b, &joints);
    b->link_names = links, b->joint_names = joints;
    if (status == HF_OK) status = wire(b, links, &w);
    if (status == HF_OK) status = find_root(b, &w, &root);
    if (status != HF_OK) return status;

    bool* absorbed = hf_build_scratch(b, (size_t)d->joints_count, sizeof(bool));
    b->link_of_draft = hf_build_scratch(b, (size_t)d->links_count, sizeof(int));
    b->draft_of_link = hf_build_scratch(b, (size_t)d->links_count, sizeof(int));
    b->joint_of_draft = hf_build_scratch(b, (size_t)d->joints_count, sizeof(int));
    if (!absorbed || !b->link_of_draft || !b->draft_of_link || !b->joint_of_draft)
        return hf_build_fail_memory(b);
    root = absorb_roots(b, &w, root, absorbed);
    for (int i = 0; i < d->links_count; i++) b->link_of_draft[i] = -1;
    for (int i = 0, next = 0; i < d->joints_count; i++) b->joint_of_draft[i] = absorbed[i] ? -1 : next++;

    status = order_links(b, &w, root, &count);
    if (status == HF_OK) status = refuse_cycles(b, &w);
    if (status == HF_OK) status = fill_links(b, &w, count);
    if (status == HF_OK) status = fill_joints(b, &w, joints);
    if (status == HF_OK) status = order_joints(b);
    return status;
}

int hf_build_find_link(const hf_build* b, const char* name) {
    int at = find_name(b->link_names, b->draft->links_count, name);
    return at < 0 ? -1 : b->link_of_draft[at];
}

int hf_build_find_joint(const hf_build* b, const char* name) {
    int at = find_name(b->joint_names, b->draft->joints_count, name);
    return at < 0 ? -1 : b->joint_of_draft[at];
}

bool hf_build_below(const hf_build* b, int link, int ancestor) {
    while (link > ancestor) link = b->links[link].parent_link;
    return link == ancestor;
}
