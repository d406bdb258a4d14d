/* Footsteps of a walk: the limbs that walk take turns, each foot is put where it is at ease with the body a
   little farther along the guide. */
#include "plan/walk.h"

#include "plan/step.h"

#include <math.h>
#include <string.h>

/* Of the length of a leg from its first joint to the ground: how far one foot goes in a stride. A person's
   legs of 0.93 m make steps of 0.7 m, so strides of 1.4 m. */
static const double STRIDE = 1.5;
/* Times in units of the pendulum's own time, sqrt(height / gravity), which is 0.3 s for a person: from rest
   to the first lift and from the last landing to rest, a swing, the last one, the time with all limbs down
   between two swings, the time before a lift in which a foot rolls over its toes, and the time by which the
   body is then ahead of the middle of its feet, because a heel that rises lets the leg behind reach farther
   than the one before. */
static const double SHIFT_TIME = 1.4, SWING_TIME = 1.3, LAST_SWING_TIME = 1.1, BETWEEN_TIME = 0.15,
                    ROLL_TIME = 0.55, LEAD_TIME = 0.3;
/* Of the other steps: the last one, so that the body comes to rest. */
static const double LAST_STEP = 0.8;
/* Of the root's height over the feet at rest: how far two footholds in turn may differ in height, and how far
   the guide's height may differ from the rest. The cosine of the guide's tilt that is upright. */
static const double LEVEL = 0.05, LOWER = 0.1, UPRIGHT = 0.95;
static const double LEAST_STRIDES = 1; /* a shorter way is not worth a walk */
enum { SHIFTED_PLACES = 9 };           /* places tried about the one wished for, a guide pose apart */

static bool walks(const hf_plan_world* w, int limb) {
    return w->model->limbs[limb].walks && w->view->limbs[limb].joint_count > 0;
}

double hf_walk_natural_stride(const hf_plan_world* w) {
    double sum = 0;
    int count = 0;
    for (int l = 0; l < w->view->limb_count; l++) {
        const hf_plan_limb* limb = &w->model->limbs[l];
        if (walks(w, l)) sum += limb->anchor_in_root.z - limb->rest_in_root.z, count++;
    }
    return count > 0 ? STRIDE * sum / count : 0;
}

/* ---- feet ---- */

hf_toe hf_toe_find(const hf_plan_world* w, const hf_hold* hold) {
    const hf_limb* limb = &w->view->limbs[hold->limb];
    const hf_contact_frame* sole = &limb->contacts[hold->frame];
    for (int f = 0; f < limb->contact_count && sole->link == limb->effector_link; f++) {
        const hf_link* link = &w->view->links[limb->contacts[f].link];
        if (link->parent_link != limb->effector_link || !(limb->contacts[f].patch[0] > 0)) continue;
        const hf_joint* joint = &w->view->joints[link->joint];
        if (joint->type != HF_JOINT_REVOLUTE || joint->mimic >= 0) continue;
        hf_toe toe = {f, joint->q_index, -1, joint->origin.position,
                      hf_rotate(joint->origin.rotation, joint->axis)};
        // the heel rises, as seen from the joint
        hf_vec3 rises = hf_cross(hf_sub(sole->offset, toe.at), hf_neg(sole->normal));
        if (hf_dot(rises, toe.axis) < 0) toe.turn = 1, toe.axis = hf_neg(toe.axis);
        return toe;
    }
    return (hf_toe){.frame = -1};
}

/* The hold by the toes in the same posture. */
static void find_toes(hf_planner* p, const hf_pose* pose, hf_footstep* s) {
    hf_toe toe = hf_toe_find(&p->world, &s->hold.at);
    s->toes.at.limb = -1;
    if (toe.frame < 0) return;
    const hf_contact_frame* f = &p->world.view->limbs[s->limb].contacts[toe.frame];
    hf_hold at = s->hold.at;
    hf_forward(p->world.creature, pose, p->tools.links);
    at.frame = toe.frame;
    at.point = hf_apply(p->tools.links[f->link], f->offset);
    hf_hold_make(p, &at, pose, &s->toes);
    if (s->toes.support.corner_count < HF_SUPPORT_CORNERS) s->toes.at.limb = -1;
}

/* The guide between two of its poses. */
static hf_transform guide_at(const hf_plan_world* w, double index) {
    int i = (int)fmin(fmax(0, index), w->guide_count - 1), next = hf_guide_ahead(w, i, 1);
    double t = fmin(fmax(0, index - i), 1);
    return (hf_transform){hf_lerp(w->guide[i].position, w->guide[next].position, t),
                          hf_quat_slerp(w->guide[i].rotation, w->guide[next].rotation, t)};
}

/* The limb under the body at a place of the guide, its whole patch on the ground. */
static bool stand_under(hf_planner* p, double index, hf_pose* pose, hf_footstep* s) {
    const hf_plan_world* w = &p->world;
    hf_hold at;
    hf_pose_copy(w, &(hf_pose){hf_root_upright(guide_at(w, index)), w->model->standing}, pose);
    if (!hf_footing_set(p, s->limb, pose, &at)) return false;
    hf_hold_make(p, &at, pose, &s->hold);
    find_toes(p, pose, s);
    bool patch = w->view->limbs[s->limb].contacts[at.frame].patch[0] > 0;
    return s->hold.support.corner_count >= (patch ? HF_SUPPORT_CORNERS : 1);
}

/* The same at the place or a few guide poses before or behind it. */
static bool stand_near(hf_planner* p, double index, hf_pose* pose, hf_footstep* s) {
    for (int i = 0; i < SHIFTED_PLACES && hf_plan_ok(p); i++)
        if (stand_under(p, index + (i % 2 ? -1 : 1) * ((i + 1) / 2), pose, s)) return true;
    return false;
}

/* ---- turns ---- */

/* The limbs in the order in which they step: those of one side from the hindmost to the foremost, then those
   of the other side. */
static int list_limbs(const hf_plan_world* w, int* limbs) {
    int count = 0;
    for (int l = 0; l < w->view->limb_count && count < HF_MAX_HOLDS; l++) {
        if (!walks(w, l)) continue;
        hf_vec3 at = w->model->limbs[l].rest_in_root;
        int i = count++;
        for (; i > 0; i--) {
            hf_vec3 other = w->model->limbs[limbs[i - 1]].rest_in_root;
            bool left = at.y > 0, side = other.y > 0;
            if (left < side || (left == side && at.x >= other.x)) break;
            limbs[i] = limbs[i - 1];
        }
        limbs[i] = l;
    }
    return count;
}

/* The turn of the limb whose foot is farthest behind. */
static int first_turn(const hf_walk* k, const int* limbs, int count) {
    const hf_plan_world* w = &k->planner->world;
    hf_transform root = w->guide[k->node->guide_index];
    hf_vec3 ahead = hf_rotate(root.rotation, hf_v3(1, 0, 0));
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        int own = hf_holds_find(k->node->holds, k->node->hold_count, limbs[i]);
        double along = hf_dot(ahead, hf_sub(k->node->holds[own].at.point, hf_limb_ease(w, limbs[i], root)));
        if (along < least - HF_SMALL_SHIFT * w->view->height) least = along, best = i;
    }
    return best;
}

/* Do the limbs that walk hold, all of them and no others? */
static bool stands(hf_walk* k, int count) {
    hf_planner* p = k->planner;
    for (int i = 0; i < k->node->hold_count; i++) {
        const hf_plan_hold* h = &k->node->holds[i];
        if (!walks(&p->world, h->at.limb) || h->at.grip) return false;
        k->stood[i] = (hf_footstep){.limb = h->at.limb, .hold = *h};
        find_toes(p, &k->node->pose, &k->stood[i]);
    }
    return k->node->hold_count == count && count > 1;
}

/* Takes the step unless the limb is there already; false when there is no place. */
static bool take_step(hf_walk* k, int limb, double index, hf_pose* pose) {
    hf_footstep* s = &k->steps[k->step_count];
    *s = (hf_footstep){.limb = limb, .guide_index = (int)index};
    if (!stand_near(k->planner, index, pose, s)) return false;
    const hf_plan_hold* last = k->step_count > 0 ? &s[-1].hold : &k->node->holds[0];
    double height = k->planner->world.model->rest_height;
    if (fabs(s->hold.at.point.z - last->at.point.z) > LEVEL * height) return false;
    if (fabs(pose->root.position.z - s->hold.at.point.z - height) > LOWER * height) return false;
    s->lift = s->land = k->step_count; // until they have times
    const hf_plan_hold* old = &hf_walk_stood(k, limb, k->step_count)->hold;
    double near = HF_SMALL_SHIFT * k->planner->world.view->limbs[limb].length;
    k->step_count += hf_distance(old->at.point, s->hold.at.point) > near;
    return true;
}

/* Steps as far as `way` guide poses from the node; returns how far they come. */
static double lay_steps(hf_walk* k, double way, int turns, const int* limbs, int count, int turn) {
    double here = k->node->guide_index, reached = 0;
    k->step_count = 0;
    for (int i = 1; i < turns + count && hf_plan_ok(k->planner); i++) {
        double along = fmin(way, way * i / (turns - 1 + LAST_STEP));
        if (!take_step(k, limbs[(turn + i - 1) % count], here + along, &k->to)) return reached;
        reached = along;
    }
    return way;
}

/* Guide poses from the node on in which the body stands upright. */
static int upright_way(const hf_walk* k) {
    const hf_plan_world* w = &k->planner->world;
    int i = k->node->guide_index;
    while (i < k->farthest && hf_rotate(w->guide[i + 1].rotation, hf_v3(0, 0, 1)).z > UPRIGHT) i++;
    return i - k->node->guide_index;
}

bool hf_footsteps_find(hf_walk* k, double stride) {
    const hf_plan_world* w = &k->planner->world;
    int limbs[HF_MAX_HOLDS], count = list_limbs(w, limbs), here = k->node->guide_index;
    double way = upright_way(k);
    if (way < 1 || !stands(k, count)) return false;
    double piece = hf_distance(w->guide[here].position, w->guide[here + (int)way].position) / way;
    int turn = first_turn(k, limbs, count);
    // where a foot finds no place, the walk ends with the one before
    for (double reached = 0; hf_plan_ok(k->planner) && way * piece >= LEAST_STRIDES * stride; way = reached) {
        int turns = (int)ceil(count * way * piece / stride + 1 - LAST_STEP - HF_SMALL_SHIFT),
            most = HF_WALK_STEPS - count;
        if (turns > most) turns = most, way = turns * stride / count / piece;
        reached = lay_steps(k, way, turns, limbs, count, turn);
        k->guide_index = (int)(here + way + 0.5);
        if (reached == way) return k->step_count > 0;
    }
    return false;
}

/* ---- times ---- */

static void add_phase(hf_walk* k, int first) {
    int i = k->phase_count++;
    for (; i > 0 && k->phases[i - 1] > first; i--) k->phases[i] = k->phases[i - 1];
    k->phases[i] = first;
}

bool hf_footsteps_time(hf_walk* k, double slower) {
    double unit = slower * sqrt(k->height / HF_GRAVITY_M_S2) * k->planner->world.options->rate;
    int at = 1 + (int)(SHIFT_TIME * unit), roll = 1 + (int)(ROLL_TIME * unit);
    k->phase_count = 0;
    k->lead = k->stood[0].toes.at.limb >= 0 ? (int)(LEAD_TIME * unit + 0.5) : 0;
    add_phase(k, 0);
    for (int i = 0; i < k->step_count; i++) {
        hf_footstep* s = &k->steps[i];
        s->lift = at, s->roll = -1;
        s->land = at + 2 + (int)((i + 1 < k->step_count ? SWING_TIME : LAST_SWING_TIME) * unit);
        at = s->land + 1 + (int)(BETWEEN_TIME * unit);
    }
    for (int i = 0; i < k->step_count; i++) {
        hf_footstep* s = &k->steps[i];
        const hf_footstep* old = hf_walk_stood(k, s->limb, s->lift);
        if (old->toes.at.limb >= 0) s->roll = s->lift - roll;
        // two limbs do not change at once
        while (i > 0 && (s->roll == k->steps[i - 1].land || s->roll == k->steps[i - 1].lift + 1)) s->roll--;
        if (s->roll <= old->land) s->roll = -1;
        if (s->roll >= 0) add_phase(k, s->roll);
        add_phase(k, s->lift + 1);
        add_phase(k, s->land);
    }
    k->last = at + (int)(SHIFT_TIME * unit);
    return k->last < HF_WALK_KNOTS;
}

int hf_walk_step(const hf_walk* k, int limb, int knot) {
    for (int i = 0; i < k->step_count; i++)
        if (k->steps[i].limb == limb && k->steps[i].land > knot) return i;
    return -1;
}

const hf_footstep* hf_walk_stood(const hf_walk* k, int limb, int knot) {
    for (int i = k->step_count - 1; i >= 0; i--)
        if (k->steps[i].limb == limb && k->steps[i].land <= knot) return &k->steps[i];
    return &k->stood[hf_holds_find(k->node->holds, k->node->hold_count, limb)];
}

int hf_walk_phase(const hf_walk* k, int knot) {
    int i = k->phase_count - 1;
    while (i > 0 && k->phases[i] > knot) i--;
    return i;
}

int hf_walk_swings(const hf_walk* k, int knot) {
    for (int i = 0; i < k->step_count; i++)
        if (k->steps[i].lift < knot && knot < k->steps[i].land) return k->steps[i].limb;
    return -1;
}

int hf_walk_holds(const hf_walk* k, int phase, hf_plan_hold* holds) {
    int count = 0, knot = k->phases[phase];
    for (int i = 0; i < k->node->hold_count; i++) {
        int limb = k->node->holds[i].at.limb, next = hf_walk_step(k, limb, knot);
        const hf_footstep* at = hf_walk_stood(k, limb, knot);
        bool rolls = next >= 0 && k->steps[next].roll >= 0 && knot >= k->steps[next].roll;
        if (next < 0 || knot <= k->steps[next].lift) holds[count++] = rolls ? at->toes : at->hold;
    }
    return count;
}

/* Where the body is at ease over the feet, those that swing half way between old and new when half of their
   time is over. */
void hf_walk_wish(hf_walk* k) {
    hf_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i <= k->last; i++) {
        int knot = i + k->lead < k->last ? i + k->lead : k->last;
        hf_vec3 sum = {0, 0, 0};
        for (int h = 0; h < k->node->hold_count; h++) {
            int limb = k->node->holds[h].at.limb, next = hf_walk_step(k, limb, knot);
            hf_vec3 at = hf_walk_stood(k, limb, knot)->hold.at.point;
            const hf_footstep* s = next >= 0 ? &k->steps[next] : NULL;
            double u = s ? (double)(knot - s->lift) / (s->land - s->lift) : 0;
            if (u > 0) at = hf_lerp(at, s->hold.at.point, u);
            sum = hf_add(sum, hf_scale(at, 1 / (double)k->node->hold_count));
        }
        k->wish[i][0] = sum.x, k->wish[i][1] = sum.y;
        ends[i > 0] = sum;
    }
    // as far beside the feet's middle as at the beginning and at the end
    for (int knot = 0; knot <= k->last; knot++) {
        double u = (double)knot / k->last;
        k->wish[knot][0] += (1 - u) * (k->begin.x - ends[0].x) + u * (k->end.x - ends[1].x);
        k->wish[knot][1] += (1 - u) * (k->begin.y - ends[0].y) + u * (k->end.y - ends[1].y);
    }
}
