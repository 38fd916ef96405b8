#!/bin/sh
# check_gpu.sh [BUILD-FOLDER]
# What make test cannot check without a GPU, over a build with tests: the tests of the GPU engine, then a part of them
# under the tools of compute-sanitizer, a line for each with its own summary. Racecheck is so much slower that it
# watches a few searches of each graph. Ends with 1 when anything was found, or could not be looked for; what the
# tools said in full is in BUILD-FOLDER/check-gpu.
set -u
cd "$(dirname "$0")/.." || exit
build=${1:-build}
program=$build/bin/brushfire
tests=$build/bin/brushfire_tests
logs=$build/check-gpu
export BRUSHFIRE_REQUIRE_GPU=1

watched_tests='Graphs/GpuSearchBattery.MatchesTheOracle/*:Graphs/GpuWideLevels.*/kron_6_8:Graphs/GpuWideLevels.*/star'
watched_tests="$watched_tests:Gpu/Validate.Rule*:GpuLayout.OfTheBattery*"
raced_tests='Graphs/GpuSearchBattery.FindsOneTree/*'

complain() {
  echo "check_gpu: $*" >&2
  exit 1
}
for file in "$program" "$tests"; do
  [ -x "$file" ] || complain "$file is not built; make check-gpu does that"
done
devices=$("$program" devices) || complain "$program does not list its devices"
echo "$devices" | grep -q '^cuda *usable' ||
  complain "no usable GPU: $(echo "$devices" | sed -n 's/^cuda *not usable *//p' | sed 's/^GPU: //;q')"

failures=0
trap 'exit 130' INT TERM

# A test that has got another name would drop out without a word.
set -f
for pattern in $(echo "$watched_tests:$raced_tests" | tr : ' '); do
  "$tests" --gtest_list_tests --gtest_filter="$pattern" | grep -q '^  ' || complain "no test is called $pattern"
done
set +f

ctest --test-dir "$build" -L gpu --no-tests=error --output-on-failure --progress || failures=1

# Where the toolkit is, compute-sanitizer is too, on the PATH or not.
sanitizer=""
for candidate in compute-sanitizer "${CUDA_PATH:-/usr/local/cuda}/bin/compute-sanitizer" \
  /usr/local/cuda/bin/compute-sanitizer; do
  if command -v "$candidate" >/dev/null 2>&1; then
    sanitizer=$candidate
    break
  fi
done
[ -n "$sanitizer" ] || complain "compute-sanitizer is missing: it comes with the CUDA toolkit; put it on the PATH"

# Only a summary that says 0 counts as nothing found: a tool that never saw a kernel writes none.
watch() { # TOOL NAME-OF-THE-LOG WHAT COMMAND...
  tool=$1 log=$logs/$2.log what=$3
  shift 3
  status=0
  "$sanitizer" --tool "$tool" --error-exitcode 9 "$@" >"$log" 2>&1 </dev/null || status=$?
  summary=$(sed -n 's/^=* *[A-Z]* SUMMARY: //p' "$log" | tail -n 1)
  case $summary in
  '0 errors'* | '0 hazards'*) ;;
  *) [ $status -ne 0 ] || status=9 ;;
  esac
  printf '%-10s %-44s %s' "$tool" "$what" "${summary:-no summary}"
  if [ $status -eq 0 ]; then
    echo
  else
    failures=1
    echo "; status $status, see $log"
  fi
}

mkdir -p "$logs" && rm -f "$logs"/*.log || exit
for tool in memcheck initcheck synccheck; do
  watch $tool $tool "a part of the tests" "$tests" --gtest_brief=1 --gtest_filter="$watched_tests"
done
watch racecheck racecheck "one tree of each graph of the battery" \
  "$tests" --gtest_brief=1 --gtest_filter="$raced_tests"

[ $failures -eq 0 ]
