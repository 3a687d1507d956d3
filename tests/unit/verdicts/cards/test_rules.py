"""The tables of rules, written by hand, become the units of their cards."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.instruments.grounding.rules.registry import BASELINES, RULE_SETS, RULES, VARIANTS
from mechaware.verdicts.cards.rules import rules
from tests.unit.verdicts.cards.saved_tables import saved


def test_a_rule_is_scored_by_its_share_beyond_the_shortcut_on_the_half_that_was_held_out(
    tmp_path: Path,
) -> None:
    """Control 1 reads the requested column in each of two pairs, 3 in one; 5 was not held out.

    A share s and the share c of the shortcut give the score (s - c) / (1 - c).
    """
    names = [*RULE_SETS, *(rule.name for rule in RULES), *VARIANTS, *BASELINES]
    shares = pd.DataFrame(
        {
            "run": ["drawn_01", "drawn_03", "drawn_05"],
            "shortcut": [0.2, 0.25, 0.5],
            "further_mine": [0.6, 0.25, 0.0],
        }
    )
    for name in names:
        shares[name] = [1.0, 0.5, 0.5]
    verdict = saved(shares, tmp_path / "verdict.parquet")
    reads = pd.DataFrame(
        [
            ("drawn_01", "0", True, True),
            ("drawn_01", "1", True, True),
            ("drawn_03", "0", True, True),
            ("drawn_03", "1", True, False),
            ("drawn_05", "0", False, True),
            ("drawn_05", "1", False, True),
        ],
        columns=["run", "pair", "held_out", "reads"],
    )
    truth = saved(reads, tmp_path / "truth.parquet")
    cards = {instrument.name: instrument for instrument in rules(verdict, truth, 0.5)}

    assert list(cards) == [*names, "mine"]
    assert cards["paper"].cut == 0.5

    paper = cards["paper"].rows.drop_duplicates("unit")
    assert dict(zip(paper["unit"], paper["truth"], strict=True)) == {
        "drawn_01": True,
        "drawn_03": False,
    }
    # (1 - 0.2) / (1 - 0.2) and (0.5 - 0.25) / (1 - 0.25)
    assert paper["score"].tolist() == pytest.approx([1.0, 1 / 3])

    # (0.6 - 0.2) / (1 - 0.2) and (0.25 - 0.25) / (1 - 0.25)
    mine = cards["mine"].rows.drop_duplicates("unit")
    assert mine["score"].tolist() == pytest.approx([0.5, 0.0])
