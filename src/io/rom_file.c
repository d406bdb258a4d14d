/* *.rom.json: a region of joint values, as pieces A q <= b or as a swing polygon with a twist interval. */
#include "io/creature_reader.h"
#include "base/error.h"
#include "io/json.h"
#include "model/rom.h"

#include <stdio.h>

typedef struct rom_reader {
    hf_json json;
    hf_creature_draft* draft;
    hf_draft_rom rom;
} rom_reader;

static bool good(const rom_reader* r) { return r->json.status == HF_OK; }

static void* take(rom_reader* r, size_t count, size_t size) {
    void* p = hf_arena_alloc(&r->draft->arena, count, size);
    if (!p && good(r)) r->json.status = hf_fail_memory(r->json.error, r->json.file);
    return p;
}

/* Rows of A with b at their end. A row of zeros is no half-space. */
static void read_planes(rom_reader* r, const char* where, const json_t* a, const json_t* b,
                        hf_rom_piece* piece) {
    int columns = r->rom.joint_count, rows = (int)json_array_size(a);
    if (json_array_size(a) > HF_MAX_ROM_PLANES || rows == 0 || json_array_size(b) != json_array_size(a)) {
        hf_json_fail(&r->json, where, "\"A\" and \"b\" need the same number of rows, 1 to %d",
                     HF_MAX_ROM_PLANES);
        return;
    }
    double* planes = take(r, (size_t)rows * (size_t)(columns + 1), sizeof *planes);
    for (int i = 0; i < rows && good(r); i++) {
        double* row = planes + (size_t)i * (size_t)(columns + 1);
        char place[160];
        snprintf(place, sizeof place, "%.100s.A[%d]", where, i);
        hf_json_numbers(&r->json, place, json_array_get(a, (size_t)i), columns, row);
        double length = 0;
        for (int k = 0; good(r) && k < columns; k++) length += row[k] * row[k];
        if (good(r) && !(length > 1e-24 && length < 1e24))
            hf_json_fail(&r->json, place, "a row of usable size is expected");
        const json_t* bound = json_array_get(b, (size_t)i);
        if (good(r) && !json_is_number(bound)) hf_json_fail(&r->json, where, "\"b\" holds more than numbers");
        if (good(r)) row[columns] = json_number_value(bound);
    }
    piece->plane_count = rows;
    piece->planes = planes;
}

static void read_pieces(rom_reader* r, const json_t* pieces) {
    static const char* const keys[] = {"A", "b"};
    size_t count = json_array_size(pieces);
    if (count == 0 || count > HF_MAX_ROM_PIECES) {
        hf_json_fail(&r->json, "pieces", "1 to %d pieces are expected", HF_MAX_ROM_PIECES);
        return;
    }
    r->rom.pieces = take(r, count, sizeof *r->rom.pieces);
    for (size_t i = 0; i < count && good(r); i++) {
        char where[40];
        snprintf(where, sizeof where, "pieces[%zu]", i);
        const json_t* piece = json_array_get(pieces, i);
        json_t *a, *b;
        if (!json_is_object(piece)) hf_json_fail(&r->json, where, "an object is expected");
        if (!good(r) || !hf_json_keys(&r->json, where, piece, keys, 2)) return;
        if (hf_json_array(&r->json, where, piece, "A", true, &a) &&
            hf_json_array(&r->json, where, piece, "b", true, &b))
            read_planes(r, where, a, b, &r->rom.pieces[i]);
        r->rom.piece_count = (int)i + 1;
    }
}

static void read_swing(rom_reader* r, const json_t* polygon) {
    size_t count = json_array_size(polygon);
    json_t* twist;
    if (count < 3 || count > HF_MAX_SWING_CORNERS) {
        hf_json_fail(&r->json, "swing_polygon", "3 to %d directions are expected", HF_MAX_SWING_CORNERS);
        return;
    }
    r->rom.corners = take(r, count, sizeof *r->rom.corners);
    for (size_t i = 0; i < count && good(r); i++) {
        char where[40];
        double v[3];
        snprintf(where, sizeof where, "swing_polygon[%zu]", i);
        if (!hf_json_numbers(&r->json, where, json_array_get(polygon, i), 3, v)) return;
        double length = hf_length(hf_v3(v[0], v[1], v[2]));
        if (!(length > 1e-9) || !isfinite(length)) {
            hf_json_fail(&r->json, where, "the direction has no length");
            return;
        }
        r->rom.corners[i] = hf_v3(v[0] / length, v[1] / length, v[2] / length);
        r->rom.corner_count = (int)i + 1;
    }
    if (!hf_json_array(&r->json, "", r->json.root, "twist", true, &twist)) return;
    hf_json_numbers(&r->json, "twist", twist, 2, r->rom.twist);
    if (good(r) && r->rom.twist[0] > r->rom.twist[1])
        hf_json_fail(&r->json, "twist", "the lower bound %g is above the upper %g", r->rom.twist[0],
                     r->rom.twist[1]);
}

/* The creature file's list of joints wins over the region's own, matched by order. */
static void read_joints(rom_reader* r, char** joints, int joint_count) {
    json_t* array;
    bool own = hf_json_array(&r->json, "", r->json.root, "joints", !joints, &array);
    if (!good(r)) return;
    size_t count = own ? json_array_size(array) : (size_t)joint_count;
    if (count == 0 || count > HF_MAX_ROM_JOINTS) {
        hf_json_fail(&r->json, "joints", "1 to %d joints are expected", HF_MAX_ROM_JOINTS);
        return;
    }
    if (joints && (int)count != joint_count) {
        hf_json_fail(&r->json, "joints", "the region has %zu joints, the creature file gives it %d", count,
                     joint_count);
        return;
    }
    r->rom.joint_count = (int)count;
    r->rom.joints = take(r, count, sizeof *r->rom.joints);
    for (size_t i = 0; i < count && good(r); i++) {
        const json_t* item = own ? json_array_get(array, i) : NULL;
        const char* text = own ? json_string_value(item) : joints[i];
        if (!text || !*text) {
            hf_json_fail(&r->json, "joints", "a list of names is expected");
            return;
        }
        const char* name = joints ? joints[i] : text;
        char* copy = take(r, strlen(name) + 1, 1);
        if (copy) strcpy(copy, name);
        r->rom.joints[i] = copy;
    }
}

hf_status hf_rom_file_read(const char* path, char** joints, int joint_count, hf_creature_draft* draft,
                           hf_error* error) {
    static const char* const keys[] = {"format", "version", "joints", "pieces", "swing_polygon", "twist"};
    rom_reader r = {.draft = draft};
    json_t *pieces, *polygon;
    hf_json_load(&r.json, path, NULL, error);
    if (good(&r)) hf_json_keys(&r.json, "", r.json.root, keys, 6);
    if (good(&r)) read_joints(&r, joints, joint_count);
    if (good(&r)) {
        r.rom.file = take(&r, strlen(path) + 1, 1);
        if (r.rom.file) strcpy(r.rom.file, path);
    }
    bool has_pieces = good(&r) && hf_json_array(&r.json, "", r.json.root, "pieces", false, &pieces);
    bool has_swing = good(&r) && hf_json_array(&r.json, "", r.json.root, "swing_polygon", false, &polygon);
    if (good(&r) && has_pieces == has_swing)
        hf_json_fail(&r.json, "", "either \"pieces\" or \"swing_polygon\" is expected");
    if (good(&r) && has_pieces) read_pieces(&r, pieces);
    if (good(&r) && has_swing) read_swing(&r, polygon);
    hf_json_free(&r.json);
    if (good(&r)) {
        if (HF_DRAFT_ADD(draft, roms))
            draft->roms[draft->roms_count - 1] = r.rom;
        else
            r.json.status = hf_fail_memory(error, path);
    }
    return r.json.status;
}
