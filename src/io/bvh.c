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
static const double degree = 3.14159265358979323846 / 180;

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

hf_quat hf_clip_joint_turn(const hf_clip* clip, int joint, int frame) {
    const hf_clip_joint* j = &clip->joints[joint];
    hf_quat turn = hf_quat_identity();
    if (frame < 0) return turn;
    const double* values = clip->values + (size_t)frame * (size_t)clip->channel_count + j->first_channel;
    for (int i = 0; i < j->channel_count; i++) {
        if (j->channels[i] < 3) continue;
        int axis = j->channels[i] - 3;
        hf_vec3 unit = hf_v3(axis == 0, axis == 1, axis == 2);
        turn = hf_quat_mul(turn, hf_quat_axis_angle(unit, remainder(values[i], 360) * degree));
    }
    return turn;
}

hf_transform hf_clip_joint_pose(const hf_clip* clip, int joint, int frame) {
    const hf_clip_joint* j = &clip->joints[joint];
    double p[3] = {j->offset.x, j->offset.y, j->offset.z};
    if (frame >= 0) {
        const double* values = clip->values + (size_t)frame * (size_t)clip->channel_count + j->first_channel;
        for (int i = 0; i < j->channel_count; i++)
            if (j->channels[i] < 3) p[j->channels[i]] = values[i];
    }
    hf_transform pose = {hf_v3(p[0], p[1], p[2]), hf_clip_joint_turn(clip, joint, frame)};
    return pose;
}

hf_quat hf_clip_world_turn(const hf_clip* clip) {
    const double h = 0.70710678118654752440;
    hf_quat turn = {h, h, 0, 0};
    return clip->z_up ? hf_quat_identity() : turn;
}

void hf_clip_forward(const hf_clip* clip, int frame, hf_transform* joints) {
    hf_quat turn = hf_clip_world_turn(clip);
    for (int i = 0; i < clip->joint_count; i++) {
        hf_transform local = hf_clip_joint_pose(clip, i, frame);
        local.position = hf_scale(local.position, clip->unit_m);
        hf_transform parent =
            clip->joints[i].parent >= 0 ? joints[clip->joints[i].parent] : (hf_transform){{0, 0, 0}, turn};
        joints[i] = hf_compose(parent, local);
    }
}

/* Extents along y and z in one pose, and the root's height over the lowest joint, in file units. */
typedef struct extents {
    double y, z, root_y, root_z;
} extents;

static extents measure(const hf_clip* clip, int frame, hf_transform* poses) {
    hf_vec3 low = {0}, high = {0};
    for (int i = 0; i < clip->joint_count; i++) {
        hf_transform local = hf_clip_joint_pose(clip, i, frame);
        int parent = clip->joints[i].parent;
        poses[i] = parent < 0 ? local : hf_compose(poses[parent], local);
        hf_vec3 p = poses[i].position;
        low = i ? hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)) : p;
        high = i ? hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)) : p;
    }
    hf_vec3 root = poses[0].position;
    extents e = {high.y - low.y, high.z - low.z, root.y - low.y, root.z - low.z};
    return e;
}

/* A unit that is given and this many times the guessed one, or as small a part of it, is likely a mistake. */
static const double ODD_UNIT = 5;

static double nearest_unit(double height) {
    /* Metre, millimetre, centimetre, inch, and 1 / 0.45 inch: the unit of the CMU library. */
    static const double units[] = {1, 0.001, 0.01, 0.0254, 0.0254 / 0.45};
    double best = 1, best_ratio = INFINITY;
    for (int i = 0; i < 5; i++) {
        double ratio = fmax(height * units[i] / 1.7, 1.7 / (height * units[i]));
        if (ratio < best_ratio) {
            best_ratio = ratio;
            best = units[i];
        }
    }
    return best;
}

/* Chooses the unit that makes the skeleton about as tall as a person, and tells. */
static hf_status find_unit(reader* r, double unit_m) {
    hf_clip* c = r->clip;
    hf_transform* poses = hf_alloc((size_t)c->joint_count, sizeof *poses);
    if (!poses) return hf_fail_memory(r->error, r->path);
    extents rest = measure(c, -1, poses), first = c->frame_count ? measure(c, 0, poses) : rest;
    double root_z = poses[0].position.z;
    hf_free(poses);
    c->z_up =
        rest.z > 2.5 * rest.y && first.z > 2.5 * first.y && root_z > 0.3 * first.z && root_z < 1.2 * first.z;
    double height = c->z_up ? fmax(fmax(rest.z, first.z), 2 * fmax(rest.root_z, first.root_z))
                            : fmax(fmax(rest.y, first.y), 2 * fmax(rest.root_y, first.root_y));
    if (!(height > 1e-9)) {
        if (unit_m <= 0) return FAIL(r, "the skeleton has no height to guess the unit from; give the unit");
        height = 0;
    }
    c->unit_guessed = unit_m <= 0;
    c->unit_m = c->unit_guessed ? nearest_unit(height) : unit_m;
    c->height_m = height * c->unit_m;
    bool noted = true;
    if (c->z_up) noted = hf_lines_add(&r->warnings, "the skeleton stands along Z: read as Z up");
    if (noted && c->unit_guessed)
        noted = hf_lines_add(&r->warnings, "unit guessed: 1 file unit = %.4g m, skeleton %.2f m tall",
                             c->unit_m, c->height_m);
    double guess = height > 0 ? nearest_unit(height) : 0;
    if (noted && !c->unit_guessed && guess > 0 &&
        (c->unit_m > ODD_UNIT * guess || c->unit_m * ODD_UNIT < guess))
        noted = hf_lines_add(&r->warnings,
                             "a unit of %g m makes the skeleton %.4g m tall; %.4g m would make it %.2f m",
                             c->unit_m, c->height_m, guess, height * guess);
    return noted ? HF_OK : hf_fail_memory(r->error, r->path);
}

hf_status hf_clip_load(const char* path, double unit_m, hf_clip** clip, hf_error* error) {
    HF_REQUIRE(error, path && clip);
    *clip = NULL;
    if (!(unit_m >= 0 && unit_m <= 1e6))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "a unit of %g m is no unit", unit_m);
    char* bytes;
    size_t size;
    hf_status status = hf_file_read(path, &bytes, &size, error);
    if (status != HF_OK) return status;
    reader r = {.path = path, .s = bytes, .end = bytes + size, .line = 1, .current = -1, .error = error};
    r.clip = hf_alloc(1, sizeof *r.clip);
    if (r.clip) r.clip->path = hf_copy_text(path);
    if (!r.clip || !r.clip->path)
        status = hf_fail_memory(error, path);
    else if (size > MAX_BYTES)
        status = hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "is larger than 128 MiB");
    if (status == HF_OK) status = read_hierarchy(&r);
    if (status == HF_OK) status = read_motion(&r);
    if (status == HF_OK) status = find_unit(&r, unit_m);
    hf_free(bytes);
    hf_free(r.has_offset);
    if (r.clip) {
        r.clip->warning_count = r.warnings.count;
        r.clip->warnings = r.warnings.items;
    }
    if (status == HF_OK)
        *clip = r.clip;
    else
        hf_clip_free(r.clip);
    return status;
}

void hf_clip_free(hf_clip* clip) {
    if (!clip) return;
    for (int i = 0; i < clip->joint_count; i++) hf_free(clip->joints[i].name);
    for (int i = 0; i < clip->warning_count; i++) hf_free(clip->warnings[i]);
    hf_free(clip->warnings);
    hf_free(clip->joints);
    hf_free(clip->values);
    hf_free(clip->path);
    hf_free(clip);
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
