/* Pieces of a mesh, connected over edges between welded vertices, and whether each is a closed surface. */
#include "model/scene.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Vertices nearer than this share of the mesh's size are welded where exact welding leaves holes: files
   round coordinates to six or seven digits. No edge may collapse by it. */
#define WELD_SHARE 1e-6
#define WELD_EDGE_SHARE 0.25
/* A closed surface whose volume is a smaller share of its box's diagonal cubed is a folded sheet. */
#define SHEET_SHARE 1e-10

static uint64_t mix(uint64_t x) {
    x ^= x >> 32, x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32, x *= 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
}

static size_t table_size(size_t items) {
    size_t size = 16;
    while (size < 2 * items) size *= 2;
    return size;
}

/* First vertex at the same position, for each vertex. */
static void weld_exact(const hf_mesh* m, uint32_t* table, size_t size, uint32_t* first) {
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t i = 0; i < (uint32_t)m->vertex_count; i++) {
        uint32_t bits[3];
        memcpy(bits, m->vertices + 3 * (size_t)i, sizeof bits);
        uint64_t h = mix(mix((uint64_t)bits[0] << 32 | bits[1]) + bits[2]);
        size_t at = h & (size - 1);
        while (table[at] != UINT32_MAX &&
               memcmp(m->vertices + 3 * (size_t)table[at], m->vertices + 3 * (size_t)i, sizeof bits) != 0)
            at = (at + 1) & (size - 1);
        if (table[at] == UINT32_MAX) table[at] = i;
        first[i] = table[at];
    }
}

typedef struct grid {
    double low[3], cell, reach;
} grid;

static uint64_t cell_hash(const grid* g, const float* p, const double shift[3]) {
    uint64_t h = 0;
    for (int k = 0; k < 3; k++)
        h = mix(h + (uint64_t)(int64_t)floor(((double)p[k] - g->low[k] + shift[k]) / g->cell));
    return h;
}

static bool within_reach(const float* a, const float* b, double reach) {
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return x * x + y * y + z * z <= reach * reach;
}

/* The same within a distance: representatives are kept in a grid, a vertex looks into the cells that a cube
   of twice the distance around it meets. */
static void weld_near(const hf_mesh* m, const grid* g, uint32_t* table, size_t size, uint32_t* first) {
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t i = 0; i < (uint32_t)m->vertex_count; i++) {
        const float* p = m->vertices + 3 * (size_t)i;
        first[i] = i;
        uint64_t seen = 0;
        for (int corner = 0; corner < 8 && first[i] == i; corner++) {
            const double shift[3] = {corner & 1 ? g->reach : -g->reach, corner & 2 ? g->reach : -g->reach,
                                     corner & 4 ? g->reach : -g->reach};
            uint64_t h = cell_hash(g, p, shift);
            if (corner && h == seen) continue;
            seen = h;
            for (size_t at = h & (size - 1); table[at] != UINT32_MAX; at = (at + 1) & (size - 1))
                if (within_reach(m->vertices + 3 * (size_t)table[at], p, g->reach)) {
                    first[i] = table[at];
                    break;
                }
        }
        if (first[i] != i) continue;
        const double none[3] = {0, 0, 0};
        size_t at = cell_hash(g, p, none) & (size - 1);
        while (table[at] != UINT32_MAX) at = (at + 1) & (size - 1);
        table[at] = i;
    }
}

static uint32_t set_root(uint32_t* set, uint32_t i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

/* An edge between welded vertices and how often it is walked one way more than the other. */
typedef struct edge {
    uint32_t low, high;
    int32_t balance;
    uint32_t triangle; /* the first that has it, + 1 */
} edge;

/* A mesh has three edges a triangle at most, and half of that where it is closed: a table of a quarter more
   is never full, and its size need not be a power of two, which may be twice as much. */
static size_t edge_table_size(size_t triangles) { return 3 * triangles * 5 / 4 + 16; }

static size_t edge_place(uint32_t low, uint32_t high, size_t size) {
    return (size_t)((unsigned __int128)mix((uint64_t)low << 32 | high) * size >> 64);
}

/* Triangles with a common edge are of one set; a common corner alone joins nothing, so that a sheet that
   touches a box with a corner leaves it a box. */
static void join_edges(const hf_mesh* m, const uint32_t* first, edge* table, size_t size, uint32_t* set) {
    memset(table, 0, size * sizeof *table);
    for (uint32_t t = 0; t < (uint32_t)m->triangle_count; t++) set[t] = t;
    for (uint32_t t = 0; t < (uint32_t)m->triangle_count; t++)
        for (size_t c = 0; c < 3; c++) {
            const uint32_t* corner = m->indices + 3 * (size_t)t;
            uint32_t a = first[corner[c]], b = first[corner[(c + 1) % 3]];
            if (a == b) continue;
            uint32_t low = a < b ? a : b, high = a < b ? b : a;
            size_t at = edge_place(low, high, size);
            while (table[at].triangle && (table[at].low != low || table[at].high != high))
                at = at + 1 < size ? at + 1 : 0;
            edge* e = &table[at];
            if (!e->triangle) e->low = low, e->high = high, e->triangle = t + 1;
            e->balance += a < b ? 1 : -1;
            uint32_t one = set_root(set, e->triangle - 1), other = set_root(set, t);
            // the smaller index leads
            set[one < other ? other : one] = one < other ? one : other;
        }
}

/* Pieces are numbered in triangle order; those with an edge that is not walked equally often both ways are
   open. */
static int number_pieces(const hf_mesh* m, const edge* table, size_t size, uint32_t* set, int* of,
                         int8_t* open) {
    int count = 0;
    for (uint32_t t = 0; t < (uint32_t)m->triangle_count; t++) {
        uint32_t root = set_root(set, t);
        of[t] = root == t ? count++ : of[root];
    }
    memset(open, 0, (size_t)m->triangle_count);
    for (size_t i = 0; i < size; i++)
        if (table[i].triangle && table[i].balance) open[of[table[i].triangle - 1]] = 1;
    return count;
}

/* Boxes and volumes; a closed piece is solid by the sign of its volume. */
static void measure(const hf_mesh* m, const int8_t* open, hf_pieces* p) {
    for (int i = 0; i < p->count; i++) p->box[i] = hf_box_empty();
    for (size_t t = 0; t < (size_t)m->triangle_count; t++)
        for (size_t c = 0; c < 3; c++) {
            const float* v = m->vertices + 3 * (size_t)m->indices[3 * t + c];
            hf_box point = {{v[0], v[1], v[2]}, {v[0], v[1], v[2]}};
            hf_box_join(&p->box[p->of[t]], &point);
        }
    for (size_t t = 0; t < (size_t)m->triangle_count; t++) {
        // about the piece's own corner, so that distance from the origin costs nothing
        const hf_box* box = &p->box[p->of[t]];
        hf_vec3 corner = hf_v3((double)box->low[0], (double)box->low[1], (double)box->low[2]);
        hf_triangle tri = hf_triangle_of(m, (int)t);
        p->volume[p->of[t]] +=
            hf_dot(hf_sub(tri.v[0], corner), hf_cross(hf_sub(tri.v[1], corner), hf_sub(tri.v[2], corner))) /
            6;
    }
    for (int i = 0; i < p->count; i++) {
        double s[3];
        for (int k = 0; k < 3; k++) s[k] = (double)p->box[i].high[k] - (double)p->box[i].low[k];
        double diagonal = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        bool sheet = fabs(p->volume[i]) <= SHEET_SHARE * diagonal * diagonal * diagonal;
        p->solidity[i] = open[i] || sheet ? 0 : p->volume[i] > 0 ? 1 : -1;
    }
}

/* Memory of one run. */
typedef struct scratch {
    uint32_t *table, *first, *set;
    edge* edges;
    int8_t* open;
    size_t table_size, edge_size;
} scratch;

static bool scratch_make(scratch* s, const hf_mesh* m) {
    size_t n = (size_t)m->vertex_count, t = (size_t)m->triangle_count;
    *s = (scratch){.table_size = table_size(n), .edge_size = edge_table_size(t)};
    s->table = hf_alloc(s->table_size, sizeof *s->table);
    s->first = hf_alloc(n, sizeof *s->first);
    s->set = hf_alloc(t, sizeof *s->set);
    s->edges = hf_alloc(s->edge_size, sizeof *s->edges);
    s->open = hf_alloc(t, 1);
    return s->table && s->first && s->set && s->edges && s->open;
}

static void scratch_free(scratch* s) {
    hf_free(s->table);
    hf_free(s->first);
    hf_free(s->set);
    hf_free(s->edges);
    hf_free(s->open);
}

/* Pieces with the present welding; returns how many triangles are in open ones. */
static int find_with(const hf_mesh* m, scratch* s, hf_pieces* p) {
    join_edges(m, s->first, s->edges, s->edge_size, s->set);
    p->count = number_pieces(m, s->edges, s->edge_size, s->set, p->of, s->open);
    int open = 0;
    for (int t = 0; t < m->triangle_count; t++) open += s->open[p->of[t]];
    return open;
}

static grid grid_of(const hf_mesh* m) {
    grid g = {.low = {INFINITY, INFINITY, INFINITY}};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        g.low[i % 3] = fmin(g.low[i % 3], (double)m->vertices[i]);
        high[i % 3] = fmax(high[i % 3], (double)m->vertices[i]);
    }
    for (int k = 0; k < 3; k++) size = fmax(size, high[k] - g.low[k]);
    double shortest = INFINITY; // squared length of a triangle's side
    for (int t = 0; t < m->triangle_count; t++) {
        hf_triangle tri = hf_triangle_of(m, t);
        for (int c = 0; c < 3; c++) {
            hf_vec3 e = hf_sub(tri.v[(c + 1) % 3], tri.v[c]);
            double l = hf_dot(e, e);
            if (l > 0) shortest = fmin(shortest, l);
        }
    }
    g.reach = fmin(WELD_SHARE * size, WELD_EDGE_SHARE * sqrt(shortest));
    g.cell = 8 * g.reach;
    return g;
}

hf_status hf_pieces_find(const hf_mesh* m, hf_pieces* p) {
    size_t t = (size_t)m->triangle_count;
    *p = (hf_pieces){.of = hf_alloc(t, sizeof *p->of)};
    scratch s;
    bool ok = scratch_make(&s, m) && p->of;
    if (ok) {
        weld_exact(m, s.table, s.table_size, s.first);
        int open = find_with(m, &s, p);
        grid g = grid_of(m);
        if (open && g.cell > 0) {
            weld_near(m, &g, s.table, s.table_size, s.first);
            if (find_with(m, &s, p) >= open) { // it closes nothing: exact welding stands
                weld_exact(m, s.table, s.table_size, s.first);
                find_with(m, &s, p);
            }
        }
        size_t n = (size_t)p->count;
        p->solidity = hf_alloc(n, 1);
        p->box = hf_alloc(n, sizeof *p->box);
        p->volume = hf_alloc(n, sizeof *p->volume);
        ok = p->solidity && p->box && p->volume;
        if (ok) measure(m, s.open, p);
    }
    scratch_free(&s);
    if (ok) return HF_OK;
    hf_pieces_free(p);
    return HF_ERROR_MEMORY;
}

void hf_pieces_free(hf_pieces* p) {
    hf_free(p->of);
    hf_free(p->solidity);
    hf_free(p->box);
    hf_free(p->volume);
    *p = (hf_pieces){0};
}
