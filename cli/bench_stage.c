/* Scenarios as the benchmarks of contact queries use them. */
#include "bench_stage.h"

#include <stdlib.h>

/* Roots are shifted by up to this share of the creature's height, so that no two are the same. */
static const double SHIFT = 0.03;

hf_status bench_stage_open(const options* o, const char* name, bench_stage* stage, hf_error* error) {
    *stage = (bench_stage){0};
    *error = (hf_error){0};
    hf_load_options load = load_options(o);
    hf_scenario* s = NULL;
    char* inside = make_text("scenarios/%s.scenario.json", name);
    char* path = inside ? data_path(inside) : NULL;
    hf_status status = path ? hf_scenario_load(path, &load, &s, error) : HF_ERROR_MEMORY;
    free(inside);
    free(path);
    if (status != HF_OK) return keep_kind(error, status);
    if (s->kind != HF_SCENARIO_CONTACT || !s->task_count) {
        hf_scenario_free(s);
        return HF_OK;
    }
    stage->scenario = s;
    *error = (hf_error){0};
    status = hf_placement_create(s->scene, &stage->placement);
    if (status == HF_OK) status = hf_workspace_create(&stage->workspace);
    if (status == HF_OK) status = hf_contact_answer_create(s->creature, 2, &stage->answer);
    return keep_kind(error, status);
}

void bench_stage_close(bench_stage* stage) {
    hf_contact_answer_free(stage->answer);
    hf_workspace_free(stage->workspace);
    hf_placement_free(stage->placement);
    hf_scenario_free(stage->scenario);
    *stage = (bench_stage){0};
}

/* A number in [0, 1) that depends on where it is asked for alone. */
static double part(int round, int which) {
    uint64_t z = (uint64_t)round * 0x9e3779b97f4a7c15u + (uint64_t)which * 0xd1342543de82ef95u + 1;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

hf_transform bench_stage_root(const bench_stage* stage, int round) {
    const hf_scenario* s = stage->scenario;
    hf_transform root = s->start.pose.root;
    if (s->path_count > 1) {
        double at = part(round, 0) * (s->path_count - 1);
        const hf_transform *from = &s->root_path[(int)at], *to = from + 1;
        root.position = hf_lerp(from->position, to->position, at - (int)at);
        root.rotation = hf_quat_slerp(from->rotation, to->rotation, at - (int)at);
    }
    double shift = SHIFT * hf_creature_get(s->creature)->height;
    root.position.x += shift * (2 * part(round, 1) - 1);
    root.position.y += shift * (2 * part(round, 2) - 1);
    root.position.z += shift * part(round, 3);
    return root;
}

bool bench_stage_asks(const bench_stage* stage, const hf_task* task, int limb, hf_task_limb* out) {
    const hf_limb* l = &hf_creature_get(stage->scenario->creature)->limbs[limb];
    if (!l->contact_count || !l->joint_count) return false;
    for (int i = 0; i < task->limb_count; i++)
        if (task->limbs[i].limb == limb) {
            *out = task->limbs[i];
            return true;
        }
    *out = (hf_task_limb){limb, HF_ROLE_SUPPORT, task->direction};
    return !task->limb_count && l->use;
}
