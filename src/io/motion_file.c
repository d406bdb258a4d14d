/* Motion files: JSON, written so that reading gives back every number to the last bit. */
#include "base/error.h"
#include "base/memory.h"
#include "io/byte_buffer.h"
#include "io/json.h"
#include "io/motion_text.h"
#include "model/creature_draft.h"
#include <holdfast/motion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 27, MAX_VALUES = 7 * HF_MAX_LINKS, MAX_LISTED = 16384, MAX_TEXT = 4000 };

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
    hf_motion_suggest(&r->json, where, "limb", name, names, m->limb_count);
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
    hf_motion_read_point(&r->json, where, object, "offset", &frame.offset);
    hf_motion_read_normal(&r->json, where, object, &frame.normal);
    hf_json_number(&r->json, where, object, "ball", false, &frame.ball);
    if (hf_json_array(&r->json, where, object, "patch", false, &patch))
        hf_json_numbers(&r->json, where, patch, 2, frame.patch);
    if (r->json.status != HF_OK) return;
    if (!hf_motion_in_range(&r->json, where, (double[3]){frame.ball, frame.patch[0], frame.patch[1]}, 3))
        return;
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
    hf_hold contact = {.object = -1};
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
    hf_motion_read_point(&r->json, where, object, "point", &contact.point);
    hf_motion_read_normal(&r->json, where, object, &contact.normal);
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
        if (!hf_motion_read_pose7(&r->json, place, value, &to->pose)) return;
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
        hf_motion_in_range(&r->json, where, frame->q, (int)count);
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
        hf_motion_in_range(&r->json, where, &frame->time_s, 1) && m->frame_count > 0 &&
        !(frame->time_s > frame[-1].time_s))
        hf_json_fail(&r->json, where, "\"t\" is %g, not after %g of the frame before", frame->time_s,
                     frame[-1].time_s);
    json_t* list = NULL;
    if (hf_json_array(&r->json, where, object, "root", true, &list)) {
        snprintf(where, sizeof where, "frames[%d].root", m->frame_count);
        hf_motion_read_pose7(&r->json, where, list, &frame->root);
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
static void read_all(reader* r) {
    static const char* const keys[] = {"format",         "version", "creature", "scenario",
                                       "outcome",        "claims",  "joints",   "limbs",
                                       "contact_frames", "frames",  "stats",    "package_path"};
    if (!hf_json_keys(&r->json, "", r->json.root, keys, sizeof keys / sizeof *keys)) return;
    hf_motion_read_path(&r->json, "creature", true, &r->motion->creature);
    hf_motion_read_path(&r->json, "scenario", false, &r->motion->scenario);
    hf_motion_read_folders(&r->json, &r->motion->package_path);
    hf_motion_read_outcome(&r->json, &r->motion->outcome);
    hf_motion_read_claims(&r->json, &r->motion->claims);
    read_joints(r);
    read_limbs(r);
    if (r->json.status == HF_OK) read_contact_frames(r);
    read_stats(r);
    if (r->json.status == HF_OK) read_frames(r);
}

hf_status hf_motion_load(const char* path, hf_motion** motion, hf_error* error) {
    HF_REQUIRE(error, path && motion);
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
    hf_motion_write_vec3(out, "offset", frame->offset);
    hf_motion_write_vec3(out, "normal", frame->normal);
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

static void write_contact(hf_bytes* out, const hf_motion* m, const hf_hold* contact) {
    const hf_motion_limb* limb = &m->limbs[contact->limb];
    hf_bytes_text(out, "{ \"limb\": ");
    hf_bytes_quoted(out, limb->name);
    hf_bytes_text(out, ", \"frame\": ");
    hf_bytes_quoted(out, limb->frames[contact->frame].name);
    hf_motion_write_vec3(out, "point", contact->point);
    hf_motion_write_vec3(out, "normal", contact->normal);
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
    hf_motion_write_pose7(out, frame->root);
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
        hf_motion_write_pose7(out, frame->objects[i].pose);
    }
    if (frame->object_count) hf_bytes_text(out, " }");
    if (!isnan(frame->balance)) {
        hf_bytes_text(out, ", \"balance\": ");
        hf_bytes_number(out, frame->balance);
    }
    if (frame->stance) hf_bytes_text(out, ", \"stance\": true");
    hf_bytes_text(out, " }");
}

/* A file that could not be read back is not written. */
static hf_status check_numbers(const hf_motion* m, const char* path, hf_error* error) {
    if (m->frame_count == 0)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "frames", "a motion has at least one frame");
    for (int f = 0; f < m->frame_count; f++) {
        const hf_motion_frame* frame = &m->frames[f];
        bool good = hf_motion_good_number(frame->time_s) && hf_motion_good_pose(frame->root) &&
                    !isinf(frame->balance);
        for (int i = 0; i < m->q_count; i++) good = good && hf_motion_good_number(frame->q[i]);
        for (int i = 0; i < frame->object_count; i++)
            good = good && hf_motion_good_pose(frame->objects[i].pose);
        for (int i = 0; i < frame->contact_count; i++) {
            const hf_hold* contact = &frame->contacts[i];
            good = good && hf_motion_good_point(contact->point) && hf_motion_good_point(contact->normal);
        }
        if (!good)
            return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "frames",
                           "frame %d is not finite or out of range", f);
    }
    return HF_OK;
}

static void write_lists(hf_bytes* out, const hf_motion* m) {
    char* names[HF_MAX_LIMBS];
    hf_motion_write_claims(out, m->claims);
    hf_motion_write_names(out, "joints", m->joints, m->joint_count);
    int count = m->limb_count < HF_MAX_LIMBS ? m->limb_count : HF_MAX_LIMBS;
    for (int i = 0; i < count; i++) names[i] = m->limbs[i].name;
    hf_motion_write_names(out, "limbs", names, count);
    write_contact_frames(out, m);
}

hf_status hf_motion_save(const hf_motion* motion, const char* path, hf_error* error) {
    HF_REQUIRE(error, motion && path);
    hf_status status = check_numbers(motion, path, error);
    if (status != HF_OK) return status;
    hf_bytes out = {0};
    hf_bytes_text(&out, "{ \"format\": \"holdfast-motion\", \"version\": 1");
    hf_motion_write_path(&out, path, "creature", motion->creature);
    if (motion->scenario) hf_motion_write_path(&out, path, "scenario", motion->scenario);
    hf_motion_write_folders(&out, path, motion->package_path);
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
