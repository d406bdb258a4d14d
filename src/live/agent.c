/* Agents: the frame of a game. Each step carries the contacts with their objects, plans the root, chooses
   limbs to renew (efort-2014-journal section 5.2, the sequences, made live) and finds a pose that keeps every
   promise. */
#include "live/agent.h"
#include "base/rounding.h"
#include "base/error.h"

#include "base/memory.h"
#include "base/option_table.h"
#include "contact/sample_set.h"
#include "solve/target.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

/* ---- options ---- */

#define FIELD(name) offsetof(hf_agent_options, name)
static const hf_option items[] = {
    {"swing_s", HF_OPTION_REAL, FIELD(swing_s), 0, 10, 0, "s",
     "least time of a swing, 0: by the limb's length"},
    {"half_stride_m", HF_OPTION_REAL, FIELD(half_stride_m), 0, 10, 0, "m",
     "how far before and behind its place a foot may stand, 0: by the limb's length"},
    {"lift_m", HF_OPTION_REAL, FIELD(lift_m), 0, 10, 0, "m",
     "how far a swing leaves the surface, 0: by the limb's length"},
    {"effort_weight", HF_OPTION_REAL, FIELD(effort_weight), 0, 1000, 0.3, "",
     "of the force a limb can exert"},
    {"comfort_weight", HF_OPTION_REAL, FIELD(comfort_weight), 0, 1000, 5, "",
     "of the comfort of its posture"},
    {"distance_weight", HF_OPTION_REAL, FIELD(distance_weight), 0, 1000, 30, "",
     "of the nearness to the limb's place under the body"},
    {"max_lean_rad", HF_OPTION_REAL, FIELD(max_lean_rad), 0, 1.5, 0.6, "rad",
     "how far the body leans with its footholds"},
};
#undef FIELD

HF_OPTIONS(hf_agent, items)

#define FIELD(name) offsetof(hf_agent_input, name)
static const hf_option input_items[] = {
    {"dt_s", HF_OPTION_REAL, FIELD(dt_s), 0, 0.25, 1.0 / 60, "s", "length of a frame"},
    {"budget", HF_OPTION_COUNT, FIELD(budget), 1, 1000000, 40, "", "contact tests at most in a frame"},
};
#undef FIELD

hf_option_table hf_agent_input_table(void) { return HF_OPTION_TABLE(input_items); }

hf_agent_input hf_agent_input_default(void) {
    hf_agent_input in = {.task = {0, 0, 1}};
    hf_options_default(hf_agent_input_table(), &in);
    in.root = hf_transform_identity();
    return in;
}

const char* hf_agent_event_text(hf_agent_event_kind kind) {
    static const char* const texts[] = {"contact made",
                                        "contact lifted",
                                        "contact broken",
                                        "swing abandoned",
                                        "no contact found",
                                        "root held back",
                                        "hit"};
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown";
}

/* ---- building ---- */

static hf_status take_memory(hf_agent* a) {
    const hf_creature_view* v = a->view;
    size_t limbs = (size_t)v->limb_count + 1, q = (size_t)v->q_count + 1, sets = 1;
    for (int i = 0; i < v->limb_count; i++) sets += (size_t)v->limbs[i].contact_count + 1;
    a->limbs = hf_alloc(limbs, sizeof *a->limbs);
    a->sets = hf_alloc(sets, sizeof *a->sets);
    a->by_limb = hf_alloc(limbs, sizeof *a->by_limb);
    a->owner = hf_alloc((size_t)v->link_count, sizeof *a->owner);
    a->relaxed = hf_alloc(q, sizeof(double));
    a->pose.q = hf_alloc(q, sizeof(double));
    a->next.q = hf_alloc(q, sizeof(double));
    a->posture = hf_alloc(q, sizeof(double));
    a->query_q = hf_alloc(q, sizeof(double));
    a->goals = hf_alloc(q * limbs, sizeof(double));
    a->links = hf_alloc((size_t)v->link_count, sizeof *a->links);
    a->touches = hf_alloc(limbs, sizeof *a->touches);
    a->both = hf_alloc(2 * limbs, sizeof *a->both);
    a->contacts = hf_alloc(limbs, sizeof *a->contacts);
    a->event_capacity = 8 * (int)limbs;
    a->events = hf_alloc((size_t)a->event_capacity, sizeof *a->events);
    bool all = a->limbs && a->sets && a->by_limb && a->owner && a->relaxed && a->pose.q && a->next.q &&
               a->posture && a->query_q && a->goals && a->links && a->touches && a->both && a->contacts &&
               a->events;
    if (!all) return HF_ERROR_MEMORY;
    hf_status status = hf_workspace_create(&a->workspace);
    return status == HF_OK ? hf_contact_answer_create(a->creature, 1, &a->answer) : status;
}

/* The caller's pointers are copied, so that only the sets themselves must live on. */
static hf_status copy_sets(hf_agent* a, const hf_samples* const* const* samples) {
    size_t used = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        int count = a->view->limbs[i].contact_count;
        if (!samples[i] || count == 0 || a->view->limbs[i].joint_count == 0) continue;
        a->by_limb[i] = &a->sets[used];
        for (int k = 0; k < count; k++) {
            if (samples[i][k] && !hf_samples_belong(samples[i][k], a->creature, i, k))
                return HF_ERROR_ARGUMENT;
            a->sets[used++] = samples[i][k];
        }
    }
    return HF_OK;
}

static bool has_set(const hf_agent* a, int limb) {
    for (int k = 0; a->by_limb[limb] && k < a->view->limbs[limb].contact_count; k++)
        if (a->by_limb[limb][k]) return true;
    return false;
}

/* The farthest that a set's points are from the limb's root frame. */
static double reach_of(const hf_samples* samples) {
    hf_samples_view s = hf_samples_get(samples);
    double farthest = 0;
    for (int i = 0; i < s.count; i++) {
        hf_vec3 p = hf_sample_point(s.point, i);
        farthest = fmax(farthest, hf_dot(p, p));
    }
    return sqrt(farthest);
}

/* Measures of a step where the options name none. A limb swings like a pendulum: this long for a length of
   1 m, and with the root of the length. Half a stride and the lift are shares of the length. */
static const double SWING_S = 0.4, HALF_STRIDE_SHARE = 0.2, LIFT_SHARE = 0.1;
/* A limb without length steps as one of this length, m. */
static const double LEAST_LENGTH_M = 0.01;

static double or_else(double value, double otherwise) { return value > 0 ? value : otherwise; }

/* A limb that walks: its place under the body and its measures. */
static void set_walker(hf_agent* a, int limb, int group) {
    agent_limb* l = &a->limbs[limb];
    const hf_limb* from = &a->view->limbs[limb];
    if (l->mode != AGENT_IDLE || !has_set(a, limb)) return;
    l->mode = AGENT_FREE;
    l->group = group;
    int frame = 0;
    while (!a->by_limb[limb][frame]) frame++;
    const hf_contact_frame* f = &from->contacts[frame];
    hf_vec3 at = hf_apply(a->links[f->link], f->offset);
    l->home.position = hf_sub(at, hf_v3(0, 0, f->ball));
    l->home.rotation = a->links[f->link].rotation;
    l->reach = reach_of(a->by_limb[limb][frame]);
    l->home_stretch =
        hf_distance(at, hf_limb_base(a->creature, limb, a->links).position) / fmax(l->reach, HF_NEGLIGIBLE);
    double length = fmax(from->length, LEAST_LENGTH_M);
    l->swing_s = or_else(a->options.swing_s, SWING_S * sqrt(length));
    l->half_stride = or_else(a->options.half_stride_m, HALF_STRIDE_SHARE * length);
    l->lift = or_else(a->options.lift_m, LIFT_SHARE * length);
    a->gait.walker_count++;
}

/* Limbs of the gait walk; without one every usable limb is a group of its own. */
static void find_walkers(hf_agent* a) {
    const hf_creature_view* v = a->view;
    hf_pose rest = {hf_transform_identity(), a->relaxed};
    hf_pose_rest(a->creature, &rest);
    hf_forward(a->creature, &rest, a->links);
    const int* limb = v->gait_limbs;
    for (int g = 0; g < v->gait_count; g++)
        for (int i = 0; i < v->gait_sizes[g]; i++) set_walker(a, *limb++, g);
    a->gait.group_count = v->gait_count;
    for (int i = 0; v->gait_count == 0 && i < v->limb_count; i++) {
        bool excluded = !v->limbs[i].use;
        for (int k = 0; k < v->limbs[i].exclude_count; k++)
            excluded |= a->limbs[v->limbs[i].excludes[k]].mode != AGENT_IDLE;
        if (excluded || !has_set(a, i)) continue;
        set_walker(a, i, a->gait.group_count++);
    }
}

static int largest_group(const hf_agent* a) {
    int most = 0;
    for (int g = 0; g < a->gait.group_count; g++) {
        int size = 0;
        for (int i = 0; i < a->view->limb_count; i++)
            size += a->limbs[i].mode != AGENT_IDLE && a->limbs[i].group == g;
        most = size > most ? size : most;
    }
    return most;
}

static void find_owners(hf_agent* a) {
    const hf_creature_view* v = a->view;
    for (int link = 0; link < v->link_count; link++) {
        a->owner[link] = -1;
        for (int up = link; up > 0 && a->owner[link] < 0; up = v->links[up].parent_link)
            for (int i = 0; i < v->limb_count; i++)
                if (v->limbs[i].root_link == up && (a->limbs[i].mode != AGENT_IDLE || a->limbs[i].relaxes))
                    a->owner[link] = i;
    }
}

hf_status hf_agent_create(const hf_creature* creature, const hf_samples* const* const* samples,
                          const hf_agent_options* options, hf_agent** agent) {
    HF_REQUIRE(NULL, creature && samples && agent);
    *agent = NULL;
    hf_agent_options chosen = options ? *options : hf_agent_options_default();
    if (hf_options_check(hf_agent_option_table(), &chosen, NULL) != HF_OK) return HF_ERROR_ARGUMENT;
    hf_agent* a = hf_alloc(1, sizeof *a);
    if (!a) return HF_ERROR_MEMORY;
    a->creature = creature;
    a->view = hf_creature_get(creature);
    a->options = chosen;
    hf_status status = take_memory(a);
    if (status == HF_OK) status = copy_sets(a, samples);
    if (status == HF_OK) {
        find_walkers(a);
        status = hf_agent_relax_idle(a);
        find_owners(a);
        a->gait.least_held = a->gait.walker_count - largest_group(a);
        if (a->gait.walker_count == 0) status = HF_ERROR_ARGUMENT;
    }
    if (status != HF_OK) {
        hf_agent_free(a);
        return status;
    }
    *agent = a;
    return HF_OK;
}

void hf_agent_watch(hf_agent* agent, hf_progress_fn progress, void* user) {
    hf_workspace_watch(agent->workspace, progress, user);
}

void hf_agent_free(hf_agent* a) {
    if (!a) return;
    void* const blocks[] = {a->goals,  a->limbs,    a->sets,    a->by_limb, a->owner, a->relaxed,
                            a->pose.q, a->next.q,   a->posture, a->query_q, a->links, a->touches,
                            a->both,   a->contacts, a->events,  a->objects};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) hf_free(blocks[i]);
    hf_contact_answer_free(a->answer);
    hf_workspace_free(a->workspace);
    hf_free(a);
}

/* ---- small things that all parts need ---- */

void hf_agent_note(hf_agent* a, hf_agent_event_kind kind, int limb, int object) {
    if (a->event_count < a->event_capacity)
        a->events[a->event_count++] = (hf_agent_event){kind, limb, object};
}

agent_place hf_agent_place_on(const hf_placement* placement, hf_hold hold, hf_anchor anchor) {
    hf_transform object = hf_object_pose(placement, hold.object);
    return (agent_place){hf_hold_in_object(hold, object), hf_anchor_in(hf_inverse(object), anchor)};
}

hf_vec3 hf_agent_up(const hf_agent* a) { return hf_rotate(a->pose.root.rotation, hf_v3(0, 0, 1)); }

/* ---- placing ---- */

static bool good_pose(const hf_agent* a, const hf_pose* pose) {
    bool good = pose->q && hf_finite_transform(pose->root);
    for (int i = 0; good && i < a->view->q_count; i++) good = isfinite(pose->q[i]);
    return good && hf_pose_within_limits(a->creature, pose->q, HF_LIMIT);
}

/* What the limb touches now, by a contact frame that has a sample set. */
static bool find_held(const hf_agent* a, const hf_placement* placement, int limb, agent_place* place) {
    hf_hold hold;
    if (!hf_hold_find(a->creature, placement, a->links, limb, HF_TOUCH_M, &hold)) return false;
    if (!a->by_limb[limb][hold.frame]) return false;
    const hf_contact_frame* f = &a->view->limbs[limb].contacts[hold.frame];
    hf_anchor anchor = hf_hold_anchor(a->creature, &hold, a->links);
    anchor.flat = hf_anchor_lies_flat(a->creature, &hold, &anchor);
    // the hold's point is where the effector is now, not the nearest point of the surface
    hold.point = hf_sub(anchor.point, hf_scale(hold.normal, f->ball));
    hold.grip = false;
    *place = hf_agent_place_on(placement, hold, anchor);
    return true;
}

static void list_contacts(hf_agent* a, const hf_placement* placement) {
    a->contact_count = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_place* at = &a->limbs[i].at;
        if (a->limbs[i].mode != AGENT_HELD) continue;
        a->contacts[a->contact_count++] =
            hf_hold_in_world(at->hold, hf_object_pose(placement, at->hold.object));
    }
}

static void remember_objects(hf_agent* a, const hf_placement* placement) {
    for (int i = 0; i < hf_scene_object_count(a->scene); i++) a->objects[i] = hf_placement_pose(placement, i);
}

hf_status hf_agent_place(hf_agent* a, const hf_placement* placement, const hf_pose* pose) {
    HF_REQUIRE(NULL, a && placement && pose && (pose->q || !a->creature->view.q_count));
    if (!good_pose(a, pose)) return HF_ERROR_ARGUMENT;
    const hf_scene* scene = hf_placement_scene(placement);
    hf_transform* objects = hf_alloc((size_t)hf_scene_object_count(scene) + 1, sizeof *objects);
    if (!objects) return HF_ERROR_MEMORY;
    hf_free(a->objects);
    a->objects = objects;
    a->scene = scene;
    remember_objects(a, placement);
    a->pose.root = (hf_transform){pose->root.position, hf_quat_normalize(pose->root.rotation)};
    memcpy(a->pose.q, pose->q, sizeof(double) * (size_t)a->view->q_count);
    hf_pose_follow(a->creature, a->pose.q);
    a->root.velocity = hf_v3(0, 0, 0);
    a->root.turn = 0;
    a->root.lagging = false;
    a->gait.last_group = a->gait.group_count - 1;
    a->gait.next_query = 0;
    hf_forward(a->creature, &a->pose, a->links);
    for (int i = 0; i < a->view->limb_count; i++) {
        agent_limb* l = &a->limbs[i];
        if (l->mode == AGENT_IDLE) continue;
        l->tries = 0;
        l->rest_s = l->blocks_s = 0;
        l->wanted = false;
        l->swing = (agent_swing){0};
        l->mode = find_held(a, placement, i, &l->at) ? AGENT_HELD : AGENT_FREE;
    }
    list_contacts(a, placement);
    hf_collision_query query = hf_collision_query_default();
    query.touches = a->contacts;
    query.touch_count = a->contact_count;
    a->hit = hf_collides(a->creature, placement, a->links, &query, NULL);
    return HF_OK;
}

/* ---- the step ---- */

static bool good_input(const hf_agent_input* in) {
    bool good = hf_options_check(hf_agent_input_table(), in, NULL) == HF_OK && hf_finite3(in->velocity) &&
                isfinite(in->turn_rad_s);
    good = good && hf_finite3(in->task) && hf_length(in->task) > HF_ROUNDING;
    return good && (!in->follow_root || hf_finite_transform(in->root));
}

static bool same_place(hf_transform a, hf_transform b) {
    return hf_distance(a.position, b.position) == 0 && a.rotation.w == b.rotation.w &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z;
}

static void see_objects(hf_agent* a, const hf_placement* placement) {
    a->moved = false;
    for (int i = 0; i < hf_scene_object_count(a->scene); i++)
        a->moved |= !same_place(a->objects[i], hf_placement_pose(placement, i));
}

static void give_out(hf_agent* a, const hf_agent_input* in, hf_agent_output* out) {
    *out = (hf_agent_output){.pose = a->pose,
                             .valid = !a->hit,
                             .contact_count = a->contact_count,
                             .contacts = a->contacts,
                             .event_count = a->event_count,
                             .events = a->events,
                             .tests = in->budget - a->tests_left};
    if (!(in->dt_s > 0)) return;
    out->lag_m = hf_distance(a->root.wished.position, a->pose.root.position);
    out->lag_rad = hf_quat_angle(a->root.wished.rotation, a->pose.root.rotation);
}

hf_status hf_agent_step(hf_agent* a, const hf_placement* placement, const hf_agent_input* in,
                        hf_agent_output* out) {
    HF_REQUIRE(NULL, a && placement && in && out);
    memset(out, 0, sizeof *out);
    if (!good_input(in) || !a->scene || hf_placement_scene(placement) != a->scene) return HF_ERROR_ARGUMENT;
    a->event_count = 0;
    a->tests_left = in->budget;
    hf_status status = HF_OK;
    if (in->dt_s > 0) {
        see_objects(a, placement);
        hf_agent_plan_root(a, placement, in);
        status = hf_agent_choose(a, placement, in);
        if (status == HF_OK) status = hf_agent_move(a, placement, in->dt_s);
        if (status != HF_OK) return status;
        list_contacts(a, placement);
        remember_objects(a, placement);
    }
    give_out(a, in, out);
    return HF_OK;
}
