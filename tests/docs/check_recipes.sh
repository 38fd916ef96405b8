#!/bin/sh
# What can be said of recipes where neither Slurm nor Spack is: that shells and Python can read them. SOURCE-FOLDER
set -eu
cd "$1"
for script in examples/slurm/*.sbatch; do
  bash -n "$script"
  if command -v shellcheck >/dev/null; then shellcheck "$script"; fi
done
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' packaging/spack/package.py
