/* Sample sets: postures of one limb drawn once inside its limits and range of motion, with what contact
   queries ask of them (efort-2014-journal sections 3.1 and 4.2). A set is one block of memory that can be
   kept in a file and mapped; it is immutable and shared by any number of threads. */
#ifndef HOLDFAST_SAMPLES_H
#define HOLDFAST_SAMPLES_H

#include <holdfast/kinematics.h>
#include <holdfast/options.h>
#include <holdfast/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_samples hf_samples;

typedef struct hf_sample_options {
    int count;     /* postures drawn, 1..50,000,000; default 10,000 */
    int contact;   /* contact frame of the limb, -1: the effector link's origin; default 0 */
    uint64_t seed; /* default 1 */
    int threads;   /* 0: all cores (default); the set does not depend on it */
    /* Task-oriented sampling (efort-2014-journal section 6.2): this share of the postures is drawn around
       those of the rest that exert most force along `task`. */
    double task_share; /* 0 (default) .. 0.9 */
    hf_vec3 task;      /* in the limb's root frame; any length but 0 when there is a share */
} hf_sample_options;
HF_API hf_sample_options hf_sample_options_default(void);
HF_API hf_option_table hf_sample_option_table(void); /* all but task */

/* Draws and indexes a set. Postures with a manipulability under 5 % of the set's largest are dropped
   (thesis-2015 section 5.4.1), so that it holds at most options.count. A limb without contact frames takes
   its effector's origin instead of frame 0. The same creature, limb and options give the same set, whatever
   the number of threads and the machine. A limb that mirrors another takes that one's postures mirrored, and
   draws its own where these leave its limits. */
HF_API hf_status hf_samples_build(const hf_creature* creature, int limb, const hf_sample_options* options,
                                  hf_samples** samples, hf_error* error);
HF_API void hf_samples_free(hf_samples* samples);

/* Maps the set from its file in `folder`, which is made where it is missing. A file of another creature,
   version or other options, or a damaged one, is never used: the set is built and the file written anew, and
   `notice` (may be NULL) says why; its status is HF_OK when there is nothing to say. A folder that cannot be
   written to costs the file alone and is a notice too. */
HF_API hf_status hf_samples_open(const hf_creature* creature, int limb, const hf_sample_options* options,
                                 const char* folder, hf_samples** samples, hf_error* notice, hf_error* error);
/* The same in two steps with a file of any name. Loading fails on a file that is not of this creature, limb
   and options. */
HF_API hf_status hf_samples_save(const hf_samples* samples, const char* path, hf_error* error);
HF_API hf_status hf_samples_load(const hf_creature* creature, int limb, const hf_sample_options* options,
                                 const char* path, hf_samples** samples, hf_error* error);

/* The set as plain arrays. Samples stand in Morton order of their points, in blocks of eight: value `row` of
   sample i in an array of `rows` rows is array[(i / 8 * rows + row) * 8 + i % 8], see hf_sample_value. The
   last block is filled up with copies. Points, normals and J J^T are in the limb's root frame. */
typedef struct hf_samples_view {
    int limb, contact;
    int drawn, count; /* postures asked for, and kept */
    int joint_count;
    const float* theta; /* joint_count rows: joint values in the order of hf_limb.joints */
    const float* point; /* 3 rows: the contact frame's point, m */
    const float* score; /* 10 rows: J J^T as xx yy zz xy xz yz, contact normal, manipulability */
    float low[3], high[3];
    double max_manipulability;
    size_t byte_count; /* of the whole block with its index */
    bool mapped;       /* from a file */
    bool kept;         /* in a file: it is from there, or hf_samples_open could write it */
} hf_samples_view;
enum {
    HF_SAMPLE_POINT_ROWS = 3,
    HF_SAMPLE_SCORE_ROWS = 10,
    HF_SAMPLE_NORMAL_ROW = 6,
    HF_SAMPLE_MANIPULABILITY_ROW = 9
};
HF_API hf_samples_view hf_samples_get(const hf_samples* samples);

static inline float hf_sample_value(const float* array, int rows, int sample, int row) {
    return array[((size_t)(sample / 8) * (size_t)rows + (size_t)row) * 8 + (size_t)(sample % 8)];
}

/* The contact frame's point of one sample. */
static inline hf_vec3 hf_sample_point(const float* points, int sample) {
    return hf_v3((double)hf_sample_value(points, HF_SAMPLE_POINT_ROWS, sample, 0),
                 (double)hf_sample_value(points, HF_SAMPLE_POINT_ROWS, sample, 1),
                 (double)hf_sample_value(points, HF_SAMPLE_POINT_ROWS, sample, 2));
}

/* Writes the joint values of one sample into a whole pose's q, mimic joints of the creature followed. */
HF_API void hf_samples_pose(const hf_creature* creature, const hf_samples* samples, int sample, double* q);
/* The limb's root frame in the world, given the world poses of the links. */
HF_API hf_transform hf_limb_base(const hf_creature* creature, int limb, const hf_transform* links);

/* Makes ready for contact queries that look for surfaces within `epsilon` metres of a limb (or down to half
   of it): objects of many small triangles get a distance grid. Answers are the same without, only later. Call
   it before other threads use the scene; again for another epsilon. */
HF_API hf_status hf_scene_prepare(hf_scene* scene, double epsilon, int threads, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
