/* Stances change one limb at a time, and limbs that exclude each other are not in contact together. */
#include "check/check.h"
#include "check/tolerance.h"

#include <math.h>

/* A contact whose stated point moves further in its object than this begins anew there. */
static const double MOVED_M = 5 * CHECK_HOLD_M;

static void to_array(hf_vec3 v, double out[3]) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

static double gap(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static const hf_hold* contact_of(const hf_motion_frame* f, int limb) {
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return &f->contacts[i];
    return NULL;
}

/* Released, made or moved: to another frame, another object, or beyond what holding allows. */
bool check_limb_changes(const check_job* job, int frame, int limb) {
    const hf_hold *a = contact_of(&job->motion->frames[frame - 1], limb),
                  *b = contact_of(&job->motion->frames[frame], limb);
    if (!a || !b) return a != b;
    if (a->frame != b->frame || a->object != b->object || a->grip != b->grip) return true;
    double pa[3], pb[3], la[3], lb[3];
    to_array(a->point, pa);
    to_array(b->point, pb);
    int object = a->object >= 0 ? job->object_of[a->object] : -1;
    if (object < 0) return gap(pa, pb) > MOVED_M;
    check_frame fa = check_frame_of(check_object_at(job, object, frame - 1, 0)),
                fb = check_frame_of(check_object_at(job, object, frame, 0));
    check_frame_unpoint(&fa, pa, la);
    check_frame_unpoint(&fb, pb, lb);
    return gap(la, lb) > MOVED_M;
}

/* Two limbs that exclude each other, both in contact. */
static bool excluded_together(const check_job* job, const hf_motion_frame* f, int* a, int* b) {
    for (int i = 0; i < f->contact_count; i++)
        for (int j = 0; j < i; j++) {
            int x = job->limb_of[f->contacts[i].limb], y = job->limb_of[f->contacts[j].limb];
            if (x < 0 || y < 0) continue;
            for (int k = 0; k < job->c->limbs[x].exclude_count; k++)
                if (job->c->limbs[x].excludes[k] == y) {
                    *a = x, *b = y;
                    return true;
                }
        }
    return false;
}

void check_stances(const check_job* job, hf_check_report* report) {
    const hf_motion* m = job->motion;
    for (int f = 0; f < m->frame_count; f++) {
        report->stances += m->frames[f].stance;
        int changes = 0, a = 0, b = 0;
        for (int l = 0; f && l < m->limb_count; l++) changes += check_limb_changes(job, f, l);
        if (changes > 1) {
            report->stance_violations++;
            check_problem(report, f, HF_CLAIM_ONE_LIMB, "%d limbs change at once", changes);
        }
        if (excluded_together(job, &m->frames[f], &a, &b)) {
            report->stance_violations++;
            check_problem(report, f, HF_CLAIM_ONE_LIMB,
                          "\"%.60s\" and \"%.60s\" exclude each other, both are in contact",
                          job->c->limbs[a].name, job->c->limbs[b].name);
        }
    }
}
