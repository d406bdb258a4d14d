/* holdfast: reads the command line by the tables of options.c and runs one command. */
#include "command.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static options default_options(void) {
    return (options){
        .seed = -1, .zoom = 1, .frame = -1, .query = -1, .azimuth_deg = NAN, .elevation_deg = NAN};
}

const command* find_command(const char* name) {
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    const char* names[16];
    for (int i = 0; i < command_count; i++) names[i] = commands[i].name;
    const char* near = hf_nearest_word(name, names, command_count);
    if (near)
        complain("unknown command \"%s\"; did you mean \"%s\"?", name, near);
    else
        complain("unknown command \"%s\"; holdfast help lists them", name);
    return NULL;
}

static bool unknown_option(const command* c, const char* text) {
    const char* names[64];
    int count = 0;
    for (int i = 0; i < option_def_count; i++)
        if (command_lists(c, option_defs[i].name)) names[count++] = option_defs[i].name;
    const option_def* elsewhere = find_option(text);
    const char* near = elsewhere ? NULL : hf_nearest_word(text, names, count);
    if (near)
        complain("%s: unknown option \"%s\"; did you mean \"%s\"?", c->name, text, near);
    else if (elsewhere)
        complain("%s takes no %s; holdfast help %s lists its options", c->name, text, c->name);
    else
        complain("%s: unknown option \"%s\"; holdfast help %s lists its options", c->name, text, c->name);
    return false;
}

static bool set_number(const option_def* d, const char* value, options* o) {
    char* end;
    double v = strtod(value, &end);
    bool whole = (d->kind != OPTION_INT && d->kind != OPTION_WHOLE) || v == floor(v);
    if (end == value || *end || !isfinite(v) || !whole || v < d->low || v > d->high) {
        complain("%s %s: a %s from %.10g to %.10g is expected", d->name, value,
                 d->kind == OPTION_NUMBER ? "number" : "whole number", d->low, d->high);
        return false;
    }
    if (d->kind == OPTION_INT)
        *(int*)((char*)o + d->offset) = (int)v;
    else
        *(double*)((char*)o + d->offset) = v;
    return true;
}

static bool set_option(const option_def* d, const char* value, options* o) {
    switch (d->kind) {
    case OPTION_TEXT:
        *(const char**)((char*)o + d->offset) = value;
        return true;
    case OPTION_SWITCH:
        *(bool*)((char*)o + d->offset) = true;
        return true;
    case OPTION_PATHS:
        if (o->package_path_count == MAX_PATHS) {
            complain("%s: at most %d folders", d->name, MAX_PATHS);
            return false;
        }
        if (!is_folder(value)) {
            complain("%s %s: there is no such folder", d->name, value);
            return false;
        }
        o->package_path[o->package_path_count++] = value;
        return true;
    case OPTION_SETTINGS:
        if (o->setting_count == MAX_SETTINGS) {
            complain("%s: at most %d of them", d->name, MAX_SETTINGS);
            return false;
        }
        o->settings[o->setting_count++] = value;
        return true;
    case OPTION_VARIES:
        if (o->vary_count == HF_MAX_VARIES) {
            complain("%s: at most %d of them", d->name, HF_MAX_VARIES);
            return false;
        }
        o->varies[o->vary_count++] = value;
        return true;
    case OPTION_NUMBER:
    case OPTION_WHOLE:
    case OPTION_INT:
        return set_number(d, value, o);
    }
    return false;
}

static bool is_number(const char* text) { return text && text[0] && !text[strspn(text, "0123456789")]; }

/* The value of an option, the next word of the command line; NULL after a complaint. */
static const char* next_value(const option_def* d, const char* next) {
    if (!next)
        complain("%s needs a value: %s", d->name, d->argument);
    else if (next[0] == '-' && find_option(next))
        complain("%s needs a value: %s; \"%s\" is an option", d->name, d->argument, next);
    else
        return next;
    return NULL;
}

/* Reads everything behind the command's name. */
static bool parse(const command* c, int argc, char** argv, options* o) {
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        const char* text = argv[i];
        if (only_files || text[0] != '-' || !text[1]) {
            if (o->file) {
                complain("%s takes one file, \"%s\" is a second one", c->name, text);
                return false;
            }
            o->file = text;
            continue;
        }
        if (strcmp(text, "--") == 0) {
            only_files = true;
            continue;
        }
        char name[64];
        const char* equals = text[1] == '-' ? strchr(text, '=') : NULL;
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : (int)strlen(text), text);
        const option_def* d = find_option(name);
        if (!d || !command_takes(c, d->name)) return unknown_option(c, name);
        const char* value = equals ? equals + 1 : NULL;
        if (d->argument && !value) {
            const char* next = i + 1 < argc ? argv[i + 1] : NULL;
            if (d->argument[0] == '[' && !is_number(next)) {
                *(int*)((char*)o + d->offset) = STRIP;
                continue;
            }
            value = next_value(d, next);
            if (!value) return false;
            i++;
        } else if (!d->argument && value) {
            complain("%s takes no value", d->name);
            return false;
        }
        if (!set_option(d, value, o)) return false;
    }
    if (!o->file && c->argument[0] != '[') {
        complain("%s needs a %s; holdfast help %s says more", c->name, c->argument, c->name);
        return false;
    }
    return true;
}

static int run(int argc, char** argv) {
    options o = default_options();
    if (argc < 2) {
        run_help(&o);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("holdfast %s\n", hf_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return run_help(&o);
    const command* c = find_command(argv[1]);
    if (!c) return EXIT_USAGE;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            o.file = c->name;
            return run_help(&o);
        }
    if (c->run == run_help) {
        o.file = argc > 2 ? argv[2] : NULL;
        if (argc <= 3) return run_help(&o);
        complain("help takes one command, \"%s\" is a second one", argv[3]);
        return EXIT_USAGE;
    }
    o.command = c->name;
    if (!parse(c, argc - 2, argv + 2, &o) || !settings_fit(&o)) return EXIT_USAGE;
    limit_start(&o);
    return c->run(&o);
}

int main(int argc, char** argv) {
    /* Writing to a closed pipe, or more than the shell allows in a file, fails with an error that is told. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int code = run(argc, argv);
    /* A full disk or a closed pipe must not look like success; who closes the pipe, as head does, needs no
     * telling. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (poll(&out, 1, 0) != 1 || !(out.revents & POLLERR)) complain("standard output cannot be written");
        return EXIT_BAD_INPUT;
    }
    return code;
}
