"""Accuracies, comparisons and separations against counts worked by hand."""

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.study.summaries import compare_controls, discriminate, performance
from tests.unit.radar.tables import noise

INTERVALS = {"resamples": 200, "seed": 3, "level": 0.95}


def test_performance_counts_overall_by_label_and_by_category() -> None:
    # Worked out by hand: 3 of 5 right, 2 of 3 recall, 1 of 2 reasoning; category a 2 of 2, b 1 of 3; one tie.
    table = pd.DataFrame(
        {
            "id": list("vwxyz"),
            "label": ["recall", "recall", "recall", "reasoning", "reasoning"],
            "predicted": ["recall", "recall", "reasoning", "reasoning", "recall"],
            "category": list("aabbb"),
            "tie": [False, False, True, False, False],
        }
    )
    rows = performance(table, **INTERVALS).set_index("slice")
    assert rows["correct"].to_dict() == {
        "overall": 3,
        "recall_tasks": 2,
        "reasoning_tasks": 1,
        "category:a": 2,
        "category:b": 1,
    }
    assert rows["n"].tolist() == [5, 3, 2, 2, 3]
    assert rows["ties"].tolist() == [1, 1, 0, 0, 1]
    # Clopper-Pearson where all of two are right: the lower end is (0.025)^(1/2).
    assert rows.loc["category:a", "exact_low"] == pytest.approx(0.025**0.5)


def _predictions(system: str, right: str, order: str, pairs: dict[str, str] | None = None) -> pd.DataFrame:
    """Recall prompts named by single letters, of which a system has some right; each alone or in `pairs`."""
    return pd.DataFrame(
        {
            "id": list(order),
            "group": [pairs[name] if pairs else name for name in order],
            "label": "recall",
            "predicted": ["recall" if name in right else "reasoning" for name in order],
            "protocol": "trained",
            "system": system,
            "reduction": "sum" if system == "radar" else "",
            "tie": False,
        }
    )


SEED_ACCURACIES = pd.DataFrame({"protocol": "trained", "reduction": "sum", "accuracy": [0.5, 0.75], "draw": [0, 1]})


def test_a_comparison_pairs_prompts_by_id() -> None:
    # RADAR is right on a, b, c, d; length on c, d, e, f, whatever the order of the rows: discordant 2 and 2, p = 1.
    predictions = pd.concat([_predictions("radar", "abcd", "abcdef"), _predictions("prompt_length", "cdef", "fedcba")])
    table = compare_controls(predictions, SEED_ACCURACIES, reduction="sum", **INTERVALS).set_index("system")
    assert table.loc["prompt_length", "p_against_radar"] == 1.0
    assert np.isnan(table.loc["radar", "p_against_radar"])
    assert table.loc["prompt_length", "radar_lead"] == 0
    assert np.isnan(table.loc["radar", "radar_lead"])
    assert table.loc["radar", ["seeds", "seed_mean", "seed_min", "seed_max"]].tolist() == [2, 0.625, 0.5, 0.75]
    assert table["accuracy"].tolist() == [pytest.approx(4 / 6)] * 2


def test_radars_lead_draws_pairs_whole() -> None:
    # RADAR is right everywhere, length in pairs 2 and 3 alone: ahead by 4 of 8. Four drawn pairs are all of 2 and 3 in
    # 1 of 16 draws, and all of 0 and 1 in as many: more than 2.5% at either end, so the interval is 0 to 1. Eight drawn
    # prompts would all be of one half in 1 of 256.
    pairs = dict(zip("abcdefgh", "00112233", strict=True))
    predictions = pd.concat(
        [_predictions("radar", "abcdefgh", "abcdefgh", pairs), _predictions("prompt_length", "efgh", "hagbfced", pairs)]
    )
    table = compare_controls(predictions, SEED_ACCURACIES, reduction="sum", **INTERVALS).set_index("system")
    lead = table.loc["prompt_length", ["radar_lead", "radar_lead_low", "radar_lead_high"]]
    assert lead.tolist() == [0.5, 0.0, 1.0]
    # Two pairs differ, both in RADAR's favour: 2 of the 4 signs are as far out.
    assert table.loc["prompt_length", "p_against_radar"] == 0.5


def test_a_set_of_one_class_has_no_separation() -> None:
    assert discriminate(noise(20, 2).query("label == 'recall'").reset_index(drop=True)).empty
