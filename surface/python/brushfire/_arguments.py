"""What callers give, checked and in a form that the library can read."""

import operator
from typing import Any, Sequence

import numpy as np

from . import _brushfire
from ._brushfire import UsageError

MOST_THREADS = 4096


def options_of(directed: bool = False, threads: int = 0, device: str = "auto", devices: int = 1) -> Any:
    if devices < 1:
        raise UsageError(f"devices: {devices} cannot share a graph; 1 is the least")
    return _brushfire.GraphOptions(directed, threads_of(threads), device, devices)


def threads_of(threads: int) -> int:
    if not 0 <= threads <= MOST_THREADS:
        raise UsageError(f"threads: {threads} makes no sense; 0 takes all there are, {MOST_THREADS} are the most")
    return threads


def label_of(value: Any) -> int:
    label = operator.index(value)
    if not 0 <= label < 2**63:
        raise UsageError(f"source {label} is no label; they go from 0 to 2**63-1")
    return label


def integers_of(values: Any, name: str) -> "np.ndarray":
    """As an array that the library can read: of 32 or 64 bits, in the machine's order; a copy only where it must be."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise UsageError(f"{name}: some of it is masked; leave that out first")
    interface = getattr(values, "__cuda_array_interface__", None)
    array = np.asarray(values) if interface is None else _from_gpu(interface, name)
    if array.size == 0 and array.dtype.kind == "f":  # np.asarray([])
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise UsageError(f"{name}: must be integers, not {array.dtype}")
    if array.dtype.itemsize < 4 or not array.dtype.isnative:
        array = array.astype(np.int64)
    return array


def _from_gpu(interface: dict, name: str) -> "np.ndarray":
    """A copy on the host of an array in the memory of a GPU."""
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    if strides is None:
        strides = _c_strides(shape, dtype.itemsize)
    if any(stride < 0 for stride in strides):
        raise UsageError(f"{name}: an array on a GPU cannot run backwards; copy it there first")
    if 0 in shape:
        return np.empty(shape, dtype)
    last = sum((length - 1) * stride for length, stride in zip(shape, strides))
    flat = np.empty(last + dtype.itemsize, np.uint8)
    _brushfire.copy_from_gpu(flat, interface["data"][0])
    return np.ndarray(shape, dtype, flat, 0, strides)


def _c_strides(shape: Sequence[int], itemsize: int) -> Sequence[int]:
    strides = [itemsize] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return tuple(strides)
