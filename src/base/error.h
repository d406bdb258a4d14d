/* Filling an hf_error: where, what, why. */
#ifndef HF_BASE_ERROR_H
#define HF_BASE_ERROR_H

#include <holdfast/base.h>

/* Fills *error (may be NULL) and returns status, so that a failure is one return statement. file and
   field may be NULL, line 0. */
__attribute__((format(printf, 6, 7))) hf_status hf_fail(hf_error* error, hf_status status, const char* file,
                                                        int line, const char* field, const char* format, ...);
/* The same for a status that another function gave without an error: its kind is kept, its own text is the
   message. HF_OK is returned and fills nothing. */
hf_status hf_fail_status(hf_error* error, hf_status status, const char* file);
hf_status hf_fail_memory(hf_error* error, const char* file);

/* First in a public function that returns a status: ends it where a pointer that it needs is NULL. error may
   be NULL itself. */
#define HF_REQUIRE(error, pointers)                                                                          \
    do {                                                                                                     \
        if (!(pointers))                                                                                     \
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, __func__, "a pointer is NULL: " #pointers);    \
    } while (0)

#endif
