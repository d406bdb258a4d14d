/* Keeping a hold: brings one limb's joints to where its hold anchors the limb's link, given the rest of the
   body. Plans, sequences and the frames of every motion keep their holds with it. */
#ifndef HF_SOLVE_KEEP_H
#define HF_SOLVE_KEEP_H

#include <holdfast/hold.h>
#include <holdfast/solve.h>

/* Work of the solver for a limb that starts near its target: a contact on the same surface, the next knot of
   a swing, a hold while the body moves on. Descents that need more end elsewhere. */
enum { HF_NEAR_ITERATIONS = 30 };

typedef enum hf_keep_care {
    HF_KEEP_SOON, /* one descent: says soon that the limb cannot, and comes near where it can */
    HF_KEEP_EXACT
} hf_keep_care;

/* The target that puts the limb's link onto the anchor. */
hf_target hf_anchor_target(const hf_hold* hold, const hf_anchor* anchor);

/* Has the limb fewer joints than the orientation of its patch needs, so that the patch gives way to the body
   on its hold by less than half a degree? */
bool hf_limb_yields(const hf_creature* creature, const hf_hold* hold);

/* Moves the joints of the hold's limb in q. links: of the pose (hf_forward), those of the limb are used as
   scratch. *kept false: the limb cannot, and *miss is how the limb's root should move for it. A limb without
   joints is only measured. */
hf_status hf_hold_keep(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                       hf_keep_care care, hf_workspace* workspace, hf_transform* links, double* q, bool* kept,
                       hf_vec3* miss);

/* Brings the contact of a limb that is on its way to where the anchor has it, turned as the anchor as far as
   that leaves room; *off_m is how far it stays behind. */
hf_status hf_hold_approach(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                           hf_workspace* workspace, const hf_transform* links, double* q, double* off_m);

/* A step of 0.1 rad back from joint limits: the solver does not bend a limb again that is quite straight. */
void hf_limb_loosen(const hf_creature* creature, int limb, double* q);

#endif
