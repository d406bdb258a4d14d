/* What every part of Holdfast shares: version, status, errors, outcomes, workspaces. */
#ifndef HOLDFAST_BASE_H
#define HOLDFAST_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && defined(HF_SHARED)
#define HF_API __attribute__((visibility("default")))
#else
#define HF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library as "major.minor.patch". */
HF_API const char* hf_version(void);

/* Why a call failed. An honest "there is no solution" is not a failure: it is an hf_outcome. */
typedef enum hf_status {
    HF_OK = 0,
    HF_ERROR_MEMORY,   /* an allocation failed */
    HF_ERROR_FILE,     /* a file cannot be opened, read or written */
    HF_ERROR_FORMAT,   /* a file's contents are wrong */
    HF_ERROR_LIMIT,    /* larger than what is accepted */
    HF_ERROR_ARGUMENT, /* a value given by the caller or user is out of its range */
    HF_ERROR_INTERNAL  /* a bug in Holdfast */
} hf_status;

HF_API const char* hf_status_text(hf_status status);

/* A function that returns a status gives HF_ERROR_ARGUMENT, and leaves its outputs alone, where a pointer is
   NULL that its header does not allow to be. Functions without a status call the assert handler or crash. */

/* What an answered call found. */
typedef enum hf_outcome {
    HF_FOUND = 0,
    HF_PARTIAL,    /* some of what was asked for; the answer says what */
    HF_NONE,       /* searched, and there is none */
    HF_INFEASIBLE, /* proven or measured to be impossible */
    HF_BUDGET,     /* the work budget ended first */
    HF_CANCELLED
} hf_outcome;

HF_API const char* hf_outcome_text(hf_outcome outcome);

/* Where and why a loader failed. Filled only on failure; line and field may be absent. */
typedef struct hf_error {
    hf_status status;
    int line; /* 1-based, 0 when unknown */
    char file[512];
    char field[160];
    char message[512];
} hf_error;

/* Writes `file:line: field: message` into text; returns text. */
HF_API const char* hf_error_text(const hf_error* error, char* text, size_t size);

/* A list of texts owned by the object that returned it. */
typedef struct hf_strings {
    int count;
    const char* const* items;
} hf_strings;

/* Releases a text that a function of the library gave to its caller. */
HF_API void hf_text_free(char* text);

/* The one of `count` words that begins so, else the nearest by edit distance, to say what was meant; NULL
   when none is near. */
HF_API const char* hf_nearest_word(const char* word, const char* const* words, int count);

/* Scratch memory of one worker. Queries take their memory from it and allocate nothing else;
   it grows between queries, never inside one. Not to be shared by two threads at once. */
/* Writes a whole file as the library writes its own: to a temporary file that is renamed when complete;
   symbolic links, devices and pipes are refused. */
HF_API hf_status hf_file_save(const char* path, const void* bytes, size_t count, hf_error* error);

typedef struct hf_workspace hf_workspace;
HF_API hf_status hf_workspace_create(hf_workspace** workspace);
HF_API void hf_workspace_free(hf_workspace* workspace);

/* Reports progress in [0, 1], or -1 where a part of the work only asks whether it shall go on; a false return
   cancels the work. */
typedef bool (*hf_progress_fn)(void* user, double fraction, const char* stage);

/* From now on every query that uses this workspace calls `progress` with a fraction of -1, at least every few
   milliseconds. After a false return the query ends with what it has and HF_CANCELLED as its outcome, and so
   does every later query with this workspace until it is watched anew. NULL (the default): nobody is asked.
 */
HF_API void hf_workspace_watch(hf_workspace* workspace, hf_progress_fn progress, void* user);

/* Called on a caller's bug (wrong index, null handle). The default prints and aborts. Passing NULL
   restores the default. The one process-wide setting, to be made before the first other call. */
typedef void (*hf_assert_fn)(const char* expression, const char* file, int line);
HF_API void hf_set_assert_handler(hf_assert_fn handler);

#ifdef __cplusplus
}
#endif
#endif
