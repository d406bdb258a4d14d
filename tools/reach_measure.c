/* Points that a limb's reach shell or hull holds and the limb solver does not get to, and points that
   postures have and the shell does not hold. reach_measure CREATURE [POINTS [SEED]]: points are shared by the
   limbs, drawn evenly in each shell, and again in each hull. */
#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A point counts as reached from this near, m: what a motion's contact may be off. */
static const double REACHED_M = 1e-3;

static uint64_t state;
static double unit(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static hf_vec3 corner(const hf_mesh* m, uint32_t i) {
    const float* v = m->vertices + 3 * (size_t)i;
    return hf_v3((double)v[0], (double)v[1], (double)v[2]);
}

static bool inside(const hf_mesh* m, hf_vec3 p) {
    for (int t = 0; t < m->triangle_count; t++) {
        const uint32_t* i = m->indices + 3 * (size_t)t;
        hf_vec3 a = corner(m, i[0]), n = hf_cross(hf_sub(corner(m, i[1]), a), hf_sub(corner(m, i[2]), a));
        if (hf_dot(n, hf_sub(p, a)) > 0) return false;
    }
    return true;
}

static hf_vec3 draw(const hf_mesh* m) {
    hf_vec3 low = corner(m, 0), high = low, p;
    for (int i = 1; i < m->vertex_count; i++) {
        hf_vec3 v = corner(m, (uint32_t)i);
        low = hf_v3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = hf_v3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    do {
        double x = unit(), y = unit(), z = unit();
        p = hf_v3(low.x + x * (high.x - low.x), low.y + y * (high.y - low.y), low.z + z * (high.z - low.z));
    } while (!inside(m, p));
    return p;
}

/* A point of the hull, of its part in the shell where there is one. */
static hf_vec3 draw_in(const hf_mesh* m, const hf_reach_shell* shell) {
    hf_vec3 p;
    do p = draw(m);
    while (shell && !hf_reach_shell_holds(shell, p));
    return p;
}

/* How many of the points the solver misses. */
static int measure(const hf_creature* c, int limb, const hf_mesh* hull, const hf_reach_shell* shell,
                   int points, hf_workspace* w) {
    const hf_creature_view* v = hf_creature_get(c);
    double* q = calloc((size_t)v->q_count + 1, sizeof *q);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose rest = {.root = hf_transform_identity(), .q = q};
    hf_solve_options o = hf_solve_options_default();
    hf_pose_rest(c, &rest);
    hf_forward(c, &rest, links);
    const hf_limb* l = &v->limbs[limb];
    hf_transform base = links[l->base_link], root = hf_limb_base(c, limb, links);
    int missed = 0;
    for (int i = 0; i < points; i++) {
        hf_target t = {.kind = HF_TARGET_POSITION, .limb = limb, .contact = 0};
        t.point = hf_apply(root, draw_in(hull, shell));
        t.normal = hf_v3(0, 0, 1), t.rotation = hf_quat_identity();
        hf_solve_result r;
        hf_pose_rest(c, &rest);
        if (hf_limb_solve(c, &base, &t, &o, w, q, &r) != HF_OK) exit(2);
        missed += !(r.position_error_m <= REACHED_M);
    }
    free(q);
    free(links);
    return missed;
}

static void tell(const char* name, const int* counts, int n) {
    printf("%-12s %6d points: %5.2f %% in the shell not reached (goal 4), %5.2f %% of postures' not in it; "
           "%5.2f %% in the hull not reached\n",
           name, n, 100.0 * counts[0] / n, 100.0 * counts[1] / n, 100.0 * counts[2] / n);
}

/* How many random postures of the limb have their contact where the shell does not hold it. */
static int miss(const hf_creature* c, int limb, const hf_reach_shell* shell, int points) {
    const hf_creature_view* v = hf_creature_get(c);
    const hf_limb* l = &v->limbs[limb];
    double* q = calloc((size_t)v->q_count + 1, sizeof *q);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose pose = {.root = hf_transform_identity(), .q = q};
    int missed = 0;
    for (int i = 0; i < points;) {
        hf_pose_rest(c, &pose);
        for (int j = 0; j < l->joint_count; j++) {
            const hf_joint* joint = &v->joints[l->joints[j]];
            q[joint->q_index] = joint->lower + unit() * (joint->upper - joint->lower);
        }
        hf_pose_follow(c, q);
        if (!hf_pose_within_rom(c, q, 0)) continue;
        hf_forward(c, &pose, links);
        const hf_contact_frame* f = &l->contacts[0];
        hf_vec3 at = hf_unapply(hf_limb_base(c, limb, links), hf_apply(links[f->link], f->offset));
        missed += !hf_reach_shell_holds(shell, at);
        i++;
    }
    free(q);
    free(links);
    return missed;
}

int main(int argc, char** argv) {
    hf_error error = {0};
    char text[1200];
    hf_creature* c = NULL;
    hf_workspace* w = NULL;
    int points = argc > 2 ? atoi(argv[2]) : 100000, limbs = 0;
    state = argc > 3 ? (uint64_t)atoll(argv[3]) : 1;
    if (argc < 2 || hf_creature_load(argv[1], NULL, &c, &error) != HF_OK ||
        hf_workspace_create(&w) != HF_OK) {
        fprintf(stderr, "%s\n",
                argc < 2 ? "usage: reach_measure CREATURE [POINTS [SEED]]"
                         : hf_error_text(&error, text, sizeof text));
        return 2;
    }
    const hf_creature_view* v = hf_creature_get(c);
    for (int i = 0; i < v->limb_count; i++) limbs += v->limbs[i].joint_count > 0;
    int sums[3] = {0}, all = 0;
    for (int i = 0; i < v->limb_count; i++) {
        hf_mesh hull = {0};
        hf_reach_shell* shell = NULL;
        int n = points / limbs;
        if (v->limbs[i].joint_count == 0 || hf_reach_volume(c, i, 0, &hull, &error) != HF_OK) continue;
        if (hf_reach_shell_create(c, i, 0, &shell, &error) != HF_OK) return 2;
        int counts[3] = {measure(c, i, &hull, shell, n, w), miss(c, i, shell, n),
                         measure(c, i, &hull, NULL, n, w)};
        tell(v->limbs[i].name, counts, n);
        all += n;
        for (int k = 0; k < 3; k++) sums[k] += counts[k];
        hf_reach_shell_free(shell);
        hf_mesh_free(&hull);
    }
    if (all) tell("all", sums, all);
    hf_workspace_free(w);
    hf_creature_free(c);
    return 0;
}
