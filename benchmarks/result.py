"""How a benchmark ends: one JSON object on its last line, with the device that it ran on."""

import json
from pathlib import Path

import torch

CPU = torch.device("cpu")


def device_name(device: torch.device = CPU) -> str:
    """The name of the GPU; of a CPU its name, PyTorch's instruction set and the number of threads."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{[*names, 'CPU'][0]}, {torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads"


def print_result(benchmark: str, *, device: torch.device = CPU, **measured: object) -> None:
    """The last line of a benchmark."""
    print(json.dumps({"benchmark": benchmark, "device": device_name(device), **measured}))
