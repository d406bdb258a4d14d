/* From poses with contacts to frames: times over all joints (method section 7), contact changes on frames,
   and a last look at what comes out. Frames cut the corners of the course, so the straight way between two
   of them is tested again; where it collides, that part is passed more slowly, with frames closer to the
   course. */
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <holdfast/course.h>
#include <holdfast/rom.h>
#include <holdfast/solve.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* A held point or patch that is further off than this between two poses is put back. */
static const double OFF_M = 1e-4, OFF_RAD = 1e-3;
/* What is not held better than this is lost: the half of what a check allows. */
static const double LOST_M = 5e-4, LOST_RAD = 0.0087;
/* A region may be left by this much, rad: under what a check allows. */
static const double RANGE_RAD = 8e-5;
/* Rounding, as a share of a speed: under what a check allows. */
static const double SPEED_SLACK = 5e-4;
/* Moves are slowed down by this, to no less than that share of the limits. */
static const double SLOWER = 0.6, SLOWEST = 0.05;
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
           hf_distance(a->point, b->point) < LOST_M;
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
    size_t n = (size_t)c->creature->view.q_count;
    for (int i = 0; i < count; i++) {
        if (contacts[i].limb < 0 || contacts[i].limb >= c->creature->view.limb_count ||
            contacts[i].frame < 0 ||
            contacts[i].frame >= c->creature->view.limbs[contacts[i].limb].contact_count)
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

hf_option_table hf_course_option_table(void) {
    return (hf_option_table){sizeof items / sizeof *items, items};
}

hf_course_options hf_course_options_default(void) {
    hf_course_options o;
    hf_options_default(hf_course_option_table(), &o);
    return o;
}

/* ---- frames ---- */

typedef struct maker {
    const hf_course* course;
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_course_options* options;
    hf_workspace* workspace;
    hf_course_result* result;
    hf_timing* timing;
    double* pace;
    double* early;  /* of each move: up to this place it overlaps as only the contacts before it allow */
    double* late;   /* from this place on, as only the contacts after it allow */
    int* late_node; /* which is the pose with those contacts */
    double* q;      /* of all frames */
    hf_transform* roots;
    double* at;
    hf_transform *links, *links_a, *links_b;
    hf_pose spare[2];
    hf_hold* touches;
    int frame_count, frame_capacity;
} maker;

static hf_pose frame_pose(const maker* m, int f) {
    return (hf_pose){m->roots[f], m->q + (size_t)f * (size_t)m->creature->view.q_count};
}

static hf_pose course_pose(const maker* m, int pose) {
    return (hf_pose){m->course->roots[pose], m->course->q + (size_t)pose * (size_t)m->creature->view.q_count};
}

/* The contact of a limb in a frame: on the move it is on, or of the moves that meet there. */
static const hf_hold* frame_contact(const maker* m, int f, int limb) {
    const hf_course* c = m->course;
    int pose = (int)m->at[f];
    const hf_hold* k = contact_of(c, pose, limb);
    if (k || pose != m->at[f]) return k;
    // moves of no length share the frame
    double time = hf_timing_node(m->timing, pose);
    for (int p = pose - 1; p >= 0 && !k; p--) {
        k = contact_of(c, p, limb);
        if (hf_timing_node(m->timing, p) < time) break;
    }
    return k;
}

/* How far a limb's contact is from where it holds: point and, for a patch, orientation. */
static void hold_error(const hf_contact_frame* f, hf_transform is, hf_vec3 point, hf_quat rotation,
                       double* off_m, double* off_rad) {
    *off_m = hf_distance(hf_apply(is, f->offset), point);
    bool patch = !(f->ball > 0) && (f->patch[0] > 0 || f->patch[1] > 0);
    *off_rad = patch ? hf_quat_angle(is.rotation, rotation) : 0;
}

/* Puts holding limbs back: between two poses straight joint values leave the contact by a little. */
static hf_status put_back(maker* m, int f) {
    const hf_creature_view* v = &m->creature->view;
    int pose = (int)m->at[f];
    double t = m->at[f] - pose;
    if (t == 0 || m->course->first[pose] == contacts_end(m->course, pose)) return HF_OK;
    hf_pose a = course_pose(m, pose), b = course_pose(m, pose + 1), now = frame_pose(m, f);
    hf_forward(m->creature, &a, m->links_a);
    hf_forward(m->creature, &b, m->links_b);
    hf_forward(m->creature, &now, m->links);
    for (int i = m->course->first[pose]; i < contacts_end(m->course, pose); i++) {
        const hf_hold* k = &m->course->contacts[i];
        const hf_contact_frame* frame = &v->limbs[k->limb].contacts[k->frame];
        hf_vec3 point = hf_lerp(hf_apply(m->links_a[frame->link], frame->offset),
                                hf_apply(m->links_b[frame->link], frame->offset), t);
        hf_quat turn = hf_quat_slerp(m->links_a[frame->link].rotation, m->links_b[frame->link].rotation, t);
        double off_m, off_rad;
        hold_error(frame, m->links[frame->link], point, turn, &off_m, &off_rad);
        if (off_m <= OFF_M && off_rad <= OFF_RAD) continue;
        hf_target target = {.kind = off_rad > 0 && !k->grip ? HF_TARGET_POSE : HF_TARGET_POSITION,
                            .limb = k->limb,
                            .contact = k->frame,
                            .point = point,
                            .rotation = turn};
        hf_solve_options o = hf_solve_options_default();
        o.max_starts = 1;
        o.tolerance_m = OFF_M / 2;
        o.tolerance_rad = OFF_RAD / 2;
        o.posture = now.q;
        hf_solve_result r;
        hf_status status = hf_limb_solve(m->creature, &m->links[v->limbs[k->limb].base_link], &target, &o,
                                         m->workspace, now.q, &r);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

/* Touches on a move alone, as they count away from both of its ends. */
static bool collides_on_move(maker* m, int move, double t, hf_pose* pose) {
    hf_collision_query c = hf_collision_query_default();
    c.touches = m->touches;
    for (int i = m->course->first[move]; i < contacts_end(m->course, move); i++) {
        const hf_hold* k = &m->course->contacts[i];
        if (k->object >= 0)
            m->touches[c.touch_count++] = (hf_hold){.limb = k->limb, .object = k->object, .grip = k->grip};
    }
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
        // another change ends it
        if (move != first && changes_at(m->course, step > 0 ? move : move + 1)) break;
        if (!collides_on_move(m, move, in, pose)) return move + in;
        if (collides_on_move(m, move, out, pose)) continue;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (in + out) / 2;
            *(collides_on_move(m, move, middle, pose) ? &in : &out) = middle;
        }
        // a little further, so that rounding does not decide
        return move + out + step * fmin(1e-3, fabs(out - (step > 0 ? 1 : 0)));
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

/* May a frame follow another at once, by the speed limits? */
static bool quick_enough(const maker* m, const hf_pose* a, const hf_pose* b) {
    const hf_creature_view* v = &m->creature->view;
    double fps = m->options->timing.fps / (1 + SPEED_SLACK);
    if (hf_distance(a->root.position, b->root.position) * fps > v->limits.root_speed) return false;
    if (hf_quat_angle(a->root.rotation, b->root.rotation) * fps > v->limits.root_turn) return false;
    for (int j = 0; j < v->joint_count; j++)
        for (int i = v->joints[j].q_index; i < v->joints[j].q_index + v->joints[j].q_count; i++)
            if (fabs(a->q[i] - b->q[i]) * fps > v->joints[j].max_speed) return false;
    return true;
}

static bool quick_path(maker* m, const hf_path* path, double from, double to) {
    hf_path_pose(m->creature, path, from, &m->spare[0]);
    hf_path_pose(m->creature, path, to, &m->spare[1]);
    return quick_enough(m, &m->spare[0], &m->spare[1]);
}

/* The places of the frames. Those in an overlap that only a contact's own frame may have are left out or,
   where the limits of speed need one, put to its end. */
static void place_frames(maker* m, const hf_path* path) {
    int count = 0;
    for (int f = 0; f < m->timing->frame_count; f++) {
        double at = hf_timing_at(m->timing, f / m->options->timing.fps), outside;
        if (fabs(at - round(at)) < 1e-7) at = round(at);
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
    m->frame_count = count;
}

static hf_status fill_frames(maker* m) {
    const hf_course* c = m->course;
    const hf_creature_view* v = &m->creature->view;
    hf_path path = {.count = c->count, .roots = c->roots, .q = c->q, .marks = c->marks, .pace = m->pace};
    hf_status status = hf_timing_compute(m->creature, &path, &m->options->timing, m->workspace, m->timing);
    if (status != HF_OK) return status;
    if (m->timing->frame_count > m->frame_capacity) {
        size_t room = 2 * (size_t)m->timing->frame_count;
        double* q = hf_resize(m->q, room * (size_t)v->q_count + 1, sizeof *q);
        if (q) m->q = q;
        hf_transform* roots = hf_resize(m->roots, room, sizeof *roots);
        if (roots) m->roots = roots;
        double* at = hf_resize(m->at, room, sizeof *at);
        if (at) m->at = at;
        if (!q || !roots || !at) return HF_ERROR_MEMORY;
        m->frame_capacity = (int)room;
    }
    place_frames(m, &path);
    for (int f = 0; f < m->frame_count && status == HF_OK; f++) {
        hf_pose pose = frame_pose(m, f);
        hf_path_pose(m->creature, &path, m->at[f], &pose);
        m->roots[f] = pose.root;
        status = put_back(m, f);
    }
    return status;
}

/* ---- the last look ---- */

/* Touches of a frame and the next one, as a check counts them. */
static hf_collision_query touching(maker* m, int f) {
    hf_collision_query c = hf_collision_query_default();
    c.touches = m->touches;
    for (int i = f; i <= f + 1 && i < m->frame_count; i++)
        for (int limb = 0; limb < m->creature->view.limb_count; limb++) {
            const hf_hold* k = frame_contact(m, i, limb);
            if (k && k->object >= 0)
                m->touches[c.touch_count++] = (hf_hold){.limb = limb, .object = k->object, .grip = k->grip};
        }
    return c;
}

static void note(hf_course_result* r, int f) {
    if (r->frame < 0 || f < r->frame) r->frame = f;
}

/* Slows down the moves between two places of the course; false when they are as slow as can be. */
static bool slow_down(maker* m, double from, double to) {
    int first = (int)from, last = (int)ceil(to) - 1;
    bool any = false;
    for (int i = first; i <= last && i + 1 < m->course->count; i++) {
        if (m->pace[i] <= SLOWEST) continue;
        m->pace[i] = fmax(SLOWEST, m->pace[i] * SLOWER);
        any = true;
    }
    return any;
}

static hf_status look_for_collisions(maker* m, bool* slower) {
    hf_course_result* r = m->result;
    r->collides = false;
    *slower = false;
    for (int f = 0; f < m->frame_count; f++) {
        hf_collision_query query = touching(m, f);
        hf_pose a = frame_pose(m, f), b = frame_pose(m, f + 1 < m->frame_count ? f + 1 : f);
        bool collides;
        hf_collision hit;
        hf_status status =
            hf_move_collides(m->creature, m->placement, &a, &b, &query, m->workspace, &collides, &hit);
        if (status != HF_OK) return status;
        if (!collides) continue;
        if (!r->collides) r->collision = hit, note(r, f);
        r->collides = true;
        // a frame is where it would be at any pace
        if (hit.fraction > 0 && hit.fraction < 1) *slower |= slow_down(m, m->at[f], m->at[f + 1]);
    }
    return HF_OK;
}

static void look_at_ranges(maker* m) {
    for (int f = 0; f < m->frame_count; f++) {
        if (hf_pose_within_rom(m->creature, frame_pose(m, f).q, RANGE_RAD)) continue;
        m->result->out_of_range = true;
        note(m->result, f);
    }
}

/* Frames that were left out, or limbs put back, may ask for more than the times gave. */
static void look_at_speeds(maker* m) {
    for (int f = 0; f + 1 < m->frame_count; f++) {
        hf_pose a = frame_pose(m, f), b = frame_pose(m, f + 1);
        if (quick_enough(m, &a, &b)) continue;
        m->result->too_fast = true;
        note(m->result, f);
    }
}

/* Every contact stays where it began. */
static void look_at_holds(maker* m, hf_transform* began, const hf_hold** held) {
    const hf_creature_view* v = &m->creature->view;
    for (int f = 0; f < m->frame_count; f++) {
        hf_pose pose = frame_pose(m, f);
        hf_forward(m->creature, &pose, m->links);
        for (int limb = 0; limb < v->limb_count; limb++) {
            const hf_hold *k = frame_contact(m, f, limb), *was = held[limb];
            held[limb] = k;
            if (!k) continue;
            const hf_contact_frame* frame = &v->limbs[limb].contacts[k->frame];
            if (!was || !same_contact(k, was)) {
                began[limb] = m->links[frame->link];
                continue;
            }
            double off_m, off_rad;
            hold_error(frame, m->links[frame->link], hf_apply(began[limb], frame->offset),
                       began[limb].rotation, &off_m, &off_rad);
            if (off_m <= LOST_M && (off_rad <= LOST_RAD || k->grip)) continue;
            m->result->slips = true;
            note(m->result, f);
        }
    }
}

/* ---- the call ---- */

static hf_status write_frames(maker* m, hf_motion* motion) {
    double fps = m->options->timing.fps;
    int before = motion->frame_count;
    double start = before ? motion->frames[before - 1].time_s + 1 / fps : 0;
    if (m->result->frame >= 0) m->result->frame += before;
    for (int f = 0; f < m->frame_count; f++) {
        hf_pose pose = frame_pose(m, f);
        hf_motion_frame* frame = hf_motion_add(motion, start + f / fps, &pose);
        if (!frame) return HF_ERROR_MEMORY;
        int node = (int)m->at[f];
        frame->stance =
            node == m->at[f] && (node == 0 || node + 1 == m->course->count || m->course->marks[node]);
        for (int limb = 0; limb < m->creature->view.limb_count; limb++) {
            const hf_hold* k = frame_contact(m, f, limb);
            hf_status status = k ? hf_motion_add_contact(motion, frame, k) : HF_OK;
            if (status != HF_OK) return status;
        }
    }
    return HF_OK;
}

static hf_status take_memory(maker* m, hf_transform** began, const hf_hold*** held) {
    const hf_creature_view* v = &m->creature->view;
    size_t links = (size_t)v->link_count, limbs = (size_t)v->limb_count + 1;
    m->links = hf_workspace_take(m->workspace, links, sizeof *m->links);
    m->links_a = hf_workspace_take(m->workspace, links, sizeof *m->links_a);
    m->links_b = hf_workspace_take(m->workspace, links, sizeof *m->links_b);
    m->touches = hf_workspace_take(m->workspace, 2 * limbs, sizeof *m->touches);
    m->pace = hf_workspace_take(m->workspace, (size_t)m->course->count, sizeof *m->pace);
    *began = hf_workspace_take(m->workspace, limbs, sizeof **began);
    *held = hf_workspace_take(m->workspace, limbs, sizeof **held);
    m->early = hf_workspace_take(m->workspace, (size_t)m->course->count, sizeof *m->early);
    m->late = hf_workspace_take(m->workspace, (size_t)m->course->count, sizeof *m->late);
    m->late_node = hf_workspace_take(m->workspace, (size_t)m->course->count, sizeof *m->late_node);
    for (int i = 0; i < 2; i++)
        m->spare[i].q = hf_workspace_take(m->workspace, (size_t)v->q_count + 1, sizeof(double));
    if (!m->links || !m->links_a || !m->links_b || !m->touches || !m->pace || !*began || !*held ||
        !m->early || !m->late || !m->late_node || !m->spare[0].q || !m->spare[1].q)
        return HF_ERROR_MEMORY;
    for (int i = 0; i < m->course->count; i++) m->pace[i] = 1;
    memset(*held, 0, limbs * sizeof **held);
    return hf_timing_create(&m->timing);
}

static hf_status run(maker* m, hf_motion* motion) {
    hf_transform* began;
    const hf_hold** held;
    hf_status status = take_memory(m, &began, &held);
    hf_course_result* r = m->result;
    if (status == HF_OK) find_overlaps(m, m->spare[0].q);
    for (bool slower = true; slower && status == HF_OK && r->rounds < m->options->max_rounds;) {
        r->rounds++;
        r->frame = -1;
        status = fill_frames(m);
        if (status == HF_OK) status = look_for_collisions(m, &slower);
    }
    if (status != HF_OK) return status;
    look_at_ranges(m);
    look_at_speeds(m);
    look_at_holds(m, began, held);
    if (r->collides || r->out_of_range || r->slips || r->too_fast) r->outcome = HF_PARTIAL;
    return write_frames(m, motion);
}

hf_status hf_course_motion(const hf_course* course, const hf_placement* placement,
                           const hf_course_options* options, hf_workspace* workspace, hf_motion* motion,
                           hf_course_result* result) {
    memset(result, 0, sizeof *result);
    result->frame = -1;
    hf_status status = hf_options_check(hf_course_option_table(), options, NULL);
    if (status != HF_OK) return status;
    if (course->count < 1) return HF_ERROR_ARGUMENT;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    maker m = {.course = course,
               .creature = course->creature,
               .placement = placement,
               .options = options,
               .workspace = workspace,
               .result = result};
    status = run(&m, motion);
    hf_timing_free(m.timing);
    hf_free(m.q);
    hf_free(m.roots);
    hf_free(m.at);
    hf_workspace_end(workspace, mark);
    return status;
}
