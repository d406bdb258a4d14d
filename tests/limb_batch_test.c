/* The batch kernel: every build the machine can run gives the same bits, and they agree with the double
   path; its sine and cosine over their whole range. */
#include "creature_fixture.h"
#include "model/limb_batch.h"

enum { COUNT = 1000, STRIDE = 1024 };

/* Aligned rows, filled with a value no kernel writes. */
static float* rows(int count) {
    float* values = aligned_alloc(64, (size_t)count * STRIDE * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count * STRIDE; i++) values[i] = -77;
    return values;
}

typedef struct outputs {
    float *point, *normal, *gram;
} outputs;
static outputs outputs_make(void) { return (outputs){rows(3), rows(3), rows(6)}; }
static void outputs_free(outputs* o) { free(o->point), free(o->normal), free(o->gram); }

static float* random_theta(const hf_creature* creature, const hf_limb* limb, uint64_t seed) {
    const hf_creature_view* view = hf_creature_get(creature);
    float* theta = rows(limb->joint_count + 1);
    hf_random r = hf_random_start(seed, 0, 0);
    for (int j = 0; j < limb->joint_count; j++) {
        const hf_joint* joint = &view->joints[limb->joints[j]];
        for (int i = 0; i < COUNT; i++)
            theta[j * STRIDE + i] =
                (float)hf_random_between(&r, fmax(joint->lower, -12), fmin(joint->upper, 12));
    }
    return theta;
}

/* Point, normal and gram in the limb's root frame by the double functions. */
static void assert_sample(const hf_creature* creature, int limb_index, int contact, const float* theta,
                          const outputs* o, int i, double size) {
    const hf_creature_view* view = hf_creature_get(creature);
    const hf_limb* limb = &view->limbs[limb_index];
    hf_pose pose = {.q = calloc((size_t)view->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    double* jacobian = calloc(3 * (size_t)view->v_count, sizeof *jacobian);
    hf_pose_rest(creature, &pose);
    for (int j = 0; j < limb->joint_count; j++)
        pose.q[view->joints[limb->joints[j]].q_index] = (double)theta[j * STRIDE + i];
    links[limb->base_link] = hf_inverse(limb->base);
    hf_forward_from(creature, limb->root_link, pose.q, links);
    hf_transform t = links[contact < 0 ? limb->effector_link : limb->contacts[contact].link];
    hf_vec3 p = contact < 0 ? t.position : hf_apply(t, limb->contacts[contact].offset);
    hf_vec3 n = hf_rotate(t.rotation, contact < 0 ? hf_v3(0, 0, 1) : limb->contacts[contact].normal);
    double gram[6];
    hf_limb_jacobian(creature, limb_index, links, p, 3, jacobian);
    hf_jacobian_gram(jacobian, limb->joint_count, gram);
    const double expected[12] = {p.x,     p.y,     p.z,     n.x,     n.y,     n.z,
                                 gram[0], gram[1], gram[2], gram[3], gram[4], gram[5]};
    for (int k = 0; k < 3; k++) {
        assert_near((double)o->point[k * STRIDE + i], expected[k], 1e-6 * size);
        assert_near((double)o->normal[k * STRIDE + i], expected[3 + k], 1e-6);
    }
    for (int k = 0; k < 6; k++)
        assert_near((double)o->gram[k * STRIDE + i], expected[6 + k], 2e-6 * size * size * limb->joint_count);
    free(pose.q), free(links), free(jacobian);
}

/* All builds on one limb, all outputs or some; padding beyond the last sixteen untouched. */
static void check_limb(const hf_creature* creature, int limb_index, int contact, double size, uint64_t seed) {
    const hf_limb* limb = &hf_creature_get(creature)->limbs[limb_index];
    float* theta = random_theta(creature, limb, seed);
    outputs first = outputs_make();
    hf_batch batch = {COUNT, STRIDE, theta, first.point, first.normal, first.gram};
    assert_int_equal(hf_limb_batch(creature, limb_index, contact, &batch), HF_OK);
    for (int i = 0; i < COUNT; i += 7) assert_sample(creature, limb_index, contact, theta, &first, i, size);
    hf_batch_program program;
    assert_int_equal(hf_batch_compile(creature, limb_index, contact, &program), HF_OK);
    for (int cpu = 0; cpu <= (int)hf_cpu_best(); cpu++)
        for (int wish = 0; wish < 4; wish++) {
            outputs o = outputs_make(), none = outputs_make();
            batch = (hf_batch){
                COUNT, STRIDE, theta, o.point, wish & 1 ? o.normal : NULL, wish & 2 ? o.gram : NULL};
            hf_batch_run((hf_cpu)cpu, &program, &batch);
            for (size_t k = 0; k < 6; k++) {
                size_t at = k * STRIDE, bytes = COUNT * sizeof(float), edge = (COUNT + 15) / 16 * 16;
                if (k < 3) assert_memory_equal(&o.point[at], &first.point[at], bytes);
                if (k < 3)
                    assert_memory_equal(&o.normal[at], wish & 1 ? &first.normal[at] : &none.normal[at],
                                        bytes);
                assert_memory_equal(&o.gram[at], wish & 2 ? &first.gram[at] : &none.gram[at], bytes);
                for (size_t i = edge; i < STRIDE; i++) assert_true(o.gram[at + i] == -77);
            }
            outputs_free(&o), outputs_free(&none);
        }
    outputs_free(&first);
    free(theta);
}

/* Followers on both sides of their master, an oblique slide, a negative axis, a fixed link. */
static void test_all_motions(void** unused) {
    (void)unused;
    hf_creature* creature = load_text("all_joints_batch.urdf", FIXTURE_ALL_JOINTS);
    static const char* const limbs[][2] = {{"a", "f"}, {"b", "e"}, {"d", "f"}, {"i", "k"}, {"a", "b"}};
    for (int l = 0; l < 5; l++) {
        set_limb(creature, limbs[l][0], limbs[l][1], hf_v3(0.1, -0.05, 0.2), hf_normalize(hf_v3(1, 2, -1)));
        check_limb(creature, 0, 0, 4, (uint64_t)l);
        check_limb(creature, 0, -1, 4, (uint64_t)l);
    }
    hf_creature_free(creature);
}

/* A contact on a link beyond the effector, whose joint is not the limb's: it keeps its rest value. */
static void test_contact_beyond(void** unused) {
    (void)unused;
    hf_creature* creature = load_text("all_joints_batch.urdf", FIXTURE_ALL_JOINTS);
    set_limb(creature, "a", "d", hf_v3(0.1, -0.05, 0.2), hf_v3(0, 1, 0));
    double* rest =
        hf_arena_copy(&creature->arena, creature->view.rest, (size_t)creature->view.q_count, sizeof *rest);
    assert_non_null(rest);
    rest[creature->view.joints[hf_creature_find_joint(creature, "spin")].q_index] = 0.7;
    creature->view.rest = rest;
    hf_contact_frame* contact = (hf_contact_frame*)creature->view.limbs[0].contacts;
    contact->link = hf_creature_find_link(creature, "e");
    check_limb(creature, 0, 0, 4, 8);
    hf_creature_free(creature);
}

/* A limb without joints: a constant. */
static void test_no_joints(void** unused) {
    (void)unused;
    hf_creature* creature = load_text("all_joints_batch.urdf", FIXTURE_ALL_JOINTS);
    set_limb(creature, "c", "c", hf_v3(0.1, -0.05, 0.2), hf_v3(0, 1, 0));
    assert_int_equal(hf_creature_get(creature)->limbs[0].joint_count, 0);
    check_limb(creature, 0, 0, 1, 9);
    hf_creature_free(creature);
}

/* All limbs of the shipped human, all contacts; errors far below a tenth of a millimetre. */
static void test_human(void** unused) {
    (void)unused;
    hf_creature* creature;
    hf_error error = {0};
    char message[1400];
    if (hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, message, sizeof message));
    const hf_creature_view* view = hf_creature_get(creature);
    assert_true(view->limb_count >= 4);
    for (int l = 0; l < view->limb_count; l++)
        for (int c = -1; c < view->limbs[l].contact_count; c++)
            check_limb(creature, l, c, 1, (uint64_t)(10 * l + c));
    hf_creature_free(creature);
}

static void test_refused(void** unused) {
    (void)unused;
    hf_creature* creature = load_text("all_joints_batch.urdf", FIXTURE_ALL_JOINTS);
    set_limb(creature, "g", "i", hf_v3(0, 0, 0), hf_v3(0, 1, 0));
    float* theta = rows(12);
    outputs o = outputs_make();
    hf_batch batch = {16, STRIDE, theta, o.point, o.normal, o.gram};
    assert_int_equal(hf_limb_batch(creature, 0, 0, &batch), HF_ERROR_ARGUMENT);
    assert_true(o.point[0] == -77);
    outputs_free(&o);
    free(theta);
    hf_creature_free(creature);
}

/* A long limb stays within the program or is refused. */
static void test_too_long(void** unused) {
    (void)unused;
    for (int links = HF_BATCH_MAX_STEPS + 1; links <= HF_BATCH_MAX_STEPS + 2; links++) {
        char* text = calloc((size_t)links + 1, 300);
        size_t used = (size_t)sprintf(text, "<robot name='snake'>");
        for (int i = 0; i < links; i++) {
            used += (size_t)sprintf(text + used, "<link name='l%d'/>", i);
            if (i > 0)
                used += (size_t)sprintf(text + used,
                                        "<joint name='j%d' type='continuous'><parent link='l%d'/><child "
                                        "link='l%d'/><origin xyz='0.01 0 0'/><axis xyz='0 0 1'/></joint>",
                                        i, i - 1, i);
        }
        sprintf(text + used, "</robot>");
        hf_creature* creature = load_text("long_limb.urdf", text);
        char last[16];
        snprintf(last, sizeof last, "l%d", links - 1);
        set_limb(creature, "l1", last, hf_v3(0, 0, 0), hf_v3(1, 0, 0));
        hf_batch_program program;
        assert_int_equal(hf_batch_compile(creature, 0, 0, &program),
                         links - 1 <= HF_BATCH_MAX_STEPS ? HF_OK : HF_ERROR_LIMIT);
        hf_creature_free(creature);
        free(text);
    }
}

/* One joint about Z with its point on X: the point is cosine and sine of the angle. */
static void test_sine_cosine(void** unused) {
    (void)unused;
    hf_creature* creature =
        load_text("pointer.urdf", "<robot name='pointer'><link name='base'/><link name='arm'/>"
                                  "<joint name='turn' type='continuous'><parent link='base'/>"
                                  "<child link='arm'/><axis xyz='0 0 1'/></joint></robot>");
    set_limb(creature, "arm", "arm", hf_v3(1, 0, 0), hf_v3(1, 0, 0));
    float* theta = rows(1);
    outputs o = outputs_make();
    hf_batch batch = {STRIDE, STRIDE, theta, o.point, o.normal, NULL};
    const double range[2] = {4 * 3.1416, 200}, tolerance = 2e-7;
    double worst = 0;
    for (int k = 0; k < 2; k++)
        for (int round = 0; round < 100; round++) {
            hf_random r = hf_random_start(21, (uint32_t)k, (uint64_t)round);
            for (int i = 0; i < STRIDE; i++) theta[i] = (float)hf_random_between(&r, -range[k], range[k]);
            /* Zero and the multiples of a quarter turn among them. */
            for (int i = 0; i < 17; i++) theta[i] = (float)((i - 8) * 1.5707963267948966);
            assert_int_equal(hf_limb_batch(creature, 0, 0, &batch), HF_OK);
            for (int i = 0; i < STRIDE; i++) {
                worst = fmax(worst, fabs((double)o.point[i] - cos((double)theta[i])));
                worst = fmax(worst, fabs((double)o.point[STRIDE + i] - sin((double)theta[i])));
            }
            assert_true(o.point[8] == 1 && o.point[STRIDE + 8] == 0);
        }
    assert_near(worst, 0, tolerance);
    outputs_free(&o);
    free(theta);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_motions), cmocka_unit_test(test_no_joints),
        cmocka_unit_test(test_human),       cmocka_unit_test(test_contact_beyond),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_sine_cosine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
