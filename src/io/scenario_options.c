/* Options of scenario files: seed, samples, epsilon, score, and numbers of the tables of those who solve
 * them. */
#include "base/error.h"
#include "base/memory.h"
#include "io/scenario_reader.h"

#include <stdio.h>
#include <string.h>

static bool read_whole(hf_scenario_reader* r, const char* where, const json_t* object, const char* key,
                       double low, double high, double* value) {
    if (!hf_json_number(&r->json, where, object, key, false, value)) return false;
    if (*value >= low && *value <= high && *value == floor(*value)) return true;
    hf_json_fail(&r->json, where, "\"%s\" is %g, a whole number from %.0f to %.0f is expected", key, *value,
                 low, high);
    return false;
}

/* As much as contact queries take. */
static const double MAX_WEIGHT = 1e6, MAX_EPSILON_M = 1e3;

static void read_score(hf_scenario_reader* r, const json_t* object) {
    static const char* const terms[] = {"effort",  "distance", "manipulability", "precision",
                                        "comfort", "duration", "balance",        "profile"};
    hf_scenario* s = r->scenario;
    if (!hf_json_keys(&r->json, "options.score", object, terms, 8)) return;
    s->weights = hf_scenario_list(r, "options.score", json_object_size(object), sizeof *s->weights);
    for (int i = 0; i < 8 && r->json.status == HF_OK; i++) {
        hf_score_weight* to = &s->weights[s->weight_count];
        if (!hf_json_number(&r->json, "options.score", object, terms[i], false, &to->weight)) continue;
        if (!(to->weight >= 0 && to->weight <= MAX_WEIGHT)) {
            hf_json_fail(&r->json, "options.score", "\"%s\" is %g, a weight from 0 to %g is expected",
                         terms[i], to->weight, MAX_WEIGHT);
            return;
        }
        to->term = hf_copy_text(terms[i]);
        if (to->term)
            s->weight_count++;
        else
            hf_scenario_out_of_memory(r);
    }
}

/* The tables that a scenario of a kind can set numbers of; what is in them their owners know. */
#define NAME_AND_KIND(name, kind, table) {name, kind},
static const struct {
    const char* name;
    hf_scenario_kind kind;
} tables[] = {HF_SCENARIO_TABLES(NAME_AND_KIND)};
enum { TABLE_COUNT = sizeof tables / sizeof *tables };

/* Numbers of tables that a file sets elsewhere, or that are the machine's affair. */
static const struct {
    const char *name, *instead;
} elsewhere[] = {{"seed", "\"seed\" of the scenario sets it"},
                 {"samples", "\"samples\" of the options sets it"},
                 {"epsilon_m", "\"epsilon\" of the options sets it"},
                 {"effort", "\"score\" of the options sets it"},
                 {"duration", "\"score\" of the options sets it"},
                 {"balance", "\"score\" of the options sets it"},
                 {"comfort", "\"score\" of the options sets it"},
                 {"threads", "no result depends on it, so that no file sets it"},
                 {"count", "the command line sets it (--choices)"}};

static bool belongs_elsewhere(hf_scenario_reader* r, const char* where, const char* name) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(name, elsewhere[i].name) == 0) {
            hf_json_fail(&r->json, where, "\"%s\": %s", name, elsewhere[i].instead);
            return true;
        }
    return false;
}

static void read_table(hf_scenario_reader* r, const char* table, json_t* object) {
    hf_scenario* s = r->scenario;
    char where[40];
    const char* key;
    json_t* value;
    snprintf(where, sizeof where, "options.%s", table);
    json_object_foreach(object, key, value) {
        if (r->json.status != HF_OK || belongs_elsewhere(r, where, key)) return;
        if (!json_is_number(value) && !json_is_boolean(value)) {
            hf_json_fail(&r->json, where, "\"%.60s\" is neither a number nor true or false", key);
            return;
        }
        hf_scenario_option* to = &s->options[s->option_count];
        *to = (hf_scenario_option){.table = table, .name = hf_copy_text(key)};
        to->value = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
        if (to->name)
            s->option_count++;
        else
            hf_scenario_out_of_memory(r);
    }
}

static void read_tables(hf_scenario_reader* r, json_t* options) {
    hf_scenario* s = r->scenario;
    json_t* object;
    size_t total = 0;
    for (int i = 0; i < TABLE_COUNT; i++) total += json_object_size(json_object_get(options, tables[i].name));
    s->options = hf_scenario_list(r, "options", total, sizeof *s->options);
    for (int i = 0; i < TABLE_COUNT && r->json.status == HF_OK; i++) {
        if (!hf_json_object(&r->json, "options", options, tables[i].name, false, &object)) continue;
        if (tables[i].kind != s->kind)
            hf_json_fail(&r->json, "options", "key \"%s\" belongs to kind \"%s\", this is kind \"%s\"",
                         tables[i].name, hf_scenario_kind_text(tables[i].kind),
                         hf_scenario_kind_text(s->kind));
        read_table(r, tables[i].name, object);
    }
}

void hf_scenario_read_options(hf_scenario_reader* r) {
    static const char* const own[] = {"samples", "epsilon", "score"};
    enum { OWN = sizeof own / sizeof *own };
    const char* keys[OWN + TABLE_COUNT];
    memcpy(keys, own, sizeof own);
    for (int i = 0; i < TABLE_COUNT; i++) keys[OWN + i] = tables[i].name;
    json_t *object = NULL, *score = NULL;
    hf_scenario* s = r->scenario;
    double value;
    if (read_whole(r, "", r->json.root, "seed", 0, 9007199254740992.0, &value)) s->seed = (uint64_t)value;
    if (!hf_json_object(&r->json, "", r->json.root, "options", false, &object) ||
        !hf_json_keys(&r->json, "options", object, keys, OWN + TABLE_COUNT))
        return;
    if (read_whole(r, "options", object, "samples", 1, 1e8, &value)) s->samples = (int)value;
    if (hf_json_number(&r->json, "options", object, "epsilon", false, &s->epsilon_m) &&
        !(s->epsilon_m > 0 && s->epsilon_m <= MAX_EPSILON_M))
        hf_json_fail(&r->json, "options", "\"epsilon\" is %g, it must be above 0 and at most %g",
                     s->epsilon_m, MAX_EPSILON_M);
    if (hf_json_object(&r->json, "options", object, "score", false, &score)) read_score(r, score);
    read_tables(r, object);
}

/* Tells what is wrong with an option of the file: where it is, and why. */
static hf_status refuse(const hf_scenario* s, const hf_scenario_option* o, hf_status status, const char* why,
                        hf_error* error) {
    char field[160];
    snprintf(field, sizeof field, "options.%s.%.100s", o->table, o->name);
    return hf_fail(error, status, s->path, 0, field, "%s", why);
}

hf_status hf_scenario_set(const hf_scenario* s, const char* table_name, hf_option_table table, void* options,
                          hf_error* error) {
    HF_REQUIRE(error, s && table_name && options);
    for (int i = 0; i < s->option_count; i++) {
        const hf_scenario_option* o = &s->options[i];
        if (strcmp(o->table, table_name) != 0) continue;
        hf_error why = {0};
        hf_status status = hf_options_set(table, options, o->name, o->value, &why);
        if (status != HF_OK) return refuse(s, o, status, why.message, error);
    }
    return HF_OK;
}
