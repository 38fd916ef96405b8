#!/bin/sh
# Finds out what is missing for building (and, with --install, --test, --docs or another purpose below, for that) and
# installs only that, with apt-get. Every need is probed, never looked up in a package database: a compiler, header or library
# counts wherever it came from, and a machine that has everything is left alone, offline, in a fraction of a second.
# BRUSHFIRE_NO_INSTALL=1 never calls a package manager.
set -eu
cd "$(dirname "$0")/.."

purpose=${1:-}
compiler=${CXX:-c++}
tried=build/setup-tried # optional packages that could not be had last time; make clean forgets them

say() { echo "setup: $*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# The probes. Without a compiler, headers and libraries are looked for where they usually are.
cxx() { $compiler -std=c++20 -x c++ - "$@" >/dev/null 2>&1; } # CXX may be two words: a cache and a compiler
has_cxx() { have "${compiler%% *}"; }
found() { find "$@" 2>/dev/null | grep -q .; }
has_header() {
  if has_cxx; then
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | cxx -E
  else
    found /usr/include /usr/local/include -path "*/$1"
  fi
}
links() { # -lLIBRARY...
  if has_cxx; then
    program=$(mktemp)
    status=0
    echo 'int main() {}' | cxx "$@" -o "$program" || status=1
    rm -f "$program"
    return $status
  fi
  for flag in "$@"; do
    found /usr/lib /usr/local/lib -name "lib${flag#-l}.so" -o -name "lib${flag#-l}.a" || return 1
  done
}
has_cmake() { # 3.25 or newer
  have cmake || return 1
  version=$(cmake --version | sed -n '1s/^cmake version //p')
  major=${version%%.*}
  minor=${version#*.} && minor=${minor%%.*}
  [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 25 ]; }
}
has_markdown() { # the system's python3 may not be the first one
  python3 -c 'import markdown' >/dev/null 2>&1 || /usr/bin/python3 -c 'import markdown' >/dev/null 2>&1
}
compiles_cxx20() { has_cxx && has_header concepts && has_header stdlib.h && links; }

# The fuzzers' runtime comes in a package that belongs to the clang that is there, or to the default one.
clang_version() { if have clang++; then clang++ --version | sed -n '1s/.*version \([0-9]*\).*/-\1/p'; fi; }
makes_fuzzers() {
  have clang++ || return 1
  program=$(mktemp)
  status=0
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -x c++ - -fsanitize=fuzzer -o "$program" >/dev/null 2>&1 || status=1
  rm -f "$program"
  return $status
}

has_python_module() { /usr/bin/python3 -c "import $1" >/dev/null 2>&1; }

required="" optional=""
need() { required="$required $1"; }
wish() { optional="$optional $1"; }

probe() {
  required="" optional=""
  compiles_cxx20 || need g++
  has_cmake || need cmake
  has_header CLI/CLI.hpp || need libcli11-dev
  { has_header fmt/format.h && links -lfmt; } || need libfmt-dev
  has_header nlohmann/json.hpp || need nlohmann-json3-dev
  { has_header zlib.h && links -lz; } || need zlib1g-dev
  { has_header zstd.h && links -lzstd; } || need libzstd-dev
  have mpicxx || wish libopenmpi-dev
  have mpirun || wish openmpi-bin

  if [ "$purpose" = --install ] || [ "$purpose" = --test ]; then # the Python module is the system interpreter's
    found /usr/include/python3* -name Python.h || wish python3-dev
    has_header pybind11/pybind11.h || wish pybind11-dev
    has_python_module numpy || wish python3-numpy
    has_python_module wheel || wish python3-wheel
  fi
  if [ "$purpose" = --test ]; then
    has_python_module scipy || wish python3-scipy
    has_python_module networkx || wish python3-networkx
    have pkg-config || wish pkg-config
    { has_header gtest/gtest.h && links -lgtest; } || need libgtest-dev
    { has_header rapidcheck.h && links -lrapidcheck; } || wish librapidcheck-dev
    have zstd || wish zstd
    have chromium || have chromium-browser || have google-chrome || wish chromium # opens the pages; not in Ubuntu's archive
    have clang++ || wish clang
    makes_fuzzers || wish "libclang-rt$(clang_version)-dev"
    have python3 || wish python3 # runs the commands of the docs
    has_markdown || wish python3-markdown
  elif [ "$purpose" = --check-gpu ]; then
    { has_header gtest/gtest.h && links -lgtest; } || need libgtest-dev
  elif [ "$purpose" = --bench-figures ]; then
    have python3 || need python3 # reads the results
  elif [ "$purpose" = --docs ]; then
    have python3 || need python3
    has_markdown || need python3-markdown
  elif [ "$purpose" = --lint ]; then
    have clang-format || need clang-format
    have clang-tidy || need clang-tidy
    have clang++ || need clang # its compile commands are the ones that clang-tidy understands
    { has_header gtest/gtest.h && links -lgtest; } || need libgtest-dev
  fi
}

reason="" # why packages cannot be installed
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
apt() { # apt-get's pages of output are worth reading only when it fails
  log=$(mktemp)
  status=0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >"$log" 2>&1 || status=$?
  [ $status -eq 0 ] || grep '^[EW]:' "$log" >&2 || tail -n 5 "$log" >&2
  rm -f "$log"
  return $status
}
can_install() {
  if [ "${BRUSHFIRE_NO_INSTALL:-0}" != 0 ]; then
    reason="BRUSHFIRE_NO_INSTALL is set"
  elif ! have apt-get; then
    reason="there is no apt-get here"
  elif [ "$(id -u)" -ne 0 ] && ! have sudo; then
    reason="this is not root, and there is no sudo"
  else
    return 0
  fi
  return 1
}
updated=no
update() {
  [ $updated = no ] || return 0
  updated=yes
  # One unreachable source must not stop what the others can deliver.
  apt update || say "apt-get update failed; going on with the package lists that are there"
}
install() { # PACKAGE...
  can_install || return 1
  say "installing with apt-get: $*"
  update
  if apt --no-install-recommends install "$@"; then
    mkdir -p build && : >build/setup-installed # what was configured without it is configured again
    return 0
  fi
  reason="apt-get failed, see above"
  return 1
}

probe
if [ -n "$required" ]; then
  # shellcheck disable=SC2086 # a list of names
  if ! install $required || { probe && [ -n "$required" ]; }; then
    say "missing:$required"
    [ -z "$reason" ] || say "they cannot be installed from here: $reason"
    [ -n "$reason" ] || say "they were installed, and still do not work with ${CXX:+CXX=}$compiler"
    say "install them yourself (sudo apt-get install$required) and run make again"
    exit 1
  fi
fi

# What is only wished for is tried once; a machine that cannot have it is not asked again on every run.
if [ -n "$optional" ] && can_install && [ "$(cat $tried 2>/dev/null)" != "$optional" ]; then
  update
  known=""
  for package in $optional; do
    if apt-cache show "$package" >/dev/null 2>&1; then known="$known $package"; fi
  done
  # shellcheck disable=SC2086 # a list of names
  if [ -n "$known" ]; then install $known || true; fi
  probe
  mkdir -p build && echo "$optional" >$tried
fi
[ -z "$optional" ] || say "optional and missing, what needs them is skipped:$optional"

# The toolkit is not in Debian's archive, so it is not installed from here.
has_nvcc() { have "${CUDACXX:-nvcc}" || [ -x /usr/local/cuda/bin/nvcc ] || [ -x "${CUDA_PATH:-/usr}/bin/nvcc" ]; }
if have nvidia-smi && nvidia-smi >/dev/null 2>&1 && ! has_nvcc && [ ! -e build/setup-no-toolkit ]; then
  say "there is a GPU here, and no CUDA toolkit (nvcc): the GPU engine is left out; install the toolkit to have it"
  mkdir -p build && : >build/setup-no-toolkit # said once; make clean forgets it
fi
