/* Clips as other libraries make them: bones laid along one axis in the posture of the file, collar bones
   longer than forearms, feet that never rest, feet closer together than a creature's can be. Each is a clip
   whose answer is known made over into the other manner. */
#include "clip_fixture.h"

#include "adapt/landmarks.h"

#include <stdlib.h>

enum { FRAMES = 60 };
static const double RATE = 30;
static const double PI = 3.14159265358979323846;

/* The human stands with its legs `inwards` rad from straight down, lifts its right foot after a second, and
   goes along X at `speed` m/s: as a BVH clip. With `hover` (0: none) the foot is raised flat, within a fifth
   of a second, until thigh and shank are so many rad from straight down, and kept there. */
static hf_clip* make_clip(const hf_creature* human, double inwards, double speed, double hover) {
    const hf_creature_view* v = hf_creature_get(human);
    hf_motion* motion = NULL;
    assert_int_equal(hf_motion_create(human, NULL, &motion), HF_OK);
    hf_pose pose = {.q = calloc((size_t)v->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    const hf_contact_frame* sole = &v->limbs[hf_creature_find_limb(human, "left_leg")].contacts[0];
    for (int f = 0; f < FRAMES; f++) {
        double up = f < RATE ? 0 : hf_sin(PI * (f - RATE) / (FRAMES - RATE));
        hf_pose_rest(human, &pose);
        turn_joint(human, pose.q, "l_hip_x", -inwards), turn_joint(human, pose.q, "l_ankle_x", inwards);
        turn_joint(human, pose.q, "r_hip_x", inwards), turn_joint(human, pose.q, "r_ankle_x", -inwards);
        double bend = hover * fmin(1, fmax(0, (f - RATE) / (0.2 * RATE)));
        if (hover > 0) up = 0;
        turn_joint(human, pose.q, "r_hip_y", 0.5 * up + bend);
        turn_joint(human, pose.q, "r_knee", 0.9 * up + 2 * bend);
        turn_joint(human, pose.q, "r_ankle_y", bend);
        pose.root.position = hf_v3(0, 0, 0);
        hf_forward(human, &pose, links);
        pose.root.position = hf_v3(speed * f / RATE, 0, -hf_apply(links[sole->link], sole->offset).z);
        assert_non_null(hf_motion_add(motion, f / RATE, &pose));
    }
    free(pose.q);
    free(links);
    return clip_of(motion, human, RATE, "outside.bvh");
}

/* ---- the posture of the file ---- */

/* Sets the three angles of a joint, in the order of its channels. */
static void set_turn(hf_clip* clip, int joint, int frame, hf_quat turn) {
    const hf_clip_joint* j = &clip->joints[joint];
    double* values = clip->values + (size_t)frame * (size_t)clip->channel_count + j->first_channel;
    int first = j->channel_count - 3, a = j->channels[first] - 3, b = j->channels[first + 1] - 3,
        c = j->channels[first + 2] - 3;
    /* R = Ra Rb Rc of three different axes: sign s is +1 for an even order (x y z, y z x, z x y). */
    double s = (b - a + 3) % 3 == 1 ? 1 : -1;
    hf_mat3 r = hf_quat_matrix(turn);
#define AT(i, k) r.m[3 * (i) + (k)]
    values[first] = hf_atan2(-s * AT(b, c), AT(c, c)) * 180 / PI;
    values[first + 1] = hf_asin(fmin(1, fmax(-1, s * AT(a, c)))) * 180 / PI;
    values[first + 2] = hf_atan2(-s * AT(a, b), AT(a, a)) * 180 / PI;
#undef AT
}

/* The same motion with a skeleton that lies on its side without rotations: all axes are turned by `by`. */
static void lay_down(hf_clip* clip, hf_quat by) {
    hf_transform* was = calloc((size_t)clip->joint_count, sizeof *was);
    for (int f = 0; f < clip->frame_count; f++) {
        hf_clip_forward(clip, f, was);
        for (int i = 0; i < clip->joint_count; i++) {
            if (clip->joints[i].channel_count < 3) continue;
            int parent = clip->joints[i].parent;
            hf_quat above = parent >= 0 ? was[parent].rotation : hf_quat_axis_angle(hf_v3(1, 0, 0), PI / 2);
            hf_quat own = hf_quat_mul(hf_quat_conj(above), was[i].rotation);
            own = hf_quat_mul(own, by);
            set_turn(clip, i, f, parent >= 0 ? hf_quat_mul(hf_quat_conj(by), own) : own);
        }
    }
    for (int i = 1; i < clip->joint_count; i++)
        clip->joints[i].offset = hf_rotate(hf_quat_conj(by), clip->joints[i].offset);
    free(was);
}

static void check_places(const hf_clip* a, const hf_clip* b) {
    hf_transform *x = calloc((size_t)a->joint_count, sizeof *x),
                 *y = calloc((size_t)a->joint_count, sizeof *y);
    for (int f = 0; f < a->frame_count; f++) {
        hf_clip_forward(a, f, x);
        hf_clip_forward(b, f, y);
        for (int i = 0; i < a->joint_count; i++)
            assert_true(hf_distance(x[i].position, y[i].position) < 1e-4);
    }
    free(x);
    free(y);
}

/* A skeleton that lies down in its file has the same limbs, and its phases are the same. */
static void lying_skeletons_stand(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_scene* floor = make_floor();
    hf_clip *plain = make_clip(human, 0, 0, 0), *lying = make_clip(human, 0, 0, 0);
    assert_false(plain->z_up);
    lay_down(lying, hf_quat_axis_angle(hf_v3(0, 0, 1), PI / 2));
    check_places(plain, lying);
    hf_clip_body a = {0}, b = {0};
    assert_int_equal(hf_clip_body_make(plain, &a, NULL), HF_OK);
    assert_int_equal(hf_clip_body_make(lying, &b, NULL), HF_OK);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        assert_true(a.limbs[role].there);
        assert_memory_equal(&a.limbs[role], &b.limbs[role], sizeof a.limbs[role]);
    }
    hf_clip_body_free(&a);
    hf_clip_body_free(&b);
    hf_retarget_options options = hf_retarget_options_default();
    options.rounds = 0;
    hf_retarget_result result[2] = {0};
    for (int i = 0; i < 2; i++) {
        hf_workspace* workspace = NULL;
        hf_schedule* schedule = NULL;
        hf_error error = {0};
        assert_int_equal(hf_workspace_create(&workspace), HF_OK);
        if (hf_retarget(i ? lying : plain, human, floor, NULL, 0, &options, workspace, &schedule, &result[i],
                        &error) != HF_OK)
            fail_msg("%s", error.message);
        hf_schedule_free(schedule);
        hf_workspace_free(workspace);
    }
    assert_int_equal(result[0].phases.count, result[1].phases.count);
    assert_true(result[0].phases.count >= 2);
    for (int i = 0; i < result[0].phases.count; i++) {
        const hf_phase *p = &result[0].phases.items[i], *q = &result[1].phases.items[i];
        assert_int_equal(p->limb, q->limb);
        assert_near(p->from_s, q->from_s, 2 / RATE);
        assert_near(p->to_s, q->to_s, 2 / RATE);
        assert_true(hf_distance(p->point, q->point) < 0.02);
    }
    for (int i = 0; i < 2; i++) hf_retarget_result_free(&result[i]);
    hf_clip_free(plain);
    hf_clip_free(lying);
    hf_scene_free(floor);
    hf_creature_free(human);
}

/* The same motion with a joint whose axes are turned by `by` without rotations: feet that point their toes.
 */
static void turn_axes(hf_clip* clip, int joint, hf_quat by) {
    hf_transform* was = calloc((size_t)clip->joint_count, sizeof *was);
    for (int f = 0; f < clip->frame_count; f++) {
        hf_clip_forward(clip, f, was);
        hf_quat above = was[clip->joints[joint].parent].rotation;
        set_turn(clip, joint, f,
                 hf_quat_mul(hf_quat_mul(hf_quat_conj(above), was[joint].rotation), hf_quat_conj(by)));
    }
    for (int i = 0; i < clip->joint_count; i++)
        if (clip->joints[i].parent == joint) clip->joints[i].offset = hf_rotate(by, clip->joints[i].offset);
    free(was);
}

/* The files of some libraries point the toes of a skeleton by 20 degrees and more. Its feet are flat where
   they stand in the clip. */
static void pointed_feet_stand_flat(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    for (int degrees = 25; degrees <= 80; degrees += 55) {
        hf_clip* clip = make_clip(human, 0, 0, 0);
        hf_clip_body body = {0};
        assert_int_equal(hf_clip_body_make(clip, &body, NULL), HF_OK);
        int ankle = body.limbs[HF_LEFT_LEG].lower;
        hf_clip_body_free(&body);
        turn_axes(clip, ankle, hf_quat_axis_angle(hf_v3(1, 0, 0), degrees * PI / 180));
        assert_int_equal(hf_clip_body_make(clip, &body, NULL), HF_OK);
        assert_int_equal(body.limbs[HF_LEFT_LEG].lower, ankle);
        hf_clip_body_set(&body, 0);
        hf_quat turned = hf_quat_mul(body.now[ankle].rotation, hf_quat_conj(body.rest[ankle].rotation));
        assert_true(hf_rotate(turned, hf_v3(0, 0, 1)).z > hf_cos(PI / 180));
        hf_clip_body_free(&body);
        hf_clip_free(clip);
    }
    hf_creature_free(human);
}

/* ---- limbs ---- */

#define TURNS "CHANNELS 3 Zrotation Xrotation Yrotation\n"

static void write_limb(FILE* file, int side, const char* const names[3], const double offsets[3][2]) {
    for (int i = 0; i < 3; i++)
        fprintf(file, "JOINT %s%s\n{\nOFFSET %g %g 0\n" TURNS, side > 0 ? "Left" : "Right", names[i],
                side * offsets[i][0], offsets[i][1]);
    fprintf(file, "End Site\n{\nOFFSET %g 0 10\n}\n}\n}\n}\n", side * 5.0);
}

/* A figure in a T-pose with collar bones of 36 cm that begin in the middle: two frames, in the second of
   which the arms are raised by `raised` degrees. */
static hf_clip* make_figure(double upper_arm, double forearm, double raised) {
    enum { LEFT_ARM = 9, RIGHT_ARM = 13, TURNED = 16 };
    static const char* const leg[3] = {"UpLeg", "Leg", "Foot"};
    static const double legs[3][2] = {{10, -5}, {0, -42}, {0, -40}};
    const double arms[3][2] = {{36, 0}, {upper_arm, 0}, {forearm, 0}};
    char path[1024];
    snprintf(path, sizeof path, "%s/collar.bvh", test_folder());
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n" TURNS, file);
    write_limb(file, 1, leg, legs);
    write_limb(file, -1, leg, legs);
    fputs("JOINT Spine\n{\nOFFSET 0 50 0\n" TURNS, file);
    for (int side = 1; side >= -1; side -= 2) {
        static const char* const arm[3] = {"Arm", "ForeArm", "Hand"};
        fprintf(file, "JOINT %sShoulder\n{\nOFFSET 0 0 0\n" TURNS, side > 0 ? "Left" : "Right");
        write_limb(file, side, arm, arms);
        fputs("}\n", file);
    }
    fputs("End Site\n{\nOFFSET 0 30 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n", file);
    for (int i = 0; i < 2 * TURNED; i++) {
        int joint = i - TURNED; /* of the second frame */
        fprintf(file, "%g 0 0%c",
                joint == LEFT_ARM    ? raised
                : joint == RIGHT_ARM ? -raised
                                     : 0,
                i % TURNED == TURNED - 1 ? '\n' : ' ');
    }
    fclose(file);
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(path, 0.01, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    return clip;
}

/* A T-pose stands also where the arms are raised high above the head in the clip. */
static void raised_arms_keep_the_rest_posture(void** state) {
    (void)state;
    hf_clip* clip = make_figure(50, 45, 90);
    hf_clip_body body = {0};
    assert_int_equal(hf_clip_body_make(clip, &body, NULL), HF_OK);
    hf_transform rest[32], raised[32];
    assert_true(clip->joint_count <= 32);
    hf_clip_forward(clip, -1, rest);
    hf_clip_forward(clip, 1, raised);
    assert_true(hf_clip_height(clip, raised) > 1.3 * hf_clip_height(clip, rest));
    for (int i = 0; i < clip->joint_count; i++)
        assert_true(hf_distance(body.rest[i].position, rest[i].position) < 1e-12);
    hf_clip_body_free(&body);
    hf_clip_free(clip);
}

/* A quadruped as high as long: four legs of 40 cm at the corners of its trunk. */
static hf_clip* make_dog(void) {
    char path[1024];
    snprintf(path, sizeof path, "%s/dog.bvh", test_folder());
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    static const char* const leg[3] = {"Thigh", "Shank", "Paw"};
    static const char* const front[3] = {"FrontThigh", "FrontShank", "FrontPaw"};
    static const double bones[3][2] = {{8, 0}, {0, -20}, {0, -20}};
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 40 0\n" TURNS, file);
    write_limb(file, 1, leg, bones);
    write_limb(file, -1, leg, bones);
    fputs("JOINT Spine\n{\nOFFSET 0 0 50\n" TURNS, file);
    write_limb(file, 1, front, bones);
    write_limb(file, -1, front, bones);
    fputs("}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n", file);
    for (int i = 0; i < 2 * 14; i++) fprintf(file, "0 0 0%c", i % 14 == 13 ? '\n' : ' ');
    fclose(file);
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(path, 0.01, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    return clip;
}

/* The hind legs are legs, the front legs take the place of arms. */
static void four_legs_are_found(void** state) {
    (void)state;
    static const char* const knees[HF_MAX_MARKED] = {"LeftShank", "RightShank", "LeftFrontShank",
                                                     "RightFrontShank"};
    hf_clip* clip = make_dog();
    hf_clip_body body = {0};
    assert_int_equal(hf_clip_body_make(clip, &body, NULL), HF_OK);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        assert_true(body.limbs[role].there);
        assert_string_equal(clip->joints[body.limbs[role].middle].name, knees[role]);
    }
    hf_clip_body_free(&body);
    hf_clip_free(clip);
}

/* Collar bones of 36 cm are longer than forearms of 24 cm, but begin in the middle. */
static void collars_are_no_arms(void** state) {
    (void)state;
    hf_clip* clip = make_figure(30, 24, 0);
    hf_clip_body body = {0};
    assert_int_equal(hf_clip_body_make(clip, &body, NULL), HF_OK);
    const hf_clip_limb *left = &body.limbs[HF_LEFT_ARM], *right = &body.limbs[HF_RIGHT_ARM];
    assert_true(left->there && right->there);
    assert_string_equal(clip->joints[left->upper].name, "LeftArm");
    assert_string_equal(clip->joints[left->middle].name, "LeftForeArm");
    assert_string_equal(clip->joints[right->lower].name, "RightHand");
    hf_clip_body_free(&body);
    hf_clip_free(clip);
}

/* ---- feet ---- */

/* Of a clip that slides along at 2 m/s no foot rests: the floor is where the feet are. */
static void floor_under_feet_that_never_rest(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_clip(human, 0, 2, 0);
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

/* How far ahead of where it stood a figure lands on its toes, and how much lower, cm. */
enum { AHEAD_CM = 45, STEP_CM = 30 };

/* A figure that stands on a step, its soles down, and comes down onto the toes of both feet; its heels go up
   all the time, and never rest. */
static hf_clip* make_descent(void) {
    enum { STANDS = 30, LANDS = 36, ENDS = 60, LEG_CM = 87, TOE_CM = 10, JOINTS = 8 };
    static const char* const leg[3] = {"UpLeg", "Leg", "Foot"};
    static const double legs[3][2] = {{10, -5}, {0, -42}, {0, -40}};
    char path[1024];
    snprintf(path, sizeof path, "%s/descent.bvh", test_folder());
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
          "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n",
          file);
    write_limb(file, 1, leg, legs);
    write_limb(file, -1, leg, legs);
    fputs("JOINT Spine\n{\nOFFSET 0 50 0\n" TURNS "End Site\n{\nOFFSET 0 30 0\n}\n}\n}\n", file);
    fprintf(file, "MOTION\nFrames: %d\nFrame Time: %.6f\n", ENDS, 1 / RATE);
    for (int f = 0; f < ENDS; f++) {
        double raised = f < LANDS ? 0 : 0.1 + 1.3 * (f - LANDS) / (ENDS - LANDS);
        double down = f < STANDS ? 0 : f < LANDS ? (double)(f - STANDS) / (LANDS - STANDS) : 1;
        fprintf(file, "0 %.4f %.4f", LEG_CM + STEP_CM * (1 - down) + TOE_CM * hf_sin(raised),
                AHEAD_CM * down + TOE_CM * (1 - hf_cos(raised)));
        for (int j = 0; j < JOINTS; j++) fprintf(file, " 0 %.4f 0", j == 3 || j == 6 ? raised * 180 / PI : 0);
        fputc('\n', file);
    }
    fclose(file);
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(path, 0.01, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    return clip;
}

/* The floor is under toes that rest while the heel goes up, and the step ends behind that foot. */
static void steps_spare_feet_on_their_toes(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_clip* clip = make_descent();
    hf_transform stands[16], lands[16];
    assert_true(clip->joint_count <= 16);
    hf_clip_forward(clip, 0, stands);
    hf_clip_forward(clip, clip->frame_count - 1, lands);
    int foot = 0;
    while (strcmp(clip->joints[foot].name, "LeftFoot")) foot++;
    hf_vec3 gone = hf_sub(lands[foot + 1].position, stands[foot + 1].position); // of the toes
    assert_near(gone.z, -0.01 * STEP_CM, 1e-6);
    assert_true(lands[foot].position.z > lands[foot + 1].position.z + 0.05); // the heel is up
    hf_retarget_options options = hf_retarget_options_default();
    hf_fitted_scene scene = {0};
    assert_int_equal(hf_scene_fit(clip, human, NULL, 0, &options, &scene, NULL), HF_OK);
    assert_int_equal(scene.count, 2);
    assert_string_equal(scene.boxes[0].name, "floor");
    const hf_fitted_box* step = &scene.boxes[1];
    assert_near(step->high.z - scene.boxes[0].high.z, 0.01 * STEP_CM, 0.01);
    hf_vec3 up = hf_rotate(hf_quat_axis_angle(hf_v3(0, 0, 1), step->heading), hf_v3(1, 0, 0));
    assert_near(fabs(hf_dot(up, gone)), 0.01 * AHEAD_CM, 0.005);
    // where the ankle is with the sole down; the heel is farther back
    hf_vec3 ahead = hf_scale(up, hf_dot(up, gone) > 0 ? 1 : -1), ankle = hf_add(stands[foot].position, gone);
    double edge = hf_dot(up, gone) > 0 ? step->high.x : -step->low.x;
    assert_true(edge < hf_dot(ankle, ahead) - 0.03);
    assert_true(edge > hf_dot(stands[foot].position, ahead));
    hf_fitted_scene_free(&scene);
    hf_clip_free(clip);
    hf_creature_free(human);
}

/* Feet of the clip stand in each other: those of the human stand beside each other, and hold. */
static void narrow_feet_stand_apart(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_scene* floor = make_floor();
    hf_clip* clip = make_clip(human, 0.085, 0, 0);
    hf_workspace* workspace = NULL;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_retarget_options options = hf_retarget_options_default();
    options.scale_scene = true; // the clip is not taken as it is
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    if (hf_retarget(clip, human, floor, NULL, 0, &options, workspace, &schedule, &result, &error) != HF_OK)
        fail_msg("%s", error.message);
    const hf_creature_view* v = hf_creature_get(human);
    int left = hf_creature_find_limb(human, "left_leg"), right = hf_creature_find_limb(human, "right_leg");
    double width = v->limbs[left].contacts[0].patch[1];
    hf_vec3 at[2] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    for (int i = 0; i < result.phases.count; i++) {
        const hf_phase* p = &result.phases.items[i];
        if (p->limb == left) at[0] = p->point;
        if (p->limb == right && isnan(at[1].x)) at[1] = p->point;
        assert_true(p->held_share > 0.9);
    }
    assert_true(hf_distance(at[0], at[1]) > width);
    hf_realise_options test = hf_realise_options_default();
    hf_realise_result judged = {0};
    hf_motion* motion = NULL;
    assert_int_equal(hf_realise(human, floor, schedule, &test, workspace, &motion, &judged), HF_OK);
    assert_int_equal(judged.fault_count, 0);
    hf_motion_free(motion);
    hf_realise_result_free(&judged);
    hf_schedule_free(schedule);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_clip_free(clip);
    hf_scene_free(floor);
    hf_creature_free(human);
}

/* A foot that is held still 3.5 cm above the ground, beside one that stands, does not touch. */
static void hovering_feet_do_not_touch(void** state) {
    (void)state;
    hf_creature* human = shipped_creature("human");
    hf_scene* floor = make_floor();
    hf_clip* clip = make_clip(human, 0, 0, 0.2);
    hf_clip_body body = {0};
    assert_int_equal(hf_clip_body_make(clip, &body, NULL), HF_OK);
    int ankle = body.limbs[HF_RIGHT_LEG].lower;
    hf_clip_body_set(&body, 0);
    double height = body.now[ankle].position.z;
    hf_clip_body_set(&body, FRAMES - 1);
    assert_near(body.now[ankle].position.z - height, 0.035, 0.003);
    hf_clip_body_free(&body);
    hf_workspace* workspace = NULL;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_retarget_options options = hf_retarget_options_default();
    options.rounds = 0, options.scale_scene = true; // the clip is not taken as it is
    hf_retarget_result result = {0};
    hf_schedule* schedule = NULL;
    hf_error error = {0};
    if (hf_retarget(clip, human, floor, NULL, 0, &options, workspace, &schedule, &result, &error) != HF_OK)
        fail_msg("%s", error.message);
    double until[2] = {0};
    for (int i = 0; i < result.phases.count; i++) {
        const hf_phase* p = &result.phases.items[i];
        if (p->limb == hf_creature_find_limb(human, "left_leg")) until[0] = fmax(until[0], p->to_s);
        if (p->limb == hf_creature_find_limb(human, "right_leg")) until[1] = fmax(until[1], p->to_s);
    }
    assert_near(until[0], (FRAMES - 1) / RATE, 2 / RATE);
    assert_near(until[1], 1, 0.15);
    hf_schedule_free(schedule);
    hf_retarget_result_free(&result);
    hf_workspace_free(workspace);
    hf_clip_free(clip);
    hf_scene_free(floor);
    hf_creature_free(human);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lying_skeletons_stand),
        cmocka_unit_test(pointed_feet_stand_flat),
        cmocka_unit_test(four_legs_are_found),
        cmocka_unit_test(collars_are_no_arms),
        cmocka_unit_test(raised_arms_keep_the_rest_posture),
        cmocka_unit_test(floor_under_feet_that_never_rest),
        cmocka_unit_test(steps_spare_feet_on_their_toes),
        cmocka_unit_test(narrow_feet_stand_apart),
        cmocka_unit_test(hovering_feet_do_not_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
