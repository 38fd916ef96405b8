#!/bin/sh
# Every check there is, in four builds: the release build with all tests, then the tests that matter under the address
# and undefined-behaviour sanitizers and under the thread sanitizer, then each fuzzer for a moment. A build whose
# toolchain is missing is skipped with a line that says so. The last line counts tests over all of them, and one
# for each check that is not a test of ctest: the formatting, a build that fails, a build that is skipped.
set -u
cd "$(dirname "$0")/.." || exit

# What the sanitizer builds run, by the names of the tests: everything is too slow there.
address_tests='.'
address_tests_not='Slow'
thread_tests='Search|Engine|Build|Traverse|Parallel'
thread_tests_not='Slow'

passed=0 failed=0 skipped=0
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

# ctest's own count, from the head of its JUnit file.
count() { # JUNIT-FILE
  attribute() { tr '\n\t' '  ' <"$1" | sed -n "s/.*<testsuite [^>]* $2=\"\([0-9]*\)\".*/\1/p"; }
  [ -s "$1" ] || return 1
  tests=$(attribute "$1" tests) failures=$(attribute "$1" failures)
  left_out=$(($(attribute "$1" skipped) + $(attribute "$1" disabled)))
  passed=$((passed + tests - failures - left_out))
  failed=$((failed + failures))
  skipped=$((skipped + left_out))
}
run_tests() { # BUILD-FOLDER CTEST-OPTION...
  folder=$1
  shift
  before=$failed
  rm -f "$scratch/junit.xml"
  # Tests that pass need no line each: what failed, what was skipped and ctest's closing lines remain.
  {
    ctest --test-dir "$folder" --parallel "$(nproc)" --no-tests=error --output-on-failure \
      --output-junit "$scratch/junit.xml" "$@" 2>&1
    echo $? >"$scratch/status"
  } | grep --line-buffered -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .* Passed +[0-9.]+ sec *$)'
  status=$(cat "$scratch/status")
  count "$scratch/junit.xml" || fail "ctest could not run in $folder"
  if [ "$status" -ne 0 ] && [ $failed -eq "$before" ]; then fail "ctest in $folder ended with status $status"; fi
}

runs() { # COMPILER FLAG... <SOURCE: whether that makes a program that runs
  "$@" -x c++ - -o "$scratch/probe" >"$scratch/log" 2>&1 && "$scratch/probe" >"$scratch/log" 2>&1
}
parallel_program='int main() { int sum = 0;
#pragma omp parallel for reduction(+ : sum)
for (int i = 0; i < 100; ++i) sum += i; return sum == 4950 ? 0 : 1; }'
archer() { # where LLVM's bridge from OpenMP to the thread sanitizer is, if anywhere
  for file in "$(clang++ -print-file-name=libarcher.so)" \
    "$(dirname "$(readlink -f "$(command -v clang++)")")/../lib/libarcher.so"; do
    if [ -f "$file" ]; then
      readlink -f "$file"
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

title "release: every test"
if sh scripts/build.sh --tests release all; then run_tests build; else fail "the release build"; fi

title "address and undefined-behaviour sanitizers"
# shellcheck disable=SC2086 # CXX may be two words
if ! echo "$parallel_program" | runs ${CXX:-c++} -fopenmp -fsanitize=address,undefined; then
  skip "${CXX:-c++} makes no program that runs with -fsanitize=address,undefined"
elif sh scripts/build.sh --tests asan brushfire_tests; then
  run_tests build-asan -R "$address_tests" -E "$address_tests_not"
else
  fail "the build with address and undefined-behaviour sanitizers"
fi

title "thread sanitizer"
if ! command -v clang++ >/dev/null; then
  skip "the thread sanitizer needs clang"
elif [ -z "$(archer)" ]; then
  skip "the thread sanitizer needs libarcher.so of LLVM's libomp"
else
  OMP_TOOL_LIBRARIES=$(archer) TSAN_OPTIONS=ignore_noninstrumented_modules=1
  export OMP_TOOL_LIBRARIES TSAN_OPTIONS
  if ! echo "$parallel_program" | runs clang++ -fopenmp -fsanitize=thread; then
    skip "clang++ makes no program that runs with -fopenmp -fsanitize=thread"
  elif sh scripts/build.sh --tests tsan brushfire_tests; then
    run_tests build-tsan -R "$thread_tests" -E "$thread_tests_not"
  else
    fail "the build with the thread sanitizer"
  fi
  unset OMP_TOOL_LIBRARIES TSAN_OPTIONS
fi

title "fuzzers"
fuzzers=$(find tests/fuzz -name '*_fuzz.cpp' -exec basename {} .cpp \; | sort)
# shellcheck disable=SC2086 # a list of targets
if ! command -v clang++ >/dev/null; then
  skip "the fuzzers need clang"
elif ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  clang++ -fopenmp -fsanitize=fuzzer,address,undefined -x c++ - -o "$scratch/probe" >"$scratch/log" 2>&1; then
  skip "clang++ makes no program with -fopenmp -fsanitize=fuzzer,address,undefined"
elif sh scripts/build.sh --tests fuzz $fuzzers; then
  run_tests build-fuzz -L fuzz
else
  fail "the build of the fuzzers"
fi

printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed -eq 0 ]
