"""The RADAR study: recall or reasoning, from prompts to tables and figures."""

from mechaware.library import at_first_use

__all__ = ["activations", "detect", "features", "fit", "prompt_set", "rank", "verdict"]
__getattr__, __dir__ = at_first_use(__name__, dict.fromkeys(__all__, "mechaware.radar.library"))
