/* Places: where a limb could touch next, out of the spots of the scene. Those within its reach that last
   longest and are nearest to where the limb is at ease come first; the limb is then solved onto each, from
   poses that the body can have while the others hold it. */
#include "plan/family.h"
#include "plan/step.h"

#include "base/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double OFF_EASE = 1.5; /* weight of the distance from ease, limb lengths */
enum { RANKED = 256, MOST = HF_STEP_CANDIDATES / 2 };

typedef struct ranked {
    int spot, pose;
    double score;
} ranked;

static int by_score(const void* a, const void* b) {
    const ranked *x = a, *y = b;
    if (x->score != y->score) return (x->score < y->score) - (x->score > y->score);
    return (x->spot > y->spot) - (x->spot < y->spot);
}

/* Where a limb's root frame will be: on the guide in strides up to the horizon, and a little lower. */
typedef struct outlook {
    int count;
    int index[HF_STRIDES + 1];
    hf_transform base[HF_STRIDES + 1][2];
} outlook;

static void look_ahead(const hf_plan_world* w, int limb, int from, outlook* o) {
    int end = hf_guide_ahead(w, from, w->options->horizon), step = hf_guide_stride(w);
    o->count = 0;
    for (int i = from; i < end && o->count <= HF_STRIDES;) {
        i = i + step < end ? i + step : end;
        hf_transform lower = w->guide[i];
        lower.position.z -= HF_LARGE_SHIFT / 2 * w->model->size;
        o->index[o->count] = i;
        o->base[o->count][0] = hf_compose(w->guide[i], w->model->limbs[limb].limb_in_root);
        o->base[o->count++][1] = hf_compose(lower, w->model->limbs[limb].limb_in_root);
    }
}

/* The last guide pose, about, from which the limb may touch the spot, within the horizon. */
static int lasts(const hf_plan_world* w, int limb, int from, const outlook* o, const hf_spot* s, bool grip) {
    for (int i = 0; i < o->count; i++) {
        if (!hf_limb_may_reach(w, limb, o->base[i][0], s, grip) &&
            !hf_limb_may_reach(w, limb, o->base[i][1], s, grip))
            break;
        from = o->index[i];
    }
    return from;
}

static bool can_grip(const hf_plan_world* w, int limb, const hf_spot* s) {
    return w->view->limbs[limb].grip && hf_scene_object(w->scene, s->object).grip;
}

static bool may_reach(const hf_plan_world* w, int limb, hf_transform base, const hf_spot* s, bool grip) {
    return hf_distance(base.position, s->point) < w->view->limbs[limb].length &&
           hf_limb_may_reach(w, limb, base, s, grip);
}

/* The limb's root frame: with the trunk at rest, or on all limbs as the trunk has it. */
static hf_transform base_at(hf_planner* p, const hf_step_query* q, const hf_pose* pose) {
    if (!hf_bent_posture(&p->world, p->world.guide[q->index], 0))
        return hf_compose(pose->root, p->world.model->limbs[q->limb].limb_in_root);
    hf_forward(p->world.creature, pose, p->tools.links);
    return hf_limb_base(p->world.creature, q->limb, p->tools.links);
}

/* The spots within reach from one of the poses, best first, at most RANKED. */
static int rank(hf_planner* p, const hf_step_query* q, ranked* all) {
    const hf_plan_world* w = &p->world;
    const hf_limb* l = &w->view->limbs[q->limb];
    const hf_plan_hold* old = q->old;
    int count = 0, index = q->index, later = hf_guide_ahead(w, index, w->options->horizon / 2);
    hf_transform bases[HF_ARRIVALS];
    for (int k = 0; k < q->pose_count && k < HF_ARRIVALS; k++) bases[k] = base_at(p, q, &q->poses[k]);
    outlook ahead;
    look_ahead(w, q->limb, index, &ahead);
    hf_vec3 ease = hf_limb_ease(w, q->limb, w->guide[later]);
    if (old) {
        hf_vec3 was = hf_unapply(w->guide[(old->since + old->until) / 2], old->at.point);
        ease = hf_lerp(ease, hf_apply(w->guide[later], was), 0.5);
    }
    for (int i = 0; i < w->spot_count; i++) {
        hf_spot* s = &w->spots[i];
        if (old && hf_distance(s->point, old->at.point) > l->length) continue;
        bool grip = can_grip(w, q->limb, s);
        int from = -1;
        for (int k = 0; k < q->pose_count && k < HF_ARRIVALS && from < 0; k++)
            if (may_reach(w, q->limb, bases[k], s, grip)) from = k;
        if (from < 0) continue;
        int until = lasts(w, q->limb, index, &ahead, s, grip);
        double share = fmin(1, (double)(until - index) / w->options->horizon);
        if (old && until <= old->until && until < index + w->options->horizon && until < w->guide_count - 1)
            continue;
        ranked r = {i, from,
                    w->options->duration * share +
                        (grip ? 1 : s->normal.z + w->options->room * hf_spot_room(w, s)) -
                        OFF_EASE * hf_distance(s->point, ease) / l->length};
        if (count == RANKED) {
            int worst = 0;
            for (int k = 1; k < count; k++)
                if (all[k].score < all[worst].score) worst = k;
            if (all[worst].score < r.score) all[worst] = r;
        } else
            all[count++] = r;
    }
    qsort(all, (size_t)count, sizeof *all, by_score);
    return count;
}

/* How a limb's effector is turned: as the body will be; as the limb would have it on half of the way that the
   contact lasts; any way with its normal against the surface. */
typedef enum turning { AS_BODY, AS_LATER, ANY_WAY } turning;

static bool is_beyond(const hf_plan_world* w, int link, int first) {
    while (link >= 0 && link != first) link = w->view->links[link].parent_link;
    return link == first;
}

/* Is what touches free with its link there, and what is beyond it? Sooner known than how the limb gets there.
 */
static bool effector_fits(hf_planner* p, const hf_pose* pose, int link, hf_transform at) {
    hf_forward(p->world.creature, pose, p->tools.links);
    hf_transform by = hf_compose(at, hf_inverse(p->tools.links[link]));
    hf_allowance allowance = hf_allowance_default();
    for (int b = 0; b < p->world.view->body_count; b++) {
        const hf_body* body = &p->world.view->bodies[b];
        if (!is_beyond(&p->world, body->link, link)) continue;
        hf_transform there = hf_compose(by, hf_compose(p->tools.links[body->link], body->in_link));
        if (hf_placement_overlap(p->world.placement, &body->shape, there, &allowance, NULL)) return false;
    }
    return true;
}

/* The limb from the pose to the target. */
static bool reach(hf_planner* p, const hf_pose* pose, const hf_target* t, double* q) {
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 2;
    o.max_iterations = 30;
    o.whole = true;
    o.seed = p->world.options->seed;
    o.posture = pose->q;
    hf_forward(p->world.creature, pose, p->tools.links);
    memcpy(q, pose->q, sizeof(double) * (size_t)p->world.view->q_count);
    hf_limb_loosen(p->world.creature, t->limb, q);
    hf_solve_result r;
    return hf_plan_note(p, hf_limb_solve(p->world.creature,
                                         &p->tools.links[p->world.view->limbs[t->limb].base_link], t, &o,
                                         p->tools.workspace, q, &r)) &&
           r.outcome == HF_FOUND;
}

/* The orientation of the effector's link on the spot; false when there is none for it. */
static bool find_turn(hf_planner* p, const hf_pose* pose, int index, const hf_hold* c, turning turn,
                      hf_target t, double* q, hf_quat* rotation) {
    const hf_contact_frame* f = &p->world.view->limbs[c->limb].contacts[c->frame];
    int later = hf_guide_ahead(&p->world, index, p->world.options->horizon / 2);
    if (turn == AS_BODY) {
        hf_quat wanted = hf_quat_mul(hf_root_upright(p->world.guide[later]).rotation,
                                     p->world.model->limbs[c->limb].rest_turn);
        hf_vec3 own = hf_rotate(wanted, f->normal), into = hf_neg(c->normal);
        *rotation = hf_quat_mul(hf_quat_between(own, into), wanted);
        return hf_dot(own, into) >= HF_LEAST_FACING;
    }
    hf_spot s = {c->point, c->normal, c->object, -1};
    outlook ahead;
    look_ahead(&p->world, c->limb, index, &ahead);
    hf_pose then = {p->world.guide[(index + lasts(&p->world, c->limb, index, &ahead, &s, c->grip)) / 2],
                    pose->q};
    t.kind = HF_TARGET_NORMAL;
    if (!reach(p, &then, &t, q)) return false;
    hf_pose there = {then.root, q};
    hf_forward(p->world.creature, &there, p->tools.links);
    *rotation = p->tools.links[f->link].rotation;
    return true;
}

/* The limb on the spot with one contact frame, from the pose; *fits is false when the effector would be in
   something there. */
static bool solve(hf_planner* p, const hf_pose* pose, int index, const hf_hold* c, turning turn, double* q,
                  bool* fits) {
    const hf_contact_frame* f = &p->world.view->limbs[c->limb].contacts[c->frame];
    hf_target t = {.kind = turn <= AS_LATER ? HF_TARGET_POSE : HF_TARGET_NORMAL,
                   .limb = c->limb,
                   .contact = c->frame,
                   .point = c->point,
                   .normal = c->normal};
    if (turn <= AS_LATER) {
        if (!find_turn(p, pose, index, c, turn, t, q, &t.rotation)) return false;
        hf_transform link = {hf_sub(c->point, hf_rotate(t.rotation, f->offset)), t.rotation};
        *fits = effector_fits(p, pose, f->link, link);
        if (!*fits) return false;
    }
    return reach(p, pose, &t, q);
}

/* `blocked` has a bit for each turning with which the effector was in something at this spot. Turned as the
   body it is so whatever the pose; the other turnings follow from the pose, and to pass over them later is a
   shortcut. */
static bool try_spot(hf_planner* p, const hf_step_query* q, const hf_pose* pose, int frame, const hf_spot* s,
                     unsigned* blocked, hf_step_candidate* to) {
    int limb = q->limb;
    const hf_contact_frame* f = &p->world.view->limbs[limb].contacts[frame];
    hf_hold c = {.limb = limb,
                 .frame = frame,
                 .object = s->object,
                 .grip = can_grip(&p->world, limb, s),
                 .point = s->point,
                 .normal = s->normal};
    bool patch = f->patch[0] > 0 || f->patch[1] > 0;
    bool walks = p->world.model->limbs[limb].walks && patch && f->ball <= 0;
    turning first = walks ? AS_BODY : c.grip && f->ball <= 0 ? AS_LATER : ANY_WAY;
    for (turning turn = first; turn <= ANY_WAY && hf_plan_ok(p); turn++) {
        if (!hf_workspace_goes_on(p->tools.workspace)) break;
        if ((turn == AS_LATER && !c.grip) || *blocked >> turn & 1) continue;
        hf_pose at = {pose->root, to->q};
        hf_collision hit;
        bool fits = true, solved = solve(p, pose, q->index, &c, turn, to->q, &fits);
        bool free = solved && !hf_holds_collide(p, q->rest, q->rest_count, &at, &hit);
        if (solved && !free && hit.other_body < 0)
            fits = !is_beyond(&p->world, p->world.view->bodies[hit.body].link, f->link);
        if (!fits) *blocked |= 1u << turn;
        if (!free) continue;
        hf_hold_make(p, &c, &at, &to->hold);
        if (to->hold.support.corner_count == 0) continue;
        to->root = pose->root;
        hf_hold_span(&p->world, q->index, &to->hold);
        return true;
    }
    return false;
}

bool hf_places_any(const hf_plan_world* w, int limb, hf_transform root) {
    hf_transform base = hf_compose(root, w->model->limbs[limb].limb_in_root);
    for (int i = 0; i < w->spot_count; i++) {
        const hf_spot* s = &w->spots[i];
        bool grip = can_grip(w, limb, s);
        if (may_reach(w, limb, base, s, grip)) return true;
    }
    return false;
}

/* Is one of the points that near? */
static bool has_near(const hf_plan_world* w, const int* spots, int count, hf_vec3 point, double near) {
    for (int i = 0; i < count; i++)
        if (hf_distance(w->spots[spots[i]].point, point) < near) return true;
    return false;
}

/* The limb on the spot with any of its contact frames, from any of the poses. */
static bool try_poses(hf_planner* p, const hf_step_query* q, const ranked* at, hf_step_candidate* to) {
    const hf_plan_limb* m = &p->world.model->limbs[q->limb];
    const hf_spot* s = &p->world.spots[at->spot];
    bool grip = can_grip(&p->world, q->limb, s);
    unsigned blocked[HF_MAX_FRAMES_OF_LIMB] = {0};
    for (int k = at->pose; k < q->pose_count; k++) {
        if (!may_reach(&p->world, q->limb, base_at(p, q, &q->poses[k]), s, grip)) continue;
        for (int f = 0; f < m->set_count; f++)
            if (try_spot(p, q, &q->poses[k], f, s, &blocked[f], to)) return true;
    }
    return false;
}

void hf_places_list(hf_planner* p, const hf_step_query* q, hf_step_list* list) {
    const hf_plan_world* w = &p->world;
    ranked all[RANKED];
    int accepted[HF_STEP_CANDIDATES], rejected[HF_STEP_CANDIDATES], good = 0, bad = 0;
    double apart = HF_SMALL_SHIFT / 2 * w->model->size;
    int count = rank(p, q, all);
    for (int i = 0; i < count && hf_plan_ok(p) && hf_workspace_goes_on(p->tools.workspace); i++) {
        if (good == MOST || bad == HF_STEP_CANDIDATES || list->count == HF_STEP_CANDIDATES) break;
        // skip spots close to one that was already accepted or rejected
        hf_vec3 point = w->spots[all[i].spot].point;
        if (has_near(w, accepted, good, point, apart) || has_near(w, rejected, bad, point, apart / 2))
            continue;
        hf_step_candidate* to = &list->items[list->count];
        if (!try_poses(p, q, &all[i], to)) {
            rejected[bad++] = all[i].spot;
            continue;
        }
        accepted[good++] = all[i].spot;
        list->count++;
    }
}
