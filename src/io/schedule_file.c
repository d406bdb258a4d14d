/* Schedule files: JSON, written so that reading gives back every number to the last bit; only a zero loses
   its sign. */
#include "base/error.h"
#include "base/memory.h"
#include "io/motion_text.h"
#include "model/creature.h"
#include "model/creature_draft.h"

#include <holdfast/schedule.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 27 };

/* ---- reading ---- */

typedef struct reader {
    hf_json json;
    const hf_creature* creature;
    const hf_scene* scene;
    hf_schedule* schedule;
} reader;

static int limb_named(reader* r, const char* where, const char* name) {
    const hf_creature_view* v = &r->creature->view;
    const char* names[HF_MAX_LIMBS];
    for (int i = 0; i < v->limb_count; i++) {
        if (strcmp(v->limbs[i].name, name) == 0) return i;
        names[i] = v->limbs[i].name;
    }
    hf_motion_suggest(&r->json, where, "limb", name, (char* const*)names, v->limb_count);
    return -1;
}

static void read_frame_name(reader* r, const char* where, const json_t* object, hf_hold* hold) {
    const hf_limb* limb = &r->creature->view.limbs[hold->limb];
    const char* name = NULL;
    if (!hf_json_string(&r->json, where, object, "frame", limb->contact_count != 1, &name)) return;
    while (hold->frame < hf_limb_frame_count(limb) && strcmp(limb->contacts[hold->frame].name, name) != 0)
        hold->frame++;
    if (hold->frame == hf_limb_frame_count(limb))
        hf_json_fail(&r->json, where, "limb \"%.60s\" has no contact frame \"%.60s\"", limb->name, name);
}

static void read_object_name(reader* r, const char* where, const json_t* object, hf_hold* hold) {
    const char* name = NULL;
    if (!hf_json_string(&r->json, where, object, "object", false, &name)) return;
    hold->object = r->scene ? hf_scene_find(r->scene, name) : -1;
    if (hold->object < 0) hf_json_fail(&r->json, where, "the scene has no object \"%.60s\"", name);
}

static void read_hold(reader* r, const char* where, const json_t* object, hf_schedule_hold* to) {
    static const char* const keys[] = {"limb", "frame", "object", "point", "normal", "grip", "from", "to"};
    const char* limb = NULL;
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 8)) return;
    *to = (hf_schedule_hold){.hold.object = -1};
    if (!hf_json_string(&r->json, where, object, "limb", true, &limb)) return;
    to->hold.limb = limb_named(r, where, limb);
    if (to->hold.limb < 0) return;
    read_frame_name(r, where, object, &to->hold);
    read_object_name(r, where, object, &to->hold);
    hf_motion_read_point(&r->json, where, object, "point", &to->hold.point);
    hf_motion_read_normal(&r->json, where, object, &to->hold.normal);
    hf_json_bool(&r->json, where, object, "grip", &to->hold.grip);
    hf_json_number(&r->json, where, object, "from", true, &to->from_s);
    hf_json_number(&r->json, where, object, "to", true, &to->to_s);
}

static void read_holds(reader* r) {
    json_t* list = NULL;
    hf_schedule* s = r->schedule;
    if (!hf_json_array(&r->json, "", r->json.root, "holds", true, &list)) return;
    s->holds = hf_alloc(json_array_size(list) + 1, sizeof *s->holds);
    if (!s->holds) r->json.status = hf_fail_memory(r->json.error, r->json.file);
    for (size_t i = 0; i < json_array_size(list) && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "holds[%zu]", i);
        read_hold(r, where, json_array_get(list, i), &s->holds[s->hold_count++]);
    }
    s->hold_capacity = s->hold_count;
}

static void read_knot(reader* r, const char* where, const json_t* object, hf_knot* to) {
    static const char* const keys[] = {"t", "root", "q", "stance"};
    json_t *root = NULL, *q = NULL;
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 4)) return;
    to->q = hf_alloc((size_t)r->schedule->q_count + 1, sizeof *to->q);
    if (!to->q) r->json.status = hf_fail_memory(r->json.error, r->json.file);
    hf_json_number(&r->json, where, object, "t", true, &to->time_s);
    if (hf_json_array(&r->json, where, object, "root", true, &root))
        hf_motion_read_pose7(&r->json, where, root, &to->root);
    if (hf_json_array(&r->json, where, object, "q", true, &q) &&
        hf_json_numbers(&r->json, where, q, r->schedule->q_count, to->q))
        hf_motion_in_range(&r->json, where, to->q, r->schedule->q_count);
    hf_json_bool(&r->json, where, object, "stance", &to->stance);
}

static void read_knots(reader* r) {
    json_t* list = NULL;
    hf_schedule* s = r->schedule;
    if (!hf_json_array(&r->json, "", r->json.root, "knots", true, &list)) return;
    s->knots = hf_alloc(json_array_size(list) + 1, sizeof *s->knots);
    if (!s->knots) r->json.status = hf_fail_memory(r->json.error, r->json.file);
    for (size_t i = 0; i < json_array_size(list) && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "knots[%zu]", i);
        read_knot(r, where, json_array_get(list, i), &s->knots[s->knot_count++]);
    }
    s->knot_capacity = s->knot_count;
}

static hf_status open_file(const char* path, hf_json* json, hf_error* error) {
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size > MAX_BYTES)
        return hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "is larger than 128 MiB");
    return hf_json_load(json, path, "holdfast-schedule", error);
}

static void read_all(reader* r) {
    static const char* const keys[] = {"format", "version", "creature", "scenario", "outcome",
                                       "claims", "rate",    "holds",    "knots",    "package_path"};
    hf_schedule* s = r->schedule;
    if (!hf_json_keys(&r->json, "", r->json.root, keys, sizeof keys / sizeof *keys)) return;
    hf_motion_read_path(&r->json, "creature", false, &s->creature);
    hf_motion_read_path(&r->json, "scenario", false, &s->scenario);
    hf_motion_read_outcome(&r->json, &s->outcome);
    hf_motion_read_claims(&r->json, &s->claims);
    s->rate = 30;
    hf_json_number(&r->json, "", r->json.root, "rate", false, &s->rate);
    read_holds(r);
    read_knots(r);
}

hf_status hf_schedule_load(const char* path, const hf_creature* creature, const hf_scene* scene,
                           hf_schedule** schedule, hf_error* error) {
    HF_REQUIRE(error, path && creature && schedule);
    reader r = {.creature = creature, .scene = scene};
    *schedule = NULL;
    hf_status status = open_file(path, &r.json, error);
    if (status == HF_OK) {
        r.schedule = hf_alloc(1, sizeof *r.schedule);
        if (r.schedule) {
            r.schedule->q_count = creature->view.q_count;
            read_all(&r);
            status = r.json.status;
        } else {
            status = hf_fail_memory(error, path);
        }
    }
    hf_json_free(&r.json);
    hf_error why = {0};
    if (status == HF_OK && hf_schedule_validate(r.schedule, creature, scene, &why) != HF_OK)
        status = hf_fail(error, why.status == HF_ERROR_LIMIT ? HF_ERROR_LIMIT : HF_ERROR_FORMAT, path, 0,
                         why.field, "%s", why.message);
    if (status == HF_OK)
        *schedule = r.schedule;
    else
        hf_schedule_free(r.schedule);
    return status;
}

hf_status hf_schedule_peek(const char* path, char** creature, char** scenario, char** package_path,
                           hf_error* error) {
    HF_REQUIRE(error, path && creature && scenario && package_path);
    hf_json json = {0};
    *creature = *scenario = *package_path = NULL;
    hf_status status = open_file(path, &json, error);
    if (status == HF_OK) {
        hf_motion_read_path(&json, "creature", false, creature);
        hf_motion_read_path(&json, "scenario", false, scenario);
        hf_motion_read_folders(&json, package_path);
        status = json.status;
    }
    hf_json_free(&json);
    return status;
}

/* ---- writing ---- */

static void write_hold(hf_bytes* out, const hf_creature_view* v, const hf_scene* scene,
                       const hf_schedule_hold* h) {
    const hf_limb* limb = &v->limbs[h->hold.limb];
    hf_bytes_text(out, "{ \"limb\": ");
    hf_bytes_quoted(out, limb->name);
    hf_bytes_text(out, ", \"frame\": ");
    hf_bytes_quoted(out, limb->contacts[h->hold.frame].name);
    if (h->hold.object >= 0) {
        hf_bytes_text(out, ", \"object\": ");
        hf_bytes_quoted(out, hf_scene_object(scene, h->hold.object).name);
    }
    hf_motion_write_vec3(out, "point", h->hold.point);
    hf_motion_write_vec3(out, "normal", h->hold.normal);
    hf_bytes_format(out, ", \"grip\": %s, \"from\": ", h->hold.grip ? "true" : "false");
    hf_bytes_number(out, h->from_s);
    hf_bytes_text(out, ", \"to\": ");
    hf_bytes_number(out, h->to_s);
    hf_bytes_text(out, " }");
}

static void write_knot(hf_bytes* out, const hf_schedule* s, const hf_knot* k) {
    hf_bytes_text(out, "{ \"t\": ");
    hf_bytes_number(out, k->time_s);
    hf_bytes_text(out, ", \"root\": ");
    hf_motion_write_pose7(out, k->root);
    hf_bytes_text(out, ", \"q\": [");
    hf_bytes_numbers(out, k->q, s->q_count, ", ");
    hf_bytes_text(out, k->stance ? "], \"stance\": true }" : "] }");
}

hf_status hf_schedule_save(const hf_schedule* s, const hf_creature* creature, const hf_scene* scene,
                           const char* path, hf_error* error) {
    HF_REQUIRE(error, s && creature && path);
    hf_error why = {0};
    hf_status status = hf_schedule_validate(s, creature, scene, &why);
    if (status != HF_OK) return hf_fail(error, status, path, 0, why.field, "%s", why.message);
    hf_bytes out = {0};
    hf_bytes_text(&out, "{ \"format\": \"holdfast-schedule\", \"version\": 1");
    if (s->creature) hf_motion_write_path(&out, path, "creature", s->creature);
    if (s->scenario) hf_motion_write_path(&out, path, "scenario", s->scenario);
    hf_motion_write_folders(&out, path, creature->view.package_path);
    hf_bytes_text(&out, ",\n  \"outcome\": ");
    hf_bytes_quoted(&out, s->outcome);
    hf_motion_write_claims(&out, s->claims);
    hf_bytes_text(&out, ",\n  \"rate\": ");
    hf_bytes_number(&out, s->rate);
    hf_bytes_text(&out, ",\n  \"holds\": [");
    for (int i = 0; i < s->hold_count; i++) {
        hf_bytes_text(&out, i ? ",\n    " : "\n    ");
        write_hold(&out, &creature->view, scene, &s->holds[i]);
    }
    hf_bytes_text(&out, "],\n  \"knots\": [");
    for (int i = 0; i < s->knot_count; i++) {
        hf_bytes_text(&out, i ? ",\n    " : "\n    ");
        write_knot(&out, s, &s->knots[i]);
    }
    hf_bytes_text(&out, "] }\n");
    status = hf_bytes_save(&out, path, error);
    hf_bytes_free(&out);
    return status;
}
