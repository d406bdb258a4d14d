"""Parts of scene meshes: closed pieces that face outwards, as corners and faces. Metres, Z up."""
import math
import os

BOX_FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


def box(lower, upper):
    """Eight corners, x fastest, and the six sides seen counter-clockwise from outside."""
    corners = [tuple((upper if i >> axis & 1 else lower)[axis] for axis in range(3)) for i in range(8)]
    return corners, BOX_FACES


def block(middle, size):
    """A box by its middle and its three lengths."""
    return box([m - s / 2 for m, s in zip(middle, size)], [m + s / 2 for m, s in zip(middle, size)])


def frustum(lower, upper, x_at, y_at):
    """A box whose top is the rectangle x_at by y_at instead: wedges, holds, rocks."""
    corners = box(lower, upper)[0]
    for i in range(4, 8):
        corners[i] = (x_at[i & 1], y_at[i >> 1 & 1], upper[2])
    return corners, BOX_FACES


def prism(outline, lower, upper, axis=1):
    """A convex outline, counter-clockwise seen against the axis, pulled along that axis from lower to upper."""
    def corner(a, b, c):
        return [(c, a, b), (b, c, a), (a, b, c)][axis]
    n = len(outline)
    corners = [corner(a, b, c) for c in (lower, upper) for a, b in outline]
    sides = tuple((i, (i + 1) % n, (i + 1) % n + n, i + n) for i in range(n))
    return corners, (tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n))) + sides


def moved(part, by, yaw=0.0, pitch=0.0, roll=0.0):
    """Turned about its own origin, roll first, then pitch, then yaw (degrees), and shifted."""
    def turn(a, b, angle):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        return c * a - s * b, s * a + c * b
    corners = []
    for x, y, z in part[0]:
        y, z = turn(y, z, roll)
        z, x = turn(z, x, pitch)
        x, y = turn(x, y, yaw)
        corners.append((x + by[0], y + by[1], z + by[2]))
    return corners, part[1]


def legs(x, y, thick, top):
    """Four square legs of a table or chair."""
    return [(f"leg_{i}", block((sx * x, sy * y, top / 2), (thick, thick, top)))
            for i, (sx, sy) in enumerate(((1, 1), (1, -1), (-1, -1), (-1, 1)))]


def volume(part):
    """Of a closed piece; negative when its faces look inwards."""
    corners, faces = part
    total = 0.0
    for face in faces:
        for b, c in zip(face[1:], face[2:]):
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[face[0]], corners[b], corners[c]
            total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return total / 6


def put(folder, name, about, parts, maker="script/make-scenes"):
    """Writes one mesh file from named parts, or prints it where there is no folder."""
    for part, piece in parts:
        if volume(piece) <= 0:
            raise ValueError(f"{name}: {part} is inside out")
    lines, base, triangles = [f"# {about}", f"# Written by {maker}. Metres, Z up."], 1, 0
    for part, (corners, faces) in parts:
        lines.append(f"o {part}")
        lines += ["v " + " ".join(f"{round(c, 5) + 0:g}" for c in corner) for corner in corners]
        for face in faces:
            for b, c in zip(face[1:], face[2:]):
                lines.append(f"f {face[0] + base} {b + base} {c + base}")
                triangles += 1
        base += len(corners)
    text = "\n".join(lines) + "\n"
    if folder is None:
        print(text, end="")
        return
    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
        stream.write(text)
    print(f"{name}: {triangles} triangles")
