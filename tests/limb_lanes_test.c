/* Eight postures at once against the double path: a lane that is called blocked is blocked, what a solve
   reports is where the limb is, limits are kept, and every build of the kernels gives the same bits. */
#include "contact_fixture.h"
#include "base/workspace.h"
#include "contact/contact_finish.h"
#include "contact/sample_set.h"

static const double SLACK_M = 0.006;

/* A finisher and lanes for one limb at the scenario's start. */
typedef struct world {
    fixture f;
    hf_contact_query q;
    hf_contact_finisher finisher;
    hf_limb_lanes* lanes;
} world;

static void set_limb(world* w, int limb) {
    static bool use[64];
    w->q = query_of(&w->f, limb);
    assert_int_equal(hf_contact_finisher_make(w->f.s->creature, w->f.placement, &w->q, sets(&w->f, limb), use,
                                              w->f.workspace, &w->finisher),
                     HF_OK);
    w->lanes = hf_contact_finisher_lanes(&w->finisher);
    assert_non_null(w->lanes);
}

/* What is in the way of the limb but its effector, which is put where nothing is. */
static bool is_blocked(world* w, const hf_samples* set, int sample) {
    hf_surface nowhere = {.point = {0, 0, 50}, .normal = {0, 0, 1}};
    hf_samples_pose(w->f.s->creature, set, sample, w->finisher.posture);
    return hf_contact_blocked(&w->finisher.clearance, w->finisher.posture, 0, &nowhere, false, SLACK_M) !=
           HF_PART_NONE;
}

/* Lanes that are called blocked among the samples of a limb. */
static int count_blocked(world* w, int limb, int* all) {
    const hf_samples* set = w->f.samples[limb][0];
    int count = hf_samples_get(set).count, found = 0;
    for (int first = 0; first + HF_LANES <= count; first += HF_LANES) {
        for (int i = 0; i < HF_LANES; i++) hf_limb_lanes_load(w->lanes, i, set, first + i);
        unsigned blocked = hf_limb_lanes_blocked(w->lanes);
        for (int i = 0; i < HF_LANES; i++) {
            bool is = is_blocked(w, set, first + i);
            if (blocked >> i & 1) assert_true(is);
            if (is) hf_limb_lanes_remember(w->lanes, &w->finisher.clearance, SLACK_M);
            found += blocked >> i & 1, *all += is;
        }
    }
    return found;
}

static void blocked_lanes_are_blocked(void** state) {
    (void)state;
    static const char* const scenarios[] = {"sofa", "chair-table", "pose-spider"};
    for (size_t n = 0; n < sizeof scenarios / sizeof *scenarios; n++) {
        world w;
        int found = 0, all = 0;
        set_up(&w.f, scenarios[n], 1000);
        for (int limb = 0; limb < 4; limb++) {
            hf_workspace_mark mark = hf_workspace_begin(w.f.workspace);
            set_limb(&w, limb);
            found += count_blocked(&w, limb, &all);
            hf_workspace_end(w.f.workspace, mark);
        }
        print_message("%s: %d of %d blocked postures told by lanes\n", scenarios[n], found, all);
        // the body and a few faces of the scene are in the way of most
        assert_true(found > all / 2);
        tear_down(&w.f);
    }
}

/* The touching point and its normal at joint values. */
static void place_of(const world* w, int limb, const double* q, hf_vec3* point, hf_vec3* normal) {
    const hf_contact_frame* c = &w->f.c->limbs[limb].contacts[0];
    hf_transform links[LINK_MAX];
    hf_forward(w->f.s->creature, &(hf_pose){w->q.pose.root, (double*)q}, links);
    *point = hf_apply(links[c->link], c->offset);
    *normal = hf_rotate(links[c->link].rotation, c->normal);
}

/* Aims a lane from a sample at where the limb is with its joint values a little changed, within limits. */
static void aim_near(world* w, int limb, int lane, int sample, hf_random* r, hf_vec3* point) {
    double q[Q_MAX];
    hf_vec3 normal;
    const hf_limb* l = &w->f.c->limbs[limb];
    memcpy(q, w->q.pose.q, sizeof(double) * (size_t)w->f.c->q_count);
    hf_samples_pose(w->f.s->creature, w->f.samples[limb][0], sample, q);
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &w->f.c->joints[l->joints[j]];
        double* x = &q[joint->q_index];
        *x = fmin(fmax(*x + hf_random_between(r, -0.03, 0.03), joint->lower), joint->upper);
    }
    place_of(w, limb, q, point, &normal);
    hf_limb_lanes_load(w->lanes, lane, w->f.samples[limb][0], sample);
    hf_limb_lanes_aim(w->lanes, lane, 0, !(l->contacts[0].ball > 0), *point, normal);
}

/* Errors as reported are those of the joint values that come out. True where point and normal are reached. */
static bool check_lane(const world* w, int limb, int lane, hf_vec3 wanted) {
    double q[Q_MAX];
    hf_vec3 point, normal;
    const hf_limb* l = &w->f.c->limbs[limb];
    const hf_lane_values* v = &w->lanes->now;
    memcpy(q, w->q.pose.q, sizeof(double) * (size_t)w->f.c->q_count);
    hf_limb_lanes_read(w->lanes, lane, q);
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &w->f.c->joints[l->joints[j]];
        assert_true(q[joint->q_index] >= joint->lower - 1e-6 && q[joint->q_index] <= joint->upper + 1e-6);
    }
    place_of(w, limb, q, &point, &normal);
    assert_near(hf_distance(point, wanted), sqrt((double)v->placed2[lane]), 1e-5);
    return v->position2[lane] < 1e-8f && (v->turn_m[lane] <= 0 || v->angle2[lane] < 1e-5f);
}

static void solved_lanes_are_where_they_say(void** state) {
    (void)state;
    static const char* const scenarios[] = {"sofa", "pose-insect"};
    for (size_t n = 0; n < sizeof scenarios / sizeof *scenarios; n++) {
        world w;
        int reached = 0, all = 0;
        set_up(&w.f, scenarios[n], 400);
        for (int limb = 0; limb < 4; limb++) {
            hf_workspace_mark mark = hf_workspace_begin(w.f.workspace);
            set_limb(&w, limb);
            hf_random r = hf_random_start(5, (uint32_t)limb, n);
            int count = hf_samples_get(w.f.samples[limb][0]).count;
            for (int first = 0; first + HF_LANES <= count; first += HF_LANES) {
                hf_vec3 wanted[HF_LANES];
                for (int i = 0; i < HF_LANES; i++) aim_near(&w, limb, i, first + i, &r, &wanted[i]);
                hf_limb_lanes_solve(w.lanes);
                for (int i = 0; i < HF_LANES; i++, all++) reached += check_lane(&w, limb, i, wanted[i]);
            }
            hf_workspace_end(w.f.workspace, mark);
        }
        print_message("%s: %d of %d reached\n", scenarios[n], reached, all);
        assert_true(reached > all * 9 / 10); // each has a solution
        tear_down(&w.f);
    }
}

static void all_builds_give_the_same_bits(void** state) {
    (void)state;
    world w;
    set_up(&w.f, "sofa", 200);
    for (int limb = 0; limb < 4; limb++) {
        hf_workspace_mark mark = hf_workspace_begin(w.f.workspace);
        set_limb(&w, limb);
        hf_random r = hf_random_start(6, (uint32_t)limb, 0);
        int all = 0;
        count_blocked(&w, limb, &all); // obstacles
        for (int first = 0; first + HF_LANES <= 64; first += HF_LANES) {
            hf_vec3 wanted;
            for (int i = 0; i < HF_LANES; i++) aim_near(&w, limb, i, first + i, &r, &wanted);
            hf_limb_lanes one = *w.lanes;
            unsigned blocked = hf_lane_kernel_for(HF_CPU_BASELINE)->blocked(&one);
            hf_lane_kernel_for(HF_CPU_BASELINE)->solve(&one);
            for (int cpu = HF_CPU_BASELINE + 1; cpu < HF_CPU_COUNT; cpu++) {
                const hf_lane_kernel* kernel = hf_lane_kernel_for((hf_cpu)cpu);
                if (!kernel) continue;
                hf_limb_lanes other = *w.lanes;
                assert_int_equal(kernel->blocked(&other), blocked);
                kernel->solve(&other);
                assert_memory_equal(&other.now, &one.now, sizeof one.now);
            }
        }
        hf_workspace_end(w.f.workspace, mark);
    }
    tear_down(&w.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocked_lanes_are_blocked),
        cmocka_unit_test(solved_lanes_are_where_they_say),
        cmocka_unit_test(all_builds_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
