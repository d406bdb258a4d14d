# Runs inside Blender: imports what gltf_test exported, as GLB and as BVH, and asks the armature's bones for
# their names and places. Prints "N passed, N failed".
#   blender -b --factory-startup --python tests/blender/import_test.py -- FOLDER
import builtins
import json
import os
import sys

import bpy
import numpy

# Debian's Blender 3.4 is older than its numpy and its Python.
if not hasattr(numpy, "bool"):
    numpy.bool = bool
plain_open = builtins.open


def open_as_before(file, mode="r", *args, **kwargs):
    return plain_open(file, mode.replace("U", "") or "r", *args, **kwargs)


builtins.open = open_as_before

folder = sys.argv[sys.argv.index("--") + 1]
passed = failed = 0
TOLERANCE_M = 1e-4


def check(what, good, why=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"{'ok     ' if good else 'FAILED '} {what}{'' if good else ': ' + str(why)}")


def fresh_scene(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps


def armature():
    found = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    return found[0] if len(found) == 1 else None


def compare(what, rig, expected, first_frame, name_of):
    """Bone names, and heads of all bones at the samples; files are Y up, Blender is Z up."""
    names = {name_of(link) for link in expected["samples"][0]["links"]}
    bones = {bone.name for bone in rig.data.bones}
    check(f"{what}: bones are named as the links", names <= bones, names - bones)
    worst, where = 0.0, ""
    for sample in expected["samples"]:
        bpy.context.scene.frame_set(first_frame + sample["frame"])
        for link, (x, y, z) in sample["links"].items():
            bone = rig.pose.bones.get(name_of(link))
            if bone is None:
                continue
            head = rig.matrix_world @ bone.head
            off = max(abs(head[0] - x), abs(head[1] + z), abs(head[2] - y))
            if off > worst:
                worst, where = off, f"{link} at frame {sample['frame']}"
    check(f"{what}: bones are where the links are", worst < TOLERANCE_M, f"{worst} m off: {where}")


for name in ("gltf-human", "gltf-odd"):
    with plain_open(os.path.join(folder, name + ".expected.json")) as file:
        expected = json.load(file)
    fps = round(expected["fps"])

    fresh_scene(fps)
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder, name + ".glb"))
    rig = armature()
    check(f"{name}.glb: one armature", rig is not None, [o.type for o in bpy.data.objects])
    if rig:
        skinned = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
        check(f"{name}.glb: its skin follows it", len(skinned) == 1, len(skinned))
        meshes = {o.name for o in bpy.data.objects if o.type == "MESH"}
        check(f"{name}.glb: scene objects are there", {"stone", "lift", "can"} <= meshes, meshes)
        compare(f"{name}.glb", rig, expected, 0, lambda link: link)

    fresh_scene(fps)
    bpy.ops.import_anim.bvh(filepath=os.path.join(folder, name + ".bvh"), global_scale=0.01, frame_start=1,
                            use_fps_scale=False, axis_forward="-Z", axis_up="Y")
    rig = armature()
    check(f"{name}.bvh: one armature", rig is not None, [o.type for o in bpy.data.objects])
    if rig:
        compare(f"{name}.bvh", rig, expected, 1, lambda link: link.replace(" ", "_"))

print(f"{passed} passed, {failed} failed")
sys.stdout.flush()
sys.exit(1 if failed else 0)
