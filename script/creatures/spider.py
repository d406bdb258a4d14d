"""The spider: eight legs of five joints (swing, lift, turn about the leg, knee, ankle) on a body of 35 cm; as in
thesis-2015 chapter 8 a creature for which no motion was ever recorded.

In the zero posture each leg is stretched out level. A positive value swings forwards, lifts, bends downwards, turns the
knee's bend forwards; the same values on both sides mirror each other."""
from math import cos, radians, sin

from .model import Creature, capsule, rod_inertia, sphere

# Name, number, where the leg starts along the body, where it points (from sideways, forwards positive).
PAIRS = (("first", 1, 0.075, 58), ("second", 2, 0.03, 20), ("third", 3, -0.015, -18), ("fourth", 4, -0.06, -55))
SIDES = (("left", "l", 1), ("right", "r", -1))
SIDE, LEVEL = 0.062, 0.0
COXA, FEMUR, TIBIA, METATARSUS, FOOT = 0.03, 0.19, 0.17, 0.15, 0.01
MASSES = {"coxa": 0.03, "femur": 0.07, "tibia": 0.05, "metatarsus": 0.03}
REST = {"lift": 0.75, "knee": 1.35, "ankle": 0.65}


def root_height():
    low = REST["lift"] - REST["knee"]
    return -LEVEL - FEMUR * sin(REST["lift"]) - TIBIA * sin(low) - METATARSUS * sin(low - REST["ankle"]) + FOOT


def body(c):
    c.comment("Front body with the eyes, hind body")
    c.link("body", 1.0, (0, 0, 0), rod_inertia(1.0, (-0.11, 0, 0), (0.12, 0, 0), 0.055),
           capsule((-0.05, 0, 0), (0.06, 0, 0), 0.055), sphere((0.1, 0, 0.005), 0.04))
    c.joint("abdomen_y", "body", "abdomen_a", (-0.1, 0, 0.005), (0, 1, 0), -0.5, 0.5, 4, 8)
    c.small_link("abdomen_a")
    c.joint("abdomen_z", "abdomen_a", "abdomen", (0, 0, 0), (0, 0, 1), -0.4, 0.4, 4, 8)
    c.link("abdomen", 0.9, (-0.1, 0, 0.02), rod_inertia(0.9, (0, 0, 0.02), (-0.2, 0, 0.02), 0.075),
           capsule((-0.075, 0, 0.02), (-0.13, 0, 0.02), 0.075))


def leg(c, p, s, x, angle):
    way = (sin(radians(angle)), s * cos(radians(angle)), 0)
    lift = (way[1], -way[0], 0)
    down = (-way[1], way[0], 0)

    def out(length):
        return tuple(length * v for v in way)

    c.joint(f"{p}_swing", "body", f"{p}_coxa", (x, s * SIDE, LEVEL), (0, 0, -s), -0.65, 0.65, 8, 10)
    c.link(f"{p}_coxa", MASSES["coxa"], out(COXA / 2), rod_inertia(MASSES["coxa"], (0, 0, 0), out(COXA), 0.014),
           capsule((0, 0, 0), out(COXA), 0.014))
    c.joint(f"{p}_lift", f"{p}_coxa", f"{p}_femur_a", out(COXA), lift, -1.0, 1.45, 8, 14)
    c.small_link(f"{p}_femur_a")
    # Turned about the leg, a bent knee brings the foot forwards.
    c.joint(f"{p}_turn", f"{p}_femur_a", f"{p}_femur", (0, 0, 0), tuple(s * v for v in way), -0.6, 0.6, 8, 6)
    c.link(f"{p}_femur", MASSES["femur"], out(FEMUR / 2), rod_inertia(MASSES["femur"], (0, 0, 0), out(FEMUR), 0.014),
           capsule((0, 0, 0), out(FEMUR), 0.014))
    c.joint(f"{p}_knee", f"{p}_femur", f"{p}_tibia", out(FEMUR), down, -0.1, 2.5, 10, 10)
    c.link(f"{p}_tibia", MASSES["tibia"], out(TIBIA / 2), rod_inertia(MASSES["tibia"], (0, 0, 0), out(TIBIA), 0.012),
           capsule((0, 0, 0), out(TIBIA), 0.012))
    c.joint(f"{p}_ankle", f"{p}_tibia", f"{p}_metatarsus", out(TIBIA), down, -0.6, 1.5, 10, 6)
    c.link(f"{p}_metatarsus", MASSES["metatarsus"], out(METATARSUS / 2),
           rod_inertia(MASSES["metatarsus"], (0, 0, 0), out(METATARSUS), FOOT), capsule((0, 0, 0), out(METATARSUS), FOOT))
    return {"root": f"{p}_coxa", "effector": f"{p}_metatarsus",
            "contact": {"name": "foot", "offset": list(out(METATARSUS)), "normal": list(way), "ball": FOOT},
            "grip": True, "max_force": 40}


def spider():
    c = Creature("spider", "A virtual spider with a body of 35 cm and 3.5 kg: eight legs of five joints.")
    c.small_mass, c.small_radius = 0.01, 0.02
    body(c)
    limbs, rest = [], {}
    for pair, number, x, angle in PAIRS:
        for side, short, s in SIDES:
            p = f"{short}{number}"
            limb = {"name": f"{side}_{pair}_leg"}
            limb.update(leg(c, p, s, x, angle))
            if s < 0:
                limb["mirror_of"] = f"left_{pair}_leg"
            limbs.append(limb)
            rest.update({f"{p}_{joint}": value for joint, value in REST.items()})
            c.groups.append((limb["name"], "body", f"{p}_metatarsus"))
            c.effectors.append((f"{side}_{pair}_foot", f"{p}_metatarsus", limb["name"]))
    c.states.append(("stand", f"Stands on z = 0 when the root is at z = {root_height():.4f}", rest))
    c.file["trunk"] = ["body"]
    c.file["limbs"] = limbs
    c.file["rest"] = rest
    c.file["limits"] = {"root_speed": 0.6, "root_turn": 2, "root_acceleration": 3, "joint_speed": 8, "joint_acceleration": 60}
    c.file["gait"] = [["left_first_leg", "right_second_leg", "left_third_leg", "right_fourth_leg"],
                      ["right_first_leg", "left_second_leg", "right_third_leg", "left_fourth_leg"]]
    c.file["guide"] = {"upright": [], "bent": [], "tilt": 3.15, "tilt_max": 3.15, "any": 4, "trunk_scale": 1.1}
    return c
