/* Pictures. Oracles: the outline of a ball by its own equation, the same picture on any number of threads,
   libpng's reader, what is seen of a creature with and without walls around it. */
#include "test.h"
#include "base/memory.h"
#include "render/camera.h"
#include "render/layer.h"
#include "render/lettering.h"

#include <stdlib.h>
#include <png.h>

static void draw(const hf_picture_moment* moments, int count, const hf_picture_options* o, hf_picture* p) {
    hf_error e;
    char text[1024];
    if (hf_render(moments, count, o, NULL, NULL, p, &e) != HF_OK)
        fail_msg("%s", hf_error_text(&e, text, sizeof text));
}

static const uint8_t* pixel_of(const hf_picture* p, int x, int y) {
    return p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
}

/* Creatures are painted in strong colours, scenes and ground in pale ones. */
static bool is_strong(const uint8_t* c) {
    int high = c[0] > c[1] ? c[0] : c[1], low = c[0] < c[1] ? c[0] : c[1];
    high = c[2] > high ? c[2] : high, low = c[2] < low ? c[2] : low;
    return high - low > 60;
}

typedef struct world {
    hf_scene* scene;
    hf_placement* placement;
} world;

static world build_world(const hf_mesh* meshes, int count) {
    static const char* const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    hf_object_def defs[8];
    world w;
    for (int i = 0; i < count; i++) {
        defs[i] = hf_object_def_default();
        defs[i].name = names[i];
        defs[i].mesh = meshes[i];
        defs[i].start = hf_transform_identity();
    }
    assert_int_equal(hf_scene_build(defs, count, &w.scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    return w;
}

static void free_world(world* w) {
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
}

static void free_mesh(hf_mesh* m) {
    hf_free(m->vertices);
    hf_free(m->indices);
}

/* A box from low to high; inward when its faces are turned. */
static hf_mesh box_mesh(hf_vec3 low, hf_vec3 high, bool inward) {
    hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = hf_scale(hf_sub(high, low), 0.5)};
    hf_mesh m;
    assert_int_equal(hf_shape_mesh(&box, 8, &m), HF_OK);
    hf_vec3 c = hf_lerp(low, high, 0.5);
    for (int i = 0; i < 8; i++)
        m.vertices[3 * i] += (float)c.x, m.vertices[3 * i + 1] += (float)c.y,
            m.vertices[3 * i + 2] += (float)c.z;
    for (int t = 0; t < 12 && inward; t++) {
        uint32_t swap = m.indices[3 * t];
        m.indices[3 * t] = m.indices[3 * t + 1], m.indices[3 * t + 1] = swap;
    }
    return m;
}

typedef struct subject {
    hf_creature* creature;
    hf_pose pose;
} subject;

static subject load_human(void) {
    subject s;
    hf_error e;
    char text[1024];
    if (hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &s.creature, &e) != HF_OK)
        fail_msg("%s", hf_error_text(&e, text, sizeof text));
    s.pose.q = hf_alloc((size_t)hf_creature_get(s.creature)->q_count, sizeof(double));
    hf_pose_rest(s.creature, &s.pose);
    return s;
}

static void free_subject(subject* s) {
    hf_free(s->pose.q);
    hf_creature_free(s->creature);
}

/* ---- geometry ---- */

/* A ball without ground: a pixel whose four corners' rays all meet the ball differs from the same pixel of an
   empty picture, and one whose rays all miss it by a pixel does not. */
static void outline_of_a_ball(void** state) {
    (void)state;
    hf_shape ball = {.kind = HF_SHAPE_SPHERE, .radius = 0.7};
    hf_vec3 centre = hf_v3(0.4, -0.3, 1.2);
    hf_mesh m;
    assert_int_equal(hf_shape_mesh(&ball, 64, &m), HF_OK);
    for (int i = 0; i < m.vertex_count; i++)
        m.vertices[3 * i] += (float)centre.x, m.vertices[3 * i + 1] += (float)centre.y,
            m.vertices[3 * i + 2] += (float)centre.z;
    world w = build_world(&m, 1);
    hf_picture_options o = hf_picture_options_default();
    o.width = 160, o.height = 120, o.ground = false, o.has_focus = true;
    o.focus = hf_v3(0, 0, 1), o.distance = 6, o.azimuth = 1.1, o.elevation = 0.4;
    hf_picture_moment with = {.placement = w.placement}, without = {0};
    hf_picture a, b;
    draw(&with, 1, &o, &a);
    draw(&without, 1, &o, &b);
    hf_camera camera = hf_camera_at(o.focus, o.distance, o.azimuth, o.elevation, 160.0 / 120);
    int inside = 0, outside = 0;
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 160; x++) {
            hf_vec3 d = hf_camera_ray(&camera, 2 * (x + 0.5) / 160 - 1, 1 - 2 * (y + 0.5) / 120);
            hf_vec3 c = hf_sub(centre, camera.eye);
            double miss = hf_length(hf_sub(c, hf_scale(d, hf_dot(c, d))));
            double size = 6 * 2 * camera.tan_x / 160;
            bool differs = memcmp(pixel_of(&a, x, y), pixel_of(&b, x, y), 3) != 0;
            if (miss < 0.7 - size) assert_true(differs), inside++;
            if (miss > 0.7 + size) assert_false(differs), outside++;
        }
    assert_true(inside > 500 && outside > 5000);
    hf_picture_free(&a);
    hf_picture_free(&b);
    free_world(&w);
    free_mesh(&m);
}

/* Every point stays in view, and some point is near each of two opposite sides. */
static void fitted_points_fill_the_view(void** state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        hf_vec3 points[20];
        for (int i = 0; i < 20; i++)
            points[i] =
                hf_v3(sin(i * 1.7 + round), 3 * cos(i * 2.3 - round), 100 + 0.5 * sin(i * 0.9 * round));
        hf_camera c;
        double aspect = 0.5 + 0.05 * round;
        assert_true(hf_camera_fit(points, 20, round * 0.3, 0.4, aspect, &c));
        double most_x = 0, most_y = 0;
        for (int i = 0; i < 20; i++) {
            hf_vec3 p = hf_sub(points[i], c.eye);
            double depth = hf_dot(p, c.forward);
            assert_true(depth > 0);
            most_x = fmax(most_x, fabs(hf_dot(p, c.right)) / depth / c.tan_x);
            most_y = fmax(most_y, fabs(hf_dot(p, c.up)) / depth / c.tan_y);
        }
        assert_true(most_x < 0.96 && most_y < 0.96);
        assert_true(most_x > 0.85 || most_y > 0.85);
    }
    hf_camera c;
    assert_false(hf_camera_fit(NULL, 0, 0, 0, 1, &c));
}

static void normals_are_smooth_where_blunt(void** state) {
    (void)state;
    hf_shape ball = {.kind = HF_SHAPE_SPHERE, .radius = 2},
             box = {.kind = HF_SHAPE_BOX, .half_size = {1, 2, 3}};
    for (int kind = 0; kind < 2; kind++) {
        hf_mesh m;
        assert_int_equal(hf_shape_mesh(kind ? &box : &ball, 32, &m), HF_OK);
        hf_layer layer = {0};
        hf_transform pose = {hf_v3(5, 6, 7), hf_quat_identity()};
        assert_int_equal(hf_layer_add(&layer, &m, pose, (hf_colour){1, 1, 1}), HF_OK);
        hf_layer_measure(&layer);
        assert_int_equal(hf_layer_build(&layer), HF_OK);
        for (int i = 0; i < 200; i++) {
            hf_vec3 d = hf_normalize(hf_v3(sin(i * 1.1), cos(i * 2.7), sin(i * 0.37 + 1)));
            hf_surface s;
            assert_true(hf_placement_ray(layer.placement, pose.position, d, 100, &s));
            hf_vec3 n = hf_layer_normal(&layer, &s);
            assert_near(hf_length(n), 1, 1e-6);
            if (kind == 0) assert_true(hf_dot(n, d) > 0.998);
            if (kind == 1) assert_near(fmax(fmax(fabs(n.x), fabs(n.y)), fabs(n.z)), 1, 1e-6);
        }
        hf_layer_free(&layer);
        free_mesh(&m);
    }
}

/* ---- walls ---- */

static int strong_pixels(const hf_picture* p) {
    int n = 0;
    for (int i = 0; i < p->width * p->height; i++) n += is_strong(p->rgb + 3 * (size_t)i);
    return n;
}

static void walls_do_not_hide_the_creature(void** state) {
    (void)state;
    subject s = load_human();
    hf_picture_options o = hf_picture_options_default();
    o.width = 240, o.height = 180, o.samples = 1, o.has_focus = true, o.distance = 5;
    hf_picture_moment alone = {.creature = s.creature, .pose = &s.pose};
    hf_picture bare;
    draw(&alone, 1, &o, &bare);
    int expected = strong_pixels(&bare);
    assert_true(expected > 500);
    hf_vec3 low = hf_v3(-2, -2, -1.2), high = hf_v3(2, 2, 1.5);
    hf_mesh shell = box_mesh(low, high, true), solid[6];
    for (int i = 0; i < 6; i++) {
        hf_vec3 a = hf_sub(low, hf_v3(0.1, 0.1, 0.1)), b = hf_add(high, hf_v3(0.1, 0.1, 0.1));
        if (i == 0) b.x = low.x;
        if (i == 1) a.x = high.x;
        if (i == 2) b.y = low.y;
        if (i == 3) a.y = high.y;
        if (i == 4) b.z = low.z;
        if (i == 5) a.z = high.z;
        solid[i] = box_mesh(a, b, false);
    }
    for (int kind = 0; kind < 2; kind++) {
        world w = kind ? build_world(solid, 6) : build_world(&shell, 1);
        hf_picture_moment inside = alone;
        inside.placement = w.placement;
        hf_picture p;
        draw(&inside, 1, &o, &p);
        int found = strong_pixels(&p);
        if (abs(found - expected) > expected / 12)
            fail_msg("kind %d: %d, without walls %d", kind, found, expected);
        hf_picture_free(&p);
        free_world(&w);
    }
    for (int i = 0; i < 6; i++) free_mesh(&solid[i]);
    free_mesh(&shell);
    hf_picture_free(&bare);
    free_subject(&s);
}

/* ---- pages ---- */

/* A narrow tower between the usual camera and the creature: the camera goes where the creature is seen. */
static void the_camera_avoids_what_is_in_the_way(void** state) {
    (void)state;
    subject s = load_human();
    hf_vec3 towards = {cos(-0.6), sin(-0.6), 0};
    hf_vec3 at = hf_scale(towards, 0.9);
    hf_mesh tower = box_mesh(hf_v3(at.x - 0.35, at.y - 0.35, -2), hf_v3(at.x + 0.35, at.y + 0.35, 2), false);
    world w = build_world(&tower, 1);
    hf_picture_moment m = {.creature = s.creature, .pose = &s.pose, .placement = w.placement};
    hf_picture_options o = hf_picture_options_default();
    o.width = 200, o.height = 120, o.samples = 1, o.has_focus = true, o.distance = 5;
    hf_picture usual, chosen, alone;
    draw(&m, 1, &o, &chosen);
    int seen = strong_pixels(&chosen);
    o.azimuth = -0.6;
    draw(&m, 1, &o, &usual);
    assert_true(memcmp(usual.rgb, chosen.rgb, 200 * 120 * 3) != 0);
    /* From there the creature is seen as well as if there were no tower. */
    hf_placement_enable(w.placement, 0, false);
    o.azimuth = 0.6;
    draw(&m, 1, &o, &alone);
    assert_true(seen > 300 && seen >= 0.8 * strong_pixels(&alone));
    hf_picture_free(&alone);
    hf_picture_free(&usual);
    hf_picture_free(&chosen);
    free_world(&w);
    free_mesh(&tower);
    free_subject(&s);
}

static void any_number_of_threads_draws_the_same(void** state) {
    (void)state;
    subject s = load_human();
    hf_mesh floor = box_mesh(hf_v3(-1, -1, -1.2), hf_v3(1, 1, -1), false);
    world w = build_world(&floor, 1);
    hf_picture_contact contacts[] = {{0, {0.3, 0.2, 0}, {0, 0, 1}}, {1, {0.3, -0.2, 0}, {1, 0, 0}}};
    hf_picture_moment moments[3];
    for (int i = 0; i < 3; i++)
        moments[i] = (hf_picture_moment){.creature = s.creature,
                                         .pose = &s.pose,
                                         .placement = w.placement,
                                         .contacts = contacts,
                                         .contact_count = i,
                                         .label = "1.2 s"};
    hf_picture_options o = hf_picture_options_default();
    o.width = 320, o.height = 150, o.reach_volumes = true, o.task = hf_v3(1, 0, 1);
    hf_picture first = {0};
    for (int threads = 1; threads <= 4; threads *= 2) {
        hf_picture p;
        o.threads = threads;
        draw(moments, 3, &o, &p);
        if (threads == 1)
            first = p;
        else {
            assert_memory_equal(p.rgb, first.rgb, 320 * 150 * 3);
            hf_picture_free(&p);
        }
    }
    /* Three panels, each with a creature of the same size, apart by white gaps. */
    int counts[3] = {0, 0, 0}, edge = 0;
    for (int y = 0; y < 150; y++) {
        edge += memcmp(pixel_of(&first, 0, y), "\xff\xff\xff", 3) == 0;
        for (int x = 0; x < 320; x++) counts[x * 3 / 320] += is_strong(pixel_of(&first, x, y));
    }
    assert_int_equal(edge, 150);
    assert_true(counts[0] > 100);
    for (int i = 1; i < 3; i++) assert_true(counts[i] > counts[0] * 0.8 && counts[i] < counts[0] * 1.4);
    hf_picture_free(&first);
    free_world(&w);
    free_mesh(&floor);
    free_subject(&s);
}

static bool stop_half_way(void* user, double fraction, const char* stage) {
    double* last = user;
    assert_non_null(stage);
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction < 0.4;
}

static void progress_can_cancel(void** state) {
    (void)state;
    hf_picture_options o = hf_picture_options_default();
    o.width = 64, o.height = 512;
    hf_picture_moment empty = {0};
    hf_picture p;
    double last = 0;
    assert_int_equal(hf_render(&empty, 1, &o, stop_half_way, &last, &p, NULL), HF_OK);
    assert_true(last >= 0.4 && last < 1);
    assert_memory_equal(pixel_of(&p, 10, 500), "\xff\xff\xff", 3);
    assert_memory_not_equal(pixel_of(&p, 10, 100), "\xff\xff\xff", 3);
    hf_picture_free(&p);
}

static void wrong_options_are_refused(void** state) {
    (void)state;
    hf_picture_moment empty = {0};
    for (int i = 0; i < 9; i++) {
        hf_picture_options o = hf_picture_options_default();
        int count = 1;
        o.width = 64, o.height = 64;
        if (i == 0) o.width = 0;
        if (i == 1) o.height = 100000;
        if (i == 2) o.samples = 3;
        if (i == 3) o.azimuth = INFINITY;
        if (i == 4) o.zoom = 0;
        if (i == 5) o.has_focus = true, o.distance = -1;
        if (i == 6) o.ground_z = INFINITY;
        if (i == 7) count = 0;
        if (i == 8) o.columns = -1;
        hf_picture p = {.width = 5};
        hf_error e = {0};
        assert_int_equal(hf_render(&empty, count, &o, NULL, NULL, &p, &e), HF_ERROR_ARGUMENT);
        assert_true(p.width == 0 && p.rgb == NULL);
        assert_true(strlen(e.message) > 0);
    }
    /* A hundred panels on sixteen pixels; a pose that is nowhere. */
    static const hf_picture_moment many[100];
    hf_picture_options o = hf_picture_options_default();
    o.width = o.height = 16;
    hf_picture p;
    assert_int_equal(hf_render(many, 100, &o, NULL, NULL, &p, NULL), HF_ERROR_ARGUMENT);
    subject s = load_human();
    s.pose.root.position.x = NAN;
    hf_picture_moment nowhere = {.creature = s.creature, .pose = &s.pose};
    assert_int_not_equal(hf_render(&nowhere, 1, &o, NULL, NULL, &p, NULL), HF_OK);
    assert_null(p.rgb);
    free_subject(&s);
}

/* ---- files ---- */

static void png_reads_back(void** state) {
    (void)state;
    hf_picture_options o = hf_picture_options_default();
    o.width = 77, o.height = 45, o.samples = 1;
    hf_picture_moment empty = {.label = "label"};
    hf_picture p;
    draw(&empty, 1, &o, &p);
    char path[512];
    snprintf(path, sizeof path, "%s/render_test.png", test_folder());
    hf_error e;
    assert_int_equal(hf_picture_save(&p, path, &e), HF_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, 77);
    assert_int_equal(image.height, 45);
    uint8_t* bytes = hf_alloc(PNG_IMAGE_SIZE(image), 1);
    assert_true(png_image_finish_read(&image, NULL, bytes, 0, NULL));
    assert_memory_equal(bytes, p.rgb, 77 * 45 * 3);
    hf_free(bytes);
    assert_int_equal(hf_picture_save(&p, "/nonexistent/folder/x.png", &e), HF_ERROR_FILE);
    assert_int_equal(e.status, HF_ERROR_FILE);
    hf_picture_free(&p);
    assert_int_equal(hf_picture_save(&p, path, &e), HF_ERROR_ARGUMENT);
    hf_picture_free(NULL);
}

/* Bright red pixels of a picture. */
static int red_pixels(const hf_picture* p) {
    int count = 0;
    for (int i = 0; i < p->width * p->height; i++) {
        const uint8_t* c = p->rgb + 3 * i;
        count += c[0] > 150 && c[1] < 60 && c[2] < 80;
    }
    return count;
}

/* A limb, a pair of links and a place are red where they are marked; without a mark nothing is. */
static void marks_are_red(void** state) {
    (void)state;
    subject s = load_human();
    hf_picture_options o = hf_picture_options_default();
    o.width = 160, o.height = 160, o.samples = 1;
    int leg = hf_creature_find_limb(s.creature, "left_leg");
    int chest = hf_creature_get(s.creature)->trunk[0];
    const hf_picture_mark marks[] = {{leg, -1, -1, -1, false, {0, 0, 0}},
                                     {-1, chest, -1, -1, false, {0, 0, 0}},
                                     {-1, -1, -1, -1, true, {0.5, -0.3, 0.2}},
                                     {leg, -1, -1, -1, true, {0.5, -0.3, 0.2}}};
    int red[5];
    for (int i = 0; i < 5; i++) {
        hf_picture_moment m = {.creature = s.creature, .pose = &s.pose, .mark = i ? &marks[i - 1] : NULL};
        hf_picture p;
        draw(&m, 1, &o, &p);
        red[i] = red_pixels(&p);
        hf_picture_free(&p);
    }
    assert_int_equal(red[0], 0);
    for (int i = 1; i < 5; i++) assert_true(red[i] > 20);
    // limb and place with the arrow between them are more than either
    assert_true(red[4] > red[1] && red[4] > red[3]);
    free_subject(&s);
}

/* What hf_render would refuse is refused before there is anything to draw. */
static void sizes_are_checked_before(void** state) {
    (void)state;
    hf_picture_options o = hf_picture_options_default();
    hf_error e = {0};
    assert_int_equal(hf_picture_check(&o, 64, &e), HF_OK);
    o.width = o.height = 32;
    assert_int_equal(hf_picture_check(&o, 1, &e), HF_OK);
    assert_int_equal(hf_picture_check(&o, 8, &e), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(e.message, "8 panels do not fit on 32 x 32 pixels"));
    assert_int_equal(hf_picture_check(&o, 0, &e), HF_ERROR_ARGUMENT);
    o.width = 9000;
    assert_int_equal(hf_picture_check(&o, 1, &e), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(e.message, "between 16 and 8192"));
}

static void letters_stay_on_the_page(void** state) {
    (void)state;
    enum { W = 40, H = 12 };
    uint8_t page[W * H * 3];
    const uint8_t ink[3] = {1, 2, 3};
    memset(page, 255, sizeof page);
    const int places[][2] = {{-3, -3}, {35, 8}, {1000, 2}, {2, -1000}, {-10000, 3}};
    for (int i = 0; i < 5; i++) hf_lettering(page, W, H, places[i][0], places[i][1], 2, "Az09 ~", ink);
    /* An exclamation mark is one column with a gap. */
    memset(page, 255, sizeof page);
    hf_lettering(page, W, H, 0, 0, 1, "!", ink);
    int dots = 0;
    for (int i = 0; i < W * H; i++) dots += page[3 * i] == 1;
    assert_int_equal(dots, 6);
    assert_int_equal(hf_lettering_width("abc", 2), 36);
}

static int count_colour(const hf_picture* p, uint32_t hex) {
    int count = 0;
    for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; i++) {
        const uint8_t* c = p->rgb + 3 * i;
        count += ((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) == hex;
    }
    return count;
}

/* A plot has the colours of its motions, is higher with forces than without, and needs two frames. */
static void test_plot(void** state) {
    (void)state;
    enum { COUNT = 20 };
    hf_creature* creature;
    hf_motion* motion;
    hf_error e = {0};
    double q[256];
    hf_pose pose = {.q = q};
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &e),
                     HF_OK);
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    hf_pose_rest(creature, &pose);
    hf_plot_motion motions[2] = {{motion, creature, NULL, "before"}, {motion, creature, NULL, "after"}};
    hf_picture one = {0}, two = {0}, forces = {0};
    for (int i = 0; i < COUNT; i++) {
        pose.root.position.x = 0.01 * i;
        hf_motion_frame* f = hf_motion_add(motion, i / 30.0, &pose);
        hf_hold h = {.limb = 0, .object = -1, .normal = {0, 0, 1}};
        assert_int_equal(hf_motion_add_contact(motion, f, &h), HF_OK);
        if (i > 0) continue;
        assert_int_equal(hf_render_plot(motions, 1, NULL, &one, &e), HF_ERROR_FORMAT);
        assert_non_null(strstr(e.message, "there is 1"));
    }
    assert_int_equal(hf_render_plot(motions, 3, NULL, &one, &e), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_render_plot(motions, 1, NULL, &one, &e), HF_OK);
    assert_int_equal(hf_render_plot(motions, 2, NULL, &two, &e), HF_OK);
    hf_dynamic_frame judged[COUNT];
    for (int i = 0; i < COUNT; i++) judged[i] = (hf_dynamic_frame){.margin_m = 0.1, .torque_share = 0.5};
    hf_dynamic_report report = {.frame_count = COUNT, .frames = judged};
    motions[0].dynamic = &report;
    assert_int_equal(hf_render_plot(motions, 1, NULL, &forces, &e), HF_OK);
    assert_true(one.width == 1280 && two.height > one.height && forces.height > one.height);
    /* The bar of the one limb is a tenth of the page wide and more; a red line is the torque limit. */
    assert_true(count_colour(&one, 0x4566b0) > 1000 && count_colour(&one, 0x2a8c82) == 0);
    assert_true(count_colour(&two, 0xa9b0ba) > 1000 && count_colour(&two, 0x2a8c82) > 1000);
    assert_true(count_colour(&forces, 0xe0102e) > 100 && count_colour(&one, 0xe0102e) == 0);
    report.frame_count = COUNT - 1;
    hf_picture none;
    assert_int_equal(hf_render_plot(motions, 1, NULL, &none, &e), HF_ERROR_ARGUMENT);
    assert_null(none.rgb);
    hf_picture_free(&one), hf_picture_free(&two), hf_picture_free(&forces);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot),
        cmocka_unit_test(outline_of_a_ball),
        cmocka_unit_test(fitted_points_fill_the_view),
        cmocka_unit_test(normals_are_smooth_where_blunt),
        cmocka_unit_test(walls_do_not_hide_the_creature),
        cmocka_unit_test(the_camera_avoids_what_is_in_the_way),
        cmocka_unit_test(any_number_of_threads_draws_the_same),
        cmocka_unit_test(progress_can_cancel),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(png_reads_back),
        cmocka_unit_test(letters_stay_on_the_page),
        cmocka_unit_test(marks_are_red),
        cmocka_unit_test(sizes_are_checked_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
