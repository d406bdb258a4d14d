"""A level to go through: corridors 2 m wide in square tiles, with corners, doors, steps and ramps, of about as many triangles as asked for."""
import math
import random

from .parts import BOX_FACES

TILE = 2.0  # m, side of a tile and width of a corridor
WALL = 0.1  # m, thickness of a wall
HIGH = 2.4  # m, height of a wall
DOOR = (1.0, 2.1)  # m, width and height of a door
STEPS, RISE = 4, 0.15  # steps of a tile, and the height of each, m
RAMP = 0.25  # m that a ramp rises over a tile
DIRECTIONS = ((1, 0), (0, 1))  # the way goes along +X or +Y, and never meets itself


def squares(corners, size):
    """Into how many parts the three sides at a corner are cut."""
    return [max(1, round(math.dist(corners[0], corners[1 << axis]) / size)) for axis in range(3)]


def count_faces(corners, size):
    a, b, c = squares(corners, size)
    return 2 * (a * b + b * c + c * a)


def gridded(corners, size):
    """A closed piece of six sides, corners x fastest, whose sides are cut into squares of about that size."""
    counts = squares(corners, size)
    index, points, faces = {}, [], []

    def point(at):
        if at not in index:
            weights = [(a / n, 1 - a / n) for a, n in zip(at, counts)]
            index[at] = len(points)
            points.append(tuple(sum(corners[i][k] * math.prod(weights[axis][1 - (i >> axis & 1)] for axis in range(3)) for i in range(8))
                                for k in range(3)))
        return index[at]

    for face in BOX_FACES:
        lattice = [tuple(counts[axis] * (c >> axis & 1) for axis in range(3)) for c in face]
        u, v = ([(b - a) // max(1, abs(b - a)) for a, b in zip(lattice[0], lattice[k])] for k in (1, 3))
        nu, nv = (max(abs(b - a) for a, b in zip(lattice[0], lattice[k])) for k in (1, 3))
        for i in range(nu):
            for j in range(nv):
                faces.append(tuple(point(tuple(lattice[0][k] + a * u[k] + b * v[k] for k in range(3)))
                                   for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))))
    return points, tuple(faces)


def solid(frame, lower, upper, rise=0.0):
    """Corners of a box in a tile whose frame is (x, y, z, direction), along from -1 to 1 and across; its top rises along the tile."""
    x, y, z, (dx, dy) = frame
    corners = []
    for i in range(8):
        a, b, c = ((upper if i >> axis & 1 else lower)[axis] for axis in range(3))
        c += rise * (a - lower[0]) / (upper[0] - lower[0]) if i >> 2 else 0
        corners.append((x + dx * a - dy * b, y + dy * a + dx * b, z + c))
    return corners


def tile(kind, frame, open_left, open_right, ahead):
    """Named corners of the pieces of one tile, and how far its floor rises."""
    half = TILE / 2
    rise = {"steps": STEPS * RISE, "ramp": RAMP}.get(kind, 0.0)
    if kind == "steps":
        deep = TILE / STEPS
        parts = [(f"step_{i}", solid(frame, (-half + i * deep, -half, -0.3), (-half + (i + 1) * deep, half, (i + 1) * RISE))) for i in range(STEPS)]
    else:
        parts = [("floor", solid(frame, (-half, -half, -0.3), (half, half, 0), rise))]
    for name, is_open, side in (("left", open_left, 1), ("right", open_right, -1)):
        if not is_open:
            inner, outer = sorted((side * half, side * (half + WALL)))
            parts.append((name, solid(frame, (-half, inner, -0.3), (half, outer, rise + HIGH))))
    if not ahead:
        parts.append(("end", solid(frame, (half, -half, -0.3), (half + WALL, half, HIGH))))
    if kind == "door":
        for side in (-1, 1):
            inner, outer = sorted((side * DOOR[0] / 2, side * half))
            parts.append(("jamb", solid(frame, (-WALL, inner, 0), (WALL, outer, DOOR[1]))))
        parts.append(("lintel", solid(frame, (-WALL, -half, DOOR[1]), (WALL, half, HIGH))))
    return parts, rise


def level(seed, length, triangles):
    """Named pieces of a level in which `length` metres can be gone, and the middle of each tile
    with the direction there, and whether its floor is level."""
    draw = random.Random(seed)
    count, straight, along = math.ceil(length / TILE) + 2, 0, 0
    x = y = z = 0.0
    raw, middles = [], []
    for i in range(count):
        straight += 1
        turn = 1 < i < count - 2 and straight > 3 and draw.random() < 0.5
        after = 1 - along if turn else along
        kind = "floor" if turn or i in (0, count - 1) else draw.choice(("floor", "door", "steps", "ramp"))
        # a corner is open to where the way goes on; its frame looks along the way into it
        dx, dy = DIRECTIONS[along]
        frame = (x, y, z, (dx, dy))
        parts, rise = tile(kind, frame, turn and along == 0, turn and along == 1, not turn and i < count - 1)
        if i == 0:
            parts.append(("back", solid(frame, (-TILE / 2 - WALL, -TILE / 2, -0.3), (-TILE / 2, TILE / 2, HIGH))))
        raw += [(f"{name}_{i}", corners) for name, corners in parts]
        middles.append((x, y, z, math.atan2(dy, dx), rise == 0))
        z += rise
        if turn:
            along, straight = after, 0
        x, y = x + TILE * DIRECTIONS[along][0], y + TILE * DIRECTIONS[along][1]
    # the largest squares that give no more triangles
    size = TILE
    while sum(count_faces(corners, size / 1.02) for _, corners in raw) * 2 <= triangles:
        size /= 1.02
    return [(name, gridded(corners, size)) for name, corners in raw], middles
