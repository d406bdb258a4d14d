/* What scenarios of kind reach have: how objects are held and how they move, and the list of actions. */
#include "base/memory.h"
#include "io/scenario_reader.h"

#include <stdio.h>
#include <string.h>

static const char* const action_names[] = {"reach", "grasp", "carry", "place", "release",
                                           "open",  "close", "step",  "wait"};
enum { ACTION_COUNT = sizeof action_names / sizeof *action_names };

const char* hf_action_text(hf_action_kind kind) {
    return (unsigned)kind < ACTION_COUNT ? action_names[kind] : "unknown action";
}

/* ---- grasps ---- */

static void read_finger(hf_scenario_reader* r, const char* where, const char* name, const json_t* value,
                        hf_grasp* g) {
    const hf_creature_view* v = hf_creature_get(r->scenario->creature);
    int joint = hf_creature_find_joint(r->scenario->creature, name);
    if (joint < 0 || v->joints[joint].q_count != 1)
        hf_json_fail(&r->json, where, "the creature has no joint \"%.60s\" with one value", name);
    else if (!json_is_number(value))
        hf_json_fail(&r->json, where, "joint \"%.60s\": a number is expected", name);
    else if (json_number_value(value) < v->joints[joint].lower - 1e-6 ||
             json_number_value(value) > v->joints[joint].upper + 1e-6)
        hf_json_fail(&r->json, where, "joint \"%.60s\": %g is outside its limits %g to %g", name,
                     json_number_value(value), v->joints[joint].lower, v->joints[joint].upper);
    if (r->json.status != HF_OK) return;
    g->joints[g->joint_count] = joint;
    g->values[g->joint_count++] = json_number_value(value);
}

static void read_grasp(hf_scenario_reader* r, const char* where, const json_t* object, hf_grasp* g) {
    static const char* const keys[] = {"limb", "position", "rotation", "approach", "joints"};
    *g = (hf_grasp){.hand = hf_transform_identity(), .limb = -1};
    const char *limb = NULL, *name;
    json_t *joints = NULL, *value;
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 5)) return;
    if (hf_json_string(&r->json, where, object, "limb", false, &limb))
        hf_scenario_limb(r, where, limb, &g->limb);
    hf_scenario_point(r, where, object, "position", true, &g->hand.position);
    hf_json_quat(&r->json, where, object, "rotation", &g->hand.rotation);
    hf_scenario_direction(r, where, object, "approach", false, &g->approach);
    if (!hf_json_object(&r->json, where, object, "joints", false, &joints)) return;
    size_t n = json_object_size(joints);
    g->joints = hf_scenario_list(r, where, n + 1, sizeof *g->joints);
    g->values = hf_scenario_list(r, where, n + 1, sizeof *g->values);
    json_object_foreach(joints, name, value) {
        if (r->json.status == HF_OK) read_finger(r, where, name, value, g);
    }
}

static void read_grasps(hf_scenario_reader* r, const char* where, const json_t* object, hf_reach_object* to) {
    json_t* list = NULL;
    if (!hf_json_array(&r->json, where, object, "grasps", false, &list)) return;
    size_t n = json_array_size(list);
    to->grasps = hf_scenario_list(r, where, n + 1, sizeof *to->grasps);
    for (size_t i = 0; i < n && r->json.status == HF_OK; i++) {
        char inner[80];
        snprintf(inner, sizeof inner, "%.40s.grasps[%zu]", where, i);
        to->grasp_count++;
        read_grasp(r, inner, json_array_get(list, i), &to->grasps[i]);
    }
}

/* ---- joints of objects ---- */

static void read_joint(hf_scenario_reader* r, const char* where, const json_t* object, hf_reach_object* to) {
    static const char* const keys[] = {"type", "axis", "origin", "range", "handle"};
    json_t *joint = NULL, *range = NULL;
    const char* type = NULL;
    if (!hf_json_object(&r->json, where, object, "joint", false, &joint)) return;
    if (!hf_json_keys(&r->json, where, joint, keys, 5)) return;
    hf_json_string(&r->json, where, joint, "type", true, &type);
    if (r->json.status != HF_OK) return;
    if (strcmp(type, "hinge") != 0 && strcmp(type, "slide") != 0)
        hf_json_fail(&r->json, where, "\"type\" is \"%.20s\", \"hinge\" or \"slide\" is expected", type);
    to->joint = type[0] == 'h' ? HF_OBJECT_HINGE : HF_OBJECT_SLIDE;
    hf_scenario_direction(r, where, joint, "axis", true, &to->axis);
    hf_scenario_point(r, where, joint, "origin", false, &to->origin);
    if (hf_json_array(&r->json, where, joint, "range", true, &range))
        hf_json_numbers(&r->json, where, range, 2, to->range);
    if (r->json.status == HF_OK && !(to->range[0] <= 0 && to->range[1] >= 0))
        hf_json_fail(&r->json, where, "\"range\" %g to %g does not hold 0, where the object starts",
                     to->range[0], to->range[1]);
    to->has_handle = hf_scenario_point(r, where, joint, "handle", false, &to->handle);
}

static void read_objects(hf_scenario_reader* r) {
    hf_scenario* s = r->scenario;
    json_t* list = NULL;
    hf_json_array(&r->json, "", r->json.root, "scene", false, &list);
    size_t n = json_array_size(list);
    hf_reach_object* to = s->reach_objects;
    for (size_t i = 0; i < n && r->json.status == HF_OK; i++, to++) {
        char where[40];
        snprintf(where, sizeof where, "scene[%zu]", i);
        const json_t* object = json_array_get(list, i);
        if (json_object_get(object, "urdf")) to++; // the one that moves
        hf_json_bool(&r->json, where, object, "upright", &to->upright);
        read_grasps(r, where, object, to);
        if (r->json.status == HF_OK) read_joint(r, where, object, to);
    }
}

/* ---- actions ---- */

/* Which keys an action takes beside "do". */
static const struct {
    const char* keys[6];
    bool object, point; /* must be there */
} forms[ACTION_COUNT] = {[HF_ACTION_REACH] = {{"hand", "point", "rotation"}, false, true},
                         [HF_ACTION_GRASP] = {{"hand", "object"}, true, false},
                         [HF_ACTION_CARRY] = {{"object", "position", "rotation"}, true, true},
                         [HF_ACTION_PLACE] = {{"object", "position", "rotation"}, true, true},
                         [HF_ACTION_RELEASE] = {{"object", "hand"}, false, false},
                         [HF_ACTION_OPEN] = {{"object", "by", "hand"}, true, false},
                         [HF_ACTION_CLOSE] = {{"object", "by", "hand"}, true, false},
                         [HF_ACTION_STEP] = {{"at"}, false, false},
                         [HF_ACTION_WAIT] = {{"seconds"}, false, false}};

static void read_hand(hf_scenario_reader* r, const char* where, const json_t* object, hf_action* a) {
    const char* text = NULL;
    if (!hf_json_string(&r->json, where, object, "hand", false, &text)) return;
    if (strcmp(text, "any") == 0) return;
    if (strcmp(text, "both") == 0) {
        if (a->kind != HF_ACTION_GRASP)
            hf_json_fail(&r->json, where, "\"hand\" is \"both\", which is for \"grasp\" alone");
        a->hand = HF_HAND_BOTH;
        return;
    }
    a->hand = HF_HAND_ONE;
    hf_scenario_limb(r, where, text, &a->limb);
}

static void read_action_object(hf_scenario_reader* r, const char* where, const json_t* object, bool required,
                               hf_action* a) {
    const char* name = NULL;
    const hf_scene* scene = r->scenario->scene;
    if (!hf_json_string(&r->json, where, object, "object", required, &name)) return;
    a->object = hf_scene_find(scene, name);
    if (a->object >= 0) return;
    int count = hf_scene_object_count(scene);
    const char** names = hf_alloc((size_t)count + 1, sizeof *names);
    for (int i = 0; names && i < count; i++) names[i] = hf_scene_object(scene, i).name;
    if (names)
        hf_scenario_unknown(r, where, "object", name, names, count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
}

static void read_numbers(hf_scenario_reader* r, const char* where, const json_t* object, hf_action* a) {
    json_t* at = NULL;
    const char* key = a->kind == HF_ACTION_REACH ? "point" : "position";
    a->has_point = hf_scenario_point(r, where, object, key,
                                     a->kind != HF_ACTION_RELEASE && forms[a->kind].point, &a->point);
    a->has_rotation = hf_json_quat(&r->json, where, object, "rotation", &a->rotation);
    hf_json_number(&r->json, where, object, "by", false, &a->by);
    hf_json_number(&r->json, where, object, "seconds", a->kind == HF_ACTION_WAIT, &a->seconds);
    if (r->json.status == HF_OK && !(a->seconds >= 0 && a->seconds <= 1e4))
        hf_json_fail(&r->json, where, "\"seconds\" is %g, 0 to 10000 are expected", a->seconds);
    if (a->kind == HF_ACTION_STEP && hf_json_array(&r->json, where, object, "at", true, &at))
        hf_json_numbers(&r->json, where, at, 3, a->at);
}

static void read_action(hf_scenario_reader* r, const char* where, const json_t* object, hf_action* a) {
    const char *text = NULL, *keys[8] = {"do"};
    *a = (hf_action){.limb = -1, .object = -1, .rotation = hf_quat_identity(), .by = NAN};
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_string(&r->json, where, object, "do", true, &text)) return;
    int kind = 0, count = 1;
    while (kind < ACTION_COUNT && strcmp(action_names[kind], text) != 0) kind++;
    if (kind == ACTION_COUNT) {
        hf_scenario_unknown(r, where, "action", text, action_names, ACTION_COUNT);
        return;
    }
    a->kind = (hf_action_kind)kind;
    for (int i = 0; i < 6 && forms[kind].keys[i]; i++) keys[count++] = forms[kind].keys[i];
    if (!hf_json_keys(&r->json, where, object, keys, count)) return;
    read_hand(r, where, object, a);
    if (r->json.status == HF_OK) read_action_object(r, where, object, forms[kind].object, a);
    if (r->json.status == HF_OK) read_numbers(r, where, object, a);
}

void hf_scenario_read_reach(hf_scenario_reader* r) {
    hf_scenario* s = r->scenario;
    json_t* list = NULL;
    read_objects(r);
    if (!hf_json_array(&r->json, "", r->json.root, "actions", false, &list)) return;
    size_t n = json_array_size(list);
    if (n == 0) hf_json_fail(&r->json, "actions", "is empty, at least one action is expected");
    s->actions = hf_scenario_list(r, "actions", n, sizeof *s->actions);
    for (size_t i = 0; i < n && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "actions[%zu]", i);
        read_action(r, where, json_array_get(list, i), &s->actions[i]);
        s->action_count++;
    }
}

void hf_scenario_free_reach(hf_scenario* s) {
    int count = s->scene && s->reach_objects ? hf_scene_object_count(s->scene) : 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < s->reach_objects[i].grasp_count; k++) {
            hf_free(s->reach_objects[i].grasps[k].joints);
            hf_free(s->reach_objects[i].grasps[k].values);
        }
        hf_free(s->reach_objects[i].grasps);
    }
    hf_free(s->reach_objects);
    hf_free(s->actions);
}
