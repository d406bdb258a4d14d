/* Recorded motion in an edited scene (contact-repositioning-2016): a schedule is opened once with the scene
   that it was made in; after every edit of the scene it is bent along, contacts that no longer hold are put
   elsewhere, and the root finds another way where that is not enough. */
#ifndef HOLDFAST_ADAPT_H
#define HOLDFAST_ADAPT_H

#include <holdfast/edit.h>
#include <holdfast/options.h>
#include <holdfast/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_adapt_options {
    int level;        /* 1: bend alone, 2: contacts may move, 3 (default): the root may go another way */
    double weight;    /* w of h = w h1 + (1 - w) h2, 0..1: likeness of forces against duration; default 0.7 */
    int samples;      /* postures of a limb among which new contacts are looked for; default 10,000 */
    int candidates;   /* new contacts looked at for one phase, 1..1000; default 24 */
    int tries;        /* of them tried in the whole motion, best first, 1..100; default 4 */
    int rounds;       /* of repairs of balance and collisions in one pass, 0..100; default 12 */
    int passes;       /* times that the whole motion is bent, repaired and tested for one update at most;
                         default 24 */
    double spacing_m; /* descriptor points on the scene are that far apart beside the body; default 0.04 */
    uint64_t seed;    /* default 1 */
    int threads;      /* that test frames, 0..1024; no result depends on it; default 0: all cores */
} hf_adapt_options;
HF_API hf_adapt_options hf_adapt_options_default(void);
HF_API hf_option_table hf_adapt_option_table(void);

/* What became of a contact phase. */
typedef enum hf_phase_fate {
    HF_PHASE_KEPT,    /* as it was */
    HF_PHASE_BENT,    /* it went along with its object */
    HF_PHASE_MOVED,   /* to another place */
    HF_PHASE_DROPPED, /* the motion goes without it */
    HF_PHASE_FAILED   /* it is held where it was, and the motion has faults there */
} hf_phase_fate;
HF_API const char* hf_phase_fate_text(hf_phase_fate fate);

typedef struct hf_phase_report {
    int hold; /* of the opened schedule */
    int limb;
    int object, to_object; /* that it held, and holds now (-1: none) */
    double from_s, to_s;   /* in the new motion */
    hf_phase_fate fate;
    hf_vec3 from, to; /* where the contact was and is, in the world, at its first moment */
    double moved_m;
    double h1, h2; /* of a moved one: likeness of the forces (1: as the original), share of the duration */
    char why[160]; /* what ended the life of a phase that was not kept or bent, "" for the others */
} hf_phase_report;

/* Zero it first; its memory is used again. */
typedef struct hf_adapt_result {
    hf_outcome
        outcome; /* found: no fault that the opened motion did not have; partial: see realised;
                    cancelled: the workspace's watcher ended the work, and faults are those found before */
    int level;   /* 0: nothing to do, 1, 2 or 3 */
    int touched; /* frames that are not the opened ones */
    int added;   /* frames more than the opened motion has: parts that would be too fast take longer */
    int phase_count, phase_capacity;
    hf_phase_report* phases; /* one for each hold of the opened schedule, and for each part of a split one */
    hf_realise_result realised; /* faults that are left and that the opened motion does not have there */
} hf_adapt_result;
HF_API void hf_adapt_result_free(hf_adapt_result* result);

typedef struct hf_adapt_editor hf_adapt_editor;
/* The schedule is copied, creature and scene must outlive the editor; the workspace is used by this call
   alone. options may be NULL. HF_ERROR_ARGUMENT for a schedule that hf_schedule_validate refuses. When the
   workspace's watcher ends the work before the motion is open, *editor is NULL and the status HF_OK. */
HF_API hf_status hf_adapt_editor_create(const hf_creature* creature, const hf_scene* scene,
                                        const hf_schedule* schedule, const hf_adapt_options* options,
                                        hf_workspace* workspace, hf_adapt_editor** editor, hf_error* error);
HF_API void hf_adapt_editor_free(hf_adapt_editor* editor);
/* Edits the scene as the editor has it now; one step for undo. Nothing changes when it fails. */
HF_API hf_status hf_adapt_editor_edit(hf_adapt_editor* editor, const hf_scene_edit* edits, int count,
                                      hf_error* error);
/* Takes the last edit back; *undone false when there is none. */
HF_API hf_status hf_adapt_editor_undo(hf_adapt_editor* editor, bool* undone);
/* The edited scene, until the next edit or undo. Objects keep the indices that they have in the first one. */
HF_API const hf_scene* hf_adapt_editor_scene(const hf_adapt_editor* editor);
/* Adapts the motion to the scene as it is now; the schedule (free it) is for hf_adapt_editor_scene. Frames
   that no edit concerns are those of the opened schedule to the last bit. The same answer whatever was asked
   before. */
HF_API hf_status hf_adapt_editor_update(hf_adapt_editor* editor, hf_workspace* workspace,
                                        hf_schedule** schedule, hf_adapt_result* result);

/* ---- families of edits ---- */

/* What a family varies of an object. */
typedef enum hf_vary_kind {
    HF_VARY_HEIGHT, /* its vertices' z, times the value */
    HF_VARY_SCALE,  /* all of it, times the value */
    HF_VARY_X,      /* its place, m more */
    HF_VARY_Y,
    HF_VARY_Z,
    HF_VARY_YAW /* its turn about the vertical through its own origin, rad more */
} hf_vary_kind;
typedef struct hf_vary {
    const char* object;
    hf_vary_kind kind;
    double from, to;
    int count; /* values, evenly from the first to the last; 1: the first alone */
} hf_vary;
/* Varies of one family at most. */
#define HF_MAX_VARIES 16
/* Reads "boxes.height=0.8:1.2:5" (height, scale, x, y, z, yaw); the object's name is copied into `name`. */
HF_API hf_status hf_vary_parse(const char* text, char* name, size_t size, hf_vary* vary, hf_error* error);

/* One motion of a family. */
typedef struct hf_variant {
    double* values; /* of each vary */
    hf_scene* scene;
    hf_schedule* schedule; /* NULL, as the scene is, where the work was cancelled before this variant began */
    hf_adapt_result result;
} hf_variant;
/* Every combination of the varies' values, the last one fastest, made by several threads (0: all cores) with
   the same answers as one by one. The edits hold for all of them, before the varies. Free the variants with
   hf_variants_free. At most 100,000 of
   HF_MAX_VARIES varies. HF_ERROR_ARGUMENT for x, y, z and yaw of an object that follows keys.
   `progress` (may be NULL) is called by one thread at a time. */
HF_API hf_status hf_adapt_family(const hf_creature* creature, const hf_scene* scene,
                                 const hf_schedule* schedule, const hf_adapt_options* options,
                                 const hf_scene_edit* edits, int edit_count, const hf_vary* varies,
                                 int vary_count, int threads, hf_progress_fn progress, void* user,
                                 hf_variant** variants, int* count, hf_error* error);
HF_API void hf_variants_free(hf_variant* variants, int count);

#ifdef __cplusplus
}
#endif
#endif
