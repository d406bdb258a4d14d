/* Range-of-motion regions in the whole-body solver, as in limb_rom.c: a step that leaves a region is taken
   back to its nearest point and solved again without the direction that leads out. */
#include "base/workspace.h"
#include "solve/body_problem.h"
#include "solve/descent.h"
#include "model/creature.h"
#include "model/creature_draft.h"
#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

static int column_of(const hf_body_problem* p, int value) {
    for (int c = 0; c < p->column_count; c++)
        if (p->columns[c].value == value) return c;
    return -1;
}

/* The columns of a region's joints; false when one cannot move. */
static bool group_columns(const hf_body_problem* p, int rom, int* columns) {
    const hf_creature_view* v = &p->creature->view;
    const hf_rom* r = &v->roms[rom];
    if (r->joint_count > HF_MAX_ROM_JOINTS) return false;
    for (int i = 0; i < r->joint_count; i++) {
        columns[i] = column_of(p, v->joints[r->joints[i]].q_index);
        if (columns[i] < 0) return false;
    }
    return true;
}

hf_status hf_body_rom_choose(hf_body_problem* p, hf_workspace* workspace) {
    const hf_creature_view* v = &p->creature->view;
    p->roms = hf_workspace_take(workspace, (size_t)v->rom_count + 1, sizeof(int));
    p->beyond = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof(double));
    if (!p->roms || !p->beyond) return HF_ERROR_MEMORY;
    for (int r = 0; r < v->rom_count && p->options->solve.use_rom; r++) {
        int columns[HF_MAX_ROM_JOINTS];
        if (!group_columns(p, r, columns)) continue;
        p->roms[p->rom_count++] = r;
        /* Sliding mixes the group's columns: all must span the same rows. */
        int first = p->rows, last = 0, count = v->roms[r].joint_count;
        for (int i = 0; i < count; i++) {
            const hf_body_column* c = &p->columns[columns[i]];
            first = c->first < first ? c->first : first, last = c->last > last ? c->last : last;
        }
        for (int i = 0; i < count; i++)
            p->columns[columns[i]].first = first, p->columns[columns[i]].last = last;
    }
    return HF_OK;
}

static void slide_group(const hf_body_problem* p, int rom, const double* now, const double* kept,
                        hf_body_scratch* s) {
    int columns[HF_MAX_ROM_JOINTS], count = p->creature->view.roms[rom].joint_count;
    double n[HF_MAX_ROM_JOINTS], length2 = 0, depth = 0;
    group_columns(p, rom, columns);
    for (int i = 0; i < count; i++) {
        const hf_body_column* c = &p->columns[columns[i]];
        double out = p->beyond[c->value] - kept[c->value];
        depth += out * (kept[c->value] - now[c->value]);
        n[i] = out * c->scale;
        length2 += n[i] * n[i];
    }
    if (length2 < HF_SAME_PLACE2) return;
    double length = sqrt(length2);
    for (int i = 0; i < count; i++) n[i] /= length;
    const hf_body_column* any = &p->columns[columns[0]]; // all span the same rows
    hf_boundary_hold(s->jacobian, (size_t)p->rows, any->first, any->last, columns, count, n, depth / length,
                     s->pull, s->shift);
}

bool hf_body_rom_keep(const hf_body_problem* p, double* q) {
    bool moved = false;
    for (int r = 0; r < p->rom_count; r++) {
        if (hf_rom_contains(p->creature, p->roms[r], q, HF_INSIDE_REGION)) continue;
        hf_rom_project(p->creature, p->roms[r], q);
        moved = true;
    }
    return moved;
}

bool hf_body_rom_slide(const hf_body_problem* p, const double* now, double* q, hf_body_scratch* s) {
    if (p->rom_count == 0) return false;
    memcpy(p->beyond, q, sizeof(double) * (size_t)p->creature->view.q_count);
    if (!hf_body_rom_keep(p, q)) return false;
    for (int r = 0; r < p->rom_count; r++) slide_group(p, p->roms[r], now, q, s);
    return true;
}
