/* Score terms (efort-2014-journal section 3.2, method section 4).

   f_T(theta, v) = (v^T J J^T v + (0.05 L)^2)^(-1/2) is how much force along v a unit of joint torque gives;
   the guard keeps singular directions finite. The effort term is L f_T times the direction factor. */
#include "contact/score_terms.h"

#include "model/creature.h"
#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

/* Share of the limb's length that guards f_T (method section 4). */
static const double GUARD = 0.05;
/* Surfaces along the task's direction but for rounding. */
static const double ACROSS = 1e-6;
/* A grip has a dominant normal when this share of its surface, by squared cosine, lies across one axis: of a
   ball it is a third, of a cylinder half. */
static const double DOMINANT_SHARE = 0.6;
/* A limb without length, m. */
static const double LEAST_LENGTH_M = 1e-3;

/* ---- the table ---- */

/* From what a term is computed. */
typedef enum source {
    POSTURE, /* posture and surface */
    PATH,    /* an outlook with root poses and reach volumes; in plans the guide */
    STANCE   /* an outlook with a stance; in plans the contacts that stay */
} source;

static const struct {
    const char* name;
    source from;
} table[HF_TERM_COUNT] = {[HF_TERM_EFFORT] = {"effort", POSTURE},
                          [HF_TERM_DISTANCE] = {"distance", POSTURE},
                          [HF_TERM_MANIPULABILITY] = {"manipulability", POSTURE},
                          [HF_TERM_PRECISION] = {"precision", POSTURE},
                          [HF_TERM_COMFORT] = {"comfort", POSTURE},
                          [HF_TERM_DURATION] = {"duration", PATH},
                          [HF_TERM_BALANCE] = {"balance", STANCE}};

const char* hf_term_text(hf_term term) {
    return (unsigned)term < HF_TERM_COUNT ? table[term].name : "unknown";
}

int hf_term_find(const char* name) {
    for (int i = 0; i < HF_TERM_COUNT; i++)
        if (strcmp(name, table[i].name) == 0) return i;
    return -1;
}

int hf_terms_missing(const double* weights, const hf_outlook* o) {
    bool filled[] = {
        [POSTURE] = true, [PATH] = o && o->reach && o->root_count > 0, [STANCE] = o && o->stance};
    for (int i = 0; i < HF_TERM_COUNT; i++)
        if (weights[i] != 0 && !filled[table[i].from]) return i;
    return -1;
}

double hf_terms_weigh(const double* weights, const double* terms) {
    double sum = 0;
    for (int i = 0; i < HF_TERM_COUNT; i++)
        if (weights[i] != 0) sum += weights[i] * terms[i];
    return sum;
}

/* ---- surfaces ---- */

double hf_direction_factor(hf_role role, bool free_grip, double cosine) {
    if (fabs(cosine) < ACROSS) cosine = 0;
    if (role == HF_ROLE_SUPPORT) return cosine;
    if (role == HF_ROLE_ACT) return -cosine;
    return free_grip ? 1 : fabs(cosine);
}

bool hf_contact_free_grip(const hf_object* object) {
    enum { SQUARINGS = 8 };
    // sum of area times n n^T, and its largest eigenvalue by squaring the matrix
    double t[6] = {0};
    for (int i = 0; i < object->mesh.triangle_count; i++) {
        hf_triangle tri = hf_triangle_of(&object->mesh, i);
        hf_vec3 n = hf_cross(hf_sub(tri.v[1], tri.v[0]), hf_sub(tri.v[2], tri.v[0]));
        double area = hf_length(n), per = area > 0 ? 1 / area : 0;
        t[0] += n.x * n.x * per, t[1] += n.y * n.y * per, t[2] += n.z * n.z * per;
        t[3] += n.x * n.y * per, t[4] += n.x * n.z * per, t[5] += n.y * n.z * per;
    }
    double trace = t[0] + t[1] + t[2];
    if (!(trace > 0)) return true;
    double m[6], traces[SQUARINGS], share = 1;
    for (int k = 0; k < 6; k++) m[k] = t[k] / trace;
    // after k squarings the trace tends to (largest / all) to the power of 2^k
    for (int k = 0; k < SQUARINGS; k++) {
        double s[6] = {m[0] * m[0] + m[3] * m[3] + m[4] * m[4], m[1] * m[1] + m[3] * m[3] + m[5] * m[5],
                       m[2] * m[2] + m[4] * m[4] + m[5] * m[5], m[0] * m[3] + m[3] * m[1] + m[4] * m[5],
                       m[0] * m[4] + m[3] * m[5] + m[4] * m[2], m[3] * m[4] + m[1] * m[5] + m[5] * m[2]};
        double sum = s[0] + s[1] + s[2];
        traces[k] = sum;
        for (int i = 0; i < 6; i++) m[i] = s[i] / sum;
    }
    for (int k = SQUARINGS - 1; k >= 0; k--) share = sqrt(share * traces[k]);
    return share < DOMINANT_SHARE;
}

/* ---- postures ---- */

double hf_terms_length(const hf_limb* limb) { return fmax(limb->length, LEAST_LENGTH_M); }

double hf_terms_guard(double length) { return GUARD * length * (GUARD * length); }

void hf_terms_fill(const hf_posture_terms* p, double* terms) {
    hf_vec3 v = p->direction;
    const double* j = p->gram;
    double form = v.x * v.x * j[0] + v.y * v.y * j[1] + v.z * v.z * j[2] +
                  2 * (v.x * v.y * j[3] + v.x * v.z * j[4] + v.y * v.z * j[5]);
    double lever = sqrt(fmax(form, 0) + hf_terms_guard(p->length)) / p->length;
    memset(terms, 0, sizeof *terms * HF_TERM_COUNT);
    terms[HF_TERM_EFFORT] = p->factor / lever;
    terms[HF_TERM_DISTANCE] = -p->distance_m / p->length;
    terms[HF_TERM_MANIPULABILITY] = p->manipulability;
    terms[HF_TERM_PRECISION] = p->factor * lever;
}

double hf_terms_comfort(const hf_creature* creature, int index, const double* q) {
    const hf_creature_view* view = &creature->view;
    const hf_limb* limb = &view->limbs[index];
    double sum = 0;
    int count = 0;
    for (int r = 0; r < view->rom_count; r++) {
        bool mine = false;
        for (int i = 0; i < limb->joint_count && !mine; i++)
            mine = limb->joints[i] == view->roms[r].joints[0];
        if (mine) sum += hf_rom_comfort(creature, r, q), count++;
    }
    for (int i = 0; i < limb->joint_count && !count; i++) {
        const hf_joint* j = &view->joints[limb->joints[i]];
        if (!isfinite(j->lower) || !isfinite(j->upper) || !(j->upper > j->lower)) continue;
        double at = (q[j->q_index] - j->lower) / (j->upper - j->lower);
        sum += (1 - fabs(2 * at - 1)) / limb->joint_count;
    }
    return count ? sum / count : sum;
}

/* Product of the three (or as many as there are joints) largest singular values of a Jacobian. */
static double product_of_singular_values(const double* g, int columns) {
    double det = g[0] * (g[1] * g[2] - g[5] * g[5]) - g[3] * (g[3] * g[2] - g[5] * g[4]) +
                 g[4] * (g[3] * g[5] - g[1] * g[4]);
    double minors = g[0] * g[1] - g[3] * g[3] + g[0] * g[2] - g[4] * g[4] + g[1] * g[2] - g[5] * g[5];
    double square = columns > 2 ? det : columns == 2 ? minors : columns == 1 ? g[0] + g[1] + g[2] : 0;
    return sqrt(fmax(square, 0));
}

void hf_terms_of_posture(const hf_touching_limb* t, double* terms, double* manipulability) {
    const hf_limb* limb = &t->creature->view.limbs[t->limb];
    hf_posture_terms p = {.direction = t->direction, .length = hf_terms_length(limb), .factor = t->factor};
    int columns = 0;
    for (int i = 0; i < limb->joint_count; i++) columns += t->creature->view.joints[limb->joints[i]].v_count;
    hf_limb_jacobian(t->creature, t->limb, t->links, t->at, 3, t->jacobian);
    hf_jacobian_gram(t->jacobian, columns, p.gram);
    *manipulability = product_of_singular_values(p.gram, columns);
    hf_terms_fill(&p, terms);
    terms[HF_TERM_COMFORT] = hf_terms_comfort(t->creature, t->limb, t->q);
}
