/* A biped as robots' files often are: hips of three hinges at one place whose links have no body, knees, two
   hinges at the ankle, wide soles, a box for the pelvis right above the thighs, two arms of three joints. */
#ifndef HF_TESTS_MADE_BIPED_H
#define HF_TESTS_MADE_BIPED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct made_biped {
    double gap;        /* m, between the boxes of pelvis and thighs */
    double hip;        /* m, from the middle to a hip joint */
    double sole_width; /* m */
    bool stiff;        /* ankles do not roll */
} made_biped;

static inline char* made_link(char* s, const char* side, const char* name, double mass, const char* size,
                              double z) {
    s += sprintf(s, "<link name='%s_%s'>", side, name);
    if (mass > 0)
        s += sprintf(s,
                     "<inertial><origin xyz='0 0 %g'/><mass value='%g'/><inertia ixx='%g' iyy='%g' izz='%g' "
                     "ixy='0' ixz='0' iyz='0'/></inertial>",
                     z, mass, mass / 100, mass / 100, mass / 200);
    if (size)
        s += sprintf(s, "<collision><origin xyz='0 0 %g'/><geometry><box size='%s'/></geometry></collision>",
                     z, size);
    return s + sprintf(s, "</link>");
}

static inline char* made_joint(char* s, const char* side, const char* parent, const char* child,
                               const char* axis, double y, double z, double low, double high) {
    bool trunk = strcmp(parent, "pelvis") == 0;
    return s + sprintf(s,
                       "<joint name='%s_%s_joint' type='revolute'><parent link='%s%s%s'/><child "
                       "link='%s_%s'/><origin xyz='0 %g %g'/><axis xyz='%s'/><limit lower='%g' upper='%g' "
                       "effort='300' velocity='7'/></joint>",
                       side, child, trunk ? "" : side, trunk ? "" : "_", parent, side, child, y, z, axis, low,
                       high);
}

static inline char* made_leg_of_biped(char* s, const made_biped* b, const char* side, double sign) {
    char sole[64];
    snprintf(sole, sizeof sole, "0.21 %g 0.04", b->sole_width);
    s = made_link(s, side, "hip_yaw", 1, NULL, 0);
    s = made_link(s, side, "hip_roll", 1, NULL, 0);
    s = made_link(s, side, "thigh", 5, "0.15 0.13 0.3", -0.19);
    s = made_link(s, side, "shin", 3, "0.12 0.11 0.28", -0.16);
    if (!b->stiff) s = made_link(s, side, "ankle", 0.5, NULL, 0);
    s = made_link(s, side, "foot", 1.5, sole, -0.08);
    s = made_joint(s, side, "pelvis", "hip_yaw", "0 0 1", sign * b->hip, 0, -0.8, 0.8);
    s = made_joint(s, side, "hip_yaw", "hip_roll", "1 0 0", 0, 0, -0.5, 0.5);
    s = made_joint(s, side, "hip_roll", "thigh", "0 1 0", 0, 0, -2, 0.7);
    s = made_joint(s, side, "thigh", "shin", "0 1 0", 0, -0.38, 0, 2.6);
    s = made_joint(s, side, "shin", b->stiff ? "foot" : "ankle", "0 1 0", 0, -0.34, -1.2, 0.7);
    if (!b->stiff) s = made_joint(s, side, "ankle", "foot", "1 0 0", 0, 0, -0.5, 0.5);
    s = made_link(s, side, "upper_arm", 2, "0.08 0.08 0.22", -0.15);
    s = made_link(s, side, "shoulder", 1, NULL, 0);
    s = made_link(s, side, "hand", 2, "0.07 0.07 0.24", -0.15);
    s = made_joint(s, side, "pelvis", "shoulder", "0 1 0", sign * 0.3, 0.55, -2, 2);
    s = made_joint(s, side, "shoulder", "upper_arm", "1 0 0", 0, 0, sign > 0 ? -0.1 : -2, sign > 0 ? 2 : 0.1);
    return made_joint(s, side, "upper_arm", "hand", "0 1 0", 0, -0.28, -2.2, 0);
}

/* The URDF's text. */
static inline void made_biped_text(const made_biped* b, char* text) {
    double top = 0.12, low = -0.04 + b->gap;
    char* s = text + sprintf(text,
                             "<robot name='made'><link name='pelvis'><inertial><origin xyz='0 0 0.3'/><mass "
                             "value='35'/><inertia ixx='2' iyy='2' izz='0.6' ixy='0' ixz='0' iyz='0'/>"
                             "</inertial><collision><origin xyz='0 0 %g'/><geometry><box size='0.2 0.28 %g'/>"
                             "</geometry></collision><collision><origin xyz='0 0 0.4'/><geometry><box "
                             "size='0.2 0.36 0.4'/></geometry></collision></link>",
                             (top + low) / 2, top - low);
    s = made_leg_of_biped(s, b, "left", 1);
    s = made_leg_of_biped(s, b, "right", -1);
    sprintf(s, "</robot>");
}

#endif
