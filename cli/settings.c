/* --set NAME=VALUE and the tables of a scenario's "options": numbers of the library's option tables. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#define WHOLE_ROW(name, kind, table) {name, kind, table},
static const settings_table tables[] = {
    HF_SCENARIO_TABLES(WHOLE_ROW){"refine", HF_SCENARIO_PLAN, hf_refine_option_table}};
static const settings_table* const tables_end = tables + sizeof tables / sizeof *tables;

/* A roadmap is made of guides in the scene of a plan, or of postures that reach; a plan takes the roadmap as
   it is. */
static bool belongs(const settings_table* t, const char* of) {
    bool of_roadmap = strcmp(of, "roadmap") == 0;
    if (strcmp(of, "refine") == 0) return strcmp(t->name, "refine") == 0;
    if (strcmp(t->name, "roadmap") == 0) return of_roadmap;
    if (of_roadmap) return strcmp(t->name, "guide") == 0 || strcmp(t->name, "reach") == 0;
    return strcmp(hf_scenario_kind_text(t->kind), of) == 0;
}

const settings_table* next_table(const char* of, const settings_table* from) {
    for (const settings_table* t = from ? from + 1 : tables; t < tables_end; t++)
        if (belongs(t, of)) return t;
    return NULL;
}

const settings_table* table_of(const char* of, const char* name) {
    const settings_table* t = NULL;
    while ((t = next_table(of, t)))
        if (hf_options_find(t->table(), name)) return t;
    return NULL;
}

/* Numbers of the tables that have an option of the command line for themselves. */
static const struct {
    const char *name, *option;
} own_options[] = {{"seed", "--seed"},
                   {"threads", "--threads"},
                   {"samples", "--count"},
                   {"count", "--choices"},
                   {"trunk_scale", "--trunk-scale"}};

const char* own_option(const char* name) {
    for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++)
        if (strcmp(name, own_options[i].name) == 0) return own_options[i].option;
    return NULL;
}

/* Parts of NAME=VALUE or TABLE.NAME=VALUE; table is "" where none is named. False when there is no "=". */
typedef struct setting {
    char table[40], name[80];
    const char* value;
} setting;

static bool split(const char* text, setting* s) {
    const char* equals = strchr(text, '=');
    if (!equals || equals == text || equals - text >= (int)sizeof s->name) return false;
    const char* dot = memchr(text, '.', (size_t)(equals - text));
    if (dot && dot - text >= (int)sizeof s->table) return false;
    snprintf(s->table, sizeof s->table, "%.*s", dot ? (int)(dot - text) : 0, text);
    const char* name = dot ? dot + 1 : text;
    snprintf(s->name, sizeof s->name, "%.*s", (int)(equals - name), name);
    s->value = equals + 1;
    return true;
}

/* The table that a setting changes; NULL when the command has none with this name. */
static const settings_table* meant(const char* of, const setting* s) {
    const settings_table* t = NULL;
    if (!s->table[0]) return table_of(of, s->name);
    while ((t = next_table(of, t)))
        if (strcmp(t->name, s->table) == 0 && hf_options_find(t->table(), s->name)) return t;
    return NULL;
}

/* The tables of a command, as "plan and guide". */
static const char* table_names(const char* of, char* text, size_t size) {
    const settings_table* t = next_table(of, NULL);
    text[0] = 0;
    for (size_t used = 0; t && used < size;) {
        const settings_table* after = next_table(of, t);
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used == 0 ? ""
                                 : after   ? ", "
                                           : " and ",
                                 t->name);
        t = after;
    }
    return text;
}

/* Nothing has this name: says which one is near. */
static bool unknown_setting(const char* of, const setting* s) {
    bool table_known = false;
    const settings_table* t = NULL;
    while ((t = next_table(of, t))) {
        if (s->table[0] && strcmp(s->table, t->name) != 0) continue;
        table_known = true;
        const char* near = hf_options_nearest(t->table(), s->name);
        if (!near) continue;
        complain("--set %s: unknown option; did you mean \"%s\"?", s->name, near);
        return false;
    }
    char text[160];
    if (table_known)
        complain("--set %s%s%s: unknown option; holdfast help %s lists them", s->table,
                 s->table[0] ? "." : "", s->name, of);
    else
        complain("--set %s.%s: unknown option: %s has the tables %s", s->table, s->name, of,
                 table_names(of, text, sizeof text));
    return false;
}

/* Values are tried on memory that is thrown away, larger than any of the option structs. */
enum { SCRATCH = 4096 };

static bool value_fits(const settings_table* t, const setting* s) {
    _Alignas(16) char scratch[SCRATCH];
    hf_error error = {0};
    const hf_option* option = hf_options_find(t->table(), s->name);
    if (option->offset + sizeof(double) <= sizeof scratch &&
        hf_options_set_text(t->table(), scratch, s->name, s->value, &error) == HF_OK)
        return true;
    complain("--set %s=%s: %s", s->name, s->value, error.message);
    return false;
}

static bool setting_fits(const char* of, const char* text) {
    setting s;
    if (!split(text, &s)) {
        complain("--set %s: NAME=VALUE is expected", text);
        return false;
    }
    if (own_option(s.name)) {
        complain("--set %s: has an option of its own, %s", s.name, own_option(s.name));
        return false;
    }
    if (strncmp(s.name, "goal_tolerance_", 15) == 0) {
        complain("--set %s: stands in the scenario (\"options\": { \"plan\": ... }), where a check of the "
                 "motion reads it too",
                 s.name);
        return false;
    }
    const settings_table* t = meant(of, &s);
    return t ? value_fits(t, &s) : unknown_setting(of, &s);
}

bool settings_fit(const options* o) {
    for (int i = 0; i < o->setting_count; i++)
        if (!setting_fits(o->command, o->settings[i])) return false;
    return true;
}

bool settings_fit_kind(const options* o, const hf_scenario* s) {
    for (int i = 0; i < o->setting_count; i++) {
        setting given;
        const settings_table* t = split(o->settings[i], &given) ? meant(o->command, &given) : NULL;
        if (!t || t->kind == s->kind) continue;
        complain("--set %s: is %s.%s, which a scenario of kind \"%s\" has no use for", given.name, t->name,
                 given.name, hf_scenario_kind_text(s->kind));
        return false;
    }
    return true;
}

bool scenario_settings_fit(const hf_scenario* s) {
    _Alignas(16) char scratch[SCRATCH];
    for (const settings_table* t = tables; t < tables_end; t++) {
        hf_error error = {0};
        if (t->kind != s->kind || hf_scenario_set(s, t->name, t->table(), scratch, &error) == HF_OK) continue;
        fail_with(&error);
        return false;
    }
    return true;
}

bool apply_settings(const options* o, const hf_scenario* s, const char* table, void* to) {
    const settings_table* t = tables;
    while (strcmp(t->name, table) != 0) t++;
    hf_error error = {0};
    if (s && hf_scenario_set(s, table, t->table(), to, &error) != HF_OK) {
        fail_with(&error);
        return false;
    }
    for (int i = 0; i < o->setting_count; i++) {
        setting given;
        if (split(o->settings[i], &given) && meant(o->command, &given) == t &&
            hf_options_set_text(t->table(), to, given.name, given.value, &error) != HF_OK) {
            fail_with(&error);
            return false;
        }
    }
    return true;
}
