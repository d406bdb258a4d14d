"""Vehicles: a truck whose cab one can stand in, and a small one to climb over."""
import math

from .parts import block, box, frustum, moved, prism, put


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


# Measures of the bonnet truck in metres, and where they come from. SAE J1517 describes drivers of heavy trucks (class B): the hip point is
# 0.405 to 0.53 m above the heels, the steering wheel 0.45 to 0.56 m wide, and half of the drivers sit less than 0.799 - 0.446 h behind
# their heels with the hips at h. Tyres of the size 275/80 R 22.5 are 2 * 0.8 * 0.275 + 22.5 * 0.0254 = 1.01 m high. UN Regulation 93 keeps
# the front underrun protection, here the bumper, at most 0.4 m above the ground. 49 CFR 399.207 keeps every step up to a cab within 0.61
# m, so that a cab with one step between the ground and its floor is at most 1.22 m high. A door opening of 1.5 m and a bonnet that
# begins at the sill of the window are those of medium trucks with the engine before the cab.
FLOOR, TYRE = 1.05, 2 * 0.8 * 0.275 + 22.5 * 0.0254
HIP = 0.45  # of the driver above the floor
HEEL = 0.799 - 0.446 * HIP  # before the hip
SEAT = HIP - 0.08  # the shipped human's seat is 0.08 m below the hip's centre
SILL, WINDOW_WIDE, WINDOW_HIGH = 0.75, 0.7, 0.6  # of the front window above the floor, and its size, which the scenario is about
SCREEN, DRIVER = 0.98, 0.45  # the front wall before the hip, and the driver to the left of the middle


def steering_wheel():
    """A rim of 0.48 m, 3 cm thick and flat on its sides, tilted by 30 degrees from level, about its own middle."""
    sides, radius = 16, 0.225
    length = 2 * (radius + 0.015) * math.tan(math.pi / sides)
    parts = []
    for i in range(sides):
        turn = 360 * i / sides
        x, y = radius * math.cos(math.radians(turn)), radius * math.sin(math.radians(turn))
        piece = moved(box((-0.015, -length / 2, -0.015), (0.015, length / 2, 0.015)), (x, y, 0), yaw=turn)
        parts.append((f"rim_{i}", moved(piece, (0, 0, 0), pitch=-30)))
    parts.append(("hub", moved(box((-0.05, -0.05, -0.03), (0.05, 0.05, 0.01)), (0, 0, 0), pitch=-30)))
    return parts + [("spoke", moved(box((-0.015, -0.22, -0.012), (0.015, 0.22, 0.004)), (0, 0, 0), pitch=-30))]


def bonnet_truck():
    """A truck on the ground with the engine before its cab, the driver's hips at x = 0. Doors and panes are shut but for the driver's
    half of the front window, which has lost its glass."""
    top, sill = FLOOR + 1.5, FLOOR + SILL
    left, right = DRIVER - WINDOW_WIDE / 2, DRIVER + WINDOW_WIDE / 2
    wall = SCREEN + 0.04
    parts = [("floor", box((-0.5, -1, FLOOR - 0.08), (SCREEN, 1, FLOOR))), ("roof", box((-0.5, -1, top), (wall, 1, top + 0.05))),
             ("back", box((-0.5, -0.95, FLOOR), (-0.45, 0.95, top))), ("left_door", box((-0.5, 0.95, FLOOR), (SCREEN, 1, top))),
             ("right_door", box((-0.5, -1, FLOOR), (SCREEN, -0.95, top)))]
    # the front wall around its open window
    parts += [("front_under", box((SCREEN, -1, FLOOR - 0.08), (wall, 1, sill))), ("front_over", box((SCREEN, -1, sill + WINDOW_HIGH), (wall, 1, top))),
              ("front_left", box((SCREEN, right, sill), (wall, 1, sill + WINDOW_HIGH))),
              ("front_right", box((SCREEN, -1, sill), (wall, left, sill + WINDOW_HIGH)))]
    # two seats with upright backs, the dashboard above the legs
    for name, y in (("seat", DRIVER), ("other_seat", -DRIVER)):
        parts += [(name, box((-0.22, y - 0.25, FLOOR), (0.28, y + 0.25, FLOOR + SEAT))), (name + "_back", box((-0.34, y - 0.25, FLOOR), (-0.22, y + 0.25, FLOOR + SEAT + 0.6)))]
    parts += [("dashboard", prism([(FLOOR + 0.6, 0.7), (FLOOR + 0.55, SCREEN), (sill, SCREEN), (sill, 0.78)][::-1], -0.95, 0.95)),
              ("column", moved(box((-0.025, -0.025, -0.35), (0.025, 0.025, -0.05)), (0.43, DRIVER, FLOOR + 0.68), pitch=-30))]
    # outside: a bonnet that falls by 0.2 m towards its nose, grille, bumper, wings over the front wheels, wheels, the load
    nose = 2.15
    parts += [("bonnet", prism([(0.7, wall), (sill, wall), (sill - 0.2, nose), (0.7, nose)], -0.8, 0.8)),
              ("bumper", box((nose, -1.1, 0.4), (nose + 0.22, 1.1, 0.75))), ("frame", box((-3.4, -0.45, 0.6), (nose, 0.45, 0.7))),
              ("left_wing", box((1.05, 0.8, 1.1), (nose, 1.1, 1.16))), ("right_wing", box((1.05, -1.1, 1.1), (nose, -0.8, 1.16))),
              ("load", box((-3.5, -1.1, FLOOR), (-0.6, 1.1, FLOOR + 1.3)))]
    for i, (x, y) in enumerate(((1.6, 0.95), (1.6, -0.95), (-2.3, 0.95), (-2.3, -0.95))):
        parts.append((f"wheel_{i}", wheel(x, y, TYRE / 2, TYRE / 2 / math.cos(math.pi / 8), 0.28)))
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


def car():
    """The left front of a car with its door off, in pieces of one frame: the ground at z = 0, the driver's hips at x = y = 0, the way in
    from +Y. The seat stands as high above the floor as in the truck; its sides slope, so that a thigh can hang
    beside it, and its front leaves room for heels."""
    floor, belt, top, side = 0.14, 0.85, 1.48, 0.34
    sill = [("floor", box((-0.6, -0.75, floor - 0.06), (1.3, side - 0.04, floor))), ("sill", box((-0.6, side - 0.04, floor - 0.1), (1.3, side, floor + 0.05)))]
    cushion = frustum((-0.22, -0.22, floor), (0.1, 0.22, floor + SEAT), (-0.22, 0.2), (-0.12, 0.12))
    seat = [("cushion", cushion), ("back", box((-0.34, -0.22, floor), (-0.22, 0.22, floor + SEAT + 0.6)))]
    # the pillar before the door goes up to the belt line and leans back to the roof, the one behind is upright
    slope = prism([(belt, 0.85), (belt, 0.92), (top, 0.47), (top, 0.4)][::-1], side - 0.09, side)
    frame = [("front_post", box((0.85, side - 0.09, floor + 0.05), (0.92, side, belt))), ("front_pillar", slope),
             ("rear_pillar", box((-0.55, side - 0.09, floor + 0.05), (-0.48, side, top)))]
    return {"floor": sill, "seat": seat, "door-frame": frame, "roof": [("roof", box((-0.6, -0.75, top), (0.5, side, top + 0.05)))]}


def vehicles(folder):
    for name, parts in car().items():
        put(folder, f"car-{name}.obj", f"The {name.replace('-', ' ')} of a car whose door is off, the ground at z = 0, the way in from +Y", parts)
    put(folder, "truck.obj", "A truck with an open front window, the cab's floor at z = 0, the ground at z = -0.6", truck())
    put(folder, "bonnet-truck.obj", "A truck with the engine before its cab, the ground at z = 0, the driver's half of the front window open", bonnet_truck())
    put(folder, "steering-wheel.obj", "The truck's steering wheel, 0.48 m wide, tilted by 30 degrees, about its middle", steering_wheel())
    put(folder, "gateway.obj", "A wall, 6 m long, 0.9 m high, with a gateway that the small truck fills", gateway())
    put(folder, "small-truck.obj", "A model truck, 1.5 m long, 0.52 m high", small_truck())
