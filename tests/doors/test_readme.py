"""The blocks of docs/running.md, of one's own benchmark in docs/tutorials/seen.md, and of
CONTRIBUTING's developer.

They are gone through as a reader would, in a copy of the small run with the real model. The
README's block begins with an installation and is in tests/workflow/test_installed.py; the tutorials
go on from the demo and are in test_demo.py.
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
from tests.doors.reader import CONTROL, OF_OTHER_KEYS, Reader, blocks_of, in_copy_of
from tests.workflow.printed_commands import GATE, LISTED, commands_in_blocks

# A block more or less ends here: each needs a door below.
MAKE, SNAKEMAKE = blocks_of("docs/running.md")
*_, ITEMS, SUSPECTED = blocks_of("docs/tutorials/seen.md")
DEVELOP = blocks_of("CONTRIBUTING.md")[0]
pytestmark = pytest.mark.gate


@pytest.fixture(scope="module")
def reader(finished: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """In place of the default run, which the gate makes by `make results`,
    the finished small one, with its config.
    """
    return in_copy_of(finished, tmp_path_factory.mktemp("readme") / "tree")


def test_make_paper_after_an_edit_renews_the_paper_and_the_report(reader: Reader) -> None:
    _, results, paper, test = commands_in_blocks(f"```sh\n{MAKE}```\n")
    assert results in GATE
    assert test in (*GATE, *LISTED)

    made = [reader.folder / f"results/paper/{name}" for name in ("paper.pdf", "index.html")]
    before = [path.read_bytes() for path in made]
    reader.configures("figures: {radar_scores: {marker_size: 40}}")
    reader.types(paper)

    assert all(path.read_bytes() != old for path, old in zip(made, before, strict=True))
    assert (reader.folder / "results/report.zip").stat().st_size

    catalogue = json.loads((reader.folder / "results/ro-crate-metadata.json").read_text())
    stated = {}
    for entity in catalogue["@graph"]:
        is_ours = not entity["@id"].startswith("swh:")
        if entity["@type"] == "File" and "sha256" in entity and is_ours:
            stated[entity["@id"]] = entity["sha256"]
    assert stated == {name: sha256(reader.folder / "results" / name) for name in stated}

    tables = {f"tables/{path.name}" for path in (reader.folder / "results/tables").glob("*.csv")}
    assert tables | {"figures/radar_scores.svg"} <= stated.keys()


def test_snakemake_alone_makes_what_is_missing_the_catalogue_and_the_report(reader: Reader) -> None:
    results = reader.folder / "results"
    made = [results / "paper/paper.pdf", results / "ro-crate-metadata.json", results / "report.zip"]
    for path in made:
        path.unlink(missing_ok=True)

    reader.types(SNAKEMAKE)

    assert all(path.stat().st_size for path in made)


def test_the_benchmark_of_six_items_has_a_verdict_and_scores_under_the_real_model(
    reader: Reader,
) -> None:
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

    unmeasured = {*OF_OTHER_KEYS, *OPTIONAL_FIELDS}
    detectors = [detector.name for detector in DETECTORS if unmeasured.isdisjoint(detector.needs)]

    assert list(scores) == ["id", "control", *detectors]
    assert np.isfinite(scores[detectors].to_numpy()).all()

    verdict = json.loads((results / "verdict.json").read_text())
    assert f"my-benchmark: {verdict['status']}: {verdict['reason']}\nopen " in run.stdout
    assert verdict["reason"][1:] in (results / "index.html").read_text()
    # Six items; nothing was measured with fewer than 11. Of the share of seen items no error is
    # measured yet.
    assert verdict["error_rates"]["missing"] == [
        "not measured with fewer than 11 items",
        "the error of the share of items that were seen is not measured on planted shares",
    ]


def test_the_developers_commands_are_run_by_the_gate_or_listed_and_make_docs_follows_the_code(
    reader: Reader,
) -> None:
    others = [
        line
        for line in commands_in_blocks(f"```sh\n{DEVELOP}```\n")
        if line not in (*GATE, *LISTED)
    ]
    assert others == ["make docs"]

    # The page of the configuration has the values of the default config.
    shutil.copy(REPOSITORY / "config/config.yaml", reader.folder / "config")
    (reader.folder / "docs/configuration.md").unlink()
    reader.types("make docs")

    for page in ("docs/configuration.md", "docs/results.md"):
        assert (reader.folder / page).read_bytes() == (REPOSITORY / page).read_bytes(), page
