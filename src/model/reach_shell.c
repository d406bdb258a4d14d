/* The reach shell of a limb: the range of distances from the limb's root in which drawn postures have the
   contact frame, for each direction of a cube's sides cut into squares (holdfast/reach.h). */
#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"
#include "model/reach_volume.h"

#include <holdfast/reach.h>

#include <math.h>

enum {
    SQUARES = 16,  /* along an edge of the cube: 5.6 degrees, 8 cm at the end of an arm */
    DRAWS = 50000, /* postures: some dozens for each direction */
    CELLS = 6 * SQUARES * SQUARES,
};
/* A contact may be off by as much: so thick is the shell of a limb that only turns about its root, m. */
static const double THICK_M = 1e-3;

typedef struct range {
    float near, far; /* m; near > far: no posture gets there */
} range;

struct hf_reach_shell {
    range cells[CELLS];
};

/* The square that a direction goes through. */
static int cell_of(hf_vec3 p) {
    double a[3] = {p.x, p.y, p.z};
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(a[k]) > fabs(a[axis])) axis = k;
    double most = fabs(a[axis]);
    if (!(most > 0)) return 0;
    int u = (int)((a[(axis + 1) % 3] / most + 1) / 2 * SQUARES),
        v = (int)((a[(axis + 2) % 3] / most + 1) / 2 * SQUARES);
    u = u < SQUARES ? u : SQUARES - 1, v = v < SQUARES ? v : SQUARES - 1;
    return ((axis * 2 + (a[axis] < 0)) * SQUARES + v) * SQUARES + u;
}

static void add(range* cells, hf_vec3 p) {
    range* r = &cells[cell_of(p)];
    float d = (float)hf_length(p);
    if (d < r->near) r->near = d;
    if (d > r->far) r->far = d;
}

/* A square also has what its neighbours of the same side have: postures are drawn, and seldom at a border. */
static void widen(const range* drawn, range* cells) {
    for (int i = 0; i < CELLS; i++) {
        int u = i % SQUARES, v = i / SQUARES % SQUARES;
        const int beside[4] = {u > 0 ? i - 1 : i, u + 1 < SQUARES ? i + 1 : i, v > 0 ? i - SQUARES : i,
                               v + 1 < SQUARES ? i + SQUARES : i};
        cells[i] = drawn[i];
        for (int k = 0; k < 4 && drawn[i].near <= drawn[i].far; k++) {
            cells[i].near = fminf(cells[i].near, drawn[beside[k]].near);
            cells[i].far = fmaxf(cells[i].far, drawn[beside[k]].far);
        }
    }
}

hf_status hf_reach_shell_create(const hf_creature* creature, int limb, int contact, hf_reach_shell** shell,
                                hf_error* error) {
    HF_REQUIRE(error, creature && shell);
    *shell = NULL;
    hf_reach_shell* s = hf_alloc(1, sizeof *s);
    float* points = hf_alloc(DRAWS, 3 * sizeof *points);
    range* drawn = hf_alloc(CELLS, sizeof *drawn);
    hf_status status = s && points && drawn ? HF_OK : hf_fail_memory(error, NULL);
    for (int i = 0; i < CELLS && status == HF_OK; i++) drawn[i] = (range){INFINITY, -INFINITY};
    if (status == HF_OK) status = hf_reach_draw_points(creature, limb, contact, DRAWS, points, error);
    for (int i = 0; i < DRAWS && status == HF_OK; i++) {
        const float* p = points + 3 * (size_t)i;
        add(drawn, hf_v3((double)p[0], (double)p[1], (double)p[2]));
    }
    if (status == HF_OK) widen(drawn, s->cells);
    hf_free(points);
    hf_free(drawn);
    if (status == HF_OK)
        *shell = s;
    else
        hf_free(s);
    return status;
}

void hf_reach_shell_free(hf_reach_shell* shell) { hf_free(shell); }

bool hf_reach_shell_holds(const hf_reach_shell* shell, hf_vec3 point) {
    const range* r = &shell->cells[cell_of(point)];
    double d = hf_length(point);
    return d >= (double)r->near - THICK_M && d <= (double)r->far + THICK_M;
}
