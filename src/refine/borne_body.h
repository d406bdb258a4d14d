/* Poses whose body is shifted across so that the centre of mass goes a way that the contacts bear in motion.
 */
#ifndef HF_REFINE_BORNE_BODY_H
#define HF_REFINE_BORNE_BODY_H

#include <holdfast/balance.h>
#include <holdfast/kinematics.h>

/* Poses at equal steps of time. */
typedef struct hf_borne_body {
    const hf_creature* creature;
    int count, q_count;
    double step_s;
    hf_transform* roots; /* of each sample; they are shifted */
    const double* q;     /* count rows of q_count */
    const bool* fixed;   /* samples whose body stays */
    const hf_vec3* lost; /* of each sample, by which the body should move for a limb to reach its hold */
    /* The workspace's memory, of each sample: */
    const hf_stance** stances; /* what bears it */
    double* margin_m;          /* that its wrench keeps */
    double* outside;           /* how far its wrench is beyond what bears it, body weights */
    double* moment_m;          /* change of its angular momentum, as a moment arm of the weight */
    double* freedom;           /* 1: the body goes as it likes; less: nearer to where it was */
    double* weights;
    double* sunk_m; /* by which it is lower than it was, so that limbs reach */
    hf_vec3 *wish, *place, *com, *momentum_rate;
    hf_transform* links;
} hf_borne_body;

/* The memory; stances and margins are the caller's to fill in. False: there is none. */
bool hf_borne_body_take(hf_borne_body* body, hf_workspace* workspace);
/* Shifts the roots of all samples to the way that is borne with the present momentum. first: the centres of
   mass of the poses as they are become the wish, else the wish stays. *shift_m: of the sample that is shifted
   farthest. */
hf_status hf_borne_body_shift(hf_borne_body* body, bool first, hf_workspace* workspace, double* shift_m);

#endif
