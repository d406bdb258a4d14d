/* STL, binary and ASCII. A binary header may begin with "solid", so the size decides: 84 + 50 n bytes are
   binary. Normals are recomputed by whoever needs them; equal vertices become one. */
#include "base/error.h"
#include "io/mesh_draft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HEADER_BYTES = 84, FACET_BYTES = 50 };

static uint32_t little_u32(const char* p) {
    const unsigned char* b = (const unsigned char*)p;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float little_float(const char* p) {
    uint32_t bits = little_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static hf_status read_facet(hf_mesh_draft* draft, const char* facet, uint32_t number) {
    uint32_t corner[3];
    for (int k = 0; k < 3; k++) {
        const char* p = facet + 12 + 12 * k;
        float at[3] = {little_float(p), little_float(p + 4), little_float(p + 8)};
        char field[32] = "";
        if (!isfinite(at[0] + at[1] + at[2])) snprintf(field, sizeof field, "triangle %u", number + 1);
        hf_status status = hf_mesh_draft_weld_vertex(draft, field, at, &corner[k]);
        if (status != HF_OK) return status;
    }
    return hf_mesh_draft_add_triangle(draft, corner[0], corner[1], corner[2]);
}

static hf_status read_binary(hf_mesh_draft* draft, uint32_t count) {
    if (count > HF_MESH_MAX_TRIANGLES)
        return hf_fail(draft->error, HF_ERROR_LIMIT, draft->path, 0, NULL, "has more than %d triangles",
                       HF_MESH_MAX_TRIANGLES);
    size_t extra = draft->size - HEADER_BYTES - (size_t)count * FACET_BYTES;
    if (extra && !hf_lines_add(&draft->warnings, "%zu bytes after the last triangle are left out", extra))
        return hf_fail_memory(draft->error, draft->path);
    hf_status status = HF_OK;
    for (uint32_t i = 0; i < count && status == HF_OK; i++)
        status = read_facet(draft, draft->bytes + HEADER_BYTES + (size_t)i * FACET_BYTES, i);
    return status;
}

/* Words of an ASCII file. */
typedef struct words {
    hf_mesh_draft* draft;
    const char *s, *end;
    int line;
    const char* word;
    size_t length;
} words;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* False at the end of the file. */
static bool next_word(words* w) {
    for (; w->s < w->end && is_blank(*w->s); w->s++) w->line += *w->s == '\n';
    w->word = w->s;
    while (w->s < w->end && !is_blank(*w->s)) w->s++;
    w->length = (size_t)(w->s - w->word);
    return w->length > 0;
}

static bool word_is(const words* w, const char* text) {
    return strlen(text) == w->length && strncasecmp(w->word, text, w->length) == 0;
}

static void skip_line(words* w) {
    while (w->s < w->end && *w->s != '\n' && *w->s != '\r') w->s++;
}

static hf_status fail_word(const words* w, const char* expected) {
    if (w->length == 0)
        return hf_fail(w->draft->error, HF_ERROR_FORMAT, w->draft->path, w->line, NULL,
                       "the file ends where %s is expected", expected);
    char shown[61];
    size_t n = w->length < sizeof shown - 1 ? w->length : sizeof shown - 1;
    for (size_t i = 0; i < n; i++) shown[i] = (char)(w->word[i] >= 32 && w->word[i] < 127 ? w->word[i] : '?');
    shown[n] = 0;
    return hf_fail(w->draft->error, HF_ERROR_FORMAT, w->draft->path, w->line, NULL,
                   "\"%s\" stands where %s is expected", shown, expected);
}

static hf_status expect(words* w, const char* text) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", text);
    return next_word(w) && word_is(w, text) ? HF_OK : fail_word(w, quoted);
}

static hf_status read_vertex(words* w, uint32_t* vertex) {
    hf_status status = expect(w, "vertex");
    float at[3] = {0};
    for (int i = 0; i < 3 && status == HF_OK; i++) {
        double value = 0;
        const char* end = NULL;
        if (!next_word(w) || !hf_parse_double(w->word, w->s, &end, &value) || end != w->s ||
            !isfinite((float)value))
            return fail_word(w, "a finite number");
        at[i] = (float)value;
    }
    return status == HF_OK ? hf_mesh_draft_weld_vertex(w->draft, NULL, at, vertex) : status;
}

/* After "facet": the normal may be anything, even absent. */
static hf_status read_text_facet(words* w) {
    for (int i = 0; i < 5 && next_word(w) && !word_is(w, "outer"); i++) {}
    if (!word_is(w, "outer")) return fail_word(w, "\"outer loop\"");
    uint32_t corner[3] = {0};
    hf_status status = expect(w, "loop");
    for (int k = 0; k < 3 && status == HF_OK; k++) status = read_vertex(w, &corner[k]);
    if (status == HF_OK) status = expect(w, "endloop");
    if (status == HF_OK) status = expect(w, "endfacet");
    return status == HF_OK ? hf_mesh_draft_add_triangle(w->draft, corner[0], corner[1], corner[2]) : status;
}

/* One or more solids, each closed by "endsolid". */
static hf_status read_text(hf_mesh_draft* draft) {
    words w = {.draft = draft, .s = draft->bytes, .end = draft->bytes + draft->size, .line = 1};
    while (next_word(&w)) {
        if (!word_is(&w, "solid")) return fail_word(&w, "\"solid\"");
        skip_line(&w);
        for (;;) {
            bool any = next_word(&w);
            if (any && word_is(&w, "endsolid")) break;
            if (!any || !word_is(&w, "facet")) return fail_word(&w, "\"facet\" or \"endsolid\"");
            hf_status status = read_text_facet(&w);
            if (status != HF_OK) return status;
        }
        skip_line(&w);
    }
    return HF_OK;
}

static bool begins_with_solid(const hf_mesh_draft* draft) {
    const char *s = draft->bytes, *end = s + draft->size;
    while (s < end && is_blank(*s)) s++;
    return end - s >= 5 && strncasecmp(s, "solid", 5) == 0;
}

hf_status hf_stl_read(hf_mesh_draft* draft) {
    size_t size = draft->size;
    if (size == 0) return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL, "is empty");
    uint32_t count = size >= HEADER_BYTES ? little_u32(draft->bytes + 80) : 0;
    size_t wanted = HEADER_BYTES + (size_t)count * FACET_BYTES;
    if (size == wanted) return read_binary(draft, count);
    /* A text has no zero bytes; a header that begins with "solid" has, unless it is filled with blanks. */
    bool text = begins_with_solid(draft) && !memchr(draft->bytes, 0, size);
    if (text) return read_text(draft);
    if (size < HEADER_BYTES)
        return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL,
                       "is no STL: neither a text that begins with \"solid\" nor 84 bytes of header");
    if (size < wanted)
        return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL,
                       "is cut short or no STL: %u triangles need %zu bytes, there are %zu", count, wanted,
                       size);
    return read_binary(draft, count);
}
