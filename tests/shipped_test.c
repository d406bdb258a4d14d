/* The shipped creatures: plausible, symmetric, standing, and free of collision. */
#include "test.h"

#include "base/random.h"

typedef struct shipped {
    const char* name;
    double mass[2], height[2]; /* kg, m: least and most */
    int limbs, legs;           /* limbs that touch; those that stand, whose names end in "leg" */
    int leg_joints;
} shipped;

static const shipped all[] = {
    {"human", {70, 80}, {1.72, 1.76}, 9, 2, 6},
    {"insect", {1.5, 3}, {0.15, 0.3}, 6, 6, 4},
    {"spider", {2, 5}, {0.2, 0.4}, 8, 8, 5},
    {"quadruped", {20, 40}, {0.6, 0.9}, 4, 4, 4},
};
enum { COUNT = sizeof all / sizeof *all, Q_MAX = 128, LINK_MAX = 128 };

static hf_creature* load(const char* name) {
    char path[200], text[1024];
    snprintf(path, sizeof path, "data/creatures/%s.creature.json", name);
    hf_creature* creature = NULL;
    hf_error error;
    if (hf_creature_load(data_path(path), NULL, &creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    assert_in_range(hf_creature_get(creature)->q_count, 1, Q_MAX);
    assert_in_range(hf_creature_get(creature)->link_count, 1, LINK_MAX);
    return creature;
}

static void rest_links(const hf_creature* creature, hf_transform* links) {
    double q[Q_MAX];
    hf_pose pose = {hf_transform_identity(), q};
    hf_pose_rest(creature, &pose);
    hf_forward(creature, &pose, links);
}

static bool is_leg(const hf_limb* limb) {
    size_t n = strlen(limb->name);
    return n > 3 && strcmp(limb->name + n - 3, "leg") == 0;
}

static void plausible(void** state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        hf_creature* creature = load(all[i].name);
        const hf_creature_view* v = hf_creature_get(creature);
        for (int w = 0; w < v->warnings.count; w++)
            print_error("%s: %s\n", all[i].name, v->warnings.items[w]);
        assert_int_equal(v->warnings.count, 0);
        assert_string_equal(v->name, all[i].name);
        assert_true(v->mass >= all[i].mass[0] && v->mass <= all[i].mass[1]);
        assert_true(v->height >= all[i].height[0] && v->height <= all[i].height[1]);
        int legs = 0, used = 0;
        for (int l = 0; l < v->limb_count; l++) {
            used += v->limbs[l].use;
            legs += is_leg(&v->limbs[l]);
            if (is_leg(&v->limbs[l])) assert_int_equal(v->limbs[l].joint_count, all[i].leg_joints);
            assert_true(v->limbs[l].contact_count >= 1);
        }
        assert_int_equal(used, all[i].limbs);
        assert_int_equal(legs, all[i].legs);
        assert_true(v->gait_count >= 2);
        assert_true(v->state_count >= 1);
        /* Every joint says all its limits. */
        for (int j = 0; j < v->joint_count; j++) {
            assert_true(v->joints[j].lower < v->joints[j].upper);
            assert_true(v->joints[j].max_speed > 0 && isfinite(v->joints[j].max_effort));
        }
        hf_creature_free(creature);
    }
}

/* Inertia tensors that a rigid body can have: positive, and no principal moment above the sum of the others.
 */
static void inertias_are_possible(void** state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        hf_creature* creature = load(all[i].name);
        const hf_creature_view* v = hf_creature_get(creature);
        for (int k = 0; k < v->link_count; k++) {
            const double* t = v->links[k].inertia;
            assert_true(v->links[k].mass > 0);
            /* With S = trace / 2 - I, the second moments of mass: positive definite by its leading minors. */
            double half = (t[0] + t[1] + t[2]) / 2, a = half - t[0], b = half - t[1], c = half - t[2];
            double d = -t[3], e = -t[4], f = -t[5];
            double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
            assert_true(a > 0 && a * b - d * d > 0 && det > 0);
        }
        hf_creature_free(creature);
    }
}

static int parent_with_body(const hf_creature_view* v, int link) {
    do link = v->links[link].parent_link;
    while (link >= 0 && v->links[link].body_count == 0);
    return link;
}

/* At rest only neighbours touch, and nothing collides. */
static void rest_is_free(void** state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        hf_creature* creature = load(all[i].name);
        const hf_creature_view* v = hf_creature_get(creature);
        hf_transform links[LINK_MAX];
        rest_links(creature, links);
        assert_true(hf_pose_within_rom(creature, v->rest, 0));
        for (int r = 0; r < v->rom_count; r++) assert_true(hf_rom_comfort(creature, r, v->rest) > 0.1);
        for (int a = 0; a < v->body_count; a++)
            for (int b = a + 1; b < v->body_count; b++) {
                const hf_body *x = &v->bodies[a], *y = &v->bodies[b];
                if (x->link == y->link) continue;
                double gap = hf_shape_distance(&x->shape, hf_compose(links[x->link], x->in_link), &y->shape,
                                               hf_compose(links[y->link], y->in_link));
                bool neighbours =
                    parent_with_body(v, x->link) == y->link || parent_with_body(v, y->link) == x->link;
                if (neighbours)
                    assert_false(hf_creature_pair_enabled(creature, a, b) && x->link != y->link && gap <= 0);
                else if (gap <= 0)
                    fail_msg("%s: %s touches %s", all[i].name, v->links[x->link].name,
                             v->links[y->link].name);
            }
        hf_collision_query query = hf_collision_query_default();
        query.scene = false;
        assert_false(hf_collides(creature, NULL, links, &query, NULL));
        hf_creature_free(creature);
    }
}

/* The same joint values on both sides give mirrored limbs. */
static void sides_mirror(void** state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        hf_creature* creature = load(all[i].name);
        const hf_creature_view* v = hf_creature_get(creature);
        int pairs = 0;
        for (int l = 0; l < v->limb_count; l++) {
            const hf_limb* right = &v->limbs[l];
            if (right->mirror_of < 0) continue;
            const hf_limb* left = &v->limbs[right->mirror_of];
            pairs++;
            assert_int_equal(left->joint_count, right->joint_count);
            assert_int_equal(left->contact_count, right->contact_count);
            assert_near(left->length, right->length, 1e-9);
            for (int n = 0; n < 50; n++) {
                hf_random random = hf_random_start(7, (uint32_t)l, (uint64_t)n);
                double q[Q_MAX];
                hf_transform links[LINK_MAX];
                hf_pose pose = {hf_transform_identity(), q};
                hf_pose_rest(creature, &pose);
                for (int k = 0; k < left->joint_count; k++) {
                    const hf_joint *a = &v->joints[left->joints[k]], *b = &v->joints[right->joints[k]];
                    assert_true(a->lower == b->lower && a->upper == b->upper);
                    assert_true(a->max_speed == b->max_speed && a->max_effort == b->max_effort);
                    q[a->q_index] = q[b->q_index] = hf_random_between(&random, a->lower, a->upper);
                }
                hf_forward(creature, &pose, links);
                for (int k = 0; k < left->contact_count; k++) {
                    const hf_contact_frame *a = &left->contacts[k], *b = &right->contacts[k];
                    hf_vec3 p = hf_apply(links[a->link], a->offset), r = hf_apply(links[b->link], b->offset);
                    hf_vec3 m = hf_rotate(links[a->link].rotation, a->normal),
                            o = hf_rotate(links[b->link].rotation, b->normal);
                    assert_true(hf_distance(p, hf_v3(r.x, -r.y, r.z)) < 1e-6);
                    assert_true(hf_distance(m, hf_v3(o.x, -o.y, o.z)) < 1e-6);
                }
            }
        }
        assert_int_equal(2 * pairs, all[i].limbs / 2 * 2);
        /* Masses mirror as well: the centre of mass lies in the middle. */
        hf_transform links[LINK_MAX];
        rest_links(creature, links);
        assert_near(hf_com(creature, links).y, 0, 1e-6);
        hf_creature_free(creature);
    }
}

/* Distance from a point to the bodies of a link; 0 inside. */
static double link_distance(const hf_creature_view* v, int link, hf_vec3 p) {
    const hf_shape dot = {.kind = HF_SHAPE_SPHERE, .radius = 1e-9};
    double best = INFINITY;
    for (int i = 0; i < v->links[link].body_count; i++) {
        const hf_body* b = &v->bodies[v->links[link].first_body + i];
        hf_transform at = {p, hf_quat_identity()};
        best = fmin(best, hf_shape_distance(&dot, at, &b->shape, b->in_link));
    }
    return best;
}

/* Contact frames lie on the skin of their link within 1 mm, and their normals point out of it. */
static void contacts_on_skin(void** state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        hf_creature* creature = load(all[i].name);
        const hf_creature_view* v = hf_creature_get(creature);
        for (int l = 0; l < v->limb_count; l++)
            for (int k = 0; k < v->limbs[l].contact_count; k++) {
                const hf_contact_frame* c = &v->limbs[l].contacts[k];
                hf_vec3 skin = hf_add(c->offset, hf_scale(c->normal, c->ball));
                assert_near(hf_length(c->normal), 1, 1e-9);
                assert_true(link_distance(v, c->link, skin) <= 0.001);
                assert_true(link_distance(v, c->link, hf_sub(skin, hf_scale(c->normal, 0.001))) < 1e-6);
                assert_near(link_distance(v, c->link, hf_add(skin, hf_scale(c->normal, 0.01))), 0.01, 0.001);
                /* A ball is round wherever it touches. */
                for (int n = 0; c->ball > 0 && n < 20; n++) {
                    hf_random random = hf_random_start(8, 0, (uint64_t)n);
                    hf_vec3 side = hf_normalize(hf_v3(hf_random_between(&random, -1, 1),
                                                      hf_random_between(&random, -1, 1),
                                                      hf_random_between(&random, -1, 1)));
                    if (hf_dot(side, c->normal) < 0) continue;
                    hf_vec3 p = hf_add(c->offset, hf_scale(side, c->ball + 0.01));
                    assert_near(link_distance(v, c->link, p), 0.01, 0.001);
                }
            }
        hf_creature_free(creature);
    }
}

/* At rest all feet stand on one level plane, nothing is below it, and the centre of mass is above their
 * polygon. */
static void stands(void** state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        hf_creature* creature = load(all[i].name);
        const hf_creature_view* v = hf_creature_get(creature);
        hf_transform links[LINK_MAX];
        rest_links(creature, links);
        hf_vec3 feet[64];
        int count = 0;
        double ground = INFINITY;
        for (int l = 0; l < v->limb_count; l++) {
            if (!is_leg(&v->limbs[l])) continue;
            const hf_contact_frame* c = &v->limbs[l].contacts[0];
            hf_vec3 p = hf_apply(links[c->link], c->offset);
            p.z -= c->ball;
            if (!c->ball) assert_near(hf_rotate(links[c->link].rotation, c->normal).z, -1, 1e-6);
            if (ground == INFINITY) ground = p.z;
            assert_near(p.z, ground, 1e-4);
            for (int k = 0; k < 4; k++) {
                double x = (k & 1 ? 0.5 : -0.5) * c->patch[0], y = (k & 2 ? 0.5 : -0.5) * c->patch[1];
                feet[count++] = hf_add(p, hf_rotate(links[c->link].rotation, hf_v3(x, y, 0)));
            }
        }
        /* Bodies against a large box whose top is the ground, a hair lower. */
        const hf_shape floor = {.kind = HF_SHAPE_BOX, .half_size = {5, 5, 0.5}};
        hf_transform under = {hf_v3(0, 0, ground - 0.5005), hf_quat_identity()};
        for (int b = 0; b < v->body_count; b++) {
            const hf_body* body = &v->bodies[b];
            assert_true(hf_shape_distance(&body->shape, hf_compose(links[body->link], body->in_link), &floor,
                                          under) > 0);
        }
        /* In every horizontal direction some foot is at least 2 cm farther out than the centre of mass. */
        hf_vec3 com = hf_com(creature, links);
        for (int k = 0; k < 64; k++) {
            hf_vec3 d = hf_v3(cos(k * 0.0981748), sin(k * 0.0981748), 0);
            double farthest = -INFINITY;
            for (int n = 0; n < count; n++) farthest = fmax(farthest, hf_dot(d, hf_sub(feet[n], com)));
            assert_true(farthest > 0.02);
        }
        hf_creature_free(creature);
    }
}

static int joint_at(const hf_creature* creature, const char* name) {
    int joint = hf_creature_find_joint(creature, name);
    assert_true(joint >= 0);
    return hf_creature_get(creature)->joints[joint].q_index;
}

static void human_limbs(void** state) {
    (void)state;
    hf_creature* creature = load("human");
    const hf_creature_view* v = hf_creature_get(creature);
    int arm = hf_creature_find_limb(creature, "right_arm"),
        elbow = hf_creature_find_limb(creature, "right_elbow");
    int seat = hf_creature_find_limb(creature, "seat");
    assert_true(arm >= 0 && elbow >= 0 && seat >= 0);
    assert_int_equal(v->limbs[arm].joint_count, 9);
    assert_string_equal(v->joints[v->limbs[arm].joints[0]].name, "r_clavicle_y");
    assert_string_equal(v->links[v->limbs[arm].root_link].name, "r_clavicle");
    assert_true(v->limbs[arm].grip);
    assert_near(v->limbs[arm].length, 0.78, 0.08);
    assert_int_equal(v->limbs[seat].joint_count, 0);
    assert_int_equal(v->limbs[arm].exclude_count, 1);
    assert_int_equal(v->limbs[arm].excludes[0], elbow);
    /* Elbows bend forwards, knees backwards, arms and legs rise forwards. */
    double q[Q_MAX];
    hf_transform links[LINK_MAX];
    hf_pose pose = {hf_transform_identity(), q};
    memset(q, 0, sizeof q);
    q[joint_at(creature, "r_elbow")] = 1;
    q[joint_at(creature, "r_knee")] = 1;
    q[joint_at(creature, "l_shoulder_y")] = 1;
    q[joint_at(creature, "l_hip_y")] = 1;
    hf_forward(creature, &pose, links);
    assert_true(links[hf_creature_find_link(creature, "r_hand")].position.x > 0.1);
    assert_true(links[hf_creature_find_link(creature, "r_foot")].position.x < -0.1);
    assert_true(links[hf_creature_find_link(creature, "l_hand")].position.x > 0.3);
    assert_true(links[hf_creature_find_link(creature, "l_foot")].position.x > 0.3);
    assert_true(links[hf_creature_find_link(creature, "l_hand")].position.y > 0);
    hf_creature_free(creature);
}

/* Known postures are in the regions of shoulder and hip, impossible ones are not. */
static void human_regions(void** state) {
    (void)state;
    hf_creature* creature = load("human");
    const hf_creature_view* v = hf_creature_get(creature);
    assert_int_equal(v->rom_count, 4);
    static const struct {
        const char* group;
        double value[3]; /* flexion, abduction, inward turn */
        bool possible;
    } cases[] = {
        {"shoulder", {0, 0.1, 0}, true},        /* hangs */
        {"shoulder", {1.57, 0.1, 0}, true},     /* points forwards */
        {"shoulder", {0, 1.5, 0}, true},        /* stretched to the side */
        {"shoulder", {0, 1.5, -1.5}, true},     /* as if to throw */
        {"shoulder", {2.4, 0.2, 0}, true},      /* overhead */
        {"shoulder", {-0.6, 0.1, 0.2}, true},   /* elbow behind the back */
        {"shoulder", {-0.7, 0.2, -1.7}, false}, /* behind the body and turned far outwards */
        {"shoulder", {2.4, 0.2, -1.7}, false},  /* overhead and turned far outwards */
        {"shoulder", {0, -0.6, 0}, false},      /* straight through the trunk */
        {"hip", {0, 0, 0}, true},
        {"hip", {1.6, 0.1, 0}, true},     /* sits */
        {"hip", {1.4, 0.6, -0.4}, true},  /* sits cross-legged */
        {"hip", {-0.25, 0.05, 0}, true},  /* last moment of a step */
        {"hip", {2.0, -0.3, 0.5}, false}, /* impingement */
        {"hip", {-0.3, 0.7, 0}, false},
    };
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double q[Q_MAX];
            memcpy(q, v->rest, (size_t)v->q_count * sizeof *q);
            for (int a = 0; a < 3; a++) {
                char name[64];
                snprintf(name, sizeof name, "%c_%s_%c", "rl"[side], cases[i].group, "yxz"[a]);
                q[joint_at(creature, name)] = cases[i].value[a];
            }
            if (hf_pose_within_rom(creature, q, 1e-9) != cases[i].possible)
                fail_msg("%s %g %g %g should be %s", cases[i].group, cases[i].value[0], cases[i].value[1],
                         cases[i].value[2], cases[i].possible ? "possible" : "impossible");
        }
    /* Samples of each region keep its limits, and comfort has a peak. */
    for (int r = 0; r < v->rom_count; r++) {
        double q[Q_MAX], most = 0;
        memcpy(q, v->rest, (size_t)v->q_count * sizeof *q);
        for (int n = 0; n < 2000; n++) {
            assert_true(hf_rom_sample(creature, r, 1, (uint64_t)n, 1000, q));
            if (n < 100) assert_true(hf_pose_within_rom(creature, q, 1e-9));
            most = fmax(most, hf_rom_comfort(creature, r, q));
        }
        assert_true(most > 0.7);
    }
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plausible),        cmocka_unit_test(inertias_are_possible),
        cmocka_unit_test(rest_is_free),     cmocka_unit_test(sides_mirror),
        cmocka_unit_test(contacts_on_skin), cmocka_unit_test(stands),
        cmocka_unit_test(human_limbs),      cmocka_unit_test(human_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
