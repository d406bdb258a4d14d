/* --set NAME=VALUE and the tables of a scenario's "options": numbers of the library's option tables. */
#include "command.h"

#include <stdio.h>
#include <string.h>

const settings_table settings_tables[] = {
    {"plan", "plan", hf_plan_option_table},
    {"contact", "contact", hf_contact_option_table},
    {"contact", "sequence", hf_sequence_option_table},
    {"contact", "swing", hf_swing_option_table},
    {"contact", "course", hf_course_option_table},
};
const int settings_table_count = sizeof settings_tables / sizeof *settings_tables;

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

static bool is_meant(const setting* s, const settings_table* t) {
    return (!s->table[0] || strcmp(s->table, t->name) == 0) && hf_options_find(t->table(), s->name);
}

/* Nothing has this name: says which one is near. */
static bool unknown_setting(const char* of, const setting* s) {
    for (int i = 0; i < settings_table_count; i++) {
        const settings_table* t = &settings_tables[i];
        if (strcmp(t->command, of) != 0 || (s->table[0] && strcmp(s->table, t->name) != 0)) continue;
        const char* near = hf_options_nearest(t->table(), s->name);
        if (!near) continue;
        complain("--set %s: unknown option; did you mean \"%s\"?", s->name, near);
        return false;
    }
    complain("--set %s%s%s: unknown option; holdfast help %s lists them", s->table, s->table[0] ? "." : "",
             s->name, of);
    return false;
}

/* Tried on a struct that is thrown away. */
static bool value_fits(const settings_table* t, const setting* s) {
    union {
        hf_plan_options plan;
        hf_contact_query contact;
        hf_sequence_options sequence;
        hf_swing_options swing;
        hf_course_options course;
    } scratch;
    hf_error error = {0};
    if (hf_options_set_text(t->table(), &scratch, s->name, s->value, &error) == HF_OK) return true;
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
    for (int i = 0; i < settings_table_count; i++)
        if (strcmp(settings_tables[i].command, of) == 0 && is_meant(&s, &settings_tables[i]))
            return value_fits(&settings_tables[i], &s);
    return unknown_setting(of, &s);
}

bool settings_fit(const options* o, const char* of) {
    for (int i = 0; i < o->setting_count; i++)
        if (!setting_fits(of, o->settings[i])) return false;
    return true;
}

bool apply_settings(const options* o, const hf_scenario* s, const char* table, void* to) {
    const settings_table* t = settings_tables;
    while (strcmp(t->name, table) != 0) t++;
    hf_error error = {0};
    if (hf_scenario_set(s, table, t->table(), to, &error) != HF_OK) {
        fail_with(&error);
        return false;
    }
    for (int i = 0; i < o->setting_count; i++) {
        setting given;
        if (split(o->settings[i], &given) && is_meant(&given, t) &&
            hf_options_set_text(t->table(), to, given.name, given.value, &error) != HF_OK) {
            fail_with(&error);
            return false;
        }
    }
    return true;
}
