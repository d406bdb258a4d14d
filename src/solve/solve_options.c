/* Options of the solvers: one table each for defaults, validation, files, flags and help. */
#include <holdfast/solve.h>

#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(hf_solve_options, name)

static const hf_option solve_items[] = {
    {"max_iterations", HF_OPTION_COUNT, FIELD(max_iterations), 1, 1000, 60, "", "iterations for each start"},
    {"max_starts", HF_OPTION_COUNT, FIELD(max_starts), 1, 1000, 40, "", "starts before giving up"},
    {"tolerance_m", HF_OPTION_REAL, FIELD(tolerance_m), 1e-9, 1, 1e-4, "m",
     "position error that is near enough"},
    {"tolerance_rad", HF_OPTION_REAL, FIELD(tolerance_rad), 1e-9, 1, 1e-3, "rad",
     "angle error that is near enough"},
    {"posture_weight", HF_OPTION_REAL, FIELD(posture_weight), 0, 1, 0.1, "",
     "pull towards the posture where the targets leave freedom"},
    {"use_rom", HF_OPTION_FLAG, FIELD(use_rom), 0, 1, 1, "", "keep range-of-motion regions"},
    {"near_start", HF_OPTION_FLAG, FIELD(near_start), 0, 1, 0, "",
     "the first start is near the target: search from there alone, and not for long"},
    {"whole", HF_OPTION_FLAG, FIELD(whole), 0, 1, 0, "",
     "only all of the target counts: no search for what comes near it"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992.0, 1, "", "of the extra starts"},
};

#undef FIELD
#define FIELD(name) offsetof(hf_body_solve_options, name)

static const hf_option body_items[] = {
    {"move_root", HF_OPTION_FLAG, FIELD(move_root), 0, 1, 1, "", "the root may move"},
    {"move_trunk", HF_OPTION_FLAG, FIELD(move_trunk), 0, 1, 1, "", "joints of no limb may move"},
    {"move_free", HF_OPTION_FLAG, FIELD(move_free), 0, 1, 1, "",
     "joints that no target depends on may move for the balance"},
    {"guide_weight", HF_OPTION_REAL, FIELD(guide_weight), 0, 1, 0.1, "",
     "pull of the root towards the guide where the targets leave freedom"},
};

hf_option_table hf_solve_option_table(void) { return HF_OPTION_TABLE(solve_items); }

hf_option_table hf_body_solve_option_table(void) { return HF_OPTION_TABLE(body_items); }

hf_solve_options hf_solve_options_default(void) {
    hf_solve_options options;
    memset(&options, 0, sizeof options);
    hf_options_default(hf_solve_option_table(), &options);
    return options;
}

hf_body_solve_options hf_body_solve_options_default(void) {
    hf_body_solve_options options;
    memset(&options, 0, sizeof options);
    options.solve = hf_solve_options_default();
    hf_options_default(hf_body_solve_option_table(), &options);
    return options;
}

const char* hf_stop_text(hf_stop stop) {
    static const char* const texts[] = {"reached",
                                        "out of reach",
                                        "stalled",
                                        "iterations",
                                        "reached, but outside a range of motion that other joints share",
                                        "cancelled"};
    return (size_t)stop < sizeof texts / sizeof *texts ? texts[stop] : "unknown";
}
