#include "contact/limb_lanes.h"

#include "contact/sample_set.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* What float arithmetic may be wrong about a core's place, m. */
static const double CORE_ROUNDING_M = 1e-5;

HF_KERNEL_CHOICE(hf_lane_kernel)

static void store(float out[3], hf_vec3 v) { out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z; }

static hf_vec3 vector(const float v[3]) { return hf_v3((double)v[0], (double)v[1], (double)v[2]); }

/* The joints from the trunk outwards; false for limbs that cannot be batched. */
static bool read_steps(const hf_creature* creature, int limb, const hf_batch_program* p, hf_limb_lanes* l) {
    const hf_creature_view* v = &creature->view;
    const hf_limb* own = &v->limbs[limb];
    if (p->step_count > HF_LANE_STEPS || p->carry_count > 0 || p->step_count != own->joint_count)
        return false;
    l->step_count = p->step_count;
    for (int i = 0; i < p->step_count; i++) {
        l->steps[i] = p->steps[p->step_count - 1 - i];
        const hf_joint* joint = &v->joints[own->joints[l->steps[i].row]];
        l->lower[i] = (float)joint->lower, l->upper[i] = (float)joint->upper;
        l->q_index[i] = joint->q_index;
    }
    return true;
}

/* The joint that moves a link, from the trunk outwards. */
static int step_of(const hf_creature_view* v, const hf_limb* limb, const hf_limb_lanes* l, int link) {
    for (; link > 0 && link != limb->base_link; link = v->links[link].parent_link)
        for (int i = 0; i < l->step_count; i++)
            if (v->joints[limb->joints[l->steps[i].row]].child_link == link) return i;
    return -1;
}

/* The ends of a core, given where its shape is. */
static bool core_ends(const hf_shape* shape, hf_transform at, double* radius, hf_vec3 ends[2]) {
    hf_transform in;
    hf_shape core = hf_shape_core(shape, &in);
    at = hf_compose(at, in);
    double half = core.kind == HF_SHAPE_CAPSULE ? core.half_length : 0;
    ends[0] = hf_apply(at, hf_v3(0, 0, -half)), ends[1] = hf_apply(at, hf_v3(0, 0, half));
    *radius = core.radius;
    return core.radius > 0;
}

/* The cores of the limb's bodies in the frames of their joints. Links stand with all joint values zero. */
static void read_cores(const hf_contact_clearance* k, hf_limb_lanes* l) {
    const hf_creature_view* v = &k->creature->view;
    const hf_limb* limb = &v->limbs[k->limb];
    hf_vec3 origin[HF_LANE_STEPS], at = {0, 0, 0};
    for (int i = 0; i < l->step_count; i++) origin[i] = at = hf_add(at, vector(l->steps[i].shift));
    for (int step = 0; step < l->step_count; step++)
        for (int i = 0; i < k->upper_count && l->core_count < HF_LANE_CORES; i++) {
            const hf_clearance_body* b = &k->upper[i];
            hf_lane_core* core = &l->cores[l->core_count];
            hf_vec3 ends[2];
            if (step_of(v, limb, l, b->link) != step ||
                !core_ends(&v->bodies[b->body].shape, hf_compose(k->links[b->link], b->in_link),
                           &core->radius, ends))
                continue;
            core->body = b->body, core->step = step;
            store(core->from, hf_sub(hf_unapply(l->base, ends[0]), origin[step]));
            store(core->to, hf_sub(hf_unapply(l->base, ends[1]), origin[step]));
            l->core_count++;
        }
}

void hf_limb_lanes_make(hf_contact_clearance* k, hf_limb_solver* const* solvers, double tolerance_m,
                        double tolerance_rad, hf_limb_lanes* l) {
    const hf_creature* creature = k->creature;
    const hf_limb* limb = &creature->view.limbs[k->limb];
    const hf_limb_solver* solver = solvers[0];
    for (int f = 1; f < limb->contact_count && !solver; f++) solver = solvers[f];
    l->usable = false;
    if (!solver) return;
    l->core_count = l->obstacle_count = 0;
    l->now = (hf_lane_values){0};
    l->base = hf_limb_base(creature, k->limb, k->links);
    l->turn_m = solver->problem.turn_scale;
    l->tolerance_m = tolerance_m, l->tolerance_rad = tolerance_rad;
    l->reach_m = (float)(solver->chain.reach * 2);
    hf_batch_program program;
    if (!isfinite(solver->chain.reach) || hf_batch_compile(creature, k->limb, -1, &program) != HF_OK ||
        !read_steps(creature, k->limb, &program, l))
        return;
    for (int i = 0; i < l->step_count; i++)
        k->q[l->q_index[i]] = (double)(-l->steps[i].offset / l->steps[i].scale);
    hf_forward_limb(creature, k->limb, k->q, k->links);
    read_cores(k, l);
    for (int f = 0; f < limb->contact_count; f++) {
        if (!solvers[f]) continue;
        if (f >= HF_LANE_FRAMES || hf_batch_compile(creature, k->limb, f, &program) != HF_OK ||
            program.step_count != l->step_count || program.carry_count > 0)
            return;
        memcpy(l->tips[f].point, program.point, sizeof program.point);
        memcpy(l->tips[f].normal, program.normal, sizeof program.normal);
    }
    l->usable = limb->contact_count > 0;
}

void hf_limb_lanes_load(hf_limb_lanes* l, int lane, const hf_samples* samples, int sample) {
    const hf_sample_block* block = samples->block;
    for (int i = 0; i < l->step_count; i++)
        l->now.x[i][lane] = hf_sample_value(hf_sample_thetas(block), l->step_count, sample, l->steps[i].row);
}

void hf_limb_lanes_fill(hf_limb_lanes* l, int count) {
    hf_lane_values* v = &l->now;
    float* rows[] = {v->tip_point[0],  v->tip_point[1],  v->tip_point[2],  v->tip_normal[0], v->tip_normal[1],
                     v->tip_normal[2], v->point[0],      v->point[1],      v->point[2],      v->normal[0],
                     v->normal[1],     v->normal[2],     v->tangent[0][0], v->tangent[0][1], v->tangent[0][2],
                     v->tangent[1][0], v->tangent[1][1], v->tangent[1][2], v->turn_m};
    for (int lane = count; lane < HF_LANES; lane++) {
        for (int i = 0; i < l->step_count; i++) v->x[i][lane] = v->x[i][0];
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) rows[i][lane] = rows[i][0];
    }
}

unsigned hf_limb_lanes_blocked(hf_limb_lanes* l) {
    return l->obstacle_count ? hf_lane_kernel_for(hf_cpu_best())->blocked(l) : 0;
}

static int core_of(const hf_limb_lanes* l, int body) {
    for (int i = 0; i < l->core_count; i++)
        if (l->cores[i].body == body) return i;
    return -1;
}

void hf_limb_lanes_remember(hf_limb_lanes* l, const hf_contact_clearance* k, double slack) {
    int core = k->hit.body >= 0 ? core_of(l, k->hit.body) : -1;
    if (core < 0) return;
    hf_lane_obstacle o = {.core = core};
    double within = l->cores[core].radius - slack;
    if (k->hit.met.object >= 0) {
        o.triangle = true;
        hf_triangle t =
            hf_triangle_of(&k->placement->scene->objects[k->hit.met.object].mesh, k->hit.met.triangle);
        for (int i = 0; i < 3; i++)
            store(o.v[i],
                  hf_unapply(l->base, hf_apply(k->placement->objects[k->hit.met.object].pose, t.v[i])));
    } else {
        hf_vec3 ends[2];
        double radius;
        const hf_shape* other = &k->creature->view.bodies[k->rest[k->hit.rest]].shape;
        if (!core_ends(other, k->rest_poses[k->hit.rest], &radius, ends)) return;
        for (int i = 0; i < 2; i++) store(o.v[i], hf_unapply(l->base, ends[i]));
        within += radius;
    }
    o.within_m = (float)(within - CORE_ROUNDING_M);
    if (l->obstacle_count < HF_LANE_OBSTACLES) l->obstacle_count++;
    l->obstacles[l->obstacle_count - 1] = o;
}

void hf_limb_lanes_aim(hf_limb_lanes* l, int lane, int frame, bool flat, hf_vec3 point, hf_vec3 normal) {
    hf_lane_values* v = &l->now;
    hf_vec3 p = hf_unapply(l->base, point), n = hf_unrotate(l->base.rotation, normal), tangent[2];
    hf_tangents(n, tangent);
    const double parts[4][3] = {{p.x, p.y, p.z},
                                {n.x, n.y, n.z},
                                {tangent[0].x, tangent[0].y, tangent[0].z},
                                {tangent[1].x, tangent[1].y, tangent[1].z}};
    for (int i = 0; i < 3; i++) {
        v->tip_point[i][lane] = l->tips[frame].point[i], v->tip_normal[i][lane] = l->tips[frame].normal[i];
        v->point[i][lane] = (float)parts[0][i], v->normal[i][lane] = (float)parts[1][i];
        v->tangent[0][i][lane] = (float)parts[2][i], v->tangent[1][i][lane] = (float)parts[3][i];
    }
    v->turn_m[lane] = flat ? (float)l->turn_m : 0;
}

void hf_limb_lanes_solve(hf_limb_lanes* l) { hf_lane_kernel_for(hf_cpu_best())->solve(l); }

void hf_limb_lanes_read(const hf_limb_lanes* l, int lane, double* q) {
    for (int i = 0; i < l->step_count; i++) q[l->q_index[i]] = (double)l->now.x[i][lane];
}
