#!/bin/sh
# check.sh BUILD-FOLDER SOURCE-FOLDER
# Installs into a folder of its own and uses what stands there as a stranger would: nothing but what belongs there, a
# program and a library that find each other, hidden names, and programs built with CMake and with pkg-config.
set -eu
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/pre/fix

fail() {
  echo "installed: $*"
  exit 1
}

cmake --install "$build" --prefix "$prefix" >/dev/null
cd "$prefix"
version=$(bin/brushfire --version | sed 's/.* //')
library=$(find . -name "libbrushfire.so.$version")
folder=$(dirname "${library#./}")

strangers=$(find . -type f -o -type l | grep -vE "^\./(bin/brushfire|include/brushfire\.h|include/brushfire/[a-z0-9_]+\.hp*|\
$folder/libbrushfire\.so[0-9.]*|$folder/cmake/brushfire/brushfireConfig[-A-Za-z]*\.cmake|$folder/pkgconfig/brushfire\.pc|\
share/man/man1/brushfire\.1|share/bash-completion/completions/brushfire|share/zsh/site-functions/_brushfire|\
share/fish/vendor_completions\.d/brushfire\.fish|lib/python3/dist-packages/brushfire/[a-z_.0-9A-Z-]+)$" || true)
[ -z "$strangers" ] || fail "these do not belong there: $strangers"
for file in bin/brushfire include/brushfire.h include/brushfire/graph.hpp share/man/man1/brushfire.1 \
  share/bash-completion/completions/brushfire share/zsh/site-functions/_brushfire \
  share/fish/vendor_completions.d/brushfire.fish "$folder/pkgconfig/brushfire.pc"; do
  [ -s "$file" ] || fail "$file is missing"
done
(cd "$source/include" && find . -name '*.hpp') | while read -r header; do
  cmp -s "$source/include/$header" "include/$header" || fail "$header is not installed"
done

# The tree may be moved: nothing in it knows where it was made.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
cd "$prefix"
grep -rqF "$build" include share "$folder/cmake" "$folder/pkgconfig" && fail "a path of the build is left"
bin/brushfire bfs path:5 --source 0 --quiet | grep -q 'reached 5' || fail "the program does not run"

soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "libbrushfire.so.${version%.*}" ] || fail "the soname is $soname"
others=$(nm -DC --defined-only "$library" | cut -d' ' -f3- | grep -vE '^(brushfire(::|_)|(typeinfo|vtable)( name)? for brushfire::)' || true)
[ -z "$others" ] || fail "names that are not ours are visible: $others"
nm -DC --defined-only "$library" | grep -E 'brushfire::(GraphData|Labels|Team|Layout)' && fail "names from inside are visible"

DESTDIR=$scratch/dest cmake --install "$build" --prefix /opt/brushfire >/dev/null
[ -x "$scratch/dest/opt/brushfire/bin/brushfire" ] || fail "DESTDIR is not respected"

expected="from .*|parent of .*|10 20 40 50 |level .*|2: source 10 is not in path:10|4 vertices, depth 3|5 vertices, depth 3"
runs() { # PROGRAM
  "$1" >"$scratch/out" || fail "$1 ends with $?"
  grep -qx '10 20 40 50 ' "$scratch/out" || fail "$1 finds no path"
  grep -vxE "$expected" "$scratch/out" && fail "$1 says something else"
  return 0
}
cp -r "$source/examples/embed" "$scratch/consumer"
cmake -S "$scratch/consumer" -B "$scratch/with-cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug >"$scratch/log" 2>&1 &&
  cmake --build "$scratch/with-cmake" >>"$scratch/log" 2>&1 || fail "find_package(brushfire): $(cat "$scratch/log")"
runs "$scratch/with-cmake/example_cpp"
runs "$scratch/with-cmake/example_c"

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH="$prefix/$folder/pkgconfig"
  [ "$(pkg-config --modversion brushfire)" = "$version" ] || fail "pkg-config has another version"
  # shellcheck disable=SC2046 # a list of flags
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror -pedantic "$scratch/consumer/example.c" -o "$scratch/with-pkg-config" \
    $(pkg-config --cflags --libs brushfire) -Wl,-rpath,"$(pkg-config --variable=libdir brushfire)" || fail "pkg-config: the example does not compile"
  runs "$scratch/with-pkg-config"
else
  echo "there is no pkg-config; its part is left out"
fi

# The module finds the library of its own tree, and in a wheel the one beside it.
packages=$prefix/lib/python3/dist-packages
if [ -d "$packages" ]; then
  python=$(sed -n 's/^BRUSHFIRE_PYTHON:[A-Z]*=//p' "$build/CMakeCache.txt")
  if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "$python has no NumPy; its part is left out"
  else
    example() { # FOLDER
      PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1 "$python" "$source/examples/embed/example.py" >"$scratch/out" &&
        grep -qxF '[10, 20, 40, 50]' "$scratch/out"
    }
    example "$packages" || fail "the Python example does not run"
    if "$python" -c 'import wheel' 2>/dev/null; then
      cmake --build "$build" --target wheel >"$scratch/log" 2>&1 || fail "no wheel: $(cat "$scratch/log")"
      "$python" -m zipfile -e "$build/brushfire-$version"-*.whl "$scratch/wheel"
      example "$scratch/wheel" || fail "the Python example does not run from the wheel"
    else
      echo "$python has no wheel (python3-wheel); its part is left out"
    fi
  fi
fi
echo "installed: $(find . -type f | wc -l) files, all in use"
