/* The program that asks whether contacts can give a wrench: friction cones of eight edges at the corners of
   contacts, grips in 26 directions; forces in weights of the creature and what it carries. */
#include "check/check.h"

#include <math.h>

enum { EDGES = CHECK_CONE_COLUMNS, WAYS = CHECK_SHIFT_WAYS };

static const check_bearing* bearing_of(const check_job* job, int frame, int limb) {
    return &job->bearings[(size_t)frame * (size_t)job->motion->limb_count + (size_t)limb];
}

/* The centre of mass of the creature and of what it carries. */
void check_com(const check_job* job, int frame, check_frame* links, double com[3]) {
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
    for (int o = 0; o < job->object_count; o++) {
        double load = job->views[o].mass_kg, p[3];
        if (!(load > 0) || !check_is_carried(job, frame, o)) continue;
        check_frame stands = check_frame_of(check_object_at(job, o, frame, 0));
        check_frame_point(&stands, job->loads[o].middle, p);
        mass += load;
        for (int x = 0; x < 3; x++) com[x] += load * p[x];
    }
    for (int x = 0; x < 3; x++) com[x] /= mass > 0 ? mass : 1;
}

double check_mass(const check_job* job, int frame) {
    double mass = 0;
    for (int l = 0; l < job->c->link_count; l++) mass += job->c->links[l].mass;
    for (int o = 0; o < job->object_count; o++)
        if (job->views[o].mass_kg > 0 && check_is_carried(job, frame, o)) mass += job->views[o].mass_kg;
    return mass;
}

/* ---- the program ---- */

/* Rows: force (3) and moment about the centre of mass (3) in body weights, then one for each corner of a grip
   (its share of the force, with a column that takes up the rest). The last columns are shifts of the centre
   of mass in eight directions, barred. */
static void count_size(const check_job* job, const check_bearing_set* s, int* rows, int* columns) {
    *rows = 6, *columns = WAYS;
    for (int i = 0; i < s->count; i++) {
        int corners = bearing_of(job, s->frame, s->contacts[i]->limb)->count;
        if (s->contacts[i]->grip) *rows += corners;
        *columns += corners * (s->contacts[i]->grip ? CHECK_GRIP_COLUMNS : EDGES);
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

void check_cone_edge(hf_vec3 n, double friction, int edge, double f[3]) {
    double first[3] = {0, 0, 1}, normal[3] = {n.x, n.y, n.z}, second[3];
    if (fabs(n.z) > 0.999) first[0] = 1, first[2] = 0;
    double part = first[0] * normal[0] + first[1] * normal[1] + first[2] * normal[2], l = 0;
    for (int x = 0; x < 3; x++) first[x] -= part * normal[x], l += first[x] * first[x];
    for (int x = 0; x < 3; x++) first[x] /= sqrt(l);
    for (int x = 0; x < 3; x++)
        second[x] = normal[(x + 1) % 3] * first[(x + 2) % 3] - normal[(x + 2) % 3] * first[(x + 1) % 3];
    double angle = edge * 6.283185307179586 / EDGES;
    for (int x = 0; x < 3; x++)
        f[x] = normal[x] + friction * (hf_cos(angle) * first[x] + hf_sin(angle) * second[x]);
}

static int put_cone(const check_program* p, int column, const double corner[3], const double com[3],
                    hf_vec3 n, double friction) {
    for (int e = 0; e < EDGES; e++) {
        double f[3];
        check_cone_edge(n, friction, e, f);
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
hf_status check_force_program(const check_job* job, const check_bearing_set* s, const double com[3],
                              const double wrench[6], check_program* p) {
    int rows, columns;
    count_size(job, s, &rows, &columns);
    hf_status status = check_program_make(p, rows, columns);
    if (status != HF_OK) return status;
    double weight = check_mass(job, s->frame) * CHECK_GRAVITY;
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

void check_wrench(const check_job* job, int frame, const check_frame* links, const double com[3],
                  check_motion* motions, double wrench[6]) {
    check_momentum_rate(job->c, &job->motion->frames[frame], links, com, motions, wrench, wrench + 3);
    for (int o = 0; o < job->object_count; o++)
        if (job->views[o].mass_kg > 0 && check_is_carried(job, frame, o))
            check_load_rate(job, frame, o, com, wrench, wrench + 3);
    double mass = check_mass(job, frame), weight = (mass > 0 ? mass : 1) * CHECK_GRAVITY;
    for (int x = 0; x < 6; x++) wrench[x] = wrench[x] / weight + (x == 2 && mass > 0);
}

double check_margin(const check_job* job, const check_bearing_set* s, const double com[3],
                    const double wrench[6]) {
    check_program p, q = {0};
    hf_status status = check_force_program(job, s, com, wrench, &p);
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
