/* Balance of every frame: do contact forces exist that hold the body? Over friction cones of eight edges and,
   of grips, 26 directions. At rest, by a linear program: the centre of mass can be shifted by 5 mm in each of
   eight directions. In motion, by least squares: the forces make up the inertial wrench that three frames
   give, but for a hundredth of the weight and of the weight times a metre. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <math.h>
#include <stdio.h>

static const double MARGIN_M = CHECK_MARGIN_M;
static const double ROUNDING_M = 1e-6; /* of files */
static const double MISSING = CHECK_MISSING;
static const double AT_REST[6] = {0, 0, 1, 0, 0, 0}; /* the weight, about the centre of mass */
enum { ENDS = CHECK_ENDS };

/* ---- questions ---- */

/* What of the wrench about the centre of mass the contacts cannot give. */
static hf_status missing_at(const check_job* job, const check_bearing_set* s, const double com[3],
                            const double wrench[6], double* force, double* moment) {
    check_program p;
    hf_status status = check_force_program(job, s, com, wrench, &p);
    if (status == HF_OK) status = check_program_missing(&p, MISSING + ROUNDING_M, force, moment);
    check_program_free(&p);
    return status;
}

/* The contacts of a frame; of those, when `kept`, the ones that do not change from `changed - 1` to it. */
static void choose(const check_job* job, int frame, int changed, bool kept, check_bearing_set* s) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    s->frame = frame, s->count = 0;
    for (int i = 0; i < f->contact_count; i++)
        if (!kept || !check_limb_changes(job, changed, f->contacts[i].limb))
            s->contacts[s->count++] = &f->contacts[i];
}

static void judge_frame(const check_job* job, int frame, check_bearing_set* s, check_frame* links,
                        check_frame_report* r) {
    double com[3];
    check_com(job, frame, links, com);
    choose(job, frame, frame, false, s);
    double margin = check_margin(job, s, com, AT_REST);
    r->failed = r->failed || isnan(margin);
    r->margin = margin;
    if (margin >= MARGIN_M - ROUNDING_M) return;
    r->unbalanced = true;
    if (margin < 0)
        snprintf(r->balance_what, sizeof r->balance_what, "out of balance");
    else
        snprintf(r->balance_what, sizeof r->balance_what, "a shift of %.1f mm loses balance", margin * 1000);
}

/* The contacts that a frame lists are those that push in it. */
static void judge_motion(const check_job* job, int frame, check_bearing_set* s, check_frame* links,
                         check_motion* motions, check_frame_report* r) {
    if (frame < ENDS || frame >= job->motion->frame_count - ENDS) return;
    double com[3], wrench[6];
    check_com(job, frame, links, com);
    choose(job, frame, frame, false, s);
    check_wrench(job, frame, links, com, motions, wrench);
    r->failed |= missing_at(job, s, com, wrench, &r->missing_force, &r->missing_moment) != HF_OK;
    if (fmax(r->missing_force, r->missing_moment) <= MISSING + ROUNDING_M) return;
    r->undynamic = true;
    snprintf(
        r->dynamic_what, sizeof r->dynamic_what,
        "the contacts cannot move the body so: %.1f %% of the weight and %.1f cm of moment arm are missing",
        r->missing_force * 100, r->missing_moment * 100);
}

static const hf_hold* contact_of(const check_job* job, int frame, int limb) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return &f->contacts[i];
    return NULL;
}

/* Does a limb go from one hold to another with no frame between them? Not where the contact frame that it
   goes over to was in its place before (a foot that rolls onto its toes): one holds until the other does. */
static bool leaps(const check_job* job, int frame, int limb, check_frame* links) {
    const hf_hold *a = contact_of(job, frame - 1, limb), *b = contact_of(job, frame, limb);
    if (!a || !b || !check_limb_changes(job, frame, limb)) return false;
    const hf_motion_contact_frame* f = &job->motion->limbs[limb].frames[b->frame];
    int link = hf_creature_find_link(job->creature, f->link);
    if (a->frame == b->frame || a->object != b->object || link < 0) return true;
    double at[2][3], gap = 0;
    for (int i = 0; i < 2; i++) {
        const hf_motion_frame* pose = &job->motion->frames[frame - 1 + i];
        check_forward(job->c, pose->root, pose->q, links);
        check_frame_point(&links[link], (double[3]){f->offset.x, f->offset.y, f->offset.z}, at[i]);
    }
    for (int x = 0; x < 3; x++) gap += (at[1][x] - at[0][x]) * (at[1][x] - at[0][x]);
    return sqrt(gap) > CHECK_HOLD_M;
}

/* Do the contacts hold the body there: at rest where the motion claims balance, else as it moves? */
static bool holds_at(const check_job* job, const check_bearing_set* s, check_frame* links,
                     check_motion* motions, check_frame_report* r) {
    double com[3], wrench[6], force = 0, moment = 0;
    check_com(job, s->frame, links, com);
    if (job->motion->claims & HF_CLAIM_BALANCE) {
        double margin = check_margin(job, s, com, AT_REST);
        r->failed |= isnan(margin);
        return margin >= MARGIN_M - ROUNDING_M;
    }
    if (s->frame < ENDS || s->frame >= job->motion->frame_count - ENDS) return true;
    check_wrench(job, s->frame, links, com, motions, wrench);
    r->failed |= missing_at(job, s, com, wrench, &force, &moment) != HF_OK;
    return fmax(force, moment) <= MISSING + ROUNDING_M;
}

/* Where a limb changes, those that stay hold the body before and after. In motion a limb that leaves or
   arrives has frames without it, which are judged as they are; one that leaps has none. */
static void judge_change(const check_job* job, int frame, check_bearing_set* s, check_frame* links,
                         check_motion* motions, check_frame_report* r) {
    bool still = job->motion->claims & HF_CLAIM_BALANCE;
    int changing = -1;
    for (int l = 0; l < job->motion->limb_count && changing < 0; l++)
        if (still ? check_limb_changes(job, frame, l) : leaps(job, frame, l, links)) changing = l;
    for (int f = frame - 1; changing >= 0 && f <= frame; f++) {
        choose(job, f, frame, true, s);
        if (holds_at(job, s, links, motions, r)) continue;
        r->unheld = true;
        snprintf(r->change_what, sizeof r->change_what,
                 "\"%.60s\" changes, and the limbs that stay do not hold", job->motion->limbs[changing].name);
        return;
    }
}

static void two_contacts(check_frame_report* r) { /* of one limb: said elsewhere */
    r->unbalanced = r->undynamic = true;
    r->margin = NAN;
    snprintf(r->balance_what, sizeof r->balance_what, "a limb has two contacts");
    snprintf(r->dynamic_what, sizeof r->dynamic_what, "a limb has two contacts");
}

void check_balance(const check_job* job, int frame, check_frame_report* report) {
    const hf_motion* m = job->motion;
    check_frame* links = hf_alloc((size_t)job->c->link_count, sizeof *links);
    check_motion* motions = hf_alloc((size_t)job->c->link_count, sizeof *motions);
    check_bearing_set s = {.contacts = hf_alloc((size_t)m->limb_count + 1, sizeof *s.contacts)};
    int most = m->frames[frame].contact_count;
    if (frame && m->frames[frame - 1].contact_count > most) most = m->frames[frame - 1].contact_count;
    bool fits = most <= m->limb_count;
    report->failed = report->failed || !links || !motions || !s.contacts;
    if (!report->failed && fits) {
        judge_frame(job, frame, &s, links, report);
        judge_motion(job, frame, &s, links, motions, report);
        if (frame && (m->claims & (HF_CLAIM_BALANCE | HF_CLAIM_DYNAMIC)))
            judge_change(job, frame, &s, links, motions, report);
    }
    if (!fits) two_contacts(report);
    hf_free(links);
    hf_free(motions);
    hf_free((void*)s.contacts);
}
