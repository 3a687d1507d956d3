"""R3: the layer that is best in most pairs recovers the gap of this pair."""

from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """R2, and the layer that is best in most pairs is among those that recover at least alpha."""
    rules = apply_rules(measured.patching, tau=thresholds.tau, alpha=thresholds.alpha)
    return rules.set_index("pair")["r3"].loc[measured.pairs]
