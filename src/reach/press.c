/* An object between two palms that do not grip it: friction bears it while the arms are strong enough. */
#include "reach/reach_world.h"

#include "balance/stance.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>

typedef struct palm {
    int limb;
    hf_support support; /* in the world */
    hf_vec3* forces;    /* on the object, N, one for each corner */
} palm;

/* Adds what the forces of a palm take of the joints. */
static void add_torques(const hf_reach_worker* w, const palm* p, double* torques) {
    const hf_creature_view* v = &w->world->creature->view;
    int link = v->limbs[p->limb].contacts[0].link;
    for (int c = 0; c < p->support.corner_count; c++) {
        hf_point_jacobian(w->world->creature, w->links, link, p->support.corners[c], 3, w->jacobian);
        hf_vec3 f = p->forces[c];
        for (int k = 0; k < v->v_count; k++)
            torques[k] += w->jacobian[k] * f.x + w->jacobian[v->v_count + k] * f.y +
                          w->jacobian[2 * v->v_count + k] * f.z;
    }
}

/* Are the limb and its joints strong enough? */
static bool is_strong(const hf_reach_worker* w, const palm* p, const double* torques) {
    const hf_creature_view* v = &w->world->creature->view;
    const hf_limb* limb = &v->limbs[p->limb];
    double push = 0;
    for (int c = 0; c < p->support.corner_count; c++) push += hf_dot(p->forces[c], p->support.normal);
    if (push > limb->max_force) return false;
    for (int i = 0; i < limb->joint_count; i++) {
        const hf_joint* j = &v->joints[limb->joints[i]];
        bool limited = j->q_count == 1 && j->mimic < 0 && isfinite(j->max_effort) && j->max_effort > 0;
        if (limited && fabs(torques[j->v_index]) > j->max_effort) return false;
    }
    return true;
}

hf_vec3 hf_reach_hanging(const hf_support supports[2], hf_vec3 com) {
    return hf_support_hanging(supports, 2, com);
}

static bool judge(hf_reach_worker* w, const hf_reach_load* load, hf_transform object, palm palms[2]) {
    const hf_creature* c = w->world->creature;
    hf_support supports[2] = {palms[0].support, palms[1].support};
    hf_vec3 forces[2 * HF_SUPPORT_CORNERS], none = {0, 0, 0}, fall = {0, 0, -HF_GRAVITY_M_S2};
    double* torques = hf_workspace_take(w->workspace, (size_t)c->view.v_count + 1, sizeof *torques);
    if (!torques || hf_stance_build(w->press, supports, 2, load->mass, NULL, w->workspace) != HF_OK)
        return false;
    if (!hf_stance_forces(w->press, hf_reach_hanging(supports, hf_apply(object, load->com)), none, none,
                          forces))
        return false;
    if (hf_inverse_dynamics(c, &w->pose, NULL, NULL, fall, w->workspace, torques) != HF_OK) return false;
    palms[0].forces = forces, palms[1].forces = forces + supports[0].corner_count;
    for (int i = 0; i < 2; i++) add_torques(w, &palms[i], torques);
    return is_strong(w, &palms[0], torques) && is_strong(w, &palms[1], torques);
}

bool hf_reach_presses(hf_reach_worker* w, const hf_reach_load* load, hf_transform object) {
    palm palms[2] = {{.limb = load->limb}, {.limb = load->second}};
    // a palm that came or leaves before the other one: what it touches stands by itself
    if (load->second < 0 || !(load->mass > 0)) return true;
    for (int i = 0; i < 2; i++) {
        hf_support* s = &palms[i].support;
        *s = load->presses[i];
        for (int k = 0; k < s->corner_count; k++) s->corners[k] = hf_apply(object, s->corners[k]);
        s->normal = hf_rotate(object.rotation, s->normal);
    }
    hf_workspace_mark mark = hf_workspace_begin(w->workspace);
    bool good = judge(w, load, object, palms);
    hf_workspace_end(w->workspace, mark);
    return good;
}
