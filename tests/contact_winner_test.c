/* The winner of a contact query against an exhaustive search: every sample of a small set is scored by plain
   loops with kinematics and terms of the test's own, all are finished, and the best that is valid must be the
   answer, with the terms of the posture it carries. The scoring kernels against each other and plain loops.
 */
#include "contact_fixture.h"
#include "base/workspace.h"
#include "contact/contact_finish.h"
#include "contact/contact_score.h"

#include <stdlib.h>

enum { MAX_SURFACES = 500, MAX_SAMPLES = 3000 };

/* What the test itself says about a posture of the limb: terms without the surface's factor. */
typedef struct own_terms {
    double lever; /* 1 / (L f_T) */
    double distance, manipulability, comfort;
    hf_vec3 point; /* of the contact frame, world */
} own_terms;

/* Jacobian by differences of forward kinematics, so that nothing is shared with the library's. */
static own_terms terms_of(const fixture* f, const hf_contact_query* q, int frame, const double* values) {
    const hf_limb* limb = &f->c->limbs[q->limb];
    const hf_contact_frame* at = &limb->contacts[frame];
    hf_transform links[LINK_MAX];
    double x[Q_MAX], gram[3][3] = {{0}};
    own_terms t = {0};
    hf_forward(f->s->creature, &q->pose, links);
    hf_vec3 now = hf_apply(links[at->link], at->offset);
    hf_forward(f->s->creature, &(hf_pose){q->pose.root, (double*)values}, links);
    t.point = hf_apply(links[at->link], at->offset);
    for (int j = 0; j < limb->joint_count; j++) {
        int index = f->c->joints[limb->joints[j]].q_index;
        hf_vec3 ends[2];
        for (int side = 0; side < 2; side++) {
            memcpy(x, values, sizeof(double) * (size_t)f->c->q_count);
            x[index] += side ? 1e-5 : -1e-5;
            hf_pose_follow(f->s->creature, x);
            hf_forward(f->s->creature, &(hf_pose){q->pose.root, x}, links);
            ends[side] = hf_apply(links[at->link], at->offset);
        }
        hf_vec3 d = hf_scale(hf_sub(ends[1], ends[0]), 1 / 2e-5);
        const double c[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) gram[a][b] += c[a] * c[b];
    }
    hf_vec3 v = hf_normalize(q->direction);
    const double u[3] = {v.x, v.y, v.z};
    double form = 0, length = limb->length;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) form += u[a] * gram[a][b] * u[b];
    t.lever = sqrt(form + 0.0025 * length * length) / length;
    t.distance = -hf_distance(t.point, now) / length;
    double det = gram[0][0] * (gram[1][1] * gram[2][2] - gram[1][2] * gram[2][1]) -
                 gram[0][1] * (gram[1][0] * gram[2][2] - gram[1][2] * gram[2][0]) +
                 gram[0][2] * (gram[1][0] * gram[2][1] - gram[1][1] * gram[2][0]);
    t.manipulability = sqrt(fmax(det, 0)) / hf_samples_get(f->samples[q->limb][frame]).max_manipulability;
    int regions = 0;
    for (int r = 0; r < f->c->rom_count; r++)
        for (int j = 0; j < limb->joint_count; j++)
            if (limb->joints[j] == f->c->roms[r].joints[0])
                t.comfort += hf_rom_comfort(f->s->creature, r, values), regions++;
    if (regions) t.comfort /= regions;
    for (int j = 0; j < limb->joint_count && !regions; j++) {
        const hf_joint* joint = &f->c->joints[limb->joints[j]];
        double middle = (joint->lower + joint->upper) / 2, half = (joint->upper - joint->lower) / 2;
        t.comfort += (1 - fabs(values[joint->q_index] - middle) / half) / limb->joint_count;
    }
    return t;
}

static double weigh(const hf_contact_query* q, const own_terms* t, double factor) {
    const double* w = q->weights;
    double sum = w[HF_TERM_DISTANCE] * t->distance + w[HF_TERM_MANIPULABILITY] * t->manipulability;
    sum += w[HF_TERM_EFFORT] * factor / t->lever + w[HF_TERM_PRECISION] * factor * t->lever;
    return sum + w[HF_TERM_COMFORT] * t->comfort;
}

static bool pushes(const hf_contact_query* q) {
    return q->weights[HF_TERM_EFFORT] > 0 || q->weights[HF_TERM_PRECISION] > 0;
}

/* One sample with its best surface. */
typedef struct option {
    int frame, sample;
    hf_surface surface;
    double factor, score;
} option;

/* The best surface that helps; false when none is within epsilon. */
static bool best_option(const fixture* f, const hf_contact_query* q, hf_vec3 root, option* o) {
    static hf_surface all[MAX_SURFACES];
    double values[Q_MAX];
    memcpy(values, q->pose.q, sizeof(double) * (size_t)f->c->q_count);
    hf_samples_pose(f->s->creature, f->samples[q->limb][o->frame], o->sample, values);
    own_terms t = terms_of(f, q, o->frame, values);
    double reach = q->epsilon_m + f->c->limbs[q->limb].contacts[o->frame].ball;
    int total = hf_placement_within(f->placement, t.point, reach, all, MAX_SURFACES), usable = 0;
    assert_true(total <= MAX_SURFACES);
    for (int i = 0; i < total; i++) {
        hf_object_view object = hf_scene_object(f->s->scene, all[i].object);
        bool open = object.solidity[object.piece_of[all[i].triangle]] == 0;
        if (open && hf_dot(all[i].normal, hf_sub(root, all[i].point)) < 0)
            all[i].normal = hf_neg(all[i].normal);
        double factor = hf_dot(hf_normalize(q->direction), all[i].normal);
        if (q->role == HF_ROLE_ACT) factor = -factor;
        if (object.contact && (!pushes(q) || factor > 1e-6)) all[usable++] = all[i];
    }
    bool any = false;
    for (int i = 0; i < usable; i++) {
        // a surface counts when none that is like it is nearer
        bool hidden = false;
        for (int k = 0; k < usable; k++)
            hidden |= hf_dot(all[k].normal, all[i].normal) > 0.984807753 && all[k].distance < all[i].distance;
        double factor = hf_dot(hf_normalize(q->direction), all[i].normal);
        if (q->role == HF_ROLE_ACT) factor = -factor;
        double score = weigh(q, &t, factor);
        bool better = !any || score > o->score + 1e-9 ||
                      (score > o->score - 1e-9 && all[i].distance < o->surface.distance);
        if (hidden || !better) continue;
        any = true;
        o->surface = all[i], o->factor = factor, o->score = score;
    }
    return any;
}

/* Free as sampled, exact, and free: with nothing left over from any other sample. `values` is the posture. */
static bool is_valid(const fixture* f, const hf_contact_query* q, const option* o, double* values) {
    bool use[64], valid = false;
    for (int i = 0; i < hf_scene_object_count(f->s->scene); i++)
        use[i] = hf_scene_object(f->s->scene, i).contact;
    hf_workspace_mark mark = hf_workspace_begin(f->workspace);
    hf_contact_finisher finisher;
    assert_int_equal(hf_contact_finisher_make(f->s->creature, f->placement, q, sets(f, q->limb), use,
                                              f->workspace, &finisher),
                     HF_OK);
    const hf_samples* set = f->samples[q->limb][o->frame];
    double slack = 0.2 * q->epsilon_m;
    if (hf_contact_clear(&finisher.clearance, set, o->sample, o->frame, &o->surface, slack)) {
        hf_contact contact;
        hf_finish end;
        assert_int_equal(
            hf_contact_finish(&finisher, set, o->sample, o->frame, &o->surface, slack, &contact, &end),
            HF_OK);
        valid = end == HF_FINISH_VALID;
        memcpy(values, finisher.q, sizeof(double) * (size_t)f->c->q_count);
    }
    hf_workspace_end(f->workspace, mark);
    return valid;
}

static int by_score(const void* a, const void* b) {
    double x = ((const option*)a)->score, y = ((const option*)b)->score;
    return (x < y) - (x > y);
}

/* The answer's terms are those of its own posture. */
static void check_terms(const fixture* f, const hf_contact_query* q, const hf_contact* k) {
    own_terms t = terms_of(f, q, k->hold.frame, k->q);
    double factor = hf_dot(hf_normalize(q->direction), k->hold.normal);
    if (q->role == HF_ROLE_ACT) factor = -factor;
    assert_near(k->terms[HF_TERM_EFFORT], factor / t.lever, 1e-5 / t.lever);
    assert_near(k->terms[HF_TERM_PRECISION], factor * t.lever, 1e-5);
    assert_near(k->terms[HF_TERM_DISTANCE], t.distance, 1e-6);
    assert_near(k->terms[HF_TERM_MANIPULABILITY], t.manipulability, 1e-4);
    assert_near(k->terms[HF_TERM_COMFORT], t.comfort, 1e-6);
    double sum = 0;
    for (int i = 0; i < HF_TERM_COUNT; i++) sum += q->weights[i] * k->terms[i];
    assert_near(k->score, sum, 1e-9);
}

/* All samples near a surface that helps, best first. */
static int list_options(const fixture* f, const hf_contact_query* q, option* options) {
    int count = 0;
    hf_transform links[LINK_MAX];
    hf_forward(f->s->creature, &q->pose, links);
    hf_vec3 root = hf_limb_base(f->s->creature, q->limb, links).position;
    // the human's feet have frames of their own: those on toes are not asked
    const hf_limb* limb = &f->c->limbs[q->limb];
    for (int k = 0; k < limb->contact_count; k++)
        for (int i = 0; limb->contacts[k].link == limb->effector_link &&
                        i < hf_samples_get(f->samples[q->limb][k]).count;
             i++) {
            option* o = &options[count];
            *o = (option){.frame = k, .sample = i};
            count += best_option(f, q, root, o);
            assert_true(count < MAX_SAMPLES);
        }
    qsort(options, (size_t)count, sizeof *options, by_score);
    return count;
}

/* True when there was a winner to compare. */
static bool check_winner(const fixture* f, hf_contact_query* q) {
    static option options[MAX_SAMPLES];
    double values[Q_MAX];
    int count = list_options(f, q, options);
    int winner = 0;
    while (winner < count && !is_valid(f, q, &options[winner], values)) winner++;
    q->max_tests = 10000000;
    find(f, q);
    const hf_contact_answer* a = f->answer;
    if (winner == count) {
        // none within epsilon: whatever is found came from farther away, or from a surface along the task
        if (a->contact_count)
            assert_true(a->epsilon_m > q->epsilon_m || a->contacts[0].sample_score <= 1e-6 ||
                        a->looked > a->candidates);
        return false;
    }
    const hf_contact* k = &a->contacts[0];
    assert_int_equal(a->outcome, HF_FOUND);
    assert_near(a->epsilon_m, q->epsilon_m, 0);
    // scores of stored samples are floats; among equals any will do
    double close = 2e-3 * (fabs(options[winner].score) + 0.01);
    assert_near(k->sample_score, options[winner].score, close);
    bool same = false;
    for (int i = 0; i < count && !same; i++)
        same = fabs(options[i].score - options[winner].score) <= close && options[i].frame == k->hold.frame &&
               hf_distance(options[i].surface.point, k->hold.point) < 1e-4;
    assert_true(same);
    assert_true(a->looked <= winner + 1 + count / 50);
    check_terms(f, q, k);
    return true;
}

static void winner_is_that_of_an_exhaustive_search(void** state) {
    (void)state;
    static const struct {
        const char* scenario;
        int samples, queries;
    } all[] = {{"chair-table", 700, 10},
               {"climb-four-ways", 700, 10},
               {"pose-insect", 500, 12},
               {"pose-spider", 500, 8}};
    int compared[5] = {0};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        fixture f;
        set_up(&f, all[n].scenario, all[n].samples);
        for (int i = 0; i < all[n].queries; i++) {
            hf_random r = hf_random_start(71, (uint32_t)n, (uint64_t)i);
            hf_contact_query q = query_of(&f, i % (f.c->limb_count < 4 ? f.c->limb_count : 4));
            q.direction = draw(&r, hf_v3(-1, -1, 0), hf_v3(1, 1, 1));
            q.epsilon_m = 0.06 * f.c->limbs[q.limb].length;
            // each of the terms in turn
            int term = i % 5;
            q.weights[HF_TERM_EFFORT] = 0;
            q.weights[term] = 1;
            compared[term] += check_winner(&f, &q);
        }
        tear_down(&f);
    }
    for (int t = 0; t < 5; t++)
        print_message("%s: %d winners compared\n", hf_term_text((hf_term)t), compared[t]);
    for (int t = 0; t < 5; t++) assert_true(compared[t] > 0);
}

/* ---- several contacts ---- */

enum { SEVERAL = 5 };

/* Every option is finished and scored anew, then the best are taken that are apart. Returns how many. */
static int exhaustive_answer(const fixture* f, const hf_contact_query* q, double apart, double* scores) {
    static option options[MAX_SAMPLES];
    double values[Q_MAX];
    int all = list_options(f, q, options), valid = 0, chosen = 0;
    for (int i = 0; i < all; i++) {
        if (!is_valid(f, q, &options[i], values)) continue;
        own_terms t = terms_of(f, q, options[i].frame, values);
        options[valid] = options[i];
        options[valid++].score = weigh(q, &t, options[i].factor);
    }
    qsort(options, (size_t)valid, sizeof *options, by_score);
    hf_vec3 points[SEVERAL];
    for (int i = 0; i < valid && chosen < SEVERAL; i++) {
        bool near = false;
        for (int k = 0; k < chosen && !near; k++)
            near = hf_distance(points[k], options[i].surface.point) < apart;
        if (near) continue;
        points[chosen] = options[i].surface.point;
        scores[chosen++] = options[i].score;
    }
    return chosen;
}

/* Query, exhaustive answer and a query for one contact. Returns how many contacts were compared. */
static int check_several(const fixture* f, hf_contact_query* q) {
    double scores[SEVERAL], apart = fmin(0.15, f->c->limbs[q->limb].length / 4);
    int count = exhaustive_answer(f, q, apart, scores);
    q->max_tests = 10000000;
    q->count = 1;
    find(f, q);
    double first = f->answer->contact_count ? f->answer->contacts[0].score : -INFINITY;
    q->count = SEVERAL;
    find(f, q);
    const hf_contact_answer* a = f->answer;
    assert_true(first == -INFINITY || a->contacts[0].score >= first);
    if (count == 0) return 0;
    assert_near(a->epsilon_m, q->epsilon_m, 0);
    assert_true(a->contact_count >= count);
    for (int i = 0; i < count; i++)
        assert_near(a->contacts[i].score, scores[i], 1e-4 * (1 + fabs(scores[i])));
    for (int i = 0; i < a->contact_count; i++)
        for (int k = 0; k < i; k++)
            assert_true(hf_distance(a->contacts[i].hold.point, a->contacts[k].hold.point) >= apart);
    return count;
}

static void several_are_the_best_finished_ones(void** state) {
    (void)state;
    static const char* const scenarios[] = {"chair-table", "climb-four-ways", "pose-insect", "push"};
    int compared = 0;
    for (int n = 0; n < 4; n++) {
        fixture f;
        set_up(&f, scenarios[n], 300);
        for (int i = 0; i < 12; i++) {
            hf_random r = hf_random_start(91, (uint32_t)n, (uint64_t)i);
            hf_contact_query q = query_of(&f, i % (f.c->limb_count < 4 ? f.c->limb_count : 4));
            q.direction = draw(&r, hf_v3(-1, -1, 0), hf_v3(1, 1, 1));
            q.epsilon_m = 0.06 * f.c->limbs[q.limb].length;
            q.weights[HF_TERM_EFFORT] = i % 3 > 0;
            q.weights[HF_TERM_COMFORT] = i % 3 == 1 ? 0 : 10;
            compared += check_several(&f, &q);
        }
        tear_down(&f);
    }
    print_message("%d contacts compared\n", compared);
    assert_true(compared >= 60);
}

/* Every build of the kernel gives the same choices, and they are those of plain loops. */
static void kernels_agree(void** state) {
    (void)state;
    enum { BLOCKS = 40, HITS = 200, TRIANGLES = 7 };
    static float scores[BLOCKS * HF_SAMPLE_SCORE_ROWS * 8] __attribute__((aligned(64))),
        points[BLOCKS * 24] __attribute__((aligned(64)));
    hf_surface_factor factors[TRIANGLES];
    hf_candidate_hit hits[HITS];
    hf_random r = hf_random_start(81, 0, 0);
    for (int i = 0; i < BLOCKS * HF_SAMPLE_SCORE_ROWS * 8; i++)
        scores[i] = (float)hf_random_between(&r, -0.2, 1);
    for (int i = 0; i < BLOCKS * 24; i++) points[i] = (float)hf_random_between(&r, -1, 1);
    for (int i = 0; i < TRIANGLES; i++) {
        hf_vec3 n = hf_normalize(draw(&r, hf_v3(-1, -1, -1), hf_v3(1, 1, 1)));
        factors[i] = (hf_surface_factor){{(float)n.x, (float)n.y, (float)n.z}, (float)n.z, i != 3};
    }
    for (int i = 0; i < HITS; i++)
        hits[i] = (hf_candidate_hit){(uint32_t)(i / 5),
                                     i % 11 == 10 ? HF_CANDIDATE_OBJECT : (uint32_t)(i * 5 % TRIANGLES),
                                     (uint8_t)hf_random_between(&r, 1, 255.9)};
    hf_score_job job = {.scores = scores,
                        .points = points,
                        .hits = hits,
                        .hit_count = HITS,
                        .factors = factors,
                        .form = {0.3f, 0.2f, 0.5f, 0.1f, -0.2f, 0.4f},
                        .guard = 0.01f,
                        .per_length = 1.3f,
                        .effort = 1,
                        .precision = 0.3f,
                        .manipulability = 0.2f,
                        .distance = 0.7f,
                        .effector = {0.1f, 0.2f, 0.3f},
                        .set = 2};
    // a leaf for each block, with the items of its hits
    hf_candidate_leaf leaves[BLOCKS];
    uint32_t leaf_items[HITS];
    for (uint32_t i = 0; i < BLOCKS; i++) leaves[i] = (hf_candidate_leaf){i, 5 * i, 5};
    for (int i = 0; i < HITS; i++)
        leaf_items[i] = hits[i].item == HF_CANDIDATE_OBJECT ? (uint32_t)TRIANGLES : hits[i].item;
    job.leaves = leaves, job.leaf_items = leaf_items;
    job.leaf_count = BLOCKS, job.triangle_count = TRIANGLES;
    static hf_contact_choice first[BLOCKS * 8], other[BLOCKS * 8], bounds[BLOCKS], leaf[BLOCKS];
    int bound_count = hf_score_kernel_for(HF_CPU_BASELINE)->bound(&job, bounds), tight = 0;
    int count = hf_score_kernel_for(HF_CPU_BASELINE)->score(&job, first), seen = 0;
    for (int cpu = 0; cpu <= HF_CPU_AVX512; cpu++) {
        const hf_score_kernel* kernel = hf_score_kernel_for((hf_cpu)cpu);
        if (!kernel) continue;
        assert_int_equal(kernel->bound(&job, leaf), bound_count);
        for (int i = 0; i < bound_count; i++)
            assert_true(leaf[i].score == bounds[i].score && leaf[i].hit == bounds[i].hit && leaf[i].leaf);
        assert_int_equal(kernel->score(&job, other), count);
        for (int i = 0; i < count; i++) {
            const hf_contact_choice *a = &first[i], *b = &other[i];
            assert_true(a->score == b->score && a->sample == b->sample && a->hit == b->hit && b->set == 2 &&
                        a->facing == b->facing && a->exact == b->exact && a->single == b->single);
        }
    }
    for (uint32_t sample = 0; sample < BLOCKS * 8; sample++) {
        const float *j = scores + sample / 8 * HF_SAMPLE_SCORE_ROWS * 8 + sample % 8,
                    *p = points + sample / 8 * 24 + sample % 8;
        double form = 0, best = -INFINITY, away = 0;
        for (int k = 0; k < 6; k++) form += (double)job.form[k] * (double)j[8 * k];
        double lever = sqrt(fmax(form, 0) + 0.01) * 1.3;
        for (int k = 0; k < 3; k++) away += pow((double)p[8 * k] - (double)job.effector[k], 2);
        int near = 0;
        for (int h = 0; h < HITS; h++) {
            if (hits[h].block != sample / 8 || !(hits[h].lanes >> sample % 8 & 1)) continue;
            bool object = hits[h].item == HF_CANDIDATE_OBJECT;
            if (!object && !factors[hits[h].item].allowed) continue;
            double factor = object ? 1 : (double)factors[hits[h].item].factor;
            near += object ? 2 : 1;
            best = fmax(best, factor / lever + 0.3 * factor * lever);
        }
        if (!near) continue;
        assert_true(seen < count);
        const hf_contact_choice* c = &first[seen++];
        assert_int_equal(c->sample, sample);
        assert_int_equal(c->single, near == 1);
        assert_near(c->score, best + 0.2 * (double)j[8 * 9] - 0.7 * sqrt(away), 1e-4);
    }
    assert_int_equal(seen, count);
    assert_true(count > BLOCKS);
    // no sample scores more than its leaf says, and some as much
    assert_int_equal(bound_count, BLOCKS);
    for (int i = 0; i < count; i++) {
        float most = bounds[first[i].sample / 8].score;
        assert_true(first[i].score <= most);
        tight += first[i].score == most;
    }
    assert_true(tight > BLOCKS / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(winner_is_that_of_an_exhaustive_search),
                                       cmocka_unit_test(several_are_the_best_finished_ones),
                                       cmocka_unit_test(kernels_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
