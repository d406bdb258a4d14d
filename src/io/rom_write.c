/* Writes learned regions as *.rom.json. */
#include "base/error.h"
#include "base/output.h"
#include "io/byte_buffer.h"
#include "model/rom.h"
#include <holdfast/rom.h>

#include <jansson.h>
#include <stdlib.h>

static void write_piece(FILE* out, const hf_learned_piece* p) {
    fputs("{ \"A\": [", out);
    for (int i = 0; i < p->plane_count; i++)
        fprintf(out, "%s[%.9g, %.9g, %.9g]",
                i == 0  ? ""
                : i % 4 ? ", "
                        : ",\n      ",
                p->planes[i][0], p->planes[i][1], p->planes[i][2]);
    fputs("],\n    \"b\": [", out);
    for (int i = 0; i < p->plane_count; i++) fprintf(out, "%s%.9g", i ? ", " : "", p->planes[i][3]);
    fputs("] }", out);
}

static hf_status write_names(FILE* out, const char* const names[3], hf_error* error) {
    fputs("{ \"joints\": [", out);
    for (int i = 0; i < 3; i++) {
        if (!hf_is_utf8(names[i]))
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "joint name %d is not UTF-8", i);
        json_t* text = json_string(names[i]);
        if (!text) return hf_fail_memory(error, NULL);
        char* quoted = json_dumps(text, JSON_ENCODE_ANY);
        json_decref(text);
        if (!quoted) return hf_fail_memory(error, NULL);
        fprintf(out, "%s%s", i ? ", " : "", quoted);
        free(quoted);
    }
    fputs("],\n  \"pieces\": [", out);
    return HF_OK;
}

static hf_status write_region(const hf_rom_learned* region, const char* const names[3], const char* path,
                              hf_error* error) {
    hf_output output;
    hf_status status = hf_output_open(path, &output, error);
    if (status != HF_OK) return status;
    status = write_names(output.stream, names, error);
    for (int i = 0; status == HF_OK && i < region->count; i++) {
        fputs(i ? ",\n  " : "\n  ", output.stream);
        write_piece(output.stream, &region->pieces[i]);
    }
    fputs("\n  ] }\n", output.stream);
    hf_status closed = hf_output_close(&output, status == HF_OK, status == HF_OK ? error : NULL);
    return status == HF_OK ? closed : status;
}

hf_status hf_rom_learn(const double* angles, int count, double alpha, const char* const joint_names[3],
                       const char* path, hf_error* error) {
    HF_REQUIRE(error, joint_names && path && (angles || count <= 0));
    hf_rom_learned region;
    hf_status status = hf_rom_learn_pieces(angles, count, alpha, &region, error);
    if (status == HF_OK) status = write_region(&region, joint_names, path, error);
    hf_rom_learned_free(&region);
    return status;
}
