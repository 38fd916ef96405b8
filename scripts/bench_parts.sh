#!/bin/sh
# bench_parts.sh [SCALE [ROOTS]]
# One GPU as 1, 2, 4 and 8 devices that share a graph500 graph: the speed, and what all kernels and copies of a search
# take on the GPU together, beside the device alone. That is their sum, not their span: devices that share a GPU take
# turns, and real ones would not. The target is 2.0 times the device alone. BRUSHFIRE names another program than
# build/bin/brushfire, GPU_TIME a library made of gpu_time.cpp before.
set -eu
cd "$(dirname "$0")/.."
program=${BRUSHFIRE:-build/bin/brushfire}
scale=${1:-26} roots=${2:-16}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

"$program" devices | grep -q '^cuda *usable' || {
  echo "bench_parts: no usable GPU" >&2
  exit 1
}
library=${GPU_TIME:-$scratch/gpu_time.so}
if [ ! -e "$library" ]; then
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  cuda=$(dirname "$(dirname "$nvcc")")
  "${CXX:-c++}" -std=c++17 -O2 -shared -fPIC scripts/gpu_time.cpp -o "$library" -I"$cuda/include" \
    -I"$cuda/extras/CUPTI/include" -L"$cuda/lib64" -L"$cuda/extras/CUPTI/lib64" -Wl,-rpath,"$cuda/lib64" -lcupti || {
    echo "bench_parts: gpu_time.cpp needs CUPTI, which comes with the CUDA toolkit" >&2
    exit 1
  }
fi

printf '%-8s %10s %14s %12s %7s\n' devices GTEPS 'GPU ms/search' 'of 1 device' target
alone=""
for devices in 1 2 4 8; do
  run() { "$program" graph500 "$scale" --device cuda --devices "$devices" --roots "$roots" --no-validate --quiet; }
  speed=$(run | sed -n 's/.*harmonic_mean_TEPS: *!* *//p')
  CUDA_INJECTION64_PATH=$(realpath "$library") GPU_TIME_FILE=$scratch/time run >/dev/null
  # One search more than is ranked warms up.
  time=$(awk -v searches="$roots" '{ printf "%.3f", $1 / (searches + 1) }' "$scratch/time")
  alone=${alone:-$time}
  awk -v devices="$devices" -v speed="$speed" -v time="$time" -v alone="$alone" 'BEGIN {
    ratio = time / alone
    printf "%-8d %10.1f %14.3f %12.2f %7s\n", devices, speed / 1e9, time, ratio, (ratio <= 2 ? "yes" : "no")
  }'
done
