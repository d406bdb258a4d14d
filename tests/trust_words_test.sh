#!/usr/bin/env bash
# What the command says when something is wrong: the file, the place, the reason and the next step, in one line and
# before the work begins. The messages are read as a new user would read them.
set -u
cd "$(dirname "$0")/.."
hf=$PWD/build/holdfast
[ -x "$hf" ] || { echo "build/holdfast is missing"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# say CODE TEXT COMMAND...: the exit code and a text; a complaint is one line and none of the empty phrases.
say() {
  local code=$1 text=$2 out status complaints
  shift 2
  out=$("$@" 2>&1 </dev/null); status=$?
  if [ $status -ne "$code" ] || ! printf '%s' "$out" | grep -qF -- "$text"; then
    fail "$* gave $status, wanted $code and \"$text\":"; printf '%s\n' "$out" | head -n 5
  fi
  complaints=$(printf '%s\n' "$out" | grep -c '^holdfast: ')
  [ "$status" -lt 2 ] || [ "$complaints" -eq 1 ] || { fail "$*: $complaints complaints:"; printf '%s\n' "$out" | head -n 5; }
  printf '%s' "$out" | grep -qE 'bad argument|too large|file error|bad contents|internal error|nothing was done|^holdfast:.*: *$' &&
    { fail "$* says nothing:"; printf '%s\n' "$out" | head -n 5; }
}
lacks() { # TEXT COMMAND...: the text is not in what it prints
  local text=$1; shift
  "$@" 2>&1 | grep -qF -- "$text" && fail "$* says \"$text\""
}

# ---- options: what a command lists it takes, all else it refuses ----
every="--output --json --quiet --seed --threads --time-limit --package-path --unit --fps --creature --scenario --strip
--columns --frame --size --samples --azimuth --elevation --zoom --focus --distance --task --reach --no-ground --count
--choices --compare --limb --cache --query --data --only --trunk-scale --set --roadmap --control --scene --at"
# every command accepts these, and lists them where they mean something
common=" --output --seed --threads --package-path "
for command in info pose sample contact plan roadmap stand realise check render export bench; do
  listed=$("$hf" help $command)
  for option in $every; do
    if [[ $common == *" $option "* ]] || printf '%s' "$listed" | grep -qE -- "^  (-., )?$option( |$)"; then
      "$hf" $command nothing-there $option 2>&1 | grep -qF "takes no $option" && fail "$command lists $option and refuses it"
    else
      say 2 "$command takes no $option; holdfast help $command lists its options" "$hf" $command nothing-there $option
    fi
  done
done
lacks '--seed' "$hf" help check
lacks '--output' "$hf" help info
lacks 'realise' "$hf" help pose
say 2 'plan: unknown option "--tme-limit"; did you mean "--time-limit"?' "$hf" plan climb --tme-limit 3
say 2 'unknown option "--wings"; holdfast help plan lists its options' "$hf" plan climb --wings
say 2 '--output needs a value: FILE|DIR; "--json" is an option' "$hf" plan climb -o --json
say 2 '--package-path nowhere: there is no such folder' "$hf" info human --package-path nowhere
say 2 'help takes one command' "$hf" help plan pose
say 2 'unknown command "pln"; did you mean "plan"?' "$hf" help pln

# ---- options of the library's tables, by name ----
say 0 'guide.margin_m ' "$hf" help plan
say 0 'shortcuts ' "$hf" help plan
say 0 'max_nodes ' "$hf" help roadmap
say 2 '--set horizon: unknown option' "$hf" roadmap climb -o "$work/x.hfr" --set horizon=3
say 2 'plan has the tables plan, guide and refine' "$hf" plan climb --set swing.knot_m=0.1
say 2 '9 is outside 0.01 to 0.5' "$hf" plan climb --set guide.step=9
say 2 'did you mean "shortcuts"?' "$hf" plan climb --set guide.shortcut=9

# ---- what cannot be written is refused before the work ----
before() { # CODE TEXT COMMAND...: refused within a second, whatever the work would take
  local start=$SECONDS
  say "$@"
  [ $((SECONDS - start)) -le 3 ] || fail "$* took $((SECONDS - start)) s to be refused"
}
for c in "pose demo" "contact sofa" "plan race"; do
  before 2 '--size 9x9: WIDTHxHEIGHT from 16x16 to 8192x8192' "$hf" $c -o "$work/o" --size 9x9
  before 2 '--samples 5: 1, 4, 9 or 16' "$hf" $c -o "$work/o" --samples 5
  before 2 '--distance goes with --focus' "$hf" $c -o "$work/o" --distance 3
  [ ! -e "$work/o" ] || fail "$c made its folder before it refused"
done
before 2 '--size 32x32: 8 panels do not fit on 32 x 32 pixels' "$hf" plan race -o "$work/o" --size 32x32
before 2 '6 panels do not fit' "$hf" contact bookshelf -o "$work/o" --size 32x32
before 2 '2 panels do not fit' "$hf" contact push --compare -o "$work/o" --size 16x16
before 2 '9 panels do not fit' "$hf" render human --strip 9 --size 32x32 -o "$work/x.png"
before 2 '--columns goes with --strip' "$hf" render human --columns 2 -o "$work/x.png"
before 3 'cannot be written: there is no folder /nonexistent' "$hf" roadmap race -o /nonexistent/x.hfr
before 3 'cannot be written: there is no folder /nonexistent' "$hf" render human -o /nonexistent/x.png
before 3 'cannot be written: there is no folder /nonexistent' "$hf" export human -o /nonexistent/x.glb
mkdir "$work/folder.png"
before 3 'is a folder, a file name is expected' "$hf" render human -o "$work/folder.png"
before 3 'is not a folder' "$hf" plan race -o VERSION
if [ "$(id -u)" -ne 0 ]; then
  mkdir "$work/closed"; chmod 555 "$work/closed"
  before 3 'nothing can be written there' "$hf" plan race -o "$work/closed"
fi

# ---- names ----
mkdir "$work/here" "$work/here/climbs" "$work/here/demos"
(cd "$work/here" && say 3 'did you mean "climb"?' "$hf" plan climbs2; exit $failures); failures=$?
lacks 'climbs/' sh -c "cd '$work/here' && '$hf' plan climbx"
say 3 'did you mean "human"?' "$hf" sample humn
lacks '"human"' "$hf" plan humn
say 3 'zzzzzz: no such file, and nothing of that name is shipped; holdfast info lists what is' "$hf" plan zzzzzz
say 3 'the name of a file is empty' "$hf" plan ""
scenario() { # NAME CREATURE KIND REST
  printf '{ "format": "holdfast-scenario", "version": 1, "kind": "%s", "creature": "%s", %s }\n' "$3" "$2" "$4" \
    >"$work/$1.scenario.json"
}
scenario byname human pose '"targets": [ { "limb": "left_arm", "point": [0.4, 0.3, 1.2] } ]'
say 0 'byname: 1 target within' "$hf" pose "$work/byname.scenario.json" -o "$work" --size 64x64 --samples 1
say 0 'valid' "$hf" check "$work/byname.motion.json" --scenario "$work/byname.scenario.json"
scenario byname humn pose '"targets": [ { "limb": "left_arm", "point": [0.4, 0.3, 1.2] } ]'
say 3 "byname.scenario.json: creature: unknown creature \"humn\"; did you mean \"human\"?" "$hf" pose "$work/byname.scenario.json"
scenario byname gone.urdf pose '"targets": [ { "limb": "left_arm", "point": [0.4, 0.3, 1.2] } ]'
say 3 "gone.urdf: the creature of $work/byname.scenario.json: cannot be opened" "$hf" pose "$work/byname.scenario.json"

# ---- wrong files ----
: >"$work/empty.scenario.json"; : >"$work/empty.json"; : >"$work/empty.urdf"
say 3 'empty.scenario.json:1: not valid JSON: the file is empty' "$hf" plan "$work/empty.scenario.json"
say 3 'empty.json:1: not valid JSON' "$hf" info "$work/empty.json"
say 3 'empty.urdf:1: not valid XML' "$hf" info "$work/empty.urdf"
printf '{ "format": "holdfast-scenario",\n  "version": 1, }' >"$work/comma.scenario.json"
say 3 'comma.scenario.json:2: not valid JSON: a comma has nothing behind it' "$hf" plan "$work/comma.scenario.json"
cp data/creatures/spider.urdf "$work/urdf.scenario.json"
say 3 'not valid JSON: the file is XML' "$hf" plan "$work/urdf.scenario.json"
printf '{ "a": 1 }' >"$work/plain.json"
say 3 '"format" is missing' "$hf" info "$work/plain.json"
say 3 'is a folder' "$hf" plan "$work"
say 3 'is a folder' "$hf" sample "$work"
say 3 'is a folder' "$hf" export "$work" -o "$work/x.glb"
say 3 'is a creature, plan needs a scenario' "$hf" plan human
say 3 'is a scenario, check needs a motion; holdfast pose, contact or plan with -o DIR makes one' "$hf" check demo
say 3 'is a scenario, sample needs a creature' "$hf" sample demo
say 3 'is a scene, export needs a motion, clip or creature' "$hf" export room -o "$work/x.glb"
sed 's|"creature": *"[^"]*"|"creature": "gone.urdf"|' "$work/byname.motion.json" >"$work/lost.motion.json"
say 3 'gone.urdf: cannot be opened: No such file or directory; ' "$hf" check "$work/lost.motion.json"
say 3 'lost.motion.json names this creature; --creature FILE says where it is' "$hf" check "$work/lost.motion.json"
say 3 'did you mean "human"?' "$hf" check "$work/lost.motion.json" --creature humn

# ---- numbers out of range: where they stand, and what is allowed ----
floor='"scene": [ { "name": "floor", "mesh": "'$PWD'/data/scenes/ground.obj" } ]'
task='"task": { "direction": [0, 0, 1], "limbs": [ { "limb": "left_leg", "role": "%s" } ] }'
start='"start": { "root": [0, 0, 0.9424, 1, 0, 0, 0] }'
query() { scenario query human contact "$floor, $start, $(printf "$task" "$1"), \"options\": { $2 }"; }
query support '"score": { "effort": -1 }'
say 3 'query.scenario.json: options.score: "effort" is -1, a weight from 0 to 1e+06' "$hf" contact "$work/query.scenario.json"
query support '"epsilon": 5000'
say 3 '"epsilon" is 5000, it must be above 0 and at most 1000' "$hf" contact "$work/query.scenario.json"
query grip '"samples": 100'
say 3 'task: limb "left_leg" cannot grip' "$hf" contact "$work/query.scenario.json"
plan() { scenario plan human plan "$floor, \"start\": { \"root\": [$1, 1, 0, 0, 0] }, \"goal\": { \"root\": [$2, 1, 0, 0, 0] }, \"options\": { $3 }"; }
plan 0,0,0.9424 0.3,0,0.9424 '"score": { "effort": 2000 }'
say 3 'options.score.effort: 2000 is outside 0 to 1000' "$hf" plan "$work/plan.scenario.json"
plan 0,0,0.9424 0.3,0,0.9424 '"score": { "distance": 1 }'
say 3 'options.score.distance: a plan weighs effort, duration, balance and comfort' "$hf" plan "$work/plan.scenario.json"
plan 0,0,0.9424 0.3,0,0.9424 '"samples": 10'
say 3 'plan.scenario.json: options.samples: 10 is outside 100 to 1e+06' "$hf" plan "$work/plan.scenario.json"
say 3 '--count: 50 is outside 100 to 1e+06' "$hf" plan "$work/plan.scenario.json" -n 50
plan 0,0,0.9424 0.3,0,0.9424 '"guide": { "step": 9 }'
say 3 'options.guide.step: 9 is outside 0.01 to 0.5' "$hf" plan "$work/plan.scenario.json"
plan 0,0,0.9424 0.3,0,0.9424 '"roadmap": { "tries": 0 }'
say 3 'options.roadmap.tries: 0 is outside 1 to 1e+06' "$hf" plan "$work/plan.scenario.json"
plan 0,0,0.9424 1000000,0,0.9424 ''
say 3 'plan.scenario.json: start and goal are too far apart' "$hf" plan "$work/plan.scenario.json"

# ---- the options of guides and roadmaps do something ----
printf 'v %s\n' '-0.3 -1 0' '0.3 -1 0' '0.3 1 0' '-0.3 1 0' '-0.3 -1 3' '0.3 -1 3' '0.3 1 3' '-0.3 1 3' >"$work/wall.obj"
printf 'f %s\n' '4 3 2 1' '5 6 7 8' '1 2 6 5' '2 3 7 6' '3 4 8 7' '4 1 5 8' >>"$work/wall.obj"
around="\"scene\": [ { \"name\": \"floor\", \"mesh\": \"$PWD/data/scenes/ground.obj\" }, { \"name\": \"wall\", \"mesh\": \"wall.obj\" } ]"
scenario around human plan "$around, \"start\": { \"root\": [-1, 0, 0.9424, 1, 0, 0, 0] }, \"goal\": { \"root\": [1, 0, 0.9424, 1, 0, 0, 0] }, \"options\": { \"guide\": { \"max_samples\": 1 } }"
say 1 'no path of the root was found; 1 samples left a gap of' "$hf" plan "$work/around.scenario.json"
lacks 'no path of the root' "$hf" plan "$work/around.scenario.json" --set guide.max_samples=20000 --time-limit 2
plan 0,0,0.9424 0.5,0,0.9424 ''
drawn() { "$hf" roadmap "$work/plan.scenario.json" -o "$work/x.hfr" --json "$@" 2>/dev/null | sed -nE 's/.*"samples": ([0-9]+).*/\1/p'; }
[ "$(drawn --set max_samples=7)" = 7 ] || fail "--set max_samples=7 drew $(drawn --set max_samples=7) poses"

# ---- a start that collides: both bodies, the depth, the nearest free height, which is then free ----
plan 0,0,0.85 0.5,0,0.9424 ''
say 1 'the start collides; link "' "$hf" plan "$work/plan.scenario.json" -o "$work" --size 160x120 --samples 1
out=$("$hf" plan "$work/plan.scenario.json")
printf '%s' "$out" | grep -qE 'is [0-9.]+ mm deep in "floor"; with the root at z = [0-9.]+, [0-9.]+ mm higher, nothing collides' ||
  fail "a start that collides: $out"
height=$(printf '%s' "$out" | sed -E 's/.*z = ([0-9.]+),.*/\1/')
plan 0,0,"$height" 0.5,0,0.9424 ''
say 0 'stances' "$hf" plan "$work/plan.scenario.json"
query support '"samples": 1000'
sed -i 's/0.9424/0.85/' "$work/query.scenario.json"
"$hf" contact "$work/query.scenario.json" 2>&1 | grep -qE 'the start collides: link "[a-z_]+" is [0-9.]+ mm deep in "floor"' ||
  fail "contact does not tell of a start that collides"

# ---- a plan that fails: limb, place, reason; the picture marks them ----
red() { # FILE: how many bright red pixels the picture has
  python3 - "$1" <<'END'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR": width, height = struct.unpack(">II", data[at + 8:at + 16])
    if kind == b"IDAT": packed += data[at + 8:at + 8 + size]
    at += 12 + size
raw, row, count = zlib.decompress(packed), bytearray(3 * width), 0
for y in range(height):
    line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
    kind, line = line[0], bytearray(line[1:])
    for i in range(3 * width):
        left, up, corner = (line[i - 3] if i >= 3 else 0), row[i], (row[i - 3] if i >= 3 else 0)
        if kind == 1: line[i] = line[i] + left & 255
        elif kind == 2: line[i] = line[i] + up & 255
        elif kind == 3: line[i] = line[i] + (left + up) // 2 & 255
        elif kind == 4:
            p = left + up - corner
            near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))
            line[i] = line[i] + near[2] & 255
    row = line
    count += sum(row[i] > 150 and row[i + 1] < 60 and row[i + 2] < 80 for i in range(0, 3 * width, 3))
print(count)
END
}
[ "$(red "$work/plan.png")" -gt 20 ] || fail "the picture of a start that collides marks nothing"
"$hf" plan climb --set guides=1 --set patience=2 -o "$work" --size 320x240 --samples 1 --json >"$work/climb.json" 2>/dev/null
[ $? -eq 1 ] || fail "a plan without patience did not exit with 1"
python3 - "$work/climb.json" <<'END' || fail "a failed plan does not say which limb at which place and why"
import json, sys
said = json.load(open(sys.argv[1]))
blocked = said["blocked"]
assert blocked["limb"] in ("left_leg", "right_leg", "left_arm", "right_arm"), blocked
assert blocked["what"] != "none" and blocked["object"] in ("wall", "holds", "ground"), blocked
assert len(blocked["point"]) == 3 and all(abs(x) < 3 for x in blocked["point"]), blocked
assert blocked["limb"] in said["where"] and '"%s"' % blocked["object"] in said["where"], said["where"]
assert "%.2f %.2f %.2f" % tuple(blocked["point"]) in said["where"] and "% of the way" in said["where"], said["where"]
END
[ "$(red "$work/climb.png")" -gt 20 ] || fail "the picture of a failed plan marks nothing"
plan 0,0,0.9424 0,0,0.9424 ''
say 0 'plan: 1 stance' "$hf" plan "$work/plan.scenario.json" -o "$work" --size 160x120 --samples 1
[ "$(red "$work/plan.png")" -eq 0 ] || fail "the picture of a plan that was found is marked"
plan 0,0,0.9424 0,0,30 ''
say 1 'the goal is not free at 0.00 0.00 30.00: too few limbs reach a surface' "$hf" plan "$work/plan.scenario.json" --time-limit 20
scenario goal human plan "$floor, $start, \"goal\": { \"root\": [0.3, 0, 0.9424, 1, 0, 0, 0], \"contacts\": [ \"left_arm\" ] }"
say 1 'contacts of the goal: left_arm is on no surface' "$hf" plan "$work/goal.scenario.json" --time-limit 20
scenario hung human plan "$floor, \"start\": { \"root\": [0, 0, 2, 1, 0, 0, 0], \"contacts\": [ \"left_leg\" ] }, \"goal\": { \"root\": [0.3, 0, 0.9424, 1, 0, 0, 0] }"
say 1 'contacts of the start: left_leg is on no surface' "$hf" plan "$work/hung.scenario.json" --time-limit 20

# ---- the folders of package:// names are kept with motions and schedules ----
mkdir -p "$work/elsewhere/bot/meshes" "$work/robots"
printf 'v %s\n' '0 0 0' '0.2 0 0' '0 0.2 0' '0 0 0.2' >"$work/elsewhere/bot/meshes/body.obj"
printf 'f %s\n' '1 3 2' '1 2 4' '2 3 4' '1 4 3' >>"$work/elsewhere/bot/meshes/body.obj"
cat >"$work/robots/bot.urdf" <<'END'
<robot name="bot"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><mesh filename="package://bot/meshes/body.obj"/></geometry></collision></link></robot>
END
say 0 'is not found' "$hf" info "$work/robots/bot.urdf"
say 0 'wrote' "$hf" export "$work/robots/bot.urdf" --package-path "$work/elsewhere" -o "$work/bot.motion.json"
grep -q '"package_path": \["elsewhere"\]' "$work/bot.motion.json" || fail "the motion does not keep the package path"
lacks 'is not found' "$hf" check "$work/bot.motion.json"
lacks 'is not found' "$hf" render "$work/bot.motion.json" -o "$work/bot.png" --size 64x64 --samples 1
lacks 'is not found' sh -c "cd / && '$hf' export '$work/bot.motion.json' -o '$work/robots/again.motion.json'"
grep -q '"package_path": \["../elsewhere"\]' "$work/robots/again.motion.json" || fail "a motion saved elsewhere loses the package path"
cat >"$work/bot.schedule.json" <<'END'
{ "format": "holdfast-schedule", "version": 1, "creature": "robots/bot.urdf", "package_path": ["elsewhere"],
  "claims": ["limits"], "holds": [], "knots": [ { "t": 0, "root": [0, 0, 1, 1, 0, 0, 0], "q": [] } ] }
END
lacks 'is not found' "$hf" realise "$work/bot.schedule.json" -o "$work/made.motion.json"
grep -q '"package_path": \["elsewhere"\]' "$work/made.motion.json" || fail "realise loses the package path"

# ---- units ----
printf 'HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT head\n{\nOFFSET 0 90 0\nCHANNELS 1 Xrotation\n}\nJOINT leg\n{\nOFFSET 0 -90 0\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0\n' >"$work/tall.bvh"
say 0 'a unit of 1 m makes the skeleton 180 m tall; 0.01 m would make it 1.80 m' "$hf" info "$work/tall.bvh" --unit 1

[ $failures -eq 0 ]
