/* Creature against scene and against itself, at a frame and on the way to the next: no point of a body
   moves over 2.5 mm untested. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <stdio.h>
#include <string.h>

static const double ALLOWED_M = CHECK_DEPTH_M;             /* every other pair */
static const double ALLOWED_TOUCH_M = CHECK_TOUCH_DEPTH_M; /* effector and the object it touches */
static const double STEP_M = 0.0025;   /* between frames: a way bent to 5 cm leaves its chord by 0.02 mm */
static const double ROUNDING_M = 1e-6; /* triangles are floats */
static const double PART = 0.1; /* rad or m of a joint between two frames: a chord is as good as the way */
enum {
    MAX_PARTS = 1000,  /* 16 turns of a joint between two frames */
    MAX_STEPS = 100000 /* 250 m between two frames in steps of 2.5 mm */
};

hf_transform check_pose_at(const check_job* job, int frame, double fraction, double* q) {
    const hf_creature_view* c = job->c;
    const hf_motion_frame* a = &job->motion->frames[frame];
    if (!(fraction > 0) || frame + 1 >= job->motion->frame_count) {
        memcpy(q, a->q, sizeof(double) * (size_t)c->q_count);
        return a->root;
    }
    const hf_motion_frame* b = a + 1;
    for (int i = 0; i < c->q_count; i++) q[i] = a->q[i] + fraction * (b->q[i] - a->q[i]);
    /* Orientations of floating joints go the short way round. */
    for (int j = 0; j < c->joint_count; j++) {
        if (c->joints[j].type != HF_JOINT_FLOATING) continue;
        int k = c->joints[j].q_index + 3;
        hf_quat qa = {a->q[k], a->q[k + 1], a->q[k + 2], a->q[k + 3]},
                qb = {b->q[k], b->q[k + 1], b->q[k + 2], b->q[k + 3]};
        hf_quat r = hf_quat_slerp(qa, qb, fraction);
        q[k] = r.w, q[k + 1] = r.x, q[k + 2] = r.y, q[k + 3] = r.z;
    }
    return (hf_transform){hf_lerp(a->root.position, b->root.position, fraction),
                          hf_quat_slerp(a->root.rotation, b->root.rotation, fraction)};
}

/* Going up from it, the effector must come before
   any link that a limb moves or the trunk holds. */
bool check_touches_with(const hf_creature_view* c, int limb, int link) {
    for (; link >= 0 && link != c->limbs[limb].effector_link; link = c->links[link].parent_link) {
        for (int i = 0; i < c->trunk_count; i++)
            if (c->trunk[i] == link) return false;
        for (int l = 0; l < c->limb_count; l++)
            for (int k = 0; k < c->limbs[l].joint_count; k++)
                if (c->limbs[l].joints[k] == c->links[link].joint) return false;
    }
    return link >= 0;
}

bool check_can_be_gripped(const hf_object_view* view) { return view->grip || view->movable; }

/* How deep this body may be in this object: by the contacts of the frame or of the next one. */
static double allowed(const check_job* job, int frame, const check_body* body, int object) {
    double depth = ALLOWED_M;
    for (int f = frame; f <= frame + 1 && f < job->motion->frame_count; f++) {
        const hf_motion_frame* at = &job->motion->frames[f];
        for (int i = 0; i < at->contact_count; i++) {
            const hf_hold* k = &at->contacts[i];
            if (k->object < 0 || job->object_of[k->object] != object || job->limb_of[k->limb] < 0) continue;
            if (!check_touches_with(job->c, job->limb_of[k->limb], body->link)) continue;
            if (k->grip && job->c->limbs[job->limb_of[k->limb]].grip &&
                check_can_be_gripped(&job->views[object]))
                return INFINITY;
            depth = ALLOWED_TOUCH_M;
        }
    }
    return check_body_allowed(body, depth);
}

/* One moment: frames of links, bodies and objects, and how many moments between two frames a body needs. */
typedef struct moment {
    int* steps;
    double* q;
    check_frame* links;
    check_frame* bodies;
    check_frame* objects;
} moment;

static bool moment_create(const check_job* job, moment* m) {
    m->q = hf_alloc((size_t)job->c->q_count, sizeof(double));
    m->links = hf_alloc((size_t)job->c->link_count, sizeof(check_frame));
    m->bodies = hf_alloc((size_t)job->c->body_count, sizeof(check_frame));
    m->objects = hf_alloc((size_t)job->object_count, sizeof(check_frame));
    m->steps = hf_alloc((size_t)job->c->body_count, sizeof(int));
    return m->q && m->links && m->bodies && m->objects && m->steps;
}

static void moment_free(moment* m) {
    hf_free(m->q);
    hf_free(m->links);
    hf_free(m->bodies);
    hf_free(m->objects);
    hf_free(m->steps);
}

static void moment_set(const check_job* job, int frame, double fraction, moment* m) {
    hf_transform root = check_pose_at(job, frame, fraction, m->q);
    check_forward(job->c, root, m->q, m->links);
    for (int b = 0; b < job->c->body_count; b++)
        m->bodies[b] = check_frame_mul(&m->links[job->bodies[b].link], &job->bodies[b].in_link);
    for (int o = 0; o < job->object_count; o++)
        m->objects[o] = check_frame_of(check_object_at(job, o, frame, fraction));
}

static double object_radius(const check_object* o) {
    double r = 0;
    for (int p = 0; p < o->piece_count; p++)
        for (int k = 0; k < 8 && o->pieces[p].count; k++) {
            double c[3], d = 0;
            for (int i = 0; i < 3; i++)
                c[i] = (k >> i & 1) ? o->pieces[p].high[i] : o->pieces[p].low[i], d += c[i] * c[i];
            if (sqrt(d) > r) r = sqrt(d);
        }
    return r;
}

/* How far the keys move a point of the object between two frames, as if its fastest part lasted all the
   time. */
static double keyed_travel(const check_job* job, int object, int frame) {
    const hf_object_view* v = &job->views[object];
    size_t next = (size_t)(frame + 1) * (size_t)job->object_count + (size_t)object;
    double since = job->motion->frames[frame].time_s, until = job->motion->frames[frame + 1].time_s, most = 0;
    for (int k = 1; k < v->key_count && !job->named[next]; k++) {
        const hf_key *a = &v->keys[k - 1], *b = &v->keys[k];
        if (b->time_s <= since || a->time_s >= until) continue;
        double way = hf_distance(a->pose.position, b->pose.position),
               angle = hf_quat_angle(a->pose.rotation, b->pose.rotation);
        way += angle > 0 ? angle * object_radius(&job->objects[object]) : 0;
        most = fmax(most, way / (b->time_s - a->time_s));
    }
    return most * (until - since);
}

static double body_travel(const check_body* body, const check_frame* from, const check_frame* to) {
    double a[3], b[3], d = 0;
    check_frame_point(from, body->centre, a);
    check_frame_point(to, body->centre, b);
    for (int i = 0; i < 3; i++) d += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(d) + check_frame_angle(from, to) * body->reach;
}

/* The longest way of a point of an object between two moments. */
static double carried_travel(const check_job* job, const moment* a, const moment* b) {
    double most = 0;
    for (int o = 0; o < job->object_count; o++) {
        double d = 0, angle = check_frame_angle(&a->objects[o], &b->objects[o]);
        for (int i = 0; i < 3; i++) {
            double along = a->objects[o].p[i] - b->objects[o].p[i];
            d += along * along;
        }
        most = fmax(most, sqrt(d) + (angle > 0 ? angle * object_radius(&job->objects[o]) : 0));
    }
    return most;
}

int check_chord_parts(const check_job* job, int frame) {
    const hf_motion_frame *f = &job->motion->frames[frame], *g = f + 1;
    double turn = hf_quat_angle(f->root.rotation, g->root.rotation);
    for (int i = 0; i < job->c->q_count; i++) turn = fmax(turn, fabs(g->q[i] - f->q[i]));
    double parts = fmax(1, ceil(turn / PART));
    return parts <= MAX_PARTS ? (int)parts : 0;
}

/* How far a body may move from one look to the next: thin ones not so far that they jump a surface, though
   two looks may be up to twice as far apart as they are on average. */
static double step_of(const check_body* body) { return fmin(STEP_M, fmax(0, body->thin / 2)); }

/* Looks at a body on one of the parts of its way, for as many on each. */
static double looks_at(const check_body* body, double way, int parts) {
    return way > 0 ? fmax(1, ceil(way / step_of(body))) * parts : 1;
}

static void swap_places(moment* a, moment* b) {
    check_frame *bodies = a->bodies, *placed = a->objects;
    a->bodies = b->bodies, a->objects = b->objects;
    b->bodies = bodies, b->objects = placed;
}

/* Steps between the frames so that nothing moves over 2.5 mm against an object from one to the next: for each
   body (left in `a`), and the most of them; 0 when they are too many. */
static int steps_between(const check_job* job, int frame, moment* a, moment* b) {
    int parts = check_chord_parts(job, frame);
    double keyed = 0, most = 1;
    for (int o = 0; o < job->object_count; o++) keyed = fmax(keyed, keyed_travel(job, o, frame));
    for (int k = 0; k < job->c->body_count; k++) a->steps[k] = 1;
    moment_set(job, frame, 0, a);
    for (int p = 1; p <= parts && most <= MAX_STEPS; p++) {
        moment_set(job, frame, (double)p / parts, b);
        double objects = fmax(carried_travel(job, a, b), keyed / parts);
        for (int k = 0; k < job->c->body_count; k++) {
            double way = body_travel(&job->bodies[k], &a->bodies[k], &b->bodies[k]) + objects;
            double steps = looks_at(&job->bodies[k], way, parts);
            most = fmax(most, steps);
            if (steps <= MAX_STEPS && steps > a->steps[k]) a->steps[k] = (int)steps;
        }
        swap_places(a, b);
    }
    return parts && most <= MAX_STEPS ? (int)most : 0;
}

/* Is it a body's turn at this of all the steps? */
static bool due(const moment* m, int body, int step, int steps) {
    double each = (double)m->steps[body] / steps;
    return step == 0 || m->steps[body] >= steps || floor(step * each) > floor((step - 1) * each);
}

static void note_scene(const check_job* job, int body, int object, double depth, check_frame_report* r) {
    if (!r->scene || depth > r->depth)
        snprintf(r->scene_what, sizeof r->scene_what, "link \"%.60s\" is %.2f mm in \"%.60s\"",
                 job->c->links[job->bodies[body].link].name, depth * 1000, job->views[object].name);
    r->scene = true;
    if (depth > r->depth) r->depth = depth;
}

/* One body against one object. */
static void body_object(const check_job* job, int frame, const moment* m, int body, int object, bool solids,
                        check_near* near, check_frame_report* r) {
    check_frame at = check_frame_seen_from(&m->objects[object], &m->bodies[body]);
    if (!check_object_near(&job->bodies[body], &at, &job->objects[object])) return;
    double enough = allowed(job, frame, &job->bodies[body], object) + ROUNDING_M;
    if (isinf(enough)) return;
    double depth = check_object_depth(&job->bodies[body], &at, &job->objects[object], enough, solids, near);
    r->failed = r->failed || isnan(depth);
    if (depth > enough) note_scene(job, body, object, depth, r);
}

/* Pairs of which one has moved. */
static void self_pairs(const check_job* job, const moment* m, const bool* turns, check_frame_report* r) {
    for (int a = 0; a < job->c->body_count; a++)
        for (int b = a + 1; b < job->c->body_count; b++) {
            if (r->self || !(turns[a] || turns[b]) || !hf_creature_pair_enabled(job->creature, a, b))
                continue;
            double enough = fmin(check_body_allowed(&job->bodies[a], ALLOWED_M),
                                 check_body_allowed(&job->bodies[b], ALLOWED_M));
            double depth =
                check_bodies_depth(&job->bodies[a], &m->bodies[a], &job->bodies[b], &m->bodies[b], enough);
            r->failed = r->failed || isnan(depth);
            if (!(depth > 0)) continue;
            r->self = true;
            snprintf(r->self_what, sizeof r->self_what,
                     "links \"%.50s\" and \"%.50s\" are %.2f mm in each other",
                     job->c->links[job->bodies[a].link].name, job->c->links[job->bodies[b].link].name,
                     depth * 1000);
        }
}

/* Judges one of the steps from a frame to the next. */
static void judge_step(const check_job* job, int frame, int step, int steps, moment* m, bool* turns,
                       check_near* near, check_frame_report* report) {
    moment_set(job, frame, (double)step / steps, m);
    for (int k = 0; k < job->c->body_count; k++) {
        turns[k] = due(m, k, step, steps);
        bool solids = step == 0 || job->bodies[k].thin < STEP_M;
        for (int o = 0; turns[k] && o < job->object_count; o++)
            body_object(job, frame, m, k, o, solids, near, report);
    }
    self_pairs(job, m, turns, report);
    check_carried(job, frame, m->objects, near, report);
}

void check_collisions(const check_job* job, int frame, check_frame_report* report) {
    moment a = {0}, b = {0};
    check_near near = {0};
    bool* turns = hf_alloc((size_t)job->c->body_count + 1, sizeof *turns);
    if (!moment_create(job, &a) || !moment_create(job, &b) || !turns) {
        report->failed = true;
    } else {
        int steps = frame + 1 < job->motion->frame_count ? steps_between(job, frame, &a, &b) : 1;
        report->too_far = !steps;
        if (!steps) steps = 1;
        for (int s = 0; s < steps; s++) judge_step(job, frame, s, steps, &a, turns, &near, report);
    }
    hf_free(turns);
    check_near_free(&near);
    moment_free(&a);
    moment_free(&b);
}
