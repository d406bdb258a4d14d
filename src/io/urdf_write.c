/* Writes a creature as a URDF that loads to the same creature: the same tree, limits, masses and bodies.
   Hulls go to OBJ files beside it. Bodies that were made up are left out: loading makes them again. */
#include "base/error.h"
#include "base/output.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/creature.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- text */

/* Bytes of a well-formed UTF-8 letter at s, 0 when there is none. */
static int letter_bytes(const unsigned char* s) {
    int n = s[0] < 0x80                   ? 1
            : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
            : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
            : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

/* A name as an attribute's value; what XML cannot hold becomes an underscore. */
static void put_name(FILE* out, const char* name) {
    for (const unsigned char* s = (const unsigned char*)name; *s;) {
        int n = letter_bytes(s);
        if (n == 0 || (n == 1 && *s < 0x20 && *s != '\t' && *s != '\n' && *s != '\r'))
            fputc('_', out), n = 1;
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else if (*s < 0x20)
            fprintf(out, "&#%d;", *s);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n;
    }
}

/* Shortest of 15 to 17 digits that reads back the same, in any locale with a point. */
static void put_number(FILE* out, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        const char* end;
        double back;
        snprintf(text, sizeof text, "%.*g", digits, value);
        for (char* s = text; *s; s++)
            if (*s == ',') *s = '.';
        if (hf_parse_double(text, text + strlen(text), &end, &back) && back == value) break;
    }
    fputs(text, out);
}

static void put_numbers(FILE* out, const char* name, const double* values, int count) {
    fprintf(out, " %s=\"", name);
    for (int i = 0; i < count; i++) {
        if (i) fputc(' ', out);
        put_number(out, values[i]);
    }
    fputc('"', out);
}

static void put_vec3(FILE* out, const char* name, hf_vec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    put_numbers(out, name, values, 3);
}

/* Fixed-axis angles of R = Rz(yaw) Ry(pitch) Rx(roll); straight up or down, roll is 0. */
static hf_vec3 angles_of(hf_quat q) {
    hf_mat3 r = hf_quat_matrix(q);
    double level = hf_hypot(r.m[0], r.m[3]);
    if (level < 1e-9) return hf_v3(0, hf_atan2(-r.m[6], level), hf_atan2(-r.m[1], r.m[4]));
    return hf_v3(hf_atan2(r.m[7], r.m[8]), hf_atan2(-r.m[6], level), hf_atan2(r.m[3], r.m[0]));
}

static void put_origin(FILE* out, hf_transform t) {
    hf_vec3 rpy = angles_of(t.rotation);
    fputs("<origin", out);
    put_vec3(out, "xyz", t.position);
    put_vec3(out, "rpy", rpy);
    fputs("/>", out);
}

/* ----------------------------------------------------------------------------------------- hulls */

/* "<stem>-<link>-<number>.obj" with nothing odd in it. */
static void mesh_name(const char* urdf, const char* link, int body, char* text, size_t size) {
    const char* name = hf_path_name(urdf);
    const char* point = strrchr(name, '.');
    int stem = (int)(point ? (size_t)(point - name) : strlen(name));
    snprintf(text, size, "%.*s-%.80s-%d.obj", stem < 100 ? stem : 100, name, link, body);
    for (char* s = text; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '-' && *s != '_' && *s != '.') *s = '_';
}

static hf_status write_hull(const char* urdf, const char* name, const hf_shape* shape, hf_error* error) {
    char* path = hf_path_beside(urdf, name);
    if (!path) return hf_fail_memory(error, urdf);
    hf_output output;
    hf_status status = hf_output_open(path, &output, error);
    if (status == HF_OK) {
        for (int i = 0; i < shape->vertex_count; i++) {
            const float* p = shape->vertices + 3 * (size_t)i;
            fputc('v', output.stream);
            for (int k = 0; k < 3; k++) {
                fputc(' ', output.stream);
                put_number(output.stream, p[k]);
            }
            fputc('\n', output.stream);
        }
        for (int i = 0; i < shape->face_count; i++) {
            const uint32_t* f = shape->faces + 3 * (size_t)i;
            fprintf(output.stream, "f %u %u %u\n", f[0] + 1, f[1] + 1, f[2] + 1);
        }
        status = hf_output_close(&output, true, error);
    }
    hf_free(path);
    return status;
}

static hf_status write_hulls(const hf_creature* creature, const char* path, hf_error* error) {
    const hf_creature_view* v = &creature->view;
    hf_status status = HF_OK;
    for (int i = 0; i < v->body_count && status == HF_OK; i++) {
        char name[256];
        if (v->bodies[i].shape.kind != HF_SHAPE_HULL) continue;
        mesh_name(path, v->links[v->bodies[i].link].name, i, name, sizeof name);
        status = write_hull(path, name, &v->bodies[i].shape, error);
    }
    return status;
}

/* --------------------------------------------------------------------------------- links and joints */

static void put_body(FILE* out, const hf_creature_view* v, int index, const char* path) {
    const hf_body* body = &v->bodies[index];
    const hf_shape* s = &body->shape;
    char name[256];
    double length = 2 * s->half_length;
    fputs("    <collision>", out);
    put_origin(out, body->in_link);
    fputs("<geometry>", out);
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
        fputs("<sphere", out);
        put_numbers(out, "radius", &s->radius, 1);
        break;
    case HF_SHAPE_CAPSULE:
        fputs("<capsule", out);
        put_numbers(out, "radius", &s->radius, 1);
        put_numbers(out, "length", &length, 1);
        break;
    case HF_SHAPE_BOX:
        fputs("<box", out);
        put_vec3(out, "size", hf_scale(s->half_size, 2));
        break;
    case HF_SHAPE_HULL:
        mesh_name(path, v->links[body->link].name, index, name, sizeof name);
        fprintf(out, "<mesh filename=\"%s\"", name);
        break;
    }
    fputs("/></geometry></collision>\n", out);
}

static void put_link(FILE* out, const hf_creature* creature, int index, const char* path) {
    static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const hf_creature_view* v = &creature->view;
    const hf_link* link = &v->links[index];
    bool weighs = link->mass > 0;
    for (int i = 0; i < 6; i++) weighs |= link->inertia[i] != 0;
    fputs("  <link name=\"", out);
    put_name(out, link->name);
    fputs("\">\n", out);
    if (weighs) {
        fputs("    <inertial>", out);
        put_origin(out, (hf_transform){link->com, hf_quat_identity()});
        fputs("<mass", out);
        put_numbers(out, "value", &link->mass, 1);
        fputs("/><inertia", out);
        for (int i = 0; i < 6; i++) put_numbers(out, names[i], &link->inertia[i], 1);
        fputs("/></inertial>\n", out);
    }
    for (int i = 0; i < link->body_count && !creature->gap_links[index]; i++)
        put_body(out, v, link->first_body + i, path);
    fputs("  </link>\n", out);
}

static void put_limit(FILE* out, const hf_joint* j) {
    if (j->type == HF_JOINT_FIXED) return;
    fputs("    <limit", out);
    if (isfinite(j->lower) && isfinite(j->upper)) {
        put_numbers(out, "lower", &j->lower, 1);
        put_numbers(out, "upper", &j->upper, 1);
    }
    put_numbers(out, "velocity", &j->max_speed, 1);
    if (isfinite(j->max_effort)) put_numbers(out, "effort", &j->max_effort, 1);
    fputs("/>\n", out);
}

static void put_joint(FILE* out, const hf_creature_view* v, const hf_joint* j) {
    static const char* const types[] = {
        [HF_JOINT_FIXED] = "fixed",           [HF_JOINT_REVOLUTE] = "revolute",
        [HF_JOINT_CONTINUOUS] = "continuous", [HF_JOINT_PRISMATIC] = "prismatic",
        [HF_JOINT_FLOATING] = "floating",     [HF_JOINT_PLANAR] = "planar"};
    fputs("  <joint name=\"", out);
    put_name(out, j->name);
    fprintf(out, "\" type=\"%s\">\n    <parent link=\"", types[j->type]);
    put_name(out, v->links[j->parent_link].name);
    fputs("\"/><child link=\"", out);
    put_name(out, v->links[j->child_link].name);
    fputs("\"/>\n    ", out);
    put_origin(out, j->origin);
    fputc('\n', out);
    if (j->type != HF_JOINT_FIXED && j->type != HF_JOINT_FLOATING) {
        fputs("    <axis", out);
        put_vec3(out, "xyz", j->axis);
        fputs("/>\n", out);
    }
    put_limit(out, j);
    if (j->mimic >= 0) {
        fputs("    <mimic joint=\"", out);
        put_name(out, v->joints[j->mimic].name);
        fputc('"', out);
        put_numbers(out, "multiplier", &j->multiplier, 1);
        put_numbers(out, "offset", &j->offset, 1);
        fputs("/>\n", out);
    }
    fputs("  </joint>\n", out);
}

static void put_state(FILE* out, const hf_creature_view* v, const hf_group_state* state) {
    fputs("  <group_state name=\"", out);
    put_name(out, state->name);
    fputs("\" group=\"", out);
    put_name(out, state->group);
    fputs("\">\n", out);
    for (int i = 0; i < v->joint_count; i++) {
        const hf_joint* j = &v->joints[i];
        if (j->q_count != 1 || j->mimic >= 0) continue;
        fputs("    <joint name=\"", out);
        put_name(out, j->name);
        fputc('"', out);
        put_numbers(out, "value", &state->q[j->q_index], 1);
        fputs("/>\n", out);
    }
    fputs("  </group_state>\n", out);
}

/* Links whose bodies are not tested against each other. */
static void put_pairs(FILE* out, const hf_creature* creature) {
    const hf_creature_view* v = &creature->view;
    for (int i = 0; i < v->link_count; i++)
        for (int k = i + 1; k < v->link_count; k++) {
            if (!hf_links_apart(creature, i, k)) continue;
            fputs("  <disable_collisions link1=\"", out);
            put_name(out, v->links[i].name);
            fputs("\" link2=\"", out);
            put_name(out, v->links[k].name);
            fputs("\"/>\n", out);
        }
}

/* The postures of a rig and its neighbours that are not tested against each other, which its URDF has no
   place for, as the SRDF of the same name. */
static hf_status write_srdf(const hf_creature* creature, const char* path, hf_error* error) {
    const hf_creature_view* v = &creature->view;
    const char *name = hf_path_name(path), *dot = strrchr(name, '.');
    int stem = (int)(dot ? dot - path : name - path + (int)strlen(name));
    char srdf[4096];
    if (v->urdf_path) return HF_OK;
    if ((size_t)snprintf(srdf, sizeof srdf, "%.*s.srdf", stem, path) >= sizeof srdf)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "the path is too long");
    hf_output output;
    hf_status status = hf_output_open(srdf, &output, error);
    if (status != HF_OK) return status;
    fputs("<?xml version=\"1.0\"?>\n<robot name=\"", output.stream);
    put_name(output.stream, v->name);
    fputs("\">\n", output.stream);
    for (int i = 0; i < v->state_count; i++) put_state(output.stream, v, &v->states[i]);
    put_pairs(output.stream, creature);
    fputs("</robot>\n", output.stream);
    return hf_output_close(&output, true, error);
}

hf_status hf_creature_write_urdf(const hf_creature* creature, const char* path, hf_error* error) {
    HF_REQUIRE(error, creature && path);
    const hf_creature_view* v = &creature->view;
    hf_output output;
    hf_status status = write_srdf(creature, path, error);
    if (status == HF_OK) status = hf_output_open(path, &output, error);
    if (status != HF_OK) return status;
    fputs("<?xml version=\"1.0\"?>\n<robot name=\"", output.stream);
    put_name(output.stream, v->name);
    fputs("\">\n", output.stream);
    for (int i = 0; i < v->link_count; i++) put_link(output.stream, creature, i, path);
    for (int i = 0; i < v->joint_count; i++) put_joint(output.stream, v, &v->joints[i]);
    fputs("</robot>\n", output.stream);
    /* The URDF appears only when the meshes it names are there. */
    status = write_hulls(creature, path, error);
    hf_status closed = hf_output_close(&output, status == HF_OK, status == HF_OK ? error : NULL);
    return status != HF_OK ? status : closed;
}
