/* The shipped creatures: plausible, symmetric, standing, and free of collision. */
#include "test.h"

#include "base/random.h"
#include <stdlib.h>

typedef struct shipped {
    const char* name;
    double mass[2], height[2]; /* kg, m: least and most */
    int limbs, legs;           /* limbs that touch; those that stand, whose names end in "leg" */
    int leg_joints;
} shipped;

static const shipped all[] = {
    {"human", {70, 80}, {1.72, 1.76}, 9, 2, 6},   {"climber", {70, 80}, {1.72, 1.76}, 4, 2, 6},
    {"insect", {1.5, 3}, {0.15, 0.3}, 6, 6, 4},   {"spider", {2, 5}, {0.2, 0.4}, 8, 8, 5},
    {"quadruped", {20, 40}, {0.6, 0.9}, 4, 4, 4},
};
enum { COUNT = sizeof all / sizeof *all, Q_MAX = 128, LINK_MAX = 128 };

static hf_creature* load(const char* name) {
    hf_creature* creature = shipped_creature(name);
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

/* The climber's toes are beyond the foot that its legs end at: they move with it, bent or not, and can be
   sent somewhere, for which they bend themselves; a sole that is sent leaves them as they are. */
static void toes_touch(void** state) {
    (void)state;
    hf_creature* creature = load("climber");
    const hf_creature_view* v = hf_creature_get(creature);
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    int leg = hf_creature_find_limb(creature, "left_leg"), toe = -1, reached = 0;
    const hf_limb* limb = &v->limbs[leg];
    const hf_contact_frame* f = &limb->contacts[1];
    assert_string_equal(v->links[f->link].name, "l_toe");
    assert_int_equal(v->links[f->link].parent_link, limb->effector_link);
    for (int j = 0; j < v->joint_count; j++)
        if (v->joints[j].child_link == f->link) toe = v->joints[j].q_index;
    hf_mesh hull;
    hf_error error;
    assert_int_equal(hf_reach_volume(creature, leg, 1, &hull, &error), HF_OK);
    double least[2] = {1e9, 1e9};
    for (int i = 0; i < hull.vertex_count; i++) least[0] = fmin(least[0], (double)hull.vertices[3 * i + 2]);
    for (int i = 0; i < 50; i++) {
        static hf_transform links[LINK_MAX], some[LINK_MAX];
        double q[Q_MAX], bend = 0.02 * i;
        hf_pose pose = {hf_transform_identity(), q};
        hf_random r = hf_random_start(1, 2, (uint64_t)i);
        hf_pose_rest(creature, &pose);
        hf_forward(creature, &pose, some);
        q[toe] = bend;
        for (int k = 0; k < limb->joint_count; k++) {
            const hf_joint* joint = &v->joints[limb->joints[k]];
            q[joint->q_index] += hf_random_between(&r, 0, 0.3);
        }
        hf_forward(creature, &pose, links);
        hf_forward_limb(creature, leg, q, some);
        assert_true(hf_distance(links[f->link].position, some[f->link].position) < 1e-12);
        hf_target target = {.kind = HF_TARGET_POSE, .limb = leg, .contact = 1};
        target.point = hf_apply(links[f->link], f->offset), target.rotation = links[f->link].rotation;
        least[1] = fmin(least[1], hf_unapply(hf_compose(links[limb->base_link], limb->base), target.point).z);
        hf_vec3 sole = hf_apply(links[limb->effector_link], limb->contacts[0].offset);
        hf_pose_rest(creature, &pose);
        hf_solve_options o = hf_solve_options_default();
        hf_solve_result result;
        assert_int_equal(hf_limb_solve(creature, &links[limb->base_link], &target, &o, workspace, q, &result),
                         HF_OK);
        hf_forward(creature, &pose, links);
        reached += hf_distance(hf_apply(links[f->link], f->offset), target.point) < 2e-4 &&
                   hf_quat_angle(links[f->link].rotation, target.rotation) < 2e-3;
        double was = q[toe];
        target = (hf_target){.kind = HF_TARGET_POSITION, .limb = leg, .point = sole};
        assert_int_equal(hf_limb_solve(creature, &links[limb->base_link], &target, &o, workspace, q, &result),
                         HF_OK);
        assert_true(result.outcome == HF_FOUND && q[toe] == was);
    }
    assert_int_equal(reached, 50);
    assert_true(least[0] <= least[1]);
    assert_true(limb->length >= -least[0]);
    hf_mesh_free(&hull);
    hf_workspace_free(workspace);
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

/* Every shipped pose scenario is solved at its first try, each target on a surface, free of collision. */
static void scenarios_are_solved(void** state) {
    (void)state;
    static const char* const names[] = {"demo",           "pose-insect", "pose-kneel",
                                        "pose-quadruped", "pose-sit",    "pose-spider"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200], text[1024];
        snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", names[i]);
        hf_scenario* s = NULL;
        hf_error error;
        if (hf_scenario_load(data_path(path), NULL, &s, &error) != HF_OK)
            fail_msg("%s", hf_error_text(&error, text, sizeof text));
        assert_int_equal(s->warning_count, 0);
        hf_placement* placement = NULL;
        hf_workspace* workspace = NULL;
        assert_int_equal(hf_placement_create(s->scene, &placement), HF_OK);
        assert_int_equal(hf_workspace_create(&workspace), HF_OK);
        hf_hold touches[16];
        assert_in_range(s->target_count, 4, 16);
        for (int t = 0; t < s->target_count; t++) {
            hf_surface surface;
            assert_true(hf_placement_closest(placement, s->targets[t].point, 1e-4, &surface));
            if (s->targets[t].kind == HF_TARGET_NORMAL)
                assert_true(hf_dot(surface.normal, s->targets[t].normal) > 0.999);
            touches[t] = (hf_hold){.limb = s->targets[t].limb, .object = surface.object, .grip = false};
        }
        hf_body_solve_options options = hf_body_solve_options_default();
        options.solve.seed = s->seed;
        options.solve.posture = s->start.pose.q;
        options.guide = &s->start.pose.root;
        hf_solve_result result;
        hf_status status = hf_body_solve(s->creature, s->targets, s->target_count, &options, workspace,
                                         &s->start.pose, NULL, &result);
        assert_int_equal(status, HF_OK);
        assert_int_equal(result.outcome, HF_FOUND);
        assert_true(hf_pose_within_rom(s->creature, s->start.pose.q, 1e-6));
        hf_transform links[LINK_MAX];
        hf_forward(s->creature, &s->start.pose, links);
        hf_collision_query query = hf_collision_query_default();
        query.touches = touches;
        query.touch_count = s->target_count;
        assert_false(hf_collides(s->creature, placement, links, &query, NULL));
        hf_placement_free(placement);
        hf_workspace_free(workspace);
        hf_scenario_free(s);
    }
}

/* The shipped meshes are what their comment says: closed pieces that face outwards. */
static void scenes_are_solid(void** state) {
    (void)state;
    static const char* const names[] = {"room", "table", "chair", "shelf", "step", "crate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "data/scenes/%s.obj", names[i]);
        hf_mesh mesh;
        char* warnings = NULL;
        assert_int_equal(hf_mesh_load(data_path(path), &mesh, &warnings, NULL), HF_OK);
        assert_true(!warnings || !*warnings);
        /* Boxes: every edge has its reverse exactly once, and each eight corners hold a positive volume. */
        double volume = 0;
        for (int t = 0; t < mesh.triangle_count; t++) {
            const uint32_t* a = mesh.indices + 3 * (size_t)t;
            hf_vec3 p[3];
            for (int k = 0; k < 3; k++) {
                const float* x = mesh.vertices + 3 * (size_t)a[k];
                p[k] = hf_v3(x[0], x[1], x[2]);
                int reverse = 0;
                for (int n = 0; n < 3 * mesh.triangle_count; n++) {
                    const uint32_t* b = mesh.indices + 3 * (size_t)(n / 3);
                    reverse += b[n % 3] == a[(k + 1) % 3] && b[(n + 1) % 3] == a[k];
                }
                assert_int_equal(reverse, 1);
            }
            volume += hf_dot(p[0], hf_cross(p[1], p[2])) / 6;
            /* Outwards of its own box. */
            hf_vec3 middle = hf_v3(0, 0, 0), normal = hf_cross(hf_sub(p[1], p[0]), hf_sub(p[2], p[0]));
            for (uint32_t k = 0; k < 8; k++) {
                const float* x = mesh.vertices + 3 * (size_t)(a[0] / 8 * 8 + k);
                middle = hf_add(middle, hf_scale(hf_v3(x[0], x[1], x[2]), 0.125));
            }
            assert_true(hf_dot(normal, hf_sub(p[0], middle)) > 0);
        }
        assert_true(volume > 0.005);
        hf_text_free(warnings);
        hf_mesh_free(&mesh);
    }
}

static char* whole_file(const char* path) {
    FILE* in = fopen(path, "rb");
    if (!in) return NULL;
    char* text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, in);
    assert_true(size < (1 << 20) - 1);
    fclose(in);
    return text;
}

/* The scripts still write what ships. */
static void scripts_write_what_ships(void** state) {
    (void)state;
    if (system("python3 -c pass 2>/dev/null") != 0) skip();
    static const char* const files[] = {
        "creatures/human.urdf",
        "creatures/human.srdf",
        "creatures/human.creature.json",
        "creatures/insect.urdf",
        "creatures/insect.srdf",
        "creatures/insect.creature.json",
        "creatures/spider.urdf",
        "creatures/spider.srdf",
        "creatures/spider.creature.json",
        "creatures/quadruped.urdf",
        "creatures/quadruped.srdf",
        "creatures/quadruped.creature.json",
        "creatures/climber.creature.json",
        "scenes/room.obj",
        "scenes/table.obj",
        "scenes/chair.obj",
        "scenes/shelf.obj",
        "scenes/step.obj",
        "scenes/crate.obj",
    };
    char command[4096], shipped_path[1200], path[1200];
    for (int i = 0; i < 2; i++) {
        const char* kind = i ? "scenes" : "creatures";
        snprintf(command, sizeof command, "python3 %s/script/make-%s %s/%s >/dev/null", HF_SOURCE_DIR, kind,
                 test_folder(), kind);
        assert_int_equal(system(command), 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(shipped_path, sizeof shipped_path, "%s/data/%s", HF_SOURCE_DIR, files[i]);
        snprintf(path, sizeof path, "%s/%s", test_folder(), files[i]);
        char *one = whole_file(shipped_path), *two = whole_file(path);
        assert_non_null(one);
        assert_non_null(two);
        if (strcmp(one, two) != 0) fail_msg("%s is not what its script writes", files[i]);
        free(one);
        free(two);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plausible),        cmocka_unit_test(inertias_are_possible),
        cmocka_unit_test(rest_is_free),     cmocka_unit_test(sides_mirror),
        cmocka_unit_test(contacts_on_skin), cmocka_unit_test(stands),
        cmocka_unit_test(human_limbs),      cmocka_unit_test(toes_touch),
        cmocka_unit_test(human_regions),    cmocka_unit_test(scenarios_are_solved),
        cmocka_unit_test(scenes_are_solid), cmocka_unit_test(scripts_write_what_ships),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
