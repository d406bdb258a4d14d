"""Things to reach for, and what stands about them. Things that are carried have their origin in their middle."""
import math

from .parts import block, box, moved, prism, put

# Cubes that hang about a standing person, as in reaching-2003: middle and edge.
CUBES = [((0.42, -0.02, 1.2), 0.1), ((0.4, -0.5, 0.95), 0.12), ((0.45, 0.22, 0.95), 0.1), ((0.1, -0.62, 1.3), 0.12),
         ((0.55, -0.25, 1.35), 0.1), ((0.2, 0.6, 1.05), 0.12), ((0.5, 0.02, 0.6), 0.12), ((0.6, 0.3, 1.4), 0.12)]


def ring(radius, count):
    return [(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count)) for i in range(count)]


def cylinder(radius, lower, upper, count=20):
    return prism(ring(radius, count), lower, upper, axis=2)


def household(folder):
    put(folder, "cubes.obj", "Eight cubes that hang about a person who stands at the origin",
        [(f"cube_{i}", block(middle, (edge,) * 3)) for i, (middle, edge) in enumerate(CUBES)])
    put(folder, "can.obj", "A can, 6.4 cm wide, 11.6 cm high", [("can", cylinder(0.032, -0.058, 0.058))])
    put(folder, "glass.obj", "A glass of water, 6.4 cm wide, 12 cm high", [("glass", cylinder(0.032, -0.06, 0.06, 16))])
    put(folder, "small-box.obj", "A box of 6 by 9 by 14 cm", [("box", block((0, 0, 0), (0.06, 0.09, 0.14)))])


def shell(lower, upper, wall, open_side):
    """A box of boards with one side left out: shelves, cupboards, drawers. open_side: "x", "-x", "z"."""
    (x0, y0, z0), (x1, y1, z1) = lower, upper
    boards = {"-x": box((x0, y0, z0), (x0 + wall, y1, z1)), "x": box((x1 - wall, y0, z0), (x1, y1, z1)),
              "-y": box((x0 + wall, y0, z0), (x1 - wall, y0 + wall, z1)), "y": box((x0 + wall, y1 - wall, z0), (x1 - wall, y1, z1)),
              "-z": box((x0 + wall, y0 + wall, z0), (x1 - wall, y1 - wall, z0 + wall)),
              "z": box((x0 + wall, y0 + wall, z1 - wall), (x1 - wall, y1 - wall, z1))}
    return [(f"board{side}", part) for side, part in boards.items() if side != open_side]


def furnishings(folder):
    put(folder, "crate-small.obj", "A crate of 28 by 36 by 22 cm", [("crate", block((0, 0, 0), (0.28, 0.36, 0.22)))])
    put(folder, "fridge.obj", "A fridge without its door, open to -X, on z = 0, its front at x = 0",
        shell((0, -0.3, 0), (0.5, 0.3, 1.5), 0.03, "-x") +
        [(f"shelf_{i}", box((0.1, -0.27, z), (0.47, 0.27, z + 0.015))) for i, z in enumerate((0.4, 0.75, 1.1))])
    put(folder, "stool.obj", "A stool, 40 by 40 cm, 45 cm high",
        [("seat", block((0, 0, 0.435), (0.4, 0.4, 0.03)))] +
        [(f"leg_{i}", block((sx * 0.17, sy * 0.17, 0.21), (0.04, 0.04, 0.42))) for i, (sx, sy) in
         enumerate(((1, 1), (1, -1), (-1, -1), (-1, 1)))])
    put(folder, "dresser.obj", "A dresser of one drawer's room, open to -X, on z = 0, its front at x = 0",
        shell((0, -0.25, 0.6), (0.4, 0.25, 0.85), 0.02, "-x") +
        [("left", box((0.02, 0.2, 0), (0.38, 0.24, 0.6))), ("right", box((0.02, -0.24, 0), (0.38, -0.2, 0.6)))])
    put(folder, "drawer.obj", "A drawer with a handle in front, open above, its front at x = 0, its bottom at z = 0",
        shell((0, -0.22, 0), (0.36, 0.22, 0.18), 0.015, "z") +
        [("bar", cylinder_y(0.012, -0.09, 0.09, (-0.06, 0.09))), ("post_0", box((-0.06, -0.085, 0.082), (0, -0.07, 0.098))),
         ("post_1", box((-0.06, 0.07, 0.082), (0, 0.085, 0.098)))])


def cylinder_y(radius, lower, upper, at, count=16):
    """A bar along Y through (x, z) = at."""
    return prism([(at[1] + z, at[0] + x) for x, z in reversed(ring(radius, count))], lower, upper, axis=1)


def lathe(profile, count=32):
    """A solid of revolution about Z: radii and heights from bottom to top."""
    rings = [[(r * math.cos(2 * math.pi * i / count), r * math.sin(2 * math.pi * i / count), z) for i in range(count)] for r, z in profile]
    corners = [corner for one in rings for corner in one]
    faces = [tuple(range(count - 1, -1, -1)), tuple(range(len(corners) - count, len(corners)))]
    for k in range(len(rings) - 1):
        faces += [(k * count + i, k * count + (i + 1) % count, (k + 1) * count + (i + 1) % count, (k + 1) * count + i) for i in range(count)]
    return corners, tuple(faces)


def bottle(radius, height):
    """A bottle in twelve rings: body, shoulder, neck."""
    return lathe([(radius * (0.9 if i == 0 else 1.0 if i < 7 else 1 - 0.62 * (i - 6) / 4 if i < 10 else 0.36), height * i / 11) for i in range(12)])


def bowl(radius, height):
    return lathe([(radius * (0.4 + 0.6 * math.sin(math.pi / 2 * i / 7)), height * i / 7) for i in range(8)], 40)


def kitchen(folder):
    """Counter and table before a person at the origin, cupboards above, a fridge at the right: over 20,000 triangles with the dishes."""
    def at(part, x, y, z):
        return moved(part, (x, y, z))
    parts = [("counter", box((0.46, -1.2, 0.86), (1.06, 1.4, 0.9))), ("front", box((0.6, -1.2, 0.1), (0.62, 1.4, 0.86)))]
    parts += [(f"wall_{name}", moved(part, (0.72, 0.35, 1.3))) for name, part in shell((0, -0.75, 0), (0.34, 0.75, 0.75), 0.02, "-x")]
    parts += [("cupboard_shelf", box((0.74, -0.38, 1.66), (1.04, 1.08, 1.68)))]
    parts += [(f"fridge_{name}", moved(part, (0.5, -1.55, 0))) for name, part in shell((0, -0.3, 0), (0.55, 0.3, 1.7), 0.03, "-x")]
    parts += [(f"fridge_shelf_{i}", box((0.55, -1.8, z), (1.0, -1.3, z + 0.015))) for i, z in enumerate((0.45, 0.8, 1.15, 1.42))]
    dishes = [(0.95, -0.25 + 0.17 * i, 1.32, bottle(0.035 + 0.004 * (i % 3), 0.24 + 0.02 * (i % 2))) for i in range(8)]
    dishes += [(0.93, -0.28 + 0.2 * i, 1.68, bowl(0.08, 0.07)) for i in range(7)]
    dishes += [(0.92, -1.1 + 0.22 * i, 0.9, bottle(0.04, 0.26)) for i in range(6)]
    dishes += [(0.8, 0.75 + 0.22 * i, 0.9, bowl(0.09, 0.08)) for i in range(3)]
    dishes += [(0.85, -1.75 + 0.1 * i, z + 0.015, bottle(0.03, 0.2)) for z in (0.45, 0.8, 1.15) for i in range(3)]
    parts += [(f"dish_{i}", at(part, x, y, z)) for i, (x, y, z, part) in enumerate(dishes)]
    put(folder, "kitchen.obj", "A kitchen about a person who stands at the origin", parts)
