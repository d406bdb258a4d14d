/* Guide paths: how the root can go from one place to another, before any contact is chosen (thesis-2015
   chapter 6, RB-PRM). A root pose counts when the trunk is free and limbs can reach something to hold on to.
 */
#ifndef HOLDFAST_GUIDE_H
#define HOLDFAST_GUIDE_H

#include <holdfast/creature.h>
#include <holdfast/options.h>
#include <holdfast/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what moves ---- */

/* Trunk body and reach volumes of a creature, in the root's frame. Immutable, shared by threads. */
typedef struct hf_guide_model hf_guide_model;

typedef struct hf_guide_model_options {
    double
        trunk_scale; /* 1..1.5: a larger trunk makes later contacts likelier; 0 (default): the creature's */
    bool reach;      /* limbs must reach a surface and the tilt is bounded, as the creature's guide key says;
                        default true */
    int threads;     /* 0: all cores (default) */
} hf_guide_model_options;
HF_API hf_guide_model_options hf_guide_model_options_default(void);
HF_API hf_option_table hf_guide_model_option_table(void);

/* The trunk is the convex hull of the trunk's links in the rest posture with what limbs fill about their
   first joints in every posture, and one more hull for each chain that is no limb (head, tail), each scaled
   about its middle. A limb's reach volume is that of hf_reach_volume with fewer corners; limbs that enclose
   nothing have none, and so have limbs behind the 64th. */
HF_API hf_status hf_guide_model_create(const hf_creature* creature, const hf_guide_model_options* options,
                                       hf_guide_model** model, hf_error* error);
/* One convex body without limbs, tilt bound or reachability: a plain piano to move. The shape is copied. */
HF_API hf_status hf_guide_model_create_plain(const hf_shape* shape, hf_transform in_root,
                                             hf_guide_model** model, hf_error* error);
HF_API void hf_guide_model_free(hf_guide_model* model);

/* A convex body fixed in the root's frame. */
typedef struct hf_guide_body {
    int limb; /* whose reach volume it is, -1 for the trunk */
    hf_shape shape;
    hf_transform in_root;
} hf_guide_body;
/* The pieces of the trunk, then the reach volumes; returns how many there are and writes the first
   `capacity`. Shapes borrow from the model. */
HF_API int hf_guide_model_bodies(const hf_guide_model* model, hf_guide_body* bodies, int capacity);
/* Largest distance of a point of the trunk from the root, m. */
HF_API double hf_guide_model_radius(const hf_guide_model* model);

/* ---- the reachability condition ---- */

typedef enum hf_guide_fault {
    HF_GUIDE_FINE,
    HF_GUIDE_OUTSIDE, /* of the bounds of the search */
    HF_GUIDE_TILT,    /* further from upright than the creature goes */
    HF_GUIDE_TRUNK,   /* the trunk meets an object */
    HF_GUIDE_REACH,   /* a limb that must reach a surface does not, or too few do */
    HF_GUIDE_BARRED   /* near a pose that the search shall keep away from */
} hf_guide_fault;

typedef struct hf_guide_state {
    hf_guide_fault fault; /* the first that was found, in the order above */
    double tilt_rad;
    uint64_t reach; /* limbs that reach a surface, one bit each; filled when the trunk is free */
} hf_guide_state;
/* What holds at a root pose; objects that allow contact and are not movable count for reaching, all others
   only for the trunk. Of a creature with an upright (tilt_max under pi) limbs reach only what bears them from
   below: faces no steeper than their friction, and objects to grip. */
HF_API hf_guide_state hf_guide_test(const hf_guide_model* model, const hf_placement* placement,
                                    hf_transform root);

/* ---- one path ---- */

typedef struct hf_guide_options {
    double step;           /* 0.01..0.5: no point of the trunk moves further untested; share of the trunk's
                              radius; default 0.1 */
    double metric;         /* 0..1, the s of s |dx| + (1 - s) angle radius; default 0.5 */
    double triangle_share; /* 0..1, samples start at triangles drawn evenly, the rest by area; default 0.7 */
    double margin_m;       /* 0..1000: how far around objects, start and goal is searched; 0 (default): as far
                              as the creature reaches */
    int max_samples;       /* 1..100,000,000: root poses drawn before the answer is "none"; default 20,000 */
    int max_tests;         /* 1..2,000,000,000 root poses tested before the answer is "budget"; default
                              2,000,000 */
    bool smooth;           /* prune, spline and shortcuts; default true */
    int shortcuts;         /* 0..100,000; default 60 */
    uint64_t seed;         /* default 1 */
    const hf_transform* barred; /* root poses to keep away from, borrowed; may be NULL (default) */
    int barred_count;
    double barred_m;         /* how far, by the metric */
    hf_progress_fn progress; /* may be NULL; may cancel */
    void* user;
} hf_guide_options;
HF_API hf_guide_options hf_guide_options_default(void);
HF_API hf_option_table hf_guide_option_table(void); /* all but barred poses, progress and user */

/* Why the search ended. */
typedef enum hf_guide_stop {
    HF_GUIDE_REACHED,   /* the goal */
    HF_GUIDE_BAD_START, /* the condition does not hold at the start and nothing near leads to where it does */
    HF_GUIDE_BAD_GOAL,
    HF_GUIDE_NO_PATH,     /* max_samples poses joined start and goal to nothing that joins them */
    HF_GUIDE_TESTS_SPENT, /* max_tests */
    HF_GUIDE_STOPPED      /* by the progress callback */
} hf_guide_stop;
HF_API const char* hf_guide_fault_text(hf_guide_fault fault);
HF_API const char* hf_guide_stop_text(hf_guide_stop stop);

/* Memory of a path belongs to it and is used again by the next query. Zero it first. */
typedef struct hf_guide_path {
    hf_outcome outcome; /* found, none, infeasible (bad start or goal), budget, cancelled */
    hf_guide_stop stop;
    /* Found: from start to goal. Else as far from the start as the search came nearest to the goal; none when
       the start is bad. Straight and slerp between neighbours, which are within the step. */
    int pose_count, pose_capacity;
    hf_transform* poses;                    /* of the root */
    double length_m;                        /* of the root's way */
    bool smoothed;                          /* a spline; else straight pieces, because no spline held */
    hf_guide_fault start_fault, goal_fault; /* of the condition at start and goal themselves */
    int start_poses, goal_poses; /* poses at either end where the condition does not hold yet, but the trunk
                                    as it is (not scaled) is free: 0 when start and goal are fine */
    hf_transform start_side, goal_side; /* the two poses that came nearest to each other */
    double gap;                         /* distance between them by the metric, 0 when found */
    int64_t samples, tests;             /* poses drawn, and poses tested */
    int nodes;       /* kept by the search, both sides together, with those of the roadmap */
    bool by_roadmap; /* found along a roadmap; else by the trees */
} hf_guide_path;
HF_API void hf_guide_path_free(hf_guide_path* path);
/* Of everything but the memory, the same on every machine and for any number of threads. */
HF_API uint64_t hf_guide_path_hash(const hf_guide_path* path);
/* A root path from start to goal by a tree from either side. HF_ERROR_ARGUMENT for numbers that are not
   finite or out of range, HF_ERROR_LIMIT for a goal a million steps away. */
HF_API hf_status hf_guide_find(const hf_guide_model* model, const hf_placement* placement, hf_transform start,
                               hf_transform goal, const hf_guide_options* options, hf_workspace* workspace,
                               hf_guide_path* path);

/* ---- roadmaps ---- */

/* Poses that see most of where the condition holds, joined by ways along which it holds (visibility
   roadmap, thesis-2015 Algorithm 4): made once for a model and a placement, asked many times. Immutable,
   shared by threads. */
typedef struct hf_roadmap hf_roadmap;

typedef struct hf_roadmap_options {
    int tries;       /* 1..1,000,000 poses in a row that add nothing end it; default 100 */
    int max_samples; /* 1..100,000,000 poses drawn; default 5,000 */
    int max_nodes;   /* 1..1,000,000; default 4,000 */
    double step, metric, triangle_share, margin_m; /* as in hf_guide_options */
    uint64_t seed;                                 /* default 1 */
    int threads;                /* 0: all cores (default); the roadmap does not depend on it */
    const hf_guide_path* guide; /* may be NULL (default); a guide found in this placement, kept as it is */
    hf_progress_fn progress;    /* may be NULL; may cancel: what is there then is the roadmap */
    void* user;
} hf_roadmap_options;
HF_API hf_roadmap_options hf_roadmap_options_default(void);
HF_API hf_option_table hf_roadmap_option_table(void); /* all but guide, progress and user */

HF_API hf_status hf_roadmap_build(const hf_guide_model* model, const hf_placement* placement,
                                  const hf_roadmap_options* options, hf_roadmap** roadmap, hf_error* error);
HF_API void hf_roadmap_free(hf_roadmap* roadmap);

typedef struct hf_roadmap_edge {
    int32_t a, b; /* nodes, a < b */
    double turn;  /* negative: straight from a to b; else all of the turn at this share of the way */
} hf_roadmap_edge;
typedef struct hf_roadmap_view {
    hf_outcome outcome; /* found (tries in a row added nothing), budget, cancelled */
    int node_count, edge_count, component_count;
    bool postures;             /* nodes are postures that reach (hf_reach_keep), not poses of a root */
    const hf_transform* nodes; /* NULL for postures */
    const hf_roadmap_edge* edges;
    int guide_count; /* poses of the guide that is kept, 0 for none */
    const hf_transform* guide;
    int64_t samples, tests;
} hf_roadmap_view;
HF_API hf_roadmap_view hf_roadmap_get(const hf_roadmap* roadmap);
HF_API uint64_t hf_roadmap_hash(const hf_roadmap* roadmap);

HF_API hf_status hf_roadmap_save(const hf_roadmap* roadmap, const char* path, hf_error* error);
/* Refuses a damaged file. */
HF_API hf_status hf_roadmap_load(const char* path, hf_roadmap** roadmap, hf_error* error);
/* Was the roadmap made for this trunk, these reach volumes and these objects where they stand? HF_OK, or
   HF_ERROR_ARGUMENT with what differs in the error. */
HF_API hf_status hf_roadmap_fits(const hf_roadmap* roadmap, const hf_guide_model* model,
                                 const hf_placement* placement, hf_error* error);

/* hf_guide_find by a roadmap. Where start and goal see the guide that it keeps, the answer follows that
   guide. Else the trees look for an easy way; then start and goal are joined to the roadmap and the shortest
   way is taken; where that fails, the trees search on. Step and metric are the roadmap's. HF_ERROR_ARGUMENT
   also for a roadmap that does not fit. */
HF_API hf_status hf_guide_find_on(const hf_roadmap* roadmap, const hf_guide_model* model,
                                  const hf_placement* placement, hf_transform start, hf_transform goal,
                                  const hf_guide_options* options, hf_workspace* workspace,
                                  hf_guide_path* path);

#ifdef __cplusplus
}
#endif
#endif
