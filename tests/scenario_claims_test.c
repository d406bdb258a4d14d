/* What the papers claim of their scenes (efort-2014-journal sections 5 and 6, thesis-2015 section 8.1), asked
   of the scenarios that ship, for several sample sets; and that every start holds the contacts it lists and
   is free of collision. */
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

enum { MAX_FRAMES = 4, MAX_LIMBS = 16, MAX_QUERIES = 8, LINK_MAX = 128, Q_MAX = 128 };

/* What sample sets a claim is asked with. */
typedef struct level {
    int count;
    uint64_t seed;
} level;
static const level levels[] = {{1000, 1},  {1000, 2},  {1000, 3},  {1000, 4},  {1000, 5},   {10000, 1},
                               {10000, 2}, {10000, 3}, {10000, 4}, {10000, 5}, {100000, 1}, {100000, 2}};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Sample sets of one creature, for all limbs and contact frames that are asked for. */
typedef struct sample_shelf {
    level of;
    hf_samples* sets[MAX_LIMBS][MAX_FRAMES];
} sample_shelf;

static void clear_shelf(sample_shelf* shelf) {
    for (int l = 0; l < MAX_LIMBS; l++)
        for (int k = 0; k < MAX_FRAMES; k++) hf_samples_free(shelf->sets[l][k]);
    *shelf = (sample_shelf){0};
}

static const hf_samples* const* shelf_sets(sample_shelf* shelf, const hf_creature* creature, int limb) {
    hf_error error;
    const hf_creature_view* c = hf_creature_get(creature);
    for (int k = 0; k < c->limbs[limb].contact_count; k++) {
        if (shelf->sets[limb][k]) continue;
        hf_sample_options o = hf_sample_options_default();
        o.count = shelf->of.count, o.seed = shelf->of.seed, o.contact = k;
        assert_int_equal(hf_samples_build(creature, limb, &o, &shelf->sets[limb][k], &error), HF_OK);
    }
    return (const hf_samples* const*)shelf->sets[limb];
}

/* A scenario with where its objects are. */
typedef struct world {
    hf_scenario* s;
    const hf_creature_view* c;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_contact_answer* answers[MAX_QUERIES];
} world;

static void open_path(world* w, const char* path) {
    char text[1400];
    hf_error error;
    *w = (world){0};
    if (hf_scenario_load(path, NULL, &w->s, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    w->c = hf_creature_get(w->s->creature);
    assert_in_range(w->c->limb_count, 1, MAX_LIMBS);
    assert_in_range(w->c->q_count, 1, Q_MAX);
    assert_int_equal(hf_placement_create(w->s->scene, &w->placement), HF_OK);
    assert_int_equal(hf_workspace_create(&w->workspace), HF_OK);
    for (int i = 0; i < MAX_QUERIES; i++)
        assert_int_equal(hf_contact_answer_create(w->s->creature, 1, &w->answers[i]), HF_OK);
}

static void open_world(world* w, const char* name) {
    char path[200];
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    open_path(w, data_path(path));
}

static void close_world(world* w) {
    for (int i = 0; i < MAX_QUERIES; i++) hf_contact_answer_free(w->answers[i]);
    hf_workspace_free(w->workspace);
    hf_placement_free(w->placement);
    hf_scenario_free(w->s);
}

/* The contact of a limb at the start: the frame that is on a surface, within a millimetre. */
static bool held_at_start(const world* w, const hf_transform* links, const hf_hold* contact, hf_hold* touch) {
    const hf_limb* limb = &w->c->limbs[contact->limb];
    for (int k = 0; k < limb->contact_count; k++) {
        const hf_contact_frame* f = &limb->contacts[k];
        hf_surface near;
        if (!hf_placement_closest(w->placement, hf_apply(links[f->link], f->offset), f->ball + 0.001, &near))
            continue;
        if (fabs(near.distance - f->ball) > 0.001) continue;
        if (contact->object >= 0 && near.object != contact->object) continue;
        *touch = (hf_hold){.limb = contact->limb,
                           .object = near.object,
                           .grip = limb->grip && hf_scene_object(w->s->scene, near.object).grip};
        return true;
    }
    return false;
}

/* All limbs of a task from the scenario's start, or from a pose of its path. Every answer is the caller's to
   judge, in the order of the task's limbs. */
static int ask(world* w, sample_shelf* shelf, int task, hf_term by, const hf_transform* root) {
    static hf_transform links[LINK_MAX];
    static hf_contact_query queries[MAX_QUERIES];
    static const hf_samples* const* sets[MAX_QUERIES];
    hf_hold touches[MAX_LIMBS];
    const hf_task* t = &w->s->tasks[task];
    int count = 0;
    assert_in_range(t->limb_count, 1, MAX_QUERIES);
    hf_forward(w->s->creature, &w->s->start.pose, links);
    for (int i = 0; i < w->s->start.contact_count && !root; i++) {
        bool moves = false;
        for (int k = 0; k < t->limb_count; k++) moves |= t->limbs[k].limb == w->s->start.contacts[i].limb;
        if (!moves) count += held_at_start(w, links, &w->s->start.contacts[i], &touches[count]);
    }
    for (int i = 0; i < t->limb_count; i++) {
        queries[i] = hf_contact_query_default();
        queries[i].pose = w->s->start.pose;
        if (root) queries[i].pose.root = *root;
        queries[i].limb = t->limbs[i].limb;
        queries[i].role = t->limbs[i].role;
        queries[i].direction = t->limbs[i].direction;
        memset(queries[i].weights, 0, sizeof queries[i].weights);
        queries[i].weights[by] = 1;
        queries[i].touches = touches;
        queries[i].touch_count = count;
        sets[i] = shelf_sets(shelf, w->s->creature, queries[i].limb);
    }
    assert_int_equal(hf_contact_find_all(w->s->creature, sets, w->placement, queries, t->limb_count,
                                         w->workspace, w->answers, NULL),
                     HF_OK);
    return t->limb_count;
}

/* The contact a limb of the task last asked has found; fails where it has none. */
static const hf_contact* found(const world* w, const char* limb) {
    for (int i = 0; i < MAX_QUERIES; i++)
        if (w->answers[i]->contact_count &&
            !strcmp(w->c->limbs[w->answers[i]->contacts[0].hold.limb].name, limb))
            return &w->answers[i]->contacts[0];
    fail_msg("%s: no contact for %s", w->s->name, limb);
    return NULL;
}

static void assert_on(const world* w, const hf_contact* k, const char* object, hf_vec3 normal) {
    const char* is = hf_scene_object(w->s->scene, k->hold.object).name;
    if (strcmp(is, object) != 0 || hf_dot(k->hold.normal, normal) < 0.99)
        fail_msg("%s: %s is on %s at %.3f %.3f %.3f, normal %.2f %.2f %.2f", w->s->name,
                 w->c->limbs[k->hold.limb].name, is, k->hold.point.x, k->hold.point.y, k->hold.point.z,
                 k->hold.normal.x, k->hold.normal.y, k->hold.normal.z);
}

static const hf_vec3 UP = {0, 0, 1}, FORWARDS = {1, 0, 0}, BACKWARDS = {-1, 0, 0};

/* ---- the human ---- */

/* Figure 1: the right hand on the sofa's arm, the left one on its seat, both feet on the ground. */
static void sofa(sample_shelf* shelf) {
    world w;
    open_world(&w, "sofa");
    assert_int_equal(ask(&w, shelf, 0, HF_TERM_EFFORT, NULL), 4);
    assert_on(&w, found(&w, "left_arm"), "sofa", UP);
    assert_on(&w, found(&w, "right_arm"), "sofa", UP);
    assert_near(found(&w, "left_arm")->hold.point.z, 0.42, 0.001);
    assert_near(found(&w, "right_arm")->hold.point.z, 0.61, 0.001);
    assert_on(&w, found(&w, "left_leg"), "ground", UP);
    assert_on(&w, found(&w, "right_leg"), "ground", UP);
    close_world(&w);
}

/* Figure 8: the left hand on the table's top; nearest is its side. */
static void chair_table(sample_shelf* shelf) {
    world w;
    open_world(&w, "chair-table");
    ask(&w, shelf, 0, HF_TERM_EFFORT, NULL);
    assert_on(&w, found(&w, "left_arm"), "table", UP);
    assert_near(found(&w, "left_arm")->hold.point.z, 0.74, 0.001);
    ask(&w, shelf, 0, HF_TERM_DISTANCE, NULL);
    // a thousand postures may have none that touches the side
    if (shelf->of.count >= 10000) assert_on(&w, found(&w, "left_arm"), "table", hf_v3(0, -1, 0));
    close_world(&w);
}

/* Figure 11: both hands on the cupboard's face, against the task; the left foot behind the body. */
static void push(sample_shelf* shelf) {
    world w;
    open_world(&w, "push");
    ask(&w, shelf, 0, HF_TERM_EFFORT, NULL);
    assert_on(&w, found(&w, "left_arm"), "cupboard", BACKWARDS);
    assert_on(&w, found(&w, "right_arm"), "cupboard", BACKWARDS);
    assert_on(&w, found(&w, "left_leg"), "ground", UP);
    assert_true(found(&w, "left_leg")->hold.point.x < w.s->start.pose.root.position.x - 0.1);
    close_world(&w);
}

/* Figure 10: both hands hold the rope; the foot uses the small wall, and no point of the floor scores half as
   high (`pull` is the same scene without that wall). */
static void pull(sample_shelf* shelf) {
    world floor, w;
    open_world(&floor, "pull");
    open_world(&w, "pull-wall");
    ask(&floor, shelf, 0, HF_TERM_EFFORT, NULL);
    ask(&w, shelf, 0, HF_TERM_EFFORT, NULL);
    const world* both[] = {&floor, &w};
    for (int i = 0; i < 2; i++) {
        static const char* const hands[] = {"left_arm", "right_arm"};
        for (int h = 0; h < 2; h++) {
            const hf_contact* k = found(both[i], hands[h]);
            assert_true(k->hold.grip);
            assert_string_equal(hf_scene_object(both[i]->s->scene, k->hold.object).name, "rope");
        }
    }
    assert_on(&floor, found(&floor, "left_leg"), "ground", UP);
    const hf_contact* foot = found(&w, "left_leg");
    assert_string_equal(hf_scene_object(w.s->scene, foot->hold.object).name, "small wall");
    assert_true(hf_dot(foot->hold.normal, BACKWARDS) > 0.5);
    assert_true(foot->score > 2 * found(&floor, "left_leg")->score);
    close_world(&w);
    close_world(&floor);
}

/* How many of four points are farther than 5 cm from each other, at best. */
static int different(const hf_vec3* p) {
    int most = 0;
    for (int set = 1; set < 16; set++) {
        int size = 0;
        bool apart = true;
        for (int a = 0; a < 4; a++) {
            size += set >> a & 1;
            for (int b = a + 1; b < 4; b++)
                apart &= !(set >> a & 1) || !(set >> b & 1) || hf_distance(p[a], p[b]) > 0.05;
        }
        if (apart && size > most) most = size;
    }
    return most;
}

/* Figure 14: from one start, where limbs go depends on the task; by distance it does not. A contact for each
   limb and direction even with few samples. */
static void climb(sample_shelf* shelf) {
    static const char* const limbs[] = {"left_arm", "right_arm", "left_leg", "right_leg"};
    world w;
    hf_vec3 points[4][4], nearest[4][4];
    open_world(&w, "climb-four-ways");
    assert_int_equal(w.s->task_count, 4);
    for (int t = 0; t < 4; t++) {
        ask(&w, shelf, t, HF_TERM_EFFORT, NULL);
        for (int l = 0; l < 4; l++) points[l][t] = found(&w, limbs[l])->hold.point;
        ask(&w, shelf, t, HF_TERM_DISTANCE, NULL);
        for (int l = 0; l < 4; l++) nearest[l][t] = found(&w, limbs[l])->hold.point;
    }
    for (int l = 0; l < 4; l++) {
        assert_int_equal(different(nearest[l]), 1);
        // a thousand postures are too few to have one for each direction
        if (shelf->of.count >= 10000 && different(points[l]) < 3)
            fail_msg("%s goes to %d different places (N = %d, seed %d)", limbs[l], different(points[l]),
                     shelf->of.count, (int)shelf->of.seed);
    }
    close_world(&w);
}

static void the_human_uses_what_helps(void** state) {
    (void)state;
    sample_shelf shelf = {0};
    for (int i = 0; i < LEVELS; i++) {
        shelf.of = levels[i];
        sofa(&shelf);
        chair_table(&shelf);
        push(&shelf);
        pull(&shelf);
        climb(&shelf);
        clear_shelf(&shelf);
    }
}

/* ---- range of motion ---- */

/* The human without its regions, in a file of its own. */
static const char* human_without_regions(void) {
    static char path[2048], text[20000];
    FILE* file = fopen(data_path("data/creatures/human.creature.json"), "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *from = strstr(text, "\"rom\": ["), *to = from ? strstr(from, "],\n  \"") : NULL;
    assert_non_null(to);
    snprintf(path, sizeof path, "%s/human-without-regions.creature.json", test_folder());
    assert_non_null(file = fopen(path, "wb"));
    for (const char* c = text; *c; c++) {
        if (c == from) c = to + 5;
        // names of files beside the creature
        if (!strncmp(c, "\"human.", 7)) {
            fprintf(file, "\"%s/human.", data_path("data/creatures"));
            c += 7;
        }
        fputc(*c, file);
    }
    fclose(file);
    return path;
}

/* Whether the shoulder of an arm is in its region, within a tolerance in radians, by the full creature. */
static bool shoulder_inside(const hf_creature* human, const char* arm, const double* q, double tolerance) {
    const hf_creature_view* c = hf_creature_get(human);
    const hf_limb* limb = &c->limbs[hf_creature_find_limb(human, arm)];
    int regions = 0;
    bool inside = true;
    for (int r = 0; r < c->rom_count; r++)
        for (int j = 0; j < limb->joint_count; j++)
            if (c->roms[r].joints[0] == limb->joints[j]) {
                regions++;
                inside &= hf_rom_contains(human, r, q, tolerance);
            }
    assert_int_equal(regions, 1);
    return inside;
}

/* Figure 12: with the back to the cupboard the hands still push its face; the shoulders stay in their region,
   which the best contacts of a human without regions leave by over 0.1 rad. */
static void no_shoulder_is_contorted(void** state) {
    (void)state;
    static const char* const hands[] = {"left_arm", "right_arm"};
    hf_creature* bare;
    hf_error error;
    assert_int_equal(hf_creature_load(human_without_regions(), NULL, &bare, &error), HF_OK);
    assert_int_equal(hf_creature_get(bare)->rom_count, 0);
    sample_shelf shelf = {0}, bare_shelf = {0};
    for (int i = 0; i < LEVELS; i++) {
        world w;
        shelf.of = bare_shelf.of = levels[i];
        open_world(&w, "push-back");
        ask(&w, &shelf, 0, HF_TERM_EFFORT, NULL);
        for (int h = 0; h < 2; h++) {
            assert_on(&w, found(&w, hands[h]), "cupboard", FORWARDS);
            assert_true(shoulder_inside(w.s->creature, hands[h], found(&w, hands[h])->q, 1e-6));
        }
        int outside = 0;
        for (int h = 0; h < 2; h++) {
            hf_contact_query q = hf_contact_query_default();
            q.pose = w.s->start.pose;
            q.limb = hf_creature_find_limb(bare, hands[h]);
            q.role = HF_ROLE_ACT;
            q.direction = BACKWARDS;
            assert_int_equal(hf_contact_find(bare, shelf_sets(&bare_shelf, bare, q.limb), w.placement, &q,
                                             w.workspace, w.answers[h]),
                             HF_OK);
            assert_int_equal(w.answers[h]->contact_count, 1);
            outside += !shoulder_inside(w.s->creature, hands[h], w.answers[h]->contacts[0].q, 0.1);
        }
        assert_int_equal(outside, 2);
        close_world(&w);
        clear_shelf(&shelf);
        clear_shelf(&bare_shelf);
    }
    hf_creature_free(bare);
}

/* ---- other creatures ---- */

/* Figure 13: contacts for all six legs everywhere along the insect's path, none of them under the books. */
static void books_are_crossed(void** state) {
    (void)state;
    sample_shelf shelf = {0};
    for (int i = 0; i < LEVELS; i++) {
        world w;
        shelf.of = levels[i];
        open_world(&w, "bookshelf");
        int books = 0;
        for (int p = 0; p < w.s->path_count; p++) {
            assert_int_equal(ask(&w, &shelf, 0, HF_TERM_EFFORT, &w.s->root_path[p]), 6);
            for (int l = 0; l < 6; l++) {
                if (!w.answers[l]->contact_count)
                    fail_msg("pose %d: no contact for %s", p, w.c->limbs[w.s->tasks[0].limbs[l].limb].name);
                books += w.answers[l]->contacts[0].hold.object > 0;
            }
        }
        assert_true(books > w.s->path_count);
        close_world(&w);
        clear_shelf(&shelf);
    }
}

/* Four legs of the spider hold the walls from inside, four the ceiling from below. */
static void ceilings_and_walls_are_held(void** state) {
    (void)state;
    sample_shelf shelf = {0};
    for (int i = 0; i < LEVELS; i++) {
        world w;
        shelf.of = levels[i];
        open_world(&w, "spider-ceiling");
        assert_int_equal(ask(&w, &shelf, 0, HF_TERM_EFFORT, NULL), 8);
        // it hangs upside down: its left is the right wall
        assert_on(&w, found(&w, "left_second_leg"), "right wall", hf_v3(0, 1, 0));
        assert_on(&w, found(&w, "left_third_leg"), "right wall", hf_v3(0, 1, 0));
        assert_on(&w, found(&w, "right_second_leg"), "left wall", hf_v3(0, -1, 0));
        assert_on(&w, found(&w, "right_third_leg"), "left wall", hf_v3(0, -1, 0));
        static const char* const above[] = {"left_first_leg", "right_first_leg", "left_fourth_leg",
                                            "right_fourth_leg"};
        for (int l = 0; l < 4; l++) assert_on(&w, found(&w, above[l]), "ceiling", hf_v3(0, 0, -1));
        close_world(&w);
        clear_shelf(&shelf);
    }
}

/* Every paw takes a rock that leans along the task more than flat ground does. */
static void rocks_lean_along_the_task(void** state) {
    (void)state;
    sample_shelf shelf = {0};
    for (int i = 0; i < LEVELS; i++) {
        world w;
        shelf.of = levels[i];
        open_world(&w, "quadruped-rocks");
        assert_int_equal(ask(&w, &shelf, 0, HF_TERM_EFFORT, NULL), 4);
        for (int l = 0; l < 4; l++) {
            assert_int_equal(w.answers[l]->contact_count, 1);
            const hf_contact* k = &w.answers[l]->contacts[0];
            assert_string_equal(hf_scene_object(w.s->scene, k->hold.object).name, "rocks");
            assert_true(hf_dot(k->hold.normal, w.s->tasks[0].direction) >
                        hf_dot(UP, w.s->tasks[0].direction));
        }
        close_world(&w);
        clear_shelf(&shelf);
    }
}

/* ---- starts ---- */

static void check_start(const char* name) {
    static hf_transform links[LINK_MAX];
    hf_hold touches[MAX_LIMBS];
    char path[300];
    world w;
    snprintf(path, sizeof path, "data/scenarios/%s", name);
    open_path(&w, data_path(path));
    const hf_scenario_state* start = &w.s->start;
    assert_in_range(w.c->link_count, 1, LINK_MAX);
    hf_forward(w.s->creature, &start->pose, links);
    for (int i = 0; i < start->contact_count; i++)
        if (!held_at_start(&w, links, &start->contacts[i], &touches[i]))
            fail_msg("%s: %s is not on a surface", name, w.c->limbs[start->contacts[i].limb].name);
    hf_collision_query query = hf_collision_query_default();
    query.touches = touches, query.touch_count = start->contact_count;
    hf_collision hit;
    if (start->contact_count && hf_collides(w.s->creature, w.placement, links, &query, &hit))
        fail_msg("%s: %s collides at the start", name, w.c->links[w.c->bodies[hit.body].link].name);
    close_world(&w);
}

static void starts_hold(void** state) {
    (void)state;
    DIR* folder = opendir(data_path("data/scenarios"));
    int count = 0;
    assert_non_null(folder);
    for (struct dirent* entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ".scenario.json")) check_start(entry->d_name), count++;
    closedir(folder);
    assert_true(count > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_hold),
        cmocka_unit_test(the_human_uses_what_helps),
        cmocka_unit_test(no_shoulder_is_contorted),
        cmocka_unit_test(books_are_crossed),
        cmocka_unit_test(ceilings_and_walls_are_held),
        cmocka_unit_test(rocks_lean_along_the_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
