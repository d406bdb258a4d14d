#!/usr/bin/env bash
# Installs into another folder and builds the examples against it, by CMake package and by pkg-config.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install build --prefix "$work/usr" >"$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
cp -r examples/hello examples/game_loop.c "$work/"
creature=$(find "$work/usr" -name human.creature.json)
[ -n "$creature" ] || { echo "the creatures were not installed"; exit 1; }

[ -s "$work/usr/share/man/man1/holdfast.1" ] && [ -s "$work/usr/share/bash-completion/completions/holdfast" ]

# The installed command finds its data by itself, away from the source tree.
(cd "$work" && HOLDFAST_DATA= "$work/usr/bin/holdfast" info human >/dev/null)

cmake -S "$work/hello" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$work/usr" >"$work/log" 2>&1 &&
  cmake --build "$work/by-cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/by-cmake/hello" "$creature" left_arm 0.3 0.3 0.2

export PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name holdfast.pc)")
cc -Wall -Werror "$work/hello/hello.c" $(pkg-config --cflags --libs holdfast) -o "$work/hello-pc"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir holdfast) "$work/hello-pc" "$creature" right_arm 0.3 -0.3 0.2
# A game's loop over the shipped bookshelf: the insect goes somewhere, and the times of the frames are printed.
cc -Wall -Wextra -Werror "$work/game_loop.c" $(pkg-config --cflags --libs holdfast) -lm -o "$work/game_loop"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir holdfast) "$work/game_loop" "$(find "$work/usr" -name bookshelf.scenario.json)" 10 |
  tee "$work/loop.log"
grep -q "99th percentile" "$work/loop.log"
awk '/frames,/ { far = $4 > 1 } END { exit !far }' "$work/loop.log"
[ "$(pkg-config --modversion holdfast)" = "$(cat VERSION)" ]

# Every public header compiles alone, in C and in C++.
for header in "$work"/usr/include/holdfast/*.h; do
  cc -std=c17 -Wall -Wextra -Werror -I"$work/usr/include" -fsyntax-only -x c "$header"
  c++ -Wall -Wextra -Werror -I"$work/usr/include" -fsyntax-only -x c++ "$header"
done
