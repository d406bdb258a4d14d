/* Pieces that files of motions and of schedules have in common, read and written. A failure sticks in the
   hf_json; nothing is read after one. */
#ifndef HF_IO_MOTION_TEXT_H
#define HF_IO_MOTION_TEXT_H

#include "io/byte_buffer.h"
#include "io/json.h"

/* An unknown word, with the nearest known one. */
void hf_motion_suggest(hf_json* json, const char* where, const char* what, const char* name,
                       char* const* names, int count);
bool hf_motion_in_range(hf_json* json, const char* where, const double* v, int count);
void hf_motion_read_point(hf_json* json, const char* where, const json_t* object, const char* key,
                          hf_vec3* point);
void hf_motion_read_normal(hf_json* json, const char* where, const json_t* object, hf_vec3* normal);
bool hf_motion_read_pose7(hf_json* json, const char* where, const json_t* array, hf_transform* pose);
/* A path beside the file, from the top of the file. */
void hf_motion_read_path(hf_json* json, const char* key, bool required, char** path);
/* The list "package_path" of folders beside the file, one a line. */
void hf_motion_read_folders(hf_json* json, char** folders);
void hf_motion_read_outcome(hf_json* json, char** outcome);
void hf_motion_read_claims(hf_json* json, unsigned* claims);

void hf_motion_write_vec3(hf_bytes* out, const char* key, hf_vec3 v);
void hf_motion_write_pose7(hf_bytes* out, hf_transform p);
void hf_motion_write_names(hf_bytes* out, const char* key, char* const* names, int count);
/* A path relative to the file that is written. */
void hf_motion_write_path(hf_bytes* out, const char* path, const char* key, const char* target);
/* Folders, one a line, as the list "package_path"; nothing for NULL. */
void hf_motion_write_folders(hf_bytes* out, const char* path, const char* folders);
void hf_motion_write_claims(hf_bytes* out, unsigned claims);

/* What could be read back. */
bool hf_motion_good_number(double v);
bool hf_motion_good_point(hf_vec3 p);
bool hf_motion_good_pose(hf_transform p);

#endif
