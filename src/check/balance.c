/* Balance of every frame: do contact forces exist that hold the body? Over friction cones of eight edges and,
   of grips, 26 directions. At rest, by a linear program: the centre of mass can be shifted by 5 mm in each of
   eight directions. In motion, by least squares: the forces make up the inertial wrench that three frames
   give, but for a hundredth of the weight and of the weight times a metre. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81;
static const double MARGIN_M = CHECK_MARGIN_M;
static const double ROUNDING_M = 1e-6; /* of files */
static const double MISSING = 0.01;    /* of the weight, and in metres of the moment divided by the weight */
enum {
    EDGES = 8,
    GRIP_DIRECTIONS = 26,
    WAYS = 8,
    ENDS = 2 /* frames at either end whose motion is not judged */
};

/* What bears in one question. */
typedef struct bearing_set {
    int frame, count;
    const hf_hold** contacts;
} bearing_set;

static const check_bearing* bearing_of(const check_job* job, int frame, int limb) {
    return &job->bearings[(size_t)frame * (size_t)job->motion->limb_count + (size_t)limb];
}

static void com_of(const check_job* job, int frame, check_frame* links, double com[3]) {
    const hf_motion_frame* at = &job->motion->frames[frame];
    check_forward(job->c, at->root, at->q, links);
    double mass = 0;
    com[0] = com[1] = com[2] = 0;
    for (int l = 0; l < job->c->link_count; l++) {
        const hf_link* link = &job->c->links[l];
        double p[3] = {link->com.x, link->com.y, link->com.z};
        check_frame_point(&links[l], p, p);
        mass += link->mass;
        for (int x = 0; x < 3; x++) com[x] += link->mass * p[x];
    }
    for (int x = 0; x < 3; x++) com[x] /= mass > 0 ? mass : 1;
}

static double mass_of(const hf_creature_view* c) {
    double mass = 0;
    for (int l = 0; l < c->link_count; l++) mass += c->links[l].mass;
    return mass;
}

/* ---- the program ---- */

/* Rows: force (3) and moment about the centre of mass (3) in body weights, then one for each corner of a grip
   (its share of the force, with a column that takes up the rest). The last columns are shifts of the centre
   of mass in eight directions, barred. */
static void count_size(const check_job* job, const bearing_set* s, int* rows, int* columns) {
    *rows = 6, *columns = WAYS;
    for (int i = 0; i < s->count; i++) {
        int corners = bearing_of(job, s->frame, s->contacts[i]->limb)->count;
        if (s->contacts[i]->grip) *rows += corners;
        *columns += corners * (s->contacts[i]->grip ? GRIP_DIRECTIONS + 1 : EDGES);
    }
}

static double* cell(const check_program* p, int row, int column) {
    return &p->table[(size_t)row * (size_t)(p->columns + 1) + (size_t)column];
}

static void put_force(const check_program* p, int column, const double corner[3], const double com[3],
                      const double f[3]) {
    double arm[3] = {corner[0] - com[0], corner[1] - com[1], corner[2] - com[2]};
    for (int x = 0; x < 3; x++) {
        *cell(p, x, column) = f[x];
        *cell(p, 3 + x, column) = arm[(x + 1) % 3] * f[(x + 2) % 3] - arm[(x + 2) % 3] * f[(x + 1) % 3];
    }
}

/* Edges of the cone, the first of them straight up the surface (on level ground along X). */
static int put_cone(const check_program* p, int column, const double corner[3], const double com[3],
                    hf_vec3 n, double friction) {
    double first[3] = {0, 0, 1}, normal[3] = {n.x, n.y, n.z}, second[3];
    if (fabs(n.z) > 0.999) first[0] = 1, first[2] = 0;
    double part = first[0] * normal[0] + first[1] * normal[1] + first[2] * normal[2], l = 0;
    for (int x = 0; x < 3; x++) first[x] -= part * normal[x], l += first[x] * first[x];
    for (int x = 0; x < 3; x++) first[x] /= sqrt(l);
    for (int x = 0; x < 3; x++)
        second[x] = normal[(x + 1) % 3] * first[(x + 2) % 3] - normal[(x + 2) % 3] * first[(x + 1) % 3];
    for (int e = 0; e < EDGES; e++) {
        double angle = e * 6.283185307179586 / EDGES, f[3];
        for (int x = 0; x < 3; x++)
            f[x] = normal[x] + friction * (hf_cos(angle) * first[x] + hf_sin(angle) * second[x]);
        put_force(p, column++, corner, com, f);
    }
    return column;
}

static int put_grip(const check_program* p, int column, int row, const double corner[3], const double com[3],
                    double force) {
    for (int k = 0; k < 27; k++) {
        double f[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        double l = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        if (l == 0) continue;
        for (int x = 0; x < 3; x++) f[x] /= l;
        put_force(p, column, corner, com, f);
        *cell(p, row, column++) = 1;
    }
    *cell(p, row, column++) = 1;
    *cell(p, row, p->columns) = force;
    return column;
}

/* The program for a wrench about the centre of mass: three numbers of force in body weights, three of moment
   in metres. */
static hf_status set_up(const check_job* job, const bearing_set* s, const double com[3],
                        const double wrench[6], check_program* p) {
    int rows, columns;
    count_size(job, s, &rows, &columns);
    hf_status status = check_program_make(p, rows, columns);
    if (status != HF_OK) return status;
    double weight = mass_of(job->c) * GRAVITY;
    int column = 0, row = 6;
    for (int i = 0; i < s->count; i++) {
        const hf_hold* k = s->contacts[i];
        const check_bearing* b = bearing_of(job, s->frame, k->limb);
        int limb = job->limb_of[k->limb];
        for (int c = 0; c < b->count; c++)
            column = k->grip ? put_grip(p, column, row++, b->corners[c], com,
                                        job->c->limbs[limb].max_force / b->count / weight)
                             : put_cone(p, column, b->corners[c], com, k->normal, b->friction);
    }
    for (int x = 0; x < 6; x++) *cell(p, x, columns) = wrench[x];
    for (int way = 0; way < WAYS; way++) {
        /* A shift by t along d needs the moment t (d_y, -d_x) of a weight of 1. */
        double angle = way * 6.283185307179586 / WAYS;
        *cell(p, 3, columns - WAYS + way) = -hf_sin(angle);
        *cell(p, 4, columns - WAYS + way) = hf_cos(angle);
        p->barred[columns - WAYS + way] = true;
    }
    return HF_OK;
}

/* ---- questions ---- */

/* Least shift in eight directions that loses balance; -1 where there is none; NaN when memory is out. */
static double margin_at(const check_job* job, const bearing_set* s, const double com[3]) {
    const double up[6] = {0, 0, 1, 0, 0, 0};
    check_program p, q = {0};
    hf_status status = set_up(job, s, com, up, &p);
    double least = status == HF_OK && check_program_start(&p) ? INFINITY : -1;
    if (status == HF_OK && least >= 0) status = check_program_make(&q, p.rows, p.columns);
    for (int way = 0; status == HF_OK && least >= 0 && way < WAYS; way++) {
        check_program_copy(&p, &q);
        least = fmin(least, check_program_largest(&q, p.columns - WAYS + way));
    }
    check_program_free(&p);
    check_program_free(&q);
    return status == HF_OK ? least : NAN;
}

/* The wrench about the centre of mass that moves the body as its frames say and bears its weight. */
static void wrench_of(const check_job* job, int frame, const check_frame* links, const double com[3],
                      check_motion* motions, double wrench[6]) {
    check_momentum_rate(job->c, &job->motion->frames[frame], links, com, motions, wrench, wrench + 3);
    double mass = mass_of(job->c), weight = (mass > 0 ? mass : 1) * GRAVITY;
    for (int x = 0; x < 6; x++) wrench[x] = wrench[x] / weight + (x == 2 && mass > 0);
}

/* What of the wrench about the centre of mass the contacts cannot give. */
static hf_status missing_at(const check_job* job, const bearing_set* s, const double com[3],
                            const double wrench[6], double* force, double* moment) {
    check_program p;
    hf_status status = set_up(job, s, com, wrench, &p);
    if (status == HF_OK) status = check_program_missing(&p, MISSING + ROUNDING_M, force, moment);
    check_program_free(&p);
    return status;
}

/* The contacts of a frame; of those, when `kept`, the ones that do not change from `changed - 1` to it. */
static void choose(const check_job* job, int frame, int changed, bool kept, bearing_set* s) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    s->frame = frame, s->count = 0;
    for (int i = 0; i < f->contact_count; i++)
        if (!kept || !check_limb_changes(job, changed, f->contacts[i].limb))
            s->contacts[s->count++] = &f->contacts[i];
}

static void judge_frame(const check_job* job, int frame, bearing_set* s, check_frame* links,
                        check_frame_report* r) {
    double com[3];
    com_of(job, frame, links, com);
    choose(job, frame, frame, false, s);
    double margin = margin_at(job, s, com);
    r->failed = r->failed || isnan(margin);
    r->margin = margin;
    if (margin >= MARGIN_M - ROUNDING_M) return;
    r->unbalanced = true;
    if (margin < 0)
        snprintf(r->balance_what, sizeof r->balance_what, "out of balance");
    else
        snprintf(r->balance_what, sizeof r->balance_what, "a shift of %.1f mm loses balance", margin * 1000);
}

/* The contacts that a frame lists are those that push in it. */
static void judge_motion(const check_job* job, int frame, bearing_set* s, check_frame* links,
                         check_motion* motions, check_frame_report* r) {
    if (frame < ENDS || frame >= job->motion->frame_count - ENDS) return;
    double com[3], wrench[6];
    com_of(job, frame, links, com);
    choose(job, frame, frame, false, s);
    wrench_of(job, frame, links, com, motions, wrench);
    r->failed |= missing_at(job, s, com, wrench, &r->missing_force, &r->missing_moment) != HF_OK;
    if (fmax(r->missing_force, r->missing_moment) <= MISSING + ROUNDING_M) return;
    r->undynamic = true;
    snprintf(
        r->dynamic_what, sizeof r->dynamic_what,
        "the contacts cannot move the body so: %.1f %% of the weight and %.1f cm of moment arm are missing",
        r->missing_force * 100, r->missing_moment * 100);
}

static const hf_hold* contact_of(const check_job* job, int frame, int limb) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return &f->contacts[i];
    return NULL;
}

/* Does a limb go from one hold to another with no frame between them? Not where the contact frame that it
   goes over to was in its place before (a foot that rolls onto its toes): one holds until the other does. */
static bool leaps(const check_job* job, int frame, int limb, check_frame* links) {
    const hf_hold *a = contact_of(job, frame - 1, limb), *b = contact_of(job, frame, limb);
    if (!a || !b || !check_limb_changes(job, frame, limb)) return false;
    const hf_motion_contact_frame* f = &job->motion->limbs[limb].frames[b->frame];
    int link = hf_creature_find_link(job->creature, f->link);
    if (a->frame == b->frame || a->object != b->object || link < 0) return true;
    double at[2][3], gap = 0;
    for (int i = 0; i < 2; i++) {
        const hf_motion_frame* pose = &job->motion->frames[frame - 1 + i];
        check_forward(job->c, pose->root, pose->q, links);
        check_frame_point(&links[link], (double[3]){f->offset.x, f->offset.y, f->offset.z}, at[i]);
    }
    for (int x = 0; x < 3; x++) gap += (at[1][x] - at[0][x]) * (at[1][x] - at[0][x]);
    return sqrt(gap) > CHECK_HOLD_M;
}

/* Do the contacts hold the body there: at rest where the motion claims balance, else as it moves? */
static bool holds_at(const check_job* job, const bearing_set* s, check_frame* links, check_motion* motions,
                     check_frame_report* r) {
    double com[3], wrench[6], force = 0, moment = 0;
    com_of(job, s->frame, links, com);
    if (job->motion->claims & HF_CLAIM_BALANCE) {
        double margin = margin_at(job, s, com);
        r->failed |= isnan(margin);
        return margin >= MARGIN_M - ROUNDING_M;
    }
    if (s->frame < ENDS || s->frame >= job->motion->frame_count - ENDS) return true;
    wrench_of(job, s->frame, links, com, motions, wrench);
    r->failed |= missing_at(job, s, com, wrench, &force, &moment) != HF_OK;
    return fmax(force, moment) <= MISSING + ROUNDING_M;
}

/* Where a limb changes, those that stay hold the body before and after. In motion a limb that leaves or
   arrives has frames without it, which are judged as they are; one that leaps has none. */
static void judge_change(const check_job* job, int frame, bearing_set* s, check_frame* links,
                         check_motion* motions, check_frame_report* r) {
    bool still = job->motion->claims & HF_CLAIM_BALANCE;
    int changing = -1;
    for (int l = 0; l < job->motion->limb_count && changing < 0; l++)
        if (still ? check_limb_changes(job, frame, l) : leaps(job, frame, l, links)) changing = l;
    for (int f = frame - 1; changing >= 0 && f <= frame; f++) {
        choose(job, f, frame, true, s);
        if (holds_at(job, s, links, motions, r)) continue;
        r->unheld = true;
        snprintf(r->change_what, sizeof r->change_what,
                 "\"%.60s\" changes, and the limbs that stay do not hold", job->motion->limbs[changing].name);
        return;
    }
}

static void two_contacts(check_frame_report* r) { /* of one limb: said elsewhere */
    r->unbalanced = r->undynamic = true;
    r->margin = NAN;
    snprintf(r->balance_what, sizeof r->balance_what, "a limb has two contacts");
    snprintf(r->dynamic_what, sizeof r->dynamic_what, "a limb has two contacts");
}

void check_balance(const check_job* job, int frame, check_frame_report* report) {
    const hf_motion* m = job->motion;
    check_frame* links = hf_alloc((size_t)job->c->link_count, sizeof *links);
    check_motion* motions = hf_alloc((size_t)job->c->link_count, sizeof *motions);
    bearing_set s = {.contacts = hf_alloc((size_t)m->limb_count + 1, sizeof *s.contacts)};
    int most = m->frames[frame].contact_count;
    if (frame && m->frames[frame - 1].contact_count > most) most = m->frames[frame - 1].contact_count;
    bool fits = most <= m->limb_count;
    report->failed = report->failed || !links || !motions || !s.contacts;
    if (!report->failed && fits) {
        judge_frame(job, frame, &s, links, report);
        judge_motion(job, frame, &s, links, motions, report);
        if (frame && (m->claims & (HF_CLAIM_BALANCE | HF_CLAIM_DYNAMIC)))
            judge_change(job, frame, &s, links, motions, report);
    }
    if (!fits) two_contacts(report);
    hf_free(links);
    hf_free(motions);
    hf_free((void*)s.contacts);
}
