"""Reach the verdict on a paper by one judge and a rubric, and draw its page."""

import json
from pathlib import Path

from mechaware.instruments.claims.by_rubric.judging import PaperByRubric
from mechaware.instruments.claims.judges.settings import judge_settings
from mechaware.instruments.claims.rubric.records import PaperText, VoteRule, read_record
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.verdicts.by_rubric.verdict import DOOR, Reading, judge_reading, read_card
from mechaware.verdicts.judge_cards.card import card_procedure
from mechaware.verdicts.page import write_verdict
from scripts.command import Output


def main(
    *,
    title: str,
    label: str,
    judged: Path,
    text: Path,
    flags: Path,
    rubric: Path,
    item_prompts: list[Path],
    cards: list[Path],
    judge_entry: dict[str, str],
    revision: str,
    passages: int,
    runs: int,
    vote: VoteRule,
    max_pages: int,
    confidence_level: float,
    verdict: Output,
    page: Output,
    lines: Output,
) -> None:
    """Write the verdict as JSON, as a page, and as the `lines` that `snakemake claim` ends with.

    `cards` are the verdicts that the user has of judges. `judge_entry` has the judge's entry of config/judges.yaml as
    JSON, by its name; `revision` names the weights of an embedded judge.
    """
    criteria_and_statuses = read_rubric(rubric)
    ((name, entry),) = judge_entry.items()

    required_of_card = card_procedure(
        rubric,
        list(criteria_and_statuses.criteria),
        judge=judge_settings(name, json.loads(entry)),
        replies=None,
        item_prompts=item_prompts,
        revision=revision,
    )

    paper_verdict = judge_reading(
        read_record(PaperByRubric, judged),
        text.read_text(encoding="utf-8"),
        read_record(PaperText, flags),
        criteria_and_statuses,
        [read_card(card) for card in cards],
        label=label,
        reading=Reading(passages, runs, vote, max_pages),
        measured=required_of_card,
        confidence_level=confidence_level,
    )
    write_verdict(
        paper_verdict, DOOR, name=title, model=label, verdict_path=verdict, page=page, lines=lines
    )
