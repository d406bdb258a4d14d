/* Limbs while they are looked for: before names become indices and lists become arrays. */
#ifndef HF_MODEL_LIMB_PLAN_H
#define HF_MODEL_LIMB_PLAN_H

#include "model/creature_build.h"

typedef enum hf_limb_kind { HF_LIMB_ARM, HF_LIMB_LEG, HF_LIMB_OTHER } hf_limb_kind;

typedef struct hf_limb_plan {
    const char* name;
    int root, effector; /* links */
    hf_limb_kind kind;
    bool use, grip;
    const hf_draft_limb* given; /* what a creature file says of it, NULL for none */
} hf_limb_plan;

typedef struct hf_limb_plans {
    hf_limb_plan* items; /* room for HF_MAX_LIMBS */
    int count;
    bool* trunk; /* by link */
} hf_limb_plans;

/* limb_finding.c: trunk and limbs from the tree alone, with the names of the SRDF's groups. */
hf_status hf_limbs_find(hf_build* build, hf_limb_plans* plans);
/* limb_name.c: kinds and names from the links' names and from where limbs end; unused limbs. */
hf_status hf_limbs_name(hf_build* build, hf_limb_plans* plans);
/* limb_group.c: names from the SRDF's groups. */
hf_status hf_limbs_name_by_group(hf_build* build, hf_limb_plans* plans);

/* contact_default.c: where a limb touches when nothing says so; of a creature with so many legs. */
hf_status hf_default_contact(hf_build* build, const hf_limb_plan* limb, int legs, hf_contact_frame* frame);

/* finger_tip.c: the tips of the fingers of a limb that grips, behind its contact frames. */
hf_status hf_finger_tips_add(hf_build* build, hf_limb* limb);

/* mirror.c: does the limb's effector move as the mirror image of the other's about the root's XZ plane? */
hf_status hf_limb_mirrors(hf_build* build, const hf_limb* limb, const hf_limb* other, bool* mirrors);
/* A contact frame of the other limb, mirrored into `link`. */
hf_status hf_mirror_contact(hf_build* build, const hf_contact_frame* from, int link, hf_contact_frame* to);

/* Does the name have a part of one of these words in it? (Words are lower case, separated by blanks.) */
bool hf_name_has(const char* name, const char* words);

#endif
