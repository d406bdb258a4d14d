/* Schedule files of a creature with one leg above a triangle: what is read can be written, reads back to the
   same numbers, can be drawn, and when it is short can be made into a motion. */
#include "path_fuzz.h"
#include "small_world.h"

static hf_creature* creature;
static hf_scene* scene;
static hf_workspace* workspace;

static void prepare(void) {
    static const char urdf[] =
        "<robot name=\"a\"><link name=\"base\"><inertial><mass value=\"1\"/>"
        "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><link "
        "name=\"leg\"/><link name=\"foot\"/>"
        "<joint name=\"hip\" type=\"revolute\"><parent link=\"base\"/><child link=\"leg\"/><axis xyz=\"0 1 "
        "0\"/>"
        "<limit lower=\"-1\" upper=\"1\" effort=\"9\" velocity=\"2\"/></joint>"
        "<joint name=\"ankle\" type=\"revolute\"><parent link=\"leg\"/><child link=\"foot\"/><origin xyz=\"0 "
        "0 "
        "-0.5\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"9\" "
        "velocity=\"2\"/></joint></robot>";
    const char* path = fuzz_file((const uint8_t*)urdf, sizeof urdf - 1, ".urdf");
    hf_error error = {0};
    if (hf_creature_load(path, NULL, &creature, &error) != HF_OK) abort();
    unlink(path);
    scene = fuzz_triangle(0, 0);
    if (hf_workspace_create(&workspace) != HF_OK) abort();
}

static void check_same(const hf_schedule* a, const hf_schedule* b) {
    if (a->hold_count != b->hold_count || a->knot_count != b->knot_count || a->rate != b->rate) abort();
    for (int k = 0; k < a->knot_count; k++) {
        if (a->knots[k].time_s != b->knots[k].time_s) abort();
        for (int i = 0; i < a->q_count; i++)
            if (a->knots[k].q[i] != b->knots[k].q[i]) abort();
    }
    for (int i = 0; i < a->hold_count; i++)
        if (a->holds[i].from_s != b->holds[i].from_s || a->holds[i].to_s != b->holds[i].to_s ||
            a->holds[i].hold.limb != b->holds[i].hold.limb ||
            a->holds[i].hold.object != b->holds[i].hold.object)
            abort();
}

static void use(const hf_schedule* s) {
    enum { SHORT = 20 };
    hf_picture_options o = hf_picture_options_default();
    hf_picture picture;
    hf_error error = {0};
    o.width = 200, o.height = 0;
    if (hf_render_timeline(s, creature, scene, &o, &picture, &error) != HF_OK) abort();
    hf_picture_free(&picture);
    if (s->knots[s->knot_count - 1].time_s * s->rate > SHORT) return;
    hf_realise_options wishes = hf_realise_options_default();
    hf_realise_result result = {0};
    hf_motion* motion = NULL;
    if (hf_realise(creature, scene, s, &wishes, workspace, &motion, &result) != HF_OK) abort();
    if ((result.outcome == HF_FOUND) != (result.fault_count == 0)) abort();
    hf_motion_free(motion);
    hf_realise_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!creature) prepare();
    const char* path = fuzz_file(data, size, ".schedule.json");
    hf_error error = {0};
    hf_schedule *schedule = NULL, *again = NULL;
    hf_status status = hf_schedule_load(path, creature, scene, &schedule, &error);
    fuzz_check_failure(status, &error, schedule);
    if (schedule) {
        char back[300];
        snprintf(back, sizeof back, "%s.back.json", path);
        if (hf_schedule_save(schedule, creature, scene, back, &error) != HF_OK) abort();
        if (hf_schedule_load(back, creature, scene, &again, &error) != HF_OK) abort();
        check_same(schedule, again);
        unlink(back);
        use(schedule);
    }
    hf_schedule_free(schedule);
    hf_schedule_free(again);
    unlink(path);
    return 0;
}
