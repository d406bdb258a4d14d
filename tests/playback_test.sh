#!/usr/bin/env bash
# Playing motions in MuJoCo: who stands still stays, who stands beside its feet or gives no torques falls, steps are tracked within millimetres, and what cannot be played is refused with a reason.
# Exits 77 (skipped) where MuJoCo is not installed, so that there is no build/playback.
set -u
cd "$(dirname "$0")/.."
hf=$PWD/build/holdfast play=$PWD/build/playback
[ -x "$play" ] || { echo "build/playback is missing: MuJoCo is not installed (script/setup playback)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE TEXT MOTION [FLAG]: the exit code, and a text somewhere in what it prints.
expect() {
  local out status
  out=$("$play" "$3" "$work" ${4+"$4"} 2>&1); status=$?
  [ $status -eq "$1" ] && printf '%s' "$out" | grep -qF -- "$2" && return
  echo "FAILED: playback $3 gave $status, wanted $1 and \"$2\":"; printf '%s\n' "$out" | head -n 5
  failures=$((failures + 1))
}

"$hf" realise data/clips/stairs.schedule.json -o "$work/stairs.motion.json" --quiet >/dev/null
# The first frame of the stairs for two seconds; the same with the body a foot's length aside; without contacts; one frame.
python3 - "$work" <<'PYTHON'
import copy, json, sys
folder = sys.argv[1]
motion = json.load(open(folder + "/stairs.motion.json"))
first = motion["frames"][0]
def write(name, frames):
    json.dump(dict(motion, frames=frames), open(f"{folder}/{name}.motion.json", "w"))
still = [dict(copy.deepcopy(first), t=i / 30) for i in range(61)]
write("still", still)
aside = copy.deepcopy(still)
for frame in aside:
    frame["root"][0] += 0.4
write("aside", aside)
write("floating", [dict(frame, contacts=[]) for frame in still])
write("one", still[:1])
write("begin", motion["frames"][:90])
PYTHON
expect 0 '"tracked": 1.0000' "$work/still.motion.json"
expect 0 '"tracked": 1.0000' "$work/begin.motion.json"
expect 0 '"root_error_max_m": 0.00' "$work/begin.motion.json"
expect 0 '"unsolved": 0' "$work/begin.motion.json"
expect 0 '"fell_at_s": 0.' "$work/aside.motion.json"
expect 0 '"fell_at_s": 0.' "$work/still.motion.json" --limp
expect 3 'has no contacts' "$work/floating.motion.json"
expect 3 'has one frame' "$work/one.motion.json"
expect 3 'cannot be opened' "$work/none.motion.json"
[ $failures -eq 0 ] || exit 1
