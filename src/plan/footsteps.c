/* Footsteps of a walk: the limbs that walk take turns, each foot is put where it is at ease with the body a
   little farther along the guide. */
#include "plan/walk.h"

#include "model/tolerance.h"
#include "plan/step.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

/* Times in units of the pendulum's own time, sqrt(height / gravity), which is 0.3 s for a person: from rest
   to the first lift and from the last landing to rest, a swing, the last one, the time with all limbs down
   between two swings, the time before a lift in which a foot rolls over its toes, and the time by which the
   body is then ahead of the middle of its feet, because a heel that rises lets the leg behind reach farther
   than the one before; the leg behind of a foot that stays flat should reach less far, as it must bend when
   the foot leaves. */
static const double SHIFT_TIME = 1.4, SWING_TIME = 1.3, LAST_SWING_TIME = 1.1, BETWEEN_TIME = 0.15,
                    ROLL_TIME = 0.55, SOONER_TIME = 0.2, LEAD_TIME = 0.3, FLAT_LEAD_TIME = -0.1;
/* How far the heel of a foot that rolls over its toes rises, rad, where the toes' joint goes so far: a
   person's rises by 0.9 rad. */
static const double ROLL_RAD = 0.9;
/* A way is divided into parts, of which a step goes on by at most so many, and the last one, with which the
   body comes to rest, by four fifths of that. */
enum { STEP_PARTS = HF_WALK_STEP_PARTS, LAST_PARTS = 4 * STEP_PARTS / 5 };
/* The first step of two feet without toes, which stay flat: the body that gets going is ahead of the middle
   of its feet, and the leg behind must reach it. */
enum { FLAT_FIRST_PARTS = 3 * STEP_PARTS / 5 };
/* How much nearer to each other two feet without toes step than they stand: the body then sways less, and a
   leg that swings off at once, without a roll before, turns it less. How far feet before and behind the root
   are put apart where they would meet, of the height of a leg: 4 cm of a dog. How much longer than that of
   two legs the longest stride of more legs is, of which only one swings at a time. */
static const double NARROWER = 0.3, SPREAD = 0.09, LONGER = 1.15;
/* Of a patch's diagonal, how much must bear: toes or a heel may stand over an edge by a tenth of it, 2.5 cm
   of a person's foot. How far two footholds in turn may differ in height, of the length of a leg: a person's
   steps up stairs are 0.17 m, 0.18 of it, and half as much again is steep. How far the guide's height may
   differ from that of the body at rest, of the latter. The cosine of the guide's tilt that is upright. */
static const double LEAST_PATCH = 0.9, RISE = 0.27, LOWER = 0.2, UPRIGHT = 0.95;
/* Of a stride of two legs: a shorter way is not worth a walk. */
static const double LEAST_STRIDES = 0.1;
/* Ways that are not straight ahead count as longer ones: by how far the body turns in a stride, rad, and how
   much farther than sideways or backwards it goes ahead in a stride. People turn by a quarter in two steps.
 */
static const double STRIDE_RAD = 1.2, SIDEWAYS = 2, BACKWARDS = 1.5;
/* What a foothold costs, in steps, at which a foot with toes has no ground under them: it cannot roll. */
static const double STIFF = 0.5;
/* How much wider than a barred step a longer one is that is barred with it, of how much longer. */
static const double HALF_AS_WIDE = 0.5;
/* How near to each other two feet are put across the body at least, of a leg. What it costs, in steps, to
   begin with another limb than the hindmost. */
static const double NEAREST = 0.02, OTHER_FIRST = 0.1;
enum { LEAST_HOLDING = 3 };  /* limbs that hold a body whose feet are points */
enum { SHIFTED_PLACES = 5 }; /* places tried about the one wished for */
/* On a slope a foot lies with its heel lower than where the leg stands, and the body sinks: in so many steps,
   each of this share of its height. */
enum { SUNK_TRIES = 4 };
static const double SUNK = 0.02;

/* The way of a walk: from the node to a pose of the guide, by limbs that take turns, one or a group at a
 * time.
 */
typedef struct walk_way {
    int end, parts; /* guide pose, parts of the way */
    int count;      /* limbs, those of one turn beside each other */
    int limbs[HF_MAX_HOLDS];
    int turns;
    int first_of[HF_MAX_HOLDS + 1]; /* limbs, of each turn */
    int first;                      /* parts of the first step at most */
    bool flat;                      /* feet have no toes, or none that touch where they stand first */
    bool stiff;                     /* each foot must be right below its hip */
    double part, highest, leg;      /* m: of one part; between two footholds in turn; height of a leg */
    double gap;                     /* m: across between two feet where they are at rest */
} walk_way;

static bool walks(const hf_plan_world* w, int limb) {
    return w->model->limbs[limb].walks && w->view->limbs[limb].joint_count > 0;
}

/* How high the first joints of the limbs that walk stand over their feet, on average, m; 0 where none walks.
 */
static double leg_height(const hf_plan_world* w) {
    double sum = 0;
    int count = 0;
    for (int l = 0; l < w->view->limb_count; l++) {
        const hf_plan_limb* limb = &w->model->limbs[l];
        if (walks(w, l)) sum += limb->anchor_in_root.z - limb->rest_in_root.z, count++;
    }
    return count > 0 ? sum / count : 0;
}

double hf_walk_longer_together(const hf_plan_world* w) {
    int count = 0, most = 0, groups = w->view->gait_count;
    for (int g = 0; g < groups; g++) {
        count += w->view->gait_sizes[g];
        most = w->view->gait_sizes[g] > most ? w->view->gait_sizes[g] : most;
    }
    if (groups < 2 || most < 2 || count - most < LEAST_HOLDING || count > HF_MAX_HOLDS) return 0;
    return (1 - 1 / (double)count) / (1 - 1 / (double)groups);
}

/* How far from their first joints the feet of the limbs that walk stand, on average, m: more than their
   height where the legs are spread. */
static double leg_reach(const hf_plan_world* w) {
    double sum = 0;
    int count = 0;
    for (int l = 0; l < w->view->limb_count; l++) {
        const hf_plan_limb* limb = &w->model->limbs[l];
        if (walks(w, l)) sum += hf_distance(limb->anchor_in_root, limb->rest_in_root), count++;
    }
    return count > 0 ? sum / count : 0;
}

double hf_walk_natural_stride(const hf_plan_world* w) {
    int count = 0;
    for (int l = 0; l < w->view->limb_count; l++) count += walks(w, l);
    return (count > 2 ? LONGER * leg_reach(w) : leg_height(w)) * w->options->walk_stride;
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
        hf_toe toe = {f,        joint->q_index,         -1,
                      ROLL_RAD, joint->origin.position, hf_rotate(joint->origin.rotation, joint->axis)};
        // the heel rises, as seen from the joint
        hf_vec3 rises = hf_cross(hf_sub(sole->offset, toe.at), hf_neg(sole->normal));
        if (hf_dot(rises, toe.axis) < 0) toe.turn = 1, toe.axis = hf_neg(toe.axis);
        double flat = w->model->standing[toe.q_index];
        toe.most = fmin(toe.most, toe.turn > 0 ? joint->upper - flat : flat - joint->lower);
        return toe;
    }
    return (hf_toe){.frame = -1};
}

/* Is the hold's point on a surface that faces as it says? The hold gets that surface's object. */
static bool is_on_ground(const hf_plan_world* w, double reach, hf_hold* at) {
    hf_surface ground;
    hf_vec3 from = hf_add(at->point, hf_scale(at->normal, reach));
    if (!hf_placement_ray(w->placement, from, hf_neg(at->normal), 2 * reach, &ground)) return false;
    double facing = fabs(hf_dot(ground.normal, at->normal));
    at->object = ground.object;
    return fabs(ground.distance - reach) <= HF_HELD_M && facing >= hf_cos(HF_CONTACT_RAD) &&
           hf_scene_object(w->scene, ground.object).contact;
}

/* The hold by the toes in the same posture, where they are on the same plane as the sole. */
static void find_toes(hf_planner* p, const hf_pose* pose, hf_footstep* s) {
    hf_toe toe = hf_toe_find(&p->world, &s->hold.at);
    s->toes.at.limb = -1;
    if (toe.frame < 0) return;
    const hf_contact_frame* f = &p->world.view->limbs[s->limb].contacts[toe.frame];
    hf_hold at = s->hold.at;
    hf_forward(p->world.creature, pose, p->tools.links);
    at.frame = toe.frame;
    at.point = hf_apply(p->tools.links[f->link], f->offset);
    if (!is_on_ground(&p->world, f->patch[0], &at)) return;
    hf_hold_make(p, &at, pose, &s->toes);
    if (s->toes.support.corner_count < HF_SUPPORT_CORNERS) s->toes.at.limb = -1;
}

hf_transform hf_walk_guide_at(const hf_plan_world* w, double index) {
    int i = (int)fmin(fmax(0, index), w->guide_count - 1), next = hf_guide_ahead(w, i, 1);
    double t = fmin(fmax(0, index - i), 1);
    return (hf_transform){hf_lerp(w->guide[i].position, w->guide[next].position, t),
                          hf_quat_slerp(w->guide[i].rotation, w->guide[next].rotation, t)};
}

/* Where the creature looks and what is to the left of it, in the root's frame. */
static hf_vec3 ahead_of(const hf_plan_world* w) {
    return hf_v3(hf_cos(w->view->facing), hf_sin(w->view->facing), 0);
}

static hf_vec3 left_of(const hf_plan_world* w) {
    return hf_v3(-hf_sin(w->view->facing), hf_cos(w->view->facing), 0);
}

/* From one pose of the guide to the next, in metres straight ahead that take a body as many steps. */
static double piece_of(const hf_plan_world* w, int i) {
    hf_transform a = hf_root_upright(w->guide[i]), b = hf_root_upright(w->guide[i + 1]);
    hf_vec3 on = hf_unrotate(a.rotation, hf_sub(b.position, a.position));
    double ahead = hf_dot(on, ahead_of(w)), aside = SIDEWAYS * hf_dot(on, left_of(w));
    double turn = hf_quat_angle(a.rotation, b.rotation) / STRIDE_RAD * hf_walk_natural_stride(w);
    return hf_hypot(hf_hypot(ahead < 0 ? BACKWARDS * ahead : ahead, aside), turn);
}

/* Measures the guide from the node on. */
static void measure(hf_walk* k) {
    k->steps.way[0] = 0;
    for (int i = k->node->guide_index; i + 1 < k->planner->world.guide_count; i++)
        k->steps.way[i + 1 - k->node->guide_index] =
            k->steps.way[i - k->node->guide_index] + piece_of(&k->planner->world, i);
}

/* How far a pose of the guide is from the node. */
static double way_to(const hf_walk* k, int index) { return k->steps.way[index - k->node->guide_index]; }

/* Where the guide is so far from the node. */
static double index_at(const hf_walk* k, double along) {
    int i = k->node->guide_index, last = k->planner->world.guide_count - 1;
    while (i < last && way_to(k, i + 1) < along) i++;
    double piece = i < last ? way_to(k, i + 1) - way_to(k, i) : 0;
    return i + (piece > 0 ? fmax(0, (along - way_to(k, i)) / piece) : 0);
}

/* Does nearly the whole patch bear? */
static bool is_whole(const hf_plan_world* w, const hf_plan_hold* h) {
    const hf_contact_frame* f = &w->view->limbs[h->at.limb].contacts[h->at.frame];
    if (!(f->patch[0] > 0)) return h->support.corner_count > 0;
    return h->support.corner_count == HF_SUPPORT_CORNERS &&
           hf_distance(h->support.corners[0], h->support.corners[2]) >
               LEAST_PATCH * hf_hypot(f->patch[0], f->patch[1]);
}

/* Is the limb alone free at the pose, with its hold? */
static bool is_free(hf_planner* p, const hf_pose* pose, const hf_plan_hold* hold) {
    hf_hold touch;
    hf_collision_query q = hf_collision_query_default();
    q.limb = hold->at.limb, q.self = false;
    q.touches = &touch, q.touch_count = hf_holds_touches(hold, 1, -1, &touch);
    hf_forward(p->world.creature, pose, p->tools.links);
    return !hf_plan_collides(p, &q, NULL);
}

/* The limb under the body at a place of the guide, its whole patch on the ground. The body is as high over
   that ground as it stands, and the guide not much lower or higher. */
static bool stand_under(hf_planner* p, double index, hf_vec3 aside, hf_pose* pose, hf_footstep* s) {
    const hf_plan_world* w = &p->world;
    hf_hold at;
    hf_pose_copy(w, &(hf_pose){hf_root_upright(hf_walk_guide_at(w, index)), w->model->standing}, pose);
    pose->root.position = hf_add(pose->root.position, hf_rotate(pose->root.rotation, aside));
    hf_vec3 from = hf_apply(pose->root, w->model->limbs[s->limb].anchor_in_root),
            foot = hf_apply(pose->root, w->model->limbs[s->limb].rest_in_root);
    hf_surface ground;
    from.x = foot.x, from.y = foot.y;
    if (!hf_placement_ray(w->placement, from, hf_v3(0, 0, -1), 2 * (from.z - foot.z), &ground)) return false;
    double z = ground.point.z + w->model->rest_height;
    if (fabs(pose->root.position.z - z) > LOWER * w->model->tall) return false;
    bool set = false;
    for (int i = 0; i < SUNK_TRIES && !set && hf_plan_ok(p); i++) {
        pose->root.position.z = z - i * SUNK * w->model->tall;
        set = hf_footing_set(p, s->limb, pose, &at);
    }
    if (!set) return false;
    hf_hold_make(p, &at, pose, &s->hold);
    find_toes(p, pose, s);
    return is_whole(w, &s->hold) && is_free(p, pose, &s->hold);
}

/* The same so far along the way from the node, m, or up to half a part before or behind that. */
static bool stand_near(hf_walk* k, double along, double part, hf_vec3 aside, hf_footstep* s) {
    for (int i = 0; i < SHIFTED_PLACES && hf_plan_ok(k->planner); i++) {
        double shift = (i % 2 ? -0.5 : 0.5) * ((i + 1) / 2) / (SHIFTED_PLACES / 2);
        s->along = index_at(k, along + shift * part);
        if (stand_under(k->planner, s->along, aside, &k->to, s)) return true;
    }
    return false;
}

/* ---- turns ---- */

/* The limbs in the order in which they step: those of one side from the hindmost to the foremost, then those
   of the other side. */
static int list_limbs(const hf_plan_world* w, int* limbs) {
    hf_vec3 ahead = ahead_of(w), left = left_of(w);
    int count = 0;
    for (int l = 0; l < w->view->limb_count && count < HF_MAX_HOLDS; l++) {
        if (!walks(w, l)) continue;
        hf_vec3 at = w->model->limbs[l].rest_in_root;
        int i = count++;
        for (; i > 0; i--) {
            hf_vec3 other = w->model->limbs[limbs[i - 1]].rest_in_root;
            bool here = hf_dot(at, left) > 0, there = hf_dot(other, left) > 0;
            if (here < there || (here == there && hf_dot(at, ahead) >= hf_dot(other, ahead))) break;
            limbs[i] = limbs[i - 1];
        }
        limbs[i] = l;
    }
    return count;
}

/* Puts a limb of the gait among those of its group: the hindmost leave and land first, as the body goes on
   meanwhile. */
static void add_hindmost_first(const hf_plan_world* w, walk_way* y, int first, int at) {
    hf_vec3 ahead = ahead_of(w);
    int limb = w->view->gait_limbs[at];
    double along = hf_dot(w->model->limbs[limb].rest_in_root, ahead);
    while (at > first && hf_dot(w->model->limbs[y->limbs[at - 1]].rest_in_root, ahead) > along)
        y->limbs[at] = y->limbs[at - 1], at--;
    y->limbs[at] = limb;
}

/* The same in the groups of the gait. */
static void list_turns(const hf_walk* k, walk_way* y) {
    const hf_plan_world* w = &k->planner->world;
    y->count = list_limbs(w, y->limbs);
    y->turns = k->steps.together ? w->view->gait_count : y->count;
    for (int t = 0; t <= y->turns; t++) y->first_of[t] = t;
    for (int t = 0, at = 0; t < y->turns && k->steps.together; t++) {
        y->first_of[t] = at;
        for (int i = 0; i < w->view->gait_sizes[t]; i++, at++) add_hindmost_first(w, y, y->first_of[t], at);
        y->first_of[t + 1] = at;
    }
}

/* The turn of the limb whose foot is farthest behind. */
static int first_turn(const hf_walk* k, const walk_way* y) {
    const hf_plan_world* w = &k->planner->world;
    hf_transform root = w->guide[k->node->guide_index];
    hf_vec3 ahead = hf_rotate(root.rotation, ahead_of(w));
    int best = 0;
    double least = INFINITY;
    for (int t = 0; t < y->turns; t++) {
        int limb = y->limbs[y->first_of[t]];
        int own = hf_holds_find(k->node->holds, k->node->hold_count, limb);
        double along = hf_dot(ahead, hf_sub(k->node->holds[own].at.point, hf_limb_ease(w, limb, root)));
        if (along < least - HF_SMALL_SHIFT * w->view->height) least = along, best = t;
    }
    return best;
}

/* Do the limbs that walk hold, all of them and no others? */
static bool stands(hf_walk* k, int count) {
    hf_planner* p = k->planner;
    for (int i = 0; i < k->node->hold_count; i++) {
        const hf_plan_hold* h = &k->node->holds[i];
        if (!walks(&p->world, h->at.limb) || h->at.grip) return false;
        k->steps.stood[i] = (hf_footstep){.limb = h->at.limb, .hold = *h, .along = k->node->guide_index};
        find_toes(p, &k->node->pose, &k->steps.stood[i]);
    }
    return k->node->hold_count == count && count > 1;
}

/* ---- the way ---- */

/* The place of a limb of the way with the body after so many parts of it, and that of the first limb whose
   turn it is. */
static hf_walk_place* place_of(const hf_walk* k, int i, int at) {
    return &k->steps.places[i * (HF_WALK_PARTS + 1) + at];
}

static hf_walk_place* place_at(const hf_walk* k, const walk_way* y, int turn, int at) {
    return place_of(k, y->first_of[turn], at);
}

/* How far two feet are put apart across the body at least, m; feet that stand nearer to each other may be as
   near as that on their way. */
static double least_gap(const walk_way* y) { return fmin(NEAREST * y->leg, y->gap); }

/* How far a foot reaches towards the other one from its contact point where it is at rest, `side` being 1 for
   the right one, m. */
static double half_width(const hf_plan_world* w, const hf_footstep* s, double side) {
    hf_vec3 left = hf_scale(left_of(w), side);
    const hf_plan_hold* holds[2] = {&s->hold, &s->toes};
    double most = 0;
    for (int h = 0; h < 2; h++)
        for (int c = 0; holds[h]->at.limb >= 0 && c < holds[h]->support.corner_count; c++) {
            hf_vec3 off = hf_sub(holds[h]->support.corners[c], s->hold.at.point);
            hf_vec3 own = hf_unrotate(s->hold.anchor.rotation, off);
            most = fmax(most, hf_dot(hf_rotate(w->model->limbs[s->limb].rest_turn, own), left));
        }
    return most;
}

/* How far apart two feet are across where they are at rest, m. */
static double gap_at_rest(const hf_walk* k) {
    const hf_plan_world* w = &k->planner->world;
    double at[2], gap = 0;
    for (int i = 0; i < 2; i++)
        at[i] = hf_dot(w->model->limbs[k->steps.stood[i].limb].rest_in_root, left_of(w));
    for (int i = 0; i < 2; i++) {
        bool right = at[i] < at[1 - i];
        gap += (right ? -at[i] : at[i]) - half_width(w, &k->steps.stood[i], right ? 1 : -1);
    }
    return gap;
}

/* How far from its place under the body the foot is put, in the root's frame, m. Two flat feet are nearer to
   each other than they stand; of more than two, which a foot behind may meet before the one ahead of it has
   left, those before the root are farther ahead and the others farther behind. */
static hf_vec3 aside_of(const hf_walk* k, const walk_way* y, int i) {
    const hf_plan_world* w = &k->planner->world;
    hf_vec3 rest = w->model->limbs[y->limbs[i]].rest_in_root;
    hf_vec3 ahead = ahead_of(w), left = left_of(w);
    double beside = hf_dot(rest, left), wider = y->flat || y->stiff ? 0 : NARROWER * fabs(beside);
    if (y->flat && !y->stiff && !k->steps.apart)
        wider = -fmin(NARROWER * fabs(beside), (y->gap - least_gap(y)) / 2);
    else if (!k->steps.apart)
        wider = 0;
    if (y->count == 2) return hf_scale(left, copysign(wider, beside * wider));
    return hf_scale(ahead, k->steps.apart ? (hf_dot(rest, ahead) > 0 ? SPREAD : -SPREAD) * y->leg : 0);
}

/* Is there a place for a limb? It is looked for once. */
static bool has_place(hf_walk* k, const walk_way* y, int i, int at) {
    hf_walk_place* place = place_of(k, i, at);
    if (place->state == HF_PLACE_UNKNOWN) {
        double index = index_at(k, at * y->part);
        place->step = (hf_footstep){.limb = y->limbs[i], .guide_index = at < y->parts ? (int)index : y->end};
        hf_vec3 aside = at < y->parts ? aside_of(k, y, i) : hf_v3(0, 0, 0);
        place->state =
            stand_near(k, at * y->part, y->part, aside, &place->step) ? HF_PLACE_GOOD : HF_PLACE_BAD;
    }
    return place->state == HF_PLACE_GOOD;
}

/* Is there one for all limbs of a turn? */
static bool has_places(hf_walk* k, const walk_way* y, int turn, int at) {
    bool good = true;
    for (int i = y->first_of[turn]; i < y->first_of[turn + 1] && good; i++) good = has_place(k, y, i, at);
    return good;
}

/* What a step costs by which the body goes on by so many parts of at most `most`: the number of steps, and
   how long and how high they are. With the square of the length over the longest, steps as long as the
   longest are the cheapest, and those of one way are the same share of theirs. */
static double cost_of(const walk_way* y, int parts, int most, double rise) {
    double h = rise / y->highest;
    return fabs(h) > 1 ? INFINITY : 1 + (double)(parts * parts) / (most * STEP_PARTS) + h * h;
}

/* How far apart two feet are across the body between them, the right one to the right, m. */
static double gap_between(const hf_walk* k, const hf_footstep* a, const hf_footstep* b) {
    const hf_plan_world* w = &k->planner->world;
    hf_transform root = hf_root_upright(hf_walk_guide_at(w, (a->along + b->along) / 2));
    hf_vec3 left = hf_rotate(root.rotation, left_of(w)), own = left_of(w);
    if (hf_dot(w->model->limbs[a->limb].rest_in_root, own) >
        hf_dot(w->model->limbs[b->limb].rest_in_root, own))
        left = hf_neg(left);
    const hf_plan_hold* all[2][2] = {{&a->hold, &a->toes}, {&b->hold, &b->toes}};
    double edge[2] = {-INFINITY, -INFINITY};
    for (int f = 0; f < 2; f++)
        for (int h = 0; h < 2; h++)
            for (int c = 0; all[f][h]->at.limb >= 0 && c < all[f][h]->support.corner_count; c++)
                edge[f] = fmax(edge[f], (f ? -1 : 1) * hf_dot(all[f][h]->support.corners[c], left));
    return -edge[1] - edge[0];
}

/* The limb that steps before a limb; of those that swing together the first. */
static const hf_footstep* step_before(const hf_walk* k, int step) {
    int limb = k->steps.all[step].limb, first = k->steps.all[step].with;
    if (first > 0) return &k->steps.all[k->steps.all[first - 1].with];
    // of those that stand the one farthest from the limb's old place
    const hf_footstep *own = hf_walk_stood(k, limb, -1), *far = NULL;
    for (int i = 0; i < k->node->hold_count; i++)
        if (k->steps.stood[i].limb != limb &&
            (!far || hf_distance(k->steps.stood[i].hold.at.point, own->hold.at.point) >
                         hf_distance(far->hold.at.point, own->hold.at.point)))
            far = &k->steps.stood[i];
    return far;
}

/* A step as it is barred. */
static hf_barred_step barred_of(const hf_walk* k, const hf_footstep* before, const hf_footstep* s,
                                bool anywhere) {
    const hf_plan_world* w = &k->planner->world;
    hf_quat from = hf_root_upright(hf_walk_guide_at(w, before->along)).rotation;
    hf_quat to = hf_root_upright(hf_walk_guide_at(w, s->along)).rotation;
    hf_vec3 on = hf_unrotate(from, hf_sub(s->hold.at.point, before->hold.at.point));
    double turn = hf_quat_log(hf_quat_mul(hf_quat_conj(from), to)).z;
    return (hf_barred_step){s->limb, anywhere, on, before->hold.at.point, turn};
}

/* Is the step like the barred one? A barred step also bars longer ones that turn the body farther: anywhere,
   or from places up to half of its length away. */
static bool is_like(const hf_walk* k, const hf_barred_step* bar, const hf_barred_step* s) {
    double near = HF_SMALL_SHIFT * k->planner->world.view->limbs[s->limb].length, turn = s->turn - bar->turn;
    hf_vec3 more = hf_sub(s->to, bar->to);
    if (bar->limb != s->limb) return false;
    if (!bar->anywhere && hf_distance(bar->beside, s->beside) > hf_length(bar->to) / 2 + near) return false;
    double along = hf_length(bar->to) > 0 ? hf_dot(more, bar->to) / hf_length(bar->to) : 0;
    double aside = sqrt(fmax(0, hf_dot(more, more) - along * along));
    return along > -near && aside < near + HALF_AS_WIDE * along &&
           fabs(bar->turn) - HF_SMALL_TURN < fabs(s->turn) &&
           (bar->turn * s->turn >= 0 || fabs(turn) < HF_SMALL_TURN);
}

bool hf_footsteps_bar(hf_walk* k, int step, bool anywhere) {
    hf_plan_tree* t = &k->planner->tree;
    hf_barred_step bar = barred_of(k, step_before(k, step), &k->steps.all[step], anywhere);
    int like = 0, own = 0;
    for (int i = 0; i < k->steps.count; i++) {
        hf_barred_step s = barred_of(k, step_before(k, i), &k->steps.all[i], anywhere);
        own += s.limb == bar.limb, like += is_like(k, &bar, &s);
    }
    if (anywhere && 2 * like > own) return false;
    t->barred[t->barred_count++ % HF_BARRED_STEPS] = bar;
    return true;
}

static bool is_barred(const hf_walk* k, const hf_footstep* before, const hf_footstep* s) {
    const hf_plan_tree* t = &k->planner->tree;
    if (t->barred_count == 0) return false;
    hf_barred_step own = barred_of(k, before, s, false);
    for (int i = 0; i < t->barred_count && i < HF_BARRED_STEPS; i++)
        if (is_like(k, &t->barred[i], &own)) return true;
    return false;
}

/* Is a step of the turn to there barred? */
static bool any_barred(const hf_walk* k, const walk_way* y, const hf_footstep* before, int turn, int at) {
    bool barred = false;
    for (int i = y->first_of[turn]; i < y->first_of[turn + 1] && !barred; i++)
        barred = is_barred(k, before, &place_of(k, i, at)->step);
    return barred;
}

/* The step to the place from the one before it in turn, if that is cheaper. */
static void reach_from(hf_walk* k, const walk_way* y, int turn, int at, int from) {
    hf_walk_place* to = place_at(k, y, turn, at);
    int before = (turn + y->turns - 1) % y->turns;
    int most = from == 0 ? y->first : at < y->parts ? STEP_PARTS : LAST_PARTS;
    const hf_walk_place* last = place_at(k, y, before, from);
    if (at - from > most || !isfinite(last->cost) || !has_places(k, y, turn, at)) return;
    double rise = to->step.hold.at.point.z - last->step.hold.at.point.z;
    double cost = last->cost + cost_of(y, at - from, most, rise);
    if (!y->flat && to->step.toes.at.limb < 0) cost += STIFF;
    if (cost >= to->cost ||
        (y->count == 2 && gap_between(k, &last->step, &to->step) < least_gap(y) - HF_SLIP_M))
        return;
    if (any_barred(k, y, &last->step, turn, at)) return;
    to->cost = cost, to->before = from;
}

/* Steps of all limbs to places so far along the way: from those before, and of one limb to beside another, as
   when a body goes sideways. */
static void reach_places(hf_walk* k, const walk_way* y, int at) {
    for (int t = 0; t < y->turns; t++) {
        place_at(k, y, t, at)->cost = INFINITY;
        for (int from = at - 1; from >= 0; from--) reach_from(k, y, t, at, from);
    }
    for (int t = 0; t < y->turns; t++) reach_from(k, y, t, at, at);
}

/* Can all limbs stand there? */
static bool all_stand(hf_walk* k, const walk_way* y, int at) {
    bool good = true;
    for (int t = 0; t < y->turns && good; t++) good = has_places(k, y, t, at);
    return good;
}

/* Divides the way into steps of one length that are no longer than the longest, but for the last one. False
   when they are too many. */
static bool divide(hf_walk* k, walk_way* y, double longest) {
    double way = way_to(k, y->end);
    double turns = ceil(way / longest + 2 - (double)(y->first + LAST_PARTS) / STEP_PARTS - HF_SMALL_SHIFT);
    int most = 1; // limbs of a turn
    for (int t = 0; t < y->turns; t++)
        most = y->first_of[t + 1] - y->first_of[t] > most ? y->first_of[t + 1] - y->first_of[t] : most;
    if (turns * most > HF_WALK_STEPS - 2 * y->count) return false;
    y->parts = turns < 2 ? LAST_PARTS : ((int)turns - 2) * STEP_PARTS + y->first + LAST_PARTS;
    y->part = way / y->parts;
    memset(k->steps.places, 0, sizeof *k->steps.places * (size_t)(y->count * (HF_WALK_PARTS + 1)));
    return true;
}

/* The cheapest steps to all places; returns the turn of the last step to the end of the way, -1 where none
   leads there. The end is then drawn in to the farthest place to which steps lead. */
static int reach_all(hf_walk* k, walk_way* y, int first) {
    int farthest = 0, best = -1;
    for (int t = 0; t < y->turns; t++) {
        hf_walk_place* here = place_at(k, y, t, 0);
        here->cost = (t + 1) % y->turns == first ? 0 : OTHER_FIRST;
        here->step = *hf_walk_stood(k, y->limbs[y->first_of[t]], 0);
    }
    for (int at = 1; at <= y->parts && hf_plan_ok(k->planner); at++) {
        reach_places(k, y, at);
        for (int t = 0; t < y->turns; t++)
            if (isfinite(place_at(k, y, t, at)->cost) && all_stand(k, y, at)) farthest = at;
    }
    for (int t = 0; t < y->turns && farthest == y->parts; t++)
        if (isfinite(place_at(k, y, t, y->parts)->cost) &&
            (best < 0 || place_at(k, y, t, y->parts)->cost < place_at(k, y, best, y->parts)->cost))
            best = t;
    if (best < 0) {
        int end = (int)index_at(k, farthest * y->part);
        y->end = end < y->end ? end : y->end - 1;
    }
    return best;
}

/* Takes the step unless the limb is there already: at the end of the guide exactly, since no step follows. */
static void take_step(hf_walk* k, const hf_footstep* s, int with) {
    const hf_plan_hold* old = &hf_walk_stood(k, s->limb, k->steps.count)->hold;
    bool ends = s->guide_index == k->planner->world.guide_count - 1;
    double shift = HF_SMALL_SHIFT * k->planner->world.view->limbs[s->limb].length;
    bool turned = hf_quat_angle(old->anchor.rotation, s->hold.anchor.rotation) > HF_SMALL_TURN &&
                  s->hold.support.corner_count > 2;
    if (hf_distance(old->at.point, s->hold.at.point) <= (ends ? HF_SLIP_M : shift) && !turned) return;
    k->steps.all[k->steps.count] = *s;
    k->steps.all[k->steps.count].with = with;
    k->steps.all[k->steps.count].lift = k->steps.all[k->steps.count].land =
        k->steps.count; // until they have times
    k->steps.count++;
}

/* The same of all limbs of a turn. */
static void take_turn(hf_walk* k, const walk_way* y, int turn, int at) {
    int with = k->steps.count;
    for (int i = y->first_of[turn]; i < y->first_of[turn + 1]; i++)
        take_step(k, &place_of(k, i, at)->step, with);
}

/* The steps to the end of the way and those of the other limbs to there; false when they are too many. */
static bool take_steps(hf_walk* k, const walk_way* y, int last) {
    int count = 0, steps = y->count, chain[HF_WALK_STEPS];
    for (int at = y->parts, t = last; at > 0; t = (t + y->turns - 1) % y->turns) {
        steps += y->first_of[t + 1] - y->first_of[t];
        if (steps > HF_WALK_STEPS) return false;
        chain[count++] = at;
        at = place_at(k, y, t, at)->before;
    }
    k->steps.count = 0;
    for (int i = count - 1; i >= 0; i--)
        take_turn(k, y, ((last - i) % y->turns + y->turns) % y->turns, chain[i]);
    for (int i = 1; i < y->turns; i++) take_turn(k, y, (last + i) % y->turns, y->parts);
    return k->steps.count > 0;
}

/* The last guide pose from the node on up to which the body stands upright. */
static int upright_end(const hf_walk* k) {
    const hf_plan_world* w = &k->planner->world;
    int i = k->node->guide_index;
    while (i < k->farthest && hf_rotate(w->guide[i + 1].rotation, hf_v3(0, 0, 1)).z > UPRIGHT) i++;
    return i;
}

bool hf_footsteps_find(hf_walk* k, double stride) {
    const hf_plan_world* w = &k->planner->world;
    int last = -1;
    measure(k);
    k->steps.count = 0; // limbs stand where the node has them, not where steps of another stride led
    walk_way y = {.end = upright_end(k), .leg = leg_height(w)};
    y.highest = RISE * y.leg;
    list_turns(k, &y);
    if (!stands(k, y.count)) return false;
    int first = first_turn(k, &y);
    double least = LEAST_STRIDES * stride / (y.count > 2 ? LONGER : 1);
    y.flat = k->steps.stood[0].toes.at.limb < 0;
    y.gap = y.count == 2 ? gap_at_rest(k) : 0;
    y.stiff = y.count == 2 && hf_limb_yields(w->creature, &k->node->holds[0].at) &&
              hf_limb_yields(w->creature, &k->node->holds[1].at);
    y.first = y.count == 2 && y.flat ? FLAT_FIRST_PARTS : STEP_PARTS;
    // where feet find no place, the walk ends with the one before
    while (last < 0 && hf_plan_ok(k->planner) && way_to(k, y.end) >= least)
        if (divide(k, &y, stride / y.turns))
            last = reach_all(k, &y, first);
        else
            y.end--;
    k->guide_index = y.end, k->steps.parts = y.parts;
    return last >= 0 && take_steps(k, &y, last);
}

/* ---- times ---- */

static void add_phase(hf_walk* k, int first) {
    int i = k->steps.phase_count++;
    for (; i > 0 && k->steps.phases[i - 1] > first; i--) k->steps.phases[i] = k->steps.phases[i - 1];
    k->steps.phases[i] = first;
}

bool hf_footsteps_time(hf_walk* k) {
    double unit = sqrt(k->height / HF_GRAVITY_M_S2) * k->planner->world.options->rate;
    int at = 1 + (int)(SHIFT_TIME * unit * k->steps.all[0].slower);
    k->steps.phase_count = 0;
    k->steps.lead =
        (int)floor((k->steps.stood[0].toes.at.limb >= 0 ? LEAD_TIME : FLAT_LEAD_TIME) * unit + 0.5);
    add_phase(k, 0);
    for (int i = 0; i < k->steps.count; i++) {
        hf_footstep *s = &k->steps.all[i], *first = &k->steps.all[s->with];
        bool last = i + 1 == k->steps.count;
        double slower = s->slower;
        for (int j = s->with; j < k->steps.count && k->steps.all[j].with == s->with; j++)
            slower = fmax(slower, k->steps.all[j].slower), last |= j + 1 == k->steps.count;
        // two limbs do not change at once
        s->lift = s == first ? at : first->lift + i - s->with, s->roll = -1;
        s->land = s->lift + 2 + (int)((last ? LAST_SWING_TIME : SWING_TIME) * unit * slower);
        at = s->land + 1 + (int)(BETWEEN_TIME * unit * slower);
    }
    for (int i = 0; i < k->steps.count; i++) {
        hf_footstep* s = &k->steps.all[i];
        const hf_footstep* old = hf_walk_stood(k, s->limb, s->lift);
        if (old->toes.at.limb >= 0 && !k->steps.together)
            s->roll = s->lift - 1 - (int)((ROLL_TIME + s->sooner * SOONER_TIME) * unit * s->slower);
        if (s->sooner > 0 && s->roll <= old->land + 1) s->roll = old->land + 2;
        // two limbs do not change at once
        while (i > 0 && (s->roll == k->steps.all[i - 1].land || s->roll == k->steps.all[i - 1].lift + 1))
            s->roll--;
        if (s->roll <= old->land) s->roll = -1;
        if (s->roll >= 0) add_phase(k, s->roll);
        add_phase(k, s->lift + 1);
        add_phase(k, s->land);
    }
    k->last = at + (int)(SHIFT_TIME * unit * k->steps.all[k->steps.count - 1].slower);
    return k->last < HF_WALK_KNOTS;
}

int hf_walk_step(const hf_walk* k, int limb, int knot) {
    for (int i = 0; i < k->steps.count; i++)
        if (k->steps.all[i].limb == limb && k->steps.all[i].land > knot) return i;
    return -1;
}

const hf_footstep* hf_walk_stood(const hf_walk* k, int limb, int knot) {
    for (int i = k->steps.count - 1; i >= 0; i--)
        if (k->steps.all[i].limb == limb && k->steps.all[i].land <= knot) return &k->steps.all[i];
    return &k->steps.stood[hf_holds_find(k->node->holds, k->node->hold_count, limb)];
}

int hf_walk_phase(const hf_walk* k, int knot) {
    int i = k->steps.phase_count - 1;
    while (i > 0 && k->steps.phases[i] > knot) i--;
    return i;
}

int hf_walk_swings_from(const hf_walk* k, int knot, int* from) {
    for (int i = *from; i < k->steps.count; i++)
        if (k->steps.all[i].lift < knot && knot < k->steps.all[i].land) {
            *from = i;
            return k->steps.all[i].limb;
        }
    return -1;
}

int hf_walk_swings(const hf_walk* k, int knot) {
    int from = 0;
    return hf_walk_swings_from(k, knot, &from);
}

int hf_walk_holds(const hf_walk* k, int phase, hf_plan_hold* holds) {
    int count = 0, knot = k->steps.phases[phase];
    for (int i = 0; i < k->node->hold_count; i++) {
        int limb = k->node->holds[i].at.limb, next = hf_walk_step(k, limb, knot);
        const hf_footstep* at = hf_walk_stood(k, limb, knot);
        bool rolls = next >= 0 && k->steps.all[next].roll >= 0 && knot >= k->steps.all[next].roll;
        if (next < 0 || knot <= k->steps.all[next].lift) holds[count++] = rolls ? at->toes : at->hold;
    }
    return count;
}

/* Where the body is at ease over the feet and how high the root is there, those that swing half way between
   old and new when half of their time is over. */
void hf_walk_wish(hf_walk* k) {
    hf_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i <= k->last; i++) {
        int knot = i + k->steps.lead < k->last ? i + k->steps.lead : k->last;
        if (knot < 0) knot = 0;
        hf_vec3 sum = {0, 0, 0};
        double along = 0;
        for (int h = 0; h < k->node->hold_count; h++) {
            int limb = k->node->holds[h].at.limb, next = hf_walk_step(k, limb, knot);
            const hf_footstep *old = hf_walk_stood(k, limb, knot),
                              *s = next >= 0 ? &k->steps.all[next] : NULL;
            hf_vec3 at = old->hold.at.point;
            double u = s ? fmax(0, (double)(knot - s->lift) / (s->land - s->lift)) : 0;
            if (u > 0) at = hf_lerp(at, s->hold.at.point, u);
            along += (s ? old->along + u * (s->along - old->along) : old->along) / k->node->hold_count;
            sum = hf_add(sum, hf_scale(at, 1 / (double)k->node->hold_count));
        }
        k->press.wish[i][0] = sum.x, k->press.wish[i][1] = sum.y, k->level.wish[i] = sum.z,
        k->along[i] = along;
        ends[i > 0] = sum;
    }
    // as far beside the feet's middle as at the beginning and at the end
    for (int knot = 0; knot <= k->last; knot++) {
        double u = (double)knot / k->last;
        k->press.wish[knot][0] += (1 - u) * (k->begin.x - ends[0].x) + u * (k->end.x - ends[1].x);
        k->press.wish[knot][1] += (1 - u) * (k->begin.y - ends[0].y) + u * (k->end.y - ends[1].y);
        k->level.wish[knot] +=
            (1 - u) * (k->from.root.position.z - ends[0].z) + u * (k->to.root.position.z - ends[1].z);
    }
}
