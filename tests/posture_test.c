/* Libraries of postures: what every shipped creature must have; that each posture is balanced, within its
   limits and free by the independent check; bodies that lie by plain loops over their corners; the same
   library for any number of threads; reasons of robots that have none. */
#include "box_object.h"
#include "creature_files.h"

#include <math.h>

enum { LINKS = 128, DIRECTIONS = 64 };

static hf_postures* find(const hf_creature* creature, int threads) {
    hf_posture_options o = hf_posture_options_default();
    hf_postures* all;
    hf_error error = {0};
    o.threads = threads;
    if (hf_creature_postures(creature, &o, &all, &error) != HF_OK) fail_msg("%s", error.message);
    return all;
}

/* Ground, 3 m lower where the body hangs, and one box under all that is held without an object: a seat, or a
   bar for the hands. */
static hf_scene* scene_of(const hf_posture* p) {
    hf_mesh meshes[2];
    bool hangs = p->family == HF_POSTURE_HANG, held = false;
    hf_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    hf_object_def objects[2] = {
        box_object("ground", hf_v3(-5, -5, hangs ? -4 : -1), hf_v3(5, 5, hangs ? -3 : 0), &meshes[0])};
    for (int i = 0; i < p->hold_count; i++) {
        hf_vec3 x = p->holds[i].point;
        if (p->holds[i].object >= 0) continue;
        low = hf_v3(fmin(low.x, x.x - 0.03), fmin(low.y, x.y - 0.075), fmin(low.z, x.z - 0.04));
        high = hf_v3(fmax(high.x, x.x + 0.03), fmax(high.y, x.y + 0.075), fmax(high.z, x.z));
        held = true;
    }
    if (held) objects[1] = box_object("held", low, high, &meshes[1]), objects[1].grip = hangs;
    hf_scene* scene;
    hf_error error = {0};
    if (hf_scene_build(objects, held ? 2 : 1, &scene, &error) != HF_OK) fail_msg("%s", error.message);
    for (int i = 0; i < (held ? 2 : 1); i++) hf_mesh_free(&meshes[i]);
    return scene;
}

/* A motion of one frame with the posture's contacts, as the check judges it. */
static void must_be_valid(const char* name, const hf_creature* creature, const hf_posture* p) {
    hf_scene* scene = scene_of(p);
    hf_motion* motion;
    assert_int_equal(hf_motion_create(creature, scene, &motion), HF_OK);
    hf_motion_frame* frame = hf_motion_add(motion, 0, &p->pose);
    assert_non_null(frame);
    for (int i = 0; i < p->hold_count; i++) {
        hf_hold h = p->holds[i];
        if (h.object < 0) h.object = 1;
        assert_int_equal(hf_motion_add_contact(motion, frame, &h), HF_OK);
    }
    motion->claims = HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_COLLISION;
    if (p->hold_count > 0) motion->claims |= HF_CLAIM_CONTACTS | HF_CLAIM_BALANCE;
    hf_check_report report;
    hf_error error = {0};
    if (hf_check_motion(motion, creature, scene, 1, NULL, NULL, &report, &error) != HF_OK)
        fail_msg("%s", error.message);
    if (!report.valid)
        fail_msg("%s %s: %s", name, hf_posture_family_text(p->family),
                 report.problem_count ? report.problems[0].what : "not valid");
    hf_check_report_free(&report);
    hf_motion_free(motion);
    hf_scene_free(scene);
}

static hf_vec3 com_of(const hf_creature_view* v, const hf_transform* links) {
    hf_vec3 sum = {0, 0, 0};
    for (int i = 0; i < v->link_count; i++)
        sum = hf_add(sum, hf_scale(hf_apply(links[i], v->links[i].com), v->links[i].mass / v->mass));
    return sum;
}

/* A body lies in balance when in every direction some corner at the ground is farther than its centre of
   mass. Corners of round bodies are up to 2 mm inside them. */
static void must_lie(const hf_creature* creature, const hf_posture* p) {
    static hf_transform links[LINKS];
    const hf_creature_view* v = hf_creature_get(creature);
    double farthest[DIRECTIONS], lowest = INFINITY;
    for (int d = 0; d < DIRECTIONS; d++) farthest[d] = -INFINITY;
    hf_forward(creature, &p->pose, links);
    for (int b = 0; b < v->body_count; b++) {
        hf_mesh mesh;
        hf_transform at = hf_compose(links[v->bodies[b].link], v->bodies[b].in_link);
        assert_int_equal(hf_shape_mesh(&v->bodies[b].shape, 48, &mesh), HF_OK);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const float* f = mesh.vertices + 3 * i;
            hf_vec3 x = hf_apply(at, hf_v3((double)f[0], (double)f[1], (double)f[2]));
            lowest = fmin(lowest, x.z);
            for (int d = 0; d < DIRECTIONS && x.z < 0.004; d++)
                farthest[d] = fmax(farthest[d], x.x * cos(2 * M_PI * d / DIRECTIONS) +
                                                    x.y * sin(2 * M_PI * d / DIRECTIONS));
        }
        hf_mesh_free(&mesh);
    }
    assert_near(lowest, 0, 0.002);
    hf_vec3 com = com_of(v, links);
    for (int d = 0; d < DIRECTIONS; d++)
        assert_true(com.x * cos(2 * M_PI * d / DIRECTIONS) + com.y * sin(2 * M_PI * d / DIRECTIONS) <
                    farthest[d]);
}

/* The box holds every corner of every body, and is no larger than they need by more than 2 mm. */
static void must_fit(const hf_creature* creature, const hf_posture* p) {
    static hf_transform links[LINKS];
    const hf_creature_view* v = hf_creature_get(creature);
    double high = -INFINITY, wide = -INFINITY;
    hf_forward(creature, &p->pose, links);
    for (int b = 0; b < v->body_count; b++) {
        hf_mesh mesh;
        hf_transform at = hf_compose(links[v->bodies[b].link], v->bodies[b].in_link);
        assert_int_equal(hf_shape_mesh(&v->bodies[b].shape, 48, &mesh), HF_OK);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const float* f = mesh.vertices + 3 * i;
            hf_vec3 x = hf_apply(at, hf_v3((double)f[0], (double)f[1], (double)f[2]));
            high = fmax(high, x.z), wide = fmax(wide, x.x);
        }
        hf_mesh_free(&mesh);
    }
    assert_true(high <= p->high.z + 1e-6 && wide <= p->high.x + 1e-6);
    assert_true(high >= p->high.z - 0.002 && wide >= p->high.x - 0.002);
}

static int count_of(const hf_postures* all, hf_posture_family family) {
    int count = 0;
    for (int i = 0; i < all->count; i++) count += all->items[i].family == family;
    return count;
}

#define STAND_SQUAT (1 << HF_POSTURE_STAND | 1 << HF_POSTURE_SQUAT)
#define LIE (1 << HF_POSTURE_PRONE | 1 << HF_POSTURE_SUPINE)

static void shipped_creatures_have_postures(void** state) {
    (void)state;
    static const struct {
        const char* name;
        int families; /* that it must have */
        int changes;  /* at least */
    } cases[] = {{"human", (1 << HF_POSTURE_FAMILIES) - 1, 1},
                 {"quadruped", STAND_SQUAT | 1 << HF_POSTURE_PRONE, 0},
                 {"insect", STAND_SQUAT | LIE, 0},
                 {"spider", STAND_SQUAT | LIE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c = shipped_creature(cases[i].name);
        hf_postures* all = find(c, 0);
        for (int f = 0; f < HF_POSTURE_FAMILIES; f++) {
            int count = count_of(all, (hf_posture_family)f);
            if (count == 0 && cases[i].families >> f & 1)
                fail_msg("%s has no posture of the family %s: %s", cases[i].name,
                         hf_posture_family_text((hf_posture_family)f), all->why[f]);
            assert_int_equal(all->why[f][0] == 0, count > 0);
        }
        for (int k = 0; k < all->count; k++) {
            must_be_valid(cases[i].name, c, &all->items[k]);
            must_fit(c, &all->items[k]);
            if (all->items[k].hold_count == 0) must_lie(c, &all->items[k]);
        }
        assert_true(all->change_count >= cases[i].changes);
        hf_postures_free(all);
        hf_creature_free(c);
    }
}

/* In a change all limbs of the posture touch, and the walking ones keep the body in balance alone: the check
   judges the pose with their contacts only. */
static void changes_are_balanced_on_walking_limbs(void** state) {
    (void)state;
    hf_creature* c = shipped_creature("human");
    hf_postures* all = find(c, 0);
    assert_true(all->change_count >= 1);
    for (int k = 0; k < all->change_count; k++) {
        const hf_posture_change* change = &all->changes[k];
        const hf_posture *from = &all->items[change->from], *to = &all->items[change->to];
        assert_int_equal(from->family, HF_POSTURE_STAND);
        assert_int_equal(change->at.hold_count, to->hold_count);
        hf_posture feet = change->at;
        feet.hold_count = 0;
        for (int i = 0; i < change->at.hold_count; i++)
            for (int f = 0; f < from->hold_count; f++)
                if (from->holds[f].limb == change->at.holds[i].limb)
                    feet.holds[feet.hold_count++] = change->at.holds[i];
        assert_int_equal(feet.hold_count, from->hold_count);
        must_be_valid("change", c, &change->at);
        hf_scene* scene = scene_of(&change->at);
        hf_motion* motion;
        assert_int_equal(hf_motion_create(c, scene, &motion), HF_OK);
        hf_motion_frame* frame = hf_motion_add(motion, 0, &change->at.pose);
        for (int i = 0; i < feet.hold_count; i++)
            assert_int_equal(hf_motion_add_contact(motion, frame, &feet.holds[i]), HF_OK);
        motion->claims = HF_CLAIM_BALANCE | HF_CLAIM_CONTACTS;
        hf_check_report report;
        assert_int_equal(hf_check_motion(motion, c, scene, 1, NULL, NULL, &report, NULL), HF_OK);
        assert_true(report.valid);
        hf_check_report_free(&report);
        hf_motion_free(motion);
        hf_scene_free(scene);
    }
    hf_postures_free(all);
    hf_creature_free(c);
}

static void libraries_do_not_depend_on_threads(void** state) {
    (void)state;
    static const char* const names[] = {"human", "insect"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hf_creature* c = shipped_creature(names[i]);
        size_t q = sizeof(double) * (size_t)hf_creature_get(c)->q_count;
        hf_postures *one = find(c, 1), *three = find(c, 3);
        assert_int_equal(one->count, three->count);
        assert_int_equal(one->change_count, three->change_count);
        for (int k = 0; k < one->count; k++) {
            assert_int_equal(one->items[k].family, three->items[k].family);
            assert_memory_equal(&one->items[k].pose.root, &three->items[k].pose.root, sizeof(hf_transform));
            assert_memory_equal(one->items[k].pose.q, three->items[k].pose.q, q);
        }
        for (int k = 0; k < one->change_count; k++)
            assert_memory_equal(one->changes[k].at.pose.q, three->changes[k].at.pose.q, q);
        hf_postures_free(one);
        hf_postures_free(three);
        hf_creature_free(c);
    }
}

/* A hopper: a box on one leg that ends in a point. */
#define HOPPER(body)                                                                                         \
    "<robot name='hopper'>"                                                                                  \
    "<link name='base'><inertial><mass value='5'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' "   \
    "iyz='0'/></inertial>" body "</link>"                                                                    \
    "<link name='shin'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' "        \
    "ixz='0' "                                                                                               \
    "iyz='0'/></inertial>" body "</link>"                                                                    \
    "<joint name='hip' type='revolute'><parent link='base'/><child link='shin'/><origin xyz='0 0 -0.2'/>"    \
    "<axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='3' effort='9'/></joint></robot>"

static void robots_without_postures_say_why(void** state) {
    (void)state;
    hf_creature* hopper = load_text(
        "hopper.urdf", HOPPER("<collision><geometry><sphere radius='0.05'/></geometry></collision>"));
    hf_postures* all = find(hopper, 1);
    assert_int_equal(count_of(all, HF_POSTURE_STAND), 0);
    assert_non_null(strstr(all->why[HF_POSTURE_STAND], "none of 96 tries is balanced"));
    assert_non_null(strstr(all->why[HF_POSTURE_CRAWL], "no limbs beside those that walk"));
    assert_non_null(strstr(all->why[HF_POSTURE_HANG], "no limb grips"));
    hf_postures_free(all);
    hf_creature_free(hopper);
    /* A mass without any shape: links without geometry get thin bodies only towards their child joints. */
    hf_creature* bare =
        load_text("bare.urdf", "<robot name='bare'><link name='base'><inertial><mass value='5'/>"
                               "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/>"
                               "</inertial></link></robot>");
    all = find(bare, 1);
    assert_int_equal(all->count, 0);
    for (int f = 0; f < HF_POSTURE_FAMILIES; f++) assert_string_equal(all->why[f], "no link has a body");
    hf_postures_free(all);
    hf_creature_free(bare);
}

static void bad_arguments_are_refused(void** state) {
    (void)state;
    hf_creature* c = shipped_creature("insect");
    hf_postures* all = NULL;
    hf_posture_options o = hf_posture_options_default();
    assert_int_equal(hf_creature_postures(NULL, &o, &all, NULL), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_creature_postures(c, &o, NULL, NULL), HF_ERROR_ARGUMENT);
    o.draws = 0;
    assert_int_equal(hf_creature_postures(c, &o, &all, NULL), HF_ERROR_ARGUMENT);
    o = hf_posture_options_default();
    o.families = 1 << HF_POSTURE_STAND;
    assert_int_equal(hf_creature_postures(c, &o, &all, NULL), HF_OK);
    assert_int_equal(all->count, 1);
    assert_string_equal(all->why[HF_POSTURE_PRONE], "not asked for");
    hf_postures_free(all);
    hf_postures_free(NULL);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_creatures_have_postures),
        cmocka_unit_test(changes_are_balanced_on_walking_limbs),
        cmocka_unit_test(libraries_do_not_depend_on_threads),
        cmocka_unit_test(robots_without_postures_say_why),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
