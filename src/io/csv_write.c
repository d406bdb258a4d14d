/* A motion as a table: time, root pose, joint values; one row a frame. */
#include "io/byte_buffer.h"
#include "io/motion_track.h"

#include <string.h>

/* A cell is quoted where its text would break the table. */
static void write_cell(hf_bytes* out, const char* text, const char* ending) {
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    hf_bytes_text(out, quote ? ",\"" : ",");
    for (const char* s = text; *s; s++) {
        if (*s == '"') hf_bytes_text(out, "\"");
        hf_bytes_add(out, s, 1);
    }
    hf_bytes_text(out, ending);
    if (quote) hf_bytes_text(out, "\"");
}

static void write_header(hf_bytes* out, const hf_creature_view* view) {
    static const char* const floating[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    static const char* const planar[] = {".x", ".y", ".turn"};
    hf_bytes_text(out, "t,root_x,root_y,root_z,root_qw,root_qx,root_qy,root_qz");
    for (int i = 0; i < view->joint_count; i++) {
        const hf_joint* joint = &view->joints[i];
        for (int k = 0; k < joint->q_count; k++)
            write_cell(out, joint->name,
                       joint->q_count == 7   ? floating[k]
                       : joint->q_count == 3 ? planar[k]
                                             : "");
    }
    hf_bytes_text(out, "\n");
}

hf_status hf_csv_write(const hf_creature* creature, const hf_track* track, const char* path,
                       hf_error* error) {
    hf_bytes out = {0};
    write_header(&out, hf_creature_get(creature));
    for (int i = 0; i < track->count; i++) {
        hf_transform r = track->roots[i];
        const double row[8] = {track->times[i], r.position.x, r.position.y, r.position.z,
                               r.rotation.w,    r.rotation.x, r.rotation.y, r.rotation.z};
        hf_bytes_numbers(&out, row, 8, ",");
        if (track->q_count) hf_bytes_text(&out, ",");
        hf_bytes_numbers(&out, track->q + (size_t)i * (size_t)track->q_count, track->q_count, ",");
        hf_bytes_text(&out, "\n");
    }
    hf_status status = hf_bytes_save(&out, path, error);
    hf_bytes_free(&out);
    return status;
}
