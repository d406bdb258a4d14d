/* Text and path helpers. */
#ifndef HF_BASE_TEXT_H
#define HF_BASE_TEXT_H

#include <holdfast/base.h>

bool hf_text_ends(const char* text, const char* ending); /* ignores case */
bool hf_text_has(const char* text, const char* word);    /* anywhere; ignores case */

/* Folder of a path with its final slash ("" when there is none); file name after it. */
size_t hf_path_folder_length(const char* path);
const char* hf_path_name(const char* path);
/* folder(base_file) + path, or path alone when it is absolute. NULL when memory is out. */
char* hf_path_beside(const char* base_file, const char* path);
/* The path of `target` as seen from the folder of `from_file`; both absolute or both relative to the
   working folder. NULL when memory is out. */
char* hf_path_relative(const char* from_file, const char* target);
bool hf_path_exists(const char* path);

/* Parses one number at text, ends in *end. Independent of the locale; false when there is no number
   or it is not finite. */
bool hf_parse_double(const char* text, const char* limit, const char** end, double* value);

/* Adds a name to "a, b, c" in text. Names that find no room are counted in *left; the first is cut to fit. */
void hf_text_list_add(char* text, size_t size, const char* name, int* left);

/* +1 for the name of something on the left of a body, -1 on the right, 0 where the name does not tell: the
   word, a letter that stands alone ("l_hand", "Hand.L", "LThumb", "lCollar"), or a letter before a part of
   the body ("lknee", "RANK"). A namespace before a colon does not count. */
int hf_name_side(const char* name);

/* A growing list of lines for warnings. */
typedef struct hf_lines {
    int count, capacity;
    char** items;
} hf_lines;
__attribute__((format(printf, 2, 3))) bool hf_lines_add(hf_lines* lines, const char* format, ...);
void hf_lines_free(hf_lines* lines);

#endif
