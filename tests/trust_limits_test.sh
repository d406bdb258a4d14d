#!/usr/bin/env bash
# Limits that hold on the command line: worst inputs under --time-limit, outputs that must not be replaced, numbers
# and creatures at the edge. Each command would take at least three times its limit, so that a quicker machine does not
# finish before. Time is processor time with one thread: other programs on the machine do not change it.
set -u
cd "$(dirname "$0")/.."
hf=$PWD/build/holdfast data=$PWD/data
[ -x "$hf" ] || { echo "build/holdfast is missing"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# expect CODE TEXT COMMAND...: the exit code, and a text somewhere in what it prints.
expect() {
  local code=$1 text=$2 out status
  shift 2
  out=$("$@" 2>&1); status=$?
  if [ $status -ne "$code" ] || ! printf '%s' "$out" | grep -qF -- "$text"; then
    fail "$* gave $status, wanted $code and \"$text\":"; printf '%s\n' "$out" | head -n 5
  fi
}
# within LIMIT COMMAND...: says that it was stopped, and ends at most 0.2 s of processor time after LIMIT.
within() {
  local limit=$1 used
  shift
  TIMEFORMAT='%U %S'
  used=$({ time "$hf" "$@" --threads 1 --time-limit "$limit" >"$work/said" 2>&1; } 2>&1)
  awk -v limit="$limit" '{ exit !($1 + $2 <= limit + 0.2) }' <<<"$used" || fail "$* took $used s, the limit is $limit s"
  grep -qE 'stopped|cancelled|time limit' "$work/said" || { fail "$* does not say that it was stopped:"; head -n 5 "$work/said"; }
}

# ---- inputs ----
# square SIDE: a level square of SIDE x SIDE cells, 3 m wide; stack COUNT: one large triangle, COUNT times.
square() { awk -v n="$1" 'BEGIN { for (i = 0; i <= n; i++) for (j = 0; j <= n; j++) printf "v %.5f %.5f 0\n", 3*i/n-1.5, 3*j/n-1.5
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) { a = i*(n+1)+j+1; printf "f %d %d %d\nf %d %d %d\n", a, a+n+1, a+n+2, a, a+n+2, a+1 } }'; }
stack() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "v -3 -3 0\nv 3 -3 0\nv 0 3 0"; for (i = 0; i < n; i++) printf "f %d %d %d\n", 3*i+1, 3*i+2, 3*i+3 }'; }
square 300 >"$work/floor.obj"   # 180,000 triangles
stack 5000 >"$work/stack.obj"
human="\"creature\": \"$data/creatures/human.creature.json\""
head="\"format\": \"holdfast-scenario\", \"version\": 1"
legs='"task": { "direction": [0,0,1], "limbs": [ {"limb":"left_leg","role":"support"}, {"limb":"right_leg","role":"support"} ] }'
for scene in floor stack; do
  ground="\"scene\": [ { \"name\": \"ground\", \"mesh\": \"$scene.obj\" } ]"
  # the body so high that its legs come near the ground and never touch it exactly
  echo "{ $head, \"kind\": \"contact\", $human, $ground, \"start\": { \"root\": [0,0,1.05,1,0,0,0] }, $legs }" >"$work/$scene-high.scenario.json"
  echo "{ $head, \"kind\": \"plan\", $human, $ground, \"start\": { \"root\": [-0.5,-1,0.9424,1,0,0,0] }, \"goal\": { \"root\": [0.5,-1,0.9424,1,0,0,0] } }" >"$work/$scene-plan.scenario.json"
  echo "{ $head, \"kind\": \"contact\", $human, $ground, \"start\": { \"root\": [-0.5,-1,0.9424,1,0,0,0], \"contacts\": [\"left_leg\",\"right_leg\"] }, \"task\": { \"direction\": [0,0,1] }, \"path\": [ [-0.5,-1,0.94,1,0,0,0], [0.5,-1,0.94,1,0,0,0] ] }" >"$work/$scene-path.scenario.json"
done
# keys LAST: a lift beside the creature that moves until then.
keys() { echo "{ $head, \"kind\": \"contact\", $human, \"scene\": [ { \"name\": \"ground\", \"mesh\": \"$data/scenes/ground.obj\" }, { \"name\": \"lift\", \"mesh\": \"$data/scenes/platform.obj\", \"keys\": [ [0, [3,0,0,1,0,0,0]], [$1, [3,0,1,1,0,0,0]] ] } ], \"start\": { \"root\": [0,0,0.9424,1,0,0,0] }, \"task\": { \"direction\": [0,0,1] } }"; }
# targets COUNT: so many targets for one hand.
targets() { echo "{ $head, \"kind\": \"pose\", $human, \"start\": { \"root\": [0,0,0.9424,1,0,0,0] }, \"targets\": [ $(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s{ \"limb\": \"left_arm\", \"point\": [0.3, 0.2, %.3f], \"rotation\": [1,0,0,0] }", i ? ", " : "", 1 + 0.001*i }') ] }"; }

# ---- time limits ----
for scene in floor stack; do
  within 1 contact "$work/$scene-high.scenario.json"
  within 1 contact "$work/$scene-high.scenario.json" --compare
  within 1 plan "$work/$scene-plan.scenario.json" -o "$work"
  within 0.3 roadmap "$work/$scene-plan.scenario.json" -o "$work/way.hfr"
done
within 1 contact "$work/stack-path.scenario.json" -o "$work"
keys 3000 >"$work/long.scenario.json"
within 1 contact "$work/long.scenario.json" -o "$work"
targets 5000 >"$work/many.scenario.json"
expect 3 'targets: has 5000 entries, at most 128 are solved at once' "$hf" pose "$work/many.scenario.json"
targets 128 >"$work/many.scenario.json"
within 1 pose "$work/many.scenario.json" -o "$work"
within 0.3 sample human -n 50000000 --cache "$work/sets"
"$hf" contact "$work/floor-path.scenario.json" -o "$work" --size 64x64 --samples 1 >/dev/null 2>&1 || fail "no motion along a path on the fine floor"
within 0.2 check "$work/floor-path.motion.json"
within 0.3 realise "$work/floor-path.schedule.json" -o "$work"
within 0.3 render "$work/floor-path.motion.json" -o "$work/x.png" --size 4000x3000 --samples 16
within 0.1 export "$work/floor-path.motion.json" -o "$work/x.glb"
square 700 >"$work/large.obj"   # a million triangles
within 0.3 info "$work/large.obj"
for name in valid paper task; do within 0.3 bench $name; done

# ---- numbers and creatures at the edge ----
keys 1e9 >"$work/edge.scenario.json"
expect 3 'scene[1].keys[1]: time 1e+09 s is outside -1e+06 to 1e+06 s' "$hf" contact "$work/edge.scenario.json"
keys 4000 >"$work/edge.scenario.json"
expect 3 'the keys of its objects last 4000 s, a recording has at most 3600 s' "$hf" contact "$work/edge.scenario.json"
inertia="<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
echo "<robot name='stub'><link name='root'>$inertia<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link><link name='foot'>$inertia</link><joint name='j' type='revolute'><parent link='root'/><child link='foot'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>" >"$work/stub.urdf"
# a skin of one bone
printf '%s' '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"bone"}],"skins":[{"joints":[0]}]}' >"$work/bone.gltf"
for creature in stub.urdf bone.gltf; do
  echo "{ $head, \"kind\": \"plan\", \"creature\": \"$creature\", \"scene\": [ { \"name\": \"ground\", \"mesh\": \"$data/scenes/ground.obj\" } ], \"start\": { \"root\": [0,0,0.1,1,0,0,0] }, \"goal\": { \"root\": [1,0,0.1,1,0,0,0] } }" >"$work/$creature.scenario.json"
done
expect 1 'no stance holds the body at the start' "$hf" plan "$work/stub.urdf.scenario.json"
expect 3 'bone.gltf: the skeleton is 0 m large' "$hf" plan "$work/bone.gltf.scenario.json"
printf 'v 500000 5000000 0\nv 500003 5000000 0\nv 500000 5000003 0\nf 1 2 3\n' >"$work/utm.obj"
expect 0 'coordinates reach 5000003 m from the origin, where they are rounded to 0.25 m' "$hf" info "$work/utm.obj"
# a plan a thousand kilometres away is as valid as one at the origin, and its picture is drawn
echo "{ $head, \"kind\": \"plan\", $human, \"scene\": [ { \"name\": \"ground\", \"mesh\": \"$data/scenes/ground.obj\", \"position\": [1e6,0,0] } ], \"start\": { \"root\": [1e6,0,0.9424,1,0,0,0] }, \"goal\": { \"root\": [1000001,0,0.9424,1,0,0,0] } }" >"$work/far.scenario.json"
expect 0 'start.root: 1000000 m from the origin places are rounded to 0.031 m in .glb files' "$hf" plan "$work/far.scenario.json" -o "$work" --size 320x180 --samples 1
expect 0 'valid' "$hf" check "$work/far.motion.json"

# ---- files ----
ln -s "$work/target.png" "$work/link.png"; mkfifo "$work/pipe.png"; ln -s /dev/null "$work/null.png"
expect 3 'link.png: is a symbolic link to' "$hf" render human -o "$work/link.png" --size 64x64 --samples 1
expect 3 'null.png: is a symbolic link to "/dev/null"' "$hf" render human -o "$work/null.png" --size 64x64 --samples 1
expect 3 'pipe.png: is a device, pipe or socket' "$hf" render human -o "$work/pipe.png" --size 64x64 --samples 1
[ -L "$work/link.png" ] && [ -p "$work/pipe.png" ] && [ ! -e "$work/target.png" ] || fail "a link or pipe was replaced"
touch "$work/y.png.tmp-1-7f"
expect 0 '' "$hf" render human -o "$work/y.png" --size 64x64 --samples 1
[ ! -e "$work/y.png.tmp-1-7f" ] || fail "the temporary file of a killed run is still there"
expect 3 'cannot be written: it is larger than files may be here' bash -c 'ulimit -f 1; "$0" render human -o "$1" --size 640x480 --samples 1' "$hf" "$work/z.png"
expect 3 'cannot be written: it is larger than files may be here' bash -c 'ulimit -f 1; "$0" sample human -n 500 --cache "$1"' "$hf" "$work/small"
[ ! -e "$work/z.png" ] || fail "half a picture was kept"
if unshare -rm true 2>/dev/null; then
  mkdir "$work/disk"
  expect 3 'cannot be written: the disk is full' unshare -rm bash -c 'mount -t tmpfs -o size=8k none "$1" && "$0" render human -o "$1/x.png" --size 640x480 --samples 1' "$hf" "$work/disk"
fi

[ $failures -eq 0 ] && echo "all limits hold"
[ $failures -eq 0 ]
