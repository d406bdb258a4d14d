/* Kinematics: the batch kernel against KDL, whole-body kinematics and inverse dynamics against MuJoCo. Each
   pair of times is taken in turns, the best of many rounds of each; answers are compared first. */
#include "bench.h"
#include "arm.h"
#include "peer_kdl.h"
#include "../tests/mujoco_urdf.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/limb_batch.h"

#include <unistd.h>

enum { SAMPLES = 10000, ROUNDS = 30, POSES = 200 };

static void stop(const char* why) {
    fprintf(stderr, "bench kinematics: %s\n", why);
    exit(3);
}

static float* float_rows(int count) {
    float* rows = hf_alloc_aligned((size_t)count * SAMPLES, sizeof *rows);
    if (!rows) stop("out of memory");
    return rows;
}

static double time_batch(hf_cpu cpu, const hf_batch_program* program, const hf_batch* batch) {
    double start = bench_now();
    hf_batch_run(cpu, program, batch);
    return (bench_now() - start) / SAMPLES * 1e9;
}

static void compare_with_kdl(const hf_batch* b, const double* point, const double* gram) {
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < 3; k++)
            if (!(fabs((double)b->point[k * SAMPLES + i] - point[3 * i + k]) < 1e-5))
                stop("KDL's points differ");
        for (int k = 0; k < 6; k++)
            if (!(fabs((double)b->gram[k * SAMPLES + i] - gram[6 * i + k]) < 1e-5))
                stop("KDL's J J^T differ");
    }
}

static void bench_batch(void) {
    hf_creature* creature = bench_load_arm();
    const hf_creature_view* view = hf_creature_get(creature);
    const hf_limb* arm = &view->limbs[0];
    float* theta = float_rows(7);
    double* q = hf_alloc(7 * SAMPLES, sizeof *q);
    double *point = hf_alloc(3 * SAMPLES, sizeof *point), *gram = hf_alloc(6 * SAMPLES, sizeof *gram);
    if (!q || !point || !gram) stop("out of memory");
    for (int i = 0; i < SAMPLES; i++) {
        hf_random r = hf_random_start(1, 0, (uint64_t)i);
        for (int j = 0; j < 7; j++) {
            const hf_joint* joint = &view->joints[arm->joints[j]];
            theta[j * SAMPLES + i] = (float)hf_random_between(&r, joint->lower, joint->upper);
            q[7 * i + j] = (double)theta[j * SAMPLES + i];
        }
    }
    hf_batch all = {SAMPLES, SAMPLES, theta, float_rows(3), float_rows(3), float_rows(6)}, two = all;
    two.normal = NULL;
    hf_batch_program program;
    if (hf_batch_compile(creature, 0, 0, &program) != HF_OK) stop("the arm is refused");
    peer_kdl_chain* chain = peer_kdl_chain_make(creature, 0, arm->contacts[0].offset);

    hf_cpu best = hf_cpu_best();
    double ours = 1e9, with_normal = 1e9, builds[HF_CPU_COUNT] = {1e9, 1e9, 1e9}, peer = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_now();
        peer_kdl_batch(chain, q, SAMPLES, point, gram);
        peer = fmin(peer, (bench_now() - start) / SAMPLES * 1e9);
        ours = fmin(ours, time_batch(best, &program, &two));
        with_normal = fmin(with_normal, time_batch(best, &program, &all));
        for (int cpu = 0; cpu < (int)best; cpu++)
            builds[cpu] = fmin(builds[cpu], time_batch((hf_cpu)cpu, &program, &two));
        if (round == 0) compare_with_kdl(&all, point, gram);
    }
    static const char* const names[] = {"batch kernel, baseline build", "batch kernel, AVX2 build"};
    bench_row("batch kernel, p + J J^T, 7-joint arm", ours, "ns", "KDL", peer, 100);
    bench_row("batch kernel, p + normal + J J^T, 7-joint arm", with_normal, "ns", "KDL", peer, 0);
    for (int cpu = 0; cpu < (int)best; cpu++) bench_row(names[cpu], builds[cpu], "ns", "KDL", peer, 0);
    peer_kdl_chain_free(chain);
    hf_free(theta), hf_free(q), hf_free(point), hf_free(gram);
    hf_free(all.point), hf_free(all.normal), hf_free(all.gram);
    hf_creature_free(creature);
}

/* Everything that whole-body timing needs, ours and MuJoCo's. */
typedef struct whole {
    hf_creature* creature;
    hf_workspace* workspace;
    hf_transform* links;
    hf_pose poses[POSES];
    double *speeds[POSES], *rates[POSES];
    double *force, *theirs, *expected;
    mjModel* model;
    mjData* data[POSES]; /* one for each pose, so that setting it is not timed */
    hf_vec3 gravity;
} whole;

static double* numbers(int count) {
    double* values = hf_alloc((size_t)count, sizeof *values);
    if (!values) stop("out of memory");
    return values;
}

static void whole_make(whole* w) {
    w->creature = bench_load(bench_path("data/creatures/human.urdf"));
    const hf_creature_view* view = hf_creature_get(w->creature);
    char temporary[] = "/tmp/holdfast-bench-XXXXXX.urdf", message[1000];
    int file = mkstemps(temporary, (int)strlen(".urdf"));
    if (file < 0) stop("a temporary file cannot be written");
    close(file);
    w->model = mujoco_load(w->creature, temporary, message, sizeof message);
    remove(temporary);
    if (!w->model) stop(message);
    if (hf_workspace_create(&w->workspace) != HF_OK) stop("out of memory");
    w->links = hf_alloc((size_t)view->link_count, sizeof *w->links);
    w->force = numbers(view->v_count), w->expected = numbers(view->v_count);
    w->theirs = numbers(w->model->nv);
    w->gravity = hf_v3(w->model->opt.gravity[0], w->model->opt.gravity[1], w->model->opt.gravity[2]);
    for (int i = 0; i < POSES; i++) {
        hf_random r = hf_random_start(2, 0, (uint64_t)i);
        w->poses[i] = (hf_pose){{{0, 0, 1}, hf_quat_rpy(0.1 * i, 0.2, 0.3)}, numbers(view->q_count)};
        w->speeds[i] = numbers(view->v_count), w->rates[i] = numbers(view->v_count);
        for (int j = 0; j < view->joint_count; j++)
            w->poses[i].q[view->joints[j].q_index] =
                hf_random_between(&r, view->joints[j].lower, view->joints[j].upper);
        hf_pose_follow(w->creature, w->poses[i].q);
        for (int j = 0; j < view->v_count; j++)
            w->speeds[i][j] = hf_random_between(&r, -1, 1), w->rates[i][j] = hf_random_between(&r, -1, 1);
        w->data[i] = mj_makeData(w->model);
        mujoco_set(w->creature, w->model, w->data[i], &w->poses[i], w->speeds[i], w->rates[i]);
    }
}

static void whole_free(whole* w) {
    for (int i = 0; i < POSES; i++) {
        hf_free(w->poses[i].q), hf_free(w->speeds[i]), hf_free(w->rates[i]);
        mj_deleteData(w->data[i]);
    }
    mj_deleteModel(w->model);
    hf_free(w->links), hf_free(w->force), hf_free(w->theirs), hf_free(w->expected);
    hf_workspace_free(w->workspace);
    hf_creature_free(w->creature);
}

static hf_vec3 run_ours(whole* w, int i) {
    hf_forward(w->creature, &w->poses[i], w->links);
    hf_vec3 com = hf_com(w->creature, w->links);
    if (hf_inverse_dynamics(w->creature, &w->poses[i], w->speeds[i], w->rates[i], w->gravity, w->workspace,
                            w->force) != HF_OK)
        stop("out of memory");
    return com;
}

static void run_theirs(whole* w, int i) {
    mj_kinematics(w->model, w->data[i]);
    mj_comPos(w->model, w->data[i]);
    mj_comVel(w->model, w->data[i]);
    mj_rne(w->model, w->data[i], 1, w->theirs);
}

static void bench_whole(void) {
    static whole w;
    whole_make(&w);
    const hf_creature_view* view = hf_creature_get(w.creature);
    for (int i = 0; i < POSES; i++) {
        run_theirs(&w, i);
        hf_vec3 com = run_ours(&w, i);
        mujoco_forces(w.creature, w.model, &w.poses[i], w.theirs, w.expected);
        const double* c = w.data[i]->subtree_com;
        if (!(hf_distance(com, hf_v3(c[0], c[1], c[2])) < 1e-9)) stop("MuJoCo's centre of mass differs");
        for (int j = 0; j < view->v_count; j++)
            if (!(fabs(w.force[j] - w.expected[j]) < 1e-6)) stop("MuJoCo's forces differ");
    }
    double ours = 1e9, peer = 1e9, unit = 1e9 / POSES / view->joint_count;
    for (int round = 0; round < 3 * ROUNDS; round++) {
        double start = bench_now();
        for (int i = 0; i < POSES; i++) run_ours(&w, i);
        ours = fmin(ours, (bench_now() - start) * unit);
        start = bench_now();
        for (int i = 0; i < POSES; i++) run_theirs(&w, i);
        peer = fmin(peer, (bench_now() - start) * unit);
    }
    bench_row("kinematics + com + inverse dynamics, per joint", ours, "ns", "MuJoCo", peer, 1);
    whole_free(&w);
}

void bench_kinematics(void) {
    bench_batch();
    bench_whole();
}
