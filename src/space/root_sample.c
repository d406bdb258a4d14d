/* Random root poses. Obstacle-based ones follow Algorithm 3 of thesis-2015 with what method.md mends: the
   second counter starts again with each triangle, and steps are shares of the creature's size. */
#include "space/root_space.h"

#include "base/workspace.h"

#include <math.h>

enum {
    TRIANGLE_TRIES = 8, /* LIMIT1 */
    STEP_TRIES = 12,    /* LIMIT2, for each triangle */
    NEAR_TRIES = 20
};
/* Largest step away from a triangle, as a share of the trunk's radius. */
static const double STEP_SHARE = 0.5;
/* Share of draws with a heading between those of start and goal, and how far to either side of it, rad. */
static const double HEADED_SHARE = 0.8, HEADED_SPREAD = 0.5;
/* Share of draws that are tilted as far as the creature goes, but for rounding. */
static const double MOST_TILT_SHARE = 0.25, MOST_TILT = 1 - 1e-6;

/* ---- surfaces ---- */

static bool is_usable(const hf_guide_model* model, const hf_placement* placement, int object) {
    const hf_object* o = &placement->scene->objects[object];
    if (!placement->objects[object].enabled || o->mesh.triangle_count == 0) return false;
    return !model->bounded || (o->contact && !o->movable);
}

hf_status hf_guide_surfaces_fill(hf_guide_surfaces* s, const hf_guide_model* model,
                                 const hf_placement* placement, hf_workspace* workspace) {
    int objects = placement->scene->count, triangles = 0;
    s->object_count = 0;
    s->object = hf_workspace_take(workspace, (size_t)objects + 1, sizeof *s->object);
    s->first = hf_workspace_take(workspace, (size_t)objects + 1, sizeof *s->first);
    if (!s->object || !s->first) return HF_ERROR_MEMORY;
    for (int i = 0; i < objects; i++) {
        if (!is_usable(model, placement, i)) continue;
        s->object[s->object_count] = i;
        s->first[s->object_count++] = triangles;
        triangles += placement->scene->objects[i].mesh.triangle_count;
    }
    s->first[s->object_count] = triangles;
    s->area_end = hf_workspace_take(workspace, (size_t)triangles + 1, sizeof *s->area_end);
    if (!s->area_end) return HF_ERROR_MEMORY;
    double sum = 0;
    for (int i = 0, n = 0; i < s->object_count; i++) {
        const hf_mesh* mesh = &placement->scene->objects[s->object[i]].mesh;
        for (int t = 0; t < mesh->triangle_count; t++) {
            hf_triangle v = hf_triangle_of(mesh, t);
            sum += 0.5 * hf_length(hf_cross(hf_sub(v.v[1], v.v[0]), hf_sub(v.v[2], v.v[0])));
            s->area_end[n++] = sum;
        }
    }
    return HF_OK;
}

static void widen(hf_root_space* space, hf_vec3 low, hf_vec3 high) {
    space->low = hf_v3(fmin(space->low.x, low.x), fmin(space->low.y, low.y), fmin(space->low.z, low.z));
    space->high =
        hf_v3(fmax(space->high.x, high.x), fmax(space->high.y, high.y), fmax(space->high.z, high.z));
}

static double heading_of(const hf_transform* root) {
    hf_vec3 x = hf_rotate(root->rotation, hf_v3(1, 0, 0));
    return hf_atan2(x.y, x.x);
}

void hf_root_space_head(hf_root_space* space, const hf_transform* start, const hf_transform* goal) {
    space->headed = true;
    space->heading = heading_of(start);
    space->turn = remainder(heading_of(goal) - space->heading, 2 * M_PI);
}

void hf_root_space_bound(hf_root_space* space, const hf_transform* poses, int count, double margin_m) {
    space->low = hf_v3(INFINITY, INFINITY, INFINITY);
    space->high = hf_v3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < count; i++) widen(space, poses[i].position, poses[i].position);
    for (int i = 0; i < space->surfaces->object_count; i++) {
        const hf_box* b = &space->placement->boxes[space->surfaces->object[i]];
        widen(space, hf_v3((double)b->low[0], (double)b->low[1], (double)b->low[2]),
              hf_v3((double)b->high[0], (double)b->high[1], (double)b->high[2]));
    }
    if (!(space->low.x <= space->high.x)) space->low = space->high = hf_v3(0, 0, 0);
    double m = margin_m > 0 ? margin_m : space->model->reach_radius;
    space->low = hf_sub(space->low, hf_v3(m, m, m));
    space->high = hf_add(space->high, hf_v3(m, m, m));
}

/* Uniform over triangles with probability s, else by area over the whole scene. */
static hf_triangle choose_triangle(const hf_root_space* space, hf_random* random) {
    const hf_guide_surfaces* s = space->surfaces;
    int count = s->first[s->object_count], triangle;
    double total = s->area_end[count - 1];
    if (hf_random_unit(random) < space->triangle_share || !(total > 0)) {
        triangle = (int)(hf_random_unit(random) * count);
    } else {
        double area = hf_random_unit(random) * total;
        int low = 0, high = count - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (s->area_end[middle] > area)
                high = middle;
            else
                low = middle + 1;
        }
        triangle = low;
    }
    int at = 0;
    while (at + 1 < s->object_count && s->first[at + 1] <= triangle) at++;
    const hf_placed* placed = &space->placement->objects[s->object[at]];
    hf_triangle t =
        hf_triangle_of(&space->placement->scene->objects[s->object[at]].mesh, triangle - s->first[at]);
    for (int k = 0; k < 3; k++) t.v[k] = hf_out_of(placed, t.v[k]);
    return t;
}

static hf_vec3 point_of(const hf_triangle* t, hf_random* random) {
    double u = hf_random_unit(random), v = hf_random_unit(random);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    return hf_add(t->v[0],
                  hf_add(hf_scale(hf_sub(t->v[1], t->v[0]), u), hf_scale(hf_sub(t->v[2], t->v[0]), v)));
}

/* ---- orientations ---- */

static hf_vec3 random_direction(hf_random* random) {
    double z = hf_random_between(random, -1, 1), angle = hf_random_between(random, 0, 2 * M_PI);
    double ring = sqrt(1 - z * z);
    return hf_v3(ring * hf_cos(angle), ring * hf_sin(angle), z);
}

/* Evenly over all orientations (Shoemake 1992). */
static hf_quat random_quat(hf_random* random) {
    double u = hf_random_unit(random), a = hf_random_between(random, 0, 2 * M_PI),
           b = hf_random_between(random, 0, 2 * M_PI);
    double p = sqrt(1 - u), r = sqrt(u);
    return (hf_quat){r * hf_cos(b), p * hf_sin(a), p * hf_cos(a), r * hf_sin(b)};
}

/* Mostly a heading between those of start and goal: a body on its way mostly looks ahead. */
static double random_heading(const hf_root_space* space, hf_random* random) {
    double any = hf_random_between(random, -M_PI, M_PI);
    if (!space->headed || hf_random_unit(random) > HEADED_SHARE) return any;
    return space->heading + hf_random_unit(random) * space->turn + any * HEADED_SPREAD / M_PI;
}

/* Creatures that have an upright take every heading, and tilts of all sizes evenly: that is denser near
   upright than even over the cap. */
static hf_quat random_turn(const hf_root_space* space, hf_random* random) {
    const hf_guide_model* m = space->model;
    if (!m->bounded) return random_quat(random);
    if (m->tilt_max_rad >= M_PI) {
        // a creature without an upright pitches freely and rolls little
        if (!space->headed || hf_random_unit(random) > HEADED_SHARE) return random_quat(random);
        double yaw = random_heading(space, random), pitch = hf_random_between(random, -M_PI / 2, M_PI / 2);
        return hf_quat_rpy(hf_random_between(random, -HEADED_SPREAD, HEADED_SPREAD), pitch, yaw);
    }
    double heading = random_heading(space, random), way = hf_random_between(random, -M_PI, M_PI);
    // a low passage needs all of the tilt that the creature can have
    bool most = hf_random_unit(random) < MOST_TILT_SHARE;
    double tilt = m->tilt_max_rad * (most ? MOST_TILT : hf_random_unit(random));
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), heading);
    if (tilt <= m->tilt_side_rad || m->tilt_side_rad >= m->tilt_max_rad)
        return hf_quat_mul(hf_quat_axis_angle(hf_v3(hf_cos(way), hf_sin(way), 0), tilt), turn);
    // forwards, and a little aside
    double aside = most ? 0 : m->tilt_side_rad * way / M_PI;
    return hf_quat_mul(turn, hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 1, 0), tilt),
                                         hf_quat_axis_angle(hf_v3(1, 0, 0), aside)));
}

/* ---- poses ---- */

hf_transform hf_root_random(const hf_root_space* space, hf_random* random) {
    hf_vec3 p = hf_random_in_box(random, space->low, space->high);
    return (hf_transform){p, random_turn(space, random)};
}

/* Is the triangle still within reach of a limb, or near the trunk of what has no limbs? */
static bool near_triangle(const hf_root_space* space, const hf_triangle* t, const hf_transform* root) {
    const hf_guide_model* m = space->model;
    double reach = m->bounded ? m->reach_radius : 2 * m->radius;
    return hf_triangle_point(t, root->position, NULL) < reach * reach;
}

bool hf_root_sample(hf_root_space* space, hf_random* random, hf_transform* root) {
    if (space->surfaces->first[space->surfaces->object_count] == 0) return false;
    for (int i = 0; i < TRIANGLE_TRIES; i++) {
        hf_triangle t = choose_triangle(space, random);
        for (int tries = 0; tries < STEP_TRIES;) {
            root->position = point_of(&t, random);
            root->rotation = random_turn(space, random);
            hf_vec3 way = random_direction(random);
            while (tries < STEP_TRIES) {
                double step = STEP_SHARE * space->model->radius * (1 - hf_random_unit(random));
                root->position = hf_add(root->position, hf_scale(way, step));
                tries++;
                if (!near_triangle(space, &t, root)) break;
                if (hf_root_holds(space, root)) return true;
                root->rotation = random_turn(space, random);
            }
        }
    }
    return false;
}

hf_transform hf_root_nudge(const hf_root_space* space, hf_random* random, const hf_transform* about,
                           double distance) {
    double far = distance * hf_random_unit(random);
    hf_vec3 position = hf_add(about->position, hf_scale(random_direction(random), far));
    double angle = fmin(M_PI, hf_random_unit(random) * distance / space->model->radius);
    hf_quat turn = hf_quat_axis_angle(random_direction(random), angle);
    return (hf_transform){position, hf_quat_normalize(hf_quat_mul(turn, about->rotation))};
}

bool hf_root_sample_near(hf_root_space* space, hf_random* random, const hf_transform* about, double distance,
                         hf_transform* root) {
    for (int i = 0; i < NEAR_TRIES; i++) {
        *root = hf_root_nudge(space, random, about, distance);
        if (hf_root_holds(space, root)) return true;
    }
    return false;
}
