/* Postures inside limits and range of motion (efort-2014-journal section 4.2): joints of a region are drawn
   in the region's box until they fall into it, all others once. Random numbers are keyed by (seed, limb,
   index, attempt), so that a posture depends on nothing but its index. */
#include "contact/sample_draw.h"

#include "base/error.h"
#include "model/creature.h"
#include "model/kinematic_tree.h"
#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

/* Stream of a limb's random numbers: this plus its index. */
static const uint32_t SAMPLE_STREAM = 0x53414d00;
/* What float arithmetic may be wrong about a plane of a region, rad. */
static const double PLANE_ROUNDING = 4e-6;
/* Axes of mirrored joints agree within this. */
static const double AXIS_SLACK = 1e-3;

HF_KERNEL_CHOICE(hf_draw_kernel)

/* ---- plan ---- */

/* The floats inside an interval; one in the middle where there is none. */
static void round_inwards(double lower, double upper, float* low, float* high) {
    *low = (float)lower, *high = (float)upper;
    if ((double)*low < lower) *low = nextafterf(*low, INFINITY);
    if ((double)*high > upper) *high = nextafterf(*high, -INFINITY);
    if (*low > *high) *low = *high = (float)((lower + upper) / 2);
}

/* Limits of a joint; a joint that follows it narrows them. */
static void joint_limits(const hf_creature* creature, const hf_joint* joint, double* lower, double* upper) {
    const hf_creature_view* v = &creature->view;
    *lower = isfinite(joint->lower) ? joint->lower : -M_PI;
    *upper = isfinite(joint->upper) ? joint->upper : M_PI;
    if (hf_joint_turns_round(joint)) // once about 0, or about the limit nearest to it
        *lower = fmax(*lower, fmin(-M_PI, *upper - 2 * M_PI)),
        *upper = fmin(*upper, fmax(M_PI, *lower + 2 * M_PI));
    for (int l = 1; l < v->link_count; l++) {
        const hf_node* n = &creature->tree->nodes[l];
        const hf_joint* j = &v->joints[v->links[l].joint];
        if (j->mimic < 0 || j->q_count != 1 || n->v != joint->v_index || n->multiplier == 0) continue;
        double a = (j->lower - n->offset) / n->multiplier, b = (j->upper - n->offset) / n->multiplier;
        double low = fmax(fmin(a, b), *lower), high = fmin(fmax(a, b), *upper);
        if (low <= high) *lower = low, *upper = high;
    }
}

static int row_of(const hf_limb* limb, int joint) {
    for (int i = 0; i < limb->joint_count; i++)
        if (limb->joints[i] == joint) return i;
    return -1;
}

/* The plane that looks most along each axis first, both ways: nearly a box, which most points fail. */
static void order_planes(const double* rows, int count, int d, int* order) {
    for (int k = 0; k < count; k++) order[k] = k;
    for (int k = 0; k < 2 * d && k < count; k++) {
        double sign = k % 2 ? -1 : 1;
        int best = k;
        for (int i = k; i < count; i++)
            if (sign * rows[order[i] * (d + 1) + k / 2] > sign * rows[order[best] * (d + 1) + k / 2])
                best = i;
        int other = order[k];
        order[k] = order[best], order[best] = other;
    }
}

static bool copy_pieces(hf_draw_plan* plan, const hf_rom* rom, hf_draw_region* r) {
    int d = rom->joint_count, total = 0;
    for (int p = 0; p < rom->piece_count; p++) total += rom->pieces[p].plane_count;
    r->piece_count = rom->piece_count;
    r->plane_end = hf_arena_alloc(&plan->arena, (size_t)rom->piece_count, sizeof *r->plane_end);
    r->planes = hf_arena_alloc(&plan->arena, (size_t)total * (size_t)(d + 1), sizeof *r->planes);
    if (!r->plane_end || !r->planes) return false;
    int order[HF_MAX_ROM_PLANES];
    float* out = r->planes;
    for (int p = 0, end = 0; p < rom->piece_count; p++) {
        const hf_rom_piece* piece = &rom->pieces[p];
        order_planes(piece->planes, piece->plane_count, d, order);
        r->plane_end[p] = end += piece->plane_count;
        for (int k = 0; k < piece->plane_count; k++, out += d + 1) {
            const double* row = piece->planes + order[k] * (d + 1);
            for (int i = 0; i < d; i++) out[i] = (float)row[i];
            out[d] = (float)(row[d] - PLANE_ROUNDING);
        }
    }
    return true;
}

/* A region with a joint of the limb in it. */
static bool add_region(hf_draw_plan* plan, const hf_limb* limb, int index) {
    const hf_creature_view* v = &plan->creature->view;
    const hf_rom* rom = &v->roms[index];
    hf_draw_region* r = &plan->regions[plan->region_count];
    *r = (hf_draw_region){.rom = index, .joint_count = rom->joint_count};
    bool ours = false;
    for (int i = 0; i < rom->joint_count; i++) {
        int row = r->row[i] = row_of(limb, rom->joints[i]);
        if (row < 0) {
            r->lower[i] = r->upper[i] = (float)v->rest[v->joints[rom->joints[i]].q_index];
            continue;
        }
        ours = true;
        round_inwards(fmax(rom->boundary->lower[i], (double)plan->lower[row]),
                      fmin(rom->boundary->upper[i], (double)plan->upper[row]), &r->lower[i], &r->upper[i]);
    }
    if (!ours) return true;
    for (int i = 0; i < rom->joint_count; i++)
        if (r->row[i] >= 0) plan->in_region[r->row[i]] = true;
    plan->region_count++;
    return rom->piece_count == 0 || copy_pieces(plan, rom, r);
}

hf_status hf_draw_plan_make(const hf_creature* creature, int limb, uint64_t seed, hf_draw_plan* plan,
                            hf_error* error) {
    const hf_creature_view* v = &creature->view;
    const hf_limb* l = &v->limbs[limb];
    size_t n = (size_t)l->joint_count;
    *plan = (hf_draw_plan){.creature = creature,
                           .joint_count = l->joint_count,
                           .seed = seed,
                           .stream = SAMPLE_STREAM + (uint32_t)limb};
    plan->lower = hf_arena_alloc(&plan->arena, n, sizeof *plan->lower);
    plan->upper = hf_arena_alloc(&plan->arena, n, sizeof *plan->upper);
    plan->in_region = hf_arena_alloc(&plan->arena, n, sizeof *plan->in_region);
    plan->regions = hf_arena_alloc(&plan->arena, (size_t)v->rom_count, sizeof *plan->regions);
    if (!plan->lower || !plan->upper || !plan->in_region || !plan->regions)
        return hf_fail_memory(error, NULL);
    for (int i = 0; i < l->joint_count; i++) {
        const hf_joint* j = &v->joints[l->joints[i]];
        if (j->q_count != 1)
            return hf_fail(error, HF_ERROR_ARGUMENT, v->path, 0, l->name,
                           "joint \"%s\" has several values: such a limb cannot be sampled", j->name);
        double lower, upper;
        joint_limits(creature, j, &lower, &upper);
        round_inwards(lower, upper, &plan->lower[i], &plan->upper[i]);
    }
    for (int r = 0; r < v->rom_count; r++)
        if (!add_region(plan, l, r)) return hf_fail_memory(error, NULL);
    return HF_OK;
}

void hf_draw_plan_free(hf_draw_plan* plan) { hf_arena_free(&plan->arena); }

/* ---- drawing ---- */

static int filled(int count) { return (count + HF_DRAW_LANES - 1) / HF_DRAW_LANES * HF_DRAW_LANES; }

/* A swing polygon, posture by posture in double. */
static void swing_inside(const hf_draw_plan* plan, const hf_draw_region* r, int count, hf_draw_scratch* s) {
    const hf_creature_view* v = &plan->creature->view;
    const hf_rom* rom = &v->roms[r->rom];
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < r->joint_count; i++)
            s->q[v->joints[rom->joints[i]].q_index] = (double)s->values[i][k];
        s->inside[k] = hf_rom_contains(plan->creature, r->rom, s->q, 0);
    }
}

static void region_inside(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const hf_draw_region* r,
                          int count, hf_draw_scratch* s) {
    if (r->piece_count == 0)
        swing_inside(plan, r, count, s);
    else
        kernel->inside(r, s->values[0], filled(count), s->inside);
}

/* Draws the group of a region for all postures, again for those that fell outside. */
static void draw_region(const hf_draw_plan* plan, const hf_draw_kernel* kernel, int region,
                        const uint32_t* index, int count, hf_draw_scratch* s, float* theta, uint8_t* bad) {
    const hf_draw_region* r = &plan->regions[region];
    uint32_t first = HF_DRAW_BLOCKS * (uint32_t)(region + 1), blocks = (uint32_t)(r->joint_count + 3) / 4;
    int open = count;
    for (int k = 0; k < count; k++) s->active[k] = k;
    for (uint32_t attempt = 0; open > 0 && attempt < HF_DRAW_ATTEMPTS; attempt++) {
        for (int k = 0; k < open; k++) s->index[k] = index[s->active[k]];
        for (int k = open; k < filled(open); k++) s->index[k] = 0;
        for (int i = 0; i < r->joint_count; i++) {
            if (i % 4 == 0)
                kernel->words(plan->seed, plan->stream, s->index, first + attempt * blocks + (uint32_t)i / 4,
                              filled(open), s->words[0]);
            kernel->between(s->words[i % 4], filled(open), r->lower[i], r->upper[i], s->values[i]);
        }
        region_inside(plan, kernel, r, open, s);
        int left = 0;
        for (int k = 0; k < open; k++) {
            int to = s->active[k];
            if (!s->inside[k]) {
                s->active[left++] = to;
                continue;
            }
            for (int i = 0; i < r->joint_count; i++)
                if (r->row[i] >= 0) theta[r->row[i] * HF_DRAW_CHUNK + to] = s->values[i][k];
        }
        open = left;
    }
    for (int k = 0; k < open; k++) bad[s->active[k]] = 1;
}

void hf_draw(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const uint32_t* index, int count,
             hf_draw_scratch* s, float* theta, uint8_t* bad) {
    memset(bad, 0, (size_t)count);
    uint32_t block = UINT32_MAX;
    memcpy(s->index, index, (size_t)count * sizeof *index);
    for (int k = count; k < filled(count); k++) s->index[k] = 0;
    for (int i = 0; i < plan->joint_count; i++) {
        if (plan->in_region[i]) continue;
        if (block != (uint32_t)i / 4)
            kernel->words(plan->seed, plan->stream, s->index, block = (uint32_t)i / 4, filled(count),
                          s->words[0]);
        kernel->between(s->words[i % 4], filled(count), plan->lower[i], plan->upper[i],
                        theta + i * HF_DRAW_CHUNK);
    }
    for (int r = 0; r < plan->region_count; r++) draw_region(plan, kernel, r, index, count, s, theta, bad);
    // two regions that share a joint: the later one has overwritten what the earlier one had drawn
    if (plan->region_count < 2) return;
    hf_draw_test(plan, kernel, theta, count, s, s->inside);
    for (int k = 0; k < count; k++) bad[k] |= !s->inside[k];
}

void hf_draw_test(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const float* theta, int count,
                  hf_draw_scratch* s, uint8_t* inside) {
    uint8_t all[HF_DRAW_CHUNK];
    memset(all, 1, sizeof all);
    for (int i = 0; i < plan->joint_count; i++)
        for (int k = 0; k < count; k++) {
            float x = theta[i * HF_DRAW_CHUNK + k];
            all[k] &= (x >= plan->lower[i]) & (x <= plan->upper[i]);
        }
    for (int r = 0; r < plan->region_count; r++) {
        const hf_draw_region* region = &plan->regions[r];
        for (int i = 0; i < region->joint_count; i++) {
            if (region->row[i] >= 0)
                memcpy(s->values[i], theta + region->row[i] * HF_DRAW_CHUNK, (size_t)count * sizeof *theta);
            else
                for (int k = 0; k < count; k++) s->values[i][k] = region->lower[i];
            for (int k = count; k < filled(count); k++) s->values[i][k] = 0;
        }
        region_inside(plan, kernel, region, count, s);
        for (int k = 0; k < count; k++) all[k] &= s->inside[k];
    }
    memcpy(inside, all, (size_t)count);
}

/* ---- mirrored limbs ---- */

hf_status hf_mirror_signs(const hf_creature* creature, int limb, float* signs, bool* pairs) {
    const hf_creature_view* v = &creature->view;
    const hf_limb* mine = &v->limbs[limb];
    *pairs = false;
    if (mine->mirror_of < 0 || v->limbs[mine->mirror_of].joint_count != mine->joint_count) return HF_OK;
    const hf_limb* other = &v->limbs[mine->mirror_of];
    double* q = hf_alloc((size_t)v->q_count, sizeof *q);
    hf_transform* links = hf_alloc((size_t)v->link_count, sizeof *links);
    if (!q || !links) {
        hf_free(q);
        hf_free(links);
        return HF_ERROR_MEMORY;
    }
    for (int i = 0; i < v->joint_count; i++)
        if (v->joints[i].type == HF_JOINT_FLOATING) q[v->joints[i].q_index + 3] = 1;
    hf_pose pose = {hf_transform_identity(), q};
    hf_forward(creature, &pose, links);
    // mirrored about XZ, a turn about b is one about (-bx, by, -bz), a shift along b one along (bx, -by, bz)
    *pairs = true;
    for (int i = 0; i < mine->joint_count; i++) {
        const hf_joint *a = &v->joints[mine->joints[i]], *b = &v->joints[other->joints[i]];
        hf_vec3 x = hf_rotate(links[a->child_link].rotation, a->axis);
        hf_vec3 y = hf_rotate(links[b->child_link].rotation, b->axis);
        double along = x.x * y.x - x.y * y.y + x.z * y.z;
        bool slides = a->type == HF_JOINT_PRISMATIC;
        if (!slides) along = -along;
        if (slides != (b->type == HF_JOINT_PRISMATIC) || fabs(along) < 1 - AXIS_SLACK) *pairs = false;
        signs[i] = along > 0 ? 1 : -1;
    }
    hf_free(q);
    hf_free(links);
    return HF_OK;
}
