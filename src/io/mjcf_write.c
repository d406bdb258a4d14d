/* Writes a creature as MJCF, MuJoCo's own format: bodies, joints, inertials, collision bodies, a motor for
   each joint with its effort limit, and spheres at the corners of contact frames, which touch nothing until a
   program lets them. */
#include "base/error.h"
#include "io/byte_buffer.h"
#include "model/creature.h"

#include <math.h>
#include <stdio.h>

static const double CORNER_RADIUS_M =
    0.004; /* of a contact sphere: it lies inside the foot, below its skin */

typedef struct mjcf {
    const hf_creature* creature;
    const hf_creature_view* c;
    hf_bytes out;
} mjcf;

static void put_text(mjcf* m, const char* text) { hf_bytes_text(&m->out, text); }

/* A name as an attribute's value. */
static void put_name(mjcf* m, const char* attribute, const char* name) {
    hf_bytes_format(&m->out, " %s=\"", attribute);
    for (const char* s = name; *s; s++) {
        if (*s == '&')
            put_text(m, "&amp;");
        else if (*s == '<')
            put_text(m, "&lt;");
        else if (*s == '"')
            put_text(m, "&quot;");
        else
            hf_bytes_add(&m->out, (unsigned char)*s < 0x20 ? "_" : s, 1);
    }
    put_text(m, "\"");
}

static void put_numbers(mjcf* m, const char* attribute, const double* values, int count) {
    hf_bytes_format(&m->out, " %s=\"", attribute);
    hf_bytes_numbers(&m->out, values, count, " ");
    put_text(m, "\"");
}

static void put_vec3(mjcf* m, const char* attribute, hf_vec3 v) { put_numbers(m, attribute, &v.x, 3); }

static void put_pose(mjcf* m, hf_transform t) {
    const double turn[4] = {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z};
    put_vec3(m, "pos", t.position);
    put_numbers(m, "quat", turn, 4);
}

static void indent(mjcf* m, int depth) { hf_bytes_format(&m->out, "%*s", 2 * depth, ""); }

/* ---- shapes ---- */

static void put_shape(mjcf* m, int index) {
    const hf_body* b = &m->c->bodies[index];
    const hf_shape* s = &b->shape;
    const double ball[1] = {s->radius}, capsule[2] = {s->radius, s->half_length};
    put_text(m, "<geom class=\"body\"");
    put_pose(m, b->in_link);
    if (s->kind == HF_SHAPE_SPHERE) put_text(m, " type=\"sphere\""), put_numbers(m, "size", ball, 1);
    if (s->kind == HF_SHAPE_CAPSULE) put_text(m, " type=\"capsule\""), put_numbers(m, "size", capsule, 2);
    if (s->kind == HF_SHAPE_BOX) put_text(m, " type=\"box\""), put_vec3(m, "size", s->half_size);
    if (s->kind == HF_SHAPE_HULL) hf_bytes_format(&m->out, " type=\"mesh\" mesh=\"hull_%d\"", index);
    put_text(m, "/>\n");
}

static void put_hulls(mjcf* m) {
    for (int i = 0; i < m->c->body_count; i++) {
        const hf_shape* s = &m->c->bodies[i].shape;
        if (s->kind != HF_SHAPE_HULL) continue;
        hf_bytes_format(&m->out, "    <mesh name=\"hull_%d\" vertex=\"", i);
        for (int k = 0; k < 3 * s->vertex_count; k++) {
            if (k) put_text(m, " ");
            hf_bytes_number(&m->out, (double)s->vertices[k]);
        }
        put_text(m, "\"/>\n");
    }
}

/* Corners of a contact frame in its link, spheres that touch the frame's plane from inside. */
static void put_corner(mjcf* m, const hf_limb* limb, const hf_contact_frame* f, int depth, int corner,
                       hf_vec3 at, double radius) {
    char name[300];
    snprintf(name, sizeof name, "%.120s.%.120s.%d", limb->name, f->name, corner);
    indent(m, depth);
    put_text(m, "<geom class=\"contact\"");
    put_name(m, "name", name);
    put_vec3(m, "pos", at);
    put_numbers(m, "size", &radius, 1);
    put_text(m, "/>\n");
}

static void put_contact(mjcf* m, const hf_limb* limb, const hf_contact_frame* f, int depth) {
    if (f->ball > 0) {
        put_corner(m, limb, f, depth, 0, f->offset, f->ball);
        return;
    }
    hf_vec3 n = hf_normalize(f->normal), sides[2] = {{0, 0, 0}, {0, 0, 0}};
    const double across[3] = {fabs(n.x), fabs(n.y), fabs(n.z)};
    int out = across[0] >= across[1] && across[0] >= across[2] ? 0 : across[1] >= across[2] ? 1 : 2;
    for (int k = 0, next = 0; k < 3; k++) {
        if (k == out) continue;
        hf_vec3 axis = hf_v3(k == 0, k == 1, k == 2);
        hf_vec3 flat = hf_normalize(hf_sub(axis, hf_scale(n, hf_dot(axis, n))));
        sides[next] = hf_scale(flat, f->patch[next] / 2);
        next++;
    }
    int corners = f->patch[0] > 0 || f->patch[1] > 0 ? 4 : 1;
    for (int k = 0; k < corners; k++) {
        hf_vec3 at = hf_sub(f->offset, hf_scale(n, CORNER_RADIUS_M));
        if (corners == 4)
            at = hf_add(at, hf_add(hf_scale(sides[0], k & 1 ? 1 : -1), hf_scale(sides[1], k & 2 ? 1 : -1)));
        put_corner(m, limb, f, depth, k, at, CORNER_RADIUS_M);
    }
}

/* ---- bodies ---- */

static void put_inertial(mjcf* m, const hf_link* link) {
    if (!(link->mass > 0)) return;
    put_text(m, "<inertial");
    put_vec3(m, "pos", link->com);
    put_numbers(m, "mass", &link->mass, 1);
    put_numbers(m, "fullinertia", link->inertia, 6);
    put_text(m, "/>\n");
}

static void put_joint(mjcf* m, const hf_joint* j) {
    const double range[2] = {j->lower, j->upper};
    if (j->type == HF_JOINT_FIXED) return;
    hf_bytes_format(&m->out, "<joint type=\"%s\"", j->type == HF_JOINT_PRISMATIC ? "slide" : "hinge");
    put_name(m, "name", j->name);
    put_vec3(m, "axis", j->axis);
    if (isfinite(j->lower) && isfinite(j->upper)) {
        put_text(m, " limited=\"true\"");
        put_numbers(m, "range", range, 2);
    }
    put_text(m, "/>\n");
}

static void put_link(mjcf* m, int index, int depth) {
    const hf_link* link = &m->c->links[index];
    indent(m, depth);
    put_text(m, "<body");
    put_name(m, "name", link->name);
    if (link->joint >= 0) put_pose(m, m->c->joints[link->joint].origin);
    put_text(m, ">\n");
    indent(m, depth + 1);
    if (link->joint < 0) put_text(m, "<freejoint name=\"root\"/>\n");
    if (link->joint >= 0) put_joint(m, &m->c->joints[link->joint]);
    put_inertial(m, link);
    for (int b = link->first_body; b < link->first_body + link->body_count; b++) put_shape(m, b);
    for (int l = 0; l < m->c->limb_count; l++)
        for (int k = 0; k < m->c->limbs[l].contact_count; k++)
            if (m->c->limbs[l].contacts[k].link == index)
                put_contact(m, &m->c->limbs[l], &m->c->limbs[l].contacts[k], depth + 1);
    for (int i = index + 1; i < m->c->link_count; i++)
        if (m->c->links[i].parent_link == index) put_link(m, i, depth + 1);
    indent(m, depth);
    put_text(m, "</body>\n");
}

/* ---- the rest ---- */

static void put_excludes(mjcf* m) {
    put_text(m, "  <contact>\n");
    for (int a = 0; a < m->c->link_count; a++)
        for (int b = a + 1; b < m->c->link_count; b++) {
            if (!hf_links_apart(m->creature, a, b)) continue;
            put_text(m, "    <exclude");
            put_name(m, "body1", m->c->links[a].name);
            put_name(m, "body2", m->c->links[b].name);
            put_text(m, "/>\n");
        }
    put_text(m, "  </contact>\n");
}

static void put_followers(mjcf* m) {
    put_text(m, "  <equality>\n");
    for (int j = 0; j < m->c->joint_count; j++) {
        const hf_joint* joint = &m->c->joints[j];
        const double follow[5] = {joint->offset, joint->multiplier, 0, 0, 0};
        if (joint->mimic < 0 || joint->q_count != 1) continue;
        put_text(m, "    <joint");
        put_name(m, "joint1", joint->name);
        put_name(m, "joint2", m->c->joints[joint->mimic].name);
        put_numbers(m, "polycoef", follow, 5);
        put_text(m, "/>\n");
    }
    put_text(m, "  </equality>\n");
}

static void put_motors(mjcf* m) {
    put_text(m, "  <actuator>\n");
    for (int j = 0; j < m->c->joint_count; j++) {
        const hf_joint* joint = &m->c->joints[j];
        const double range[2] = {-joint->max_effort, joint->max_effort};
        if (joint->q_count != 1 || joint->mimic >= 0) continue;
        put_text(m, "    <motor");
        put_name(m, "name", joint->name);
        put_name(m, "joint", joint->name);
        if (isfinite(joint->max_effort) && joint->max_effort > 0) {
            put_text(m, " ctrllimited=\"true\"");
            put_numbers(m, "ctrlrange", range, 2);
        }
        put_text(m, "/>\n");
    }
    put_text(m, "  </actuator>\n");
}

static void put_all(mjcf* m) {
    put_text(m, "<mujoco");
    put_name(m, "model", m->c->name);
    put_text(m, ">\n"
                "  <compiler angle=\"radian\" balanceinertia=\"true\" boundmass=\"1e-6\" "
                "boundinertia=\"1e-9\" inertiafromgeom=\"false\"/>\n"
                "  <default>\n"
                "    <default class=\"body\"><geom group=\"0\"/></default>\n"
                "    <default class=\"contact\"><geom type=\"sphere\" group=\"3\" contype=\"0\" "
                "conaffinity=\"0\"/></default>\n"
                "  </default>\n  <asset>\n");
    put_hulls(m);
    put_text(m, "  </asset>\n  <worldbody>\n");
    put_link(m, 0, 2);
    put_text(m, "  </worldbody>\n");
    put_excludes(m);
    put_followers(m);
    put_motors(m);
    put_text(m, "</mujoco>\n");
}

hf_status hf_creature_write_mjcf(const hf_creature* creature, const char* path, hf_error* error) {
    HF_REQUIRE(error, creature && path);
    mjcf m = {.creature = creature, .c = &creature->view};
    for (int j = 0; j < m.c->joint_count; j++)
        if (m.c->joints[j].q_count > 1)
            return hf_fail(error, HF_ERROR_LIMIT, path, 0, m.c->joints[j].name,
                           "a planar or floating joint inside a creature is not written as MJCF");
    put_all(&m);
    hf_status status = hf_bytes_save(&m.out, path, error);
    hf_bytes_free(&m.out);
    return status;
}
