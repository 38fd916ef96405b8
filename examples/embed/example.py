"""What docs/library.md shows in Python, as a program that runs."""

import threading

import numpy as np

import brushfire

edges = np.array([[10, 20], [10, 30], [20, 40], [40, 50]], dtype=np.int32)
graph = brushfire.Graph.from_edges(edges)  # reads the array where it is
result = graph.bfs(10)
print(result.levels[50], result.parents[50])  # 3 40
print(result.path_to(50))  # [10, 20, 40, 50]
graph.validate(result)  # raises ValidationError if it broke a rule
for level in result.trace:
    print(level.level, level.direction, level.frontier, level.discovered)

offsets, targets = np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0])
graph = brushfire.Graph.from_csr(offsets, targets)
graph = brushfire.Graph.kron(12)  # or Graph.read("roads.mtx.gz"), Graph.generate("grid:300x400")

threads = [threading.Thread(target=graph.bfs, args=(source,)) for source in graph.random_sources(4)]
for thread in threads:  # searches of one graph, at the same time
    thread.start()
for thread in threads:
    thread.join()

try:
    graph.bfs(1 << 40)
except brushfire.UsageError as error:  # a ValueError too
    print(error)
