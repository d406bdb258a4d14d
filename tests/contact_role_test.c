/* Limbs of every kind in contact queries: a seat without joints, grips, balls, several contact frames; and
   what an answer says when there is none. */
#include "contact_fixture.h"

enum { WHOLE = HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_CONTACTS };

/* A square plate one centimetre thick; `at` is the middle of its upper side, which looks along z. */
static hf_object_def plate(const char* name, float half, hf_transform at, float* vertices,
                           uint32_t* indices) {
    static const uint32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; i++) {
        vertices[3 * i] = i & 1 ? half : -half;
        vertices[3 * i + 1] = i & 2 ? half : -half;
        vertices[3 * i + 2] = i & 4 ? 0 : -0.01f;
    }
    memcpy(indices, box, sizeof box);
    hf_object_def def = hf_object_def_default();
    def.name = name;
    def.mesh = (hf_mesh){.vertices = vertices, .indices = indices, .vertex_count = 8, .triangle_count = 12};
    def.start = at;
    return def;
}

/* ---- a limb without joints ---- */

/* Where the seat is, with z along its surface's normal, moved away by some metres. */
static hf_transform under_seat(const fixture* f, const hf_contact_query* q, double gap) {
    hf_transform links[LINK_MAX];
    hf_forward(f->s->creature, &q->pose, links);
    const hf_contact_frame* c = &f->c->limbs[q->limb].contacts[0];
    hf_vec3 up = hf_neg(hf_rotate(links[c->link].rotation, c->normal));
    hf_vec3 at = hf_sub(hf_apply(links[c->link], c->offset), hf_scale(up, gap));
    return (hf_transform){at, hf_quat_between(hf_v3(0, 0, 1), up)};
}

/* The seat's query in a scene of plates. */
static void ask_seat(const fixture* f, const hf_contact_query* q, const hf_samples* const* seat,
                     const hf_object_def* defs, int count, bool check) {
    hf_scene* scene;
    hf_placement* placement;
    assert_int_equal(hf_scene_build(defs, count, &scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    assert_int_equal(hf_contact_find(f->s->creature, seat, placement, q, f->workspace, f->answer), HF_OK);
    if (check) {
        assert_int_equal(f->answer->outcome, HF_FOUND);
        judge_in(f, scene, q, &f->answer->contacts[0], WHOLE);
    }
    hf_placement_free(placement);
    hf_scene_free(scene);
}

static void a_seat_touches_where_it_is(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "chair-table", 50);
    hf_contact_query q = limb_query(&f, "seat");
    assert_int_equal(f.c->limbs[q.limb].joint_count, 0);
    hf_samples* seat;
    hf_error error;
    hf_sample_options o = hf_sample_options_default();
    assert_int_equal(hf_samples_build(f.s->creature, q.limb, &o, &seat, &error), HF_OK);
    const hf_samples* one[1] = {seat};
    float vertices[2][24];
    uint32_t indices[2][36];
    q.direction = hf_v3(0, 0, 1);
    // right under it
    hf_object_def defs[2];
    defs[0] = plate("stool", 0.1f, under_seat(&f, &q, 0), vertices[0], indices[0]);
    ask_seat(&f, &q, one, defs, 1, true);
    assert_int_equal(f.answer->contacts[0].hold.frame, 0);
    assert_true(f.answer->contacts[0].hold.normal.z > 0.9);
    assert_memory_equal(f.answer->contacts[0].q, q.pose.q, sizeof(double) * (size_t)f.c->q_count);
    // a millimetre too low: near, but nothing can move
    q.epsilon_m = 0.01;
    defs[0].start = under_seat(&f, &q, 0.001);
    ask_seat(&f, &q, one, defs, 1, false);
    assert_int_equal(f.answer->outcome, HF_NONE);
    assert_int_equal(f.answer->why, HF_CONTACT_NONE_EXACT);
    assert_true(f.answer->candidates > 0 && f.answer->unfinished > 0);
    assert_int_equal(f.answer->colliding, 0);
    // far away
    defs[0].start = under_seat(&f, &q, 1);
    ask_seat(&f, &q, one, defs, 1, false);
    assert_int_equal(f.answer->why, HF_CONTACT_OUT_OF_REACH);
    assert_int_equal(f.answer->candidates, 0);
    // under it, and a second plate through the pelvis
    defs[0].start = under_seat(&f, &q, 0);
    defs[1] = plate("blade", 0.2f, under_seat(&f, &q, -0.06), vertices[1], indices[1]);
    defs[1].contact = false;
    ask_seat(&f, &q, one, defs, 2, false);
    assert_int_equal(f.answer->outcome, HF_NONE);
    assert_int_equal(f.answer->why, HF_CONTACT_ALL_COLLIDING);
    assert_true(f.answer->colliding > 0);
    assert_int_equal(f.answer->unfinished, 0);
    hf_samples_free(seat);
    tear_down(&f);
}

/* ---- grips ---- */

static void a_rope_is_held_both_ways(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "pull", 4000);
    hf_contact_query q = limb_query(&f, "left_arm");
    q.role = HF_ROLE_GRIP;
    double efforts[2];
    for (int i = 0; i < 2; i++) {
        q.direction = hf_v3(i ? 1 : -1, 0, 0);
        find(&f, &q);
        assert_int_equal(f.answer->outcome, HF_FOUND);
        const hf_contact* k = &f.answer->contacts[0];
        assert_true(k->hold.grip);
        hf_object_view rope = hf_scene_object(f.s->scene, k->hold.object);
        assert_true(rope.grip);
        efforts[i] = k->terms[HF_TERM_EFFORT];
        assert_true(efforts[i] > 0);
        // a rope has no dominant normal: precision times effort is the factor squared, which is 1
        assert_near(k->terms[HF_TERM_EFFORT] * k->terms[HF_TERM_PRECISION], 1, 1e-9);
        judge(&f, &q, k, WHOLE | HF_CLAIM_COLLISION);
    }
    // force ratios do not know forwards from backwards
    assert_near(efforts[0], efforts[1], 1e-9);
    // a hand that does not grip cannot pull at the same place
    q.role = HF_ROLE_ACT;
    q.direction = hf_v3(-1, 0, 0);
    find(&f, &q);
    for (int k = 0; k < f.answer->contact_count; k++)
        assert_true(f.answer->contacts[k].hold.normal.x > -0.02);
    tear_down(&f);
}

/* ---- balls ---- */

static void a_ball_stands_a_radius_above(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "pose-insect", 2000);
    int found = 0;
    for (int l = 0; l < f.c->limb_count; l++) {
        hf_contact_query q = query_of(&f, l);
        const hf_contact_frame* c = &f.c->limbs[l].contacts[0];
        if (!(c->ball > 0)) continue;
        find(&f, &q);
        if (!f.answer->contact_count) continue;
        const hf_contact* k = &f.answer->contacts[0];
        double values[Q_MAX];
        memcpy(values, k->q, sizeof(double) * (size_t)f.c->q_count);
        hf_transform links[LINK_MAX];
        hf_forward(f.s->creature, &(hf_pose){q.pose.root, values}, links);
        hf_vec3 centre = hf_apply(links[c->link], c->offset);
        hf_vec3 above = hf_add(k->hold.point, hf_scale(k->hold.normal, c->ball));
        assert_true(hf_distance(centre, above) <= 1e-4);
        judge(&f, &q, k, WHOLE);
        found++;
    }
    assert_true(found >= 4);
    tear_down(&f);
}

/* ---- several contact frames ---- */

static void the_better_frame_wins(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "chair-table", 3000);
    hf_contact_query q = limb_query(&f, "left_leg");
    int frames = f.c->limbs[q.limb].contact_count;
    assert_in_range(frames, 2, MAX_FRAMES);
    double best = -INFINITY;
    for (int k = 0; k < frames; k++) {
        const hf_samples* only[MAX_FRAMES] = {0};
        only[k] = f.samples[q.limb][k];
        assert_int_equal(hf_contact_find(f.s->creature, only, f.placement, &q, f.workspace, f.answer), HF_OK);
        if (!f.answer->contact_count) continue;
        assert_int_equal(f.answer->contacts[0].hold.frame, k);
        assert_near(f.answer->epsilon_m, 0.03 * f.c->limbs[q.limb].length, 1e-12);
        best = fmax(best, f.answer->contacts[0].sample_score);
        judge(&f, &q, &f.answer->contacts[0], WHOLE);
    }
    find(&f, &q);
    assert_int_equal(f.answer->outcome, HF_FOUND);
    assert_near(f.answer->contacts[0].sample_score, best, 1e-9);
    // none to be used: none within reach
    const hf_samples* none[MAX_FRAMES] = {0};
    assert_int_equal(hf_contact_find(f.s->creature, none, f.placement, &q, f.workspace, f.answer), HF_OK);
    assert_int_equal(f.answer->why, HF_CONTACT_OUT_OF_REACH);
    tear_down(&f);
}

/* ---- directions about the horizontal ---- */

/* The floor is the upper side of a closed slab. A direction just below the horizontal finds it as one just
   above does, with large sets, too: the slab's underside, which faces that way, does not use up the tests. */
static void a_slab_is_stood_on_from_above(void** state) {
    (void)state;
    static const char* const limbs[] = {"left_leg", "right_leg"};
    fixture f;
    set_up(&f, "push", 30000);
    float vertices[24];
    uint32_t indices[36];
    hf_object_def def = plate("floor", 3, hf_transform_identity(), vertices, indices);
    for (int i = 0; i < 8; i++) vertices[3 * i + 2] *= 10;
    hf_scene* scene;
    hf_placement* placement;
    assert_int_equal(hf_scene_build(&def, 1, &scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    for (int i = 0; i < 2; i++) {
        hf_contact_query q = limb_query(&f, limbs[i]);
        for (int weights = 0; weights < 2; weights++) {
            q.weights[HF_TERM_DISTANCE] = weights;
            for (int below = 0; below < 2; below++) {
                q.direction = hf_v3(1, 0, below ? -0.05 : 0.05);
                assert_int_equal(
                    hf_contact_find(f.s->creature, sets(&f, q.limb), placement, &q, f.workspace, f.answer),
                    HF_OK);
                assert_int_equal(f.answer->outcome, HF_FOUND);
                assert_true(f.answer->contacts[0].hold.normal.z > 0.999);
                assert_near(f.answer->contacts[0].hold.point.z, 0, 1e-9);
                assert_true(f.answer->tested <= 20 && f.answer->looked <= 1500);
            }
        }
    }
    hf_placement_free(placement);
    hf_scene_free(scene);
    tear_down(&f);
}

/* ---- the budget ---- */

static void the_budget_counts_work(void** state) {
    (void)state;
    fixture f;
    set_up(&f, "sofa", 3000);
    int ended = 0, found = 0;
    for (int l = 0; l < 4; l++) {
        hf_contact_query q = query_of(&f, l);
        for (int most = 1; most <= 64; most *= 4) {
            q.max_tests = most;
            find(&f, &q);
            const hf_contact_answer* a = f.answer;
            assert_true(a->tested + a->looked / 10 <= most);
            assert_int_equal(a->tested, a->colliding + a->unfinished + a->contact_count);
            assert_true(a->looked >= a->blocked + a->tested - a->contact_count);
            if (a->outcome == HF_BUDGET) assert_int_equal(a->why, HF_CONTACT_TESTS_EXHAUSTED), ended++;
            found += a->contact_count;
        }
    }
    assert_true(ended > 0 && found > 0);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seat_touches_where_it_is),    cmocka_unit_test(a_rope_is_held_both_ways),
        cmocka_unit_test(a_ball_stands_a_radius_above),  cmocka_unit_test(the_better_frame_wins),
        cmocka_unit_test(a_slab_is_stood_on_from_above), cmocka_unit_test(the_budget_counts_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
