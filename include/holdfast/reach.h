/* Reach volumes: where a limb's contact frame can get, as a convex hull and, closer, as a shell. */
#ifndef HOLDFAST_REACH_H
#define HOLDFAST_REACH_H

#include <holdfast/rom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hull in the limb's root frame (hf_limb_base), over postures inside joint limits and range of motion;
   free it with hf_mesh_free. contact -1 is the effector link's origin. Found from inside: postures are drawn,
   and in some hundred directions the farthest one is improved until it gets no farther. A limb whose contact
   moves in a plane, on a line or not at all encloses nothing: HF_ERROR_FORMAT. The same on every machine. */
HF_API hf_status hf_reach_volume(const hf_creature* creature, int limb, int contact, hf_mesh* hull,
                                 hf_error* error);

/* The reach shell: for each of some thousand directions from the limb's root, the nearest and the
   farthest distance at which drawn postures have the contact frame. The hollow beside the root, which a hull
   fills, is not in it. A point on its border may be missed: the more postures, the fewer. */
typedef struct hf_reach_shell hf_reach_shell;
HF_API hf_status hf_reach_shell_create(const hf_creature* creature, int limb, int contact,
                                       hf_reach_shell** shell, hf_error* error);
HF_API void hf_reach_shell_free(hf_reach_shell* shell);
/* Does the shell hold a point of the limb's root frame (hf_limb_base)? */
HF_API bool hf_reach_shell_holds(const hf_reach_shell* shell, hf_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
