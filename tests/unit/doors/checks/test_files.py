"""Files that a config names: messages name the folder where the command was typed, a path may
begin with the home folder (~), and a file under results/ may be missing.
"""

import shutil
from pathlib import Path

import pytest

from mechaware.core.own_folder import VARIABLE
from tests.unit.doors.checks.checked_configs import ITEMS, REPOSITORY, add_line, checked, refusal


@pytest.mark.parametrize(
    "config",
    [
        "models: {mine: {kind: local, label: Mine, folder: nowhere}}\nradar: {models: [mine]}",
        "radar: {suspected: {bench: {items: none.csv, model: gpt2, scores_only: true}}}",
        "grounding: {passages: {log: {log: none.jsonl, model: gpt2}}}",
        "claims: {own_paper: none.docx}",
    ],
)
def test_a_missing_file_is_reported_with_the_folder_where_the_command_was_typed(
    folder: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "/home/her/work")
    assert "(from /home/her/work); correct the path" in refusal(folder, config)


def test_files_in_the_home_folder_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = folder / "home"
    monkeypatch.setenv("HOME", str(home))
    (home / "model").mkdir(parents=True)
    (home / "items.csv").write_text(ITEMS)
    (home / "rates.csv").write_text("level\n")
    (home / "paper.txt").write_text("Head 3.1 moves the subject.")
    shutil.copy(REPOSITORY / "examples/ioi.csv", home / "pairs.csv")
    add_line(folder, "papers.csv", "own,file,~/paper.txt,A paper,,")
    checked(
        folder,
        "radar: {suspected: {mine: {items: ~/items.csv, model: gpt2, calibration: ~/rates.csv, scores_only: true}}}\n"
        "grounding: {pairs: {task: {table: ~/pairs.csv, model: gpt2}}}\n"
        "claims: {papers: [own], measured: [~/rates.csv]}\n",
    )
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: ~/model}")
    # The folder is found; it is refused because it is empty.
    refused = refusal(folder, "radar: {models: [mine]}")
    assert refused.startswith(f"config/models.yaml, mine/folder: {home}/model: no config.json")


def test_a_table_of_the_results_may_be_missing_since_a_job_makes_it(folder: Path) -> None:
    checked(folder, "claims: {measured: [results/tables/claims_planted.csv]}")
    assert refusal(folder, "claims: {measured: [tables/claims_planted.csv]}") == (
        f"config, claims/measured: no file tables/claims_planted.csv (from {folder}); correct the path"
    )
