/* A walk while it is being made: steps of the limbs that walk, one after the other without a rest between
   them, and the knots of the whole body. */
#ifndef HF_PLAN_WALK_H
#define HF_PLAN_WALK_H

#include "balance/com_curve.h"
#include "plan/planner.h"

enum {
    HF_WALK_STEPS = 64,
    HF_WALK_PHASES = 3 * HF_WALK_STEPS + 1,
    HF_WALK_KNOTS = 3000,
    HF_WALK_INWARD = 4, /* regions of each phase, each drawn together more than the one before */
    HF_WALK_STEP_PARTS = 5,
    HF_WALK_PARTS = HF_WALK_STEPS * HF_WALK_STEP_PARTS
};

/* Where a foot is put, how it holds there by its toes alone (limb -1: it has none), and when it goes there:
   it holds by its toes from the knot `roll` on where it was before, leaves after the knot `lift` and holds
   again from the knot `land` on. */
typedef struct hf_footstep {
    int limb;
    hf_plan_hold hold, toes;
    int roll, lift, land;
    int guide_index; /* where the body is when the limb is at ease there, */
    double along;    /* and between which guide poses */
    double early;    /* the share of its way at which the limb is already (or, on the way down, still) as high
                        as the higher end, */
    double high;     /* and how much higher it goes, m */
    int raised;      /* how often it was found to go too low, */
    int sooner;      /* and how often to leave its old place flat for too long */
    int with;        /* the first of the steps that swing with it: their limbs leave and land one frame after
                        the other */
    double slower;   /* how much longer it takes than it would by nature */
    bool blamed;     /* a knot of it does not hold, */
    double too_fast; /* or a joint is so many times as fast as it may be */
} hf_footstep;

/* A foothold that steps may lead to, in what state, and, of the first limb of a turn, the cost of the steps
   there (infinite: none lead there) and the place of the step before, in parts of the way. */
typedef enum hf_place_state { HF_PLACE_UNKNOWN, HF_PLACE_GOOD, HF_PLACE_BAD } hf_place_state;
typedef struct hf_walk_place {
    hf_place_state state;
    double cost;
    int before;
    hf_footstep step;
} hf_walk_place;

/* A joint over which a foot rolls: of a link at the foot's end that has a contact frame of its own. */
typedef struct hf_toe {
    int frame;    /* -1: there is none */
    int q_index;  /* of the joint */
    double turn;  /* the joint's value per radian that the heel rises */
    double most;  /* rad: how far the heel rises */
    hf_vec3 at;   /* the joint in the effector */
    hf_vec3 axis; /* in the effector: the heel rises about it */
} hf_toe;

/* A limb that does not walk is in another posture from one knot to another, and goes there and back in so
   many knots. */
typedef struct hf_walk_tuck {
    bool on;
    int first, last, ramp;
    int of; /* the walk's last knot then */
} hf_walk_tuck;

/* The steps, and the phases between two changes of what holds. */
typedef struct hf_walk_steps {
    int count, phase_count;
    hf_footstep* all;
    hf_footstep* stood;    /* where the limbs hold at the node, in the order of its holds */
    hf_walk_place* places; /* of each limb in turn, HF_WALK_PARTS + 1 of them */
    int* phases;           /* first knots */
    double* way;           /* of each guide pose from the node on: metres ahead that take as many steps */
    int parts;             /* of the way; they and its end tell one walk's steps from another's */
    int lead;              /* knots by which the body is ahead of the middle of its feet */
    bool together;         /* limbs of a group of the gait swing together */
    bool apart;            /* feet step farther apart than is good for the balance, as legs met */
} hf_walk_steps;

/* How high the root is at each knot, m. */
typedef struct hf_walk_level {
    double crouch;           /* how much lower than wished from the beginning */
    double* wish;            /* as high over the feet as the body stands */
    double *ceiling, *floor; /* the root must be between them, as far as is known */
    double* ground;          /* how high what holds the body is */
    double* tall; /* the pendulum's height: of the centre of mass over that ground, less while the body
                     is accelerated upwards */
} hf_walk_level;

/* The way of the centre of mass at each knot, and where the body presses on the ground for it. */
typedef struct hf_walk_press {
    double (*place)[2];                /* of the centre of mass */
    double (*wish)[2];                 /* where it should be about */
    double (*learnt)[2];               /* how far the whole body presses from where the pendulum does */
    hf_pressure_region* free;          /* HF_WALK_INWARD of each phase */
    int* inward;                       /* which of its phase's regions is its own */
    const hf_pressure_region** region; /* that one, or its line */
    int unheld;                        /* knots whose wrench the contacts do not hold */
} hf_walk_press;

/* How limbs that do not walk swing against the turning of the body. */
typedef struct hf_walk_counter {
    double* joints;  /* of each joint: how it swings, rad, where the share is 1 */
    double* share;   /* of each knot */
    double* turning; /* of each knot: the change of angular momentum about Z */
    int rounds;      /* in which limbs still learn it */
} hf_walk_counter;

/* Feet that are flat under legs that lack the joints to go sideways over them: a root that leans by a radian
   brings the centre of mass so far aside, m. */
typedef struct hf_walk_sway {
    bool stiff;
    double aside_m;
} hf_walk_sway;

/* Legs that move in planes: of each knot the line along which the body may press. */
typedef struct hf_walk_line {
    bool planar;
    hf_pressure_region* regions;
} hf_walk_line;

/* Of each limb: when it is tucked in, and its posture then (rows). */
typedef struct hf_walk_tucks {
    hf_walk_tuck* limbs;
    double* q;
} hf_walk_tucks;

typedef struct hf_walk {
    hf_planner* planner;
    const hf_plan_node* node; /* where it begins */
    hf_walk_steps steps;
    hf_walk_level level;
    hf_walk_press press;
    hf_walk_counter counter;
    hf_walk_sway sway;
    hf_walk_line line;
    hf_walk_tucks tuck;
    int guide_index; /* where it ends */
    int farthest;    /* the last guide pose that may be walked to */
    int last;        /* knot */
    bool spares;     /* the body is aimed to press where the joints of its toes bear it */
    bool is_long;    /* the way to the end of the guide is */
    int stop;        /* the knot at which it collides or a limb misses its place */
    int came;        /* the farthest guide pose before a step that failed */
    int floor;       /* poses that are left to shorter ways and other walks; below zero a walk may use
                        up more than there are; */
    int reserve;     /* poses that may be solved for walks and are left to shorter strides: half of them */
    bool skipped;    /* steps that limbs do not reach were left to a more thorough search */
    hf_pose from, to, scratch;
    hf_vec3 begin, end;   /* places of the centre of mass */
    double height;        /* m: of the centre of mass over the contacts, on average */
    double* along;        /* at each knot where the body is on the guide, in poses */
    hf_transform* wished; /* roots; x and y are the centre of mass's business */
    hf_transform* roots;  /* of the knots, and their joint values */
    double* q;            /* rows */
    double (*beside)[2];  /* how far the root is from the centre of mass but for what leaning does, where the
                             knot has a pose of an earlier round */
    int posed;            /* knots that have one: the first ones */
} hf_walk;

/* The knot's pose; q is that of the walk. */
static inline hf_pose hf_walk_pose(const hf_walk* w, int k) {
    return (hf_pose){w->roots[k], w->q + (size_t)k * (size_t)w->planner->world.view->q_count};
}

/* ---- walk.c ---- */
/* How many poses may be solved for walks along the guide. */
int hf_walk_budget(const hf_plan_world* world);

/* ---- footsteps.c ---- */
/* The length that one limb goes in a stride, by the creature's legs, one of which swings at a time, m; and
   how much longer the stride is where groups of the gait swing together, 0 where the limbs beside a group
   could not hold the body. */
double hf_walk_natural_stride(const hf_plan_world* world);
double hf_walk_longer_together(const hf_plan_world* world);
/* Fills steps from the node on along the guide with strides no longer than this, m. False where there are
   none. */
bool hf_footsteps_find(hf_walk* walk, double stride);
/* From now on no such step: of this limb to its place with the one before it in turn where that is, or
   anywhere with both as they are to each other. False, and nothing changes, where most steps are like it. */
bool hf_footsteps_bar(hf_walk* walk, int step, bool anywhere);
/* The times of all steps, each slowed down by its own factor. False when they are too many knots. */
bool hf_footsteps_time(hf_walk* walk);
/* The guide between two of its poses. */
hf_transform hf_walk_guide_at(const hf_plan_world* world, double index);
/* The limb's toes; `hold` is one by its sole. */
hf_toe hf_toe_find(const hf_plan_world* world, const hf_hold* hold);
/* The step that the limb makes at the knot or next, -1 for none, and where it holds before. */
int hf_walk_step(const hf_walk* walk, int limb, int knot);
const hf_footstep* hf_walk_stood(const hf_walk* walk, int limb, int knot);
/* The phase of a knot, and what holds in a phase. */
int hf_walk_phase(const hf_walk* walk, int knot);
int hf_walk_holds(const hf_walk* walk, int phase, hf_plan_hold* holds);
/* The limb that swings at a knot, -1 for none; of several the first that is not before the step `from`, which
   becomes its step. */
int hf_walk_swings(const hf_walk* walk, int knot);
int hf_walk_swings_from(const hf_walk* walk, int knot, int* from);
/* Where the centre of mass should be about at every knot, as the feet are then. */
void hf_walk_wish(hf_walk* walk);

/* ---- walk_counter.c ---- */
/* Limbs that do not walk swing so that the body need not turn on its feet: which joints, once; and how much,
   by what the knots' turning was. */
bool hf_walk_counter_find(hf_walk* walk);
void hf_walk_counter_learn(hf_walk* walk);

/* ---- walk_tuck.c ---- */
/* Finds a posture in which the limb that met the scene or the body last is free wherever it meets something.
   False where there is none. */
bool hf_walk_tuck_in(hf_walk* walk);
/* The same for all limbs that meet something at a knot. */
void hf_walk_tuck_all(hf_walk* walk);
/* Keeps what limbs do at about the same places of the way when the steps have new times. */
void hf_walk_tuck_time(hf_walk* walk);
/* Puts limbs that have such postures at the knot into them. */
void hf_walk_tuck_apply(const hf_walk* walk, int knot, double* q);

/* ---- walk_sway.c ---- */
/* Whether feet are flat and legs lack the joints to go sideways over them, and by how much the centre of mass
   then goes aside for each radian by which the root leans. */
void hf_walk_sway_find(hf_walk* walk);
/* How the root leans at a knot, in its own frame, and how far that brings the centre of mass aside, m. */
hf_quat hf_walk_sway_at(const hf_walk* walk, int knot);
hf_vec3 hf_walk_swayed(const hf_walk* walk, int knot);

/* ---- walk_line.c ---- */
/* Whether legs move in planes, so that the body cannot go sideways. */
void hf_walk_line_find(hf_walk* walk);
/* Draws the regions of all knots together to lines along which such a body goes. False where one has no part
   of its line. */
bool hf_walk_lines(hf_walk* walk);

/* ---- walk_height.c ---- */
/* The heights of all wished roots over uneven ground: smooth, near their wishes, between floors and ceilings.
 */
void hf_walk_heights(hf_walk* walk);

/* ---- walk_pose.c ---- */
/* How high limbs go on their ways: over what is in them. The steps have times. */
void hf_walk_arcs(hf_walk* walk);
/* The roots of all knots as wished: as the walk begins until the first limb leaves, as it ends from the last
   landing on, turned as the guide between them; as high as wished, or lower about where ceilings say it; and
   no corners in it. */
void hf_walk_roots(hf_walk* walk);
/* Is the ground under all steps as high? A body on it stays at one height. The steps have times. */
bool hf_walk_is_level(const hf_walk* walk);
/* The poses of all knots, the centre of mass over their places, the root lowered where limbs would be
   overstretched. */
bool hf_walk_poses(hf_walk* walk);

#endif
