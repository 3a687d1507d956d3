"""Reach the verdict on a paper by one judge and a rubric, and draw its page."""

from pathlib import Path

from mechaware.instruments.claims.by_rubric.judging import PaperByRubric
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import PaperText, read_record
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.verdicts.by_rubric.verdict import (
    DOOR,
    ReadingSettings,
    judge_paper_by_rubric,
    read_card,
)
from mechaware.verdicts.judge_cards.card import card_procedure
from mechaware.verdicts.page import write_verdict
from scripts.command import Output


def main(
    *,
    title: str,
    text: Path,
    flags: Path,
    judged: Path,
    rubric: Path,
    item_prompts: list[Path],
    cards: list[Path],
    label: str,
    settings: JudgeSettings,
    revision: str,
    reading_settings: ReadingSettings,
    confidence_level: float,
    verdict: Output,
    page: Output,
    lines: Output,
) -> None:
    """Write the verdict as JSON, as a page, and as the `lines` that `snakemake claim` ends with.

    The paper is known by its `title`, `text` and `flags`, and by what the judge found in it,
    `judged`. The judge is known by its `label`, its `settings`, and the `revision` of its weights
    if it is embedded. `cards` are the verdicts that the user has of judges.
    """
    own_rubric = read_rubric(rubric)

    # A card counts only if it measured this procedure.
    required_procedure = card_procedure(
        rubric,
        list(own_rubric.criteria),
        judge=settings,
        replies=None,
        item_prompts=item_prompts,
        revision=revision,
    )

    paper_verdict = judge_paper_by_rubric(
        read_record(PaperByRubric, judged),
        text.read_text(encoding="utf-8"),
        read_record(PaperText, flags),
        own_rubric,
        [read_card(card) for card in cards],
        label=label,
        reading=reading_settings,
        required_procedure=required_procedure,
        confidence_level=confidence_level,
    )
    write_verdict(
        paper_verdict, DOOR, name=title, model=label, verdict_path=verdict, page=page, lines=lines
    )
