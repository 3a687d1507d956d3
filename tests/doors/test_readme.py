"""A reader follows docs/running.md, docs/tutorials/seen.md (*Your own*) and CONTRIBUTING.md.

The reader types the printed blocks in a copy of the finished small run, which has the real model.
Other documents are followed elsewhere: the README's block, which begins with an installation, in
tests/workflow/test_installed.py, and the tutorials, which start from the demo, in test_demo.py.
"""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from mechaware.core.files import sha256
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import OPTIONAL_FIELDS
from tests.checkout import REPOSITORY, Checkout
from tests.doors.reader import CONTROL, FIELDS_OF_OPTIONAL_KEYS, Reader, blocks_of, in_copy_of
from tests.workflow.printed_commands import GATE, LISTED, commands_in_blocks

# A test below follows each block. Unpacking them fails if the document gains or loses one.
MAKE, SNAKEMAKE = blocks_of("docs/running.md")
# The last two blocks: a table of six items, and an entry of the config that names it.
*_, ITEMS, SUSPECTED = blocks_of("docs/tutorials/seen.md")
DEVELOP = blocks_of("CONTRIBUTING.md")[0]
pytestmark = pytest.mark.gate


@pytest.fixture(scope="module")
def reader(finished: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A reader in a copy of the finished small run, with its config.

    The default run, which the documents' `make results` makes, is made by the gate itself.
    """
    return in_copy_of(finished, tmp_path_factory.mktemp("readme") / "tree")


def test_make_paper_after_an_edit_renews_the_paper_and_the_report(reader: Reader) -> None:
    _make_demo, make_results, make_paper, make_test = commands_in_blocks(f"```sh\n{MAKE}```\n")
    assert make_results in GATE
    assert make_test in (*GATE, *LISTED)

    papers = [reader.folder / f"results/paper/{name}" for name in ("paper.pdf", "index.html")]
    before = [path.read_bytes() for path in papers]
    reader.configures("figures: {radar_scores: {marker_size: 40}}")
    reader.types(make_paper)

    assert all(path.read_bytes() != old for path, old in zip(papers, before, strict=True))
    assert (reader.folder / "results/report.zip").stat().st_size

    catalogue = json.loads((reader.folder / "results/ro-crate-metadata.json").read_text())
    listed_digests = {}
    for entity in catalogue["@graph"]:
        # The id of a result is its path in results/, the id of an input begins with swh.
        is_result = not entity["@id"].startswith("swh:")
        if entity["@type"] == "File" and "sha256" in entity and is_result:
            listed_digests[entity["@id"]] = entity["sha256"]
    digests = {name: sha256(reader.folder / "results" / name) for name in listed_digests}
    assert listed_digests == digests

    tables = {f"tables/{path.name}" for path in (reader.folder / "results/tables").glob("*.csv")}
    assert tables | {"figures/radar_scores.svg"} <= listed_digests.keys()


def test_the_snakemake_block_makes_a_missing_paper_catalogue_and_report(reader: Reader) -> None:
    results = reader.folder / "results"
    missing = [
        results / "paper/paper.pdf",
        results / "ro-crate-metadata.json",
        results / "report.zip",
    ]
    for path in missing:
        path.unlink(missing_ok=True)

    reader.types(SNAKEMAKE)

    assert all(path.stat().st_size for path in missing)


def test_the_benchmark_of_six_items_has_a_verdict_and_scores_under_the_real_model(
    reader: Reader,
) -> None:
    """The six items are the printed ones, the control is `CONTROL`.

    The benchmark's entry in the config has no keys but items, control and model.
    """
    (reader.folder / "my_benchmark.csv").write_text(ITEMS)
    (reader.folder / "my_control.csv").write_text(CONTROL)
    reader.configures(SUSPECTED)
    run = reader.types("snakemake suspected --cores all --resources gpu=1")
    results = reader.folder / "results/radar/suspected/my-benchmark"
    scores = pd.read_csv(results / "scores.csv", dtype={"id": str})

    assert scores["id"].tolist()[:7] == [
        "peru",
        "chad",
        "fiji",
        "mali",
        "cuba",
        "oman",
        "control/togo",
    ]

    # The small run does without the optional fields of `Evidence`.
    unmeasured = {*FIELDS_OF_OPTIONAL_KEYS, *OPTIONAL_FIELDS}
    detectors = [detector.name for detector in DETECTORS if unmeasured.isdisjoint(detector.needs)]

    assert list(scores) == ["id", "control", *detectors]
    assert np.isfinite(scores[detectors].to_numpy()).all()

    verdict = json.loads((results / "verdict.json").read_text())
    assert f"my-benchmark: {verdict['status']}: {verdict['reason']}\nopen " in run.stdout
    # On the page the reason begins with a capital letter.
    assert verdict["reason"][1:] in (results / "index.html").read_text()
    # The smallest benchmarks with error rates have 11 items, this one has six. No error rates of
    # the estimated share of seen items were measured.
    assert verdict["error_rates"]["missing"] == [
        "not measured with fewer than 11 items",
        "the error of the share of items that were seen is not measured on planted shares",
    ]


def test_each_command_of_a_developer_but_make_docs_is_run_by_the_gate_or_listed_as_not_run() -> (
    None
):
    commands = commands_in_blocks(f"```sh\n{DEVELOP}```\n")

    assert [line for line in commands if line not in (*GATE, *LISTED)] == ["make docs"]


def test_make_docs_writes_the_committed_pages(reader: Reader) -> None:
    # The page of the configuration has the values of the default config.
    shutil.copy(REPOSITORY / "config/config.yaml", reader.folder / "config")
    (reader.folder / "docs/configuration.md").unlink()
    reader.types("make docs")

    for page in ("docs/configuration.md", "docs/results.md"):
        assert (reader.folder / page).read_bytes() == (REPOSITORY / page).read_bytes(), page
