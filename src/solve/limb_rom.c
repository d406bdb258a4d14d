/* Range-of-motion regions in the limb solver. A step that leaves a region is taken back to the nearest point
   of it; the direction in which that moved it is the normal of the boundary there, and the step is solved
   again without it, so that a limb slides along the boundary instead of sticking to it. */
#include "base/workspace.h"
#include "solve/descent.h"
#include "solve/limb_problem.h"
#include "model/rom.h"

#include <math.h>
#include <string.h>

static int value_of(const hf_limb_chain* chain, int q_index) {
    for (int i = 0; i < chain->value_count; i++)
        if (chain->q_index[i] == q_index) return i;
    return -1;
}

/* The chain's values of a region's joints; false when one is not among them. */
static bool group_values(const hf_limb_problem* p, int rom, int* values) {
    const hf_creature_view* v = &p->creature->view;
    const hf_rom* r = &v->roms[rom];
    for (int i = 0; i < r->joint_count; i++) {
        values[i] = value_of(p->chain, v->joints[r->joints[i]].q_index);
        if (values[i] < 0) return false;
    }
    return r->joint_count <= HF_MAX_ROM_JOINTS;
}

hf_status hf_limb_rom_choose(hf_limb_problem* p, const double* q, hf_workspace* workspace) {
    const hf_creature_view* v = &p->creature->view;
    int values[HF_MAX_ROM_JOINTS];
    p->rom_count = 0;
    if (v->rom_count == 0) return HF_OK;
    int* roms = hf_workspace_take(workspace, (size_t)v->rom_count, sizeof(int));
    p->pose_q = hf_workspace_take(workspace, (size_t)v->q_count, sizeof(double));
    p->kept = hf_workspace_take(workspace, (size_t)p->chain->value_count + 1, sizeof(double));
    p->likely = hf_workspace_take(workspace, (size_t)v->rom_count, sizeof *p->likely);
    if (!roms || !p->pose_q || !p->kept || !p->likely) return HF_ERROR_MEMORY;
    for (int r = 0; r < v->rom_count; r++) p->likely[r] = (hf_rom_memory){-1, 0};
    memcpy(p->pose_q, q, sizeof(double) * (size_t)v->q_count);
    for (int r = 0; r < v->rom_count; r++)
        if (group_values(p, r, values)) roms[p->rom_count++] = r;
    p->roms = roms;
    return HF_OK;
}

bool hf_limb_rom_keep(const hf_limb_problem* p, double* x) {
    const hf_limb_chain* chain = p->chain;
    bool moved = false;
    for (int i = 0; i < chain->value_count; i++) p->pose_q[chain->q_index[i]] = x[i];
    for (int r = 0; r < p->rom_count; r++) {
        bool outside = hf_rom_keep(p->creature, p->roms[r], HF_INSIDE_REGION, &p->likely[r], p->pose_q);
        moved = moved || outside;
    }
    if (!moved) return false;
    for (int i = 0; i < chain->value_count; i++) x[i] = p->pose_q[chain->q_index[i]];
    hf_chain_clamp(chain, x);
    return true;
}

static void slide_group(const hf_limb_problem* p, int rom, const double* now, const double* beyond,
                        const double* kept, hf_limb_scratch* s) {
    int values[HF_MAX_ROM_JOINTS], columns[HF_MAX_ROM_JOINTS],
        count = p->creature->view.roms[rom].joint_count;
    double n[HF_MAX_ROM_JOINTS], length2 = 0, depth = 0;
    group_values(p, rom, values);
    for (int i = 0; i < count; i++) {
        n[i] = beyond[values[i]] - kept[values[i]];
        length2 += n[i] * n[i];
        for (int c = 0; c < p->chain->column_count; c++)
            if (p->chain->column_value[c] == values[i]) columns[i] = c;
    }
    if (length2 < HF_SAME_PLACE2) return;
    for (int i = 0; i < count; i++) {
        n[i] /= sqrt(length2);
        depth += n[i] * (kept[values[i]] - now[values[i]]);
    }
    hf_boundary_hold(s->jacobian, HF_CHAIN_STRIDE, 0, HF_LIMB_ROWS, columns, count, n, depth, s->pull,
                     s->shift);
}

bool hf_limb_rom_slide(const hf_limb_problem* p, const double* now, double* x, hf_limb_scratch* s) {
    memcpy(p->kept, x, sizeof(double) * (size_t)p->chain->value_count);
    if (!hf_limb_rom_keep(p, p->kept)) return false;
    for (int r = 0; r < p->rom_count; r++) slide_group(p, p->roms[r], now, x, p->kept, s);
    memcpy(x, p->kept, sizeof(double) * (size_t)p->chain->value_count);
    return true;
}
