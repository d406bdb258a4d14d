/* holdfast plan: guide path and contact plan from a scenario's start to its goal, as a whole motion. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One weight of the scenario's score; complains and returns false for a term that plans do not have, and for
   a weight out of its range. */
static bool set_weight(const hf_scenario* s, const hf_score_weight* w, hf_plan_options* p) {
    hf_option_table table = hf_plan_option_table();
    hf_error error = {0};
    if (hf_options_set(table, p, w->term, w->weight, &error) == HF_OK) return true;
    if (hf_options_find(table, w->term))
        complain("%s: options.score.%s: %s", s->path, w->term, error.message);
    else
        complain("%s: options.score.%s: a plan weighs effort, duration, balance and comfort", s->path,
                 w->term);
    return false;
}

bool plan_wishes(const options* o, const hf_scenario* s, hf_plan_options* p) {
    if (!s->goal.pose.q) {
        complain("%s: has no goal", s->path);
        return false;
    }
    *p = hf_plan_options_default();
    for (int i = 0; i < s->weight_count; i++)
        if (!set_weight(s, &s->weights[i], p)) return false;
    if (!apply_settings(o, s, "plan", p) || !apply_settings(o, s, "guide", &p->guide)) return false;
    p->seed = o->seed >= 0 ? (uint64_t)o->seed : s->seed;
    p->threads = o->threads;
    p->samples = o->count ? o->count : s->samples;
    if (o->still) p->still = true;
    if (o->trunk_scale > 0) p->trunk_scale = o->trunk_scale;
    hf_error error;
    if (hf_options_check(hf_plan_option_table(), p, &error) == HF_OK) return true;
    if (o->count && strcmp(error.field, "samples") == 0)
        complain("--count: %s", error.message);
    else
        complain("%s: options.%s: %s", s->path, error.field, error.message);
    return false;
}

/* A motion that ends before the goal is partial, whatever ended it. */
static const char* outcome_text(const hf_plan_result* r) {
    return r->outcome != HF_FOUND && r->motion ? "partial" : hf_outcome_text(r->outcome);
}

static const char* why_text(const hf_plan_result* r, const progress* p) {
    if (r->why != HF_PLAN_CANCELLED) return hf_plan_why_text(r->why);
    return progress_stop_text(p);
}

/* The link of the creature, or the object, that a body meets. */
static const char* met_name(const hf_scenario* s, const hf_collision* hit) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    return hit->other_body >= 0 ? v->links[v->bodies[hit->other_body].link].name
                                : hf_scene_object(s->scene, hit->surface.object).name;
}

/* What stopped it, as data; NULL where nothing is known. */
static json_t* block_json(const hf_scenario* s, const hf_plan_result* r) {
    const hf_plan_block* b = &r->block;
    const hf_creature_view* v = hf_creature_get(s->creature);
    if (r->outcome == HF_FOUND || (!b->kind && !b->has_place && !b->collides)) return NULL;
    json_t* meets = b->collides ? json_pack("[o,o]", json_text(v->links[v->bodies[b->hit.body].link].name),
                                            json_text(met_name(s, &b->hit)))
                                : NULL;
    return json_pack("{s:s,s:o?,s:o?,s:o?,s:o?}", "what", hf_plan_obstacle_text(b->kind), "limb",
                     b->limb >= 0 ? json_text(v->limbs[b->limb].name) : NULL, "object",
                     b->has_place && b->object >= 0 ? json_text(hf_scene_object(s->scene, b->object).name)
                                                    : NULL,
                     "point", b->has_place ? json_vec3(b->point) : NULL, "meets", meets);
}

/* What refining gave: how long the plan as found takes, and the motion; NULL: the plan was not refined. */
static json_t* refined_json(const hf_refine_result* f) {
    if (!(f->before_s > 0)) return NULL;
    return json_pack("{s:s,s:f,s:f,s:f}", "why", hf_refine_why_text(f->why), "before_s", f->before_s,
                     "after_s", f->after_s > 0 ? f->after_s : f->before_s, "work", f->work);
}

static void say(const hf_scenario* s, const hf_plan_result* r, const hf_refine_result* refined,
                double model_s, const progress* p) {
    if (p->options->json) {
        print_json(json_pack("{s:s,s:s,s:s,s:o?,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:o?}", "outcome",
                             outcome_text(r), "why", why_text(r, p), "where", r->where, "blocked",
                             block_json(s, r), "stances", r->stances, "frames",
                             r->motion ? r->motion->frame_count : 0, "work", r->work, "reached", r->reached,
                             "guide_length_m", r->guide_length_m, "model_s", model_s, "guide_s", r->guide_s,
                             "contact_s", r->contact_s, "refined", refined_json(refined)));
        return;
    }
    if (r->outcome == HF_FOUND)
        printf("%s: %d stance%s, %.1f s of motion over %.2f m; guide %.0f ms, contacts %.0f ms\n", s->name,
               r->stances, r->stances == 1 ? "" : "s", r->motion->frames[r->motion->frame_count - 1].time_s,
               r->guide_length_m, r->guide_s * 1e3, r->contact_s * 1e3);
    else
        printf("%s: %s: %s%s%s\n", s->name, outcome_text(r), why_text(r, p), r->where[0] ? "; " : "",
               r->where);
}

/* Replaces a text that the library made. */
static bool set_text(char** to, const char* text) {
    free(*to);
    *to = make_text("%s", text);
    return *to;
}

/* Motion and schedule name the same scenario and outcome, so that the motion can be made again from the
   schedule to the last byte. */
static bool name_plan(const hf_scenario* s, hf_plan_result* r) {
    return set_text(&r->motion->scenario, s->path) && set_text(&r->motion->outcome, outcome_text(r)) &&
           set_text(&r->schedule->scenario, s->path) && set_text(&r->schedule->outcome, outcome_text(r));
}

/* ---- files ---- */

/* What is wrong at the end of a plan that failed, for its picture. */
static hf_picture_mark mark_of(const hf_scenario* s, const hf_plan_result* r) {
    const hf_plan_block* b = &r->block;
    const hf_creature_view* v = hf_creature_get(s->creature);
    hf_picture_mark mark = {b->limb, -1, -1, -1, b->has_place, b->point};
    if (b->collides) {
        mark.link = v->bodies[b->hit.body].link;
        if (b->hit.other_body >= 0)
            mark.other_link = v->bodies[b->hit.other_body].link;
        else
            mark.object = b->hit.surface.object;
    }
    return mark;
}

/* The name of what is blocked, for the label. */
static const char* blocked_name(const hf_scenario* s, const hf_plan_block* b) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    return b->limb >= 0  ? v->limbs[b->limb].name
           : b->collides ? v->links[v->bodies[b->hit.body].link].name
                         : "the body";
}

static hf_status write_plan(hf_scenario* s, hf_plan_result* r, const options* o, hf_error* error) {
    hf_picture_mark mark = mark_of(s, r);
    char text[100];
    snprintf(text, sizeof text, "%.60s is blocked", blocked_name(s, &r->block));
    bool blocked = r->outcome != HF_FOUND && (r->block.kind || r->block.has_place || r->block.collides);
    loaded_motion m = {.motion = r->motion,
                       .schedule = r->schedule,
                       .creature = s->creature,
                       .scenario = s,
                       .scene = s->scene,
                       .mark = blocked ? &mark : NULL,
                       .mark_text = text};
    int frames[STRIP], count = strip_frames(r->motion, frames);
    char* stem = make_text("%s/%s", o->output, s->name);
    hf_status status = stem && name_plan(s, r) ? HF_OK : set_error(error, HF_ERROR_MEMORY);
    progress p = progress_start(o);
    if (status == HF_OK) status = write_motion(&m, stem, frames, count, hf_v3(0, 0, 0), o, &p, error);
    progress_end(&p);
    free(stem);
    return status;
}

/* A start that is refused has no motion: the picture alone shows what collides. */
static hf_status draw_start(hf_scenario* s, const hf_plan_result* r, const options* o, hf_error* error) {
    hf_picture_mark mark = mark_of(s, r);
    loaded_motion m = {
        .creature = s->creature, .scene = s->scene, .mark = &mark, .mark_text = hf_plan_why_text(r->why)};
    char* path = make_text("%s/%s.png", o->output, s->name);
    progress p = progress_start(o);
    hf_status status = path ? make_still(&m, &s->start.pose, error) : set_error(error, HF_ERROR_MEMORY);
    if (status == HF_OK) status = draw_motion(&m, o, (int[]){0}, 1, hf_v3(0, 0, 0), path, &p, error);
    progress_end(&p);
    if (status == HF_OK) note(o, "wrote %s", path);
    hf_motion_free(m.motion);
    free(path);
    return status;
}

/* The plan's schedule and motion give way to refined ones, where there are any that hold. */
static hf_status refine_plan(const hf_scenario* s, const options* o, hf_plan_result* r,
                             hf_refine_result* refined, hf_error* error) {
    progress p = progress_start(o);
    hf_status status = refine_schedule(s->creature, s->scene, r->schedule, o, &p, refined, error);
    progress_end(&p);
    if (status == HF_OK && refined->motion) {
        hf_schedule_free(r->schedule);
        hf_motion_free(r->motion);
        r->schedule = refined->schedule, r->motion = refined->motion;
        refined->schedule = NULL, refined->motion = NULL;
        note(o, "refined: %.2f s instead of %.2f s", refined->after_s, refined->before_s);
    } else if (status == HF_OK) {
        note(o, "not refined: %s; the plan is written as found", hf_refine_why_text(refined->why));
    }
    return status;
}

static int solve(hf_scenario* s, const options* o) {
    hf_plan_options wishes;
    if (!plan_wishes(o, s, &wishes)) return EXIT_BAD_INPUT;
    hf_plan_model* model = NULL;
    hf_plan_result result = {0};
    hf_error error = {0};
    double begin = now_s();
    hf_status status = hf_plan_model_create(s->creature, &wishes, &model, &error);
    double model_s = now_s() - begin;
    hf_roadmap* roadmap = NULL;
    if (status == HF_OK && o->roadmap) status = hf_roadmap_load(o->roadmap, &roadmap, &error);
    limit_hand_over(o);
    progress p = progress_start(o);
    hf_plan_query query = {.start = &s->start, .goal = &s->goal, .roadmap = roadmap};
    if (status == HF_OK)
        status = hf_plan_find(model, s->scene, &query, &wishes, progress_report, &p, &result, &error);
    progress_end(&p);
    hf_refine_result refined = {0};
    // a refined motion is balanced as it moves, and one that shall be balanced at rest stays as found
    bool refine = o->refine || !(o->raw || wishes.still);
    if (status == HF_OK && refine && result.outcome == HF_FOUND)
        status = refine_plan(s, o, &result, &refined, &error);
    limit_end();
    blame_roadmap(o, status, &error);
    if (status != HF_OK && !error.file[0]) snprintf(error.file, sizeof error.file, "%s", s->path);
    int code = status != HF_OK              ? fail_with(&error)
               : result.outcome == HF_FOUND ? EXIT_DONE
                                            : EXIT_NO_SOLUTION;
    if (status == HF_OK) {
        say(s, &result, &refined, model_s, &p);
        hf_status written = !o->output      ? HF_OK
                            : result.motion ? write_plan(s, &result, o, &error)
                                            : draw_start(s, &result, o, &error);
        if (written != HF_OK) code = fail_with(&error);
    }
    hf_refine_result_free(&refined);
    hf_plan_result_free(&result);
    hf_roadmap_free(roadmap);
    hf_plan_model_free(model);
    return code;
}

int run_plan(const options* o) {
    int code;
    if (o->output && !picture_fits(o, STRIP)) return EXIT_USAGE;
    if (o->refine && o->raw) {
        complain("--refine and --raw exclude each other");
        return EXIT_USAGE;
    }
    hf_scenario* s = open_scenario(o, "plan", HF_SCENARIO_PLAN, &code);
    if (!s) return code;
    if (!o->output || make_output(o)) code = solve(s, o);
    hf_scenario_free(s);
    return code;
}
