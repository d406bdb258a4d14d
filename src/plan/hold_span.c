/* How long a contact lasts: from which poses of the guide the limb reaches it, first by the limb's reach
   volume, then by the limb itself. */
#include "plan/planner.h"

#include "base/workspace.h"

#include <math.h>

/* The body may leave the guide by a small shift to let a limb reach, and lower itself by a large one: guides
   rise straight where feet have stairs. */

/* How far a point is inside the volume, m: less than nothing outside, where it need not be all of it. */
static double depth_in(const hf_volume* v, hf_vec3 x, hf_vec3 up, double height) {
    double depth = v->plane_count > 0 ? INFINITY : -1;
    for (int i = 0; i < v->plane_count && depth >= 0; i++) {
        const double* n = v->planes + 4 * i;
        double down = -(n[0] * up.x + n[1] * up.y + n[2] * up.z);
        double leeway = height * (HF_SMALL_SHIFT + (down > 0 ? HF_LARGE_SHIFT * down : 0));
        double left = n[3] + leeway - (n[0] * x.x + n[1] * x.y + n[2] * x.z);
        depth = left < depth ? left : depth;
    }
    return depth;
}

/* A contact as the body sees it along the guide. Normals of a volume have length 1: what is known to be deep
   inside stays inside while it and the direction upwards change less than that. */
typedef struct sight {
    hf_vec3 x, up;
    double depth;
} sight;

static bool reaches(const hf_plan_world* w, const hf_plan_hold* h, int i, sight* last) {
    sight now = {hf_unapply(w->guide[i], h->anchor.point), hf_unrotate(w->guide[i].rotation, hf_v3(0, 0, 1)),
                 0};
    double height = w->model->size;
    double change = hf_distance(now.x, last->x) + HF_LARGE_SHIFT * height * hf_distance(now.up, last->up);
    if (change <= last->depth) return true;
    now.depth = depth_in(&w->model->limbs[h->at.limb].volume, now.x, now.up, height);
    *last = now;
    return now.depth >= 0;
}

static int last_reached(const hf_plan_world* w, int from, const hf_plan_hold* h) {
    int end = from + 2 * w->options->horizon, last = w->guide_count - 1;
    sight seen = {.depth = -1};
    if (end > last) end = last;
    // a body that has lowered itself to a contact is behind the guide at first
    int next = from, behind = from + w->options->horizon / 2;
    while (next < end && next < behind && !reaches(w, h, next, &seen)) next++;
    for (; next <= end && reaches(w, h, next, &seen); next++) from = next;
    return from;
}

void hf_hold_span(const hf_plan_world* w, int from, hf_plan_hold* h) {
    h->since = from;
    h->until = last_reached(w, from, h);
    h->seen = from + 2 * w->options->horizon;
    int first = from - 2 * w->options->horizon;
    sight seen = {.depth = -1};
    while (h->since > 0 && h->since > first && reaches(w, h, h->since - 1, &seen)) h->since--;
}

/* With the root there, can the limb hold the contact free of collision? q goes on to how it does. */
static bool holds_at(hf_planner* p, const hf_plan_hold* h, hf_transform root, double* q) {
    hf_pose pose = {root, q};
    hf_vec3 miss;
    if (!hf_holds_keep(p, h, 1, &pose, &miss)) return false;
    hf_forward(p->world.creature, &pose, p->tools.links);
    hf_hold touch = h->at;
    hf_collision_query c = hf_collision_query_default();
    c.touches = &touch;
    c.touch_count = h->overlaps;
    c.limb = h->at.limb;
    return !hf_plan_collides(p, &c, NULL);
}

/* With the body at guide pose i: on the guide; before the guide's end also as far beside it as the body is
   now, lower, or higher: guides rise and sink at once where feet have steps. */
static bool holds_along(hf_planner* p, const hf_plan_hold* h, int i, hf_transform off, const hf_pose* from,
                        hf_pose* to) {
    const hf_plan_world* w = &p->world;
    enum { ROOTS = 4 };
    hf_transform roots[ROOTS] = {w->guide[i], hf_compose(w->guide[i], off), w->guide[i], w->guide[i]};
    roots[2].position.z -= HF_LARGE_SHIFT * w->model->size / 2;
    roots[3].position.z += HF_LARGE_SHIFT * w->model->size / 2;
    for (int k = 0; k < (i == w->guide_count - 1 ? 1 : ROOTS) && hf_plan_ok(p); k++) {
        hf_pose_copy(w, from, to);
        if (holds_at(p, h, roots[k], to->q)) return true;
    }
    return false;
}

/* The last guide pose, in steps of a part of the horizon, up to which the limb can hold the contact. */
static int last_held(hf_planner* p, int from, hf_transform root, const hf_plan_hold* h, hf_pose* at,
                     hf_pose* next) {
    int horizon = p->world.options->horizon, step = hf_guide_stride(&p->world), last = from;
    hf_transform off = hf_compose(hf_inverse(p->world.guide[from]), root);
    for (int i = from; i < h->until;) {
        i = i + step < h->until ? i + step : h->until;
        bool good = holds_along(p, h, i, off, at, next);
        if (!good && last == from && i < from + horizon / 2) continue;
        if (!good) break;
        hf_pose_copy(&p->world, next, at);
        last = i;
    }
    return last;
}

void hf_hold_tighten(hf_planner* p, int from, const hf_pose* pose, hf_plan_hold* h) {
    // a limb of less than three joints holds only together with the body, which the reach volume allows for
    if (p->world.view->limbs[h->at.limb].joint_count < 3) return;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose at = hf_take_pose(p), next = hf_take_pose(p);
    if (hf_plan_ok(p)) {
        hf_pose_copy(&p->world, pose, &at);
        int last = last_held(p, from, pose->root, h, &at, &next);
        h->until = last < h->until ? last : h->until;
    }
    hf_workspace_end(p->tools.workspace, mark);
}

void hf_holds_refresh(hf_planner* p, hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++) {
        hf_plan_hold* h = &n->holds[i];
        if (h->until < h->seen || h->until == p->world.guide_count - 1) continue;
        if (h->seen > n->guide_index + p->world.options->horizon) continue;
        int since = h->since;
        hf_hold_span(&p->world, n->guide_index, h);
        h->since = since;
        hf_hold_tighten(p, n->guide_index, &n->pose, h);
    }
}

double hf_hold_off_goal(const hf_plan_world* w, const hf_plan_hold* h) {
    return hf_distance(hf_limb_ease(w, h->at.limb, w->guide[w->guide_count - 1]), h->at.point);
}
