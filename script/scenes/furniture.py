"""Rooms and what stands in them. Every file stands on z = 0 with its middle at x = y = 0, except the room, whose floor is z = 0."""
import math

from .parts import box, legs, moved, prism, put

# Books on a shelf: middle x and y, sizes along and across, thickness, what it lies on, turn in degrees. A lying book shows its cover, a
# standing one is as high as a pocket book is wide.
LYING = [(-0.86, 0.02, 0.3, 0.22, 0.025, 0, 84), (-0.47, 0.0, 0.33, 0.25, 0.04, 0, -6), (-0.46, 0.03, 0.24, 0.17, 0.03, 0.04, 9),
         (-0.88, 0.3, 0.24, 0.17, 0.035, 0, 12), (-0.83, -0.29, 0.26, 0.19, 0.05, 0, -17), (-0.5, 0.36, 0.3, 0.21, 0.06, 0, 4),
         (-0.49, -0.33, 0.24, 0.17, 0.045, 0, 22), (-0.12, 0.32, 0.31, 0.22, 0.05, 0, -8), (-0.12, 0.33, 0.22, 0.15, 0.03, 0.05, 5),
         (-0.1, -0.34, 0.29, 0.21, 0.065, 0, 13), (0.24, 0.33, 0.24, 0.17, 0.07, 0, 10), (0.22, -0.34, 0.26, 0.18, 0.04, 0, -10),
         (0.62, 0.0, 0.3, 0.24, 0.03, 0, 3), (0.63, 0.33, 0.28, 0.2, 0.055, 0, -14), (0.58, -0.32, 0.33, 0.22, 0.06, 0, 6),
         (0.58, -0.33, 0.2, 0.14, 0.025, 0.06, 20), (1.02, 0.03, 0.36, 0.28, 0.045, 0, -4), (1.0, 0.36, 0.24, 0.16, 0.08, 0, 8),
         (1.0, -0.33, 0.3, 0.21, 0.035, 0, -9)]
STANDING = [(0.024, 0.105), (0.032, 0.11), (0.028, 0.1), (0.036, 0.115), (0.022, 0.12), (0.03, 0.108), (0.026, 0.11)]


def lying_books():
    return [(f"book_{i}", moved(box((-length / 2, -width / 2, 0), (length / 2, width / 2, thick)), (x, y, under), yaw=turn))
            for i, (x, y, length, width, thick, under, turn) in enumerate(LYING)]


def standing_books():
    parts, x = [], -0.13
    for i, (thick, high) in enumerate(STANDING):
        parts.append((f"book_{i}", box((x, -0.09 + 0.012 * (i % 3), 0), (x + thick, 0.09 + 0.012 * (i % 3), high))))
        x += thick + 0.002
    # the last one leans against the row, its lower edge on the board
    return parts + [("leaning", moved(box((-0.022, -0.095, 0), (0, 0.1, 0.13)), (x + 0.0907, -0.005, 0.01262), pitch=-35))]


def sofa():
    """Seats 0.42 m high with rounded front edges, low arms, a back that leans; the sitter looks towards +X."""
    def cushion(y_from, y_to):
        return prism([(0.26, -0.36), (0.42, -0.36), (0.42, 0.33), (0.39, 0.36), (0.26, 0.36)], y_from, y_to)

    def back(y_from, y_to):
        return prism([(0.42, -0.34), (0.84, -0.46), (0.88, -0.42), (0.86, -0.36), (0.42, -0.24)], y_from, y_to)
    parts = [("base", box((-0.5, -0.88, 0.06), (0.34, 0.88, 0.26)))]
    parts += [(f"foot_{i}", box((x - 0.03, y - 0.03, 0), (x + 0.03, y + 0.03, 0.06)))
              for i, (x, y) in enumerate(((0.28, 0.8), (0.28, -0.8), (-0.44, -0.8), (-0.44, 0.8)))]
    for side, sign in (("left", 1), ("right", -1)):
        inner, outer = sorted((sign * 0.7, sign * 0.88))
        parts.append((f"{side}_arm", prism([(0.26, -0.5), (0.58, -0.5), (0.61, -0.47), (0.61, 0.31), (0.58, 0.34), (0.26, 0.34)], inner, outer)))
        parts.append((f"{side}_seat", cushion(*sorted((sign * 0.002, sign * 0.698)))))
        parts.append((f"{side}_back", back(*sorted((sign * 0.002, sign * 0.698)))))
    return parts


def rope(points, radius):
    """A rope through points in the plane y = 0, six-sided, one closed piece for each stretch."""
    parts = []
    for i, ((x0, z0), (x1, z1)) in enumerate(zip(points, points[1:])):
        long = math.hypot(x1 - x0, z1 - z0)
        ring = [(radius * math.cos(math.pi * k / 3), radius * math.sin(math.pi * k / 3)) for k in range(6)]
        parts.append((f"stretch_{i}", moved(prism(ring, 0, long, axis=0), (x0, 0, z0), pitch=-math.degrees(math.atan2(z1 - z0, x1 - x0)))))
    return parts


def furniture(folder):
    # Floor slab, a back wall with a doorway, a left wall with a window, a pillar. Walls stand on the slab; front and right
    # are open.
    put(folder, "room.obj", "A room: floor, back wall with a doorway, left wall with a window, a pillar",
        [("floor", box((-2.1, -2.2, -0.1), (2.4, 1.6, 0))),
         ("back_wall_a", box((-2.1, -2.2, 0), (-2, -1.2, 2.5))),
         ("back_wall_b", box((-2.1, -0.3, 0), (-2, 1.6, 2.5))),
         ("lintel", box((-2.1, -1.2, 2.05), (-2, -0.3, 2.5))),
         ("left_wall_under", box((-2, 1.5, 0), (2.4, 1.6, 0.95))),
         ("left_wall_over", box((-2, 1.5, 2.1), (2.4, 1.6, 2.5))),
         ("left_wall_back", box((-2, 1.5, 0.95), (0.75, 1.6, 2.1))),
         ("left_wall_front", box((1.85, 1.5, 0.95), (2.4, 1.6, 2.1))),
         ("pillar", box((2.05, 1.2, 0), (2.35, 1.5, 2.5)))])
    put(folder, "ground.obj", "A flat ground, 6 by 6 m", [("ground", box((-3, -3, -0.1), (3, 3, 0)))])
    put(folder, "table.obj", "A table, 1.2 by 0.7 m, 0.74 m high",
        [("top", box((-0.35, -0.6, 0.7), (0.35, 0.6, 0.74)))] + legs(0.3, 0.55, 0.05, 0.7))
    put(folder, "chair.obj", "A chair, its seat 0.45 m high, its back towards -X",
        [("seat", box((-0.21, -0.21, 0.41), (0.21, 0.21, 0.45)))] + legs(0.18, 0.18, 0.04, 0.41)
        + [("back", box((-0.21, -0.21, 0.45), (-0.18, 0.21, 0.9)))])
    put(folder, "armrest.obj", "An armrest, 0.36 m long, 7 cm wide, its top at z = 0", [("armrest", box((-0.18, -0.035, -0.04), (0.18, 0.035, 0)))])
    put(folder, "cylinder.obj", "A stool without a seat: a drum, 0.36 m across and 0.62 m high",
        [("drum", prism([(0.18 * math.cos(math.pi * k / 8), 0.18 * math.sin(math.pi * k / 8)) for k in range(16)], 0, 0.62, axis=2))])
    put(folder, "shelf.obj", "A bookshelf, 0.9 m wide, 1.8 m high, open towards -X",
        [("left", box((-0.16, 0.43, 0), (0.16, 0.46, 1.8))), ("right", box((-0.16, -0.46, 0), (0.16, -0.43, 1.8)))]
        + [(f"board_{i}", box((-0.16, -0.43, z), (0.16, 0.43, z + 0.03))) for i, z in enumerate((0.05, 0.45, 0.85, 1.25, 1.77))])
    put(folder, "step.obj", "A step, 0.4 by 0.5 m, 0.18 m high", [("step", box((-0.2, -0.25, 0), (0.2, 0.25, 0.18)))])
    put(folder, "crate.obj", "A crate, 0.4 m wide, 0.3 m high", [("crate", box((-0.2, -0.2, 0), (0.2, 0.2, 0.3)))])
    put(folder, "desk.obj", "A desk with closed sides, 0.6 by 1.1 m, 0.74 m high",
        [("top", box((-0.55, -0.3, 0.7), (0.55, 0.3, 0.74))), ("front", box((-0.5, -0.28, 0), (0.5, -0.25, 0.7))),
         ("back", box((-0.5, 0.25, 0), (0.5, 0.28, 0.7)))])
    put(folder, "cupboard.obj", "A cupboard, 0.5 m deep, 1 m wide, 1.9 m high", [("cupboard", box((-0.25, -0.5, 0), (0.25, 0.5, 1.9)))])
    put(folder, "sofa.obj", "A sofa for two, 1.76 m wide, seats 0.42 m high, its back towards -X", sofa())
    put(folder, "rope.obj", "A rope of 1.1 m along -X from its knot at x = y = 0, 1.15 m high", rope([(0, 1.15), (-0.5, 1.1), (-1.1, 1.12)], 0.016))
    put(folder, "small-wall.obj", "A small retaining wall, 1.2 m wide, 0.5 m high, its face towards -X leans back",
        [("wall", prism([(0, -0.3), (0.5, 0.04), (0.5, 0.16), (0, 0.16)], -0.6, 0.6))])
    put(folder, "platform.obj", "The platform of a lift, 1.6 by 1.6 m, its top at z = 0", [("platform", box((-0.8, -0.8, -0.1), (0.8, 0.8, 0)))])
    put(folder, "landing.obj", "An upper floor, 1.6 by 2.4 m and 0.2 m thick, its top at z = 0, on a wall at its edge towards -X",
        [("floor", box((0, -1.2, -0.2), (1.6, 1.2, 0))), ("wall", box((0, -1.2, -1.1), (0.15, 1.2, -0.2)))])
    put(folder, "long-shelf.obj", "One board of a wide bookshelf with its back and its sides, the board's top at z = 0",
        [("board", box((-1.8, -0.55, -0.03), (1.8, 0.55, 0))), ("back", box((-1.8, 0.55, -0.03), (1.8, 0.57, 0.45))),
         ("left", box((-1.83, -0.55, -0.03), (-1.8, 0.57, 0.45))), ("right", box((1.8, -0.55, -0.03), (1.83, 0.57, 0.45)))])
    put(folder, "lying-books.obj", "Books that lie on the long shelf, up to 9 cm high", lying_books())
    put(folder, "standing-books.obj", "Pocket books that stand on the long shelf, 10 to 12 cm high", standing_books())
