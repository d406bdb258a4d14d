/* The table-driven options of holdfast/options.h. */
#include "base/error.h"
#include "base/text.h"
#include <holdfast/options.h>

#include <math.h>
#include <string.h>

enum { MAX_NAMES = 64 };

static void write_field(const hf_option* option, void* options, double value) {
    void* field = (char*)options + option->offset;
    switch (option->kind) {
    case HF_OPTION_REAL:
        *(double*)field = value;
        break;
    case HF_OPTION_COUNT:
        *(int*)field = (int)value;
        break;
    case HF_OPTION_FLAG:
        *(bool*)field = value != 0;
        break;
    case HF_OPTION_SEED:
        *(uint64_t*)field = (uint64_t)value;
        break;
    }
}

double hf_options_get(const hf_option* option, const void* options) {
    const void* field = (const char*)options + option->offset;
    switch (option->kind) {
    case HF_OPTION_REAL:
        return *(const double*)field;
    case HF_OPTION_COUNT:
        return *(const int*)field;
    case HF_OPTION_FLAG:
        return *(const bool*)field;
    case HF_OPTION_SEED:
        return (double)*(const uint64_t*)field;
    }
    return 0;
}

void hf_options_default(hf_option_table table, void* options) {
    for (int i = 0; i < table.count; i++) write_field(&table.items[i], options, table.items[i].value);
}

static hf_status check_value(const hf_option* option, double value, hf_error* error) {
    if (!isfinite(value)) return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, option->name, "is not a number");
    bool whole = option->kind == HF_OPTION_COUNT || option->kind == HF_OPTION_SEED;
    if (whole && value != floor(value))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, option->name, "%g is not a whole number", value);
    if (value < option->min || value > option->max)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, option->name, "%g is outside %g to %g", value,
                       option->min, option->max);
    return HF_OK;
}

hf_status hf_options_check(hf_option_table table, const void* options, hf_error* error) {
    HF_REQUIRE(error, options);
    for (int i = 0; i < table.count; i++) {
        const hf_option* option = &table.items[i];
        if (option->kind == HF_OPTION_FLAG || option->kind == HF_OPTION_SEED)
            continue; /* all values are fine */
        hf_status status = check_value(option, hf_options_get(option, options), error);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

/* - and _ count as one letter. */
static bool same_name(const char* a, const char* b) {
    for (; *a && *b; a++, b++)
        if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b)) return false;
    return *a == *b;
}

const hf_option* hf_options_find(hf_option_table table, const char* name) {
    for (int i = 0; i < table.count; i++)
        if (same_name(table.items[i].name, name)) return &table.items[i];
    return NULL;
}

const char* hf_options_nearest(hf_option_table table, const char* name) {
    const char* names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < table.count && count < MAX_NAMES; i++) names[count++] = table.items[i].name;
    return hf_nearest_word(name, names, count);
}

static hf_status fail_unknown(hf_option_table table, const char* name, hf_error* error) {
    const char* near = hf_options_nearest(table, name);
    return near ? hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, name, "unknown option; did you mean \"%s\"?",
                          near)
                : hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, name, "unknown option");
}

hf_status hf_options_set(hf_option_table table, void* options, const char* name, double value,
                         hf_error* error) {
    HF_REQUIRE(error, options && name);
    const hf_option* option = hf_options_find(table, name);
    if (!option) return fail_unknown(table, name, error);
    hf_status status = check_value(option, value, error);
    if (status == HF_OK) write_field(option, options, value);
    return status;
}

static bool parse_flag(const char* text, double* value) {
    static const char* const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) {
            *value = (double)(i % 2);
            return true;
        }
    return false;
}

hf_status hf_options_set_text(hf_option_table table, void* options, const char* name, const char* text,
                              hf_error* error) {
    HF_REQUIRE(error, options && name && text);
    const hf_option* option = hf_options_find(table, name);
    if (!option) return fail_unknown(table, name, error);
    double value = 0;
    bool good;
    if (option->kind == HF_OPTION_FLAG) {
        good = parse_flag(text, &value);
    } else {
        const char *limit = text + strlen(text), *end = text;
        good = hf_parse_double(text, limit, &end, &value) && end == limit;
    }
    if (!good)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, option->name, "\"%s\" is not a %s", text,
                       option->kind == HF_OPTION_FLAG ? "yes or no" : "number");
    return hf_options_set(table, options, option->name, value, error);
}
