"""Judges, papers and rubrics that the check of a config accepts and refuses, and rules of one's own."""

from pathlib import Path

import pytest

from tests.unit.doors.checks.small_config import REPOSITORY, add_line, checked, refusal


def test_a_rule_of_no_package_is_refused(folder: Path) -> None:
    assert refusal(folder, "grounding: {rules: [nowhere.a.B]}").startswith(
        f"config, grounding/rules: no package 'nowhere' (from {folder})"
    )


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "mine: {kind: nowhere.a.B, label: Mine}",
            "config/judges.yaml, mine: no package 'nowhere' (from ",
        ),
        (
            "mine: {kind: lexical, label: Lexical rules}",
            "config/judges.yaml, mine/label: 'Lexical rules' is also the label of 'lexical'; change one of the two",
        ),
        (
            "mine: {kind: embedded, label: Mine, model: gpt3}",
            "config/judges.yaml, mine: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "mine: {kind: embedded, label: Mine, model: gpt2}",
            "config/judges.yaml, mine: 'gpt2' has no GGUF file; name a model of kind wheel",
        ),
    ],
)
def test_a_judge_that_is_used_and_cannot_judge_is_refused(
    folder: Path, judge: str, message: str
) -> None:
    add_line(folder, "judges.yaml", judge)
    assert refusal(folder, "claims: {judges: [lexical, mine]}").startswith(message)

    # It may stay in the list, unused.
    checked(folder, "claims: {judges: [lexical]}")


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
def test_papers_of_one_kind_are_enough(folder: Path, config: str) -> None:
    (folder / "own.html").write_text("<p>Head 3.1 moves the subject.</p>")
    checked(folder, config)


def test_a_listed_paper_whose_file_is_missing_is_refused_where_it_is_used(folder: Path) -> None:
    add_line(folder, "papers.csv", "own,file,papers/own.pdf,A paper,,")
    assert refusal(folder, "claims: {papers: [own]}") == (
        f"config/papers.csv, own: no file papers/own.pdf (from {folder}); correct its location"
    )

    # Unused, it may stay in the list.
    checked(folder, "claims: {papers: [ioi]}")


def test_a_table_of_the_results_may_be_missing_since_a_job_makes_it(folder: Path) -> None:
    checked(folder, "claims: {measured: [results/tables/claims_planted.csv]}")
    assert refusal(folder, "claims: {measured: [tables/claims_planted.csv]}") == (
        f"config, claims/measured: no file tables/claims_planted.csv (from {folder}); correct the path"
    )


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
    said = refusal(folder, f"claims: {claims}")

    assert said.startswith(message.replace("FOLDER", str(Path.cwd())))

    judged = "claims: {own_rubric: whole.yaml, own_claim: It works, own_judges: [ollama/llama3.2]}"
    assert checked(folder, judged).own_judges == ["ollama-llama3.2"]


def test_the_judges_of_an_own_paper_are_entries_or_addresses_of_models(folder: Path) -> None:
    address = "openai/my-model@http://localhost:8000/v1"
    catalog = checked(folder, f"claims: {{own_judges: [smollm2, '{address}', ollama/llama3.2]}}")
    names = ["smollm2", "openai-my-model-localhost-8000-v1", "ollama-llama3.2"]

    assert catalog.own_judges == names
    assert catalog.judges[names[1]]["api_base"] == "http://localhost:8000/v1"
    assert catalog.judges[names[2]]["model"] == "ollama_chat/llama3.2"
    assert checked(folder, "{}").own_judges == []


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "lexical",
            "'lexical' is keyword rules, which judge no paper; leave it out for passages to read,",
        ),
        (
            "smolm2",
            "'smolm2' is not in config/judges.yaml, and is no address of a model such as ollama/llama3.2 or "
            "openai/my-model@http://localhost:8000/v1; did you mean 'smollm2'?",
        ),
        (
            "my/claude",
            "'my/claude' would be named 'my-claude', which is a judge in config/judges.yaml;",
        ),
    ],
)
def test_a_judge_that_cannot_judge_an_own_paper_is_refused(
    folder: Path, judge: str, message: str
) -> None:
    add_line(folder, "judges.yaml", "my-claude: {kind: provider, label: C, model: anthropic/c}")
    told = refusal(folder, f"claims: {{own_judges: [{judge}]}}")

    assert told.startswith(f"config, claims/own_judges: {message}")
