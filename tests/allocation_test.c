/* Every loader with each of its allocations failing in turn: it says so, hands out nothing and loses nothing.
   The allocation functions of the C library are replaced here, for the whole program; where a sanitizer has
   replaced them already the test is left out. */
#include "test.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "contact/candidates.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#define REPLACED !SANITIZED
#else
#define REPLACED 0
#endif

static _Thread_local long until_failure = -1; /* allocations that still succeed, -1: all */
static _Thread_local bool failed, qhull_failed;
static _Thread_local bool keeps_failing; /* after the first failure all others fail too */
static _Thread_local long live;          /* blocks handed out and not given back */

#if REPLACED
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* pointer, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* pointer);

/* Is the caller qhull? It keeps some blocks where an allocation of its own fails. */
static bool is_qhull(const void* caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "qhull");
}
static bool fails(const void* caller) {
    if (until_failure < 0) return false;
    if (until_failure-- > 0) return false;
    until_failure = keeps_failing ? 0 : -1;
    failed = true;
    qhull_failed |= is_qhull(caller);
    errno = ENOMEM;
    return true;
}
static void* counted(void* pointer) {
    live += pointer != NULL;
    return pointer;
}
/* Seen by shared libraries as well, which the default of this project would hide. */
#pragma GCC visibility push(default)
void* malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size));
}
void* aligned_alloc(size_t alignment, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : counted(__libc_memalign(alignment, size));
}
void* realloc(void* pointer, size_t size) {
    if (fails(__builtin_return_address(0))) return NULL;
    return pointer ? __libc_realloc(pointer, size) : counted(__libc_realloc(NULL, size));
}
void free(void* pointer) {
    live -= pointer != NULL;
    __libc_free(pointer);
}
#pragma GCC visibility pop
#endif

/* ---- Loaders: each loads a file, checks that a failure hands out nothing, frees ---- */

typedef hf_status (*loader)(const char* path, hf_error* error);

static hf_status load_mesh(const char* path, hf_error* error) {
    hf_mesh mesh;
    char* warnings;
    hf_status status = hf_mesh_load(path, &mesh, &warnings, error);
    if (status != HF_OK) assert_true(!mesh.vertices && !mesh.indices && !warnings);
    hf_mesh_free(&mesh);
    hf_text_free(warnings);
    return status;
}
static hf_status load_creature(const char* path, hf_error* error) {
    hf_creature* creature;
    hf_status status = hf_creature_load(path, NULL, &creature, error);
    assert_true((status == HF_OK) == (creature != NULL));
    hf_creature_free(creature);
    return status;
}
static hf_status load_scenario(const char* path, hf_error* error) {
    hf_scenario* scenario;
    hf_status status = hf_scenario_load(path, NULL, &scenario, error);
    assert_true((status == HF_OK) == (scenario != NULL));
    hf_scenario_free(scenario);
    return status;
}
static hf_status load_clip(const char* path, hf_error* error) {
    hf_clip* clip;
    hf_status status = hf_clip_load(path, 0, &clip, error);
    assert_true((status == HF_OK) == (clip != NULL));
    hf_clip_free(clip);
    return status;
}
static hf_status load_motion(const char* path, hf_error* error) {
    hf_motion* motion;
    hf_status status = hf_motion_load(path, &motion, error);
    assert_true((status == HF_OK) == (motion != NULL));
    hf_motion_free(motion);
    return status;
}

/* A motion out in every format; the creature beside it is loaded first, and that may fail as well. */
static hf_status export_motion(const char* path, hf_error* error) {
    static const char* const endings[] = {".glb", ".bvh", ".json"};
    char out[1100];
    hf_creature* creature = NULL;
    hf_motion* motion = NULL;
    snprintf(out, sizeof out, "%.*ssmall.creature.json", (int)(strrchr(path, '/') + 1 - path), path);
    hf_status status = hf_creature_load(out, NULL, &creature, error);
    if (status == HF_OK) status = hf_motion_load(path, &motion, error);
    for (int i = 0; i < 3 && status == HF_OK; i++) {
        snprintf(out, sizeof out, "%s.out%s", path, endings[i]);
        status =
            i < 2 ? hf_motion_export(motion, creature, NULL, out, error) : hf_motion_save(motion, out, error);
    }
    hf_motion_free(motion);
    hf_creature_free(creature);
    return status;
}
/* A clip with the creature and the motion that it makes. */
static hf_status load_rig(const char* path, hf_error* error) {
    hf_clip* clip = NULL;
    hf_creature* creature = NULL;
    hf_motion* motion = NULL;
    hf_status status = hf_clip_load(path, 0, &clip, error);
    if (status == HF_OK) status = hf_creature_load(path, NULL, &creature, error);
    if (status == HF_OK) status = hf_clip_motion(clip, creature, &motion, error);
    assert_true((status == HF_OK) == (motion != NULL));
    hf_motion_free(motion);
    hf_creature_free(creature);
    hf_clip_free(clip);
    return status;
}

/* Candidates of a set in a scene of one triangle, with a distance grid. */
static hf_status find_candidates(const hf_samples* samples, hf_error* error) {
    float v[9] = {-1, -1, -0.2f, 1, -1, -0.2f, 0, 1, -0.2f};
    uint32_t t[3] = {0, 1, 2};
    hf_object_def def = hf_object_def_default();
    hf_scene* scene = NULL;
    hf_placement* placement = NULL;
    hf_workspace* workspace = NULL;
    hf_grids* grids = NULL;
    def.name = "t";
    def.mesh = (hf_mesh){.vertices = v, .vertex_count = 3, .indices = t, .triangle_count = 1};
    hf_status status = hf_scene_build(&def, 1, &scene, error);
    if (status == HF_OK) status = hf_grids_build(scene, 0.1, true, 1, &grids, error);
    if (status == HF_OK) {
        status = hf_placement_create(scene, &placement);
        if (status == HF_OK) status = hf_workspace_create(&workspace);
        for (int way = 0; way < 2 && status == HF_OK; way++) {
            hf_candidate_query q = {.placement = placement, .grids = grids, .no_grids = !way, .epsilon = 0.1};
            q.base = hf_transform_identity();
            hf_candidates c;
            hf_workspace_mark mark = hf_workspace_begin(workspace);
            status = hf_candidates_find(samples, &q, workspace, &c);
            hf_workspace_end(workspace, mark);
        }
        if (status != HF_OK) hf_fail(error, status, NULL, 0, NULL, "no memory");
    }
    hf_grids_free(grids);
    hf_workspace_free(workspace);
    hf_placement_free(placement);
    hf_scene_free(scene);
    return status;
}
/* The sample sets of a creature, through a file and into candidates. */
static hf_status build_samples(const char* path, hf_error* error) {
    char out[1100];
    hf_creature* creature = NULL;
    snprintf(out, sizeof out, "%s.hfs", path);
    hf_status status = hf_creature_load(path, NULL, &creature, error);
    for (int limb = 0; status == HF_OK && limb < hf_creature_get(creature)->limb_count; limb++) {
        hf_samples *built = NULL, *loaded = NULL;
        hf_sample_options o = hf_sample_options_default();
        o.count = 50, o.threads = 1, o.task_share = 0.5, o.task = hf_v3(0, 0, 1);
        status = hf_samples_build(creature, limb, &o, &built, error);
        assert_true((status == HF_OK) == (built != NULL));
        if (status == HF_OK) status = hf_samples_save(built, out, error);
        if (status == HF_OK) status = hf_samples_load(creature, limb, &o, out, &loaded, error);
        if (status == HF_OK && limb == 0) status = find_candidates(loaded, error);
        hf_samples_free(built);
        hf_samples_free(loaded);
    }
    hf_creature_free(creature);
    return status;
}

/* A schedule read, written, drawn and made into a motion; its creature and scene are there already. */
static hf_status use_schedule(const char* path, hf_error* error) {
    static hf_creature* creature;
    static hf_scene* scene;
    static hf_workspace* workspace;
    char out[1100], *named[3] = {NULL};
    snprintf(out, sizeof out, "%.*ssmall.creature.json", (int)(strrchr(path, '/') + 1 - path), path);
    if (!creature) {
        float v[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
        uint32_t t[3] = {0, 1, 2};
        hf_object_def def = hf_object_def_default();
        def.name = "t";
        def.mesh = (hf_mesh){.vertices = v, .vertex_count = 3, .indices = t, .triangle_count = 1};
        assert_int_equal(hf_creature_load(out, NULL, &creature, error), HF_OK);
        assert_int_equal(hf_scene_build(&def, 1, &scene, error), HF_OK);
        assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    }
    hf_schedule* s = NULL;
    hf_motion* motion = NULL;
    hf_picture picture = {0};
    hf_realise_result result = {0};
    hf_realise_options o = hf_realise_options_default();
    snprintf(out, sizeof out, "%s.out.json", path);
    hf_status status = hf_schedule_peek(path, &named[0], &named[1], &named[2], error);
    if (status == HF_OK) status = hf_schedule_load(path, creature, scene, &s, error);
    assert_true((status == HF_OK) == (s != NULL));
    if (status == HF_OK) status = hf_schedule_save(s, creature, scene, out, error);
    if (status == HF_OK) status = hf_render_timeline(s, creature, scene, NULL, &picture, error);
    if (status == HF_OK) {
        status = hf_realise(creature, scene, s, &o, workspace, &motion, &result);
        if (status != HF_OK) *error = (hf_error){.status = status, .message = "no motion"};
    }
    for (int i = 0; i < 3; i++) free(named[i]);
    hf_realise_result_free(&result);
    hf_motion_free(motion);
    hf_picture_free(&picture);
    hf_schedule_free(s);
    return status;
}

/* A region learned from the corners of a cube, and written. */
static hf_status learn_region(const char* path, hf_error* error) {
    char out[1100];
    double corners[8][3];
    for (int i = 0; i < 24; i++) corners[i / 3][i % 3] = (i / 3) >> (i % 3) & 1;
    const char* names[3] = {"one", "two", "three"};
    snprintf(out, sizeof out, "%s.rom.json", path);
    return hf_rom_learn(corners[0], 8, 2, names, out, error);
}

/* A swing without limbs between two poses, as a course, timed and made into frames. */
static hf_status time_course(const char* path, hf_error* error) {
    hf_scenario* s = NULL;
    hf_placement* placement = NULL;
    hf_workspace* workspace = NULL;
    hf_course* course = NULL;
    hf_swing* swing = NULL;
    hf_motion* motion = NULL;
    hf_schedule* schedule = NULL;
    hf_realise_result result = {0};
    hf_status status = hf_scenario_load(path, NULL, &s, error);
    if (status != HF_OK) return status;
    status = hf_placement_create(s->scene, &placement);
    if (status == HF_OK) status = hf_workspace_create(&workspace);
    if (status == HF_OK) status = hf_course_create(s->creature, &course);
    if (status == HF_OK) status = hf_swing_create(s->creature, &swing);
    hf_swing_query query = {
        .from = s->start.pose, .to = s->start.pose, .options = hf_swing_options_default()};
    query.from.root.position.z = 5, query.to.root.position.z = 6;
    if (status == HF_OK) status = hf_swing_find(s->creature, placement, &query, workspace, swing);
    if (status == HF_OK) status = hf_course_add(course, &query.from, NULL, 0, HF_MARK_STOP);
    if (status == HF_OK) status = hf_course_add_swing(course, swing, NULL, 0);
    if (status == HF_OK) status = hf_course_add(course, &query.to, NULL, 0, HF_MARK_STOP);
    hf_course_options o = hf_course_options_default();
    if (status == HF_OK)
        status = hf_course_realise(course, s->scene, &o, workspace, &schedule, &motion, &result);
    if (status == HF_OK) assert_true(motion->frame_count > 5);
    if (status != HF_OK) *error = (hf_error){.status = status, .message = "no course"};
    hf_motion_free(motion);
    hf_schedule_free(schedule);
    hf_realise_result_free(&result);
    hf_swing_free(swing);
    hf_course_free(course);
    hf_workspace_free(workspace);
    hf_placement_free(placement);
    hf_scenario_free(s);
    return status;
}

/* ---- Small files of every kind ---- */

static const struct {
    const char* name;
    loader load;
    const char* text;
} files[] = {
    {"concave.obj", load_mesh,
     "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 1 3 0\nv 3 3 0\nv 3 1 0\nl 1 2\nwhat\nf 1 2 3 4 1 5 6 7 "
     "8 5\n"},
    {"text.stl", load_mesh,
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 "
     "0\nendloop\nendfacet\nendsolid\n"},
    {"text.ply", load_mesh,
     "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
     "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 "
     "2 3\n"},
    {"small.urdf", load_creature,
     "<robot name='small'><link name='base'><collision><geometry><box size='0.2 0.2 "
     "0.2'/></geometry></collision></link>"
     "<link name='leg'><visual><geometry><mesh "
     "filename='concave.obj'/></geometry></visual><collision><geometry>"
     "<cylinder radius='0.1' length='0.3'/></geometry></collision></link><link name='foot'/>"
     "<joint name='hip' type='revolute'><parent link='base'/><child link='leg'/><origin xyz='0 0 -0.2'/>"
     "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
     "<joint name='ankle' type='revolute'><parent link='leg'/><child link='foot'/><origin xyz='0 0 -0.3'/>"
     "<axis xyz='0 1 0'/><mimic joint='hip'/><limit lower='-1' upper='1' effort='1' "
     "velocity='1'/></joint></robot>"},
    {"small.srdf", NULL,
     "<robot name='small'><group name='all'><joint name='hip'/></group><group_state name='home' group='all'>"
     "<joint name='hip' value='0.5'/></group_state><disable_collisions link1='base' link2='leg' "
     "reason='x'/></robot>"},
    {"small.creature.json", load_creature,
     "{\"format\":\"holdfast-creature\",\"version\":1,\"urdf\":\"small.urdf\",\"trunk\":[\"base\"],\"limbs\":"
     "[{\"name\":"
     "\"leg\",\"root\":\"leg\",\"effector\":\"foot\",\"contact\":{\"name\":\"sole\",\"offset\":[0,0,-0.02],"
     "\"normal\":"
     "[0,0,-1]}}],\"rest\":{\"hip\":0.1},\"gait\":[[\"leg\"]]}"},
    {"full.rom.json", NULL,
     "{\"joints\":[\"x\",\"y\"],\"pieces\":[{\"A\":[[1,0],[-1,0],[0,1],[0,-1]],\"b\":[1,1,1,1]}]}"},
    {"swing.rom.json", NULL,
     "{\"swing_polygon\":[[0.5,0,-1],[0,0.5,-1],[-0.5,0,-1],[0,-0.5,-1]],\"twist\":[-1,1]}"},
    {"full.urdf", load_creature,
     "<robot><material name='red'><color rgba='1 0 0 1'/></material><link name='world'/><link name='body'>"
     "<inertial><origin rpy='0 0 1'/><mass value='1'/><inertia ixx='1' iyy='1' izz='-1'/></inertial></link>"
     "<link name='l1'><collision><geometry><mesh filename='package://none/concave.obj' "
     "scale='2'/></geometry></collision></link>"
     "<link name='l2'><visual><geometry><sphere radius='0.1'/></geometry><material "
     "name='red'/></visual></link>"
     "<link name='r1'><collision><geometry><mesh "
     "filename='package://none/missing.obj'/></geometry></collision></link>"
     "<link name='r2'><collision><geometry><torus/></geometry></collision></link>"
     "<joint name='w' type='fixed'><parent link='world'/><child link='body'/></joint>"
     "<joint name='a' type='revolute'><parent link='body'/><child link='l1'/><origin xyz='0 0.1 0'/></joint>"
     "<joint name='b' type='continuous'><parent link='l1'/><child link='l2'/><origin xyz='0 0 -0.3'/></joint>"
     "<joint name='c' type='continuous'><parent link='body'/><child link='r1'/><origin xyz='0 -0.1 "
     "0'/></joint>"
     "<joint name='d' type='continuous'><parent link='r1'/><child link='r2'/><origin xyz='0 0 -0.3'/></joint>"
     "</robot>"},
    {"full.srdf", NULL,
     "<robot><group name='one'><chain base_link='body' tip_link='l2'/></group><group name='two'><link "
     "name='r2'/>"
     "<joint name='c'/></group><group name='odd'><chain base_link='body' tip_link='zero'/></group>"
     "<end_effector name='e' parent_link='l2' group='one'/><gripper name='g'><link name='r2'/></gripper>"
     "<disable_collisions link1='l2' link2='r2'/></robot>"},
    {"full.creature.json", load_creature,
     "{\"format\":\"holdfast-creature\",\"version\":1,\"urdf\":\"full.urdf\",\"limbs\":[{\"name\":\"l\","
     "\"effector\":"
     "\"l2\",\"excludes\":[\"r\"],\"contact\":[{\"offset\":[0,0,0],\"normal\":[0,0,-1],\"ball\":0.1}]},{"
     "\"name\":\"r\","
     "\"root\":\"r1\",\"effector\":\"r2\",\"mirror_of\":\"l\"},{\"name\":\"seat\",\"root\":\"body\","
     "\"effector\":"
     "\"body\"}],\"rom\":[{\"joints\":[\"a\",\"b\"],\"region\":\"full.rom.json\"},{\"joints\":[\"c\"],"
     "\"region\":"
     "\"swing.rom.json\"}],\"gait\":[[\"l\"],[\"r\"]],\"guide\":{\"upright\":[\"l\",\"r\"]}}"},
    {"sampled.creature.json", build_samples,
     "{\"format\":\"holdfast-creature\",\"version\":1,\"urdf\":\"full.urdf\",\"limbs\":[{\"name\":\"l\","
     "\"root\":\"l1\",\"effector\":\"l2\"},{\"name\":\"r\",\"root\":\"r1\",\"effector\":\"r2\",\"mirror_of\":"
     "\"l\"}],\"rom\":[{\"joints\":[\"a\",\"b\"],\"region\":\"full.rom.json\"}]}"},
    {"rig.bvh", load_creature,
     "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
     "Yrotation\nJOINT knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
     "Site\n{\nOFFSET 0 "
     "-40 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n0 80 0 0 0 0 0 0 0\n"},
    {"small.scenario.json", load_scenario,
     "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"pose\",\"creature\":\"small.creature.json\","
     "\"scene\":[{"
     "\"name\":\"a\",\"mesh\":\"concave.obj\",\"scale\":2,\"keys\":[[0,[0,0,0,1,0,0,0]]]},{\"name\":\"b\","
     "\"mesh\":"
     "\"concave.obj\"}],\"start\":{\"joints\":{\"hip\":0.2},\"contacts\":[\"leg\"]},\"targets\":[{\"limb\":"
     "\"leg\","
     "\"point\":[0,0,-1]}],\"options\":{\"score\":{\"effort\":1}}}"},
    {"cube", learn_region, ""},
    {"timed.scenario.json", time_course,
     "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"contact\",\"creature\":\"small.creature."
     "json\",\"path\":[[0,0,0,1,0,0,0],[0,0,1,1,0,0,0]]}"},
    {"tasks.scenario.json", load_scenario,
     "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"contact\",\"creature\":\"small.creature."
     "json\",\"tasks\":[{"
     "\"name\":\"up\",\"direction\":[0,0,1],\"limbs\":[{\"limb\":\"leg\"}]}],\"path\":[[0,0,0,1,0,0,0],[0,0,"
     "1,1,0,0,0]]}"},
    {"small.bvh", load_clip,
     "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
     "Yrotation\n"
     "JOINT knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -40 "
     "0\n}\n}\n}\n"
     "MOTION\nFrames: 2\nFrame Time: 0.01\n0 80 0 0 0 0 0 0 0\n0 81 0 0 0 0 0 0 1\n"},
    {"small.motion.json", load_motion,
     "{\"format\":\"holdfast-motion\",\"version\":1,\"creature\":\"small.creature.json\",\"outcome\":"
     "\"found\",\"claims\":"
     "[\"limits\"],\"joints\":[\"hip\",\"ankle\"],\"limbs\":[\"leg\"],\"contact_frames\":{\"leg\":[{\"name\":"
     "\"sole\",\"link\":"
     "\"foot\",\"offset\":[0,0,0],\"normal\":[0,0,-1]}]},\"frames\":[{\"t\":0,\"root\":[0,0,0,1,0,0,0],\"q\":"
     "[0,0],"
     "\"contacts\":[{\"limb\":\"leg\",\"frame\":\"sole\",\"point\":[0,0,0],\"normal\":[0,0,1],\"object\":"
     "\"a\"}],\"objects\":{"
     "\"a\":[0,0,0,1,0,0,0]}}],\"stats\":{\"a name longer than what a reader begins with, which has to grow "
     "for it\":1.2345678901234567890123}}"},
    {"small.schedule.json", use_schedule,
     "{\"format\":\"holdfast-schedule\",\"version\":1,\"creature\":\"small.creature.json\",\"scenario\":"
     "\"small.scenario.json\",\"outcome\":\"found\",\"claims\":[\"limits\"],\"holds\":[{\"limb\":"
     "\"leg\",\"frame\":\"sole\",\"object\":\"t\",\"point\":[0,0,0],\"normal\":[0,0,1],\"from\":0,\"to\":0.1}"
     "],"
     "\"knots\":[{\"t\":0,\"root\":[0,0,0.52,1,0,0,0],\"q\":[0,0],\"stance\":true},{\"t\":0.1,\"root\":[0,0,"
     "0.52,1,0,0,0],\"q\":[0,0]}]}"},
    {"rig.bvh", load_rig,
     "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
     "Yrotation\n"
     "JOINT knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -40 "
     "0\n}\n}\n}\n"
     "MOTION\nFrames: 2\nFrame Time: 0.01\n0 80 0 0 0 0 0 0 0\n0 81 0 0 0 0 0 0 1\n"},
    {"rig.gltf", load_creature,
     "{\"nodes\":[{\"name\":\"hip\",\"children\":[1,2]},{\"translation\":[0.1,-1,0]},{\"translation\":[0,1,0]"
     "}],"
     "\"skins\":[{\"joints\":[0,1,2]}]}"},
    {"out.motion.json", export_motion,
     "{\"format\":\"holdfast-motion\",\"version\":1,\"creature\":\"small.creature.json\",\"outcome\":"
     "\"found\",\"claims\":"
     "[\"limits\"],\"joints\":[\"hip\",\"ankle\"],\"limbs\":[\"leg\"],\"contact_frames\":{\"leg\":[{\"name\":"
     "\"sole\",\"link\":"
     "\"foot\",\"offset\":[0,0,-0.02],\"normal\":[0,0,-1]}]},\"frames\":[{\"t\":0,\"root\":[0,0,0,1,0,0,0],"
     "\"q\":"
     "[0,0],"
     "\"contacts\":[{\"limb\":\"leg\",\"frame\":\"sole\",\"point\":[0,0,0],\"normal\":[0,0,1],\"object\":"
     "\"a\"}],\"objects\":{"
     "\"a\":[0,0,0,1,0,0,0]}},{\"t\":0.1,\"root\":[0,0,0,1,0,0,0],\"q\":[0.1,0]}],\"stats\":{\"x\":1}}"},
};

static void path_of(const char* name, char path[1024]) {
    snprintf(path, 1024, "%s/allocation/%s", test_folder(), name);
}

static int write_files(void** state) {
    (void)state;
    char path[1024];
    path_of("", path);
    mkdir(path, 0777);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        path_of(files[i].name, path);
        FILE* f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(files[i].text, 1, strlen(files[i].text), f), strlen(files[i].text));
        fclose(f);
    }
    return 0;
}

static void check_file(const char* name, loader load) {
    char path[1024], text[1200];
    path_of(name, path);
    hf_error error = {0};
    /* Once without failures: it loads, and libraries set themselves up. */
    if (load(path, &error) != HF_OK) fail_msg("%s", hf_error_text(&error, text, sizeof text));
    long count = 0, survived = 0;
    for (failed = true; failed; count++) {
        memset(&error, 0, sizeof error);
        failed = qhull_failed = false;
        long before = live;
        until_failure = count;
        hf_status status = load(path, &error);
        until_failure = -1;
        survived += failed && status == HF_OK;
        if (failed && status != HF_OK && (error.status != status || !error.message[0]))
            fail_msg("%s: allocation %ld: the error is not filled", name, count);
        if (failed && status != HF_OK && status != HF_ERROR_MEMORY)
            fail_msg("%s: allocation %ld is told as: %s", name, count,
                     hf_error_text(&error, text, sizeof text));
        if (!failed && status != HF_OK) fail_msg("%s", hf_error_text(&error, text, sizeof text));
        if (live != before && !qhull_failed)
            fail_msg("%s: allocation %ld: %ld blocks are lost", name, count, live - before);
    }
    /* Only giving back memory that grew too large may fail without harm (two arrays for each mesh, two
       meshes), and the buffers of the files that are written. */
    long most = load == load_motion ? 0
                                    : 4 + (load == export_motion   ? 4
                                           : load == time_course   ? 1
                                           : load == build_samples ? 1
                                                                   : 0);
    assert_true(count > 4);
    if (survived > most) fail_msg("%s: %ld of %ld failures were not told", name, survived, count);
}

static void each_failing_allocation_is_survived(void** state) {
    (void)state;
    if (!REPLACED) {
        print_message("allocation functions cannot be replaced here: skipped\n");
        skip();
    }
    for (int mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            keeps_failing = mode == 1;
            if (files[i].load) check_file(files[i].name, files[i].load);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
