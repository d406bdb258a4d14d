/* The reach volume of a limb (thesis-2015 chapter 4, the papers' ROM_k). Random postures alone leave out the
   far corners, where all joints are at their best at once; so the farthest posture of each direction climbs
   on by a pattern search over the joints. */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "geom/hull.h"
#include "model/creature.h"
#include "model/reach_volume.h"
#include <holdfast/reach.h>

#include <string.h>

enum {
    DRAWS = 2000,     /* postures drawn */
    WAYS = 600,       /* directions improved: between them the hull is flat by 0.4 % of the reach */
    TRIES = 400,      /* rejections of one region's draw before the rest posture stands in */
    STREAM = 0x5eac4, /* of the random numbers */
};
static const double FIRST_STEP = 0.4;   /* of a joint's interval */
static const double LAST_STEP = 0.0005; /* rad or m: far below the millimetre for a limb of metres */
static const double TURN = 3.14159265358979323846;

typedef struct reach {
    const hf_creature* creature;
    const hf_creature_view* v;
    const hf_limb* limb;
    int index, link; /* link: of the contact */
    hf_vec3 offset;
    double *q, *draws; /* draws: DRAWS rows of joint_count values */
    hf_transform* links;
    const hf_vec3* ways; /* directions improved, in the limb's root frame */
    int way_count;
    float* points; /* DRAWS + way_count */
} reach;

/* Where the contact is, in the limb's root frame. */
static hf_vec3 contact_of(reach* r) {
    hf_pose_follow(r->creature, r->q);
    hf_forward_limb(r->creature, r->index, r->q, r->links);
    hf_transform base = hf_compose(r->links[r->limb->base_link], r->limb->base);
    return hf_unapply(base, hf_apply(r->links[r->link], r->offset));
}

static void interval(const hf_joint* joint, double* low, double* high) {
    *low = isfinite(joint->lower) ? joint->lower : -TURN;
    *high = isfinite(joint->upper) ? joint->upper : TURN;
}

static bool has_joint(const reach* r, int joint) {
    for (int j = 0; j < r->limb->joint_count; j++)
        if (r->limb->joints[j] == joint) return true;
    return false;
}

/* Regions that the limb's own joints fill. */
static bool is_own_region(const reach* r, const hf_rom* rom) {
    for (int k = 0; k < rom->joint_count; k++)
        if (!has_joint(r, rom->joints[k])) return false;
    return true;
}

static bool inside_regions(const reach* r) {
    for (int i = 0; i < r->v->rom_count; i++)
        if (is_own_region(r, &r->v->roms[i]) && !hf_rom_contains(r->creature, i, r->q, 0)) return false;
    return true;
}

static void keep_values(const reach* r, double* values) {
    for (int j = 0; j < r->limb->joint_count; j++) values[j] = r->q[r->v->joints[r->limb->joints[j]].q_index];
}
static void set_values(reach* r, const double* values) {
    for (int j = 0; j < r->limb->joint_count; j++) r->q[r->v->joints[r->limb->joints[j]].q_index] = values[j];
}

/* Posture 0 is the rest posture. */
static void draw(reach* r, int index, double* values) {
    memcpy(r->q, r->v->rest, sizeof(double) * (size_t)r->v->q_count);
    hf_random random = hf_random_start(1, STREAM, (uint64_t)index);
    for (int j = 0; j < r->limb->joint_count && index > 0; j++) {
        const hf_joint* joint = &r->v->joints[r->limb->joints[j]];
        double low, high;
        interval(joint, &low, &high);
        if (joint->q_count == 1) r->q[joint->q_index] = hf_random_between(&random, low, high);
    }
    for (int i = 0; i < r->v->rom_count && index > 0; i++) {
        if (!is_own_region(r, &r->v->roms[i])) continue;
        if (hf_rom_sample(r->creature, i, 1, (uint64_t)index, TRIES, r->q)) continue;
        for (int k = 0; k < r->v->roms[i].joint_count; k++) {
            int at = r->v->joints[r->v->roms[i].joints[k]].q_index;
            r->q[at] = r->v->rest[at];
        }
    }
    keep_values(r, values);
}

/* Moves one joint after the other while that leads farther along `way`, with steps that halve. */
static hf_vec3 climb(reach* r, hf_vec3 way, hf_vec3 from) {
    hf_vec3 best = from;
    double step = FIRST_STEP;
    for (bool small = false; !small; step /= 2) {
        bool better = true;
        for (int round = 0; better && round < 20; round++) {
            better = false;
            for (int j = 0; j < r->limb->joint_count * 2; j++) {
                const hf_joint* joint = &r->v->joints[r->limb->joints[j / 2]];
                if (joint->q_count != 1) continue;
                double low, high, before = r->q[joint->q_index];
                interval(joint, &low, &high);
                double move = step * (high - low) * (j % 2 ? -1 : 1);
                r->q[joint->q_index] = fmin(high, fmax(low, before + move));
                hf_vec3 p = contact_of(r);
                if (r->q[joint->q_index] != before && hf_dot(way, p) > hf_dot(way, best) + 1e-9 &&
                    inside_regions(r))
                    best = p, better = true;
                else
                    r->q[joint->q_index] = before;
            }
        }
        small = step < LAST_STEP;
    }
    return best;
}

hf_vec3 hf_even_way(int i, int count) {
    double z = 1 - (2.0 * i + 1) / count, ring = sqrt(1 - z * z), angle = i * TURN * (3 - sqrt(5));
    return hf_v3(ring * hf_cos(angle), ring * hf_sin(angle), z);
}

static void put(float* points, int i, hf_vec3 p) {
    points[3 * i] = (float)p.x, points[3 * i + 1] = (float)p.y, points[3 * i + 2] = (float)p.z;
}

static void fill_points(reach* r) {
    for (int i = 0; i < DRAWS; i++) {
        draw(r, i, r->draws + (size_t)i * (size_t)r->limb->joint_count);
        put(r->points, i, contact_of(r));
    }
    for (int w = 0; w < r->way_count; w++) {
        hf_vec3 way = r->ways[w];
        int farthest = 0;
        double best = -INFINITY;
        for (int i = 0; i < DRAWS; i++) {
            const float* p = r->points + 3 * i;
            double h = way.x * (double)p[0] + way.y * (double)p[1] + way.z * (double)p[2];
            if (h > best) best = h, farthest = i;
        }
        set_values(r, r->draws + (size_t)farthest * (size_t)r->limb->joint_count);
        put(r->points, DRAWS + w, climb(r, way, contact_of(r)));
    }
}

/* The hull of points in a plane or on a line: each becomes six, `thick_m` about it. */
static hf_status thick_hull(const float* points, int count, double thick_m, hf_mesh* hull, hf_error* error) {
    float* six = hf_alloc((size_t)count, 18 * sizeof *six);
    if (!six) return hf_fail_memory(error, NULL);
    for (int i = 0; i < 6 * count; i++) {
        memcpy(six + 3 * (size_t)i, points + 3 * (size_t)(i / 6), 3 * sizeof *six);
        six[3 * (size_t)i + (size_t)(i % 3)] += (float)(i % 6 < 3 ? thick_m : -thick_m);
    }
    hf_status status = hf_hull_build(six, 6 * count, hull, error);
    hf_free(six);
    return status;
}

/* Memory for so many postures and the links at rest; free_reach frees it, whatever the status. */
static hf_status make_reach(const hf_creature* creature, int limb, int contact, int draws, reach* r,
                            hf_error* error) {
    const hf_creature_view* v = hf_creature_get(creature);
    *r = (reach){.creature = creature, .v = v, .index = limb};
    if (limb < 0 || limb >= v->limb_count || contact < -1 || contact >= v->limbs[limb].contact_count)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "there is no limb %d with a contact frame %d",
                       limb, contact);
    r->limb = &v->limbs[limb];
    r->link = r->limb->effector_link;
    if (contact >= 0)
        r->link = r->limb->contacts[contact].link, r->offset = r->limb->contacts[contact].offset;
    r->q = hf_alloc((size_t)v->q_count + 1, sizeof *r->q);
    r->draws = hf_alloc((size_t)r->limb->joint_count * (size_t)draws + 1, sizeof *r->draws);
    r->links = hf_alloc((size_t)v->link_count, sizeof *r->links);
    if (!r->q || !r->draws || !r->links) return hf_fail_memory(error, NULL);
    memcpy(r->q, v->rest, sizeof(double) * (size_t)v->q_count);
    hf_pose rest = {hf_transform_identity(), r->q};
    hf_forward(creature, &rest, r->links);
    return HF_OK;
}

static void free_reach(reach* r) {
    hf_free(r->q);
    hf_free(r->draws);
    hf_free(r->links);
}

hf_status hf_reach_draw_points(const hf_creature* creature, int limb, int contact, int count, float* points,
                               hf_error* error) {
    reach r;
    hf_status status = make_reach(creature, limb, contact, 1, &r, error);
    double* row = r.draws;
    for (int i = 0; i < count && status == HF_OK; i++) {
        draw(&r, i, row);
        put(points, i, contact_of(&r));
    }
    free_reach(&r);
    return status;
}

hf_status hf_reach_volume_along(const hf_creature* creature, int limb, int contact, const hf_vec3* ways,
                                int way_count, double thick_m, hf_mesh* hull, hf_error* error) {
    memset(hull, 0, sizeof *hull);
    reach r;
    hf_status status = make_reach(creature, limb, contact, DRAWS, &r, error);
    r.ways = ways, r.way_count = way_count;
    r.points = hf_alloc((size_t)(DRAWS + way_count) * 3, sizeof *r.points);
    if (status == HF_OK && !r.points) status = hf_fail_memory(error, NULL);
    if (status == HF_OK) {
        fill_points(&r);
        status = hf_hull_build(r.points, DRAWS + way_count, hull, error);
        if (status == HF_ERROR_FORMAT && thick_m > 0)
            status = thick_hull(r.points, DRAWS + way_count, thick_m, hull, error);
    }
    free_reach(&r);
    hf_free(r.points);
    return status;
}

hf_status hf_reach_volume(const hf_creature* creature, int limb, int contact, hf_mesh* hull,
                          hf_error* error) {
    HF_REQUIRE(error, creature && hull);
    hf_vec3 ways[WAYS];
    for (int i = 0; i < WAYS; i++) ways[i] = hf_even_way(i, WAYS);
    return hf_reach_volume_along(creature, limb, contact, ways, WAYS, 0, hull, error);
}
