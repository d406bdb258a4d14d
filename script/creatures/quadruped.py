"""The quadruped: a dog of 60 cm at the withers and 31 kg. Four legs of four joints, a spine of two, neck, head and tail.

Proportions and mass shares are those of a large dog, rounded (legs some 6 % of the mass each in front, 9 % behind). In the zero
posture all legs hang straight. A positive value moves outwards (x), forwards (y of shoulder and hip), bends elbow, knee,
wrist and hock; the same values on both sides mirror each other."""
from math import cos

from .model import Creature, capsule, rod_inertia

SIDES = (("left", "l", 1), ("right", "r", -1))
PAW = 0.026
UPPER_ARM, FOREARM, HAND = 0.19, 0.2, 0.09
THIGH, SHANK, FOOT = 0.2, 0.21, 0.14
REST = {"shoulder_y": -0.55, "elbow": 0.7, "wrist": 0.0, "hip_y": 0.6, "knee": 1.15, "hock": 0.65}
ROOT = 0.53
FRONT = UPPER_ARM * cos(REST["shoulder_y"]) + FOREARM * cos(REST["shoulder_y"] + REST["elbow"]) \
    + HAND * cos(REST["shoulder_y"] + REST["elbow"] - REST["wrist"]) + PAW
HIND = THIGH * cos(REST["hip_y"]) + SHANK * cos(REST["hip_y"] - REST["knee"]) \
    + FOOT * cos(REST["hip_y"] - REST["knee"] + REST["hock"]) + PAW


def body(c):
    c.comment("Rib cage (the root), loin with the hips, neck, head, tail")
    c.link("ribs", 11.0, (0.06, 0, -0.01), rod_inertia(11.0, (-0.13, 0, 0), (0.25, 0, 0), 0.11),
           capsule((-0.04, 0, -0.005), (0.15, 0, -0.015), 0.112))
    c.joint("spine_y", "ribs", "loin_a", (-0.13, 0, 0.03), (0, -1, 0), -0.4, 0.6, 4, 120)
    c.small_link("loin_a")
    c.joint("spine_z", "loin_a", "loin", (0, 0, 0), (0, 0, 1), -0.5, 0.5, 4, 80)
    c.link("loin", 6.0, (-0.12, 0, -0.03), rod_inertia(6.0, (0.0, 0, -0.03), (-0.26, 0, -0.03), 0.085),
           capsule((-0.04, 0, -0.03), (-0.2, 0, -0.03), 0.088))
    c.joint("neck_y", "ribs", "neck_a", (0.22, 0, 0.06), (0, 1, 0), -0.6, 1.2, 5, 50)
    c.small_link("neck_a")
    c.joint("neck_z", "neck_a", "neck", (0, 0, 0), (0, 0, 1), -0.9, 0.9, 5, 40)
    c.link("neck", 1.6, (0.06, 0, 0.07), rod_inertia(1.6, (0, 0, 0), (0.12, 0, 0.14), 0.055),
           capsule((0.0, 0, 0.0), (0.11, 0, 0.13), 0.055))
    c.joint("head_y", "neck", "head_a", (0.13, 0, 0.15), (0, 1, 0), -0.8, 0.9, 6, 20)
    c.small_link("head_a")
    c.joint("head_x", "head_a", "head", (0, 0, 0), (1, 0, 0), -0.6, 0.6, 6, 15)
    c.link("head", 1.9, (0.07, 0, 0.0), rod_inertia(1.9, (-0.02, 0, 0), (0.2, 0, -0.03), 0.055),
           capsule((0.0, 0, 0.01), (0.05, 0, 0.005), 0.062), capsule((0.06, 0, -0.01), (0.16, 0, -0.025), 0.036))
    c.joint("tail_y", "loin", "tail_a", (-0.27, 0, 0.02), (0, -1, 0), -1.0, 1.2, 8, 4)
    c.small_link("tail_a")
    c.joint("tail_z", "tail_a", "tail", (0, 0, 0), (0, 0, 1), -1.0, 1.0, 8, 4)
    c.link("tail", 0.3, (-0.1, 0, -0.1), rod_inertia(0.3, (0, 0, 0), (-0.2, 0, -0.2), 0.016),
           capsule((-0.01, 0, -0.01), (-0.19, 0, -0.19), 0.016))


def segment(c, name, mass, length, radius):
    tip = (0, 0, -length)
    c.link(name, mass, (0, 0, -0.45 * length), rod_inertia(mass, (0, 0, 0), tip, radius), capsule((0, 0, 0), tip, radius))


def front_leg(c, p, s):
    c.joint(f"{p}_shoulder_x", "ribs", f"{p}_upper_arm_a", (0.17, s * 0.125, FRONT - ROOT), (s, 0, 0), -0.4, 0.7, 8, 60)
    c.small_link(f"{p}_upper_arm_a")
    c.joint(f"{p}_shoulder_y", f"{p}_upper_arm_a", f"{p}_upper_arm", (0, 0, 0), (0, -1, 0), -1.4, 1.3, 9, 80)
    segment(c, f"{p}_upper_arm", 0.95, UPPER_ARM, 0.036)
    c.joint(f"{p}_elbow", f"{p}_upper_arm", f"{p}_forearm", (0, 0, -UPPER_ARM), (0, -1, 0), 0.0, 2.4, 10, 70)
    segment(c, f"{p}_forearm", 0.55, FOREARM, 0.029)
    c.joint(f"{p}_wrist", f"{p}_forearm", f"{p}_hand", (0, 0, -FOREARM), (0, 1, 0), -0.5, 1.6, 10, 25)
    segment(c, f"{p}_hand", 0.22, HAND, PAW)
    return {"root": f"{p}_upper_arm_a", "effector": f"{p}_hand",
            "contact": {"name": "paw", "offset": [0, 0, -HAND], "normal": [0, 0, -1], "ball": PAW}, "max_force": 500}


def hind_leg(c, p, s):
    c.joint(f"{p}_hip_x", "loin", f"{p}_thigh_a", (-0.21, s * 0.1, HIND - ROOT - 0.03), (s, 0, 0), -0.4, 0.8, 8, 80)
    c.small_link(f"{p}_thigh_a")
    c.joint(f"{p}_hip_y", f"{p}_thigh_a", f"{p}_thigh", (0, 0, 0), (0, -1, 0), -1.0, 1.7, 9, 110)
    segment(c, f"{p}_thigh", 1.6, THIGH, 0.045)
    c.joint(f"{p}_knee", f"{p}_thigh", f"{p}_shank", (0, 0, -THIGH), (0, 1, 0), 0.1, 2.5, 10, 100)
    segment(c, f"{p}_shank", 0.75, SHANK, 0.032)
    c.joint(f"{p}_hock", f"{p}_shank", f"{p}_foot", (0, 0, -SHANK), (0, -1, 0), -0.1, 2.3, 10, 60)
    segment(c, f"{p}_foot", 0.33, FOOT, PAW)
    return {"root": f"{p}_thigh_a", "effector": f"{p}_foot",
            "contact": {"name": "paw", "offset": [0, 0, -FOOT], "normal": [0, 0, -1], "ball": PAW}, "max_force": 500}


def quadruped():
    c = Creature("quadruped", "A dog of 60 cm at the withers and 31 kg: four legs of four joints, spine, neck, head, tail.")
    c.small_mass, c.small_radius = 0.04, 0.03
    body(c)
    limbs, rest = [], {"neck_y": 0.05}
    for pair, letter, make, tip, trunk in (("front", "f", front_leg, "hand", "ribs"), ("hind", "h", hind_leg, "foot", "loin")):
        for side, short, s in SIDES:
            p = short + letter
            limb = {"name": f"{side}_{pair}_leg"}
            limb.update(make(c, p, s))
            if s < 0:
                limb["mirror_of"] = f"left_{pair}_leg"
            limbs.append(limb)
            joints = ("shoulder_y", "elbow") if pair == "front" else ("hip_y", "knee", "hock")
            rest.update({f"{p}_{joint}": REST[joint] for joint in joints})
            c.groups.append((limb["name"], trunk, f"{p}_{tip}"))
            c.effectors.append((f"{side}_{pair}_paw", f"{p}_{tip}", limb["name"]))
    c.states.append(("stand", f"Stands on z = 0 when the root is at z = {ROOT:.4f}", rest))
    c.file["trunk"] = ["ribs", "loin_a", "loin"]
    c.file["limbs"] = limbs
    c.file["rest"] = rest
    c.file["limits"] = {"root_speed": 2, "root_turn": 2.5, "root_acceleration": 4, "joint_speed": 8, "joint_acceleration": 60}
    c.file["gait"] = [["left_front_leg", "right_hind_leg"], ["right_front_leg", "left_hind_leg"]]
    c.file["guide"] = {"upright": [limb["name"] for limb in limbs], "bent": ["left_hind_leg", "right_hind_leg"], "tilt": 0.6,
                       "tilt_max": 1.2, "any": 2, "trunk_scale": 1.1}
    return c
