/* Strict reading of JSON objects: unknown keys are errors that suggest the nearest known one, and
   every failure names the file and the place. The first failure sticks; later calls do nothing, so a
   reader checks `status` once per block. */
#ifndef HF_IO_JSON_H
#define HF_IO_JSON_H

#include <holdfast/base.h>
#include <holdfast/math.h>
#include <jansson.h>

typedef struct hf_json {
    json_t* root;
    const char* file;
    hf_error* error;
    hf_status status;
} hf_json;

/* Reads a file; checks "format" and "version" (pass format NULL for files without). */
hf_status hf_json_load(hf_json* json, const char* file, const char* format, hf_error* error);
/* The same from memory, without those checks; json->file and json->error are set. */
hf_status hf_json_parse(hf_json* json, const char* bytes, size_t size);
void hf_json_free(hf_json* json);

/* where: a place such as "limbs[2]", "" for the top. */
__attribute__((format(printf, 3, 4))) hf_status hf_json_fail(hf_json* json, const char* where,
                                                             const char* why, ...);
/* Every key of object is one of keys. */
bool hf_json_keys(hf_json* json, const char* where, const json_t* object, const char* const* keys, int count);

/* Getters: false when the key is absent; when it is present with a wrong type the failure sticks.
   `required` makes absence a failure. Numbers are finite. */
bool hf_json_string(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                    const char** value);
bool hf_json_number(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                    double* value);
bool hf_json_bool(hf_json* json, const char* where, const json_t* object, const char* key, bool* value);
bool hf_json_vec3(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                  hf_vec3* value);
/* Unit quaternion w x y z; one that is off by more than 1 % is refused, others are normalised. */
bool hf_json_quat(hf_json* json, const char* where, const json_t* object, const char* key, hf_quat* value);
/* Array and object members. */
bool hf_json_array(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                   json_t** value);
bool hf_json_object(hf_json* json, const char* where, const json_t* object, const char* key, bool required,
                    json_t** value);
/* `count` numbers from an array value. */
bool hf_json_numbers(hf_json* json, const char* where, const json_t* array, int count, double* values);

#endif
