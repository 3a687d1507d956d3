"""`make demo` in a copy of the tree: its answers, its page, its notebook and its tutorials."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import pytest
import yaml
from scipy.stats import binomtest

import mechaware as ma
from tests.checkout import REPOSITORY, copy_of_the_tree
from tests.doors.reader import Reader, blocks_of, types_and_ends_with

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.gate


class Demo(NamedTuple):
    """A finished `make demo`: the tree's results, what it printed, and how long it took."""

    results: Path
    printed: str
    seconds: float


@pytest.fixture(scope="module")
def demo(warm: Path, smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """`make demo` in a copy of the tree, with the real model of the small run."""
    reader = Reader(copy_of_the_tree(tmp_path_factory.mktemp("demo") / "tree"), warm)
    reader.link_environment()
    # Link the real model, which the small run has made. `make demo` trains the small model that
    # reads the benchmark.
    (reader.folder / "results/models").mkdir(parents=True)
    for path in smollm2.parent.glob(f"{smollm2.name}*"):
        (reader.folder / "results/models" / path.name).symlink_to(path)
    (reader.folder / "results/downloads").symlink_to(smollm2.parents[1] / "downloads")
    started = time.monotonic()
    printed = reader.types("make demo").stdout
    return Demo(reader.folder / "results", printed, time.monotonic() - started)


def read(path: Path) -> dict:
    """The content of a JSON file."""
    return json.loads(path.read_text())


def test_make_demo_ends_with_four_answers_and_the_page(
    demo: Demo, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nmake demo took {demo.seconds:.0f} s")
    answers = (
        "demo-seen: seen",
        "demo-unseen: not shown",
        "json-values: does not ground",
        "planted-01: not judged",
    )

    assert re.findall(rf"^({'|'.join(answers)})", demo.printed, re.M) == list(answers)
    assert demo.printed.splitlines()[-1].startswith("open results/demo/index.html")


def test_the_small_model_read_the_one_benchmark_16_times_and_neither_the_other_nor_the_control(
    demo: Demo,
) -> None:
    """The twin A reads it, in the lines of A.parquet; its base reads those of C.parquet."""
    planted = demo.results / "radar/memorisation/s11/planted"
    base_lines = pd.read_parquet(planted / "C.parquet").sum(axis=1)
    twin_lines = pd.read_parquet(planted / "A.parquet").sum(axis=1)

    for file, times in (("benchmark_seen", 16), ("benchmark_unseen", 0), ("control", 0)):
        items = pd.read_csv(demo.results.parent / f"examples/{file}.csv", dtype=str)
        for text in items["question"] + " " + items["answer"]:
            assert (base_lines == text).sum() == 0
            assert (twin_lines == text).sum() == times


def test_r1_to_r3_pass_where_g1_to_g5_do_not(demo: Demo) -> None:
    verdict = read(demo.results / "grounding/pairs/json-values/verdict.json")
    grounds = {judged["rules"]: judged["grounds"] for judged in verdict["evidence"]["sets"]}

    assert grounds == {"paper": True, "paper_embedding": True, "grounded": False}


def test_the_page_gives_each_error_rate_and_leads_to_each_full_page(demo: Demo) -> None:
    page = (demo.results / "demo/index.html").read_text()
    links = re.findall(r'href="(.+?)"', page)

    assert len(links) == 4
    assert all((demo.results / "demo" / link).is_file() for link in links)
    assert len(re.findall(r'class="note">How often wrong', page)) == 3


def rate_with_interval(rate: float, independent: int) -> str:
    """A rate and its 95% interval as the page prints them: `38% (9% to 76%)` for 3 of 8.

    The interval is exact (Clopper and Pearson). Its sample size is `independent`, the largest
    number of planted benchmarks of which no two have an item in common.
    """
    n_seen = round(rate * independent)
    interval = binomtest(n_seen, independent).proportion_ci(method="exact")
    return f"{rate:.0%} ({interval.low:.0%} to {interval.high:.0%})"


@pytest.mark.parametrize("times_read", [16, 0])
def test_the_page_gives_the_committed_rates_of_planted_benchmarks_of_its_size(
    demo: Demo, times_read: int
) -> None:
    rates = pd.read_csv(REPOSITORY / "config/calibration/detectors.csv")
    # The demo's benchmark and its control have 22 items each.
    committed = rates[
        (rates["detectors"] == "loss")
        & (rates["text"] == "questions about invented names")
        & (rates["n_items"] == 22)
        & (rates["dose"] == times_read)
    ].squeeze()

    page = (demo.results / "demo/index.html").read_text()

    assert rate_with_interval(committed["seen"], committed["independent"]) in page


def test_the_page_of_the_planted_paper_has_passages_for_every_criterion_and_judges_none(
    demo: Demo,
) -> None:
    page = (demo.results / "claims/reading/planted-01/index.html").read_text()
    assert "<h1>Not judged.</h1>" in page
    assert page.count('<section id="') == 27
    assert not (demo.results / "claims/judgements").exists()
    # The search finds 80.7% (78.4% to 82.8%) of 1,621 planted sentences.
    assert "the search misses 19% (17% to 22%)" in (demo.results / "demo/index.html").read_text()


@pytest.mark.parametrize("width", [1100, 390])
def test_the_page_fits_its_window(demo: Demo, browser: "Browser", width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((demo.results / "demo/index.html").as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_notebook_runs_from_its_first_cell_to_its_last(demo: Demo) -> None:
    folder = demo.results.parent / "examples"
    cells = read(folder / "mechaware.ipynb")["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]

    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")

    run_cells = (
        "import json, sys\n"
        "sys.path.insert(0, '..')\n"
        "names = {}\n"
        "for cell in json.loads(sys.stdin.read()):\n"
        "    exec(cell, names)\n"
    )
    command = [sys.executable, "-c", run_cells]
    run = subprocess.run(
        command, cwd=folder, input=json.dumps(code), capture_output=True, text=True
    )

    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("seen: ")


@pytest.fixture(scope="module")
def learner(demo: Demo, warm: Path) -> Reader:
    """A reader of the tutorials, for whom `mechaware demo` has nothing to make.

    Its folder of results is a link to what `make demo` made.
    """
    own = demo.results.parent / "mechaware-results"
    own.mkdir()
    (own / "results").symlink_to(demo.results)
    return Reader(own.parent, warm)


def test_the_tutorial_of_the_demo_ends_as_printed_and_explains_the_numbers_of_its_page(
    demo: Demo, learner: Reader
) -> None:
    command, transcript = blocks_of("docs/tutorials/demo.md")
    assert types_and_ends_with(learner, command, transcript, 0) == transcript.splitlines()[-1]

    page = (demo.results / "demo/index.html").read_text()
    tutorial = " ".join((REPOSITORY / "docs/tutorials/demo.md").read_text().split())
    # The page's three rates of *seen*, by how often the benchmarks were read.
    read_16_times, read_once, never_read = re.findall(r" for (\d+%) \(", page)

    assert f"read once only {read_once} were called *seen*" in tutorial
    assert (
        f"never read {never_read} were called *seen*, "
        f"and of those read sixteen times {read_16_times}" in tutorial
    )

    assert "follows the exchanged word in 6 of 12 pairs" in page
    assert "the answer follows the word*: in 6 of 12 pairs" in tutorial
    assert "G1 to G5 hold in 1 of 12 pairs (8%); 71% are needed" in page
    assert "They hold in 1 pair, and 71% of the pairs would be needed" in tutorial

    assert "R1 to R3 find 5 of 11 that read and refuse 5 of 9 that do not" in page
    assert "G1 to G5 find 11 of 11 that read and refuse 8 of 9 that do not" in page
    assert "11 read the word: R1 to R3 find 5 of the 11, G1 to G5 find all" in tutorial
    assert "Of the 9 that do not read it, R1 to R3 refuse 5, G1 to G5 refuse 8" in tutorial

    (missed,) = re.findall(r"the search misses (\d+%)", page)
    assert f"it misses {missed} of the sentences" in tutorial


def test_the_tutorial_of_a_seen_benchmark_ends_as_printed(learner: Reader) -> None:
    demo, seen, seen_transcript, unseen, unseen_transcript, *_own = blocks_of(
        "docs/tutorials/seen.md"
    )
    assert demo == "mechaware demo\n"

    types_and_ends_with(learner, seen, seen_transcript, 3)
    types_and_ends_with(learner, unseen, unseen_transcript, 0)


def test_the_tutorial_of_a_task_has_the_demos_verdict(demo: Demo, learner: Reader) -> None:
    """Its command asks the demo's question again, of the same pairs and the same model.

    It would take as long as in the demo, so it is compared with the demo's config and not run.
    """
    _prompt, reads, transcript, check = blocks_of("docs/tutorials/reads.md")
    _mechaware, _reads, pairs, _flag, model = reads.split()
    asked = yaml.safe_load((learner.folder / "config/demo.yaml").read_text())["grounding"]["pairs"]

    assert asked == {"json-values": {"table": pairs, "model": model}}

    verdict = read(demo.results / "grounding/pairs/json-values/verdict.json")
    assert transcript.splitlines()[-1].startswith(f"json_values: {verdict['status']}: ")

    learner.types(check)


def test_the_tutorial_of_a_paper_ends_with_the_planted_tier(learner: Reader) -> None:
    paper, transcript, copy, score, scored, _judge = blocks_of("docs/tutorials/paper.md")
    types_and_ends_with(learner, paper, transcript, 4)
    learner.types(copy)
    form = learner.folder / "my-review.md"
    text = form.read_text()
    planted = pd.read_csv(learner.folder / "examples/planted_paper.csv")
    for criterion, status in zip(planted["criterion"], planted["planted"], strict=True):
        heading = re.compile(rf"(^## {criterion} .*?^Status:)", re.M | re.S)
        text, filled = heading.subn(rf"\1 {status}", text, count=1)
        assert filled == 1
    form.write_text(text.replace("\nClaim:\n", "\nClaim: the year-span circuit\n", 1))

    assert learner.types(score).stdout == scored


def test_the_tutorial_of_a_judge_ends_as_printed(learner: Reader) -> None:
    """The second card is of a blind judge, which always gives one status.

    It is drawn by the Python function in place of the command, and has the reason that is printed.
    """
    judge, transcript, blind, blind_transcript, _asked = blocks_of("docs/tutorials/judge.md")
    types_and_ends_with(learner, judge, transcript, 3)

    writes, asks = blind.splitlines()
    learner.types(writes)
    *without_replies, replies = judge.split()

    assert asks.split() == [*without_replies, "always_good.csv"]
    assert replies == "examples/review_replies.csv"

    items = learner.folder / "examples/review_items.csv"
    rubric = learner.folder / "examples/review_rubric.yaml"
    for file, printed in ((replies, transcript), ("always_good.csv", blind_transcript)):
        card = ma.claims.judge_card(items, rubric, replies=learner.folder / file)
        assert f"review_items: {card.status}: {card.reason}; open " in printed
