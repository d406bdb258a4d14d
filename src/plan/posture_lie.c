/* Bodies that lie: a posture without a stance rests on the ground with a face of the convex hull of all its
   bodies over which its centre of mass stands. Which face that is says whether the body lies on its front or
   on its back. */
#include "plan/posture_find.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/workspace.h"
#include "geom/triangle.h"
#include "model/rom.h"
#include "model/tolerance.h"
#include <holdfast/collision.h>

#include <math.h>
#include <string.h>

enum { ROUND = 16, CLEARINGS = 8 }; /* corners of a round body's ring; steps out of the way */
/* A face within 45 degrees of the front is the front. */
static const double FACING = 0.707;
static const double TOUCH_SHARE = 0.02; /* creature heights: bodies so near to the ground bear */

/* How far the body reaches along a direction from its frame's origin. */
static double extent(const hf_shape* s, hf_transform at, hf_vec3 along) {
    hf_vec3 d = hf_unrotate(at.rotation, along);
    double most = -INFINITY;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
        return s->radius;
    case HF_SHAPE_CAPSULE:
        return s->radius + s->half_length * fabs(d.z);
    case HF_SHAPE_BOX:
        return fabs(d.x) * s->half_size.x + fabs(d.y) * s->half_size.y + fabs(d.z) * s->half_size.z;
    case HF_SHAPE_HULL:
        for (int i = 0; i < s->vertex_count; i++) {
            most = fmax(most, hf_dot(d, hf_vertex(s->vertices, (size_t)i)));
        }
    }
    return most;
}

/* The farthest point of all bodies along a direction. */
static double reach_along(const hf_posture_ground* g, const hf_transform* links, hf_vec3 along) {
    double most = -INFINITY;
    for (int b = 0; b < g->view->body_count; b++) {
        const hf_body* body = &g->view->bodies[b];
        hf_transform at = hf_compose(links[body->link], body->in_link);
        most = fmax(most, hf_dot(at.position, along) + extent(&body->shape, at, along));
    }
    return most;
}

/* How far limb joints are from standing, mean share of their ranges. */
static double find_strain(const hf_posture_ground* g, const double* q) {
    double sum = 0;
    int count = 0;
    for (int l = 0; l < g->view->limb_count; l++)
        for (int k = 0; k < g->view->limbs[l].joint_count; k++) {
            const hf_joint* j = &g->view->joints[g->view->limbs[l].joints[k]];
            double range = fmin(j->upper - j->lower, 2 * M_PI);
            if (j->q_count != 1 || !(range > 0)) continue;
            sum += fmin(1, fabs(q[j->q_index] - g->standing[j->q_index]) / range);
            count++;
        }
    return count > 0 ? sum / count : 0;
}

/* How far to the side of its first joint a limb bears, mean share of its length: what its joints must carry
   grows with that. */
static double find_lever(const hf_posture_ground* g, const hf_transform* links, const hf_posture* p) {
    double sum = 0;
    for (int i = 0; i < p->hold_count; i++) {
        const hf_limb* l = &g->view->limbs[p->holds[i].limb];
        hf_vec3 base = hf_apply(links[l->base_link], l->base.position), at = p->holds[i].point;
        if (l->length > 0) sum += hf_hypot(at.x - base.x, at.y - base.y) / l->length;
    }
    return p->hold_count > 0 ? sum / p->hold_count : 0;
}

void hf_posture_measure(const hf_posture_ground* g, const hf_transform* links, hf_posture* p) {
    p->high = hf_v3(reach_along(g, links, hf_v3(1, 0, 0)), reach_along(g, links, hf_v3(0, 1, 0)),
                    reach_along(g, links, hf_v3(0, 0, 1)));
    p->low = hf_v3(-reach_along(g, links, hf_v3(-1, 0, 0)), -reach_along(g, links, hf_v3(0, -1, 0)),
                   -reach_along(g, links, hf_v3(0, 0, -1)));
    hf_vec3 up = hf_unrotate(p->pose.root.rotation, hf_v3(0, 0, 1));
    p->tilt_rad = hf_atan2(-up.x, up.z);
    p->cost = find_strain(g, p->pose.q) + find_lever(g, links, p);
}

/* One try. */
typedef struct rest {
    const hf_posture_ground* ground;
    hf_workspace* workspace;
    hf_pose pose;
    hf_transform* links;
    hf_stance* stance;
    hf_status status;
} rest;

static bool note(rest* r, hf_status status) {
    if (r->status == HF_OK) r->status = status;
    return r->status == HF_OK;
}

/* Bodies whose trunk is higher than long look ahead, others have their belly below. */
static hf_vec3 find_front(rest* r) {
    const hf_creature_view* v = r->ground->view;
    memcpy(r->pose.q, r->ground->standing, sizeof(double) * (size_t)v->q_count);
    r->pose.root = hf_transform_identity();
    hf_forward(r->ground->creature, &r->pose, r->links);
    hf_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < v->body_count; b++)
        for (int t = 0; t < v->trunk_count; t++) {
            const hf_body* body = &v->bodies[b];
            if (body->link != v->trunk[t]) continue;
            hf_transform at = hf_compose(r->links[body->link], body->in_link);
            high.x = fmax(high.x, at.position.x + extent(&body->shape, at, hf_v3(1, 0, 0)));
            high.z = fmax(high.z, at.position.z + extent(&body->shape, at, hf_v3(0, 0, 1)));
            low.x = fmin(low.x, at.position.x - extent(&body->shape, at, hf_v3(-1, 0, 0)));
            low.z = fmin(low.z, at.position.z - extent(&body->shape, at, hf_v3(0, 0, -1)));
        }
    return high.z - low.z > high.x - low.x ? hf_v3(1, 0, 0) : hf_v3(0, 0, -1);
}

/* All corners of all bodies. */
static bool add_points(rest* r, float** points, int* count) {
    const hf_creature_view* v = r->ground->view;
    int capacity = 0;
    for (int b = 0; b < v->body_count; b++) {
        hf_mesh mesh = {0};
        hf_transform at = hf_compose(r->links[v->bodies[b].link], v->bodies[b].in_link);
        if (!note(r, hf_shape_mesh(&v->bodies[b].shape, ROUND, &mesh))) return false;
        for (int i = 0; i < mesh.vertex_count; i++) {
            if (!HF_GROW(*points, capacity, 3 * *count + 2))
                return hf_mesh_free(&mesh), note(r, HF_ERROR_MEMORY);
            hf_vec3 x = hf_apply(at, hf_vertex(mesh.vertices, (size_t)i));
            float* to = *points + 3 * (size_t)(*count)++;
            to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z;
        }
        hf_mesh_free(&mesh);
    }
    return true;
}

/* The face that looks to `front` with the centre of mass over it. */
static bool find_face(const hf_mesh* hull, hf_vec3 com, hf_vec3 front, hf_vec3* normal) {
    for (int t = 0; t < hull->triangle_count; t++) {
        hf_triangle corners = hf_triangle_of(hull, t);
        hf_vec3 a = corners.v[0], b = corners.v[1], c = corners.v[2];
        hf_vec3 n = hf_normalize(hf_cross(hf_sub(b, a), hf_sub(c, a)));
        if (!(hf_dot(n, front) > FACING)) continue;
        hf_vec3 x = hf_sub(com, hf_scale(n, hf_dot(n, hf_sub(com, a))));
        if (hf_dot(n, hf_cross(hf_sub(b, a), hf_sub(x, a))) < 0 ||
            hf_dot(n, hf_cross(hf_sub(c, b), hf_sub(x, b))) < 0 ||
            hf_dot(n, hf_cross(hf_sub(a, c), hf_sub(x, c))) < 0)
            continue;
        *normal = n;
        return true;
    }
    return false;
}

/* The root turned so that the face is below and what was above or ahead looks along +X, and put down. */
static void lay_down(rest* r, hf_vec3 down) {
    hf_quat turn = hf_quat_between(down, hf_v3(0, 0, -1));
    hf_vec3 head = hf_rotate(turn, fabs(down.z) < FACING ? hf_v3(0, 0, 1) : hf_v3(1, 0, 0));
    turn = hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 0, 1), -hf_atan2(head.y, head.x)), turn);
    r->pose.root = (hf_transform){hf_v3(0, 0, 0), turn};
    hf_forward(r->ground->creature, &r->pose, r->links);
    r->pose.root.position.z = reach_along(r->ground, r->links, hf_v3(0, 0, -1));
    hf_forward(r->ground->creature, &r->pose, r->links);
}

/* The static margin on the hull's corners that are at the ground. */
static bool find_margin(rest* r, const hf_mesh* hull, hf_quat turn, double* margin) {
    hf_support supports[HF_STANCE_SUPPORTS] = {0};
    int count = 0, near = 0;
    double lowest = INFINITY;
    for (int i = 0; i < hull->vertex_count; i++)
        lowest = fmin(lowest, hf_rotate(turn, hf_vertex(hull->vertices, (size_t)i)).z);
    for (int i = 0; i < hull->vertex_count && count < HF_STANCE_SUPPORTS; i++) {
        hf_vec3 x = hf_rotate(turn, hf_vertex(hull->vertices, (size_t)i));
        if (x.z > lowest + HF_DEPTH_M) continue;
        hf_support* s = &supports[count];
        if (s->corner_count == 0)
            *s = (hf_support){.normal = {0, 0, 1}, .friction = hf_object_def_default().friction};
        s->corners[s->corner_count++] = hf_v3(x.x, x.y, 0);
        if (s->corner_count == HF_SUPPORT_CORNERS) count++;
        near++;
    }
    if (count < HF_STANCE_SUPPORTS && supports[count].corner_count > 0) count++;
    if (near < 3 ||
        !note(r, hf_stance_build(r->stance, supports, count, r->ground->view->mass, NULL, r->workspace)))
        return false;
    *margin = hf_stance_margin(r->stance, hf_com(r->ground->creature, r->links));
    return true;
}

/* Does a body of the trunk lie on the ground, or nearly? */
static bool trunk_lies(const rest* r) {
    const hf_creature_view* v = r->ground->view;
    for (int b = 0; b < v->body_count; b++)
        for (int t = 0; t < v->trunk_count; t++) {
            const hf_body* body = &v->bodies[b];
            hf_transform at = hf_compose(r->links[body->link], body->in_link);
            if (body->link == v->trunk[t] &&
                at.position.z - extent(&body->shape, at, hf_v3(0, 0, -1)) < TOUCH_SHARE * v->height)
                return true;
        }
    return false;
}

/* How far a limb and what is beyond it reach along a direction with its joints as they are. */
static double limb_reaches(rest* r, int limb, hf_vec3 along) {
    const hf_creature_view* v = r->ground->view;
    int root = v->limbs[limb].root_link;
    double most = -INFINITY;
    hf_forward_from(r->ground->creature, root, r->pose.q, r->links);
    for (int b = 0; b < v->body_count; b++) {
        const hf_body* body = &v->bodies[b];
        int link = body->link;
        while (link >= 0 && link != root) link = v->links[link].parent_link;
        hf_transform at = hf_compose(r->links[body->link], body->in_link);
        if (link == root) most = fmax(most, hf_dot(at.position, along) + extent(&body->shape, at, along));
    }
    return most;
}

/* Turns each joint of each limb to that end of its range, or leaves it, which takes the limb farthest from
   the side that shall lie on the ground; a share of all that. */
static void clear_side(rest* r, hf_vec3 side, double share) {
    const hf_creature_view* v = r->ground->view;
    for (int l = 0; l < v->limb_count; l++)
        for (int k = 0; k < v->limbs[l].joint_count; k++) {
            const hf_joint* j = &v->joints[v->limbs[l].joints[k]];
            if (j->type != HF_JOINT_REVOLUTE || j->q_count != 1) continue;
            double *q = &r->pose.q[j->q_index], best = *q, ends[] = {j->lower, j->upper};
            double least = limb_reaches(r, l, side) - HF_DEPTH_M;
            for (int i = 0; i < 2; i++) {
                *q = ends[i];
                double now = limb_reaches(r, l, side);
                if (now < least) least = now, best = *q;
            }
            *q = best;
        }
    for (int i = 0; i < v->q_count; i++)
        r->pose.q[i] = r->ground->standing[i] + share * (r->pose.q[i] - r->ground->standing[i]);
}

/* The standing posture; the same with its limbs more and more out of the way; then also turned aside by a
   growing share of their ranges, within all regions. */
static void choose_joints(rest* r, hf_random* random, int number, hf_vec3 side) {
    const hf_creature_view* v = r->ground->view;
    double share = number <= CLEARINGS ? 0 : (double)number / r->ground->options->draws;
    memcpy(r->pose.q, r->ground->standing, sizeof(double) * (size_t)v->q_count);
    r->pose.root = hf_transform_identity();
    hf_forward(r->ground->creature, &r->pose, r->links);
    clear_side(r, side, fmin(1, (double)number / CLEARINGS));
    for (int l = 0; l < v->limb_count; l++)
        for (int k = 0; k < v->limbs[l].joint_count; k++) {
            const hf_joint* j = &v->joints[v->limbs[l].joints[k]];
            if (j->type != HF_JOINT_REVOLUTE || j->q_count != 1) continue;
            double to = hf_random_between(random, j->lower, j->upper);
            r->pose.q[j->q_index] += share * (to - r->pose.q[j->q_index]);
        }
    hf_pose_follow(r->ground->creature, r->pose.q);
    for (int i = 0; i < v->rom_count; i++) {
        hf_rom_memory none = {.triangle = -1};
        hf_rom_keep(r->ground->creature, i, HF_ROM_RAD, &none, r->pose.q);
    }
    r->pose.root = hf_transform_identity();
    hf_forward(r->ground->creature, &r->pose, r->links);
}

/* Bodies that are flat or a line together have no hull, and lie nowhere. */
static bool find_hull(rest* r, const float* points, int count, hf_mesh* hull) {
    hf_status status = hf_hull_build(points, count, hull, NULL);
    if (status != HF_ERROR_FORMAT) note(r, status);
    return status == HF_OK;
}

static bool settle(rest* r, hf_vec3 side, double* margin) {
    float* points = NULL;
    int count = 0;
    hf_mesh hull = {0};
    hf_vec3 down;
    bool good = add_points(r, &points, &count) && count > 3 && find_hull(r, points, count, &hull) &&
                find_face(&hull, hf_com(r->ground->creature, r->links), side, &down);
    if (good) {
        lay_down(r, down);
        good = find_margin(r, &hull, r->pose.root.rotation, margin);
    }
    hf_mesh_free(&hull);
    hf_free(points);
    hf_collision_query q = hf_collision_query_default();
    q.scene = false;
    return good && *margin >= r->ground->options->margin_m && trunk_lies(r) &&
           !hf_collides(r->ground->creature, r->ground->placement, r->links, &q, NULL);
}

hf_status hf_posture_lie(const hf_posture_ground* g, hf_posture_family family, uint32_t stream,
                         hf_workspace* workspace, hf_posture* to, bool* found) {
    rest r = {.ground = g, .workspace = workspace};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    r.pose.q = hf_workspace_take(workspace, (size_t)g->view->q_count + 1, sizeof(double));
    r.links = hf_workspace_take(workspace, (size_t)g->view->link_count, sizeof *r.links);
    bool ready = note(&r, hf_stance_create(&r.stance));
    if (!r.pose.q || !r.links) ready = note(&r, HF_ERROR_MEMORY);
    hf_vec3 side = ready ? find_front(&r) : hf_v3(1, 0, 0);
    if (family == HF_POSTURE_SUPINE) side = hf_neg(side);
    for (int i = 0; ready && !*found && i < g->options->draws && hf_workspace_goes_on(workspace); i++) {
        hf_random random = hf_random_start(g->options->seed, stream, (uint64_t)i);
        double margin;
        choose_joints(&r, &random, i, side);
        if (!settle(&r, side, &margin)) continue;
        to->family = family;
        to->pose.root = r.pose.root;
        memcpy(to->pose.q, r.pose.q, sizeof(double) * (size_t)g->view->q_count);
        to->hold_count = 0;
        to->margin_m = margin;
        hf_posture_measure(g, r.links, to);
        *found = true;
    }
    hf_stance_free(r.stance);
    hf_workspace_end(workspace, mark);
    return r.status;
}
