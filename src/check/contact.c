/* Contacts lie on surfaces and on their effectors, and touch them as they may. */
#include "check/check.h"
#include "check/tolerance.h"

#include <string.h>

static const double HOLD_M = CHECK_HOLD_M; /* a contact holds its point */
static const double FACE_RAD = 0.017454;   /* a stated normal is the surface's: 1 degree */
static const double ONE_PLANE = 1e-6;      /* volume that three normals of one plane span, with rounding */
static const double BACK_RAD = 1.745329;   /* tilted by over 100 degrees, it is not the side that touches */
static const double NEAR_BODY_M = 0.01;    /* a contact frame that the creature does not know is at a skin */

static void to_array(hf_vec3 v, double out[3]) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

static double gap(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Distance from a world point to the nearest triangle of an object (-1: of any that allows contact). */
static double surface_gap(const check_job* job, int frame, int object, const double world[3]) {
    double best = INFINITY;
    for (int o = 0; o < job->object_count; o++) {
        if (object >= 0 ? o != object : !job->views[o].contact) continue;
        check_frame at = check_frame_of(check_object_at(job, o, frame, 0));
        double p[3];
        check_frame_unpoint(&at, world, p);
        best = fmin(best, check_object_distance(&job->objects[o], p));
    }
    return best;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool triangle_normal(const double tri[9], double n[3]) {
    double u[3], v[3];
    for (int i = 0; i < 3; i++) u[i] = tri[3 + i] - tri[i], v[i] = tri[6 + i] - tri[i];
    for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    double l = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= l > 0 ? l : 1;
    return l > 0;
}

/* The normals of the surfaces at a point, each once. */
enum { NORMALS = 64 }; /* where a mesh is so fine that more meet, the first will do */
typedef struct facing {
    int count;
    double normals[NORMALS][3];
} facing;

static void face_object(const check_object* o, const check_frame* at, const double world[3],
                        const double stated[3], facing* f) {
    double p[3], low[3], high[3], near[3], n[3];
    check_frame_unpoint(at, world, p);
    for (int i = 0; i < 3; i++) low[i] = p[i] - HOLD_M, high[i] = p[i] + HOLD_M;
    for (int i = 0; i < o->piece_count; i++) {
        check_walk walk = check_walk_start(o, &o->pieces[i], low, high);
        for (const double* tri; (tri = check_walk_next(&walk));) {
            if (check_point_triangle(p, tri, near) > HOLD_M || !triangle_normal(tri, n)) continue;
            check_frame_turn(at, n, n);
            /* An open piece has two sides. */
            bool other = !o->pieces[i].closed && dot(n, stated) < 0, known = f->count == NORMALS;
            for (int x = 0; x < 3; x++) n[x] = other ? -n[x] : n[x];
            for (int k = 0; k < f->count && !known; k++) known = dot(n, f->normals[k]) > 1 - 1e-9;
            if (!known) memcpy(f->normals[f->count++], n, sizeof n);
        }
    }
}

static double determinant(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Is a direction a sum of three normals, each pushing? Three normals of one plane give no more than two of
   them do. */
static bool within_three(const double a[3], const double b[3], const double c[3], const double stated[3]) {
    double all = determinant(a, b, c);
    return fabs(all) > ONE_PLANE && determinant(stated, b, c) / all >= 0 &&
           determinant(a, stated, c) / all >= 0 && determinant(a, b, stated) / all >= 0;
}

/* Distance of a unit vector from the nearest sum of two normals, each pushing; 1 where one of them would
 * pull. */
static double off_two(const double a[3], const double b[3], const double stated[3]) {
    double c = dot(a, b), with_a = dot(a, stated), with_b = dot(b, stated), left[3];
    double x = (with_a - c * with_b) / (1 - c * c), y = (with_b - c * with_a) / (1 - c * c);
    if (!(x >= 0 && y >= 0)) return 1;
    for (int i = 0; i < 3; i++) left[i] = stated[i] - x * a[i] - y * b[i];
    return sqrt(dot(left, left));
}

/* Sine of the angle between a direction and the nearest one that pushes along all the normals can give; 1
   from 90 degrees on. What the normals give together is what one, two or three of them give, so that trying
   these is exact. (Projecting onto one normal after the other converges too slowly where two differ by a few
   degrees.) */
static double off_normals(const facing* f, const double stated[3]) {
    double least = 1;
    for (int a = 0; a < f->count; a++) {
        double with = dot(f->normals[a], stated);
        if (with > 0) least = fmin(least, sqrt(fmax(0, 1 - with * with)));
        for (int b = 0; b < a; b++) {
            least = fmin(least, off_two(f->normals[a], f->normals[b], stated));
            for (int c = 0; c < b; c++)
                if (within_three(f->normals[a], f->normals[b], f->normals[c], stated)) return 0;
        }
    }
    return least;
}

/* Is the stated normal that of a surface at the point? On an edge anything between its sides will do. */
static bool normal_agrees(const check_job* job, int frame, int object, const hf_hold* k) {
    double world[3], stated[3];
    to_array(k->point, world);
    to_array(hf_normalize(k->normal), stated);
    facing f = {0};
    for (int o = 0; o < job->object_count; o++) {
        if (object >= 0 ? o != object : !job->views[o].contact) continue;
        check_frame at = check_frame_of(check_object_at(job, o, frame, 0));
        face_object(&job->objects[o], &at, world, stated, &f);
    }
    return !f.count || off_normals(&f, stated) <= hf_sin(FACE_RAD);
}

static bool same_frame(const hf_motion_contact_frame* a, const hf_contact_frame* b, const char* link) {
    bool same = strcmp(a->name, b->name) == 0 && strcmp(a->link, link) == 0;
    same = same && hf_distance(a->offset, b->offset) < 1e-6 && hf_distance(a->normal, b->normal) < 1e-6;
    return same && fabs(a->ball - b->ball) < 1e-6 && fabs(a->patch[0] - b->patch[0]) < 1e-6 &&
           fabs(a->patch[1] - b->patch[1]) < 1e-6;
}

/* Is a point of a link near the skin of its bodies, or inside them? */
static bool near_skin(const check_job* job, int link, const double point[3], double radius) {
    for (int b = 0; b < job->c->body_count; b++) {
        double p[3];
        if (job->bodies[b].link != link) continue;
        check_frame_unpoint(&job->bodies[b].in_link, point, p);
        if (check_body_outside(&job->bodies[b], p) + radius <= NEAR_BODY_M) return true;
    }
    return false;
}

/* A frame of the motion's own is at a body of the effector, with all of its patch or ball. */
static bool on_effector(const check_job* job, int limb, const hf_motion_contact_frame* cf) {
    int link = hf_creature_find_link(job->creature, cf->link);
    if (link < 0 || !check_touches_with(job->c, limb, link)) return false;
    double offset[3], corners[4][3];
    to_array(cf->offset, offset);
    if (!near_skin(job, link, offset, cf->ball > 0 ? cf->ball : 0)) return false;
    check_frame here = check_frame_of(hf_transform_identity());
    int count = cf->patch[0] > 0 || cf->patch[1] > 0 ? check_patch_corners(cf, &here, corners) : 0;
    for (int c = 0; c < count; c++)
        if (!near_skin(job, link, corners[c], 0)) return false;
    return true;
}

/* The motion repeats the creature's contact frames where the creature has them. */
static void check_frames_agree(const check_job* job, hf_check_report* report) {
    for (int l = 0; l < job->motion->limb_count; l++) {
        const hf_motion_limb* limb = &job->motion->limbs[l];
        if (job->limb_of[l] < 0) {
            report->contact_violations++;
            check_problem(report, 0, HF_CLAIM_CONTACTS, "the creature has no limb \"%.60s\"", limb->name);
            continue;
        }
        const hf_limb* own = &job->c->limbs[job->limb_of[l]];
        for (int f = 0; f < limb->frame_count; f++) {
            const hf_contact_frame* known = NULL;
            for (int k = 0; k < own->contact_count; k++)
                if (strcmp(own->contacts[k].name, limb->frames[f].name) == 0) known = &own->contacts[k];
            if (known ? same_frame(&limb->frames[f], known, job->c->links[known->link].name)
                      : on_effector(job, job->limb_of[l], &limb->frames[f]))
                continue;
            report->contact_violations++;
            check_problem(report, 0, HF_CLAIM_CONTACTS, "contact frame \"%.40s\" of \"%.40s\" %s",
                          limb->frames[f].name, limb->name,
                          known ? "differs from the creature's" : "is not on its effector");
        }
    }
}

static void contact_problem(hf_check_report* report, int frame, const char* limb, const char* what) {
    report->contact_violations++;
    check_problem(report, frame, HF_CLAIM_CONTACTS, "\"%.60s\" %s", limb, what);
}

/* A grip needs a limb that can and an object to be held; everything else meets a surface head-on. */
static void check_manner(const check_job* job, int frame, const hf_hold* k, int object,
                         const check_frame* link, hf_check_report* report) {
    const hf_motion_limb* limb = &job->motion->limbs[k->limb];
    const hf_motion_contact_frame* cf = &limb->frames[k->frame];
    if (k->grip) {
        if (job->limb_of[k->limb] >= 0 && !job->c->limbs[job->limb_of[k->limb]].grip)
            contact_problem(report, frame, limb->name, "grips, but is no limb that can");
        if (job->scene && object < 0)
            contact_problem(report, frame, limb->name, "grips an object that is not named");
        else if (job->scene && !check_can_be_gripped(&job->views[object]))
            contact_problem(report, frame, limb->name, "grips what cannot be gripped");
        return;
    }
    if (job->scene && !normal_agrees(job, frame, object, k))
        contact_problem(report, frame, limb->name, "touches with a normal that no surface has there");
    if (!(cf->ball > 0) && check_tilt(cf, k, link) > BACK_RAD)
        contact_problem(report, frame, limb->name, "touches with its back");
}

/* A frame's contact stands on an object that is there and allows it. */
static bool on_allowed_object(const check_job* job, int frame, const hf_hold* k, hf_check_report* report) {
    const char* limb = job->motion->limbs[k->limb].name;
    int object = k->object >= 0 ? job->object_of[k->object] : -1;
    if (!job->scene || k->object < 0) return true;
    if (object >= 0 && job->views[object].contact) return true;
    report->contact_violations++;
    check_problem(report, frame, HF_CLAIM_CONTACTS, "\"%.40s\" touches \"%.40s\", which %s", limb,
                  job->motion->objects[k->object],
                  object < 0 ? "the scene does not have" : "allows no contact");
    return object >= 0;
}

/* Where the contact frame touches: a ball below its centre. */
static void touching_point(const hf_motion_contact_frame* cf, const hf_hold* k, const check_frame* link,
                           double out[3]) {
    double n[3];
    to_array(cf->offset, out);
    to_array(k->normal, n);
    check_frame_point(link, out, out);
    for (int i = 0; i < 3 && cf->ball > 0; i++) out[i] -= cf->ball * n[i];
}

/* The stated point is on the effector and on the surface. */
static void check_place(const check_job* job, int frame, const hf_hold* k, const check_frame* link,
                        hf_check_report* report) {
    const hf_motion_limb* limb = &job->motion->limbs[k->limb];
    double given[3], at[3];
    to_array(k->point, given);
    touching_point(&limb->frames[k->frame], k, link, at);
    double error = gap(at, given);
    if (job->scene) {
        double off = surface_gap(job, frame, k->object >= 0 ? job->object_of[k->object] : -1, given);
        if (isinf(off))
            contact_problem(report, frame, limb->name,
                            "touches nothing: there is no surface that allows contact");
        else
            error = fmax(error, off);
    }
    report->contact_error_max_m = fmax(report->contact_error_max_m, error);
    if (error <= HOLD_M) return;
    report->contact_violations++;
    check_problem(report, frame, HF_CLAIM_CONTACTS, "contact of \"%.60s\" is off by %.1f mm", limb->name,
                  error * 1000);
}

/* One contact of one frame: on its effector, on its surface, where it was before. */
static void check_contact(const check_job* job, int frame, const hf_hold* k, check_holds* holds,
                          hf_check_report* report) {
    const hf_motion_contact_frame* cf = &job->motion->limbs[k->limb].frames[k->frame];
    int link = hf_creature_find_link(job->creature, cf->link);
    if (link < 0) {
        report->contact_violations++;
        check_problem(report, frame, HF_CLAIM_CONTACTS, "the creature has no link \"%.60s\"", cf->link);
        return;
    }
    if (!on_allowed_object(job, frame, k, report)) return;
    check_place(job, frame, k, &holds->now[link], report);
    check_manner(job, frame, k, k->object >= 0 ? job->object_of[k->object] : -1, &holds->now[link], report);
    check_hold_on(job, frame, k, holds, report);
}

/* The contact of a limb in a frame, the last one where it has two. */
static const hf_hold* only_contact(const check_job* job, int frame, int limb, hf_check_report* report) {
    const hf_motion_frame* at = &job->motion->frames[frame];
    const hf_hold* mine = NULL;
    for (int i = 0; i < at->contact_count; i++) {
        if (at->contacts[i].limb != limb) continue;
        if (mine) contact_problem(report, frame, job->motion->limbs[limb].name, "has two contacts");
        mine = &at->contacts[i];
    }
    return mine;
}

void check_contacts(const check_job* job, hf_check_report* report) {
    const hf_motion* m = job->motion;
    check_holds holds;
    check_frames_agree(job, report);
    bool good = check_holds_create(job, &holds);
    for (int f = 0; good && f < m->frame_count; f++) {
        check_holds_place(job, f, &holds);
        for (int l = 0; l < m->limb_count; l++) {
            const hf_hold* mine = only_contact(job, f, l, report);
            if (mine)
                check_contact(job, f, mine, &holds, report);
            else
                holds.held[l].on = false;
        }
        if (f + 1 < m->frame_count) check_holds_between(job, f, &holds, report);
    }
    if (!good) check_problem(report, 0, HF_CLAIM_CONTACTS, "out of memory: contacts were not judged");
    check_holds_free(&holds);
}
