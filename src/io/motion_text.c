/* Pieces of motion and schedule files: poses, normals, claims, outcomes, paths. */
#include "io/motion_text.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <holdfast/motion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 4000, MAX_FOLDERS = 64 };
/* Metres, radians and seconds beyond this are mistakes, and sums of their squares would not stay exact. */
static const double FAR_AWAY = 1e7;

/* ---- reading ---- */

void hf_motion_suggest(hf_json* json, const char* where, const char* what, const char* name,
                       char* const* names, int count) {
    const char* close = hf_nearest_word(name, (const char* const*)names, count);
    if (close)
        hf_json_fail(json, where, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, name, close);
    else
        hf_json_fail(json, where, "unknown %s \"%.60s\"", what, name);
}

/* A unit vector keeps its bits when it is one already; one that is off by more than 1 % is refused. */
static bool to_unit(hf_json* json, const char* where, double* v, int count, const char* what) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += v[i] * v[i];
    double length = sqrt(sum);
    if (!(fabs(length - 1) < 0.01)) {
        hf_json_fail(json, where, "%s is expected", what);
        return false;
    }
    for (int i = 0; i < count && fabs(length - 1) > 1e-9; i++) v[i] /= length;
    return true;
}

bool hf_motion_in_range(hf_json* json, const char* where, const double* v, int count) {
    if (json->status != HF_OK) return false;
    for (int i = 0; i < count; i++)
        if (!(fabs(v[i]) <= FAR_AWAY)) {
            hf_json_fail(json, where, "%g is out of range, at most %g is read", v[i], FAR_AWAY);
            return false;
        }
    return true;
}

void hf_motion_read_point(hf_json* json, const char* where, const json_t* object, const char* key,
                          hf_vec3* point) {
    if (hf_json_vec3(json, where, object, key, true, point))
        hf_motion_in_range(json, where, (double[3]){point->x, point->y, point->z}, 3);
}

void hf_motion_read_normal(hf_json* json, const char* where, const json_t* object, hf_vec3* normal) {
    if (!hf_json_vec3(json, where, object, "normal", true, normal)) return;
    double v[3] = {normal->x, normal->y, normal->z};
    if (to_unit(json, where, v, 3, "\"normal\": a unit vector")) *normal = hf_v3(v[0], v[1], v[2]);
}

bool hf_motion_read_pose7(hf_json* json, const char* where, const json_t* array, hf_transform* pose) {
    double v[7];
    if (!hf_json_numbers(json, where, array, 7, v) || !hf_motion_in_range(json, where, v, 3)) return false;
    if (!to_unit(json, where, v + 3, 4, "a pose with a unit quaternion x y z, w x y z")) return false;
    *pose = (hf_transform){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    return true;
}

void hf_motion_read_path(hf_json* json, const char* key, bool required, char** path) {
    const char* text = NULL;
    if (!hf_json_string(json, "", json->root, key, required, &text)) return;
    if (strlen(text) > MAX_TEXT) {
        hf_json_fail(json, key, "the path is too long");
        return;
    }
    *path = text[0] ? hf_path_beside(json->file, text) : hf_copy_text("");
    if (!*path) json->status = hf_fail_memory(json->error, json->file);
}

/* One folder of a list, behind those before it. */
static void add_folder(hf_json* json, const char* key, const json_t* item, char** folders) {
    const char* text = json_string_value(item);
    if (!text || !text[0] || strlen(text) > MAX_TEXT || strchr(text, '\n')) {
        hf_json_fail(json, key, "a list of folders is expected");
        return;
    }
    char* folder = hf_path_beside(json->file, text);
    size_t size = (*folders ? strlen(*folders) + 1 : 0) + (folder ? strlen(folder) : 0) + 1;
    char* all = folder ? hf_alloc(size, 1) : NULL;
    if (all)
        snprintf(all, size, "%s%s%s", *folders ? *folders : "", *folders ? "\n" : "", folder);
    else
        json->status = hf_fail_memory(json->error, json->file);
    hf_free(folder);
    hf_free(*folders);
    *folders = all;
}

void hf_motion_read_folders(hf_json* json, char** folders) {
    static const char key[] = "package_path";
    json_t* list = NULL;
    if (!hf_json_array(json, "", json->root, key, false, &list)) return;
    if (json_array_size(list) > MAX_FOLDERS) hf_json_fail(json, key, "more than %d folders", MAX_FOLDERS);
    for (size_t i = 0; i < json_array_size(list) && json->status == HF_OK; i++)
        add_folder(json, key, json_array_get(list, i), folders);
}

void hf_motion_read_outcome(hf_json* json, char** outcome) {
    const char *text = hf_outcome_text(HF_FOUND), *known[HF_CANCELLED + 1];
    hf_json_string(json, "", json->root, "outcome", false, &text);
    if (json->status != HF_OK) return;
    bool found = false;
    for (int i = 0; i <= HF_CANCELLED; i++) {
        known[i] = hf_outcome_text((hf_outcome)i);
        found |= strcmp(known[i], text) == 0;
    }
    if (!found)
        hf_motion_suggest(json, "outcome", "outcome", text, (char* const*)known, HF_CANCELLED + 1);
    else if (!(*outcome = hf_copy_text(text)))
        json->status = hf_fail_memory(json->error, json->file);
}

static void suggest_claim(hf_json* json, const char* name) {
    char* names[HF_CLAIM_COUNT];
    for (int i = 0; i < HF_CLAIM_COUNT; i++) names[i] = (char*)hf_claim_text(i);
    hf_motion_suggest(json, "claims", "claim", name, names, HF_CLAIM_COUNT);
}

void hf_motion_read_claims(hf_json* json, unsigned* claims) {
    json_t* list = NULL;
    *claims = HF_CLAIM_ALL;
    if (!hf_json_array(json, "", json->root, "claims", false, &list)) return;
    *claims = 0;
    for (size_t i = 0; i < json_array_size(list) && json->status == HF_OK; i++) {
        const char* name = json_string_value(json_array_get(list, i));
        int claim = 0;
        if (!name) {
            hf_json_fail(json, "claims", "a list of texts is expected");
            return;
        }
        while (claim < HF_CLAIM_COUNT && strcmp(hf_claim_text(claim), name) != 0) claim++;
        if (claim == HF_CLAIM_COUNT)
            suggest_claim(json, name);
        else
            *claims |= 1u << claim;
    }
}

/* ---- writing ---- */

void hf_motion_write_vec3(hf_bytes* out, const char* key, hf_vec3 v) {
    hf_bytes_format(out, ", \"%s\": [", key);
    hf_bytes_numbers(out, (double[3]){v.x, v.y, v.z}, 3, ", ");
    hf_bytes_text(out, "]");
}

void hf_motion_write_pose7(hf_bytes* out, hf_transform p) {
    hf_bytes_text(out, "[");
    hf_bytes_numbers(out,
                     (double[7]){p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x,
                                 p.rotation.y, p.rotation.z},
                     7, ", ");
    hf_bytes_text(out, "]");
}

void hf_motion_write_names(hf_bytes* out, const char* key, char* const* names, int count) {
    hf_bytes_format(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        if (i) hf_bytes_text(out, ", ");
        hf_bytes_quoted(out, names[i]);
    }
    hf_bytes_text(out, "]");
}

static void write_relative(hf_bytes* out, const char* path, const char* target) {
    char* relative = target[0] ? hf_path_relative(path, target) : hf_copy_text("");
    if (relative)
        hf_bytes_path(out, relative);
    else
        out->failed = true;
    hf_free(relative);
}

void hf_motion_write_path(hf_bytes* out, const char* path, const char* key, const char* target) {
    hf_bytes_format(out, ",\n  \"%s\": ", key);
    write_relative(out, path, target);
}

void hf_motion_write_folders(hf_bytes* out, const char* path, const char* folders) {
    char *copy = folders ? hf_copy_text(folders) : NULL, *state = NULL;
    if (!folders) return;
    if (!copy) out->failed = true;
    hf_bytes_text(out, ",\n  \"package_path\": [");
    for (char* folder = copy ? strtok_r(copy, "\n", &state) : NULL; folder;
         folder = strtok_r(NULL, "\n", &state)) {
        if (folder != copy) hf_bytes_text(out, ", ");
        write_relative(out, path, folder);
    }
    hf_bytes_text(out, "]");
    hf_free(copy);
}

void hf_motion_write_claims(hf_bytes* out, unsigned claims) {
    char* names[HF_CLAIM_COUNT];
    int count = 0;
    for (int i = 0; i < HF_CLAIM_COUNT; i++)
        if (claims >> i & 1) names[count++] = (char*)hf_claim_text(i);
    hf_motion_write_names(out, "claims", names, count);
}

/* ---- what could be read back ---- */

bool hf_motion_good_number(double v) { return fabs(v) <= FAR_AWAY; }

bool hf_motion_good_point(hf_vec3 p) {
    return hf_motion_good_number(p.x) && hf_motion_good_number(p.y) && hf_motion_good_number(p.z);
}

bool hf_motion_good_pose(hf_transform p) {
    return hf_motion_good_point(p.position) &&
           isfinite(p.rotation.w + p.rotation.x + p.rotation.y + p.rotation.z);
}
