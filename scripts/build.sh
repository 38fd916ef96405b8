#!/bin/sh
# build.sh [--tests] PRESET TARGET...
# Configures a preset of CMakePresets.json when that has not been done, then builds the targets on every core.
# A tree that is configured is left to CMake, which configures again by itself when its inputs change, but for the
# presets.
set -eu
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL MFLAGS # CMake's make is no part of the one that may have called this

tests=OFF
if [ "$1" = --tests ]; then
  tests=ON
  shift
fi
preset=$1
shift
case $preset in release) directory=build ;; *) directory=build-$preset ;; esac
cache=$directory/CMakeCache.txt

configured() {
  [ -f "$cache" ] && [ -z "$(find CMakePresets.json build/setup-installed -newer "$cache" 2>/dev/null)" ] &&
    { [ -f "$directory/build.ninja" ] || [ -f "$directory/Makefile" ]; }
}
wanted_tests_are_in() { [ $tests = OFF ] || grep -q '^BRUSHFIRE_BUILD_TESTS:BOOL=ON' "$cache"; }

if ! configured || ! wanted_tests_are_in; then
  # The generator is free until the first configuration and fixed from then on.
  if [ ! -f "$cache" ] && command -v ninja >/dev/null 2>&1; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi
  cmake --preset "$preset" -DBRUSHFIRE_BUILD_TESTS=$tests
fi
cmake --build "$directory" --parallel "$(nproc)" --target "$@"
