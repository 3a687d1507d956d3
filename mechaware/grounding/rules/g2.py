"""G2: a few blocks read the schema word, and what they read is both sufficient and necessary."""

from mechaware.grounding.rules.effects import block_sets
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """At most `most_blocks` blocks recover `alpha` of the gap when denoised, and remove it when noised.

    Where noising needs more blocks than denoising the reading is redundant: some block can replace another.
    """
    return (block_sets(measured.cuts, thresholds.alpha)["size"] <= thresholds.most_blocks).loc[measured.pairs]
