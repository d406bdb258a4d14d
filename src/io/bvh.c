/* Reading and writing BVH as real files are: tabs, CRLF, any channel order, six channels on any joint,
   fused numbers ("-1.5-2.3"), spaces and colons in names, a frame count that is wrong by one. */
#include "io/bvh.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/byte_buffer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_BYTES = 1 << 27, MAX_JOINTS = 8192, MAX_NAME = 120 };

static const char* const channel_names[6] = {"Xposition", "Yposition", "Zposition",
                                             "Xrotation", "Yrotation", "Zrotation"};

typedef struct reader {
    const char *path, *s, *end;
    int line;
    hf_clip* clip;
    int joint_capacity, value_capacity, value_count;
    int current;      /* joint whose braces are open, -1 outside */
    bool* has_offset; /* of each joint; grows with joints */
    int has_offset_capacity;
    hf_lines warnings;
    hf_error* error;
} reader;

#define FAIL(r, ...) hf_fail((r)->error, HF_ERROR_FORMAT, (r)->path, (r)->line, NULL, __VA_ARGS__)

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static void skip_space(reader* r) {
    for (; r->s < r->end && is_space(*r->s); r->s++) r->line += *r->s == '\n';
}

/* The next word; a brace is a word of its own. Empty at the end of the file. */
static size_t next_word(reader* r, const char** word) {
    skip_space(r);
    *word = r->s;
    if (r->s < r->end && (*r->s == '{' || *r->s == '}'))
        r->s++;
    else
        while (r->s < r->end && !is_space(*r->s) && *r->s != '{' && *r->s != '}') r->s++;
    return (size_t)(r->s - *word);
}

static bool same(const char* word, size_t length, const char* text) {
    return strlen(text) == length && strncasecmp(word, text, length) == 0;
}

static hf_status expect(reader* r, const char* text) {
    const char* word;
    size_t n = next_word(r, &word);
    if (same(word, n, text)) return HF_OK;
    if (n == 0) return FAIL(r, "the file ends where \"%s\" is expected", text);
    return FAIL(r, "\"%s\" is expected, not \"%.*s\"", text, (int)(n < 40 ? n : 40), word);
}

static hf_status read_number(reader* r, const char* what, double* value) {
    skip_space(r);
    if (r->s >= r->end) return FAIL(r, "the file ends where %s is expected", what);
    const char* after;
    if (hf_parse_double(r->s, r->end, &after, value)) {
        r->s = after;
        return HF_OK;
    }
    const char* word;
    size_t n = next_word(r, &word);
    return FAIL(r, "%s is expected, not \"%.*s\"", what, (int)(n < 40 ? n : 40), word);
}

static hf_status read_count(reader* r, const char* what, int largest, int* value) {
    double number;
    hf_status status = read_number(r, what, &number);
    if (status != HF_OK) return status;
    if (!(number >= 0 && number <= largest) || number != (int)number)
        return FAIL(r, "%s is %g, a whole number up to %d is expected", what, number, largest);
    *value = (int)number;
    return HF_OK;
}

/* A name runs to the end of the line or to the brace. */
static hf_status read_name(reader* r, char name[MAX_NAME + 1]) {
    while (r->s < r->end && (*r->s == ' ' || *r->s == '\t')) r->s++;
    const char *from = r->s, *to = from;
    while (to < r->end && *to != '\n' && *to != '\r' && *to != '{') to++;
    r->s = to;
    while (to > from && is_space(to[-1])) to--;
    size_t n = (size_t)(to - from);
    if (n == 0) return FAIL(r, "a joint has no name");
    if (n > MAX_NAME) return FAIL(r, "a joint's name is longer than %d bytes", MAX_NAME);
    if (memchr(from, 0, n)) return FAIL(r, "a joint's name holds a zero byte");
    memcpy(name, from, n);
    name[n] = 0;
    return HF_OK;
}

static hf_status add_joint(reader* r, const char* name, bool end_site) {
    hf_clip* c = r->clip;
    if (c->joint_count >= MAX_JOINTS)
        return hf_fail(r->error, HF_ERROR_LIMIT, r->path, r->line, NULL, "more than %d joints", MAX_JOINTS);
    if (!HF_GROW(c->joints, r->joint_capacity, c->joint_count) ||
        !HF_GROW(r->has_offset, r->has_offset_capacity, c->joint_count))
        return hf_fail_memory(r->error, r->path);
    char* copy = hf_copy_text(name);
    if (!copy) return hf_fail_memory(r->error, r->path);
    c->joints[c->joint_count] = (hf_clip_joint){
        .name = copy, .parent = r->current, .first_channel = c->channel_count, .end_site = end_site};
    r->has_offset[c->joint_count] = false;
    c->end_site_count += end_site;
    r->current = c->joint_count++;
    return expect(r, "{");
}

static hf_status read_channels(reader* r) {
    hf_clip_joint* joint = &r->clip->joints[r->current];
    if (joint->end_site) return FAIL(r, "an end site has no channels");
    if (joint->channel_count) return FAIL(r, "joint \"%s\" has channels twice", joint->name);
    int count = 0;
    hf_status status = read_count(r, "the number of channels", 6, &count);
    unsigned seen = 0;
    for (int i = 0; i < count && status == HF_OK; i++) {
        const char* word;
        size_t n = next_word(r, &word);
        int channel = 0;
        while (channel < 6 && !same(word, n, channel_names[channel])) channel++;
        if (channel == 6) {
            char text[41] = "";
            memcpy(text, word, n < 40 ? n : 40);
            const char* near = hf_nearest_word(text, channel_names, 6);
            return near ? FAIL(r, "unknown channel \"%s\"; did you mean \"%s\"?", text, near)
                        : FAIL(r, "unknown channel \"%s\"", text);
        }
        if (seen >> channel & 1)
            return FAIL(r, "joint \"%s\" has channel %s twice", joint->name, channel_names[channel]);
        seen |= 1u << channel;
        joint->channels[i] = channel;
    }
    if (status != HF_OK) return status;
    joint->channel_count = count;
    joint->first_channel = r->clip->channel_count;
    r->clip->channel_count += count;
    return HF_OK;
}

static hf_status read_offset(reader* r) {
    if (r->has_offset[r->current])
        return FAIL(r, "joint \"%s\" has an offset twice", r->clip->joints[r->current].name);
    double v[3] = {0};
    for (int i = 0; i < 3; i++) {
        hf_status status = read_number(r, "an offset's number", &v[i]);
        if (status != HF_OK) return status;
        if (!(fabs(v[i]) < 1e9)) return FAIL(r, "an offset of %g is too large", v[i]);
    }
    r->clip->joints[r->current].offset = hf_v3(v[0], v[1], v[2]);
    r->has_offset[r->current] = true;
    return HF_OK;
}

/* One entry of the hierarchy. */
static hf_status read_entry(reader* r, const char* word, size_t n) {
    hf_clip* c = r->clip;
    char name[MAX_NAME + 1];
    hf_status status;
    bool root = same(word, n, "ROOT");
    if (root || same(word, n, "JOINT")) {
        if (root && c->joint_count) return FAIL(r, "a second ROOT: one skeleton a file is read");
        if (!root && r->current < 0) return FAIL(r, "a JOINT outside of a ROOT");
        if (!root && c->joints[r->current].end_site) return FAIL(r, "an end site has no children");
        status = read_name(r, name);
        return status == HF_OK ? add_joint(r, name, false) : status;
    }
    if (r->current < 0)
        return n ? FAIL(r, "ROOT or MOTION is expected, not \"%.*s\"", (int)(n < 40 ? n : 40), word)
                 : FAIL(r, "the file ends without a MOTION section");
    if (same(word, n, "End")) {
        if (c->joints[r->current].end_site) return FAIL(r, "an end site has no children");
        status = expect(r, "Site");
        /* Some files name their end sites; the name is of no use. */
        while (r->s < r->end && *r->s != '\n' && *r->s != '{') r->s++;
        return status == HF_OK ? add_joint(r, "End Site", true) : status;
    }
    if (same(word, n, "OFFSET")) return read_offset(r);
    if (same(word, n, "CHANNELS")) return read_channels(r);
    if (same(word, n, "}")) {
        if (!r->has_offset[r->current])
            return FAIL(r, "joint \"%s\" has no OFFSET", c->joints[r->current].name);
        r->current = c->joints[r->current].parent;
        return HF_OK;
    }
    if (n == 0) return FAIL(r, "the file ends inside joint \"%s\"", c->joints[r->current].name);
    return FAIL(r, "OFFSET, CHANNELS, JOINT, End Site or } is expected, not \"%.*s\"", (int)(n < 40 ? n : 40),
                word);
}

static hf_status read_hierarchy(reader* r) {
    /* A byte order mark is no part of the text. */
    if (r->end - r->s >= 3 && memcmp(r->s, "\xef\xbb\xbf", 3) == 0) r->s += 3;
    hf_status status = expect(r, "HIERARCHY");
    while (status == HF_OK) {
        const char* word;
        size_t n = next_word(r, &word);
        if (same(word, n, "MOTION") && r->current < 0 && r->clip->joint_count) return HF_OK;
        status = read_entry(r, word, n);
    }
    return status;
}

/* "Frames:" or "Frame Time:", with or without space before the colon. */
static hf_status expect_label(reader* r, const char* first, const char* second) {
    hf_status status = HF_OK;
    const char* words[2] = {first, second};
    for (int i = 0; i < 2 && words[i] && status == HF_OK; i++) {
        skip_space(r);
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - r->s) < n || strncasecmp(r->s, words[i], n) != 0)
            return FAIL(r, "\"%s%s%s:\" is expected", first, second ? " " : "", second ? second : "");
        r->s += n;
    }
    while (r->s < r->end && (*r->s == ' ' || *r->s == '\t')) r->s++;
    if (r->s >= r->end || *r->s != ':') return FAIL(r, "a colon is expected after \"%s\"", first);
    r->s++;
    return status;
}

/* Numbers to the end of the file. Frames may wrap over lines; a line that breaks the count is
   remembered for the message. */
static hf_status read_values(reader* r, int* odd_line) {
    hf_clip* c = r->clip;
    int line = r->line;
    *odd_line = 0;
    for (;;) {
        skip_space(r);
        if (r->line != line && !*odd_line && r->value_count % c->channel_count) *odd_line = line;
        line = r->line;
        if (r->s >= r->end) return HF_OK;
        if (!HF_GROW(c->values, r->value_capacity, r->value_count)) return hf_fail_memory(r->error, r->path);
        hf_status status = read_number(r, "a number", &c->values[r->value_count]);
        if (status != HF_OK) return status;
        if (!(fabs(c->values[r->value_count]) < 1e12)) return FAIL(r, "a value is too large");
        r->value_count++;
    }
}

static hf_status read_motion(reader* r) {
    hf_clip* c = r->clip;
    int declared = 0;
    hf_status status = expect_label(r, "Frames", NULL);
    if (status == HF_OK) status = read_count(r, "the number of frames", INT_MAX, &declared);
    if (status == HF_OK) status = expect_label(r, "Frame", "Time");
    if (status == HF_OK) status = read_number(r, "the frame time", &c->frame_time_s);
    if (status != HF_OK) return status;
    if (!(c->frame_time_s >= 1e-6 && c->frame_time_s <= 1e6))
        return FAIL(r, "a frame time of %g s makes no motion", c->frame_time_s);
    if (c->channel_count == 0) return FAIL(r, "no joint has channels");
    int odd_line;
    status = read_values(r, &odd_line);
    if (status != HF_OK) return status;
    if (r->value_count % c->channel_count) {
        if (odd_line) r->line = odd_line;
        return FAIL(r, "a frame is not whole: %d values for frames of %d channels", r->value_count,
                    c->channel_count);
    }
    c->frame_count = r->value_count / c->channel_count;
    if (c->frame_count != declared && (abs(c->frame_count - declared) > 1 || !c->frame_count))
        return FAIL(r, "%d frames are declared, %d are there", declared, c->frame_count);
    if (c->frame_count != declared &&
        !hf_lines_add(&r->warnings, "%d frames are declared, %d are there; all of them are used", declared,
                      c->frame_count))
        return hf_fail_memory(r->error, r->path);
    return HF_OK;
}

hf_status hf_bvh_read(const char* path, hf_clip** clip, hf_lines* warnings, hf_error* error) {
    char* bytes;
    size_t size;
    hf_status status = hf_file_read(path, &bytes, &size, error);
    if (status != HF_OK) return status;
    reader r = {.path = path, .s = bytes, .end = bytes + size, .line = 1, .current = -1, .error = error};
    r.clip = hf_alloc(1, sizeof *r.clip);
    if (!r.clip)
        status = hf_fail_memory(error, path);
    else if (size > MAX_BYTES)
        status = hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "is larger than 128 MiB");
    if (status == HF_OK) status = read_hierarchy(&r);
    if (status == HF_OK) status = read_motion(&r);
    hf_free(bytes);
    hf_free(r.has_offset);
    *warnings = r.warnings;
    *clip = r.clip;
    return status;
}

static void indent(hf_bytes* out, int depth) {
    for (int i = 0; i < depth; i++) hf_bytes_text(out, "\t");
}

/* Joints are written in their order; braces close until the next joint's parent is the open one. */
static bool write_hierarchy(const hf_clip* clip, hf_bytes* out) {
    int open = -1, depth = 0;
    hf_bytes_text(out, "HIERARCHY\n");
    for (int i = 0; i <= clip->joint_count; i++) {
        int parent = i < clip->joint_count ? clip->joints[i].parent : -1;
        while (open != parent && open >= 0) {
            indent(out, --depth);
            hf_bytes_text(out, "}\n");
            open = clip->joints[open].parent;
        }
        if (open != parent || (i > 0 && i < clip->joint_count && parent < 0)) return false;
        if (i == clip->joint_count) break;
        const hf_clip_joint* joint = &clip->joints[i];
        indent(out, depth);
        if (joint->end_site)
            hf_bytes_text(out, "End Site\n");
        else
            hf_bytes_format(out, "%s %s\n", i ? "JOINT" : "ROOT", joint->name);
        indent(out, depth++);
        hf_bytes_text(out, "{\n");
        indent(out, depth);
        hf_bytes_text(out, "OFFSET ");
        hf_bytes_numbers(out, (double[3]){joint->offset.x, joint->offset.y, joint->offset.z}, 3, " ");
        hf_bytes_text(out, "\n");
        if (!joint->end_site) {
            indent(out, depth);
            hf_bytes_format(out, "CHANNELS %d", joint->channel_count);
            for (int k = 0; k < joint->channel_count; k++)
                hf_bytes_format(out, " %s", channel_names[joint->channels[k]]);
            hf_bytes_text(out, "\n");
        }
        open = i;
    }
    return true;
}

hf_status hf_clip_save(const hf_clip* clip, const char* path, hf_error* error) {
    HF_REQUIRE(error, clip && path);
    hf_bytes out = {0};
    hf_status status = HF_OK;
    if (!write_hierarchy(clip, &out))
        status = hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                         "the clip's joints are not listed branch by branch from one root");
    hf_bytes_format(&out, "MOTION\nFrames: %d\nFrame Time: ", clip->frame_count);
    hf_bytes_number(&out, clip->frame_time_s);
    hf_bytes_text(&out, "\n");
    for (int f = 0; f < clip->frame_count; f++) {
        hf_bytes_numbers(&out, clip->values + (size_t)f * (size_t)clip->channel_count, clip->channel_count,
                         " ");
        hf_bytes_text(&out, "\n");
    }
    if (status == HF_OK) status = hf_bytes_save(&out, path, error);
    hf_bytes_free(&out);
    return status;
}
