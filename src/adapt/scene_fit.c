/* A scene for a clip that has none: a floor, steps and seats under the places where its feet and hips rest.
 */
#include "adapt/phases.h"
#include "adapt/retarget.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A joint rests at up to so many times the speed at which an effector touches; toes that a foot comes down on
   at up to twice as much, as phases last. */
static const double SLOW = 2;
/* Levels that differ by less are one, m. */
static const double LEVEL_M = 0.05;
/* A step reaches so far beyond the feet on it, along and across the way of the body; half of a seat, m. */
static const double STEP_ALONG = 0.15, STEP_ACROSS = 0.45, SEAT_HALF = 0.25;
/* Between a foot and the next higher step, m: bodies are larger than their contacts. */
static const double TOE_ROOM = 0.03;
/* Between the heel of a foot and the seat above it, m: the shank leans back. */
static const double SHANK_ROOM = 0.05;
/* Between a thigh and the seat under it, m, and how much a seat is lowered at a time and at most for that. */
static const double THIGH_ROOM = 0.01, LOWER_M = 0.005;
enum { LOWERINGS = 24 };
/* Hips that rest below this part of their greatest height over the floor sit. */
static const double SEAT_SHARE = 0.7;
/* The floor reaches so far beyond the clip, m. */
static const double FLOOR_M = 5;

typedef struct rest {
    hf_vec3 at; /* on the surface that it rests on */
    bool seat;
    hf_vec3 ahead;      /* of a foot, along the ground */
    double back, front; /* of a foot: how far it reaches from `at`, m */
    double half_width;
    double contact;  /* length of the contact that rests there, m: no box is shorter */
    int order;       /* among the rests of the clip */
    int role;        /* of a foot */
    int from, until; /* frames */
} rest;

typedef struct fitter {
    hf_phase_finder in;
    hf_clip_body clip;
    hf_creature_body creature;
    int count, capacity;
    rest* rests;
    hf_vec3 low, high; /* of the root's way */
} fitter;

static bool add_rest(fitter* f, rest r) {
    if (!HF_GROW(f->rests, f->capacity, f->count)) return false;
    r.order = f->count;
    f->rests[f->count++] = r;
    return true;
}

/* Where a joint looks along the ground, in the frame that is set. */
static hf_vec3 ahead_of(const fitter* f, int joint) {
    hf_quat turned = hf_quat_mul(f->clip.now[joint].rotation, hf_quat_conj(f->clip.rest[joint].rotation));
    hf_vec3 ahead = hf_rotate(hf_quat_mul(turned, f->clip.facing), hf_v3(1, 0, 0));
    return hf_hypot(ahead.x, ahead.y) > 0.1 ? hf_normalize(hf_v3(ahead.x, ahead.y, 0)) : hf_v3(1, 0, 0);
}

/* Length of a limb's first contact. */
static double contact_length(const fitter* f, int limb) {
    const hf_contact_frame* c = &hf_creature_get(f->creature.creature)->limbs[limb].contacts[0];
    return c->ball > 0 ? 2 * c->ball : c->patch[0];
}

/* The foot of the creature where the clip's ankle is, in the frame that is set: as long and wide as its
   contacts reach, which lie ahead of its ankle as far as the clip's foot is large. */
static rest foot_of(const fitter* f, int role) {
    const hf_clip_limb* own = &f->clip.limbs[role];
    const hf_creature_limb* l = &f->creature.limbs[role];
    const hf_contact_frame* sole = &hf_creature_get(f->creature.creature)->limbs[l->limb].contacts[0];
    hf_vec3 ankle = f->creature.rest[l->lower.link].position;
    hf_foot_span span = hf_creature_foot(&f->creature, l->limb, ankle);
    double middle = hf_sub(hf_apply(f->creature.rest[sole->link], sole->offset), ankle).x;
    rest r = {.at = f->clip.now[own->lower].position, .half_width = span.half_width};
    r.ahead = ahead_of(f, own->lower);
    r.contact = contact_length(f, l->limb);
    double shift = middle / f->in.scale - middle;
    r.back = -(span.low + shift), r.front = span.high + shift;
    return r;
}

/* How far a foot reaches along a horizontal direction from where it rests: the lowest and the highest part.
 */
static void foot_span(const rest* r, hf_vec3 way, double* low, double* high) {
    double along = hf_dot(r->ahead, way),
           across = fabs(r->ahead.x * way.y - r->ahead.y * way.x) * r->half_width;
    double at = hf_dot(r->at, way), a = at - along * r->back, b = at + along * r->front;
    *low = fmin(a, b) - across, *high = fmax(a, b) + across;
}

/* Speed of a joint about a frame. */
static double speed_at(fitter* f, int joint, int frame) {
    double dt = f->clip.clip->frame_time_s;
    int last = f->clip.clip->frame_count - 1, reach = hf_clip_speed_reach(f->clip.clip);
    if (reach < 1) reach = 1;
    int a = frame > reach ? frame - reach : 0, b = frame + reach < last ? frame + reach : last;
    hf_clip_body_set(&f->clip, a);
    hf_vec3 from = f->clip.now[joint].position;
    hf_clip_body_set(&f->clip, b);
    return b > a ? hf_distance(f->clip.now[joint].position, from) / ((b - a) * dt) : 0;
}

/* What rests: a leg's ankle, its toes, or the seat. */
typedef struct rester {
    int role, joint; /* role: of the leg, -1: the seat */
    bool toes;
    double depth,
        below_z; /* the surface is so much lower than the joint; the joint is under this height, m */
} rester;

/* Does the foot rest with its sole down in one of these frames? */
static bool rests_flat(const fitter* f, int role, int from, int until) {
    for (int i = 0; i < f->count; i++) {
        const rest* r = &f->rests[i];
        if (r->role == role && r->from < until && r->until > from) return true;
    }
    return false;
}

/* The place of a rest in the frame that is set: a foot on its toes lies where it would with its sole down. */
static rest rest_of(const fitter* f, const rester* w, hf_vec3 joint) {
    rest r = {.seat = w->role < 0, .ahead = ahead_of(f, w->joint)};
    if (w->role >= 0)
        r = foot_of(f, w->role);
    else
        r.contact = contact_length(f, f->creature.seat);
    r.at = hf_sub(joint, hf_v3(0, 0, w->depth));
    if (!w->toes) return r;
    const hf_clip_limb* leg = &f->clip.limbs[w->role];
    double ahead = hf_distance(f->clip.rest[leg->tip].position, f->clip.rest[leg->lower].position);
    double down = f->clip.rest[leg->lower].position.z - f->clip.rest[leg->tip].position.z;
    r.at = hf_sub(r.at, hf_scale(r.ahead, sqrt(fmax(0, ahead * ahead - down * down))));
    return r;
}

/* Does a foot rest as high as this one? */
static bool has_level(const fitter* f, const rest* r) {
    for (int i = 0; i < f->count; i++)
        if (fabs(f->rests[i].at.z - r->at.z) < LEVEL_M) return true;
    return false;
}

/* Adds the rest of a run of frames that ends before `end`. Toes count where their foot does not rest with its
   sole down meanwhile; those that never stand still count where feet rest as high. */
static bool add_run(fitter* f, const rester* w, int end, int run, int still, hf_vec3 mean,
                    double shortest_s) {
    double dt = f->clip.clip->frame_time_s;
    if (run * dt < shortest_s || (w->toes && rests_flat(f, w->role, end - run, end))) return true;
    hf_clip_body_set(&f->clip, end - 1 - run / 2);
    rest r = rest_of(f, w, mean);
    r.role = w->role, r.from = end - run, r.until = end;
    return (still * dt < shortest_s && !has_level(f, &r)) || add_rest(f, r);
}

/* Runs of frames in which a joint is slow; each gives the mean place. */
static bool find_rests(fitter* f, const rester* w, const hf_retarget_options* o) {
    int frames = f->clip.clip->frame_count, run = 0, still = 0;
    hf_vec3 sum = {0};
    for (int k = 0; k <= frames; k++) {
        double speed = k < frames ? speed_at(f, w->joint, k) : INFINITY;
        if (k < frames) hf_clip_body_set(&f->clip, k);
        hf_vec3 now = f->clip.now[w->joint].position;
        if (speed < (w->toes ? 2 : 1) * SLOW * o->contact_speed && now.z < w->below_z) {
            sum = hf_add(sum, now);
            run++, still += speed < SLOW * o->contact_speed;
            continue;
        }
        if (!add_run(f, w, k, run, still, hf_scale(sum, run ? 1.0 / run : 0), o->shortest_s)) return false;
        sum = hf_v3(0, 0, 0), run = still = 0;
    }
    return true;
}

/* How far a contact is below its landmark at rest, at the clip's size. */
static double depth_of(const fitter* f, int limb, int link) {
    const hf_contact_frame* c = &hf_creature_get(f->creature.creature)->limbs[limb].contacts[0];
    hf_vec3 at = hf_apply(f->creature.rest[c->link], c->offset);
    return (f->creature.rest[link].position.z - at.z + c->ball) / f->in.scale;
}

/* How much lower than its toes a foot's sole is, on average over the rests of both feet; below 0 where no
   foot rests flat. */
static double toe_depth(fitter* f) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < f->count; i++) {
        const rest* r = &f->rests[i];
        int tip = f->clip.limbs[r->role].tip;
        if (tip < 0) continue;
        hf_clip_body_set(&f->clip, (r->from + r->until - 1) / 2);
        sum += f->clip.now[tip].position.z - r->at.z, count++;
    }
    return count ? fmax(0, sum / count) : -1;
}

/* The rests of both feet: with their soles down, and on their toes. */
static bool find_feet(fitter* f, const hf_retarget_options* o) {
    for (int role = 0; role <= HF_RIGHT_LEG; role++) {
        const hf_creature_limb* l = &f->creature.limbs[role];
        if (!f->clip.limbs[role].there) continue;
        rester sole = {role, f->clip.limbs[role].lower, false, depth_of(f, l->limb, l->lower.link), INFINITY};
        if (!find_rests(f, &sole, o)) return false;
    }
    double depth = toe_depth(f);
    for (int role = 0; role <= HF_RIGHT_LEG && depth >= 0; role++) {
        rester toes = {role, f->clip.limbs[role].tip, true, depth, INFINITY};
        if (f->clip.limbs[role].there && toes.joint >= 0 && !find_rests(f, &toes, o)) return false;
    }
    return true;
}

/* Of a clip whose feet never rest (a run, a dance, a part of a step) the lowest ankle tells where the floor
 * is. */
static bool add_lowest(fitter* f) {
    rest low = {.at = {0, 0, INFINITY}};
    for (int k = 0; k < f->clip.clip->frame_count; k++) {
        hf_clip_body_set(&f->clip, k);
        for (int role = 0; role <= HF_RIGHT_LEG; role++) {
            if (!f->clip.limbs[role].there) continue;
            const hf_creature_limb* l = &f->creature.limbs[role];
            hf_vec3 at = f->clip.now[f->clip.limbs[role].lower].position;
            at.z -= depth_of(f, l->limb, l->lower.link);
            if (at.z < low.at.z) low = foot_of(f, role), low.at = at;
        }
    }
    return !isfinite(low.at.z) || add_rest(f, low);
}

static bool find_all(fitter* f, const hf_retarget_options* o) {
    double highest = -INFINITY, lowest = INFINITY;
    f->low = hf_v3(INFINITY, INFINITY, INFINITY), f->high = hf_v3(-INFINITY, -INFINITY, -INFINITY);
    for (int k = 0; k < f->clip.clip->frame_count; k++) {
        hf_clip_body_set(&f->clip, k);
        hf_vec3 p = f->clip.now[f->clip.root].position;
        f->low = hf_v3(fmin(f->low.x, p.x), fmin(f->low.y, p.y), fmin(f->low.z, p.z));
        f->high = hf_v3(fmax(f->high.x, p.x), fmax(f->high.y, p.y), fmax(f->high.z, p.z));
        highest = fmax(highest, p.z);
    }
    if (!find_feet(f, o)) return false;
    if (f->count == 0 && !add_lowest(f)) return false;
    for (int i = 0; i < f->count; i++) lowest = fmin(lowest, f->rests[i].at.z);
    if (f->count == 0 || f->creature.seat < 0) return true;
    double below = lowest + SEAT_SHARE * (highest - lowest);
    rester seat = {-1, f->clip.root, false, depth_of(f, f->creature.seat, 0), below};
    return find_rests(f, &seat, o);
}

/* ---- boxes ---- */

static hf_status add_box(hf_fitted_scene* s, const char* kind, hf_vec3 low, hf_vec3 high, double heading) {
    if (!HF_GROW(s->boxes, s->capacity, s->count)) return HF_ERROR_MEMORY;
    hf_fitted_box* b = &s->boxes[s->count];
    int number = 1;
    for (int i = 0; i < s->count; i++) number += strncmp(s->boxes[i].name, kind, strlen(kind)) == 0;
    *b = (hf_fitted_box){.low = low, .high = high, .heading = heading};
    snprintf(b->name, sizeof b->name, strcmp(kind, "floor") == 0 ? "%s" : "%s_%d", kind, number);
    s->count++;
    return HF_OK;
}

static int by_height(const void* a, const void* b) {
    const rest *x = a, *y = b;
    return x->at.z != y->at.z ? (x->at.z > y->at.z) - (x->at.z < y->at.z) : x->order - y->order;
}

/* The line along which feet point on average, which people climb along, up or down: the mean of twice the
   angles. */
static double heading_of(const fitter* f) {
    double along = 0, across = 0;
    for (int i = 0; i < f->count; i++) {
        hf_vec3 a = f->rests[i].ahead;
        along += a.x * a.x - a.y * a.y, across += 2 * a.x * a.y;
    }
    return along != 0 || across != 0 ? 0.5 * hf_atan2(across, along) : 0;
}

/* Cuts a box that lies over a foot on a lower level back to the foot's end, but not into the middles of the
   feet on it (from `first` to `last` along the way): heels may stand beyond an edge. */
static void spare_foot(const rest* r, hf_vec3 way, hf_vec3 aside, double first, double last, hf_vec3* low,
                       hf_vec3* high) {
    double a, b, c, d, middle = hf_dot(r->at, way);
    foot_span(r, way, &a, &b);
    foot_span(r, aside, &c, &d);
    if (d < low->y || c > high->y || b + TOE_ROOM < low->x || a - TOE_ROOM > high->x) return;
    if (middle < first) low->x = fmax(low->x, fmin(b + TOE_ROOM, first));
    if (middle > last) high->x = fmin(high->x, fmax(a - TOE_ROOM, last));
}

/* One box for all rests from a to b, which are of one level. Lower ones keep their place where the box stays
   as long as a contact. */
static hf_status add_level(const fitter* f, int a, int b, double floor_z, double heading,
                           hf_fitted_scene* s) {
    hf_vec3 low = hf_v3(INFINITY, INFINITY, floor_z), high = hf_v3(-INFINITY, -INFINITY, 0);
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), heading);
    hf_vec3 way = hf_rotate(turn, hf_v3(1, 0, 0)), aside = hf_rotate(turn, hf_v3(0, 1, 0));
    double first = INFINITY, last = -INFINITY, contact = 0;
    for (int i = a; i < b; i++) {
        const rest* r = &f->rests[i];
        double from, to, left, right, middle = hf_dot(r->at, way);
        foot_span(r, way, &from, &to);
        foot_span(r, aside, &left, &right);
        low = hf_v3(fmin(low.x, from), fmin(low.y, left), floor_z);
        high = hf_v3(fmax(high.x, to), fmax(high.y, right), high.z + r->at.z / (b - a));
        first = fmin(first, middle), last = fmax(last, middle), contact = fmax(contact, r->contact);
    }
    low.x -= STEP_ALONG, low.y -= STEP_ACROSS, high.x += STEP_ALONG, high.y += STEP_ACROSS;
    for (int i = 0; i < a; i++) spare_foot(&f->rests[i], way, aside, first, last, &low, &high);
    double more = 0.5 * fmax(0, contact - (high.x - low.x));
    low.x -= more, high.x += more;
    return add_box(s, "step", low, high, heading);
}

/* How far the thigh of a standing creature reaches back from its hip. */
static double thigh_back(const fitter* f, const hf_creature_limb* leg) {
    const hf_creature* c = f->creature.creature;
    double back = 0, hip = f->creature.rest[leg->upper.link].position.x;
    for (int i = 0; i < c->view.body_count; i++) {
        const hf_body* b = &c->view.bodies[i];
        if (!hf_link_descends(&c->view, b->link, leg->upper.link) ||
            hf_link_descends(&c->view, b->link, leg->middle.link))
            continue;
        back = fmax(back, hip + hf_creature_body_reach(&f->creature, b, hf_v3(-1, 0, 0)));
    }
    return back;
}

/* How high the under side of a thigh is over a seat's front edge, `edge` ahead of the hip: the hip is `hip`
   over the floor, the foot stands `foot` ahead, and the knee is where the creature's bones have it. */
static double under_thigh(const fitter* f, const hf_creature_limb* leg, double hip, double foot,
                          double edge) {
    const hf_transform* links = f->creature.rest;
    double thigh = hf_distance(links[leg->upper.link].position, links[leg->middle.link].position);
    double shank = hf_distance(links[leg->middle.link].position, links[leg->lower.link].position);
    double down = hip - depth_of(f, leg->limb, leg->lower.link) * f->in.scale;
    double way = fmin(fmax(hf_hypot(foot, down), fabs(thigh - shank)), thigh + shank);
    double bend = hf_acos(fmin(1, (thigh * thigh + way * way - shank * shank) / (2 * thigh * way)));
    double slope = hf_atan2(-down, foot) + bend; /* of the thigh over the horizontal */
    return hip + edge * hf_sin(slope) / hf_cos(slope) - thigh_back(f, leg) / hf_cos(slope);
}

/* The seat on which the creature sits without its thighs in the front edge: where its legs differ from the
   person's, or the capture is noisy, one lower than the person's hips say. */
static double seat_height(const fitter* f, const rest* r, const rest* feet, int count, double edge) {
    const hf_contact_frame* c = &hf_creature_get(f->creature.creature)->limbs[f->creature.seat].contacts[0];
    double top = r->at.z, under = hf_apply(f->creature.rest[c->link], c->offset).z - c->ball;
    for (int step = 0; step < LOWERINGS; step++, top -= LOWER_M) {
        bool free = true;
        for (int i = 0; i < count; i++) {
            const hf_creature_limb* leg = &f->creature.limbs[feet[i].role];
            double foot = hf_dot(hf_sub(feet[i].at, r->at), r->ahead);
            double hip = top - feet[i].at.z - under + f->creature.rest[leg->upper.link].position.z;
            if (feet[i].at.z > r->at.z - LEVEL_M || feet[i].until <= r->from || feet[i].from >= r->until)
                continue;
            free &= under_thigh(f, leg, hip, foot, edge) > top - feet[i].at.z + THIGH_ROOM;
        }
        if (free) return top;
    }
    return r->at.z;
}

/* A box under hips that rest, behind the feet that stand there: thighs reach out over its edge. */
static hf_status add_seat(const fitter* f, const rest* r, int feet, double floor_z, hf_fitted_scene* s) {
    double heading = hf_atan2(r->ahead.y, r->ahead.x);
    hf_vec3 way = r->ahead, aside = hf_v3(-way.y, way.x, 0);
    hf_vec3 middle = hf_v3(hf_dot(r->at, way), hf_dot(r->at, aside), 0),
            half = hf_v3(SEAT_HALF, SEAT_HALF, 0);
    hf_vec3 low = hf_sub(middle, half), high = hf_add(middle, half);
    for (int i = 0; i < s->count; i++) {
        const hf_fitted_box* b = &s->boxes[i];
        hf_quat back = hf_quat_axis_angle(hf_v3(0, 0, 1), -b->heading);
        hf_vec3 at = hf_rotate(back, r->at);
        bool same = strncmp(b->name, "seat", 4) == 0 && fabs(b->high.z - r->at.z) < 2 * LEVEL_M &&
                    b->low.x < at.x + SEAT_HALF && b->high.x > at.x - SEAT_HALF &&
                    b->low.y < at.y + SEAT_HALF && b->high.y > at.y - SEAT_HALF;
        if (same) return HF_OK;
    }
    for (int i = 0; i < feet; i++) {
        rest leg = f->rests[i]; /* the shank behind the heel */
        leg.back += SHANK_ROOM;
        if (leg.at.z < r->at.z - LEVEL_M) spare_foot(&leg, way, aside, middle.x, middle.x, &low, &high);
    }
    if (high.x - low.x < r->contact) return HF_OK; /* legs leave no room to sit */
    low.z = floor_z, high.z = seat_height(f, r, f->rests, feet, high.x - middle.x);
    return add_box(s, "seat", low, high, heading);
}

static hf_status make_boxes(fitter* f, hf_fitted_scene* s) {
    int steps = 0;
    for (int i = 0; i < f->count; i++)
        if (!f->rests[i].seat) {
            rest r = f->rests[steps];
            f->rests[steps++] = f->rests[i];
            f->rests[i] = r;
        }
    int all = f->count;
    f->count = steps;
    if (steps == 0) return HF_OK;
    qsort(f->rests, (size_t)steps, sizeof *f->rests, by_height);
    double floor_z = 0, heading = heading_of(f);
    hf_status status = HF_OK;
    for (int a = 0, level = 0; a < steps && status == HF_OK; level++) {
        int b = a + 1;
        while (b < steps && f->rests[b].at.z - f->rests[b - 1].at.z < LEVEL_M) b++;
        if (level == 0) {
            for (int i = a; i < b; i++) floor_z += f->rests[i].at.z / (b - a);
            hf_vec3 far = hf_v3(FLOOR_M, FLOOR_M, 0), low = hf_sub(f->low, far), high = hf_add(f->high, far);
            low.z = floor_z - 1, high.z = floor_z;
            status = add_box(s, "floor", low, high, 0);
        } else {
            status = add_level(f, a, b, floor_z, heading, s);
        }
        a = b;
    }
    for (int i = steps; i < all && status == HF_OK; i++)
        status = add_seat(f, &f->rests[i], steps, floor_z, s);
    return status;
}

void hf_fitted_scene_free(hf_fitted_scene* s) {
    if (!s) return;
    hf_free(s->boxes);
    memset(s, 0, sizeof *s);
}

hf_status hf_scene_fit(const hf_clip* clip, const hf_creature* creature, const hf_joint_link* mapping,
                       int mapping_count, const hf_retarget_options* options, hf_fitted_scene* scene,
                       hf_error* error) {
    HF_REQUIRE(error, clip && creature && options && scene && (mapping || !mapping_count));
    hf_fitted_scene_free(scene);
    fitter f = {0};
    hf_status status = hf_retarget_check(clip, creature, options, error);
    if (status == HF_OK) status = hf_clip_body_make(clip, &f.clip, error);
    if (status == HF_OK) status = hf_creature_body_make(creature, &f.creature, error);
    if (status == HF_OK) status = hf_landmarks_match(&f.clip, &f.creature, mapping, mapping_count, error);
    if (status == HF_OK) {
        f.in.scale = hf_landmarks_scale(&f.clip, &f.creature);
        status = find_all(&f, options) ? make_boxes(&f, scene) : HF_ERROR_MEMORY;
        if (status == HF_OK && scene->count == 0)
            status = hf_fail(
                error, HF_ERROR_ARGUMENT, clip->path, 0, NULL,
                "the clip has no leg of the creature that could rest anywhere: no scene can be fitted");
        else
            status = hf_fail_status(error, status, clip->path);
    }
    hf_clip_body_free(&f.clip);
    hf_creature_body_free(&f.creature);
    hf_free(f.rests);
    return status;
}
