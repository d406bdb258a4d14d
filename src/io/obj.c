/* Wavefront OBJ: vertices and faces; everything else is passed over. Two walks, because faces may name
   vertices that come later: the first reads vertices, the second faces. */
#include "base/error.h"
#include "base/memory.h"
#include "io/mesh_draft.h"

#include <limits.h>
#include <string.h>

typedef struct walker {
    hf_mesh_draft* draft;
    const char *s, *end;
    char newline; /* LF, or CR in files that have no LF */
    int line;
} walker;

static hf_status fail_here(const walker* w, const char* why) {
    return hf_fail(w->draft->error, HF_ERROR_FORMAT, w->draft->path, w->line, NULL, "%s", why);
}

/* A backslash at the end of a line joins it with the next one. */
static bool joins_lines(const walker* w, const char* backslash) {
    const char* n = backslash + 1;
    if (n < w->end && *n == '\r' && w->newline == '\n') n++;
    return n < w->end && *n == w->newline;
}

static void skip_blanks(walker* w) {
    for (; w->s < w->end; w->s++) {
        char c = *w->s;
        if (c == w->newline) return;
        if (c == '\\' && joins_lines(w, w->s)) {
            while (*w->s != w->newline) w->s++;
            w->line++;
        } else if (c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f') {
            return;
        }
    }
}

static bool at_word_end(const walker* w) {
    if (w->s >= w->end) return true;
    char c = *w->s;
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' ||
           (c == '\\' && joins_lines(w, w->s));
}

/* Only blanks or a comment are left in this line. */
static bool at_line_end(walker* w) {
    skip_blanks(w);
    return w->s >= w->end || *w->s == w->newline || *w->s == '#';
}

/* Moves to the start of the next line; comments are not continued by a backslash. */
static void skip_line(walker* w) {
    bool comment = w->s < w->end && *w->s == '#';
    while (w->s < w->end) {
        const char* n = memchr(w->s, w->newline, (size_t)(w->end - w->s));
        if (!n) {
            w->s = w->end;
            return;
        }
        const char* last = n > w->s && n[-1] == '\r' ? n - 1 : n;
        bool joined = !comment && last > w->s && last[-1] == '\\';
        w->s = n + 1;
        w->line++;
        if (!joined) return;
    }
}

/* The word at s, without moving. */
static size_t word_length(const walker* w) {
    walker look = *w;
    while (!at_word_end(&look)) look.s++;
    return (size_t)(look.s - w->s);
}

static bool is_word(const walker* w, size_t length, const char* word) {
    return strlen(word) == length && memcmp(w->s, word, length) == 0;
}

static hf_status read_vertex(walker* w) {
    double xyz[3];
    for (int i = 0; i < 3; i++) {
        if (at_line_end(w)) return fail_here(w, "a vertex needs three numbers");
        const char* end;
        size_t length = word_length(w);
        if (!hf_parse_double(w->s, w->end, &end, &xyz[i]) || end != w->s + length)
            return hf_fail(w->draft->error, HF_ERROR_FORMAT, w->draft->path, w->line, NULL,
                           "\"%.*s\" is not a finite number", length > 60 ? 60 : (int)length, w->s);
        w->s = end;
    }
    /* A weight or a colour may follow. */
    return hf_mesh_draft_add_vertex(w->draft, w->line, NULL, xyz);
}

static bool parse_index(walker* w, int64_t* value) {
    bool negative = w->s < w->end && *w->s == '-';
    const char* s = w->s + negative;
    int64_t v = 0;
    const char* digits = s;
    for (; s < w->end && *s >= '0' && *s <= '9'; s++)
        if (v < INT_MAX) v = v * 10 + (*s - '0');
    if (s == digits) return false;
    w->s = s;
    *value = negative ? -v : v;
    return true;
}

/* One of 7, 7/1, 7//2, 7/1/2; negative numbers count back from the vertex read last. */
static hf_status read_corner(walker* w, int vertices_so_far) {
    const char* word = w->s;
    size_t length = word_length(w);
    int64_t index = 0, ignored;
    bool good = parse_index(w, &index);
    for (int i = 0; good && i < 2 && w->s < w->end && *w->s == '/'; i++) {
        w->s++;
        if (!at_word_end(w) && *w->s != '/') good = parse_index(w, &ignored);
    }
    if (!good || !at_word_end(w))
        return hf_fail(w->draft->error, HF_ERROR_FORMAT, w->draft->path, w->line, NULL,
                       "\"%.*s\" is not a corner of a face", length > 60 ? 60 : (int)length, word);
    int64_t vertex = index < 0 ? vertices_so_far + index : index - 1;
    if (vertex < 0 || vertex >= w->draft->vertex_count)
        return hf_fail(w->draft->error, HF_ERROR_FORMAT, w->draft->path, w->line, NULL,
                       "vertex %lld does not exist, there are %d", (long long)index, w->draft->vertex_count);
    return hf_mesh_draft_add_corner(w->draft, (uint32_t)vertex);
}

static hf_status read_face(walker* w, int vertices_so_far) {
    int line = w->line;
    hf_status status = HF_OK;
    while (status == HF_OK && !at_line_end(w)) status = read_corner(w, vertices_so_far);
    return status == HF_OK ? hf_mesh_draft_add_polygon(w->draft, line, NULL) : status;
}

static hf_status read_vertices(walker w) {
    hf_status status = HF_OK;
    while (w.s < w.end && status == HF_OK) {
        skip_blanks(&w);
        if (w.end - w.s > 1 && *w.s == 'v' && is_word(&w, word_length(&w), "v")) {
            w.s++;
            status = read_vertex(&w);
        }
        if (status == HF_OK) skip_line(&w);
    }
    return status;
}

/* What was passed over, to be told at the end. */
typedef struct passed {
    int lines, points, curves, unknown;
    int unknown_line;
    char unknown_word[32];
} passed;

static void pass_over(const walker* w, size_t length, passed* p) {
    static const char* const silent[] = {
        "vn",     "vt",     "vp",         "g",         "o",     "s",        "mg",       "usemtl", "mtllib",
        "usemap", "maplib", "shadow_obj", "trace_obj", "bevel", "c_interp", "d_interp", "lod",    "v"};
    static const char* const curves[] = {"cstype", "deg",  "bmat", "step", "curv", "curv2", "surf",  "parm",
                                         "trim",   "hole", "scrv", "sp",   "end",  "con",   "ctech", "stech"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (is_word(w, length, silent[i])) return;
    if (is_word(w, length, "l")) {
        p->lines++;
        return;
    }
    if (is_word(w, length, "p")) {
        p->points++;
        return;
    }
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        if (!is_word(w, length, curves[i])) continue;
        p->curves++;
        return;
    }
    if (p->unknown++ > 0) return;
    p->unknown_line = w->line;
    size_t n = length < sizeof p->unknown_word - 1 ? length : sizeof p->unknown_word - 1;
    for (size_t i = 0; i < n; i++)
        p->unknown_word[i] = (char)(w->s[i] >= 32 && w->s[i] < 127 ? w->s[i] : '?');
    p->unknown_word[n] = 0;
}

static hf_status tell_passed(hf_mesh_draft* draft, const passed* p) {
    hf_lines* to = &draft->warnings;
    bool good = true;
    if (p->lines) good = hf_lines_add(to, "%d line elements are left out", p->lines);
    if (good && p->points) good = hf_lines_add(to, "%d point elements are left out", p->points);
    if (good && p->curves) good = hf_lines_add(to, "free-form curves and surfaces are left out");
    if (good && p->unknown)
        good = hf_lines_add(to, "unknown statements are left out: %d (the first, \"%s\", in line %d)",
                            p->unknown, p->unknown_word, p->unknown_line);
    return good ? HF_OK : hf_fail_memory(draft->error, draft->path);
}

static hf_status read_faces(walker w) {
    passed p = {0};
    int vertices_so_far = 0;
    hf_status status = HF_OK;
    while (w.s < w.end && status == HF_OK) {
        if (!at_line_end(&w)) {
            size_t length = word_length(&w);
            bool face = is_word(&w, length, "f") || is_word(&w, length, "fo");
            vertices_so_far += is_word(&w, length, "v");
            if (!face) pass_over(&w, length, &p);
            w.s += face ? length : 0;
            if (face) status = read_face(&w, vertices_so_far);
        }
        if (status == HF_OK) skip_line(&w);
    }
    return status == HF_OK ? tell_passed(w.draft, &p) : status;
}

/* UTF-16 to bytes: letters beyond ASCII stand only in names and become '?'. */
static hf_status narrow(hf_mesh_draft* draft, char** bytes, size_t* size) {
    bool big = (unsigned char)draft->bytes[0] == 0xfe;
    if (draft->size % 2)
        return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL,
                       "is UTF-16 text that ends inside a character");
    *size = draft->size / 2 - 1;
    *bytes = hf_alloc(*size + 1, 1);
    if (!*bytes) return hf_fail_memory(draft->error, draft->path);
    for (size_t i = 0; i < *size; i++) {
        const char* unit = draft->bytes + 2 + 2 * i;
        char high = unit[!big], low = unit[big];
        (*bytes)[i] = (char)(high == 0 && (unsigned char)low < 128 ? low : '?');
    }
    return HF_OK;
}

static hf_status read_text(hf_mesh_draft* draft, const char* bytes, size_t size) {
    const char* zero = memchr(bytes, 0, size);
    if (zero)
        return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL,
                       "is no OBJ text: byte %zu is zero", (size_t)(zero - bytes));
    walker w = {.draft = draft, .s = bytes, .end = bytes + size, .line = 1};
    w.newline = memchr(bytes, '\n', size) ? '\n' : '\r';
    hf_status status = read_vertices(w);
    return status == HF_OK ? read_faces(w) : status;
}

hf_status hf_obj_read(hf_mesh_draft* draft) {
    const unsigned char* b = (const unsigned char*)draft->bytes;
    size_t size = draft->size;
    if (size >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff))) {
        char* bytes = NULL;
        hf_status status = narrow(draft, &bytes, &size);
        if (status == HF_OK) status = read_text(draft, bytes, size);
        hf_free(bytes);
        return status;
    }
    bool marked = size >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0;
    return read_text(draft, draft->bytes + (marked ? 3 : 0), size - (marked ? 3 : 0));
}
