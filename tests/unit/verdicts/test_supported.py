"""The verdict on a paper: what a judge finds, how far its findings can be trusted, and what the
command writes.
"""

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.constant_answers import why_no_better
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import (
    Audited,
    PaperText,
    Scores,
    read_record,
)
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.rubric.support import find_support
from mechaware.instruments.claims.votes.voting import vote
from mechaware.planted.papers.plan import PlantedPaper, plan_papers
from mechaware.planted.papers.typesetting import write_paper
from mechaware.verdicts.__main__ import main as exit_status
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.procedure import Procedure, make_procedure
from mechaware.verdicts.supported import judge_support
from mechaware.verdicts.supported_calibration import calibrate_judges
from scripts.claims import extract_text, judge_paper, report_paper, write_procedures
from tests.unit.instruments.claims.claims_by_hand import claim, run

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
ABOUT = PaperText(
    paper="paper", pages=None, pages_read=None, truncated=False, characters=20_000, flags=[], hidden=[]
)  # fmt: skip
PROCEDURE = make_procedure("claims", {"kind": "provider", "runs": 3}, list(CRITERIA), "ab")
FIVE_RUNS = make_procedure("claims", {"kind": "provider", "runs": 5}, list(CRITERIA), "ab")
# By hand: C1, C2 and C5 at YES give Construct 3, I1 and I2 Internal 2. 10
# (1.5 x 3 + 1.5 x 2) / 18 = 4.17.
SUPPORTED = dict.fromkeys(("C1", "C2", "C5", "I1", "I2"), "YES")
# C1 and C5 at YES give Construct 2: 10 x 1.5 x 2 / 18 = 1.67.
WEAK = dict.fromkeys(("C1", "C5"), "YES")


def scores_of(*statuses: dict[str, Any], system: bool = True) -> Scores:
    """The scores of a paper whose runs agree on claims with these statuses, and NO elsewhere."""
    claims = []
    for number, given in enumerate(statuses):
        claims.append(claim(f"Circuit {number} adds ages", statuses=given, system=system))
    runs = [run(0, *claims), run(1, *claims)]
    voted = vote(runs, least_similarity=0.5)
    audited = Audited(
        judge="tester", paper="paper", claims=voted.claims, downgrades=[], usage=runs[0].usage
    )
    return score_paper(runs, voted, audited)


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        pytest.param([SUPPORTED], "supported", id="at the tier"),
        pytest.param([WEAK], "not supported", id="below the tier"),
        # With I2 the score would be 4.17, without it 3.33.
        pytest.param([SUPPORTED | {"I2": None}], "cannot tell", id="a status decides"),
        # 2.5 + 0.83 x 3: with M5 at YES as well, Measurement would be 3, not 2; both scores are
        # above 4.
        pytest.param(
            [SUPPORTED | {"M1": "YES", "M3": "YES", "M4": "YES", "M5": None}],
            "supported",
            id="a status above the tier",
        ),
        pytest.param([WEAK | {"C2": None}], "not supported", id="a status below the tier"),
        # The second claim may reach 4.17, which the first, whose lower bound is higher, cannot.
        pytest.param(
            [WEAK | {"I1": "YES"}, WEAK | {"C2": None, "I1": None, "I2": None}],
            "cannot tell",
            id="statuses of another claim decide",
        ),
        pytest.param([WEAK, SUPPORTED], "supported", id="one of two claims at the tier"),
        pytest.param([], "no claim", id="no claim"),
    ],
)
def test_a_paper_is_supported_from_the_tier_on_whatever_missing_statuses_may_be(
    claims: list[dict[str, Any]], status: str
) -> None:
    assert find_support(scores_of(*claims)).status == status


def test_the_reason_names_the_claim_that_is_open_and_what_it_lacks() -> None:
    # The first claim has every status and scores 3.33; the second lacks three and may reach 4.17.
    scores = scores_of(WEAK | {"I1": "YES"}, WEAK | {"C2": None, "I1": None, "I2": None})

    reason = find_support(scores).reason

    assert reason.startswith("3 of 27 criteria of claim 2 have no status: its score is ")
    assert reason.endswith("to 4.2, and 4 of 10 is needed (Mechanistically Supported)")


def row(**changed: Any) -> pd.DataFrame:
    """A calibration of one judge that is right about 11 of 12 papers and 80% of the criteria."""
    good = {
        "judge": "tester", "level": 0.95, "papers": 12, "supported": 7, "found": 6, "others": 5, "false": 0,
        "sensitivity": 6 / 7, "sensitivity_low": 0.42, "sensitivity_high": 0.996,
        "specificity": 1.0, "specificity_low": 0.48, "specificity_high": 1.0, "p": 0.0076,
        "exact": 0.8, "exact_low": 0.7, "exact_high": 0.9, "always_yes": 0.44, "always_no": 0.32,
        "text": "planted papers", "text_length": 25_000.0, "procedure": PROCEDURE.text,
    }  # fmt: skip
    return pd.DataFrame([good | changed])


@pytest.mark.parametrize(
    ("statuses", "status", "outcome", "exits"),
    [(SUPPORTED, "supported", "shown", 3), (WEAK, "not supported", "not shown", 0)],
)
def test_a_judge_that_is_better_than_one_answer_to_all_gives_a_verdict_with_its_rates(
    tmp_path: Path, statuses: dict[str, Any], status: str, outcome: str, exits: int
) -> None:
    verdict = judge_support(scores_of(statuses), ABOUT, PROCEDURE, row(), confidence_level=0.95)

    assert verdict.question == "supported"
    assert verdict.status == status
    assert verdict.outcome == outcome
    rates = verdict.error_rates.rates
    assert [(rate.measure, round(rate.value, 3), rate.n) for rate in rates] == [
        ("sensitivity", 0.857, 7),
        ("specificity", 1.0, 5),
        ("criteria right", 0.8, 12),
    ]
    assert [rate.case["YES throughout"] for rate in rates] == [1.0, 0.0, 0.44]
    assert verdict.error_rates.distance == [
        "measured on planted papers with a median length of 25000 characters; these texts have 20000: "
        "0.8 times as long"
    ]

    path = tmp_path / "verdict.json"
    path.write_text(json.dumps(verdict.record()))
    jsonschema.validate(json.loads(path.read_text()), SCHEMA)
    assert exit_status([str(path)]) == exits


@pytest.mark.parametrize(
    ("calibration", "reason"),
    [
        # Just above YES throughout would do; 44% itself does not.
        pytest.param(
            row(exact_low=0.44),
            "not shown to be better than answering YES throughout (44%)",
            id="at the better constant answer",
        ),
        pytest.param(
            row(exact_low=0.5, always_no=0.6),
            "not shown to be better than answering NO throughout (60%)",
            id="NO is the better constant answer",
        ),
        pytest.param(
            row(exact_low=math.nan, exact_high=math.nan),
            "not shown to be better than answering YES throughout",
            id="no interval",
        ),
        pytest.param(
            row(
                exact=math.nan,
                exact_low=math.nan,
                exact_high=math.nan,
                always_yes=math.nan,
                always_no=math.nan,
            ),
            "on planted papers the judge gave no status that can be compared with the true one",
            id="no status",
        ),
        pytest.param(
            row(found=5, false=2, p=0.31),
            "of planted papers the judge calls supported 5 of the 7 that are, and 2 of the 5 that are not, which is "
            "not shown to be better than one answer to all (p = 0.31)",
            id="papers are not told apart",
        ),
        pytest.param(
            row(procedure=FIVE_RUNS.text),
            "what this judge is worth is not known: not measured with this procedure: runs is 3, measured at 5",
            id="another procedure",
        ),
        pytest.param(
            row().iloc[:0],
            "what this judge is worth is not known: not measured with this procedure",
            id="not measured",
        ),
    ],
)
def test_a_judge_no_better_than_a_constant_answer_or_not_measured_gives_no_verdict(
    calibration: pd.DataFrame, reason: str
) -> None:
    verdict = judge_support(
        scores_of(SUPPORTED), ABOUT, PROCEDURE, calibration, confidence_level=0.95
    )

    assert verdict.status == "cannot tell"
    assert verdict.outcome == "cannot tell"
    assert verdict.evidence.finding == "supported"
    assert reason in verdict.reason


def test_a_judge_must_pass_both_bounds_and_the_given_confidence_level_tests_its_p() -> None:
    (good,) = row().to_dict("records")

    assert why_no_better(good, 0.95) == ""
    assert why_no_better(good | {"exact_low": 0.4401}, 0.95) == ""
    assert "p = 0.0076" in why_no_better(good, 0.995)


def test_a_paper_without_a_claim_says_so_whatever_the_judge_is_worth() -> None:
    verdict = judge_support(scores_of(), ABOUT, PROCEDURE, row().iloc[:0], confidence_level=0.95)

    assert verdict.status == "no claim"
    assert verdict.outcome == "cannot tell"
    assert verdict.n == 0
    jsonschema.validate(verdict.record(), SCHEMA)


# Calibration


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


# What the command writes


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on a planted paper that is treated as a user's own paper.

    Its PDF is read and judged by the lexical rules.
    """
    folder = tmp_path_factory.mktemp("paper")
    write_paper(plan_papers(1, 3)[0], folder / "source", folder / "truth.json")
    text = folder / "text.txt"
    flags = folder / "flags.json"
    extract_text.main(
        source=folder / "source", paper="mine", max_pages=50, memory_mb=1500, timeout_s=120,
        text=text, flags=flags,
    )  # fmt: skip
    settings = JudgeSettings("lexical", "lexical")
    records = {name: folder / f"{name}.json" for name in ("voted", "audited", "scores")}
    way: dict[str, Any] = {
        "vote": "minimum", "claims_found": "once", "least_similarity": 0.5, "leak_audit": True,
        "devils_advocate": "none",
    }  # fmt: skip
    judge_paper.main(
        text=text, flags=flags, prompts=PROMPTS, weights=[], settings=settings, responses=folder / "replies",
        attempt=1, runs=[folder / f"run-{number}.json" for number in range(3)], **records, **way,
    )  # fmt: skip
    procedures = folder / "procedures.json"
    write_procedures.main(
        prompts=PROMPTS, judge_settings={"lexical": json.dumps({"kind": "lexical"})}, revisions={}, runs=3,
        max_pages=50, confidence_level=0.95, procedures=procedures, **way,
    )  # fmt: skip
    report_paper.main(
        title="mine.pdf", truth=[], scores=[records["scores"]], voted=[records["voted"]],
        audited=[records["audited"]], flags=flags, text=text, prompts=PROMPTS,
        planted=[REPOSITORY / "docs/measured/claims_planted.csv"], criteria=[],
        calibration=[REPOSITORY / "config/calibration/judges.csv"], procedures=procedures,
        judge_labels={"lexical": "Lexical rules"}, rule_judges=["lexical"], least_similarity=0.5,
        confidence_level=0.95, out=folder / "report",
    )  # fmt: skip
    return folder / "report"


def test_the_lexical_rules_cannot_tell_and_give_the_rates_that_show_it(report: Path) -> None:
    record = json.loads((report / "verdict.json").read_text())

    jsonschema.validate(record, SCHEMA)
    assert record["question"] == "supported"
    assert record["status"] == "cannot tell"
    assert record["outcome"] == "cannot tell"
    assert record["evidence"]["finding"] == "not supported"
    assert record["error_rates"]["missing"] == []
    measures = [rate["measure"] for rate in record["error_rates"]["rates"]]
    assert measures == ["sensitivity", "specificity", "criteria right"]
    text = read_record(PaperText, report.parent / "flags.json")
    assert record["evidence"]["text_length"] == text.characters


def test_the_exit_status_of_a_verdict_that_cannot_tell_is_4_and_its_reason_is_printed(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads((report / "verdict.json").read_text())

    assert exit_status([str(report / "verdict.json")]) == 4

    printed = capsys.readouterr().out
    assert printed == f"cannot tell: {record['reason']}\n"
    assert "which is not shown to be better than answering YES throughout (44%)" in printed


def test_the_page_and_the_summary_have_the_same_verdict(report: Path) -> None:
    record = json.loads((report / "verdict.json").read_text())
    page = (report / "index.html").read_text()

    assert "<h3>Verdict: cannot tell</h3>" in page
    assert record["reason"][1:] in page
    assert "<h3>How often this verdict is wrong</h3>" in page
    for rate in record["error_rates"]["rates"]:
        low = round(100 * rate["low"])
        high = round(100 * rate["high"])
        assert f"<td>{round(100 * rate['value'])}% ({low} to {high}%)</td>" in page
    assert record["error_rates"]["distance"][0][1:] in page
    assert "Beside this page: verdict.json has all of this verdict" in page

    third = (report / "summary.txt").read_text().splitlines()[2]
    assert third == f"  verdict: cannot tell: {record['reason']}"


def test_another_number_of_runs_has_no_rates(report: Path) -> None:
    record = json.loads((report / "verdict.json").read_text())
    measured = record["procedure"]
    settings = measured["settings"] | {"runs": "1"}
    other = Procedure("claims", settings, tuple(measured["asked"]), measured["decisions"])
    scores = read_record(Scores, report.parent / "scores.json")
    calibration = read_calibration(REPOSITORY / "config/calibration/judges.csv")

    verdict = judge_support(scores, ABOUT, other, calibration, confidence_level=0.95)

    assert verdict.error_rates.missing == [
        "not measured with this procedure: runs is 1, measured at 3"
    ]
