"""What the fake GPU computes, and what it refuses: the rules of CUDA, written down case by case."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.fake_gpu import fake_gpu

CPU = torch.device("cpu")
MIXED = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


@pytest.fixture(autouse=True)
def gpu() -> Iterator[torch.device]:
    with fake_gpu() as device:
        yield device


def numbers(*shape: int) -> Tensor:
    return torch.arange(float(np.prod(shape))).reshape(shape)


def test_the_numbers_are_those_of_the_cpu_and_come_back(gpu: torch.device) -> None:
    on_gpu = numbers(2, 3).to(gpu)
    product = on_gpu @ on_gpu.T
    assert product.device == gpu
    assert product.tolist() == product.cpu().tolist() == [[5, 14], [14, 50]]
    assert product.cpu().device == product.to("cpu").device == CPU
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        product.numpy()


MIXING: dict[str, Callable[[Tensor, Tensor], object]] = {
    "add": lambda gpu, cpu: gpu + cpu,
    "matmul": lambda gpu, cpu: gpu @ cpu,
    "embedding": lambda gpu, cpu: nn.functional.embedding(cpu.long(), gpu),
    "cat": lambda gpu, cpu: torch.cat([gpu, cpu]),
    "stack of scalars": lambda gpu, cpu: torch.stack([gpu.sum(), cpu.sum()]),
    "gather": lambda gpu, cpu: gpu.gather(0, cpu.long()),
    "in place": lambda gpu, cpu: cpu.add_(gpu),
    "scalar in place": lambda gpu, cpu: cpu.sum().add_(gpu.sum()),
    "assigned by index": lambda gpu, cpu: cpu.__setitem__([0, 1], gpu),
    "foreach": lambda gpu, cpu: torch._foreach_mul([gpu], [cpu]),
}


@pytest.mark.parametrize("mix", MIXING.values(), ids=MIXING)
def test_an_operation_on_both_devices_is_cudas_error(
    mix: Callable[[Tensor, Tensor], object], gpu: torch.device
) -> None:
    mix(torch.eye(2), torch.eye(2))
    mix(torch.eye(2, device=gpu), torch.eye(2, device=gpu))
    with pytest.raises(RuntimeError, match=MIXED):
        mix(torch.eye(2, device=gpu), torch.eye(2))


ALLOWED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "CPU scalar": lambda gpu, cpu: gpu * cpu.sum(),
    "number in where": lambda gpu, _: torch.where(gpu > 0, 2.0, gpu),
    "CPU index": lambda gpu, cpu: gpu[cpu[0].long()],
    "indices on both devices": lambda gpu, cpu: gpu[gpu[0].long(), cpu[0].long()],
    "copy": lambda gpu, cpu: torch.empty_like(gpu).copy_(cpu),
    "scalar assigned by index": lambda gpu, cpu: gpu.index_put_((cpu[0].long(),), cpu.sum()),
}


@pytest.mark.parametrize("mix", ALLOWED.values(), ids=ALLOWED)
def test_what_cuda_allows_on_both_devices_gives_the_cpus_numbers_on_the_gpu(
    mix: Callable[[Tensor, Tensor], Tensor], gpu: torch.device
) -> None:
    mixed = mix(torch.eye(2, device=gpu), torch.eye(2))
    assert mixed.device == gpu
    assert torch.equal(mixed.cpu(), mix(torch.eye(2), torch.eye(2)))
