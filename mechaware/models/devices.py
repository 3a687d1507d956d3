"""The device on which a model runs."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Device = Literal["cpu", "gpu"]


def device_named(name: Device) -> "torch.device":
    """The CPU for `cpu`; for `gpu` the first visible GPU, or the CPU if there is none."""
    import torch

    return default_device() if name == "gpu" else torch.device("cpu")


def default_device() -> "torch.device":
    """The first visible GPU, or the CPU if there is none."""
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
