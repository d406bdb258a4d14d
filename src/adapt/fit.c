/* Particles after Jakobsen (contact-repositioning-2016 appendix A2). What deviates: the integration step of
   equation 29 is 1 instead of 1 / N_j^2, which would take thousands of rounds for a human; affinities sum the
   weights of equation 24, because those of equation 26 sum to 1 for every joint; the trunk is one rigid piece
   (the nearest rotation of its particles), because its pose is what is asked for. */
#include "adapt/fit.h"

#include "adapt/rotation.h"

#include <math.h>

enum { ROUNDS = 40 };
/* Bones that are off by less are right, m. */
static const double NEAR_M = 1e-4;
/* Damping of equation 29 at affinity 0 and 1. */
static const double LOOSE = 0.8, TIGHT = 0.2;
/* Least affinity: particles far from every surface still keep their place a little. */
static const double LEAST = 0.05;

hf_transform hf_delta_apply(const hf_delta* d, hf_transform t) {
    return (hf_transform){hf_add(t.position, d->shift),
                          hf_quat_normalize(hf_quat_mul(hf_turn(d->turn), t.rotation))};
}

typedef struct fitter {
    const hf_source* source;
    const hf_vec3* opened;
    const float* affinity;
    const bool* pinned;
    hf_vec3 *now, *before, *target;
    hf_vec3 middle, at; /* of the trunk, as opened and now */
    hf_quat turn;
} fitter;

static double affinity_of(const fitter* f, int i) { return fmax((double)f->affinity[i], LEAST); }

/* Equations 28 and 29. */
static void pull(fitter* f) {
    double most = 0;
    for (int i = 0; i < f->source->particle_count; i++) most = fmax(most, affinity_of(f, i));
    for (int i = 0; i < f->source->particle_count; i++) {
        hf_vec3 p = f->now[i];
        double d = LOOSE + (TIGHT - LOOSE) * affinity_of(f, i) / most;
        hf_vec3 force = hf_sub(f->target[i], p);
        hf_vec3 next = hf_add(p, hf_add(hf_scale(hf_sub(p, f->before[i]), d), hf_scale(force, 0.5)));
        f->before[i] = p;
        // between trunk and effector bones alone decide: knees and elbows are the limb solver's
        if (f->pinned[i] || f->source->particles[i].trunk) f->now[i] = f->pinned[i] ? f->target[i] : next;
    }
}

/* Equation 30 on both ends of each bone; returns the worst error. */
static double stretch(fitter* f) {
    double worst = 0;
    for (int i = 1; i < f->source->particle_count; i++) {
        int k = f->source->particles[i].parent;
        if (f->source->particles[i].trunk) continue;
        double length = hf_distance(f->opened[i], f->opened[k]);
        hf_vec3 bone = hf_sub(f->now[i], f->now[k]);
        double is = hf_length(bone), off = length - is;
        if (!(is > 0)) continue;
        double s_i = affinity_of(f, i), s_k = affinity_of(f, k);
        double share = f->pinned[i] ? 0 : f->pinned[k] ? 1 : s_k / (s_k + s_i);
        hf_vec3 along = hf_scale(bone, off / is);
        f->now[i] = hf_add(f->now[i], hf_scale(along, share));
        if (!f->pinned[k]) f->now[k] = hf_sub(f->now[k], hf_scale(along, 1 - share));
        worst = fmax(worst, fabs(off));
    }
    return worst;
}

/* The trunk's particles as one rigid piece. */
static void stiffen(fitter* f) {
    const hf_particle* p = f->source->particles;
    double sum = 0, m[9] = {0};
    hf_vec3 a = {0, 0, 0}, b = {0, 0, 0};
    for (int i = 0; i < f->source->particle_count; i++) {
        if (!p[i].trunk) continue;
        double s = affinity_of(f, i);
        a = hf_add(a, hf_scale(f->opened[i], s)), b = hf_add(b, hf_scale(f->now[i], s));
        sum += s;
    }
    f->middle = hf_scale(a, 1 / sum), f->at = hf_scale(b, 1 / sum);
    for (int i = 0; i < f->source->particle_count; i++) {
        if (!p[i].trunk) continue;
        hf_vec3 u = hf_sub(f->opened[i], f->middle),
                v = hf_scale(hf_sub(f->now[i], f->at), affinity_of(f, i));
        const double x[3] = {u.x, u.y, u.z}, y[3] = {v.x, v.y, v.z};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) m[3 * r + c] += y[r] * x[c];
    }
    f->turn = hf_rotation_nearest(m);
    for (int i = 0; i < f->source->particle_count; i++)
        if (p[i].trunk) f->now[i] = hf_add(f->at, hf_rotate(f->turn, hf_sub(f->opened[i], f->middle)));
}

hf_delta hf_skeleton_fit(const hf_fit_job* job) {
    const hf_source* s = job->relation->source;
    int n = s->particle_count;
    fitter f = {.source = s,
                .opened = s->points + (size_t)job->frame * (size_t)n,
                .affinity = job->relation->affinity + (size_t)job->frame * (size_t)n,
                .pinned = job->pinned,
                .now = job->scratch,
                .before = job->scratch + n,
                .target = job->scratch + 2 * n,
                .turn = hf_quat_identity()};
    for (int i = 0; i < n; i++) {
        f.target[i] = hf_add(f.opened[i], job->shifts[i]);
        // most of the body goes where its surroundings go: begin there
        f.now[i] = f.before[i] = f.target[i];
    }
    stiffen(&f);
    for (int round = 0; round < ROUNDS; round++) {
        pull(&f);
        double worst = stretch(&f);
        stiffen(&f);
        if (worst < NEAR_M && round > 2) break;
    }
    hf_transform root = s->roots[job->frame];
    hf_vec3 to = hf_add(f.at, hf_rotate(f.turn, hf_sub(root.position, f.middle)));
    return (hf_delta){hf_sub(to, root.position), hf_quat_log(f.turn)};
}
