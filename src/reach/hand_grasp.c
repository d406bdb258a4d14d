/* Hand shapes (reaching-2003 section 7, and found by themselves): the palm is laid onto the surface at places
   all about the object, in several turns, the fingers are closed until they touch, and the shape counts where
   three places touch or more and friction there bears the object's weight. */
#include "reach/hand_closing.h"

#include "base/random.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STREAM = 0x6a59,
    TURNS = 8,   /* of the palm about the surface's normal */
    RANDOM = 48, /* places drawn over the surface beside those that are straight out from its middle */
    MOST_CANDIDATES = 3 * 26 + RANDOM,
    MOST_OF_PLACE = 6
};
static const double IDLE_SHARE = 0.6; /* of its range that a finger closes that meets nothing */
static const double HANDLE_M = 0.02;  /* how far about its point a handle is looked for */
static const double FAR_M = 5;        /* from where rays look at an object */

/* ---- candidates ---- */

/* The effector link with its palm on a surface, turned by an angle about the normal. */
static hf_transform hand_on(const hf_hand_closing* g, const hf_surface* s, double turn) {
    const hf_contact_frame* palm = &g->v->limbs[g->limb].contacts[0];
    hf_vec3 out = hf_length(palm->normal) > 0 ? palm->normal : hf_normalize(palm->offset);
    hf_quat onto = hf_quat_between(out, hf_neg(s->normal));
    hf_transform t = {.rotation = hf_quat_mul(hf_quat_axis_angle(s->normal, turn), onto)};
    hf_vec3 middle = hf_add(s->point, hf_scale(s->normal, palm->ball));
    t.position = hf_sub(middle, hf_rotate(t.rotation, palm->offset));
    return t;
}

/* Closes all fingers about the object; how many places touch: the palm, as far as it lies on the surface, and
   every body of the fingers that is no farther than a contact may be off. They are in g->supports. */
static int close_hand(hf_hand_closing* g, hf_transform hand, const hf_surface* palm) {
    g->supports[0] = hf_hand_palm_support(g, hand, palm);
    hf_hand_open(g);
    hf_hand_close_fingers(g, hand, IDLE_SHARE);
    return hf_hand_finger_supports(g, 1);
}

static hf_status try_hand(hf_hand_closing* g, const hf_surface* s, double turn) {
    hf_transform hand = hand_on(g, s, turn);
    g->out->tried++;
    if (hf_hand_open_inside(g, hand) >= 0) {
        g->out->why = "the hand would be inside it";
        return HF_OK;
    }
    if (!hf_hand_open_comes(g, hand, s->normal)) {
        g->out->why = "other objects leave no room for the hand";
        return HF_OK;
    }
    int count = close_hand(g, hand, s);
    if (count < HF_GRASP_CONTACTS) {
        g->out->why = "the fingers do not close about it";
        return HF_OK;
    }
    // what has a joint stands by itself
    if (!g->handle && !hf_hand_bears(g, count)) {
        g->out->why = "friction at the fingers does not bear its weight";
        return HF_OK;
    }
    if (!hf_hand_closing_is_free(g, hand)) {
        g->out->why = "other objects leave no room for the fingers";
        return HF_OK;
    }
    return hf_hand_keep_grasp(g, hand, s, count);
}

/* Half of the object's size along the world's axes where it stands. */
static hf_vec3 half_size(const hf_hand_closing* g) {
    hf_object_view o = hf_scene_object(g->scene, g->object);
    hf_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < o.mesh.vertex_count; i++) {
        const float* v = o.mesh.vertices + 3 * (size_t)i;
        hf_vec3 p = hf_apply(g->at, hf_v3((double)v[0], (double)v[1], (double)v[2]));
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return hf_scale(hf_sub(high, low), 0.5);
}

/* Places on the surface: straight out from the middle in 26 directions, then anywhere. */
static int list_places(const hf_hand_closing* g, hf_surface* places) {
    hf_vec3 middle = hf_apply(g->at, hf_object_middle(g->scene, g->object));
    hf_vec3 half = half_size(g);
    if (g->handle) middle = hf_apply(g->at, *g->handle), half = hf_v3(HANDLE_M, HANDLE_M, HANDLE_M);
    int count = 0;
    // from the sides first, then from above, then from below; in the upper half, the middle, the lower half
    static const double heights[3] = {0, 1, -1}, levels[3] = {0.5, 0, -0.5};
    for (int k = 0; k < 27 * 3; k++) {
        int side = k % 9 + 9 * (k / 27), level = k / 9 % 3;
        hf_vec3 d = hf_v3(side % 3 - 1, side / 3 % 3 - 1, heights[side / 9]);
        if (hf_length(d) < 0.5) continue;
        d = hf_normalize(hf_rotate(g->at.rotation, d));
        hf_vec3 at = hf_add(middle, hf_v3(0, 0, levels[level] * half.z)),
                from = hf_add(at, hf_scale(d, FAR_M));
        if (hf_placement_ray(g->alone, from, hf_neg(d), FAR_M, &places[count])) count++;
    }
    hf_random r = hf_random_start(g->world->options->seed, STREAM + (uint64_t)g->round, (uint64_t)g->object);
    for (int i = 0; i < RANDOM; i++) {
        hf_vec3 d = hf_random_in_box(&r, hf_v3(-1, -1, -1), hf_v3(1, 1, 1));
        hf_vec3 by = hf_random_in_box(&r, hf_neg(half), half);
        // every other one from above: what stands on a floor or deep in a shelf is taken from there
        if (i % 2) d = hf_v3(0.2 * d.x, 0.2 * d.y, 1);
        if (hf_length(d) < 0.1) continue;
        d = hf_normalize(d);
        hf_vec3 from = hf_add(hf_add(middle, by), hf_scale(d, FAR_M));
        if (hf_placement_ray(g->alone, from, hf_neg(d), 2 * FAR_M, &places[count])) count++;
    }
    return count;
}

static hf_status find(hf_hand_closing* g) {
    hf_surface places[MOST_CANDIDATES];
    // turns of later rounds lie between those of earlier ones
    static const double shifts[HF_GRASP_ROUNDS] = {0, 0, 0.5, 0.25, 0.75};
    int count = list_places(g, places);
    hf_status status = HF_OK;
    // at most a few of one place, so that there are grasps from all sides
    for (int i = 0; i < count && status == HF_OK; i++) {
        int before = g->out->count;
        for (int t = 0; t < TURNS && status == HF_OK && g->out->count < HF_MAX_GRASPS; t++)
            if (g->out->count < before + MOST_OF_PLACE)
                status =
                    try_hand(g, &places[i], 6.283185307179586 * ((7 * t) % TURNS + shifts[g->round]) / TURNS);
    }
    return status;
}

/* Says that a given shape collides, where a body of the hand is inside the object. */
static bool collides(hf_hand_closing* g, int body, const char* fingers) {
    hf_hand_grasps* out = g->out;
    if (body < 0) return false;
    snprintf(out->text, sizeof out->text,
             "the given one collides: with %.20s fingers \"%.40s\" meets \"%.40s\"", fingers,
             g->v->links[g->v->bodies[body].link].name, hf_scene_object(g->scene, g->object).name);
    out->why = out->text;
    return true;
}

/* A grasp that the scenario gives: the palm drawn onto the surface, fingers as said or closed. */
static hf_status take_given(hf_hand_closing* g, const hf_grasp* given) {
    const hf_contact_frame* palm = &g->v->limbs[g->limb].contacts[0];
    hf_transform hand = hf_compose(g->at, given->hand);
    hf_surface s;
    hf_vec3 at = hf_apply(hand, palm->offset);
    if (!hf_placement_closest(g->alone, at, 0.03, &s)) {
        g->out->why = "the palm of the hand shape is over 3 cm from it";
        return HF_OK;
    }
    hand.position = hf_add(hand.position, hf_sub(s.point, at));
    if (collides(g, hf_hand_open_inside(g, hand), "open")) return HF_OK;
    int count = close_hand(g, hand, &s);
    for (int i = 0; i < given->joint_count; i++)
        g->q[g->v->joints[given->joints[i]].q_index] = given->values[i];
    if (collides(g, hf_hand_body_inside(g, hand, HF_TOUCH_DEPTH_M), "closed")) return HF_OK;
    hf_status status = hf_hand_keep_grasp(g, hand, &s, count);
    if (hf_length(given->approach) > 0) g->out->items[g->out->count - 1].way = given->approach;
    return status;
}

static bool can_touch(const hf_hand_closing* g, int limb) {
    if (g->v->limbs[limb].contact_count == 0) g->out->why = "the arm has no contact frame";
    return g->v->limbs[limb].contact_count > 0;
}

/* Can the limb hold an object alone? What one hand carries is stated as gripped, and only a limb of which the
   creature says so grips. */
static bool can_hold(const hf_hand_closing* g, int limb) {
    if (!can_touch(g, limb)) return false;
    if (!g->v->limbs[limb].grip)
        g->out->why =
            "the arm is no limb that grips: no creature file and no end effector of an SRDF says so";
    return g->v->limbs[limb].grip;
}

hf_status hf_hand_grasps_find(const hf_reach_world* world, const hf_scene* scene, int object,
                              const hf_reach_object* given, int limb, int round, hf_workspace* workspace,
                              hf_hand_grasps* out) {
    memset(out, 0, sizeof *out);
    hf_hand_closing g = {.world = world,
                         .v = &world->creature->view,
                         .scene = scene,
                         .object = object,
                         .limb = limb,
                         .workspace = workspace,
                         .out = out,
                         .grip = true,
                         .round = round};
    if (!can_hold(&g, limb)) return HF_OK;
    if (given && given->joint != HF_OBJECT_FREE && given->has_handle) g.handle = &given->handle;
    hf_status status = hf_hand_closing_start(&g);
    int many = given ? given->grasp_count : 0;
    for (int i = 0; i < many && status == HF_OK && out->count < HF_MAX_GRASPS; i++)
        if (given->grasps[i].limb < 0 || given->grasps[i].limb == limb)
            status = take_given(&g, &given->grasps[i]);
    if (status == HF_OK && many == 0) status = round == HF_GRASP_PINCH ? hf_pinch_grasps_find(&g) : find(&g);
    hf_hand_closing_end(&g);
    return status;
}

void hf_hand_ways(const hf_contact_frame* palm, hf_quat hand, hf_vec3 out, hf_vec3 ways[HF_HAND_WAYS]) {
    hf_vec3 along = hf_normalize(hf_rotate(hand, hf_neg(palm->offset)));
    ways[0] = out;
    ways[1] = along;
    ways[2] = hf_normalize(hf_add(out, along));
    ways[3] = hf_normalize(hf_add(out, hf_v3(0, 0, 1)));
}

/* ---- two hands ---- */

/* Rays look for places of two hands from the sides of an object to its middle, and rise by so much for each m
   outwards: palms are level with the middle, or below or above it where its sides are slanted; points are
   above it alone, because what two points hold hangs from them. */
static const double PALM_SLOPES[] = {-0.3, 0, 0.3}, POINT_SLOPES[] = {0.3, 0.15, 0.45};

static bool is_point(const hf_hand_closing* g, int side) {
    return hf_hand_turns_freely(&g->v->limbs[g->world->layer->arms[side]].contacts[0]);
}

static hf_support support_in(hf_transform frame, hf_support s) {
    for (int i = 0; i < s.corner_count; i++) s.corners[i] = hf_apply(frame, s.corners[i]);
    s.normal = hf_rotate(frame.rotation, s.normal);
    return s;
}

hf_status hf_hand_grasps_both(const hf_reach_world* world, const hf_scene* scene, int object,
                              hf_workspace* workspace, hf_hand_grasps* out) {
    memset(out, 0, sizeof *out);
    hf_hand_closing g = {.world = world,
                         .v = &world->creature->view,
                         .scene = scene,
                         .object = object,
                         .limb = world->layer->arms[HF_RIGHT],
                         .workspace = workspace,
                         .out = out};
    const int* arms = world->layer->arms;
    if (!can_touch(&g, arms[HF_RIGHT]) || !can_touch(&g, arms[HF_LEFT])) return HF_OK;
    g.grip = g.v->limbs[arms[HF_RIGHT]].grip && g.v->limbs[arms[HF_LEFT]].grip;
    hf_status status = hf_hand_closing_start(&g);
    hf_vec3 middle = hf_apply(g.at, hf_object_middle(scene, object));
    hf_vec3 right = hf_rotate(world->stand.root.rotation, hf_v3(0, -1, 0));
    bool point[2] = {is_point(&g, HF_RIGHT), is_point(&g, HF_LEFT)};
    for (int lean = 0; lean < 3 && status == HF_OK; lean++) {
        hf_surface s[2];
        bool hit = true;
        for (int side = 0; side < 2; side++) {
            hf_vec3 up = hf_v3(0, 0, (point[side] ? POINT_SLOPES : PALM_SLOPES)[lean]);
            hf_vec3 way = hf_normalize(hf_add(side == 0 ? right : hf_v3(-right.x, -right.y, right.z), up));
            hit = hit && hf_placement_ray(g.alone, hf_add(middle, hf_scale(way, FAR_M)), hf_neg(way), FAR_M,
                                          &s[side]);
        }
        int turns = point[0] && point[1] ? 1 : TURNS;
        for (int t = 0; t < turns && hit && status == HF_OK && out->count + 2 <= HF_MAX_GRASPS; t++) {
            hf_support supports[2];
            for (int side = 0; side < 2 && status == HF_OK; side++) {
                g.limb = world->layer->arms[side];
                double turn = 6.283185307179586 * t / TURNS;
                hf_transform hand = hand_on(&g, &s[side], side == 0 ? turn : -turn);
                memcpy(g.q, world->stand.q, sizeof(double) * (size_t)g.v->q_count);
                supports[side] = hf_hand_palm_support(&g, hand, &s[side]);
                status = hf_hand_keep_grasp(&g, hand, &s[side], 1);
                out->items[out->count - 1].press = support_in(hf_inverse(g.at), supports[side]);
            }
            out->tried++;
            if (status == HF_OK && !hf_hand_bears_at(&g, supports, 2, hf_reach_hanging(supports, middle))) {
                out->count -= 2;
                out->why = "friction at two palms does not bear its weight";
            }
        }
    }
    hf_hand_closing_end(&g);
    return status;
}
