/* *.creature.json: what refines a URDF. Everything but "urdf" is optional; what it names is checked when
   the creature is built. */
#include "io/creature_reader.h"
#include "base/error.h"
#include "io/json.h"

#include <stdio.h>
#include <unistd.h>

enum { MAX_CONTACTS = 64, MAX_GAIT = 256 };

typedef struct file_reader {
    hf_json json;
    hf_creature_draft* draft;
    const hf_load_options* options;
    const char* path;
} file_reader;

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static bool good(const file_reader* r) { return r->json.status == HF_OK; }

static void out_of_memory(file_reader* r) {
    if (good(r)) r->json.status = hf_fail_memory(r->json.error, r->path);
}

static char* keep(file_reader* r, const char* text) {
    char* copy = hf_arena_text(&r->draft->arena, text);
    if (!copy) out_of_memory(r);
    return copy;
}

static char* text_of(file_reader* r, const char* where, const json_t* object, const char* key,
                     bool required) {
    const char* text;
    if (!hf_json_string(&r->json, where, object, key, required, &text)) return NULL;
    if (!*text) hf_json_fail(&r->json, where, "\"%s\" is empty", key);
    return good(r) ? keep(r, text) : NULL;
}

/* A number that must be above zero when it is there. */
static void positive(file_reader* r, const char* where, const json_t* object, const char* key,
                     double* value) {
    double v;
    if (!hf_json_number(&r->json, where, object, key, false, &v)) return;
    if (!(v > 0)) hf_json_fail(&r->json, where, "\"%s\" is %g, a number above 0 is expected", key, v);
    *value = v;
}

/* The texts of an array; *count is 0 and the result NULL when the key is absent. */
static char** texts_of_array(file_reader* r, const char* where, const json_t* array, int* count) {
    size_t size = json_array_size(array);
    *count = 0;
    if (size > HF_MAX_LINKS) {
        hf_json_fail(&r->json, where, "more than %d names", HF_MAX_LINKS);
        return NULL;
    }
    char** texts = hf_arena_alloc(&r->draft->arena, size, sizeof *texts);
    if (!texts) {
        out_of_memory(r);
        return NULL;
    }
    for (size_t i = 0; i < size && good(r); i++) {
        const json_t* item = json_array_get(array, i);
        const char* text = json_string_value(item);
        if (!text || !*text || strlen(text) != json_string_length(item)) {
            hf_json_fail(&r->json, where, "a list of names is expected");
            return NULL;
        }
        texts[i] = keep(r, text);
        *count = (int)i + 1;
    }
    return texts;
}

static char** texts_of(file_reader* r, const char* where, const json_t* object, const char* key, int* count) {
    json_t* array;
    *count = 0;
    if (!hf_json_array(&r->json, where, object, key, false, &array)) return NULL;
    char place[160];
    snprintf(place, sizeof place, "%s%s%s", where, where[0] ? "." : "", key);
    return texts_of_array(r, place, array, count);
}

/* ------------------------------------------------------------------------------------------ limbs */

static void read_contact(file_reader* r, const char* where, const json_t* object, int index,
                         hf_draft_contact* c) {
    static const char* const keys[] = {"name", "link", "offset", "normal", "patch", "ball"};
    if (!json_is_object(object)) {
        hf_json_fail(&r->json, where, "an object is expected");
        return;
    }
    if (!hf_json_keys(&r->json, where, object, keys, COUNT(keys))) return;
    c->name = text_of(r, where, object, "name", false);
    if (!c->name && good(r)) {
        char name[32] = "contact";
        if (index > 0) snprintf(name, sizeof name, "contact_%d", index + 1);
        c->name = keep(r, name);
    }
    c->link = text_of(r, where, object, "link", false);
    hf_json_vec3(&r->json, where, object, "offset", true, &c->offset);
    hf_json_vec3(&r->json, where, object, "normal", true, &c->normal);
    positive(r, where, object, "ball", &c->ball);
    json_t* patch;
    if (hf_json_array(&r->json, where, object, "patch", false, &patch)) {
        char place[160];
        snprintf(place, sizeof place, "%.140s.patch", where);
        hf_json_numbers(&r->json, place, patch, 2, c->patch);
        if (good(r) && (c->patch[0] < 0 || c->patch[1] < 0))
            hf_json_fail(&r->json, place, "a size is negative");
        if (good(r) && c->ball > 0) hf_json_fail(&r->json, where, "has both \"patch\" and \"ball\"");
    }
    double length = hf_length(c->normal);
    if (good(r) && !(length > 1e-6 && length < 1e6))
        hf_json_fail(&r->json, where, "\"normal\" has %s", length < 1 ? "no length" : "no usable length");
    if (good(r)) c->normal = hf_scale(c->normal, 1 / length);
}

static void read_contacts(file_reader* r, const char* where, const json_t* limb, hf_draft_limb* out) {
    const json_t* contact = json_object_get(limb, "contact");
    if (!contact || !good(r)) return;
    bool list = json_is_array(contact);
    size_t count = list ? json_array_size(contact) : 1;
    if (count > MAX_CONTACTS) {
        hf_json_fail(&r->json, where, "more than %d contact frames", MAX_CONTACTS);
        return;
    }
    out->contacts = hf_arena_alloc(&r->draft->arena, count, sizeof *out->contacts);
    if (!out->contacts) {
        out_of_memory(r);
        return;
    }
    for (size_t i = 0; i < count && good(r); i++) {
        char place[160];
        if (list)
            snprintf(place, sizeof place, "%s.contact[%zu]", where, i);
        else
            snprintf(place, sizeof place, "%s.contact", where);
        hf_draft_contact* c = &out->contacts[i];
        read_contact(r, place, list ? json_array_get(contact, i) : contact, (int)i, c);
        for (int k = 0; good(r) && k < (int)i; k++)
            if (strcmp(out->contacts[k].name, c->name) == 0)
                hf_json_fail(&r->json, place, "the name \"%.60s\" is used twice", c->name);
        out->contact_count = (int)i + 1;
    }
}

static void read_limb(file_reader* r, const char* where, const json_t* object, hf_draft_limb* limb) {
    static const char* const keys[] = {"name",      "root",      "effector", "contact", "grip",
                                       "max_force", "mirror_of", "excludes", "use"};
    if (!json_is_object(object)) {
        hf_json_fail(&r->json, where, "an object is expected");
        return;
    }
    if (!hf_json_keys(&r->json, where, object, keys, COUNT(keys))) return;
    limb->name = text_of(r, where, object, "name", true);
    limb->root = text_of(r, where, object, "root", false);
    limb->effector = text_of(r, where, object, "effector", false);
    if (limb->root && !limb->effector && good(r))
        hf_json_fail(&r->json, where, "\"effector\" is missing beside \"root\"");
    limb->mirror_of = text_of(r, where, object, "mirror_of", false);
    limb->has_grip = hf_json_bool(&r->json, where, object, "grip", &limb->grip);
    limb->has_use = hf_json_bool(&r->json, where, object, "use", &limb->use);
    positive(r, where, object, "max_force", &limb->max_force);
    limb->excludes = texts_of(r, where, object, "excludes", &limb->exclude_count);
    read_contacts(r, where, object, limb);
}

static void read_limbs(file_reader* r) {
    json_t* array;
    if (!hf_json_array(&r->json, "", r->json.root, "limbs", false, &array)) return;
    if (json_array_size(array) > HF_MAX_LIMBS) {
        hf_json_fail(&r->json, "limbs", "more than %d limbs", HF_MAX_LIMBS);
        return;
    }
    r->draft->limbs_given = true;
    for (size_t i = 0; i < json_array_size(array) && good(r); i++) {
        char where[40];
        snprintf(where, sizeof where, "limbs[%zu]", i);
        if (!HF_DRAFT_ADD(r->draft, limbs)) {
            out_of_memory(r);
            return;
        }
        read_limb(r, where, json_array_get(array, i), &r->draft->limbs[i]);
        for (size_t k = 0; good(r) && k < i; k++)
            if (strcmp(r->draft->limbs[k].name, r->draft->limbs[i].name) == 0)
                hf_json_fail(&r->json, where, "the name \"%.60s\" is used twice", r->draft->limbs[i].name);
    }
}

/* -------------------------------------------------------------------------------- everything else */

static void read_rest(file_reader* r) {
    json_t *object, *value;
    const char* name;
    if (!hf_json_object(&r->json, "", r->json.root, "rest", false, &object)) return;
    json_object_foreach(object, name, value) {
        char where[160];
        snprintf(where, sizeof where, "rest.%.120s", name);
        if (!good(r)) return;
        if (!HF_DRAFT_ADD(r->draft, rest)) {
            out_of_memory(r);
            return;
        }
        hf_draft_value* v = &r->draft->rest[r->draft->rest_count - 1];
        v->joint = keep(r, name);
        v->count = json_is_array(value) ? (int)json_array_size(value) : 1;
        if (json_is_number(value))
            v->values[0] = json_number_value(value);
        else if (json_is_array(value) && (v->count == 1 || v->count == 3 || v->count == 7))
            hf_json_numbers(&r->json, where, value, v->count, v->values);
        else
            hf_json_fail(&r->json, where, "a number is expected (or a list of 3 or 7)");
    }
}

static void read_roms(file_reader* r) {
    static const char* const keys[] = {"joints", "region"};
    json_t* array;
    if (!hf_json_array(&r->json, "", r->json.root, "rom", false, &array)) return;
    if (json_array_size(array) > HF_MAX_LINKS) {
        hf_json_fail(&r->json, "rom", "more than %d regions", HF_MAX_LINKS);
        return;
    }
    for (size_t i = 0; i < json_array_size(array) && good(r); i++) {
        char where[40];
        snprintf(where, sizeof where, "rom[%zu]", i);
        const json_t* object = json_array_get(array, i);
        if (!json_is_object(object)) {
            hf_json_fail(&r->json, where, "an object is expected");
            return;
        }
        const char* region;
        int count;
        if (!hf_json_keys(&r->json, where, object, keys, COUNT(keys))) return;
        char** joints = texts_of(r, where, object, "joints", &count);
        if (!hf_json_string(&r->json, where, object, "region", true, &region)) return;
        char* path = hf_path_beside(r->path, region);
        if (!path)
            out_of_memory(r);
        else
            r->json.status =
                hf_rom_file_read(path, count > 0 ? joints : NULL, count, r->draft, r->json.error);
        hf_free(path);
    }
}

static void read_limits(file_reader* r) {
    static const char* const keys[] = {"root_speed", "root_turn", "root_acceleration", "joint_speed",
                                       "joint_acceleration"};
    json_t* object;
    if (!hf_json_object(&r->json, "", r->json.root, "limits", false, &object)) return;
    if (!hf_json_keys(&r->json, "limits", object, keys, COUNT(keys))) return;
    hf_body_limits* l = &r->draft->limits;
    double* values[] = {&l->root_speed, &l->root_turn, &l->root_acceleration, &l->joint_speed,
                        &l->joint_acceleration};
    for (int i = 0; i < COUNT(keys); i++) positive(r, "limits", object, keys[i], values[i]);
}

static void read_gait(file_reader* r) {
    json_t* array;
    if (!hf_json_array(&r->json, "", r->json.root, "gait", false, &array)) return;
    size_t count = json_array_size(array);
    if (count > MAX_GAIT) {
        hf_json_fail(&r->json, "gait", "more than %d groups", MAX_GAIT);
        return;
    }
    r->draft->gait = hf_arena_alloc(&r->draft->arena, count, sizeof *r->draft->gait);
    r->draft->gait_sizes = hf_arena_alloc(&r->draft->arena, count, sizeof *r->draft->gait_sizes);
    if (!r->draft->gait || !r->draft->gait_sizes) {
        out_of_memory(r);
        return;
    }
    for (size_t i = 0; i < count && good(r); i++) {
        char where[40];
        snprintf(where, sizeof where, "gait[%zu]", i);
        const json_t* group = json_array_get(array, i);
        if (!json_is_array(group) || json_array_size(group) > HF_MAX_LIMBS) {
            hf_json_fail(&r->json, where, "a list of limbs is expected");
            return;
        }
        r->draft->gait[i] = texts_of_array(r, where, group, &r->draft->gait_sizes[i]);
    }
    r->draft->gait_count = (int)count;
}

static void read_guide(file_reader* r) {
    static const char* const keys[] = {"upright", "bent",        "tilt",       "tilt_max", "tilt_side",
                                       "any",     "trunk_scale", "bent_state", "bent_tilt"};
    const char* state = NULL;
    json_t* object;
    hf_creature_draft* d = r->draft;
    if (!hf_json_object(&r->json, "", r->json.root, "guide", false, &object)) return;
    if (!hf_json_keys(&r->json, "guide", object, keys, COUNT(keys))) return;
    d->has_guide = true;
    d->guide_upright = texts_of(r, "guide", object, "upright", &d->guide_upright_count);
    d->guide_bent = texts_of(r, "guide", object, "bent", &d->guide_bent_count);
    positive(r, "guide", object, "tilt", &d->guide_tilt);
    positive(r, "guide", object, "tilt_max", &d->guide_tilt_max);
    positive(r, "guide", object, "tilt_side", &d->guide_tilt_side);
    positive(r, "guide", object, "trunk_scale", &d->guide_trunk_scale);
    positive(r, "guide", object, "bent_tilt", &d->guide_bent_tilt);
    if (hf_json_string(&r->json, "guide", object, "bent_state", false, &state) && state) {
        d->guide_bent_state = hf_arena_text(&d->arena, state);
        if (!d->guide_bent_state) out_of_memory(r);
    }
    double any = 1;
    hf_json_number(&r->json, "guide", object, "any", false, &any);
    if (good(r) && (any < 0 || any > HF_MAX_LIMBS || any != (int)any))
        hf_json_fail(&r->json, "guide", "\"any\" is %g, a number of limbs is expected", any);
    if (good(r)) d->guide_any = (int)any;
}

/* The files it stands on come first, so that a wrong one is what is reported. */
static void read_files(file_reader* r) {
    const char *urdf, *srdf;
    hf_error* error = r->json.error;
    if (!hf_json_string(&r->json, "", r->json.root, "urdf", true, &urdf)) return;
    if (!*urdf) {
        hf_json_fail(&r->json, "", "\"urdf\" is empty");
        return;
    }
    char* path = hf_path_beside(r->path, urdf);
    if (!path) {
        out_of_memory(r);
        return;
    }
    r->json.status = hf_creature_read_body(path, r->options, r->draft, error);
    if (good(r) && hf_json_string(&r->json, "", r->json.root, "srdf", false, &srdf)) {
        char* beside = hf_path_beside(r->path, srdf);
        if (beside)
            r->json.status = hf_srdf_read(beside, r->draft, error);
        else
            out_of_memory(r);
        hf_free(beside);
    } else if (good(r)) {
        r->json.status = hf_srdf_read_beside(path, r->draft, error);
    }
    hf_free(path);
}

/* The control layer's file is read when a layer is made; here only that it is there. */
static void read_control(file_reader* r) {
    char* name = text_of(r, "", r->json.root, "control", false);
    char* path = name ? hf_path_beside(r->path, name) : NULL;
    if (name && !path) out_of_memory(r);
    if (path && access(path, R_OK) != 0)
        hf_json_fail(&r->json, "control", "file \"%.200s\" cannot be opened", name);
    if (path && good(r)) r->draft->control_path = keep(r, path);
    hf_free(path);
}

static void read_trunk(file_reader* r) {
    int count;
    char** names = texts_of(r, "", r->json.root, "trunk", &count);
    for (int i = 0; i < count && good(r); i++) {
        if (HF_DRAFT_ADD(r->draft, trunk))
            r->draft->trunk[i] = names[i];
        else
            out_of_memory(r);
    }
}

hf_status hf_creature_file_read(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                                hf_error* error) {
    static const char* const keys[] = {"format", "version", "name",   "urdf", "srdf",  "trunk",  "limbs",
                                       "rest",   "rom",     "limits", "gait", "guide", "control"};
    file_reader r = {.draft = draft, .options = options, .path = path};
    hf_json_load(&r.json, path, "holdfast-creature", error);
    if (good(&r)) hf_json_keys(&r.json, "", r.json.root, keys, COUNT(keys));
    if (good(&r)) read_files(&r);
    if (good(&r)) {
        char* name = text_of(&r, "", r.json.root, "name", false);
        if (name) draft->name = name;
    }
    if (good(&r)) read_trunk(&r);
    if (good(&r)) read_limbs(&r);
    if (good(&r)) read_rest(&r);
    if (good(&r)) read_roms(&r);
    if (good(&r)) read_limits(&r);
    if (good(&r)) read_gait(&r);
    if (good(&r)) read_guide(&r);
    if (good(&r)) read_control(&r);
    hf_json_free(&r.json);
    return r.json.status;
}
