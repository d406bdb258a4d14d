/* Where a clip's skeleton and a creature have the same things: hips, knees, ankles, shoulders, elbows,
   wrists. Found from the tree's shape and the rest posture; names decide left and right where they tell. */
#ifndef HF_ADAPT_LANDMARKS_H
#define HF_ADAPT_LANDMARKS_H

#include <holdfast/retarget.h>

enum { HF_MAX_MARKED = 4 }; /* limbs: left and right leg, left and right arm */
typedef enum hf_limb_role { HF_LEFT_LEG, HF_RIGHT_LEG, HF_LEFT_ARM, HF_RIGHT_ARM } hf_limb_role;
static inline bool hf_role_is_leg(int role) { return role <= HF_RIGHT_LEG; }
/* Parts of a clip's body that an edited scene shifts: ends of limbs by role, the trunk, knees and elbows by
   role. */
enum { HF_TRUNK = HF_MAX_MARKED, HF_MIDDLES = HF_TRUNK + 1, HF_PARTS = HF_MIDDLES + HF_MAX_MARKED };

/* A limb of the clip: joints, -1 where it has none. */
typedef struct hf_clip_limb {
    bool there;
    int upper, middle, lower; /* hip, knee, ankle; shoulder, elbow, wrist */
    int tip;                  /* toe; first knuckle of the longest finger */
    int thumb_side, far_side; /* knuckles of index and little finger, -1 where names do not tell */
} hf_clip_limb;

typedef struct hf_clip_body {
    const hf_clip* clip;
    hf_transform* rest; /* of every joint: metres, Z up */
    bool framed;        /* the rest posture is a frame of the clip */
    hf_transform* now;  /* the same in the frame that hf_clip_body_set was called for */
    hf_transform* after;
    int frame_count; /* of the motion to make; the clip's own unless hf_clip_body_pace stretches time */
    double* at;      /* frame of the clip, with a fraction, for each; NULL: the same */
    hf_vec3* shifts; /* [frame of the clip * HF_PARTS + part], m; NULL: nothing is shifted */
    int8_t* parts;   /* of each joint; NULL as shifts are */
    int root, chest; /* chest: the joint that carries both arms */
    hf_quat facing;  /* turns the creature's axes (X ahead, Y left) to the rest posture's */
    hf_clip_limb limbs[HF_MAX_MARKED];
} hf_clip_body;

/* Frames on either side of a frame over which the speed of a captured joint is measured. */
int hf_clip_speed_reach(const hf_clip* clip);

/* A point of a creature. */
typedef struct hf_mark {
    int link;
    hf_vec3 offset;
} hf_mark;

typedef struct hf_creature_limb {
    int limb; /* of the creature, -1: none */
    hf_mark upper, middle, lower;
    int middle_limb; /* the limb that touches with its knee or elbow, -1: none */
} hf_creature_limb;

typedef struct hf_creature_body {
    const hf_creature* creature;
    hf_transform* rest; /* of every link, root at the origin */
    int chest;          /* link that carries both arms */
    int seat;           /* limb without joints at the root, -1: none */
    hf_creature_limb limbs[HF_MAX_MARKED];
} hf_creature_body;

hf_status hf_clip_body_make(const hf_clip* clip, hf_clip_body* body, hf_error* error);
/* The posture in which the clip's skeleton stands, into body->rest (rest_posture.c): the one without
   rotations, or a frame of the clip. */
void hf_clip_rest(hf_clip_body* body);
/* To the left along the ground, by hips and shoulders; not of unit length. */
hf_vec3 hf_clip_left(const hf_clip_body* body, const hf_transform* joints);
/* Turns of feet, root and chest at rest, from the frames in which they stand (rest_posture.c): after the
   limbs are found. */
hf_status hf_clip_stand(hf_clip_body* body);
/* The lowest of a clip's joints, and from there to the highest, m. */
double hf_clip_lowest(const hf_clip* clip, const hf_transform* joints);
double hf_clip_height(const hf_clip* clip, const hf_transform* joints);
void hf_clip_body_free(hf_clip_body* body);
void hf_clip_body_set(hf_clip_body* body, int frame);
/* The first frame of the motion: 1 where the clip leads with a pose that is no part of it, which
   hf_clip_body_pace leaves out. */
int hf_clip_body_first(hf_clip_body* body, const hf_body_limits* limits);
/* Stretches time where the clip's root is faster than these limits allow, and where `demand` is above 1: how
   many times faster than its limits the creature would have to be in each frame of the clip (NULL: nowhere).
 */
hf_status hf_clip_body_pace(hf_clip_body* body, const hf_body_limits* limits, const double* demand,
                            hf_error* error);
hf_status hf_creature_body_make(const hf_creature* creature, hf_creature_body* body, hf_error* error);
void hf_creature_body_free(hf_creature_body* body);

/* Is a link another one, or moved by it? */
bool hf_link_descends(const hf_creature_view* view, int link, int from);
/* How far a body reaches from the root along a direction of the rest posture. */
double hf_creature_body_reach(const hf_creature_body* creature, const hf_body* body, hf_vec3 way);
/* How far the contacts of a limb and the bodies of their links reach at rest: along X from a point, and to
   either side of the contacts' middle. */
typedef struct hf_foot_span {
    double low, high, half_width;
} hf_foot_span;
hf_foot_span hf_creature_foot(const hf_creature_body* body, int limb, hf_vec3 from);

/* Puts what a user says in the place of what was guessed, and drops limbs that only one of the two has.
   HF_ERROR_ARGUMENT where no limb is left. */
hf_status hf_landmarks_match(hf_clip_body* clip, hf_creature_body* creature, const hf_joint_link* mapping,
                             int count, hf_error* error);
/* Lists what leads what. */
hf_status hf_landmarks_list(const hf_clip_body* clip, const hf_creature_body* creature, hf_mapping* mapping);
/* Length of a limb from upper to lower, bent or not: metres. */
double hf_clip_limb_length(const hf_clip_body* body, int role);
/* Legs of the creature over those of the clip; arms where there are no legs. */
double hf_landmarks_scale(const hf_clip_body* clip, const hf_creature_body* creature);

#endif
