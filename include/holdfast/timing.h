/* Times along a path of whole poses, as short as the limits of speed and acceleration of joints and root
   allow, and frames at a fixed rate. For swings, contact plans and guide paths. */
#ifndef HOLDFAST_TIMING_H
#define HOLDFAST_TIMING_H

#include <holdfast/kinematics.h>
#include <holdfast/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a node of a path asks of its time. Both ends are stops. */
enum {
    HF_MARK_NONE = 0,
    HF_MARK_FRAME = 1, /* falls on a frame: something changes here */
    HF_MARK_STOP = 2   /* and everything stands still there */
};

/* Poses with straight moves between them (hf_pose_between). The caller's memory. */
typedef struct hf_path {
    int count; /* nodes, 1 or more */
    const hf_transform* roots;
    const double* q;      /* count rows of q_count values */
    const uint8_t* marks; /* HF_MARK_ of each node; NULL for none */
    const double* pace;   /* share of the speed limits on each of the count - 1 moves, in (0, 1]; NULL: 1 */
    const double* ease;   /* share of the acceleration limits and bounds on each, in (0, 1]; NULL: 1 */
    /* A point that the path carries along (the centre of mass, say) and what bounds its acceleration a at
       each node: n . a <= b for each of bound_count rows nx ny nz b, b > 0, in m/s2. NULL and 0 for none. */
    const hf_vec3* carried;
    const double* bounds; /* count times bound_count rows */
    int bound_count;
} hf_path;
/* `at` counts nodes: 2.25 is a quarter of the way from node 2 to node 3. Held outside. */
HF_API void hf_path_pose(const hf_creature* creature, const hf_path* path, double at, hf_pose* pose);

typedef struct hf_timing_options {
    double fps;                /* frames per second, 1..1000; default 30 */
    double speed_share;        /* of all speed limits, 0.01..1; default 1 */
    double acceleration_share; /* of all acceleration limits, 0.01..1; default 1 */
} hf_timing_options;
HF_API hf_timing_options hf_timing_options_default(void);
HF_API hf_option_table hf_timing_option_table(void);

/* Places on the path with their times; between two of them the acceleration along the path is constant. */
typedef struct hf_timing_point {
    double at;     /* in nodes */
    double time_s; /* ascending */
    double speed;  /* along the path, in a measure of its own: only ratios count */
} hf_timing_point;

/* The memory belongs to it and is used again by the next computation. */
typedef struct hf_timing {
    double fps;
    double duration_s; /* a whole number of frames */
    int frame_count;   /* duration_s * fps + 1 */
    int point_count, point_capacity;
    hf_timing_point* points;
} hf_timing;
HF_API hf_status hf_timing_create(hf_timing** timing);
HF_API void hf_timing_free(hf_timing* timing);

/* The fastest times under max_speed and max_acceleration of every joint (mimic joints included), root_speed,
   root_turn and root_acceleration; the root's turn gains speed in the same time as its shift. A path is taken
   as samples of a smooth curve: a corner counts as spread over half of the moves beside it, and changes no
   speed by more than the limit allows within one frame. Then each stretch between two marks is slowed down to
   a whole number of frames; between stops this keeps all limits, at a mark without a stop the change of pace
   is a small extra acceleration. Speed limits hold everywhere and for frames, too. acceleration_share does
   not concern the bounds of what is carried.
   HF_ERROR_ARGUMENT for numbers that are not finite or out of range. */
HF_API hf_status hf_timing_compute(const hf_creature* creature, const hf_path* path,
                                   const hf_timing_options* options, hf_workspace* workspace,
                                   hf_timing* timing);
/* Where on the path a time is, in nodes; held outside. */
HF_API double hf_timing_at(const hf_timing* timing, double time_s);
/* When a node is passed. */
HF_API double hf_timing_node(const hf_timing* timing, int node);

#ifdef __cplusplus
}
#endif
#endif
