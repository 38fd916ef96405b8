#!/bin/sh
# bench_gpu.sh [--roots N] [--validate-up-to SCALE] [NAME...]
# Runs the benchmarks of the GPU engine, all or those named, and prints a line for each as it comes: the speed, what
# preparing and checking took, and whether the target is reached; a star marks what is over its limit. The same goes to
# results/bench-gpu.json. Kronecker graphs are run as graph500 ranks them, from 64 roots; above SCALE (default: 29) they
# are not validated. Bytes per entry are those held on the GPU while searching, stored tuples left out. BRUSHFIRE names
# another program than build/bin/brushfire.
set -eu
cd "$(dirname "$0")/.."
program=${BRUSHFIRE:-build/bin/brushfire}

# Name, target, unit of the target, command. The targets are for one H200.
cases() {
  cat <<END
kron22 300 GTEPS graph500 22
kron24 450 GTEPS graph500 24
kron26 600 GTEPS graph500 26
kron27 550 GTEPS graph500 27
kron28 450 GTEPS graph500 28
compact22 - GTEPS graph500 22 --compact
compact24 - GTEPS graph500 24 --compact
compact26 - GTEPS graph500 26 --compact
compact29 - GTEPS graph500 29 --compact
adaptive24 97 GTEPS graph500 24 --preset adaptive
uniform24 150 GTEPS bfs uniform:24 --source random --trials 64 --validate
powerlaw2e7 - GTEPS bfs powerlaw:20000000:2.3 --source random --trials 64 --validate
tail24 - GTEPS bfs tail:24:500 --source random --trials 64 --validate
grid4096 3 us/level bfs grid:4096x4096 --source 0 --trials 10 --validate
path1e6 3 us/level bfs path:1000000 --source 0 --trials 10 --validate
END
}

complain() {
  echo "bench_gpu: $*" >&2
  exit 2
}
roots=64 validate_up_to=29 wanted=""
while [ $# -gt 0 ]; do
  case $1 in
  --roots | --validate-up-to)
    case ${2:-} in '' | *[!0-9]*) complain "$1 needs a number" ;; esac
    if [ "$1" = --roots ]; then roots=$2; else validate_up_to=$2; fi
    shift
    ;;
  *)
    cases | cut -d ' ' -f 1 | grep -Fqx -e "$1" ||
      complain "'$1' is none of: $(cases | cut -d ' ' -f 1 | tr '\n' ' ')"
    wanted="$wanted $1 "
    ;;
  esac
  shift
done

if ! command -v "$program" >/dev/null 2>&1; then
  [ -z "${BRUSHFIRE:-}" ] || complain "BRUSHFIRE=$program: there is no such program, seen from $(pwd)"
  complain "$program is not built; make build does that"
fi
devices=$("$program" devices 2>/dev/null) || complain "$program does not list its devices: is it brushfire?"
if ! echo "$devices" | grep -q '^cuda *usable'; then
  echo "bench_gpu: no usable GPU: $(echo "$devices" | sed -n 's/^cuda *not usable *//p' | sed 's/^GPU: //;q')" >&2
  exit 1
fi
mkdir -p results
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
rm -f results/bench-gpu.json

# One run, from the program's own JSON to a line of the table and of the results.
show() { # NAME TARGET UNIT COMMAND
  python3 - "$scratch" "$@" <<'END'
import json, os, sys

scratch, name, target, unit, command = sys.argv[1:]
results = "results/bench-gpu.json"
bench = json.load(open(results)) if os.path.exists(results) else {"schema": "brushfire-bench-gpu/1", "rows": []}
# Key, heading, largest value and its unit of what kron26 has to keep besides its speed.
limits = [("prepare_seconds", "prepare", 3, " s"), ("validate_seconds", "validate", 1, " s"),
          ("device_bytes_per_entry", "bytes/entry", 5, "")] if name == "kron26" else []
form = "{:<11} {:<16} {:<9} {:>17} {:>10} {:>11} {:>12} {:>11} {:>8}"
if not bench["rows"]:
    print(form.format("name", "graph", "preset", "speed", "prepare s", "validate s", "bytes/entry", "target", "reached"))

row = {"name": name, "command": command, "target": None if target == "-" else float(target), "unit": unit}
try:
    run = json.load(open(scratch + "/run.json"))
except (OSError, ValueError):
    row["failed"] = open(scratch + "/errors").read().strip().splitlines()[-1:]
    print(f"{name:<11} failed: {' '.join(row['failed'])}", flush=True)
else:
    searches = run["searches"]
    if unit == "GTEPS":
        value = run["teps"]["harmonic_mean"] / 1e9
        reached = value >= row["target"] if row["target"] else None
    else:
        value = 1e6 * sum(s["seconds"] for s in searches) / sum(s["depth"] + 1 for s in searches)
        reached = value <= row["target"] if row["target"] else None
    checked = [s["validate_seconds"] for s in searches if s["validate_seconds"] is not None]
    graph, memory = run["graph"], run["memory"]
    # The stored tuples of a conforming run, 12 bytes each, are no part of the graph or of the search.
    stored = run["command"] == "graph500" and "--compact" not in command
    tuples = 12 * graph["edges_input"] if stored else 0
    row.update(
        value=value, reached=reached, searches=len(searches), host=run["host"], graph=graph, config=run["config"],
        teps=run["teps"], memory=memory, prepare_seconds=graph["generation_seconds"] + graph["construction_seconds"],
        validate_seconds=sum(checked) / len(checked) if checked else None,
        device_bytes_per_entry=(memory["device_bytes"] - tuples) / max(1, graph["edges_stored"]))
    measured = [limit for limit in limits if row[limit[0]] is not None]
    over = [key for key, _, most, _ in measured if row[key] > most]
    if measured:
        row["limits"] = {key: most for key, _, most, _ in measured}
        row["over_limit"] = over
        kept = ", ".join(f"{heading} <= {most}{of}" for _, heading, most, of in measured)
        with open(scratch + "/legend", "a") as legend:
            legend.write((f"* over the limit of {name}: " if over else f"{name} keeps its limits: ") + kept + "\n")

    def figure(key):
        return "-" if row[key] is None else f"{row[key]:.3g}" + ("*" if key in over else "")

    print(form.format(
        name, graph["name"], run["config"]["preset"], f"{value:.4g} {unit}", figure("prepare_seconds"),
        figure("validate_seconds"), figure("device_bytes_per_entry"),
        ("-" if row["target"] is None else (">= " if unit == "GTEPS" else "<= ") + target),
        "-" if reached is None else "yes" if reached else "no"), flush=True)
bench["rows"].append(row)
with open(results + ".part", "w") as file:
    json.dump(bench, file, indent=2)
    file.write("\n")
os.replace(results + ".part", results)
END
}

failures=0
cases >"$scratch/cases"
while read -r name target unit command; do
  case $wanted in '' | *" $name "*) ;; *) continue ;; esac
  case $command in
  graph500*)
    scale=${command#graph500 } && scale=${scale%% *}
    command="$command --roots $roots"
    [ "$scale" -le "$validate_up_to" ] || command="$command --no-validate"
    ;;
  esac
  echo "running: brushfire $command" >&2
  rm -f "$scratch/run.json"
  # shellcheck disable=SC2086 # a list of words
  "$program" $command --device cuda --quiet --json "$scratch/run.json" >/dev/null 2>"$scratch/errors" </dev/null || {
    failures=$((failures + 1))
    rm -f "$scratch/run.json" # an invalid search has results too
  }
  show "$name" "$target" "$unit" "$command"
done <"$scratch/cases"
[ ! -e "$scratch/legend" ] || cat "$scratch/legend"
echo "results: results/bench-gpu.json" >&2
[ $failures -eq 0 ]
