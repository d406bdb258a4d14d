#include "arm.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stop(const char* why) {
    fprintf(stderr, "bench: %s\n", why);
    exit(3);
}

hf_creature* bench_load(const char* path) {
    hf_creature* creature;
    hf_error error = {0};
    char message[1400];
    if (hf_creature_load(path, NULL, &creature, &error) != HF_OK)
        stop(hf_error_text(&error, message, sizeof message));
    return creature;
}

hf_creature* bench_load_arm(void) {
    char path[] = "/tmp/holdfast-bench-XXXXXX.creature.json";
    int file = mkstemps(path, (int)strlen(".creature.json"));
    FILE* f = file < 0 ? NULL : fdopen(file, "w");
    if (!f) stop("a temporary file cannot be written");
    fprintf(f,
            "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"arm\", \"urdf\": \"%s\",\n"
            "  \"limbs\": [ { \"name\": \"arm\", \"root\": \"r_upper_arm_a\", \"effector\": \"r_hand\",\n"
            "    \"contact\": { \"name\": \"palm\", \"offset\": [0, 0.014, -0.055], \"normal\": [0, 1, 0] } "
            "} ] }\n",
            bench_path("data/creatures/human.urdf"));
    fclose(f);
    hf_creature* creature = bench_load(path);
    remove(path);
    if (hf_creature_get(creature)->limbs[0].joint_count != 7) stop("the arm does not have seven joints");
    return creature;
}
