/* Range of motion: membership, residual radius, comfort, projection, sampling (thesis-2015 section
   4.3.3). A region is a union of convex polytopes in angle space, or a spherical polygon
   with a twist interval (reaching-2003 section 4).

   In one to three dimensions all distances are exact (src/model/rom_boundary.c). With four joints or more the
   residual of a union is a lower bound inside: the depth in the piece where it is largest. */
#include "base/assert.h"
#include "base/error.h"
#include "base/random.h"
#include "model/rom.h"
#include "model/swing_polygon.h"
#include <holdfast/rom.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
/* First stream of random numbers; each region has its own. */
enum { ROM_STREAM = 0x524f4d00 };

static const hf_rom* get(const hf_creature* creature, int rom) {
    HF_ASSERT(rom >= 0 && rom < creature->view.rom_count);
    return &creature->view.roms[rom];
}

static void read_values(const hf_creature* creature, const hf_rom* rom, const double* q, double* values) {
    memset(values, 0, HF_MAX_ROM_JOINTS * sizeof *values);
    for (int i = 0; i < rom->joint_count; i++) values[i] = q[creature->view.joints[rom->joints[i]].q_index];
}

static void write_values(const hf_creature* creature, const hf_rom* rom, const double* values, double* q) {
    for (int i = 0; i < rom->joint_count; i++) q[creature->view.joints[rom->joints[i]].q_index] = values[i];
}

/* Turn of a joint group from where all its joints are 0, in the first joint's parent link. axes may be NULL
   or hold joint_count axes in that frame. */
static hf_quat group_turn(const hf_creature* creature, const hf_rom* rom, const double* values,
                          hf_vec3* axes) {
    const hf_creature_view* c = &creature->view;
    /* From the last joint up to the first, then down again; fixed joints between count with their origins. */
    int chain[HF_MAX_ROM_JOINTS + 8], count = 0;
    int first = rom->joints[0], joint = rom->joints[rom->joint_count - 1];
    while (joint >= 0 && count < (int)(sizeof chain / sizeof *chain)) {
        chain[count++] = joint;
        if (joint == first) break;
        joint = c->links[c->joints[joint].parent_link].joint;
    }
    hf_quat turned = hf_quat_identity(), zero = hf_quat_identity();
    for (int i = count - 1; i >= 0; i--) {
        const hf_joint* j = &c->joints[chain[i]];
        turned = hf_quat_mul(turned, j->origin.rotation);
        zero = hf_quat_mul(zero, j->origin.rotation);
        for (int k = 0; k < rom->joint_count; k++) {
            if (rom->joints[k] != chain[i]) continue;
            if (axes) axes[k] = hf_rotate(turned, j->axis);
            turned = hf_quat_mul(turned, hf_quat_axis_angle(j->axis, values[k]));
        }
    }
    return hf_quat_mul(turned, hf_quat_conj(zero));
}

/* ---- swing and twist ---- */

/* Swing direction, and the turn about it that the shortest turn from the zero swing leaves over. */
static void swing_twist(const hf_creature* creature, const hf_rom* rom, const double* values, hf_vec3* swing,
                        double* twist) {
    hf_quat turn = group_turn(creature, rom, values, NULL);
    *swing = hf_rotate(turn, rom->zero_swing);
    hf_quat rest = hf_quat_mul(hf_quat_conj(hf_quat_between(rom->zero_swing, *swing)), turn);
    double sine = hf_dot(hf_v3(rest.x, rest.y, rest.z), rom->zero_swing);
    double angle = 2 * hf_atan2(sine, rest.w);
    /* Into the turn that is nearest to the interval's middle. */
    double middle = (rom->twist[0] + rom->twist[1]) / 2;
    *twist = angle - 2 * pi * round((angle - middle) / (2 * pi));
}

/* Positive inside: the smaller of the distances to edges and twist limits. Outside: minus the distance. */
static double swing_residual(const hf_creature* creature, const hf_rom* rom, const double* values) {
    hf_vec3 swing;
    double twist;
    swing_twist(creature, rom, values, &swing, &twist);
    double edge = hf_swing_edge_distance(rom->corners, rom->corner_count, swing, NULL);
    if (!hf_swing_inside(rom->corners, rom->corner_count, swing)) edge = -edge;
    double room = fmin(twist - rom->twist[0], rom->twist[1] - twist);
    if (edge >= 0 && room >= 0) return fmin(edge, room);
    return -sqrt((edge < 0 ? edge * edge : 0) + (room < 0 ? room * room : 0));
}

/* Newton steps of the joint values towards a turn of the group, damped near singular postures. */
static void reach_turn(const hf_creature* creature, const hf_rom* rom, hf_quat wanted, double* values) {
    int n = rom->joint_count;
    for (int step = 0; step < 60; step++) {
        hf_vec3 axes[HF_MAX_ROM_JOINTS];
        hf_quat now = group_turn(creature, rom, values, axes);
        hf_vec3 e = hf_quat_log(hf_quat_mul(wanted, hf_quat_conj(now)));
        if (hf_length(e) < 1e-12) return;
        /* (J J^T + damping) y = e by the adjugate, then dq = J^T y. */
        double damping = 1e-8 + 1e-3 * hf_dot(e, e);
        double m[6] = {damping, damping, damping, 0, 0, 0};
        for (int i = 0; i < n; i++) {
            hf_vec3 a = axes[i];
            m[0] += a.x * a.x, m[1] += a.y * a.y, m[2] += a.z * a.z;
            m[3] += a.x * a.y, m[4] += a.x * a.z, m[5] += a.y * a.z;
        }
        hf_vec3 r0 = hf_v3(m[0], m[3], m[4]), r1 = hf_v3(m[3], m[1], m[5]), r2 = hf_v3(m[4], m[5], m[2]);
        hf_vec3 c0 = hf_cross(r1, r2), c1 = hf_cross(r2, r0), c2 = hf_cross(r0, r1);
        double det = hf_dot(r0, c0);
        hf_vec3 y =
            hf_scale(hf_add(hf_add(hf_scale(c0, e.x), hf_scale(c1, e.y)), hf_scale(c2, e.z)), 1 / det);
        for (int i = 0; i < n; i++) {
            double move = hf_dot(axes[i], y);
            values[i] += fmax(-0.5, fmin(0.5, move));
        }
    }
}

static void swing_project(const hf_creature* creature, const hf_rom* rom, double* values) {
    hf_vec3 swing, nearest;
    double twist;
    swing_twist(creature, rom, values, &swing, &twist);
    if (!hf_swing_inside(rom->corners, rom->corner_count, swing)) {
        hf_swing_edge_distance(rom->corners, rom->corner_count, swing, &nearest);
        swing = nearest;
    }
    twist = fmax(rom->twist[0], fmin(rom->twist[1], twist));
    hf_quat turn =
        hf_quat_mul(hf_quat_between(rom->zero_swing, swing), hf_quat_axis_angle(rom->zero_swing, twist));
    reach_turn(creature, rom, turn, values);
}

/* ---- convex pieces in four dimensions or more ---- */

/* Nearest point of one piece by Hildreth's rows: each plane in turn gives or takes its share of the push. */
static double piece_project(const hf_rom* rom, int piece, const double* values, double* nearest) {
    int d = rom->joint_count, planes = rom->pieces[piece].plane_count;
    double push[HF_MAX_ROM_PLANES] = {0};
    memcpy(nearest, values, (size_t)d * sizeof *values);
    for (int round = 0; round < 2000; round++) {
        double moved = 0;
        for (int k = 0; k < planes; k++) {
            const double* row = rom->pieces[piece].planes + (size_t)k * (size_t)(d + 1);
            double height = -row[d];
            for (int i = 0; i < d; i++) height += row[i] * nearest[i];
            double change = fmax(height, -push[k]);
            if (change == 0) continue;
            push[k] += change;
            for (int i = 0; i < d; i++) nearest[i] -= change * row[i];
            moved = fmax(moved, fabs(change));
        }
        if (moved < 1e-13) break;
    }
    double square = 0;
    for (int i = 0; i < d; i++) square += (nearest[i] - values[i]) * (nearest[i] - values[i]);
    return sqrt(square);
}

static double union_project(const hf_rom* rom, const double* values, double* nearest) {
    double best = INFINITY, point[HF_MAX_ROM_JOINTS];
    for (int piece = 0; piece < rom->piece_count; piece++) {
        double distance = piece_project(rom, piece, values, point);
        if (distance >= best) continue;
        best = distance;
        memcpy(nearest, point, (size_t)rom->joint_count * sizeof *point);
    }
    return best;
}

/* Least distance to a plane of the piece; negative outside. Which plane it is goes to *tightest. */
static double piece_depth(const hf_rom* rom, int piece, const double* values, int* tightest) {
    int d = rom->joint_count;
    const double* row = rom->pieces[piece].planes;
    double depth = INFINITY;
    for (int k = 0; k < rom->pieces[piece].plane_count; k++, row += d + 1) {
        double room = row[d];
        for (int i = 0; i < d; i++) room -= row[i] * values[i];
        if (room < depth) {
            depth = room;
            if (tightest) *tightest = k;
        }
    }
    return depth;
}

static double union_residual(const hf_rom* rom, const double* values) {
    double depth = -INFINITY, nearest[HF_MAX_ROM_JOINTS];
    for (int piece = 0; piece < rom->piece_count; piece++)
        depth = fmax(depth, piece_depth(rom, piece, values, NULL));
    return depth >= 0 ? depth : -union_project(rom, values, nearest);
}

/* Deepest point of the pieces: away from the tightest plane in ever smaller steps. Good to about 1 %. */
static double union_centre(const hf_rom* rom, hf_rom_boundary* boundary) {
    int d = rom->joint_count;
    double best = -INFINITY;
    for (int piece = 0; piece < rom->piece_count; piece++) {
        double x[HF_MAX_ROM_JOINTS], start[HF_MAX_ROM_JOINTS] = {0};
        piece_project(rom, piece, start, x);
        for (int step = 0; step < 4000; step++) {
            int k = -1;
            double depth = piece_depth(rom, piece, x, &k);
            if (depth > best) {
                best = depth;
                memcpy(boundary->centre, x, (size_t)d * sizeof *x);
            }
            if (k < 0) break;
            const double* row = rom->pieces[piece].planes + (size_t)k * (size_t)(d + 1);
            for (int i = 0; i < d; i++) x[i] -= row[i] / (step + 4.0);
        }
    }
    return best;
}

/* ---- public ---- */

static double residual(const hf_creature* creature, const hf_rom* rom, const double* values) {
    if (rom->piece_count == 0) return swing_residual(creature, rom, values);
    if (rom->joint_count > 3) return union_residual(rom, values);
    double distance = hf_rom_nearest(rom->boundary, values, NULL);
    return hf_rom_in_pieces(rom, values, 0) ? distance : -distance;
}

/* Where the distance itself is not asked for. */
static bool within(const hf_creature* creature, const hf_rom* rom, const double* values, double tolerance) {
    if (rom->piece_count) return hf_rom_in_pieces(rom, values, tolerance);
    return swing_residual(creature, rom, values) >= -tolerance;
}

bool hf_rom_contains(const hf_creature* creature, int index, const double* q, double tolerance) {
    const hf_rom* rom = get(creature, index);
    double values[HF_MAX_ROM_JOINTS];
    read_values(creature, rom, q, values);
    return within(creature, rom, values, tolerance);
}

double hf_rom_residual(const hf_creature* creature, int index, const double* q) {
    const hf_rom* rom = get(creature, index);
    double values[HF_MAX_ROM_JOINTS];
    read_values(creature, rom, q, values);
    return residual(creature, rom, values);
}

double hf_rom_comfort(const hf_creature* creature, int index, const double* q) {
    const hf_rom* rom = get(creature, index);
    double depth = hf_rom_residual(creature, index, q);
    if (depth <= 0) return 0;
    return depth < rom->max_residual ? depth / rom->max_residual : 1;
}

static bool within_limits(const hf_creature* creature, const hf_rom* rom, double* values, bool clamp) {
    bool within = true;
    for (int i = 0; i < rom->joint_count; i++) {
        const hf_joint* j = &creature->view.joints[rom->joints[i]];
        if (values[i] >= j->lower && values[i] <= j->upper) continue;
        within = false;
        if (clamp) values[i] = fmax(j->lower, fmin(j->upper, values[i]));
    }
    return within;
}

/* `outside`: the values are known to be. */
static void project_once(const hf_creature* creature, const hf_rom* rom, bool outside, hf_rom_memory* memory,
                         double* values) {
    if (rom->piece_count == 0) {
        if (swing_residual(creature, rom, values) < 0) swing_project(creature, rom, values);
    } else if (outside || !hf_rom_in_pieces(rom, values, 0)) {
        double nearest[HF_MAX_ROM_JOINTS];
        memcpy(nearest, values, sizeof nearest);
        if (rom->joint_count > 3)
            union_project(rom, values, nearest);
        else
            hf_rom_nearest_likely(rom->boundary, values, &memory->triangle, nearest);
        memcpy(values, nearest, sizeof nearest);
    }
}

/* What the rounds of a projection leave outside (singular postures of a swing group) goes straight towards
   the centre. */
static void move_to_centre(const hf_creature* creature, const hf_rom* rom, const double* start,
                           double* values) {
    double inside = 1, outside = 0;
    for (int step = 0; step < 50; step++) {
        double t = (inside + outside) / 2;
        for (int i = 0; i < rom->joint_count; i++)
            values[i] = start[i] + t * (rom->boundary->centre[i] - start[i]);
        *(within(creature, rom, values, 0) ? &inside : &outside) = t;
    }
    for (int i = 0; i < rom->joint_count; i++)
        values[i] = start[i] + inside * (rom->boundary->centre[i] - start[i]);
}

static void project(const hf_creature* creature, const hf_rom* rom, bool outside, hf_rom_memory* memory,
                    double* values) {
    double start[HF_MAX_ROM_JOINTS];
    memcpy(start, values, sizeof start);
    /* Where the nearest point breaks a joint limit: to and fro between both. */
    for (int round = 0; round < 40; round++) {
        project_once(creature, rom, outside && round == 0, memory, values);
        if (within_limits(creature, rom, values, true)) break;
    }
    bool inside = rom->piece_count ? hf_rom_in_pieces_likely(rom, values, 1e-9, &memory->piece)
                                   : within(creature, rom, values, 1e-9);
    if (!inside) move_to_centre(creature, rom, start, values);
}

void hf_rom_project(const hf_creature* creature, int index, double* q) {
    const hf_rom* rom = get(creature, index);
    double values[HF_MAX_ROM_JOINTS];
    hf_rom_memory memory = {-1, 0};
    read_values(creature, rom, q, values);
    project(creature, rom, false, &memory, values);
    write_values(creature, rom, values, q);
}

bool hf_rom_keep(const hf_creature* creature, int index, double tolerance, hf_rom_memory* memory, double* q) {
    const hf_rom* rom = get(creature, index);
    double values[HF_MAX_ROM_JOINTS];
    read_values(creature, rom, q, values);
    bool inside = rom->piece_count ? hf_rom_in_pieces_likely(rom, values, tolerance, &memory->piece)
                                   : within(creature, rom, values, tolerance);
    if (inside) return false;
    project(creature, rom, true, memory, values);
    write_values(creature, rom, values, q);
    return true;
}

bool hf_rom_sample(const hf_creature* creature, int index, uint64_t seed, uint64_t sample, int tries,
                   double* q) {
    const hf_rom* rom = get(creature, index);
    const hf_rom_boundary* box = rom->boundary;
    hf_random random = hf_random_start(seed, ROM_STREAM + (uint32_t)index, sample);
    double values[HF_MAX_ROM_JOINTS] = {0};
    for (int t = 0; t < tries; t++) {
        for (int i = 0; i < rom->joint_count; i++)
            values[i] = hf_random_between(&random, box->lower[i], box->upper[i]);
        bool inside =
            rom->piece_count ? hf_rom_in_pieces(rom, values, 0) : swing_residual(creature, rom, values) >= 0;
        if (!inside) continue;
        write_values(creature, rom, values, q);
        return true;
    }
    return false;
}

bool hf_pose_within_rom(const hf_creature* creature, const double* q, double tolerance) {
    const hf_creature_view* c = &creature->view;
    for (int i = 0; i < c->joint_count; i++) {
        const hf_joint* j = &c->joints[i];
        if (j->q_count != 1 || j->mimic >= 0) continue;
        if (q[j->q_index] < j->lower - tolerance || q[j->q_index] > j->upper + tolerance) return false;
    }
    for (int r = 0; r < c->rom_count; r++)
        if (!hf_rom_contains(creature, r, q, tolerance)) return false;
    return true;
}

/* ---- at load ---- */

/* Best of a few hundred postures, then of ever smaller changes of the best. */
static double swing_centre(const hf_creature* creature, const hf_rom* rom, hf_rom_boundary* boundary) {
    double best = -INFINITY, values[HF_MAX_ROM_JOINTS] = {0}, size = 0.5;
    for (int step = 0; step < 800; step++) {
        hf_random random = hf_random_start(1, ROM_STREAM, (uint64_t)step);
        for (int i = 0; i < rom->joint_count; i++) {
            double lower = boundary->lower[i], upper = boundary->upper[i];
            values[i] = hf_random_between(&random, lower, upper);
            if (step < 400) continue;
            double near = boundary->centre[i] + size * (values[i] - (lower + upper) / 2);
            values[i] = fmax(lower, fmin(upper, near));
        }
        if (step >= 400) size *= 0.985;
        double depth = swing_residual(creature, rom, values);
        if (depth <= best) continue;
        best = depth;
        memcpy(boundary->centre, values, sizeof values);
    }
    return best;
}

/* The same pieces and joint limits, as left and right mostly have. */
static bool same_region(const hf_creature* creature, const hf_rom* a, const hf_rom* b) {
    if (a->corner_count || b->corner_count || a->joint_count != b->joint_count ||
        a->piece_count != b->piece_count)
        return false;
    for (int i = 0; i < a->joint_count; i++) {
        const hf_joint *x = &creature->view.joints[a->joints[i]], *y = &creature->view.joints[b->joints[i]];
        if (x->lower != y->lower || x->upper != y->upper) return false;
    }
    for (int i = 0; i < a->piece_count; i++) {
        int planes = a->pieces[i].plane_count;
        size_t size = (size_t)planes * (size_t)(a->joint_count + 1) * sizeof(double);
        if (b->pieces[i].plane_count != planes) return false;
        if (size && memcmp(a->pieces[i].planes, b->pieces[i].planes, size) != 0) return false;
    }
    return true;
}

hf_status hf_rom_prepare(hf_creature* creature, int index, hf_error* error) {
    hf_rom* rom = (hf_rom*)&creature->view.roms[index];
    bool too_large = rom->piece_count > HF_MAX_ROM_PIECES || rom->corner_count > HF_MAX_SWING_CORNERS;
    for (int i = 0; i < rom->piece_count; i++)
        too_large = too_large || rom->pieces[i].plane_count > HF_MAX_ROM_PLANES;
    if (too_large)
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, NULL,
                       "a region has at most %d pieces, %d planes a piece and %d corners", HF_MAX_ROM_PIECES,
                       HF_MAX_ROM_PLANES, HF_MAX_SWING_CORNERS);
    for (int i = 0; i < index; i++) {
        const hf_rom* other = &creature->view.roms[i];
        if (!same_region(creature, rom, other)) continue;
        rom->boundary = other->boundary;
        rom->max_residual = other->max_residual;
        return HF_OK;
    }
    hf_rom_boundary* boundary = hf_arena_alloc(&creature->arena, 1, sizeof *boundary);
    if (!boundary) return hf_fail_memory(error, NULL);
    HF_ASSERT(rom->joint_count >= 1 && rom->joint_count <= HF_MAX_ROM_JOINTS);
    rom->boundary = boundary;
    for (int i = 0; i < rom->joint_count; i++) {
        const hf_joint* j = &creature->view.joints[rom->joints[i]];
        boundary->lower[i] = j->lower > -1e9 ? j->lower : -pi;
        boundary->upper[i] = j->upper < 1e9 ? j->upper : pi;
    }
    if (rom->piece_count == 0) {
        rom->max_residual = swing_centre(creature, rom, boundary);
        if (rom->joint_count >= 3) {
            double room =
                fmin(hf_swing_inradius(rom->corners, rom->corner_count), (rom->twist[1] - rom->twist[0]) / 2);
            rom->max_residual = fmax(rom->max_residual, room);
        }
    } else if (rom->joint_count > 3) {
        rom->max_residual = union_centre(rom, boundary);
    } else {
        hf_status status = hf_rom_find_boundary(&creature->arena, rom, boundary, error);
        if (status != HF_OK) return status;
        rom->max_residual = hf_rom_find_centre(rom, boundary);
    }
    bool empty = !(rom->max_residual > 0);
    for (int i = 0; i < rom->joint_count; i++) empty = empty || boundary->lower[i] > boundary->upper[i];
    if (empty)
        return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, NULL, "the region is empty within the joint limits");
    return HF_OK;
}
