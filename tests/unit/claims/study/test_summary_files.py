"""The command that writes the summary tables, and the record beside them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from mechaware.claims.fetching.papers import COLUMNS
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.records import write_record
from mechaware.frames import write_csv
from mechaware.provenance import check_inputs, sidecar, write_provenance
from scripts.claims import summarise_claims
from tests.unit.claims.study.test_summaries import LABELS, LEAST, LISTED, TRUTH, study, tables


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("summary")
    for name, table in tables().items():
        write_csv(table, folder / f"{name}.csv")
    return folder


def test_the_command_writes_the_summary_of_the_files(tmp_path: Path, summary: Path) -> None:
    paths: dict[str, list[Path]] = {"scores": [], "voted": [], "audited": [], "runs": [], "truth": []}
    for one in study():
        folder = tmp_path / one.scores.judge / one.scores.paper
        for name, record in (("scores", one.scores), ("voted", one.voted), ("audited", one.audited)):
            write_record(record, folder / f"{name}.json")
            paths[name].append(folder / f"{name}.json")
        for run in one.runs:
            write_record(run, folder / f"run-{run.run}.json")
            paths["runs"].append(folder / f"run-{run.run}.json")
    for paper in TRUTH:
        assert isinstance(paper, PlantedPaper)
        paths["truth"].append(tmp_path / f"{paper.paper}.truth.json")
        write_record(paper, paths["truth"][-1])
    papers = tmp_path / "papers.csv"
    pd.DataFrame(LISTED.values(), columns=list(COLUMNS)).to_csv(papers, index=False)
    summarise_claims.main(**paths, papers=papers, judge_labels=LABELS, least_similarity=LEAST, out=tmp_path / "summary")
    written = {path.name: path.read_text() for path in (tmp_path / "summary").iterdir()}
    assert written == {path.name: path.read_text() for path in summary.iterdir()}


def test_provenance_of_a_table_reaches_back_through_the_summary_folder(tmp_path: Path, summary: Path) -> None:
    write_provenance(summary, step="summarise_claims", parameters={"least_similarity": LEAST}, inputs={})
    write_provenance(tmp_path / "claims_main.csv", step="claims_main", parameters={}, inputs=check_inputs([summary]))
    steps = json.loads(sidecar(tmp_path / "claims_main.csv").read_text())["steps"]
    assert {one["step"] for one in steps} == {"summarise_claims", "claims_main"}
