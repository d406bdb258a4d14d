/* Messages, progress and JSON output. */
#include "command.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool colour(void) {
    const char* no = getenv("NO_COLOR");
    return isatty(2) && !(no && no[0]);
}

/* What was printed before a message also stands before it where both go to one file. */
void complain(const char* format, ...) {
    fflush(stdout);
    fputs(colour() ? "\033[1mholdfast:\033[0m " : "holdfast: ", stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void note(const options* o, const char* format, ...) {
    if (o->quiet) return;
    fflush(stdout);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

hf_status set_error(hf_error* error, hf_status status) {
    *error = (hf_error){.status = status};
    snprintf(error->message, sizeof error->message, "%s", hf_status_text(status));
    return status;
}

hf_status fail_while(hf_error* error, hf_status status, const char* path, const char* work) {
    *error = (hf_error){.status = status};
    snprintf(error->file, sizeof error->file, "%s", path);
    if (status == HF_ERROR_LIMIT)
        snprintf(error->message, sizeof error->message,
                 "%s goes beyond what the program accepts: distances, joints or contacts are too many or too "
                 "large",
                 work);
    else if (status == HF_ERROR_ARGUMENT)
        snprintf(error->message, sizeof error->message,
                 "%s was refused: a number is not finite or out of its range", work);
    else
        snprintf(error->message, sizeof error->message, "%s: %s", work, hf_status_text(status));
    return status;
}

hf_status keep_kind(hf_error* error, hf_status status) {
    return status == HF_OK || error->status == status ? status : set_error(error, status);
}

enum { TOLD = -1 }; /* instead of a line of a file */

hf_status already_told(hf_error* error, hf_status status) {
    *error = (hf_error){.status = status, .line = TOLD};
    return status;
}

void add_to_error(hf_error* error, const char* format, ...) {
    size_t used = strlen(error->message);
    used += (size_t)snprintf(error->message + used, sizeof error->message - used, "%s", used ? "; " : "");
    if (used >= sizeof error->message) return;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message + used, sizeof error->message - used, format, args);
    va_end(args);
}

int fail_with(const hf_error* error) {
    char text[1400];
    if (error->line != TOLD) complain("%s", hf_error_text(error, text, sizeof text));
    return error->status == HF_ERROR_INTERNAL || error->status == HF_ERROR_MEMORY ? EXIT_INTERNAL
                                                                                  : EXIT_BAD_INPUT;
}

void warn_all(const options* o, hf_strings warnings) {
    for (int i = 0; i < warnings.count; i++)
        note(o, "%swarning:%s %s", colour() ? "\033[33m" : "", colour() ? "\033[0m" : "", warnings.items[i]);
}

void warn_scenario(const options* o, const hf_scenario* s) {
    warn_all(o, hf_creature_get(s->creature)->warnings);
    warn_all(o, (hf_strings){s->warning_count, (const char* const*)s->warnings});
}

char* make_text(const char* format, ...) {
    char* text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    return text;
}

double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ctrl-C asks for the best result so far; a second one ends the program. */
static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal_number) {
    interrupted = 1;
    signal(signal_number, SIG_DFL);
}

progress progress_start(const options* o) {
    interrupted = 0; /* each Ctrl-C ends one piece of work; what was found is still written and drawn */
    signal(SIGINT, on_interrupt);
    return (progress){.options = o, .started = limit_started(), .last_percent = -1};
}

bool progress_report(void* user, double fraction, const char* stage) {
    progress* p = user;
    if (interrupted) p->interrupted = true;
    if (p->options->time_limit_s > 0 && now_s() - p->started > p->options->time_limit_s) p->timed_out = true;
    int percent = fraction >= 0 ? (int)(fraction * 100) : p->last_percent; // below 0: how far is not known
    if (percent != p->last_percent && !p->options->quiet && isatty(2)) {
        char bar[31];
        for (int i = 0; i < 30; i++) bar[i] = i < percent * 30 / 100 ? '#' : '.';
        bar[30] = 0;
        fprintf(stderr, "\r%-12s [%s] %3d %%", stage, bar, percent);
        p->last_percent = percent;
    }
    return !p->interrupted && !p->timed_out;
}

const char* progress_stop_text(const progress* p) {
    static char text[64];
    if (!p->timed_out) return "interrupted";
    snprintf(text, sizeof text, "the time limit of %g s was reached", p->options->time_limit_s);
    return text;
}

void progress_end(progress* p) {
    if (p->last_percent >= 0) fputs("\r\033[K", stderr);
    p->last_percent = -1;
    signal(SIGINT, SIG_DFL);
}

void print_json(json_t* object) {
    if (!object) {
        complain("out of memory");
        exit(EXIT_INTERNAL);
    }
    json_dumpf(object, stdout, JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(object);
}

json_t* json_vec3(hf_vec3 v) { return json_pack("[f,f,f]", v.x, v.y, v.z); }

json_t* json_text(const char* text) {
    json_t* plain = json_string(text);
    if (plain) return plain;
    char* copy = strdup(text);
    for (char* c = copy; c && *c; c++)
        if ((unsigned char)*c >= 128) *c = '?';
    json_t* value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

json_t* json_strings(hf_strings s) {
    json_t* list = json_array();
    for (int i = 0; i < s.count; i++) json_array_append_new(list, json_text(s.items[i]));
    return list;
}
