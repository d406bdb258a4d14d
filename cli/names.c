/* Which file an argument means, and what kind of file it is. */
#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool ends_with(const char* text, const char* ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcasecmp(text + n - m, ending) == 0;
}

/* Is there a file of this type? Nothing else is opened: a pipe would be waited for. */
static bool is_type(const char* path, mode_t type) {
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == type;
}

/* Does a glTF file mention a skin? Then it is a rig, else a scene. */
static bool gltf_has_skin(const char* path) {
    FILE* f = is_type(path, S_IFREG) ? fopen(path, "rb") : NULL;
    if (!f) return false;
    /* Both .gltf and .glb hold their JSON as text; a rig names its skins there, maybe behind large buffers.
     */
    static const char word[] = "\"skins\"";
    static char block[1 << 20];
    size_t kept = 0, n;
    bool found = false;
    while (!found && (n = fread(block + kept, 1, sizeof block - kept, f)) > 0) {
        n += kept;
        found = memmem(block, n, word, sizeof word - 1) != NULL;
        /* The word may lie across two blocks. */
        kept = n < sizeof word - 2 ? n : sizeof word - 2;
        memmove(block, block + n - kept, kept);
    }
    fclose(f);
    return found;
}

static file_kind kind_by_format(const char* path) {
    json_t* root = is_type(path, S_IFREG) ? json_load_file(path, 0, NULL) : NULL;
    const char* format = root ? json_string_value(json_object_get(root, "format")) : NULL;
    file_kind kind = FILE_UNKNOWN;
    if (format && strcmp(format, "holdfast-creature") == 0) kind = FILE_CREATURE;
    if (format && strcmp(format, "holdfast-scenario") == 0) kind = FILE_SCENARIO;
    if (format && strcmp(format, "holdfast-motion") == 0) kind = FILE_MOTION;
    if (format && strcmp(format, "holdfast-schedule") == 0) kind = FILE_SCHEDULE;
    json_decref(root);
    return kind;
}

file_kind kind_of(const char* path) {
    static const struct {
        const char* ending;
        file_kind kind;
    } table[] = {{".creature.json", FILE_CREATURE},
                 {".scenario.json", FILE_SCENARIO},
                 {".motion.json", FILE_MOTION},
                 {".schedule.json", FILE_SCHEDULE},
                 {".urdf", FILE_CREATURE},
                 {".xacro", FILE_CREATURE},
                 {".bvh", FILE_CLIP},
                 {".npy", FILE_CLIP},
                 {".csv", FILE_CLIP},
                 {".obj", FILE_SCENE},
                 {".stl", FILE_SCENE},
                 {".ply", FILE_SCENE},
                 {".dae", FILE_SCENE},
                 {".fbx", FILE_SCENE},
                 {".3ds", FILE_SCENE},
                 {".off", FILE_SCENE},
                 {".hfr", FILE_ROADMAP}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ends_with(path, table[i].ending)) return table[i].kind;
    if (ends_with(path, ".glb") || ends_with(path, ".gltf"))
        return gltf_has_skin(path) ? FILE_CREATURE : FILE_SCENE;
    if (ends_with(path, ".json")) return kind_by_format(path);
    return FILE_UNKNOWN;
}

/* Where shipped data may be: named by the user, installed beside the command, or in the source tree.
   Folder i into path; false when there are no more. An empty path is to be passed over. */
static bool data_folder(int i, char* path, size_t size) {
    path[0] = 0;
    if (i == 0 && getenv("HOLDFAST_DATA")) snprintf(path, size, "%s", getenv("HOLDFAST_DATA"));
    if (i == 1) {
        char self[1024] = "";
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        self[n > 0 ? n : 0] = 0;
        for (int k = 0; k < 2 && strrchr(self, '/'); k++) *strrchr(self, '/') = 0;
        snprintf(path, size, "%s/%s", self, HF_DATA_INSTALLED);
    }
    if (i == 2) snprintf(path, size, "%s", HF_DATA_SOURCE);
    return i < 3;
}

static int compare_names(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

char** list_shipped(const char* folder, const char* ending, int* count) {
    char** names = NULL;
    *count = 0;
    char data[1100], path[1300];
    for (int i = 0; data_folder(i, data, sizeof data); i++) {
        snprintf(path, sizeof path, "%s/%s", data, folder);
        DIR* dir = data[0] ? opendir(path) : NULL;
        if (!dir) continue;
        for (struct dirent* e; (e = readdir(dir));) {
            if (!ends_with(e->d_name, ending)) continue;
            char** more = realloc(names, sizeof *names * (size_t)(*count + 1));
            char* name = strndup(e->d_name, strlen(e->d_name) - strlen(ending));
            if (more) names = more;
            if (!more || !name) {
                free(name);
                break;
            }
            names[(*count)++] = name;
        }
        closedir(dir);
        break;
    }
    if (*count) qsort(names, (size_t)*count, sizeof *names, compare_names);
    return names;
}

void free_names(char** names, int count) {
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
}

char* data_path(const char* inside) {
    char data[1100];
    for (int i = 0; data_folder(i, data, sizeof data); i++) {
        char* path = data[0] ? make_text("%s/%s", data, inside) : NULL;
        if (path && access(path, F_OK) == 0) return path;
        free(path);
    }
    return NULL;
}

/* What is shipped: by kind its folder and the ending of its files. */
static const struct {
    file_kind kind;
    const char *folder, *ending;
} shipped[] = {{FILE_SCENARIO, "scenarios", ".scenario.json"},
               {FILE_CREATURE, "creatures", ".creature.json"},
               {FILE_SCENE, "scenes", ".obj"}};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

static char* shipped_file(const char* name) {
    char* path = NULL;
    for (int k = 0; k < SHIPPED && !path; k++) {
        char* inside = make_text("%s/%s%s", shipped[k].folder, name, shipped[k].ending);
        path = inside ? data_path(inside) : NULL;
        free(inside);
    }
    return path;
}

/* Says which shipped thing of the wanted kind has a name like this one; false when there is none. */
static bool suggest_shipped(const char* argument, file_kind wanted) {
    char* stem = make_text("%.*s", (int)strcspn(argument, "."), argument);
    bool told = false;
    for (int k = 0; k < SHIPPED && stem && !told; k++) {
        if (wanted != FILE_UNKNOWN && wanted != shipped[k].kind) continue;
        int count;
        char** names = list_shipped(shipped[k].folder, shipped[k].ending, &count);
        const char* near = hf_nearest_word(stem, (const char* const*)names, count);
        if (near)
            complain("%s: no such file, and nothing of that name is shipped; did you mean \"%s\"?", argument,
                     near);
        told = near;
        free_names(names, count);
    }
    free(stem);
    return told;
}

static int is_no_folder(const struct dirent* entry) { return entry->d_type != DT_DIR; }

/* Of the files with the same stem, the one whose whole name is nearest. */
static const char* nearest_ending(const char* name, struct dirent** entries, int count) {
    const char** names = calloc((size_t)count + 1, sizeof *names);
    size_t stem = strcspn(name, ".");
    int kept = 0;
    for (int i = 0; i < count && names; i++) {
        const char* other = entries[i]->d_name;
        if (strcspn(other, ".") == stem && strncmp(other, name, stem) == 0) names[kept++] = other;
    }
    const char* near = names ? hf_nearest_word(name, names, kept) : NULL;
    free(names);
    return near;
}

/* Of the files with the same ending (any, where the name has none), the one whose stem is nearest. */
static const char* nearest_stem(const char* name, struct dirent** entries, int count) {
    char** stems = calloc((size_t)count + 1, sizeof *stems);
    const char** names = calloc((size_t)count + 1, sizeof *names);
    size_t stem = strcspn(name, ".");
    char* own = strndup(name, stem);
    int kept = 0;
    for (int i = 0; i < count && stems && names; i++) {
        const char* other = entries[i]->d_name;
        size_t length = strcspn(other, ".");
        if (length == 0 || (name[stem] && strcmp(other + length, name + stem) != 0)) continue;
        names[kept] = other;
        if ((stems[kept] = strndup(other, length))) kept++;
    }
    const char *near = own ? hf_nearest_word(own, (const char*const*)stems, kept) : NULL, *found = NULL;
    for (int i = 0; i < kept && near && !found; i++)
        if (stems[i] == near) found = names[i];
    free_names(stems, kept);
    free(names);
    free(own);
    return found;
}

/* Says which file of the same folder has a name like the missing one; false when there is none. */
static bool suggest_beside(const char* argument) {
    const char* slash = strrchr(argument, '/');
    char folder[1024];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - argument + 1) : 2, slash ? argument : "./");
    struct dirent** entries;
    int count = scandir(folder, &entries, is_no_folder, alphasort);
    if (count < 0) return false;
    const char* name = slash ? slash + 1 : argument;
    const char* near = nearest_ending(name, entries, count);
    if (!near) near = nearest_stem(name, entries, count);
    if (near) complain("%s: no such file; did you mean \"%s%s\"?", argument, slash ? folder : "", near);
    for (int i = 0; i < count; i++) free(entries[i]);
    free(entries);
    return near;
}

/* The argument, or the shipped file that it names. */
static char* shipped_or_path(const char* argument) {
    char* found = NULL;
    /* A folder that happens to have the name of something shipped is not meant. */
    bool there = access(argument, F_OK) == 0 && !is_type(argument, S_IFDIR);
    if (!there && !strchr(argument, '/')) found = shipped_file(argument);
    return found ? found : strdup(argument);
}

/* A word without folder or ending means something shipped, all else a file. */
static void complain_missing(const char* argument, file_kind wanted) {
    bool path = strchr(argument, '/'), word = !path && !strchr(argument, '.');
    bool ships = wanted == FILE_UNKNOWN || wanted == FILE_SCENARIO || wanted == FILE_CREATURE;
    if (word && ships && suggest_shipped(argument, wanted)) return;
    if (suggest_beside(argument)) return;
    if (!path && !word && suggest_shipped(argument, wanted)) return;
    if (word && ships)
        complain("%s: no such file, and nothing of that name is shipped; holdfast info lists what is",
                 argument);
    else
        complain("%s: no such file", argument);
}

char* find_kind(const char* argument, file_kind wanted) {
    char* path = shipped_or_path(argument);
    if (path && access(path, F_OK) == 0) return path;
    int why = path ? errno : ENOMEM;
    free(path);
    if (!argument[0])
        complain("the name of a file is empty");
    else if (why != ENOENT && why != ENOTDIR)
        complain("%s: cannot be opened: %s", argument, strerror(why));
    else
        complain_missing(argument, wanted);
    return NULL;
}

char* find_file(const char* argument) { return find_kind(argument, FILE_UNKNOWN); }

/* The folder of shipped creatures, which scenarios name as the command line does. */
static hf_strings creature_folders(void) {
    static const char* folder; /* found once, kept until the program ends */
    if (!folder) folder = data_path("creatures");
    return (hf_strings){folder ? 1 : 0, &folder};
}

hf_load_options load_options(const options* o) {
    hf_load_options l = hf_load_options_default();
    l.creature_path = creature_folders();
    l.package_path = (hf_strings){o->package_path_count, (const char* const*)o->package_path};
    l.unit_m = o->unit_m;
    return l;
}

const char* kind_text(file_kind kind) {
    static const char* const texts[] = {"a creature", "a scene",    "a clip",    "a scenario",
                                        "a motion",   "a schedule", "a roadmap", "a file of unknown kind"};
    return texts[kind];
}

/* How to get from one kind of file to another. */
static const char* next_step(file_kind kind, file_kind wanted) {
    if (wanted == FILE_MOTION && (kind == FILE_CLIP || kind == FILE_CREATURE))
        return "; holdfast export FILE -o NAME.motion.json makes one of it";
    if (wanted == FILE_MOTION && kind == FILE_SCENARIO)
        return "; holdfast pose, contact or plan with -o DIR makes one";
    if (wanted == FILE_MOTION && kind == FILE_SCHEDULE) return "; holdfast realise makes one of it";
    if (wanted == FILE_SCHEDULE && kind == FILE_SCENARIO)
        return "; holdfast plan or reach with -o DIR makes one";
    if (wanted == FILE_SCENARIO && (kind == FILE_CREATURE || kind == FILE_SCENE || kind == FILE_CLIP))
        return ": a file that names a creature, a scene and what to do (docs/formats.md)";
    return "";
}

bool is_kind(const char* path, file_kind wanted, const char* command_name) {
    file_kind kind = kind_of(path);
    if (kind == wanted || kind == FILE_UNKNOWN) return true;
    complain("%s: is %s, %s needs %s%s", path, kind_text(kind), command_name, kind_text(wanted),
             next_step(kind, wanted));
    return false;
}

/* A .json file that says no kind: it is no JSON, or its "format" is none of Holdfast's. */
static void complain_json(const char* path) {
    json_error_t why;
    if (!is_type(path, S_IFREG)) {
        complain("%s: is not a regular file", path);
        return;
    }
    json_t* root = json_load_file(path, 0, &why);
    const char* format = json_string_value(json_object_get(root, "format"));
    if (!root)
        complain("%s:%d: not valid JSON: %s", path, why.line > 0 ? why.line : 1, why.text);
    else if (!format)
        complain("%s: \"format\" is missing, which says what the file holds: \"holdfast-creature\", "
                 "\"holdfast-scenario\", \"holdfast-motion\" or \"holdfast-schedule\"",
                 path);
    else
        complain("%s: format: \"%s\" is none of \"holdfast-creature\", \"holdfast-scenario\", "
                 "\"holdfast-motion\" and \"holdfast-schedule\"",
                 path, format);
    json_decref(root);
}

void unknown_kind(const char* path) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        complain("%s: is a folder, a file is expected", path);
    else if (ends_with(path, ".json"))
        complain_json(path);
    else
        complain("%s: not a creature (.urdf, .creature.json, a rig as .glb), scene (.obj, .stl, .ply, .dae "
                 "and others), clip (.bvh, .npy, .csv), .scenario.json, .motion.json, .schedule.json or "
                 "roadmap (.hfr)",
                 path);
}

bool make_folder(const char* path) {
    /* The folders above it first; the last one tells what is wrong. */
    char above[1024];
    for (const char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (snprintf(above, sizeof above, "%.*s", (int)(slash - path), path) >= (int)sizeof above) break;
        mkdir(above, 0777);
    }
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        if (!is_type(path, S_IFDIR))
            complain("%s: is not a folder", path);
        else if (access(path, W_OK | X_OK) != 0)
            complain("%s: nothing can be written there: %s", path, strerror(errno));
        else
            return true;
        return false;
    }
    complain("%s: cannot be made: %s", path, strerror(errno));
    return false;
}

char* nameable(const char* path) {
    char* full = realpath(path, NULL);
    json_t* text = full ? json_string(full) : NULL;
    if (!full)
        complain("%s: %s", path, strerror(errno));
    else if (!text)
        complain("%s: the name is not UTF-8 text, so no JSON file can name it; rename the file or its folder",
                 path);
    if (!text) free(full);
    json_decref(text);
    return text ? full : NULL;
}

/* The endings of what commands write into a folder. */
static bool is_file_name(const char* path) {
    static const char* const endings[] = {".json", ".glb", ".png", ".bvh", ".csv", ".npy"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i])) return true;
    return false;
}

bool make_output(const options* o) {
    if (is_file_name(o->output) && !is_folder(o->output)) {
        complain("--output %s: a folder is expected, several files are written there", o->output);
        return false;
    }
    const char* named[] = {o->file, o->creature, o->scene};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (!named[i] || access(named[i], F_OK) != 0) continue; // the name of something shipped
        char* full = nameable(named[i]);
        if (!full) return false;
        free(full);
    }
    return make_folder(o->output);
}

bool is_folder(const char* path) { return is_type(path, S_IFDIR); }

bool can_write(const char* path) {
    const char* slash = strrchr(path, '/');
    char* folder = slash ? make_text("%.*s", slash == path ? 1 : (int)(slash - path), path) : make_text(".");
    bool good = false;
    if (!folder)
        complain("out of memory");
    else if (is_type(path, S_IFDIR))
        complain("%s: is a folder, a file name is expected", path);
    else if (!is_type(folder, S_IFDIR))
        complain("%s: cannot be written: there is no folder %s", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        complain("%s: cannot be written: %s", path, strerror(errno));
    else
        good = true;
    free(folder);
    return good;
}
