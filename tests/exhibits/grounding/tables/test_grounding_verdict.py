"""The table of verdicts has the verdict of both sets of rules on each run, and its blocks."""

import pandas as pd

from exhibits.grounding.tables import grounding_verdict
from mechaware.instruments.grounding.rules.registry import RULES

FEW_SHOT = "smollm2-135m-instruct.few-shot"


def verdict_row(run: str, group: str, *, known: str, found: str) -> dict[str, object]:
    """The verdict on one run: half of its pairs pass R1 to R3, and none pass G1 to G5.

    Corrected for the place shortcut, the shares are 0.25 for R1 to R3 and -0.5 for G1 to G5.
    """
    row = {"run": run, "group": group, "n": 40, "known_blocks": known, "found_blocks": found}
    row |= {"right_first": 1.0, "right_elsewhere": 0.25, "prefers_absent": 0.125}
    row |= {rule.name: number / 100 for number, rule in enumerate(RULES, start=1)}
    row |= {
        "paper": 0.5,
        "paper_low": 0.1,
        "paper_high": 0.9,
        "paper_first": 0.75,
        "paper_elsewhere": None,
        "paper_corrected": 0.25,
        "paper_verdict": True,
    }
    row |= {
        "grounded": 0,
        "grounded_low": 0,
        "grounded_high": 0.1,
        "grounded_first": 0.125,
        "grounded_elsewhere": 0,
        "grounded_corrected": -0.5,
        "grounded_verdict": False,
    }
    return row


VERDICT = pd.DataFrame(
    [
        verdict_row("split", "grounded", known="1 3", found="1 3"),
        verdict_row("schema-s1", "trained", known="", found=""),
        verdict_row(FEW_SHOT, "pretrained", known="", found="12"),
    ]
)


def test_the_verdict_has_both_sets_of_rules_and_blocks_of_each_run() -> None:
    shown = grounding_verdict.fill(verdict=VERDICT).shown

    assert shown["Run"].tolist() == [
        "grounded, read in part in blocks 1 and 3",
        "schema, seed 1",
        "smollm2-135m-instruct, few-shot",
    ]
    assert shown.iloc[0].to_dict() == {
        "Run": "grounded, read in part in blocks 1 and 3",
        "R1 to R3, %": "50.0",
        "R1 to R3, corrected, %": "25.0",
        "grounds, R1 to R3": "yes",
        "G1 to G5, %": "0.0",
        "G1 to G5, corrected, %": "0.0",  # a negative share is shown as 0
        "grounds, G1 to G5": "no",
        "Blocks, known": "1 3",
        "Blocks, found": "1 3",
    }
    assert shown["Blocks, known"].tolist() == ["1 3", "", ""]
    assert shown["Blocks, found"].tolist() == ["1 3", "", "12"]


def test_a_further_rule_has_its_share_before_the_blocks_of_the_verdict() -> None:
    verdict = VERDICT.assign(further_mine=[0.25, 0.5, 1.0], further_mine_verdict=True)

    shown = grounding_verdict.fill(verdict=verdict).shown

    assert shown["mine, %"].tolist() == ["25.0", "50.0", "100.0"]
    assert list(shown)[-3:] == ["mine, %", "Blocks, known", "Blocks, found"]
