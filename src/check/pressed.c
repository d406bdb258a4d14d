/* What is pressed between limbs that do not grip it: a movable object that two of them touch from sides that
   face each other. It goes with them. Forces inside the friction cones at these contacts must bear its
   weight, no limb pushes more than its max_force, and the joints of the limbs bear these forces and the
   weight of the limbs themselves within their effort limits. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <math.h>
#include <stdio.h>

static const double ENOUGH = CHECK_MISSING + 1e-6; /* shares of the weight, m of moment arm */
enum { EDGES = CHECK_CONE_COLUMNS };

/* Does the contact touch this movable object without a grip? */
static bool touches(const check_job* job, const hf_hold* k, int object) {
    return job->views[object].movable && !k->grip && k->object >= 0 && job->object_of[k->object] == object &&
           job->limb_of[k->limb] >= 0;
}

bool check_presses(const check_job* job, int frame, const hf_hold* k, int object) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    if (!touches(job, k, object)) return false;
    for (int i = 0; i < f->contact_count; i++)
        if (touches(job, &f->contacts[i], object) && f->contacts[i].limb != k->limb &&
            hf_dot(f->contacts[i].normal, k->normal) < 0)
            return true;
    return false;
}

/* ---- the program of the forces ---- */

/* One question: columns are the edges of the cones at the corners of the contacts, one after the other, then
   the rests of the limits; forces in weights of the object. */
typedef struct pressing {
    const check_job* job;
    const check_frame* links;
    int frame, object, count;
    const hf_hold** contacts;
    check_bearing* bearings;
    double middle[3], weight;
    check_program program;
    int rest, row; /* the next column and row of a limit */
} pressing;

static double* cell(const pressing* p, int row, int column) {
    return &p->program.table[(size_t)row * (size_t)(p->program.columns + 1) + (size_t)column];
}

static const hf_limb* limb_of(const pressing* p, int contact) {
    return &p->job->c->limbs[p->job->limb_of[p->contacts[contact]->limb]];
}

static int limits_of(const pressing* p, int contact) {
    int count = 0;
    for (int i = 0; i < limb_of(p, contact)->joint_count; i++)
        count += check_is_limited(&p->job->c->joints[limb_of(p, contact)->joints[i]]);
    return count;
}

/* The force of an edge of the cone about the direction into the object. */
static void edge_force(const pressing* p, int contact, int edge, double f[3]) {
    check_cone_edge(hf_neg(p->contacts[contact]->normal), p->bearings[contact].friction, edge, f);
}

static void moment_of(const double point[3], const double about[3], const double f[3], double out[3]) {
    for (int x = 0; x < 3; x++) {
        int a = (x + 1) % 3, b = (x + 2) % 3;
        out[x] = (point[a] - about[a]) * f[b] - (point[b] - about[b]) * f[a];
    }
}

static void put_forces(pressing* p) {
    int column = 0;
    for (int i = 0; i < p->count; i++)
        for (int c = 0; c < p->bearings[i].count; c++)
            for (int e = 0; e < EDGES; e++, column++) {
                double f[3], m[3];
                edge_force(p, i, e, f);
                moment_of(p->bearings[i].corners[c], p->middle, f, m);
                for (int x = 0; x < 3; x++) *cell(p, x, column) = f[x], *cell(p, 3 + x, column) = m[x];
            }
    *cell(p, 2, p->program.columns) = 1; // the weight
}

/* The forces of one limb are at most what it can push. */
static void put_most(pressing* p, int contact, int column) {
    for (int k = 0; k < p->bearings[contact].count * EDGES; k++) *cell(p, p->row, column + k) = 1;
    *cell(p, p->row, p->rest++) = 1;
    *cell(p, p->row++, p->program.columns) = limb_of(p, contact)->max_force / p->weight;
}

static bool is_below(const hf_creature_view* c, int link, int top) {
    while (link >= 0 && link != top) link = c->links[link].parent_link;
    return link == top;
}

/* What a force at a point takes of a joint. */
static double torque_of(const hf_joint* j, const check_frame* at, const double point[3], const double f[3]) {
    double axis[3] = {j->axis.x, j->axis.y, j->axis.z}, m[3];
    check_frame_turn(at, axis, axis);
    moment_of(point, at->p, f, m);
    const double* with = j->type == HF_JOINT_PRISMATIC ? f : m;
    return axis[0] * with[0] + axis[1] * with[1] + axis[2] * with[2];
}

/* What the weight of all links beyond a joint takes of it. */
static double own_torque(const pressing* p, const hf_joint* j, const check_frame* at) {
    double torque = 0;
    for (int l = 0; l < p->job->c->link_count; l++) {
        const hf_link* link = &p->job->c->links[l];
        double com[3] = {link->com.x, link->com.y, link->com.z};
        double f[3] = {0, 0, link->mass * CHECK_GRAVITY};
        if (!is_below(p->job->c, l, j->child_link)) continue;
        check_frame_point(&p->links[l], com, com);
        torque += torque_of(j, at, com, f);
    }
    return torque;
}

/* Two rows of a joint, in shares of its effort limit: own + pushed is at most 1 and at least -1. */
static void put_joint(pressing* p, int contact, int column, const hf_joint* j) {
    const check_frame* at = &p->links[j->child_link];
    double own = own_torque(p, j, at) / j->max_effort;
    for (int sign = -1; sign <= 1; sign += 2, p->row++) {
        for (int k = 0; k < p->bearings[contact].count * EDGES; k++) {
            double f[3];
            edge_force(p, contact, k % EDGES, f);
            double torque = torque_of(j, at, p->bearings[contact].corners[k / EDGES], f);
            *cell(p, p->row, column + k) = sign * torque * p->weight / j->max_effort;
        }
        *cell(p, p->row, p->rest++) = 1;
        *cell(p, p->row, p->program.columns) = 1 - sign * own;
    }
}

static hf_status make_program(pressing* p) {
    int rows = 6, columns = 0;
    for (int i = 0; i < p->count; i++) {
        rows += 1 + 2 * limits_of(p, i);
        columns += p->bearings[i].count * EDGES;
    }
    p->rest = columns, p->row = 6;
    hf_status status = check_program_make(&p->program, rows, columns + rows - 6);
    if (status != HF_OK) return status;
    put_forces(p);
    for (int i = 0, column = 0; i < p->count; column += p->bearings[i++].count * EDGES) {
        put_most(p, i, column);
        for (int k = 0; k < limb_of(p, i)->joint_count; k++) {
            const hf_joint* j = &p->job->c->joints[limb_of(p, i)->joints[k]];
            if (check_is_limited(j)) put_joint(p, i, column, j);
        }
    }
    return HF_OK;
}

/* ---- a frame ---- */

static bool collect(pressing* p) {
    const hf_motion_frame* f = &p->job->motion->frames[p->frame];
    bool good = true;
    p->count = 0;
    for (int i = 0; i < f->contact_count && good; i++) {
        if (!check_presses(p->job, p->frame, &f->contacts[i], p->object)) continue;
        p->contacts[p->count] = &f->contacts[i];
        good = check_press_bearing(p->job, p->frame, &f->contacts[i], p->links, &p->bearings[p->count++]);
    }
    check_frame at = check_frame_of(check_object_at(p->job, p->object, p->frame, 0));
    check_frame_point(&at, p->job->loads[p->object].middle, p->middle);
    return good;
}

static void judge(pressing* p, check_frame_report* r) {
    const hf_object_view* o = &p->job->views[p->object];
    double force = 0, moment = 0;
    p->weight = o->mass_kg * CHECK_GRAVITY;
    bool good = collect(p);
    if (good && !(p->count && p->weight > 0)) return;
    good = good && make_program(p) == HF_OK &&
           check_program_missing(&p->program, ENOUGH, &force, &moment) == HF_OK;
    check_program_free(&p->program);
    r->failed |= !good;
    if (!good || fmax(force, moment) <= ENOUGH) return;
    r->unpressed = true;
    snprintf(r->press_what, sizeof r->press_what,
             "what presses \"%.60s\" cannot bear it: %.1f %% of its weight, %.1f cm of moment arm missing",
             o->name, force * 100, moment * 100);
}

bool check_any_pressed(const check_job* job, int frame) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    for (int i = 0; i < f->contact_count; i++) {
        int object = f->contacts[i].object >= 0 ? job->object_of[f->contacts[i].object] : -1;
        if (object >= 0 && check_presses(job, frame, &f->contacts[i], object)) return true;
    }
    return false;
}

void check_pressed(const check_job* job, int frame, check_frame_report* report) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    size_t most = (size_t)f->contact_count + 1;
    pressing p = {.job = job, .frame = frame};
    check_frame* links = NULL;
    if (!check_any_pressed(job, frame)) return;
    links = hf_alloc((size_t)job->c->link_count, sizeof *links);
    p.contacts = hf_alloc(most, sizeof *p.contacts);
    p.bearings = hf_alloc(most, sizeof *p.bearings);
    report->failed |= !links || !p.contacts || !p.bearings;
    if (!report->failed) check_forward(job->c, f->root, f->q, links);
    p.links = links;
    for (p.object = 0; p.object < job->object_count && !report->failed; p.object++) judge(&p, report);
    hf_free(links);
    hf_free((void*)p.contacts);
    hf_free(p.bearings);
}
