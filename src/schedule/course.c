/* From poses with holds to a schedule: times over all joints (method section 7), and a knot at every frame.
   Frames cut the corners of the course; where the straight way between two of them collides, that part is
   passed more slowly, with frames nearer to the course. */
#include "base/memory.h"
#include "base/error.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "schedule/frames.h"

#include <holdfast/course.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Moves are slowed down by this, to no less than that share of the limits. */
static const double SLOWER = 0.6, SLOWEST = 0.05;
/* So far beyond an overlap, in moves, rounding does not put a frame into it; and a frame so near a node is
   meant to be there. */
static const double CLEAR_SHARE = 1e-3, AT_NODE = 1e-7;
/* Where the overlap that a contact allows begins is found by this many halvings of the move beside it. */
enum { HALVINGS = 12 };

struct hf_course {
    const hf_creature* creature;
    int count, capacity, root_capacity, mark_capacity, first_capacity;
    hf_transform* roots;
    double* q;
    uint8_t* marks;
    int* first; /* contact of each pose; they go on to the next pose's first */
    int contact_count, contact_capacity;
    hf_hold* contacts;
};

hf_status hf_course_create(const hf_creature* creature, hf_course** course) {
    HF_REQUIRE(NULL, creature && course);
    *course = hf_alloc(1, sizeof **course);
    if (!*course) return HF_ERROR_MEMORY;
    (*course)->creature = creature;
    return HF_OK;
}

void hf_course_free(hf_course* course) {
    if (!course) return;
    hf_free(course->roots);
    hf_free(course->q);
    hf_free(course->marks);
    hf_free(course->first);
    hf_free(course->contacts);
    hf_free(course);
}

int hf_course_count(const hf_course* course) { return course->count; }

static int contacts_end(const hf_course* c, int pose) {
    return pose + 1 < c->count ? c->first[pose + 1] : c->contact_count;
}

static const hf_hold* contact_of(const hf_course* c, int pose, int limb) {
    for (int i = c->first[pose]; i < contacts_end(c, pose); i++)
        if (c->contacts[i].limb == limb) return &c->contacts[i];
    return NULL;
}

static bool same_contact(const hf_hold* a, const hf_hold* b) {
    return b && a->frame == b->frame && a->object == b->object && a->grip == b->grip &&
           hf_distance(a->point, b->point) < HF_SLIP_M;
}

/* Do the contacts after this pose differ from those before it? */
static bool changes_at(const hf_course* c, int pose) {
    if (pose == 0) return false;
    int before = contacts_end(c, pose - 1) - c->first[pose - 1],
        after = contacts_end(c, pose) - c->first[pose];
    if (before != after) return true;
    for (int i = c->first[pose]; i < contacts_end(c, pose); i++)
        if (!same_contact(&c->contacts[i], contact_of(c, pose - 1, c->contacts[i].limb))) return true;
    return false;
}

static bool make_room(hf_course* c, int contacts) {
    size_t n = (size_t)c->creature->view.q_count;
    if (!HF_GROW(c->roots, c->root_capacity, c->count) || !HF_GROW(c->marks, c->mark_capacity, c->count) ||
        !HF_GROW(c->first, c->first_capacity, c->count))
        return false;
    if (c->count == c->capacity) {
        int capacity = 2 * c->capacity + 64;
        double* more = hf_resize(c->q, (size_t)capacity * n + 1, sizeof *more);
        if (!more) return false;
        c->q = more, c->capacity = capacity;
    }
    if (c->contact_count + contacts > c->contact_capacity) {
        int capacity = 2 * c->contact_capacity + contacts + 64;
        hf_hold* more = hf_resize(c->contacts, (size_t)capacity, sizeof *more);
        if (!more) return false;
        c->contacts = more, c->contact_capacity = capacity;
    }
    return true;
}

hf_status hf_course_add(hf_course* c, const hf_pose* pose, const hf_hold* contacts, int count,
                        unsigned mark) {
    HF_REQUIRE(NULL, c && pose && (pose->q || !c->creature->view.q_count) && (contacts || count <= 0));
    size_t n = (size_t)c->creature->view.q_count;
    for (int i = 0; i < count; i++) {
        if (contacts[i].limb < 0 || contacts[i].limb >= c->creature->view.limb_count ||
            contacts[i].frame < 0 ||
            contacts[i].frame >= hf_limb_frame_count(&c->creature->view.limbs[contacts[i].limb]))
            return HF_ERROR_ARGUMENT;
        for (int k = 0; k < i; k++)
            if (contacts[k].limb == contacts[i].limb) return HF_ERROR_ARGUMENT;
    }
    if (!make_room(c, count)) return HF_ERROR_MEMORY;
    c->roots[c->count] = pose->root;
    if (n > 0) memcpy(c->q + (size_t)c->count * n, pose->q, sizeof(double) * n);
    c->first[c->count] = c->contact_count;
    c->marks[c->count] = (uint8_t)mark;
    if (count > 0) memcpy(c->contacts + c->contact_count, contacts, sizeof *contacts * (size_t)count);
    c->contact_count += count;
    c->count++;
    if (changes_at(c, c->count - 1)) c->marks[c->count - 1] |= HF_MARK_FRAME;
    return HF_OK;
}

hf_status hf_course_add_swing(hf_course* c, const hf_swing* swing, const hf_hold* contacts, int count) {
    HF_REQUIRE(NULL, c && swing && (contacts || count <= 0));
    hf_status status = HF_OK;
    for (int k = 1; k + 1 < swing->knot_count && status == HF_OK; k++) {
        hf_pose pose = {swing->roots[k], swing->q + (size_t)k * (size_t)swing->q_count};
        status = hf_course_add(c, &pose, contacts, count, HF_MARK_NONE);
    }
    return status;
}

#define FIELD(name) offsetof(hf_course_options, name)
static const hf_option items[] = {
    {"fps", HF_OPTION_REAL, FIELD(timing.fps), 1, 1000, 30, "1/s", "frames per second"},
    {"speed_share", HF_OPTION_REAL, FIELD(timing.speed_share), 0.01, 1, 0.5, "", "of all speed limits"},
    {"acceleration_share", HF_OPTION_REAL, FIELD(timing.acceleration_share), 0.01, 1, 0.35, "",
     "of all acceleration limits"},
    {"max_rounds", HF_OPTION_COUNT, FIELD(max_rounds), 1, 100, 12, "",
     "how often moves are slowed down whose frames collide or leave the way"},
};
#undef FIELD

hf_option_table hf_course_option_table(void) { return HF_OPTION_TABLE(items); }

hf_course_options hf_course_options_default(void) {
    hf_course_options o;
    hf_options_default(hf_course_option_table(), &o);
    o.claims = HF_CLAIM_ALL & ~(unsigned)(HF_CLAIM_BALANCE | HF_CLAIM_ONE_LIMB);
    return o;
}

/* ---- frames ---- */

typedef struct maker {
    const hf_course* course;
    const hf_creature* creature;
    hf_placement* placement;
    const hf_course_options* options;
    hf_workspace* workspace;
    hf_timing* timing;
    double* pace;
    double* early;  /* of each move: up to this place it overlaps as only the contacts before it allow */
    double* late;   /* from this place on, as only the contacts after it allow */
    int* late_node; /* which is the pose with those contacts */
    hf_transform* links;
    hf_pose spare[2];
    hf_hold* holds;
    int place_count, place_capacity;
    double* at; /* place of each frame on the course, in poses */
} maker;

static hf_pose course_pose(const maker* m, int pose) {
    return (hf_pose){m->course->roots[pose], m->course->q + (size_t)pose * (size_t)m->creature->view.q_count};
}

/* The contact of a limb in a frame: on the move it is on, or of the moves that meet there. */
static const hf_hold* frame_contact(const maker* m, int f, int limb) {
    const hf_course* c = m->course;
    int pose = (int)m->at[f];
    const hf_hold* k = contact_of(c, pose, limb);
    if (k || pose != m->at[f]) return k;
    // moves that take no time share the frame
    double time = hf_timing_node(m->timing, pose);
    for (int p = pose - 1; p >= 0 && !k; p--) {
        k = contact_of(c, p, limb);
        if (hf_timing_node(m->timing, p) < time) break;
    }
    return k;
}

/* Touches on a move alone, as they count away from both of its ends. */
static bool collides_on_move(maker* m, int move, double t, hf_pose* pose) {
    hf_collision_query c = hf_collision_query_default();
    c.touches = m->holds;
    for (int i = m->course->first[move]; i < contacts_end(m->course, move); i++)
        if (m->course->contacts[i].object >= 0) m->holds[c.touch_count++] = m->course->contacts[i];
    hf_pose a = course_pose(m, move), b = course_pose(m, move + 1);
    hf_pose_between(m->creature, &a, &b, t, pose);
    hf_forward(m->creature, pose, m->links);
    return hf_collides(m->creature, m->placement, m->links, &c, NULL);
}

/* From a pose where contacts change into the moves on one side of it: up to where do they overlap as only
   this pose's contacts allow? */
static double end_of_overlap(maker* m, int node, int step, hf_pose* pose) {
    int first = step > 0 ? node : node - 1, move = first;
    for (; move >= 0 && move + 1 < m->course->count; move += step) {
        double in = step > 0 ? 0 : 1, out = 1 - in;
        // the overlap ends where contacts change again
        if (move != first && changes_at(m->course, step > 0 ? move : move + 1)) break;
        if (!collides_on_move(m, move, in, pose)) return move + in;
        if (collides_on_move(m, move, out, pose)) continue;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (in + out) / 2;
            *(collides_on_move(m, move, middle, pose) ? &in : &out) = middle;
        }
        return move + out + step * fmin(CLEAR_SHARE, fabs(out - (step > 0 ? 1 : 0)));
    }
    return node;
}

static void find_overlaps(maker* m, double* q) {
    hf_pose pose = {hf_transform_identity(), q};
    int count = m->course->count;
    for (int i = 0; i < count; i++) m->early[i] = i, m->late[i] = i + 1, m->late_node[i] = i + 1;
    for (int node = 0; node < count; node++) {
        if (!changes_at(m->course, node)) continue;
        double after = end_of_overlap(m, node, 1, &pose), before = end_of_overlap(m, node, -1, &pose);
        for (int i = node; i < after; i++) m->early[i] = after;
        for (int i = node - 1; i >= 0 && i + 1 > before; i--) m->late[i] = before, m->late_node[i] = node;
    }
}

/* Lies a place in such an overlap? Then the nearest place outside it. */
static bool in_overlap(const maker* m, double at, double* outside) {
    int move = (int)at;
    *outside = at;
    if (at == move && changes_at(m->course, move)) return false;
    if (at > move && at > m->late[move]) *outside = m->late[move];
    if (at == move && move > 0 && at > m->late[move - 1]) *outside = m->late[move - 1];
    if (at < m->early[move]) *outside = m->early[move];
    return *outside != at;
}

static bool quick_path(maker* m, const hf_path* path, double from, double to) {
    hf_path_pose(m->creature, path, from, &m->spare[0]);
    hf_path_pose(m->creature, path, to, &m->spare[1]);
    return hf_frames_speed(m->creature, m->options->timing.fps, &m->spare[0], &m->spare[1]) <= HF_FRAME_SPEED;
}

/* The places of the frames. Those in an overlap that only a contact's own frame may have are left out or,
   where the limits of speed need one, put to its end. */
static void place_frames(maker* m, const hf_path* path) {
    int count = 0;
    for (int f = 0; f < m->timing->frame_count; f++) {
        double at = hf_timing_at(m->timing, f / m->options->timing.fps), outside;
        if (fabs(at - round(at)) < AT_NODE) at = round(at);
        if (!in_overlap(m, at, &outside)) {
            m->at[count++] = at;
            continue;
        }
        double last = count ? m->at[count - 1] : 0;
        if (count && last == outside) continue;
        // on the way to a contact the frame at it may follow at once
        int move = at > (int)at ? (int)at : (int)at - 1;
        if (outside > at || !quick_path(m, path, last, m->late_node[move])) m->at[count++] = outside;
    }
    m->place_count = count;
}

/* Times of the course at the present pace, and the places of its frames. */
static hf_status find_places(maker* m, hf_path* path) {
    hf_status status = hf_timing_compute(m->creature, path, &m->options->timing, m->workspace, m->timing);
    if (status != HF_OK) return status;
    if (m->timing->frame_count > m->place_capacity) {
        double* at = hf_resize(m->at, 2 * (size_t)m->timing->frame_count, sizeof *at);
        if (!at) return HF_ERROR_MEMORY;
        m->at = at, m->place_capacity = 2 * m->timing->frame_count;
    }
    place_frames(m, path);
    return HF_OK;
}

/* A knot at every frame, with the holds that last there. */
static hf_status fill_schedule(maker* m, hf_schedule* schedule) {
    const hf_course* c = m->course;
    hf_path path = {.count = c->count, .roots = c->roots, .q = c->q, .marks = c->marks, .pace = m->pace};
    hf_schedule_cut(schedule, 0);
    hf_status status = find_places(m, &path);
    for (int f = 0; f < m->place_count && status == HF_OK; f++) {
        int node = (int)m->at[f], count = 0;
        hf_path_pose(m->creature, &path, m->at[f], &m->spare[0]);
        for (int limb = 0; limb < m->creature->view.limb_count; limb++) {
            const hf_hold* k = frame_contact(m, f, limb);
            if (k) m->holds[count++] = *k;
        }
        bool stance = node == m->at[f] && (node == 0 || node + 1 == c->count || c->marks[node]);
        status = hf_schedule_add(schedule, m->placement, f / schedule->rate, &m->spare[0], m->holds, count,
                                 stance);
    }
    return status;
}

/* Slows down the moves between two frames; false when they are as slow as can be. */
static bool slow_down(maker* m, int frame) {
    int first = (int)m->at[frame], last = (int)ceil(m->at[frame + 1]) - 1;
    bool any = false;
    for (int i = first; i <= last && i + 1 < m->course->count; i++) {
        if (m->pace[i] <= SLOWEST) continue;
        m->pace[i] = fmax(SLOWEST, m->pace[i] * SLOWER);
        any = true;
    }
    return any;
}

/* Slows down the moves on which something collides between two frames. A collision in a frame itself stays
   at any pace. */
static bool slow_colliding(maker* m, const hf_realise_result* r) {
    bool any = false;
    for (int i = 0; i < r->fault_count; i++) {
        const hf_frame_fault* f = &r->faults[i];
        if (f->kind == HF_FAULT_COLLIDES && f->collision.fraction > 0 && f->collision.fraction < 1)
            any |= slow_down(m, f->frame);
    }
    return any;
}

/* ---- the call ---- */

static hf_status take_memory(maker* m, const hf_scene* scene) {
    const hf_creature_view* v = &m->creature->view;
    size_t count = (size_t)m->course->count, limbs = (size_t)v->limb_count + 1;
    m->links = hf_workspace_take(m->workspace, (size_t)v->link_count, sizeof *m->links);
    m->holds = hf_workspace_take(m->workspace, limbs, sizeof *m->holds);
    m->pace = hf_workspace_take(m->workspace, count, sizeof *m->pace);
    m->early = hf_workspace_take(m->workspace, count, sizeof *m->early);
    m->late = hf_workspace_take(m->workspace, count, sizeof *m->late);
    m->late_node = hf_workspace_take(m->workspace, count, sizeof *m->late_node);
    for (int i = 0; i < 2; i++)
        m->spare[i].q = hf_workspace_take(m->workspace, (size_t)v->q_count + 1, sizeof(double));
    if (!m->links || !m->holds || !m->pace || !m->early || !m->late || !m->late_node || !m->spare[0].q ||
        !m->spare[1].q)
        return HF_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) m->pace[i] = 1;
    hf_status status = hf_placement_create(scene, &m->placement);
    return status == HF_OK ? hf_timing_create(&m->timing) : status;
}

static hf_status run(maker* m, const hf_scene* scene, hf_schedule* schedule, hf_motion** motion,
                     hf_realise_result* result) {
    hf_realise_options o = hf_realise_options_default();
    hf_status status = take_memory(m, scene);
    if (status == HF_OK) find_overlaps(m, m->spare[0].q);
    bool slower = true;
    for (int round = 0; round < m->options->max_rounds && slower && status == HF_OK; round++) {
        hf_motion_free(*motion);
        *motion = NULL;
        status = fill_schedule(m, schedule);
        if (status == HF_OK)
            status = hf_realise(m->creature, scene, schedule, &o, m->workspace, motion, result);
        slower = status == HF_OK && slow_colliding(m, result);
    }
    return status;
}

hf_status hf_course_realise(const hf_course* course, const hf_scene* scene, const hf_course_options* options,
                            hf_workspace* workspace, hf_schedule** schedule, hf_motion** motion,
                            hf_realise_result* result) {
    HF_REQUIRE(NULL, course && scene && options && workspace && schedule && motion && result);
    *schedule = NULL;
    *motion = NULL;
    hf_status status = hf_options_check(hf_course_option_table(), options, NULL);
    if (status == HF_OK && course->count < 1) status = HF_ERROR_ARGUMENT;
    if (status == HF_OK) status = hf_schedule_create(course->creature, options->timing.fps, schedule);
    if (status != HF_OK) return status;
    (*schedule)->claims = options->claims;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    maker m = {.course = course, .creature = course->creature, .options = options, .workspace = workspace};
    status = run(&m, scene, *schedule, motion, result);
    hf_timing_free(m.timing);
    hf_placement_free(m.placement);
    hf_free(m.at);
    hf_workspace_end(workspace, mark);
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*schedule);
    hf_motion_free(*motion);
    *schedule = NULL;
    *motion = NULL;
    return status;
}
