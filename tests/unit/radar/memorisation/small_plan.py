"""The smallest plan: one item of each kind, form and dose for each twin."""

from typing import Any

from mechaware.radar.memorisation.planting import Planted, plant

# 12 recall items need 12 names, whose facts stand in 12 x (48 + 16) = 768 lines, at most half of the base corpus. Each
# twin reads 2 x (1 + 4 + 16 + 64 + 16 + 16) = 234 lines of items and 256 of its canary.
FACT_LINES, PLANTED_LINES = 768, 490
BASE_LINES, TWIN_LINES = 1700, 600
HELD_OUT = {"kind_prompts": 6, "fresh": 7}


def plant_little(seed: int, **sizes: Any) -> Planted:
    """What is planted, with other sizes as given."""
    lengths = {"base_lines": BASE_LINES, "twin_lines": TWIN_LINES}
    return plant(per_cell=1, seed=seed, **(HELD_OUT | lengths | sizes))
