"""R1: |gap| >= tau, the paper's test of sensitivity to the schema word."""

from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """The gap between clean and corrupted prompt is at least tau, in either direction."""
    rules = apply_rules(measured.patching, tau=thresholds.tau, alpha=thresholds.alpha)
    return rules.set_index("pair")["r1"].loc[measured.pairs]
