/* holdfast roadmap: a roadmap of a scenario's creature and scene, kept in a file: of root poses with the way
   from start to goal for later plans, of postures for later reaches. */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Guides looked for; the shortest one is kept. */
enum { GUIDES = 6 };

/* Everything that the roadmap is made from and of. */
typedef struct making {
    const hf_scenario* scenario;
    hf_plan_options wishes;
    hf_roadmap_options roadmap_wishes;
    hf_guide_model* model;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_guide_path guide;
    hf_roadmap* roadmap;
    progress progress;
} making;

/* The shortest of a few guides from the scenario's start to its goal, if there is one. */
static hf_status find_guide(making* m) {
    hf_transform start = m->scenario->start.pose.root, goal = m->scenario->goal.pose.root;
    hf_guide_options o = m->wishes.guide;
    hf_guide_path path = {0};
    hf_status status = HF_OK;
    o.progress = progress_report, o.user = &m->progress;
    for (int i = 0; i < GUIDES && status == HF_OK; i++) {
        o.seed = m->wishes.seed + (uint64_t)i;
        status = hf_guide_find(m->model, m->placement, start, goal, &o, m->workspace, &path);
        if (status != HF_OK || path.outcome != HF_FOUND) break;
        if (m->guide.outcome == HF_FOUND && m->guide.pose_count && m->guide.length_m <= path.length_m)
            continue;
        hf_guide_path kept = m->guide;
        m->guide = path, path = kept;
    }
    hf_guide_path_free(&path);
    return status;
}

static hf_status make(making* m, hf_error* error) {
    hf_guide_model_options g = hf_guide_model_options_default();
    g.trunk_scale = m->wishes.trunk_scale, g.threads = m->wishes.threads;
    hf_status status = hf_guide_model_create(m->scenario->creature, &g, &m->model, error);
    if (status != HF_OK) return status;
    status = hf_placement_create(m->scenario->scene, &m->placement);
    if (status == HF_OK) status = hf_workspace_create(&m->workspace);
    limit_hand_over(m->progress.options);
    if (status == HF_OK) status = find_guide(m);
    if (status != HF_OK)
        return fail_while(error, status, m->scenario->path, "finding a guide from start to goal");
    hf_roadmap_options o = m->roadmap_wishes;
    o.seed = m->wishes.seed, o.threads = m->wishes.threads;
    o.guide = m->guide.pose_count ? &m->guide : NULL;
    o.progress = progress_report, o.user = &m->progress;
    return hf_roadmap_build(m->model, m->placement, &o, &m->roadmap, error);
}

/* The postures of a reach scenario, where its start stands. */
static hf_status make_postures(const hf_scenario* s, const hf_reach_options* wishes, progress* p,
                               hf_roadmap** roadmap, hf_error* error) {
    hf_reacher* r;
    bool done;
    hf_status status = hf_reach_begin(s, wishes, &r, error);
    if (status != HF_OK) return status;
    limit_hand_over(p->options);
    hf_reach_watch(r, progress_report, p);
    status = hf_reach_continue(r, INFINITY, &done, error);
    if (status == HF_OK) status = hf_reach_keep(r, roadmap, error);
    hf_reach_end(r, NULL, NULL);
    return status;
}

void blame_roadmap(const options* o, hf_status status, hf_error* error) {
    if (status == HF_ERROR_ARGUMENT && o->roadmap && !error->file[0] && strcmp(error->field, "roadmap") == 0)
        snprintf(error->file, sizeof error->file, "%s", o->roadmap), error->field[0] = 0;
}

void say_roadmap(const options* o, const hf_roadmap* roadmap, const char* path) {
    hf_roadmap_view v = hf_roadmap_get(roadmap);
    const char* of = v.postures ? "postures" : "poses";
    if (o->json)
        print_json(json_pack("{s:s,s:s,s:o,s:s,s:i,s:i,s:i,s:i,s:I,s:I}", "kind", "roadmap", "of", of, "file",
                             json_text(path), "outcome", hf_outcome_text(v.outcome), "nodes", v.node_count,
                             "edges", v.edge_count, "components", v.component_count, "guide_poses",
                             v.guide_count, "samples", (json_int_t)v.samples, "tests", (json_int_t)v.tests));
    else
        printf("roadmap (%s): %d %s, %d edges, %d component%s, a guide of %d poses; %lld %s drawn, %lld "
               "tested\n",
               hf_outcome_text(v.outcome), v.node_count, v.postures ? of : "nodes", v.edge_count,
               v.component_count, v.component_count == 1 ? "" : "s", v.guide_count, (long long)v.samples, of,
               (long long)v.tests);
}

/* Options of the command that this kind of scenario has no use for are refused. */
static bool options_fit_kind(const options* o, const hf_scenario* s) {
    bool postures = s->kind == HF_SCENARIO_REACH;
    const char* vain = postures && o->trunk_scale > 0 ? "--trunk-scale"
                       : !postures && o->control      ? "--control"
                                                      : NULL;
    if (vain)
        complain("%s: %s has no use in a scenario of kind \"%s\"", s->path, vain,
                 hf_scenario_kind_text(s->kind));
    return !vain && settings_fit_kind(o, s);
}

int run_roadmap(const options* o) {
    int code;
    if (!o->output || !ends_with(o->output, ".hfr")) {
        complain("roadmap needs -o FILE that ends in .hfr");
        return EXIT_USAGE;
    }
    if (!can_write(o->output)) return EXIT_BAD_INPUT;
    hf_scenario* s = open_scenario_of(o, "roadmap", HF_SCENARIO_PLAN, HF_SCENARIO_REACH, &code);
    if (!s) return code;
    making m = {.scenario = s, .roadmap_wishes = hf_roadmap_options_default()};
    hf_reach_options reach;
    hf_error error = {0};
    code = EXIT_BAD_INPUT;
    bool postures = s->kind == HF_SCENARIO_REACH;
    bool known =
        options_fit_kind(o, s) &&
        (postures ? reach_wishes(o, s, &reach)
                  : plan_wishes(o, s, &m.wishes) && apply_settings(o, s, "roadmap", &m.roadmap_wishes));
    if (known) {
        m.progress = progress_start(o);
        hf_status status =
            postures ? make_postures(s, &reach, &m.progress, &m.roadmap, &error) : make(&m, &error);
        progress_end(&m.progress);
        limit_end();
        if (status == HF_OK) status = hf_roadmap_save(m.roadmap, o->output, &error);
        if (status == HF_OK) say_roadmap(o, m.roadmap, o->output);
        if (status != HF_OK && !error.file[0]) snprintf(error.file, sizeof error.file, "%s", s->path);
        code = status == HF_OK ? EXIT_DONE : fail_with(&error);
    }
    hf_roadmap_free(m.roadmap);
    hf_guide_path_free(&m.guide);
    hf_workspace_free(m.workspace);
    hf_placement_free(m.placement);
    hf_guide_model_free(m.model);
    hf_scenario_free(s);
    return code;
}
