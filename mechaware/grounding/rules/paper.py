"""R1 to R3, the rules of the symbolic-mechanistic paper (`recovery.py` has their formulas)."""

from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def sensitive(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """R1: the gap between clean and corrupted prompt is at least tau, in either direction."""
    return _column("r1", measured, thresholds)


def one_layer_recovers(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """R2: R1, and patching the schema word after some block recovers at least alpha of the gap."""
    return _column("r2", measured, thresholds)


def the_same_layer(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """R3: R2, and the layer that is best in most pairs is among those that recover at least alpha."""
    return _column("r3", measured, thresholds)


def _column(name: str, measured: Measurements, thresholds: Thresholds) -> Verdicts:
    rules = apply_rules(measured.patching, tau=thresholds.tau, alpha=thresholds.alpha)
    return rules.set_index("pair")[name].loc[measured.pairs]
