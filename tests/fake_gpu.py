"""A GPU for tests where there is none: its tensors say `cuda:0`, and the CPU computes them.

A tensor is on the fake GPU if its storage is marked; views, `.data` and operations in place share the mark. What an
operation makes is marked like its inputs. For inputs on both devices it raises what CUDA raises. CUDA, too, allows
CPU scalars in pointwise operations, CPU indices of a tensor on the GPU, and copies.

A subclass of `torch.Tensor` whose device is CUDA would be the usual way. In a build of torch without CUDA its gradients
end the process, and it cannot be indexed: both ask for CUDA's device guard.

What the fake does not show: C++ code that asks a tensor for its device gets `cpu`. A gradient is not moved back where a
tensor was moved. Nothing is asynchronous and no memory runs out. Kernels, rounding and random numbers are the CPU's.
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

GPU, CPU = torch.device("cuda", 0), torch.device("cpu")
_aten = torch.ops.aten
_COPIES = {_aten.copy_, _aten.fill_}
_INDEXING = {_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_}


@contextmanager
def fake_gpu() -> Iterator[torch.device]:
    """Inside, tensors can be made on, and moved to, the device `cuda:0`, which is given."""
    with mock.patch.object(torch, "Generator", _Generator), _CheckedDevices(), _NamedDevices():
        yield GPU


class _Generator(torch.Generator):
    """Random numbers of the CPU for any device; only tensors on that device may be drawn with it."""

    device = CPU

    def __new__(cls, device: torch.device | str = CPU) -> "_Generator":
        made = super().__new__(cls, CPU)
        made.device = GPU if torch.device(device).type == "cuda" else CPU
        return made


class _NamedDevices(TorchFunctionMode):
    """What Python reads of a tensor's device, or does with a device that it names. C++ knows no CUDA here."""

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if function in _MOVES:
            return _MOVES[function](*args, **kwargs)
        if function in _READ_ON_GPU and _on_gpu(args[0]):
            return _READ_ON_GPU[function]
        if function in _TO_NUMPY and _on_gpu(args[0]):
            raise TypeError(
                f"can't convert {GPU} device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )
        device = kwargs.get("device")
        if generator := kwargs.get("generator"):
            drawn_on = device or next(map(_device_of, _tensors(args)), CPU)
            if generator.device.type != torch.device(drawn_on).type:
                raise RuntimeError(
                    f"Expected a '{drawn_on}' device type for generator but found '{generator.device}'"
                )
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
    """Every operation, those of a backward pass too: raises for inputs on different devices, marks what is made."""

    def __torch_dispatch__(
        self, op: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        inputs = _tensors((args, kwargs))
        device = GPU if any(map(_on_gpu, inputs)) else CPU
        if device == GPU and not all(map(_on_gpu, inputs)):
            _check_mixed(op, args, inputs)
        own = {tensor.untyped_storage()._cdata for tensor in inputs}
        made = op(*args, **kwargs)
        for tensor in _tensors(made):
            if tensor.untyped_storage()._cdata not in own:
                _marked(tensor, device)
        return made


def _check_mixed(op: Any, args: Any, inputs: list[Tensor]) -> None:
    """Raise CUDA's error unless `op` takes these inputs of both devices."""
    packet = op.overloadpacket
    if packet in _COPIES:
        return
    if packet in _INDEXING:
        if not _on_gpu(args[0]) and any(_on_gpu(index) for index in args[1] if index is not None):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )
        values = [leaf for leaf in args[2:3] if leaf.ndim]
        allowed = all(_on_gpu(value) == _on_gpu(args[0]) for value in values)
    else:
        written = _tensors(args[0]) if op._schema.is_mutable else []
        pointwise = torch.Tag.pointwise in op.tags or packet.__name__.startswith("_foreach_")
        scalars = all(_on_gpu(tensor) or tensor.ndim == 0 for tensor in inputs)
        allowed = pointwise and scalars and all(map(_on_gpu, written))
    if not allowed:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {GPU} and cpu! ({op})"
        )


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _on_gpu(tensor: Tensor) -> bool:
    return getattr(tensor.untyped_storage(), "on_fake_gpu", False)


def _marked(tensor: Any, device: torch.device) -> Any:
    tensor.untyped_storage().on_fake_gpu = device.type == "cuda"
    return tensor


def _device_of(tensor: Tensor) -> torch.device:
    return GPU if _on_gpu(tensor) else tensor.device


def _to(tensor: Tensor, *args: Any, copy: bool = False, **kwargs: Any) -> Tensor:
    """`Tensor.to`: the tensor itself where nothing changes and no copy is asked for."""
    if args and isinstance(args[0], Tensor):
        args = (_device_of(args[0]), args[0].dtype)
    device, dtype, *_ = torch._C._nn._parse_to(*args, **kwargs)
    device, dtype = device or _device_of(tensor), dtype or tensor.dtype
    if device.type == _device_of(tensor).type:
        return tensor.to(dtype=dtype, copy=copy)
    return _marked(tensor.to(CPU if device.type == "cuda" else device, dtype, copy=True), device)


_MOVES = {
    Tensor.to: _to,
    Tensor.cpu: lambda tensor, *_, **__: _to(tensor, CPU),
    Tensor.cuda: lambda tensor, *_, **__: _to(tensor, GPU),
}
_READ_ON_GPU = {
    Tensor.device.__get__: GPU,
    Tensor.is_cuda.__get__: True,
    Tensor.is_cpu.__get__: False,
    Tensor.get_device: 0,
}
_TO_NUMPY = {Tensor.numpy, Tensor.__array__}
