"""The human: an adult of 1.75 m and 75 kg.

Segment lengths, mass shares, centres of mass and radii of gyration: P. de Leva, Adjustments to
Zatsiorsky-Seluyanov's segment inertia parameters, Journal of Biomechanics 29 (1996), table 4, men, lengths
scaled from 1.741 m to 1.75 m. Joint ranges: D. Boone and S. Azen, Normal range of motion of joints in
male subjects, JBJS 61-A (1979), rounded; the spine's and the neck's after I. Kapandji, The Physiology of
the Joints, vol. 3. Joint torques: order of magnitude of isokinetic maxima of adult men.

Signs: a positive value flexes, raises, abducts, turns inwards or pronates on both sides, so that the
same values give mirrored postures."""
from math import cos, sin

from .model import Creature, box, box_inertia, capsule, rod_inertia

HEIGHT, MASS = 1.75, 75.0
SCALE = HEIGHT / 1.741

# Length (m), share of the body's mass, centre of mass from the upper end (share of length), radii of gyration
# about the x (sagittal), y (transverse) and z (longitudinal) axes (share of length).
SEGMENTS = {
    "head": (0.2429, 0.0694, 0.5002, (0.303, 0.315, 0.261)),
    "upper_trunk": (0.1707, 0.1596, 0.2999, (0.716, 0.454, 0.659)),
    "middle_trunk": (0.2155, 0.1633, 0.4502, (0.482, 0.383, 0.468)),
    "lower_trunk": (0.1457, 0.1117, 0.6115, (0.615, 0.551, 0.587)),
    "upper_arm": (0.2817, 0.0271, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": (0.2689, 0.0162, 0.4574, (0.276, 0.265, 0.121)),
    "hand": (0.1879, 0.0061, 0.3691, (0.288, 0.235, 0.184)),
    "thigh": (0.4222, 0.1416, 0.4095, (0.329, 0.329, 0.149)),
    "shank": (0.4403, 0.0433, 0.4395, (0.251, 0.246, 0.102)),
    "foot": (0.2581, 0.0137, 0.4415, (0.257, 0.245, 0.124)),
}


def length(segment):
    return SEGMENTS[segment][0] * SCALE


def mass(segment):
    return SEGMENTS[segment][1] * MASS


def com(segment):
    return length(segment) * SEGMENTS[segment][2]


def inertia(segment, part=1.0):
    """About the segment's own centre of mass; part: the share of the segment that this link is."""
    return tuple(part * mass(segment) * (k * length(segment)) ** 2 for k in SEGMENTS[segment][3])


# Heights above the hip centres (the pelvis link's origin) in the zero posture.
ANKLE = 0.08
HIP_Y, SHOULDER_Y = 0.085, 0.185
KNEE = 0.012  # what one kneels on is the shank's end, a little below the joint
SPINE = (0.10, 0.21, 0.32)
SHOULDER = 0.484
NECK, HEAD = 0.548, 0.638
ROOT = ANKLE + length("shank") + length("thigh")
TOP = HEIGHT - ROOT


def trunk(c):
    c.comment("Trunk: pelvis (lower trunk), two parts of the middle trunk, chest (upper trunk)")
    c.link("pelvis", mass("lower_trunk"), (0, 0, length("lower_trunk") - com("lower_trunk")), inertia("lower_trunk"),
           capsule((-0.01, -0.075, 0.02), (-0.01, 0.075, 0.02), 0.1))
    # The middle trunk's two halves; each a third of the whole's inertia, the rest is their distance.
    half = mass("middle_trunk") / 2 - 2 * c.small_mass
    third = tuple(v / 3 for v in inertia("middle_trunk"))
    parent, below = "pelvis", 0.0
    bodies = {
        "spine_1": [capsule((0, -0.055, 0.05), (0, 0.055, 0.05), 0.092)],
        "spine_2": [capsule((0, -0.058, 0.055), (0, 0.058, 0.055), 0.095)],
        "chest": [capsule((0, -0.052, 0.05), (0, 0.052, 0.05), 0.1), capsule((0, -0.05, 0.15), (0, 0.05, 0.15), 0.083)],
    }
    weights = {
        "spine_1": (half, (0, 0, 0.05), third),
        "spine_2": (half, (0, 0, 0.055), third),
        "chest": (mass("upper_trunk") - 2 * (0.6 + c.small_mass) - 2 * c.small_mass, (0, 0, 0.13), inertia("upper_trunk", 0.8)),
    }
    for name, height in zip(("spine_1", "spine_2", "chest"), SPINE):
        # Forward bend, side bend to the right, turn to the left; flexion mostly in the lower two.
        bend = 0.45 if name != "chest" else 0.3
        c.joint(f"{name}_y", parent, f"{name}_a", (0, 0, height - below), (0, 1, 0), -0.2, bend, 3, 200)
        c.small_link(f"{name}_a")
        c.joint(f"{name}_x", f"{name}_a", f"{name}_b", (0, 0, 0), (1, 0, 0), -0.2, 0.2, 3, 160)
        c.small_link(f"{name}_b")
        c.joint(f"{name}_z", f"{name}_b", name, (0, 0, 0), (0, 0, 1), -0.25, 0.25, 3, 120)
        c.link(name, *weights[name], *bodies[name])
        parent, below = name, height


def head(c):
    c.comment("Neck and head")
    chest = SPINE[2]
    c.joint("neck_y", "chest", "neck_a", (-0.01, 0, NECK - chest), (0, 1, 0), -0.5, 0.5, 5, 40)
    c.small_link("neck_a")
    c.joint("neck_x", "neck_a", "neck", (0, 0, 0), (1, 0, 0), -0.5, 0.5, 5, 40)
    c.link("neck", 0.9, (0.005, 0, 0.045), rod_inertia(0.9, (0, 0, 0), (0.01, 0, 0.09), 0.055),
           capsule((0, 0, 0.005), (0.01, 0, 0.08), 0.055))
    c.joint("head_y", "neck", "head_a", (0.015, 0, HEAD - NECK), (0, 1, 0), -0.4, 0.35, 5, 30)
    c.small_link("head_a")
    c.joint("head_z", "head_a", "head", (0, 0, 0), (0, 0, 1), -1.3, 1.3, 6, 25)
    c.link("head", mass("head") - 0.9 - 2 * c.small_mass, (0.015, 0, TOP - HEAD - com("head") + 0.01), inertia("head", 0.85),
           capsule((0.02, 0, 0.02), (0.01, 0, TOP - HEAD - 0.085), 0.085))


def arm(c, p, s):
    """p: name prefix; s: +1 left, -1 right."""
    c.comment(("Left" if s > 0 else "Right") + " arm: nine joints from breastbone to wrist. "
              "clavicle_y is the yaw of the collar bone (about Z)")
    chest, upper, fore = SPINE[2], length("upper_arm"), length("forearm")
    # Sternoclavicular joint, then the shoulder girdle as one body.
    c.joint(f"{p}_clavicle_y", "chest", f"{p}_clavicle", (0.01, s * 0.025, SHOULDER - chest), (0, 0, -s), -0.35, 0.45, 4, 80)
    c.small_link(f"{p}_clavicle")
    c.joint(f"{p}_clavicle_x", f"{p}_clavicle", f"{p}_scapula", (0, 0, 0), (s, 0, 0), -0.12, 0.6, 4, 80)
    reach = SHOULDER_Y - 0.025
    c.link(f"{p}_scapula", 0.6, (-0.01, s * 0.09, 0), rod_inertia(0.6, (-0.01, 0.02, 0), (-0.01, reach, 0), 0.045),
           capsule((-0.005, s * 0.06, 0), (-0.01, s * (reach - 0.01), 0), 0.045))
    # Shoulder: flexion, abduction, inward turn (the thesis' YXZ order).
    c.joint(f"{p}_shoulder_y", f"{p}_scapula", f"{p}_upper_arm_a", (-0.01, s * reach, 0), (0, -1, 0), -1.0, 2.7, 9, 90)
    c.small_link(f"{p}_upper_arm_a")
    c.joint(f"{p}_shoulder_x", f"{p}_upper_arm_a", f"{p}_upper_arm_b", (0, 0, 0), (s, 0, 0), -0.7, 2.3, 9, 90)
    c.small_link(f"{p}_upper_arm_b")
    c.joint(f"{p}_shoulder_z", f"{p}_upper_arm_b", f"{p}_upper_arm", (0, 0, 0), (0, 0, -s), -1.9, 1.8, 9, 60)
    c.link(f"{p}_upper_arm", mass("upper_arm") - 2 * c.small_mass, (0, 0, -com("upper_arm")), inertia("upper_arm"),
           capsule((0, 0, 0), (0, 0, -upper), 0.043))
    # Elbow and forearm.
    c.joint(f"{p}_elbow", f"{p}_upper_arm", f"{p}_forearm_a", (0, 0, -upper), (0, -1, 0), 0, 2.5, 10, 75)
    c.small_link(f"{p}_forearm_a")
    c.joint(f"{p}_forearm", f"{p}_forearm_a", f"{p}_forearm", (0, 0, 0), (0, 0, -s), -1.5, 1.4, 12, 15)
    c.link(f"{p}_forearm", mass("forearm") - c.small_mass, (0, 0, -com("forearm")), inertia("forearm"),
           capsule((0, 0, -0.01), (0, 0, -fore + 0.12), 0.038), capsule((0, 0, -fore + 0.12), (0, 0, -fore + 0.035), 0.026))
    hand(c, p, s, fore)


def hand(c, p, s, fore):
    # Who leans on a flat palm bends the wrist further back than muscles can: passive extension, 83 degrees.
    c.joint(f"{p}_wrist_x", f"{p}_forearm", f"{p}_hand_a", (0, 0, -fore), (-s, 0, 0), -1.45, 1.3, 12, 15)
    c.small_link(f"{p}_hand_a")
    c.joint(f"{p}_wrist_y", f"{p}_hand_a", f"{p}_hand", (0, 0, 0), (0, 1, 0), -0.35, 0.6, 12, 12)
    # Palm, thumb, index, and the other three fingers as one; palms face the thighs.
    parts = {"thumb": 0.02, "index": 0.018, "fingers": 0.042}
    palm = mass("hand") - c.small_mass - 2 * sum(parts.values())
    size = (0.085, 0.032, 0.094)
    c.link(f"{p}_hand", palm, (0, 0, -0.052), box_inertia(palm, size), box((0, 0, -0.052), size),
           capsule((0, 0, 0.018), (0, 0, -0.02), 0.016))
    turn = 0.70710678
    c.joint(f"{p}_thumb_1", f"{p}_hand", f"{p}_thumb_1", (0.038, 0, -0.03), (0, 0, -s), -0.3, 1.2, 10, 4)
    tip = (0.028, 0, -0.028)
    c.link(f"{p}_thumb_1", parts["thumb"], (0.014, 0, -0.014), rod_inertia(parts["thumb"], (0, 0, 0), tip, 0.011),
           capsule((0.004, 0, -0.004), tip, 0.011))
    c.joint(f"{p}_thumb_2", f"{p}_thumb_1", f"{p}_thumb_2", tip, (-s * turn, 0, -s * turn), -0.1, 1.3, 10, 3)
    tip = (0.02, 0, -0.026)
    c.link(f"{p}_thumb_2", parts["thumb"], (0.01, 0, -0.013), rod_inertia(parts["thumb"], (0, 0, 0), tip, 0.01),
           capsule((0, 0, 0), tip, 0.01))
    m = parts["index"]
    c.joint(f"{p}_index_1", f"{p}_hand", f"{p}_index_1", (0.032, 0, -0.099), (-s, 0, 0), -0.2, 1.6, 10, 4)
    c.link(f"{p}_index_1", m, (0, 0, -0.022), rod_inertia(m, (0, 0, 0), (0, 0, -0.045), 0.0095),
           capsule((0, 0, -0.002), (0, 0, -0.042), 0.0095))
    c.joint(f"{p}_index_2", f"{p}_index_1", f"{p}_index_2", (0, 0, -0.044), (-s, 0, 0), -0.2, 1.6, 10, 3, f"{p}_index_1")
    c.link(f"{p}_index_2", m, (0, 0, -0.02), rod_inertia(m, (0, 0, 0), (0, 0, -0.04), 0.0085),
           capsule((0, 0, 0), (0, 0, -0.036), 0.0085))
    m = parts["fingers"]
    size = (0.057, 0.018, 0.044)
    c.joint(f"{p}_fingers_1", f"{p}_hand", f"{p}_fingers_1", (-0.012, 0, -0.099), (-s, 0, 0), -0.2, 1.6, 10, 8)
    c.link(f"{p}_fingers_1", m, (0, 0, -0.022), box_inertia(m, size), box((0, 0, -0.022), size))
    size = (0.056, 0.017, 0.044)
    c.joint(f"{p}_fingers_2", f"{p}_fingers_1", f"{p}_fingers_2", (0, 0, -0.046), (-s, 0, 0), -0.2, 1.6, 10, 6, f"{p}_fingers_1")
    c.link(f"{p}_fingers_2", m, (0, 0, -0.021), box_inertia(m, size), box((0, 0, -0.022), size))


def leg(c, p, s):
    c.comment(("Left" if s > 0 else "Right") + " leg: hip, knee, ankle, toe")
    thigh, shank = length("thigh"), length("shank")
    c.joint(f"{p}_hip_y", "pelvis", f"{p}_thigh_a", (0, s * HIP_Y, 0), (0, -1, 0), -0.36, 2.14, 8, 220)
    c.small_link(f"{p}_thigh_a")
    c.joint(f"{p}_hip_x", f"{p}_thigh_a", f"{p}_thigh_b", (0, 0, 0), (s, 0, 0), -0.47, 0.82, 8, 160)
    c.small_link(f"{p}_thigh_b")
    c.joint(f"{p}_hip_z", f"{p}_thigh_b", f"{p}_thigh", (0, 0, 0), (0, 0, -s), -0.82, 0.78, 8, 80)
    c.link(f"{p}_thigh", mass("thigh") - 2 * c.small_mass, (0, 0, -com("thigh")), inertia("thigh"),
           capsule((0, 0, -0.03), (0, 0, -thigh + 0.04), 0.07))
    c.joint(f"{p}_knee", f"{p}_thigh", f"{p}_shank", (0, 0, -thigh), (0, 1, 0), 0, 2.5, 10, 240)
    c.link(f"{p}_shank", mass("shank"), (0, 0, -com("shank")), inertia("shank"),
           capsule((0, 0, -KNEE), (0, 0, -shank + 0.02), 0.05))
    c.joint(f"{p}_ankle_y", f"{p}_shank", f"{p}_foot_a", (0, 0, -shank), (0, -1, 0), -0.95, 0.55, 8, 150)
    c.small_link(f"{p}_foot_a")
    c.joint(f"{p}_ankle_x", f"{p}_foot_a", f"{p}_foot", (0, 0, 0), (-s, 0, 0), -0.35, 0.5, 8, 60)
    # Heel 6 cm behind the ankle; the ball of the foot carries the toe joint.
    foot = length("foot")
    toe_mass = 0.15
    m = mass("foot") - c.small_mass - toe_mass
    size = (0.19, 0.088, 0.06)
    k = inertia("foot", 0.85)
    c.link(f"{p}_foot", m, (foot * 0.4415 - 0.075, 0, -0.045), (k[2], k[0], k[1]),
           box((0.035, 0, -ANKLE + 0.03), size))
    # Toes bend up only, so that a heel does not sink where they hold, and by 75 degrees: the upper end of the 65 to 75 degrees that Root,
    # Orien and Weed (Normal and Abnormal Function of the Foot, 1977, pp. 60-61) give for the first joint of the great toe.
    c.joint(f"{p}_toe", f"{p}_foot", f"{p}_toe", (0.132, 0, -0.06), (0, -1, 0), 0, 1.3, 10, 30)
    reach = foot - 0.06 - 0.132
    size = (reach + 0.004, 0.092, 0.034)
    c.link(f"{p}_toe", toe_mass, (reach / 2, 0, -0.003), box_inertia(toe_mass, size),
           box((reach / 2 - 0.002, 0, -0.02 + 0.017), size))


REST = {
    "shoulder_y": 0.05, "shoulder_x": 0.2, "elbow": 0.3,
    "hip_y": 0.08, "knee": 0.2, "ankle_y": 0.12,
}

ALL_FOURS = {
    "clavicle_y": 0.17, "clavicle_x": 0.36, "shoulder_y": 1.46, "shoulder_x": 0.37, "shoulder_z": 0.45, "elbow": 0.33,
    "forearm": 0.84, "wrist_x": -1.29, "wrist_y": -0.32,
    "hip_y": 1.49, "hip_x": 0.03, "hip_z": 0.07, "knee": 1.64, "ankle_y": 0.5, "ankle_x": 0.07, "toe": 1.16,
}


def root_height():
    """Of the pelvis in the rest posture with flat soles on z = 0."""
    return length("thigh") * cos(REST["hip_y"]) + length("shank") * cos(REST["hip_y"] - REST["knee"]) + ANKLE


# Knees and elbows are round: who kneels or leans on them rolls on a ball, however the limb is turned.


def contacts(c):
    limbs = []
    for side, p, s, other in (("left", "l", 1, "right"), ("right", "r", -1, "left")):
        arm_file = {"name": f"{side}_arm", "root": f"{p}_clavicle", "effector": f"{p}_hand",
                    "contact": [{"name": "palm", "offset": [0, -s * 0.016, -0.055], "normal": [0, -s, 0], "patch": [0.08, 0.08]},
                                {"name": "fingers", "offset": [0, -s * 0.016, -0.089], "normal": [0, -s, 0], "patch": [0.08, 0.018]}],
                    "grip": True, "max_force": 600, "excludes": [f"{side}_elbow"]}
        leg_file = {"name": f"{side}_leg", "root": f"{p}_thigh_a", "effector": f"{p}_foot",
                    "contact": [{"name": "sole", "offset": [0.035, 0, -ANKLE], "normal": [0, 0, -1], "patch": [0.19, 0.088]},
                                {"name": "toe", "offset": [0.105, 0, -ANKLE], "normal": [0, 0, -1], "patch": [0.05, 0.088]},
                                {"name": "tiptoe", "link": f"{p}_toe", "offset": [0.04, 0, -0.02], "normal": [0, 0, -1],
                                 "patch": [0.05, 0.08]}],
                    "max_force": 2000, "excludes": [f"{side}_knee"]}
        elbow = {"name": f"{side}_elbow", "root": f"{p}_clavicle", "effector": f"{p}_upper_arm",
                 "contact": {"name": "elbow", "offset": [0, 0, -length("upper_arm")], "normal": [0, 0, -1], "ball": 0.043},
                 "max_force": 400, "excludes": [f"{side}_arm"]}
        knee = {"name": f"{side}_knee", "root": f"{p}_thigh_a", "effector": f"{p}_shank",
                "contact": {"name": "knee", "offset": [0, 0, -KNEE], "normal": [0, 0, 1], "ball": 0.05},
                "max_force": 1000, "excludes": [f"{side}_leg"]}
        for limb in (arm_file, leg_file, elbow, knee):
            if s < 0:
                limb["mirror_of"] = other + limb["name"][len(side):]
            limbs.append(limb)
    limbs.sort(key=lambda l: ["arm", "leg", "elbow", "knee"].index(l["name"].split("_")[1]))
    limbs.append({"name": "seat", "root": "pelvis", "effector": "pelvis",
                  "contact": {"name": "seat", "offset": [-0.01, 0, -0.08], "normal": [0, 0, -1], "patch": [0.06, 0.15]},
                  "max_force": 2000})
    return limbs


def human():
    c = Creature("human", "An adult of 1.75 m and 75 kg (segments: de Leva 1996; joint ranges: Boone and Azen 1979).")
    trunk(c)
    head(c)
    for p, s in (("r", -1), ("l", 1)):
        arm(c, p, s)
    for p, s in (("r", -1), ("l", 1)):
        leg(c, p, s)
    rest = {}
    for joint in c.joint_names:
        key = joint[2:] if joint[1] == "_" else joint
        if key in REST:
            rest[joint] = REST[key]
    for p, side in (("r", "right"), ("l", "left")):
        c.groups.append((f"{side}_arm", "chest", f"{p}_hand"))
        c.groups.append((f"{side}_leg", "pelvis", f"{p}_foot"))
        c.effectors.append((f"{side}_hand", f"{p}_hand", f"{side}_arm"))
        c.effectors.append((f"{side}_foot", f"{p}_foot", f"{side}_leg"))
        # A closed hand touches itself; flesh gives way between thigh and belly: joint limits rule these.
        fingers = [f"{p}_{f}_{i}" for f in ("thumb", "index", "fingers") for i in (1, 2)]
        own = [f"{p}_hand"] + fingers
        for i, a in enumerate(own):
            c.disabled += [(a, b, "one hand") for b in own[i + 1:]]
        c.disabled += [(f"{p}_forearm", f"{p}_hand", "Adjacent"), (f"{p}_thigh", "spine_1", "soft"), (f"{p}_thigh", "spine_2", "soft")]
    c.disabled += [(f"{p}_scapula", "neck", "soft") for p in "rl"]
    c.disabled += [("pelvis", "spine_2", "soft"), ("spine_1", "chest", "soft")]
    c.states.append(("stand", f"Stands with flat soles on z = 0 when the root is at z = {root_height():.4f}", rest))
    c.states.append(("all_fours", "On hands and toes, the trunk bent forwards by 1.5 rad",
                     {f"{p}_{joint}": value for p in "rl" for joint, value in ALL_FOURS.items()} | {"neck_y": -0.3}))
    c.file["trunk"] = ["pelvis"] + [f"{n}{e}" for n in ("spine_1", "spine_2", "chest") for e in ("_a", "_b", "")]
    c.file["limbs"] = contacts(c)
    c.file["rest"] = rest
    c.file["rom"] = [{"joints": [f"{p}_{group}_{axis}" for axis in "yxz"], "region": f"{group}.rom.json"}
                     for group in ("shoulder", "hip") for p in ("r", "l")]
    c.file["limits"] = {"root_speed": 1.5, "root_turn": 2, "root_acceleration": 3, "joint_speed": 6, "joint_acceleration": 30}
    c.file["gait"] = [["left_leg"], ["right_leg"]]
    c.file["guide"] = {"upright": ["left_leg", "right_leg"], "bent": [], "tilt": 0.6, "tilt_max": 1.6, "tilt_side": 0.3, "any": 1, "trunk_scale": 1.2, "bent_state": "all_fours", "bent_tilt": 1.5}
    return c


def climber():
    """The same body, with hands and feet alone."""
    c = human()
    c.name = c.file["name"] = "climber"
    c.file["guide"] = {key: value for key, value in c.file["guide"].items() if not key.startswith("bent_")} | {"tilt_max": 1.2}
    c.file["limbs"] = [limb for limb in c.file["limbs"] if limb["name"].endswith(("arm", "leg"))]
    for limb in c.file["limbs"]:
        del limb["excludes"]
        limb["contact"] = [frame for frame in limb["contact"] if frame["name"] != "toe"]
    return c
