/* Halfspaces of the wrenches that contacts can give: a cone of friction edges plus the segments of grips. By
   double description (T. Motzkin and others 1953; K. Fukuda, A. Prodon: Double description method revisited,
   1996) of the outward normals: each edge cuts them to its far side, each segment splits them in two; as in a
   Minkowski sum the normals on either side stay and those across are new. The rays that are left are the
   normals of the halfspaces, the lines the equations of a set that is flat. */
#include "balance/wrench_polytope.h"
#include "base/memory.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    N = HF_FORCE_ROWS,
    MAX_RAYS = 4096,   /* more halfspaces are slower to ask than the linear program */
    MAX_SEGMENTS = 12, /* three gripping points; more of them nearly always make too many halfspaces */
    MAX_WORDS = HF_FORCE_COLUMNS / 64 + 1
};
static const double ZERO = 1e-9; /* between unit vectors: the normal is across */
static const double FLAT = 1e-7; /* a generator this near to the span of others is in it */
static const double GREY =
    1e-5; /* what is neither across nor clearly beside makes all that follows doubtful */
static const double INSIDE = 1e-9; /* body weights */

/* Normals found so far. A word's bits are the generators. */
typedef struct fan {
    int count;
    double (*ray)[N];       /* unit */
    uint64_t *zero, *above; /* generators it is across; segments on whose positive side it is */
} fan;

typedef struct double_description {
    const hf_stance* stance;
    int words;
    uint64_t segments[MAX_WORDS], done[MAX_WORDS]; /* generators that are segments; that are used */
    double (*generator)[N];                        /* unit */
    bool *segment, *used;
    int line_count;
    double line[N][N]; /* orthonormal: normals across all generators used so far */
    fan now, next;
    bool overflow, doubtful;
    int last_third;
} double_description;

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void add_scaled(double* a, const double* b, double s) {
    for (int i = 0; i < N; i++) a[i] += s * b[i];
}

static bool normalise(double* a) {
    double l = sqrt(dot(a, a));
    for (int i = 0; i < N; i++) a[i] /= l > 0 ? l : 1;
    return l > 0;
}

static void set_bit(uint64_t* words, int bit) { words[bit / 64] |= (uint64_t)1 << (bit % 64); }

static uint64_t* zero_of(const double_description* d, const fan* f, int ray) {
    return f->zero + (size_t)ray * (size_t)d->words;
}

static uint64_t* above_of(const double_description* d, const fan* f, int ray) {
    return f->above + (size_t)ray * (size_t)d->words;
}

/* A place for one more ray, -1 when there are too many. */
static int place(double_description* d, fan* f) {
    if (f->count == MAX_RAYS) d->overflow = true;
    return f->count == MAX_RAYS ? -1 : f->count++;
}

/* ---- while the generators do not span everything ---- */

/* The lines without their part along an axis that is one of their directions: one less. */
static void remove_line(double_description* d, const double* axis) {
    int shortest = 0, kept = 0;
    for (int l = 1; l < d->line_count; l++)
        if (fabs(dot(d->line[l], axis)) > fabs(dot(d->line[shortest], axis))) shortest = l;
    double left[N][N];
    for (int l = 0; l < d->line_count; l++) {
        if (l == shortest) continue;
        memcpy(left[kept], d->line[l], sizeof left[0]);
        for (int round = 0; round < 2; round++) { /* twice is enough (Kahan and Parlett) */
            add_scaled(left[kept], axis, -dot(left[kept], axis));
            for (int k = 0; k < kept; k++) add_scaled(left[kept], left[k], -dot(left[kept], left[k]));
        }
        normalise(left[kept++]);
    }
    d->line_count = kept;
    memcpy(d->line, left, sizeof left[0] * (size_t)kept);
}

static void new_ray(double_description* d, const double* axis, double sign, int above) {
    int at = place(d, &d->now);
    if (at < 0) return;
    for (int i = 0; i < N; i++) d->now.ray[at][i] = sign * axis[i];
    memcpy(zero_of(d, &d->now, at), d->done, sizeof(uint64_t) * (size_t)d->words);
    memset(above_of(d, &d->now, at), 0, sizeof(uint64_t) * (size_t)d->words);
    if (above >= 0) set_bit(above_of(d, &d->now, at), above);
}

/* The lines' direction along the generator becomes a ray (two for a segment), the rays lean along it until
   they are across the generator. */
static void use_line(double_description* d, int g) {
    const double* v = d->generator[g];
    double axis[N] = {0};
    for (int l = 0; l < d->line_count; l++) add_scaled(axis, d->line[l], dot(d->line[l], v));
    normalise(axis);
    double along = dot(axis, v);
    for (int i = 0; i < d->now.count; i++) {
        add_scaled(d->now.ray[i], axis, -dot(d->now.ray[i], v) / along);
        normalise(d->now.ray[i]);
        set_bit(zero_of(d, &d->now, i), g);
    }
    new_ray(d, axis, -1, -1);
    if (d->segment[g]) new_ray(d, axis, 1, g);
    remove_line(d, axis);
    set_bit(d->done, g);
    d->used[g] = true;
}

/* Generators that lie farthest off the span of those before come first; edges where they serve, because
   segments split. */
static void span(double_description* d) {
    d->line_count = N;
    for (int i = 0; i < N; i++) d->line[i][i] = 1;
    while (d->line_count) {
        int best = -1;
        double most = FLAT;
        for (int g = 0; g < d->stance->used; g++) {
            if (d->used[g]) continue;
            double off = 0;
            for (int l = 0; l < d->line_count; l++) {
                double part = dot(d->line[l], d->generator[g]);
                off += part * part;
            }
            off = sqrt(off) * (d->segment[g] ? 0.25 : 1);
            if (off > most) most = off, best = g;
        }
        if (most < GREY) d->doubtful = d->doubtful || most > FLAT;
        if (best < 0) break;
        use_line(d, best);
    }
}

/* ---- after that ---- */

/* Is the third ray in the smallest face with both: across all that both are across (common), and on no side
   of a segment on which neither of them is? */
static inline __attribute__((always_inline)) bool in_face(const double_description* d, int c, int words,
                                                          const uint64_t* common, const uint64_t* up,
                                                          const uint64_t* down) {
    const uint64_t *zc = zero_of(d, &d->now, c), *pc = above_of(d, &d->now, c);
    uint64_t off = 0;
    for (int w = 0; w < words; w++) off |= common[w] & ~zc[w];
    if (off) return false;
    for (int w = 0; w < words; w++) {
        uint64_t below = d->segments[w] & d->done[w] & ~pc[w] & ~zc[w];
        off |= (pc[w] & ~up[w]) | (below & ~down[w]);
    }
    return !off;
}

static inline __attribute__((always_inline)) int third_ray(const double_description* d, int a, int b,
                                                           int words, const uint64_t* common,
                                                           const uint64_t* up, const uint64_t* down) {
    for (int c = 0; c < d->now.count; c++)
        if (in_face(d, c, words, common, up, down) && c != a && c != b) return c;
    return -1;
}

/* Two rays span a face of the normals if no segment has them on different sides and no third ray lies in the
   smallest face with both. The third ray of the pair before is often that of this one, and is asked first. */
static bool adjacent(double_description* d, int a, int b, const uint64_t* common) {
    const fan* f = &d->now;
    const uint64_t *za = zero_of(d, f, a), *zb = zero_of(d, f, b);
    const uint64_t *pa = above_of(d, f, a), *pb = above_of(d, f, b);
    uint64_t up[MAX_WORDS], down[MAX_WORDS];
    for (int w = 0; w < d->words; w++) {
        uint64_t two_sided = d->segments[w] & d->done[w];
        up[w] = pa[w] | pb[w];
        down[w] = two_sided & ((~pa[w] & ~za[w]) | (~pb[w] & ~zb[w]));
        if (up[w] & down[w]) return false;
    }
    int last = d->last_third;
    if (last < f->count && last != a && last != b && in_face(d, last, d->words, common, up, down))
        return false;
    int third = d->words == 1 ? third_ray(d, a, b, 1, common, up, down)
                              : third_ray(d, a, b, d->words, common, up, down);
    if (third >= 0) d->last_third = third;
    return third < 0;
}

/* The ray between two that lie on either side of generator g. */
static void add_between(double_description* d, int a, int b, const double* height, const uint64_t* common,
                        int g) {
    int at = place(d, &d->next);
    if (at < 0) return;
    double* r = d->next.ray[at];
    for (int i = 0; i < N; i++) r[i] = height[a] * d->now.ray[b][i] - height[b] * d->now.ray[a][i];
    normalise(r);
    uint64_t *zero = zero_of(d, &d->next, at), *above = above_of(d, &d->next, at);
    const uint64_t *pa = above_of(d, &d->now, a), *pb = above_of(d, &d->now, b);
    for (int w = 0; w < d->words; w++) zero[w] = common[w], above[w] = pa[w] | pb[w];
    set_bit(zero, g);
}

/* Rays on the far side and across stay; those on the near side stay for a segment. */
static void keep_rays(double_description* d, const double* height, int g) {
    for (int i = 0; i < d->now.count; i++) {
        bool above = height[i] > ZERO, across = !above && height[i] >= -ZERO;
        if (above && !d->segment[g]) continue;
        int at = place(d, &d->next);
        if (at < 0) return;
        uint64_t *zero = zero_of(d, &d->next, at), *over = above_of(d, &d->next, at);
        memcpy(d->next.ray[at], d->now.ray[i], sizeof d->now.ray[0]);
        memcpy(zero, zero_of(d, &d->now, i), sizeof(uint64_t) * (size_t)d->words);
        memcpy(over, above_of(d, &d->now, i), sizeof(uint64_t) * (size_t)d->words);
        if (across) set_bit(zero, g);
        if (above) set_bit(over, g);
    }
}

/* One generator cuts or splits the normals. */
static void use(double_description* d, int g, double* height, int* up, int* down) {
    int up_count = 0, down_count = 0;
    for (int i = 0; i < d->now.count; i++) {
        height[i] = dot(d->now.ray[i], d->generator[g]);
        d->doubtful = d->doubtful || (fabs(height[i]) > ZERO / 1000 && fabs(height[i]) < GREY);
        if (height[i] > ZERO) up[up_count++] = i;
        if (height[i] < -ZERO) down[down_count++] = i;
    }
    d->next.count = 0;
    keep_rays(d, height, g);
    int least = N - d->line_count - 2; /* a face of two rays is across this many generators */
    uint64_t common[MAX_WORDS];
    for (int i = 0; i < up_count; i++)
        for (int j = 0; j < down_count && !d->overflow; j++) {
            const uint64_t *za = zero_of(d, &d->now, up[i]), *zb = zero_of(d, &d->now, down[j]);
            int bits = 0;
            for (int w = 0; w < d->words; w++) {
                common[w] = za[w] & zb[w];
                bits += __builtin_popcountll(common[w]);
            }
            if (bits >= least && adjacent(d, up[i], down[j], common))
                add_between(d, up[i], down[j], height, common, g);
        }
    set_bit(d->done, g);
    d->used[g] = true;
    fan t = d->now;
    d->now = d->next, d->next = t;
}

static bool fan_make(fan* f, int words, hf_workspace* workspace) {
    size_t bits = (size_t)MAX_RAYS * (size_t)words;
    f->count = 0;
    f->ray = hf_workspace_take(workspace, MAX_RAYS, sizeof *f->ray);
    f->zero = hf_workspace_take(workspace, bits, sizeof(uint64_t));
    f->above = hf_workspace_take(workspace, bits, sizeof(uint64_t));
    return f->ray && f->zero && f->above;
}

static hf_status set_up(double_description* d, hf_workspace* workspace) {
    const hf_stance* s = d->stance;
    size_t count = (size_t)s->used + 1;
    d->words = s->used > 64 ? (s->used + 63) / 64 : 1;
    d->generator = hf_workspace_take(workspace, count, sizeof *d->generator);
    d->segment = hf_workspace_take(workspace, count, sizeof(bool));
    d->used = hf_workspace_take(workspace, count, sizeof(bool));
    if (!d->generator || !d->segment || !d->used || !fan_make(&d->now, d->words, workspace) ||
        !fan_make(&d->next, d->words, workspace))
        return HF_ERROR_MEMORY;
    for (int g = 0; g < s->used; g++) {
        for (int r = 0; r < N; r++) d->generator[g][r] = s->rows[r][g];
        d->segment[g] = s->upper[g] < INFINITY;
        d->used[g] = !normalise(d->generator[g]) || s->upper[g] == 0;
        if (d->segment[g]) set_bit(d->segments, g);
    }
    return HF_OK;
}

/* ---- the result ---- */

static hf_status reserve(hf_wrench_polytope* p, int count) {
    if (count <= p->capacity) return HF_OK;
    int capacity = (count + 63) / 64 * 64;
    double* facets = hf_alloc_aligned((size_t)capacity * (N + 1), sizeof(double));
    if (!facets) return HF_ERROR_MEMORY;
    hf_free(p->facets);
    p->facets = facets, p->capacity = capacity;
    return HF_OK;
}

static void put(hf_wrench_polytope* p, const double* a, double sign, double b) {
    double* at = p->facets + p->facet_count++;
    for (int r = 0; r < N; r++) at[r * p->capacity] = sign * a[r];
    at[N * p->capacity] = b;
}

/* Does a halfspace hold for every edge, an equation for every generator? */
static bool sound(const double_description* d, const double* a, bool equation) {
    for (int g = 0; g < d->stance->used; g++) {
        double out = dot(a, d->generator[g]);
        if (equation ? fabs(out) > INSIDE : out > INSIDE && !d->segment[g]) return false;
    }
    return true;
}

/* A description that is doubtful keeps what is sound of it: a wrench outside is outside. */
static hf_status keep(const double_description* d, hf_wrench_polytope* p) {
    const hf_stance* s = d->stance;
    hf_status status = reserve(p, d->now.count + 2 * d->line_count);
    if (status != HF_OK) return status;
    p->facet_count = p->equation_count = 0;
    p->certain = !d->doubtful;
    for (int l = 0; l < d->line_count; l++) {
        if (d->doubtful && !sound(d, d->line[l], true)) continue;
        put(p, d->line[l], 1, 0), put(p, d->line[l], -1, 0);
        p->equation_count++;
    }
    for (int i = 0; i < d->now.count; i++) {
        if (d->doubtful && !sound(d, d->now.ray[i], false)) continue;
        double b = 0;
        for (int g = 0; g < s->used; g++) {
            if (!d->segment[g]) continue;
            double along = 0;
            for (int r = 0; r < N; r++) along += d->now.ray[i][r] * s->rows[r][g];
            b += fabs(along) * s->upper[g] / 2;
        }
        put(p, d->now.ray[i], 1, b);
    }
    p->known = true;
    return HF_OK;
}

static int segment_count(const hf_stance* s) {
    int count = 0;
    for (int g = 0; g < s->used; g++) count += s->upper[g] > 0 && s->upper[g] < INFINITY;
    return count;
}

hf_status hf_wrench_polytope_find(const hf_stance* stance, hf_workspace* workspace,
                                  hf_wrench_polytope* polytope) {
    polytope->known = false;
    if (segment_count(stance) > MAX_SEGMENTS) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    double_description d = {.stance = stance};
    hf_status status = set_up(&d, workspace);
    double* height = hf_workspace_take(workspace, MAX_RAYS, sizeof(double));
    int* sides = hf_workspace_take(workspace, 2 * MAX_RAYS, sizeof(int));
    if (status == HF_OK && (!height || !sides)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) {
        span(&d);
        for (int segments = 0; segments < 2; segments++)
            for (int g = 0; g < stance->used && !d.overflow; g++)
                if (!d.used[g] && d.segment[g] == segments) use(&d, g, height, sides, sides + MAX_RAYS);
        if (!d.overflow) status = keep(&d, polytope);
    }
    hf_workspace_end(workspace, mark);
    return status;
}

bool hf_wrench_polytope_holds(const hf_wrench_polytope* p, const double w[N]) {
    const double* f = p->facets;
    size_t next = (size_t)p->capacity;
    double size = 1;
    for (int r = 0; r < N; r++) size = fmax(size, fabs(w[r]));
    for (int i = 0; i < p->facet_count; i++, f++) {
        double out = f[0] * w[0] + f[next] * w[1] + f[2 * next] * w[2] + f[3 * next] * w[3] +
                     f[4 * next] * w[4] + f[5 * next] * w[5] - f[6 * next];
        if (!(out <= INSIDE * size)) return false;
    }
    return true;
}
