"""Keys of clips: poses that `holdfast pose` finds for limb targets in a scenario's scene."""
import json
import os
import subprocess
import xml.etree.ElementTree

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COMMAND = os.path.join(ROOT, "build", "holdfast")
CLIPS = os.path.join(ROOT, "data", "clips")


def joint_names():
    """Movable joints of the human in file order, and which of them follow another one."""
    urdf = xml.etree.ElementTree.parse(os.path.join(ROOT, "data", "creatures", "human.urdf")).getroot()
    joints = [j for j in urdf.iter("joint") if j.get("type") not in (None, "fixed")]
    return [j.get("name") for j in joints], {j.get("name") for j in joints if j.find("mimic") is not None}


def load_scenario(name):
    with open(os.path.join(CLIPS, name + ".scenario.json"), encoding="utf-8") as stream:
        return json.load(stream)


def solve_pose(scenario, pose, targets, folder, what):
    """The pose next to the one given that has the limb targets, in the scene of a scenario of data/clips. `what` names it in messages."""
    names, followers = joint_names()
    job = {"format": "holdfast-scenario", "version": 1, "kind": "pose", "creature": os.path.join(CLIPS, scenario["creature"]),
           "scene": [dict(o, mesh=os.path.join(CLIPS, o["mesh"])) for o in scenario["scene"]],
           "start": {"root": pose["root"], "joints": {j: q for j, q in zip(names, pose["q"]) if j not in followers}},
           "targets": targets, "seed": 1}
    path = os.path.join(folder, "key.scenario.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(job, stream)
    done = subprocess.run([COMMAND, "pose", path, "-o", folder, "--quiet", "--size", "64x64", "--samples", "1"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what}: {done.stdout}{done.stderr}")
    with open(os.path.join(folder, "key.motion.json"), encoding="utf-8") as stream:
        frame = json.load(stream)["frames"][0]
    return {"root": frame["root"], "q": frame["q"]}
