#!/bin/sh
# Builds the documentation site with the first python3 that has Python-Markdown: docs.sh PROGRAM OUTPUT-FOLDER
set -eu
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import markdown' >/dev/null 2>&1; then exec "$python" "$(dirname "$0")/docs.py" "$@"; fi
done
echo "skipped: no python3 here has Python-Markdown (Debian: python3-markdown)" >&2
exit 1
