"""Places for many legs: a low passage, rocks."""
import math

from .parts import block, box, moved, put


def passage_wall(side):
    """One wall of the passage, y towards its face: courses of stones, some of which stand out 2 or 3 cm."""
    parts = [("wall", box((-1, 0, 0), (1, 0.2, 1.2)) if side > 0 else box((-1, -0.2, 0), (1, 0, 1.2)))]
    for course in range(4):
        for i in range(5):
            if (3 * course + 2 * i + (side > 0)) % 3:
                continue
            out, x, z = 0.02 + 0.01 * (i % 2), -0.8 + 0.4 * i + 0.2 * (course % 2), 0.125 + 0.25 * course
            parts.append((f"stone_{course}_{i}", block((x, -side * out / 2, z), (0.3 - 0.04 * (i % 3), out, 0.17 - 0.02 * (course % 2)))))
    return parts


def rock(x, y, size, high, turn, i):
    """A boulder: a five- to seven-sided stump, narrower at the top, with a sloped top."""
    n = 5 + i % 3
    lean = (0.05 * math.cos(2.4 * i), 0.05 * math.sin(2.4 * i))
    tilt = (0.25 * math.cos(1.7 * i), 0.25 * math.sin(1.7 * i))
    ring = [(math.cos(2 * math.pi * (k + 0.2 * ((i + k) % 3 - 1)) / n), math.sin(2 * math.pi * (k + 0.2 * ((i + k) % 3 - 1)) / n)) for k in range(n)]
    foot = [(size * a, 0.85 * size * b, -0.02) for a, b in ring]
    # the top is one sloped plane, so that it stays flat
    top = [(0.6 * size * a + lean[0], 0.55 * size * b + lean[1], 0.0) for a, b in ring]
    top = [(a, b, high + tilt[0] * a + tilt[1] * b) for a, b, _ in top]
    sides = tuple((k, (k + 1) % n, (k + 1) % n + n, k + n) for k in range(n))
    return moved((foot + top, (tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n))) + sides), (x, y, 0), yaw=turn)


def rocks():
    """Boulders of 4 to 22 cm on a bent grid, 0.35 m apart."""
    parts = []
    for row in range(-3, 4):
        for column in range(-2, 3):
            i = 5 * (row + 3) + column + 2
            high = 0.04 + 0.16 * (7 * i % 11) / 10
            x, y = 0.34 * row + 0.06 * math.sin(2.1 * i), 0.33 * column + 0.06 * math.cos(1.3 * i)
            parts.append((f"rock_{i}", rock(x, y, 0.17 + 0.03 * (i % 3), high, 37 * i % 360, i)))
    return parts


def bumpy_rock():
    """A flat rock, 0.78 by 0.72 m and 0.3 m thick, its upper side in four terraces at different heights with slopes between them."""
    xs = [-0.39, -0.36, -0.04, 0.04, 0.36, 0.39]
    ys = [-0.36, -0.33, -0.05, 0.05, 0.33, 0.36]
    # one height for each terrace, in m; the rim is bevelled
    terraces = {(0, 0): -0.02, (1, 0): 0.035, (0, 1): 0.02, (1, 1): -0.005}
    n, m = len(xs), len(ys)
    top = []
    for j, y in enumerate(ys):
        for i, x in enumerate(xs):
            rim = i in (0, n - 1) or j in (0, m - 1)
            top.append((x, y, terraces[(i >= n // 2, j >= m // 2)] - (0.06 if rim else 0)))
    low = [(x, y, -0.3) for x, y, _ in top]

    def at(i, j):
        return j * n + i
    faces = []
    for j in range(m - 1):
        for i in range(n - 1):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            faces += [(a, b, c, d), tuple(n * m + k for k in (d, c, b, a))]
    ring = [at(i, 0) for i in range(n - 1)] + [at(n - 1, j) for j in range(m - 1)]
    ring += [at(i, m - 1) for i in range(n - 1, 0, -1)] + [at(0, j) for j in range(m - 1, 0, -1)]
    faces += [(n * m + a, n * m + b, b, a) for a, b in zip(ring, ring[1:] + ring[:1])]
    return [("rock", (top + low, tuple(faces)))]


def terrain(folder):
    put(folder, "passage-ceiling.obj", "The ceiling of a low passage, its face at z = 0, with two beams",
        [("slab", box((-1, -0.46, 0), (1, 0.46, 0.2))), ("beam_0", box((-0.66, -0.46, -0.07), (-0.58, 0.46, 0))),
         ("beam_1", box((0.58, -0.46, -0.07), (0.66, 0.46, 0)))])
    put(folder, "passage-left.obj", "The left wall of a low passage, its face at y = 0, 1 m high", passage_wall(1))
    put(folder, "passage-right.obj", "The right wall of a low passage, its face at y = 0, 1 m high", passage_wall(-1))
    put(folder, "rocks.obj", "Boulders, 4 to 22 cm high, over 2.4 by 1.7 m", rocks())
    put(folder, "bumpy-rock.obj", "A flat rock with four terraces, 0.78 by 0.72 m, 0.3 m thick, its terraces 2 cm below to 3.5 cm above z = 0", bumpy_rock())
