#!/usr/bin/env bash
# The shape of the tree: modules include only what stands above them, the command uses public headers alone,
# the sources are formatted, and no file holds a path of the machine it was written on.
set -u
cd "$(dirname "$0")/.."
order="base geom model io solve balance contact space schedule plan live adapt reach refine check render"
bad=0
complain() { echo "$1"; bad=1; }

position() { local n=0 m; for m in $order; do n=$((n + 1)); [ "$m" = "$1" ] && { echo $n; return; }; done; echo 0; }
for file in src/*/*.[ch]; do
  module=$(basename "$(dirname "$file")")
  mine=$(position "$module")
  [ "$mine" -gt 0 ] || complain "$file: module $module is not in the order"
  while read -r other; do
    theirs=$(position "$other")
    [ "$theirs" -gt 0 ] && [ "$theirs" -le "$mine" ] || complain "$file includes $other/, which stands below $module"
    # The report judges what the others made, so it shares no geometry with them.
    [ "$module" = check ] && case $other in geom|model|solve|balance|contact|space|schedule|plan|live) complain "$file includes $other/";; esac
  done < <(sed -nE 's|^#include "([a-z]+)/.*|\1|p' "$file")
done
for file in cli/*.[ch] examples/*.c examples/*/*.c; do
  grep -nE '^#include "(base|geom|model|io|solve|balance|contact|space|schedule|plan|live|check|render)/' "$file" && complain "$file looks inside the library"
done
if command -v clang-format >/dev/null 2>&1; then
  for file in include/holdfast/*.h src/*/*.[ch] cli/*.[ch] tests/*.[ch] bench/*.[ch] fuzz/*.[ch] examples/*.c examples/*/*.c; do
    [ -e "$file" ] || continue
    clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || complain "$file is not formatted: clang-format -i $file"
  done
fi
git grep -nE '(/home/|/root/)[a-z]' -- ':!tests/tree_order_test.sh' 2>/dev/null && complain "a path of one machine"
exit $bad
