"""The Python module from the outside, against NetworkX and SciPy on random graphs. Ends with 77 where NumPy is missing."""

import ctypes
import gc
import importlib.util
import os
import sys
import tempfile
import unittest
import weakref

if importlib.util.find_spec("numpy") is None:
    print("skipped: this interpreter has no NumPy (python3-numpy)")
    sys.exit(77)

import brushfire
import numpy as np
from brushfire import Graph


def have(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def random_edges(seed, vertices, edges):
    return np.random.default_rng(seed).integers(0, vertices, (edges, 2))


class FromArrays(unittest.TestCase):
    def test_path_in_every_type(self):
        for dtype in (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i8"):
            edges = np.array([[0, 1], [1, 2], [2, 3]], dtype)
            for array in (edges, np.asfortranarray(edges), edges[::-1], edges.tolist()):
                result = Graph.from_edges(array).bfs(0)
                self.assertEqual(result.levels.tolist(), [0, 1, 2, 3])
                self.assertEqual(result.parents.tolist(), [0, 0, 1, 2])
                self.assertEqual(result.path_to(3), [0, 1, 2, 3])

    def test_absent_is_minus_one(self):
        result = Graph.from_edges([[0, 1]], vertices=4).bfs(0)
        self.assertEqual(result.levels.tolist(), [0, 1, -1, -1])
        self.assertEqual(result.parents.tolist(), [0, 0, -1, -1])
        self.assertEqual(result.path_to(3), [])
        self.assertEqual((result.reached, result.depth, result.edges), (2, 1, 1))

    def test_labels_with_gaps(self):
        graph = Graph.from_edges([[10, 20], [20, 40]])
        result = graph.bfs(10)
        self.assertEqual(graph.labels.tolist(), [10, 20, 40])
        self.assertEqual(len(result.levels), 41)
        self.assertEqual([result.levels[v] for v in (10, 20, 40, 11)], [0, 1, 2, -1])
        self.assertTrue(graph.validate(result.parents, source=10))

    def test_labels_too_far_apart(self):
        far = (1 << 63) - 1
        graph = Graph.from_edges(np.array([[0, far]]))
        result = graph.bfs(far)
        self.assertEqual(result.path_to(0), [far, 0])
        self.assertEqual(result.vertex_levels.tolist(), [1, 0])
        with self.assertRaisesRegex(brushfire.UsageError, "vertex_levels"):
            result.levels

    def test_arrays_are_held_not_copied(self):
        edges = random_edges(1, 100, 400)
        alive = weakref.ref(edges)
        graph = Graph.from_edges(edges)
        del edges
        gc.collect()
        self.assertIsNotNone(alive())
        self.assertTrue(graph.validate(graph.bfs(int(graph.labels[0]))))
        del graph
        gc.collect()
        self.assertIsNone(alive())

    def test_directed(self):
        edges = [[0, 1], [2, 1]]
        self.assertEqual(Graph.from_edges(edges).bfs(0).levels.tolist(), [0, 1, 2])
        self.assertEqual(Graph.from_edges(edges, directed=True).bfs(0).levels.tolist(), [0, 1, -1])

    def test_refusals(self):
        for wrong, part in (
            (lambda: Graph.from_edges([[0, -1]]), "edge 0 names vertex -1"),
            (lambda: Graph.from_edges([[0.5, 1]]), "must be integers"),
            (lambda: Graph.from_edges([0, 1, 2]), "two columns"),
            (lambda: Graph.from_edges([[0, 5]], vertices=5), "outside 0 ... 4"),
            (lambda: Graph.from_edges([[0, 1]], device="gpu"), "'auto', 'cpu' or 'cuda'"),
            (lambda: Graph.from_csr([0, 2, 1], [0, 1]), "out of order"),
            (lambda: Graph.from_csr([[0]], [0]), "one dimension"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(2), "source 2 is not in"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0, direction="up"), "'auto', 'push' or 'pull'"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0, threads=-1), "threads: -1 makes no sense"),
            (lambda: Graph.from_edges([[0, 1]], devices=0), "devices: 0 cannot share"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0).path_to(7), "target 7 is not in"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0).path_to(2**64), "target 18446744073709551616 is no label"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0, target=-1), "target -1 is no label"),
            (lambda: Graph.from_edges([[0, 1]]).validate([0, 0], source=2**63), "source 9223372036854775808 is no label"),
            (lambda: Graph.from_edges([[0, 1]], vertices=2**63), "vertices: 9223372036854775808 makes no sense"),
            (lambda: Graph.from_edges([[0, 1]]).random_sources(1, seed=-1), "seed: -1 makes no sense"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0, max_depth=-(2**70)), "depth limit of -1"),
            (lambda: Graph.from_scipy(np.eye(2)), "ndarray is no sparse matrix"),
            (lambda: Graph.read("no/such/file.el"), "no such file"),
            (lambda: Graph.kron(0), "kron"),
            (lambda: Graph.generate("friends.el"), "names no generator"),
            (lambda: Graph.from_edges([[0, 1]], device=None), "device: None is no word"),
            (lambda: Graph.from_edges([[0, 1]]).bfs(0, direction=None), "direction: None is no word"),
            (lambda: Graph.from_edges([[0, 1]]).validate(Graph.from_edges([[0, 1]]).bfs(0), source=1), "from 0"),
            (lambda: Graph.from_edges([[0, 2]]).validate([0, 1, 0], source=0), "gives a value to 1"),
        ):
            with self.assertRaisesRegex(ValueError, part) as caught:
                wrong()
            self.assertIsInstance(caught.exception, brushfire.Error)
        with self.assertRaises(MemoryError):
            Graph.kron(60)
        with self.assertRaises(TypeError):
            Graph.from_edges([[0, 1]]).bfs("0")
        with self.assertRaises(TypeError):
            Graph.from_edges([[0, 1]], colour=3)


class Searching(unittest.TestCase):
    def test_unsigned_parents_have_a_minus_one(self):
        graph = Graph.from_edges([[0, 2], [4, 5]])
        none = 2**32 - 1
        self.assertTrue(graph.validate(np.array([0, none, 0, none, none, none], np.uint32), source=0))

    def test_options_agree(self):
        graph = Graph.kron(10)
        levels = graph.bfs(1).levels
        for options in ({"direction": "push"}, {"direction": "pull"}, {"threads": 1}, {"deterministic": True}):
            self.assertTrue(np.array_equal(graph.bfs(1, **options).levels, levels), options)
        shared = Graph.kron(10, devices=3)
        self.assertTrue(np.array_equal(shared.bfs(1).levels, levels))

    def test_many_sources_at_once(self):
        graph = Graph.kron(10)
        sources = graph.random_sources(70)
        many = graph.bfs_many(np.array(sources))
        self.assertEqual(many.levels.shape, (70, 1024))
        for row, source in enumerate(sources):
            alone = graph.bfs(source)
            self.assertTrue(np.array_equal(many.levels[row], alone.levels))
            self.assertEqual((many.reached[row], many.depths[row]), (alone.reached, alone.depth))
        with_gaps = Graph.from_edges([[10, 20], [20, 40]]).bfs_many([40, 10])
        self.assertEqual([with_gaps.levels[0, v] for v in (10, 20, 40, 30)], [2, 1, 0, -1])
        self.assertEqual(graph.bfs_many([]).levels.shape, (0, 1024))
        with self.assertRaises(brushfire.UsageError):
            graph.bfs_many([5000])

    def test_matrices_of_levels_outlive_the_next_batch(self):
        graph = Graph.generate("path:4")
        first = graph.bfs_many([0, 3]).levels
        second = graph.bfs_many([1, 2]).levels
        self.assertEqual(first.tolist(), [[0, 1, 2, 3], [3, 2, 1, 0]])
        place, row = first.ctypes.data, first[1]
        del first
        graph.bfs_many([1, 1])  # the memory of `first` is still looked at
        self.assertEqual(row.tolist(), [3, 2, 1, 0])
        del row
        third = graph.bfs_many([3, 0]).levels
        self.assertEqual(third.ctypes.data, place)
        self.assertEqual(third.tolist(), [[3, 2, 1, 0], [0, 1, 2, 3]])
        self.assertEqual(second.tolist(), [[1, 0, 1, 2], [2, 1, 0, 1]])
        del graph
        self.assertEqual(third.sum(), 12)

    def test_limits(self):
        graph = Graph.generate("path:100")
        self.assertEqual(graph.bfs(0, max_depth=3).reached, 4)
        self.assertEqual(graph.bfs(0, max_depth=2**70).reached, 100)
        self.assertTrue(graph.validate(graph.bfs(0, max_depth=3)))
        stopped = graph.bfs(0, target=5)
        self.assertEqual(stopped.path_to(5), [0, 1, 2, 3, 4, 5])
        with self.assertRaises(brushfire.UsageError):
            graph.validate(stopped)

    def test_results_keep_their_arrays(self):
        graph = Graph.generate("path:4")
        first = graph.bfs(0)
        graph.bfs(3)
        self.assertEqual(first.levels.tolist(), [0, 1, 2, 3])

    def test_trace(self):
        trace = Graph.generate("path:5").bfs(0).trace
        self.assertEqual([level.level for level in trace[:4]], [0, 1, 2, 3])
        self.assertEqual(sum(level.discovered for level in trace), 4)
        self.assertTrue({level.direction for level in trace} <= {"push", "pull"})

    def test_wrong_parents_are_refused(self):
        graph = Graph.from_edges([[0, 1], [1, 2]])
        parents = graph.bfs(0).parents.copy()
        self.assertTrue(graph.validate(parents, source=0))
        parents[2] = 0
        with self.assertRaisesRegex(brushfire.ValidationError, "rule [1-5]"):
            graph.validate(parents, source=0)
        with self.assertRaises(brushfire.UsageError):
            graph.validate(parents)

    def test_reads_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.el")
            with open(path, "w") as file:
                file.write("1 2\n2 3\n")
            self.assertEqual(Graph.read(os.fsencode(path)).vertices, 3)
            self.assertEqual(Graph.read(path).bfs(1).levels.tolist(), [-1, 0, 1, 2])


class OnGpu:
    """What CuPy, PyTorch or Numba would hand over."""

    def __init__(self, shape, typestr, pointer, strides=None):
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": typestr,
            "data": (pointer, False),
            "strides": strides,
        }


class FromGpu(unittest.TestCase):
    def test_arrays_that_are_not_there_are_refused(self):
        with self.assertRaises(brushfire.Error):
            Graph.from_edges(OnGpu((2, 2), "<i4", 4096))

    def test_empty_ones_need_no_gpu(self):
        self.assertEqual(Graph.from_edges(OnGpu((0, 2), "<i4", 0), vertices=2).vertices, 2)


class GpuArrays(unittest.TestCase):
    """Started by itself, with the label gpu: the other tests are kept from finding a GPU."""

    def setUp(self):
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
            usable = self.driver.cuInit(0) == 0
        except OSError:
            usable = False
        if not usable:
            if os.environ.get("BRUSHFIRE_REQUIRE_GPU") == "1":
                self.fail("a GPU is required")
            self.skipTest("no usable GPU")
        context = ctypes.c_void_p()
        self.assertEqual(self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), 0)
        self.assertEqual(self.driver.cuCtxSetCurrent(context), 0)

    def there(self, array):
        pointer = ctypes.c_uint64()
        self.assertEqual(self.driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes)), 0)
        host = np.ascontiguousarray(array)
        copied = self.driver.cuMemcpyHtoD_v2(pointer, ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(host.nbytes))
        self.assertEqual(copied, 0)
        return pointer.value

    def test_edges_and_rows(self):
        edges = random_edges(3, 100, 300).astype(np.int32)
        expected = Graph.from_edges(edges, vertices=100, device="cpu").bfs(0, device="cpu").levels
        in_rows = OnGpu((300, 2), "<i4", self.there(edges))
        in_columns = OnGpu((300, 2), "<i4", self.there(edges.T), (4, 1200))
        for array in (in_rows, in_columns):
            for device in ("cpu", "cuda"):
                graph = Graph.from_edges(array, vertices=100, device=device)
                result = graph.bfs(0, device=device)
                self.assertTrue(np.array_equal(result.levels, expected))
                self.assertTrue(graph.validate(result))
        offsets, targets = np.array([0, 1, 2, 2]), np.array([1, 2])
        rows = [OnGpu(array.shape, "<i8", self.there(array)) for array in (offsets, targets)]
        for device in ("auto", "cpu", "cuda"):
            self.assertEqual(Graph.from_csr(*rows, device=device).bfs(0).levels.tolist(), [0, 1, 2])

    def test_labels_with_gaps_and_odd_types(self):
        edges = np.array([[10, 20], [20, 40]])
        for kind in ("<i8", "<u8", "<i4", "<u4", "<i2", ">i4"):
            array = OnGpu((2, 2), kind, self.there(edges.astype(kind)))
            for device in ("cpu", "cuda"):
                result = Graph.from_edges(array, device=device).bfs(10)
                self.assertEqual([result.levels[v] for v in (10, 20, 40, 11)], [0, 1, 2, -1], kind)

    def test_arrays_are_held(self):
        array = OnGpu((3, 2), "<i4", self.there(np.array([[0, 1], [1, 2], [2, 3]], np.int32)))
        alive = weakref.ref(array)
        graph = Graph.from_edges(array, device="cuda")
        del array
        gc.collect()
        self.assertIsNotNone(alive())
        self.assertTrue(graph.validate(graph.bfs(0)))
        del graph
        gc.collect()
        self.assertIsNone(alive())


@unittest.skipUnless(have("scipy"), "no SciPy (python3-scipy)")
class AgainstSciPy(unittest.TestCase):
    def test_random_matrices(self):
        from scipy import sparse
        from scipy.sparse import csgraph

        for seed in range(20):
            edges = random_edges(seed, 200, 100 + 40 * seed)
            ones = np.ones(len(edges))
            matrix = sparse.csr_matrix((ones, (edges[:, 0], edges[:, 1])), (200, 200))
            for directed in (False, True):
                distances = csgraph.shortest_path(matrix, directed=directed, unweighted=True, indices=seed)
                levels = np.where(np.isinf(distances), -1, distances).astype(int)
                for form in (matrix, matrix.tocoo(), matrix.tocsc()):
                    graph = Graph.from_scipy(form, directed=directed)
                    result = graph.bfs(seed)
                    self.assertTrue(np.array_equal(result.levels, levels))
                    self.assertTrue(graph.validate(result))
            both = Graph.from_scipy((matrix + matrix.T).tocsr())
            self.assertTrue(np.array_equal(both.bfs(seed).levels, Graph.from_scipy(matrix).bfs(seed).levels))
        with self.assertRaises(brushfire.UsageError):
            Graph.from_scipy(sparse.csr_matrix((2, 3)))


@unittest.skipUnless(have("networkx"), "no NetworkX (python3-networkx)")
class AgainstNetworkX(unittest.TestCase):
    def test_random_graphs(self):
        import networkx

        for seed in range(20):
            for directed in (False, True):
                theirs = networkx.gnp_random_graph(150, 0.002 * seed, seed, directed)
                ours = Graph.from_networkx(theirs)
                self.assertEqual(ours.directed, directed)
                result = ours.bfs(seed)
                levels = networkx.single_source_shortest_path_length(theirs, seed)
                self.assertEqual(result.levels.tolist(), [levels.get(v, -1) for v in range(150)])
                self.assertTrue(ours.validate(result))
                for v, level in levels.items():
                    self.assertEqual(len(result.path_to(v)), level + 1)
                    self.assertTrue(networkx.is_path(theirs, result.path_to(v)))

    def test_nodes(self):
        import networkx

        far_apart = networkx.Graph([(100, 7), (7, 30)])
        far_apart.add_node(5000)  # alone
        graph = Graph.from_networkx(far_apart)
        self.assertEqual(graph.labels.tolist(), [7, 30, 100, 5000])
        self.assertEqual(graph.bfs(5000).reached, 1)
        self.assertEqual(graph.edges, 2)
        self.assertEqual(Graph.from_networkx(networkx.Graph()).vertices, 0)
        with self.assertRaisesRegex(brushfire.UsageError, "convert_node_labels_to_integers"):
            Graph.from_networkx(networkx.Graph([("a", "b")]))
        with self.assertRaisesRegex(brushfire.UsageError, "convert_node_labels_to_integers"):
            Graph.from_networkx(networkx.Graph([(0, 2**70)]))


class Package(unittest.TestCase):
    def test_says_what_it_is(self):
        self.assertRegex(brushfire.__version__, r"^\d+\.\d+\.\d+$")
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(brushfire.__file__), "py.typed")))
        for name in brushfire.__all__:
            self.assertTrue(hasattr(brushfire, name), name)
        for kind in (Graph, brushfire.Result, brushfire.ManyResult):
            for name, member in vars(kind).items():
                if not name.startswith("_"):
                    self.assertTrue(getattr(member, "__doc__", None), name)

    def test_docstring_is_true(self):
        import doctest

        self.assertEqual(doctest.testmod(brushfire).failed, 0)

    def test_stub_knows_the_module(self):
        import ast

        stub = os.path.join(os.path.dirname(brushfire.__file__), "_brushfire.pyi")
        with open(stub) as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                there = getattr(brushfire._brushfire, node.name)
                ours = {name for name in vars(there) if not name.startswith("_")}
                told = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__init__"}
                self.assertEqual(ours, told, node.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
