/* The "start" and "goal" of a scenario: root, joint values, contacts. */
#include "base/memory.h"
#include "io/scenario_reader.h"

#include <stdio.h>
#include <string.h>

/* Joint values may overstep their limits by rounding; they are put back. */
static const double limit_slack = 1e-6;

static void unknown_joint(hf_scenario_reader* r, const char* where, const char* name) {
    const hf_creature_view* view = hf_creature_get(r->scenario->creature);
    const char** names = hf_alloc((size_t)view->joint_count, sizeof *names);
    for (int i = 0; names && i < view->joint_count; i++) names[i] = view->joints[i].name;
    if (names)
        hf_scenario_unknown(r, where, "joint", name, names, view->joint_count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
}

/* A joint with one value: within its limits. */
static void read_single(hf_scenario_reader* r, const char* where, const hf_joint* joint, const json_t* value,
                        double* q) {
    if (!json_is_number(value)) {
        hf_json_fail(&r->json, where, "joint \"%.60s\": a number is expected", joint->name);
        return;
    }
    double v = json_number_value(value);
    if (v < joint->lower - limit_slack || v > joint->upper + limit_slack) {
        hf_json_fail(&r->json, where, "joint \"%.60s\": %g is outside its limits %g to %g", joint->name, v,
                     joint->lower, joint->upper);
        return;
    }
    *q = fmin(fmax(v, joint->lower), joint->upper);
}

/* A floating joint takes x y z, w x y z; a planar one two shifts and a turn. */
static void read_several(hf_scenario_reader* r, const char* where, const hf_joint* joint, const json_t* value,
                         double* q) {
    char place[160];
    snprintf(place, sizeof place, "%.40s.%.100s", where, joint->name);
    if (joint->q_count == 3) {
        hf_json_numbers(&r->json, place, value, 3, q);
        return;
    }
    hf_transform pose;
    if (!hf_scenario_pose7(r, place, value, &pose)) return;
    const double v[7] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w,
                         pose.rotation.x, pose.rotation.y, pose.rotation.z};
    memcpy(q, v, sizeof v);
}

static void read_joint(hf_scenario_reader* r, const char* where, const char* name, const json_t* value,
                       double* q) {
    const hf_creature_view* view = hf_creature_get(r->scenario->creature);
    int index = hf_creature_find_joint(r->scenario->creature, name);
    if (index < 0) {
        unknown_joint(r, where, name);
        return;
    }
    const hf_joint* joint = &view->joints[index];
    if (joint->q_count == 0)
        hf_json_fail(&r->json, where, "joint \"%.60s\" is fixed", name);
    else if (joint->mimic >= 0)
        hf_json_fail(&r->json, where, "joint \"%.60s\" follows \"%.60s\", which is the one to give", name,
                     view->joints[joint->mimic].name);
    else if (joint->q_count == 1)
        read_single(r, where, joint, value, q + joint->q_index);
    else
        read_several(r, where, joint, value, q + joint->q_index);
}

static void unknown_object(hf_scenario_reader* r, const char* where, const char* name) {
    int count = hf_scene_object_count(r->scenario->scene);
    const char** names = hf_alloc((size_t)count, sizeof *names);
    for (int i = 0; names && i < count; i++) names[i] = hf_scene_object(r->scenario->scene, i).name;
    if (names)
        hf_scenario_unknown(r, where, "object", name, names, count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
}

/* A limb's name, or an object that can also say where it touches what. */
static void read_contact(hf_scenario_reader* r, const char* where, const json_t* value, hf_hold* contact) {
    static const char* const keys[] = {"limb", "point", "normal", "object"};
    *contact = (hf_hold){.frame = -1, .object = -1};
    if (json_is_string(value)) {
        hf_scenario_limb(r, where, json_string_value(value), &contact->limb);
        return;
    }
    const char *limb = NULL, *object = NULL;
    if (!json_is_object(value)) hf_json_fail(&r->json, where, "a limb's name or an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, value, keys, 4)) return;
    if (!hf_json_string(&r->json, where, value, "limb", true, &limb) ||
        !hf_scenario_limb(r, where, limb, &contact->limb))
        return;
    bool point = hf_scenario_point(r, where, value, "point", false, &contact->point);
    bool normal = hf_scenario_direction(r, where, value, "normal", false, &contact->normal);
    if (point != normal) hf_json_fail(&r->json, where, "\"point\" and \"normal\" belong together");
    if (!hf_json_string(&r->json, where, value, "object", false, &object)) return;
    contact->object = hf_scene_find(r->scenario->scene, object);
    if (contact->object < 0) unknown_object(r, where, object);
}

/* No limb twice, and none together with one that excludes it. */
static void check_stance(hf_scenario_reader* r, const char* where, const hf_scenario_state* state) {
    const hf_limb* limbs = hf_creature_get(r->scenario->creature)->limbs;
    const hf_hold* last = &state->contacts[state->contact_count - 1];
    for (int i = 0; i + 1 < state->contact_count; i++) {
        int other = state->contacts[i].limb;
        if (other == last->limb)
            hf_json_fail(&r->json, where, "limb \"%.60s\" is there twice", limbs[other].name);
        for (int k = 0; k < limbs[other].exclude_count; k++)
            if (limbs[other].excludes[k] == last->limb)
                hf_json_fail(&r->json, where, "limbs \"%.60s\" and \"%.60s\" exclude each other",
                             limbs[other].name, limbs[last->limb].name);
    }
}

static void read_contacts(hf_scenario_reader* r, const char* where, const json_t* list,
                          hf_scenario_state* state) {
    size_t count = json_array_size(list);
    /* Each limb at most once bounds the list. */
    if (count > (size_t)hf_creature_get(r->scenario->creature)->limb_count) {
        hf_json_fail(&r->json, where, "has more contacts than the creature has limbs");
        return;
    }
    state->contacts = hf_scenario_list(r, where, count, sizeof *state->contacts);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char inner[60];
        snprintf(inner, sizeof inner, "%.20s.contacts[%zu]", where, i);
        read_contact(r, inner, json_array_get(list, i), &state->contacts[i]);
        if (r->json.status != HF_OK) return;
        state->contact_count++;
        check_stance(r, inner, state);
    }
}

/* A place to stand: x, y and perhaps the heading. */
static void read_place(hf_scenario_reader* r, const char* where, const json_t* object,
                       hf_scenario_state* state) {
    const json_t* at = json_object_get(object, "at");
    double v[3] = {0};
    char inner[60];
    snprintf(inner, sizeof inner, "%.20s.at", where);
    if (json_object_size(object) > 1)
        hf_json_fail(&r->json, inner,
                     "stands alone: the pose is found, \"root\", \"joints\" and "
                     "\"contacts\" do not go with it");
    size_t count = json_array_size(at);
    if (!hf_json_numbers(&r->json, inner, at, count == 3 ? 3 : 2, v)) return;
    state->stands = true, state->any_heading = count != 3;
    state->pose.root.position = hf_v3(v[0], v[1], 0);
    state->pose.root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), v[2]);
}

/* The motion itself has doubles; what is shown of it has not. */
static void warn_of_distance(hf_scenario_reader* r, const char* where, hf_vec3 p) {
    static const double EXACT_M = 1e-4;
    float far = (float)fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    double rounding_m = 0.5 * (double)(nextafterf(far, INFINITY) - far);
    if (rounding_m > EXACT_M &&
        !hf_lines_add(&r->warnings,
                      "%s: %s: %.7g m from the origin places are rounded to %.2g m in .glb files; shift the "
                      "scene to the origin",
                      r->path, where, (double)far, rounding_m))
        hf_scenario_out_of_memory(r);
}

void hf_scenario_read_state(hf_scenario_reader* r, const char* where, const json_t* object,
                            bool root_required, hf_scenario_state* state) {
    static const char* const keys[] = {"root", "joints", "contacts", "at"};
    if (r->json.status != HF_OK) return;
    const hf_creature* creature = r->scenario->creature;
    state->pose.q = hf_alloc((size_t)hf_creature_get(creature)->q_count, sizeof *state->pose.q);
    if (!state->pose.q) {
        hf_scenario_out_of_memory(r);
        return;
    }
    hf_pose_rest(creature, &state->pose);
    state->pose.root = hf_transform_identity();
    if (!object || !hf_json_keys(&r->json, where, object, keys, 4)) return;
    if (json_object_get(object, "at")) {
        read_place(r, where, object, state);
        return;
    }
    json_t *joints = NULL, *contacts = NULL, *root = json_object_get(object, "root"), *value;
    const char* name;
    char inner[60];
    snprintf(inner, sizeof inner, "%.20s.root", where);
    if (root)
        hf_scenario_pose7(r, inner, root, &state->pose.root);
    else if (root_required)
        hf_json_fail(&r->json, where, "\"root\" is missing");
    warn_of_distance(r, inner, state->pose.root.position);
    snprintf(inner, sizeof inner, "%.20s.joints", where);
    if (hf_json_object(&r->json, where, object, "joints", false, &joints)) {
        json_object_foreach(joints, name, value) {
            if (r->json.status == HF_OK) read_joint(r, inner, name, value, state->pose.q);
        }
        hf_pose_follow(creature, state->pose.q);
    }
    if (hf_json_array(&r->json, where, object, "contacts", false, &contacts))
        read_contacts(r, where, contacts, state);
    state->whole = (joints && json_object_size(joints) > 0) || state->contact_count > 0;
}
