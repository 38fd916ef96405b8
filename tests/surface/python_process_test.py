"""The Python module as a part of its process: threads, signals, memory, the end. Ends with 77 where NumPy is missing."""

import importlib.util
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

if importlib.util.find_spec("numpy") is None:
    print("skipped: this interpreter has no NumPy (python3-numpy)")
    sys.exit(77)

import numpy as np
from brushfire import Graph


class InAProcess(unittest.TestCase):
    def test_daemon_threads_do_not_end_the_process(self):
        for searching in ("graph.bfs(1)", "graph.bfs_many([1, 2])", "graph.random_sources(9)", "Graph.kron(10)"):
            program = (
                "import threading, time\nfrom brushfire import Graph\ngraph = Graph.kron(10)\n"
                f"def search():\n  while True: {searching}\n"
                "threading.Thread(target=search, daemon=True).start()\ntime.sleep(0.1)"
            )
            self.assertEqual(subprocess.run([sys.executable, "-c", program], check=False).returncode, 0, searching)

    def test_what_is_idle_is_let_go_before_a_search_is_refused(self):
        graph = Graph.kron(18)
        graph.bfs_many(graph.random_sources(64))  # 64 MiB, which nobody holds
        limits = resource.getrlimit(resource.RLIMIT_AS)
        with open("/proc/self/statm", encoding="ascii") as sizes:
            taken = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + (4 << 20), limits[1]))
        try:
            reached = graph.bfs(1, device="cpu").reached
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
        self.assertEqual(reached, graph.bfs(1).reached)

    def test_threads_search_together(self):
        graph = Graph.kron(12)
        expected = graph.bfs(1, threads=1).levels
        right = []

        def search():
            for _ in range(5):
                right.append(np.array_equal(graph.bfs(1, threads=1).levels, expected))

        searchers = [threading.Thread(target=search) for _ in range(3)]
        for thread in searchers:
            thread.start()
        for thread in searchers:
            thread.join()
        self.assertEqual(right, [True] * 15)

    def test_other_threads_run_while_one_searches(self):
        graph = Graph.generate("path:1000000")
        during = []

        def search():
            started = time.monotonic()
            graph.bfs(0, threads=1)
            during.extend([started, time.monotonic()])

        searcher = threading.Thread(target=search)
        ticks = []
        searcher.start()
        while searcher.is_alive():
            ticks.append(time.monotonic())
            time.sleep(0.001)
        searcher.join()
        started, ended = during
        times = [started, *(tick for tick in ticks if started < tick < ended), ended]
        longest_wait = max(after - before for before, after in zip(times, times[1:]))
        self.assertLess(longest_wait, (ended - started) / 2)

    # In a process of its own, which is long in the middle of building when the signal comes.
    def test_ctrl_c_ends_a_build(self):
        program = "import brushfire; print('building', flush=True); brushfire.Graph.kron(24, threads=2, device='cpu')"
        with subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            self.assertEqual(process.stdout.readline(), "building\n")
            time.sleep(0.2)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=30)
            finally:
                process.kill()
        self.assertLess(time.monotonic() - sent, 5)
        self.assertIn("KeyboardInterrupt", errors)

    def test_handlers_raise_what_they_like(self):
        class Enough(Exception):
            pass

        def stop(number, frame):
            raise Enough

        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(Enough):
                Graph.kron(24, device="cpu")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(Graph.generate("path:3").bfs(0).depth, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
