/* Eight postures of one limb at once, in float: which of them are blocked by what blocked a posture before,
   and where a few damped steps bring them. A contact query looks at hundreds of candidates; most fail, and
   here eight fail for the price of one. What this module says is exact for blocked postures and a good start
   for the limb solver; answers are made in double. */
#ifndef HF_CONTACT_LIMB_LANES_H
#define HF_CONTACT_LIMB_LANES_H

#include "base/cpu.h"
#include "contact/contact_clearance.h"
#include "model/limb_batch.h"
#include "solve/limb_problem.h"

enum {
    HF_LANES = 8,           /* postures at once */
    HF_LANE_STEPS = 16,     /* joints at most: limbs with more are not batched */
    HF_LANE_CORES = 8,      /* bodies of the limb at most, others do not count */
    HF_LANE_OBSTACLES = 12, /* remembered at most: the last, and those that blocked most */
    HF_LANE_FRAMES = 8      /* contact frames at most */
};

/* The segment inside a round body, or inside the capsule that a box holds; in the frame of joint `step`. */
typedef struct hf_lane_core {
    int body, step;
    float from[3], to[3];
    double radius;
} hf_lane_core;

/* A triangle of the scene, or the segment of a body that stays, with the core it blocked. In the limb's root
   frame. */
typedef struct hf_lane_obstacle {
    int core;
    bool triangle;
    float v[3][3];
    float within_m; /* a core nearer than this is blocked; 0 or less: never */
} hf_lane_obstacle;

/* The point and normal of a contact frame, in the frame of the last joint. */
typedef struct hf_lane_tip {
    float point[3], normal[3];
} hf_lane_tip;

/* What is asked of the lanes and what comes out. Rows are joints from the trunk outwards. */
typedef struct hf_lane_values {
    _Alignas(32) float x[HF_LANE_STEPS][HF_LANES]; /* joint values; the best found after solving */
    _Alignas(32) float tip_point[3][HF_LANES], tip_normal[3][HF_LANES];
    _Alignas(32) float point[3][HF_LANES], normal[3][HF_LANES]; /* wanted, in the limb's root frame */
    _Alignas(32) float tangent[2][3][HF_LANES];                 /* two directions across that normal */
    _Alignas(32) float turn_m[HF_LANES]; /* metres that count as much as a radian; 0: any direction */
    /* Squared errors after solving, m and rad; those that remain once the point alone is put in its place. */
    _Alignas(32) float position2[HF_LANES], angle2[HF_LANES], placed2[HF_LANES];
} hf_lane_values;

typedef struct hf_limb_lanes {
    bool usable;
    hf_transform base; /* the limb's root frame in the world */
    int step_count;
    hf_batch_step steps[HF_LANE_STEPS]; /* from the trunk outwards */
    float lower[HF_LANE_STEPS], upper[HF_LANE_STEPS];
    int q_index[HF_LANE_STEPS];
    hf_lane_tip tips[HF_LANE_FRAMES];
    int core_count;
    hf_lane_core cores[HF_LANE_CORES];
    int obstacle_count;
    hf_lane_obstacle obstacles[HF_LANE_OBSTACLES];
    double turn_m, tolerance_m, tolerance_rad;
    float reach_m; /* no point of a core is farther from the limb's root */
    hf_lane_values now;
} hf_limb_lanes;

/* Of the limb of a clearance, in its pose: `clearance->links` and `->q` are written to. There is a solver for
   each contact frame that is asked. Sets usable to false for limbs that cannot be batched: without contact
   frames, with too many joints, or with joints that follow others. */
void hf_limb_lanes_make(hf_contact_clearance* clearance, hf_limb_solver* const* solvers, double tolerance_m,
                        double tolerance_rad, hf_limb_lanes* lanes);

/* Puts a sample into a lane. */
void hf_limb_lanes_load(hf_limb_lanes* lanes, int lane, const hf_samples* samples, int sample);
/* Fills the lanes from `count` on with copies of the first. */
void hf_limb_lanes_fill(hf_limb_lanes* lanes, int count);
/* Bits of the lanes that an obstacle blocks. A set bit means that hf_contact_clear is false. */
unsigned hf_limb_lanes_blocked(hf_limb_lanes* lanes);
/* Keeps what the last test of the clearance, with this slack, found in the way. */
void hf_limb_lanes_remember(hf_limb_lanes* lanes, const hf_contact_clearance* clearance, double slack);

/* What one lane is to reach, in the world. */
void hf_limb_lanes_aim(hf_limb_lanes* lanes, int lane, int frame, bool flat, hf_vec3 point, hf_vec3 normal);
void hf_limb_lanes_solve(hf_limb_lanes* lanes);
/* Writes a lane's joint values into a whole pose's. */
void hf_limb_lanes_read(const hf_limb_lanes* lanes, int lane, double* q);

/* The loops, once for each instruction set; all give the same answers. */
typedef struct hf_lane_kernel {
    unsigned (*blocked)(hf_limb_lanes* lanes);
    void (*solve)(hf_limb_lanes* lanes);
} hf_lane_kernel;
/* NULL where this machine cannot run it. */
const hf_lane_kernel* hf_lane_kernel_for(hf_cpu cpu);

#endif
