/* Limits that hold: work that is cancelled ends at once, files that must not be replaced are not, and what is
   too large, missing or without size is refused with words. */
#include "grid_mesh.h"
#include "test_file.h"
#include "base/output.h"
#include "contact/candidates.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* No work may go on longer than this after it was cancelled, in seconds of processor time, which other
   programs on the machine do not change. A sanitizer makes everything several times slower. */
#define LATEST_S (SANITIZED ? 2.0 : 0.2)

static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a callback that cancels after a while ---- */

typedef struct stopwatch {
    double until_s; /* by processor_s */
    double asked_s; /* last time */
    double gap_s;   /* longest time between two questions */
    double ended_s; /* when it said no first, 0: never */
} stopwatch;

static stopwatch watch_for(double seconds) {
    double now = processor_s();
    return (stopwatch){.until_s = now + seconds, .asked_s = now};
}

static bool ask(void* user, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    stopwatch* w = user;
    double now = processor_s();
    w->gap_s = fmax(w->gap_s, now - w->asked_s);
    w->asked_s = now;
    if (now > w->until_s && w->ended_s == 0) w->ended_s = now;
    return w->ended_s == 0;
}

/* It was asked often, said no, and the work ended soon. */
static void check_ended(const stopwatch* w) {
    assert_true(w->ended_s > 0);
    if (w->gap_s > LATEST_S) fail_msg("nobody was asked for %.3f s", w->gap_s);
    double late_s = processor_s() - w->ended_s;
    if (late_s > LATEST_S) fail_msg("ended %.3f s after it was cancelled", late_s);
}

/* ---- scenes that take long ---- */

static hf_mesh make_floor(int side) { return grid_mesh(side, 3, hf_v3(-1.5, -1.5, 0)); }

/* One large triangle, many times. */
static hf_mesh make_stack(int count) {
    static const float corners[9] = {-3, -3, 0, 3, -3, 0, 0, 3, 0};
    hf_mesh m = {3 * count, count, malloc(sizeof(float) * 9 * (size_t)count),
                 malloc(sizeof(uint32_t) * 3 * (size_t)count)};
    for (int i = 0; i < count; i++) memcpy(m.vertices + 9 * i, corners, sizeof corners);
    for (int i = 0; i < 3 * count; i++) m.indices[i] = (uint32_t)i;
    return m;
}

typedef struct world {
    hf_mesh mesh;
    hf_scene* scene;
    hf_placement* placement;
    hf_creature* creature;
    const hf_creature_view* view;
    hf_workspace* workspace;
} world;

static world make_world(hf_mesh mesh) {
    world w = {.mesh = mesh};
    hf_object_def def = hf_object_def_default();
    def.name = "ground", def.mesh = mesh;
    assert_int_equal(hf_scene_build(&def, 1, &w.scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &w.creature, NULL), HF_OK);
    assert_int_equal(hf_workspace_create(&w.workspace), HF_OK);
    w.view = hf_creature_get(w.creature);
    return w;
}

static void free_world(world* w) {
    hf_workspace_free(w->workspace);
    hf_creature_free(w->creature);
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
    free(w->mesh.vertices);
    free(w->mesh.indices);
}

enum { FLOOR_SIDE = SANITIZED ? 60 : 300, STACK = SANITIZED ? 500 : 5000 };

/* The body so high over the ground that the leg comes near it and never touches it exactly. */
static void cancel_query(hf_mesh mesh) {
    world w = make_world(mesh);
    int leg = hf_creature_find_limb(w.creature, "left_leg");
    hf_samples* set;
    hf_sample_options o = hf_sample_options_default();
    assert_int_equal(hf_samples_build(w.creature, leg, &o, &set, NULL), HF_OK);
    const hf_samples* sets[8] = {set};
    hf_contact_answer* answer;
    assert_int_equal(hf_contact_answer_create(w.creature, 1, &answer), HF_OK);
    hf_contact_query q = hf_contact_query_default();
    double* rest = calloc((size_t)w.view->q_count, sizeof *rest);
    q.pose.q = rest;
    hf_pose_rest(w.creature, &q.pose);
    q.pose.root.position = hf_v3(0, 0, 1.05);
    q.limb = leg;
    stopwatch watch = watch_for(SANITIZED ? 0 : 0.5);
    hf_workspace_watch(w.workspace, ask, &watch);
    assert_int_equal(hf_contact_find(w.creature, sets, w.placement, &q, w.workspace, answer), HF_OK);
    check_ended(&watch);
    assert_int_equal(answer->outcome, HF_CANCELLED);
    assert_int_equal(answer->why, HF_CONTACT_CANCELLED);
    assert_int_equal(answer->contact_count, 0);
    // every further query ends at once, until the workspace is watched anew
    double begin = processor_s();
    assert_int_equal(hf_contact_find(w.creature, sets, w.placement, &q, w.workspace, answer), HF_OK);
    assert_int_equal(answer->outcome, HF_CANCELLED);
    assert_true(processor_s() - begin < LATEST_S);
    hf_contact_answer_free(answer);
    hf_samples_free(set);
    free(rest);
    free_world(&w);
}

static void query_on_a_fine_floor_is_cancelled(void** state) {
    (void)state;
    cancel_query(make_floor(FLOOR_SIDE));
}

static void query_on_coincident_triangles_is_cancelled(void** state) {
    (void)state;
    cancel_query(make_stack(STACK));
}

/* At every stage of a plan: guide, settling, spots, start, search. */
static void plan_is_cancelled_at_every_stage(void** state) {
    (void)state;
    world w = make_world(make_stack(SANITIZED ? 50 : 1000));
    hf_plan_options o = hf_plan_options_default();
    o.threads = 1, o.samples = SANITIZED ? 200 : 2000;
    o.still = true; // stances at rest take longer to find than a walk, which ends before it is cancelled
    hf_plan_model* model;
    assert_int_equal(hf_plan_model_create(w.creature, &o, &model, NULL), HF_OK);
    double* rest = calloc((size_t)w.view->q_count, sizeof *rest);
    hf_scenario_state start = {.pose = {hf_transform_identity(), rest}}, goal = start;
    hf_pose_rest(w.creature, &start.pose);
    start.pose.root.position = hf_v3(-0.5, -1, 0.9424), goal.pose.root.position = hf_v3(0.5, -1, 0.9424);
    hf_plan_query query = {.start = &start, .goal = &goal};
    static const double after_s[] = {0, 0.02, 0.2, 0.6, 1.2};
    for (size_t i = 0; i < sizeof after_s / sizeof *after_s; i++) {
        stopwatch watch = watch_for(after_s[i]);
        hf_plan_result r;
        assert_int_equal(hf_plan_find(model, w.scene, &query, &o, ask, &watch, &r, NULL), HF_OK);
        // the later times may come after the end of the plan
        if (watch.ended_s > 0 || i < 3) check_ended(&watch);
        // A plan that is complete when it is cancelled stays found, with the contacts that were not yet left
        // out.
        if (watch.ended_s == 0)
            assert_int_not_equal(r.why, HF_PLAN_CANCELLED);
        else if (r.why == HF_PLAN_DONE)
            assert_true(i >= 2 && r.outcome == HF_FOUND && r.schedule);
        else
            assert_int_equal(r.why, HF_PLAN_CANCELLED);
        hf_plan_result_free(&r);
    }
    free(rest);
    hf_plan_model_free(model);
    free_world(&w);
}

static void too_many_targets_are_refused(void** state) {
    (void)state;
    world w = make_world(make_floor(1));
    double* q = calloc((size_t)w.view->q_count, sizeof *q);
    hf_pose pose = {hf_transform_identity(), q};
    hf_pose_rest(w.creature, &pose);
    hf_target* targets = calloc(HF_MAX_TARGETS + 1, sizeof *targets);
    for (int i = 0; i <= HF_MAX_TARGETS; i++)
        targets[i] = (hf_target){.kind = HF_TARGET_POSE,
                                 .limb = i % w.view->limb_count,
                                 .contact = -1,
                                 .point = hf_v3(0.1 * i, 1, 1),
                                 .rotation = {1, 0, 0, 0}};
    hf_body_solve_options o = hf_body_solve_options_default();
    hf_solve_result r;
    assert_int_equal(hf_body_solve(w.creature, targets, HF_MAX_TARGETS + 1, &o, w.workspace, &pose, NULL, &r),
                     HF_ERROR_LIMIT);
    // as many as are taken: cancelled in time
    stopwatch watch = watch_for(0.3);
    hf_workspace_watch(w.workspace, ask, &watch);
    assert_int_equal(hf_body_solve(w.creature, targets, HF_MAX_TARGETS, &o, w.workspace, &pose, NULL, &r),
                     HF_OK);
    check_ended(&watch);
    assert_int_equal(r.outcome, HF_CANCELLED);
    assert_int_equal(r.stop, HF_STOP_CANCELLED);
    free(targets);
    free(q);
    free_world(&w);
}

/* ---- choices among surfaces ---- */

/* As it was written first: what is left is sorted by selection, and kept when nothing before it is alike. */
static int choose_slowly(hf_surface* s, int count) {
    int chosen = 0;
    bool* used = calloc((size_t)count, sizeof *used);
    hf_surface* kept = calloc((size_t)count, sizeof *kept);
    for (int round = 0; round < count; round++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (!used[i] && (best < 0 || s[i].distance < s[best].distance ||
                             (s[i].distance == s[best].distance && s[i].triangle < s[best].triangle)))
                best = i;
        used[best] = true;
        bool like = false;
        for (int k = 0; k < chosen; k++) like |= hf_dot(s[best].normal, kept[k].normal) >= 0.984807753012208;
        if (!like) kept[chosen++] = s[best];
    }
    memcpy(s, kept, sizeof *s * (size_t)chosen);
    free(used);
    free(kept);
    return chosen;
}

static void choices_are_the_same_as_by_sorting(void** state) {
    (void)state;
    enum { COUNT = 400 };
    hf_surface a[COUNT], b[COUNT];
    unsigned seed = 5;
    for (int i = 0; i < COUNT; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 8388608 - 1;
        a[i] = b[i] = (hf_surface){
            .triangle = i, .distance = (double)(i % 7), .normal = hf_normalize(hf_v3(x[0], x[1], x[2]))};
    }
    int slow = choose_slowly(a, COUNT), fast = hf_surfaces_choose(b, COUNT);
    assert_int_equal(fast, slow);
    assert_true(slow > 50);
    for (int i = 0; i < slow; i++) assert_int_equal(b[i].triangle, a[i].triangle);
}

/* 180,000 surfaces of one direction are one choice, found in one pass. */
static void like_surfaces_cost_one_pass(void** state) {
    (void)state;
    enum { COUNT = 180000 };
    hf_surface* s = calloc(COUNT, sizeof *s);
    for (int i = 0; i < COUNT; i++)
        s[i] = (hf_surface){.triangle = i, .distance = fabs(i - 1000.25), .normal = hf_v3(0, 0, 1)};
    double begin = processor_s();
    assert_int_equal(hf_surfaces_choose(s, COUNT), 1);
    assert_true(processor_s() - begin < LATEST_S);
    assert_int_equal(s[0].triangle, 1000);
    free(s);
}

/* ---- ranges ---- */

static void key_times_have_a_range(void** state) {
    (void)state;
    hf_mesh mesh = make_floor(1);
    hf_key keys[2] = {{0, hf_transform_identity()}, {1e9, hf_transform_identity()}};
    hf_object_def def = hf_object_def_default();
    def.name = "lift", def.mesh = mesh, def.keys = keys, def.key_count = 2;
    hf_scene* scene;
    hf_error e;
    assert_int_equal(hf_scene_build(&def, 1, &scene, &e), HF_ERROR_LIMIT);
    assert_non_null(strstr(e.message, "1e+09 s"));
    assert_non_null(strstr(e.field, "lift"));
    keys[1].time_s = HF_MAX_KEY_TIME_S;
    assert_int_equal(hf_scene_build(&def, 1, &scene, &e), HF_OK);
    hf_scene_free(scene);
    free(mesh.vertices);
    free(mesh.indices);
}

/* Half of the distance between floats at 5,000,003 m is 0.25 m. */
static void mesh_far_away_says_what_is_left(void** state) {
    (void)state;
    hf_scene* scene;
    char* warnings = NULL;
    const char* far =
        write_file("utm.obj", "v 500000 5000000 0\nv 500003 5000000 0\nv 500000 5000003 0\nf 1 2 3\n");
    assert_int_equal(hf_scene_load_mesh(far, &scene, &warnings, NULL), HF_OK);
    assert_non_null(warnings);
    assert_non_null(strstr(warnings, "5000003 m"));
    assert_non_null(strstr(warnings, "rounded to 0.25 m"));
    hf_text_free(warnings);
    hf_scene_free(scene);
    const char* near = write_file("near.obj", "v 500 500 0\nv 503 500 0\nv 500 503 0\nf 1 2 3\n");
    assert_int_equal(hf_scene_load_mesh(near, &scene, &warnings, NULL), HF_OK);
    assert_null(warnings);
    hf_scene_free(scene);
}

/* A leg whose contact point is at its only joint: a plan says that nothing holds the body. */
static void limb_without_length_has_a_plan(void** state) {
    (void)state;
    const char* inertia = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
                          "iyz='0'/></inertial>";
    char urdf[2000];
    snprintf(
        urdf, sizeof urdf,
        "<robot name='stub'><link name='root'>%s<collision><geometry><box size='0.2 0.2 0.2'/></geometry>"
        "</collision></link><link name='foot'>%s</link><joint name='j' type='revolute'><parent "
        "link='root'/><child link='foot'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "
        "velocity='1'/></joint></robot>",
        inertia, inertia);
    hf_creature* creature;
    assert_int_equal(hf_creature_load(write_file("stub.urdf", urdf), NULL, &creature, NULL), HF_OK);
    assert_near(hf_creature_get(creature)->limbs[0].length, 0, 0);
    hf_plan_options o = hf_plan_options_default();
    o.samples = 200;
    hf_plan_model* model;
    hf_error e = {0};
    assert_int_equal(hf_plan_model_create(creature, &o, &model, &e), HF_OK);
    world w = make_world(make_floor(4));
    double q[1] = {0};
    hf_scenario_state start = {.pose = {hf_transform_identity(), q}}, goal = start;
    start.pose.root.position = hf_v3(0, 0, 0.1), goal.pose.root.position = hf_v3(1, 0, 0.1);
    hf_plan_query query = {.start = &start, .goal = &goal};
    hf_plan_result r;
    assert_int_equal(hf_plan_find(model, w.scene, &query, &o, NULL, NULL, &r, &e), HF_OK);
    assert_int_equal(r.outcome, HF_NONE);
    assert_int_equal(r.why, HF_PLAN_START_UNBALANCED);
    hf_plan_result_free(&r);
    hf_plan_model_free(model);
    hf_creature_free(creature);
    free_world(&w);
}

/* ---- files ---- */

static void refused(const char* path, const char* words) {
    hf_output out;
    hf_error e;
    assert_int_equal(hf_output_open(path, &out, &e), HF_ERROR_FILE);
    if (!strstr(e.message, words)) fail_msg("\"%s\" does not say \"%s\"", e.message, words);
    assert_string_equal(e.file, path);
}

static void links_and_devices_are_not_replaced(void** state) {
    (void)state;
    char link[600], pipe[600];
    const char* target = write_file("target.txt", "mine");
    snprintf(link, sizeof link, "%s/link.txt", test_folder());
    snprintf(pipe, sizeof pipe, "%s/pipe.txt", test_folder());
    unlink(link), unlink(pipe);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(mkfifo(pipe, 0666), 0);
    refused(link, "is a symbolic link to");
    refused(pipe, "is a device, pipe or socket");
    refused("/dev/null", "is a device, pipe or socket");
    refused(test_folder(), "is a folder");
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(link), unlink(pipe);
}

/* The descriptor goes to a device that is always full. */
static void full_disk_is_called_so(void** state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/full.txt", test_folder());
    unlink(path);
    hf_output out;
    hf_error e;
    assert_int_equal(hf_output_open(path, &out, &e), HF_OK);
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    assert_true(dup2(full, out.file) >= 0);
    close(full);
    fputs("text", out.stream);
    assert_int_equal(hf_output_close(&out, true, &e), HF_ERROR_FILE);
    assert_string_equal(e.message, "cannot be written: the disk is full");
    assert_string_equal(e.file, path);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* In a process that may write a kilobyte at most. */
static void file_size_limit_is_called_so(void** state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/large.txt", test_folder());
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old, small.rlim_cur = 1024;
    hf_output out;
    hf_error e;
    assert_int_equal(hf_output_open(path, &out, &e), HF_OK);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 1000; i++) fputs("0123456789", out.stream);
    hf_status status = hf_output_close(&out, true, &e);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, HF_ERROR_FILE);
    assert_non_null(strstr(e.message, "larger than files may be here (ulimit -f)"));
    assert_int_not_equal(access(path, F_OK), 0);
}

/* What a killed run left is removed when the same file is written again; what is held, or named otherwise, is
   not. */
static void left_temporary_files_are_removed(void** state) {
    (void)state;
    char path[600], left[700], held[700], other[700];
    snprintf(path, sizeof path, "%s/out.txt", test_folder());
    snprintf(left, sizeof left, "%s", write_file("out.txt.tmp-1-7f", "half"));
    snprintf(held, sizeof held, "%s", write_file("out.txt.tmp-2-7f", "half"));
    snprintf(other, sizeof other, "%s", write_file("out.txt.tmp-mine", "mine"));
    int holder = open(held, O_RDWR);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    hf_output out;
    assert_int_equal(hf_output_open(path, &out, NULL), HF_OK);
    assert_int_not_equal(access(left, F_OK), 0);
    assert_int_equal(access(held, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    fputs("whole", out.stream);
    assert_int_equal(hf_output_close(&out, true, NULL), HF_OK);
    assert_int_equal(access(path, F_OK), 0);
    close(holder);
    unlink(path), unlink(held), unlink(other);
}

/* ---- NULL ---- */

#define REFUSED(call) assert_int_equal(call, HF_ERROR_ARGUMENT)

/* Every public function that returns a status, with NULL for every pointer that it needs. */
static void null_is_an_argument_error(void** state) {
    (void)state;
    hf_error e;
    hf_transform t = hf_transform_identity();
    hf_vec3 v = {0, 0, 0};
    hf_option_table none = {0, NULL};
    REFUSED(hf_agent_create(NULL, NULL, NULL, NULL));
    REFUSED(hf_agent_place(NULL, NULL, NULL));
    REFUSED(hf_agent_step(NULL, NULL, NULL, NULL));
    REFUSED(hf_stance_create(NULL));
    REFUSED(hf_stance_build(NULL, NULL, 1, 1, NULL, NULL));
    REFUSED(hf_stance_margin_with(NULL, NULL, v, NULL, NULL));
    REFUSED(hf_workspace_create(NULL));
    REFUSED(hf_clip_load(NULL, 1, NULL, &e));
    REFUSED(hf_clip_save(NULL, NULL, &e));
    REFUSED(hf_clip_motion(NULL, NULL, NULL, &e));
    REFUSED(hf_clearance_create(NULL, NULL));
    REFUSED(hf_move_collides(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_contact_answer_create(NULL, 1, NULL));
    REFUSED(hf_contact_find(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_contact_find_all(NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL));
    REFUSED(hf_course_create(NULL, NULL));
    REFUSED(hf_course_add(NULL, NULL, NULL, 1, 0));
    REFUSED(hf_course_add_swing(NULL, NULL, NULL, 1));
    REFUSED(hf_course_realise(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_creature_load(NULL, NULL, NULL, &e));
    REFUSED(hf_creature_write_urdf(NULL, NULL, &e));
    REFUSED(hf_guide_model_create(NULL, NULL, NULL, &e));
    REFUSED(hf_guide_model_create_plain(NULL, t, NULL, &e));
    REFUSED(hf_guide_find(NULL, NULL, t, t, NULL, NULL, NULL));
    REFUSED(hf_guide_find_on(NULL, NULL, NULL, t, t, NULL, NULL, NULL));
    REFUSED(hf_roadmap_build(NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_roadmap_save(NULL, NULL, &e));
    REFUSED(hf_roadmap_load(NULL, NULL, &e));
    REFUSED(hf_roadmap_fits(NULL, NULL, NULL, &e));
    REFUSED(hf_inverse_dynamics(NULL, NULL, NULL, NULL, v, NULL, NULL));
    REFUSED(hf_limb_batch(NULL, 0, 0, NULL));
    REFUSED(hf_mesh_load(NULL, NULL, NULL, &e));
    REFUSED(hf_shape_mesh(NULL, 8, NULL));
    REFUSED(hf_motion_create(NULL, NULL, NULL));
    REFUSED(hf_motion_add_contact(NULL, NULL, NULL));
    REFUSED(hf_motion_add_object(NULL, NULL, 0, t));
    REFUSED(hf_motion_set_stat(NULL, NULL, 0));
    REFUSED(hf_motion_validate(NULL, NULL, NULL, &e));
    REFUSED(hf_motion_load(NULL, NULL, &e));
    REFUSED(hf_motion_save(NULL, NULL, &e));
    REFUSED(hf_motion_export(NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_options_check(none, NULL, &e));
    REFUSED(hf_options_set(none, NULL, NULL, 0, &e));
    REFUSED(hf_options_set_text(none, NULL, NULL, NULL, &e));
    REFUSED(hf_outlook_balance(NULL, NULL, NULL, NULL));
    REFUSED(hf_plan_model_create(NULL, NULL, NULL, &e));
    REFUSED(hf_plan_find(NULL, NULL, NULL, NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_reach_volume(NULL, 0, 0, NULL, &e));
    REFUSED(hf_reach_shell_create(NULL, 0, 0, NULL, &e));
    REFUSED(hf_render(NULL, 1, NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_render_timeline(NULL, NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_picture_save(NULL, NULL, &e));
    REFUSED(hf_rom_learn(NULL, 1, 1, NULL, NULL, &e));
    REFUSED(hf_samples_build(NULL, 0, NULL, NULL, &e));
    REFUSED(hf_samples_open(NULL, 0, NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_samples_save(NULL, NULL, &e));
    REFUSED(hf_samples_load(NULL, 0, NULL, NULL, NULL, &e));
    REFUSED(hf_scene_prepare(NULL, 0.1, 1, &e));
    REFUSED(hf_scenario_load(NULL, NULL, NULL, &e));
    REFUSED(hf_scenario_set(NULL, NULL, none, NULL, &e));
    REFUSED(hf_scene_load_mesh(NULL, NULL, NULL, &e));
    REFUSED(hf_scene_build(NULL, 1, NULL, &e));
    REFUSED(hf_placement_create(NULL, NULL));
    REFUSED(hf_schedule_create(NULL, 30, NULL));
    REFUSED(hf_schedule_add(NULL, NULL, 0, NULL, NULL, 1, false));
    REFUSED(hf_schedule_validate(NULL, NULL, NULL, &e));
    REFUSED(hf_schedule_save(NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_schedule_peek(NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_schedule_load(NULL, NULL, NULL, NULL, &e));
    REFUSED(hf_realise(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_sequence_find(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_limb_solve(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_body_solve(NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_stand(NULL, NULL, 0, 0, 0, NULL, NULL, &e));
    REFUSED(hf_scenario_stand(NULL, NULL, NULL, &e));
    REFUSED(hf_check_motion(NULL, NULL, NULL, 1, NULL, NULL, NULL, &e));
    REFUSED(hf_check_scenario(NULL, NULL, NULL, 1, NULL, NULL, NULL, &e));
    hf_check_report_free(NULL);
    hf_stand_result_free(NULL);
    REFUSED(hf_swing_create(NULL, NULL));
    REFUSED(hf_swing_find(NULL, NULL, NULL, NULL, NULL));
    REFUSED(hf_timing_create(NULL));
    REFUSED(hf_timing_compute(NULL, NULL, NULL, NULL, NULL));
    // the error may be missing, too
    REFUSED(hf_scenario_load(NULL, NULL, NULL, NULL));
}

/* One pointer at a time, with all others as they should be. */
static void plan_without_start_or_goal_is_refused(void** state) {
    (void)state;
    world w = make_world(make_floor(1));
    hf_plan_options o = hf_plan_options_default();
    o.samples = 200;
    hf_plan_model* model;
    assert_int_equal(hf_plan_model_create(w.creature, &o, &model, NULL), HF_OK);
    double* rest = calloc((size_t)w.view->q_count, sizeof *rest);
    hf_scenario_state good = {.pose = {hf_transform_identity(), rest}},
                      bare = {.pose.root = hf_transform_identity()};
    const hf_plan_query queries[] = {{.start = NULL, .goal = &good},
                                     {.start = &good, .goal = NULL},
                                     {.start = &good, .goal = &bare},
                                     {.start = &bare, .goal = &good},
                                     {.start = &good, .goal = &good, .guide_count = 2}};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        hf_plan_result r;
        hf_error e = {0};
        REFUSED(hf_plan_find(model, w.scene, &queries[i], &o, NULL, NULL, &r, &e));
        assert_non_null(strstr(e.message, "NULL"));
    }
    // a path that says how many poses it has, and has none
    hf_sequence_query sequence = hf_sequence_query_default();
    hf_sequence_result result;
    hf_course* course;
    sequence.start = good.pose, sequence.path_count = 2;
    assert_int_equal(hf_course_create(w.creature, &course), HF_OK);
    REFUSED(hf_sequence_find(w.creature, w.placement, &sequence, w.workspace, NULL, NULL, course, &result));
    hf_course_free(course);
    free(rest);
    hf_plan_model_free(model);
    free_world(&w);
}

/* Everything that frees takes NULL. */
static void free_takes_null(void** state) {
    (void)state;
    hf_agent_free(NULL), hf_stance_free(NULL), hf_text_free(NULL), hf_workspace_free(NULL);
    hf_clip_free(NULL), hf_clearance_free(NULL), hf_contact_answer_free(NULL);
    hf_course_free(NULL), hf_creature_free(NULL), hf_guide_model_free(NULL), hf_guide_path_free(NULL);
    hf_roadmap_free(NULL), hf_mesh_free(NULL), hf_motion_free(NULL), hf_plan_model_free(NULL);
    hf_plan_result_free(NULL), hf_picture_free(NULL), hf_samples_free(NULL), hf_scenario_free(NULL);
    hf_scene_free(NULL), hf_placement_free(NULL), hf_schedule_free(NULL), hf_realise_result_free(NULL);
    hf_swing_free(NULL), hf_timing_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_on_a_fine_floor_is_cancelled),
        cmocka_unit_test(query_on_coincident_triangles_is_cancelled),
        cmocka_unit_test(plan_is_cancelled_at_every_stage),
        cmocka_unit_test(too_many_targets_are_refused),
        cmocka_unit_test(choices_are_the_same_as_by_sorting),
        cmocka_unit_test(like_surfaces_cost_one_pass),
        cmocka_unit_test(key_times_have_a_range),
        cmocka_unit_test(mesh_far_away_says_what_is_left),
        cmocka_unit_test(limb_without_length_has_a_plan),
        cmocka_unit_test(links_and_devices_are_not_replaced),
        cmocka_unit_test(full_disk_is_called_so),
        cmocka_unit_test(file_size_limit_is_called_so),
        cmocka_unit_test(left_temporary_files_are_removed),
        cmocka_unit_test(null_is_an_argument_error),
        cmocka_unit_test(plan_without_start_or_goal_is_refused),
        cmocka_unit_test(free_takes_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
