/* A trajectory as a file: .csv, .npy or .json. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/byte_buffer.h"
#include "io/npy_write.h"

#include <holdfast/trajectory.h>

#include <string.h>

/* A cell is quoted where its text would break the table. */
static void write_cell(hf_bytes* out, const char* text) {
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    if (quote) hf_bytes_text(out, "\"");
    for (const char* s = text; *s; s++) {
        if (*s == '"') hf_bytes_text(out, "\"");
        hf_bytes_add(out, s, 1);
    }
    if (quote) hf_bytes_text(out, "\"");
}

static const double* row_of(const hf_trajectory* t, int row) {
    return t->values + (size_t)row * (size_t)t->column_count;
}

static void write_csv(const hf_trajectory* t, hf_bytes* out) {
    for (int i = 0; i < t->column_count; i++) {
        if (i) hf_bytes_text(out, ",");
        write_cell(out, t->names[i]);
    }
    hf_bytes_text(out, "\n");
    for (int r = 0; r < t->row_count; r++) {
        hf_bytes_numbers(out, row_of(t, r), t->column_count, ",");
        hf_bytes_text(out, "\n");
    }
}

static void write_json(const hf_trajectory* t, hf_bytes* out) {
    hf_bytes_text(out, "{ \"format\": \"holdfast-trajectory\", \"version\": 1, \"rate\": ");
    hf_bytes_number(out, t->rate);
    hf_bytes_format(out, ", \"quaternion\": \"%s\",\n  \"columns\": [",
                    t->quaternion == HF_QUATERNION_WXYZ ? "wxyz" : "xyzw");
    for (int i = 0; i < t->column_count; i++) {
        if (i) hf_bytes_text(out, ", ");
        hf_bytes_quoted(out, t->names[i]);
    }
    hf_bytes_text(out, "],\n  \"rows\": [\n");
    for (int r = 0; r < t->row_count; r++) {
        hf_bytes_text(out, "    [");
        hf_bytes_numbers(out, row_of(t, r), t->column_count, ", ");
        hf_bytes_text(out, r + 1 < t->row_count ? "],\n" : "]\n");
    }
    hf_bytes_text(out, "  ] }\n");
}

/* The names of an .npy's columns, one a line, beside it. */
static hf_status save_names(const hf_trajectory* t, const char* path, hf_error* error) {
    static const char ending[] = ".columns.txt";
    size_t stem = strlen(path) - strlen(".npy");
    char* beside = hf_alloc(stem + sizeof ending, 1);
    if (!beside) return hf_fail_memory(error, path);
    memcpy(beside, path, stem);
    memcpy(beside + stem, ending, sizeof ending);
    hf_bytes out = {0};
    for (int i = 0; i < t->column_count; i++) hf_bytes_format(&out, "%s\n", t->names[i]);
    hf_status status = hf_bytes_save(&out, beside, error);
    hf_bytes_free(&out);
    hf_free(beside);
    return status;
}

hf_status hf_trajectory_save(const hf_trajectory* t, const char* path, hf_error* error) {
    HF_REQUIRE(error, t && path);
    bool csv = hf_text_ends(path, ".csv"), npy = hf_text_ends(path, ".npy"),
         json = hf_text_ends(path, ".json");
    if (!csv && !npy && !json)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "trajectories are written as .csv, .npy or .json, told by the name's ending");
    if (npy) {
        hf_status status = hf_npy_write(path, t->row_count, t->column_count, t->values, error);
        return status == HF_OK ? save_names(t, path, error) : status;
    }
    hf_bytes out = {0};
    if (csv) write_csv(t, &out);
    if (json) write_json(t, &out);
    hf_status status = hf_bytes_save(&out, path, error);
    hf_bytes_free(&out);
    return status;
}
