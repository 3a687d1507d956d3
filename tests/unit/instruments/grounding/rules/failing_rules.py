"""Which rules fail pairs whose measurements are written by hand."""

from mechaware.instruments.grounding.rules.registry import RULES, judge_pairs
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements

# The pairs that `several` makes, each of which passes all rules.
SIX_PAIRS = {"p0": True, "p1": True, "p2": True, "p3": True, "p4": True, "p5": True}


def failing_rules(pairs: dict[str, HandPair]) -> dict[str, str]:
    """The rules that each pair fails, between spaces; a pair that passes all rules is left out."""
    table = judge_pairs(pair_measurements(pairs), THRESHOLDS).set_index("pair")
    failed = {}
    for pair, row in table.iterrows():
        names = [rule.name for rule in RULES if not row[rule.name]]
        if names:
            failed[str(pair)] = " ".join(names)
    return failed
