"""A GPU for tests where there is none: its tensors have the device `cuda:0`, and the CPU computes.

A tensor is on the fake GPU if its storage is marked. Views, `.data` and the results of operations
in place have the same storage, so they also have the mark. A tensor that an operation makes is
marked if any input is.

An operation with inputs on both devices raises CUDA's error, except for what CUDA allows: CPU
scalars in pointwise operations, CPU indices of a tensor on the GPU, and copies.

A subclass of `torch.Tensor` whose device is CUDA would be the usual way. In a build of torch
without CUDA, the gradients of such a subclass end the process, and it cannot be indexed: both ask
for CUDA's device guard.

The fake differs from a GPU in this: C++ code that asks a tensor for its device gets `cpu`. The
gradient of a tensor that was moved is on the device that it was moved to. `Tensor.to` ignores a
memory format. Nothing is asynchronous and no memory runs out. Kernels, rounding and random numbers
are the CPU's.

Two modes do the work. `_NamedDevices` sees the calls of Python functions, and answers for the
devices that Python names or reads. `_CheckedDevices` sees the operations that these calls and the
backward pass lead to; it checks and marks tensors.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

GPU = torch.device("cuda", 0)
CPU = torch.device("cpu")
_aten = torch.ops.aten
_COPIES = {_aten.copy_, _aten.fill_}
_INDEXING = {_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_}


@contextmanager
def fake_gpu() -> Iterator[torch.device]:
    """Yields the device `cuda:0`; inside the context, tensors can be made on it and moved to it."""
    with mock.patch.object(torch, "Generator", _Generator), _CheckedDevices(), _NamedDevices():
        yield GPU


class _Generator(torch.Generator):
    """A generator of the CPU's numbers that says it is on `device`.

    It may draw only tensors on that device.
    """

    device = CPU

    def __new__(cls, device: torch.device | str = CPU) -> "_Generator":
        generator = super().__new__(cls, CPU)
        generator.device = GPU if torch.device(device).type == "cuda" else CPU
        return generator


class _NamedDevices(TorchFunctionMode):
    """Answers what Python asks about a tensor's device, and carries out what names a device.

    Calls with a device reach C++ with the CPU in its place: C++ knows no CUDA here.
    """

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}

        # Functions of one tensor that depend on its device.
        if function in _MOVES:
            return _MOVES[function](*args, **kwargs)
        if function in _READ_ON_GPU and _on_gpu(args[0]):
            return _READ_ON_GPU[function]
        if function in _TO_NUMPY and _on_gpu(args[0]):
            raise TypeError(
                f"can't convert {GPU} device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )

        # A generator draws only on its own device.
        device = kwargs.get("device")
        if generator := kwargs.get("generator"):
            drawn_on = device or next(map(_device_of, _tensors(args)), CPU)
            if generator.device.type != torch.device(drawn_on).type:
                raise RuntimeError(
                    f"Expected a '{drawn_on}' device type for generator "
                    f"but found '{generator.device}'"
                )

        # Make the tensor on the CPU, and mark it if the device that the call names is the GPU.
        # `_parse_to` only reads its arguments: it returns no tensor.
        if (
            device is None
            or function is torch._C._nn._parse_to
            or torch.device(device).type == "meta"
        ):
            return function(*args, **kwargs)
        if function is torch.as_tensor and isinstance(args[0], Tensor):
            return _to(args[0], **kwargs)
        return _marked(function(*args, **kwargs | {"device": CPU}), torch.device(device))


class _CheckedDevices(TorchDispatchMode):
    """Checks the inputs of every operation, also in a backward pass, and marks what it makes."""

    def __torch_dispatch__(
        self, op: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        inputs = _tensors((args, kwargs))
        device = GPU if any(map(_on_gpu, inputs)) else CPU
        if device == GPU and not all(map(_on_gpu, inputs)):
            _check_mixed(op, args, inputs)
        storages_of_inputs = {tensor.untyped_storage()._cdata for tensor in inputs}
        result = op(*args, **kwargs)
        for tensor in _tensors(result):
            # A view of an input has the input's mark already.
            if tensor.untyped_storage()._cdata not in storages_of_inputs:
                _marked(tensor, device)
        return result


def _check_mixed(op: Any, args: Any, inputs: list[Tensor]) -> None:
    """Raise CUDA's error unless CUDA's `op` accepts these inputs, which are on both devices."""
    packet = op.overloadpacket
    if packet in _COPIES:
        return
    if packet in _INDEXING:
        # `index(tensor, indices)` and `index_put(tensor, indices, values)`
        indices_on_gpu = any(_on_gpu(index) for index in args[1] if index is not None)
        if indices_on_gpu and not _on_gpu(args[0]):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )
        # Values that are scalars may be on either device.
        values = [tensor for tensor in args[2:3] if tensor.ndim]
        allowed = all(_on_gpu(value) == _on_gpu(args[0]) for value in values)
    else:
        written = _tensors(args[0]) if op._schema.is_mutable else []
        is_pointwise = torch.Tag.pointwise in op.tags or packet.__name__.startswith("_foreach_")
        only_scalars_on_cpu = all(_on_gpu(tensor) or tensor.ndim == 0 for tensor in inputs)
        allowed = is_pointwise and only_scalars_on_cpu and all(map(_on_gpu, written))
    if not allowed:
        raise RuntimeError(
            "Expected all tensors to be on the same device, "
            f"but found at least two devices, {GPU} and cpu! ({op})"
        )


def _tensors(tree: Any) -> list[Tensor]:
    """The tensors in nested tuples, lists and dicts."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _on_gpu(tensor: Tensor) -> bool:
    """Whether the tensor's storage is marked."""
    return getattr(tensor.untyped_storage(), "on_fake_gpu", False)


def _marked(tensor: Any, device: torch.device) -> Any:
    """The tensor itself; its storage is marked for a CUDA device, and unmarked for another."""
    tensor.untyped_storage().on_fake_gpu = device.type == "cuda"
    return tensor


def _device_of(tensor: Tensor) -> torch.device:
    """The device that the fake gives a tensor."""
    return GPU if _on_gpu(tensor) else tensor.device


def _to(tensor: Tensor, *args: Any, copy: bool = False, **kwargs: Any) -> Tensor:
    """`Tensor.to`, which takes another tensor, or a device and a dtype, in its arguments.

    Returns the tensor itself where nothing changes and no copy is asked for.
    """
    if args and isinstance(args[0], Tensor):
        other = args[0]
        args = (_device_of(other), other.dtype)
    device, dtype, *_ = torch._C._nn._parse_to(*args, **kwargs)
    device = device or _device_of(tensor)
    dtype = dtype or tensor.dtype
    if device.type == _device_of(tensor).type:
        return tensor.to(dtype=dtype, copy=copy)
    real_device = CPU if device.type == "cuda" else device
    return _marked(tensor.to(real_device, dtype, copy=True), device)


# By function that moves a tensor: the fake's version of it.
_MOVES = {
    Tensor.to: _to,
    Tensor.cpu: lambda tensor, *_, **__: _to(tensor, CPU),
    Tensor.cuda: lambda tensor, *_, **__: _to(tensor, GPU),
}
# By function: what it returns for a tensor on the fake GPU.
_READ_ON_GPU = {
    Tensor.device.__get__: GPU,
    Tensor.is_cuda.__get__: True,
    Tensor.is_cpu.__get__: False,
    Tensor.get_device: 0,
}
_TO_NUMPY = {Tensor.numpy, Tensor.__array__}
