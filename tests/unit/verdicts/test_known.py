"""Verdicts on models whose mechanism is known, scored by hand."""

from typing import Any

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.verdicts.known import score_known


def record(
    found_blocks: str,
    *,
    paper: bool | None,
    grounded: bool | None,
    status: str = "grounds",
) -> dict[str, Any]:
    """The record of a verdict.

    Args:
        found_blocks: The blocks that the verdict names, such as "1 3".
        paper: Whether the model grounds by R1 to R3, with and without the embedding.
        grounded: Whether it grounds by G1 to G5.
        status: The status of the verdict.

    `paper` and `grounded` are None where a rule of the set is not asked. The shares only have to be
    on the right side of one half.
    """
    grounds = {"paper": paper, "paper_embedding": paper, "grounded": grounded}
    shares = {True: 0.75, False: 0.25, None: 0.5}
    sets = []
    for rules, grounds_by_set in grounds.items():
        sets.append({"rules": rules, "share": shares[grounds_by_set], "grounds": grounds_by_set})
    evidence = {"sets": sets, "found_blocks": found_blocks}
    return {"question": "reads", "status": status, "evidence": evidence}


VERDICTS = {
    "relay": record("1", paper=False, grounded=True),
    "split": record("1 3", paper=True, grounded=True),
    "late": record("", paper=True, grounded=False, status="does not ground"),
    "copier": record("2", paper=True, grounded=False, status="does not ground"),
    "unasked": record("4", paper=True, grounded=None, status="not shown"),
}
READS_WORD = {"relay": True, "split": True, "late": True, "copier": False, "unasked": False}
# The copier is left out: its blocks are unknown.
BLOCKS = {"relay": [1], "split": [1, 2, 3], "late": [4], "unasked": [3, 4]}


def rate(rates: pd.DataFrame, rules: str, measure: str) -> list[object]:
    row = rates.set_index(["rules", "measure"]).loc[(rules, measure)]
    return row[["right", "n", "value", "low", "high"]].tolist()


def test_the_rates_are_the_shares_counted_by_hand() -> None:
    rates = score_known(VERDICTS, READS_WORD, BLOCKS).rates

    # Of the three readers, R1 to R3 accept split and late; G1 to G5 accept relay and split. The
    # interval is the Clopper-Pearson interval of 2 of 3.
    two_of_three = pytest.approx([2, 3, 2 / 3, 0.0943, 0.9916], abs=1e-4)
    assert rate(rates, "paper", "sensitivity") == two_of_three
    assert rate(rates, "grounded", "sensitivity") == two_of_three
    # R1 to R3 accept both controls that do not read, copier and unasked. G1 to G5 refuse copier,
    # and are not asked about unasked.
    assert rate(rates, "paper", "specificity") == pytest.approx([0, 2, 0, 0, 1 - 0.025**0.5])
    assert rate(rates, "grounded", "specificity") == pytest.approx([1, 1, 1, 0.025, 1])


def test_precision_and_recall_of_blocks_are_as_counted_by_hand() -> None:
    controls = score_known(VERDICTS, READS_WORD, BLOCKS).controls.set_index("control")

    assert controls.loc["relay", ["precision", "recall", "exact"]].tolist() == [1, 1, True]
    assert controls.loc["split", ["precision", "recall", "exact"]].tolist() == [1, 2 / 3, False]
    assert controls.loc["late", ["precision", "recall", "exact"]].tolist() == [0, 0, False]
    assert controls.loc["unasked", ["precision", "recall", "exact"]].tolist() == [1, 1 / 2, False]
    assert controls.loc["copier", ["precision", "recall", "exact"]].isna().all()


def test_the_lines_have_each_rate_with_its_interval() -> None:
    lines = score_known(VERDICTS, READS_WORD, BLOCKS).lines

    assert lines[0] == (
        "R1 to R3: right about 2 of 3 that read (9 to 99%), and about 0 of 2 that do not (0 to 84%)"
    )
    # Precision (1 + 1 + 0 + 1) / 4 and recall (1 + 2/3 + 0 + 1/2) / 4.
    assert lines[-1] == (
        "blocks: exactly those that are known in 1 of 4 controls, precision 75%, recall 54%"
    )


def test_a_control_without_usable_answers_counts_in_no_rate() -> None:
    declined = record("2", paper=None, grounded=None, status="cannot tell")
    declined["evidence"]["sets"] = []

    scores = score_known({"silent": declined}, {"silent": True}, {"silent": [2]})

    assert rate(scores.rates, "grounded", "sensitivity")[:2] == [0, 0]
    assert scores.lines[0] == "R1 to R3: right about 0 of 0 that read, and about 0 of 0 that do not"
    assert scores.controls["exact"].tolist() == [True]


def test_a_control_without_its_truth_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="control 'relay': it needs both"):
        score_known({}, {"relay": True})


def test_a_verdict_on_another_question_is_refused() -> None:
    verdict = record("1", paper=True, grounded=True) | {"question": "seen"}
    with pytest.raises(UserError, match="control 'relay': a verdict on the question 'seen'"):
        score_known({"relay": verdict}, {"relay": True})
