/* holdfast sample: builds the sample sets of a creature's limbs, or finds them built already. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder that a creature's sets are kept in: --cache, else the creature's own. Free the result. */
static char* cache_folder(const options* o, const char* path) {
    if (o->cache) return strdup(o->cache);
    const char* slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static const char* frame_name(const hf_limb* limb, const hf_samples_view* v) {
    return v->contact >= 0 ? limb->contacts[v->contact].name : "effector";
}

static json_t* set_json(const hf_limb* limb, const hf_samples_view* v, double ms) {
    return json_pack("{s:s,s:s,s:i,s:i,s:i,s:f,s:f,s:b}", "limb", limb->name, "frame", frame_name(limb, v),
                     "joints", limb->joint_count, "drawn", v->drawn, "kept", v->count, "bytes_per_sample",
                     (double)v->byte_count / v->count, "time_ms", ms, "cached", v->mapped);
}

/* One contact frame of one limb; what happened goes to the list or to standard output. */
static int sample_frame(const hf_creature* creature, int limb, const hf_sample_options* s, const char* folder,
                        const options* o, json_t* sets) {
    const hf_limb* l = &hf_creature_get(creature)->limbs[limb];
    hf_samples* samples;
    hf_error error, notice;
    char text[1400];
    double start = now_s();
    if (hf_samples_open(creature, limb, s, folder, &samples, &notice, &error) != HF_OK)
        return fail_with(&error);
    double ms = 1e3 * (now_s() - start);
    hf_samples_view v = hf_samples_get(samples);
    // a set that is in no file is lost when the program ends
    if (!v.kept) complain("%s", hf_error_text(&notice, text, sizeof text));
    if (v.kept && notice.status != HF_OK) note(o, "%s", hf_error_text(&notice, text, sizeof text));
    if (o->json)
        json_array_append_new(sets, set_json(l, &v, ms));
    else
        printf("%-16s %-10s %d joint%s, %d of %d postures kept, %.1f bytes each, %s in %.1f ms\n", l->name,
               frame_name(l, &v), l->joint_count, l->joint_count == 1 ? "" : "s", v.count, v.drawn,
               (double)v.byte_count / v.count, v.mapped ? "found" : "built", ms);
    fflush(stdout); // the time limit may end the program while the next one is built
    hf_samples_free(samples);
    return v.kept ? EXIT_DONE : EXIT_BAD_INPUT;
}

/* Queries choose among the contact frames of a limb, so each has a set of its own. */
static int sample_limb(const hf_creature* creature, int limb, hf_sample_options s, const char* folder,
                       const options* o, json_t* sets) {
    int frames = hf_creature_get(creature)->limbs[limb].contact_count, code = EXIT_DONE;
    for (int i = 0; i < (frames ? frames : 1) && code == EXIT_DONE; i++) {
        s.contact = i;
        code = sample_frame(creature, limb, &s, folder, o, sets);
    }
    return code;
}

static bool has_used_limb(const hf_creature_view* c) {
    for (int i = 0; i < c->limb_count; i++)
        if (c->limbs[i].use) return true;
    return false;
}

static int sample_creature(const hf_creature* creature, const char* path, const options* o) {
    const hf_creature_view* c = hf_creature_get(creature);
    int only = -1;
    if (o->limb && !named_limb(creature, o->limb, &only)) return EXIT_BAD_INPUT;
    hf_sample_options s = hf_sample_options_default();
    if (o->count) s.count = o->count;
    if (o->seed >= 0) s.seed = (uint64_t)o->seed;
    s.threads = o->threads;
    char* folder = cache_folder(o, path);
    json_t* sets = json_array();
    int code = !folder || !sets ? EXIT_INTERNAL : make_folder(folder) ? EXIT_DONE : EXIT_BAD_INPUT;
    for (int i = 0; i < c->limb_count && code == EXIT_DONE; i++)
        if (o->limb ? i == only : c->limbs[i].use) code = sample_limb(creature, i, s, folder, o, sets);
    if (code == EXIT_DONE && !o->limb && !has_used_limb(c)) {
        complain("%s: has no limb for contact, there is nothing to sample", path);
        code = EXIT_BAD_INPUT;
    }
    if (o->json && code == EXIT_DONE)
        print_json(json_pack("{s:o,s:o,s:O}", "creature", json_text(c->name), "folder", json_text(folder),
                             "sets", sets));
    json_decref(sets);
    free(folder);
    return code;
}

int run_sample(const options* o) {
    char* path = find_kind(o->file, FILE_CREATURE);
    if (!path) return EXIT_BAD_INPUT;
    file_kind kind = kind_of(path);
    if (kind != FILE_CREATURE && kind != FILE_CLIP) {
        if (kind == FILE_UNKNOWN)
            unknown_kind(path);
        else
            is_kind(path, FILE_CREATURE, "sample");
        free(path);
        return EXIT_BAD_INPUT;
    }
    hf_load_options l = load_options(o);
    hf_creature* creature;
    hf_error error;
    int code;
    if (hf_creature_load(path, &l, &creature, &error) != HF_OK) {
        code = fail_with(&error);
    } else {
        warn_all(o, hf_creature_get(creature)->warnings);
        code = sample_creature(creature, path, o);
        hf_creature_free(creature);
    }
    free(path);
    return code;
}
