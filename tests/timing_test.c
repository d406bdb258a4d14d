/* Times along paths: the analytic trapezoid, limits by finite differences on random paths of the shipped
   creatures, marks on frames, bad input. */
#include "allocation_count.h"
#include "chain_creature.h"

enum { MAX_NODES = 400, Q_MAX = 128 };

typedef struct fixture {
    hf_creature* creature;
    const hf_creature_view* c;
    hf_workspace* workspace;
    hf_timing* timing;
    int count;
    hf_transform roots[MAX_NODES];
    double q[MAX_NODES * Q_MAX];
    uint8_t marks[MAX_NODES];
} fixture;

static void set_up(fixture* f, const char* creature) {
    memset(f, 0, sizeof *f);
    f->creature = shipped_creature(creature);
    f->c = hf_creature_get(f->creature);
    assert_in_range(f->c->q_count, 1, Q_MAX);
    assert_int_equal(hf_workspace_create(&f->workspace), HF_OK);
    assert_int_equal(hf_timing_create(&f->timing), HF_OK);
}

static void tear_down(fixture* f) {
    hf_timing_free(f->timing);
    hf_workspace_free(f->workspace);
    hf_creature_free(f->creature);
}

static hf_path path_of(const fixture* f) {
    return (hf_path){.count = f->count, .roots = f->roots, .q = f->q, .marks = f->marks};
}

static void compute(fixture* f, const hf_timing_options* o) {
    hf_path path = path_of(f);
    assert_int_equal(hf_timing_compute(f->creature, &path, o, f->workspace, f->timing), HF_OK);
}

/* A smooth random curve inside the limits: three waves a joint, the root along another. */
static void draw_curve(fixture* f, uint64_t seed, int count) {
    hf_random r = hf_random_start(seed, 0, 0);
    f->count = count;
    for (int i = 0; i < f->c->joint_count; i++) {
        const hf_joint* j = &f->c->joints[i];
        double low = fmax(j->lower, -1), high = fmin(j->upper, 1), mean = (low + high) / 2;
        double size[3], phase[3];
        for (int k = 0; k < 3; k++)
            size[k] = hf_random_between(&r, 0, (high - low) / 6), phase[k] = hf_random_between(&r, 0, 6.28);
        for (int n = 0; n < count && j->q_count == 1; n++) {
            double *x = &f->q[n * f->c->q_count + j->q_index], s = (double)n / (count - 1);
            *x = mean;
            for (int k = 0; k < 3; k++) *x += size[k] * sin((k + 1) * 3 * s + phase[k]);
        }
    }
    hf_vec3 a = {hf_random_between(&r, 0.1, 1), hf_random_between(&r, 0.1, 1), hf_random_between(&r, 0, 1)};
    for (int n = 0; n < count; n++) {
        double s = (double)n / (count - 1);
        f->roots[n] = (hf_transform){hf_v3(a.x * s, a.y * sin(2 * s), 1 + 0.1 * a.z * sin(5 * s)),
                                     hf_quat_rpy(0.2 * sin(3 * s), 0.1 * s, a.z * s)};
        hf_pose_follow(f->creature, &f->q[n * f->c->q_count]);
    }
    memset(f->marks, 0, sizeof f->marks);
}

static hf_pose frame_at(const fixture* f, int frame, double* q) {
    hf_path path = path_of(f);
    hf_pose pose = {f->roots[0], q};
    hf_path_pose(f->creature, &path, hf_timing_at(f->timing, frame / f->timing->fps), &pose);
    return pose;
}

/* Speed and acceleration of one joint under analytic limits; `steps` nodes on the way. */
static void expect_trapezoid(double distance, double share, int steps) {
    const chain_joint joints[] = {{"revolute", {0, 0, 1}, {0, 0, 0}, {0, 1, 0}, -3, 3, 0, 0, 0}};
    chain_creature c;
    chain_open(&c, joints, 1, hf_v3(0, 0, 1), hf_v3(0, 0, 1));
    const hf_joint* j = &c.view->joints[0];
    double v = j->max_speed * share, a = j->max_acceleration;
    double expected = distance * a > v * v ? distance / v + v / a : 2 * sqrt(distance / a);
    hf_transform roots[16];
    double q[16];
    for (int i = 0; i <= steps; i++) {
        roots[i] = hf_transform_identity();
        q[i] = -distance / 2 + distance * i * i / steps / steps; // nodes need not be even
    }
    hf_path path = {.count = steps + 1, .roots = roots, .q = q};
    hf_timing_options o = hf_timing_options_default();
    hf_timing* timing;
    o.fps = 1000;
    o.speed_share = share;
    assert_int_equal(hf_timing_create(&timing), HF_OK);
    assert_int_equal(hf_timing_compute(c.creature, &path, &o, c.workspace, timing), HF_OK);
    assert_near(timing->duration_s, expected, 0.002 + 0.005 * expected);
    assert_true(timing->duration_s > expected - 1e-9);
    // on the ramp and in the middle
    double x;
    hf_pose pose = {roots[0], &x};
    double early = expected / 20;
    hf_path_pose(c.creature, &path, hf_timing_at(timing, early), &pose);
    double run = a * early < v ? a * early * early / 2 : v * early - v * v / a / 2;
    assert_near(x, -distance / 2 + run, 0.01 * distance);
    hf_path_pose(c.creature, &path, hf_timing_at(timing, timing->duration_s / 2), &pose);
    assert_near(x, 0, 0.01 * distance);
    hf_timing_free(timing);
    chain_close(&c);
}

static void one_joint_follows_the_trapezoid(void** state) {
    (void)state;
    expect_trapezoid(5, 1, 1); // cruises
    expect_trapezoid(0.3, 1, 1);
    expect_trapezoid(0.001, 1, 1);
    expect_trapezoid(2, 0.2, 1);
    expect_trapezoid(5, 1, 7);
    expect_trapezoid(0.3, 1, 7);
}

/* Finite differences of the frames, joint by joint. */
static void expect_limits(fixture* f, double share, double bend) {
    static double q[3][Q_MAX];
    hf_pose pose[3];
    double fps = f->timing->fps, used = 0;
    for (int i = 0; i < f->timing->frame_count; i++) {
        for (int k = 0; k < 3; k++) pose[k] = frame_at(f, i + k, q[k]);
        double shift = hf_distance(pose[0].root.position, pose[1].root.position) * fps,
               turn = hf_quat_angle(pose[0].root.rotation, pose[1].root.rotation) * fps;
        hf_vec3 gain = hf_add(hf_sub(pose[2].root.position, pose[1].root.position),
                              hf_sub(pose[0].root.position, pose[1].root.position));
        used = fmax(used, shift / f->c->limits.root_speed / share);
        used = fmax(used, turn / f->c->limits.root_turn / share);
        used = fmax(used, hf_length(gain) * fps * fps / f->c->limits.root_acceleration);
        assert_true(shift <= f->c->limits.root_speed * share * (1 + 1e-6));
        assert_true(turn <= f->c->limits.root_turn * share * (1 + 1e-6));
        assert_true(hf_length(gain) * fps * fps <= f->c->limits.root_acceleration * bend);
        for (int j = 0; j < f->c->joint_count; j++) {
            const hf_joint* joint = &f->c->joints[j];
            int x = joint->q_index;
            if (joint->q_count != 1) continue;
            double speed = (q[1][x] - q[0][x]) * fps, next = (q[2][x] - q[1][x]) * fps;
            used = fmax(used, fabs(speed) / joint->max_speed / share);
            used = fmax(used, fabs(next - speed) * fps / joint->max_acceleration);
            if (!(fabs(speed) <= joint->max_speed * share * (1 + 1e-6)))
                fail_msg("%s moves at %g in frame %d", joint->name, speed, i);
            if (!(fabs(next - speed) * fps <= joint->max_acceleration * bend))
                fail_msg("%s gains speed by %g of %g in frame %d of %d", joint->name,
                         fabs(next - speed) * fps, joint->max_acceleration, i, f->timing->frame_count);
        }
    }
    assert_true(used > 0.7); // and no needless waiting
}

static void limits_hold_on_random_curves(void** state) {
    (void)state;
    static fixture f;
    const char* const creatures[] = {"human", "insect", "quadruped", "spider"};
    for (int k = 0; k < 4; k++) {
        set_up(&f, creatures[k]);
        for (uint64_t seed = 1; seed <= 4; seed++) {
            draw_curve(&f, seed, 60 + 60 * (int)seed);
            hf_timing_options o = hf_timing_options_default();
            compute(&f, &o);
            // the discretisation may overshoot accelerations a little, speeds never
            expect_limits(&f, 1, 1.1);
            o.speed_share = 0.5;
            compute(&f, &o);
            expect_limits(&f, 0.5, 1.1);
        }
        tear_down(&f);
    }
}

/* Straight random moves: corners everywhere. */
static void limits_hold_at_corners(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, "insect");
    for (uint64_t seed = 1; seed <= 10; seed++) {
        draw_curve(&f, seed, 12);
        hf_timing_options o = hf_timing_options_default();
        compute(&f, &o);
        expect_limits(&f, 1, 2.1); // a frame may hold a corner and a ramp
    }
    tear_down(&f);
}

static void marks_fall_on_frames(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, "insect");
    draw_curve(&f, 7, 100);
    f.marks[20] = HF_MARK_FRAME;
    f.marks[33] = HF_MARK_STOP;
    f.marks[71] = HF_MARK_STOP;
    // a pose twice: no time passes
    f.roots[34] = f.roots[33];
    memcpy(&f.q[34 * f.c->q_count], &f.q[33 * f.c->q_count], sizeof(double) * (size_t)f.c->q_count);
    hf_timing_options o = hf_timing_options_default();
    compute(&f, &o);
    const int nodes[] = {0, 20, 33, 71, 99};
    for (int i = 0; i < 5; i++) {
        double frames = hf_timing_node(f.timing, nodes[i]) * o.fps;
        assert_near(frames, round(frames), 1e-9);
    }
    assert_near(hf_timing_node(f.timing, 33), hf_timing_node(f.timing, 34), 0);
    assert_near(hf_timing_node(f.timing, 99), f.timing->duration_s, 0);
    for (int i = 1; i < f.timing->point_count; i++)
        assert_true(f.timing->points[i].time_s >= f.timing->points[i - 1].time_s);
    // still at the stops: next to nothing happens within a hundredth of a frame
    double a[Q_MAX], b[Q_MAX], t = hf_timing_node(f.timing, 71);
    hf_path path = path_of(&f);
    hf_pose before = {f.roots[0], a}, at = {f.roots[0], b};
    hf_path_pose(f.creature, &path, hf_timing_at(f.timing, t - 0.01 / o.fps), &before);
    hf_path_pose(f.creature, &path, hf_timing_at(f.timing, t), &at);
    for (int i = 0; i < f.c->q_count; i++) assert_near(a[i], b[i], 1e-4);
    tear_down(&f);
}

static void a_slower_pace_takes_longer(void** state) {
    (void)state;
    static fixture f;
    static double pace[MAX_NODES];
    set_up(&f, "human");
    draw_curve(&f, 3, 50);
    hf_timing_options o = hf_timing_options_default();
    compute(&f, &o);
    double quick = f.timing->duration_s,
           quick_part = hf_timing_node(f.timing, 30) - hf_timing_node(f.timing, 20);
    for (int i = 0; i < 50; i++) pace[i] = i >= 20 && i < 30 ? 0.1 : 1;
    hf_path path = path_of(&f);
    path.pace = pace;
    assert_int_equal(hf_timing_compute(f.creature, &path, &o, f.workspace, f.timing), HF_OK);
    assert_true(f.timing->duration_s > quick);
    assert_true(hf_timing_node(f.timing, 30) - hf_timing_node(f.timing, 20) > 2 * quick_part);
    expect_limits(&f, 1, 1.2);
    tear_down(&f);
}

/* One metre straight ahead in ten moves; what is carried may gain speed by `more` and lose it by `less`. */
static void expect_carried(fixture* f, double more, double less) {
    static hf_vec3 carried[11];
    static double bounds[11 * 2 * 4];
    hf_timing_options o = hf_timing_options_default();
    f->count = 11;
    for (int i = 0; i < f->count; i++) {
        f->roots[i] = (hf_transform){hf_v3(0.1 * i, 0, 1), hf_quat_identity()};
        memcpy(&f->q[i * f->c->q_count], f->q, sizeof(double) * (size_t)f->c->q_count);
        carried[i] = f->roots[i].position;
        const double rows[2][4] = {{1, 0, 0, more}, {-1, 0, 0, less}};
        memcpy(bounds + 8 * i, rows, sizeof rows);
    }
    hf_path path = path_of(f);
    path.carried = carried, path.bounds = bounds, path.bound_count = 2;
    assert_int_equal(hf_timing_compute(f->creature, &path, &o, f->workspace, f->timing), HF_OK);
    double most = sqrt(2 / (1 / more + 1 / less)), best = most / more + most / less;
    assert_true(f->timing->duration_s >= best - 1e-6 && f->timing->duration_s < best * 1.02 + 1 / o.fps);
    double q[Q_MAX], x[3] = {0, 0, 0};
    for (int i = 0; i < f->timing->frame_count; i++) {
        x[0] = x[1], x[1] = x[2], x[2] = frame_at(f, i, q).root.position.x;
        double a = (x[0] + x[2] - 2 * x[1]) * o.fps * o.fps;
        if (i > 1) assert_true(a <= more * 1.01 && a >= -less * 1.01);
    }
    bounds[11] = 0;
    assert_int_equal(hf_timing_compute(f->creature, &path, &o, f->workspace, f->timing), HF_ERROR_ARGUMENT);
}

static void what_is_carried_keeps_its_bounds(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, "human");
    draw_curve(&f, 1, 11);
    expect_carried(&f, 0.5, 0.5);
    expect_carried(&f, 1, 0.25);
    expect_carried(&f, 0.1, 1);
    tear_down(&f);
}

static void odd_paths_are_answered(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, "insect");
    draw_curve(&f, 1, 5);
    hf_timing_options o = hf_timing_options_default();
    // one node, and many times the same
    f.count = 1;
    compute(&f, &o);
    assert_int_equal(f.timing->frame_count, 1);
    assert_near(hf_timing_at(f.timing, 1), 0, 0);
    for (int i = 1; i < 5; i++) {
        f.roots[i] = f.roots[0];
        memcpy(&f.q[i * f.c->q_count], f.q, sizeof(double) * (size_t)f.c->q_count);
    }
    f.count = 5;
    compute(&f, &o);
    assert_int_equal(f.timing->frame_count, 1);
    hf_path path = path_of(&f);
    f.q[3] = NAN;
    assert_int_equal(hf_timing_compute(f.creature, &path, &o, f.workspace, f.timing), HF_ERROR_ARGUMENT);
    f.q[3] = 0;
    o.fps = 0;
    assert_int_equal(hf_timing_compute(f.creature, &path, &o, f.workspace, f.timing), HF_ERROR_ARGUMENT);
    o.fps = 30;
    path.count = 0;
    assert_int_equal(hf_timing_compute(f.creature, &path, &o, f.workspace, f.timing), HF_ERROR_ARGUMENT);
    tear_down(&f);
}

static void steady_state_uses_no_heap(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, "human");
    draw_curve(&f, 5, 80);
    hf_timing_options o = hf_timing_options_default();
    compute(&f, &o);
    compute(&f, &o);
    int before = allocations;
    compute(&f, &o);
    assert_int_equal(allocations, before);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_joint_follows_the_trapezoid), cmocka_unit_test(limits_hold_on_random_curves),
        cmocka_unit_test(limits_hold_at_corners),          cmocka_unit_test(marks_fall_on_frames),
        cmocka_unit_test(a_slower_pace_takes_longer),      cmocka_unit_test(odd_paths_are_answered),
        cmocka_unit_test(steady_state_uses_no_heap),       cmocka_unit_test(what_is_carried_keeps_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
