/* Files out through a temporary file that is renamed when complete. */
#ifndef HF_BASE_OUTPUT_H
#define HF_BASE_OUTPUT_H

#include <holdfast/base.h>
#include <stdio.h>

enum { HF_OUTPUT_PATH = 4096 };

/* `stream` writes to a temporary file beside path; hf_output_close renames it, or removes it when anything
   failed or keep is false. Symbolic links, devices and pipes are refused: a file would take their place. The
   struct stays where it is between opening and closing. */
typedef struct hf_output {
    FILE* stream;
    int file, failure; /* descriptor, and the errno of the first write that failed */
    char path[HF_OUTPUT_PATH];
    char temporary[HF_OUTPUT_PATH + 48];
} hf_output;
hf_status hf_output_open(const char* path, hf_output* output, hf_error* error);
/* HF_ERROR_FILE with the reason when anything could not be written, whether it is to be kept or not. */
hf_status hf_output_close(hf_output* output, bool keep, hf_error* error);

#endif
