/* Options of a refinement, and the words for its answers. */
#include "base/option_table.h"

#include <holdfast/refine.h>

#include <stddef.h>

#define FIELD(name) offsetof(hf_refine_options, name)
#define WEIGHT(term) FIELD(weights[HF_COST_##term])
static const hf_option items[] = {
    {"rate", HF_OPTION_REAL, FIELD(rate), 10, 1000, 120, "1/s", "frames a second of the result"},
    {"speed_share", HF_OPTION_REAL, FIELD(speed_share), 0.05, 1, 0.98, "",
     "of the speed limits of joints and root"},
    {"acceleration_share", HF_OPTION_REAL, FIELD(acceleration_share), 0.05, 1, 0.95, "",
     "of the acceleration limits of joints and root"},
    {"effort_share", HF_OPTION_REAL, FIELD(effort_share), 0.05, 1, 0.9, "", "of the effort limits of joints"},
    {"rounds", HF_OPTION_COUNT, FIELD(rounds), 0, 40, 16, "",
     "of each stretch, in which body and limbs are brought to move together"},
    {"work", HF_OPTION_REAL, FIELD(work), 0.1, 1000, 7, "million steps",
     "the most work, about a second of one core for each million"},
    {"weight_jerk", HF_OPTION_REAL, WEIGHT(JERK), 0, 1000, 1, "", "of smoothness: 60 rad/s3 count as one"},
    {"weight_contact", HF_OPTION_REAL, WEIGHT(CONTACT), 0, 1000, 1, "",
     "of holds: 0.2 mm and 2 mrad beside one"},
    {"weight_limits", HF_OPTION_REAL, WEIGHT(LIMITS), 0, 1000, 1, "", "of joint limits: 2 mrad beyond one"},
    {"weight_wrench", HF_OPTION_REAL, WEIGHT(WRENCH), 0, 1000, 1, "",
     "of contact wrenches: 0.002 body weights beyond what a stance bears"},
    {"weight_momentum", HF_OPTION_REAL, WEIGHT(MOMENTUM), 0, 1000, 1, "",
     "of angular momentum: the weight at 0.3 m for a second"},
    {"weight_posture", HF_OPTION_REAL, WEIGHT(POSTURE), 0, 1000, 1, "",
     "of nearness to the given poses: 0.7 rad of joints, 0.2 m and 0.4 rad of the root"},
    {"weight_comfort", HF_OPTION_REAL, WEIGHT(COMFORT), 0, 1000, 0.01, "",
     "of rest postures: 1 rad away; little, so that it decides where nothing else does"},
    {"weight_clearance", HF_OPTION_REAL, WEIGHT(CLEARANCE), 0, 1000, 1, "",
     "of distances: 2 mm less than the 10 mm that bodies keep"},
    {"weight_effort", HF_OPTION_REAL, WEIGHT(EFFORT), 0, 1000, 0.01, "",
     "of the force that limbs on their holds exert along the body's way; little, as comfort"},
};

HF_OPTIONS(hf_refine, items)

const char* hf_refine_why_text(hf_refine_why why) {
    static const char* const texts[] = {"refined",
                                        "nothing is held, so that nothing can bear the body",
                                        "there is no motion in it",
                                        "objects move by their own times",
                                        "the creature has no mass",
                                        "a hand carries an object, whose weight is not timed yet",
                                        "the contacts do not bear the body at any speed",
                                        "the limits of the joints leave no speed",
                                        "no speed leads on from here",
                                        "the motion would not keep what it must keep",
                                        "nothing quicker was found",
                                        "cancelled",
                                        "a part of the motion is too large"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}
