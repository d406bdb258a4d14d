/* Adaptation: edited scenes, descriptors, profiles, and motions in edited scenes. */
#include "test.h"

#include "adapt/editor.h"
#include <stdlib.h>
#include <time.h>

typedef struct world {
    hf_scenario* scenario;
    hf_schedule* schedule;
    hf_workspace* workspace;
    hf_adapt_editor* editor;
} world;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
    world w = {0};
    hf_error error = {0};
    char text[1024];
    if (hf_scenario_load(argv[1], NULL, &w.scenario, &error) != HF_OK) { puts(hf_error_text(&error, text, sizeof text)); return 1; }
    if (hf_schedule_load(argv[2], w.scenario->creature, w.scenario->scene, &w.schedule, &error) != HF_OK) { puts(hf_error_text(&error, text, sizeof text)); return 1; }
    hf_workspace_create(&w.workspace);
    double t0 = now_s();
    hf_adapt_options o = hf_adapt_options_default();
    if (getenv("ROUNDS")) o.rounds = atoi(getenv("ROUNDS"));
    if (getenv("LEVEL")) o.level = atoi(getenv("LEVEL"));
    hf_status s = hf_adapt_editor_create(w.scenario->creature, w.scenario->scene, w.schedule, &o, &w.editor, &error);
    printf("open %d %.3f s, %d knots\n", s, now_s() - t0, w.schedule->knot_count);
    hf_adapt_result r = {0};
    for (int i = 3; i < argc; i += 4) {
        hf_scene_edit e = hf_scene_edit_of(argv[i]);
        int at = hf_scene_find(w.scenario->scene, argv[i]);
        if (!strcmp(argv[i+1], "remove")) e.remove = true;
        else {
        e.has_position = true;
        e.position = hf_add(hf_scene_object(w.scenario->scene, at).start.position, hf_v3(atof(argv[i + 1]), atof(argv[i + 2]), atof(argv[i + 3])));
        }
        if (hf_adapt_editor_edit(w.editor, &e, 1, &error) != HF_OK) { puts(hf_error_text(&error, text, sizeof text)); return 1; }
    }
    hf_schedule* out = NULL;
    for (int k = 0; k < 2; k++) {
    hf_schedule_free(out);
    t0 = now_s();
    s = hf_adapt_editor_update(w.editor, w.workspace, &out, &r);
    printf("update %d %.1f ms: %s level %d touched %d faults %d\n", s, 1e3 * (now_s() - t0), hf_outcome_text(r.outcome), r.level, r.touched, r.realised.fault_count);
    }
    for (int i = 0; i < r.phase_count; i++)
        printf("  %2d limb %d object %d -> %d %.2f..%.2f %-8s moved %.3f h1 %.2f h2 %.2f %s\n", i, r.phases[i].limb, r.phases[i].object, r.phases[i].to_object, r.phases[i].from_s, r.phases[i].to_s, hf_phase_fate_text(r.phases[i].fate), r.phases[i].moved_m, r.phases[i].h1, r.phases[i].h2, r.phases[i].why);
    for (int i = 0; i < r.realised.fault_count && i < 40; i++)
        printf("  fault frame %d %s limb %d body %s surface %d n %.2f %.2f %.2f\n", r.realised.faults[i].frame, hf_frame_fault_text(r.realised.faults[i].kind), r.realised.faults[i].limb,
          r.realised.faults[i].kind == HF_FAULT_COLLIDES ? hf_creature_get(w.scenario->creature)->links[hf_creature_get(w.scenario->creature)->bodies[r.realised.faults[i].collision.body].link].name : "", r.realised.faults[i].collision.surface.object,
          r.realised.faults[i].collision.surface.normal.x,r.realised.faults[i].collision.surface.normal.y,r.realised.faults[i].collision.surface.normal.z);
    if (getenv("DUMP"))
    for (int f = 0; f < w.editor->source.frame_count; f += atoi(getenv("DUMP"))) {
        hf_bend* b = &w.editor->bend; int n = w.editor->source.limb_count;
        printf("%4d %c root %+.4f %+.4f %+.4f turn %+.3f %+.3f %+.3f push %+.4f %+.4f %+.4f missed %x |", f, b->touched[f] ? 'T' : '-', b->root[f].shift.x, b->root[f].shift.y, b->root[f].shift.z, b->root[f].turn.x, b->root[f].turn.y, b->root[f].turn.z, b->root_push[f].shift.x, b->root_push[f].shift.y, b->root_push[f].shift.z, b->missed[f]);
        for (int l = 0; l < n; l++) if (w.editor->source.acts[l]) printf(" %+.4f %+.4f %+.4f (%.3f)%c", b->tips[f*n+l].shift.x, b->tips[f*n+l].shift.y, b->tips[f*n+l].shift.z, b->tip_push[f*n+l].z, hf_bend_holds(b, f, l) >= 0 ? 'h' : '.');
        printf("\n");
    }
    hf_motion* m = NULL;
    hf_realise_result rr = {0};
    hf_realise_options ro = hf_realise_options_default();
    t0 = now_s();
    hf_realise(w.scenario->creature, hf_adapt_editor_scene(w.editor), out, &ro, w.workspace, &m, &rr);
    printf("realise whole %.1f ms, faults %d\n", 1e3 * (now_s() - t0), rr.fault_count);
    hf_check_report cr = {0};
    (void)cr;
    m->scenario = NULL;
    hf_motion_save(m, "/tmp/edit/out.motion.json", &error);
    return 0;
}
