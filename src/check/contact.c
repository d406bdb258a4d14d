/* Contacts lie on surfaces and on their effectors, and do not slip; stances change one limb at a time. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <stdio.h>
#include <string.h>

static const double HOLD_M = CHECK_HOLD_M;     /* a contact holds its point */
static const double HOLD_RAD = CHECK_HOLD_RAD; /* and, for a patch, its orientation: 1 degree */
static const double FLAT_RAD = CHECK_FLAT_RAD; /* beyond 2 degrees a patch counts as its edge or point */
static const double FACE_RAD = 0.017454;       /* a stated normal is the surface's: 1 degree */
static const double BACK_RAD = 1.745329; /* tilted by over 100 degrees, it is not the side that touches */
static const double NEAR_BODY_M = 0.01;  /* a contact frame that the creature does not know is at a skin */

enum {
    PARTS = 4, /* of the way between two frames: there contacts are looked at too */
    BETWEEN =
        CHECK_BETWEEN /* times as much is allowed there: as deep as an effector may be in what it touches */
};

/* What a contact was when it began: the effector's frame as seen from the object it touches. */
typedef struct hold {
    bool on;
    int frame, object; /* contact frame and the motion's object */
    bool grip;
    bool patch; /* it began flat on the surface, so that its orientation holds too */
    check_frame began;
    double point[3]; /* contact point (or ball centre) in the object */
} hold;

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
        double p[3], near[3];
        check_frame_unpoint(&at, world, p);
        for (int t = 0; t < job->objects[o].triangle_count; t++)
            best = fmin(best, check_point_triangle(p, job->objects[o].triangles + 9 * t, near));
    }
    return best;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double angle_between(const double a[3], const double b[3]) {
    double d = dot(a, b);
    return hf_acos(d > 1 ? 1 : d < -1 ? -1 : d);
}

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
    double p[3], near[3], n[3];
    check_frame_unpoint(at, world, p);
    for (int i = 0; i < o->piece_count; i++)
        for (int t = 0; t < o->pieces[i].count; t++) {
            const double* tri = o->triangles + 9 * (o->pieces[i].first + t);
            if (check_point_triangle(p, tri, near) > HOLD_M || !triangle_normal(tri, n)) continue;
            check_frame_turn(at, n, n);
            /* An open piece has two sides. */
            bool other = !o->pieces[i].closed && dot(n, stated) < 0, known = f->count == NORMALS;
            for (int x = 0; x < 3; x++) n[x] = other ? -n[x] : n[x];
            for (int k = 0; k < f->count && !known; k++) known = dot(n, f->normals[k]) > 1 - 1e-9;
            if (!known) memcpy(f->normals[f->count++], n, sizeof n);
        }
}

/* Sine of the angle between a direction and the nearest one that pushes along all the normals can give; 1
   from 90 degrees on. By projection onto the cone of the normals, one of them after the other. */
static double off_normals(const facing* f, const double stated[3], double enough) {
    double left[3] = {stated[0], stated[1], stated[2]}, push[NORMALS] = {0};
    for (int round = 0; round < 200 && sqrt(dot(left, left)) > enough; round++)
        for (int k = 0; k < f->count; k++) {
            double more = fmax(-push[k], dot(left, f->normals[k]));
            push[k] += more;
            for (int x = 0; x < 3; x++) left[x] -= more * f->normals[k][x];
        }
    return sqrt(dot(left, left));
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
    return !f.count || off_normals(&f, stated, hf_sin(FACE_RAD)) <= hf_sin(FACE_RAD);
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

/* Angle between the effector's own normal and the one that meets the surface head-on. */
static double tilt(const hf_motion_contact_frame* cf, const hf_hold* k, const check_frame* link) {
    double own[3], into[3];
    to_array(cf->normal, own);
    to_array(hf_neg(k->normal), into);
    check_frame_turn(link, own, own);
    return angle_between(own, into);
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
    if (!(cf->ball > 0) && tilt(cf, k, link) > BACK_RAD)
        contact_problem(report, frame, limb->name, "touches with its back");
}

/* Where an object is on its straight way between two frames: keys that bend it there bend nothing that stands
   on it, whose poses are between the same two frames. */
static check_frame carrier(const check_job* job, int object, int frame, double fraction) {
    if (object < 0) return check_frame_of(hf_transform_identity());
    hf_transform a = check_object_at(job, object, frame, 0);
    if (!(fraction > 0)) return check_frame_of(a);
    hf_transform b = check_object_at(job, object, frame + 1, 0);
    return check_frame_of((hf_transform){hf_lerp(a.position, b.position, fraction),
                                         hf_quat_slerp(a.rotation, b.rotation, fraction)});
}

/* The effector and what is held of it (a point, or a ball's centre) as seen from the object it touches; of
   the effector only the orientation counts. */
static check_frame seen_effector(const check_job* job, int frame, double fraction, const hf_hold* k,
                                 const check_frame* links, double place[3]) {
    const hf_motion_contact_frame* cf = &job->motion->limbs[k->limb].frames[k->frame];
    const check_frame* link = &links[hf_creature_find_link(job->creature, cf->link)];
    check_frame at = carrier(job, k->object >= 0 ? job->object_of[k->object] : -1, frame, fraction);
    double offset[3];
    to_array(cf->offset, offset);
    check_frame_point(link, offset, offset);
    check_frame_unpoint(&at, offset, place);
    check_frame inverse = check_frame_of(hf_transform_identity());
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse.r[3 * i + j] = at.r[3 * j + i];
    return check_frame_mul(&inverse, link);
}

/* Slip, in the object's frame, from where the contact began. */
static void check_slip(const check_job* job, int frame, double fraction, const hf_hold* k,
                       const check_frame* links, const hold* held, hf_check_report* report) {
    double place[3];
    check_frame seen = seen_effector(job, frame, fraction, k, links, place);
    double slip = gap(place, held->point), times = fraction > 0 ? BETWEEN : 1;
    if (!(fraction > 0)) report->slip_max_m = fmax(report->slip_max_m, slip);
    double turned = held->patch ? check_frame_angle(&held->began, &seen) : 0;
    if (slip <= times * HOLD_M && turned <= times * HOLD_RAD) return;
    report->contact_violations++;
    check_problem(report, frame, HF_CLAIM_CONTACTS, "\"%.60s\" slips by %.1f mm, %.1f degrees%s",
                  job->motion->limbs[k->limb].name, slip * 1000, turned * 57.29578,
                  fraction > 0 ? " before the next frame" : "");
}

/* One contact of one frame: on its effector, on its surface, where it was before. */
static void check_contact(const check_job* job, int frame, const hf_hold* k, const check_frame* links,
                          hold* held, hf_check_report* report) {
    const hf_motion_contact_frame* cf = &job->motion->limbs[k->limb].frames[k->frame];
    const char* limb = job->motion->limbs[k->limb].name;
    int link = hf_creature_find_link(job->creature, cf->link);
    if (link < 0) {
        report->contact_violations++;
        check_problem(report, frame, HF_CLAIM_CONTACTS, "the creature has no link \"%.60s\"", cf->link);
        return;
    }
    double offset[3], at_effector[3], given[3], centre[3];
    to_array(cf->offset, offset);
    to_array(k->point, given);
    check_frame_point(&links[link], offset, centre);
    memcpy(at_effector, centre, sizeof centre);
    if (cf->ball > 0) {
        double n[3];
        to_array(k->normal, n);
        for (int i = 0; i < 3; i++) at_effector[i] -= cf->ball * n[i];
    }
    int object = k->object >= 0 ? job->object_of[k->object] : -1;
    double error = gap(at_effector, given);
    if (job->scene) {
        if (k->object >= 0 && object < 0) {
            report->contact_violations++;
            check_problem(report, frame, HF_CLAIM_CONTACTS,
                          "\"%.40s\" touches \"%.40s\", which the scene does not have", limb,
                          job->motion->objects[k->object]);
            return;
        }
        if (object >= 0 && !job->views[object].contact) {
            report->contact_violations++;
            check_problem(report, frame, HF_CLAIM_CONTACTS,
                          "\"%.40s\" touches \"%.40s\", which allows no contact", limb,
                          job->views[object].name);
        }
        double off = surface_gap(job, frame, object, given);
        if (isinf(off))
            contact_problem(report, frame, limb, "touches nothing: there is no surface that allows contact");
        else
            error = fmax(error, off);
    }
    report->contact_error_max_m = fmax(report->contact_error_max_m, error);
    if (error > HOLD_M) {
        report->contact_violations++;
        check_problem(report, frame, HF_CLAIM_CONTACTS, "contact of \"%.60s\" is off by %.1f mm", limb,
                      error * 1000);
    }
    check_manner(job, frame, k, object, &links[link], report);
    bool fresh = !held->on || held->frame != k->frame || held->object != k->object;
    double place[3];
    check_frame seen = seen_effector(job, frame, 0, k, links, place);
    if (fresh) {
        *held = (hold){.on = true, .frame = k->frame, .object = k->object};
        memcpy(held->point, place, sizeof place);
    }
    /* A hand that closes or opens where it is keeps its place; only its orientation starts anew. */
    if (fresh || held->grip != k->grip) {
        held->grip = k->grip;
        held->began = seen;
        held->patch =
            !k->grip && (cf->patch[0] > 0 || cf->patch[1] > 0) && tilt(cf, k, &links[link]) <= FLAT_RAD;
    }
    if (!fresh) check_slip(job, frame, 0, k, links, held, report);
}

/* Contacts that the next frame keeps hold on the way to it too, if less exactly. */
static void check_between(const check_job* job, int frame, check_frame* links, double* q, const hold* held,
                          hf_check_report* report) {
    const hf_motion_frame* next = &job->motion->frames[frame + 1];
    for (int part = 1; part < PARTS; part++) {
        double fraction = (double)part / PARTS;
        hf_transform root = check_pose_at(job, frame, fraction, q);
        check_forward(job->c, root, q, links);
        for (int i = 0; i < next->contact_count; i++) {
            const hf_hold* k = &next->contacts[i];
            const hold* h = &held[k->limb];
            if (h->on && h->frame == k->frame && h->object == k->object)
                check_slip(job, frame, fraction, k, links, h, report);
        }
    }
}

void check_contacts(const check_job* job, hf_check_report* report) {
    const hf_motion* m = job->motion;
    check_frames_agree(job, report);
    hold* held = hf_alloc((size_t)m->limb_count, sizeof *held);
    check_frame* links = hf_alloc((size_t)job->c->link_count, sizeof *links);
    double* q = hf_alloc((size_t)job->c->q_count, sizeof *q);
    for (int f = 0; held && links && q && f < m->frame_count; f++) {
        const hf_motion_frame* at = &m->frames[f];
        check_forward(job->c, at->root, at->q, links);
        for (int l = 0; l < m->limb_count; l++) {
            const hf_hold* mine = NULL;
            for (int i = 0; i < at->contact_count; i++) {
                if (at->contacts[i].limb != l) continue;
                if (mine) {
                    report->contact_violations++;
                    check_problem(report, f, HF_CLAIM_CONTACTS, "\"%.60s\" has two contacts",
                                  m->limbs[l].name);
                }
                mine = &at->contacts[i];
            }
            if (mine)
                check_contact(job, f, mine, links, &held[l], report);
            else
                held[l].on = false;
        }
        if (f + 1 < m->frame_count) check_between(job, f, links, q, held, report);
    }
    if (!held || !links || !q)
        check_problem(report, 0, HF_CLAIM_CONTACTS, "out of memory: contacts were not judged");
    hf_free(held);
    hf_free(links);
    hf_free(q);
}

static const hf_hold* contact_of(const hf_motion_frame* f, int limb) {
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return &f->contacts[i];
    return NULL;
}

/* Released, made or moved: to another frame, another object, or beyond what holding allows. */
bool check_limb_changes(const check_job* job, int frame, int limb) {
    const hf_hold *a = contact_of(&job->motion->frames[frame - 1], limb),
                  *b = contact_of(&job->motion->frames[frame], limb);
    if (!a || !b) return a != b;
    if (a->frame != b->frame || a->object != b->object || a->grip != b->grip) return true;
    double pa[3], pb[3], la[3], lb[3];
    to_array(a->point, pa);
    to_array(b->point, pb);
    int object = a->object >= 0 ? job->object_of[a->object] : -1;
    if (object < 0) return gap(pa, pb) > 5 * HOLD_M;
    check_frame fa = check_frame_of(check_object_at(job, object, frame - 1, 0)),
                fb = check_frame_of(check_object_at(job, object, frame, 0));
    check_frame_unpoint(&fa, pa, la);
    check_frame_unpoint(&fb, pb, lb);
    return gap(la, lb) > 5 * HOLD_M;
}

/* Two limbs that exclude each other, both in contact. */
static bool excluded_together(const check_job* job, const hf_motion_frame* f, int* a, int* b) {
    for (int i = 0; i < f->contact_count; i++)
        for (int j = 0; j < i; j++) {
            int x = job->limb_of[f->contacts[i].limb], y = job->limb_of[f->contacts[j].limb];
            if (x < 0 || y < 0) continue;
            for (int k = 0; k < job->c->limbs[x].exclude_count; k++)
                if (job->c->limbs[x].excludes[k] == y) {
                    *a = x, *b = y;
                    return true;
                }
        }
    return false;
}

void check_stances(const check_job* job, hf_check_report* report) {
    const hf_motion* m = job->motion;
    for (int f = 0; f < m->frame_count; f++) {
        report->stances += m->frames[f].stance;
        int changes = 0, a = 0, b = 0;
        for (int l = 0; f && l < m->limb_count; l++) changes += check_limb_changes(job, f, l);
        if (changes > 1) {
            report->stance_violations++;
            check_problem(report, f, HF_CLAIM_ONE_LIMB, "%d limbs change at once", changes);
        }
        if (excluded_together(job, &m->frames[f], &a, &b)) {
            report->stance_violations++;
            check_problem(report, f, HF_CLAIM_ONE_LIMB,
                          "\"%.60s\" and \"%.60s\" exclude each other, both are in contact",
                          job->c->limbs[a].name, job->c->limbs[b].name);
        }
    }
}
