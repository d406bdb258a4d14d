/* Hands that hold by the tips of their fingers: the tips of a creature, and small things that no palm comes
 * onto. */
#include "reach_fixture.h"

#include "model/scene.h"

#include <stdlib.h>
#include <unistd.h>

/* A box about the origin as an OBJ file. */
static void write_box(const char* folder, const char* name, double x, double y, double z) {
    static const int faces[6][4] = {{1, 2, 4, 3}, {5, 7, 8, 6}, {1, 5, 6, 2},
                                    {3, 4, 8, 7}, {1, 3, 7, 5}, {2, 6, 8, 4}};
    char path[300];
    snprintf(path, sizeof path, "%s/%s.obj", folder, name);
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %g %g %g\n", (i & 4 ? 1 : -1) * x / 2, (i & 2 ? 1 : -1) * y / 2,
                (i & 1 ? 1 : -1) * z / 2);
    for (int i = 0; i < 6; i++)
        fprintf(f, "f %d %d %d %d\n", faces[i][0], faces[i][1], faces[i][2], faces[i][3]);
    fclose(f);
}

static void remove_files(const char* folder) {
    static const char* const names[] = {"table.obj", "thing.obj", "pinch.scenario.json"};
    char path[300];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

/* A small box of this size on a table in front of a human, taken and put 12 cm aside. */
static hf_scenario* small_box(const char* folder, double x, double y, double z) {
    char path[300];
    write_box(folder, "table", 0.5, 1, 0.03);
    write_box(folder, "thing", x, y, z);
    snprintf(path, sizeof path, "%s/pinch.scenario.json", folder);
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    double top = 0.85 + z / 2 + 5e-4;
    fprintf(
        f,
        "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"creature\":\"%s\",\"scene\":["
        "{\"name\":\"ground\",\"mesh\":\"%s\"},{\"name\":\"table\",\"mesh\":\"table.obj\",\"position\":[0.5,"
        "0,0.835]},"
        "{\"name\":\"thing\",\"mesh\":\"thing.obj\",\"position\":[0.4,-0.15,%g],\"movable\":true,\"mass_kg\":"
        "0.1}],"
        "\"start\":{\"at\":[0,0]},\"actions\":[{\"do\":\"grasp\",\"object\":\"thing\"},"
        "{\"do\":\"place\",\"object\":\"thing\",\"position\":[0.4,-0.27,%g]},{\"do\":\"release\",\"object\":"
        "\"thing\"}]}",
        HF_SOURCE_DIR "/data/creatures/human.creature.json", HF_SOURCE_DIR "/data/scenes/ground.obj", top,
        top);
    fclose(f);
    return reach_load(path);
}

/* The human's hands have tips behind their contact frames, its feet have none, and every tip is the round end
   of a body of a finger: as far from the finger's joint as any point of its axis. */
static void test_tips(void** state) {
    (void)state;
    hf_creature* c = NULL;
    assert_int_equal(hf_creature_load(HF_SOURCE_DIR "/data/creatures/human.creature.json", NULL, &c, NULL),
                     HF_OK);
    const hf_creature_view* v = hf_creature_get(c);
    for (int l = 0; l < v->limb_count; l++) {
        const hf_limb* limb = &v->limbs[l];
        if (!limb->grip) assert_int_equal(limb->tip_count, 0);
        if (strcmp(limb->name, "right_arm") == 0) assert_int_equal(limb->tip_count, 2); // thumb and index
        for (int i = limb->contact_count; i < hf_limb_frame_count(limb); i++) {
            const hf_contact_frame* f = &limb->contacts[i];
            const hf_body* body = &v->bodies[v->links[f->link].first_body];
            assert_int_equal(body->shape.kind, HF_SHAPE_CAPSULE);
            assert_true(fabs(body->shape.radius - f->ball) < 1e-12);
            hf_vec3 in_body = hf_unapply(body->in_link, f->offset);
            assert_true(fabs(fabs(in_body.z) - body->shape.half_length) < 1e-9);
            assert_true(hf_length(f->offset) >= hf_length(body->in_link.position));
        }
    }
    hf_creature_free(c);
}

/* A box of 3 cm is taken by finger tips: from grasp to release one tip stays on the same point of the box,
   the fingers do not move meanwhile, the box arrives, and the check finds nothing wrong. */
static void test_small_box(void** state) {
    (void)state;
    char folder[] = "/tmp/holdfast-pinch-XXXXXX";
    assert_non_null(mkdtemp(folder));
    hf_scenario* s = small_box(folder, 0.03, 0.04, 0.03);
    hf_reach_result r = reach_found(s);
    const hf_creature_view* v = hf_creature_get(s->creature);
    int thing = hf_scene_find(s->scene, "thing"), held = 0;
    const hf_schedule_hold* hold = NULL;
    for (int i = 0; i < r.schedule->hold_count; i++)
        if (r.schedule->holds[i].hold.object == thing) hold = &r.schedule->holds[i], held++;
    assert_int_equal(held, 1);
    const hf_limb* limb = &v->limbs[hold->hold.limb];
    assert_true(hold->hold.grip && hold->hold.frame >= limb->contact_count);
    int finger = v->joints[v->links[limb->contacts[hold->hold.frame].link].joint].q_index;
    const double* before = NULL;
    for (int i = 0; i < r.motion->frame_count; i++) {
        const hf_motion_frame* f = &r.motion->frames[i];
        if (f->time_s < hold->from_s || f->time_s > hold->to_s) continue;
        if (before) assert_true(fabs(f->q[finger] - before[finger]) < 1e-9);
        before = f->q;
    }
    hf_placement* p;
    assert_int_equal(hf_placement_create(s->scene, &p), HF_OK);
    hf_motion_place(r.motion, r.motion->frame_count - 1, p);
    assert_true(hf_distance(hf_placement_pose(p, thing).position, hf_v3(0.4, -0.27, 0.8655)) < 2e-3);
    hf_check_report report = {0};
    assert_int_equal(hf_check_motion(r.motion, s->creature, s->scene, 0, NULL, NULL, &report, NULL), HF_OK);
    assert_true(report.valid);
    hf_check_report_free(&report);
    hf_placement_free(p);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
    remove_files(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tips), cmocka_unit_test(test_small_box)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
