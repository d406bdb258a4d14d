/* A body with two legs of two joints. */
#ifndef HF_FUZZ_WALKER_H
#define HF_FUZZ_WALKER_H

#define WALKER_LINK(name, z)                                                                                 \
    "<link name=\"" name "\"><inertial><mass value=\"1\"/></inertial><collision><origin xyz=\"0 0 " z        \
    "\"/><geometry><capsule radius=\"0.03\" length=\"0.3\"/></geometry></collision></link>\n"
#define WALKER_JOINT(name, parent, child, xyz)                                                               \
    "<joint name=\"" name "\" type=\"revolute\"><parent link=\"" parent "\"/><child link=\"" child           \
    "\"/><origin xyz=\"" xyz "\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\"/></joint>\n"

static const char WALKER[] = "<robot name=\"walker\">\n" WALKER_LINK("body", "0.2")
    WALKER_LINK("l_thigh", "-0.2") WALKER_LINK("l_shin", "-0.2") WALKER_LINK("r_thigh", "-0.2")
        WALKER_LINK("r_shin", "-0.2") WALKER_JOINT("lh", "body", "l_thigh", "0 0.1 0")
            WALKER_JOINT("lk", "l_thigh", "l_shin", "0 0 -0.4")
                WALKER_JOINT("rh", "body", "r_thigh", "0 -0.1 0")
                    WALKER_JOINT("rk", "r_thigh", "r_shin", "0 0 -0.4") "</robot>\n";

#endif
