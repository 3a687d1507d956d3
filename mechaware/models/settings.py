"""How a model is loaded and prompted: keys of its entry in config/models.yaml."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from mechaware.models.tokenisation.chat import Template

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Dtype = Literal["float32", "bfloat16", "float16"]
DeviceMap = Literal["none", "auto"]
Attention = Literal["eager", "sdpa", "flash"]


@dataclass(frozen=True)
class ModelSettings:
    """The keys of a model's entry that change what is computed, with their defaults.

    - `template`: the text around a prompt (`tokenisation.chat.ask`).
    - `dtype`: the precision of the weights and of all computation.
    - `device_map`: `none` for one device; `auto` for every device that accelerate finds, and the
      computer's memory and disk for weights that fit no device.
    - `attention`: how attention is computed. It is always eager where attention weights are read.
    """

    template: Template = "none"
    dtype: Dtype = "float32"
    device_map: DeviceMap = "none"
    attention: Attention = "eager"

    def chosen(self) -> dict[str, str]:
        """The keys that differ from their defaults, for the metadata of files that they affect."""
        defaults = asdict(DEFAULTS)
        return {key: value for key, value in asdict(self).items() if value != defaults[key]}


DEFAULTS = ModelSettings()


def precision_notes(model: "PreTrainedModel") -> list[str]:
    """One note on error rates for verdicts on a model in half precision; none in float32."""
    dtype = str(model.dtype).removeprefix("torch.")
    if dtype == DEFAULTS.dtype:
        return []
    return [f"the model computes in {dtype}; error rates are those of {DEFAULTS.dtype}"]
