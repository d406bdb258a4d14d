/* holdfast check: the independent validity report. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

static json_t* claim_list(unsigned claims) {
    json_t* names = json_array();
    for (int i = 0; i < HF_CLAIM_COUNT; i++)
        if (claims >> i & 1) json_array_append_new(names, json_string(hf_claim_text(i)));
    return names;
}

static json_t* report_json(const hf_check_report* r) {
    json_t* problems = json_array();
    for (int i = 0; i < r->problem_count; i++)
        json_array_append_new(problems, json_pack("{s:i,s:o}", "frame", r->problems[i].frame, "what",
                                                  json_text(r->problems[i].what)));
    json_t* all = json_pack(
        "{s:b,s:i,s:i,s:f,s:i,s:i,s:i,s:f,s:f,s:i,s:i,s:i,s:i,s:f,s:f,s:i,s:i,s:o}", "valid", r->valid,
        "frames", r->frames, "collisions", r->collisions, "worst_depth_m", r->worst_depth_m,
        "self_collisions", r->self_collisions, "limit_violations", r->limit_violations, "rom_violations",
        r->rom_violations, "contact_error_max_m", r->contact_error_max_m, "slip_max_m", r->slip_max_m,
        "contact_violations", r->contact_violations, "speed_violations", r->speed_violations, "unbalanced",
        r->unbalanced, "undynamic", r->undynamic, "missing_force_max", r->missing_force_max,
        "missing_moment_max_m", r->missing_moment_max_m, "stances", r->stances, "stance_violations",
        r->stance_violations, "problems", problems);
    json_t* more = json_pack("{s:i,s:i,s:i,s:f,s:i,s:o}", "unjudged_ways", r->unjudged_ways,
                             "ignored_triangles", r->ignored_triangles, "balance_violations",
                             r->balance_violations, "balance_error_max_m", r->balance_error_max_m,
                             "goal_violations", r->goal_violations, "unjudged", claim_list(r->unjudged));
    if (all && more) json_object_update(all, more);
    json_decref(more);
    return all;
}

/* What the motion promises is what it is judged by; the rest is only reported. */
static void print_claims(const char* what, unsigned claims) {
    printf("  %s", what);
    for (int i = 0; i < HF_CLAIM_COUNT; i++)
        if (claims >> i & 1) printf(" %s", hf_claim_text(i));
    puts(claims ? "" : " nothing");
}

static const char* aside(unsigned claims, unsigned claim) { return claims & claim ? "" : " (not claimed)"; }

static void print_report(const hf_check_report* r, unsigned claims) {
    const char* verdict = r->outcome == HF_CANCELLED ? "stopped before the end, not judged"
                          : r->valid                 ? "valid"
                                                     : "NOT VALID";
    printf("%s: %d frame%s\n", verdict, r->frames, r->frames == 1 ? "" : "s");
    print_claims("claims           ", claims);
    if (r->unjudged) print_claims("not judged       ", r->unjudged);
    if (r->ignored_triangles)
        printf("  ignored           %d triangles of the scene without area\n", r->ignored_triangles);
    printf("  collisions        %d (deepest %.2f mm), with itself %d, %d ways between frames not judged%s\n",
           r->collisions, r->worst_depth_m * 1000, r->self_collisions, r->unjudged_ways,
           aside(claims, HF_CLAIM_COLLISION));
    printf("  limits            %d outside%s\n", r->limit_violations, aside(claims, HF_CLAIM_LIMITS));
    printf("  range of motion   %d outside%s\n", r->rom_violations, aside(claims, HF_CLAIM_ROM));
    printf("  contacts          off by %.3f mm at most, slip %.3f mm at most, %d violations%s\n",
           r->contact_error_max_m * 1000, r->slip_max_m * 1000, r->contact_violations,
           aside(claims, HF_CLAIM_CONTACTS));
    printf("  speed             %d violations%s\n", r->speed_violations, aside(claims, HF_CLAIM_SPEED));
    printf("  stances           %d, %d violations%s\n", r->stances, r->stance_violations,
           aside(claims, HF_CLAIM_ONE_LIMB));
    printf("  balance           %d frames without, %d state more than there is%s\n", r->unbalanced,
           r->balance_violations, aside(claims, HF_CLAIM_BALANCE));
    printf("  balance in motion %d frames without, %.2f %% of the weight and %.2f cm of moment arm missing "
           "at most%s\n",
           r->undynamic, r->missing_force_max * 100, r->missing_moment_max_m * 100,
           aside(claims, HF_CLAIM_DYNAMIC));
    if (r->goal_violations) printf("  goal              missed in %d ways\n", r->goal_violations);
    for (int i = 0; i < r->problem_count && i < 20; i++)
        printf("  frame %d: %s%s\n", r->problems[i].frame, r->problems[i].what,
               aside(claims, r->problems[i].claim));
    if (r->problem_count > 20) printf("  and %d more\n", r->problem_count - 20);
}

int run_check(const options* o) {
    char* path = find_file(o->file);
    if (!path || !is_kind(path, FILE_MOTION, "check")) {
        free(path);
        return EXIT_BAD_INPUT;
    }
    loaded_motion m;
    hf_check_report report;
    hf_error error;
    int code;
    if (load_motion(path, o, &m, &error) != HF_OK) {
        code = fail_with(&error);
    } else {
        progress p = progress_start(o);
        hf_status status = hf_check_scenario(m.motion, m.creature, m.scenario, o->threads, progress_report,
                                             &p, &report, &error);
        progress_end(&p);
        if (status != HF_OK) {
            if (!error.file[0]) snprintf(error.file, sizeof error.file, "%s", path);
            code = fail_with(&error);
        } else {
            if (!m.scene)
                note(o, "the motion names no scenario; --scenario FILE says which one it is judged by");
            if (o->json)
                print_json(report_json(&report));
            else
                print_report(&report, m.motion->claims);
            code = report.valid ? EXIT_DONE : EXIT_NO_SOLUTION;
            hf_check_report_free(&report);
        }
        free_motion(&m);
    }
    free(path);
    return code;
}
