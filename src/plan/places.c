/* Places: where a limb could touch next, out of the spots of the scene. Those within its reach that last
   longest and are nearest to where the limb is at ease come first; the limb is then solved onto each, from
   poses that the body can have while the others hold it. */
#include "plan/planner.h"

#include "model/creature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double OFF_EASE = 1.5;      /* weight of the distance from ease, limb lengths */
static const double LEAST_FACING = 0.35; /* cosine between a patch as the body has it and the surface */
static const double LONGEST = 1.0;       /* step, of the limb's length */
static const double ROOMY = 0.6;         /* weight of the room about a spot: a limb must come and go */
static const double LOWER = 0.05;        /* creature heights */
static const double BEARS = 1;           /* weight of how much of the body's weight a surface bears */
static const double APART = 0.012;       /* creature heights between two places */
static const double VAIN_APART = 0.5;
enum { MAX_TRIES = 36, RANKED = 256, MOST = 10, STRIDES = 6, MAX_POSES = 4 };

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
    int index[STRIDES + 1];
    hf_transform base[STRIDES + 1][2];
} outlook;

static void look_ahead(const hf_planner* p, int limb, int from, outlook* o) {
    int end = from + p->options->horizon, last = p->guide_count - 1, step = p->options->horizon / STRIDES + 1;
    if (end > last) end = last;
    o->count = 0;
    for (int i = from; i < end && o->count <= STRIDES;) {
        i = i + step < end ? i + step : end;
        hf_transform lower = p->guide[i];
        lower.position.z -= LOWER * p->view->height;
        o->index[o->count] = i;
        o->base[o->count][0] = hf_compose(p->guide[i], p->model->limbs[limb].limb_in_root);
        o->base[o->count++][1] = hf_compose(lower, p->model->limbs[limb].limb_in_root);
    }
}

/* The last guide pose, about, from which the limb may touch the spot, within the horizon. */
static int lasts(const hf_planner* p, int limb, int from, const outlook* o, const hf_spot* s, bool grip) {
    for (int i = 0; i < o->count; i++) {
        if (!hf_limb_may_reach(p, limb, o->base[i][0], s, grip) &&
            !hf_limb_may_reach(p, limb, o->base[i][1], s, grip))
            break;
        from = o->index[i];
    }
    return from;
}

static bool may_reach(const hf_planner* p, int limb, hf_transform base, const hf_spot* s, bool grip) {
    return hf_distance(base.position, s->point) < p->view->limbs[limb].length &&
           hf_limb_may_reach(p, limb, base, s, grip);
}

/* The spots within reach from one of the poses, best first, at most RANKED. */
static int rank(hf_planner* p, const hf_pose* poses, int pose_count, int limb, const hf_plan_hold* old,
                int index, ranked* all) {
    const hf_limb* l = &p->view->limbs[limb];
    const hf_plan_limb* m = &p->model->limbs[limb];
    int count = 0, later = index + p->options->horizon / 2;
    if (later > p->guide_count - 1) later = p->guide_count - 1;
    hf_transform bases[MAX_POSES];
    for (int k = 0; k < pose_count && k < MAX_POSES; k++)
        bases[k] = hf_compose(poses[k].root, m->limb_in_root);
    outlook ahead;
    look_ahead(p, limb, index, &ahead);
    hf_vec3 ease = hf_limb_ease(p, limb, p->guide[later]);
    if (old) {
        hf_vec3 was = hf_unapply(p->guide[(old->since + old->until) / 2], old->at.point);
        ease = hf_lerp(ease, hf_apply(p->guide[later], was), 0.5);
    }
    for (int i = 0; i < p->spot_count; i++) {
        hf_spot* s = &p->spots[i];
        if (old && hf_distance(s->point, old->at.point) > LONGEST * l->length) continue;
        bool grip = l->grip && hf_scene_object(p->scene, s->object).grip;
        int from = -1;
        for (int k = 0; k < pose_count && k < MAX_POSES && from < 0; k++)
            if (may_reach(p, limb, bases[k], s, grip)) from = k;
        if (from < 0) continue;
        int until = lasts(p, limb, index, &ahead, s, grip);
        double share = fmin(1, (double)(until - index) / p->options->horizon);
        if (old && until <= old->until && until < index + p->options->horizon && until < p->guide_count - 1)
            continue;
        ranked r = {i, from,
                    p->options->duration * share +
                        (grip ? BEARS : BEARS * s->normal.z + ROOMY * hf_spot_room(p, s)) -
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

static bool is_beyond(const hf_planner* p, int link, int first) {
    while (link >= 0 && link != first) link = p->view->links[link].parent_link;
    return link == first;
}

/* Is what touches free with its link there, and what is beyond it? Sooner known than how the limb gets there.
 */
static bool effector_fits(hf_planner* p, const hf_pose* pose, int link, hf_transform at) {
    hf_forward(p->creature, pose, p->links);
    hf_transform by = hf_compose(at, hf_inverse(p->links[link]));
    hf_allowance allowance = hf_allowance_default();
    for (int b = 0; b < p->view->body_count; b++) {
        const hf_body* body = &p->view->bodies[b];
        if (!is_beyond(p, body->link, link)) continue;
        hf_transform there = hf_compose(by, hf_compose(p->links[body->link], body->in_link));
        if (hf_placement_overlap(p->placement, &body->shape, there, &allowance, NULL)) return false;
    }
    return true;
}

/* The limb from the pose to the target. */
static bool reach(hf_planner* p, const hf_pose* pose, const hf_target* t, double* q) {
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 2;
    o.max_iterations = 30;
    o.whole = true;
    o.seed = p->options->seed;
    o.posture = pose->q;
    hf_forward(p->creature, pose, p->links);
    memcpy(q, pose->q, sizeof(double) * (size_t)p->view->q_count);
    hf_limb_loosen(p->creature, t->limb, q);
    hf_solve_result r;
    if (hf_limb_solve(p->creature, &p->links[p->view->limbs[t->limb].base_link], t, &o, p->workspace, q,
                      &r) != HF_OK)
        p->out_of_memory = true;
    return !p->out_of_memory && r.outcome == HF_FOUND;
}

/* The orientation of the effector's link on the spot; false when there is none for it. */
static bool find_turn(hf_planner* p, const hf_pose* pose, int index, const hf_hold* c, turning turn,
                      hf_target t, double* q, hf_quat* rotation) {
    const hf_contact_frame* f = &p->view->limbs[c->limb].contacts[c->frame];
    int later = index + p->options->horizon / 2;
    if (later > p->guide_count - 1) later = p->guide_count - 1;
    if (turn == AS_BODY) {
        hf_quat wanted =
            hf_quat_mul(hf_root_upright(p->guide[later]).rotation, p->model->limbs[c->limb].rest_turn);
        hf_vec3 own = hf_rotate(wanted, f->normal), into = hf_neg(c->normal);
        *rotation = hf_quat_mul(hf_quat_between(own, into), wanted);
        return hf_dot(own, into) >= LEAST_FACING;
    }
    hf_spot s = {c->point, c->normal, c->object, -1};
    outlook ahead;
    look_ahead(p, c->limb, index, &ahead);
    hf_pose then = {p->guide[(index + lasts(p, c->limb, index, &ahead, &s, c->grip)) / 2], pose->q};
    t.kind = HF_TARGET_NORMAL;
    if (!reach(p, &then, &t, q)) return false;
    hf_pose there = {then.root, q};
    hf_forward(p->creature, &there, p->links);
    *rotation = p->links[f->link].rotation;
    return true;
}

/* The limb on the spot with one contact frame, from the pose; *fits is false when the effector would be in
   something there. */
static bool solve(hf_planner* p, const hf_pose* pose, int index, const hf_hold* c, turning turn, double* q,
                  bool* fits) {
    const hf_contact_frame* f = &p->view->limbs[c->limb].contacts[c->frame];
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
static bool try_spot(hf_planner* p, const hf_pose* pose, const hf_plan_hold* rest, int rest_count, int limb,
                     int frame, int index, const hf_spot* s, unsigned* blocked, hf_step_candidate* to) {
    const hf_contact_frame* f = &p->view->limbs[limb].contacts[frame];
    hf_hold c = {.limb = limb,
                 .frame = frame,
                 .object = s->object,
                 .grip = p->view->limbs[limb].grip && hf_scene_object(p->scene, s->object).grip,
                 .point = s->point,
                 .normal = s->normal};
    bool patch = f->patch[0] > 0 || f->patch[1] > 0;
    bool walks = p->model->limbs[limb].walks && patch && f->ball <= 0;
    turning first = walks ? AS_BODY : c.grip && f->ball <= 0 ? AS_LATER : ANY_WAY;
    for (turning turn = first; turn <= ANY_WAY && !p->out_of_memory; turn++) {
        if ((turn == AS_LATER && !c.grip) || *blocked >> turn & 1) continue;
        hf_pose at = {pose->root, to->q};
        hf_collision hit;
        bool fits = true, solved = solve(p, pose, index, &c, turn, to->q, &fits);
        bool free = solved && !hf_holds_collide(p, rest, rest_count, -1, &at, &hit);
        if (solved && !free && hit.other_body < 0)
            fits = !is_beyond(p, p->view->bodies[hit.body].link, f->link);
        if (!fits) *blocked |= 1u << turn;
        if (!free) continue;
        hf_hold_make(p, &c, &at, &to->hold);
        if (to->hold.support.corner_count == 0) continue;
        to->root = pose->root;
        hf_hold_span(p, index, &to->hold);
        return true;
    }
    return false;
}

bool hf_places_any(const hf_planner* p, int limb, hf_transform root) {
    const hf_limb* l = &p->view->limbs[limb];
    hf_transform base = hf_compose(root, p->model->limbs[limb].limb_in_root);
    for (int i = 0; i < p->spot_count; i++) {
        const hf_spot* s = &p->spots[i];
        bool grip = l->grip && hf_scene_object(p->scene, s->object).grip;
        if (may_reach(p, limb, base, s, grip)) return true;
    }
    return false;
}

/* Is one of the points that near? */
static bool has_near(const hf_planner* p, const int* spots, int count, hf_vec3 point, double near) {
    for (int i = 0; i < count; i++)
        if (hf_distance(p->spots[spots[i]].point, point) < near) return true;
    return false;
}

void hf_places_list(hf_planner* p, const hf_pose* poses, int pose_count, const hf_plan_hold* rest,
                    int rest_count, int limb, const hf_plan_hold* old, int index, hf_step_list* list) {
    ranked all[RANKED];
    int good[HF_STEP_CANDIDATES], vain[MAX_TRIES], good_count = 0, vain_count = 0;
    double apart = APART * p->view->height;
    int count = rank(p, poses, pose_count, limb, old, index, all);
    for (int i = 0; i < count && !p->out_of_memory; i++) {
        if (good_count == MOST || vain_count == MAX_TRIES || list->count == HF_STEP_CANDIDATES) break;
        const hf_spot* s = &p->spots[all[i].spot];
        // beside a place is the same, beside none is little hope
        if (has_near(p, good, good_count, s->point, apart) ||
            has_near(p, vain, vain_count, s->point, VAIN_APART * apart))
            continue;
        hf_step_candidate* to = &list->items[list->count];
        bool found = false;
        bool grip = p->view->limbs[limb].grip && hf_scene_object(p->scene, s->object).grip;
        unsigned blocked[HF_MAX_FRAMES_OF_LIMB] = {0};
        for (int k = all[i].pose; k < pose_count && !found; k++) {
            hf_transform base = hf_compose(poses[k].root, p->model->limbs[limb].limb_in_root);
            if (!may_reach(p, limb, base, s, grip)) continue;
            for (int f = 0; f < p->model->limbs[limb].set_count && !found; f++)
                found = try_spot(p, &poses[k], rest, rest_count, limb, f, index, s, &blocked[f], to);
        }
        if (!found) {
            vain[vain_count++] = all[i].spot;
            continue;
        }
        good[good_count++] = all[i].spot;
        list->count++;
    }
}
