/* Sequences along a given root path (efort-2014-journal section 5.2; method section 4 for the direction of
   scores). The path is gone in phases: in each, one gait group swings to new contacts while the root moves on
   by up to a stride and all others hold. A new contact must be in reach from where its phase ends until its
   group's turn comes again. Where that fails the stride is shortened, then limbs go one by one, then a limb
   goes on without contact. */
#include "base/error.h"
#include "base/option_table.h"
#include "base/workspace.h"
#include "solve/keep.h"
#include "solve/target.h"
#include "model/reach_volume.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <holdfast/outlook.h>
#include <holdfast/sequence.h>
#include <holdfast/solve.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(hf_sequence_options, name)
static const hf_option items[] = {
    {"stride", HF_OPTION_REAL, FIELD(stride), 0.01, 2, 0.3, "",
     "way of the root while limbs swing, in mean limb lengths"},
    {"choices", HF_OPTION_COUNT, FIELD(choices), 1, 100, 8, "", "contacts looked at for a swing"},
    {"tests", HF_OPTION_COUNT, FIELD(tests), 1, 10000000, 60, "", "work of a contact query (max_tests)"},
    {"max_phases", HF_OPTION_COUNT, FIELD(max_phases), 1, 1000000, 2000, "", "groups that swing, at most"},
};

HF_OPTIONS(hf_sequence, items)

/* Weights of comfort and duration beside effort: both are at most 1, and efforts of limbs reach 10. */
static const double LASTING = 10;

hf_sequence_query hf_sequence_query_default(void) {
    hf_sequence_query q = {.options = hf_sequence_options_default(), .swing = hf_swing_options_default()};
    q.start.root = hf_transform_identity();
    q.weights[HF_TERM_EFFORT] = 1;
    q.weights[HF_TERM_COMFORT] = LASTING;
    q.weights[HF_TERM_DURATION] = LASTING;
    return q;
}

const char* hf_sequence_why_text(hf_sequence_why why) {
    static const char* const texts[] = {"arrived",
                                        "it collides where it starts",
                                        "no contact that can be held",
                                        "no free way to a contact",
                                        "the body cannot move on",
                                        "the phases were used up",
                                        "cancelled"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

/* A stride that cannot be made is halved this often, and in the end limbs are renewed on the spot. */
enum { HALVINGS = 3 };
/* Other contacts tried for a limb whose swing collides. */
enum { SWING_RETRIES = 4 };
/* A contact is looked at this often on the way that it is to last. */
enum { LOOKS = 4 };

/* What a limb holds, and where its link is kept; both in the world. */
typedef struct hold {
    bool on;
    hf_hold contact;
    hf_anchor anchor;
} hold;

typedef struct walker {
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_placement* placement;
    const hf_sequence_query* query;
    hf_workspace* workspace;
    hf_sequence_result* result;
    hf_course* course;
    hf_contact_answer* answer;
    hf_swing* swing;
    // the path
    double* along; /* metres up to each of its poses */
    double length, stride, turn_m;
    // the groups
    int group_count;
    int *group_sizes, *group_limbs;
    // now
    double at; /* metres along the path */
    hf_transform root;
    double* q;
    hold* holds; /* by limb */
    // trials
    hf_transform next_root;
    double *next_q, *far_q;
    hold* next_holds;
    hf_transform* links;
    hf_hold* touches;
    hf_hold* contacts;
    hf_swing_limb* swinging;
    hf_hold* holding;
    hf_mesh* reach;        /* of each limb's contact frames in turn; no triangles: none */
    const hf_mesh** hulls; /* scratch: those of one limb */
    int* renewed;          /* limbs that swing in a phase */
    int* skip; /* of each limb: contacts not to be taken again, because the way to them collides */
} walker;

/* ---- the path ---- */

static hf_transform path_pose(const walker* w, int i) {
    return i == 0 ? w->query->start.root : w->query->path[i - 1];
}

static hf_transform root_at(const walker* w, double at) {
    int last = w->query->path_count, i = 0;
    if (at >= w->length) return path_pose(w, last);
    while (i + 1 < last && w->along[i + 1] <= at) i++;
    double span = w->along[i + 1] - w->along[i], t = span > 0 ? (at - w->along[i]) / span : 0;
    hf_transform a = path_pose(w, i), b = path_pose(w, i + 1);
    return (hf_transform){hf_lerp(a.position, b.position, t),
                          hf_quat_normalize(hf_quat_slerp(a.rotation, b.rotation, t))};
}

/* A turn counts as the arc of a point one mean limb length away from the root. */
static void measure_path(walker* w) {
    w->along[0] = 0;
    for (int i = 1; i <= w->query->path_count; i++) {
        hf_transform a = path_pose(w, i - 1), b = path_pose(w, i);
        w->along[i] = w->along[i - 1] + hf_distance(a.position, b.position) +
                      w->turn_m * hf_quat_angle(a.rotation, b.rotation);
    }
    w->length = w->along[w->query->path_count];
}

/* ---- holding ---- */

/* Puts a limb of q to where it holds; false when it does not reach. */
static hf_status hold_at(walker* w, const hold* h, hf_transform root, double* q, bool* good) {
    hf_pose pose = {root, q};
    hf_vec3 miss;
    hf_forward(w->creature, &pose, w->links);
    return hf_hold_keep(w->creature, &h->contact, &h->anchor, HF_KEEP_EXACT, w->workspace, w->links, q, good,
                        &miss);
}

/* What a limb holds from now on, as it stands in a pose. */
static hold hold_of(walker* w, const hf_hold* contact, hf_transform root, double* q) {
    hf_pose pose = {root, q};
    hf_forward(w->creature, &pose, w->links);
    return (hold){true, *contact, hf_hold_anchor(w->creature, contact, w->links)};
}

static int list_touches(walker* w, const hold* holds) {
    int count = 0;
    for (int l = 0; l < w->view->limb_count; l++)
        if (holds[l].on) w->touches[count++] = holds[l].contact;
    return count;
}

static bool collides(walker* w, hf_transform root, double* q, const hf_hold* touches, int count, int limb) {
    hf_collision_query c = hf_collision_query_default();
    c.touches = touches;
    c.touch_count = count;
    c.limb = limb;
    hf_pose pose = {root, q};
    hf_forward(w->creature, &pose, w->links);
    return hf_collides(w->creature, w->placement, w->links, &c, &w->result->collision);
}

/* For how much of the path between two places a contact stays in reach and its limb free, in parts of LOOKS.
 */
static hf_status lasts(walker* w, const hold* h, const double* q, double from, double until, int* parts) {
    memcpy(w->far_q, q, sizeof(double) * (size_t)w->view->q_count);
    bool good = true;
    for (*parts = 0; *parts < LOOKS; ++*parts) {
        double at = from + (until - from) * (*parts + 1) / LOOKS;
        hf_transform root = root_at(w, at);
        hf_status status = hold_at(w, h, root, w->far_q, &good);
        if (status != HF_OK) return status;
        if (!good || collides(w, root, w->far_q, &h->contact, 1, h->contact.limb)) break;
    }
    return HF_OK;
}

/* ---- new contacts ---- */

/* Directions in which a reach volume is exact: between them it is flat by 4 % of the reach, which shifts the
   end of a contact by less than the places that are looked at are apart. */
enum { REACH_WAYS = 64 };

/* Reach volumes of the limbs that have samples; none for a limb that moves in a plane. */
static hf_status measure_reach(walker* w) {
    hf_status status = HF_OK;
    hf_vec3 ways[REACH_WAYS];
    for (int i = 0; i < REACH_WAYS; i++) ways[i] = hf_even_way(i, REACH_WAYS);
    for (int l = 0, at = 0; l < w->view->limb_count; l++)
        for (int i = 0; i < w->view->limbs[l].contact_count && status == HF_OK; i++, at++) {
            if (!w->query->samples[l] || !w->query->samples[l][i]) continue;
            status = hf_reach_volume_along(w->creature, l, i, ways, REACH_WAYS, 0, &w->reach[at], NULL);
            if (status == HF_ERROR_FORMAT) status = HF_OK;
        }
    return status;
}

/* What is known of the time until a limb's turn comes again; false where it has no reach volume. */
static bool look_ahead(const walker* w, int limb, double from, double until, hf_transform roots[LOOKS],
                       hf_outlook* outlook) {
    int first = 0;
    bool any = false;
    for (int l = 0; l < limb; l++) first += w->view->limbs[l].contact_count;
    for (int i = 0; i < w->view->limbs[limb].contact_count; i++) {
        const hf_mesh* hull = &w->reach[first + i];
        w->hulls[i] = hull->triangle_count > 0 ? hull : NULL;
        any = any || w->hulls[i];
    }
    for (int i = 0; i < LOOKS; i++) roots[i] = root_at(w, from + (until - from) * (i + 1) / LOOKS);
    *outlook = (hf_outlook){.roots = roots, .root_count = LOOKS, .reach = w->hulls};
    return any;
}

/* Contacts of a limb that holds on the path between two places, from the root pose in the middle. */
static hf_status ask(walker* w, int limb, double from, double until) {
    hf_contact_query c = hf_contact_query_default();
    hf_transform roots[LOOKS];
    hf_outlook outlook;
    c.pose = (hf_pose){root_at(w, (from + until) / 2), w->next_q};
    c.limb = limb;
    c.epsilon_m = w->query->epsilon_m;
    memcpy(c.weights, w->query->weights, sizeof c.weights);
    c.count = w->query->options.choices;
    c.max_tests = w->query->options.tests;
    c.touches = w->touches;
    c.touch_count = list_touches(w, w->next_holds);
    if (look_ahead(w, limb, from, until, roots, &outlook))
        c.outlook = &outlook;
    else
        c.weights[HF_TERM_DURATION] = 0;
    w->result->queries++;
    return hf_contact_find(w->creature, w->query->samples[limb], w->placement, &c, w->workspace, w->answer);
}

/* Brings the limb from the posture of an answer onto its contact, at the end of the phase. */
static hf_status touch(walker* w, const hf_contact* k, hf_solve_result* r) {
    hf_pose_take_limb(w->creature, k->hold.limb, k->q, w->next_q);
    hf_target target = {.kind = HF_TARGET_NORMAL,
                        .limb = k->hold.limb,
                        .contact = k->hold.frame,
                        .point = k->hold.point,
                        .normal = k->hold.normal};
    hf_pose pose = {w->next_root, w->next_q};
    hf_forward(w->creature, &pose, w->links);
    hf_solve_options o = hf_solve_options_default();
    o.max_iterations = HF_NEAR_ITERATIONS;
    o.max_starts = 1;
    o.tolerance_m = w->query->swing.tolerance_m / 2;
    o.tolerance_rad = HF_CONTACT_RAD;
    return hf_limb_solve(w->creature, &w->links[w->view->limbs[k->hold.limb].base_link], &target, &o,
                         w->workspace, w->next_q, r);
}

/* Brings the limb onto one of the answer's contacts at the end of the phase, d metres on; good when it gets
   there and is free. `parts` is how long it lasts until `until`. */
static hf_status try_contact(walker* w, int limb, const hf_contact* k, double d, double until, bool* good,
                             int* parts) {
    *good = false;
    *parts = 0;
    if (k->hold.frame < 0) return HF_OK;
    hf_solve_result r;
    hf_status status = touch(w, k, &r);
    const hf_contact_frame* f = &w->view->limbs[limb].contacts[k->hold.frame];
    bool near = r.position_error_m <= w->query->swing.tolerance_m;
    if (status != HF_OK || !near ||
        (!(f->ball > 0) && r.angle_error_rad > k->angle_error_rad + HF_CONTACT_RAD))
        return status;
    w->next_holds[limb] = hold_of(w, &k->hold, w->next_root, w->next_q);
    *good = !collides(w, w->next_root, w->next_q, w->touches, list_touches(w, w->next_holds), limb);
    if (*good) status = lasts(w, &w->next_holds[limb], w->next_q, w->at + d, until, parts);
    w->next_holds[limb].on = *good;
    return status;
}

/* The best contact of a limb that lasts; else the one that lasts longest. */
static hf_status renew(walker* w, int limb, double d, double until, bool* good) {
    *good = false;
    hf_status status = ask(w, limb, w->at + d, until);
    int best = -1, most = -1, left = w->skip[limb], parts;
    for (int i = 0; i < w->answer->contact_count && status == HF_OK; i++) {
        bool fits;
        status = try_contact(w, limb, &w->answer->contacts[i], d, until, &fits, &parts);
        if (!fits || status != HF_OK || left-- > 0) continue;
        if (parts > most) best = i, most = parts;
        if (parts == LOOKS) break;
    }
    w->next_holds[limb].on = false;
    if (status != HF_OK || best < 0) return status;
    return try_contact(w, limb, &w->answer->contacts[best], d, until, good, &parts);
}

/* ---- a phase ---- */

static bool is_renewed(const walker* w, int limb, int count) {
    for (int i = 0; i < count; i++)
        if (w->renewed[i] == limb) return true;
    return false;
}

/* Root and holding limbs at the end of a phase of d metres; `loser` is a limb that does not reach. */
static hf_status move_on(walker* w, double d, int count, int* loser) {
    *loser = -1;
    w->next_root = root_at(w, w->at + d);
    memcpy(w->next_q, w->q, sizeof(double) * (size_t)w->view->q_count);
    memcpy(w->next_holds, w->holds, sizeof *w->holds * (size_t)w->view->limb_count);
    for (int i = 0; i < count; i++) w->next_holds[w->renewed[i]].on = false;
    for (int l = 0; l < w->view->limb_count; l++) {
        bool good;
        if (!w->next_holds[l].on) continue;
        hf_status status = hold_at(w, &w->next_holds[l], w->next_root, w->next_q, &good);
        if (status != HF_OK) return status;
        if (!good) {
            *loser = l;
            return HF_OK;
        }
    }
    return HF_OK;
}

static hf_hold end_of(const hold* h) { return h->on ? h->contact : (hf_hold){.object = -1}; }

/* The way from now to the end of the phase; swinging limbs are w->renewed. */
static hf_status find_way(walker* w, int count) {
    hf_swing_query s = {.from = {w->root, w->q}, .to = {w->next_root, w->next_q}, .options = w->query->swing};
    for (int i = 0; i < count; i++) {
        int l = w->renewed[i], frame = 0;
        if (w->next_holds[l].on)
            frame = w->next_holds[l].contact.frame;
        else if (w->holds[l].on)
            frame = w->holds[l].contact.frame;
        w->swinging[s.limb_count++] =
            (hf_swing_limb){l, frame, end_of(&w->holds[l]), end_of(&w->next_holds[l])};
    }
    for (int l = 0; l < w->view->limb_count; l++)
        if (w->holds[l].on && !is_renewed(w, l, count)) w->holding[s.hold_count++] = w->holds[l].contact;
    s.limbs = w->swinging;
    s.holds = w->holding;
    return hf_swing_find(w->creature, w->placement, &s, w->workspace, w->swing);
}

/* Which of the swinging limbs a collision is about, -1 for none. */
static int blamed(const walker* w, int count) {
    const hf_collision* c = &w->swing->collision;
    if (w->swing->why != HF_SWING_COLLIDES && w->swing->why != HF_SWING_GOAL_COLLIDES) return -1;
    int bodies[2] = {c->body, c->other_body};
    for (int b = 0; b < 2 && bodies[b] >= 0; b++)
        for (int i = 0; i < count; i++)
            if (hf_link_in_limb(w->creature, w->view->bodies[bodies[b]].link, w->renewed[i]))
                return w->renewed[i];
    return -1;
}

static int list_contacts(walker* w, const hold* holds, int without) {
    int n = 0;
    for (int l = 0; l < w->view->limb_count; l++)
        if (holds[l].on && !is_renewed(w, l, without)) w->contacts[n++] = holds[l].contact;
    return n;
}

/* The phase becomes part of the course, and its end the present. */
static hf_status commit(walker* w, int count, double d) {
    hf_pose from = {w->root, w->q};
    int n = list_contacts(w, w->holds, count);
    hf_status status = hf_course_add(w->course, &from, w->contacts, n, HF_MARK_NONE);
    if (status == HF_OK) status = hf_course_add_swing(w->course, w->swing, w->contacts, n);
    memcpy(w->q, w->next_q, sizeof(double) * (size_t)w->view->q_count);
    memcpy(w->holds, w->next_holds, sizeof *w->holds * (size_t)w->view->limb_count);
    w->root = w->next_root;
    w->at = fmin(w->length, w->at + d);
    w->result->phases++;
    w->result->swings += count;
    return status;
}

/* One phase of d metres in which `count` limbs are renewed. Some may stay without contact: `free_limb`. */
static hf_status try_phase(walker* w, int count, double d, int free_limb, bool* done) {
    double until = w->at + fmax(1, w->group_count) * fmax(d, ldexp(w->stride, -HALVINGS));
    *done = false;
    for (int i = 0; i < count; i++) w->skip[w->renewed[i]] = 0;
    for (int attempt = 0; attempt <= SWING_RETRIES; attempt++) {
        int loser;
        hf_status status = move_on(w, d, count, &loser);
        if (status != HF_OK || loser >= 0) {
            if (loser >= 0) w->result->limb = loser, w->result->why = HF_SEQUENCE_BLOCKED;
            return status;
        }
        for (int i = 0; i < count && status == HF_OK; i++) {
            bool good;
            if (w->renewed[i] == free_limb) {
                hf_pose_take_limb(w->creature, free_limb, w->view->rest, w->next_q);
                continue;
            }
            status = renew(w, w->renewed[i], d, until, &good);
            if (status != HF_OK || good) continue;
            w->result->limb = w->renewed[i];
            w->result->why = HF_SEQUENCE_NO_CONTACT;
            return status;
        }
        if (status == HF_OK) status = find_way(w, count);
        if (status != HF_OK) return status;
        if (w->swing->outcome == HF_FOUND) {
            *done = true;
            return commit(w, count, d);
        }
        int limb = blamed(w, count);
        w->result->limb = limb;
        w->result->why = limb >= 0 ? HF_SEQUENCE_NO_WAY : HF_SEQUENCE_BLOCKED;
        if (limb < 0 || limb == free_limb) return HF_OK;
        w->skip[limb]++;
    }
    return HF_OK;
}

/* The longest phase that works. */
static hf_status longest_phase(walker* w, int count, int free_limb, bool* done) {
    double room = w->length - w->at, before = -1;
    *done = false;
    for (int i = 0; i <= HALVINGS + 1 && !*done; i++) {
        double d = i <= HALVINGS ? fmin(ldexp(w->stride, -i), room) : 0;
        if (d == before) continue; // the path ends here: this stride was tried
        if (count == 0 && !(d > 0)) break;
        before = d;
        hf_status status = try_phase(w, count, d, free_limb, done);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

/* ---- the whole ---- */

/* Limbs of a group that need a new contact: those without one, and those that lose theirs before the group's
   turn comes again. */
static hf_status list_renewed(walker* w, int group, int* count) {
    int first = 0;
    for (int g = 0; g < group; g++) first += w->group_sizes[g];
    double until = fmin(w->length, w->at + w->group_count * w->stride);
    *count = 0;
    for (int i = first; i < first + w->group_sizes[group]; i++) {
        int l = w->group_limbs[i];
        int parts = 0;
        if (w->holds[l].on) {
            hf_status status = lasts(w, &w->holds[l], w->q, w->at, until, &parts);
            if (status != HF_OK) return status;
        }
        if (parts < LOOKS) w->renewed[(*count)++] = l;
    }
    return HF_OK;
}

static int holding_count(const walker* w) {
    int count = 0;
    for (int l = 0; l < w->view->limb_count; l++) count += w->holds[l].on;
    return count;
}

/* A group's limbs together, then one by one, then one of them without a contact. */
static hf_status step_group(walker* w, int group, bool* done) {
    int count;
    hf_status status = list_renewed(w, group, &count);
    *done = false;
    if (status != HF_OK || count == 0) return status;
    int limbs[64], least = w->view->guide.any > 1 ? w->view->guide.any : 1;
    if (count > 64) count = 64;
    memcpy(limbs, w->renewed, sizeof *limbs * (size_t)count);
    status = longest_phase(w, count, -1, done);
    if (*done || status != HF_OK) return status;
    for (int i = 0; i < count && count > 1 && status == HF_OK; i++) {
        bool one;
        w->renewed[0] = limbs[i];
        status = longest_phase(w, 1, -1, &one);
        *done |= one;
    }
    for (int i = 0; i < count && !*done && status == HF_OK; i++) {
        if (!w->holds[limbs[i]].on || holding_count(w) <= least) continue;
        w->renewed[0] = limbs[i];
        status = longest_phase(w, 1, limbs[i], done);
    }
    return status;
}

static hf_status walk(walker* w, hf_progress_fn progress, void* user) {
    hf_sequence_result* r = w->result;
    // every group may renew its contacts once without the root moving on; after that the root must move
    for (int stuck = 0, idle = 0, group = 0;; group = (group + 1) % w->group_count) {
        if (progress && !progress(user, w->length > 0 ? w->at / w->length : 1, "walking")) {
            r->why = HF_SEQUENCE_CANCELLED, r->outcome = HF_CANCELLED;
            return HF_OK;
        }
        if (r->phases >= w->query->options.max_phases) {
            r->why = HF_SEQUENCE_PHASES, r->outcome = HF_BUDGET;
            return HF_OK;
        }
        double before = w->at;
        bool done;
        hf_status status = step_group(w, group, &done);
        if (status != HF_OK) return status;
        idle = w->at > before ? 0 : idle + 1;
        stuck = done && idle <= w->group_count ? 0 : stuck + 1;
        // no group has, or finds, a contact to renew: the root moves on alone
        if (stuck >= w->group_count && w->at < w->length) {
            status = longest_phase(w, 0, -1, &done);
            if (status != HF_OK) return status;
            if (done && w->at > before) stuck = idle = 0;
        }
        if (stuck >= w->group_count) return HF_OK;
    }
}

/* Gait groups as far as their limbs are used; limbs in no group form one each. */
static void list_groups(walker* w, const bool* used) {
    const hf_creature_view* v = w->view;
    int total = 0, next = 0;
    for (int g = 0; g < v->gait_count; g++) {
        int size = 0;
        for (int i = 0; i < v->gait_sizes[g]; i++, next++)
            if (used[v->gait_limbs[next]]) w->group_limbs[total + size++] = v->gait_limbs[next];
        if (size > 0) w->group_sizes[w->group_count++] = size;
        total += size;
    }
    for (int l = 0; l < v->limb_count; l++) {
        bool listed = !used[l];
        for (int i = 0; i < total; i++) listed |= w->group_limbs[i] == l;
        if (listed) continue;
        w->group_limbs[total++] = l;
        w->group_sizes[w->group_count++] = 1;
    }
}

static void choose_limbs(const walker* w, bool* used) {
    const hf_creature_view* v = w->view;
    int gait = 0;
    memset(used, 0, sizeof *used * (size_t)v->limb_count);
    for (int i = 0; i < w->query->limb_count; i++) used[w->query->limbs[i]] = true;
    for (int g = 0; g < v->gait_count; g++) gait += v->gait_sizes[g];
    for (int i = 0; i < gait && w->query->limb_count == 0; i++) used[v->gait_limbs[i]] = true;
    for (int l = 0; l < v->limb_count && gait == 0 && w->query->limb_count == 0; l++)
        used[l] = v->limbs[l].use;
    for (int l = 0; l < v->limb_count; l++)
        used[l] =
            used[l] && v->limbs[l].joint_count > 0 && v->limbs[l].contact_count > 0 && w->query->samples[l];
}

static hf_status run(walker* w, hf_progress_fn progress, void* user) {
    const hf_sequence_query* q = w->query;
    hf_sequence_result* r = w->result;
    bool* used = hf_workspace_take(w->workspace, (size_t)w->view->limb_count + 1, sizeof *used);
    if (!used) return HF_ERROR_MEMORY;
    choose_limbs(w, used);
    list_groups(w, used);
    if (w->group_count == 0) return HF_ERROR_ARGUMENT;
    int total = 0;
    for (int g = 0; g < w->group_count; g++) total += w->group_sizes[g];
    for (int i = 0; i < total; i++) w->turn_m += w->view->limbs[w->group_limbs[i]].length / total;
    w->stride = q->options.stride * w->turn_m;
    measure_path(w);
    // the present: start pose and what it holds
    w->root = q->start.root;
    memcpy(w->q, q->start.q, sizeof(double) * (size_t)w->view->q_count);
    memset(w->holds, 0, sizeof *w->holds * (size_t)w->view->limb_count);
    for (int i = 0; i < q->contact_count; i++)
        w->holds[q->contacts[i].limb] = hold_of(w, &q->contacts[i], w->root, w->q);
    if (collides(w, w->root, w->q, w->touches, list_touches(w, w->holds), -1)) {
        r->why = HF_SEQUENCE_START_COLLIDES;
        r->outcome = HF_NONE;
        return HF_OK;
    }
    hf_pose pose = {w->root, w->q};
    hf_status status =
        hf_course_add(w->course, &pose, w->contacts, list_contacts(w, w->holds, 0), HF_MARK_STOP);
    if (status == HF_OK) status = walk(w, progress, user);
    pose.root = w->root;
    if (status == HF_OK)
        status = hf_course_add(w->course, &pose, w->contacts, list_contacts(w, w->holds, 0), HF_MARK_STOP);
    r->reached = w->length > 0 ? w->at / w->length : 1;
    if (r->why == HF_SEQUENCE_CANCELLED || r->why == HF_SEQUENCE_PHASES) return status;
    bool arrived = w->at >= w->length;
    if (arrived) r->why = HF_SEQUENCE_ARRIVED, r->limb = -1;
    r->outcome = arrived ? HF_FOUND : w->at > 0 ? HF_PARTIAL : HF_NONE;
    return status;
}

/* ---- the call ---- */

static hf_status take_memory(walker* w) {
    hf_workspace* ws = w->workspace;
    size_t limbs = (size_t)w->view->limb_count + 1, n = (size_t)w->view->q_count + 1;
    double** rows[] = {&w->q, &w->next_q, &w->far_q};
    for (int i = 0; i < 3; i++)
        if (!(*rows[i] = hf_workspace_take(ws, n, sizeof(double)))) return HF_ERROR_MEMORY;
    w->along = hf_workspace_take(ws, (size_t)w->query->path_count + 1, sizeof *w->along);
    w->group_sizes = hf_workspace_take(ws, limbs, sizeof *w->group_sizes);
    w->group_limbs = hf_workspace_take(ws, 2 * limbs, sizeof *w->group_limbs);
    w->holds = hf_workspace_take(ws, limbs, sizeof *w->holds);
    w->next_holds = hf_workspace_take(ws, limbs, sizeof *w->next_holds);
    w->links = hf_workspace_take(ws, (size_t)w->view->link_count, sizeof *w->links);
    w->touches = hf_workspace_take(ws, 2 * limbs, sizeof *w->touches);
    w->contacts = hf_workspace_take(ws, limbs, sizeof *w->contacts);
    w->swinging = hf_workspace_take(ws, limbs, sizeof *w->swinging);
    w->holding = hf_workspace_take(ws, limbs, sizeof *w->holding);
    w->renewed = hf_workspace_take(ws, limbs, sizeof *w->renewed);
    w->skip = hf_workspace_take(ws, limbs, sizeof *w->skip);
    bool all = w->along && w->group_sizes && w->group_limbs && w->holds && w->next_holds && w->links &&
               w->touches && w->contacts && w->swinging && w->holding && w->renewed && w->skip;
    if (!all) return HF_ERROR_MEMORY;
    size_t frames = 1;
    for (int l = 0; l < w->view->limb_count; l++) frames += (size_t)w->view->limbs[l].contact_count;
    w->hulls = hf_workspace_take(ws, frames, sizeof(hf_mesh*));
    hf_mesh* reach = hf_workspace_take(ws, frames, sizeof *reach);
    if (!w->hulls || !reach) return HF_ERROR_MEMORY;
    memset(reach, 0, frames * sizeof *reach);
    w->reach = reach;
    hf_status status = hf_contact_answer_create(w->creature, w->query->options.choices, &w->answer);
    if (status == HF_OK) status = hf_swing_create(w->creature, &w->swing);
    return status == HF_OK && w->query->weights[HF_TERM_DURATION] > 0 ? measure_reach(w) : status;
}

static void free_reach(walker* w) {
    int frames = 0;
    for (int l = 0; l < w->view->limb_count; l++) frames += w->view->limbs[l].contact_count;
    for (int i = 0; w->reach && i < frames; i++) hf_mesh_free(&w->reach[i]);
}

static bool sound(const hf_creature_view* v, const hf_sequence_query* q) {
    if (q->path_count < 1 || !q->samples || !hf_finite_transform(q->start.root)) return false;
    // a sequence has no stance that could fill the balance term
    if (q->weights[HF_TERM_BALANCE] != 0) return false;
    for (int i = 0; i < q->path_count; i++)
        if (!hf_finite_transform(q->path[i])) return false;
    for (int i = 0; i < v->q_count; i++)
        if (!isfinite(q->start.q[i])) return false;
    for (int i = 0; i < q->limb_count; i++)
        if (q->limbs[i] < 0 || q->limbs[i] >= v->limb_count) return false;
    for (int i = 0; i < q->contact_count; i++) {
        const hf_hold* k = &q->contacts[i];
        if (k->limb < 0 || k->limb >= v->limb_count || k->frame < 0 ||
            k->frame >= v->limbs[k->limb].contact_count)
            return false;
    }
    return true;
}

hf_status hf_sequence_find(const hf_creature* creature, const hf_placement* placement,
                           const hf_sequence_query* query, hf_workspace* workspace, hf_progress_fn progress,
                           void* user, hf_course* course, hf_sequence_result* result) {
    HF_REQUIRE(NULL, creature && placement && query && workspace && course && result);
    memset(result, 0, sizeof *result);
    result->limb = -1;
    hf_status status = hf_options_check(hf_sequence_option_table(), &query->options, NULL);
    if (status == HF_OK) status = hf_options_check(hf_swing_option_table(), &query->swing, NULL);
    if (status == HF_OK && !sound(&creature->view, query)) status = HF_ERROR_ARGUMENT;
    if (status != HF_OK) return status;
    walker w = {.creature = creature,
                .view = &creature->view,
                .placement = placement,
                .query = query,
                .workspace = workspace,
                .result = result,
                .course = course};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    status = take_memory(&w);
    if (status == HF_OK) status = run(&w, progress, user);
    hf_contact_answer_free(w.answer);
    hf_swing_free(w.swing);
    free_reach(&w);
    hf_workspace_end(workspace, mark);
    return status;
}
