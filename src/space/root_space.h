/* Root poses as a space to search: distance, ways between two of them, the reachability condition, random
   ones. One for each worker. */
#ifndef HF_SPACE_ROOT_SPACE_H
#define HF_SPACE_ROOT_SPACE_H

#include <stdatomic.h>

#include "base/random.h"
#include "space/guide_model.h"

/* Surfaces that samples start at, shared by the workers of a search. */
typedef struct hf_guide_surfaces {
    int object_count;
    int* object;      /* of the placement */
    int* first;       /* triangle number of each object's first, then their number */
    double* area_end; /* of each triangle: the area of all up to it */
} hf_guide_surfaces;

typedef struct hf_root_space {
    const hf_guide_model* model;
    const hf_placement* placement;
    const hf_guide_surfaces* surfaces;
    double metric;              /* s */
    double step_m;              /* no point of the trunk moves further untested */
    double triangle_share;      /* s of the choice of triangles */
    hf_vec3 low, high;          /* bounds of the root's position */
    const hf_transform* barred; /* no pose nearer to one of these than barred_m holds */
    int barred_count;
    double barred_m;
    bool headed;             /* most poses are drawn with a heading between those of start and goal */
    double heading, turn;    /* the start's, and from it to the goal's, rad */
    int64_t tests;           /* made so far */
    hf_progress_fn progress; /* asked now and then; may be NULL */
    void* user;
    atomic_bool own_stop, *stop; /* it said no: nothing holds any more; workers may share one flag */
    hf_met met[HF_GUIDE_LIMBS];  /* what each limb reached last: likely again */
} hf_root_space;

/* Fills the tables from the workspace; NULL arrays when memory is out. */
hf_status hf_guide_surfaces_fill(hf_guide_surfaces* surfaces, const hf_guide_model* model,
                                 const hf_placement* placement, hf_workspace* workspace);
void hf_root_space_start(hf_root_space* space, const hf_guide_model* model, const hf_placement* placement,
                         const hf_guide_surfaces* surfaces, const hf_guide_options* options);
/* Bounds about the surfaces and the two poses. */
void hf_root_space_bound(hf_root_space* space, const hf_transform* poses, int count, double margin_m);

/* Headings of draws from now on. */
void hf_root_space_head(hf_root_space* space, const hf_transform* start, const hf_transform* goal);

/* s |dx| + (1 - s) angle radius: a metric (method, section 6). */
double hf_root_distance(const hf_root_space* space, const hf_transform* a, const hf_transform* b);
/* How far the trunk's points can move at most. */
double hf_root_sweep(const hf_root_space* space, const hf_transform* a, const hf_transform* b);
/* Steps of a way, 1 to HF_ROOT_MAX_STEPS; start and goal that are further apart are refused. */
enum { HF_ROOT_MAX_STEPS = 1000000 };
int hf_root_steps(const hf_root_space* space, const hf_transform* a, const hf_transform* b);
hf_transform hf_root_between(const hf_transform* a, const hf_transform* b, double t);

/* The reachability condition. A space that was stopped says of every pose that it does not hold. */
bool hf_root_stopped(const hf_root_space* space);
hf_guide_fault hf_root_test(hf_root_space* space, const hf_transform* root);
bool hf_root_holds(hf_root_space* space, const hf_transform* root);
/* The trunk as it is touches no object deeper than contacts may; limbs and tilt do not count. */
bool hf_root_core_free(hf_root_space* space, const hf_transform* root);

/* Straight way between two poses that hold: tested in bisection order. */
bool hf_root_straight(hf_root_space* space, const hf_transform* a, const hf_transform* b);
/* Straight, else all of the turn at share s of the way: then *turn is s, else negative. */
bool hf_root_local(hf_root_space* space, const hf_transform* a, const hf_transform* b, double s,
                   double* turn);
/* From a towards b as far as it holds; true when all the way. At least one step makes progress. */
bool hf_root_extend(hf_root_space* space, const hf_transform* a, const hf_transform* b, hf_transform* reached,
                    bool* moved);

/* Anywhere in the bounds; the condition need not hold. */
hf_transform hf_root_random(const hf_root_space* space, hf_random* random);
/* A pose near a surface where the condition holds (Algorithm 3); false when the tries are spent. */
bool hf_root_sample(hf_root_space* space, hf_random* random, hf_transform* root);
/* A pose within `distance` m of another, and turned no further than that at the trunk's skin. */
hf_transform hf_root_nudge(const hf_root_space* space, hf_random* random, const hf_transform* about,
                           double distance);
/* Such a pose where the condition holds; false when the tries are spent. */
bool hf_root_sample_near(hf_root_space* space, hf_random* random, const hf_transform* about, double distance,
                         hf_transform* root);

/* Rows of the option tables of all searches in this space. FIELD(name): the offset of a field. */
// clang-format off
#define HF_ROOT_SPACE_OPTIONS(FIELD) \
    {"step", HF_OPTION_REAL, FIELD(step), 0.01, 0.5, 0.1, "", \
     "no point of the trunk moves further untested; share of the trunk's radius"}, \
    {"metric", HF_OPTION_REAL, FIELD(metric), 0, 1, 0.5, "", "share of shift against turn in distances"}, \
    {"triangle_share", HF_OPTION_REAL, FIELD(triangle_share), 0, 1, 0.7, "", \
     "samples that start at triangles drawn evenly; the rest by area"}, \
    {"margin_m", HF_OPTION_REAL, FIELD(margin_m), 0, 1000, 0, "m", \
     "how far around the scene is searched; 0: as far as the creature reaches"}
// clang-format on

#endif
