#!/usr/bin/env bash
# The command as a user meets it: what it says, what it writes, and its exit codes.
set -u
cd "$(dirname "$0")/.."
hf=$PWD/build/holdfast
[ -x "$hf" ] || { echo "build/holdfast is missing"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE TEXT COMMAND...: the exit code, and a text somewhere in what it prints.
expect() {
  local code=$1 text=$2 out status
  shift 2
  out=$("$@" 2>&1); status=$?
  if [ $status -ne "$code" ] || ! printf '%s' "$out" | grep -qF -- "$text"; then
    echo "FAILED: $* gave $status, wanted $code and \"$text\":"; printf '%s\n' "$out" | head -n 5
    failures=$((failures + 1))
  fi
}
# interrupt LOG COMMAND...: Ctrl-C a tenth of a second after the command catches it; sets status.
interrupt() {
  local log=$1 caught; shift
  (trap - INT; exec "$hf" "$@") >"$log" 2>&1 &
  for _ in {1..1000}; do
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$!/status 2>/dev/null)
    [ -n "$caught" ] && (( 0x$caught & 2 )) && break
    sleep 0.01
  done
  sleep 0.1; kill -INT $!; wait $!; status=$?
}
# same FILE COMMAND...: the output equals a file of the tree.
same() {
  local file=$1; shift
  "$@" 2>/dev/null | cmp -s - "$file" || { echo "FAILED: $* differs from $file"; failures=$((failures + 1)); }
}

# Usage.
expect 2 'usage: holdfast COMMAND' "$hf"
expect 0 'holdfast '"$(cat VERSION)" "$hf" --version
expect 0 '--strip [N]' "$hf" help render
expect 0 '--strip [N]' "$hf" render --help
expect 2 'did you mean "render"?' "$hf" rendr
expect 2 'did you mean "--json"?' "$hf" info human --jsn
expect 2 'did you mean "--output"?' "$hf" plan stairs --out x
expect 2 'info takes no --strip' "$hf" info human --strip 3
expect 2 '--threads two: a whole number' "$hf" check x --threads two
expect 2 '--zoom needs a value' "$hf" render human --zoom
expect 2 'pose needs a SCENARIO' "$hf" pose
expect 2 'a second one' "$hf" info a b
expect 2 'render needs -o' "$hf" render human
expect 2 '--size 0x9' "$hf" render human -o "$work/x.png" --size 0x9
expect 2 'does not end in .png' "$hf" render human -o "$work/x.jpg"
expect 2 'ends in .glb' "$hf" export human -o "$work/x.txt"
expect 2 'did you mean "pose"?' "$hf" help poze
expect 2 '--creature goes with a motion' "$hf" render human --creature insect -o "$work/x.png"
same docs/holdfast.1 "$hf" help --man
same script/completion/holdfast.bash "$hf" help --bash-completion

# Sample sets: built, then found; a damaged one is built anew.
expect 0 'built in' "$hf" sample human -n 500 --cache "$work/sets"
expect 0 'found in' "$hf" sample human -n 500 --cache "$work/sets"
expect 0 '"cached": true' "$hf" sample human -n 500 --cache "$work/sets" --limb left_arm --json
expect 0 '"frame": "fingers"' "$hf" sample human -n 500 --cache "$work/sets" --limb left_arm --json
for set in "$work"/sets/human-left_arm-*.hfs; do printf 'x' | dd of="$set" bs=1 seek=900 conv=notrunc 2>/dev/null; done
expect 0 'built anew' "$hf" sample human -n 500 --cache "$work/sets" --limb left_arm
expect 0 'found in' "$hf" sample human -n 500 --cache "$work/sets" --limb left_arm
expect 3 'has no limb "wing"' "$hf" sample human --limb wing --cache "$work/sets"
expect 2 '--count 0' "$hf" sample human -n 0

# Contacts: what is found is valid, tasks have files of their own.
expect 0 'table at' "$hf" contact chair-table -o "$work" --size 64x64 --samples 1
expect 0 'valid' "$hf" check "$work/chair-table.motion.json"
# From this seed the right hand's best grip lies behind the rope: samples farther from it give one with a free way.
expect 0 'right_arm' "$hf" contact pull --seed 7006 -o "$work" --size 64x64 --samples 1
expect 0 'valid' "$hf" check "$work/pull.motion.json"
expect 0 '"outcome": "found"' "$hf" contact push --limb left_arm -k 3 --json
expect 0 '"terms": {"effort"' "$hf" contact push --limb left_arm --json
# As many candidates are told of a query for one contact as of one for three, which looks at all of them.
expect 0 "$("$hf" contact push --limb left_arm -k 3 --json | grep -o '"candidates": [0-9]*')" "$hf" contact push --limb left_arm --json
expect 0 'left_leg' "$hf" contact climb-four-ways -n 1000 -o "$work" --size 64x64 --samples 1
for way in up down left right; do expect 0 'valid' "$hf" check "$work/climb-four-ways-$way.motion.json"; done
expect 0 'by distance' "$hf" contact chair-table --compare -o "$work" --size 128x64 --samples 1
[ -s "$work/chair-table-compare.png" ] || { echo "FAILED: contact --compare drew nothing"; failures=$((failures + 1)); }
# Scored by effort the limbs together exert more than scored by distance.
"$hf" contact push --compare | awk '/^all limbs:/ { more = $4 > $7 } END { exit !more }' ||
  { echo "FAILED: contact --compare says that distance exerts more"; failures=$((failures + 1)); }
expect 0 '"distance": {"outcome": "found", "limbs": [{"limb": "left_arm"' "$hf" contact push --compare --json
# An agent on a lift: contacts ride on it, and in the end it stands on the landing, 1.1 m higher than at the start.
expect 0 'found: ' "$hf" contact moving-lift -o "$work" --size 128x64 --samples 1
expect 0 '"valid": true' "$hf" check "$work/moving-lift.motion.json" --json
python3 - "$work/moving-lift.motion.json" <<'EOF' || { echo "FAILED: contact moving-lift does not ride"; failures=$((failures + 1)); }
import json, sys
m = json.load(open(sys.argv[1]))
first, last = m["frames"][0], m["frames"][-1]
rising = [f for f in m["frames"] if 5 < f["t"] < 9]
assert all(k["object"] == "lift" for f in rising for k in f["contacts"]) and all(f["contacts"] for f in rising)
assert any(len(a["contacts"]) < len(b["contacts"]) for a, b in zip(rising, rising[1:]))  # it steps while it rides
assert abs(last["root"][2] - first["root"][2] - 1.1) < 0.05
assert {k["object"] for k in last["contacts"]} == {"landing"}
EOF
expect 0 'found: 100 % of the path' "$hf" contact bookshelf -n 2000 -o "$work" --size 64x64 --samples 1
expect 0 'valid' "$hf" check "$work/bookshelf.motion.json"
expect 3 'needs one of kind "contact"; holdfast pose takes it' "$hf" contact demo
expect 3 'has no limb "wing"' "$hf" contact push --limb wing
# A task that moves nothing is not done, and what is asked for is never left out in silence.
expect 3 'limb "right_leg" is none of those that it moves' "$hf" contact push --limb right_leg
expect 3 '--limb and --choices are for the contacts of a task' "$hf" contact bookshelf --limb left_front_leg
expect 3 '--limb and --choices are for the contacts of a task' "$hf" contact moving-lift -k 2
# A path is enough for an agent; a comparison needs a task.
cat >"$work/ride.scenario.json" <<EOF
{ "format": "holdfast-scenario", "version": 1, "kind": "contact", "creature": "$PWD/data/creatures/insect.creature.json",
  "scene": [ { "name": "lift", "mesh": "$PWD/data/scenes/ground.obj",
               "keys": [ [0, [0, 0, 0, 1, 0, 0, 0]], [1, [0, 0, 0.05, 1, 0, 0, 0]] ] } ],
  "start": { "root": [0, 0, 0.1186, 1, 0, 0, 0] }, "path": [ [0, 0, 0.1186, 1, 0, 0, 0], [0, 0, 0.1686, 1, 0, 0, 0] ] }
EOF
expect 0 'found: 61 frames' "$hf" contact "$work/ride.scenario.json" -n 1000
expect 3 'has no task' "$hf" contact "$work/ride.scenario.json" --compare

# Plans: found ones hold; what cannot be done ends with 1, a reason and a motion as far as there is one.
printf 'v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n' >"$work/floor.obj"
printf 'v %s\n' '-2 -2 0' '0.6 -2 0' '0.6 2 0' '-2 2 0' '3.6 -2 0' '6 -2 0' '6 2 0' '3.6 2 0' >"$work/gap.obj"
printf 'f %s\n' '1 2 3' '1 3 4' '5 6 7' '5 7 8' >>"$work/gap.obj"
plan() { # NAME MESHES START GOAL: the quadruped from one root to another
  local objects='' mesh
  for mesh in $2; do objects="$objects${objects:+, }{ \"name\": \"$(basename "$mesh" .obj)\", \"mesh\": \"$mesh\" }"; done
  cat >"$work/$1.scenario.json" <<END
{ "format": "holdfast-scenario", "version": 1, "kind": "plan", "creature": "$PWD/data/creatures/quadruped.creature.json",
  "scene": [ $objects ], "start": { "root": [$3, 1, 0, 0, 0] }, "goal": { "root": [$4, 1, 0, 0, 0] }, "options": { "samples": 1000 } }
END
}
small="--size 64x64 --samples 1"
plan stroll floor.obj 0,0,0.53 0.3,0,0.53
expect 0 'stances' "$hf" plan "$work/stroll.scenario.json" -o "$work/one" --threads 1 $small
expect 0 '"outcome": "found"' "$hf" plan "$work/stroll.scenario.json" -o "$work/two" --threads 2 $small --json
expect 0 '"valid": true' "$hf" check "$work/one/stroll.motion.json" --json
python3 - "$work"/one/stroll.motion.json "$work"/two/stroll.motion.json <<'EOF' || { echo "FAILED: plans depend on the threads"; failures=$((failures + 1)); }
import json, sys
one, two = (json.load(open(name)) for name in sys.argv[1:])
assert one["frames"] == two["frames"] and one["outcome"] == "found"
EOF
# Roadmaps: made, described, used where creature and scene are the same, refused with file and reason else.
expect 0 'roadmap (found): ' "$hf" roadmap "$work/stroll.scenario.json" -o "$work/stroll.hfr"
expect 0 '"guide_poses": ' "$hf" info "$work/stroll.hfr" --json
expect 0 '"outcome": "found"' "$hf" plan "$work/stroll.scenario.json" --roadmap "$work/stroll.hfr" -o "$work/one" $small --json
expect 0 '"valid": true' "$hf" check "$work/one/stroll.motion.json" --json
expect 3 'stroll.hfr: is of another creature or trunk' "$hf" plan "$work/stroll.scenario.json" --roadmap "$work/stroll.hfr" --trunk-scale 1.2
plan other gap.obj 0,0,0.53 0.3,0,0.53
echo '{"format": "holdfast-control", "version": 1, "controls": {"right_elbow": {"range": [-4, 2]}}}' >"$work/bad.control.json"
expect 3 'stroll.hfr: is of another scene' "$hf" plan "$work/other.scenario.json" --roadmap "$work/stroll.hfr"
expect 3 'cannot be opened' "$hf" plan "$work/stroll.scenario.json" --roadmap "$work/none.hfr"
head -c 300 "$work/stroll.hfr" >"$work/cut.hfr"
expect 3 'cut.hfr: has 300 bytes' "$hf" info "$work/cut.hfr"
# Roadmaps of postures: the same command, file and option; the motion is the one that growing gives.
expect 0 'postures, ' "$hf" roadmap cubes --set nodes=20 -o "$work/cubes.hfr"
expect 0 '"of": "postures"' "$hf" info "$work/cubes.hfr" --json
expect 0 'cubes: found' "$hf" reach cubes --set nodes=20 -o "$work/grown" $small
expect 0 'cubes: found' "$hf" reach cubes --set nodes=20 -o "$work/undrawn" --no-picture
[ -s "$work/undrawn/cubes.motion.json" ] && [ ! -e "$work/undrawn/cubes.png" ] ||
  { echo "FAILED: reach --no-picture drew one"; failures=$((failures + 1)); }
expect 0 'cubes: found' "$hf" reach cubes --set nodes=20 --roadmap "$work/cubes.hfr" -o "$work/reloaded" $small
cmp "$work/grown/cubes.motion.json" "$work/reloaded/cubes.motion.json" || { echo "FAILED: a kept roadmap gives another motion"; failures=$((failures + 1)); }
expect 3 'cubes.hfr: was made with other reach options or another seed' "$hf" reach cubes --roadmap "$work/cubes.hfr"
expect 3 'cubes.hfr: is of postures that reach' "$hf" plan "$work/stroll.scenario.json" --roadmap "$work/cubes.hfr"
expect 3 'which a scenario of kind "reach" has no use for' "$hf" roadmap cubes -o "$work/x.hfr" --set margin_m=0.01
expect 3 'controls.right_elbow: "range" [-4, 2] leaves' "$hf" reach cubes --control "$work/bad.control.json"
expect 3 'is a roadmap, there is nothing to draw' "$hf" render "$work/stroll.hfr" -o "$work/roadmap.png"
expect 2 'ends in .hfr' "$hf" roadmap "$work/stroll.scenario.json"
expect 3 'cannot be' "$hf" roadmap "$work/stroll.scenario.json" -o /nonexistent/x.hfr
plan stand floor.obj 0,0,0.53 0,0,0.53
expect 0 'stand: 1 stance,' "$hf" plan "$work/stand.scenario.json"
printf 'v %s\n' '-1 -1 0' '1 -1 0' '1 1 0' '-1 1 0' '-1 -1 2' '1 -1 2' '1 1 2' '-1 1 2' >"$work/block.obj"
printf 'f %s\n' '4 3 2 1' '5 6 7 8' '1 2 6 5' '2 3 7 6' '3 4 8 7' '4 1 5 8' >>"$work/block.obj"
plan walled "floor.obj block.obj" 0,0,0.53 2,0,0.53
expect 1 'the start collides' "$hf" plan "$work/walled.scenario.json" --time-limit 5
plan beyond floor.obj 0,0,0.53 0,0,30
expect 1 'partial: no path of the root was found; the goal is not free' "$hf" plan "$work/beyond.scenario.json" -o "$work" $small --time-limit 5
grep -q '"outcome": *"partial"' "$work/beyond.motion.json" || { echo "FAILED: the partial plan does not say so"; failures=$((failures + 1)); }
expect 0 '"valid": true' "$hf" check "$work/beyond.motion.json" --json
plan adrift "" 0,0,0.53 1,0,0.53
expect 1 'no stance holds the body at the start' "$hf" plan "$work/adrift.scenario.json" --time-limit 5
plan gap gap.obj 0,0,0.53 4.4,0,0.53
expect 1 '"outcome": "partial"' "$hf" plan "$work/gap.scenario.json" --json --time-limit 10
expect 1 'the time limit of 0.01 s was reached' "$hf" plan "$work/gap.scenario.json" --time-limit 0.01
# the search for a guide takes over 2 s of CPU
expect 1 'the time limit of 1 s was reached' "$hf" plan "$work/gap.scenario.json" --time-limit 1
interrupt "$work/stop.log" plan "$work/gap.scenario.json" -o "$work/stop" $small
[ $status -eq 1 ] && [ -s "$work/stop/gap.motion.json" ] && grep -q 'partial: interrupted' "$work/stop.log" ||
  { echo "FAILED: Ctrl-C of plan gave $status"; cat "$work/stop.log"; failures=$((failures + 1)); }
expect 3 'needs one of kind "plan"' "$hf" plan demo
expect 3 'did you mean' "$hf" plan clmb
expect 2 'plan needs a SCENARIO' "$hf" plan
expect 2 '--trunk-scale 2' "$hf" plan climb --trunk-scale 2
# Options of the tables, by --set and in the file; the command line wins.
expect 0 'horizon  ' "$hf" help plan
expect 0 'lift_share  ' "$hf" help contact
expect 2 'did you mean "horizon"?' "$hf" plan climb --set horizn=3
expect 2 '0 is outside 1 to 1000' "$hf" plan climb --set horizon=0
expect 2 'NAME=VALUE is expected' "$hf" plan climb --set horizon
expect 2 'has an option of its own, --seed' "$hf" plan climb --set seed=3
expect 2 'unknown option' "$hf" plan climb --set swing.knot_m=0.1
expect 2 'pose takes no --set' "$hf" pose demo --set horizon=3
sed 's/"samples": 1000/"samples": 1000, "plan": { "rate": 60 }/' "$work/stroll.scenario.json" >"$work/fast.scenario.json"
sed 's/"samples": 1000/"plan": { "rat": 60 }/' "$work/stroll.scenario.json" >"$work/rat.scenario.json"
expect 3 'options.plan.rat: unknown option; did you mean "rate"?' "$hf" plan "$work/rat.scenario.json"
frames() { "$hf" plan "$@" --raw --json 2>/dev/null | sed -nE 's/.*"frames": ([0-9]+).*/\1/p'; }
plain=$(frames "$work/stroll.scenario.json") fast=$(frames "$work/fast.scenario.json")
[ "$fast" -gt "$((plain * 3 / 2))" ] || { echo "FAILED: options.plan.rate gave $fast frames, without it $plain"; failures=$((failures + 1)); }
[ "$(frames "$work/fast.scenario.json" --set rate=30)" = "$plain" ] || { echo "FAILED: --set does not win over the file"; failures=$((failures + 1)); }
expect 2 'did you mean "knot_m"?' "$hf" contact sofa --set swing.knotm=0.1
expect 0 'tested' "$hf" contact sofa --set swing.knot_m=0.02 --set max_tests=500
expect 2 'is outside' "$hf" contact sofa --set max_tests=0
for name in stairs climb stand-up-front quadruped-steps; do # tests/plan_shipped_test.c plans all sixteen
  expect 0 'stances' "$hf" plan $name -o "$work" --size 320x180 --samples 1 --time-limit 60
  expect 0 'valid' "$hf" check "$work/$name.motion.json" --scenario $name
done
# What shall be balanced at rest is not refined.
expect 0 '"refined": null' "$hf" plan stand-up-front --static --json --quiet
# What plan writes is refined, and quicker than the plan as found.
"$hf" plan quadruped-steps --json --quiet >"$work/refined.json" && "$hf" plan quadruped-steps --raw --json --quiet >"$work/found.json" &&
  python3 - "$work/refined.json" "$work/found.json" "$work/quadruped-steps.motion.json" <<'EOF' || { echo "FAILED: a refined plan is not quicker than the plan as found"; failures=$((failures + 1)); }
import json, sys
refined, found, motion = (json.load(open(name)) for name in sys.argv[1:])
assert refined["refined"]["why"] == "refined" and refined["refined"]["after_s"] < refined["refined"]["before_s"] and found["refined"] is None
assert abs(refined["refined"]["before_s"] - (found["frames"] - 1) / 30) < 0.05
assert abs(motion["frames"][-1]["t"] - refined["refined"]["after_s"]) < 1e-6
EOF
expect 2 '--size 0x9' "$hf" plan climb -o "$work" --size 0x9

# Schedules: the motion that is made from the schedule of a plan or contact motion is the same, to the last byte; a partial one stays partial.
mkdir "$work/made"
for name in stairs climb stand-up-front quadruped-steps chair-table bookshelf beyond; do
  code=0; [ $name = beyond ] && code=1
  expect $code ' 0 faults' "$hf" realise "$work/$name.schedule.json" -o "$work/made" $small
  for ending in motion.json glb png; do
    [ -s "$work/made/$name.$ending" ] || { echo "FAILED: realise did not write $name.$ending"; failures=$((failures + 1)); }
  done
  # Beside the first one, so that the relative paths inside are the same.
  "$hf" realise "$work/$name.schedule.json" -o "$work/$name-made.motion.json" --quiet >/dev/null
  cmp "$work/$name.motion.json" "$work/$name-made.motion.json" ||
    { echo "FAILED: the schedule of $name gives another motion than was written with it"; failures=$((failures + 1)); }
done
stand_up=$work/stand-up-front.schedule.json
expect 0 '{"outcome": "found", "frames": ' "$hf" realise "$stand_up" --json
expect 0 '"kind": "schedule"' "$hf" info "$stand_up" --json
expect 0 '{"name": "seat", "holds": 1, "held_s": ' "$hf" info "$stand_up" --json
expect 0 'limb seat             1 hold,' "$hf" info "$stand_up"
expect 0 ' s instead of ' "$hf" refine data/clips/stairs.schedule.json -o "$work/refined" --set rounds=3 $small
expect 0 'valid:' "$hf" check "$work/refined/stairs.motion.json"
expect 0 '"dynamic": {"judged":' "$hf" check "$work/refined/stairs.motion.json" --dynamic --json
expect 0 'within effort limits, 100.0 % both' "$hf" check "$work/refined/stairs.motion.json" --dynamic
expect 0 'wrote' "$hf" render "$work/refined/stairs.motion.json" --plot -o "$work/plot.png"
expect 0 '"rate": 500' "$hf" export "$work/refined/stairs.motion.json" --fps 500 --json -o "$work/stairs.npy"
expect 3 'outside 10 to 1000' "$hf" refine "$stand_up" --fps 5
expect 3 'is a scenario, refine needs a schedule; holdfast plan or reach' "$hf" refine stairs
expect 2 '--refine and --raw exclude each other' "$hf" plan stairs --refine --raw
expect 2 'it takes no --output, --warm or --fps' "$hf" refine data/clips/stairs.schedule.json --compare -o "$work/compared"
cp "$stand_up" "$work/plain.json"
expect 0 'schedule (found)' "$hf" info "$work/plain.json"
expect 0 'wrote' "$hf" render "$stand_up" -o "$work/timeline.png"
expect 0 'wrote' "$hf" render "$stand_up" -o "$work/timeline.png" --size 320x200
[ "$(od -An -tu1 -j16 -N8 "$work/timeline.png" | tr -s ' ')" = ' 0 0 1 64 0 0 0 200' ] ||
  { echo "FAILED: the timeline is not 320x200"; failures=$((failures + 1)); }
rows=$("$hf" info "$stand_up" --json | grep -o '"name": ' | wc -l) # one for each limb that holds
expect 3 "$rows rows do not fit on 64 x 64 pixels" "$hf" render "$stand_up" -o "$work/t.png" --size 64x64
expect 3 'is a schedule, check needs a motion' "$hf" check "$stand_up"
expect 3 'is a schedule, plan needs a scenario' "$hf" plan "$stand_up"
expect 3 'holdfast realise makes the motion' "$hf" export "$stand_up" -o "$work/x.glb"
expect 3 'is a motion, realise needs a schedule' "$hf" realise "$work/stand-up-front.motion.json"
expect 2 'of info, --creature goes with a schedule' "$hf" info human --creature human
# The left foot 2 cm further: it stands exactly there. Far away: the fault is named, and the motion claims less.
python3 - "$stand_up" "$work/edited.schedule.json" "$work/torn.schedule.json" <<'EOF'
import json, sys
for path, by in zip(sys.argv[2:], (0.02, 2)):
    s = json.load(open(sys.argv[1]))
    [h for h in s["holds"] if h["limb"] == "left_leg"][-1]["point"][1] += by
    json.dump(s, open(path, "w"))
EOF
"$hf" realise "$work/edited.schedule.json" -o "$work/edited.motion.json" --json >"$work/edited.json" 2>/dev/null; status=$?
python3 - "$work" $status <<'EOF' || { echo "FAILED: an edited schedule"; failures=$((failures + 1)); }
import json, sys
work, status = sys.argv[1], int(sys.argv[2])
said, motion = json.load(open(work + "/edited.json")), json.load(open(work + "/edited.motion.json"))
hold = [h for h in json.load(open(work + "/edited.schedule.json"))["holds"] if h["limb"] == "left_leg"][-1]
feet = [c["point"] for f in motion["frames"] if f["t"] >= hold["from"] for c in f["contacts"] if c["limb"] == "left_leg"]
assert feet and all(abs(a - b) < 1e-9 for p in feet for a, b in zip(p, hold["point"])), feet[:1]
assert all(f["limb"] != "left_leg" for f in said["faults"] if f["what"] == "does not keep its hold"), said
assert (status == 0) == (said["outcome"] == "found") == (not said["faults"]), (status, said)
EOF
expect 0 '"valid": true' "$hf" check "$work/edited.motion.json" --json
expect 1 'left_leg does not keep its hold' "$hf" realise "$work/torn.schedule.json" -o "$work/torn.motion.json"
expect 1 '"what": "does not keep its hold", "limb": "left_leg"' "$hf" realise "$work/torn.schedule.json" --json
grep -q '"outcome": *"partial"' "$work/torn.motion.json" && ! grep -q '"claims": .*"contacts"' "$work/torn.motion.json" ||
  { echo "FAILED: the torn schedule's motion promises too much"; failures=$((failures + 1)); }
# Bad ones: file, place, reason.
sed 's/"left_leg"/"left_lag"/' "$stand_up" >"$work/limb.schedule.json"
expect 3 'unknown limb "left_lag"; did you mean "left_leg"?' "$hf" realise "$work/limb.schedule.json"
expect 3 "$work/limb.schedule.json: holds[" "$hf" realise "$work/limb.schedule.json"
sed 's/"object": "chair"/"object": "throne"/' "$stand_up" >"$work/object.schedule.json"
expect 3 'the scene has no object "throne"' "$hf" realise "$work/object.schedule.json"
sed 's/"scenario": *"[^"]*"/"scenario": "gone.scenario.json"/' "$stand_up" >"$work/gone.schedule.json"
expect 3 '--scenario FILE says where it is' "$hf" realise "$work/gone.schedule.json"
expect 0 ' 0 faults' "$hf" realise "$work/gone.schedule.json" --scenario stand-up-front
sed -E 's/"(creature|scenario)": *"[^"]*",?//' "$stand_up" >"$work/none.schedule.json"
expect 3 'names neither creature nor scenario' "$hf" info "$work/none.schedule.json"
# Without a scenario the scene is empty; a creature without mass cannot claim balance.
printf '<robot name="a"><link name="b"/></robot>' >"$work/light.urdf"
cat >"$work/light.schedule.json" <<EOF
{ "format": "holdfast-schedule", "version": 1, "creature": "light.urdf", "claims": ["limits"], "holds": [],
  "knots": [ { "t": 0, "root": [0, 0, 1, 1, 0, 0, 0], "q": [] } ] }
EOF
expect 0 'light: found: 1 frame, 0.0 s, 0 faults' "$hf" realise "$work/light.schedule.json" -o "$work/made" $small
sed 's/"claims": \["limits"\], //' "$work/light.schedule.json" >"$work/heavy.schedule.json"
expect 3 'claims: balance is claimed, and the creature has no mass' "$hf" realise "$work/heavy.schedule.json"

sed 's/"samples": 1000/"score": { "beauty": 1 }/' "$work/stroll.scenario.json" >"$work/beauty.scenario.json"
expect 3 'options.score: unknown key "beauty"' "$hf" plan "$work/beauty.scenario.json"
sed 's/"goal": { [^}]*}, //' "$work/stroll.scenario.json" >"$work/aimless.scenario.json"
expect 3 'goal' "$hf" plan "$work/aimless.scenario.json"
# Many seeds: what is found and valid is 0, what is not found is 1.
expect 0 '"found": 2, "valid": 2' "$hf" bench soak -n 2 --only "$work/stroll.scenario.json" --json
expect 1 'no path of the root was found' "$hf" bench soak -n 1 --only "$work/stroll.scenario.json,$work/beyond.scenario.json"
expect 3 'needs one of kind "plan"' "$hf" bench soak --only demo

# Benchmarks of the command: random queries give valid answers alone, the same for any number of threads.
expect 0 'valid' "$hf" bench
expect 2 'did you mean "valid"?' "$hf" bench vlid
expect 0 ' valid, 0 invalid' "$hf" bench valid --count 300 --data none --threads 2
for threads in 1 2; do "$hf" bench valid -n 60 --data none --threads $threads --seed 5 --json -q >"$work/valid$threads.json"; done
grep -q '"queries": 60,.*"invalid": 0,' "$work/valid1.json" && cmp -s "$work/valid1.json" "$work/valid2.json" ||
  { echo "FAILED: bench valid --json, or it depends on the threads"; failures=$((failures + 1)); }
expect 1 'the time limit of 0.01 s was reached' "$hf" bench valid --data none --time-limit 0.01
expect 1 'the time limit of 0.01 s was reached' "$hf" bench paper --time-limit 0.01
expect 1 'the time limit of 0.01 s was reached' "$hf" bench task --time-limit 0.01

# Wrong files.
expect 3 'did you mean "human"?' "$hf" info humn
expect 3 'no such file' "$hf" info nowhere/a.urdf
expect 3 'did you mean "data/creatures/human.urdf"?' "$hf" info data/creatures/human.udf
mkdir "$work/folder.urdf"
expect 3 'is a folder' "$hf" info "$work/folder.urdf"
expect 3 'is a folder' "$hf" export data -o "$work/x.glb"
expect 3 'is a folder' "$hf" info data
expect 3 'is a creature, pose needs a scenario' "$hf" pose human
expect 3 'is a scenario, check needs a motion' "$hf" check demo
expect 3 'is not a folder' "$hf" pose demo -o VERSION
printf '<robot name="a"><link name="b"/>' >"$work/cut.urdf"
expect 3 "$work/cut.urdf:1" "$hf" info "$work/cut.urdf"
printf '{ "format": "holdfast-motion", "version": 1, "creture": "x" }' >"$work/bad.motion.json"
expect 3 'did you mean "creature"?' "$hf" check "$work/bad.motion.json"
head -c 4096 /dev/urandom >"$work/noise.stl"
expect 3 'noise.stl' "$hf" info "$work/noise.stl"
expect 3 'cannot be written' "$hf" render human -o /nonexistent/x.png --size 64x64 --samples 1

# Files that nobody could read to their end, names that mislead.
mkfifo "$work/pipe.json" "$work/pipe.glb" "$work/pipe.urdf"
for ending in json glb urdf; do expect 3 "pipe.$ending" timeout 10 "$hf" info "$work/pipe.$ending"; done
ln -s loop.urdf "$work/loop.urdf"
expect 3 'cannot be opened' "$hf" info "$work/loop.urdf"
mkdir "$work/human"
expect 0 'creature human' sh -c "cd '$work' && '$hf' info human"
printf '\357\273\277{ "format": "holdfast-creature", "version": 1, "urdf": "%s" }\r\n' \
  "$PWD/data/creatures/spider.urdf" >"$work/mark.creature.json"
expect 0 'creature spider' "$hf" info "$work/mark.creature.json"
expect 2 '--seed 1.5: a whole number' "$hf" pose demo --seed 1.5
[ -w /dev/full ] && expect 3 'standard output cannot be written' sh -c "'$hf' help >/dev/full"

# Right ones.
expect 0 'human' "$hf" info
expect 0 '"kind": "creature"' "$hf" info human --json
expect 0 '"effector": "l_hand", "joints": 9' "$hf" info human --json
expect 0 'scenario demo (pose)' "$hf" info demo
expect 0 'free of collision' "$hf" pose demo -o "$work" --size 160x90 --samples 1
for f in demo.motion.json demo.glb demo.png; do
  [ -s "$work/$f" ] || { echo "FAILED: pose did not write $f"; failures=$((failures + 1)); }
done
[ "$(head -c 4 "$work/demo.glb")" = glTF ] || { echo "FAILED: not a GLB"; failures=$((failures + 1)); }
expect 0 '"valid": true' "$hf" check "$work/demo.motion.json" --json
expect 1 'there is no motion in it' "$hf" refine "$work/demo.motion.json"
expect 0 'motion (found): 1 frame' "$hf" info "$work/demo.motion.json"
for ending in glb bvh csv npy json motion.json; do
  expect 0 "wrote $work/again.$ending" "$hf" export "$work/demo.motion.json" -o "$work/again.$ending"
done
[ -s "$work/again.columns.txt" ] || { echo "FAILED: no names beside the .npy"; failures=$((failures + 1)); }
# Forces in motion, tables for controllers and plots: a still pose, another creature and a motion without contacts are told as such.
expect 3 'there is 1, and forces in motion need at least 5' "$hf" check "$work/demo.motion.json" --dynamic
expect 3 "the creature's joint" "$hf" check "$work/demo.motion.json" --dynamic --creature insect
expect 0 'the motion has one frame: speeds and accelerations are 0' "$hf" export "$work/demo.motion.json" -o "$work/again.csv"
expect 2 '--quaternion wzyx: wxyz or xyzw is expected' "$hf" export "$work/demo.motion.json" --quaternion wzyx -o "$work/again.csv"
expect 2 '--quaternion goes with .csv, .npy and .json' "$hf" export "$work/demo.motion.json" --quaternion xyzw -o "$work/again.glb"
expect 3 'there is 1, and' "$hf" render "$work/demo.motion.json" --plot -o "$work/plot.png"
expect 2 '--with goes with --plot' "$hf" render "$work/demo.motion.json" --with "$work/demo.motion.json" -o "$work/plot.png"
expect 3 'render --plot needs a motion' "$hf" render human --plot -o "$work/plot.png"
expect 0 'wrote' "$hf" export human -o "$work/human.xml"
expect 3 'is a motion, export -o FILE.xml needs a creature' "$hf" export "$work/demo.motion.json" -o "$work/human.xml"
python3 - "$work/demo.motion.json" "$work" <<'PYTHON'
import json, sys
motion = json.load(open(sys.argv[1]))
motion["frames"] = [dict(motion["frames"][0], t=i / 30, contacts=[]) for i in range(9)]
for key in ("creature", "scenario"):
    motion[key] = __import__("os").path.abspath(__import__("os").path.join(sys.argv[2], motion[key]))
json.dump(motion, open(sys.argv[2] + "/floating.motion.json", "w"))
PYTHON
expect 3 'no frame has a contact' "$hf" check "$work/floating.motion.json" --dynamic
expect 3 'no frame has a contact' "$hf" render "$work/floating.motion.json" --plot -o "$work/plot.png"
expect 0 'the motion has no contacts: nothing bears it' "$hf" export "$work/floating.motion.json" -o "$work/floating.csv"
expect 0 'wrote' "$hf" export human -o "$work/human.bvh"
expect 0 '"kind": "clip"' "$hf" info "$work/human.bvh" --json
expect 0 'wrote' "$hf" export "$work/human.bvh" -o "$work/rig.motion.json"
[ -s "$work/human.urdf" ] || { echo "FAILED: no URDF beside the rig's motion"; failures=$((failures + 1)); }
expect 0 'motion' "$hf" info "$work/rig.motion.json"
{ printf '{ "nodes": [{"name": "hip", "children": [1]}, {"translation": [0, -1, 0]}],'; printf '%1100000s' '';
  printf '"skins": [{"joints": [0, 1]}] }'; } >"$work/late.gltf"
expect 0 '"kind": "creature"' "$hf" info "$work/late.gltf" --json
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n' >"$work/line.obj"
expect 0 '"warnings": ["1 line element' "$hf" info "$work/line.obj" --json
expect 0 'warning: 1 line element' "$hf" info "$work/line.obj"
expect 0 'valid' "$hf" check "$work/demo.motion.json" --creature human --scenario demo
expect 3 'demo.motion.json: joints' "$hf" render "$work/demo.motion.json" --creature insect -o "$work/m.png"
expect 3 'demo.motion.json: joints' "$hf" export "$work/demo.motion.json" --creature insect -o "$work/m.motion.json"
mkdir "$work/$(printf 'l\344tin')"
cp "$work/rig.motion.json" "$work/$(printf 'l\344tin')/"
expect 0 '"kind": "motion"' "$hf" info "$work/$(printf 'l\344tin')/rig.motion.json" --json
expect 0 'wrote' "$hf" render "$work/demo.motion.json" -o "$work/m.png" --size 64x64 --samples 1

# A strip without a number has as many moments as the pictures of plans, and the next word is no value of it.
expect 0 'wrote' "$hf" render "$work/demo.motion.json" --strip 8 -o "$work/m8.png" --size 400x64 --samples 1
expect 0 'wrote' "$hf" render --strip "$work/demo.motion.json" -o "$work/m9.png" --size 400x64 --samples 1
cmp -s "$work/m8.png" "$work/m9.png" || { echo "FAILED: --strip is not --strip 8"; failures=$((failures + 1)); }
expect 2 '--strip 0: a whole number' "$hf" render "$work/demo.motion.json" --strip 0 -o "$work/m.png"
expect 0 '"finished": true' "$hf" render room -o "$work/r.png" --size 64x64 --samples 1 --json
expect 0 '"valid": true' "$hf" check "$work/demo.motion.json" --creature human --scenario demo --json

# What cannot be judged is not valid: in words, in JSON and in the exit code.
sed 's|"scenario": *"[^"]*", *||' "$work/demo.motion.json" >"$work/nowhere.motion.json"
expect 1 'NOT VALID' "$hf" check "$work/nowhere.motion.json"
expect 1 'claimed and cannot be judged: collision' "$hf" check "$work/nowhere.motion.json"
expect 1 '"valid": false' "$hf" check "$work/nowhere.motion.json" --json
expect 1 '"unjudged": ["collision"' "$hf" check "$work/nowhere.motion.json" --json
expect 0 '"unjudged": []' "$hf" check "$work/nowhere.motion.json" --scenario demo --json

# A motion that was moved away from what it names says so.
mkdir "$work/away"
sed 's|"creature": *"[^"]*"|"creature": "gone.creature.json"|' "$work/demo.motion.json" >"$work/away/demo.motion.json"
expect 3 '--creature FILE says where it is' "$hf" check "$work/away/demo.motion.json"

# The same run gives the same files, whatever the threads.
"$hf" pose demo -o "$work/one" --threads 1 --size 64x64 --quiet >/dev/null
"$hf" pose demo -o "$work/two" --threads 2 --size 64x64 --quiet >/dev/null
for f in demo.motion.json demo.glb demo.png; do
  cmp -s "$work/one/$f" "$work/two/$f" || { echo "FAILED: $f depends on the threads"; failures=$((failures + 1)); }
done

# Round feet stand on points given without a normal, on a floor whose keys bring it there; the check agrees.
# The floor is an open sheet seen from below, and one limb has two targets.
printf 'v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 3 2\nf 1 4 3\n' >"$work/sheet.obj"
cat >"$work/paws.scenario.json" <<END
{ "format": "holdfast-scenario", "version": 1, "kind": "pose",
  "creature": "$PWD/data/creatures/quadruped.creature.json",
  "scene": [ { "name": "floor", "mesh": "sheet.obj", "position": [0, 0, 5], "keys": [ [0, [0,0,0, 1,0,0,0]] ] } ],
  "start": { "root": [0, 0, 0.5, 1, 0, 0, 0] },
  "targets": [ { "limb": "left_front_leg", "point": [0.22, 0.13, 0] },
               { "limb": "right_front_leg", "point": [0.2, -0.13, 0] },
               { "limb": "left_hind_leg", "point": [-0.3, 0.11, 0] },
               { "limb": "left_hind_leg", "point": [-0.3, 0.11, 0] },
               { "limb": "right_hind_leg", "point": [-0.28, -0.11, 0] } ] }
END
expect 0 'free of collision' "$hf" pose "$work/paws.scenario.json" -o "$work" --size 64x64 --samples 1
expect 0 '"valid": true' "$hf" check "$work/paws.motion.json" --json
[ "$(grep -o '"frame": *"paw"' "$work/paws.motion.json" | wc -l)" -eq 4 ] ||
  { echo "FAILED: four paws do not touch"; failures=$((failures + 1)); }

# A limb with two targets, into a folder with a very long name.
one=$(printf '%200s' | tr ' ' d)
long=$work/$one/$one/$one/$one/$one/$one
mkdir -p "$long"
sed -E "s|\"\.\./|\"$PWD/data/|g; s|\"targets\": *\[|&{\"limb\": \"left_leg\", \"point\": [0.42, 0.13, 0]}, |" \
  data/scenarios/pose-sit.scenario.json >"$work/twice.scenario.json"
expect 0 'all 6 targets' "$hf" pose "$work/twice.scenario.json" -o "$long" --size 64x64 --samples 1
for f in twice.motion.json twice.glb twice.png; do
  [ -s "$long/$f" ] || { echo "FAILED: pose did not write $f into a long path"; failures=$((failures + 1)); }
done

# Contacts of the start are held while the hand reaches: the feet stay where the start put them.
cat >"$work/held.scenario.json" <<EOF
{ "format": "holdfast-scenario", "version": 1, "kind": "pose", "creature": "$PWD/data/creatures/human.creature.json",
  "scene": [ { "name": "room", "mesh": "$PWD/data/scenes/room.obj" } ],
  "start": { "root": [0, 0, 0.9424, 1, 0, 0, 0],
    "contacts": [ "left_leg", { "limb": "right_leg", "point": [0.3, -0.2, 0], "normal": [0, 0, 1], "object": "room" } ] },
  "targets": [ { "limb": "left_arm", "point": [0.5, 0.25, 1.2] } ] }
EOF
expect 0 'all 3 targets' "$hf" pose "$work/held.scenario.json" -o "$work" --size 64x64 --samples 1
expect 0 '"valid": true' "$hf" check "$work/held.motion.json" --json
for foot in left_leg right_leg; do
  grep -q "\"limb\": *\"$foot\"" "$work/held.motion.json" || { echo "FAILED: $foot is no contact"; failures=$((failures + 1)); }
done

# A target nobody can reach: exit 1, a reason, and a partial motion.
sed -E 's/"point": *\[[^]]*\]/"point": [9, 9, 9]/' data/scenarios/demo.scenario.json |
  sed -E "s|\"\.\./|\"$PWD/data/|g" >"$work/far.scenario.json"
expect 1 'partial' "$hf" pose "$work/far.scenario.json" -o "$work" --size 64x64 --samples 1
expect 1 '"tries": 64,' "$hf" pose "$work/far.scenario.json" --json --quiet
expect 1 'the time limit of 0.001 s was reached' "$hf" pose "$work/far.scenario.json" -o "$work/late/er" --size 64x64 --samples 1 --time-limit 0.001
expect 1 'the time limit of 0.001 s was reached' "$hf" render human -o "$work/u.png" --samples 16 --time-limit 0.001

# Ctrl-C: the best pose so far is written, drawn, and said to be partial. 128 targets take over 3 s.
awk -v data="$PWD/data" 'BEGIN { printf "{ \"format\": \"holdfast-scenario\", \"version\": 1, \"kind\": \"pose\", \"creature\": \"%s/creatures/human.creature.json\", \"start\": { \"root\": [0,0,0.9424,1,0,0,0] }, \"targets\": [", data
  for (i = 0; i < 128; i++) printf "%s{ \"limb\": \"left_arm\", \"point\": [9, 0.2, %.3f], \"rotation\": [1,0,0,0] }", i ? ", " : " ", 1 + 0.001*i
  print " ] }" }' >"$work/many.scenario.json"
interrupt "$work/stop.log" pose "$work/many.scenario.json" -o "$work/stop" --size 64x64 --samples 1
[ $status -eq 1 ] && [ -s "$work/stop/many.motion.json" ] && [ -s "$work/stop/many.png" ] && grep -q 'partial' "$work/stop.log" ||
  { echo "FAILED: Ctrl-C gave $status"; cat "$work/stop.log"; failures=$((failures + 1)); }
grep -q '"outcome": *"partial"' "$work/stop/many.motion.json" || { echo "FAILED: the partial motion does not say so"; failures=$((failures + 1)); }
grep -q '"outcome": *"partial"' "$work/far.motion.json" || { echo "FAILED: the partial motion does not say so"; failures=$((failures + 1)); }

# A family of edits: every variant is a scenario and a motion that the check takes, and a row of the table.
expect 3 'is not OBJECT.height' "$hf" adapt stairs-step-raised --vary step_3.w=1:2:3
expect 3 'the scene has no object "step_9"' "$hf" adapt stairs-step-raised --vary step_9.z=0:1:2
expect 0 '"found": 2' "$hf" adapt stairs-step-raised --vary step_3.z=-0.02:0.01:2 -o "$work/family" --json --quiet
for i in 1 2; do
  expect 0 '"valid": true' "$hf" check "$work/family/stairs-step-raised-$i.motion.json" --json
  for f in scenario.json schedule.json root.npy joints.npy contacts.npy; do
    [ -s "$work/family/stairs-step-raised-$i.$f" ] || { echo "FAILED: adapt --vary did not write $f"; failures=$((failures + 1)); }
  done
done
[ "$(wc -l <"$work/family/stairs-step-raised.variants.csv")" -eq 3 ] || { echo "FAILED: the table of variants has not two rows"; failures=$((failures + 1)); }
expect 1 'the time limit of 0.001 s was reached' "$hf" adapt stairs-step-raised --vary step_3.z=-0.02:0.01:2 --time-limit 0.001 --json --quiet

# Of a clip that cannot be used nothing stays, and what was there before stays.
turns='CHANNELS 3 Xrotation Yrotation Zrotation'
cat >"$work/snake.bvh" <<EOF
HIERARCHY
ROOT a
{
OFFSET 0 0 0
$turns
JOINT b
{
OFFSET 0 0.9 0
$turns
End Site
{
OFFSET 0 0.9 0
}
}
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0
0 0 0 0 0 0
EOF
mkdir "$work/kept"; echo '# mine' >"$work/kept/floor.obj"
expect 3 'no limb of the creature' "$hf" adapt "$work/snake.bvh" --unit 1 --creature human --ground 0 -o "$work/kept"
[ "$(ls "$work/kept")" = floor.obj ] || { echo "FAILED: a failed adapt leaves $(ls "$work/kept")"; failures=$((failures + 1)); }
expect 3 'no limb of the creature' "$hf" adapt "$work/snake.bvh" --unit 1 --creature human --ground 0 -o "$work/none"
[ ! -e "$work/none" ] || { echo "FAILED: a failed adapt leaves a folder"; failures=$((failures + 1)); }
leg() {
  echo "JOINT $1Hip { OFFSET $2 -5 0 $turns JOINT $1Knee { OFFSET 0 -40 0 $turns JOINT $1Ankle { OFFSET 0 -40 0 $turns JOINT $1Toe { OFFSET 0 -5 15 $turns End Site { OFFSET 0 0 5 } } } } }"
}
{
  echo "HIERARCHY ROOT Hips { OFFSET 0 90 0 $turns $(leg L 10) $(leg R -10) JOINT Spine { OFFSET 0 10 0 $turns End Site { OFFSET 0 70 0 } } }"
  echo 'MOTION Frames: 20 Frame Time: 0.1'
  for _ in {1..20}; do echo '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'; done
} | sed 's/[{}]/\n&\n/g; s/ \(JOINT\|ROOT\|OFFSET\|CHANNELS\|End\|Frames:\|Frame Time\)/\n\1/g' | sed '/^ *$/d' >"$work/legs.bvh"
expect 3 'a height in metres is expected' "$hf" adapt "$work/legs.bvh" --unit 0.01 --fit-scene --ground low -o "$work/none"
[ ! -e "$work/none" ] || { echo "FAILED: a failed adapt leaves $(ls "$work/none")"; failures=$((failures + 1)); }

# Names that are no UTF-8 (here of Latin-1) do for pictures; files that would have to name them are refused,
# before the work begins.
odd=$work/$(printf 'caf\351')
cp "$work/legs.bvh" "$odd.bvh"
cp data/creatures/spider.urdf "$odd.urdf"
expect 0 'wrote' "$hf" render "$odd.urdf" --size 64x64 -o "$odd.png"
expect 3 'is a creature, adapt needs a clip' "$hf" adapt human
expect 3 'is not UTF-8 text' "$hf" adapt "$odd.bvh" --unit 0.01 -o "$work/none"
expect 3 'is not UTF-8 text' "$hf" stand "$odd.urdf" --at 0,0 -o "$work/none"
expect 3 'is not UTF-8 text' "$hf" export "$odd.urdf" -o "$work/odd.motion.json"
[ ! -e "$work/none" ] && [ ! -e "$work/odd.motion.json" ] || { echo "FAILED: odd names leave files"; failures=$((failures + 1)); }
expect 2 'up to 1e+06' "$hf" stand human --at 1e308,0
expect 0 'no contacts are kept: there is no scene' "$hf" adapt "$work/legs.bvh" --unit 0.01 --rate 20

[ $failures -eq 0 ]
