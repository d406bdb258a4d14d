/* Hand shapes that hold by the tips of the fingers alone: for what is small or lies flat on something, onto
   which no palm comes. The hand is shaped beforehand, with the thumb opposite the other fingers a little
   farther apart than the object is wide; the fingers then close until they touch. */
#include "reach/hand_closing.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

enum {
    DIRECTIONS = 8, /* in the plane, in which thumb and fingers are opposite each other */
    MOST_TIPS = 8,
    MOST_OF_DIRECTION = 8,
    MOST_CLOSED = 3 /* hands of one place and turn whose fingers are closed: that costs the most */
};
/* How far the thumb, and the other fingers, are closed in a hand that comes, shares of their ranges. */
static const double THUMB_SHARES[] = {0.4, 0.6, 0.8, 1}, FINGER_SHARES[] = {0.2, 0.3, 0.4, 0.5, 0.6};
/* The way from the wrist to the tips, rad from straight down about the line through the tips. */
static const double TILTS[] = {0, 0.4, -0.4, 0.8, -0.8, 1.2, -1.2};
/* Where on the object the tips meet, in halves of its height above its middle. */
static const double HEIGHTS[] = {0, 0.4, -0.3};
static const double ROOM_M = 0.004,
                    MOST_ROOM_M = 0.05; /* between the tips and the object before they close */

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof *(list)))

/* A hand that comes. */
typedef struct shape {
    double* q;
    hf_vec3 middle;  /* between the thumb's tip and the finger opposite, in the hand's frame */
    hf_vec3 across;  /* unit, from the thumb to that finger */
    hf_vec3 forward; /* unit, square to it, away from the wrist */
    double gap;      /* between the two tips, m */
} shape;

typedef struct pinching {
    hf_hand_closing* g;
    const hf_contact_frame* tips;
    int tip_count, thumb;
    int shape_count;
    shape shapes[COUNT_OF(THUMB_SHARES) * COUNT_OF(FINGER_SHARES)];
} pinching;

/* ---- the hand by itself ---- */

static hf_vec3 tip_at(const pinching* p, int tip) {
    return hf_apply(p->g->links[p->tips[tip].link], p->tips[tip].offset);
}

/* The thumb is the finger whose tip is farthest from those of the others while the hand is open. */
static int find_thumb(const pinching* p) {
    int thumb = 0;
    double most = -1;
    hf_hand_open(p->g);
    hf_hand_pose_fingers(p->g, hf_transform_identity());
    for (int i = 0; i < p->tip_count; i++) {
        double sum = 0;
        for (int k = 0; k < p->tip_count; k++) sum += hf_distance(tip_at(p, i), tip_at(p, k));
        if (sum > most) most = sum, thumb = i;
    }
    return thumb;
}

static bool moves_tip(const pinching* p, int joint, int tip) {
    const hf_creature_view* v = p->g->v;
    int link = p->tips[tip].link, child = v->joints[joint].child_link;
    while (link > 0 && link != child) link = v->links[link].parent_link;
    return link == child;
}

/* The hand with the thumb and the other fingers closed by these shares. */
static hf_status make_shape(pinching* p, double thumb, double finger, shape* out) {
    hf_hand_closing* g = p->g;
    hf_transform here = hf_transform_identity();
    size_t n = (size_t)g->v->q_count;
    out->q = hf_workspace_take(g->workspace, n + 1, sizeof(double));
    if (!out->q) return HF_ERROR_MEMORY;
    hf_hand_open(g);
    for (int i = 0; i < g->v->joint_count; i++) {
        const hf_joint* j = &g->v->joints[i];
        if (!hf_hand_is_finger(g, i)) continue;
        double end = hf_hand_closing_sign(g, i, here) > 0 ? j->upper : j->lower;
        double share = moves_tip(p, i, p->thumb) ? thumb : finger;
        g->q[j->q_index] += share * (end - g->q[j->q_index]);
    }
    hf_hand_pose_fingers(g, here);
    memcpy(out->q, g->q, sizeof(double) * n);
    hf_vec3 from = tip_at(p, p->thumb), to = {0, 0, 0};
    double near = INFINITY, balls = 0;
    for (int i = 0; i < p->tip_count; i++) {
        double d = hf_distance(from, tip_at(p, i));
        if (i != p->thumb && d < near) near = d, to = tip_at(p, i), balls = p->tips[i].ball;
    }
    out->gap = near - balls - p->tips[p->thumb].ball;
    out->middle = hf_lerp(from, to, 0.5);
    out->across = hf_normalize(hf_sub(to, from));
    out->forward = hf_sub(out->middle, hf_scale(out->across, hf_dot(out->middle, out->across)));
    out->forward = hf_normalize(out->forward);
    return HF_OK;
}

static hf_status make_shapes(pinching* p) {
    hf_status status = HF_OK;
    for (int i = 0; i < COUNT_OF(p->shapes) && status == HF_OK; i++) {
        int t = i / COUNT_OF(FINGER_SHARES), f = i % COUNT_OF(FINGER_SHARES);
        shape made;
        status = make_shape(p, THUMB_SHARES[t], FINGER_SHARES[f], &made);
        // the narrowest first
        int at = p->shape_count++;
        for (; at > 0 && p->shapes[at - 1].gap > made.gap; at--) p->shapes[at] = p->shapes[at - 1];
        p->shapes[at] = made;
    }
    return status;
}

/* ---- the hand about the object ---- */

/* How wide the object is along a direction, m. */
static double width_along(const hf_hand_closing* g, hf_vec3 along) {
    hf_object_view o = hf_scene_object(g->scene, g->object);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < o.mesh.vertex_count; i++) {
        const float* v = o.mesh.vertices + 3 * (size_t)i;
        double x = hf_dot(along, hf_rotate(g->at.rotation, hf_v3((double)v[0], (double)v[1], (double)v[2])));
        low = fmin(low, x), high = fmax(high, x);
    }
    return high - low;
}

/* The turn that brings one pair of unit vectors, square to each other, onto another. */
static hf_quat turn_onto(hf_vec3 a, hf_vec3 b, hf_vec3 to_a, hf_vec3 to_b) {
    hf_quat first = hf_quat_between(a, to_a);
    hf_vec3 now = hf_rotate(first, b);
    double angle = hf_atan2(hf_dot(to_a, hf_cross(now, to_b)), hf_dot(now, to_b));
    return hf_quat_mul(hf_quat_axis_angle(to_a, angle), first);
}

/* Where a tip touches the object with its ball; false where none does. */
static bool find_touch(const pinching* p, hf_hold* hold) {
    static const double TOUCH_M = 2e-4; /* a finger that stopped at the object is no farther from it */
    const hf_hand_closing* g = p->g;
    for (int k = 0; k < p->tip_count; k++) {
        int i = (p->thumb + k) % p->tip_count;
        hf_vec3 centre = tip_at(p, i);
        hf_surface s;
        if (!hf_placement_closest(g->alone, centre, p->tips[i].ball + TOUCH_M, &s)) continue;
        if (fabs(s.distance - p->tips[i].ball) > TOUCH_M) continue;
        *hold = (hf_hold){.limb = g->limb,
                          .frame = g->v->limbs[g->limb].contact_count + i,
                          .object = g->object,
                          .grip = g->grip,
                          .point = s.point,
                          .normal = hf_normalize(hf_sub(centre, s.point))};
        return true;
    }
    return false;
}

/* Closes the fingers of a hand that is free, and keeps the shape where it holds. */
static hf_status close_about(pinching* p, const shape* s, hf_transform hand, hf_vec3 way) {
    hf_hand_closing* g = p->g;
    hf_hold hold;
    hf_hand_open(g);
    hf_hand_close_fingers(g, hand, 0);
    int count = hf_hand_finger_supports(g, 0);
    if (count < HF_GRASP_CONTACTS || !find_touch(p, &hold)) return HF_OK;
    if ((!g->handle && !hf_hand_bears(g, count)) || !hf_hand_closing_is_free(g, hand)) return HF_OK;
    hf_surface at = {.point = hold.point, .normal = hf_neg(way), .object = g->object};
    hf_status status = hf_hand_keep_grasp(g, hand, &at, count);
    if (status != HF_OK) return status;
    hf_hand_grasp* kept = &g->out->items[g->out->count - 1];
    kept->hold = hf_hold_in_object(hold, g->at);
    kept->open = s->q;
    return HF_OK;
}

/* The hands that are turned so, with the tips about a point of the object: the narrowest one that is free of
   the object, and those that are wider, until one holds. */
static hf_status try_hands(pinching* p, hf_vec3 across, double width, hf_vec3 way, hf_vec3 at) {
    hf_hand_closing* g = p->g;
    hf_status status = HF_OK;
    int before = g->out->count, closed = 0;
    for (int i = 0; i < p->shape_count && status == HF_OK && g->out->count == before; i++) {
        const shape* s = &p->shapes[i];
        if (s->gap < width + ROOM_M || s->gap > width + MOST_ROOM_M) continue;
        hf_transform hand = {.rotation = turn_onto(s->across, s->forward, across, way)};
        hand.position = hf_sub(at, hf_rotate(hand.rotation, s->middle));
        g->open = s->q;
        g->out->tried++;
        if (hf_hand_open_inside(g, hand) >= 0 || !hf_hand_open_comes(g, hand, hf_neg(way))) continue;
        if (closed++ == MOST_CLOSED) break;
        status = close_about(p, s, hand, way);
    }
    return status;
}

static hf_status try_direction(pinching* p, hf_vec3 across) {
    hf_hand_closing* g = p->g;
    hf_status status = HF_OK;
    double width = width_along(g, across), half = width_along(g, hf_v3(0, 0, 1)) / 2;
    hf_vec3 middle = hf_apply(g->at, g->handle ? *g->handle : hf_object_middle(g->scene, g->object));
    int before = g->out->count;
    for (int n = 0; n < COUNT_OF(TILTS) * COUNT_OF(HEIGHTS) && status == HF_OK; n++) {
        if (g->out->count == HF_MAX_GRASPS || g->out->count >= before + MOST_OF_DIRECTION) break;
        hf_quat tilt = hf_quat_axis_angle(across, TILTS[n % COUNT_OF(TILTS)]);
        hf_vec3 at = hf_add(middle, hf_v3(0, 0, HEIGHTS[n / COUNT_OF(TILTS)] * half));
        status = try_hands(p, across, width, hf_rotate(tilt, hf_v3(0, 0, -1)), at);
    }
    return status;
}

hf_status hf_pinch_grasps_find(hf_hand_closing* g) {
    const hf_limb* limb = &g->v->limbs[g->limb];
    pinching p = {.g = g, .tips = limb->contacts + limb->contact_count, .tip_count = limb->tip_count};
    const double* open = g->open;
    if (limb->tip_count < 2) return HF_OK;
    p.thumb = find_thumb(&p);
    hf_status status = make_shapes(&p);
    for (int i = 0; i < DIRECTIONS && status == HF_OK; i++) {
        // directions of the object's own axes first
        double angle = 6.283185307179586 * ((2 * i) % DIRECTIONS + (2 * i) / DIRECTIONS) / DIRECTIONS;
        hf_vec3 own = hf_rotate(g->at.rotation, hf_v3(hf_cos(angle), hf_sin(angle), 0));
        hf_vec3 level = hf_v3(own.x, own.y, 0);
        if (hf_length(level) < 0.5) continue;
        status = try_direction(&p, hf_normalize(level));
    }
    g->open = open;
    if (status == HF_OK && g->out->count == 0) g->out->why = "the finger tips do not close about it";
    return status;
}
