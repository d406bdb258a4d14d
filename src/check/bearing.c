/* Where contacts bear: corners of patches with surface under them, edges of tilted ones, points, whole grips.
   A contact bears where it did when it began, carried along by the object it is on. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <math.h>
#include <string.h>

static const double FLAT_RAD = CHECK_FLAT_RAD; /* beyond 2 degrees a patch counts as its edge or point */
static const double UNDER_M = 0.005;           /* surface within this distance under a corner */
static const double BESIDE_M = 0.001;          /* and not farther beside it than contacts are exact */
static const double EDGE_M = 0.0015;        /* corners of a tilted patch this near in height are one edge */
static const double DEFAULT_FRICTION = 0.5; /* where there is no scene */
enum { DRAW_STEPS = 14 };

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void to_array(hf_vec3 v, double out[3]) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

/* Triangles near a patch, in the world, of objects that allow contact and stand firm. */
typedef struct ground {
    int count, capacity;
    double (*triangles)[9];
} ground;

static bool near_box(const double tri[9], const double middle[3], double reach) {
    for (int x = 0; x < 3; x++) {
        double low = fmin(tri[x], fmin(tri[3 + x], tri[6 + x])),
               high = fmax(tri[x], fmax(tri[3 + x], tri[6 + x]));
        if (low > middle[x] + reach || high < middle[x] - reach) return false;
    }
    return true;
}

static bool carries(const hf_object_view* view) { return view->contact && !view->movable; }

static bool gather_object(const check_job* job, int frame, int o, const double middle[3], double reach,
                          ground* g) {
    check_frame at = check_frame_of(check_object_at(job, o, frame, 0));
    double centre[3], low[3], high[3], corner = sqrt(3) * reach;
    check_frame_unpoint(&at, middle, centre);
    for (int i = 0; i < 3; i++) low[i] = centre[i] - corner, high[i] = centre[i] + corner;
    check_walk walk = check_walk_start(&job->objects[o], NULL, low, high);
    for (const double* own; (own = check_walk_next(&walk));) {
        double tri[9];
        for (int k = 0; k < 3; k++) check_frame_point(&at, own + 3 * k, tri + 3 * k);
        if (!near_box(tri, middle, reach)) continue;
        if (!HF_GROW(g->triangles, g->capacity, g->count)) return false;
        memcpy(g->triangles[g->count++], tri, sizeof tri);
    }
    return true;
}

static bool gather(const check_job* job, int frame, const double middle[3], double reach, ground* g) {
    bool good = true;
    for (int o = 0; good && o < job->object_count; o++)
        if (carries(&job->views[o])) good = gather_object(job, frame, o, middle, reach, g);
    return good;
}

static bool surface_under(const ground* g, const double p[3], const double normal[3]) {
    for (int t = 0; t < g->count; t++) {
        double near[3], off[3];
        if (check_point_triangle(p, g->triangles[t], near) > UNDER_M) continue;
        for (int x = 0; x < 3; x++) off[x] = near[x] - p[x];
        double along = dot(off, normal);
        for (int x = 0; x < 3; x++) off[x] -= along * normal[x];
        if (sqrt(dot(off, off)) <= BESIDE_M) return true;
    }
    return false;
}

/* Corners in the world: sizes along the link's axes but the one nearest to the normal, in the patch's plane.
 */
int check_patch_corners(const hf_motion_contact_frame* cf, const check_frame* link, double corners[4][3]) {
    double n[3], side[2][3], offset[3];
    to_array(hf_normalize(cf->normal), n);
    to_array(cf->offset, offset);
    int out = 0, next = 0, count = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) > fabs(n[out])) out = k;
    for (int k = 0; k < 3; k++) {
        if (k == out) continue;
        double axis[3] = {k == 0, k == 1, k == 2}, part = n[k];
        for (int x = 0; x < 3; x++) axis[x] -= part * n[x];
        double l = sqrt(dot(axis, axis));
        for (int x = 0; x < 3; x++) side[next][x] = axis[x] / l * cf->patch[next] / 2;
        next++;
    }
    static const int signs[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
    for (int c = 0; c < 4; c++) {
        if ((cf->patch[0] <= 0 && signs[c][0] > 0) || (cf->patch[1] <= 0 && signs[c][1] > 0)) continue;
        double p[3];
        for (int x = 0; x < 3; x++) p[x] = offset[x] + signs[c][0] * side[0][x] + signs[c][1] * side[1][x];
        check_frame_point(link, p, corners[count++]);
    }
    return count;
}

static int lowest_corners(double corners[4][3], int count, const double normal[3]) {
    double lowest = INFINITY;
    int kept = 0;
    for (int c = 0; c < count; c++) lowest = fmin(lowest, dot(corners[c], normal));
    for (int c = 0; c < count; c++)
        if (dot(corners[c], normal) <= lowest + EDGE_M)
            memmove(corners[kept++], corners[c], sizeof corners[0]);
    return kept;
}

/* Draws a corner without surface in towards the contact's point. */
static void draw_in(const ground* g, const double point[3], const double normal[3], double corner[3]) {
    double way[3], p[3], with = 0, without = 1;
    if (surface_under(g, corner, normal)) return;
    for (int x = 0; x < 3; x++) way[x] = corner[x] - point[x];
    for (int step = 0; step < DRAW_STEPS; step++) {
        double t = (with + without) / 2;
        for (int x = 0; x < 3; x++) p[x] = point[x] + t * way[x];
        if (surface_under(g, p, normal))
            with = t;
        else
            without = t;
    }
    for (int x = 0; x < 3; x++) corner[x] = point[x] + with * way[x];
}

/* Does the contact bear at all: on something firm that allows contact? Where it does not say on what, on all
   that lies there, with the least friction of it. */
static bool firm(const check_job* job, int frame, const hf_hold* k, double* friction) {
    *friction = DEFAULT_FRICTION;
    if (!job->scene) return true;
    int object = k->object >= 0 ? job->object_of[k->object] : -1;
    if (object >= 0) *friction = job->views[object].friction;
    if (k->object >= 0) return object >= 0 && carries(&job->views[object]);
    double p[3], n[3];
    to_array(k->point, p);
    to_array(k->normal, n);
    bool found = false;
    for (int o = 0; o < job->object_count; o++) {
        ground g = {0};
        if (carries(&job->views[o]) && gather_object(job, frame, o, p, UNDER_M, &g) &&
            surface_under(&g, p, n)) {
            *friction = found ? fmin(*friction, job->views[o].friction) : job->views[o].friction;
            found = true;
        }
        hf_free(g.triangles);
    }
    return found;
}

/* World corners of a contact in this frame, on one object or (-1) on all that is firm; false when memory is
   out. */
static bool spread(const check_job* job, int frame, const hf_hold* k, const check_frame* links, int object,
                   check_bearing* b) {
    const hf_motion_contact_frame* cf = &job->motion->limbs[k->limb].frames[k->frame];
    int link = hf_creature_find_link(job->creature, cf->link);
    double point[3], normal[3], reach = hf_hypot(cf->patch[0], cf->patch[1]) / 2 + 0.01;
    b->count = 0;
    if (link < 0) return true;
    to_array(k->point, point);
    to_array(k->normal, normal);
    bool patch = !(cf->ball > 0) && (cf->patch[0] > 0 || cf->patch[1] > 0);
    if (!patch) memcpy(b->corners[b->count++], point, sizeof point);
    if (!patch) return true;
    b->count = check_patch_corners(cf, &links[link], b->corners);
    if (k->grip) return true;
    if (check_tilt(cf, k, &links[link]) > FLAT_RAD) b->count = lowest_corners(b->corners, b->count, normal);
    if (!job->scene) return true;
    ground g = {0};
    bool good = object >= 0 ? gather_object(job, frame, object, point, reach, &g)
                            : gather(job, frame, point, reach, &g);
    for (int c = 0; good && c < b->count; c++) draw_in(&g, point, normal, b->corners[c]);
    hf_free(g.triangles);
    return good;
}

/* World corners of a contact that begins in this frame; false when memory is out. */
static bool begin(const check_job* job, int frame, const hf_hold* k, const check_frame* links,
                  check_bearing* b) {
    b->count = 0;
    if (job->limb_of[k->limb] < 0 || !firm(job, frame, k, &b->friction)) return true;
    return spread(job, frame, k, links, -1, b);
}

bool check_press_bearing(const check_job* job, int frame, const hf_hold* k, const check_frame* links,
                         check_bearing* b) {
    int object = job->object_of[k->object];
    *b = (check_bearing){.friction = job->views[object].friction};
    return spread(job, frame, k, links, object, b);
}

static check_frame carrier(const check_job* job, int frame, const hf_hold* k) {
    int object = k->object >= 0 ? job->object_of[k->object] : -1;
    return check_frame_of(object >= 0 ? check_object_at(job, object, frame, 0) : hf_transform_identity());
}

hf_status check_bearings_build(check_job* job) {
    const hf_motion* m = job->motion;
    size_t limbs = (size_t)m->limb_count;
    job->bearings = hf_alloc((size_t)m->frame_count * limbs, sizeof *job->bearings);
    check_frame* links = hf_alloc((size_t)job->c->link_count, sizeof *links);
    check_bearing* held = hf_alloc(limbs, sizeof *held); /* as each began, in its carrier's frame */
    bool good = job->bearings && links && held;
    for (int f = 0; good && f < m->frame_count; f++) {
        const hf_motion_frame* at = &m->frames[f];
        bool placed = false;
        for (int i = 0; good && i < at->contact_count; i++) {
            const hf_hold* k = &at->contacts[i];
            check_bearing* b = &job->bearings[(size_t)f * limbs + (size_t)k->limb];
            check_frame object = carrier(job, f, k);
            if (f == 0 || check_limb_changes(job, f, k->limb)) {
                if (!placed) check_forward(job->c, at->root, at->q, links), placed = true;
                good = begin(job, f, k, links, b);
                held[k->limb] = *b;
                for (int c = 0; c < b->count; c++)
                    check_frame_unpoint(&object, b->corners[c], held[k->limb].corners[c]);
            }
            b->count = held[k->limb].count, b->friction = held[k->limb].friction;
            for (int c = 0; c < b->count; c++)
                check_frame_point(&object, held[k->limb].corners[c], b->corners[c]);
        }
    }
    hf_free(links);
    hf_free(held);
    return good ? HF_OK : HF_ERROR_MEMORY;
}
