/* holdfast roadmap: a roadmap of a scenario's creature and scene, with the way from its start to its goal,
   kept in a file for later plans. */
#include "command.h"

#include <stdio.h>

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

void say_roadmap(const options* o, const hf_roadmap* roadmap, const char* path) {
    hf_roadmap_view v = hf_roadmap_get(roadmap);
    if (o->json)
        print_json(json_pack("{s:s,s:o,s:s,s:i,s:i,s:i,s:i,s:I,s:I}", "kind", "roadmap", "file",
                             json_text(path), "outcome", hf_outcome_text(v.outcome), "nodes", v.node_count,
                             "edges", v.edge_count, "components", v.component_count, "guide_poses",
                             v.guide_count, "samples", (json_int_t)v.samples, "tests", (json_int_t)v.tests));
    else
        printf(
            "roadmap (%s): %d nodes, %d edges, %d component%s, a guide of %d poses; %lld poses drawn, %lld "
            "tested\n",
            hf_outcome_text(v.outcome), v.node_count, v.edge_count, v.component_count,
            v.component_count == 1 ? "" : "s", v.guide_count, (long long)v.samples, (long long)v.tests);
}

int run_roadmap(const options* o) {
    int code;
    if (!o->output || !ends_with(o->output, ".hfr")) {
        complain("roadmap needs -o FILE that ends in .hfr");
        return EXIT_USAGE;
    }
    if (!can_write(o->output)) return EXIT_BAD_INPUT;
    hf_scenario* s = open_scenario(o, "roadmap", HF_SCENARIO_PLAN, &code);
    if (!s) return code;
    making m = {.scenario = s, .roadmap_wishes = hf_roadmap_options_default()};
    hf_error error = {0};
    code = EXIT_BAD_INPUT;
    if (plan_wishes(o, s, &m.wishes) && apply_settings(o, s, "roadmap", &m.roadmap_wishes)) {
        m.progress = progress_start(o);
        hf_status status = make(&m, &error);
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
