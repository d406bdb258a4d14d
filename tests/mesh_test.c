/* Mesh readers: polygons, OBJ, STL, PLY, and what assimp reads in its child process. */
#include "test.h"
#include "base/random.h"
#include "geom/polygon.h"

#include <stdlib.h>

/* ---- Helpers ---- */

static const char* write_file(const char* name, const void* bytes, size_t size) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    return path;
}

static hf_status load_bytes(const char* name, const void* bytes, size_t size, hf_mesh* mesh, char** warnings,
                            hf_error* error) {
    return hf_mesh_load(write_file(name, bytes, size), mesh, warnings, error);
}

static hf_mesh must_load(const char* name, const char* text) {
    hf_mesh mesh;
    hf_error error = {0};
    char shown[1200];
    if (load_bytes(name, text, strlen(text), &mesh, NULL, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, shown, sizeof shown));
    return mesh;
}

static hf_vec3 corner(const hf_mesh* m, int triangle, int k) {
    const float* v = m->vertices + 3 * m->indices[3 * triangle + k];
    return hf_v3(v[0], v[1], v[2]);
}

static double mesh_area(const hf_mesh* m) {
    double sum = 0;
    for (int i = 0; i < m->triangle_count; i++)
        sum += hf_length(hf_cross(hf_sub(corner(m, i, 1), corner(m, i, 0)),
                                  hf_sub(corner(m, i, 2), corner(m, i, 0)))) /
               2;
    return sum;
}

/* Signed volume: of a closed mesh that faces outwards, its volume. */
static double mesh_volume(const hf_mesh* m) {
    double sum = 0;
    for (int i = 0; i < m->triangle_count; i++)
        sum += hf_dot(corner(m, i, 0), hf_cross(corner(m, i, 1), corner(m, i, 2))) / 6;
    return sum;
}

/* ---- Polygons ---- */

static double cross2(const double* a, const double* b, const double* c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Cuts a simple plane polygon that was turned and moved in space. Triangles of the right number, none turned
   over, whose areas sum up to the polygon's: that is a triangulation. */
static void check_cut(const double (*flat)[2], int n, hf_quat turn, bool exact) {
    hf_polygon p = {0};
    assert_true(hf_polygon_reserve(&p, n));
    double area = 0;
    for (int i = 0; i < n; i++) {
        p.points[i] = hf_add(hf_rotate(turn, hf_v3(flat[i][0], flat[i][1], 0)), hf_v3(5, -3, 2));
        int j = (i + 1) % n;
        area += flat[i][0] * flat[j][1] - flat[i][1] * flat[j][0];
    }
    assert_true(hf_polygon_cut(&p, n));
    double sum = 0;
    int* edges = calloc((size_t)n * (size_t)n, sizeof *edges);
    for (int i = 0; i < n - 2; i++) {
        const int* t = p.triangles + 3 * i;
        double twice = cross2(flat[t[0]], flat[t[1]], flat[t[2]]);
        assert_true(twice >= (exact ? 0 : -1e-12));
        sum += twice;
        for (int k = 0; k < 3; k++) edges[t[k] * n + t[(k + 1) % 3]]++;
    }
    assert_near(sum, area, 1e-9 * (1 + fabs(area)));
    /* Every outline edge once, every inner edge once in each direction. */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool outline = j == (i + 1) % n, back = i == (j + 1) % n;
            assert_int_equal(edges[i * n + j], outline ? 1 : back ? 0 : edges[j * n + i]);
        }
    free(edges);
    hf_polygon_free(&p);
}

static hf_quat random_turn(hf_random* r) {
    hf_quat q = {hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1),
                 hf_random_between(r, -1, 1)};
    return hf_quat_normalize(q);
}

static void polygons_are_cut(void** state) {
    (void)state;
    hf_random r = hf_random_start(3, 0, 0);
    /* Star-shaped about 0 with wild radii: simple, mostly concave. */
    for (int round = 0; round < 400; round++) {
        int n = 4 + (int)(hf_random_bits(&r) % 60);
        double flat[64][2];
        for (int i = 0; i < n; i++) {
            double angle = 2 * 3.14159265358979 * i / n, radius = hf_random_between(&r, 0.05, 1);
            flat[i][0] = radius * cos(angle);
            flat[i][1] = radius * sin(angle);
        }
        check_cut((const double(*)[2])flat, n, random_turn(&r), false);
    }
    /* A comb with straight stretches, and a frame whose hole is joined by a cut. */
    double comb[82][2];
    int n = 0;
    for (int i = 0; i < 20; i++) { comb[n][0] = i, comb[n++][1] = 0; }
    for (int i = 20; i-- > 0;) {
        comb[n][0] = i + 0.25, comb[n++][1] = 1;
        comb[n][0] = i, comb[n++][1] = i ? 9 : 10;
        comb[n][0] = i - 0.25, comb[n++][1] = 1;
    }
    check_cut((const double(*)[2])comb, n, hf_quat_identity(), true);
    const double frame[10][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0},
                                 {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};
    check_cut(frame, 10, hf_quat_identity(), true);
    for (int i = 0; i < 20; i++) check_cut(frame, 10, random_turn(&r), false);
}

static void large_and_crossing_polygons_end(void** state) {
    (void)state;
    /* A saw with as many teeth as is accepted: bounded work, right area. */
    enum { N = HF_POLYGON_MAX_CORNERS };
    hf_polygon p = {0};
    assert_true(hf_polygon_reserve(&p, N));
    p.points[0] = hf_v3(N, -1, 0);
    p.points[1] = hf_v3(N, 1, 0);
    for (int i = 2; i < N - 1; i++) p.points[i] = hf_v3(N - i, i % 2 ? 1 : 0, 0);
    p.points[N - 1] = hf_v3(0, -1, 0);
    assert_true(hf_polygon_cut(&p, N));
    double sum = 0, area = 0;
    for (int i = 0; i < N - 2; i++) {
        const int* t = p.triangles + 3 * i;
        hf_vec3 c = hf_cross(hf_sub(p.points[t[1]], p.points[t[0]]), hf_sub(p.points[t[2]], p.points[t[0]]));
        assert_true(c.z >= 0);
        sum += c.z;
    }
    for (int i = 0; i < N; i++) {
        hf_vec3 a = p.points[i], b = p.points[(i + 1) % N];
        area += a.x * b.y - a.y * b.x;
    }
    assert_near(sum, area, 1e-6 * area);
    assert_true(p.work < (int64_t)N * N * 2);
    /* A bow tie crosses itself: still two triangles with corners of it. */
    p.points[0] = hf_v3(0, 0, 0), p.points[1] = hf_v3(2, 2, 0), p.points[2] = hf_v3(2, 0, 0);
    p.points[3] = hf_v3(0, 1, 0);
    hf_polygon_cut(&p, 4);
    for (int i = 0; i < 6; i++) assert_in_range(p.triangles[i], 0, 3);
    hf_polygon_free(&p);
}

/* ---- OBJ ---- */

#define CUBE_V "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
#define CUBE_F "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

static void obj_forms_are_read(void** state) {
    (void)state;
    static const char* const cubes[] = {
        CUBE_V CUBE_F,
        CUBE_F CUBE_V, /* faces before their vertices */
        "\xef\xbb\xbf" CUBE_V "# comment \\\n" CUBE_F,
        "mtllib a.mtl\no cube\ng x y\nusemtl m\ns off\nvt 0 0\nvn 0 0 1\n" CUBE_V
        "f 4/1/1 3/1/1 2/1/1 1/1/1\nf 5//1 6//1 7//1 8//1\nf 1/1 2/1 6/1 5/1\nf 2/1/ 3/ 7// 6\nf -6 -5 -1 -2 "
        "# c\n"
        "f -5 \\\n  1/-1/-1 \\\r\n -4 8\n",
        "v 0 0 0 1\nv +1.0 -0 0.0e5 0.5 0.5 0.5\nv 1. 1. 0\nv .0 1 0 1 0 0\n\n  v\t0 0 1\nv 10e-1 0 1\nv 1 "
        "0.01E2 1\n"
        "v 0 1 1 nan nan nan\n" CUBE_F,
    };
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
        hf_mesh m = must_load("cube.obj", cubes[i]);
        assert_int_equal(m.vertex_count, 8);
        assert_int_equal(m.triangle_count, 12);
        assert_near(mesh_volume(&m), 1, 1e-6);
        assert_near(mesh_area(&m), 6, 1e-6);
        hf_mesh_free(&m);
        assert_null(m.vertices);
    }
    /* The same with other line ends. */
    for (int kind = 0; kind < 2; kind++) {
        char text[2048];
        size_t n = 0;
        for (const char* s = cubes[0]; *s; s++) {
            if (*s == '\n') text[n++] = '\r';
            if (*s != '\n' || kind == 0) text[n++] = *s;
        }
        text[n] = 0;
        hf_mesh m = must_load("cube.obj", text);
        assert_near(mesh_volume(&m), 1, 1e-6);
        hf_mesh_free(&m);
    }
}

static void obj_of_two_byte_letters_is_read(void** state) {
    (void)state;
    const char* text = CUBE_V CUBE_F;
    for (int big = 0; big < 2; big++) {
        char wide[2048];
        size_t n = 0;
        wide[n++] = (char)(big ? 0xfe : 0xff);
        wide[n++] = (char)(big ? 0xff : 0xfe);
        for (const char* s = text; *s; s++) {
            wide[n++] = big ? 0 : *s;
            wide[n++] = big ? *s : 0;
        }
        hf_mesh m;
        assert_int_equal(load_bytes("wide.obj", wide, n, &m, NULL, NULL), HF_OK);
        assert_near(mesh_volume(&m), 1, 1e-6);
        hf_mesh_free(&m);
        assert_int_equal(load_bytes("wide.obj", wide, n - 1, &m, NULL, NULL), HF_ERROR_FORMAT);
    }
}

static void obj_oddities_are_told(void** state) {
    (void)state;
    const char* text = CUBE_V "l 1 2\nl 1 2 3\np 4\nfoo 7\nf 1 2 3\nf 1 7 5 3 2\n";
    hf_mesh m;
    char* warnings;
    assert_int_equal(load_bytes("odd.obj", text, strlen(text), &m, &warnings, NULL), HF_OK);
    assert_non_null(warnings);
    assert_non_null(strstr(warnings, "2 line elements"));
    assert_non_null(strstr(warnings, "1 point elements"));
    assert_non_null(strstr(warnings, "\"foo\", in line 12"));
    /* Vertices 4, 6 and 8 belong to no triangle. */
    assert_int_equal(m.triangle_count, 4);
    assert_int_equal(m.vertex_count, 5);
    hf_text_free(warnings);
    hf_mesh_free(&m);
    /* Nothing odd: no text. Triangles without area stay. */
    text = "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 1\n";
    assert_int_equal(load_bytes("flat.obj", text, strlen(text), &m, &warnings, NULL), HF_OK);
    assert_null(warnings);
    assert_int_equal(m.triangle_count, 2);
    hf_mesh_free(&m);
}

/* ---- Bad input: name, contents, line (0: none), a part of the reason ---- */

typedef struct bad_case {
    const char* name;
    const char* text;
    int line;
    const char* reason;
} bad_case;

#define PLY_HEAD(format, v, f)                                                                               \
    "ply\nformat " format " 1.0\nelement vertex " v                                                          \
    "\nproperty float x\nproperty float y\nproperty float z\n"                                               \
    "element face " f "\nproperty list uchar int vertex_indices\nend_header\n"

static const bad_case bad_cases[] = {
    {"a.obj", "", 0, "no triangles"},
    {"a.obj", CUBE_V, 0, "no triangles"},
    {"a.obj", "v 1 2\n", 1, "three numbers"},
    {"a.obj", "v 1 2 x\n", 1, "\"x\" is not a finite number"},
    {"a.obj", "\nv 1 2 nan\n", 2, "\"nan\" is not a finite number"},
    {"a.obj", "v 1 2 inf\n", 1, "not a finite number"},
    {"a.obj", "v 1 2 3.1+e2\n", 1, "not a finite number"},
    {"a.obj", "v 1 2 1e39\n", 1, "too large"},
    {"a.obj", "v 1 2 1e999\n", 1, "not a finite number"},
    {"a.obj", CUBE_V "f 1 2 9\n", 9, "vertex 9 does not exist, there are 8"},
    {"a.obj", CUBE_V "f 1 2 0\n", 9, "vertex 0 does not exist"},
    {"a.obj", CUBE_V "f 1 2 -9\n", 9, "vertex -9 does not exist"},
    {"a.obj", CUBE_V "f 1 2 99999999999999999999\n", 9, "does not exist"},
    {"a.obj", CUBE_V "f 1 2\n", 9, "2 corners"},
    {"a.obj", CUBE_V "f\n", 9, "0 corners"},
    {"a.obj", CUBE_V "f 1 2 3x\n", 9, "\"3x\" is not a corner"},
    {"a.obj", CUBE_V "f 1 2 3/1/1/1\n", 9, "is not a corner"},
    {"a.obj", CUBE_V "f 1 2 /1\n", 9, "is not a corner"},
    {"a.obj", CUBE_V "f 1 \\\n 2 \\\n 10\n", 11, "vertex 10 does not exist"},
    {"a.stl", "", 0, "is empty"},
    {"a.stl", "x", 0, "no STL"},
    {"a.stl", "solid\nendsolid\n", 0, "no triangles"},
    {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", 6,
     "\"endloop\" stands where \"vertex\""},
    {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", 4,
     "\"nan\" stands where a finite"},
    {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e39\n", 4, "a finite number"},
    {"a.stl", "solid a\nfacet 1 2 3 4 5 6\n", 2, "\"outer loop\""},
    {"a.stl", "solid a\nfast\n", 2, "\"fast\" stands where \"facet\" or \"endsolid\""},
    {"a.ply", "", 0, "is no PLY"},
    {"a.ply", "plyx\n", 1, "is no PLY"},
    {"a.ply", "ply\n", 1, "header does not end"},
    {"a.ply", "ply\nend_header\n", 2, "no format"},
    {"a.ply", "ply\nformat ascii 2.0\n", 2, "version 1.0"},
    {"a.ply", "ply\nformat text 1.0\n", 2, "must be ascii"},
    {"a.ply", "ply\nformat ascii 1.0\nproperty int a\n", 3, "before any element"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex -1\n", 3, "a name and a count"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1e3\n", 3, "a name and a count"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty long x\n", 4, "not understood"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\n", 4, "not understood"},
    {"a.ply", "ply\nformat ascii 1.0\nelephant\n", 3, "\"elephant\" is no header word"},
    {"a.ply", "ply\nformat ascii 1.0\nend_header\n", 0, "no vertices"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", 0,
     "no triangles"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face 0\nend_header\n1\n", 3,
     "no number \"y\""},
    {"a.ply", PLY_HEAD("ascii", "3", "0") "0 0 0 1 0 0 0 1 0\n", 0, "no triangles"},
    {"a.ply", PLY_HEAD("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 13, "vertex 3 does not exist"},
    {"a.ply", PLY_HEAD("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", 13,
     "vertex 1.5 does not exist"},
    {"a.ply", PLY_HEAD("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", 0, "ends inside"},
    {"a.ply", PLY_HEAD("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", 13, "length of a list"},
    {"a.ply", PLY_HEAD("ascii", "3", "1") "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", 11, "\"nan\" is not a finite"},
    {"a.ply", PLY_HEAD("ascii", "1000000000000", "1") "0 0 0\n", 3, "do not fit into the file"},
    {"a.ply", PLY_HEAD("ascii", "3", "9") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 7, "do not fit into the file"},
    {"a.ply", PLY_HEAD("binary_little_endian", "99", "1") "0 0 0\n", 3, "do not fit into the file"},
    {"a.ply",
     PLY_HEAD("binary_little_endian", "1",
              "1") "\x01\x02\x03\x04\x01\x02\x03\x04\x01\x02\x80\x7f\x01\x02\x03\x04",
     0, "coordinate is"},
};

static void bad_text_is_refused_with_its_place(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case* c = &bad_cases[i];
        hf_mesh m;
        hf_error e = {0};
        char* warnings = (char*)1;
        hf_status status = load_bytes(c->name, c->text, strlen(c->text), &m, &warnings, &e);
        if (status != HF_ERROR_FORMAT || !strstr(e.message, c->reason) || (c->line && e.line != c->line) ||
            !strstr(e.file, c->name))
            fail_msg("case %zu: status %d, %s:%d: %s, but line %d: %s is expected", i, (int)status, e.file,
                     e.line, e.message, c->line, c->reason);
        assert_null(m.vertices);
        assert_null(m.indices);
        assert_int_equal(m.triangle_count, 0);
        assert_null(warnings);
    }
}

static void missing_files_and_folders_are_refused(void** state) {
    (void)state;
    static const char* const names[] = {"none.obj", "none.stl", "none.ply", "none.dae", "none"};
    hf_mesh m;
    hf_error e;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/no-such-folder/%s", test_folder(), names[i]);
        assert_int_equal(hf_mesh_load(path, &m, NULL, &e), HF_ERROR_FILE);
        assert_string_equal(e.file, path);
    }
    assert_int_equal(hf_mesh_load(test_folder(), &m, NULL, &e), HF_ERROR_FILE);
    hf_mesh_free(&m);
    hf_mesh_free(NULL);
    hf_text_free(NULL);
}

static void faces_beyond_the_limit_are_refused(void** state) {
    (void)state;
    size_t n = 0, room = 8 * HF_POLYGON_MAX_CORNERS;
    char* text = malloc(room);
    n += (size_t)snprintf(text, room, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf");
    for (int i = 0; i <= HF_POLYGON_MAX_CORNERS; i++)
        n += (size_t)snprintf(text + n, room - n, " %d", 1 + i % 3);
    hf_mesh m;
    hf_error e;
    assert_int_equal(load_bytes("many.obj", text, n, &m, NULL, &e), HF_ERROR_LIMIT);
    assert_int_equal(e.line, 4);
    free(text);
}

/* ---- STL ---- */

/* A tetrahedron with volume 1/6; header says what it likes. */
static size_t binary_tetrahedron(const char* header, char bytes[284]) {
    static const float p[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    memset(bytes, ' ', 284);
    memcpy(bytes, header, strlen(header));
    uint32_t count = 4;
    memcpy(bytes + 80, &count, 4);
    for (int i = 0; i < 4; i++) {
        memset(bytes + 84 + 50 * i, 0xff, 12); /* a normal of NaN does no harm */
        for (int k = 0; k < 3; k++) memcpy(bytes + 84 + 50 * i + 12 + 12 * k, p[faces[i][k]], 12);
    }
    return 284;
}

static void binary_stl_is_told_by_its_size(void** state) {
    (void)state;
    char bytes[300];
    static const char* const headers[] = {"binary", "solid made by someone", "solid\nfacet normal"};
    for (size_t i = 0; i < 3; i++) {
        size_t n = binary_tetrahedron(headers[i], bytes);
        hf_mesh m;
        assert_int_equal(load_bytes("t.stl", bytes, n, &m, NULL, NULL), HF_OK);
        assert_int_equal(m.vertex_count, 4);
        assert_int_equal(m.triangle_count, 4);
        assert_near(mesh_volume(&m), 1.0 / 6, 1e-7);
        hf_mesh_free(&m);
        /* Cut anywhere it is refused. */
        for (size_t cut = 0; cut < n; cut++) {
            hf_error e = {0};
            hf_status status = load_bytes("t.stl", bytes, cut, &m, NULL, &e);
            if (status != HF_ERROR_FORMAT) fail_msg("cut to %zu bytes it loads", cut);
            assert_true(e.message[0]);
        }
    }
    /* Bytes behind the triangles are left out with a warning. */
    size_t n = binary_tetrahedron("binary", bytes);
    memset(bytes + n, 7, 5);
    hf_mesh m;
    char* warnings;
    assert_int_equal(load_bytes("t.stl", bytes, n + 5, &m, &warnings, NULL), HF_OK);
    assert_non_null(strstr(warnings, "5 bytes"));
    hf_text_free(warnings);
    hf_mesh_free(&m);
    /* A coordinate that is no number is named by its triangle. */
    memset(bytes + 84 + 50 * 2 + 12, 0xff, 4);
    hf_error e;
    assert_int_equal(load_bytes("t.stl", bytes, n, &m, NULL, &e), HF_ERROR_FORMAT);
    assert_string_equal(e.field, "triangle 3");
    /* Four milliard triangles are not there. */
    binary_tetrahedron("binary", bytes);
    memset(bytes + 80, 0xff, 4);
    assert_int_equal(load_bytes("t.stl", bytes, n, &m, NULL, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "4294967295 triangles need"));
}

static void ascii_stl_is_read(void** state) {
    (void)state;
    const char* text =
        "  solid a facet that is a name\n"
        " facet normal nan nan nan\n  outer loop\n   vertex 0 0 0\n   vertex 0 1 0\n   vertex 1 0 0\n"
        "  endloop\n endfacet\nFACET NORMAL 0 0 0 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 0 1\r\n"
        "ENDLOOP ENDFACET\nendsolid a\nsolid\n"
        "facet\nouter loop\nvertex -0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
        "facet normal 1 1 1\nouter loop\nvertex 1e0 0 0\nvertex 0 1.0 0\nvertex 0 0 +1\nendloop\nendfacet\n"
        "endsolid";
    hf_mesh m = must_load("t.stl", text);
    assert_int_equal(m.vertex_count, 4);
    assert_int_equal(m.triangle_count, 4);
    assert_near(mesh_volume(&m), 1.0 / 6, 1e-7);
    hf_mesh_free(&m);
    /* Only at the end of the first solid can it be cut without notice. */
    size_t n = strlen(text), first = (size_t)(strstr(text, "endsolid a") - text);
    for (size_t cut = 0; cut < n; cut++) {
        bool whole = cut >= first + 8 && cut < first + 16 && cut != first + 15;
        hf_status status = load_bytes("t.stl", text, cut, &m, NULL, NULL);
        if (cut == first + 8 || cut == first + 9 || cut == first + 10 || cut == first + 11) {
            assert_int_equal(status, HF_OK);
            hf_mesh_free(&m);
        } else if (!whole) {
            if (status == HF_OK) fail_msg("cut to %zu bytes it loads", cut);
        }
    }
}

/* ---- PLY: written in many shapes, read back ---- */

typedef struct ply_writer {
    char bytes[65536];
    size_t size;
    int format; /* 0 ascii, 1 little, 2 big */
} ply_writer;

__attribute__((format(printf, 2, 3))) static void put_text(ply_writer* w, const char* format, ...) {
    va_list args;
    va_start(args, format);
    w->size += (size_t)vsnprintf(w->bytes + w->size, sizeof w->bytes - w->size, format, args);
    va_end(args);
}

static const char* const type_names[8][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                             {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                             {"float", "float32"}, {"double", "float64"}};

static void put_number(ply_writer* w, int type, double value) {
    static const int sizes[8] = {1, 1, 2, 2, 4, 4, 4, 8};
    if (w->format == 0) {
        put_text(w, "%.9g%s", value, value > 0.5 ? "\n" : " ");
        return;
    }
    int64_t whole = (int64_t)value;
    float f = (float)value;
    unsigned char b[8];
    if (type < 6) memcpy(b, &whole, 8);
    if (type == 6) memcpy(b, &f, 4);
    if (type == 7) memcpy(b, &value, 8);
    for (int i = 0; i < sizes[type]; i++)
        w->bytes[w->size++] = (char)b[w->format == 2 ? sizes[type] - 1 - i : i];
}

static void ply_round_trips_in_every_shape(void** state) {
    (void)state;
    static ply_writer w;
    static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int round = 0; round < 300; round++) {
        hf_random r = hf_random_start(11, 0, (uint64_t)round);
        w.size = 0;
        w.format = round % 3;
        int vertices = 3 + (int)(hf_random_bits(&r) % 40), faces = 1 + (int)(hf_random_bits(&r) % 40);
        int coordinate = hf_random_bits(&r) % 2 ? 6 : 7, list = (int)(hf_random_bits(&r) % 6);
        int index = (int)(hf_random_bits(&r) % 6), extra = (int)(hf_random_bits(&r) % 8);
        bool faces_first = hf_random_bits(&r) % 2;
        int order[4] = {0, 1, 2, 3}; /* x y z extra */
        for (int i = 3; i > 0; i--) {
            int j = (int)(hf_random_bits(&r) % (uint32_t)(i + 1)), swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        const char* end = hf_random_bits(&r) % 2 ? "\n" : "\r\n";
        put_text(&w, "ply%scomment made for a test%sformat %s 1.0%s", end, end, formats[w.format], end);
        for (int part = 0; part < 3; part++) {
            int what = faces_first ? 2 - part : part;
            if (what == 0) {
                put_text(&w, "element vertex %d%s", vertices, end);
                for (int i = 0; i < 4; i++)
                    put_text(&w, "property %s %c%s",
                             type_names[order[i] < 3 ? coordinate : extra][hf_random_bits(&r) % 2],
                             "xyzw"[order[i]], end);
            } else if (what == 1) {
                put_text(&w, "element junk 2%sproperty list uchar %s a%sproperty short b%s", end,
                         type_names[extra][0], end, end);
            } else {
                put_text(&w, "element face %d%sproperty uchar flag%sproperty list %s %s %s%s", faces, end,
                         end, type_names[list][0], type_names[index][0],
                         hf_random_bits(&r) % 2 ? "vertex_index" : "vertex_indices", end);
            }
        }
        put_text(&w, "end_header%s", end);
        float places[64][3];
        int corners[64][3];
        for (int i = 0; i < vertices; i++)
            for (int k = 0; k < 3; k++) places[i][k] = (float)hf_random_between(&r, -1, 1);
        for (int i = 0; i < faces; i++)
            for (int k = 0; k < 3; k++) corners[i][k] = (int)(hf_random_bits(&r) % (uint32_t)vertices);
        for (int part = 0; part < 3; part++) {
            int what = faces_first ? 2 - part : part;
            for (int i = 0; what == 0 && i < vertices; i++)
                for (int k = 0; k < 4; k++)
                    put_number(&w, order[k] < 3 ? coordinate : extra,
                               order[k] < 3 ? (double)places[i][order[k]] : 7);
            for (int i = 0; what == 1 && i < 2; i++) {
                put_number(&w, 1, 5 * i);
                for (int k = 0; k < 5 * i; k++) put_number(&w, extra, k);
                put_number(&w, 2, 3);
            }
            for (int i = 0; what == 2 && i < faces; i++) {
                put_number(&w, 1, 9);
                put_number(&w, list, 3);
                for (int k = 0; k < 3; k++) put_number(&w, index, corners[i][k]);
            }
        }
        hf_mesh m;
        hf_error e = {0};
        char* warnings;
        hf_status status = load_bytes("r.ply", w.bytes, w.size, &m, &warnings, &e);
        if (status != HF_OK) fail_msg("round %d: line %d: %s: %s", round, e.line, e.field, e.message);
        assert_null(warnings);
        assert_int_equal(m.triangle_count, faces);
        for (int i = 0; i < faces; i++)
            for (int k = 0; k < 3; k++) {
                const float* v = m.vertices + 3 * m.indices[3 * i + k];
                assert_memory_equal(v, places[corners[i][k]], sizeof places[0]);
            }
        hf_mesh_free(&m);
        /* Without its last number it is refused. */
        size_t cut = w.size - 4 - hf_random_bits(&r) % 20;
        if (!faces_first) assert_int_equal(load_bytes("r.ply", w.bytes, cut, &m, NULL, &e), HF_ERROR_FORMAT);
    }
}

static void ply_polygons_are_cut(void** state) {
    (void)state;
    /* An L of area 3. */
    hf_mesh m = must_load(
        "l.ply", PLY_HEAD("ascii", "6", "1") "0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\n6 0 1 2 3 4 5\n");
    assert_int_equal(m.triangle_count, 4);
    assert_near(mesh_area(&m), 3, 1e-6);
    hf_mesh_free(&m);
    /* A zero byte in the header is no reason to go on for ever. */
    static const char zero[] = "ply\nformat ascii 1.0\nelement \0\0 1\nend_header\n";
    assert_int_equal(load_bytes("z.ply", zero, sizeof zero, &m, NULL, NULL), HF_ERROR_FORMAT);
}

/* ---- assimp ---- */

#define DAE_HEAD                                                                                             \
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "                \
    "version=\"1.4.1\"><asset>"
#define DAE_GEOMETRY                                                                                         \
    "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">0 0 "  \
    "0 1 0 0 "                                                                                               \
    "0 1 0 0 0 1</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\"><param "    \
    "name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "                        \
    "type=\"float\"/></accessor>"                                                                            \
    "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>" \
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 0 3 2 1 "  \
    "2 3</p>"                                                                                                \
    "</triangles></mesh></geometry></library_geometries>"
#define DAE_SCENE(inside)                                                                                    \
    "<library_visual_scenes><visual_scene id=\"s\">" inside "</visual_scene></library_visual_scenes><scene>" \
    "<instance_visual_scene url=\"#s\"/></scene></COLLADA>"
#define DAE_GEO "<instance_geometry url=\"#g\"/>"

static void bounds(const hf_mesh* m, float low[3], float high[3]) {
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < 3 * m->vertex_count; i++) {
        low[i % 3] = fminf(low[i % 3], m->vertices[i]);
        high[i % 3] = fmaxf(high[i % 3], m->vertices[i]);
    }
}

static void dae_unit_and_up_axis_count(void** state) {
    (void)state;
    static const char* const ups[] = {"X", "Y", "Z"};
    for (int i = 0; i < 3; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 DAE_HEAD "<unit meter=\"0.01\"/><up_axis>%s_UP</up_axis></asset>" DAE_GEOMETRY DAE_SCENE(
                     "<node><translate>100 0 0</translate><node><scale>2 3 4</scale>" DAE_GEO
                     "</node></node>"),
                 ups[i]);
        hf_mesh m;
        char* warnings;
        hf_error e = {0};
        if (load_bytes("t.dae", text, strlen(text), &m, &warnings, &e) != HF_OK) fail_msg("%s", e.message);
        assert_int_equal(m.triangle_count, 4);
        assert_int_equal(m.vertex_count, 4);
        float low[3], high[3];
        bounds(&m, low, high);
        // in the file's axes: 1 to 1.02 along X, 0 to 0.03 along Y, 0 to 0.04 along Z
        const float want_low[3][3] = {{-0.03f, -0.04f, 1}, {1, -0.04f, 0}, {1, 0, 0}};
        const float want_high[3][3] = {{0, 0, 1.02f}, {1.02f, 0, 0.03f}, {1.02f, 0.03f, 0.04f}};
        for (int k = 0; k < 3; k++) {
            assert_near(low[k], want_low[i][k], 1e-6);
            assert_near(high[k], want_high[i][k], 1e-6);
        }
        assert_near(mesh_volume(&m), 24e-6 / 6, 1e-9);
        assert_null(warnings);
        hf_text_free(warnings);
        hf_mesh_free(&m);
    }
}

static void mirrored_nodes_still_face_outwards(void** state) {
    (void)state;
    hf_mesh m = must_load("m.dae", DAE_HEAD "</asset>" DAE_GEOMETRY DAE_SCENE(
                                       "<node><scale>-1 1 1</scale>" DAE_GEO
                                       "</node><node><translate>5 0 0</translate>" DAE_GEO "</node>"));
    assert_int_equal(m.triangle_count, 8);
    assert_near(mesh_volume(&m), 2.0 / 6, 1e-6);
    hf_mesh_free(&m);
}

static void what_assimp_cannot_read_is_refused(void** state) {
    (void)state;
    char garbage[4096];
    hf_random r = hf_random_start(5, 0, 0);
    for (size_t i = 0; i < sizeof garbage; i++) garbage[i] = (char)hf_random_bits(&r);
    static const char* const names[] = {"g.dae", "g.glb", "g.gltf", "g.fbx", "g.3ds", "g.xyz", "g"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hf_mesh m;
        hf_error e = {0};
        assert_int_equal(load_bytes(names[i], garbage, sizeof garbage, &m, NULL, &e), HF_ERROR_FORMAT);
        assert_non_null(strstr(e.message, "assimp could not read: "));
        assert_null(m.vertices);
    }
    /* Nodes nested a million deep end the child by its stack, not the caller. */
    const char *head = DAE_HEAD "</asset>" DAE_GEOMETRY "<library_visual_scenes><visual_scene id=\"s\">",
               *tail = "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
                       "url=\"#s\"/></scene></COLLADA>";
    enum { DEEP = 1000000 };
    char* text = malloc(DEEP * 13 + 4096);
    char* to = stpcpy(text, head);
    for (int i = 0; i < DEEP; i++) to = stpcpy(to, "<node>");
    for (int i = 0; i < DEEP; i++) to = stpcpy(to, "</node>");
    to = stpcpy(to, tail);
    hf_mesh m;
    hf_error e = {0};
    assert_int_equal(load_bytes("deep.dae", text, (size_t)(to - text), &m, NULL, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "assimp could not read: "));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_are_cut),
        cmocka_unit_test(large_and_crossing_polygons_end),
        cmocka_unit_test(obj_forms_are_read),
        cmocka_unit_test(obj_of_two_byte_letters_is_read),
        cmocka_unit_test(obj_oddities_are_told),
        cmocka_unit_test(bad_text_is_refused_with_its_place),
        cmocka_unit_test(missing_files_and_folders_are_refused),
        cmocka_unit_test(faces_beyond_the_limit_are_refused),
        cmocka_unit_test(binary_stl_is_told_by_its_size),
        cmocka_unit_test(ascii_stl_is_read),
        cmocka_unit_test(ply_round_trips_in_every_shape),
        cmocka_unit_test(ply_polygons_are_cut),
        cmocka_unit_test(dae_unit_and_up_axis_count),
        cmocka_unit_test(mirrored_nodes_still_face_outwards),
        cmocka_unit_test(what_assimp_cannot_read_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
