/* The tables of commands and options: parsing, help, manual page and completion all read them. */
#include "command.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(options, field)

const option_def option_defs[] = {
    {"--output", "-o", "FILE|DIR", OPTION_TEXT, AT(output), 0, 0,
     "the file to write, or the folder to write to, as each command says"},
    {"--json", NULL, NULL, OPTION_SWITCH, AT(json), 0, 0, "print one JSON object on standard output"},
    {"--quiet", "-q", NULL, OPTION_SWITCH, AT(quiet), 0, 0, "no notes, warnings or progress"},
    {"--seed", NULL, "N", OPTION_WHOLE, AT(seed), 0, 9e15, "random seed instead of the scenario's"},
    {"--threads", NULL, "N", OPTION_INT, AT(threads), 0, 64,
     "threads to use; 0, the default, means all cores"},
    {"--time-limit", NULL, "S", OPTION_NUMBER, AT(time_limit_s), 0, 1e6,
     "stop after this many seconds and keep the best; 0, the default, means no limit"},
    {"--package-path", NULL, "DIR", OPTION_PATHS, AT(package_path), 0, 0,
     "folder to search for package:// names; may be given several times"},
    {"--unit", NULL, "M", OPTION_NUMBER, AT(unit_m), 1e-6, 1e3, "metres per unit of a BVH or glTF file"},
    {"--fps", NULL, "N", OPTION_NUMBER, AT(fps), 1, 1000,
     "frames per second to write; default: the motion's own"},
    {"--quaternion", NULL, "ORDER", OPTION_TEXT, AT(quaternion), 0, 0,
     "order of quaternions in tables: wxyz, the default, or xyzw"},
    {"--rig", NULL, "FILE", OPTION_TEXT, AT(rig), 0, 0,
     "BVH or glTF file of the creature: the motion goes back into it"},
    {"--rate", NULL, "N", OPTION_NUMBER, AT(rate), 0.001, 1e6,
     "frames a second of a clip, where its file does not say or another is meant"},
    {"--joints", NULL, "FILE", OPTION_TEXT, AT(joints), 0, 0,
     "names of the joints of a clip of positions, one a line; default: joints.txt beside it"},
    {"--clip", NULL, "NAME", OPTION_TEXT, AT(clip), 0, 0,
     "name, or number from 0 on, of the animation of a glTF file; default: the first"},
    {"--up", NULL, "AXIS", OPTION_TEXT, AT(up), 0, 0, "axis of a clip that points up: y or z"},
    {"--mapping", NULL, "FILE", OPTION_TEXT, AT(mapping), 0, 0,
     "JSON object that names the creature's link for joints of the clip; the rest is guessed"},
    {"--ground", NULL, "Z", OPTION_TEXT, AT(ground), 0, 0,
     "add a flat floor at this height to the scene of a clip"},
    {"--fit-scene", NULL, NULL, OPTION_SWITCH, AT(fit_scene), 0, 0,
     "make a floor, steps and seats under the contacts of a clip without a scene"},
    {"--scale-scene", NULL, NULL, OPTION_SWITCH, AT(scale_scene), 0, 0,
     "scale the scene and the clip's path with the creature's legs"},
    {"--vary", NULL, "OBJECT.WHAT=FROM:TO:N", OPTION_VARIES, AT(varies), 0, 0,
     "a family of motions: N values of an object's height or scale (factors), x, y, z (m more) or yaw (rad "
     "more); may be given several times, for all combinations"},
    {"--creature", NULL, "FILE", OPTION_TEXT, AT(creature), 0, 0,
     "use this creature instead of the one a motion or schedule names"},
    {"--scenario", NULL, "FILE", OPTION_TEXT, AT(scenario), 0, 0,
     "use the scene of this scenario instead of the one a motion or schedule names"},
    {"--strip", NULL, "[N]", OPTION_INT, AT(strip), 1, 64,
     "draw N moments of a motion, or postures of a creature, on one page; default 8"},
    {"--plot", NULL, NULL, OPTION_SWITCH, AT(plot), 0, 0,
     "draw speeds, balance margin, torque share and contacts of a motion over time"},
    {"--with", NULL, "MOTION", OPTION_TEXT, AT(with), 0, 0,
     "with --plot, a second motion beside the first: before and after"},
    {"--columns", NULL, "N", OPTION_INT, AT(columns), 1, 64, "panels in a row of a strip"},
    {"--frame", NULL, "N", OPTION_INT, AT(frame), 0, 1e9,
     "draw this frame of a motion, or begin a strip with it; default 0"},
    {"--size", NULL, "WxH", OPTION_TEXT, AT(size), 0, 0, "picture size; default 1280x720"},
    {"--samples", NULL, "N", OPTION_INT, AT(samples), 1, 16, "rays a pixel: 1, 4, 9 or 16; default 4"},
    {"--azimuth", NULL, "DEG", OPTION_NUMBER, AT(azimuth_deg), -360, 360,
     "where the camera stands, from +X towards +Y; default: where the creature is seen"},
    {"--elevation", NULL, "DEG", OPTION_NUMBER, AT(elevation_deg), -89, 89, "how high the camera stands"},
    {"--zoom", NULL, "X", OPTION_NUMBER, AT(zoom), 0.01, 100, "magnify; default 1"},
    {"--focus", NULL, "X,Y,Z", OPTION_TEXT, AT(focus), 0, 0, "look at this point; default: what is drawn"},
    {"--distance", NULL, "M", OPTION_NUMBER, AT(distance_m), 0.01, 1e5,
     "camera distance in metres, with --focus"},
    {"--task", NULL, "X,Y,Z", OPTION_TEXT, AT(task), 0, 0, "draw an arrow in this direction"},
    {"--reach", NULL, NULL, OPTION_SWITCH, AT(reach), 0, 0, "draw where each limb can get"},
    {"--no-ground", NULL, NULL, OPTION_SWITCH, AT(no_ground), 0, 0, "leave the ground plane out"},
    {"--no-picture", NULL, NULL, OPTION_SWITCH, AT(no_picture), 0, 0, "write all files but the picture"},
    {"--count", "-n", "N", OPTION_INT, AT(count), 1, 5e7,
     "postures drawn for each limb, or queries of bench valid, default 10000; seeds of bench soak, default "
     "100"},
    {"--choices", "-k", "K", OPTION_INT, AT(choices), 1, 1000,
     "contacts to give for each limb, best first; default 1"},
    {"--compare", NULL, NULL, OPTION_SWITCH, AT(compare), 0, 0,
     "contacts scored by effort beside those scored by distance alone, with -o as one picture; of refine, "
     "costs and valid frames from the plan beside those from straight lines between key poses"},
    {"--refine", NULL, NULL, OPTION_SWITCH, AT(refine), 0, 0,
     "make the plan quicker: body and limbs move together, as fast as limits and contact forces allow; the "
     "default"},
    {"--raw", NULL, NULL, OPTION_SWITCH, AT(raw), 0, 0, "the plan as found, not refined"},
    {"--limb", NULL, "NAME", OPTION_TEXT, AT(limb), 0, 0, "this limb alone"},
    {"--cache", NULL, "DIR", OPTION_TEXT, AT(cache), 0, 0,
     "folder to keep sample sets in; default: for sample where the creature is, else none"},
    {"--query", NULL, "N", OPTION_INT, AT(query), 0, 1e9, "of bench valid, this one query; -o DIR draws it"},
    {"--data", NULL, "DIR", OPTION_TEXT, AT(data), 0, 0,
     "robots, gltf and scenes that others made, for bench valid; none: shipped data alone"},
    {"--only", NULL, "NAMES", OPTION_TEXT, AT(only), 0, 0,
     "of bench soak, these plan scenarios alone, of bench reach these reach scenarios (default kitchen): "
     "names "
     "or files, with commas between them"},
    {"--trunk-scale", NULL, "X", OPTION_NUMBER, AT(trunk_scale), 1, 1.5,
     "size of the body that the guide moves; a larger one makes contacts likelier"},
    {"--set", NULL, "NAME=VALUE", OPTION_SETTINGS, AT(settings), 0, 0,
     "change an option of the solver, as \"options\" of a scenario does; may be given several times"},
    {"--scene", NULL, "MESH", OPTION_TEXT, AT(scene), 0, 0, "stand on this mesh; default: a flat floor at 0"},
    {"--at", NULL, "X,Y[,YAW]", OPTION_TEXT, AT(at), 0, 0,
     "stand here, turned by YAW radians, without it along X or as near to that as the place allows; default "
     "0,0"},
    {"--dynamic", NULL, NULL, OPTION_SWITCH, AT(dynamic), 0, 0,
     "judge contact forces and joint torques of every frame too; exit 1 when a frame has none"},
    {"--static", NULL, NULL, OPTION_SWITCH, AT(still), 0, 0,
     "every frame is balanced at rest: shorter steps, with a rest at each, not refined"},
    {"--warm", NULL, "FILE", OPTION_TEXT, AT(warm), 0, 0,
     "FILE is an edit of this refined schedule (a hold moved, a pause put in): refine only what changed"},
    {"--roadmap", NULL, "FILE", OPTION_TEXT, AT(roadmap), 0, 0,
     "take this roadmap of the same creature and scene, made by holdfast roadmap"},
    {"--control", NULL, "FILE", OPTION_TEXT, AT(control), 0, 0,
     "the control layer (.control.json) instead of the one that the creature names or that is derived"},
};
const int option_def_count = sizeof option_defs / sizeof *option_defs;

#define CLIP "--unit", "--rate", "--joints", "--clip", "--up"
#define PICTURE "--size", "--samples", "--azimuth", "--elevation", "--zoom", "--focus", "--distance"
#define WRITES_PICTURE PICTURE, "--no-picture"
static const char* const info_options[] = {"--package-path", CLIP, "--creature", "--scenario", NULL};
static const char* const pose_options[] = {"--output",       "--seed",       "--threads",
                                           "--package-path", WRITES_PICTURE, NULL};
static const char* const sample_options[] = {"--seed", "--threads", "--package-path", "--count",
                                             "--limb", "--cache",   "--unit",         NULL};
static const char* const contact_options[] = {"--output", "--seed",    "--threads",    "--package-path",
                                              "--set",    "--limb",    "--choices",    "--count",
                                              "--cache",  "--compare", WRITES_PICTURE, NULL};
static const char* const plan_options[] = {
    "--output",  "--seed",   "--threads", "--package-path", "--set", "--count",      "--trunk-scale",
    "--roadmap", "--static", "--refine",  "--raw",          "--fps", WRITES_PICTURE, NULL};
static const char* const roadmap_options[] = {"--output", "--seed",        "--threads", "--package-path",
                                              "--set",    "--trunk-scale", "--control", NULL};
static const char* const reach_options[] = {"--output",       "--seed",       "--threads",
                                            "--package-path", "--set",        "--roadmap",
                                            "--control",      WRITES_PICTURE, NULL};
static const char* const stand_options[] = {
    "--output", "--seed", "--threads", "--package-path", "--scene", "--at", "--unit", WRITES_PICTURE, NULL};
static const char* const realise_options[] = {
    "--output", "--threads", "--package-path", "--creature", "--scenario", WRITES_PICTURE, NULL};
static const char* const adapt_options[] = {"--output",     "--threads", "--package-path", "--creature",
                                            "--scene",      "--ground",  "--fit-scene",    "--scale-scene",
                                            "--mapping",    CLIP,        "--vary",         "--set",
                                            WRITES_PICTURE, NULL};
static const char* const refine_options[] = {
    "--output", "--threads", "--package-path", "--creature",   "--scenario", "--fps",
    "--warm",   "--compare", "--set",          WRITES_PICTURE, NULL};
static const char* const check_options[] = {"--threads",  "--package-path", "--creature",
                                            "--scenario", "--dynamic",      NULL};
static const char* const render_options[] = {
    "--output", "--threads", "--package-path", "--strip",     "--plot", "--with",     "--columns",  "--frame",
    PICTURE,    "--task",    "--reach",        "--no-ground", CLIP,     "--creature", "--scenario", NULL};
static const char* const export_options[] = {
    "--output", "--package-path", "--fps", "--quaternion", CLIP, "--rig", "--creature", "--scenario", NULL};
static const char* const bench_options[] = {"--output", "--seed",    "--threads", "--package-path",
                                            "--count",  "--query",   "--data",    "--only",
                                            "--size",   "--samples", "--set",     NULL};
static const char* const no_options[] = {NULL};

const command commands[] = {
    {"info", "[FILE]",
     "what a creature, scene, clip, scenario, motion, schedule or roadmap holds; without FILE, what is "
     "shipped",
     info_options, run_info, false},
    {"pose", "SCENARIO", "solve the limb targets of a scenario with the whole body", pose_options, run_pose,
     false},
    {"sample", "CREATURE",
     "build the sample sets of a creature's limbs, one for each contact frame, and keep them in files",
     sample_options, run_sample, false},
    {"contact", "SCENARIO", "find the contacts of a task: where each limb should go, and how",
     contact_options, run_contact, false},
    {"plan", "SCENARIO", "plan a whole contact motion from a scenario's start to its goal", plan_options,
     run_plan, false},
    {"roadmap", "SCENARIO",
     "keep in a file how the root can move in the scene of a plan, or the postures that reach, for --roadmap "
     "of plan and reach",
     roadmap_options, run_roadmap, false},
    {"reach", "SCENARIO", "reach, grasp and move objects with the whole body, action by action",
     reach_options, run_reach, false},
    {"stand", "CREATURE", "find a balanced standing pose on the ground at a place", stand_options, run_stand,
     false},
    {"realise", "SCHEDULE",
     "make the motion of a schedule; exit 1 when it does not keep what the schedule says", realise_options,
     run_realise, false},
    {"adapt", "SCENARIO|CLIP",
     "put a recorded motion onto a creature: contacts held on their surfaces, nothing penetrated, limits "
     "kept",
     adapt_options, run_adapt, false},
    {"refine", "FILE",
     "make a quicker motion of a motion or schedule, with the same holds; exit 1 when there is none that "
     "holds",
     refine_options, run_refine, false},
    {"check", "MOTION", "independent validity report; exit 1 when a claim does not hold", check_options,
     run_check, false},
    {"render", "FILE",
     "draw a creature, scene, scenario, clip or motion, or the timeline of a schedule, as a PNG",
     render_options, run_render, false},
    {"export", "FILE",
     "write a motion, clip or creature as .glb, .bvh or .motion.json, as a table for controllers (.csv, "
     ".npy, .json), "
     "or a creature as MJCF (.xml)",
     export_options, run_export, false},
    {"bench", "[NAME]", "measure; without NAME, what there is to measure", bench_options, run_bench, false},
    {"help", "[COMMAND]", "explain a command", no_options, run_help, false},
};
const int command_count = sizeof commands / sizeof *commands;

const option_def* find_option(const char* text) {
    for (int i = 0; i < option_def_count; i++)
        if (strcmp(text, option_defs[i].name) == 0 ||
            (option_defs[i].letter && strcmp(text, option_defs[i].letter) == 0))
            return &option_defs[i];
    return NULL;
}

/* Options that mean something of their own for a command. */
static const struct {
    const char *command, *option, *help;
} special[] = {
    {"adapt", "--output",
     "folder for NAME.motion.json, NAME.schedule.json, NAME.glb, NAME.png and NAME.root.npy, .joints.npy and "
     ".contacts.npy; with --vary for NAME-1.motion.json and so on, and NAME.variants.csv"},
    {"adapt", "--creature", "the creature that shall do it; default: the clip's own skeleton"},
    {"adapt", "--scene", "mesh of the scene that the clip was recorded in"},
    {"pose", "--output", "folder for NAME.motion.json, NAME.glb and NAME.png"},
    {"contact", "--output",
     "folder for NAME.motion.json, NAME.glb, NAME.png and, of motions, NAME.schedule.json"},
    {"plan", "--output", "folder for NAME.motion.json, NAME.schedule.json, NAME.glb and NAME.png"},
    {"reach", "--output", "folder for NAME.motion.json, NAME.schedule.json, NAME.glb and NAME.png"},
    {"plan", "--roadmap",
     "find guides by this roadmap of the same creature and scene, made by holdfast roadmap"},
    {"reach", "--roadmap",
     "take this roadmap of the same creature, start, scene and options, made by holdfast roadmap"},
    {"stand", "--output",
     "folder for NAME-stand.scenario.json, a plan that starts there, and NAME-stand.motion.json, .glb and "
     ".png"},
    {"stand", "--seed", "random seed; default 1"},
    {"roadmap", "--output", "the file to write, which ends in .hfr"},
    {"realise", "--output", "folder for NAME.motion.json, NAME.glb and NAME.png, or a file .motion.json"},
    {"refine", "--output", "folder for NAME.motion.json, NAME.schedule.json, NAME.glb and NAME.png"},
    {"refine", "--fps", "frames a second of the result; default 120"},
    {"plan", "--fps", "frames a second of the refined plan; default 120, without --raw"},
    {"render", "--output", "the picture to write, which ends in .png"},
    {"export", "--fps", "frames or rows a second to write; default: the motion's own"},
    {"export", "--output",
     "the file to write, which ends in .glb, .bvh, .csv, .npy, .json, .motion.json or .xml"},
    {"bench", "--output", "of soak, folder for the motions; of valid, folder for the picture of --query"},
    {"sample", "--count", "postures drawn for each limb; default 10000"},
    {"contact", "--count", "postures drawn for each limb; default: the scenario's, else 10000"},
    {"plan", "--count", "postures drawn for each limb; default: the scenario's, else 10000"},
    {"bench", "--count",
     "queries of valid, default 10000; seeds of soak, default 100; targets of reach, default 1000"},
    {"sample", "--seed", "random seed; default 1"},
    {"bench", "--time-limit", "stop after this many seconds; of soak, for each seed, default 10"},
    {"bench", "--seed", "the first random seed; default 1"},
    {"sample", "--cache", "folder to keep sample sets in; default: where the creature is"},
    {"contact", "--cache", "folder to keep sample sets in; default: none"},
    {"info", "--creature", "use this creature instead of the one a schedule names"},
    {"info", "--scenario", "use the scene of this scenario instead of the one a schedule names"},
    {"realise", "--creature", "use this creature instead of the one the schedule names"},
    {"realise", "--scenario", "use the scene of this scenario instead of the one the schedule names"},
    {"check", "--creature", "use this creature instead of the one the motion names"},
    {"check", "--scenario", "use the scene of this scenario instead of the one the motion names"},
    {"render", "--size", "picture size; default 1280x720, a timeline or plot as high as it needs"},
    {"bench", "--size", "picture size of valid --query; default 1280x720"},
    {"bench", "--samples", "rays a pixel of valid --query: 1, 4, 9 or 16; default 4"},
};

const char* option_help(const command* c, const option_def* d) {
    for (size_t i = 0; c && i < sizeof special / sizeof *special; i++)
        if (strcmp(special[i].command, c->name) == 0 && strcmp(special[i].option, d->name) == 0)
            return special[i].help;
    return d->help;
}

bool command_lists(const command* c, const char* option) {
    static const char* const every[] = {"--json", "--quiet", "--time-limit"};
    for (size_t i = 0; i < sizeof every / sizeof *every && c->run != run_help; i++)
        if (strcmp(every[i], option) == 0) return true;
    for (const char* const* s = c->options; *s; s++)
        if (strcmp(*s, option) == 0) return true;
    return false;
}

/* Options that scripts may give to every command, whether the command has a use for them or not. */
bool command_takes(const command* c, const char* option) {
    static const char* const common[] = {"--output", "--seed", "--threads", "--package-path"};
    for (size_t i = 0; i < sizeof common / sizeof *common && c->run != run_help; i++)
        if (strcmp(common[i], option) == 0) return true;
    return command_lists(c, option);
}
