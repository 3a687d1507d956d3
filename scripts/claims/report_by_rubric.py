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

    - `title`, `text`, `flags`: the paper's title, its text, and the record of how the text was read
      (flags.json).
    - `judged`: the judge's votes on the paper, by `rubric`.
    - `label`, `settings`: the judge's name on the page, and how it is called.
    - `revision`: the SHA-256 of an embedded judge's weights; empty for any other judge.
    - `item_prompts`: the templates by which the judge is asked about each criterion.
    - `cards`: the user's judge cards, each as its verdict.json.
    - `reading_settings`: how much of the paper is read and shown, and how runs are voted.
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
