/* The editor: edits of a scene one after the other, and the motion adapted to it by the levels of
   contact-repositioning-2016, the cheapest first. */
#include "adapt/editor.h"

#include "adapt/clear.h"
#include "adapt/slow.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- options and words ---- */

#define FIELD(name) offsetof(hf_adapt_options, name)
static const hf_option items[] = {
    {"level", HF_OPTION_COUNT, FIELD(level), 1, 3, 3, "",
     "1: bend the motion along, 2: contacts may move, too, 3: the root may go another way, too"},
    {"weight", HF_OPTION_REAL, FIELD(weight), 0, 1, 0.7, "",
     "likeness of the forces of a new contact against its duration"},
    {"samples", HF_OPTION_COUNT, FIELD(samples), 1, 50000000, 10000, "",
     "postures of a limb among which new contacts are looked for"},
    {"candidates", HF_OPTION_COUNT, FIELD(candidates), 1, 1000, 24, "",
     "new contacts looked at for one phase"},
    {"tries", HF_OPTION_COUNT, FIELD(tries), 1, 100, 4, "",
     "new contacts of one phase tried in the whole motion"},
    {"rounds", HF_OPTION_COUNT, FIELD(rounds), 0, 100, 12, "",
     "repairs of balance and collisions in one pass"},
    {"passes", HF_OPTION_COUNT, FIELD(passes), 1, 100000, 24, "",
     "times that the whole motion is bent, repaired and tested for one update"},
    {"spacing_m", HF_OPTION_REAL, FIELD(spacing_m), 0.001, 10, 0.04, "m",
     "how far descriptor points are apart beside the body"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992.0, 1, "", "of sample sets and searches"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 1024, 0, "",
     "that test frames; no result depends on it; 0: all cores"},
};
#undef FIELD

HF_OPTIONS(hf_adapt, items)

const char* hf_phase_fate_text(hf_phase_fate fate) {
    static const char* const texts[] = {"kept", "bent", "moved", "dropped", "failed"};
    return (size_t)fate < sizeof texts / sizeof *texts ? texts[fate] : "unknown";
}

void hf_adapt_result_free(hf_adapt_result* r) {
    if (!r) return;
    hf_free(r->phases);
    hf_realise_result_free(&r->realised);
    memset(r, 0, sizeof *r);
}

/* ---- editors ---- */

hf_status hf_adapt_editor_create(const hf_creature* creature, const hf_scene* scene,
                                 const hf_schedule* schedule, const hf_adapt_options* options,
                                 hf_workspace* workspace, hf_adapt_editor** editor, hf_error* error) {
    HF_REQUIRE(error, creature && scene && schedule && workspace && editor);
    *editor = NULL;
    hf_adapt_options o = options ? *options : hf_adapt_options_default();
    hf_status status = hf_options_check(hf_adapt_option_table(), &o, error);
    if (status != HF_OK) return status;
    hf_adapt_editor* e = hf_alloc(1, sizeof *e);
    if (!e) return hf_fail_memory(error, NULL);
    e->options = o;
    status = hf_source_make(creature, scene, schedule, workspace, &e->source, error);
    if (status == HF_OK)
        status =
            hf_fail_status(error, hf_relation_make(&e->source, o.spacing_m, workspace, &e->relation), NULL);
    if (status == HF_OK)
        status = hf_fail_status(error, hf_bend_make(&e->source, &e->relation, NULL, &e->bend), NULL);
    if (status == HF_OK) status = hf_fail_status(error, hf_crew_make(o.threads, &e->crew), NULL);
    if (status == HF_OK)
        status = hf_fail_status(error, hf_rooms_make(&e->source, workspace, &e->rooms), NULL);
    e->bend.crew = &e->crew, e->bend.rooms = &e->rooms;
    if (status == HF_OK) {
        e->places.samples = hf_alloc((size_t)creature->view.limb_count + 1, sizeof *e->places.samples);
        if (!e->places.samples) status = hf_fail_memory(error, NULL);
    }
    if (status == HF_OK && !hf_workspace_cancelled(workspace))
        *editor = e;
    else
        hf_adapt_editor_free(e);
    return status;
}

void hf_adapt_editor_free(hf_adapt_editor* e) {
    if (!e) return;
    hf_guide_model_free(e->guide);
    hf_places_free(&e->places, e->source.creature);
    hf_crew_free(&e->crew);
    hf_rooms_free(&e->rooms);
    hf_bend_free(&e->bend);
    hf_moved_relation_free(&e->moved);
    hf_relation_free(&e->relation);
    hf_source_free(&e->source);
    for (int i = 0; i < e->scene_count; i++) hf_scene_free(e->scenes[i]);
    hf_free(e->scenes);
    hf_free(e);
}

const hf_scene* hf_adapt_editor_scene(const hf_adapt_editor* e) {
    return e->scene_count ? e->scenes[e->scene_count - 1] : e->source.scene;
}

hf_status hf_adapt_editor_edit(hf_adapt_editor* e, const hf_scene_edit* edits, int count, hf_error* error) {
    HF_REQUIRE(error, e && (edits || count <= 0));
    if (!HF_GROW(e->scenes, e->scene_capacity, e->scene_count)) return hf_fail_memory(error, NULL);
    hf_scene* changed = NULL;
    hf_status status = hf_scene_change(hf_adapt_editor_scene(e), edits, count, &changed, error);
    if (status == HF_OK) e->scenes[e->scene_count++] = changed;
    return status;
}

hf_status hf_adapt_editor_undo(hf_adapt_editor* e, bool* undone) {
    HF_REQUIRE(NULL, e && undone);
    *undone = e->scene_count > 0;
    if (*undone) hf_scene_free(e->scenes[--e->scene_count]);
    return HF_OK;
}

/* ---- one pass: deltas, frames, repairs, tests ---- */

/* A hold out of reach is for another level, whatever else is repaired. */
static bool misses_hold(const hf_bend* b) {
    for (int f = 0; f < b->source->frame_count; f++)
        for (int limb = 0; b->missed[f] && limb < b->source->limb_count && limb < 32; limb++)
            if (b->missed[f] >> limb & 1 && hf_bend_holds(b, f, limb) >= 0) return true;
    return false;
}

/* Frames that the clearing changed; whatever solves them again begins anew. */
static void take_cleared(hf_bend* b, const hf_schedule* cleared) {
    const hf_source* s = b->source;
    size_t bytes = sizeof(double) * (size_t)s->q_count;
    for (int f = 0; f < s->frame_count; f++) {
        const hf_knot *k = &cleared->knots[f], *opened = &s->schedule->knots[f];
        double* q = b->q + (size_t)f * (size_t)s->q_count;
        hf_pose was = b->touched[f] ? (hf_pose){b->roots[f], q} : (hf_pose){opened->root, opened->q};
        if (memcmp(&k->root, &was.root, sizeof was.root) == 0 && memcmp(k->q, was.q, bytes) == 0) continue;
        b->roots[f] = k->root;
        memcpy(q, k->q, bytes);
        b->touched[f] = b->stale[f] = true;
        hf_bend_forget(b, f);
    }
}

/* Frames that are still at fault after all levels are cleared together with those around them. */
static hf_status clear(hf_adapt_editor* e, hf_realise_result* result) {
    hf_bend* b = &e->bend;
    if (hf_trial_has_history(b) || !hf_workspace_goes_on(b->workspace)) return HF_OK;
    hf_schedule* schedule = NULL;
    unsigned claims = e->source.schedule->claims;
    if (e->source.creature->view.mass > 0) claims |= HF_CLAIM_BALANCE;
    hf_status status = hf_bend_schedule(b, 0, e->source.frame_count - 1, claims, &schedule);
    hf_clear_job job = {.creature = e->source.creature,
                        .scene = b->scene,
                        .placement = b->placement,
                        .schedule = schedule,
                        .known = e->source.faults,
                        .workspace = b->workspace};
    int left;
    if (status == HF_OK) status = hf_clear_faults(&job, result, &left);
    if (status == HF_OK) take_cleared(b, schedule);
    hf_schedule_free(schedule);
    if (status == HF_OK) status = hf_trial_run(b, result, &e->dynamic);
    return status == HF_OK ? hf_repair_judge(b, result) : status;
}

/* A round that leaves more than this share of the faults made no progress. */
static const double PROGRESS = 0.9;

hf_status hf_adapt_pass(hf_adapt_editor* e, hf_realise_result* result) {
    hf_bend* b = &e->bend;
    size_t f = (size_t)e->source.frame_count;
    e->passes++;
    memset(b->root_push, 0, f * sizeof *b->root_push);
    memset(b->tip_push, 0, f * (size_t)e->source.limb_count * sizeof *b->tip_push);
    hf_status status = hf_bend_deltas(b);
    if (status == HF_OK) status = hf_bend_solve(b);
    bool pushed = true;
    int least = INT_MAX, worse = 0;
    for (int round = 0; round <= e->options.rounds && status == HF_OK; round++) {
        status = hf_repair_root(b, round == 0 ? e->options.rounds : (e->options.rounds + 3) / 4);
        if (status == HF_OK) status = hf_trial_run(b, result, &e->dynamic);
        if (status == HF_OK) status = hf_repair_judge(b, result);
        if (status != HF_OK || result->fault_count == 0 || round == e->options.rounds) break;
        // two rounds that leave hardly fewer faults are the last
        worse = result->fault_count < PROGRESS * least ? 0 : worse + 1;
        if (result->fault_count < least) least = result->fault_count;
        if (worse > 1 || misses_hold(b) || !hf_workspace_goes_on(b->workspace)) break;
        status = hf_repair_collisions(b, result, round, &pushed);
        if (!pushed) break;
    }
    return status;
}

/* ---- the report ---- */

static hf_phase_fate fate_of(const hf_adapt_editor* e, int phase, const hf_realise_result* faults) {
    const hf_source_phase* p = &e->source.phases[phase];
    const hf_phase_plan* plan = &e->bend.phases[phase];
    for (int i = 0; i < faults->fault_count; i++)
        if (hf_places_blames(&e->bend, &faults->faults[i], phase)) return HF_PHASE_FAILED;
    if (plan->mode == HF_PHASE_RELEASED) return HF_PHASE_DROPPED;
    if (plan->mode == HF_PHASE_ELSEWHERE) return HF_PHASE_MOVED;
    return p->hold.object >= 0 && e->moved.changed[p->hold.object] ? HF_PHASE_BENT : HF_PHASE_KEPT;
}

static hf_status report(const hf_adapt_editor* e, const hf_schedule* schedule, hf_adapt_result* r) {
    const hf_source* s = &e->source;
    int hold = 0;
    r->phase_count = 0;
    for (int i = 0; i < s->phase_count; i++) {
        if (!HF_GROW(r->phases, r->phase_capacity, r->phase_count)) return HF_ERROR_MEMORY;
        const hf_source_phase* p = &s->phases[i];
        const hf_phase_plan* plan = &e->bend.phases[i];
        hf_phase_report* out = &r->phases[r->phase_count++];
        hf_transform now = hf_object_pose(e->bend.placement, plan->hold.object);
        *out = (hf_phase_report){.hold = p->opened,
                                 .limb = p->hold.limb,
                                 .object = p->hold.object,
                                 .to_object = plan->mode == HF_PHASE_RELEASED ? -1 : plan->hold.object,
                                 .from_s = plan->first / s->schedule->rate,
                                 .to_s = plan->last / s->schedule->rate,
                                 .fate = fate_of(e, i, &r->realised),
                                 .from = hf_apply(p->object, p->hold.point),
                                 .h1 = plan->h1,
                                 .h2 = plan->h2};
        if (hf_source_between(p))
            out->from_s = s->schedule->holds[p->opened].from_s,
            out->to_s = s->schedule->holds[p->opened].to_s;
        // holds of the new schedule stand in the order of the phases
        if (plan->mode != HF_PHASE_RELEASED) {
            out->from_s = schedule->holds[hold].from_s, out->to_s = schedule->holds[hold].to_s;
            hold++;
        }
        out->to = plan->mode == HF_PHASE_RELEASED ? out->from : hf_apply(now, plan->hold.point);
        out->moved_m = hf_distance(out->from, out->to);
        bool untested = r->outcome == HF_CANCELLED && out->fate != HF_PHASE_KEPT && !plan->why[0];
        snprintf(out->why, sizeof out->why, "%s",
                 untested ? "the work was cancelled before this was tested to the end" : plan->why);
    }
    return HF_OK;
}

/* ---- updates ---- */

static int touched_frames(const hf_bend* b) {
    int n = 0;
    for (int f = 0; f < b->source->frame_count; f++) n += b->touched[f];
    return n;
}

/* Does a fault of this kind stand among them? */
static bool has_fault(const hf_realise_result* r, hf_frame_fault_kind kind) {
    for (int i = 0; i < r->fault_count; i++)
        if (r->faults[i].kind == kind) return true;
    return false;
}

/* Faults of the whole schedule, by its own frames, that the opened motion does not have at the old frame. */
static hf_status test_whole(hf_adapt_editor* e, const hf_schedule* schedule, const int* old,
                            hf_realise_result* r) {
    hf_schedule weighed = *schedule;
    if (e->source.creature->view.mass > 0) weighed.claims |= HF_CLAIM_BALANCE;
    hf_motion* motion = NULL;
    hf_realise_options options = hf_realise_options_default();
    hf_status status = hf_realise(e->source.creature, hf_adapt_editor_scene(e), &weighed, &options,
                                  e->bend.workspace, &motion, r);
    hf_motion_free(motion);
    int kept = 0;
    for (int i = 0; i < r->fault_count && status == HF_OK; i++) {
        if (r->faults[i].kind == HF_FAULT_DYNAMIC) e->dynamic = false;
        bool before = e->source.faults[old[r->faults[i].frame]] >> r->faults[i].kind & 1;
        if (!before && r->faults[i].kind != HF_FAULT_DYNAMIC) r->faults[kept++] = r->faults[i];
    }
    r->fault_count = hf_workspace_cancelled(e->bend.workspace) ? 0 : kept;
    r->outcome = kept ? HF_PARTIAL : HF_FOUND;
    return status;
}

/* Faults of balance at changes of holds, which the realiser does not look for, by the slower frames. The
   poses there are those of the bent motion. */
static hf_status carry_judged(hf_adapt_editor* e, const int* old, int count, hf_realise_result* r) {
    hf_realise_result judged = {0};
    hf_status status = hf_repair_judge(&e->bend, &judged);
    for (int i = 0, f = 0; i < judged.fault_count && status == HF_OK; i++) {
        while (f < count && old[f] < judged.faults[i].frame) f++;
        if (f == count) break;
        bool known = false;
        for (int k = 0; k < r->fault_count; k++)
            known |= r->faults[k].frame == f && r->faults[k].kind == HF_FAULT_BALANCE;
        if (known) continue;
        if (!HF_GROW(r->faults, r->fault_capacity, r->fault_count)) status = HF_ERROR_MEMORY;
        if (status != HF_OK) break;
        judged.faults[i].frame = f;
        r->faults[r->fault_count++] = judged.faults[i];
        r->outcome = HF_PARTIAL;
    }
    hf_realise_result_free(&judged);
    return status;
}

/* Gives parts that are too fast more time. */
static hf_status slow_down(hf_adapt_editor* e, hf_schedule** schedule, hf_adapt_result* r) {
    hf_workspace_mark at = hf_workspace_begin(e->bend.workspace);
    bool* exempt = hf_workspace_take(e->bend.workspace, (size_t)e->source.frame_count, sizeof *exempt);
    if (!exempt) return HF_ERROR_MEMORY;
    for (int f = 0; f < e->source.frame_count; f++) exempt[f] = e->source.faults[f] >> HF_FAULT_SPEED & 1;
    hf_schedule* slower = NULL;
    int *old = NULL, added;
    hf_status status = hf_adapt_slow(e->source.creature, *schedule, exempt, &slower, &old, &added);
    if (status == HF_OK && slower) {
        status = test_whole(e, slower, old, &r->realised);
        if (status == HF_OK) status = carry_judged(e, old, slower->knot_count, &r->realised);
        hf_schedule_free(*schedule);
        *schedule = slower;
        r->added = added;
        if (!e->dynamic) slower->claims &= ~(unsigned)HF_CLAIM_DYNAMIC;
    }
    hf_free(old);
    hf_workspace_end(e->bend.workspace, at);
    return status;
}

static hf_status finish(hf_adapt_editor* e, hf_schedule** schedule, hf_adapt_result* r) {
    unsigned claims = e->source.schedule->claims;
    if (!e->dynamic) claims &= ~(unsigned)HF_CLAIM_DYNAMIC;
    hf_status status = hf_bend_schedule(&e->bend, 0, e->source.frame_count - 1, claims, schedule);
    r->added = 0;
    bool fast = has_fault(&r->realised, HF_FAULT_SPEED) && !hf_workspace_cancelled(e->bend.workspace);
    if (status == HF_OK && fast) status = slow_down(e, schedule, r);
    if (status == HF_OK && e->source.schedule->creature) {
        (*schedule)->creature = hf_copy_text(e->source.schedule->creature);
        if (!(*schedule)->creature) status = HF_ERROR_MEMORY;
    }
    r->outcome = hf_workspace_cancelled(e->bend.workspace) ? HF_CANCELLED : r->realised.outcome;
    r->touched = touched_frames(&e->bend);
    if (status == HF_OK) status = report(e, *schedule, r);
    if (status == HF_OK && r->outcome != HF_FOUND) {
        char* outcome = hf_copy_text(hf_outcome_text(r->outcome));
        if (!outcome) return HF_ERROR_MEMORY;
        hf_free((*schedule)->outcome);
        (*schedule)->outcome = outcome;
    }
    return status;
}

/* Level 3 and, where contacts fail on the new way, level 2 again. What it leaves is kept when it has fewer
   faults. */
static hf_status go_round(hf_adapt_editor* e, hf_adapt_result* r) {
    hf_bend* b = &e->bend;
    size_t phases = (size_t)e->source.phase_count;
    int before = r->realised.fault_count;
    bool found = false;
    hf_status status = HF_OK;
    if (!e->guide) {
        hf_guide_model_options o = hf_guide_model_options_default();
        status = hf_guide_model_create(e->source.creature, &o, &e->guide, NULL);
        // a creature without a trunk to speak of has no way to look for
        if (status == HF_ERROR_FORMAT) return HF_OK;
    }
    if (status == HF_OK) status = hf_way_find(b, e->guide, &r->realised, e->options.seed, &found);
    if (status != HF_OK || !found) return status;
    hf_workspace_mark at = hf_workspace_begin(b->workspace);
    hf_phase_plan* plans = hf_workspace_take(b->workspace, phases + 1, sizeof *plans);
    if (!plans) return HF_ERROR_MEMORY;
    memcpy(plans, b->phases, phases * sizeof *plans);
    status = hf_adapt_pass(e, &r->realised);
    for (size_t i = 0; i < phases; i++) b->phases[i].final = false;
    if (status == HF_OK && r->realised.fault_count) status = hf_adapt_replace(e, &r->realised);
    if (status == HF_OK && r->realised.fault_count >= before) {
        hf_source_join(&e->source, (int)phases);
        memcpy(b->phases, plans, phases * sizeof *plans);
        memset(b->way, 0, (size_t)e->source.frame_count * sizeof *b->way);
        hf_bend_renew(b, 0, e->source.frame_count - 1);
        status = hf_adapt_pass(e, &r->realised);
    } else
        r->level = 3;
    hf_workspace_end(b->workspace, at);
    return status;
}

/* Was a place of a phase looked for? */
static bool has_replaced(const hf_adapt_editor* e) {
    bool any = false;
    for (int i = 0; i < e->source.phase_count; i++)
        any |= e->bend.phases[i].final || (e->bend.phases[i].gone && e->options.level > 1);
    return any;
}

hf_status hf_adapt_editor_update(hf_adapt_editor* e, hf_workspace* workspace, hf_schedule** schedule,
                                 hf_adapt_result* r) {
    HF_REQUIRE(NULL, e && workspace && schedule && r);
    *schedule = NULL;
    e->bend.workspace = workspace;
    hf_moved_relation_free(&e->moved);
    hf_status status = hf_relation_move(&e->relation, hf_adapt_editor_scene(e), &e->moved);
    hf_source_join(&e->source, 0); // splits of the update before
    if (status == HF_OK) status = hf_bend_start(&e->bend, &e->moved, hf_adapt_editor_scene(e));
    r->realised.fault_count = 0;
    e->passes = 0;
    e->dynamic = (e->source.schedule->claims & HF_CLAIM_DYNAMIC) != 0;
    if (status == HF_OK) status = hf_adapt_begin(e, &r->realised);
    r->level = status == HF_OK && (touched_frames(&e->bend) || r->realised.fault_count) ? 1 : 0;
    if (status == HF_OK && e->options.level > 1 && r->realised.fault_count)
        status = hf_adapt_replace(e, &r->realised);
    if (status == HF_OK && has_replaced(e)) r->level = 2;
    if (status == HF_OK && e->options.level > 2 && r->realised.fault_count) status = go_round(e, r);
    if (status == HF_OK && e->options.level > 1 && r->realised.fault_count) status = clear(e, &r->realised);
    if (status == HF_OK) status = finish(e, schedule, r);
    if (status != HF_OK) {
        hf_schedule_free(*schedule);
        *schedule = NULL;
    }
    return status;
}
