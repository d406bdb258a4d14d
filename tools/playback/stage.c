/* MuJoCo's world around a motion. */
#include "stage.h"

#include "stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double BLOCK_BEYOND_M = 0.02; /* a block reaches this far beyond the contact's patch, and beyond
                                              a ball that has rolled by one radian */
static const double BLOCK_DEEP_M = 0.05;   /* and this far down */
static const double LANDING_S = 0.1;       /* a limb can touch so long before the motion says that it holds */
static const double LEAVING_S = 0.1;       /* and so long after */
static const double NEAR_M = 0.008;        /* a corner this near to a surface is told to the controller */
static const double SAME_M = 0.002;        /* corners this near to each other count once */
static const double GRIP_M = 0.03;         /* a hand grips what is no farther than this from its palm */

/* ---- the files ---- */

/* Directions and half sizes of the block under a contact: along the patch, or anyhow under a point. */
static void block_axes(const hf_contact_frame* frame, hf_quat link, hf_vec3 n, hf_vec3* side, hf_vec3* other,
                       double half[2]) {
    hf_vec3 own = hf_normalize(frame->normal);
    const double across[3] = {fabs(own.x), fabs(own.y), fabs(own.z)};
    int out = across[0] >= across[1] && across[0] >= across[2] ? 0 : across[1] >= across[2] ? 1 : 2;
    hf_vec3 first = hf_rotate(link, out == 0 ? hf_v3(0, 1, 0) : hf_v3(1, 0, 0));
    if (fabs(hf_dot(first, n)) > 0.9) first = fabs(n.z) > 0.9 ? hf_v3(1, 0, 0) : hf_v3(0, 0, 1);
    *side = hf_normalize(hf_sub(first, hf_scale(n, hf_dot(first, n))));
    *other = hf_cross(n, *side);
    for (int k = 0; k < 2; k++) half[k] = frame->patch[k] / 2 + frame->ball + BLOCK_BEYOND_M;
}

static void write_block(const plan_hold* p, int index, const hf_contact_frame* frame, hf_quat link,
                        FILE* out) {
    hf_vec3 n = p->hold.normal, side, other;
    double half[2];
    block_axes(frame, link, n, &side, &other, half);
    hf_vec3 at = hf_sub(p->hold.point, hf_scale(n, BLOCK_DEEP_M / 2));
    fprintf(out,
            "<geom name='block_%d' type='box' class='block' friction='%.9g 0.005 0.0001' size='%.9g %.9g "
            "%.9g' pos='%.9g "
            "%.9g %.9g' xyaxes='%.9g %.9g %.9g %.9g %.9g %.9g'/>\n",
            index, p->support.friction, half[0], half[1], BLOCK_DEEP_M / 2, at.x, at.y, at.z, side.x, side.y,
            side.z, other.x, other.y, other.z);
}

/* A block under every hold that begins and does not grip. */
static void write_blocks(const stage* s, const hf_creature* creature, FILE* out) {
    const hf_motion* motion = s->plan->motion;
    hf_transform* links = calloc((size_t)s->c->link_count, sizeof *links);
    if (!links) stop("out of memory");
    for (int f = 0; f < motion->frame_count; f++)
        for (int l = 0; l < s->c->limb_count; l++) {
            const plan_hold* p = holds_at(s->plan, f, l);
            if (!p->on || !p->begins || p->hold.grip || p->hold.frame < 0) continue;
            const hf_contact_frame* frame = &s->c->limbs[l].contacts[p->hold.frame];
            hf_forward(creature, &(hf_pose){motion->frames[f].root, motion->frames[f].q}, links);
            write_block(p, f * s->c->limb_count + l, frame, links[frame->link].rotation, out);
        }
    free(links);
}

/* Ties for the hands that grip: as many points as a patch has corners. */
static void write_ties(const stage* s, FILE* out) {
    for (int l = 0; l < s->c->limb_count; l++)
        for (int k = 0; k < STAGE_CORNERS; k++)
            fprintf(out,
                    "<connect name='tie_%d_%d' body1='%s' anchor='0 0 0' active='false' solref='0.005 1'/>\n",
                    l, k, s->c->links[s->c->limbs[l].effector_link].name);
}

static void write_world(const stage* s, const hf_creature* creature, const char* path, double step_s) {
    FILE* out = fopen(path, "w");
    if (!out) stop("%s cannot be written", path);
    fprintf(
        out,
        "<mujoco><include file='creature.xml'/><option timestep='%g' integrator='implicit' cone='elliptic' "
        "impratio='10' gravity='0 0 -%g'/><size njmax='4000' nconmax='800'/>"
        "<default><default class='block'><geom contype='0' conaffinity='0' priority='1' solref='0.005 1' "
        "condim='3'/></default></default><worldbody>\n",
        step_s, HF_GRAVITY_M_S2);
    write_blocks(s, creature, out);
    fputs("</worldbody><equality>\n", out);
    write_ties(s, out);
    fputs("</equality></mujoco>\n", out);
    if (fclose(out) != 0) stop("%s cannot be written", path);
}

/* ---- the model ---- */

/* Bodies touch nothing; contact spheres of a limb touch the blocks of its own holds. */
static void find_spheres(stage* s) {
    mjModel* m = s->model;
    for (int g = 0; g < m->ngeom; g++) {
        s->geom_limb[g] = -1;
        m->geom_contype[g] = m->geom_conaffinity[g] = 0;
    }
    for (int l = 0; l < s->c->limb_count; l++)
        for (int f = 0; f < s->c->limbs[l].contact_count; f++)
            for (int k = 0; k < STAGE_CORNERS; k++) {
                char name[300];
                snprintf(name, sizeof name, "%.120s.%.120s.%d", s->c->limbs[l].name,
                         s->c->limbs[l].contacts[f].name, k);
                int g = mj_name2id(m, mjOBJ_GEOM, name);
                if (g < 0) continue;
                s->geom_limb[g] = l;
                m->geom_conaffinity[g] = 1 << l;
                m->geom_margin[g] = m->geom_gap[g] = NEAR_M; /* found from there on, without a force */
            }
}

/* When the hold that begins in this frame ends. */
static double hold_end_s(const holds* plan, int frame, int limb) {
    while (holds_at(plan, frame, limb)->lasts) frame++;
    return plan->motion->frames[frame].time_s;
}

static void find_blocks(stage* s) {
    s->blocks = calloc((size_t)s->model->ngeom + 1, sizeof *s->blocks);
    if (!s->blocks) stop("out of memory");
    for (int f = 0; f < s->plan->motion->frame_count; f++)
        for (int l = 0; l < s->c->limb_count; l++) {
            char name[40];
            snprintf(name, sizeof name, "block_%d", f * s->c->limb_count + l);
            int geom = mj_name2id(s->model, mjOBJ_GEOM, name);
            if (geom < 0) continue;
            s->blocks[s->block_count++] =
                (block){geom, l, s->plan->motion->frames[f].time_s, hold_end_s(s->plan, f, l)};
        }
}

void stage_make(stage* s, const hf_creature* creature, const holds* plan, const char* folder, double step_s) {
    char path[2000], message[1000] = "";
    hf_error error = {0};
    *s = (stage){.plan = plan, .c = hf_creature_get(creature)};
    snprintf(path, sizeof path, "%s/creature.xml", folder);
    stop_unless(hf_creature_write_mjcf(creature, path, &error), &error);
    snprintf(path, sizeof path, "%s/world.xml", folder);
    write_world(s, creature, path, step_s);
    s->model = mj_loadXML(path, NULL, message, sizeof message);
    if (!s->model) stop("MuJoCo: %s", message);
    s->data = mj_makeData(s->model);
    s->geom_limb = calloc((size_t)s->model->ngeom, sizeof(int));
    if (!s->data || !s->geom_limb) stop("out of memory");
    s->slot_count = s->model->ngeom + s->model->neq;
    find_spheres(s);
    find_blocks(s);
}

void stage_free(stage* s) {
    free(s->geom_limb), free(s->blocks);
    mj_deleteData(s->data);
    mj_deleteModel(s->model);
    *s = (stage){0};
}

/* ---- contacts that the motion has ---- */

static int tie_id(const stage* s, int limb, int corner) {
    char name[40];
    snprintf(name, sizeof name, "tie_%d_%d", limb, corner);
    return mj_name2id(s->model, mjOBJ_EQUALITY, name);
}

/* Is the limb's contact frame at the place of its hold? */
static bool in_reach(const stage* s, const hf_hold* hold, int body) {
    const hf_limb* limb = &s->c->limbs[hold->limb];
    hf_vec3 own = hold->frame >= 0 ? limb->contacts[hold->frame].offset : hf_v3(0, 0, 0);
    const double in_link[3] = {own.x, own.y, own.z};
    double at[3];
    mju_rotVecMat(at, in_link, s->data->xmat + 9 * body);
    mju_addTo3(at, s->data->xpos + 3 * body);
    return hf_distance(hf_v3(at[0], at[1], at[2]), hold->point) <= GRIP_M;
}

static void tie(stage* s, int id, hf_vec3 at) {
    int body = s->model->eq_obj1id[id];
    const double world[3] = {at.x, at.y, at.z};
    double off[3], *data = s->model->eq_data + mjNEQDATA * id;
    mju_sub3(off, world, s->data->xpos + 3 * body);
    mju_rotVecMatT(data, off, s->data->xmat + 9 * body);
    mju_copy3(data + 3, world);
    s->model->eq_active[id] = 1;
}

static void tie_hand(stage* s, int frame, int limb) {
    const plan_hold* p = holds_at(s->plan, frame, limb);
    bool grips = holds_now(s->plan, frame, limb) && p->hold.grip;
    for (int k = 0; k < STAGE_CORNERS; k++) {
        int id = tie_id(s, limb, k);
        bool wanted = grips && k < p->support.corner_count;
        if (!wanted)
            s->model->eq_active[id] = 0;
        else if (!s->model->eq_active[id] && in_reach(s, &p->hold, s->model->eq_obj1id[id]))
            tie(s, id, p->support.corners[k]);
    }
}

void stage_set(stage* s, int frame, double time_s) {
    for (int l = 0; l < s->c->limb_count; l++) tie_hand(s, frame, l);
    for (int i = 0; i < s->block_count; i++) {
        const block* b = &s->blocks[i];
        bool there = time_s >= b->begin_s - LANDING_S && time_s <= b->end_s + LEAVING_S;
        s->model->geom_contype[b->geom] = there ? 1 << b->limb : 0;
    }
}

/* ---- contacts that there are ---- */

static void add_sphere(const stage* s, int frame, const mjContact* contact, int sphere, touch* to) {
    *to = (touch){.slot = sphere,
                  .limb = s->geom_limb[sphere],
                  .body = s->model->geom_bodyid[sphere],
                  .friction = contact->friction[0],
                  .gap = contact->dist,
                  .role = holds_now(s->plan, frame, s->geom_limb[sphere]) ? TOUCH_HOLDS : TOUCH_PASSES};
    mju_copy3(to->point, contact->pos);
    mju_copy3(to->middle, s->data->geom_xpos + 3 * sphere);
    mju_scl3(to->normal, contact->frame, sphere == contact->geom2 ? 1 : -1);
}

/* Is there one of these at the same place of the same body? Contact frames share corners. */
static bool is_there(const stage* s, const touch* touches, int count, const mjContact* contact, int sphere) {
    for (int k = 0; k < count; k++)
        if (touches[k].slot != sphere && touches[k].body == s->model->geom_bodyid[sphere] &&
            mju_dist3(touches[k].point, contact->pos) < SAME_M)
            return true;
    return false;
}

/* Blocks overlap: the nearest one of a sphere counts. */
static int add_spheres(const stage* s, int frame, touch* touches) {
    int count = 0;
    for (int i = 0; i < s->data->ncon; i++) {
        const mjContact* contact = &s->data->contact[i];
        int sphere = s->geom_limb[contact->geom2] >= 0 ? contact->geom2 : contact->geom1, k = 0;
        if (s->geom_limb[sphere] < 0 || is_there(s, touches, count, contact, sphere)) continue;
        while (k < count && touches[k].slot != sphere) k++;
        if (k == STAGE_TOUCHES || (k < count && touches[k].gap <= contact->dist)) continue;
        add_sphere(s, frame, contact, sphere, &touches[k]);
        count += k == count;
    }
    return count;
}

/* Points of limbs that do not hold now and did not a moment ago may be about to land. */
static void find_landings(const stage* s, int frame, double time_s, touch* touches, int count) {
    for (int i = 0; i < count; i++) {
        touch* t = &touches[i];
        if (t->role == TOUCH_PASSES && !holds_near(s->plan, frame, t->limb, time_s, LEAVING_S, 0) &&
            holds_near(s->plan, frame, t->limb, time_s, 0, LANDING_S))
            t->role = TOUCH_LANDS;
    }
}

int stage_touches(const stage* s, int frame, double time_s, touch touches[STAGE_TOUCHES]) {
    int count = add_spheres(s, frame, touches);
    for (int l = 0; l < s->c->limb_count; l++)
        for (int k = 0; k < STAGE_CORNERS && count < STAGE_TOUCHES; k++) {
            int id = tie_id(s, l, k);
            if (!s->model->eq_active[id]) continue;
            const hf_support* support = &holds_at(s->plan, frame, l)->support;
            touch* to = &touches[count++];
            *to = (touch){.slot = s->model->ngeom + id,
                          .limb = l,
                          .body = s->model->eq_obj1id[id],
                          .role = TOUCH_HOLDS,
                          .grip = true,
                          .most = support->max_force / support->corner_count};
            mju_copy3(to->point, s->model->eq_data + mjNEQDATA * id + 3);
        }
    find_landings(s, frame, time_s, touches, count);
    return count;
}
