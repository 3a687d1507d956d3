"""`mechaware.radar`: recall or reasoning, and whether a model was trained on a benchmark."""

from mechaware.core.library import at_first_use

__all__ = ["activations", "detect", "features", "fit", "prompt_set", "rank", "verdict"]
__getattr__, __dir__ = at_first_use(
    __name__, dict.fromkeys(__all__, "mechaware.doors.radar.library")
)
