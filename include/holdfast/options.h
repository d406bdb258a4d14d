/* Options as data: one table for each options struct drives its defaults, validation, scenario keys,
   command-line flags and help text, so that they cannot disagree. */
#ifndef HOLDFAST_OPTIONS_H
#define HOLDFAST_OPTIONS_H

#include <holdfast/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hf_option_kind {
    HF_OPTION_REAL,  /* double */
    HF_OPTION_COUNT, /* int */
    HF_OPTION_FLAG,  /* bool */
    HF_OPTION_SEED   /* uint64_t; min, max and value are exact up to 2^53 */
} hf_option_kind;

/* One field of an options struct. */
typedef struct hf_option {
    const char* name; /* as in files and, with - for _, as a command-line flag */
    hf_option_kind kind;
    size_t offset;          /* of the field in the struct */
    double min, max, value; /* smallest, largest, default */
    const char* unit;       /* "" for none */
    const char* help;       /* one line */
} hf_option;

typedef struct hf_option_table {
    int count;
    const hf_option* items;
} hf_option_table;

/* The table of an array of options. */
#define HF_OPTION_TABLE(array) ((hf_option_table){sizeof(array) / sizeof *(array), (array)})

/* Writes every default into the struct; fields the table does not name are left alone. */
HF_API void hf_options_default(hf_option_table table, void* options);
/* HF_ERROR_ARGUMENT naming the first field that is out of its range or no number. error may be NULL. */
HF_API hf_status hf_options_check(hf_option_table table, const void* options, hf_error* error);
/* The option with this name (- and _ are the same), or NULL. */
HF_API const hf_option* hf_options_find(hf_option_table table, const char* name);
/* The known name nearest to a misspelt one, or NULL when none is near. */
HF_API const char* hf_options_nearest(hf_option_table table, const char* name);
/* Sets one field after checking its range; an unknown name is an error that suggests the nearest. */
HF_API hf_status hf_options_set(hf_option_table table, void* options, const char* name, double value,
                                hf_error* error);
/* The same from text: a number, or true, false, on, off, yes, no for a flag. */
HF_API hf_status hf_options_set_text(hf_option_table table, void* options, const char* name, const char* text,
                                     hf_error* error);
HF_API double hf_options_get(const hf_option* option, const void* options);

#ifdef __cplusplus
}
#endif
#endif
