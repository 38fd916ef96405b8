"""Breadth-first search as fast as the hardware allows, and verified.

>>> import brushfire
>>> graph = brushfire.Graph.from_edges([[0, 1], [1, 2], [3, 4]])
>>> result = graph.bfs(0)
>>> result.levels
array([ 0,  1,  2, -1, -1], dtype=int32)
>>> result.path_to(2)
[0, 1, 2]

Vertices are named by their labels, any integers from 0 to 2**63-1. Whatever is absent, no parent or not reached, is -1.
Errors are exceptions, all derived from `brushfire.Error`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _brushfire
from ._arguments import (
    OnGpu,
    count_of,
    depth_of,
    edges_of_networkx,
    integers_anywhere,
    integers_of,
    label_of,
    options_of,
    threads_of,
    word_of,
)
from ._brushfire import Error, InputError, MemoryNeededError, UsageError, ValidationError, __version__

if TYPE_CHECKING:
    import networkx
    from numpy.typing import NDArray

__all__ = [
    "Error",
    "Graph",
    "InputError",
    "Level",
    "ManyResult",
    "MemoryNeededError",
    "Result",
    "UsageError",
    "ValidationError",
    "__version__",
]

_MOST_GAPS = 1 << 22  # arrays indexed by label up to this length may be mostly gaps


class Level(NamedTuple):
    """What one level of a search did."""

    level: int  # of the frontier that was expanded
    levels: int  # how many levels this record sums up: 1, unless there are more than a thousand
    direction: str  # "push", "pull", or one for each subgraph: "dd pull dn pull nd pull nn push"
    frontier: int  # vertices expanded
    edges_checked: int  # list entries looked at
    discovered: int  # vertices found
    seconds: float


class Result:
    """What one search found. It owns its arrays, which cannot be written to: later searches leave them alone."""

    def __init__(self, graph: "Graph", found: Any) -> None:
        self._graph = graph
        self._found = found
        for values in (found.parents, found.levels):
            values.setflags(write=False)
        self._by_label: dict = {}

    @property
    def source(self) -> int:
        """Where the search started."""
        return self._found.root

    @property
    def reached(self) -> int:
        """Vertices in the tree, the source included."""
        return self._found.reached

    @property
    def depth(self) -> int:
        """The largest level."""
        return self._found.depth

    @property
    def edges(self) -> int:
        """Input edges in the tree's component: duplicates count, self-loops do not."""
        return self._found.nedge

    @property
    def seconds(self) -> float:
        """What the search took, without making the arrays of this result."""
        return self._found.seconds

    @property
    def teps(self) -> float:
        """Traversed edges per second."""
        return self.edges / self.seconds if self.seconds > 0 else 0.0

    @property
    def levels(self) -> "NDArray[np.int32]":
        """How many edges away from the source each vertex is, indexed by label; -1 where it was not reached."""
        return self._array("levels", self._found.levels)

    @property
    def parents(self) -> "NDArray[np.int64]":
        """The vertex before each on a shortest path from the source, indexed by label; that of the source is itself."""
        return self._array("parents", self._found.parents)

    @property
    def vertex_levels(self) -> "NDArray[np.int32]":
        """`levels` in the order of `graph.labels`: for labels that are too far apart to be an index."""
        return self._found.levels

    @property
    def vertex_parents(self) -> "NDArray[np.int64]":
        """`parents` in the order of `graph.labels`."""
        return self._found.parents

    @property
    def trace(self) -> List[Level]:
        """What each level did."""
        plain = self._graph._graph.plain
        return [
            Level(
                record.level,
                record.levels,
                record.direction(plain),
                record.frontier,
                record.edges_checked,
                record.discovered,
                record.seconds,
            )
            for record in self._found.trace
        ]

    def path_to(self, target: int) -> List[int]:
        """The labels from the source to `target`, empty when it was not reached."""
        graph, parents = self._graph, self._found.parents
        at = label_of(target, "target")
        vertex = graph._require_vertex(at, "target")
        if parents[vertex] < 0:
            return []
        path = [at]
        while path[-1] != self.source:
            path.append(int(parents[graph._graph.find(path[-1])]))
        path.reverse()
        return path

    def __repr__(self) -> str:
        return f"<brushfire.Result source={self.source} reached={self.reached} depth={self.depth}>"

    def _array(self, name: str, values: "np.ndarray") -> "np.ndarray":
        if name not in self._by_label:
            self._by_label[name] = self._graph._indexed_by_label(values)
        return self._by_label[name]


class ManyResult:
    """What many searches found together: levels only."""

    def __init__(self, graph: "Graph", found: Any) -> None:
        self._graph = graph
        self._found = found
        found.levels.setflags(write=False)

    @property
    def sources(self) -> List[int]:
        """Where they started, in the order that was asked for."""
        return self._found.sources

    @property
    def levels(self) -> "NDArray[np.int32]":
        """A row for each source, indexed by label; -1 where it was not reached."""
        return self._graph._indexed_by_label(self._found.levels)

    @property
    def vertex_levels(self) -> "NDArray[np.int32]":
        """`levels` in the order of `graph.labels`."""
        return self._found.levels

    @property
    def reached(self) -> List[int]:
        """Vertices that each source reached, itself included."""
        return self._found.reached

    @property
    def depths(self) -> List[int]:
        """The largest level of each source."""
        return self._found.depths

    @property
    def seconds(self) -> float:
        """What all of them took."""
        return self._found.seconds

    def __repr__(self) -> str:
        return f"<brushfire.ManyResult of {len(self.sources)} sources>"


class Graph:
    """A graph: built once, never changed, searched by as many threads as there are.

    Every way to make one takes these options: `directed` (edges go one way), `threads` (0: every processor), `device`
    ("auto", "cpu" or "cuda": where it is built, and held for searching) and `devices` (how many share it).

    Self-loops and duplicates may be among the edges. Integers of 32 or 64 bits are read where they are, without a copy:
    the graph holds the arrays as long as it lives, and they must not be changed.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._labels: Optional[np.ndarray] = None
        self._added = 0  # edges that nobody gave

    @classmethod
    def from_edges(cls, edges: Any, *, vertices: Optional[int] = None, **options: Any) -> "Graph":
        """From an (m, 2) array of integers, a row for each edge.

        The vertices are 0 ... `vertices`-1, or, left alone, the labels that occur. An array on a GPU
        (`__cuda_array_interface__`) is read where it is when the graph is built on that GPU, else copied to the host.
        """
        array = integers_anywhere(edges, "edges")
        if array.size == 0:
            array = array.reshape(0, 2)
        if array.ndim != 2 or array.shape[1] != 2:
            raise UsageError(f"edges: an array of shape {array.shape} has no edges; give it two columns")
        count = None if vertices is None else count_of(vertices, "vertices")
        ends = [array.integers(end) if isinstance(array, OnGpu) else array[:, end] for end in (0, 1)]
        return cls(_brushfire.Graph.from_edges(*ends, count, options_of(**options)))

    @classmethod
    def from_csr(cls, offsets: Any, targets: Any, **options: Any) -> "Graph":
        """From compressed rows: the neighbours of u are targets[offsets[u]:offsets[u + 1]].

        In an undirected graph an edge may stand in the lists of both its ends, as in a symmetric matrix, or in one of
        them only.
        """
        arrays = [integers_anywhere(offsets, "offsets"), integers_anywhere(targets, "targets")]
        for name, array in zip(("offsets", "targets"), arrays):
            if array.ndim != 1:
                raise UsageError(f"{name}: an array of one dimension is needed, not of {array.ndim}")
        rows = [array.integers() if isinstance(array, OnGpu) else array for array in arrays]
        return cls(_brushfire.Graph.from_csr(*rows, options_of(**options)))

    @classmethod
    def from_scipy(cls, matrix: Any, **options: Any) -> "Graph":
        """From a square sparse matrix: every entry that it stores is an edge, whatever its value.

        A CSR matrix is read without a copy; others are converted, which makes one entry of those in the same place.
        """
        if not hasattr(matrix, "tocsr"):
            raise UsageError(f"a {type(matrix).__name__} is no sparse matrix; scipy.sparse.csr_matrix(it) is one")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise UsageError(f"a matrix of shape {matrix.shape} is no graph; it must be square")
        rows = matrix.tocsr()
        return cls.from_csr(rows.indptr, rows.indices, **options)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph", **options: Any) -> "Graph":
        """From a NetworkX graph whose nodes are integers from 0; directed where that is."""
        edges, vertices, added = edges_of_networkx(graph)
        options.setdefault("directed", graph.is_directed())
        made = cls.from_edges(edges, vertices=vertices, **options)
        made._added = added
        return made

    @classmethod
    def kron(cls, scale: int, edgefactor: int = 16, seed: int = 2, **options: Any) -> "Graph":
        """The Kronecker graph of the Graph500 with 2**scale vertices, bit-exact for the default seed."""
        return cls.generate(f"kron:{scale}:{edgefactor}:{seed}", **options)

    @classmethod
    def generate(cls, spec: str, **options: Any) -> "Graph":
        """By any generator of the command line: "grid:300x400", "powerlaw:1000:2.1", "path:10"."""
        if not _brushfire.names_generator(spec):
            raise UsageError(f"{spec!r} names no generator; Graph.read() takes files")
        return cls(_brushfire.Graph.open(spec, options_of(**options)))

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"], **options: Any) -> "Graph":
        """From a file in any format that the program reads: .el, .mtx, .gr, .graph, .sg, .bfg, ..., also compressed."""
        name = os.fsdecode(path)
        if not os.path.exists(name):
            raise InputError(f"{name}: there is no such file")
        return cls(_brushfire.Graph.open(name, options_of(**options)))

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._graph.name

    @property
    def directed(self) -> bool:
        """Whether edges go one way."""
        return self._graph.directed

    @property
    def vertices(self) -> int:
        """How many vertices there are."""
        return self._graph.vertices

    @property
    def edges(self) -> int:
        """How many edges were given, self-loops and duplicates included."""
        return self._graph.edges - self._added

    @property
    def labels(self) -> "NDArray[np.int64]":
        """The labels of all vertices, rising."""
        if self._labels is None:
            self._labels = self._graph.labels()
            self._labels.setflags(write=False)  # results are indexed by them
        return self._labels

    def bfs(
        self,
        source: int,
        *,
        target: Optional[int] = None,
        max_depth: Optional[int] = None,
        direction: str = "auto",
        deterministic: bool = False,
        threads: int = 0,
        device: str = "auto",
    ) -> Result:
        """Searches from `source`, to the end or until `target` is reached; vertices of level `max_depth` are not expanded.

        `direction` is "auto", "push" or "pull"; with `deterministic` a parent is the smallest that qualifies. Other
        threads run meanwhile, and may search the same graph.
        """
        end = None if target is None else label_of(target, "target")
        depth = None if max_depth is None else depth_of(max_depth)
        ways = word_of(direction, "direction"), deterministic, threads_of(threads), word_of(device, "device")
        found = self._graph.bfs(label_of(source), end, depth, *ways)
        return Result(self, found)

    def bfs_many(
        self, sources: Sequence[int], *, direction: str = "auto", threads: int = 0, device: str = "auto"
    ) -> ManyResult:
        """Searches from many sources, up to 64 in one pass: far faster than one by one, slower on grids and paths."""
        roots = [label_of(source) for source in sources]
        ways = word_of(direction, "direction"), threads_of(threads), word_of(device, "device")
        return ManyResult(self, self._graph.bfs_many(roots, *ways))

    def validate(self, result: Union[Result, Sequence[int], "np.ndarray"], source: Optional[int] = None) -> bool:
        """Judges a result by the five rules of the Graph500, against the edges themselves.

        Returns True, or raises `ValidationError`, which names the rule and the vertex or edge that breaks it. A search
        that stopped at a depth is judged as far as that; one that stopped at a target is refused. Parents
        that somebody else found, indexed by label, are judged with the `source` they belong to.
        """
        if isinstance(result, Result):
            if not result._found.whole:
                raise UsageError("a search that stopped at a target is not whole, and cannot be judged")
            if source is not None and label_of(source) != result.source:
                raise UsageError(f"source {source}: this result is that of a search from {result.source}")
            root, parents, depth = result.source, result._found.parents, result._found.max_depth
        elif source is None:
            raise UsageError("parents alone do not say where the search started; give the source too")
        else:
            root, parents, depth = label_of(source), self._by_vertex(result), None
        verdict = self._graph.judge(root, np.ascontiguousarray(parents, np.int64), depth)
        if verdict.broken_rule:
            raise ValidationError(verdict.witness)
        return True

    def random_sources(self, count: int, seed: int = 1) -> List[int]:
        """`count` distinct labels of degree at least one, fewer when there are not as many."""
        return self._graph.random_sources(count_of(count, "count"), count_of(seed, "seed"))

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<brushfire.Graph {self.name}: {self.vertices} vertices, {self.edges} edges, {kind}>"

    def _require_vertex(self, label: int, role: str) -> int:
        vertex = self._graph.find(label)
        if vertex is None:
            raise UsageError(f"{role} {label} is not in {self.name}")
        return vertex

    def _indexed_by_label(self, values: "np.ndarray") -> "np.ndarray":
        labels = self.labels
        length = int(labels[-1]) + 1 if len(labels) else 0
        if length == len(labels):
            return values
        if length > max(2 * len(labels), _MOST_GAPS):
            raise UsageError(
                f"{self.name}: labels up to {length - 1} are too far apart to be an index of {len(labels)} vertices; "
                "use vertex_levels, vertex_parents and graph.labels"
            )
        indexed = np.full((*values.shape[:-1], length), -1, values.dtype)
        indexed[..., labels] = values
        indexed.setflags(write=False)
        return indexed

    def _by_vertex(self, parents: Any) -> "np.ndarray":
        array = integers_of(parents, "parents")
        if array.dtype == np.uint32 and len(array) < 2**32:  # who keeps labels without a sign has no other -1
            array = np.where(array == 2**32 - 1, -1, array.astype(np.int64))
        labels = self.labels
        if array.ndim != 1 or len(array) != (int(labels[-1]) + 1 if len(labels) else 0):
            raise UsageError(f"parents: an array of shape {array.shape} has no parent for each label from 0 on")
        by_vertex = array[labels]
        if np.count_nonzero(array != -1) != np.count_nonzero(by_vertex != -1):
            gaps = np.setdiff1d(np.flatnonzero(array != -1), labels)
            raise InputError(f"parents: gives a value to {gaps[0]}, which is not a vertex")
        return by_vertex
