/* Sequences: the root follows a given path, and the limbs follow it from contact to contact
   (efort-2014-journal section 5.2). Contacts that go out of reach are renewed by contact queries, in the
   order of the creature's gait groups; all others hold. */
#ifndef HOLDFAST_SEQUENCE_H
#define HOLDFAST_SEQUENCE_H

#include <holdfast/contact.h>
#include <holdfast/course.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_sequence_options {
    double stride;  /* how far the root moves while a group of limbs swings, in mean limb lengths, 0.01..2;
                       default 0.3; shorter where contacts ask for it */
    int choices;    /* contacts looked at for each swing, 1..100; default 8 */
    int tests;      /* work of each contact query (max_tests), 1..10,000,000; default 60 */
    int max_phases; /* work at most: groups that swing, 1..1,000,000; default 2000 */
} hf_sequence_options;
HF_API hf_sequence_options hf_sequence_options_default(void);
HF_API hf_option_table hf_sequence_option_table(void);

typedef struct hf_sequence_query {
    hf_pose start;
    int contact_count; /* that hold at the start */
    const hf_hold* contacts;
    int path_count; /* root poses after the start's */
    const hf_transform* path;
    int limb_count; /* that are used, 0: those of the creature's gait, or all that can */
    const int* limbs;
    const hf_samples* const* const* samples; /* by limb of the creature and contact frame */
    double epsilon_m;                        /* of the contact queries; default 0 */
    double weights[HF_TERM_COUNT]; /* default: effort 1, comfort 10, duration 10 (method section 4). Effort is
                                      along +Z: supports push up, and the path says from where they are asked.
                                      Balance is not filled and may have no weight */
    hf_sequence_options options;
    hf_swing_options swing;
} hf_sequence_query;
HF_API hf_sequence_query hf_sequence_query_default(void);

typedef enum hf_sequence_why {
    HF_SEQUENCE_ARRIVED,
    HF_SEQUENCE_START_COLLIDES,
    HF_SEQUENCE_NO_CONTACT, /* a limb finds no contact that it can hold, and too few others do */
    HF_SEQUENCE_NO_WAY,     /* limbs find contacts, and no free way to them */
    HF_SEQUENCE_BLOCKED,    /* the body cannot move on along the path */
    HF_SEQUENCE_PHASES,     /* max_phases ended it */
    HF_SEQUENCE_CANCELLED
} hf_sequence_why;
HF_API const char* hf_sequence_why_text(hf_sequence_why why);

typedef struct hf_sequence_result {
    hf_outcome outcome; /* found, partial (as far as `reached`), none, budget, cancelled */
    hf_sequence_why why;
    double reached;         /* share of the path, 1: its end */
    int limb;               /* that made it end early, -1 for none */
    hf_collision collision; /* of the start */
    int phases, swings, queries;
} hf_sequence_result;

/* Appends the poses of the sequence to an empty course, whose motion is then made by hf_course_motion. Every
   move is free of collision and keeps its holds; limits of speed are a matter of the course. The same answer
   every time. progress may be NULL. */
HF_API hf_status hf_sequence_find(const hf_creature* creature, const hf_placement* placement,
                                  const hf_sequence_query* query, hf_workspace* workspace,
                                  hf_progress_fn progress, void* user, hf_course* course,
                                  hf_sequence_result* result);

#ifdef __cplusplus
}
#endif
#endif
