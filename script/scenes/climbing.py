"""Climbing walls and their holds. The wall's face is x = 0, the climber is at -X."""
import math

from .parts import box, put


def hold(y, z, front, deep, lean, turn):
    """A six-sided pyramid without its tip: the corners of its front are `front` from its middle, its foot on the wall is wider by `lean`
    times the depth. Turned by degrees; at 0 one side looks straight up, one straight down, two to the left and two to the right."""
    def ring(radius, x):
        angles = [math.radians(60 * k + turn) for k in range(6)]
        return [(x, y + radius * math.cos(a), z + radius * math.sin(a)) for a in angles]
    corners = ring(front + lean * deep / math.cos(math.pi / 6), 0) + ring(front, -deep)
    sides = tuple((k, k + 6, (k + 1) % 6 + 6, (k + 1) % 6) for k in range(6))
    return corners, (tuple(range(6)), tuple(range(11, 5, -1))) + sides


def holds(rows, columns, across, up, low):
    """A honeycomb of holds, 3 to 10 cm deep, the same to the left and to the right of the middle."""
    parts = []
    for row in range(rows):
        for column in range(columns):
            i = row * columns + column
            deep, turn = (0.1, 0.09, 0.05, 0.08, 0.1, 0.07, 0.03)[i * 3 % 7], (0, 10, -8)[i % 3]
            y, z = across * (column + 0.5 * (row % 2)), low + up * row
            parts.append((f"left_{i}", hold(y, z, 0.08, deep, 1.1, turn)))
            if y > 0:
                parts.append((f"right_{i}", hold(-y, z, 0.08, deep, 1.1, -turn)))
    return parts


def climbing(folder):
    put(folder, "climbing-wall.obj", "A climbing wall, 2.4 m wide, 3 m high", [("wall", box((0, -1.2, 0), (0.1, 1.2, 3)))])
    put(folder, "climbing-holds.obj", "Holds of the climbing wall, 3 to 10 cm deep", holds(7, 3, 0.4, 0.36, 0.3))
