/* Control files of a small humanoid: two spine joints, two arms of five joints, two legs of four. What is
   accepted has finite ranges, joints of its own and shares that add up. */
#include "creature_fuzz.h"

enum { LIMBS = 4 };
static const char* const limbs[LIMBS] = {"right_arm", "left_arm", "right_leg", "left_leg"};
static hf_creature* creature;

static int add_joint(char* text, size_t room, const char* name, int number, const char* parent, double y,
                     double z, double lower) {
    static const char* const axes[] = {"0 1 0", "1 0 0", "0 0 1"};
    return snprintf(
        text, room,
        "<link name=\"%s_l%d\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
        "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"%s_%d\" type=\"revolute\">"
        "<parent link=\"%s\"/><child link=\"%s_l%d\"/><origin xyz=\"0 %g %g\"/><axis xyz=\"%s\"/>"
        "<limit lower=\"%g\" upper=\"1\" effort=\"9\" velocity=\"2\"/></joint>",
        name, number, name, number, parent, name, number, y, z, axes[number % 3], lower);
}

static void prepare(void) {
    static char urdf[1 << 15], file[1 << 12], parent[64];
    size_t n = (size_t)snprintf(urdf, sizeof urdf, "<robot name=\"h\"><link name=\"base\"/>"), m = 0;
    n += (size_t)add_joint(urdf + n, sizeof urdf - n, "spine", 0, "base", 0, 0.2, -1);
    n += (size_t)add_joint(urdf + n, sizeof urdf - n, "spine", 3, "spine_l0", 0, 0.2,
                           0.2); // shares may leave nothing
    m = (size_t)snprintf(
        file, sizeof file,
        "{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"h.urdf\", \"gait\": "
        "[[\"right_leg\"], [\"left_leg\"]], \"limbs\": [");
    for (int i = 0; i < LIMBS; i++) {
        int joints = i < 2 ? 5 : 4;
        double side = i % 2 ? 0.2 : -0.2;
        snprintf(parent, sizeof parent, "%s", i < 2 ? "spine_l3" : "base");
        for (int k = 0; k < joints; k++) {
            n += (size_t)add_joint(urdf + n, sizeof urdf - n, limbs[i], k, parent, k ? 0 : side, -0.1, -1);
            snprintf(parent, sizeof parent, "%s_l%d", limbs[i], k);
        }
        m += (size_t)snprintf(file + m, sizeof file - m,
                              "%s{\"name\": \"%s\", \"root\": \"%s_l0\", \"effector\": \"%s\", \"contact\": "
                              "{\"name\": \"end\", \"offset\": [0, 0, -0.1], \"normal\": [0, 0, -1]}}",
                              i ? ", " : "", limbs[i], limbs[i], parent);
    }
    snprintf(urdf + n, sizeof urdf - n, "</robot>");
    snprintf(file + m, sizeof file - m, "]}");
    fuzz_write("h.urdf", urdf, strlen(urdf));
    fuzz_write("h.creature.json", file, strlen(file));
    hf_error error = {0};
    hf_control_layer* layer = NULL;
    if (hf_creature_load(fuzz_path("h.creature.json"), NULL, &creature, &error) != HF_OK) abort();
    if (hf_control_layer_create(creature, NULL, &layer, &error) != HF_OK) abort();
    hf_control_layer_free(layer);
}

static void check_layer(const hf_control_layer* layer) {
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        hf_control c = hf_control_get(layer, k);
        double total = 0;
        check(isfinite(c.low) && isfinite(c.high) && c.low <= c.high);
        for (int i = 0; i < c.part_count; i++) total += fabs(c.parts[i].share);
        check(c.part_count == 0 || fabs(total - 1) < 2e-3);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!creature) prepare();
    hf_control_layer* layer = NULL;
    hf_error error = {0};
    fuzz_write("fuzz.control.json", data, size);
    hf_status status = hf_control_layer_create(creature, fuzz_path("fuzz.control.json"), &layer, &error);
    check(status == HF_OK ? layer != NULL : !layer && error.status == status && error.message[0]);
    if (layer) check_layer(layer);
    hf_control_layer_free(layer);
    return 0;
}
