"""Ways to go: stairs, obstacles, rubble, a shaft, a tall climbing wall."""
import math

from .parts import block, box, frustum, moved, prism, put


def stairs(count, rise, tread, half, landing):
    """Solid steps towards +X from x = 0, then a landing."""
    parts = [(f"step_{i}", box((i * tread, -half, 0), ((i + 1) * tread, half, (i + 1) * rise))) for i in range(count - 1)]
    return parts + [("landing", box(((count - 1) * tread, -half, 0), ((count - 1) * tread + landing, half, count * rise)))]


def handrail(count, rise, tread, landing, high):
    """A round rail along the stairs, `high` above the edges of the steps, on posts; y = 0 is its middle."""
    def bar(x0, z0, x1, z1):
        ring = [(0.02 * math.cos(math.pi * k / 4), 0.02 * math.sin(math.pi * k / 4)) for k in range(8)]
        long, slope = math.hypot(x1 - x0, z1 - z0), math.degrees(math.atan2(z1 - z0, x1 - x0))
        return moved(prism(ring, 0, long, axis=0), (x0, 0, z0), pitch=-slope)
    top, end = count * rise, (count - 1) * tread
    parts = [("rail", bar(0, rise + high, end, top + high)), ("rail_end", bar(end, top + high, end + landing, top + high))]
    for i in range(0, count, 2):
        parts.append((f"post_{i}", box((i * tread + 0.02, -0.012, (i + 1) * rise), (i * tread + 0.044, 0.012, (i + 1) * rise + high + 0.015))))
    return parts


def race():
    """A lane of 2 m between low walls with, one after the other: a bar to step over, a beam to duck under, a gate to pass, a platform."""
    parts = [("left_wall", box((-0.9, 1.0, 0), (5.4, 1.06, 2.2))), ("right_wall", box((-0.9, -1.06, 0), (5.4, -1.0, 2.2)))]
    parts += [("bar", box((0.8, -1.0, 0), (0.9, 1.0, 0.16)))]
    parts += [("beam", box((1.8, -1.0, 1.3), (1.95, 1.0, 2.2)))]
    parts += [("gate_left", box((2.9, 0.4, 0), (3.05, 1.0, 2.2))), ("gate_right", box((2.9, -1.0, 0), (3.05, -0.4, 2.2)))]
    parts += [("platform", box((3.7, -1.0, 0), (4.4, 1.0, 0.2)))]
    return parts


def rubble():
    """Blocks of 0.3 m, sunk, tilted up to 12 degrees and turned, 0 to 14 cm high."""
    parts = []
    for row in range(6):
        for column in range(-2, 3):
            i = 5 * row + column + 2
            x, y, z = 0.31 * (row + 0.5), 0.31 * column, 0.14 * (7 * i % 10) / 9
            part = box((-0.15, -0.15, -0.3), (0.15, 0.15, 0))
            parts.append((f"block_{i}", moved(part, (x, y, z), yaw=20 * math.sin(3.1 * i), pitch=12 * math.sin(1.9 * i), roll=12 * math.cos(2.3 * i))))
    return parts


def shaft_wall(side):
    """One wall of a shaft, 2.4 m high, its face at y = 0, with ledges of 3 to 5 cm."""
    parts = [("wall", box((-0.6, 0, 0), (0.6, 0.2, 2.4)) if side > 0 else box((-0.6, -0.2, 0), (0.6, 0, 2.4)))]
    for i in range(9):
        out, x, z = 0.03 + 0.01 * (i % 3), 0.36 * math.sin(2.2 * i + side), 0.25 + 0.24 * i
        parts.append((f"ledge_{i}", block((x, -side * out / 2, z), (0.3, out, 0.05))))
    return parts


def ledges(rows, columns, across, up, low):
    """Holds of a tall climbing wall: flat ledges for feet and hands, most 8 to 10 cm deep, small ones of 3 to 6 cm between them."""
    parts = []
    for row in range(rows):
        for column in range(columns):
            i = row * columns + column
            small = i % 5 == 3
            deep = 0.03 + 0.01 * (i % 4) if small else 0.1 - 0.01 * (i % 3)
            wide = 0.12 if small else 0.22 + 0.02 * (i % 3)
            y, z = across * (column - (columns - 1) / 2 + 0.5 * (row % 2) - 0.25), low + up * row + 0.02 * (i * 7 % 3 - 1)
            parts.append((f"hold_{i}", frustum((-deep, y - wide / 2 + 0.03, z - 0.07), (0, y + wide / 2 - 0.03, z), (-deep, 0),
                                               (y - wide / 2, y + wide / 2))))
    return parts


def courses(folder):
    put(folder, "stairs.obj", "Six steps of 0.17 by 0.28 m, 1.2 m wide, and a landing", stairs(6, 0.17, 0.28, 0.6, 1.2))
    put(folder, "tread.obj", "One step of the stairs alone, 0.28 by 1.2 m, 0.17 m thick, its top at z = 0", [("tread", box((0, -0.6, -0.17), (0.28, 0.6, 0)))])
    put(folder, "stairs-landing.obj", "The landing of the stairs alone, its top at z = 0", [("landing", box((0, -0.6, -0.17), (1.2, 0.6, 0)))])
    put(folder, "stone.obj", "A round stepping stone, 0.44 m across and 0.3 m thick, its top at z = 0",
        [("stone", prism([(0.22 * math.cos(math.pi * k / 6), 0.22 * math.sin(math.pi * k / 6)) for k in range(12)], -0.3, 0, axis=2))])
    put(folder, "handrail.obj", "The rail of the stairs, 0.9 m above the steps", handrail(6, 0.17, 0.28, 1.0, 0.9))
    put(folder, "low-steps.obj", "Four steps of 0.12 by 0.5 m, 1.2 m wide, and a landing", stairs(4, 0.12, 0.5, 0.6, 1.4))
    put(folder, "floating-beam.obj", "A block that floats 0.8 m above the ground across a passage of 2.4 m, with the passage's walls",
        [("block", box((-0.15, -1.2, 0.8), (0.15, 1.2, 2.2))), ("left_wall", box((-3.6, 1.2, 0), (3.6, 1.26, 2.2))),
         ("right_wall", box((-3.6, -1.26, 0), (3.6, -1.2, 2.2)))])
    put(folder, "floating-block.obj", "A block of 0.6 m along the way that floats 0.8 m above the ground across a passage of 2.4 m, with the passage's walls",
        [("block", box((-0.3, -1.2, 0.8), (0.3, 1.2, 2.2))), ("left_wall", box((-2.4, 1.2, 0), (2.4, 1.26, 2.2))),
         ("right_wall", box((-2.4, -1.26, 0), (2.4, -1.2, 2.2)))])
    put(folder, "high-box.obj", "A box of 1.6 by 1.6 m, 0.5 m high", [("box", box((-0.8, -0.8, 0), (0.8, 0.8, 0.5)))])
    put(folder, "race.obj", "A lane with a bar, a beam, a gate and a platform", race())
    put(folder, "rubble.obj", "Tilted blocks, up to 14 cm high, over 1.9 by 1.5 m", rubble())
    put(folder, "shaft-left.obj", "The left wall of a shaft, its face at y = 0, 2.4 m high", shaft_wall(1))
    put(folder, "shaft-right.obj", "The right wall of a shaft, its face at y = 0, 2.4 m high", shaft_wall(-1))
    put(folder, "tall-wall.obj", "A climbing wall, 2 m wide, 5 m high", [("wall", box((0, -1, 0), (0.1, 1, 5)))])
    put(folder, "tall-holds.obj", "Ledges of the tall climbing wall, 3 to 10 cm deep", ledges(14, 4, 0.42, 0.32, 0.3))
