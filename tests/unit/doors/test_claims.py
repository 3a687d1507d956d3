"""The claims study's public functions give what the workflow's commands write for one paper."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

import mechaware as ma
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import (
    PaperText,
    Scores,
    read_record,
    write_record,
)
from mechaware.planted.papers.plan import plan_papers
from mechaware.planted.papers.typesetting import write_paper
from scripts.claims import extract_text, fetch_paper, judge_paper, list_passages

REPOSITORY = Path(__file__).resolve().parents[3]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planted paper as a PDF, with a space in its name."""
    folder = tmp_path_factory.mktemp("planted") / "p"
    write_paper(plan_papers(1, 3)[0], folder, folder.with_suffix(".truth.json"))
    return (folder / "document.pdf").rename(folder.parent / "my paper.pdf")


class WorkflowRecords(NamedTuple):
    """What the workflow's commands write for one paper: its text, the text's record, its scores."""

    text: str
    flags: PaperText
    scores: Scores


def run_commands(paper: Path, folder: Path) -> WorkflowRecords:
    """Run the workflow's three commands on a paper: fetch, extract its text, judge by rules."""
    text = folder / "text.txt"
    flags = folder / "flags.json"
    fetch_paper.main(
        source="file",
        location=str(paper),
        title="",
        max_bytes=50_000_000,
        timeout_s=120,
        attempts=1,
        allow_private_addresses=False,
        out=folder / "source",
    )
    extract_text.main(
        source=folder / "source",
        paper="my-paper",
        max_pages=50,
        memory_mb=1500,
        timeout_s=120,
        text=text,
        flags=flags,
    )
    judge_paper.main(
        text=text,
        flags=flags,
        prompts=PROMPTS,
        weights=[],
        settings=JudgeSettings("lexical", "lexical"),
        vote="minimum",
        claims_found="once",
        least_similarity=0.5,
        leak_audit=True,
        devils_advocate="none",
        responses=folder / "replies",
        attempt=1,
        runs=[folder / f"run-{run}.json" for run in range(3)],
        voted=folder / "voted.json",
        audited=folder / "audited.json",
        scores=folder / "scores.json",
    )
    return WorkflowRecords(
        text=text.read_text(),
        flags=read_record(PaperText, flags),
        scores=read_record(Scores, folder / "scores.json"),
    )


def test_a_papers_score_is_that_of_the_workflows_commands(
    paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_commands = run_commands(paper, tmp_path)
    expected = by_commands.scores
    # Replies would be kept in the working directory.
    monkeypatch.chdir(tmp_path / "source")

    assert ma.claims.read(paper) == (by_commands.text, by_commands.flags)

    scored = ma.claims.score(paper, judge="lexical")

    assert scored.record == expected
    # The committed error rates hold for the lexical judge anywhere: nothing of its procedure can
    # differ, since it has no revision and none of a model's settings.
    assert (scored.verdict.question, scored.verdict.outcome) == ("supported", "cannot tell")
    assert scored.verdict.error_rates.missing == []
    assert (scored.score, scored.tier) == (expected.cvs, expected.tier)
    assert scored.tier is not None
    assert scored.statuses.shape == (len(expected.claims), 27)
    assert scored.statuses.loc[0, "C1"] == expected.claims[0].criteria["C1"].status
    assert list(scored.claims["statement"]) == [claim.statement for claim in expected.claims]

    main = scored.claims.loc[expected.main]
    assert (main["system"], main["score"], main["tier"]) == (True, scored.score, scored.tier)
    assert [path.name for path in Path.cwd().iterdir()] == ["document.pdf"]  # rules keep no replies


def test_passages_to_read_are_those_of_the_workflows_reading_aid(
    paper: Path, tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    flags = tmp_path / "flags.json"
    content, flags_record = ma.claims.read(paper)
    text.write_text(content)
    write_record(flags_record, flags)
    list_passages.main(
        title="mine",
        text=text,
        flags=flags,
        prompts=PROMPTS,
        rubric=[],
        recall=REPOSITORY / "docs/measured/claims_reading_aid.csv",
        out=tmp_path / "reading",
    )
    aid = json.loads((tmp_path / "reading/reading.json").read_text())

    found = ma.claims.passages(paper)

    # At most ten for each of the 27 criteria; fewer where the paper has few of its words.
    assert len(found) > 200
    assert found["criterion"].value_counts().max() <= 10
    expected = []
    for criterion in aid["criteria"]:
        for passage in criterion["passages"]:
            passage_text = content[passage["start"] : passage["end"]]
            one_line = " ".join(passage_text.split())
            expected.append((criterion["code"], criterion["asks"], passage["page"], one_line))
    columns = ["criterion", "asks", "page", "passage"]
    assert list(found[columns].itertuples(index=False, name=None)) == expected


def test_passages_are_searched_by_a_rubric_of_ones_own(tmp_path: Path) -> None:
    """What counts for the lowest status, *quiet*, is not searched: the cat is not found."""
    paper = tmp_path / "mine.txt"
    rubric = tmp_path / "rubric.yaml"
    cats = "The cat slept on a mat for forty nights in a row, and nobody saw it move from there."
    dogs = "A dog barked at nine in the morning and woke all other animals of the old house."
    paper.write_text(f"Abstract\n\n{cats}\n\n{dogs}\n")
    rubric.write_text(
        "name: Noise\nstatuses: [quiet, loud]\ncriteria:\n"
        "- {code: bark, name: Barks, definition: Which animal barked?, "
        "statuses: {quiet: The cat slept.}}\n"
    )

    found = ma.claims.passages(paper, rubric)

    assert list(found["criterion"]) == ["bark"]
    assert found.loc[0, "passage"] == dogs
    assert found.loc[0, "asks"] == "Which animal barked?"


def test_a_judge_may_be_given_by_its_settings(paper: Path) -> None:
    scored = ma.claims.score(
        paper, judge={"name": "mine", "kind": "lexical", "label": "Mine"}, runs=1
    )
    assert (scored.record.judge, len(scored.record.single_runs)) == ("mine", 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(
            {"judge": "lexicl"},
            "judge: 'lexicl' is not in config/judges.yaml; did you mean 'lexical'?",
            id="a judge that is not listed",
        ),
        pytest.param(
            {},
            "score: no judge; give one, such as judge='ollama/llama3.2', or call passages(paper)",
            id="no judge",
        ),
        pytest.param(
            {"judge": "smollm2"},
            "judge smollm2: an embedded model without its GGUF file; give its path",
            id="a model without its file",
        ),
        pytest.param(
            {"judge": {"name": "mine", "kind": "oracle"}},
            "judge mine: no kind 'oracle'; write",
            id="a kind that does not exist",
        ),
        pytest.param(
            {"judge": {}},
            "judge: no kind; a judge's settings are its name and the keys of config/judges.yaml",
            id="settings without a kind",
        ),
        pytest.param(
            {"judge": {"name": "mine", "kind": "lexical", "modle": "x"}},
            "judge: 'modle' is not in a judge's keys; did you",
            id="a mistyped key",
        ),
    ],
)
def test_a_judge_that_cannot_score_is_refused_in_one_line(
    paper: Path, given: dict[str, object], message: str
) -> None:
    with pytest.raises(ma.UserError, match=re.escape(message)):
        ma.claims.score(paper, **given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(None, "no such file", id="not there"),
        pytest.param("...\n", "it has no words; enter a copy with text", id="without words"),
    ],
)
def test_a_paper_that_cannot_be_read_is_refused_with_its_path(
    tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "mine.txt"
    if text is not None:
        path.write_text(text)

    with pytest.raises(ma.UserError, match=re.escape(f"{path}: {message}")):
        ma.claims.score(path, "lexical")
