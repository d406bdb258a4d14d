/* A thousand random mutations of valid motions. By how much a mutation breaks which rule is known from how it
   is made: distances, speeds and the hull of soles are worked out here, nothing is asked of the check.
   Magnitudes are drawn on both sides of a tolerance, far enough from it that the verdict is certain; every
   mutation that breaks a rule must be found with that rule, and every other one must stay valid. An argument
   is another seed. */
#include "base/random.h"
#include "check/tolerance.h"
#include "test.h"
#define CRANE_FILE "mutation-crane"
#include "crane_fixture.h"

#include <stdlib.h>

static const double DOWN = 1.5707963267948966;
static uint64_t seed = 1;
enum { MUTATIONS = SANITIZED ? 200 : 1000, MAX_WORLDS = 8, WINDOW = 24, TRIES = 200 };

/* ---- valid motions ---- */

/* A valid motion and what is known of it. In an exact one contacts are where they are said to be, to
   rounding, and nothing but them is nearer than 1 cm to anything. */
typedef struct world {
    const char* name;
    hf_creature* creature;
    hf_scene* scene;
    hf_scenario* scenario; /* of a shipped plan; owns creature and scene */
    hf_motion* motion;
    double belt; /* m/s at which keys carry what is touched; 0: it stands */
    bool stool;
} world;
static world worlds[MAX_WORLDS];
static int world_count;

static hf_mesh box_mesh(float* v, uint32_t* f, double x, double y, double z, double half) {
    slab((float)half, (float)half, (float)half, (float)-half, v, f);
    for (int k = 0; k < 8; k++) v[3 * k] += (float)x, v[3 * k + 1] += (float)y, v[3 * k + 2] += (float)z;
    return (hf_mesh){8, 12, v, f};
}

enum { FLOOR, CRATE, POST };

/* A floor, a crate that may be moved and a post that may not, both metres away from where anything happens.
 */
static hf_scene* make_scene(int key_count, const hf_key* keys) {
    float v[3][24];
    uint32_t f[3][36];
    hf_object_def o[3] = {hf_object_def_default(), hf_object_def_default(), hf_object_def_default()};
    slab(9, 9, 0, -0.5f, v[0], f[0]);
    o[FLOOR].name = "floor", o[CRATE].name = "crate", o[POST].name = "post";
    o[FLOOR].mesh = (hf_mesh){8, 12, v[0], f[0]};
    o[FLOOR].key_count = key_count, o[FLOOR].keys = keys;
    o[CRATE].mesh = box_mesh(v[1], f[1], 0, 0, 0, 0.1);
    o[CRATE].movable = true;
    o[CRATE].start.position = hf_v3(4, 4, 1);
    o[POST].mesh = box_mesh(v[2], f[2], -4, -4, 1, 0.2);
    hf_scene* scene;
    hf_error e;
    if (hf_scene_build(o, 3, &scene, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    return scene;
}

static hf_creature* load_creature(const char* urdf_name, const char* urdf_text, const char* json_name,
                                  const char* json) {
    hf_creature* creature = NULL;
    hf_error e;
    write_file(urdf_name, urdf_text);
    const char* path = write_file(json_name, json);
    if (hf_creature_load(path, NULL, &creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    return creature;
}

static world* new_world(const char* name, hf_creature* creature, hf_scene* scene) {
    world* w = &worlds[world_count++];
    *w = (world){.name = name, .creature = creature, .scene = scene};
    assert_int_equal(hf_motion_create(creature, scene, &w->motion), HF_OK);
    return w;
}

static void touch(hf_motion* m, hf_motion_frame* f, int limb, hf_vec3 point) {
    hf_hold c = {.limb = limb, .object = FLOOR, .point = point, .normal = {0, 0, 1}};
    assert_int_equal(hf_motion_add_contact(m, f, &c), HF_OK);
}

static hf_motion_frame* add(hf_motion* m, double t, hf_vec3 at, const double* q) {
    hf_pose pose = {{at, {1, 0, 0, 0}}, (double*)q};
    hf_motion_frame* f = hf_motion_add(m, t, &pose);
    assert_non_null(f);
    return f;
}

/* The crane leans over a round tip that stays, or rides on a belt. */
static void make_crane(double belt) {
    char json[900];
    snprintf(json, sizeof json, creature_json,
             belt > 0 ? CRANE_TIP : "\"offset\": [0.40, 0, 0], \"normal\": [1, 0, 0], \"ball\": 0.05",
             "false");
    hf_creature* creature = load_creature(CRANE_FILE ".urdf", urdf, CRANE_FILE ".creature.json", json);
    const hf_key keys[2] = {{0, hf_transform_identity()}, {100, {{100 * belt, 0, 0}, {1, 0, 0, 0}}}};
    world* w = new_world(belt > 0 ? "belt" : "crane", creature, make_scene(belt > 0 ? 2 : 0, keys));
    w->motion->claims = HF_CLAIM_ALL & ~(unsigned)HF_CLAIM_BALANCE;
    w->belt = belt;
    for (int i = 0; i < 30; i++) {
        double along = belt * 0.1 * i, lean = belt > 0 ? DOWN : DOWN + 0.01 * i;
        double arm = belt > 0 ? 0.95 : 0.9;
        hf_vec3 at = hf_v3(along - arm * cos(lean), 0, (belt > 0 ? 0 : 0.05) + arm * sin(lean));
        double q[2] = {lean, 0};
        touch(w->motion, add(w->motion, 0.1 * i, at, q), 0, hf_v3(0.25 + along, 0, 0));
    }
}

#define MASS(kg)                                                                                             \
    "<inertial><mass value='" kg "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LEG(name, x, y)                                                                                      \
    "<link name='" name "'>" MASS("0.1") "<collision><origin xyz='0 0 -0.25'/><geometry><box size='0.06 "    \
                                         "0.04 0.5'/></geometry></collision></link><joint name='" name       \
                                         "_lift' type='prismatic'><parent "                                  \
                                         "link='seat'/><child link='" name "'/><origin xyz='" x " " y        \
                                         " 0'/><axis xyz='0 0 1'/>"                                          \
                                         "<limit lower='-0.3' upper='0.3' velocity='1' effort='1'/></joint>"
static const char stool_urdf[] = "<robot name='stool'><link name='seat'>" MASS(
    "1") "<collision><origin xyz='0 0 0.3'/><geometry><box "
         "size='0.2 0.2 0.02'/></geometry></collision></link>" LEG("fl", "0.3", "0.2")
             LEG("fr", "0.3", "-0.2") LEG("bl", "-0.3", "0.2")
                 LEG("br", "-0.3", "-0.2") "<link name='sled'>" MASS(
                     "9") "<collision><origin "
                          "xyz='0 0 1'/><geometry><sphere "
                          "radius='0.02'/></geometry></collision></link><joint name='slide' "
                          "type='prismatic'><parent link='seat'/><child link='sled'/><axis xyz='1 0 "
                          "0'/><limit lower='-1' upper='1' "
                          "velocity='1' effort='1'/></joint></robot>";
#define LIMB(name)                                                                                           \
    "{ \"name\": \"" name "\", \"root\": \"" name "\", \"effector\": \"" name                                \
    "\", \"contact\": { \"name\": "                                                                          \
    "\"sole\", \"offset\": [0, 0, -0.5], \"normal\": [0, 0, -1], \"patch\": [0.06, 0.04] } }"
static const char stool_json[] =
    "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"stool\", \"urdf\": "
    "\"mutation-stool.urdf\", \"limbs\": [" LIMB("fl") "," LIMB("fr") "," LIMB("bl") "," LIMB(
        "br") "], "
              "\"limits\": { \"root_speed\": 1, \"root_turn\": 1 } }";
static const double LEG_X[4] = {0.3, 0.3, -0.3, -0.3}, LEG_Y[4] = {0.2, -0.2, 0.2, -0.2};
static const double SLED_SHARE = 9 / 10.4; /* of the mass, so of each shift */

/* The stool draws its sled back, lifts one front leg and then the other, and brings the sled forward again.
 */
static void make_stool(void) {
    world* w = new_world(
        "stool", load_creature("mutation-stool.urdf", stool_urdf, "mutation-stool.creature.json", stool_json),
        make_scene(0, NULL));
    w->stool = true;
    for (int i = 0; i < 48; i++) {
        double back = fmin(fmin(i, 12), fmin(47 - i, 12)) / 12.0,
               q[5] = {0, 0, 0, 0, -0.15 * back / SLED_SHARE};
        int leg = i >= 14 && i < 20 ? 0 : i >= 24 && i < 30 ? 1 : -1, since = leg == 0 ? i - 14 : i - 24;
        if (leg >= 0) q[leg] = 0.02 * fmin(since, 5 - since);
        hf_motion_frame* f = add(w->motion, 0.1 * i, hf_v3(0, 0, 0.5), q);
        for (int l = 0; l < 4; l++)
            if (l != leg) touch(w->motion, f, l, hf_v3(LEG_X[l], LEG_Y[l], 0));
    }
}

static void make_plan(const char* name) {
    char path[200], text[1024];
    hf_scenario* s = NULL;
    hf_error error = {0};
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    if (hf_scenario_load(data_path(path), NULL, &s, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    hf_plan_options o = hf_plan_options_default();
    o.seed = s->seed, o.samples = s->samples;
    hf_plan_model* model = NULL;
    hf_plan_result r = {0};
    hf_plan_query query = {.start = &s->start, .goal = &s->goal};
    assert_int_equal(hf_plan_model_create(s->creature, &o, &model, NULL), HF_OK);
    assert_int_equal(hf_plan_find(model, s->scene, &query, &o, NULL, NULL, &r, NULL), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    worlds[world_count++] =
        (world){.name = name, .creature = s->creature, .scene = s->scene, .scenario = s, .motion = r.motion};
    r.motion = NULL;
    hf_plan_result_free(&r);
    hf_plan_model_free(model);
}

static int make_worlds(void** state) {
    (void)state;
    make_crane(0);
    make_crane(0.05);
    make_stool();
    make_plan("stand-up-front");
    make_plan("quadruped-steps");
    if (!SANITIZED) make_plan("spider-shaft");
    return 0;
}

static int free_worlds(void** state) {
    (void)state;
    for (int i = 0; i < world_count; i++) {
        world* w = &worlds[i];
        hf_motion_free(w->motion);
        if (!w->scenario) hf_scene_free(w->scene);
        if (!w->scenario) hf_creature_free(w->creature);
        hf_scenario_free(w->scenario);
    }
    return 0;
}

/* ---- what can be said of a motion from its numbers alone ---- */

/* The most that a speed is of its limit. */
static double speed_share(const world* w, const hf_motion* m) {
    const hf_creature_view* c = hf_creature_get(w->creature);
    double most = 0;
    for (int f = 1; f < m->frame_count; f++) {
        const hf_motion_frame *b = &m->frames[f], *a = b - 1;
        double dt = b->time_s - a->time_s;
        most = fmax(most, hf_distance(a->root.position, b->root.position) / dt / c->limits.root_speed);
        most = fmax(most, hf_quat_angle(a->root.rotation, b->root.rotation) / dt / c->limits.root_turn);
        for (int j = 0; j < c->joint_count; j++) {
            if (c->joints[j].q_count != 1) continue;
            int q = c->joints[j].q_index;
            most = fmax(most, fabs(b->q[q] - a->q[q]) / dt / c->joints[j].max_speed);
        }
    }
    return most;
}

static const hf_hold* contact_of(const hf_motion_frame* f, int limb) {
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return &f->contacts[i];
    return NULL;
}

static bool same_hold(const hf_hold* a, const hf_hold* b) {
    return (!a && !b) || (a && b && a->frame == b->frame && a->object == b->object && a->grip == b->grip);
}

static int changes(const hf_motion* m, int a, int b) {
    int count = 0;
    for (int l = 0; l < m->limb_count; l++)
        count += !same_hold(contact_of(&m->frames[a], l), contact_of(&m->frames[b], l));
    return count;
}

/* Does a limb keep one contact through all of these frames? */
static bool keeps_one(const hf_motion* m, int first, int last) {
    for (int l = 0; l < m->limb_count; l++) {
        const hf_hold* k = contact_of(&m->frames[first], l);
        bool kept = k && !k->grip;
        for (int f = first; f <= last; f++) kept = kept && same_hold(k, contact_of(&m->frames[f], l));
        if (kept) return true;
    }
    return false;
}

/* How far the stool's centre of mass is inside the hull of the soles that are not left out; negative outside.
 */
static double hull_margin(const hf_motion_frame* f, unsigned left_out) {
    double p[16][2], com = f->root.position.x + SLED_SHARE * f->q[4], least = INFINITY;
    int n = 0;
    for (int i = 0; i < f->contact_count; i++)
        for (int k = 0; k < 4; k++) {
            int l = f->contacts[i].limb;
            if (left_out >> l & 1) continue;
            p[n][0] = LEG_X[l] + (k & 1 ? 0.03 : -0.03), p[n][1] = LEG_Y[l] + (k & 2 ? 0.02 : -0.02);
            n++;
        }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double ux = p[b][0] - p[a][0], uy = p[b][1] - p[a][1], l = hypot(ux, uy);
            bool edge = l > 0;
            for (int k = 0; k < n && edge; k++)
                edge = ux * (p[k][1] - p[a][1]) - uy * (p[k][0] - p[a][0]) >= -1e-12;
            if (edge) least = fmin(least, (ux * (0 - p[a][1]) - uy * (com - p[a][0])) / l);
        }
    return n ? least : -1;
}

/* ---- mutations ---- */

typedef enum verdict { UNSURE, STAYS, BREAKS, IS_REFUSED } verdict;

/* A mutation in the making. */
typedef struct mutant {
    const world* w;
    hf_random r;
    hf_motion* m;
    int first;       /* frame of the world's motion that became the first */
    bool with_goal;  /* judged against the scenario's goal too */
    unsigned broken; /* claims that must be found broken */
    char what[160];
} mutant;

static int below(hf_random* r, int count) { return (int)(hf_random_bits(r) % (uint64_t)count); }

static int pick(mutant* x, int count) { return below(&x->r, count); }
static bool coin(mutant* x) { return pick(x, 2); }

static hf_vec3 direction(mutant* x, bool level) {
    hf_vec3 v;
    do
        v = hf_v3(hf_random_between(&x->r, -1, 1), hf_random_between(&x->r, -1, 1),
                  hf_random_between(&x->r, -1, 1));
    while (hf_length(v) < 0.1 || hf_length(v) > 1 || hypot(v.x, v.y) < 0.1);
    if (level) v.z = 0;
    return hf_normalize(v);
}

/* On either side of a tolerance: a fifth of it or five times as much. A planned motion uses most of its
   tolerances itself: there a twentieth is what is left of all of them. */
static double magnitude(mutant* x, double tolerance, bool over) {
    double spread = hf_random_between(&x->r, 0.8, 1.2);
    return tolerance * spread * (over ? 6 : x->w->scenario ? 0.04 : 0.16);
}

static verdict breaks(mutant* x, unsigned claims) {
    x->broken |= claims;
    return BREAKS;
}

static void copy_frame(const hf_motion_frame* from, hf_motion* to) {
    hf_pose pose = {from->root, from->q};
    hf_motion_frame* f = hf_motion_add(to, from->time_s, &pose);
    assert_non_null(f);
    for (int i = 0; i < from->contact_count; i++)
        assert_int_equal(hf_motion_add_contact(to, f, &from->contacts[i]), HF_OK);
    for (int i = 0; i < from->object_count; i++)
        assert_int_equal(hf_motion_add_object(to, f, from->objects[i].object, from->objects[i].pose), HF_OK);
    f->balance = from->balance, f->stance = from->stance;
}

/* Frames [first, last) of the world's motion. */
static void copy_frames(mutant* x, int first, int last) {
    assert_int_equal(hf_motion_create(x->w->creature, x->w->scene, &x->m), HF_OK);
    for (int o = 0; o < x->w->motion->object_count; o++)
        assert_string_equal(x->w->motion->objects[o], x->m->objects[o]);
    x->m->claims = x->w->motion->claims;
    x->first = first;
    for (int f = first; f < last; f++) copy_frame(&x->w->motion->frames[f], x->m);
}

/* All of an exact motion, a window of a plan. */
static void copy_some(mutant* x) {
    int count = x->w->motion->frame_count;
    int first = x->w->scenario ? pick(x, count - WINDOW) : 0;
    copy_frames(x, first, x->w->scenario ? first + WINDOW : count);
}

static void move_frame(hf_motion_frame* f, hf_vec3 by, bool with_points) {
    f->root.position = hf_add(f->root.position, by);
    for (int i = 0; with_points && i < f->contact_count; i++)
        f->contacts[i].point = hf_add(f->contacts[i].point, by);
}

/* The root of all frames moves, the stated contacts do not. */
static verdict shift(mutant* x) {
    copy_some(x);
    bool over = coin(x), touches = false;
    hf_vec3 by = hf_scale(direction(x, false), magnitude(x, CHECK_HOLD_M, over));
    for (int f = 0; f < x->m->frame_count; f++) {
        move_frame(&x->m->frames[f], by, false);
        touches = touches || x->m->frames[f].contact_count;
    }
    snprintf(x->what, sizeof x->what, "by %.3g m", hf_length(by));
    return !over ? STAYS : touches ? breaks(x, HF_CLAIM_CONTACTS) : UNSURE;
}

/* Body and contacts drift together over some frames and stay there. */
static verdict slide(mutant* x) {
    copy_some(x);
    bool over = coin(x);
    int start = 1 + pick(x, x->m->frame_count - 8), steps = 1 + pick(x, 6);
    hf_vec3 by = hf_scale(direction(x, true), magnitude(x, CHECK_HOLD_M, over));
    for (int f = start; f < x->m->frame_count; f++)
        move_frame(&x->m->frames[f], hf_scale(by, fmin(1, (f - start + 1.0) / steps)), true);
    x->m->claims &= ~(unsigned)HF_CLAIM_DYNAMIC; /* the jolt is not what is asked for */
    snprintf(x->what, sizeof x->what, "by %.3g m in %d frames from %d", hf_length(by), steps, start);
    if (!over) return STAYS;
    return keeps_one(x->m, start - 1, start + steps - 1) ? breaks(x, HF_CLAIM_CONTACTS) : UNSURE;
}

/* What a step between two poses that did not follow each other does. */
static verdict by_speed(mutant* x, bool same_contacts) {
    double share = speed_share(x->w, x->m);
    if (share > 1.2) return breaks(x, HF_CLAIM_SPEED);
    return share < 0.6 && same_contacts && !x->w->scenario ? STAYS : UNSURE;
}

static verdict swap(mutant* x) {
    copy_some(x);
    /* Every other time far apart, else side by side. */
    int n = x->m->frame_count, a = pick(x, n - 1), b = coin(x) ? pick(x, n) : a + 1;
    if (a == b) return UNSURE;
    hf_motion_frame one = x->m->frames[a], other = x->m->frames[b];
    double t = one.time_s;
    one.time_s = other.time_s, other.time_s = t;
    x->m->frames[a] = other, x->m->frames[b] = one;
    snprintf(x->what, sizeof x->what, "%d and %d", a, b);
    if (x->w->belt > 0) return breaks(x, HF_CLAIM_CONTACTS); /* 5 mm for each frame that it is late */
    bool same = true;
    for (int f = 1; f < n; f++)
        same = same && (f == a || f == b || f == a + 1 || f == b + 1 ? !changes(x->m, f - 1, f) : true);
    return by_speed(x, same);
}

static void remove_contact(hf_motion_frame* f, int index) {
    memmove(&f->contacts[index], &f->contacts[index + 1],
            sizeof *f->contacts * (size_t)(f->contact_count - index - 1));
    f->contact_count--;
}

/* One leg of the stool lets go in one frame, or says no more what it stands on. */
static verdict drop_leg(mutant* x, int f, bool name_only) {
    hf_motion_frame* at = &x->m->frames[f];
    if (f == 0 || f + 1 == x->m->frame_count) return UNSURE;
    if (changes(x->m, f - 1, f) || changes(x->m, f, f + 1)) return UNSURE;
    int k = pick(x, at->contact_count);
    unsigned leg = 1u << at->contacts[k].limb;
    double least = INFINITY;
    for (int g = f - 1; g <= f + 1; g++) least = fmin(least, hull_margin(&x->m->frames[g], leg));
    if (name_only)
        at->contacts[k].object = -1;
    else
        remove_contact(at, k);
    snprintf(x->what, sizeof x->what, "%s of a leg in %d, %.3g m are left", name_only ? "name" : "contact", f,
             least);
    if (least > 0.02) return STAYS;
    return least < -0.02 ? breaks(x, HF_CLAIM_ONE_LIMB | (name_only ? 0 : HF_CLAIM_BALANCE)) : UNSURE;
}

/* Contacts leave the list of one frame, or nothing but remarks does. */
static verdict drop(mutant* x) {
    copy_some(x);
    int f = pick(x, x->m->frame_count), how = pick(x, 3);
    hf_motion_frame* at = &x->m->frames[f];
    snprintf(x->what, sizeof x->what, "%s in %d", how == 0 ? "remarks" : "contacts", f);
    if (how == 0) {
        at->balance = NAN, at->stance = !at->stance;
        return STAYS;
    }
    if (x->w->scenario || (x->w->stool && how == 2)) {
        int count = at->contact_count;
        if (count < 2 || f == 0 || changes(x->m, f - 1, f)) return UNSURE;
        at->contact_count = 0;
        return breaks(x, HF_CLAIM_ONE_LIMB | HF_CLAIM_BALANCE);
    }
    if (x->w->stool) return drop_leg(x, f, coin(x));
    if (how == 1)
        at->contact_count = 0; /* who claims no balance may let go and take hold again */
    else
        at->contacts[0].object = -1; /* and may be silent about what it stands on, if it stays there */
    return STAYS;
}

static void remove_frames(mutant* x, int first, int count, double earlier) {
    hf_motion* all = x->m;
    assert_int_equal(hf_motion_create(x->w->creature, x->w->scene, &x->m), HF_OK);
    x->m->claims = all->claims;
    for (int f = 0; f < all->frame_count; f++) {
        if (f >= first && f < first + count) continue;
        copy_frame(&all->frames[f], x->m);
        if (f >= first) x->m->frames[x->m->frame_count - 1].time_s -= earlier;
    }
    hf_motion_free(all);
}

/* A plan that ends early, and says that it is there. */
static verdict cut_before_goal(mutant* x) {
    const hf_motion* m = x->w->motion;
    int last = coin(x) ? m->frame_count - pick(x, 10) : WINDOW + pick(x, m->frame_count - WINDOW);
    copy_frames(x, last - WINDOW, last);
    x->with_goal = true;
    hf_transform end = m->frames[last - 1].root, goal = x->w->scenario->goal.pose.root;
    double off = hf_distance(end.position, goal.position),
           turned = hf_quat_angle(end.rotation, goal.rotation);
    snprintf(x->what, sizeof x->what, "%.3g m and %.3g rad before the goal", off, turned);
    if (x->w->scenario->goal.whole) return UNSURE;
    if (off > 1.2 * CHECK_GOAL_M || turned > 1.2 * CHECK_GOAL_RAD) return BREAKS;
    return off < 0.8 * CHECK_GOAL_M && turned < 0.8 * CHECK_GOAL_RAD ? STAYS : UNSURE;
}

/* Frames at an end go, or frames in the middle, whose time goes too. */
static verdict cut(mutant* x) {
    if (x->w->scenario && coin(x)) return cut_before_goal(x);
    copy_some(x);
    int n = x->m->frame_count, count = 1 + pick(x, n / 2), how = pick(x, 3);
    int first = how == 0 ? 0 : how == 1 ? n - count : 1 + pick(x, n - count - 1);
    if (how == 0 && x->w->scenario) return UNSURE; /* what a patch bears on is found anew */
    double gone = x->m->frames[first + count - 1].time_s - (first ? x->m->frames[first - 1].time_s : 0);
    remove_frames(x, first, count, how == 2 ? gone : 0);
    snprintf(x->what, sizeof x->what, "%d frames from %d on", count, first);
    if (how != 2) return STAYS;
    if (x->w->belt > 0) return breaks(x, HF_CLAIM_CONTACTS);
    x->m->claims &= ~(unsigned)HF_CLAIM_DYNAMIC;
    int changed = changes(x->m, first - 1, first);
    verdict v = by_speed(x, changed == 0);
    if (changed > 1 && x->m->claims & HF_CLAIM_ONE_LIMB) return breaks(x, HF_CLAIM_ONE_LIMB);
    return v;
}

/* All times, by a factor. */
static verdict stretch(mutant* x) {
    copy_some(x);
    double factor = exp(hf_random_between(&x->r, -4, 2));
    if (x->w->belt > 0 && coin(x)) factor = 1 + hf_random_between(&x->r, -1e-3, 1e-3);
    for (int f = 0; f < x->m->frame_count; f++) x->m->frames[f].time_s *= factor;
    x->m->claims &= ~(unsigned)HF_CLAIM_DYNAMIC;
    snprintf(x->what, sizeof x->what, "by %.4g", factor);
    double share = speed_share(x->w, x->m), last = x->w->motion->frames[x->w->motion->frame_count - 1].time_s;
    double off = fabs(factor - 1) * last * x->w->belt; /* the belt is elsewhere by then */
    if (share > 1.2) breaks(x, HF_CLAIM_SPEED);
    if (off > 2 * CHECK_HOLD_M) breaks(x, HF_CLAIM_CONTACTS);
    if (x->broken) return BREAKS;
    return share < 0.9 && off < 0.5 * CHECK_HOLD_M ? STAYS : UNSURE;
}

static void spoil(char* name) { name[strlen(name) - 1] = '~'; }

/* A name that the creature or the scene knows becomes another one. */
static verdict rename_one(mutant* x) {
    copy_some(x);
    int how = pick(x, 9);
    const hf_motion_frame* f = &x->m->frames[pick(x, x->m->frame_count)];
    if (!f->contact_count) return UNSURE;
    const hf_hold* k = &f->contacts[pick(x, f->contact_count)];
    hf_motion_contact_frame* cf = &x->m->limbs[k->limb].frames[k->frame];
    snprintf(x->what, sizeof x->what, "way %d", how);
    switch (how) {
    case 0:
        spoil(x->m->limbs[k->limb].name);
        return breaks(x, HF_CLAIM_CONTACTS);
    case 1:
        spoil(x->m->objects[k->object]);
        return breaks(x, HF_CLAIM_CONTACTS);
    case 2:
        spoil(cf->link);
        return breaks(x, HF_CLAIM_CONTACTS);
    case 3: /* a frame of the motion's own, 5 cm away from the creature's */
        spoil(cf->name);
        cf->offset = hf_add(cf->offset, hf_scale(cf->normal, 0.05));
        return breaks(x, HF_CLAIM_CONTACTS);
    case 4:
        spoil(x->m->joints[pick(x, x->m->joint_count)]);
        return IS_REFUSED;
    case 5: /* names that nothing is judged by */
        spoil(x->m->creature);
        return STAYS;
    case 6: /* a frame of the motion's own that is at the skin, as the crane's and the stool's are */
        if (x->w->scenario) return UNSURE;
        spoil(cf->name);
        return STAYS;
    case 7: /* an object that no frame names */
        if (x->w->scenario) return UNSURE;
        spoil(x->m->objects[CRATE]);
        return STAYS;
    default: /* and the same, named */
        if (x->w->scenario) return UNSURE;
        spoil(x->m->objects[CRATE]);
        assert_int_equal(hf_motion_add_object(x->m, &x->m->frames[3], CRATE, hf_transform_identity()), HF_OK);
        return breaks(x, HF_CLAIM_ALL);
    }
}

/* The root in one frame, or an object. */
static verdict teleport(mutant* x) {
    copy_some(x);
    int f = 1 + pick(x, x->m->frame_count - 2), how = pick(x, 5), object = x->w->scenario ? 0 : POST;
    hf_motion_frame* at = &x->m->frames[f];
    hf_object_view static_one = hf_scene_object(x->w->scene, object);
    hf_transform pose = static_one.start;
    snprintf(x->what, sizeof x->what, "way %d in %d", how, f);
    if (how == 0) {
        move_frame(at, hf_scale(direction(x, true), hf_random_between(&x->r, 0.5, 2)), false);
        return speed_share(x->w, x->m) > 1.2 ? breaks(x, HF_CLAIM_SPEED | HF_CLAIM_CONTACTS) : UNSURE;
    }
    if (how == 1) {
        double way = x->w->scenario ? 1e-7 : magnitude(x, CHECK_HOLD_M, false);
        move_frame(at, hf_scale(direction(x, true), way), false);
        return speed_share(x->w, x->m) < 1 ? STAYS : UNSURE;
    }
    if (how == 2) { /* what is not movable, named a little off, or by far less than numbers are rounded to */
        if (static_one.key_count || static_one.movable) return UNSURE;
        bool over = coin(x);
        pose.position = hf_add(pose.position, hf_scale(direction(x, false), over ? 6e-6 : 2e-7));
        assert_int_equal(hf_motion_add_object(x->m, at, object, pose), HF_OK);
        return over ? breaks(x, HF_CLAIM_ALL) : STAYS;
    }
    if (x->w->scenario) return UNSURE;
    /* The crate stands in the air metres away, or in the body. */
    pose.position = how == 3 ? hf_add(hf_v3(0, 0, 5), hf_scale(direction(x, false), 2)) : at->root.position;
    if (how == 4 && x->w->stool) pose.position.z += 0.3; /* the seat */
    assert_int_equal(hf_motion_add_object(x->m, at, CRATE, pose), HF_OK);
    return how == 3 ? STAYS : breaks(x, HF_CLAIM_COLLISION);
}

typedef verdict (*mutation)(mutant*);
static const struct {
    const char* name;
    mutation make;
} kinds[] = {{"shift", shift}, {"slide", slide},     {"swap", swap},         {"drop", drop},
             {"cut", cut},     {"stretch", stretch}, {"rename", rename_one}, {"teleport", teleport}};
enum { KINDS = sizeof kinds / sizeof *kinds, THIN = KINDS };

/* ---- the verdict ---- */

static int wrong_verdicts;

static void complain(const mutant* x, const char* kind, const hf_check_report* r, const char* wrong) {
    wrong_verdicts++;
    print_message("%s of \"%s\" (from frame %d) %s: %s\n", kind, x->w->name, x->first, x->what, wrong);
    for (int i = 0; i < r->problem_count && i < 5; i++)
        print_message("  frame %d: %s\n", r->problems[i].frame, r->problems[i].what);
}

static void judge_mutant(const mutant* x, const char* kind, verdict v) {
    hf_check_report r;
    hf_error e;
    hf_status status = x->with_goal
                           ? hf_check_scenario(x->m, x->w->creature, x->w->scenario, 1, NULL, NULL, &r, &e)
                           : hf_check_motion(x->m, x->w->creature, x->w->scene, 1, NULL, NULL, &r, &e);
    assert_int_equal(status, v == IS_REFUSED ? HF_ERROR_FORMAT : HF_OK);
    if (status != HF_OK) return;
    if (v == STAYS && !r.valid) complain(x, kind, &r, "breaks nothing, and is refused");
    if (v == BREAKS && r.valid) complain(x, kind, &r, "is not found");
    if (v == BREAKS && (r.broken & x->broken) != x->broken) complain(x, kind, &r, "is found by another rule");
    if (v == BREAKS && x->with_goal && !r.goal_violations) complain(x, kind, &r, "does not miss the goal");
    hf_check_report_free(&r);
}

typedef struct tally {
    int stay, broken;
} tally;

static tally tallies[KINDS + 1];

static void count(int kind, verdict v) { v == STAYS ? tallies[kind].stay++ : tallies[kind].broken++; }

static void mutate(int index) {
    int kind = index % (KINDS + 1);
    hf_random r = hf_random_start(seed, 77, (uint64_t)index);
    for (int try = 0; try < TRIES; try++) {
        mutant x = {.w = &worlds[below(&r, world_count)], .r = r};
        verdict v = kinds[kind].make(&x);
        r = x.r;
        if (v != UNSURE) {
            judge_mutant(&x, kinds[kind].name, v);
            count(kind, v);
        }
        hf_motion_free(x.m);
        if (v != UNSURE) return;
    }
    fail_msg("%s: nothing certain in %d tries", kinds[kind].name, TRIES);
}

/* A body made thin meets an open wall: it goes through, into it, or just touches it. */
static void thin(int index) {
    hf_random r = hf_random_start(seed, 78, (uint64_t)index);
    double thickness = exp(hf_random_between(&r, log(1e-4), log(2e-2))), size = 0.1;
    bool ball = below(&r, 2), flat = below(&r, 2);
    int how = below(&r, 3);
    char geometry[120], text[700];
    if (ball)
        snprintf(geometry, sizeof geometry, "<sphere radius='%.9g'/>", thickness / 2);
    else
        snprintf(geometry, sizeof geometry, "<box size='%.9g %.9g %.9g'/>", flat ? thickness : size, size,
                 flat ? size : thickness);
    snprintf(
        text, sizeof text,
        "<robot name='thin'><link name='thin'>" MASS("1") "<collision><geometry>%s</geometry></collision>"
                                                          "</link></robot>",
        geometry);
    world w = {.name = "thin"};
    hf_error e;
    const char* path = write_file("mutation-thin.urdf", text);
    if (hf_creature_load(path, NULL, &w.creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    float wall[12] = {0, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1};
    uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
    hf_object_def o = hf_object_def_default();
    o.name = "wall";
    o.mesh = (hf_mesh){4, 2, wall, halves};
    assert_int_equal(hf_scene_build(&o, 1, &w.scene, &e), HF_OK);
    mutant x = {.w = &w, .r = r};
    assert_int_equal(hf_motion_create(w.creature, w.scene, &x.m), HF_OK);
    x.m->claims = HF_CLAIM_COLLISION;
    double half = ball || flat ? thickness / 2 : size / 2;
    double allowed = fmin(CHECK_DEPTH_M, CHECK_DEPTH_SHARE * thickness);
    /* Half of the thickness is five times a tenth; a micrometre is what surfaces count with. */
    double depth = how == 0 ? 0.2 * allowed : fmin(5 * allowed, thickness / 2);
    double end = how == 2 ? half + hf_random_between(&x.r, 0.01, 0.2) : depth - half;
    double from = -half - hf_random_between(&x.r, 0.01, 0.2);
    hf_vec3 beside = hf_v3(0, hf_random_between(&x.r, -0.5, 0.5), hf_random_between(&x.r, -0.5, 0.5));
    int frames = 2 + pick(&x, 20);
    for (int i = 0; i < frames; i++) {
        hf_vec3 at = beside;
        at.x = from + (end - from) * i / (frames - 1);
        add(x.m, i, at, NULL);
    }
    snprintf(x.what, sizeof x.what, "%s in %d frames", geometry, frames);
    x.broken = how ? HF_CLAIM_COLLISION : 0;
    judge_mutant(&x, "thin", how ? BREAKS : STAYS);
    count(THIN, how ? BREAKS : STAYS);
    hf_motion_free(x.m);
    hf_scene_free(w.scene);
    hf_creature_free(w.creature);
}

/* What the mutations are made of. */
static void the_motions_are_valid(void** state) {
    (void)state;
    for (int i = 0; i < world_count; i++) {
        const world* w = &worlds[i];
        hf_check_report r;
        hf_error e;
        assert_int_equal(w->scenario
                             ? hf_check_scenario(w->motion, w->creature, w->scenario, 1, NULL, NULL, &r, &e)
                             : hf_check_motion(w->motion, w->creature, w->scene, 1, NULL, NULL, &r, &e),
                         HF_OK);
        for (int k = 0; k < r.problem_count && !r.valid; k++)
            print_message("%s: frame %d: %s\n", w->name, r.problems[k].frame, r.problems[k].what);
        assert_true(r.valid);
        hf_check_report_free(&r);
    }
}

static void mutations_are_judged_as_they_are(void** state) {
    (void)state;
    for (int i = 0; i < MUTATIONS; i++) i % (KINDS + 1) == THIN ? thin(i) : mutate(i);
    assert_int_equal(wrong_verdicts, 0);
    for (int k = 0; k <= KINDS; k++) {
        print_message("%-9s %3d stay valid, %3d are found\n", k < KINDS ? kinds[k].name : "thin",
                      tallies[k].stay, tallies[k].broken);
        assert_true(tallies[k].stay >= MUTATIONS / 100 && tallies[k].broken >= MUTATIONS / 100);
    }
}

int main(int count_of_arguments, char** arguments) {
    if (count_of_arguments > 1) seed = strtoull(arguments[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motions_are_valid),
        cmocka_unit_test(mutations_are_judged_as_they_are),
    };
    return cmocka_run_group_tests(tests, make_worlds, free_worlds);
}
