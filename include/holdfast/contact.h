/* Contact queries: where should a limb go, and how, to exert the most useful force along a direction
   (efort-2014-journal sections 3 and 5). Any number of threads may query one creature, its sample sets and
   one placement, each with a workspace and answers of its own. A query in steady state uses no heap. */
#ifndef HOLDFAST_CONTACT_H
#define HOLDFAST_CONTACT_H

#include <holdfast/samples.h>
#include <holdfast/collision.h>
#include <holdfast/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a contact is scored by; larger is better in every one of them. */
typedef enum hf_term {
    HF_TERM_EFFORT,         /* L f_T factor: the force the limb can exert along v (EFORT) */
    HF_TERM_DISTANCE,       /* how far the effector must go from where it is, in limb lengths, negative: the
                               closest-distance baseline of the papers */
    HF_TERM_MANIPULABILITY, /* of the posture, as a share of the sample set's largest */
    HF_TERM_PRECISION,      /* factor / (L f_T): low force means fine control (thesis-2015 section 5.4.2) */
    HF_TERM_COMFORT,        /* mean over the limb's regions, or over its joints' intervals: 1 in the middle */
    HF_TERM_DURATION,       /* share of the root poses to come from which the limb can hold it (outlook) */
    HF_TERM_BALANCE,        /* margin of the stance with it, -1 .. 1 (outlook) */
    HF_TERM_COUNT
} hf_term;
HF_API const char* hf_term_text(hf_term term);
/* By name; -1 when there is none. */
HF_API int hf_term_find(const char* name);

/* What is asked of one limb. Start from hf_contact_query_default. */
typedef struct hf_contact_query {
    hf_pose pose; /* where the creature is; the limb's joints move, all others stay */
    int limb;
    hf_role role;      /* default support */
    hf_vec3 direction; /* of the task, world, any length but 0; default +Z */
    double epsilon_m;  /* how near a sample must be to a surface; 0 (default): 0.03 limb lengths */
    double weights[HF_TERM_COUNT]; /* default: effort 1, all others 0 */
    int count;                     /* contacts wanted, 1..1000; default 1 */
    double apart_m;       /* least distance between two of them; 0 (default): 0.15, or a quarter of the limb's
                             length where that is less */
    double min_size_m;    /* surfaces must go on this far across under the contact; default 0: any */
    double max_tilt_rad;  /* largest angle of a surface's normal from +Z, 0..pi; default pi */
    double max_angle_rad; /* how far the contact's normal may be from against the surface's, where the limb
                             cannot turn it further; not for balls and grips; default 1.0 */
    int max_tests;        /* work at most: candidates finished, and a tenth of those looked at; 1..10,000,000;
                             default 600 */
    const hf_vec3*
        wish; /* where the distance term is measured from, world; NULL: where the effector is now */
    const hf_hold* touches; /* contacts that hold already; those of this limb are let go */
    int touch_count;
    const struct hf_outlook* outlook; /* holdfast/outlook.h; NULL (default): duration and balance are 0, and
                                         may have no weight */
} hf_contact_query;
HF_API hf_contact_query hf_contact_query_default(void);
HF_API hf_option_table hf_contact_option_table(void); /* its numbers but the weights */

typedef struct hf_contact {
    hf_hold hold; /* in the world; the normal points to the limb's side */
    int triangle;
    double score;                             /* the weighted sum of the terms */
    double terms[HF_TERM_COUNT];              /* each without its weight; of the posture below */
    double sample_score;                      /* of the sample it was finished from, which decided its turn */
    double position_error_m, angle_error_rad; /* what the finish left */
    const double* q; /* the whole pose's joint values with the limb there; valid as long as the answer */
} hf_contact;

/* Why there is no contact, or fewer than asked for. */
typedef enum hf_contact_why {
    HF_CONTACT_ALL,             /* as many as asked for */
    HF_CONTACT_OUT_OF_REACH,    /* no surface that fits role and filters is within reach of any sample */
    HF_CONTACT_ALL_COLLIDING,   /* some are, and the limb collides at each that it can touch exactly */
    HF_CONTACT_NONE_EXACT,      /* some are, and the limb can touch none of them exactly */
    HF_CONTACT_EXCLUDED,        /* another limb of the call has a contact that excludes this one's */
    HF_CONTACT_TESTS_EXHAUSTED, /* max_tests ended the search */
    HF_CONTACT_FEWER,           /* all were tried, and fewer are that far apart */
    HF_CONTACT_CANCELLED        /* by who watches the workspace */
} hf_contact_why;
HF_API const char* hf_contact_why_text(hf_contact_why why);

/* Memory of an answer belongs to it and is used again by the next query. */
typedef struct hf_contact_answer {
    hf_outcome outcome; /* found, partial (fewer than asked for), none, budget, cancelled */
    hf_contact_why why;
    int candidates; /* samples within epsilon_m of a surface that may be used; near an object with a distance
                       grid (hf_scene_prepare) every sample counts. Surfaces along the task, which take none
                       of its force, count only when none that help gave enough contacts. A query for one
                       contact that finds it leaves samples with lower scores uncounted */
    int looked;     /* candidates whose turn came; one may have several, within wider epsilons */
    int blocked;    /* of those looked at, passed over: the limb collides as sampled */
    int tested;     /* finished on the surface, or tried to */
    int colliding;  /* of the tested, colliding on the surface, or as near to it as they came */
    int unfinished; /* of the tested, not to be brought onto the surface */
    int valid;      /* of the tested, all others: the answer is the best of them that are apart */
    double epsilon_m; /* as used in the end: widened where no sample was near enough */
    int contact_count, contact_capacity;
    hf_contact* contacts; /* best score first */
    double* q;            /* of the contacts */
    int q_count;
} hf_contact_answer;
/* Room for `capacity` contacts of this creature. */
HF_API hf_status hf_contact_answer_create(const hf_creature* creature, int capacity,
                                          hf_contact_answer** answer);
HF_API void hf_contact_answer_free(hf_contact_answer* answer);

/* The best contacts of one limb: exactly on the surface (0.1 mm), the normal aligned as far as limits and
   range of motion allow, free of collision with scene and own body. Candidates are taken in the order of
   their samples' scores, of equal ones that first which faces its surface better. One whose limb collides as
   sampled (by more than 0.2 epsilon; the effector set on the surface), or is too short to lay its contact
   frame flat there, is passed over; the others are finished. A query for one contact answers with the first
   that is valid. One for several finishes every candidate within epsilon that max_tests allows, and answers
   with the best finished contact, the best of those `apart_m` from it, and so on: so its first contact is
   never worse than that of a query for one. Until the first contact half of what is left is passed over after
   every 250 that were blocked, and most of those beside places where the limb could not lay its frame flat,
   so that in a large set a query for one gives the best of an even part of the samples, not always of all.
   Surfaces that push against the task are not used where the score has effort or precision in it, but for
   supports whose friction still lets them push along it, and those only when no others give a contact; those
   along the task, which take none of its force, only when few or none that help do. Where there is none,
   epsilon is doubled up to four times, and in the end those passed over are finished, too. `samples` holds
   one set for each contact frame of the limb (one for a limb without any), NULL for a frame that is not to be
   used; frames on fingers and toes, which samples have at rest, are used where no other set is given.
   HF_ERROR_ARGUMENT for numbers that are not finite, a direction of no length, values out of range, a limb
   that does not exist, a set of another limb, a grip by a limb that cannot, a term with a weight that nothing
   fills, an answer without room. */
HF_API hf_status hf_contact_find(const hf_creature* creature, const hf_samples* const* samples,
                                 const hf_placement* placement, const hf_contact_query* query,
                                 hf_workspace* workspace, hf_contact_answer* answer);

/* Several limbs in the given order, all from the pose of the first query: each limb's best contact is put
   into the pose and counts as a touch for those after it, and a limb that excludes one with a contact is left
   out. samples[i] are those of queries[i]. Writes the joint values reached in the end to q (q_count of them,
   may be NULL). */
HF_API hf_status hf_contact_find_all(const hf_creature* creature, const hf_samples* const* const* samples,
                                     const hf_placement* placement, const hf_contact_query* queries,
                                     int count, hf_workspace* workspace, hf_contact_answer* const* answers,
                                     double* q);

#ifdef __cplusplus
}
#endif
#endif
