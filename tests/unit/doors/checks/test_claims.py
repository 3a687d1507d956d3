"""Papers, rubrics and prompts of the claims study."""

from pathlib import Path

import pytest

from tests.unit.doors.checks.checked_configs import REPOSITORY, add_line, checked, refusal


def test_a_listed_paper_whose_file_is_missing_is_refused_where_it_is_used(folder: Path) -> None:
    add_line(folder, "papers.csv", "own,file,papers/own.pdf,A paper,,")
    assert refusal(folder, "claims: {papers: [own]}") == (
        f"config/papers.csv, own: no file papers/own.pdf (from {folder}); correct its location"
    )
    # Unused, it may stay in the list.
    checked(folder, "claims: {papers: [ioi]}")


@pytest.mark.parametrize(
    "config",
    [
        "claims: {planted_papers: 0, papers: [ioi]}",
        "claims: {planted_papers: 0, own_paper: own.html}",
        "claims: {planted_papers: 2}",
        "claims: {judges: [smollm2], embedded_planted_papers: 1}",
        "claims: {judges: [smollm2], embedded_planted_papers: 0, papers: [ioi]}",
        "claims: {judges: [smollm2], embedded_planted_papers: 0, own_paper: own.html}",
        "claims: {judges: [lexical], embedded_planted_papers: 0}",
    ],
)
def test_planted_papers_or_listed_papers_or_an_own_paper_are_enough(
    folder: Path, config: str
) -> None:
    (folder / "own.html").write_text("<p>Head 3.1 moves the subject.</p>")
    checked(folder, config)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        (
            "{planted_papers: 0}",
            "config, claims: no papers and no planted_papers; name a paper of config/papers.csv",
        ),
        (
            "{judges: [smollm2], embedded_planted_papers: 0}",
            "config, claims: the embedded judge 'smollm2' has no paper to read; raise embedded_planted_papers or name "
            "a paper of config/papers.csv",
        ),
    ],
)
def test_a_study_or_a_judge_without_any_paper_is_refused(
    folder: Path, claims: str, message: str
) -> None:
    assert refusal(folder, f"claims: {claims}") == message


@pytest.mark.parametrize(
    ("name", "is_renamed"), [("ioi", True), ("Lexical", True), ("other", False)]
)
def test_an_own_paper_with_the_name_of_a_listed_paper_or_a_judge_gets_another_id(
    folder: Path, name: str, is_renamed: bool
) -> None:
    (folder / f"{name}.html").write_text("<p>Head 3.1 moves the subject.</p>")
    catalog = checked(folder, f"claims: {{own_paper: {name}.html}}")
    assert catalog.own_paper is not None
    assert catalog.own_paper.id.startswith(f"my-{name}-") == is_renamed
    assert (catalog.own_paper.id == name) == (not is_renamed)
    assert catalog.papers[catalog.own_paper.id] == catalog.own_paper


def test_a_folder_of_prompts_without_a_file_is_refused(folder: Path) -> None:
    (folder / "config/judge_prompts/empty").mkdir()
    message = "config, claims/prompts: no config/judge_prompts/empty; name a folder of config/judge_prompts"
    assert refusal(folder, "claims: {prompts: empty}") == message


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("{own_rubric: none.yaml}", "config, claims/own_rubric: no file none.yaml (from FOLDER)"),
        ("{own_rubric: cut.yaml}", "cut.yaml: key 'statuses' is missing; add it"),
        (
            "{own_claim: Head 3.1 detects it, own_judges: [ollama/llama3.2]}",
            "config, claims/own_claim: only own_rubric judges it; name a rubric",
        ),
    ],
)
def test_a_rubric_by_which_an_own_paper_cannot_be_read_is_refused(
    folder: Path, claims: str, message: str
) -> None:
    whole = (REPOSITORY / "examples/review_rubric.yaml").read_text()
    (folder / "whole.yaml").write_text(whole)
    (folder / "cut.yaml").write_text(whole.replace("statuses: [", "stati: ["))

    refused = refusal(folder, f"claims: {claims}")

    assert refused.startswith(message.replace("FOLDER", str(Path.cwd())))
    judged = "claims: {own_rubric: whole.yaml, own_claim: It works, own_judges: [ollama/llama3.2]}"
    assert checked(folder, judged).own_judges == ["ollama-llama3.2"]
