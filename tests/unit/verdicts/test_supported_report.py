"""The report on a paper that the command writes: its verdict, page, summary and exit status."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import PaperText, Scores, read_record
from mechaware.planted.papers.plan import plan_papers
from mechaware.planted.papers.typesetting import write_paper
from mechaware.verdicts.__main__ import main as exit_status
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.procedure import Procedure
from mechaware.verdicts.supported import judge_support
from scripts.claims import extract_text, judge_paper, report_paper, write_procedures
from tests.unit.verdicts.supported_by_hand import ABOUT

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))


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
