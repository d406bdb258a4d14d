/* Scenario files: the top level and what the kinds ask for. */
#include "base/error.h"
#include "base/memory.h"
#include "io/scenario_reader.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static const char* const kind_names[] = {"pose", "contact", "plan", "adapt", "reach"};
enum { KIND_COUNT = 5 };

const char* hf_scenario_kind_text(hf_scenario_kind kind) {
    return (unsigned)kind < KIND_COUNT ? kind_names[kind] : "unknown kind";
}

void hf_scenario_out_of_memory(hf_scenario_reader* r) {
    if (r->json.status == HF_OK) r->json.status = hf_fail_memory(r->json.error, r->path);
}

void* hf_scenario_list(hf_scenario_reader* r, const char* where, size_t count, size_t size) {
    if (r->json.status != HF_OK) return NULL;
    if (count > HF_SCENARIO_MAX_LIST) {
        r->json.status = hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, where,
                                 "has %zu entries, at most %d are read", count, HF_SCENARIO_MAX_LIST);
        return NULL;
    }
    void* items = hf_alloc(count, size);
    if (!items) hf_scenario_out_of_memory(r);
    return items;
}

void hf_scenario_unknown(hf_scenario_reader* r, const char* where, const char* what, const char* name,
                         const char* const* names, int count) {
    const char* near = hf_nearest_word(name, names, count);
    if (near) {
        hf_json_fail(&r->json, where, "unknown %s \"%.60s\"; did you mean \"%.60s\"?", what, name, near);
        return;
    }
    char known[240] = "", more[40] = "";
    int left = 0;
    for (int i = 0; i < count; i++) hf_text_list_add(known, sizeof known, names[i], &left);
    if (left) snprintf(more, sizeof more, " and %d more", left);
    hf_json_fail(&r->json, where, "unknown %s \"%.60s\"%s%s%s", what, name, count ? "; there are " : "",
                 known, more);
}

bool hf_scenario_limb(hf_scenario_reader* r, const char* where, const char* name, int* limb) {
    if (r->json.status != HF_OK) return false;
    *limb = hf_creature_find_limb(r->scenario->creature, name);
    if (*limb >= 0) return true;
    const hf_creature_view* view = hf_creature_get(r->scenario->creature);
    const char** names = hf_alloc((size_t)view->limb_count, sizeof *names);
    for (int i = 0; names && i < view->limb_count; i++) names[i] = view->limbs[i].name;
    if (names)
        hf_scenario_unknown(r, where, "limb", name, names, view->limb_count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
    return false;
}

bool hf_scenario_direction(hf_scenario_reader* r, const char* where, const json_t* object, const char* key,
                           bool required, hf_vec3* direction) {
    hf_vec3 v;
    if (!hf_json_vec3(&r->json, where, object, key, required, &v)) return false;
    /* Scaled first, so that neither huge nor tiny vectors lose their direction. */
    double most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(most > 0)) {
        hf_json_fail(&r->json, where, "\"%s\" is zero, a direction is expected", key);
        return false;
    }
    *direction = hf_normalize(hf_v3(v.x / most, v.y / most, v.z / most));
    return true;
}

static bool is_near(hf_scenario_reader* r, const char* where, hf_vec3 v) {
    if (fabs(v.x) <= HF_SCENARIO_FAR_M && fabs(v.y) <= HF_SCENARIO_FAR_M && fabs(v.z) <= HF_SCENARIO_FAR_M)
        return true;
    hf_json_fail(&r->json, where, "%g %g %g is farther away than %d m", v.x, v.y, v.z, HF_SCENARIO_FAR_M);
    return false;
}

bool hf_scenario_point(hf_scenario_reader* r, const char* where, const json_t* object, const char* key,
                       bool required, hf_vec3* point) {
    return hf_json_vec3(&r->json, where, object, key, required, point) && is_near(r, where, *point);
}

bool hf_scenario_pose7(hf_scenario_reader* r, const char* where, const json_t* array, hf_transform* pose) {
    double v[7];
    if (!hf_json_numbers(&r->json, where, array, 7, v)) return false;
    double length = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    if (!(fabs(length - 1) < 0.01)) {
        hf_json_fail(&r->json, where, "the last four numbers must be a unit quaternion w x y z");
        return false;
    }
    pose->position = hf_v3(v[0], v[1], v[2]);
    pose->rotation = (hf_quat){v[3] / length, v[4] / length, v[5] / length, v[6] / length};
    return is_near(r, where, pose->position);
}

/* ---- Targets of kind pose ---- */

static int find_contact(hf_scenario_reader* r, const char* where, const hf_limb* limb, const char* name) {
    for (int i = 0; i < limb->contact_count; i++)
        if (strcmp(limb->contacts[i].name, name) == 0) return i;
    const char** names = hf_alloc((size_t)limb->contact_count, sizeof *names);
    for (int i = 0; names && i < limb->contact_count; i++) names[i] = limb->contacts[i].name;
    char what[100];
    snprintf(what, sizeof what, "contact of \"%.60s\"", limb->name);
    if (names)
        hf_scenario_unknown(r, where, what, name, names, limb->contact_count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
    return -1;
}

static void read_target(hf_scenario_reader* r, const char* where, const json_t* object, hf_target* target) {
    static const char* const keys[] = {"limb", "point", "normal", "contact", "rotation"};
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 5)) return;
    *target = (hf_target){.kind = HF_TARGET_POSITION, .contact = -1, .rotation = hf_quat_identity()};
    const char *limb = NULL, *contact = NULL;
    if (!hf_json_string(&r->json, where, object, "limb", true, &limb) ||
        !hf_scenario_limb(r, where, limb, &target->limb))
        return;
    const hf_limb* of = &hf_creature_get(r->scenario->creature)->limbs[target->limb];
    if (of->contact_count > 0) target->contact = 0;
    if (hf_json_string(&r->json, where, object, "contact", false, &contact))
        target->contact = find_contact(r, where, of, contact);
    hf_scenario_point(r, where, object, "point", true, &target->point);
    if (hf_scenario_direction(r, where, object, "normal", false, &target->normal))
        target->kind = HF_TARGET_NORMAL;
    if (hf_json_quat(&r->json, where, object, "rotation", &target->rotation)) {
        if (target->kind == HF_TARGET_NORMAL)
            hf_json_fail(&r->json, where, "has both \"normal\" and \"rotation\", one is expected");
        target->kind = HF_TARGET_POSE;
    }
}

static void read_targets(hf_scenario_reader* r) {
    json_t* list = NULL;
    hf_scenario* s = r->scenario;
    if (!hf_json_array(&r->json, "", r->json.root, "targets", true, &list)) return;
    size_t count = json_array_size(list);
    if (count == 0) hf_json_fail(&r->json, "targets", "is empty, at least one target is expected");
    if (count > HF_MAX_TARGETS && r->json.status == HF_OK)
        r->json.status = hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, "targets",
                                 "has %zu entries, at most %d are solved at once", count, HF_MAX_TARGETS);
    s->targets = hf_scenario_list(r, "targets", count, sizeof *s->targets);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "targets[%zu]", i);
        read_target(r, where, json_array_get(list, i), &s->targets[i]);
        s->target_count++;
    }
}

/* ---- Tasks and paths of kind contact ---- */

static void read_role(hf_scenario_reader* r, const char* where, const json_t* object, hf_role* role) {
    const char* text;
    if (!hf_json_string(&r->json, where, object, "role", false, &text)) return;
    int found = hf_role_find(text);
    if (found >= 0) {
        *role = (hf_role)found;
        return;
    }
    const char* names[HF_ROLE_GRIP + 1];
    for (int i = 0; i <= HF_ROLE_GRIP; i++) names[i] = hf_role_text((hf_role)i);
    hf_scenario_unknown(r, where, "role", text, names, HF_ROLE_GRIP + 1);
}

static void read_task_limb(hf_scenario_reader* r, const char* where, const json_t* object, hf_task* task) {
    static const char* const keys[] = {"limb", "role", "direction"};
    hf_task_limb* to = &task->limbs[task->limb_count];
    *to = (hf_task_limb){.role = HF_ROLE_SUPPORT, .direction = task->direction};
    const char* limb = NULL;
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 3)) return;
    if (!hf_json_string(&r->json, where, object, "limb", true, &limb) ||
        !hf_scenario_limb(r, where, limb, &to->limb))
        return;
    read_role(r, where, object, &to->role);
    hf_scenario_direction(r, where, object, "direction", false, &to->direction);
    for (int i = 0; i < task->limb_count; i++)
        if (task->limbs[i].limb == to->limb)
            hf_json_fail(&r->json, where, "limb \"%.60s\" is there twice", limb);
    task->limb_count++;
}

static void read_task(hf_scenario_reader* r, const char* where, const json_t* object, bool named,
                      hf_task* task) {
    static const char* const keys[] = {"direction", "limbs", "name"};
    json_t* limbs = NULL;
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, named ? 3 : 2)) return;
    hf_scenario_direction(r, where, object, "direction", true, &task->direction);
    if (!hf_json_array(&r->json, where, object, "limbs", false, &limbs)) return;
    size_t count = json_array_size(limbs);
    task->limbs = hf_scenario_list(r, where, count, sizeof *task->limbs);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char inner[80];
        snprintf(inner, sizeof inner, "%.40s.limbs[%zu]", where, i);
        read_task_limb(r, inner, json_array_get(limbs, i), task);
    }
}

/* The name becomes a part of a file's name. */
static void read_task_name(hf_scenario_reader* r, const char* where, const json_t* object, int index) {
    hf_scenario* s = r->scenario;
    const char* name = "";
    if (json_is_object(object) && !hf_json_string(&r->json, where, object, "name", true, &name)) return;
    bool good = name[0] && name[0] != '.' && strlen(name) <= 100;
    for (const char* c = name; *c; c++) good = good && *c != '/' && (unsigned char)*c >= 32 && *c != 127;
    if (json_is_object(object) && !good) {
        hf_json_fail(&r->json, where, "\"name\" must be usable in the name of a file");
        return;
    }
    for (int i = 0; i < index && good; i++)
        if (strcmp(s->tasks[i].name, name) == 0)
            hf_json_fail(&r->json, where, "task \"%s\" is there twice", name);
    s->tasks[index].name = hf_copy_text(name);
    if (!s->tasks[index].name) hf_scenario_out_of_memory(r);
}

static void read_tasks(hf_scenario_reader* r) {
    json_t *one = NULL, *list = NULL, *path = json_object_get(r->json.root, "path");
    hf_scenario* s = r->scenario;
    bool single = hf_json_object(&r->json, "", r->json.root, "task", false, &one);
    bool several = hf_json_array(&r->json, "", r->json.root, "tasks", false, &list);
    if (single && several) hf_json_fail(&r->json, "", "has both \"task\" and \"tasks\", one is expected");
    if (!single && !several && !path)
        hf_json_fail(&r->json, "", "\"task\", \"tasks\" or \"path\" is missing");
    if (several && json_array_size(list) == 0) hf_json_fail(&r->json, "tasks", "is empty");
    if (r->json.status != HF_OK || (!single && !several)) return;
    size_t count = single ? 1 : json_array_size(list);
    if (count > HF_SCENARIO_MAX_TASKS) {
        r->json.status = hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, "tasks",
                                 "has %zu entries, at most %d are read", count, HF_SCENARIO_MAX_TASKS);
        return;
    }
    s->tasks = hf_scenario_list(r, "tasks", count, sizeof *s->tasks);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char where[40] = "task";
        const json_t* object = single ? one : json_array_get(list, i);
        if (several) {
            snprintf(where, sizeof where, "tasks[%zu]", i);
            read_task_name(r, where, object, (int)i);
        } else if (!(s->tasks[0].name = hf_copy_text(""))) {
            hf_scenario_out_of_memory(r);
        }
        s->task_count++;
        read_task(r, where, object, several, &s->tasks[i]);
    }
}

static void read_path(hf_scenario_reader* r) {
    json_t* list = NULL;
    hf_scenario* s = r->scenario;
    if (!hf_json_array(&r->json, "", r->json.root, "path", false, &list)) return;
    size_t count = json_array_size(list);
    if (count < 2) hf_json_fail(&r->json, "path", "needs at least two poses");
    s->root_path = hf_scenario_list(r, "path", count, sizeof *s->root_path);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "path[%zu]", i);
        hf_scenario_pose7(r, where, json_array_get(list, i), &s->root_path[i]);
        s->path_count++;
    }
}

/* ---- The whole file ---- */

/* Keys that belong to one kind; the others belong to all. */
static const struct {
    const char* key;
    hf_scenario_kind kind;
} kind_keys[] = {
    {"targets", HF_SCENARIO_POSE}, {"task", HF_SCENARIO_CONTACT},  {"tasks", HF_SCENARIO_CONTACT},
    {"path", HF_SCENARIO_CONTACT}, {"goal", HF_SCENARIO_PLAN},     {"actions", HF_SCENARIO_REACH},
    {"clip", HF_SCENARIO_ADAPT},   {"mapping", HF_SCENARIO_ADAPT}, {"edits", HF_SCENARIO_ADAPT}};
enum { KIND_KEY_COUNT = 9 };

static void read_kind(hf_scenario_reader* r) {
    static const char* const common[] = {"format", "version", "kind",    "creature",
                                         "scene",  "start",   "options", "seed"};
    enum { COMMON_COUNT = 8 };
    const char* text = NULL;
    if (!hf_json_string(&r->json, "", r->json.root, "kind", true, &text)) return;
    int kind = 0;
    while (kind < KIND_COUNT && strcmp(kind_names[kind], text) != 0) kind++;
    if (kind == KIND_COUNT) {
        hf_scenario_unknown(r, "", "kind", text, kind_names, KIND_COUNT);
        return;
    }
    r->scenario->kind = (hf_scenario_kind)kind;
    const char* known[COMMON_COUNT + KIND_KEY_COUNT];
    int count = COMMON_COUNT;
    memcpy(known, common, sizeof common);
    for (int i = 0; i < KIND_KEY_COUNT; i++) {
        if ((int)kind_keys[i].kind == kind)
            known[count++] = kind_keys[i].key;
        else if (json_object_get(r->json.root, kind_keys[i].key))
            hf_json_fail(&r->json, "", "key \"%s\" belongs to kind \"%s\", this is kind \"%s\"",
                         kind_keys[i].key, kind_names[kind_keys[i].kind], text);
    }
    hf_json_keys(&r->json, "", r->json.root, known, count);
}

/* ---- The creature ---- */

/* A name without folder or ending, of a creature file in one of the folders that the options give. */
static bool is_bare_name(const char* text) { return text[0] && !strpbrk(text, "./\\"); }

static char* named_path(const char* folder, const char* name) {
    size_t size = strlen(folder) + strlen(name) + sizeof "/.creature.json";
    char* path = hf_alloc(size, 1);
    if (path) snprintf(path, size, "%s/%s.creature.json", folder, name);
    return path;
}

/* The names of the creature files in a folder. */
static bool list_creatures(const char* folder, hf_lines* names) {
    static const char ending[] = ".creature.json";
    DIR* dir = opendir(folder);
    bool good = true;
    for (struct dirent* e; dir && good && (e = readdir(dir));)
        if (hf_text_ends(e->d_name, ending))
            good = hf_lines_add(names, "%.*s", (int)(strlen(e->d_name) + 1 - sizeof ending), e->d_name);
    if (dir) closedir(dir);
    return good;
}

static void unknown_creature(hf_scenario_reader* r, const char* name, hf_strings folders) {
    hf_lines names = {0};
    bool good = true;
    for (int i = 0; i < folders.count && good; i++) good = list_creatures(folders.items[i], &names);
    if (good)
        hf_scenario_unknown(r, "creature", "creature", name, (const char* const*)names.items, names.count);
    else
        hf_scenario_out_of_memory(r);
    hf_lines_free(&names);
}

/* The file of a creature that is named like those on the command line; NULL after a failure. */
static char* find_creature(hf_scenario_reader* r, const char* name, const hf_load_options* options) {
    hf_strings folders = options ? options->creature_path : (hf_strings){0};
    for (int i = 0; i < folders.count; i++) {
        char* path = named_path(folders.items[i], name);
        if (!path) {
            hf_scenario_out_of_memory(r);
            return NULL;
        }
        if (hf_path_exists(path)) return path;
        hf_free(path);
    }
    unknown_creature(r, name, folders);
    return NULL;
}

static void read_creature(hf_scenario_reader* r, const hf_load_options* options) {
    const char* text = NULL;
    hf_scenario* s = r->scenario;
    if (!hf_json_string(&r->json, "", r->json.root, "creature", true, &text)) return;
    bool searched = is_bare_name(text) && options && options->creature_path.count > 0;
    s->creature_path = searched ? find_creature(r, text, options) : hf_path_beside(r->path, text);
    if (r->json.status != HF_OK) return;
    if (!s->creature_path)
        hf_scenario_out_of_memory(r);
    else
        r->json.status = hf_creature_load(s->creature_path, options, &s->creature, r->json.error);
    hf_error* error = r->json.error;
    if (r->json.status == HF_ERROR_FILE && error && !error->field[0])
        snprintf(error->field, sizeof error->field, "the creature of %.140s", r->path);
}

static void read_states(hf_scenario_reader* r) {
    json_t* object = NULL;
    hf_scenario* s = r->scenario;
    hf_json_object(&r->json, "", r->json.root, "start", false, &object);
    hf_scenario_read_state(r, "start", object, false, &s->start);
    if (s->kind == HF_SCENARIO_PLAN && hf_json_object(&r->json, "", r->json.root, "goal", true, &object))
        hf_scenario_read_state(r, "goal", object, true, &s->goal);
}

/* The file's name without folder and ending. */
static char* stem_of(const char* path, const char* const* endings, int count) {
    char* name = hf_copy_text(hf_path_name(path));
    for (int i = 0; name && i < count; i++) {
        if (!hf_text_ends(name, endings[i])) continue;
        name[strlen(name) - strlen(endings[i])] = 0;
        break;
    }
    return name;
}

static void read_all(hf_scenario_reader* r, const hf_load_options* options) {
    static const char* const endings[] = {".scenario.json", ".json"};
    hf_scenario* s = r->scenario;
    s->name = stem_of(r->path, endings, 2);
    s->path = hf_copy_text(r->path);
    s->seed = 1;
    s->samples = 10000;
    if (!s->name || !s->path) hf_scenario_out_of_memory(r);
    read_kind(r);
    hf_scenario_read_options(r);
    bool adapts = r->json.status == HF_OK && s->kind == HF_SCENARIO_ADAPT;
    if (adapts) hf_scenario_read_clip(r);
    if (s->adapt && !json_object_get(r->json.root, "creature"))
        hf_scenario_own_creature(r);
    else
        read_creature(r, options);
    if (r->json.status == HF_OK) hf_scenario_read_scene(r);
    if (r->json.status == HF_OK) read_states(r);
    if (r->json.status == HF_OK && s->kind == HF_SCENARIO_POSE) read_targets(r);
    if (r->json.status == HF_OK && s->kind == HF_SCENARIO_REACH) hf_scenario_read_reach(r);
    if (r->json.status == HF_OK && s->kind == HF_SCENARIO_CONTACT) {
        read_tasks(r);
        read_path(r);
    }
    if (r->json.status == HF_OK && s->adapt) {
        hf_scenario_read_schedule(r);
        hf_scenario_read_mapping(r);
        hf_scenario_read_edits(r);
    }
}

hf_status hf_scenario_load(const char* path, const hf_load_options* options, hf_scenario** scenario,
                           hf_error* error) {
    HF_REQUIRE(error, path && scenario);
    *scenario = NULL;
    hf_scenario_reader r = {.path = path, .options = options};
    hf_json_load(&r.json, path, "holdfast-scenario", error);
    if (r.json.status == HF_OK && !(r.scenario = hf_alloc(1, sizeof *r.scenario)))
        hf_scenario_out_of_memory(&r);
    if (r.json.status == HF_OK) {
        read_all(&r, options);
        r.scenario->warnings = r.warnings.items;
        r.scenario->warning_count = r.warnings.count;
    }
    hf_status status = r.json.status;
    if (status == HF_OK)
        *scenario = r.scenario;
    else
        hf_scenario_free(r.scenario);
    hf_json_free(&r.json);
    return status;
}

void hf_scenario_free(hf_scenario* s) {
    if (!s) return;
    for (int i = 0; i < s->task_count; i++) {
        hf_free(s->tasks[i].name);
        hf_free(s->tasks[i].limbs);
    }
    for (int i = 0; i < s->weight_count; i++) hf_free(s->weights[i].term);
    for (int i = 0; i < s->option_count; i++) hf_free(s->options[i].name);
    hf_lines_free(&(hf_lines){.count = s->warning_count, .items = s->warnings});
    hf_free(s->name);
    hf_free(s->path);
    hf_free(s->creature_path);
    hf_free(s->start.pose.q);
    hf_free(s->start.contacts);
    hf_free(s->goal.pose.q);
    hf_free(s->goal.contacts);
    hf_free(s->targets);
    hf_free(s->tasks);
    hf_free(s->root_path);
    hf_scenario_free_adapt(s->adapt);
    hf_free(s->weights);
    hf_free(s->options);
    hf_scenario_free_reach(s);
    hf_creature_free(s->creature);
    hf_scene_free(s->scene);
    hf_free(s);
}
