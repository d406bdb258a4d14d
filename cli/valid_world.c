/* Creatures, scenes and sample sets of bench valid. */
#include "valid_world.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Postures of a sample set; each size has a seed of its own. */
static const int sizes[VALID_SIZES] = {100, 1000, 10000};
/* Distance grids are made for this epsilon, m: larger ones use the triangles themselves, so both ways are
   asked. */
static const double GRID_EPSILON_M = 0.02;

static hf_status no_memory(hf_error* error) {
    *error = (hf_error){.status = HF_ERROR_MEMORY, .message = "out of memory"};
    return HF_ERROR_MEMORY;
}

/* ---- creatures ---- */

static hf_status add_creature(valid_world* w, const char* path, const hf_load_options* load, bool others,
                              hf_error* error) {
    valid_creature* more = realloc(w->creatures, sizeof *more * (size_t)(w->creature_count + 1));
    if (!more) return no_memory(error);
    w->creatures = more;
    valid_creature* v = &more[w->creature_count];
    *v = (valid_creature){.others = others};
    hf_status status = hf_creature_load(path, load, &v->creature, error);
    if (status != HF_OK) return status;
    w->creature_count++;
    const hf_creature_view* c = hf_creature_get(v->creature);
    const char* slash = strrchr(path, '/');
    v->name = strdup(others ? slash ? slash + 1 : path : c->name);
    v->limbs = calloc((size_t)c->limb_count + 1, sizeof *v->limbs);
    v->sets = calloc((size_t)c->limb_count + 1, sizeof *v->sets);
    if (!v->name || !v->limbs || !v->sets) return no_memory(error);
    for (int l = 0; l < c->limb_count; l++)
        if (c->limbs[l].use && c->limbs[l].contact_count > 0) v->limbs[v->limb_count++] = l;
    // a creature without any limb (a glTF skin of odd shape) has nothing to ask
    if (v->limb_count) return HF_OK;
    w->creature_count--;
    hf_creature_free(v->creature);
    free(v->name);
    free(v->limbs);
    free(v->sets);
    return HF_OK;
}

const hf_samples* const* valid_world_sets(valid_world* world, int creature, int limb, int size,
                                          hf_error* error) {
    valid_creature* v = &world->creatures[creature];
    const hf_limb* l = &hf_creature_get(v->creature)->limbs[limb];
    hf_status status = HF_OK;
    pthread_mutex_lock(&world->building);
    if (!v->sets[limb]) v->sets[limb] = calloc(VALID_SIZES, sizeof *v->sets[limb]);
    if (v->sets[limb] && !v->sets[limb][size]) {
        hf_samples** sets = calloc((size_t)l->contact_count + 1, sizeof *sets);
        hf_sample_options so = hf_sample_options_default();
        so.count = sizes[size];
        so.seed = (uint64_t)(size + 1);
        so.threads = 1;
        for (int k = 0; sets && k < l->contact_count && status == HF_OK; k++) {
            so.contact = k;
            status = hf_samples_build(v->creature, limb, &so, &sets[k], error);
        }
        v->sets[limb][size] = sets;
    }
    const hf_samples* const* sets = v->sets[limb] ? (const hf_samples* const*)v->sets[limb][size] : NULL;
    if (!sets) no_memory(error);
    pthread_mutex_unlock(&world->building);
    return status == HF_OK ? sets : NULL;
}

static void free_creature(valid_creature* v) {
    int limbs = v->creature ? hf_creature_get(v->creature)->limb_count : 0;
    for (int l = 0; v->sets && l < limbs; l++) {
        for (int s = 0; v->sets[l] && s < VALID_SIZES; s++) {
            for (int k = 0; v->sets[l][s] && k < hf_creature_get(v->creature)->limbs[l].contact_count; k++)
                hf_samples_free(v->sets[l][s][k]);
            free(v->sets[l][s]);
        }
        free(v->sets[l]);
    }
    free(v->sets);
    free(v->limbs);
    free(v->name);
    hf_creature_free(v->creature);
}

/* ---- scenes ---- */

/* Sums of areas, to choose triangles by. */
static hf_status measure_scene(valid_scene* v, hf_error* error) {
    int count = hf_scene_object_count(v->scene);
    for (int i = 0; i < count; i++) {
        hf_object_view o = hf_scene_object(v->scene, i);
        v->triangle_count += o.mesh.triangle_count;
        v->grips |= o.grip;
    }
    v->areas = calloc((size_t)v->triangle_count + 1, sizeof *v->areas);
    if (!v->areas) return no_memory(error);
    double sum = 0;
    int next = 0;
    for (int i = 0; i < count; i++) {
        hf_mesh m = hf_scene_object(v->scene, i).mesh;
        for (int t = 0; t < m.triangle_count; t++) {
            hf_vec3 p[3];
            for (int k = 0; k < 3; k++) {
                const float* at = m.vertices + 3 * m.indices[3 * t + k];
                p[k] = hf_v3((double)at[0], (double)at[1], (double)at[2]);
            }
            sum += hf_length(hf_cross(hf_sub(p[1], p[0]), hf_sub(p[2], p[0]))) / 2;
            v->areas[next++] = sum;
        }
    }
    return hf_placement_create(v->scene, &v->placement) == HF_OK ? HF_OK : no_memory(error);
}

static hf_status add_scene(valid_world* w, const char* path, const hf_load_options* load, bool others,
                           hf_error* error) {
    valid_scene* more = realloc(w->scenes, sizeof *more * (size_t)(w->scene_count + 1));
    if (!more) return no_memory(error);
    w->scenes = more;
    valid_scene* v = &more[w->scene_count];
    *v = (valid_scene){.others = others};
    hf_status status = others ? hf_scene_load_mesh(path, &v->scene, NULL, error)
                              : hf_scenario_load(path, load, &v->scenario, error);
    if (status != HF_OK) return status;
    if (v->scenario && v->scenario->kind != HF_SCENARIO_CONTACT) {
        hf_scenario_free(v->scenario);
        return HF_OK;
    }
    w->scene_count++;
    if (v->scenario) v->scene = v->scenario->scene;
    const char* slash = strrchr(path, '/');
    v->name = strdup(others ? slash ? slash + 1 : path : v->scenario->name);
    if (!v->name) return no_memory(error);
    status = hf_scene_prepare(v->scene, GRID_EPSILON_M, 1, error);
    return status == HF_OK ? measure_scene(v, error) : status;
}

static void free_scene(valid_scene* v) {
    hf_placement_free(v->placement);
    if (v->scenario)
        hf_scenario_free(v->scenario);
    else
        hf_scene_free(v->scene);
    free(v->areas);
    free(v->name);
}

/* ---- folders ---- */

typedef hf_status add_fn(valid_world* w, const char* path, const hf_load_options* load, bool others,
                         hf_error* error);

/* Every file of this kind in a folder and those in it, in the order of their names. */
static hf_status add_folder(valid_world* w, const char* folder, file_kind kind, add_fn* add,
                            const hf_load_options* load, hf_error* error) {
    struct dirent** entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    hf_status status = HF_OK;
    for (int i = 0; i < count; i++) {
        char* path = make_text("%s/%s", folder, entries[i]->d_name);
        bool dots = entries[i]->d_name[0] == '.';
        if (!path) status = no_memory(error);
        if (status == HF_OK && !dots && entries[i]->d_type == DT_DIR)
            status = add_folder(w, path, kind, add, load, error);
        else if (status == HF_OK && !dots && kind_of(path) == kind)
            status = add(w, path, load, true, error);
        free(path);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return status;
}

static hf_status add_shipped(valid_world* w, const char* folder, const char* ending, add_fn* add,
                             const hf_load_options* load, hf_error* error) {
    int count;
    char** names = list_shipped(folder, ending, &count);
    hf_status status = HF_OK;
    for (int i = 0; i < count && status == HF_OK; i++) {
        char* inside = make_text("%s/%s%s", folder, names[i], ending);
        char* path = inside ? data_path(inside) : NULL;
        free(inside);
        status = path ? add(w, path, load, false, error) : no_memory(error);
        free(path);
    }
    free_names(names, count);
    return status;
}

hf_status valid_world_load(const options* o, const char* folder, valid_world* world, hf_error* error) {
    *world = (valid_world){0};
    pthread_mutex_init(&world->building, NULL);
    hf_load_options load = load_options(o);
    hf_status status = add_shipped(world, "creatures", ".creature.json", add_creature, &load, error);
    if (status == HF_OK) status = add_shipped(world, "scenarios", ".scenario.json", add_scene, &load, error);
    static const struct {
        const char* folder;
        file_kind kind;
        add_fn* add;
    } parts[] = {{"robots", FILE_CREATURE, add_creature},
                 {"gltf", FILE_CREATURE, add_creature},
                 {"scenes", FILE_SCENE, add_scene}};
    for (int i = 0; i < 3 && folder && status == HF_OK; i++) {
        char* path = make_text("%s/%s", folder, parts[i].folder);
        status = path ? add_folder(world, path, parts[i].kind, parts[i].add, &load, error) : no_memory(error);
        free(path);
    }
    return status;
}

void valid_world_free(valid_world* world) {
    for (int i = 0; i < world->creature_count; i++) free_creature(&world->creatures[i]);
    for (int i = 0; i < world->scene_count; i++) free_scene(&world->scenes[i]);
    free(world->creatures);
    free(world->scenes);
    pthread_mutex_destroy(&world->building);
}
