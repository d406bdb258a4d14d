"""Climbing walls and their holds."""
from .parts import box, put


def climbing(folder):
    # Holds of one climbing wall, 3 to 10 cm deep, in a leaning grid, those for feet all deep; the wall's face is x = 0, the climber
    # stands at -X.
    holds = []
    for row in range(8):
        for column in range(-3, 4):
            i = row * 7 + column + 3
            deep, wide, high = 0.1 if row < 3 else 0.03 + 0.07 * (i * 5 % 8) / 7, 0.1 + 0.06 * (i * 3 % 5) / 4, 0.04 + 0.03 * (i * 2 % 3) / 2
            y, z = 0.3 * column + 0.1 * (row % 3 - 1), 0.2 + 0.32 * row + 0.04 * (i * 7 % 4)
            holds.append((f"hold_{i}", box((-deep, y - wide / 2, z), (0, y + wide / 2, z + high))))
    put(folder, "climbing-wall.obj", "A climbing wall, 2.2 m wide, 3 m high", [("wall", box((0, -1.1, 0), (0.1, 1.1, 3)))])
    put(folder, "climbing-holds.obj", "Holds of the climbing wall", holds)
