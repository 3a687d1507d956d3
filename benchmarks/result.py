"""How a benchmark ends: one JSON object on its last line, with the device that it ran on."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def device_name(device: "torch.device | None" = None) -> str:
    """The name of the GPU; without a device the CPU's,
    with PyTorch's instruction set and the number of threads.
    """
    import torch  # here: a child process counts as at least as large as the process that starts it

    if device is not None and device.type == "cuda":
        return torch.cuda.get_device_name(device)
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{[*names, 'CPU'][0]}, {torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads"


def print_result(
    benchmark: str, *, device: "torch.device | None" = None, **measured: object
) -> None:
    """The last line of a benchmark."""
    print(json.dumps({"benchmark": benchmark, "device": device_name(device), **measured}))
