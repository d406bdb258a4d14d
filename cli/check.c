/* holdfast check: the independent validity report. */
#include "command.h"

#include <math.h>
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

/* A share as percent that is 100 only when all frames are in it. */
static double percent(int part, int whole) { return whole ? floor(1000.0 * part / whole) / 10 : 0; }

static json_t* number_or_null(double v) { return isnan(v) ? json_null() : json_real(v); }

static json_t* dynamic_json(const hf_dynamic_report* r, const hf_creature* creature) {
    const hf_creature_view* c = hf_creature_get(creature);
    bool loaded = r->torque_frame >= 0;
    json_t* joint = loaded ? json_text(c->joints[r->torque_joint].name) : json_null();
    return json_pack("{s:i,s:i,s:i,s:i,s:i,s:f,s:o,s:i,s:o,s:o,s:i,s:f,s:f}", "judged", r->judged, "borne",
                     r->borne, "within_effort", r->strong, "effort_not_judged", r->presses, "feasible",
                     r->feasible, "feasible_share", r->judged ? (double)r->feasible / r->judged : 0,
                     "margin_min_m", number_or_null(r->margin_frame >= 0 ? r->margin_min_m : NAN),
                     "margin_frame", r->margin_frame, "torque_share_max",
                     number_or_null(loaded ? r->torque_share_max : NAN), "torque_joint", joint,
                     "torque_frame", r->torque_frame, "jerk_rad2_s6", r->jerk, "duration_s", r->duration_s);
}

static void print_dynamic(const hf_dynamic_report* r, const hf_creature* creature) {
    const hf_creature_view* c = hf_creature_get(creature);
    printf("  forces in motion  %d of %d judged frames are borne, %d within effort limits, %.1f %% both\n",
           r->borne, r->judged, r->strong, percent(r->feasible, r->judged));
    if (r->margin_frame >= 0)
        printf("  least margin      %.1f mm of moment arm, frame %d\n", r->margin_min_m * 1000,
               r->margin_frame);
    if (r->torque_frame >= 0)
        printf("  peak torque       %.2f of the effort limit, joint \"%s\", frame %d\n", r->torque_share_max,
               c->joints[r->torque_joint].name, r->torque_frame);
    else if (r->presses == 0)
        puts("  peak torque       not known: no joint has an effort limit");
    if (r->presses > 0)
        printf("  torques           not judged in %d frames: limbs press an object without gripping it\n",
               r->presses);
    printf("  mean squared jerk %.4g rad2/s6 over %.3g s\n", r->jerk, r->duration_s);
}

/* The figures of --dynamic, in words or added to the JSON; false when a frame is not feasible. */
static bool tell_dynamic(const hf_dynamic_report* d, const hf_creature* creature, json_t* all) {
    if (all)
        json_object_set_new(all, "dynamic", dynamic_json(d, creature));
    else
        print_dynamic(d, creature);
    return d->outcome == HF_FOUND && d->feasible == d->judged;
}

static int tell(const options* o, const loaded_motion* m, const hf_check_report* report,
                const hf_dynamic_report* dynamic) {
    json_t* all = o->json ? report_json(report) : NULL;
    bool good = report->valid;
    if (!m->scene) note(o, "the motion names no scenario; --scenario FILE says which one it is judged by");
    if (!all) print_report(report, m->motion->claims);
    if (o->dynamic) good = tell_dynamic(dynamic, m->creature, all) && good;
    if (all) print_json(all);
    return good ? EXIT_DONE : EXIT_NO_SOLUTION;
}

int run_check(const options* o) {
    char* path = find_file(o->file);
    if (!path || !is_kind(path, FILE_MOTION, "check")) {
        free(path);
        return EXIT_BAD_INPUT;
    }
    loaded_motion m;
    hf_check_report report = {0};
    hf_dynamic_report dynamic = {0};
    hf_error error = {0};
    int code;
    hf_status status = load_motion(path, o, &m, &error);
    if (status != HF_OK) {
        code = fail_with(&error);
    } else {
        progress p = progress_start(o);
        status = hf_check_scenario(m.motion, m.creature, m.scenario, o->threads, progress_report, &p, &report,
                                   &error);
        if (status == HF_OK && o->dynamic)
            status = hf_check_dynamic(m.motion, m.creature, m.scene, o->threads, progress_report, &p,
                                      &dynamic, &error);
        progress_end(&p);
        if (status != HF_OK && !error.file[0]) snprintf(error.file, sizeof error.file, "%s", path);
        code = status != HF_OK ? fail_with(&error) : tell(o, &m, &report, &dynamic);
        hf_check_report_free(&report);
        hf_dynamic_report_free(&dynamic);
        free_motion(&m);
    }
    free(path);
    return code;
}
