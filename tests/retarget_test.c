/* Retargeting: a clip whose contacts are known comes back on the human, with its holds where they were, and
   is valid; what cannot be retargeted is told. */
#include "clip_fixture.h"

#include "adapt/landmarks.h"

#include <limits.h>
#include <stdlib.h>

enum { FRAMES = 150 };
static const double RATE = 50;

/* The floor, and a cube where a point of the lifted leg would be. */
static hf_scene* make_obstacle(hf_vec3 at) {
    static float v[2][24];
    hf_object_def defs[] = {floor_box(v[0]), make_box("cube", v[1], at, hf_v3(0.06, 0.06, 0.06))};
    hf_scene* scene = NULL;
    assert_int_equal(hf_scene_build(defs, 2, &scene, NULL), HF_OK);
    return scene;
}

/* How far the right foot is lifted in a frame, 0..1: up in the second second, down before the third. */
static double lift_of(int frame) {
    double t = frame / RATE - 1;
    return t > 0 && t < 1 ? hf_sin(3.14159265358979 * t) * hf_sin(3.14159265358979 * t) : 0;
}

/* The human stands on its soles and lifts its right foot, as a BVH clip. */
static hf_clip* make_clip(const hf_creature* human) {
    const hf_creature_view* v = hf_creature_get(human);
    hf_motion* motion = NULL;
    assert_int_equal(hf_motion_create(human, NULL, &motion), HF_OK);
    hf_pose pose = {.q = calloc((size_t)v->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose_rest(human, &pose);
    hf_forward(human, &pose, links);
    const hf_contact_frame* sole = &v->limbs[hf_creature_find_limb(human, "left_leg")].contacts[0];
    double height = -hf_apply(links[sole->link], sole->offset).z;
    for (int f = 0; f < FRAMES; f++) {
        hf_pose_rest(human, &pose);
        pose.root.position.z = height;
        turn_joint(human, pose.q, "r_hip_y", 0.5 * lift_of(f));
        turn_joint(human, pose.q, "r_knee", 0.9 * lift_of(f));
        assert_non_null(hf_motion_add(motion, f / RATE, &pose));
    }
    free(pose.q);
    free(links);
    return clip_of(motion, human, RATE, "lift.bvh");
}

/* Frames in which a phase of the limb lasts. */
static bool touches(const hf_phases* phases, int limb, int frame) {
    for (int i = 0; i < phases->count; i++)
        if (phases->items[i].limb == limb && phases->items[i].first <= frame &&
            frame <= phases->items[i].last)
            return true;
    return false;
}

/* The fastest contact between two frames of its hold, m/s. */
static double fastest_contact(const hf_creature* human, const hf_schedule* schedule,
                              const hf_motion* motion) {
    const hf_creature_view* v = hf_creature_get(human);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    double most = 0;
    for (int i = 0; i < schedule->hold_count; i++) {
        const hf_schedule_hold* h = &schedule->holds[i];
        const hf_contact_frame* c = &v->limbs[h->hold.limb].contacts[h->hold.frame];
        hf_vec3 before = {0, 0, 0};
        bool held = false;
        for (int f = 0; f < motion->frame_count; f++) {
            const hf_motion_frame* frame = &motion->frames[f];
            if (frame->time_s < h->from_s - 1e-6 || frame->time_s > h->to_s + 1e-6) continue;
            hf_forward(human, &(hf_pose){frame->root, frame->q}, links);
            hf_vec3 at = hf_apply(links[c->link], c->offset);
            if (held) most = fmax(most, hf_distance(before, at) * schedule->rate);
            before = at, held = true;
        }
    }
    free(links);
    return most;
}

static void clip_comes_back(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_scene* floor = make_floor();
    hf_clip* clip = make_clip(human);
    hf_workspace* workspace = NULL;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_retarget_options options = hf_retarget_options_default();
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    if (hf_retarget(clip, human, floor, NULL, 0, &options, workspace, &schedule, &result, &error) != HF_OK)
        fail_msg("%s", error.message);
    assert_near(result.scale, 1, 0.01);
    /* Contacts: the left foot always, the right one while it is not lifted (faster than 0.06 m/s, or over 1
     * cm). */
    int left = hf_creature_find_limb(human, "left_leg"), right = hf_creature_find_limb(human, "right_leg"),
        wrong = 0;
    for (int f = 0; f < FRAMES; f++) {
        wrong += !touches(&result.phases, left, f);
        wrong += touches(&result.phases, right, f) != (lift_of(f) < 0.02);
    }
    assert_true(wrong <= 2 * FRAMES * 2 / 100);
    for (int i = 0; i < result.phases.count; i++) {
        const hf_phase* p = &result.phases.items[i];
        assert_int_equal(p->fate, HF_RETARGET_KEPT);
        assert_near(p->point.z, 0, 1e-6);
        assert_near(p->normal.z, 1, 1e-6);
    }
    /* The motion keeps everything that the schedule claims. */
    hf_realise_options test = hf_realise_options_default();
    hf_realise_result judged = {0};
    hf_motion* motion = NULL;
    assert_int_equal(hf_realise(human, floor, schedule, &test, workspace, &motion, &judged), HF_OK);
    for (int i = 0; i < judged.fault_count; i++)
        print_message("frame %d %s\n", judged.faults[i].frame, hf_frame_fault_text(judged.faults[i].kind));
    assert_int_equal(judged.fault_count, 0);
    assert_true(fastest_contact(human, schedule, motion) < 0.01);
    assert_true(motion->claims & HF_CLAIM_CONTACTS && motion->claims & HF_CLAIM_COLLISION);
    /* The lifted foot is up where the clip's is, within 3 cm. */
    int q_knee = hf_creature_get(human)->joints[hf_creature_find_joint(human, "r_knee")].q_index;
    double bent = motion->frames[75].q[q_knee] - motion->frames[5].q[q_knee];
    assert_true(fabs(bent - 0.9) < 0.15);
    hf_motion_free(motion);
    hf_realise_result_free(&judged);
    hf_schedule_free(schedule);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_clip_free(clip);
    hf_scene_free(floor);
    hf_creature_free(human);
}

/* Where the right knee of the clip is when it is lifted most. */
static hf_vec3 lifted_knee(const hf_clip* clip) {
    hf_transform* now = calloc((size_t)clip->joint_count, sizeof *now);
    int knee = 0;
    for (int i = 0; i < clip->joint_count; i++)
        if (strcmp(clip->joints[i].name, "r_shank") == 0) knee = i;
    assert_true(knee > 0);
    hf_clip_forward(clip, 75, now);
    hf_vec3 at = now[knee].position;
    free(now);
    return at;
}

/* A cube is where the lifted knee of the clip would be, and no round makes room: the leg goes another way,
   and both feet stand where they stood. */
static void lifted_leg_goes_round(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human);
    hf_scene* scene = make_obstacle(lifted_knee(clip));
    hf_workspace* workspace = NULL;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_retarget_options options = hf_retarget_options_default();
    options.rounds = 0, options.iterations = 1; // the solver of frames leaves faults
    options.scale_scene = true;                 // the clip is not taken as it is
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    if (hf_retarget(clip, human, scene, NULL, 0, &options, workspace, &schedule, &result, &error) != HF_OK)
        fail_msg("%s", error.message);
    hf_realise_options test = hf_realise_options_default();
    hf_realise_result judged = {0};
    hf_motion* motion = NULL;
    assert_int_equal(hf_realise(human, scene, schedule, &test, workspace, &motion, &judged), HF_OK);
    for (int i = 0; i < judged.fault_count; i++)
        print_message("frame %d %s\n", judged.faults[i].frame, hf_frame_fault_text(judged.faults[i].kind));
    assert_int_equal(judged.fault_count, 0);
    assert_true(fastest_contact(human, schedule, motion) < 0.01);
    for (int i = 0; i < result.phases.count; i++) assert_true(result.phases.items[i].held_share > 0.8);
    hf_motion_free(motion);
    hf_realise_result_free(&judged);
    hf_schedule_free(schedule);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_clip_free(clip);
    hf_scene_free(scene);
    hf_creature_free(human);
}

static void scene_is_fitted(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human);
    hf_retarget_options options = hf_retarget_options_default();
    hf_fitted_scene scene = {0};
    assert_int_equal(hf_scene_fit(clip, human, NULL, 0, &options, &scene, NULL), HF_OK);
    assert_int_equal(scene.count, 1);
    assert_string_equal(scene.boxes[0].name, "floor");
    assert_near(scene.boxes[0].high.z, 0, 0.005);
    hf_fitted_scene_free(&scene);
    hf_clip_free(clip);
    hf_creature_free(human);
}

typedef struct patience {
    int asked, most;
} patience;

static bool ask(void* user, double share, const char* stage) {
    patience* p = user;
    (void)share, (void)stage;
    return ++p->asked < p->most;
}

/* Frames that are left when the watcher says no at its `most`-th question; *asked is how often it was asked.
 */
static int frames_left(const hf_clip* clip, const hf_creature* human, int most, bool* cancelled, int* asked) {
    hf_scene* floor = make_floor();
    hf_workspace* workspace = NULL;
    patience p = {0, most};
    hf_retarget_options options = hf_retarget_options_default();
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_workspace_watch(workspace, ask, &p);
    if (hf_retarget(clip, human, floor, NULL, 0, &options, workspace, &schedule, &result, &error) != HF_OK)
        fail_msg("%s", error.message);
    int count = schedule->knot_count;
    *cancelled = result.cancelled, *asked = p.asked;
    hf_schedule_free(schedule);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_scene_free(floor);
    return count;
}

/* Whoever waits longer gets no fewer frames: the rounds after the first throw nothing away. */
static void cancelled_rounds_keep_the_frames(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human);
    bool cancelled;
    int all, asked, before = 0;
    assert_int_equal(frames_left(clip, human, INT_MAX, &cancelled, &all), FRAMES);
    assert_false(cancelled);
    assert_true(all > FRAMES);
    for (int i = 1; i <= 8; i++) {
        int count = frames_left(clip, human, all * i / 8, &cancelled, &asked);
        assert_true(cancelled);
        assert_true(count >= before);
        before = count;
    }
    assert_int_equal(before, FRAMES);
    hf_clip_free(clip);
    hf_creature_free(human);
}

/* Knots of a clip that is not taken as it is; its phases lie inside them. */
static int knots_of(const hf_clip* clip, const hf_creature* human, double contact_speed) {
    hf_scene* floor = make_floor();
    hf_workspace* workspace = NULL;
    hf_retarget_options options = hf_retarget_options_default();
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    options.scale_scene = true, options.shortest_s = 0, options.contact_speed = contact_speed;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    if (hf_retarget(clip, human, floor, NULL, 0, &options, workspace, &schedule, &result, &error) != HF_OK)
        fail_msg("%s", error.message);
    int count = schedule->knot_count;
    for (int i = 0; i < result.phases.count; i++) {
        const hf_phase* p = &result.phases.items[i];
        assert_true(0 <= p->first && p->first <= p->last && p->last < count);
    }
    hf_schedule_free(schedule);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_scene_free(floor);
    return count;
}

/* The clip from frame `from` on, after its first frame with one value of the root more. */
static hf_clip lead_clip(const hf_clip* clip, int from, int channel, double more) {
    hf_clip led = *clip;
    size_t row = (size_t)clip->channel_count;
    led.frame_count = clip->frame_count - from + 1;
    led.values = calloc((size_t)led.frame_count * row, sizeof *led.values);
    memcpy(led.values, clip->values, sizeof(double) * row);
    memcpy(led.values + row, clip->values + (size_t)from * row,
           sizeof(double) * row * (size_t)(clip->frame_count - from));
    const hf_clip_joint* root = &clip->joints[0];
    for (int k = 0; k < root->channel_count; k++)
        if (root->channels[k] == channel) led.values[root->first_channel + k] += more;
    return led;
}

/* A pose before the motion that is no part of it costs no time: not for itself, nor for the frames beside it,
   nor for a foot that stands in both but differently. */
static void leading_pose_is_left_out(void** state) {
    (void)state;
    enum { Y_TURN = 4, LIFTED = 80 };
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human);
    double slow = hf_retarget_options_default().contact_speed;
    hf_clip shifted = lead_clip(clip, 0, 0, 2 / clip->unit_m), turned = lead_clip(clip, LIFTED, Y_TURN, 12);
    assert_int_equal(knots_of(&shifted, human, slow), knots_of(clip, human, slow));
    hf_clip rest = *clip;
    rest.frame_count -= LIFTED, rest.values += LIFTED * clip->channel_count;
    assert_int_equal(knots_of(&turned, human, 1), knots_of(&rest, human, 1));
    free(shifted.values);
    free(turned.values);
    hf_clip_free(clip);
    hf_creature_free(human);
}

static void expect_refusal(const hf_clip* clip, const hf_creature* creature, const char* part) {
    hf_scene* floor = make_floor();
    hf_workspace* workspace = NULL;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_retarget_options options = hf_retarget_options_default();
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    assert_int_equal(
        hf_retarget(clip, creature, floor, NULL, 0, &options, workspace, &schedule, &result, &error),
        HF_ERROR_ARGUMENT);
    assert_null(schedule);
    if (!strstr(error.message, part)) fail_msg("\"%s\" does not hold \"%s\"", error.message, part);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_scene_free(floor);
}

static void limbs_that_are_not_found_have_no_joints(const hf_clip* snake) {
    hf_clip_body body = {0};
    hf_error error = {0};
    assert_int_equal(hf_clip_body_make(snake, &body, &error), HF_OK);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        const hf_clip_limb* l = &body.limbs[role];
        assert_false(l->there);
        assert_true(l->upper == -1 && l->middle == -1 && l->lower == -1 && l->tip == -1);
    }
    hf_clip_body_free(&body);
}

static void write_leg(FILE* file, char side, double x) {
#define TURNS "CHANNELS 3 Xrotation Yrotation Zrotation\n"
    fprintf(file,
            "JOINT %cHip\n{\nOFFSET %g -5 0\n" TURNS "JOINT %cKnee\n{\nOFFSET 0 -40 0\n" TURNS
            "JOINT %cAnkle\n{\nOFFSET 0 -40 0\n" TURNS "JOINT %cToe\n{\nOFFSET 0 -5 15\n" TURNS
            "End Site\n{\nOFFSET 0 0 5\n}\n}\n}\n}\n}\n",
            side, x, side, side, side);
}

/* Two legs with toes, and a spine above. */
static hf_clip* make_legs(void) {
    char path[1024];
    snprintf(path, sizeof path, "%s/legs.bvh", test_folder());
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n" TURNS, file);
    write_leg(file, 'L', 10);
    write_leg(file, 'R', -10);
    fputs("JOINT Spine\n{\nOFFSET 0 10 0\n" TURNS "End Site\n{\nOFFSET 0 70 0\n}\n}\n}\n", file);
    fputs("MOTION\nFrames: 2\nFrame Time: 0.1\n", file);
    for (int i = 0; i < 2 * 10 * 3; i++) fputs(i % 30 == 29 ? "0\n" : "0 ", file);
    fclose(file);
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(path, 0.01, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    return clip;
}

/* A mapping that names the ankle elsewhere gets that ankle's toe. */
static void tip_follows_the_mapping(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_legs();
    hf_clip_body body = {0};
    hf_creature_body on = {0};
    hf_error error = {0};
    assert_int_equal(hf_clip_body_make(clip, &body, &error), HF_OK);
    assert_int_equal(hf_creature_body_make(human, &on, &error), HF_OK);
    hf_clip_limb *left = &body.limbs[HF_LEFT_LEG], *right = &body.limbs[HF_RIGHT_LEG];
    assert_true(left->there && right->there && left->tip >= 0 && left->tip != right->tip);
    int ankle = right->lower, toe = right->tip;
    body.limbs[HF_RIGHT_LEG].there = false; // so that no other landmark has the joint
    const char* link = hf_creature_get(human)->links[on.limbs[HF_LEFT_LEG].lower.link].name;
    hf_joint_link row = {clip->joints[ankle].name, (char*)link};
    assert_int_equal(hf_landmarks_match(&body, &on, &row, 1, &error), HF_OK);
    assert_int_equal(left->lower, ankle);
    assert_int_equal(left->tip, toe);
    hf_creature_body_free(&on);
    hf_clip_body_free(&body);
    hf_clip_free(clip);
    hf_creature_free(human);
}

static void impossible_clips_are_told(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human);
    hf_clip one = *clip;
    one.frame_count = 1;
    expect_refusal(&one, human, "one frame");
    for (; one.frame_count >= 0; one.frame_count--) {
        hf_fitted_scene fitted = {0};
        hf_retarget_options options = hf_retarget_options_default();
        hf_error error = {0};
        assert_int_equal(hf_scene_fit(&one, human, NULL, 0, &options, &fitted, &error), HF_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, one.frame_count ? "has one frame" : "has no frames"));
        hf_fitted_scene_free(&fitted);
    }
    hf_clip large = *clip;
    large.height_m *= 100;
    expect_refusal(&large, human, "unit");
    hf_clip* snake = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/snake.bvh", test_folder());
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT b\n{\nOFFSET 0 "
        "0.9 0\n"
        "CHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 0.9 0\n}\n}\n}\nMOTION\nFrames: 2\n"
        "Frame Time: 0.1\n0 0 0 0 0 0\n0 0 0 0 0 0\n",
        file);
    fclose(file);
    assert_int_equal(hf_clip_load(path, 1, &snake, NULL), HF_OK);
    expect_refusal(snake, human, "no limb of the creature");
    limbs_that_are_not_found_have_no_joints(snake);
    hf_clip_free(snake);
    hf_clip_free(clip);
    hf_creature_free(human);
}

/* The clip on a creature in a scene in which an edit has changed the floor; false where the edit is left to
   an editor. */
static bool retarget_on(const hf_clip* clip, const hf_creature* creature, const hf_scene_edit* edit,
                        hf_motion** motion, hf_retarget_result* result) {
    hf_scene *floor = make_floor(), *edited = NULL;
    hf_workspace* workspace = NULL;
    hf_retarget_options options = hf_retarget_options_default();
    hf_realise_options test = hf_realise_options_default();
    hf_realise_result judged = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    assert_int_equal(hf_scene_change(floor, edit, 1, &edited, &error), HF_OK);
    if (hf_retarget_edited(clip, creature, floor, edited, NULL, 0, &options, workspace, &schedule, result,
                           &error) != HF_OK)
        fail_msg("%s", error.message);
    const hf_scene* scene = result->edited ? edited : floor;
    assert_int_equal(hf_realise(creature, scene, schedule, &test, workspace, motion, &judged), HF_OK);
    assert_int_equal(judged.fault_count, 0);
    hf_realise_result_free(&judged);
    hf_schedule_free(schedule);
    hf_workspace_free(workspace);
    hf_scene_free(edited);
    hf_scene_free(floor);
    return result->edited;
}

/* A floor that is moved takes all phases and the body along by as much, with nothing held less; phases whose
   floor is gone are left to the editor. */
static void edited_scene_takes_the_clip_along(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human);
    hf_vec3 by = hf_v3(0.3, 0.1, 0.2);
    hf_scene_edit same = hf_scene_edit_of("floor"), moved = same, gone = same;
    moved.has_position = true, moved.position = by, gone.remove = true;
    hf_retarget_result a = {0}, b = {0};
    hf_motion *before = NULL, *after = NULL;
    assert_true(retarget_on(clip, human, &same, &before, &a));
    assert_true(retarget_on(clip, human, &moved, &after, &b));
    assert_true(a.phases.count > 0 && a.phases.count == b.phases.count);
    for (int i = 0; i < a.phases.count; i++) {
        assert_int_equal(b.phases.items[i].fate, HF_RETARGET_KEPT);
        assert_true(hf_distance(hf_add(a.phases.items[i].point, by), b.phases.items[i].point) < 1e-4);
    }
    assert_int_equal(before->frame_count, after->frame_count);
    for (int f = 0; f < before->frame_count; f++)
        assert_true(hf_distance(hf_add(before->frames[f].root.position, by), after->frames[f].root.position) <
                    1e-3);
    hf_motion_free(before);
    hf_motion_free(after);
    assert_false(retarget_on(clip, human, &gone, &after, &b));
    hf_motion_free(after);
    hf_retarget_result_free(&a);
    hf_retarget_result_free(&b);
    hf_clip_free(clip);
    hf_creature_free(human);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clip_comes_back),           cmocka_unit_test(scene_is_fitted),
        cmocka_unit_test(impossible_clips_are_told), cmocka_unit_test(cancelled_rounds_keep_the_frames),
        cmocka_unit_test(tip_follows_the_mapping),   cmocka_unit_test(leading_pose_is_left_out),
        cmocka_unit_test(lifted_leg_goes_round),     cmocka_unit_test(edited_scene_takes_the_clip_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
