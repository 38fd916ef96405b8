#!/bin/sh
# Every check there is, in three builds: the release build with all tests, then the tests that matter under the address
# and undefined-behaviour sanitizers and each fuzzer for a moment, then those that matter under the thread sanitizer.
# What lacks its toolchain is skipped with a line that says so. The last line counts tests over all of them, and one
# for each check that is not a test of ctest: the formatting, a build that fails, a build that is skipped.
set -u
cd "$(dirname "$0")/.." || exit

# What the sanitizer builds run, by the names of the tests. Left out: what is large or timed, too slow there; what
# forks beside threads, because the child may inherit a lock of the sanitizer's own that a starting thread held; and
# under the thread sanitizer everything that one thread does, judges that spread over devices, which other tests have do
# so, graphs of many levels, where threads do little but wait for each other, and the search over noise, where two
# vertices may claim to be the same one: answers mean nothing there, only bounds do.
large_tests='*OfTheReference*:*AsTheCompiledReference*:*TheReferences*:*Larger*:*ALongPath*:*RoundTrips*:*ManySparse*'
large_tests="$large_tests:*EveryFlippedBit*:*Million*:*Quickly*:*Spread/Validate.ThreadsAgree*"
forking_tests='*Fork*'
thread_tests='*Search*:*DeviceGroup*:*Engine*:*Layout*:*Bfg*:*Parallel*:*Team*:*Labels*:*Validate*:*Writer*:*EdgeList*'
thread_tests="$thread_tests:*Kronecker*:*Generator*"
unfit_for_threads='*OverNoise*:*Spread/Validate.AcceptsAnyValidTree*:*Battery.*/*path*'

passed=0 failed=0 skipped=0
fixed_addresses=""
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

title() { printf '\n== %s\n' "$*"; }
skip() {
  echo "skipped: $*"
  skipped=$((skipped + 1))
}
fail() {
  echo "failed: $*"
  failed=$((failed + 1))
}

add_up() { # TESTS FAILURES SKIPPED
  passed=$((passed + $1 - $2 - $3))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# ctest's own count, from the head of its JUnit file.
count() { # JUNIT-FILE
  attribute() { tr '\n\t' '  ' <"$1" | sed -n "s/.*<testsuite [^>]* $2=\"\([0-9]*\)\".*/\1/p"; }
  [ -s "$1" ] || return 1
  add_up "$(attribute "$1" tests)" "$(attribute "$1" failures)" \
    $(($(attribute "$1" skipped) + $(attribute "$1" disabled)))
}
run_tests() { # BUILD-FOLDER CTEST-OPTION...
  folder=$1
  shift
  before=$failed
  rm -f "$scratch/junit.xml"
  # Tests that pass need no line each, nor do those that find no GPU: what failed, what else was skipped and ctest's
  # closing lines remain.
  {
    $fixed_addresses ctest --test-dir "$folder" --parallel "$(nproc)" --no-tests=error --output-on-failure \
      --output-junit "$scratch/junit.xml" "$@" 2>&1
    echo $? >"$scratch/status"
  } | grep --line-buffered -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .* Passed +[0-9.]+ sec *$)' |
    grep --line-buffered -vE '^ *[0-9]+/[0-9]+ Test .*Gpu.*\*\*\*Skipped|^[[:space:]]+[0-9]+ - .*Gpu.* \(Skipped\)$'
  status=$(cat "$scratch/status")
  count "$scratch/junit.xml" || fail "ctest could not run in $folder"
  if [ "$status" -ne 0 ] && [ $failed -eq "$before" ]; then fail "ctest in $folder ended with status $status"; fi
  without_gpu=$(grep -c '<testcase name="[^"]*Gpu[^"]*" .*status="notrun"' "$scratch/junit.xml" 2>/dev/null)
  [ "${without_gpu:-0}" -eq 0 ] ||
    echo "skipped: $without_gpu tests of the GPU engine: $("$folder/bin/brushfire" devices | sed -n 's/^cuda *not usable *//p')"
}

# Under a sanitizer a process takes longer to start than most tests take: a few processes run many tests each. One that
# hangs is ended.
# shellcheck disable=SC2016,SC2086 # the inner shell expands; a list of words
run_in_few_processes() { # BUILD-FOLDER GTEST-FILTER
  processes=$((4 * $(nproc)))
  seq $processes | GTEST_TOTAL_SHARDS=$processes CUDA_VISIBLE_DEVICES="" xargs -P "$(nproc)" -I '{}' $fixed_addresses \
    sh -c 'export GTEST_SHARD_INDEX=$(($4 - 1))
           timeout 600 "$1" --gtest_filter="$2" --gtest_output="xml:$3.xml" >"$3.txt" 2>&1
           echo $? >"$3.status"' sh "$1/bin/brushfire_tests" "$2" "$scratch/{}" '{}'
  before=$((passed + failed))
  for process in $(seq $processes); do
    list=$scratch/$process.xml status=$(cat "$scratch/$process.status") failures=0
    if [ -s "$list" ]; then
      failures=$(sed -n 's/^<testsuites [^>]*failures="\([0-9]*\)".*/\1/p' "$list")
      add_up "$(grep -c '<testcase ' "$list")" "$failures" "$(grep -c '<testcase .* result="skipped"' "$list")"
    fi
    if [ "$status" -ne 0 ]; then
      grep -vE '^\[ +(OK|RUN) +\]|^\[-+\]' "$scratch/$process.txt" | tail -n 200
      echo "the last test there: $(grep '^\[ RUN' "$scratch/$process.txt" | tail -n 1)"
      [ "$failures" -ne 0 ] || fail "a process of $1 ended with status $status"
    fi
    rm -f "$list"
  done
  echo "$((passed + failed - before)) tests in $processes processes"
  [ $((passed + failed)) -gt "$before" ] || fail "no test ran in $1"
}

# The first of the compilers whose programs run with these flags.
# shellcheck disable=SC2086 # lists of words
compiler_with() { # FLAGS COMPILER...
  flags=$1
  shift
  cat >"$scratch/probe.cpp" <<'END'
#include <cstddef>
#include <thread>
#ifdef FUZZER
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, std::size_t) { return 0; }
#else
int main() { std::thread([] {}).join(); }
#endif
END
  for compiler in "$@"; do
    if $compiler -pthread $flags "$scratch/probe.cpp" -o "$scratch/probe" >/dev/null 2>&1 &&
      $fixed_addresses "$scratch/probe" -runs=1 >/dev/null 2>&1; then
      echo "$compiler"
      return
    fi
  done
}

title "format"
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [ "$version" = 14 ]; then
  if sh scripts/lint.sh --format; then
    echo "formatted as .clang-format has it"
    passed=$((passed + 1))
  else
    fail "the formatting"
  fi
else
  skip "the formatting is that of clang-format 14, here is ${version:-none}"
fi

# Without a GPU nothing shows on a second architecture what did not show on the first.
nvidia-smi >/dev/null 2>&1 || export CUDAARCHS="${CUDAARCHS:-90}"

title "release: every test"
if sh scripts/build.sh --tests release all; then run_tests build; else fail "the release build"; fi

# Sanitizers of some age cannot place their shadow where newer kernels scatter programs: keep addresses still.
if setarch -R true 2>/dev/null; then fixed_addresses="setarch -R"; fi

export UBSAN_OPTIONS=print_stacktrace=1

title "address and undefined-behaviour sanitizers, fuzzers"
fuzzers=$(find tests/fuzz -name '*_fuzz.cpp' -exec basename {} .cpp \; | sort) preset=fuzz
compiler=$(compiler_with '-DFUZZER -fsanitize=fuzzer,address,undefined' clang++)
if [ -z "$compiler" ]; then
  skip "the fuzzers need clang++ with libFuzzer (clang, libclang-rt-dev)"
  fuzzers="" preset=asan
  compiler=$(compiler_with -fsanitize=address,undefined "${CXX:-c++}" clang++)
fi
# shellcheck disable=SC2086 # a list of targets
if [ -z "$compiler" ]; then
  skip "no compiler here makes programs that run with -fsanitize=address,undefined"
elif CXX=$compiler sh scripts/build.sh --tests $preset brushfire_tests $fuzzers; then
  run_in_few_processes build-$preset "-$large_tests:$forking_tests"
  if [ -n "$fuzzers" ]; then run_tests build-fuzz -L fuzz; fi
else
  fail "the build with address and undefined-behaviour sanitizers${fuzzers:+, and of the fuzzers}"
fi

title "thread sanitizer"
# Clang first: with its thread sanitizer (14) the same tests take three fifths of the time they take with GCC's (12).
compiler=$(compiler_with -fsanitize=thread clang++ "${CXX:-c++}")
if [ -z "$compiler" ]; then
  skip "no compiler here makes programs that run with -fsanitize=thread"
elif CXX=$compiler sh scripts/build.sh --tests tsan brushfire_tests; then
  run_in_few_processes build-tsan "$thread_tests-$large_tests:$forking_tests:$unfit_for_threads"
else
  fail "the build with the thread sanitizer"
fi

printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed -eq 0 ]
