"""R2: one layer's patch at the schema word recovers the share alpha of the gap."""

from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """R1, and patching the schema word after some block recovers at least alpha of the gap."""
    rules = apply_rules(measured.patching, tau=thresholds.tau, alpha=thresholds.alpha)
    return rules.set_index("pair")["r2"].loc[measured.pairs]
