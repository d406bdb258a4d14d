"""The insect: a virtual one of half a metre, large enough for shelves and vehicles, as in efort-2014-journal section 5.

Six legs of four joints: swing, lift, knee, ankle. In the zero posture each leg is stretched out level. A positive value swings
forwards, lifts, bends downwards; the same values on both sides mirror each other."""
from math import cos, radians, sin

from .model import Creature, capsule, rod_inertia

# Name, prefix, where the leg starts along the thorax, where it points (from sideways, forwards positive).
PAIRS = (("front", "f", 0.075, 42), ("middle", "m", 0.0, 0), ("hind", "h", -0.075, -42))
SIDES = (("left", "l", 1), ("right", "r", -1))
SIDE, LEVEL = 0.052, -0.012
COXA, FEMUR, TIBIA, TARSUS, FOOT = 0.035, 0.14, 0.15, 0.05, 0.012
MASSES = {"coxa": 0.025, "femur": 0.06, "tibia": 0.04, "tarsus": 0.02}
REST = {"lift": 0.6, "knee": 1.6, "ankle": 0.25}


def root_height():
    low = REST["lift"] - REST["knee"]
    return -LEVEL - FEMUR * sin(REST["lift"]) - TIBIA * sin(low) - TARSUS * sin(low - REST["ankle"]) + FOOT


def body(c):
    c.comment("Thorax, head, abdomen")
    c.link("thorax", 0.6, (0, 0, 0), rod_inertia(0.6, (-0.12, 0, 0), (0.12, 0, 0), 0.045), capsule((-0.08, 0, 0), (0.08, 0, 0), 0.045))
    c.joint("head_y", "thorax", "head_a", (0.115, 0, 0.005), (0, 1, 0), -0.5, 0.7, 6, 2)
    c.small_link("head_a")
    c.joint("head_z", "head_a", "head", (0, 0, 0), (0, 0, 1), -0.8, 0.8, 6, 2)
    c.link("head", 0.14, (0.035, 0, 0), rod_inertia(0.14, (0, 0, 0), (0.07, 0, 0), 0.03),
           capsule((0.03, -0.015, 0), (0.03, 0.015, 0), 0.03))
    c.joint("abdomen_y", "thorax", "abdomen_a", (-0.12, 0, 0.005), (0, 1, 0), -0.4, 0.5, 4, 6)
    c.small_link("abdomen_a")
    c.joint("abdomen_z", "abdomen_a", "abdomen", (0, 0, 0), (0, 0, 1), -0.4, 0.4, 4, 6)
    c.link("abdomen", 0.54, (-0.1, 0, 0), rod_inertia(0.54, (0, 0, 0), (-0.2, 0, 0), 0.05),
           capsule((-0.05, 0, 0), (-0.16, 0, 0), 0.05))


def leg(c, p, s, x, angle):
    way = (sin(radians(angle)), s * cos(radians(angle)), 0)
    lift = (way[1], -way[0], 0)
    down = (-way[1], way[0], 0)

    def out(length):
        return tuple(length * v for v in way)

    c.joint(f"{p}_swing", "thorax", f"{p}_coxa", (x, s * SIDE, LEVEL), (0, 0, -s), -0.9, 0.9, 8, 8)
    c.link(f"{p}_coxa", MASSES["coxa"], out(COXA / 2), rod_inertia(MASSES["coxa"], (0, 0, 0), out(COXA), 0.014),
           capsule((0, 0, 0), out(COXA), 0.014))
    c.joint(f"{p}_lift", f"{p}_coxa", f"{p}_femur", out(COXA), lift, -1.1, 1.4, 8, 10)
    c.link(f"{p}_femur", MASSES["femur"], out(FEMUR / 2), rod_inertia(MASSES["femur"], (0, 0, 0), out(FEMUR), 0.013),
           capsule((0, 0, 0), out(FEMUR), 0.013))
    c.joint(f"{p}_knee", f"{p}_femur", f"{p}_tibia", out(FEMUR), down, -0.1, 2.6, 10, 8)
    c.link(f"{p}_tibia", MASSES["tibia"], out(TIBIA / 2), rod_inertia(MASSES["tibia"], (0, 0, 0), out(TIBIA), 0.01),
           capsule((0, 0, 0), out(TIBIA), 0.01))
    c.joint(f"{p}_ankle", f"{p}_tibia", f"{p}_tarsus", out(TIBIA), down, -1.0, 1.0, 10, 4)
    c.link(f"{p}_tarsus", MASSES["tarsus"], out(TARSUS / 2), rod_inertia(MASSES["tarsus"], (0, 0, 0), out(TARSUS), FOOT),
           capsule((0, 0, 0), out(TARSUS), FOOT))
    return {"root": f"{p}_coxa", "effector": f"{p}_tarsus",
            "contact": {"name": "foot", "offset": list(out(TARSUS)), "normal": list(way), "ball": FOOT},
            "grip": True, "max_force": 40}


def insect():
    c = Creature("insect", "A virtual insect of half a metre and 2 kg: six legs of four joints.")
    c.small_mass, c.small_radius = 0.01, 0.02
    body(c)
    limbs, rest = [], {}
    for pair, letter, x, angle in PAIRS:
        for side, short, s in SIDES:
            p = short + letter
            limb = {"name": f"{side}_{pair}_leg"}
            limb.update(leg(c, p, s, x, angle))
            if s < 0:
                limb["mirror_of"] = f"left_{pair}_leg"
            limbs.append(limb)
            rest.update({f"{p}_{joint}": value for joint, value in REST.items()})
            c.groups.append((limb["name"], "thorax", f"{p}_tarsus"))
            c.effectors.append((f"{side}_{pair}_foot", f"{p}_tarsus", limb["name"]))
    c.states.append(("stand", f"Stands on z = 0 when the root is at z = {root_height():.4f}", rest))
    c.file["trunk"] = ["thorax"]
    c.file["limbs"] = limbs
    c.file["rest"] = rest
    c.file["limits"] = {"root_speed": 0.6, "root_turn": 2, "root_acceleration": 3, "joint_speed": 8, "joint_acceleration": 60}
    c.file["gait"] = [["left_front_leg", "right_middle_leg", "left_hind_leg"], ["right_front_leg", "left_middle_leg", "right_hind_leg"]]
    c.file["guide"] = {"upright": [], "bent": [], "tilt": 3.15, "tilt_max": 3.15, "any": 4, "trunk_scale": 1.1}
    return c
