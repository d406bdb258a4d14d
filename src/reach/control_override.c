/* Changes of a derived control layer that a file asks for. Each is tested against the creature; an error
   names the file, the control and the reason. */
#include "reach/control_layer.h"

#include "model/creature.h"
#include "model/creature_draft.h"

#include <math.h>
#include <string.h>

/* Shares of a spine control add up to 1 within this: a third has three digits in a file. */
static const double SHARES = 1e-3;
/* A range may leave what the joints allow by rounding, rad or m. */
static const double ROUND = 1e-6;
static const double MOST_PITCH = 10; /* rad/m: a pelvis that turns over within a squat */

/* ---- limbs ---- */

static bool find_named(hf_control_layer* c, hf_control_file* f, const char* key, const char* const names[2],
                       int limbs[2]) {
    const hf_creature_view* v = &c->creature->view;
    for (int side = 0; side < 2; side++) {
        if (!names[side]) continue;
        int limb = hf_creature_find_limb(c->creature, names[side]);
        if (limb < 0) {
            const char* list[HF_MAX_LIMBS];
            for (int i = 0; i < v->limb_count; i++) list[i] = v->limbs[i].name;
            const char* near = hf_nearest_word(names[side], list, v->limb_count);
            hf_json_fail(&f->json, key,
                         near ? "there is no limb \"%.60s\"; did you mean \"%.60s\"?"
                              : "there is no limb \"%.60s\"",
                         names[side], near);
            return false;
        }
        limbs[side] = limb;
    }
    return true;
}

bool hf_control_override_limbs(hf_control_layer* c, hf_control_file* f) {
    return find_named(c, f, "arms", f->arms, c->arms) && find_named(c, f, "legs", f->legs, c->legs);
}

/* ---- joints ---- */

static int find_joint(const hf_creature_view* v, hf_control_file* f, const hf_control_entry* e,
                      const char* name) {
    const char* list[HF_MAX_LINKS];
    for (int j = 0; j < v->joint_count; j++) {
        if (strcmp(v->joints[j].name, name) == 0) return j;
        list[j] = v->joints[j].name;
    }
    const char* near = hf_nearest_word(name, list, v->joint_count);
    hf_json_fail(&f->json, e->where,
                 near ? "there is no joint \"%.60s\"; did you mean \"%.60s\"?"
                      : "there is no joint \"%.60s\"",
                 name, near);
    return -1;
}

static bool moves(const hf_creature_view* v, int joint, int link) {
    for (; link > 0; link = v->links[link].parent_link)
        if (v->links[link].joint == joint) return true;
    return false;
}

/* Why a joint cannot be turned by a control; NULL when it can. */
static const char* fault_of(const hf_control_layer* c, int control, int joint) {
    const hf_creature_view* v = &c->creature->view;
    const hf_joint* j = &v->joints[joint];
    if (j->q_count != 1 || j->mimic >= 0 || j->type == HF_JOINT_PRISMATIC)
        return "is no joint that turns about one axis by itself";
    bool turns[2];
    for (int side = 0; side < 2; side++) turns[side] = moves(v, joint, v->limbs[c->arms[side]].effector_link);
    if (control >= HF_CONTROL_SPINE)
        return turns[0] && turns[1] ? NULL : "does not lie between the root and both arms";
    int side = control / HF_CONTROL_ARM;
    return turns[side] && !turns[!side] ? NULL : "does not move this arm alone";
}

static bool set_joints(hf_control_layer* c, hf_control_file* f, int control) {
    const hf_control_entry* e = &f->controls[control];
    bool spine = control >= HF_CONTROL_SPINE;
    double total = 0;
    if (!spine && e->joint_count > 1) {
        hf_json_fail(&f->json, e->where, "a control of an arm is one joint, %d are named", e->joint_count);
        return false;
    }
    c->controls[control].part_count = 0;
    for (int i = 0; i < e->joint_count; i++) {
        int joint = find_joint(&c->creature->view, f, e, e->joints[i]);
        if (joint < 0) return false;
        const char* fault = fault_of(c, control, joint);
        if (!fault && (e->shares[i] == 0 || (!spine && e->shares[i] != 1)))
            fault = spine ? "has the share 0" : "has a share other than 1";
        if (fault) {
            hf_json_fail(&f->json, e->where, "joint \"%.60s\" %s", e->joints[i], fault);
            return false;
        }
        c->parts[control][c->controls[control].part_count++] = (hf_control_part){joint, e->shares[i]};
        total += fabs(e->shares[i]);
    }
    if (!spine || e->joint_count == 0 || fabs(total - 1) <= SHARES) return true;
    hf_json_fail(&f->json, e->where, "the sizes of the shares add up to %g, 1 is expected", total);
    return false;
}

/* No joint is turned by two controls. */
static bool are_apart(const hf_control_layer* c, hf_control_file* f) {
    for (int k = 0; k < HF_CONTROL_LEGS; k++)
        for (int i = 0; i < c->controls[k].part_count; i++)
            for (int other = 0; other < k; other++)
                for (int n = 0; n < c->controls[other].part_count; n++)
                    if (c->parts[k][i].joint == c->parts[other][n].joint) {
                        hf_json_fail(&f->json, f->controls[f->controls[k].has_joints ? k : other].where,
                                     "joint \"%.60s\" is turned by \"%s\" and \"%s\"",
                                     c->creature->view.joints[c->parts[k][i].joint].name,
                                     c->controls[other].name, c->controls[k].name);
                        return false;
                    }
    return true;
}

bool hf_control_override_joints(hf_control_layer* c, hf_control_file* f) {
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        const hf_control_entry* e = &f->controls[k];
        if (!e->has_joints) continue;
        if (k == HF_CONTROL_LEGS) {
            hf_json_fail(&f->json, e->where, "has no joints of its own: the legs follow the pelvis");
            return false;
        }
        if (!set_joints(c, f, k)) return false;
    }
    return are_apart(c, f);
}

/* ---- ranges ---- */

/* A file may share a control among joints whose limits no value of it keeps. */
static bool is_empty(hf_control_file* f, int control, double low, double high) {
    if (low <= high) return false;
    hf_json_fail(&f->json, f->controls[control].where, "its range is empty: from %.9g to %.9g", low, high);
    return true;
}

static bool set_range(hf_control_layer* c, hf_control_file* f, int control) {
    const hf_control_entry* e = &f->controls[control];
    hf_control* to = &c->controls[control];
    double low = e->range[0], high = e->range[1];
    if (low < to->low - ROUND || high > to->high + ROUND) {
        hf_json_fail(&f->json, e->where, "\"range\" [%g, %g] leaves [%g, %g], which the %s", low, high,
                     to->low, to->high, control == HF_CONTROL_LEGS ? "legs can do" : "joints' limits allow");
        return false;
    }
    if (control >= HF_CONTROL_SPINE && !(low <= 0 && high >= 0)) {
        hf_json_fail(&f->json, e->where, "\"range\" [%g, %g] leaves out 0, the standing pose", low, high);
        return false;
    }
    to->low = fmax(low, to->low), to->high = fmin(high, to->high);
    return !is_empty(f, control, to->low, to->high);
}

bool hf_control_override_ranges(hf_control_layer* c, hf_control_file* f) {
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        const hf_control_entry* e = &f->controls[k];
        if (e->has_joints && is_empty(f, k, c->controls[k].low, c->controls[k].high)) return false;
        if (e->has_range && !set_range(c, f, k)) return false;
        if (!e->has_pitch) continue;
        if (k != HF_CONTROL_LEGS || !(fabs(e->pitch) <= MOST_PITCH)) {
            hf_json_fail(&f->json, e->where,
                         k == HF_CONTROL_LEGS ? "\"pitch\" is %g rad/m, -%g to %g is expected"
                                              : "\"pitch\" (%g) is of leg_flexion alone",
                         e->pitch, MOST_PITCH, MOST_PITCH);
            return false;
        }
        c->pitch = e->pitch;
    }
    return true;
}
