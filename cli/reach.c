/* holdfast reach: runs the actions of a scenario: reaching, grasping, moving objects. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

bool reach_wishes(const options* o, const hf_scenario* s, hf_reach_options* r) {
    *r = hf_reach_options_default();
    if (!apply_settings(o, s, "reach", r)) return false;
    r->seed = o->seed >= 0 ? (uint64_t)o->seed : s->seed;
    r->threads = o->threads;
    r->control = o->control;
    return true;
}

static json_t* actions_json(const hf_scenario* s, const hf_reach_result* r) {
    json_t* list = json_array();
    for (int i = 0; i < r->action_count; i++) {
        const hf_reach_action_result* a = &r->actions[i];
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:o,s:f,s:f}", "do", hf_action_text(s->actions[i].kind),
                                        "outcome", hf_outcome_text(a->outcome), "why", json_text(a->why),
                                        "time_s", a->time_s, "work_s", a->work_s));
    }
    return list;
}

static void say(const hf_scenario* s, const hf_reach_result* r, const options* o) {
    int frames = r->motion ? r->motion->frame_count : 0;
    if (o->json) {
        print_json(json_pack("{s:s,s:o,s:i,s:i,s:i,s:f,s:f,s:i,s:f,s:f,s:f,s:f}", "outcome",
                             hf_outcome_text(r->outcome), "actions", actions_json(s, r), "frames", frames,
                             "nodes", r->nodes, "shortcuts", r->shortcuts, "roadmap_s", r->roadmap_s,
                             "shortcuts_s", r->shortcuts_s, "updates", r->updates, "update_s", r->update_s,
                             "roadmap_work_s", r->roadmap_work_s, "shortcuts_work_s", r->shortcuts_work_s,
                             "update_work_s", r->update_work_s));
        return;
    }
    printf(
        "%s: %s: %d of %d actions, %.1f s of motion; roadmap of %d postures %.0f ms, %d shortcuts %.0f ms\n",
        s->name, hf_outcome_text(r->outcome), r->action_count, s->action_count,
        frames ? r->motion->frames[frames - 1].time_s : 0, r->nodes, 1e3 * r->roadmap_s, r->shortcuts,
        1e3 * r->shortcuts_s);
    for (int i = 0; i < r->action_count; i++)
        printf("  %-8s %-8s %6.0f ms  %s\n", hf_action_text(s->actions[i].kind),
               hf_outcome_text(r->actions[i].outcome), 1e3 * r->actions[i].time_s, r->actions[i].why);
}

static hf_status write_all(hf_scenario* s, hf_reach_result* r, const options* o, hf_error* error) {
    loaded_motion m = {.motion = r->motion,
                       .schedule = r->schedule,
                       .creature = s->creature,
                       .scenario = s,
                       .scene = s->scene};
    int frames[STRIP], count = strip_frames(r->motion, frames);
    char* stem = make_text("%s/%s", o->output, s->name);
    progress p = progress_start(o);
    hf_status status = stem ? write_motion(&m, stem, frames, count, hf_v3(0, 0, 0), o, &p, error)
                            : set_error(error, HF_ERROR_MEMORY);
    progress_end(&p);
    free(stem);
    return status;
}

static int solve(hf_scenario* s, const options* o) {
    hf_reach_options wishes;
    if (!reach_wishes(o, s, &wishes)) return EXIT_BAD_INPUT;
    hf_reach_result result = {0};
    hf_error error = {0};
    hf_roadmap* roadmap = NULL;
    hf_status status = o->roadmap ? hf_roadmap_load(o->roadmap, &roadmap, &error) : HF_OK;
    wishes.roadmap = roadmap;
    limit_hand_over(o);
    progress p = progress_start(o);
    if (status == HF_OK) status = hf_reach_run(s, &wishes, progress_report, &p, &result, &error);
    progress_end(&p);
    limit_end();
    hf_roadmap_free(roadmap);
    blame_roadmap(o, status, &error);
    int code = status != HF_OK              ? fail_with(&error)
               : result.outcome == HF_FOUND ? EXIT_DONE
                                            : EXIT_NO_SOLUTION;
    if (status == HF_OK) {
        say(s, &result, o);
        if (o->output && result.motion && write_all(s, &result, o, &error) != HF_OK) code = fail_with(&error);
    }
    hf_reach_result_free(&result);
    return code;
}

int run_reach(const options* o) {
    int code;
    if (o->output && !picture_fits(o, STRIP)) return EXIT_USAGE;
    hf_scenario* s = open_scenario(o, "reach", HF_SCENARIO_REACH, &code);
    if (!s) return code;
    if (!o->output || make_output(o)) code = solve(s, o);
    hf_scenario_free(s);
    return code;
}
