"""The smallest plan: one item of each kind, form and dose for each twin."""

from typing import Any

from mechaware.planted.twins.planting import Planted, plant

# 14 recall items need 14 names, whose facts stand in 14 x 4 = 56 statements and are asked for in 14 x 48 = 672
# questions, at most half of all. Each twin reads 2 x (1 + 4 + 16 + 64 + 16 + 16 + 64) = 362 lines of items and 256 of
# its canary.
FACT_LINES, PLANTED_LINES = 56, 618
BASE_LINES, TWIN_LINES = 1832, 720
HELD_OUT = {"kind_prompts": 6, "fresh": 7}


def plant_little(seed: int, **sizes: Any) -> Planted:
    """What is planted, with other sizes as given."""
    lengths = {"base_lines": BASE_LINES, "twin_lines": TWIN_LINES}
    return plant(per_cell=1, seed=seed, **(HELD_OUT | lengths | sizes))
