/* Ends the program with a reason. */
#ifndef HF_PLAYBACK_STOP_H
#define HF_PLAYBACK_STOP_H

#include <holdfast/base.h>

void stop(const char* format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Where the status is not HF_OK: with the text of the error. */
void stop_unless(hf_status status, const hf_error* error);

#endif
