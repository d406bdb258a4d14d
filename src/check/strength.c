/* Are the joints strong enough? Where several limbs bear, contact forces can be shared in many ways; a linear
   program looks for those that load the most loaded joint least, in shares of its effort limit. */
#include "check/check.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Rows are joints with an effort limit; the torque of one is own - sum of push[row][column] x[column], all in
   shares of the limit. */
typedef struct strength {
    const check_job* job;
    const check_program* program;
    int row_count;
    int *row_of, *joint_of; /* of joints, -1; of rows */
    double *own, *push;
    bool* active; /* contact forces change the row */
} strength;

bool check_is_limited(const hf_joint* j) {
    return j->q_count == 1 && j->mimic < 0 && isfinite(j->max_effort) && j->max_effort > 0;
}

static hf_status make(const check_job* job, const check_program* p, const double* torques, strength* s) {
    const hf_creature_view* c = job->c;
    size_t joints = (size_t)c->joint_count + 1;
    *s = (strength){.job = job, .program = p};
    s->row_of = hf_alloc(joints, sizeof(int)), s->joint_of = hf_alloc(joints, sizeof(int));
    s->own = hf_alloc(joints, sizeof(double)), s->active = hf_alloc(joints, sizeof(bool));
    s->push = hf_alloc(joints * (size_t)(p->columns + 1), sizeof(double));
    if (!s->row_of || !s->joint_of || !s->own || !s->active || !s->push) return HF_ERROR_MEMORY;
    for (int j = 0; j < c->joint_count; j++) {
        s->row_of[j] = -1;
        if (!check_is_limited(&c->joints[j])) continue;
        s->own[s->row_count] = torques[j] / c->joints[j].max_effort;
        s->joint_of[s->row_count] = j;
        s->row_of[j] = s->row_count++;
    }
    return HF_OK;
}

static void strength_free(strength* s) {
    hf_free(s->row_of), hf_free(s->joint_of);
    hf_free(s->own), hf_free(s->active), hf_free(s->push);
}

static double* push_of(const strength* s, int row) {
    return s->push + (size_t)row * (size_t)(s->program->columns + 1);
}

/* How a force at a point of a link changes the torque of the joint that moves it or a link above it. */
static void push_joint(strength* s, int link, const check_frame* at, const double point[3],
                       const double force[3], int column) {
    const hf_creature_view* c = s->job->c;
    int joint = c->links[link].joint;
    const hf_joint* j = &c->joints[joint];
    if (j->q_count != 1) return;
    double axis[3] = {j->axis.x, j->axis.y, j->axis.z}, torque = 0;
    check_frame_turn(at, axis, axis);
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        double moment = (point[a] - at->p[a]) * force[b] - (point[b] - at->p[b]) * force[a];
        torque += axis[i] * (j->type == HF_JOINT_PRISMATIC ? force[i] : moment);
    }
    for (; c->joints[joint].mimic >= 0; joint = c->joints[joint].mimic) torque *= c->joints[joint].multiplier;
    int row = s->row_of[joint];
    if (row < 0 || torque == 0) return;
    push_of(s, row)[column] += torque / c->joints[joint].max_effort;
    s->active[row] = true;
}

/* The columns of one contact. */
static int push_contact(strength* s, const check_bearing_set* set, const hf_hold* k, const check_frame* links,
                        double weight, int column) {
    const check_job* job = s->job;
    const check_bearing* b =
        &job->bearings[(size_t)set->frame * (size_t)job->motion->limb_count + (size_t)k->limb];
    int columns = k->grip ? CHECK_GRIP_COLUMNS : CHECK_CONE_COLUMNS;
    int link = hf_creature_find_link(job->creature, job->motion->limbs[k->limb].frames[k->frame].link);
    for (int c = 0; c < b->count; c++)
        for (int e = 0; e < columns; e++, column++) {
            double force[3];
            for (int i = 0; i < 3; i++)
                force[i] = weight * s->program->table[i * (size_t)(s->program->columns + 1) + (size_t)column];
            for (int l = link; l > 0; l = job->c->links[l].parent_link)
                push_joint(s, l, &links[l], b->corners[c], force, column);
        }
    return column;
}

static double row_share(const strength* s, int row, const double* x) {
    double share = s->own[row];
    const double* push = push_of(s, row);
    for (int j = 0; j < s->program->columns; j++) share -= push[j] * x[j];
    return fabs(share);
}

/* The most loaded row with these forces. */
static double peak(const strength* s, const double* x, int* row) {
    double most = -1;
    for (int r = 0; r < s->row_count; r++) {
        double share = row_share(s, r, x);
        if (share > most) most = share, *row = r;
    }
    return most;
}

/* The forces' own rows, with what x gives on their right sides, so that x is an answer. */
static void copy_forces(const strength* s, const double* x, check_program* q) {
    const check_program* p = s->program;
    for (int i = 0; i < p->rows; i++) {
        const double* from = p->table + (size_t)i * (size_t)(p->columns + 1);
        double *to = q->table + (size_t)i * (size_t)(q->columns + 1), given = 0;
        for (int j = 0; j < p->columns; j++) to[j] = from[j], given += from[j] * x[j];
        to[q->columns] = given;
    }
    memcpy(q->barred, p->barred, sizeof(bool) * (size_t)p->columns);
}

/* Both signs of each active row: +-share + rest + gain = most. The gain is the last column. */
static void put_joints(const strength* s, double most, check_program* q) {
    int row = s->program->rows, rest = s->program->columns;
    for (int r = 0; r < s->row_count; r++)
        for (int sign = -1; sign <= 1 && s->active[r]; sign += 2, row++) {
            double* to = q->table + (size_t)row * (size_t)(q->columns + 1);
            for (int j = 0; j < s->program->columns; j++) to[j] = sign * push_of(s, r)[j];
            to[rest++] = 1;
            to[q->columns - 1] = 1;
            to[q->columns] = most + sign * s->own[r];
        }
    q->barred[q->columns - 1] = true;
}

/* The program's answer, its first numbers. */
static void read_answer(const check_program* q, int count, double* x) {
    memset(x, 0, sizeof(double) * (size_t)count);
    for (int i = 0; i < q->rows; i++)
        if (q->basis[i] < count)
            x[q->basis[i]] = fmax(0, q->table[(size_t)i * (size_t)(q->columns + 1) + (size_t)q->columns]);
}

/* Lowers the peak by other forces; best is what was found before and stays where nothing is better. */
static hf_status relieve(const strength* s, const double* x, double* best, int* row) {
    int active = 0;
    for (int r = 0; r < s->row_count; r++) active += s->active[r];
    check_program q;
    hf_status status =
        check_program_make(&q, s->program->rows + 2 * active, s->program->columns + 2 * active + 1);
    double* y = hf_alloc((size_t)s->program->columns + 1, sizeof *y);
    if (status == HF_OK && !y) status = HF_ERROR_MEMORY;
    if (status == HF_OK) {
        copy_forces(s, x, &q);
        put_joints(s, *best, &q);
        if (check_program_start(&q)) {
            check_program_largest(&q, q.columns - 1);
            read_answer(&q, s->program->columns, y);
            int other = 0;
            double share = peak(s, y, &other);
            if (share < *best) *best = share, *row = other;
        }
    }
    hf_free(y);
    check_program_free(&q);
    return status;
}

hf_status check_strength(const check_job* job, const check_bearing_set* set, const check_frame* links,
                         const check_program* p, const double* torques, const double* x, double* share,
                         int* joint) {
    strength s;
    hf_status status = make(job, p, torques, &s);
    *share = NAN, *joint = -1;
    if (status == HF_OK && s.row_count) {
        double weight = check_mass(job, set->frame) * CHECK_GRAVITY;
        int column = 0, row = 0;
        for (int i = 0; i < set->count; i++)
            column = push_contact(&s, set, set->contacts[i], links, weight, column);
        *share = peak(&s, x, &row);
        if (s.active[row]) status = relieve(&s, x, share, &row);
        *joint = s.joint_of[row];
    }
    strength_free(&s);
    return status;
}
