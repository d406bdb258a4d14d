/* *.control.json: limbs that are arms and legs, and for each control its joints and its range. */
#include "io/control_file.h"

#include <math.h>
#include <stdio.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static bool good(const hf_control_file* f) { return f->json.status == HF_OK; }

/* The limbs of the right and of the left side. */
static void read_sides(hf_control_file* f, const char* key, const char* names[2]) {
    static const char* const sides[] = {"right", "left"};
    json_t* object;
    if (!good(f) || !hf_json_object(&f->json, "", f->json.root, key, false, &object)) return;
    if (!hf_json_keys(&f->json, key, object, sides, COUNT(sides))) return;
    for (int i = 0; i < 2; i++) hf_json_string(&f->json, key, object, sides[i], false, &names[i]);
}

/* { "name": share, ... } */
static void read_shares(hf_control_file* f, hf_control_entry* e, json_t* object) {
    const char* name;
    json_t* value;
    e->has_joints = true;
    json_object_foreach(object, name, value) {
        double share;
        if (e->joint_count == HF_CONTROL_FILE_JOINTS) {
            hf_json_fail(&f->json, e->where, "\"joints\" has more than %d", HF_CONTROL_FILE_JOINTS);
            return;
        }
        if (!hf_json_number(&f->json, e->where, object, name, true, &share)) return;
        e->joints[e->joint_count] = name;
        e->shares[e->joint_count++] = share;
    }
}

static void read_range(hf_control_file* f, hf_control_entry* e, const json_t* array) {
    if (!hf_json_numbers(&f->json, e->where, array, 2, e->range)) return;
    e->has_range = true;
    if (!(e->range[0] <= e->range[1]))
        hf_json_fail(&f->json, e->where, "\"range\": %g is above %g", e->range[0], e->range[1]);
}

static void read_control(hf_control_file* f, hf_control_entry* e, const json_t* object) {
    static const char* const keys[] = {"joint", "joints", "range", "pitch"};
    json_t *shares, *range;
    const char* joint;
    if (!json_is_object(object)) {
        hf_json_fail(&f->json, e->where, "an object is expected");
        return;
    }
    if (!hf_json_keys(&f->json, e->where, object, keys, COUNT(keys))) return;
    bool none = json_is_null(json_object_get(object, "joint"));
    if (none)
        e->has_joints = true;
    else if (hf_json_string(&f->json, e->where, object, "joint", false, &joint))
        e->has_joints = true, e->joints[0] = joint, e->shares[0] = 1, e->joint_count = 1;
    if (good(f) && json_object_get(object, "joints")) {
        if (e->has_joints)
            hf_json_fail(&f->json, e->where, "\"joint\" and \"joints\" exclude each other");
        else if (hf_json_object(&f->json, e->where, object, "joints", true, &shares))
            read_shares(f, e, shares);
    }
    if (good(f) && hf_json_array(&f->json, e->where, object, "range", false, &range)) read_range(f, e, range);
    if (good(f)) e->has_pitch = hf_json_number(&f->json, e->where, object, "pitch", false, &e->pitch);
}

hf_status hf_control_file_read(hf_control_file* f, const char* path, const char* const* names, int count,
                               hf_error* error) {
    static const char* const keys[] = {"format", "version", "arms", "legs", "controls"};
    json_t* controls = NULL;
    *f = (hf_control_file){0};
    hf_json_load(&f->json, path, "holdfast-control", error);
    if (good(f)) hf_json_keys(&f->json, "", f->json.root, keys, COUNT(keys));
    read_sides(f, "arms", f->arms);
    read_sides(f, "legs", f->legs);
    if (good(f) && hf_json_object(&f->json, "", f->json.root, "controls", false, &controls))
        hf_json_keys(&f->json, "controls", controls, names, count);
    for (int k = 0; k < count && k < HF_CONTROL_FILE_CONTROLS && good(f); k++) {
        const json_t* object = json_object_get(controls, names[k]);
        snprintf(f->controls[k].where, sizeof f->controls[k].where, "controls.%s", names[k]);
        if (object) read_control(f, &f->controls[k], object);
    }
    return f->json.status;
}

void hf_control_file_free(hf_control_file* f) { hf_json_free(&f->json); }
