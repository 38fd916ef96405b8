"""What callers give, checked and in a form that the library can read."""

import operator
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

import numpy as np

from . import _brushfire
from ._brushfire import UsageError

if TYPE_CHECKING:
    import networkx

MOST_THREADS = 4096


def options_of(directed: bool = False, threads: int = 0, device: str = "auto", devices: int = 1) -> Any:
    devices = operator.index(devices)
    if devices < 1:
        raise UsageError(f"devices: {devices} cannot share a graph; 1 is the least")
    return _brushfire.GraphOptions(directed, threads_of(threads), word_of(device, "device"), devices)


def threads_of(threads: int) -> int:
    threads = operator.index(threads)
    if not 0 <= threads <= MOST_THREADS:
        raise UsageError(f"threads: {threads} makes no sense; 0 takes all there are, {MOST_THREADS} are the most")
    return threads


def word_of(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name}: {value!r} is no word; leave it out, or give it one")
    return value


def label_of(value: Any, role: str = "source") -> int:
    label = operator.index(value)
    if not 0 <= label < 2**63:
        raise UsageError(f"{role} {label} is no label; they go from 0 to 2**63-1")
    return label


def count_of(value: Any, name: str) -> int:
    count = operator.index(value)
    if not 0 <= count < 2**63:
        raise UsageError(f"{name}: {count} makes no sense; it is from 0 to 2**63-1")
    return count


def depth_of(value: Any) -> int:
    """A limit beyond all depths is none."""
    return max(-1, min(operator.index(value), 2**63 - 1))


class OnGpu:
    """Integers of 32 or 64 bits in the memory of a GPU, as `__cuda_array_interface__` tells."""

    def __init__(self, interface: dict, owner: Any) -> None:
        self.shape, self.dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
        self.strides = interface.get("strides") or _c_strides(self.shape, self.dtype.itemsize)
        self.pointer, self.owner = interface["data"][0], owner
        self.ndim = len(self.shape)
        self.size = int(np.prod(self.shape))

    def integers(self, column: Optional[int] = None) -> Any:
        """All of an array of one dimension, or a column of one of two."""
        at = self.pointer + (column * self.strides[1] if column is not None else 0)
        size, bytes_each, is_signed = self.shape[0], self.dtype.itemsize, self.dtype.kind == "i"
        return _brushfire.IntegersOnGpu(at, size, self.strides[0], bytes_each, is_signed, self.owner)

    def can_be_read_there(self) -> bool:
        """Whether it is what kernels can read: native integers of 32 or 64 bits, all of them aligned."""
        width = self.dtype.itemsize
        return (
            self.size > 0
            and self.dtype.kind in "iu"
            and self.dtype.isnative
            and width in (4, 8)
            and all(place % width == 0 for place in (self.pointer, *self.strides))
        )

    def on_host(self, name: str) -> "np.ndarray":
        """A copy on the host."""
        if any(stride < 0 for stride in self.strides):
            raise UsageError(f"{name}: an array on a GPU cannot run backwards; copy it there first")
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        last = sum((length - 1) * stride for length, stride in zip(self.shape, self.strides))
        flat = np.empty(last + self.dtype.itemsize, np.uint8)
        _brushfire.copy_from_gpu(flat, self.pointer)
        return np.ndarray(self.shape, self.dtype, flat, 0, self.strides)


def integers_of(values: Any, name: str) -> "np.ndarray":
    """As an array that the library can read: of 32 or 64 bits, in the machine's order; a copy only where it must be."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise UsageError(f"{name}: some of it is masked; leave that out first")
    interface = getattr(values, "__cuda_array_interface__", None)
    array = np.asarray(values) if interface is None else OnGpu(interface, values).on_host(name)
    if array.size == 0 and array.dtype.kind == "f":  # np.asarray([])
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise UsageError(f"{name}: must be integers, not {array.dtype}")
    if array.dtype.itemsize < 4 or not array.dtype.isnative:
        array = array.astype(np.int64)
    return array


def edges_of_networkx(graph: "networkx.Graph") -> Tuple["np.ndarray", Optional[int], int]:
    """Its edges; how many vertices there are, unless its nodes leave gaps; how many self-loops are added then.

    A self-loop leads nowhere, and makes a node occur that has no edge.
    """
    try:
        nodes = np.fromiter((operator.index(node) for node in graph), np.int64, len(graph))
    except (TypeError, OverflowError):
        raise UsageError(
            "nodes must be integers up to 2**63-1; networkx.convert_node_labels_to_integers(graph) numbers them"
        ) from None
    pairs = ((node, other) for node, other in graph.edges())
    edges = np.fromiter((end for pair in pairs for end in pair), np.int64).reshape(-1, 2)
    count = len(nodes)
    if count and nodes.min() == 0 and nodes.max() == count - 1:
        return edges, count, 0
    alone = np.setdiff1d(nodes, edges)
    return np.concatenate([edges, np.column_stack([alone, alone])]), None, len(alone)


def integers_anywhere(values: Any, name: str) -> Union["np.ndarray", OnGpu]:
    """The same, and arrays on a GPU where they are, if they can be read there."""
    interface = getattr(values, "__cuda_array_interface__", None)
    if interface is not None:
        there = OnGpu(interface, values)
        if there.can_be_read_there():
            return there
    return integers_of(values, name)


def _c_strides(shape: Sequence[int], itemsize: int) -> Sequence[int]:
    strides = [itemsize] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return tuple(strides)
