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
