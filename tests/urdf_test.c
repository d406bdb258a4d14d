/* URDF: every joint type, every gap rule, every way a file can be wrong. */
#include "creature_files.h"

#include <stdlib.h>
#include <unistd.h>

#define ROBOT(body) "<robot name=\"r\">\n" body "</robot>\n"
#define SOLID                                                                                                \
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>"                       \
    "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>"
#define LINK(name) "<link name=\"" name "\">" SOLID "</link>\n"
#define JOINT(name, type, parent, child, inner)                                                              \
    "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child           \
    "\"/><origin xyz=\"0 0 1\"/>" inner "</joint>\n"

/* ------------------------------------------------------------------------------------- joints */

static void joint_types_and_layout(void** state) {
    (void)state;
    hf_creature* c = load_text(
        "types.urdf",
        ROBOT(LINK("base") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK("f") /**/
              JOINT("fix", "fixed", "base", "a", "<axis xyz=\"0 0 0\"/>")              /**/
              JOINT("rev", "revolute", "a", "b",
                    "<axis xyz=\"0 0 2\"/><limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"4\"/>")
              /**/ JOINT("con", "continuous", "b", "c", "<limit lower=\"-1\" upper=\"2\"/>")
              /**/ JOINT("pri", "prismatic", "c", "d", "<limit lower=\"0\" upper=\"0.5\"/>")
              /**/ JOINT("flo", "floating", "d", "e", "")
                  JOINT("pla", "planar", "e", "f", "<axis xyz=\"0 1 0\"/>")));
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->joint_count, 6);
    assert_int_equal(v->q_count, 0 + 1 + 1 + 1 + 7 + 3);
    assert_int_equal(v->v_count, 6 + 0 + 1 + 1 + 1 + 6 + 3);
    const hf_joint* rev = joint_of(c, "rev");
    assert_near(rev->axis.z, 1, 0);
    assert_near(rev->lower, -1, 0);
    assert_near(rev->upper, 2, 0);
    assert_near(rev->max_speed, 3, 0);
    assert_near(rev->max_effort, 4, 0);
    assert_near(rev->max_acceleration, 30, 0);
    assert_int_equal(rev->q_index, 0);
    assert_int_equal(rev->v_index, 6);
    const hf_joint* con = joint_of(c, "con");
    assert_near(con->axis.x, 1, 0);
    assert_true(isinf(con->lower) && isinf(con->upper));
    assert_near(con->max_speed, 6, 0);
    assert_true(isinf(con->max_effort));
    assert_near(joint_of(c, "pri")->max_speed, 1, 0);
    assert_int_equal(joint_of(c, "flo")->q_index, 3);
    assert_int_equal(joint_of(c, "flo")->v_count, 6);
    assert_int_equal(joint_of(c, "pla")->q_index, 10);
    assert_near(v->rest[6], 1, 0);
    /* Fixed joints and links: order has parents first. */
    for (int i = 1; i < v->link_count; i++) assert_true(v->links[i].parent_link < i);
    assert_int_equal(v->links[0].joint, -1);
    assert_int_equal(v->warnings.count, 0);
    hf_creature_free(c);
}

/* Roll, pitch and yaw against the three rotation matrices written out. */
static void origins_turn_as_urdf_says(void** state) {
    (void)state;
    hf_creature* c = load_text(
        "origin.urdf", ROBOT(LINK("base") LINK(
                           "a") "<joint name=\"j\" type=\"fixed\"><parent link=\"base\"/><child link=\"a\"/>"
                                "<origin xyz=\"1 2 3\" rpy=\"0.3 -0.5 1.1\"/></joint>"));
    double r = 0.3, p = -0.5, y = 1.1;
    hf_vec3 x = {0.4, -0.2, 0.7};
    hf_vec3 rolled = {x.x, cos(r) * x.y - sin(r) * x.z, sin(r) * x.y + cos(r) * x.z};
    hf_vec3 pitched = {cos(p) * rolled.x + sin(p) * rolled.z, rolled.y,
                       -sin(p) * rolled.x + cos(p) * rolled.z};
    hf_vec3 turned = {cos(y) * pitched.x - sin(y) * pitched.y, sin(y) * pitched.x + cos(y) * pitched.y,
                      pitched.z};
    hf_vec3 got = hf_apply(joint_of(c, "j")->origin, x);
    assert_near(got.x, turned.x + 1, 1e-14);
    assert_near(got.y, turned.y + 2, 1e-14);
    assert_near(got.z, turned.z + 3, 1e-14);
    hf_creature_free(c);
}

static void joints_keep_the_files_order(void** state) {
    (void)state;
    /* The tree is base - a - b, the file has the outer joint first. */
    hf_creature* c = load_text("order.urdf", ROBOT(LINK("b") LINK("a") LINK("base") /**/
                                                   JOINT("outer", "continuous", "a", "b", "")
                                                       JOINT("inner", "continuous", "base", "a", "")));
    const hf_creature_view* v = hf_creature_get(c);
    assert_string_equal(v->joints[0].name, "outer");
    assert_string_equal(v->joints[1].name, "inner");
    assert_int_equal(v->joint_order[0], 1);
    assert_int_equal(v->joint_order[1], 0);
    assert_string_equal(v->links[0].name, "base");
    assert_string_equal(v->links[2].name, "b");
    assert_int_equal(v->joints[0].q_index, 0);
    hf_creature_free(c);
}

static void mimic_chains_end_at_the_master(void** state) {
    (void)state;
    hf_creature* c =
        load_text("mimic.urdf", ROBOT(LINK("base") LINK("a") LINK("b") LINK("c") /**/
                                      JOINT("third", "continuous", "b", "c",
                                            "<mimic joint=\"second\" multiplier=\"-2\" offset=\"0.1\"/>")
                                          JOINT("second", "continuous", "a", "b",
                                                "<mimic joint=\"first\" multiplier=\"3\" offset=\"0.5\"/>")
                                              JOINT("first", "continuous", "base", "a", "")));
    const hf_creature_view* v = hf_creature_get(c);
    const hf_joint* third = joint_of(c, "third");
    assert_int_equal(third->mimic, 2);
    assert_int_equal(third->v_count, 0);
    assert_int_equal(third->q_count, 1);
    assert_int_equal(v->v_count, 7);
    double q[3] = {9, 9, 0.7};
    hf_pose_follow(c, q);
    assert_near(q[1], 3 * 0.7 + 0.5, 1e-14);
    assert_near(q[0], -2 * (3 * 0.7 + 0.5) + 0.1, 1e-14);
    assert_near(v->rest[1], 0.5, 1e-15);
    hf_creature_free(c);
}

/* --------------------------------------------------------------------------------------- root */

static void massless_roots_are_absorbed(void** state) {
    (void)state;
    static const struct {
        const char *text, *root;
        int joints;
    } cases[] = {
        {ROBOT("<link name=\"world\"/>" LINK("body") LINK("a") JOINT("w", "fixed", "world", "body", "")
                   JOINT("j", "continuous", "body", "a", "")),
         "body", 1},
        {ROBOT("<link name=\"world\"/>" LINK("body") LINK("a") JOINT("w", "floating", "world", "body", "")
                   JOINT("j", "continuous", "body", "a", "")),
         "body", 1},
        /* A root that moves, branches or weighs something stays. */
        {ROBOT("<link name=\"world\"/>" LINK("body") JOINT("w", "continuous", "world", "body", "")), "world",
         1},
        {ROBOT("<link name=\"world\"/>" LINK("body") LINK("a") JOINT("w", "fixed", "world", "body", "")
                   JOINT("j", "fixed", "world", "a", "")),
         "world", 2},
        {ROBOT(LINK("world") LINK("body") JOINT("w", "fixed", "world", "body", "")), "world", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c = load_text("root.urdf", cases[i].text);
        const hf_creature_view* v = hf_creature_get(c);
        assert_string_equal(v->links[0].name, cases[i].root);
        assert_int_equal(v->joint_count, cases[i].joints);
        assert_int_equal(v->links[0].parent_link, -1);
        hf_creature_free(c);
    }
}

/* ------------------------------------------------------------------------------- inertia, bodies */

static void inertia_turns_into_the_links_axes(void** state) {
    (void)state;
    hf_creature* c = load_text("inertia.urdf", ROBOT("<link name=\"a\"><inertial><origin xyz=\"1 2 3\" "
                                                     "rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
                                                     "<inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\" ixy=\"0.1\" "
                                                     "ixz=\"0.2\" iyz=\"0.3\"/></inertial></link>"));
    const hf_link* a = link_of(c, "a");
    /* Turned by 90 degrees about z: x' = y, y' = -x. */
    const double expected[6] = {2, 1, 2.5, -0.1, -0.3, 0.2};
    for (int i = 0; i < 6; i++) assert_near(a->inertia[i], expected[i], 1e-12);
    assert_near(a->com.y, 2, 0);
    assert_near(hf_creature_get(c)->mass, 2, 0);
    hf_creature_free(c);
    c = load_text("inertia.urdf",
                  ROBOT("<link name=\"a\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" "
                        "izz=\"-1\"/></inertial></link>"));
    assert_int_equal(warnings_with(c, "inertia"), 1);
    hf_creature_free(c);
}

static void shapes_arrive_as_they_are(void** state) {
    (void)state;
    hf_creature* c = load_text(
        "shapes.urdf",
        ROBOT("<link name=\"a\">"
              "<collision><origin xyz=\"0 0 1\"/><geometry><box size=\"0.2 0.4 0.6\"/></geometry></collision>"
              "<collision><geometry><sphere radius=\"0.3\"/></geometry></collision>"
              "<collision><geometry><capsule radius=\"0.1\" length=\"0.8\"/></geometry></collision>"
              "<collision><geometry><capsule radius=\"0.1\" length=\"0\"/></geometry></collision>"
              "<collision><geometry><cylinder radius=\"0.5\" length=\"2\"/></geometry></collision>"
              "<collision><geometry><box size=\"0.2 0 0.6\"/></geometry></collision>"
              "<collision><geometry><torus/></geometry></collision>"
              "</link>"));
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->body_count, 5);
    assert_int_equal(warnings_with(c, "left out"), 2);
    assert_int_equal(v->bodies[0].shape.kind, HF_SHAPE_BOX);
    assert_near(v->bodies[0].shape.half_size.y, 0.2, 1e-15);
    assert_near(v->bodies[0].in_link.position.z, 1, 0);
    assert_near(v->bodies[1].shape.radius, 0.3, 0);
    assert_int_equal(v->bodies[2].shape.kind, HF_SHAPE_CAPSULE);
    assert_near(v->bodies[2].shape.half_length, 0.4, 1e-15);
    assert_int_equal(v->bodies[3].shape.kind, HF_SHAPE_SPHERE);
    /* The prism stands around the cylinder: it covers it in every direction, and its sides touch it. */
    const hf_shape* s = &v->bodies[4].shape;
    assert_int_equal(s->kind, HF_SHAPE_HULL);
    double least = 1e9;
    for (int i = 0; i < 640; i++) {
        double angle = i * M_PI / 320, far = -1e9;
        for (int k = 0; k < s->vertex_count; k++)
            far = fmax(far, cos(angle) * s->vertices[3 * k] + sin(angle) * s->vertices[3 * k + 1]);
        assert_true(far >= 0.5 - 1e-7);
        least = fmin(least, far);
    }
    assert_near(least, 0.5, 1e-6);
    /* Faces look outwards and enclose the prism's volume. */
    double volume = 0;
    for (int f = 0; f < s->face_count; f++) {
        hf_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float* q = s->vertices + 3 * s->faces[3 * f + k];
            p[k] = hf_v3(q[0], q[1], q[2]);
        }
        volume += hf_dot(p[0], hf_cross(p[1], p[2])) / 6;
    }
    assert_near(volume, 2 * 32 * 0.25 * tan(M_PI / 32), 1e-6);
    assert_near(v->height, 2.3, 1e-6);
    hf_creature_free(c);
}

static void gaps_are_filled(void** state) {
    (void)state;
    hf_creature* c = load_text(
        "gaps.urdf",
        ROBOT("<link name=\"base\"><inertial><mass value=\"1\"/></inertial></link>"
              "<link name=\"near\"/><link name=\"leaf\"><inertial><mass value=\"1\"/></inertial></link>"
              "<link name=\"seen\"><visual><geometry><box size=\"1 1 1\"/></geometry></visual></link>" /**/
              "<joint name=\"j1\" type=\"continuous\"><parent link=\"base\"/><child link=\"near\"/>"
              "<origin xyz=\"0.01 0 0\"/></joint>"
              "<joint name=\"j2\" type=\"revolute\"><parent link=\"base\"/><child link=\"leaf\"/>"
              "<origin xyz=\"0 0.3 0.4\"/></joint>"
              "<joint name=\"j3\" type=\"prismatic\"><parent link=\"base\"/><child link=\"seen\"/>"
              "<origin xyz=\"0 0 -3\"/></joint>"));
    const hf_creature_view* v = hf_creature_get(c);
    const hf_link *base = link_of(c, "base"), *leaf = link_of(c, "leaf"), *seen = link_of(c, "seen");
    /* Capsules to the two far children, none to the near one. */
    assert_int_equal(base->body_count, 2);
    const hf_body* capsule = &v->bodies[base->first_body];
    assert_int_equal(capsule->shape.kind, HF_SHAPE_CAPSULE);
    assert_near(capsule->shape.radius, 0.02, 0);
    assert_near(capsule->shape.half_length, 0.25, 1e-12);
    hf_vec3 end = hf_apply(capsule->in_link, hf_v3(0, 0, 0.25));
    assert_near(hf_distance(end, hf_v3(0, 0.3, 0.4)), 0, 1e-12);
    /* A leaf has none, with mass or without. */
    assert_int_equal(leaf->body_count, 0);
    assert_int_equal(v->bodies[seen->first_body].shape.kind, HF_SHAPE_BOX);
    assert_int_equal(seen->visual_count, 1);
    assert_int_equal(warnings_with(c, "thin capsules are made: base"), 1);
    assert_int_equal(warnings_with(c, "visual one is taken: seen"), 1);
    /* A revolute joint without bounds is continuous. */
    assert_int_equal(joint_of(c, "j2")->type, HF_JOINT_CONTINUOUS);
    assert_int_equal(warnings_with(c, "\"j2\": a revolute joint without bounds turns freely"), 1);
    assert_true(isfinite(joint_of(c, "j3")->lower));
    assert_int_equal(warnings_with(c, "\"j3\": a prismatic joint without bounds"), 1);
    hf_creature_free(c);
}

/* A frame without mass (a sole, a sensor, a tool point) has no body, however far its child is. */
static void frames_without_mass_have_no_body(void** state) {
    (void)state;
    hf_creature* c =
        load_text("frames.urdf", ROBOT(LINK("base") "<link name=\"sensor\"/>" LINK("far") /**/
                                       JOINT("a", "fixed", "base", "sensor",
                                             "") "<joint name=\"b\" type=\"fixed\"><parent link=\"sensor\"/>"
                                                 "<child link=\"far\"/><origin xyz=\"0 0 0.5\"/></joint>"));
    assert_int_equal(link_of(c, "sensor")->body_count, 0);
    assert_int_equal(warnings_with(c, "without collision geometry"), 0);
    hf_creature_free(c);
}

static void colours_by_name_or_value(void** state) {
    (void)state;
    hf_creature* c = load_text(
        "colour.urdf",
        ROBOT("<link name=\"a\"><visual><geometry><sphere radius=\"1\"/></geometry><material "
              "name=\"red\"/></visual>"
              "<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"red\"><color rgba=\"0 1 0 "
              "1\"/>"
              "</material></visual></link><material name=\"red\"><color rgba=\"1 0 0 0.5\"/></material>"));
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->visual_count, 2);
    assert_near(v->visuals[0].colour[0], 1, 0);
    assert_near(v->visuals[0].colour[3], 0.5, 0);
    assert_near(v->visuals[1].colour[1], 1, 0);
    assert_true(v->visuals[0].mesh.triangle_count > 20);
    hf_creature_free(c);
}

/* --------------------------------------------------------------------------------------- meshes */

static const char TETRAHEDRON[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static double signed_volume(const hf_mesh* m) {
    double volume = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        hf_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float* q = m->vertices + 3 * m->indices[3 * t + k];
            p[k] = hf_v3(q[0], q[1], q[2]);
        }
        volume += hf_dot(p[0], hf_cross(p[1], p[2])) / 6;
    }
    return volume;
}

static void meshes_scale_and_stay_outward(void** state) {
    (void)state;
    write_file("tetra.obj", TETRAHEDRON);
    static const struct {
        const char* scale;
        double volume;
    } cases[] = {{"", 1},
                 {" scale=\"2\"", 8},
                 {" scale=\"1 2 0.5\"", 1},
                 {" scale=\"-1 1 1\"", 1},
                 {" scale=\"-2 -1 1\"", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<robot><link name=\"a\"><collision><geometry><mesh "
                 "filename=\"tetra.obj\"%s/></geometry></collision>"
                 "<visual><geometry><mesh filename=\"tetra.obj\"%s/></geometry></visual></link></robot>",
                 cases[i].scale, cases[i].scale);
        hf_creature* c = load_text("meshes.urdf", text);
        const hf_creature_view* v = hf_creature_get(c);
        /* The file gives no mass: one cubic metre of water weighs 1,000 kg. */
        assert_int_equal(v->warnings.count, 1);
        assert_non_null(strstr(v->warnings.items[0], "no link has a mass"));
        assert_near(v->mass, 1000 * cases[i].volume, 1e-2);
        assert_int_equal(v->bodies[0].shape.vertex_count, 4);
        assert_near(signed_volume(&v->visuals[0].mesh), cases[i].volume, 1e-5);
        hf_creature_free(c);
    }
    /* A flat mesh gets a little thickness instead of none. */
    write_file("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    hf_creature* c =
        load_text("meshes.urdf", ROBOT("<link name=\"a\"><collision><geometry><mesh filename=\"flat.obj\"/>"
                                       "</geometry></collision></link>"));
    assert_int_equal(hf_creature_get(c)->bodies[0].shape.kind, HF_SHAPE_HULL);
    assert_near(hf_creature_get(c)->height, 0.002, 1e-6);
    hf_creature_free(c);
}

/* A file without masses: a box off its link's origin has the mass, centre and inertia of the textbook's, and
   the link of a ball a ball's. One mass anywhere, and the file's are kept. */
static void masses_by_volume(void** state) {
    (void)state;
#define BODIES(inertial)                                                                                     \
    ROBOT("<link name=\"a\">" inertial                                                                       \
          "<collision><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><geometry><box size=\"0.4 0.2 "  \
          "0.1\"/></geometry></collision></link><link name=\"b\"><collision><geometry><sphere "              \
          "radius=\"0.1\"/></geometry></collision></link><joint name=\"j\" type=\"revolute\"><parent "       \
          "link=\"a\"/><child link=\"b\"/><limit lower=\"-1\" upper=\"1\"/></joint>")
    hf_creature* c = load_text("masses.urdf", BODIES(""));
    const hf_link* box = &hf_creature_get(c)->links[0];
    assert_near(box->mass, 8, 1e-5);
    assert_near(hf_distance(box->com, hf_v3(1, 2, 3)), 0, 1e-6);
    /* Turned by a quarter, the box is 0.2 long in x and 0.4 in y. */
    assert_near(box->inertia[0], 8.0 / 12 * (0.4 * 0.4 + 0.1 * 0.1), 1e-5);
    assert_near(box->inertia[1], 8.0 / 12 * (0.2 * 0.2 + 0.1 * 0.1), 1e-5);
    assert_near(box->inertia[2], 8.0 / 12 * (0.2 * 0.2 + 0.4 * 0.4), 1e-5);
    for (int i = 3; i < 6; i++) assert_near(box->inertia[i], 0, 1e-5);
    /* The mesh of a ball of 24 sides is a few hundredths smaller than the ball. */
    const hf_link* ball = &hf_creature_get(c)->links[1];
    double mass = 1000 * 4.0 / 3 * M_PI * 0.001;
    assert_true(ball->mass > 0.95 * mass && ball->mass <= mass);
    assert_near(ball->inertia[0], 0.4 * mass * 0.01, 0.08 * 0.4 * mass * 0.01);
    assert_near(hf_creature_get(c)->mass, box->mass + ball->mass, 1e-9);
    hf_creature_free(c);
    c = load_text("masses.urdf", BODIES("<inertial><mass value=\"0.5\"/></inertial>"));
    assert_near(hf_creature_get(c)->mass, 0.5, 0);
    assert_int_equal(hf_creature_get(c)->warnings.count, 0);
    hf_creature_free(c);
}

#define MESH(kind, file) "<" kind "><geometry><mesh filename=\"" file "\"/></geometry></" kind ">"
#define LINK_WITHOUT_MESHES(name)                                                                            \
    "<link name=\"" name "\">" MESH("visual", "v.stl") MESH("visual", "w.stl")                               \
        MESH("collision", "c.stl") "</link>"
/* A package that is not there is one mistake, not one for each of its meshes. */
static void missing_meshes_are_told_together(void** state) {
    (void)state;
    char text[400], name[700], warning[100];
    hf_creature* c = load_text(
        "missing.urdf", ROBOT(LINK_WITHOUT_MESHES("a") LINK_WITHOUT_MESHES("b") LINK_WITHOUT_MESHES("c")
                                  JOINT("ab", "fixed", "a", "b", "") JOINT("bc", "fixed", "b", "c", "")));
    assert_int_equal(warnings_with(c, "is not found"), 0);
    assert_int_equal(warnings_with(c, "are not found"), 2);
    assert_int_equal(warnings_with(c, "3 collision meshes are not found, the first is \"c.stl\": a, b, c"),
                     1);
    assert_int_equal(warnings_with(c, "6 visual meshes are not found, the first is \"v.stl\": a, b, c"), 1);
    hf_creature_free(c);
    /* A name too long for the line is cut between characters: the warning stays valid UTF-8. */
    for (int i = 0; i < 340; i++) memcpy(name + 2 * i, "\xc3\xa9", 3);
    snprintf(text, sizeof text, "<robot name=\"r\">");
    char* all = test_malloc(4000);
    snprintf(all, 4000,
             "%s<link name=\"%s\"><visual><geometry><mesh filename=\"v.stl\"/></geometry></visual><visual>"
             "<geometry><mesh filename=\"v.stl\"/></geometry></visual></link></robot>",
             text, name);
    c = load_text("missing.urdf", all);
    test_free(all);
    assert_int_equal(warnings_with(c, "2 visual meshes are not found"), 1);
    snprintf(warning, sizeof warning, "\": \xc3\xa9");
    assert_int_equal(warnings_with(c, warning), 1);
    for (int i = 0; i < hf_creature_get(c)->warnings.count; i++) {
        const char* w = hf_creature_get(c)->warnings.items[i];
        for (; *w; w++) {
            bool lead = (unsigned char)*w == 0xc3;
            if (lead) assert_int_equal((unsigned char)w[1], 0xa9);
        }
    }
    hf_creature_free(c);
}

static void missing_meshes_name_their_link(void** state) {
    (void)state;
    hf_creature* c =
        load_text("missing.urdf",
                  ROBOT("<link name=\"arm\"><collision><geometry><mesh filename=\"package://none/such.stl\"/>"
                        "</geometry></collision></link>"));
    assert_int_equal(
        warnings_with(c, "link \"arm\": the collision mesh \"package://none/such.stl\" is not found"), 1);
    assert_int_equal(hf_creature_get(c)->body_count, 0);
    hf_creature_free(c);
    write_file("broken.obj", "v 0 0\nf 1 2 3\n");
    c = load_text("missing.urdf",
                  ROBOT("<link name=\"arm\"><collision><geometry><mesh filename=\"broken.obj\"/>"
                        "</geometry></collision></link>"));
    assert_int_equal(warnings_with(c, "link \"arm\": the collision mesh \"broken.obj\" cannot be used"), 1);
    hf_creature_free(c);
}

static int mesh_count(const char* path, const hf_load_options* options) {
    hf_creature* c;
    assert_int_equal(hf_creature_load(path, options, &c, NULL), HF_OK);
    int count = hf_creature_get(c)->bodies[0].shape.vertex_count;
    hf_creature_free(c);
    return count;
}

static void packages_are_found(void** state) {
    (void)state;
    mkdir(test_path("packages"), 0777);
    mkdir(test_path("packages/robot_a"), 0777);
    mkdir(test_path("packages/robot_a/meshes"), 0777);
    mkdir(test_path("packages/robot_a/urdf"), 0777);
    write_file("packages/robot_a/meshes/tetra.obj", TETRAHEDRON);
    static const char text[] =
        ROBOT("<link name=\"a\"><collision><geometry><mesh filename=\"package://robot_a/meshes/"
              "tetra.obj\"/></geometry></collision></link>");
    /* Walking up: by the package's name, and by what it holds when the folder is called otherwise. */
    const char* inside = write_file("packages/robot_a/urdf/a.urdf", text);
    assert_int_equal(mesh_count(inside, NULL), 4);
    inside =
        write_file("packages/robot_a/urdf/b.urdf",
                   ROBOT("<link name=\"a\"><collision><geometry><mesh filename=\"package://other_name/meshes/"
                         "tetra.obj\"/></geometry></collision></link>"));
    assert_int_equal(mesh_count(inside, NULL), 4);
    /* From elsewhere: not by itself, but by option and by environment. */
    const char* outside = write_file("outside.urdf", text);
    assert_int_equal(mesh_count(outside, NULL), 0);
    const char* folder = test_path("packages");
    hf_load_options options = hf_load_options_default();
    options.package_path = (hf_strings){1, &folder};
    assert_int_equal(mesh_count(outside, &options), 4);
    const char* package = test_path("packages/robot_a");
    options.package_path = (hf_strings){1, &package};
    assert_int_equal(mesh_count(outside, &options), 4);
    char list[2200];
    snprintf(list, sizeof list, "/nonexistent::%s", folder);
    setenv("ROS_PACKAGE_PATH", list, 1);
    assert_int_equal(mesh_count(outside, NULL), 4);
    unsetenv("ROS_PACKAGE_PATH");
    setenv("HOLDFAST_PACKAGE_PATH", folder, 1);
    assert_int_equal(mesh_count(outside, NULL), 4);
    unsetenv("HOLDFAST_PACKAGE_PATH");
    /* The folders that served are kept, and motions take them over. */
    const char* folders[2] = {test_folder(), folder};
    options.package_path = (hf_strings){2, folders};
    hf_creature* c;
    hf_motion* m;
    assert_int_equal(hf_creature_load(outside, &options, &c, NULL), HF_OK);
    assert_string_equal(hf_creature_get(c)->package_path, folder);
    assert_int_equal(hf_motion_create(c, NULL, &m), HF_OK);
    assert_string_equal(m->package_path, folder);
    hf_pose pose = {hf_transform_identity(), NULL};
    assert_non_null(hf_motion_add(m, 0, &pose));
    const char* saved = test_path("packages/robot_a/p.motion.json");
    assert_int_equal(hf_motion_save(m, saved, NULL), HF_OK);
    hf_motion_free(m);
    assert_int_equal(hf_motion_load(saved, &m, NULL), HF_OK);
    struct stat one, other;
    assert_int_equal(stat(m->package_path, &one), 0);
    assert_int_equal(stat(folder, &other), 0);
    assert_true(one.st_ino == other.st_ino);
    hf_motion_free(m);
    hf_creature_free(c);
    assert_int_equal(hf_creature_load(test_path("packages/robot_a/urdf/a.urdf"), NULL, &c, NULL), HF_OK);
    assert_null(hf_creature_get(c)->package_path);
    hf_creature_free(c);
    /* file:// with an absolute path. */
    char file[2400];
    snprintf(file, sizeof file,
             "<robot><link name=\"a\"><collision><geometry><mesh "
             "filename=\"file://%s/meshes/tetra.obj\"/></geometry>"
             "</collision></link></robot>",
             package);
    assert_int_equal(mesh_count(write_file("outside.urdf", file), NULL), 4);
}

/* ------------------------------------------------------------------------------------ bad input */

static void bad_files_say_where_and_why(void** state) {
    (void)state;
    static const struct {
        const char *text, *fragment;
        int line;
        hf_status status;
    } cases[] = {
        {"", "not valid XML", 1, HF_ERROR_FORMAT},
        {"\x7f"
         "ELF\x01\x02",
         "not valid XML", 1, HF_ERROR_FORMAT},
        {"<robot>\n<link name=\"a\">", "not valid XML", 2, HF_ERROR_FORMAT},
        {"<sdf/>", "<sdf>, <robot> is expected", 1, HF_ERROR_FORMAT},
        {"<robot/>", "has no links", 0, HF_ERROR_FORMAT},
        {"<robot>\n<link/></robot>", "<link> has no \"name\"", 2, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") "<joint name=\"j\"/>"), "<joint> has no \"type\"", 3, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") "<joint name=\"j\" type=\"ball\"/>"), "\"ball\" is not a type of joint", 3,
         HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("a")), "link \"a\": this name is used twice", 3, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "")
                   JOINT("j", "fixed", "a", "c", "")),
         "joint \"j\": this name is used twice", 6, HF_ERROR_FORMAT},
        {ROBOT(LINK("hand") JOINT("j", "fixed", "hnad", "b", "")),
         "no link \"hnad\", its parent; did you mean \"hand\"?", 3, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") JOINT("j", "fixed", "a", "zzz", "")), "no link \"zzz\", its child", 3,
         HF_ERROR_FORMAT},
        {ROBOT(LINK("a") "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"), "has no <child>",
         3, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") JOINT("j", "fixed", "a", "a", "")), "joins the link \"a\" to itself", 3,
         HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b")), "one root is expected", 3, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")),
         "cycle", 4, HF_ERROR_FORMAT},
        {ROBOT(LINK("r") LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "")
                   JOINT("k", "fixed", "b", "a", "")),
         "cycle of joints that the root does not reach", 5, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "c", "")
                   JOINT("k", "fixed", "b", "c", "")),
         "is already moved by joint \"j\"", 6, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b")
                   JOINT("knee", "revolute", "a", "b", "\n<limit lower=\"0.8\" upper=\"0.2\"/>")),
         "joint \"knee\": lower limit 0.8 is above upper 0.2", 5, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz=\"0 0 0\"/>")),
         "axis has no length", 4, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz=\"0 0\"/>")),
         "\"xyz\" is \"0 0\"", 4, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower=\"nan\"/>")),
         "\"lower\" is \"nan\"", 4, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><inertial><mass value=\"-1\"/></inertial></link>"),
         "link \"a\": the mass is negative", 2, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><inertial><mass value=\"inf\"/></inertial></link>"),
         "a finite number is expected", 2, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><inertial><mass value=\"1e999\"/></inertial></link>"), "a finite number", 2,
         HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><collision><geometry><sphere radius=\"-1\"/></geometry></collision></link>"),
         "is negative", 2, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><collision><geometry><mesh filename=\"x.obj\" scale=\"1 "
               "2\"/></geometry></collision></link>"),
         "one or three numbers", 2, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><collision><geometry><mesh filename=\"x.obj\" "
               "scale=\"0\"/></geometry></collision></link>"),
         "other than 0", 2, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint=\"j\"/>")), "in a circle",
         4, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint=\"k\"/>")),
         "no joint \"k\" to follow", 4, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("f", "fixed", "a", "b", "")
                   JOINT("j", "continuous", "b", "c", "<mimic joint=\"f\"/>")),
         "which does not have one value", 6, HF_ERROR_FORMAT},
        {ROBOT(LINK("a") LINK(
             "b") "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/><origin "
                  "xyz=\"1e300 0 0\"/></joint>"),
         "joint \"j\": its origin is out of range", 4, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"a\"><collision><geometry><sphere "
               "radius=\"1e200\"/></geometry></collision></link>"),
         "link \"a\": a shape is larger or farther", 2, HF_ERROR_FORMAT},
        {ROBOT("<xacro:macro name=\"leg\"/>"), "run: xacro", 2, HF_ERROR_FORMAT},
        {ROBOT("<link name=\"${prefix}a\"/>"), "run: xacro bad.urdf > bad.expanded.urdf", 2, HF_ERROR_FORMAT},
        {"<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><robot name=\"&b;\"/>",
         "entities are not accepted", 1, HF_ERROR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c = (hf_creature*)1;
        hf_error e = {0};
        char text[1400];
        const char* path = write_file("bad.urdf", cases[i].text);
        hf_status status = hf_creature_load(path, NULL, &c, &e);
        hf_error_text(&e, text, sizeof text);
        if (status != cases[i].status || !strstr(text, cases[i].fragment) || e.line != cases[i].line ||
            !strstr(e.file, "bad.urdf"))
            fail_msg("case %zu: status %d, line %d (expected %d): %s", i, status, e.line, cases[i].line,
                     text);
        assert_null(c);
    }
    hf_creature* c;
    hf_error e;
    assert_int_equal(hf_creature_load("/nonexistent.urdf", NULL, &c, &e), HF_ERROR_FILE);
    assert_int_equal(hf_creature_load(test_folder(), NULL, &c, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, ".creature.json, .urdf"));
    assert_int_equal(hf_creature_load("/nonexistent.urdf", NULL, &c, NULL), HF_ERROR_FILE);
}

/* A chain of `count` joints. */
static const char* write_chain(const char* name, int count) {
    const char* path = test_path(name);
    FILE* file = fopen(path, "wb");
    fputs("<robot name=\"chain\"><link name=\"l0\"/>\n", file);
    for (int i = 0; i < count; i++)
        fprintf(file,
                "<link name=\"l%d\"/><joint name=\"j%d\" type=\"continuous\"><parent link=\"l%d\"/><child "
                "link=\"l%d\"/>"
                "<origin xyz=\"0 0 0.1\"/></joint>\n",
                i + 1, i, i, i + 1);
    fputs("</robot>\n", file);
    fclose(file);
    return path;
}

static void size_is_bounded(void** state) {
    (void)state;
    hf_creature* c;
    hf_error e;
    assert_int_equal(hf_creature_load(write_chain("chain.urdf", 200000), NULL, &c, &e), HF_ERROR_LIMIT);
    assert_non_null(strstr(e.message, "more than 4096"));
    unlink(test_path("chain.urdf"));
    /* The most that is accepted loads. */
    c = must_load(write_chain("chain.urdf", 1500));
    assert_int_equal(hf_creature_get(c)->joint_count, 1500);
    hf_creature_free(c);
    unlink(test_path("chain.urdf"));
    char* deep = malloc(20000 * 7 + 100);
    assert_non_null(deep);
    strcpy(deep, "<robot name=\"d\">");
    for (size_t i = 0, n = strlen(deep); i < 20000; i++) memcpy(deep + n + 3 * i, "<a>", 4);
    assert_int_equal(hf_creature_load(write_file("deep.urdf", deep), NULL, &c, &e), HF_ERROR_LIMIT);
    assert_non_null(strstr(e.message, "nested deeper"));
    free(deep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_types_and_layout),
        cmocka_unit_test(origins_turn_as_urdf_says),
        cmocka_unit_test(joints_keep_the_files_order),
        cmocka_unit_test(mimic_chains_end_at_the_master),
        cmocka_unit_test(massless_roots_are_absorbed),
        cmocka_unit_test(inertia_turns_into_the_links_axes),
        cmocka_unit_test(shapes_arrive_as_they_are),
        cmocka_unit_test(gaps_are_filled),
        cmocka_unit_test(frames_without_mass_have_no_body),
        cmocka_unit_test(colours_by_name_or_value),
        cmocka_unit_test(meshes_scale_and_stay_outward),
        cmocka_unit_test(masses_by_volume),
        cmocka_unit_test(missing_meshes_name_their_link),
        cmocka_unit_test(missing_meshes_are_told_together),
        cmocka_unit_test(packages_are_found),
        cmocka_unit_test(bad_files_say_where_and_why),
        cmocka_unit_test(size_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
