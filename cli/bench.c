/* holdfast bench: figures that anyone can take again. Without a name it lists what there is. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const struct benchmark {
    const char *name, *help;
    int (*run)(const options* o);
} benchmarks[] = {
    {"paper", "time, candidates, generation and memory beside the tables of the papers", bench_paper},
    {"reach", "reaching: the roadmap, hand targets, ways and their smoothing, in processor time",
     bench_reach},
    {"soak", "plans from many seeds: how many are found, how fast, and whether the check finds all valid",
     bench_soak},
    {"task", "what it gains to draw samples for a task", bench_task},
    {"valid", "random contact queries whose every answer is judged by the check", bench_valid},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static int list(const options* o) {
    json_t* names = json_array();
    for (int i = 0; i < BENCHMARKS; i++) {
        if (o->json)
            json_array_append_new(
                names, json_pack("{s:s,s:s}", "name", benchmarks[i].name, "measures", benchmarks[i].help));
        else
            printf("%-8s %s\n", benchmarks[i].name, benchmarks[i].help);
    }
    if (o->json) print_json(json_pack("{s:O}", "benchmarks", names));
    json_decref(names);
    return EXIT_DONE;
}

int run_bench(const options* o) {
    if (!o->file) return list(o);
    const char* names[BENCHMARKS];
    for (int i = 0; i < BENCHMARKS; i++) {
        names[i] = benchmarks[i].name;
        if (strcmp(o->file, names[i]) == 0) return benchmarks[i].run(o);
    }
    const char* near = hf_nearest_word(o->file, names, BENCHMARKS);
    if (near)
        complain("there is no benchmark \"%s\"; did you mean \"%s\"?", o->file, near);
    else
        complain("there is no benchmark \"%s\"; holdfast bench lists them", o->file);
    return EXIT_USAGE;
}
