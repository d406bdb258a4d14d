/* A guide knows that limbs can reach something, not how a body likes to be there: it rises straight over
   stairs, turns and leans as it was drawn. Here a ladder of rungs is laid across it. On each rung are ways to
   be there (turned as start and goal are, upright or leaning, as high as the walking limbs stand) that meet
   the reachability condition, and the cheapest way up the ladder is taken: standing well, leaning little,
   with small changes from rung to rung. Then it is smoothed as far as the condition holds. */
#include "plan/plan_world.h"

#include "base/memory.h"
#include "space/root_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HANGING = 0.35;            /* rest lengths beyond which a limb does not stand any more */
static const double FOLDED = 0.5;              /* rest lengths by which a limb can fold */
enum { RUNGS = 96, WAYS = 192, HALVINGS = 4 }; /* RUNGS: of a guide so short that they are near enough */
static const double RUNG_STEP = 0.05;          /* creature heights between two rungs of a longer guide */

/* ---- standing ---- */

/* What the walking limbs meet where they point at rest. */
typedef struct footing {
    int count, walking;
    double cost;    /* 0: all as at rest */
    double shift;   /* along `down` until the most stretched limb is as at rest */
    double length;  /* of the limbs, mean */
    double rise;    /* of the surfaces along the root's X, m per m; 0 where limbs stand beside each other */
    hf_vec3 down;   /* mean direction of the limbs */
    hf_vec3 normal; /* mean of the surfaces */
} footing;

/* How far along its rest direction a limb's rest contact is from a surface; false when none is under it. The
   limb hangs from the root, and points as it does at rest on a body that is turned so. */
static bool gap_under(const hf_plan_world* w, const hf_plan_limb* l, hf_transform root, hf_quat turned,
                      hf_vec3* along, double* gap, hf_surface* hit) {
    hf_vec3 base = hf_apply(root, l->anchor_in_root), way = hf_sub(l->rest_in_root, l->anchor_in_root);
    double length = hf_length(way);
    if (!(length > 0)) return false;
    *along = hf_rotate(turned, hf_scale(way, 1 / length));
    if (!hf_placement_ray(w->placement, base, *along, HF_UNDER_FARTHEST * length, hit)) return false;
    double at = hf_distance(base, hit->point);
    *gap = at - (1 - HF_SMALL_SHIFT / 2) * length; // limbs a little bent reach further
    if (hf_dot(hit->normal, *along) > 0) hit->normal = hf_neg(hit->normal);
    return at >= HF_UNDER_NEAREST * length && hf_scene_object(w->scene, hit->object).contact;
}

/* Sums over the places that limbs find: their number, places along the body, heights, squares and products.
 */
typedef struct ground_line {
    double count, x, z, xx, xz;
} ground_line;

static void add_to_line(ground_line* s, double x, double z) {
    s->count += 1, s->x += x, s->z += z, s->xx += x * x, s->xz += x * z;
}

/* The slope of the straight line nearest to the places, where they are spread along the body by more than a
   quarter of a limb's length (as the root of the mean square says): feet beside each other tell no slope. */
static double slope_of(const ground_line* s, double length) {
    if (s->count < 3) return 0;
    double spread = s->xx / s->count - s->x * s->x / (s->count * s->count);
    if (spread < length * length / 16) return 0;
    return (s->xz / s->count - s->x * s->z / (s->count * s->count)) / spread;
}

/* Bodies with an upright stand on what is under them however they lean, others on what is at their feet. */
static bool any_tilt(const hf_plan_world* w) { return w->view->guide.tilt_max >= M_PI; }

/* Does the surface bear a limb that stands on it, or can it be gripped? Before any other a limb must fold.
   What limbs that point down meet counts as if it did. */
static bool bears(const hf_plan_world* w, const hf_surface* s) {
    hf_object_view o = hf_scene_object(w->scene, s->object);
    return !any_tilt(w) || o.grip || s->normal.z * hf_hypot(1, o.friction) >= 1;
}

static footing footing_at(const hf_plan_world* w, hf_transform root) {
    footing f = {.shift = -INFINITY};
    double squares = 0;
    ground_line ground = {0};
    hf_quat turned = any_tilt(w) ? root.rotation : hf_root_upright(root).rotation;
    hf_vec3 down = {0, 0, 0};
    for (int i = 0; i < w->model->limb_count; i++) {
        const hf_plan_limb* l = &w->model->limbs[i];
        if (!l->walks) continue;
        hf_vec3 way = hf_sub(l->rest_in_root, l->anchor_in_root);
        f.length += hf_length(way), f.walking++;
        down = hf_add(down, hf_normalize(way));
    }
    if (f.walking == 0) return f;
    f.length /= f.walking;
    f.down = hf_rotate(turned, hf_normalize(down));
    for (int i = 0; i < w->model->limb_count; i++) {
        const hf_plan_limb* l = &w->model->limbs[i];
        hf_vec3 along;
        hf_surface under;
        double gap, share = HANGING, rest = hf_distance(l->anchor_in_root, l->rest_in_root);
        if (!l->walks) continue;
        if (gap_under(w, l, root, turned, &along, &gap, &under)) {
            // as high as the body would have to move: legs that reach out far meet the ground slantwise
            bool stands = bears(w, &under);
            double drop = stands ? gap * hf_dot(along, f.down) : gap;
            share = fmin(HANGING, fmax(-FOLDED, drop / rest));
            if (stands)
                add_to_line(&ground, hf_unrotate(turned, hf_sub(under.point, root.position)).x,
                            under.point.z);
            if (stands && share < HANGING) {
                f.shift = fmax(f.shift, drop);
                f.normal = hf_add(f.normal, under.normal);
                f.count++;
            }
        }
        squares += share * share;
    }
    f.cost = squares / f.walking;
    f.rise = slope_of(&ground, f.length);
    // surfaces that face each other say nothing
    bool clear = 2 * hf_length(f.normal) > f.count;
    f.normal = clear ? hf_normalize(f.normal) : hf_v3(0, 0, 1);
    return f;
}

/* ---- ways to be on a rung ---- */

/* Costs, for each creature height of the way. */
static const double LOW = 2;     /* limb lengths^2 lower than limbs stand */
static const double TURN = 0.15; /* rad^2 off the heading, of leaning forwards, off the surface; being bent */
static const double ASIDE = 0.6; /* rad^2 of leaning aside or back */
static const double AWAY = 0.1;  /* (creature heights)^2 from where the guide was */
static const double TOO_LOW = 12; /* limb lengths lower than limbs can fold and bear */
/* And for changes: creature heights, rad. Those with a jump are not tested in between. */
static const double SHIFTING = 0.05, TURNING = 0.01, JUMP = 100;
static const double TROUBLE = 5;       /* creature heights of way that one such cost is worth */
static const double WELL = 0.01;       /* cost of standing well enough */
static const double SLOPE = 2;         /* at the ends the body sinks so steeply, and rises as flatly */
static const double ELBOW_ROOM = 0.25; /* creature heights that a walking body likes to have at either side */
static const double LOWER = 0.1;       /* limb lengths between two heights that are tried */
/* Limb lengths between two places beside each other that are tried, and their number at either side. */
static const double BESIDE = 0.12;
enum { BESIDES = 4 };

/* Creature heights: how far before and behind a place the way says where the body looks there; in which the
   body turns from how it stands to where it goes. */
static const double LOOK_AHEAD = 0.5, TURN_LENGTH = 0.25;

/* Largest angle between two leans that are tried. */
static double angle_step(void) { return 2 * HF_SMALL_TURN; }

/* How far the body may lean, a little inside its limit. */
static double most_tilt(const hf_plan_world* w) { return w->view->guide.tilt_max * (1 - 1e-6); }

typedef struct rung_way {
    hf_transform root;
    double cost, total;
    double other; /* no other step to it is cheaper than that, without its own cost */
    int before;   /* on the rung before */
    bool changed; /* its total became larger by the last bars */
} rung_way;

/* A step between two rungs that does not hold. */
typedef struct bar {
    int rung, from, to;
} bar;

typedef struct ladder_rung {
    int at;            /* its pose of the guide */
    double heading;    /* wanted there */
    double standing;   /* how high the root is where limbs stand */
    hf_transform ease; /* upright or flat on the surface, looking there, as high as limbs stand */
    bool open;         /* which holds */
    bool hangs;        /* nothing is under the limbs */
    bool risen;        /* limbs stand higher than the guide is */
    hf_vec3 shift;     /* from the guide to where limbs stand */
    double rise;       /* of the ground under the limbs, along the body */
    hf_transform was;  /* before smoothing */
    int way_count;
    int chosen_way;
    hf_transform chosen;
} ladder_rung;

typedef struct ladder {
    const hf_plan_world* world;
    hf_root_space space;
    const hf_transform* guide; /* as it was found */
    int count, rung_count;
    ladder_rung* rungs;
    double length;  /* of walking limbs */
    double apart;   /* creature heights between two rungs */
    rung_way* ways; /* WAYS for each rung */
    int barred_count, bar_capacity;
    int climbed; /* bars that the totals know of */
    bar* barred;
} ladder;

static double heading_of(hf_transform root) {
    hf_vec3 x = hf_rotate(hf_root_upright(root).rotation, hf_v3(1, 0, 0));
    return hf_atan2(x.y, x.x);
}

static double between_rungs(const ladder* k, int a, int b) {
    return hf_distance(k->guide[k->rungs[a].at].position, k->guide[k->rungs[b].at].position);
}

/* Where the body looks that goes along the way about a rung; `before` where the way goes nowhere there. */
static double heading_ahead(const ladder* k, int rung, double before) {
    int from = rung, to = rung;
    double near = LOOK_AHEAD * k->world->model->size;
    while (from > 0 && between_rungs(k, from, rung) < near) from--;
    while (to < k->rung_count - 1 && between_rungs(k, to, rung) < near) to++;
    hf_vec3 way = hf_sub(k->guide[k->rungs[to].at].position, k->guide[k->rungs[from].at].position);
    if (hf_hypot(way.x, way.y) < HF_SMALL_SHIFT * k->world->model->size) return before;
    return before + remainder(hf_atan2(way.y, way.x) - k->world->view->facing - before, 2 * M_PI);
}

/* The share of a turn that is left so far from an end of the way: the body turns by an angle about there. */
static double left_to_turn(const ladder* k, double angle, double done, double length) {
    double height = k->world->model->size, slowest = fabs(angle) / angle_step() * k->apart * height;
    double over = fmin(fmax(TURN_LENGTH * height, slowest), length / 2);
    return fmax(0, 1 - done / over);
}

/* A body that goes farther than its height looks where it goes, and turns at both ends; on a shorter way it
   turns from how the start has it to how the goal has it. */
static void choose_headings(ladder* k) {
    double begin = heading_of(k->guide[0]), end = heading_of(k->guide[k->count - 1]), length = 0, done = 0;
    int last = k->rung_count - 1;
    for (int i = 0; i < last; i++) length += between_rungs(k, i, i + 1);
    bool looks = between_rungs(k, 0, last) > k->world->model->size || length > 2 * k->world->model->size;
    k->rungs[0].heading = looks ? heading_ahead(k, 0, begin) : begin;
    for (int i = 1; i <= last; i++) {
        double turn = remainder(end - begin, 2 * M_PI);
        done += between_rungs(k, i - 1, i);
        k->rungs[i].heading = looks ? heading_ahead(k, i, k->rungs[i - 1].heading)
                                    : begin + turn * (length > 0 ? done / length : 0);
    }
    if (!looks) return;
    double first = remainder(begin - k->rungs[0].heading, 2 * M_PI),
           final = remainder(end - k->rungs[last].heading, 2 * M_PI);
    done = 0;
    for (int i = 0; i <= last; i++) {
        if (i > 0) done += between_rungs(k, i - 1, i);
        k->rungs[i].heading += first * left_to_turn(k, first, done, length) +
                               final * left_to_turn(k, final, length - done, length);
    }
}

/* Towards the middle between what stands at either side of a walking body, nearer than it likes to pass. */
static hf_vec3 aside_of(const ladder* k, int rung) {
    const hf_plan_world* w = k->world;
    double room = ELBOW_ROOM * w->model->size, free[2] = {room, room};
    hf_transform root = k->rungs[rung].ease;
    for (int side = 0; side < 2; side++) {
        hf_vec3 way = hf_rotate(root.rotation, hf_v3(0, side ? -1 : 1, 0));
        for (int i = -1; i <= 1; i++) {
            hf_vec3 from = root.position;
            hf_surface hit;
            from.z += i * ELBOW_ROOM * w->model->size;
            if (hf_placement_ray(w->placement, from, way, free[side], &hit)) free[side] = hit.distance;
        }
    }
    return hf_rotate(root.rotation, hf_v3(0, (free[0] - free[1]) / 2, 0));
}

/* What limbs stand on from a root that is raised by so much. */
static footing footing_raised(const ladder* k, int rung, double by) {
    hf_transform root = k->rungs[rung].ease;
    root.position.z += by;
    footing f = footing_at(k->world, root);
    f.shift -= by;
    return f;
}

static footing footing_on(const ladder* k, int rung) {
    footing f = footing_at(k->world, k->rungs[rung].ease);
    bool below = f.count == 0 && !any_tilt(k->world); // the ray from a crouching hip starts below the floor
    return below ? footing_raised(k, rung, HANGING * f.length) : f;
}

/* On what limbs stand that hang high over it. */
static footing footing_below(const ladder* k, int rung) {
    footing f = {0};
    for (int i = 1; f.count == 0 && i * HANGING < HF_UNDER_FARTHEST - 1; i++)
        f = footing_raised(k, rung, -i * HANGING * k->length);
    return f;
}

/* The orientation on a rung: it looks where the way goes; limbs that stand one behind the other incline the
   body as the ground under them rises on average over a limb's length before and behind. */
static hf_quat inclined(const ladder* k, int rung) {
    hf_quat level = hf_quat_axis_angle(hf_v3(0, 0, 1), k->rungs[rung].heading);
    int window = (int)(k->length / (k->apart * k->world->model->size)), count = 0;
    double sum = 0;
    for (int i = rung - window; i <= rung + window; i++)
        if (i > 0 && i < k->rung_count - 1) sum += k->rungs[i].rise, count++;
    if (sum == 0) return level;
    double most = fmin(most_tilt(k->world), k->world->view->guide.tilt);
    double pitch = fmax(-most, fmin(most, -hf_atan2(sum / count, 1)));
    return hf_quat_mul(level, hf_quat_axis_angle(hf_v3(0, 1, 0), pitch));
}

/* From the guide to where limbs stand. */
static void stand_on(const ladder* k, int rung, const footing* f) {
    k->rungs[rung].risen = f->shift < 0, k->rungs[rung].hangs = f->count == 0;
    k->rungs[rung].shift = hf_scale(f->down, f->shift);
    if (!any_tilt(k->world)) k->rungs[rung].shift = hf_add(k->rungs[rung].shift, aside_of(k, rung));
}

/* A guide that was drawn may float over ground on which the body can stand: where it does so all the way from
   one place on the ground to another, the body stands there. One that leaves the ground to climb stays. */
static void come_down(const ladder* k) {
    int last = k->rung_count - 1;
    for (int first = 1, next; first < last; first = next + 1) {
        bool comes = !k->rungs[first - 1].hangs;
        for (next = first; next < last && k->rungs[next].hangs; next++)
            comes = comes && footing_below(k, next).count > 0;
        for (int r = first; r < next && comes && !k->rungs[next].hangs; r++) {
            footing f = footing_below(k, r);
            stand_on(k, r, &f);
        }
    }
}

/* Shifts that let limbs stand, averaged along the way; both ends stay. */
static void choose_ease(ladder* k) {
    int window = (int)fmax(1, HF_LARGE_SHIFT * 2 / 3 / k->apart);
    for (int r = 0; r < k->rung_count; r++) {
        k->rungs[r].ease.position = k->guide[k->rungs[r].at].position;
        k->rungs[r].ease.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), k->rungs[r].heading);
        footing f = footing_on(k, r);
        k->rungs[r].rise = any_tilt(k->world) ? 0 : f.rise, k->length = f.length;
    }
    for (int r = 0; r < k->rung_count; r++) {
        if (r > 0 && r < k->rung_count - 1) k->rungs[r].ease.rotation = inclined(k, r);
        footing f = footing_on(k, r);
        stand_on(k, r, &f);
    }
    if (!any_tilt(k->world)) come_down(k);
    int last = k->rung_count - 1;
    for (int r = 1; r < last; r++) {
        hf_vec3 sum = {0, 0, 0};
        double weight = 0;
        for (int i = r - window < 1 ? 1 : r - window; i <= r + window && i < last; i++) {
            double w = window + 1 - abs(i - r);
            if (!k->rungs[i].hangs) sum = hf_add(sum, hf_scale(k->rungs[i].shift, w));
            weight += w;
        }
        // from the ends sooner down than up: a body that begins low has not got up yet
        hf_vec3 shift = hf_scale(sum, 1 / weight);
        k->rungs[r].standing = k->rungs[r].ease.position.z + shift.z;
        double slope = !k->rungs[r].hangs && k->rungs[r].risen ? 1 / SLOPE : SLOPE;
        double most = slope * k->apart * k->world->model->size * (r < last - r ? r : last - r);
        if (hf_length(shift) > most) shift = hf_scale(shift, most / hf_length(shift));
        k->rungs[r].ease.position = hf_add(k->rungs[r].ease.position, shift);
    }
    for (int r = 0; r < k->rung_count; r++) {
        k->rungs[r].open = hf_root_holds(&k->space, &k->rungs[r].ease);
        if (k->rungs[r].open && any_tilt(k->world))
            k->rungs[r].open = footing_at(k->world, k->rungs[r].ease).cost < WELL;
    }
    k->rungs[0].open = hf_quat_angle(k->guide[0].rotation, k->rungs[0].ease.rotation) < angle_step();
    k->rungs[last].open =
        hf_quat_angle(k->guide[k->count - 1].rotation, k->rungs[last].ease.rotation) < angle_step();
}

/* How hard it is to be so high, leaning forwards so far: as one stands, or on all limbs. */
static double hardship(const ladder* k, int rung, double low, double z, double forward) {
    double folded = (k->rungs[rung].standing - z) / k->length;
    double cost = LOW * low * low + TOO_LOW * fmax(0, folded - FOLDED) +
                  (forward > 0 ? TURN : ASIDE) * forward * forward;
    const hf_plan_model* m = k->world->model;
    if (!k->world->model->bent_q) return cost;
    double below = folded - (m->rest_height - m->bent_height) / k->length;
    double off = forward - k->world->model->bent_tilt;
    return fmin(cost, TURN + LOW * below * below + TOO_LOW * fmax(0, below - FOLDED) + TURN * off * off);
}

/* `low`: lower than at ease, in limb lengths. Does it hold there? */
static bool add_way(ladder* k, int rung, hf_transform root, double low) {
    const hf_plan_world* w = k->world;
    if (k->rungs[rung].way_count == WAYS || !hf_root_holds(&k->space, &root)) return false;
    double cost = k->rungs[rung].hangs ? HANGING * HANGING : 0;
    hf_vec3 up = hf_rotate(k->rungs[rung].ease.rotation, hf_v3(0, 0, 1));
    if (any_tilt(w)) {
        footing f = footing_at(w, root);
        cost = f.cost;
        up = f.count > 0 ? f.normal : hf_v3(0, 0, 1);
    }
    up = hf_unrotate(root.rotation, up);
    double forward = hf_atan2(-up.x, up.z), aside = hf_atan2(up.y, hf_hypot(up.x, up.z));
    double off = remainder(heading_of(root) - k->rungs[rung].heading, 2 * M_PI);
    double away = hf_distance(root.position, k->rungs[rung].ease.position) / w->model->size;
    cost += TURN * off * off + AWAY * away * away;
    if (any_tilt(w))
        cost += TURN * (forward * forward + aside * aside);
    else
        cost += hardship(k, rung, low, root.position.z, forward) + ASIDE * aside * aside;
    k->ways[rung * WAYS + k->rungs[rung].way_count++] = (rung_way){.root = root, .cost = cost};
    return true;
}

/* How far the root goes back when the body leans so: what its limbs carry stays over where it was. */
static hf_vec3 drawn_back(const ladder* k, int rung, hf_quat rotation) {
    hf_vec3 load = k->world->model->load_in_root;
    hf_vec3 back = hf_sub(hf_rotate(k->rungs[rung].ease.rotation, load), hf_rotate(rotation, load));
    return hf_v3(back.x, back.y, 0);
}

/* As high as there is room under what ends it: between a height that holds and one that does not. */
static void add_highest(ladder* k, int rung, hf_transform root, double low, double high) {
    double ease = k->rungs[rung].ease.position.z;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        root.position.z = ease - middle * k->length;
        if (hf_root_holds(&k->space, &root))
            low = middle;
        else
            high = middle;
    }
    root.position.z = ease - low * k->length;
    add_way(k, rung, root, low);
}

/* The orientation at several heights. */
static void add_heights(ladder* k, int rung, hf_quat rotation) {
    hf_transform root = {k->guide[k->rungs[rung].at].position, rotation};
    if (any_tilt(k->world)) {
        footing f = footing_at(k->world, root);
        add_way(k, rung, root, 0);
        hf_transform at = {hf_add(root.position, hf_scale(f.down, f.shift)), rotation};
        if (f.count > 0) add_way(k, rung, at, 0);
        return;
    }
    double off = (root.position.z - k->rungs[rung].ease.position.z) / k->length;
    if (fabs(off) > HF_SMALL_SHIFT) add_way(k, rung, root, off);
    hf_vec3 back = drawn_back(k, rung, rotation);
    for (int side = 0; side < (hf_length(back) > HF_SMALL_SHIFT * k->length ? 2 : 1); side++) {
        bool above = true;
        for (int i = 0; LOWER * i < 1; i++) {
            double low = LOWER * i;
            root.position = hf_add(k->rungs[rung].ease.position, hf_scale(back, side));
            root.position.z -= low * k->length;
            bool holds = add_way(k, rung, root, low);
            if (holds && !above) add_highest(k, rung, root, low, low - LOWER);
            above = holds;
        }
    }
}

/* On all limbs, at the height at which it is at ease so and about it. */
static void add_bent(ladder* k, int rung, hf_quat turn) {
    const hf_plan_model* m = k->world->model;
    for (int i = -1; i <= 1; i++) {
        double pitch = fmin(m->bent_tilt + angle_step() / 2 * i, most_tilt(k->world));
        hf_quat lean = hf_quat_mul(turn, hf_quat_axis_angle(hf_v3(0, 1, 0), pitch));
        hf_transform root = {k->rungs[rung].ease.position, lean};
        double high =
            k->rungs[rung].standing - m->rest_height + m->bent_height + 2 * HF_SMALL_SHIFT * k->length;
        double top = (k->rungs[rung].ease.position.z - high) / k->length;
        bool above = true;
        for (int h = 0; h <= 6; h++) {
            double low = top + HF_SMALL_SHIFT * h;
            root.position.z = k->rungs[rung].ease.position.z - low * k->length;
            bool holds = add_way(k, rung, root, low);
            if (holds && !above) add_highest(k, rung, root, low, low - HF_SMALL_SHIFT);
            above = holds;
        }
    }
}

/* Beside where the guide was, as far from the surface as limbs stand: those that reach out far need room
   there that the trunk alone does not ask for. */
static void add_beside(ladder* k, int rung, hf_quat rotation) {
    double facing = k->world->view->facing;
    hf_vec3 left = hf_rotate(rotation, hf_v3(-hf_sin(facing), hf_cos(facing), 0));
    for (int i = -BESIDES; i <= BESIDES; i++) {
        if (i == 0) continue;
        hf_vec3 aside = hf_scale(left, i * BESIDE * k->length);
        hf_transform root = {hf_add(k->guide[k->rungs[rung].at].position, aside), rotation};
        footing f = footing_at(k->world, root);
        if (f.count == 0) continue;
        root.position = hf_add(root.position, hf_scale(f.down, f.shift));
        add_way(k, rung, root, 0);
    }
}

static bool all_open(const ladder* k, int rung) {
    int near = 1 + (int)(k->length / (k->apart * k->world->model->size)); // a limb length
    for (int r = rung - near; r <= rung + near; r++)
        if (r >= 0 && r < k->rung_count && !k->rungs[r].open) return false;
    return true;
}

static void add_ways(ladder* k, int rung) {
    hf_transform was = k->guide[k->rungs[rung].at];
    k->ways[rung * WAYS] = (rung_way){.root = was};
    k->rungs[rung].way_count = 1;
    if (rung == 0 || rung == k->rung_count - 1) return;
    k->rungs[rung].way_count = 0;
    if (all_open(k, rung)) {
        add_way(k, rung, k->rungs[rung].ease, 0);
        return;
    }
    // as it was found: the last resort
    double far = fabs(was.position.z - k->rungs[rung].ease.position.z) / k->length;
    add_way(k, rung, was, far);
    if (k->rungs[rung].way_count == 0)
        k->ways[rung * WAYS] = (rung_way){.root = was, .cost = 1}, k->rungs[rung].way_count = 1;
    add_way(k, rung, k->rungs[rung].ease, 0);
    // turned step by step to where it should look, leaning as it does
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), k->rungs[rung].heading);
    hf_vec3 up = hf_unrotate(was.rotation, hf_v3(0, 0, 1));
    hf_quat faced = hf_quat_mul(turn, hf_quat_axis_angle(hf_v3(0, 1, 0), hf_atan2(-up.x, up.z)));
    int blends = (int)ceil(hf_quat_angle(was.rotation, faced) / angle_step());
    for (int i = 1; i <= blends; i++) {
        hf_transform at = {was.position, hf_quat_slerp(was.rotation, faced, (double)i / blends)};
        add_way(k, rung, at, far);
    }
    // and from there with every lean, at every height
    double most = most_tilt(k->world);
    for (int i = any_tilt(k->world) ? -6 : 0; i <= 6 && angle_step() * (i - 1) < most; i++) {
        double pitch = fmin(angle_step() * i, most);
        add_heights(k, rung,
                    hf_quat_mul(k->rungs[rung].ease.rotation, hf_quat_axis_angle(hf_v3(0, 1, 0), pitch)));
    }
    if (any_tilt(k->world)) add_beside(k, rung, faced);
    if (k->world->model->bent_q) add_bent(k, rung, turn);
}

/* ---- the way up ---- */

/* The angle between two roots, squared, while it is small. */
static double turn_between(const hf_transform* a, const hf_transform* b) {
    hf_quat p = a->rotation, q = b->rotation;
    double apart = 1 - fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z);
    return apart > 0 ? 8 * apart : 0;
}

/* Lengths, so that many small changes cost what one large one does, and squares, which prefer the small.
   Infinite where the turn or the way alone costs more than `most`. */
static double change(const ladder* k, const hf_transform* a, const hf_transform* b, double most) {
    double square = turn_between(a, b), far_turn = 3 * HF_SMALL_TURN;
    if (TURNING * square > most * far_turn) return INFINITY;
    double height = k->world->model->size, reach = (most / SHIFTING + k->apart) * height;
    hf_vec3 way = hf_sub(b->position, a->position);
    double way_square = hf_dot(way, way);
    if (way_square > reach * reach) return INFINITY;
    double shift = sqrt(way_square) / height - k->apart;
    if (!(shift > 0)) shift = 0;
    bool jump = shift > HF_LARGE_SHIFT || square > far_turn * far_turn;
    return SHIFTING * (shift + shift * shift / HF_LARGE_SHIFT) +
           TURNING * (sqrt(square) + square / far_turn) + (jump ? JUMP : 0);
}

static bool is_barred(const ladder* k, int rung, int from, int to) {
    for (int i = 0; i < k->barred_count; i++)
        if (k->barred[i].rung == rung && k->barred[i].from == from && k->barred[i].to == to) return true;
    return false;
}

/* The ways of a rung, cheapest first. */
static int sort_ways(const ladder* k, int rung, int* order) {
    const rung_way* ways = &k->ways[rung * WAYS];
    for (int i = 0; i < k->rungs[rung].way_count; i++) {
        int at = i;
        while (at > 0 && ways[order[at - 1]].total > ways[i].total) order[at] = order[at - 1], at--;
        order[at] = i;
    }
    return k->rungs[rung].way_count;
}

/* Bars make steps dearer, never cheaper: the cheapest step to a way stays so until it is barred itself or the
   way below it has become dearer. */
static bool is_outdated(const ladder* k, int rung, int to) {
    int from = k->ways[rung * WAYS + to].before;
    if (k->ways[(rung - 1) * WAYS + from].changed) return true;
    for (int i = k->climbed; i < k->barred_count; i++)
        if (k->barred[i].rung == rung && k->barred[i].from == from && k->barred[i].to == to) return true;
    return false;
}

/* What a way costs that is reached from way `from` of the rung below, without its own cost; infinite where
   that is more than `most`. */
static double step_cost(const ladder* k, int r, int from, int to, bool bars, double most) {
    const rung_way *b = &k->ways[(r - 1) * WAYS + from], *w = &k->ways[r * WAYS + to];
    double total = b->total + change(k, &b->root, &w->root, most - b->total);
    return total <= most && bars && is_barred(k, r, from, to) ? total + JUMP : total;
}

/* The cheapest step to a way from those of the rung below, which are given in the order of their costs, and
   what the cheapest of the others costs at least. */
static void choose_step(const ladder* k, int r, int i, bool bars, const int* order, int count) {
    rung_way* w = &k->ways[r * WAYS + i];
    // a likely one first, so that most others cost too much as soon as they are looked at
    int likely = w->before < count ? w->before : 0;
    w->before = likely, w->other = INFINITY;
    w->total = step_cost(k, r, likely, i, bars, INFINITY);
    for (int n = 0; n < count; n++) {
        int j = order[n];
        if (k->ways[(r - 1) * WAYS + j].total > w->other) break; // no change is cheaper than none
        if (j == likely) continue;
        double total = step_cost(k, r, j, i, bars, w->other);
        bool cheaper = total < w->total || (total == w->total && j < w->before);
        w->other = fmin(w->other, fmax(total, w->total));
        if (cheaper) w->total = total, w->before = j;
    }
}

/* Is the step that was chosen before more were barred still the cheapest? Bars make steps dearer, never
   cheaper: it is while it costs less than the others did. Its total is then right. */
static bool stays_chosen(const ladder* k, int r, int i, bool bars) {
    rung_way* w = &k->ways[r * WAYS + i];
    w->total = step_cost(k, r, w->before, i, bars, INFINITY);
    return w->total < w->other;
}

/* The cheapest way up, what it costs: anew, or again where steps have been barred since. */
static double climb(ladder* k, bool again) {
    for (int i = 0; i < k->rungs[0].way_count && !again; i++)
        k->ways[i].total = k->ways[i].cost * k->apart, k->ways[i].before = 0;
    for (int r = 1; r < k->rung_count; r++) {
        bool bars = false;
        for (int i = 0; i < k->barred_count; i++) bars |= k->barred[i].rung == r;
        int order[WAYS], count = 0;
        for (int i = 0; i < k->rungs[r].way_count; i++) {
            rung_way* w = &k->ways[r * WAYS + i];
            double before = w->total;
            w->changed = false;
            if (again && !is_outdated(k, r, i)) continue;
            if (!again || !stays_chosen(k, r, i, bars)) {
                if (count == 0) count = sort_ways(k, r - 1, order);
                if (!again) w->before = i;
                choose_step(k, r, i, bars, order, count);
            }
            w->total += w->cost * k->apart;
            w->changed = w->total != before;
        }
    }
    k->climbed = k->barred_count;
    for (int r = k->rung_count - 1, i = 0; r >= 0; r--) {
        const rung_way* w = &k->ways[r * WAYS + i];
        k->rungs[r].chosen = w->root, k->rungs[r].chosen_way = i;
        i = w->before;
    }
    return k->ways[(k->rung_count - 1) * WAYS].total;
}

/* Steps of the chosen way between whose ends the condition does not hold are barred; true when there is one.
 */
static bool bar_steps(ladder* k) {
    for (int r = 1; r < k->rung_count && k->barred_count < k->bar_capacity; r++) {
        bar b = {r, k->rungs[r - 1].chosen_way, k->rungs[r].chosen_way};
        bool as_found = b.from == 0 && b.to == 0;
        if (as_found || is_barred(k, b.rung, b.from, b.to) ||
            hf_root_straight(&k->space, &k->rungs[r - 1].chosen, &k->rungs[r].chosen))
            continue;
        k->barred[k->barred_count++] = b;
    }
    return k->barred_count > k->climbed;
}

/* Towards the middle of the neighbours, as far as goes; treads are no reason to float between them. */
static void smooth(ladder* k, int stride) {
    for (int r = 0; r < k->rung_count; r++) k->rungs[r].was = k->rungs[r].chosen;
    for (int r = 1; r < k->rung_count - 1; r++) {
        int s = stride;
        while (r - s < 0 || r + s >= k->rung_count) s--;
        hf_transform middle = hf_root_between(&k->rungs[r - s].was, &k->rungs[r + s].was, 0.5);
        hf_transform half = hf_root_between(&k->rungs[r].was, &middle, 0.5);
        if (stride > 1 && !any_tilt(k->world)) half.position = k->rungs[r].was.position;
        if (hf_root_holds(&k->space, &half)) k->rungs[r].chosen = half;
    }
}

static void fill(const ladder* k, hf_transform* guide) {
    for (int r = 1; r < k->rung_count; r++)
        for (int i = k->rungs[r - 1].at; i <= k->rungs[r].at; i++) {
            double t = (double)(i - k->rungs[r - 1].at) / (k->rungs[r].at - k->rungs[r - 1].at);
            guide[i] = hf_root_between(&k->rungs[r - 1].chosen, &k->rungs[r].chosen, t);
        }
}

/* The poses of a window on the straight line over ground between its ends, as high and turned as they are,
   where the condition holds for all of them: true then. */
static bool straighten_window(ladder* k, hf_transform* guide, int first, int last, hf_transform* scratch) {
    hf_vec3 a = guide[first].position, way = hf_sub(guide[last].position, a);
    double square = way.x * way.x + way.y * way.y, done = 0;
    if (!(square > 0)) return false;
    scratch[first] = guide[first];
    for (int i = first + 1; i <= last; i++) {
        hf_vec3 x = hf_sub(guide[i].position, a);
        // never back
        done = fmin(1, fmax(done, (x.x * way.x + x.y * way.y) / square));
        scratch[i] = guide[i];
        if (i < last)
            scratch[i].position = hf_v3(a.x + done * way.x, a.y + done * way.y, guide[i].position.z);
        bool holds = i == last || hf_root_holds(&k->space, &scratch[i]);
        if (!holds || !hf_root_straight(&k->space, &scratch[i - 1], &scratch[i])) return false;
    }
    memcpy(guide + first, scratch + first, sizeof *guide * (size_t)(last - first + 1));
    return true;
}

/* Removes the detours that the random tree left in the guide: in all of it at once where that goes, else in
   its parts. False when memory is out. */
static bool straighten(ladder* k, hf_transform* guide) {
    hf_transform* scratch = hf_alloc((size_t)k->count, sizeof *scratch);
    if (!scratch) return false;
    bool done = straighten_window(k, guide, 0, k->count - 1, scratch);
    for (int parts = 2; parts <= 8 && !done; parts *= 2)
        for (int i = 0; i < 2 * parts - 1; i++) {
            int first = (int)((int64_t)i * (k->count - 1) / (2 * parts));
            int last = (int)((int64_t)(i + 2) * (k->count - 1) / (2 * parts));
            straighten_window(k, guide, first, last, scratch);
        }
    hf_free(scratch);
    return true;
}

static double length_of(const hf_transform* guide, int count) {
    double length = 0;
    for (int i = 1; i < count; i++) length += hf_distance(guide[i].position, guide[i - 1].position);
    return length;
}

/* Evenly along the guide. False when memory is out. */
static bool lay_rungs(ladder* k) {
    double enough = fmax(RUNGS, ceil(length_of(k->guide, k->count) / (RUNG_STEP * k->world->model->size)));
    k->rung_count = k->count < enough ? k->count : (int)enough;
    k->bar_capacity = k->rung_count;
    k->rungs = hf_alloc((size_t)k->rung_count, sizeof *k->rungs);
    k->ways = hf_alloc((size_t)k->rung_count * WAYS, sizeof *k->ways);
    k->barred = hf_alloc((size_t)k->bar_capacity, sizeof *k->barred);
    if (!k->rungs || !k->ways || !k->barred) return false;
    memset(k->rungs, 0, sizeof *k->rungs * (size_t)k->rung_count);
    for (int r = 0; r < k->rung_count; r++)
        k->rungs[r].at = (int)((int64_t)r * (k->count - 1) / (k->rung_count - 1));
    k->apart = fmax(HF_SKIN, length_of(k->guide, k->count) / k->world->model->size / (k->rung_count - 1));
    return true;
}

/* The poses of the guide about the hardest rung, up to where it is half as hard. */
static void find_hardest(const ladder* k, hf_guide_effort* e) {
    int worst = 0;
    double most = 0;
    for (int r = 1; r < k->rung_count - 1; r++) {
        double cost = k->ways[r * WAYS + k->rungs[r].chosen_way].cost;
        if (cost > most) most = cost, worst = r;
    }
    if (worst == 0) return;
    int first = worst, last = worst;
    while (first > 1 && k->ways[(first - 1) * WAYS + k->rungs[first - 1].chosen_way].cost > most / 2) first--;
    while (last < k->rung_count - 2 &&
           k->ways[(last + 1) * WAYS + k->rungs[last + 1].chosen_way].cost > most / 2)
        last++;
    e->hard_count = last - first + 1 < HF_HARD_POSES ? last - first + 1 : HF_HARD_POSES;
    for (int i = 0; i < e->hard_count; i++) {
        int r = e->hard_count > 1 ? first + (last - first) * i / (e->hard_count - 1) : worst;
        e->hard[i] = k->guide[k->rungs[r].at];
    }
}

bool hf_guide_settle(const hf_plan_world* w, hf_transform* guide, int count, hf_guide_effort* effort) {
    effort->total = 0, effort->hard_count = 0;
    if (count <= 2) return true;
    ladder k = {.world = w, .guide = guide, .count = count};
    hf_guide_options o = hf_plan_guide_options(w);
    hf_root_space_start(&k.space, w->model->guide, w->placement, NULL, &o);
    bool good = (any_tilt(w) || straighten(&k, guide)) && lay_rungs(&k);
    if (good) {
        choose_headings(&k);
        choose_ease(&k);
        for (int r = 0; r < k.rung_count; r++) add_ways(&k, r);
        double total = climb(&k, false);
        while (bar_steps(&k)) total = climb(&k, true);
        find_hardest(&k, effort);
        for (int stride = 4; stride >= 1; stride /= 2) smooth(&k, stride);
        fill(&k, guide);
        effort->total = length_of(guide, count) / w->model->size + TROUBLE * total;
    }
    hf_free(k.barred);
    hf_free(k.ways);
    hf_free(k.rungs);
    return good;
}
