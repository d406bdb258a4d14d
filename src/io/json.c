#include "io/json.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hf_status hf_json_fail(hf_json* json, const char* where, const char* why, ...) {
    if (json->status != HF_OK) return json->status;
    char text[480];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    return json->status =
               hf_fail(json->error, HF_ERROR_FORMAT, json->file, 0, where[0] ? where : NULL, "%s", text);
}

/* jansson drops a character, or calls a token bad, where an allocation fails inside it. errno tells, until
   the next number resets it, so the text is handed over byte by byte and errno looked at each time. */
typedef struct feed {
    const char *next, *end;
    bool out_of_memory;
} feed;

static size_t feed_byte(void* buffer, size_t size, void* user) {
    feed* f = user;
    if (errno == ENOMEM) f->out_of_memory = true;
    if (f->out_of_memory || f->next == f->end || size == 0) return 0;
    *(char*)buffer = *f->next++;
    return 1;
}

/* What is wrong with text that is no JSON, where that is one of the usual things: the file is empty or XML,
   or a comma has nothing behind it. Else what jansson says. */
static const char* plain_reason(const char* bytes, size_t size, const json_error_t* why) {
    size_t first = 0, at = why->position > 0 && (size_t)why->position <= size ? (size_t)why->position : size;
    while (first < size && strchr(" \t\r\n", bytes[first])) first++;
    if (first == size) return "the file is empty";
    if (bytes[first] == '<') return "the file is XML";
    if (!strstr(why->text, "near ']'") && !strstr(why->text, "near '}'")) return NULL;
    while (at > 0 && strchr(" \t\r\n]}", bytes[at - 1])) at--;
    return at > 0 && bytes[at - 1] == ',' ? "a comma has nothing behind it" : NULL;
}

static hf_status fail_parse(hf_json* json, const char* bytes, size_t size, const json_error_t* why) {
    const char* reason = plain_reason(bytes, size, why);
    return hf_fail(json->error, HF_ERROR_FORMAT, json->file, why->line > 0 ? why->line : 0, NULL,
                   "not valid JSON: %s", reason ? reason : why->text);
}

hf_status hf_json_parse(hf_json* json, const char* bytes, size_t size) {
    json_error_t why = {.line = 0};
    /* Some editors begin a file with a byte order mark. */
    size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    feed f = {.next = bytes + mark, .end = bytes + size};
    errno = 0;
    json->root = json_load_callback(feed_byte, &f, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
    if (f.out_of_memory || errno == ENOMEM || (!json->root && !why.text[0])) {
        hf_json_free(json);
        return json->status = hf_fail_memory(json->error, json->file);
    }
    if (!json->root) return json->status = fail_parse(json, bytes + mark, size - mark, &why);
    if (!json_is_object(json->root)) return hf_json_fail(json, "", "a JSON object is expected");
    return HF_OK;
}

hf_status hf_json_load(hf_json* json, const char* file, const char* format, hf_error* error) {
    *json = (hf_json){.file = file, .error = error};
    char* bytes;
    size_t size;
    hf_status status = hf_file_read(file, &bytes, &size, error);
    if (status != HF_OK) return json->status = status;
    status = hf_json_parse(json, bytes, size);
    hf_free(bytes);
    if (status != HF_OK) return status;
    if (!format) return HF_OK;
    const char* found = NULL;
    double version = 1;
    hf_json_string(json, "", json->root, "format", true, &found);
    hf_json_number(json, "", json->root, "version", true, &version);
    if (json->status == HF_OK && strcmp(found, format) != 0)
        hf_json_fail(json, "format", "is \"%.60s\", \"%s\" is expected", found, format);
    if (json->status == HF_OK && version != 1)
        hf_json_fail(json, "version", "is %g, this program reads 1", version);
    return json->status;
}

void hf_json_free(hf_json* json) {
    if (json->root) json_decref(json->root);
    json->root = NULL;
}

bool hf_json_keys(hf_json* json, const char* where, const json_t* object, const char* const* keys,
                  int count) {
    const char* key;
    json_t* value;
    json_object_foreach((json_t*)object, key, value) {
        bool known = false;
        for (int i = 0; i < count && !known; i++) known = strcmp(key, keys[i]) == 0;
        if (known) continue;
        const char* near = hf_nearest_word(key, keys, count);
        hf_json_fail(json, where,
                     near ? "unknown key \"%.60s\"; did you mean \"%s\"?" : "unknown key \"%.60s\"", key,
                     near);
        return false;
    }
    return json->status == HF_OK;
}

/* The member, or NULL when it is absent (a failure when required) or something failed before. */
static json_t* member(hf_json* json, const char* where, const json_t* object, const char* key,
                      bool required) {
    if (json->status != HF_OK) return NULL;
    json_t* value = json_object_get(object, key);
    if (!value && required) hf_json_fail(json, where, "\"%s\" is missing", key);
    return value;
}

static bool wrong(hf_json* json, const char* where, const char* key, const char* expected) {
    hf_json_fail(json, where, "\"%s\": %s is expected", key, expected);
    return false;
}

bool hf_json_string(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                    const char** value) {
    json_t* v = member(json, where, object, key, required);
    if (!v) return false;
    if (!json_is_string(v)) return wrong(json, where, key, "a text");
    if (strlen(json_string_value(v)) != json_string_length(v))
        return wrong(json, where, key, "a text without NUL");
    *value = json_string_value(v);
    return true;
}

bool hf_json_number(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                    double* value) {
    json_t* v = member(json, where, object, key, required);
    if (!v) return false;
    if (!json_is_number(v)) return wrong(json, where, key, "a number");
    *value = json_number_value(v);
    return true;
}

bool hf_json_bool(hf_json* json, const char* where, const json_t* object, const char* key, bool* value) {
    json_t* v = member(json, where, object, key, false);
    if (!v) return false;
    if (!json_is_boolean(v)) return wrong(json, where, key, "true or false");
    *value = json_is_true(v);
    return true;
}

bool hf_json_numbers(hf_json* json, const char* where, const json_t* array, int count, double* values) {
    if (json->status != HF_OK) return false;
    bool good = json_is_array(array) && json_array_size(array) == (size_t)count;
    for (int i = 0; good && i < count; i++) {
        json_t* v = json_array_get(array, (size_t)i);
        good = json_is_number(v);
        if (good) values[i] = json_number_value(v);
    }
    if (!good) hf_json_fail(json, where, "an array of %d numbers is expected", count);
    return good;
}

static bool numbers_of(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                       int count, double* values) {
    json_t* v = member(json, where, object, key, required);
    if (!v) return false;
    char place[160];
    snprintf(place, sizeof place, "%s%s%s", where, where[0] ? "." : "", key);
    return hf_json_numbers(json, place, v, count, values);
}

bool hf_json_vec3(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                  hf_vec3* value) {
    double v[3];
    if (!numbers_of(json, where, object, key, required, 3, v)) return false;
    *value = hf_v3(v[0], v[1], v[2]);
    return true;
}

static bool unit_quat(hf_json* json, const char* where, const char* key, const double v[4], hf_quat* value) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (!(fabs(length - 1) < 0.01)) return wrong(json, where, key, "a unit quaternion w x y z");
    *value = (hf_quat){v[0] / length, v[1] / length, v[2] / length, v[3] / length};
    return true;
}

bool hf_json_quat(hf_json* json, const char* where, const json_t* object, const char* key, hf_quat* value) {
    double v[4];
    return numbers_of(json, where, object, key, false, 4, v) && unit_quat(json, where, key, v, value);
}

bool hf_json_array(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                   json_t** value) {
    json_t* v = member(json, where, object, key, required);
    if (!v) return false;
    if (!json_is_array(v)) return wrong(json, where, key, "an array");
    *value = v;
    return true;
}

bool hf_json_object(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                    json_t** value) {
    json_t* v = member(json, where, object, key, required);
    if (!v) return false;
    if (!json_is_object(v)) return wrong(json, where, key, "an object");
    *value = v;
    return true;
}
