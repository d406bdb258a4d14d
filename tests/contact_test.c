/* Contact queries: order of scores against brute force with its own kinematics, answers against the check
   module, roles on simple scenes, small sample sets, threads, memory, bad input. */
#include "allocation_count.h"
#include "contact_fixture.h"
#include "base/workspace.h"
#include "contact/contact_score.h"

#include <holdfast/outlook.h>
#include <pthread.h>

enum { MAX_TESTED = 4000 };

/* ---- order of scores ---- */

/* The best score of a sample by plain loops, its own forward kinematics and Jacobian; false when no surface
   near it will do. */
static bool brute_score(const fixture* f, const hf_contact_query* q, const hf_samples* set, int sample,
                        double* best) {
    static hf_surface all[2000], *chosen[2000];
    double values[Q_MAX], jacobian[3 * Q_MAX], gram[6];
    hf_transform links[LINK_MAX];
    const hf_limb* limb = &f->c->limbs[q->limb];
    const hf_contact_frame* frame = &limb->contacts[hf_samples_get(set).contact];
    hf_forward(f->s->creature, &q->pose, links);
    hf_vec3 root = hf_limb_base(f->s->creature, q->limb, links).position;
    hf_vec3 now = hf_apply(links[frame->link], frame->offset);
    memcpy(values, q->pose.q, sizeof(double) * (size_t)f->c->q_count);
    hf_samples_pose(f->s->creature, set, sample, values);
    hf_pose pose = {q->pose.root, values};
    hf_forward(f->s->creature, &pose, links);
    hf_vec3 p = hf_apply(links[frame->link], frame->offset), v = hf_normalize(q->direction);
    hf_limb_jacobian(f->s->creature, q->limb, links, p, 3, jacobian);
    hf_jacobian_gram(jacobian, limb->joint_count, gram);
    double form = v.x * v.x * gram[0] + v.y * v.y * gram[1] + v.z * v.z * gram[2] +
                  2 * (v.x * v.y * gram[3] + v.x * v.z * gram[4] + v.y * v.z * gram[5]);
    double force = limb->length / sqrt(form + 0.0025 * limb->length * limb->length);
    // those that may be used, each with its normal to the right side
    int total = hf_placement_within(f->placement, p, q->epsilon_m + frame->ball, all, 2000), usable = 0;
    assert_true(total <= 2000);
    for (int i = 0; i < total; i++) {
        hf_object_view o = hf_scene_object(f->s->scene, all[i].object);
        hf_surface at = all[i];
        if (o.solidity[o.piece_of[at.triangle]] == 0 && hf_dot(at.normal, hf_sub(root, at.point)) < 0)
            at.normal = hf_neg(at.normal);
        double factor = hf_dot(v, at.normal) * (q->role == HF_ROLE_ACT ? -1 : 1);
        if (o.contact && !(q->weights[HF_TERM_EFFORT] > 0 && factor < -0.01)) all[usable++] = at;
    }
    // nearest first, each unlike those before it
    int count = 0;
    for (;;) {
        hf_surface* next = NULL;
        for (int i = 0; i < usable; i++) {
            bool unlike = true;
            for (int k = 0; k < count && unlike; k++)
                unlike = hf_dot(all[i].normal, chosen[k]->normal) < 0.984807753012208;
            if (unlike && (!next || all[i].distance < next->distance)) next = &all[i];
        }
        if (!next) return count > 0;
        double factor = hf_dot(v, next->normal) * (q->role == HF_ROLE_ACT ? -1 : 1);
        double score = q->weights[HF_TERM_EFFORT] * force * factor -
                       q->weights[HF_TERM_DISTANCE] * hf_distance(p, now) / limb->length;
        if (count == 0 || score > *best) *best = score;
        chosen[count++] = next;
    }
}

static int descending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x < y) - (x > y);
}

/* The internal list, popped to its end, against the sorted scores of all samples. */
static void check_order(const fixture* f, hf_contact_query* q, int frame, int* compared) {
    static double truth[MAX_TESTED];
    const hf_samples* set = f->samples[q->limb][frame];
    int near = 0;
    for (int i = 0; i < hf_samples_get(set).count; i++) near += brute_score(f, q, set, i, &truth[near]);
    qsort(truth, (size_t)near, sizeof *truth, descending);
    hf_transform links[LINK_MAX];
    double values[Q_MAX];
    hf_forward(f->s->creature, &q->pose, links);
    memcpy(values, q->pose.q, sizeof(double) * (size_t)f->c->q_count);
    hf_transform base = hf_limb_base(f->s->creature, q->limb, links);
    const hf_limb* limb = &f->c->limbs[q->limb];
    const hf_contact_frame* at = &limb->contacts[frame];
    bool use[64];
    for (int i = 0; i < hf_scene_object_count(f->s->scene); i++)
        use[i] = hf_scene_object(f->s->scene, i).contact;
    hf_contact_scorer scorer = {
        .creature = f->s->creature,
        .query = q,
        .samples = set,
        .ball = at->ball,
        .near = {.placement = f->placement, .base = base, .epsilon = q->epsilon_m + at->ball, .use = use},
        .length = limb->length,
        .direction = hf_unrotate(base.rotation, hf_normalize(q->direction)),
        .up = hf_unrotate(base.rotation, hf_v3(0, 0, 1)),
        .effector = hf_unapply(base, hf_apply(links[at->link], at->offset)),
        .q = values};
    hf_workspace_mark mark = hf_workspace_begin(f->workspace);
    hf_choice_list list = {.scorers = &scorer};
    assert_int_equal(hf_contact_collect(&scorer, f->workspace, &list), HF_OK);
    double scale = near ? fabs(truth[0]) + fabs(truth[near - 1]) + 1e-3 : 0;
    hf_contact_choice top;
    for (int popped = 0; popped < near - 4 && hf_choices_next(&list, &top);) {
        hf_surface surface;
        double factor, score;
        bool any, exact;
        assert_int_equal(hf_contact_resolve(&scorer, &top, -INFINITY, f->workspace, &surface, &factor, &score,
                                            &exact, &any),
                         HF_OK);
        assert_true(exact);
        assert_true(any);
        assert_true(score <= (double)top.score + 1e-5 * scale);
        if (!top.exact && (float)score < hf_choices_best(&list)) {
            top.score = (float)score, top.exact = true;
            hf_choices_return(&list, top);
            continue;
        }
        // its place in the order, give or take those that differ in the last digits
        assert_near(score, truth[popped], 5e-3 * scale);
        double own;
        assert_true(brute_score(f, q, set, (int)top.sample, &own));
        assert_near(score, own, 1e-3 * scale);
        popped++;
        ++*compared;
    }
    // a sample on the very edge of epsilon may be told differently
    assert_true(hf_choices_open(&list, f->workspace));
    assert_near(list.sample_count, near, 2 + near / 500);
    hf_workspace_end(f->workspace, mark);
}

static void order_is_that_of_brute_force(void** state) {
    (void)state;
    static const char* const names[] = {"chair-table", "climb-four-ways", "pose-spider"};
    int compared = 0;
    for (int n = 0; n < 3; n++) {
        fixture f;
        set_up(&f, names[n], 1500);
        for (int i = 0; i < 4; i++) {
            hf_random r = hf_random_start(21, (uint32_t)n, (uint64_t)i);
            hf_contact_query q = query_of(&f, i % (f.c->limb_count < 4 ? f.c->limb_count : 4));
            q.direction = draw(&r, hf_v3(-1, -1, -1), hf_v3(1, 1, 1));
            q.role = i % 2 ? HF_ROLE_ACT : HF_ROLE_SUPPORT;
            q.epsilon_m = 0.06 * f.c->limbs[q.limb].length;
            if (i == 3) q.weights[HF_TERM_EFFORT] = 0, q.weights[HF_TERM_DISTANCE] = 1;
            check_order(&f, &q, 0, &compared);
        }
        tear_down(&f);
    }
    assert_true(compared > 500);
}

/* ---- answers ---- */

/* What every contact must be, whatever was asked. */
static void check_contact(const fixture* f, const hf_contact_query* q, const hf_contact* k, unsigned claims) {
    assert_int_equal(k->hold.limb, q->limb);
    assert_true(hf_scene_object(f->s->scene, k->hold.object).contact);
    assert_near(hf_length(k->hold.normal), 1, 1e-9);
    assert_true(k->position_error_m <= 1e-4);
    double sum = 0, factor = hf_dot(k->hold.normal, hf_normalize(q->direction));
    for (int i = 0; i < HF_TERM_COUNT; i++) sum += q->weights[i] * k->terms[i];
    assert_near(sum, k->score, 1e-9);
    if (q->role == HF_ROLE_ACT) factor = -factor;
    // a support may push against the task by less than its friction
    double friction = hf_scene_object(f->s->scene, k->hold.object).friction;
    double least = q->role == HF_ROLE_SUPPORT ? -friction / sqrt(1 + friction * friction) : -0.01;
    if (q->weights[HF_TERM_EFFORT] > 0) assert_true(factor >= least - 1e-4);
    // nothing but the limb's joints has moved
    for (int j = 0; j < f->c->joint_count; j++) {
        bool mine = f->c->joints[j].mimic >= 0;
        for (int i = 0; i < f->c->limbs[q->limb].joint_count; i++)
            mine |= f->c->limbs[q->limb].joints[i] == j;
        for (int v = 0; v < f->c->joints[j].q_count && !mine; v++)
            assert_true(k->q[f->c->joints[j].q_index + v] == q->pose.q[f->c->joints[j].q_index + v]);
    }
    judge(f, q, k, claims);
}

/* The start pose shifted and turned at random; true when it is free of collision. */
static bool shift(const fixture* f, hf_random* r, double spread, hf_contact_query* q) {
    hf_transform links[LINK_MAX];
    hf_vec3 d = draw(r, hf_v3(-spread, -spread, -spread / 4), hf_v3(spread, spread, spread / 2));
    q->pose.root.position = hf_add(f->s->start.pose.root.position, d);
    hf_vec3 rpy = draw(r, hf_v3(-0.3, -0.3, -3), hf_v3(0.3, 0.3, 3));
    hf_quat turn = hf_quat_rpy(rpy.x, rpy.y, rpy.z);
    q->pose.root.rotation = hf_quat_mul(turn, f->s->start.pose.root.rotation);
    hf_forward(f->s->creature, &q->pose, links);
    return !hf_collides(f->s->creature, f->placement, links, NULL, NULL);
}

static void random_answers_are_valid(void** state) {
    (void)state;
    static const struct {
        const char* name;
        double spread;
        int tries;
    } all[] = {{"chair-table", 0.4, 120}, {"climb-four-ways", 0.2, 30}, {"pose-spider", 0.5, 200},
               {"pose-insect", 0.4, 120}, {"pose-quadruped", 0.3, 120}, {"push", 0.3, 80}};
    int total = 0;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        fixture f;
        int found = 0, free_poses = 0;
        set_up(&f, all[n].name, 2000);
        for (int i = 0; i < all[n].tries; i++) {
            hf_random r = hf_random_start(31, (uint32_t)n, (uint64_t)i);
            hf_contact_query q = query_of(&f, (int)hf_random_between(&r, 0, f.c->limb_count - 0.01));
            if (!f.samples[q.limb][0] || !shift(&f, &r, all[n].spread, &q)) continue;
            free_poses++;
            q.direction = draw(&r, hf_v3(-1, -1, -0.5), hf_v3(1, 1, 1));
            q.role = i % 3 == 2 ? HF_ROLE_ACT : HF_ROLE_SUPPORT;
            q.count = 1 + i % 3;
            q.max_tests = 300;
            find(&f, &q);
            const hf_contact_answer* a = f.answer;
            assert_true(a->contact_count <= q.count && a->tested <= q.max_tests);
            assert_int_equal(a->tested, a->colliding + a->unfinished + a->valid);
            assert_true(a->contact_count <= a->valid);
            assert_int_equal(a->outcome == HF_FOUND, a->contact_count == q.count);
            for (int k = 0; k < a->contact_count; k++) {
                check_contact(&f, &q, &a->contacts[k],
                              HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_COLLISION | HF_CLAIM_CONTACTS);
                double apart = fmin(0.15, f.c->limbs[q.limb].length / 4);
                for (int m = 0; m < k; m++)
                    assert_true(hf_distance(a->contacts[k].hold.point, a->contacts[m].hold.point) >= apart);
                if (k) assert_true(a->contacts[k].score <= a->contacts[k - 1].score + 1e-9);
            }
            found += a->contact_count > 0;
        }
        print_message("%s: %d of %d free poses have a contact\n", all[n].name, found, free_poses);
        assert_true(found > 0);
        total += found;
        tear_down(&f);
    }
    assert_true(total >= 50);
}

/* ---- roles ---- */

static const char* object_name(const fixture* f, const hf_contact* k) {
    return hf_scene_object(f->s->scene, k->hold.object).name;
}

/* Up from the chair: the table's top, where the nearest surface is its side. */
static void table_top_beats_its_side(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "chair-table", 10000);
    hf_contact_query q = limb_query(&f, "left_arm");
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    assert_string_equal(object_name(&f, &f.answer->contacts[0]), "table");
    assert_true(f.answer->contacts[0].hold.normal.z > 0.99);
    q.weights[HF_TERM_EFFORT] = 0, q.weights[HF_TERM_DISTANCE] = 1;
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    assert_string_equal(object_name(&f, &f.answer->contacts[0]), "table");
    assert_true(fabs(f.answer->contacts[0].hold.normal.z) < 0.01);
    tear_down(&f);
}

/* Both hands on the cupboard's face, which is against the push; pulling, no hand may be there. */
static void hands_push_against_the_face(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "push", 10000);
    static const char* const hands[] = {"left_arm", "right_arm"};
    for (int i = 0; i < 2; i++) {
        hf_contact_query q = limb_query(&f, hands[i]);
        q.role = HF_ROLE_ACT;
        q.direction = hf_v3(1, 0, 0);
        q.count = 5;
        find(&f, &q);
        assert_int_equal(f.answer->outcome, HF_FOUND);
        for (int k = 0; k < 5; k++) {
            assert_string_equal(object_name(&f, &f.answer->contacts[k]), "cupboard");
            assert_true(f.answer->contacts[k].hold.normal.x < -0.99);
        }
        q.direction = hf_v3(-1, 0, 0);
        find(&f, &q);
        for (int k = 0; k < f.answer->contact_count; k++)
            assert_true(f.answer->contacts[k].hold.normal.x > -0.02);
        // nothing there can be gripped
        q.role = HF_ROLE_GRIP;
        find(&f, &q);
        assert_int_equal(f.answer->outcome, HF_NONE);
        assert_int_equal(f.answer->why, HF_CONTACT_OUT_OF_REACH);
        assert_int_equal(f.answer->candidates, 0);
    }
    tear_down(&f);
}

/* Surfaces too steep or too small are left out. */
static void filters_hold(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "chair-table", 5000);
    hf_contact_query q = limb_query(&f, "left_arm");
    q.weights[HF_TERM_EFFORT] = 0, q.weights[HF_TERM_DISTANCE] = 1;
    q.max_tilt_rad = 0.1;
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    assert_true(f.answer->contacts[0].hold.normal.z > cos(0.1));
    // the side of the table's top is 4 cm high
    q.max_tilt_rad = 3.14159265358979323846;
    q.min_size_m = 0.2;
    q.count = 10;
    find(&f, &q);
    assert_true(f.answer->contact_count > 0);
    for (int k = 0; k < f.answer->contact_count; k++) {
        const hf_contact* c = &f.answer->contacts[k];
        bool rim =
            strcmp(object_name(&f, c), "table") == 0 && fabs(c->hold.normal.z) < 0.1 && c->hold.point.z > 0.7;
        assert_false(rim);
    }
    tear_down(&f);
}

/* ---- small sets ---- */

static void small_sets_find_holds(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "climb-four-ways", 1000);
    assert_int_equal(f.s->task_count, 4);
    for (int t = 0; t < f.s->task_count; t++)
        for (int i = 0; i < f.s->tasks[t].limb_count; i++) {
            hf_contact_query q = query_of(&f, f.s->tasks[t].limbs[i].limb);
            q.direction = f.s->tasks[t].limbs[i].direction;
            find(&f, &q);
            assert_int_equal(f.answer->outcome, HF_FOUND);
            judge(&f, &q, &f.answer->contacts[0], HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_CONTACTS);
        }
    tear_down(&f);
    // twenty samples: none within epsilon of the cupboard, yet it is there
    set_up(&f, "push", 20);
    hf_contact_query q = limb_query(&f, "left_arm");
    q.role = HF_ROLE_ACT;
    q.direction = hf_v3(1, 0, 0);
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    assert_true(f.answer->epsilon_m > 0.03 * f.c->limbs[q.limb].length);
    judge(&f, &q, &f.answer->contacts[0], HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_CONTACTS);
    tear_down(&f);
}

/* In a set of a million the best ten thousand postures may all be blocked by the same thing: the budget must
   reach past them to what a small set finds. */
static void large_sets_find_what_small_ones_do(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "sofa", 1000);
    hf_contact_query q = limb_query(&f, "left_leg");
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    double small = f.answer->contacts[0].score;
    for (int k = 0; k < f.c->limbs[q.limb].contact_count; k++) {
        hf_sample_options o = hf_sample_options_default();
        o.count = 1000000, o.contact = k;
        hf_samples_free(f.samples[q.limb][k]);
        assert_int_equal(hf_samples_build(f.s->creature, q.limb, &o, &f.samples[q.limb][k], NULL), HF_OK);
    }
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    assert_true(f.answer->contacts[0].score > 0.95 * small);
    judge(&f, &q, &f.answer->contacts[0], HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_CONTACTS);
    tear_down(&f);
}

/* ---- several limbs ---- */

static void limbs_mind_each_other(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "chair-table", 3000);
    static const char* const names[] = {"left_arm", "left_elbow", "right_leg", "left_leg"};
    enum { COUNT = 4 };
    hf_contact_query q[COUNT];
    hf_contact_answer* answers[COUNT];
    const hf_samples* const* all[COUNT];
    double values[Q_MAX];
    for (int i = 0; i < COUNT; i++) {
        q[i] = limb_query(&f, names[i]);
        all[i] = sets(&f, q[i].limb);
        assert_int_equal(hf_contact_answer_create(f.s->creature, 1, &answers[i]), HF_OK);
    }
    assert_int_equal(
        hf_contact_find_all(f.s->creature, all, f.placement, q, COUNT, f.workspace, answers, values), HF_OK);
    // the elbow cannot touch while the hand does
    assert_int_equal(answers[1]->outcome, HF_NONE);
    assert_int_equal(answers[1]->why, HF_CONTACT_EXCLUDED);
    hf_hold touches[COUNT];
    int count = 0;
    for (int i = 0; i < COUNT; i++) {
        if (i == 1) continue;
        assert_int_equal(answers[i]->outcome, HF_FOUND);
        const hf_contact* k = &answers[i]->contacts[0];
        touches[count++] = (hf_hold){.limb = k->hold.limb, .object = k->hold.object, .grip = k->hold.grip};
        for (int j = 0; j < f.c->limbs[k->hold.limb].joint_count; j++) {
            int at = f.c->joints[f.c->limbs[k->hold.limb].joints[j]].q_index;
            assert_true(values[at] == k->q[at]);
        }
    }
    // all together are free of collision
    hf_transform links[LINK_MAX];
    hf_pose pose = {q[0].pose.root, values};
    hf_forward(f.s->creature, &pose, links);
    hf_collision_query c = hf_collision_query_default();
    c.touches = touches, c.touch_count = count;
    assert_false(hf_collides(f.s->creature, f.placement, links, &c, NULL));
    for (int i = 0; i < COUNT; i++) hf_contact_answer_free(answers[i]);
    tear_down(&f);
}

/* ---- threads and memory ---- */

enum { QUERIES = 12 };

typedef struct worker {
    const fixture* f;
    double sums[QUERIES];
    bool failed;
} worker;

static void draw_query(const fixture* f, int i, hf_contact_query* q) {
    hf_random r = hf_random_start(41, 0, (uint64_t)i);
    *q = query_of(f, i % 4);
    q->direction = draw(&r, hf_v3(-1, -1, 1), hf_v3(1, 1, 1));
    q->count = 1 + i % 2;
    q->max_tests = 50;
}

static double sum_of(const fixture* f, const hf_contact_answer* a) {
    double sum = a->candidates + 1e3 * a->tested;
    for (int k = 0; k < a->contact_count; k++) {
        sum += a->contacts[k].hold.point.x + a->contacts[k].score;
        for (int i = 0; i < f->c->q_count; i++) sum += a->contacts[k].q[i];
    }
    return sum;
}

static void* work(void* user) {
    worker* w = user;
    const fixture* f = w->f;
    hf_workspace* own;
    hf_contact_answer* answer;
    w->failed = hf_workspace_create(&own) != HF_OK;
    w->failed |= hf_contact_answer_create(f->s->creature, 10, &answer) != HF_OK;
    for (int i = 0; i < QUERIES && !w->failed; i++) {
        hf_contact_query q;
        draw_query(f, i, &q);
        w->failed = hf_contact_find(f->s->creature, sets(f, q.limb), f->placement, &q, own, answer) != HF_OK;
        w->sums[i] = sum_of(f, answer);
    }
    hf_contact_answer_free(answer);
    hf_workspace_free(own);
    return NULL;
}

static void threads_agree(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "climb-four-ways", 3000);
    worker workers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){.f = &f};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        assert_false(workers[i].failed);
        assert_memory_equal(workers[i].sums, workers[0].sums, sizeof workers[0].sums);
    }
    tear_down(&f);
}

static void no_heap_once_warm(void** state) {
    (void)state;
    if (!COUNTS_MEMORY) skip();
    fixture f;
    set_up(&f, "climb-four-ways", 3000);
    hf_contact_query q;
    int found = 0;
    for (int round = 0; round < 3; round++) {
        int before = allocations;
        for (int i = 0; i < QUERIES; i++) {
            draw_query(&f, i, &q);
            find(&f, &q);
            found += f.answer->contact_count;
        }
        if (round == 2) assert_int_equal(allocations, before);
    }
    assert_true(found > 0);
    tear_down(&f);
}

/* ---- bad input ---- */

static void expect_refused(const fixture* f, const hf_contact_query* q) {
    f->answer->contact_count = 7;
    assert_int_equal(hf_contact_find(f->s->creature, sets(f, 0), f->placement, q, f->workspace, f->answer),
                     HF_ERROR_ARGUMENT);
    assert_int_equal(f->answer->contact_count, 0);
}

static void bad_queries_are_refused(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "chair-table", 200);
    const hf_contact_query good = query_of(&f, 0);
    hf_contact_query q = good;
    q.direction = hf_v3(0, 0, 0), expect_refused(&f, &q);
    q = good, q.direction.x = NAN, expect_refused(&f, &q);
    q = good, q.pose.root.position.y = INFINITY, expect_refused(&f, &q);
    q = good, q.limb = -1, expect_refused(&f, &q);
    q = good, q.limb = f.c->limb_count, expect_refused(&f, &q);
    q = good, q.epsilon_m = NAN, expect_refused(&f, &q);
    q = good, q.epsilon_m = -1, expect_refused(&f, &q);
    q = good, q.count = 0, expect_refused(&f, &q);
    q = good, q.count = 11, expect_refused(&f, &q); // more than the answer has room for
    q = good, q.weights[HF_TERM_COMFORT] = NAN, expect_refused(&f, &q);
    q = good, q.max_tests = 0, expect_refused(&f, &q);
    // terms that nothing fills
    q = good, q.weights[HF_TERM_DURATION] = 1, expect_refused(&f, &q);
    q = good, q.weights[HF_TERM_BALANCE] = 1, expect_refused(&f, &q);
    hf_outlook empty = {.root_count = 0};
    q.outlook = &empty, expect_refused(&f, &q);
    q = good, q.role = (hf_role)3, expect_refused(&f, &q);
    q = good, q.limb = 1, expect_refused(&f, &q); // sets of limb 0
    double values[Q_MAX];
    memcpy(values, good.pose.q, sizeof(double) * (size_t)f.c->q_count);
    values[3] = NAN;
    q = good, q.pose.q = values, expect_refused(&f, &q);
    q = limb_query(&f, "left_leg"), q.role = HF_ROLE_GRIP; // a foot has no grip
    assert_int_equal(hf_contact_find(f.s->creature, sets(&f, q.limb), f.placement, &q, f.workspace, f.answer),
                     HF_ERROR_ARGUMENT);
    // a set of another creature
    fixture other;
    set_up(&other, "pose-insect", 200);
    assert_int_equal(
        hf_contact_find(f.s->creature, sets(&other, 0), f.placement, &good, f.workspace, f.answer),
        HF_ERROR_ARGUMENT);
    tear_down(&other);
    // an empty scene holds nothing, and says so
    hf_scene* scene;
    hf_placement* placement;
    assert_int_equal(hf_scene_build(NULL, 0, &scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    assert_int_equal(hf_contact_find(f.s->creature, sets(&f, 0), placement, &good, f.workspace, f.answer),
                     HF_OK);
    assert_int_equal(f.answer->outcome, HF_NONE);
    assert_int_equal(f.answer->why, HF_CONTACT_OUT_OF_REACH);
    hf_placement_free(placement);
    hf_scene_free(scene);
    hf_contact_answer* none = (hf_contact_answer*)1;
    assert_int_equal(hf_contact_answer_create(f.s->creature, 0, &none), HF_ERROR_ARGUMENT);
    assert_null(none);
    tear_down(&f);
}

/* Objects that are not for contact are never used. */
static void closed_objects_are_left_alone(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "push", 3000);
    hf_object_def defs[8];
    int count = hf_scene_object_count(f.s->scene);
    for (int i = 0; i < count; i++) {
        hf_object_view v = hf_scene_object(f.s->scene, i);
        defs[i] = hf_object_def_default();
        defs[i].name = v.name, defs[i].mesh = v.mesh, defs[i].start = v.start;
        defs[i].contact = strcmp(v.name, "cupboard") != 0;
    }
    hf_scene* scene;
    hf_placement* placement;
    assert_int_equal(hf_scene_build(defs, count, &scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_contact_query q = limb_query(&f, "left_arm");
    q.role = HF_ROLE_ACT;
    q.direction = hf_v3(1, 0, 0);
    assert_int_equal(hf_contact_find(f.s->creature, sets(&f, q.limb), placement, &q, f.workspace, f.answer),
                     HF_OK);
    assert_int_equal(f.answer->contact_count, 0);
    hf_placement_free(placement);
    hf_scene_free(scene);
    tear_down(&f);
}

/* Distance grids change how candidates are found, not what is answered. */
static void prepared_scenes_answer_alike(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "push", 4000);
    // a bumpy wall of many triangles instead of the cupboard
    enum { SIDE = 60 };
    static float vertices[3 * SIDE * SIDE];
    static uint32_t indices[6 * SIDE * SIDE];
    hf_object_def def = hf_object_def_default();
    def.name = "rock";
    def.mesh = (hf_mesh){.vertices = vertices, .indices = indices, .vertex_count = SIDE * SIDE};
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        float y = 2.0f * (float)(i % SIDE) / SIDE - 1, z = 2.2f * (float)(i / SIDE) / SIDE;
        vertices[3 * i] = 0.6f + 0.04f * sinf(9 * y) * cosf(8 * z);
        vertices[3 * i + 1] = y, vertices[3 * i + 2] = z;
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        const uint32_t quad[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
        memcpy(indices + 3 * def.mesh.triangle_count, quad, sizeof quad);
        def.mesh.triangle_count += 2;
    }
    hf_scene* scenes[2];
    int found = 0;
    hf_contact_answer* answers[2];
    hf_placement* placements[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hf_scene_build(&def, 1, &scenes[i], NULL), HF_OK);
        if (i) assert_int_equal(hf_scene_prepare(scenes[i], 0.03 * f.c->limbs[0].length, 1, NULL), HF_OK);
        assert_int_equal(hf_placement_create(scenes[i], &placements[i]), HF_OK);
        assert_int_equal(hf_contact_answer_create(f.s->creature, 3, &answers[i]), HF_OK);
    }
    for (int n = 0; n < 6; n++) {
        hf_contact_query q = query_of(&f, n % 2);
        q.role = HF_ROLE_ACT;
        q.direction = hf_v3(1, 0.2 * n, 0.1 * n);
        q.count = 3;
        for (int i = 0; i < 2; i++)
            assert_int_equal(
                hf_contact_find(f.s->creature, sets(&f, q.limb), placements[i], &q, f.workspace, answers[i]),
                HF_OK);
        assert_int_equal(answers[0]->contact_count, answers[1]->contact_count);
        for (int k = 0; k < answers[0]->contact_count; k++) {
            assert_near(answers[0]->contacts[k].score, answers[1]->contacts[k].score, 1e-9);
            assert_near(hf_distance(answers[0]->contacts[k].hold.point, answers[1]->contacts[k].hold.point),
                        0, 1e-9);
            // an open sheet is touched from the side the limb's root is on
            assert_true(answers[0]->contacts[k].hold.normal.x < 0);
        }
        found += answers[0]->contact_count;
    }
    assert_true(found > 0);
    for (int i = 0; i < 2; i++) {
        hf_contact_answer_free(answers[i]);
        hf_placement_free(placements[i]);
        hf_scene_free(scenes[i]);
    }
    tear_down(&f);
}

static void names_go_both_ways(void** state) {
    (void)state;
    for (int i = 0; i < HF_TERM_COUNT; i++) assert_int_equal(hf_term_find(hf_term_text((hf_term)i)), i);
    assert_int_equal(hf_term_find("efort"), -1);
    assert_string_equal(hf_role_text(HF_ROLE_ACT), "act");
    assert_string_equal(hf_contact_why_text(HF_CONTACT_ALL_COLLIDING), "all colliding");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_brute_force),
        cmocka_unit_test(random_answers_are_valid),
        cmocka_unit_test(table_top_beats_its_side),
        cmocka_unit_test(hands_push_against_the_face),
        cmocka_unit_test(filters_hold),
        cmocka_unit_test(small_sets_find_holds),
        cmocka_unit_test(large_sets_find_what_small_ones_do),
        cmocka_unit_test(limbs_mind_each_other),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(no_heap_once_warm),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(closed_objects_are_left_alone),
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(prepared_scenes_answer_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
