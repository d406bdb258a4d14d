/* holdfast plan: guide path and contact plan from a scenario's start to its goal, as a whole motion. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool plan_wishes(const options* o, const hf_scenario* s, hf_plan_options* p) {
    if (!s->goal.pose.q) {
        complain("%s: has no goal", s->path);
        return false;
    }
    *p = hf_plan_options_default();
    for (int i = 0; i < s->weight_count; i++) {
        hf_error error = {0};
        if (hf_options_set(hf_plan_option_table(), p, s->weights[i].term, s->weights[i].weight, &error) ==
            HF_OK)
            continue;
        complain("%s: options.score: a plan weighs effort, duration, balance and comfort, not \"%s\"",
                 s->path, s->weights[i].term);
        return false;
    }
    if (!apply_settings(o, s, "plan", p)) return false;
    p->seed = o->seed >= 0 ? (uint64_t)o->seed : s->seed;
    p->threads = o->threads;
    p->samples = o->count ? o->count : s->samples;
    if (o->trunk_scale > 0) p->trunk_scale = o->trunk_scale;
    return true;
}

/* A motion that ends before the goal is partial, whatever ended it. */
static const char* outcome_text(const hf_plan_result* r) {
    return r->outcome != HF_FOUND && r->motion ? "partial" : hf_outcome_text(r->outcome);
}

static const char* why_text(const hf_plan_result* r, const progress* p) {
    if (r->why != HF_PLAN_CANCELLED) return hf_plan_why_text(r->why);
    return p->timed_out ? "the time limit was reached" : "interrupted";
}

static void say(const hf_scenario* s, const hf_plan_result* r, double model_s, const progress* p) {
    if (p->options->json) {
        print_json(json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f}", "outcome", outcome_text(r),
                             "why", why_text(r, p), "where", r->where, "stances", r->stances, "frames",
                             r->motion ? r->motion->frame_count : 0, "work", r->work, "reached", r->reached,
                             "guide_length_m", r->guide_length_m, "model_s", model_s, "guide_s", r->guide_s,
                             "contact_s", r->contact_s));
        return;
    }
    if (r->outcome == HF_FOUND)
        printf("%s: %d stance%s, %.1f s of motion over %.2f m; guide %.0f ms, contacts %.0f ms\n", s->name,
               r->stances, r->stances == 1 ? "" : "s", r->motion->frames[r->motion->frame_count - 1].time_s,
               r->guide_length_m, r->guide_s * 1e3, r->contact_s * 1e3);
    else
        printf("%s: %s: %s%s%s\n", s->name, outcome_text(r), why_text(r, p), r->where[0] ? "; " : "",
               r->where);
}

/* Replaces a text that the library made. */
static bool set_text(char** to, const char* text) {
    free(*to);
    *to = make_text("%s", text);
    return *to;
}

/* Motion and schedule name the same scenario and outcome, so that the motion can be made again from the
   schedule to the last byte. */
static bool name_plan(const hf_scenario* s, hf_plan_result* r) {
    return set_text(&r->motion->scenario, s->path) && set_text(&r->motion->outcome, outcome_text(r)) &&
           set_text(&r->schedule->scenario, s->path) && set_text(&r->schedule->outcome, outcome_text(r));
}

static hf_status write_plan(hf_scenario* s, hf_plan_result* r, const options* o, hf_error* error) {
    loaded_motion m = {.motion = r->motion,
                       .creature = s->creature,
                       .scenario = s,
                       .scene = s->scene,
                       .schedule = r->schedule};
    int frames[STRIP], count = strip_frames(r->motion, frames);
    char* stem = make_text("%s/%s", o->output, s->name);
    hf_status status = stem && name_plan(s, r) ? HF_OK : HF_ERROR_MEMORY;
    if (status != HF_OK) *error = (hf_error){.status = status, .message = "out of memory"};
    progress p = progress_start(o);
    if (status == HF_OK) status = write_motion(&m, stem, frames, count, hf_v3(0, 0, 0), o, &p, error);
    progress_end(&p);
    free(stem);
    return status;
}

static int solve(hf_scenario* s, const options* o) {
    hf_plan_options wishes;
    if (!plan_wishes(o, s, &wishes)) return EXIT_BAD_INPUT;
    hf_plan_model* model = NULL;
    hf_plan_result result = {0};
    hf_error error = {0};
    double begin = now_s();
    hf_status status = hf_plan_model_create(s->creature, &wishes, &model, &error);
    double model_s = now_s() - begin;
    hf_roadmap* roadmap = NULL;
    if (status == HF_OK && o->roadmap) status = hf_roadmap_load(o->roadmap, &roadmap, &error);
    limit_hand_over(o);
    progress p = progress_start(o);
    hf_plan_query query = {.start = &s->start, .goal = &s->goal, .roadmap = roadmap};
    if (status == HF_OK)
        status = hf_plan_find(model, s->scene, &query, &wishes, progress_report, &p, &result, &error);
    progress_end(&p);
    limit_end();
    // a roadmap that does not fit is the file's fault
    if (status == HF_ERROR_ARGUMENT && roadmap && !error.file[0] && strcmp(error.field, "roadmap") == 0)
        snprintf(error.file, sizeof error.file, "%s", o->roadmap), error.field[0] = 0;
    int code = status != HF_OK              ? fail_with(&error)
               : result.outcome == HF_FOUND ? EXIT_DONE
                                            : EXIT_NO_SOLUTION;
    if (status == HF_OK) {
        say(s, &result, model_s, &p);
        if (o->output && result.motion) {
            if (write_plan(s, &result, o, &error) != HF_OK) code = fail_with(&error);
        }
    }
    hf_plan_result_free(&result);
    hf_roadmap_free(roadmap);
    hf_plan_model_free(model);
    return code;
}

int run_plan(const options* o) {
    int code;
    hf_picture_options wishes;
    if (!picture_options(o, &wishes)) return EXIT_USAGE;
    hf_scenario* s = open_scenario(o, "plan", HF_SCENARIO_PLAN, &code);
    if (!s) return code;
    if (!o->output || make_folder(o->output)) code = solve(s, o);
    hf_scenario_free(s);
    return code;
}
