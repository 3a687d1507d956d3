"""G1: the signed gap is larger than what irrelevant changes of the prompt do in the same model."""

from mechaware.grounding.rules.effects import irrelevant_effect, schema_gap
from mechaware.grounding.rules.recovery import ROUNDING
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """The gap exceeds the `null_quantile` of the sizes of the effects that an exchanged column type has on the pairs.

    A model that prefers the word which is *not* in the schema has a negative gap and fails.
    """
    bound = irrelevant_effect(measured.answers).abs().quantile(thresholds.null_quantile)
    return (schema_gap(measured.answers) > bound + ROUNDING).loc[measured.pairs]
