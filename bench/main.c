/* holdfast_bench [--json FILE] [TOPIC...]: runs the topics, prints the table, exits 1 when a goal is missed.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct row {
    char name[96], unit[16], peer[32];
    double ours, peer_value, ratio, goal;
} row;

static row rows[256];
static int row_count;

static void add(const char* name, double ours, const char* unit, const char* peer, double peer_value,
                double ratio, double goal) {
    if (row_count == 256) return;
    row* r = &rows[row_count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
    snprintf(r->peer, sizeof r->peer, "%s", peer);
    r->ours = ours, r->peer_value = peer_value, r->ratio = ratio, r->goal = goal;
    fprintf(stderr, "measured: %s\n", name);
}

void bench_row(const char* name, double ours, const char* unit, const char* peer, double peer_value,
               double goal) {
    add(name, ours, unit, peer, peer_value, peer_value / ours, goal);
}

void bench_row_higher(const char* name, double ours, const char* unit, const char* peer, double peer_value,
                      double goal) {
    add(name, ours, unit, peer, peer_value, ours / peer_value, goal);
}

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char* bench_path(const char* path) {
    static char texts[4][1024];
    static int next;
    char* text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%s/%s", HF_SOURCE_DIR, path);
    return text;
}

static const struct topic {
    const char* name;
    void (*run)(void);
} topics[] = {
    {"kinematics", bench_kinematics}, {"collision", bench_collision},
    {"solve", bench_solve},           {"render", bench_render},
    {"samples", bench_samples},       {"contact", bench_contact},
    {"guide", bench_guide},           {"agent", bench_agent},
    {"balance", bench_balance},       {"plan", bench_plan},
    {"reach", bench_reach},           {"refinement", bench_refinement},
};

static int is_topic(const char* name) {
    for (size_t t = 0; t < sizeof topics / sizeof *topics; t++)
        if (strcmp(topics[t].name, name) == 0) return 1;
    return 0;
}

static int write_json(const char* path) {
    FILE* f = fopen(path, "w");
    if (!f) {
        perror(path);
        return 1;
    }
    fprintf(f, "[");
    for (int i = 0; i < row_count; i++) {
        const row* r = &rows[i];
        fprintf(f,
                "%s\n  { \"name\": \"%s\", \"ours\": %.6g, \"unit\": \"%s\", \"peer\": \"%s\", "
                "\"peer_value\": %.6g, "
                "\"ratio\": %.4g, \"goal\": %g }",
                i ? "," : "", r->name, r->ours, r->unit, r->peer, r->peer_value, r->ratio, r->goal);
    }
    fprintf(f, "\n]\n");
    return fclose(f) != 0;
}

int main(int argc, char** argv) {
    const char* json = NULL;
    int chosen = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0 && i + 1 < argc)
            json = argv[++i];
        else if (is_topic(argv[i]))
            chosen++;
        else {
            fprintf(stderr, "usage: script/bench [--json FILE] [TOPIC...]; \"%s\" is none of", argv[i]);
            for (size_t t = 0; t < sizeof topics / sizeof *topics; t++)
                fprintf(stderr, " %s", topics[t].name);
            fputc('\n', stderr);
            return 2;
        }
    for (size_t t = 0; t < sizeof topics / sizeof *topics; t++) {
        int wanted = !chosen;
        for (int i = 1; i < argc; i++) wanted |= strcmp(argv[i], topics[t].name) == 0;
        if (wanted && topics[t].run) topics[t].run();
    }
    printf("%-58s %12s %-5s  %-10s %12s %9s %6s\n", "measurement", "ours", "unit", "peer", "peer's", "ratio",
           "goal");
    int missed = 0;
    for (int i = 0; i < row_count; i++) {
        const row* r = &rows[i];
        int bad = r->goal > 0 && !(r->ratio >= r->goal);
        missed += bad;
        char goal[16] = "";
        if (r->goal > 0) snprintf(goal, sizeof goal, "%g", r->goal);
        printf("%-58s %12.5g %-5s  %-10s %12.5g %9.2f %6s%s\n", r->name, r->ours, r->unit, r->peer,
               r->peer_value, r->ratio, goal, bad ? "  MISSED" : "");
    }
    if (json && write_json(json) != 0) return 3;
    return missed ? 1 : 0;
}
