/* PLY (Stanford): ASCII and binary of both byte orders, elements and properties in any order. Rows of other
   elements are walked over; faces with more than three corners are cut into triangles. */
#include "base/error.h"
#include "base/memory.h"
#include "io/mesh_draft.h"

#include <math.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 64, MAX_PROPERTIES = 256, MAX_HEADER_LINES = 100000 };

typedef enum number_type { I8, U8, I16, U16, I32, U32, F32, F64, TYPE_COUNT } number_type;
static const int type_size[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum encoding { ASCII, LITTLE, BIG } encoding;

typedef struct property {
    bool list;
    number_type count_type, type;
    char name[32];
} property;

typedef struct element {
    char name[32];
    uint64_t count;
    int first_property, property_count;
    int line;
} element;

typedef struct ply {
    hf_mesh_draft* draft;
    encoding encoding;
    const char *s, *end;
    int line; /* 0 once inside binary data */
    int element_count, property_count;
    element elements[MAX_ELEMENTS];
    property properties[MAX_PROPERTIES];
    bool swap;         /* the file's byte order is not this machine's */
    const char* place; /* "vertex" or "face" with row, for messages in binary files */
    uint64_t row;
} ply;

__attribute__((format(printf, 3, 4))) static hf_status fail_at(const ply* p, hf_status status,
                                                               const char* why, ...) {
    char text[256], field[64] = "";
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    if (p->line == 0 && p->place)
        snprintf(field, sizeof field, "%s %llu", p->place, (unsigned long long)p->row);
    return hf_fail(p->draft->error, status, p->draft->path, p->line, field, "%s", text);
}

/* ---- Header ---- */

/* The next header line without its end, as words. */
typedef struct header_line {
    int count;
    char words[6][32]; /* cut to 31 letters; no known word is longer */
} header_line;

static bool next_header_line(ply* p, header_line* out) {
    if (p->s >= p->end) return false;
    p->line++;
    out->count = 0;
    while (p->s < p->end && *p->s != '\n' && *p->s != '\r') {
        while (p->s < p->end && (*p->s == ' ' || *p->s == '\t')) p->s++;
        size_t n = 0;
        for (; p->s < p->end && *p->s != ' ' && *p->s != '\t' && *p->s != '\r' && *p->s != '\n'; p->s++, n++)
            if (out->count < 6 && n < 31) out->words[out->count][n] = *p->s;
        if (n == 0) continue;
        if (out->count < 6) out->words[out->count++][n < 31 ? n : 31] = 0;
    }
    /* LF, CR LF, or a single CR. */
    if (p->s < p->end && *p->s++ == '\r' && p->s < p->end && *p->s == '\n') p->s++;
    return true;
}

static bool parse_type(const char* word, number_type* type) {
    static const char* const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(word, names[i][0]) != 0 && strcmp(word, names[i][1]) != 0) continue;
        *type = (number_type)i;
        return true;
    }
    return false;
}

static hf_status read_property(ply* p, const header_line* h) {
    if (p->element_count == 0) return fail_at(p, HF_ERROR_FORMAT, "a property stands before any element");
    if (p->property_count == MAX_PROPERTIES)
        return fail_at(p, HF_ERROR_LIMIT, "has more than %d properties", MAX_PROPERTIES);
    property* to = &p->properties[p->property_count];
    *to = (property){0};
    to->list = h->count > 1 && strcmp(h->words[1], "list") == 0;
    bool good = h->count == (to->list ? 5 : 3);
    if (good && to->list)
        good = parse_type(h->words[2], &to->count_type) && parse_type(h->words[3], &to->type) &&
               to->count_type < F32;
    else if (good)
        good = parse_type(h->words[1], &to->type);
    if (!good) return fail_at(p, HF_ERROR_FORMAT, "this property is not understood");
    memcpy(to->name, h->words[h->count - 1], sizeof to->name);
    p->property_count++;
    p->elements[p->element_count - 1].property_count++;
    return HF_OK;
}

static hf_status read_element(ply* p, const header_line* h) {
    if (p->element_count == MAX_ELEMENTS)
        return fail_at(p, HF_ERROR_LIMIT, "has more than %d elements", MAX_ELEMENTS);
    char* end = NULL;
    bool digits = h->count == 3 && h->words[2][0] >= '0' && h->words[2][0] <= '9';
    uint64_t count = digits ? strtoull(h->words[2], &end, 10) : 0;
    if (!digits || *end || strlen(h->words[2]) > 18)
        return fail_at(p, HF_ERROR_FORMAT, "an element needs a name and a count");
    element* to = &p->elements[p->element_count++];
    *to = (element){.count = count, .first_property = p->property_count, .line = p->line};
    memcpy(to->name, h->words[1], sizeof to->name);
    return HF_OK;
}

static hf_status read_format(ply* p, const header_line* h) {
    static const char* const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = 0; h->count >= 2 && i < 3; i++) {
        if (strcmp(h->words[1], names[i]) != 0) continue;
        p->encoding = (encoding)i;
        if (h->count < 3 || strcmp(h->words[2], "1.0") != 0)
            return fail_at(p, HF_ERROR_FORMAT, "only format version 1.0 is known");
        return HF_OK;
    }
    return fail_at(p, HF_ERROR_FORMAT, "the format must be ascii, binary_little_endian or binary_big_endian");
}

static hf_status read_header(ply* p) {
    header_line h;
    bool format_seen = false;
    if (!next_header_line(p, &h) || h.count != 1 || strcmp(h.words[0], "ply") != 0)
        return fail_at(p, HF_ERROR_FORMAT, "is no PLY: the first line must be \"ply\"");
    while (next_header_line(p, &h) && p->line < MAX_HEADER_LINES) {
        const char* word = h.count ? h.words[0] : "comment";
        hf_status status = HF_OK;
        if (strcmp(word, "end_header") == 0) {
            return format_seen ? HF_OK : fail_at(p, HF_ERROR_FORMAT, "the header has no format line");
        } else if (strcmp(word, "format") == 0) {
            status = read_format(p, &h);
            format_seen = true;
        } else if (strcmp(word, "element") == 0) {
            status = read_element(p, &h);
        } else if (strcmp(word, "property") == 0) {
            status = read_property(p, &h);
        } else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0) {
            status = fail_at(p, HF_ERROR_FORMAT, "\"%s\" is no header word", word);
        }
        if (status != HF_OK) return status;
    }
    return fail_at(p, HF_ERROR_FORMAT, "the header does not end");
}

/* ---- Numbers ---- */

static hf_status fail_short(const ply* p) {
    return fail_at(p, HF_ERROR_FORMAT, "the file ends inside the data");
}

static double binary_number(const ply* p, number_type type) {
    unsigned char b[8];
    int n = type_size[type];
    for (int i = 0; i < n; i++) b[i] = (unsigned char)p->s[p->swap ? n - 1 - i : i];
    int8_t i8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    float f32;
    double f64;
    switch (type) {
    case I8:
        memcpy(&i8, b, 1);
        return i8;
    case U8:
        return b[0];
    case I16:
        memcpy(&i16, b, 2);
        return i16;
    case U16:
        memcpy(&u16, b, 2);
        return u16;
    case I32:
        memcpy(&i32, b, 4);
        return i32;
    case U32:
        memcpy(&u32, b, 4);
        return u32;
    case F32:
        memcpy(&f32, b, 4);
        return (double)f32;
    default:
        memcpy(&f64, b, 8);
        return f64;
    }
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_blanks(ply* p) {
    for (; p->s < p->end && is_blank(*p->s); p->s++) p->line += *p->s == '\n';
}

/* The next number; value NULL passes over it, whatever it is. */
static hf_status read_number(ply* p, number_type type, double* value) {
    if (p->encoding != ASCII) {
        if (p->end - p->s < type_size[type]) return fail_short(p);
        if (value) *value = binary_number(p, type);
        p->s += type_size[type];
        return HF_OK;
    }
    skip_blanks(p);
    const char* word = p->s;
    while (p->s < p->end && !is_blank(*p->s)) p->s++;
    if (p->s == word) return fail_short(p);
    const char* end;
    if (value && (!hf_parse_double(word, p->s, &end, value) || end != p->s)) {
        int n = p->s - word > 40 ? 40 : (int)(p->s - word);
        return fail_at(p, HF_ERROR_FORMAT, "\"%.*s\" is not a finite number", n, word);
    }
    return HF_OK;
}

/* Length of a list, checked against what the file can still hold. */
static hf_status read_list_count(ply* p, const property* list, uint64_t* count) {
    double value = 0;
    hf_status status = read_number(p, list->count_type, &value);
    if (status != HF_OK) return status;
    if (!(value >= 0) || value != floor(value))
        return fail_at(p, HF_ERROR_FORMAT, "%g cannot be the length of a list", value);
    double least = p->encoding == ASCII ? 1 : type_size[list->type];
    if (value * least > (double)(p->end - p->s)) return fail_short(p);
    *count = (uint64_t)value;
    return HF_OK;
}

static hf_status skip_property(ply* p, const property* what) {
    uint64_t count = 1;
    hf_status status = what->list ? read_list_count(p, what, &count) : HF_OK;
    if (status == HF_OK && p->encoding != ASCII) {
        size_t bytes = (size_t)count * (size_t)type_size[what->type];
        if ((size_t)(p->end - p->s) < bytes) return fail_short(p);
        p->s += bytes;
        return HF_OK;
    }
    for (uint64_t i = 0; i < count && status == HF_OK; i++) status = read_number(p, what->type, NULL);
    return status;
}

/* ---- Rows ---- */

static hf_status read_vertex_row(ply* p, const element* e, const int axis[3]) {
    double xyz[3] = {0};
    for (int i = 0; i < e->property_count; i++) {
        const property* what = &p->properties[e->first_property + i];
        int k = i == axis[0] ? 0 : i == axis[1] ? 1 : i == axis[2] ? 2 : -1;
        hf_status status = k >= 0 ? read_number(p, what->type, &xyz[k]) : skip_property(p, what);
        if (status != HF_OK) return status;
    }
    char field[64] = "";
    if (p->line == 0) snprintf(field, sizeof field, "vertex %llu", (unsigned long long)p->row);
    return hf_mesh_draft_add_vertex(p->draft, p->line, field, xyz);
}

static hf_status read_corners(ply* p, const property* list, uint64_t vertices) {
    uint64_t count = 0;
    hf_status status = read_list_count(p, list, &count);
    for (uint64_t i = 0; i < count && status == HF_OK; i++) {
        double index = 0;
        status = read_number(p, list->type, &index);
        if (status != HF_OK) break;
        if (!(index >= 0 && index < (double)vertices) || index != floor(index))
            return fail_at(p, HF_ERROR_FORMAT, "vertex %.15g does not exist, there are %llu", index,
                           (unsigned long long)vertices);
        status = hf_mesh_draft_add_corner(p->draft, (uint32_t)index);
    }
    return status;
}

static hf_status read_face_row(ply* p, const element* e, int corners) {
    int line = p->line;
    for (int i = 0; i < e->property_count; i++) {
        const property* what = &p->properties[e->first_property + i];
        hf_status status =
            i == corners ? read_corners(p, what, (uint64_t)p->draft->vertex_count) : skip_property(p, what);
        if (status != HF_OK) return status;
        if (i == 0) line = p->line;
    }
    char field[64] = "";
    if (p->line == 0) snprintf(field, sizeof field, "face %llu", (unsigned long long)p->row);
    return hf_mesh_draft_add_polygon(p->draft, line, field);
}

static int find_property(const ply* p, const element* e, const char* name, bool list) {
    for (int i = 0; i < e->property_count; i++) {
        const property* what = &p->properties[e->first_property + i];
        if (what->list == list && strcmp(what->name, name) == 0) return i;
    }
    return -1;
}

/* The least number of bytes a row can take. */
static uint64_t least_row_bytes(const ply* p, const element* e) {
    uint64_t bytes = 0;
    for (int i = 0; i < e->property_count; i++) {
        const property* what = &p->properties[e->first_property + i];
        bytes += p->encoding == ASCII ? 2 : (uint64_t)type_size[what->list ? what->count_type : what->type];
    }
    return bytes;
}

/* What to do with the rows of an element in one walk over the data. */
typedef enum row_kind { SKIP_ROW, VERTEX_ROW, FACE_ROW } row_kind;

static hf_status read_rows(ply* p, const element* e, row_kind kind) {
    int axis[3] = {-1, -1, -1}, corners = -1;
    uint64_t least = least_row_bytes(p, e);
    /* The last number of an ASCII file needs no blank after it. */
    uint64_t room = (uint64_t)(p->end - p->s) + (p->encoding == ASCII);
    if (least > 0 && e->count > room / least) {
        p->place = NULL;
        return hf_fail(p->draft->error, HF_ERROR_FORMAT, p->draft->path, e->line, NULL,
                       "%llu rows of \"%s\" do not fit into the file", (unsigned long long)e->count, e->name);
    }
    if (kind == VERTEX_ROW) {
        static const char* const names[] = {"x", "y", "z"};
        for (int k = 0; k < 3; k++) {
            axis[k] = find_property(p, e, names[k], false);
            if (axis[k] < 0)
                return hf_fail(p->draft->error, HF_ERROR_FORMAT, p->draft->path, e->line, NULL,
                               "vertices have no number \"%s\"", names[k]);
        }
    } else if (kind == FACE_ROW) {
        corners = find_property(p, e, "vertex_indices", true);
        if (corners < 0) corners = find_property(p, e, "vertex_index", true);
        if (corners < 0)
            return hf_fail(p->draft->error, HF_ERROR_FORMAT, p->draft->path, e->line, NULL,
                           "faces have no list \"vertex_indices\"");
    }
    p->place = e->name;
    hf_status status = HF_OK;
    uint64_t count = least > 0 ? e->count : 0;
    for (p->row = 0; p->row < count && status == HF_OK; p->row++) {
        if (kind == VERTEX_ROW)
            status = read_vertex_row(p, e, axis);
        else if (kind == FACE_ROW)
            status = read_face_row(p, e, corners);
        else
            for (int i = 0; i < e->property_count && status == HF_OK; i++)
                status = skip_property(p, &p->properties[e->first_property + i]);
    }
    return status;
}

static int find_element(const ply* p, const char* name) {
    for (int i = 0; i < p->element_count; i++)
        if (strcmp(p->elements[i].name, name) == 0) return i;
    return -1;
}

/* One walk over all elements up to `last`, reading the rows of one and passing over the others. */
static hf_status walk(ply* p, int wanted, row_kind kind) {
    hf_status status = HF_OK;
    for (int i = 0; i <= wanted && status == HF_OK; i++)
        status = read_rows(p, &p->elements[i], i == wanted ? kind : SKIP_ROW);
    return status;
}

/* Vertices first, wherever they stand; then faces, from the start of the data or from behind the vertices. */
static hf_status read_data(ply* p) {
    int vertex = find_element(p, "vertex"), face = find_element(p, "face");
    if (vertex < 0)
        return hf_fail(p->draft->error, HF_ERROR_FORMAT, p->draft->path, 0, NULL, "has no vertices");
    if (face < 0) {
        bool strips = find_element(p, "tristrips") >= 0;
        return hf_fail(p->draft->error, HF_ERROR_FORMAT, p->draft->path, 0, NULL, "has no triangles%s",
                       strips ? " (triangle strips are not read)" : "");
    }
    ply start = *p;
    hf_status status = walk(p, vertex, VERTEX_ROW);
    if (status != HF_OK) return status;
    if (face > vertex) {
        for (int i = vertex + 1; i <= face && status == HF_OK; i++)
            status = read_rows(p, &p->elements[i], i == face ? FACE_ROW : SKIP_ROW);
        return status;
    }
    p->s = start.s;
    p->line = start.line;
    return walk(p, face, FACE_ROW);
}

hf_status hf_ply_read(hf_mesh_draft* draft) {
    ply* p = hf_alloc(1, sizeof *p);
    if (!p) return hf_fail_memory(draft->error, draft->path);
    *p = (ply){.draft = draft, .s = draft->bytes, .end = draft->bytes + draft->size};
    hf_status status = read_header(p);
    if (status == HF_OK) {
        const uint16_t one = 1;
        bool little = *(const unsigned char*)&one == 1;
        p->swap = p->encoding == (little ? BIG : LITTLE);
        if (p->encoding == ASCII)
            p->line++;
        else
            p->line = 0;
        status = read_data(p);
    }
    hf_free(p);
    return status;
}
