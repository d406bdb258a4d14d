/* Agents: every creature walks and what it gives out is judged by the check module; random sticks keep speed
   limits over thousands of frames; contacts ride on objects, break, and say so; threads, memory, bad input.
 */
#include "allocation_count.h"
#include "base/hash.h"
#include "base/random.h"
#include "speed_share.h"
#include "test.h"

#include <pthread.h>

enum { MAX_LIMBS = 16, MAX_FRAMES = 4, MAX_BOXES = 4, Q_MAX = 128 };

/* A creature among boxes or in a shipped scenario, with an agent. */
typedef struct world {
    hf_scenario* scenario; /* owns creature and scene, or NULL */
    hf_creature* creature;
    hf_scene* scene;
    const hf_creature_view* c;
    hf_samples* samples[MAX_LIMBS][MAX_FRAMES];
    const hf_samples* const* sets[MAX_LIMBS];
    hf_placement* placement;
    hf_agent* agent;
    double q[Q_MAX];
    hf_pose start;
} world;

typedef struct box {
    const char* name;
    hf_vec3 middle, size;
} box;

static void add_sets(world* w, int count) {
    hf_error e;
    for (int l = 0; l < w->c->limb_count; l++) {
        w->sets[l] = (const hf_samples* const*)w->samples[l];
        if (!w->c->limbs[l].joint_count || !w->c->limbs[l].contact_count) continue;
        hf_sample_options o = hf_sample_options_default();
        o.count = count;
        assert_int_equal(hf_samples_build(w->creature, l, &o, &w->samples[l][0], &e), HF_OK);
    }
}

static void open_agent(world* w, int count) {
    w->c = hf_creature_get(w->creature);
    assert_in_range(w->c->limb_count, 1, MAX_LIMBS);
    assert_in_range(w->c->q_count, 1, Q_MAX);
    add_sets(w, count);
    assert_int_equal(hf_placement_create(w->scene, &w->placement), HF_OK);
    assert_int_equal(hf_agent_create(w->creature, w->sets, NULL, &w->agent), HF_OK);
}

/* A creature in its rest posture with its root at this height, among boxes. */
static void open_boxes(world* w, const char* creature, double height, const box* boxes, int count) {
    memset(w, 0, sizeof *w);
    hf_error e;
    w->creature = shipped_creature(creature);
    hf_object_def defs[MAX_BOXES];
    for (int i = 0; i < count; i++) {
        defs[i] = hf_object_def_default();
        hf_shape shape = {.kind = HF_SHAPE_BOX, .half_size = hf_scale(boxes[i].size, 0.5)};
        assert_int_equal(hf_shape_mesh(&shape, 8, &defs[i].mesh), HF_OK);
        defs[i].name = boxes[i].name;
        defs[i].movable = true;
        defs[i].start = hf_transform_identity();
        defs[i].start.position = boxes[i].middle;
    }
    assert_int_equal(hf_scene_build(defs, count, &w->scene, &e), HF_OK);
    for (int i = 0; i < count; i++) hf_mesh_free(&defs[i].mesh);
    open_agent(w, 4000);
    w->start.q = w->q;
    hf_pose_rest(w->creature, &w->start);
    w->start.root.position.z = height;
}

static void open_scenario(world* w, const char* name) {
    memset(w, 0, sizeof *w);
    char path[200];
    hf_error e;
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    if (hf_scenario_load(data_path(path), NULL, &w->scenario, &e) != HF_OK) fail_msg("%s", e.message);
    w->creature = w->scenario->creature;
    w->scene = w->scenario->scene;
    open_agent(w, 4000);
    w->start = w->scenario->start.pose;
}

static void close_world(world* w) {
    hf_agent_free(w->agent);
    hf_placement_free(w->placement);
    for (int l = 0; l < MAX_LIMBS; l++)
        for (int k = 0; k < MAX_FRAMES; k++) hf_samples_free(w->samples[l][k]);
    if (w->scenario) {
        hf_scenario_free(w->scenario);
    } else {
        hf_scene_free(w->scene);
        hf_creature_free(w->creature);
    }
}

/* ---- recording ---- */

static hf_motion* record_begin(const world* w) {
    hf_motion* m;
    assert_int_equal(hf_motion_create(w->creature, w->scene, &m), HF_OK);
    m->claims = HF_CLAIM_ALL & ~(HF_CLAIM_BALANCE | HF_CLAIM_ONE_LIMB);
    return m;
}

static void record(const world* w, hf_motion* m, double time_s, const hf_agent_output* out) {
    hf_motion_frame* f = hf_motion_add(m, time_s, &out->pose);
    assert_non_null(f);
    for (int i = 0; i < out->contact_count; i++)
        assert_int_equal(hf_motion_add_contact(m, f, &out->contacts[i]), HF_OK);
    for (int i = 0; i < hf_scene_object_count(w->scene); i++)
        if (hf_scene_object(w->scene, i).movable)
            assert_int_equal(hf_motion_add_object(m, f, i, hf_placement_pose(w->placement, i)), HF_OK);
}

/* The judgement of the check module; ends the motion. */
static hf_check_report judge(const world* w, hf_motion* m) {
    hf_check_report r;
    hf_error e;
    if (hf_check_motion(m, w->creature, w->scene, 1, NULL, NULL, &r, &e) != HF_OK) fail_msg("%s", e.message);
    for (int i = 0; i < r.problem_count; i++)
        if (!r.valid && (r.problems[i].claim & m->claims))
            fail_msg("%s, frame %d: %s", w->c->name, r.problems[i].frame, r.problems[i].what);
    assert_true(r.valid);
    hf_motion_free(m);
    hf_check_report_free(&r);
    return r;
}

static int count_events(const hf_agent_output* out, hf_agent_event_kind kind) {
    int count = 0;
    for (int i = 0; i < out->event_count; i++) count += out->events[i].kind == kind;
    return count;
}

/* ---- walking ---- */

/* Walks along +X at 30 frames a second, the last 1.5 s without a wish; the motion is valid and the root came
   at least 0.6 of the way that was wished for. */
static void walk(const char* creature, double height, double step_m, double speed, double seconds) {
    const box boxes[] = {{"ground", {2, 0, -0.1}, {9, 4, 0.2}},
                         {"step", {2.2 + 0.5, 0, step_m / 2}, {3, 3, step_m}}};
    world w;
    open_boxes(&w, creature, height, boxes, step_m > 0 ? 2 : 1);
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_motion* m = record_begin(&w);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    int made = 0;
    in.dt_s = 0;
    assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    assert_true(out.contact_count >= 2);
    record(&w, m, 0, &out);
    in.dt_s = 1.0 / 30;
    for (int f = 1; f < 30 * seconds; f++) {
        in.velocity = f < 30 * (seconds - 1.5) ? hf_v3(speed, 0, 0) : hf_v3(0, 0, 0);
        assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
        assert_true(out.valid);
        made += count_events(&out, HF_AGENT_MADE);
        record(&w, m, f / 30.0, &out);
    }
    // it walked and stands at the height of what it stands on
    double rise = step_m > 0 ? step_m : 0;
    if (!(out.pose.root.position.x >= 0.6 * speed * (seconds - 1.5)))
        fail_msg("%s came to %.3f", creature, out.pose.root.position.x);
    assert_near(out.pose.root.position.z, height + rise, 0.06 * height + 0.02);
    assert_near(out.pose.root.position.y, 0, 0.1);
    assert_true(made >= 8);
    assert_true(out.contact_count >= 2);
    hf_check_report r = judge(&w, m);
    assert_true(r.slip_max_m < 0.001);
    close_world(&w);
}

static void every_creature_walks_on_a_floor(void** state) {
    (void)state;
    walk("human", 0.9424, 0, 0.6, 5);
    walk("insect", 0.1186, 0, 0.3, 4);
    walk("spider", 0.1188, 0, 0.3, 4);
    walk("quadruped", 0.53, 0, 0.5, 4);
}

static void every_creature_walks_onto_a_step(void** state) {
    (void)state;
    walk("human", 0.9424, 0.15, 0.5, 7);
    walk("insect", 0.1186, 0.04, 0.3, 9);
    walk("spider", 0.1188, 0.05, 0.3, 9);
    walk("quadruped", 0.53, 0.1, 0.5, 7);
}

/* A root pose as the wish: it is reached, whole. */
static void a_wished_root_is_reached(void** state) {
    (void)state;
    const box ground = {"ground", {0, 0, -0.1}, {9, 4, 0.2}};
    world w;
    open_boxes(&w, "insect", 0.1186, &ground, 1);
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_agent_input in = hf_agent_input_default();
    in.follow_root = true;
    in.root = (hf_transform){hf_v3(0.4, 0.2, 0.11), hf_quat_axis_angle(hf_v3(0, 0, 1), 0.8)};
    hf_agent_output out;
    for (int f = 0; f < 300; f++) assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    assert_near(hf_distance(out.pose.root.position, in.root.position), 0, 0.005);
    assert_near(hf_quat_angle(out.pose.root.rotation, in.root.rotation), 0, 0.01);
    assert_true(out.lag_m < 0.005);
    // and one that is out of reach of the ground is not: the output carries the root used
    in.root.position.z = 3;
    for (int f = 0; f < 120; f++) assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    assert_true(out.pose.root.position.z < 0.4);
    assert_near(out.lag_m, hf_distance(out.pose.root.position, in.root.position), 1e-9);
    close_world(&w);
}

/* ---- continuity ---- */

/* A stick that somebody plays with: another direction now and then, sometimes none. */
static void turn_stick(hf_random* r, int frame, double speed, hf_agent_input* in) {
    if (frame % 45) return;
    double angle = hf_random_between(r, 0, 6.2831853), much = hf_random_between(r, 0, speed);
    bool rest = hf_random_between(r, 0, 1) < 0.2;
    in->turn_rad_s = rest ? 0 : hf_random_between(r, -2, 2);
    in->velocity = rest ? hf_v3(0, 0, 0) : hf_v3(much * cos(angle), much * sin(angle), 0);
}

/* Ten thousand frames among books: limits are kept in all of them, and stretches of them are valid motions.
 */
static void random_sticks_keep_every_limit(void** state) {
    (void)state;
    world w;
    open_scenario(&w, "bookshelf");
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_random r = hf_random_start(11, 0, 0);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    double last_q[Q_MAX], way = 0;
    hf_pose last = {w.start.root, last_q};
    memcpy(last_q, w.start.q, sizeof(double) * (size_t)w.c->q_count);
    hf_motion* m = NULL;
    for (int f = 0; f < (SANITIZED ? 1000 : 10000); f++) {
        turn_stick(&r, f, 0.6, &in);
        assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
        assert_true(out.valid);
        assert_true(speed_share(w.c, &last, &out.pose, in.dt_s) <= 1);
        way += hf_distance(last.root.position, out.pose.root.position);
        last.root = out.pose.root;
        memcpy(last_q, out.pose.q, sizeof(double) * (size_t)w.c->q_count);
        // every twentieth of a stretch is judged, with the way between its frames
        if (f % 1000 == 0) m = record_begin(&w);
        if (m) record(&w, m, f / 60.0, &out);
        if (m && f % 1000 == 49) judge(&w, m), m = NULL;
    }
    assert_true(way > (SANITIZED ? 1 : 10)); // it did not stand still all the time
    close_world(&w);
}

/* ---- objects that move ---- */

/* The floor under it goes up, aside and round: contacts stay where they are on it. */
static void contacts_ride_on_what_moves(void** state) {
    (void)state;
    const box lift = {"lift", {0, 0, -0.1}, {2, 2, 0.2}};
    static const struct {
        const char* name;
        double height, speed;
    } riders[] = {{"human", 0.9424, 0.2}, {"insect", 0.1186, 0.1}, {"quadruped", 0.53, 0.1}};
    for (int k = 0; k < 3; k++) {
        world w;
        open_boxes(&w, riders[k].name, riders[k].height, &lift, 1);
        assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
        hf_motion* m = record_begin(&w);
        hf_agent_input in = hf_agent_input_default();
        hf_agent_output out;
        in.dt_s = 1.0 / 30;
        int made = 0, broken = 0;
        for (int f = 1; f <= 120; f++) {
            double t = f / 30.0;
            hf_transform pose = {hf_v3(0.05 * t, 0.02 * t, -0.1 + 0.2 * t),
                                 hf_quat_axis_angle(hf_v3(0, 0, 1), 0.1 * t)};
            hf_placement_move(w.placement, 0, pose);
            in.velocity = f > 30 ? hf_v3(riders[k].speed, 0, 0) : hf_v3(0, 0, 0);
            assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
            assert_true(out.valid);
            made += count_events(&out, HF_AGENT_MADE);
            broken += count_events(&out, HF_AGENT_BROKEN);
            record(&w, m, t, &out);
        }
        assert_int_equal(broken, 0);
        assert_true(made >= 2); // it stepped while it was carried
        assert_near(out.pose.root.position.z, riders[k].height + 0.8, 0.05 * riders[k].height);
        hf_check_report r = judge(&w, m); // slip is measured in the object's frame
        assert_true(r.slip_max_m < 0.001);
        close_world(&w);
    }
}

/* A floor that is torn away faster than the root may go: contacts break, and events say so. */
static void contacts_break_out_of_reach(void** state) {
    (void)state;
    const box boxes[] = {{"left", {0, 1, -0.1}, {4, 2, 0.2}}, {"right", {0, -1.001, -0.1}, {4, 2, 0.2}}};
    world w;
    open_boxes(&w, "insect", 0.1186, boxes, 2);
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    assert_int_equal(out.contact_count, 6);
    int broken = 0;
    for (int f = 0; f < 60; f++) {
        hf_placement_move(w.placement, 1, (hf_transform){hf_v3(0, -1.001 - 0.04 * f, -0.1), {1, 0, 0, 0}});
        assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
        for (int i = 0; i < out.event_count; i++) {
            if (out.events[i].kind != HF_AGENT_BROKEN) continue;
            broken++;
            assert_true(out.events[i].limb >= 0 && out.events[i].object >= 0);
        }
        // whatever is still said to touch is there: the object's own side faces the limb
        for (int i = 0; i < out.contact_count; i++) {
            hf_surface s;
            assert_true(hf_placement_closest(w.placement, out.contacts[i].point, 0.001, &s));
            assert_int_equal(s.object, out.contacts[i].object);
        }
    }
    assert_true(broken >= 3);
    close_world(&w);
}

/* A block that moves into the trunk, where nothing can give way. */
static void a_hit_is_told(void** state) {
    (void)state;
    const box boxes[] = {{"ground", {0, 0, -0.1}, {4, 4, 0.2}}, {"ram", {1.2, 0, 0.15}, {0.4, 0.1, 0.1}}};
    world w;
    open_boxes(&w, "insect", 0.1186, boxes, 2);
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    int hits = 0;
    bool valid = true;
    for (int f = 0; f < 120; f++) {
        hf_transform pose = {hf_v3(fmax(0.3, 1.2 - 0.01 * f), 0, 0.15), {1, 0, 0, 0}};
        hf_placement_move(w.placement, 1, pose);
        assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
        hits += count_events(&out, HF_AGENT_HIT);
        valid = out.valid;
    }
    assert_true(hits >= 1);
    assert_false(valid);
    // it is free again when the block is gone
    hf_placement_move(w.placement, 1, (hf_transform){hf_v3(3, 0, 0.15), {1, 0, 0, 0}});
    assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    assert_true(out.valid);
    close_world(&w);
}

/* ---- budgets, memory, threads ---- */

static uint64_t hash_output(uint64_t h, const hf_creature_view* c, const hf_agent_output* out) {
    h = hf_hash_bytes(h, &out->pose.root, sizeof out->pose.root);
    h = hf_hash_bytes(h, out->pose.q, sizeof(double) * (size_t)c->q_count);
    for (int i = 0; i < out->contact_count; i++) {
        h = hf_hash_int(hf_hash_int(h, out->contacts[i].limb), out->contacts[i].object);
        h = hf_hash_bytes(h, &out->contacts[i].point, sizeof(hf_vec3));
    }
    for (int i = 0; i < out->event_count; i++) h = hf_hash_int(h, out->events[i].kind);
    return h;
}

typedef struct player {
    const world* w;
    int index, frames, heap;
    uint64_t hash;
    hf_agent* agent;
} player;

static void* play(void* user) {
    player* p = user;
    hf_random r = hf_random_start(5, (uint32_t)p->index, 0);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    p->hash = HF_HASH_START;
    p->heap = 0;
    if (hf_agent_place(p->agent, p->w->placement, &p->w->start) != HF_OK) return NULL;
    for (int f = 0; f < p->frames; f++) {
        turn_stick(&r, f, 0.5, &in);
        int before = allocations;
        if (hf_agent_step(p->agent, p->w->placement, &in, &out) != HF_OK) return NULL;
        p->heap += allocations - before;
        p->hash = hash_output(p->hash, p->w->c, &out);
    }
    return NULL;
}

static void agents_share_a_world_over_threads(void** state) {
    (void)state;
    world w;
    open_scenario(&w, "bookshelf");
    player alone[4], together[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        alone[i] = together[i] = (player){.w = &w, .index = i, .frames = 500};
        assert_int_equal(hf_agent_create(w.creature, w.sets, NULL, &alone[i].agent), HF_OK);
        assert_int_equal(hf_agent_create(w.creature, w.sets, NULL, &together[i].agent), HF_OK);
        play(&alone[i]);
    }
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, play, &together[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        assert_true(alone[i].hash == together[i].hash);
        if (i) assert_true(alone[i].hash != alone[0].hash);
        hf_agent_free(alone[i].agent);
        hf_agent_free(together[i].agent);
    }
    close_world(&w);
}

static void steps_use_no_heap_once_warm(void** state) {
    (void)state;
    if (!COUNTS_MEMORY) skip();
    world w;
    open_scenario(&w, "bookshelf");
    player p = {.w = &w, .frames = 600, .agent = w.agent};
    play(&p);
    assert_true(p.heap > 0); // the workspace grows
    uint64_t first = p.hash;
    play(&p);
    assert_int_equal(p.heap, 0);
    assert_true(p.hash == first); // and what it held before does not show
    close_world(&w);
}

static void the_budget_bounds_the_tests(void** state) {
    (void)state;
    world w;
    open_scenario(&w, "bookshelf");
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_agent_input in = hf_agent_input_default();
    in.budget = 3;
    in.velocity = hf_v3(0.3, 0, 0);
    hf_agent_output out;
    int tests = 0;
    for (int f = 0; f < 400; f++) {
        assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
        assert_in_range(out.tests, 0, 3);
        tests += out.tests;
    }
    assert_true(tests > 30);
    assert_true(out.pose.root.position.x > w.start.root.position.x + 0.5);
    close_world(&w);
}

/* ---- bad input ---- */

static void bad_input_is_refused(void** state) {
    (void)state;
    const box ground = {"ground", {0, 0, -0.1}, {4, 4, 0.2}};
    world w, other;
    open_boxes(&w, "insect", 0.1186, &ground, 1);
    open_boxes(&other, "insect", 0.1186, &ground, 1);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_ERROR_ARGUMENT); // not placed
    hf_pose bad = w.start;
    bad.root.position.x = NAN;
    assert_int_equal(hf_agent_place(w.agent, w.placement, &bad), HF_ERROR_ARGUMENT);
    double kept = w.q[w.c->joints[w.c->limbs[0].joints[0]].q_index];
    w.q[w.c->joints[w.c->limbs[0].joints[0]].q_index] = 50;
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_ERROR_ARGUMENT);
    w.q[w.c->joints[w.c->limbs[0].joints[0]].q_index] = kept;
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    hf_transform root = out.pose.root;

    for (int i = 0; i < 9; i++) {
        in = hf_agent_input_default();
        in.velocity = hf_v3(0.3, 0, 0);
        if (i == 0) in.dt_s = NAN;
        if (i == 1) in.dt_s = -0.01;
        if (i == 2) in.dt_s = 1;
        if (i == 3) in.velocity.y = INFINITY;
        if (i == 4) in.turn_rad_s = NAN;
        if (i == 5) in.task = hf_v3(0, 0, 0);
        if (i == 6) in.budget = 0;
        if (i == 7) in.follow_root = true, in.root.rotation = (hf_quat){0, 0, 0, 0};
        const hf_placement* where = i == 8 ? other.placement : w.placement; // of another scene
        assert_int_equal(hf_agent_step(w.agent, where, &in, &out), HF_ERROR_ARGUMENT);
        assert_int_equal(out.contact_count, 0);
        assert_null(out.pose.q);
    }
    // nothing was lost, and no time is no change
    in = hf_agent_input_default();
    in.dt_s = 0;
    in.velocity = hf_v3(0.3, 0, 0);
    assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
    assert_memory_equal(&out.pose.root, &root, sizeof root);
    assert_int_equal(out.contact_count, 6);
    assert_int_equal(out.event_count, 0);

    // agents that cannot be
    hf_agent* none;
    hf_agent_options o = hf_agent_options_default();
    o.swing_s = NAN;
    assert_int_equal(hf_agent_create(w.creature, w.sets, &o, &none), HF_ERROR_ARGUMENT);
    assert_null(none);
    const hf_samples* const* no_sets[MAX_LIMBS] = {0};
    assert_int_equal(hf_agent_create(w.creature, no_sets, NULL, &none), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_agent_create(w.creature, NULL, NULL, &none), HF_ERROR_ARGUMENT);
    // sets of another limb
    const hf_samples* const* swapped[MAX_LIMBS] = {w.sets[1], w.sets[0]};
    assert_int_equal(hf_agent_create(w.creature, swapped, NULL, &none), HF_ERROR_ARGUMENT);
    assert_null(none);
    hf_agent_free(NULL);
    close_world(&w);
    close_world(&other);
}

static void an_empty_scene_holds_nobody(void** state) {
    (void)state;
    world w;
    open_boxes(&w, "insect", 0.1186, NULL, 0);
    assert_int_equal(hf_agent_place(w.agent, w.placement, &w.start), HF_OK);
    hf_agent_input in = hf_agent_input_default();
    hf_agent_output out;
    int nothing = 0;
    for (int f = 0; f < 60; f++) {
        assert_int_equal(hf_agent_step(w.agent, w.placement, &in, &out), HF_OK);
        assert_int_equal(out.contact_count, 0);
        nothing += count_events(&out, HF_AGENT_NOTHING);
    }
    assert_int_equal(nothing, 6); // each limb says so once
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_creature_walks_on_a_floor),
        cmocka_unit_test(every_creature_walks_onto_a_step),
        cmocka_unit_test(a_wished_root_is_reached),
        cmocka_unit_test(random_sticks_keep_every_limit),
        cmocka_unit_test(contacts_ride_on_what_moves),
        cmocka_unit_test(contacts_break_out_of_reach),
        cmocka_unit_test(a_hit_is_told),
        cmocka_unit_test(agents_share_a_world_over_threads),
        cmocka_unit_test(steps_use_no_heap_once_warm),
        cmocka_unit_test(the_budget_bounds_the_tests),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(an_empty_scene_holds_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
