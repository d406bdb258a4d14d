/* URDF: links, joints, inertials, collision and visual geometry, as http://wiki.ros.org/urdf/XML says,
   with <capsule> beside its shapes. What the file leaves open is filled later (src/model/gaps.c). */
#include "io/creature_reader.h"
#include "base/error.h"
#include "io/package_path.h"
#include "io/xml.h"

#include <math.h>
#include <stdio.h>

typedef enum place {
    ROBOT = 1,
    LINK,
    INERTIAL,
    SHAPE,
    GEOMETRY,
    MATERIAL,       /* of a visual */
    ROBOT_MATERIAL, /* named, for all */
    JOINT,
    LEAF
} place;

typedef struct material {
    char* name;
    float colour[4];
} material;

typedef struct urdf_reader {
    hf_xml xml;
    hf_creature_draft* draft;
    char field[160]; /* the link or joint being read */
    bool shape_found;
    hf_transform inertial_origin;
    double inertial[6]; /* xx yy zz xy xz yz in the axes of inertial_origin */
    material* materials;
    int material_count, material_capacity;
} urdf_reader;

static const float default_colour[4] = {0.7f, 0.7f, 0.72f, 1};

static hf_draft_link* link_now(urdf_reader* r) { return &r->draft->links[r->draft->links_count - 1]; }
static hf_draft_joint* joint_now(urdf_reader* r) { return &r->draft->joints[r->draft->joints_count - 1]; }
static hf_draft_shape* shape_now(urdf_reader* r) { return &r->draft->shapes[r->draft->shapes_count - 1]; }

/* A warning with file, line and the element being read. */
static void warn(urdf_reader* r, const char* what) {
    if (!hf_lines_add(&r->draft->warnings, "%s:%d: %s: %s", hf_path_name(r->xml.file), hf_xml_line(&r->xml),
                      r->field, what))
        hf_xml_fail_memory(&r->xml);
}

static char* keep(urdf_reader* r, const char* text) {
    char* copy = text ? hf_arena_text(&r->draft->arena, text) : NULL;
    if (text && !copy) hf_xml_fail_memory(&r->xml);
    return copy;
}

static bool numbers(urdf_reader* r, const char** attributes, const char* name, int count, double* values) {
    return hf_xml_numbers(&r->xml, r->field, attributes, name, count, values);
}

static void required_numbers(urdf_reader* r, const char* element, const char** attributes, const char* name,
                             int count, double* values) {
    if (hf_xml_required(&r->xml, r->field, element, attributes, name))
        numbers(r, attributes, name, count, values);
}

static hf_transform read_origin(urdf_reader* r, const char** attributes) {
    double xyz[3] = {0}, rpy[3] = {0};
    numbers(r, attributes, "xyz", 3, xyz);
    numbers(r, attributes, "rpy", 3, rpy);
    hf_transform t = {hf_v3(xyz[0], xyz[1], xyz[2]), hf_quat_rpy(rpy[0], rpy[1], rpy[2])};
    return t;
}

/* xacro is a macro language that URDFs are made from: say how. */
static bool refuse_xacro(urdf_reader* r, const char* element, const char** attributes) {
    bool found = strncmp(element, "xacro:", 6) == 0;
    for (const char** a = attributes; *a && !found; a += 2) found = strstr(a[1], "${") || strstr(a[1], "$(");
    if (found) {
        const char* name = hf_path_name(r->xml.file);
        size_t stem = strcspn(name, ".");
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, NULL,
                    "this is a xacro file, not yet a URDF; run: xacro %.120s > %.*s%s", name,
                    (int)(stem < 100 ? stem : 100), name,
                    hf_text_ends(name, ".urdf") ? ".expanded.urdf" : ".urdf");
    }
    return found;
}

/* ------------------------------------------------------------------------------------------ links */

static int start_link(urdf_reader* r, const char** attributes) {
    const char* name = hf_xml_required(&r->xml, NULL, "link", attributes, "name");
    if (!name) return HF_XML_SKIP;
    if (r->draft->links_count >= HF_MAX_LINKS) {
        hf_xml_fail(&r->xml, HF_ERROR_LIMIT, NULL, "more than %d links", HF_MAX_LINKS);
        return HF_XML_SKIP;
    }
    snprintf(r->field, sizeof r->field, "link \"%.120s\"", name);
    if (!HF_DRAFT_ADD(r->draft, links)) {
        hf_xml_fail_memory(&r->xml);
        return HF_XML_SKIP;
    }
    link_now(r)->name = keep(r, name);
    link_now(r)->line = hf_xml_line(&r->xml);
    return LINK;
}

static int start_inertial(urdf_reader* r) {
    r->inertial_origin = hf_transform_identity();
    memset(r->inertial, 0, sizeof r->inertial);
    return INERTIAL;
}

static int start_in_inertial(urdf_reader* r, const char* element, const char** attributes) {
    hf_draft_link* link = link_now(r);
    if (strcmp(element, "origin") == 0) {
        r->inertial_origin = read_origin(r, attributes);
    } else if (strcmp(element, "mass") == 0) {
        required_numbers(r, element, attributes, "value", 1, &link->mass);
        if (link->mass < 0)
            hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field, "the mass is negative: %g kg", link->mass);
    } else if (strcmp(element, "inertia") == 0) {
        static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
        for (int i = 0; i < 6; i++) numbers(r, attributes, names[i], 1, &r->inertial[i]);
    }
    return LEAF;
}

/* I_link = R I R^T. */
static void rotate_inertia(hf_quat rotation, const double in[6], double out[6]) {
    hf_mat3 m = hf_quat_matrix(rotation);
    double full[9] = {in[0], in[3], in[4], in[3], in[1], in[5], in[4], in[5], in[2]}, half[9], all[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[3 * i + j] =
                m.m[3 * i] * full[j] + m.m[3 * i + 1] * full[3 + j] + m.m[3 * i + 2] * full[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            all[3 * i + j] = half[3 * i] * m.m[3 * j] + half[3 * i + 1] * m.m[3 * j + 1] +
                             half[3 * i + 2] * m.m[3 * j + 2];
    out[0] = all[0], out[1] = all[4], out[2] = all[8];
    out[3] = all[1], out[4] = all[2], out[5] = all[5];
}

static void end_inertial(urdf_reader* r) {
    hf_draft_link* link = link_now(r);
    link->com = r->inertial_origin.position;
    rotate_inertia(r->inertial_origin.rotation, r->inertial, link->inertia);
    /* A real body's inertia is positive semi-definite; a hair of rounding is not worth a word. */
    const double* m = link->inertia;
    double size = fabs(m[0]) + fabs(m[1]) + fabs(m[2]), slack = 1e-9 * size;
    bool valid = m[0] >= -slack && m[1] >= -slack && m[2] >= -slack &&
                 m[0] * m[1] - m[3] * m[3] >= -slack * size && m[0] * m[2] - m[4] * m[4] >= -slack * size &&
                 m[1] * m[2] - m[5] * m[5] >= -slack * size &&
                 m[0] * (m[1] * m[2] - m[5] * m[5]) - m[3] * (m[3] * m[2] - m[5] * m[4]) +
                         m[4] * (m[3] * m[5] - m[1] * m[4]) >=
                     -slack * size * size;
    if (!valid) warn(r, "no body has such an inertia (it is not positive)");
}

/* --------------------------------------------------------------------------------------- geometry */

static int start_shape(urdf_reader* r, bool visual) {
    if (r->draft->shapes_count >= HF_MAX_SHAPES) {
        hf_xml_fail(&r->xml, HF_ERROR_LIMIT, r->field, "more than %d shapes", HF_MAX_SHAPES);
        return HF_XML_SKIP;
    }
    if (!HF_DRAFT_ADD(r->draft, shapes)) {
        hf_xml_fail_memory(&r->xml);
        return HF_XML_SKIP;
    }
    hf_draft_shape* s = shape_now(r);
    s->link = r->draft->links_count - 1;
    s->line = hf_xml_line(&r->xml);
    s->visual = visual;
    s->in_link = hf_transform_identity();
    s->scale = hf_v3(1, 1, 1);
    memcpy(s->colour, default_colour, sizeof s->colour);
    r->shape_found = false;
    return SHAPE;
}

/* A shape without geometry leaves nothing behind. */
static void end_shape(urdf_reader* r) {
    if (r->shape_found) return;
    warn(r, shape_now(r)->visual ? "a <visual> without a usable geometry is left out"
                                 : "a <collision> without a usable geometry is left out");
    r->draft->shapes_count--;
}

static int start_in_shape(urdf_reader* r, const char* element, const char** attributes) {
    hf_draft_shape* s = shape_now(r);
    if (strcmp(element, "origin") == 0) {
        s->in_link = read_origin(r, attributes);
    } else if (strcmp(element, "geometry") == 0) {
        return GEOMETRY;
    } else if (strcmp(element, "material") == 0) {
        const char* name = hf_xml_attribute(attributes, "name");
        if (name && *name) s->material = keep(r, name);
        return MATERIAL;
    }
    return LEAF;
}

/* A size in metres: above zero, or the shape is left out with a warning; below is an error. */
static bool sizes(urdf_reader* r, const char* element, const char** attributes, const char* name, int count,
                  double* values) {
    for (int i = 0; i < count; i++) values[i] = 0;
    required_numbers(r, element, attributes, name, count, values);
    bool solid = r->xml.status == HF_OK;
    for (int i = 0; i < count && r->xml.status == HF_OK; i++) {
        if (values[i] < 0)
            hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field, "<%s>: \"%s\" is negative: %g", element, name,
                        values[i]);
        solid &= values[i] > 0;
    }
    return solid;
}

static bool read_mesh(urdf_reader* r, hf_draft_shape* s, const char** attributes) {
    const char* file = hf_xml_required(&r->xml, r->field, "mesh", attributes, "filename");
    if (!file) return false;
    s->source = keep(r, file);
    s->is_mesh = true;
    const char* text = hf_xml_attribute(attributes, "scale");
    if (!text) return true;
    double v[3] = {1, 1, 1};
    int count = hf_text_numbers(text, 3, v);
    if (count == 1) v[1] = v[2] = v[0];
    if ((count != 1 && count != 3) || v[0] == 0 || v[1] == 0 || v[2] == 0) {
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field,
                    "\"scale\" is \"%.80s\", one or three numbers other than 0 are expected", text);
        return false;
    }
    s->scale = hf_v3(v[0], v[1], v[2]);
    return true;
}

static int start_in_geometry(urdf_reader* r, const char* element, const char** attributes) {
    hf_draft_shape* s = shape_now(r);
    double v[3], length;
    if (r->shape_found) return LEAF;
    if (strcmp(element, "box") == 0) {
        r->shape_found = sizes(r, element, attributes, "size", 3, v);
        s->shape.kind = HF_SHAPE_BOX;
        s->shape.half_size = hf_v3(v[0] / 2, v[1] / 2, v[2] / 2);
    } else if (strcmp(element, "sphere") == 0) {
        r->shape_found = sizes(r, element, attributes, "radius", 1, v);
        s->shape.kind = HF_SHAPE_SPHERE;
        s->shape.radius = v[0];
    } else if (strcmp(element, "capsule") == 0 || strcmp(element, "cylinder") == 0) {
        s->is_cylinder = element[1] == 'y';
        /* A capsule whose segment has no length is a ball. */
        bool round = sizes(r, element, attributes, "radius", 1, v);
        bool tall = sizes(r, element, attributes, "length", 1, &length);
        r->shape_found = round && (tall || !s->is_cylinder);
        s->shape.kind = HF_SHAPE_CAPSULE;
        s->shape.radius = v[0];
        s->shape.half_length = length / 2;
    } else if (strcmp(element, "mesh") == 0) {
        r->shape_found = read_mesh(r, s, attributes);
    } else {
        char text[120];
        snprintf(text, sizeof text, "<%.60s> is not a shape of URDF", element);
        warn(r, text);
    }
    return LEAF;
}

/* -------------------------------------------------------------------------------------- materials */

static void read_colour(urdf_reader* r, const char* element, const char** attributes, float colour[4]) {
    if (strcmp(element, "color") != 0) return;
    const char* text = hf_xml_attribute(attributes, "rgba");
    double v[4];
    int count = text ? hf_text_numbers(text, 4, v) : -1;
    if (count != 4) {
        warn(r, "a colour is not four numbers, and is not used");
        return;
    }
    for (int i = 0; i < 4; i++) colour[i] = v[i] < 0 ? 0 : v[i] > 1 ? 1 : (float)v[i];
}

static int start_material(urdf_reader* r, const char** attributes) {
    const char* name = hf_xml_attribute(attributes, "name");
    if (!name || !*name || r->material_count >= HF_MAX_LINKS) return HF_XML_SKIP;
    snprintf(r->field, sizeof r->field, "material \"%.120s\"", name);
    if (!HF_GROW(r->materials, r->material_capacity, r->material_count)) {
        hf_xml_fail_memory(&r->xml);
        return HF_XML_SKIP;
    }
    material* m = &r->materials[r->material_count++];
    m->name = keep(r, name);
    memcpy(m->colour, default_colour, sizeof m->colour);
    return ROBOT_MATERIAL;
}

/* ----------------------------------------------------------------------------------------- joints */

static bool joint_type(const char* text, hf_joint_type* type) {
    static const char* const names[] = {
        [HF_JOINT_FIXED] = "fixed",           [HF_JOINT_REVOLUTE] = "revolute",
        [HF_JOINT_CONTINUOUS] = "continuous", [HF_JOINT_PRISMATIC] = "prismatic",
        [HF_JOINT_FLOATING] = "floating",     [HF_JOINT_PLANAR] = "planar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *type = (hf_joint_type)i;
            return true;
        }
    return false;
}

static int start_joint(urdf_reader* r, const char** attributes) {
    const char* name = hf_xml_required(&r->xml, NULL, "joint", attributes, "name");
    if (!name) return HF_XML_SKIP;
    snprintf(r->field, sizeof r->field, "joint \"%.120s\"", name);
    const char* type = hf_xml_required(&r->xml, r->field, "joint", attributes, "type");
    if (!type) return HF_XML_SKIP;
    if (r->draft->joints_count >= HF_MAX_LINKS) {
        hf_xml_fail(&r->xml, HF_ERROR_LIMIT, NULL, "more than %d joints", HF_MAX_LINKS);
        return HF_XML_SKIP;
    }
    if (!HF_DRAFT_ADD(r->draft, joints)) {
        hf_xml_fail_memory(&r->xml);
        return HF_XML_SKIP;
    }
    hf_draft_joint* j = joint_now(r);
    j->name = keep(r, name);
    j->line = hf_xml_line(&r->xml);
    j->origin = hf_transform_identity();
    j->axis = hf_v3(1, 0, 0);
    j->multiplier = 1;
    if (!joint_type(type, &j->type))
        hf_xml_fail(
            &r->xml, HF_ERROR_FORMAT, r->field,
            "\"%.60s\" is not a type of joint: fixed, revolute, continuous, prismatic, floating or planar",
            type);
    return JOINT;
}

static void read_axis(urdf_reader* r, hf_draft_joint* j, const char** attributes) {
    double v[3];
    if (j->type == HF_JOINT_FIXED || j->type == HF_JOINT_FLOATING) return;
    required_numbers(r, "axis", attributes, "xyz", 3, v);
    if (r->xml.status != HF_OK) return;
    /* Scaled first, so that a tiny or huge axis is still one. */
    double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (most == 0) {
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field, "the axis has no length");
        return;
    }
    j->axis = hf_normalize(hf_v3(v[0] / most, v[1] / most, v[2] / most));
}

static void read_limit(urdf_reader* r, hf_draft_joint* j, const char** attributes) {
    j->has_bounds = numbers(r, attributes, "lower", 1, &j->lower);
    j->has_bounds |= numbers(r, attributes, "upper", 1, &j->upper);
    numbers(r, attributes, "velocity", 1, &j->velocity);
    numbers(r, attributes, "effort", 1, &j->effort);
    if (j->lower > j->upper)
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field, "lower limit %g is above upper %g", j->lower,
                    j->upper);
    if (j->velocity < 0 || j->effort < 0) {
        warn(r, "a negative velocity or effort limit is not used");
        if (j->velocity < 0) j->velocity = 0;
        if (j->effort < 0) j->effort = 0;
    }
}

static int start_in_joint(urdf_reader* r, const char* element, const char** attributes) {
    hf_draft_joint* j = joint_now(r);
    if (strcmp(element, "origin") == 0) {
        j->origin = read_origin(r, attributes);
    } else if (strcmp(element, "parent") == 0) {
        j->parent = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "link"));
    } else if (strcmp(element, "child") == 0) {
        j->child = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "link"));
    } else if (strcmp(element, "axis") == 0) {
        read_axis(r, j, attributes);
    } else if (strcmp(element, "limit") == 0) {
        read_limit(r, j, attributes);
    } else if (strcmp(element, "mimic") == 0) {
        j->mimic = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "joint"));
        numbers(r, attributes, "multiplier", 1, &j->multiplier);
        numbers(r, attributes, "offset", 1, &j->offset);
    }
    return LEAF;
}

static void end_joint(urdf_reader* r) {
    const hf_draft_joint* j = joint_now(r);
    if (!j->parent || !j->child)
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field, "has no <%s>", j->parent ? "child" : "parent");
}

/* ------------------------------------------------------------------------------------ whole files */

static int start_robot(urdf_reader* r, const char* element, const char** attributes) {
    if (strcmp(element, "robot") != 0) {
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, NULL, "the outer element is <%.60s>, <robot> is expected",
                    element);
        return HF_XML_SKIP;
    }
    const char* name = hf_xml_attribute(attributes, "name");
    if (name && *name) r->draft->name = keep(r, name);
    return ROBOT;
}

static int start_in_robot(urdf_reader* r, const char* element, const char** attributes) {
    if (strcmp(element, "link") == 0) return start_link(r, attributes);
    if (strcmp(element, "joint") == 0) return start_joint(r, attributes);
    if (strcmp(element, "material") == 0) return start_material(r, attributes);
    return HF_XML_SKIP;
}

static int start_in_link(urdf_reader* r, const char* element) {
    if (strcmp(element, "inertial") == 0) return start_inertial(r);
    if (strcmp(element, "collision") == 0) return start_shape(r, false);
    if (strcmp(element, "visual") == 0) return start_shape(r, true);
    return HF_XML_SKIP;
}

static int start(hf_xml* xml, int at, const char* element, const char** attributes) {
    urdf_reader* r = xml->context;
    if (refuse_xacro(r, element, attributes)) return HF_XML_SKIP;
    switch ((place)at) {
    case ROBOT:
        return start_in_robot(r, element, attributes);
    case LINK:
        return start_in_link(r, element);
    case INERTIAL:
        return start_in_inertial(r, element, attributes);
    case SHAPE:
        return start_in_shape(r, element, attributes);
    case GEOMETRY:
        return start_in_geometry(r, element, attributes);
    case MATERIAL:
        read_colour(r, element, attributes, shape_now(r)->colour);
        /* A colour of its own wins over the name's. */
        if (strcmp(element, "color") == 0) shape_now(r)->material = NULL;
        return LEAF;
    case ROBOT_MATERIAL:
        read_colour(r, element, attributes, r->materials[r->material_count - 1].colour);
        return LEAF;
    case JOINT:
        return start_in_joint(r, element, attributes);
    case LEAF:
        return HF_XML_SKIP;
    }
    return start_robot(r, element, attributes);
}

static void end(hf_xml* xml, int at) {
    urdf_reader* r = xml->context;
    if (at == INERTIAL) end_inertial(r);
    if (at == SHAPE) end_shape(r);
    if (at == JOINT) end_joint(r);
}

/* Names of colours can come after the shapes that use them. */
static void resolve_materials(urdf_reader* r) {
    for (int i = 0; i < r->draft->shapes_count; i++) {
        hf_draft_shape* s = &r->draft->shapes[i];
        for (int m = 0; s->material && m < r->material_count; m++)
            if (strcmp(s->material, r->materials[m].name) == 0)
                memcpy(s->colour, r->materials[m].colour, sizeof s->colour);
    }
}

/* Scales in place; an odd number of mirrored axes turns the triangles over. */
static void scale_mesh(hf_mesh* mesh, hf_vec3 s) {
    for (int i = 0; i < mesh->vertex_count; i++) {
        float* v = mesh->vertices + 3 * (size_t)i;
        v[0] = (float)(v[0] * s.x), v[1] = (float)(v[1] * s.y), v[2] = (float)(v[2] * s.z);
    }
    if (s.x * s.y * s.z >= 0) return;
    for (int t = 0; t < mesh->triangle_count; t++) {
        uint32_t* i = mesh->indices + 3 * (size_t)t;
        uint32_t keep_index = i[1];
        i[1] = i[2], i[2] = keep_index;
    }
}

/* The same file at the same scale was read for another shape: copies it. */
static hf_status copy_mesh(const hf_mesh* from, hf_mesh* to) {
    size_t vertices = 3 * (size_t)from->vertex_count, indices = 3 * (size_t)from->triangle_count;
    to->vertices = hf_alloc(vertices, sizeof *to->vertices);
    to->indices = hf_alloc(indices, sizeof *to->indices);
    if (!to->vertices || !to->indices) return HF_ERROR_MEMORY;
    memcpy(to->vertices, from->vertices, vertices * sizeof *to->vertices);
    memcpy(to->indices, from->indices, indices * sizeof *to->indices);
    to->vertex_count = from->vertex_count;
    to->triangle_count = from->triangle_count;
    return HF_OK;
}

/* One line of the mesh reader's notes becomes one warning that names the link. */
static bool add_notes(hf_creature_draft* draft, const char* link, const char* mesh, const char* notes) {
    while (notes && *notes) {
        int length = (int)strcspn(notes, "\n");
        if (length &&
            !hf_lines_add(&draft->warnings, "link \"%s\": mesh \"%s\": %.*s", link, mesh, length, notes))
            return false;
        notes += length + (notes[length] == '\n');
    }
    return true;
}

/* Meshes that are nowhere, told in one warning for all visual and one for all collision ones. */
typedef struct missing_meshes {
    int count, last_link, left;
    const hf_draft_shape* first;
    char links[600];
} missing_meshes;

static void note_missing(missing_meshes* missing, const hf_creature_draft* draft,
                         const hf_draft_shape* shape) {
    if (!missing->first) missing->first = shape;
    if (!missing->count++ || missing->last_link != shape->link)
        hf_text_list_add(missing->links, sizeof missing->links, draft->links[shape->link].name,
                         &missing->left);
    missing->last_link = shape->link;
}

static bool warn_missing(const missing_meshes* missing, const char* file, hf_creature_draft* draft) {
    const hf_draft_shape* first = missing->first;
    if (!first) return true;
    const char* kind = first->visual ? "visual" : "collision";
    if (missing->count == 1)
        return hf_lines_add(&draft->warnings, "%s:%d: link \"%s\": the %s mesh \"%s\" is not found",
                            hf_path_name(file), first->line, missing->links, kind, first->source);
    char more[40] = "";
    if (missing->left) snprintf(more, sizeof more, " and %d more", missing->left);
    return hf_lines_add(&draft->warnings, "%s:%d: %d %s meshes are not found, the first is \"%.200s\": %s%s",
                        hf_path_name(file), first->line, missing->count, kind, first->source, missing->links,
                        more);
}

static hf_status load_mesh(const char* file, const hf_load_options* options, hf_creature_draft* draft,
                           hf_draft_shape* shape, missing_meshes* missing, hf_error* error) {
    const char* link = draft->links[shape->link].name;
    char *path = NULL, *notes = NULL;
    hf_status status = hf_package_resolve(shape->source, file, options, &draft->package_path, &path);
    hf_error why = {0};
    if (status == HF_OK) status = hf_mesh_load(path, &shape->mesh, &notes, &why);
    bool added = add_notes(draft, link, hf_path_name(shape->source), notes);
    hf_text_free(notes);
    if (status == HF_OK)
        scale_mesh(&shape->mesh, shape->scale);
    else if (status != HF_ERROR_MEMORY && !path)
        note_missing(missing, draft, shape);
    else if (status != HF_ERROR_MEMORY)
        added &= hf_lines_add(&draft->warnings, "%s:%d: link \"%s\": the %s mesh \"%s\" cannot be used: %s",
                              hf_path_name(file), shape->line, link, shape->visual ? "visual" : "collision",
                              shape->source, why.message);
    hf_free(path);
    return status == HF_ERROR_MEMORY || !added ? hf_fail_memory(error, file) : HF_OK;
}

static hf_status load_meshes(const char* file, const hf_load_options* options, hf_creature_draft* draft,
                             hf_error* error) {
    int64_t total = 0;
    missing_meshes missing[2] = {0}; /* collision, visual */
    for (int i = 0; i < draft->shapes_count; i++) {
        hf_draft_shape* s = &draft->shapes[i];
        if (!s->is_mesh) continue;
        const hf_draft_shape* same = NULL;
        for (int k = 0; k < i && !same; k++) {
            const hf_draft_shape* o = &draft->shapes[k];
            if (o->is_mesh && o->mesh.vertex_count > 0 && strcmp(o->source, s->source) == 0 &&
                o->scale.x == s->scale.x && o->scale.y == s->scale.y && o->scale.z == s->scale.z)
                same = o;
        }
        hf_status status;
        if (same) {
            status = copy_mesh(&same->mesh, &s->mesh);
            hf_fail_status(error, status, file);
        } else {
            status = load_mesh(file, options, draft, s, &missing[s->visual], error);
        }
        if (status != HF_OK) return status;
        total += s->mesh.vertex_count;
        if (total > HF_MAX_MESH_VERTICES)
            return hf_fail(error, HF_ERROR_LIMIT, file, s->line, NULL,
                           "the meshes have more than %d vertices together", HF_MAX_MESH_VERTICES);
    }
    bool told = warn_missing(&missing[0], file, draft) && warn_missing(&missing[1], file, draft);
    return told ? HF_OK : hf_fail_memory(error, file);
}

hf_status hf_urdf_read(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                       hf_error* error) {
    urdf_reader r = {.draft = draft};
    r.xml = (hf_xml){.file = path, .error = error, .context = &r, .start = start, .end = end};
    hf_status status = hf_xml_read(&r.xml);
    if (status == HF_OK) {
        resolve_materials(&r);
        draft->urdf_path = hf_arena_text(&draft->arena, path);
        if (!draft->path) draft->path = draft->urdf_path;
        if (!draft->urdf_path) status = hf_fail_memory(error, path);
    }
    hf_free(r.materials);
    if (status == HF_OK) status = load_meshes(path, options, draft, error);
    return status;
}
