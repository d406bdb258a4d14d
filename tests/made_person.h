/* A person of spheres and capsules as a URDF, for tests of what is found in one. */
#ifndef HF_TESTS_MADE_PERSON_H
#define HF_TESTS_MADE_PERSON_H

#include <stdio.h>

/* A link with a capsule along its own x, y or z. */
static void add_link(char** s, const char* name, const char* parent, const char* xyz, const char* axis,
                     const char* shape) {
    *s += sprintf(*s, "<link name=\"%s\"><inertial><mass value=\"1\"/></inertial>%s</link>\n", name, shape);
    if (parent)
        *s += sprintf(
            *s,
            "<joint name=\"%s_j\" type=\"%s\"><parent link=\"%s\"/><child link=\"%s\"/><origin xyz=\"%s\"/>"
            "<axis xyz=\"%s\"/><limit lower=\"-1\" upper=\"1\"/></joint>\n",
            name, *axis ? "revolute" : "fixed", parent, name, xyz, *axis ? axis : "0 1 0");
}

#define BALL "<collision><geometry><sphere radius=\"0.03\"/></geometry></collision>"
#define SHIN                                                                                                 \
    "<collision><origin xyz=\"0 0 -0.2\"/><geometry><capsule radius=\"0.03\" "                               \
    "length=\"0.4\"/></geometry></collision>"
#define FOOT                                                                                                 \
    "<collision><origin xyz=\"0.05 0 -0.04\"/><geometry><box size=\"0.2 0.08 "                               \
    "0.04\"/></geometry></collision>"

/* A person with a head that nods, toes, two-fingered hands and a camera on an arm; names without sides. */
static const char* made_person(void) {
    static char text[20000];
    char* s = text;
    s += sprintf(s, "<robot name=\"person\">\n");
    add_link(&s, "hips", NULL, "", "", BALL);
    add_link(&s, "spine", "hips", "0 0 0.2", "0 1 0", BALL);
    add_link(&s, "ribs", "spine", "0 0 0.3", "0 0 1", BALL);
    add_link(&s, "skull_base", "ribs", "0 0 0.1", "0 1 0", BALL);
    add_link(&s, "head", "skull_base", "0 0 0.1", "0 0 1", BALL);
    for (int side = 0; side < 2; side++) {
        const char *y = side ? "-" : "", *l = side ? "b" : "a";
        char names[8][32], at[4][64];
        for (int i = 0; i < 8; i++) snprintf(names[i], sizeof names[i], "p%d%s", i, l);
        snprintf(at[0], sizeof at[0], "0 %s0.2 0.1", y);
        snprintf(at[1], sizeof at[1], "0 %s0.1 -0.05", y);
        add_link(&s, names[0], "ribs", at[0], "1 0 0", SHIN);
        add_link(&s, names[1], names[0], "0 0 -0.3", "0 1 0", SHIN);
        add_link(&s, names[2], names[1], "0 0 -0.3", "0 1 0", BALL);
        char finger[2][40];
        snprintf(finger[0], 40, "f0%s", l);
        snprintf(finger[1], 40, "f1%s", l);
        add_link(&s, finger[0], names[2], "0.02 0 -0.06", "1 0 0", BALL);
        add_link(&s, finger[1], names[2], "-0.02 0 -0.06", "1 0 0", BALL);
        if (!side) add_link(&s, "lens", names[1], "0.03 0 0", "0 0 1", "");
        add_link(&s, names[4], "hips", at[1], "0 1 0", SHIN);
        add_link(&s, names[5], names[4], "0 0 -0.4", "0 1 0", SHIN);
        add_link(&s, names[6], names[5], "0 0 -0.4", "0 1 0", FOOT);
        char toe[40];
        snprintf(toe, sizeof toe, "toe_%s", l);
        add_link(&s, toe, names[6], "0.15 0 -0.03", "0 1 0", BALL);
    }
    sprintf(s, "</robot>\n");
    return text;
}

#endif
