/* An animation of a glTF file as a clip. The clip's joints are those of the rig that the file's skin makes:
   their rest is the posture of the nodes, and a joint's turn is how far its node has turned since then, in
   the axes of the file. Everything that moves a node counts, nodes above the skeleton too; the lengths of
   bones stay. */
#include "io/gltf_clip.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "io/euler.h"
#include "io/glb_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSLATION, ROTATION, SCALE, PATHS };
enum { MAX_KEYS = 1 << 24, MAX_FRAMES = 1 << 20 };
static const double DEFAULT_RATE = 30; /* frames a second of a file whose keys do not tell, and at least */
static const double MOST_RATE = 240;   /* keys that are nearer belong to different channels */
/* Part of the skeleton's size by which bones may change their length before that is told. */
static const double STRETCH = 0.01;

/* One channel: keys of a node. */
typedef struct track {
    int node, path, count, width;
    int key;   /* the last one before the time that was asked for last */
    char kind; /* L linear, S step, C cubic spline */
    double* times;
    double* values; /* count x width, for splines count x 3 x width */
} track;

typedef struct buffer {
    char* bytes; /* NULL where it is not read yet, or is the file's own */
    size_t size;
} buffer;

typedef struct reader {
    hf_gltf_rig* file; /* borrowed */
    const json_t* animation;
    char where[80];
    buffer* buffers; /* those that were read, for all animations */
    int buffer_count, track_count;
    track* tracks;
    hf_gltf_node* now; /* the nodes in the frame at hand */
    bool sheared;      /* a joint has no turn of its own in some frame */
} reader;

static hf_status fail(reader* r, const char* why) {
    return hf_json_fail(&r->file->json, r->where, "%s", why);
}

/* ---- buffers ---- */

static int base64_digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static char* decode(const char* text, size_t* size) {
    char* bytes = hf_alloc(strlen(text) / 4 * 3 + 4, 1);
    unsigned bits = 0;
    int held = 0;
    *size = 0;
    for (; bytes && *text && *text != '='; text++) {
        int digit = base64_digit(*text);
        if (digit < 0) continue;
        bits = bits << 6 | (unsigned)digit, held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes[(*size)++] = (char)(bits >> held & 255);
    }
    return bytes;
}

static const char* own_chunk(const hf_gltf_rig* file, size_t* size) {
    if (file->size < 20 || memcmp(file->bytes, "glTF", 4) != 0) return NULL;
    for (size_t at = 20 + hf_glb_u32(file->bytes + 12); at + 8 <= file->size;) {
        size_t length = hf_glb_u32(file->bytes + at);
        if (length > file->size - at - 8) return NULL;
        *size = length;
        if (hf_glb_u32(file->bytes + at + 4) == HF_GLB_BIN) return file->bytes + at + 8;
        at += 8 + length;
    }
    return NULL;
}

/* The path that a URI means: %20 is a space. */
static char* path_of(const char* uri) {
    char *path = hf_copy_text(uri), *to = path;
    for (const char* from = path; path && *from; from++) {
        unsigned code;
        bool coded = from[0] == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]) &&
                     sscanf(from + 1, "%2x", &code) == 1 && code;
        *to++ = coded ? (char)code : *from;
        if (coded) from += 2;
    }
    if (path) *to = 0;
    return path;
}

static void read_buffer(reader* r, const char* uri, buffer* b) {
    const char* comma = strncmp(uri, "data:", 5) == 0 ? strchr(uri, ',') : NULL;
    if (comma) {
        b->bytes = decode(comma + 1, &b->size);
    } else {
        char *name = path_of(uri), *path = name ? hf_path_beside(r->file->path, name) : NULL;
        if (path) r->file->json.status = hf_file_read(path, &b->bytes, &b->size, r->file->json.error);
        hf_free(name);
        hf_free(path);
    }
    if (!b->bytes && r->file->json.status == HF_OK)
        r->file->json.status = hf_fail_memory(r->file->json.error, r->file->path);
}

static const char* buffer_of(reader* r, int index, size_t* size) {
    const json_t* declared = json_array_get(json_object_get(r->file->json.root, "buffers"), (size_t)index);
    const char* uri = json_string_value(json_object_get(declared, "uri"));
    if (!uri || index < 0 || index >= r->buffer_count) {
        const char* bytes = uri || index ? NULL : own_chunk(r->file, size);
        if (!bytes) fail(r, "its buffer is not in the file");
        return bytes;
    }
    if (!r->buffers[index].bytes) read_buffer(r, uri, &r->buffers[index]);
    *size = r->buffers[index].size;
    return r->buffers[index].bytes;
}

/* ---- accessors ---- */

static double number_of(const json_t* object, const char* key, double otherwise) {
    const json_t* value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* A number of an accessor: floats, or whole numbers that stand for -1 to 1. */
static double component(const char* at, int type) {
    const unsigned char* b = (const unsigned char*)at;
    uint32_t word = type == 5126 ? hf_glb_u32(at) : 0;
    float f;
    memcpy(&f, &word, sizeof f);
    if (type == 5126) return (double)f;
    if (type == 5120) return fmax((signed char)b[0] / 127.0, -1);
    if (type == 5121) return b[0] / 255.0;
    int wide = b[0] | b[1] << 8;
    return type == 5122 ? fmax((wide > 32767 ? wide - 65536 : wide) / 32767.0, -1) : wide / 65535.0;
}

static double* read_accessor(reader* r, const json_t* index, int width, int* count) {
    const json_t* root = r->file->json.root;
    const json_t* a = json_array_get(json_object_get(root, "accessors"), (size_t)json_number_value(index));
    const char* types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const char* kind = json_string_value(json_object_get(a, "type"));
    int type = (int)number_of(a, "componentType", 0);
    int bytes_each = type == 5126                   ? 4
                     : type == 5122 || type == 5123 ? 2
                     : type == 5120 || type == 5121 ? 1
                                                    : 0;
    double keys = number_of(a, "count", 0), view_index = number_of(a, "bufferView", -1);
    const json_t* view = json_array_get(json_object_get(root, "bufferViews"), (size_t)fmax(0, view_index));
    *count = 0;
    if (!json_is_number(index) || !kind || strcmp(kind, types[width]) != 0 || !bytes_each || !view ||
        view_index < 0 || json_object_get(a, "sparse") || !(keys >= 1 && keys <= MAX_KEYS)) {
        fail(r, "an accessor of keys has no such numbers, or is sparse, which is not read");
        return NULL;
    }
    double stride = number_of(view, "byteStride", width * bytes_each);
    double from = number_of(view, "byteOffset", 0) + number_of(a, "byteOffset", 0);
    size_t size = 0;
    const char* bytes = buffer_of(r, (int)number_of(view, "buffer", 0), &size);
    if (!bytes) return NULL;
    if (!(stride >= 1 && from >= 0 && from + stride * (keys - 1) + width * bytes_each <= (double)size)) {
        fail(r, "an accessor of keys reaches beyond its buffer");
        return NULL;
    }
    double* values = hf_alloc((size_t)keys * (size_t)width, sizeof *values);
    if (!values) r->file->json.status = hf_fail_memory(r->file->json.error, r->file->path);
    *count = (int)keys;
    for (int i = 0; i < *count && values; i++)
        for (int k = 0; k < width; k++) {
            size_t at = (size_t)from + (size_t)stride * (size_t)i + (size_t)(k * bytes_each);
            values[i * width + k] = component(bytes + at, type);
            if (!isfinite(values[i * width + k])) fail(r, "a key is not a finite number");
        }
    return values;
}

/* ---- channels ---- */

static void read_track(reader* r, const json_t* channel, const json_t* samplers) {
    static const char* const paths[PATHS] = {"translation", "rotation", "scale"};
    const json_t *target = json_object_get(channel, "target"),
                 *sampler = json_array_get(samplers, (size_t)number_of(channel, "sampler", 0));
    const char *path = json_string_value(json_object_get(target, "path")),
               *how = json_string_value(json_object_get(sampler, "interpolation"));
    track* t = &r->tracks[r->track_count];
    double node = number_of(target, "node", -1);
    t->path = 0;
    while (path && t->path < PATHS && strcmp(path, paths[t->path]) != 0) t->path++;
    if (!path || t->path == PATHS || node < 0) return; /* weights of shapes, extensions */
    if (!(node < r->file->count)) {
        fail(r, "a channel moves a node that is not there");
        return;
    }
    t->node = (int)node;
    if (r->file->nodes[t->node].sheared) {
        fail(r, "a channel moves a node whose matrix is sheared");
        return;
    }
    t->width = t->path == ROTATION ? 4 : 3;
    t->kind = how && how[0] == 'S' ? 'S' : how && how[0] == 'C' ? 'C' : 'L';
    r->track_count++;
    int count = 0;
    t->times = read_accessor(r, json_object_get(sampler, "input"), 1, &t->count);
    if (t->times) t->values = read_accessor(r, json_object_get(sampler, "output"), t->width, &count);
    if (t->values && count != t->count * (t->kind == 'C' ? 3 : 1))
        fail(r, "a channel has not as many values as times");
    for (int i = 1; i < t->count && t->values; i++)
        if (!(t->times[i] > t->times[i - 1])) fail(r, "times of a channel do not rise");
}

static void read_tracks(reader* r) {
    const json_t *channels = json_object_get(r->animation, "channels"),
                 *samplers = json_object_get(r->animation, "samplers");
    r->tracks = hf_alloc(json_array_size(channels) + 1, sizeof *r->tracks);
    if (!r->tracks) r->file->json.status = hf_fail_memory(r->file->json.error, r->file->path);
    for (size_t i = 0; i < json_array_size(channels) && r->file->json.status == HF_OK; i++)
        read_track(r, json_array_get(channels, i), samplers);
    if (r->file->json.status == HF_OK && r->track_count == 0) fail(r, "moves no node");
}

static const double* value_of(const track* t, int key, int part) {
    return t->values + (size_t)(t->kind == 'C' ? 3 * key + part : key) * (size_t)t->width;
}

/* Values of a channel at a time; splines as the format says. */
static void sample(track* t, double time_s, double* out) {
    int k = t->times[t->key] <= time_s ? t->key : 0;
    while (k + 1 < t->count && t->times[k + 1] <= time_s) k++;
    t->key = k;
    const double* a = value_of(t, k, 1);
    memcpy(out, a, sizeof(double) * (size_t)t->width);
    if (k + 1 >= t->count || time_s <= t->times[k] || t->kind == 'S') return;
    const double* b = value_of(t, k + 1, 1);
    double d = t->times[k + 1] - t->times[k], s = (time_s - t->times[k]) / d, s2 = s * s, s3 = s2 * s;
    if (t->kind == 'L' && t->path == ROTATION) {
        hf_quat q = hf_quat_slerp((hf_quat){a[3], a[0], a[1], a[2]}, (hf_quat){b[3], b[0], b[1], b[2]}, s);
        out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
        return;
    }
    for (int i = 0; i < t->width; i++)
        out[i] = t->kind == 'L'
                     ? a[i] + s * (b[i] - a[i])
                     : (2 * s3 - 3 * s2 + 1) * a[i] + d * (s3 - 2 * s2 + s) * value_of(t, k, 2)[i] +
                           (3 * s2 - 2 * s3) * b[i] + d * (s3 - s2) * value_of(t, k + 1, 0)[i];
}

/* ---- poses ---- */

/* Puts a channel's value into its node. */
static void move_node(reader* r, track* t, double time_s) {
    hf_gltf_node* n = &r->now[t->node];
    double v[4];
    sample(t, time_s, v);
    if (t->path == ROTATION) n->turn = (hf_quat){v[3], v[0], v[1], v[2]};
    if (t->path == TRANSLATION) memcpy(n->place, v, sizeof n->place);
    if (t->path == SCALE) memcpy(n->stretch, v, sizeof n->stretch);
    n->local = hf_affine_compose(n->place, n->turn, n->stretch);
}

static void pose_nodes(reader* r, double time_s) {
    memcpy(r->now, r->file->nodes, sizeof *r->now * (size_t)r->file->count);
    for (int i = 0; i < r->track_count; i++) move_node(r, &r->tracks[i], time_s);
    for (int k = 0; k < r->file->count; k++) {
        hf_gltf_node* n = &r->now[r->file->order[k]];
        n->global = n->parent < 0 ? n->local : hf_affine_multiply(&r->now[n->parent].global, &n->local);
    }
}

static hf_vec3 place_of(const hf_affine* a) { return hf_v3(a->m[3], a->m[7], a->m[11]); }

/* How far a node has turned since rest, and where it is. */
static hf_transform turned(reader* r, int node) {
    double s[3];
    hf_quat now = hf_quat_identity(), rest = now;
    if (!hf_affine_take_apart(&r->now[node].global, s, &now) ||
        !hf_affine_take_apart(&r->file->nodes[node].global, s, &rest))
        now = rest, r->sheared = true;
    return (hf_transform){place_of(&r->now[node].global), hf_quat_mul(now, hf_quat_conj(rest))};
}

/* The joint of a root that was made for several tops stands in the middle of them and never turns. */
static hf_transform joint_pose(reader* r, int joint) {
    const hf_rig* rig = &r->file->rig;
    if (rig->joints[joint].source >= 0) return turned(r, rig->joints[joint].source);
    hf_transform pose = hf_transform_identity();
    int tops = 0;
    for (int i = 1; i < rig->joint_count; i++)
        if (rig->joints[i].parent == joint)
            pose.position = hf_add(pose.position, turned(r, rig->joints[i].source).position), tops++;
    pose.position = hf_scale(pose.position, tops ? 1.0 / tops : 1);
    return pose;
}

/* ---- the clip ---- */

static double rest_size(const hf_clip* c) {
    double size = 0;
    for (int i = 1; i < c->joint_count; i++) size += hf_length(c->joints[i].offset);
    return size;
}

static hf_status make_joints(reader* r, hf_clip* c) {
    static const int channels[6] = {0, 1, 2, 3, 5, 4};
    const hf_rig* rig = &r->file->rig;
    c->joints = hf_alloc((size_t)rig->joint_count, sizeof *c->joints);
    hf_transform* rest = hf_alloc((size_t)rig->joint_count, sizeof *rest);
    hf_status status = c->joints && rest ? HF_OK : hf_fail_memory(r->file->json.error, r->file->path);
    memcpy(r->now, r->file->nodes, sizeof *r->now * (size_t)r->file->count);
    for (int i = 0; i < rig->joint_count && status == HF_OK; i++) {
        hf_clip_joint* j = &c->joints[c->joint_count++];
        bool root = rig->joints[i].parent < 0;
        rest[i] = joint_pose(r, i);
        *j = (hf_clip_joint){.parent = rig->joints[i].parent, .first_channel = c->channel_count};
        j->offset = root ? rest[i].position : hf_sub(rest[i].position, rest[j->parent].position);
        j->channel_count = root ? 6 : 3;
        memcpy(j->channels, root ? channels : channels + 3, sizeof(int) * (size_t)j->channel_count);
        c->channel_count += j->channel_count;
        j->name = hf_copy_text(rig->joints[i].name);
        if (!j->name) status = hf_fail_memory(r->file->json.error, r->file->path);
    }
    hf_free(rest);
    return status;
}

/* Values of a frame, near those of the frame before; returns how far a bone is from its length at most. */
static double fill_frame(reader* r, hf_clip* c, int frame, hf_transform* poses) {
    static const int axes[3] = {0, 2, 1};
    double *values = c->values + (size_t)frame * (size_t)c->channel_count, most = 0;
    pose_nodes(r, frame * c->frame_time_s);
    if (frame) memcpy(values, values - c->channel_count, sizeof(double) * (size_t)c->channel_count);
    for (int i = 0; i < c->joint_count; i++) {
        const hf_clip_joint* j = &c->joints[i];
        double* v = values + j->first_channel;
        poses[i] = joint_pose(r, i);
        hf_quat turn = poses[i].rotation;
        if (j->parent < 0) {
            v[0] = poses[i].position.x, v[1] = poses[i].position.y, v[2] = poses[i].position.z;
            v += 3;
        } else {
            double length = hf_distance(poses[i].position, poses[j->parent].position);
            most = fmax(most, fabs(length - hf_length(j->offset)));
            turn = hf_quat_mul(hf_quat_conj(poses[j->parent].rotation), turn);
        }
        hf_euler_degrees(turn, axes, v);
    }
    return most;
}

/* The rate of the keys: the least time between two of a channel. Keys that are far apart belong to curves: a
   multiple of their rate then shows what lies between them, and still has every key. */
static double find_rate(const reader* r, double* length_s) {
    double least = INFINITY;
    *length_s = 0;
    for (int i = 0; i < r->track_count; i++)
        for (int k = 0; k < r->tracks[i].count; k++) {
            double gap = k ? r->tracks[i].times[k] - r->tracks[i].times[k - 1] : INFINITY;
            if (gap > 0.99 / MOST_RATE) least = fmin(least, gap);
            *length_s = fmax(*length_s, r->tracks[i].times[k]);
        }
    double rate = isfinite(least) ? 1 / least : DEFAULT_RATE;
    if (rate > 1 && fabs(rate - round(rate)) < 0.02 * rate) rate = round(rate);
    return rate * fmax(1, ceil(DEFAULT_RATE / rate - 1e-9));
}

static hf_status fill(reader* r, const hf_clip_options* o, hf_clip* c, hf_lines* warnings, hf_error* error) {
    double length_s, own = find_rate(r, &length_s), rate = o->rate > 0 ? o->rate : own;
    if (!(length_s * rate < MAX_FRAMES))
        return hf_fail(error, HF_ERROR_LIMIT, r->file->path, 0, r->where, "more than %d frames", MAX_FRAMES);
    c->frame_time_s = 1 / rate;
    c->frame_count = (int)floor(length_s * rate + 1e-4) + 1;
    c->values = hf_alloc((size_t)c->frame_count * (size_t)c->channel_count, sizeof *c->values);
    hf_transform* poses = hf_alloc((size_t)c->joint_count, sizeof *poses);
    hf_status status = c->values && poses ? HF_OK : hf_fail_memory(error, r->file->path);
    double most = 0;
    for (int f = 0; f < c->frame_count && status == HF_OK; f++) most = fmax(most, fill_frame(r, c, f, poses));
    if (status == HF_OK && most > STRETCH * rest_size(c) &&
        !hf_lines_add(warnings, "bones change their length by up to %.3g m; the clip's stay as at rest",
                      most * r->file->rig.unit_m))
        status = hf_fail_memory(error, r->file->path);
    if (status == HF_OK && r->sheared &&
        !hf_lines_add(warnings, "uneven scales shear a joint: where they do, it keeps its turn at rest"))
        status = hf_fail_memory(error, r->file->path);
    hf_free(poses);
    return status;
}

/* ---- which one ---- */

static const char* name_of(const json_t* animation) {
    const char* name = json_string_value(json_object_get(animation, "name"));
    return name ? name : "";
}

static hf_status fail_choice(const reader* r, const hf_clip_options* o, hf_error* error) {
    const json_t* list = json_object_get(r->file->json.root, "animations");
    size_t count = json_array_size(list);
    char names[160] = "", number[24];
    for (size_t i = 0, at = 0; i < count && at + 1 < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s\"%.40s\"", i ? ", " : "",
                               name_of(json_array_get(list, i)));
    snprintf(number, sizeof number, "%d", o->number);
    return hf_fail(error, HF_ERROR_ARGUMENT, r->file->path, 0, NULL,
                   "has no clip \"%.60s\"; its clips are %s", o->number >= 0 ? number : o->clip, names);
}

/* By its number; by its name, or by its number where no name is this one; the first where none is asked for.
 */
static hf_status choose(reader* r, const hf_clip_options* o, hf_error* error) {
    const json_t* list = json_object_get(r->file->json.root, "animations");
    size_t count = json_array_size(list), found = o->clip ? count : 0;
    if (!count) return hf_fail(error, HF_ERROR_FORMAT, r->file->path, 0, NULL, "has no animation");
    for (size_t i = 0; i < count && o->clip && found == count; i++)
        if (strcmp(name_of(json_array_get(list, i)), o->clip) == 0) found = i;
    char* end = NULL;
    long number = o->clip ? strtol(o->clip, &end, 10) : 0;
    if (found == count && end != o->clip && !*end && number >= 0 && (size_t)number < count)
        found = (size_t)number;
    if (o->number >= 0) found = (size_t)o->number;
    if (found >= count) return fail_choice(r, o, error);
    r->animation = json_array_get(list, found);
    snprintf(r->where, sizeof r->where, "animations[%zu]", found);
    return HF_OK;
}

static hf_status reader_make(reader* r, hf_gltf_rig* file, hf_error* error) {
    *r = (reader){.file = file};
    r->buffer_count = (int)json_array_size(json_object_get(file->json.root, "buffers"));
    r->buffers = hf_alloc((size_t)r->buffer_count + 1, sizeof *r->buffers);
    r->now = hf_alloc((size_t)file->count, sizeof *r->now);
    return r->buffers && r->now ? HF_OK : hf_fail_memory(error, file->path);
}

static void free_tracks(reader* r) {
    for (int i = 0; i < r->track_count; i++) {
        hf_free(r->tracks[i].times);
        hf_free(r->tracks[i].values);
    }
    hf_free(r->tracks);
    r->tracks = NULL, r->track_count = 0;
}

static void reader_free(reader* r) {
    free_tracks(r);
    for (int i = 0; i < r->buffer_count && r->buffers; i++) hf_free(r->buffers[i].bytes);
    hf_free(r->buffers);
    hf_free(r->now);
}

/* One animation of the file. A failure is that of this animation alone. */
static hf_status read_animation(reader* r, const hf_clip_options* o, hf_clip** clip, hf_lines* warnings,
                                hf_error* error) {
    hf_clip* c = *clip = hf_alloc(1, sizeof *c);
    hf_status status = c ? choose(r, o, error) : hf_fail_memory(error, r->file->path);
    r->file->json.status = HF_OK, r->file->json.error = error;
    r->sheared = false;
    if (status == HF_OK) read_tracks(r), status = r->file->json.status;
    if (status == HF_OK) status = make_joints(r, c);
    if (status == HF_OK) status = fill(r, o, c, warnings, error);
    free_tracks(r);
    if (status != HF_OK) return status;
    c->unit_m = r->file->rig.unit_m;
    c->clip_count = (int)json_array_size(json_object_get(r->file->json.root, "animations"));
    c->name = hf_copy_text(name_of(r->animation));
    return c->name ? HF_OK : hf_fail_memory(error, r->file->path);
}

hf_status hf_gltf_clip_read(const char* path, const hf_clip_options* o, hf_clip** clip, hf_lines* warnings,
                            hf_error* error) {
    hf_gltf_rig file;
    reader r;
    hf_status status = hf_gltf_rig_load(path, o->unit_m, &file, error);
    if (status != HF_OK) return status;
    status = reader_make(&r, &file, error);
    if (status == HF_OK) status = read_animation(&r, o, clip, warnings, error);
    reader_free(&r);
    hf_gltf_rig_free(&file);
    return status;
}

hf_status hf_gltf_clip_count(const char* path, int* count, hf_error* error) {
    hf_gltf_rig file;
    hf_status status = hf_gltf_rig_load(path, 0, &file, error);
    if (status != HF_OK) return status;
    *count = (int)json_array_size(json_object_get(file.json.root, "animations"));
    hf_gltf_rig_free(&file);
    return HF_OK;
}

/* ---- the creature's angles ---- */

void hf_gltf_angles(const hf_clip* clip, const hf_rig* rig, int joint, int frame, double angles[3]) {
    static const int axes[3] = {1, 0, 2}; /* as rigs of glTF files turn */
    const double degree = 3.14159265358979323846 / 180;
    hf_quat turn = hf_clip_joint_turn(clip, joint, frame);
    turn = hf_quat_mul(hf_quat_mul(rig->to_link, turn), hf_quat_conj(rig->to_link));
    for (int k = 0; k < 3; k++) angles[k] /= degree;
    hf_euler_degrees(turn, axes, angles);
    for (int k = 0; k < 3; k++) angles[k] *= degree;
}

/* Widens the limits of a rig to what a clip of it does. */
static void widen(const hf_clip* clip, hf_rig* rig) {
    for (int i = 1; i < rig->joint_count && i < clip->joint_count; i++) {
        hf_rig_joint* joint = &rig->joints[i];
        double angles[3] = {0};
        for (int f = 0; f < clip->frame_count; f++) {
            hf_gltf_angles(clip, rig, i, f, angles);
            for (int k = 0; k < joint->turn_count; k++) {
                joint->lower[k] = fmin(joint->lower[k], angles[k] - 1e-6);
                joint->upper[k] = fmax(joint->upper[k], angles[k] + 1e-6);
            }
        }
    }
}

static hf_status widen_by(reader* r, int number) {
    hf_clip_options o = hf_clip_options_default();
    hf_clip* clip = NULL;
    hf_error why = {0};
    hf_lines ignored = {0};
    o.number = number;
    hf_status status = read_animation(r, &o, &clip, &ignored, &why);
    if (status == HF_OK) widen(clip, &r->file->rig);
    if (status != HF_OK && status != HF_ERROR_MEMORY)
        status = hf_lines_add(&r->file->warnings, "animation %d is not read: %s", number, why.message)
                     ? HF_OK
                     : HF_ERROR_MEMORY;
    hf_lines_free(&ignored);
    hf_clip_free(clip);
    return status;
}

/* Every animation of the file widens the limits of its creature: all are motions of it. */
static hf_status widen_by_all(hf_gltf_rig* file, hf_error* error) {
    int count = (int)json_array_size(json_object_get(file->json.root, "animations"));
    reader r;
    hf_status status = reader_make(&r, file, error);
    for (int i = 0; i < count && status == HF_OK; i++) status = widen_by(&r, i);
    reader_free(&r);
    file->json.status = HF_OK, file->json.error = error;
    return status == HF_OK ? HF_OK : hf_fail_memory(error, file->path);
}

hf_status hf_gltf_rig_widened(const char* path, double unit_m, hf_gltf_rig* file, hf_error* error) {
    hf_status status = hf_gltf_rig_load(path, unit_m, file, error);
    if (status != HF_OK) return status;
    status = widen_by_all(file, error);
    if (status != HF_OK) hf_gltf_rig_free(file);
    return status;
}

hf_status hf_gltf_clip_rig(const hf_clip* clip, hf_rig* rig, hf_error* error) {
    hf_gltf_rig file;
    hf_status status = hf_gltf_rig_widened(clip->path, clip->unit_m, &file, error);
    if (status != HF_OK) return status;
    *rig = file.rig;
    file.rig = (hf_rig){0};
    rig->path = clip->path;
    for (int i = 0; i < rig->joint_count; i++) rig->joints[i].source = i;
    hf_gltf_rig_free(&file);
    return HF_OK;
}
