/* The papers test a sample's limb for collision as it is (efort-2014-journal section 3.2). Here the finish
   moves it yet, by about epsilon: so bodies may overlap by a slack, and the effector, which the finish turns
   against the surface, is tested where it will be then. */
#include "contact/contact_clearance.h"

#include "base/workspace.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/kinematic_tree.h"
#include "model/scene.h"

#include <math.h>

/* Position and normal are five rows: with fewer joints a limb cannot have both. */
enum { ALIGNING_JOINTS = 5 };

static bool moves_with(const hf_creature* c, const hf_limb* limb, int link) {
    const hf_kinematic_tree* t = c->tree;
    int steps = t->place[link] - t->place[limb->root_link];
    return limb->joint_count > 0 && steps >= 0 && steps < t->link_total[limb->root_link];
}

static bool on_chain(const hf_creature_view* v, const hf_limb* limb, int link) {
    for (int l = limb->effector_link; l != limb->base_link && l >= 0; l = v->links[l].parent_link)
        if (l == link) return true;
    return false;
}

static hf_rest_core rest_core(const hf_shape* shape, hf_transform pose) {
    if (shape->kind != HF_SHAPE_SPHERE && shape->kind != HF_SHAPE_CAPSULE)
        return (hf_rest_core){.radius = INFINITY};
    double half = shape->kind == HF_SHAPE_CAPSULE ? shape->half_length : 0;
    hf_vec3 along = hf_rotate(pose.rotation, hf_v3(0, 0, half));
    return (hf_rest_core){.from = hf_sub(pose.position, along),
                          .way = hf_scale(along, 2),
                          .per_square = half > 0 ? 1 / (4 * hf_dot(along, along)) : 0,
                          .radius = shape->radius};
}

static void add_rest(hf_contact_clearance* k, int body) {
    const hf_body* b = &k->creature->view.bodies[body];
    const hf_body_bound* bound = &k->creature->bounds[body];
    hf_vec3 at = hf_apply(k->links[b->link], bound->centre);
    int i = k->rest_count++;
    k->rest[i] = body;
    k->rest_poses[i] = hf_compose(k->links[b->link], b->in_link);
    k->rest_cores[i] = rest_core(&b->shape, k->rest_poses[i]);
    k->rest_x[i] = at.x, k->rest_y[i] = at.y, k->rest_z[i] = at.z, k->rest_radius[i] = bound->radius;
}

hf_shape hf_shape_core(const hf_shape* shape, hf_transform* in) {
    *in = hf_transform_identity();
    if (shape->kind == HF_SHAPE_SPHERE || shape->kind == HF_SHAPE_CAPSULE) return *shape;
    if (shape->kind != HF_SHAPE_BOX) return (hf_shape){0};
    hf_vec3 s = shape->half_size;
    double least = fmin(s.x, fmin(s.y, s.z)), most = fmax(s.x, fmax(s.y, s.z));
    hf_vec3 along = most == s.z ? hf_v3(0, 0, 1) : most == s.x ? hf_v3(1, 0, 0) : hf_v3(0, 1, 0);
    in->rotation = hf_quat_between(hf_v3(0, 0, 1), along);
    return (hf_shape){.kind = HF_SHAPE_CAPSULE, .radius = least, .half_length = most - least};
}

/* Where a body hangs; `in` is its link there. */
static hf_clearance_body hang(const hf_creature* c, int body, int link, hf_transform in) {
    const hf_body* b = &c->view.bodies[body];
    hf_clearance_body h = {.body = body,
                           .link = link,
                           .in_link = hf_compose(in, b->in_link),
                           .centre = hf_apply(in, c->bounds[body].centre)};
    if (b->shape.kind != HF_SHAPE_BOX) return h;
    hf_transform turn;
    h.core = hf_shape_core(&b->shape, &turn);
    h.core_in_link = hf_compose(h.in_link, turn);
    return h;
}

/* Every body goes with the effector, with a link of the chain, or stays; others (the foot of a knee) are left
   to the finish. */
static void sort_bodies(hf_contact_clearance* k) {
    const hf_creature_view* v = &k->creature->view;
    const hf_limb* limb = &v->limbs[k->limb];
    hf_transform effector = hf_inverse(k->links[limb->effector_link]);
    for (int i = 0; i < limb->contact_count; i++)
        k->frames[i] = hf_compose(effector, k->links[limb->contacts[i].link]);
    for (int i = 0; i < v->body_count; i++) {
        const hf_body* b = &v->bodies[i];
        if (hf_effector_has(k->creature, k->limb, b->link)) {
            hf_transform in = hf_compose(effector, k->links[b->link]);
            k->effector[k->effector_count++] = hang(k->creature, i, limb->effector_link, in);
        } else if (!moves_with(k->creature, limb, b->link)) {
            add_rest(k, i);
        } else if (on_chain(v, limb, b->link)) {
            k->upper[k->upper_count++] = hang(k->creature, i, b->link, hf_transform_identity());
        }
    }
}

/* Where the last joint is in the effector, and how far from the first one the links between let it get. */
static void measure_wrist(hf_contact_clearance* k) {
    const hf_creature_view* v = &k->creature->view;
    const hf_limb* limb = &v->limbs[k->limb];
    if (limb->joint_count == 0) return;
    hf_vec3 at = k->anchor = hf_apply(k->links[limb->base_link], limb->base.position);
    for (int i = 0; i < limb->joint_count; i++) {
        const hf_joint* joint = &v->joints[limb->joints[i]];
        hf_vec3 next = k->links[joint->child_link].position;
        bool turns = joint->type == HF_JOINT_REVOLUTE || joint->type == HF_JOINT_CONTINUOUS;
        k->wrist_reach_m += turns ? hf_distance(at, next) : INFINITY;
        at = next;
    }
    k->wrist_in_effector = hf_unapply(k->links[limb->effector_link], at);
}

hf_status hf_contact_clearance_make(const hf_creature* creature, const hf_placement* placement,
                                    const hf_contact_query* query, hf_transform* links, double* q,
                                    hf_workspace* workspace, hf_contact_clearance* k) {
    size_t count = (size_t)creature->view.body_count + 1;
    *k = (hf_contact_clearance){.creature = creature,
                                .placement = placement,
                                .limb = query->limb,
                                .grip = query->role == HF_ROLE_GRIP,
                                .links = links,
                                .q = q};
    k->aligns = creature->view.limbs[query->limb].joint_count >= ALIGNING_JOINTS;
    k->upper = hf_workspace_take(workspace, 2 * count, sizeof *k->upper);
    k->frames = hf_workspace_take(workspace, (size_t)creature->view.limbs[query->limb].contact_count + 1,
                                  sizeof *k->frames);
    k->rest = hf_workspace_take(workspace, count, sizeof *k->rest);
    k->rest_poses = hf_workspace_take(workspace, count, sizeof *k->rest_poses);
    k->rest_cores = hf_workspace_take(workspace, count, sizeof *k->rest_cores);
    k->rest_x = hf_workspace_take(workspace, 4 * count, sizeof *k->rest_x);
    if (!k->upper || !k->frames || !k->rest || !k->rest_poses || !k->rest_cores || !k->rest_x)
        return HF_ERROR_MEMORY;
    k->effector = k->upper + count;
    k->rest_y = k->rest_x + count, k->rest_z = k->rest_y + count, k->rest_radius = k->rest_z + count;
    for (int i = 0; i < HF_PART_NONE; i++) k->order[i] = (hf_clearance_part)i;
    sort_bodies(k);
    measure_wrist(k);
    return HF_OK;
}

/* Moves a body that collided to the front of the list: it mostly collides in the next test, too. */
static void move_to_front(hf_clearance_body* bodies, int at) {
    if (at == 0) return;
    hf_clearance_body hit = bodies[at];
    bodies[at] = bodies[0];
    bodies[0] = hit;
}

static bool in_scene(hf_contact_clearance* k, hf_clearance_body* bodies, int count, const hf_transform* at,
                     double depth, const hf_object_depth* touched) {
    for (int i = 0; i < count; i++) {
        const hf_clearance_body* b = &bodies[i];
        const hf_transform* link = at ? at : &k->links[b->link];
        const hf_shape* shape = &k->creature->view.bodies[b->body].shape;
        int objects = touched ? 1 : 0;
        hf_met met;
        bool round = shape->kind == HF_SHAPE_SPHERE || shape->kind == HF_SHAPE_CAPSULE;
        bool meets = b->core.radius > depth &&
                     hf_placement_meets_by(k->placement, &b->core, hf_compose(*link, b->core_in_link), depth,
                                           touched, objects, &met);
        bool core = meets || round;
        meets = meets || hf_placement_meets_by(k->placement, shape, hf_compose(*link, b->in_link), depth,
                                               touched, objects, &met);
        if (!meets) continue;
        if (core) k->hit = (hf_clearance_hit){b->body, met, -1};
        move_to_front(bodies, i);
        return true;
    }
    return false;
}

/* Is the ball of radius `radius` about p apart from a capsule? */
static bool is_apart(const hf_rest_core* core, hf_vec3 p, double radius) {
    hf_vec3 d = hf_sub(p, core->from);
    double share = hf_dot(d, core->way) * core->per_square, r = radius + core->radius;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    d = hf_sub(d, hf_scale(core->way, share));
    return hf_dot(d, d) > r * r;
}

/* Against the bodies that stay. */
static bool in_rest(hf_contact_clearance* k, const hf_clearance_body* body, double depth) {
    const hf_body* b = &k->creature->view.bodies[body->body];
    double radius = k->creature->bounds[body->body].radius;
    hf_vec3 p = hf_apply(k->links[body->link], body->centre);
    hf_transform pose = hf_compose(k->links[body->link], body->in_link);
    for (int i = 0; i < k->rest_count; i++) {
        double x = p.x - k->rest_x[i], y = p.y - k->rest_y[i], z = p.z - k->rest_z[i];
        double r = radius + k->rest_radius[i];
        if (x * x + y * y + z * z > r * r || is_apart(&k->rest_cores[i], p, radius) ||
            !hf_pair_bit(k->creature, body->body, k->rest[i]))
            continue;
        const hf_shape* other = &k->creature->view.bodies[k->rest[i]].shape;
        if (!hf_shape_overlap(&b->shape, pose, other, k->rest_poses[i], depth)) continue;
        k->hit = (hf_clearance_hit){body->body, {-1, -1}, i};
        return true;
    }
    return false;
}

static bool in_body(hf_contact_clearance* k, hf_clearance_body* bodies, int count, double depth) {
    for (int i = 0; i < count; i++)
        if (in_rest(k, &bodies[i], depth)) {
            move_to_front(bodies, i);
            return true;
        }
    return false;
}

/* Where the contact would have the effector: its point on the surface, turned the least that aligns it, or
   not at all. */
static hf_transform touching(const hf_contact_clearance* k, int frame, const hf_surface* surface,
                             bool align) {
    const hf_limb* limb = &k->creature->view.limbs[k->limb];
    hf_transform link = k->links[limb->effector_link];
    hf_vec3 offset = {0, 0, 0}, point = surface->point;
    if (frame >= 0) {
        const hf_contact_frame* c = &limb->contacts[frame];
        hf_transform in = k->frames[frame];
        offset = hf_apply(in, c->offset);
        point = hf_add(point, hf_scale(surface->normal, c->ball));
        if (align && !(c->ball > 0)) {
            hf_vec3 normal = hf_rotate(hf_quat_mul(link.rotation, in.rotation), c->normal);
            link.rotation = hf_quat_mul(hf_quat_between(normal, hf_neg(surface->normal)), link.rotation);
        }
    }
    link.position = hf_sub(point, hf_rotate(link.rotation, offset));
    return link;
}

static bool effector_clear(hf_contact_clearance* k, int frame, const hf_surface* surface, bool align,
                           double slack, double touched_slack) {
    hf_transform at = touching(k, frame, surface, align);
    double depth = k->grip ? INFINITY : hf_allowance_default().touched_depth + touched_slack;
    hf_object_depth touched = {surface->object, depth};
    return !in_scene(k, k->effector, k->effector_count, &at, slack, &touched);
}

/* Can the limb lay the contact frame flat on the surface? Then the last joint is on a circle about the
   normal, which may be out of its reach. Frames that need not lie flat always can. */
static bool within_reach_flat(const hf_contact_clearance* k, int frame, const hf_surface* surface) {
    const hf_limb* limb = &k->creature->view.limbs[k->limb];
    if (!k->aligns || k->grip || frame < 0 || limb->contacts[frame].ball > 0) return true;
    const hf_contact_frame* c = &limb->contacts[frame];
    hf_transform in = k->frames[frame];
    hf_vec3 wrist = hf_sub(k->wrist_in_effector, hf_apply(in, c->offset));
    double height = -hf_dot(hf_rotate(in.rotation, c->normal), wrist);
    double radius = sqrt(fmax(0, hf_dot(wrist, wrist) - height * height));
    hf_vec3 anchor = hf_sub(k->anchor, surface->point);
    double above = hf_dot(anchor, surface->normal);
    double aside = sqrt(fmax(0, hf_dot(anchor, anchor) - above * above));
    return hf_hypot(above - height, aside - radius) <= k->wrist_reach_m * (1 + HF_REACH_ROUNDING);
}

/* Is one part of the limb in the way, as k->links have it? */
static bool part_blocked(hf_contact_clearance* k, hf_clearance_part part, int frame,
                         const hf_surface* surface, bool turned, double slack) {
    if (part == HF_PART_EFFECTOR)
        return !effector_clear(k, frame, surface, turned && k->aligns, slack, turned ? slack : 0);
    if (part == HF_PART_UPPER) return in_scene(k, k->upper, k->upper_count, NULL, slack, NULL);
    return in_body(k, k->upper, k->upper_count, slack) || in_body(k, k->effector, k->effector_count, slack);
}

hf_clearance_part hf_contact_blocked(hf_contact_clearance* k, const double* q, int frame,
                                     const hf_surface* surface, bool turned, double slack) {
    hf_forward_limb(k->creature, k->limb, q, k->links);
    k->hit.body = -1;
    for (int i = 0; i < HF_PART_NONE; i++) {
        hf_clearance_part part = k->order[i];
        if (!part_blocked(k, part, frame, surface, turned, slack)) continue;
        for (; i > 0; i--) k->order[i] = k->order[i - 1];
        k->order[0] = part;
        return part;
    }
    return HF_PART_NONE;
}

bool hf_contact_effector_clear(hf_contact_clearance* k, const double* q, int frame, const hf_surface* surface,
                               double slack) {
    hf_forward_limb(k->creature, k->limb, q, k->links);
    return effector_clear(k, frame, surface, false, slack, 0);
}

bool hf_contact_blocked_again(hf_contact_clearance* k, double depth) {
    hf_clearance_part part = k->order[0] == HF_PART_EFFECTOR ? k->order[1] : k->order[0];
    return part_blocked(k, part, -1, NULL, false, depth);
}

bool hf_contact_clear(hf_contact_clearance* k, const hf_samples* samples, int sample, int frame,
                      const hf_surface* surface, double slack) {
    if (k->creature->view.limbs[k->limb].joint_count == 0) return true;
    k->hit.body = -1;
    if (!within_reach_flat(k, frame, surface)) return false;
    hf_samples_pose(k->creature, samples, sample, k->q);
    return hf_contact_blocked(k, k->q, frame, surface, true, slack) == HF_PART_NONE;
}
