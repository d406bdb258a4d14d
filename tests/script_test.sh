#!/usr/bin/env bash
# script/ctest-results counts honestly: nothing to run, a dead ctest, a test without a result and a missing program
# are failures; an absent oracle and cases skipped at run time are told as skipped.
set -u
cd "$(dirname "$0")/.."
command -v ctest >/dev/null 2>&1 || { echo "ctest is absent"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# expect NAME STATUS LINES: the results of the tests in $work must be these lines, in any order.
expect() {
  local got status
  got=$(script/ctest-results "$work" 2>/dev/null); status=$?
  if [ $status -ne "$2" ] || [ "$(sort <<<"$got")" != "$(sort <<<"$3")" ]; then
    printf 'FAILED: %s: status %s instead of %s; expected:\n%s\ngot:\n%s\n' "$1" $status "$2" "$3" "$got"
    bad=1
  fi
  rm -rf "$work/Testing"
}
tests() { cat >"$work/CTestTestfile.cmake"; }

tests </dev/null
expect "nothing to run" 1 "failed ctest: it lists no test"
rm "$work/CTestTestfile.cmake"
expect "no build" 1 "failed ctest: it lists no test"

tests <<'END'
add_test(fine true)
add_test(wrong false)
add_test(nowhere "/no/such/program")
END
expect "results" 1 "ok fine
failed wrong: Failed
failed nowhere: Not Run"

tests <<'END'
add_test(fine true)
add_test(second true)
END
expect "all passed" 0 "ok fine
ok second"

printf 'fine\nabsent\n' >"$work/list"
tests <<'END'
add_test(fine true)
add_test(finest true)
add_test(wrong false)
END
got=$(script/ctest-results "$work" "$work/list" 2>/dev/null)
[ "$(sort <<<"$got")" = "failed absent: it gave no result
ok fine" ] || { echo "FAILED: a list of tests gave: $got"; bad=1; }
rm -rf "$work/Testing"

# A program that starts a thread leaves a note, one that starts none does not.
printf '#include <pthread.h>\nstatic void* go(void* x) { return x; }\nint main(int n, char** a) { (void)a; pthread_t t; return n > 1 ? pthread_create(&t, 0, go, 0) || pthread_join(t, 0) : 0; }\n' >"$work/two.c"
mkdir "$work/notes"
cc -shared -fPIC -D_GNU_SOURCE tests/thread_note.c -o "$work/note.so" && cc "$work/two.c" -o "$work/two" && cp "$work/two" "$work/one" &&
  export THREAD_NOTES="$work/notes" && LD_PRELOAD="$work/note.so" "$work/two" with && LD_PRELOAD="$work/note.so" "$work/one" &&
  [ "$(ls "$work/notes")" = two ] || { echo "FAILED: notes of threads: $(ls "$work/notes")"; bad=1; }
unset THREAD_NOTES

tests <<'END'
add_test(killer sh -c "kill -9 $PPID")
add_test(never true)
set_tests_properties(never PROPERTIES DEPENDS killer)
END
expect "ctest dies" 1 "failed killer: it gave no result
failed never: it gave no result"

tests <<'END'
add_test(fine true)
add_test(oracle echo "skipped: MuJoCo is absent")
set_tests_properties(oracle PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
END
expect "absent oracle" 0 "ok fine
skipped oracle: MuJoCo is absent"

cat >"$work/some.txt" <<'END'
[==========] Running 2 test(s).
[ RUN      ] robots
third-party data is absent: skipped
[  SKIPPED ] robots
[ RUN      ] shapes
[       OK ] shapes
[==========] 2 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] robots
END
sed 's/PASSED  \] 1/PASSED  ] 0/; /shapes/d' "$work/some.txt" >"$work/all.txt"
tests <<END
add_test(some cat "$work/some.txt")
add_test(all cat "$work/all.txt")
END
expect "skipped cases" 0 "ok some
skipped some/robots: skipped at run time
skipped all: all its cases were skipped
skipped all/robots: skipped at run time"

# The closing line counts all three, and a failure is the exit status: script/test with its stages replaced.
mkdir -p "$work/tree/script" "$work/tree/tests" "$work/bin"
cp script/test script/ctest-results "$work/tree/script/"
printf '#!/bin/sh\nexit 0\n' | tee "$work/tree/script/setup" >"$work/bin/cmake"
chmod +x "$work/tree/script/setup" "$work/bin/cmake"
printf 'echo "no such oracle"; exit 77\n' >"$work/tree/tests/absent_test.sh"
# closing NAME STATUS LINE: of script/test core, with build/ as the CTestTestfile.cmake on standard input has it.
closing() {
  local got status
  rm -rf "$work/tree/build" && mkdir "$work/tree/build" && cat >"$work/tree/build/CTestTestfile.cmake"
  got=$(PATH="$work/bin:$PATH" "$work/tree/script/test" core 2>&1); status=$?
  if [ $status -ne "$2" ] || [ "$(tail -n 1 <<<"$got")" != "$3" ]; then
    printf 'FAILED: %s: status %s instead of %s; expected "%s"; got:\n%s\n' "$1" $status "$2" "$3" "$got"
    bad=1
  fi
}
closing "closing line" 0 "2 passed, 0 failed, 2 skipped" <<'END'
add_test(fine true)
add_test(oracle echo "skipped: MuJoCo is absent")
set_tests_properties(oracle PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
END
closing "closing line of nothing" 1 "1 passed, 1 failed, 1 skipped" </dev/null
exit $bad
