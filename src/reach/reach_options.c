/* The table of reach options. */
#include "base/option_table.h"
#include <holdfast/reaching.h>

#include <stddef.h>

#define AT(field) offsetof(hf_reach_options, field)
static const hf_option table[] = {
    {"nodes", HF_OPTION_COUNT, AT(nodes), 10, 100000, 1500, "", "postures of the roadmap"},
    {"step_m", HF_OPTION_REAL, AT(step_m), 0.005, 1, 0.04, "m", "length of the roadmap's edges"},
    {"shortcut_m", HF_OPTION_REAL, AT(shortcut_m), 0, 1, 0.16, "m", "longest shortcut between its leaves"},
    {"regular_share", HF_OPTION_REAL, AT(regular_share), 0, 1, 0.6, "",
     "drawn postures that do not reach far"},
    {"right_share", HF_OPTION_REAL, AT(right_share), 0, 1, 0.66, "",
     "right hands among the postures that reach far"},
    {"rest_cost", HF_OPTION_REAL, AT(rest_cost), 0.01, 1, 0.3, "",
     "cost of a way near the rest posture, where one far from it costs 1"},
    {"connections", HF_OPTION_COUNT, AT(connections), 1, 64, 12, "",
     "postures of the roadmap tried for each end of a way"},
    // a search of the roadmap takes less than a millisecond, a test of an edge less than half of one
    {"detours", HF_OPTION_COUNT, AT(detours), 1, 100000, 200, "",
     "ways by the roadmap that are tried where a load or a moved object is in the way"},
    {"smoothing", HF_OPTION_COUNT, AT(smoothing), 0, 100000, 60, "", "rounds of smoothing a way"},
    // below 1: postures near rest are preferred to those that are near the one before, which may be far out
    {"away_cost", HF_OPTION_REAL, AT(away_cost), 0, 100, 0.3, "",
     "cost of a posture's distance from where the body is, where its distance from rest costs 1"},
    {"crouch_cost", HF_OPTION_REAL, AT(crouch_cost), 0, 100, 1.5, "",
     "discomfort of a posture for each metre that the pelvis is lower"},
    {"aside_cost", HF_OPTION_REAL, AT(aside_cost), 0, 100, 0.2, "m/rad",
     "discomfort of a trunk that leans aside or turns"},
    {"elbow_cost", HF_OPTION_REAL, AT(elbow_cost), 0, 100, 0.5, "",
     "discomfort for each metre that an elbow is above its shoulder"},
    {"cross_cost", HF_OPTION_REAL, AT(cross_cost), 0, 100, 1, "",
     "discomfort for each metre that a hand is on the other side of the body"},
    {"seeds", HF_OPTION_COUNT, AT(seeds), 1, 64, 24, "",
     "postures that the search for a hand's goal starts from"},
    {"tries", HF_OPTION_COUNT, AT(tries), 0, 1000000, 200, "", "random starts of that search"},
    // 60 that all fail took 7 s in a shipped scenario; with 20, random doors were missed that 100 find
    {"openings", HF_OPTION_COUNT, AT(openings), 1, 10000, 100, "",
     "hand shapes with which a door or a drawer is tried to be moved"},
    {"extensions", HF_OPTION_COUNT, AT(extensions), 1, 10000000, 4000, "",
     "steps of the trees that search where the roadmap does not help"},
    // each place takes a plan of steps and a roadmap of its own, about two seconds
    {"walks", HF_OPTION_COUNT, AT(walks), 0, 12, 0, "",
     "standing places that are walked to where an action cannot be done from here"},
    {"margin_m", HF_OPTION_REAL, AT(margin_m), 0.006, 1, 0.008, "m", "least balance margin"},
    {"speed_share", HF_OPTION_REAL, AT(speed_share), 0.01, 1, 0.5, "",
     "of the limits of speed and acceleration"},
    {"approach_m", HF_OPTION_REAL, AT(approach_m), 0.01, 1, 0.08, "m",
     "straight way of a hand to what it grasps, and away from it"},
    {"upright_rad", HF_OPTION_REAL, AT(upright_rad), 0.001, 3.2, 0.15, "rad",
     "most tilt of an object that is kept upright"},
    {"eyes_rad", HF_OPTION_REAL, AT(eyes_rad), 0, 3.2, 0.3, "rad",
     "how far eyes turn to what the hands do before the head turns"},
    {"rate", HF_OPTION_REAL, AT(rate), 10, 240, 30, "", "frames a second"},
    {"seed", HF_OPTION_SEED, AT(seed), 0, 9007199254740992.0, 1, "", "random seed"},
    {"threads", HF_OPTION_COUNT, AT(threads), 0, 64, 0, "", "threads; 0: all cores"},
};

HF_OPTIONS(hf_reach, table)
