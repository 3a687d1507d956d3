"""Judges a paper by any rubric, in memory (`mechaware.claims.judge_by_rubric`)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.files import sha256
from mechaware.core.library import CONFIG
from mechaware.doors.claims.library import (
    CONFIDENCE_LEVEL,
    MAX_PAGES,
    RESPONSES,
    RUNS,
    prompt_files,
    read,
    settings_of,
)
from mechaware.instruments.claims.aid.candidates import SHOWN
from mechaware.instruments.claims.by_rubric.judging import judge_by_rubric as ask_judge
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.rubric.records import VoteRule
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.verdicts.by_rubric.verdict import (
    ReadingSettings,
    RubricEvidence,
    judge_paper_by_rubric,
    read_card,
)
from mechaware.verdicts.judge_cards.card import card_procedure
from mechaware.verdicts.verdict import Verdict


def judge_by_rubric(
    paper: str | Path,
    rubric: str | Path,
    judge: str | Mapping[str, Any],
    *,
    claim: str = "",
    cards: Sequence[str | Path] = (),
    passages: int = SHOWN,
    runs: int = RUNS,
    vote: VoteRule = "minimum",
    responses: str | Path = RESPONSES,
    weights: str | Path | None = None,
) -> Verdict[RubricEvidence]:
    """Ask a judge for the status of a paper on each criterion of a rubric of your own.

    The judge is shown the passages of the paper that a search finds likeliest to bear on the
    criterion.

    Args:
        paper: A PDF, HTML, text or Markdown file, an http(s) address, or an arXiv identifier.
        rubric: A YAML file with name, statuses (the lowest first), criteria and, optionally,
            guidance for the judge.
        judge: The address of a model, such as ollama/llama3.2; a name of config/judges.yaml; or a
            judge's settings, as for `score`.
        claim: The claim that is judged; empty for the paper as a whole.
        cards: The verdict.json files of the judge's cards (`judge_card`), which measure how often
            the judge is right by this rubric.
        passages: The number of passages that the judge is shown for a criterion.
        runs: The number of independent runs; their statuses are voted.
        vote: How the statuses of the runs become the status of a criterion: `minimum`, the lowest
            of them, or `median`. The verdict rests on this vote, and has the counts by both.
        responses: The folder in which a language model's replies are kept: no reply is paid for
            twice.
        weights: The GGUF file of a judge of kind embedded.

    Returns:
        The verdict: *meets* (every criterion is at the highest status), *falls short* (a criterion
        is below it) or *cannot tell*; with a judge that has no card, always *cannot tell*. Its
        `evidence` has the counts by each vote, and for each criterion its status, the status and
        the reasons of each run, and the passages that the judge was shown. There is no score:
        Claim Validity Scores and tiers belong to the 27 criteria.

    Raises:
        UserError: `passages` or `runs` is less than 1; the paper, the rubric or a card cannot be
            read; or the judge is not known or lacks its API key.
    """
    for name, number in (("passages", passages), ("runs", runs)):
        if number < 1:
            raise UserError(f"{name}: {number}; write 1 or more")

    rubric_path = Path(rubric)
    own_rubric = read_rubric(rubric_path)
    read_cards = [read_card(Path(card)) for card in cards]

    settings = settings_of(judge)
    text, about = read(paper)
    weight_files = [] if weights is None else [Path(weights)]
    item_prompts = sorted((CONFIG / "judge_prompts/items").glob("*.md"))

    with open_judge(
        settings,
        prompts=prompt_files(),
        responses=Path(responses),
        weights=weight_files,
        item_prompts=item_prompts,
    ) as opened_judge:
        judged = ask_judge(
            opened_judge,
            text,
            own_rubric,
            judge_name=settings.name,
            paper=about.paper,
            claim=claim,
            n_passages=passages,
            runs=runs,
            at_a_time=settings.calls_at_a_time,
        )

    # A card counts only if it measured this procedure: the rubric, and the judge with its prompts
    # and weights.
    required_procedure = card_procedure(
        rubric_path,
        list(own_rubric.criteria),
        judge=settings,
        replies=None,
        item_prompts=item_prompts,
        revision=sha256(weight_files[0]) if weight_files else "",
    )

    return judge_paper_by_rubric(
        judged,
        text,
        about,
        own_rubric,
        read_cards,
        label=settings.name,
        reading=ReadingSettings(passages=passages, runs=runs, vote=vote, max_pages=MAX_PAGES),
        required_procedure=required_procedure,
        confidence_level=CONFIDENCE_LEVEL,
    )
