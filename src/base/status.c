#include "base/assert.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* hf_version(void) { return HF_VERSION; }

const char* hf_status_text(hf_status status) {
    static const char* const texts[] = {
        [HF_OK] = "ok",
        [HF_ERROR_MEMORY] = "out of memory",
        [HF_ERROR_FILE] = "file error",
        [HF_ERROR_FORMAT] = "bad contents",
        [HF_ERROR_LIMIT] = "too large",
        [HF_ERROR_ARGUMENT] = "bad argument",
        [HF_ERROR_INTERNAL] = "internal error",
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

const char* hf_outcome_text(hf_outcome outcome) {
    static const char* const texts[] = {
        [HF_FOUND] = "found",           [HF_PARTIAL] = "partial", [HF_NONE] = "none",
        [HF_INFEASIBLE] = "infeasible", [HF_BUDGET] = "budget",   [HF_CANCELLED] = "cancelled",
    };
    return (unsigned)outcome < sizeof texts / sizeof *texts ? texts[outcome] : "unknown outcome";
}

hf_status hf_fail(hf_error* error, hf_status status, const char* file, int line, const char* field,
                  const char* format, ...) {
    if (!error) return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->line = line;
    if (file) snprintf(error->file, sizeof error->file, "%s", file);
    if (field) snprintf(error->field, sizeof error->field, "%s", field);
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

hf_status hf_fail_status(hf_error* error, hf_status status, const char* file) {
    return status == HF_OK ? HF_OK : hf_fail(error, status, file, 0, NULL, "%s", hf_status_text(status));
}

hf_status hf_fail_memory(hf_error* error, const char* file) {
    return hf_fail_status(error, HF_ERROR_MEMORY, file);
}

const char* hf_error_text(const hf_error* error, char* text, size_t size) {
    char line[16] = "";
    if (error->line > 0) snprintf(line, sizeof line, "%d:", error->line);
    snprintf(text, size, "%s%s%s%s%s%s%s", error->file, error->file[0] ? ":" : "", line,
             error->file[0] ? " " : "", error->field, error->field[0] ? ": " : "", error->message);
    return text;
}

static void print_and_abort(const char* expression, const char* file, int line) {
    fprintf(stderr, "%s:%d: holdfast was called wrongly: %s\n", file, line, expression);
    abort();
}

static hf_assert_fn assert_handler = print_and_abort;

void hf_set_assert_handler(hf_assert_fn handler) { assert_handler = handler ? handler : print_and_abort; }

void hf_assert_failed(const char* expression, const char* file, int line) {
    assert_handler(expression, file, line);
}
