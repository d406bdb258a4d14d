"""A creature in memory, and how it is written as URDF, SRDF and creature file.

In the posture where all joints are 0 every link frame has the axes of the root: X forwards, Y left,
Z up. So a point of any segment can be written down as it stands in that posture."""
import json
import math
import os


def num(value):
    text = f"{value:.9g}"
    return "0" if text == "-0" else text


def vec(values):
    return " ".join(num(v) for v in values)


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def along(axis):
    """Roll and pitch that turn Z to a direction."""
    length = math.sqrt(sum(v * v for v in axis))
    x, y, z = (v / length for v in axis)
    return (-math.asin(max(-1.0, min(1.0, y))), math.atan2(x, z), 0.0), length


def capsule(a, b, radius):
    """A capsule whose segment runs from a to b, both in the link's frame."""
    rpy, length = along(sub(b, a))
    centre = tuple((p + q) / 2 for p, q in zip(a, b))
    return f'<origin xyz="{vec(centre)}" rpy="{vec(rpy)}"/>', f'<capsule radius="{num(radius)}" length="{num(length)}"/>'


def box(centre, size):
    return f'<origin xyz="{vec(centre)}" rpy="0 0 0"/>', f'<box size="{vec(size)}"/>'


def sphere(centre, radius):
    return f'<origin xyz="{vec(centre)}" rpy="0 0 0"/>', f'<sphere radius="{num(radius)}"/>'


def box_inertia(mass, size):
    x, y, z = size
    return tuple(mass / 12 * v for v in (y * y + z * z, x * x + z * z, x * x + y * y))


def rod_inertia(mass, a, b, radius):
    """Of a solid cylinder from a to b, as a full tensor: xx yy zz xy xz yz."""
    d = sub(b, a)
    length = math.sqrt(sum(v * v for v in d))
    u = tuple(v / length for v in d)
    across = mass * (3 * radius * radius + length * length) / 12
    lengthwise = mass * radius * radius / 2
    k = lengthwise - across
    return (across + k * u[0] * u[0], across + k * u[1] * u[1], across + k * u[2] * u[2],
            k * u[0] * u[1], k * u[0] * u[2], k * u[1] * u[2])


class Creature:
    # A link between the axes of a ball-like joint weighs this much, so that no moving body is massless.
    small_mass = 0.05
    small_radius = 0.04

    def __init__(self, name, about):
        self.name, self.about = name, about
        self.lines, self.joint_names, self.link_names = [], [], []
        self.mass = 0.0
        self.groups, self.effectors, self.states, self.disabled = [], [], [], []
        self.file = {"format": "holdfast-creature", "version": 1, "name": name,
                     "urdf": name + ".urdf", "srdf": name + ".srdf"}

    def comment(self, text):
        self.lines.append(f"  <!-- {text} -->")

    def link(self, name, mass, com, inertia, *bodies):
        if len(inertia) == 3:
            inertia = tuple(inertia) + (0, 0, 0)
        xx, yy, zz, xy, xz, yz = inertia
        self.link_names.append(name)
        self.mass += mass
        out = self.lines
        out.append(f'  <link name="{name}">')
        out.append(f'    <inertial><origin xyz="{vec(com)}" rpy="0 0 0"/><mass value="{num(mass)}"/>')
        out.append(f'      <inertia ixx="{num(xx)}" iyy="{num(yy)}" izz="{num(zz)}"'
                   f' ixy="{num(xy)}" ixz="{num(xz)}" iyz="{num(yz)}"/></inertial>')
        for origin, shape in bodies:
            out.append(f"    <collision>{origin}<geometry>{shape}</geometry></collision>")
        out.append("  </link>")

    def small_link(self, name):
        i = 0.4 * self.small_mass * self.small_radius ** 2
        self.link(name, self.small_mass, (0, 0, 0), (i, i, i))

    def joint(self, name, parent, child, origin, axis, lower, upper, speed, effort, mimic=None):
        self.joint_names.append(name)
        out = self.lines
        out.append(f'  <joint name="{name}" type="revolute">')
        out.append(f'    <parent link="{parent}"/><child link="{child}"/>')
        out.append(f'    <origin xyz="{vec(origin)}" rpy="0 0 0"/><axis xyz="{vec(axis)}"/>')
        out.append(f'    <limit lower="{num(lower)}" upper="{num(upper)}" velocity="{num(speed)}" effort="{num(effort)}"/>')
        if mimic:
            out.append(f'    <mimic joint="{mimic}" multiplier="1" offset="0"/>')
        out.append("  </joint>")

    def group(self, name, base, tip, effector_parent=None):
        self.groups.append((name, base, tip))

    def write(self, folder):
        self.put(folder, self.name + ".creature.json", tidy(self.file) + "\n")
        if self.file["urdf"] != self.name + ".urdf":
            return  # the body is another's
        urdf = [f'<?xml version="1.0"?>', f"<!-- {self.about}", "     Written by script/make-creatures. -->",
                f'<robot name="{self.name}">'] + self.lines + ["</robot>"]
        self.put(folder, self.name + ".urdf", "\n".join(urdf) + "\n")
        self.put(folder, self.name + ".srdf", self.srdf())

    def srdf(self):
        out = ['<?xml version="1.0"?>', "<!-- Written by script/make-creatures. -->", f'<robot name="{self.name}">']
        for name, base, tip in self.groups:
            out.append(f'  <group name="{name}"><chain base_link="{base}" tip_link="{tip}"/></group>')
        if self.states:
            out.append('  <group name="whole_body">')
            out += [f'    <joint name="{name}"/>' for name in self.joint_names]
            out.append("  </group>")
        for name, parent, group in self.effectors:
            out.append(f'  <end_effector name="{name}" parent_link="{parent}" group="{group}"/>')
        for name, about, values in self.states:
            out.append(f"  <!-- {about} -->")
            out.append(f'  <group_state name="{name}" group="whole_body">')
            out += [f'    <joint name="{joint}" value="{num(value)}"/>' for joint, value in values.items()]
            out.append("  </group_state>")
        for a, b, reason in self.disabled:
            out.append(f'  <disable_collisions link1="{a}" link2="{b}" reason="{reason}"/>')
        return "\n".join(out + ["</robot>"]) + "\n"

    @staticmethod
    def put(folder, name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
            stream.write(text)


def clean(value):
    """Numbers as short as they can be written."""
    if isinstance(value, float):
        return int(value) if value == int(value) else float(f"{value:.9g}")
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items()}
    return value


def tidy(value, indent=0, width=116):
    """JSON with everything on one line that fits."""
    value = clean(value)
    flat = json.dumps(value)
    if len(flat) + indent <= width or not isinstance(value, (dict, list)):
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        rows = [f"{pad}{json.dumps(k)}: {tidy(v, indent + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"
    rows = [pad + tidy(v, indent + 2) for v in value]
    return "[\n" + ",\n".join(rows) + "\n" + " " * indent + "]"
