/* What is made once for a creature: sample sets of all limbs, the guide's trunk and reach volumes. */
#include "plan/descent.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"

#include <holdfast/stand.h>

#include <math.h>
#include <string.h>

static hf_vec3 corner(const hf_shape* s, uint32_t i) {
    return hf_v3((double)s->vertices[3 * i], (double)s->vertices[3 * i + 1], (double)s->vertices[3 * i + 2]);
}

/* Planes of a hull, in the root's frame. */
static bool make_volume(const hf_guide_body* body, hf_volume* v) {
    const hf_shape* s = &body->shape;
    if (s->kind != HF_SHAPE_HULL) return true;
    v->planes = hf_alloc(4 * (size_t)s->face_count + 1, sizeof *v->planes);
    for (int f = 0; v->planes && f < s->face_count; f++) {
        hf_vec3 a = hf_apply(body->in_root, corner(s, s->faces[3 * f]));
        hf_vec3 b = hf_apply(body->in_root, corner(s, s->faces[3 * f + 1]));
        hf_vec3 c = hf_apply(body->in_root, corner(s, s->faces[3 * f + 2]));
        hf_vec3 n = hf_normalize(hf_cross(hf_sub(b, a), hf_sub(c, a)));
        if (!(hf_length(n) > 0)) continue;
        double* row = v->planes + 4 * v->plane_count++;
        row[0] = n.x, row[1] = n.y, row[2] = n.z, row[3] = hf_dot(n, a);
    }
    return v->planes != NULL;
}

static hf_status make_volumes(hf_plan_model* m) {
    enum { MOST = 128 };
    hf_guide_body bodies[MOST];
    int count = hf_guide_model_bodies(m->guide, bodies, MOST);
    for (int i = 0; i < count && i < MOST; i++) {
        int limb = bodies[i].limb;
        if (limb >= 0 && !m->limbs[limb].volume.planes && !make_volume(&bodies[i], &m->limbs[limb].volume))
            return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

void hf_plan_limbs_find(const hf_creature* creature, hf_plan_limb* limbs) {
    const hf_creature_view* view = hf_creature_get(creature);
    for (int l = 0; l < view->limb_count; l++) {
        int frames = view->limbs[l].contact_count;
        limbs[l].used = view->limbs[l].use && frames > 0 && frames <= HF_MAX_FRAMES_OF_LIMB;
    }
    int at = 0;
    for (int g = 0; g < view->gait_count; g++)
        for (int i = 0; i < view->gait_sizes[g]; i++) limbs[view->gait_limbs[at++]].walks = true;
    for (int l = 0; at == 0 && l < view->limb_count; l++) limbs[l].walks = limbs[l].used;
}

static hf_status make_limb(hf_plan_model* m, int limb, const hf_transform* links,
                           const hf_plan_options* options, hf_error* error) {
    const hf_creature_view* view = hf_creature_get(m->creature);
    const hf_limb* l = &view->limbs[limb];
    hf_plan_limb* to = &m->limbs[limb];
    if (!to->used) return HF_OK;
    to->rest_in_root = hf_apply(links[l->contacts[0].link], l->contacts[0].offset);
    to->anchor_in_root = hf_apply(links[l->base_link], l->base.position);
    to->rest_turn = links[l->contacts[0].link].rotation;
    to->limb_in_root = hf_limb_base(m->creature, limb, links);
    to->set_count = l->contact_count;
    hf_status status = HF_OK;
    for (int c = 0; c < l->contact_count && status == HF_OK; c++) {
        hf_sample_options o = hf_sample_options_default();
        o.count = options->samples;
        o.seed = options->seed;
        o.threads = options->threads;
        o.contact = c;
        status = hf_samples_build(m->creature, limb, &o, &to->sets[c], error);
        if (status == HF_OK && !hf_reach_map_build(m->creature, to->sets[c], &to->maps[c]))
            status = hf_fail_memory(error, NULL);
    }
    return status;
}

/* Joints of no limb: the trunk's, the head's, and fingers, which are open unless a pose says otherwise. */
static bool find_loose(hf_plan_model* m) {
    const hf_creature_view* view = hf_creature_get(m->creature);
    m->loose_joint = hf_alloc((size_t)view->joint_count + 1, sizeof *m->loose_joint);
    for (int j = 0; m->loose_joint && j < view->joint_count; j++) m->loose_joint[j] = true;
    for (int l = 0; m->loose_joint && l < view->limb_count; l++)
        for (int k = 0; k < view->limbs[l].joint_count; k++) m->loose_joint[view->limbs[l].joints[k]] = false;
    return m->loose_joint;
}

/* Does the joint move only what a limb touches with: fingers, toes? */
static bool is_tip(const hf_creature* creature, const hf_joint* joint) {
    const hf_creature_view* view = hf_creature_get(creature);
    for (int l = 0; l < view->limb_count; l++)
        if (view->limbs[l].joint_count > 0 && hf_effector_has(creature, l, joint->child_link)) return true;
    return false;
}

/* Loose joints that turn, but for fingers and toes; those of a region stay out of it as they are. */
static bool find_bends(hf_plan_model* m, const hf_transform* links) {
    const hf_creature_view* view = hf_creature_get(m->creature);
    m->bend_axis = hf_alloc((size_t)view->joint_count + 1, sizeof *m->bend_axis);
    if (!m->bend_axis) return false;
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        bool bends = m->loose_joint[j] && joint->type == HF_JOINT_REVOLUTE && joint->mimic < 0 &&
                     !is_tip(m->creature, joint);
        if (bends) m->bend_axis[j] = hf_rotate(links[joint->child_link].rotation, joint->axis);
    }
    for (int r = 0; r < view->rom_count; r++)
        for (int k = 0; k < view->roms[r].joint_count; k++)
            m->bend_axis[view->roms[r].joints[k]] = hf_v3(0, 0, 0);
    return true;
}

/* Where the mass is that walking limbs carry: all but their own. */
static void find_load(hf_plan_model* m, const hf_transform* links) {
    const hf_creature_view* view = hf_creature_get(m->creature);
    double mass = 0;
    hf_vec3 sum = {0, 0, 0};
    for (int i = 0; i < view->link_count; i++) {
        bool carried = true;
        for (int at = i; at >= 0 && carried; at = view->links[at].parent_link)
            for (int l = 0; l < view->limb_count; l++)
                if (m->limbs[l].walks && view->limbs[l].root_link == at) carried = false;
        if (!carried) continue;
        mass += view->links[i].mass;
        sum = hf_add(sum, hf_scale(hf_apply(links[i], view->links[i].com), view->links[i].mass));
    }
    if (mass > 0) m->load_in_root = hf_scale(sum, 1 / mass);
}

/* The library, and the posture on all limbs that guides settle in. */
static hf_status find_postures(hf_plan_model* m, int families, int threads, hf_error* error) {
    const hf_guide* g = &hf_creature_get(m->creature)->guide;
    hf_posture_options o = hf_posture_options_default();
    o.families = families;
    o.threads = threads;
    hf_status status = hf_creature_postures(m->creature, &o, &m->postures, error);
    if (status != HF_OK) return status;
    m->bent_q = g->bent_q, m->bent_tilt = g->bent_tilt;
    for (int i = 0; i < m->postures->change_count && !m->bent_q; i++) {
        const hf_posture* p = &m->postures->items[m->postures->changes[i].to];
        if (p->family == HF_POSTURE_CRAWL && p->tilt_rad <= g->tilt_max)
            m->bent_q = p->pose.q, m->bent_tilt = p->tilt_rad;
    }
    return HF_OK;
}

/* Where limbs are when the body rests on all of them, and how high it is then. */
static bool find_bent(hf_plan_model* m) {
    const hf_creature_view* view = hf_creature_get(m->creature);
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 1, 0), m->bent_tilt);
    bool any = false;
    m->rest_height = m->tall = 0;
    for (int l = 0; l < view->limb_count; l++) {
        const hf_plan_limb* limb = &m->limbs[l];
        if (!limb->walks) continue;
        m->rest_height = any ? fmax(m->rest_height, -limb->rest_in_root.z) : -limb->rest_in_root.z;
        any = true;
        m->tall = fmax(m->tall, limb->anchor_in_root.z - limb->rest_in_root.z);
    }
    m->bent_height = m->rest_height;
    m->tall = fmax(m->tall, m->rest_height);
    if (!m->bent_q) return true;
    hf_transform* links = hf_alloc((size_t)view->link_count, sizeof *links);
    double* q = hf_alloc((size_t)view->q_count + 1, sizeof *q);
    bool good = links && q;
    if (good) {
        hf_pose pose = {hf_transform_identity(), q};
        memcpy(q, m->bent_q, sizeof(double) * (size_t)view->q_count);
        hf_forward(m->creature, &pose, links);
        m->bent_height = 0;
    }
    for (int l = 0; good && l < view->limb_count; l++) {
        const hf_limb* limb = &view->limbs[l];
        double lowest = INFINITY;
        for (int c = 0; c < limb->contact_count; c++) {
            hf_vec3 at = hf_apply(links[limb->contacts[c].link], limb->contacts[c].offset);
            double z = hf_rotate(turn, at).z;
            if (z < lowest) lowest = z, m->limbs[l].bent_in_root = at;
        }
        if (m->limbs[l].used) m->bent_height = fmax(m->bent_height, -lowest);
    }
    hf_free(links);
    hf_free(q);
    return good;
}

/* A person's body goes 0.64 m while both feet stay where their reach volumes alone count, this share of its
   height of 1.75 m. Bodies that can hardly go without a step have at least half of their height for their
   size. */
static const double PLAY_OF_HEIGHT = 0.366, LEAST_SIZE = 0.5;

static void find_size(hf_plan_model* m) {
    double play = hf_limbs_play(m), height = hf_creature_get(m->creature)->height;
    m->size = play > 0 ? fmax(play / PLAY_OF_HEIGHT, LEAST_SIZE * height) : height;
}

/* A model that knows these families of postures, and the way down to all limbs where it knows those. */
static hf_status create(const hf_creature* creature, const hf_plan_options* options, int families,
                        hf_plan_model** model, hf_error* error) {
    HF_REQUIRE(error, creature && options && model);
    *model = NULL;
    hf_status status = hf_options_check(hf_plan_option_table(), options, error);
    if (status != HF_OK) return status;
    const hf_creature_view* view = hf_creature_get(creature);
    hf_plan_model* m = hf_alloc(1, sizeof *m);
    hf_transform* links = hf_alloc((size_t)view->link_count, sizeof *links);
    double* q = hf_alloc((size_t)view->q_count + 1, sizeof *q);
    if (m) m->standing = q;
    if (m) m->limbs = hf_alloc((size_t)view->limb_count + 1, sizeof *m->limbs);
    if (!m || !m->limbs || !links || !q) status = hf_fail_memory(error, NULL);
    if (status == HF_OK) {
        m->creature = creature;
        m->limb_count = view->limb_count;
        hf_pose rest = {.q = q};
        hf_pose_rest(creature, &rest);
        hf_forward(creature, &rest, links);
        hf_plan_limbs_find(creature, m->limbs);
        if (!hf_standing_find(creature, m->limbs, links, q)) status = hf_fail_memory(error, NULL);
        hf_forward(creature, &rest, links);
    }
    if (status == HF_OK) {
        hf_guide_model_options o = hf_guide_model_options_default();
        o.trunk_scale = options->trunk_scale;
        o.threads = options->threads;
        status = hf_guide_model_create(creature, &o, &m->guide, error);
    }
    for (int l = 0; l < view->limb_count && status == HF_OK; l++)
        status = make_limb(m, l, links, options, error);
    if (status == HF_OK) status = hf_fail_status(error, make_volumes(m), NULL);
    if (status == HF_OK && !(find_loose(m) && find_bends(m, links))) status = hf_fail_memory(error, NULL);
    for (int l = 0; l < view->limb_count && status == HF_OK; l++)
        if (m->limbs[l].used && !hf_spares_choose(m, l)) status = hf_fail_memory(error, NULL);
    if (status == HF_OK) find_load(m, links), find_size(m);
    if (status == HF_OK) status = find_postures(m, families, options->threads, error);
    if (status == HF_OK && !find_bent(m)) status = hf_fail_memory(error, NULL);
    if (status == HF_OK && families & 1 << HF_POSTURE_CRAWL)
        status = hf_descent_find(m, options, NULL, NULL, &m->descent, error);
    hf_free(links);
    if (!m) hf_free(q);
    if (status == HF_OK)
        *model = m;
    else
        hf_plan_model_free(m);
    return status;
}

hf_status hf_plan_model_create(const hf_creature* creature, const hf_plan_options* options,
                               hf_plan_model** model, hf_error* error) {
    return create(creature, options, 1 << HF_POSTURE_STAND | 1 << HF_POSTURE_CRAWL, model, error);
}

hf_status hf_stand_model_create(const hf_creature* creature, const hf_plan_options* options,
                                hf_plan_model** model, hf_error* error) {
    return create(creature, options, 1 << HF_POSTURE_STAND, model, error);
}

void hf_plan_model_free(hf_plan_model* m) {
    if (!m) return;
    for (int l = 0; m->limbs && l < m->limb_count; l++) {
        for (int c = 0; c < m->limbs[l].set_count; c++) {
            hf_samples_free(m->limbs[l].sets[c]);
            hf_free(m->limbs[l].maps[c].bits);
        }
        hf_free(m->limbs[l].volume.planes);
    }
    hf_guide_model_free(m->guide);
    hf_postures_free(m->postures);
    hf_descent_free(m->descent);
    hf_free(m->limbs);
    hf_free(m->standing);
    hf_free(m->loose_joint);
    hf_free(m->bend_axis);
    hf_free(m);
}
