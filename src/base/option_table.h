/* The two public functions of an options struct, made from its table. */
#ifndef HF_BASE_OPTION_TABLE_H
#define HF_BASE_OPTION_TABLE_H

#include <holdfast/options.h>

#include <stddef.h>
#include <string.h>

/* Defines NAME_option_table() and NAME_options_default() of the struct NAME_options. Fields that the table
   does not name are zero. */
#define HF_OPTIONS(name, array)                                                                              \
    hf_option_table name##_option_table(void) { return HF_OPTION_TABLE(array); }                             \
    name##_options name##_options_default(void) {                                                            \
        name##_options options;                                                                              \
        memset(&options, 0, sizeof options);                                                                 \
        hf_options_default(name##_option_table(), &options);                                                 \
        return options;                                                                                      \
    }

#endif
