/* Motion files: JSON, written so that reading gives back every number to the last bit. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/byte_buffer.h"
#include "io/json.h"
#include "model/creature_draft.h"
#include <holdfast/motion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 27, MAX_VALUES = 7 * HF_MAX_LINKS, MAX_LISTED = 16384, MAX_TEXT = 4000 };

static const char* const claim_names[] = {"limits", "rom",     "collision", "contacts",
                                          "speed",  "balance", "one-limb",  "dynamic"};
enum { CLAIM_COUNT = 8 };

/* ---- reading ---- */

typedef struct reader {
    hf_json json;
    hf_motion* motion;
    json_t* object_table; /* name to index: files may name thousands of objects in each frame */
    const char* path;
} reader;

static void out_of_memory(reader* r) {
    if (r->json.status == HF_OK) r->json.status = hf_fail_memory(r->json.error, r->path);
}

static char* copy_text(reader* r, const char* text) {
    char* copy = hf_copy_text(text);
    if (!copy) out_of_memory(r);
    return copy;
}

static bool find_name(char* const* names, int count, const char* name, int* index) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) {
            *index = i;
            return true;
        }
    return false;
}

/* A text item of an array, usable as a name. */
static const char* item_text(reader* r, const char* where, const json_t* value) {
    const char* text = json_string_value(value);
    if (!text)
        hf_json_fail(&r->json, where, "a list of texts is expected");
    else if (!text[0] || strlen(text) != json_string_length(value) || strlen(text) > 400)
        hf_json_fail(&r->json, where, "a name of 1 to 400 bytes without NUL is expected");
    return r->json.status == HF_OK ? text : NULL;
}

static void suggest(reader* r, const char* where, const char* what, const char* name, char* const* names,
                    int count) {
    const char* close = hf_nearest_word(name, (const char* const*)names, count);
    if (close)
        hf_json_fail(&r->json, where, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, name, close);
    else
        hf_json_fail(&r->json, where, "unknown %s \"%.60s\"", what, name);
}

/* A unit vector keeps its bits when it is one already; one that is off by more than 1 % is refused. */
static bool to_unit(reader* r, const char* where, double* v, int count, const char* what) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += v[i] * v[i];
    double length = sqrt(sum);
    if (!(fabs(length - 1) < 0.01)) {
        hf_json_fail(&r->json, where, "%s is expected", what);
        return false;
    }
    for (int i = 0; i < count && fabs(length - 1) > 1e-9; i++) v[i] /= length;
    return true;
}

/* Metres, radians and seconds beyond this are mistakes, and sums of their squares would not stay exact. */
static const double FAR_AWAY = 1e7;

static bool in_range(reader* r, const char* where, const double* v, int count) {
    if (r->json.status != HF_OK) return false;
    for (int i = 0; i < count; i++)
        if (!(fabs(v[i]) <= FAR_AWAY)) {
            hf_json_fail(&r->json, where, "%g is out of range, at most %g is read", v[i], FAR_AWAY);
            return false;
        }
    return true;
}

static void read_point(reader* r, const char* where, const json_t* object, const char* key, hf_vec3* point) {
    if (hf_json_vec3(&r->json, where, object, key, true, point))
        in_range(r, where, (double[3]){point->x, point->y, point->z}, 3);
}

static bool to_pose7(reader* r, const char* where, const json_t* array, hf_transform* pose) {
    double v[7];
    if (!hf_json_numbers(&r->json, where, array, 7, v) || !in_range(r, where, v, 3)) return false;
    if (!to_unit(r, where, v + 3, 4, "a pose with a unit quaternion x y z, w x y z")) return false;
    *pose = (hf_transform){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    return true;
}

static void read_normal(reader* r, const char* where, const json_t* object, hf_vec3* normal) {
    if (!hf_json_vec3(&r->json, where, object, "normal", true, normal)) return;
    double v[3] = {normal->x, normal->y, normal->z};
    if (to_unit(r, where, v, 3, "\"normal\": a unit vector")) *normal = hf_v3(v[0], v[1], v[2]);
}

static void read_joints(reader* r) {
    json_t* list = NULL;
    hf_motion* m = r->motion;
    if (!hf_json_array(&r->json, "", r->json.root, "joints", true, &list)) return;
    size_t count = json_array_size(list);
    if (count > HF_MAX_LINKS) {
        r->json.status =
            hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, "joints", "more than %d", HF_MAX_LINKS);
        return;
    }
    m->joints = hf_alloc(count, sizeof *m->joints);
    if (!m->joints) out_of_memory(r);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        int twice;
        const char* name = item_text(r, "joints", json_array_get(list, i));
        if (!name) return;
        if (find_name(m->joints, m->joint_count, name, &twice))
            hf_json_fail(&r->json, "joints", "\"%.60s\" is there twice", name);
        else if ((m->joints[m->joint_count] = copy_text(r, name)))
            m->joint_count++;
    }
}

static int find_limb(const hf_motion* m, const char* name) {
    for (int i = 0; i < m->limb_count; i++)
        if (strcmp(m->limbs[i].name, name) == 0) return i;
    return -1;
}

static void read_limbs(reader* r) {
    json_t* list = NULL;
    hf_motion* m = r->motion;
    if (!hf_json_array(&r->json, "", r->json.root, "limbs", false, &list)) return;
    size_t count = json_array_size(list);
    if (count > HF_MAX_LIMBS) {
        r->json.status =
            hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, "limbs", "more than %d", HF_MAX_LIMBS);
        return;
    }
    m->limbs = hf_alloc(count, sizeof *m->limbs);
    if (!m->limbs) out_of_memory(r);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        const char* name = item_text(r, "limbs", json_array_get(list, i));
        if (!name) return;
        if (find_limb(m, name) >= 0)
            hf_json_fail(&r->json, "limbs", "\"%.60s\" is there twice", name);
        else if ((m->limbs[m->limb_count].name = copy_text(r, name)))
            m->limb_count++;
    }
}

/* The limb that a text names, or -1 after a failure. */
static int named_limb(reader* r, const char* where, const char* name) {
    const hf_motion* m = r->motion;
    int limb = find_limb(m, name);
    if (limb >= 0) return limb;
    char* names[HF_MAX_LIMBS];
    for (int i = 0; i < m->limb_count; i++) names[i] = m->limbs[i].name;
    suggest(r, where, "limb", name, names, m->limb_count);
    return -1;
}

static void read_contact_frame(reader* r, const char* where, const json_t* object, hf_motion_limb* limb) {
    static const char* const keys[] = {"name", "link", "offset", "normal", "patch", "ball"};
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 6)) return;
    hf_motion_contact_frame frame = {0};
    const char *name = NULL, *link = NULL;
    json_t* patch = NULL;
    hf_json_string(&r->json, where, object, "name", true, &name);
    hf_json_string(&r->json, where, object, "link", true, &link);
    read_point(r, where, object, "offset", &frame.offset);
    read_normal(r, where, object, &frame.normal);
    hf_json_number(&r->json, where, object, "ball", false, &frame.ball);
    if (hf_json_array(&r->json, where, object, "patch", false, &patch))
        hf_json_numbers(&r->json, where, patch, 2, frame.patch);
    if (r->json.status != HF_OK) return;
    if (!in_range(r, where, (double[3]){frame.ball, frame.patch[0], frame.patch[1]}, 3)) return;
    if (frame.ball < 0 || frame.patch[0] < 0 || frame.patch[1] < 0)
        hf_json_fail(&r->json, where, "\"patch\" and \"ball\" cannot be negative");
    for (int i = 0; i < limb->frame_count; i++)
        if (strcmp(limb->frames[i].name, name) == 0)
            hf_json_fail(&r->json, where, "frame \"%.60s\" is there twice", name);
    if (r->json.status != HF_OK) return;
    frame.name = copy_text(r, name);
    frame.link = copy_text(r, link);
    limb->frames[limb->frame_count++] = frame;
}

static void read_contact_frames(reader* r) {
    json_t *table = NULL, *list;
    if (!hf_json_object(&r->json, "", r->json.root, "contact_frames", false, &table)) return;
    const char* name;
    json_object_foreach(table, name, list) {
        int index = named_limb(r, "contact_frames", name);
        if (index < 0) return;
        hf_motion_limb* limb = &r->motion->limbs[index];
        size_t count = json_array_size(list);
        char where[160];
        snprintf(where, sizeof where, "contact_frames.%.100s", name);
        if (!json_is_array(list) || count > 1000) {
            hf_json_fail(&r->json, where, "a list of up to 1000 contact frames is expected");
            return;
        }
        limb->frames = hf_alloc(count, sizeof *limb->frames);
        if (!limb->frames) out_of_memory(r);
        for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
            snprintf(where, sizeof where, "contact_frames.%.100s[%zu]", name, i);
            read_contact_frame(r, where, json_array_get(list, i), limb);
        }
        if (r->json.status != HF_OK) return;
    }
}

static void read_claims(reader* r) {
    json_t* list = NULL;
    r->motion->claims = HF_CLAIM_ALL;
    if (!hf_json_array(&r->json, "", r->json.root, "claims", false, &list)) return;
    r->motion->claims = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char* name = item_text(r, "claims", json_array_get(list, i));
        if (!name) return;
        int claim = 0;
        while (claim < CLAIM_COUNT && strcmp(claim_names[claim], name) != 0) claim++;
        if (claim == CLAIM_COUNT) {
            suggest(r, "claims", "claim", name, (char* const*)claim_names, CLAIM_COUNT);
            return;
        }
        r->motion->claims |= 1u << claim;
    }
}

static void read_stats(reader* r) {
    json_t *table = NULL, *value;
    if (!hf_json_object(&r->json, "", r->json.root, "stats", false, &table)) return;
    hf_motion* m = r->motion;
    size_t count = json_object_size(table);
    if (count > MAX_LISTED) {
        hf_json_fail(&r->json, "stats", "more than %d", MAX_LISTED);
        return;
    }
    m->stats = hf_alloc(count, sizeof *m->stats);
    if (!m->stats) out_of_memory(r);
    const char* name;
    json_object_foreach(table, name, value) {
        if (r->json.status != HF_OK) return;
        if (!json_is_number(value))
            hf_json_fail(&r->json, "stats", "\"%.60s\": a number is expected", name);
        else if ((m->stats[m->stat_count].name = copy_text(r, name)))
            m->stats[m->stat_count++].value = json_number_value(value);
    }
}

/* Index of an object by name, added when it is new. */
static int object_index(reader* r, const char* where, const char* name) {
    hf_motion* m = r->motion;
    json_t* known = json_object_get(r->object_table, name);
    if (known) return (int)json_integer_value(known);
    if (m->object_count >= MAX_LISTED || !name[0] || strlen(name) > 400) {
        hf_json_fail(&r->json, where, "up to %d objects with names of 1 to 400 bytes are read", MAX_LISTED);
        return -1;
    }
    int index = hf_motion_object_index(m, name);
    if (index < 0 || json_object_set_new(r->object_table, name, json_integer(index)) != 0) out_of_memory(r);
    return index;
}

static void read_contact(reader* r, const char* where, const json_t* object, hf_motion_frame* frame) {
    static const char* const keys[] = {"limb", "frame", "point", "normal", "object", "grip"};
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 6)) return;
    hf_motion* m = r->motion;
    hf_motion_contact contact = {.object = -1};
    const char *limb = NULL, *name = NULL, *thing = NULL;
    if (!hf_json_string(&r->json, where, object, "limb", true, &limb)) return;
    contact.limb = named_limb(r, where, limb);
    if (contact.limb < 0) return;
    const hf_motion_limb* of = &m->limbs[contact.limb];
    if (hf_json_string(&r->json, where, object, "frame", of->frame_count != 1, &name)) {
        while (contact.frame < of->frame_count && strcmp(of->frames[contact.frame].name, name) != 0)
            contact.frame++;
        if (contact.frame == of->frame_count)
            hf_json_fail(&r->json, where, "contact_frames has no \"%.60s\" of limb \"%.60s\"", name, limb);
    }
    read_point(r, where, object, "point", &contact.point);
    read_normal(r, where, object, &contact.normal);
    if (hf_json_string(&r->json, where, object, "object", false, &thing))
        contact.object = object_index(r, where, thing);
    hf_json_bool(&r->json, where, object, "grip", &contact.grip);
    if (r->json.status != HF_OK) return;
    hf_status status = hf_motion_add_contact(m, frame, &contact);
    if (status == HF_ERROR_ARGUMENT)
        hf_json_fail(&r->json, where, "limb \"%.60s\" has two contacts in one frame", limb);
    else if (status != HF_OK)
        out_of_memory(r);
}

static void read_frame_objects(reader* r, const char* where, const json_t* object, hf_motion_frame* frame) {
    json_t *table = NULL, *value;
    if (!hf_json_object(&r->json, where, object, "objects", false, &table)) return;
    size_t count = json_object_size(table);
    frame->objects = hf_alloc(count, sizeof *frame->objects);
    if (!frame->objects) out_of_memory(r);
    const char* name;
    json_object_foreach(table, name, value) {
        if (r->json.status != HF_OK) return;
        char place[160];
        snprintf(place, sizeof place, "%.60s.objects.%.80s", where, name);
        hf_motion_object* to = &frame->objects[frame->object_count];
        if (!to_pose7(r, place, value, &to->pose)) return;
        to->object = object_index(r, place, name);
        if (to->object >= 0) frame->object_count++;
    }
}

static void read_q(reader* r, const char* where, const json_t* object, hf_motion_frame* frame) {
    json_t* list = NULL;
    hf_motion* m = r->motion;
    if (!hf_json_array(&r->json, where, object, "q", true, &list)) return;
    size_t count = json_array_size(list);
    /* The first frame says how many values a pose has: one a joint, more for floating and planar ones. */
    if (m->frame_count == 0) {
        if (count < (size_t)m->joint_count || count > MAX_VALUES || (count && !m->joint_count))
            hf_json_fail(&r->json, where, "\"q\" has %zu values for %d joints", count, m->joint_count);
        m->q_count = (int)count;
    } else if (count != (size_t)m->q_count) {
        hf_json_fail(&r->json, where, "\"q\" has %zu values, %d are expected", count, m->q_count);
    }
    if (r->json.status != HF_OK) return;
    frame->q = hf_alloc(count, sizeof *frame->q);
    if (!frame->q)
        out_of_memory(r);
    else if (hf_json_numbers(&r->json, where, list, (int)count, frame->q))
        in_range(r, where, frame->q, (int)count);
}

static void read_frame(reader* r, const json_t* object) {
    static const char* const keys[] = {"t", "root", "q", "contacts", "objects", "balance", "stance"};
    hf_motion* m = r->motion;
    char where[160];
    snprintf(where, sizeof where, "frames[%d]", m->frame_count);
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 7)) return;
    hf_motion_frame* frame = &m->frames[m->frame_count];
    *frame = (hf_motion_frame){.balance = NAN};
    if (hf_json_number(&r->json, where, object, "t", true, &frame->time_s) &&
        in_range(r, where, &frame->time_s, 1) && m->frame_count > 0 && !(frame->time_s > frame[-1].time_s))
        hf_json_fail(&r->json, where, "\"t\" is %g, not after %g of the frame before", frame->time_s,
                     frame[-1].time_s);
    json_t* list = NULL;
    if (hf_json_array(&r->json, where, object, "root", true, &list)) {
        snprintf(where, sizeof where, "frames[%d].root", m->frame_count);
        to_pose7(r, where, list, &frame->root);
        snprintf(where, sizeof where, "frames[%d]", m->frame_count);
    }
    read_q(r, where, object, frame);
    hf_json_number(&r->json, where, object, "balance", false, &frame->balance);
    hf_json_bool(&r->json, where, object, "stance", &frame->stance);
    if (r->json.status == HF_OK) read_frame_objects(r, where, object, frame);
    int index = m->frame_count++;
    if (!hf_json_array(&r->json, where, object, "contacts", false, &list)) return;
    for (size_t i = 0; i < json_array_size(list) && r->json.status == HF_OK; i++) {
        snprintf(where, sizeof where, "frames[%d].contacts[%zu]", index, i);
        read_contact(r, where, json_array_get(list, i), frame);
    }
}

static void read_frames(reader* r) {
    json_t* list = NULL;
    hf_motion* m = r->motion;
    if (!hf_json_array(&r->json, "", r->json.root, "frames", true, &list)) return;
    size_t count = json_array_size(list);
    if (count == 0) hf_json_fail(&r->json, "frames", "a motion has at least one frame");
    m->frames = hf_alloc(count, sizeof *m->frames);
    if (!m->frames)
        out_of_memory(r);
    else
        m->frame_capacity = (int)count;
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) read_frame(r, json_array_get(list, i));
}

/* Paths in the file are relative to it. */
static void read_path(reader* r, const char* key, bool required, char** path) {
    const char* text = NULL;
    if (!hf_json_string(&r->json, "", r->json.root, key, required, &text)) return;
    if (strlen(text) > MAX_TEXT) {
        hf_json_fail(&r->json, key, "the path is too long");
        return;
    }
    *path = text[0] ? hf_path_beside(r->path, text) : hf_copy_text("");
    if (!*path) out_of_memory(r);
}

static void read_outcome(reader* r) {
    const char *text = hf_outcome_text(HF_FOUND), *known[HF_CANCELLED + 1];
    hf_json_string(&r->json, "", r->json.root, "outcome", false, &text);
    if (r->json.status != HF_OK) return;
    bool found = false;
    for (int i = 0; i <= HF_CANCELLED; i++) {
        known[i] = hf_outcome_text((hf_outcome)i);
        found |= strcmp(known[i], text) == 0;
    }
    if (!found)
        suggest(r, "outcome", "outcome", text, (char* const*)known, HF_CANCELLED + 1);
    else
        r->motion->outcome = copy_text(r, text);
}

static void read_all(reader* r) {
    static const char* const keys[] = {"format", "version", "creature",       "scenario", "outcome", "claims",
                                       "joints", "limbs",   "contact_frames", "frames",   "stats"};
    if (!hf_json_keys(&r->json, "", r->json.root, keys, 11)) return;
    read_path(r, "creature", true, &r->motion->creature);
    read_path(r, "scenario", false, &r->motion->scenario);
    read_outcome(r);
    read_claims(r);
    read_joints(r);
    read_limbs(r);
    if (r->json.status == HF_OK) read_contact_frames(r);
    read_stats(r);
    if (r->json.status == HF_OK) read_frames(r);
}

hf_status hf_motion_load(const char* path, hf_motion** motion, hf_error* error) {
    *motion = NULL;
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size > MAX_BYTES)
        return hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "is larger than 128 MiB");
    reader r = {.path = path};
    hf_status status = hf_json_load(&r.json, path, "holdfast-motion", error);
    if (status == HF_OK) {
        r.motion = hf_alloc(1, sizeof *r.motion);
        r.object_table = json_object();
        if (r.motion && r.object_table)
            read_all(&r);
        else
            out_of_memory(&r);
        status = r.json.status;
    }
    hf_json_free(&r.json);
    json_decref(r.object_table);
    if (status == HF_OK)
        *motion = r.motion;
    else
        hf_motion_free(r.motion);
    return status;
}

/* ---- writing ---- */

static void write_vec3(hf_bytes* out, const char* key, hf_vec3 v) {
    hf_bytes_format(out, ", \"%s\": [", key);
    hf_bytes_numbers(out, (double[3]){v.x, v.y, v.z}, 3, ", ");
    hf_bytes_text(out, "]");
}

static void write_pose7(hf_bytes* out, hf_transform p) {
    hf_bytes_text(out, "[");
    hf_bytes_numbers(out,
                     (double[7]){p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x,
                                 p.rotation.y, p.rotation.z},
                     7, ", ");
    hf_bytes_text(out, "]");
}

static void write_names(hf_bytes* out, const char* key, char* const* names, int count) {
    hf_bytes_format(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        if (i) hf_bytes_text(out, ", ");
        hf_bytes_quoted(out, names[i]);
    }
    hf_bytes_text(out, "]");
}

static bool frame_used(const hf_motion* m, int limb, int frame) {
    for (int f = 0; f < m->frame_count; f++)
        for (int c = 0; c < m->frames[f].contact_count; c++)
            if (m->frames[f].contacts[c].limb == limb && m->frames[f].contacts[c].frame == frame) return true;
    return false;
}

static void write_contact_frame(hf_bytes* out, const hf_motion_contact_frame* frame) {
    hf_bytes_text(out, "{ \"name\": ");
    hf_bytes_quoted(out, frame->name);
    hf_bytes_text(out, ", \"link\": ");
    hf_bytes_quoted(out, frame->link);
    write_vec3(out, "offset", frame->offset);
    write_vec3(out, "normal", frame->normal);
    if (frame->patch[0] > 0 || frame->patch[1] > 0) {
        hf_bytes_text(out, ", \"patch\": [");
        hf_bytes_numbers(out, frame->patch, 2, ", ");
        hf_bytes_text(out, "]");
    }
    if (frame->ball > 0) {
        hf_bytes_text(out, ", \"ball\": ");
        hf_bytes_number(out, frame->ball);
    }
    hf_bytes_text(out, " }");
}

/* The contact frames that some contact uses. */
static void write_contact_frames(hf_bytes* out, const hf_motion* m) {
    hf_bytes_text(out, ",\n  \"contact_frames\": {");
    bool any_limb = false;
    for (int i = 0; i < m->limb_count; i++) {
        bool any = false;
        for (int k = 0; k < m->limbs[i].frame_count; k++) {
            if (!frame_used(m, i, k)) continue;
            if (!any) {
                hf_bytes_text(out, any_limb ? ",\n    " : "\n    ");
                hf_bytes_quoted(out, m->limbs[i].name);
                hf_bytes_text(out, ": [");
            }
            hf_bytes_text(out, any ? ",\n      " : " ");
            write_contact_frame(out, &m->limbs[i].frames[k]);
            any = any_limb = true;
        }
        if (any) hf_bytes_text(out, " ]");
    }
    hf_bytes_text(out, any_limb ? "\n  }" : "}");
}

static void write_contact(hf_bytes* out, const hf_motion* m, const hf_motion_contact* contact) {
    const hf_motion_limb* limb = &m->limbs[contact->limb];
    hf_bytes_text(out, "{ \"limb\": ");
    hf_bytes_quoted(out, limb->name);
    hf_bytes_text(out, ", \"frame\": ");
    hf_bytes_quoted(out, limb->frames[contact->frame].name);
    write_vec3(out, "point", contact->point);
    write_vec3(out, "normal", contact->normal);
    if (contact->object >= 0) {
        hf_bytes_text(out, ", \"object\": ");
        hf_bytes_quoted(out, m->objects[contact->object]);
    }
    hf_bytes_format(out, ", \"grip\": %s }", contact->grip ? "true" : "false");
}

static void write_frame(hf_bytes* out, const hf_motion* m, const hf_motion_frame* frame) {
    hf_bytes_text(out, "    { \"t\": ");
    hf_bytes_number(out, frame->time_s);
    hf_bytes_text(out, ", \"root\": ");
    write_pose7(out, frame->root);
    hf_bytes_text(out, ", \"q\": [");
    hf_bytes_numbers(out, frame->q, m->q_count, ", ");
    hf_bytes_text(out, "]");
    if (frame->contact_count) hf_bytes_text(out, ",\n      \"contacts\": [");
    for (int i = 0; i < frame->contact_count; i++) {
        hf_bytes_text(out, i ? ",\n        " : " ");
        write_contact(out, m, &frame->contacts[i]);
    }
    if (frame->contact_count) hf_bytes_text(out, " ]");
    if (frame->object_count) hf_bytes_text(out, ",\n      \"objects\": { ");
    for (int i = 0; i < frame->object_count; i++) {
        if (i) hf_bytes_text(out, ", ");
        hf_bytes_quoted(out, m->objects[frame->objects[i].object]);
        hf_bytes_text(out, ": ");
        write_pose7(out, frame->objects[i].pose);
    }
    if (frame->object_count) hf_bytes_text(out, " }");
    if (!isnan(frame->balance)) {
        hf_bytes_text(out, ", \"balance\": ");
        hf_bytes_number(out, frame->balance);
    }
    if (frame->stance) hf_bytes_text(out, ", \"stance\": true");
    hf_bytes_text(out, " }");
}

static bool good_number(double v) { return fabs(v) <= FAR_AWAY; }

static bool good_point(hf_vec3 p) { return good_number(p.x) && good_number(p.y) && good_number(p.z); }

static bool good_pose(hf_transform p) {
    return good_point(p.position) && isfinite(p.rotation.w + p.rotation.x + p.rotation.y + p.rotation.z);
}

/* A file that could not be read back is not written. */
static hf_status check_numbers(const hf_motion* m, const char* path, hf_error* error) {
    if (m->frame_count == 0)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "frames", "a motion has at least one frame");
    for (int f = 0; f < m->frame_count; f++) {
        const hf_motion_frame* frame = &m->frames[f];
        bool good = good_number(frame->time_s) && good_pose(frame->root) && !isinf(frame->balance);
        for (int i = 0; i < m->q_count; i++) good = good && good_number(frame->q[i]);
        for (int i = 0; i < frame->object_count; i++) good = good && good_pose(frame->objects[i].pose);
        for (int i = 0; i < frame->contact_count; i++) {
            const hf_motion_contact* contact = &frame->contacts[i];
            good = good && good_point(contact->point) && good_point(contact->normal);
        }
        if (!good)
            return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "frames",
                           "frame %d is not finite or out of range", f);
    }
    return HF_OK;
}

static void write_path(hf_bytes* out, const char* path, const char* key, const char* target) {
    char* relative = target[0] ? hf_path_relative(path, target) : hf_copy_text("");
    hf_bytes_format(out, ",\n  \"%s\": ", key);
    if (relative)
        hf_bytes_quoted(out, relative);
    else
        out->failed = true;
    hf_free(relative);
}

static void write_lists(hf_bytes* out, const hf_motion* m) {
    char* names[HF_MAX_LIMBS];
    int count = 0;
    for (int i = 0; i < CLAIM_COUNT; i++)
        if (m->claims >> i & 1) names[count++] = (char*)claim_names[i];
    write_names(out, "claims", names, count);
    write_names(out, "joints", m->joints, m->joint_count);
    count = m->limb_count < HF_MAX_LIMBS ? m->limb_count : HF_MAX_LIMBS;
    for (int i = 0; i < count; i++) names[i] = m->limbs[i].name;
    write_names(out, "limbs", names, count);
    write_contact_frames(out, m);
}

hf_status hf_motion_save(const hf_motion* motion, const char* path, hf_error* error) {
    hf_status status = check_numbers(motion, path, error);
    if (status != HF_OK) return status;
    hf_bytes out = {0};
    hf_bytes_text(&out, "{ \"format\": \"holdfast-motion\", \"version\": 1");
    write_path(&out, path, "creature", motion->creature);
    if (motion->scenario) write_path(&out, path, "scenario", motion->scenario);
    hf_bytes_text(&out, ",\n  \"outcome\": ");
    hf_bytes_quoted(&out, motion->outcome);
    write_lists(&out, motion);
    hf_bytes_text(&out, ",\n  \"frames\": [\n");
    for (int f = 0; f < motion->frame_count; f++) {
        if (f) hf_bytes_text(&out, ",\n");
        write_frame(&out, motion, &motion->frames[f]);
    }
    hf_bytes_text(&out, " ],\n  \"stats\": {");
    for (int i = 0; i < motion->stat_count; i++) {
        hf_bytes_text(&out, i ? ", " : " ");
        hf_bytes_quoted(&out, motion->stats[i].name);
        hf_bytes_text(&out, ": ");
        hf_bytes_number(&out, motion->stats[i].value);
    }
    hf_bytes_text(&out, motion->stat_count ? " } }\n" : "} }\n");
    status = hf_bytes_save(&out, path, error);
    hf_bytes_free(&out);
    return status;
}
