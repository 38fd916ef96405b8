#!/bin/sh
# What can be said of recipes where neither Slurm nor Spack nor Apptainer is: that shells and Python can read them, and
# that what is taken along is what was installed. SOURCE-FOLDER
set -eu
cd "$1"
for script in examples/slurm/*.sbatch; do
  bash -n "$script"
  if command -v shellcheck >/dev/null; then shellcheck "$script"; fi
done
recipe=packaging/apptainer/brushfire.def
sed -n '/^%post/,/^\(Bootstrap\|%[a-oq-z]\)/{/^ /p;}' $recipe | sh -n
# A program out of the build folder knows its library by the name of that folder.
if grep -n 'build/bin' $recipe; then
  echo "$recipe: takes the program without the library; take what make install makes"
  exit 1
fi
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' packaging/spack/package.py
