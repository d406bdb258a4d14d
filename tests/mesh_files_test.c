/* Mesh files that others made: their triangles counted without the reader. */
#include "test.h"

static void third_party_scenes_load(void** state) {
    (void)state;
    static const char* const names[] = {"chair.stl",  "stair_bauzil.stl", "cave_simplified.stl",
                                        "darpa.stl",  "rubbles_4.stl",    "ground_table.stl",
                                        "wall_1.obj", "wall_2.obj"};
    if (!third_party("")) skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char inner[256];
        snprintf(inner, sizeof inner, "scenes/%s", names[i]);
        const char* path = third_party(inner);
        /* Counted here without the reader: the number in the header, or the lines that begin with f. */
        FILE* f = fopen(path, "rb");
        assert_non_null(f);
        uint32_t count = 0;
        if (strstr(path, ".stl")) {
            assert_int_equal(fseek(f, 80, SEEK_SET), 0);
            assert_int_equal(fread(&count, 4, 1, f), 1);
        } else {
            char line[1024];
            while (fgets(line, sizeof line, f)) count += line[0] == 'f' && line[1] == ' ';
        }
        fclose(f);
        hf_mesh m;
        hf_error e = {0};
        if (hf_mesh_load(path, &m, NULL, &e) != HF_OK) fail_msg("%s: %s", names[i], e.message);
        assert_int_equal(m.triangle_count, count);
        hf_mesh_free(&m);
        hf_scene* scene;
        if (hf_scene_load_mesh(path, &scene, NULL, &e) != HF_OK) fail_msg("%s: %s", names[i], e.message);
        assert_int_equal(hf_scene_object(scene, 0).mesh.triangle_count, count);
        assert_int_equal(strncmp(names[i], hf_scene_object(scene, 0).name, strlen(names[i]) - 4), 0);
        hf_scene_free(scene);
    }
}

static void third_party_odd_meshes_load_or_say_why(void** state) {
    (void)state;
    static const struct {
        const char* name;
        int triangles; /* 0: refused */
        const char* reason;
    } cases[] = {
        {"OBJ/box.obj", 12, NULL},
        {"OBJ/box_UTF16BE.obj", 12, NULL},
        {"OBJ/box_longline.obj", -1, NULL},
        {"OBJ/box_mat_with_spaces.obj", 12, NULL},
        {"OBJ/box_without_lineending.obj", 12, NULL},
        {"OBJ/concave_polygon.obj", 64, NULL},
        {"OBJ/cube_mtllib_after_g.obj", 12, NULL},
        {"OBJ/cube_usemtl.obj", 12, NULL},
        {"OBJ/cube_with_vertexcolors.obj", 12, NULL},
        {"OBJ/cube_with_vertexcolors_uni.obj", 12, NULL},
        {"OBJ/empty_mat.obj", 256, NULL},
        {"OBJ/mtl_different_folder.obj", 12, NULL},
        {"OBJ/multiple_spaces.obj", 1, NULL},
        {"OBJ/number_formats.obj", 0, "3.1+e2"},
        {"OBJ/only_a_part_of_vertexcolors.obj", 3, NULL},
        {"OBJ/point_cloud.obj", 0, "no triangles"},
        {"OBJ/regr_3429812.obj", 4, NULL},
        {"OBJ/space_in_material_name.obj", 64, NULL},
        {"OBJ/spider.obj", 1368, NULL},
        {"OBJ/testline.obj", 0, "no triangles"},
        {"OBJ/testmixed.obj", 12, NULL},
        {"OBJ/testpoints.obj", 0, "no triangles"},
        {"invalid/empty.obj", 0, "no triangles"},
        {"invalid/malformed.obj", 0, "vertex 12 does not exist"},
        {"invalid/malformed2.obj", 0, "0 corners"},
    };
    if (!third_party("")) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char inner[256];
        snprintf(inner, sizeof inner, "odd-meshes/assimp/%s", cases[i].name);
        hf_mesh m;
        hf_error e = {0};
        hf_status status = hf_mesh_load(third_party(inner), &m, NULL, &e);
        if ((status == HF_OK) != (cases[i].triangles != 0)) fail_msg("%s: %s", inner, e.message);
        if (status == HF_OK && cases[i].triangles > 0) assert_int_equal(m.triangle_count, cases[i].triangles);
        if (status != HF_OK) assert_non_null(strstr(e.message, cases[i].reason));
        hf_mesh_free(&m);
    }
}

/* Triangle counts and sizes as the glTF files' accessors state them. */
static void third_party_gltf_loads(void** state) {
    (void)state;
    static const struct {
        const char* name;
        int triangles;
    } cases[] = {{"gltf/Fox.glb", 1728 / 3}, {"gltf/RiggedFigure.glb", 768 / 3}};
    if (!third_party("")) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_mesh m;
        hf_error e = {0};
        if (hf_mesh_load(third_party(cases[i].name), &m, NULL, &e) != HF_OK) fail_msg("%s", e.message);
        assert_int_equal(m.triangle_count, cases[i].triangles);
        hf_mesh_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_party_scenes_load),
        cmocka_unit_test(third_party_odd_meshes_load_or_say_why),
        cmocka_unit_test(third_party_gltf_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
