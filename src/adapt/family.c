/* Families of edits: one motion in many scenes, in parallel. Each worker has an editor of its own. */
#include "adapt/editor.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/workspace.h"
#include "model/scene.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIANTS = 100000 };
static const char* const kinds[] = {"height", "scale", "x", "y", "z", "yaw"};

hf_status hf_vary_parse(const char* text, char* name, size_t size, hf_vary* v, hf_error* error) {
    HF_REQUIRE(error, text && name && v);
    const char *equals = strchr(text, '='), *dot = equals;
    while (dot && dot > text && *dot != '.') dot--;
    double count = 0;
    char rest;
    *v = (hf_vary){.object = name, .kind = (hf_vary_kind)-1};
    for (int i = 0; equals && i < (int)(sizeof kinds / sizeof *kinds); i++)
        if (strlen(kinds[i]) == (size_t)(equals - dot - 1) &&
            strncmp(dot + 1, kinds[i], strlen(kinds[i])) == 0)
            v->kind = (hf_vary_kind)i;
    if (!equals || dot == text || (size_t)(dot - text) >= size || (int)v->kind < 0 ||
        sscanf(equals + 1, "%lf:%lf:%lf%c", &v->from, &v->to, &count, &rest) != 3)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "vary",
                       "\"%.100s\" is not OBJECT.height|scale|x|y|z|yaw=FROM:TO:COUNT", text);
    if (!(count >= 1) || count > MAX_VARIANTS || count != floor(count) || !isfinite(v->from) ||
        !isfinite(v->to))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "vary",
                       "\"%.100s\": the count is not 1 to %d, or a value is not finite", text, MAX_VARIANTS);
    v->count = (int)count;
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = 0;
    return HF_OK;
}

typedef struct family {
    const hf_creature* creature;
    const hf_scene* scene;
    const hf_schedule* schedule;
    const hf_adapt_options* options;
    const hf_scene_edit* edits;
    int edit_count;
    const hf_vary* varies;
    int vary_count;
    int count; /* of variants */
    hf_variant* variants;
    hf_adapt_editor** editors;
    hf_workspace** workspaces;
    hf_status* statuses; /* of each variant */
    hf_progress_fn progress;
    void* user;
    pthread_mutex_t asking; /* one worker at a time reports progress */
    int done;               /* variants */
} family;

/* Any worker asks whether the work goes on. */
static bool ask(void* user, double fraction, const char* stage) {
    family* f = user;
    if (!f->progress) return true;
    pthread_mutex_lock(&f->asking);
    bool on = f->progress(f->user, fraction, stage);
    pthread_mutex_unlock(&f->asking);
    return on;
}

/* One more variant is made. */
static void tell(family* f) {
    if (!f->progress) return;
    pthread_mutex_lock(&f->asking);
    f->done++;
    f->progress(f->user, (double)f->done / f->count, "variants");
    pthread_mutex_unlock(&f->asking);
}

/* One vary as an edit of the scene as it is; `vertices` is memory that the edit borrows. */
static hf_status edit_of(const hf_scene* scene, const hf_vary* v, double value, hf_scene_edit* e,
                         float** vertices) {
    int object = hf_scene_find(scene, v->object);
    *e = hf_scene_edit_of(v->object);
    if (object < 0) return HF_OK; // the edit says what is missing
    hf_object_view o = hf_scene_object(scene, object);
    if (v->kind == HF_VARY_SCALE) e->scale = value;
    if (v->kind == HF_VARY_YAW) {
        e->has_rotation = true;
        e->rotation = hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 0, 1), value), o.start.rotation);
    }
    if (v->kind >= HF_VARY_X && v->kind <= HF_VARY_Z) {
        e->has_position = true;
        e->position =
            hf_add(o.start.position, hf_v3(v->kind == HF_VARY_X ? value : 0, v->kind == HF_VARY_Y ? value : 0,
                                           v->kind == HF_VARY_Z ? value : 0));
    }
    if (v->kind != HF_VARY_HEIGHT) return HF_OK;
    *vertices = hf_alloc(3 * (size_t)o.mesh.vertex_count, sizeof **vertices);
    if (!*vertices) return HF_ERROR_MEMORY;
    for (int i = 0; i < 3 * o.mesh.vertex_count; i++)
        (*vertices)[i] = (float)((double)o.mesh.vertices[i] * (i % 3 == 2 ? value : 1));
    e->vertices = *vertices;
    e->vertex_count = o.mesh.vertex_count;
    return HF_OK;
}

static hf_status make_variant(family* f, int index, int worker) {
    hf_variant* v = &f->variants[index];
    hf_adapt_editor* e = f->editors[worker];
    hf_status status = hf_adapt_editor_edit(e, f->edits, f->edit_count, NULL);
    int steps = status == HF_OK;
    for (int i = 0; i < f->vary_count && status == HF_OK; i++) {
        hf_scene_edit edit;
        float* vertices = NULL;
        status = edit_of(hf_adapt_editor_scene(e), &f->varies[i], v->values[i], &edit, &vertices);
        if (status == HF_OK) status = hf_adapt_editor_edit(e, &edit, 1, NULL);
        steps += status == HF_OK;
        hf_free(vertices);
    }
    if (status == HF_OK) status = hf_adapt_editor_update(e, f->workspaces[worker], &v->schedule, &v->result);
    if (status == HF_OK) status = hf_scene_change(hf_adapt_editor_scene(e), NULL, 0, &v->scene, NULL);
    bool undone;
    for (int i = 0; i < steps; i++) hf_adapt_editor_undo(e, &undone);
    return status;
}

static void work(void* context, int index, int worker) {
    family* f = context;
    if (!f->editors[worker] || !hf_workspace_goes_on(f->workspaces[worker])) {
        f->variants[index].result.outcome = HF_CANCELLED;
        return;
    }
    f->statuses[index] = make_variant(f, index, worker);
    tell(f);
}

void hf_variants_free(hf_variant* variants, int count) {
    for (int i = 0; variants && i < count; i++) {
        hf_free(variants[i].values);
        hf_scene_free(variants[i].scene);
        hf_schedule_free(variants[i].schedule);
        hf_adapt_result_free(&variants[i].result);
    }
    hf_free(variants);
}

static hf_status make_workers(family* f, int workers, hf_error* error) {
    hf_status status = HF_OK;
    hf_adapt_options own = f->options ? *f->options : hf_adapt_options_default();
    own.threads = 1;
    for (int i = 0; i < workers && status == HF_OK; i++) {
        status = hf_fail_status(error, hf_workspace_create(&f->workspaces[i]), NULL);
        if (status != HF_OK) break;
        hf_workspace_watch(f->workspaces[i], ask, f);
        status = hf_adapt_editor_create(f->creature, f->scene, f->schedule, &own, f->workspaces[i],
                                        &f->editors[i], error);
    }
    return status;
}

/* Names and numbers of all edits are judged once, with a message. */
static hf_status judge_varies(const family* f, hf_error* error) {
    hf_scene* scene = NULL;
    hf_status status = hf_scene_change(f->scene, f->edits, f->edit_count, &scene, error);
    for (int i = 0; i < f->vary_count && status == HF_OK; i++) {
        const hf_vary* v = &f->varies[i];
        int object = hf_scene_find(scene, v->object);
        if (object < 0)
            status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "vary", "the scene has no object \"%.100s\"",
                             v->object);
        else if (v->kind >= HF_VARY_X && hf_scene_object(scene, object).key_count)
            status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "vary",
                             "object \"%.100s\" follows keys: its place cannot be varied", v->object);
        else if (v->kind <= HF_VARY_SCALE && !(v->from > 0 && v->to > 0))
            status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "vary",
                             "object \"%.100s\": %s is from %g to %g, above 0 is accepted", v->object,
                             kinds[v->kind], v->from, v->to);
    }
    hf_scene_free(scene);
    return status;
}

/* The values of a variant: the last vary is the fastest. */
static hf_status count_out(const family* f, int index, hf_error* error) {
    double* values = f->variants[index].values = hf_alloc((size_t)f->vary_count + 1, sizeof *values);
    if (!values) return hf_fail_memory(error, NULL);
    for (int i = f->vary_count - 1; i >= 0; i--) {
        const hf_vary* v = &f->varies[i];
        int at = index % v->count;
        index /= v->count;
        values[i] = v->count > 1 ? v->from + (v->to - v->from) * at / (v->count - 1) : v->from;
    }
    return HF_OK;
}

static hf_status run(family* f, int workers, hf_error* error) {
    hf_status status = judge_varies(f, error);
    if (status == HF_OK) status = make_workers(f, workers, error);
    for (int i = 0; i < f->count && status == HF_OK; i++) status = count_out(f, i, error);
    if (status != HF_OK) return status;
    hf_parallel(workers, f->count, work, f);
    for (int i = 0; i < f->count && status == HF_OK; i++)
        status = hf_fail_status(error, f->statuses[i], NULL);
    return status;
}

hf_status hf_adapt_family(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                          const hf_adapt_options* options, const hf_scene_edit* edits, int edit_count,
                          const hf_vary* varies, int vary_count, int threads, hf_progress_fn progress,
                          void* user, hf_variant** variants, int* count, hf_error* error) {
    HF_REQUIRE(error, creature && scene && schedule && variants && count && (varies || vary_count <= 0) &&
                          (edits || edit_count <= 0));
    *variants = NULL, *count = 0;
    double all = 1;
    for (int i = 0; i < vary_count; i++) all *= varies[i].count;
    if (vary_count > HF_MAX_VARIES || !(all >= 1) || all > MAX_VARIANTS)
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, "vary",
                       "%g variants of %d varies: 1 to %d of at most %d are accepted", all, vary_count,
                       MAX_VARIANTS, HF_MAX_VARIES);
    int n = (int)all, workers = hf_parallel_workers(threads);
    if (workers > n) workers = n;
    family f = {.creature = creature,
                .scene = scene,
                .schedule = schedule,
                .options = options,
                .edits = edits,
                .edit_count = edit_count,
                .varies = varies,
                .vary_count = vary_count,
                .count = n,
                .progress = progress,
                .user = user,
                .asking = PTHREAD_MUTEX_INITIALIZER};
    f.variants = hf_alloc((size_t)n, sizeof *f.variants);
    f.editors = hf_alloc((size_t)workers, sizeof *f.editors);
    f.workspaces = hf_alloc((size_t)workers, sizeof *f.workspaces);
    f.statuses = hf_alloc((size_t)n, sizeof *f.statuses);
    hf_status status =
        f.variants && f.editors && f.workspaces && f.statuses ? HF_OK : hf_fail_memory(error, NULL);
    if (status == HF_OK) status = run(&f, workers, error);
    for (int i = 0; i < workers && f.editors && f.workspaces; i++) {
        hf_adapt_editor_free(f.editors[i]);
        hf_workspace_free(f.workspaces[i]);
    }
    hf_free(f.editors);
    hf_free(f.workspaces);
    hf_free(f.statuses);
    if (status == HF_OK)
        *variants = f.variants, *count = n;
    else
        hf_variants_free(f.variants, f.variants ? n : 0);
    return status;
}
