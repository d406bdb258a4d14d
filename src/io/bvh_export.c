/* A motion as BVH: every link is a joint, Y up, centimetres. Without rotations the skeleton stands in the
   creature's rest posture and looks along +Z, as animators expect; the root's channels then turn it to
   where it looks in the motion, whose X stays the file's X. */
#include "base/error.h"
#include "base/memory.h"
#include "io/bvh.h"
#include "io/euler.h"
#include "io/motion_track.h"

#include <string.h>

static const double CENTIMETRE = 0.01;

typedef struct exporter {
    const hf_creature_view* view;
    const hf_creature* creature;
    hf_transform* rest;  /* of each link, root at the origin */
    hf_transform* links; /* in the frame at hand */
    int* joint_of;       /* clip joint of each link */
    hf_clip clip;
} exporter;

/* Creature axes at rest (X ahead, Z up) to file axes (Z ahead, Y up), and the world's to the file's. */
static hf_quat rest_turn(void) { return (hf_quat){0.5, -0.5, -0.5, -0.5}; }
static hf_quat world_turn(void) {
    const double h = 0.70710678118654752440;
    return (hf_quat){h, -h, 0, 0};
}

/* Links whose place in the parent changes get position channels. */
static bool moves_place(const exporter* e, int link) {
    if (link == 0) return true;
    hf_joint_type type = e->view->joints[e->view->links[link].joint].type;
    return type == HF_JOINT_PRISMATIC || type == HF_JOINT_FLOATING || type == HF_JOINT_PLANAR;
}

/* Where a leaf ends: the far end of its first body, a centimetre at least. */
static hf_vec3 tip_of(const exporter* e, int link) {
    const hf_link* l = &e->view->links[link];
    hf_vec3 tip = hf_scale(l->com, 2);
    if (l->body_count > 0) {
        const hf_body* body = &e->view->bodies[l->first_body];
        hf_vec3 half = hf_rotate(body->in_link.rotation, hf_v3(0, 0, body->shape.half_length));
        hf_vec3 a = hf_add(body->in_link.position, half), b = hf_sub(body->in_link.position, half);
        if (body->shape.kind == HF_SHAPE_CAPSULE)
            tip = hf_length(a) > hf_length(b) ? a : b;
        else if (body->shape.kind != HF_SHAPE_HULL)
            tip = hf_scale(body->in_link.position, 2);
    }
    if (hf_length(tip) < 0.01) tip = hf_v3(0, 0, -0.01);
    return tip;
}

/* BVH names run to the end of the line; other readers stop at blanks, so there are none. */
static char* plain_name(const char* name) {
    char* copy = hf_copy_text(name);
    for (char* s = copy; s && *s; s++)
        if ((unsigned char)*s <= ' ' || *s == '{' || *s == '}') *s = '_';
    return copy;
}

static hf_vec3 to_file(hf_vec3 rest_vector) {
    return hf_scale(hf_rotate(rest_turn(), rest_vector), 1 / CENTIMETRE);
}

static bool add_joint(exporter* e, int link) {
    static const int six[6] = {0, 1, 2, 5, 3, 4};
    hf_clip* c = &e->clip;
    hf_clip_joint* joint = &c->joints[c->joint_count];
    int parent = e->view->links[link].parent_link;
    bool moves = moves_place(e, link);
    *joint = (hf_clip_joint){.name = plain_name(e->view->links[link].name),
                             .parent = parent < 0 ? -1 : e->joint_of[parent],
                             .channel_count = moves ? 6 : 3,
                             .first_channel = c->channel_count};
    memcpy(joint->channels, moves ? six : six + 3, (size_t)joint->channel_count * sizeof(int));
    /* Position channels replace the offset for some readers and add to it for others: it is zero then. */
    if (!moves) joint->offset = to_file(hf_sub(e->rest[link].position, e->rest[parent].position));
    c->channel_count += joint->channel_count;
    e->joint_of[link] = c->joint_count++;
    return joint->name != NULL;
}

/* Branch by branch: a link's children follow it at once. */
static bool add_joints(exporter* e, int* first_child, int* next_child) {
    int n = e->view->link_count;
    for (int i = 0; i < n; i++) first_child[i] = next_child[i] = -1;
    for (int i = n - 1; i > 0; i--) {
        next_child[i] = first_child[e->view->links[i].parent_link];
        first_child[e->view->links[i].parent_link] = i;
    }
    for (int i = 0; i >= 0;) {
        if (!add_joint(e, i)) return false;
        if (first_child[i] < 0) {
            hf_clip_joint* tip = &e->clip.joints[e->clip.joint_count++];
            *tip = (hf_clip_joint){.name = hf_copy_text("End Site"),
                                   .parent = e->joint_of[i],
                                   .first_channel = e->clip.channel_count,
                                   .end_site = true,
                                   .offset = to_file(hf_rotate(e->rest[i].rotation, tip_of(e, i)))};
            e->clip.end_site_count++;
            if (!tip->name) return false;
        }
        int next = first_child[i];
        for (int up = i; next < 0 && up > 0; up = e->view->links[up].parent_link) next = next_child[up];
        i = next;
    }
    return true;
}

/* Rotation of a link from where it is at rest, in file axes. */
static hf_quat turn_from_rest(const exporter* e, int link) {
    return hf_quat_mul(e->links[link].rotation, hf_quat_conj(e->rest[link].rotation));
}

static void write_frame(exporter* e, const hf_track* track, int frame) {
    static const int zxy[3] = {2, 0, 1};
    const double* before =
        e->clip.values + (size_t)(frame > 0 ? frame - 1 : 0) * (size_t)e->clip.channel_count;
    double* values = e->clip.values + (size_t)frame * (size_t)e->clip.channel_count;
    hf_pose pose = {track->roots[frame], track->q + (size_t)frame * (size_t)track->q_count};
    hf_forward(e->creature, &pose, e->links);
    for (int i = 0; i < e->view->link_count; i++) {
        const hf_clip_joint* joint = &e->clip.joints[e->joint_of[i]];
        int parent = e->view->links[i].parent_link;
        double* v = values + joint->first_channel;
        hf_quat turn = turn_from_rest(e, i);
        hf_vec3 place = hf_scale(hf_rotate(world_turn(), e->links[i].position), 1 / CENTIMETRE);
        if (parent < 0) {
            turn = hf_quat_mul(hf_quat_mul(world_turn(), turn), hf_quat_conj(rest_turn()));
        } else {
            hf_quat up = turn_from_rest(e, parent);
            turn = hf_quat_mul(hf_quat_conj(up), turn);
            turn = hf_quat_mul(hf_quat_mul(rest_turn(), turn), hf_quat_conj(rest_turn()));
            place = to_file(hf_unrotate(up, hf_sub(e->links[i].position, e->links[parent].position)));
        }
        int k = 0;
        if (joint->channel_count == 6) {
            v[0] = place.x, v[1] = place.y, v[2] = place.z;
            k = 3;
        }
        if (frame > 0) memcpy(v + k, before + joint->first_channel + k, 3 * sizeof *v);
        hf_euler_degrees(turn, zxy, v + k);
    }
}

static bool make_clip(exporter* e, const hf_track* track) {
    size_t n = (size_t)e->view->link_count;
    int* children = hf_alloc(2 * n, sizeof *children);
    e->rest = hf_alloc(n, sizeof *e->rest);
    e->links = hf_alloc(n, sizeof *e->links);
    e->joint_of = hf_alloc(n, sizeof *e->joint_of);
    e->clip.joints = hf_alloc(2 * n, sizeof *e->clip.joints);
    bool good = children && e->rest && e->links && e->joint_of && e->clip.joints;
    if (good) {
        hf_pose pose = {hf_transform_identity(), (double*)e->view->rest};
        hf_forward(e->creature, &pose, e->rest);
        good = add_joints(e, children, children + n);
    }
    hf_free(children);
    if (!good) return false;
    e->clip.values = hf_alloc((size_t)track->count * (size_t)e->clip.channel_count, sizeof *e->clip.values);
    e->clip.frame_count = e->clip.values ? track->count : 0;
    e->clip.frame_time_s = 1 / track->fps;
    for (int f = 0; f < e->clip.frame_count; f++) write_frame(e, track, f);
    return e->clip.values != NULL;
}

hf_status hf_bvh_write(const hf_creature* creature, const hf_track* track, const char* path,
                       hf_error* error) {
    exporter e = {.creature = creature, .view = hf_creature_get(creature)};
    hf_status status =
        make_clip(&e, track) ? hf_clip_save(&e.clip, path, error) : hf_fail_memory(error, path);
    for (int i = 0; i < e.clip.joint_count; i++) hf_free(e.clip.joints[i].name);
    hf_free(e.clip.joints);
    hf_free(e.clip.values);
    hf_free(e.rest);
    hf_free(e.links);
    hf_free(e.joint_of);
    return status;
}
