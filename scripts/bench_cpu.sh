#!/bin/sh
# bench_cpu.sh [GRAPH...]
# The CPU engine on the graphs of its targets, or those named: harmonic-mean TEPS and the time of every level, mean over
# the roots; the same goes to results/bench-cpu.json. PEER='command {graph} {root}' runs another program beside it on
# the same graph file (.sg, which GAP reads) and roots, in turns, and prints the ratio; PEER_TIME is a regular
# expression for the seconds it prints (default: GAP's "Trial Time:"), without which its whole run is timed; of several
# times of a root the best counts, of either program. THREADS, ROOTS and BRUSHFIRE name other than 2 threads, 16 roots
# (8 beside a peer) and build/bin/brushfire.
set -eu
cd "$(dirname "$0")/.."
mkdir -p results
exec python3 - "$@" <<'END'
import json, os, re, shlex, statistics, subprocess, sys, tempfile, time

program = os.environ.get("BRUSHFIRE", "build/bin/brushfire")
peer, peer_time = os.environ.get("PEER"), os.environ.get("PEER_TIME", r"Trial Time:\s*([0-9.eE+-]+)")
threads = int(os.environ.get("THREADS", 2))
roots = int(os.environ.get("ROOTS", 8 if peer else 16))
graphs = sys.argv[1:] or ["kron:20", "kron:22", "kron:24", "uniform:22", "grid:2000x2000", "path:1000000"]
environment = dict(os.environ, OMP_NUM_THREADS=str(threads))


def output_of(command):
    try:
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
    except OSError as error:
        sys.exit(f"bench_cpu: {command[0]}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)
    if run.returncode != 0:
        sys.exit(f"bench_cpu: {' '.join(command)}: {(run.stderr or run.stdout).strip()[-200:]}")
    return run.stdout


def search(graph, *options):
    command = [program, "bfs", graph, "--device", "cpu", "--threads", str(threads), "--quiet", "--json", "-", *options]
    return json.loads(output_of(command))["searches"]


def seconds_of_peer(graph, root):
    command = [word.format(graph=graph, root=root) for word in shlex.split(peer)]
    start = time.monotonic()
    printed = output_of(command)
    whole = time.monotonic() - start
    found = re.findall(peer_time, printed)
    return min(map(float, found)) if found else whole


def harmonic(searches):
    return len(searches) / sum(1 / s["teps"] for s in searches if s["teps"]) if searches else 0


rows = []
for graph in graphs:
    options = ["--seed", "1"]
    if not peer:
        searches = search(graph, "--source", "random", "--trials", str(roots), *options)
        row = {"graph": graph}
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/graph.sg"
            output_of([program, "generate", graph, "-o", file, "--quiet"])
            chosen = [s["root"] for s in search(file, "--source", "random", "--trials", str(roots), *options)]
            searches, theirs = [], []
            for root in chosen:
                searches.append(min(search(file, "--source", str(root), "--trials", "3"), key=lambda s: s["seconds"]))
                theirs.append(seconds_of_peer(file, root))
        ratios = [b / a["seconds"] for a, b in zip(searches, theirs)]
        row = {"graph": graph, "peer": peer, "peer_seconds": theirs, "ratio": statistics.median(ratios),
               "ratio_least": min(ratios), "ratio_most": max(ratios)}
    depth = max(len(s["trace"]) for s in searches)
    levels = [statistics.mean(s["trace"][i]["seconds"] for s in searches if i < len(s["trace"]))
              for i in range(min(depth, 12))]
    row.update(threads=threads, roots=len(searches), teps=harmonic(searches),
               seconds=statistics.mean(s["seconds"] for s in searches), levels=depth, level_seconds=levels)
    rows.append(row)
    beside = f", {row['ratio']:.2f} times the peer ({row['ratio_least']:.2f} - {row['ratio_most']:.2f})" if peer else ""
    shown = " ".join(f"{1e3 * level:.3g}" for level in levels) + (" ..." if depth > len(levels) else "")
    print(f"{graph:<16} {row['teps'] / 1e6:>8.1f} MTEPS {1e3 * row['seconds']:>9.3f} ms{beside}; levels, ms: {shown}",
          flush=True)
with open("results/bench-cpu.json.part", "w") as file:
    json.dump({"schema": "brushfire-bench-cpu/1", "rows": rows}, file, indent=2)
    file.write("\n")
os.replace("results/bench-cpu.json.part", "results/bench-cpu.json")
print("results: results/bench-cpu.json", file=sys.stderr)
END
