/* holdfast adapt, scenarios with edits: the motion in the edited scene, and what became of its contacts. */
#include "command.h"

#include <stdio.h>
#include <string.h>

hf_status adapt_to_edits(const hf_scenario* s, const options* o, hf_workspace* workspace,
                         hf_schedule** schedule, hf_adapt_result* result, hf_error* error) {
    hf_adapt_options wishes = hf_adapt_options_default();
    hf_adapt_editor* editor = NULL;
    hf_schedule* edited = NULL;
    if (!apply_settings(o, s, "adapt", &wishes)) return already_told(error, HF_ERROR_ARGUMENT);
    hf_status status =
        hf_adapt_editor_create(s->creature, s->adapt->scene, *schedule, &wishes, workspace, &editor, error);
    if (status == HF_OK && !editor) {
        result->outcome = HF_CANCELLED; // before the motion was open: it stays as it was
        return HF_OK;
    }
    if (status == HF_OK) status = hf_adapt_editor_edit(editor, s->adapt->edits, s->adapt->edit_count, error);
    if (status == HF_OK)
        status = fail_while(error, hf_adapt_editor_update(editor, workspace, &edited, result), s->path,
                            "adapting the motion");
    hf_adapt_editor_free(editor);
    if (status != HF_OK) return status;
    hf_schedule_free(*schedule);
    *schedule = edited;
    return HF_OK;
}

char* fates_text(const hf_adapt_result* result) {
    char text[160] = "";
    for (int fate = HF_PHASE_KEPT; fate <= HF_PHASE_FAILED; fate++) {
        int n = 0;
        for (int i = 0; i < result->phase_count; i++) n += (int)result->phases[i].fate == fate;
        size_t used = strlen(text);
        if (n)
            snprintf(text + used, sizeof text - used, "%s%d %s", used ? ", " : "", n,
                     hf_phase_fate_text((hf_phase_fate)fate));
    }
    return make_text("%s", text);
}

static const char* object_name(const hf_scenario* s, int object) {
    return object >= 0 ? hf_scene_object(s->scene, object).name : "";
}

json_t* edited_phases(const hf_scenario* s, const hf_adapt_result* result) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    json_t* phases = json_array();
    for (int i = 0; i < result->phase_count; i++) {
        const hf_phase_report* p = &result->phases[i];
        json_t* phase =
            json_pack("{s:o,s:o,s:f,s:f,s:s,s:f,s:o,s:o,s:o}", "limb", json_text(v->limbs[p->limb].name),
                      "object", json_text(object_name(s, p->object)), "from", p->from_s, "to", p->to_s,
                      "fate", hf_phase_fate_text(p->fate), "moved_m", p->moved_m, "point", json_vec3(p->to),
                      "why", json_text(p->why), "to_object", json_text(object_name(s, p->to_object)));
        if (p->fate == HF_PHASE_MOVED) {
            json_object_set_new(phase, "h1", json_real(p->h1));
            json_object_set_new(phase, "h2", json_real(p->h2));
        }
        json_array_append_new(phases, phase);
    }
    return phases;
}

void say_edits(const hf_scenario* s, const hf_adapt_result* result) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    printf("  edits: level %d, %d frames changed, %d more\n", result->level, result->touched, result->added);
    for (int i = 0; i < result->phase_count; i++) {
        const hf_phase_report* p = &result->phases[i];
        printf("  %6.2f to %6.2f s  %-10s on %-10s %s", p->from_s, p->to_s, v->limbs[p->limb].name,
               object_name(s, p->object), hf_phase_fate_text(p->fate));
        if (p->fate == HF_PHASE_MOVED)
            printf(" %.2f m to %s (h1 %.2f, h2 %.2f)", p->moved_m, object_name(s, p->to_object), p->h1,
                   p->h2);
        printf("%s%s\n", p->why[0] ? ": " : "", p->why);
    }
}
