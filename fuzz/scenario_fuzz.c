/* Scenario files beside a small creature and mesh, so that they can be whole. */
#include <holdfast/holdfast.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_file(const char* name, const void* bytes, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size) abort();
    fclose(f);
}

static void remove_folder(void) {
    static const char* const names[] = {"a.scenario.json", "c.urdf", "m.obj", "d.urdf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void prepare(void) {
    struct stat info;
    bool memory = stat("/dev/shm", &info) == 0;
    snprintf(folder, sizeof folder, "%s/holdfast-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) abort();
    atexit(remove_folder);
    const char* urdf =
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"
        "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        "<joint name='k' type='floating'><parent link='a'/><child link='c'/></joint>"
        "<joint name='p' type='planar'><parent link='a'/><child link='d'/><axis xyz='0 0 "
        "1'/></joint></robot>";
    const char* mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const char* drawer =
        "<robot name='d'><link name='a'/><link name='b'><visual><geometry><cylinder radius='0.1' "
        "length='0.3'/></geometry></visual></link><joint name='j' type='prismatic'><parent link='a'/>"
        "<child link='b'/><limit lower='0' upper='1'/></joint></robot>";
    write_file("c.urdf", urdf, strlen(urdf));
    write_file("d.urdf", drawer, strlen(drawer));
    write_file("m.obj", mesh, strlen(mesh));
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!folder[0]) prepare();
    write_file("a.scenario.json", data, size);
    char path[128];
    snprintf(path, sizeof path, "%s/a.scenario.json", folder);
    hf_scenario* scenario = NULL;
    hf_error error = {0};
    hf_status status = hf_scenario_load(path, NULL, &scenario, &error);
    if (status != HF_OK && (scenario || error.status != status || !error.message[0])) abort();
    if (status == HF_OK && (!scenario || !scenario->creature || !scenario->scene || !scenario->start.pose.q))
        abort();
    hf_scenario_free(scenario);
    return 0;
}
