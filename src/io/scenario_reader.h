/* The parts of the scenario reader. All of them do nothing once `json.status` tells a failure. */
#ifndef HF_IO_SCENARIO_READER_H
#define HF_IO_SCENARIO_READER_H

#include "base/text.h"
#include "io/json.h"
#include <holdfast/scenario.h>

/* More than these are refused with HF_ERROR_LIMIT. */
enum {
    HF_SCENARIO_MAX_OBJECTS = 10000,
    HF_SCENARIO_MAX_TRIANGLES = 40000000,
    HF_SCENARIO_MAX_LIST = 100000,
    HF_SCENARIO_MAX_TASKS = 1000
};
/* Coordinates beyond this are mistakes, and float would not tell a millimetre any more by far. */
enum { HF_SCENARIO_FAR_M = 10000000 };

typedef struct hf_scenario_reader {
    hf_json json;
    const char* path;
    const hf_load_options* options; /* may be NULL */
    hf_scenario* scenario;
    hf_lines warnings;
} hf_scenario_reader;

/* Notes that memory is out. */
void hf_scenario_out_of_memory(hf_scenario_reader* reader);
/* `count` zeroed items for a list of the file, NULL after a failure. */
void* hf_scenario_list(hf_scenario_reader* reader, const char* where, size_t count, size_t size);
/* The limb that an object's key names; false after a failure. */
bool hf_scenario_limb(hf_scenario_reader* reader, const char* where, const char* name, int* limb);
/* A vector that is not zero, made unit. False when absent. */
bool hf_scenario_direction(hf_scenario_reader* reader, const char* where, const json_t* object,
                           const char* key, bool required, hf_vec3* direction);
/* A point or a pose not more than HF_SCENARIO_FAR_M away from the origin; like the json getters. */
bool hf_scenario_point(hf_scenario_reader* reader, const char* where, const json_t* object, const char* key,
                       bool required, hf_vec3* point);
bool hf_scenario_pose7(hf_scenario_reader* reader, const char* where, const json_t* array,
                       hf_transform* pose);
/* Fails with "unknown <what> <name>" and the nearest of the names. */
void hf_scenario_unknown(hf_scenario_reader* reader, const char* where, const char* what, const char* name,
                         const char* const* names, int count);

/* "seed" and "options". */
void hf_scenario_read_options(hf_scenario_reader* reader);
/* "scene" into scenario->scene; absent, it is empty. An object with "urdf" becomes two, the second one with
   its joint in scenario->reach_objects, which kind reach has. */
void hf_scenario_read_scene(hf_scenario_reader* reader);
/* "start" or "goal"; object NULL gives the rest posture at the origin. Needs creature and scene. */
void hf_scenario_read_state(hf_scenario_reader* reader, const char* where, const json_t* object,
                            bool root_required, hf_scenario_state* state);

/* "actions", and what objects of a reach scenario have; needs creature and scene. */
void hf_scenario_read_reach(hf_scenario_reader* reader);
void hf_scenario_free_reach(hf_scenario* scenario);
/* Kind adapt: "clip" into a new scenario->adapt, the creature of the clip's own skeleton, then (with creature
   and scene) "mapping" and "edits". */
void hf_scenario_read_clip(hf_scenario_reader* reader);
void hf_scenario_own_creature(hf_scenario_reader* reader);
void hf_scenario_read_mapping(hf_scenario_reader* reader);
/* The clip that is a schedule; before the edits. */
void hf_scenario_read_schedule(hf_scenario_reader* reader);
void hf_scenario_read_edits(hf_scenario_reader* reader);
void hf_scenario_free_adapt(hf_adapt_task* task);

#endif
