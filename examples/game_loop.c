/* The loop of a game: a creature goes where a stick says, 60 frames a second, and the times of the frames are
   printed. The stick is a script here; a game reads its controller instead.
   game_loop SCENARIO [SECONDS], for instance: game_loop bookshelf.scenario.json 30 */
#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static int fail(const hf_error* error) {
    char text[1400];
    fprintf(stderr, "%s\n", hf_error_text(error, text, sizeof text));
    return 3;
}

/* Every limb gets a set of sampled postures for its first contact frame. A game would keep them in files with
   hf_samples_open. */
static hf_status build_samples(const hf_creature* creature, hf_samples** samples, hf_error* error) {
    const hf_creature_view* c = hf_creature_get(creature);
    hf_status status = HF_OK;
    for (int i = 0; i < c->limb_count && status == HF_OK; i++) {
        hf_sample_options options = hf_sample_options_default();
        if (c->limbs[i].joint_count && c->limbs[i].contact_count)
            status = hf_samples_build(creature, i, &options, &samples[i], error);
    }
    return status;
}

/* Ahead most of the time, with turns to both sides and a rest now and then. */
static void read_stick(double time_s, const hf_pose* pose, double speed, hf_agent_input* input) {
    double phase = fmod(time_s, 12);
    hf_vec3 ahead = hf_rotate(pose->root.rotation, hf_v3(1, 0, 0));
    double push = phase < 10 ? speed : 0;
    input->velocity = hf_scale(ahead, push);
    input->turn_rad_s = phase > 4 && phase < 6 ? 0.5 : phase > 7 && phase < 9 ? -0.5 : 0;
}

/* The game: what the agent gives out would be drawn. */
static hf_status play(hf_agent* agent, const hf_placement* placement, const hf_scenario* s, int frames,
                      double* ms) {
    hf_agent_input input = hf_agent_input_default();
    hf_agent_output output = {.pose = s->start.pose};
    int events[HF_AGENT_HIT + 1] = {0};
    double way = 0;
    hf_status status = hf_agent_place(agent, placement, &s->start.pose);
    for (int f = 0; f < frames && status == HF_OK; f++) {
        hf_vec3 before = output.pose.root.position;
        read_stick(f * input.dt_s, &output.pose, 0.3, &input);
        double start = now_ms();
        status = hf_agent_step(agent, placement, &input, &output);
        ms[f] = now_ms() - start;
        if (status != HF_OK) break;
        for (int i = 0; i < output.event_count; i++) events[output.events[i].kind]++;
        way += hf_distance(before, output.pose.root.position);
    }
    printf("%s: %d frames, %.2f m, at %.2f %.2f %.2f in the end\n", hf_creature_get(s->creature)->name,
           frames, way, output.pose.root.position.x, output.pose.root.position.y,
           output.pose.root.position.z);
    for (int i = 0; i <= HF_AGENT_HIT; i++)
        printf("  %-18s %d\n", hf_agent_event_text((hf_agent_event_kind)i), events[i]);
    return status;
}

static void print_times(double* ms, int frames) {
    double sum = 0;
    for (int i = 0; i < frames; i++) sum += ms[i];
    qsort(ms, (size_t)frames, sizeof *ms, ascending);
    printf("frame times: mean %.3f ms, 99th percentile %.3f ms, worst %.3f ms\n", sum / frames,
           ms[(int)(0.99 * (frames - 1))], ms[frames - 1]);
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: game_loop SCENARIO [SECONDS]\n");
        return 2;
    }
    int frames = (int)(60 * (argc > 2 ? atof(argv[2]) : 30));
    if (frames < 1 || frames > 1000000) return 2;
    hf_error error = {0};
    hf_scenario* s = NULL;
    if (hf_scenario_load(argv[1], NULL, &s, &error) != HF_OK) return fail(&error);
    const hf_creature_view* c = hf_creature_get(s->creature);

    /* What all agents share, and the agent itself. */
    hf_samples** samples = calloc((size_t)c->limb_count, sizeof *samples);
    const hf_samples* const** sets = calloc((size_t)c->limb_count, sizeof *sets);
    const hf_samples** rows = calloc((size_t)c->limb_count * 16, sizeof *rows);
    double* ms = calloc((size_t)frames, sizeof *ms);
    hf_placement* placement = NULL;
    hf_agent* agent = NULL;
    hf_status status =
        samples && sets && rows && ms ? build_samples(s->creature, samples, &error) : HF_ERROR_MEMORY;
    for (int i = 0; i < c->limb_count && status == HF_OK; i++) {
        if (c->limbs[i].contact_count > 16) continue;
        rows[16 * i] = samples[i];
        sets[i] = &rows[16 * i];
    }
    if (status == HF_OK) status = hf_placement_create(s->scene, &placement);
    if (status == HF_OK) status = hf_agent_create(s->creature, sets, NULL, &agent);
    if (status == HF_OK) status = play(agent, placement, s, frames, ms);
    if (status == HF_OK) print_times(ms, frames);
    if (status != HF_OK) fprintf(stderr, "%s\n", hf_status_text(status));

    hf_agent_free(agent);
    hf_placement_free(placement);
    for (int i = 0; samples && i < c->limb_count; i++) hf_samples_free(samples[i]);
    free(samples);
    free(sets);
    free(rows);
    free(ms);
    hf_scenario_free(s);
    return status == HF_OK ? 0 : 3;
}
