#include "io/package_path.h"
#include "base/memory.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A search: the package's name, the rest of the name, and what was found. */
typedef struct search {
    const char* package;
    size_t package_length;
    const char* rest;
    hf_lines* used; /* folders of search paths that served */
    char* found;
    hf_status status;
} search;

static bool is_file(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Tries folder/[package/]rest; true ends the search. */
static bool try_folder(search* s, const char* folder, size_t length, bool with_package) {
    size_t size = length + s->package_length + strlen(s->rest) + 3;
    char* path = hf_alloc(size, 1);
    if (!path) {
        s->status = HF_ERROR_MEMORY;
        return true;
    }
    snprintf(path, size, "%.*s%s%.*s%s%s", (int)length, folder,
             length > 0 && folder[length - 1] != '/' ? "/" : "", with_package ? (int)s->package_length : 0,
             s->package, with_package ? "/" : "", s->rest);
    if (is_file(path)) {
        s->found = path;
        s->status = HF_OK;
        return true;
    }
    hf_free(path);
    return false;
}

static bool add_used(hf_lines* used, const char* folder, size_t length) {
    for (int i = 0; i < used->count; i++)
        if (strlen(used->items[i]) == length && memcmp(used->items[i], folder, length) == 0) return true;
    return hf_lines_add(used, "%.*s", (int)length, folder);
}

/* A folder of a search path may hold the package or be the package. */
static bool try_both(search* s, const char* folder, size_t length) {
    if (length == 0 || (!try_folder(s, folder, length, true) && !try_folder(s, folder, length, false)))
        return false;
    if (s->status == HF_OK && !add_used(s->used, folder, length)) s->status = HF_ERROR_MEMORY;
    return true;
}

static bool try_environment(search* s, const char* variable) {
    const char* list = getenv(variable);
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (try_both(s, list, length)) return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* Walks up from the file: first folders that hold the package by its name, then folders that hold the
   rest of the name whatever they are called. */
static bool try_ancestors(search* s, const char* from_file) {
    char folder[PATH_MAX];
    size_t length = hf_path_folder_length(from_file);
    if (length >= sizeof folder) return false;
    char given[PATH_MAX] = ".";
    if (length > 0) memcpy(given, from_file, length);
    if (length > 0) given[length] = 0;
    if (!realpath(given, folder)) return false;
    for (int with_package = 1; with_package >= 0; with_package--) {
        for (size_t n = strlen(folder); n > 0;) {
            if (try_folder(s, folder, n, with_package)) return true;
            while (n > 0 && folder[n - 1] != '/') n--;
            while (n > 1 && folder[n - 1] == '/') n--;
            if (n == 1) {
                if (try_folder(s, folder, n, with_package)) return true;
                break;
            }
        }
    }
    return false;
}

/* The text after a scheme such as "package://", or NULL. */
static const char* after(const char* name, const char* scheme) {
    size_t n = strlen(scheme);
    return strncmp(name, scheme, n) == 0 ? name + n : NULL;
}

hf_status hf_package_resolve(const char* name, const char* from_file, const hf_load_options* options,
                             hf_lines* used, char** path) {
    *path = NULL;
    const char* rest = after(name, "package://");
    if (!rest) rest = after(name, "model://");
    if (!rest) {
        const char* plain = after(name, "file://");
        *path = hf_path_beside(from_file, plain ? plain : name);
        if (!*path) return HF_ERROR_MEMORY;
        if (is_file(*path)) return HF_OK;
        hf_free(*path);
        *path = NULL;
        return HF_ERROR_FILE;
    }
    const char* slash = strchr(rest, '/');
    if (!slash || strlen(rest) > 4096) return HF_ERROR_FILE;
    search s = {rest, (size_t)(slash - rest), slash + 1, used, NULL, HF_ERROR_FILE};
    bool ended = false;
    for (int i = 0; options && i < options->package_path.count && !ended; i++)
        ended = try_both(&s, options->package_path.items[i], strlen(options->package_path.items[i]));
    if (!ended && !try_environment(&s, "HOLDFAST_PACKAGE_PATH") && !try_environment(&s, "ROS_PACKAGE_PATH"))
        try_ancestors(&s, from_file);
    if (s.status != HF_OK) hf_free(s.found);
    *path = s.status == HF_OK ? s.found : NULL;
    return s.status;
}
