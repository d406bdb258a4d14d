/* Ends the program with a reason on standard error and exit code 3. */
#include "stop.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void stop(const char* format, ...) {
    va_list args;
    va_start(args, format);
    fputs("playback: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(3);
}

void stop_unless(hf_status status, const hf_error* error) {
    char text[2000];
    if (status != HF_OK) stop("%s", hf_error_text(error, text, sizeof text));
}
