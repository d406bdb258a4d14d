/* Opening a motion for edits. */
#include "adapt/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/scene.h"

#include <math.h>
#include <string.h>

/* Joints nearer to each other are one particle, m. */
static const double SAME_JOINT_M = 1e-3;

/* ---- particles ---- */

/* The particle of each link: joints that turn about one point share one, and so do fixed links. */
static void find_particles(hf_source* s, int* of_link, double* length) {
    const hf_creature_view* v = &s->creature->view;
    for (int link = 0; link < v->link_count; link++) {
        const hf_link* l = &v->links[link];
        const hf_joint* j = l->joint >= 0 ? &v->joints[l->joint] : NULL;
        length[link] = j ? hf_length(j->origin.position) : 0;
        int parent = j ? of_link[j->parent_link] : -1;
        if (j && j->parent_link != s->particles[parent].link)
            length[link] += length[j->parent_link]; // links since the particle
        if (j && (j->q_count == 0 || length[link] < SAME_JOINT_M)) {
            of_link[link] = parent;
            continue;
        }
        of_link[link] = s->particle_count;
        s->particles[s->particle_count++] = (hf_particle){.link = link, .parent = parent};
    }
}

static void mark_trunk(hf_source* s, const int* of_link) {
    const hf_creature_view* v = &s->creature->view;
    s->particles[0].trunk = true;
    for (int i = 0; i < v->trunk_count; i++) s->particles[of_link[v->trunk[i]]].trunk = true;
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb* l = &v->limbs[i];
        // the first joint of a limb stays where the trunk has it
        if (l->joint_count > 0) s->particles[of_link[v->joints[l->joints[0]].child_link]].trunk = true;
        s->tip_particle[i] = of_link[l->effector_link];
    }
}

/* ---- frames ---- */

static int frame_link(const hf_source* s, int limb, int frame) {
    const hf_limb* l = &s->creature->view.limbs[limb];
    return frame >= 0 && frame < l->contact_count ? l->contacts[frame].link : l->effector_link;
}

static void measure(hf_source* s, int frame, hf_transform* links) {
    hf_pose pose = hf_source_pose(s, frame);
    hf_forward(s->creature, &pose, links);
    size_t row = (size_t)frame * (size_t)s->limb_count;
    for (int i = 0; i < s->limb_count; i++)
        s->tips[row + (size_t)i] = links[frame_link(s, i, s->tip[row + (size_t)i])];
    for (int i = 0; i < s->particle_count; i++)
        s->points[(size_t)frame * (size_t)s->particle_count + (size_t)i] =
            links[s->particles[i].link].position;
    const hf_creature_view* v = &s->creature->view;
    for (int i = 0; i < v->body_count; i++)
        s->balls[(size_t)frame * (size_t)v->body_count + (size_t)i] =
            hf_apply(links[v->bodies[i].link], s->creature->bounds[i].centre);
}

/* Between two holds a limb's target is for the contact frame of the next one, after the last for that one's.
 */
static void spread_tips(hf_source* s) {
    for (int limb = 0; limb < s->limb_count; limb++) {
        int tip = s->creature->view.limbs[limb].contact_count ? 0 : -1;
        for (int f = 0; f < s->frame_count; f++) {
            int p = s->phase_at[f * s->limb_count + limb];
            if (p >= 0) tip = s->phases[p].hold.frame, s->acts[limb] = true;
            s->tip[f * s->limb_count + limb] = tip;
        }
        for (int f = s->frame_count - 1; f >= 0; f--) {
            int p = s->phase_at[f * s->limb_count + limb];
            if (p >= 0) tip = s->phases[p].hold.frame;
            s->tip[f * s->limb_count + limb] = tip;
        }
    }
}

static int triangle_under(const hf_placement* placement, int object, hf_vec3 point) {
    hf_surface near[32];
    int n = hf_placement_within(placement, point, HF_NAMED_TOUCH_M, near, 32), best = -1;
    double least = INFINITY;
    for (int i = 0; i < n && i < 32; i++)
        if (near[i].object == object && near[i].distance < least)
            least = near[i].distance, best = near[i].triangle;
    return best;
}

static hf_status list_phases(hf_source* s, hf_placement* placement) {
    const hf_schedule* schedule = s->schedule;
    for (int i = 0; i < s->frame_count * s->limb_count; i++) s->phase_at[i] = -1;
    for (int i = 0; i < schedule->hold_count; i++) {
        hf_source_phase* p = &s->phases[i];
        p->hold = schedule->holds[i].hold;
        p->opened = i, p->part_of = -1;
        p->first = (int)ceil(schedule->holds[i].from_s * schedule->rate - 1e-6);
        p->last = (int)floor(schedule->holds[i].to_s * schedule->rate + 1e-6);
        if (p->last >= s->frame_count) p->last = s->frame_count - 1;
        if (p->first >= s->frame_count) p->first = s->frame_count - 1, p->last = p->first - 1;
        for (int f = p->first; f <= p->last; f++) s->phase_at[f * s->limb_count + p->hold.limb] = i;
        hf_placement_set_time(placement, p->first / schedule->rate);
        p->object = hf_object_pose(placement, p->hold.object);
        p->triangle = p->hold.object < 0
                          ? -1
                          : triangle_under(placement, p->hold.object, hf_apply(p->object, p->hold.point));
    }
    s->phase_count = schedule->hold_count;
    return HF_OK;
}

/* A knot at every frame: those of the given schedule where it has one there, else the realised frame. */
static hf_status copy_schedule(hf_source* s, const hf_schedule* from, const hf_motion* motion) {
    hf_status status = hf_schedule_create(s->creature, from->rate, &s->schedule);
    if (status != HF_OK) return status;
    s->schedule->claims = from->claims;
    s->schedule->creature = from->creature ? hf_copy_text(from->creature) : NULL;
    int k = 0;
    for (int f = 0; f < motion->frame_count && status == HF_OK; f++) {
        double t = f / from->rate;
        while (k + 1 < from->knot_count && from->knots[k].time_s < t - 1e-9) k++;
        bool own = fabs(from->knots[k].time_s - t) <= 1e-9;
        hf_pose pose = own ? (hf_pose){from->knots[k].root, from->knots[k].q}
                           : (hf_pose){motion->frames[f].root, motion->frames[f].q};
        status = hf_schedule_add(s->schedule, NULL, own ? from->knots[k].time_s : t, &pose, NULL, 0,
                                 motion->frames[f].stance);
    }
    for (int i = 0; i < from->hold_count && status == HF_OK; i++) {
        if (!HF_GROW(s->schedule->holds, s->schedule->hold_capacity, s->schedule->hold_count))
            return HF_ERROR_MEMORY;
        s->schedule->holds[s->schedule->hold_count++] = from->holds[i];
    }
    return status;
}

static bool take(hf_source* s, int frames, int holds) {
    const hf_creature_view* v = &s->creature->view;
    size_t f = (size_t)frames, limbs = (size_t)v->limb_count + 1, links = (size_t)v->link_count;
    s->frame_count = frames, s->q_count = v->q_count, s->limb_count = v->limb_count;
    s->roots = hf_alloc(f, sizeof *s->roots);
    s->q = hf_alloc(f * ((size_t)v->q_count + 1), sizeof *s->q);
    s->faults = hf_alloc(f + 1, sizeof *s->faults);
    s->phases = hf_alloc(2 * (size_t)holds + 1, sizeof *s->phases); // each may be split
    s->phase_at = hf_alloc(f * limbs, sizeof *s->phase_at);
    s->tip = hf_alloc(f * limbs, sizeof *s->tip);
    s->tips = hf_alloc(f * limbs, sizeof *s->tips);
    s->acts = hf_alloc(limbs, sizeof *s->acts);
    s->particles = hf_alloc(links, sizeof *s->particles);
    s->tip_particle = hf_alloc(limbs, sizeof *s->tip_particle);
    s->points = hf_alloc(f * links, sizeof *s->points);
    s->balls = hf_alloc(f * (size_t)v->body_count + 1, sizeof *s->balls);
    return s->roots && s->q && s->faults && s->phases && s->phase_at && s->tip && s->tips && s->acts &&
           s->particles && s->tip_particle && s->points && s->balls;
}

static hf_status fill(hf_source* s, const hf_motion* motion, const hf_realise_result* realised) {
    const hf_creature_view* v = &s->creature->view;
    for (int f = 0; f < s->frame_count; f++) {
        s->roots[f] = motion->frames[f].root;
        memcpy(s->q + (size_t)f * (size_t)s->q_count, motion->frames[f].q, sizeof *s->q * (size_t)s->q_count);
    }
    for (int i = 0; i < realised->fault_count; i++)
        s->faults[realised->faults[i].frame] |= 1u << realised->faults[i].kind;
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    int* of_link = hf_alloc((size_t)v->link_count, sizeof *of_link);
    double* length = hf_alloc((size_t)v->link_count, sizeof *length);
    hf_placement* placement = NULL;
    hf_status status =
        links && of_link && length ? hf_placement_create(s->scene, &placement) : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        find_particles(s, of_link, length);
        mark_trunk(s, of_link);
        status = list_phases(s, placement);
    }
    if (status == HF_OK) {
        spread_tips(s);
        for (int f = 0; f < s->frame_count; f++) measure(s, f, links);
        for (int i = 0; i < s->phase_count; i++)
            s->phases[i].link = hf_source_tip(s, s->phases[i].first, s->phases[i].hold.limb);
    }
    hf_placement_free(placement);
    hf_free(links);
    hf_free(of_link);
    hf_free(length);
    return status;
}

hf_status hf_source_make(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                         hf_workspace* workspace, hf_source* source, hf_error* error) {
    memset(source, 0, sizeof *source);
    source->creature = creature, source->scene = scene;
    hf_status status = hf_schedule_validate(schedule, creature, scene, error);
    if (status != HF_OK) return status;
    // balance is measured in any case: an edit may not take it from a frame that has it
    hf_schedule weighed = *schedule;
    if (creature->view.mass > 0) weighed.claims |= HF_CLAIM_BALANCE;
    hf_motion* motion = NULL;
    hf_realise_result realised = {0};
    hf_realise_options options = hf_realise_options_default();
    status = hf_realise(creature, scene, &weighed, &options, workspace, &motion, &realised);
    if (status == HF_OK && !take(source, motion->frame_count, schedule->hold_count)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) status = copy_schedule(source, schedule, motion);
    if (status == HF_OK) status = fill(source, motion, &realised);
    hf_motion_free(motion);
    hf_realise_result_free(&realised);
    if (status != HF_OK) hf_source_free(source);
    return status == HF_OK ? HF_OK : hf_fail_status(error, status, NULL);
}

/* ---- splits ---- */

static void mark_frames(hf_source* s, int first, int last, int limb, int phase) {
    for (int f = first; f <= last; f++) s->phase_at[f * s->limb_count + limb] = phase;
}

static int part_of(const hf_source* s, int phase) {
    for (int i = s->schedule->hold_count; i < s->phase_count; i++)
        if (s->phases[i].part_of == phase) return i;
    return -1;
}

int hf_source_split(hf_source* s, int phase, int gap, int least) {
    hf_source_phase* p = &s->phases[phase];
    int half = (p->last - p->first + 1 - gap) / 2;
    if (half < least || p->part_of >= 0 || part_of(s, phase) >= 0) return -1;
    hf_source_phase* part = &s->phases[s->phase_count];
    *part = *p;
    part->part_of = phase;
    part->first = p->last - half + 1;
    p->last = p->first + half - 1;
    mark_frames(s, p->last + 1, part->first - 1, p->hold.limb, -1);
    mark_frames(s, part->first, part->last, p->hold.limb, s->phase_count);
    part->link = hf_source_tip(s, part->first, p->hold.limb);
    return s->phase_count++;
}

void hf_source_join(hf_source* s, int count) {
    while (s->phase_count > count && s->phase_count > s->schedule->hold_count) {
        const hf_source_phase* part = &s->phases[--s->phase_count];
        hf_source_phase* p = &s->phases[part->part_of];
        mark_frames(s, p->last + 1, part->last, p->hold.limb, part->part_of);
        p->last = part->last;
    }
}

void hf_source_opened(const hf_source* s, int phase, int* first, int* last) {
    int whole = s->phases[phase].part_of >= 0 ? s->phases[phase].part_of : phase, part = part_of(s, whole);
    *first = s->phases[whole].first;
    *last = s->phases[part >= 0 ? part : whole].last;
}

void hf_source_free(hf_source* s) {
    hf_schedule_free(s->schedule);
    hf_free(s->roots);
    hf_free(s->q);
    hf_free(s->faults);
    hf_free(s->phases);
    hf_free(s->phase_at);
    hf_free(s->tip);
    hf_free(s->tips);
    hf_free(s->acts);
    hf_free(s->particles);
    hf_free(s->tip_particle);
    hf_free(s->points);
    hf_free(s->balls);
    memset(s, 0, sizeof *s);
}
