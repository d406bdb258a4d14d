/* What the subcommands share: options, names, messages, progress. They use public headers alone. */
#ifndef HF_CLI_COMMAND_H
#define HF_CLI_COMMAND_H

#include <holdfast/holdfast.h>
#include <jansson.h>

/* Exit codes of every command. */
enum { EXIT_DONE = 0, EXIT_NO_SOLUTION = 1, EXIT_USAGE = 2, EXIT_BAD_INPUT = 3, EXIT_INTERNAL = 4 };

enum { MAX_PATHS = 32, MAX_SETTINGS = 64 };

/* The values of all options of all commands; each command names those it takes. */
typedef struct options {
    const char* command;
    const char* file; /* the one positional argument, or NULL */
    const char* output;
    bool json, quiet;
    double seed; /* -1 when not given */
    int threads;
    double time_limit_s;
    const char* package_path[MAX_PATHS];
    int package_path_count;
    const char *rig, *quaternion, *with;
    double unit_m, fps, rate;
    const char *joints, *clip, *up, *mapping, *ground;
    bool fit_scene, scale_scene;
    const char *creature, *scenario, *scene, *at;
    int strip, frame, columns, samples;
    const char* size;
    double azimuth_deg, elevation_deg, zoom;
    const char *focus, *task;
    double distance_m;
    bool reach, no_ground;
    int count, choices;
    double trunk_scale;
    bool compare, still, refine, raw, dynamic, plot, no_picture;
    int query; /* -1 when not given */
    const char* data;
    const char *limb, *cache, *only, *roadmap, *control, *warm;
    const char* settings[MAX_SETTINGS]; /* NAME=VALUE of --set */
    int setting_count;
    const char* varies[HF_MAX_VARIES]; /* OBJECT.PROPERTY=FROM:TO:COUNT of --vary */
    int vary_count;
} options;

/* One option: how it is written, where its value goes, what it means. */
typedef struct option_def {
    const char* name;     /* "--seed" */
    const char* letter;   /* "-s" or NULL */
    const char* argument; /* "N", "[N]" where STRIP stands for a missing number, or NULL for a switch */
    enum {
        OPTION_TEXT,
        OPTION_NUMBER,
        OPTION_WHOLE,
        OPTION_INT,
        OPTION_SWITCH,
        OPTION_PATHS,
        OPTION_SETTINGS,
        OPTION_VARIES
    } kind;
    size_t offset;
    double low, high; /* for numbers */
    const char* help;
} option_def;

typedef struct command {
    const char* name;
    const char* argument; /* "FILE", "[FILE]" */
    const char* help;
    const char* const* options; /* names beyond those that every command takes, NULL at the end */
    int (*run)(const options* o);
    bool hidden;
} command;

extern const option_def option_defs[];
extern const int option_def_count;
extern const command commands[];
extern const int command_count;
const option_def* find_option(const char* text);
/* The command of this name; complains with the nearest one and returns NULL when there is none. */
const command* find_command(const char* name);
/* Is the option of use to the command, so that help lists it? */
bool command_lists(const command* c, const char* option);
/* Is it accepted? */
bool command_takes(const command* c, const char* option);
/* What the option is for the command; where c is NULL, for all that take it. */
const char* option_help(const command* c, const option_def* d);

/* A table of library options that a command's scenario ("options": { NAME: ... }) and --set can change. */
typedef struct settings_table {
    const char* name;
    hf_scenario_kind kind;
    hf_option_table (*table)(void);
} settings_table;
/* The command's table of a number, after the ones before `from`; NULL when there is none left. */
const settings_table* next_table(const char* of, const settings_table* from);
/* The table that NAME of --set means for a command: the first that has it; NULL for none. */
const settings_table* table_of(const char* of, const char* name);
/* The command-line option that a number of a table has for itself, such as --seed, or NULL. */
const char* own_option(const char* name);
/* Complains and returns false when a --set names no option of the command, or no value that it takes. */
bool settings_fit(const options* o);
/* Of a command for two kinds of scenarios: are the settings of tables that this one has? Says which is not.
 */
bool settings_fit_kind(const options* o, const hf_scenario* s);
/* Complains and returns false when "options" of a scenario has a number that its table does not take, whether
   the command uses it or not. */
bool scenario_settings_fit(const hf_scenario* s);
/* The scenario's numbers of a table (where there is one), then those of --set; complains and returns false
 * when one does not fit.
 */
bool apply_settings(const options* o, const hf_scenario* s, const char* table, void* to);

int run_info(const options* o);
int run_pose(const options* o);
int run_sample(const options* o);
int run_contact(const options* o);
int run_plan(const options* o);
int run_realise(const options* o);
int run_adapt(const options* o);
/* adapt_edit.c: puts the schedule into the scene that the scenario's edits make, in place of the old one. */
hf_status adapt_to_edits(const hf_scenario* s, const options* o, hf_workspace* workspace,
                         hf_schedule** schedule, hf_adapt_result* result, hf_error* error);
json_t* edited_phases(const hf_scenario* s, const hf_adapt_result* result);
void say_edits(const hf_scenario* s, const hf_adapt_result* result);
/* Fates of phases as words: "3 kept, 1 moved". */
char* fates_text(const hf_adapt_result* result);
/* adapt_family.c: the schedule in the scenes of all values of --vary; `held` false when the clip's
   retargeting lost contacts already. Prints a table, writes the files of each variant. */
hf_status adapt_variants(const hf_scenario* s, const options* o, const hf_schedule* schedule, bool held,
                         bool* all_found, hf_error* error);
int run_refine(const options* o);
int run_roadmap(const options* o);
int run_reach(const options* o);
int run_stand(const options* o);
int run_check(const options* o);
int run_bench(const options* o);
int run_render(const options* o);
int run_export(const options* o);
int run_help(const options* o);

/* Messages go to stderr, as "holdfast: text"; notes are silent with --quiet. */
__attribute__((format(printf, 1, 2))) void complain(const char* format, ...);
__attribute__((format(printf, 2, 3))) void note(const options* o, const char* format, ...);
/* Fills the error with a status that a call gave without one, in its own words; returns the status. */
hf_status set_error(hf_error* error, hf_status status);
/* The same for work on a file, such as "following the path". */
hf_status fail_while(hf_error* error, hf_status status, const char* path, const char* work);
/* The same, but only for a failure that the error does not tell of already. */
hf_status keep_kind(hf_error* error, hf_status status);
/* Prints the error, unless it was told before; returns the exit code that fits. */
int fail_with(const hf_error* error);
/* A failure that was complained about already; returns the status. */
hf_status already_told(hf_error* error, hf_status status);
/* Adds to what the error says, behind "; ". */
__attribute__((format(printf, 2, 3))) void add_to_error(hf_error* error, const char* format, ...);
void warn_all(const options* o, hf_strings warnings);
/* Warnings of a scenario and of its creature. */
void warn_scenario(const options* o, const hf_scenario* s);
/* A path of any length: free the result. NULL when memory is out. */
__attribute__((format(printf, 1, 2))) char* make_text(const char* format, ...);

/* Progress bar on a terminal; false after Ctrl-C or when the time limit is over. */
typedef struct progress {
    const options* options;
    double started;
    int last_percent; /* -1: nothing is drawn */
    bool interrupted, timed_out;
} progress;
progress progress_start(const options* o);
/* limit.c: the time limit ends the program from limit_start on. limit_hand_over: the work that follows asks
   progress_report and keeps what it has. limit_end: what is left to do is to write it. */
void limit_start(const options* o);
void limit_hand_over(const options* o);
void limit_end(void);
double limit_started(void); /* by now_s() */
bool progress_report(void* p, double fraction, const char* stage);
void progress_end(progress* p);
/* What ended the work early: Ctrl-C or the time limit with its figure. The text lasts until the next call. */
const char* progress_stop_text(const progress* p);
double now_s(void);

/* What kind of thing a file is, by its ending and, for plain .json, by its "format". */
typedef enum file_kind {
    FILE_CREATURE,
    FILE_SCENE,
    FILE_CLIP,
    FILE_SCENARIO,
    FILE_MOTION,
    FILE_SCHEDULE,
    FILE_ROADMAP,
    FILE_UNKNOWN
} file_kind;
file_kind kind_of(const char* path);
/* Does a text end so, in large or small letters? */
bool ends_with(const char* text, const char* ending);
/* "a creature" and so on. */
const char* kind_text(file_kind kind);
/* Complains and returns false when a file is plainly of another kind than a command needs. */
bool is_kind(const char* path, file_kind wanted, const char* command_name);
/* Complains about a file that is none of the kinds. */
void unknown_kind(const char* path);

/* The file that an argument means: itself when it exists, else the shipped scenario, creature or scene of
   that name. Complains with the nearest name and returns NULL when there is none. Free the result. */
char* find_file(const char* argument);
/* The same where a file of this kind is wanted: only names of such are suggested. */
char* find_kind(const char* argument, file_kind wanted);
/* The path of something in the folder of shipped data, or beside it with "..", NULL when it is not there.
   Free the result. */
char* data_path(const char* inside);
/* Lists the stems of shipped files with this ending in data/FOLDER, sorted; free with free_names. */
char** list_shipped(const char* folder, const char* ending, int* count);
void free_names(char** names, int count);
hf_load_options load_options(const options* o);
/* The limb of --limb; complains with the nearest name and returns false when the creature has none. */
bool named_limb(const hf_creature* creature, const char* name, int* limb);

/* A motion with everything it names, loaded. */
typedef struct loaded_motion {
    hf_motion* motion;
    hf_schedule* schedule;       /* that the motion was made of, written with it; NULL when it is not known */
    const hf_picture_mark* mark; /* what is wrong in the last moment of a picture; NULL for nothing */
    const char* mark_text;       /* behind the time of that moment */
    hf_creature* creature;
    hf_scenario* scenario; /* NULL when the motion names none */
    const hf_scene* scene;
} loaded_motion;
hf_status load_motion(const char* path, const options* o, loaded_motion* out, hf_error* error);
void free_motion(loaded_motion* m);
/* A schedule with everything it names, loaded. */
typedef struct loaded_schedule {
    hf_schedule* schedule;
    hf_creature* creature;
    hf_scenario* scenario; /* NULL when the schedule names none: the scene is then empty */
    const hf_scene* scene;
    hf_scene* empty;
} loaded_schedule;
hf_status load_schedule(const char* path, const options* o, loaded_schedule* out, hf_error* error);
void free_schedule(loaded_schedule* s);
/* --creature and --scenario replace what a motion or schedule names; complains and returns false with other
 * files. */
bool overrides_fit(const options* o, const char* path);
/* Does the motion fit the creature and the scene that it was loaded with? */
hf_status fits(const loaded_motion* m, const char* path, hf_error* error);
/* The scenario that a solving command is given, with its warnings told; NULL, a complaint and the exit code
   when there is none or it is of another kind. */
/* Stands start and goal of a scenario that are given by a place alone. */
hf_status stand_scenario(const options* o, hf_scenario* s, hf_error* error);
hf_scenario* open_scenario(const options* o, const char* name, hf_scenario_kind kind, int* code);
/* The same for a command that takes scenarios of two kinds. */
hf_scenario* open_scenario_of(const options* o, const char* name, hf_scenario_kind kind,
                              hf_scenario_kind second, int* code);
/* An empty motion of a scenario as m's, which claims all that holds without looking at the scene. */
hf_status start_motion(loaded_motion* m, const hf_scenario* s, const char* outcome);
/* The same with a solved pose as its one frame; NULL when memory is out. */
hf_motion_frame* begin_motion(loaded_motion* m, const hf_scenario* s, const hf_pose* pose,
                              const char* outcome);
/* One frame of this pose of m's creature as m's motion. */
hf_status make_still(loaded_motion* m, const hf_pose* pose, hf_error* error);
/* A creature in its rest posture. */
hf_status load_rest(const char* path, const options* o, loaded_motion* out, hf_error* error);
/* How the command line wants a clip to be read; complains and returns false when an option is malformed. */
bool clip_options(const options* o, hf_clip_options* to);
/* A clip and the creature made from it, as a motion. */
hf_status load_clip(const char* path, const options* o, loaded_motion* out, hf_error* error);

/* Prints a JSON object on one line of stdout and releases it; NULL, for memory that ran out, ends the
 * program.
 */
void print_json(json_t* object);
json_t* json_vec3(hf_vec3 v);
/* A text, such as a path, that need not be valid UTF-8: what is not is replaced. */
json_t* json_text(const char* text);
json_t* json_strings(hf_strings s);
/* A picture of some frames of a motion, as `render` and the solving commands write it. */
hf_status draw_motion(const loaded_motion* m, const options* o, const int* frames, int count, hf_vec3 task,
                      const char* path, progress* p, hf_error* error);
/* Writes the schedule of a motion; it names the creature's own file, even where that is a rig. */
hf_status save_schedule(const loaded_motion* m, const char* path, hf_error* error);
/* Writes a motion as STEM.motion.json and STEM.glb, a picture of some of its frames as STEM.png, and the
   schedule that it was made from, where there is one, as STEM.schedule.json. */
hf_status write_motion(const loaded_motion* m, const char* stem, const int* frames, int count, hf_vec3 task,
                       const options* o, progress* p, hf_error* error);
/* Up to this many moments are in the picture of a whole motion. */
enum { STRIP = 8 };
/* Frames of a motion for its picture, evenly spread; returns how many. */
int strip_frames(const hf_motion* motion, int frames[STRIP]);
/* Saves a motion; a rig has no URDF of its own, so one is written as STEM.urdf beside it. */
hf_status save_motion(const loaded_motion* m, const char* path, const options* o, hf_error* error);
/* The command line's wishes about pictures; complains and returns false when one is malformed. */
bool picture_options(const options* o, hf_picture_options* p);
/* Can a picture of so many panels be drawn as the command line wishes? Complains and returns false when not:
   asked before the work begins. */
bool picture_fits(const options* o, int panels);
bool is_folder(const char* path);
/* Can a file of this name be written? Complains and returns false when its folder is missing or closed, or
   when it is a folder itself: asked before the work begins. */
bool can_write(const char* path);
/* Adds the start's contacts to the targets, held, for limbs that have no target; false when memory is out. */
bool hold_start_contacts(hf_scenario* s);
/* A roadmap that does not fit is the fault of the file that --roadmap names. */
void blame_roadmap(const options* o, hf_status status, hf_error* error);
/* The options of reaching, or of the planner: defaults, then the scenario's, then the command line's.
   Complain and return false when the scenario asks for what they do not have; a plan needs a goal. */
bool reach_wishes(const options* o, const hf_scenario* s, hf_reach_options* r);
bool plan_wishes(const options* o, const hf_scenario* s, hf_plan_options* p);
/* A quicker schedule and motion with the same holds, as refine makes it, and plan without --raw; --fps is its
 * rate.
 */
hf_status refine_schedule(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                          const options* o, progress* p, hf_refine_result* result, hf_error* error);
/* What a roadmap holds, in words or JSON. */
void say_roadmap(const options* o, const hf_roadmap* roadmap, const char* path);
/* Makes the folder, and those above it, when missing; complains and returns false when that fails, or when
   nothing can be written there. */
bool make_folder(const char* path);
/* The whole path of a file that shall be named in a JSON file; complains and returns NULL when there is none,
   or when the path is not UTF-8 text, which is all that JSON holds. */
char* nameable(const char* path);
/* Makes the folder of the output; complains and returns false when that fails, or when what is written there
   could not name the files of the command line: asked before the work begins. */
bool make_output(const options* o);

#endif
