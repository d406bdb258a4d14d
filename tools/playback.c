/* Plays a motion in MuJoCo: playback MOTION FOLDER. The creature is written to FOLDER as MJCF and stands on
   blocks at the places that the motion holds; a hand that grips is tied there while it does. A controller
   tracks the motion: it asks for the motion's accelerations and a small feedback, shares the wrench that they
   need over the contacts that the motion has now, and gives joints the torques that are left, within their
   effort limits. Prints one JSON object: how much of the motion was tracked before a fall. */
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/pose_spline.h"
#include "trajectory/contact_force.h"
#include "trajectory/contact_track.h"

#include <holdfast/holdfast.h>
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEP_S = 0.001;
static const double BLOCK_BEYOND_M = 0.02; /* a block reaches this far beyond the contact's patch */
static const double BLOCK_DEEP_M = 0.05;   /* and this far down */
static const double STIFFNESS = 100;       /* 1/s2: an error of 1 asks for this acceleration */
static const double DAMPING = 20;          /* 1/s: critical for that stiffness */
static const double FRICTION_SHARE = 0.9;  /* of the friction that the controller counts on */
static const double LANDING_S = 0.1;       /* a limb can touch so long before the motion says that it holds */
static const double FALLEN_SHARE =
    0.2; /* of the creature's height: so far from its place the root has fallen */
static const double FALLEN_RAD = 0.7; /* or turned so far */
enum { CORNERS = HF_SUPPORT_CORNERS };

static void stop(const char* format, ...) {
    va_list args;
    va_start(args, format);
    fputs("playback: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(3);
}

/* MuJoCo would write its warnings to a file in the working folder. */
static void warn(const char* text) { fprintf(stderr, "playback: MuJoCo: %s\n", text); }

static void stop_with(hf_status status, const hf_error* error) {
    char text[2000];
    if (status != HF_OK) stop("%s", hf_error_text(error, text, sizeof text));
}

typedef struct player {
    hf_motion* motion;
    hf_creature* creature;
    const hf_creature_view* c;
    hf_scenario* scenario;
    hf_workspace* workspace;
    hf_pose_spline spline;
    hf_contact_track track;
    mjModel* model;
    mjData* data;
    hf_pose now, wanted;
    double *speed, *wanted_speed, *rate, *error, *force, *jacobian;
    hf_transform* links;
    hf_force_corner corners[HF_FORCE_CORNERS];
    double dual[6];
    int frame;
    long saturated, torques; /* torques that were cut to the effort limit, of all */
} player;

/* ---- the world ---- */

static const hf_track_contact* contact_of(const player* p, int frame, int limb) {
    return &p->track.contacts[(size_t)frame * (size_t)p->track.limb_count + (size_t)limb];
}

/* Directions and half sizes of the block under a contact: along the patch, or anyhow under a point. */
static void block_axes(const hf_contact_frame* frame, hf_quat link, hf_vec3 n, hf_vec3* side, hf_vec3* other,
                       double half[2]) {
    hf_vec3 own = hf_normalize(frame->normal);
    const double across[3] = {fabs(own.x), fabs(own.y), fabs(own.z)};
    int out = across[0] >= across[1] && across[0] >= across[2] ? 0 : across[1] >= across[2] ? 1 : 2;
    hf_vec3 first = hf_rotate(link, out == 0 ? hf_v3(0, 1, 0) : hf_v3(1, 0, 0));
    if (fabs(hf_dot(first, n)) > 0.9) first = fabs(n.z) > 0.9 ? hf_v3(1, 0, 0) : hf_v3(0, 0, 1);
    *side = hf_normalize(hf_sub(first, hf_scale(n, hf_dot(first, n))));
    *other = hf_cross(n, *side);
    for (int k = 0; k < 2; k++) half[k] = frame->patch[k] / 2 + BLOCK_BEYOND_M;
}

/* A block under every hold that begins and does not grip. */
static void write_blocks(const player* p, FILE* out) {
    hf_transform* links = calloc((size_t)p->c->link_count, sizeof *links);
    for (int f = 0; f < p->motion->frame_count; f++)
        for (int l = 0; l < p->c->limb_count; l++) {
            const hf_track_contact* t = contact_of(p, f, l);
            bool begins = t->on && (f == 0 || !contact_of(p, f - 1, l)->lasts);
            if (!begins || t->hold.grip || t->hold.frame < 0) continue;
            const hf_contact_frame* frame = &p->c->limbs[l].contacts[t->hold.frame];
            hf_pose pose = {p->motion->frames[f].root, p->motion->frames[f].q};
            hf_forward(p->creature, &pose, links);
            hf_vec3 n = t->hold.normal, side, other;
            double half[2];
            block_axes(frame, links[frame->link].rotation, n, &side, &other, half);
            hf_vec3 at = hf_sub(t->hold.point, hf_scale(n, BLOCK_DEEP_M / 2));
            fprintf(
                out,
                "<geom type='box' class='block' friction='%.9g 0.005 0.0001' size='%.9g %.9g %.9g' pos='%.9g "
                "%.9g %.9g' xyaxes='%.9g %.9g %.9g %.9g %.9g %.9g'/>\n",
                t->support.friction, half[0], half[1], BLOCK_DEEP_M / 2, at.x, at.y, at.z, side.x, side.y,
                side.z, other.x, other.y, other.z);
        }
    free(links);
}

/* Ties for the hands that grip: as many points as a patch has corners. */
static void write_ties(const player* p, FILE* out) {
    for (int l = 0; l < p->c->limb_count; l++)
        for (int k = 0; k < CORNERS; k++)
            fprintf(out,
                    "<connect name='tie_%d_%d' body1='%s' anchor='0 0 0' active='false' solref='0.005 1'/>\n",
                    l, k, p->c->links[p->c->limbs[l].effector_link].name);
}

static void load_world(player* p, const char* folder) {
    char creature[2000], world[2000], message[1000] = "";
    hf_error error = {0};
    snprintf(creature, sizeof creature, "%s/creature.xml", folder);
    snprintf(world, sizeof world, "%s/world.xml", folder);
    stop_with(hf_creature_write_mjcf(p->creature, creature, &error), &error);
    FILE* out = fopen(world, "w");
    if (!out) stop("%s cannot be written", world);
    fprintf(
        out,
        "<mujoco><include file='creature.xml'/><option timestep='%g' integrator='implicit' cone='elliptic' "
        "impratio='10' gravity='0 0 -%g'/><size njmax='4000' nconmax='800'/>"
        "<default><default class='block'><geom contype='2' conaffinity='4' priority='1' solref='0.005 1' "
        "condim='3'/></default></default><worldbody>\n",
        STEP_S, HF_GRAVITY_M_S2);
    write_blocks(p, out);
    fputs("</worldbody><equality>\n", out);
    write_ties(p, out);
    fputs("</equality></mujoco>\n", out);
    fclose(out);
    p->model = mj_loadXML(world, NULL, message, sizeof message);
    if (!p->model) stop("MuJoCo: %s", message);
    p->data = mj_makeData(p->model);
    /* Bodies touch nothing; contact spheres touch blocks when touch_limbs lets them. */
    for (int g = 0; g < p->model->ngeom; g++)
        if (p->model->geom_bodyid[g] != 0) p->model->geom_contype[g] = p->model->geom_conaffinity[g] = 0;
}

/* ---- states: MuJoCo's free joint has its angular speeds in the body's axes, ours in the world's ---- */

static void set_state(player* p) {
    hf_quat q = p->wanted.root.rotation;
    hf_vec3 at = p->wanted.root.position;
    hf_vec3 turn = hf_unrotate(q, hf_v3(p->wanted_speed[3], p->wanted_speed[4], p->wanted_speed[5]));
    const double root[7] = {at.x, at.y, at.z, q.w, q.x, q.y, q.z}, turns[3] = {turn.x, turn.y, turn.z};
    memcpy(p->data->qpos, root, sizeof root);
    memcpy(p->data->qvel, p->wanted_speed, 3 * sizeof(double));
    memcpy(p->data->qvel + 3, turns, sizeof turns);
    for (int j = 0; j < p->c->joint_count; j++) {
        const hf_joint* joint = &p->c->joints[j];
        if (joint->q_count != 1) continue;
        int id = mj_name2id(p->model, mjOBJ_JOINT, joint->name);
        double scale = 1;
        const hf_joint* master = joint;
        for (; master->mimic >= 0; master = &p->c->joints[master->mimic]) scale *= master->multiplier;
        p->data->qpos[p->model->jnt_qposadr[id]] = p->wanted.q[joint->q_index];
        p->data->qvel[p->model->jnt_dofadr[id]] = scale * p->wanted_speed[master->v_index];
    }
}

static void get_state(player* p) {
    const double* x = p->data->qpos;
    p->now.root = (hf_transform){{x[0], x[1], x[2]}, hf_quat_normalize((hf_quat){x[3], x[4], x[5], x[6]})};
    hf_vec3 turn =
        hf_rotate(p->now.root.rotation, hf_v3(p->data->qvel[3], p->data->qvel[4], p->data->qvel[5]));
    memcpy(p->speed, p->data->qvel, 3 * sizeof(double));
    p->speed[3] = turn.x, p->speed[4] = turn.y, p->speed[5] = turn.z;
    for (int j = 0; j < p->c->joint_count; j++) {
        const hf_joint* joint = &p->c->joints[j];
        if (joint->q_count != 1) continue;
        int id = mj_name2id(p->model, mjOBJ_JOINT, joint->name);
        p->now.q[joint->q_index] = x[p->model->jnt_qposadr[id]];
        if (joint->v_count == 1) p->speed[joint->v_index] = p->data->qvel[p->model->jnt_dofadr[id]];
    }
}

/* ---- contacts of the motion now ---- */

static bool holds_now(const player* p, int limb) {
    const hf_track_contact* t = contact_of(p, p->frame, limb);
    return t->on && (t->lasts || p->frame + 1 == p->motion->frame_count);
}

static int link_of(const player* p, int limb) {
    const hf_track_contact* t = contact_of(p, p->frame, limb);
    const hf_limb* l = &p->c->limbs[limb];
    return t->hold.frame >= 0 ? l->contacts[t->hold.frame].link : l->effector_link;
}

/* Ties the hands that grip from now on where they are, and unties the others. */
static void tie_hands(player* p) {
    for (int l = 0; l < p->c->limb_count; l++) {
        const hf_track_contact* t = contact_of(p, p->frame, l);
        bool grips = holds_now(p, l) && t->hold.grip;
        for (int k = 0; k < CORNERS; k++) {
            char name[40];
            snprintf(name, sizeof name, "tie_%d_%d", l, k);
            int id = mj_name2id(p->model, mjOBJ_EQUALITY, name), body = p->model->eq_obj1id[id];
            bool wanted = grips && k < t->support.corner_count;
            if (wanted && !p->model->eq_active[id]) {
                hf_vec3 at = t->support.corners[k];
                const double world[3] = {at.x, at.y, at.z};
                double off[3], *data = p->model->eq_data + mjNEQDATA * id;
                mju_sub3(off, world, p->data->xpos + 3 * body);
                mju_rotVecMatT(data, off, p->data->xmat + 9 * body);
                mju_copy3(data + 3, world);
            }
            p->model->eq_active[id] = wanted;
        }
    }
}

static bool lands_soon(const player* p, int limb, double time_s) {
    for (int f = p->frame + 1; f < p->motion->frame_count; f++) {
        if (p->motion->frames[f].time_s > time_s + LANDING_S) return false;
        if (contact_of(p, f, limb)->on) return true;
    }
    return false;
}

/* Limbs that the motion has in the air touch nothing: the check has judged what is in their way. */
static void touch_limbs(player* p, double time_s) {
    for (int l = 0; l < p->c->limb_count; l++) {
        bool touches = holds_now(p, l) || lands_soon(p, l, time_s);
        for (int f = 0; f < p->c->limbs[l].contact_count; f++)
            for (int k = 0; k < CORNERS; k++) {
                char name[300];
                snprintf(name, sizeof name, "%.120s.%.120s.%d", p->c->limbs[l].name,
                         p->c->limbs[l].contacts[f].name, k);
                int g = mj_name2id(p->model, mjOBJ_GEOM, name);
                if (g < 0) continue;
                p->model->geom_contype[g] = touches ? 4 : 0;
                p->model->geom_conaffinity[g] = touches ? 2 : 0;
            }
    }
}

/* ---- the controller ---- */

static int gather_corners(player* p, hf_vec3 com, double weight) {
    int count = 0;
    for (int l = 0; l < p->c->limb_count; l++) {
        const hf_support* s = &contact_of(p, p->frame, l)->support;
        for (int k = 0; holds_now(p, l) && k < s->corner_count && count < HF_FORCE_CORNERS; k++)
            p->corners[count++] = (hf_force_corner){.arm = hf_sub(s->corners[k], com),
                                                    .normal = s->normal,
                                                    .friction = FRICTION_SHARE * s->friction,
                                                    .grip = s->grip,
                                                    .most = s->max_force / s->corner_count / weight};
    }
    return count;
}

static void share_wrench(player* p) {
    double weight = p->c->mass * HF_GRAVITY_M_S2, wrench[6];
    hf_vec3 com = hf_com(p->creature, p->links);
    hf_vec3 force = hf_v3(p->force[0], p->force[1], p->force[2]);
    hf_vec3 moment = hf_add(hf_v3(p->force[3], p->force[4], p->force[5]),
                            hf_cross(hf_sub(p->now.root.position, com), force));
    const double all[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int i = 0; i < 6; i++) wrench[i] = all[i] / weight;
    int count = gather_corners(p, com, weight), at = 0, n = p->c->v_count;
    hf_contact_forces(p->corners, count, wrench, p->dual);
    for (int l = 0; l < p->c->limb_count; l++)
        for (int k = 0; holds_now(p, l) && k < contact_of(p, p->frame, l)->support.corner_count && at < count;
             k++, at++) {
            hf_vec3 f = hf_scale(p->corners[at].force, weight);
            hf_point_jacobian(p->creature, p->links, link_of(p, l), hf_add(com, p->corners[at].arm), 3,
                              p->jacobian);
            for (int i = 0; i < n; i++)
                p->force[i] -= p->jacobian[i] * f.x + p->jacobian[n + i] * f.y + p->jacobian[2 * n + i] * f.z;
        }
}

static void control(player* p) {
    int n = p->c->v_count;
    hf_pose_difference(p->creature, &p->now, &p->wanted, p->error);
    for (int i = 0; i < n; i++)
        p->rate[i] += STIFFNESS * p->error[i] + DAMPING * (p->wanted_speed[i] - p->speed[i]);
    hf_forward(p->creature, &p->now, p->links);
    if (hf_inverse_dynamics(p->creature, &p->now, p->speed, p->rate, hf_v3(0, 0, -HF_GRAVITY_M_S2),
                            p->workspace, p->force) != HF_OK)
        stop("out of memory");
    share_wrench(p);
    for (int j = 0; j < p->c->joint_count; j++) {
        const hf_joint* joint = &p->c->joints[j];
        if (joint->q_count != 1 || joint->mimic >= 0) continue;
        double torque = p->force[joint->v_index], most = joint->max_effort > 0 ? joint->max_effort : INFINITY;
        p->saturated += fabs(torque) > most;
        p->torques++;
        p->data->ctrl[mj_name2id(p->model, mjOBJ_ACTUATOR, joint->name)] = fmin(most, fmax(-most, torque));
    }
}

/* ---- playing ---- */

static const char* fallen(const player* p, double* off) {
    *off = hf_distance(p->now.root.position, p->wanted.root.position);
    double tilt = hf_quat_angle(p->now.root.rotation, p->wanted.root.rotation);
    if (!isfinite(*off + tilt)) return "the simulation diverged";
    if (*off > FALLEN_SHARE * p->c->height) return "the root is too far from its place";
    return tilt > FALLEN_RAD ? "the root has turned too far" : NULL;
}

/* What touches in a frame, as text. */
static void say_holds(const player* p, char* text, size_t size) {
    text[0] = 0;
    for (int l = 0; l < p->c->limb_count; l++)
        if (holds_now(p, l))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "",
                     p->c->limbs[l].name);
}

static void play(player* p) {
    const hf_motion_frame* frames = p->motion->frames;
    double start = frames[0].time_s, end = frames[p->motion->frame_count - 1].time_s, t = start;
    double sum = 0, worst = 0;
    long steps = 0;
    const char* why = NULL;
    char holds[400];
    for (; t < end && !why; t += STEP_S, steps++) {
        while (p->frame + 2 < p->motion->frame_count && frames[p->frame + 1].time_s <= t) p->frame++;
        hf_pose_spline_rates(&p->spline, t, &p->wanted, p->wanted_speed, p->rate);
        if (steps == 0) {
            set_state(p);
            mj_forward(p->model, p->data);
        }
        get_state(p);
        double off;
        why = fallen(p, &off);
        sum += off * off, worst = fmax(worst, off);
        tie_hands(p);
        touch_limbs(p, t);
        control(p);
        mj_step(p->model, p->data);
    }
    say_holds(p, holds, sizeof holds);
    double share = why ? (t - start) / (end - start) : 1;
    printf("{ \"tracked\": %.4f, \"duration_s\": %.3f, \"fell_at_s\": ", share, end - start);
    if (why)
        printf("%.3f, \"why\": \"%s\", \"holds\": \"%s\"", t - start, why, holds);
    else
        printf("null, \"why\": \"\", \"holds\": \"\"");
    printf(", \"root_error_mean_m\": %.4f, \"root_error_max_m\": %.4f, \"saturated_share\": %.5f }\n",
           sqrt(sum / (double)steps), worst, p->torques ? (double)p->saturated / (double)p->torques : 0);
}

static void refuse(const player* p) {
    if (p->motion->frame_count < 2) stop("the motion has one frame: there is nothing to play");
    if (!p->scenario) stop("the motion names no scenario: it is not known on what it stands");
    bool touches = false;
    for (int f = 0; f < p->motion->frame_count; f++) {
        touches = touches || p->motion->frames[f].contact_count > 0;
        if (p->motion->frames[f].object_count) stop("objects that move are not played");
    }
    if (!touches) stop("the motion has no contacts: it would only fall");
    for (int o = 0; o < hf_scene_object_count(p->scenario->scene); o++)
        if (hf_scene_object(p->scenario->scene, o).key_count) stop("objects that move are not played");
}

static void load(player* p, const char* path) {
    hf_error error = {0};
    hf_load_options options = hf_load_options_default();
    stop_with(hf_motion_load(path, &p->motion, &error), &error);
    stop_with(hf_creature_load(p->motion->creature, &options, &p->creature, &error), &error);
    if (p->motion->scenario)
        stop_with(hf_scenario_load(p->motion->scenario, &options, &p->scenario, &error), &error);
    refuse(p);
    p->c = hf_creature_get(p->creature);
    const hf_scene* scene = p->scenario->scene;
    stop_with(hf_motion_validate(p->motion, p->creature, scene, &error), &error);
    stop_with(hf_contact_track_make(p->motion, p->creature, scene, &p->track, &error), &error);
    /* Supports and holds into the world: objects stand still. */
    hf_placement* placement = NULL;
    if (hf_placement_create(scene, &placement) != HF_OK) stop("out of memory");
    for (size_t i = 0; i < (size_t)p->motion->frame_count * (size_t)p->track.limb_count; i++) {
        hf_track_contact* t = &p->track.contacts[i];
        hf_transform object = hf_track_object(placement, t->hold.object);
        t->hold = hf_hold_in_world(t->hold, object);
        for (int k = 0; k < t->support.corner_count; k++)
            t->support.corners[k] = hf_apply(object, t->support.corners[k]);
        t->support.normal = hf_rotate(object.rotation, t->support.normal);
    }
    hf_placement_free(placement);
}

static void make_curve(player* p) {
    int count = p->motion->frame_count, v = p->c->v_count;
    double* times = calloc((size_t)count, sizeof *times);
    hf_pose* poses = calloc((size_t)count, sizeof *poses);
    for (int i = 0; i < count; i++) {
        times[i] = p->motion->frames[i].time_s;
        poses[i] = (hf_pose){p->motion->frames[i].root, p->motion->frames[i].q};
    }
    if (hf_workspace_create(&p->workspace) != HF_OK) stop("out of memory");
    hf_workspace_begin(p->workspace); /* to the end of the program: the curve stays where it is */
    if (hf_pose_spline_through(p->creature, times, poses, count, p->workspace, &p->spline) != HF_OK)
        stop("out of memory");
    p->now.q = calloc((size_t)p->c->q_count + 1, sizeof(double));
    p->wanted.q = calloc((size_t)p->c->q_count + 1, sizeof(double));
    double** arrays[] = {&p->speed, &p->wanted_speed, &p->rate, &p->error, &p->force};
    for (int i = 0; i < 5; i++) *arrays[i] = calloc((size_t)v, sizeof(double));
    p->jacobian = calloc(3 * (size_t)v, sizeof(double));
    p->links = calloc((size_t)p->c->link_count, sizeof(hf_transform));
    free(times), free(poses);
}

int main(int count, char** words) {
    if (count != 3) {
        fputs("usage: playback MOTION FOLDER\n", stderr);
        return 2;
    }
    player p = {0};
    mju_user_warning = warn;
    load(&p, words[1]);
    make_curve(&p);
    load_world(&p, words[2]);
    play(&p);
    return 0;
}
