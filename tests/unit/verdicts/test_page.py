"""The page of a verdict, its two lines, and the exit status of its file."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.verdicts.accuracy import Accuracy
from mechaware.instruments.radar.verdicts.blind_rows import BlindTest
from mechaware.instruments.radar.verdicts.conformal import ItemTest
from mechaware.instruments.radar.verdicts.decision import DetectorTest
from mechaware.instruments.radar.verdicts.share import SeenShare
from mechaware.verdicts.__main__ import main
from mechaware.verdicts.error_rates import ErrorRates, Rate
from mechaware.verdicts.page import render_page, summary
from mechaware.verdicts.procedure import Procedure
from mechaware.verdicts.seen import DOOR, SeenEvidence
from mechaware.verdicts.verdict import Verdict

REPOSITORY = Path(__file__).resolve().parents[3]
CASE = {"items": 22, "of them read": 22, "times": 16, "confounded": 0.044}
PROCEDURE = Procedure("radar", {"level": "0.05"}, ("loss",), "0123")
SEEN = Verdict(
    question="seen",
    status="seen",
    outcome="shown",
    reason="loss scores the items above the control",
    level=0.05,
    n=2,
    evidence=SeenEvidence(
        n_items=2,
        n_control=3,
        text_length=24.5,
        detectors=[DetectorTest("loss", auroc=0.831, p=0.0123, p_adjusted=0.0246)],
        blind=[BlindTest("bag of words", auroc=0.547, p=0.31)],
        items=[
            ItemTest("i1", "<script>alert(1)</script>", score=-1.5, p=0.25, p_adjusted=0.5),
            ItemTest("i2", "Ann", score=-2.5, p=0.5, p_adjusted=0.5),
        ],
        control_scores=[-4.0, -3.0, -2.0],
    ),
    procedure=PROCEDURE,
    error_rates=ErrorRates(
        rates=[Rate("power", value=0.956, low=0.54, high=1.0, n=7, case=CASE)],
        missing=[],
        distance=["measured on models of 4 blocks; ..."],
    ),
)
NO_VERDICT = Verdict(
    question="seen",
    status="no verdict",
    outcome="cannot tell",
    reason="give a control",
    level=0.05,
    n=2,
    evidence=SeenEvidence(
        n_items=2,
        n_control=0,
        text_length=9.0,
        detectors=[],
        blind=[],
        items=[],
        control_scores=[],
    ),
    procedure=None,
    error_rates=ErrorRates(rates=[], missing=["there is no verdict"], distance=[]),
)


@pytest.mark.parametrize(
    ("status", "p_of_means", "is_noted"),
    [
        pytest.param("not shown", 0.0131, True, id="few items stand out"),
        pytest.param("not shown", 0.0631, False, id="none does"),
        pytest.param("not shown", None, False, id="no means"),
        pytest.param("seen", 0.0131, False, id="seen by ranks"),
    ],
)
def test_a_page_says_where_means_tell_more_than_ranks(
    status: str, p_of_means: float | None, is_noted: bool
) -> None:
    test = DetectorTest("loss", 0.55, 0.21, 0.21, p_of_means=p_of_means)
    evidence = SEEN.evidence._replace(detectors=[test])
    html = render_page("mine", "GPT-2", replace(SEEN, status=status, evidence=evidence), DOOR)
    assert ("By means in place of ranks loss has p = 0.013" in html) == is_noted


def test_a_verdict_writes_the_page_of_the_workflow_without_the_files_beside_it(
    tmp_path: Path,
) -> None:
    page = SEEN.page(tmp_path / "x.html")
    assert page == tmp_path / "x.html"
    html = page.read_text()
    assert "Has the model seen the benchmark in its training?" in html
    assert "Beside this page" not in html
    beside = f'<p class="soft">Beside this page: {DOOR.nearby_files}</p>\n'
    of_workflow = render_page("the benchmark", "the model", SEEN, DOOR)
    assert beside in of_workflow
    assert html == of_workflow.replace(beside, "")


def test_a_verdict_writes_a_page_with_names_into_a_new_folder(tmp_path: Path) -> None:
    named = NO_VERDICT.page(str(tmp_path / "new/y.html"), name="mine", model="GPT-2")
    assert "Has GPT-2 seen mine in its training?" in named.read_text()


def test_a_verdict_writes_no_page_in_place_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a folder; name an HTML file"):
        SEEN.page(tmp_path)


def test_the_page_shows_what_the_verdict_rests_on_and_runs_nothing() -> None:
    html = render_page("mine", "My <model>", replace(SEEN, notes=["2 faulty items skipped:"]), DOOR)
    for shown in (
        "2 faulty items skipped:",
        "median length of 24.5 characters",
        "<h1>Seen.</h1>",
        "Loss scores",
        "0.83",
        "0.012",
        "p after Holm",
        "0.025",
        "0.55",
        "96% (54 to 100%)",
        "4%",
        "Measured on models of 4 blocks",
    ):
        assert shown in html
    assert "<script" not in html
    assert "My &lt;model&gt;" in html
    # The histogram of scores has 32 bins, with a bar for either set in each.
    assert html.count('class="items"') == html.count('class="control"') == 32


def test_the_page_says_what_follows_for_the_items() -> None:
    share = SeenShare(value=0.312, low=0.04, high=0.56, level=0.95, threshold=0.5)
    marked = [
        Accuracy("all items", n=2, value=0.914, low=0.5, high=1.0),
        Accuracy("control", n=3, value=0.667, low=0.2, high=0.9),
    ]
    evidence = SEEN.evidence._replace(share=share, left_out=["i1"], accuracy=marked)
    html = render_page("mine", "Model", replace(SEEN, evidence=evidence), DOOR)
    for shown in (
        "31% (4 to 56%)</b> of the items were seen, by Storey",
        "leaves out the 1 likeliest seen of the 2 items, as many as the upper end of the interval.",
        "91% (50 to 100%)",
        "67% (20 to 90%)",
        "without them accuracy falls even if nothing was seen",
    ):
        assert shown in html
    assert "What next" in html


def test_a_page_without_a_share_names_no_next_step() -> None:
    assert "What next" not in render_page("mine", "Model", SEEN, DOOR)


def test_the_page_of_a_benchmark_not_shown_to_be_seen_says_that_clean_csv_is_empty() -> None:
    share = SeenShare(value=0.312, low=0.04, high=0.56, level=0.95, threshold=0.5)
    evidence = SEEN.evidence._replace(share=share)
    not_shown = replace(SEEN, status="not shown", outcome="not shown", evidence=evidence)
    assert "clean.csv has no items" in render_page("mine", "Model", not_shown, DOOR)


def test_a_page_without_rates_says_in_one_sentence_why_and_shows_no_rate() -> None:
    missing = "not measured with this procedure: level is 0.01, measured at 0.05"
    html = render_page(
        "mine", "Model", replace(SEEN, error_rates=ErrorRates([], [missing], [])), DOOR
    )
    assert "Not measured with this procedure: level is 0.01, measured at 0.05." in html
    assert "96%" not in html


def test_without_a_control_the_page_has_no_number() -> None:
    html = render_page("mine", "Model", NO_VERDICT, DOOR)
    body = html[html.index("<main>") :]
    assert "<h1>No verdict.</h1>" in body
    assert "Give a control." in body
    body_without_headings = body.replace("h1", "").replace("h2", "")
    assert not any(character.isdigit() for character in body_without_headings)


def test_the_page_names_items_unless_the_verdict_is_confounded() -> None:
    heading = "Items with the highest scores"
    assert heading in render_page("mine", "Model", SEEN, DOOR)
    confounded = replace(SEEN, status="confounded", outcome="cannot tell")
    assert heading not in render_page("mine", "Model", confounded, DOOR)


def test_the_summary_ends_with_the_page_to_open() -> None:
    lines = summary("mine", SEEN, Path("results/index.html"))
    assert lines == "mine: seen: loss scores the items above the control\nopen results/index.html\n"


@pytest.mark.parametrize(
    ("content", "status"),
    [
        pytest.param(json.dumps(SEEN.record()), 3, id="shown"),
        pytest.param(
            json.dumps(replace(SEEN, status="not shown", outcome="not shown").record()),
            0,
            id="not shown",
        ),
        pytest.param(
            json.dumps(replace(SEEN, status="confounded", outcome="cannot tell").record()),
            4,
            id="confounded",
        ),
        pytest.param(json.dumps(NO_VERDICT.record()), 4, id="no verdict"),
        pytest.param('{"status": "se', 1, id="broken JSON"),
        pytest.param("[]", 1, id="no record"),
        pytest.param('{"status": "seen", "reason": "so"}', 1, id="record of another version"),
        pytest.param(None, 1, id="no such file"),
    ],
)
def test_the_exit_status_follows_from_the_outcome_and_differs_from_an_errors(
    tmp_path: Path, content: str | None, status: int
) -> None:
    path = tmp_path / "verdict.json"
    if content is not None:
        path.write_text(content)
    command = [sys.executable, "-m", "mechaware.verdicts", str(path)]
    run = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )
    assert run.returncode == status
    assert len((run.stdout + run.stderr).splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["one", "two"]])
def test_wrong_arguments_have_the_exit_status_2_and_show_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python -m mechaware.verdicts")
