#!/bin/sh
# lint.sh [--format | --rewrite]
# Checks the formatting and runs clang-tidy over every source; --format checks the formatting only, --rewrite mends it.
set -eu
cd "$(dirname "$0")/.."

sources() { find src include surface tests bench examples \( "$@" \) 2>/dev/null | sort; }
all_sources=$(sources -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh')

# shellcheck disable=SC2086 # a list of names
check_format() {
  unformatted=$(clang-format --dry-run -Werror $all_sources 2>&1 | sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' | uniq)
  [ -z "$unformatted" ] || printf 'not formatted (make format mends it): %s\n' $unformatted
  [ -z "$unformatted" ]
}

# shellcheck disable=SC2086 # a list of names
case ${1:-} in
--rewrite) exec clang-format -i $all_sources ;;
--format)
  check_format
  exit
  ;;
esac

check_format
# Clang's own compile commands: some flags of GCC are unknown to clang-tidy.
cmake --preset tidy >/dev/null
sources -name '*.cpp' | grep -vE '^(tests/fuzz|src/device)/|/cuda/' | # those are not in its build
  xargs -P "$(nproc)" -n 1 clang-tidy -p build-tidy --quiet 2>/dev/null # findings are on stdout, counts on stderr
echo "formatting and clang-tidy: nothing to say"
