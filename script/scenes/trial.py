"""One way from standing to standing, planned by the command: its scene and scenario files, and what came of it."""
import json
import math
import os
import subprocess

COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "holdfast")


def write_mesh(parts, path):
    with open(path, "w", encoding="utf-8") as file:
        first = 1
        for corners, _ in parts:
            file.writelines("v %.6f %.6f %.6f\n" % tuple(corner) for corner in corners)
        for corners, faces in parts:
            file.writelines("f " + " ".join(str(first + i) for i in face) + "\n" for face in faces)
            first += len(corners)


def write_scenario(path, creature, parts, start, goal, grips=()):
    """The scenario from one place on the ground to another (or to what the goal says); `grips` are parts that can be gripped."""
    base = path.removesuffix(".scenario.json")
    scene = []
    for name, pieces in (("ground", parts), ("holds", list(grips))):
        if pieces:
            write_mesh(pieces, f"{base}-{name}.obj")
            scene.append({"name": name, "mesh": f"{os.path.basename(base)}-{name}.obj", **({"grip": True} if name == "holds" else {})})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"format": "holdfast-scenario", "version": 1, "kind": "plan", "creature": os.path.abspath(creature), "scene": scene,
                   "start": start, "goal": goal}, file)


def landings(motion):
    before, count = None, 0
    for frame in motion["frames"]:
        now = {contact["limb"] for contact in frame["contacts"]}
        count += len(now - before) if before is not None else 0
        before = now
    return count


def info(creature, *options):
    done = subprocess.run([COMMAND, "info", creature, "--json", *options], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def plan(scenario, seed, pendulum, folder, *options):
    """What the command says of the plan and, where one is found, what the check says of its motion."""
    before = os.times()
    words = [COMMAND, "plan", scenario, "--seed", str(seed), "--threads", "1", "--json", "--size", "320x180", "--samples", "1", "-o", folder, *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    used = os.times().children_user - before.children_user
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {"outcome": done.stderr.strip()[:160], "used": used, "reached": 0}
    path = os.path.join(folder, os.path.basename(scenario).replace(".scenario.", ".motion."))
    row = {key: answer.get(key) for key in ("outcome", "why", "where", "reached", "work", "stances")}
    row["used"] = used
    if answer["outcome"] == "found":
        with open(path, encoding="utf-8") as file:
            motion = json.load(file)
        check = subprocess.run([COMMAND, "check", path, "--json"], capture_output=True, text=True, check=False)
        row["valid"] = json.loads(check.stdout)["valid"]
        heights = [frame["root"][2] for frame in motion["frames"]]
        row["time"], row["steps"], row["rise"] = motion["frames"][-1]["t"], landings(motion), max(heights) - min(heights)
        row["walked"] = "balance" not in motion["claims"] and row["time"] < 4 * pendulum * max(1, row["steps"])
    return row


def leg_length(about):
    """The mean length of the limbs that are called legs, of what `info` says; 0 where there is none."""
    legs = [limb["length_m"] for limb in about["limbs"] if "leg" in limb["name"].lower()]
    return sum(legs) / len(legs) if legs else 0


def pendulum_time(leg):
    return math.sqrt(leg / 9.81) if leg else 0.3
