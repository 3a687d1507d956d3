"""The error rates of the verdict on a paper: counted on planted papers by hand."""

import pandas as pd
import pytest

from mechaware.planted.papers.plan import PlantedPaper, plan_papers
from mechaware.verdicts.supported_calibration import calibrate_judges
from tests.unit.verdicts.supported_by_hand import ABOUT, PROCEDURE, SUPPORTED, WEAK, scores_of


def planted(name: str, tier: str) -> PlantedPaper:
    return plan_papers(1, 3)[0].model_copy(update={"paper": name, "tier": tier})


def test_rates_count_planted_papers_of_each_kind_and_the_criteria_after_the_audit() -> None:
    """By hand: of three papers at or above the tier, two are called supported; of two others, one.

    Fisher's p that 2 or more of 3 hits fall on the first three of five papers:
    (C(3,2) C(2,1) + C(3,3) C(2,0)) / C(5,3) = 7/10.
    """
    tiers = ["Mechanistically Supported", "Triangulated", "Validated", "Causally Suggestive", "Proposed"]  # fmt: skip
    found = (SUPPORTED, SUPPORTED, WEAK, SUPPORTED, WEAK)
    truths = []
    scores = []
    texts = []
    for number, (tier, statuses) in enumerate(zip(tiers, found, strict=True)):
        name = f"p{number}"
        truths.append(planted(name, tier))
        scores.append(scores_of(statuses).model_copy(update={"paper": name}))
        texts.append(ABOUT.model_copy(update={"paper": name, "characters": 100 * (number + 1)}))
    papers = pd.DataFrame(
        {
            "judge": "tester",
            "paper": ["p0", "p1", "p2", "p3", "p4"],
            "cvs": 4.2,
            "expected_tier": tiers,
        }
    )
    # Of the four criteria of each paper, three are right; answering YES throughout gets two right,
    # NO throughout one.
    of_one_paper = pd.DataFrame(
        {
            "judge": "tester",
            "claim": 0,
            "system": True,
            "criterion": ["C1", "C2", "C3", "C4"],
            "stage": "audited",
            "status": ["YES", "YES", "NO", "NO"],
            "truth": ["YES", "YES", "NO", "PARTIAL"],
            "leak": False,
        }
    )
    criteria = pd.concat([of_one_paper.assign(paper=name) for name in papers["paper"]])
    summary = {
        "papers": papers,
        "runs": papers.assign(stage="audited"),
        "criteria": criteria,
        "levels": criteria.drop(columns=["judge", "stage", "status"]),
    }

    table = calibrate_judges(
        scores, truths, texts, summary, {"tester": PROCEDURE}, confidence_level=0.95
    )

    (made,) = table.to_dict("records")
    assert made["papers"] == 5
    assert made["supported"] == 3
    assert made["found"] == 2
    assert made["others"] == 2
    assert made["false"] == 1
    assert made["sensitivity"] == 2 / 3
    assert made["specificity"] == 1 / 2
    assert made["p"] == pytest.approx(0.7, abs=1e-12)
    assert made["exact"] == 0.75
    assert made["always_yes"] == 0.5
    assert made["always_no"] == 0.25
    assert made["text_length"] == 300
    assert made["procedure"] == PROCEDURE.text


def test_a_judge_that_read_no_planted_paper_has_no_row() -> None:
    empty = pd.DataFrame(columns=["judge", "paper", "cvs", "expected_tier", "stage", "claim", "criterion",
                                  "status", "truth", "leak"])  # fmt: skip
    summary = dict.fromkeys(("papers", "runs", "criteria", "levels"), empty)

    table = calibrate_judges([], [], [], summary, {"tester": PROCEDURE}, confidence_level=0.95)

    assert table.empty
    assert {"judge", "procedure", "text_length"} <= set(table)
