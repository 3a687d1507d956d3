"""Compare a judge's answers with the labels, reach the verdict on it, and draw its card."""

import json
from pathlib import Path

from mechaware.core.frames import Schema, read_csv
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.settings import judge_settings
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.verdicts.judge_cards.card import DOOR, card_procedure, judge_card
from mechaware.verdicts.page import write_verdict
from scripts.command import Output


def main(
    *,
    name: str,
    label: str,
    labelled: Path,
    rubric: Path,
    answers: Path,
    replies: list[Path],
    item_prompts: list[Path],
    judge_entry: dict[str, str],
    revision: str,
    confidence_level: float,
    verdict: Output,
    page: Output,
    lines: Output,
) -> None:
    """Write the verdict as JSON, as a page, and as the `lines` that `snakemake judge_card` ends
    with.

    `replies` has at most one file. Without a file, `judge_entry` maps the judge's name to its entry
    of config/judges.yaml as JSON, and `revision` names the weights of an embedded judge.
    """
    own_rubric = read_rubric(rubric)
    items = read_items(labelled, own_rubric)

    table = read_csv(answers, Schema(text=Answer._fields))
    judge_answers = []
    for item, edit, status, evidence in table.itertuples(index=False, name=None):
        judge_answers.append(Answer(item, edit, status or None, evidence))

    settings = None
    for judge, entry in judge_entry.items():  # one, or none with a file of replies
        settings = judge_settings(judge, json.loads(entry))
    procedure = card_procedure(
        rubric,
        list(own_rubric.criteria),
        judge=settings,
        replies=next(iter(replies), None),
        item_prompts=item_prompts,
        revision=revision,
    )

    card = judge_card(
        items,
        own_rubric,
        judge_answers,
        judge=label,
        procedure=procedure,
        confidence_level=confidence_level,
    )
    write_verdict(card, DOOR, name=name, model=label, verdict_path=verdict, page=page, lines=lines)
