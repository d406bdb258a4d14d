/* Poses, forward kinematics, Jacobians and centre of mass against a plain matrix walk and finite
   differences, on a creature with every joint type. */
#include "creature_fixture.h"

enum { ROUNDS = 20 };

/* A rotation matrix and a position: the reference uses no quaternion. */
typedef struct frame {
    double r[3][3], p[3];
} frame;

static frame frame_product(const frame* a, const frame* b) {
    frame c;
    for (int i = 0; i < 3; i++) {
        c.p[i] = a->p[i];
        for (int k = 0; k < 3; k++) c.p[i] += a->r[i][k] * b->p[k];
        for (int j = 0; j < 3; j++) {
            c.r[i][j] = 0;
            for (int k = 0; k < 3; k++) c.r[i][j] += a->r[i][k] * b->r[k][j];
        }
    }
    return c;
}

static frame frame_of(hf_transform t) {
    frame f = {.p = {t.position.x, t.position.y, t.position.z}};
    hf_mat3 m = hf_quat_matrix(t.rotation);
    memcpy(f.r, m.m, sizeof f.r);
    return f;
}

/* exp of the cross-product matrix of `turn` by its series, then a shift before it. */
static frame frame_exp(hf_vec3 turn, hf_vec3 shift) {
    double k[3][3] = {{0, -turn.z, turn.y}, {turn.z, 0, -turn.x}, {-turn.y, turn.x, 0}};
    frame f = {.r = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .p = {shift.x, shift.y, shift.z}};
    double term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int n = 1; n < 40; n++) {
        double next[3][3] = {{0}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                for (int l = 0; l < 3; l++) next[i][j] += term[i][l] * k[l][j] / n;
                f.r[i][j] += next[i][j];
            }
        memcpy(term, next, sizeof term);
    }
    return f;
}

static frame joint_frame(const hf_creature_view* view, const hf_joint* joint, const double* pose) {
    const double* q = &pose[joint->q_index];
    double value = 0;
    if (joint->q_count == 1)
        value = joint->mimic >= 0
                    ? joint->multiplier * pose[view->joints[joint->mimic].q_index] + joint->offset
                    : q[0];
    hf_vec3 none = {0, 0, 0};
    switch (joint->type) {
    case HF_JOINT_REVOLUTE:
    case HF_JOINT_CONTINUOUS:
        return frame_exp(hf_scale(joint->axis, value), none);
    case HF_JOINT_PRISMATIC:
        return frame_exp(none, hf_scale(joint->axis, value));
    case HF_JOINT_FLOATING:
        return frame_of((hf_transform){{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}});
    case HF_JOINT_PLANAR: {
        /* X and Y carried by the shortest turn from Z to the axis: about Z x axis. */
        hf_vec3 z = {0, 0, 1}, about = hf_cross(z, joint->axis);
        double angle = acos(hf_dot(z, joint->axis));
        frame f = frame_exp(hf_scale(hf_normalize(about), angle), none);
        hf_vec3 shift = {f.r[0][0] * q[0] + f.r[0][1] * q[1], f.r[1][0] * q[0] + f.r[1][1] * q[1],
                         f.r[2][0] * q[0] + f.r[2][1] * q[1]};
        return frame_exp(hf_scale(joint->axis, q[2]), shift);
    }
    default:
        return frame_exp(none, none);
    }
}

static void assert_frame(hf_transform t, const frame* f, double tolerance) {
    frame g = frame_of(t);
    for (int i = 0; i < 3; i++) {
        assert_near(g.p[i], f->p[i], tolerance);
        for (int j = 0; j < 3; j++) assert_near(g.r[i][j], f->r[i][j], tolerance);
    }
}

static void assert_same_transform(hf_transform a, hf_transform b, double tolerance) {
    assert_near(hf_distance(a.position, b.position), 0, tolerance);
    assert_near(hf_quat_angle(a.rotation, b.rotation), 0, tolerance);
}

static hf_creature* all_joints(void) { return load_text("all_joints.urdf", FIXTURE_ALL_JOINTS); }

static void test_forward(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    frame* frames = calloc((size_t)view->link_count, sizeof *frames);
    for (int round = 0; round < ROUNDS; round++) {
        hf_random r = hf_random_start(1, 0, (uint64_t)round);
        hf_pose pose = random_pose(creature, &r);
        /* What a follower's own value says must not matter. */
        pose.q[view->joints[hf_creature_find_joint(creature, "follow_far")].q_index] = 99;
        hf_forward(creature, &pose, links);
        frames[0] = frame_of(pose.root);
        for (int l = 0; l < view->link_count; l++) {
            if (l > 0) {
                const hf_joint* joint = &view->joints[view->links[l].joint];
                frame origin = frame_of(joint->origin), own = joint_frame(view, joint, pose.q);
                frame at = frame_product(&frames[view->links[l].parent_link], &origin);
                frames[l] = frame_product(&at, &own);
            }
            assert_frame(links[l], &frames[l], 1e-12);
        }
        free(pose.q);
    }
    free(links);
    free(frames);
    hf_creature_free(creature);
}

/* Parts of the creature give the same as the whole. */
static void test_forward_parts(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    size_t count = (size_t)view->link_count;
    hf_transform *links = calloc(count, sizeof *links), *parts = calloc(count, sizeof *parts);
    hf_random r = hf_random_start(2, 0, 0);
    hf_pose pose = random_pose(creature, &r);
    hf_forward(creature, &pose, links);
    static const char* const limbs[][2] = {{"a", "f"}, {"b", "e"}, {"g", "k"}, {"d", "d"}};
    for (int l = 0; l < 4; l++) {
        set_limb(creature, limbs[l][0], limbs[l][1], hf_v3(0, 0, 0), hf_v3(1, 0, 0));
        const hf_limb* limb = view->limbs;
        memset(parts, 0, count * sizeof *parts);
        parts[limb->base_link] = links[limb->base_link];
        hf_forward_limb(creature, 0, pose.q, parts);
        for (int k = limb->effector_link; k != limb->base_link; k = view->links[k].parent_link)
            assert_memory_equal(&parts[k], &links[k], sizeof *links);
    }
    for (int l = 0; l < view->link_count; l++) {
        memset(parts, 0, count * sizeof *parts);
        int given = l == 0 ? 0 : view->links[l].parent_link;
        parts[given] = links[given];
        hf_forward_from(creature, l, pose.q, parts);
        for (int k = 0; k < view->link_count; k++) {
            int up = k;
            while (up != l && up >= 0) up = view->links[up].parent_link;
            hf_transform none = {0};
            assert_memory_equal(&parts[k], up == l || k == given ? &links[k] : &none, sizeof none);
        }
    }
    free(pose.q);
    free(links);
    free(parts);
    hf_creature_free(creature);
}

/* A chain longer than what is walked at once. */
static void test_long_chain(void** unused) {
    (void)unused;
    enum { LINKS = 300 };
    char* text = calloc(LINKS + 1, 400);
    size_t used = (size_t)sprintf(text, "<robot name='snake'>");
    for (int i = 0; i < LINKS; i++) {
        used += (size_t)sprintf(text + used, "<link name='l%d'/>", i);
        if (i > 0)
            used +=
                (size_t)sprintf(text + used,
                                "<joint name='j%d' type='revolute'><parent link='l%d'/><child link='l%d'/>"
                                "<origin xyz='0.1 0 0'/><axis xyz='0 %d %d'/><limit lower='-1' upper='1' "
                                "velocity='1' effort='1'/></joint>",
                                i, i - 1, i, i % 2, 1 - i % 2);
    }
    sprintf(text + used, "</robot>");
    hf_creature* creature = load_text("snake.urdf", text);
    const hf_creature_view* view = hf_creature_get(creature);
    hf_transform *links = calloc(LINKS, sizeof *links), *parts = calloc(LINKS, sizeof *parts);
    hf_random r = hf_random_start(3, 0, 0);
    hf_pose pose = random_pose(creature, &r);
    hf_forward(creature, &pose, links);
    assert_int_equal(view->link_count, LINKS);
    set_limb(creature, "l1", "l299", hf_v3(0, 0, 0), hf_v3(1, 0, 0));
    const hf_limb* limb = view->limbs;
    parts[limb->base_link] = links[limb->base_link];
    hf_forward_limb(creature, 0, pose.q, parts);
    int checked = 0;
    for (int k = limb->effector_link; k != limb->base_link; k = view->links[k].parent_link, checked++)
        assert_memory_equal(&parts[k], &links[k], sizeof *links);
    assert_int_equal(checked, LINKS - 1);
    free(text);
    free(pose.q);
    free(links);
    free(parts);
    hf_creature_free(creature);
}

/* Integrating a difference leads to the other pose; half of it to the pose between. */
static void test_difference(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    double* v = calloc((size_t)view->v_count, sizeof *v);
    double* back = calloc((size_t)view->v_count, sizeof *v);
    for (int round = 0; round < ROUNDS; round++) {
        hf_random r = hf_random_start(4, 0, (uint64_t)round);
        hf_pose a = random_pose(creature, &r), b = random_pose(creature, &r), c = random_pose(creature, &r);
        hf_pose half = random_pose(creature, &r);
        hf_pose_difference(creature, &a, &b, v);
        hf_pose_integrate(creature, &a, v, 1, &c);
        hf_pose_difference(creature, &c, &b, back);
        for (int i = 0; i < view->v_count; i++) assert_near(back[i], 0, 1e-12);
        for (int i = 0; i < view->q_count; i++)
            if (view->joints[hf_creature_find_joint(creature, "float")].q_index + 3 > i ||
                view->joints[hf_creature_find_joint(creature, "float")].q_index + 7 <= i)
                assert_near(c.q[i], b.q[i], 1e-12);
        hf_pose_between(creature, &a, &b, 0.5, &half);
        hf_pose_integrate(creature, &a, v, 0.5, &c);
        hf_pose_difference(creature, &c, &half, back);
        for (int i = 0; i < view->v_count; i++) assert_near(back[i], 0, 1e-12);
        /* Speeds that were integrated come back, as long as no turn passes half a circle. */
        double* speeds = random_speeds(creature, &r);
        hf_pose_integrate(creature, &a, speeds, 0.8, &c);
        hf_pose_difference(creature, &a, &c, back);
        for (int i = 0; i < view->v_count; i++) assert_near(back[i], 0.8 * speeds[i], 1e-12);
        /* In place: the end of the way between. */
        hf_pose_between(creature, &a, &b, 1, &a);
        hf_pose_difference(creature, &a, &b, back);
        for (int i = 0; i < view->v_count; i++) assert_near(back[i], 0, 1e-12);
        free(speeds);
        free(a.q), free(b.q), free(c.q), free(half.q);
    }
    free(v);
    free(back);
    hf_creature_free(creature);
}

static void test_rest(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    hf_pose pose = {.q = calloc((size_t)view->q_count, sizeof(double))};
    hf_pose_rest(creature, &pose);
    assert_same_transform(pose.root, hf_transform_identity(), 0);
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        for (int i = 0; i < joint->q_count; i++)
            if (joint->mimic < 0) assert_near(pose.q[joint->q_index + i], view->rest[joint->q_index + i], 0);
        if (joint->mimic >= 0)
            assert_near(pose.q[joint->q_index],
                        joint->multiplier * pose.q[view->joints[joint->mimic].q_index] + joint->offset, 0);
    }
    free(pose.q);
    hf_creature_free(creature);
}

/* The pose a little along each speed: where a point of a link gets, and how the link turns. */
static void test_point_jacobian(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    size_t n = (size_t)view->link_count, columns = (size_t)view->v_count;
    hf_transform *links = calloc(n, sizeof *links), *low = calloc(n, sizeof *low),
                 *high = calloc(n, sizeof *high);
    double *jacobian = calloc(6 * columns, sizeof *jacobian), *linear = calloc(3 * columns, sizeof *linear);
    double *v = calloc(columns, sizeof *v), step = 1e-5;
    for (int round = 0; round < 5; round++) {
        hf_random r = hf_random_start(5, 0, (uint64_t)round);
        hf_pose pose = random_pose(creature, &r), moved = random_pose(creature, &r);
        hf_forward(creature, &pose, links);
        for (size_t i = 0; i < columns; i++) {
            memset(v, 0, columns * sizeof *v);
            v[i] = 1;
            hf_pose_integrate(creature, &pose, v, step, &moved);
            hf_forward(creature, &moved, high);
            hf_pose_integrate(creature, &pose, v, -step, &moved);
            hf_forward(creature, &moved, low);
            for (int l = 0; l < view->link_count; l++) {
                hf_vec3 local = random_point(&r, 0.5), point = hf_apply(links[l], local);
                hf_point_jacobian(creature, links, l, point, 6, jacobian);
                hf_point_jacobian(creature, links, l, point, 3, linear);
                hf_vec3 move =
                    hf_scale(hf_sub(hf_apply(high[l], local), hf_apply(low[l], local)), 0.5 / step);
                hf_quat turned = hf_quat_mul(high[l].rotation, hf_quat_conj(low[l].rotation));
                hf_vec3 turn = hf_scale(hf_quat_log(turned), 0.5 / step);
                const double expected[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
                for (size_t row = 0; row < 6; row++) {
                    assert_near(jacobian[row * columns + i], expected[row], 1e-8);
                    if (row < 3) assert_near(linear[row * columns + i], jacobian[row * columns + i], 0);
                }
            }
        }
        free(pose.q), free(moved.q);
    }
    free(links), free(low), free(high), free(jacobian), free(linear), free(v);
    hf_creature_free(creature);
}

/* The limb moved a little along each of its speeds, its base held; then J J^T entry by entry. */
static void check_limb_jacobian(const hf_creature* creature, uint64_t seed) {
    const hf_creature_view* view = hf_creature_get(creature);
    const hf_limb* limb = view->limbs;
    size_t columns = 0, at = 0, n = (size_t)view->link_count;
    hf_transform *links = calloc(n, sizeof *links), *low = calloc(n, sizeof *low),
                 *high = calloc(n, sizeof *high);
    double *jacobian = calloc(6 * (size_t)view->v_count, sizeof *jacobian), step = 1e-5;
    hf_random r = hf_random_start(seed, 0, 0);
    hf_pose pose = random_pose(creature, &r), moved = random_pose(creature, &r);
    double* v = calloc((size_t)view->v_count, sizeof *v);
    hf_forward(creature, &pose, links);
    low[limb->base_link] = high[limb->base_link] = links[limb->base_link];
    hf_vec3 local = random_point(&r, 0.2), point = hf_apply(links[limb->effector_link], local);
    for (int i = 0; i < limb->joint_count; i++) columns += (size_t)view->joints[limb->joints[i]].v_count;
    hf_limb_jacobian(creature, 0, links, point, 6, jacobian);
    for (int i = 0; i < limb->joint_count; i++)
        for (int k = 0; k < view->joints[limb->joints[i]].v_count; k++, at++) {
            double* speed = &v[view->joints[limb->joints[i]].v_index + k];
            *speed = 1;
            hf_pose_integrate(creature, &pose, v, step, &moved);
            hf_forward_limb(creature, 0, moved.q, high);
            hf_pose_integrate(creature, &pose, v, -step, &moved);
            hf_forward_limb(creature, 0, moved.q, low);
            *speed = 0;
            hf_transform a = low[limb->effector_link], b = high[limb->effector_link];
            hf_vec3 move = hf_scale(hf_sub(hf_apply(b, local), hf_apply(a, local)), 0.5 / step);
            hf_vec3 turn =
                hf_scale(hf_quat_log(hf_quat_mul(b.rotation, hf_quat_conj(a.rotation))), 0.5 / step);
            const double expected[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
            for (size_t row = 0; row < 6; row++)
                assert_near(jacobian[row * columns + at], expected[row], 1e-8);
        }
    double gram[6];
    hf_limb_jacobian(creature, 0, links, point, 3, jacobian);
    hf_jacobian_gram(jacobian, (int)columns, gram);
    static const size_t pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; k++) {
        double expected = 0;
        for (size_t i = 0; i < columns; i++)
            expected += jacobian[pairs[k][0] * columns + i] * jacobian[pairs[k][1] * columns + i];
        assert_near(gram[k], expected, 1e-13);
    }
    free(links), free(low), free(high), free(jacobian), free(v), free(pose.q), free(moved.q);
}

static void test_limb_jacobian(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    static const char* const limbs[][2] = {{"a", "f"}, {"b", "e"}, {"d", "f"}, {"g", "k"}, {"h", "i"}};
    for (uint64_t l = 0; l < 5; l++) {
        set_limb(creature, limbs[l][0], limbs[l][1], hf_v3(0, 0, 0), hf_v3(1, 0, 0));
        check_limb_jacobian(creature, 6 + l);
    }
    hf_creature_free(creature);
}

static void test_com(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    size_t columns = (size_t)view->v_count;
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    double *jacobian = calloc(3 * columns, sizeof *jacobian), *v = calloc(columns, sizeof *v), step = 1e-5;
    for (int round = 0; round < 5; round++) {
        hf_random r = hf_random_start(7, 0, (uint64_t)round);
        hf_pose pose = random_pose(creature, &r), moved = random_pose(creature, &r);
        hf_forward(creature, &pose, links);
        hf_vec3 sum = {0, 0, 0};
        double mass = 0;
        for (int l = 0; l < view->link_count; l++) {
            mass += view->links[l].mass;
            sum = hf_add(sum, hf_scale(hf_apply(links[l], view->links[l].com), view->links[l].mass));
        }
        hf_vec3 com = hf_com(creature, links);
        assert_near(hf_distance(com, hf_scale(sum, 1 / mass)), 0, 1e-13);
        hf_com_jacobian(creature, links, jacobian);
        for (size_t i = 0; i < columns; i++) {
            memset(v, 0, columns * sizeof *v);
            v[i] = 1;
            hf_pose_integrate(creature, &pose, v, step, &moved);
            hf_forward(creature, &moved, links);
            hf_vec3 high = hf_com(creature, links);
            hf_pose_integrate(creature, &pose, v, -step, &moved);
            hf_forward(creature, &moved, links);
            hf_vec3 slope = hf_scale(hf_sub(high, hf_com(creature, links)), 0.5 / step);
            assert_near(jacobian[i], slope.x, 1e-8);
            assert_near(jacobian[columns + i], slope.y, 1e-8);
            assert_near(jacobian[2 * columns + i], slope.z, 1e-8);
        }
        free(pose.q), free(moved.q);
    }
    free(links), free(jacobian), free(v);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),       cmocka_unit_test(test_forward_parts),
        cmocka_unit_test(test_long_chain),    cmocka_unit_test(test_difference),
        cmocka_unit_test(test_rest),          cmocka_unit_test(test_point_jacobian),
        cmocka_unit_test(test_limb_jacobian), cmocka_unit_test(test_com),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
