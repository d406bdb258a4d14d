/* Contacts do not slip: what touches stays where it was when the contact began, as seen from the object it
   touches. A contact that goes over to another contact frame, or that names another object or none, goes on:
   the new frame's point may not have moved since the frame before, and what the contact had slipped until
   then still counts. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <string.h>

static const double HOLD_M = CHECK_HOLD_M;     /* a contact holds its point */
static const double HOLD_RAD = CHECK_HOLD_RAD; /* and, for a patch, its orientation: 1 degree */
static const double FLAT_RAD = CHECK_FLAT_RAD; /* beyond 2 degrees a patch counts as its edge or point */

enum {
    PARTS = 4,  /* of the way between two frames: there contacts are looked at too */
    CHORDS = 4, /* a part is no longer than so many chords; where it would be, there are more parts */
    BETWEEN =
        CHECK_BETWEEN /* times as much is allowed there: as deep as an effector may be in what it touches */
};

static void to_array(hf_vec3 v, double out[3]) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

static double gap(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

bool check_holds_create(const check_job* job, check_holds* h) {
    *h = (check_holds){.held = hf_alloc((size_t)job->motion->limb_count, sizeof *h->held),
                       .now = hf_alloc((size_t)job->c->link_count, sizeof *h->now),
                       .before = hf_alloc((size_t)job->c->link_count, sizeof *h->before),
                       .between = hf_alloc((size_t)job->c->link_count, sizeof *h->between),
                       .q = hf_alloc((size_t)job->c->q_count, sizeof *h->q)};
    return h->held && h->now && h->before && h->between && h->q;
}

void check_holds_free(check_holds* h) {
    hf_free(h->held);
    hf_free(h->now);
    hf_free(h->before);
    hf_free(h->between);
    hf_free(h->q);
}

void check_holds_place(const check_job* job, int frame, check_holds* h) {
    const hf_motion_frame* at = &job->motion->frames[frame];
    check_frame* last = h->before;
    h->before = h->now;
    h->now = last;
    check_forward(job->c, at->root, at->q, h->now);
}

double check_tilt(const hf_motion_contact_frame* cf, const hf_hold* k, const check_frame* link) {
    double own[3], into[3];
    to_array(cf->normal, own);
    to_array(hf_neg(k->normal), into);
    check_frame_turn(link, own, own);
    double d = own[0] * into[0] + own[1] * into[1] + own[2] * into[2];
    return hf_acos(d > 1 ? 1 : d < -1 ? -1 : d);
}

static const hf_motion_contact_frame* frame_of(const check_job* job, const hf_hold* k) {
    return &job->motion->limbs[k->limb].frames[k->frame];
}

static const check_frame* link_of(const check_job* job, const hf_hold* k, const check_frame* links) {
    return &links[hf_creature_find_link(job->creature, frame_of(job, k)->link)];
}

/* What is held of the effector, in the world: its contact frame's point, or a ball's centre. */
static void point_of(const check_job* job, const hf_hold* k, const check_frame* links, double out[3]) {
    to_array(frame_of(job, k)->offset, out);
    check_frame_point(link_of(job, k, links), out, out);
}

static int scene_object(const check_job* job, int object) {
    return object >= 0 ? job->object_of[object] : -1;
}

/* Where an object of the scene (-1: the world) is on its straight way between two frames: keys that bend it
   there bend nothing that stands on it, whose poses are between the same two frames. */
static check_frame carrier(const check_job* job, int object, int frame, double fraction) {
    if (object < 0) return check_frame_of(hf_transform_identity());
    hf_transform a = check_object_at(job, object, frame, 0);
    if (!(fraction > 0)) return check_frame_of(a);
    hf_transform b = check_object_at(job, object, frame + 1, 0);
    return check_frame_of((hf_transform){hf_lerp(a.position, b.position, fraction),
                                         hf_quat_slerp(a.rotation, b.rotation, fraction)});
}

static check_frame turned_back(const check_frame* f) {
    check_frame back = check_frame_of(hf_transform_identity());
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) back.r[3 * i + j] = f->r[3 * j + i];
    return back;
}

/* The effector and what is held of it as seen from a carrier; of the effector only the orientation counts. */
static check_frame seen_from(const check_job* job, const check_frame* at, const hf_hold* k,
                             const check_frame* links, double place[3]) {
    double point[3];
    point_of(job, k, links, point);
    check_frame_unpoint(at, point, place);
    check_frame back = turned_back(at);
    return check_frame_mul(&back, link_of(job, k, links));
}

/* How far it is from where it was held, as seen from a carrier. */
typedef struct slip {
    double way, turn;
} slip;

static slip slip_from(const check_job* job, const check_frame* at, const hf_hold* k, const check_frame* links,
                      const check_hold* held) {
    double place[3];
    check_frame seen = seen_from(job, at, k, links, place);
    return (slip){gap(place, held->point), held->patch ? check_frame_angle(&held->began, &seen) : 0};
}

static void judge_slip(const check_job* job, int frame, const hf_hold* k, slip s, bool on_the_way,
                       hf_check_report* report) {
    double times = on_the_way ? BETWEEN : 1;
    if (!on_the_way) report->slip_max_m = fmax(report->slip_max_m, s.way);
    if (s.way <= times * HOLD_M && s.turn <= times * HOLD_RAD) return;
    report->contact_violations++;
    check_problem(report, frame, HF_CLAIM_CONTACTS, "\"%.60s\" slips by %.1f mm, %.1f degrees%s",
                  job->motion->limbs[k->limb].name, s.way * 1000, s.turn * 57.29578,
                  on_the_way ? " before the next frame" : "");
}

/* Does it lie flat, so that its orientation holds too? */
static bool lies_flat(const check_job* job, const hf_hold* k, const check_frame* links) {
    const hf_motion_contact_frame* cf = frame_of(job, k);
    return !k->grip && (cf->patch[0] > 0 || cf->patch[1] > 0) &&
           check_tilt(cf, k, link_of(job, k, links)) <= FLAT_RAD;
}

/* A contact as it is in a frame, as seen from a carrier. */
static check_hold begin(const check_job* job, const check_frame* at, const hf_hold* k,
                        const check_frame* links) {
    check_hold h = {.on = true, .frame = k->frame, .object = k->object, .grip = k->grip};
    h.began = seen_from(job, at, k, links, h.point);
    h.patch = lies_flat(job, k, links);
    return h;
}

/* ---- going over ---- */

/* How far the held point is, in the frame before, from where it began; in the world. */
static void slipped_before(const check_job* job, int frame, const hf_hold* old, const check_hold* held,
                           const check_frame* before, double out[3]) {
    check_frame at = carrier(job, scene_object(job, old->object), frame - 1, 0);
    double place[3];
    seen_from(job, &at, old, before, place);
    for (int i = 0; i < 3; i++) out[i] = place[i] - held->point[i];
    check_frame_turn(&at, out, out);
}

/* How the new frame's link would stand in the frame before had the old contact not turned. */
static check_frame unturned(const check_job* job, int frame, const hf_hold* old, const hf_hold* k,
                            const check_hold* held, const check_frame* before) {
    check_frame link = *link_of(job, k, before);
    memset(link.p, 0, sizeof link.p);
    if (!held->patch) return link;
    check_frame at = carrier(job, scene_object(job, old->object), frame - 1, 0);
    check_frame held_link = turned_back(link_of(job, old, before)), began;
    memset(at.p, 0, sizeof at.p);
    began = check_frame_mul(&at, &held->began);
    memset(began.p, 0, sizeof began.p);
    began = check_frame_mul(&began, &held_link);
    return check_frame_mul(&began, &link);
}

/* Where the new frame's point should be now, had it stayed on this carrier, and how its link should stand. */
static void expect_on(const check_job* job, int object, int frame, const double before[3],
                      const check_frame* link, double point[3], check_frame* turned) {
    check_frame a = carrier(job, object, frame - 1, 0), b = carrier(job, object, frame, 0);
    check_frame_unpoint(&a, before, point);
    check_frame_point(&b, point, point);
    check_frame back = turned_back(&a);
    memset(b.p, 0, sizeof b.p);
    b = check_frame_mul(&b, &back);
    *turned = check_frame_mul(&b, link);
}

/* The hold of a contact that goes over from another contact frame or object. From the frame before to this
   one what touches now stayed on the object of either. */
static check_hold go_over(const check_job* job, int frame, const hf_hold* k, const check_holds* h,
                          const check_hold* held) {
    hf_hold old = {.limb = k->limb, .frame = held->frame, .object = held->object};
    int objects[2] = {scene_object(job, k->object), scene_object(job, old.object)};
    check_frame at = carrier(job, objects[0], frame, 0), turned, back = turned_back(&at);
    check_hold next = begin(job, &at, k, h->now);
    double before[3], off[3], now[3], point[3], least = INFINITY;
    slipped_before(job, frame, &old, held, h->before, off);
    point_of(job, k, h->before, before);
    point_of(job, k, h->now, now);
    for (int i = 0; i < 3; i++) before[i] -= off[i];
    check_frame link = unturned(job, frame, &old, k, held, h->before);
    for (int o = 0; o < 2; o++) {
        expect_on(job, objects[o], frame, before, &link, point, &turned);
        if (gap(point, now) >= least) continue;
        least = gap(point, now);
        check_frame_unpoint(&at, point, next.point);
        if (held->patch) next.began = check_frame_mul(&back, &turned);
    }
    return next;
}

/* ---- a frame, and the way to the next ---- */

void check_hold_on(const check_job* job, int frame, const hf_hold* k, check_holds* h,
                   hf_check_report* report) {
    check_hold* held = &h->held[k->limb];
    check_frame at = carrier(job, scene_object(job, k->object), frame, 0);
    if (!held->on) {
        *held = begin(job, &at, k, h->now);
        return;
    }
    if (held->frame != k->frame || held->object != k->object) *held = go_over(job, frame, k, h, held);
    /* A hand that closes or opens where it is keeps its place; only its orientation starts anew. */
    if (held->grip != k->grip) {
        check_hold anew = begin(job, &at, k, h->now);
        memcpy(anew.point, held->point, sizeof anew.point);
        *held = anew;
    }
    judge_slip(job, frame, k, slip_from(job, &at, k, h->now, held), false, report);
}

/* The slip at a moment before the next frame, which has this contact. What goes over stays on either object.
 */
static slip slip_on_the_way(const check_job* job, int frame, double fraction, const hf_hold* k,
                            const check_holds* h) {
    const check_hold* held = &h->held[k->limb];
    int objects[2] = {scene_object(job, k->object), scene_object(job, held->object)};
    check_frame at = carrier(job, objects[0], frame, fraction);
    if (held->frame == k->frame && held->object == k->object) return slip_from(job, &at, k, h->between, held);
    slip least = {INFINITY, 0};
    for (int o = 0; o < 2; o++) {
        check_frame from = carrier(job, objects[o], frame, 0);
        at = carrier(job, objects[o], frame, fraction);
        check_hold there = begin(job, &from, k, h->now);
        there.patch = there.patch && held->patch;
        slip s = slip_from(job, &at, k, h->between, &there);
        if (s.way < least.way) least = s;
    }
    return least;
}

static void judge_moment(const check_job* job, int frame, double fraction, check_holds* h,
                         hf_check_report* report) {
    const hf_motion_frame* next = &job->motion->frames[frame + 1];
    hf_transform root = check_pose_at(job, frame, fraction, h->q);
    check_forward(job->c, root, h->q, h->between);
    for (int i = 0; i < next->contact_count; i++) {
        const hf_hold* k = &next->contacts[i];
        if (!h->held[k->limb].on || hf_creature_find_link(job->creature, frame_of(job, k)->link) < 0)
            continue;
        judge_slip(job, frame, k, slip_on_the_way(job, frame, fraction, k, h), true, report);
    }
}

/* Contacts that the next frame keeps hold on the way to it too, if less exactly. */
void check_holds_between(const check_job* job, int frame, check_holds* h, hf_check_report* report) {
    int chords = check_chord_parts(job, frame);
    int parts = PARTS * ((chords + PARTS * CHORDS - 1) / (PARTS * CHORDS));
    for (int part = 1; part < parts; part++) judge_moment(job, frame, (double)part / parts, h, report);
    const hf_motion_frame* next = &job->motion->frames[frame + 1];
    for (int i = 0; !chords && i < next->contact_count; i++) {
        if (!h->held[next->contacts[i].limb].on) continue;
        report->contact_violations++;
        check_problem(report, frame, HF_CLAIM_CONTACTS,
                      "\"%.60s\" cannot be judged before the next frame: a joint turns too far",
                      job->motion->limbs[next->contacts[i].limb].name);
    }
}
