/* holdfast pose: the whole body reaches the targets of a scenario, free of collision, or says why not. */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A target counts as a contact when a surface is this near to it. */
static const double ON_SURFACE_M = 0.001;

enum { TRIES = 64 };

/* One try and how good it is. */
typedef struct attempt {
    hf_pose pose;
    hf_solve_result result;
    double* errors; /* metres, radians for each target */
    bool collides;
    hf_collision hit;
} attempt;

typedef struct pose_job {
    hf_scenario* scenario;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_transform* links;
    hf_hold* touches;
    hf_surface* surfaces; /* where each target touches, with the normal it meets; object -1 for none */
    attempt now, best;
    int tries;
    bool have_best;
} pose_job;

static bool attempt_create(const hf_scenario* s, attempt* a) {
    a->pose.q = calloc((size_t)hf_creature_get(s->creature)->q_count + 1, sizeof(double));
    a->errors = calloc((size_t)s->target_count * 2 + 1, sizeof(double));
    return a->pose.q && a->errors;
}

static hf_status job_create(pose_job* job, hf_scenario* s) {
    *job = (pose_job){.scenario = s};
    size_t n = (size_t)s->target_count + 1;
    job->links = calloc((size_t)hf_creature_get(s->creature)->link_count, sizeof *job->links);
    job->touches = calloc(n, sizeof *job->touches);
    job->surfaces = calloc(n, sizeof *job->surfaces);
    if (!job->links || !job->touches || !job->surfaces || !attempt_create(s, &job->now) ||
        !attempt_create(s, &job->best))
        return HF_ERROR_MEMORY;
    hf_status status = hf_placement_create(s->scene, &job->placement);
    return status == HF_OK ? hf_workspace_create(&job->workspace) : status;
}

static void job_free(pose_job* job) {
    free(job->links);
    free(job->touches);
    free(job->surfaces);
    free(job->now.pose.q);
    free(job->now.errors);
    free(job->best.pose.q);
    free(job->best.errors);
    hf_placement_free(job->placement);
    hf_workspace_free(job->workspace);
}

/* The surface's normal; that of an open piece towards the limb's root. */
static hf_vec3 normal_towards(const pose_job* job, const hf_target* t, const hf_surface* s) {
    const hf_scenario* scenario = job->scenario;
    hf_object_view object = hf_scene_object(scenario->scene, s->object);
    if (object.solidity[object.piece_of[s->triangle]] != 0) return s->normal;
    const hf_limb* limb = &hf_creature_get(scenario->creature)->limbs[t->limb];
    hf_vec3 root = hf_apply(job->links[limb->base_link], limb->base.position);
    return hf_dot(s->normal, hf_sub(root, s->point)) < 0 ? hf_neg(s->normal) : s->normal;
}

/* A round foot stands on the point: its centre is held one radius above. */
static void lift_ball(const pose_job* job, hf_target* t, hf_vec3 normal) {
    if (t->contact < 0 || t->kind == HF_TARGET_NORMAL) return;
    double ball = hf_creature_get(job->scenario->creature)->limbs[t->limb].contacts[t->contact].ball;
    if (!(ball > 0)) return;
    if (t->kind == HF_TARGET_POSITION)
        t->kind = HF_TARGET_NORMAL, t->normal = normal;
    else
        t->point = hf_add(t->point, hf_scale(normal, ball));
}

/* Targets on a surface that allows contact become touches, so that the effector may meet what it is meant to
   touch. */
static int find_surfaces(pose_job* job) {
    int count = 0;
    hf_forward(job->scenario->creature, &job->scenario->start.pose, job->links);
    for (int i = 0; i < job->scenario->target_count; i++) {
        hf_target* t = &job->scenario->targets[i];
        job->surfaces[i].object = -1;
        hf_surface s;
        if (!hf_placement_closest(job->placement, t->point, ON_SURFACE_M, &s)) continue;
        if (!hf_scene_object(job->scenario->scene, s.object).contact) continue;
        s.normal = t->kind == HF_TARGET_NORMAL ? t->normal : normal_towards(job, t, &s);
        s.point = t->point;
        job->surfaces[i] = s;
        job->touches[count++] = (hf_hold){.limb = t->limb, .object = s.object, .grip = false};
        lift_ball(job, t, s.normal);
    }
    return count;
}

/* Better: reached before not reached, free before colliding, then the smaller error. */
static bool better(const attempt* a, const attempt* b) {
    bool ra = a->result.outcome == HF_FOUND, rb = b->result.outcome == HF_FOUND;
    if (ra != rb) return ra;
    if (a->collides != b->collides) return !a->collides;
    return a->result.position_error_m < b->result.position_error_m;
}

static void keep(pose_job* job) {
    if (job->have_best && !better(&job->now, &job->best)) return;
    attempt swap = job->best;
    job->best = job->now;
    job->now = swap;
    job->have_best = true;
}

/* Seeds in order until a pose reaches all targets free of collision. */
static hf_status search(pose_job* job, const options* o, progress* p) {
    const hf_scenario* s = job->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    hf_collision_query query = hf_collision_query_default();
    query.touches = job->touches;
    query.touch_count = find_surfaces(job);
    uint64_t seed = o->seed >= 0 ? (uint64_t)o->seed : s->seed;
    for (int try = 0; try < TRIES; try++) {
        job->tries = try + 1;
        job->now.pose.root = s->start.pose.root;
        memcpy(job->now.pose.q, s->start.pose.q, sizeof(double) * (size_t)c->q_count);
        hf_body_solve_options b = hf_body_solve_options_default();
        b.solve.seed = seed + (uint64_t)try;
        b.solve.posture = s->start.pose.q;
        b.guide = &s->start.pose.root;
        /* Later tries start away from the given posture, farther each time. */
        if (try) {
            for (int j = 0; j < c->joint_count; j++) {
                const hf_joint* joint = &c->joints[j];
                if (joint->q_count != 1 || joint->mimic >= 0 || !isfinite(joint->lower) ||
                    !isfinite(joint->upper))
                    continue;
                double spread = (joint->upper - joint->lower) * 0.5 * try / TRIES;
                double u = fmod(0.6180339887498949 * (j + 1) * (double)(b.solve.seed + 1), 1.0) * 2 - 1;
                double q = job->now.pose.q[joint->q_index] + u * spread;
                job->now.pose.q[joint->q_index] = fmin(joint->upper, fmax(joint->lower, q));
            }
            hf_pose_follow(s->creature, job->now.pose.q);
        }
        hf_status status = hf_body_solve(s->creature, s->targets, s->target_count, &b, job->workspace,
                                         &job->now.pose, job->now.errors, &job->now.result);
        if (status != HF_OK) return status;
        hf_forward(s->creature, &job->now.pose, job->links);
        job->now.collides = hf_collides(s->creature, job->placement, job->links, &query, &job->now.hit);
        keep(job);
        if (job->best.result.outcome == HF_FOUND && !job->best.collides) break;
        if (!progress_report(p, (double)job->tries / TRIES, "solving")) break;
    }
    return HF_OK;
}

/* The start and the solved pose as a motion; contacts where targets lie on surfaces and were reached. */
static hf_status make_motion(const pose_job* job, bool found, loaded_motion* m, hf_error* error) {
    const hf_scenario* s = job->scenario;
    hf_motion_frame* frame = begin_motion(m, s, &job->best.pose, found ? "found" : "partial");
    hf_status status = frame ? HF_OK : HF_ERROR_MEMORY;
    if (!frame) {
        set_error(error, status);
        return status;
    }
    if (!job->best.collides) m->motion->claims |= HF_CLAIM_COLLISION;
    for (int i = 0; i < s->target_count; i++) {
        const hf_target* t = &s->targets[i];
        if (job->surfaces[i].object < 0 || t->contact < 0 || job->best.errors[2 * i] > ON_SURFACE_M / 2)
            continue;
        hf_hold contact = {.limb = t->limb, .frame = t->contact, .object = job->surfaces[i].object};
        contact.normal = job->surfaces[i].normal;
        contact.point = job->surfaces[i].point;
        /* A limb has one contact in a frame: its first target's. */
        bool taken = false;
        for (int k = 0; k < frame->contact_count; k++) taken |= frame->contacts[k].limb == t->limb;
        if (taken) continue;
        status = hf_motion_add_contact(m->motion, frame, &contact);
        if (status != HF_OK) break;
    }
    hf_motion_set_stat(m->motion, "position_error_m", job->best.result.position_error_m);
    hf_motion_set_stat(m->motion, "angle_error_rad", job->best.result.angle_error_rad);
    hf_motion_set_stat(m->motion, "tries", job->tries);
    if (status != HF_OK) set_error(error, status);
    return status;
}

static void say(const pose_job* job, bool found, const progress* p, const options* o) {
    const hf_scenario* s = job->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    const attempt* a = &job->best;
    char why[200] = "";
    if (a->result.outcome != HF_FOUND)
        snprintf(why, sizeof why, "limb \"%.60s\" is %.1f mm and %.1f degrees off: %s",
                 c->limbs[s->targets[a->result.worst_target].limb].name, a->result.position_error_m * 1000,
                 a->result.angle_error_rad * 57.29578, hf_stop_text(a->result.stop));
    else if (a->collides)
        snprintf(why, sizeof why, "link \"%.60s\" collides with %.60s",
                 c->links[c->bodies[a->hit.body].link].name,
                 a->hit.other_body >= 0 ? c->links[c->bodies[a->hit.other_body].link].name
                                        : hf_scene_object(s->scene, a->hit.surface.object).name);
    if (o->json) {
        json_t* limbs = json_array();
        for (int i = 0; i < s->target_count; i++)
            json_array_append_new(limbs, json_pack("{s:s,s:f,s:f}", "limb", c->limbs[s->targets[i].limb].name,
                                                   "position_error_m", a->errors[2 * i], "angle_error_rad",
                                                   a->errors[2 * i + 1]));
        print_json(json_pack("{s:s,s:s,s:i,s:b,s:o}", "outcome", found ? "found" : "partial", "why", why,
                             "tries", job->tries, "collides", a->collides, "targets", limbs));
        return;
    }
    if (found)
        printf("%s: %s%d target%s within %.3f mm and %.3f degrees, free of collision\n", s->name,
               s->target_count > 1 ? "all " : "", s->target_count, s->target_count > 1 ? "s" : "",
               a->result.position_error_m * 1000, a->result.angle_error_rad * 57.29578);
    else
        printf("%s: %s after %d tries; the best pose so far is partial: %s\n", s->name,
               p->interrupted || p->timed_out ? progress_stop_text(p) : "no pose found", job->tries, why);
}

static int solve(hf_scenario* s, const options* o) {
    pose_job job = {0};
    hf_error error = {0};
    progress p = progress_start(o);
    hf_status status = hold_start_contacts(s) ? job_create(&job, s) : HF_ERROR_MEMORY;
    limit_hand_over(o);
    if (status == HF_OK) hf_workspace_watch(job.workspace, progress_report, &p);
    if (status == HF_OK) status = search(&job, o, &p);
    progress_end(&p);
    limit_end();
    int code;
    if (status != HF_OK) {
        fail_while(&error, status, s->path, "solving the pose");
        code = fail_with(&error);
    } else {
        bool found = job.best.result.outcome == HF_FOUND && !job.best.collides;
        say(&job, found, &p, o);
        code = found ? EXIT_DONE : EXIT_NO_SOLUTION;
        if (o->output) {
            loaded_motion m = {.creature = s->creature, .scenario = s, .scene = s->scene};
            progress drawing = progress_start(o);
            char* stem = make_text("%s/%s", o->output, s->name);
            int frame = 0;
            if (!stem || make_motion(&job, found, &m, &error) != HF_OK ||
                write_motion(&m, stem, &frame, 1, hf_v3(0, 0, 0), o, &drawing, &error) != HF_OK)
                code = error.status ? fail_with(&error) : EXIT_BAD_INPUT;
            free(stem);
            progress_end(&drawing);
            hf_motion_free(m.motion);
        }
    }
    job_free(&job);
    return code;
}

int run_pose(const options* o) {
    int code;
    if (o->output && !picture_fits(o, 1)) return EXIT_USAGE;
    hf_scenario* s = open_scenario(o, "pose", HF_SCENARIO_POSE, &code);
    if (!s) return code;
    if (!s->target_count)
        complain("%s: has no targets", s->path);
    else if (!o->output || make_output(o))
        code = solve(s, o);
    hf_scenario_free(s);
    return code;
}
