/* Group states of the SRDF as whole poses, and regions of the range of motion by joint index. */
#include "model/creature_build.h"
#include "base/error.h"
#include "model/rom.h"
#include <holdfast/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_STATE_VALUES = 1 << 22 };

static hf_status fill_state(hf_build* b, const hf_draft_state* in, hf_group_state* out) {
    const hf_creature_view* v = &b->creature->view;
    double* q = hf_arena_copy(&b->creature->arena, b->rest, (size_t)v->q_count, sizeof *q);
    out->name = hf_arena_text(&b->creature->arena, in->name);
    out->group = hf_arena_text(&b->creature->arena, in->group);
    if (!q || !out->name || !out->group) return hf_build_fail_memory(b);
    for (int i = 0; i < in->value_count; i++) {
        const hf_draft_value* value = &in->values[i];
        int at = hf_build_find_joint(b, value->joint);
        if (at >= 0 && value->count == v->joints[at].q_count)
            memcpy(q + v->joints[at].q_index, value->values, (size_t)value->count * sizeof *q);
    }
    for (int i = 0; i < v->joint_count; i++)
        if (v->joints[i].type == HF_JOINT_FLOATING) {
            double* r = q + v->joints[i].q_index + 3;
            hf_quat u = hf_quat_normalize((hf_quat){r[0], r[1], r[2], r[3]});
            r[0] = u.w, r[1] = u.x, r[2] = u.y, r[3] = u.z;
        }
    hf_pose_follow(b->creature, q);
    out->q = q;
    return HF_OK;
}

/* The group state that the guide names, and how far the trunk is bent in it: limbs go over to it between
   `tilt` and there. */
static hf_status fill_bent(hf_build* b) {
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    hf_guide* g = &v->guide;
    const char* name = d->guide_bent_state;
    bool given = d->guide_bent_tilt > 0;
    g->bent_tilt = given ? d->guide_bent_tilt : g->tilt_max;
    if (!name && given)
        return hf_fail(b->error, HF_ERROR_FORMAT, d->path, 0, "guide.bent_tilt",
                       "there is no \"bent_state\" that it belongs to");
    if (!name) return HF_OK;
    for (int i = 0; i < v->state_count && !g->bent_q; i++)
        if (strcmp(v->states[i].name, name) == 0) g->bent_q = v->states[i].q;
    if (!g->bent_q)
        return hf_fail(b->error, HF_ERROR_FORMAT, d->path, 0, "guide.bent_state",
                       "there is no group state \"%.120s\"", name);
    if (!(g->bent_tilt > g->tilt && g->bent_tilt <= g->tilt_max))
        return hf_fail(b->error, HF_ERROR_FORMAT, d->path, 0, "guide.bent_tilt",
                       "%g is not above \"tilt\" (%g) and at most \"tilt_max\" (%g)", g->bent_tilt, g->tilt,
                       g->tilt_max);
    return HF_OK;
}

/* Values of joints that the tree does not have (a virtual root, an absorbed one) do not count. */
hf_status hf_build_states(hf_build* b) {
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    if ((int64_t)d->states_count * v->q_count > MAX_STATE_VALUES)
        return hf_fail(b->error, HF_ERROR_LIMIT, d->srdf_path, 0, NULL,
                       "more group states than are accepted");
    hf_group_state* states = hf_build_keep(b, (size_t)d->states_count, sizeof *states);
    if (!states) return hf_build_fail_memory(b);
    for (int i = 0; i < d->states_count; i++) {
        hf_status status = fill_state(b, &d->states[i], &states[i]);
        if (status != HF_OK) return status;
    }
    v->states = states;
    v->state_count = d->states_count;
    return fill_bent(b);
}

/* -------------------------------------------------------------------------------------------- rom */

static hf_status fail_rom(hf_build* b, int index, const char* why, const char* name) {
    char field[24];
    snprintf(field, sizeof field, "rom[%d]", index);
    return hf_fail(b->error, HF_ERROR_FORMAT, b->draft->path, 0, field, why, name);
}

static hf_status rom_joints(hf_build* b, int index, const hf_draft_rom* in, hf_rom* out) {
    int* joints = hf_build_keep(b, (size_t)in->joint_count, sizeof *joints);
    if (!joints) return hf_build_fail_memory(b);
    for (int i = 0; i < in->joint_count; i++) {
        joints[i] = hf_build_find_joint(b, in->joints[i]);
        if (joints[i] < 0) return fail_rom(b, index, "there is no joint \"%.120s\"", in->joints[i]);
        if (b->joints[joints[i]].q_count != 1 || b->joints[joints[i]].mimic >= 0)
            return fail_rom(b, index, "joint \"%.120s\" has no single value of its own", in->joints[i]);
        for (int k = 0; k < i; k++)
            if (joints[k] == joints[i])
                return fail_rom(b, index, "joint \"%.120s\" stands twice", in->joints[i]);
    }
    out->joints = joints;
    out->joint_count = in->joint_count;
    return HF_OK;
}

/* Rows scaled to unit normals. */
static hf_status rom_pieces(hf_build* b, const hf_draft_rom* in, hf_rom* out) {
    hf_rom_piece* pieces = hf_build_keep(b, (size_t)in->piece_count, sizeof *pieces);
    if (!pieces) return hf_build_fail_memory(b);
    int columns = in->joint_count;
    for (int i = 0; i < in->piece_count; i++) {
        size_t rows = (size_t)in->pieces[i].plane_count, width = (size_t)columns + 1;
        double* planes =
            hf_arena_copy(&b->creature->arena, in->pieces[i].planes, rows * width, sizeof *planes);
        if (!planes) return hf_build_fail_memory(b);
        for (size_t r = 0; r < rows; r++) {
            double length = 0;
            for (int k = 0; k < columns; k++)
                length += planes[r * width + (size_t)k] * planes[r * width + (size_t)k];
            length = sqrt(length);
            for (int k = 0; k <= columns; k++) planes[r * width + (size_t)k] /= length;
        }
        pieces[i] = (hf_rom_piece){(int)rows, planes};
    }
    out->pieces = pieces;
    out->piece_count = in->piece_count;
    return HF_OK;
}

/* From the last link's origin to its child joint, in the first joint's parent link, all the group's joints at
   0 (reaching-2003, section 4). Child joints on the spot are looked through. */
static hf_status rom_swing(hf_build* b, int index, hf_rom* out) {
    const hf_creature_view* v = &b->creature->view;
    double* q = hf_build_scratch(b, (size_t)v->q_count, sizeof *q);
    hf_transform* links = hf_build_scratch(b, (size_t)v->link_count, sizeof *links);
    if (!q || !links) return hf_build_fail_memory(b);
    memcpy(q, b->rest, (size_t)v->q_count * sizeof *q);
    for (int i = 0; i < out->joint_count; i++) q[b->joints[out->joints[i]].q_index] = 0;
    hf_pose pose = {hf_transform_identity(), q};
    hf_forward(b->creature, &pose, links);
    int last = b->joints[out->joints[out->joint_count - 1]].child_link;
    int parent = b->joints[out->joints[0]].parent_link;
    if (!hf_build_below(b, last, parent))
        return fail_rom(b, index, "the joints of a swing polygon must follow each other outwards%s", "");
    for (int l = last; b->first_child[l] < b->first_child[l + 1];) {
        l = b->child_links[b->first_child[l]];
        hf_vec3 d = hf_sub(links[l].position, links[last].position);
        if (hf_length(d) < 1e-6) continue;
        out->zero_swing = hf_unrotate(links[parent].rotation, hf_normalize(d));
        return HF_OK;
    }
    return fail_rom(b, index, "link \"%.120s\" has no child joint to swing towards", b->links[last].name);
}

hf_status hf_build_roms(hf_build* b) {
    const hf_creature_draft* d = b->draft;
    hf_creature_view* v = &b->creature->view;
    hf_rom* roms = hf_build_keep(b, (size_t)d->roms_count, sizeof *roms);
    if (!roms) return hf_build_fail_memory(b);
    for (int i = 0; i < d->roms_count; i++) {
        const hf_draft_rom* in = &d->roms[i];
        hf_rom* out = &roms[i];
        hf_status status = rom_joints(b, i, in, out);
        if (status == HF_OK) status = rom_pieces(b, in, out);
        if (status != HF_OK) return status;
        out->corner_count = in->corner_count;
        out->corners =
            hf_arena_copy(&b->creature->arena, in->corners, (size_t)in->corner_count, sizeof *in->corners);
        out->twist[0] = in->twist[0], out->twist[1] = in->twist[1];
        if (!out->corners) return hf_build_fail_memory(b);
        if (in->corner_count > 0) status = rom_swing(b, i, out);
        if (status != HF_OK) return status;
    }
    v->roms = roms;
    v->rom_count = d->roms_count;
    for (int i = 0; i < v->rom_count; i++) {
        hf_error why = {0};
        hf_status status = hf_rom_prepare(b->creature, i, &why);
        if (status != HF_OK)
            return hf_fail(b->error, status, d->roms[i].file, 0, why.field[0] ? why.field : NULL, "%s",
                           why.message[0] ? why.message : hf_status_text(status));
    }
    return HF_OK;
}
