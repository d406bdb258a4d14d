/* Roadmaps of postures that are kept in files, control layers that a file changes, and hand shapes. */
#include "reach_fixture.h"

#include "base/random.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "reach/reach_run.h"
#include "reach/transfer.h"
#include "space/roadmap.h"

enum { NODES = 60 };

static const char* write_control(const char* body) {
    static char path[1100];
    snprintf(path, sizeof path, "%s/test.control.json", test_folder());
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "{\"format\": \"holdfast-control\", \"version\": 1%s%s}", body[0] ? ", " : "", body);
    fclose(f);
    return path;
}

static hf_control_layer* layer_of(const hf_creature* c, const char* body) {
    hf_control_layer* l = NULL;
    hf_error error = {0};
    if (hf_control_layer_create(c, write_control(body), &l, &error) != HF_OK) fail_msg("%s", error.message);
    return l;
}

/* The roadmap of a scenario, and that it is refused once an action was done. */
static hf_roadmap* keep(hf_scenario* s, const hf_reach_options* o) {
    hf_reacher* r;
    hf_roadmap *kept = NULL, *late = NULL;
    hf_error error = {0};
    bool done;
    assert_int_equal(hf_reach_begin(s, o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_keep(r, &late, &error), HF_ERROR_ARGUMENT); // not made yet
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    assert_int_equal(hf_reach_keep(r, &kept, &error), HF_OK);
    hf_action wait = {.kind = HF_ACTION_WAIT, .seconds = 0.1};
    assert_int_equal(hf_reach_request(r, &wait, &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    assert_int_equal(hf_reach_keep(r, &late, &error), HF_ERROR_ARGUMENT);
    assert_null(late);
    assert_int_equal(hf_reach_keep(NULL, &late, &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_reach_end(r, NULL, &error), HF_OK);
    return kept;
}

/* A file gives the motion that growing gives, to the last bit. */
static void test_same_motion(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(NODES);
    hf_roadmap *kept = keep(s, &o), *again;
    hf_error error = {0};
    char path[1100];
    snprintf(path, sizeof path, "%s/cubes.hfr", test_folder());
    assert_int_equal(hf_roadmap_save(kept, path, &error), HF_OK);
    assert_int_equal(hf_roadmap_load(path, &again, &error), HF_OK);
    assert_true(hf_roadmap_hash(again) == hf_roadmap_hash(kept));
    hf_roadmap_view v = hf_roadmap_get(again);
    assert_true(v.postures && !v.nodes && v.node_count == NODES && v.component_count == 1);
    hf_reach_result a, b;
    assert_int_equal(hf_reach_run(s, &o, NULL, NULL, &a, &error), HF_OK);
    o.roadmap = again;
    assert_int_equal(hf_reach_run(s, &o, NULL, NULL, &b, &error), HF_OK);
    assert_int_equal(a.outcome, HF_FOUND);
    assert_int_equal(a.nodes, b.nodes);
    assert_int_equal(a.shortcuts, b.shortcuts);
    assert_true(a.shortcuts > 0);
    assert_int_equal(a.motion->frame_count, b.motion->frame_count);
    size_t q = sizeof(double) * (size_t)hf_creature_get(s->creature)->q_count;
    for (int i = 0; i < a.motion->frame_count; i++) {
        assert_memory_equal(a.motion->frames[i].q, b.motion->frames[i].q, q);
        assert_memory_equal(&a.motion->frames[i].root, &b.motion->frames[i].root, sizeof(hf_transform));
    }
    hf_reach_result_free(&a);
    hf_reach_result_free(&b);
    hf_roadmap_free(kept);
    hf_roadmap_free(again);
    hf_scenario_free(s);
}

static void refused(const hf_scenario* s, const hf_reach_options* o, const char* words) {
    hf_reacher* r = NULL;
    hf_error error = {0};
    assert_int_equal(hf_reach_begin(s, o, &r, &error), HF_ERROR_ARGUMENT);
    assert_null(r);
    assert_string_equal(error.field, "roadmap");
    if (!strstr(error.message, words)) fail_msg("\"%s\" is not in \"%s\"", words, error.message);
}

/* Every option of the roadmap counts, those of ways do not; other stands, scenes and kinds of nodes are told
   apart. */
static void test_refusals(void** state) {
    (void)state;
    hf_scenario *s = reach_shipped("cubes"), *other = reach_shipped("relocate");
    hf_reach_options plain = reach_nodes(NODES);
    hf_roadmap* kept = keep(s, &plain);
    plain.roadmap = kept;
    hf_reach_options o = plain;
    o.smoothing = 7, o.rest_cost = 0.5, o.threads = 1;
    hf_reacher* r;
    hf_error error = {0};
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    for (int i = 0; i < 7; i++) {
        o = plain;
        o.nodes += i == 0, o.seed += i == 1, o.step_m += 0.001 * (i == 2), o.shortcut_m += 0.001 * (i == 3);
        o.regular_share += 0.1 * (i == 4), o.right_share += 0.1 * (i == 5), o.margin_m += 0.001 * (i == 6);
        refused(s, &o, "other reach options or another seed");
    }
    refused(other, &plain, "another creature, control layer or standing pose");
    // the same stand among objects that are elsewhere
    hf_transform at = s->scene->objects[1].start;
    s->scene->objects[1].start.position.x += 0.1;
    refused(s, &plain, "another placement");
    s->scene->objects[1].start = at;
    // and on a floor that is more slippery
    s->scene->objects[0].friction *= 0.5;
    refused(s, &plain, "another scene");
    s->scene->objects[0].friction *= 2;
    // a roadmap of root poses
    hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {0.1, 0.1, 0.1}};
    hf_guide_model* model;
    hf_placement* placement;
    hf_roadmap* roots;
    hf_roadmap_options ro = hf_roadmap_options_default();
    ro.max_samples = 10;
    assert_int_equal(hf_guide_model_create_plain(&box, hf_transform_identity(), &model, &error), HF_OK);
    assert_int_equal(hf_placement_create(s->scene, &placement), HF_OK);
    assert_int_equal(hf_roadmap_build(model, placement, &ro, &roots, &error), HF_OK);
    o = plain, o.roadmap = roots;
    refused(s, &o, "of poses of a root");
    assert_int_equal(hf_roadmap_fits(kept, model, placement, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "of postures that reach"));
    hf_roadmap_free(roots);
    hf_placement_free(placement);
    hf_guide_model_free(model);
    hf_roadmap_free(kept);
    hf_scenario_free(other);
    hf_scenario_free(s);
}

/* However the trunk of a robot leans whose knees stand at their limits, the pelvis stays so high that no knee
   leaves them. */
static void assert_knees_hold(hf_reacher* r, const char* const knees[2]) {
    const hf_creature_view* v = &r->world.creature->view;
    const hf_control* spine = r->layer->controls + HF_CONTROL_SPINE;
    int kept = 0;
    for (int i = 0; i < 25; i++) {
        double controls[HF_CONTROL_COUNT], state[HF_REACH_WIDTH];
        memcpy(controls, r->world.rest, sizeof controls);
        for (int k = 0; k < 2; k++) {
            double share = (k ? i / 5 : i % 5) / 4.0;
            controls[HF_CONTROL_SPINE + k] = spine[k].low + share * (spine[k].high - spine[k].low);
        }
        if (!hf_reach_state(r->stage.worker, controls, state)) continue;
        kept++;
        for (int j = 0; j < v->joint_count; j++)
            for (int side = 0; side < 2; side++)
                if (strcmp(v->joints[j].name, knees[side]) == 0)
                    assert_true(r->stage.worker->pose.q[v->joints[j].q_index] <= v->joints[j].upper + 1e-6);
    }
    assert_true(kept > 12);
}

/* A robot that stands with its knees at their limits bends its legs no further, and takes its own roadmap. */
static void test_stiff_legs(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_creature* c = (hf_creature*)(uintptr_t)s->creature;
    static const char* const knees[] = {"r_knee", "l_knee"};
    for (int j = 0; j < c->view.joint_count; j++)
        for (int side = 0; side < 2; side++) {
            hf_joint* to = (hf_joint*)(uintptr_t)&c->view.joints[j];
            if (strcmp(to->name, knees[side]) == 0) to->upper = s->start.pose.q[to->q_index] + 1e-3;
        }
    hf_reach_options o = reach_nodes(NODES);
    o.nodes = 10;
    hf_roadmap* kept = keep(s, &o);
    o.roadmap = kept;
    hf_reacher* r;
    hf_error error = {0};
    bool done;
    if (hf_reach_begin(s, &o, &r, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    assert_true(r->layer->controls[HF_CONTROL_LEGS].high < 0.1 * r->legs_m);
    assert_knees_hold(r, knees);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    hf_roadmap_free(kept);
    hf_scenario_free(s);
}

/* Files whose keys hold and whose postures do not. */
static void test_false_postures(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(NODES);
    o.nodes = 10;
    hf_roadmap* kept = keep(s, &o);
    o.roadmap = kept;
    hf_roadmap_block* b = kept->block;
    double* row = hf_roadmap_rows(b) + 5 * HF_REACH_WIDTH;
    double value = row[HF_CONTROL_SPINE], point = row[HF_CONTROL_COUNT];
    row[HF_CONTROL_SPINE] = 3;
    refused(s, &o, "outside the ranges of the control layer");
    row[HF_CONTROL_SPINE] = value;
    int32_t nodes = b->node_count;
    b->node_count = 0;
    refused(s, &o, "has no postures");
    b->node_count = nodes;
    row[HF_CONTROL_COUNT] += 1; // points are not believed
    hf_reacher* r;
    hf_error error = {0};
    bool done;
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    assert_true(hf_space_graph_node(&r->roadmap->graph, 5)[HF_CONTROL_COUNT] == point);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    hf_roadmap_free(kept);
    hf_scenario_free(s);
}

/* ---- a scene that changes ---- */

static void assert_within(const hf_body_sweep* sweep, const hf_transform* links, const hf_box* swept) {
    for (int i = 0; i < sweep->part_count; i++) {
        const hf_sweep_part* p = &sweep->parts[i];
        const hf_box* box = &swept[p->group];
        for (int corner = 0; corner < 8; corner++) {
            hf_vec3 d = hf_v3(corner & 1 ? p->half.x : -p->half.x, corner & 2 ? p->half.y : -p->half.y,
                              corner & 4 ? p->half.z : -p->half.z);
            hf_vec3 at = hf_apply(links[p->link], hf_add(p->centre, d));
            const double x[3] = {at.x, at.y, at.z};
            for (int k = 0; k < 3; k++)
                assert_true(x[k] >= (double)box->low[k] && x[k] <= (double)box->high[k]);
        }
    }
}

/* All corners of all parts are in the swept boxes at every moment of a piece, also where joints turn against
   each other and as far as a piece lets them. */
static void test_swept_boxes(void** state) {
    (void)state;
    enum { PIECES = 300, MOMENTS = 16 };
    hf_creature* c = shipped_creature("human");
    const hf_creature_view* v = hf_creature_get(c);
    hf_control_layer* l = layer_of(c, "");
    hf_body_sweep sweep;
    hf_transform from[200], to[200], links[200];
    hf_sweep_bend bends[200];
    hf_box boxes[200];
    double q[3][200];
    assert_true(v->link_count <= 200 && v->q_count <= 200);
    assert_int_equal(hf_body_sweep_create(l, &sweep), HF_OK);
    hf_pose a = {.q = q[0]}, b = {.q = q[1]}, between = {.q = q[2]};
    for (int i = 0; i < PIECES; i++) {
        hf_random r = hf_random_start(1, 77, (uint64_t)i);
        hf_pose_rest(c, &a);
        hf_pose_rest(c, &b);
        for (int k = 0; k < HF_CONTROL_LEGS; k++)
            for (int p = 0; p < hf_control_get(l, k).part_count; p++) {
                int at = v->joints[hf_control_get(l, k).parts[p].joint].q_index;
                a.q[at] = hf_random_between(&r, -1, 1);
                b.q[at] = a.q[at] + hf_random_between(&r, -0.15, 0.15); // 0.03 m / 0.2 m
            }
        hf_forward(c, &a, from);
        hf_forward(c, &b, to);
        hf_body_sweep_start(&sweep, boxes);
        hf_body_sweep_add(&sweep, from, to, bends, boxes);
        for (int t = 0; t <= MOMENTS; t++) {
            hf_pose_between(c, &a, &b, (double)t / MOMENTS, &between);
            hf_forward(c, &between, links);
            assert_within(&sweep, links, boxes);
        }
    }
    hf_body_sweep_free(&sweep);
    hf_control_layer_free(l);
    hf_creature_free(c);
}

/* Nodes and edges that hold by the tests of all of them, without regard to boxes. */
static void assert_holds(hf_reacher* r) {
    hf_space_graph* g = &r->roadmap->graph;
    hf_space space = hf_reach_space(r->stage.worker);
    assert_int_equal(hf_space_graph_components(g), 1);
    assert_int_equal(hf_space_graph_count(g), NODES);
    for (int i = 0; i < hf_space_graph_count(g); i++)
        assert_true(hf_reach_valid(r->stage.worker, hf_space_graph_node(g, i)));
    for (int e = 0; e < g->edge_count; e++) {
        bool good = false;
        const double *a = hf_space_graph_node(g, g->edges[e].a), *b = hf_space_graph_node(g, g->edges[e].b);
        assert_int_equal(space.passes(space.user, a, b, &good), HF_OK);
        assert_true(good);
    }
}

/* The can comes to where postures of the roadmap were, and goes again; the same after a file. */
static void test_moved_object(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("kitchen");
    hf_reach_options o = reach_nodes(NODES);
    hf_roadmap* kept = NULL;
    hf_error error = {0};
    int lost = 0, moves = 0;
    for (int filed = 0; filed < 2; filed++) {
        hf_reacher* r;
        bool done;
        o.roadmap = kept;
        assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
        assert_int_equal(hf_reach_move(r, 2, hf_transform_identity(), &error),
                         HF_ERROR_ARGUMENT); // too early
        assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
        if (!filed) assert_int_equal(hf_reach_keep(r, &kept, &error), HF_OK);
        assert_int_equal(hf_reach_move(r, 99, hf_transform_identity(), &error), HF_ERROR_ARGUMENT);
        for (int i = 0; i < 4; i++) {
            // a place where a hand of some posture is
            const double* node = hf_space_graph_node(&r->roadmap->graph, NODES / 2 + 7 * i);
            const double* hand = node + HF_CONTROL_COUNT + 3 * (i % 2 ? 10 : 5);
            double before[HF_REACH_WIDTH];
            memcpy(before, node, sizeof before);
            hf_transform at = {{hand[0], hand[1], hand[2]}, {1, 0, 0, 0}};
            assert_int_equal(hf_reach_move(r, 2, at, &error), HF_OK);
            lost += !hf_reach_valid(r->stage.worker, before);
            moves++;
            assert_holds(r);
        }
        // while the body leans on a hand, postures on the feet alone are not tested: the next action does it
        int updates = r->result->updates;
        r->lean.on = true;
        assert_int_equal(hf_reach_move(r, 2, s->scene->objects[2].start, &error), HF_OK);
        assert_int_equal(r->result->updates, updates);
        r->lean.on = false;
        assert_int_equal(hf_reach_follow_scene(r), HF_OK);
        assert_int_equal(r->result->updates, updates + 1);
        assert_holds(r);
        hf_roadmap* late = NULL;
        assert_int_equal(hf_reach_keep(r, &late, &error), HF_ERROR_ARGUMENT); // of other places
        assert_non_null(strstr(error.message, "before objects move"));
        hf_transform none = hf_transform_identity();
        none.position.y = NAN;
        assert_int_equal(hf_reach_move(r, 2, none, &error), HF_ERROR_ARGUMENT);
        assert_string_equal(error.field, "pose");
        none = hf_transform_identity(), none.rotation.w = 2;
        assert_int_equal(hf_reach_move(r, 2, none, &error), HF_ERROR_ARGUMENT);
        assert_int_equal(hf_reach_end(r, NULL, &error), HF_OK);
    }
    assert_int_equal(lost, moves); // what the can came into does not hold any more
    hf_roadmap_free(kept);
    hf_scenario_free(s);
}

/* ---- control files ---- */

/* What a file says is what the layer has; all else is as derived. */
static void test_control_file(void** state) {
    (void)state;
    hf_creature* c = shipped_creature("human");
    const hf_creature_view* v = hf_creature_get(c);
    hf_control_layer *plain, *same = layer_of(c, "");
    assert_int_equal(hf_control_layer_create(c, NULL, &plain, NULL), HF_OK);
    hf_control_layer* l = layer_of(
        c,
        "\"arms\": {\"right\": \"left_arm\", \"left\": \"right_arm\"}, \"controls\": {"
        "\"right_elbow\": {\"range\": [0.1, 2]}, \"left_wrist_1\": {\"joint\": null},"
        "\"left_forearm\": {\"joint\": \"r_wrist_x\"}, \"spine_flexion\": {\"joints\":"
        "{\"spine_1_y\": 0.75, \"spine_2_y\": 0.25}}, \"leg_flexion\": {\"range\": [0, 0.2], \"pitch\": 1}}");
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        hf_control a = hf_control_get(plain, k), b = hf_control_get(same, k);
        assert_int_equal(a.part_count, b.part_count);
        assert_true(a.low == b.low && a.high == b.high);
    }
    // sides are exchanged: the first nine controls are those of the left arm
    assert_int_equal(hf_control_arm(l, HF_RIGHT), hf_creature_find_limb(c, "left_arm"));
    hf_control elbow = hf_control_get(l, 5), wrist = hf_control_get(l, 16), forearm = hf_control_get(l, 15);
    assert_string_equal(v->joints[elbow.parts[0].joint].name, "l_elbow");
    assert_true(elbow.low == 0.1 && elbow.high == 2);
    assert_true(wrist.part_count == 0 && wrist.low == 0 && wrist.high == 0);
    assert_string_equal(v->joints[forearm.parts[0].joint].name, "r_wrist_x");
    hf_control flexion = hf_control_get(l, HF_CONTROL_SPINE);
    assert_int_equal(flexion.part_count, 2);
    double lower = v->joints[flexion.parts[0].joint].upper / 0.75,
           upper = v->joints[flexion.parts[1].joint].upper / 0.25;
    assert_float_equal(flexion.high, fmin(lower, upper), 1e-12);
    assert_true(hf_control_get(l, HF_CONTROL_LEGS).high == 0.2);
    hf_control_layer_free(plain);
    hf_control_layer_free(same);
    hf_control_layer_free(l);
    hf_creature_free(c);
}

/* The leg control tilts the pelvis by the pitch of the file, with the feet where they are. */
static void test_control_pitch(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    const hf_creature_view* v = hf_creature_get(s->creature);
    hf_control_layer* l = layer_of(s->creature, "\"controls\": {\"leg_flexion\": {\"pitch\": 1.25}}");
    hf_transform links[200];
    double q[200], controls[HF_CONTROL_COUNT];
    assert_true(v->link_count <= 200 && v->q_count <= 200);
    hf_pose pose = {.q = q};
    hf_control_stand stand = {0};
    hf_control_stand_set(l, &s->start.pose, links, &stand);
    hf_control_rest(l, &stand, controls);
    controls[HF_CONTROL_LEGS] = 0.1;
    assert_true(hf_control_pose(l, &stand, controls, &pose, links));
    assert_float_equal(hf_quat_angle(pose.root.rotation, stand.root.rotation), 0.125, 1e-9);
    int foot = v->limbs[hf_control_leg(l, HF_LEFT)].effector_link;
    assert_true(hf_distance(links[foot].position, stand.foot[HF_LEFT].position) < 1e-4);
    hf_control_layer_free(l);
    hf_scenario_free(s);
}

/* Each refusal names the place and the reason. */
static void test_control_refusals(void** state) {
    (void)state;
    static const struct {
        const char *body, *field, *words;
    } bad[] = {
        {"\"arm\": {}", "", "did you mean \"arms\""},
        {"\"arms\": []", "", "an object is expected"},
        {"\"arms\": {\"right\": \"right_arms\"}", "arms", "did you mean \"right_arm\""},
        {"\"arms\": {\"middle\": \"right_arm\"}", "arms", "unknown key"},
        {"\"arms\": {\"right\": \"left_arm\"}", "control layer", "two of its arms and legs"},
        {"\"legs\": {\"right\": \"seat\"}", "control layer", "no right leg with at least 4 joints"},
        {"\"controls\": {\"right_elbo\": {}}", "controls", "did you mean \"right_elbow\""},
        {"\"controls\": {\"right_elbow\": 3}", "controls.right_elbow", "an object is expected"},
        {"\"controls\": {\"right_elbow\": {\"joint\": 3}}", "controls.right_elbow", "a text is expected"},
        {"\"controls\": {\"right_elbow\": {\"joint\": \"r_elbo\"}}", "controls.right_elbow",
         "did you mean \"r_elbow\""},
        {"\"controls\": {\"right_elbow\": {\"joint\": \"l_elbow\"}}", "controls.right_elbow",
         "does not move this arm alone"},
        {"\"controls\": {\"right_elbow\": {\"joint\": \"spine_1_y\"}}", "controls.right_elbow",
         "does not move this arm alone"},
        {"\"controls\": {\"right_elbow\": {\"joint\": \"r_forearm\"}}", "controls.right_elbow",
         "is turned by \"right_elbow\" and \"right_forearm\""},
        {"\"controls\": {\"right_elbow\": {\"joints\": {\"r_elbow\": 0.5}}}", "controls.right_elbow",
         "a share other than 1"},
        {"\"controls\": {\"right_elbow\": {\"joints\": {\"r_elbow\": 1, \"r_forearm\": 1}}}",
         "controls.right_elbow", "one joint, 2 are named"},
        {"\"controls\": {\"right_elbow\": {\"joint\": null, \"joints\": {}}}", "controls.right_elbow",
         "exclude each other"},
        {"\"controls\": {\"right_elbow\": {\"range\": [1, 0]}}", "controls.right_elbow", "1 is above 0"},
        {"\"controls\": {\"right_elbow\": {\"range\": [0]}}", "controls.right_elbow", "2 numbers"},
        {"\"controls\": {\"right_elbow\": {\"range\": [-4, 1]}}", "controls.right_elbow",
         "which the joints' limits allow"},
        {"\"controls\": {\"right_elbow\": {\"range\": [-1e-7, -5e-8]}}", "controls.right_elbow",
         "its range is empty"},
        {"\"controls\": {\"right_elbow\": {\"pitch\": 1}}", "controls.right_elbow", "of leg_flexion alone"},
        {"\"controls\": {\"spine_roll\": {\"joint\": \"r_elbow\"}}", "controls.spine_roll",
         "between the root and both arms"},
        {"\"controls\": {\"spine_flexion\": {\"joints\": {\"spine_1_y\": 0.4}}}", "controls.spine_flexion",
         "add up to 0.4"},
        {"\"controls\": {\"spine_flexion\": {\"joints\": {\"spine_1_y\": 1, \"spine_2_y\": 0}}}",
         "controls.spine_flexion", "the share 0"},
        {"\"controls\": {\"spine_flexion\": {\"range\": [0.1, 0.2]}}", "controls.spine_flexion",
         "leaves out 0"},
        {"\"controls\": {\"leg_flexion\": {\"joint\": \"r_knee\"}}", "controls.leg_flexion",
         "no joints of its own"},
        {"\"controls\": {\"leg_flexion\": {\"range\": [0, 3]}}", "controls.leg_flexion", "the legs can do"},
        {"\"controls\": {\"leg_flexion\": {\"pitch\": 11}}", "controls.leg_flexion", "-10 to 10"},
    };
    hf_creature* c = shipped_creature("human");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hf_control_layer* l = NULL;
        hf_error error = {0};
        assert_int_equal(hf_control_layer_create(c, write_control(bad[i].body), &l, &error), HF_ERROR_FORMAT);
        assert_null(l);
        assert_non_null(strstr(error.file, "test.control.json"));
        assert_string_equal(error.field, bad[i].field);
        if (!strstr(error.message, bad[i].words))
            fail_msg("%s: \"%s\" is not in \"%s\"", bad[i].body, bad[i].words, error.message);
    }
    hf_control_layer* l = NULL;
    assert_int_equal(hf_control_layer_create(c, "no/such.control.json", &l, NULL), HF_ERROR_FILE);
    hf_creature_free(c);
}

/* A creature file names its control file, and one that is not there is told when the creature is read. */
static void test_control_of_creature(void** state) {
    (void)state;
    char path[1100];
    hf_error error = {0};
    hf_creature* c = NULL;
    snprintf(path, sizeof path, "%s/test.creature.json", test_folder());
    for (int there = 1; there >= 0; there--) {
        write_control("\"controls\": {\"leg_flexion\": {\"range\": [0, 0.125]}}");
        FILE* f = fopen(path, "w");
        fprintf(f,
                "{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"%s\", \"control\": \"%s\"}",
                data_path("data/creatures/human.urdf"), there ? "test.control.json" : "gone.control.json");
        fclose(f);
        hf_status status = hf_creature_load(path, NULL, &c, &error);
        assert_int_equal(status, there ? HF_OK : HF_ERROR_FORMAT);
        if (!there) break;
        assert_non_null(strstr(hf_creature_get(c)->control_path, "test.control.json"));
        hf_creature_free(c);
    }
    assert_string_equal(error.field, "control");
    assert_non_null(strstr(error.message, "gone.control.json"));
}

/* The bodies of a hand whose link is there, with open fingers, overlap nothing that is enabled. */
static void assert_hand_free(hf_reacher* r, const hf_placement* others, int limb, hf_transform hand) {
    const hf_creature* c = r->world.creature;
    int effector = c->view.limbs[limb].effector_link;
    hf_transform links[256];
    hf_pose pose = {hf_transform_identity(), r->world.stand_q};
    assert_true(c->view.link_count <= 256);
    hf_forward(c, &pose, links);
    hf_transform move = hf_compose(hand, hf_inverse(links[effector]));
    hf_allowance none = {.depth = 1e-6, .touched_object = -1};
    for (int b = 0; b < c->view.body_count; b++) {
        const hf_body* body = &c->view.bodies[b];
        if (!hf_effector_has(c, limb, body->link)) continue;
        hf_transform at = hf_compose(move, hf_compose(links[body->link], body->in_link));
        assert_false(hf_placement_overlap(others, &body->shape, at, &none, NULL));
    }
}

/* The places of a closed hand that count as contacts: its palm, and each body of its fingers that is no
   farther from the object than a check allows a contact to be off (1 mm). */
static void assert_contacts(hf_reacher* r, const hf_placement* alone, int limb, const hf_hand_grasp* g) {
    const hf_creature* c = r->world.creature;
    int effector = c->view.limbs[limb].effector_link, count = g->open ? 0 : 1; // finger tips need no palm
    hf_transform links[256];
    hf_pose pose = {hf_transform_identity(), g->q};
    hf_forward(c, &pose, links);
    hf_transform hand = hf_compose(hf_placement_pose(alone, g->hold.object), g->hand);
    hf_transform move = hf_compose(hand, hf_inverse(links[effector]));
    for (int b = 0; b < c->view.body_count; b++) {
        const hf_body* body = &c->view.bodies[b];
        hf_surface s;
        if (body->link == effector || !hf_effector_has(c, limb, body->link)) continue;
        hf_transform at = hf_compose(move, hf_compose(links[body->link], body->in_link));
        count += hf_placement_distance(alone, &body->shape, at, 0.001, &s);
    }
    assert_int_equal(g->contacts, count);
    assert_true(count >= 3);
}

/* Hand shapes that are found leave the hand free of what stands beside the object, in all rounds, and touch
   the object where they say; the rounds differ. */
static void test_room_for_hands(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    hf_reach_options o = reach_nodes(NODES);
    hf_reacher* r;
    hf_error error = {0};
    bool done;
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    hf_placement *others, *alone;
    assert_int_equal(hf_placement_create(s->scene, &others), HF_OK);
    assert_int_equal(hf_placement_create(s->scene, &alone), HF_OK);
    int can = s->actions[0].object, limb = r->layer->arms[HF_RIGHT];
    for (int i = 0; i < hf_scene_object_count(s->scene); i++)
        hf_placement_enable(i == can ? others : alone, i, false);
    hf_placement_move(alone, can, hf_placement_pose(r->world.placement, can));
    hf_hand_grasps* g = calloc(HF_GRASP_ROUNDS, sizeof *g);
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    for (int round = 0; round < HF_GRASP_ROUNDS; round++) {
        assert_int_equal(
            hf_hand_grasps_find(&r->world, s->scene, can, NULL, limb, round, r->workspace, &g[round]), HF_OK);
        for (int i = 0; i < g[round].count; i++) {
            assert_hand_free(r, others, limb,
                             hf_compose(hf_placement_pose(r->world.placement, can), g[round].items[i].hand));
            assert_contacts(r, alone, limb, &g[round].items[i]);
        }
    }
    const hf_hand_grasps* later = &g[HF_GRASP_PINCH + 1];
    assert_true(g[0].count > 0 && later->count > 0);
    assert_true(memcmp(&g[0].items[0].hand, &later->items[0].hand, sizeof g[0].items[0].hand) != 0);
    hf_workspace_end(r->workspace, mark);
    free(g);
    hf_placement_free(others);
    hf_placement_free(alone);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    hf_scenario_free(s);
}

/* Grasps with which no posture was found where the object goes come last, however dear the other ones are
   (weights of comfort may be 100); of equals the first one stays first. */
static void test_order_of_offers(void** state) {
    (void)state;
    static const struct {
        double price;
        bool ends;
    } added[] = {{5, false},  {400, true}, {1, false}, {150, true},
                 {150, true}, {2, true},   {3, false}, {7, true}};
    static const int order[HF_REACH_OFFERS] = {5, 7, 3, 4, 1, 2};
    hf_hand_grasp grasps[8] = {0};
    hf_reach_offers o = {0};
    for (int i = 0; i < 8; i++)
        hf_reach_offer_add(
            &o, &(hf_reach_offer){.grasp = &grasps[i], .price = added[i].price, .ends = added[i].ends});
    assert_int_equal(o.count, HF_REACH_OFFERS);
    for (int i = 0; i < o.count; i++) assert_ptr_equal(o.items[i].grasp, &grasps[order[i]]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_motion),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_room_for_hands),      cmocka_unit_test(test_stiff_legs),
        cmocka_unit_test(test_false_postures),      cmocka_unit_test(test_swept_boxes),
        cmocka_unit_test(test_moved_object),        cmocka_unit_test(test_control_file),
        cmocka_unit_test(test_control_pitch),       cmocka_unit_test(test_control_refusals),
        cmocka_unit_test(test_control_of_creature), cmocka_unit_test(test_order_of_offers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
