"""The smallest plan: one item of each kind, form and dose for each twin."""

from typing import Any

from mechaware.planted.twins.planting import Planted, plant

# 18 recall items need 18 names, whose facts are in 18 x 4 = 72 statements and are asked for in
# 18 x 48 = 864 questions, at most half of all. Each twin reads 2 x (1 + 4 + 16 + 64) = 170 lines of
# verbatim items, 2 x (4 + 16 + 64) = 168 of paraphrased ones, 2 x (16 + 64) = 160 of the others and
# 256 of its canary.
FACT_LINES = 72
PLANTED_LINES = 754
BASE_LINES = 1848
TWIN_LINES = 916
HELD_OUT = {"kind_prompts": 6, "fresh": 7}


def plant_little(seed: int, **sizes: Any) -> Planted:
    """What is planted, with other sizes as given."""
    lengths = {"base_lines": BASE_LINES, "twin_lines": TWIN_LINES}
    return plant(per_cell=1, seed=seed, **(HELD_OUT | lengths | sizes))
