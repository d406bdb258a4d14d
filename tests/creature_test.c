/* Creatures as a whole: creature files, SRDF, pairs, round trips. */
#include "creature_files.h"
#include "made_person.h"
#include "base/random.h"

#include <dirent.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------- SRDF */

static void srdf_names_limbs_and_disables_pairs(void** state) {
    (void)state;
    write_file("srdf_person.urdf", made_person());
    write_file(
        "srdf_person.srdf",
        "<robot name=\"person\">"
        "<group name=\"right_wing\"><chain base_link=\"ribs\" tip_link=\"p2b\"/></group>"
        "<group name=\"stander\"><joint name=\"p4a_j\"/><joint name=\"p5a_j\"/><link name=\"p6a\"/></group>"
        "<group name=\"both\"><group name=\"stander\"/><group name=\"right_wing\"/></group>"
        "<group name=\"odd\"><chain base_link=\"ribs\" tip_link=\"nothing\"/></group>"
        "<disable_collisions link1=\"head\" link2=\"p6a\" reason=\"Never\"/>"
        "<group_state name=\"sit\" group=\"both\"><joint name=\"p5a_j\" value=\"0.7\"/><joint name=\"ghost\" "
        "value=\"1\"/>"
        "</group_state></robot>");
    hf_creature* c = must_load(test_path("srdf_person.urdf"));
    const hf_creature_view* v = hf_creature_get(c);
    assert_string_equal(v->links[limb_of(c, "right_wing")->effector_link].name, "p2b");
    assert_string_equal(v->links[limb_of(c, "stander")->effector_link].name, "p6a");
    /* The others are still found. */
    limb_of(c, "left_arm");
    limb_of(c, "right_leg");
    assert_int_equal(v->limb_count, 5);
    assert_int_equal(warnings_with(c, "group \"odd\": there is no link \"nothing\""), 1);
    int head = link_of(c, "head")->first_body, foot = link_of(c, "p6a")->first_body;
    assert_false(hf_creature_pair_enabled(c, head, foot));
    assert_false(hf_creature_pair_enabled(c, foot, head));
    assert_true(hf_creature_pair_enabled(c, head, link_of(c, "p6b")->first_body));
    assert_int_equal(v->state_count, 1);
    assert_near(v->states[0].q[joint_of(c, "p5a_j")->q_index], 0.7, 0);
    assert_near(v->rest[joint_of(c, "p5a_j")->q_index], 0, 0);
    hf_creature_free(c);
}

static void bad_srdf_is_refused(void** state) {
    (void)state;
    static const struct {
        const char *text, *fragment;
    } cases[] = {{"<robot", "not valid XML"},
                 {"<html/>", "<robot> is expected"},
                 {"<robot><group/></robot>", "<group> has no \"name\""},
                 {"<robot><disable_collisions link1=\"a\"/></robot>", "has no \"link2\""},
                 {"<robot><group_state name=\"s\"><joint name=\"j\" value=\"x\"/></group_state></robot>",
                  "numbers are expected"},
                 {"<robot><group_state name=\"s\"><joint name=\"j\" value=\"inf\"/></group_state></robot>",
                  "numbers are expected"}};
    write_file("bad_srdf.urdf", made_person());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c;
        hf_error e;
        write_file("bad_srdf.srdf", cases[i].text);
        assert_int_equal(hf_creature_load(test_path("bad_srdf.urdf"), NULL, &c, &e), HF_ERROR_FORMAT);
        if (!strstr(e.message, cases[i].fragment) || !strstr(e.file, "bad_srdf.srdf") || e.line != 1)
            fail_msg("case %zu: %s:%d: %s", i, e.file, e.line, e.message);
    }
}

/* -------------------------------------------------------------------------------- creature files */

#define HEAD "{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"person.urdf\""

static void creature_files_refine(void** state) {
    (void)state;
    write_file("person.urdf", made_person());
    write_file("hip.rom.json", "{\"joints\": [\"x\", \"y\"], \"pieces\": [{\"A\": "
                               "[[2,0],[-1,0],[0,1],[0,-1]], \"b\": [1,1,0.5,0.5]}]}");
    hf_creature* c =
        load_text("person.creature.json", HEAD
                  ", \"name\": \"anna\", \"trunk\": [\"hips\", \"spine\", \"ribs\"],"
                  "\"limbs\": [{\"name\": \"left\", \"root\": \"p0a\", \"effector\": \"p2a\", \"grip\": "
                  "true, \"max_force\": 50,"
                  "\"contact\": [{\"name\": \"palm\", \"offset\": [0.01,-0.03,0], \"normal\": [0,-2,0], "
                  "\"patch\": [0.04,0.02]},"
                  "{\"offset\": [0,0,-0.03], \"normal\": [0,0,-1], \"ball\": 0.01}]},"
                  "{\"name\": \"right\", \"root\": \"p0b\", \"effector\": \"p2b\", \"mirror_of\": \"left\"},"
                  "{\"name\": \"elbow\", \"root\": \"p0a\", \"effector\": \"p0a\", \"excludes\": [\"seat\"]},"
                  "{\"name\": \"upper\", \"root\": \"p0a\", \"effector\": \"p1a\"},"
                  "{\"name\": \"left_leg\"},"
                  "{\"name\": \"loose\", \"effector\": \"p5b\"},"
                  "{\"name\": \"seat\", \"root\": \"hips\", \"effector\": \"hips\"}],"
                  "\"rest\": {\"p5a_j\": 0.5}, \"rom\": [{\"joints\": [\"p4a_j\", \"p5a_j\"], \"region\": "
                  "\"hip.rom.json\"}],"
                  "\"limits\": {\"root_speed\": 0.5, \"joint_speed\": 4, \"joint_acceleration\": 9},"
                  "\"gait\": [[\"left_leg\"], [\"loose\", \"right\"]],"
                  "\"guide\": {\"upright\": [\"left_leg\"], \"bent\": [\"left\", \"right\"], \"tilt\": 0.3, "
                  "\"any\": 2}}");
    const hf_creature_view* v = hf_creature_get(c);
    assert_string_equal(v->name, "anna");
    assert_int_equal(v->limb_count, 7);
    const hf_limb* left = limb_of(c, "left");
    assert_int_equal(left->contact_count, 2);
    assert_near(left->contacts[0].normal.y, -1, 1e-15);
    assert_near(left->contacts[1].ball, 0.01, 0);
    assert_near(left->max_force, 50, 0);
    assert_true(left->grip);
    /* The mirrored limb takes the other's contacts, mirrored. */
    const hf_limb* right = limb_of(c, "right");
    assert_int_equal(right->mirror_of, 0);
    assert_int_equal(right->contact_count, 2);
    assert_near(right->contacts[0].offset.x, 0.01, 1e-12);
    assert_near(right->contacts[0].offset.y, 0.03, 1e-12);
    assert_near(right->contacts[0].normal.y, 1, 1e-12);
    assert_near(right->contacts[0].patch[0], 0.04, 0);
    /* root equal to effector has no joints; otherwise they start with the one that moves root. */
    const hf_limb* elbow = limb_of(c, "elbow");
    assert_int_equal(elbow->joint_count, 0);
    assert_int_equal(limb_of(c, "upper")->joint_count, 2);
    assert_int_equal(limb_of(c, "left_leg")->joint_count, 3);
    /* Without a root: up to the trunk. */
    assert_string_equal(v->links[limb_of(c, "loose")->root_link].name, "p4b");
    assert_int_equal(limb_of(c, "seat")->joint_count, 0);
    /* Excludes are mutual, and limbs that share joints exclude each other. */
    assert_int_equal(left->exclude_count, 1);
    assert_string_equal(v->limbs[left->excludes[0]].name, "upper");
    assert_int_equal(limb_of(c, "seat")->exclude_count, 1);
    assert_string_equal(v->limbs[limb_of(c, "seat")->excludes[0]].name, "elbow");
    assert_near(v->rest[joint_of(c, "p5a_j")->q_index], 0.5, 0);
    assert_near(v->limits.root_speed, 0.5, 0);
    assert_near(v->limits.root_turn, 2, 0);
    assert_near(joint_of(c, "p4a_j")->max_speed, 4, 0);
    assert_near(joint_of(c, "p4a_j")->max_acceleration, 9, 0);
    assert_int_equal(v->gait_count, 2);
    assert_int_equal(v->gait_sizes[1], 2);
    assert_string_equal(v->limbs[v->gait_limbs[2]].name, "right");
    assert_int_equal(v->guide.bent_count, 2);
    assert_int_equal(v->guide.any, 2);
    assert_near(v->guide.tilt, 0.3, 0);
    /* The region's planes belong to the creature file's joints and have unit normals. */
    assert_int_equal(v->rom_count, 1);
    assert_int_equal(v->roms[0].joints[1], hf_creature_find_joint(c, "p5a_j"));
    assert_near(v->roms[0].pieces[0].planes[0], 1, 1e-15);
    assert_near(v->roms[0].pieces[0].planes[2], 0.5, 1e-15);
    assert_int_equal(v->trunk_count, 3);
    hf_creature_free(c);
}

static void bad_creature_files_say_why(void** state) {
    (void)state;
    write_file("person.urdf", made_person());
    write_file("three.rom.json",
               "{\"joints\": [\"a\",\"b\",\"c\"], \"pieces\": [{\"A\": [[1,0,0]], \"b\": [1]}]}");
    write_file("odd.rom.json", "{\"joints\": [\"p4a_j\"], \"pieces\": [{\"A\": [[0]], \"b\": [1]}]}");
    write_file("pair.urdf",
               "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><joint name='first' "
               "type='continuous'><parent link='a'/><child link='b'/></joint><joint name='second' "
               "type='continuous'><parent link='b'/><child link='c'/><mimic joint='first'/></joint></robot>");
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"{", "not valid JSON"},
        {"[]", "a JSON object is expected"},
        {"{\"format\": \"holdfast-motion\", \"version\": 1}", "\"holdfast-creature\" is expected"},
        {"{\"format\": \"holdfast-creature\", \"version\": 2}", "is 2, this program reads 1"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1}", "\"urdf\" is missing"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"gone.urdf\"}", "No such file"},
        {HEAD ", \"limb\": []}", "unknown key \"limb\"; did you mean \"limbs\"?"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"efector\": \"p2a\"}]}", "did you mean \"effector\"?"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p9a\"}]}", "there is no link \"p9a\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\"}]}", "has no \"effector\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"root\": \"p2a\", \"effector\": \"p0a\"}]}",
         "not beyond its root"},
        {HEAD
         ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p0a\"}, {\"name\": \"a\", \"effector\": \"p0b\"}]}",
         "is used twice"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"offset\": [0,0,0], "
              "\"normal\": [0,0,0]}}]}",
         "\"normal\" has no length"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"offset\": [0,0], "
              "\"normal\": [0,0,1]}}]}",
         "3 numbers"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"link\": \"p9a\", "
              "\"offset\": [0,0,0], \"normal\": [0,0,1]}}]}",
         "there is no link \"p9a\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"link\": \"p1a\", "
              "\"offset\": [0,0,0], \"normal\": [0,0,1]}}]}",
         "link \"p1a\" of a contact frame is no part of its effector"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"max_force\": -1}]}", "above 0"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"excludes\": [\"b\"]}]}",
         "there is no limb \"b\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"root\": \"p0a\", \"effector\": \"p2a\"}, {\"name\": \"b\", "
              "\"root\": \"p4b\", "
              "\"effector\": \"p6b\", \"mirror_of\": \"a\"}]}",
         "does not move as the mirror image of \"a\""},
        {HEAD
         ", \"limbs\": [{\"name\": \"a\", \"root\": \"p0a\", \"effector\": \"p2a\", \"mirror_of\": \"a\"}]}",
         "mirror image"},
        {HEAD ", \"trunk\": [\"hip\"]}", "there is no link \"hip\""},
        {HEAD ", \"rest\": {\"p5a_j\": 3}}", "outside the joint's limits"},
        {HEAD ", \"rest\": {\"p5\": 3}}", "there is no joint of this name"},
        {HEAD ", \"rest\": {\"p5a_jj\": 0}}", "did you mean \"p5a_j\"?"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"pair.urdf\", \"rest\": "
         "{\"second\": 0.1}}",
         "rest.second: this joint follows \"first\""},
        {HEAD ", \"rest\": {\"p5a_j\": [1,2,3]}}", "3 values are given"},
        {HEAD ", \"rest\": {\"p5a_j\": \"x\"}}", "a number is expected"},
        {HEAD ", \"rom\": [{\"joints\": [\"p4a_j\", \"p5a_j\"], \"region\": \"three.rom.json\"}]}",
         "3 joints, the creature file gives it 2"},
        {HEAD ", \"rom\": [{\"region\": \"three.rom.json\"}]}", "there is no joint \"a\""},
        {HEAD ", \"rom\": [{\"region\": \"odd.rom.json\"}]}", "a row of usable size"},
        {HEAD ", \"rom\": [{\"region\": \"none.rom.json\"}]}", "No such file"},
        {HEAD ", \"limits\": {\"root_speed\": 0}}", "above 0"},
        {HEAD ", \"limits\": {\"speed\": 1}}", "unknown key"},
        {HEAD ", \"gait\": [[\"left_lag\"]]}", "did you mean \"left_leg\"?"},
        {HEAD ", \"guide\": {\"upright\": [\"x\"]}}", "there is no limb \"x\""},
        {HEAD ", \"guide\": {\"any\": 1.5}}", "a number of limbs is expected"},
        {HEAD ", \"guide\": {\"any\": 1e300}}", "a number of limbs is expected"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"\"}", "\"urdf\" is empty"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"b\", \"contact\": {\"offset\": [0, 0, 0], "
              "\"normal\": [1e300, 1e300, 0]}}]}",
         "\"normal\" has no usable length"},
        {HEAD ", \"srdf\": \"none.srdf\"}", "No such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c = (hf_creature*)1;
        hf_error e = {0};
        char text[1400];
        hf_status status = hf_creature_load(write_file("bad.creature.json", cases[i].text), NULL, &c, &e);
        hf_error_text(&e, text, sizeof text);
        if (status == HF_OK || !strstr(text, cases[i].fragment))
            fail_msg("case %zu: status %d: %s", i, status, text);
        assert_null(c);
        assert_true(e.file[0]);
    }
}

#define BENT HEAD ", \"srdf\": \"bent.srdf\", \"guide\": {\"tilt\": 0.6, \"tilt_max\": 1.6"

/* Resting on all limbs: the state is one of the SRDF, and limbs go over to it while the trunk tilts. */
static void bent_states_are_checked(void** state) {
    (void)state;
    write_file("person.urdf", made_person());
    write_file("bent.srdf",
               "<robot name=\"person\"><group name=\"leg\"><joint name=\"p5a_j\"/></group>"
               "<group_state name=\"sit\" group=\"leg\"><joint name=\"p5a_j\" value=\"0.7\"/></group_state>"
               "<group_state name=\"lie\" group=\"leg\"><joint name=\"p5a_j\" value=\"0.2\"/></group_state>"
               "</robot>");
    static const struct {
        const char *text, *field;
    } bad[] = {
        {BENT ", \"bent_state\": \"fly\"}}", "guide.bent_state"},
        {BENT ", \"bent_state\": \"fly\", \"bent_tilt\": 0.3}}", "guide.bent_state"},
        {BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 0.3}}", "guide.bent_tilt"},
        {BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 0.6}}", "guide.bent_tilt"},
        {BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 1.7}}", "guide.bent_tilt"},
        {BENT ", \"bent_tilt\": 1.5}}", "guide.bent_tilt"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hf_creature* c = NULL;
        hf_error e = {0};
        hf_status status = hf_creature_load(write_file("bent.creature.json", bad[i].text), NULL, &c, &e);
        assert_int_equal(status, HF_ERROR_FORMAT);
        assert_string_equal(e.field, bad[i].field);
        assert_null(c);
    }
    hf_creature* none = load_text("bent.creature.json", BENT "}}");
    hf_creature* sit = load_text("bent.creature.json", BENT ", \"bent_state\": \"sit\"}}");
    hf_creature* lie = load_text("bent.creature.json", BENT ", \"bent_state\": \"lie\"}}");
    hf_creature* less =
        load_text("bent.creature.json", BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 1.2}}");
    assert_null(hf_creature_get(none)->guide.bent_q);
    assert_near(hf_creature_get(sit)->guide.bent_tilt, 1.6, 0);
    assert_near(hf_creature_get(less)->guide.bent_tilt, 1.2, 0);
    assert_near(hf_creature_get(sit)->guide.bent_q[joint_of(sit, "p5a_j")->q_index], 0.7, 0);
    assert_near(hf_creature_get(lie)->guide.bent_q[joint_of(lie, "p5a_j")->q_index], 0.2, 0);
    hf_creature* all[] = {none, sit, lie, less};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) assert_true(hf_creature_hash(all[i]) != hf_creature_hash(all[k]));
    for (int i = 0; i < 4; i++) hf_creature_free(all[i]);
}

/* --------------------------------------------------------------------------------------- pairs */

/* Every pair by the rule, one by one. */
static void check_pairs(const char* path, const char* without_srdf) {
    hf_creature* c = must_load(path);
    const hf_creature_view* v = hf_creature_get(c);
    double* q = calloc((size_t)v->q_count + 1, sizeof *q);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose pose = {hf_transform_identity(), q};
    hf_pose_rest(c, &pose);
    pose.root = hf_transform_identity();
    hf_forward(c, &pose, links);
    int enabled = 0, touching = 0;
    for (int a = 0; a < v->body_count; a++)
        for (int b = 0; b < v->body_count; b++) {
            const hf_body *x = &v->bodies[a], *y = &v->bodies[b];
            bool apart = x->link != y->link && v->links[x->link].parent_link != y->link &&
                         v->links[y->link].parent_link != x->link;
            double distance = hf_shape_distance(&x->shape, hf_compose(links[x->link], x->in_link), &y->shape,
                                                hf_compose(links[y->link], y->in_link));
            bool on = hf_creature_pair_enabled(c, a, b);
            if (without_srdf)
                assert_int_equal(on, apart && distance > 0);
            else if (on)
                assert_true(apart && distance > 0);
            enabled += on;
            touching += apart && distance <= 0;
        }
    assert_true(enabled > 0);
    (void)touching;
    free(q);
    free(links);
    hf_creature_free(c);
}

static void touching_pairs_are_off(void** state) {
    (void)state;
    write_file("pairs.urdf", made_person());
    check_pairs(test_path("pairs.urdf"), "");
    const char* path = third_party("robots/anymal_b_simple_description/robots/anymal.urdf");
    if (path) check_pairs(path, NULL);
    check_pairs(data_path("data/creatures/human.creature.json"), NULL);
}

/* --------------------------------------------------------------------------------- round trips */

static bool same_vertices(const hf_shape* a, const hf_shape* b) {
    if (a->vertex_count != b->vertex_count) return false;
    for (int i = 0; i < a->vertex_count; i++) {
        bool found = false;
        for (int k = 0; k < b->vertex_count && !found; k++)
            found = memcmp(a->vertices + 3 * i, b->vertices + 3 * k, 3 * sizeof(float)) == 0;
        if (!found) return false;
    }
    return true;
}

static void same_bodies(const hf_creature_view* a, const hf_creature_view* b) {
    assert_int_equal(a->body_count, b->body_count);
    for (int i = 0; i < a->body_count; i++) {
        const hf_body *x = &a->bodies[i], *y = &b->bodies[i];
        assert_int_equal(x->link, y->link);
        assert_int_equal(x->shape.kind, y->shape.kind);
        assert_near(x->shape.radius, y->shape.radius, 0);
        assert_near(x->shape.half_length, y->shape.half_length, 0);
        assert_near(hf_distance(x->shape.half_size, y->shape.half_size), 0, 0);
        assert_near(hf_distance(x->in_link.position, y->in_link.position), 0, 1e-12);
        assert_near(hf_quat_angle(x->in_link.rotation, y->in_link.rotation), 0, 1e-7);
        if (x->shape.kind == HF_SHAPE_HULL) assert_true(same_vertices(&x->shape, &y->shape));
    }
}

static void same_creature(const hf_creature* a, const hf_creature* b) {
    const hf_creature_view *x = hf_creature_get(a), *y = hf_creature_get(b);
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->link_count, y->link_count);
    assert_int_equal(x->joint_count, y->joint_count);
    assert_int_equal(x->q_count, y->q_count);
    for (int i = 0; i < x->link_count; i++) {
        assert_string_equal(x->links[i].name, y->links[i].name);
        assert_near(x->links[i].mass, y->links[i].mass, 0);
        assert_near(hf_distance(x->links[i].com, y->links[i].com), 0, 0);
        for (int k = 0; k < 6; k++) assert_near(x->links[i].inertia[k], y->links[i].inertia[k], 1e-15);
    }
    for (int i = 0; i < x->joint_count; i++) {
        const hf_joint *j = &x->joints[i], *k = &y->joints[i];
        assert_string_equal(j->name, k->name);
        assert_int_equal(j->type, k->type);
        assert_true(j->lower == k->lower && j->upper == k->upper);
        assert_true(j->max_speed == k->max_speed && j->max_effort == k->max_effort);
        assert_int_equal(j->mimic, k->mimic);
    }
    same_bodies(x, y);
    double* q = calloc((size_t)x->q_count + 1, sizeof *q);
    hf_transform* one = calloc((size_t)x->link_count, sizeof *one);
    hf_transform* two = calloc((size_t)x->link_count, sizeof *two);
    for (int trial = 0; trial < 20; trial++) {
        hf_random r = hf_random_start(5, 2, (uint64_t)trial);
        hf_pose pose = {hf_transform_identity(), q};
        for (int i = 0; i < x->q_count; i++) q[i] = hf_random_between(&r, -1, 1);
        hf_forward(a, &pose, one);
        hf_forward(b, &pose, two);
        for (int i = 0; i < x->link_count; i++)
            assert_near(hf_distance(one[i].position, two[i].position), 0, 1e-11);
    }
    free(q);
    free(one);
    free(two);
}

static void written_urdfs_load_to_the_same(void** state) {
    (void)state;
    write_file(
        "odd.urdf",
        "<robot name=\"a &amp; &quot;b&quot;\"><link name=\"base &lt;1&gt;\"><inertial><origin xyz=\"0.1 0.2 "
        "0.3\" "
        "rpy=\"0.1 0.2 0.3\"/><mass value=\"1.1\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2\" "
        "ixy=\"0.3\"/></inertial></link>"
        "<link name=\"a\"/><link name=\"b\"><collision><origin xyz=\"0 1 0\" rpy=\"1.5707963267948966 0.4 "
        "1\"/><geometry>"
        "<cylinder radius=\"0.1\" length=\"0.3\"/></geometry></collision></link><link name=\"c\"/><link "
        "name=\"d\"/>"
        "<joint name=\"p\" type=\"planar\"><parent link=\"base &lt;1&gt;\"/><child link=\"a\"/><axis xyz=\"1 "
        "1 0\"/></joint>"
        "<joint name=\"q\" type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0.1 0 0\" "
        "rpy=\"0.3 1.5707963267948966 0.2\"/><limit lower=\"-0.1\" upper=\"0.3\" effort=\"3\"/></joint>"
        "<joint name=\"r\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/><limit lower=\"-1\" "
        "upper=\"1\"/>"
        "<mimic joint=\"q\" multiplier=\"0.33333333333333331\" offset=\"-0.1\"/></joint>"
        "<joint name=\"f\" type=\"floating\"><parent link=\"c\"/><child link=\"d\"/></joint></robot>");
    const char* paths[12] = {test_path("odd.urdf"), data_path("data/creatures/human.urdf")};
    char keep[10][1200];
    int count = 2;
    static const char* const robots[] = {"robots/simple_humanoid_description/urdf/simple_humanoid.urdf",
                                         "robots/quadruped_description/urdf/quadruped.urdf",
                                         "robots/anymal_b_simple_description/robots/anymal.urdf",
                                         "robots/ur_description/urdf/ur5_gripper.urdf",
                                         "motions/pirouette.bvh",
                                         "motions/02_01.bvh",
                                         "gltf/RiggedFigure.glb",
                                         "gltf/Fox.glb"};
    for (int i = 0; i < 8; i++) {
        const char* path = third_party(robots[i]);
        if (!path) break;
        snprintf(keep[i], sizeof keep[i], "%s", path);
        paths[count++] = keep[i];
    }
    for (int i = 0; i < count; i++) {
        hf_creature* a = must_load(paths[i]);
        const char* out = test_path("written.urdf");
        hf_error e;
        assert_int_equal(hf_creature_write_urdf(a, out, &e), HF_OK);
        hf_creature* b = must_load(out);
        same_creature(a, b);
        /* Limbs are found again at the same links. */
        const hf_creature_view *x = hf_creature_get(a), *y = hf_creature_get(b);
        assert_int_equal(x->limb_count, y->limb_count);
        for (int k = 0; k < x->limb_count; k++) {
            assert_int_equal(x->limbs[k].root_link, y->limbs[k].root_link);
            assert_int_equal(x->limbs[k].effector_link, y->limbs[k].effector_link);
            if (!x->urdf_path) assert_string_equal(x->limbs[k].name, y->limbs[k].name);
        }
        hf_creature_free(a);
        hf_creature_free(b);
    }
    hf_creature* a = must_load(paths[0]);
    hf_error e;
    assert_int_equal(hf_creature_write_urdf(a, "/nonexistent/x.urdf", &e), HF_ERROR_FILE);
    hf_creature_free(a);
}

static void shipped_creatures_load_without_a_word(void** state) {
    (void)state;
    DIR* folder = opendir(data_path("data/creatures"));
    assert_non_null(folder);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        char path[400];
        if (!strstr(entry->d_name, ".creature.json") && !strstr(entry->d_name, ".urdf")) continue;
        snprintf(path, sizeof path, "data/creatures/%s", entry->d_name);
        hf_creature* c = must_load(data_path(path));
        const hf_creature_view* v = hf_creature_get(c);
        if (v->warnings.count > 0) fail_msg("%s: %s", entry->d_name, v->warnings.items[0]);
        assert_true(v->limb_count >= 4);
        hf_creature_free(c);
        count++;
    }
    closedir(folder);
    assert_true(count >= 2);
}

static void hashes_tell_creatures_apart(void** state) {
    (void)state;
    hf_creature *a = load_text("hash.urdf", made_person()), *b = must_load(test_path("hash.urdf"));
    assert_true(hf_creature_hash(a) == hf_creature_hash(b));
    hf_creature_free(b);
    static char text[20000];
    snprintf(text, sizeof text, "%s", made_person());
    char* upper = strstr(text, "upper=\"1\"");
    upper[7] = '2';
    b = load_text("hash.urdf", text);
    assert_true(hf_creature_hash(a) != hf_creature_hash(b));
    hf_creature_free(a);
    hf_creature_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srdf_names_limbs_and_disables_pairs),
        cmocka_unit_test(bad_srdf_is_refused),
        cmocka_unit_test(creature_files_refine),
        cmocka_unit_test(bad_creature_files_say_why),
        cmocka_unit_test(bent_states_are_checked),
        cmocka_unit_test(touching_pairs_are_off),
        cmocka_unit_test(written_urdfs_load_to_the_same),
        cmocka_unit_test(shipped_creatures_load_without_a_word),
        cmocka_unit_test(hashes_tell_creatures_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
