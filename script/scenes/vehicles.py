"""Vehicles: a truck whose cab one can stand in, and a small one to climb over."""
import math

from .parts import block, box, prism, put


def wheel(x, y, z, radius, wide):
    """An eight-sided wheel with its axle along Y."""
    ring = [(z + radius * math.sin(math.pi * (2 * k + 1) / 8), x + radius * math.cos(math.pi * (2 * k + 1) / 8)) for k in range(7, -1, -1)]
    return prism(ring, y - wide / 2, y + wide / 2)


def truck():
    """The cab's floor is z = 0, the ground 0.6 m below it; the bonnet is towards +X. The doors are shut; the front window has lost its
    glass: 0.7 m wide, 0.6 m high, its sill 0.45 m above the floor, level with the bonnet, the engine's cover before it and the bench."""
    parts = [("floor", box((-0.9, -0.95, -0.1), (0.75, 0.95, 0))), ("roof", box((-0.9, -0.95, 2.0), (0.81, 0.95, 2.06))),
             ("back", box((-0.9, -0.89, 0), (-0.84, 0.89, 2.0)))]
    # each side: a door with its window frame; the panes are whole
    for side, sign in (("left", 1), ("right", -1)):
        parts.append((f"{side}_door", block((-0.075, sign * 0.92, 1.0), (1.65, 0.06, 2.0))))
        parts.append((f"{side}_handle", block((0.35, sign * 0.875, 0.95), (0.16, 0.03, 0.04))))
    # the front wall around its window
    parts += [("front_under", box((0.75, -0.95, -0.1), (0.81, 0.95, 0.45))), ("front_over", box((0.75, -0.95, 1.05), (0.81, 0.95, 2.0))),
              ("front_left", box((0.75, 0.35, 0.45), (0.81, 0.95, 1.05))), ("front_right", box((0.75, -0.95, 0.45), (0.81, -0.35, 1.05)))]
    # inside: a bench along the back wall, the cover of the engine, a dashboard to the left
    parts += [("bench", box((-0.84, -0.89, 0), (-0.4, 0.89, 0.45))), ("engine_cover", box((-0.4, -0.42, 0), (0.75, 0.42, 0.45))),
              ("dashboard", prism([(0.4, 0.5), (0.62, 0.75), (0.4, 0.75)], 0.45, 0.89))]
    # outside: bonnet with a bevelled nose, bumper, wings, wheels, the load behind the cab
    parts += [("bonnet", prism([(-0.2, 0.81), (0.45, 0.81), (0.45, 2.2), (0.31, 2.34), (-0.2, 2.34)], -0.8, 0.8)),
              ("bumper", box((2.34, -0.9, -0.3), (2.48, 0.9, -0.1))),
              ("frame", box((-3.2, -0.5, -0.3), (2.3, 0.5, -0.2))),
              ("load", box((-3.3, -1.0, -0.1), (-1.05, 1.0, 1.6)))]
    for i, (x, y) in enumerate(((1.6, 0.98), (1.6, -0.98), (-1.9, 0.88), (-1.9, -0.88), (-2.75, 0.88), (-2.75, -0.88))):
        parts.append((f"wheel_{i}", wheel(x, y, -0.22, 0.38 / math.cos(math.pi / 8), 0.24)))
    return parts


def small_truck():
    """A model truck of 1.5 m to climb over: bumper, bonnet, sloped windscreen, cab with a raked back, a flat bed, rear bumper; it stands
    on the ground, its front at -X."""
    def across(outline, half):
        return prism(outline, -half, half)
    parts = [("bumper", across([(0.06, -0.78), (0.12, -0.78), (0.12, -0.7), (0.06, -0.7)], 0.34)),
             ("bonnet", across([(0.06, -0.7), (0.2, -0.7), (0.26, -0.64), (0.28, -0.34), (0.06, -0.34)], 0.32)),
             ("cab", across([(0.06, -0.34), (0.28, -0.34), (0.5, -0.2), (0.52, -0.14), (0.52, 0.02), (0.5, 0.06), (0.24, 0.16), (0.06, 0.16)], 0.32)),
             ("bed", across([(0.06, 0.16), (0.24, 0.16), (0.24, 0.62), (0.2, 0.66), (0.06, 0.66)], 0.32)),
             ("rear_bumper", across([(0.06, 0.66), (0.12, 0.66), (0.12, 0.74), (0.06, 0.74)], 0.34))]
    for i, (x, y) in enumerate(((-0.52, 0.33), (-0.52, -0.33), (0.42, 0.33), (0.42, -0.33))):
        parts.append((f"wheel_{i}", wheel(x, y, 0.1 * math.cos(math.pi / 8), 0.1, 0.08)))
    return parts


def gateway():
    """Across the small truck's way: who wants to the other side has to climb over its cab."""
    return [("left", box((-0.09, 0.38, 0), (-0.03, 3, 0.9))), ("right", box((-0.09, -3, 0), (-0.03, -0.38, 0.9)))]


def vehicles(folder):
    put(folder, "truck.obj", "A truck with an open front window, the cab's floor at z = 0, the ground at z = -0.6", truck())
    put(folder, "gateway.obj", "A wall, 6 m long, 0.9 m high, with a gateway that the small truck fills", gateway())
    put(folder, "small-truck.obj", "A model truck, 1.5 m long, 0.52 m high", small_truck())
