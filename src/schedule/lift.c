/* Lifts by the limb solver, knot after knot. */
#include "schedule/lift.h"

#include "model/creature.h"
#include "solve/keep.h"

#include <holdfast/solve.h>
#include <math.h>
#include <string.h>

/* A turning effector may press so deep into the surface that it leaves, m: less than a check allows. */
static const double SCRAPE_M = 7e-4;
/* A knot that is farther off than this share of its way is not reached. */
static const double OFF_SHARE = 0.3;
/* A ball may leave aside, as a knee does, which goes on a circle about its hip: of the height of the way this
   share is enough. A thigh that stands on its knee at 35 degrees from upright or more can do so. */
static const double BALL_SHARE = 0.3;

/* How far an effector reaches from its contact's middle, about: soles have toes. */
static double lever(const hf_limb* limb) {
    double most = 0;
    for (int i = 0; i < limb->contact_count; i++)
        most = fmax(most, fmax(limb->contacts[i].patch[0], limb->contacts[i].patch[1]));
    return most;
}

/* How far the contact frame of the limb is beyond `from` along the normal, with these joint values. */
static double height_of(const hf_creature* c, const hf_hold* h, const double* q, hf_vec3 from,
                        hf_transform* links) {
    const hf_contact_frame* f = &c->view.limbs[h->limb].contacts[h->frame];
    hf_forward_from(c, c->view.limbs[h->limb].root_link, q, links);
    return hf_dot(h->normal, hf_sub(hf_apply(links[f->link], f->offset), from));
}

hf_status hf_lift_find(const hf_creature* c, const hf_lift* lift, hf_workspace* workspace,
                       hf_transform* links, double* rows, bool* lifts, bool* scrapes) {
    const hf_hold* h = lift->hold;
    const hf_limb* limb = &c->view.limbs[h->limb];
    const hf_contact_frame* f = &limb->contacts[h->frame];
    size_t row = (size_t)c->view.q_count;
    hf_forward(c, lift->at, links);
    hf_transform link = links[f->link], base = links[limb->base_link];
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.posture = lift->at->q;
    *lifts = *scrapes = false;
    for (int i = 0; i < HF_LIFT_KNOTS; i++) {
        // a straight limb rises with the square of its joints' turn
        double u = (i + 1.0) / HF_LIFT_KNOTS;
        hf_vec3 off = hf_scale(lift->way, u * u);
        hf_target t = {.kind = f->ball > 0 ? HF_TARGET_POSITION : HF_TARGET_POSE,
                       .limb = h->limb,
                       .contact = h->frame,
                       .point = hf_add(hf_apply(link, f->offset), off),
                       .rotation = link.rotation};
        double *q = rows + (size_t)i * row, way = hf_length(off), height = hf_dot(off, h->normal);
        memcpy(q, i ? q - row : lift->at->q, sizeof(double) * row);
        if (i == 0) hf_limb_loosen(c, h->limb, q);
        hf_solve_result r;
        hf_status status = hf_limb_solve(c, &base, &t, &o, workspace, q, &r);
        if (status != HF_OK) return status;
        bool aside = f->ball > 0 &&
                     height_of(c, h, q, hf_apply(link, f->offset), links) >= BALL_SHARE * height &&
                     height > 0;
        if (r.position_error_m > OFF_SHARE * way && !aside) return HF_OK;
        *scrapes |= f->ball <= 0 && !h->grip && r.angle_error_rad * lever(limb) > height + SCRAPE_M;
    }
    *lifts = true;
    return HF_OK;
}
