/* Balance: can the contacts of a stance hold the body? Contacts are points and patches with linearised
   friction cones inside the real ones; grips hold with their whole patch in every direction up to the limb's
   force. Wrenches are taken about a fixed point of the world, so that one stance serves every pose and
   acceleration while its contacts last. A stance is immutable once built and may be shared by any number of
   threads; questions to it allocate nothing. */
#ifndef HOLDFAST_BALANCE_H
#define HOLDFAST_BALANCE_H

#include <holdfast/hold.h>
#include <holdfast/options.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HF_GRAVITY_M_S2 9.81

enum {
    HF_SUPPORT_CORNERS = 4,  /* of one contact at most */
    HF_STANCE_SUPPORTS = 16, /* contacts of a stance at most */
    HF_STANCE_MARGIN_M = 10  /* margins are cut to +- this; what no shift can balance has minus this */
};

/* Where and how one contact bears. */
typedef struct hf_support {
    int corner_count; /* 0: bears nothing */
    hf_vec3 corners[HF_SUPPORT_CORNERS];
    hf_vec3 normal; /* unit, out of the surface; not used by a grip */
    double friction;
    bool grip;
    double max_force; /* N, of a grip, shared over its corners */
} hf_support;

/* How a hold (in the world) bears with the link of its contact frame
   standing at `link`, its world pose when the contact began. A patch within 2 degrees of the surface bears at
   its corners; where no surface of an object that allows contact lies within 5 mm under a corner, the corner
   is drawn in towards the contact point as far as there is none. A patch that is tilted further bears at its
   lowest edge or corner. A grip bears at all its corners, whatever lies under them. Points and balls bear at
   the contact's point. What stands on a movable object or grips one bears nothing. */
HF_API void hf_support_find(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                            hf_transform link, hf_support* support);

/* The same as plans and realised motions count on it: friction cones narrow enough to lie inside those of a
   check whatever its edges, and a grip by its middle alone, because a hand may turn while it grips. */
HF_API void hf_support_plan(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                            hf_transform link, hf_support* support);

typedef struct hf_stance_options {
    int cone_edges; /* of each friction cone, 4..8; default 4 */
    bool polytope;  /* find the wrenches' halfspaces too, for many questions with accelerations; default no */
} hf_stance_options;
HF_API hf_stance_options hf_stance_options_default(void);
HF_API hf_option_table hf_stance_option_table(void);

/* The contacts that hold at one moment, ready to be asked. Its memory is used again by the next build. */
typedef struct hf_stance hf_stance;
HF_API hf_status hf_stance_create(hf_stance** stance);
HF_API void hf_stance_free(hf_stance* stance);

/* For a body of this mass (kg). options may be NULL. HF_ERROR_ARGUMENT for numbers that are not finite,
   normals that are not unit, negative friction or force, a mass not above 0; HF_ERROR_LIMIT for too many
   supports. */
HF_API hf_status hf_stance_build(hf_stance* stance, const hf_support* supports, int count, double mass,
                                 const hf_stance_options* options, hf_workspace* workspace);

/* Static margin in metres: the least horizontal shift of the centre of mass, over eight directions 45 degrees
   apart from +X, that loses balance. Outside: minus the distance to where there is balance. */
HF_API double hf_stance_margin(const hf_stance* stance, hf_vec3 com);
/* The margin with one more contact. */
HF_API hf_status hf_stance_margin_with(const hf_stance* stance, const hf_support* support, hf_vec3 com,
                                       hf_workspace* workspace, double* margin);
/* Where the centre of mass may be, seen from above: corners in counter-clockwise order; 0 where there is no
   balance at all, 1 or 2 where it is a point or a line. Writes the first `capacity` (x and y of each) and
   returns how many there are. Where the region goes on without end it is cut 20 m from the contacts' middle.
 */
HF_API int hf_stance_region(const hf_stance* stance, double* corners, int capacity);

/* Do the contacts hold a body whose centre of mass is at com and accelerates so, while its angular momentum
   about the centre of mass changes by momentum_rate (N m)? By the halfspaces when there are any (there are
   none with gripped patches: too many), else by a linear program. */
HF_API bool hf_stance_holds(const hf_stance* stance, hf_vec3 com, hf_vec3 acceleration,
                            hf_vec3 momentum_rate);
/* The same by the linear program in any case; forces (may be NULL) gets one force (N, world) for each corner
   of each support in order, when it holds. */
HF_API bool hf_stance_forces(const hf_stance* stance, hf_vec3 com, hf_vec3 acceleration,
                             hf_vec3 momentum_rate, hf_vec3* forces);

/* A wish for hf_body_solve_options.balance with an hf_stance_wish as its user: brings the centre of mass to
   where the margin is margin_m, or as large as it gets. */
typedef struct hf_stance_wish {
    const hf_stance* stance;
    double margin_m;
} hf_stance_wish;
HF_API double hf_stance_balance(void* wish, hf_vec3 com, hf_vec3* shift);

#ifdef __cplusplus
}
#endif
#endif
