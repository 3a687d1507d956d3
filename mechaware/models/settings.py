"""How a model is loaded and asked: keys of its entry in config/models.yaml."""

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
    """The keys of a model's entry in config/models.yaml that change what is computed, with their defaults.

    `template`: what surrounds a prompt (`tokenisation.chat.ask`). `dtype`: of the weights and of what is computed with
    them. `device_map`: one device, or with `auto` every device that accelerate finds, and the computer's memory and
    disk for weights that fit no device. `attention`: how attention is computed; where its weights are read, it is
    eager in any case.
    """

    template: Template = "none"
    dtype: Dtype = "float32"
    device_map: DeviceMap = "none"
    attention: Attention = "eager"

    def chosen(self) -> dict[str, str]:
        """The keys that are not at their defaults, for the files that are made with them."""
        return {key: value for key, value in asdict(self).items() if value != asdict(DEFAULTS)[key]}


DEFAULTS = ModelSettings()


def precision_notes(model: "PreTrainedModel") -> list[str]:
    """What a verdict on a model in half precision says of its error rates; nothing for one in float32."""
    dtype = str(model.dtype).removeprefix("torch.")
    if dtype == DEFAULTS.dtype:
        return []
    return [f"the model computes in {dtype}; error rates are those of {DEFAULTS.dtype}"]
