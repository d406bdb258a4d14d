/* One random contact query, asked and judged. */
#ifndef HF_CLI_VALID_QUERY_H
#define HF_CLI_VALID_QUERY_H

#include "valid_world.h"

enum { VALID_LIMBS = 3, VALID_CONTACTS = 3 };

/* What came of one query. */
typedef struct valid_result {
    bool done;
    int creature, scene;
    int limb_count; /* of the call */
    int limbs[VALID_LIMBS];
    hf_role role;                    /* of the first limb */
    hf_contact_why why[VALID_LIMBS]; /* HF_CONTACT_ALL where there is a contact */
    int contacts;                    /* found by all limbs */
    bool planted;                    /* a valid contact is known to exist */
    int judged, invalid;             /* motions */
    int broken;                      /* answers that do not keep another promise of theirs */
    int drawn_again;                 /* poses that collided elsewhere */
    char what[240];                  /* is wrong with the first */
} valid_result;

/* Memory of one thread. */
typedef struct valid_worker {
    valid_world* world;
    hf_workspace* workspace;
    const char* draw_to; /* folder for pictures of every answer, NULL for none */
    const options* o;
} valid_worker;

/* Asks query `index` of a seed; the same whatever the thread. */
hf_status valid_query_run(const valid_worker* worker, uint64_t seed, int index, valid_result* result,
                          hf_error* error);

#endif
