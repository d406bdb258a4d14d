/* The solvers: the limb solver against KDL on full-pose targets of the human's arm without clavicle, and the
   whole-body solver by itself. Targets are forward kinematics of uniform postures within the limits; both
   solvers start from the middle of the ranges; every answer is measured by forward kinematics. */
#include "arm.h"
#include "bench.h"
#include "peer_kdl.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 10000, SEEDS = 2, ROUNDS = 5, JOINTS = 7, BODY_TARGETS = 1000, LIMBS = 4 };

static void stop(const char* why) {
    fprintf(stderr, "bench solve: %s\n", why);
    exit(3);
}

typedef struct arm {
    hf_creature* creature;
    const hf_creature_view* view;
    const hf_limb* limb;
    hf_workspace* workspace;
    peer_kdl_chain* chain;
    double lower[JOINTS], upper[JOINTS], middle[JOINTS];
    double *q, *answers; /* a whole pose; JOINTS values for each target */
    hf_transform *links, *targets;
    hf_transform base, root_frame; /* base link, and the limb's root frame, in the world */
} arm;

static void* take(size_t count, size_t size) {
    void* p = hf_alloc(count, size);
    if (!p) stop("out of memory");
    return p;
}

static void open_arm(arm* a) {
    a->creature = bench_load_arm();
    a->view = hf_creature_get(a->creature);
    a->limb = &a->view->limbs[0];
    if (hf_workspace_create(&a->workspace) != HF_OK) stop("out of memory");
    a->q = take((size_t)a->view->q_count, sizeof(double));
    a->links = take((size_t)a->view->link_count, sizeof *a->links);
    a->targets = take(TARGETS, sizeof *a->targets);
    a->answers = take(TARGETS * JOINTS, sizeof(double));
    for (int j = 0; j < JOINTS; j++) {
        const hf_joint* joint = &a->view->joints[a->limb->joints[j]];
        a->lower[j] = joint->lower, a->upper[j] = joint->upper;
        a->middle[j] = (joint->lower + joint->upper) / 2;
    }
    memcpy(a->q, a->view->rest, sizeof(double) * (size_t)a->view->q_count);
    hf_pose pose = {hf_transform_identity(), a->q};
    hf_forward(a->creature, &pose, a->links);
    a->base = a->links[a->limb->base_link];
    a->root_frame = hf_compose(a->base, a->limb->base);
    a->chain = peer_kdl_chain_make(a->creature, 0, hf_v3(0, 0, 0));
}

static void close_arm(arm* a) {
    peer_kdl_chain_free(a->chain);
    hf_free(a->q), hf_free(a->links), hf_free(a->targets), hf_free(a->answers);
    hf_workspace_free(a->workspace);
    hf_creature_free(a->creature);
}

/* The effector's world pose for seven joint values. */
static hf_transform effector_at(arm* a, const double* values) {
    for (int j = 0; j < JOINTS; j++) a->q[a->view->joints[a->limb->joints[j]].q_index] = values[j];
    hf_forward_limb(a->creature, 0, a->q, a->links);
    return a->links[a->limb->effector_link];
}

static void draw_targets(arm* a, uint64_t seed) {
    for (int i = 0; i < TARGETS; i++) {
        hf_random r = hf_random_start(seed, 0, (uint64_t)i);
        double values[JOINTS];
        for (int j = 0; j < JOINTS; j++) values[j] = hf_random_between(&r, a->lower[j], a->upper[j]);
        a->targets[i] = effector_at(a, values);
    }
}

/* Percent of answers inside the limits and within 1 mm and 1 degree. */
static double success(arm* a) {
    int good = 0;
    for (int i = 0; i < TARGETS; i++) {
        const double* values = a->answers + JOINTS * i;
        bool inside = true;
        for (int j = 0; j < JOINTS; j++) inside &= values[j] >= a->lower[j] && values[j] <= a->upper[j];
        hf_transform at = effector_at(a, values);
        good += inside && hf_distance(at.position, a->targets[i].position) <= 1e-3 &&
                hf_quat_angle(at.rotation, a->targets[i].rotation) <= 3.14159265358979323846 / 180;
    }
    return 100.0 * good / TARGETS;
}

static double time_ours(arm* a) {
    hf_solve_options options = hf_solve_options_default();
    options.use_rom = false;
    double start = bench_now();
    for (int i = 0; i < TARGETS; i++) {
        hf_target target = {.kind = HF_TARGET_POSE,
                            .contact = -1,
                            .point = a->targets[i].position,
                            .rotation = a->targets[i].rotation};
        hf_solve_result result;
        for (int j = 0; j < JOINTS; j++) a->q[a->view->joints[a->limb->joints[j]].q_index] = a->middle[j];
        if (hf_limb_solve(a->creature, &a->base, &target, &options, a->workspace, a->q, &result) != HF_OK)
            stop("a target is refused");
        for (int j = 0; j < JOINTS; j++)
            a->answers[JOINTS * i + j] = a->q[a->view->joints[a->limb->joints[j]].q_index];
    }
    return (bench_now() - start) / TARGETS * 1e6;
}

static double time_kdl(arm* a) {
    hf_transform* local = take(TARGETS, sizeof *local);
    for (int i = 0; i < TARGETS; i++) local[i] = hf_compose(hf_inverse(a->root_frame), a->targets[i]);
    double start = bench_now();
    peer_kdl_solve(a->chain, a->lower, a->upper, a->middle, local, TARGETS, a->answers);
    double time = (bench_now() - start) / TARGETS * 1e6;
    hf_free(local);
    return time;
}

static void bench_limb(void) {
    arm a = {0};
    open_arm(&a);
    double ours = 0, peer = 0, ours_good = 100, peer_good = 100;
    for (int seed = 0; seed < SEEDS; seed++) {
        draw_targets(&a, 1000 + (uint64_t)seed);
        /* In turns, the best round of each; KDL's rounds are long. */
        double best = INFINITY, best_peer = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            best = fmin(best, time_ours(&a));
            if (round == 0) ours_good = fmin(ours_good, success(&a));
            if (round % 3 == 0) best_peer = fmin(best_peer, time_kdl(&a));
            if (round == 0) peer_good = fmin(peer_good, success(&a));
        }
        ours += best / SEEDS, peer += best_peer / SEEDS;
    }
    bench_row("limb solver, 7-joint arm, mean time", ours, "us", "KDL", peer, 15);
    bench_row_higher("limb solver, 7-joint arm, success", ours_good, "%", "limit", 99.9, 1);
    bench_row_higher("limb solver, 7-joint arm, success beside KDL's", ours_good, "%", "KDL", peer_good, 0);
    close_arm(&a);
}

/* Hands and feet of the human on the floor and walls: normals and points of random poses, feet held. */
static void bench_body(void) {
    static const char* const names[LIMBS] = {"left_leg", "right_leg", "left_arm", "right_arm"};
    hf_creature* human = bench_load(bench_path("data/creatures/human.creature.json"));
    const hf_creature_view* view = hf_creature_get(human);
    hf_workspace* workspace;
    if (hf_workspace_create(&workspace) != HF_OK) stop("out of memory");
    double *q = take((size_t)view->q_count, sizeof *q), time = 0;
    hf_transform* links = take((size_t)view->link_count, sizeof *links);
    hf_pose pose = {hf_transform_identity(), q};
    int reached = 0;
    for (int i = 0; i < BODY_TARGETS; i++) {
        hf_random r = hf_random_start(7, 0, (uint64_t)i);
        hf_target targets[LIMBS];
        hf_pose_rest(human, &pose);
        for (int j = 0; j < view->joint_count; j++) {
            const hf_joint* joint = &view->joints[j];
            if (joint->v_count != 1 || !isfinite(joint->lower)) continue;
            q[joint->q_index] = hf_random_between(&r, joint->lower, joint->upper);
        }
        hf_pose_follow(human, q);
        hf_forward(human, &pose, links);
        for (int k = 0; k < LIMBS; k++) {
            int limb = hf_creature_find_limb(human, names[k]);
            if (limb < 0) stop("the human lacks a limb");
            const hf_contact_frame* contact = &view->limbs[limb].contacts[0];
            hf_transform at = links[contact->link];
            targets[k] = (hf_target){.kind = HF_TARGET_NORMAL,
                                     .limb = limb,
                                     .held = k < 2,
                                     .point = hf_apply(at, contact->offset),
                                     .normal = hf_neg(hf_rotate(at.rotation, contact->normal))};
        }
        hf_body_solve_options options = hf_body_solve_options_default();
        options.solve.use_rom = false;
        hf_solve_result result;
        hf_pose_rest(human, &pose);
        double start = bench_now();
        if (hf_body_solve(human, targets, LIMBS, &options, workspace, &pose, NULL, &result) != HF_OK)
            stop("targets are refused");
        time += bench_now() - start;
        reached += result.stop == HF_STOP_REACHED;
    }
    bench_row("whole-body solver, human, four limbs, mean time", time / BODY_TARGETS * 1e6, "us", "limit",
              2000, 1);
    bench_row_higher("whole-body solver, human, four limbs, success", 100.0 * reached / BODY_TARGETS, "%",
                     "limit", 99, 0);
    hf_free(q), hf_free(links);
    hf_workspace_free(workspace);
    hf_creature_free(human);
}

void bench_solve(void) {
    bench_limb();
    bench_body();
}
