/* *.control.json: what changes the control layer that is derived from a creature. */
#ifndef HF_IO_CONTROL_FILE_H
#define HF_IO_CONTROL_FILE_H

#include "io/json.h"

enum { HF_CONTROL_FILE_CONTROLS = 32, HF_CONTROL_FILE_JOINTS = 12 };

/* What a file says about one control. Names live as long as the file. */
typedef struct hf_control_entry {
    char where[64]; /* in the file */
    bool has_joints, has_range, has_pitch;
    int joint_count; /* 0 with has_joints: the control does not exist */
    const char* joints[HF_CONTROL_FILE_JOINTS];
    double shares[HF_CONTROL_FILE_JOINTS];
    double range[2], pitch;
} hf_control_entry;

typedef struct hf_control_file {
    hf_json json;
    const char *arms[2], *legs[2]; /* names of limbs, right and left; NULL where the file names none */
    hf_control_entry controls[HF_CONTROL_FILE_CONTROLS];
} hf_control_file;

/* names: of the controls, in their order. What the names in the file stand for is the caller's to test. */
hf_status hf_control_file_read(hf_control_file* file, const char* path, const char* const* names, int count,
                               hf_error* error);
void hf_control_file_free(hf_control_file* file);

#endif
