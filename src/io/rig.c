/* From an animator's rig to the draft of a creature: three angles a joint, capsules along the bones,
   masses by volume. */
#include "io/rig.h"
#include "base/error.h"
#include "base/text.h"
#include "io/byte_buffer.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Capsules: an eighth of the bone thick, as calves are, which pass close to each other in a walk, short bones
   thicker, those between limbs as thick as a trunk. Of the bone's length, and of the whole skeleton's size.
 */
static const double RADIUS_OF_LENGTH = 0.12, SHORT_OF_LENGTH = 0.35, SHORT_OF_SIZE = 0.02,
                    TRUNK_OF_SIZE = 0.065;
/* Feet: a limb's last bones that lie this low are one, with a flat sole. Of the skeleton's size; the heel and
   half the width are of the foot's length. */
static const double FOOT_OF_SIZE = 0.09, LENGTH_OF_SIZE = 0.1, HEEL_OF_LENGTH = 0.3,
                    HALF_WIDTH_OF_LENGTH = 0.2;
static const double LIMB_OF_SIZE = 0.25; /* a branch at least this long is a limb */
static const double DENSITY = 1000;      /* kg/m3 */
/* rad, of each of a joint's three angles where the clip does not do more. The middle one may pass a quarter
   of a turn, where the other two become one: in most files it is the one that bends knees. */
static const double TURN_LIMIT = 2.1;
static const double PI = 3.14159265358979323846;

void hf_rig_free(hf_rig* rig) {
    hf_free(rig->joints);
    hf_arena_free(&rig->arena);
    *rig = (hf_rig){0};
}

hf_rig_joint* hf_rig_add(hf_rig* rig, const char* name, int parent, int source) {
    char* copy = hf_arena_text(&rig->arena, name);
    if (!copy || !HF_GROW(rig->joints, rig->capacity, rig->joint_count)) return NULL;
    hf_rig_joint* joint = &rig->joints[rig->joint_count++];
    *joint = (hf_rig_joint){.name = copy, .parent = parent, .source = source};
    return joint;
}

void hf_rig_default_limits(hf_rig_joint* joint) {
    for (int k = 0; k < joint->turn_count; k++) {
        joint->lower[k] = -TURN_LIMIT;
        joint->upper[k] = TURN_LIMIT;
    }
}

/* ---- names ---- */

static char axis_letter(hf_vec3 axis) { return fabs(axis.x) > 0.5 ? 'x' : fabs(axis.y) > 0.5 ? 'y' : 'z'; }

void hf_rig_turn_name(const hf_rig_joint* joint, int k, char name[200]) {
    snprintf(name, 200, "%.180s_%c", joint->name, axis_letter(joint->turns[k]));
}

void hf_rig_slide_name(const hf_rig_joint* joint, int k, char name[200]) {
    snprintf(name, 200, "%.180s_slide_%c", joint->name, "xyz"[k]);
}

/* Takes a name and the ones made from it, if all of them are free. */
static bool take_name(json_t* taken, const char* name, bool* memory) {
    static const char* const endings[] = {"", "_x", "_y", "_z", "_slide_x", "_slide_y", "_slide_z"};
    char text[200];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 7; i++) {
            snprintf(text, sizeof text, "%.180s%s", name, endings[i]);
            if (pass == 0 && json_object_get(taken, text)) return false;
            if (pass == 1 && json_object_set_new(taken, text, json_true()) != 0) *memory = false;
        }
    return true;
}

/* Printable UTF-8, without blanks at the ends, at most 120 bytes. */
static void clean_name(const char* name, char out[128]) {
    size_t n = 0;
    for (const char* s = name; *s && n < 120;) {
        int length = hf_utf8_length(s);
        bool good = length > 0 && (unsigned char)*s >= 0x20 && *s != 0x7f;
        if (!good) {
            out[n++] = '_';
            s += length > 0 ? length : 1;
        } else {
            for (int i = 0; i < length; i++) out[n++] = *s++;
        }
    }
    out[n] = 0;
    if (n == 0) strcpy(out, "joint");
}

hf_status hf_rig_name(hf_rig* rig, hf_error* error) {
    json_t* taken = json_object();
    bool memory = taken != NULL;
    for (int i = 0; i < rig->joint_count && memory; i++) {
        if (rig->joints[i].tip) continue;
        char base[128], text[160];
        clean_name(rig->joints[i].name, base);
        snprintf(text, sizeof text, "%s", base);
        /* A name that is taken gets a number: the joint's own is free sooner or later. */
        for (int number = 2; memory && !take_name(taken, text, &memory); number++) {
            snprintf(text, sizeof text, "%s_%d", base, number);
            if (number == 50) snprintf(text, sizeof text, "%s_joint%d", base, i);
            if (number > 50) snprintf(text, sizeof text, "%s_joint%d_%d", base, i, number);
        }
        char* copy = hf_arena_text(&rig->arena, text);
        if (copy)
            rig->joints[i].name = copy;
        else
            memory = false;
    }
    json_decref(taken);
    return memory ? HF_OK : hf_fail_memory(error, rig->path);
}

void hf_rig_stand_as_is(hf_rig* rig) {
    for (int i = 0; i < rig->joint_count; i++)
        rig->joints[i].standing = (hf_transform){rig->joints[i].position, hf_quat_identity()};
}

int hf_rig_facing(const hf_rig* rig) {
    hf_vec3 sum[2] = {{0}};
    int count[2] = {0};
    for (int i = 0; i < rig->joint_count; i++) {
        int side = hf_name_side(rig->joints[i].name);
        if (side == 0 || rig->joints[i].tip) continue;
        int k = side > 0 ? 0 : 1;
        sum[k] = hf_add(sum[k], rig->joints[i].standing.position);
        count[k]++;
    }
    if (!count[0] || !count[1]) return 0;
    hf_vec3 left = hf_sub(hf_scale(sum[0], 1.0 / count[0]), hf_scale(sum[1], 1.0 / count[1]));
    /* Left crossed with up looks ahead. */
    double ahead_x = left.y, ahead_y = -left.x;
    if (fabs(ahead_x) < 1e-9 && fabs(ahead_y) < 1e-9) return 0;
    if (fabs(ahead_x) >= fabs(ahead_y)) return ahead_x > 0 ? 0 : 2;
    return ahead_y > 0 ? 3 : 1;
}

bool hf_rig_is_handle(const char* name) {
    static const char* const words[] = {"root",  "armature", "reference", "origin",
                                        "world", "scene",    "skeleton"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(name, words[i])) return true;
    return false;
}

/* ---- links and joints ---- */

typedef struct drafter {
    const hf_rig* rig;
    hf_creature_draft* draft;
    double size; /* of the whole skeleton */
    int* link;   /* draft link of each rig joint */
    int *first_child, *next_child;
    bool* trunk; /* two limbs or more begin at or beyond this joint */
    bool* foot;  /* this joint and all beyond it lie low: an ankle, a toe */
    double lowest;
} drafter;

static hf_draft_link* add_link(hf_creature_draft* d, const char* name) {
    char* copy = hf_arena_text(&d->arena, name);
    if (!copy || !HF_GROW(d->links, d->links_capacity, d->links_count)) return NULL;
    hf_draft_link* link = &d->links[d->links_count++];
    *link = (hf_draft_link){.name = copy};
    return link;
}

static hf_draft_joint* add_joint(hf_creature_draft* d, const char* name, const char* parent,
                                 const char* child) {
    char *copy = hf_arena_text(&d->arena, name), *from = hf_arena_text(&d->arena, parent),
         *to = hf_arena_text(&d->arena, child);
    if (!copy || !from || !to || !HF_GROW(d->joints, d->joints_capacity, d->joints_count)) return NULL;
    hf_draft_joint* joint = &d->joints[d->joints_count++];
    *joint = (hf_draft_joint){.name = copy, .parent = from, .child = to, .origin = hf_transform_identity()};
    return joint;
}

/* The chain of one rig joint: slides, then turns, massless links between them, its own link last. */
static bool add_chain(drafter* w, int index) {
    const hf_rig_joint* j = &w->rig->joints[index];
    hf_creature_draft* d = w->draft;
    int slides = j->slides ? 3 : 0, count = slides + j->turn_count;
    const hf_rig_joint* parent = &w->rig->joints[j->parent];
    char above[200], name[200], below[200];
    snprintf(above, sizeof above, "%.199s", parent->name);
    for (int k = 0; k < (count ? count : 1); k++) {
        bool last = k + 1 >= count;
        if (count == 0)
            snprintf(name, sizeof name, "%.199s", j->name);
        else if (k < slides)
            hf_rig_slide_name(j, k, name);
        else
            hf_rig_turn_name(j, k - slides, name);
        snprintf(below, sizeof below, "%s", last ? j->name : name);
        hf_draft_joint* joint = add_joint(d, name, above, below);
        if (!joint || !add_link(d, below)) return false;
        if (k == 0) joint->origin.position = hf_sub(j->position, parent->position);
        joint->has_bounds = count > 0;
        if (count == 0) {
            joint->type = HF_JOINT_FIXED;
        } else if (k < slides) {
            joint->type = HF_JOINT_PRISMATIC;
            joint->axis = hf_v3(k == 0, k == 1, k == 2);
            joint->lower = j->slide_lower[k];
            joint->upper = j->slide_upper[k];
        } else {
            joint->type = HF_JOINT_REVOLUTE;
            joint->axis = j->turns[k - slides];
            joint->lower = j->lower[k - slides];
            joint->upper = j->upper[k - slides];
        }
        memcpy(above, below, sizeof above);
    }
    w->link[index] = d->links_count - 1;
    return true;
}

/* ---- bodies ---- */

/* Inertia about the link's origin while capsules are added; about the centre at the end. */
typedef struct weight {
    bool inside; /* the body of a child is about the link, which has none of its own */
    double mass;
    hf_vec3 moment;
    double inertia[6];
} weight;

static void add_point_inertia(double inertia[6], double mass, hf_vec3 p) {
    inertia[0] += mass * (p.y * p.y + p.z * p.z);
    inertia[1] += mass * (p.x * p.x + p.z * p.z);
    inertia[2] += mass * (p.x * p.x + p.y * p.y);
    inertia[3] -= mass * p.x * p.y;
    inertia[4] -= mass * p.x * p.z;
    inertia[5] -= mass * p.y * p.z;
}

/* A solid capsule: cylinder and two half balls. */
static void weigh_capsule(weight* w, double radius, double length, hf_vec3 centre, hf_vec3 axis) {
    double rod = DENSITY * PI * radius * radius * length,
           ball = DENSITY * 4.0 / 3 * PI * radius * radius * radius;
    double along = rod * radius * radius / 2 + ball * 0.4 * radius * radius;
    double across = rod * (length * length / 12 + radius * radius / 4) +
                    ball * (0.4 * radius * radius + length * length / 4 + 0.375 * length * radius);
    double step = along - across;
    w->inertia[0] += across + step * axis.x * axis.x;
    w->inertia[1] += across + step * axis.y * axis.y;
    w->inertia[2] += across + step * axis.z * axis.z;
    w->inertia[3] += step * axis.x * axis.y;
    w->inertia[4] += step * axis.x * axis.z;
    w->inertia[5] += step * axis.y * axis.z;
    add_point_inertia(w->inertia, rod + ball, centre);
    w->mass += rod + ball;
    w->moment = hf_add(w->moment, hf_scale(centre, rod + ball));
}

/* A box weighs as six points, two on each of its axes, that have a sixth of its mass each. */
static void weigh_box(weight* w, hf_transform at, hf_vec3 half) {
    double mass = DENSITY * 8 * half.x * half.y * half.z;
    for (int i = 0; i < 6; i++) {
        hf_vec3 p = hf_scale(hf_v3(i / 2 == 0 ? half.x : 0, i / 2 == 1 ? half.y : 0, i / 2 == 2 ? half.z : 0),
                             i % 2 ? -1 : 1);
        add_point_inertia(w->inertia, mass / 6, hf_apply(at, p));
    }
    w->mass += mass;
    w->moment = hf_add(w->moment, hf_scale(at.position, mass));
}

static double radius_for(const drafter* w, double length, bool trunk) {
    if (trunk) return TRUNK_OF_SIZE * w->size;
    return fmax(RADIUS_OF_LENGTH * length, fmin(SHORT_OF_LENGTH * length, SHORT_OF_SIZE * w->size));
}

static bool add_capsule(drafter* w, int link, hf_vec3 to, double radius, weight* sum) {
    hf_creature_draft* d = w->draft;
    double length = hf_length(to);
    hf_vec3 axis = length > 0 ? hf_scale(to, 1 / length) : hf_v3(0, 0, 1);
    if (!HF_GROW(d->shapes, d->shapes_capacity, d->shapes_count)) return false;
    hf_draft_shape* s = &d->shapes[d->shapes_count++];
    *s =
        (hf_draft_shape){.link = link, .in_link = {hf_scale(to, 0.5), hf_quat_between(hf_v3(0, 0, 1), axis)}};
    s->shape = (hf_shape){
        .kind = length > 0 ? HF_SHAPE_CAPSULE : HF_SHAPE_SPHERE, .radius = radius, .half_length = length / 2};
    weigh_capsule(sum, radius, length, hf_scale(to, 0.5), axis);
    return true;
}

/* Bones too short to see have no body. */
static double bone_length(const drafter* w, int joint) {
    const hf_rig_joint* j = &w->rig->joints[joint];
    double length = j->parent < 0 ? 0 : hf_distance(j->position, w->rig->joints[j->parent].position);
    return length < 0.005 * w->size ? 0 : length;
}

/* How thick the skeleton goes on at a joint: the thickest bone that begins there, else its own ball. */
static double thickness_at(const drafter* w, int index) {
    double radius = 0;
    for (int c = w->first_child[index]; c >= 0; c = w->next_child[c])
        if (bone_length(w, c) > 0) radius = fmax(radius, radius_for(w, bone_length(w, c), w->trunk[c]));
    return radius > 0 ? radius : fmax(radius_for(w, bone_length(w, index), w->trunk[index]), 0.004 * w->size);
}

/* How far a foot reaches ahead of its ankle, along the ground. */
static double foot_length(const drafter* w, int ankle) {
    double far = 0;
    const hf_rig_joint* joints = w->rig->joints;
    for (int i = ankle + 1; i < w->rig->joint_count; i++) {
        int up = i;
        while (up > ankle) up = joints[up].parent;
        hf_vec3 d = hf_sub(joints[i].standing.position, joints[ankle].standing.position);
        if (up == ankle) far = fmax(far, sqrt(d.x * d.x + d.y * d.y));
    }
    return far;
}

/* The part of a foot that one joint carries: a box with a level sole. */
typedef struct sole {
    bool any;
    hf_vec3 low, high;
} sole;

static int ankle_of(const drafter* w, int joint) {
    const hf_rig_joint* joints = w->rig->joints;
    while (joints[joint].parent > 0 && w->foot[joints[joint].parent]) joint = joints[joint].parent;
    return joint;
}

/* Is it the first joint of its foot without children, which carries what the bones leave out of a whole foot?
 */
static bool carries_foot(const drafter* w, int joint) {
    int ankle = ankle_of(w, joint);
    if (w->first_child[joint] >= 0 || w->rig->joints[joint].tip) return false;
    for (int i = ankle; i < joint; i++)
        if (w->foot[i] && !w->rig->joints[i].tip && w->first_child[i] < 0 && ankle_of(w, i) == ankle)
            return false;
    return true;
}

/* Adds the box about the bone from a joint of a foot to its child, and about the heel behind an ankle. */
static void add_to_sole(const drafter* w, int index, hf_vec3 to, double radius, sole* s) {
    const hf_rig_joint* joints = w->rig->joints;
    int ankle = ankle_of(w, index);
    double length = fmax(foot_length(w, ankle), LENGTH_OF_SIZE * w->size);
    double half = fmax(HALF_WIDTH_OF_LENGTH * length, radius);
    hf_vec3 at = joints[index].standing.position, heel = hf_sub(joints[ankle].standing.position, at);
    to = hf_rotate(joints[index].standing.rotation, to);
    bool last = carries_foot(w, index);
    if (last) to = hf_v3(heel.x + length, 0, 0);
    hf_vec3 low = {fmin(0, to.x), fmin(0, to.y) - half, w->lowest - at.z};
    hf_vec3 high = {fmax(0, to.x), fmax(0, to.y) + half, fmax(0, to.z)};
    if (index == ankle || last) low.x = fmin(low.x, heel.x - HEEL_OF_LENGTH * length);
    high.z = fmax(high.z, low.z + radius);
    if (s->any) {
        low = hf_v3(fmin(low.x, s->low.x), fmin(low.y, s->low.y), fmin(low.z, s->low.z));
        high = hf_v3(fmax(high.x, s->high.x), fmax(high.y, s->high.y), fmax(high.z, s->high.z));
    }
    *s = (sole){true, low, high};
}

/* The box lies along the world's axes while the skeleton stands. */
static bool add_sole(drafter* w, int index, const sole* from, weight* sum) {
    hf_creature_draft* d = w->draft;
    if (!HF_GROW(d->shapes, d->shapes_capacity, d->shapes_count)) return false;
    hf_draft_shape* s = &d->shapes[d->shapes_count++];
    hf_quat turn = hf_quat_conj(w->rig->joints[index].standing.rotation);
    *s = (hf_draft_shape){.link = w->link[index], .in_link = {.rotation = turn}};
    s->in_link.position = hf_rotate(turn, hf_scale(hf_add(from->low, from->high), 0.5));
    s->shape = (hf_shape){.kind = HF_SHAPE_BOX, .half_size = hf_scale(hf_sub(from->high, from->low), 0.5)};
    weigh_box(sum, s->in_link, s->shape.half_size);
    return true;
}

/* Capsules to every child, or a ball as thick as the bone that leads here. A bone that is thicker than what
   follows ends before its joint, so that a shin does not stand out under the foot. */
static bool add_bodies(drafter* w, int index) {
    const hf_rig_joint* joints = w->rig->joints;
    weight sum = {0};
    sole flat = {0};
    for (int c = w->first_child[index]; c >= 0; c = w->next_child[c]) {
        double length = bone_length(w, c);
        if (length <= 0) continue;
        double radius = radius_for(w, length, w->trunk[c]);
        double cut = joints[c].tip || w->trunk[c] ? 0 : fmax(0, radius - thickness_at(w, c));
        /* The sole of a foot without toes lies at its ankle. */
        if (w->foot[c] && !w->foot[index])
            cut = fmax(cut, radius - (joints[c].standing.position.z - w->lowest));
        hf_vec3 to = hf_sub(joints[c].position, joints[index].position);
        to = hf_scale(to, fmax(1 - cut / length, 0.3));
        /* Where the last joint of a foot carries the whole sole, the sole's box is about the bone to it, too.
         */
        if (w->foot[index] && carries_foot(w, c)) {
            sum.inside = true;
            continue;
        }
        if (w->foot[index]) {
            add_to_sole(w, index, to, radius, &flat);
            continue;
        }
        if (!add_capsule(w, w->link[index], to, radius, &sum)) return false;
    }
    if (sum.mass <= 0 && !sum.inside && w->foot[index] && carries_foot(w, index))
        add_to_sole(w, index, hf_v3(0, 0, 0), thickness_at(w, index), &flat);
    if (flat.any && !add_sole(w, index, &flat, &sum)) return false;
    if (sum.mass <= 0 && sum.inside) return true;
    if (sum.mass <= 0 && !add_capsule(w, w->link[index], hf_v3(0, 0, 0), thickness_at(w, index), &sum))
        return false;
    hf_draft_link* link = &w->draft->links[w->link[index]];
    link->mass = sum.mass;
    link->com = hf_scale(sum.moment, 1 / sum.mass);
    add_point_inertia(sum.inertia, -sum.mass, link->com);
    memcpy(link->inertia, sum.inertia, sizeof link->inertia);
    return true;
}

static double skeleton_size(const hf_rig* rig) {
    hf_vec3 low = {0}, high = {0};
    for (int i = 0; i < rig->joint_count; i++) {
        hf_vec3 p = rig->joints[i].standing.position;
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    hf_vec3 d = hf_sub(high, low);
    return fmax(d.x, fmax(d.y, d.z));
}

/* A joint is trunk when two long branches begin at it, or when one below it is. */
static bool find_trunk(drafter* w) {
    const hf_rig* rig = w->rig;
    double* reach = hf_alloc((size_t)rig->joint_count, sizeof *reach);
    int* branches = hf_alloc((size_t)rig->joint_count, sizeof *branches);
    bool good = reach && branches;
    for (int i = rig->joint_count - 1; i > 0 && good; i--) {
        int parent = rig->joints[i].parent;
        double length = reach[i] + hf_distance(rig->joints[i].position, rig->joints[parent].position);
        w->trunk[i] = w->trunk[i] || branches[i] > 1;
        reach[parent] = fmax(reach[parent], length);
        branches[parent] += length > LIMB_OF_SIZE * w->size;
        w->trunk[parent] = w->trunk[parent] || w->trunk[i];
    }
    hf_free(reach);
    hf_free(branches);
    return good;
}

/* Joints from which no bone leads up again, near the ground that the lowest joint stands on. Children come
   after their parents. */
static void find_feet(drafter* w) {
    const hf_rig_joint* joints = w->rig->joints;
    w->lowest = INFINITY;
    for (int i = 0; i < w->rig->joint_count; i++) w->lowest = fmin(w->lowest, joints[i].standing.position.z);
    for (int i = w->rig->joint_count - 1; i > 0; i--) {
        bool low = joints[i].standing.position.z - w->lowest <= FOOT_OF_SIZE * w->size;
        for (int c = w->first_child[i]; c >= 0; c = w->next_child[c]) low = low && w->foot[c];
        w->foot[i] = low && !w->trunk[i];
    }
    int feet = 0;
    for (int i = 1; i < w->rig->joint_count; i++) feet += w->foot[i] && !w->foot[joints[i].parent];
    if (feet != 2) memset(w->foot, 0, (size_t)w->rig->joint_count * sizeof *w->foot);
}

static bool has_bodies(const drafter* w, int joint) {
    for (int i = 0; i < w->draft->shapes_count; i++)
        if (w->draft->shapes[i].link == w->link[joint]) return true;
    return false;
}

/* A joint of a skeleton is a chain of three hinges, whose links between have no bodies: what it moves and
   what it is fixed to are neighbours as the two links of one hinge are, and not tested against each other. */
static bool add_neighbours(drafter* w) {
    hf_creature_draft* d = w->draft;
    for (int i = 1; i < w->rig->joint_count; i++) {
        if (w->rig->joints[i].tip || !has_bodies(w, i)) continue;
        int up = w->rig->joints[i].parent;
        while (up > 0 && !has_bodies(w, up)) up = w->rig->joints[up].parent;
        if (!HF_GROW(d->disabled, d->disabled_capacity, d->disabled_count)) return false;
        d->disabled[d->disabled_count++] =
            (hf_draft_pair){d->links[w->link[i]].name, d->links[w->link[up]].name};
    }
    return true;
}

static bool draft_all(drafter* w) {
    const hf_rig* rig = w->rig;
    if (!find_trunk(w)) return false;
    for (int i = 0; i < rig->joint_count; i++) w->first_child[i] = w->next_child[i] = -1;
    for (int i = rig->joint_count - 1; i > 0; i--) {
        w->next_child[i] = w->first_child[rig->joints[i].parent];
        w->first_child[rig->joints[i].parent] = i;
    }
    find_feet(w);
    for (int i = 0; i < rig->joint_count; i++) {
        if (rig->joints[i].tip) continue;
        if (i == 0 ? !add_link(w->draft, rig->joints[0].name) : !add_chain(w, i)) return false;
    }
    for (int i = 0; i < rig->joint_count; i++)
        if (!rig->joints[i].tip && !add_bodies(w, i)) return false;
    return add_neighbours(w);
}

static bool add_value(hf_creature_draft* d, hf_draft_state* state, const char* name, double value) {
    hf_draft_value* v = &state->values[state->value_count++];
    *v = (hf_draft_value){.joint = hf_arena_text(&d->arena, name), .count = 1, .values = {value}};
    return v->joint != NULL;
}

/* The posture in which the skeleton stands as a state of the draft. */
static bool add_posture(const hf_rig* rig, hf_creature_draft* d) {
    char name[200];
    if (!HF_GROW(d->states, d->states_capacity, d->states_count)) return false;
    hf_draft_state* state = &d->states[d->states_count++];
    *state =
        (hf_draft_state){.name = hf_arena_text(&d->arena, "rest"), .group = hf_arena_text(&d->arena, "all")};
    state->values = hf_arena_alloc(&d->arena, 6 * (size_t)rig->joint_count, sizeof *state->values);
    bool good = state->name && state->group && state->values;
    for (int i = 1; i < rig->joint_count && good; i++) {
        const hf_rig_joint* j = &rig->joints[i];
        for (int k = 0; k < 3 && j->slides && !j->tip && good; k++) {
            hf_rig_slide_name(j, k, name);
            good = add_value(d, state, name, j->slid[k]);
        }
        for (int k = 0; k < j->turn_count && !j->tip && good; k++) {
            hf_rig_turn_name(j, k, name);
            good = add_value(d, state, name, j->turned[k]);
        }
    }
    return good;
}

hf_status hf_rig_draft(const hf_rig* rig, hf_creature_draft* draft, hf_error* error) {
    long links = 1;
    for (int i = 1; i < rig->joint_count; i++)
        if (!rig->joints[i].tip) {
            int parts = rig->joints[i].turn_count + (rig->joints[i].slides ? 3 : 0);
            links += parts ? parts : 1;
        }
    if (links > HF_MAX_LINKS)
        return hf_fail(error, HF_ERROR_LIMIT, rig->path, 0, NULL, "the rig makes %ld links, %d are the most",
                       links, HF_MAX_LINKS);
    drafter w = {.rig = rig, .draft = draft, .size = skeleton_size(rig)};
    if (!(w.size > 1e-6 && w.size < 1e6))
        return hf_fail(error, HF_ERROR_FORMAT, rig->path, 0, NULL,
                       "the skeleton is %g m large; is the unit right?", w.size);
    size_t n = (size_t)rig->joint_count;
    w.link = hf_alloc(n, sizeof *w.link);
    w.trunk = hf_alloc(n, sizeof *w.trunk);
    w.foot = hf_alloc(n, sizeof *w.foot);
    w.first_child = hf_alloc(n, sizeof *w.first_child);
    w.next_child = hf_alloc(n, sizeof *w.next_child);
    bool good = w.link && w.trunk && w.foot && w.first_child && w.next_child && draft_all(&w);
    good = good && (!rig->poses || add_posture(rig, draft));
    hf_free(w.link);
    hf_free(w.trunk);
    hf_free(w.foot);
    hf_free(w.first_child);
    hf_free(w.next_child);
    return good ? HF_OK : hf_fail_memory(error, rig->path);
}
