/* Where a limb's contact frame can be and which way it can face there: cells with a bit for each of 26
   directions, from the limb's samples. The convex reach volume knows nothing of directions, and a foot that
   can be at the height of the hip cannot stand there. */
#include "plan/plan_model.h"

#include "base/memory.h"

#include <math.h>

static const double CELL = 0.05; /* of the limb's length */
static const double ALIKE = 0.8; /* cosine between directions that count as one */
static const double ABOUT_0 = 0.38;
enum { DIRECTIONS = 27, NO_DIRECTION = 13, MAX_SIDE = 64 };

/* Directions are cells, edges and corners of a cube: each component is negative, about 0 or positive. */
static hf_vec3 direction(int i) { return hf_normalize(hf_v3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)); }

static int third(double x) { return x > ABOUT_0 ? 2 : x < -ABOUT_0 ? 0 : 1; }

static int nearest(hf_vec3 d) { return third(d.x) + 3 * third(d.y) + 9 * third(d.z); }

static uint32_t bits_about(hf_vec3 d) {
    uint32_t bits = 1u << nearest(d);
    for (int i = 0; i < DIRECTIONS; i++)
        if (i != NO_DIRECTION && hf_dot(direction(i), d) > ALIKE) bits |= 1u << i;
    return bits;
}

static void cell_of(const hf_reach_map* m, hf_vec3 x, int c[3]) {
    c[0] = (int)floor((x.x - m->low.x) / m->cell);
    c[1] = (int)floor((x.y - m->low.y) / m->cell);
    c[2] = (int)floor((x.z - m->low.z) / m->cell);
}

static bool is_inside(const hf_reach_map* m, const int c[3]) {
    return c[0] >= 0 && c[1] >= 0 && c[2] >= 0 && c[0] < m->side[0] && c[1] < m->side[1] && c[2] < m->side[2];
}

static uint32_t* bits_at(const hf_reach_map* m, const int c[3]) {
    return m->bits + ((size_t)c[2] * (size_t)m->side[1] + (size_t)c[1]) * (size_t)m->side[0] + (size_t)c[0];
}

/* In its cell and in those beside it. */
static void add(hf_reach_map* m, hf_vec3 x, uint32_t bits) {
    int c[3];
    cell_of(m, x, c);
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            for (int k = -1; k <= 1; k++) {
                int at[3] = {c[0] + i, c[1] + j, c[2] + k};
                if (is_inside(m, at)) *bits_at(m, at) |= bits;
            }
}

/* How far joints beyond the limb's own can move the frame from where it is with them at rest: at most to the
   other side of the first of them. 0 for a frame of the effector itself. */
static double most_bend(const hf_creature_view* view, const hf_limb* limb, const hf_contact_frame* f) {
    if (f->link == limb->effector_link) return 0;
    double arm = hf_length(f->offset), slide = 0;
    for (int l = f->link; l != limb->effector_link; l = view->links[l].parent_link) {
        const hf_joint* j = &view->joints[view->links[l].joint];
        if (j->type == HF_JOINT_PRISMATIC && isfinite(j->upper - j->lower)) slide += j->upper - j->lower;
        if (view->links[l].parent_link != limb->effector_link) arm += hf_length(j->origin.position);
    }
    return 2 * arm + slide;
}

/* Empty cells about all samples, and at least `margin` more on every side. */
static bool make_cells(const hf_samples_view* s, double length, double margin, hf_reach_map* m) {
    double range[3];
    m->cell = CELL * length;
    for (int k = 0; k < 3; k++) {
        range[k] = (double)(s->high[k] - s->low[k]);
        m->cell = fmax(m->cell, (range[k] + 2 * margin) / (MAX_SIDE - 5));
    }
    if (!(m->cell > 0)) m->cell = HF_TOUCH_M; // a limb without length is at one place
    int beside = 1 + (int)ceil(margin / m->cell);
    double edge = beside * m->cell;
    m->low = hf_sub(hf_v3((double)s->low[0], (double)s->low[1], (double)s->low[2]), hf_v3(edge, edge, edge));
    for (int k = 0; k < 3; k++) m->side[k] = 1 + 2 * beside + (int)(range[k] / m->cell);
    m->bits = hf_alloc((size_t)m->side[0] * (size_t)m->side[1] * (size_t)m->side[2], sizeof *m->bits);
    return m->bits;
}

/* Joints beyond the limb's own move a frame on a toe or finger: each sample counts with them bent in several
   ways. False when memory is out. */
static bool add_bends(const hf_creature* creature, const hf_samples* samples, hf_reach_map* m) {
    enum { BENDS = 4 };
    const hf_creature_view* view = hf_creature_get(creature);
    hf_samples_view s = hf_samples_get(samples);
    const hf_limb* limb = &view->limbs[s.limb];
    const hf_contact_frame* f = &limb->contacts[s.contact];
    if (f->link == limb->effector_link || limb->joint_count == 0) return true;
    hf_transform* links = hf_alloc((size_t)view->link_count, sizeof *links);
    hf_pose pose = {.q = hf_alloc((size_t)view->q_count + 1, sizeof *pose.q)};
    bool good = links && pose.q;
    if (good) hf_pose_rest(creature, &pose), hf_forward(creature, &pose, links);
    for (int i = 0; good && i < s.count; i++) {
        hf_samples_pose(creature, samples, i, pose.q);
        for (int k = 0; k < BENDS; k++) {
            for (int l = f->link; l != limb->effector_link; l = view->links[l].parent_link) {
                const hf_joint* j = &view->joints[view->links[l].joint];
                if (j->q_count == 1 && isfinite(j->upper - j->lower))
                    pose.q[j->q_index] = j->lower + k * (j->upper - j->lower) / (BENDS - 1);
            }
            hf_forward_from(creature, limb->root_link, pose.q, links);
            hf_transform base = hf_limb_base(creature, s.limb, links);
            hf_vec3 x = hf_unapply(base, hf_apply(links[f->link], f->offset));
            hf_vec3 n = hf_unrotate(base.rotation, hf_rotate(links[f->link].rotation, f->normal));
            add(m, x, bits_about(n));
        }
    }
    hf_free(links);
    hf_free(pose.q);
    return good;
}

bool hf_reach_map_build(const hf_creature* creature, const hf_samples* samples, hf_reach_map* m) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_samples_view s = hf_samples_get(samples);
    const hf_limb* limb = &view->limbs[s.limb];
    if (s.count == 0) return true;
    if (!make_cells(&s, limb->length, most_bend(view, limb, &limb->contacts[s.contact]), m)) return false;
    for (int i = 0; i < s.count; i++) {
        hf_vec3 x = {(double)hf_sample_value(s.point, 3, i, 0), (double)hf_sample_value(s.point, 3, i, 1),
                     (double)hf_sample_value(s.point, 3, i, 2)};
        hf_vec3 n = {(double)hf_sample_value(s.score, 10, i, 6), (double)hf_sample_value(s.score, 10, i, 7),
                     (double)hf_sample_value(s.score, 10, i, 8)};
        add(m, x, bits_about(n));
    }
    return add_bends(creature, samples, m);
}

bool hf_reach_map_has(const hf_reach_map* m, hf_vec3 point, const hf_vec3* facing) {
    int c[3];
    if (!m->bits) return false;
    cell_of(m, point, c);
    if (!is_inside(m, c)) return false;
    uint32_t bits = *bits_at(m, c);
    return bits && (!facing || bits >> nearest(*facing) & 1);
}
