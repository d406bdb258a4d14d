/* GLB files read back number by number, and creatures from glTF skins. The files stay in the test folder
   with the places every link must have: tests/web and script/test-blender open them again. */
#include "odd_creature.h"
#include "test_file.h"
#include "model/creature.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a small reader of our own, plain as can be ---- */

typedef struct glb {
    json_t* json;
    unsigned char* bytes;
    const unsigned char* bin;
    size_t bin_size;
} glb;

static uint32_t u32(const unsigned char* b) {
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static glb open_glb(const char* path) {
    glb g = {0};
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    g.bytes = malloc(size);
    assert_int_equal(fread(g.bytes, 1, size, file), size);
    fclose(file);
    assert_memory_equal(g.bytes, "glTF", 4);
    assert_int_equal(u32(g.bytes + 4), 2);
    assert_int_equal(u32(g.bytes + 8), size);
    uint32_t length = u32(g.bytes + 12);
    json_error_t error;
    g.json = json_loadb((char*)g.bytes + 20, length, 0, &error);
    if (!g.json) fail_msg("%s", error.text);
    g.bin = g.bytes + 28 + length;
    g.bin_size = u32(g.bytes + 20 + length);
    assert_int_equal(28 + length + g.bin_size, size);
    return g;
}

static void close_glb(glb* g) {
    json_decref(g->json);
    free(g->bytes);
}

static json_t* item(const json_t* object, const char* key, int index) {
    return json_array_get(json_object_get(object, key), (size_t)index);
}

static int whole(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    return json_is_integer(value) ? (int)json_integer_value(value) : -1;
}

static float number_at(const glb* g, int accessor, size_t index) {
    const json_t* a = item(g->json, "accessors", accessor);
    const json_t* v = item(g->json, "bufferViews", whole(a, "bufferView"));
    size_t at = (size_t)whole(v, "byteOffset") + 4 * index;
    assert_true(at + 4 <= g->bin_size);
    float f;
    memcpy(&f, g->bin + at, 4);
    return f;
}

/* Pose of a node in its parent at a key of the last animation: its own numbers, or the animation's. */
static hf_transform local_pose(const glb* g, int node, int key) {
    const json_t* n = item(g->json, "nodes", node);
    double p[3] = {0}, r[4] = {0, 0, 0, 1};
    for (int k = 0; k < 3 && json_object_get(n, "translation"); k++)
        p[k] = json_number_value(item(n, "translation", k));
    for (int k = 0; k < 4 && json_object_get(n, "rotation"); k++)
        r[k] = json_number_value(item(n, "rotation", k));
    int animations = (int)json_array_size(json_object_get(g->json, "animations"));
    const json_t* animation = item(g->json, "animations", animations - 1);
    for (size_t c = 0; c < json_array_size(json_object_get(animation, "channels")); c++) {
        const json_t* channel = item(animation, "channels", (int)c);
        const json_t* target = json_object_get(channel, "target");
        if (whole(target, "node") != node) continue;
        int output = whole(item(animation, "samplers", whole(channel, "sampler")), "output");
        bool shift = strcmp(json_string_value(json_object_get(target, "path")), "translation") == 0;
        size_t width = shift ? 3 : 4;
        /* What stays has one key. */
        size_t row = whole(item(g->json, "accessors", output), "count") > 1 ? (size_t)key : 0;
        for (size_t k = 0; k < width; k++) (shift ? p : r)[k] = (double)number_at(g, output, row * width + k);
    }
    return (hf_transform){{p[0], p[1], p[2]}, hf_quat_normalize((hf_quat){r[3], r[0], r[1], r[2]})};
}

/* By looking through all nodes; -1 for none. */
static int parent_of(const glb* g, int node) {
    for (size_t i = 0; i < json_array_size(json_object_get(g->json, "nodes")); i++) {
        const json_t* children = json_object_get(item(g->json, "nodes", (int)i), "children");
        for (size_t k = 0; k < json_array_size(children); k++)
            if (json_integer_value(json_array_get(children, k)) == node) return (int)i;
    }
    return -1;
}

static hf_transform node_pose(const glb* g, int node, int key) {
    int parent = parent_of(g, node);
    hf_transform pose = local_pose(g, node, key);
    return parent < 0 ? pose : hf_compose(node_pose(g, parent, key), pose);
}

static int find_node(const glb* g, const char* name) {
    for (size_t i = 0; i < json_array_size(json_object_get(g->json, "nodes")); i++)
        if (strcmp(json_string_value(json_object_get(item(g->json, "nodes", (int)i), "name")), name) == 0)
            return (int)i;
    return -1;
}

/* ---- what is exported ---- */

/* Slow enough that quaternions of neighbours are near each other, round enough that signs would flip. */
static void smooth_pose(const hf_creature* creature, double t, hf_pose* pose) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_pose_rest(creature, pose);
    pose->root.position = hf_v3(0.5 * t, 0.2 * sin(3 * t), 0.9 + 0.1 * cos(4 * t));
    pose->root.rotation = hf_quat_rpy(0.2 * sin(t), 0.3 * cos(2 * t), 2.5 * t);
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        for (int k = 0; k < joint->q_count; k++) {
            double low = fmax(joint->lower, -2.5), high = fmin(joint->upper, 2.5);
            pose->q[joint->q_index + k] = low + (high - low) * (0.5 + 0.5 * sin(1.3 * t + j + 2 * k));
        }
        if (joint->type != HF_JOINT_FLOATING) continue;
        hf_quat r = hf_quat_rpy(t, 2 * t, 3 * t + j);
        double* q = pose->q + joint->q_index + 3;
        q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
    }
    hf_pose_follow(creature, pose->q);
}

static hf_scene* make_scene(void) {
    static float vertices[12] = {-.2f, -.2f, 0, .2f, -.2f, 0, 0, .3f, 0, 0, 0, .4f};
    static uint32_t indices[15] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 1, 1, 2};
    static hf_key keys[2];
    keys[0] = (hf_key){0, {{1, 0, 0}, {1, 0, 0, 0}}};
    keys[1] = (hf_key){2, {{1, 2, 0}, {0.6, 0, 0, 0.8}}};
    hf_object_def objects[4];
    const char* names[4] = {"stone", "lift", "can", "nothing"};
    for (int i = 0; i < 4; i++) {
        objects[i] = hf_object_def_default();
        objects[i].name = names[i];
        objects[i].start = (hf_transform){{i, 1, 0.5}, {0.8, 0.6, 0, 0}};
        if (i < 3) objects[i].mesh = (hf_mesh){4, 5, vertices, indices};
        objects[i].movable = i == 2;
    }
    objects[1].keys = keys;
    objects[1].key_count = 2;
    hf_scene* scene;
    hf_error error = {0};
    if (hf_scene_build(objects, 4, &scene, &error) != HF_OK) fail_msg("%s", error.message);
    return scene;
}

static hf_vec3 to_world(hf_vec3 file) { return hf_v3(file.x, -file.z, file.y); }

/* Where every link must be at some samples, in the file's axes, for the tests that use other programs. */
static void write_expected(const hf_creature* creature, const hf_motion* motion, const char* name, double fps,
                           int count) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    double* q = calloc((size_t)view->q_count + 1, sizeof *q);
    json_t *samples = json_array(), *document = json_object();
    for (int s = 0; s < 5; s++) {
        int key = s * (count - 1) / 4;
        hf_pose pose = {.q = q};
        hf_motion_pose(motion, creature, motion->frames[0].time_s + key / fps, &pose);
        hf_forward(creature, &pose, links);
        json_t* places = json_object();
        for (int i = 0; i < view->link_count; i++) {
            hf_vec3 p = links[i].position;
            json_object_set_new(places, view->links[i].name, json_pack("[f,f,f]", p.x, p.z, -p.y));
        }
        json_array_append_new(samples,
                              json_pack("{s:i,s:f,s:o}", "frame", key, "time", key / fps, "links", places));
    }
    json_object_set_new(document, "fps", json_real(fps));
    json_object_set_new(document, "samples", samples);
    char path[1100];
    snprintf(path, sizeof path, "%s/%s.expected.json", test_folder(), name);
    assert_int_equal(json_dump_file(document, path, JSON_INDENT(1)), 0);
    json_decref(document);
    free(links);
    free(q);
}

static void check_animation(const glb* g, int frames, double fps) {
    const json_t* animation = item(g->json, "animations", 0);
    for (size_t i = 0; i < json_array_size(json_object_get(animation, "samplers")); i++) {
        const json_t* sampler = item(animation, "samplers", (int)i);
        assert_string_equal(json_string_value(json_object_get(sampler, "interpolation")), "LINEAR");
        int input = whole(sampler, "input"), output = whole(sampler, "output");
        assert_int_equal(whole(item(g->json, "accessors", input), "count"), frames);
        for (int k = 0; k < frames; k++) assert_near((double)number_at(g, input, (size_t)k), k / fps, 1e-5);
        const json_t* a = item(g->json, "accessors", output);
        if (strcmp(json_string_value(json_object_get(a, "type")), "VEC4") != 0) continue;
        /* Unit quaternions that keep to one side. */
        for (int k = 0; k < frames; k++) {
            double dot = 0, length = 0;
            for (int c = 0; c < 4; c++) {
                double now = (double)number_at(g, output, (size_t)(4 * k + c));
                double before = (double)number_at(g, output, (size_t)(4 * (k ? k - 1 : 0) + c));
                dot += now * before;
                length += now * now;
            }
            assert_near(length, 1, 1e-6);
            assert_true(dot > 0);
        }
    }
}

/* Positions of skinned vertices at the rest pose stay where the bodies are: joint * inverse bind * v. */
static void check_bounds(const glb* g) {
    const json_t* primitive = item(item(g->json, "meshes", 0), "primitives", 0);
    int position = whole(json_object_get(primitive, "attributes"), "POSITION");
    const json_t* a = item(g->json, "accessors", position);
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < whole(a, "count"); i++) {
            low = fmin(low, (double)number_at(g, position, (size_t)(3 * i + k)));
            high = fmax(high, (double)number_at(g, position, (size_t)(3 * i + k)));
        }
        assert_near(json_number_value(item(a, "min", k)), low, 0);
        assert_near(json_number_value(item(a, "max", k)), high, 0);
    }
}

/* Exports a motion of 2 s and compares every link and object with our own kinematics. */
static void export_and_compare(const hf_creature* creature, const char* name, double rate, double fps) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_scene* scene = make_scene();
    hf_placement* placement;
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_motion* motion;
    hf_error error = {0};
    assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
    double* q = calloc((size_t)view->q_count + 1, sizeof *q);
    hf_pose pose = {.q = q};
    int frames = (int)(2 * rate) + 1;
    for (int i = 0; i < frames; i++) {
        smooth_pose(creature, i / rate, &pose);
        hf_motion_frame* frame = hf_motion_add(motion, i / rate, &pose);
        assert_non_null(frame);
        hf_transform held = {{3, i / rate, 1}, hf_quat_rpy(0, 0, 3 * i / rate)};
        if (i >= frames / 2) assert_int_equal(hf_motion_add_object(motion, frame, 2, held), HF_OK);
    }
    hf_export_options options = hf_export_options_default();
    options.scene = scene;
    options.fps = fps;
    char file[64];
    snprintf(file, sizeof file, "%s.glb", name);
    const char* path = test_path(file);
    if (hf_motion_export(motion, creature, &options, path, &error) != HF_OK) fail_msg("%s", error.message);
    glb g = open_glb(path);
    int keys = (int)(2 * fps) + 1;
    check_animation(&g, keys, fps);
    check_bounds(&g);
    assert_int_equal(find_node(&g, "nothing"), -1);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    for (int k = 0; k < keys; k += 7) {
        hf_motion_pose(motion, creature, k / fps, &pose);
        hf_forward(creature, &pose, links);
        for (int i = 0; i < view->link_count; i++) {
            int node = find_node(&g, view->links[i].name);
            assert_int_equal(node, i);
            assert_near(hf_distance(to_world(node_pose(&g, node, k).position), links[i].position), 0, 2e-6);
        }
        hf_motion_place_at(motion, k / fps, placement);
        for (int o = 0; o < 3; o++) {
            hf_transform at = node_pose(&g, find_node(&g, hf_scene_object(scene, o).name), k);
            hf_transform expected = hf_placement_pose(placement, o);
            assert_near(hf_distance(to_world(at.position), expected.position), 0, 2e-6);
            hf_vec3 tip = to_world(hf_rotate(at.rotation, hf_v3(0, 0, 1)));
            assert_near(hf_distance(tip, hf_rotate(expected.rotation, hf_v3(0, 0, 1))), 0, 2e-6);
        }
    }
    write_expected(creature, motion, name, fps, keys);
    /* The same motion as BVH, for Blender. */
    snprintf(file, sizeof file, "%s.bvh", name);
    assert_int_equal(hf_motion_export(motion, creature, &options, test_path(file), &error), HF_OK);
    close_glb(&g);
    free(links);
    free(q);
    hf_motion_free(motion);
    hf_placement_free(placement);
    hf_scene_free(scene);
}

static void test_odd_creature(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    export_and_compare(creature, "gltf-odd", 30, 30);
    hf_creature_free(creature);
}

static void test_human(void** state) {
    (void)state;
    hf_creature* creature;
    hf_error error = {0};
    if (hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &error) != HF_OK)
        fail_msg("%s", error.message);
    /* Another rate than the motion's. */
    export_and_compare(creature, "gltf-human", 20, 50);
    hf_creature_free(creature);
}

/* One pose: no animation, nodes stand in it. */
static void test_single_pose(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    const hf_creature_view* view = hf_creature_get(creature);
    double q[32];
    hf_pose pose = {.q = q};
    smooth_pose(creature, 0.7, &pose);
    hf_motion* motion;
    hf_error error = {0};
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    assert_non_null(hf_motion_add(motion, 0, &pose));
    assert_int_equal(hf_motion_export(motion, creature, NULL, test_path("gltf-pose.glb"), &error), HF_OK);
    glb g = open_glb(test_path("gltf-pose.glb"));
    assert_null(json_object_get(g.json, "animations"));
    hf_transform links[16];
    hf_forward(creature, &pose, links);
    for (int i = 0; i < view->link_count; i++)
        assert_near(hf_distance(to_world(node_pose(&g, i, 0).position), links[i].position), 0, 2e-6);
    write_expected(creature, motion, "gltf-pose", 30, 1);
    close_glb(&g);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

/* Our own export is a skin, so it loads as a creature whose joints stand where the links were. */
static void test_own_skin(void** state) {
    (void)state;
    hf_creature *odd = load_odd_creature(), *back;
    hf_error error = {0};
    hf_load_options options = hf_load_options_default();
    options.unit_m = 1;
    const hf_creature_view* view = hf_creature_get(odd);
    double q[32];
    hf_pose pose = {.q = q};
    hf_pose_rest(odd, &pose);
    pose.root = hf_transform_identity();
    hf_motion* motion;
    assert_int_equal(hf_motion_create(odd, NULL, &motion), HF_OK);
    assert_non_null(hf_motion_add(motion, 0, &pose));
    assert_int_equal(hf_motion_export(motion, odd, NULL, test_path("skin.glb"), &error), HF_OK);
    if (hf_creature_load(test_path("skin.glb"), &options, &back, &error) != HF_OK)
        fail_msg("%s", error.message);
    const hf_creature_view* rig = hf_creature_get(back);
    assert_int_equal(rig->joint_count, 3 * (view->link_count - 1));
    hf_transform *links = calloc((size_t)view->link_count, sizeof *links),
                 *joints = calloc((size_t)rig->link_count, sizeof *joints);
    double* zero = calloc((size_t)rig->q_count, sizeof *zero);
    hf_pose rest = {hf_transform_identity(), zero};
    hf_forward(odd, &pose, links);
    hf_forward(back, &rest, joints);
    for (int i = 0; i < view->link_count; i++) {
        int link = hf_creature_find_link(back, view->links[i].name);
        assert_true(link >= 0);
        /* No name tells left from right, so the file's +Z, our -Y, is ahead: (x, y) becomes (-y, x). */
        hf_vec3 p = links[i].position, expected = hf_v3(-p.y, p.x, p.z);
        assert_near(hf_distance(joints[link].position, expected), 0, 1e-6);
    }
    free(links);
    free(joints);
    free(zero);
    hf_motion_free(motion);
    hf_creature_free(back);
    hf_creature_free(odd);
}

static void test_refused(void** state) {
    (void)state;
    const struct {
        const char *text, *says;
    } cases[] = {
        {"", "not valid JSON"},
        {"[]", "object"},
        {"{}", "\"nodes\" is missing"},
        {"{\"nodes\":[{}]}", "no skin"},
        {"{\"nodes\":[{}],\"skins\":[]}", "no skin"},
        {"{\"nodes\":[{}],\"skins\":[{\"joints\":[]}]}", "no skin has joints"},
        {"{\"nodes\":[{}],\"skins\":[{\"joints\":[1]}]}", "below 1"},
        {"{\"nodes\":[{}],\"skins\":[{\"joints\":[0.5]}]}", "below 1"},
        {"{\"nodes\":[{\"children\":[0]}],\"skins\":[{\"joints\":[0]}]}", "twice"},
        {"{\"nodes\":[{\"children\":[1]},{\"children\":[0]}],\"skins\":[{\"joints\":[0]}]}", "cycle"},
        {"{\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}],\"skins\":[{\"joints\":[0]}]}", "twice"},
        {"{\"nodes\":[{\"children\":[7]}],\"skins\":[{\"joints\":[0]}]}", "below 1"},
        {"{\"nodes\":[{\"translation\":[1,2]}],\"skins\":[{\"joints\":[0]}]}", "3 numbers"},
        {"{\"nodes\":[{\"matrix\":[1,2]}],\"skins\":[{\"joints\":[0]}]}", "16 numbers"},
        {"{\"nodes\":[{\"scale\":[1e300,1,1],\"children\":[1]},{\"scale\":[1e300,1,1]}],\"skins\":[{"
         "\"joints\":[0]}]}",
         "not finite"},
        {"{\"nodes\":[{}],\"skins\":[{\"joints\":[0]}]}", "large"},
        {"glTF\x02", "cut short"},
        {"glTF\x01xxxxxxxxxxxxxxxxxxxxxxxxxx", "version"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE* file = fopen(test_path("bad.gltf"), "wb");
        fwrite(cases[i].text, 1, strlen(cases[i].text), file);
        fclose(file);
        hf_creature* creature = (hf_creature*)1;
        hf_error error = {0};
        assert_int_equal(hf_creature_load(test_path("bad.gltf"), NULL, &creature, &error), HF_ERROR_FORMAT);
        assert_null(creature);
        if (!strstr(error.message, cases[i].says)) fail_msg("case %zu: %s", i, error.message);
    }
}

static void test_third_party(void** state) {
    (void)state;
    hf_creature* creature;
    hf_error error = {0};
    const char* path = third_party("gltf/InterpolationTest.glb");
    if (!path) skip();
    assert_int_equal(hf_creature_load(path, NULL, &creature, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "no skin"));
    const struct {
        const char *file, *root, *left, *right, *head;
        double tall;
    } rigs[] = {
        {"gltf/Fox.glb", "b_Hip_01", "b_LeftFoot01_017", "b_RightFoot01_021", "b_Head_05", 0.8},
        {"gltf/RiggedFigure.glb", "torso_joint_1", "leg_joint_L_3", "leg_joint_R_3", "neck_joint_2", 1.2},
    };
    for (int i = 0; i < 2; i++) {
        if (hf_creature_load(third_party(rigs[i].file), NULL, &creature, &error) != HF_OK)
            fail_msg("%s", error.message);
        const hf_creature_view* view = hf_creature_get(creature);
        assert_string_equal(view->links[0].name, rigs[i].root);
        hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
        double* q = calloc((size_t)view->q_count, sizeof *q);
        hf_pose pose = {hf_transform_identity(), q};
        hf_forward(creature, &pose, links);
        hf_vec3 left = links[hf_creature_find_link(creature, rigs[i].left)].position;
        hf_vec3 right = links[hf_creature_find_link(creature, rigs[i].right)].position;
        hf_vec3 head = links[hf_creature_find_link(creature, rigs[i].head)].position;
        /* Left at +Y, feet below the head, the size of such a thing. */
        assert_true(left.y > 0.03 && right.y < -0.03);
        assert_true(head.z > left.z + 0.2);
        assert_near(view->height, rigs[i].tall, 0.4);
        if (i == 0) assert_true(head.x > left.x + 0.2);
        /* The fox's bones have names of arms and stand on the ground. */
        const char* limbs[2][4] = {{"front_left_leg", "front_right_leg", "hind_left_leg", "hind_right_leg"},
                                   {"left_arm", "right_arm", "left_leg", "right_leg"}};
        for (int k = 0; k < 4; k++) {
            int limb = hf_creature_find_limb(creature, limbs[i][k]);
            assert_true(limb >= 0 && view->limbs[limb].use);
        }
        free(links);
        free(q);
        hf_creature_free(creature);
    }
}

/* ---- a rig that gets its motion back ---- */

/* A skeleton under an armature node, in centimetres, with a matrix, a node between two joints that is no
   joint, a buffer and a picture beside the file, an animation, and numbers of another program. */
static const char* const rig_text =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"name\":\"Armature\",\"rotation\":[0,0.6,0,0.8],\"translation\":[5,0,7],\"children\":[1]},"
    "{\"name\":\"hip\",\"translation\":[0,90,0],\"rotation\":[0.6,0,0,0.8],\"children\":[2,5,6]},"
    "{\"name\":\"left_thigh\",\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,9,-4,1,1],\"children\":[3]},"
    "{\"name\":\"between\",\"translation\":[0,-20,0],\"rotation\":[0,0,0.6,0.8],\"children\":[4]},"
    "{\"name\":\"left_shin\",\"translation\":[3,-20,2]},"
    "{\"name\":\"right_thigh\",\"translation\":[-9,-4,1]},"
    "{\"name\":\"chest\",\"translation\":[0,40,3],\"extras\":{\"mine\":1.5}}],"
    "\"skins\":[{\"joints\":[1,2,4,5,6]}],"
    "\"buffers\":[{\"byteLength\":16,\"uri\":\"rig.bin\"}],\"images\":[{\"uri\":\"rig.png\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":4},{\"buffer\":0,\"byteOffset\":4,\"byteLength\":12}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\",\"min\":[0],"
    "\"max\":[0]},{\"bufferView\":1,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],"
    "\"animations\":[{\"name\":\"motion\",\"samplers\":[{\"input\":0,\"output\":1}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]}]}";

/* Where a point of a node is in the world; matrices and scales count. */
static hf_vec3 point_of_node(const glb* g, int node, int key, hf_vec3 p) {
    const json_t* n = item(g->json, "nodes", node);
    double m[16];
    if (json_object_get(n, "matrix")) {
        for (int k = 0; k < 16; k++) m[k] = json_number_value(item(n, "matrix", k));
        p = hf_v3(m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12], m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
                  m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14]);
    } else {
        if (json_object_get(n, "scale"))
            p = hf_v3(p.x * json_number_value(item(n, "scale", 0)),
                      p.y * json_number_value(item(n, "scale", 1)),
                      p.z * json_number_value(item(n, "scale", 2)));
        p = hf_apply(local_pose(g, node, key), p);
    }
    int parent = parent_of(g, node);
    return parent < 0 ? p : point_of_node(g, parent, key, p);
}

/* Joints of the file stand where the links of the creature are, in every frame. */
static void compare_rig(const hf_creature* creature, const hf_motion* motion, const char* path,
                        double unit_m) {
    const hf_creature_view* view = hf_creature_get(creature);
    glb g = open_glb(path);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    int compared = 0;
    for (int f = 0; f < motion->frame_count; f++) {
        hf_pose pose = {motion->frames[f].root, motion->frames[f].q};
        hf_forward(creature, &pose, links);
        for (int i = 0; i < view->link_count; i++) {
            int node = find_node(&g, view->links[i].name);
            if (node < 0) continue; /* a link between the angles of one joint */
            hf_vec3 at = hf_scale(to_world(point_of_node(&g, node, f, hf_v3(0, 0, 0))), unit_m);
            assert_near(hf_distance(at, links[i].position), 0, 1e-5);
            compared++;
        }
    }
    assert_true(compared >= 4 * motion->frame_count);
    free(links);
    close_glb(&g);
}

static hf_motion* smooth_motion(const hf_creature* creature, int frames, double rate) {
    hf_motion* motion;
    hf_pose pose = {.q = calloc((size_t)hf_creature_get(creature)->q_count + 1, sizeof(double))};
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    for (int f = 0; f < frames; f++) {
        smooth_pose(creature, f / rate, &pose);
        assert_non_null(hf_motion_add(motion, f / rate, &pose));
    }
    free(pose.q);
    return motion;
}

/* The animation of a file, read as a clip, is the motion that was written: every link stands where it stood.
 */
static void compare_clip(const hf_motion* motion, const char* path, const char* name, double unit_m) {
    hf_clip_options options = hf_clip_options_default();
    hf_clip* clip = NULL;
    hf_creature* creature = NULL;
    hf_motion* back = NULL;
    hf_error error = {0};
    options.clip = name, options.unit_m = unit_m;
    if (hf_clip_open(path, &options, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    assert_string_equal(clip->name, name);
    assert_int_equal(clip->frame_count, motion->frame_count);
    if (hf_clip_creature(clip, &creature, &error) != HF_OK) fail_msg("%s", error.message);
    if (hf_clip_motion(clip, creature, &back, &error) != HF_OK) fail_msg("%s", error.message);
    int links = hf_creature_get(creature)->link_count;
    hf_transform *was = calloc((size_t)links, sizeof *was), *now = calloc((size_t)links, sizeof *now);
    for (int f = 0; f < motion->frame_count; f++) {
        hf_pose a = {motion->frames[f].root, motion->frames[f].q},
                b = {back->frames[f].root, back->frames[f].q};
        hf_forward(creature, &a, was);
        hf_forward(creature, &b, now);
        assert_near(back->frames[f].time_s, motion->frames[f].time_s, 1e-6);
        for (int i = 0; i < links; i++) {
            assert_near(hf_distance(was[i].position, now[i].position), 0, 1e-5);
        }
        assert_true(hf_pose_within_limits(creature, b.q, 1e-6));
    }
    free(was);
    free(now);
    hf_motion_free(back);
    hf_creature_free(creature);
    hf_clip_free(clip);
    /* A clip that is not there is told with those that are. */
    options.clip = "no such clip";
    assert_int_equal(hf_clip_open(path, &options, &clip, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, name));
    assert_null(clip);
}

static void test_rig_back(void** state) {
    (void)state;
    hf_creature *creature, *again;
    hf_error error = {0};
    FILE* file = fopen(test_path("rig.gltf"), "wb");
    fwrite(rig_text, 1, strlen(rig_text), file);
    fclose(file);
    hf_load_options load = hf_load_options_default();
    load.unit_m = 0.01;
    if (hf_creature_load(test_path("rig.gltf"), &load, &creature, &error) != HF_OK)
        fail_msg("%s", error.message);
    hf_motion* motion = smooth_motion(creature, 60, 120);
    hf_export_options options = hf_export_options_default();
    options.rig = test_path("rig.gltf");
    options.rig_unit_m = 0.01;
    const char* path = test_path("rig-back.glb");
    if (hf_motion_export(motion, creature, &options, path, &error) != HF_OK) fail_msg("%s", error.message);
    compare_rig(creature, motion, path, 0.01);
    glb g = open_glb(path);
    /* What was there is there; the motion is one animation more, at its own rate. */
    assert_int_equal(json_array_size(json_object_get(g.json, "nodes")), 7);
    assert_near(
        json_number_value(json_object_get(json_object_get(item(g.json, "nodes", 6), "extras"), "mine")), 1.5,
        0);
    assert_string_equal(json_string_value(json_object_get(item(g.json, "buffers", 1), "uri")), "rig.bin");
    assert_string_equal(json_string_value(json_object_get(item(g.json, "images", 0), "uri")), "rig.png");
    assert_int_equal(whole(item(g.json, "bufferViews", 1), "buffer"), 1);
    assert_int_equal(json_array_size(json_object_get(g.json, "animations")), 2);
    const json_t* made = item(g.json, "animations", 1);
    assert_string_equal(json_string_value(json_object_get(made, "name")), "motion 2");
    int input = whole(item(made, "samplers", 0), "input");
    assert_int_equal(whole(item(g.json, "accessors", input), "count"), 60);
    assert_near((double)number_at(&g, input, 59), 59 / 120.0, 1e-6);
    close_glb(&g);
    compare_clip(motion, path, "motion 2", 0.01);
    /* The file still makes the same creature. */
    assert_int_equal(hf_creature_load(path, &load, &again, &error), HF_OK);
    assert_int_equal(hf_creature_get(again)->joint_count, hf_creature_get(creature)->joint_count);
    hf_creature_free(again);
    /* A rig of another creature, a file that is no rig, and another kind of file are refused. */
    hf_creature* odd = load_odd_creature();
    hf_motion* other = smooth_motion(odd, 2, 30);
    assert_int_equal(hf_motion_export(other, odd, &options, path, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "not made from this file"));
    assert_int_equal(hf_motion_export(motion, creature, &options, "x.bvh", &error), HF_ERROR_ARGUMENT);
    options.rig = "human.urdf";
    assert_int_equal(hf_motion_export(motion, creature, &options, path, &error), HF_ERROR_ARGUMENT);
    hf_motion_free(other);
    hf_motion_free(motion);
    hf_creature_free(odd);
    hf_creature_free(creature);
}

static void test_third_party_back(void** state) {
    (void)state;
    if (!third_party("gltf")) skip();
    static const char* const files[] = {"gltf/Fox.glb", "gltf/RiggedFigure.glb"};
    static const double units[] = {0.01, 1};
    for (int i = 0; i < 2; i++) {
        hf_creature* creature;
        hf_error error = {0};
        assert_int_equal(hf_creature_load(third_party(files[i]), NULL, &creature, &error), HF_OK);
        hf_motion* motion = smooth_motion(creature, 5, 30);
        hf_export_options options = hf_export_options_default();
        options.rig = third_party(files[i]);
        const char* path = test_path("third-party-back.glb");
        if (hf_motion_export(motion, creature, &options, path, &error) != HF_OK)
            fail_msg("%s", error.message);
        compare_rig(creature, motion, path, units[i]);
        compare_clip(motion, path, "motion", units[i]);
        hf_motion_free(motion);
        hf_creature_free(creature);
    }
}

/* ---- clips of other programs ---- */

/* A mirrored thigh that turns, by two keys half a second apart, in a file beside this one whose name has a
   space; the animation's name is the number of another, which moves no node. */
static const char* const keys_text =
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":["
    "{\"name\":\"hip\",\"translation\":[0,0.9,0],\"scale\":[1,%g,1],\"children\":[1,3,5]},"
    "{\"name\":\"left_thigh\",\"translation\":[0.1,-0.05,0],\"scale\":[1,-1,1],\"children\":[2]},"
    "{\"name\":\"left_shin\",\"translation\":[0.1,0.4,0.05]},"
    "{\"name\":\"right_thigh\",\"translation\":[-0.1,-0.05,0],\"children\":[4]},"
    "{\"name\":\"right_shin\",\"translation\":[0,-0.4,0]},"
    "{\"name\":\"chest\",\"translation\":[0,0.4,0]}],\"skins\":[{\"joints\":[0,1,2,3,4,5]}],"
    "\"buffers\":[{\"byteLength\":40,\"uri\":\"my%%20keys.bin\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":32}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],\"animations\":["
    "{\"name\":\"shapes\",\"samplers\":[{\"input\":0,\"output\":0}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"weights\"}}]},"
    "{\"name\":\"0\",\"samplers\":[{\"input\":0,\"output\":1}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]}]}";
static const double KEYS_S = 0.5, KEYS_ANGLE = 3.14159265358979 / 3;

static const char* write_keys(double hip_scale) {
    float keys[10] = {
        0, (float)KEYS_S, 0, 0, 0, 1, (float)hf_sin(KEYS_ANGLE / 2), 0, 0, (float)hf_cos(KEYS_ANGLE / 2)};
    FILE* file = fopen(test_path("my keys.bin"), "wb");
    fwrite(keys, sizeof keys, 1, file);
    fclose(file);
    const char* path = test_path("keys.gltf");
    file = fopen(path, "wb");
    fprintf(file, keys_text, hip_scale);
    fclose(file);
    return path;
}

static hf_clip* open_number(const char* path, int number) {
    hf_clip_options options = hf_clip_options_default();
    hf_clip* clip = NULL;
    hf_error error = {0};
    options.number = number, options.unit_m = 1;
    if (hf_clip_open(path, &options, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    return clip;
}

static void test_keys(void** state) {
    (void)state;
    const char* path = write_keys(1);
    hf_clip* clip = open_number(path, 1);
    assert_string_equal(clip->name, "0");
    assert_int_equal(clip->warning_count, 0);
    /* At least 30 frames a second, however far the keys are apart. */
    assert_near(clip->frame_time_s, 1 / 30.0, 1e-9);
    assert_int_equal(clip->frame_count, 16);
    hf_transform joints[8];
    assert_true(clip->joint_count <= 8);
    int shin = 0;
    while (shin < clip->joint_count && strcmp(clip->joints[shin].name, "left_shin") != 0) shin++;
    assert_true(shin < clip->joint_count);
    for (int f = 0; f < clip->frame_count; f++) {
        /* The thigh's mirror holds below its turn: scale first, then turn, then place. */
        hf_quat turn = hf_quat_axis_angle(hf_v3(1, 0, 0), KEYS_ANGLE * f * clip->frame_time_s / KEYS_S);
        hf_vec3 at = hf_add(hf_v3(0.1, 0.85, 0), hf_rotate(turn, hf_v3(0.1, -0.4, 0.05)));
        hf_clip_forward(clip, f, joints);
        assert_near(hf_distance(joints[shin].position, to_world(at)), 0, 1e-5);
    }
    hf_clip_free(clip);
}

/* A name that is a number means the name, a number means the number; one that moves no node hides no other.
 */
static void test_clip_numbers(void** state) {
    (void)state;
    const char* path = write_keys(1);
    hf_clip_options options = hf_clip_options_default();
    hf_clip* clip = NULL;
    hf_error error = {0};
    int count = 0;
    assert_int_equal(hf_clip_count(path, &count, &error), HF_OK);
    assert_int_equal(count, 2);
    assert_int_equal(hf_clip_count(NULL, &count, &error), HF_ERROR_ARGUMENT);
    options.clip = "0";
    if (hf_clip_open(path, &options, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    assert_string_equal(clip->name, "0");
    hf_clip_free(clip);
    options.number = 0;
    assert_int_equal(hf_clip_open(path, &options, &clip, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "moves no node"));
    options.number = 2;
    assert_int_equal(hf_clip_open(path, &options, &clip, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "has no clip \"2\""));
}

/* The hip stretches what turns below it: the thigh is sheared, which is told once. */
static void test_sheared_clip(void** state) {
    (void)state;
    hf_clip* clip = open_number(write_keys(2), 1);
    int told = 0;
    for (int i = 0; i < clip->warning_count; i++) told += strstr(clip->warnings[i], "shear") != NULL;
    assert_int_equal(told, 1);
    hf_clip_free(clip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_creature), cmocka_unit_test(test_human),
        cmocka_unit_test(test_single_pose),  cmocka_unit_test(test_own_skin),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_third_party),
        cmocka_unit_test(test_rig_back),     cmocka_unit_test(test_third_party_back),
        cmocka_unit_test(test_keys),         cmocka_unit_test(test_clip_numbers),
        cmocka_unit_test(test_sheared_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
