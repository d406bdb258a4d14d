/* The contact queries of a scenario's tasks, as contact and its comparison ask them. */
#ifndef HF_CLI_CONTACT_JOB_H
#define HF_CLI_CONTACT_JOB_H

#include "command.h"

/* Panels in the picture of a motion along a path or through the time of keys, and of a comparison. */
enum { PATH_PANELS = 6, SIDES = 2 };

/* One limb of one task. */
typedef struct limb_job {
    hf_task_limb task;
    hf_contact_answer* answer;
    double time_us;
} limb_job;

/* What scenario and command line can change about queries, paths, swings and their frames. */
typedef struct contact_wishes {
    hf_contact_query query; /* nothing but the numbers of its table */
    hf_sequence_options sequence;
    hf_swing_options swing;
    hf_course_options course;
} contact_wishes;

typedef struct contact_job {
    hf_scenario* scenario;
    const options* o;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_transform* links;
    hf_samples*** samples; /* by limb and contact frame, built when first asked for */
    int held_count;
    hf_hold* held; /* of the start that really touch */
    hf_hold* touches;
    int touch_count;
    double* q; /* where the limbs are now */
    int limb_count;
    limb_job* limbs;
    const double* weights; /* HF_TERM_COUNT of them instead of the scenario's, or NULL */
    bool borrows_samples;  /* see contact_job_share */
    contact_wishes wishes;
    progress progress; /* of the whole job; the workspace asks it */
} contact_job;

/* Defaults, then the scenario's, then the command line's. Complains and returns false when one does not fit.
 */
bool contact_wishes_read(const options* o, const hf_scenario* s, contact_wishes* wishes);
/* To be freed even when it fails. HF_ERROR_ARGUMENT for wishes that do not fit. */
hf_status contact_job_create(contact_job* job, hf_scenario* s, const options* o);
void contact_job_free(contact_job* job);
/* The second of two jobs over one scenario takes over what holds at the start, and uses the sample sets of
   the first, which is freed after it. */
void contact_job_share(contact_job* to, const contact_job* from);
/* Notes which contacts of the start really are on a surface; they hold while limbs that are not theirs move.
 */
void contact_job_hold(contact_job* job);
/* Builds or opens the limb's sample sets. */
hf_status contact_job_samples(contact_job* job, int limb, hf_error* error);
/* HF_ERROR_ARGUMENT with the message that no limb of the task or creature can go from contact to contact. */
hf_status contact_job_no_walker(const contact_job* job, hf_error* error);
/* The sample sets of every limb that the scenario's tasks move: nothing that is found is lost when the time
   limit ends the program while they are built. */
hf_status contact_job_prepare(contact_job* job, int only, hf_error* error);
/* From here to contact_job_end queries ask whether the time is over, and what they found is kept. */
void contact_job_begin(contact_job* job);
void contact_job_end(contact_job* job);
/* Did Ctrl-C or the time limit end it? */
bool contact_job_stopped(const contact_job* job);
/* Finds the contacts of one task; `only` names the one limb to move, -1 for all of the task. */
hf_status contact_job_solve(contact_job* job, const hf_task* task, int only, hf_error* error);
/* Of the task that was solved last. */
hf_outcome contact_job_outcome(const contact_job* job);
bool contact_job_has(const contact_job* job, int limb);
/* Appends an object for each limb. */
void contact_job_json(const contact_job* job, const hf_task* task, json_t* list);
/* The start pose, the swings of the limbs to their contacts and the final pose as m's motion, which claims
   what its frames keep. False in `every` where a limb stays behind or a frame is no good. */
hf_status contact_job_motion(contact_job* job, loaded_motion* m, bool* every);
/* A course as m's motion, which claims what its frames keep; false in `every` where that is not all. */
hf_status contact_job_frames(contact_job* job, const hf_course* course, hf_outcome outcome, loaded_motion* m,
                             bool* every);
/* Writes m's motion as NAME.motion.json, .glb and .png to the output folder, the picture of some frames. */
hf_status contact_job_write(const contact_job* job, const char* name, const loaded_motion* m,
                            const int* frames, int count, hf_vec3 direction, hf_error* error);
/* What is asked of a limb as the others are now. */
hf_contact_query contact_job_query(const contact_job* job, const limb_job* l);
/* HF_ERROR_ARGUMENT with a message when the scenario gives a weight to a term that nothing fills: balance,
   and without a path duration. */
hf_status contact_job_check_score(const contact_job* job, bool path, hf_error* error);
/* The scenario's weights of scores. */
void contact_job_weights(const contact_job* job, double* weights);
/* The sequence along the scenario's path. */
int follow_path(hf_scenario* s, const options* o);
/* Contacts of the scenario's tasks by effort beside those by distance; `only` as above. */
int compare_scores(hf_scenario* s, const options* o, int only);
/* Does an object of the scene move by keys? Then an agent lives through their time instead. */
bool scene_has_keys(const hf_scene* scene);
int live_through(hf_scenario* s, const options* o);

#endif
